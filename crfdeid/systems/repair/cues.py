"""Forms that add the name that a cue announces, and drop what is a word of a closed list only."""

from __future__ import annotations

import re
from collections.abc import Sequence

from crfdeid.systems.repair.hospitals import LETTERS
from crfdeid.systems.repair.names import NOT_SURNAMES, RELATION
from crfdeid.systems.repair.numbers import GLUED_AFTER
from crfdeid.systems.repair.spans import NAMES, Spans
from crfdeid.text.document import Span
from crfdeid.text.spans import mask_spans

WORD = r"(?:(?:Mc|Mac|O['’]|D['’])?[A-Z][a-z'’]+|[A-Z][A-Z'’]+|(?:Mc)[A-Z]+)"
NAME = rf"{WORD}(?:-{WORD})*"
NOT_NAMES = (
    r"(?:The|This|That|He|She|They|It|We|I|A|An|And|Who|Her|His|Patient|Doctor|Dr|Mr|Mrs|Ms|Will|Was|Is|At|In|On|Of|"
    r"THE|THIS|THAT|HE|SHE|THEY|IT|WE|AND|WHO|HER|HIS|PATIENT|DOCTOR|WILL|WAS|IS|AT|IN|ON|OF|TO|FOR|WITH|No|NO)\b"
)
PERSON = rf"(?!{NOT_NAMES}){NAME}"
INITIALS = r"(?:[A-Z]\. ?)*"
CUES = tuple(
    (re.compile(pattern), type)
    for pattern, type in (
        (rf"\b(?:Dr|DR)\b\.? ?(?P<name>{INITIALS}{PERSON})", "DOCTOR"),
        (rf"\b(?:Drs|DRS)\b\.? {INITIALS}{NAME},? (?:and|&|AND) (?:Dr\. )?(?P<name>{PERSON})", "DOCTOR"),
        (rf"\b(?:Mr|Mrs|Miss|(?:MR|MRS|Ms|MS)(?=\.))\b\.? (?P<name>{PERSON})", "PATIENT"),
        (rf"\b(?i:the|his|her) (?i:{RELATION}), (?P<name>{PERSON}(?: {NAME})?)(?=[.,;)])", "PATIENT"),
        (
            rf"\b(?i:page|call|contact|paged|called) (?P<name>{INITIALS}{PERSON}(?: {NAME})?)"
            r"(?= (?i:at|on) (?:x|\(?\d{3}))",
            "DOCTOR",
        ),
        (
            rf"(?m)^[ \t]*(?P<name>(?!{NOT_SURNAMES}\b){PERSON}(?:, ?{NAME}(?: [A-Z]\b)?)?)"
            r" ?(?=\((?:MRN?:? ?#?)?\d{6,10}\))",
            "PATIENT",
        ),
        (rf"(?<![\w/.-])(?P<name>\d{{6,10}})(?={GLUED_AFTER.pattern})", "MEDICALRECORD"),
    )
)
GENERIC = re.compile(
    r"(?i:(?:(?:the|a|an|to|per|this|our|outlying|outside|local)\s)*"
    r"(?:hospital|medical center|clinic|rehabilitation center|rehab center|nursing home|health center))"
    rf"|{LETTERS}|(?i:postpartum|PACU)"
)
EDGE = re.compile(r"[^\W_]")
FIELD_WORDS = re.compile(
    r"(?i:batch|exam|F\.?A\.?C\.?[SPC]\.?|es|dictated|signed|transcribed|printed|anesthesia|drains|impression)"
)


def find_names(text: str, spans: Sequence[Span]) -> Spans:
    """The word after a title, after a relative and a comma, before a pager number or before a record number
    in brackets is a name; what is glued to a name and has six digits or more is a record number."""
    mask = mask_spans(len(text), spans)
    found: list[Span] = []
    for pattern, type in CUES:
        for match in pattern.finditer(text):
            span = Span(*match.span("name"), type)
            if not any(mask[span.start : span.end]) and not _is_word(text, span):
                mask[span.start : span.end] = b"\x01" * (span.end - span.start)
                found.append(span)
    return sorted([*spans, *found]) if found else spans


def drop_words(text: str, spans: Sequence[Span]) -> Spans:
    """A hospital without a name, and the name of a field or a title, are not PHI."""
    return (span for span in spans if not _is_word(text, span))


def _is_word(text: str, span: Span) -> bool:
    pattern = GENERIC if span.type == "HOSPITAL" else FIELD_WORDS if span.type in NAMES else None
    is_whole = not EDGE.match(text, span.end) and not EDGE.match(text, max(0, span.start - 1))
    return bool(pattern and is_whole and pattern.fullmatch(text, span.start, span.end))
