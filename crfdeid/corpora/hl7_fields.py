"""The fields of HL7 v2 (ER7): messages, segments, fields and their parts with their places, and escapes;
and what becomes of each field, an allow-list by datatype. Other fields are emptied.

The fields have the datatypes of HL7 v2.5.1, and of v2.8.2 for later fields (as in hl7apy 1.3.5,
MIT), where CE, CNE are written CWE, and TS, DT are written DTM.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TextIO

from crfdeid.errors import FormatError
from crfdeid.lexicon.names import TITLE_PART

KEEP, TEXT, EMPTY, NAME, TITLE, NUMBER, RANGE, DISPLAY = (
    "keep", "text", "empty", "NAME", "title", "number", "range", "display",
)  # fmt: skip
NARRATIVE = ("TX", "FT", "ST")  # the types of OBX-5 that are lines of a text
DATE = "DATE"

# By datatype: what becomes of its components, in their order; those after the last are emptied. A word in
# capitals is the type of PHI that the component is.
COMPONENTS = {
    name: tuple(actions.split())
    for name, actions in {
        "CWE": "keep text keep keep text keep keep keep text",
        "CX": "IDNUM empty keep empty keep",
        "CX-MR": "MEDICALRECORD empty keep empty keep",
        "CX-ACCOUNT": "ACCOUNT empty keep empty keep",
        "CX-PLAN": "HEALTHPLAN empty keep empty keep",
        "XPN": "NAME NAME NAME title title title keep keep",
        "XCN": "IDNUM DOCTOR DOCTOR DOCTOR title title title keep empty keep empty keep keep",
        "XAD": "STREET STREET CITY STATE ZIP COUNTRY keep",
        "XTN": "PHONE keep keep EMAIL number",
        "XON": "HOSPITAL keep IDNUM empty empty empty keep empty empty IDNUM",
        "PL": "DEPARTMENT ROOM ROOM HOSPITAL keep keep",
        "EI": "IDNUM empty empty keep",
        "EIP": "IDNUM IDNUM",
        "HD": "empty",
        "DLN": "LICENSE",
        "PPN": "IDNUM DOCTOR DOCTOR DOCTOR title title title",
        "NDL": "DOCTOR DATE DATE",
        "DR": "DATE DATE",
        "DTM": "DATE keep",
        "FC": "flag DATE",
        "DLD": "IDNUM DATE",
        "CQ": "number keep",
        "CP": "number keep",
        "SN": "comparator number comparator number",
        "MSG": "keep keep keep",
        "PT": "keep keep",
        "VID": "keep keep",
        "ID": "flag",
        "IS": "flag",
        "SI": "number",
        "SOURCE": "source",
        "NM": "number",
        "TM": "time",
        "ST": "text",
        "FT": "text",
        "TX": "text",
        "VERSION": "keep",
    }.items()
}
SHAPES = {  # of what is kept: what else is in such a component is emptied, because it may be a name
    KEEP: re.compile(r"[\w.+*%^/-]{1,20}", re.ASCII),
    "flag": re.compile(r"(?!.*[0-9]{4})[\w.+*/-]{1,12}", re.ASCII),
    NUMBER: re.compile(  # a whole number of eight digits that is not round identifies somebody
        r"[+-]?([0-9]{1,7}|[0-9]{1,9}000|[0-9]{1,12}\.[0-9]{0,12}|\.[0-9]{1,12})"
    ),
    "source": re.compile(r"[A-Z]{1,2}"),
    "comparator": re.compile(r"[<>=/:+-]{1,2}"),
    "time": re.compile(r"[0-9]{2,6}(\.[0-9]{1,4})?([+-][0-9]{4})?"),
    TITLE: TITLE_PART,
    RANGE: re.compile(r"[<>=]{0,2}\s?[0-9]{1,4}(\.[0-9]{1,4})?(\s?-\s?[0-9]{1,4}(\.[0-9]{1,4})?)?"),
}  # fmt: skip

SEGMENTS = {
    name: tuple(types.split())
    for name, types in {
        "FHS": "- - HD HD HD HD DTM - - - IDNUM IDNUM",
        "BHS": "- - HD HD HD HD DTM - - - IDNUM IDNUM",
        "BTS": "NM - NM",
        "FTS": "NM -",
        "MSH": "- - HD HD HD HD DTM - MSG IDNUM PT VID NM - ID ID ID ID CWE ID EI XON XON HD HD",
        "MSA": "ID IDNUM ST NM - CWE NM ID",
        "EVN": "ID DTM DTM IS XCN DTM HD",
        "PID": "SI CX-MR CX-MR CX-MR XPN XPN DTM IS XPN CWE XAD - XTN XTN CWE CWE CWE CX-ACCOUNT SSN DLN "
        "CX-MR CWE - ID NM CWE CWE CWE DTM ID ID IS DTM HD CWE CWE ST CWE CWE XTN",
        "PD1": "IS IS XON XCN IS IS IS IS ID CX CWE ID DTM XON CWE IS DTM DTM IS IS IS DTM",
        "NK1": "SI XPN CWE XAD XTN XTN CWE DTM DTM ST - CX XON CWE IS DTM IS IS CWE CWE IS CWE ID IS CWE XPN "
        "CWE CWE CWE XPN XTN XAD CX IS CWE IS SSN - IS XTN XTN",
        "PV1": "SI IS PL IS CX PL XCN XCN XCN IS PL IS IS IS IS IS XCN IS CX-ACCOUNT FC IS IS IS IS DTM NM "
        "NM IS IS DTM IS NM NM IS DTM IS DLD CWE IS IS IS PL PL DTM DTM NM NM NM NM CX IS XCN CX",
        "PV2": "PL CWE CWE CWE ST ST IS DTM DTM NM NM ST XCN DTM ID IS DTM IS ID NM IS ID XON IS IS DTM IS "
        "DTM DTM CWE IS ID DTM ID ID ID ID CWE CWE CWE CWE CWE IS IS CWE DTM DTM DTM IS DTM",
        "ORC": "ID EI EI EI ID ID - EIP DTM XCN XCN XCN PL XTN DTM CWE CWE CWE XCN CWE XON XAD XTN XAD CWE "
        "CWE DTM CWE CWE CWE CWE DTM CX CWE",
        "OBR": "SI EI EI CWE ID DTM DTM DTM CQ XCN ID CWE ST DTM - XCN XTN IDNUM IDNUM IDNUM IDNUM DTM - ID "
        "ID - - XCN EIP ID CWE NDL NDL NDL NDL DTM NM CWE CWE CWE ID ID CWE CWE CWE CWE CWE CWE IS "
        "CWE EIP",
        "OBX": "SI ID CWE ST - CWE ST IS NM ID ID DTM - DTM CWE XCN CWE EI DTM CWE EI CWE XON XAD XCN ID CWE "
        "CWE ID ID",
        "NTE": "SI SOURCE - CWE XCN DTM DTM DTM",
        "TXA": "SI IS ID DTM XCN DTM DTM DTM XCN XCN XCN EI EI EI EI IDNUM ID ID ID ID ST PPN XCN CWE ST DTM",
        "SPM": "SI EIP EIP CWE CWE CWE CWE CWE CWE CWE CWE CQ NM ST CWE CWE DR DTM DTM ID CWE CWE CWE CWE CQ "
        "NM CWE CWE CWE CX CX EI",
        "DG1": "SI ID CWE ST DTM IS CWE CWE ID IS CWE NM CP ST ID XCN IS ID DTM EI ID",
        "PR1": "SI IS CWE ST DTM IS NM XCN IS NM XCN XCN CWE ID CWE CWE IS CWE EI ID CWE CWE PL ID EI",
        "AL1": "SI CWE CWE CWE ST DTM",
        "IAM": "SI CWE CWE CWE ST CWE EI ST CWE CWE DTM ST DTM XPN CWE CWE CWE XCN XON DTM XCN DTM XCN DTM "
        "XCN DTM CWE XON XON XON",
        "GT1": "SI CX XPN XPN XAD XTN XTN DTM IS IS CWE SSN DTM DTM NM XPN XAD XTN CX IS XON ID CWE DTM ID "
        "CWE CP NM CX CWE DTM DTM IS IS CWE CWE IS CWE ID IS CWE XPN CWE CWE XPN XTN CWE IS - - XON "
        "IS IS FC CWE - IS",
        "IN1": "SI CWE CX XON XAD XPN XTN HEALTHPLAN XON CX XON DTM DTM - IS XPN CWE DTM XAD IS IS - ID DTM "
        "ID DTM IS - DTM XCN IS IS NM NM IS HEALTHPLAN CP CP NM CP CP CWE IS XAD - IS IS IS CX-PLAN "
        "IS DTM - IS",
        "ACC": "DTM CWE ST CWE ID ID XCN ST ST ID XAD NM EI",
        "MRG": "CX-MR CX-MR CX-ACCOUNT CX-MR CX CX XPN",
        "SCH": "EI EI NM EI CWE CWE CWE CWE NM CWE - XCN XTN XAD PL XCN XTN XAD PL XCN XTN PL EI EI CWE EI "
        "EI",
        "AIS": "SI ID CWE DTM NM CWE NM CWE IS CWE CWE CWE",
        "RXA": "NM NM DTM DTM CWE NM CWE CWE CWE XCN - ST NM CWE IDNUM DTM CWE CWE CWE ID ID DTM NM CWE CWE "
        "ID XAD EI",
        "RXR": "CWE CWE CWE CWE CWE CWE",
    }.items()
}  # fmt: skip
PHI_TYPES = ("SSN", "IDNUM", "HEALTHPLAN")  # of fields that are PHI as a whole
NO_TYPE = "-"
SAME_TYPES = {"CE": "CWE", "CNE": "CWE", "TS": "DTM", "DT": "DTM"}
OF_PATIENT = ("PID", "NK1", "MRG", "GT1", "IN1")  # segments that name patients and their kin
NOT_KNOWN = ("STATE", "COUNTRY", DATE, "ROOM", "DEPARTMENT")  # types that are not searched in the texts
OWN_SEGMENTS = ("PID", "MRG")  # what they say of the patient is emptied where a rule keeps it
KIN_SEGMENTS = ("NK1", "GT1", "IN1")  # and the names that these have
KEPT_FIELDS = (("MSH", 9), ("MSH", 11), ("MSH", 12), ("OBX", 2))  # without them no message can be read
DISPLAYS = (2, 5)  # components of a CWE that have the name of the code before them, by the system behind them
SYSTEMS = re.compile(  # that are public
    r"I(?:9|10)C?D?P?X?|ICD[\w-]*|LN|LOINC|S(?:CT|NM|NOMED)[\w-]*|RXNORM|NDC|CVX|MVX|CDCREC|CPT\w?|C[45]|HL7[0-9]{4}"
    r"|NIP[0-9]{3}|UCUM|UNII|ATC|ISO[\w-]*",
    re.IGNORECASE,
)
DEMOGRAPHY = tuple(("PID", field) for field in (10, 15, 16, 17, 22))  # whose codes are of HL7's tables
KNOWN_DATES = (("PID", 7), ("PID", 29), ("NK1", 16))  # birth and death

HEADERS = ("MSH", "FHS", "BHS")
SEGMENT = re.compile(r"[^\r\n\x0b\x1c]+")  # also without the bytes that frame a message on the wire
START = re.compile(r"(?<=[\r\n\x0b\x1c])(?=MSH)")
SEGMENT_NAME = re.compile(r"[A-Z][A-Z0-9]{2}")
CHUNK = 1 << 20  # characters of a file that are read at once
BREAK = re.compile(r"\.(?:br|sp|ce)[+0-9]*")
UNSEEN = re.compile(r"[HN]|\.(?:sk|in|ti|fi|nf)[+0-9-]*|[CMZ][0-9A-Za-z]*")
HEX = re.compile(r"X((?:[0-9A-Fa-f]{2})+)")
LONGEST_ESCAPE = 64  # characters


class Rule(NamedTuple):
    """The rule of a component: ``action`` is KEEP, TEXT, EMPTY, a key of SHAPES, or a type of PHI."""

    action: str
    is_known: bool


def find_rule(segment: str, field: int, component: int, datatype: str = "") -> Rule:
    """Return the rule of a component; ``datatype`` is that of OBX-5.

    >>> find_rule("PID", 5, 1), find_rule("PV1", 7, 2), find_rule("ZPI", 1, 1).action
    (Rule(action='PATIENT', is_known=True), Rule(action='DOCTOR', is_known=True), 'empty')
    """
    if datatype:
        actions = COMPONENTS.get(SAME_TYPES.get(datatype, datatype), ())
    else:
        types = SEGMENTS.get(segment, ())
        listed = types[field - 1] if field <= len(types) else NO_TYPE
        actions = (listed,) if listed in PHI_TYPES else COMPONENTS.get(listed, ())
    action = actions[component - 1] if component <= len(actions) else EMPTY
    if action == NAME:
        action = "PATIENT" if segment in OF_PATIENT else "DOCTOR"
    of_patient = segment in OF_PATIENT and action.isupper() and action not in NOT_KNOWN
    is_known = of_patient or action == "DOCTOR" or (action == DATE and (segment, field) in KNOWN_DATES)
    return Rule(action, is_known)


def is_kept(action: str, text: str) -> bool:
    """Whether a component that is kept has the shape that it should have.

    >>> is_kept("keep", "LN"), is_kept("keep", "Ana Okafor"), is_kept("title", "Okafor")
    (True, False, False)
    """
    return SHAPES[action].fullmatch(text) is not None


class Separators(NamedTuple):
    r"""The characters of MSH-1 and MSH-2: ``|^~\&``. One that is missing is NUL, which no message has."""

    field: str
    component: str
    repetition: str
    escape: str = "\0"
    subcomponent: str = "\0"
    truncation: str = "\0"


class Part(NamedTuple):
    """A part of a segment, ``source[start:end]``, and its number from 1."""

    number: int
    start: int
    end: int


@dataclass(frozen=True)
class Segment:
    """A segment: its name, its number in the message, and its fields by number. MSH-1 and MSH-2 are not
    among the fields."""

    name: str
    number: int
    fields: dict[int, Part]
    separators: Separators

    def read(self, source: str, field: int) -> str:
        """Return the text of a field as the source has it; nothing where it is missing."""
        part = self.fields.get(field)
        return source[part.start : part.end] if part else ""


def split_messages(file: TextIO) -> Iterator[str]:
    """Yield the text of each message, with all that follows before the next MSH."""
    rest = ""
    while chunk := file.read(CHUNK):
        *whole, rest = START.split(rest + chunk)
        yield from whole
    if rest:
        yield rest


def list_segments(source: str, where: str) -> Iterator[Segment]:
    """Yield the segments of a message. Raises :class:`FormatError`, which names the segment, for text that
    is none."""
    separators = None
    begin = source.startswith("\ufeff")
    for number, found in enumerate(SEGMENT.finditer(source, begin), 1):
        name, here = found[0][:3], f"{where}, segment {number}"
        if name in HEADERS:
            separators = read_separators(found[0], here)
        if separators is None:
            raise FormatError(f"{here}: not an HL7 v2 message; wanted MSH, FHS or BHS")
        if not SEGMENT_NAME.fullmatch(name) or found[0][3:4] not in ("", separators.field):
            raise FormatError(
                f"{here}: no name of a segment; wanted three capitals or digits and a separator"
            )
        first = found.start() + 4
        fields = {part.number: part for part in split(source, first, found.end(), separators.field)}
        if name in HEADERS:
            fields = {number + 1: part for number, part in fields.items() if number > 1}
        yield Segment(name, number, fields, separators)


def read_separators(header: str, where: str) -> Separators:
    r"""Read MSH-1 and MSH-2. Raises :class:`FormatError` where they are missing or not distinct.

    >>> read_separators(r"MSH|^~\&|A", "").escape
    '\\'
    """
    found = header[3:4] + header[4:].partition(header[3:4] or "|")[0]
    is_odd = any(c.isalnum() or c.isspace() or c in '."' for c in found)
    if not 3 <= len(found) <= len(Separators._fields) or len({*found}) != len(found) or is_odd:
        raise FormatError(f"{where}: no separators; wanted such as |^~\\& after its name")
    return Separators(*found)


def split(source: str, start: int, end: int, separator: str) -> Iterator[Part]:
    """Yield the parts of ``source[start:end]`` between separators.

    >>> list(split("a^bc", 0, 4, "^"))
    [Part(number=1, start=0, end=1), Part(number=2, start=2, end=4)]
    >>> [part[1:] for part in split("^b", 0, 2, "^")]
    [(0, 0), (1, 2)]
    """
    number = 1
    while (stop := source.find(separator, start, end)) >= 0:
        yield Part(number, start, stop)
        start, number = stop + 1, number + 1
    if start <= end:
        yield Part(number, start, end)


def build_decoder(separators: Separators) -> Callable[[str, int, int], Iterator[tuple[str, int]]]:
    r"""Return a function that yields the texts of ``source[start:end]``, each with the offset of its end.

    >>> decode = build_decoder(Separators("|", "^", "~", "\\", "&"))
    >>> "".join(text for text, _ in decode(r"A \T\ B\.br\\H\C\N\\X2122\\Q\ ", 0, 30))
    'A & B\nC!"\\Q\\ '
    """
    return partial(_decode, separators)


def _decode(separators: Separators, source: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    while start < end:
        stop = source.find(separators.escape, start + 1, min(end, start + LONGEST_ESCAPE))
        text = None
        if source[start] == separators.escape and stop != -1:
            text = _read_escape(source[start + 1 : stop], separators)
        text, start = (source[start], start + 1) if text is None else (text, stop + 1)
        yield text, start


def _read_escape(name: str, separators: Separators) -> str | None:
    """Return what an escape means, None if it is none."""
    letters = dict(zip("FSRETP", separators))
    if name in letters:
        return letters[name]
    if BREAK.fullmatch(name):
        return "\n"
    if found := HEX.fullmatch(name):
        data = bytes.fromhex(found[1])
        return data.decode("utf-8" if is_utf8(data) else "latin-1")
    return "" if UNSEEN.fullmatch(name) else None


def is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def encode(separators: Separators, text: str) -> str:
    r"""Return a text as a field has it.

    >>> encode(Separators("|", "^", "~", "\\", "&"), "a|b\nc\\")
    'a\\F\\b\\.br\\c\\E\\'
    """
    mark = separators.escape
    letters = {char: f"{mark}{letter}{mark}" for letter, char in zip("FSRET", separators)}
    letters |= {"\n": f"{mark}.br{mark}"}
    letters |= {char: f"{mark}X{ord(char):02X}{mark}" for char in "\r\x0b\x1c"}
    if mark == "\0":  # a message without an escape character
        letters = dict.fromkeys([*letters, "\n", "\r", "\x0b", "\x1c"], " ")
    return "".join(letters.get(char, char) for char in text)
