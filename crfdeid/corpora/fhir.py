"""FHIR R4 resources as JSON: one resource or Bundle in a file (``.json``), or one in each line (``.ndjson``).

    source ─▶ leaves (strings, numbers) with their places ─▶ passages, fields, codes, masks

A leaf is never written anew unless it changes, so numbers, blanks and escapes stay. A value that does not go
out becomes the extension that FHIR has for it: ``data-absent-reason`` with the code ``masked``.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from crfdeid.corpora import fhir_elements as rules
from crfdeid.corpora import fhir_extensions, json_text, markup, safe_xml
from crfdeid.corpora.format import Format
from crfdeid.corpora.json_text import Leaf
from crfdeid.corpora.messages import (
    ATTACHMENTS,
    EMPTIED,
    GLUE,
    Character,
    Collector,
    Container,
    Edit,
    Field,
    Kept,
    Message,
    Passage,
    build_reader,
    list_characters,
)
from crfdeid.corpora.storage import open_text
from crfdeid.errors import FormatError
from crfdeid.lexicon.ordinary import is_display
from crfdeid.text.document import Document

START = 1 << 16  # bytes of a file that show whether it is a resource
NARRATIVES = "narratives that are not well formed"
ABSENT = '{"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", '
ABSENT += '"valueCode": "masked"}]}'
REFERENCE = re.compile(
    r"(?P<base>https?://.*?/)?(?P<type>[A-Z][A-Za-z]+)(?:/(?P<id>[A-Za-z0-9.-]{1,64})(/_history/.*)?)?"
)
LOCAL = re.compile(r"(#|urn:uuid:|urn:oid:)(.+)")
BASE = "https://deidentified.invalid/"  # of absolute addresses
KNOWN = (
    "PATIENT", "DOCTOR", "MEDICALRECORD", "SSN", "LICENSE", "HEALTHPLAN", "IDNUM", "PHONE", "EMAIL", "STREET",
    "CITY", "ZIP",
)  # fmt: skip
KNOWN_DATES = ("birthDate", "deceasedDateTime")
PATIENT_KEYS = ("subject", "patient", "beneficiary", "individual", "for")
REASONS = {rules.DATA: ATTACHMENTS, rules.HTML: NARRATIVES}


def is_resource(path: Path) -> bool:
    """Whether a JSON file begins with an object that names a type of resource, as far as its start shows."""
    try:
        with open(path, "rb") as file:
            start = file.read(START).removeprefix(b"\xef\xbb\xbf").lstrip()
            return start[:1] == b"{" and b'"resourceType"' in start
    except OSError:
        return False


def read_messages(path: Path, encoding: str = "utf-8") -> Iterator[Message]:
    """Yield the resource of a file, or of each line of ``.ndjson``. Raises :class:`FormatError` for what
    is not a resource."""
    with open_text(path, encoding) as file:
        sources = enumerate(file if path.suffix.lower() == ".ndjson" else [file.read()], 1)
        for number, source in sources:
            if source.strip("\ufeff \t\r\n"):
                yield from parse_resource(source, f"{path.stem}.{number}", f"{path}, resource {number}")
            else:
                yield Message(f"{path.stem}.{number}", source)


def parse_resource(source: str, id: str, where: str) -> Iterator[Message]:
    """Yield a resource as one message, and a Bundle as one for each entry."""
    value = json_text.parse_json(source, where)
    if not isinstance(value, dict) or not isinstance(value.get("resourceType"), str):
        raise FormatError(f"{where}: no FHIR resource; wanted an object with resourceType")
    leaves = list(json_text.list_leaves(source, value))
    names = {name for leaf in leaves for name in leaf.names}
    if not all(map(rules.ELEMENT.fullmatch, names)):
        raise FormatError(f"{where}: a key that is not the name of an element of FHIR")
    aliases = list_aliases(value)
    common, starts = find_patient(value, aliases), [0, *find_entries(leaves)[1:], len(source)]
    removals = fhir_extensions.list_removals(source, leaves)
    messages: list[Message] = []
    for number, (start, end) in enumerate(pairwise(starts), 1):
        found = Parts(source[start:end])
        own = [leaf for leaf in leaves if start <= leaf.key_start < end]
        taken = [edit for edit in removals if start <= edit.start and edit.end <= end]
        for edit in taken:
            found.mask(edit.start - start, edit.end - start, EMPTIED, edit.text)
        for leaf in own:
            if not any(edit.start <= leaf.start < edit.end for edit in taken):
                found.add(leaf.move(-start))
        patient = find_own_patient(find_entry_resource(own), aliases) if len(starts) > 2 else None
        found.patient = patient or common
        messages.append(found.build(id if len(starts) == 2 else f"{id}.{number}"))
    yield from mask_own(messages)


def mask_own(messages: Sequence[Message]) -> Iterator[Message]:
    """Yield the entries of a Bundle without the kept values that say who their patient is, which another
    entry may say. In an entry without a patient these are the values of all patients."""
    said = [(message.patient, fact) for message in messages for fact in message.list_own()]
    by_patient: dict[str | None, list[tuple[str, str]]] = {None: [fact for _, fact in said]}
    for patient, fact in said:
        if patient is not None:
            by_patient.setdefault(patient, []).append(fact)
    for message in messages:
        yield message.mask_own(by_patient.get(message.patient, ()))


def find_entries(leaves: Iterable[Leaf]) -> list[int]:
    """Return where the first leaf of each entry of a Bundle is."""
    entries = {
        leaf.path[1]: leaf for leaf in reversed([*leaves]) if leaf.path[0] == "entry" and len(leaf.path) > 1
    }
    return sorted(leaf.key_start for leaf in entries.values())


def find_entry_resource(leaves: Iterable[Leaf]) -> dict[str, Any]:
    """Return the resource of an entry."""
    inside = (leaf for leaf in leaves if leaf.path[0] == "entry" and leaf.path[2:3] == ("resource",))
    resource = next((leaf.parents[1].get("resource") for leaf in inside), None)
    return resource if isinstance(resource, dict) else {}


class Parts(Collector):
    """Collects what the leaves of a resource are."""

    encode = staticmethod(json_text.encode)

    def add(self, leaf: Leaf) -> None:
        """Add a leaf; what cannot be read as its rule says is masked."""
        action = rules.choose_action(leaf)
        if action == rules.KEEP or (action == "COUNTRY" and leaf.value in ("US", "USA")):
            self.add_kept(leaf)
            return
        if action in (rules.TEXT, rules.LONG) and rules.is_coded(leaf) and is_display(leaf.value):
            self.kept.append(Kept(leaf.value, leaf.key_start, leaf.end, self.write_absent(leaf), True))
            return
        add: dict[str, Callable[[Leaf], bool]] = {
            rules.TEXT: self.add_term, rules.LONG: self.add_text, rules.HTML: self.add_html,
            rules.DATA: self.add_data, rules.CODE: self.add_code, rules.REFERENCE: self.add_reference,
            rules.MASK: lambda leaf: False,
        }  # fmt: skip
        if not add.get(action, partial(self.add_field, action))(leaf):
            self.mask(leaf.key_start, leaf.end, REASONS.get(action, EMPTIED), self.write_absent(leaf))

    def add_kept(self, leaf: Leaf) -> None:
        if leaf.value is not None and not isinstance(leaf.value, bool):
            absent = None if leaf.names[-1] in rules.FIXED else self.write_absent(leaf)
            self.kept.append(Kept(str(leaf.value), leaf.key_start, leaf.end, absent))

    def list_characters(self, leaf: Leaf) -> list[Character]:
        return list(list_characters(self.source, leaf.start + 1, leaf.end - 1, leaf.start, json_text.decode))

    def add_term(self, leaf: Leaf) -> bool:
        self.terms += [GLUE] if self.terms else []
        self.terms += self.list_characters(leaf)
        return True

    def add_text(self, leaf: Leaf) -> bool:
        self.passages.append(Passage(name_address(leaf), self.list_characters(leaf), json_text.encode))
        return True

    def add_html(self, leaf: Leaf) -> bool:
        """Add the texts of XHTML; what is not well formed does not go out, nor do comments and links."""
        try:
            safe_xml.parse_xml(io.StringIO(markup.replace_entities(leaf.value)), "")
        except FormatError:
            return False
        characters = self.list_characters(leaf)
        pieces = list(markup.scan(leaf.value))
        texts = markup.list_characters(leaf.value, pieces, characters)
        self.passages.append(Passage(name_address(leaf), texts, encode_html))
        for each in markup.list_masked(leaf.value, pieces):
            self.masks.append(Edit(characters[each.start].start, characters[each.end - 1].end, ""))
        for each in markup.list_kept(leaf.value, pieces):
            place = characters[each.start].start, characters[each.end - 1].end
            self.kept.append(Kept(leaf.value[each.start : each.end], *place))
        return True

    def add_data(self, leaf: Leaf) -> bool:
        """Add the text of an attachment. Other types than plain text do not go out."""
        type, _, options = str(leaf.parents[-1].get("contentType", "")).lower().partition(";")
        charset = re.search(r"charset=\"?([\w-]+)", options)
        if type.strip() != "text/plain":
            return False
        name = charset[1] if charset else "utf-8"
        try:
            text = base64.b64decode(leaf.value, validate=True).decode(name)
        except (binascii.Error, UnicodeError, LookupError):
            return False
        self.passages.append(
            Container(name_address(leaf), text, leaf.start, leaf.end, partial(encode_data, name))
        )
        return True

    def add_code(self, leaf: Leaf) -> bool:
        self.codes.append(Field(leaf.value, "", leaf.start, leaf.end, json.dumps))
        return True

    def add_reference(self, leaf: Leaf) -> bool:
        """Add the id in a reference or an address, which the id of the resource becomes too."""
        if found := LOCAL.fullmatch(leaf.value):
            write = partial(
                write_uuid if found[1] == "urn:uuid:" else write_code, found[1].replace("oid", "uuid")
            )
            self.codes.append(Field(found[2], "", leaf.start, leaf.end, write))
            return True
        found = REFERENCE.fullmatch(leaf.value)
        if not found or found["type"] not in rules.RESOURCES:
            return False
        if not found["id"]:  # of a request, which creates it
            return leaf.names[-1] == "url" and not found["base"]
        prefix = (BASE if found["base"] else "") + found["type"] + "/"
        self.codes.append(Field(found["id"], "", leaf.start, leaf.end, partial(write_code, prefix)))
        return True

    def add_field(self, type: str, leaf: Leaf) -> bool:
        text, rest = leaf.value, ""
        if type == rules.DATE and (found := rules.DATE_FORM.fullmatch(text)):
            text, rest = found[1], found[2] or ""
        if not text.strip():
            return False
        key = self.source[leaf.key_start : leaf.start]
        write = partial(write_value, key, self.write_absent(leaf), rest, type == rules.DATE)
        is_known = is_known_of_patient(leaf, type)
        is_own = rules.find_resource(leaf) == "Patient" and (is_known or type != rules.DATE)
        is_own |= type == "PATIENT"
        self.fields.append(Field(text, type, leaf.key_start, leaf.end, write, is_known, is_own))
        return True

    def write_absent(self, leaf: Leaf) -> str:
        """Return what takes the place of a key and its value."""
        if leaf.is_item:
            return "null"
        key = f"_{leaf.names[-1]}"
        return f'"{key}": {ABSENT}' if key not in leaf.parents[-1] else f'"{leaf.names[-1]}": ""'


def is_known_of_patient(leaf: Leaf, type: str) -> bool:
    """Whether a field is searched in the patient's texts."""
    if type == rules.DATE:
        return leaf.names[-1] in KNOWN_DATES and rules.find_resource(leaf) == "Patient"
    of_patient = rules.find_resource(leaf) in ("Patient", "RelatedPerson") and type in KNOWN
    return len(leaf.value) > 1 and (of_patient or type in ("DOCTOR", "PATIENT"))


def name_address(leaf: Leaf) -> str:
    """Return the path of a leaf as a part of an id."""
    steps = leaf.path[2:] if leaf.path[0] == "entry" else leaf.path
    return ".".join(map(str, steps))


def encode_html(text: str) -> str:
    return json_text.encode(markup.encode_text(text))


def encode_data(charset: str, text: str) -> str:
    return json.dumps(base64.b64encode(text.encode(charset, "replace")).decode())


def write_code(prefix: str, code: str) -> str:
    return json.dumps(prefix + code)


def write_uuid(prefix: str, code: str) -> str:
    return json.dumps(prefix + str(uuid.UUID(code)))


def write_value(key: str, absent: str, rest: str, is_date: bool, text: str) -> str:
    """Return a key with its new value; a date that is none any more is absent."""
    if not is_date:
        return key + json.dumps(text, ensure_ascii=False)
    found = rules.DATE_FORM.fullmatch(text)
    if not found:
        return absent
    return f'{key}"{text}{rest if len(text) == len("2061-03-07") else ""}"'


def find_patient(value: dict[str, Any], aliases: Mapping[str, str]) -> str | None:
    """Return the id of the patient of a resource, or of a Bundle in which all have the same."""
    resources = (entry.get("resource") for entry in list_entries(value))
    found = {find_own_patient(each, aliases) for each in [value, *resources] if isinstance(each, dict)} - {
        None
    }
    return found.pop() if len(found) == 1 else None


def list_entries(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the entries of a Bundle, none of another resource."""
    entries = value.get("entry") if value.get("resourceType") == "Bundle" else None
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def list_aliases(value: dict[str, Any]) -> dict[str, str]:
    """Return the ids of resources by the ends of the addresses that the entries of a Bundle give them."""
    pairs = ((entry.get("fullUrl"), entry.get("resource")) for entry in list_entries(value))
    return {
        cut_reference(address): str(resource["id"])
        for address, resource in pairs
        if isinstance(address, str) and isinstance(resource, dict) and "id" in resource
    }


def find_own_patient(resource: dict[str, Any], aliases: Mapping[str, str]) -> str | None:
    if resource.get("resourceType") == "Patient":
        return str(resource["id"]) if "id" in resource else None
    for key in PATIENT_KEYS:
        subject = resource.get(key)
        reference = subject.get("reference") if isinstance(subject, dict) else None
        if isinstance(reference, str) and (key != "individual" or "Patient/" in reference):
            id = cut_reference(reference)
            return aliases.get(id, id)
    return None


def cut_reference(reference: str) -> str:
    """Return the id in a reference or an address.

    >>> [cut_reference(each) for each in ("urn:uuid:8", "https://a.b/Patient/9/_history/1", "#p")]
    ['8', '9', 'p']
    """
    return reference.partition("/_history")[0].rpartition("/")[2].rpartition(":")[2].removeprefix("#")


def render_corpus(documents: Iterable[Document]) -> Iterator[str]:
    """Yield a Bundle, in one line, with a DocumentReference for each document."""
    yield '{"resourceType": "Bundle", "type": "collection", "entry": ['
    for number, document in enumerate(documents):
        yield (", " if number else "") + json.dumps(
            {"resource": build_resource(document)}, ensure_ascii=False
        )
    yield "]}\n"


def build_resource(document: Document) -> dict[str, Any]:
    data = base64.b64encode(document.text.encode()).decode()
    resource: dict[str, Any] = {"resourceType": "DocumentReference", "status": "current"}
    if document.patient is not None:
        resource["subject"] = {"reference": f"Patient/{document.patient}"}
    attachment = {"contentType": "text/plain; charset=utf-8", "data": data}
    return resource | {"content": [{"attachment": attachment}]}


FORMAT = Format(
    "fhir",
    (".json", ".ndjson"),
    read=build_reader(read_messages),
    render_corpus=render_corpus,
    has_spans=False,
    read_messages=read_messages,
)
