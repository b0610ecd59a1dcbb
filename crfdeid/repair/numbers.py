"""Forms for numbers: glued to names, to dates and to each other; and which kind of number one is."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

from crfdeid.repair.dates import NOT_DAY_AFTER
from crfdeid.repair.spans import NAMES, NUMBERS, PHONE_TYPES, Context, Spans, join_neighbours, late, widen
from crfdeid.text.document import Span

COMMAS = (",", ", ")
NEAR = 30  # characters from a surname to the first name
CUE = 24  # characters before a number in which its label is

NUMBER_DATE = late(
    r"(?:(?P<group>\d{2,3}) / (?=\d{1,2}/\d{1,2}/\d{2,4}$)"
    r"|(?P<long>.*\d{2}) */ +(?=\d{1,2}/\d{1,2}(?:/\d{2,4})?$)"
    r"|(?P<age>\d[\d -]{3,}\d) / (?=\d{1,3}$))"
)
GLUED = late(r"(\d{5,})((?:[A-Z][a-z]|[A-Z][A-Za-z'’-]{2,}(?:, ?[A-Z][A-Za-z'’. -]*)?))$")
NUMBER_NAME = late(r"(\d{5,})[ \t]*(?=[A-Z][A-Za-z'’-]+)")
NAME_NUMBER = late(r"[A-Za-z.,'’ -]*[A-Za-z]\.?(?=[ \t]+(\d{5,})$)")
LABEL = (
    r"(?:RADIOLOGY|EXAM|PAGE|DATE|NAME|ROOM|REPORT|ACCESSION|ADMISSION|DISCHARGE|PATIENT|UNITS?|DOB|MRN|SEX|AGE|"
    r"ADM|DIS|ACCT|STATUS|FINAL|DRAFT|SIGNED|TYPE|SERVICE|MALE|FEMALE|THE|AND|FOR)"
)
GLUED_AFTER = late(
    rf"(?!(?i:{LABEL})\b|Radiology|Exam|Page|Date)"
    r"(?:[A-Z]{3,}(?:[-'’][A-Z]+)*|[A-Z]['’]?[A-Z]?[a-z]{2,}(?:[-'’][A-Z][a-z]+)*)\b"
)
LETTERS_BEFORE = late(r"(?<![^\W_])(?!(?i:MRN|CSN|SSN|NPI))(?:[A-Z]{1,3}|[a-z]{1,3})\Z")
LETTER_AFTER = late(r"(?<=\d)[A-Z](?![A-Za-z0-9])")
AGE_BEFORE = late(r"(?<![\d/.,-])\d{1,2}(?:[- ][13]/(?=[24]$)|\.(?=\d$))")
HALF = late(r"[½¼¾]")
TWO_PHONES = late(r"(.*\d{4})\s*(?:/|,|;|\||\bor\b)\s*(\(?\d{3}\)?[-. /]?\d{3}[-.]\d{4})")
FAX_BEFORE = late(
    r"(?<![\w/&])(?<!or )(?<!and )"
    r"(?:(?:fax(?:ed)?|facsimile|fx)(?: ?(?:no|number|num|line))?\.?|F(?=[:.])|\(f\))"
    r"(?:[\s:#.]*| (?:is|to|at) )\(?$",
    re.IGNORECASE,
)
FAX_AFTER = late(r" ?[(\[]f(?:ax)?[)\]]| fax\b(?![\s:#.]*[\d(])", re.IGNORECASE)
PHONE_BEFORE = late(
    r"(?<![\w/&])(?:phone|telephone|tel|cell|mobile|pager|beeper|ph)(?: ?(?:no|number|num))?\.?[\s:#]*\(?$",
    re.IGNORECASE,
)
OF_NUMBER = r"(?:\.?\s?(?:no|number|num|id|#))?\.?\s?[:#=]{0,2}\s*(?:(?:is|was)\s)?$"
LABELS = {
    "SSN": r"SSN|SS(?=#)|social security",
    "MEDICALRECORD": r"MRN|MR(?=\s?(?:#|no\b))|U(?=#)|medical record|med\.? rec\.?|unit (?=no|number|#)|"
    r"NHI|CHI|NHS|URN|UR|UHID|HRN|MRD|BHT|folder|(?:hosp|hospital|IP|OP|OPD|chart|patient|clinic)\.? "
    r"(?=no|number|id|#)",
    "ACCOUNT": r"acct|account",
    "IDNUM": r"NPI|CSN|batch|conf|confirmation|accession|authorization|job|specimen|rad (?=no)",
    "LICENSE": r"GMC|NMC|AHPRA|HPCSA|NZMC|MCNZ|APC|DEA",
    "HEALTHPLAN": r"HCN|PHN|PHIN|MCP|MSI|HSN|OHIP|RAMQ|NUHIP|NHIF|GMS|policy|"
    r"(?:medical aid|member|subscriber|medicare|medicaid) (?=id|no|number|#)",
}
LABEL_OF = {
    type: late(rf"(?<![^\W_])(?:{labels}){OF_NUMBER}", re.IGNORECASE) for type, labels in LABELS.items()
}
ANY_LABEL = late(rf"(?<![^\W_])(?:{'|'.join(LABELS.values())}){OF_NUMBER}", re.IGNORECASE)
SSN = late(r"\d{3}-\d{2}-\d{4}")
LABELLED = NUMBERS | PHONE_TYPES | {"ZIP", "USERNAME", "BIOID", "DATE", "VEHICLE"}
GLUED_TYPES = {"MEDICALRECORD", "ACCOUNT", "IDNUM", "SSN"}
LONG = late(r"\d{6,}")
FULL_DATE = late(
    r"(?:(?:19|20|21)\d\d(?:0[1-9]|1[0-2])[0-3]\d|(?:0[1-9]|1[0-2])[0-3]\d(?:(?:19|20|21)\d\d|\d\d))"
)
TIMESTAMP = late(  # of a message: the time of the day behind the date
    r"((?:19|20|21)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?"
)
AGE = late(r"\d{1,3}")
SEX_AFTER = late(r"(?: {1,2}|/|\t)(?:M|F|male|female)(?![^\W_])")
CODE = late(r"(?=(?:\D*\d){5}|[A-Z]{3}\d{4}$)[A-Za-z0-9][\w/:-]*(?: \d[\d-]+)*")
PARTS = late(r"(?:\d{2,3} )+\d{2,3}")

# Numbers that are not ages, and numbers that are not a person's.
REST = r"(?:[ -](?i:one|two|three|four|five|six|seven|eight|nine)\b|[.,]\d+)?"  # of "sixty-one", "46.8"
MEASURE = (  # MM is a myeloma, MG a myasthenia, MI an infarct, FT full-time
    r"(?:(?i:km|kgs?|kilos?|lbs?|pounds|miles|cm|mcg|mls?|mmhg|bpm|mph|kpa|mmol|inch(?:es)?|met(?:re|er)s|gauge)"
    r"|mm(?! hm)|mg|(?i:mi)(?= (?i:from|to|away|off|out|[nsew]|north|south|east|west)\b)"
    r"|(?i:ft|feet)(?= (?i:w|with|up|down|from|fall|tall|away|high|long|deep|wide|of|above|below|off|drop)\b)"
    r"|(?i:min(?:ute)?s?)(?! (?i:old|of (?:age|life))| ?[/,]))(?![^\W_])"
)
PERIOD = r"(?:years?|yrs?|months?|mths?|mos?|weeks?|wks?|days?|hours?|hrs?)"
DURATION = (
    rf"(?i:{PERIOD} (?:ago|after|later|earlier|hence|apart|out (?:of|from)|sober|clean(?! shaven)|housed"
    r"|in recovery|on(?=[,.;]| (?:and|she|he|it|i|we|they)\b)|of (?:practice|experience|marriage|sobriety"
    r"|service|abuse|use|treatment|follow-?up|recovery|abstinence|exposure|employment|education|work|[a-z]+ing)"
    r"|(?<=hours )since|(?<=hrs )since)|(?:weeks?|wks?|months?|mths?|/12|/52) (?:pregnant|gestation))"
    r"(?![^\W_])"
)
FOR = (
    r"\b(?i:(?<!normal )(?<!small )(?<!big )(?<!tall )(?<!large )(?<!good )(?<!fine )(?<!well )for|after"
    r"|another|within|(?:partner|wife|husband|friend) of) "
)
COUNTED = (
    r"corner|vessel|view|lead|point|stage|step|pack|hour|minute|bed|bedroom|storey|story|way|pin|ply|mile"
)
SCORES = (
    r"SATS?|[Ss]ats|[Oo]2 [Ss]at|SpO2|SPO2|HR|RR|BP|HAM-?D|PHQ-?[289]?|GAD-?7|GCS|MMSE|MoCA|MOCA|EPDS|GAF"
    r"|BDI|MADRS|BMI|(?i:wt|weight|size|sz|level|lvl|sess|session|room|rm|cabin|queue|token)"
)
NO_PERSON = (  # behind the number
    r"(?!,? ?(?:[-/] ?)?(?i:y|yo|y/o|y\.o|yrs?|years?|months?|mths?|mo|weeks?|wks?|days?|[mf]|male|female|man"
    r"|woman)(?![^\W_]))"
)
NOT_AGES = (
    Context(after=rf"{REST}(?:[ -]?{MEASURE}| ?[%°])"),
    Context(after=rf"{REST}[ -]?{DURATION}"),
    Context(before=FOR, after=rf"{REST}[ -]?(?i:{PERIOD})\b(?![ -](?i:olds?|of (?:age|life))\b)", reach=12),
    Context(r"\d{1,2}", after=rf"(?i:st|nd|rd|th){NOT_DAY_AFTER.pattern}"),
    Context(after=rf"-(?i:{COUNTED})\b"),
    Context(
        r"\d|1[0-2]|(?i:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)",
        after=r" ?(?i:[ap]\.?m|o['’]?clock|in the (?:morning|afternoon|evening))\b",
    ),
    Context(r"[234]\d", after=r" ?\+ ?[0-6](?!\d)"),  # weeks and days of a pregnancy
    Context(before=rf"(?<![^\W_])(?:{SCORES})[.:=]? ?(?:(?i:was|is|of|now|at) )?", after=NO_PERSON, reach=16),
    Context(r"\d+", before=r"(?<![^\s(,:;])(?:[A-EG-LN-Z]|\.)", after=NO_PERSON, reach=2),  # B12, .22
)
COUNTED_TYPES = frozenset({"MEDICALRECORD", "IDNUM", "PHONE", "ZIP", "ROOM", "VEHICLE"})
CODES = r"(?:CPT|HCPCS|MBS|ISO|ORS|CFR|USC|LOINC|SNOMED|ICD-?(?:9|10)?)(?: codes?| no\.?)?[:#]? ?"
NOT_NUMBERS = (
    Context(before=rf"(?<![^\W_]){CODES}", reach=16),
    Context(rf"{CODES}\d.*"),
    Context(r"(?:[01]\d|2[0-3])[0-5]\d", before=r"~ ?|\bETA:? ?"),
    Context(r"ETA:? ?(?:[01]\d|2[0-3])[0-5]\d"),
)
SHORT = Context(r"(?:[A-Z]{1,3} )?\d{1,2}", before=r"(?<![^\W_])(?<!\d )", after=r"(?![^\W_]| \d)")


def split_numbers(text: str, spans: Sequence[Span]) -> Spans:
    """A number and a date or an age with a slash and a blank between them are two spans."""
    for span in spans:
        if span.type not in NUMBERS | {"DATE"}:
            yield span
            continue
        match = NUMBER_DATE.match(text[span.start : span.end])
        if match and (match["long"] is None or sum(map(str.isdigit, match["long"])) > 4):
            found = match.lastgroup or ""
            yield replace(span, end=span.start + match.end(found), type="MEDICALRECORD")
            yield replace(span, start=span.start + match.end(), type="AGE" if match["age"] else "DATE")
        else:
            yield span


def join_numbers(text: str, spans: Sequence[Span]) -> Spans:
    """Groups of two or three digits with a blank between them are one number: "87 30" and "38"."""

    def find_type(first: Span, second: Span) -> str | None:
        is_number = second.type == "MEDICALRECORD" and first.type in NUMBERS | {"USERNAME"}
        whole = is_number and PARTS.fullmatch(text, first.start, second.end)
        return "MEDICALRECORD" if whole else None

    return join_neighbours(spans, find_type)


def split_glued_name(text: str, spans: Sequence[Span]) -> Spans:
    """A number and the name that it is glued to, or beside, are two spans."""
    starts = {span.start for span in spans}
    for span in spans:
        value = text[span.start : span.end]
        if span.type in NAMES:
            yield from _split_name(span, value)
        elif span.type in NUMBERS and (match := GLUED.match(value)):
            middle = span.start + match.end(1)
            yield replace(span, end=middle)
            yield replace(span, start=middle, type=_find_name_type(spans, middle))
        else:
            yield span
            if span.type in LABELLED:
                yield from _find_glued(text, span, spans, starts)


def _split_name(span: Span, value: str) -> Spans:
    """Yield a name, and a number of five digits or more at one of its edges."""
    if match := NUMBER_NAME.match(value):
        yield replace(span, end=span.start + match.end(1), type="MEDICALRECORD")
        yield replace(span, start=span.start + match.end())
    elif match := NAME_NUMBER.match(value):
        yield replace(span, end=span.start + match.end())
        yield replace(span, start=span.start + match.start(1), type="MEDICALRECORD")
    else:
        yield span


def _find_glued(text: str, span: Span, spans: Sequence[Span], starts: set[int]) -> Spans:
    """Yield the word right after a number of six digits or more that no span covers."""
    if span.end in starts or not text[span.end : span.end + 1].isupper():
        return
    value, match = text[span.start : span.end], GLUED_AFTER.match(text, span.end)
    if not match or len(value) < 6 or not value.isdigit():
        return
    following = bisect_right(spans, span.end, key=attrgetter("end"))
    if following == len(spans) or spans[following].start >= match.end():
        yield replace(span, start=span.end, end=match.end(), type=_find_name_type(spans, span.end))


def _find_name_type(spans: Sequence[Span], at: int) -> str:
    """Return the type of the next name of the line, which begins near ``at``; else PATIENT."""
    first = bisect_right(spans, at, key=attrgetter("start"))
    after = bisect_right(spans, at + NEAR, key=attrgetter("start"))
    return next((span.type for span in spans[first:after] if span.type in NAMES), "PATIENT")


def join_glued_name(text: str, spans: Sequence[Span]) -> Spans:
    """A surname that a number is glued to and the first name after a comma are one span."""

    def find_type(first: Span, second: Span) -> str | None:
        is_glued = first.type in NAMES and text[max(0, first.start - 1) : first.start].isdigit()
        is_name = is_glued and second.type == first.type and text[first.end : second.start] in COMMAS
        return first.type if is_name else None

    return join_neighbours(spans, find_type)


def widen_numbers(text: str, spans: Sequence[Span]) -> Spans:
    """Up to three letters of one case that begin a number, and the last letter of a ward, are part of it."""
    end = 0
    for span in widen(text, spans, {"DEPARTMENT", "ROOM"}, after=LETTER_AFTER):
        is_number = span.type in NUMBERS and text[span.start].isdigit()
        match = is_number and LETTERS_BEFORE.search(text, max(end, span.start - 4), span.start)
        yield replace(span, start=match.start()) if match else span
        end = span.end


def widen_ages(text: str, spans: Sequence[Span]) -> Spans:
    """Years before a fraction of a year are part of an age: "2-1/2", "5.5"; and a sign for the fraction."""
    low = 0
    for span in widen(text, spans, {"AGE"}, after=HALF):
        if span.type == "AGE":
            match = AGE_BEFORE.search(text, max(low, span.start - 5), span.end)
            if match and match.end() == span.start:
                span = replace(span, start=match.start())
        yield span
        low = span.end


def drop_ages(text: str, spans: Sequence[Span]) -> Spans:
    """A measure, a duration, a score, a time, a calibre and the number of a room are not ages."""
    return [span for span in spans if span.type != "AGE" or not any(c.matches(text, span) for c in NOT_AGES)]


def drop_numbers(text: str, spans: Sequence[Span]) -> Spans:
    """A time, a record of two digits, and the number of a standard, a law or a tariff are not a person's."""
    for span in spans:
        is_short = span.type == "MEDICALRECORD" and SHORT.matches(text, span)
        if not is_short and not (
            span.type in COUNTED_TYPES and any(c.matches(text, span) for c in NOT_NUMBERS)
        ):
            yield span


def split_phones(text: str, spans: Sequence[Span]) -> Spans:
    """Two phone numbers with a slash, a comma or "or" between them are two spans."""
    for span in spans:
        match = span.type in PHONE_TYPES and TWO_PHONES.fullmatch(text, span.start, span.end)
        if match:
            yield replace(span, end=match.end(1))
            yield replace(span, start=match.start(2))
        else:
            yield span


def mark_phones(text: str, spans: Sequence[Span]) -> Spans:
    """A phone number with the word fax is a fax number; one with the word phone is not."""
    for span in spans:
        if span.type in PHONE_TYPES:
            before = FAX_BEFORE.search(text, max(0, span.start - CUE), span.start)
            if before or FAX_AFTER.match(text, span.end):
                span = replace(span, type="FAX")
            elif PHONE_BEFORE.search(text, max(0, span.start - CUE), span.start):
                span = replace(span, type="PHONE")
        yield span


def mark_numbers(text: str, spans: Sequence[Span]) -> Spans:
    """The label before a number, a name beside it, or the shape of a social security number gives its type;
    a number before "M" or "F" is no date but an age; a date with a time behind it is a date."""
    for previous, span, following in zip([None, *spans], spans, [*spans[1:], None]):
        stamp = TIMESTAMP.fullmatch(text, span.start, span.end) if span.type in LABELLED else None
        if stamp:
            span = replace(span, end=stamp.end(1), type="DATE")
        elif span.type in LABELLED and CODE.fullmatch(text, span.start, span.end):
            type = _find_number_type(text, span, previous, following)
            span = span if type == span.type else replace(span, type=type)
        elif span.type == "DATE" and AGE.fullmatch(text, span.start, span.end):
            span = replace(span, type="AGE") if SEX_AFTER.match(text, span.end) else span
        yield span


def _find_number_type(text: str, span: Span, previous: Span | None, following: Span | None) -> str:
    low = max(0, span.start - CUE)
    if ANY_LABEL.search(text, low, span.start):
        return next(type for type, label in LABEL_OF.items() if label.search(text, low, span.start))
    if LONG.fullmatch(text, span.start, span.end) and not FULL_DATE.fullmatch(text, span.start, span.end):
        is_glued = following and following.type in NAMES and following.start == span.end
        in_brackets = previous and previous.type in NAMES and text[previous.end : span.start] in (" (", "(")
        if in_brackets or (is_glued and span.type not in GLUED_TYPES) or span.type == "DATE":
            return "MEDICALRECORD"
    is_social = span.type in NUMBERS and SSN.fullmatch(text, span.start, span.end)
    return "SSN" if is_social else span.type
