r"""The 18 yes/no regular expressions of the MIST de-identifier (Tafvizi 2011, table 2.1).

They test the written word: the text between white space without the marks around it, each of which
is a word by itself. Marks that the print lost are restored from the description beside them:
"contains a dash" is ``^.*-.*$``, and the point of a real number is a point. Where two descriptions
are alike, the names differ.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import regex

from crfdeid.feature_extraction.token import YES, Value
from crfdeid.text.tokenized import TokenizedDocument

PATTERNS = {
    "begins_capital": r"^[A-Z].*$",
    "all_capitals": r"^[A-Z]+$",
    "letters": r"^[A-Za-z]+$",
    "has_digit": r"^.*[0-9].*$",
    "one_digit": r"^[0-9]$",
    "two_digits": r"^[0-9][0-9]$",
    "four_digits_inside": r"[0-9][0-9][0-9][0-9]",
    "natural_number": r"^[0-9]+$",
    "real_number": r"^[0-9]+\.[0-9]+$",
    "alphanumeric": r"^[0-9A-Za-z]+$",
    "has_dash": r"^.*-.*$",
    "punctuation": r"^[^A-Za-z0-9]+$",
    "phone_7": r"^[0-9]{3}-[0-9]{4}$",
    "phone_10": r"^[0-9]{3}-[0-9]{3}-[0-9]{4}$",
    "five_digits": r"^[0-9]{5}$",
    "no_vowels": r"^[^AaEeIiOoUu]+$",
    "dashed_alphanumeric": r"^.*[A-Za-z].*-.*[0-9].*$|^.*[0-9].*-.*[0-9].*$",
    "date_separator": r"^[-/]$",
}


@cache
def compile_pattern(name: str) -> regex.Pattern[str]:
    return regex.compile(PATTERNS[name])


def match_pattern(name: str, document: TokenizedDocument) -> list[Value]:
    """``1`` where the token's written word matches.

    >>> from crfdeid.text.tokenizer import fine
    >>> match_pattern("phone_7", TokenizedDocument("(555-0142),", fine("(555-0142),")))
    [None, '1', '1', '1', None, None]
    """
    search = compile_pattern(name).search
    return _test_words(document, lambda word: search(word) is not None)


def dash_or_slash(document: TokenizedDocument) -> list[Value]:
    """``1`` where the written word contains ``-`` or ``/`` (Sibanda & Uzuner 2006, section 5)."""
    return _test_words(document, lambda word: "-" in word or "/" in word)


def find_mark(mark: str, document: TokenizedDocument) -> list[Value]:
    """``1`` where the written word contains the mark."""
    return _test_words(document, lambda word: mark in word)


def _test_words(document: TokenizedDocument, test: Callable[[str], bool]) -> list[Value]:
    return [value for word, part in document.words for value in [YES if test(word) else None] * len(part)]


CONTEXTUAL: dict[str, Callable[[TokenizedDocument], list[Value]]] = {
    **{f"mist_{name}": partial(match_pattern, name) for name in PATTERNS},
    "dash_or_slash": dash_or_slash,
    "dash_in_word": partial(find_mark, "-"),
    "slash_in_word": partial(find_mark, "/"),
}
