"""Tables of notes as CSV and Parquet: cells, short rows, headers, and whole rows that stay whole."""

import csv
from pathlib import Path

import pandas
import pytest

from crfdeid import corpora
from crfdeid.corpora import parquet, table, whole_rows
from crfdeid.corpora.bad_rows import BadRows
from crfdeid.corpora.whole_rows import Header
from crfdeid.errors import FormatError
from crfdeid.text.document import Document, Span

CANARY = "Zanzibarova"
NOTES = [Document("1", 'a "b",\n', (Span(0, 1, "A", 0.5),), "7"), Document("é", "")]


def write(tmp_path: Path, content: str, name: str = "a.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode())
    return path


def test_a_table_to_the_letter():
    spans = '"[{""start"": 0, ""end"": 1, ""type"": ""A"", ""probability"": 0.5}]"'
    pieces = list(table.render_corpus(NOTES))
    assert pieces[0] == f'"id","patient","text","spans"\n"1","7","a ""b"",\n",{spans}\n'
    assert pieces[1:] == ['"é","","","[]"\n', ""]
    assert "".join(table.render_corpus([])) == '"id","patient","text","spans"\n'


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("id,text\n7,a\n", [Document("7", "a")]),
        ("\ufeffid,text\n7,a\n", [Document("7", "a")]),
        ("id,text,patient\n007,a,\n8,,p\n", [Document("007", "a"), Document("8", "", patient="p")]),
        ("id,text\n,a\n,b\n", [Document("1", "a"), Document("2", "b")]),
        ("id,text\n\n7,a\n\n\n8,b\n", [Document("7", "a"), Document("8", "b")]),
        ("id,text,spans\n7,Ana,\n8,Ana,\"[[0,3,\"\"A\"\"]]\"\n",
         [Document("7", "Ana"), Document("8", "Ana", (Span(0, 3, "A"),))]),
        ("id,text\nNA,a\nnull,nan\n", [Document("NA", "a"), Document("null", "nan")]),
    ],
)  # fmt: skip
def test_the_rows_of_a_table(content, found, tmp_path):
    assert list(corpora.read(write(tmp_path, content), "table")) == found


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"id,text\n1,{CANARY},x\n2,b,y\n", "its rows have more cells than its header"),
        (f"id,text\n1,{CANARY},x,y\n2,b,x,y\n", "its rows have more cells than its header"),
        (f"id,text\n7,a\n{CANARY}\n", "row 2: fewer cells than the header; was the file cut short"),
        (f"id,text,x\n7,a\n8,{CANARY},b\n", "row 1: fewer cells"),
        (f"id,text\n7,a\n8,{CANARY},b,c\n", "line 3: not a CSV table that can be read"),
        ("id,text\n" + "7,a\n" * 10 + f"8,{CANARY},b,c\n", "line 12: not a CSV table that can be read"),
        (f'id,text\n7,"{CANARY}\n', "not a CSV table that can be read"),
        ("id,text\n7,NULL\n", "row 1: its text is NULL; wanted a text, or nothing for an empty note"),
        ("id,text\n7,a\n8,\\N\n", "row 2: its text is NULL"),
        (f"id,note\n7,{CANARY}\n", "no column text among the 2 of its header; --id-column, --text-column"),
        ("", "not a CSV table: it is empty"),
        (f"start,end,type,text\n0,1,A,{CANARY}\n", "a table of spans, which holds no notes"),
        ("start,end,type\n0,1,A\n", "a table of spans, which holds no notes"),
        (f"id,text,spans\n7,{CANARY},[\n", "row 1: malformed JSON"),
        (f"id,text,spans\n7,{CANARY},7\n", "row 1: malformed spans"),
    ],
)
def test_another_table_is_refused(content, message, tmp_path):
    with pytest.raises(FormatError, match=message) as refused:
        list(corpora.read(write(tmp_path, content), "table"))
    assert CANARY not in str(refused.value)


def test_a_wanted_column_that_is_missing_is_named(tmp_path):
    path = write(tmp_path, "id,text\n7,a\n")
    with pytest.raises(FormatError, match="no column mrn among the 2 of its header"):
        list(corpora.read(path, "table", patient_column="mrn"))
    with pytest.raises(FormatError, match="no column nr among the 2"):
        list(corpora.read(path, "table", id_column="nr"))


@pytest.mark.parametrize(
    ("content", "short"),
    [
        ("a,b\n1\n1,2\n\n1\n", {1, 3}),
        ("a,b\n 1 \n   \n,\n1,2,3\n", {1}),
        ('a,b\n"1\n",\n"1\n"\n', {2}),
        ("a\n1\n", set()),
        ("\n \na,b\n1\n", {1}),
        ("a,b,c\n ,2\n ,2,3\n", {1}),
        ("", set()),
        ("a,b\n1\r2\n3\n", set()),  # the csv module refuses a carriage return
    ],
)
def test_rows_with_too_few_cells(content, short, tmp_path):
    assert table.find_short_rows(write(tmp_path, content), "utf-8", ",") == short
    tabs = write(tmp_path, content.replace(",", "\t"))
    assert table.find_short_rows(tabs, "utf-8", "\t") == short
    assert table.find_short_rows(tmp_path / "none", "utf-8", ",") == set()


def test_a_row_with_too_few_cells_beside_a_long_cell_is_found(tmp_path):
    """The csv module refuses a cell of more than 131,072 characters until it is told not to."""
    usual = csv.field_size_limit(131_072)
    try:
        path = write(tmp_path, f'a,b\n1,"{"x" * 200_000}"\n1\n')
        assert table.find_short_rows(path, "utf-8", ",") == {2}
    finally:
        csv.field_size_limit(usual)


def test_a_table_in_another_encoding_is_refused(tmp_path):
    path = write(tmp_path, "a\n")
    for content in (b"a\nx\xe9\n", b"a\xe9\nx\n", b"a\n" + b"x\n" * 200_000 + b"\xe9\n"):
        path.write_bytes(content)
        with pytest.raises(FormatError, match="utf-8"):
            list(table.read_chunks(path, "utf-8"))
        assert sum(map(len, table.read_chunks(path, "latin-1"))) == content.count(b"\n") - 1


def test_which_pandas_cuts_a_cell_at_a_nul(tmp_path):
    """One that does refuses the table, and any other keeps the cell whole."""
    version = tuple(map(int, pandas.__version__.split(".")[:2]))
    assert table.cuts_at_nul() == (version < (3, 1))
    rows = table.read_chunks(write(tmp_path, "a\nx\0y\n"), "utf-8")
    if table.cuts_at_nul():
        with pytest.raises(FormatError, match="a NUL character"):
            next(rows)
    else:
        assert next(rows)["a"].tolist() == ["x\0y"]


@pytest.mark.parametrize("before", ["", "x" * 9, "x" * (1 << 21), "x\n" * 5000])
def test_a_nul_is_refused_wherever_it_is(before, tmp_path, monkeypatch):
    monkeypatch.setattr(table, "cuts_at_nul", lambda: True)
    rows = table.read_chunks(write(tmp_path, f"a\n{before}b\nc\n"), "utf-8")
    assert [cell for chunk in rows for cell in chunk["a"]] == [*f"{before}b".split("\n"), "c"]
    with pytest.raises(FormatError, match="a NUL character"):
        list(table.read_chunks(write(tmp_path, f"a\n{before}\0b\nc\n"), "utf-8"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (7.0, "7"),
        (7.5, "7.5"),
        ("7.0", "7.0"),
        (7, "7"),
        (0, "0"),
        ("", None),
        (None, None),
        (float("nan"), None),
    ],
)
def test_a_cell_that_is_an_id(value, text):
    assert table.read_cell(value) == text


def test_a_reader_of_rows_can_keep_them_and_leave_bad_ones_out(tmp_path):
    kept: list[dict] = []
    bad = BadRows(tmp_path / "bad.csv")
    path = write(tmp_path, "id;text;x\n1;a;p\n1;b;q\n2\n3;NULL;r\n4;d;s\n")
    found = list(table.read(path, keep=kept.extend, bad=bad, delimiter=";"))
    assert [note.id for note in found] == ["1", "4"] and [row["x"] for row in kept] == [
        "p",
        "q",
        "",
        "r",
        "s",
    ]
    assert [(row, *reason) for (_, row), reason in bad.found.items()] == [
        (2, "1", "its id occurs in an earlier row"),
        (3, "2", "fewer cells than the header; was the file cut short?"),
        (4, "3", "its text is NULL; wanted a text, or nothing for an empty note"),
    ]
    assert bad.has(path, 3) and not bad.has(path, 1) and not bad.has(tmp_path / "b.csv", 3)
    assert str(bad) == f"3 rows were left out; {tmp_path}/bad.csv has their numbers and the reasons"
    bad.found = {(str(path), 2): bad.found[str(path), 2]}
    assert str(bad) == f"1 row was left out; {tmp_path}/bad.csv has its number and the reason"


@pytest.mark.parametrize("number", [999, 1000, 1001])
@pytest.mark.parametrize("format", ["table", "parquet"])
def test_no_row_is_lost_between_chunks(number, format, tmp_path):
    notes = [Document(str(n), f"note {n}") for n in range(number)]
    corpora.write(notes, tmp_path / "a", format)
    assert list(corpora.read(tmp_path / "a", format)) == notes


CHANGES = [
    ((), (), None, ("id", "text", "n"), ["int64", "string", "double"]),
    (("n",), (), None, ("id", "text", "n"), ["int64", "string", "string"]),
    (("id", "n"), ("text",), None, ("id", "n"), ["string", "string"]),
    (("id",), ("text", "n"), None, ("id",), ["string"]),
    ((), ("none",), "spans", ("id", "text", "n", "spans"), ["int64", "string", "double", "string"]),
    ((), ("n",), "n", ("id", "text", "n"), ["int64", "string", "string"]),
    ((), (), "text", ("id", "text", "n"), ["int64", "string", "double"]),
]


@pytest.mark.parametrize(("texts", "dropped", "added", "keys", "types"), CHANGES)
def test_the_columns_of_a_release(texts, dropped, added, keys, types, tmp_path):
    pyarrow, files = map(pytest.importorskip, ("pyarrow", "pyarrow.parquet"))
    files.write_table(pyarrow.table({"id": [7], "text": ["a"], "n": [1.5]}), tmp_path / "a.parquet")
    header = whole_rows.read_header(tmp_path / "a.parquet", "parquet").change_columns(texts, dropped, added)
    assert (header.keys, header.names, [str(each.type) for each in header.schema]) == (keys, keys, types)
    assert header.schema.names == list(keys)
    plain = Header(("id", "text", "n"), ("id", "text", "n")).change_columns(texts, dropped, added)
    assert (plain.keys, plain.names, plain.schema) == (keys, keys, None)


@pytest.mark.parametrize(
    ("content", "keys", "names"),
    [
        ("\ufeffid,x,x\n1,2,3\n", ("id", "x", "x.1"), ("id", "x", "x")),
        ("\n \n,id\n1,2\n", ("Unnamed: 0", "id"), ("", "id")),
        ('"a\nb",id\n1,2\n', ("a\nb", "id"), ("a\nb", "id")),
    ],
)
def test_the_header_of_a_file(content, keys, names, tmp_path):
    header = whole_rows.read_header(write(tmp_path, content), "table")
    assert (header.keys, header.names, header.schema) == (keys, names, None)


def test_the_header_of_a_stream_and_of_a_file_without_rows(tmp_path):
    guessed = whole_rows.guess_header({"Unnamed: 0": 1, "id": 2, "Unnamed: 12": 3, "ward.1": 4})
    assert guessed == Header(("Unnamed: 0", "id", "Unnamed: 12", "ward.1"), ("", "id", "", "ward.1"))
    with pytest.raises(FormatError, match="a.csv: no documents"):
        whole_rows.read_header(write(tmp_path, "id,text\n"), "table")
    with pytest.raises(FormatError, match="a.csv: its rows have more cells than its header"):
        whole_rows.read_header(write(tmp_path, "id,text\n1,a,b\n"), "table")


def test_whole_rows_to_the_letter(tmp_path):
    header = Header(("a", "b"), ("", "x"))
    rows = [{"a": 7, "b": None, "c": 1}, {"a": float("nan"), "b": 'y"\n', "c": 1}]
    pieces = list(whole_rows.render_rows(header, rows, ";"))
    assert pieces == ['"";"x"\n', '"7";""\n', '"";"y""\n"\n']
    path = write(tmp_path, "".join(pieces[1:]))
    assert list(whole_rows.read_rows(path, "table", delimiter=";")) == [{"7": "", "Unnamed: 1": 'y"\n'}]


def test_whole_rows_go_to_parquet_as_texts_or_with_their_types(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    rows = [{"a": n, "b": None if n % 2 else float(n)} for n in range(1001)]
    whole_rows.save_rows(Header(("b", "a"), ("y", "x")), rows, tmp_path / "a.parquet")
    found = list(whole_rows.read_rows(tmp_path / "a.parquet", "parquet"))
    assert len(found) == 1001 and found[:2] == [{"y": "0.0", "x": "0"}, {"y": "", "x": "1"}]
    schema = pyarrow.schema([("a", pyarrow.int64()), ("b", pyarrow.float64())])
    whole_rows.save_rows(Header(("a", "b"), ("a", "b"), schema), rows, tmp_path / "b.parquet")
    assert list(whole_rows.read_rows(tmp_path / "b.parquet", "parquet")) == rows


def test_parquet_columns_that_hold_texts_or_numbers(tmp_path):
    pyarrow, files = map(pytest.importorskip, ("pyarrow", "pyarrow.parquet"))
    columns = {
        "id": pyarrow.array(["7", "8"]).dictionary_encode(),
        "text": pyarrow.array(["a", "NULL"], pyarrow.large_string()),
        "patient": pyarrow.array([1.0, None]),
        "spans": pyarrow.nulls(2),
        "other": [[1], [2]],
    }
    files.write_table(pyarrow.table(columns), tmp_path / "a.parquet")
    assert list(corpora.read(tmp_path / "a.parquet")) == [
        Document("7", "a", patient="1"), Document("8", "NULL"),
    ]  # fmt: skip
    schema = parquet.read_schema(tmp_path / "a.parquet")
    assert schema.names == ["id", "text", "patient", "spans", "other"]


def test_parquet_pages_have_checksums_that_are_compared(tmp_path):
    pytest.importorskip("pyarrow")
    corpora.write([Document("1", "q" * 5000 + CANARY)], tmp_path / "a.parquet", "parquet")
    data = (tmp_path / "a.parquet").read_bytes()
    at = data.index(CANARY.encode())
    (tmp_path / "a.parquet").write_bytes(data[:at] + b"z" + data[at + 1 :])
    with pytest.raises(FormatError, match="a.parquet: not a Parquet file that can be read"):
        list(corpora.read(tmp_path / "a.parquet"))
