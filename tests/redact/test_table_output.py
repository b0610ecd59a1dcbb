"""A table in, the same table out: only the cells of the text and of real identifiers change."""

import csv
import io
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marked_notes import run, status

from crfdeid.corpora import whole_rows
from crfdeid.redact.run import patients

HEADER = ["", "note_id", "mrn", "ward", "ward", "note", "spans"]
ROWS = [
    ["0", "A-1", "4471902", "5W", "x", "Owen Marchetti came", "[[0, 14, \"PATIENT\"]]"],
    ["1", "B-1", "5530117", "=1", "NULL", "Leila\r\n\"Okafor\"", "[[0, 5, \"PATIENT\"]]"],
    ["2", "A-2", "4471902", "", "007", "Owen came back", "[[0, 4, \"PATIENT\"]]"],
]  # fmt: skip
COLUMNS = ("--id-column", "note_id", "--text-column", "note", "--patient-column", "mrn", "--spans", "gold")


def write_table(path: Path, rows: list[list[str]] = ROWS) -> Path:
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
    return path


def read_table(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def redact_table(tmp_path: Path, *options: object) -> list[list[str]]:
    out = tmp_path / "clean.csv"
    run(write_table(tmp_path / "n.csv"), "--out", out, "--overwrite", *COLUMNS, *options)
    return read_table(out.read_bytes().decode())


def test_a_table_keeps_its_columns_names_and_order(tmp_path):
    header, *rows = redact_table(tmp_path)
    assert header == HEADER[:-1]
    assert [[*row[:1], *row[3:5]] for row in rows] == [[*row[:1], *row[3:5]] for row in ROWS]
    for before, after in zip(ROWS, rows):
        assert after[5] != before[5] and "Owen" not in after[5] and "Leila" not in after[5]
    assert rows[1][5].endswith('\r\n"Okafor"')


def test_ids_and_patients_become_codes_unless_they_are_kept(tmp_path, capsys):
    _, *coded = redact_table(tmp_path)
    text = (tmp_path / "clean.csv").read_text()
    assert not any(id in text for row in ROWS for id in row[1:3])
    assert coded[0][2] == coded[2][2] != coded[1][2] and len({row[1] for row in coded}) == 3
    assert "copied unchanged, PHI included: 1, ward, ward" in capsys.readouterr().out
    _, *kept = redact_table(tmp_path, "--keep-ids")
    assert [row[1:3] for row in kept] == [row[1:3] for row in ROWS]
    assert redact_table(tmp_path, "--seed", 1) == redact_table(tmp_path, "--seed", 1)
    assert status("x", "--out", "y", "--keep-ids", "--new-ids") == 2


def test_a_column_that_is_named_as_an_identifier_is_pointed_out(tmp_path, capsys):
    (tmp_path / "n.csv").write_text("id,text,Birth Date\n1,well,3/4/2061\n")
    copy = ("--copy-column", "Birth Date")  # without it the run ends: nobody spoke for its dates
    run(tmp_path / "n.csv", "--out", tmp_path / "c.csv", "--spans", "gold", *copy)
    assert "copied unchanged, PHI included: Birth Date (named as DATE is)" in capsys.readouterr().out
    assert (tmp_path / "c.csv").read_text().splitlines()[0] == '"id","text","Birth Date"'


def test_spans_are_written_only_on_demand(tmp_path):
    header, first, *_ = redact_table(tmp_path, "--with-spans")
    assert header == HEADER and '"type": "PATIENT"' in first[-1]
    assert status("x", "--out", "y", "--with-spans", "--no-spans") == 2


def test_with_new_ids_the_rows_are_in_the_order_of_the_new_ones(tmp_path):
    _, *rows = redact_table(tmp_path, "--new-ids", "keyed", "--seed", 3)
    assert [row[1] for row in rows] == sorted(row[1] for row in rows)
    assert sorted(row[0] for row in rows) == ["0", "1", "2"]


def test_a_stream_keeps_its_columns(tmp_path, monkeypatch, capfdbinary):
    by_note = ("--seed", 1, "--by", "note")
    expected = redact_table(tmp_path, *by_note)
    monkeypatch.setattr(patients, "INPUT", tmp_path / "n.csv")
    capfdbinary.readouterr()
    run("-", "--from", "table", "--out", "-", *COLUMNS, *by_note)
    header, *rows = read_table(capfdbinary.readouterr().out.decode())
    assert rows == expected[1:]
    assert header == ["", "note_id", "mrn", "ward", "ward.1", "note"]  # as pandas names the second one


def test_cells_that_a_spreadsheet_would_compute_are_quoted_in_every_column(tmp_path):
    _, *rows = redact_table(tmp_path, "--spreadsheet-safe")
    assert rows[1][3] == "'=1"


def test_a_parquet_table_keeps_the_types_of_its_columns(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table(
        {"id": [7, 8], "at": [datetime(2061, 3, 4), None], "text": ["Ana Ruiz", "well"],
         "spans": ['[[0, 8, "PATIENT"]]', "[]"], "n": [1.5, None]}
    )  # fmt: skip
    parquet.write_table(table, tmp_path / "n.parquet")
    copy = ("--copy-column", "at")
    run(tmp_path / "n.parquet", "--out", tmp_path / "c.parquet", "--spans", "gold", "--keep-ids", *copy)
    clean = parquet.read_table(tmp_path / "c.parquet")
    assert clean.schema.equals(table.schema.remove(3))
    assert clean.drop(["text"]).equals(table.drop(["text", "spans"]))
    assert clean["text"].to_pylist()[1] == "well" != clean["text"].to_pylist()[0] != "Ana Ruiz"
    run(tmp_path / "n.parquet", "--out", tmp_path / "d.parquet", "--spans", "gold", *copy)
    assert {len(id) for id in parquet.read_table(tmp_path / "d.parquet")["id"].to_pylist()} == {33}
    run(
        tmp_path / "n.parquet",
        "--out",
        tmp_path / "d.csv",
        "--format",
        "table",
        "--spans",
        "gold",
        "--keep-ids",
        *copy,
    )
    assert read_table((tmp_path / "d.csv").read_text())[2] == ["8", "", "well", ""]


def test_a_parquet_table_that_is_there_stays_without_overwrite(tmp_path, capsys):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table({"id": ["7"], "text": ["Ana Ruiz"], "spans": ["[]"]})
    parquet.write_table(table, tmp_path / "n.parquet")
    (tmp_path / "c.parquet").write_bytes(b"another")
    given = (tmp_path / "n.parquet", "--out", tmp_path / "c.parquet", "--spans", "gold")
    assert status(*given) == 2 and "exists; --overwrite replaces it" in capsys.readouterr().err
    assert (tmp_path / "c.parquet").read_bytes() == b"another"
    run(*given, "--overwrite")
    assert parquet.read_table(tmp_path / "c.parquet").num_rows == 1


CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\r\"',"), min_size=1)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5))
def test_any_cells_come_out_as_they_came_in(tmp_path_factory, cells):
    path = tmp_path_factory.mktemp("cells") / "n.csv"
    rows = [{"a": first, "b": second} for first, second in cells]
    header = whole_rows.Header(("a", "b"), ("a", "b"))
    path.write_text("".join(whole_rows.render_rows(header, rows)), newline="")
    assert list(whole_rows.read_rows(path, "table")) == rows
    assert whole_rows.read_header(path, "table") == header
