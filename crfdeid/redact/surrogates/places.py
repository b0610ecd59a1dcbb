"""Places: cities, states, ZIP codes and countries that agree with each other.

Everything follows from one secret permutation of the states per patient: a city goes to a city of
the state that its own state goes to, a ZIP code to one of that state. So an address stays
coherent, and so does a city that is met again without its state.
"""

from __future__ import annotations

from functools import cache, cached_property
from zlib import crc32

import regex

from crfdeid.redact.surrogates import kinds, name_pools, zips
from crfdeid.redact.surrogates.identifiers import patterned
from crfdeid.redact.surrogates.institutions import Institutions
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.letter_case import WORD, cased, folded
from crfdeid.redact.surrogates.patient_facts import PatientFacts

LEAST_TOWNS = 30
TOWN_ENDINGS = ("ville", "ton", "field", " Falls", "burg", " Springs")
US = frozenset(("us", "usa", "unitedstates", "unitedstatesofamerica", "america"))


class Places:
    """The surrogates of one patient's places."""

    def __init__(self, draws: KeyedChoices, known: PatientFacts, institutions: Institutions) -> None:
        self.draws, self.known, self.institutions = draws, known, institutions
        cities = {folded(text) for text in known.texts(kinds.CITY)} if known.whole else ()
        for name in sorted(cities):  # in this order, whatever the order of the notes
            told = {code for code in map(zips.code, known.states.get(name, ())) if code}
            for at in sorted(told) or [self.state_of(name)]:
                institutions.settle(self.key(name, at), self.town(name, at))

    @cached_property
    def states(self) -> dict[str, str]:
        return self.draws.cycle(sorted(zips.STATES), "states")

    @cached_property
    def countries(self) -> dict[str, str]:
        return self.draws.cycle(sorted(name_pools.grouped("city_countries")), "countries")

    # Cities and what lies around them

    def city(self, text: str, state: str | None = None) -> str | None:
        """``state`` is the (real) postal abbreviation that stands beside it."""
        if not WORD.search(text):
            return None
        name = folded(text)
        return cased(self.town(name, state or self.state_of(name)), text)

    def town(self, name: str, at: str | None) -> str:
        """The surrogate of the town ``name`` (folded) in the state ``at``; without one, of another country
        or, of a town in no list, of any state."""
        if at is None and (country := name_pools.first_right("city_countries").get(name)):
            near = name_pools.grouped("city_countries")[self.countries[country]]
        else:
            near = towns(self.states[at or self.draws.choice(sorted(self.states), name)])
        return self.institutions.first(
            name, lambda n: self.draws.choice(near, "city", name, n), self.key(name, at)
        )

    def key(self, name: str, at: str | None) -> str:
        return f"city {name} {at or ''}"

    def state_of(self, name: str) -> str | None:
        """The state of a city: the one that stands beside it in the patient's notes, else its
        first in the list."""
        told = self.known.states.get(name)
        best = [max(sorted(told), key=lambda s: told[s])] if told else []
        found = [code for code in map(zips.code, best) if code]
        return found[0] if found else name_pools.first_right("city_states").get(name)

    def state(self, text: str) -> str | None:
        code = zips.code(text)
        if code is None:
            return self.institutions.place(text)
        new = self.states[code]
        letters = "".join(c for c in text if c.isalpha())
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
        rest = patterned(found[0][3:], self.draws, "zip", found[0])
        rest += patterned(text[found.end() :], self.draws, "zip", found[0]) if text[found.end() :] else ""
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


def in_us(name: str) -> bool:
    """
    >>> in_us("U.S.A."), in_us("Canada")
    (True, False)
    """
    return folded(name).replace(".", "").replace(" ", "") in US


@cache
def towns(state: str) -> tuple[str, ...]:
    """The listed towns of a state, and where they are few further ones with names such as towns have:
    two towns of a patient must not become one."""
    listed = list(name_pools.grouped("city_states").get(state, ()))
    names = sum(name_pools.pool(name_pools.SURNAME).values(), ())
    for number in range(LEAST_TOWNS - len(listed)):
        digest = crc32(f"{state} {number}".encode())
        listed.append(names[digest % len(names)] + TOWN_ENDINGS[digest % len(TOWN_ENDINGS)])
    return tuple(listed)
