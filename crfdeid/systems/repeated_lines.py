r"""Lines that repeat in the notes of a site: a header that was read once is known in all notes.

    PT: RUIZ, ANA  [44-21337-7]   →   =PT : A , A [ 9 - 9 - 9 ]     the key; A, A is PATIENT

A word stays itself in a key where it is in the notes of enough patients; other words are A (capitals), Aa or
a, and runs of them are one, so that long names have the key of short ones. Digits are 9. A key is kept where
the model marks it in the same way in the notes of half of its patients. Then these marks hold in each line of
the key, except where they would leave something open that the model has marked. Where the corrected notes of
two patients have the key, their marks take the place of the model's.

Words and keys of fewer than k patients are not kept, and no number.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crfdeid.errors import ModelError
from crfdeid.text.document import Document, Span
from crfdeid.text.tokenizer import fold_document

LEAST = 5  # patients
COMMON = 0.25  # of the patients have a word of a key
MAJORITY = 0.5  # of the patients with a key
CORRECTED = 2  # patients whose corrected notes have a key
PIECE = re.compile(r"\d+|[^\W\d_]+|[^\w\s]|_")
WORD = re.compile(r"[^\W\d_]+")
CLASSES = ("A", "Aa", "a")

Slots = list[tuple[int, int]]  # the start and the end of each part of a key, in the line
Marks = tuple[tuple[int, int, str], ...]  # of each span its first and last part, and its type
Votes = Mapping[Marks | None, set[tuple[bool, str]]]  # the patients of each


@dataclass(frozen=True)
class RepeatedLines:
    """``words`` are those that stay in a key; ``marks`` are the spans of each key."""

    words: frozenset[str] = field(default=frozenset(), repr=False)
    marks: Mapping[str, Marks] = field(default_factory=dict, repr=False)

    def apply(self, document: Document) -> Document:
        """Return the folded document with the marks of its lines."""
        spans = list(document.spans)
        for start, line in split_lines(document.text):
            key, slots = describe_line(line, self.words)
            if marks := self.marks.get(key):
                spans = replace_spans(spans, start, start + len(line), place_marks(marks, slots, start))
        return document.with_spans(sorted(spans))

    def render(self) -> str:
        table = {"words": sorted(self.words), "lines": {key: self.marks[key] for key in sorted(self.marks)}}
        return json.dumps(table, ensure_ascii=False, indent=1) + "\n"


def read_lines(path: Path) -> RepeatedLines:
    """Read what :meth:`RepeatedLines.render` wrote. Raises :class:`ModelError` for anything else."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        marks = {
            str(key): tuple((int(first), int(last), str(type)) for first, last, type in own)
            for key, own in table["lines"].items()
        }
        if not all(is_placed(key, own) for key, own in marks.items()):
            raise ValueError
        return RepeatedLines(frozenset(map(str, table["words"])), marks)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ModelError(f"{path}: not the repeated lines of a site; damaged?") from None


def is_placed(key: str, marks: Marks) -> bool:
    """Whether marks are of parts that a key has."""
    return all(0 <= first <= last < len(key.split()) for first, last, _ in marks)


def learn_lines(
    notes: Sequence[Document], least: int = LEAST, corrected: Sequence[Document] = ()
) -> RepeatedLines:
    """Learn from notes as a model tagged them, and from corrected ones, the lines of at least ``least``
    patients."""
    folded, right = ([fold_document(note) for note in each] for each in (notes, corrected))
    words = find_common_words([*folded, *right], least)
    read, marked = read_votes(folded, words), read_votes(right, words)
    chosen = {key: choose_marks(read[key], least, marked[key]) for key in {**read, **marked}}
    return RepeatedLines(words, {key: marks for key, marks in chosen.items() if marks})


def read_votes(notes: Sequence[Document], words: frozenset[str]) -> defaultdict[str, Votes]:
    """Return for each key the marks that it has in the folded notes, with the patients of each."""
    seen: defaultdict[str, Votes] = defaultdict(lambda: defaultdict(set))
    for note in notes:
        for start, line in split_lines(note.text):
            key, slots = describe_line(line, words)
            seen[key][read_marks(note.spans, start, start + len(line), slots)].add(note.owner)
    return seen


def find_common_words(notes: Sequence[Document], least: int) -> frozenset[str]:
    """Return the words, as they are written, of at least ``least`` patients, and of :data:`COMMON`."""
    pairs = {(word, note.owner) for note in notes for word in set(WORD.findall(note.text))}
    counts = Counter(word for word, _ in pairs)
    wanted = max(least, COMMON * len({note.owner for note in notes}))
    return frozenset(word for word, count in counts.items() if count >= wanted)


def choose_marks(read: Votes, least: int, corrected: Votes) -> Marks | None:
    """Return the marks of a key: of most patients in the corrected notes where enough have it, else of most
    patients in the notes as the model read them. None where ``least`` patients do not have the key or these
    marks."""
    right = set().union(*corrected.values())
    if len(right) < CORRECTED:
        return find_majority(read, least)
    return find_majority(corrected, CORRECTED) if len(right.union(*read.values())) >= least else None


def find_majority(votes: Votes, least: int) -> Marks | None:
    """Return the marks that most patients of a key have, where these are enough."""
    patients = set().union(*votes.values())
    able = [(len(own), marks) for marks, own in votes.items() if marks is not None]
    count, marks = max(able, default=(0, ()))
    return marks if count >= max(least, MAJORITY * len(patients)) else None


def split_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the start of each line, and the line."""
    at = 0
    for line in text.splitlines(keepends=True):
        yield at, line
        at += len(line)


def describe_line(line: str, words: frozenset[str]) -> tuple[str, Slots]:
    """Return the key of a line, and where its parts are.

    >>> describe_line("PT: DE RUIZ, Ana 44", frozenset(["PT"]))
    ('=PT : A , Aa 9', [(0, 2), (2, 3), (4, 11), (11, 12), (13, 16), (17, 19)])
    """
    parts: list[str] = []
    slots: Slots = []
    for match in PIECE.finditer(line):
        part = describe_piece(match[0], words)
        if parts and part in CLASSES and parts[-1] == part:
            slots[-1] = slots[-1][0], match.end()
            continue
        parts.append(part)
        slots.append(match.span())
    return " ".join(parts), slots


def describe_piece(piece: str, words: frozenset[str]) -> str:
    if piece[0].isdecimal():
        return "9"
    if not piece[0].isalpha():
        return piece
    if piece in words:
        return f"={piece}"
    return "A" if piece.isupper() else "a" if piece.islower() else "Aa"


def read_marks(spans: Sequence[Span], start: int, end: int, slots: Slots) -> Marks | None:
    """Return the spans of a line by the parts of its key; None where one begins or ends in a part."""
    firsts = {start + first: number for number, (first, _) in enumerate(slots)}
    lasts = {start + last: number for number, (_, last) in enumerate(slots)}
    own = [span for span in spans if span.start < end and start < span.end]
    if not all(span.start in firsts and span.end in lasts for span in own):
        return None
    return tuple((firsts[span.start], lasts[span.end], span.type) for span in own)


def place_marks(marks: Marks, slots: Slots, start: int) -> list[Span]:
    return [Span(start + slots[first][0], start + slots[last][1], type) for first, last, type in marks]


def replace_spans(spans: list[Span], start: int, end: int, new: Sequence[Span]) -> list[Span]:
    """Return the spans with the ``new`` ones of a line, or as they are where these leave one open. A span
    that stays keeps its probability."""
    own = [span for span in spans if span.start < end and start < span.end]
    if not all(any(each.start <= span.start and span.end <= each.end for each in new) for span in own):
        return spans
    kept = {(span.start, span.end, span.type): span for span in own}
    placed = [kept.get((span.start, span.end, span.type), span) for span in new]
    return [span for span in spans if span not in own] + placed
