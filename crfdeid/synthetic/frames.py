"""Reading frames: sentences with choices and slots (the notation of docs/synthetic.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from math import prod
from pathlib import Path

import regex

from crfdeid.errors import ConfigurationError
from crfdeid.files import read_text
from crfdeid.synthetic import slots

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
    types = (slots.span_type(slot.name) for slot in _all_slots(parts))
    return Frame(text, tuple(parts), frozenset(type for type in types if type))


def _slots(text: str, where: str) -> Iterator[str | Slot]:
    position = 0
    for match in SLOT.finditer(text):
        yield from _literal(text[position : match.start()], where)
        name = match[1][0].lower() + match[1][1:]
        slots.check_slot(name, match[2], where)
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
