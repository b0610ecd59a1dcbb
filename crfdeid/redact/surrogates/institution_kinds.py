"""The words that say what kind of institution a name means: "Medical Center" becomes "Hospital".

They are replaced by words for the same kind, with another number of words where there are some, because the
length and the kind of a hospital's name single out one hospital of three.
"""

from __future__ import annotations

import regex

from crfdeid.redact.surrogates.keyed_choice import KeyedChoices

KINDS = (
    ("Hospital", "Medical Center", "Regional Medical Center", "Memorial Hospital", "General Hospital",
     "Community Hospital", "Regional Hospital"),
    ("Clinic", "Medical Group", "Family Practice", "Medical Associates", "Family Medicine", "Health Center"),
    ("Nursing Home", "Rehabilitation Center", "Care Center", "Nursing Center", "Manor", "Retirement Home"),
    ("Heart Institute", "Cancer Center", "Cancer Institute", "Eye Institute", "Surgery Center"),
    ("Health System", "Healthcare", "Health Care", "Healthcare System"),
)  # fmt: skip
ACRONYMS = {
    "MC": "Medical Center", "GH": "General Hospital", "MH": "Memorial Hospital", "RH": "Regional Hospital",
    "CH": "Community Hospital", "H": "Hospital",
}  # fmt: skip
KIND_OF = {phrase.lower(): phrases for phrases in KINDS for phrase in phrases}
PATTERNS = (r"\s+".join(phrase.split()) for phrase in sorted(KIND_OF, key=len, reverse=True))
PHRASE = regex.compile(rf"\b(?:{'|'.join(PATTERNS)})\b", regex.IGNORECASE)


def replace_kind(phrase: str, choices: KeyedChoices) -> str:
    """Return other words for the kind of institution, in the capitals of ``phrase``.

    >>> made = replace_kind("MEDICAL CENTER", KeyedChoices(b"secret", "7"))
    >>> made.isupper(), made != "MEDICAL CENTER"
    (True, True)
    """
    low = " ".join(phrase.lower().split())
    phrases = [each.lower() for each in KIND_OF[low]]
    made = choices.permute(phrases, "kind of institution", phrases[0])[low].title()
    return made.upper() if phrase.isupper() else made.lower() if phrase.islower() else made


def replace_tail(tail: str, choices: KeyedChoices) -> str:
    """Return the last letters of an acronym for the kind that replaces theirs: MC becomes H.

    >>> replace_tail("VA", KeyedChoices(b"secret", "7"))
    'VA'
    """
    if tail not in ACRONYMS:
        return tail
    return "".join(word[0] for word in replace_kind(ACRONYMS[tail], choices).split())
