"""The country of a patient's notes, by the signs in them: towns and provinces, the codes of telephones, the
forms of identity numbers, the acronyms of institutions, and words that only one country has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

import regex

from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import fold, remove_marks
from crfdeid.lexicon.spanish import LANGUAGE
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.listed import is_word
from crfdeid.redact.surrogates.patient_facts import PatientFacts
from crfdeid.redact.surrogates.spanish.contacts import DIALLED, DIALLED_CODE, PLANS, split_number
from crfdeid.redact.surrogates.spanish.numbers import check_ecuador, check_rut, check_uruguay, read_scanned

SPAIN = "ES"
COUNTRIES = {
    SPAIN: "España", "AR": "Argentina", "BO": "Bolivia", "CL": "Chile", "CO": "Colombia", "CR": "Costa Rica",
    "CU": "Cuba", "DO": "República Dominicana", "EC": "Ecuador", "GT": "Guatemala", "HN": "Honduras",
    "MX": "México", "NI": "Nicaragua", "PA": "Panamá", "PE": "Perú", "PR": "Puerto Rico", "PY": "Paraguay",
    "SV": "El Salvador", "UY": "Uruguay", "VE": "Venezuela",
}  # fmt: skip
NUMBERS = {  # the forms of identity, tax and insurance numbers that are of one country
    SPAIN: r"\d{8}-?[A-Z]|\d\d?\.\d{3}\.\d{3}-?[A-Z]|[XYZ]-?\d{7}-?[A-Z]|A[NRS] ?\d{10}|CYL\d{9}"
    r"|\d\d/\d{7,8}/\d\d|[A-Z]{4} ?[01] ?\d{6} ?\d{2,3} ?\d|CARM\d{8,9}|[A-Z]{4}\d{12}",
    "AR": r"(?:20|23|24|27|30|33|34)-\d{8}-\d|\d\d\.\d{3}\.\d{3}",
    "BO": r"\d\.?\d{3}\.?\d{3} ?(?:L\.?P|C\.?B|S\.?C|O\.?R|P\.?T|T\.?J)\.?",
    "CO": r"1\.\d{3}\.\d{3}\.\d{3}|\d\d\.\d{3}\.\d{3}|[89]\d\d\.\d{3}\.\d{3}-\d",
    "CR": r"[1-9]-\d{4}-\d{4}",
    "DO": r"\d{3}-\d{7}-\d",
    "GT": r"\d{4} \d{5} \d{4}",
    "HN": r"\d{4}-\d{4}-\d{5}",
    "MX": r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d"
    r"|[A-ZÑ]{4}-?\d{6}(?:-[A-Z\d]{3}|(?=\d*[A-Z])[A-Z\d]{3})|[\d ]*\d[MF]\d{2,4}OR",
    "NI": r"\d{3}-\d{6}-\d{4}[A-Z]",
    "PA": r"(?:\d{1,2}|PE|E)-\d{3}-\d{3,4}",
    "VE": r"[VE]-\d{1,2}\.?\d{3}\.?\d{3}",
}
NUMBER_FORMS = {country: regex.compile(form) for country, form in NUMBERS.items()}
CHECKED = (  # forms that two countries have; the check says which
    ("CL", regex.compile(r"\d{1,2}\.?\d{3}\.?\d{3}-[\dK]"), check_rut),
    ("UY", regex.compile(r"\d\.?\d{3}\.?\d{3}-\d"), check_uruguay),
    ("EC", regex.compile(r"(?:[01]\d|2[0-4])[0-5]\d{7}"), check_ecuador),
)
WORDS = {  # of the notes of one country, without accents
    SPAIN: "nuhsa cipa osakidetza urxencias comarcal conselleria xunta mossos ertzaintza autonomica",
    "AR": "pami cuil cuit remis ioma", "BO": "otb bolivianos",
    "CL": "rut cesfam isapre fonasa comuna carabineros cosam sapu",
    "CO": "sisben vereda corregimiento eps icbf subsidiado", "CR": "ebais pulperia",
    "DO": "batey", "EC": "iess subcentro", "GT": "igss dpi renap", "HN": "ihss cesamo lempiras",
    "MX": "imss curp rfc issste infonavit fraccionamiento ejido edomex cdmx derechohabiente",
    "NI": "silais", "PA": "corregimiento", "PE": "essalud reniec jiron", "PY": "guaranies", "SV": "isss dui",
    "UY": "mutualista", "VE": "ivss bolivares",
}  # fmt: skip
SURE, LIKELY, FAINT = 3, 2, 1  # points of a sign
MOST_ALIKE = 3  # countries with such numbers
MOST_WORDS = 3  # of a country that give points
SHORTEST_ACRONYM = 4  # letters of one that is a sign wherever it is


def find_country(facts: PatientFacts, places: Iterable[Mapping[str, bool]]) -> str:
    """The country with the most points; Spain where there are none. ``places`` has for each town or province
    of the notes its countries, and whether it is well known there."""
    points: Counter[str] = Counter({SPAIN: FAINT})  # most notes are of Spain
    for place in places:
        for country, is_known in place.items():
            points[country] += LIKELY if is_known or len(place) == 1 else FAINT
    for text in {*facts.list_texts(kinds.PHONE)}:
        points.update(weigh_phone(text))
    for text in {*facts.list_texts(kinds.IDENTIFIER)}:
        points.update(dict.fromkeys(find_of_number(text), SURE))
    words = facts.words.list_all() - facts.names.keys()
    for country, own in load_words().items():
        points[country] += LIKELY * min(len(words & own), MOST_WORDS)
    for text in {*facts.list_texts(kinds.ORGANIZATION, kinds.HOSPITAL)}:
        points.update(dict.fromkeys(find_of_acronyms(text), LIKELY))
    best = max(points.values())
    countries = sorted(country for country, number in points.items() if number == best)
    return SPAIN if SPAIN in countries else countries[0]


def weigh_phone(text: str) -> dict[str, int]:
    """The points that a phone gives: to the country that it names, otherwise to those whose numbers are so.

    >>> weigh_phone("+56 45 223 8811"), weigh_phone("0412-5590713"), weigh_phone("4417")
    ({'CL': 3}, {'VE': 2}, {})
    """
    if match := DIALLED_CODE.match(text):
        return {DIALLED[match[1]]: SURE}
    digits = regex.sub(r"\D", "", read_scanned(text))
    found = [country for country in PLANS if split_number(country, digits)]
    return dict.fromkeys(found, LIKELY if len(found) == 1 else FAINT) if len(found) <= MOST_ALIKE else {}


def find_of_number(text: str) -> tuple[str, ...]:
    """The countries that a number's form is of.

    >>> find_of_number("HEGG560427MVZRRL04"), find_of_number("12.345.678-5"), find_of_number("4471")
    (('MX',), ('CL',), ())
    """
    number = read_scanned(text).strip().upper()
    bare = remove_marks(number)
    checked = tuple(country for country, form, check in CHECKED
                    if form.fullmatch(number) and check(bare[:-1]) == bare[-1])  # fmt: skip
    return checked or tuple(country for country, form in NUMBER_FORMS.items() if form.fullmatch(number))


def find_of_acronyms(text: str) -> frozenset[str]:
    """The countries of the acronyms in the name of an institution, where only one has them.

    >>> sorted(find_of_acronyms("UMF 15")), sorted(find_of_acronyms("imss")), sorted(find_of_acronyms("IPS"))
    (['MX'], ['MX'], [])
    """
    found = (load_acronyms().get(word.upper(), {}) for word in regex.findall(r"\p{L}+", text))
    return frozenset(country for own in found if len(own) == 1 for country in own)


@cache
def load_acronyms() -> Mapping[str, Mapping[str, str]]:
    """What each acronym of an institution is, by country."""
    found: dict[str, dict[str, str]] = {}
    for entry in word_lists.read_entries("es_acronyms"):
        acronym, country, kind = entry.split("|")
        found.setdefault(acronym, {})[country] = kind
    return found


@cache
def load_words() -> Mapping[str, frozenset[str]]:
    """The folded words that are signs of each country: those of :data:`WORDS`, and long acronyms that only it
    has and that are no words."""
    return {country: frozenset((*WORDS.get(country, "").split(), *list_long_acronyms(country)))
            for country in COUNTRIES}  # fmt: skip


def list_long_acronyms(country: str) -> Iterator[str]:
    for acronym, own in load_acronyms().items():
        word = fold(acronym)
        if [*own] == [country] and len(word) >= SHORTEST_ACRONYM and not is_word(LANGUAGE, word):
            yield word
