"""The three types that everything else is made of: Span, Token, Document; and the algebra of spans.

Offsets count code points of ``Document.text``; ends are exclusive, as in a slice.

Spans have an algebra: overlap, merge, choose, subtract, trim, mask. A function that takes ``span_of`` works
on anything that has a span, such as a rule's finding; it asks ``span_of`` for the span of each item.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, pairwise
from operator import attrgetter
from typing import Protocol, TypeVar

from crfdeid.errors import DocumentError, show_id

FILE_NAMES = "; PYTHONUTF8=1 reads file names as UTF-8"
ORDINAL_ENDING = re.compile(r"(?:st|nd|rd|th)\b")
PLACE = attrgetter("start", "end", "type")  # in the order of spans, and quicker to compare than they are


@dataclass(frozen=True, order=True, slots=True)
class Span:
    """A stretch of PHI, ``text[start:end]``, and its type. A span holds no text, so its repr cannot leak
    any. ``probability`` is the model's, where the caller asked for it; it does not count when two spans
    are compared."""

    start: int
    end: int
    type: str
    probability: float | None = field(default=None, compare=False)

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Token:
    """The smallest slice that can have a label; ``text`` begins at ``start``."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True)
class Document:
    """One note with its PHI spans, sorted. Spans may overlap, as some formats allow;
    :func:`crfdeid.text.bio.refuse_overlaps` is for those who cannot use such spans.

    Raises :class:`DocumentError` on a span that is empty, has no type, or leaves the text, and on a lone
    surrogate in text, id, patient or type, which UTF-8 cannot encode.

    >>> note = Document("n1", "Seen by Dr. Ruiz", (Span(12, 16, "DOCTOR"),))
    >>> [note.text_of(span) for span in note.spans]
    ['Ruiz']
    """

    id: str
    text: str = field(repr=False)
    spans: tuple[Span, ...] = ()
    patient: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "spans", tuple(sorted(self.spans, key=PLACE)))
        for span in self.spans:
            if not 0 <= span.start < span.end <= len(self.text):
                raise DocumentError(
                    f"{show_id(self.id)}: a span at {span.start}-{span.end} is empty or leaves "
                    f"the text of {len(self.text)} characters"
                )
            if not span.type:
                raise DocumentError(f"{show_id(self.id)}: a span at {span.start}-{span.end} has no type")
        types = [span.type for span in self.spans]
        if not all(map(str.isascii, (self.text, self.id, self.patient or "", *types))):
            self._refuse_surrogates()

    def _refuse_surrogates(self) -> None:
        names = (("its id", self.id), ("its patient", self.patient or ""))
        types = (("the type of a span", span.type) for span in self.spans)
        for what, value in chain([("its text", self.text)], names, types):
            try:
                value.encode("utf-8")
            except UnicodeEncodeError as error:
                where = f"unpaired UTF-16 surrogate at offset {error.start} of {what}"
                hint = "" if sys.getfilesystemencoding() == "utf-8" else FILE_NAMES
                raise DocumentError(f"{show_id(self.id)}: {where}; not valid text{hint}") from None

    def text_of(self, span: Span) -> str:
        """Return the part of the text that ``span`` covers."""
        return self.text[span.start : span.end]

    @property
    def owner(self) -> tuple[bool, str]:
        """The patient, or the document itself where it has none: documents of one owner stay together."""
        return self.patient is not None, self.patient or self.id

    def with_spans(self, spans: Iterable[Span]) -> Document:
        return Document(self.id, self.text, tuple(spans), self.patient)


def fingerprint_documents(documents: Iterable[Document]) -> str:
    """Twelve hexadecimal digits of the SHA-256 of ids, texts and spans, in any order of the documents."""
    digest = hashlib.sha256()
    for document in sorted(documents, key=lambda document: document.id):
        spans = [(span.start, span.end, span.type) for span in document.spans]
        digest.update(json.dumps([document.id, document.text, spans]).encode())
    return digest.hexdigest()[:12]


class Extent(Protocol):
    """Anything from ``start`` to ``end``: a span, a review mark, a place in a template."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


Item = TypeVar("Item")
Range = tuple[int, int]


def overlaps(a: Extent, b: Extent) -> bool:
    """Whether two extents share a character.

    >>> overlaps(Span(0, 4, "CITY"), Span(3, 6, "STATE")), overlaps(Span(0, 4, "CITY"), Span(4, 6, "STATE"))
    (True, False)
    """
    return a.start < b.end and b.start < a.end


def find_overlap(spans: Iterable[Span]) -> tuple[Span, Span] | None:
    """Return the first two spans that share a character, or ``None``.

    >>> [span.type for span in find_overlap([Span(0, 4, "CITY"), Span(3, 6, "STATE")])]
    ['CITY', 'STATE']
    """
    return next(((one, other) for one, other in pairwise(sorted(spans)) if other.start < one.end), None)


class SpanIndex:
    """Finds those of many spans that share a character with another extent.

    >>> index = SpanIndex([Span(0, 9, "STREET"), Span(2, 4, "ZIP"), Span(8, 12, "CITY")])
    >>> [span.type for span in index.find(Span(6, 9, "DATE"))]
    ['STREET', 'CITY']
    """

    def __init__(self, spans: Iterable[Span]) -> None:
        self.spans = sorted(spans)
        self.ends = list(accumulate((span.end for span in self.spans), max))  # the last end so far

    def find(self, extent: Extent) -> list[Span]:
        """Return the spans that overlap ``extent``, in order."""
        first = bisect_right(self.ends, extent.start)
        stop = bisect_left(self.spans, extent.end, key=attrgetter("start"))
        return [span for span in self.spans[first:stop] if overlaps(span, extent)]


def drop_doubled(spans: Iterable[Span]) -> list[Span]:
    """Return each place with its type once, the first time that it occurs.

    >>> [span.type for span in drop_doubled([Span(0, 4, "CITY"), Span(0, 4, "CITY"), Span(0, 4, "ZIP")])]
    ['CITY', 'ZIP']
    """
    return list(dict.fromkeys(spans))


def describe_doubled(documents: Iterable[Document]) -> Iterator[str]:
    """Yield a line with the number of doubled spans, if there are any.

    >>> twice = (Span(0, 6, "CITY"), Span(0, 6, "CITY"))
    >>> list(describe_doubled([Document("n1", "Boston", twice)]))
    ['spans that occur twice in one place, and count once: 1']
    """
    if doubled := sum(len(document.spans) - len(drop_doubled(document.spans)) for document in documents):
        yield f"spans that occur twice in one place, and count once: {doubled}"


def group_overlapping(items: Iterable[Item], span_of: Callable[[Item], Extent]) -> list[list[Item]]:
    """Split items, sorted by the starts of their spans, into runs of spans that overlap one another.

    >>> group_overlapping([Span(0, 3, "A"), Span(2, 5, "B"), Span(5, 6, "C")], lambda span: span)[0][1].type
    'B'
    """
    groups: list[list[Item]] = []
    end = 0
    for item in items:
        span = span_of(item)
        if span.start < end:
            groups[-1].append(item)
        else:
            groups.append([item])
        end = max(end, span.end)
    return groups


def merge_overlapping(spans: Iterable[Span]) -> dict[Span, list[Span]]:
    """Merge each run of overlapping spans into one span of the longest one's type. Return the merged
    spans in order, each with the spans that it is made of.

    >>> merged = merge_overlapping([Span(0, 9, "STREET"), Span(5, 12, "CITY"), Span(12, 14, "STATE")])
    >>> [(span.start, span.end, span.type, len(parts)) for span, parts in merged.items()]
    [(0, 12, 'STREET', 2), (12, 14, 'STATE', 1)]
    """
    merged = {}
    for group in group_overlapping(sorted(spans), lambda span: span):
        longest = max(group, key=lambda span: span.end - span.start)
        merged[Span(group[0].start, max(span.end for span in group), longest.type)] = group
    return merged


def keep_longest(spans: Iterable[Span]) -> list[Span]:
    """Drop the shorter (on a tie the later) of each two spans that overlap.

    >>> [span.type for span in keep_longest([Span(0, 9, "STREET"), Span(5, 9, "CITY")])]
    ['STREET']
    """
    kept: list[Span] = []  # in order; only the neighbours of a new one can overlap it
    for span in sorted(spans, key=lambda span: (span.start - span.end, span.start)):
        at = bisect_left(kept, span.start, key=attrgetter("start"))
        if not any(span.overlaps(other) for other in kept[max(0, at - 1) : at + 1]):
            kept.insert(at, span)
    return kept


def keep_leftmost(items: Iterable[Item], span_of: Callable[[Item], Extent]) -> list[Item]:
    """Of items sorted by the starts of their spans, keep each that begins after the last one kept.

    >>> [span.type for span in keep_leftmost([Span(0, 4, "CITY"), Span(3, 9, "STREET")], lambda span: span)]
    ['CITY']
    """
    kept: list[Item] = []
    end = 0
    for item in items:
        span = span_of(item)
        if end <= span.start:
            kept.append(item)
            end = span.end
    return kept


def subtract(extent: Extent, others: Iterable[Extent]) -> Iterator[Range]:
    """Yield the ranges of ``extent`` that none of ``others`` covers.

    >>> list(subtract(Span(0, 20, "STREET"), [Span(8, 12, "CITY"), Span(18, 30, "ZIP")]))
    [(0, 8), (12, 18)]
    """
    start = extent.start
    for other in sorted(others, key=lambda other: other.start):
        if start < min(other.start, extent.end):
            yield start, min(other.start, extent.end)
        start = max(start, other.end)
    if start < extent.end:
        yield start, extent.end


def trim_range(
    text: str, start: int, end: int, is_padding: Callable[[str], bool] = str.isspace
) -> Range | None:
    """Return the range without the padding characters at its ends, or ``None`` where nothing is left.

    >>> trim_range(" Ana, ", 0, 6), trim_range(" Ana, ", 0, 6, lambda character: not character.isalnum())
    ((1, 5), (1, 4))
    """
    while start < end and is_padding(text[start]):
        start += 1
    while start < end and is_padding(text[end - 1]):
        end -= 1
    return (start, end) if start < end else None


def trim_spans(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans without white space at their ends; drop those of white space only."""
    for span in spans:
        if edges := trim_range(text, span.start, span.end):
            whole = edges == (span.start, span.end)
            yield span if whole else replace(span, start=edges[0], end=edges[1])


def widen_cut_spans(document: Document) -> Document:
    """Widen spans that cut a word or a number to the whole of it, and ages by the ending of an ordinal, but
    not into another span.

    >>> widen_cut_spans(Document("1", "Smithson", (Span(0, 5, "PATIENT"),))).spans
    (Span(start=0, end=8, type='PATIENT', probability=None),)
    """
    text, spans, end = document.text, [], 0
    for number, span in enumerate(document.spans):
        following = document.spans[number + 1].start if number + 1 < len(document.spans) else len(text)
        start, stop = span.start, span.end
        while start > end and is_inside_word(text, start):
            start -= 1
        while stop < following and is_inside_word(text, stop):
            stop += 1
        ending = ORDINAL_ENDING.match(text, stop, following) if span.type == "AGE" else None
        stop = ending.end() if ending else stop
        spans.append(replace(span, start=start, end=stop))
        end = max(end, stop)
    return document if tuple(spans) == document.spans else document.with_spans(spans)


def is_inside_word(text: str, index: int) -> bool:
    """Whether the characters before and after ``index`` are in one word or number: JaffreyMarital has two."""
    a, b = text[index - 1], text[index]
    return (a.isalpha() and b.islower()) or (a.isupper() and b.isupper()) or (a.isdigit() and b.isdigit())


def mask_spans(length: int, spans: Iterable[Extent]) -> bytearray:
    """Return one byte for each of ``length`` characters: 1 where a span covers it, else 0.

    >>> list(mask_spans(5, [Span(1, 3, "AGE")]))
    [0, 1, 1, 0, 0]
    """
    mask = bytearray(length)
    for span in spans:
        mask[span.start : span.end] = b"\1" * (span.end - span.start)
    return mask


def find_unmasked(mask: bytearray, start: int, end: int) -> Iterator[Range]:
    """Yield the ranges from ``start`` to ``end`` where the mask of :func:`mask_spans` has zeros.

    >>> list(find_unmasked(bytearray([0, 1, 1, 0, 0]), 0, 4))
    [(0, 1), (3, 4)]
    """
    while start < end:
        if mask[start]:
            start += 1
            continue
        stop = mask.find(1, start, end)
        stop = end if stop == -1 else stop
        yield start, stop
        start = stop
