"""The form of a gold span: a variant of docs/synthetic.md (``full``, ``last``, ``numeric``)."""

from __future__ import annotations

import re

from crfdeid.synthetic.reidentify.renaming import NAMES


def form_of(text: str, type: str) -> str:
    """The form of a gold span.

    >>> form_of("Ruiz, Ana", "PATIENT"), form_of("RS", "DOCTOR"), form_of("May 4, 2061", "DATE")
    ('formal', 'initials', 'long')
    """
    if type in NAMES:
        if "," in text:
            return "formal"
        if text.isupper() and len(text.replace(".", "")) <= 3:
            return "initials"
        return "full" if len(text.split()) > 1 else "last"
    if type == "DATE":
        return date_form(text)
    if type == "AGE":
        return "number" if any(c.isdigit() for c in text) else "words"
    if type == "STATE":
        return "abbr" if len(text) == 2 else "full"
    return "acronym" if type == "HOSPITAL" and text.isupper() and " " not in text else "full"


DATE_FORMS = (
    ("iso", r"\d{4}-\d\d?-\d\d?"),
    ("numeric", r"\d{1,4}[/.-]\d\d?[/.-]\d{1,4}"),
    ("numeric_noyear", r"\d\d?[/-]\d\d?"),
    ("year", r"\d{4}s?"),
    ("short_year", r"['’]\d\ds?"),
    ("ordinal", r"\d+(?:st|nd|rd|th)"),
    ("weekday", r"(?i)(?:mon|tue|wed|thu|fri|sat|sun)\w*"),
    ("season", r"(?i)(?:spring|summer|autumn|fall|winter)"),
    ("month_year", r"[A-Za-z]{3,9}\.?,?(?: of)? '?\d{2,4}"),
    ("month", r"[A-Za-z]{3,9}"),
    ("long_noyear", r"\D*\d{1,2}(?:st|nd|rd|th)?\D*"),
)


def date_form(text: str) -> str:
    """
    >>> [date_form(text) for text in ("3/4/61", "3/4", "2061", "Tuesday", "June of 2061", "June 3rd")]
    ['numeric', 'numeric_noyear', 'year', 'weekday', 'month_year', 'long_noyear']
    """
    return next((form for form, pattern in DATE_FORMS if re.fullmatch(pattern, text)), "long")
