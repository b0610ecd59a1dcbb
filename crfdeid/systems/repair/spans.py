"""What the forms of repair share: the form itself, kinds of types, and edits of one span."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from crfdeid.systems.repair.joined_texts import JoinedTexts
from crfdeid.text.document import Span

NAMES = frozenset({"PATIENT", "DOCTOR"})
NUMBERS = frozenset({"MEDICALRECORD", "IDNUM", "ACCOUNT", "SSN", "DEVICE", "LICENSE", "HEALTHPLAN"})
PHONE_TYPES = frozenset({"PHONE", "FAX"})
REACH = 40  # characters beside a span in which a form looks
TAIL = 100  # characters at the end of a span's text in which a form looks for words that are not part of it

Spans = Iterable[Span]


@dataclass(frozen=True)
class Repair:
    """One repair, with a text before and after it. In a sample ``<TYPE|text>`` is a span. Without a
    span of ``types`` it changes nothing, where it has types. What ``search`` finds in each text is the third
    argument of ``repair``."""

    repair: Callable[..., Spans]
    before: str
    after: str
    types: frozenset[str] = frozenset()
    search: Callable[[JoinedTexts], Sequence[Sequence[Span]]] | None = None

    def apply(self, text: str, spans: Sequence[Span], found: Sequence[Span] | None = None) -> Spans:
        """Return the repaired spans. ``found`` is what ``search`` has found in the text; without it the form
        searches."""
        if self.search is None:
            return self.repair(text, spans)
        return self.repair(text, spans, self.search(JoinedTexts([text]))[0] if found is None else found)


def search_tail(pattern: re.Pattern[str], value: str) -> re.Match[str] | None:
    """Search for a pattern of the end of a span's text. In a longer one than :data:`TAIL` each of many blanks
    could begin it."""
    return pattern.search(value, max(0, len(value) - TAIL))


def cut(span: Span, text: str, before: re.Match[str] | None, after: re.Match[str] | None) -> Iterator[Span]:
    """Yield the span without the matches at its edges, if something is left."""
    if before is None and after is None:
        yield span
        return
    start = span.start + (before.end() if before else 0)
    end = span.start + after.start() if after else span.end
    yield from shorten(span, text, start, max(start, end))


def shorten(span: Span, text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the span between new edges, if a letter or a digit is there."""
    if any(map(str.isalnum, text[start:end])):
        yield replace(span, start=start, end=end)


def join(first: Span, second: Span, type: str | None = None) -> Span:
    """Return one span of two, with the lower of their probabilities."""
    both = [span.probability for span in (first, second) if span.probability is not None]
    return replace(first, end=second.end, type=type or first.type, probability=min(both, default=None))


def join_neighbours(spans: Sequence[Span], find_type: Callable[[Span, Span], str | None]) -> list[Span]:
    """Join each span with the one before it where ``find_type`` gives the type of the two."""
    joined: list[Span] = []
    for span in spans:
        type = find_type(joined[-1], span) if joined else None
        if type:
            joined[-1] = join(joined[-1], span, type)
        else:
            joined.append(span)
    return joined


def widen(
    text: str,
    spans: Sequence[Span],
    types: Collection[str],
    before: re.Pattern[str] | None = None,
    after: re.Pattern[str] | None = None,
) -> Iterator[Span]:
    """Yield the spans; those of ``types`` also cover the match of ``before``, which ends where the span
    starts, and of ``after``, which starts where it ends. No span reaches another one."""
    low = 0
    for index, span in enumerate(spans):
        high = spans[index + 1].start if index + 1 < len(spans) else len(text)
        if span.type in types:
            left = before and before.search(text, max(low, span.start - REACH), span.start)
            right = after and after.match(text, span.end)
            if left:
                span = replace(span, start=left.start())
            if right and right.end() <= high:
                span = replace(span, end=right.end())
        yield span
        low = span.end
