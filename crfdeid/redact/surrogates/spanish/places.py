"""Towns with their provinces and postal codes, and countries, in Spanish.

Each patient has a secret permutation of the provinces of each country. A town becomes a town of the province
that its own becomes, and a postal code begins as in that province.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from operator import attrgetter

import regex

from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import WORD, fold, match_case
from crfdeid.lexicon.spanish import LANGUAGE
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.identifiers import replace_characters
from crfdeid.redact.surrogates.places import Places, join_letters, make_city_key
from crfdeid.redact.surrogates.spanish.contacts import PLANS, load_area_codes, split_number
from crfdeid.redact.surrogates.spanish.countries import COUNTRIES, SPAIN, find_country
from crfdeid.redact.surrogates.spanish.numbers import replace_as_written
from crfdeid.text.document import Document, Span

Province = tuple[str, str]  # country and name

POSTAL = regex.compile(r"(?<!\d)(?:[A-Z][ -]?)?\d{4,6}(?!\d)")
SPEAKING = (*COUNTRIES.values(),)
FREQUENT = (  # where people in Spanish notes come from, or go to
    "Alemania", "Argelia", "Austria", "Bangladés", "Brasil", "Bulgaria", "Bélgica", "Camerún",
    "Canadá", "China",
    "Dinamarca", "Egipto", "Estados Unidos", "Filipinas", "Finlandia", "Francia", "Gambia",
    "Georgia", "Ghana",
    "Grecia", "Haití", "India", "Irlanda", "Italia", "Japón", "Mali", "Marruecos", "Mauritania", "Nigeria",
    "Noruega", "Pakistán", "Países Bajos", "Polonia", "Portugal", "Reino Unido", "Rumanía",
    "Rusia", "Senegal",
    "Siria", "Suecia", "Suiza", "Turquía", "Túnez", "Ucrania",
)  # fmt: skip
AMERICA = ("EE. UU.", "EE.UU.", "EEUU", "USA")
SHORT = {  # of the states of Mexico
    "Aguascalientes": "Ags.", "Baja California": "B.C.", "Baja California Sur": "B.C.S.",
    "Campeche": "Camp.", "Chiapas": "Chis.", "Chihuahua": "Chih.", "Ciudad de México": "CDMX",
    "Coahuila": "Coah.", "Colima": "Col.", "Durango": "Dgo.", "Estado de México": "Edomex.",
    "Guanajuato": "Gto.", "Guerrero": "Gro.", "Hidalgo": "Hgo.", "Jalisco": "Jal.", "Michoacán": "Mich.",
    "Morelos": "Mor.", "Nayarit": "Nay.", "Nuevo León": "N.L.", "Oaxaca": "Oax.", "Puebla": "Pue.",
    "Querétaro": "Qro.", "Quintana Roo": "Q. Roo", "San Luis Potosí": "S.L.P.", "Sinaloa": "Sin.",
    "Sonora": "Son.", "Tabasco": "Tab.", "Tamaulipas": "Tamps.", "Tlaxcala": "Tlax.", "Veracruz": "Ver.",
    "Yucatán": "Yuc.", "Zacatecas": "Zac.",
}  # fmt: skip
AMERICAN_SPELLINGS = {
    "Capital Federal": ("AR", "CABA"), "Ciudad de Buenos Aires": ("AR", "CABA"),
    "Ciudad Autónoma de Buenos Aires": ("AR", "CABA"), "Bogotá D.C": ("CO", "Bogotá"),
    "Bogotá, D.C": ("CO", "Bogotá"), "Distrito Federal": ("MX", "Ciudad de México"),
    "D.F": ("MX", "Ciudad de México"), "Méx": ("MX", "Estado de México"),
}  # fmt: skip
SPELLINGS = {  # of the provinces of Spain
    "Castelló": "Castellón", "Alacant": "Alicante", "València": "Valencia", "Gerona": "Girona",
    "Lérida": "Lleida",
    "Vizcaya": "Bizkaia", "Guipúzcoa": "Gipuzkoa", "Araba": "Álava", "Nafarroa": "Navarra",
    "Orense": "Ourense",
    "La Coruña": "A Coruña", "Illes Balears": "Baleares", "Islas Baleares": "Baleares",
    "Principado de Asturias": "Asturias", "Región de Murcia": "Murcia", "Comunidad de Madrid": "Madrid",
}  # fmt: skip


class SpanishPlaces(Places):
    """The surrogates of one patient's towns, provinces, postal codes and countries. Towns that no list has
    count as towns of the country of the notes (:mod:`crfdeid.redact.surrogates.spanish.countries`)."""

    @cached_property
    def country(self) -> str:
        """The country that the signs of the patient's notes are of, otherwise Spain."""
        texts = {fold(text) for text in self.facts.list_texts(kinds.CITY, kinds.STATE, kinds.PLACE)}
        return find_country(self.facts, map(find_countries, texts))

    @cached_property
    def shown(self) -> list[Province]:
        """The provinces of the country that the notes write, or whose postal or area codes are in them."""
        states, codes = (sorted(self.facts.list_texts(kind)) for kind in (kinds.STATE, kinds.ZIP))
        found = [each for text in states for each in find_provinces(fold(text))]
        found += [each for each in map(self._find_of_code, codes) if each]
        found += self._list_of_phones()
        return [each for each in dict.fromkeys(found) if each[0] == self.country]

    def _list_of_phones(self) -> list[Province]:
        """The provinces of area codes that are of only one."""
        if self.country not in PLANS:
            return []
        digits = (regex.sub(r"\D", "", text) for text in sorted(self.facts.list_texts(kinds.PHONE)))
        numbers = [number for each in digits if (number := split_number(self.country, each))]
        codes = load_area_codes()[self.country]
        found = [codes[number.code] for number in numbers if not number.is_mobile]
        return [(self.country, names[0]) for names in found if len(names) == 1]

    @cached_property
    def home(self) -> Province:
        """The province of towns that no list has: one that the notes show, otherwise any of the country."""
        every = [province for province in list_provinces() if province[0] == self.country]
        return self.shown[0] if self.shown else self.choices.choose(every, "home")

    @cached_property
    def provinces(self) -> dict[Province, Province]:
        """The new province for each province: another one of its country, or itself where a policy keeps
        them."""
        if self.keeps_states:
            return {province: province for province in list_provinces()}
        made: dict[Province, Province] = {}
        for country in sorted({country for country, _ in list_provinces()}):
            names = [name for own, name in list_provinces() if own == country]
            moved = self.choices.permute(names, "provinces", country)
            made |= {(country, old): (country, new) for old, new in moved.items()}
        return made

    @cached_property
    def countries(self) -> dict[str, str]:
        """What each country becomes: where Spanish is spoken, another such one; a frequent one another."""
        every = {*word_lists.read_entries(LANGUAGE.countries)}
        rest = every - {*SPEAKING, *FREQUENT, *AMERICA}
        groups = (sorted(group) for group in ({*SPEAKING}, {*FREQUENT}, rest))
        made = {old: new for group in groups for old, new in self.choices.permute(group, "countries").items()}
        return made | dict.fromkeys(AMERICA, made["Estados Unidos"])

    def _find_state(self, name: str) -> str | None:
        """The province of a town as ``country name``: of the patient's country, otherwise of the only country
        that has such a town, or is known for it."""
        written = [
            province for each in self.facts.states.get(name, ()) for province in find_provinces(fold(each))
        ]
        every = [*written, *load_towns().get(name, ())]
        own = [each for each in every if each[0] == self.country]
        found = sorted(own, key=lambda each: each not in self.shown) or written
        known = {country for country, is_known in find_countries(name).items() if is_known}
        if not found and len(known or find_countries(name)) == 1:
            found = [each for each in every if not known or each[0] in known]
        return " ".join(found[0]) if found else None

    def replace_city(self, text: str, state: str | None = None) -> str | None:
        """Replace a town. ``state`` is the folded name of the province beside it."""
        if not WORD.search(text):
            return None
        name = fold(text)
        beside = [each for each in find_provinces(state) if each[0] == self.country] if state else []
        known = " ".join(beside[0]) if beside else self._find_state(name)
        return match_case(self._choose_town(name, known), text)

    def _choose_town(self, name: str, state: str | None) -> str:
        if state is None or (found := parse_province(state)) is None:
            found = self.home
        towns = group_towns()[self.provinces[found]]
        others = list_towns_of(found[0])
        return self.institutions.choose_free(
            name,
            lambda n: self.choices.choose(towns if n < 2 * len(towns) else others, "city", name, n),
            make_city_key(name, state),
            self._has_no_name,
        )

    def _has_no_name(self, town: str) -> bool:
        """Whether no word of a town is a name of the patient's notes."""
        return not self.facts.complete or not any(fold(w[0]) in self.facts.names for w in WORD.finditer(town))

    def replace_state(self, text: str) -> str | None:
        found = find_provinces(fold(text.rstrip(".")))
        if not found:
            return self.institutions.replace_place(text)
        own = next((each for each in found if each[0] == self.country), found[0])
        new = self.provinces[own][1]
        if own[0] == "MX" and fold(text).replace(".", "") in list_short():
            short = SHORT[new] if text.endswith(".") else SHORT[new].replace(".", "")
            return match_case(short, text) if text.isupper() and "." not in text else short
        return match_case(new, text)

    def replace_zip(self, text: str) -> str | None:
        """Replace a postal code by one of the province that its own becomes."""
        return replace_as_written(text, self._replace_zip_of)

    def _replace_zip_of(self, text: str) -> str | None:
        match = POSTAL.search(text)
        own = match and self._find_of_code(match[0])
        if not own:
            return replace_characters(text, self.choices, "zip") if any(c.isalnum() for c in text) else None
        old, new = load_prefixes()[own], load_prefixes()[self.provinces[own]]
        at = match.start() + match[0].index(old)
        rest = replace_characters(text[at + len(old) :], self.choices, "zip", match[0])
        return text[:at] + new + rest

    def find_prefix(self, text: str) -> str | None:
        """The digits that the postal codes of the province of one have in common."""
        match = POSTAL.search(text)
        own = match and self._find_of_code(match[0])
        return load_prefixes()[own] if own else None

    def find_region(self, name: str, beside: str | None) -> str | None:
        """The province of a place: the one beside it (folded), otherwise that of a town of its name; its
        country, where the province has its name."""
        found = find_provinces(beside) if beside else find_provinces(fold(name))
        own = next((each for each in found if each[0] == self.country), found[0] if found else None)
        if own is None:
            return None
        return COUNTRIES[own[0]] if fold(own[1]) == fold(name) else own[1]

    def _find_of_code(self, code: str) -> Province | None:
        """The province of the patient's country whose postal codes begin so."""
        for province, prefix in load_prefixes().items():
            if province[0] == self.country and code.startswith(prefix):
                return province
        return None

    def find_country(self) -> str:
        return self.country

    def list_codes(self, provinces: Sequence[Province]) -> Sequence[str]:
        """The area codes of the province that replaces one of some provinces: one that the notes write, or
        that has one of their towns, otherwise the first."""
        towns = (parse_province(self._find_state(fold(text)) or "") for text in self._list_towns())
        known = (each for each in (*self.shown, *towns) if each and each in provinces)
        own = next(known, min(provinces))
        country, new = self.provinces.get(own, own)
        return [code for code, names in load_area_codes()[country].items() if new in names]

    def _list_towns(self) -> Sequence[str]:
        return sorted(self.facts.list_texts(kinds.CITY))

    def replace_country(self, text: str) -> str | None:
        name = join_letters(text)
        if not name or not WORD.search(text):
            return None
        countries = sorted(self.countries)
        same = next((each for each in countries if join_letters(each) == name), None)
        new = self.countries[same] if same else self.choices.choose(countries, "country", name)
        return match_case(new, text) if fold(new) != fold(text) else self.countries[new]


def find_province_beside(document: Document, span: Span) -> str | None:
    """The folded name of the province that follows a town, in brackets or behind a comma."""
    first = bisect_left(document.spans, span.end, key=attrgetter("start"))
    stop = bisect_right(document.spans, span.end + kinds.MAX_GAP, key=attrgetter("start"))
    found = [document.text_of(other) for other in document.spans[first:stop] if other.type == "STATE"]
    return fold(found[0].rstrip(".")) if found else None


@cache
def read_rows() -> tuple[tuple[str, Province, str], ...]:
    """The towns whose province is known, each with it and the beginning of its postal codes."""
    rows = (entry.split("|") for list in LANGUAGE.towns for entry in word_lists.read_entries(list))
    return tuple((town, (country, province), prefix) for town, province, prefix, country in rows if province)


@cache
def group_towns() -> Mapping[Province, tuple[str, ...]]:
    """The towns of each province. Those of the first list, where more people live, come so often that half
    of the draws are of them."""
    groups: dict[Province, list[str]] = defaultdict(list)
    known = {
        entry.rpartition("|")[0].rpartition("|")[0] for entry in word_lists.read_entries(LANGUAGE.towns[0])
    }
    for town, province, _ in read_rows():
        groups[province].append(town)
    for province, towns in groups.items():
        large = [town for town in towns if f"{town}|{province[1]}" in known]
        groups[province] = towns + large * ((len(towns) - len(large)) // max(len(large), 1) - 1)
    return {province: tuple(towns) for province, towns in groups.items()}


@cache
def list_towns_of(country: str) -> tuple[str, ...]:
    return tuple(town for each in list_provinces() if each[0] == country for town in group_towns()[each])


@cache
def load_countries_of_towns() -> Mapping[str, Mapping[str, bool]]:
    """The countries of each folded town, and whether it is in the first list, which has well known ones. A
    long name is known by its beginning too: San Martín Texmelucan (de Labastida)."""
    found: dict[str, dict[str, bool]] = defaultdict(dict)
    for number, list in enumerate(LANGUAGE.towns):
        for town, _, _, country in (entry.split("|") for entry in word_lists.read_entries(list)):
            found[fold(town)].setdefault(country, number == 0)
            short = fold(town.partition(" de ")[0])
            if " " in short:
                found[short].setdefault(country, False)
    return found


def find_countries(name: str) -> Mapping[str, bool]:
    """The countries with a town or province of this folded name, and whether it is well known there.

    >>> find_countries("toluca"), find_countries("jujuy"), find_countries("nowhere")
    ({'MX': False}, {'AR': True}, {})
    """
    found = dict(load_countries_of_towns().get(name, {}))
    return found | {country: True for country, _ in load_names().get(name.rstrip("."), ())}


@cache
def list_provinces() -> tuple[Province, ...]:
    return tuple(sorted(group_towns()))


@cache
def load_prefixes() -> Mapping[Province, str]:
    """How the postal codes of each province begin, the longest first."""
    found = {province: prefix for _, province, prefix in read_rows()}
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item)))


@cache
def load_towns() -> Mapping[str, tuple[Province, ...]]:
    """The provinces of each folded town, those of the first list first."""
    found: dict[str, list[Province]] = defaultdict(list)
    for town, province, _ in read_rows():
        found[fold(town)].append(province)
    return {town: tuple(provinces) for town, provinces in found.items()}


@cache
def load_names() -> Mapping[str, tuple[Province, ...]]:
    """The provinces of each folded name of one."""
    found: dict[str, list[Province]] = defaultdict(list)
    for province in list_provinces():
        found[fold(province[1])].append(province)
    for spelling, name in SPELLINGS.items():
        found[fold(spelling)].append((SPAIN, name))
    for spelling, own in AMERICAN_SPELLINGS.items():
        found[fold(spelling)].append(own)
    for name, short in SHORT.items():
        found[fold(short).replace(".", "")].append(("MX", name))
    return {name: tuple(own) for name, own in found.items()}


@cache
def list_short() -> frozenset[str]:
    """The short names of states, folded and without stops."""
    return frozenset(fold(short).replace(".", "") for short in SHORT.values())


def find_provinces(name: str) -> tuple[Province, ...]:
    """The provinces with this folded name, and those of the town with it.

    >>> find_provinces("oviedo"), find_provinces("asturias"), find_provinces("nowhere")
    ((('ES', 'Asturias'),), (('ES', 'Asturias'),), ())
    """
    of_name = load_names().get(name) or load_names().get(name.replace(".", ""), ())
    return tuple(dict.fromkeys([*of_name, *load_towns().get(name, ())]))


def is_province(text: str) -> bool:
    return fold(text.rstrip(".")) in load_names()


@cache
def load_countries() -> frozenset[str]:
    """The folded names of countries."""
    return frozenset(map(fold, word_lists.read_entries(LANGUAGE.countries)))


def is_country(text: str) -> bool:
    return fold(text) in load_countries()


def parse_province(text: str) -> Province | None:
    """Read ``country name``."""
    country, _, name = text.partition(" ")
    return (country, name) if (country, name) in group_towns() else None
