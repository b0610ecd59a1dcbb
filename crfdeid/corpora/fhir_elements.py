"""The action for each element of a FHIR R4 resource: an allow-list by datatype. Others do not go out.

The datatypes are of the elements of FHIR R4 (as in fhir.resources 8.3, BSD): an element has one in all
clinical, administrative and financial resources, or the object around it decides.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from crfdeid.corpora.json_text import Leaf
from crfdeid.lexicon.names import TITLE_PART

KEEP, TEXT, LONG, HTML, DATA, CODE, REFERENCE, MASK = (
    "keep", "text", "long text", "html", "data", "code", "reference", "mask",
)  # fmt: skip
DATE, URL, NUMBER = "DATE", "URL", "IDNUM"


def read_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def read_types(table: dict[str, str]) -> dict[str, str]:
    """Return the types of a table by name; the table has the names by type."""
    return {name: type for type, names in table.items() for name in names.split()}


TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
CODES, DATES, TIMES, URIS, LONG_TEXTS, TEXTS, RESOURCES = (
    read_words(TABLES[name])
    for name in ("codes", "dates", "times", "uris", "long_texts", "texts", "resources")
)
TYPES, IDENTIFIERS, TELECOMS, REFERRED, REFERRING = (
    read_types(TABLES[name]) for name in ("types", "identifiers", "telecoms", "referred", "referring")
)
FIXED = ("resourceType", "contentType")  # without them no resource can be read
BY_NAME = {"id": CODE, "fullUrl": REFERENCE, "div": HTML, "data": DATA}
PEOPLE = ("Patient", "RelatedPerson", "Person", "Practitioner")
PLACES = ("Organization", "Location", "HealthcareService", "Endpoint")
ELEMENT = re.compile(r"_?[a-z][A-Za-z0-9]{0,63}")  # a key of an object
DATE_FORM = re.compile(
    r"([0-9]{4}(?:-[01][0-9](?:-[0-3][0-9])?)?)(T[0-9:.]{5,18}(?:Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
TIME_FORM = re.compile(r"[0-2][0-9]:[0-5][0-9](:[0-6][0-9](\.[0-9]+)?)?")
CODE_FORM = re.compile(r"(?!.*//)[\w.+*%/()\[\]{}^'<>=-]{1,40}", re.ASCII)
MIME_FORM = re.compile(r"text/[\w.+-]{1,40};\s?charset=\"?[\w-]{1,20}\"?", re.ASCII)
PLAIN_FORM = re.compile(r"[A-Za-z0-9._-]{1,20}")  # of a version, or an extension in an extension
STANDARD_URI = re.compile(
    r"(?:https?://(?:(?:[\w-]+\.)*hl7\.org|loinc\.org|snomed\.info|unitsofmeasure\.org|www\.nlm\.nih\.gov"
    r"|(?:www\.)?ama-assn\.org|dicom\.nema\.org|nucc\.org|www\.whocc\.no|ncimeta\.nci\.nih\.gov|fdasis\.nlm\.nih\.gov"
    r"|fhir\.de|nema\.org|www\.ihe\.net|ihe\.net)(?:[/#|][\w./#|%+-]*)?"
    r"|urn:(?:ietf:(?:bcp:47|rfc:3986|bcp:13)|iso:std:[\w:.-]+|oid:2\.16\.840\.1\.113883\.(?:5|6|1)\.[0-9.]+))",
    re.ASCII,
)
US_CORE = re.compile(r"http://hl7\.org/fhir/us/core/StructureDefinition/us-core-(?:race|ethnicity)")
OLDEST = 89  # years; an age above becomes 90
LONG_NUMBER = 10_000_000


def choose_action(leaf: Leaf) -> str:
    """Return what becomes of a leaf: one of the actions above, or a type of PHI."""
    if not isinstance(leaf.value, str):
        return choose_number_action(leaf)
    if not leaf.value:
        return DATA if leaf.names[-1] == "data" else KEEP
    for choose in (choose_identity, choose_datatype_action):
        if action := choose(leaf, leaf.names[-1]):
            return action
    return MASK


def choose_number_action(leaf: Leaf) -> str:
    """Numbers, booleans and null stay, but no coordinates, no number of an extension, no age over 89, and no
    whole number of eight digits that is not round: it identifies somebody."""
    if isinstance(leaf.value, bool) or leaf.value is None:
        return KEEP
    is_age = any(name.lower().endswith("age") for name in leaf.names[-2:-1])
    is_place = leaf.names[-1:] in (["latitude"], ["longitude"], ["altitude"])
    is_old = is_age and leaf.value > OLDEST
    is_long = isinstance(leaf.value, int) and abs(leaf.value) >= LONG_NUMBER and leaf.value % 1000 != 0
    is_id = is_long and leaf.names[-1] != "size"
    return MASK if is_place or is_old or is_id or is_extension(leaf) else KEEP


def is_extension(leaf: Leaf) -> bool:
    return "extension" in leaf.names or "modifierExtension" in leaf.names


def choose_identity(leaf: Leaf, name: str) -> str | None:
    """Return the action of an element of a person, a place, an identifier, a reference or an attachment."""
    parent, around = leaf.parents[-1], leaf.names[-2] if len(leaf.names) > 1 else ""
    if action := BY_NAME.get(name):
        return action
    if is_name(parent, around, name):
        return choose_name_action(leaf, name)
    if name == "value":
        return choose_value_action(parent, around)
    if name == "reference" or (around, name) == ("request", "url"):
        return REFERENCE
    if name == "display" and is_reference(parent, around):
        return find_referred(parent, around)
    if name == "name" and parent.get("resourceType") in PLACES:
        return "HOSPITAL"
    is_address = "line" in parent or "postalCode" in parent or around in ("address", "valueAddress")
    return {"state": "STATE", "text": "LOCATION"}.get(name) if is_address else None


def choose_value_action(parent: dict[str, Any], around: str) -> str | None:
    """Return the action of the value of a ContactPoint or an Identifier."""
    if around in ("telecom", "valueContactPoint"):
        return TELECOMS.get(str(parent.get("system")), "PHONE")
    if around == "identifier" or around.endswith("Identifier"):
        return IDENTIFIERS.get(find_identifier_code(parent), NUMBER)
    return None


def is_reference(parent: dict[str, Any], around: str) -> bool:
    """Whether the object is a Reference and not a Coding."""
    return "reference" in parent or (around != "coding" and not {"code", "system"} & parent.keys())


def is_name(parent: dict[str, Any], around: str, name: str) -> bool:
    in_name = bool({"family", "given"} & parent.keys()) or around in ("name", "valueHumanName")
    return in_name and name in ("family", "given", "text", "prefix", "suffix")


def choose_name_action(leaf: Leaf, name: str) -> str:
    resource = find_resource(leaf)
    if name in ("prefix", "suffix"):
        return KEEP if TITLE_PART.fullmatch(leaf.value) else MASK
    return REFERRED[resource] if resource in PEOPLE else "NAME"


def find_resource(leaf: Leaf) -> str:
    """Return the name of the innermost resource."""
    names = (str(parent.get("resourceType", "")) for parent in reversed(leaf.parents))
    return next(filter(None, names), "")


def find_identifier_code(identifier: dict[str, Any]) -> str:
    type = identifier.get("type")
    coding = type.get("coding") if isinstance(type, dict) else None
    first = coding[0] if isinstance(coding, list) and coding else None
    return str(first.get("code", "")) if isinstance(first, dict) else ""


def find_referred(parent: dict[str, Any], around: str) -> str:
    """Return the type of the name of what a Reference refers to; the text of what is not a person or place
    is a text."""
    named = re.findall(r"[A-Z][A-Za-z]+(?=/)", str(parent.get("reference", "")))
    resource = str(parent.get("type", "")) or (named[-1] if named else "")
    if resource in REFERRED:
        return REFERRED[resource]
    return TEXT if resource else REFERRING.get(around, MASK)


def is_coded(leaf: Leaf) -> bool:
    """Whether a text is the name of a code of a public system, or the text of US Core's race or ethnicity."""
    parent = leaf.parents[-1]
    if leaf.names[-1] == "display":
        return bool(parent.get("code")) and bool(STANDARD_URI.fullmatch(str(parent.get("system", ""))))
    around = (str(each.get("url", "")) for each in leaf.parents[:-1] if isinstance(each, dict))
    return parent.get("url") == "text" and any(map(US_CORE.fullmatch, around))


def choose_datatype_action(leaf: Leaf, name: str) -> str | None:
    """Return the action of the datatype that an element of this name has."""
    value = leaf.value
    if name in DATES and DATE_FORM.fullmatch(value):
        return DATE
    if name in TIMES and TIME_FORM.fullmatch(value):
        return KEEP
    if name in URIS and ":" in value:
        return KEEP if STANDARD_URI.fullmatch(value) else URL
    if name in CODES and (
        CODE_FORM.fullmatch(value) or (name == "contentType" and MIME_FORM.fullmatch(value))
    ):
        return KEEP
    if name in ("version", "url") and (STANDARD_URI.fullmatch(value) or PLAIN_FORM.fullmatch(value)):
        return KEEP
    if is_extension(leaf) and name not in ("display", "valueDate") and leaf.parents[-1].get("url") != "text":
        return TYPES.get(name)
    if name == "text" and leaf.names[:-1] and leaf.names[-2] not in ("note", "item", "answer"):
        return TEXT  # the text of a CodeableConcept
    return LONG if name in LONG_TEXTS else TEXT if name in TEXTS else TYPES.get(name)
