"""Whether a string that was found is PHI where it occurs, by its capitals and by the words around it."""

from __future__ import annotations

import regex

from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import fold, word_set
from crfdeid.lexicon.names import TITLES
from crfdeid.lexicon.ordinary import (
    FREQUENT_SHARE,
    LEAST_SHARE,
    WORD_AFTER,
    find_share,
    is_frequent_name,
    is_ordinary,
)
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.identifiers import LAST_FOUR
from crfdeid.redact.surrogates.search.finder import Mention
from crfdeid.redact.surrogates.search.search_strings import NUMBERS, SearchString
from crfdeid.text.document import Span

MIN_NUMBER, MIN_DATE, MIN_PLACE = 5, 5, 4  # characters
MIN_LISTED = 4  # characters of a number that is listed
DETERMINER = regex.compile(r"\b(?:the|a|an|this|his|her|no|new|old)\s+$", regex.IGNORECASE)
TITLE = regex.compile(rf"\b(?:{'|'.join(TITLES)}|nurse)(?:\.\s*|\s+)$", regex.IGNORECASE)
PATIENT_BEFORE = regex.compile(r"\b(?:pt|patient)\.?\s+$", regex.IGNORECASE)
INITIALS = regex.compile(r"(?<![\p{L}\p{N}.])(?:\p{Lu}\.\s?)+$")  # "A.B. Brown" is not the end of a sentence
SURNAME = regex.compile(r"(?<![\p{L}\p{N}])(\p{Lu}[\p{L}'’-]+),\s?$")  # "Okafor, Ana"
COMMAS = (", ", " , ")
BEFORE_INITIAL = regex.compile(r"\s\p{Lu}\.\s?\p{Lu}")  # "Masha F. Brown"
LONG_NUMBER = regex.compile(r"\d{4}")
BROKEN = regex.compile(r"\p{L}[. ]\p{L}[. ]|-\s*\n")  # spaced letters, a split word
SENTENCE_END = regex.compile(r"(?:^|[.!?:;\n\r\-*#>])[\s\"'(\[]*$")
AFTER = regex.compile(r"(?P<of>['’]s\b)?\s*(?P<word>\w*)")  # matches at every offset
YEARS = regex.compile(r"(?:year|yr|y\.?/?o[fm]?\b|y\.o|birth|b-?day)", regex.IGNORECASE)
YEARS_AFTER = regex.compile(r"[-\s]*" + YEARS.pattern, regex.IGNORECASE)
AGED = regex.compile(r"\b(?:age|aged|age\s*(?:of|:|is)|(?:turn(?:ed|s|ing)?))\s*$", regex.IGNORECASE)
DEGREES = regex.compile(r"\s*(?:degree|percent|%|°)", regex.IGNORECASE)
ENDING = regex.compile(
    r"(?:\b(?:ending|ends)(?:\s+(?:in|with))?|\blast\s+(?:four|4)(?:\s+digits)?(?:\s+(?:of|are|is))?[\w\s#:]{0,12}|"
    r"[x*]-?)[\s:#]*$",
    regex.IGNORECASE,
)
ACTS = word_set(
    """is was has had says said states stated reports reported denies denied came comes presented presents
    lives lived called calls does did who then developed underwent received went returned complains felt"""
)
FAMILY_ACTS = word_set("say said came come live lived called")
PLACES = (kinds.STREET, kinds.CITY, kinds.HOSPITAL, kinds.ORGANIZATION, kinds.PLACE, kinds.DEPARTMENT)
IN_ADDRESS = regex.compile(r",\s*$")
ROOM = regex.compile(r"\b(?:room|rm|bed|suite|ste|unit|floor|apt)[\s.:#]*$", regex.IGNORECASE)


def is_name(type: str) -> bool:
    return kinds.kind_of(type) == kinds.NAME


def has_name_beside(text: str, span: Span, starts: set[int], ends: set[int]) -> bool:
    """Whether a capitalized word is next to a name, also after a comma; ``starts`` and ``ends`` are the
    offsets of names."""
    if not text[span.start].isupper():
        return False
    if span.start - 1 in ends or span.end + 1 in starts:
        return True
    return any(
        (span.start - len(comma) in ends and text.startswith(comma, span.start - len(comma)))
        or (span.end + len(comma) in starts and text.startswith(comma, span.end))
        for comma in COMMAS
    )


def is_phi_here(text: str, mention: Mention, beside_name: bool) -> bool:
    """Whether a mention is certain enough to be PHI that it is replaced."""
    span, string = mention.span, mention.string
    kind = kinds.kind_of(span.type)
    if string.doubtful:
        return False
    if kind == kinds.AGE:
        return not string.words[0][0].isdigit() or reads_as_age(text, span)
    if kind in NUMBERS:
        is_ending = string.size == LAST_FOUR and ENDING.search(text, max(0, span.start - 40), span.start)
        return string.size >= MIN_NUMBER or bool(is_ending)
    if kind == kinds.DATE:
        return span.end - span.start >= MIN_DATE and any(c.isdigit() for c in "".join(string.words))
    return kind in (kinds.NAME, *PLACES) and is_name_or_place_here(text, mention, beside_name)


def is_name_or_place_here(text: str, mention: Mention, beside_name: bool) -> bool:
    span, string = mention.span, mention.string
    if not is_name(span.type):
        if string.size < MIN_PLACE and not string.capitals:
            return False
        if not string.root.isalpha():
            return True
    return reads_as_name(text, span, string.root, beside_name)


def reads_as_age(text: str, span: Span) -> bool:
    """Whether a number is used as an age, also with its unit ("91yo"); an ordinal ("91st") is one only before
    a birthday or year."""
    if YEARS_AFTER.match(text, span.end) or YEARS.search(text, span.start, span.end):
        return True
    before = AGED.search(text, max(0, span.start - 12), span.start)
    return bool(before and text[span.end - 1].isdigit() and not DEGREES.match(text, span.end))


def reads_as_name(text: str, span: Span, folded: str, beside_name: bool) -> bool:
    """Whether a single word is used as a name. A word that is only a name always is. An ordinary or
    medical word is a name if it is capitalized inside a sentence and no medical word follows (Foley
    catheter), or if it begins a sentence and does what people do ("Will was"). A month is a name only
    beside a name or title. A word in small letters is a name after "patient", if many people bear it."""
    before = text[max(0, span.start - 40) : span.start]
    if beside_name or TITLE.search(before[-12:]):
        return True
    if folded in word_lists.load_lowercase("dates"):
        return False
    if len(folded) < 3:
        return is_short_name(text, span, folded, before)
    if not is_ordinary(folded) or is_written_as_name(text, span, before):
        return True
    if is_after_patient(text, span):
        return find_share(folded) >= FREQUENT_SHARE
    word = text[span.start : span.end]
    if not word.istitle() and not (word.isupper() and len(folded) > MIN_LISTED and is_frequent_name(folded)):
        return False
    return is_capitalized_for_itself(text, span, folded, before)


def is_after_patient(text: str, span: Span) -> bool:
    """Whether a word in small letters follows "patient", and the word after it allows a name ("pt smith")."""
    before = PATIENT_BEFORE.search(text, max(0, span.start - 12), span.start)
    return bool(before and text[span.start : span.end].islower() and not WORD_AFTER.match(text, span.end))


def is_written_as_name(text: str, span: Span, before: str) -> bool:
    """Whether a capitalized word is beside an initial, follows a surname with a comma, touches a long number,
    or is written in spaced letters or split at the end of a line."""
    word = text[span.start : span.end]
    if not word[0].isupper():
        return False
    if BROKEN.search(word) or INITIALS.search(before) or BEFORE_INITIAL.match(text, span.end):
        return True
    if LONG_NUMBER.search(before[-4:]) or LONG_NUMBER.search(text[span.end : span.end + 4]):
        return True
    surname = SURNAME.search(before)
    return bool(surname and surname[1].isupper() == word.isupper() and not is_ordinary(fold(surname[1])))


def is_capitalized_for_itself(text: str, span: Span, folded: str, before: str) -> bool:
    """Whether an ordinary or medical word is capitalized because it is a name."""
    after = AFTER.match(text, span.end)
    assert after is not None
    if folded in word_lists.load_lowercase("medical_words", "eponyms", "hospital_words"):
        is_plural = span.end - span.start > len(folded)  # "the Smiths" are a family, "the Foley" a catheter
        if is_plural and after["word"] in FAMILY_ACTS:
            return True
        if not is_plural and DETERMINER.search(before[-8:]):
            return False
        if after["word"].lower() in word_lists.load_lowercase("medical_words"):
            return False
    if not SENTENCE_END.search(before[-8:]):
        return True
    if after["of"] or after["word"] in ACTS:
        return True
    return is_frequent_name(folded)


def is_short_name(text: str, span: Span, folded: str, before: str) -> bool:
    """Whether a word of two letters (Li, Ng) is a listed name and has the capital of a name."""
    if not text[span.start : span.end].istitle() or is_ordinary(folded) or not find_share(folded):
        return False
    after = AFTER.match(text, span.end)
    assert after is not None
    return not SENTENCE_END.search(before[-8:]) or bool(after["of"])


def is_worth_listing(text: str, mention: Mention) -> bool:
    """Whether a mention that was not replaced may be PHI: words of the language, abbreviations and short
    numbers that only look like a found text are not."""
    span, string = mention.span, mention.string
    kind, before = kinds.kind_of(span.type), text[max(0, span.start - 12) : span.start]
    if kind == kinds.STATE and string.capitals:
        return bool(IN_ADDRESS.search(before))
    if kind == kinds.ROOM and string.size < MIN_LISTED:
        return bool(ROOM.search(before))
    if kind in NUMBERS and string.size < MIN_LISTED:
        return False
    if not string.root.isalpha() or not (string.size < 3 or is_ordinary(string.root)):
        return True
    return is_capitalized_word(text, span, string.root)


def is_capitalized_word(text: str, span: Span, folded: str) -> bool:
    """Whether an ordinary word has the capitals of a name. In capitals, at the beginning of a sentence or
    in a text without capitals, it must be a name that people bear, or no common word; long words of a text
    without capitals always count."""
    word, around = text[span.start : span.end], text[max(0, span.start - 80) : span.end + 80]
    if word.istitle() and not SENTENCE_END.search(text, max(0, span.start - 8), span.start):
        return True
    if not word[:1].isupper():
        if around.islower() and len(folded) > MIN_LISTED:
            return True
        return find_share(folded) >= LEAST_SHARE and (around.islower() or is_after_patient(text, span))
    is_common = len(folded) < 3 or folded in word_lists.load_lowercase("common_words")
    return find_share(folded) >= LEAST_SHARE or (word.istitle() and not is_common)


def is_distinctive(string: SearchString) -> bool:
    is_word = is_ordinary(string.root) and not (string.size > MIN_LISTED and is_frequent_name(string.root))
    return not is_word and string.root not in word_lists.load_lowercase("dates")
