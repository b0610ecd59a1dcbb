"""Surrogates in the review room: which replacements a person may write, and what is approved and written."""

from dataclasses import replace

import pytest

pytest.importorskip("fastapi", reason="pip install 'crfdeid[review]'")
pytest.importorskip("argon2", reason="pip install 'crfdeid[review]'")

from review_client import TEXTS

from crfdeid import corpora
from crfdeid.review.operations import marking, surrogate_review, training
from crfdeid.review.study import accounts, system_spans
from crfdeid.review.study.errors import (
    ConflictError,
    InvalidValueError,
    NoteRefusedError,
    NotFoundError,
    StageError,
)
from crfdeid.review.study.source import Source
from crfdeid.review.study.study import create_study, open_study
from crfdeid.systems import model
from crfdeid.text.document import Document, Span

GOLD = {
    1: [Span(12, 16, "DOCTOR"), Span(20, 28, "DATE"), Span(30, 34, "DOCTOR")],
    2: [Span(0, 4, "DOCTOR"), Span(18, 29, "PATIENT"), Span(41, 45, "DOCTOR")],
    3: [Span(31, 36, "OTHER")],
}


@pytest.fixture
def decided(study):
    """The study with a consensus of all notes."""
    system_spans.import_consensus(study, GOLD)
    return study


def find(study, name="eve"):
    return accounts.find_reader(study.store, name)


def act(study, number, kind, **fields):
    version = study.surrogates_log.read_entry("surrogates", number).version
    body = {"version": version, "kind": kind} | fields
    return surrogate_review.change_surrogates(study, find(study), number, body)


def edit(study, number, start, end, replacement, **fields):
    return act(study, number, "edit", start=start, end=end, replacement=replacement, **fields)


def list_rows(study, set_name=None):
    rows = surrogate_review.list_notes(study, set_name)["notes"]
    return [(row["number"], row["spans"], row["unresolved"], row["approved"], row["refused"]) for row in rows]


def test_the_surrogates_of_a_note_are_described_whole(decided):
    found = surrogate_review.show_surrogates(decided, find(decided), 3)
    (proposal,) = found.pop("proposals")
    assert found == {
        "text": TEXTS["8-01"][0], "number": 3, "id": "8-01", "version": 0, "approved": False, "undo": 0,
        "redo": 0, "unresolved": 1,
    }  # fmt: skip
    why = proposal.pop("why")
    assert why and proposal == {
        "start": 31, "end": 36, "type": "OTHER", "replacement": "[**OTHER**]", "resolved": False,
        "treatment": proposal["treatment"], "repeat": False, "edited": False,
    }  # fmt: skip
    edited = edit(decided, 3, 31, 36, "elsewhere")
    assert (edited["version"], edited["undo"], edited["unresolved"]) == (1, 1, 0) and "text" not in edited
    (proposal,) = edited["proposals"]
    assert (proposal["replacement"], proposal["resolved"], proposal["why"], proposal["edited"]) == (
        "elsewhere", True, None, True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "one line of at most 200 characters"),
        (["x"], "one line of at most 200 characters"),
        ("x" * 201, "one line of at most 200 characters"),
        ("a\nb", "one line of at most 200 characters"),
        ("a\u2028b", "one line of at most 200 characters"),
        ("24/06", "contains the text that it replaces"),
        ("on 24/06!", "contains the text that it replaces"),
    ],
)
def test_a_replacement_is_one_line_without_what_it_replaces(decided, value, message):
    with pytest.raises(InvalidValueError, match=message):
        edit(decided, 3, 31, 36, value)
    assert decided.surrogates_log.read_entry("surrogates", 3).version == 0


def test_a_replacement_may_be_empty_or_long(decided):
    for value in ("", "x" * 200, "24 / 06"):
        assert edit(decided, 3, 31, 36, value)["proposals"][0]["replacement"] == value
    assert surrogate_review.parse_replacement("Ruizek", "Ruiz ek") == "Ruizek"
    for value, original in (("RUIZEK", " ruiz "), ("STRASSE 5", "straße")):
        with pytest.raises(InvalidValueError):
            surrogate_review.parse_replacement(value, original)


def test_a_name_is_not_replaced_by_a_name_of_the_note(decided):
    for value in ("Ruiz", "Eva ruiz", "A-RUIZ"):
        with pytest.raises(InvalidValueError, match="contains a name that occurs in the note"):
            edit(decided, 2, 18, 29, value)
    for value in ("Zanzibar", "Ruizek"):  # other words
        edit(decided, 2, 18, 29, value)
    edit(decided, 1, 20, 28, "the day of Dr. Ruiz")  # a date is no name
    edit(decided, 1, 12, 16, "May 3/4/2061")  # nor is a word of one


def test_letters_and_short_words_of_names_may_stay(study):
    system_spans.import_consensus(study, {1: [Span(5, 7, "PATIENT"), Span(12, 16, "DOCTOR")]})
    assert edit(study, 1, 12, 16, "Ann By")["proposals"]  # "by" has two letters
    system_spans.import_consensus(study, {2: [Span(0, 4, "DOCTOR"), Span(13, 17, "PATIENT")]})
    with pytest.raises(InvalidValueError, match="a name that occurs"):
        edit(study, 2, 0, 4, "the wife")
    system_spans.import_consensus(study, {3: [Span(26, 29, "PATIENT"), Span(38, 42, "DOCTOR")]})
    with pytest.raises(InvalidValueError, match="a name that occurs"):
        edit(study, 3, 38, 42, "ven")  # three letters are a name


def test_an_edit_everywhere_is_one_and_one_undo_takes_it_back(decided):
    edit(decided, 1, 12, 16, "Moreau", everywhere="yes")  # only true is everywhere
    assert [p["edited"] for p in show(decided, 1)] == [True, False, False]
    edit(decided, 1, 12, 16, "Lindt", everywhere=True)
    assert [p["replacement"] for p in show(decided, 1) if p["edited"]] == ["Lindt", "Lindt"]
    assert [p["replacement"] for p in show(decided, 2) if p["edited"]] == ["Lindt", "Lindt"]
    assert decided.surrogates_log.read_entry("surrogates", 3).version == 0  # another patient
    act(decided, 2, "undo")
    assert [p["replacement"] for p in show(decided, 1) if p["edited"]] == ["Moreau"]
    assert not any(p["edited"] for p in show(decided, 2))
    act(decided, 2, "redo")
    assert [p["replacement"] for p in show(decided, 1) if p["edited"]] == ["Lindt", "Lindt"]
    act(decided, 1, "undo")
    act(decided, 1, "undo")  # of note 1 only
    assert not any(p["edited"] for p in show(decided, 1))
    assert [decided.surrogates_log.read_entry("surrogates", n).version for n in (1, 2)] == [6, 4]


def show(study, number):
    found = surrogate_review.show_surrogates(study, find(study), number)["proposals"]
    return sorted(found, key=lambda proposal: proposal["start"])


@pytest.mark.parametrize(
    "body", [{}, {"version": 0}, {"kind": "approve"}, {"version": "0", "kind": "undo"},
             {"version": 0, "kind": "done"}, {"version": True, "kind": "undo"}],
)  # fmt: skip
def test_an_action_on_surrogates_needs_a_kind_and_a_version(decided, body):
    with pytest.raises(InvalidValueError, match="wanted a kind of action and the version that it changes"):
        surrogate_review.change_surrogates(decided, find(decided), 1, body)


def test_an_older_version_of_surrogates_is_answered_with_the_present_state(decided):
    edit(decided, 3, 31, 36, "x")
    with pytest.raises(ConflictError) as conflict:
        body = {"version": 0, "kind": "approve"}
        surrogate_review.change_surrogates(decided, find(decided), 3, body)
    assert conflict.value.version == 1 and conflict.value.details["state"]["version"] == 1
    with pytest.raises(NotFoundError, match="no replacement at this place"):
        edit(decided, 3, 31, 35, "x")


def test_what_is_not_settled_is_not_approved(decided):
    with pytest.raises(StageError, match="^1 replacements are not settled yet") as left:
        act(decided, 3, "approve")
    assert left.value.details == {"stage": "unresolved", "unresolved": 1}
    edit(decided, 3, 31, 36, "x")
    assert act(decided, 3, "approve")["approved"]
    edit(decided, 3, 31, 36, "y")  # another text than was approved
    assert not surrogate_review.show_surrogates(decided, find(decided), 3)["approved"]
    act(decided, 3, "approve")
    assert not act(decided, 3, "reopen")["approved"]


def test_the_notes_with_surrogates_are_listed_and_looked_at_anew_where_they_changed(decided):
    assert list_rows(decided) == [(1, 3, 0, False, None), (2, 3, 0, False, None), (3, 1, 1, False, None)]
    kept = {number: value[1] for number, value in decided.replaced.items()}
    act(decided, 1, "approve")
    edit(decided, 3, 31, 36, "x")
    assert list_rows(decided, "1") == [(1, 3, 0, True, None), (2, 3, 0, False, None), (3, 1, 0, False, None)]
    assert decided.replaced[2][1] is kept[2] and decided.replaced[1][1] is not kept[1]
    (decided.notes.source.path / "7-02.xml").unlink()
    assert list_rows(decided) == [
        (1, 3, 0, True, None), (2, 0, 0, False, "missing"), (3, 1, 0, False, None),
    ]  # fmt: skip
    with pytest.raises(NoteRefusedError):
        surrogate_review.show_surrogates(decided, find(decided), 2)
    assert surrogate_review.find_decided_siblings(decided, 1) == {1: 1}  # without the one that is missing
    assert surrogate_review.find_decided_siblings(decided, 2) == {1: 1, 2: 1}


def test_notes_without_a_consensus_have_no_surrogates(study):
    system_spans.import_consensus(study, {2: GOLD[2]})
    assert [row[0] for row in list_rows(study)] == [2]
    for ask in (
        surrogate_review.show_surrogates,
        lambda *args: surrogate_review.draft_surrogates(*args[::2]),
    ):
        with pytest.raises(StageError, match="the consensus of this note is not done yet") as stage:
            ask(study, find(study), 1)
        assert stage.value.details["stage"] == "none"


def test_drafts_are_bounded_and_the_oldest_goes_first(decided, monkeypatch):
    monkeypatch.setattr(surrogate_review, "MOST_DRAFTS", 2)
    surrogate_review.draft_surrogates(decided, 1)
    assert list(decided.drafts) == [1, 2]
    surrogate_review.draft_surrogates(decided, 3)
    assert list(decided.drafts) == [2, 3]


def test_the_secret_of_a_study_is_kept(study):
    secret = surrogate_review.read_secret(study)
    assert len(secret) == 32 and surrogate_review.read_secret(study) == secret


def test_nothing_is_written_before_all_is_approved(decided):
    body = {"name": "released", "format": "text", "set": "1"}
    edit(decided, 3, 31, 36, "x")
    act(decided, 1, "approve")
    act(decided, 3, "approve")
    with pytest.raises(StageError, match="^1 notes are not approved yet") as waiting:
        surrogate_review.export_notes(decided, body)
    assert waiting.value.details == {"stage": "unapproved", "left": ["7-02"]}
    act(decided, 2, "approve")
    found = surrogate_review.export_notes(decided, body)
    assert found == {"path": str(decided.out / "released"), "notes": 3}
    written = {document.id: document.text for document in corpora.read(found["path"])}
    assert written["8-01"] == TEXTS["8-01"][0].replace("24/06", "x", 1)


def test_what_has_no_consensus_is_not_approved(study):
    system_spans.import_consensus(study, {1: GOLD[1], 2: GOLD[2]})
    act(study, 1, "approve")
    act(study, 2, "approve")
    (study.notes.source.path / "7-02.xml").unlink()
    with pytest.raises(StageError) as waiting:
        surrogate_review.export_notes(study, {"name": "released", "format": "text"})
    assert waiting.value.details["left"] == ["7-02", "8-01"]


def test_who_is_in_the_middle_of_a_note_does_not_see_its_surrogates(study):
    body = {"version": 0, "kind": "add", "start": 0, "end": 4, "type": "AGE"}
    marking.change_marks(study, find(study), 1, body)
    system_spans.import_consensus(study, GOLD)
    for ask in (
        lambda: surrogate_review.show_surrogates(study, find(study), 1),
        lambda: act(study, 1, "approve"),
    ):
        with pytest.raises(StageError, match="finish this note as a reader first"):
            ask()
    assert study.store.fetch_all("SELECT * FROM seen") == []
    act(study, 2, "approve")
    surrogate_review.show_surrogates(study, find(study), 3)
    assert study.store.fetch_all("SELECT * FROM seen") == [(2, "eve"), (3, "eve")]


@pytest.fixture
def many(tmp_path):
    """A study of twelve notes, each of another patient."""
    documents = [Document(f"{n}", "Dr. Ruiz called.", (), f"p{n + 10}") for n in range(1, 13)]
    corpora.write(documents, tmp_path / "notes.jsonl", "jsonl")
    found = Source(tmp_path / "notes.jsonl", "jsonl")
    create_study(tmp_path / "study.db", found, "i2b2-2006", None, 1)
    opened = open_study(tmp_path / "study.db")
    yield opened
    opened.store.close()


def import_first(study, count):
    done = study.list_decided()
    wanted = range(len(done) + 1, count + 1)
    system_spans.import_consensus(study, {number: [Span(4, 8, "DOCTOR")] for number in wanted})


def test_the_same_patients_are_kept_aside_each_time(many):
    import_first(many, 9)
    assert training.split_decided(many) == ([1, 2, 3, 4, 5, 6, 7, 8, 9], [])
    import_first(many, 10)
    assert training.split_decided(many) == ([1, 2, 4, 5, 6, 9, 10], ASIDE)


ASIDE = [3, 7, 8]  # the SHA-256 of "p13", "p17" and "p18" is divided by five


class Work:
    """A job whose process trains nothing."""

    phase, result = "", None

    def __init__(self, study, name="new"):
        self.folder, self.phases = training.find_model_folder(study, name), []

    def count_steps(self, items):
        self.phases.append(self.phase)
        return items

    def run_process(self, command):
        self.phases.append(self.phase)
        self.command = command
        corpus = command[4] if command[2] == "crfdeid.adapt" else command[3]
        self.documents = list(corpora.read(corpus))
        given = command[command.index("--unlabelled") + 1 :] if "--unlabelled" in command else []
        self.unlabelled = [note for path in given for note in corpora.read(path)]
        self.folder.mkdir()


def test_a_training_learns_from_some_and_is_measured_on_the_others(many, monkeypatch):
    load = model.load
    monkeypatch.setattr(training.model, "load", lambda folder: load("heuristic"))
    import_first(many, 10)
    right = {number: [Span(4, 8, "DOCTOR")] for number in range(1, 13)}
    system_spans.add_system(many, "first", right)
    system_spans.add_system(many, "old", right | {number: [] for number in ASIDE[1:]})
    job = Work(many)
    training.train_model(many, "new", premarks=False)(job)
    folder = many.out / "models" / "new"
    assert job.command[1:3] == ["-m", "crfdeid.train"]
    assert job.command[4:] == ["--out", str(folder), "--scheme", "i2b2-2006"]
    assert [document.id for document in job.documents] == ["1", "2", "4", "5", "6", "9", "10"]
    assert job.documents[0].spans == (Span(4, 8, "DOCTOR"),) and job.phases == ["train", "tag"]
    assert (job.result["learned"], job.result["aside"]) == (7, 3)
    old, new = job.result["figures"]
    assert (old["name"], old["recall"], new["name"]) == ("old", 1 / 3, "new")
    assert many.list_systems() == ["first", "old", "new"] and many.premark_system is None
    assert folder.stat().st_mode & 0o777 == 0o700 and list(folder.parent.iterdir()) == [folder]


def test_a_first_training_is_compared_with_nothing_and_another_with_the_premarks(many, monkeypatch):
    load = model.load
    monkeypatch.setattr(training.model, "load", lambda folder: load("heuristic"))
    import_first(many, 10)
    job = Work(many)
    training.train_model(many, "new", premarks=True)(job)
    assert [one["name"] for one in job.result["figures"]] == ["new"] and many.premark_system == "new"
    system_spans.add_system(many, "last", {})
    job = Work(many, "newer")
    training.train_model(many, "newer", premarks=False)(job)
    assert [one["name"] for one in job.result["figures"]] == ["new", "newer"]


def test_a_model_is_adapted_with_its_figures_before_and_after(many, monkeypatch):
    load = model.load
    monkeypatch.setattr(training.model, "load", lambda folder: load("heuristic"))
    gain = {"way": "weights", "patients": 7, "gain": {"before": {"f1": 0.5}, "after": {"f1": 0.9}}}
    record = {"adapted": gain | {"notes": ["7f"]}}
    monkeypatch.setattr(training.training_record, "read_record", lambda folder: record)
    import_first(many, 10)
    training.train_model(many, "first", premarks=False)(Work(many, "first"))
    job = Work(many)
    training.train_model(many, "new", premarks=False, base="first")(job)
    assert job.command[1:3] == ["-m", "crfdeid.adapt"] and job.command[3] == "--notes"
    first, new = (str(training.find_model_folder(many, name)) for name in ("first", "new"))
    assert job.command[5:-1] == ["--model", first, "--out", new, "--unlabelled"]
    assert [(note.patient, note.spans) for note in job.unlabelled] == [("p21", ()), ("p22", ())]
    assert len(job.documents) == 7 and job.result["adapted"] == {"base": "first"} | gain
    assert [one["name"] for one in job.result["figures"]] == ["first", "new"]


def test_undecided_notes_are_read_where_it_is_known_that_enough_patients_have_them(many, monkeypatch):
    import_first(many, 1)
    found = [note.id for note in training.read_open(many, [1])]
    assert found == ["2", "4", "5", "6", "9", "10", "11", "12"]
    monkeypatch.setattr(training, "MOST_OPEN", 4)
    assert [note.id for note in training.read_open(many, [1])] == ["2", "4", "5", "6"]
    assert not list(training.read_open(many, []))
    monkeypatch.setattr(training, "MOST_OPEN", 500)
    many.notes.all[1] = replace(many.notes.all[1], patient=None)
    assert not list(training.read_open(many, [1]))


def test_no_shipped_model_has_the_types_of_another_scheme(many):
    assert training.list_bases(many) == []


def test_the_models_to_adapt_are_those_trained_here_and_the_shipped_ones(study):
    assert training.list_bases(study) == ["english", "spanish"]
    for name in ("old", "imported", "new"):
        system_spans.add_system(study, name, {})
    for name in ("old", "new"):
        training.find_model_folder(study, name).mkdir(parents=True)
    assert training.list_bases(study) == ["new", "old", "english", "spanish"]
    assert training.check_base(study, "old") == "old"
    assert training.check_base(study, "") is training.check_base(study, None) is None
    for wrong in ("imported", "/models/english", 7):
        with pytest.raises(InvalidValueError, match="base: wanted one of the models that can be adapted"):
            training.check_base(study, wrong)


def test_a_training_needs_a_name_and_a_decided_note(study):
    for wrong in (None, "", "a b", "x" * 61, 7):
        with pytest.raises(InvalidValueError, match="a model's name: 1 to 60 letters, digits, - and _"):
            training.check_training(study, wrong)
    with pytest.raises(StageError, match="no note has a decided consensus to train on") as stage:
        training.check_training(study, "new")
    assert stage.value.details["stage"] == "nothing"
    with pytest.raises(StageError, match="there is a system or reader with this name already"):
        training.check_training(study, "ann")
    system_spans.import_consensus(study, GOLD)
    assert training.check_training(study, "x" * 60) == "x" * 60
    training.find_model_folder(study, "new").mkdir(parents=True)
    with pytest.raises(StageError, match="there is a model with this name already") as stage:
        training.check_training(study, "new")
    assert stage.value.details["stage"] == "exists"


def test_a_system_is_scored_on_the_notes_kept_aside(decided):
    system_spans.add_system(decided, "model", {1: GOLD[1][:2], 2: [], 3: [Span(0, 4, "DATE")]})
    alone = training.score_system(decided, "model", [1])  # of one patient there is no interval
    assert alone == {
        "name": "model", "spans": 3, "recall": 2 / 3, "recall_interval": None, "precision": 1,
        "precision_interval": None,
    }  # fmt: skip
    found = training.score_system(decided, "model", [1, 2, 3])
    assert (found["spans"], found["recall"], found["precision"]) == (7, 2 / 7, 2 / 3)
    for figure in ("recall", "precision"):
        low, high = found[f"{figure}_interval"]
        assert 0 <= low <= found[figure] <= high <= 1 and low < high
