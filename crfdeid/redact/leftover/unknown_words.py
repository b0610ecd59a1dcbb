"""Find the capitalized words of a redacted note that no list of words has: names of people and towns first,
then words of no list. A word that is not a name by its writing or its place is left out, so that a person
can read the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import cached_property

from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import fold, remember_words, word_set
from crfdeid.lexicon.ordinary import (
    THINGS,
    is_known_word,
    is_listed_name,
    is_unknown_word,
    load_clinical_words,
)
from crfdeid.repair import show_capitals
from crfdeid.text.document import Document

Ranges = Iterator[tuple[int, int]]

MIN_CAPITALS, MIN_CLASSICAL = 6, 8
FEW = 50  # words that are looked for one by one
ZEROS = bytes.maketrans(b"123456789", b"000000000")
OTHER_DIGIT = re.compile(r"[^\0-\x7f](?<=\d)")
CAPITALIZED = re.compile(r"[A-ZÀ-ÖØ-Þ][^\W\d_]{2,}")
MISTYPED = re.compile(r"[A-Z](?<=[a-z][A-Z])[a-z]{2,}")  # of Orse, whose capital is the second letter
SMALL = re.compile(r"(?<![\w’'-])[a-z]{3,}(?!\w)")
BRAND = re.compile(  # LigaSure, LFTs; not McDonald, OBrien
    r"(?!(?:Mac|Fitz|Van|[MDLSO][a-z])[A-Z]|O[A-Z][a-z]{2})(?:[A-Z][a-z]+[A-Z]|[A-Z]{2,}[a-z])"
)
DOSE = re.compile(
    r"[- ]?(?:\d+(?:[.,/]\d+)*)[- ]?(?:mg|mcg|ml|mm|cm|cc|french|fr|units?|percent|%)", re.IGNORECASE
)
DOSE_BEFORE = re.compile(r"(?:mg|mcg|ml|cc|units|tablets?|percent|%) of $", re.IGNORECASE)
SENTENCE_START = re.compile(r"(?:^|[.!?:;\n\r*#>)-])[\s\"'(\[]*$")
ARTICLE = re.compile(r"\b(?:an?|the)\s+$", re.IGNORECASE)
BEFORE_FIRST_NAME = re.compile(r", ?[A-Z]")
NEXT_WORDS = re.compile(r"[\s-]+([^\W\d_]+)(?:[\s-]+([^\W\d_]+))?")
CLASSICAL_ENDING = re.compile(
    r"(?:[aeilrtnc]al|[uo]lar|rior|ic|ive|oid|osis|iasis|ase|ine|one|ide|lol|statin|azole|illin|mycin|pril|cele|lysis"
    r"|pexy|scopes?|grams?|graph|pathy|opsy|oma|ocytes?|trophy|opia|uria|algia|ectasis|ular|ialis|alis|aris|oris)$"
)
THING_WORDS = THINGS | word_set(
    """rods plates elevators graft grafts balloon rongeur rongeurs gastroscope scope laryngoscope sheath pins
    clip clips stapler tape dressing dressings solution block mesh component components total knee hip cement
    stockings boot collar knife drill bur hook hooks dissectors headholder closure"""
)
RELATIONS = word_set("family house home children baby boy girl twins rest town city county village nursing")


class SearchedText:
    """A redacted text as it is searched: one in small letters as one in capitals; ``written`` has its own
    letters. The ``spans`` cover what was replaced."""

    def __init__(self, document: Document) -> None:
        self.text, self.written, self.spans = show_capitals(document.text), document.text, document.spans
        self.low = self.text.lower()

    @cached_property
    def zeros(self) -> str:
        """The text with 0 for each digit: what it has not in it, no pattern of digits needs to look for."""
        found = self.text.encode().translate(ZEROS)  # 20 times as fast as that of a text
        return OTHER_DIGIT.sub("0", found.decode())

    @cached_property
    def unknown_words(self) -> list[tuple[int, int, bool]]:
        """Where the capitalized words are that no list of words has, and whether they are listed names."""
        return list(find_words(self.text))


def find_listed_names(searched: SearchedText) -> Ranges:
    """Yield the capitalized words that are in a list of names and in no list of words."""
    return ((start, end) for start, end, is_name in searched.unknown_words if is_name)


def find_unknown_words(searched: SearchedText) -> Ranges:
    """Yield the capitalized words that are in no list."""
    return ((start, end) for start, end, is_name in searched.unknown_words if not is_name)


def find_words(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the ranges of :attr:`SearchedText.unknown_words`."""
    found = [place for word, place in find_capitalized(text) if is_unknown(word)]
    small = list_small(text, {fold(text[slice(*place)]) for place in found})
    for start, end in found:
        word = text[start:end]
        folded = fold(word)
        if folded in small or (start and text[start - 1].isalnum()) or is_thing(text, start, end):
            continue
        is_name, is_surname = is_listed_name(folded), bool(BEFORE_FIRST_NAME.match(text, end))
        if is_name or is_surname or not (has_form_of_word(word) or is_in_prose(text, start, end)):
            yield start, end, is_name


def find_capitalized(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield capitalized words with their ranges, then those whose capital is the second letter."""
    yield from [(match[0], match.span()) for match in CAPITALIZED.finditer(text)]
    for match in MISTYPED.finditer(text):
        start, end = match.start() - 1, match.end()
        yield text[start:end], (start, end)


def list_small(text: str, folded_words: Set[str]) -> frozenset[str]:
    """Return the words of a text that are written small; perhaps none if it has none of ``folded_words``."""
    if len(folded_words) <= FEW and not any(folded in text for folded in folded_words):
        return frozenset()
    return frozenset(SMALL.findall(text))


@remember_words(1 << 16)
def is_unknown(word: str) -> bool:
    """Whether a word is in no list of words (:func:`is_unknown_word`)."""
    return is_unknown_word(fold(word))


def has_form_of_word(word: str) -> bool:
    """Whether a word that no list has is an abbreviation, a brand or a classical word by its letters.

    >>> [has_form_of_word(word) for word in ("PACU", "LigaSure", "LFTs", "ORs", "SUBACROMIAL")]
    [True, True, True, True, True]
    >>> [has_form_of_word(word) for word in ("Quevixo", "McQuevix", "DeQuevix", "OQuevix", "MacQuevix")]
    [False, False, False, False, False]
    """
    if (word.isupper() and len(word) < MIN_CAPITALS) or BRAND.match(word):
        return True
    return len(word) >= MIN_CLASSICAL and bool(CLASSICAL_ENDING.search(fold(word)))


def is_thing(text: str, start: int, end: int) -> bool:
    """Whether the name of a thing is here: before a word for a thing, or at a dose."""
    following = NEXT_WORDS.match(text, end)
    nexts = [word.lower() for word in following.groups() if word] if following else []
    if any(word in THING_WORDS for word in nexts):
        return True
    return bool(DOSE.match(text, end) or DOSE_BEFORE.search(text, max(0, start - 12), start))


def is_in_prose(text: str, start: int, end: int) -> bool:
    """Whether a word of no list is capitalized by its place: a word of the language follows, and the
    beginning of a sentence or an article is before it ("the Dacron was")."""
    following = NEXT_WORDS.match(text, end)
    in_capitals = text[start:end].isupper()
    if not following or not is_small_word(following[1], in_capitals):
        return False
    if in_capitals and "\n" in text[end : following.start(1)]:
        return False
    before = text[max(0, start - 8) : start]
    return bool(ARTICLE.search(before) or SENTENCE_START.search(before))


def is_small_word(word: str, in_capitals: bool) -> bool:
    """Whether a word is written small, or in a text in capitals is a word of the language, and is not a
    word for people or a place."""
    folded = fold(word)
    if folded in RELATIONS or folded in word_lists.load_lowercase("hospital_words", "street_words"):
        return False
    is_word = (is_known_word(folded) or folded in load_clinical_words()) and not is_listed_name(folded)
    return word.islower() or (in_capitals and word.isupper() and is_word)
