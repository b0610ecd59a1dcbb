"""Addresses: those of the internet are one span each; after a street come its town, state and ZIP code."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import attrgetter

from crfdeid.systems.repair.anchors import SCHEME, WWW
from crfdeid.systems.repair.joined_texts import JoinedTexts
from crfdeid.systems.repair.spans import Spans, join
from crfdeid.text.document import Span
from crfdeid.text.spans import SpanIndex

LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
EMAIL = re.compile(
    rf"(?<![\w.%+-])[\w%+-](?:[\w.%+-]{{0,62}}[\w%+-])?@(?:{LABEL}\.)+[A-Za-z]{{2,18}}(?![\w-]|\.\w)"
)
URL = re.compile(rf"(?<![\w@.])(?i:https?://|www\.)(?:{LABEL}\.)*{LABEL}(?::\d+)?(?:/[\w./~%#?=&+-]*[\w/])?")
STATE = (
    r"(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]|UT|"
    r"V[AIT]|W[AIVY])"
)
CELL = r"(?:\"?[ \t]*[,;|\t][ \t]*\"?|\^{1,2})"  # what separates two cells, or two components of HL7
TOWN = re.compile(
    rf"{CELL}(?P<CITY>[A-Z][A-Za-z.'’-]+(?: [A-Z][A-Za-z.'’-]+){{0,2}}){CELL}(?P<STATE>{STATE}){CELL}"
    r"(?P<ZIP>\d{5}(?:-\d{4})?)(?![\w-])"
)


def read_addresses(joined: JoinedTexts) -> list[list[Span]]:
    """Return the addresses in each text."""
    of_web = {number for number, _ in joined.find(WWW, SCHEME)}
    return [_read_addresses(text, number in of_web) for number, text in enumerate(joined.texts)]


def _read_addresses(text: str, may_have_web: bool) -> list[Span]:
    addresses = [Span(*match.span(), "EMAIL") for match in EMAIL.finditer(text)] if "@" in text else []
    if may_have_web:
        addresses += (Span(*match.span(), "URL") for match in URL.finditer(text))
    return addresses


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


def find_towns(text: str, spans: Sequence[Span]) -> Spans:
    """The cells after a street, or the components of HL7, are its town, state and ZIP code."""
    ends = (span.end for span in spans if span.type == "STREET")
    towns = [match for end in ends if (match := TOWN.match(text, end))]
    if not towns:
        return spans
    index = SpanIndex(spans)
    places = (Span(*match.span(type), type) for match in towns for type in TOWN.groupindex)
    return sorted([*spans, *(place for place in places if not index.find(place))])
