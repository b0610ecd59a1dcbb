"""Every format: examples, round trips of any document, and each bad input's one line."""

import json
import os
from pathlib import Path

import hypothesis
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crfdeid import corpora
from crfdeid.corpora import table
from crfdeid.errors import ConfigurationError, CrfdeidError, FormatError
from crfdeid.files import read_umask
from crfdeid.text.document import Document, Span

CANARY = "Zanzibarova"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "meddocan"
ROUND = ["i2b2", "i2b2-2006", "brat", "conll", "jsonl", "labelstudio", "doccano", "table", "parquet"]
NO_XML = [name for name in ROUND if not name.startswith("i2b2")]

TEXTS = [
    "Seen by Dr. Ruiz on 3/4/61.\n",
    "tabs\tand\r\nCRLF\r\nRuiz\r\n",
    "José 👩‍⚕️ e\u0301 <b>&amp; ]]> \"quoted\" 'x' Ruiz",
    "",
    "# id = not a comment\nRuiz",
    "-DOCSTART-\n\nRuiz\r\r\n\u2028\x85 ␣ end",
]


def example(text: str) -> Document:
    start = text.find("Ruiz")
    spans = (Span(start, start + 4, "DOCTOR"),) if start >= 0 else ()
    return Document("100-01", text, spans, patient="100")


def write_and_read(documents, format, folder):
    path = folder / f"corpus{'' if format in ('i2b2', 'brat') else corpora.FORMATS[format].suffixes[0]}"
    corpora.write(documents, path, format, overwrite=True)
    return list(corpora.read(path, format))


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("format", ROUND)
def test_examples_come_back(format, text, tmp_path):
    document = example(text)
    (found,) = write_and_read([document], format, tmp_path)
    assert (found.id, found.text, found.spans) == (document.id, document.text, document.spans)
    if format not in ("brat", "i2b2-2006"):
        assert found.patient == "100"


XML_TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")
    | st.sampled_from("\n\r\t<>&]"),
    max_size=40,
)
ANY_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=40)


@st.composite
def documents(draw, texts):
    """A document with spans anywhere that do not overlap."""
    text = draw(texts)
    edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
    spans = []
    for start, end in zip(edges[::2], edges[1::2]):
        spans.append(Span(start, end, draw(st.sampled_from(["DOCTOR", "DATE", "OTHER"]))))
    return Document("100-01", text, tuple(spans))


@pytest.mark.parametrize("format", ["i2b2", "i2b2-2006"])
@given(document=documents(XML_TEXT))
def test_any_document_round_trips_in_xml(format, document, tmp_path_factory):
    (found,) = write_and_read([document], format, tmp_path_factory.mktemp("xml"))
    assert (found.text, found.spans) == (document.text, document.spans)


@pytest.mark.parametrize("format", NO_XML)
@hypothesis.example(document=Document("100-01", "NULL"))
@given(document=documents(ANY_TEXT))
def test_any_document_round_trips(format, document, tmp_path_factory):
    assume(format != "table" or "\0" not in document.text or not table.cuts_at_nul())
    assume(format != "table" or document.text not in table.NULLS)
    (found,) = write_and_read([document], format, tmp_path_factory.mktemp("any"))
    assert (found.text, found.spans) == (document.text, document.spans)


@pytest.mark.parametrize("format", ["i2b2", "brat", "jsonl", "labelstudio", "doccano", "table"])
def test_overlapping_spans_are_kept(format, tmp_path):
    document = Document("n", "Newton Hospital", (Span(0, 6, "CITY"), Span(0, 15, "HOSPITAL")))
    (found,) = write_and_read([document], format, tmp_path)
    assert found.spans == document.spans


@pytest.mark.parametrize("format", ["conll", "i2b2-2006"])
def test_overlapping_spans_are_refused_where_a_format_cannot_hold_them(format, tmp_path):
    document = Document("n", "Newton Hospital", (Span(0, 6, "CITY"), Span(0, 15, "HOSPITAL")))
    with pytest.raises(CrfdeidError, match="length 1: CITY at 0-6 overlaps HOSPITAL at 0-15"):
        corpora.write([document], tmp_path / "out.x", format)
    assert list(tmp_path.iterdir()) == []


def put(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_documents_of_2006_may_be_called_documents(tmp_path):
    record = '<DOCUMENT ID="7"><TEXT>Dr. <PHI TYPE="DOCTOR">Ruiz</PHI></TEXT></DOCUMENT>'
    path = put(tmp_path, "a.xml", f"<ROOT>{record}</ROOT>")
    assert corpora.detect_format(path) == "i2b2-2006"
    (found,) = corpora.read(path)
    assert (found.id, found.text, found.spans) == ("7", "Dr. Ruiz", (Span(4, 8, "DOCTOR"),))


def test_brat_fragments_read_as_their_parts(tmp_path):
    put(tmp_path, "a.txt", "Ana and Ben Ruiz\r\n")
    put(tmp_path, "a.ann", "T1\tDOCTOR 0 3;12 16\tAna Ruiz\nR1\tX Arg1:T1\n#1\tNote T1\tx\nE1\tX:T1\n")
    (found,) = corpora.read(tmp_path)
    assert found.spans == (Span(0, 3, "DOCTOR"), Span(12, 16, "DOCTOR"))
    assert found.text == "Ana and Ben Ruiz\r\n"


def test_the_location_other_of_the_challenge_is_read(tmp_path):
    put(tmp_path, "a.xml", '<x><TEXT>Bay</TEXT><TAGS><LOCATION start="0" end="3" TYPE="OTHER"/></TAGS></x>')
    (found,) = corpora.read(tmp_path)
    assert found.spans == (Span(0, 3, "LOCATION-OTHER"),)


def test_conll_without_text_is_built_from_its_tokens(tmp_path):
    path = put(tmp_path, "a.conll", "Dr\t0\t2\tO\n.\t2\t3\tO\n\nRuiz\t5\t9\tB-DOCTOR\n")
    (found,) = corpora.read(path)
    assert (found.text, found.spans) == ("Dr.\n Ruiz", (Span(5, 9, "DOCTOR"),))


def test_a_table_with_nul_is_refused_where_pandas_would_cut_the_text(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text(f'id,text\n1,"seen\0 by {CANARY}"\n')
    monkeypatch.setattr("crfdeid.corpora.table.cuts_at_nul", lambda: True)
    with pytest.raises(FormatError, match="a.csv: a NUL character") as caught:
        list(corpora.read(path, "table"))
    assert CANARY not in str(caught.value)


def test_options_name_the_columns_of_a_table(tmp_path):
    path = put(tmp_path, "a.csv", "nr,note,mrn\n1,Seen by Ruiz,77\n2,,78\n")
    found = list(corpora.read(path, id_column="nr", text_column="note", patient_column="mrn"))
    assert [(d.id, d.text, d.patient) for d in found] == [("1", "Seen by Ruiz", "77"), ("2", "", "78")]


BOMB = f'<!DOCTYPE x [<!ENTITY a "{CANARY}"><!ENTITY b "&a;&a;">]><x><TEXT>&b;</TEXT><TAGS/></x>'
TAG = '<x><TEXT>{text}</TEXT><TAGS><NAME start="{start}" end="{end}" TYPE="DOCTOR" text="{text}"/></TAGS></x>'
BAD = [
    ("a.txt", CANARY.encode() + b"\xff", r"a.txt: not utf-8: byte 11"),
    ("a.xml", BOMB, "entities, which are refused"),
    ("a.xml", f"<x><TEXT>{CANARY}</x>", r"a.xml, line 1, column \d+: malformed XML"),
    ("a.xml", f"<x>{CANARY}</x>", "no TEXT element"),
    ("a.xml", TAG.format(text=CANARY, start=0, end=99), "a.xml: tag 1: NAME at 0-99 leaves the text of 11"),
    ("a.xml", TAG.format(text=CANARY, start="x", end=3), "tag 1: NAME: its start and end must be whole"),
    ("a.xml", f'<ROOT><RECORD ID="1"><NO>{CANARY}</NO></RECORD></ROOT>', "record 1 has no TEXT"),
    ("a.xml", f'<ROOT><RECORD ID="1"><TEXT><B>{CANARY}</B></TEXT></RECORD></ROOT>', "1: element 1 in TEXT"),
    ("a.jsonl", '{"text": "' + CANARY, "a.jsonl, line 1: malformed JSON"),
    ("a.jsonl", f'["{CANARY}"]', "a.jsonl, line 1: no text"),
    ("a.jsonl", f'{{"text": "{CANARY}", "spans": [{{"start": 1}}]}}', "malformed spans"),
    ("a.jsonl", f'{{"text": "{CANARY}", "spans": [[0, 99, "DATE"]]}}', "line 1: 1: a span at 0-99"),
    ("a.jsonl", f'{{"text": "{CANARY}\\ud800"}}', "unpaired UTF-16 surrogate at offset 11"),
    ("a.jsonl", f'{{"text": "{CANARY}", "spans": [[true, 3, "DATE"]]}}', "malformed spans"),
    ("a.jsonl", '{"text": "' + CANARY + '", "n": ' + "9" * 5000 + "}", "line 1: malformed JSON"),
    ("a.jsonl", f'{{"id": ["{CANARY}"], "text": ""}}', "its id is neither"),
    ("a.jsonl", f"{CANARY}\n".encode() * 9000 + b"\xff", "line 1: malformed JSON"),
    ("a.jsonl", b'{"text": ""}\n' * 9000 + b"\xff", "not utf-8: byte 117000 "),
    ("a.xml", f"<x>\n\n<TEXT>{CANARY}&a;</TEXT></x>", "line 3, column 18: malformed XML"),
    ("a.xml", f'<!DOCTYPE x [\n<!ENTITY a SYSTEM "{CANARY}">]><x>&a;</x>', "line 2: declares entities"),
    ("a.xml", TAG.format(text=CANARY, start=-1, end=3), "a.xml: tag 1: NAME at -1-3 leaves the text of 11"),
    ("a.csv", f"id,text\n1,x,{CANARY}\n", "more cells than its header"),
    ("a.csv", f"id,text\n1,x\n2,x,{CANARY}\n", "a.csv, line 3: not a CSV"),
    ("a.csv", f"id,start,end,type,text\n1,0,11,DATE,{CANARY}\n", "a table of spans"),
    ("a.csv", f'id,text,spans\n1,{CANARY},"[{{}}]"\n', "row 1: malformed spans"),
    ("a.csv", b"id,text\n1," + b"x" * 300_000 + b"\xff", "not utf-8: byte 300010 "),
    ("a.conll", f"{CANARY}\t0\t11\tB-\n", "line 1: its label is not"),
    ("a.conll", f"a\t900000000000\t900000000001\tO\n# {CANARY}\n", "over 20,000,000 blanks"),
    ("a.conll", f'# text = "x"\n{CANARY}\t0\t11\tO\n', "is not in the text there"),
    ("a.conll", f"# text = {CANARY}\n", "line 1: text is not a JSON string"),
    ("a.json", f'[{{"data": {{"text": "{CANARY}"}}, "annotations": [{{}}]}}]', "task 1: wanted data.text"),
    ("a.jsonl", f'{{"id": 1, "text": "{CANARY}"}}\n{{"id": 1, "text": ""}}', "document 1 occurs twice"),
    ("a.json", f'{{"text": "{CANARY}"}}', "array of tasks"),
    ("a.json", f'[{{"text": "{CANARY}"}}]', "a.json, task 1: wanted data.text"),
    ("a.csv", f"nr,note\n1,{CANARY}\n", "no column id among the 2 of its header"),
    ("a.csv", "", "not a CSV table"),
    ("a.parquet", CANARY, "not a Parquet file"),
    ("a.conll", f"{CANARY}\tO\n", "a.conll, line 1: 2 columns; wanted token, start, end, label"),
    ("a.conll", f"{CANARY}\t0\t5\tO\n", "line 1: end is not"),
    ("a.jsonl", "", "no documents"),
]


@pytest.mark.parametrize(("name", "content", "message"), BAD)
def test_bad_input_gives_one_line_without_note_text(name, content, message, tmp_path):
    path = put(tmp_path, name, content)
    with pytest.raises(FormatError, match=message) as caught:
        list(corpora.read(path))
    assert CANARY not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bad_annotation_names_its_line(tmp_path):
    put(tmp_path, "a.txt", CANARY)
    put(tmp_path, "a.ann", f"T1\tDOCTOR 0 3\t{CANARY[:3]}\nT2 DOCTOR 0 3 {CANARY}\n")
    with pytest.raises(FormatError, match=r"a.ann, line 2: malformed") as caught:
        list(corpora.read(tmp_path))
    assert CANARY not in str(caught.value)


ANNOTATIONS = [
    ("T1\tDOCTOR 0 99\tx", "line 1: 0-99 is empty or leaves the text of 11 characters"),
    ("T1\tDOCTOR 3 3\t", "line 1: 3-3 is empty"),
    (f"#1\tx\n{CANARY}", "line 2: malformed"),
    (f"T1\tDOCTOR 0 {'9' * 5000}\tx", "line 1: malformed"),
    (f"T1\tDOCTOR 1 12\t{CANARY}", "line 1: 1-12 is empty or leaves"),
    (f"T1\tDOCTOR 0 3\t{CANARY}", "the annotation's text is not the note's at 0 3; were line ends changed"),
]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything")
def test_a_file_without_permission_is_refused(tmp_path):
    path = put(tmp_path, "a.jsonl", "{}")
    path.chmod(0)
    with pytest.raises(FormatError, match=r"a.jsonl: Permission denied"):
        list(corpora.read(path))


@pytest.mark.parametrize(("lines", "message"), ANNOTATIONS)
def test_annotations_that_do_not_fit(lines, message, tmp_path):
    put(tmp_path, "a.txt", CANARY)
    put(tmp_path, "a.ann", lines)
    with pytest.raises(FormatError, match=message) as caught:
        list(corpora.read(tmp_path))
    assert CANARY not in str(caught.value)


def test_annotations_need_a_text_but_a_text_needs_no_annotations(tmp_path):
    put(tmp_path, "a.txt", "Ruiz")
    put(tmp_path, ".hidden", "x")
    assert list(corpora.read(tmp_path, "brat")) == [Document("a", "Ruiz")]
    put(tmp_path, "b.ann", "")
    with pytest.raises(FormatError, match=r"b.txt: no such file, but its .ann is there"):
        list(corpora.read(tmp_path))


def test_annotators_are_pooled_and_cancelled_annotations_skipped(tmp_path):
    def made(start, labels, cancelled=False):
        result = {"value": {"start": start, "end": 4, "labels": labels}}
        return {"result": [result], "was_cancelled": cancelled}

    annotations = [made(0, ["DATE"]), made(0, ["DATE", "AGE"]), made(2, ["ID"], cancelled=True)]
    task = {"id": 7, "data": {"text": "1999"}, "annotations": annotations}
    path = put(tmp_path, "a.json", json.dumps([task]))
    assert list(corpora.read(path)) == [Document("7", "1999", (Span(0, 4, "AGE"), Span(0, 4, "DATE")))]


def test_xml_is_read_in_the_encoding_that_it_declares(tmp_path):
    body = "<x><TEXT>José</TEXT><TAGS/></x>"
    for encoding in ("iso-8859-1", "utf-16"):
        path = put(tmp_path, "a.xml", f'<?xml version="1.0" encoding="{encoding}"?>{body}'.encode(encoding))
        assert [d.text for d in corpora.read(path)] == ["José"]


@pytest.mark.parametrize("format", ["brat", "i2b2", "jsonl", "labelstudio", "csv"])
def test_probabilities_are_written(format):
    document = Document("n", "Ruiz", (Span(0, 4, "DOCTOR", 0.875),))
    assert "0.875" in corpora.show_document(document, format)


@pytest.mark.parametrize("format", corpora.FORMATS)
def test_if_one_document_fails_no_file_is_left(format, tmp_path):
    def failing():
        yield Document("a", "Ruiz")
        raise FormatError("the second")

    for write in (corpora.write, corpora.write_each):
        with pytest.raises(FormatError, match="the second"):
            write(failing(), tmp_path / "out", format)
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", corpora.FORMATS)
def test_each_document_to_its_own_file(format, tmp_path):
    corpora.write_each([Document("a", "Ruiz"), Document("b.c", "")], tmp_path / "out", format)
    assert {path.stem for path in (tmp_path / "out").iterdir()} == {"a", "b.c"}
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o777 & ~read_umask()


def test_missing_and_mixed_folders_are_refused(tmp_path):
    with pytest.raises(FormatError, match="no such file or folder"):
        list(corpora.read(tmp_path / "none"))
    with pytest.raises(FormatError, match="File name too long"):
        list(corpora.read(tmp_path / ("x" * 300)))
    with pytest.raises(FormatError, match="no documents"):
        list(corpora.read(tmp_path))
    put(tmp_path, "a.txt", "x")
    put(tmp_path, "b.jsonl", "{}")
    with pytest.raises(FormatError, match="holds jsonl and text files; --from"):
        list(corpora.read(tmp_path))
    with pytest.raises(ConfigurationError, match="did you mean jsonl"):
        list(corpora.read(tmp_path, "jsonlines"))
    with pytest.raises(ConfigurationError, match="no format to read"):
        list(corpora.read(tmp_path, "inline"))


@pytest.mark.parametrize("format", ["i2b2", "i2b2-2006"])
def test_a_character_that_xml_cannot_hold_is_refused_with_its_offset(format, tmp_path):
    with pytest.raises(FormatError, match=r"length 1: character U\+0000 at offset 3"):
        corpora.write([Document("n", "NUL\0")], tmp_path / "out", format)


@pytest.mark.parametrize("id", ["", "..", ".hidden", "a/b", "a\\b", "a\nb", "a\0b", "é" * 101])
def test_identifiers_cannot_leave_the_folder(id, tmp_path):
    with pytest.raises(FormatError, match="cannot name a file"):
        corpora.write([Document(id, "x")], tmp_path / "out", "brat")


def test_existing_files_are_kept_without_overwrite(tmp_path):
    put(tmp_path, "a.txt", "mine")
    for path, format in ((tmp_path, "brat"), (tmp_path / "a.txt", "jsonl")):
        with pytest.raises(FormatError, match="--overwrite"):
            corpora.write([Document("a", "new")], path, format)
    assert (tmp_path / "a.txt").read_text() == "mine"
    with pytest.raises(FormatError, match="two documents want one name"):
        corpora.write([Document("b", "x"), Document("b", "y")], tmp_path / "out", "brat")


@pytest.mark.slow
@pytest.mark.parametrize("format", [*ROUND, "text"])
def test_a_line_of_ten_megabytes(format, tmp_path):
    word = "x" * 99_999 if format == "conll" else "word"  # a line for each token: two million would be slow
    text = f"{word} " * (10_000_000 // len(word))
    document = Document("100-01", text, (Span(0, 4, "DATE"),) if format != "text" else ())
    (found,) = write_and_read([document], format, tmp_path)
    assert (found.text, found.spans) == (document.text, document.spans)


@pytest.mark.skipif(not SHARED.is_dir(), reason="shared data is absent")
def test_meddocan_is_the_same_from_brat_and_from_xml():
    count = 0
    for part in ("train", "dev"):
        from_brat = list(corpora.read(SHARED / part / "brat"))
        from_xml = list(corpora.read(SHARED / part / "xml"))
        assert [(d.id, d.text, d.spans) for d in from_brat] == [(d.id, d.text, d.spans) for d in from_xml]
        count += sum(len(d.spans) for d in from_brat)
    assert count == 17_134
