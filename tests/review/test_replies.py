"""What the operations of the review room reply and refuse: consensus, lists, times, repeats, exports."""

import time

import pytest

pytest.importorskip("fastapi", reason="pip install 'crfdeid[review]'")
pytest.importorskip("argon2", reason="pip install 'crfdeid[review]'")

from review_client import TEXTS

from crfdeid.review.measures import figures
from crfdeid.review.operations import adjudication, exports, listing, marking, questions, team, training
from crfdeid.review.study import accounts, system_spans
from crfdeid.review.study.errors import (
    ConflictError,
    ForbiddenError,
    InvalidValueError,
    MarksClosedError,
    NotFoundError,
    StageError,
)
from crfdeid.review.study.note_index import StudyNote
from crfdeid.review.study.source import Source
from crfdeid.review.study.study import create_study, open_study
from crfdeid.text.document import Span


def find(study, name):
    return accounts.find_reader(study.store, name)


def mark(study, name, number, *spans, done=True):
    """The note's marks of a reader who has finished it."""
    reader = find(study, name)
    for start, end, type in spans:
        change(study, name, number, "add", start=start, end=end, type=type)
    if done:
        length = len(study.notes.read_document(number).text)
        marking.record_shown(study, reader, number, {"stretches": [[0, length]]})
        change(study, name, number, "done")


def change(study, name, number, kind, **fields):
    reader = find(study, name)
    version = marking.describe_state(study, reader, number)["version"]
    return marking.change_marks(study, reader, number, {"version": version, "kind": kind} | fields)


def decide(study, number, kind, **fields):
    eve = find(study, "eve")
    version = adjudication.show_consensus(study, eve, number)["version"]
    body = {"version": version, "kind": kind} | fields
    return adjudication.change_consensus(study, eve, number, body)


def write(start, end, type):
    return {"start": start, "end": end, "type": type}


DOCTOR, DATE, LATER = (12, 16, "DOCTOR"), (20, 28, "DATE"), (30, 34, "DOCTOR")


def test_an_open_consensus_is_described_whole(study):
    change(study, "ann", 1, "add", **write(*DOCTOR))
    change(study, "ann", 1, "doubt", mark=1, unsure=True)
    mark(study, "ann", 1, DATE)
    mark(study, "bob", 1, DOCTOR, LATER)
    study.store.execute("INSERT INTO systems VALUES('model', 1, 0, 0)")
    study.store.execute("INSERT INTO found VALUES('model', 1, '[[20,29,\"DATE\",0.5]]', 1, 0.5)")
    found = adjudication.open_consensus(study, find(study, "eve"), 1, {"systems": ["model"]})
    nobody = {"decision": None, "unsure": []}
    assert found == {
        "text": TEXTS["7-01"][0],
        "number": 1, "id": "7-01", "patient": "7",
        "version": 1, "done": False, "undo": 0, "redo": 0, "undecided": 3,
        "voters": [
            {"name": "ann", "kind": "reader"}, {"name": "bob", "kind": "reader"},
            {"name": "model", "kind": "system"},
        ],
        "items": [
            {"key": "12-16", "start": 12, "end": 16, "agreement": "majority", "preset": True,
             "votes": {"ann": [write(*DOCTOR)], "bob": [write(*DOCTOR)], "model": []},
             "suggestion": [write(*DOCTOR)]} | nobody | {"unsure": ["ann"]},
            {"key": "20-28", "start": 20, "end": 28, "agreement": "majority", "preset": True,
             "votes": {"ann": [write(*DATE)], "bob": [], "model": [write(*DATE)]},
             "suggestion": [write(*DATE)]} | nobody,
            {"key": "30-34", "start": 30, "end": 34, "agreement": "fewer", "preset": False,
             "votes": {"ann": [], "bob": [write(*LATER)], "model": []},
             "suggestion": [write(*LATER)]} | nobody,
        ],
        "questions": [], "extra": [], "spans": [],
    }  # fmt: skip
    again = adjudication.open_consensus(study, find(study, "eve"), 1, {"readers": ["nobody"]})
    assert again == found  # it is open: nothing changes


def test_decisions_and_marks_of_a_consensus_are_made_changed_and_undone(study):
    mark(study, "ann", 1, DOCTOR, DATE)
    mark(study, "bob", 1, DOCTOR)
    adjudication.open_consensus(study, find(study, "eve"), 1, {})
    state = decide(study, 1, "decide", item="12-16", spans=[write(*DOCTOR)], ambiguous=1)
    decision = {"spans": [write(*DOCTOR)], "ambiguous": False}  # 1 is not true
    assert [item["decision"] for item in state["items"]] == [decision, None]
    assert (state["version"], state["undo"], state["redo"], state["undecided"]) == (2, 1, 0, 1)
    state = decide(study, 1, "decide", item="20-28", ambiguous=True)
    assert state["items"][1]["decision"] == {"spans": [], "ambiguous": True}
    state = decide(study, 1, "undecide", item="12-16")
    assert [item["decision"] for item in state["items"]] == [None, {"spans": [], "ambiguous": True}]
    state = decide(study, 1, "add", **write(*LATER))
    assert state["extra"] == [{"id": 1} | write(*LATER)] and state["spans"] == [write(*LATER)]
    state = decide(study, 1, "change", mark=1, end=39)
    assert state["spans"] == [write(30, 39, "DOCTOR")]
    state = decide(study, 1, "change", mark=1, type="PATIENT")
    assert state["spans"] == [write(30, 39, "PATIENT")]
    assert decide(study, 1, "remove", mark=1)["extra"] == []
    state = decide(study, 1, "undo")
    assert (state["spans"], state["undo"], state["redo"]) == ([write(30, 39, "PATIENT")], 6, 1)
    assert decide(study, 1, "redo")["spans"] == []
    for _ in range(7):
        state = decide(study, 1, "undo")
    assert (state["version"], state["undo"], state["redo"], state["undecided"]) == (17, 0, 7, 2)
    with pytest.raises(StageError, match="there is nothing to undo") as nothing:
        decide(study, 1, "undo")
    assert nothing.value.details["stage"] == "nothing"


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"kind": "decide", "item": "1-2"}, NotFoundError, "no such item"),
        ({"kind": "decide"}, NotFoundError, "no such item"),
        ({"kind": "undecide", "item": "1-2"}, NotFoundError, "no such item"),
        ({"kind": "decide", "item": "12-16", "spans": {}}, InvalidValueError, "wanted a list of spans"),
        ({"kind": "decide", "item": "12-16", "spans": ["DATE"]}, InvalidValueError, "wanted a list of spans"),
        ({"kind": "decide", "item": "12-16", "spans": [{}]}, InvalidValueError, "a span that is not empty"),
        ({"kind": "decide", "item": "12-16", "spans": [write(44, 46, "DATE")]}, InvalidValueError, "of 45"),
        ({"kind": "decide", "item": "12-16", "spans": [write(1, 2, "X")]}, InvalidValueError, "a type"),
        ({"kind": "add", "start": 1, "end": 2}, InvalidValueError, "wanted a type"),
        ({"kind": "change", "mark": 1}, NotFoundError, "no mark 1"),
        ({"kind": "change", "start": 1}, NotFoundError, "no mark None"),
        ({"kind": "remove", "mark": 2}, NotFoundError, "no mark 2"),
        ({"kind": "open"}, InvalidValueError, "no such kind of action"),
        ({"kind": "import"}, InvalidValueError, "no such kind of action"),
        ({}, InvalidValueError, "no such kind of action"),
        ({"kind": "done"}, StageError, "1 items are not decided yet"),
        ({"kind": "redo"}, StageError, "nothing to undo or redo"),
        ({"kind": "votes", "readers": "ann"}, InvalidValueError, "readers: wanted a list of names, or null"),
        ({"kind": "votes", "systems": [1]}, InvalidValueError, "systems: wanted a list of names, or null"),
        ({"kind": "votes", "readers": ["cy", "ann", "x"]}, NotFoundError, "^cy, x: has not read this note"),
        ({"kind": "votes", "systems": ["x"]}, NotFoundError, "no system with this name"),
        ({"kind": "votes", "readers": [], "systems": []}, StageError, "nobody has finished this note yet"),
    ],
)  # fmt: skip
def test_a_change_of_the_consensus_that_cannot_be_is_refused(study, fields, error, message):
    mark(study, "ann", 1, DOCTOR)
    adjudication.open_consensus(study, find(study, "eve"), 1, {})
    body = {"version": 1} | fields
    with pytest.raises(error, match=message):
        adjudication.change_consensus(study, find(study, "eve"), 1, body)
    assert adjudication.show_consensus(study, find(study, "eve"), 1)["version"] == 1


def test_an_older_version_of_a_consensus_is_answered_with_the_present_state(study):
    mark(study, "ann", 1, DOCTOR)
    eve = find(study, "eve")
    with pytest.raises(StageError, match="not opened yet") as stage:
        adjudication.change_consensus(study, eve, 1, {"version": 0, "kind": "done"})
    assert stage.value.details["stage"] == "none"
    adjudication.open_consensus(study, eve, 1, {})
    for version in (0, 2):
        with pytest.raises(ConflictError) as conflict:
            adjudication.change_consensus(study, eve, 1, {"version": version, "kind": "done"})
        state = conflict.value.details["state"]
        assert (conflict.value.version, state["version"], state["id"]) == (1, 1, "7-01")
        assert "text" not in state


def test_who_has_not_finished_holds_the_consensus_up_unless_readers_are_named(study):
    mark(study, "ann", 1, DOCTOR)
    mark(study, "bob", 1, DATE, done=False)
    mark(study, "cy", 1, done=False)
    change(study, "cy", 1, "add", **write(*DATE))
    eve = find(study, "eve")
    with pytest.raises(StageError, match="^not finished yet by bob, cy; name the readers to go on") as stage:
        adjudication.open_consensus(study, eve, 1, {})
    assert stage.value.details["stage"] == "unfinished"
    found = adjudication.open_consensus(study, eve, 1, {"readers": ["bob", "ann", "bob"]})
    assert [one["name"] for one in found["voters"]] == ["bob", "ann"]
    state = adjudication.change_consensus(study, eve, 1, {"version": 1, "kind": "votes", "readers": ["ann"]})
    assert [item["key"] for item in state["items"]] == ["12-16"]
    change(study, "bob", 1, "add", **write(*LATER))  # bob's marks are no votes any more: they are open again
    with pytest.raises(MarksClosedError, match="this note is in consensus; its marks are closed"):
        change(study, "ann", 1, "add", **write(*LATER))
    with pytest.raises(StageError, match="nobody has finished this note yet"):
        adjudication.open_consensus(study, eve, 2, {})


def test_only_who_has_finished_the_note_sees_a_consensus_and_only_when_it_is_done(study):
    mark(study, "ann", 1, DOCTOR)
    mark(study, "bob", 2, (0, 4, "DOCTOR"))
    eve = find(study, "eve")
    with pytest.raises(NotFoundError, match="the consensus of this note is not opened yet"):
        adjudication.show_consensus(study, eve, 1)
    adjudication.open_consensus(study, eve, 1, {})
    for name in ("ann", "bob"):
        with pytest.raises(ForbiddenError, match="visible only when this note's consensus is done and you"):
            adjudication.show_consensus(study, find(study, name), 1)
    decide(study, 1, "decide", item="12-16", spans=[write(*DOCTOR)])
    decide(study, 1, "done")
    assert adjudication.show_consensus(study, find(study, "ann"), 1)["done"]
    with pytest.raises(ForbiddenError):
        adjudication.show_consensus(study, find(study, "bob"), 1)
    assert study.store.fetch_all("SELECT * FROM seen ORDER BY reader") == [(1, "ann"), (1, "eve")]


def test_who_is_in_the_middle_of_a_note_does_not_see_the_marks_of_others(study):
    mark(study, "ann", 1, DOCTOR)
    eve = find(study, "eve")
    mark(study, "eve", 1, DATE, done=False)
    with pytest.raises(StageError, match="finish this note as a reader first: here you would see") as stage:
        adjudication.open_consensus(study, eve, 1, {"readers": ["ann"]})
    assert stage.value.details["stage"] == "own"
    assert study.store.fetch_all("SELECT * FROM seen") == []
    mark(study, "eve", 1)
    adjudication.open_consensus(study, eve, 1, {"readers": ["eve", "ann"]})
    adjudication.show_consensus(study, eve, 1)
    assert study.store.fetch_all("SELECT * FROM seen") == [(1, "eve")]
    mark(study, "ann", 2)
    accounts.add_reader(study.store, "zoe", "adjudicator")
    adjudication.open_consensus(study, find(study, "zoe"), 2, {})
    change_all(study, "zoe", 2)
    assert adjudication.show_consensus(study, find(study, "zoe"), 2)["version"] == 1


def change_all(study, name, number):
    """A reader who has seen the consensus has a book that was begun before."""
    sql = "INSERT INTO states SELECT ?, note, 1, 0, 0, NULL, NULL, 0, 0, 0, state FROM states WHERE book = ?"
    study.store.execute(f"{sql} AND note = {number}", f"reader:{name}", "reader:ann")


def test_a_doubt_is_shown_where_its_mark_is_and_not_beside_it(study):
    mark(study, "ann", 1, (12, 13, "DOCTOR"), (13, 15, "DATE"), (15, 16, "AGE"), done=False)
    change(study, "ann", 1, "doubt", mark=2, unsure=True)
    mark(study, "ann", 1)
    items = adjudication.open_consensus(study, find(study, "eve"), 1, {})["items"]
    assert [(item["key"], item["unsure"]) for item in items] == [
        ("12-13", []), ("13-15", ["ann"]), ("15-16", []),
    ]  # fmt: skip


def test_the_notes_to_decide_are_listed_whole(study):
    mark(study, "ann", 1, DOCTOR, DATE)
    mark(study, "bob", 1, DOCTOR)
    mark(study, "cy", 2, (0, 4, "DOCTOR"), done=False)
    mark(study, "ann", 2, (0, 4, "DOCTOR"))
    adjudication.open_consensus(study, find(study, "eve"), 1, {})
    questions.ask_question(study, find(study, "ann"), 2, {"text": "who?"})
    questions.ask_question(study, find(study, "ann"), 2, {"text": "which?"})
    common = {"differences": None, "unsure": 0, "undecided": 0, "refused": None}
    wanted = [
        {"number": 1, "id": "7-01", "patient": "7", "words": 9, "readers": ["ann", "bob"], "unfinished": [],
         "stage": "open"} | common | {"undecided": 2, "differences": 1},
        {"number": 2, "id": "7-02", "patient": "7", "words": 7, "readers": ["ann"], "unfinished": ["cy"],
         "stage": "none"} | common | {"unsure": 2, "differences": 0},
        {"number": 3, "id": "8-01", "patient": "8", "words": 5, "readers": [], "unfinished": [],
         "stage": "none"} | common,
    ]  # fmt: skip
    assert listing.list_notes_to_decide(study, None) == {"notes": wanted, "systems": []}
    system_spans.import_consensus(study, {3: []})
    mark(study, "cy", 2)
    study.notes.refused[3] = "changed"
    rows = listing.list_notes_to_decide(study, "1")["notes"]
    assert [(row["stage"], row["unfinished"], row["refused"]) for row in rows] == [
        ("open", [], None), ("ready", [], None), ("done", [], "changed"),
    ]  # fmt: skip
    with pytest.raises(NotFoundError, match="no set with this name"):
        listing.list_notes_to_decide(study, "9")
    with pytest.raises(InvalidValueError, match="an order is one of given, long, short, patient, unsure, "):
        listing.list_notes_to_decide(study, None, "uncertainty")


def test_the_voters_of_the_last_note_are_remembered_for_each_adjudicator(study):
    eve = find(study, "eve")
    system_spans.add_system(study, "model", {1: [], 2: [], 3: []})
    for name in ("ann", "bob"):
        mark(study, name, 1, DOCTOR)
        mark(study, name, 3)
    mark(study, "cy", 3, done=False)
    assert adjudication.find_last_voters(study, eve) == {"systems": [], "left_out": []}
    adjudication.open_consensus(study, eve, 1, {"readers": ["ann"], "systems": ["model"]})
    assert adjudication.find_last_voters(study, eve) == {"systems": ["model"], "left_out": ["bob"]}
    assert adjudication.find_last_voters(study, find(study, "ann")) == {"systems": [], "left_out": []}
    decide(study, 1, "votes", readers=["ann", "bob"], systems=[])
    assert adjudication.find_last_voters(study, eve) == {"systems": [], "left_out": []}


def test_a_note_is_shown_whole(study):
    found = {1: [Span(8, 16, "DOCTOR", 0.75), Span(20, 28, "DATE", 0.5)], 2: [], 3: []}
    system_spans.add_system(study, "model", found, premarks=True)
    change(study, "ann", 1, "accept", premark=1)
    change(study, "ann", 1, "add", **write(*LATER))
    change(study, "ann", 1, "undo")
    ann = find(study, "ann")
    marking.record_shown(study, ann, 1, {"stretches": [[3, 5], [0, 3]]})
    listing.record_time(study, ann, 1, {"seconds": 2.5})
    assert marking.show_note(study, ann, 1) == {
        "id": "7-01", "patient": "7", "text": TEXTS["7-01"][0], "words": 9, "previous": None, "next": 2,
        "questions": [], "shown": [(0, 5)], "number": 1, "version": 3, "done": False, "closed": False,
        "undo": 1, "redo": 1, "undecided": 1, "seconds": 2.5,
        "marks": [{"id": 1} | write(*DATE) | {"by": "premark", "unsure": False}],
        "premarks": [
            write(8, 16, "DOCTOR") | {"id": 0, "probability": 0.75, "decision": None},
            write(*DATE) | {"id": 1, "probability": 0.5, "decision": "accepted"},
        ],
    }  # fmt: skip
    beside = [marking.show_note(study, ann, number) for number in (2, 3)]
    assert [(one["previous"], one["next"]) for one in beside] == [(1, 3), (2, None)]
    assert [one["seconds"] for one in beside] == [0, 0]


@pytest.mark.parametrize(
    "stretches",
    [None, {}, [[0]], [[0, 1, 2]], [(0, 1)], [["0", 1]], [[0, True]], [[2, 1]], [[-1, 1]], [[0, 46]]],
)
def test_stretches_that_the_note_does_not_have_are_refused(study, stretches):
    with pytest.raises(InvalidValueError, match="wanted stretches of the note"):
        marking.record_shown(study, find(study, "ann"), 1, {"stretches": stretches})


def test_what_was_on_the_screen_is_put_together_and_the_rest_holds_done_up(study):
    ann = find(study, "ann")
    for stretches, shown in (
        ([[0, 0]], [(0, 0)]),
        ([[5, 20]], [(0, 0), (5, 20)]),
        ([[0, 5], [44, 45]], [(0, 20), (44, 45)]),
    ):
        assert marking.record_shown(study, ann, 1, {"stretches": stretches}) == {"shown": shown}
    with pytest.raises(StageError, match="a part of the note has not been shown yet") as unseen:
        change(study, "ann", 1, "done")
    assert unseen.value.details == {"stage": "unseen", "unseen": 20}
    marking.record_shown(study, ann, 1, {"stretches": [[20, 44]]})
    assert change(study, "ann", 1, "done")["done"]


@pytest.mark.parametrize("premark", [-1, 2, None, "0", True, 0.0])
def test_a_premark_that_is_not_there_is_not_found(study, premark):
    system_spans.add_system(study, "model", {1: [Span(*DOCTOR), Span(*DATE)]}, premarks=True)
    for kind in ("accept", "alter", "reject"):
        with pytest.raises(NotFoundError, match="no such premark"):
            change(study, "ann", 1, kind, premark=premark)


def test_a_premark_is_altered_field_by_field_and_a_wrong_field_is_refused(study):
    system_spans.add_system(study, "model", {1: [Span(*DOCTOR), Span(*DATE)]}, premarks=True)
    state = change(study, "ann", 1, "alter", premark=1, type="AGE", end=29)
    assert state["marks"] == [{"id": 1} | write(20, 29, "AGE") | {"by": "premark", "unsure": False}]
    assert [one["decision"] for one in state["premarks"]] == [None, "changed"]
    assert change(study, "ann", 1, "accept", premark=1)["marks"][0]["id"] == 2
    with pytest.raises(InvalidValueError, match="wanted a type that the scheme has"):
        change(study, "ann", 1, "alter", premark=0, type="NOTHING")
    state = change(study, "ann", 1, "doubt", mark=2, unsure="yes")  # only true is yes
    assert not state["marks"][0]["unsure"]
    with pytest.raises(StageError, match="^1 premarks are not decided yet") as left:
        change(study, "ann", 1, "done")
    assert left.value.details == {"stage": "undecided", "undecided": 1}


def test_the_notes_to_read_are_listed_whole(study):
    found = {1: [Span(*DOCTOR, 0.75), Span(*DATE, 0.5)], 2: [Span(0, 4, "DOCTOR")], 3: []}
    system_spans.add_system(study, "model", found, premarks=True)
    ann = find(study, "ann")
    change(study, "ann", 1, "accept", premark=0)
    mark(study, "ann", 3)
    common = {"done": False, "marks": 0, "refused": None, "stage": "none", "assigned": True}
    rows = [
        {"number": 1, "id": "7-01", "patient": "7", "words": 9, "undecided": 1, "uncertainty": 0.75} | common
        | {"marks": 1},
        {"number": 2, "id": "7-02", "patient": "7", "words": 7, "undecided": 1, "uncertainty": 0.5} | common,
        {"number": 3, "id": "8-01", "patient": "8", "words": 5, "undecided": 0, "uncertainty": 0} | common
        | {"done": True},
    ]  # fmt: skip
    progress = {
        "notes": 3, "done": 1, "words": 21, "words_done": 5, "seconds": 0, "words_per_minute": None,
        "seconds_left": None, "worked": 0,
    }  # fmt: skip
    assert listing.list_notes(study, ann, None) == {"notes": rows, "progress": progress}
    adjudication.open_consensus(study, find(study, "eve"), 3, {})
    system_spans.import_consensus(study, {2: []})
    study.store.execute("INSERT INTO assignments VALUES(3, 'bob')")
    study.notes.refused[1] = "missing"
    rows = listing.list_notes(study, ann, "1")["notes"]
    assert [(row["stage"], row["assigned"], row["refused"]) for row in rows] == [
        ("none", False, "missing"), ("done", False, None), ("open", False, None),
    ]  # fmt: skip
    rows = listing.list_notes(study, find(study, "bob"), "1", "marks")["notes"]
    assert [row["number"] for row in rows if row["assigned"]] == [3]


def test_the_notes_to_read_are_sorted_by_each_order(study):
    found = {1: [Span(*DOCTOR, 0.5)], 2: [Span(0, 4, "DOCTOR", 0.55)], 3: [Span(*LATER, 0.7)]}
    system_spans.add_system(study, "model", found, premarks=True)
    mark(study, "ann", 2, (5, 7, "DATE"), (18, 29, "PATIENT"), done=False)
    change(study, "ann", 3, "accept", premark=0)
    orders = {"given": [1, 2, 3], "long": [1, 2, 3], "short": [3, 2, 1], "patient": [1, 2, 3],
              "uncertainty": [1, 2, 3], "density": [2, 3, 1], "marks": [2, 3, 1]}  # fmt: skip
    ann = find(study, "ann")
    for order, wanted in orders.items():
        rows = listing.list_notes(study, ann, None, order)["notes"]
        assert [row["number"] for row in rows] == wanted, order
    mark(study, "ann", 3)
    for order in ("uncertainty", "density"):  # what is done comes last
        assert listing.list_notes(study, ann, None, order)["notes"][-1]["number"] == 3
    with pytest.raises(InvalidValueError, match="an order is one of given, long, .*, marks"):
        listing.list_notes(study, ann, None, "left")


@pytest.mark.parametrize("probability", [None, 0.6])
@pytest.mark.parametrize("premarks", [True, False])
def test_the_least_certain_notes_come_first_under_every_model(study, probability, premarks):
    """Also where some or all spans have no probability, and where readers see no pre-marks."""
    found = {1: [], 2: [Span(0, 4, "DOCTOR", probability), Span(18, 29, "PATIENT")], 3: [Span(*LATER)]}
    system_spans.add_system(study, "sure", {1: [Span(*DOCTOR, 0.1)], 2: [], 3: []})
    system_spans.add_system(study, "rules", found, premarks)
    rows = listing.list_notes(study, find(study, "ann"), None, "uncertainty")["notes"]
    assert [row["number"] for row in rows] == [2, 3, 1]
    assert [row["undecided"] for row in rows] == ([2, 1, 0] if premarks else [0, 0, 0])


def test_the_time_of_work_ends_with_a_pause(study, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    ann = find(study, "ann")

    def report(number, seconds):
        found = listing.record_time(study, ann, number, {"seconds": seconds})
        return found["seconds"], found["worked"]

    assert listing.measure_work_time(study, ann) == 0
    assert report(1, 20) == (20, 20)
    now[0] += 40
    assert report(1, 30) == (50, 60)
    now[0] += 299
    assert listing.measure_work_time(study, ann) == 60
    assert report(2, 60) == (60, 359)
    now[0] += 300
    assert listing.measure_work_time(study, ann) == 0
    assert report(2, 0) == (60, 0)
    now[0] += 300
    assert report(2, 5) == (65, 5)
    assert listing.measure_work_time(study, find(study, "bob")) == 0


def test_progress_is_of_the_notes_that_are_done(study):
    ann = find(study, "ann")
    mark(study, "ann", 1)
    mark(study, "ann", 2, done=False)
    for number, seconds in ((1, 27), (2, 60)):
        listing.record_time(study, ann, number, {"seconds": seconds})
    found = listing.measure_progress(study, ann, None)
    assert found == {
        "notes": 3, "done": 1, "words": 21, "words_done": 9, "seconds": 87, "words_per_minute": 20,
        "seconds_left": 36, "worked": found["worked"],
    }  # fmt: skip
    of_one = listing.measure_progress(study, ann, None, study.notes.all[2:])
    assert (of_one["notes"], of_one["words"], of_one["words_per_minute"]) == (1, 5, None)


def test_nothing_is_undecided_where_no_system_has_tagged(study):
    rows = listing.list_notes(study, find(study, "ann"), None)["notes"]
    assert [(row["undecided"], row["uncertainty"]) for row in rows] == [(0, None)] * 3


def test_a_time_of_a_note_that_is_not_there_is_not_counted(study):
    ann = find(study, "ann")
    for number in (0, 4):
        with pytest.raises(NotFoundError, match=f"no note {number}"):
            listing.record_time(study, ann, number, {"seconds": 1})
    for wrong in (60.1, -0.1):
        with pytest.raises(InvalidValueError, match="seconds: wanted 0 to 60"):
            listing.record_time(study, ann, 1, {"seconds": wrong})
    assert study.work_times == {}


def test_a_search_takes_three_to_two_hundred_characters(study):
    for text in ("ui", "x" * 201, None):
        with pytest.raises(InvalidValueError, match="wanted a text of 3 to 200 characters"):
            listing.search_notes(study, {"text": text})
    assert listing.search_notes(study, {"text": "x" * 200}) == {"notes": [], "total": 0}
    hits = [
        {"number": 1, "places": 2, "first": 12, "id": "7-01"},
        {"number": 2, "places": 2, "first": 0, "id": "7-02"},
    ]
    assert listing.search_notes(study, {"text": "rui"}) == {"notes": hits, "total": 2}


def test_repeats_show_what_is_around_them_and_which_notes_were_left_out(study):
    mark(study, "ann", 2, done=False)
    change(study, "ann", 1, "add", **write(*DOCTOR))
    mark(study, "ann", 2)
    ann, body = find(study, "ann"), {"version": 1, "mark": 1}
    adjudication.open_consensus(study, find(study, "eve"), 2, {})
    found = marking.mark_repeats(study, ann, 1, body)
    place = {"number": 1, "start": 30, "end": 34, "before": TEXTS["7-01"][0][:30], "after": " will call."}
    assert found["places"] == [place] and found["skipped"] == [{"number": 2, "why": "closed"}]
    assert found["state"]["version"] == 1
    with pytest.raises(MarksClosedError):
        marking.mark_repeats(study, ann, 2, {"version": 1, "mark": 1})
    with pytest.raises(ConflictError):
        marking.mark_repeats(study, ann, 1, {"version": 0, "mark": 1})
    with pytest.raises(NotFoundError, match="no mark 2"):
        marking.mark_repeats(study, ann, 1, {"version": 1, "mark": 2})
    change(study, "ann", 1, "add", start=33, end=36, type="DATE")  # touches the repeat: it is not free
    assert marking.mark_repeats(study, ann, 1, {"version": 2, "mark": 1, "apply": True})["places"] == []
    assert marking.show_note(study, ann, 1)["version"] == 2


def test_a_repeat_beside_a_mark_is_free_and_its_surroundings_are_forty_characters(study):
    text, ann = TEXTS["8-01"][0], find(study, "ann")
    mark(study, "ann", 3, (31, 36, "DATE"), (42, 43, "AGE"), (36, 37, "AGE"), done=False)
    (place,) = marking.mark_repeats(study, ann, 3, {"version": 3, "mark": 1, "apply": "yes"})["places"]
    assert place == {"number": 3, "start": 43, "end": 48, "before": text[3:43], "after": ""}
    (study.notes.source.path / "7-02.xml").unlink()
    change(study, "ann", 1, "add", **write(*DOCTOR))
    skipped = marking.mark_repeats(study, ann, 1, {"version": 1, "mark": 1})["skipped"]
    assert skipped == [{"number": 2, "why": "missing"}]
    found = marking.mark_repeats(study, ann, 3, {"version": 3, "mark": 1, "apply": True})
    assert [one["by"] for one in found["state"]["marks"]] == ["hand", "hand", "hand", "repeat"]


@pytest.mark.parametrize("kind", [None, ["add"], "fly", "add_many", "votes"])
def test_an_action_on_marks_is_of_a_kind_that_readers_have(study, kind):
    with pytest.raises(InvalidValueError, match="no such kind of action"):
        change(study, "ann", 1, kind)


@pytest.mark.parametrize("version", [None, "0", True, 0.0])
def test_an_action_on_marks_names_a_version(study, version):
    with pytest.raises(InvalidValueError, match="wanted the version that the action changes"):
        marking.change_marks(study, find(study, "ann"), 1, {"version": version, "kind": "done"})
    with pytest.raises(ConflictError) as conflict:
        marking.change_marks(study, find(study, "ann"), 1, {"version": 1, "kind": "done"})
    assert conflict.value.details["state"]["version"] == conflict.value.version == 0


def test_one_undo_takes_repeats_back_except_in_notes_that_are_closed(study):
    change(study, "ann", 1, "add", **write(*DOCTOR))
    marking.mark_repeats(study, find(study, "ann"), 1, {"version": 1, "mark": 1, "apply": True})
    assert change(study, "ann", 1, "undo")["undo"] == 1
    assert marking.show_note(study, find(study, "ann"), 2)["marks"] == []
    change(study, "ann", 1, "redo")
    assert len(marking.show_note(study, find(study, "ann"), 2)["marks"]) == 2
    mark(study, "ann", 3)
    marking.record_shown(study, find(study, "ann"), 2, {"stretches": [[0, 46]]})
    study.store.execute("INSERT INTO closed VALUES(2, 'ann')")
    change(study, "ann", 1, "undo")
    assert len(marking.show_note(study, find(study, "ann"), 2)["marks"]) == 2


def test_a_reader_keeps_the_premarks_with_which_they_began(study):
    system_spans.add_system(study, "model", {1: [Span(*DOCTOR), Span(*DATE)]}, premarks=True)
    change(study, "ann", 1, "reject", premark=0)
    system_spans.add_system(study, "newer", {1: [Span(*LATER)]}, premarks=True)
    assert [one["decision"] for one in change(study, "ann", 1, "reject", premark=1)["premarks"]] == [
        "rejected", "rejected",
    ]  # fmt: skip
    ((first,), (second,)) = study.store.fetch_all("SELECT action FROM actions ORDER BY version")
    assert '"system": "model"' in first and "system" not in second
    assert [one["start"] for one in marking.show_note(study, find(study, "bob"), 1)["premarks"]] == [30]


def test_a_repeat_before_a_mark_is_free(study):
    mark(study, "ann", 3, (38, 42, "AGE"), (30, 31, "AGE"), done=False)
    (place,) = marking.mark_repeats(study, find(study, "ann"), 3, {"version": 2, "mark": 1})["places"]
    assert (place["start"], place["end"]) == (26, 30)


def test_what_is_not_known_is_nothing_in_orders_and_density_is_by_words():
    rows = [
        {"stage": "none", "differences": None, "number": 1},
        {"stage": "none", "differences": 0, "number": 2},
        {"stage": "none", "differences": 1, "number": 3},
    ]
    rows.append({"stage": "done", "differences": 9, "number": 4})
    listing.sort_rows(rows, listing.TO_DECIDE, "disagreement")
    assert [row["number"] for row in rows] == [3, 1, 2, 4]  # what is done comes last
    rows = [{"patient": name} for name in ("b", None, "a")]
    listing.sort_rows(rows, listing.TO_READ, "patient")
    assert [row["patient"] for row in rows] == [None, "a", "b"]
    densities = [listing.measure_density({"uncertainty": 0.5, "words": words}) for words in (0, 1, 2)]
    assert densities == [0.5, 0.5, 0.25]
    assert listing.measure_density({"uncertainty": None, "words": 1}) == 0


def test_repeats_hold_to_the_premarks_that_the_reader_sees(study):
    system_spans.add_system(study, "model", {2: [Span(18, 29, "PATIENT")]}, premarks=True)
    change(study, "ann", 1, "add", **write(*DOCTOR))
    body = {"version": 1, "mark": 1, "apply": True}
    marking.mark_repeats(study, find(study, "ann"), 1, body)
    system_spans.add_system(study, "newer", {1: [Span(*DATE)], 2: []}, premarks=True)
    ann = find(study, "ann")
    assert len(marking.show_note(study, ann, 2)["premarks"]) == 1  # of the model of then
    assert len(marking.show_note(study, ann, 1)["premarks"]) == 1  # of the newer: it had none before


def test_a_question_is_about_a_stretch_or_the_note(study):
    ann, eve = find(study, "ann"), find(study, "eve")
    asked = questions.ask_question(study, ann, 1, {"start": 0, "end": 45, "text": " " + "x" * 1000 + " "})
    (first,) = asked["questions"]
    assert first.pop("at") == pytest.approx(time.time(), abs=60)
    assert first == {"id": 1, "number": 1, "reader": "ann", "start": 0, "end": 45, "text": "x" * 1000,
                     "answer": None, "answered_by": None}  # fmt: skip
    for start, end in ((0, 0), (2, 1), (-1, 2), (0, 46), (0, None), (None, 3), (0, True), ("0", 1)):
        with pytest.raises(InvalidValueError, match="wanted a stretch of the note, or none"):
            questions.ask_question(study, ann, 1, {"start": start, "end": end, "text": "what?"})
    for text in ("", "  ", "x" * 1001, None, ["x"]):
        with pytest.raises(InvalidValueError, match="wanted a text of 1 to 1000 characters"):
            questions.ask_question(study, ann, 1, {"text": text})
        with pytest.raises(InvalidValueError):
            questions.answer_question(study, eve, 1, {"text": text})
    questions.ask_question(study, ann, 1, {"start": 0, "end": 1, "text": " ? "})
    (_, second) = questions.list_of_note(study, 1)
    assert (second["start"], second["end"], second["text"]) == (0, 1, "?")
    (waiting, answered) = questions.answer_question(study, eve, 1, {"text": "yes"})["questions"]
    assert (waiting["id"], answered["answer"], answered["answered_by"]) == (2, "yes", "eve")
    with pytest.raises(NotFoundError, match="no such question"):
        questions.answer_question(study, eve, 3, {"text": "yes"})


def test_long_patients_are_shared_first_and_each_reader_gets_as_many_words():
    lengths = {"a": 5, "b": 9, "c": 4, "d": 4, "e": 1}
    notes = [
        StudyNote(number, f"n{number}", patient, "1", "", "", 0, words, 0, 0)
        for number, (patient, words) in enumerate(lengths.items(), 1)
    ]
    shared = list(team.share_patients(notes, ["bob", "ann"], 1))
    # b (9) to ann, a (5) to bob, c (4) to bob with 5, then both have 9: d to ann; e to bob
    assert shared == [(2, "ann"), (1, "bob"), (3, "bob"), (4, "ann"), (5, "bob")]
    both = list(team.share_patients(notes[:2], ["cy", "bob", "ann"], 2))
    assert both == [(2, "ann"), (2, "bob"), (1, "cy"), (1, "ann")]


def test_a_patient_goes_to_a_reader_with_all_notes(study):
    found = team.assign_notes(study, {"readers": ["ann", "bob"]})
    assert study.store.fetch_all("SELECT * FROM assignments") == [(1, "ann"), (2, "ann"), (3, "bob")]
    assert [(row["name"], row["notes"], row["words"]) for row in found["readers"]] == [
        ("ann", 2, 16), ("bob", 1, 5), ("cy", 0, 0),
    ]  # fmt: skip
    assert (found["assigned"], found["agreement"]) == (3, [])
    again = team.assign_notes(study, {"set": "1", "readers": ["cy"]})  # instead of what was assigned
    assert again["assigned"] == 3 and study.store.fetch_one("SELECT count(*) FROM assignments") == (3,)
    for names, k in (
        (["ann"], 0),
        (["ann"], 2),
        (["ann", "bob"], 3),
        (None, 1),
        (["ann"], 1.0),
        (["ann"], "1"),
    ):
        with pytest.raises(InvalidValueError, match="wanted readers, and how many of them read each note"):
            team.assign_notes(study, {"readers": names, "k": k})
    for names in (["zoe"], [["ann"]], ["ann", "ann"]):
        with pytest.raises(NotFoundError, match="no reader with this name, or one named twice"):
            team.assign_notes(study, {"readers": names})
    assert team.assign_notes(study, {"readers": [], "k": 5})["assigned"] == 0


def test_the_team_is_who_reads_and_whoever_has_begun(study):
    names = [row["name"] for row in team.show_team(study, None)["readers"]]
    assert names == ["ann", "bob", "cy"]
    listing.record_time(study, find(study, "eve"), 1, {"seconds": 1})
    (*_, last) = team.show_team(study, None)["readers"]
    assert (last["name"], last["role"], last["seconds"]) == ("eve", "adjudicator", 1)
    accounts.add_reader(study.store, "zoe", "adjudicator")
    mark(study, "zoe", 2)
    (*_, last) = team.show_team(study, None)["readers"]
    assert (last["name"], last["done"]) == ("zoe", 1)


def test_how_far_readers_agree_is_counted_anew_only_where_they_changed(study):
    mark(study, "ann", 1, DOCTOR)
    mark(study, "bob", 1, DOCTOR, (20, 29, "DATE"))
    mark(study, "ann", 2)
    assert [(row["a"], row["notes"]) for row in team.show_team(study, None)["agreement"]] == [("ann", 1)]
    kept = study.agreed[1][1]
    mark(study, "bob", 2, (0, 4, "DOCTOR"))
    (row,) = team.show_team(study, None)["agreement"]
    kappa = row.pop("kappa")
    assert row == {"a": "ann", "b": "bob", "notes": 2, "f1": 0.5, "by_type": {"DATE": 0, "DOCTOR": 2 / 3}}
    assert 0 < kappa < 1 and study.agreed[1][1] is kept
    change(study, "bob", 1, "reopen")
    assert [row["notes"] for row in team.show_team(study, None)["agreement"]] == [1]
    change(study, "bob", 1, "remove", mark=2)
    mark(study, "bob", 1)
    assert [row["by_type"] for row in team.show_team(study, None)["agreement"]] == [{"DOCTOR": 2 / 3}]
    study.agreed.clear()
    (study.notes.source.path / "7-01.xml").unlink()
    assert [row["notes"] for row in team.show_team(study, None)["agreement"]] == [1]


def test_the_log_is_read_in_parts(study, monkeypatch):
    mark(study, "ann", 1, DOCTOR, DATE)
    assert team.MOST_ROWS == 500  # docs/review_api.md
    monkeypatch.setattr(team, "MOST_ROWS", 2)
    kinds = [[row["kind"] for row in team.list_actions(study, after)["actions"]] for after in (0, 2, 3)]
    assert kinds == [["add", "add"], ["done"], []] and team.list_actions(study)["total"] == 3
    assert [row["version"] for row in team.list_actions(study)["actions"]] == [1, 2]
    row = team.list_actions(study, 2)["actions"][0]
    assert row.pop("at") == pytest.approx(time.time(), abs=60)
    assert row == {"by": "ann", "book": "reader:ann", "number": 1, "version": 3, "kind": "done"}


def select(study, what, who=""):
    return [(one.id, list(one.spans)) for one in exports.select_documents(study, [1, 2, 3], what, who)]


def test_what_an_export_holds_is_the_consensus_or_what_one_has_marked(study):
    mark(study, "ann", 1, DOCTOR)
    mark(study, "ann", 2, done=False)
    change(study, "ann", 2, "add", **write(0, 4, "DOCTOR"))
    system_spans.add_system(study, "model", {2: [Span(0, 4, "DOCTOR")]})
    system_spans.import_consensus(study, {3: [Span(31, 36, "DATE")]})
    assert select(study, "consensus") == [("8-01", [Span(31, 36, "DATE")])]
    assert select(study, "reader", "ann") == [("7-01", [Span(*DOCTOR)])]
    assert select(study, "reader", "bob") == []
    assert select(study, "system", "model") == [("7-01", []), ("7-02", [Span(0, 4, "DOCTOR")]), ("8-01", [])]
    with pytest.raises(NotFoundError, match="no system with this name"):
        select(study, "system", "ann")
    with pytest.raises(InvalidValueError, match="what: wanted consensus, reader or system"):
        select(study, "all", "ann")
    with pytest.raises(StageError, match="no note to write") as stage:
        exports.export_spans(study, {"name": "x", "format": "jsonl", "what": "reader", "who": "cy"})
    assert stage.value.details["stage"] == "nothing"


def test_an_export_says_how_to_train_where_its_format_has_spans(study):
    system_spans.import_consensus(study, {3: []})
    found = exports.export_spans(study, {"name": "gold-1_A", "format": "jsonl"})
    path = study.out / "gold-1_A.jsonl"
    assert found == {"path": str(path), "notes": 1, "train": exports.build_train_command(path)}
    found = exports.export_spans(study, {"name": "x" * 60, "format": "text"})
    assert found == {"path": str(study.out / ("x" * 60)), "notes": 1, "train": None}
    with pytest.raises(StageError, match="there is an export with this name already") as stage:
        exports.export_spans(study, {"name": "gold-1_A", "format": "jsonl"})
    assert stage.value.details["stage"] == "exists"
    for wrong in ("x" * 61, "a.b", "\u00e4", None):
        with pytest.raises(InvalidValueError, match="an export's name: 1 to 60 letters, digits, - and _"):
            exports.export_spans(study, {"name": wrong, "format": "jsonl"})
    for wrong in ("doc", None, ["jsonl"]):
        with pytest.raises(InvalidValueError, match="formats are i2b2, "):
            exports.export_spans(study, {"name": "y", "format": wrong})


def test_a_model_is_measured_on_what_was_decided_after_it_came(study, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    gold = [Span(*DOCTOR), Span(*DATE)]
    system_spans.import_consensus(study, {1: gold})
    system_spans.add_system(study, "old", {1: gold, 2: [Span(0, 4, "DOCTOR")], 3: []}, premarks=True)
    system_spans.import_consensus(study, {2: [Span(0, 4, "DOCTOR"), Span(41, 45, "DOCTOR")]})
    empty = {"recall": None, "precision": None, "notes_read": 1, "tested": 0}
    assert training.build_curve(study) == [{"name": "old", "premarks": True} | empty]  # not at once
    now[0] = 200
    system_spans.add_system(study, "new", {1: [], 2: [], 3: [Span(*LATER), Span(31, 36, "DATE")]})
    now[0] = 300
    decide_again(study, 2)
    system_spans.import_consensus(study, {3: [Span(31, 36, "DATE"), Span(*DATE)]})
    assert training.build_curve(study) == [
        {"name": "old", "premarks": True, "notes_read": 1, "tested": 1, "recall": 0, "precision": None},
        {"name": "new", "premarks": False, "notes_read": 2, "tested": 1, "recall": 0.5, "precision": 0.5},
    ]


def decide_again(study, number):
    decide(study, number, "reopen")
    decide(study, number, "done")


def test_where_a_model_disagrees_is_listed_by_how_much(study):
    mark(study, "ann", 1, DOCTOR)
    mark(study, "bob", 1, (20, 28, "DATE"))
    mark(study, "cy", 1, LATER, done=False)
    system_spans.add_system(study, "old", {2: [Span(0, 4, "DOCTOR")]})
    found = {
        1: [Span(12, 17, "DOCTOR")],
        2: [Span(5, 11, "DATE"), Span(41, 45, "DOCTOR")],
        3: [Span(0, 3, "AGE")],
    }
    system_spans.add_system(study, "new", found)
    assert training.list_disagreements(study, "new")["notes"] == [
        {"number": 2, "id": "7-02", "against": "old", "differences": 3},
        {"number": 1, "id": "7-01", "against": "readers", "differences": 1},
        {"number": 3, "id": "8-01", "against": "old", "differences": 1},
    ]
    rows = training.list_disagreements(study, "old")["notes"]  # nothing came before it
    assert rows == [{"number": 1, "id": "7-01", "against": "readers", "differences": 2}]
    study.notes.refused[2] = "changed"
    system_spans.import_consensus(study, {3: []})
    assert [row["number"] for row in training.list_disagreements(study, "new")["notes"]] == [1]
    with pytest.raises(NotFoundError, match="no system with this name"):
        training.list_disagreements(study, "ann")
    (study.notes.source.path / "7-01.xml").unlink()
    assert training.list_disagreements(study, "new") == {"notes": []}


def test_measures_are_of_a_set_and_of_who_has_finished(corpus):
    create_study(corpus / "two.db", Source(corpus / "notes", "i2b2"), "i2b2-2014", None, 2)
    study = open_study(corpus / "two.db")
    for name in ("ann", "bob"):
        accounts.add_reader(study.store, name, "reader")
    mark(study, "ann", 1, DOCTOR)
    mark(study, "bob", 1, DATE, done=False)
    mark(study, "ann", 3)
    system_spans.add_system(study, "model", {1: [Span(*DOCTOR), Span(*DATE)]})
    system_spans.import_consensus(study, {1: [Span(*DOCTOR), Span(*DATE)], 3: [Span(31, 36, "DATE")]})
    listing.record_time(study, find(study, "ann"), 1, {"seconds": 0})
    found = figures.compute_figures(study, "1")
    assert (found["notes"], found["instances"]) == (1, 2)
    ann, model = found["voters"]
    assert (ann["name"], ann["kind"], ann["notes"], ann["tp"], ann["fn"]) == ("ann", "reader", 1, 1, 1)
    assert (ann["seconds_per_note"], ann["words_per_minute"]) == (None, None)  # 0 seconds are not known
    assert (model["name"], model["kind"], model["sensitivity"], model["ppv"]) == ("model", "system", 1, 1)
    assert [(row["a"], row["b"], row["f1"]) for row in found["agreement"]] == [("ann", "model", 2 / 3)]
    assert figures.compute_figures(study, "2")["voters"][0]["fn"] == 1
    whole = figures.compute_figures(study)
    assert (whole["notes"], whole["instances"], whole["voters"][0]["notes"]) == (2, 3, 2)
    missed = figures.list_mistakes(study, "ann", "2")["mistakes"]
    assert missed == [
        {"number": 3, "start": 31, "end": 36, "kind": "missed", "counted": True, "text": "24/06"}
    ]
    for name, set_name in (("bob", None), ("model", "2")):
        with pytest.raises(NotFoundError, match="nobody with this name has read a note whose consensus is"):
            figures.list_mistakes(study, name, set_name)
    study.store.close()
