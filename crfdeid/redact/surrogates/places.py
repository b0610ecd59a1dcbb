"""The surrogates of cities, states, ZIP codes and countries, which agree with each other.

Each patient has one secret permutation of the states with many listed towns, and one of the others, whose
surrogates are partly invented: few real towns look invented. A city becomes a city of the state that its own
state becomes, a ZIP code behind it one of that city, and an area code one of that city or state. So an
address stays coherent, also if the city occurs again without its state.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache, cached_property, partial
from operator import attrgetter
from typing import NamedTuple
from zlib import crc32

import regex

from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import WORD, fold, match_case, word_set
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.identifiers import replace_characters
from crfdeid.redact.surrogates.institutions import Institutions
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.patient_facts import PatientFacts
from crfdeid.text.document import Document, Span

MIN_TOWNS, MANY_TOWNS = 20, 30
TOWN_ENDINGS = ("ville", "ton", "field", " Falls", "burg", " Springs")
US = frozenset(("us", "usa", "unitedstates", "unitedstatesofamerica", "america"))
STATES = {**dict(word_lists.load_pairs("state_names")), "DC": "District of Columbia"}
# Three-digit prefixes of the ZIP codes of each state (USPS Publication 65).
RANGES = """
AK 995-999, AL 350-369, AR 716-729, AZ 850-865, CA 900-961, CO 800-816, CT 060-069,
DC 200-200 202-205, DE 197-199,
FL 320-349, GA 300-319 398-399, HI 967-968, IA 500-528, ID 832-838, IL 600-629, IN 460-479, KS 660-679,
KY 400-427,
LA 700-714, MA 010-027, MD 206-219, ME 039-049, MI 480-499, MN 550-567, MO 630-658, MS 386-397, MT 590-599,
NC 270-289, ND 580-588, NE 680-693, NH 030-038, NJ 070-089, NM 870-884, NV 889-898, NY 100-149, OH 430-459,
OK 730-749, OR 970-979, PA 150-196, RI 028-029, SC 290-299, SD 570-577, TN 370-385, TX 750-799, UT 840-847,
VA 201-201 220-246, VT 050-059, WA 980-994, WI 530-549, WV 247-268, WY 820-831
"""
# Prefixes whose areas had at most 20,000 people in the 2000 census: the list of the HHS guidance on
# de-identification (26 November 2012). 45 CFR 164.514(b)(2)(i)(B) requires 000 in their place.
SMALL_AREAS = word_set("036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893")
TOLL_FREE = ("800", "833", "844", "855", "866", "877", "888")
FIVE_DIGITS = regex.compile(r"(?<!\d)(\d{3})\d\d(?:-?\d{4})?(?!\d)")


class Places:
    """The surrogates of one patient's places."""

    def __init__(
        self,
        choices: KeyedChoices,
        facts: PatientFacts,
        institutions: Institutions,
        keeps_states: bool = False,
    ) -> None:
        self.choices, self.facts, self.institutions = choices, facts, institutions
        self.keeps_states = keeps_states
        cities = {fold(text) for text in facts.list_texts(kinds.CITY)} if facts.complete else ()
        for name in sorted(cities):  # in this order, whatever the order of the notes
            written = {code for code in map(parse_state, facts.states.get(name, ())) if code}
            states: list[str | None] = [*sorted(written)] or [self._find_state(name)]
            for state in states:
                institutions.assign(make_city_key(name, state), self._choose_town(name, state))

    @cached_property
    def states(self) -> dict[str, str]:
        """The new state for each state: itself where a policy keeps the states."""
        if self.keeps_states:
            return {state: state for state in STATES}
        return {
            state: new
            for group in group_states()
            for state, new in self.choices.permute(group, "states").items()
        }

    @cached_property
    def countries(self) -> dict[str, str]:
        return self.choices.permute(sorted(word_lists.group_towns("city_countries")), "countries")

    def replace_city(self, text: str, state: str | None = None) -> str | None:
        """Replace a city. ``state`` is the (real) postal abbreviation written beside it."""
        if not WORD.search(text):
            return None
        name = fold(text)
        return match_case(self._choose_town(name, state or self._find_state(name)), text)

    def _choose_town(self, name: str, state: str | None) -> str:
        """The surrogate of a (folded) town. Without a state it is a town of another country, or of any
        state if no list has the town."""
        if state is None and (country := word_lists.locate_towns("city_countries").get(name)):
            candidates = word_lists.group_towns("city_countries")[self.countries[country]]
        else:
            candidates = weigh_towns(self.states[state or self.choices.choose(sorted(self.states), name)])
        first = WORD.match(name)
        draw = partial(self.institutions.draw_fitting, first[0] if first else "", candidates, "city", name)
        return self.institutions.choose_free(name, draw, make_city_key(name, state))

    def _find_state(self, name: str) -> str | None:
        """The state of a city: the one written beside it most often, otherwise its first in the list."""
        beside = self.facts.states.get(name)
        most_frequent = [max(sorted(beside), key=lambda s: beside[s])] if beside else []
        codes = [code for code in map(parse_state, most_frequent) if code]
        return codes[0] if codes else word_lists.locate_towns("city_states").get(name)

    def replace_state(self, text: str) -> str | None:
        code = parse_state(text)
        if code is None:
            return self.institutions.replace_place(text)
        new = self.states[code]
        letters = "".join(c for c in text if c.isalpha())
        if len(letters) != 2:
            return match_case(STATES[new], text) if not text.isupper() else STATES[new].upper()
        cased = iter(new if letters.isupper() else new.lower() if letters.islower() else new.capitalize())
        return "".join(next(cased) if c.isalpha() else c for c in text)

    def replace_zip(self, text: str) -> str | None:
        """Replace a ZIP code by one of the town or the state that its own becomes."""
        found = regex.search(r"\d{5}", text)
        if found is None:
            return replace_characters(text, self.choices, "zip") if any(c.isalnum() for c in text) else None
        state = find_zip_state(found[0])
        before, after = text[: found.start()], text[found.end() :]
        head = replace_characters(before, self.choices, "zip") if before else ""
        if real := self._choose_zip(found[0], state):
            return head + real + (replace_characters(after, self.choices, "zip", found[0]) if after else "")
        prefixes = list_prefixes(self.states[state]) if state else list_prefixes(None)
        start = self.choices.choose(prefixes, "zip", found[0][:3])
        rest = replace_characters(found[0][3:], self.choices, "zip", found[0])
        rest += replace_characters(after, self.choices, "zip", found[0]) if after else ""
        replaced = head + start + rest
        return replaced if replaced != text else None

    def _choose_zip(self, zip: str, state: str | None) -> str | None:
        """A ZIP code of the town that replaces the town before this one, otherwise one of its state; None
        where no list has one."""
        towns = self.facts.towns.get(zip) if state and self.facts.complete else None
        found: Sequence[str] = ()
        if state and towns:
            name = max(sorted(towns), key=lambda town: towns[town])
            found = (
                load_town_codes()
                .get((fold(self._choose_town(name, state)), self.states[state]), NO_CODES)
                .zips
            )
        if state and not found:
            found = list_zips(self.states[state])
        others = [other for other in found if other != zip]
        return self.choices.choose(others, "zip", zip) if others else None

    def replace_area(self, area: str) -> str | None:
        """An area code of the town that replaces the patient's town of this one, otherwise of its state; a
        toll-free one for a toll-free one; any for one that no list has."""
        if area in TOLL_FREE:
            return self.choices.choose([code for code in TOLL_FREE if code != area], "area", area)
        state = load_area_states().get(area)
        found = self._list_areas(area) if self.facts.complete else ()
        if state and not found:
            found = list_areas(self.states[state])
        others = [other for other in found or sorted(load_area_states()) if other != area]
        others = others or [code for code in sorted(load_area_states()) if code != area]
        return self.choices.choose(others, "area", area)

    def _list_areas(self, area: str) -> Sequence[str]:
        """The area codes of the surrogate of the patient's first town that has this area code."""
        for name in sorted({fold(text) for text in self.facts.list_texts(kinds.CITY)}):
            state = self._find_state(name)
            if state and area in load_town_codes().get((name, state), NO_CODES).areas:
                town = fold(self._choose_town(name, state))
                return load_town_codes().get((town, self.states[state]), NO_CODES).areas
        return ()

    def replace_country(self, text: str) -> str | None:
        name = join_letters(text)
        if not name or not WORD.search(text):
            return None
        listed_countries = sorted(self.countries)
        same = next((c for c in listed_countries if fold(c).replace(" ", "") == name), None)
        new = self.countries[same] if same else self.choices.choose(listed_countries, "country", name)
        return match_case(new, text) if fold(new) != fold(text) else self.countries[new]


class TownCodes(NamedTuple):
    """The ZIP codes and the area codes of a town."""

    zips: tuple[str, ...]
    areas: tuple[str, ...]


NO_CODES = TownCodes((), ())


@cache
def load_town_codes() -> dict[tuple[str, str], TownCodes]:
    """The codes of each town, by its folded name and the abbreviation of its state."""
    rows = (entry.split("|") for entry in word_lists.read_entries("town_codes"))
    return {
        (fold(name), state): TownCodes(tuple(zips.split()), tuple(areas.split()))
        for name, state, zips, areas in rows
    }


@cache
def list_zips(state: str) -> tuple[str, ...]:
    """The ZIP codes of the listed towns of a state."""
    codes = (codes for (_, other), codes in load_town_codes().items() if other == state)
    return tuple(sorted({zip for each in codes for zip in each.zips}))


@cache
def load_area_states() -> dict[str, str]:
    """The state of each area code."""
    return dict(word_lists.load_pairs("area_codes"))


@cache
def list_areas(state: str) -> tuple[str, ...]:
    """The area codes of a state."""
    return tuple(sorted(area for area, other in load_area_states().items() if other == state))


def make_city_key(name: str, state: str | None) -> str:
    """The key under which a town's surrogate is assigned, in the map file too."""
    return f"city {name} {state or ''}"


def join_letters(text: str) -> str:
    """Fold ``text`` and remove dots and spaces."""
    return fold(text).replace(".", "").replace(" ", "")


def is_us(name: str) -> bool:
    """
    >>> is_us("U.S.A."), is_us("Canada")
    (True, False)
    """
    return join_letters(name) in US


@cache
def list_towns(state: str) -> tuple[str, ...]:
    """The listed towns of a state. If there are few, towns with invented names are added, because two
    towns of a patient must not get the same surrogate."""
    towns = list(word_lists.group_towns("city_states").get(state, ()))
    names = word_lists.list_pool(word_lists.SURNAME)
    for number in range(MIN_TOWNS - len(towns)):
        digest = crc32(f"{state} {number}".encode())
        towns.append(names[digest % len(names)] + TOWN_ENDINGS[digest % len(TOWN_ENDINGS)])
    return tuple(towns)


@cache
def weigh_towns(state: str) -> tuple[str, ...]:
    """The towns of a state, each as often as it has ZIP codes: people live in large towns more often."""
    codes = load_town_codes()
    return tuple(
        town for town in list_towns(state) for _ in codes.get((fold(town), state), NO_CODES).zips or (town,)
    )


@cache
def group_states() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The states with :data:`MANY_TOWNS` listed towns or more, and the others."""
    towns = word_lists.group_towns("city_states")
    many = {state for state in STATES if len(towns.get(state, ())) >= MANY_TOWNS}
    return tuple(sorted(many)), tuple(sorted(STATES.keys() - many))


# States and ZIP codes


def parse_state(text: str) -> str | None:
    """Return the postal abbreviation of a state, however the state is written.

    >>> parse_state("Mass."), parse_state("N.Y."), parse_state("ohio"), parse_state("Ontario")
    ('MA', 'NY', 'OH', None)
    """
    letters = regex.sub(r"[^a-z]", "", text.lower())
    if letters.upper() in STATES:
        return letters.upper()
    full = {regex.sub(r"[^a-z]", "", name.lower()): code for code, name in STATES.items()}
    if letters in full:
        return full[letters]
    starts = [code for name, code in full.items() if len(letters) > 3 and name.startswith(letters)]
    return starts[0] if len(starts) == 1 else None


@cache
def list_prefixes(state: str | None) -> tuple[str, ...]:
    """The three-digit prefixes of the ZIP codes of a state; of all states for None."""
    found: list[str] = []
    for row in RANGES.replace("\n", " ").split(","):
        code, *spans = row.split()
        if state in (None, code):
            for low, high in (span.split("-") for span in spans):
                found += [f"{number:03}" for number in range(int(low), int(high) + 1)]
    return tuple(found)


@cache
def load_prefix_states() -> dict[str, str]:
    """The state of each prefix."""
    return {prefix: code for code in STATES for prefix in list_prefixes(code)}


def find_zip_state(zip: str) -> str | None:
    """
    >>> find_zip_state("02115"), find_zip_state("00000")
    ('MA', None)
    """
    return load_prefix_states().get(zip[:3])


def generalise_zip(text: str) -> str:
    """Return the first three digits of a ZIP code as the Safe Harbor allows them: 000 for small areas.

    >>> generalise_zip("02115-1234"), generalise_zip("03601")
    ('021', '000')
    """
    found = FIVE_DIGITS.search(text)
    if found is None:
        return "000"
    return "000" if found[1] in SMALL_AREAS else found[1]


def find_state_beside(document: Document, span: Span) -> str | None:
    """The postal abbreviation of the state that follows a city, or of the ZIP code that follows it."""
    first = bisect_left(document.spans, span.end, key=attrgetter("start"))
    stop = bisect_right(document.spans, span.end + kinds.MAX_GAP, key=attrgetter("start"))
    for other in document.spans[first:stop]:
        text = document.text_of(other)
        if other.type == "STATE":
            return parse_state(text)
        if other.type == "ZIP":
            return find_zip_state(text)
    return None
