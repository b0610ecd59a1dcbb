"""C-CDA: what is read, where it is, and that everything else stays."""

import base64
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid import corpora
from crfdeid.corpora import cda
from crfdeid.corpora.messages import ATTACHMENTS, EMPTIED
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
        ("<addr><city>US</city><country>Kenya</country></addr>", [("CITY", "US"), ("COUNTRY", "Kenya")]),
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


FORMS = {
    "KEPT": (
        ["code", "realmCode", "codeSystem", "codeSystemName", "codeSystemVersion", "unit", "valueSet", "ID",
         "valueSetVersion"],
        ["", "Code", "codeSystemX", "title", "xcode", "okońCode", "extension"],
    ),
    "CODE_SHAPE": (
        ["", "a" * 60, "2.16.840.1.113883", "mm[Hg]", "10*3/uL", "{score}", "a:b=c#d'(e)%^+-"],
        ["a" * 61, "a//b", "//a", "a b", "Okoń", "a,b"],
    ),
    "NAMESPACE": (
        ["", "urn:hl7-org:v3", "urn:hl7-org:sdtc http://www.w3.org/2001/XMLSchema-instance",
         "urn:hl7-org:v3 infrastructure/cda/CDA_SDTC.xsd", "CDA.xsd", "  "],
        ["urn:okafor:v3", "http://okafor.org/CDA", "urn:hl7-org:Okoń", "http://www.w3.org/", "urn:hl7-org:",
         "okoń/CDA.xsd", "Ana"],
    ),
    "NUMBER": (
        ["", "7", "-72.5", "+.5", "5.", "12345678.12345678"], ["123456789", "1.123456789", "1e5", "--1"],
    ),
    "SMALL": (["7", "120", "7.3", "120.1234"], ["", "1234", "7.", "7.12345", "-7"]),
    "LOCAL": (["#a", "#p1.2-3", "#" + "a" * 60], ["#", "a", "##a", "#" + "a" * 61, "#a b", "#okoń"]),
    "TIMES": (
        ["time", "birthTime", "effectiveTime", "low", "high", "center"], ["lower", "okońTime", "value", ""],
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_value_that_stays_has_the_form_that_it_should_have(form):
    kept, others = FORMS[form]
    pattern = getattr(cda, form)
    assert [text for text in kept if not pattern.fullmatch(text)] == []
    assert [text for text in others if pattern.fullmatch(text)] == []


@pytest.mark.parametrize(
    ("name", "value", "action"),
    [
        ("codeSystemName", "LOINC", "keep"),
        ("codeSystemName", "LOINC 2.7 of a", "keep"),
        ("codeSystemName", "LOINC" + "a" * 31, "keep"),  # a code without a blank
        ("codeSystemName", "LOINC 2" + "a" * 29, "mask"),
        ("codeSystemName", "Ana Okafor", "mask"),
        ("use", "H HP", "keep"),
        ("use", "A B C D EFGHI", "keep"),
        ("use", "A B C D E F", "mask"),
        ("use", "ABCDEF G", "mask"),
        ("unit", "H HP", "mask"),
        ("xsi:type", "PQ", "keep"),
        ("sdtc:title", "PQ", "mask"),
        ("xmlns", "urn:hl7-org:v3", "keep"),
        ("xmlns:x", "Ana Okafor", "mask"),
        ("xsi:schemaLocation", "urn:hl7-org:v3 CDA.xsd", "keep"),
        ("displayName", "Ana", "text"),
    ],
)
def test_what_becomes_of_an_attribute(name, value, action):
    assert cda.choose_attribute_action(["code"], name, value, {}) == action


@pytest.mark.parametrize(
    ("path", "name", "value", "action"),
    [
        ("id", "root", "1.2", "code"),
        ("id", "extension", "7", "IDNUM"),
        ("patientRole id", "extension", "7", "MEDICALRECORD"),
        ("patientRole x id", "extension", "7", "IDNUM"),
        ("templateId", "root", "1.2", "keep"),
        ("typeId", "extension", "Ana Eze", "mask"),
    ],
)
def test_what_becomes_of_an_id(path, name, value, action):
    assert cda.choose_attribute_action(path.split(), name, value, {}) == action


@pytest.mark.parametrize(
    ("name", "value", "unit", "action"),
    [
        ("telecom", "555", None, "PHONE"),
        ("telecom", "sms:555", None, "PHONE"),
        ("telecom", "fax:555", None, "FAX"),
        ("telecom", "http://a", None, "URL"),
        ("telecom", "mailto:a\nb", None, "EMAIL"),
        ("time", "20610402", None, "DATE"),
        ("low", "20610402", None, "DATE"),
        ("low", "7.35", None, "keep"),
        ("low", "1999", "mg", "keep"),
        ("low", "1999", None, "DATE"),
        ("value", "2061040", None, "keep"),
        ("value", "Ana", None, "mask"),
        ("value", "true", None, "keep"),
        ("value", "false", None, "keep"),
        ("reference", "#p1", None, "keep"),
        ("reference", "http://a.b", None, "mask"),
        ("value", "89", "a", "keep"),
        ("value", "89.5", "a", "age"),
        ("value", "+93", "a", "age"),
        ("value", "93", "mo", "keep"),
        ("value", ".", "a", "keep"),
        ("value", "Ana", "a", "mask"),
        ("time", "93", "a", "age"),
    ],
)
def test_what_becomes_of_a_value(name, value, unit, action):
    attributes = {"unit": unit} if unit else {}
    assert cda.choose_attribute_action([name], "value", value, attributes) == action


@pytest.mark.parametrize(
    ("path", "action"),
    [
        ("addr", "mask"),
        ("addr city", "CITY"),
        ("addr county", "CITY"),
        ("addr state", "STATE"),
        ("addr name", "mask"),
        ("addr x city", "mask"),
        ("city", "mask"),
        ("prefix", "title"),
        ("patient name suffix", "title"),
        ("name", "DOCTOR"),
        ("recordTarget patientRole patient name given", "PATIENT"),
        ("recordTarget patientRole providerOrganization name", "HOSPITAL"),
        ("relatedEntity relatedPerson name", "PATIENT"),
        ("assignedPerson name family", "DOCTOR"),
        ("healthCareFacility location name", "HOSPITAL"),
        ("serviceProviderOrganization name name", "HOSPITAL"),
        ("healthCareFacility name", "HOSPITAL"),
        ("place name", "HOSPITAL"),
        ("subject playingEntity name", "text"),
        ("manufacturedMaterial name", "text"),
        ("playingDevice name", "text"),
        ("lotNumberText", "DEVICE"),
        ("title", "text"),
        ("x", "mask"),
    ],
)
def test_what_becomes_of_a_text(path, action):
    assert cda.choose_text_action(path.split(), {}) == action


@pytest.mark.parametrize(
    ("path", "attributes", "action"),
    [
        ("nonXMLBody text", {}, "narrative"),
        ("nonXMLBody text", {"mediaType": "text/plain"}, "narrative"),
        ("nonXMLBody text", {"mediaType": "text/rtf"}, "mask"),
        ("nonXMLBody text", {"mediaType": "text/rtf", "representation": "B64"}, "data"),
        ("entry text", {"representation": "B64"}, "data"),
        ("entry text", {"representation": "TXT"}, "text"),
    ],
)
def test_what_becomes_of_the_text_of_an_attachment(path, attributes, action):
    assert cda.choose_text_action(path.split(), attributes) == action


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


def encode(data: bytes) -> str:
    return base64.b64encode(data).decode()


@pytest.mark.parametrize(
    ("type", "data", "texts"),
    [
        ("text/plain", encode("café".encode()), ["café"]),
        ("text/plain; charset=utf-8", f" {encode(b'abc')[:2]}\n{encode(b'abc')[2:]} ", ["abc"]),
        ("text/plain", "%", None),
        ("text/plain", f"%{encode(b'abc')}", None),
        ("text/plain", encode(b"\xff"), None),
        ("application/pdf", encode(b"abc"), None),
    ],
)
def test_an_attachment_is_a_text_or_counted(type, data, texts):
    message = parse(f"<text mediaType='{type}' representation='B64'>{data}</text>")
    assert [note.text for note in message.list_documents()] == (texts or [])
    assert message.masked[ATTACHMENTS] == (0 if texts else 1)
    assert [note.id for note in message.list_documents()] == ["m.section.1"] * bool(texts)


def test_the_numbers_of_sections_count_attachments_too():
    attachment = f"<text mediaType='text/plain' representation='B64'>{encode(b'b')}</text>"
    message = parse(section("<text>a</text>") + attachment + section("<text>c</text>"))
    assert {note.id: note.text for note in message.list_documents()} == {
        "m.section.1": "a", "m.section.2": "b", "m.section.3": "c",
    }  # fmt: skip
    made = {"m.section.1": [], "m.section.2": [Made(0, 1, "é")], "m.section.3": []}
    assert f">{encode('é'.encode())}<" in message.render(made, str)


def test_the_whole_of_the_text_of_a_section_is_one_passage():
    inner = "<component><section><text>c</text></section></component>"
    body = (
        "<text>0</text><section><text>a<text>b</text><x/></text>" + inner + "<text/><title>t</title>"
        "<entry><act><text>d</text></act></entry></section><text>e</text>"
    )
    assert {note.id: note.text for note in parse(body).list_documents()} == {
        "m.section.1": "a\nb", "m.section.2": "c", "m.terms": "0\nt\nd\ne",
    }  # fmt: skip


def test_what_a_reader_of_xml_needs_stays():
    head = '<?xml version="1.0"?>\n<?xml-stylesheet href="CDA.xsl"?>'
    message = cda.parse_document(f"{head}<?xmlx Ana?><!-- Ana -->{HEAD}</ClinicalDocument>", "m", "m.xml")
    assert message.render({}, str) == f"{head}{HEAD}</ClinicalDocument>"
    assert message.masked == {cda.COMMENTS: 2}


@pytest.mark.parametrize(
    "pseudo", ['type="text/xsl" href="okafor.xsl"', "Ana Okafor", 'href="CDA.xsl" title="Ana"']
)
def test_an_instruction_that_says_more_than_its_style_sheet_does_not_go_out(pseudo):
    head = f'<?xml version="1.0"?><?xml-stylesheet {pseudo}?>'
    message = cda.parse_document(f"{head}{HEAD}</ClinicalDocument>", "m", "m.xml")
    assert message.render({}, str) == f'<?xml version="1.0"?>{HEAD}</ClinicalDocument>'


def test_a_long_number_is_no_measure():
    body = "<value type='INT' value='88123456'/><value value='12000000'/><value value='1234567' unit='1'/>"
    made = parse(body).render({}, str)
    assert "88123456" not in made and "12000000" in made and "1234567'" in made


def test_the_new_value_of_a_field_takes_its_place():
    body = (
        "<name> Ana Eze\n</name><telecom value='tel:555'/><time value='20610402101530-0500'/>"
        "<birthTime value='206104'/><addr><country> US </country></addr><addr><country>Kenya</country></addr>"
        "<value value='93' unit='a'/><time value=' 2061 '/>"
    )
    message = parse(body)
    new = {
        "Ana Eze": "A <b>", "555": '"7"', "2061-04-02": "2061-05-09", "2061-04": "May", "Kenya": "Chad",
        "2061": "2062",
    }  # fmt: skip
    made = {
        note.id: [Made(span.start, span.end, new[note.text_of(span)]) for span in note.spans]
        for note in message.list_documents(fields=True)
    }
    assert message.render(made, str)[len(HEAD) : -len("</ClinicalDocument>")] == (
        "<name> A &lt;b&gt;\n</name><telecom value='tel:&quot;7&quot;'/><time value='20610509101530-0500'/>"
        "<birthTime value=''/><addr><country> US </country></addr><addr><country>Chad</country></addr>"
        "<value value='90' unit='a'/><time value=' 2062 '/>"
    )


@pytest.mark.parametrize(
    "body", ["<telecom value='tel:'/>", "<time value='2061-04'/>", "<id extension=' '/>"]
)
def test_a_field_without_a_value_is_emptied(body):
    message = parse(body)
    assert not message.fields and message.masked == {EMPTIED: 1}
    assert "''" in render(message)


def test_what_is_searched_in_the_texts_of_the_patient():
    body = (
        "<recordTarget><patientRole><id extension='77'/><id extension='8'/><addr><state>MA</state>"
        "<city>Boston</city></addr><telecom value='https://a.b'/><patient><name><given>Xu</given><given>B</given>"
        "</name><birthTime value='2001'/><deceasedTime value='2061'/></patient></patientRole></recordTarget>"
        "<author><time value='2060'/><id extension='99'/><addr><city>Newton</city></addr><assignedPerson>"
        "<name>Li</name></assignedPerson></author>"
    )
    message = parse(body)
    assert message.patient == "77"
    assert [field.text for field in message.fields if field.is_known] == [
        "77",
        "Boston",
        "Xu",
        "2001",
        "2061",
        "Li",
    ]


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
    (tmp_path / "d.xml").write_text("<ClinicalDocument/>", encoding="utf-16")
    found = [corpora.detect_format(tmp_path / f"{name}.xml") for name in "abcd"]
    assert found == ["cda", "cda", "i2b2", "cda"]
    assert not cda.is_document(tmp_path / "none.xml")


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
