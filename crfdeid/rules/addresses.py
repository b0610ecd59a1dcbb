"""Addresses and rooms, by numbers and the words beside them. Tafvizi 2011, section 2.5.3, has street
and parkway; the other words are ours."""

from __future__ import annotations

import re

from crfdeid.rules.rule import at_numbers, at_words

STREET_WORDS = (
    "Street|St|Avenue|Ave|Boulevard|Blvd|Road|Rd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Ter|Circle|Cir"
    "|Way|Parkway|Pkwy|Highway|Hwy|Turnpike|Tpke|Pike|Trail|Trl|Alley|Crescent|Plaza|Loop|Row|Path|Crossing|Hill"
    "|Heights|Landing|Commons|Park|Run|Extension|Ext"
)

street_address = at_numbers(
    "street_address", "STREET", "Tafvizi 2011, section 2.5.3 (street, parkway); ours",
    "A house number, one to four capitalised words, and a word for a street.",
    rf"\d{{1,5}}[A-Z]?[ ](?:[NSEW]\.?[ ])?"
    rf"(?-i:(?:(?:[A-Z][^\W\d]*(?:['’-][^\W\d]+)*\.?|\d+(?:st|nd|rd|th))\s){{1,4}})"
    rf"(?-i:{STREET_WORDS}|{STREET_WORDS.upper()})\b"
    r"(?:,?[ ](?:Apt|Apartment|Suite|Unit|Ste|\#)\.?[ ]?\#?\w{1,5})?",
)  # fmt: skip
post_box = at_words(
    "post_box", "STREET", "ours", "A post office box.",
    ["p", "po"], r"P\.?[ ]?O\.?[ ]Box[ ]\d+",
)  # fmt: skip
zip_code = at_numbers(
    "zip_code", "ZIP", "ours", "Five digits, or nine, after a state or its abbreviation, or at \"ZIP\".",
    r"\d{5}(?:-\d{4})?(?![\d-])",
    lambda match, note: ZIP_BEFORE.search(note.text[max(0, match.start() - 16) : match.start()]),
)  # fmt: skip
ZIP_BEFORE = re.compile(r"(?:\b[A-Z]{2}|\b[A-Z][a-z]{3,}|(?i:zip(?: code)?:?)),? {1,2}$")
room = at_words(
    "room", "ROOM", "ours", "The number of a room or bed.",
    ["room", "rm", "bed"], r"(?:room|rm\.?|bed)[ ](?:no\.?[ ]|\#[ ]?"
                           r"|number[ ])?(?P<phi>\d{2,4}[A-D]?|[A-Z]{1,2}-?\d{2,4})\b",
)  # fmt: skip

RULES = (street_address, post_box, zip_code, room)
