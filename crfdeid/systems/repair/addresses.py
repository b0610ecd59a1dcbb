"""Addresses of the internet: the whole address is one span, if a tagger found a part of it or nothing."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import attrgetter

from crfdeid.systems.repair.spans import Spans, join
from crfdeid.text.document import Span

LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
EMAIL = re.compile(
    rf"(?<![\w.%+-])[\w%+-](?:[\w.%+-]{{0,62}}[\w%+-])?@(?:{LABEL}\.)+[A-Za-z]{{2,18}}(?![\w-]|\.\w)"
)
URL = re.compile(rf"(?<![\w@.])(?i:https?://|www\.)(?:{LABEL}\.)*{LABEL}(?::\d+)?(?:/[\w./~%#?=&+-]*[\w/])?")
KINDS = (("@", EMAIL, "EMAIL"), ("www.", URL, "URL"), ("://", URL, "URL"))


def read_addresses(text: str) -> list[Span]:
    """Return the addresses in the text."""
    folded = text.lower()
    return [
        Span(*match.span(), type)
        for sign, pattern, type in KINDS
        if sign in folded
        for match in pattern.finditer(text)
    ]


def find_addresses(text: str, spans: Sequence[Span], found: Sequence[Span]) -> Spans:
    """An e-mail address, and an address of the web that begins with "http://" or "www.", is one span.
    ``found`` is what :func:`read_addresses` finds."""
    kept = list(spans)
    for address in found:
        _cover(kept, address)
    return kept


def _cover(spans: list[Span], address: Span) -> None:
    """Put the address in place of the spans inside; where a span reaches out of it, all stay."""
    first = bisect_right(spans, address.start, key=attrgetter("end"))
    last = bisect_left(spans, address.end, key=attrgetter("start"))
    inside = spans[first:last]
    if inside and (inside[0].start < address.start or address.end < inside[-1].end):
        return
    whole = reduce(join, inside) if inside else address
    spans[first:last] = [replace(whole, start=address.start, end=address.end, type=address.type)]
