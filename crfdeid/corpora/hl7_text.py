r"""The grammar of HL7 v2 (ER7): messages, segments, fields and their parts with their places; escapes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TextIO

from crfdeid.errors import FormatError

HEADERS = ("MSH", "FHS", "BHS")
SEGMENT = re.compile(r"[^\r\n\x0b\x1c]+")  # also without the bytes that frame a message on the wire
START = re.compile(r"(?<=[\r\n\x0b\x1c])(?=MSH)")
NAME = re.compile(r"[A-Z][A-Z0-9]{2}")
CHUNK = 1 << 20  # characters of a file that are read at once
BREAK = re.compile(r"\.(?:br|sp|ce)[+0-9]*")
UNSEEN = re.compile(r"[HN]|\.(?:sk|in|ti|fi|nf)[+0-9-]*|[CMZ][0-9A-Za-z]*")
HEX = re.compile(r"X((?:[0-9A-Fa-f]{2})+)")
LONGEST_ESCAPE = 64  # characters


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
        if not NAME.fullmatch(name) or found[0][3:4] not in ("", separators.field):
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
