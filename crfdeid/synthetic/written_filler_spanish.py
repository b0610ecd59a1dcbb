"""Fill the slots of a Spanish written document with other people, places, dates and numbers.

A surname of two words becomes two surnames, word by word, so that a mother and her children still share one;
*de la* and *del* stay. A word that the text writes without accents becomes one without accents.
"""

from __future__ import annotations

from functools import cache, partial
from random import Random

import regex

from crfdeid.lexicon.letters import drop_accents
from crfdeid.lexicon.spanish import CHECKED_TITLES, MONTHS, ROMANS, TENS, UNITS, WEEKDAYS
from crfdeid.lexicon.word_lists import load_lowercase
from crfdeid.synthetic.drawing import read_list
from crfdeid.synthetic.people import Person
from crfdeid.synthetic.written_corpus import (
    FOLDER,
    PEOPLE,
    Checks,
    Member,
    Mention,
    Written,
    WrittenDocument,
)
from crfdeid.synthetic.written_filler import LETTERS, WORD, Filler, copy_case

SHORT_WEEKDAYS = ("lun", "mar", "mié", "jue", "vie", "sáb", "dom")
PARTICLES = frozenset(
    ("de", "del", "la", "las", "los", "el", "y", "i", "da", "do", "dos", "das", "san", "al", "mª")
)
SHORT_YEAR = regex.compile(r"(\d+[ ./-]+\p{L}+[ ./-]+)(\d\d)")
LETTER_FOR_DIGIT = regex.compile(r"\d[OIl]|[OIl]\d")
DIGIT_FOR_LETTER = regex.compile(r"\p{L}\d|\d\p{L}")
SCANNED = {"DATE": LETTER_FOR_DIGIT, "AGE": LETTER_FOR_DIGIT} | dict.fromkeys(PEOPLE, DIGIT_FOR_LETTER)
SINGLE = 0.3  # of the first names of two words: only the first


@cache
def read_first_names(sex: str) -> tuple[str, ...]:
    return read_list("es_first_names_female" if sex == "F" else "es_first_names_male")


@cache
def read_surnames() -> tuple[str, ...]:
    return (*read_list("es_surnames"), *read_list("es_american_surnames"))


@cache
def read_towns() -> tuple[str, ...]:
    return tuple(entry.partition("|")[0] for entry in read_list("es_towns"))


@cache
def read_nicknames() -> dict[str, list[str]]:
    """Return the nicknames of each first name."""
    found: dict[str, list[str]] = {}
    for name, _, short in (entry.partition("|") for entry in read_list("es_nicknames")):
        found.setdefault(name, []).append(short)
    return found


@cache
def read_plain_words() -> frozenset[str]:
    """Read the words that stay in names of places and firms."""
    return frozenset({*read_list("es_hospital_words"), *read_list("es_street_words")})


class SpanishFiller(Filler):
    """The new words of one Spanish document."""

    cycles = (
        MONTHS,
        tuple(month[:3] for month in MONTHS),
        WEEKDAYS,
        SHORT_WEEKDAYS,
        UNITS[2:13],
        UNITS[13:21],
        TENS,
        ROMANS,
    )
    joiners = PARTICLES

    def __init__(self, document: WrittenDocument, rng: Random, part: str) -> None:
        super().__init__(document, rng, part)
        self.folded = {drop_accents(word): new for word, new in self.names.items()}

    def _draw_person(self, member: Member, surnames: dict[str, str]) -> Person:
        """Draw the new person of a member of the cast; each surname becomes the same one in the document."""
        sex = {"f": "F", "m": "M"}.get(member.sex) or self.rng.choice("FM")
        first = self.draw_first_name(sex)
        last = WORD.sub(partial(self._draw_surname, surnames), member.last) or self.draw_surname()
        return Person(first, "", last, "", sex)

    def _draw_surname(self, surnames: dict[str, str], match: regex.Match[str]) -> str:
        low = match[0].lower()
        return match[0] if low in self.joiners else surnames.setdefault(low, self.draw_surname())

    def _match_words(self, member: Member, person: Person) -> None:
        """Map the words of a member's name to the words of the new name."""
        words = [word for word in WORD.findall(member.first) if word.lower() not in self.joiners]
        for number, word in enumerate(words):
            self._match(word, person.first if not number else self.draw_first_name(person.sex))
        for word, new in zip(WORD.findall(member.last), WORD.findall(person.last)):
            if word.lower() not in self.joiners:
                self._match(word, new)

    def fill(self, mention: Mention) -> str:
        """Return what the mention becomes; a scanned one, with digits in its words, stays."""
        scanned = SCANNED.get(mention.type)
        return mention.text if scanned and scanned.search(mention.text) else super().fill(mention)

    def fill_name(self, mention: Mention) -> str:
        """Return the mention with the words of the new name."""
        filled = self._fill_words(mention.text, mention.key)
        lost = any(self._lost_accents(word.lower()) for word in WORD.findall(mention.text))
        return drop_accents(filled) if lost else filled

    def _lost_accents(self, low: str) -> bool:
        return low not in self.names and low in self.folded

    def _fill_name_word(self, word: str, key: str) -> str:
        low = word.lower()
        if self._lost_accents(low):
            return copy_case(word, self.folded[low])
        return super()._fill_name_word(word, key)

    def _draw_nickname(self, key: str) -> str:
        person = self.drawn[key]
        known = read_nicknames().get(person.first)
        return self.rng.choice(known) if known else self.draw_first_name(person.sex)

    def draw_first_name(self, sex: str) -> str:
        """Draw a first name, of more than one word at times."""
        name = self.rng.choice(read_first_names(sex))
        return WORD.findall(name)[0] if self.rng.random() < SINGLE else name

    def draw_surname(self) -> str:
        return self.rng.choice(read_surnames())

    def draw_town(self) -> str:
        return self.rng.choice(read_towns())

    def draw_country(self) -> str:
        return self.rng.choice(read_list("es_countries"))

    def draw_job(self) -> str:
        return self.rng.choice(read_list("es_jobs"))

    def draw_place_word(self) -> str:
        """Draw one word for the name of a place: a surname's, a town's or a patron's."""
        entries = self.rng.choice((read_surnames(), read_towns(), read_list("es_place_names")))
        drawn = self.rng.choice(entries)
        return (WORD.findall(drawn) or [drawn])[-1]

    def read_plain_words(self) -> frozenset[str]:
        return read_plain_words()

    def fill_date(self, text: str) -> str:
        """Return another date in the same form; a year of two digits behind a month in letters stays one."""
        if not (short := SHORT_YEAR.fullmatch(text)):
            return super().fill_date(text)
        return f"{super().fill_date(short[1])}{(int(short[2]) + self.shift) % 100:02}"

    def fill_number(self, text: str) -> str:
        """Return another number or code in the same form; a letter behind a number becomes another one."""
        filled = super().fill_number(text)
        return regex.sub(r"(?<=\d)[A-Z]$", lambda match: self.rng.choice(LETTERS), filled)


CHECKED_DAYS = "|".join((*MONTHS, "setiembre", *WEEKDAYS, "sabado", "miercoles"))
WRITTEN = Written(
    FOLDER / "spanish",
    families=(
        "alta", "anatomía patológica", "atención primaria", "cirugía", "consulta", "correo", "dictado",
        "enfermería", "forma", "informe legal", "laboratorio", "medicina interna", "mensaje", "obstetricia",
        "pediatría", "psiquiatría", "radiología", "trabajo social", "urgencias",
    ),
    fill=SpanishFiller,
    checks=Checks(
        name_edges=(regex.compile(rf"({CHECKED_TITLES})\b\.?\s", regex.IGNORECASE),),
        durations=regex.compile(r"\d+ ?(días?|semanas?|meses|años?|horas?|d|h)", regex.IGNORECASE),
        ages=regex.compile(r".*\b(años?|añitos|a|meses|m|semanas?|días?)\b", regex.IGNORECASE),
        jobs=regex.compile(r"(jubilad[oa]|ex|una?)\b", regex.IGNORECASE),
        calendar=regex.compile(
            rf"\b({CHECKED_DAYS}|Navidad|Nochebuena|Nochevieja|Pascua|Semana Santa|Carnaval(?:es)?"
            r"|(?:19|20)\d\d)\b",
            regex.IGNORECASE,
        ),
        titled=regex.compile(rf"\b(?:{CHECKED_TITLES})\b\.? (\p{{Lu}}\p{{Ll}}+)"),
        read_first_names=lambda: load_lowercase("es_first_names"),
        no_names=frozenset(("abril", "ángel", "blanca", "clara", "luz", "mayo", "pilar", "sol")),
    ),
    unaccented=0.2,
)  # fmt: skip
