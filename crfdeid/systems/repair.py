"""Repair of the spans that a tagger found: :data:`FORMS` lists what is repaired, with a sample of each.

A form is a function from the text and its spans, in order, to better spans in order. It moves edges, splits,
joins, and changes types. It takes out of a span only punctuation and the words of the closed lists below, so
that no other letter or digit loses its span. The forms are of English notes and of the types of i2b2-2014.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from crfdeid.text.document import Document, Span
from crfdeid.text.spans import Range

SCHEME = "i2b2-2014"
NAMES = frozenset({"PATIENT", "DOCTOR"})
COMMAS = (",", ", ")
NUMBERS = frozenset({"MEDICALRECORD", "IDNUM", "ACCOUNT", "SSN", "DEVICE", "LICENSE", "HEALTHPLAN"})
WRAPPED = 50  # a line of that many characters can end in the middle of a name
NEAR = 30  # characters from a surname to the first name
ROUNDS = 4  # a repaired span can need another form

GAP = re.compile(r"[ \t]*(?:\r\n?|\n)\s*|[ \t]{2,}|\t")
LINE_END = re.compile(r"[\r\n]")
NUMBER_DATE = re.compile(r"(.*\d{2}) */ +(?=\d{1,2}/\d{1,2}(?:/\d{2,4})?$)")
GLUED = re.compile(r"(\d{5,})([A-Z][A-Za-z'’-]{2,}(?:, ?[A-Z][A-Za-z'’. -]*)?)$")
GLUED_AFTER = re.compile(r"[A-Z]{3,}(?:[-'’][A-Z]+)*\b")
LETTERS_BEFORE = re.compile(r"(?<![^\W_])(?!MRN|CSN|SSN|NPI)[A-Z]{1,3}$")
CODE = r"(?:DOB|D\.O\.B|MRN|CSN|SSN|NPI|DOS|ACCT|Acct)"
FIELD = r"(?:Date|DATE|Phone|PHONE|Fax|FAX|Tel|TEL|Name|NAME|Page|PAGE|Loc|LOC|Sex|SEX|Age|AGE|Room|ROOM)"
FIELD_BEFORE = re.compile(rf"(?:{CODE}\b[.:#]*\s*|{FIELD}\s*[:#]+\s*)+")
FIELD_AFTER = re.compile(rf"(?:[\s,;|/]+{CODE}\b[.:#]*)+$")
FIELD_COLON = re.compile(rf"[\s,;|/]+{FIELD}\s*$")
DATE_WORDS = r"(?:on|in|at|from|since|until|through|by|to|and|or|with|for|was|is|seen|dated|who|when)"
DATE_BEFORE = re.compile(rf"(?:{DATE_WORDS}\s+)+")
DATE_AFTER = re.compile(rf"(?:\s+{DATE_WORDS})+$")
DEPARTMENT = (
    r"(?:(?:the )?(?:Emergency (?:Department|Room)|Intensive Care Unit|Operating Room|Recovery Room|"
    r"EMERGENCY (?:DEPARTMENT|ROOM)|INTENSIVE CARE UNIT|OPERATING ROOM|RECOVERY ROOM|"
    r"emergency (?:department|room)|intensive care unit|operating room|recovery room))"
)
DEPARTMENT_BEFORE = re.compile(rf"{DEPARTMENT}(?:[\s,]+(?:of|at|in)(?: the)?)?\b[\s,]*")
DEPARTMENT_AFTER = re.compile(rf"(?:['’]s)?[\s,]+{DEPARTMENT}$")
ABBREVIATION = re.compile(
    r"(?:\b(?:[^\W\d_]|Jr|Sr|St|Ste|Mt|Ft|Dr|Drs|Mr|Mrs|Ms|Ave|Av|Rd|Blvd|Ln|Pl|Ct|Pkwy|Hwy|Apt|Inc|Co|Corp|Ltd|"
    r"Hosp|Univ|Ctr|Med|Dept|Wm|Chas|Geo|Thos|Jos|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|"
    r"Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun|yr|yrs|mo|mos)|\.[^\W\d_]+)\.$",
    re.IGNORECASE,
)
PHONE_TYPES = frozenset({"PHONE", "FAX"})
PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
OPENING = "([{<"
MARKS = ' \t\r\n,;:*|/\\_=~-–—"“”‘'
LINK = re.compile(r"\s(?:(?:and|and the|the|-|–|&)\s)?|-|['’]s\s|\s(?P<place>of|of the|at|at the|for)\s")
ACRONYM = re.compile(r"[A-Z]{1,6}")
INSTITUTION = re.compile(
    r"\b(?:hospital|center|centre|clinic|infirmary|institute|sanatorium|system|group|home)\W*$", re.I
)
TAIL = re.compile(
    r"(?:,? (?:Inc|LLC|L\.L\.C|PC|P\.C|Ltd|Corp|PLLC|LLP)\b\.?"
    r"|,?(?: [-–])? (?:(?:North|South|East|West|Main|Downtown) )?Campus\b"
    r"| (?:(?:Regional |Community |General |Memorial )?(?:Medical Center|Hospital|Health Center|Clinic)\b))"
)
FAX_BEFORE = re.compile(r"(?<![\w/&])(?:fax(?: ?(?:no|number|num))?\.?|F(?=:))[\s:#]*\(?$", re.IGNORECASE)
FAX_AFTER = re.compile(r" ?\(fax\)", re.IGNORECASE)

Spans = Iterable[Span]


@dataclass(frozen=True)
class Form:
    """One form of repair, with a text before and after it. In a sample ``<TYPE|text>`` is a span."""

    repair: Callable[[str, Sequence[Span]], Spans]
    before: str
    after: str


def repair_spans(document: Document) -> Document:
    """Return the document with repaired spans. Where spans overlap, it stays as it is.

    >>> note = repair_spans(Document("n", "mail a.ruiz@x.org. Thanks", (Span(5, 18, "EMAIL"),)))
    >>> [note.text_of(span) for span in note.spans]
    ['a.ruiz@x.org']
    """
    if any(following.start < span.end for span, following in pairwise(document.spans)):
        return document
    spans = list(document.spans)
    for _ in range(ROUNDS):
        before = spans
        for form in FORMS.values():
            spans = list(form.repair(document.text, spans))
        if spans == before:
            break
    return document if spans == list(document.spans) else document.with_spans(spans)


def split_gaps(text: str, spans: Sequence[Span]) -> Spans:
    """Two blanks, a tab or a line end separates two spans, except where a line is wrapped."""
    for span in spans:
        at = span.start
        for gap in GAP.finditer(text, span.start, span.end):
            if not _is_wrap(text, gap, span):
                yield from _shorten(span, text, at, gap.start())
                at = gap.end()
        if at == span.start:
            yield span
        else:
            yield from _shorten(span, text, at, span.end)


def _is_wrap(text: str, gap: re.Match[str], span: Span) -> bool:
    """Whether a gap is one line end in a wrapped line, or within a hospital's capitalized name."""
    if len(LINE_END.findall(gap[0].replace("\r\n", "\n"))) != 1:
        return False
    line_start = max(text.rfind("\n", 0, gap.start()), text.rfind("\r", 0, gap.start())) + 1
    if gap.start() - line_start >= WRAPPED:
        return True
    is_place = span.type in ("HOSPITAL", "ORGANIZATION", "STREET")
    return is_place and text[gap.end() : gap.end() + 1].isupper()


def split_number_date(text: str, spans: Sequence[Span]) -> Spans:
    """A number and a date with a slash and a blank between them are two spans."""
    for span in spans:
        match = span.type == "DATE" and NUMBER_DATE.match(text[span.start : span.end])
        if match and sum(sign.isdigit() for sign in match[1]) > 4:
            yield replace(span, end=span.start + match.end(1), type="MEDICALRECORD")
            yield replace(span, start=span.start + match.end())
        else:
            yield span


def split_glued_name(text: str, spans: Sequence[Span]) -> Spans:
    """Capitals that a number is glued to are a name; the number stays a number."""
    starts = {span.start for span in spans}
    for span in spans:
        if span.type not in NUMBERS:
            yield span
        elif match := GLUED.match(text[span.start : span.end]):
            middle = span.start + match.end(1)
            yield replace(span, end=middle)
            yield replace(span, start=middle, type=_find_name_type(spans, middle))
        else:
            yield span
            yield from _find_glued(text, span, spans, starts)


def _find_glued(text: str, span: Span, spans: Sequence[Span], starts: set[int]) -> Spans:
    """Yield the capitals right after a number of six digits or more that no span covers."""
    if span.end in starts or not text[span.end : span.end + 1].isupper():
        return
    value, match = text[span.start : span.end], GLUED_AFTER.match(text, span.end)
    if not match or len(value) < 6 or not value.isdigit():
        return
    if not any(span.end < other.end and other.start < match.end() for other in spans):
        yield replace(span, start=span.end, end=match.end(), type=_find_name_type(spans, span.end))


def _find_name_type(spans: Sequence[Span], at: int) -> str:
    """Return the type of the next name of the line, which begins near ``at``; else PATIENT."""
    near = [span for span in spans if span.type in NAMES and at < span.start <= at + NEAR]
    return near[0].type if near else "PATIENT"


def join_glued_name(text: str, spans: Sequence[Span]) -> Spans:
    """A surname that a number is glued to and the first name after a comma are one span."""
    joined: list[Span] = []
    for span in spans:
        last = joined[-1] if joined else None
        if (
            last
            and last.type == span.type
            and _is_glued(text, last)
            and text[last.end : span.start] in COMMAS
        ):
            joined[-1] = _join(last, span)
        else:
            joined.append(span)
    return joined


def _is_glued(text: str, span: Span) -> bool:
    return span.type in NAMES and text[max(0, span.start - 1) : span.start].isdigit()


def trim_fields(text: str, spans: Sequence[Span]) -> Spans:
    """The name of a field before or after a value is not part of it."""
    for span in spans:
        value = text[span.start : span.end]
        before, after = FIELD_BEFORE.match(value), FIELD_AFTER.search(value)
        if not after and text[span.end : span.end + 1] in (":", "#"):
            after = FIELD_COLON.search(value)
        yield from _cut(span, text, before, after)


def trim_date_words(text: str, spans: Sequence[Span]) -> Spans:
    """A preposition or a verb beside a date is not part of it."""
    for span in spans:
        if span.type == "DATE":
            value = text[span.start : span.end]
            yield from _cut(span, text, DATE_BEFORE.match(value), DATE_AFTER.search(value))
        else:
            yield span


def trim_departments(text: str, spans: Sequence[Span]) -> Spans:
    """A department without a name is not part of a hospital's name."""
    for span in spans:
        if span.type == "HOSPITAL":
            value = text[span.start : span.end]
            yield from _cut(span, text, DEPARTMENT_BEFORE.match(value), DEPARTMENT_AFTER.search(value))
        else:
            yield span


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


def widen_numbers(text: str, spans: Sequence[Span]) -> Spans:
    """Up to three capitals that begin a number are part of it."""
    end = 0
    for span in spans:
        is_number = span.type in NUMBERS and text[span.start].isdigit()
        match = is_number and LETTERS_BEFORE.search(text, max(end, span.start - 4), span.start)
        yield replace(span, start=match.start()) if match else span
        end = span.end


def join_hospitals(text: str, spans: Sequence[Span]) -> Spans:
    """Two pieces of a hospital's name with a blank or a connecting word between them are one span."""
    joined: list[Span] = []
    for span in spans:
        if joined and span.type == "HOSPITAL" and _continues(text, joined[-1], span):
            joined[-1] = _join(joined[-1], span)
        else:
            joined.append(span)
    return joined


def _continues(text: str, first: Span, second: Span) -> bool:
    """Whether ``second`` continues the name ``first``: "Elm" + "Clinic", "Elm Clinic" at "Oakland"."""
    if first.type != "HOSPITAL" or not (link := LINK.fullmatch(text, first.end, second.start)):
        return False
    value = text[first.start : first.end]
    is_whole, ends = INSTITUTION.search(value), INSTITUTION.search(text[second.start : second.end])
    if link["place"]:
        return not (is_whole and ends)
    return bool(ends) and not is_whole and not ACRONYM.fullmatch(value)


def widen_hospitals(text: str, spans: Sequence[Span]) -> Spans:
    """A legal form, a campus or the kind of institution after a hospital's name is part of it."""
    for span, following in zip(spans, [*spans[1:], None]):
        limit = following.start if following else len(text)
        if span.type == "HOSPITAL" and (tail := TAIL.match(text, span.end, limit)):
            span = replace(span, end=tail.end())
        yield span


def mark_faxes(text: str, spans: Sequence[Span]) -> Spans:
    """A phone number with the word fax is a fax number."""
    for span in spans:
        if span.type == "PHONE":
            before = FAX_BEFORE.search(text, max(0, span.start - 16), span.start)
            if before or FAX_AFTER.match(text, span.end):
                span = replace(span, type="FAX")
        yield span


def _cut(span: Span, text: str, before: re.Match[str] | None, after: re.Match[str] | None) -> Iterator[Span]:
    """Yield the span without the matches at its edges, if something is left."""
    if before is None and after is None:
        yield span
        return
    start = span.start + (before.end() if before else 0)
    end = span.start + after.start() if after else span.end
    yield from _shorten(span, text, start, max(start, end))


def _shorten(span: Span, text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the span between new edges, if a letter or a digit is there."""
    if any(map(str.isalnum, text[start:end])):
        yield replace(span, start=start, end=end)


def _join(first: Span, second: Span) -> Span:
    """Return one span of two, with the lower of their probabilities."""
    both = [span.probability for span in (first, second) if span.probability is not None]
    return replace(first, end=second.end, probability=min(both, default=None))


FORMS = {
    "split_gaps": Form(
        split_gaps, "<STREET|0611    12 Knoll Blvd>, Erie", "<STREET|0611>    <STREET|12 Knoll Blvd>, Erie"
    ),
    "split_number_date": Form(
        split_number_date,
        "/ 80 M / <DATE|47110532 / 03/07/14>",
        "/ 80 M / <MEDICALRECORD|47110532> / <DATE|03/07/14>",
    ),
    "split_glued_name": Form(
        split_glued_name, "<MEDICALRECORD|30990453SMITH> ", "<MEDICALRECORD|30990453><PATIENT|SMITH> "
    ),
    "join_glued_name": Form(
        join_glued_name,
        "<IDNUM|30990453><PATIENT|SMITH>, <PATIENT|JOHN>",
        "<IDNUM|30990453><PATIENT|SMITH, JOHN>",
    ),
    "trim_fields": Form(trim_fields, "MRN 1 | <IDNUM|CSN 0-70327691>", "MRN 1 | CSN <IDNUM|0-70327691>"),
    "trim_date_words": Form(trim_date_words, "seen <DATE|on 3/7> here", "seen on <DATE|3/7> here"),
    "trim_departments": Form(
        trim_departments,
        "in <HOSPITAL|Elm Clinic Emergency Department> now",
        "in <HOSPITAL|Elm Clinic> Emergency Department now",
    ),
    "trim_marks": Form(trim_marks, "mail <EMAIL|a@b.org.> or", "mail <EMAIL|a@b.org>. or"),
    "widen_numbers": Form(widen_numbers, "no. MR<MEDICALRECORD|268398>", "no. <MEDICALRECORD|MR268398>"),
    "join_hospitals": Form(
        join_hospitals,
        "at <HOSPITAL|Lady> of the <HOSPITAL|Lakes Hospital>",
        "at <HOSPITAL|Lady of the Lakes Hospital>",
    ),
    "widen_hospitals": Form(
        widen_hospitals, "<HOSPITAL|Elm Clinic>, Inc. wrote", "<HOSPITAL|Elm Clinic, Inc.> wrote"
    ),
    "mark_faxes": Form(mark_faxes, "Fax: <PHONE|617-555-0101>", "Fax: <FAX|617-555-0101>"),
}
