"""Overlapping spans as one: what is replaced is their union."""

from __future__ import annotations

from collections.abc import Iterable

import regex

from crfdeid.redact.surrogates.normalized import plain
from crfdeid.text.document import Span

RUN = regex.compile(r"[^\W_]+")


def united(spans: Iterable[Span]) -> tuple[list[Span], set[Span]]:
    """Overlapping spans as one, of the longest one's type; and which of them were of different types.

    >>> spans, mixed = united([Span(0, 9, "STREET"), Span(5, 12, "CITY"), Span(12, 14, "STATE")])
    >>> [(span.start, span.end, span.type) for span in spans], mixed == {spans[0]}
    ([(0, 12, 'STREET'), (12, 14, 'STATE')], True)
    """
    groups: list[list[Span]] = []
    end = -1
    for span in sorted(spans):
        if span.start < end:
            groups[-1].append(span)
        else:
            groups.append([span])
        end = max(end, span.end)
    unions = [union(group) for group in groups]
    return unions, {made for made, group in zip(unions, groups) if len({span.type for span in group}) > 1}


def union(group: list[Span]) -> Span:
    longest = max(group, key=lambda span: span.end - span.start)
    return Span(group[0].start, max(span.end for span in group), longest.type)


def share_a_word(text: str, made: str) -> bool:
    """Whether a word or number of ``text`` is still in ``made``. What one type lets stand (a weekday,
    a title, Hospital) may be a name of the type that overlaps it.

    >>> share_a_word("Park Hospital", "Weber Hospital"), share_a_word("3/7", "4/8")
    (True, False)
    """
    return bool({*RUN.findall(plain(text).text)} & {*RUN.findall(plain(made).text)})
