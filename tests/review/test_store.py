"""The review store loses nothing: kill -9, full disks, two processes, notes that change, other versions."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="pip install 'crfdeid[review]'")
pytest.importorskip("argon2", reason="pip install 'crfdeid[review]'")

from hypothesis import given, settings
from hypothesis import strategies as st
from review_client import CANARY, TEXTS, Browser

from crfdeid import corpora
from crfdeid.errors import CrfdeidError, FormatError
from crfdeid.review import __main__ as review
from crfdeid.review.operations import marking
from crfdeid.review.study import accounts, consensus, marks, system_spans
from crfdeid.review.study.errors import ConflictError, DiskFullError, StoreError
from crfdeid.review.study.event_log import EventLog, History
from crfdeid.review.study.marks import FOLD, Marking
from crfdeid.review.study.source import Source, decode_source
from crfdeid.review.study.store import APPLICATION_ID, TABLES, VERSION, Store
from crfdeid.review.study.study import create_study, divide_into_sets, open_study
from crfdeid.text.document import Document, Span

WRITER = """
import sys
from crfdeid.review.study.event_log import EventLog
from crfdeid.review.study.marks import FOLD
from crfdeid.review.study.store import Store
log = EventLog(Store(sys.argv[1]), FOLD)
for version in range(100_000):
    action = {"kind": "add", "start": 2 * version, "end": 2 * version + 1, "type": "DATE"}
    print(log.append("reader:ann", 1, version, "ann", action).version, flush=True)
"""


@pytest.mark.synced
def test_what_was_acknowledged_survives_kill_9(tmp_path):
    path = tmp_path / "study.db"
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    seen = [int(writer.stdout.readline()) for _ in range(40)]
    writer.send_signal(signal.SIGKILL)
    seen += [int(line) for line in writer.stdout.read().splitlines()]  # acknowledged before the signal came
    writer.wait()
    writer.stdout.close()
    store = Store(path)
    entry = EventLog(store, FOLD).read_entry("reader:ann", 1)
    assert entry.version >= seen[-1] >= 40
    assert [mark.id for mark in entry.state.marks] == list(range(1, entry.version + 1))
    assert store.fetch_one("PRAGMA integrity_check") == ("ok",) and store.fetch_one("PRAGMA synchronous") == (
        2,
    )
    assert store.fetch_one("PRAGMA journal_mode") == ("wal",)
    store.close()


def test_two_processes_may_write_the_same_store(tmp_path):
    first, second = Store(tmp_path / "study.db"), Store(tmp_path / "study.db")
    action = {"kind": "add", "start": 0, "end": 1, "type": "DATE"}
    EventLog(first, FOLD).append("reader:ann", 1, 0, "ann", action)
    assert EventLog(second, FOLD).append("reader:ann", 1, 1, "ann", {"kind": "undo"}).state.marks == ()
    assert EventLog(first, FOLD).read_entry("reader:ann", 1).version == 2
    first.close()
    second.close()


def test_of_two_who_act_at_once_the_second_gets_the_new_state(study):
    ann = accounts.find_reader(study.store, "ann")
    body = {"version": 0, "kind": "add", "start": 12, "end": 16, "type": "DOCTOR"}
    answers = []

    def act():
        try:
            answers.append(marking.change_marks(study, ann, 1, body)["version"])
        except ConflictError as conflict:
            answers.append(conflict.details["state"]["version"])
            answers.append("conflict")

    threads = [threading.Thread(target=act) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers.count("conflict") == 7 and answers.count(1) == 8
    assert study.store.fetch_all("SELECT count(*) FROM actions") == [(1,)]


def test_a_full_disk_is_an_error_and_earlier_actions_stay(study):
    ann = Browser(study, "ann")
    ann.act(1, "add", start=12, end=16, type="DOCTOR")
    (pages,) = study.store.fetch_one("PRAGMA page_count")
    study.store.fetch_all(f"PRAGMA max_page_count = {pages}")
    version, answer = 1, None
    for version in range(1, 400):  # until the last pages have no room left
        body = {"version": version, "kind": "add", "start": 20, "end": 28, "type": "DATE"}
        answer = ann.post("/api/notes/1/actions", body)
        if answer.status_code != 200:
            break
    assert answer.status_code == 507 and "not saved" in answer.json()["fault"]
    study.store.fetch_all("PRAGMA max_page_count = 1000000")
    state = ann.get("/api/notes/1").json()
    assert state["version"] == version and len(state["marks"]) == (2 if version > 1 else 1)
    assert ann.post("/api/notes/1/actions", body).status_code == 200


def test_a_transaction_is_whole(tmp_path):
    store = Store(tmp_path / "study.db")
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.write_setting("a", "1")
        with store.transaction():
            store.write_setting("b", "2")
        raise ZeroDivisionError
    assert store.fetch_all("SELECT * FROM study") == []
    store.close()


def test_the_log_only_grows(tmp_path):
    store = Store(tmp_path / "study.db")
    EventLog(store, FOLD).append("reader:ann", 1, 0, "ann", {"kind": "done"})
    for sql in ("DELETE FROM actions", "UPDATE actions SET by = 'bob'"):
        with pytest.raises(StoreError, match="only grows"):
            store.execute(sql)
    store.close()


def test_a_store_of_version_1_gets_the_new_tables_and_keeps_what_it_holds(tmp_path):
    path = tmp_path / "study.db"
    connection = sqlite3.connect(path)
    connection.executescript(f"PRAGMA application_id = {APPLICATION_ID}; {TABLES}")
    connection.execute("PRAGMA user_version = 1")
    connection.execute("INSERT INTO readers VALUES('ann', 'reader', NULL)")
    connection.commit()
    connection.close()
    path.chmod(0o600)
    store = Store(path)
    assert store.fetch_one("PRAGMA user_version") == (VERSION,)
    assert store.fetch_all("SELECT name FROM readers") == [("ann",)]
    assert store.fetch_all("SELECT * FROM sessions") == []
    store.close()
    Store(path).close()


def test_a_store_is_for_its_owner_and_of_this_version(tmp_path):
    path = tmp_path / "study.db"
    Store(path).close()
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o640)
    with pytest.raises(StoreError, match="mode 640 lets others read it"):
        Store(path)
    path.chmod(0o600)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    with pytest.raises(StoreError, match=f"store of version {VERSION + 1}; this program reads 1 to"):
        Store(path)


@pytest.mark.parametrize("content", [b"no database at all, but some text that is long enough" * 30, b"x"])
def test_a_file_that_is_not_a_store_is_refused_and_not_changed(tmp_path, content):
    path = tmp_path / "study.db"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(StoreError, match=r"study\.db"):
        Store(path)
    assert path.read_bytes() == content


def test_another_programs_database_is_refused(tmp_path):
    path = tmp_path / "study.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t(x)")
    connection.close()
    path.chmod(0o600)
    with pytest.raises(StoreError, match="not a study's store"):
        Store(path)


def rewrite_note(study, number, text):
    """Change a note on disk."""
    note = study.notes.find_note(number)
    document = Document(note.id, text, (), note.patient)
    corpora.write([document], study.notes.source.path, "i2b2", overwrite=True)


def test_a_note_changed_on_disk_is_refused_by_name(study):
    ann = Browser(study, "ann")
    ann.act(1, "add", start=12, end=16, type="DOCTOR")
    rewrite_note(study, 1, "Now seen by Dr. Ruiz.")
    for answer in (
        ann.get("/api/notes/1"),
        ann.post("/api/notes/1/actions", {"version": 1, "kind": "undo"}),
        ann.post("/api/notes/1/repeats", {"version": 1, "mark": 1, "apply": True}),
    ):
        assert answer.status_code == 409
        assert answer.json()["refused"] == "changed" and answer.json()["note"] == "7-01"
    assert ann.get("/api/notes").json()["notes"][0]["refused"] == "changed"
    rewrite_note(study, 1, TEXTS["7-01"][0])  # as it was: its marks fit again
    assert len(ann.get("/api/notes/1").json()["marks"]) == 1
    assert ann.get("/api/notes").json()["notes"][0]["refused"] is None
    (study.notes.source.path / "7-01.xml").unlink()
    assert ann.get("/api/notes/1").json()["refused"] == "missing"
    assert ann.get("/api/notes/2").status_code == 200


def test_changes_since_the_last_time_are_found_when_a_study_is_opened(study):
    path, folder = study.store.path, study.notes.source.path
    rewrite_note(study, 2, "another text")
    (folder / "8-01.xml").unlink()
    os.utime(folder / "7-01.xml", (1, 1))  # touched, but the same
    (folder / "9-01.xml").write_bytes((folder / "7-01.xml").read_bytes())
    again = open_study(path)
    assert again.notes.refused == {2: "changed", 3: "missing"} and again.notes.unknown_files == 1
    again.store.close()


def test_a_store_opens_only_with_its_own_notes(study, tmp_path):
    with pytest.raises(StoreError, match=r"a study of the notes in .*notes, not of those in"):
        open_study(study.store.path, notes_path=tmp_path)


def test_notes_that_cannot_be_read_leave_no_store(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.xml").write_text("<no")
    with pytest.raises(FormatError):
        create_study(tmp_path / "s.db", Source(tmp_path / "notes", "i2b2"), "i2b2-2014", None, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


def test_the_store_holds_no_text_of_a_note(study):
    ann = Browser(study, "ann")
    start = TEXTS["7-02"][0].index(CANARY)
    version = ann.act(2, "add", start=start, end=start + len(CANARY), type="PATIENT")["version"]
    ann.post("/api/notes/2/repeats", {"version": version, "mark": 1, "apply": True})
    ann.act(2, "done")
    Browser(study, "eve").post("/api/consensus/2/open")
    for end in ("", "-wal"):
        assert CANARY.encode() not in study.store.path.with_name(study.store.path.name + end).read_bytes()


def test_one_file_of_many_notes(tmp_path, notes):
    path = tmp_path / "notes.jsonl"
    corpora.write(notes, path, "jsonl")
    create_study(tmp_path / "s.db", Source(path, "jsonl"), "i2b2-2014", "t", 4)
    opened = open_study(tmp_path / "s.db")
    assert [len(notes_of_set) for notes_of_set in opened.sets.values()] == [10, 10, 10, 10]
    assert opened.notes.read_document(17) == notes[16].with_spans(())
    path.write_text(path.read_text().replace("fever", "Fever", 1))  # only the first note
    assert opened.notes.read_document(17).id == notes[16].id
    with pytest.raises(CrfdeidError, match=f"note {notes[0].id}: changed on disk"):
        opened.notes.read_document(1)
    opened.store.close()


def test_a_study_reads_the_folders_in_a_folder(tmp_path, capsys):
    folder = tmp_path / "notes"
    for name, text in (("a.txt", "Seen by Dr. Ruiz."), ("ward/a.txt", "Well."), ("ward/b/c.txt", "Home.")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    line = [str(folder), "--store", str(tmp_path / "s.db"), "--no-server"]
    review.main([*line, "--recursive"])
    opened = open_study(tmp_path / "s.db")
    read = [opened.notes.read_document(number) for number in range(1, len(opened.notes) + 1)]
    assert read == list(corpora.read(folder, "text", recursive=True)) and len(read) == 3
    (folder / "ward" / "b" / "c.txt").write_text("Changed.")
    (folder / "ward" / "new.txt").write_text("Not in the study.")
    opened.store.close()
    capsys.readouterr()
    review.main(line)  # the store knows that it has folders
    said = capsys.readouterr()
    assert "3 notes" in said.out and "note 3 is changed" in said.err
    assert "1 files are not in the study" in said.err


def test_a_study_without_folders_is_stored_as_before():
    source = Source(Path("notes"), "text")
    assert source.encode() == '["notes", "text", "utf-8", []]'
    for each in (source, Source(Path("notes"), "table", "utf-8", (("delimiter", ";"),), True)):
        assert decode_source(each.encode()) == each


def test_sets_keep_patients_together():
    documents = [Document(str(n), "a b c d", (), str(n // 3)) for n in range(12)]
    assert divide_into_sets(documents, [4] * 12, 2) == ["1"] * 6 + ["2"] * 6
    alone = [Document(str(n), "a", ()) for n in range(3)]
    assert divide_into_sets(alone, [1, 1, 1], 5) == ["1", "2", "4"]


def test_what_is_imported_must_fit(study):
    with pytest.raises(CrfdeidError, match="99: not a note of this study"):
        system_spans.match_documents(study, [Document("99", "x")])
    with pytest.raises(CrfdeidError, match="7-01: its text differs"):
        system_spans.match_documents(study, [Document("7-01", "x")])
    found = system_spans.match_documents(
        study, [Document("7-01", TEXTS["7-01"][0], (Span(12, 16, "DOCTOR"),))]
    )
    system_spans.import_marks(study, "dan", found)
    system_spans.import_marks(study, "dan", {1: []})  # dan has begun this note: it stays
    assert study.marks_log.read_entry("reader:dan", 1).state.spans == (Span(12, 16, "DOCTOR"),)
    with pytest.raises(CrfdeidError, match="already"):
        system_spans.add_system(study, "dan", found)
    system_spans.add_system(study, "model", found)
    with pytest.raises(CrfdeidError, match="already"):
        system_spans.import_marks(study, "model", found)
    accounts.add_reader(study.store, "dan", "reader")
    with pytest.raises(CrfdeidError, match="with the role reader"):
        accounts.add_reader(study.store, "dan", "adjudicator")


places = st.integers(0, 30)
actions = st.one_of(
    st.builds(
        lambda a, n, t: {"kind": "add", "start": a, "end": a + n, "type": t},
        places, st.integers(1, 8), st.sampled_from(["DATE", "AGE"]),
    ),
    st.builds(lambda m: {"kind": "remove", "mark": m}, st.integers(1, 6)),
    st.builds(
        lambda p, a: {"kind": "accept", "premark": p, "start": a, "end": a + 2, "type": "DATE"},
        st.integers(0, 3), places,
    ),
    st.builds(lambda p: {"kind": "reject", "premark": p}, st.integers(0, 3)),
    st.sampled_from([{"kind": "done"}, {"kind": "reopen"}, {"kind": "undo"}, {"kind": "redo"}]),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(actions, max_size=25))
def test_marks_never_overlap_and_states_survive_json(steps):
    history = History(FOLD)
    for step in steps:
        before = history.present
        try:
            history.act(step)
        except CrfdeidError:
            assert step["kind"] in ("undo", "redo") and history.present == before
            continue
        state = history.present
        edges = [(mark.start, mark.end) for mark in state.marks]
        assert edges == sorted(edges) and all(a[1] <= b[0] for a, b in zip(edges, edges[1:]))
        assert len({mark.id for mark in state.marks}) == len(state.marks)
        assert marks.decode_state(json.loads(json.dumps(marks.encode_state(state)))) == state
    while history.past:
        history.act({"kind": "undo"})
    assert history.present == Marking()


@settings(max_examples=15, deadline=None)
@given(st.lists(actions, max_size=15))
def test_the_state_in_the_store_is_the_fold_of_its_log(tmp_path_factory, steps):
    store = Store(tmp_path_factory.mktemp("log") / "study.db")
    log = EventLog(store, FOLD)
    for step in steps:
        version = log.read_entry("reader:ann", 1).version
        try:
            entry = log.append("reader:ann", 1, version, "ann", step)
        except CrfdeidError:
            continue
        history = log.replay("reader:ann", 1)
        assert entry == log.read_entry("reader:ann", 1)
        assert entry.state == history.present
        assert (entry.undo, entry.redo) == (len(history.past), len(history.future))
    store.close()


def test_a_consensus_survives_json():
    state = consensus.Consensus()
    for action in (
        {
            "kind": "open",
            "votes": {"ann": [[0, 4, "DATE"]], "bob": []},
            "kinds": {"ann": "reader", "bob": "reader"},
        },
        {"kind": "decide", "item": "0-4", "spans": [], "ambiguous": True},
        {"kind": "add", "start": 6, "end": 9, "type": "AGE"},
        {"kind": "done"},
    ):
        state = consensus.apply_action(state, action)
    back = consensus.decode_state(json.loads(json.dumps(consensus.encode_state(state))))
    assert back == state and back.ambiguous == [(0, 4)] and back.spans == (Span(6, 9, "AGE"),)
    again = {"kind": "votes", "votes": {"ann": [[0, 4, "DATE"]], "cy": [[20, 22, "AGE"]]}, "kinds": {}}
    assert consensus.apply_action(back, again).undecided == ["20-22"]


def test_full_is_one_clear_line():
    message = "the disk is full: the action was not saved; all actions saved before are safe"
    assert str(DiskFullError()) == message
