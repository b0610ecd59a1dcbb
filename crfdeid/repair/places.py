"""Forms for places: hospitals (departments out; pieces, towns, campuses and legal forms in), the town,
state and ZIP code after a street, and addresses of the internet, which are one span each."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import attrgetter

from crfdeid.repair.spans import (
    NAMES,
    SCHEME,
    WWW,
    JoinedTexts,
    Spans,
    cut,
    join,
    join_neighbours,
    late,
    search_tail,
    widen,
)
from crfdeid.text.document import Span, SpanIndex

PLACES = frozenset({"HOSPITAL", "ORGANIZATION"})
FIELDS_OF_MEDICINE = (
    r"(?:Surgery|Medicine|Radiology|Pathology|Pediatrics|Neurology|Psychiatry|Anesthesia|Anesthesiology|Orthopedics|"
    r"Orthopaedics|Cardiology|Oncology|Urology|Dermatology|Ophthalmology|Neurosurgery|Otolaryngology|"
    r"(?:Internal|Family|Emergency|Laboratory) Medicine|Obstetrics(?: and Gynecology)?)"
)
UNITS = r"(?:Emergency Department|Emergency Room|Intensive Care Unit|Operating Room|Recovery Room|Burn Unit)"
DEPARTMENT = rf"(?:(?:the )?(?:{UNITS}|Department of {FIELDS_OF_MEDICINE}|Medical Records(?: Department)?))"
LETTERS = r"(?-i:ED|ER|ICU|MICU|SICU|CCU|NICU|PACU)"
DEPARTMENT_BEFORE = late(
    rf"{DEPARTMENT}(?:[\s,]+(?:of|at|in)(?: the)?)?\b[\s,]*|{FIELDS_OF_MEDICINE}\s*\n\s*", re.IGNORECASE
)
DEPARTMENT_AFTER = late(rf"(?:['’]s)?(?:[\s,]| [-–] )+(?:{DEPARTMENT}|{LETTERS})$", re.IGNORECASE)
UNIT_NEXT = late(rf"(?:['’]s)?[\s,]+(?:{UNITS}|{LETTERS})\b", re.IGNORECASE)

LINK = late(
    r"\s(?:(?:and|and the|the|-|–|&)\s)?|-|–|['’]s\s"
    r"|\s(?P<place>of|of the|at|at the|for|Of|At|Of The|At The|AT|OF)\s"
)
ACRONYM = late(r"[A-Z]{1,6}")
INSTITUTION = late(
    r"\b(?:hospitals?|hosp|center|centre|ctr|clinics?|infirmary|institute|sanatorium|system|group|home|health|"
    r"healthcare|memorial)\W*$",
    re.I,
)
KIND = (
    r"(?:(?:Regional|Community|General|Memorial|University|County|Children['’]?s|Women['’]?s|Veterans|VA|Area|District|"
    r"Rehabilitation|Nursing|Cancer|Heart|Surgical|Specialty|Behavioral|Psychiatric|Orthopedic|Surgery|Imaging|Eye|"
    r"Family|Skilled) )*"
    r"(?:Medical (?:Center|Centre|Ctr|Group|Associates)|Med\.? (?:Center|Ctr)\.?|Hospitals?|Hosp\b\.?|"
    r"Health (?:Center|Centre|System|Network|Services)|Healthcare(?: System)?|Clinics?|"
    r"Infirmary|Institute|Hospice|"
    r"(?:Cancer|Heart|Care|Surgery|Nursing|Imaging|Dialysis|Rehabilitation|Rehab|Eye) "
    r"(?:Center|Institute|Clinic)|Nursing Home|Family Practice|Skilled Nursing)"
)
SHORT_KIND = (
    r"(?:PHC|CHC|SDH|CRH|SCH|MPC|BHU|HC(?: I{2,3}| IV)?|Maternity|Respite|Sleep Lab"
    r"|General(?=\s*(?:[,.;:)/]|$|[\r\n])))"
)
KINDS = late(rf"(?i:{KIND}(?: and Clinics?)?)|{SHORT_KIND}")
NOT_A_NAME = (
    r"(?! (?i:course|stay|days?|admission|visits?|records?|beds?|staff|follow|number|discharge|policy))"
)
WORD = r"[A-Z][A-Za-z'’.-]+"
TAIL = late(
    r"(?:,?\s(?:Inc|INC|LLC|L\.L\.C|PC|P\.C|P\.A|Ltd|LTD|LP|Corp|CORP|PLLC|LLP)\b\.?"
    rf"|,?(?:\s[-–])?(?:\s{WORD}){{0,2}}\s(?:Campus|CAMPUS|Pavilion|PAVILION|Building|BUILDING)\b"
    rf"|(?:['’]s)?\s(?:(?=[A-Z])(?i:{KIND})|hospital|medical center|nursing home)(?!\w){NOT_A_NAME}"
    rf"|\s{SHORT_KIND}(?!\w)"
    rf"|\s(?:At|AT)\s(?:The\s|THE\s)?{WORD}(?:\s{WORD})?"
    r"|(?<=[a-z])[A-Z][A-Za-z]+\b|(?<=[A-Z]{2})[A-Z]?[a-z]+\b)"
)
KIND_AFTER = late(rf"\s(?:(?=[A-Z])(?i:{KIND})|{SHORT_KIND})(?!\w){NOT_A_NAME}")
SAINT = late(r"['’][sS]\b(?=[\s,.;)])")
SAINTS = late(r"(?:St\.?|Saint|ST\.?|SAINT) \w+$")
CAMEL_BEFORE = late(
    r"(?<![^\W_])[A-Z][a-z]+\Z|(?<![^\W_.])(?:[A-Z]\. ){2}\Z"
    r"|\b(?:Hospital|Clinic|Infirmary|Medical Center|Health Center) (?:at|of|At|Of)\s\Z"
)
STATE_NEXT = late(r",?\s+[A-Z]{2}\b")
BEGINNING = late(r"(?:The )?(?:Our Lady|Sisters|University|Hospital|Children['’]?s Hospital)", re.IGNORECASE)
OTHER_PIECES = NAMES | {"CITY", "ORGANIZATION", "STATE", "LOCATION-OTHER"}
ENDING = late(
    r"[\s-](?i:hospitals?|medical center|health center|clinics?|infirmary|nursing home|hospice|health|"
    r"children['’]s)\Z"
)
TOWN_AFTER = late(r"\sof\s(?!the\b)[A-Z][a-z]+(?: [A-Z][a-z]+)?")
COMMA_TOWN = late(r"(?P<hospital>.+), (?P<town>[A-Z][A-Za-z'’.-]+(?: [A-Z][A-Za-z'’.-]+)?)")
NOT_TOWN = late(
    r"(?i:inc|llc|pllc|pc|p\.c|ltd|corp|lp|llp|.*(?:campus|building|pavilion|tower|hospital|clinic|center))\.?"
)
WARD = late(r"[A-Z][A-Za-z'’-]+(?: [A-Z][A-Za-z'’-]+)? \d{1,2}[A-Z]?")
WARD_BEFORE = late(r"\b(?:LOC|Loc|Location|LOCATION|Unit|UNIT|Ward|WARD|Floor|FLOOR)[ \t]*:\s*$")
LINE_END = late(r"\.?[ \t]*(?:[\r\n]|$)|,? [A-Z]{2} \d{5}")

LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
EMAIL = late(
    rf"(?<![\w.%+-])[\w%+-](?:[\w.%+-]{{0,62}}[\w%+-])?@(?:{LABEL}\.)+[A-Za-z]{{2,18}}(?![\w-]|\.\w)"
)
URL = late(rf"(?<![\w@.])(?i:https?://|www\.)(?:{LABEL}\.)*{LABEL}(?::\d+)?(?:/[\w./~%#?=&+-]*[\w/])?")
STATE = (
    r"(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]|UT|"
    r"V[AIT]|W[AIVY])"
)
CELL = r"(?:\"?[ \t]*[,;|\t][ \t]*\"?|\^{1,2})"  # what separates two cells, or two components of HL7
FLAT = r"(?:unit|apt|apartment|flat|suite|ste|lot|bldg)"
UNIT = late(r"#\d\d-\d{2,3}")
HOUSE_NUMBER = late(r"(?:\d{1,3}/)?\d{1,3}[A-Za-z]? ")
FLAT_BEFORE = late(rf"(?<![\w-]){FLAT}\.? (?:\w{{1,4}}, )?\Z", re.IGNORECASE)
FLAT_AFTER = late(rf",? {FLAT}\.? #?(?:\d{{1,4}}[A-Z]?|[A-Z]\d{{0,3}})(?!\w)", re.IGNORECASE)
TOWN = late(
    rf"{CELL}(?P<CITY>[A-Z][A-Za-z.'’-]+(?: [A-Z][A-Za-z.'’-]+){{0,2}}){CELL}(?P<STATE>{STATE}){CELL}"
    r"(?P<ZIP>\d{5}(?:-\d{4})?)(?![\w-])"
)


def join_streets(text: str, spans: Sequence[Span]) -> Spans:
    """A flat or a house with its name and the street behind a comma are one address, and so are a street and
    its house's number that was read as a date or an age. "#03-41" is a floor and a unit."""
    units = (
        replace(span, start=span.start - 1, type="STREET")
        if span.type == "DATE" and UNIT.fullmatch(text, span.start - 1, span.end)
        else span
        for span in spans
    )
    return join_neighbours(
        [*units], lambda first, second: "STREET" if _is_one_address(text, first, second) else None
    )


def _is_one_address(text: str, first: Span, second: Span) -> bool:
    if second.type != "STREET":
        return False
    if first.type == "STREET":
        return text[first.end : second.start] == ", "
    return (
        first.type in ("DATE", "AGE") and HOUSE_NUMBER.fullmatch(text, first.start, second.start) is not None
    )


def widen_streets(text: str, spans: Sequence[Span]) -> Spans:
    """The number of a flat or a lot beside a street belongs to it."""
    return widen(text, spans, {"STREET"}, FLAT_BEFORE, FLAT_AFTER)


def split_places(text: str, spans: Sequence[Span]) -> Spans:
    """A hospital and, after a comma, its town are two spans."""
    for span in spans:
        match = span.type in PLACES | NAMES and COMMA_TOWN.fullmatch(text, span.start, span.end)
        if match and _is_town(text, span, match):
            yield replace(span, end=match.end("hospital"), type="HOSPITAL")
            yield replace(span, start=match.start("town"), type="CITY")
        else:
            yield span


def _is_town(text: str, span: Span, match: re.Match[str]) -> bool:
    """Whether the words before the comma name a hospital, and those after it are not a legal form or
    campus."""
    is_hospital = ENDING.search(text, span.start, match.end("hospital"))
    return bool(is_hospital and not NOT_TOWN.fullmatch(text, *match.span("town")))


def mark_places(text: str, spans: Sequence[Span]) -> Spans:
    """A name that ends in "Clinic" is a hospital; a name after a hospital and a comma is its town; a word
    and a number after "LOC:" are a ward."""
    previous: Span | None = None
    for span in spans:
        if span.type in OTHER_PIECES | {"HOSPITAL"}:
            type = _find_place_type(text, span, previous)
            span = span if type == span.type else replace(span, type=type)
        yield span
        previous = span


def _find_place_type(text: str, span: Span, previous: Span | None) -> str:
    value = text[span.start : span.end]
    if WARD.fullmatch(value) and WARD_BEFORE.search(text, max(0, span.start - 20), span.start):
        return "DEPARTMENT"
    if not value.isalnum() and ENDING.search(value) and "," not in value:
        return "HOSPITAL"
    is_after = previous and previous.type == "HOSPITAL" and text[previous.end : span.start] == ", "
    is_town = is_after and span.type in NAMES and value.isalpha() and LINE_END.match(text, span.end)
    return "CITY" if is_town else span.type


def trim_departments(text: str, spans: Sequence[Span]) -> Spans:
    """A department without a name is not part of a hospital's name. What has an emergency room is a
    hospital."""
    for span in spans:
        if span.type not in PLACES:
            yield span
            continue
        value = text[span.start : span.end]
        after = search_tail(DEPARTMENT_AFTER, value)
        if span.type == "ORGANIZATION" and (after or UNIT_NEXT.match(text, span.end)):
            span = replace(span, type="HOSPITAL")
        if span.type == "HOSPITAL":
            yield from cut(span, text, DEPARTMENT_BEFORE.match(value), after)
        else:
            yield span


def join_hospitals(text: str, spans: Sequence[Span]) -> Spans:
    """Two pieces of a hospital's name with a blank or a connecting word between them are one span."""

    def find_type(first: Span, second: Span) -> str | None:
        link = LINK.fullmatch(text, first.end, second.start)
        if link and (
            _continues(text, first, second, link)
            or _completes(text, first, second)
            or _is_at_town(text, first, second, link)
        ):
            return "HOSPITAL"
        return None

    return join_neighbours(spans, find_type)


def _continues(text: str, first: Span, second: Span, link: re.Match[str]) -> bool:
    """Whether ``second`` continues the name ``first``: "Elm" + "Clinic", "Elm Clinic" at "Oakland"."""
    if first.type != "HOSPITAL" or second.type not in ("HOSPITAL", "CITY"):
        return False
    value = text[first.start : first.end]
    is_whole, ends = INSTITUTION.search(value), INSTITUTION.search(text[second.start : second.end])
    if second.type == "CITY":
        is_part = link["place"] or link[0].strip() in ("-", "–")
        return bool(is_part and is_whole and not STATE_NEXT.match(text, second.end))
    if link["place"] or link[0].strip() in ("-", "–"):
        return not (is_whole and ends)
    return bool(ends) and not is_whole and not ACRONYM.fullmatch(value)


def _completes(text: str, first: Span, second: Span) -> bool:
    """Whether ``second`` is only the kind of institution and ``first`` its name: "Elm" + "Medical Center"; or
    ``first`` is a beginning as "Our Lady"."""
    if first.type not in OTHER_PIECES or second.type != "HOSPITAL":
        return False
    if BEGINNING.fullmatch(text, first.start, first.end):
        return True
    is_beside = text[first.end : second.start] == " "
    return bool(is_beside and KINDS.fullmatch(text, second.start, second.end))


def _is_at_town(text: str, first: Span, second: Span, link: re.Match[str]) -> bool:
    """Whether ``second`` is the town of an institution that has another type: "Elm Health" At "Yuma"."""
    is_place = first.type in OTHER_PIECES and second.type in ("HOSPITAL", "CITY") and link["place"]
    return bool(
        is_place and " " in text[first.start : first.end] and ENDING.search(text, first.start, first.end)
    )


def widen_hospitals(text: str, spans: Sequence[Span]) -> Spans:
    """A town before the kind of institution is its name. A legal form, a campus, a town after "At", the kind
    of institution and the rest of a word are part of a hospital's name."""
    named = [
        replace(span, type="HOSPITAL") if span.type == "CITY" and KIND_AFTER.match(text, span.end) else span
        for span in spans
    ]
    widened = list(widen(text, named, {"HOSPITAL"}, CAMEL_BEFORE, TAIL))
    for span, following in zip(widened, [*widened[1:], None]):
        high = following.start if following else len(text)
        if span.type == "HOSPITAL" and KINDS.fullmatch(text, span.start, span.end):
            town = TOWN_AFTER.match(text, span.end)
            if town and town.end() <= high:
                span = replace(span, end=town.end())
        if span.type == "HOSPITAL" and SAINTS.search(text, span.start, span.end):
            mark = SAINT.match(text, span.end)
            if mark and mark.end() <= high:
                span = replace(span, end=mark.end())
        yield span


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
