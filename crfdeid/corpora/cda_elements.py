"""What becomes of each text and attribute of a C-CDA document: an allow-list. Others are emptied."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

KEEP, TEXT, MASK, CODE, NARRATIVE, DATA = "keep", "text", "mask", "code", "narrative", "data"
DATE = "DATE"

ADDRESS = {
    "streetAddressLine": "STREET", "houseNumber": "STREET", "streetName": "STREET", "city": "CITY",
    "county": "CITY", "precinct": "CITY", "state": "STATE", "postalCode": "ZIP", "country": "COUNTRY",
}  # fmt: skip
NAME_PARTS = ("given", "family", "name")
TITLES = ("prefix", "suffix")
RECORD_TARGET = "recordTarget"  # holds what the document says of its patient
OF_PATIENT = ("recordTarget", "relatedEntity", "relatedPerson", "guardian", "subject", "relatedSubject")
TEXTS = (
    "title", "originalText", "desc", "manufacturerModelName", "softwareName", "value", "text", "translation",
)  # fmt: skip
KEPT = re.compile(
    r"\w+Code|code|codeSystem(Name|Version)?|unit|type|use|operator|negationInd|inversionInd|mediaType|representation"
    r"|language|valueSet(Version)?|contextConductionInd|contextControlCode|institutionSpecified|independentInd"
    r"|nullFlavor|classCode|moodCode|determinerCode|inclusive|partType|ID|IDREF|referencedObject|integrityCheckAlgorithm"
    r"|compression|currency|qualifier|assigningAuthorityDisplayable|displayable|encoding|version|space",
    re.ASCII,
)
SHAPES = {  # of attributes that may have a blank
    "codeSystemName": re.compile(
        r"(?:SNOMED|LOINC|RxNorm|ICD|HL7|CPT|NCI|UCUM|CVX|CDC|UNII|NUCC)[A-Za-z0-9 .-]{0,30}"
    ),
    "use": re.compile(r"[A-Z]{1,5}( [A-Z]{1,5}){0,4}"),
}
CODE_SHAPE = re.compile(r"(?!.*//)[\w.+*%/()\[\]{}^'=:#-]{0,60}", re.ASCII)  # without a blank
NAMESPACE = re.compile(
    r"(urn:hl7-org:[\w:.-]+|http://www\.w3\.org/[\w/.-]+|[\w./-]*CDA[\w./-]*\.xsd|\s)*", re.ASCII
)
NUMBER = re.compile(r"[+-]?[0-9]{0,8}(\.[0-9]{0,8})?")
SMALL = re.compile(r"[0-9]{1,3}(\.[0-9]{1,4})?")
LOCAL = re.compile(r"#[\w.-]{1,60}", re.ASCII)
TIMES = re.compile(r"(?:\w*[tT]ime|low|high|center|birthTime|deceasedTime)", re.ASCII)
TELECOM = re.compile(r"((?:tel|fax|mailto|sms|https?):)?(.*)", re.DOTALL)
TELECOMS = {"mailto:": "EMAIL", "http:": "URL", "https:": "URL", "fax:": "FAX"}
OLDEST = 89


def choose_text_action(path: Sequence[str], attributes: Mapping[str, str]) -> str:
    """Return what becomes of the text of an element, whose names and whose ancestors' ``path`` has.

    >>> choose_text_action(["recordTarget", "patientRole", "patient", "name", "family"], {})
    'PATIENT'
    """
    name, around = path[-1], path[-2] if len(path) > 1 else ""
    if around == "addr":
        return ADDRESS.get(name, MASK)
    if name in TITLES:
        return "title"
    if name in NAME_PARTS:
        return choose_name_action(path)
    if name == "lotNumberText":
        return "DEVICE"
    if attributes.get("representation") == "B64":
        return DATA
    if (around, name) == ("nonXMLBody", "text"):
        return NARRATIVE if attributes.get("mediaType", "text/plain") == "text/plain" else MASK
    return TEXT if name in TEXTS else MASK


def choose_name_action(path: Sequence[str]) -> str:
    """Return the type of a name: of an organization or a place, of the patient or kin, of staff, or of a
    material."""
    holders = [name for name in path[:-1] if name not in ("name", *NAME_PARTS)]
    holder = holders[-1] if holders else ""
    if "rganization" in holder or "acility" in holder or holder in ("location", "place", "playingEntity"):
        return "HOSPITAL" if holder != "playingEntity" else TEXT
    if "aterial" in holder or "evice" in holder:
        return TEXT
    return "PATIENT" if any(name in OF_PATIENT for name in path) else "DOCTOR"


def choose_attribute_action(path: Sequence[str], name: str, value: str, attributes: Mapping[str, str]) -> str:
    """Return what becomes of an attribute of the last element of ``path``."""
    if name.startswith("xmlns") or name.endswith("schemaLocation"):
        return KEEP if NAMESPACE.fullmatch(value) else MASK
    name = name.rpartition(":")[2]
    if name in ("root", "extension"):
        return choose_id_action(path, name, value)
    if name == "displayName":
        return TEXT
    if name == "value":
        return choose_value_action(path, value, attributes)
    if not KEPT.fullmatch(name):
        return MASK
    return KEEP if CODE_SHAPE.fullmatch(value) or SHAPES.get(name, CODE_SHAPE).fullmatch(value) else MASK


def choose_id_action(path: Sequence[str], name: str, value: str) -> str:
    """Return what becomes of the parts of an id; those of a template stay."""
    if path[-1] in ("templateId", "typeId"):
        return KEEP if CODE_SHAPE.fullmatch(value) else MASK
    if name == "root":
        return CODE
    return "MEDICALRECORD" if path[-2:-1] == ["patientRole"] else "IDNUM"


def choose_value_action(path: Sequence[str], value: str, attributes: Mapping[str, str]) -> str:
    """Return what becomes of the attribute ``value``: of a telecom, a time, a reference or a number."""
    if path[-1] == "telecom":
        scheme = TELECOM.fullmatch(value)
        return TELECOMS.get(scheme[1] or "", "PHONE") if scheme else MASK
    unit = attributes.get("unit")
    if TIMES.fullmatch(path[-1]) and unit is None and not SMALL.fullmatch(value):
        return DATE
    if LOCAL.fullmatch(value) or value in ("true", "false"):
        return KEEP
    is_old = unit == "a" and NUMBER.fullmatch(value) and value.strip("+-.") and float(value) > OLDEST
    return "age" if is_old else KEEP if NUMBER.fullmatch(value) else MASK
