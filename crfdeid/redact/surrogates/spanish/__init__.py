"""Spanish surrogates: names with two surnames, dates, addresses, towns with their provinces, and numbers with
their check letters and digits, for notes of Spain and Latin America."""

from __future__ import annotations

from datetime import date
from functools import cache, cached_property, partial
from typing import Any

import regex

from crfdeid.lexicon import spanish, word_lists
from crfdeid.lexicon.letters import WORD, drop_accents, fold, remove_invisible, word_set
from crfdeid.lexicon.word_lists import FEMALE, MALE, SURNAME
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.dates.spanish import SpanishDates
from crfdeid.redact.surrogates.generalize import PLACES, WIDTH, band_age
from crfdeid.redact.surrogates.keyed_choice import PATIENTS, Initials, KeyedChoices
from crfdeid.redact.surrogates.listed import (
    ListedNames,
    group_letters,
    is_word,
    list_kind,
    list_letters,
    load_first_names,
    load_folded,
)
from crfdeid.redact.surrogates.patient import Makers, PatientSurrogates
from crfdeid.redact.surrogates.spanish.contacts import SpanishContacts
from crfdeid.redact.surrogates.spanish.institutions import SpanishInstitutions
from crfdeid.redact.surrogates.spanish.numbers import SpanishIdentifiers, read_scanned
from crfdeid.redact.surrogates.spanish.places import (
    SpanishPlaces,
    find_province_beside,
    is_country,
    is_province,
)
from crfdeid.text.ages import NOT_AGE, NUMBER, OLDEST, YOUNG
from crfdeid.text.document import Document, Span

__all__ = ["SpanishSurrogates"]

GROUP = "90 o más"
UNITS = "|".join(("un", "una", *spanish.UNITS[2:10]))
OLD = regex.compile(
    rf"\b(?:noventa(?:\s+y\s+(?:{UNITS}|uno))?|noventón|noventona|nonagenari[oa]|cien(?:to(?:\s+(?:{UNITS}|uno))?)?)\b",
    regex.IGNORECASE,
)
NUMBERS = {part for words in spanish.NUMBERS for part in words.split()}
WORDS = (
    NUMBERS
    | {drop_accents(word) for word in NUMBERS}
    | word_set(
        """un una veintiún veintitantos cien ciento pocos tantos pico medio media o a al
    de los las el la unos unas casi más menos año años mes meses semana semanas día días hora horas cumplidos
    edad recién nacido nacida añitos ans anys s
    quinceañero quinceañera veinteañero veinteañera treintañero treintañera cuarentón cuarentona cincuentón
    cincuentona sesentón sesentona setentón setentona sexagenario sexagenaria septuagenario septuagenaria
    octogenario octogenaria"""
    )
)
LETTER = regex.compile(r"\p{L}+")
IN_WORDS = regex.compile(r"\p{L}+(?:\s+y\s+\p{L}+)?")
SHORT = ("Mª", "M.ª", "Ma")  # María


WOMEN = """madre mamá abuela abuelita hija esposa hermana tía nieta amiga vecina señora mujer suegra nuera
    cuñada novia prima sobrina niña nena doña dña madrina""".split()  # noqa: SIM905
MEN = """padre papá abuelo abuelito hijo esposo marido hermano tío nieto amigo vecino suegro yerno cuñado
    novio primo sobrino niño nene don padrino""".split()  # noqa: SIM905
KIN = regex.compile(
    rf"(?<!\p{{L}})(?:(?P<woman>{'|'.join(WOMEN)})|(?:{'|'.join(MEN)}))\.?[,:]?\s+$", regex.IGNORECASE
)
DIMINUTIVE = regex.compile(r"(?:c?it[oa]s?|in(?:es|as?)?|ill[oa]|uc[oa])$")
HARD, HARD_LETTERS = regex.compile("[gq]u$"), {"gu": "g", "qu": "c"}  # Diego, Dieguito
WOMAN_END = regex.compile(r"(?:a|ae|eth|ith|[iy]s|lyn|ly|iris|ubi|mery|mary)$")
SHORTEST_NICKNAME = 4
TRUE_LETTER = regex.compile("[ios]", regex.IGNORECASE)  # of a digit that a scanner reads
NAME_WORD = regex.compile(r"[\p{L}\p{M}\d]+")
SCANNED_NAME = regex.compile(r"(?<![\p{L}\d])(?=(?:\d*\p{L}){3})\p{L}*(?:[015]\p{L}*){1,2}(?![\p{L}\d])")
INVENTED_OF_LISTED, INVENTED_OF_OTHERS = 10, 85  # of 100 surrogates
INVENTING = 20  # draws, and tries of a draw
ORDER, SHORTEST, LONGEST, END = 3, 4, 10, "$"


class SpanishInitials(Initials):
    """The permutations of the letters that Spanish names begin with."""

    letters, groups = list_letters(spanish.LANGUAGE), group_letters(spanish.LANGUAGE)


class SpanishNames(ListedNames):
    """The surrogates of one patient's Spanish names: one or two first names by sex, two surnames with their
    *de la*, nicknames (Paco)."""

    language, make_initials = spanish.LANGUAGE, SpanishInitials

    def replace_names(self, text: str, thing: str = PATIENTS) -> str | None:
        """Replace every word of a name; the digits of a scan in it (*V1LCHEZ*) are read as letters."""
        if not SCANNED_NAME.search(text):
            return super().replace_names(text, thing)
        read = SCANNED_NAME.sub(lambda match: self._read_scanned(match[0]), text)
        made = super().replace_names(read, thing)
        old, new = NAME_WORD.findall(text), NAME_WORD.findall(made or "")
        if made is None or len(old) != len(new):
            return made
        written = iter(scan_name(b) if SCANNED_NAME.fullmatch(a) else b for a, b in zip(old, new))
        return NAME_WORD.sub(lambda match: next(written), made)

    def _read_scanned(self, word: str) -> str:
        """Read the digits in a word; 1 is an *l* only where that makes a listed or real name."""
        read = [word.translate(str.maketrans("051", f"os{letter}")) for letter in "il"]
        known = (each for each in read if fold(each) in self.facts.names or is_known(fold(each)))
        made = next(known, read[0])
        return made.upper() if word.isupper() else made[0].upper() + made[1:] if word[0].isdecimal() else made

    def replace_word(self, word: str, thing: str = PATIENTS) -> str:
        return word if word in SHORT else super().replace_word(word, thing)

    def _classify(self, name: str) -> str:
        """Return the kind of a folded name: one that no list has is a woman's or a man's by the word before
        it (*su hija, …*), a diminutive, the lists of English, or its place behind two surnames."""
        kind = super()._classify(name)
        is_known = any(name in load_folded(self.language, each) for each in (FEMALE, MALE, SURNAME))
        return kind if is_known else self._classify_unlisted(name) or kind

    def _classify_unlisted(self, name: str) -> str | None:
        for before in sorted(self.facts.before.get(name, ())):
            if (found := KIN.search(before)) and not self.facts.is_doctor(name):
                return FEMALE if found["woman"] else MALE
        if name in self.facts.surnames and name not in self.behind_surnames:
            return None
        if gender := find_gender_of(name):
            return gender
        is_first = name in self.facts.first_names or name in self.behind_surnames
        return (FEMALE if WOMAN_END.search(name) else MALE) if is_first else None

    def _draw(self, name: str, kind: str, initial: str, number: int) -> str:
        """Draw a name; an invented one mostly where no list has the name, since a reader who knows the lists
        would tell missed names by that."""
        is_listed = any(name in load_folded(self.language, each) for each in (FEMALE, MALE, SURNAME))
        share = INVENTED_OF_LISTED if is_listed else INVENTED_OF_OTHERS
        is_drawn = number >= INVENTING or kind not in (FEMALE, MALE, SURNAME)
        if is_drawn or self.choices.draw_number(100, "listed", name, number) >= share:
            return super()._draw(name, kind, initial, number)
        made = invent_name(kind, initial, self.choices, name, number)
        return made or super()._draw(name, kind, initial, number)

    @cached_property
    def behind_surnames(self) -> frozenset[str]:
        """The folded words behind two surnames, which are first names: *Rivas Ortega Jomayra*."""
        found = set()
        surnames, firsts = load_folded(self.language, SURNAME), load_first_names(self.language)
        for text in self.facts.list_texts(kinds.NAME):
            words = [fold(word[0]) for word in WORD.finditer(text)]
            if len(words) > 2 and all(word in surnames and word not in firsts for word in words[:2]):
                found.update(words[2:])
        return frozenset(found)


def scan_name(name: str) -> str:
    """Write a name as a scanner may read it: its first *i*, *o* or *s* behind the initial is a digit.

    >>> scan_name("ARIZA"), scan_name("Bravo"), scan_name("Peña")
    ('AR1ZA', 'Brav0', 'Peña')
    """
    return name[:1] + TRUE_LETTER.sub(lambda match: "105"["ios".index(match[0].lower())], name[1:], count=1)


def invent_name(kind: str, initial: str, choices: KeyedChoices, *key: object) -> str | None:
    """Invent a name whose letters follow one another as in the listed names of the kind; None where the
    tries make none.

    >>> made = invent_name(SURNAME, "M", KeyedChoices(b"secret", "7"), "x")
    >>> made[0], made.istitle(), fold(made) in load_folded(spanish.LANGUAGE, SURNAME)
    ('M', True, False)
    """
    table = count_followers(kind)
    for attempt in range(INVENTING):
        made = initial.lower()
        while len(made) <= LONGEST:
            runs = ((END + made)[-length:] for length in (ORDER, 2, 1))
            found = next((table[run] for run in runs if run in table), END)
            letter = choices.choose(found, "letter", *key, attempt, made)
            if letter == END:
                break
            made += letter
        if SHORTEST <= len(made) <= LONGEST and not is_known(fold(made)):
            return made.capitalize()
    return None


def is_known(name: str) -> bool:
    """Whether a folded word is a listed name or a Spanish word."""
    of_lists = any(name in load_folded(spanish.LANGUAGE, kind) for kind in (FEMALE, MALE, SURNAME))
    return of_lists or is_word(spanish.LANGUAGE, name)


@cache
def count_followers(kind: str) -> dict[str, str]:
    """The letters, or the end, behind each run of up to :data:`ORDER` letters in the listed names of a kind,
    as often as they are there."""
    found: dict[str, list[str]] = {}
    for name in {name.lower() for name in list_kind(spanish.LANGUAGE, kind)}:
        for place, letter in enumerate(name + END):
            for length in range(1, ORDER + 1):
                found.setdefault((END + name)[: place + 1][-length:], []).append(letter)
    return {run: "".join(sorted(letters)) for run, letters in found.items()}


@cache
def find_gender_of(name: str) -> str | None:
    """The gender of a folded name of no Spanish list: of the name that it shortens, or by English lists.

    >>> [find_gender_of(name) for name in ("amparin", "yoli", "fernandito", "antoni", "munuera")]
    ['female', 'female', 'male', 'male', None]
    """
    language = spanish.LANGUAGE
    women, men = (load_folded(language, kind) for kind in (FEMALE, MALE))
    if len(name) >= SHORTEST_NICKNAME and (stem := DIMINUTIVE.sub("", name)) != name and len(stem) > 2:
        stem = HARD.sub(lambda match: HARD_LETTERS[match[0]], stem)
        if any(stem + end in women for end in ("a", "", "o", "e", "es")) and not name.endswith("o"):
            return FEMALE
        if any(stem + end in men for end in ("o", "", "e")):
            return MALE
    if name + "o" in men:  # Antoni
        return MALE
    if len(name) >= SHORTEST_NICKNAME and name[-1] in "iy":
        begun = [sum(each.startswith(name) for each in kind) for kind in (women, men)]
        if begun[0] != begun[1]:
            return FEMALE if begun[0] > begun[1] else MALE
    of_women, of_men = (word_lists.load_shares(kind).get(name, 0.0) for kind in (FEMALE, MALE))
    is_short = len(name) < SHORTEST_NICKNAME and not WOMAN_END.search(name)
    if is_short or max(of_women, of_men) <= word_lists.load_shares(SURNAME).get(name, 0.0):
        return None
    return FEMALE if of_women > of_men else MALE


class SpanishSurrogates(PatientSurrogates):
    """Makes the surrogates of one patient, in Spanish."""

    makers = Makers(
        SpanishNames, SpanishInstitutions, SpanishPlaces, SpanishIdentifiers, SpanishContacts, SpanishDates
    )
    is_word = staticmethod(partial(is_word, spanish.LANGUAGE))

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        assert isinstance(self.contacts, SpanishContacts) and isinstance(self.places, SpanishPlaces)
        assert isinstance(self.institutions, SpanishInstitutions)
        self.institutions.find_country = self.places.find_country
        self.contacts.find_country, self.contacts.list_codes = (
            self.places.find_country,
            self.places.list_codes,
        )

    def generalize(self, document: Document, span: Span, to: str, note_date: date | None) -> str | None:
        """Make the text of a span less exact: an age in words too; a postal code becomes what those of its
        province begin with, a place its province, or its country where the province has its name."""
        text, kind = document.text_of(span), kinds.kind_of(span.type)
        if kind == kinds.AGE:
            after = document.text[span.end : span.end + kinds.UNIT_LENGTH]
            return band_spanish_age(text, after, int(to.partition(" ")[0]) if to else WIDTH)
        assert isinstance(self.places, SpanishPlaces)
        if kind == kinds.ZIP:
            return self.places.find_prefix(text)
        if kind in PLACES:
            return self.places.find_region(text, find_province_beside(document, span))
        return super().generalize(document, span, to, note_date)

    @staticmethod
    def is_place(kind: str, text: str) -> bool:
        """Whether a text is a province or country of the Spanish lists."""
        return is_province(text) if kind == kinds.STATE else is_country(text)

    def make_surrogate(self, document: Document, span: Span, note_date: date | None = None) -> str | None:
        """Make the surrogate of a span, as :meth:`PatientSurrogates.make_surrogate` does."""
        text, kind = remove_invisible(document.text_of(span)), kinds.kind_of(span.type)
        if kind == kinds.AGE:
            return generalise_age(text, document.text[span.end : span.end + kinds.UNIT_LENGTH])
        if kind == kinds.DATE and SpanishDates.is_weekday_or_season(text):
            return text
        if kind == kinds.CITY or span.type == "TERRITORIO":
            province = find_province_beside(document, span)
            return (
                self.places.replace_city(text, province) if not text[0].isdigit() else self.replace_zip(text)
            )
        return super().make_surrogate(document, span, note_date)


def band_spanish_age(text: str, after: str, width: int) -> str | None:
    """Return ``text`` with each age as a band of ``width`` years, as :func:`band_age`, from words too.

    >>> [band_spanish_age(text, "", 10) for text in ("67", "cuarenta y cuatro", "noventa y dos", "anciano")]
    ['60-69', '40-49', '90 o más', None]
    """
    capped = generalise_age(text, after)
    if capped is None or GROUP in capped:
        return capped and GROUP
    digits = IN_WORDS.sub(lambda match: str(SpanishDates.read_number(match[0]) or match[0]), capped)
    return None if LETTER.search(digits) and digits != capped else band_age(digits, after, width)


def generalise_age(text: str, after: str = "") -> str | None:
    """Return ``text`` with each age over 89 replaced by a group. Return None if a word is unknown or a number
    cannot be an age. ``after`` follows ``text`` in the note and may contain the unit.

    >>> [generalise_age(text) for text in ("67", "94", "noventa y dos", "treinta y dos", "3½", "l4")]
    ['67', '90 o más', '90 o más', 'treinta y dos', '3½', 'l4']
    >>> generalise_age("92", " días"), generalise_age("anciano")
    ('92', None)
    """
    if NOT_AGE.search(text):
        return None
    if (read := read_scanned(text)) != text:
        made = generalise_age(read, after)
        return text if made == read else made

    def generalise(match: regex.Match[str]) -> str:
        is_young = YOUNG.match(text[match.end() :] or after)
        return GROUP if int(match[0]) > OLDEST and not is_young else match[0]

    out = OLD.sub(GROUP, NUMBER.sub(generalise, text))
    unknown = [word for word in LETTER.findall(out) if word.lower() not in WORDS]
    return None if unknown or not any(c.isalnum() for c in out) else out
