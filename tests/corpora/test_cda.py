"""C-CDA: what is read, where it is, and that everything else stays."""

import base64
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid import corpora
from crfdeid.corpora import cda
from crfdeid.corpora.messages import ATTACHMENTS
from crfdeid.errors import FormatError
from crfdeid.text.document import Document

HEAD = '<ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'


@dataclass
class Made:
    start: int
    end: int
    replacement: str


def parse(body: str):
    return cda.parse_document(f"{HEAD}{body}</ClinicalDocument>", "m", "m.xml")


def render(message) -> str:
    """Write the message with what it has, without the root element."""
    made = {
        note.id: [Made(span.start, span.end, note.text_of(span)) for span in note.spans]
        for note in message.list_documents(fields=True)
    }
    return message.render(made, lambda code: "0f")[len(HEAD) : -len("</ClinicalDocument>")]


def section(text: str) -> str:
    return f"<structuredBody><component><section>{text}</section></component></structuredBody>"


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ("<recordTarget><patientRole><patient><name><given>Ana</given><family>Eze</family></name></patient>"
         "</patientRole></recordTarget>", [("PATIENT", "Ana"), ("PATIENT", "Eze")]),
        ("<recordTarget><patientRole><patient><name> Ana Eze </name><birthTime value='20010307'/></patient>"
         "</patientRole></recordTarget>", [("PATIENT", "Ana Eze"), ("DATE", "2001-03-07")]),
        ("<recordTarget><providerOrganization><name>General</name></providerOrganization></recordTarget>",
         [("HOSPITAL", "General")]),
        ("<author><time value='20610402'/><assignedPerson><name>E. Ruiz</name></assignedPerson></author>",
         [("DATE", "2061-04-02"), ("DOCTOR", "E. Ruiz")]),
        ("<x><addr><streetAddressLine>12 Elm</streetAddressLine><city>Boston</city><state>MA</state>"
         "<country>US</country></addr></x>",
         [("STREET", "12 Elm"), ("CITY", "Boston"), ("STATE", "MA")]),
        ("<telecom value='tel:555'/><telecom value='mailto:a@b.org'/><telecom value='https://a.b'/>",
         [("PHONE", "555"), ("EMAIL", "a@b.org"), ("URL", "//a.b")]),
        ("<patientRole><id extension='44&amp;7' root='1.2'/></patientRole><id extension='8'/>",
         [("MEDICALRECORD", "44&7"), ("IDNUM", "8")]),
        ("<guardian><guardianPerson><name>Obi</name></guardianPerson></guardian>", [("PATIENT", "Obi")]),
        ("<effectiveTime><low value='2061'/><high value='206104'/></effectiveTime>",
         [("DATE", "2061"), ("DATE", "2061-04")]),
    ],
)  # fmt: skip
def test_structured_values_are_typed_fields(body, fields):
    assert [(field.type, field.text) for field in parse(body).fields] == fields


@pytest.mark.parametrize(
    "body",
    [
        '<realmCode code="US"/><typeId root="2.16.840.1.113883.1.3" extension="POCD_HD000040"/>',
        '<code code="11506-3" codeSystem="2.16.840.1.113883.6.1" codeSystemName="LOINC 2"/>',
        '<value xsi:type="PQ" value="72.0" unit="/min"/><doseQuantity value="1"/>',
        "<name use='L'><prefix>Dr.</prefix></name>\n\t<text><reference value='#p1'/></text>",
        '<effectiveTime nullFlavor="UNK"/><low value="7.35"/>',
    ],
)
def test_codes_units_and_numbers_stay(body):
    message = parse(body)
    assert render(message) == body and not message.fields


@pytest.mark.parametrize(
    ("body", "made"),
    [
        ("<x>Ana</x>", "<x></x>"),
        ("<x y='Ana'/>", "<x y=''/>"),
        ("<!-- Ana -->", ""),
        ("<?x Ana?>", ""),
        ("<code code='Ana Okafor'/>", "<code code=''/>"),
        ("<value value='Ana'/>", "<value value=''/>"),
        ("<birthTime value='March'/>", "<birthTime value=''/>"),
        ("<value value='93' unit='a'/>", "<value value='90' unit='a'/>"),
        ("<prefix>Okafor</prefix>", "<prefix></prefix>"),
        ("<x><addr>12 Elm</addr></x>", "<x><addr></addr></x>"),
        ("<id root='1.2.3'/><setId root='1.2.3'/>", "<id root='2.25.15'/><setId root='2.25.15'/>"),
        ("<text mediaType='application/pdf' representation='B64'>eA==</text>",
         "<text mediaType='application/pdf' representation='B64'></text>"),
        (section("<text><p title='Ana' class='x'><a href='http://a.b'>a</a><!-- Ana --></p></text>"),
         section("<text><p title='' class='x'><a href=''>a</a></p></text>")),
    ],
)  # fmt: skip
def test_what_no_rule_lets_out_is_emptied(body, made):
    message = parse(body)
    assert render(message) == made
    assert message.masked or "root" in body


def test_narratives_and_short_texts_are_documents():
    data = base64.b64encode(b"plain").decode()
    body = (
        "<title>Note</title><code displayName='Progress &quot;note&quot;'/>"
        + section(
            "<title>Plan</title><text>A<content>n</content>a &lt; &#233;<paragraph>two</paragraph></text>"
        )
        + section("<text><![CDATA[a & <b>]]></text>")
        + f"<nonXMLBody><text mediaType='text/plain' representation='B64'>{data}</text></nonXMLBody>"
        + "<nonXMLBody><text>whole</text></nonXMLBody>"
    )
    assert {note.id: note.text for note in parse(body).list_documents()} == {
        "m.section.1": "Ana < é\ntwo", "m.section.2": "a & <b>", "m.section.3": "plain",
        "m.section.4": "whole", "m.terms": 'Note\nProgress "note"\nPlan',
    }  # fmt: skip
    assert render(parse(body)) == body


def test_an_attachment_is_counted():
    body = "<text mediaType='text/plain' representation='B64'>%</text>"
    assert parse(body).masked == {ATTACHMENTS: 1}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (f"{HEAD}<Zzyzx></ClinicalDocument>", "malformed XML"),
        ('<!DOCTYPE a [<!ENTITY b "Zzyzx">]><ClinicalDocument>&b;</ClinicalDocument>', "declares entities"),
        ("<Zzyzx/>", "no clinical document"),
        (f"{HEAD}</ClinicalDocument>", "no documents"),
    ],
)
def test_what_is_no_document_is_refused_without_its_text(tmp_path, content, said):
    path = tmp_path / "a.xml"
    path.write_text(content)
    with pytest.raises(FormatError, match=said) as refused:
        list(corpora.read(path, "cda"))
    assert "Zzyzx" not in str(refused.value)


def test_cda_is_detected_beside_other_xml(tmp_path):
    (tmp_path / "a.xml").write_text(f"<?xml version='1.0'?>\n<!-- x -->{HEAD}</ClinicalDocument>")
    (tmp_path / "b.xml").write_text("<cda:ClinicalDocument xmlns:cda='urn:hl7-org:v3'/>")
    (tmp_path / "c.xml").write_text("<x><TEXT>ClinicalDocument</TEXT><TAGS/></x>")
    found = [corpora.detect_format(tmp_path / f"{name}.xml") for name in "abc"]
    assert found == ["cda", "cda", "i2b2"]


def test_a_file_holds_one_document(tmp_path):
    notes = [Document("1", "a"), Document("2", "b")]
    with pytest.raises(FormatError, match="a file holds one document"):
        corpora.write(notes, tmp_path / "a.xml", "cda")
    corpora.write_each(notes, tmp_path / "out", "cda")
    assert [note.text for note in corpora.read(tmp_path / "out")] == ["a", "b"]


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=30).filter(
    lambda text: not cda.markup.ILLEGAL.search(text)
) | st.text("<&>\"'] \n\té😀", max_size=12)


@given(TEXTS, TEXTS.filter(lambda text: text.strip() == text != ""))
def test_a_text_that_is_written_is_read_again(tmp_path_factory, text, patient):
    path = tmp_path_factory.mktemp("cda") / "a.xml"
    corpora.write([Document("n1", text, patient=patient)], path, "cda")
    (note,) = corpora.read(path)
    assert (note.text, note.patient) == (text, patient)


@given(TEXTS, st.integers(0, 9), st.integers(1, 5), TEXTS)
def test_a_redacted_text_is_read_as_it_was_made(text, start, size, replacement):
    message = parse(section(f"<text><p>{escape(text)}</p></text>"))
    end = min(start + size, len(text))
    if start < end:
        made = message.render({"m.section.1": [Made(start, end, replacement)]}, str)
        (passage,) = cda.parse_document(made, "m", "m").passages
        assert passage.text == text[:start] + replacement + text[end:]


NAMES = st.sampled_from(
    ["name", "given", "addr", "city", "id", "code", "value", "text", "section", "time", "x", "telecom"]
)
ATTRIBUTES = st.sampled_from(["value", "code", "extension", "root", "displayName", "use", "x", "unit", "ID"])
CANARY = "Zan Eze"


def build_element(name: str, attributes: dict[str, str], content: list[str]) -> str:
    listed = "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())
    return f"<{name}{listed}>{''.join(content)}</{name}>"


ELEMENTS = st.recursive(
    st.sampled_from([CANARY, "<!-- Zan -->", "<![CDATA[Zan Eze]]>", " "]),
    lambda content: st.builds(
        build_element,
        NAMES,
        st.dictionaries(ATTRIBUTES, st.sampled_from([CANARY, "tel:Zan Eze", "1.2"]), max_size=2),
        st.lists(content, max_size=3),
    ),
    max_leaves=8,
)


@given(st.lists(ELEMENTS, max_size=3))
def test_no_text_or_attribute_goes_out_that_is_no_passage_or_field(elements):
    message = parse("".join(elements))
    documents = [note for note in message.list_documents(fields=True) if note.text]
    blank = {note.id: [Made(0, len(note.text), "")] for note in documents if not note.spans}
    fields = {note.id: [Made(s.start, s.end, "x") for s in note.spans] for note in documents if note.spans}
    empty = {note.id: [] for note in message.list_documents()}
    assert "Zan" not in message.render(empty | blank | fields, lambda code: "0f")
