"""The parts of a name that say nothing of who it is: titles, credentials, particles."""

from __future__ import annotations

import regex

from crfdeid.redact.surrogates import name_pools
from crfdeid.redact.surrogates.letter_case import folded, words

PARTICLES = words("van von der den de la le du del della di da dos el al bin ibn ten ter y and or the of")
SUFFIXES = words("jr sr ii iii iv esq")
SHORT_NAMES = words("di do al el le bin ten ter ibn y")  # particles, and short for a first name, or one
AMBIGUOUS = ("do", "pa")  # credentials, and surnames
COURTESY = words("mr mrs ms miss dr drs doctor prof professor nurse sra madam mister")
CREDENTIALS = regex.compile(r"(?<=[,\s])(?:(?:M\.D|D\.O|R\.N|N\.P|P\.A|Ph\.\s?D)\b\.?[,\s]*)+$")


def is_particle(text: str, found: list[regex.Match[str]], number: int) -> bool:
    """Whether a word such as "van" is a particle there: in small letters within a name that has
    capitals, behind another part of the name, or where it is no first name."""
    word = found[number][0]
    if word.islower() and not text.islower():
        return True
    behind = number and folded(found[number - 1][0]) not in name_pools.words("titles")
    behind = behind and "," not in text[found[number - 1].end() : found[number].start()]
    if behind and word.istitle() and len(word) > 1:
        return True
    return folded(word) not in name_pools.folds("first_names") and folded(word) not in SHORT_NAMES


def is_title(text: str, found: list[regex.Match[str]], number: int) -> bool:
    """Whether a word such as "Nurse" is a title there: before a name, without a comma between; or
    a credential behind one. Else somebody may be called so."""
    word, low = found[number][0], folded(found[number][0])
    if number + 1 < len(found) and low not in AMBIGUOUS:
        leads = low in COURTESY or all(folded(m[0]) in name_pools.words("titles") for m in found[:number])
        if leads and "," not in text[found[number].end() : found[number + 1].start()]:
            return True
    if number == 0 or low not in name_pools.credentials():
        return False
    parted = "," in text[found[number - 1].end() : found[number].start()]
    return low not in AMBIGUOUS or (word.isupper() and (parted or not text.isupper()))
