"""Names of hospitals, organisations, departments, landmarks and streets: the words that say what it
is stay, the words that say which one are replaced by names."""

from __future__ import annotations

from collections.abc import Callable

import regex

from crfdeid.redact.surrogates import kinds, name_pools
from crfdeid.redact.surrogates.identifiers import patterned
from crfdeid.redact.surrogates.institution_words import (
    COMPANIES,
    DENOMINATIONS,
    DIRECTIONS,
    LANDMARKS,
    NUMBER_WORDS,
    SMALL_WORDS,
    UNITS,
    WARDS,
)
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.letter_case import WORD, bare, capitals, cased, folded
from crfdeid.redact.surrogates.names import Names
from crfdeid.redact.surrogates.patient_facts import PatientFacts

NTH = regex.compile(r"\d+(?:st|nd|rd|th)\b|\d+", regex.IGNORECASE)
NAMED = (kinds.HOSPITAL, kinds.ORGANIZATION, kinds.STREET, kinds.DEPARTMENT, kinds.PLACE)
ACRONYM_TAIL = regex.compile(r"(?<=.)(?:MC|GH|MH|RH|CH|VA|H|C)$")


class Institutions:
    """The surrogates of one patient's institutions."""

    def __init__(self, draws: KeyedChoices, known: PatientFacts, names: Names, given: dict[str, str]) -> None:
        self.draws, self.names, self.given = draws, names, given
        places = sorted(known.texts(kinds.CITY, *NAMED)) if known.whole else ()
        parts = {folded(bare(word)[0]) for text in places for word in WORD.findall(text)}
        self.real = {*map(folded, places), *parts, *(known.names if known.whole else ())}
        self.taken = {folded(made): key for key, made in given.items()}
        plain = parts - name_pools.tokens("hospital_words") - SMALL_WORDS if known.whole else ()
        for word in sorted(plain):  # in this order, whatever the order of the notes
            if len(word) > 1:
                self.settle(f"place {word}", self.named(word))

    def settle(self, key: str, made: str) -> None:
        """Nobody else gets what was ``made`` for ``key``."""
        self.given[key] = made
        self.taken[folded(made)] = key

    def institution(self, text: str) -> str | None:
        """A hospital or organisation: the words that say what it is stay."""
        words_of_kind = name_pools.tokens("hospital_words") - DENOMINATIONS
        return self.proper(text, words_of_kind | SMALL_WORDS | COMPANIES | LANDMARKS | DIRECTIONS)

    def department(self, text: str) -> str | None:
        """A ward or building. One without a name of its own becomes another specialty."""
        keep = WARDS | SMALL_WORDS | DIRECTIONS | (name_pools.tokens("hospital_words") - DENOMINATIONS)
        plain = [w for w in WORD.findall(text) if w.lower() not in keep]
        named = any(c.isdecimal() for c in text) or any(w.lower() in WARDS for w in WORD.findall(text))
        common = not named and all(
            w.lower() in name_pools.words("medical_words", "common_words") for w in plain
        )
        if not common:
            return self.proper(text, keep)
        return self.listed("specialty", text)

    def place(self, text: str) -> str | None:
        return self.proper(text, SMALL_WORDS | UNITS | LANDMARKS | DIRECTIONS)

    def listed(self, name: str, text: str) -> str | None:
        """Another entry of a list, in the capitals of ``text``; its digits are replaced too."""
        entries = sorted(name_pools.entries(name) if name == "professions" else name_pools.listed(name))
        if not any(c.isalnum() for c in text):
            return None
        low = folded(text)
        made = self.first(text, lambda n: self.draws.choice(entries, name, low, n), f"{name} {low}")
        return cased(made, text) if text.isupper() or text.islower() else capitals(made, text)

    def proper(self, text: str, keep: frozenset[str]) -> str | None:
        """``text`` with every word that is not to be kept replaced by a name of the patient's
        initial for it, and its numbers by others. Where that leaves it as it was, all words
        are replaced."""
        found = [m[0] for m in WORD.finditer(text)]
        if not found and not any(c.isdecimal() for c in text):
            return patterned(text, self.draws, "place") if any(c.isalnum() for c in text) else None
        if all(w.lower() in keep for w in found) and not any(c.isdecimal() for c in text):
            keep = SMALL_WORDS if any(w.lower() not in SMALL_WORDS for w in found) else frozenset()
        out = WORD.sub(lambda m: m[0] if m[0].lower() in keep else self.part(m[0]), text)
        return NTH.sub(lambda m: self.nth(m[0]), out)

    def part(self, word: str) -> str:
        """One proper word. Of an acronym, the letters that say hospital or centre stay."""
        stem, ending = bare(word)
        if stem.isupper() and 1 < len(stem) <= 5 and not self.names.is_name(stem):
            tail = match[0] if len(stem) > 2 and (match := ACRONYM_TAIL.search(stem)) else ""
            head = stem[: len(stem) - len(tail)]
            return "".join(map(self.names.letter, head)) + tail + ending
        if len(stem) == 1:
            return self.names.letter(stem) + ending
        return cased(self.named(folded(stem)), stem) + ending

    def named(self, word: str) -> str:
        """The name that stands for a (folded) word of a place's name."""
        names = name_pools.pool(name_pools.SURNAME).get(self.names.initial(word), ())
        return self.first(word, lambda n: self.draws.choice(names, "place", word, n), f"place {word}")

    def nth(self, number: str) -> str:
        """A number, or an ordinal with the ending of its new number."""
        digits = number.rstrip("stndrhSTNDRH")
        new = patterned(digits, self.draws, "number")
        if digits == number:
            return new
        last = "th" if new[-2:-1] == "1" else {"1": "st", "2": "nd", "3": "rd"}.get(new[-1], "th")
        return new + (last.upper() if number[-1].isupper() else last)

    def street(self, text: str) -> str | None:
        """House number, name and unit are replaced; the kind of street and directions stay."""
        if not any(c.isalnum() for c in text):
            return None
        stays, out, at = of_its_kind(text), [], 0
        for match in WORD.finditer(text):
            out += [text[at : match.start()], match[0] if match.start() in stays else self.road(match[0])]
            at = match.end()
        return NTH.sub(lambda m: self.nth(m[0]), "".join([*out, text[at:]]))

    def road(self, word: str) -> str:
        if word.lower() in NUMBER_WORDS:
            others = [w for w in NUMBER_WORDS if w != word.lower()]
            return cased(self.draws.choice(others, "road", word.lower()).capitalize(), word)
        return self.part(word)

    def first(self, text: str, make: Callable[[int], str], key: str) -> str:
        """What ``key`` was given before, or the first of a hundred candidates that is neither ``text``
        nor a place or name of the patient, nor another place's; where all of them are, a proper name."""
        if key in self.given:
            return self.given[key]
        for made in map(make, range(100)):
            low = folded(made)
            if low != folded(text) and low not in self.real and self.taken.get(low, key) == key:
                return made
        return WORD.sub(lambda match: self.names.permuted(folded(match[0])).capitalize(), text)


def of_its_kind(text: str) -> set[int]:
    """Where the words of a street begin that say of what kind it is. One that is made of such words
    alone ("45 Park Place") has one for its name: all but the last."""
    found = list(WORD.finditer(text))
    keep = name_pools.words("street_words") | DIRECTIONS | UNITS | SMALL_WORDS
    same = {m.start() for m in found if m[0].lower() in keep or is_ending(m)}
    roads = [m for m in found if m[0].lower() in name_pools.words("street_words") - UNITS]
    if len(same) < len(found) or any(map(is_ending, found)) or not roads:
        return same
    named = [m for m in found if m[0].lower() not in UNITS | SMALL_WORDS]
    kind = roads[-1].start()
    if len(named) == 1 and not any(c.isdecimal() for c in text[roads[-1].end() :]):
        kind = len(text)  # "12 Park", and not "Route 9"
    return {start for start in same if start >= kind or start not in {m.start() for m in named}}


def is_ending(match: regex.Match[str]) -> bool:
    """Whether the letters are the ending of an ordinal (the th of 5th)."""
    return (
        match.start() > 0
        and match.string[match.start() - 1].isdecimal()
        and match[0].lower() in ("st", "nd", "rd", "th")
    )
