"""What readers marked in their notes, and what of it is a planted leak, a real leak, or masked text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crfdeid import corpora
from crfdeid.certify.reading_copy import ReadingCopy
from crfdeid.errors import ConfigurationError, show_id
from crfdeid.text.document import Document, Span
from crfdeid.text.spans import find_unmasked, mask_spans, merge_overlapping

WORDS_BESIDE = 2  # that a mark on a plant may have besides


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
    """Return the marked leaks, those that overlap merged: marks with a word that is not masked. A mark on a
    plant is for the plant, except where it has more than two other words ("Dr." is one)."""
    text = copy.document.text
    masked = mask_spans(len(text), copy.masks)
    covered = mask_spans(len(text), [*copy.masks, *copy.plants])
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
