"""Forms for the names of people: their edges, and whether a name is of the patient or of the staff."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import attrgetter

from crfdeid.lexicon.names import (
    ENDING_CREDENTIALS,
    KIN,
    LEADING_ROLES,
    LEADING_TITLES,
    NEXT_CREDENTIALS,
    RANKS,
    RELATION,
    SMALL_KIN,
    SMALL_LEADING_TITLES,
    STAFF_TITLES,
    WITH_STOPS,
)
from crfdeid.repair.spans import (
    NAMES,
    REACH,
    Spans,
    cut,
    join,
    join_neighbours,
    late,
    move_edges,
    search_tail,
    widen,
)
from crfdeid.text.document import Range, Span

CREDENTIAL = rf"(?:{NEXT_CREDENTIALS})"
NOT_SURNAMES = (
    r"(?:Dear|Patient|Attending|Nurse|Doctor|Dr|Sincerely|Regards|Hello|Hi|Thanks|Thank|Yours|Truly|Respectfully|Cordially|SINCERELY|YOURS|DEAR|Name|Physician|Provider|"
    r"Resident|Surgeon|Author|Room|Page|Signed|Final|Note|However|Therefore|Also|Then|Today|Yesterday|He|She|DR|MD)"
)
NAME_BEFORE = late(
    r"(?:(?<![^\W_])(?:Mc|Mac|Di|Du|La|Le|De|Van|Von|Fitz|O['’]|D['’]|Al-|El-|Abdul-)"
    rf"|(?<![\w'’-])(?!{CREDENTIAL}-|{NOT_SURNAMES}-)[A-Z][A-Za-z'’]+-)+\Z"
)
NAME_AFTER = late(rf"-(?!{CREDENTIAL}\b)[A-Z][A-Za-z'’]+(?![\w-])")
SURNAME_BEFORE = late(
    rf"(?m)(?:(?:^|[:/|])[ \t]*(?P<name>(?!{NOT_SURNAMES},)[A-Z][A-Za-z'’-]+, ?)"
    rf"|(?<![\w'’-])(?P<tight>(?!{NOT_SURNAMES},)[A-Z][A-Z'’-]+,))\Z"
)
LINE_AFTER = late(rf"[ \t]*(?:$|[\r\n/|]|\s\s|- |\(|,? ?{CREDENTIAL}(?![^\W_]))")
FIRST_AFTER = late(r", ?[A-Z][A-Za-z'’-]+(?: [A-Z]\b)?(?![\w'’-])")
INITIAL_AFTER = late(r" [A-Z]\b\.?(?=\s*(?:$|[\r\n/|(,;]|\s\s|- ))")
CELL_INITIAL = late(  # Nowak, A and Hand M in a list
    r"(?:,[ ]?|[ ])[A-Z]\b\.?(?=[ \t]*(?:\Z|[\r\n|(;\"]|[ \t]{2}))"
)
INITIALS = late(r"(?:[A-Z][a-z'’]+ )?(?:[A-Z]\. ?)+")
SURNAME_AFTER = late(
    rf" ?(?!(?:{CREDENTIAL}|{ENDING_CREDENTIALS}|{NOT_SURNAMES})(?![^\W_]))"
    r"[A-Z][A-Za-z'’]+(?:-[A-Z][A-Za-z'’]+)*(?![\w-])"
)
ABBREVIATIONS = rf"(?:A\.K\.A|A\.M|P\.M|E\.R|E\.D|O\.R|I\.V|P\.O|C\.T|G\.I|U\.S|U\.S\.A|{WITH_STOPS})"
INITIALS_BEFORE = late(rf"(?<![\w.&/'’-])(?!{ABBREVIATIONS}\.)(?:[A-Z]\. ?){{1,3}}\Z")
LETTERED = late(  # a letter after these words ends a sentence: hepatitis C. Brown says
    r"\b(?:vitamins?|hepatitis|types?|grade|stage|class|group|plan|part|section|appendix|factor|unit|room|ward|level"
    r"|step|point|protein|influenza|strep|immunoglobulin|hemoglobin|child(?:['’]s)?|pugh|option|item)\s\Z",
    re.IGNORECASE,
)
FULL_STOP = late(r"\.(?=,|;|\)| [a-z(|/]|\s\s|\s*(?:$|[\r\n]))")
LAST_INITIAL = late(r"[\w'’-]{2,}+,? ?[\w'’-]*+ [A-Z]$")
FULL_NAME = r"[A-Z][\w'’-]+ (?:[A-Z]\.? )?[A-Z][\w'’-]+"
TWO_NAMES = late(rf"({FULL_NAME}), ([A-Z][\w'’-]+(?: [A-Z][\w'’.-]+)*(?:, \w+)*)")
HALF = late(r"[A-Z][A-Za-z'’-]+(?: [A-Z]\.?)?")
COPIES = late(r"(?im)^\W*(?:cc|copy to|copies to|carbon copy)\b")
JOINED = late(r"([A-Z][\w'’-]+),? (?:and|&|AND) ([A-Z][\w'’-]+)")
COMPONENTS = late(r"(?<![\w^])[^\W\d_][\w'’-]{1,60}(?:\^[^\W\d_][\w'’-]{,60}){1,3}(?![\w^])")
TWO_SENTENCES = late(  # Otis. Otis
    r"(.*[^\W\d_]{3})(?<!\bMohd)(?<!\bMuhd)(?<!\bThos)(?<!\bChas)(?<!\bRobt)(?<!\b[SJ]nr)\. ([A-Z].*)"
)
DASHED = late(r"(.*\w) [–—] (\w.*)")  # Ana — Leo
HONORIFICS_AFTER = late(r"[ ](?i:ji|saab|sahib|saheb|bhai|garu|amma|didi|kaku)\Z")  # behind names in India
CAPITALS = late(r"[A-Z][A-Z'’-]+")
CAPITALIZED = late(r"[A-Z][a-z]+(?:[ -][A-Z][a-z]+)*")
NEAR = late(r"[ ]{1,4}")
SCANNED_NAME = late(r"[^\W\d_]+(?:[015][^\W\d_]*){1,3}(?!\w)")  # Gi11, Fr0st
SPLIT_TITLE = late(r"\b(?:Drs|DRS|Doctors)\.?\s$")

CHILD_OF = late(r"[ \t]+(?i:[sdwc]/o|a/[lp]|bint[ei]|bin|bte|bt)\.?[ \t]+")  # of Tamil, Sikh and Malay names
COMMA = late(r", ?")
ONE_WORD = late(r"[^\W\d_][\w'’-]+")
CELL_BEFORE = late(r"(?:\A|[\r\n|\"]|[ \t]{2}|(?i:\b(?:pt|patient|name))[.:]?)[ \t]*(?:\d{1,2}[.)][ \t]+)?\Z")
CELL_AFTER = late(r"[ \t]*(?:\Z|[\r\n|(;\"]|[ \t]{2}|\d|,[ \t]*\d{1,3}\b)")

PATIENT_BEFORE = late(
    r"(?:\b(?:Patient(?:['’]s)?(?: Name)?|PATIENT(?:['’]S)?(?: NAME)?|P[Tt]\.?(?: N(?:ame|AME))?|"
    r"Client|R[Ee]|Regarding|REGARDING|P(?:age|AGE))[ \t]*[:#][ \t]*"
    rf"|\b(?:(?i:{RELATION}|{KIN})|{SMALL_KIN})(?:,?\s|\s\())$"
)
DOCTOR_BEFORE = late(
    r"(?:\bDrs?\.?|\bDoctor"
    rf"|\b(?:{STAFF_TITLES})"
    r"|\b(?:(?:Dr|MD|Attending|PCP|Surgeon|Radiologist|Pathologist|Cosigner|Author|Asst|Surg)[ \t]*:"
    r"|(?:Physician|Provider|Transcriptionist)[ \t]*(?::|\s)|(?:signed|dictated|transcribed)(?: by)?[ \t]*:?"
    r"|visit with))\s*$",
    re.IGNORECASE,
)
PATIENT_AFTER = late(
    r"[\s,|/(-]{1,4}(?:(?:DOB|D\.O\.B|MRN|MR ?#|b\.|born)(?![^\W_])"
    r"|(?:age |AGE )?\d{1,3}[ -]?(?:M|F|yo|y/o|y\.o\.)(?![^\W_]))"
    r"|\s?\((?:MRN?\s?#?\s?)?\d{5,}\)|\s?\((?:[MF],|continued)|[ \t]{1,4}(?:Page|PAGE) \d",
)
DOCTOR_AFTER = late(
    rf",?[ \t]{{1,2}}{CREDENTIAL}(?![^\W_])|,{CREDENTIAL}(?![^\W_])|[ \t]*\r?\nDD?[:\t ]"
    r"|\s\((?:attending|PCP|resident|covering|surgeon|surgery|medicine|pediatrics|psychiatry|[a-z]+ology)\b",
    re.IGNORECASE,
)
TITLES_BEFORE = late(
    rf"(?:(?:(?i:{KIN}|{LEADING_TITLES})|{SMALL_KIN}|{SMALL_LEADING_TITLES}|{LEADING_ROLES}|{RANKS})\b\.?"
    r"(?:[ \t]+|:[ \t]*))+"
    r"(?=[^\W\d_])"
)
CREDENTIALS_AFTER = late(
    r"(?:[ \t]*[,–-][ \t]*|[ \t]+)"
    rf"(?:(?:{ENDING_CREDENTIALS})\b\.?[,/ ]{{0,2}})+\Z"
)
TITLED_NAME = late(  # two parts, the last one in small letters; or a part with an initial
    r"[^\W\d_]\.? ?[A-Z][a-zà-ÿ'’-]+\Z|[^\W_]\.? [A-Z]\.\Z|\A(?:[A-Z]\.){2}\Z"
)
OPENED, CLOSED = late(r" [(\"“‘']{1,2}"), late(r"[)\"”’']{1,2} ")
GLUED_BEFORE = late(r"\d{5}$")


def widen_names(text: str, spans: Sequence[Span]) -> Spans:
    """The other half of a name that a hyphen or "Mc" divides, the surname that begins the line, the first
    name after a glued surname, the initials before a surname, the surname after initials, and the last
    initial of "Ruiz, Ana M." are part of a name."""

    def find_type(first: Span, second: Span) -> str | None:
        gap = text[first.end : second.start]
        is_half = first.type in NAMES and (gap in ("-", ",") or (gap == " " and second.type in NAMES))
        return first.type if is_half and HALF.fullmatch(text, second.start, second.end) else None

    halves = list(widen(text, join_neighbours(spans, find_type), NAMES, NAME_BEFORE, NAME_AFTER))
    low = 0
    for span, following in zip(halves, [*halves[1:], None]):
        if span.type in NAMES:
            high = following.start if following else len(text)
            span = _add_surname(text, _add_initial(text, span, high), low)
            before = text[max(low, find_initials_before(text, span.start)) : span.start].lstrip()
            span = replace(span, start=span.start - len(before)) if before else span
        yield span
        low = span.end


def _add_surname(text: str, span: Span, low: int) -> Span:
    if "," not in text[max(0, span.start - 2) : span.start]:
        return span
    match = SURNAME_BEFORE.search(text, max(0, span.start - REACH), span.start)
    start = match.start(match.lastgroup or 0) if match else -1
    return replace(span, start=start) if start >= low and LINE_AFTER.match(text, span.end) else span


def _add_initial(text: str, span: Span, high: int) -> Span:
    value = text[span.start : span.end]
    initial = "," in value and INITIAL_AFTER.match(text, span.end)
    if "," not in value and text[max(0, span.start - 1) : span.start].isdigit():
        initial = FIRST_AFTER.match(text, span.end)
    if INITIALS.fullmatch(value):
        initial = SURNAME_AFTER.match(text, span.end)
    elif not initial and ONE_WORD.fullmatch(value):
        found = CELL_INITIAL.match(text, span.end)
        is_first = found and CELL_BEFORE.search(text, max(0, span.start - REACH), span.start)
        initial = found if found and (is_first or found[0][0] == ",") else None
    if not initial and LAST_INITIAL.fullmatch(value):
        initial = FULL_STOP.match(text, span.end)
    return replace(span, end=initial.end()) if initial and initial.end() <= high else span


def find_initials_before(text: str, start: int) -> int:
    """Return where the initials before a name begin, or ``start`` where none are.

    >>> find_initials_before("seen by A. Brown", 11), find_initials_before("for hepatitis C. Brown", 17)
    (8, 17)
    """
    if text[start - 1 : start] != "." and text[start - 2 : start] != ". ":
        return start
    match = INITIALS_BEFORE.search(text, max(0, start - REACH), start)
    if not match or not text[start : start + 1].isupper():
        return start
    first = match.start()
    return start if LETTERED.search(text, max(0, first - REACH), first) else first


def widen_scanned_names(text: str, spans: Sequence[Span]) -> Spans:
    """A name goes on to the end of its word where a scan wrote digits for letters: Gi11, Fr0st."""

    def find_edges(span: Span) -> Range | None:
        if span.type not in NAMES or not text[span.end : span.end + 1].isdigit():
            return None
        start = max(text.rfind(" ", 0, span.end), text.rfind("\n", 0, span.end), span.start - 1) + 1
        word = SCANNED_NAME.match(text, start)
        return (span.start, word.end()) if word and word.end() > span.end else None

    return move_edges(text, spans, find_edges)


def trim_titles(text: str, spans: Sequence[Span]) -> Spans:
    """Titles and words of kinship before a name, and what follows it, are not part of it."""
    for span in spans:
        if span.type in NAMES:
            value = text[span.start : span.end]
            before, after = TITLES_BEFORE.match(value), search_tail(CREDENTIALS_AFTER, value)
            if after and not TITLED_NAME.search(value[: after.start()]):
                after = None
            after = after or search_tail(HONORIFICS_AFTER, value)
            yield from cut(span, text, before, after)
        else:
            yield span


def join_names(text: str, spans: Sequence[Span]) -> Spans:
    """A name and the father's name behind "s/o" or "bin" are one; so are a surname and the first name behind
    its comma at the beginning of a line or a cell, and a surname in capitals and the names behind it."""

    def find_type(first: Span, second: Span) -> str | None:
        if not _is_one_name(text, first, second):
            return None
        return "PATIENT" if "PATIENT" in (first.type, second.type) else first.type

    return join_neighbours(spans, find_type)


def _is_one_name(text: str, first: Span, second: Span) -> bool:
    if not {first.type, second.type} <= NAMES or second.start - first.end > REACH:
        return False
    if CHILD_OF.fullmatch(text, first.end, second.start):
        return True
    if NEAR.fullmatch(text, first.end, second.start):  # TAN Wei Ling
        return bool(
            CAPITALS.fullmatch(text, first.start, first.end)
            and CAPITALIZED.fullmatch(text, second.start, second.end)
        )
    return (
        COMMA.fullmatch(text, first.end, second.start) is not None
        and ONE_WORD.fullmatch(text, first.start, first.end) is not None
        and ONE_WORD.fullmatch(text, second.start, second.end) is not None
        and CELL_BEFORE.search(text, max(0, first.start - REACH), first.start) is not None
        and CELL_AFTER.match(text, second.end) is not None
    )


def join_nicknames(text: str, spans: Sequence[Span]) -> Spans:
    """A nickname in quotation marks between a first name and a surname makes one name of them."""
    joined: list[Span] = []
    for span in spans:
        last = joined[-2:]
        if len(last) == 2 and {*(each.type for each in last), span.type} <= NAMES:
            first, nickname = last
            if (
                OPENED.fullmatch(text, first.end, nickname.start)
                and CLOSED.fullmatch(text, nickname.end, span.start)
                and nickname.end - nickname.start < REACH
            ):
                joined[-2:] = [join(join(first, nickname), span)]
                continue
        joined.append(span)
    return joined


def split_names(text: str, spans: Sequence[Span]) -> Spans:
    """Two people after "cc" or "Drs.", in two sentences, or beside a dash are two spans."""
    line = low = 0
    for span in spans:
        match = None
        if span.type in NAMES:
            line, low = max(line, text.rfind("\n", low, span.start) + 1), span.start
            if COPIES.match(text, line, span.start):
                match = TWO_NAMES.fullmatch(text, span.start, span.end)
            elif SPLIT_TITLE.search(text, max(line, span.start - REACH), span.start):
                match = JOINED.fullmatch(text, span.start, span.end)
            for pattern in (TWO_SENTENCES, DASHED):
                match = match or pattern.fullmatch(text, span.start, span.end)
        if match:
            yield replace(span, end=match.end(1))
            yield replace(span, start=match.start(2))
        else:
            yield span


def mark_names(text: str, spans: Sequence[Span]) -> Spans:
    """A field, a credential or a doctor's title tells whether a name is the patient's or a doctor's; a name
    without one has the type of the same name elsewhere in the note, alone or as a part of a full name."""
    names = [(span, _find_type(text, span), _name_words(text, span)) for span in spans if span.type in NAMES]
    known: defaultdict[frozenset[str], Counter[str]] = defaultdict(Counter)
    for span, type, words in names:
        for key in {words, *(frozenset({word}) for word in words)}:
            known[key][type or span.type] += 100 if type else 1
    marked = iter([_mark_name(span, type, known[words] if words else None) for span, type, words in names])
    return [next(marked) if span.type in NAMES else span for span in spans]


def _mark_name(span: Span, type: str | None, known: Counter[str] | None) -> Span:
    """Return the name with its type, or with that of the same name elsewhere in the note."""
    chosen = type or (known.most_common(1)[0][0] if known else span.type)
    return span if chosen == span.type else replace(span, type=chosen)


def _find_type(text: str, span: Span) -> str | None:
    """Return the type that the text beside a name gives, if it gives one."""
    start = max(0, span.start - REACH)
    of_patient = PATIENT_BEFORE.search(text, start, span.start) or PATIENT_AFTER.match(text, span.end)
    of_doctor = DOCTOR_BEFORE.search(text, start, span.start) or DOCTOR_AFTER.match(text, span.end)
    if of_patient or of_doctor:
        return None if of_patient and of_doctor else "PATIENT" if of_patient else "DOCTOR"
    return "PATIENT" if GLUED_BEFORE.search(text, start, span.start) else None


def _name_words(text: str, span: Span) -> frozenset[str]:
    """Return the words of a name, except initials."""
    return frozenset(re.findall(r"[^\W\d_]{2,}", text[span.start : span.end].lower()))


def join_components(text: str, spans: Sequence[Span]) -> Spans:
    """The components of a name in HL7, with ^ between them, are one span if one of them is a name."""
    kept: list[Span] = []
    taken = 0  # spans that are kept or joined
    for match in COMPONENTS.finditer(text) if "^" in text else ():
        first = bisect_right(spans, match.start(), taken, key=attrgetter("end"))
        last = bisect_left(spans, match.end(), first, key=attrgetter("start"))
        inside = spans[first:last]
        if inside and all(span.type in NAMES for span in inside):
            type = Counter(span.type for span in inside).most_common(1)[0][0]
            whole = replace(reduce(join, inside), start=match.start(), end=match.end(), type=type)
            kept += [*spans[taken:first], whole]
            taken = last
    return [*kept, *spans[taken:]]
