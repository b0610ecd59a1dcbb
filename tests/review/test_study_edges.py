"""The edges of a study's store: its index, sets, imports, keys, stretches, searches and words."""

import os
import sqlite3
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("fastapi", reason="pip install 'crfdeid[review]'")
pytest.importorskip("argon2", reason="pip install 'crfdeid[review]'")

from review_client import TEXTS

from crfdeid import corpora
from crfdeid.errors import CrfdeidError, FormatError
from crfdeid.review.operations import marking
from crfdeid.review.study import (
    accounts,
    agreement,
    consensus,
    marks,
    note_index,
    source,
    store,
    system_spans,
)
from crfdeid.review.study.errors import (
    ConflictError,
    DiskFullError,
    InvalidValueError,
    NoteRefusedError,
    NotFoundError,
    StageError,
    StoreError,
)
from crfdeid.review.study.event_log import EventLog
from crfdeid.review.study.marks import FOLD, Mark, Marking
from crfdeid.review.study.source import Source, compute_fingerprint
from crfdeid.review.study.store import APPLICATION_ID, Store
from crfdeid.review.study.study import create_study, divide_into_sets, has_study, open_study
from crfdeid.systems.model import load
from crfdeid.systems.threshold import Threshold
from crfdeid.text.document import Document, Span


def write_lines(path, *documents):
    corpora.write(documents, path, "jsonl", overwrite=True)
    return Source(path, "jsonl")


def test_the_index_has_a_row_for_each_note(study):
    rows = study.store.fetch_all("SELECT * FROM notes")
    folder = study.notes.source.path
    assert rows == [
        (number, id, patient, "1", f"{id}.xml", compute_fingerprint(text), len(text), len(text.split()),
         (folder / f"{id}.xml").stat().st_size, (folder / f"{id}.xml").stat().st_mtime_ns)
        for number, (id, (text, patient)) in enumerate(TEXTS.items(), 1)
    ]  # fmt: skip
    assert [study.notes.find_siblings(number) for number in (1, 2, 3)] == [[1, 2], [1, 2], [3]]
    assert study.store.read_setting("title") == "study" and study.out == folder.parent / "study-export"
    with pytest.raises(NotFoundError, match="no note 4"):
        study.notes.find_note(4)


def test_an_id_twice_is_refused_and_leaves_no_store(tmp_path):
    notes = tmp_path / "notes.jsonl"
    notes.write_text('{"id": "a", "text": "x", "spans": []}\n{"id": "a", "text": "y", "spans": []}\n')
    with pytest.raises(FormatError, match="twice"):
        create_study(tmp_path / "s.db", Source(notes, "jsonl"), "i2b2-2014", None, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.jsonl"]
    (tmp_path / "notes").mkdir()
    for name in ("a.txt", "a.TXT"):
        (tmp_path / "notes" / name).write_text("x")
    with pytest.raises(FormatError, match=r"notes/a\.txt: the document whose id has length 1 occurs twice"):
        create_study(tmp_path / "s.db", Source(tmp_path / "notes", "text"), "i2b2-2014", None, 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes", "notes.jsonl"]


def test_notes_without_a_patient_are_a_patient_each(tmp_path):
    found = write_lines(tmp_path / "n.jsonl", *(Document(id, "a b", ()) for id in "abc"))
    create_study(tmp_path / "s.db", found, "i2b2-2006", "a title", 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["n.jsonl", "s.db"]  # it is closed
    opened = open_study(tmp_path / "s.db", tmp_path / "out", found.path, requires_login=True)
    assert [opened.notes.find_siblings(number) for number in (1, 2, 3)] == [[1], [2], [3]]
    assert (opened.out, opened.requires_login) == (tmp_path / "out", True)
    assert opened.store.read_setting("title") == "a title" and len(opened.notes) == 3
    assert opened.scheme.name == "i2b2-2006"
    opened.store.close()


@pytest.mark.parametrize(
    ("counts", "sets", "names"),
    [
        ([1, 1, 1, 1], 2, "1122"),
        ([3, 1, 1, 1], 2, "1222"),
        ([1, 1, 1, 3], 2, "1112"),
        ([1, 1, 1, 1], 4, "1234"),
        ([1, 0, 0, 0], 3, "1333"),
        ([0, 0, 0, 0], 3, "1111"),
        ([9, 9, 9, 9], 1, "1111"),
    ],
)
def test_sets_have_about_as_many_words(counts, sets, names):
    documents = [Document(str(number), "", ()) for number in range(4)]
    assert divide_into_sets(documents, counts, sets) == list(names)


def test_an_interrupted_creation_leaves_no_study(tmp_path):
    path = tmp_path / "s.db"
    assert not has_study(path)
    path.touch()
    assert not has_study(path)
    path.write_text("x")
    assert has_study(path)


def test_a_store_without_notes_is_no_study(tmp_path):
    Store(tmp_path / "s.db").close()
    with pytest.raises(StoreError, match="a study without notes"):
        open_study(tmp_path / "s.db")


def test_a_store_is_not_a_folder_and_not_in_one_that_is_missing(tmp_path):
    with pytest.raises(StoreError, match="not a file; wanted a study's store"):
        Store(tmp_path)
    with pytest.raises(StoreError, match="x/s.db: No such file or directory"):
        Store(tmp_path / "x" / "s.db")


@pytest.mark.parametrize("mode", [0o604, 0o601, 0o620, 0o610, 0o602])
def test_a_store_that_others_can_read_or_write_is_refused(tmp_path, mode):
    path = tmp_path / "s.db"
    Store(path).close()
    path.chmod(mode)
    with pytest.raises(StoreError, match=f"mode {mode:o} lets others read it; chmod 600 first"):
        Store(path)
    path.chmod(0o400 if os.getuid() else 0o600)


def test_a_store_of_version_0_is_refused(tmp_path):
    path = tmp_path / "s.db"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("CREATE TABLE t(x)")
    connection.close()
    path.chmod(0o600)
    with pytest.raises(StoreError, match="a store of version 0; this program reads 1 to 2"):
        Store(path)


def test_a_closed_store_is_closed(tmp_path):
    closed = Store(tmp_path / "s.db")
    closed.close()
    with pytest.raises(StoreError, match="closed"):
        closed.fetch_all("SELECT 1")


def test_the_names_of_models_and_thresholds(study):
    tagger = SimpleNamespace(name="english", fingerprint="0123456789abcdef")
    name = system_spans.name_system
    assert name(tagger) == "english 012345" and name(tagger, Threshold(0.05)) == "english 012345 at 0.05"
    twenty = Threshold(0.12345, {"DATE": 0.12345})
    assert len(str(twenty)) == 20 and system_spans.show_threshold(twenty) == " at 0.12345 DATE 0.12345"
    longer = Threshold(0.12345, {"DATE": 0.123456})
    assert len(str(longer)) == 21 and system_spans.show_threshold(longer).startswith(" at threshold ")


def test_a_model_that_has_tagged_does_not_tag_again(study):
    tagger = load("heuristic")
    name = system_spans.name_system(tagger)
    system_spans.add_model(study, tagger)
    assert study.list_systems() == [name] and study.premark_system is None
    at = study.store.fetch_one("SELECT at FROM systems")
    system_spans.add_model(study, tagger, premarks=True)
    assert study.premark_system == name and study.store.fetch_one("SELECT at FROM systems") == at
    with pytest.raises(CrfdeidError, match="probabilit"):
        system_spans.add_model(study, tagger, threshold=Threshold(0.1))
    assert [row for row in study.store.fetch_all("SELECT note FROM found")] == [(1,), (2,), (3,)]
    (study.notes.source.path / "7-02.xml").unlink()
    assert list(system_spans.tag_notes(study, tagger)) == [1, 3]


@pytest.mark.synced
def test_a_commit_is_on_disk_when_it_returns(study):
    assert study.store.fetch_one("PRAGMA journal_mode") == ("wal",)
    assert study.store.fetch_one("PRAGMA synchronous") == (2,)  # FULL


def test_errors_of_the_store_name_it_and_no_value(study):
    with pytest.raises(StoreError, match=r"study.db: SQLITE_ERROR: no such table: t$"):
        study.store.execute("INSERT INTO t VALUES(?)", "Ruiz")
    with pytest.raises(StoreError, match="SQLITE_CONSTRAINT") as failed:
        study.store.execute("INSERT INTO study VALUES(?, NULL)", "Ruiz")
    assert "Ruiz" not in str(failed.value)
    study.store.write_setting("a", "1")
    study.store.write_setting("a", "2")
    assert study.store.read_setting("a") == "2" and study.store.read_setting("b") is None


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (sqlite3.SQLITE_FULL, DiskFullError),
        (sqlite3.SQLITE_FULL | 1 << 8, DiskFullError),
        (sqlite3.SQLITE_IOERR_WRITE, DiskFullError),
        (sqlite3.SQLITE_IOERR_READ, StoreError),
        (sqlite3.SQLITE_IOERR, StoreError),
        (None, StoreError),
    ],
)
def test_a_full_disk_is_told_from_other_errors(code, error):
    failed = sqlite3.OperationalError("x")
    if code is not None:
        failed.sqlite_errorcode = code
    with pytest.raises(error), store.translate_errors(Path("s.db")):
        raise failed


def test_an_action_in_the_log_has_its_author_and_time(study):
    log = EventLog(study.store, FOLD)
    action = {"kind": "add", "start": 0, "end": 4, "type": "DATE", "group": "g"}
    entry = log.append("reader:ann", 1, 0, "bob", action)
    assert (entry.version, entry.undo, entry.redo) == (1, 1, 0)
    log.append("reader:ann", 2, 0, "bob", action | {"group": "h"})
    log.append("reader:ann", 3, 0, "bob", action)
    log.append("reader:bob", 2, 0, "bob", action)
    ((book, note, version, by, at, text),) = study.store.fetch_all(
        "SELECT * FROM actions WHERE book = 'reader:ann' AND note = 1"
    )
    assert (book, note, version, by) == ("reader:ann", 1, 1, "bob") and '"group": "g"' in text
    assert at == pytest.approx(time.time(), abs=60)
    assert log.find_same_group("reader:ann", 1, "undo") == [(3, 1)]
    assert log.find_same_group("reader:ann", 1, "redo") == []
    for version in (0, 2):
        with pytest.raises(ConflictError) as conflict:
            log.append("reader:ann", 1, version, "bob", action)
        assert conflict.value.version == 1
    entry = log.append("reader:ann", 1, 1, "bob", {"kind": "undo"})
    assert (entry.version, entry.undo, entry.redo, entry.state) == (2, 0, 1, Marking())
    assert log.find_same_group("reader:ann", 1, "undo") == []
    sql = "SELECT undo, redo, undo_group, redo_group, done, marks, decided FROM states WHERE note = 1"
    assert study.store.fetch_all(sql) == [(0, 1, None, "g", 0, 0, 0)]
    with pytest.raises(StageError, match="there is nothing to undo or redo"):
        log.append("reader:ann", 1, 2, "bob", {"kind": "undo"})
    log.append("reader:ann", 1, 2, "bob", {"kind": "redo"})
    log.append("reader:ann", 1, 3, "bob", {"kind": "undo"})
    assert log.append("reader:ann", 1, 4, "bob", {"kind": "reopen"}).redo == 0
    assert study.store.fetch_all(sql)[0][:4] == (1, 0, None, None)


def test_a_mark_replaces_what_it_overlaps_and_not_what_it_touches():
    state = Marking()
    for start, end in ((5, 9), (0, 5), (9, 12), (4, 6)):
        state = marks.apply_action(state, {"kind": "add", "start": start, "end": end, "type": "AGE"})
    assert [(mark.id, mark.start, mark.end) for mark in state.marks] == [(4, 4, 6), (3, 9, 12)]
    assert state.next_id == 5
    state = marks.apply_action(state, {"kind": "remove", "mark": 4})
    assert state.marks == (Mark(3, 9, 12, "AGE"),)
    state = marks.apply_action(state, {"kind": "doubt", "mark": 3, "unsure": True})
    assert state.marks[0].unsure and marks.summarize(state) == (False, 1, 0)


def test_the_decision_on_a_premark_is_kept_where_its_mark_is_decided_anew():
    accept = {"kind": "accept", "premark": 0, "start": 0, "end": 4, "type": "AGE", "system": "model"}
    state = marks.apply_action(Marking(), accept)
    assert state.system == "model" and state.decisions == {0: "accepted"}
    state = marks.apply_action(state, accept | {"system": "newer"})
    assert (state.system, state.decisions, [mark.id for mark in state.marks]) == (
        "model",
        {0: "accepted"},
        [2],
    )
    doubted = marks.apply_action(state, {"kind": "doubt", "mark": 2, "unsure": True})
    assert doubted.marks[0].unsure and doubted.decisions == {0: "accepted"}
    moved = marks.apply_action(state, {"kind": "change", "mark": 2, "start": 1})
    assert moved.decisions == {0: "changed"}
    covered = marks.apply_action(state, {"kind": "add", "start": 3, "end": 6, "type": "AGE"})
    assert covered.decisions == {0: "changed"}
    beside = marks.apply_action(state, {"kind": "add", "start": 4, "end": 6, "type": "AGE"})
    assert beside.decisions == {0: "accepted"}
    other = marks.apply_action(beside, {"kind": "remove", "mark": 3})
    assert other.decisions == {0: "accepted"}
    assert marks.apply_action(state, {"kind": "remove", "mark": 2}).decisions == {0: "rejected"}
    assert marks.apply_action(state, {"kind": "reject", "premark": 0}).marks == ()


@pytest.mark.parametrize(
    ("body", "fits"),
    [
        ({"start": 0, "end": 10, "type": "AGE"}, True),
        ({"start": 9, "end": 10, "type": "AGE"}, True),
        ({"start": 0, "end": 11, "type": "AGE"}, False),
        ({"start": -1, "end": 1, "type": "AGE"}, False),
        ({"start": 3, "end": 3, "type": "AGE"}, False),
        ({"start": 3.0, "end": 4, "type": "AGE"}, False),
        ({"start": 3, "end": True, "type": "AGE"}, False),
        ({"start": 3, "end": 4, "type": "age"}, False),
        ({"start": 3, "end": 4}, False),
    ],
)
def test_a_span_of_a_request_is_inside_the_text_and_of_the_scheme(body, fits):
    if fits:
        assert marks.parse_span(body, 10, ("AGE",)) == Span(**body)
        return
    with pytest.raises(
        InvalidValueError, match="inside the text of 10 characters|a type that the scheme has"
    ):
        marks.parse_span(body, 10, ("AGE",))


def test_of_equal_choices_the_one_with_more_characters_is_suggested():
    short, long, other = Span(0, 4, "AGE"), Span(0, 6, "AGE"), Span(0, 6, "DATE")
    for votes, wanted in (
        ({"ann": [short], "bob": [long]}, long),
        ({"ann": [long], "bob": [other]}, long),
        ({"ann": [other], "bob": [long]}, long),
        ({"ann": [short], "bob": [short], "cy": [long]}, short),
    ):
        (item,) = agreement.build_items(votes)
        assert item.suggestion == (wanted,)
    (item,) = agreement.build_items({"ann": [Span(10, 12, "AGE")], "bob": [Span(9, 12, "AGE")]})
    assert item.suggestion == (Span(9, 12, "AGE"),)
    (item,) = agreement.build_items({"ann": [short], "bob": []})
    assert (item.agreement, item.preset, item.key) == ("fewer", False, "0-4")
    (item,) = agreement.build_items({"ann": [short], "bob": [long], "cy": [], "dan": []})
    assert not item.preset  # half is not more than half
    (item,) = agreement.build_items({"ann": [Span(0, 9, "AGE")], "bob": [short, Span(5, 8, "AGE")]})
    assert item.key == "0-9" and item.votes["bob"] == (short, Span(5, 8, "AGE"))


def test_punctuation_at_the_ends_is_no_disagreement():
    spans = [Span(0, 6, "AGE"), Span(7, 10, "DATE")]
    assert agreement.trim_punctuation("(Ruiz) ...", spans) == [Span(1, 5, "AGE"), Span(7, 10, "DATE")]


def test_kappa_is_nothing_where_all_labels_are_one():
    assert agreement.compute_kappa(agreement.Counter({("O", "O"): 9})) is None
    assert agreement.compute_kappa(agreement.Counter()) is None
    assert agreement.compute_kappa(agreement.Counter({("O", "A"): 1, ("A", "O"): 1})) == -1


def test_new_votes_keep_the_decisions_on_what_did_not_change():
    state = consensus.Consensus()
    for action in (
        {"kind": "open", "votes": {"ann": [[0, 4, "DATE"], [6, 9, "AGE"]]}, "kinds": {"ann": "reader"}},
        {"kind": "decide_many", "items": {"0-4": [[0, 4, "DATE"]], "6-9": [[6, 8, "AGE"]]}},
        {"kind": "add", "start": 20, "end": 22, "type": "AGE"},
        {"kind": "votes", "votes": {"m": [[0, 4, "AGE"], [6, 10, "AGE"]]}, "kinds": {"m": "system"}},
    ):
        state = consensus.apply_action(state, action)
    assert state.undecided == ["6-10"] and state.readers == [] and list(state.decisions) == ["0-4"]
    excused = {"kind": "decide", "item": "0-4", "spans": [], "ambiguous": True}
    assert state.ambiguous == [] and consensus.apply_action(state, excused).ambiguous == [(0, 4)]
    assert state.spans == (Span(0, 4, "DATE"), Span(20, 22, "AGE"))
    assert consensus.summarize(state) == (False, 2, 1)
    assert consensus.apply_action(state, {"kind": "undecide", "item": "0-4"}).undecided == ["0-4", "6-10"]
    imported = consensus.apply_action(state, {"kind": "import", "spans": [[1, 2, "AGE"]]})
    assert (imported.opened, imported.done, imported.spans) == (True, True, (Span(1, 2, "AGE"),))
    assert imported.votes == {} and imported.extra.marks[0].by == "import"
    again = consensus.decode_state(consensus.encode_state(imported))
    assert again == imported and again.opened


def test_a_changed_note_is_refused_until_it_is_as_it_was(study):
    file = study.notes.source.path / "7-01.xml"
    content = file.read_bytes()
    file.write_bytes(content.replace(b"Ruiz", b"Rust"))
    study.notes.find_changes()
    assert study.notes.refused == {1: "changed"}
    with pytest.raises(NoteRefusedError, match="note 7-01: changed on disk since the study began; its marks"):
        study.notes.read_document(1)
    file.unlink()
    with pytest.raises(NoteRefusedError, match="note 7-01: no longer on disk; its marks would not fit"):
        study.notes.read_document(1)
    file.write_bytes(content)
    study.notes.find_changes()
    assert study.notes.refused == {} and study.notes.read_document(1).text == TEXTS["7-01"][0]
    study.notes.refused[1] = "changed"  # and has the time of before again
    os.utime(file, ns=(0, study.notes.find_note(1).modified))
    study.notes.find_changes()
    assert study.notes.refused == {}
    assert note_index.NoteIndex(study.store, study.notes.source).unknown_files == 0


def test_the_texts_of_few_files_stay_in_memory(study, monkeypatch):
    monkeypatch.setattr(note_index, "CACHED_FILES", 2)
    for number in (1, 2, 1, 3):
        study.notes.read_document(number)
    assert list(study.notes.cache) == ["7-01.xml", "8-01.xml"]
    before = study.notes.cache["7-01.xml"]
    study.notes.read_document(1)
    assert study.notes.cache["7-01.xml"] is before  # not read again


def test_files_that_are_no_notes_are_not_counted(study):
    folder = study.notes.source.path
    for name in (".9-01.xml", "9-01.txt", "9-01.xml~", "xml"):
        (folder / name).write_text("x")
    (folder / "9-02.xml").mkdir()
    study.notes.check_files()
    assert study.notes.unknown_files == 0
    (folder / "9-01.XML").write_text("x")
    study.notes.check_files()
    assert study.notes.unknown_files == 1
    assert study.notes.source.name_file(folder / "9-01.XML") == "9-01.XML"


def test_a_source_of_one_file_has_one_stamp(tmp_path):
    found = write_lines(tmp_path / "n.jsonl", Document("a", "x"))
    status = found.path.stat()
    assert source.read_stamps(found) == {"": (status.st_size, status.st_mtime_ns)}
    assert found.name_file(found.path) == ""
    found.path.unlink()
    assert source.read_stamps(found) == {}


def test_a_search_replies_with_so_many_notes_and_counts_all(study, monkeypatch):
    monkeypatch.setattr(note_index, "MOST_HITS", 1)
    assert study.text_index.find("RUIZ", [1, 2, 3]) == ([(1, 2, 12)], 2)
    assert study.text_index.find("RUIZ", [2, 3]) == ([(2, 2, 0)], 1)
    assert study.text_index.find("r.iz", [1, 2, 3]) == ([], 0)
    (study.notes.source.path / "7-01.xml").unlink()
    assert study.text_index.find("ruiz", [1]) == ([], 1)
    other = note_index.StudySearch(study.notes)
    assert other.find("ruiz", [1, 2, 3]) == ([(2, 2, 0)], 1)  # built without it


@pytest.mark.parametrize(
    ("text", "stretches", "unseen"),
    [
        ("abc", [], 0),
        ("abc", [(0, 3)], None),
        ("abc", [(1, 3)], 0),
        ("abc", [(0, 1), (2, 3)], 1),
        ("a c", [(0, 1), (2, 3)], None),
        ("  a", [(0, 2)], 2),
        (" a ", [(2, 3)], 1),
        ("", [], None),
        ("ab  cd", [(0, 1), (4, 5)], 1),
    ],
)
def test_the_first_letter_that_was_not_shown(text, stretches, unseen):
    assert marking.find_unseen(text, stretches) == unseen


def test_keys_are_given_to_frequent_types_first():
    assert accounts.assign_keys(["ZIP", "AGE", "DOCTOR", "DATE", "OTHER", "A1"]) == {
        "ZIP": "z", "AGE": "a", "DOCTOR": "o", "DATE": "d", "OTHER": "t", "A1": "b",
    }  # fmt: skip
    many = [f"T{number}" for number in range(40)]
    found = accounts.assign_keys(many)
    assert "".join(found.values()) == "tabcdefghijklmnopqrsuvwxyz0123456789" and list(found) == many[:36]


def test_keys_of_another_scheme_are_the_usual_ones(study):
    types = ["AGE", "DATE"]
    accounts.write_keys(study.store, "ann", {"AGE": "x", "DATE": "9"}, types)
    assert accounts.read_keys(study.store, "ann", types) == {"AGE": "x", "DATE": "9"}
    assert accounts.read_keys(study.store, "ann", ["AGE"]) == {"AGE": "a"}
    assert accounts.read_keys(study.store, "bob", types) == {"AGE": "a", "DATE": "d"}
    for keys in ({"AGE": "x"}, {"AGE": "x", "DATE": "x"}, {"AGE": "x", "DATE": "y", "ZIP": "z"}, [], None):
        with pytest.raises(InvalidValueError, match="wanted a key for each type, and no key twice"):
            accounts.write_keys(study.store, "ann", keys, types)
    for key in ("X", "", "xy", 1, "-"):
        with pytest.raises(InvalidValueError, match="a key is a letter from a to z or a digit"):
            accounts.write_keys(study.store, "ann", {"AGE": key, "DATE": "d"}, types)


def test_systems_are_numbered_and_know_how_much_was_decided(study):
    system_spans.import_consensus(study, {1: []})
    spans = [Span(5, 6, "AGE"), Span(0, 4, "DATE", 0.75)]
    system_spans.add_system(study, "a" * 60, {1: spans})
    system_spans.add_system(study, "m+n", {1: [Span(0, 4, "DATE", 0.75), Span(5, 6, "AGE", 0.5)]}, True)
    rows = study.store.fetch_all("SELECT name, number, notes_read FROM systems ORDER BY number")
    assert rows == [("a" * 60, 1, 1), ("m+n", 2, 1)]
    rows = study.store.fetch_all("SELECT note, spans, count, doubt FROM found ORDER BY system")
    assert rows == [
        (1, '[[0,4,"DATE",0.75],[5,6,"AGE",null]]', 2, 0.75),
        (1, '[[0,4,"DATE",0.75],[5,6,"AGE",0.5]]', 2, 0.75),
    ]
    assert study.premark_system == "m+n" and study.read_spans("m+n", 2) == []
    for name in ("a" * 61, "", "-x", "a\nb", None):
        with pytest.raises(InvalidValueError, match="a system's name: 1 to 60 letters"):
            system_spans.add_system(study, name, {})
    for name in ("m+n", "ann"):
        with pytest.raises(StageError, match="there is a system or reader with this name already") as stage:
            system_spans.add_system(study, name, {})
        assert stage.value.details["stage"] == "exists"


def test_an_import_leaves_what_is_there(study):
    system_spans.import_marks(study, "ann", {1: [Span(0, 4, "AGE")], 2: []})
    assert [study.marks_log.read_entry("reader:ann", number).version for number in (1, 2, 3)] == [2, 2, 0]
    assert study.find_readers(1) == {"ann": True} and study.find_readers(3) == {}
    mark = study.marks_log.read_entry("reader:ann", 1).state.marks[0]
    assert (mark.by, mark.span) == ("import", Span(0, 4, "AGE"))
    system_spans.import_consensus(study, {1: [Span(0, 4, "AGE")]})
    with pytest.raises(StageError, match="note 1 has a consensus already") as stage:
        system_spans.import_consensus(study, {2: [], 1: []})
    assert stage.value.details["stage"] == "exists" and study.list_decided() == [1]  # all or nothing


def test_of_imported_spans_that_overlap_the_longest_stays(study):
    text = TEXTS["7-01"][0]
    document = Document("7-01", text, (Span(8, 16, "DOCTOR"), Span(12, 16, "DOCTOR"), Span(20, 28, "DATE")))
    found = system_spans.match_documents(study, [document])
    assert {1: [Span(8, 16, "DOCTOR"), Span(20, 28, "DATE")]} == {n: list(s) for n, s in found.items()}


@pytest.mark.parametrize(
    ("name", "error"),
    [("a" * 60, None), ("O'Neil-Ruiz, M.", "name"), ("O'Neil-Ruiz M.", None), ("7", None), ("a" * 61, "name"),
     ("", "name"), ("a ", "name"), (" a", "name"), (".a", "name"), (None, "name"), ("ann", "role"),
     ("Ann", "looks"), ("a_n n", "exists"), ("A N_N", "looks")],
)  # fmt: skip
def test_the_names_of_readers(study, name, error):
    accounts.add_reader(study.store, "a_n n", "reader")
    messages = {
        "name": "a reader's name: 1 to 60", "role": "with this name already, with the role reader",
        "looks": "a reader whose name looks the same", "exists": "with the role reader",
    }  # fmt: skip
    if error is None:
        added = accounts.add_reader(study.store, name, "adjudicator")
        assert added == accounts.Reader(name, "adjudicator", False)
        assert accounts.add_reader(study.store, name, "adjudicator") == added
        return
    with pytest.raises((InvalidValueError, StageError), match=messages[error]):
        accounts.add_reader(study.store, name, "adjudicator")


def test_who_is_not_there_is_not_found_and_a_role_is_one_of_two(study):
    with pytest.raises(NotFoundError, match="no reader with this name"):
        accounts.find_reader(study.store, "zoe")
    assert accounts.find_reader(study.store, "eve") == accounts.Reader("eve", "adjudicator")
    assert accounts.find_reader(study.store, "eve").describe() == {"name": "eve", "role": "adjudicator"}
    with pytest.raises(InvalidValueError, match="a role is one of reader, adjudicator"):
        accounts.add_reader(study.store, "zoe", "owner")


def test_a_reader_signs_out_of_all_sessions_and_browsers(study):
    for name in ("ann", "bob"):
        study.store.execute("INSERT INTO sessions VALUES(?, ?, 0, 0)", f"token of {name}", name)
        study.store.execute("INSERT INTO browsers VALUES(?, ?)", f"token of {name}", name)
    accounts.sign_out_everywhere(study.store, "ann")
    for table in ("sessions", "browsers"):
        assert study.store.fetch_all(f"SELECT reader FROM {table}") == [("bob",)]


def test_a_password_has_ten_characters(study):
    with pytest.raises(InvalidValueError, match="wanted a password of at least 10 characters"):
        accounts.set_password(study.store, "ann", "x" * 9)
    accounts.set_password(study.store, "ann", "x" * 10)
    assert [reader.has_password for reader in accounts.list_readers(study.store)] == [
        True,
        False,
        False,
        False,
    ]
    with pytest.raises(NotFoundError, match="no reader with this name"):
        accounts.set_password(study.store, "zoe", "x" * 10)


def test_a_click_marks_the_word_of_its_line():
    text = "see (Ruiz);\nhttp://a.b/c x:y =1=\nend"
    words = {"Ruiz": 5, "http://a.b/c": 14, "x": 25, "y": 27, "1": 30, "end": 33}
    for word, offset in words.items():
        start, end = marks.find_word(text, offset)
        assert text[start:end] == word
    for offset in (3, 4, 9, 11, 26):  # between words
        assert marks.find_word(text, offset) is None
    assert marks.find_line("\nab", 0) == (0, 0) and marks.find_line("\nab", 1) == (1, 3)
    assert marks.find_line(text, 0) == (0, 11) and marks.find_line(text, 11) == (0, 11)
    assert marks.find_line(text, 12) == (12, 32) and marks.find_line(text, 35) == (33, 36)


def test_repeats_are_whole_words_with_any_white_space():
    assert list(marks.find_repeats("x.y xzy X.Y x.y1 éx.y", "x.y")) == [(0, 3), (8, 11)]
    assert list(marks.find_repeats("a\n\tb ab a b", "a b")) == [(0, 4), (8, 11)]
    assert list(marks.find_repeats("abc", "  ")) == []
