"""Frames: sentences with choices and slots (the notation of docs/synthetic.md), and every slot that a frame
or a layout can use: the type of its span, and its variants. The variant ``*`` takes a range."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from math import prod
from pathlib import Path

import regex

from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.files import read_text

FOLDER = Path(__file__).parent
CHOICE = regex.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
ORDINARY = regex.compile(r"(?<![\p{L}'-])[a-z]{3,8}(?![\p{L}'-])")
SLOT = regex.compile(r"\{(\w+)(?:[.:]([^{}]*))?\}")

# How often frames with each type are chosen, against chance. The rates bring the default mix near the
# proportions of i2b2 2014 (Stubbs & Uzuner 2015), with somewhat more of the rare types, so that they
# can be learned. They were found by counting what the generator wrote.
RATES = {
    "AGE": 2.0, "HOSPITAL": 1.8, "PHONE": 0.4, "ORGANIZATION": 0.35, "FAX": 0.3, "EMAIL": 1.0, "URL": 1.0,
    "IDNUM": 0.8, "LICENSE": 0.4, "SSN": 0.4, "IPADDR": 0.4, "ACCOUNT": 0.6, "DEVICE": 0.4, "HEALTHPLAN": 0.6,
    "PATIENT": 0.7, "DOCTOR": 0.85, "CITY": 0.75, "COUNTRY": 0.4, "PROFESSION": 1.4, "DATE": 1.2,
}  # fmt: skip

RANGE = regex.compile(r"\d+(\.\d+)?-\d+(\.\d+)?")
PERSON = ("full", "last", "first", "formal", "initials", "nick")
DAY = (
    "numeric", "numeric_noyear", "iso", "long", "long_noyear", "month_year", "month", "year", "short_year",
    "weekday", "holiday", "season", "ordinal", "range", "compact",
)  # fmt: skip
YEARS = ("number", "words", "decade", "fraction", "months")

# Slots without variants whose names are also their types.
PLAIN = (
    "username", "profession", "room", "department", "organization", "street", "city", "zip", "country",
    "phone",
    "fax", "email", "url", "ipaddr", "ssn", "medicalrecord", "healthplan", "account", "license", "vehicle",
    "device", "bioid", "idnum",
)  # fmt: skip

PHI: dict[str, tuple[str, tuple[str, ...]]] = {
    **{name: ("PATIENT", PERSON) for name in ("patient", "relative")},
    **{name: ("DOCTOR", PERSON) for name in ("doctor", "doctor2", "doctor3", "nurse", "someone")},
    **{name: ("DATE", DAY) for name in ("date", "past_date", "next_date", "dob", "today")},
    **{name: ("AGE", YEARS) for name in ("age", "relative_age")},
    **{name: ("HOSPITAL", ("full", "acronym", "nick")) for name in ("hospital", "hospital2")},
    "state": ("STATE", ("full", "abbr")),
    "location_other": ("LOCATION-OTHER", ()),
    **{name: ("PHONE", ()) for name in ("pager", "uk_phone")},
    "nhs": ("MEDICALRECORD", ()),
    "npi": ("IDNUM", ()),
    "postcode": ("ZIP", ()),
    **{name: (name.upper(), ()) for name in PLAIN},
}

LISTED = (
    "relation", "disease", "symptom", "drug", "dose", "frequency", "route", "procedure", "lab", "labvalue",
    "imaging", "organ", "side", "allergen", "organism", "specialty", "eponym", "device_name", "finding",
    "diet", "author", "topic",
)  # fmt: skip
INVENTED = ("instrument", "brand", "maker", "model", "listed_instrument")
PRONOUNS = ("he", "him", "his", "himself", "sex", "title", "person")
MEASURED = ("duration", "time", "weight", "bp", "temp", "pulse")

OTHER: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*PRONOUNS, *LISTED, *INVENTED, *MEASURED), ()),
    "number": ("*",),
}

VARIANTS: dict[str, tuple[str, ...]] = {name: variants for name, (_, variants) in PHI.items()} | OTHER


@dataclass(frozen=True, slots=True)
class Slot:
    """A place to fill; ``capital``: the value gets a capital, as the slot's name has one."""

    name: str
    variant: str | None
    capital: bool


@dataclass(frozen=True, slots=True)
class Choice:
    branches: tuple[tuple[str | Slot, ...], ...]


@dataclass(frozen=True)
class Frame:
    """One frame or layout block. ``types`` are the types of all its PHI slots."""

    text: str
    parts: tuple[str | Slot | Choice, ...]
    types: frozenset[str]


def frame_weight(frame: Frame) -> float:
    """The weight of the frame: the product of the rates of its types, from 0.15 to 2."""
    return min(2.0, max(0.15, prod(RATES.get(type, 1.0) for type in frame.types)))


def parse_frame(text: str, where: str) -> Frame:
    """Parse the text of a frame; ``where`` begins the error message.
    Raises :class:`ConfigurationError` for an unknown slot or a brace in the wrong place.

    >>> parse_frame("Seen by Dr. {doctor.last} [today|].", "example:1").parts[1]
    Slot(name='doctor', variant='last', capital=False)
    """
    parts: list[str | Slot | Choice] = []
    position = 0
    for match in CHOICE.finditer(text):
        parts += _slots(text[position : match.start()], where)
        parts.append(Choice(tuple(tuple(_slots(branch, where)) for branch in match[1].split("|"))))
        position = match.end()
    parts += _slots(text[position:], where)
    types = (span_type(slot.name) for slot in _all_slots(parts))
    return Frame(text, tuple(parts), frozenset(type for type in types if type))


def _slots(text: str, where: str) -> Iterator[str | Slot]:
    position = 0
    for match in SLOT.finditer(text):
        yield from _literal(text[position : match.start()], where)
        name = match[1][0].lower() + match[1][1:]
        check_slot(name, match[2], where)
        yield Slot(name, match[2], match[1][0].isupper())
        position = match.end()
    yield from _literal(text[position:], where)


def _literal(text: str, where: str) -> Iterator[str]:
    if "{" in text or "}" in text:
        raise ConfigurationError(
            f"{where}: a brace that belongs to no slot; wanted {{slot}} or {{slot.variant}}"
        )
    if text:
        yield text


def _all_slots(parts: list[str | Slot | Choice]) -> Iterator[Slot]:
    for part in parts:
        branches = part.branches if isinstance(part, Choice) else ((part,),)
        yield from (inner for branch in branches for inner in branch if isinstance(inner, Slot))


def read_file(path: Path) -> Iterator[tuple[str, Frame]]:
    """Yield the frames of one file, each with its section. Raises :class:`ConfigurationError` for a frame
    before the first section."""
    section = None
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if line.startswith("@section "):
            section = line.split()[1]
        elif line.strip() and not line.startswith("#"):
            if section is None:
                raise ConfigurationError(f"{path.name}:{number}: a frame before the first @section")
            yield section, parse_frame(line.strip(), f"{path.name}:{number}")


@cache
def read_sections() -> dict[str, tuple[Frame, ...]]:
    """Read all shipped frames by section, without duplicates, in the order of the files."""
    found: dict[str, dict[str, Frame]] = {}
    for path in sorted((FOLDER / "frames").glob("*.txt")):
        for section, frame in read_file(path):
            found.setdefault(section, {})[frame.text] = frame
    return {section: tuple(frames.values()) for section, frames in found.items()}


@cache
def read_blocks() -> dict[str, tuple[tuple[frozenset[str], Frame], ...]]:
    """Read the shipped layout blocks by kind, each with its genres (none: for all genres).
    A block is the lines from ``@block KIND [GENRE ...]`` to the next."""
    found: dict[str, list[tuple[frozenset[str], Frame]]] = {}
    for path in sorted((FOLDER / "layouts").glob("*.txt")):
        for part in regex.split(r"(?m)^@block ", read_text(path))[1:]:
            heading, _, body = part.partition("\n")
            kind, *genres = heading.split()
            frame = parse_frame(body.strip("\n"), f"{path.name}: block {heading}")
            found.setdefault(kind, []).append((frozenset(genres), frame))
    return {kind: tuple(group) for kind, group in found.items()}


@cache
def read_words() -> tuple[str, ...]:
    """Read the words in small letters of all shipped frames, in order: ordinary words of notes."""
    parts = chain.from_iterable(frame.parts for group in read_sections().values() for frame in group)
    texts = (part for part in parts if isinstance(part, str))
    return tuple(sorted({word for text in texts for word in ORDINARY.findall(text)}))


def span_type(slot: str) -> str | None:
    """The type of the span that a slot makes, or ``None``.

    >>> span_type("pager"), span_type("drug")
    ('PHONE', None)
    """
    return PHI[slot][0] if slot in PHI else None


def check_slot(slot: str, variant: str | None, where: str) -> None:
    """Raise :class:`ConfigurationError` if the slot or its variant does not exist."""
    if slot not in VARIANTS:
        raise ConfigurationError(f"{where}: {slot}: no such slot{did_you_mean(slot, VARIANTS)}")
    known = VARIANTS[slot]
    if known == ("*",):
        if not RANGE.fullmatch(variant or ""):
            raise ConfigurationError(f"{where}: {{{slot}}} needs a range, as in {{{slot}:2-40}}")
    elif variant is not None and variant not in known:
        raise ConfigurationError(f"{where}: {slot}.{variant}: no such variant{did_you_mean(variant, known)}")
