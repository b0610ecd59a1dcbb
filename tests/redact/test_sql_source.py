"""Notes from a database: the same as from a file, read once, and nothing of them in a message."""

import csv
import sqlite3
import subprocess
import sys
from datetime import datetime, timedelta

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


def write_database(path, table, columns, rows):
    """Write a database with one table, and return its address."""
    with sqlite3.connect(path) as database:
        database.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
        database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", rows)
    database.close()
    return f"sqlite:///{path}"


@pytest.fixture
def url(tmp_path):
    return write_database(tmp_path / "notes.db", "notes", ("id TEXT", "patient TEXT", "text TEXT"), ROWS)


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
        database.execute("CREATE TABLE notes (note_id INTEGER, mrn TEXT, ward TEXT, body TEXT)")
        database.execute("INSERT INTO notes VALUES (1, '7', 'ICU', 'Mr. John Okafor was seen.')")
        database.execute("INSERT INTO notes VALUES (2, '7', 'ICU', NULL)")
    database.close()
    monkeypatch.chdir(tmp_path)
    subprocess.run(["sh", "-ec", use_this_python(command)], check=True,
                   capture_output=True)  # fmt: skip
    (row,) = read_rows(tmp_path / "released.csv")
    assert [*row] == ["note_id", "mrn", "ward", "body"] and "Okafor" not in row["body"]
    assert row["mrn"] != "7" and row["ward"] == "ICU"


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


TABLE_ROWS = [  # id, patient, text, the day of the note, a number of eight digits, ward
    ("n1", "7", "Seen by Dr. Ruiz on 3/4/2061.", "2061-03-04", 20610304, "5W"),
    ("n2", "7", "Seen again on 3/11/2061.", None, 20610311, None),
    ("n3", "8", "Mr. Lee, SSN 219-09-9998.", "9999-12-31", None, "=1"),
    ("n4", "8", "Seen on 4/2/2061.", "1900-01-01", 99991231, "NULL"),
]
TABLE_HEADER = ("id", "patient", "text", "day", "number", "ward")
WHOLE = "SELECT * FROM visits ORDER BY patient, id"
SPOKEN = ("--date-column", "day", "--date-column", "number")


@pytest.fixture
def visits(tmp_path):
    """The address of a database, and a CSV table with the same rows."""
    with open(tmp_path / "visits.csv", "w", newline="") as file:
        csv.writer(file).writerows([TABLE_HEADER, *TABLE_ROWS])
    columns = [f"{name} INTEGER" if name == "number" else name for name in TABLE_HEADER]
    return write_database(tmp_path / "visits.db", "visits", columns, TABLE_ROWS)


def read_rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("more", [(), ("--keep-ids",), ("--drop-column", "ward"), ("--spreadsheet-safe",),
                                  ("--new-ids", "keyed"), ("--with-spans",), ("--jobs", 2),
                                  ("--by", "note")])  # fmt: skip
def test_a_query_becomes_the_table_that_a_file_of_the_same_rows_becomes(visits, tmp_path, capsys, more):
    options = [*OPTIONS, *SPOKEN, *more]
    status, said = run(capsys, tmp_path / "visits.csv", "--out", tmp_path / "a.csv", *options)
    assert status == 0, said
    status, said = run(capsys, "--sql", visits, "--query", WHOLE, "--out", tmp_path / "b.csv", *options)
    assert status == 0, said
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_dates_of_a_query_move_with_their_notes_and_other_columns_arrive(visits, tmp_path, capsys):
    redact.main(["--sql", visits, "--query", WHOLE, "--out", str(tmp_path / "b.csv"), *OPTIONS, *SPOKEN])
    first, second, third, fourth = read_rows(tmp_path / "b.csv")
    day = datetime.strptime(first["text"].split(" on ")[1], "%m/%d/%Y.").date()
    assert first["day"] == f"{day}" != "2061-03-04" and first["number"] == f"{day:%Y%m%d}"
    assert second["day"] == "" and second["number"] == f"{day + timedelta(7):%Y%m%d}"
    assert third["day"] == third["number"] == fourth["day"] == fourth["number"] == ""
    assert [row["ward"] for row in (first, second, third, fourth)] == ["5W", "", "=1", "NULL"]
    said = capsys.readouterr().out
    assert "copied unchanged, PHI included: ward\n" in said and "3 cells of date columns are empty" in said


@pytest.mark.parametrize(
    ("query", "options", "said"),
    [
        (WHOLE, "", "--sql: column day has dates; wanted --date-column, --drop-column or --copy-column"),
        (WHOLE, "--date-column day", "--sql: column number has dates; wanted --date-column"),
        (WHOLE, "--date-column day --copy-column Number",
         "--sql: no column Number, which an option names; did you mean number?"),
        (WHOLE, "--date-column day --copy-column text", "column text has two uses"),
        ("SELECT id, text, 'Ottoline Okafor' AS signed FROM visits", "", "column signed has names"),
        ("SELECT id, text, '617-555-0148' AS reached FROM visits", "",
         "column reached has numbers or addresses of people"),
        ("SELECT id, text, NULL AS dob FROM visits", "", "column dob has dates"),
        ("SELECT id, text, day, id FROM visits", "", "--sql: two columns of the query have the name id"),
        ("SELECT id, text, x'00ff' AS image FROM visits", "",
         "column image has values that are neither texts nor numbers"),
    ],
)  # fmt: skip
def test_a_column_of_a_query_that_nobody_spoke_for_is_refused(visits, tmp_path, capsys, query, options, said):
    given = ["--sql", visits, "--query", query, "--by", "note", *options.split()]
    status, error = run(capsys, *given, "--out", tmp_path / "b.csv", *OPTIONS)
    assert status == 2 and said in error and error.count("\n") == 1
    assert not (tmp_path / "b.csv").exists()


def test_a_column_whose_first_thousand_values_are_empty_is_judged_by_the_others(tmp_path, capsys):
    rows = [(n, n, "Well.", None if n <= 1500 else "2061-03-04") for n in range(1, 1511)]
    with sqlite3.connect(tmp_path / "late.db") as database:
        database.execute("CREATE TABLE late (id, patient, text, seen)")
        database.executemany("INSERT INTO late VALUES (?, ?, ?, ?)", rows)
    database.close()
    with open(tmp_path / "late.csv", "w", newline="") as file:
        csv.writer(file).writerows([("id", "patient", "text", "seen"), *rows])
    query = ["--sql", f"sqlite:///{tmp_path / 'late.db'}", "--query", "SELECT * FROM late"]
    for source in (query, [tmp_path / "late.csv"]):
        status, error = run(capsys, *source, "--out", tmp_path / "b.csv", *OPTIONS)
        assert status == 2 and "column seen has dates; wanted" in error and error.count("\n") == 1
        assert not (tmp_path / "b.csv").exists()


def test_rows_of_a_query_that_are_left_out_do_not_shift_the_columns(visits, tmp_path, capsys):
    with sqlite3.connect(tmp_path / "visits.db") as database:
        database.execute("UPDATE visits SET text = NULL WHERE id IN ('n2', 'n4')")
    database.close()
    given = ["--sql", visits, "--query", WHOLE, "--out", tmp_path / "b.csv", *OPTIONS, *SPOKEN]
    assert run(capsys, *given)[0] == 2 and not (tmp_path / "b.csv").exists()
    assert run(capsys, *given, "--skip-bad", tmp_path / "bad.csv")[0] == 3
    assert [row["ward"] for row in read_rows(tmp_path / "b.csv")] == ["5W", "=1"]
    assert [row["row"] for row in read_rows(tmp_path / "bad.csv")] == ["2", "4"]


def test_a_text_that_says_null_is_a_text_in_a_database(visits, tmp_path, capsys):
    query = "SELECT id, 'NULL' AS text FROM visits"
    given = ["--sql", visits, "--query", query, "--out", tmp_path / "b.csv", *OPTIONS]
    assert run(capsys, *given)[0] == 0
    assert {row["text"] for row in read_rows(tmp_path / "b.csv")} == {"NULL"}


def test_a_query_that_becomes_json_lines_says_which_columns_are_left_out(visits, tmp_path, capsys):
    given = ["--sql", visits, "--query", WHOLE, *OPTIONS]
    redact.main([*given, "--out", str(tmp_path / "b.jsonl")])
    assert "columns that are not in the output: day, number, ward\n" in capsys.readouterr().out
    status, error = run(capsys, *given, "--out", tmp_path / "c.jsonl", "--date-column", "day")
    assert status == 2 and "only where a table or a query becomes one table (.csv, .parquet)" in error
    redact.main([str(tmp_path / "visits.csv"), *OPTIONS, "--out", str(tmp_path / "d.jsonl")])
    assert "columns that are not in the output: day, number, ward\n" in capsys.readouterr().out


def test_a_query_becomes_a_table_on_standard_output_and_in_parquet(visits, tmp_path, capfdbinary):
    given = ["--sql", visits, "--query", WHOLE, *OPTIONS, *SPOKEN]
    redact.main([*given, "--out", str(tmp_path / "b.csv")])
    capfdbinary.readouterr()
    redact.main([*given, "--format", "table", "--out", "-"])
    assert capfdbinary.readouterr().out == (tmp_path / "b.csv").read_bytes()
    parquet = pytest.importorskip("pyarrow.parquet")
    redact.main([*given, "--out", str(tmp_path / "b.parquet")])
    rows = parquet.read_table(tmp_path / "b.parquet").to_pylist()
    assert [{key: cell or "" for key, cell in row.items()} for row in rows] == read_rows(tmp_path / "b.csv")
