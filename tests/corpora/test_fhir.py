"""FHIR R4: what is read, where it is, and that everything else stays."""

import base64
import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid import corpora
from crfdeid.corpora import fhir, fhir_elements
from crfdeid.corpora.messages import ATTACHMENTS
from crfdeid.errors import FormatError
from crfdeid.text.document import Document

ABSENT = json.loads(fhir.ABSENT)


@dataclass
class Made:
    start: int
    end: int
    replacement: str


def parse(resource: dict[str, Any]) -> list:
    return list(fhir.parse_resource(json.dumps(resource, indent=1), "m", "m.json"))


def render(message, change=lambda text: text) -> str:
    made = {
        note.id: [Made(span.start, span.end, change(note.text_of(span))) for span in note.spans]
        for note in message.list_documents(fields=True)
    }
    return message.render(made, lambda code: f"<{code}>")


def clean(**elements: Any) -> dict[str, Any]:
    """What a resource becomes whose fields keep their values."""
    resource = {"resourceType": "Patient"} | elements
    (message,) = parse(resource)
    made = json.loads(render(message))
    return {key: value for key, value in made.items() if key != "resourceType"}


def list_fields(**elements: Any) -> list[tuple[str, str]]:
    (message,) = parse({"resourceType": "Patient"} | elements)
    return [(field.type, field.text) for field in message.fields]


@pytest.mark.parametrize(
    ("elements", "fields"),
    [
        (
            {"name": [{"family": "Eze", "given": ["Ana", "B"], "prefix": ["Dr."], "text": "Ana Eze"}]},
            [("PATIENT", "Eze"), ("PATIENT", "Ana"), ("PATIENT", "B"), ("PATIENT", "Ana Eze")],
        ),
        (
            {"birthDate": "2001-03", "deceasedDateTime": "2061-04-02T10:15:00Z"},
            [("DATE", "2001-03"), ("DATE", "2061-04-02")],
        ),
        (
            {"telecom": [{"system": "email", "value": "a@b.org"}, {"value": "555"}]},
            [("EMAIL", "a@b.org"), ("PHONE", "555")],
        ),
        (
            {"address": [{"line": ["12 Elm"], "city": "Boston", "state": "MA", "text": "12 Elm, Boston"}]},
            [("STREET", "12 Elm"), ("CITY", "Boston"), ("STATE", "MA"), ("LOCATION", "12 Elm, Boston")],
        ),
        (
            {"identifier": [{"value": "7", "type": {"coding": [{"code": "MR"}]}}, {"value": "8"}]},
            [("MEDICALRECORD", "7"), ("IDNUM", "8")],
        ),
        (
            {
                "generalPractitioner": [
                    {"reference": "Practitioner/1", "display": "E. Ruiz"},
                    {"display": "Ruiz"},
                ]
            },
            [("DOCTOR", "E. Ruiz"), ("DOCTOR", "Ruiz")],
        ),
        ({"managingOrganization": {"display": "General"}}, [("HOSPITAL", "General")]),
        ({"contact": [{"name": {"family": "Eze"}, "relationship": [{"text": "son"}]}]}, [("PATIENT", "Eze")]),
        ({"resourceType": "Practitioner", "name": [{"family": "Ruiz"}]}, [("DOCTOR", "Ruiz")]),
        (
            {"resourceType": "Organization", "name": "General", "alias": ["GH"]},
            [("HOSPITAL", "General"), ("HOSPITAL", "GH")],
        ),
        (
            {
                "resourceType": "Coverage",
                "subscriberId": "12",
                "type": {"coding": [{"system": "http://a.b/c"}]},
            },
            [("HEALTHPLAN", "12"), ("URL", "http://a.b/c")],
        ),
        (
            {"contained": [{"resourceType": "Practitioner", "name": [{"text": "E. Ruiz"}]}]},
            [("DOCTOR", "E. Ruiz")],
        ),
    ],
)
def test_structured_values_are_typed_fields(elements, fields):
    assert list_fields(**elements) == fields


@pytest.mark.parametrize(
    "elements",
    [
        {
            "gender": "female",
            "active": True,
            "multipleBirthInteger": 2,
            "maritalStatus": {"coding": [{"code": "M"}]},
        },
        {
            "valueQuantity": {
                "value": 7.0,
                "unit": "mm[Hg]",
                "system": "http://unitsofmeasure.org",
                "code": "mm[Hg]",
            }
        },
        {
            "meta": {
                "profile": ["http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient"],
                "versionId": "1",
            }
        },
        {
            "extension": [
                {"url": "http://hl7.org/fhir/x", "valueCode": "F"},
                {"url": "text", "valueString": "White"},
            ]
        },
        {"address": [{"country": "US", "use": "home"}], "hoursOfOperation": [{"openingTime": "08:30:00"}]},
        {"name": [{"suffix": ["MD"], "given": [None], "use": "old"}]},
        {"extension": [{"url": "http://hl7.org/fhir/x", "valueBoolean": True}]},
        {"onsetAge": {"value": None, "unit": "a"}, "age": {"value": 89}, "altitude": {"value": 93}},
    ],
)
def test_codes_units_and_numbers_stay(elements):
    assert clean(**elements) == elements and list_fields(**elements) == []


@pytest.mark.parametrize(
    ("elements", "made"),
    [
        ({"favourite": "Ana"}, {"_favourite": ABSENT}),
        ({"favourite": ["Ana"]}, {"favourite": [None]}),
        ({"favourite": "Ana", "_favourite": {"id": "1"}}, {"favourite": "", "_favourite": {"id": "<1>"}}),
        ({"gender": "Ana Okafor"}, {"_gender": ABSENT}),
        ({"birthDate": "March 2001"}, {"_birthDate": ABSENT}),
        (
            {"extension": [{"url": "http://hl7.org/x", "valueString": "Ana"}]},
            {"extension": [{"url": "http://hl7.org/x", "_valueString": ABSENT}]},
        ),
        (
            {"extension": [{"url": "latitude", "valueDecimal": 42.3}]},
            {"extension": [{"url": "latitude", "_valueDecimal": ABSENT}]},
        ),
        ({"position": {"latitude": 42.3}}, {"position": {"_latitude": ABSENT}}),
        ({"onsetAge": {"value": 93, "unit": "a"}}, {"onsetAge": {"_value": ABSENT, "unit": "a"}}),
        ({"subject": {"reference": "Patient?name=Eze"}}, {"subject": {"_reference": ABSENT}}),
        ({"subject": {"reference": "Okafor"}}, {"subject": {"_reference": ABSENT}}),
        ({"name": [{"family": "", "prefix": ["Okafor"]}]}, {"name": [{"family": "", "prefix": [None]}]}),
        ({"text": {"div": "<div>Ana<br></div>"}}, {"text": {"_div": ABSENT}}),
    ],
)
def test_what_no_rule_lets_out_is_absent(elements, made):
    assert clean(**elements) == made


FORMS = {
    "DATE_FORM": (
        ["2061", "2061-04", "2061-04-02", "2061-04-02T10:15", "2061-04-02T10:15:00", "2061-04-02T10:15:00Z",
         "2061-04-02T10:15:00.123456789-05:00"],
        ["", "206", "20610402", "2061-4", "2061-04-2", "2061-04-02 10:15", "2061-04-02T10:1", "2061-04-02T",
         "2061-04-02T10:15+5:00", "2061-04-02T10:15+05:0", "2061-04-02T10:15:00.1234567890Z", "2061-04-02Z"],
    ),
    "TIME_FORM": (
        ["08:30", "08:30:00", "08:30:00.5", "08:30:00.125"],
        ["", "8:30", "08", "08:3", "08:30:", "08:30:0", "08:30:00.", "30:00", "08:70", "08:30:70"],
    ),
    "CODE_FORM": (
        ["a", "a" * 40, "mm[Hg]", "10*3/uL", "{score}", "<=", "a/b/c", "l'%", "10^3", "(a)", "_-+."],
        ["", "a" * 41, "a//b", "//a", "a b", "Okoń", "a:b", "a,b"],
    ),
    "MIME_FORM": (
        ["text/plain;charset=utf-8", 'text/x; charset="a"', "text/x.y+z-1;charset=a"],
        ["text/plain", "text/;charset=a", "text/plain; charset=", "text/Okoń;charset=a", "image/x;charset=a",
         "text/x;charset=Okoń", "text/plain;  charset=a", "text/x;charset=a b"],
    ),
    "PLAIN_FORM": (["1", "4.0.1", "a_B-" * 5], ["", "a" * 21, "a b", "a/b", "Okoń"]),
    "ELEMENT": (
        ["a", "id", "_id", "a" + "B7" * 31 + "c"], ["", "Id", "__id", "a b", "Okoń", "oń", "a" + "b" * 64],
    ),
    "TITLE_FORM": (
        ["Jr", "Sr.", "I", "II", "III", "IV", "Dr", "Drs.", "MR.", "Mrs", "Ms", "Miss", "Prof", "m.d."],
        ["", "IIII", "Eze", "Dr. Eze", "Dr..", "r"],
    ),
    "STANDARD_URI": (
        ["http://hl7.org", "https://hl7.org/fhir/us/core#a|4.0.1", "http://a-b.terminology.hl7.org/v2-0203",
         "http://loinc.org", "http://snomed.info/sct", "http://unitsofmeasure.org", "http://ama-assn.org/go",
         "http://www.ama-assn.org/go/cpt", "http://www.nlm.nih.gov/research/umls/rxnorm",
         "http://hl7.org/a%20b+c", "urn:ietf:bcp:47", "urn:ietf:rfc:3986", "urn:iso:std:iso:3166:-2",
         "urn:oid:2.16.840.1.113883.6.12", "urn:oid:2.16.840.1.113883.5.1", "urn:oid:2.16.840.1.113883.1.11"],
        ["", "http://eze.org/hl7.org", "http://hl7.org.eze.org", "http://xhl7.org", "http://loinc.org.eze.org",
         "ftp://hl7.org", "http://hl7.org/Ana Eze", "http://hl7.org/Okoń", "http://okoń.hl7.org",
         "http://hl7.org?a", "urn:oid:1.2", "urn:oid:2.16.840.1.113883.3.7", "urn:oid:2.16.840.1.113883.6",
         "urn:iso:std:", "urn:iso:std:Okoń", "httpss://hl7.org", "http://.hl7.org", "www.hl7.org"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_value_that_stays_has_the_form_of_its_datatype(form):
    kept, others = FORMS[form]
    pattern = getattr(fhir_elements, form)
    assert [text for text in kept if not pattern.fullmatch(text)] == []
    assert [text for text in others if pattern.fullmatch(text)] == []


def test_names_of_two_letters_are_searched_in_the_texts():
    (message,) = parse({"resourceType": "Patient", "name": [{"family": "Xu", "given": ["Ana", "B"]}]})
    assert [(field.text, field.is_known) for field in message.fields] == [
        ("Xu", True), ("Ana", True), ("B", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("type", "data"),
    [
        ("application/pdf", b"x"),
        ("text/plain; charset=utf-8", b"\xff"),
        ("text/plain; charset=zzz", b"x"),
        ("", b"x"),
    ],
)
def test_an_attachment_that_is_not_text_does_not_go_out(type, data):
    attachment = {"contentType": type, "data": base64.b64encode(data).decode()}
    (message,) = parse({"resourceType": "Media", "content": attachment})
    assert "_data" in json.loads(render(message))["content"]
    assert message.masked[ATTACHMENTS] == 1 and not list(message.list_documents())


def test_texts_are_documents_with_the_place_in_their_id():
    data = base64.b64encode("Ana café".encode("latin-1")).decode()
    html = '<div xmlns="http://www.w3.org/1999/xhtml"><p>A<b>n</b>a &amp; co</p><p>ill&nbsp;</p></div>'
    resource = {
        "resourceType": "DiagnosticReport",
        "subject": {"reference": "Patient/7"},
        "conclusion": "a\nb \u00e9",
        "text": {"div": html},
        "code": {"text": "Scan", "coding": [{"code": "1", "display": "CT scan"}]},
        "presentedForm": [{"contentType": "text/plain; charset=latin-1", "data": data}],
    }
    (message,) = parse(resource)
    assert {note.id: (note.text, note.patient) for note in message.list_documents()} == {
        "m.conclusion": ("a\nb é", "7"),
        "m.text.div": ("Ana & co\nill\xa0", "7"),
        "m.presentedForm.0.data": ("Ana café", "7"),
        "m.terms": ("Scan\nCT scan", "7"),
    }
    clean = json.loads(render(message))
    assert clean["text"] == resource["text"] and clean["presentedForm"] == resource["presentedForm"]


def test_a_narrative_loses_comments_and_links():
    div = '<div><!-- Ana --><a href="http://a.b/Ana" class="x">b</a><img alt="Ana"/></div>'
    made = clean(text={"div": div})
    assert made["text"]["div"] == '<div><a href="" class="x">b</a><img alt=""/></div>'


def test_ids_and_references_become_the_same_codes():
    references = ["Patient/7", "#7", "https://a.b/fhir/Patient/7/_history/2", "Patient/7/_history/1"]
    elements = {"id": "7", "link": [{"other": {"reference": reference}} for reference in references]}
    made = clean(**elements)
    assert made["id"] == "<7>"
    found = [each["other"]["reference"] for each in made["link"]]
    assert found == ["Patient/<7>", "#<7>", "https://deidentified.invalid/Patient/<7>", "Patient/<7>"]


def test_the_entries_of_a_bundle_have_their_patients():
    def report(reference: str) -> dict[str, Any]:
        return {"resource": {"resourceType": "DiagnosticReport", "subject": {"reference": reference}}}

    patient = {"fullUrl": "urn:uuid:0-1", "resource": {"resourceType": "Patient", "id": "7"}}
    bundle = {"resourceType": "Bundle", "entry": [patient, report("urn:uuid:0-1"), report("Patient/8")]}
    messages = parse(bundle)
    assert [message.patient for message in messages] == ["7", "7", "8"]
    assert "".join(message.source for message in messages) == json.dumps(bundle, indent=1)
    doctor = {"resource": {"resourceType": "Practitioner", "id": "9"}}
    messages = parse({"resourceType": "Bundle", "entry": [doctor, patient]})
    assert [message.patient for message in messages] == ["7", "7"]  # the only patient


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"resourceType": "Patient", "Zzyzx', "resource 1: malformed JSON"),
        ('{"resourceType": "Patient", "id": "Zzyzx", "id": 1}', "a key that occurs twice"),
        ('{"a": "Zzyzx"}', "resource 1: no FHIR resource"),
        ("[" * 2000, "malformed JSON"),
        ('{"resourceType": "Patient", "id": NaN}', "malformed JSON"),
        ('{"resourceType": "Patient", "Zzyzx ": {"div": 1}}', "a key that is not the name of an element"),
        ('{"resourceType": "Patient"}', "no documents"),
    ],
)
def test_what_is_no_resource_is_refused_without_its_text(tmp_path, content, said):
    path = tmp_path / "a.json"
    path.write_text(content)
    with pytest.raises(FormatError, match=said) as refused:
        list(corpora.read(path, "fhir"))
    assert "Zzyzx" not in str(refused.value)


def test_each_line_of_ndjson_is_a_resource(tmp_path):
    path = tmp_path / "a.ndjson"
    source = (
        '\ufeff{"resourceType": "Basic", "comment": "a"}\r\n\n{"resourceType": "Basic", "comment": "b"}\n'
    )
    path.write_bytes(source.encode())
    assert [(note.id, note.text) for note in corpora.read(path)] == [
        ("a.1.comment", "a"),
        ("a.3.comment", "b"),
    ]
    assert "".join(message.source for message in fhir.read_messages(path)) == source
    (tmp_path / "b.ndjson").write_text('{"resourceType": "Basic"}\n{"resourceType": 1}\n')
    with pytest.raises(FormatError, match="resource 2: no FHIR resource"):
        list(corpora.read(tmp_path / "b.ndjson"))


def test_a_json_file_of_label_studio_is_still_found(tmp_path):
    (tmp_path / "a.json").write_text(" [] ")
    (tmp_path / "b.json").write_text('\n{"resourceType": "Basic"}')
    assert [corpora.detect_format(tmp_path / name) for name in ("a.json", "b.json")] == [
        "labelstudio",
        "fhir",
    ]


def test_the_tables_of_elements_have_no_name_twice_where_it_matters():
    fixed = fhir_elements.CODES | fhir_elements.DATES | fhir_elements.URIS
    assert not (fhir_elements.LONG_TEXTS & fhir_elements.TEXTS)
    assert not (set(fhir_elements.TYPES) & (fixed | fhir_elements.TEXTS | fhir_elements.LONG_TEXTS))


TEXTS = st.text(st.characters(codec="utf-8"), max_size=30) | st.text('<&>"\\/n\n\tu0é😀', max_size=12)


@given(TEXTS, st.text(st.characters(codec="utf-8", exclude_characters="/:#"), min_size=1, max_size=9))
def test_a_text_that_is_written_is_read_again(tmp_path_factory, text, patient):
    path = tmp_path_factory.mktemp("fhir") / "a.json"
    corpora.write([Document("n1", text, patient=patient)], path, "fhir")
    (note,) = corpora.read(path)
    assert (note.text, note.patient) == (text, patient)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.integers()
    | TEXTS
    | st.sampled_from(["2061-04-02", "final", "Patient/1", "<div>a</div>"]),
    lambda values: (
        st.lists(values, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "id",
                    "status",
                    "text",
                    "div",
                    "name",
                    "family",
                    "given",
                    "code",
                    "display",
                    "value",
                    "note",
                    "subject",
                    "reference",
                    "extension",
                    "url",
                    "birthDate",
                    "data",
                    "contentType",
                    "x",
                    "system",
                    "identifier",
                ]
            ),
            values,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(
    st.dictionaries(st.sampled_from(["text", "name", "contained", "note", "x"]), VALUES),
    st.sampled_from([None, 2]),
)
def test_any_resource_is_rendered_to_json_that_renders_again(elements, indent):
    source = json.dumps({"resourceType": "Patient"} | elements, indent=indent)
    (message,) = fhir.parse_resource(source, "m", "m")
    made = render(message)
    (again,) = fhir.parse_resource(made, "m", "m")
    assert json.loads(made).keys() - {"resourceType"} <= {f for e in elements for f in (e, f"_{e}")}
    if not message.masked:  # otherwise what is around a text may look like another element
        texts, left = ([note.text for note in each.list_documents()] for each in (message, again))
        assert texts == left


@given(TEXTS, st.integers(0, 9), st.integers(1, 5), TEXTS)
def test_a_redacted_text_is_read_as_it_was_made(text, start, size, replacement):
    source = json.dumps(
        {"resourceType": "Basic", "comment": text, "n": 1.10}, ensure_ascii=len(text) % 2 == 0
    )
    (message,) = fhir.parse_resource(source.replace("1.1", "1.10"), "m", "m")
    end = min(start + size, len(text))
    if start < end:
        made = message.render({"m.comment": [Made(start, end, replacement)]}, str)
        assert json.loads(made)["comment"] == text[:start] + replacement + text[end:]
        assert made.endswith("1.10}")


def blank(message) -> str:
    """Write the message without its texts and with other values in its fields."""
    made = {
        note.id: [Made(span.start, span.end, "x") for span in note.spans] or [Made(0, len(note.text), "")]
        for note in message.list_documents(fields=True)
        if note.text
    }
    return message.render(
        {note.id: [] for note in message.list_documents(True)} | made, lambda code: "0" * 32
    )


NAMES = [
    "id", "status", "text", "div", "name", "family", "given", "code", "display", "value", "note",
    "subject", "reference", "extension", "url", "data", "type", "contentType", "system", "identifier",
    "favourite", "address", "line", "state", "telecom", "contained", "resourceType", "coding",
]  # fmt: skip
CANARIES = st.sampled_from(
    ["Zan Eze", "<div>Zan <b title='Zan Eze'>Eze</b></div>", "Patient/Zan Eze", "http://Zan.org/Eze", ""]
)
TREES = st.recursive(
    CANARIES,
    lambda values: st.lists(values, max_size=2) | st.dictionaries(st.sampled_from(NAMES), values, max_size=5),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(NAMES), TREES, max_size=6))
def test_no_string_goes_out_that_is_no_text_field_or_code(elements):
    (message,) = fhir.parse_resource(json.dumps(elements | {"resourceType": "Patient"}), "m", "m")
    assert "Zan" not in blank(message)
