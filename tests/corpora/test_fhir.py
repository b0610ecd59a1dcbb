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
        ({"issued": "2061-04-02T10:15:00.123+01:00"}, [("DATE", "2061-04-02")]),
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
        {"dosage": [{"doseQuantity": {"value": 500}}], "onsetAge": {"system": "http://unitsofmeasure.org"}},
        {"extension": [{"url": "http://hl7.org/x", "valueUri": "http://hl7.org/y"}], "version": "4.0.1"},
        {"request": {"method": "POST", "url": "Patient"}, "implicitRules": ""},
        {"language": "en-US", "url": "http://hl7.org/x", "contentType": "text/plain; charset=utf-8"},
        {"valueInteger": 1234567, "valueQuantity": {"value": 12000000}, "valueDecimal": 12345678.5},
        {"content": [{"attachment": {"size": 88123456}}]},
    ],
)
def test_codes_units_and_numbers_stay(elements):
    assert clean(**elements) == elements and list_fields(**elements) == []


@pytest.mark.parametrize(
    ("elements", "made"),
    [
        ({"favourite": "Ana"}, {"_favourite": ABSENT}),
        ({"favourite": ["Ana"]}, {"favourite": [None]}),
        ({"valueInteger": 88123456}, {"_valueInteger": ABSENT}),
        ({"valueQuantity": {"value": 6175550148}}, {"valueQuantity": {"_value": ABSENT}}),
        ({"favourite": "Ana", "_favourite": {"id": "1"}}, {"favourite": "", "_favourite": {"id": "<1>"}}),
        ({"gender": "Ana Okafor"}, {"_gender": ABSENT}),
        ({"birthDate": "March 2001"}, {"_birthDate": ABSENT}),
        ({"name": [{"family": " "}]}, {"name": [{"_family": ABSENT}]}),
        ({"position": {"latitude": 42.3}}, {"position": {"_latitude": ABSENT}}),
        ({"longitude": 42, "altitude": 7}, {"_longitude": ABSENT, "_altitude": ABSENT}),
        (
            {"age": {"value": 90}, "x": {"onsetAge": {"value": 89.5}}},
            {"age": {"_value": ABSENT}, "x": {"onsetAge": {"_value": ABSENT}}},
        ),
        ({"modifierExtension": [{"valueInteger": 7}]}, {"modifierExtension": [{"_valueInteger": ABSENT}]}),
        ({"status": "text/plain; charset=utf-8"}, {"_status": ABSENT}),
        ({"openingTime": "8 o'clock", "version": "Ana Eze"}, {"_openingTime": ABSENT, "_version": ABSENT}),
        ({"subject": {"reference": "Patient"}}, {"subject": {"_reference": ABSENT}}),
        ({"subject": {"reference": "Okafor/7"}}, {"subject": {"_reference": ABSENT}}),
        ({"request": {"url": "Patient/7"}}, {"request": {"url": "Patient/<7>"}}),
        ({"request": {"url": "Okafor"}}, {"request": {"_url": ABSENT}}),
        ({"request": {"url": "Patient/Ana Eze"}}, {"request": {"_url": ABSENT}}),
        ({"request": {"url": "https://okafor.org/Patient"}}, {"request": {"_url": ABSENT}}),
        ({"favourite": "2061-04-02", "likes": "10:15"}, {"_favourite": ABSENT, "_likes": ABSENT}),
        ({"subject": [["Ana"]]}, {"subject": [[None]]}),
        ({"onsetAge": {"value": 93, "unit": "a"}}, {"onsetAge": {"_value": ABSENT, "unit": "a"}}),
        ({"subject": {"reference": "Patient?name=Eze"}}, {"subject": {"_reference": ABSENT}}),
        ({"subject": {"reference": "Okafor"}}, {"subject": {"_reference": ABSENT}}),
        ({"name": [{"family": "", "prefix": ["Okafor"]}]}, {"name": [{"family": "", "prefix": [None]}]}),
        ({"text": {"div": "<div>Ana<br></div>"}}, {"text": {"_div": ABSENT}}),
    ],
)
def test_what_no_rule_lets_out_is_absent(elements, made):
    assert clean(**elements) == made


MASKED = {"url": "http://hl7.org/x", "valueString": "Ana"}
KEPT = {"url": "http://hl7.org/y", "valueBoolean": True}


@pytest.mark.parametrize(
    ("elements", "made"),
    [
        ({"extension": [MASKED], "active": True}, {"active": True}),
        ({"active": True, "extension": [MASKED, MASKED]}, {"active": True}),
        ({"extension": [MASKED, KEPT]}, {"extension": [KEPT]}),
        ({"extension": [KEPT, MASKED]}, {"extension": [KEPT]}),
        ({"extension": [MASKED, KEPT, MASKED, KEPT, MASKED, MASKED]}, {"extension": [KEPT, KEPT]}),
        ({"extension": [{"url": "latitude", "valueDecimal": 42.3}]}, {}),
        ({"extension": [{"url": "http://okafor.org/x", "valueBoolean": True}]}, {}),
        ({"extension": [{"url": "http://hl7.org/z", "extension": [KEPT, MASKED]}]}, {}),
        ({"extension": [{"extension": [MASKED, {}], "valueX": {}, "url": "http://hl7.org/z"}]}, {}),
        ({"active": True, "_active": {"extension": [MASKED]}}, {"active": True}),
        (
            {"active": True, "_active": {"id": "1", "extension": [MASKED]}},
            {"active": True, "_active": {"id": "<1>"}},
        ),
        (
            {"x": [True, False], "_x": [{"extension": [MASKED]}, None]},
            {"x": [True, False], "_x": [None, None]},
        ),
        (
            {"x": [{"extension": [KEPT]}, {"y": 1, "extension": [MASKED]}]},
            {"x": [{"extension": [KEPT]}, {"y": 1}]},
        ),
    ],
)
@pytest.mark.parametrize(
    "resource_of", [lambda elements: elements, lambda elements: {"contained": [elements | {"id": "1"}]}]
)
def test_an_extension_that_does_not_go_out_is_taken_out_whole(elements, made, resource_of):
    wanted = resource_of(made)
    if "contained" in wanted:
        wanted["contained"][0]["id"] = "<1>"
    assert clean(**resource_of(elements)) == wanted


def test_the_extensions_of_entries_are_taken_out():
    entries = [
        {"fullUrl": "Patient/1", "resource": {"resourceType": "Patient", "id": "1", "extension": [MASKED]}},
        {
            "extension": [MASKED],
            "resource": {"resourceType": "Patient", "id": "2", "extension": [MASKED, KEPT]},
        },
    ]
    messages = parse({"resourceType": "Bundle", "type": "collection", "entry": entries})
    first, second = json.loads("".join(map(render, messages)))["entry"]
    assert "extension" not in first["resource"] and second["resource"]["extension"] == [KEPT]


def test_a_redacted_resource_is_valid_for_another_library():
    observation = pytest.importorskip(
        "fhir.resources.R4B.observation", reason="fhir.resources is not installed"
    )
    made = clean(
        resourceType="Observation", status="final", code={"text": "pulse"}, issued="2061-04-02T10:15:00Z",
        extension=[MASKED, KEPT], _status={"extension": [MASKED]},
    )  # fmt: skip
    assert observation.Observation(**made).status == "final"


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


@pytest.mark.parametrize(
    ("elements", "fields"),
    [
        ({"address": [{"city": "US", "country": "CAN"}]}, [("CITY", "US"), ("COUNTRY", "CAN")]),
        ({"valueAddress": {"text": "12 Elm", "state": "MA"}}, [("LOCATION", "12 Elm"), ("STATE", "MA")]),
        ({"x": {"postalCode": "02115", "state": "MA"}}, [("ZIP", "02115"), ("STATE", "MA")]),
        ({"x": {"line": ["12 Elm"], "text": "12 Elm"}}, [("STREET", "12 Elm"), ("LOCATION", "12 Elm")]),
        ({"valueHumanName": {"text": "Ana"}}, [("PATIENT", "Ana")]),
        ({"x": {"given": ["Ana"], "text": "Ana Eze"}}, [("PATIENT", "Ana"), ("PATIENT", "Ana Eze")]),
        ({"resourceType": "Basic", "name": {"text": "Ana"}}, [("NAME", "Ana")]),
        ({"resourceType": "RelatedPerson", "name": {"text": "Ana"}}, [("PATIENT", "Ana")]),
        ({"resourceType": "Location", "name": "General"}, [("HOSPITAL", "General")]),
        ({"valueContactPoint": {"system": "fax", "value": "555"}}, [("FAX", "555")]),
        ({"valueIdentifier": {"value": "7"}}, [("IDNUM", "7")]),
        ({"identifier": {"value": "7", "type": {"coding": [{"code": "SS"}]}}}, [("SSN", "7")]),
        ({"identifier": {"value": "7", "type": {"coding": []}}}, [("IDNUM", "7")]),
        ({"identifier": {"value": "7", "type": {"coding": ["SS"]}}}, [("IDNUM", "7")]),
        ({"identifier": {"value": "7", "type": "SS"}}, [("IDNUM", "7")]),
        ({"subject": {"reference": "Organization/1", "display": "General"}}, [("HOSPITAL", "General")]),
        ({"who": {"type": "Practitioner", "display": "Ruiz"}}, [("DOCTOR", "Ruiz")]),
        ({"actor": {"reference": "http://a.b/Patient/1/_history/2", "display": "Ana"}}, [("PATIENT", "Ana")]),
        ({"period": {"start": "2061-04-02T10:15Z", "end": "2061"}},
         [("DATE", "2061-04-02"), ("DATE", "2061")]),
        ({"extension": [{"url": "http://hl7.org/x", "valueDate": "2061-04-02"}]}, [("DATE", "2061-04-02")]),
        ({"photo": {"url": "http://a.b/c"}}, [("URL", "http://a.b/c")]),
        ({"favourite": "2061-04-02", "likes": "10:15"}, []),
        ({"authorString": "E. Ruiz"}, [("DOCTOR", "E. Ruiz")]),
        ({"deceasedDateTime": " "}, []),
        ({"name": {"family": " "}}, []),
    ],
)  # fmt: skip
def test_the_object_around_a_value_decides(elements, fields):
    assert list_fields(**elements) == fields


@pytest.mark.parametrize(
    ("elements", "texts"),
    [
        ({"code": {"text": "Scan", "coding": [{"display": "CT"}]}}, {"terms": "Scan\nCT"}),
        ({"valueCoding": {"system": "http://loinc.org", "display": "CT"}}, {"terms": "CT"}),
        ({"focus": {"reference": "Group/1", "display": "trial"}}, {"terms": "trial"}),
        ({"focus": {"reference": "http://a.b/Group/1/_history/2", "display": "trial"}}, {"terms": "trial"}),
        ({"favourite": {"display": "Ana"}}, {}),
        ({"text": "a", "note": [{"text": "b"}], "item": [{"text": "c", "answer": [{"text": "d"}]}]},
         {"text": "a", "note.0.text": "b", "item.0.text": "c", "item.0.answer.0.text": "d"}),
        ({"extension": [{"url": "text", "valueString": "a"}]}, {"extension.0.valueString": "a"}),
        ({"extension": [{"url": "x", "valueCoding": {"code": "1", "display": "a"}}]}, {"terms": "a"}),
        ({"x": {"valueCoding": {"display": "a"}}}, {}),
        ({"modifierExtension": [{"url": "x", "valueString": "a"}]}, {}),
        ({"valueString": "a", "title": "b"}, {"valueString": "a", "terms": "b"}),
    ],
)  # fmt: skip
def test_texts_and_terms(elements, texts):
    (message,) = parse({"resourceType": "Basic"} | elements)
    found = {note.id: note.text for note in message.list_documents()}
    assert found == {f"m.{address}": text for address, text in texts.items()}


def test_the_new_value_of_a_field_is_written_as_it_is_and_a_date_only_as_a_date():
    elements = {"name": [{"family": "Eze"}], "birthDate": "2001-03-07", "issued": "x"}
    elements |= {"deceasedDateTime": "2061-04-02T10:15:00Z", "recordedDate": "2061-04-02T10:15:00Z"}
    new = {"Eze": "Zoë", "2001-03-07": "May", "2061-04-02": "2061"}
    (message,) = parse({"resourceType": "Patient"} | elements)
    made = render(message, lambda text: new[text])
    assert '"Zoë"' in made
    assert json.loads(made) == {
        "resourceType": "Patient", "name": [{"family": "Zoë"}], "_birthDate": ABSENT, "_issued": ABSENT,
        "deceasedDateTime": "2061", "recordedDate": "2061",
    }  # fmt: skip
    made = render(message, lambda text: text.replace("-0", "-1"))
    assert json.loads(made)["deceasedDateTime"] == "2061-14-12T10:15:00Z"


@pytest.mark.parametrize(
    ("resource", "known"),
    [
        ({"resourceType": "Patient", "birthDate": "2001-03-07", "deceasedDateTime": "2061", "sent": "2060",
          "address": {"city": "Boston", "state": "MA", "line": ["12 Elm"], "country": "CAN"},
          "identifier": [{"value": "77"}, {"value": "8"}], "telecom": [{"value": "555"}],
          "generalPractitioner": {"display": "Ruiz"}, "managingOrganization": {"display": "General"}},
         ["2001-03-07", "2061", "Boston", "12 Elm", "77", "555", "Ruiz"]),
        ({"resourceType": "RelatedPerson", "birthDate": "2001-03-07", "address": {"city": "Boston"},
          "identifier": {"value": "77"}}, ["Boston", "77"]),
        ({"resourceType": "Practitioner", "birthDate": "2001-03-07", "address": {"city": "Boston"},
          "identifier": {"value": "77"}, "name": {"family": "Ruiz"}}, ["Ruiz"]),
        ({"resourceType": "Basic", "subject": {"display": "Eze"}, "name": {"family": "Obi"}}, ["Eze"]),
    ],
)  # fmt: skip
def test_what_is_searched_in_the_texts_of_the_patient(resource, known):
    (message,) = parse(resource)
    assert [field.text for field in message.fields if field.is_known] == known


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
        ("text/plain", None),
    ],
)
def test_an_attachment_that_is_not_text_does_not_go_out(type, data):
    encoded = "%YW5h" if data is None else base64.b64encode(data).decode()
    attachment = {"contentType": type, "data": encoded}
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
    references = ["Patient/7", "#7", "https://a.b/fhir/Patient/7/_history/12", "Patient/7/_history/1"]
    elements = {"id": "7", "link": [{"other": {"reference": reference}} for reference in references]}
    made = clean(**elements)
    assert made["id"] == "<7>"
    found = [each["other"]["reference"] for each in made["link"]]
    assert found == ["Patient/<7>", "#<7>", "https://deidentified.invalid/Patient/<7>", "Patient/<7>"]


def test_local_references_become_codes_in_their_form():
    code = "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"
    elements = {
        "link": [
            {"other": {"reference": "urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0"}},
            {"other": {"reference": "urn:oid:1.2.3"}},
            {"other": {"reference": "#7"}},
            {"other": {"reference": "https://a.b/fhir/Patient/7"}},
            {"other": {"reference": "http://a.b/Patient/Eze"}},
        ]
    }
    (message,) = parse({"resourceType": "Patient"} | elements)
    assert [each.text for each in message.codes] == [
        "0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0", "1.2.3", "7", "7", "Eze",
    ]  # fmt: skip
    made = json.loads(message.render({}, lambda text: code))
    assert [each["other"]["reference"] for each in made["link"]] == [
        "urn:uuid:0f0f0f0f-0f0f-0f0f-0f0f-0f0f0f0f0f0f", f"urn:uuid:{code}", f"#{code}",
        *[f"https://deidentified.invalid/Patient/{code}"] * 2,
    ]  # fmt: skip


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
    messages = parse({"resourceType": "Bundle", "entry": [report("Patient/7"), report("Patient/8")]})
    assert [message.patient for message in messages] == ["7", "8"]


def test_what_is_no_entry_of_a_bundle_has_no_patient():
    entries = ["x", {"resource": "x"}, {"resource": {"resourceType": "Patient", "id": "7"}}, {"search": {}}]
    messages = parse({"resourceType": "Bundle", "entry": entries})
    assert [(message.id, message.patient) for message in messages] == [
        ("m.1", "7"),
        ("m.2", "7"),
        ("m.3", "7"),
    ]


def test_the_entries_of_a_bundle_are_messages_with_all_that_they_have():
    def entry(name: str) -> dict[str, Any]:
        return {"fullUrl": f"urn:uuid:{name}", "resource": {"resourceType": "Basic", "comment": name}}

    messages = parse({"resourceType": "Bundle", "entry": [entry("a"), entry("b"), {"search": {"mode": "x"}}]})
    assert [message.id for message in messages] == ["m.1", "m.2", "m.3"]
    assert [[code.text for code in message.codes] for message in messages] == [["a"], ["b"], []]
    notes = [note for message in messages for note in message.list_documents()]
    assert [(note.id, note.text) for note in notes] == [
        ("m.1.resource.comment", "a"), ("m.2.resource.comment", "b"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("resource", "patient"),
    [
        ({"resourceType": "Patient", "id": "7"}, "7"),
        ({"resourceType": "Patient", "subject": {"reference": "Patient/8"}}, None),
        ({"resourceType": "Basic", "id": "7"}, None),
        ({"resourceType": "Basic", "beneficiary": {"reference": "urn:uuid:7"}}, "7"),
        ({"resourceType": "Basic", "individual": {"reference": "Patient/7"}}, "7"),
        ({"resourceType": "Basic", "individual": {"reference": "Practitioner/7"}}, None),
        ({"resourceType": "Basic", "subject": "x", "patient": {"reference": "Patient/7"}}, "7"),
        ({"resourceType": "Bundle", "entry": "x"}, None),
        ({"resourceType": "Basic", "entry": [{"resource": {"resourceType": "Patient", "id": "7"}}]}, None),
    ],
)
def test_the_patient_of_a_resource(resource, patient):
    (message,) = parse(resource)
    assert message.patient == patient


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"resourceType": "Patient", "Zzyzx', "resource 1: malformed JSON"),
        ('{"resourceType": "Patient", "id": "Zzyzx", "id": 1}', "a key that occurs twice"),
        ('{"a": "Zzyzx"}', "resource 1: no FHIR resource"),
        ("[" * 2000, "malformed JSON"),
        ('{"resourceType": "Patient", "id": NaN}', "malformed JSON"),
        ('{"resourceType": "Patient", "Zzyzx ": {"div": 1}}', "a key that is not the name of an element"),
        ('{"resourceType": "Patient"}', "no documents: 1 message without a text; wanted a note"),
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
    (tmp_path / "c.json").write_text('\ufeff{"resourceType": "Basic"}')
    (tmp_path / "d.json").write_text('[{"resourceType": "Basic"}]')
    (tmp_path / "e.json").write_text('{"type": "Basic"}')
    found = [corpora.detect_format(tmp_path / f"{name}.json") for name in "abcde"]
    assert found == ["labelstudio", "fhir", "fhir", "labelstudio", "labelstudio"]
    assert not fhir.is_resource(tmp_path / "none.json")


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


def test_a_resource_is_written_with_its_letters():
    head, resource, end = fhir.render_corpus([Document("1", "a", patient="José")])
    assert (head, end) == ('{"resourceType": "Bundle", "type": "collection", "entry": [', "]}\n")
    assert '"subject": {"reference": "Patient/José"}' in resource


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
