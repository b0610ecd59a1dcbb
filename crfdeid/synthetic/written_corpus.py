"""The written corpus: documents that many hands wrote one by one, with typed slots (docs/written.md).

A file of ``written/`` holds the documents of one hand in English, a file of ``written/spanish/`` of one in
Spanish; the folder of another language is in its :class:`Written`. ``{p: Pip}`` mentions the person ``p`` of
the document's cast, ``{CITY: Yarraford}`` is a span of that type; the words in the braces are what the
document says. A document is drawn as it was written, or with every slot filled anew
(:mod:`crfdeid.synthetic.written_filler`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Protocol

import regex

from crfdeid.errors import ConfigurationError, FormatError, did_you_mean
from crfdeid.files import read_text
from crfdeid.lexicon import ENGLISH, find_language
from crfdeid.synthetic import noise
from crfdeid.synthetic.pieces import Piece, build_document, tidy
from crfdeid.text.document import Document
from crfdeid.text.scheme import read_scheme

FOLDER = Path(__file__).parent / "written"
FIELDS = ("family", "kind", "country")
PARTS = ("train", "dev", "test")
PART = regex.compile(r"^# part: (\w+)$", regex.MULTILINE)
LANGUAGE = regex.compile(r"^# language: (\w+)$", regex.MULTILINE)
PEOPLE = ("PATIENT", "DOCTOR")
SLOT = regex.compile(r"\{([A-Z][A-Z-]*|[a-z][a-z0-9_]*): ?([^{}]*)\}")
MEMBER = regex.compile(r"(PATIENT|DOCTOR) ([fmx]) ([^/]*)/([^/]*)")


@dataclass(frozen=True)
class Member:
    """A person of a document's cast; ``sex`` is ``f``, ``m`` or ``x``; one of the two names may be empty."""

    type: str
    sex: str
    first: str
    last: str


@dataclass(frozen=True)
class Mention:
    """A slot: its ``text``, its ``type`` and, for a person, the ``key`` in the cast."""

    text: str
    type: str
    key: str = ""


@dataclass(frozen=True)
class WrittenDocument:
    """A document with its slots. ``parts`` are texts outside spans (``str``) and mentions, in order."""

    id: str
    hand: str
    family: str
    kind: str
    country: str
    cast: Mapping[str, Member]
    parts: tuple[str | Mention, ...]
    language: str = ENGLISH

    @property
    def mentions(self) -> tuple[Mention, ...]:
        return tuple(part for part in self.parts if isinstance(part, Mention))


class SlotFiller(Protocol):
    """Says what the mentions of one document become."""

    def fill(self, mention: Mention) -> str: ...


@dataclass(frozen=True)
class Checks:
    """The checks of a language: what is wrong in a span, and what is wrong outside of one
    (:mod:`crfdeid.synthetic.written_checks`)."""

    name_edges: tuple[regex.Pattern[str], ...]  # of a name with a title, a credential or 's
    durations: regex.Pattern[str]
    ages: regex.Pattern[str]
    jobs: regex.Pattern[str]
    calendar: regex.Pattern[str]
    titled: regex.Pattern[str]  # a title and the name behind it
    read_first_names: Callable[[], Iterable[str]]
    no_names: frozenset[str]  # first names that are more often other words


@dataclass(frozen=True)
class Written:
    """The written documents of a language: the ``folder`` of its hands and their ``families``, what fills a
    document anew, and what checks it. ``unaccented`` is the share of filled documents without accents."""

    folder: Path
    families: tuple[str, ...]
    fill: Callable[[WrittenDocument, Random, str], SlotFiller]
    checks: Checks
    unaccented: float = 0.0


def find_written(language: str) -> Written:
    """Return what there is of the written documents of a language. Raises :class:`ConfigurationError` where
    there is no such language, or it has none."""
    found: Written | None = find_language(language).load("written")
    if found is None:
        raise ConfigurationError(f"{language}: no written documents in it")
    return found


@cache
def read_corpus(part: str = "all", language: str = ENGLISH) -> tuple[WrittenDocument, ...]:
    """Read the documents of the hands in ``part``: train, dev, test or all. No hand is in two parts."""
    hands = (path for path in list_hands(language) if part in ("all", read_part(path)))
    return tuple(document for path in hands for document in read_hand(path))


def list_hands(language: str = ENGLISH) -> list[Path]:
    """Return the files of a language, one for each hand, as :func:`find_written` finds them."""
    return sorted(find_written(language).folder.glob("*.txt"))


def read_part(path: Path) -> str:
    """Read the part that a hand's file names in a line ``# part: test``; without one, it is train. Raises
    :class:`FormatError` for an unknown part."""
    part = _read_setting(path, PART, "train")
    if part not in PARTS:
        raise FormatError(f"{path.name}: an unknown part; wanted {', '.join(PARTS)}")
    return part


def read_language(path: Path) -> str:
    """Read the language that a hand's file names in a line ``# language: spanish``; without one, it is
    English. Raises :class:`FormatError` for one without written documents."""
    language = _read_setting(path, LANGUAGE, ENGLISH)
    try:
        find_written(language)
    except ConfigurationError as error:
        raise FormatError(f"{path.name}: {error}") from None
    return language


def _read_setting(path: Path, pattern: regex.Pattern[str], default: str) -> str:
    """Read a setting among the lines before the first document."""
    found = pattern.search(read_text(path).partition("\n@document")[0])
    return found[1] if found else default


@cache
def read_hand(path: Path) -> tuple[WrittenDocument, ...]:
    """Read the documents of one hand. Raises :class:`FormatError` with file and line for wrong notation."""
    language = read_language(path)
    return tuple(_parse_document(path, number, block, language) for number, block in _split_documents(path))


def _split_documents(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the first line and the lines of each document."""
    lines = read_text(path).split("\n")
    starts = [index for index, line in enumerate(lines) if line.startswith("@document")]
    for start, end in zip(starts, [*starts[1:], len(lines)]):
        yield start + 1, lines[start:end]


def _parse_document(path: Path, number: int, lines: list[str], language: str) -> WrittenDocument:
    where = f"{path.name}:{number}"
    id = lines[0].removeprefix("@document").strip()
    if not regex.fullmatch(r"[\w-]+", id):
        raise FormatError(f"{where}: wanted @document and an id of letters, digits, _ and -")
    if "" not in lines:
        raise FormatError(f"{where}: wanted a blank line after the head")
    end = lines.index("")
    head = dict(_parse_head(where, line) for line in lines[1:end])
    missing, families = [name for name in FIELDS if name not in head], find_written(language).families
    if missing or head["family"] not in families:
        wanted = f"a field {missing[0]}" if missing else f"a family among {', '.join(families)}"
        raise FormatError(f"{where}: wanted {wanted}")
    cast = {key: _parse_member(where, key, value) for key, value in head.items() if key not in FIELDS}
    text = "\n".join(lines[end:]).strip("\n")
    parts = tuple(_parse_text(f"{path.name}:{number + end}", text, cast))
    family, kind, country = (head[name] for name in FIELDS)
    return WrittenDocument(id, path.stem, family, kind, country, MappingProxyType(cast), parts, language)


def _parse_head(where: str, line: str) -> tuple[str, str]:
    key, colon, value = line.partition(":")
    if not colon or not value.strip():
        raise FormatError(f"{where}: a line of the head is not of the form key: value")
    return key.strip(), value.strip()


def _parse_member(where: str, key: str, value: str) -> Member:
    match = MEMBER.fullmatch(value)
    if not match or not (match[3].strip() or match[4].strip()) or not regex.fullmatch("[a-z][a-z0-9_]*", key):
        raise FormatError(f"{where}: cast {key}: wanted PATIENT or DOCTOR, f, m or x, first / last")
    return Member(match[1], match[2], match[3].strip(), match[4].strip())


def _parse_text(where: str, text: str, cast: Mapping[str, Member]) -> Iterator[str | Mention]:
    end, types = 0, read_scheme().types
    for match in SLOT.finditer(text):
        key, words = match.groups()
        line = f"{where} + {text.count(chr(10), 0, match.start())} lines"
        if key not in cast and key not in types:
            raise FormatError(
                f"{line}: a slot that is neither of the cast nor a type{did_you_mean(key, (*cast, *types))}"
            )
        if not words or words != words.strip() or "\n" in words:
            raise FormatError(f"{line}: a slot is empty, has blanks at its ends or crosses a line end")
        if match.start() > end:
            yield text[end : match.start()]
        yield Mention(words, cast[key].type, key) if key in cast else Mention(words, key)
        end = match.end()
    if end < len(text):
        yield text[end:]


def generate_written(
    part: str = "all", seed: int = 1, fills: int = 0, language: str = ENGLISH
) -> Iterator[Document]:
    """Return the documents of ``part``, each as :func:`draw_fills` yields it."""
    documents = read_corpus(part, language)
    return (note for document in documents for note in draw_fills(document, seed, fills))


def draw_fills(document: WrittenDocument, seed: int, fills: int) -> Iterator[Document]:
    """Yield the document as it was written, and ``fills`` more times with other people, places, dates and
    numbers, some of them with noise (:mod:`crfdeid.synthetic.noise`). All are notes of one patient."""
    yield build_document(copy_document(document), document.id, document.id)
    unaccented = find_written(document.language).unaccented
    for number in range(1, fills + 1):
        rng = Random(f"{seed}-{document.id}-{number}")
        filled = noise.add_noise(list(tidy(fill_document(document, rng))), rng)
        if unaccented and rng.random() < unaccented:
            filled = noise.drop_all_accents(filled)
        yield build_document(filled, f"{document.id}.{number}", document.id)


def fill_document(document: WrittenDocument, rng: Random, part: str = "all") -> list[Piece]:
    """Return the pieces of the document with every mention filled anew; ``part`` restricts the names."""
    filler = find_written(document.language).fill(document, rng, part)
    return [Piece(p) if isinstance(p, str) else Piece(filler.fill(p), p.type) for p in document.parts]


def copy_document(document: WrittenDocument) -> list[Piece]:
    """Return the pieces of the document as it was written."""
    return [Piece(p) if isinstance(p, str) else Piece(p.text, p.type) for p in document.parts]
