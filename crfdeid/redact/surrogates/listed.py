"""Surrogates from the lists of a language (:class:`crfdeid.lexicon.Language`): names by sex, nicknames,
titles, towns, institutions, streets and jobs; dates with the words of its months.

The names of Spanish are made here too. A language without a class for its surrogates has
:func:`build_surrogates`; what it has no list for becomes a name of the language, or a marker.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from typing import ClassVar, NamedTuple

import regex

from crfdeid.lexicon import Language, english, find_language, word_lists
from crfdeid.lexicon.letters import fold, match_case
from crfdeid.lexicon.word_lists import EITHER, FEMALE, MALE, SURNAME
from crfdeid.redact.surrogates import keyed_choice, kinds
from crfdeid.redact.surrogates.dates import DateShifter
from crfdeid.redact.surrogates.institutions import Institutions
from crfdeid.redact.surrogates.keyed_choice import PATIENTS, STREETS, Initials, KeyedChoices
from crfdeid.redact.surrogates.names import Names
from crfdeid.redact.surrogates.patient import Makers, PatientSurrogates
from crfdeid.redact.surrogates.places import Places, make_city_key
from crfdeid.text.document import Document, Span

ONE_WORD = regex.compile(r"\p{L}{3,}")
FEWEST = 4  # names of an initial; with fewer, those of its neighbours in the group are drawn from too
SIZES = (10, 8)  # letters with which many names begin, and fewer; with the others, few
ORDINALS = ("º", "ª")
OF, TO = "of", "to"  # what words around a date and between two days are read as
BETWEEN = regex.compile(rf"(?<=\d\s*){OF}(?=\s*\d)")
SHORT_MONTHS = tuple(month[:3] for month in english.MONTHS)
TRANSLATED = regex.compile(
    rf"(?<!\p{{L}})(?:{'|'.join((*english.MONTHS, *english.WEEKDAYS, *SHORT_MONTHS, OF, TO))})(?!\p{{L}})"
)


class ListedNames(Names):
    """The surrogates of one patient's names. A word is a woman's, a man's or a surname by the lists,
    otherwise by its place and its ending."""

    language: ClassVar[Language]

    def replace_names(self, text: str, thing: str = PATIENTS) -> str | None:
        """Replace every word of a name in ``text``; a title before it (Dra.) stays."""
        titles = compile_titles(self.language).match(text)
        head = titles[0] if titles else ""
        made = super().replace_names(text[len(head) :], thing)
        return head + made if made is not None else None

    def replace_word(self, word: str, thing: str = PATIENTS) -> str:
        return word if word in self.language.small_words else super().replace_word(word, thing)

    def _classify(self, name: str) -> str:
        female, male = (name in load_folded(self.language, kind) for kind in (FEMALE, MALE))
        firsts, lasts = self.facts.first_names, self.facts.surnames
        is_last = name in load_folded(self.language, SURNAME)
        if is_last and (not (female or male) or (name in lasts and name not in firsts)):
            return SURNAME
        if female or male:
            return EITHER if female and male else FEMALE if female else MALE
        if name in firsts and name not in lasts:
            return FEMALE if name.endswith("a") else MALE
        return SURNAME

    def _draw(self, name: str, kind: str, initial: str, number: int) -> str:
        return self.choices.choose(list_names(self.language, kind, initial), "name", name, number)

    def _find_full_name(self, name: str) -> str | None:
        """The first name that a nickname means: one of the patient's, otherwise the first listed."""
        candidates = load_full_names(self.language).get(name, ())
        found = next((full for full in candidates if full in self.facts.names), None)
        is_listed = name in load_first_names(self.language)
        return found or (None if is_listed else next(iter(candidates), None))

    def _choose_nickname(self, nickname: str, full: str) -> str:
        shorts = load_nicknames(self.language).get(fold(full), ())
        return next((short for short in shorts if self._is_not_real(short, nickname)), full)


class ListedInstitutions(Institutions):
    """The surrogates of one patient's institutions, streets and jobs: words of the lists that say what it is
    stay, the others become surnames. A job without a list becomes a marker."""

    is_english = False

    language: ClassVar[Language]

    def replace_institution(self, text: str) -> str | None:
        return self._replace_proper(text, self._list_kept(self.language.institution_words))

    replace_department = replace_institution

    def replace_place(self, text: str) -> str | None:
        return self._replace_proper(
            text, self._list_kept(self.language.institution_words + self.language.street_words)
        )

    def replace_street(self, text: str) -> str | None:
        return self._replace_proper(text, self._list_kept(self.language.street_words), STREETS)

    def replace_job(self, text: str) -> str | None:
        jobs = self.language.jobs
        return self.replace_listed(jobs, text) if jobs else None

    def _list_kept(self, lists: tuple[str, ...]) -> frozenset[str]:
        return load_lowercase(lists) | {*self.language.small_words, *ORDINALS}

    def _list_names(self, initial: str) -> Sequence[str]:
        return list_names(self.language, SURNAME, initial)


class ListedPlaces(Places):
    """The surrogates of one patient's towns, provinces and countries: other towns of the list. Without one
    they become surnames. A country without a list becomes a marker."""

    language: ClassVar[Language]

    def _choose_town(self, name: str, state: str | None) -> str:
        towns = list_towns(self.language)
        if not towns:
            return self.institutions.replace_place(name) or name
        choose = self.institutions.choose_free
        return choose(name, lambda n: self.choices.choose(towns, "city", name, n), make_city_key(name, state))

    def replace_state(self, text: str) -> str | None:
        return self.institutions.replace_place(text)

    def replace_country(self, text: str) -> str | None:
        countries = self.language.countries
        return self.institutions.replace_listed(countries, text) if countries else None


class Translation(NamedTuple):
    """A date in English words, and the words that they stand for, in order."""

    text: str
    words: list[str]


class ListedDates(DateShifter):
    """Shifts the dates of one patient. The words of the language are read as those of English, and written
    back. Days come before months."""

    language: ClassVar[Language]

    @classmethod
    def draw(cls, choices: KeyedChoices, years: int, weeks: int, month_first: bool) -> DateShifter:
        """A shifter as :meth:`DateShifter.draw` makes it, which reads days before months."""
        return super().draw(choices, years, weeks, False)

    def find_note_date(self, texts: list[str]) -> date | None:
        return super().find_note_date([self._translate(text).text for text in texts])

    def shift_text(self, text: str, note_date: date | None, after: str = "") -> str | None:
        """Shift all dates in ``text``. Return None if it cannot be read or would not change."""
        read = self._translate(text)
        made = super().shift_text(read.text, note_date, after)
        return self._write_back(made, read.words) if made else None

    def generalize_text(self, text: str, unit: str, note_date: date | None) -> str | None:
        return super().generalize_text(self._translate(text).text, unit, note_date)

    def shows_old_age(self, text: str, note_date: date | None, is_birth: bool = False) -> bool:
        return super().shows_old_age(self._translate(text).text, note_date, is_birth)

    def is_only_weekday(self, text: str) -> bool:
        """Whether ``text`` has no more than weekdays, which a shift of whole weeks keeps."""
        read = self._translate(text)
        return bool(read.words) and self.is_weekday_or_season(read.text)

    def _translate(self, text: str) -> Translation:
        words: list[str] = []
        known = load_date_words(self.language)

        def replace(match: regex.Match[str]) -> str:
            words.append(match[0])
            return known[match[0].lower()]

        return Translation(BETWEEN.sub(TO, compile_date_words(self.language).sub(replace, text)), words)

    def _write_back(self, made: str, words: list[str]) -> str | None:
        """Write the words of the language where their English ones are; None where one has come or gone."""
        found = list(TRANSLATED.finditer(made))
        if len(found) != len(words):
            return None
        waiting = iter(words)
        return TRANSLATED.sub(lambda match: self._write_word(match[0], next(waiting)), made)

    def _write_word(self, word: str, like: str) -> str:
        number = english.MONTH_NUMBERS.get(word.lower())
        if number is None:
            return like
        name = self.language.months[number - 1]
        is_short = like.lower() not in {month.lower() for month in self.language.months}
        return match_case(name[:3] if is_short else name, like)


class ListedSurrogates(PatientSurrogates):
    """Makes the surrogates of one patient from lists."""

    def make_surrogate(self, document: Document, span: Span, note_date: date | None = None) -> str | None:
        """Make the surrogate of a span, as :meth:`PatientSurrogates.make_surrogate` does."""
        text = document.text_of(span)
        assert isinstance(self.dates, ListedDates)
        if kinds.kind_of(span.type) == kinds.DATE and self.dates.is_only_weekday(text):
            return text
        return super().make_surrogate(document, span, note_date)


@cache
def build_surrogates(name: str) -> type[PatientSurrogates]:
    """Build what makes the surrogates of a language from its lists."""
    found = find_language(name)
    has_names = bool(found.surnames)

    class OwnInitials(Initials):
        letters, groups = list_letters(found), group_letters(found)

    class OwnNames(ListedNames):
        language, make_initials = found, OwnInitials

    class OwnInstitutions(ListedInstitutions):
        language = found

    class OwnPlaces(ListedPlaces):
        language = found

    class OwnDates(ListedDates):
        language = found

    class OwnSurrogates(ListedSurrogates):
        makers = Makers(
            names=OwnNames if has_names else Names,
            institutions=OwnInstitutions if has_names else Institutions,
            places=OwnPlaces if has_names else Places,
            dates=OwnDates,
        )
        is_word = staticmethod(lambda word: is_word(found, word))

    return OwnSurrogates


@cache
def list_letters(language: Language) -> tuple[str, ...]:
    """The letters with which many, fewer and few of the names begin: those of the language, or counted."""
    if language.letters or not language.surnames:
        return language.letters or tuple(keyed_choice.LETTERS)
    names = (name for kind in (FEMALE, MALE, SURNAME) for name in list_kind(language, kind))
    counts = Counter(fold(name)[:1].upper() for name in names)
    ordered = sorted(counts, key=lambda letter: (-counts[letter], letter))
    first, second = SIZES[0], sum(SIZES)
    groups = ["".join(sorted(part)) for part in (ordered[:first], ordered[first:second], ordered[second:])]
    return tuple(group for group in groups if len(group) > 1)


@cache
def compile_titles(language: Language) -> regex.Pattern[str]:
    """The titles before a name."""
    titles = "|".join(language.titles)
    return regex.compile(rf"(?:(?:{titles})\b\.?\s+)+(?=\p{{L}})" if titles else "(?!)", regex.IGNORECASE)


def group_letters(language: Language) -> Mapping[str, str]:
    """The group of each letter."""
    return {letter: group for group in list_letters(language) for letter in group}


def load_lowercase(lists: tuple[str, ...]) -> frozenset[str]:
    """The entries of lists, in small letters."""
    return frozenset().union(*map(word_lists.load_lowercase, lists))


def list_lists(language: Language, kind: str) -> tuple[str, ...]:
    """The lists of the names of a kind."""
    return {FEMALE: language.women, MALE: language.men, SURNAME: language.surnames}[kind]


@cache
def list_kind(language: Language, kind: str) -> tuple[str, ...]:
    """The names of a kind that are one word, in order."""
    names = {name for list in list_lists(language, kind) for name in word_lists.read_entries(list)}
    return tuple(sorted(name for name in names if ONE_WORD.fullmatch(name)))


@cache
def list_names(language: Language, kind: str, initial: str) -> tuple[str, ...]:
    """The names of a kind that begin with a letter, of which accents do not count; where they are few,
    also those of the letters in the same group."""
    of_kind = [
        n for each in ((FEMALE, MALE) if kind == EITHER else (kind,)) for n in list_kind(language, each)
    ]
    if kind == EITHER:
        both = {*list_kind(language, FEMALE)} & {*list_kind(language, MALE)}
        of_kind = [name for name in of_kind if name in both] or of_kind
    found = tuple(name for name in of_kind if fold(name)[:1].upper() == initial)
    letters = list_letters(language)
    group = next((group for group in letters if initial in group), letters[0])
    return found if len(found) >= FEWEST else tuple(n for n in of_kind if fold(n)[:1].upper() in group)


@cache
def load_folded(language: Language, kind: str) -> frozenset[str]:
    """The folded words of the names of a kind."""
    names = (name for list in list_lists(language, kind) for name in word_lists.read_entries(list))
    return frozenset(fold(word) for name in names for word in name.split() if len(word) > 2)


@cache
def load_first_names(language: Language) -> frozenset[str]:
    """The folded first names."""
    return load_folded(language, FEMALE) | load_folded(language, MALE)


@cache
def load_words(language: Language) -> frozenset[str]:
    """The folded words that the language writes in small letters more often than with a capital, and those
    that say what an institution or a street is. A table of words (:mod:`crfdeid.text.gazetteer`) has the
    capitals in its last column; a list has one word a line."""
    rows = (entry.split("|") for list in language.words for entry in word_lists.read_entries(list))
    small = {fold(row[0]) for row in rows if len(row) == 1 or int(row[-1]) <= 0}
    listed = load_lowercase(language.institution_words + language.street_words)
    return frozenset(small | {fold(word) for word in listed})


def is_word(language: Language, name: str) -> bool:
    """
    >>> spanish = find_language("spanish")
    >>> [is_word(spanish, name) for name in ("luz", "liceo", "huenchullan")]
    [True, True, False]
    """
    return name in load_words(language)


@cache
def load_nicknames(language: Language) -> Mapping[str, tuple[str, ...]]:
    """The nicknames of each folded first name."""
    found: dict[str, list[str]] = defaultdict(list)
    for full, short in word_lists.load_pairs(language.nicknames) if language.nicknames else ():
        found[fold(full)].append(short)
    return {full: tuple(shorts) for full, shorts in found.items()}


@cache
def load_full_names(language: Language) -> Mapping[str, tuple[str, ...]]:
    """The folded first names that each folded nickname may mean."""
    found: dict[str, list[str]] = defaultdict(list)
    for full, short in word_lists.load_pairs(language.nicknames) if language.nicknames else ():
        found[fold(short)].append(fold(full))
    return {short: tuple(fulls) for short, fulls in found.items()}


@cache
def list_towns(language: Language) -> tuple[str, ...]:
    """The towns in order; what follows a mark in the list is left out."""
    entries = (entry for list in language.towns for entry in word_lists.read_entries(list))
    return tuple(sorted({entry.partition("|")[0] for entry in entries}))


@cache
def load_date_words(language: Language) -> Mapping[str, str]:
    """The English words of those of dates, by small letters; a month's first three letters shorten it."""
    found = dict.fromkeys((word.lower() for word in language.small_words), OF)
    found |= {day.lower(): english.WEEKDAYS[number] for number, day in enumerate(language.weekdays)}
    for number, month in reversed([*enumerate(language.months)]):
        found[month.lower()[:3]] = english.MONTHS[number][:3]
    return found | {month.lower(): english.MONTHS[number] for number, month in enumerate(language.months)}


@cache
def compile_date_words(language: Language) -> regex.Pattern[str]:
    words = "|".join(
        sorted(map(regex.escape, load_date_words(language)), key=lambda word: (-len(word), word))
    )
    return regex.compile(rf"(?<!\p{{L}})(?:{words})(?!\p{{L}})" if words else "(?!)", regex.IGNORECASE)
