"""Tables of spans and of marked tokens, the journal of a stopped run, and what tagged a folder."""

import json

import pytest

from crfdeid.corpora import output, token_marks
from crfdeid.corpora.output import TaggedBy
from crfdeid.corpora.span_journal import SpanJournal
from crfdeid.corpora.span_table import RowNumbers, SpanTable
from crfdeid.corpora.token_marks import TokenMark
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.text.document import Document, Span

NOTES = [
    Document("a", "Ana Eze", (Span(0, 3, "A", 1 / 3), Span(4, 7, "B")), "7"),
    Document("b", "", ()),
    Document("c", "é", (Span(0, 1, "C", 1.0),)),
]


def test_a_table_of_spans_to_the_letter():
    table = SpanTable("english", "1.0")
    assert "".join(table.render_csv(NOTES)).splitlines() == [
        "note,row,patient,start,end,type,probability,model,version,text",
        "a,1,7,0,3,A,0.3333,english,1.0,Ana",
        "a,1,7,4,7,B,,english,1.0,Eze",
        "c,3,,0,1,C,1.0000,english,1.0,é",
    ]
    first, _, last = (json.loads(line) for line in table.render_lines(NOTES))
    assert first == {
        "note": "a", "row": 1, "patient": "7", "start": 0, "end": 3, "type": "A", "probability": 0.333333,
        "model": "english", "version": "1.0", "text": "Ana",
    }  # fmt: skip
    assert last["patient"] is None and '"é"' in list(table.render_lines(NOTES))[-1]
    assert "".join(table.render_csv([])).splitlines() == [
        "note,row,patient,start,end,type,probability,model,version,text"
    ]


def test_a_table_of_spans_without_texts_and_with_other_rows():
    table = SpanTable(has_text=False, delimiter="\t", find_row=lambda document: ord(document.id))
    assert "".join(table.render_csv(NOTES[2:])).splitlines() == [
        "note\trow\tpatient\tstart\tend\ttype\tprobability\tmodel\tversion",
        "c\t99\t\t0\t1\tC\t1.0000\t\t",
    ]


def test_a_table_of_spans_in_parquet_has_numbers(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    SpanTable("m", "1").save_parquet(NOTES, tmp_path / "a.parquet")
    table = parquet.read_table(tmp_path / "a.parquet")
    assert [str(field.type) for field in table.schema] == [
        "string", "int64", "string", "int64", "int64", "string", "double", "string", "string", "string",
    ]  # fmt: skip
    assert [(row["note"], row["row"], row["end"], row["probability"]) for row in table.to_pylist()] == [
        ("a", 1, 3, 0.333333), ("a", 1, 7, None), ("c", 3, 1, 1.0),
    ]  # fmt: skip
    formats = SpanTable().build_format()
    assert formats.file_suffixes == (".csv", ".jsonl", ".parquet")
    assert formats.find_variant(".parquet").save_corpus and formats.find_variant(".csv") is formats


MARKS = [TokenMark("a", 0, 3, "A", True, False, "host"), TokenMark("a,b", 4, 5, "", False, True, "head")]


def test_marked_tokens_to_the_letter(tmp_path):
    text = "".join(token_marks.render_token_marks(MARKS))
    assert text == 'document,start,end,type,ambiguous,unseen,where\na,0,3,A,1,0,host\n"a,b",4,5,,0,1,head\n'
    (tmp_path / "a.csv").write_text(text)
    assert token_marks.read_token_marks(tmp_path / "a.csv") == MARKS


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a,0,3,A,1,0,host\na,0,3,A,1,0", "line 3: wanted document, start, end"),
        ("a,0,3,A,1,0,host,x", "line 2: wanted document"),
        ("a,0,3,A,yes,0,host", "line 2: wanted document"),
        ("a,x,3,A,1,0,host", "line 2: wanted document"),
        ("a,-1,3,A,1,0,host", "line 2: -1-3 is not a range of characters"),
        ("a,3,3,A,1,0,host", "line 2: 3-3 is not a range"),
        ("a,3,2,A,1,0,host", "line 2: 3-2 is not a range"),
    ],
)
def test_other_marks_are_refused(rows, message, tmp_path):
    (tmp_path / "a.csv").write_text(f"document,start,end,type,ambiguous,unseen,where\n{rows}\n")
    with pytest.raises(FormatError, match=message):
        token_marks.read_token_marks(tmp_path / "a.csv")
    for text in ("", f"{rows}\n"):
        (tmp_path / "a.csv").write_text(text)
        with pytest.raises(FormatError, match="wanted the columns document, start, end"):
            token_marks.read_token_marks(tmp_path / "a.csv")


def test_what_tagged_a_folder(tmp_path):
    assert output.read_record(tmp_path) is None
    record = TaggedBy("english", "0.1.0", 3, 9)
    output.write_record(tmp_path, record)
    assert output.read_record(tmp_path) == record
    assert (tmp_path / ".tagged_by.json").read_text().endswith('"seen": 3, "total": 9}\n')
    for text in ("{", "7", '{"model": "x"}', '{"model": "x", "version": "", "seen": 0, "total": 1, "x": 1}'):
        (tmp_path / ".tagged_by.json").write_text(text)
        with pytest.raises(FormatError, match=r"\.tagged_by\.json: not what tag writes; remove it"):
            output.read_record(tmp_path)


def test_the_numbers_of_notes_count_rows_that_are_left_out():
    numbers, left_out = RowNumbers(), ["before this file"]
    notes = numbers.count_each(NOTES, left_out)
    assert next(notes) is NOTES[0]
    left_out += ["row 2", "row 3"]
    assert list(notes) == NOTES[1:]
    assert (numbers.find(NOTES[0]), numbers.find(NOTES[2])) == (1, 5)


def tag(documents):
    """A tagger: all of the text is a date."""
    for document in documents:
        yield document.with_spans([Span(0, len(document.text), "DATE", 0.5)] if document.text else [])


def bare(documents=tuple(NOTES)):
    return iter([document.with_spans([]) for document in documents])


def read_journal(tmp_path, options: str = "options", documents=tuple(NOTES)) -> tuple[list[Document], int]:
    journal = SpanJournal(tmp_path / "out.csv", options)
    return list(journal.tag(bare(documents), tag)), journal.kept


WHOLE = list(tag(bare()))


def test_a_journal_has_a_line_for_each_note_and_no_text(tmp_path):
    assert read_journal(tmp_path) == (WHOLE, 0)
    lines = (tmp_path / ".out.csv.unfinished").read_text().splitlines()
    assert lines[0] == "options" and [json.loads(line)[1] for line in lines[1:]] == [
        [[0, 7, "DATE", 0.5]], [], [[0, 1, "DATE", 0.5]],
    ]  # fmt: skip
    hashes = {json.loads(line)[0] for line in lines[1:]}
    assert [len(each) for each in hashes] == [32] * 3 and "Ana" not in "".join(lines)
    assert (tmp_path / ".out.csv.unfinished").stat().st_mode & 0o777 == 0o600
    SpanJournal(tmp_path / "out.csv", "").remove()
    SpanJournal(tmp_path / "out.csv", "").remove()
    assert not list(tmp_path.iterdir())


def test_a_run_goes_on_after_the_last_whole_line(tmp_path):
    file = tmp_path / ".out.csv.unfinished"
    read_journal(tmp_path)
    whole = file.read_bytes()
    for size in range(len(whole) + 1):
        file.write_bytes(whole[:size])
        assert read_journal(tmp_path) == (WHOLE, max(0, whole[:size].count(b"\n") - 1))
        assert file.read_bytes() == whole


def test_a_torn_line_of_a_journal_goes_before_a_note_is_tagged(tmp_path):
    read_journal(tmp_path)
    file = SpanJournal(tmp_path / "out.csv", "options").file
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:2]) + b"x" * 5000)
    notes = SpanJournal(tmp_path / "out.csv", "options").tag(bare(), lambda documents: [])
    assert len(list(notes)) == 1
    assert file.read_bytes() == b"".join(lines[:2])


def test_a_journal_of_something_else_is_refused(tmp_path):
    read_journal(tmp_path)
    with pytest.raises(
        ConfigurationError, match="out.csv: was begun with other options or by another version; wanted"
    ):
        read_journal(tmp_path, "other")
    for documents in (NOTES[1:], NOTES[:2], []):
        with pytest.raises(ConfigurationError, match="unfinished: is of other notes; wanted the same notes"):
            read_journal(tmp_path, documents=documents)
    for line in (b"{\n", b"7\n", b"[1, 2, 3]\n", b'["x", []]\n'):
        (tmp_path / ".out.csv.unfinished").write_bytes(b"options\n" + line)
        with pytest.raises(ConfigurationError, match="is of other notes"):
            read_journal(tmp_path)


def test_two_runs_do_not_share_a_journal(tmp_path):
    first = SpanJournal(tmp_path / "out.csv", "options").tag(bare(), tag)
    next(first)
    with pytest.raises(ConfigurationError, match="out.csv: another run writes it"):
        read_journal(tmp_path)
    assert len(list(first)) == 2
    assert read_journal(tmp_path) == (WHOLE, 3)


def test_a_line_is_written_before_its_note_goes_on(tmp_path):
    notes = SpanJournal(tmp_path / "out.csv", "options").tag(bare(), tag)
    for count in (1, 2, 3):
        next(notes)
        assert (tmp_path / ".out.csv.unfinished").read_bytes().count(b"\n") == count + 1
    notes.close()
