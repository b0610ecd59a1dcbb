"""Find the names of a known patient where they are glued to other words, misread by a scanner, or ordinary
words in small letters.

These writings are only sought for names that are known for certain, because each of them is often a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from crfdeid.lexicon.letters import WORD, SimilarNames, fold
from crfdeid.lexicon.ordinary import PERSON_BEFORE, WORD_AFTER, is_ordinary
from crfdeid.lexicon.word_lists import is_listed
from crfdeid.redact.surrogates import kinds
from crfdeid.text.document import Document, Span, SpanIndex

MIN_GLUED, MIN_MISREAD, MIN_NUMBER = 3, 4, 6  # characters
DECIMALS = "0123456789"
RUN = re.compile(r"[^\W_]+")
PART = re.compile(r"[A-ZÀ-ÖØ-Þ]?[^\W\dA-ZÀ-ÖØ-Þ_]+|[A-ZÀ-ÖØ-Þ]+(?![^\W\dA-ZÀ-ÖØ-Þ_])")  # of MarySmith30
SCANNED = re.compile(r"[^\W_](?:[^\W_]|[|!](?=\w))+")
SCANNED_NUMBER = re.compile(r"[\dOoIlSB|](?:-?[\dOoIlSB|])+(?!\w)")
# Signs that a scanner confuses become one sign: first pairs of letters, then single ones.
PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"), ("ii", "u"))
LETTERS = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "!": "l", "5": "s", "8": "b", "6": "b"})
DIGITS = str.maketrans({"O": "0", "o": "0", "I": "1", "l": "1", "|": "1", "S": "5", "B": "8"})
# Words before a small word that show that it is the word and not the name (as those of WORD_AFTER do).
WORD_BEFORE = re.compile(
    r"\b(?:he|she|it|we|i|you|they|who|that|which|this|these|there|patient|pt|and|but|the|a|an|to|not|very|more|his|her)\s+$",
    re.IGNORECASE,
)
CONTEXT = 16  # characters
Names = Mapping[str, str]  # folded names with their types


def list_names(cells: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return the words of a patient's names with their types.

    >>> list_names({"PATIENT": ["Ana Eze"], "CITY": ["Boston"]})
    {'ana': 'PATIENT', 'eze': 'PATIENT'}
    """
    texts = [
        (type, text) for type, found in cells.items() for text in found if kinds.kind_of(type) == kinds.NAME
    ]
    words = ((fold(word), type) for type, text in texts for word in WORD.findall(text))
    return {word: type for word, type in words if len(word) >= MIN_GLUED}


def find_glued(text: str, names: Names) -> Iterator[Span]:
    """Yield the names inside longer words: between capitals and digits (MarySmith, Smith30990453), and words
    that consist of the patient's names (marysmith)."""
    for match in RUN.finditer(text):
        folded = fold(match[0])
        if folded in names or not any(name in folded for name in names):
            continue
        if type := consists_of_names(folded.strip(DECIMALS), names):
            start, end = match.span()
            word = match[0]
            yield Span(end - len(word.lstrip(DECIMALS)), start + len(word.rstrip(DECIMALS)), type)
            continue
        parts = PART.finditer(text, match.start(), match.end())
        yield from (Span(*part.span(), names[fold(part[0])]) for part in parts if fold(part[0]) in names)


def consists_of_names(folded: str, names: Names) -> str:
    """Return the type of the first of the one or two names of which a word consists; otherwise nothing."""
    for name, type in names.items():
        rest = folded.removeprefix(name)
        if rest != folded and (not rest or rest in names):
            return type
    return ""


def find_misread(text: str, names: Names) -> Iterator[Span]:
    """Yield the words that a scanner may make of a name (Br0wn, Bums of Burns, Wi11iam), in long names with a
    typing error besides."""
    shapes = {blur(name): type for name, type in names.items()}
    similar = SimilarNames(shapes)
    for match in SCANNED.finditer(text) if shapes else ():
        word, folded = match[0], fold(match[0])
        if len(word) < MIN_MISREAD or folded in names or not any(map(str.isalpha, word)):
            continue
        shape, is_word = blur(folded), word.isalpha() and is_ordinary(folded)
        if shape in shapes and not (is_word and word.islower()):
            yield Span(*match.span(), shapes[shape])
        elif not is_word and not is_listed(folded) and (near := similar.find_name(shape)):
            yield Span(*match.span(), shapes[near])


def blur(folded: str) -> str:
    """Return a word in which signs that a scanner takes for one another are one sign.

    >>> blur("brovvn") == blur("br0wn") == blur("brown"), blur("bums") == blur("burns")
    (True, True)
    """
    for pair, letter in PAIRS:
        folded = folded.replace(pair, letter)
    return folded.translate(LETTERS)


def find_misread_numbers(text: str, cells: Mapping[str, Iterable[str]]) -> Iterator[Span]:
    """Yield the identifiers and telephone numbers in which a scanner took digits for letters (44719O2)."""
    numbers = {
        re.sub(r"\D", "", each): type
        for type, texts in cells.items()
        for each in texts
        if kinds.kind_of(type) in (kinds.IDENTIFIER, kinds.PHONE)
    }
    for match in SCANNED_NUMBER.finditer(text):
        if match.start() and text[match.start() - 1].isalnum():
            continue
        digits = match[0].replace("-", "").translate(DIGITS)
        if len(digits) >= MIN_NUMBER and digits in numbers and not match[0].replace("-", "").isdigit():
            yield Span(*match.span(), numbers[digits])


def find_small(text: str, names: Names) -> Iterator[Span]:
    """Yield the names that are words of the language in small letters, where the words beside show a person,
    or the line has no capitals and nothing shows the word."""
    for match, is_person in _find_small(text, names):
        line = (
            text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            + text[match.end() :].partition("\n")[0]
        )
        if is_person or (line.islower() or not line.strip()):
            yield Span(*match.span(), names[match[0]])


def find_doubtful(document: Document, names: Names) -> Iterator[tuple[int, int]]:
    """Yield the names in small letters outside the spans of a document that may be the word or the name."""
    index = SpanIndex(document.spans)
    for match, _ in _find_small(document.text, names):
        if not index.find(Span(*match.span(), "")):
            yield match.span()


def _find_small(text: str, names: Names) -> Iterator[tuple[re.Match[str], bool]]:
    """Yield the names in small letters with whether a person is clear; not where the word is clear."""
    common = [name for name in names if is_ordinary(name)]
    if not common:
        return
    for match in re.finditer(rf"(?<![\w'’-])(?:{'|'.join(map(re.escape, common))})(?![\w'’-])", text):
        before = text[max(0, match.start() - CONTEXT) : match.start()]
        is_person = bool(PERSON_BEFORE.search(before))
        if is_person or not (WORD_BEFORE.search(before) or WORD_AFTER.match(text, match.end())):
            yield match, is_person


def find_odd_writings(text: str, cells: Mapping[str, Sequence[str]]) -> list[Span]:
    """Find a patient's names and numbers in all writings of this module."""
    names = list_names(cells)
    found = (*find_glued(text, names), *find_misread(text, names), *find_small(text, names))
    return sorted({*found, *find_misread_numbers(text, cells)})
