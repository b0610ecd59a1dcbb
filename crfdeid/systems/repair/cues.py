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
NAME = rf"{WORD}(?:-(?:{WORD}|[A-Za-z]+))*"
NOT_NAMES = (
    r"(?:The|This|That|He|She|They|It|We|I|A|An|And|Who|Her|His|Patient|Doctor|Dr|Mr|Mrs|Ms|Will|Was|Is|At|In|On|Of|"
    r"THE|THIS|THAT|HE|SHE|THEY|IT|WE|AND|WHO|HER|HIS|PATIENT|DOCTOR|WILL|WAS|IS|AT|IN|ON|OF|TO|FOR|WITH|No|NO)\b"
)
PERSON = rf"(?!{NOT_NAMES}){NAME}"
INITIALS = r"(?:[A-Z]\. ?)*"
BLANK = r"(?:[ \t]+|[ \t]*\r?\n[ \t]*)"
PEOPLE = (
    r"(?i:pt|patient|this|that|mother|father|brother|sister|husband|wife|son|daughter|client|infant|child|baby|donor|"
    r"resident|male|female|man|woman|boy|girl|person|gentleman|lady|subject|caller|she|he|who|which|there|it)\b"
)
SERVICE = r"(?:GI|ENT|ID|PCP|[a-z]+ology|surgery|attending|resident|covering)"
DOES = r"(?i:will|was|saw|sees|has|is|agrees?|recommends?|recommended|called|advised|asked)\b"
NOT_SIGNERS = (
    r"(?i:resident|attending|dictated|electronically|signed|staff|medical|not|phone|fax|physician|nurse|"
    r"transcription|voice|computer|the|telephone|proxy|rn|np|pa|md|phd|pgy|ms)\b"
)
ROLE = (
    r"anesthesiologist|surgeon|assistant|consultant|cosigner|author|asst|surg|attending|pcp|"
    r"radiologist|pathologist"
)
NOBODY = (
    r"(?i:none|same|self|unknown|see|as|yes|no|not|n/a|na|per|on|present|myself|above|both|tbd|"
    r"general|local)\b"
)
SHORT = r"(?:Do|To|Le|Ho|My|Im|Oh|Ng)\b"

# Each cue: its pattern, the type of what it announces, and strings of which the text (in small letters) has
# at least one. A search for them is much quicker than the pattern.
CUES = tuple(
    (re.compile(pattern), type, tuple(needs.split("|")))
    for pattern, type, needs in (
        (rf"\b(?:Dr|DR)\b\.?{BLANK}?(?P<name>{INITIALS}{PERSON})", "DOCTOR", "dr"),
        (
            rf"\b(?:Drs|DRS)\b\.?{BLANK}{INITIALS}{NAME},?{BLANK}(?:and|&|AND){BLANK}(?:Dr\. )?"
            rf"(?P<name>{PERSON})",
            "DOCTOR",
            "drs",
        ),
        (rf"\b(?:Mr|Mrs|Miss|(?:MR|MRS|Ms|MS)(?=\.))\b\.?{BLANK}(?P<name>{PERSON})", "PATIENT", "mr|ms|miss"),
        (
            rf"\b(?i:the|his|her){BLANK}(?i:{RELATION}),{BLANK}(?P<name>{PERSON}(?: {NAME})?)(?=[.,;)])",
            "PATIENT",
            "",
        ),
        (
            rf"\b(?i:page|call|contact|paged|called){BLANK}(?P<name>{INITIALS}{PERSON}(?: {NAME})?)"
            rf"(?={BLANK}(?i:at|on){BLANK}(?:x|\(?\d{{3}}))",
            "DOCTOR",
            "page|call|contact",
        ),
        (
            rf"(?m)^[ \t]*(?P<name>(?!{NOT_SURNAMES}\b){PERSON}(?:, ?{NAME}(?: [A-Z]\b)?)?)"
            r" ?(?=\((?:(?:MRN?:? ?#?)?\d{6,10}\)|[MF], \d))",
            "PATIENT",
            "(",
        ),
        (
            rf"\b(?i:(?:signed|dictated|authenticated|transcribed|verified|acknowledged) by):?{BLANK}"
            rf"(?P<name>(?!{NOT_SIGNERS}){PERSON}(?:, ?| )(?!{NOT_SIGNERS}){NAME}(?: [A-Z]\b)?)",
            "DOCTOR",
            "signed|dictated|authenticated|transcribed|verified|acknowledged",
        ),
        (
            rf"\b(?P<name>{PERSON}) ?(?=\({SERVICE}\){BLANK}{DOES})",
            "DOCTOR",
            "(gi)|(ent)|(id)|(pcp)|ology)|(surgery)|(attending)|(resident)|(covering)",
        ),
        (
            rf"\b(?P<name>{PERSON}) ?(?=\((?:covering|attending|nephrology|cardiology)\b)",
            "DOCTOR",
            "(covering|(attending|(nephrology|(cardiology",
        ),
        (rf"\((?i:covering for) (?P<name>{PERSON})\)", "DOCTOR", "(covering"),
        (
            rf"\b(?i:{ROLE})[ \t]*:[ \t]*(?P<name>(?!{NOT_SIGNERS}|{NOBODY}){INITIALS}(?:{PERSON}|{SHORT})"
            rf"(?:, ?(?!{NOT_SIGNERS}){NAME}(?: [A-Z]\b)?)?)(?=[ \t]*(?:[\r\n(,;]|$|\s\s))",
            "DOCTOR",
            "anesthesiologist|surgeon|assistant|consultant|cosigner|author|asst|surg|attending|pcp|ologist",
        ),
        (
            rf"\b(?:PT|Pt|PATIENT|Patient)(?: NAME| Name)?:?[ \t]+(?P<name>{PERSON}, ?{NAME}(?: [A-Z]\b)?)"
            r"(?=\s*[/(|\n]|\s\s)",
            "PATIENT",
            "pt|patient",
        ),
        (
            rf"\b(?P<name>(?!{NOT_SIGNERS}){PERSON}(?: [A-Z]\.)? (?!{NOT_SIGNERS}){NAME})"
            r"(?=, (?:MD|M\.D\.|D\.O\.|MSN|RN|R\.N\.|FNP|PA-C)(?![^\W_]))",
            "DOCTOR",
            ", md|, m.d.|, d.o.|, msn|, rn|, r.n.|, fnp|, pa-c",
        ),
        (rf"\bI, (?P<name>{PERSON}(?: {NAME})?)(?=, )", "DOCTOR", "i, "),
        (
            rf"(?:(?m:^)|(?<=[.!?] )|(?<=  ))(?P<name>(?!{PEOPLE}){PERSON})"
            rf"(?={BLANK}(?i:is){BLANK}(?i:an?){BLANK}(?i:pleasant )?\d{{1,3}}[ -](?i:year))",
            "PATIENT",
            "year",
        ),
        (r"\bNPI(?: (?:no|number))?[.:#]*\s*(?P<name>\d{10})(?!\d)", "IDNUM", "npi"),
        (r"\bMRN[.:#]*\s*(?P<name>\d[\d-]{3,10}\d)(?![\w-])", "MEDICALRECORD", "mrn"),
        (r"\bSSN[.:#]*\s*(?P<name>\d{3}-\d{2}-\d{4})(?!\d)", "SSN", "ssn"),
        (rf"(?<![\w/.-])(?P<name>\d{{6,10}})(?={GLUED_AFTER.pattern})", "MEDICALRECORD", ""),
    )
)
GENERIC = re.compile(
    r"(?i:(?:(?:the|a|an|to|per|this|our|outlying|outside|local)\s)*"
    r"(?:hospital|medical center|clinic|rehabilitation center|rehab center|nursing home|health center))"
    rf"|{LETTERS}|(?i:postpartum|PACU)"
)
EDGE = re.compile(r"[^\W_]")
FIELD_WORDS = re.compile(
    r"(?i:batch|exam|F\.?A\.?C\.?[SPC]\.?|es|dictated|signed|transcribed|printed|anesthesia|drains|impression|seen|dear)"
)


def find_names(text: str, spans: Sequence[Span]) -> Spans:
    """The word after a title or a role, after a relative and a comma, before a pager number, a credential,
    or a service or record number in brackets is a name; a number after "NPI" or glued to a name is a
    person's."""
    mask = mask_spans(len(text), spans)
    found: list[Span] = []
    low = text.lower()
    for pattern, type, needs in CUES:
        if not any(need in low for need in needs):
            continue
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
