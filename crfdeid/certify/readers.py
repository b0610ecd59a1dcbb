"""The marks of readers in a sample: which of them are leaks, and whether a reader is a system.

A mark is a planted leak, a real leak, or masked text. A system that plays a reader finds what it found
before, so the planted leaks prove nothing of what it misses. It gives itself away by its mistakes: the
planted leaks that it misses and the marks beside them are another system's to the letter, and no person's.
A mark beside them can be a real leak, which a good reader marks too: both kinds must be the system's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from crfdeid import corpora, files
from crfdeid.certify.reading_copy import ReadingCopy, list_masked
from crfdeid.errors import ConfigurationError, show_id
from crfdeid.synthetic.drawing import read_list
from crfdeid.systems import model
from crfdeid.systems.tagger import Tagger
from crfdeid.text.document import Document, Span, find_unmasked, mask_spans, merge_overlapping

WORDS_BESIDE = 2  # that a mark on a plant may have besides

RULES = "rules"
FEWEST_MISTAKES = 5  # of a system, to tell whether a reader shares them
SHARED = 0.8  # of a system's mistakes, at least, are those of a reader who is that system
SHARED_MISSES = 0.5  # of the planted leaks that it misses, at least; a person finds many of them

Edges = tuple[str, int, int]  # note, start, end
Reading = Mapping[str, Sequence[Span]]  # marks by note


@dataclass(frozen=True)
class Likeness:
    """A reader who makes ``shared`` of the ``mistakes`` of a system."""

    reader: str
    system: str
    shared: int
    mistakes: int

    @property
    def share(self) -> float:
        return self.shared / self.mistakes


def list_systems(named: Iterable[str] = ()) -> list[str]:
    """Return the systems that a reader could be: those named, the rules, the shipped models, or both."""
    shipped = sorted(path.parent.name for path in files.find_folder("models").glob("*/manifest.json"))
    joined = [f"{name}+{RULES}" for name in shipped]
    return list(dict.fromkeys([*named, RULES, *shipped, *joined]))


def find_systems_among(
    copies: Mapping[str, ReadingCopy], readers: Mapping[str, Reading], systems: Iterable[str]
) -> list[Likeness]:
    """Return the readers whose marks a system made, each with the system that is most like it."""
    notes = [copy.document for copy in copies.values()]
    found: dict[str, Likeness] = {}
    for name in systems:
        tagged = {note.id: note.spans for note in model.load(name).tag_all(notes)}
        for reader, marks in readers.items():
            like = compare_mistakes(copies, marks, tagged, reader, name)
            if like and (reader not in found or like.share > found[reader].share):
                found[reader] = like
    return list(found.values())


def compare_mistakes(
    copies: Mapping[str, ReadingCopy], marks: Reading, tagged: Reading, reader: str, system: str
) -> Likeness | None:
    """Compare a reader with a system. None where the reader does not make its mistakes, or they are few."""
    mistakes = list_mistakes(copies, tagged)
    both = mistakes & list_mistakes(copies, marks)
    plants = {(id, plant.start, plant.end) for id, copy in copies.items() for plant in copy.plants}
    is_like = (
        len(mistakes) >= FEWEST_MISTAKES
        and len(both) >= SHARED * len(mistakes)
        and len(both & plants) >= SHARED_MISSES * len(mistakes & plants)
    )
    return Likeness(reader, system, len(both), len(mistakes)) if is_like else None


def list_mistakes(copies: Mapping[str, ReadingCopy], marks: Reading) -> set[Edges]:
    """Return the planted leaks that nobody marked with just their edges, and the marks that touch none."""
    found = set()
    for id, copy in copies.items():
        own = {(span.start, span.end) for span in marks.get(id, ())}
        plants = {(plant.start, plant.end) for plant in copy.plants}
        beside = {edges for edges in own if not any(touches(edges, plant) for plant in plants)}
        found |= {(id, *edges) for edges in beside | (plants - own)}
    return found


def touches(edges: tuple[int, int], others: tuple[int, int]) -> bool:
    return edges[0] < others[1] and others[0] < edges[1]


def list_hard(documents: Sequence[Document]) -> dict[str, frozenset[int]]:
    """Return the numbers of the masked spans of each note that are hard to see: that the rules or a shipped
    model miss in the release, that are ordinary words, or that are written in small letters."""
    found: dict[str, set[int]] = {document.id: set() for document in documents}
    for name in list_systems():
        if "+" not in name:
            for document, tagged in zip(documents, tag_again(model.load(name), documents)):
                found[document.id] |= list_missed(document, tagged)
    return {document.id: frozenset(found[document.id] | list_plain(document)) for document in documents}


def tag_again(tagger: Tagger, documents: Sequence[Document]) -> Iterable[Document]:
    return tagger.tag_all([document.with_spans(()) for document in documents])


def list_missed(document: Document, tagged: Document) -> set[int]:
    """Return the numbers of the masked spans of which ``tagged`` leaves out a letter or digit."""
    mask = mask_spans(len(document.text), tagged.spans)
    return {
        number
        for number, span in enumerate(list_masked(document))
        if any(
            character.isalnum()
            for start, end in find_unmasked(mask, span.start, span.end)
            for character in document.text[start:end]
        )
    }


def list_plain(document: Document) -> set[int]:
    """Return the numbers of the masked spans that are words in small letters, or ordinary words."""
    texts = [document.text_of(span) for span in list_masked(document)]
    words = load_words()
    return {
        number
        for number, text in enumerate(texts)
        if text.islower() or text in words or text.lower() in words
    }


@cache
def load_words() -> frozenset[str]:
    """The ordinary words of English, as their list writes them."""
    return frozenset(read_list("common_words"))


@dataclass(frozen=True)
class NoteCounts:
    """A note that was read, by ``readers``. ``masked`` and ``leaks`` are types of spans; ``plants`` has, for
    each planted leak, the readers who found it, and ``hard`` whether it is a hard one."""

    readers: tuple[str, ...]

    masked: tuple[str, ...]
    leaks: tuple[str, ...]
    plants: tuple[frozenset[str], ...]
    hard: tuple[bool, ...] = ()


def read_marks(reader: str, path: Path, wanted: Mapping[str, ReadingCopy]) -> dict[str, list[Span]]:
    """Read a reader's marks by note. Raises :class:`ConfigurationError` where a note is missing, is not of
    the sample, or has another text than the reader got."""
    found: dict[str, list[Span]] = {}
    for number, document in enumerate(corpora.read(path), 1):
        check_note(document, f"{path}: note {show_id(document.id, f'number {number}')}", wanted)
        found[document.id] = list(document.spans)
    if missing := len(wanted) - len(found):
        raise ConfigurationError(
            f"{path}: {missing} of {len(wanted)} notes of the sample are missing; wanted all of them, "
            "because notes that nobody read may be the worst"
        )
    return found


def check_note(document: Document, where: str, wanted: Mapping[str, ReadingCopy]) -> None:
    if document.id not in wanted:
        raise ConfigurationError(f"{where}: is not in the sample; wanted only notes that were drawn")
    if document.text.rstrip() != wanted[document.id].document.text.rstrip():  # editors add a line end
        raise ConfigurationError(f"{where}: has another text than the note that was drawn")


def find_leaks(copy: ReadingCopy, marks: Iterable[Span]) -> list[Span]:
    """Return the marked leaks, those that overlap merged: marks with a word that is neither masked nor
    kept. A mark on a plant is for the plant, except where it has more than two other words ("Dr." is one)."""
    text = copy.document.text
    masked = mask_spans(len(text), [*copy.masks, *copy.kept])
    covered = mask_spans(len(text), [*copy.masks, *copy.kept, *copy.plants])
    left = [
        mark
        for mark in marks
        if count_words(text, mark, masked)
        and (
            count_words(text, mark, covered) > WORDS_BESIDE
            or not any(mark.overlaps(plant) for plant in copy.plants)
        )
    ]
    return list(merge_overlapping(left))


def count_words(text: str, mark: Span, covered: bytearray) -> int:
    """Count the words of a mark outside what is covered."""
    ranges = find_unmasked(covered, mark.start, mark.end)
    return sum(len(re.findall(r"\w+", text[start:end])) for start, end in ranges)


def count_note(
    copy: ReadingCopy,
    masked: Sequence[Span],
    marks: Mapping[str, Sequence[Span]],
    allowed: Sequence[str] = (),
) -> NoteCounts:
    """Count a note from the marks of its readers. Spans of allowed types count neither as masked nor as
    leaks."""
    leaks = find_leaks(copy, [mark for each in marks.values() for mark in each if mark.type not in allowed])
    plants = tuple(
        frozenset(reader for reader, each in marks.items() if any(mark.overlaps(plant) for mark in each))
        for plant in copy.plants
    )
    return NoteCounts(
        tuple(marks),
        tuple(span.type for span in masked if span.type not in allowed),
        tuple(span.type for span in leaks),
        plants,
        copy.hard,
    )
