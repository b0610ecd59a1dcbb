"""Addresses of the internet: the whole address is one span, if a tagger found a part of it or nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from crfdeid.systems.repair.spans import Spans, join
from crfdeid.text.document import Span

LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
EMAIL = re.compile(
    rf"(?<![\w.%+-])[\w%+-](?:[\w.%+-]{{0,62}}[\w%+-])?@(?:{LABEL}\.)+[A-Za-z]{{2,18}}(?![\w-]|\.\w)"
)
URL = re.compile(rf"(?<![\w@.])(?i:https?://|www\.)(?:{LABEL}\.)*{LABEL}(?::\d+)?(?:/[\w./~%#?=&+-]*[\w/])?")
KINDS = (("@", EMAIL, "EMAIL"), ("www.", URL, "URL"), ("://", URL, "URL"))


def find_addresses(text: str, spans: Sequence[Span]) -> Spans:
    """An e-mail address, and an address of the web that begins with "http://" or "www.", is one span."""
    kept = list(spans)
    for sign, pattern, type in KINDS:
        for match in pattern.finditer(text) if sign in text.lower() else ():
            kept = _cover(kept, *match.span(), type)
    return sorted(kept)


def _cover(spans: list[Span], start: int, end: int, type: str) -> list[Span]:
    """Put one span of the type over those inside; where a span reaches out of it, all stay."""
    beside = [span for span in spans if span.end <= start or end <= span.start]
    inside = [span for span in spans if start <= span.start and span.end <= end]
    if len(beside) + len(inside) < len(spans):
        return spans
    whole = reduce(join, inside) if inside else Span(start, end, type)
    return [*beside, replace(whole, start=start, end=end, type=type)]
