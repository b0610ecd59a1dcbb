"""Places: cities, states, ZIP codes and countries that agree with each other, and names of
hospitals, organisations, departments and streets whose common words stay.

Everything follows from one secret permutation of the states per patient: a city goes to a city of
the state that its own state goes to, a ZIP code to one of that state. So an address stays
coherent, and so does a city that is met again without its state.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import regex

from crfdeid.surrogates import kinds, lists, zips
from crfdeid.surrogates.identifiers import patterned
from crfdeid.surrogates.keys import Draws
from crfdeid.surrogates.known import Known
from crfdeid.surrogates.names import Names
from crfdeid.surrogates.writing import WORD, bare, cased, folded, words

US = frozenset(("us", "usa", "unitedstates", "unitedstatesofamerica", "america"))
NUMBER_WORDS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
NTH = regex.compile(r"\d+(?:st|nd|rd|th)\b|\d+", regex.IGNORECASE)
DIRECTIONS = words("n s e w ne nw se sw north south east west northeast northwest southeast southwest")
UNITS = words("apt apartment unit suite ste floor fl box po p o room rm building bldg no pob post office rr")
SMALL_WORDS = words("of the and at for in on de la del los las el y a to")
COMPANIES = words(
    """university college school high elementary middle academy institute airlines airways insurance software
    company co corp corporation inc llc ltd bank group systems system services industries motors foods energy
    brothers sons partners associates laboratories labs electric union church club council office
    department agency store stores market restaurant hotel shop works press urgent care primary"""
)
LANDMARKS = words(
    """park river beach island lake mount mountain mountains mall bridge valley creek airport station church
    cemetery hall county bay harbor point forest canyon falls hill hills stadium museum plaza center square
    pond trail zoo library prison jail shelter farm ranch camp village"""
)
WARDS = words(
    "floor unit ward wing building tower pavilion suite room clinic service dept department team bed"
)
ACRONYM_TAIL = regex.compile(r"(?<=.)(?:MC|GH|MH|RH|CH|VA|H|C)$")


class Places:
    """The surrogates of one patient's places."""

    def __init__(self, draws: Draws, known: Known, names: Names) -> None:
        self.draws, self.known, self.names = draws, known, names
        places = known.texts(kinds.CITY, kinds.STREET, kinds.HOSPITAL) if known.whole else ()
        self.real = frozenset(map(folded, places))

    @cached_property
    def states(self) -> dict[str, str]:
        return self.draws.cycle(sorted(zips.STATES), "states")

    @cached_property
    def countries(self) -> dict[str, str]:
        return self.draws.cycle(sorted(lists.grouped("city_countries")), "countries")

    # Cities and what lies around them

    def city(self, text: str, state: str | None = None) -> str | None:
        """``state`` is the (real) postal abbreviation that stands beside it."""
        if not WORD.search(text):
            return None
        name = folded(text)
        at = state or self.state_of(name)
        if at is None and (country := lists.first_right("city_countries").get(name)):
            towns = lists.grouped("city_countries")[self.countries[country]]
        else:
            towns = lists.grouped("city_states")[
                self.states[at or self.draws.choice(sorted(self.states), name)]
            ]
        return cased(self.first(text, lambda n: self.draws.choice(towns, "city", name, n)), text)

    def state_of(self, name: str) -> str | None:
        """The state of a city: the one that stands beside it in the patient's notes, else its
        first in the list."""
        told = self.known.states.get(name)
        best = [max(sorted(told), key=lambda s: told[s])] if told else []
        found = [code for code in map(zips.code, best) if code]
        return found[0] if found else lists.first_right("city_states").get(name)

    def state(self, text: str) -> str | None:
        code = zips.code(text)
        if code is None:
            return self.place(text)
        new = self.states[code]
        letters = regex.sub(r"[^A-Za-z]", "", text)
        if len(letters) != 2:
            return cased(zips.STATES[new], text) if not text.isupper() else zips.STATES[new].upper()
        made = iter(new if letters.isupper() else new.lower() if letters.islower() else new.capitalize())
        return "".join(next(made) if c.isalpha() else c for c in text)

    def zip(self, text: str) -> str | None:
        """A ZIP code of the state that its state goes to, the same digits always."""
        found = regex.search(r"\d{5}", text)
        if found is None:
            return patterned(text, self.draws, "zip") if any(c.isalnum() for c in text) else None
        state = zips.state(found[0])
        prefixes = zips.prefixes(self.states[state]) if state else zips.prefixes(None)
        start = self.draws.choice(prefixes, "zip", found[0][:3])
        rest = patterned(text[found.start() + 3 :], self.draws, "zip", found[0])
        head = patterned(text[: found.start()], self.draws, "zip") if found.start() else ""
        made = head + start + rest
        return made if made != text else None

    def country(self, text: str) -> str | None:
        name = folded(text).replace(".", "").replace(" ", "")
        if not name or not WORD.search(text):
            return None
        known = sorted(self.countries)
        same = next((c for c in known if folded(c).replace(" ", "") == name), None)
        new = self.countries[same] if same else self.draws.choice(known, "country", name)
        return cased(new, text) if folded(new) != folded(text) else self.countries[new]

    # Names of institutions

    def institution(self, text: str) -> str | None:
        """A hospital or organisation: the words that say what it is stay."""
        keep = lists.words("hospital_words") | SMALL_WORDS | COMPANIES | DIRECTIONS
        return self.proper(text, keep)

    def department(self, text: str) -> str | None:
        """A ward or building. One without a name of its own becomes another specialty."""
        keep = WARDS | SMALL_WORDS | DIRECTIONS | lists.words("hospital_words")
        plain = [w for w in WORD.findall(text) if w.lower() not in keep]
        named = any(c.isdecimal() for c in text) or any(w.lower() in WARDS for w in WORD.findall(text))
        common = not named and all(w.lower() in lists.words("medical_words", "common_words") for w in plain)
        if not common:
            return self.proper(text, keep)
        return self.listed("specialty", text)

    def place(self, text: str) -> str | None:
        return self.proper(text, SMALL_WORDS | UNITS | LANDMARKS | DIRECTIONS)

    def listed(self, name: str, text: str) -> str | None:
        """Another entry of a list, in the capitals of ``text``; its digits are replaced too."""
        entries = sorted(lists.entries(name) if name == "professions" else lists.listed(name))
        if not any(c.isalnum() for c in text):
            return None
        made = self.first(text, lambda n: self.draws.choice(entries, name, folded(text), n))
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
        initial = self.names.letter(stem[0].upper())
        names = lists.pool(lists.SURNAME).get(initial) or sum(lists.pool(lists.SURNAME).values(), ())
        made = self.first(stem, lambda n: self.draws.choice(names, "place", folded(stem), n))
        return cased(made, stem) + ending

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
        found = [m[0] for m in WORD.finditer(text)]
        if not any(c.isalnum() for c in text):
            return None
        keep = lists.words("street_words") | DIRECTIONS | UNITS | SMALL_WORDS
        written = NTH.sub(lambda m: self.nth(m[0]), text)
        plain = [w for w in found if w.lower() not in keep]
        if not plain and written != text:
            return WORD.sub(
                lambda m: self.part(m[0]) if len(m[0]) == 1 and m[0].lower() not in keep else m[0], written
            )
        keep = keep if plain else frozenset()
        return WORD.sub(lambda m: m[0] if m[0].lower() in keep or is_ending(m) else self.road(m[0]), written)

    def road(self, word: str) -> str:
        if word.lower() in NUMBER_WORDS:
            others = [w for w in NUMBER_WORDS if w != word.lower()]
            return cased(self.draws.choice(others, "road", word.lower()).capitalize(), word)
        return self.part(word)

    def first(self, text: str, make: Callable[[int], str]) -> str:
        """The first of a hundred candidates that is neither ``text`` nor a place of the patient; where
        all of them are such places, a proper name."""
        for made in map(make, range(100)):
            if folded(made) != folded(text) and folded(made) not in self.real:
                return made
        return WORD.sub(lambda match: self.names.permuted(folded(match[0])).capitalize(), text)


def is_ending(match: regex.Match[str]) -> bool:
    """Whether the letters are the ending of an ordinal (the th of 5th)."""
    return (
        match.start() > 0
        and match.string[match.start() - 1].isdecimal()
        and match[0].lower() in ("st", "nd", "rd", "th")
    )


def capitals(text: str, like: str) -> str:
    """Every word capital where ``like`` has a capital in its last word, else the first alone."""
    found = WORD.findall(like)
    if found and found[-1][0].isupper() and len(found) > 1:
        return WORD.sub(lambda m: m[0][:1].upper() + m[0][1:], text)
    return text[:1].upper() + text[1:] if found and found[0][0].isupper() else text.lower()


def in_us(name: str) -> bool:
    """
    >>> in_us("U.S.A."), in_us("Canada")
    (True, False)
    """
    return folded(name).replace(".", "").replace(" ", "") in US
