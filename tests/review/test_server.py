"""The review server over HTTP: marking, consensus, measures, and refused requests."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="pip install 'crfdeid[review]'")
pytest.importorskip("argon2", reason="pip install 'crfdeid[review]'")
pytest.importorskip("starlette.testclient")

from review_client import CANARY, TEXTS, Browser
from small_notes import SMALL

from crfdeid import corpora
from crfdeid.evaluate import scores
from crfdeid.evaluate.matching import Criterion
from crfdeid.review.operations import surrogate_review, training
from crfdeid.review.study import accounts, system_spans
from crfdeid.review.study.source import Source
from crfdeid.review.study.study import create_study, open_study
from crfdeid.review.web.jobs import Jobs
from crfdeid.review.web.sessions import Sessions
from crfdeid.systems import model
from crfdeid.text.document import Document, Span


def list_marks(state):
    return [(mark["start"], mark["end"], mark["type"]) for mark in state["marks"]]


def test_marks_are_made_changed_and_taken_back_without_limit(study):
    ann = Browser(study, "ann")
    assert list_marks(ann.act(1, "add", start=12, end=16, type="PATIENT")) == [(12, 16, "PATIENT")]
    assert list_marks(ann.act(1, "change", mark=1, type="DOCTOR")) == [(12, 16, "DOCTOR")]
    state = ann.act(1, "add", start=8, end=16, type="DOCTOR")
    assert list_marks(state) == [(8, 16, "DOCTOR")] and state["undo"] == 3
    assert list_marks(ann.act(1, "undo")) == [(12, 16, "DOCTOR")]
    assert list_marks(ann.act(1, "undo")) == [(12, 16, "PATIENT")]
    assert list_marks(ann.act(1, "redo")) == [(12, 16, "DOCTOR")]
    state = ann.act(1, "undo")
    assert list_marks(ann.act(1, "undo")) == [] and state["redo"] == 2
    assert ann.act(1, "undo", status=409)["stage"] == "nothing"


def test_an_older_version_is_answered_with_the_present_state(study):
    sessions = Sessions(study.store)
    first, second = Browser(study, "ann", sessions), Browser(study, "ann", sessions)  # two tabs
    old = second.get("/api/notes/1").json()["version"]
    first.act(1, "add", start=12, end=16, type="DOCTOR")
    body = {"version": old, "kind": "add", "start": 20, "end": 28, "type": "DATE"}
    answer = second.post("/api/notes/1/actions", body)
    assert answer.status_code == 409 and answer.json()["conflict"] is True
    assert list_marks(answer.json()["state"]) == [(12, 16, "DOCTOR")]
    body["version"] = answer.json()["state"]["version"]
    assert len(second.post("/api/notes/1/actions", body).json()["marks"]) == 2


def test_two_readers_do_not_meet(study):
    ann, bob = Browser(study, "ann"), Browser(study, "bob")
    ann.act(1, "add", start=12, end=16, type="DOCTOR")
    assert bob.get("/api/notes/1").json()["marks"] == []
    assert bob.act(1, "add", start=20, end=28, type="DATE")["version"] == 1


def test_repeats_are_marked_in_all_notes_of_the_patient_and_undone_at_once(study):
    ann = Browser(study, "ann")
    version = ann.act(1, "add", start=12, end=16, type="DOCTOR")["version"]
    body = {"version": version, "mark": 1, "apply": False}
    shown = ann.post("/api/notes/1/repeats", body).json()
    assert [(p["number"], p["start"], p["end"]) for p in shown["places"]] == [
        (1, 30, 34),
        (2, 0, 4),
        (2, 41, 45),
    ]
    assert shown["places"][1]["after"].startswith(" called") and shown["state"]["version"] == version
    applied = ann.post("/api/notes/1/repeats", body | {"apply": True}).json()
    assert list_marks(applied["state"]) == [(12, 16, "DOCTOR"), (30, 34, "DOCTOR")]
    second = ann.get("/api/notes/2").json()
    assert list_marks(second) == [(0, 4, "DOCTOR"), (41, 45, "DOCTOR")]  # code points: the emoji is one
    assert {mark["by"] for mark in second["marks"]} == {"repeat"}
    assert list_marks(ann.act(1, "undo")) == [(12, 16, "DOCTOR")]
    assert list_marks(ann.get("/api/notes/2").json()) == []
    ann.act(1, "redo")
    ann.act(2, "add", start=18, end=29, type="PATIENT")
    ann.act(1, "undo")  # something was done in note 2 since: it stays as it is
    assert len(ann.get("/api/notes/2").json()["marks"]) == 3


def test_a_note_can_be_finished_when_every_premark_has_a_decision(study):
    found = {
        1: [Span(8, 16, "DOCTOR", 0.9), Span(20, 28, "DATE", 0.6)],
        2: [Span(0, 4, "DOCTOR", 0.99)],
        3: [],
    }
    system_spans.add_system(study, "model", found, premarks=True)
    ann = Browser(study, "ann")
    rows = ann.get("/api/notes", set="1", order="uncertainty").json()["notes"]
    assert [(row["number"], row["undecided"]) for row in rows] == [(1, 2), (2, 1), (3, 0)]
    assert rows[0]["uncertainty"] == pytest.approx(0.5)
    refused = ann.act(1, "done", status=409)
    assert refused["stage"] == "undecided" and refused["undecided"] == 2
    assert list_marks(ann.act(1, "alter", premark=0, start=12)) == [(12, 16, "DOCTOR")]
    assert list_marks(ann.act(1, "reject", premark=0)) == []
    ann.act(1, "accept", premark=0)
    state = ann.act(1, "accept", premark=1)
    assert [premark["decision"] for premark in state["premarks"]] == ["accepted", "accepted"]
    assert ann.act(1, "done")["done"] and ann.get("/api/notes", set="1").json()["progress"]["done"] == 1
    system_spans.add_system(study, "newer", {1: [Span(30, 34, "DOCTOR", 0.5)]}, premarks=True)
    assert len(ann.get("/api/notes/1").json()["premarks"]) == 2  # those that ann began with
    assert len(Browser(study, "bob").get("/api/notes/1").json()["premarks"]) == 1


def test_the_decision_on_a_premark_follows_its_mark(study):
    system_spans.add_system(
        study, "model", {1: [Span(8, 16, "DOCTOR", 0.9), Span(20, 28, "DATE", 0.6)]}, premarks=True
    )
    ann = Browser(study, "ann")

    def decisions(state):
        return [premark["decision"] for premark in state["premarks"]]

    ann.act(1, "accept", premark=0)
    mark = ann.act(1, "accept", premark=1)["marks"][1]["id"]
    assert decisions(ann.act(1, "change", mark=mark, start=19)) == ["accepted", "changed"]
    assert decisions(ann.act(1, "remove", mark=mark)) == ["accepted", "rejected"]
    assert decisions(ann.act(1, "add", start=12, end=16, type="DOCTOR")) == ["changed", "rejected"]
    assert decisions(ann.act(1, "undo")) == ["accepted", "rejected"]
    assert decisions(ann.act(1, "accept", premark=1)) == ["accepted", "accepted"]


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"kind": "add", "start": 5, "end": 5, "type": "DATE"}, 422),
        ({"kind": "add", "start": 0, "end": 1000, "type": "DATE"}, 422),
        ({"kind": "add", "start": -1, "end": 3, "type": "DATE"}, 422),
        ({"kind": "add", "start": True, "end": 3, "type": "DATE"}, 422),
        ({"kind": "add", "start": 0, "end": 3, "type": "NOTYPE"}, 422),
        ({"kind": "add", "start": 0, "end": 3, "type": ["DATE"]}, 422),
        ({"kind": "add"}, 422),
        ({"kind": "add_many", "spans": []}, 422),
        ({"kind": ["add"]}, 422),
        ({"kind": "fly"}, 422),
        ({"kind": "remove", "mark": 9}, 404),
        ({"kind": "accept", "premark": 0}, 404),
        ({"version": "0", "kind": "done"}, 422),
    ],
)
def test_an_invalid_action_is_refused_and_changes_nothing(study, fields, status):
    ann = Browser(study, "ann")
    answer = ann.post("/api/notes/1/actions", {"version": 0} | fields)
    assert answer.status_code == status and set(answer.json()) == {"fault"}
    assert ann.get("/api/notes/1").json()["version"] == 0


@pytest.mark.parametrize("path", ["/api/export", "/api/surrogates/export"])
@pytest.mark.parametrize("field", ["set", "what", "who", "format", "name"])
def test_an_export_of_what_cannot_be_is_refused(study, path, field):
    import_consensus(study, 1, [])
    eve = Browser(study, "eve")
    for odd in ([], {}, 7, "\ud800"):
        body = {"name": "gold", "format": "jsonl", "what": "reader"} | {field: odd}
        assert eve.post(path, body).status_code in (404, 409, 422)
    assert not study.out.exists()


def finish_note(study, name, *marks, number=1):
    browser = Browser(study, name)
    for start, end, type in marks:
        browser.act(number, "add", start=start, end=end, type=type)
    browser.act(number, "done")
    return browser


def test_three_readers_reach_a_consensus(study):
    ann = finish_note(study, "ann", (12, 16, "DOCTOR"), (20, 28, "DATE"), (30, 34, "DOCTOR"))
    finish_note(study, "bob", (12, 16, "DOCTOR"), (20, 29, "DATE"))
    finish_note(study, "cy", (8, 16, "PATIENT"))
    eve = Browser(study, "eve")
    assert eve.get("/api/consensus").json()["notes"][0]["stage"] == "ready"
    opened = eve.post("/api/consensus/1/open").json()
    items = {item["key"]: item for item in opened["items"]}
    assert [(key, item["agreement"], item["preset"]) for key, item in items.items()] == [
        ("8-16", "majority", True), ("20-28", "majority", True), ("30-34", "fewer", False),
    ]  # fmt: skip
    assert items["8-16"]["suggestion"] == [{"start": 12, "end": 16, "type": "DOCTOR"}]
    assert items["20-28"]["votes"]["cy"] == []
    ann.act(1, "add", status=423, start=0, end=4, type="DOCTOR")
    assert ann.get("/api/consensus/1").status_code == 403
    eve.decide(1, "decide", item="8-16", spans=items["8-16"]["suggestion"])
    eve.decide(1, "decide", item="30-34", spans=[])
    assert eve.decide(1, "done", status=409)["undecided"] == 1
    eve.decide(1, "decide", item="20-28", spans=[{"start": 20, "end": 28, "type": "DATE"}])
    clash = eve.decide(1, "add", status=422, start=14, end=18, type="DATE")
    assert "overlaps" in clash["fault"]
    state = eve.decide(1, "done")
    assert [span["start"] for span in state["spans"]] == [12, 20]
    eve.decide(1, "decide", status=409, item="30-34", spans=[])
    assert len(ann.get("/api/consensus/1").json()["spans"]) == 2  # now it is open to who has finished
    eve.decide(1, "reopen")
    eve.decide(1, "decide", item="30-34", spans=[{"start": 30, "end": 34, "type": "DOCTOR"}])
    assert len(eve.decide(1, "done")["spans"]) == 3
    eve.decide(1, "undo")
    assert len(eve.decide(1, "undo")["spans"]) == 2


def test_one_action_decides_all_that_everybody_agrees_on(study):
    both = [(12, 16, "DOCTOR"), (20, 28, "DATE")]
    finish_note(study, "ann", *both)
    finish_note(study, "bob", *both, (30, 34, "DOCTOR"))
    eve = Browser(study, "eve")
    eve.post("/api/consensus/1/open")
    state = eve.decide(1, "decide_agreed")
    assert [item["key"] for item in state["items"] if item["decision"] is None] == ["30-34"]
    assert [(span["start"], span["type"]) for span in state["spans"]] == [(12, "DOCTOR"), (20, "DATE")]
    assert eve.decide(1, "decide_agreed", status=409)["stage"] == "nothing"
    assert [item["decision"] for item in eve.decide(1, "undo")["items"]] == [None] * 3
    finish_note(study, "ann", (0, 4, "DOCTOR"), number=2)
    eve.post("/api/consensus/2/open")
    assert eve.decide(2, "decide_agreed", status=409)["stage"] == "alone"


@pytest.mark.slow
def test_nobody_sees_the_marks_of_others_before_consensus(study):
    ann, bob, eve = (
        finish_note(study, "ann", (12, 16, "DOCTOR")),
        Browser(study, "bob"),
        Browser(study, "eve"),
    )
    for path in ("/api/consensus", "/api/consensus/1", "/api/measures", "/api/learn", "/api/surrogates"):
        assert bob.get(path).status_code == 403, path
    assert (
        bob.post("/api/export", {"name": "x", "format": "jsonl", "what": "reader", "who": "ann"}).status_code
        == 403
    )
    bob.act(1, "add", start=12, end=16, type="DOCTOR")
    unfinished = eve.post("/api/consensus/1/open")
    assert unfinished.status_code == 409 and unfinished.json()["stage"] == "unfinished"
    bob.act(1, "done")
    eve.act(1, "add", start=20, end=28, type="DATE")
    own = eve.post("/api/consensus/1/open", {"readers": ["ann", "bob"]})
    assert own.status_code == 409 and own.json()["stage"] == "own" and "items" not in own.json()
    assert eve.get("/api/consensus/1").status_code == 404  # nothing was opened
    eve.act(1, "done")
    assert eve.post("/api/consensus/1/open").status_code == 200
    eve.act(1, "reopen", status=423)
    finish_note(study, "ann", number=2)
    eve.post("/api/consensus/2/open")
    eve.act(2, "add", status=423, start=0, end=4, type="DOCTOR")  # eve has seen what ann marked
    assert ann.get("/api/consensus/2").status_code == 403


def import_consensus(study, number, spans):
    """Import a finished consensus of one note."""
    system_spans.import_consensus(study, {number: [Span(*span) for span in spans]})


@pytest.mark.parametrize("version", ["0", 0.5, True, None, [0]])
def test_an_action_on_a_consensus_needs_the_version_that_it_changes(study, version):
    import_consensus(study, 1, [])
    eve = Browser(study, "eve")
    answer = eve.post("/api/consensus/1/actions", {"version": version, "kind": "reopen"})
    assert answer.status_code == 422
    assert answer.json() == {"fault": "wanted the version that the action changes"}
    assert eve.get("/api/consensus/1").json()["done"]


def test_the_curve_says_which_system_gives_the_premarks_and_what_it_was_tested_on(study):
    spans = [(12, 16, "DOCTOR"), (20, 28, "DATE")]
    eve = Browser(study, "eve")
    system_spans.add_system(study, "old", {1: [Span(*spans[0])], 2: [], 3: []}, premarks=True)
    system_spans.add_system(study, "new", {1: [], 2: [], 3: []}, premarks=False)
    points = eve.get("/api/learn").json()["systems"]
    assert [(one["name"], one["premarks"], one["tested"]) for one in points] == [
        ("old", True, 0),
        ("new", False, 0),
    ]
    assert [(one["recall"], one["precision"], one["notes_read"]) for one in points] == [(None, None, 0)] * 2
    import_consensus(study, 1, spans)
    points = eve.get("/api/learn").json()["systems"]
    assert [(one["tested"], one["recall"], one["precision"]) for one in points] == [
        (1, 0.5, 1.0),
        (1, 0.0, None),
    ]


def test_measures_hold_every_table(study):
    finish_note(study, "ann", (12, 16, "DOCTOR"), (20, 28, "DATE"))
    finish_note(study, "bob", (12, 16, "DOCTOR"), (0, 4, "DATE"))
    finish_note(study, "cy", (30, 34, "DOCTOR"))
    system_spans.add_system(study, "model", {1: [Span(20, 28, "DATE", 0.8)]})
    import_consensus(study, 1, [(12, 16, "DOCTOR"), (20, 28, "DATE"), (30, 34, "DOCTOR")])
    Browser(study, "ann").post("/api/notes/1/time", {"seconds": 30})
    table = Browser(study, "eve").get("/api/measures").json()
    voters = {row["name"]: row for row in table["voters"]}
    assert (voters["ann"]["sensitivity"], voters["ann"]["ppv"]) == (pytest.approx(2 / 3), 1.0)
    assert (voters["bob"]["tp"], voters["bob"]["fp"], voters["bob"]["fn"]) == (1, 1, 2)
    assert voters["ann"]["i2b2"]["strict"]["recall"] == pytest.approx(2 / 3)
    gold = Document("7-01", TEXTS["7-01"][0], study.consensus_log.read_entry("consensus", 1).state.spans)
    for name in ("ann", "bob", "cy"):  # as the library scores the same documents
        mine = gold.with_spans(study.marks_log.read_entry(f"reader:{name}", 1).state.spans)
        scored = scores.score([gold], [mine], study.scheme)
        for criterion, row in voters[name]["i2b2"].items():
            counts = scored.micro(Criterion(criterion))
            assert row == {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
    assert voters["model"]["kind"] == "system" and voters["model"]["seconds_per_note"] is None
    assert voters["ann"]["seconds_per_note"] == 30 and voters["ann"]["words_per_minute"] == 18
    three = table["unions"]["3"]
    assert [row["voters"] for row in three] == [["ann", "bob", "cy"]] and three[0]["sensitivity"] == 1.0
    assert table["summary"]["1"]["sensitivity"] == {
        "min": pytest.approx(1 / 3), "max": pytest.approx(2 / 3), "mean": pytest.approx(4 / 9),
    }  # fmt: skip
    assert table["published"]["3"]["sensitivity"]["mean"] == 0.98
    pair = next(row for row in table["agreement"] if (row["a"], row["b"]) == ("ann", "bob"))
    assert pair["f1"] == 0.5 and 0 < pair["kappa"] < 1
    missed = Browser(study, "eve").get("/api/measures/mistakes", voter="cy").json()["mistakes"]
    assert [(m["start"], m["kind"]) for m in missed] == [(12, "missed"), (20, "missed")]
    assert Browser(study, "eve").get("/api/measures", rules="onec").status_code == 422


def test_measures_follow_what_changes(study, corpus):
    """Figures of a note are kept until the note, its votes or its file change."""
    system_spans.import_marks(study, "ann", {1: [Span(12, 16, "DOCTOR")]})
    import_consensus(study, 1, [(12, 16, "DOCTOR")])
    eve = Browser(study, "eve")
    assert eve.get("/api/measures").json()["voters"][0]["fn"] == 0
    kept = study.measured[1][1]
    eve.get("/api/measures")
    assert study.measured[1][1] is kept
    eve.decide(1, "reopen")
    eve.decide(1, "add", start=20, end=28, type="DATE")
    eve.decide(1, "done")
    assert eve.get("/api/measures").json()["voters"][0]["fn"] == 1
    (file,) = (path for path in (corpus / "notes").iterdir() if "7-01" in path.name)
    file.write_text(file.read_text(encoding="utf-8").replace("Ruiz", "Rust!"), encoding="utf-8")
    assert eve.get("/api/measures").json()["refused"] == "changed"


def test_the_consensus_is_exported_and_never_over_an_existing_file(study):
    eve = Browser(study, "eve")
    body = {"name": "gold", "format": "i2b2", "what": "consensus"}
    assert eve.post("/api/export", body).json()["stage"] == "nothing"
    import_consensus(study, 1, [(12, 16, "DOCTOR")])
    answer = eve.post("/api/export", body).json()
    assert answer["notes"] == 1 and answer["train"].startswith(f"crfdeid train {answer['path']} --out ")
    (document,) = corpora.read(answer["path"])
    assert document == Document("7-01", TEXTS["7-01"][0], (Span(12, 16, "DOCTOR"),), "7")
    assert eve.post("/api/export", body).json()["stage"] == "exists"
    for name in ("../gold", "a/b", "", "x" * 61, None):
        assert eve.post("/api/export", body | {"name": name}).status_code == 422
    assert eve.post("/api/export", body | {"name": "g2", "format": "doc"}).status_code == 422
    assert [path.stat().st_mode & 0o777 for path in (study.out, study.out / "gold")] == [0o700, 0o700]
    one_file = eve.post("/api/export", body | {"name": "gold", "format": "jsonl"}).json()["path"]
    assert Path(one_file).stat().st_mode & 0o777 == 0o600


def test_an_export_that_cannot_be_written_is_an_error(study):
    import_consensus(study, 1, [(12, 16, "DOCTOR")])
    eve = Browser(study, "eve")
    study.out.write_text("in the way")
    for format in ("i2b2", "jsonl"):
        answer = eve.post("/api/export", {"name": "gold", "format": format})
        assert answer.status_code == 409 and "cannot be created" in answer.json()["fault"]


@pytest.mark.parametrize(
    "format", ["i2b2", "i2b2-2006", "brat", "conll", "jsonl", "labelstudio", "doccano", "table", "parquet"]
)
def test_the_consensus_survives_export_and_import_in_every_format(study, format):
    import_consensus(study, 1, [(12, 16, "DOCTOR")])
    answer = Browser(study, "eve").post(
        "/api/export", {"name": "gold", "format": format, "what": "consensus"}
    )
    assert answer.status_code == 200, answer.text
    back = corpora.read(answer.json()["path"], format)
    if format in ("i2b2-2006", "conll"):  # their identifiers or types differ; the spans must be there
        assert [(s.start, s.end) for document in back for s in document.spans] == [(12, 16)]
    else:
        assert system_spans.match_documents(study, back) == {1: [Span(12, 16, "DOCTOR")]}


def test_a_new_model_is_loaded_and_its_disagreements_shown(study, small_model):
    eve = Browser(study, "eve")
    import_consensus(study, 3, [])
    system_spans.add_system(study, "old", {1: [Span(12, 16, "PATIENT")], 2: []})
    body = {"folder": str(small_model.folder), "name": "new", "premarks": True}
    assert eve.post("/api/learn/models", body).status_code == 202
    eve.client.app.app.state.jobs.thread.join(30)
    assert eve.get("/api/learn/job").json() == {
        "state": "done", "phase": "tag", "done": 3, "total": 3, "seconds": None, "fault": "", "result": None,
    }  # fmt: skip
    found = study.read_spans("new", 1)
    assert [(s.start, s.end, s.type) for s in found if s.type == "DOCTOR"] == [(12, 16, "DOCTOR")]
    rows = eve.get("/api/learn/disagreements", system="new").json()["notes"]
    assert rows[0]["number"] == 1 and rows[0]["against"] == "old" and rows[0]["differences"] >= 1
    assert 3 not in [row["number"] for row in rows]
    import_consensus(study, 1, [(12, 16, "DOCTOR"), (20, 28, "DATE")])
    points = {row["name"]: row for row in eve.get("/api/learn").json()["systems"]}
    assert points["new"]["notes_read"] == 1 and points["new"]["tested"] == 1  # note 3 was decided before
    assert points["new"]["recall"] == 1.0 and points["old"]["recall"] == 0.0
    assert eve.post("/api/learn/models", body).json()["stage"] == "exists"
    eve.post("/api/learn/models", {"folder": "/nowhere", "name": "third"})
    eve.client.app.app.state.jobs.thread.join(30)
    assert eve.get("/api/learn/job").json()["state"] == "failed"


def test_progress_shows_pace_and_the_time_since_the_last_pause(study):
    ann = Browser(study, "ann")
    assert ann.post("/api/notes/1/time", {"seconds": 20}).json()["seconds"] == 20
    assert ann.post("/api/notes/1/time", {"seconds": 40}).json()["seconds"] == 60
    for wrong in (61, -1, "30", True, None):
        assert ann.post("/api/notes/1/time", {"seconds": wrong}).status_code == 422
    for wrong in (["seconds"], "seconds", 30):
        assert ann.post("/api/notes/1/time", wrong).status_code == 422
    ann.act(1, "done")
    progress = ann.get("/api/progress", set="1").json()
    assert (progress["done"], progress["words_per_minute"]) == (1, progress["words_done"])
    assert progress["seconds_left"] == pytest.approx(
        60 * (progress["words"] - progress["words_done"]) / progress["words_done"]
    )
    assert progress["worked"] >= 20


def test_surrogates_are_checked_and_nothing_half_redacted_is_written(study):
    eve = Browser(study, "eve")
    first, second = (TEXTS[id][0] for id in ("7-01", "7-02"))
    import_consensus(study, 1, [(12, 16, "DOCTOR"), (20, 28, "DATE"), (30, 34, "DOCTOR"), (35, 39, "OTHER")])
    import_consensus(study, 2, [(0, 4, "DOCTOR"), (18, 29, "PATIENT"), (41, 45, "DOCTOR")])
    assert eve.get("/api/surrogates/3").json()["stage"] == "none"
    proposed = eve.get("/api/surrogates/1").json()
    assert proposed["text"] == first and proposed["unresolved"] == 1
    assert [(p["start"], p["resolved"]) for p in proposed["proposals"]] == [
        (35, False), (12, True), (20, True), (30, True),
    ]  # fmt: skip
    assert proposed["proposals"][0]["why"] and proposed["proposals"][0]["replacement"] == "[**OTHER**]"
    names = {p["replacement"] for p in proposed["proposals"][1:] if p["type"] == "DOCTOR"}
    assert len(names) == 1 and "Ruiz" not in names

    def act(number, kind, status=200, **fields):
        version = eve.get(f"/api/surrogates/{number}").json()["version"]
        answer = eve.post(f"/api/surrogates/{number}/actions", {"version": version, "kind": kind} | fields)
        assert answer.status_code == status, answer.text
        return answer.json()

    assert act(1, "approve", status=409)["stage"] == "unresolved"
    assert act(1, "edit", start=35, end=39, replacement="[**OTHER**]")["unresolved"] == 0
    act(1, "edit", status=422, start=12, end=16, replacement="Dr. RUIZ")
    act(1, "edit", status=422, start=12, end=16, replacement="two\nlines")
    act(1, "edit", status=404, start=12, end=17, replacement="Moreau")
    for name in (CANARY.lower(), f"Eva {CANARY}", "M. RUIZ"):  # names of the note, one of them another's
        act(2, "edit", status=422, start=0, end=4, replacement=name)
    act(1, "edit", start=12, end=16, replacement="Moreau", everywhere=True)
    doctors = [p for p in eve.get("/api/surrogates/2").json()["proposals"] if p["type"] == "DOCTOR"]
    assert [(p["replacement"], p["edited"]) for p in doctors] == [("Moreau", True)] * 2
    assert act(1, "undo")["version"] == 3
    assert not any(p["edited"] for p in eve.get("/api/surrogates/2").json()["proposals"])
    act(1, "redo")
    assert act(1, "approve")["approved"]
    body = {"name": "released", "format": "text"}
    waiting = eve.post("/api/surrogates/export", body)
    assert waiting.status_code == 409 and waiting.json()["left"] == ["7-02", "8-01"]
    assert not study.out.exists()
    import_consensus(study, 3, [])
    act(2, "approve")
    act(3, "approve")
    answer = eve.post("/api/surrogates/export", body).json()
    written = {document.id: document.text for document in corpora.read(answer["path"])}
    assert answer["notes"] == 3 and written["8-01"] == TEXTS["8-01"][0]
    assert written["7-01"].startswith("Seen by Dr. Moreau on ") and "Ruiz" not in "".join(written.values())
    assert CANARY not in written["7-02"] and second.split()[-2] in written["7-02"]  # the emoji
    eve.decide(1, "reopen")
    eve.decide(1, "remove", mark=4)
    eve.decide(1, "done")
    assert not eve.get("/api/surrogates/1").json()["approved"]  # another text than was approved
    rows = eve.get("/api/surrogates").json()["notes"]
    assert [(row["number"], row["approved"]) for row in rows] == [(1, False), (2, True), (3, True)]
    eve.decide(2, "reopen")
    eve.decide(2, "add", start=5, end=11, type="DOCTOR")  # of the same patient as note 1
    eve.decide(2, "done")
    drawn = surrogate_review.draft_surrogates(study, 1)
    assert (
        drawn.versions[2] == 4 and surrogate_review.draft_surrogates(study, 1) is drawn
    )  # once, until something changes


def test_a_model_trained_on_the_exported_consensus_is_loaded_again(notes, tmp_path):
    corpora.write(notes, tmp_path / "notes.jsonl", "jsonl")
    source = Source(tmp_path / "notes.jsonl", "jsonl")
    create_study(tmp_path / "study.db", source, "i2b2-2014", None, 1)
    opened = open_study(tmp_path / "study.db")
    accounts.add_reader(opened.store, "eve", "adjudicator")
    for number in range(1, 26):
        import_consensus(opened, number, [(s.start, s.end, s.type) for s in notes[number - 1].spans])
    eve = Browser(opened, "eve")
    path = eve.post("/api/export", {"name": "gold", "format": "i2b2", "what": "consensus"}).json()["path"]
    trained = model.train(list(corpora.read(path)), SMALL, tmp_path / "model", engine="crfsuite")
    eve.post("/api/learn/models", {"folder": str(trained.folder), "name": "trained"})
    eve.client.app.app.state.jobs.thread.join(60)
    for number in range(26, 41):
        import_consensus(opened, number, [(s.start, s.end, s.type) for s in notes[number - 1].spans])
    (point,) = eve.get("/api/learn").json()["systems"]
    assert (point["notes_read"], point["tested"]) == (25, 15) and point["recall"] > 0.8
    opened.store.close()


TRICKY = (
    "A\r\nB\tJos\u0065\u0301 \U0001f600\U0001f468\u200d\u2695 Ruiz\x00 \u2028 \u05d0\u05d1 </script> Ruiz\r"
)


def test_offsets_are_code_points_of_the_very_text(tmp_path):
    corpora.write([Document("t", TRICKY)], tmp_path / "notes.jsonl", "jsonl")
    create_study(tmp_path / "s.db", Source(tmp_path / "notes.jsonl", "jsonl"), "i2b2-2014", None, 1)
    opened = open_study(tmp_path / "s.db")
    accounts.add_reader(opened.store, "ann", "reader")
    ann = Browser(opened, "ann")
    text = ann.get("/api/notes/1").json()["text"]
    assert text == TRICKY
    start = TRICKY.index("Ruiz")
    state = ann.act(1, "add", start=start, end=start + 4, type="DOCTOR")
    body = {"version": state["version"], "mark": 1, "apply": True}
    state = ann.post("/api/notes/1/repeats", body).json()["state"]
    assert [TRICKY[a:b] for a, b, _ in list_marks(state)] == ["Ruiz", "Ruiz"]
    opened.store.close()


@pytest.mark.slow
def test_a_model_is_trained_in_the_page(study):
    """Also where readers log in: no path of the machine is named."""
    eve = Browser(study, "eve")
    study.requires_login = True
    assert eve.post("/api/learn/train", {"name": "new"}).json()["stage"] == "nothing"
    import_consensus(study, 1, [(12, 16, "DOCTOR"), (20, 28, "DATE"), (30, 34, "DOCTOR")])
    assert eve.post("/api/learn/train", {"name": "../new"}).status_code == 422
    assert eve.post("/api/learn/train", {"name": "new", "premarks": True}).status_code == 202
    eve.client.app.app.state.jobs.thread.join(120)
    job = eve.get("/api/learn/job").json()
    assert (job["state"], job["fault"]) == ("done", "")
    assert job["result"] == {"learned": 1, "aside": 0, "patients": 0, "figures": [], "adapted": None}
    assert study.premark_system == "new" and study.read_spans("new", 1)
    assert (study.out / "models" / "new").stat().st_mode & 0o777 == 0o700
    assert [path.name for path in (study.out / "models").iterdir()] == ["new"]  # no notes stay there
    assert eve.post("/api/learn/train", {"name": "new"}).json()["stage"] == "exists"


@pytest.mark.slow
def test_a_shipped_model_is_adapted_in_the_page(tmp_path):
    """Also what it gained is shown, with few notes of which none is kept aside."""
    names = ("Ruiz", "Oda", "Li", "Voss")
    texts = [f"ATT//{name} [2061.3.{day}]\nNo fever.\n" for day, name in enumerate(names, 1)]
    documents = [Document(f"{n}", text, (), f"p{n}") for n, text in enumerate(texts)]
    corpora.write(documents, tmp_path / "notes.jsonl", "jsonl")
    create_study(tmp_path / "s.db", Source(tmp_path / "notes.jsonl", "jsonl"), "i2b2-2014", None, 1)
    opened = open_study(tmp_path / "s.db")
    accounts.add_reader(opened.store, "eve", "adjudicator")
    eve = Browser(opened, "eve")
    for number, text in enumerate(texts, 1):
        import_consensus(opened, number, [(5, text.index(" "), "DOCTOR")])
    assert eve.post("/api/learn/train", {"name": "site", "base": "/models"}).status_code == 422
    assert eve.post("/api/learn/train", {"name": "site", "base": "english"}).status_code == 202
    eve.client.app.app.state.jobs.thread.join(300)
    job = eve.get("/api/learn/job").json()
    assert (job["state"], job["fault"]) == ("done", "")
    adapted = job["result"]["adapted"]
    assert (adapted["base"], adapted["patients"], job["result"]["learned"]) == ("english", 4, 4)
    assert {"covered", "precision", "f1", "low", "high"} == set(adapted["gain"]["after"])
    assert str(tmp_path) not in str(job) and "notes" not in adapted
    opened.store.close()


def test_notes_kept_aside_are_those_of_other_patients(tmp_path):
    documents = [Document(f"{n}", f"Note {n}", (), f"{n // 2}") for n in range(40)]
    corpora.write(documents, tmp_path / "notes", "text")
    create_study(tmp_path / "s.db", Source(tmp_path / "notes", "text"), "i2b2-2014", None, 1)
    opened = open_study(tmp_path / "s.db")
    for note in opened.notes.all:
        import_consensus(opened, note.number, [(0, 4, "DOCTOR")])
    learned, aside = training.split_decided(opened)
    patients = [{opened.notes.find_note(n).patient for n in part} for part in (learned, aside)]
    assert learned and aside and len(learned) + len(aside) == 40
    assert patients[0].isdisjoint(patients[1] - {None})
    opened.store.close()


def test_training_can_be_stopped(study):
    jobs = Jobs()
    jobs.begin(lambda job: job.run_process([sys.executable, "-c", "import time; time.sleep(60)"]))
    jobs.close()
    assert jobs.describe()["state"] == "stopped"
    jobs.begin(lambda job: job.run_process([sys.executable, "-c", "raise SystemExit('wanted more notes')"]))
    jobs.thread.join(30)
    assert (jobs.state, jobs.error) == ("failed", "wanted more notes")


def test_a_text_is_found_in_all_notes_and_stands_in_no_file(study, corpus):
    ann = Browser(study, "ann")
    found = ann.post("/api/search", {"text": "ruiz"}).json()
    assert [(hit["number"], hit["places"], hit["first"]) for hit in found["notes"]] == [(1, 2, 12), (2, 2, 0)]
    assert found["total"] == 2
    for text in ("a", "", None, "x" * 201, 5):
        assert ann.post("/api/search", {"text": text}).status_code == 422
    assert ann.post("/api/search", {"text": 'no "such\0 OR text'}).json() == {"notes": [], "total": 0}
    assert ann.post("/api/search", {"text": "ruiz", "set": "nowhere"}).status_code == 404
    (file,) = (path for path in (corpus / "notes").iterdir() if "7-01" in path.name)
    file.unlink()
    assert [hit["number"] for hit in ann.post("/api/search", {"text": "ruiz"}).json()["notes"]] == [2]
    stored = b"".join(path.read_bytes() for path in corpus.iterdir() if path.name.startswith("study.db"))
    assert CANARY.encode() not in stored


def test_readers_say_that_they_are_unsure_and_ask_and_the_adjudicator_answers(study):
    ann = Browser(study, "ann")
    ann.act(1, "add", start=12, end=16, type="DOCTOR")
    assert ann.act(1, "doubt", mark=1, unsure=True)["marks"][0]["unsure"]
    assert not ann.act(1, "undo")["marks"][0]["unsure"]
    ann.act(1, "redo")
    asked = ann.post("/api/notes/1/questions", {"start": 20, "end": 28, "text": " a date? "}).json()
    assert [(one["text"], one["answer"]) for one in asked["questions"]] == [("a date?", None)]
    ann.post("/api/notes/1/questions", {"text": "whose note?"})
    assert Browser(study, "bob").get("/api/notes/1").json()["questions"] == []
    assert ann.get("/api/questions").status_code == 403
    for body in ({"text": ""}, {"text": "x" * 1001}, {"start": 5, "text": "x"}, {"end": 500, "text": "x"}):
        assert ann.post("/api/notes/1/questions", body).status_code == 422
    ann.act(1, "done")
    eve = Browser(study, "eve")
    (item,) = eve.post("/api/consensus/1/open").json()["items"]
    assert item["unsure"] == ["ann"]
    first, _ = eve.get("/api/questions").json()["questions"]
    answered = eve.post(f"/api/questions/{first['id']}", {"text": "yes"}).json()["questions"]
    assert [one["text"] for one in answered] == ["whose note?", "a date?"]  # the open one first
    assert ann.get("/api/notes/1").json()["questions"][0]["answer"] == "yes"
    assert len(eve.get("/api/consensus/1").json()["questions"]) == 2
    assert eve.post("/api/questions/99", {"text": "yes"}).status_code == 404


def test_patients_are_assigned_evenly_and_readers_see_their_own(study):
    eve = Browser(study, "eve")
    assert eve.get("/api/notes").json()["notes"][0]["assigned"]
    found = eve.post("/api/team/assign", {"readers": ["ann", "bob"], "k": 1}).json()
    assert found["assigned"] == 3
    rows = {name: Browser(study, name).get("/api/notes").json()["notes"] for name in ("ann", "bob", "cy")}
    own = {name: [row["number"] for row in found if row["assigned"]] for name, found in rows.items()}
    assert sorted([own["ann"], own["bob"]]) == [[1, 2], [3]] and own["cy"] == []  # by patient
    both = eve.post("/api/team/assign", {"readers": ["ann", "bob"], "k": 2}).json()
    assert both["assigned"] == 6
    assert eve.post("/api/team/assign", {"readers": []}).json()["assigned"] == 0
    for body in ({"readers": ["ann"], "k": 2}, {"readers": "ann"}, {"readers": ["ann"], "k": "1"}):
        assert eve.post("/api/team/assign", body).status_code == 422
    for names in (["nobody"], ["ann", "ann"]):
        assert eve.post("/api/team/assign", {"readers": names}).status_code == 404
    assert Browser(study, "ann").get("/api/team").status_code == 403


def test_a_coordinator_sees_progress_agreement_and_the_log(study):
    finish_note(study, "ann", (12, 16, "DOCTOR"), (20, 28, "DATE"))
    finish_note(study, "bob", (12, 16, "DOCTOR"))
    eve = Browser(study, "eve")
    found = eve.get("/api/team").json()
    assert {row["name"]: row["done"] for row in found["readers"]} == {"ann": 1, "bob": 1, "cy": 0}
    (pair,) = found["agreement"]
    assert (pair["a"], pair["b"], pair["notes"], pair["f1"]) == ("ann", "bob", 1, pytest.approx(2 / 3))
    assert pair["by_type"] == {"DATE": 0.0, "DOCTOR": 1.0}
    assert pair["kappa"] == pytest.approx(
        5 / 21
    )  # ten tokens of 16 are O for both, one is a DOCTOR, five a DATE of one
    log = eve.get("/api/log").json()
    assert log["total"] == 5 and [row["kind"] for row in log["actions"]][-1] == "done"
    assert set(log["actions"][0]) == {"at", "by", "book", "number", "version", "kind"}
    assert [row["by"] for row in eve.get("/api/log", after=3).json()["actions"]] == ["bob", "bob"]


def test_each_reader_has_keys_of_their_own(study):
    ann, bob = Browser(study, "ann"), Browser(study, "bob")
    keys = ann.get("/api/study").json()["keys"]
    assert keys["DATE"] == "d" and len(set(keys.values())) == len(keys) == len(study.scheme.types)
    own = keys | {"DATE": keys["DOCTOR"], "DOCTOR": "d"}
    assert ann.post("/api/preferences", {"keys": own}).json()["keys"] == own
    assert ann.get("/api/study").json()["keys"] == own and bob.get("/api/study").json()["keys"] == keys
    changes = ({"DATE": "o"}, {"DATE": "?"}, {"DATE": "dd"}, {"X": "5"})
    for wrong in (None, {}, *(keys | one for one in changes)):
        assert ann.post("/api/preferences", {"keys": wrong}).status_code == 422


def list_numbers(browser, path, order):
    return [row["number"] for row in browser.get(path, order=order).json()["notes"]]


def test_the_lists_are_sorted_as_asked(study):
    found = {1: [Span(8, 16, "DOCTOR", 0.9)], 2: [Span(0, 4, "DOCTOR", 0.8)], 3: [Span(31, 36, "DATE", 0.4)]}
    system_spans.add_system(study, "model", found, premarks=True)
    ann, eve = Browser(study, "ann"), Browser(study, "eve")
    system_spans.import_marks(study, "dan", {2: [Span(0, 4, "DOCTOR")], 3: []})
    system_spans.import_marks(study, "mia", {2: [Span(0, 4, "PATIENT"), Span(12, 16, "AGE")], 3: []})
    words = [note.words for note in study.notes.all]
    by_length = sorted((1, 2, 3), key=lambda number: words[number - 1])
    assert list_numbers(ann, "/api/notes", "short") == by_length
    assert list_numbers(ann, "/api/notes", "uncertainty") == [3, 2, 1]
    chance = list_numbers(ann, "/api/notes", "random")
    assert sorted(chance) == [1, 2, 3] and chance == list_numbers(eve, "/api/notes", "random")
    rows = eve.get("/api/consensus", order="disagreement").json()["notes"]
    assert [(row["number"], row["differences"], row["unsure"]) for row in rows] == [
        (2, 3, 0),
        (1, None, 0),
        (3, 0, 0),
    ]  # nobody has finished 1


def test_the_list_to_decide_shows_doubts_until_they_are_answered(study):
    ann, eve = Browser(study, "ann"), Browser(study, "eve")
    mark = ann.act(3, "add", start=31, end=36, type="DATE")["marks"][0]["id"]
    ann.act(3, "doubt", mark=mark, unsure=True)
    ann.post("/api/notes/3/questions", {"text": "a time?"})
    ann.act(3, "done")
    (first, *_) = eve.get("/api/consensus", order="unsure").json()["notes"]
    assert (first["number"], first["unsure"]) == (3, 2)
    (question,) = eve.get("/api/questions").json()["questions"]
    eve.post(f"/api/questions/{question['id']}", {"text": "yes"})
    ann.act(3, "doubt", mark=mark, unsure=False)
    assert {row["unsure"] for row in eve.get("/api/consensus").json()["notes"]} == {0}
    ann.act(3, "reopen")
    assert eve.get("/api/consensus").json()["notes"][2]["differences"] is None
