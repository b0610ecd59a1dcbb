"""The edges of tables that keep their columns: options, rows that wait for their notes, and what is said."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from marked_notes import make_plan

from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.redact.run import table_output
from crfdeid.redact.run.destination import Destination
from crfdeid.redact.run.plan import STREAM, ColumnOptions
from crfdeid.redact.run.table_output import TableDestination, WholeTable
from crfdeid.text.document import Document, Span

TABLE = "id,text,patient,ward,Birth Date\n1,Ana,7,5W,3/7\n2,=Eva,8,=1,\n,Owen,,6E,\n"


COLUMNS = ("bad", "id_column", "text_column", "patient_column")


def make_table_plan(notes, **values):
    """The plan for a table that keeps its ids; ``values`` are fields of the plan or of its reading."""
    plan = make_plan(notes, "--from", "table", "--out", "c.csv", "--keep-ids")
    of_reading = {name: values.pop(name) for name in COLUMNS if name in values}
    return replace(plan, reading=replace(plan.reading, **of_reading), **values)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "n.csv"
    path.write_text(TABLE)
    return path


def open_table(path, **values):
    values.setdefault("columns", ColumnOptions(copied=("Birth Date",)))  # it is refused without a word for it
    table = WholeTable(make_table_plan(path, **values))
    table.originals = {id: id for id in ("1", "2", "3")}
    return table


@pytest.mark.parametrize(
    ("given", "out", "new_ids", "has_spans", "in_new_order"),
    [
        ("", "c.csv", "random", False, False),
        ("--key-file k", "c.csv", "keyed", False, False),
        ("--seed 0", "c.csv", "keyed", False, False),
        ("--new-ids keyed", "c.csv", "keyed", False, True),
        ("--new-ids random --seed 1", "c.csv", "random", False, True),
        ("--keep-ids", "c.csv", None, False, False),
        ("--with-spans", "c.csv", "random", True, False),
        ("", "c.jsonl", None, True, False),
        ("--no-spans", "c.jsonl", None, False, False),
        ("--new-ids", "c.jsonl", "random", True, True),
    ],
)
def test_what_the_command_line_left_open_is_decided(path, given, out, new_ids, has_spans, in_new_order):
    plan = make_plan(
        path, "--out", out, "--format", Path(out).suffix[1:].replace("csv", "table"), *given.split()
    )
    assert (plan.new_ids, plan.has_spans, plan.in_new_order) == (new_ids, has_spans, in_new_order)


def test_ids_are_kept_or_new(path):
    with pytest.raises(ConfigurationError, match="--keep-ids and --new-ids: choose one"):
        make_plan(path, "--out", "c.csv", "--keep-ids", "--new-ids")
    tables = [(a, b) for a in ("table", "jsonl") for b in ("table", "jsonl") if table_output.is_table(a, b)]
    assert tables == [("table", "table")]


def test_rows_come_as_soon_as_their_notes_and_all_before(path):
    table = open_table(path)
    came = []

    def give():
        for id in ("2", "1", "3"):
            came.append(id)
            yield Document(id, f"text {id}")

    found = [(list(came), row.id, row.cells["text"]) for row in table.join(give())]
    assert found == [
        (["2", "1"], "1", "text 1"), (["2", "1"], "2", "text 2"), (["2", "1", "3"], "3", "text 3"),
    ]  # fmt: skip
    assert table.originals == {}


@pytest.mark.parametrize("ids", [["1"], ["1", "2"], ["2", "3"], [], ["1", "2", "3", "4"]])
def test_a_table_that_changed_is_refused(path, ids):
    table = open_table(path)
    table.originals["4"] = "4"
    if not ids:
        assert list(table.join([])) == []  # no note was asked for
        return
    with pytest.raises(FormatError, match="the table changed while it was read; nothing was written"):
        list(table.join(Document(id, "") for id in ids))


def test_rows_that_are_left_out_have_no_note(path):
    bad = SimpleNamespace(has=lambda where, number: (where, number) in ((path, 1), (path, 3)))
    (row,) = open_table(path, bad=bad).join([Document("2", "x")])
    assert row.cells == {"id": "2", "text": "x", "patient": "8", "ward": "=1", "Birth Date": ""}


def test_a_row_gets_new_ids_and_spans_and_is_quoted(path):
    document = Document("n1", "=x", (Span(1, 2, "PATIENT"),), "p1")

    def change(number=1, **values):
        table = open_table(path, **values)
        rows = iter(table_output.whole_rows.read_rows(path, "table", "utf-8", ","))
        row = [next(rows) for _ in range(number)][-1]
        return table._change_row(row, document).cells

    assert change() == {"id": "1", "text": "=x", "patient": "7", "ward": "5W", "Birth Date": "3/7"}
    assert change(new_ids="keyed")["id"] == "n1" and change(new_ids="keyed")["patient"] == "p1"
    assert change(3, new_ids="keyed")["id"] is None  # the row has none
    quoted = change(2, is_spreadsheet_safe=True, has_spans=True)
    assert quoted == {
        "id": "2", "text": "'=x", "patient": "8", "ward": "'=1", "Birth Date": "",
        "spans": '[{"start": 2, "end": 3, "type": "PATIENT"}]',
    }  # fmt: skip
    path.write_text("id,text\n1,Ana\n")
    assert change(new_ids="keyed") == {"id": "n1", "text": "=x"}


def test_what_is_said_of_columns_has_their_names(path):
    said = "copied unchanged, PHI included: "
    assert list(open_table(path).lines()) == [f"{said}ward, Birth Date (named as DATE is)"]
    other = open_table(path, id_column="ward", text_column="Birth Date", patient_column="id")
    assert list(other.lines()) == [f"{said}text, patient (named as PATIENT is)"]
    path.write_text("id,text,patient,spans\n1,Ana,7,[]\n")
    assert list(open_table(path).lines()) == []
    other = Destination(path.with_name("c.jsonl"), "jsonl")
    assert list(other.lines()) == [] and not other.quotes_cells
    assert (other.keep, other.originals, other.taken_out) == (None, None, {})


def test_the_header_has_spans_where_they_are_written(path):
    assert open_table(path).written_header.keys == ("id", "text", "patient", "ward", "Birth Date")
    assert open_table(path, has_spans=True).written_header.keys[-1] == "spans"
    assert open_table(path).changed == ("text", "spans")
    assert open_table(path, new_ids="random").changed == ("text", "spans", "id", "patient")


def test_a_stream_keeps_its_rows_until_their_notes_come():
    table = WholeTable(make_table_plan(STREAM))
    with pytest.raises(FormatError, match="standard input: no documents"):
        print(table.header)
    for id in ("1", "2"):
        table.keep([{"id": id, "text": "x", "ward": "5"}])
        table.originals[id] = id
    assert table.header.keys == ("id", "text", "ward")
    rows = [row.cells for row in table.join([Document("1", "a"), Document("2", "b")])]
    assert rows == [{"id": "1", "text": "a", "ward": "5"}, {"id": "2", "text": "b", "ward": "5"}]


def test_rows_of_a_stream_without_ids_are_counted_as_they_come():
    table = WholeTable(make_table_plan(STREAM))

    def give():
        for number in "123":
            table.keep([{"id": "", "text": "x"}])
            table.originals[number] = number
            yield Document(number, f"note {number}")

    assert [row.cells["text"] for row in table.join(give())] == ["note 1", "note 2", "note 3"]


@pytest.mark.parametrize("name", ["-", "c.csv"])
def test_rows_in_a_new_order_go_through_a_file_beside_the_output(path, tmp_path, monkeypatch, capsys, name):
    monkeypatch.setattr(table_output.tempfile, "gettempdir", lambda: "/temporary")
    folders = []
    monkeypatch.setattr(table_output, "sort_items", lambda rows, folder: folders.append(folder) or ())
    target = STREAM if name == "-" else tmp_path / name
    TableDestination(target, "table", table=open_table(path)).write([], by_id=True)
    assert folders == [Path("/temporary") if name == "-" else tmp_path]
    TableDestination(STREAM, "table", table=open_table(path)).write([])
    assert len(folders) == 1  # no new order was asked for


def test_a_parquet_table_that_came_after_the_run_began_stays(tmp_path):
    destination = TableDestination(tmp_path / "c.parquet", "parquet", table=SimpleNamespace())
    (tmp_path / "c.parquet").write_bytes(b"another")
    with pytest.raises(FormatError, match="exists; --overwrite replaces it"):
        destination._write_cells(iter(()), is_stream=False)
    assert (tmp_path / "c.parquet").read_bytes() == b"another"


def test_columns_are_kept_where_one_table_becomes_one_table(path, tmp_path):
    def keep(notes, out, target, overwrite=False):
        destination = Destination(out, target, overwrite=overwrite)
        copied = ColumnOptions(copied=("Birth Date",))  # a column of dates is refused without a word for it
        return table_output.keep_columns(destination, make_table_plan(notes, columns=copied))

    found = keep(path, tmp_path / "c.csv", "table")
    assert isinstance(found, TableDestination) and not found.overwrite and found.quotes_cells
    assert found.keep is found.table.keep and found.originals is found.table.originals
    assert (found.path, found.format, found.is_folder) == (tmp_path / "c.csv", "table", False)
    assert keep(path, tmp_path / "c.csv", "table", overwrite=True).overwrite
    for notes, out, target in (
        (path, tmp_path / "c.jsonl", "jsonl"), (tmp_path, tmp_path / "c.csv", "table"),
    ):  # fmt: skip
        assert keep(notes, out, target) is None


def test_the_first_row_is_taken_before_the_others():
    asked = []
    rows = table_output.start(iter([asked.append(1) or {"a": 1}, {"a": 2}]))
    assert list(rows) == [{"a": 1}, {"a": 2}] and list(table_output.start(iter(()))) == []
