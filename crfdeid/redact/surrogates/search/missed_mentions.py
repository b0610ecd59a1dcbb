"""Where strings found somewhere in a patient's notes occur again.

What the tagger found once and missed elsewhere is found by its text (:mod:`strings`, :mod:`finder`), unless
it may be another word there (:mod:`brake`); what is left so is told by offset.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import regex

from crfdeid.redact.surrogates import kinds, name_pools
from crfdeid.redact.surrogates.search.ambiguous_words import (
    LEAST_OF_NUMBER,
    beside,
    distinct,
    is_phi_here,
    ordinary,
)
from crfdeid.redact.surrogates.search.finder import LEAST_WITHIN, NUMBERS, Finder, Mention
from crfdeid.text.document import Document, Span

LEFT, RIGHT = regex.compile(r"\S*$"), regex.compile(r"\S*")  # they match everywhere
ADDRESS = regex.compile(
    r"[@\\~_\d]|://|www\.|\.(?:pdf|docx?|txt|jpe?g|com|org|net|edu|gov)\b", regex.IGNORECASE
)


def missed(document: Document, finder: Finder, taken: Iterable[Span]) -> list[Span]:
    """The repeats outside the spans ``taken`` that are to be replaced."""
    taken = sorted(taken)
    inside = covered(document.text, taken)
    ends_of_names = {span.end for span in taken if kinds.of(span.type) == kinds.NAME}
    starts_of_names = {span.start for span in taken if kinds.of(span.type) == kinds.NAME}
    there = finder.sights(document.text, inside)
    parts = in_addresses(document.text, finder)
    names = [sight.span for sight in there if kinds.of(sight.span.type) == kinds.NAME]
    starts_of_names |= {span.start for span in names}  # two words that may be names, side by side, are
    ends_of_names |= {span.end for span in names}
    found = [
        sight.span
        for sight in there
        if is_phi_here(
            document.text, sight, beside(document.text, sight.span, starts_of_names, ends_of_names)
        )
    ]
    for part in parts:
        if not any(inside[part.start : part.end]) and not any(part.overlaps(span) for span in found):
            found.append(part)
    return found


def seen(text: str, finder: Finder) -> Iterator[Mention]:
    """Where the strings that were found themselves stand, also as parts of longer words; those in an
    ordinary word or in another name (the Ander of Anderson) are none."""
    yield from (sight for sight in finder.sights(text) if not sight.string.derived)
    for sight, word in finder.within(text):
        listed = word in name_pools.folds("surnames") or word in name_pools.folds("first_names")
        if sight.string.size > LEAST_WITHIN and distinct(sight.string) and not listed and not ordinary(word):
            yield sight


def in_addresses(text: str, finder: Finder) -> Iterator[Span]:
    """Names that are parts of what looks like an address, or like the name of a user or file."""
    for sight, _ in finder.within(text):
        span = sight.span
        if not distinct(sight.string):
            continue
        around = LEFT.search(text, max(0, span.start - 80), span.start)[0] + RIGHT.match(text, span.end)[0]
        if ADDRESS.search(around):
            yield span


def tells(name: str, finder: Finder) -> bool:
    """Whether the name of a note or patient holds a name or number of the patient."""
    return any(
        kinds.of(sight.string.type) == kinds.NAME or sight.string.size >= LEAST_OF_NUMBER
        for sight in seen(name, finder)
        if kinds.of(sight.string.type) in (kinds.NAME, *NUMBERS)
    )


def covered(text: str, spans: Iterable[Span]) -> bytearray:
    """A mark for each character of the text that a span covers."""
    inside = bytearray(len(text))
    for span in spans:
        inside[span.start : span.end] = b"\1" * (span.end - span.start)
    return inside
