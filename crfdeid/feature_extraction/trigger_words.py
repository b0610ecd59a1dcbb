r"""Words and patterns that announce a category (Shweta et al. 2016, section 5.5, features 6 and 7).

The paper names "Ms.", "Mr." for a patient, "Dr.", "M.D." for a doctor, and regular expressions for
date, ID, age, phone number, user name and medical record; it prints neither list. These were written
for this project. ``clue_X`` marks the tokens of such a word, ``pattern_X`` those of a match. Both
match the text, whatever the tokenizer.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import cache, partial

import regex

from crfdeid.feature_extraction.token import YES, Value
from crfdeid.lexicon.english import MONTH_PATTERN
from crfdeid.lexicon.names import COURTESY, OBSERVED_CREDENTIALS
from crfdeid.text.tokenized import TokenizedDocument

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


CONTEXTUAL: dict[str, Callable[[TokenizedDocument], list[Value]]] = {
    name: partial(mark_matches, name)
    for name in [*(f"clue_{clue}" for clue in CLUES), *(f"pattern_{pattern}" for pattern in PATTERNS)]
}
