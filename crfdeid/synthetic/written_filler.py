"""Fill the slots of a written document with other people, places, dates and numbers in the same forms.

A mention keeps its form because it is changed word by word: a word of a name becomes the same word of another
name, a month another month, a digit another digit, all in the capitals of the old word. In one document the
same word always becomes the same word. Words that only say what a place is (Hospital, Road) stay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import cache
from random import Random

import regex

from crfdeid.lexicon.english import MONTH_NUMBERS, MONTHS, WEEKDAYS
from crfdeid.lexicon.names import CAPITALIZED_TITLES, CHECKED_CREDENTIALS
from crfdeid.synthetic import people, places
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
from crfdeid.text.ages import ONES, TEENS, TENS

WORD = regex.compile(r"\p{L}[\p{L}\p{M}'’]*")
PIECE = regex.compile(r"\p{L}[\p{L}\p{M}'’]*|\d+")
TRIPLE = regex.compile(r"(\d+)[ ./-]+(\d+)[ ./-]+(\d+)")
LETTERS = "ABCDEFGHJKLMNPRSTVW"
JOINERS = frozenset(
    ("jr", "sr", "ii", "iii", "iv", "née", "nee", "bin", "binte", "al", "el", "de", "la", "van", "der",
     "and", "or")
)  # fmt: skip
SIMILAR = 0.75  # a word of a name that is written almost so is the same word, misspelt
KEPT_JOB, KEPT_TOWN = 0.4, 0.25  # the shares of mentions that stay as they are
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth",
    "nineteenth",
)  # fmt: skip
DECADES = tuple(tens.removesuffix("y") + "ies" for tens in TENS)
CYCLES: tuple[tuple[str, ...], ...] = (
    tuple(map(str.lower, MONTHS)),
    tuple(month[:3].lower() for month in MONTHS),
    tuple(map(str.lower, WEEKDAYS)),
    tuple(day[:3].lower() for day in WEEKDAYS),
    ("tues", "thurs"),
    ("spring", "summer", "autumn", "winter"),
    ONES, TEENS, TENS, ORDINALS, DECADES,
    ("st", "nd", "rd", "th"),
)  # fmt: skip


def copy_case(old: str, new: str) -> str:
    """Write ``new`` in the capitals of ``old``.

    >>> copy_case("RUIZ", "Marsh"), copy_case("ruiz", "Marsh"), copy_case("Ruiz", "marsh")
    ('MARSH', 'marsh', 'Marsh')
    """
    if old.islower():
        return new.lower()
    if old.isupper() and len(old) > 1:
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def shift_cycle(word: str, rng: Random, cycles: Sequence[Sequence[str]] = CYCLES) -> str | None:
    """Return another word of the cycle (months, weekdays, numbers) that has ``word``, in its capitals."""
    low = word.lower()
    for cycle in cycles:
        if low in cycle:
            return copy_case(word, rng.choice(cycle))
    return None


def change_digits(text: str, rng: Random) -> str:
    """Return other digits, as many; the first is 0 where it was."""
    head = "0" if text.startswith("0") else rng.choice("123456789")
    return head + "".join(rng.choice("0123456789") for _ in text[1:])


@cache
def read_plain_words() -> frozenset[str]:
    """Read the words that stay in names of places and firms."""
    words = {word.lower() for entry in read_list("hospital_words") for word in entry.split()}
    words |= {word.lower() for name in ("street_words", "street_types") for word in read_list(name)}
    return frozenset(
        words | set(read_list("common_words")) | {"the", "and", "of", "for", "at", "st", "ltd", "llp", "plc"}
    )


class Filler:
    """The new words of one document; ``names`` maps a word of a name to its new one. A language has
    its ``cycles`` of words, the ``joiners`` of names, and what it draws from."""

    cycles: Sequence[Sequence[str]] = CYCLES
    joiners = JOINERS

    def __init__(self, document: WrittenDocument, rng: Random, part: str) -> None:
        self.rng, self.part = rng, part
        self.known: dict[tuple[str, str], str] = {}
        self.names: dict[str, str] = {}
        self.initials: dict[str, str] = {}
        self.drawn: dict[str, Person] = {}
        self.cast = document.cast
        self.shift = rng.choice((-7, -5, -3, -2, -1, 0, 1, 2, 3))  # of years
        surnames: dict[str, str] = {}
        for key, member in document.cast.items():
            self.drawn[key] = self._draw_person(member, surnames)
            self._match_words(member, self.drawn[key])
        self.fillers: Mapping[str, Callable[[str], str]] = {
            "CITY": self.fill_town, "HOSPITAL": self.fill_place, "ORGANIZATION": self.fill_place,
            "STREET": self.fill_place, "LOCATION-OTHER": self.fill_place, "COUNTRY": self.fill_country,
            "STATE": lambda text: text, "PROFESSION": self.fill_job, "DATE": self.fill_date,
            "AGE": self.fill_age,
        }  # fmt: skip

    def _draw_person(self, member: Member, surnames: dict[str, str]) -> Person:
        """Draw the new person of a member of the cast; members of one surname share the new one."""
        sex = {"f": "F", "m": "M"}.get(member.sex) or self.rng.choice("FM")
        person = people.draw_person(self.rng, self.part, sex)
        if person.order == "single":
            person = replace(person, first=people.draw_first_name(self.rng, sex), order="given_first")
        last = surnames.setdefault(member.last.lower() or person.last, person.last)
        return replace(person, last=last)

    def _match_words(self, member: Member, person: Person) -> None:
        """Map the words of a member's name to the new name's words, from the last word of each."""
        firsts = [person.first, person.middle or people.draw_first_name(self.rng, person.sex)]
        for number, word in enumerate(WORD.findall(member.first)):
            new = firsts[number] if number < len(firsts) else people.draw_first_name(self.rng, person.sex)
            self._match(word, new)
        if member.last:
            self._match(member.last, person.last)
            words = WORD.findall(member.last)
            if len(words) > 1:
                new_words = WORD.findall(person.last) or [person.last]
                self._match(words[-1], new_words[-1])
                for word in words[:-1]:
                    self._match(word, people.draw_surname(self.rng, self.part))

    def _match(self, word: str, new: str) -> None:
        self.names.setdefault(word.lower(), new)
        self.initials.setdefault(word[0].lower(), new[0])

    def fill(self, mention: Mention) -> str:
        """Return what the mention becomes."""
        key = (mention.type, mention.text)
        if key not in self.known:
            self.known[key] = self._fill(mention) or mention.text
        return self.known[key]

    def _fill(self, mention: Mention) -> str:
        if mention.type in PEOPLE:
            return self.fill_name(mention)
        return self.fillers.get(mention.type, self.fill_number)(mention.text)

    def fill_name(self, mention: Mention) -> str:
        """Return the mention with the words of the new name."""
        member = self.cast[mention.key]
        text = mention.text
        whole = regex.search(rf"(?<!\p{{L}}){regex.escape(member.last)}(?!\p{{L}})", text, regex.IGNORECASE)
        if member.last and " " in member.last and whole:
            old = whole[0] if whole[0].islower() or whole[0].isupper() else "Aa"
            ends = (
                self._fill_words(end, mention.key) for end in (text[: whole.start()], text[whole.end() :])
            )
            return copy_case(old, self.drawn[mention.key].last).join(ends)
        return self._fill_words(text, mention.key)

    def _fill_words(self, text: str, key: str) -> str:
        return WORD.sub(lambda match: self._fill_name_word(match[0], key), text)

    def _fill_name_word(self, word: str, key: str) -> str:
        low = word.lower()
        if low in self.names:
            return copy_case(word, self.names[low])
        if len(word) == 1:
            return copy_case(word, self.initials.setdefault(low, self.rng.choice(LETTERS)))
        if low in self.joiners:
            return word
        if (word.isupper() and len(word) <= 3) or len(word) == 2:
            letters = (self.initials.get(letter.lower(), self.rng.choice(LETTERS)) for letter in word)
            return copy_case(word, "".join(letters))
        for known, new in self.names.items():
            if SequenceMatcher(None, low, known).ratio() >= SIMILAR:
                return copy_case(word, new)
        return copy_case(word, self.names.setdefault(low, self._draw_nickname(key)))

    def _draw_nickname(self, key: str) -> str:
        person = self.drawn[key]
        if self.rng.random() < 0.6:
            return self.rng.choice(people.find_nicknames(person.first))
        return people.draw_first_name(self.rng, person.sex)

    def draw_town(self) -> str:
        listed = self.rng.choice(read_list("english_towns"))
        return listed if self.rng.random() < 0.6 else places.draw_city_name(self.rng)

    def draw_country(self) -> str:
        return self.rng.choice(read_list("nations"))

    def draw_job(self) -> str:
        return self.rng.choice(read_list("jobs"))

    def draw_place_word(self) -> str:
        return invent_word(self.rng, self.part)

    def read_plain_words(self) -> frozenset[str]:
        return read_plain_words()

    def fill_town(self, text: str) -> str:
        """Return another town, mostly."""
        if self.rng.random() < KEPT_TOWN:
            return text
        new = self.draw_town()
        return new.lower() if text.islower() else new.upper() if text.isupper() and len(text) > 3 else new

    def fill_country(self, text: str) -> str:
        return copy_case(text, self.draw_country()) if len(text) > 3 else text

    def fill_place(self, text: str) -> str:
        """Return the name of a hospital, firm, street or other place with other names and numbers in it."""
        return PIECE.sub(lambda match: self._fill_place_word(match[0]), text)

    def _fill_place_word(self, word: str) -> str:
        low = word.lower().removesuffix("'s").removesuffix("’s")
        tail = word[len(low) :]
        if word.isdigit():
            return self._fill_digits(word)
        if low in self.names:
            return copy_case(word[: len(low)], self.names[low]) + tail
        if low in self.read_plain_words() or len(word) < 3:
            return word
        if word.isupper() and len(word) <= 5:
            return self._fill_code(word)
        new = self.draw_place_word()
        return copy_case(word[: len(low)], self.names.setdefault(low, new)) + tail

    def fill_job(self, text: str) -> str:
        if self.rng.random() < KEPT_JOB:
            return text
        return copy_case(text.split()[0], self.draw_job().lower())

    def fill_date(self, text: str) -> str:
        """Return another date in the same form."""
        if compact := regex.fullmatch(r"((?:19|20)\d\d)\d{4}(\d*)", text):
            day = f"{self.rng.randint(1, 12):02}{self.rng.randint(1, 28):02}"
            return f"{int(compact[1]) + self.shift}{day}{self._fill_digits(compact[2]) if compact[2] else ''}"
        triple = TRIPLE.search(text)
        year_at = triple.start(3) if triple and len(triple[1]) < 3 else -1

        def change(match: regex.Match[str]) -> str:
            if not match[0].isdigit():
                return shift_cycle(match[0], self.rng, self.cycles) or match[0]
            return self._fill_day_or_year(match[0], match.start() == year_at)

        return PIECE.sub(change, text)

    def _fill_day_or_year(self, word: str, is_year: bool) -> str:
        number = int(word)
        if is_year or number > 31:
            return str((number + self.shift) % 10 ** len(word)).zfill(len(word))
        new = self.rng.randint(1, 12 if number <= 12 else 28)
        return str(new).zfill(2 if word.startswith("0") else 1)

    def fill_age(self, text: str) -> str:
        """Return another age in the same form, near the old one."""

        def change(match: regex.Match[str]) -> str:
            word = match[0]
            if not word.isdigit():
                return shift_cycle(word, self.rng, self.cycles) or word
            number = int(word)
            if number < 13:
                return str(self.rng.randint(1, 12))
            if text[match.end() :].startswith(("s", "'s", "’s")):
                return str(10 * self.rng.randint(2, 9))
            return str(max(13, min(99, number + self.rng.randint(-9, 9))))

        return PIECE.sub(change, text)

    def fill_number(self, text: str) -> str:
        """Return another number, code, address or login name in the same form."""
        return PIECE.sub(lambda match: self._fill_code(match[0]), text)

    def _fill_code(self, word: str) -> str:
        if word.isdigit():
            return self._fill_digits(word)
        low = word.lower()
        if low in self.names:
            return copy_case(word, "".join(WORD.findall(self.names[low])) or word)
        if (number := shift_cycle(word, self.rng, self.cycles)) and len(word) > 2:
            return number
        if len(word) > 3 or self.rng.random() < 0.5:
            return word
        return copy_case(word, self._remember(word, lambda: "".join(self.rng.choices(LETTERS, k=len(word)))))

    def _fill_digits(self, word: str) -> str:
        return self._remember(word, lambda: change_digits(word, self.rng))

    def _remember(self, word: str, make: Callable[[], str]) -> str:
        key = ("", word)
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]


def invent_word(rng: Random, part: str) -> str:
    """Draw one word for the name of a place: a surname, a town's or an invented one."""
    drawn = people.draw_surname(rng, part) if rng.random() < 0.6 else places.draw_city_name(rng)
    return (WORD.findall(drawn) or [drawn])[-1]


CLEAR_MONTHS = [name.title() for name in MONTH_NUMBERS if name not in ("march", "mar", "may")]
WRITTEN = Written(
    FOLDER,
    families=(
        "primary_care", "emergency", "nursing", "midwifery", "surgery", "medicine", "anaesthesia",
        "pathology", "radiology", "genetics", "mental_health", "dental", "pharmacy", "therapy", "social_work",
        "legal", "school", "occupational", "ambulance", "dialysis", "oncology", "paediatrics", "message",
        "transcript", "dictation", "scan", "form", "data_dump", "case_report", "letter",
    ),
    fill=Filler,
    checks=Checks(
        name_edges=(
            regex.compile(
                rf"({CAPITALIZED_TITLES}|Mx|Nurse|Sister|Aunt|Uncle|Rev|Fr|Sr|Sgt|PC|Judge)\b\.?\s|.*['’]s$"
            ),
            regex.compile(rf".*[ ,]({CHECKED_CREDENTIALS})\.?$"),
        ),
        durations=regex.compile(r"\d+/(7|52|12)|.*\b(day|week|month|year|hour|yr|wk)s?\b(?!.*\d{4})"),
        ages=regex.compile(r".*\b(years?|yrs?|y/?o|months?|weeks?|days?|old)\b", regex.IGNORECASE),
        jobs=regex.compile(r"(retired|former|ex-|an? )"),
        calendar=regex.compile(
            rf"\b({'|'.join(CLEAR_MONTHS)}"
            r"|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Mon|Tues|Thurs|Fri|Christmas|Xmas|Easter"
            r"|Thanksgiving|(?:19|20)\d\d)\b"
        ),
        titled=regex.compile(rf"\b(?:{CAPITALIZED_TITLES})\.? (\p{{Lu}}\p{{Ll}}+)"),
        read_first_names=lambda: read_list("popular_first_names"),
        no_names=frozenset(
            ("may", "will", "grace", "hope", "mark", "pat", "bill", "rose", "dawn", "faith", "joy", "art",
             "gene", "ray", "dean", "drew", "frank", "rich", "sue", "penny")
        ),
    ),
)  # fmt: skip
