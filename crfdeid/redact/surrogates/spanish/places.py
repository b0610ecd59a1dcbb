"""Towns with their provinces and postal codes, hospitals and firms, streets and jobs, in Spanish.

Each patient has a secret permutation of the provinces of each country. A town becomes a town of the province
that its own becomes, and a postal code begins as in that province.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from operator import attrgetter

import regex

from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import WORD, drop_accents, fold, match_case, word_set
from crfdeid.lexicon.spanish import LANGUAGE
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.identifiers import replace_characters
from crfdeid.redact.surrogates.institutions import Institutions
from crfdeid.redact.surrogates.keyed_choice import INSTITUTIONS, STREETS
from crfdeid.redact.surrogates.listed import is_word, list_names
from crfdeid.redact.surrogates.places import Places, join_letters, make_city_key
from crfdeid.redact.surrogates.spanish.contacts import PLANS, load_area_codes, split_number
from crfdeid.redact.surrogates.spanish.countries import (
    COUNTRIES,
    SPAIN,
    find_country,
    load_acronyms,
)
from crfdeid.redact.surrogates.spanish.numbers import replace_as_written
from crfdeid.text.document import Document, Span

Province = tuple[str, str]  # country and name

SMALL = word_set(
    "de del la las los el lo y e o a al en san santa santo d i do da dos das dels des les l os sobre s"
)
NAMING = word_set("mayor real nueva nuevo vieja viejo alta alto baja bajo gran vía casa sur norte este oeste")
IN_STREETS = word_set(
    """anillo baixo bajo barrio block blvd bulevard bv cabina camiño camping col colonia condominio
    conjunto diag dpto entlo esquinera estrada etapa fracc fraccionamiento int interior izqda km letra
    manz mza no nte num numero ote paraje pb pje plazoleta portal priv ptal ptda pte rotonda s sin tramo
    villa"""
)
IN_INSTITUTIONS = word_set(
    """apoyo asistencial autobuses basica basico biblioteca cafeteria camara camping casa colegio
    comandancia comunitaria comunitario cuartel dia discoteca educativa elemental especialidad
    especialidades especializado estado facultad garantia gral guardia hospitalaria hospitalario ingreso
    instruccion integral internado lab letrado meson muelle mujer notaria parador primaria remo
    restaurant rural secundaria social subcentro supermercado tecnica tecnico templo turno unidad
    universitaria violencia voluntarios i ii iii iv v vi vii viii ix x xi xii"""
)
INITIAL = regex.compile(r"(?<![\p{L}.])[IVXAEOLY]\.\s*(?=\p{Lu}\p{L}{2})")  # not of C.E. Cantón
UNIT, FEWEST = "unit", 2  # an acronym that names no institution; of fewer others none is drawn
SAINTS = {"san": word_lists.MALE, "santo": word_lists.MALE, "santa": word_lists.FEMALE}
SIGN = regex.compile("[ºª°]")
BEFORE_SAINT = regex.compile(r"(?<!\p{L})(san|santo|santa)\s+$", regex.IGNORECASE)
ENDINGS = word_set("er ro do to mo vo º ª o a")  # of ordinals
POSTAL = regex.compile(r"(?<!\d)(?:[A-Z][ -]?)?\d{4,6}(?!\d)")
FEMININE = regex.compile(r"^\p{L}*(?<!ist)a\b", regex.IGNORECASE)
COMMON = regex.compile(  # the jobs of both sexes
    r"(?:\p{L}+(?:ista|ante|ente|al)|auxiliar|guardia|guarda|policía|chef|chofer|bedel|conserje|agente|piloto"
    r"|militar|capataz|testigo|portavoz)\b(?<!dependiente|sirviente)",
    regex.IGNORECASE,
)
WOMEN = word_set("actriz jueza docta mujer monja azafata")
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


class SpanishInstitutions(Institutions):
    """The surrogates of one patient's hospitals, firms, streets and jobs. The words that say what it is stay
    (Hospital, C.S., Cra.), acronyms become others of their country, the other words surnames."""

    is_english = False
    find_country: Callable[[], str] = staticmethod(lambda: SPAIN)  # of the notes, by the patient's places

    def replace_institution(self, text: str) -> str | None:
        return self._replace_kept(text, list_hospital_words(), INSTITUTIONS)

    replace_department = replace_institution

    def replace_place(self, text: str) -> str | None:
        return self._replace_kept(text, list_hospital_words() | list_street_words(), INSTITUTIONS)

    def replace_street(self, text: str) -> str | None:
        """Replace names and numbers; keep the kind of street, the side and the signs of floor and door."""
        return self._replace_kept(text, list_street_words() - NAMING, STREETS)

    def _replace_kept(self, text: str, words: frozenset[str], thing: str) -> str | None:
        """Replace the words that :func:`find_kept` does not find, and the numbers."""
        if not any(c.isalnum() for c in text):
            return None
        kept = find_kept(text, words)

        def replace(match: regex.Match[str]) -> str:
            if match.start() in kept:
                return match[0]
            sign = match[0][: len(match[0]) - len(SIGN.sub("", match[0]))] if SIGN.match(match[0]) else ""
            return sign + self._replace_own(match, sign, text, thing)

        return regex.sub(r"\d+", lambda m: self._replace_number(m[0]), WORD.sub(replace, text))

    def _replace_own(self, match: regex.Match[str], sign: str, text: str, thing: str) -> str:
        """Replace a word behind its ``sign``: after *San* by a man's name, after *Santa* by a woman's."""
        word, saint = match[0][len(sign) :], BEFORE_SAINT.search(text[: match.start()])
        if saint and len(word) > 1:
            return match_case(self._choose_saint(fold(word), SAINTS[saint[1].lower()]), word)
        if known := find_acronym(word, text):
            return self._replace_acronym(word, known, text)
        if text.isupper() and len(word) > 3 and is_word(LANGUAGE, fold(word)):  # no acronym
            return match_case(self._choose_name(fold(word), thing), word)
        return self._replace_word(word, text, thing)

    def _replace_acronym(self, word: str, known: Mapping[str, str], text: str) -> str:
        """Replace the acronym of an institution by one of its country, of the same kind if there are a few;
        one that names none (UMF 15) stays."""
        own = self.find_country()
        country = own if own in known else min(known)
        kind, acronyms = known[country], list_acronyms(country)
        if kind == UNIT and word != text:
            return word
        alike = [acronym for acronym, of in acronyms if of == kind]
        every = [acronym for acronym, of in acronyms if of != UNIT]
        pool = sorted(alike if len(alike) > FEWEST else {*every, word.upper()})
        if len(pool) < 2:
            return self._replace_word(word, text, INSTITUTIONS)
        real = [acronym for acronym in pool if fold(acronym) in self.real]
        free = self.choices.shuffle([acronym for acronym in pool if acronym not in real], "acronyms", country)
        if word.upper() in real[: len(free)]:
            return match_case(free[real.index(word.upper())], word)
        return match_case(self.choices.permute(pool, "acronyms", country)[word.upper()], word)

    def _choose_saint(self, word: str, kind: str) -> str:
        """The first name that replaces a (folded) one behind *San* or *Santa*."""
        names = list_names(LANGUAGE, kind, self.names.initials.choose_initial(word, INSTITUTIONS))
        draw = self.choices.choose
        return self.choose_free(word, lambda n: draw(names, "saint", word, n), f"saint {kind} {word}")

    def replace_job(self, text: str) -> str | None:
        """Replace a job by one of the list that has the same gender."""
        entries = word_lists.load_sorted(LANGUAGE.jobs)
        if not any(c.isalnum() for c in text):
            return None
        folded, gender = fold(text), find_gender(text)
        entry = self.choose_free(
            text,
            lambda n: self.choices.choose(entries, "es_jobs", folded, n),
            f"es_jobs {folded}",
            lambda entry: find_gender(entry) == gender,
        )
        if text.isupper():
            return entry.upper()
        return entry[0].upper() + entry[1:] if text[0].isupper() else entry

    def _list_names(self, initial: str) -> Sequence[str]:
        return list_names(LANGUAGE, word_lists.SURNAME, initial)


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


def is_ending(match: regex.Match[str]) -> bool:
    """Whether letters end an ordinal: the ``º`` of ``3.º``, the ``er`` of ``1er``."""
    before = match.string[max(0, match.start() - 2) : match.start()].rstrip(".")
    is_sign = SIGN.fullmatch(match[0]) is not None
    return is_sign or (before[-1:].isdecimal() and match[0].lower() in ENDINGS)


def find_kept(text: str, words: frozenset[str]) -> set[int]:
    """The offsets of the words that stay: ``words``, small words, ordinals, and ordinary words in small
    letters in a name that has capitals; no initials (*V. Gómez*). Accents do not count. Where nothing else
    would be replaced, the last word does not stay."""
    first = regex.search(r"\d", text)
    has_capitals = any(word[0][0].isupper() for word in WORD.finditer(text))
    common = IN_STREETS | SMALL | (IN_INSTITUTIONS if "hospital" in words else frozenset())

    def is_kept(match: regex.Match[str]) -> bool:
        word = drop_accents(match[0].lower())
        if INITIAL.match(text, match.start()):
            return False
        if word in common or word in drop_all_accents(words) or is_ending(match):
            return True
        if first and match.start() > first.start() and word in NAMING:
            return True
        return has_capitals and match[0].islower() and len(word) > 2 and is_word(LANGUAGE, fold(word))

    found = list(WORD.finditer(text))
    kept = {match.start() for match in found if is_kept(match)}
    if len(kept) < len(found) or any(c.isdecimal() for c in text):
        return kept
    last = max((match.start() for match in found if match[0].lower() not in SMALL), default=None)
    return kept - {last} if last is not None else set()


@cache
def drop_all_accents(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(drop_accents, words))


def is_feminine(job: str) -> bool:
    """Whether the first word of a job is a woman's.

    >>> [is_feminine(job) for job in ("panadera", "albañil", "taxista", "auxiliar de ayuda")]
    [True, False, False, False]
    """
    return find_gender(job) == word_lists.FEMALE


def find_gender(job: str) -> str:
    """Whether the first word of a job is a woman's, a man's, or either's.

    >>> [find_gender(job) for job in ("panadera", "albañil", "modista")] == [
    ...     word_lists.FEMALE, word_lists.MALE, word_lists.EITHER]
    True
    """
    first = job.split()[0].lower() if job.split() else ""
    if COMMON.match(first):
        return word_lists.EITHER
    return word_lists.FEMALE if FEMININE.match(first) or first in WOMEN else word_lists.MALE


def find_province_beside(document: Document, span: Span) -> str | None:
    """The folded name of the province that follows a town, in brackets or behind a comma."""
    first = bisect_left(document.spans, span.end, key=attrgetter("start"))
    stop = bisect_right(document.spans, span.end + kinds.MAX_GAP, key=attrgetter("start"))
    found = [document.text_of(other) for other in document.spans[first:stop] if other.type == "STATE"]
    return fold(found[0].rstrip(".")) if found else None


def find_acronym(word: str, text: str) -> Mapping[str, str]:
    """What a word of the name of an institution is as an acronym, by country. In small letters it is one only
    if it is the whole name.

    >>> find_acronym("imss", "imss"), find_acronym("once", "los once")
    ({'MX': 'insurer'}, {})
    """
    return load_acronyms().get(word.upper(), {}) if word.isupper() or word == text else {}


@cache
def list_acronyms(country: str) -> tuple[tuple[str, str], ...]:
    """The acronyms of a country, each with what it is."""
    return tuple((acronym, of[country]) for acronym, of in load_acronyms().items() if country in of)


@cache
def list_hospital_words() -> frozenset[str]:
    return word_lists.load_lowercase(*LANGUAGE.institution_words)


@cache
def list_street_words() -> frozenset[str]:
    return word_lists.load_lowercase(*LANGUAGE.street_words)


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
