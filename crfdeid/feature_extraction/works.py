r"""The observations of published works: base forms, parts of a word and near words, trigger words, and
MIST's patterns.

The parts and the near words are several values at once: features of the Stanford tagger that have not one
value per token (Tafvizi 2011, section 2.2). Base forms come from the wheel simplemma (MIT; its own lists,
offline).

Trigger words and patterns announce a category (Shweta et al. 2016, section 5.5, features 6 and 7). The
paper names "Ms.", "Mr." for a patient, "Dr.", "M.D." for a doctor, and regular expressions for date, ID,
age, phone number, user name and medical record; it prints neither list. These were written for this
project. ``clue_X`` marks the tokens of such a word, ``pattern_X`` the tokens of a match. Both match the text,
whatever the tokenizer.

The 18 yes/no regular expressions of the MIST de-identifier (Tafvizi 2011, table 2.1) test the written word:
the text between white space without the marks around it, each of which is a word by itself. Marks that the
print lost are restored from the description beside them: "contains a dash" is ``^.*-.*$``, and the point of
a real number is a point. Where two descriptions are alike, the names differ.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import cache, partial

import regex

from crfdeid.errors import ConfigurationError, show_install
from crfdeid.feature_extraction.token import YES, Value
from crfdeid.lexicon.english import MONTH_PATTERN
from crfdeid.lexicon.names import COURTESY, OBSERVED_CREDENTIALS
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import is_line_end

LONGEST = 20  # characters of a word that make parts: the number of parts grows with the square
MARK = "_"  # at the edges of the word
NEAR = 4  # tokens

MONTH = rf"(?:{MONTH_PATTERN})\b\.?"

# Whole words, in any letter case.
CLUES = {
    "patient": "|".join(COURTESY)
    + "|mister|patient|pt|husband|wife|son|daughter|mother|father|brother|sister",
    "doctor": rf"{OBSERVED_CREDENTIALS}|drs?|doctor|attending|physician|surgeon|resident|fellow|pcp|cc"
    r"|dictated by|signed by|seen by|referred by",
    "hospital": r"hospital|hosp|clinic|medical center|center|infirmary|health|unit|ward"
    r"|transferred (?:from|to)",
    "location": r"street|st|avenue|ave|road|rd|drive|lane|lives? (?:in|at|with)|living in|moved (?:to|from)"
    r"|born in|from|zip|city|county",
    "profession": r"works? (?:as|in|at|for)|worked (?:as|in|at|for)|working as|retired|occupation|employed"
    r"|profession|job|former",
    "date": r"on|since|until|dated?|dob|d\.o\.b|birth|admitted|discharged|admission|discharge",
    "age": r"age[ds]?|years?|yrs?|y\.?o|y/o|old|months? old",
    "contact": r"phone|telephone|tel|fax|pager|beeper|bp|call|cell|ext|extension|e-?mail|www|http",
    "id": r"mrn|mr(?=\s?[#:])|unit no|unit number|medical record|record|account|acct|ssn|id|license|job"
    r"|batch|#",
}

# Shapes match in their own letter case, words in any.
PATTERNS = {
    "date": rf"""
        \b\d{{1,2}}[/.-]\d{{1,2}}[/.-]\d{{2,4}}\b             # 1  03/04/2061
      | \b\d{{4}}[/.-]\d{{1,2}}[/.-]\d{{1,2}}\b               # 2  2061-03-04
      | \b\d{{1,2}}/\d{{2,4}}\b(?!/)                          # 3  3/61
      | (?i:\b{MONTH}\s*\d{{1,4}}(?:st|nd|rd|th)?(?:,?\s*\d{{4}})?\b)    # 4  March 4th, 2061
      | (?i:\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH}(?:,?\s*\d{{2,4}}\b)?)  # 5  4 March 2061
      | \b(?:19|20|21)\d\d\b                                  # 6  2061
    """,
    "id": r"""
        \b[A-Z]{1,3}-?\d{4,}\b                                # 1  AB-12345
      | \b\d+[A-Z]+\d+[A-Z\d]*\b                              # 2  09RF2240
      | \b[A-Z]{2}:[A-Z]{2}:\d+\b                             # 3  RV:XW:4421
      | \b\d{4,}-\d{3,}\b                                     # 4  20451-889
    """,
    "age": r"""
        \b\d{1,3}[-\s]?(?i:years?|yrs?)[-\s]*(?i:old|of\s+age)\b    # 1  54-year-old
      | \b\d{1,3}[-\s]?(?i:y/?o|y\.\s?o)\b\.?                 # 2  54yo, 54 y.o.
      | \b(?i:aged?):?\s*\d{1,3}\b                            # 3  age 54
      | \b\d{1,2}[-\s]?(?i:months?|weeks?|days?)[-\s]old\b    # 4  3 weeks old
      | \b(?i:late|early|mid)[-\s]\d0'?s\b                    # 5  early 80s
    """,
    "phone": r"""
        \(\d{3}\)\s?\d{3}[-.\s]\d{4}\b                        # 1  (555) 555-0142
      | (?<![\d-])\d{3}[-.\s]\d{3}[-.\s]\d{4}\b               # 2  555-555-0142
      | (?<![\d-])\d{3}-\d{4}(?![\d-])                        # 3  555-0142
      | \b(?i:x|ext\.?|pager|beeper|bp)\s?\#?\s?\d{4,5}\b     # 4  x50142
      | \b\d-\d{4}\b                                          # 5  5-0142
    """,
    "username": r"\b[a-z]{2,3}\d{1,4}\b",
    "medical_record": r"""
        \b(?i:mrn|mr(?=\s?[\#:])|medical\s+record|unit\s+no|record\s+no)\b
        [\s.:\#]*\d[\d-]{4,}\b                                # 1  MRN: 1234567
      | \b\d{3}(?P<hyphen>-?)\d{2}(?P=hyphen)\d{2}(?:(?P=hyphen)\d)?\b  # 2  123-45-67-8, 1234567
    """,
}

MIST_PATTERNS = {
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
def load_lemmatizer() -> Callable[..., str]:
    """Load simplemma. Raises :class:`ConfigurationError` where the wheel is not installed."""
    try:
        from simplemma import lemmatize
    except ImportError:
        raise ConfigurationError(
            f"the observation lemma needs the wheel simplemma: {show_install('works')}"
        ) from None
    return lemmatize


def lemma(text: str) -> Value:
    """The base form in lower case; a word that the lists do not know is its own base form.

    >>> lemma("Patients"), lemma("was"), lemma("Ruiz")
    ('patient', 'be', 'ruiz')
    """
    return load_lemmatizer()(text.lower(), lang="en").lower()


def ngrams(text: str) -> Value:
    """All substrings of the lowercased word, with a mark at its beginning and its end.

    >>> ngrams("He")
    ('_h', '_he', '_he_', 'h', 'he', 'he_', 'e', 'e_')
    """
    marked = f"{MARK}{text[:LONGEST].lower()}{MARK if len(text) <= LONGEST else ''}"
    ends = range(1, len(marked) + 1)
    parts = (marked[start:end] for start in range(len(marked)) for end in ends[start:])
    return tuple(dict.fromkeys(part for part in parts if part != MARK))


def words_left(document: TokenizedDocument) -> list[Value]:
    """The distinct words among the four tokens to the left; line ends do not count."""
    return _collect_near(document, -NEAR, 0)


def words_right(document: TokenizedDocument) -> list[Value]:
    """The distinct words among the four tokens to the right; line ends do not count.

    >>> from crfdeid.text.tokenizer import fine
    >>> words_right(TokenizedDocument("Dr. Ana\\nRuiz", fine("Dr. Ana\\nRuiz")))
    [('.', 'Ana', 'Ruiz'), ('Ana', 'Ruiz'), ('Ruiz',), None, None]
    """
    return _collect_near(document, 1, NEAR + 1)


def _collect_near(document: TokenizedDocument, first: int, last: int) -> list[Value]:
    values: list[Value] = [None] * len(document.tokens)
    words = [index for index, token in enumerate(document.tokens) if not is_line_end(token)]
    texts = [document.tokens[index].text for index in words]
    for place, index in enumerate(words):
        near = texts[max(0, place + first) : max(0, place + last)]
        values[index] = tuple(dict.fromkeys(near)) or None
    return values


LEXICAL: dict[str, Callable[[str], Value]] = {"ngrams": ngrams, "lemma": lemma}
OF_WINDOWS: dict[str, Callable[[TokenizedDocument], list[Value]]] = {
    "words_left": words_left,
    "words_right": words_right,
}


@cache
def compile_pattern(name: str) -> regex.Pattern[str]:
    """Compile the pattern of ``clue_X`` or ``pattern_X``."""
    kind, _, category = name.partition("_")
    if kind == "clue":
        return regex.compile(rf"(?i)(?<!\w)(?:{CLUES[category]})(?!\w)\.?")
    return regex.compile(PATTERNS[category], regex.VERBOSE)


def mark_matches(name: str, document: TokenizedDocument) -> list[Value]:
    """``1`` on each token that is part of a match in the document's text.

    >>> from crfdeid.text.tokenizer import fine
    >>> mark_matches("pattern_age", TokenizedDocument("A 54 yo man", fine("A 54 yo man")))
    [None, '1', '1', None]
    """
    values: list[Value] = [None] * len(document.tokens)
    starts = [token.start for token in document.tokens]
    for match in compile_pattern(name).finditer(document.text):
        first = max(bisect_right(starts, match.start()) - 1, 0)
        for index in range(first, bisect_right(starts, match.end() - 1)):
            if document.tokens[index].end > match.start():
                values[index] = YES
    return values


OF_TRIGGERS: dict[str, Callable[[TokenizedDocument], list[Value]]] = {
    name: partial(mark_matches, name)
    for name in [*(f"clue_{clue}" for clue in CLUES), *(f"pattern_{pattern}" for pattern in PATTERNS)]
}


@cache
def compile_mist(name: str) -> regex.Pattern[str]:
    return regex.compile(MIST_PATTERNS[name])


def match_pattern(name: str, document: TokenizedDocument) -> list[Value]:
    """``1`` where the token's written word matches.

    >>> from crfdeid.text.tokenizer import fine
    >>> match_pattern("phone_7", TokenizedDocument("(555-0142),", fine("(555-0142),")))
    [None, '1', '1', '1', None, None]
    """
    search = compile_mist(name).search
    return _test_words(document, lambda word: search(word) is not None)


def dash_or_slash(document: TokenizedDocument) -> list[Value]:
    """``1`` where the written word contains ``-`` or ``/`` (Sibanda & Uzuner 2006, section 5)."""
    return _test_words(document, lambda word: "-" in word or "/" in word)


def find_mark(mark: str, document: TokenizedDocument) -> list[Value]:
    """``1`` where the written word contains the mark."""
    return _test_words(document, lambda word: mark in word)


def _test_words(document: TokenizedDocument, test: Callable[[str], bool]) -> list[Value]:
    return [value for word, part in document.words for value in [YES if test(word) else None] * len(part)]


OF_MIST: dict[str, Callable[[TokenizedDocument], list[Value]]] = {
    **{f"mist_{name}": partial(match_pattern, name) for name in MIST_PATTERNS},
    "dash_or_slash": dash_or_slash,
    "dash_in_word": partial(find_mark, "-"),
    "slash_in_word": partial(find_mark, "/"),
}


CONTEXTUAL = OF_WINDOWS | OF_TRIGGERS | OF_MIST
