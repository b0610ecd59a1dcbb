"""Notes from a database: the same as from a file, read once, and nothing of them in a message."""

import sqlite3
import subprocess
import sys

import pytest

pytest.importorskip("sqlalchemy", reason="sqlalchemy is not installed")

from marked_notes import make_plan
from page_examples import use_this_python

from crfdeid import cli, corpora, files
from crfdeid.corpora.registry import Reading
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.redact import __main__ as redact
from crfdeid.redact.run import patients
from crfdeid.redact.run.plan import Query
from crfdeid.text.document import Document

CANARY = "Zanzibarova"
ROWS = [
    ("n1", "7", f"Mrs. Ana {CANARY} was seen by Dr. Ruiz on 3/4/2061."),
    ("n2", "7", f"{CANARY} called on 3/5/2061."),
    ("n3", "8", "Mr. Lee, SSN 219-09-9998."),
]
QUERY = "SELECT id, patient, text FROM notes ORDER BY patient, id"
APART = "CASE id WHEN 'n1' THEN 1 WHEN 'n3' THEN 2 ELSE 3 END"  # the notes of a patient are not together
OPTIONS = ["--model", "rules", "--seed", "1"]


@pytest.fixture
def url(tmp_path):
    with sqlite3.connect(tmp_path / "notes.db") as database:
        database.execute("CREATE TABLE notes (id TEXT, patient TEXT, text TEXT)")
        database.executemany("INSERT INTO notes VALUES (?, ?, ?)", ROWS)
    database.close()
    return f"sqlite:///{tmp_path / 'notes.db'}"


def run(capsys, *arguments):
    """The exit status, and what is said."""
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: (redact.main(list(map(str, arguments))), sys.exit(0)))
    said = capsys.readouterr()
    assert CANARY not in said.out + said.err and "secret" not in said.out + said.err
    return stopped.value.code, said.err


def test_a_query_is_redacted_as_a_file_is(url, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(patients, "BATCH", 2)
    notes = [Document(id, text, patient=patient) for id, patient, text in ROWS]
    corpora.write(notes, tmp_path / "notes.jsonl", "jsonl")
    assert run(capsys, tmp_path / "notes.jsonl", "--out", tmp_path / "a.jsonl", *OPTIONS)[0] == 0
    assert run(capsys, "--sql", url, "--query", QUERY, "--out", tmp_path / "b.jsonl", "--format", "jsonl",
               *OPTIONS)[0] == 0  # fmt: skip
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert CANARY not in (tmp_path / "b.jsonl").read_text()


def test_columns_have_other_names_and_numbers_are_ids(url, tmp_path, capsys):
    query = "SELECT rowid AS note, text AS body FROM notes"
    columns = ["--id", "note", "--text", "body"]
    assert (
        run(capsys, "--sql", url, "--query", query, *columns, "--out", tmp_path / "c.jsonl", *OPTIONS)[0] == 0
    )
    assert [note.id for note in corpora.read(tmp_path / "c.jsonl")] == ["1", "2", "3"]


def test_the_address_can_be_in_the_environment(url, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv(patients.URL_VARIABLE, url)
    assert run(capsys, "--sql", "env", "--query", QUERY, "--out", tmp_path / "c.jsonl", *OPTIONS)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sql", "URL"], "--sql and --query need each other"),
        (["--query", QUERY, "x.jsonl"], "--sql and --query need each other"),
        ([], "wanted the notes, or --sql with --query"),
        (["x.jsonl", "--sql", "URL", "--query", QUERY], "wanted the notes, or --sql with --query"),
        (["--sql", "URL", "--query", QUERY, "--from", "jsonl"], "are for files"),
        (["--sql", "URL", "--query", "SELECT secret FROM nowhere"], "the database or its driver refused"),
        (["--sql", "nodatabase://a:secret@host/x", "--query", QUERY], "the database or its driver refused"),
        (["--sql", "secret", "--query", QUERY], "the database or its driver refused: ArgumentError"),
        (["--sql", "URL", "--query", "SELECT patient, text FROM notes"], "no column id among the 2"),
        (["--sql", "URL", "--query", "SELECT id, text FROM notes WHERE 0"], "gives no notes"),
        (["--sql", "URL", "--query", "SELECT 'x1' AS id, text FROM notes"], "document x1 occurs twice"),
        (["--sql", "URL", "--query", "SELECT id, NULL AS text FROM notes"], "row 1: its text is NULL"),
        (["--sql", "URL", "--query", f"SELECT * FROM notes ORDER BY {APART}"],
         "--sql: n2: its patient came before another one"),
    ],
)  # fmt: skip
def test_a_wrong_query_is_refused_in_one_line_and_leaves_nothing(url, tmp_path, capsys, arguments, message):
    given = [url if each == "URL" else each for each in arguments]
    status, said = run(capsys, *given, "--out", tmp_path / "out.jsonl", *OPTIONS)
    assert status == 2 and message in said and said.count("\n") == 1
    assert not (tmp_path / "out.jsonl").exists()


def test_rows_without_a_text_are_left_out_and_listed(url, tmp_path, capsys):
    with sqlite3.connect(tmp_path / "notes.db") as database:
        database.execute("INSERT INTO notes VALUES ('n2b', '7', NULL)")
    database.close()
    given = ["--sql", url, "--query", QUERY, "--out", tmp_path / "b.jsonl", "--format", "jsonl", *OPTIONS]
    assert run(capsys, *given)[0] == 2
    assert run(capsys, *given, "--skip-bad", tmp_path / "bad.csv")[0] == 3
    assert (tmp_path / "bad.csv").read_text().splitlines()[1].startswith('--sql,3,n2b,"its text is NULL')
    assert len(list(corpora.read(tmp_path / "b.jsonl"))) == 3


def test_a_run_says_by_which_column_it_knows_patients(url, tmp_path, capsys):
    query = "SELECT id, patient AS mrn, text FROM notes ORDER BY mrn"
    redact.main(["--sql", url, "--query", query, "--patient-column", "mrn", "--format", "jsonl", "--out",
                 str(tmp_path / "b.jsonl"), *OPTIONS])  # fmt: skip
    assert "patients: 2, by the column mrn" in capsys.readouterr().out


def test_what_a_query_needs_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(
        ConfigurationError, match=r"^sqlalchemy not installed: .* -m pip install 'crfdeid\[sql\]'$"
    ):
        patients.build_query_reader(Query("sqlite://", "SELECT 1"), Reading("jsonl"))


@pytest.mark.slow
def test_the_example_of_the_page_redacts_a_database(tmp_path, monkeypatch, capsys):
    page = (files.PACKAGE.parent / "docs/databases.md").read_text("utf-8")
    command = page.split("redact --sql\n")[1].split("```sh\n")[1].split("```")[0]
    with sqlite3.connect(tmp_path / "notes.db") as database:
        database.execute("CREATE TABLE notes (note_id INTEGER, mrn TEXT, body TEXT)")
        database.execute("INSERT INTO notes VALUES (1, '7', 'Mr. John Okafor was seen.')")
    database.close()
    monkeypatch.chdir(tmp_path)
    subprocess.run(["sh", "-ec", use_this_python(command)], check=True,
                   capture_output=True)  # fmt: skip
    (note,) = corpora.read(tmp_path / "clean.jsonl")
    assert (note.id, note.patient) == ("1", "7") and "Okafor" not in note.text


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("p", None),
        ("--sql u --query q", None),
        ("", "wanted the notes, or --sql with --query"),
        ("p --sql u --query q", "wanted the notes, or --sql with --query"),
        ("--sql u", "--sql and --query need each other"),
        ("p --query q", "--sql and --query need each other"),
        ("--sql u --query q --from text", "--from and --patient-from folder are for files"),
        ("--sql u --query q --patient-from folder", "--from and --patient-from folder are for"),
        ("--sql u --query q --patient-from x", None),
        ("p --from text", None),
        ("p --patient-from folder", None),
    ],
)
def test_the_notes_come_from_one_place(given, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p/a").mkdir(parents=True)
    for note in ("p/n.txt", "p/a/n.txt") if "folder" not in given else ("p/a/n.txt",):
        (tmp_path / note).write_text("Well.")
    options = [*given.split(), "--out", "clean", "--format", "text"]
    if said is None:
        plan = make_plan(*options)
        assert (plan.query is None) == ("--sql" not in given)
        return
    with pytest.raises(ConfigurationError, match=said):
        make_plan(*options)


def test_an_id_twice_in_a_query_is_refused_at_its_number():
    notes = [Document("a", ""), Document("b", "")]
    assert list(patients.refuse_repeated(iter(notes))) == notes
    with pytest.raises(FormatError, match="^--sql: document .* occurs twice$"):
        list(patients.refuse_repeated(iter([*notes, notes[0]])))
    with pytest.raises(FormatError, match="^--sql: document number 2 occurs twice$"):
        list(patients.refuse_repeated(iter([Document("Ana Ruiz", "")] * 2)))
    with pytest.raises(FormatError, match="^--sql: the query gives no notes$"):
        list(patients.refuse_repeated(iter(())))
