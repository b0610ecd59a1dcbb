"""The common parts of the forms of repair: the search for the places where they look, the form itself, the
edits of a span, and the forms for the edges of any span (gaps, names of fields, punctuation).

The search goes through several texts at once for anchors: short sequences of characters beside which a cue or
an address can be. One search finds them all, in a fifth of the time of a regular expression for each. An
anchor is a set of characters for each of its places. A group of anchors has a bit of a byte. For each of the
first three places, a table has for each character the bits of the groups that can have it there; the texts
translated by the three tables, shifted and combined by "and", have only the bits of the groups that can begin
at a character. There (at two of a hundred characters) the anchors are looked up in the same way, with all
their places and a bit for each anchor. A character that is not ASCII is a question mark here, which can be
anything; but only digits can be three in other scripts.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, cast

import numpy as np

from crfdeid.lexicon.english import ABBREVIATED_MONTHS
from crfdeid.lexicon.names import SHORT_TITLES
from crfdeid.text.document import Range, Span

Anchor = tuple[str, ...]

ASCII = bytes(range(128)).decode("ascii")
DIGITS, CAPITALS, LETTERS = string.digits, string.ascii_uppercase, string.ascii_letters
BLANKS = " \t\r\n"
NO_WORD = "".join(sign for sign in ASCII if not sign.isalnum() and sign != "_")
UNKNOWN = ord("?")
TRANSLATED = 3  # places of an anchor by which texts are translated
GROUPS = 8  # at most: the bits of a byte


class LatePattern:
    """A regular expression that is compiled when it is first asked for: one note needs few of those here."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = re.compile(*self._source)
        vars(self).update((each, getattr(compiled, each)) for each in PATTERN_NAMES)
        return getattr(compiled, name)


PATTERN_NAMES = (
    "search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn", "pattern", "flags",
    "groups", "groupindex",
)  # fmt: skip


def late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what :func:`re.compile` returns, which is compiled when it is first used."""
    return cast("re.Pattern[str]", LatePattern(pattern, flags))


class AnchorSearch:
    """The search for the anchors of some groups. An anchor has ``TRANSLATED`` places or more. Anchors of a
    group should be alike: together they are one anchor, with the characters of all, until each is looked
    up."""

    def __init__(self, groups: Sequence[Sequence[Anchor]]) -> None:
        assert len(groups) <= GROUPS
        self.anchors = [anchor for group in groups for anchor in group]
        self.length = max(map(len, self.anchors))
        bits = [1 << number for number, group in enumerate(groups) for _ in group]
        self.groups = [table.astype(np.uint8).tobytes() for table in self._build_tables(bits, TRANSLATED)]
        are_digits = (set(anchor[:TRANSLATED]) == {DIGITS} for anchor in self.anchors)
        self.of_digits = sum(is_of_digits << number for number, is_of_digits in enumerate(are_digits))
        self.tables = self._build_tables([1 << number for number in range(len(self.anchors))], self.length)

    def _build_tables(self, bits: Iterable[int], length: int) -> np.ndarray:
        """Return a table [place, character] of the bits of the anchors that can have the character there."""
        tables = np.zeros((length, 256), np.int64)
        for anchor, bit in zip(self.anchors, bits):
            for place in range(length):
                signs = anchor[place] if place < len(anchor) else ASCII
                tables[place, list(signs.encode())] |= bit
        tables[:, UNKNOWN] = (1 << len(self.anchors)) - 1
        return tables

    def find(self, signs: bytes) -> tuple[np.ndarray, np.ndarray]:
        """Return the places in ASCII characters where anchors begin, in order, and the bits of the anchors
        that begin there."""
        padded = signs + bytes(self.length)
        bits = np.full(len(signs), 255, np.uint8)
        for place, table in enumerate(self.groups):
            bits &= np.frombuffer(padded.translate(table), np.uint8)[place : place + len(signs)]
        places, values = np.flatnonzero(bits != 0), np.frombuffer(padded, np.uint8)
        found = self.tables[0][values[places]]
        for place in range(1, self.length):
            found &= self.tables[place][values[places + place]]
        is_strange = np.all([values[places + place] == UNKNOWN for place in range(TRANSLATED)], axis=0)
        found[is_strange] &= self.of_digits
        are_anchors = found != 0
        return places[are_anchors], found[are_anchors]


def any_case(signs: Iterable[str]) -> Anchor:
    """Return an anchor whose letters can be small or capital.

    >>> any_case("5th"), any_case(["ab", " "])
    (('55', 'Tt', 'Hh'), ('ABab', '  '))
    """
    return tuple(each.upper() + each for each in signs)


PAGE, CALL, CONTACT = any_case("page"), any_case("call"), any_case("contact")
YEAR = (DIGITS, " -", *any_case("year"))
BY = any_case("d by")
NPI, MRN, SSN = tuple("NPI"), tuple("MRN"), tuple("SSN")
LONG_NUMBER = (DIGITS,) * 6
TITLE_OF_DOCTOR = ("D", "rR", "sS" + NO_WORD)
TITLE_OF_PATIENT = ("M", "rRsSi", "sSR" + NO_WORD)
PATIENT = ("P", "tTaA", "tT" + NO_WORD)
BRACKET = ("(", LETTERS + DIGITS, LETTERS + DIGITS + "), ")
CREDENTIAL = (",", " ", "MDRFP", "D.SNAO")
I_AM = ("I", ",", " ", CAPITALS)
COLON = (*any_case(["tnrgpe \t"]), ":", " \t" + CAPITALS)
RELATION = (*any_case(["eoicflsn", "rnedtw"]), ",", BLANKS, BLANKS + CAPITALS)
WWW, SCHEME = any_case("www."), (":", "/", "/")
SEARCH = AnchorSearch(
    (
        (PAGE, CALL, CONTACT),
        (YEAR, BY),
        (NPI, MRN, SSN, LONG_NUMBER, WWW),
        (TITLE_OF_DOCTOR, TITLE_OF_PATIENT, PATIENT),
        (BRACKET, SCHEME),
        (CREDENTIAL, I_AM),
        (COLON,),
        (RELATION,),
    )
)


SEPARATOR = "\0"  # of two texts
CURLY = "’"
Place = tuple[int, int]  # the number of a text, and the offset in it


class JoinedTexts:
    """``signs`` are the texts in ASCII, each character in its place, with "?" for one that is not ASCII."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.signs = SEPARATOR.join(texts).encode("ascii", "replace")

    @cached_property
    def curly(self) -> list[bool]:
        """Whether each text has a curly apostrophe."""
        return [CURLY in text for text in self.texts]

    @cached_property
    def anchors(self) -> dict[Anchor, list[Place]]:
        """The places of the first characters of each anchor, in order."""
        places, found = SEARCH.find(self.signs)
        begins = np.cumsum([0, *(len(text) + 1 for text in self.texts)])
        numbers = np.searchsorted(begins, places, side="right") - 1
        located = list(zip(numbers.tolist(), (places - begins[numbers]).tolist()))
        return {
            anchor: [located[index] for index in np.flatnonzero(found & (1 << number)).tolist()]
            for number, anchor in enumerate(SEARCH.anchors)
        }

    def find(self, *anchors: Anchor) -> list[Place]:
        """Return the places of some anchors, in order."""
        return sorted(chain.from_iterable(map(self.anchors.__getitem__, anchors)))


NAMES = frozenset({"PATIENT", "DOCTOR"})
NUMBERS = frozenset({"MEDICALRECORD", "IDNUM", "ACCOUNT", "SSN", "DEVICE", "LICENSE", "HEALTHPLAN"})
PHONE_TYPES = frozenset({"PHONE", "FAX"})
REACH = 40  # characters beside a span in which a form looks
TAIL = 100  # characters at the end of a span's text in which a form looks for words that are not part of it

Spans = Iterable[Span]
WRAPPED = 50  # a line of that many characters can end in the middle of a name
GAP = late(r"[ \t]*(?:\r\n?|\n)\s*|[ \t]{2,}|\t")
SENTENCE = late(r"[?!:]")
LINE_END = late(r"[\r\n]")
CODE = r"(?:DOB|D\.O\.B|MRN|CSN|SSN|NPI|DOS|ACCT|Acct)"
FIELD = r"(?:Date|DATE|Phone|PHONE|Fax|FAX|Tel|TEL|Name|NAME|Page|PAGE|Loc|LOC|Sex|SEX|Age|AGE|Room|ROOM)"
FIELD_BEFORE = late(rf"(?:{CODE}\b[.:#]*\s*|{FIELD}\s*[:#]+\s*)+")
FIELD_AFTER = late(rf"(?:[\s,;|/(\[]+(?:{CODE}|(?<=[(\[])(?:MR|ID|pager|M|F))\b[.:#]*)+$")
FIELD_COLON = late(rf"[\s,;|/(]+{FIELD}\s*$")
UNIT_BEFORE = late(r"(?:LOC|Loc|RM|Rm|PGR|Pgr|pgr|BED|Bed|[Rr]oom|ROOM|MR)\.?\s+(?=\S)")
REGISTER_BEFORE = late(  # the registers of several countries
    r"(?:NHI|CHI|NHS|URN?|HCN|PHN|MCP|HSN|OHIP|NHIF|GMC|NMC|AHPRA|HPCSA|NZMC|APC|DEA|DL|[Ff]older)\b[.:#]*\s*"
    r"(?:(?:no|No|number)\.?\s*)?(?=\w*\d)"
)
REGISTERED = NUMBERS | {"VEHICLE", "USERNAME"}
UNIT_TYPES = frozenset({"DEPARTMENT", "ROOM", "PHONE", "MEDICALRECORD", "IDNUM"})
PLACE_TYPES = frozenset({"HOSPITAL", "ORGANIZATION", "CITY"})
PLACE_BEFORE = late(r"(?:(?:of|at|from|to|in|and|with|by|for)\s+)+")
ABBREVIATION = late(
    r"(?:\b(?:[^\W\d_]|Jr|Sr|St|Ste|Mt|Ft|Ave|Av|Rd|Blvd|Ln|Pl|Ct|Pkwy|Hwy|Apt|Inc|Co|Corp|Ltd|"
    r"Hosp|Univ|Ctr|Med|Dept|Wm|Chas|Geo|Thos|Jos|"
    rf"{'|'.join(ABBREVIATED_MONTHS)}|{SHORT_TITLES}|Drs|Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun|yr|yrs|mo|mos)|\.[^\W\d_]+)\.$",
    re.IGNORECASE,
)
PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
OPENING = "([{<"
MARKS = ' \t\r\n,;:*|/\\_=~-–—"“”‘'


class Context:
    """The forms of a span's text, of the ``reach`` characters before it, and of what is after it. An empty
    form is any text."""

    def __init__(self, value: str = "", before: str = "", after: str = "", reach: int = REACH) -> None:
        self.form, self.reach = value, reach
        self.value, self.before, self.after = (
            late(form) if form else None for form in (value, before and rf"(?:{before})\Z", after)
        )

    def matches(self, text: str, span: Span) -> bool:
        """Whether a span and what is beside it have the forms.

        >>> context = Context("[0-9]+", before="room ", after=",")
        >>> [context.matches(text, Span(5, 7, "AGE")) for text in ("room 61, F", "aged 61, F", "room 61")]
        [True, False, False]
        """
        low = max(0, span.start - self.reach)
        return (
            (self.value is None or self.value.fullmatch(text, span.start, span.end) is not None)
            and (self.after is None or self.after.match(text, span.end) is not None)
            and (self.before is None or self.before.search(text, low, span.start) is not None)
        )


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


def move_edges(
    text: str, spans: Sequence[Span], find_edges: Callable[[Span], Range | None]
) -> Iterator[Span]:
    """Yield the spans, each with the edges that ``find_edges`` gives it, if it gives some. None reaches the
    one before it, and of the next ones stays what is behind it."""
    low = 0
    for span in spans:
        if span.start < low:
            yield from shorten(span, text, low, max(low, span.end))
        elif edges := find_edges(span):
            span = replace(span, start=max(low, edges[0]), end=edges[1])
            yield span
        else:
            yield span
        low = max(low, span.end)


def split_gaps(text: str, spans: Sequence[Span]) -> Spans:
    """Two blanks, a tab or a line end separates two spans, except where a line is wrapped."""
    for span in spans:
        at = span.start
        for gap in GAP.finditer(text, span.start, span.end):
            if not _is_wrap(text, gap, span):
                yield from shorten(span, text, at, gap.start())
                at = gap.end()
        if at == span.start:
            yield span
        else:
            yield from shorten(span, text, at, span.end)


def _is_wrap(text: str, gap: re.Match[str], span: Span) -> bool:
    """Whether a gap is one line end in a wrapped line, or within a hospital's capitalized name."""
    if len(LINE_END.findall(gap[0].replace("\r\n", "\n"))) != 1:
        return False
    before = text[max(0, gap.start() - WRAPPED) : gap.start()]
    if len(before) == WRAPPED and not LINE_END.search(before):
        return True
    if span.type not in ("HOSPITAL", "ORGANIZATION", "STREET"):
        return False
    return text[gap.end() : gap.end() + 1].isupper() and not SENTENCE.search(text, gap.end(), span.end)


def trim_fields(text: str, spans: Sequence[Span]) -> Spans:
    """The name of a field before or after a value is not part of it, nor a preposition before a place."""
    for span in spans:
        value = text[span.start : span.end]
        before, after = (
            FIELD_BEFORE.match(value),
            None if value.isalnum() else search_tail(FIELD_AFTER, value),
        )
        if not before and span.type in UNIT_TYPES:
            before = UNIT_BEFORE.match(value)
        if not before and span.type in REGISTERED:
            before = REGISTER_BEFORE.match(value)
        if not before and span.type in PLACE_TYPES and not value.islower():
            before = PLACE_BEFORE.match(value)
        if not after and text[span.end : span.end + 1] in (":", "#"):
            after = search_tail(FIELD_COLON, value)
        yield from cut(span, text, before, after)


def trim_marks(text: str, spans: Sequence[Span]) -> Spans:
    """Punctuation at an edge goes, except the full stop of an abbreviation and brackets in pairs."""
    for span in spans:
        if text[span.start].isalnum() and text[span.end - 1].isalnum():
            yield span
        elif edges := _find_edges(text, span):
            yield span if edges == (span.start, span.end) else replace(span, start=edges[0], end=edges[1])


def _find_edges(text: str, span: Span) -> Range | None:
    """Return the edges of a span without loose marks, or ``None`` where no letter or digit is inside."""
    start, end = span.start, span.end
    while start < end and _is_loose_start(text[start:end]):
        start += 1
    while start < end and _is_loose_end(text[start:end], span.type):
        end -= 1
    return (start, end) if any(map(str.isalnum, text[start:end])) else None


def _is_loose_start(value: str) -> bool:
    first = value[0]
    if first in OPENING:
        closing = next(mark for mark, opening in PAIRS.items() if opening == first)
        return closing not in value or value.find(closing) == len(value) - 1
    return first in MARKS or first in PAIRS or first == "."


def _is_loose_end(value: str, type: str) -> bool:
    last = value[-1]
    if last in PAIRS:
        return PAIRS[last] not in value
    if last == ".":
        return type in ("EMAIL", "URL", "ZIP", *PHONE_TYPES) or not ABBREVIATION.search(value)
    return last in OPENING or (last in MARKS and not (last == "/" and type == "URL"))
