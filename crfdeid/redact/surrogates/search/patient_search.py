"""Search a patient's notes for texts that were found in one of them.

What the tagger found once and missed elsewhere is found by its text, unless it may be another word there. A
name that is also a word ("May", "Rice", "Foley") counts as PHI only if it is written and used as a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import regex

from crfdeid.redact.surrogates import kinds, name_pools
from crfdeid.redact.surrogates.names import is_listed
from crfdeid.redact.surrogates.search.finder import (
    LAST_FOUR,
    MIN_WITHIN,
    NUMBERS,
    Finder,
    Mention,
    SearchString,
    derive_strings,
)
from crfdeid.redact.surrogates.text_forms import word_set
from crfdeid.text.document import Document, Span
from crfdeid.text.spans import mask_spans

LEFT, RIGHT = regex.compile(r"\S*$"), regex.compile(r"\S*")  # both match at every offset
ADDRESS = regex.compile(
    r"[@\\~_\d]|://|www\.|\.(?:pdf|docx?|txt|jpe?g|com|org|net|edu|gov)\b", regex.IGNORECASE
)
MIN_NUMBER, MIN_DATE, MIN_PLACE = 5, 5, 4  # characters
DETERMINER = regex.compile(r"\b(?:the|a|an|this|his|her|no|new|old)\s+$", regex.IGNORECASE)
TITLE = regex.compile(r"\b(?:mr|mrs|ms|miss|dr|drs|doctor|prof|nurse)\.?\s+$", regex.IGNORECASE)
SENTENCE_END = regex.compile(r"(?:^|[.!?:;\n\r\-*#>])[\s\"'(\[]*$")
AFTER = regex.compile(r"(?P<of>['’]s)?\s+(?P<word>\w+)")
YEARS = regex.compile(r"[-\s]*(?:year|yr|y\.?/?o\b|y\.o)", regex.IGNORECASE)
AGED = regex.compile(r"\b(?:age|aged|age\s*(?:of|:|is))\s*$", regex.IGNORECASE)
ENDING = regex.compile(
    r"(?:\b(?:ending|ends)(?:\s+(?:in|with))?|\blast\s+(?:four|4)(?:\s+digits)?(?:\s+(?:of|are|is))?[\w\s#:]{0,12}|"
    r"[x*]+-?)[\s:#]*$",
    regex.IGNORECASE,
)
ACTS = word_set(
    """is was has had says said states stated reports reported denies denied came comes presented presents
    lives lived called calls does did who then developed underwent received went returned complains felt"""
)
PLACES = (kinds.STREET, kinds.CITY, kinds.HOSPITAL, kinds.ORGANIZATION, kinds.PLACE, kinds.DEPARTMENT)


class PatientSearch:
    """Searches for the texts that were found in a patient's notes. ``texts`` holds them by type."""

    def __init__(self, texts: Mapping[str, Iterable[str]]) -> None:
        self.finder = Finder(
            string for type, found in texts.items() for text in found for string in derive_strings(text, type)
        )

    def find_missed(self, document: Document, spans: Iterable[Span]) -> list[Span]:
        """Find the texts that ``spans`` do not cover and that are PHI where they occur."""
        text, spans = document.text, sorted(spans)
        mask = mask_spans(len(text), spans)
        mentions = self.finder.find_mentions(text, mask)
        in_addresses = list(self._find_in_addresses(text))
        # Two neighbouring words that may be names are names.
        names = [span for span in (*spans, *(m.span for m in mentions)) if is_name(span.type)]
        starts, ends = {span.start for span in names}, {span.end for span in names}
        missed = [
            mention.span
            for mention in mentions
            if is_phi_here(text, mention, has_name_beside(text, mention.span, starts, ends))
        ]
        for span in in_addresses:
            if not any(mask[span.start : span.end]) and not any(map(span.overlaps, missed)):
                missed.append(span)
        return missed

    def find_survivors(self, document: Document) -> Iterator[Span]:
        """Find what a redacted document still contains: any found text outside its spans, which cover the
        replacements, and names inside them too."""
        mask = mask_spans(len(document.text), document.spans)
        for mention in self._find_all(document.text):
            span = mention.span
            if is_name(span.type) or not any(mask[span.start : span.end]):
                yield span

    def occurs_in_id(self, id: str) -> bool:
        """Whether the id of a note or patient contains a name or number of the patient."""
        return any(
            is_name(mention.string.type) or mention.string.size >= MIN_NUMBER
            for mention in self._find_all(id)
            if kinds.kind_of(mention.string.type) in (kinds.NAME, *NUMBERS)
        )

    def _find_all(self, text: str) -> Iterator[Mention]:
        """Yield the mentions of the texts themselves, also inside longer words, except inside an
        ordinary word or another name (the Ander of Anderson)."""
        yield from (mention for mention in self.finder.find_mentions(text) if not mention.string.derived)
        for mention, word in self.finder.find_in_words(text):
            is_long = mention.string.size > MIN_WITHIN
            if is_long and is_distinctive(mention.string) and not is_listed(word) and not is_ordinary(word):
                yield mention

    def _find_in_addresses(self, text: str) -> Iterator[Span]:
        """Yield names that are part of what looks like an address, a user name or a file name."""
        for mention, _ in self.finder.find_in_words(text):
            span = mention.span
            if not is_distinctive(mention.string):
                continue
            left, right = LEFT.search(text, max(0, span.start - 80), span.start), RIGHT.match(text, span.end)
            if left and right and ADDRESS.search(left[0] + right[0]):
                yield span


def is_name(type: str) -> bool:
    return kinds.kind_of(type) == kinds.NAME


def has_name_beside(text: str, span: Span, starts: set[int], ends: set[int]) -> bool:
    """Whether a capitalized word is next to a name; ``starts`` and ``ends`` are the offsets of names."""
    is_beside = span.start - 1 in ends or span.end + 1 in starts
    return is_beside and text[span.start].isupper()


def is_phi_here(text: str, mention: Mention, beside_name: bool) -> bool:
    """Whether a mention is certain enough to be PHI that it is replaced."""
    span, string = mention.span, mention.string
    kind = kinds.kind_of(span.type)
    if kind == kinds.AGE:
        return not string.words[0].isdigit() or reads_as_age(text, span)
    if kind in NUMBERS:
        is_ending = string.size == LAST_FOUR and ENDING.search(text, max(0, span.start - 40), span.start)
        return string.size >= MIN_NUMBER or bool(is_ending)
    if kind == kinds.DATE:
        return span.end - span.start >= MIN_DATE and any(c.isdigit() for c in "".join(string.words))
    if kind in PLACES and string.size < MIN_PLACE and not string.capitals:
        return False
    if kind in PLACES and not string.root.isalpha():
        return True
    if kind not in (kinds.NAME, *PLACES):
        return False
    return reads_as_name(text, span, string.root, beside_name)


def reads_as_age(text: str, span: Span) -> bool:
    before = AGED.search(text, max(0, span.start - 12), span.start)
    return bool(before or YEARS.match(text, span.end))


def reads_as_name(text: str, span: Span, low: str, beside_name: bool) -> bool:
    """Whether a single word is used as a name. A word that is only a name always is. An ordinary or
    medical word is a name if it is capitalized inside a sentence and no medical word follows (Foley
    catheter), or if it begins a sentence and does what people do ("Will was"). A month is a name only
    beside a name or title."""
    if beside_name or TITLE.search(text, max(0, span.start - 12), span.start):
        return True
    if len(low) < 3 or low in name_pools.load_lowercase("dates"):
        return False
    is_medical = low in name_pools.load_lowercase("medical_words", "eponyms", "hospital_words")
    if not is_medical and low not in name_pools.load_lowercase("common_words"):
        return True
    if not text[span.start : span.end].istitle():
        return False
    after = AFTER.match(text, span.end)
    if is_medical and DETERMINER.search(text, max(0, span.start - 8), span.start):
        return False
    if is_medical and after and after["word"].lower() in name_pools.load_lowercase("medical_words"):
        return False
    begins = SENTENCE_END.search(text, max(0, span.start - 8), span.start)
    return not begins or bool(after and (after["of"] or after["word"] in ACTS))


def is_distinctive(string: SearchString) -> bool:
    return not is_ordinary(string.root) and string.root not in name_pools.load_lowercase("dates")


def is_ordinary(word: str) -> bool:
    return word in name_pools.load_lowercase("medical_words", "eponyms", "hospital_words", "common_words")
