"""What a message says of its patient is in no value that its allow-list keeps."""

import json
import re

import pytest

from crfdeid.corpora import cda, fhir, hl7
from crfdeid.corpora.messages import OWN
from crfdeid.corpora.own_texts import OwnTexts

HEAD = r"MSH|^~\&|||||20610402101500||ORU^R01|MSG1|P|2.5.1"
PID = (
    "PID|1||4471902^^^GH^MR||OKAFOR^ANA^M^^MRS||20010307|F|||12 ELM STREET^^BOSTON^MA^02115^USA"
    "||(617)555-0148^PRN^PH"
)
CODING = {"coding": [{"system": "http://loinc.org", "code": "8867-4"}]}
PATIENT = {
    "resourceType": "Patient", "id": "p1", "birthDate": "2001-03-07",
    "name": [{"family": "Okafor", "given": ["Ana"]}], "identifier": [{"value": "4471902"}],
}  # fmt: skip


def mask(message) -> str:
    """The source with what is emptied; the passages and fields stay."""
    return message.render(
        {
            note.id: [Made(span.start, span.end, note.text_of(span)) for span in note.spans]
            for note in message.list_documents(fields=True)
        },
        None,
    )


class Made:
    def __init__(self, start: int, end: int, replacement: str) -> None:
        self.start, self.end, self.replacement = start, end, replacement


@pytest.mark.parametrize(
    ("segment", "clean"),
    [
        (f"IN1|1{14 * '|'}OKAFOR", f"IN1|1{14 * '|'}"),  # each field one too early
        (f"IN1|1{16 * '|'}OKAFOR^^20010307^L", f"IN1|1{16 * '|'}^^^L"),  # one too late
        ("OBX|1|NM|8867-4^^LN||4471902", "OBX|1|NM|8867-4^^LN||"),
        ("OBX|1|CWE|okafor^^LN||4471902^^04471902", "OBX|1|CWE|^^LN||^^"),
        ("OBX|1|CWE|OKAFOR_A^^LN||6175550148^^200103071015", "OBX|1|CWE|^^LN||^^"),
        ("OBX|1|CWE|3/7/2001^^LN||03-07-2001^^2001", "OBX|1|CWE|^^LN||^^2001"),
        ("OBX|1|NM|8867-4^^LN||72|banana/mL|60-100||||F", None),
        ("OBX|1|NM|44719-1^^LN||447190.27|m/min", None),
        ("NK1|1|NG^CHIDI\rNTE|1|NG|seen", "NK1|1|NG^CHIDI\rNTE|1||seen"),  # kin
        ("GT1|1||EZE^CHIDI\rDG1|1||EZE_C", "GT1|1||EZE^CHIDI\rDG1|1||"),
    ],
)
def test_hl7_fields_that_are_off_by_one_say_nothing_of_the_patient(segment, clean):
    message = hl7.parse_message(f"{HEAD}\r{PID}\r{segment}\r", "m", "m.hl7")
    assert mask(message).split("\r", 2)[2] == (segment if clean is None else clean) + "\r"
    assert (message.masked[OWN] > 0) == (clean is not None)


def test_what_a_message_is_read_by_stays():
    message = hl7.parse_message(f"{HEAD}\rPID|1||7||ORU^TX\rOBX|1|TX|A||x\r", "m", "m.hl7")
    assert mask(message).startswith(HEAD) and "OBX|1|TX|" in mask(message)
    assert [each.text for each in message.kept if message.own.find(each.text)] == ["ORU", "TX"]


def test_a_resource_says_nothing_of_its_patient_in_a_code():
    extra = {
        "gender": "Okafor", "language": "en", "multipleBirthInteger": 20010307,
        "maritalStatus": {"coding": [{"code": "4471902", "system": "http://hl7.org/fhir/Okafor"}]},
        "text": {"status": "generated", "div": "<div><b class='okafor'>x</b></div>"},
    }  # fmt: skip
    (message,) = fhir.parse_resource(json.dumps(PATIENT | extra), "m", "m")
    made = json.loads(mask(message))
    assert made["language"] == "en" and made["text"]["div"] == "<div><b class=''>x</b></div>"
    assert {"_gender", "_multipleBirthInteger"} <= made.keys()
    assert made["maritalStatus"]["coding"][0].keys() == {"_code", "_system"}
    assert made["resourceType"] == "Patient" and message.masked[OWN] == 4


def test_an_entry_says_nothing_of_the_patient_of_another_entry():
    mine, other = (
        {"resourceType": "Observation", "subject": {"reference": f"Patient/{id}"}, "code": CODING,
         "status": "Okafor"} for id in ("p1", "p2")
    )  # fmt: skip
    second = {"resourceType": "Patient", "id": "p2", "name": [{"family": "Eze"}]}
    resources = [mine, PATIENT, second, other, {"resourceType": "Practitioner", "gender": "Eze"}]
    bundle = {"resourceType": "Bundle", "entry": [{"resource": each} for each in resources]}
    made = "".join(map(mask, fhir.parse_resource(json.dumps(bundle), "m", "m")))
    first, _, _, fourth, fifth = (entry["resource"] for entry in json.loads(made)["entry"])
    assert "_status" in first and fourth["status"] == "Okafor" and "_gender" in fifth
    assert first["code"] == CODING


def test_a_clinical_document_says_nothing_of_its_patient_in_a_code():
    person = (
        "<recordTarget><patientRole><id extension='4471902'/><patient><name><given>Ana</given>"
        "<family>Okafor</family></name><birthTime value='20010307'/></patient></patientRole></recordTarget>"
    )
    entry = "<code code='OKAFOR' codeSystemName='LOINC'/><value value='20010307' unit='ana'/>"
    entry += "<x code='a-4471902'/><section><text><content ID='okafor'>x</content></text></section>"
    source = f'<ClinicalDocument xmlns="urn:hl7-org:v3">{person}{entry}</ClinicalDocument>'
    message = cda.parse_document(source, "m", "m.xml")
    made = mask(message).partition("</recordTarget>")[2]
    assert not re.search("okafor|4471902|20010307|ana", made, re.IGNORECASE) and "LOINC" in made
    assert message.masked[OWN] == 4


def test_kin_of_a_patient_are_in_no_code():
    of = {"reference": "Patient/p1"}
    kin = {"resourceType": "RelatedPerson", "patient": of, "name": [{"family": "Eze"}]}
    mine = {"resourceType": "Observation", "subject": of, "status": "Eze"}
    bundle = {"resourceType": "Bundle", "entry": [{"resource": each} for each in (PATIENT, kin, mine)]}
    made = json.loads("".join(map(mask, fhir.parse_resource(json.dumps(bundle), "m", "m"))))
    assert "_status" in made["entry"][2]["resource"]
    guardian = "<guardian><guardianPerson><name><family>Eze</family></name></guardianPerson></guardian>"
    source = f'<ClinicalDocument xmlns="urn:hl7-org:v3">{guardian}<code code="EZE"/></ClinicalDocument>'
    assert mask(cda.parse_document(source, "m", "m.xml")).endswith('<code code=""/></ClinicalDocument>')


@pytest.mark.parametrize(
    ("type", "text", "value", "is_found"),
    [
        ("PATIENT", "Nú\xf1ez", "NUNEZ", True),
        ("PATIENT", "Ng", "ng", True),
        ("PATIENT", "Ng", "ng/mL", False),
        ("PATIENT", "M", "M", False),
        ("PATIENT", "Core", "http://hl7.org/fhir/us/core/us-core-race", True),
        ("PATIENT", "Race", "http://hl7.org/fhir/us/us-core-race", False),
        ("IDNUM", "0012", "12", False),
        ("IDNUM", "12345", "12345", True),
        ("IDNUM", "12345", "12345-6", False),
        ("SSN", "123-45-6789", "a123456789", True),
        ("DATE", "2001-03", "2001-03", False),
        ("DATE", "2001-03-07", "07032001", True),
        ("CITY", "Salt Lake", "SALT_LAKE", True),
        ("CITY", "Salt Lake", "SALT", False),
        ("DOCTOR", "Ruiz", "Ruiz", False),
    ],
)
def test_what_is_found_of_a_patient(type, text, value, is_found):
    assert OwnTexts.of([(type, text)]).find(value) == (type if is_found else None)
