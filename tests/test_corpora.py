"""Every format: examples, round trips of any document, and each bad input's one line."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid import corpora
from crfdeid.document import Document, Span
from crfdeid.faults import ConfigurationFault, Fault, FormatFault

CANARY = "Zanzibarova"
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "meddocan"
ROUND = ["i2b2", "i2b2-2006", "brat", "conll", "jsonl", "labelstudio", "doccano", "table", "parquet"]
NO_XML = [name for name in ROUND if not name.startswith("i2b2")]

TEXTS = [
    "Seen by Dr. Ruiz on 3/4/61.\n",
    "tabs\tand\r\nCRLF\r\nRuiz\r\n",
    "José 👩‍⚕️ e\u0301 <b>&amp; ]]> \"quoted\" 'x' Ruiz",
    "",
    "# id = not a comment\nRuiz",
]


def example(text: str) -> Document:
    start = text.find("Ruiz")
    spans = (Span(start, start + 4, "DOCTOR"),) if start >= 0 else ()
    return Document("100-01", text, spans, patient="100")


def again(documents, format, folder):
    path = folder / f"corpus{'' if format in ('i2b2', 'brat') else corpora.FORMATS[format].SUFFIXES[0]}"
    corpora.write(documents, path, format, overwrite=True)
    return list(corpora.read(path, format))


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("format", ROUND)
def test_examples_come_back(format, text, tmp_path):
    document = example(text)
    (found,) = again([document], format, tmp_path)
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
    """A document with spans that do not overlap and do not begin or end in white space."""
    text = draw(texts)
    edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
    spans = []
    for start, end in zip(edges[::2], edges[1::2]):
        inside = text[start:end]
        if inside and inside == inside.strip() and "\n" not in inside and "\r" not in inside:
            spans.append(Span(start, end, draw(st.sampled_from(["DOCTOR", "DATE", "OTHER"]))))
    return Document("100-01", text, tuple(spans))


@pytest.mark.parametrize("format", ["i2b2", "i2b2-2006"])
@given(document=documents(XML_TEXT))
def test_any_document_round_trips_in_xml(format, document, tmp_path_factory):
    (found,) = again([document], format, tmp_path_factory.mktemp("xml"))
    assert (found.text, found.spans) == (document.text, document.spans)


@pytest.mark.parametrize("format", [name for name in NO_XML if name not in ("table", "parquet", "conll")])
@given(document=documents(ANY_TEXT))
def test_any_document_round_trips(format, document, tmp_path_factory):
    (found,) = again([document], format, tmp_path_factory.mktemp("any"))
    assert (found.text, found.spans) == (document.text, document.spans)


@pytest.mark.parametrize("format", ["conll", "table", "parquet"])
@given(document=documents(XML_TEXT))
def test_any_plain_document_round_trips_in_tables(format, document, tmp_path_factory):
    (found,) = again([document], format, tmp_path_factory.mktemp("tables"))
    assert (found.text, found.spans) == (document.text, document.spans)


@pytest.mark.parametrize("format", ["i2b2", "brat", "jsonl", "labelstudio", "doccano", "table"])
def test_overlapping_spans_are_kept(format, tmp_path):
    document = Document("n", "Newton Hospital", (Span(0, 6, "CITY"), Span(0, 15, "HOSPITAL")))
    (found,) = again([document], format, tmp_path)
    assert found.spans == document.spans


@pytest.mark.parametrize("format", ["conll", "i2b2-2006"])
def test_overlapping_spans_are_refused_where_a_format_cannot_hold_them(format, tmp_path):
    document = Document("n", "Newton Hospital", (Span(0, 6, "CITY"), Span(0, 15, "HOSPITAL")))
    with pytest.raises(Fault, match="n: CITY at 0-6 overlaps HOSPITAL at 0-15"):
        corpora.write([document], tmp_path / "out.x", format)
    assert list(tmp_path.iterdir()) == []


def put(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_documents_of_2006_may_be_called_documents(tmp_path):
    record = '<DOCUMENT ID="7"><TEXT>Dr. <PHI TYPE="DOCTOR">Ruiz</PHI></TEXT></DOCUMENT>'
    path = put(tmp_path, "a.xml", f"<ROOT>{record}</ROOT>")
    assert corpora.detect(path) == "i2b2-2006"
    (found,) = corpora.read(path)
    assert (found.id, found.text, found.spans) == ("7", "Dr. Ruiz", (Span(4, 8, "DOCTOR"),))


def test_brat_fragments_read_as_their_parts(tmp_path):
    put(tmp_path, "a.txt", "Ana and Ben Ruiz\r\n")
    put(tmp_path, "a.ann", "T1\tDOCTOR 0 3;12 16\tAna Ruiz\nR1\tX Arg1:T1\n#1\tNote T1\tx\nE1\tX:T1\n")
    (found,) = corpora.read(tmp_path)
    assert found.spans == (Span(0, 3, "DOCTOR"), Span(12, 16, "DOCTOR"))
    assert found.text == "Ana and Ben Ruiz\r\n"


def test_location_other_of_the_challenge(tmp_path):
    put(tmp_path, "a.xml", '<x><TEXT>Bay</TEXT><TAGS><LOCATION start="0" end="3" TYPE="OTHER"/></TAGS></x>')
    (found,) = corpora.read(tmp_path)
    assert found.spans == (Span(0, 3, "LOCATION-OTHER"),)


def test_conll_without_text_is_built_from_its_tokens(tmp_path):
    path = put(tmp_path, "a.conll", "Dr\t0\t2\tO\n.\t2\t3\tO\n\nRuiz\t5\t9\tB-DOCTOR\n")
    (found,) = corpora.read(path)
    assert (found.text, found.spans) == ("Dr.\n Ruiz", (Span(5, 9, "DOCTOR"),))


def test_columns_of_a_table_are_named(tmp_path):
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
    ("a.xml", TAG.format(text=CANARY, start=0, end=99), "a.xml: a: DOCTOR at 0-99 .* leaves the text of 11"),
    ("a.xml", TAG.format(text=CANARY, start="x", end=3), "without whole numbers"),
    ("a.xml", f'<ROOT><RECORD ID="1"><NO>{CANARY}</NO></RECORD></ROOT>', "record 1 has no TEXT"),
    ("a.xml", f'<ROOT><RECORD ID="1"><TEXT><B>{CANARY}</B></TEXT></RECORD></ROOT>', "record 1: <B> in TEXT"),
    ("a.jsonl", '{"text": "' + CANARY, "a.jsonl, line 1: malformed JSON"),
    ("a.jsonl", f'["{CANARY}"]', "a.jsonl, line 1: no text"),
    ("a.jsonl", f'{{"text": "{CANARY}", "spans": [{{"start": 1}}]}}', "malformed spans"),
    ("a.jsonl", f'{{"text": "{CANARY}", "spans": [[0, 99, "DATE"]]}}', "line 1: 1: DATE at 0-99"),
    ("a.jsonl", f'{{"text": "{CANARY}\\ud800"}}', "lone surrogate at offset 11"),
    ("a.jsonl", f'{{"id": 1, "text": "{CANARY}"}}\n{{"id": 1, "text": ""}}', "document 1 occurs twice"),
    ("a.json", f'{{"text": "{CANARY}"}}', "array of tasks"),
    ("a.json", f'[{{"text": "{CANARY}"}}]', "a.json, task 1: wanted data.text"),
    ("a.csv", f"nr,note\n1,{CANARY}\n", "no column id; there are nr, note"),
    ("a.csv", "", "not a CSV table"),
    ("a.parquet", CANARY, "not a Parquet file"),
    ("a.conll", f"{CANARY}\tO\n", "a.conll, line 1: 2 columns; wanted token, start, end, label"),
    ("a.conll", f"{CANARY}\t0\t5\tO\n", "line 1: end is not"),
    ("a.jsonl", "", "no documents"),
]


@pytest.mark.parametrize(("name", "content", "message"), BAD)
def test_bad_input_has_one_line_without_the_notes_text(name, content, message, tmp_path):
    path = put(tmp_path, name, content)
    with pytest.raises(FormatFault, match=message) as caught:
        list(corpora.read(path))
    assert CANARY not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bad_annotation_names_its_line(tmp_path):
    put(tmp_path, "a.txt", CANARY)
    put(tmp_path, "a.ann", f"T1\tDOCTOR 0 3\t{CANARY[:3]}\nT2 DOCTOR 0 3 {CANARY}\n")
    with pytest.raises(FormatFault, match=r"a.ann, line 2: malformed") as caught:
        list(corpora.read(tmp_path))
    assert CANARY not in str(caught.value)


def test_missing_and_mixed_folders(tmp_path):
    with pytest.raises(FormatFault, match="no such file or folder"):
        list(corpora.read(tmp_path / "none"))
    with pytest.raises(FormatFault, match="no documents"):
        list(corpora.read(tmp_path))
    put(tmp_path, "a.txt", "x")
    put(tmp_path, "b.jsonl", "{}")
    with pytest.raises(FormatFault, match="holds jsonl and text files; --from"):
        list(corpora.read(tmp_path))
    with pytest.raises(ConfigurationFault, match="did you mean jsonl"):
        list(corpora.read(tmp_path, "jsonlines"))
    with pytest.raises(ConfigurationFault, match="no format to read"):
        list(corpora.read(tmp_path, "inline"))


@pytest.mark.parametrize("format", ["i2b2", "i2b2-2006"])
def test_what_xml_cannot_hold_is_refused_by_offset(format, tmp_path):
    with pytest.raises(FormatFault, match=r"n: character U\+0000 at offset 3"):
        corpora.write([Document("n", "NUL\0")], tmp_path / "out", format)


@pytest.mark.parametrize("id", ["", "..", "a/b", "a\\b"])
def test_identifiers_cannot_leave_the_folder(id, tmp_path):
    with pytest.raises(FormatFault, match="cannot name a file"):
        corpora.write([Document(id, "x")], tmp_path / "out", "brat")


def test_what_is_there_is_kept_unless_told(tmp_path):
    put(tmp_path, "a.txt", "mine")
    for path, format in ((tmp_path, "brat"), (tmp_path / "a.txt", "jsonl")):
        with pytest.raises(FormatFault, match="--overwrite"):
            corpora.write([Document("a", "new")], path, format)
    assert (tmp_path / "a.txt").read_text() == "mine"
    with pytest.raises(FormatFault, match="two documents want this name"):
        corpora.write([Document("b", "x"), Document("b", "y")], tmp_path / "out", "brat")


@pytest.mark.parametrize("format", [*ROUND, "text"])
def test_a_line_of_ten_megabytes(format, tmp_path):
    if format == "conll":
        pytest.skip("a line a token: nothing long in it")
    document = Document("100-01", "word " * 2_000_000, (Span(0, 4, "DATE"),) if format != "text" else ())
    (found,) = again([document], format, tmp_path)
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
