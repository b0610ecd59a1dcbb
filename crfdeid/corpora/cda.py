"""C-CDA documents: the narrative blocks of their sections, and the people, places and times around them.

    source ─▶ pieces of XML with their places ─▶ passages, fields, codes, masks

A parser that refuses entities reads the document first (:mod:`crfdeid.corpora.safe_xml`). What becomes of
each text and attribute is an allow-list; others are emptied.
"""

from __future__ import annotations

import base64
import binascii
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from crfdeid.corpora import markup, safe_xml
from crfdeid.corpora.format import Format
from crfdeid.corpora.hl7 import DATE, write_date
from crfdeid.corpora.markup import Piece
from crfdeid.corpora.messages import (
    ATTACHMENTS,
    EMPTIED,
    GLUE,
    Collector,
    Container,
    Encode,
    Field,
    Kept,
    Message,
    Passage,
    build_reader,
    list_characters,
)
from crfdeid.corpora.storage import open_text
from crfdeid.errors import FormatError
from crfdeid.lexicon.names import TITLE_PART
from crfdeid.lexicon.ordinary import is_display
from crfdeid.text.document import Document

KEEP, TEXT, MASK, CODE, NARRATIVE, DATA = "keep", "text", "mask", "code", "narrative", "data"
DATE_TYPE = "DATE"

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
NUMBER = re.compile(r"[+-]?([0-9]{0,7}|[0-9]{1,6}000|[0-9]{8}(?=\.))(\.[0-9]{0,8})?")
SMALL = re.compile(r"[0-9]{1,3}(\.[0-9]{1,4})?")
PUBLIC = re.compile(r"2\.16\.840\.1\.113883\.(?:5|6|1)\.[0-9.]+", re.ASCII)  # systems of codes
LOCAL = re.compile(r"#[\w.-]{1,60}", re.ASCII)
TIMES = re.compile(r"(?:\w*[tT]ime|low|high|center|birthTime|deceasedTime)", re.ASCII)
TELECOM = re.compile(r"((?:tel|fax|mailto|sms|https?):)?(.*)", re.DOTALL)
TELECOMS = {"mailto:": "EMAIL", "http:": "URL", "https:": "URL", "fax:": "FAX"}
OLDEST = 89

ROOT = "ClinicalDocument"
START = 1 << 14  # bytes of a file that show whether it is such a document
COMMENTS = "comments"
INSTRUCTION = re.compile(  # that stays: the declaration, and the style sheet that HL7 gives
    r"<\?xml( [^?<>]*)?\?>"
    r'|<\?xml-stylesheet(\s+type=[\'"]text/xslt?[\'"]|\s+href=[\'"](\./)?CDA\.xsl[\'"])*\s*\?>'
)
NOT_KNOWN = ("STATE", "COUNTRY", "URL", DATE_TYPE)  # types that are not searched in the texts
KNOWN_DATES = ("birthTime", "deceasedTime")
Path_ = list[tuple[str, dict[str, str]]]


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
    """Return the new parts of an id; the parts of a template's id stay."""
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
        return DATE_TYPE
    if LOCAL.fullmatch(value) or value in ("true", "false"):
        return KEEP
    is_old = unit == "a" and NUMBER.fullmatch(value) and value.strip("+-.") and float(value) > OLDEST
    return "age" if is_old else KEEP if NUMBER.fullmatch(value) else MASK


def is_document(path: Path) -> bool:
    """Whether an XML file begins as a CDA document."""
    try:
        with open(path, "rb") as file:
            return f"<{ROOT}".encode() in file.read(START).replace(b":", b"<").replace(b"\0", b"")
    except OSError:
        return False


def read_messages(path: Path, encoding: str = "utf-8") -> Iterator[Message]:
    """Yield the document of a file. Raises :class:`FormatError` for another one."""
    declared = safe_xml.find_encoding(path, encoding)
    with open_text(path, declared) as file:
        source = file.read()
    yield replace(parse_document(source, f"{path.stem}.1", str(path)), encoding=declared)


def parse_document(source: str, id: str, where: str) -> Message:
    """Parse a document."""
    root = safe_xml.parse_xml(io.StringIO(source), where)
    if root.tag.rpartition("}")[2] != ROOT:
        raise FormatError(f"{where}: no clinical document; wanted the element {ROOT}")
    found = Parts(source)
    for path, pieces, is_block in walk(source):
        if is_block:
            found.add_block(pieces)
        else:
            found.add(path, pieces[0])
    return found.build(id).mask_own()


def walk(source: str) -> Iterator[tuple[Path_, list[Piece], bool]]:
    """Yield each piece alone, with its element and those around it. The pieces of a narrative block are
    together, and true follows them."""
    path: Path_ = []
    block: list[Piece] = []
    depth = 0  # of the element that holds the block
    for piece in markup.scan(source):
        if piece.kind in ("open", "empty"):
            path.append((piece.name, read_attributes(source, piece)))
        if depth:
            block.append(piece)
        else:
            yield path, [piece], False
        if piece.kind == "open" and not depth and [name for name, _ in path[-2:]] == ["section", "text"]:
            depth = len(path)
        if piece.kind == "close" and depth == len(path):
            yield path, block, True
            block, depth = [], 0
        if piece.kind in ("close", "empty"):
            path.pop()


def read_attributes(source: str, piece: Piece) -> dict[str, str]:
    return {each.name.rpartition(":")[2]: source[each.start : each.end] for each in piece.attributes}


class Parts(Collector):
    """Collects what the pieces of a document are."""

    encode = staticmethod(markup.encode_attribute)

    def add(self, path: Path_, piece: Piece) -> None:
        if piece.kind in ("text", "cdata"):
            self.add_text(path, piece)
        elif piece.kind in ("comment", "instruction"):
            self.add_comment(piece)
        elif piece.attributes:
            self.add_attributes(path, piece)

    def add_block(self, pieces: list[Piece]) -> None:
        """Add the texts of a narrative block. Its comments and most attributes do not go out."""
        characters = markup.list_characters(self.source, pieces)
        self.passages.append(Passage(f"section.{len(self.passages) + 1}", characters, markup.encode_text))
        for each in markup.list_masked(self.source, pieces):
            self.mask(each.start, each.end, EMPTIED)
        kept = markup.list_kept(self.source, pieces)
        self.kept += [Kept(self.source[each.start : each.end], each.start, each.end) for each in kept]

    def add_comment(self, piece: Piece) -> None:
        if not INSTRUCTION.fullmatch(self.source, piece.start, piece.end):
            self.mask(piece.start, piece.end, COMMENTS)

    def add_text(self, path: Path_, piece: Piece) -> None:
        text = self.source[piece.start : piece.end]
        if not text.strip() or not path:
            return
        action = choose_text_action([name for name, _ in path], path[-1][1])
        if action == "title":
            action = KEEP if TITLE_PART.fullmatch(text.strip()) else MASK
        if action == NARRATIVE:
            self.add_block([piece])
        elif action == DATA:
            self.add_data(path, piece)
        else:
            self.add_value(action, path, piece.start, piece.end, markup.encode_text)

    def add_data(self, path: Path_, piece: Piece) -> None:
        """Add the text of an attachment in base64, if it is plain text."""
        if path[-1][1].get("mediaType", "").partition(";")[0] != "text/plain":
            self.mask(piece.start, piece.end, ATTACHMENTS)
            return
        try:
            text = base64.b64decode(
                "".join(self.source[piece.start : piece.end].split()), validate=True
            ).decode()
        except (binascii.Error, UnicodeError):
            self.mask(piece.start, piece.end, ATTACHMENTS)
            return
        address = f"section.{len(self.passages) + 1}"
        self.passages.append(Container(address, text, piece.start, piece.end, encode_data))

    def add_attributes(self, path: Path_, piece: Piece) -> None:
        names = [name for name, _ in path]
        for each in piece.attributes:
            value = self.source[each.start : each.end]
            if value:
                action = choose_attribute_action(names, each.name, value, path[-1][1])
                self.add_value(action, path, each.start, each.end, markup.encode_attribute)

    def add_value(self, action: str, path: Path_, start: int, end: int, write: Encode) -> None:
        """Add a text or an attribute by its action, which may be a type of PHI."""
        text = "".join(piece for piece, _ in markup.decode_text(self.source, start, end))
        if action == KEEP or (action == "COUNTRY" and text.strip() in ("US", "USA")):
            self.kept.append(Kept(text, start, end))
            return
        if action == TEXT and is_coded(path, self.source[start:end]) and is_display(text):
            self.kept.append(Kept(text, start, end, "", True))
        elif action == TEXT:
            self.terms += [GLUE] if self.terms else []
            self.terms += list_characters(self.source, start, end, start, markup.decode_text)
        elif action == CODE:
            self.codes.append(Field(text, "", start, end, write_oid))
        elif action == "age":
            self.mask(start, end, EMPTIED, "90")
        elif not action.isupper() or not self.add_field(action, path, start, end, write):
            self.mask(start, end, EMPTIED)

    def add_field(self, type: str, path: Path_, start: int, end: int, write: Encode) -> bool:
        names = [name for name, _ in path]
        text = self.source[start:end]
        start += len(text) - len(text.lstrip())
        end -= len(text) - len(text.rstrip())
        if names[-1] == "telecom" and (found := TELECOM.fullmatch(text)):
            start += len(found[1] or "")
        text = "".join(piece for piece, _ in markup.decode_text(self.source, start, end))
        if type == DATE_TYPE:
            found_date = DATE.fullmatch(text)
            if not found_date:
                return False
            text = "-".join(filter(None, found_date.groups()[:3]))
            write = partial(write_date, "".join(filter(None, found_date.groups()[3:])), len(text))
        if not text:
            return False
        if type == "MEDICALRECORD" and self.patient is None:
            self.patient = text
        is_of_patient = is_known(names, type, text)
        is_own = type == "PATIENT" or (RECORD_TARGET in names and (is_of_patient or type != DATE_TYPE))
        self.fields.append(Field(text, type, start, end, write, is_of_patient, is_own))
        return True


def is_coded(path: Path_, written: str) -> bool:
    """Whether an attribute is the name of a code of a public system."""
    attributes = path[-1][1]
    is_name = attributes.get("displayName") == written and bool(attributes.get("code"))
    return is_name and PUBLIC.fullmatch(attributes.get("codeSystem", "")) is not None


def is_known(names: list[str], type: str, text: str) -> bool:
    """Whether a field is searched in the patient's texts."""
    if type == DATE_TYPE:
        return names[-1] in KNOWN_DATES
    of_patient = any(name in OF_PATIENT for name in names) and type not in NOT_KNOWN
    return len(text) > 1 and (of_patient or type in ("DOCTOR", "PATIENT"))


def write_oid(code: str) -> str:
    """Return a code as an OID.

    >>> write_oid("1f")
    '2.25.31'
    """
    return f"2.25.{int(code, 16)}"


def encode_data(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def render_corpus(documents: Iterable[Document]) -> Iterator[str]:
    """Yield one document, whose text is the body. Raises :class:`FormatError` for a second one."""
    for number, document in enumerate(documents):
        if number:
            raise FormatError("cda: a file holds one document; wanted the name of a folder")
        patient, id = (
            safe_xml.quote_attribute(each, document.id) for each in (document.patient or "", document.id)
        )
        yield (
            f'{safe_xml.HEAD}<{ROOT} xmlns="urn:hl7-org:v3"><id root="2.25.1" extension={id}/><recordTarget>'
            f'<patientRole><id root="2.25.2" extension={patient}/></patientRole></recordTarget><component>'
            "<structuredBody><component><section><text>"
            f"{safe_xml.escape_content(document.text, document.id)}"
            f"</text></section></component></structuredBody></component></{ROOT}>\n"
        )


FORMAT = Format(
    "cda",
    (".xml",),
    read=build_reader(read_messages),
    render_corpus=render_corpus,
    has_spans=False,
    read_messages=read_messages,
)
