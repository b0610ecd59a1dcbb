"""Forms that add the name that a cue announces, and drop what is a word of a closed list only."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from functools import cached_property

from crfdeid.lexicon.names import (
    CREDENTIALS,
    CUE_CREDENTIALS,
    DOCTOR_TITLE_CUES,
    DOCTORS_TITLE_CUES,
    PATIENT_TITLE_CUES,
    RANKS,
    RELATION,
    SHORT_TITLES,
)
from crfdeid.repair import spans
from crfdeid.repair.names import NOT_SURNAMES
from crfdeid.repair.numbers import GLUED_AFTER
from crfdeid.repair.places import LETTERS
from crfdeid.repair.spans import CURLY, NAMES, Anchor, JoinedTexts, Spans, late
from crfdeid.text.document import Range, Span, mask_spans

WORD = r"(?:(?:Mc|Mac|O['’]|D['’])?[A-Z][a-z'’]+|[A-Z][A-Z'’]+|(?:Mc)[A-Z]+)"
LAST = r"(?![A-Za-z'’])"
PART = rf"(?:{WORD}{LAST}|(?!{WORD}{LAST})(?:{WORD}|[A-Za-z]+))"  # one way to match a whole part
NAME = rf"{WORD}(?:-{PART})*"
NOT_NAMES = (
    r"(?:The|This|That|He|She|They|It|We|I|A|An|And|Who|Her|His|Patient|Doctor|Will|Was|Is|At|In|On|Of|"
    r"THE|THIS|THAT|HE|SHE|THEY|IT|WE|AND|WHO|HER|HIS|PATIENT|DOCTOR|WILL|WAS|IS|AT|IN|ON|OF|TO|FOR|WITH|No|NO|"
    rf"{SHORT_TITLES})\b"
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
    r"transcription|voice|computer|the|telephone|proxy|pgy|ms|"
    rf"{'|'.join(CREDENTIALS)})\b"
)
ROLE = (
    r"anesthesiologist|surgeon|assistant|consultant|cosigner|author|asst|surg|attending|pcp|"
    r"radiologist|pathologist|case manager|social worker|scribe|rn"
)
ROLE_END = r"(?i:(?<=[ns]t)|(?<=o[nr])|(?<=[nr]g)|(?<=cp)|(?<=[eb][re])|(?<=rn)|(?<=[ \t]))"
NOBODY = (
    r"(?i:none|same|self|unknown|see|as|yes|no|not|n/a|na|per|on|present|myself|above|both|tbd|"
    r"general|local)\b"
)
SHORT = r"(?:Do|To|Le|Ho|My|Im|Oh|Ng)\b"

OLD = rf"{BLANK}(?i:is){BLANK}(?i:an?){BLANK}(?i:pleasant )?\d{{1,3}}[ -]"
RANK = late(rf"(?:{RANKS})\.?")
NUMBER_IN_BRACKETS = r"\((?:(?:MRN?:? ?#?)?\d{6,10}\)|[MF], \d)"
SIGNER = rf"(?!{NOT_SIGNERS}){PERSON}"
CREDENTIAL = rf", (?:{CUE_CREDENTIALS})(?![^\W_])"
WINDOW = 100  # characters before an anchor in which a match begins


class CuePatterns:
    """The two parts of a cue's pattern, compiled when a text first has an anchor."""

    def __init__(self, before: str, after: str) -> None:
        self.parts = before, after

    @cached_property
    def before(self) -> re.Pattern[str] | None:
        return re.compile(rf"(?:{self.parts[0]})\Z") if self.parts[0] else None

    @cached_property
    def after(self) -> re.Pattern[str]:
        return re.compile(self.parts[1])


class Cue:
    """A cue that announces a name: a pattern in two parts, of which one has the group ``name``.

    ``before`` ends where ``after`` begins, at most ``WINDOW`` characters after its own start. There is one of
    the ``anchors``, which begins ``shift`` characters before: the patterns are asked only there. For a text
    without a curly apostrophe, which most are after folding, they do not have it either: sets of characters
    with it take five times as long to compile.
    """

    def __init__(
        self, type: str, *anchors: Anchor, shift: int = 0, before: str = "", after: str = ""
    ) -> None:
        self.type, self.anchors, self.shift, self.pattern = type, anchors, shift, before + after
        self.curly = CuePatterns(before, after)
        self.straight = CuePatterns(before.replace(CURLY, ""), after.replace(CURLY, ""))

    def find(self, joined: JoinedTexts) -> Iterator[tuple[int, Range]]:
        """Yield the ranges of the names that ``pattern`` finds, each with the number of its text."""
        last = low = 0
        for number, place in joined.find(*self.anchors):
            at = place + self.shift
            last, low = number, low if number == last else 0
            patterns = self.curly if joined.curly[number] else self.straight
            if at >= low and (name := match_cue(patterns, joined.texts[number], low, at)):
                low = name[1]
                yield number, name


def match_cue(patterns: CuePatterns, text: str, low: int, at: int) -> Range | None:
    """Return the range of the name whose cue has its anchor at ``at`` and begins at ``low`` or later."""
    after = patterns.after.match(text, at)
    if not after:
        return None
    before = patterns.before.search(text, max(low, at - WINDOW), at) if patterns.before else None
    if patterns.before and not before:
        return None
    return (before if before and "name" in before.re.groupindex else after).span("name")


CUES = (
    Cue(
        "DOCTOR",
        spans.TITLE_OF_DOCTOR,
        after=rf"\b(?:{DOCTOR_TITLE_CUES})\b\.?{BLANK}?(?P<name>{INITIALS}{PERSON})",
    ),
    Cue(
        "DOCTOR",
        spans.TITLE_OF_DOCTOR,
        after=rf"\b(?:{DOCTORS_TITLE_CUES})\b\.?{BLANK}{INITIALS}{NAME},?{BLANK}(?:and|&|AND){BLANK}"
        rf"(?:Dr\. )?(?P<name>{PERSON})",
    ),
    Cue(
        "PATIENT",
        spans.TITLE_OF_PATIENT,
        after=rf"\b(?:{PATIENT_TITLE_CUES})\b\.?{BLANK}(?P<name>{PERSON})",
    ),
    Cue(
        "PATIENT",
        spans.RELATION,
        shift=2,
        before=rf"\b(?i:the|his|her){BLANK}(?i:{RELATION})",
        after=rf",{BLANK}(?P<name>{PERSON}(?: {NAME})?)(?=[.,;)])",
    ),
    Cue(
        "DOCTOR",
        *(spans.PAGE, spans.CALL, spans.CONTACT),
        after=rf"\b(?i:page|call|contact|paged|called){BLANK}(?P<name>{INITIALS}{PERSON}(?: {NAME})?)"
        rf"(?={BLANK}(?i:at|on){BLANK}(?:x|\(?\d{{3}}))",
    ),
    Cue(
        "PATIENT",
        spans.BRACKET,
        before=rf"(?m:^)[ \t]*(?P<name>(?!{NOT_SURNAMES}\b){PERSON}(?:, ?{NAME}(?: [A-Z]\b)?)?) ?",
        after=rf"(?={NUMBER_IN_BRACKETS})",
    ),
    Cue(
        "DOCTOR",
        spans.BY,
        shift=-1,
        before=r"\b(?i:sign|dictat|authenticat|transcrib|verifi|acknowledg)",
        after=rf"(?i:ed by):?{BLANK}(?P<name>{SIGNER}(?:, ?| )(?!{NOT_SIGNERS}){NAME}(?: [A-Z]\b)?)",
    ),
    Cue(
        "DOCTOR",
        spans.BRACKET,
        before=rf"\b(?P<name>{PERSON}) ?",
        after=rf"(?=\({SERVICE}\){BLANK}{DOES})",
    ),
    Cue(
        "DOCTOR",
        spans.BRACKET,
        before=rf"\b(?P<name>{PERSON}) ?",
        after=r"(?=\((?:covering|attending|nephrology|cardiology)\b)",
    ),
    Cue("DOCTOR", spans.BRACKET, after=rf"\((?i:covering for) (?P<name>{PERSON})\)"),
    Cue(
        "DOCTOR",
        spans.COLON,
        shift=1,
        before=rf"\b(?i:{ROLE})[ \t]*",
        after=rf"{ROLE_END}:[ \t]*(?P<name>(?!{NOT_SIGNERS}|{NOBODY}){INITIALS}(?:{PERSON}|{SHORT})"
        rf"(?:, ?(?!{NOT_SIGNERS}){NAME}(?: [A-Z]\b)?)?)(?=[ \t]*(?:[\r\n(,;]|$|\s\s))",
    ),
    Cue(
        "PATIENT",
        spans.PATIENT,
        after=rf"\b(?:PT|Pt|PATIENT|Patient)(?: NAME| Name)?:?[ \t]+(?P<name>{PERSON}, ?{NAME}(?: [A-Z]\b)?)"
        r"(?=\s*[/(|\n]|\s\s)",
    ),
    Cue(
        "DOCTOR",
        spans.CREDENTIAL,
        before=rf"\b(?P<name>{SIGNER}(?: [A-Z]\.)? (?!{NOT_SIGNERS}){NAME})",
        after=rf"(?={CREDENTIAL})",
    ),
    Cue("DOCTOR", spans.I_AM, after=rf"\bI, (?P<name>{PERSON}(?: {NAME})?)(?=, )"),
    Cue(
        "PATIENT",
        spans.YEAR,
        shift=2,
        before=rf"(?=[A-Z])(?:(?m:^)|(?<=[.!?] )|(?<=  ))(?P<name>(?!{PEOPLE}){PERSON}){OLD}",
        after="(?i:year)",
    ),
    Cue("IDNUM", spans.NPI, after=r"\bNPI(?: (?:no|number))?[.:#]*\s*(?P<name>\d{10})(?!\d)"),
    Cue("MEDICALRECORD", spans.MRN, after=r"\bMRN[.:#]*\s*(?P<name>\d[\d-]{3,10}\d)(?![\w-])"),
    Cue("SSN", spans.SSN, after=r"\bSSN[.:#]*\s*(?P<name>\d{3}-\d{2}-\d{4})(?!\d)"),
    Cue(
        "MEDICALRECORD",
        spans.LONG_NUMBER,
        after=rf"(?<![\w/.-])(?P<name>\d{{6,10}})(?={GLUED_AFTER.pattern})",
    ),
)
GENERIC = late(
    r"(?i:(?:(?:the|a|an|to|per|this|our|outlying|outside|local)\s)*"
    r"(?:hospital|medical center|clinic|rehabilitation center|rehab center|nursing home|health center))"
    rf"|{LETTERS}|(?i:postpartum|PACU)"
)
EDGE = late(r"[^\W_]")
FIELD_WORDS = late(
    r"(?i:batch|exam|F\.?A\.?C\.?[SPC]\.?|es|dictated|signed|transcribed|printed|anesthesia|drains|impression|seen|dear"
    r"|sirs?|madam|claims|caller)"
    r"|APRN(?:-[A-Z]+)?|BSN|MSN|DNP|PsyD|MLADC|LADC|CRNI|NCSN|ABPP(?:-[A-Z]+)?|BCh|BAO|FRANZCR|FACEM|KRCHN|D\.O\.|M\.S\."
    r"|AWST|NZ[SD]T|A[EC][SD]T|[CMP][SD]T|EDT"
)


def find_names(text: str, spans: Sequence[Span], found: Sequence[Span]) -> Spans:
    """The word after a title or a role, after a relative and a comma, before a pager number, a credential,
    or a service or record number in brackets is a name; a number after "NPI" or glued to a name is a
    person's. ``found`` is what :func:`read_cues` finds."""
    if not found:
        return spans
    mask = mask_spans(len(text), spans)
    added: list[Span] = []
    for span in found:
        if not any(mask[span.start : span.end]):
            mask[span.start : span.end] = b"\x01" * (span.end - span.start)
            added.append(span)
    return sorted([*spans, *added]) if added else spans


def read_cues(joined: JoinedTexts) -> list[list[Span]]:
    """Return what the cues announce in each text, in their order; two of them can overlap."""
    found: list[list[Span]] = [[] for _ in joined.texts]
    for cue in CUES:
        for number, name in cue.find(joined):
            span = Span(*name, cue.type)
            if not _is_word(joined.texts[number], span):
                found[number].append(span)
    return found


def drop_words(text: str, spans: Sequence[Span]) -> Spans:
    """A hospital without a name, the name of a field or a title, and a rank before a name are not PHI."""
    names = {span.start for span in spans if span.type in NAMES}
    return [span for span in spans if not _is_word(text, span) and not _is_rank(text, span, names)]


def _is_rank(text: str, span: Span, names: Container[int]) -> bool:
    """Whether a span is a rank; ``names`` are the starts of those of people."""
    return span.end + 1 in names and bool(RANK.fullmatch(text, span.start, span.end))


def _is_word(text: str, span: Span) -> bool:
    pattern = GENERIC if span.type == "HOSPITAL" else FIELD_WORDS if span.type in NAMES else None
    if not pattern or not pattern.fullmatch(text, span.start, span.end):
        return False
    return not EDGE.match(text, span.end) and not EDGE.match(text, max(0, span.start - 1))
