"""brat and the XML of i2b2, to the letter: what is written, what is read, and what is refused."""

import codecs

import pytest

from crfdeid import corpora
from crfdeid.corpora import brat, i2b2_2006, i2b2_2014, inline, safe_xml
from crfdeid.errors import CrfdeidError, FormatError
from crfdeid.text.document import Document, Span

CANARY = "Zanzibarova"


def read_brat(tmp_path, text: str, annotations: str) -> tuple[Span, ...]:
    (tmp_path / "a.txt").write_bytes(text.encode())
    (tmp_path / "a.ann").write_bytes(annotations.encode())
    (found,) = corpora.read(tmp_path, "brat")
    return found.spans


@pytest.mark.parametrize(
    ("annotations", "spans"),
    [
        ("T1\tA 0 3", (Span(0, 3, "A"),)),
        ("T1\tA 0 3\t", (Span(0, 3, "A"),)),
        ("T\tA 4 7\tEze\r\n\r\nT22\tÄ 0 3\tAna\r\n", (Span(0, 3, "Ä"), Span(4, 7, "A"))),
        ("T1\tA 0 3;4 7\tAna Eze\n", (Span(0, 3, "A"), Span(4, 7, "A"))),
        ("T1\tA 0 2;2 3;4 7\tAn a\u00a0Eze", (Span(0, 2, "A"), Span(2, 3, "A"), Span(4, 7, "A"))),
        ("R1\tx\nE1\tx\nA1\tx\nM1\tx\nN1\tx\n#1\tx\n*\tx\n\nT1\tA 8 9\t", (Span(8, 9, "A"),)),
    ],
)
def test_annotations_of_brat(annotations, spans, tmp_path):
    assert read_brat(tmp_path, "Ana Eze.\n", annotations) == spans


@pytest.mark.parametrize(
    "line",
    [
        "T1 A 0 3", "T1\tA 0\t", "T1\tA 0 3;\t", "T1\tA 0 3;4\t", "T1\tA  0 3\t", "T1\t 0 3\t",
        "T1\tA -1 3\t", "T1\tA ٠ ٣\t", "X1\tA 0 3\t", " T1\tA 0 3\t", "T1\tA B 0 3\t",
        "T1\tA 0 1000000000000\t", "T1 2\tA 0 3\t",
    ],
)  # fmt: skip
def test_a_malformed_annotation_names_its_line(line, tmp_path):
    with pytest.raises(FormatError, match="a.ann, line 2: malformed; wanted T1<tab>TYPE START END<tab>text"):
        read_brat(tmp_path, CANARY, f"\n{line}{CANARY}")


def test_what_brat_gets():
    spans = (Span(0, 7, "A", 0.5), Span(4, 7, "B"), Span(8, 9, "C", 1 / 3))
    made = brat.render_document(Document("n", "Ana\nEz\0e", spans[:2]))
    assert made == {
        ".txt": "Ana\nEz\0e",
        ".ann": "T1\tA 0 7\tAna Ez \n#1\tAnnotatorNotes T1\tprobability 0.5000\nT2\tB 4 7\tEz \n",
    }
    with pytest.raises(FormatError, match="length 1: the type of span 2 cannot be written in brat"):
        brat.render_document(Document("n", "Ana Eze", (Span(0, 3, "A"), Span(4, 7, "B C"))))


@pytest.mark.parametrize(
    ("name", "patient"), [("110-01", "110"), ("1-2", "1"), ("110", None), ("110-01-2", None), ("a-01", None)]
)
def test_the_patient_of_a_file_of_2014(name, patient, tmp_path):
    (tmp_path / f"{name}.xml").write_text("<x><TEXT>Bay</TEXT></x>")
    (found,) = corpora.read(tmp_path / f"{name}.xml")
    assert (found.id, found.patient) == (name, patient)


def test_a_file_of_2014_to_the_letter(tmp_path):
    spans = (Span(0, 3, "CITY", 0.25), Span(4, 7, "LOCATION-OTHER"), Span(5, 8, 'A"B'))
    document = Document("1-2", "Bay <&>\n", spans)
    made = i2b2_2014.render_document(document)[".xml"]
    assert made == (
        '<?xml version="1.0" encoding="UTF-8"?>\n<deIdi2b2>\n<TEXT><![CDATA[Bay <&>\n]]></TEXT>\n<TAGS>\n'
        '<LOCATION id="P0" start="0" end="3" text="Bay" TYPE="CITY" comment="probability 0.2500" />\n'
        '<LOCATION id="P1" start="4" end="7" text="&lt;&amp;&gt;" TYPE="LOCATION-OTHER" comment="" />\n'
        '<PHI id="P2" start="5" end="8" text="&amp;&gt;&#10;" TYPE=\'A"B\' comment="" />\n'
        "</TAGS>\n</deIdi2b2>\n"
    )
    (tmp_path / "1-2.xml").write_text(made)
    (found,) = corpora.read(tmp_path)
    assert [(s.start, s.end, s.type) for s in found.spans] == [(s.start, s.end, s.type) for s in spans]
    assert "<TEXT>a ]]&gt; b</TEXT>" in i2b2_2014.render_document(Document("n", "a ]]> b"))[".xml"]
    assert "<TEXT>a&#13;b</TEXT>" in i2b2_2014.render_document(Document("n", "a\rb"))[".xml"]


@pytest.mark.parametrize(
    ("type", "element"),
    [("DOCTOR", "NAME"), ("ZIP", "LOCATION"), ("DATE", "DATE"), ("PHONE", "CONTACT"), ("Zan", "PHI"),
     ("CALLE", "LOCATION")],
)  # fmt: skip
def test_the_element_of_a_type(type, element):
    assert i2b2_2014.find_element(type) == element


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ('<NAME start="0" end="1"/>', "tag 1: NAME has no TYPE"),
        ('<NAME TYPE="A" end="1"/>', "tag 1: NAME has no start"),
        ('<x/><NAME TYPE="A" start="0" end="1.5"/>', "tag 2: NAME: its start and end must be whole numbers"),
        ('<NAME TYPE="A" start="2" end="1"/>', "tag 1: NAME at 2-1 leaves the text of 3 characters"),
        ('<NAME TYPE="A" start="0" end="4"/>', "tag 1: NAME at 0-4 leaves"),
        ('<AGE TYPE="" start="0" end="3"/>', "AGE at 0-3 has an empty TYPE"),
    ],
)
def test_a_bad_tag_is_refused(tags, message, tmp_path):
    (tmp_path / "a.xml").write_text(f"<x><TEXT>Bay</TEXT><TAGS>{tags}</TAGS></x>")
    with pytest.raises(FormatError, match=message):
        list(corpora.read(tmp_path / "a.xml"))


def test_a_tag_at_the_end_of_the_text_and_one_that_is_no_phi(tmp_path):
    tags = '<OTHER TYPE="A" start="0" end="3"/><OTHER TYPE="OTHER" start="1" end="2"/>'
    tags = f'<MEDICATION start="0" end="9"/>{tags}'
    (tmp_path / "a.xml").write_text(f"<x><TEXT>B<b>a</b>y</TEXT><TAGS>{tags}</TAGS></x>")
    (found,) = corpora.read(tmp_path / "a.xml")
    assert (found.text, found.spans) == ("Bay", (Span(0, 3, "A"), Span(1, 2, "OTHER")))


def test_a_file_of_2006_to_the_letter(tmp_path):
    notes = [Document('1"', "Dr. <Eze>", (Span(4, 9, "A&B"),)), Document("2", "")]
    corpora.write(notes, tmp_path / "a.xml", "i2b2-2006")
    assert (tmp_path / "a.xml").read_text() == (
        '<?xml version="1.0" encoding="UTF-8"?>\n<ROOT>\n<RECORD ID=\'1"\'>\n'
        '<TEXT>Dr. <PHI TYPE="A&amp;B">&lt;Eze&gt;</PHI></TEXT>\n</RECORD>\n'
        '<RECORD ID="2">\n<TEXT></TEXT>\n</RECORD>\n</ROOT>\n'
    )
    assert list(corpora.read(tmp_path / "a.xml")) == notes


@pytest.mark.parametrize(
    ("records", "found"),
    [
        ('<RECORD ID="1"><TEXT><PHI TYPE="A">Ana</PHI> and <PHI TYPE="B">Eze</PHI>.</TEXT></RECORD>',
         [Document("1", "Ana and Eze.", (Span(0, 3, "A"), Span(8, 11, "B")))]),
        ('<RECORD ID="1"><TEXT>a<PHI TYPE="A"></PHI>b</TEXT></RECORD>', [Document("1", "ab")]),
        ('<x><RECORD ID="1"><y/><TEXT/></RECORD></x><DOCUMENT ID="2"><TEXT>b</TEXT></DOCUMENT>',
         [Document("1", ""), Document("2", "b")]),
    ],
)  # fmt: skip
def test_records_of_2006(records, found, tmp_path):
    (tmp_path / "a.xml").write_text(f"<ROOT>{records}</ROOT>")
    assert list(corpora.read(tmp_path / "a.xml", "i2b2-2006")) == found


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (f'<RECORD><TEXT>{CANARY}</TEXT></RECORD>', "a.xml: record 1 has no TEXT element or no ID"),
        (f'<RECORD ID="1"><TEXT/></RECORD><RECORD ID="2">{CANARY}</RECORD>', "record 2 has no TEXT element"),
        (f'<RECORD ID="1"><TEXT>a<PHI TYPE="A">b</PHI><PHI>{CANARY}</PHI></TEXT></RECORD>',
         r"record 1: element 2 in TEXT: wanted flat <PHI TYPE=…>"),
        (f'<RECORD ID="1"><TEXT><x TYPE="A">{CANARY}</x></TEXT></RECORD>', "record 1: element 1 in TEXT"),
        (f'<RECORD ID="1"><TEXT/></RECORD><PHI TYPE="A">{CANARY}</PHI><PHI/>', "2 PHI elements in"),
        (f'<RECORD ID="1"><x><TEXT><PHI TYPE="A">{CANARY}</PHI></TEXT></x></RECORD>', "1 PHI elements in"),
    ],
)  # fmt: skip
def test_other_records_are_refused(records, message, tmp_path):
    (tmp_path / "a.xml").write_text(f"<ROOT>{records}</ROOT>")
    with pytest.raises(FormatError, match=message) as refused:
        list(corpora.read(tmp_path / "a.xml", "i2b2-2006"))
    assert CANARY not in str(refused.value)


@pytest.mark.parametrize(
    ("start", "is_2006"),
    [
        (b'<ROOT><RECORD ID="1">', True),
        (b'<ROOT><DOCUMENT ID="1">', True),
        ('<ROOT><RECORD ID="1">'.encode("utf-16"), True),
        (b"<x><TEXT><RECORD ID=</TEXT></x>", False),
        (b"<x><RECORDS /><TEXT></TEXT></x>", False),
        (b"", False),
    ],
)
def test_which_xml_is_of_2006(start, is_2006, tmp_path):
    (tmp_path / "a.xml").write_bytes(start)
    assert i2b2_2006.is_inline_xml(tmp_path / "a.xml") is is_2006
    with pytest.raises(FormatError, match="none.xml: No such file"):
        i2b2_2006.is_inline_xml(tmp_path / "none.xml")


@pytest.mark.parametrize(
    ("start", "encoding"),
    [
        (b"<?xml version='1.0' encoding='latin-1'?>", "iso8859-1"),
        (b'\xef\xbb\xbf \n<?xml version="1.0"\n encoding = "UTF-8" ?>', "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
        (b"<?xml version='1.0'?>", "utf-8"),
        (b"<x/><?xml version='1.0' encoding='latin-1'?>", "utf-8"),
        (b"<?xml version='1.0'?><x encoding='latin-1'/>", "utf-8"),
        (b"<?xml version='1.0' xencoding='latin-1'?>", "utf-8"),
        (b"", "utf-8"),
    ],
)
def test_the_encoding_that_a_file_shows(start, encoding, tmp_path):
    (tmp_path / "a.xml").write_bytes(start)
    assert safe_xml.find_encoding(tmp_path / "a.xml", "utf-8") == encoding
    assert safe_xml.find_encoding(tmp_path / "a.xml", "cp437") == "cp437"
    assert safe_xml.find_encoding(tmp_path / "none.xml", "utf-8") == "utf-8"  # as a pipe


@pytest.mark.parametrize("name", ["zzyzx", "rot13", "base64", "undefined"])
def test_an_encoding_that_is_not_one_of_texts_is_not_quoted(name, tmp_path):
    (tmp_path / "a.xml").write_text(f"<?xml version='1.0' encoding='{name}'?><x/>")
    with pytest.raises(FormatError, match="a.xml: declares an encoding that does not exist") as refused:
        safe_xml.find_encoding(tmp_path / "a.xml", "utf-8")
    assert name not in str(refused.value)


@pytest.mark.parametrize("depth", [safe_xml.DEEPEST - 1, safe_xml.DEEPEST])
def test_the_depth_of_elements_has_a_bound(depth, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text("<x><y/><y/>" + "\n<a>" * depth + "</a>" * depth + "</x>")
    if depth < 200:
        assert safe_xml.read_xml(path, "utf-8").tag == "x"
        return
    with pytest.raises(FormatError, match="a.xml, line 201: more than 200 elements in each other"):
        safe_xml.read_xml(path, "utf-8")


@pytest.mark.parametrize("text", ["\x00", "\x08", "\x0b", "\x1f", "\ufffe", "\uffff"])
def test_characters_that_xml_cannot_hold(text):
    with pytest.raises(
        FormatError, match=rf"length 1: character U\+{ord(text):04X} at offset 2 cannot be in"
    ):
        safe_xml.escape_content(f"ab{text}", "n")
    with pytest.raises(FormatError, match=r"cannot be in XML; use brat or jsonl"):
        safe_xml.quote_attribute(text, "n")


def test_the_offset_of_such_a_character_is_that_of_the_note():
    with pytest.raises(FormatError, match=r"U\+0000 at offset 5"):
        list(i2b2_2006.render_corpus([Document("n", "Ana, \0", (Span(0, 3, "A"),))]))


def test_a_file_that_cannot_be_opened_is_named(tmp_path, monkeypatch):
    def fail(*_):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a.xml").write_text("<x/>")
    monkeypatch.setattr(safe_xml, "open", fail, raising=False)
    with pytest.raises(FormatError, match="a.xml: Permission denied$"):
        safe_xml.find_encoding(tmp_path / "a.xml", "utf-8")


def test_texts_and_attributes_of_xml():
    assert safe_xml.escape_content("a\t\n\r\x20\ud7ff\ue000\ufffd\U00010000\U0010ffff", "n") == (
        "a\t\n&#13;\x20\ud7ff\ue000\ufffd\U00010000\U0010ffff"
    )
    assert safe_xml.quote_attribute("a\t\n\r\"'<&", "n") == '"a&#9;&#10;&#13;&quot;\'&lt;&amp;"'


def test_marks_in_place_show_the_longest():
    spans = (Span(0, 3, "DOCTOR"), Span(0, 7, "CITY"), Span(8, 12, "Zan"))
    document = Document("n", "Ana Eze 2061.", spans)
    assert inline.render_document(document) == {".txt": "<CITY>Ana Eze</CITY> <Zan>2061</Zan>."}
    assert inline.mark_spans(document, colour=True) == (
        "\x1b[1;32m<CITY>Ana Eze</CITY>\x1b[0m \x1b[1;33m<Zan>2061</Zan>\x1b[0m."
    )


@pytest.mark.parametrize(
    ("type", "colour"),
    [("PATIENT", 31), ("PROFESSION", 33), ("STREET", 32), ("AGE", 36), ("DATE", 34), ("EMAIL", 35),
     ("SSN", 35), ("OTHER", 33)],
)  # fmt: skip
def test_the_colours_of_types(type, colour):
    assert inline.mark_spans(Document("n", "x", (Span(0, 1, type),)), colour=True).startswith(
        f"\x1b[1;{colour}m"
    )


def test_xml_of_2006_cannot_hold_spans_that_overlap():
    spans = (Span(0, 3, "CITY"), Span(2, 4, "ZIP"))
    with pytest.raises(CrfdeidError, match="length 1: CITY at 0-3 overlaps ZIP at 2-4; inline XML"):
        list(i2b2_2006.render_corpus([Document("n", "Anab", spans)]))
