"""The edges of tables that keep their columns: options, rows that wait for their notes, and what is said."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.redact import table_output
from crfdeid.redact.release import Destination
from crfdeid.redact.streams import STREAM
from crfdeid.redact.table_output import NoTable, TableDestination, WholeTable
from crfdeid.text.document import Document, Span

TABLE = "id,text,patient,ward,Birth Date\n1,Ana,7,5W,3/7\n2,=Eva,8,=1,\n,Owen,,6E,\n"


def make_args(**values):
    usual = {
        "id_column": None, "text_column": None, "patient_column": None, "new_ids": None, "no_spans": True,
        "with_spans": False, "spreadsheet_safe": False, "skip_bad": None, "encoding": "utf-8",
        "delimiter": ",", "keep_ids": False, "key_file": None, "seed": None,
    }  # fmt: skip
    return SimpleNamespace(**usual | values)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "n.csv"
    path.write_text(TABLE)
    return path


def open_table(path, **values):
    table = WholeTable(make_args(notes=path, **values), "table")
    table.originals = {id: id for id in ("1", "2", "3")}
    return table


@pytest.mark.parametrize(
    ("given", "target", "new_ids", "no_spans", "in_new_order"),
    [
        ({}, "table", "random", True, False),
        ({"key_file": "k"}, "table", "keyed", True, False),
        ({"seed": 0}, "table", "keyed", True, False),
        ({"new_ids": "keyed"}, "table", "keyed", True, True),
        ({"new_ids": "random", "seed": 1}, "table", "random", True, True),
        ({"keep_ids": True}, "table", None, True, False),
        ({"with_spans": True}, "table", "random", False, False),
        ({}, "jsonl", None, False, False),
        ({"no_spans": True}, "jsonl", None, True, False),
        ({"new_ids": "random"}, "jsonl", "random", False, True),
    ],
)
def test_what_the_command_line_left_open_is_decided(given, target, new_ids, no_spans, in_new_order):
    args = make_args(**{"no_spans": False} | given)
    table_output.settle_options(args, "table", target)
    assert (args.new_ids, args.no_spans, args.in_new_order) == (new_ids, no_spans, in_new_order)


def test_ids_are_kept_or_new():
    with pytest.raises(ConfigurationError, match="--keep-ids and --new-ids: choose one"):
        table_output.settle_options(make_args(keep_ids=True, new_ids="random"), "table", "table")
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
    (row,) = open_table(path, skip_bad=bad).join([Document("2", "x")])
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
    quoted = change(2, spreadsheet_safe=True, no_spans=False)
    assert quoted == {
        "id": "2", "text": "'=x", "patient": "8", "ward": "'=1", "Birth Date": "",
        "spans": '[{"start": 2, "end": 3, "type": "PATIENT"}]',
    }  # fmt: skip
    path.write_text("id,text\n1,Ana\n")
    assert change(new_ids="keyed") == {"id": "n1", "text": "=x"}


def test_what_is_said_of_columns_has_their_numbers(path):
    said = "columns that were written as they were, with all PHI that they hold: "
    assert list(open_table(path).lines()) == [f"{said}4, 5 (named as DATE is)"]
    other = open_table(path, id_column="ward", text_column="Birth Date", patient_column="id")
    assert list(other.lines()) == [f"{said}2, 3 (named as PATIENT is)"]
    path.write_text("id,text,patient,spans\n1,Ana,7,[]\n")
    assert list(open_table(path).lines()) == []
    assert list(NoTable().lines()) == [] and not NoTable().is_kept


def test_the_header_has_spans_where_they_are_written(path):
    assert open_table(path).written_header.keys == ("id", "text", "patient", "ward", "Birth Date")
    assert open_table(path, no_spans=False).written_header.keys[-1] == "spans"
    assert open_table(path).changed == ("text", "spans")
    assert open_table(path, new_ids="random").changed == ("text", "spans", "id", "patient")


def test_a_stream_keeps_its_rows_until_their_notes_come():
    table = WholeTable(make_args(notes=STREAM), "table")
    with pytest.raises(FormatError, match="standard input: no documents"):
        print(table.header)
    for id in ("1", "2"):
        table.keep({"id": id, "text": "x", "ward": "5"})
        table.originals[id] = id
    assert table.header.keys == ("id", "text", "ward")
    rows = [row.cells for row in table.join([Document("1", "a"), Document("2", "b")])]
    assert rows == [{"id": "1", "text": "a", "ward": "5"}, {"id": "2", "text": "b", "ward": "5"}]


def test_rows_of_a_stream_without_ids_are_counted_as_they_come():
    table = WholeTable(make_args(notes=STREAM), "table")

    def give():
        for number in "123":
            table.keep({"id": "", "text": "x"})
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
        return table_output.keep_columns(destination, make_args(notes=notes), "table")

    found, table = keep(path, tmp_path / "c.csv", "table")
    assert isinstance(found, TableDestination) and found.table is table and not found.overwrite
    assert (found.path, found.format, found.is_folder) == (tmp_path / "c.csv", "table", False)
    assert keep(path, tmp_path / "c.csv", "table", overwrite=True)[0].overwrite
    for notes, out, target in (
        (path, tmp_path / "c.jsonl", "jsonl"), (tmp_path, tmp_path / "c.csv", "table"),
    ):  # fmt: skip
        found, table = keep(notes, out, target)
        assert type(found) is Destination and isinstance(table, NoTable)


def test_the_first_row_is_taken_before_the_others():
    asked = []
    rows = table_output.start(iter([asked.append(1) or {"a": 1}, {"a": 2}]))
    assert list(rows) == [{"a": 1}, {"a": 2}] and list(table_output.start(iter(()))) == []
