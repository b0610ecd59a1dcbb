"""OMOP: rows of NOTE in, rows of NOTE and NOTE_NLP out."""

import csv
import io
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid import corpora
from crfdeid.corpora import note_nlp, omop
from crfdeid.corpora.messages import EMPTIED
from crfdeid.errors import FormatError
from crfdeid.text.document import Document, Span

HEAD = (
    "Note_ID,PERSON_ID,note_date,note_datetime,note_title,note_text,visit_occurrence_id,type_concept_id,x\n"
)


@dataclass
class Made:
    start: int
    end: int
    replacement: str


def read(tmp_path, rows: str):
    path = tmp_path / "note.csv"
    path.write_text(HEAD + rows, newline="")
    return list(omop.read_messages(path))


def render(message, make_code=lambda code: "0" * 14 + "f" * 18) -> str:
    made = {
        note.id: [Made(span.start, span.end, note.text_of(span)) for span in note.spans]
        for note in message.list_documents(fields=True)
    }
    return message.render(made, make_code)


def test_texts_and_titles_are_documents_of_their_note(tmp_path):
    first = '101,7,2061-04-02,2061-04-02 10:15:00,Letter,"Ana, ""Eze""\r\nis ill",5,32817,\r\n'
    rows = first + "102,8,,,,plain,5,32817,\n\n"
    messages = read(tmp_path, rows)
    notes = [note for message in messages for note in message.list_documents()]
    assert [(note.id, note.text, note.patient) for note in notes] == [
        ("101", 'Ana, "Eze"\r\nis ill', "7"), ("101.note_title", "Letter", "7"), ("102", "plain", "8"),
    ]  # fmt: skip
    assert [field.text for field in messages[1].fields] == ["2061-04-02"] * 2
    assert "".join(message.source for message in messages) == HEAD + rows
    assert "".join(render(message, None) for message in messages) == HEAD + rows


@pytest.mark.parametrize(
    ("row", "clean"),
    [
        ("101,7,2061-04-02,,,a,5,32817,", "15,15,2061-04-02,,,a,15,32817,"),
        ("101,7,4/2/2061,March,,a,visit of Ana,Ana,Ana Eze", "15,15,,,,a,,,"),
        ('"101","7","","","","a","5","1","Ana"', '"15","15","","","","a","15","1",""'),
        ("101,,,,,a,,,", "15,,,,,a,,,"),
    ],
)
def test_what_no_rule_lets_out_is_emptied(tmp_path, row, clean):
    assert render(read(tmp_path, row + "\n")[1]) == clean + "\n"


TIMES = [
    "2061-04-02", "2061-04-02 10:15", "2061-04-02T10:15:30", "2061-04-02 10:15:30.125", "2061-04-02T10:15Z",
    "2061-04-02 10:15:30+05:30", "2061-04-02 10:15-05",
]  # fmt: skip
OTHERS = [
    "61-04-02", "2061-4-2", "3061-04-02", "2061-04", "2061-04-02 10", "2061-04-02 10:15:3", "2061-04-02 Ana",
    "2061-04-02 10:15:30.", "2061-04-02 10:15:30 Z", "2061-04-02  10:15", "2061-04-02 10:15+05:30:00",
]  # fmt: skip


@pytest.mark.parametrize("text", TIMES)
def test_a_date_keeps_its_time(tmp_path, text):
    (_, message) = read(tmp_path, f"101,7,{text},{text},,a,,,\n")
    assert [(field.type, field.text) for field in message.fields] == [("DATE", "2061-04-02")] * 2
    places = [(span.start, span.end) for note in message.list_documents(True) for span in note.spans]
    for replacement, written in (("2061-05-09", "2061-05-09" + text[10:]), ("2061-05", ""), ("May", "")):
        made = {"101.fields": [Made(*place, replacement) for place in places], "101": []}
        assert message.render(made, None) == f"101,7,{written},{written},,a,,,\n"


@pytest.mark.parametrize("text", OTHERS)
def test_what_is_no_date_is_emptied(tmp_path, text):
    (_, message) = read(tmp_path, f"101,7,{text},,,a,,,\n")
    assert not message.fields and message.masked == {EMPTIED: 1}
    assert message.render({"101": []}, None) == "101,7,,,,a,,,\n"


@pytest.mark.parametrize(
    ("columns", "cells", "clean"),
    [
        ("provider_id", "-7", "15"),
        ("visit_detail_id", "7" * 18, "15"),
        ("note_event_id", "7" * 19, ""),
        ("provider_id", "7a", ""),
        ("language_concept_id", "4180186", "4180186"),
        ("language_concept_id", "Ana", ""),
        ("concept_id", "7", ""),  # no column of NOTE
        ("note_source_value", "7", ""),
    ],
)
def test_what_becomes_of_a_cell(columns, cells, clean):
    message = omop.parse_row(f"1,7,a,{cells}\n", ["note_id", "person_id", "note_text", columns], "")
    assert render(message) == f"15,15,a,{clean}\n"
    assert message.masked == ({} if clean else {EMPTIED: 1})


def test_cells_may_be_separated_by_tabs_and_a_file_may_begin_with_a_mark(tmp_path):
    path = tmp_path / "note.csv"
    path.write_text('\ufeffnote_id\tperson_id\tnote_text\n1\t7\t"a\tb"\n2\t\t\n')
    assert [(note.id, note.text, note.patient) for note in corpora.read(path)] == [
        ("1", "a\tb", "7"), ("2", "", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("record", "cells"),
    [
        ("", [(0, 0, False)]),
        ("a,,b\r\n", [(0, 1, False), (2, 2, False), (3, 4, False)]),
        ('"a""b",""', [(1, 5, True), (8, 8, True)]),
        ('"a,\nb"\n', [(1, 5, True)]),
    ],
)
def test_the_cells_of_a_record(record, cells):
    assert omop.list_cells(record, "") == cells


def test_codes_differ_by_column(tmp_path):
    (_, message) = read(tmp_path, "7,7,,,,a,7,,\n")
    assert [code.text for code in message.codes] == ["note_id 7", "person_id 7", "visit_occurrence_id 7"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("note_id,person_id,note_text,Note_Text\n", "no column note_text among the 4 of its header, or two"),
        (HEAD + "Zzyzx,7,,,,a,,,\n", "row 1: its note_id or person_id is not a whole number"),
        (HEAD + "101,Zzyzx,,,,a,,,\n", "row 1: its note_id or person_id is not a whole number"),
        (HEAD + "101,7,,,,a,,,\n102,7,,,,NULL,,,\n", "row 2: its text is NULL"),
        (HEAD + "101,7,,,,Zzyzx,,,,\n", "row 1: 10 cells; wanted 9"),
        (HEAD + '101,7,,,,Zzyzx "b" c,,,\n', "row 1: no CSV"),
        (HEAD + '101,7,,,,"Zzyzx,,,\n', "a quote that does not end"),
        ("note_id,Zzyzx,note_text\n", "no column person_id among the 3"),
        (HEAD, "no documents"),
        (HEAD + "101,7,,,,a,,,\n101,7,,,,b,,,\n", "document 101 occurs twice"),
    ],
)
def test_a_bad_row_is_refused_without_its_text(tmp_path, content, said):
    path = tmp_path / "note.csv"
    path.write_text(content)
    with pytest.raises(FormatError, match=said) as refused:
        list(corpora.read(path, "omop"))
    assert "Zzyzx" not in str(refused.value)


def test_a_table_is_omop_only_with_its_columns(tmp_path):
    for name, head in (("a", HEAD), ("b", "id,text\n"), ("c", "note_id,note_text\n")):
        (tmp_path / f"{name}.csv").write_text(head)
    found = [corpora.detect_format(tmp_path / f"{name}.csv") for name in "abc"]
    assert found == ["omop", "table", "table"]
    assert not omop.is_note_table(tmp_path / "none.csv")


def test_note_nlp_has_a_row_for_each_span_and_no_text():
    spans = (Span(0, 3, "PATIENT", 0.5), Span(4, 7, "DATE"))
    documents = [
        Document("101", "Ana 4/2", spans),
        Document("101.note_title", "Ana", (Span(0, 3, "PATIENT"),)),
    ]
    text = "".join(note_nlp.NoteNlp("x 1", "2061-04-02").render(documents))
    first, second, third = csv.DictReader(io.StringIO(text))
    assert tuple(first) == note_nlp.COLUMNS and "Ana" not in text
    filled = {name: value for name, value in first.items() if value}
    assert filled == {
        "note_nlp_id": "1", "note_id": "101", "offset": "0", "note_nlp_concept_id": "0",
        "note_nlp_source_concept_id": "0", "nlp_system": "x 1", "nlp_date": "2061-04-02",
        "term_modifiers": "type=PATIENT;end=3;probability=0.5000",
    }  # fmt: skip
    assert (second["note_nlp_id"], second["offset"]) == ("2", "4")
    assert (third["note_id"], third["term_modifiers"]) == ("101", "type=PATIENT;end=3;column=note_title")


def test_ids_that_are_no_numbers_become_numbers(tmp_path):
    notes = [Document("n-1", "a", patient="7"), Document("n-2", "b")]
    corpora.write(notes, tmp_path / "a.csv", "omop")
    first = next(csv.DictReader((tmp_path / "a.csv").read_text().splitlines()))
    filled = {name: value for name, value in first.items() if value}
    assert tuple(first) == omop.COLUMNS
    assert filled == {"note_id": "1", "person_id": "7", "note_text": "a", "note_source_value": "n-1"}
    assert [(note.id, note.patient) for note in corpora.read(tmp_path / "a.csv")] == [("1", "7"), ("2", None)]
    with pytest.raises(FormatError, match="its patient is not a whole number"):
        corpora.write([Document("1", "a", patient="x")], tmp_path / "b.csv", "omop")
    with pytest.raises(FormatError, match="note_id 2: occurs twice"):
        corpora.write([Document("2", "a"), Document("x", "b")], tmp_path / "b.csv", "omop")


TEXTS = st.text(st.characters(codec="utf-8"), max_size=30) | st.text('",\r\n\té', max_size=9)


@given(TEXTS.filter(lambda text: text not in ("NULL", "\\N")), st.integers(0, 10**17))
def test_a_text_that_is_written_is_read_again(tmp_path_factory, text, id):
    path = tmp_path_factory.mktemp("omop") / "a.csv"
    corpora.write([Document(str(id), text, patient="7")], path, "omop")
    (note,) = corpora.read(path)
    assert (note.id, note.text, note.patient) == (str(id), text, "7")


@given(TEXTS, st.booleans(), st.integers(0, 9), st.integers(1, 5), TEXTS)
def test_a_redacted_text_is_read_as_it_was_made(text, is_quoted, start, size, replacement):
    cell = '"' + text.replace('"', '""') + '"' if is_quoted else omop.quote(text)
    row, columns = f"1,7,{cell}\n", ["note_id", "person_id", "note_text"]
    end = min(start + size, len(text))
    if start < end and text not in ("NULL", "\\N"):
        made = omop.parse_row(row, columns, "").render({"1": [Made(start, end, replacement)]}, None)
        expected = text[:start] + replacement + text[end:]
        if expected not in ("NULL", "\\N"):
            (passage,) = omop.parse_row(made, columns, "").passages
            assert passage.text == expected
