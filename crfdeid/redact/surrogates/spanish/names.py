"""Spanish names: one or two first names by sex, two surnames with their *de la*, nicknames (Paco)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

import regex

from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import fold
from crfdeid.lexicon.spanish import CHECKED_TITLES
from crfdeid.lexicon.word_lists import EITHER, FEMALE, MALE, SURNAME
from crfdeid.redact.surrogates.keyed_choice import PATIENTS, Initials
from crfdeid.redact.surrogates.names import Names

TITLES = regex.compile(rf"(?:(?:{CHECKED_TITLES}|Sor|Fray|Mossèn)\b\.?\s+)+(?=\p{{L}})", regex.IGNORECASE)
LISTS = {
    FEMALE: ("es_first_names_female",),
    MALE: ("es_first_names_male",),
    SURNAME: ("es_surnames", "es_american_surnames"),
}
LETTERS = ("ABCEGLMPRS", "DFHIJNTV", "OUYZQKW")  # many, fewer and few Spanish names begin with these
GROUPS = {letter: letters for letters in LETTERS for letter in letters}
ONE_WORD = regex.compile(r"\p{L}{3,}")
FEWEST = 4  # names of an initial; with fewer, those of its neighbours in the group are drawn from too
SHORT = ("Mª", "M.ª", "Ma")  # María


class SpanishInitials(Initials):
    """The permutations of the letters that Spanish names begin with."""

    letters, groups = LETTERS, GROUPS


class SpanishNames(Names):
    """The surrogates of one patient's Spanish names. A word is a woman's, a man's or a surname by the lists,
    otherwise by its place and its ending."""

    make_initials = SpanishInitials

    def replace_names(self, text: str, thing: str = PATIENTS) -> str | None:
        """Replace every word of a name in ``text``; a title before it (Dra.) stays."""
        titles = TITLES.match(text)
        head = titles[0] if titles else ""
        made = super().replace_names(text[len(head) :], thing)
        return head + made if made is not None else None

    def replace_word(self, word: str, thing: str = PATIENTS) -> str:
        return word if word in SHORT else super().replace_word(word, thing)

    def _classify(self, name: str) -> str:
        female, male = name in load_folded(FEMALE), name in load_folded(MALE)
        firsts, lasts = self.facts.first_names, self.facts.surnames
        is_last = name in load_folded(SURNAME)
        if is_last and (not (female or male) or (name in lasts and name not in firsts)):
            return SURNAME
        if female or male:
            return EITHER if female and male else FEMALE if female else MALE
        if name in firsts and name not in lasts:
            return FEMALE if name.endswith("a") else MALE
        return SURNAME

    def _draw(self, name: str, kind: str, initial: str, number: int) -> str:
        return self.choices.choose(list_names(kind, initial), "name", name, number)

    def _find_full_name(self, name: str) -> str | None:
        """The first name that a nickname means: one of the patient's, otherwise the first listed."""
        candidates = load_full_names().get(name, ())
        found = next((full for full in candidates if full in self.facts.names), None)
        return found or next((full for full in candidates if name not in load_names()), None)

    def _choose_nickname(self, nickname: str, full: str) -> str:
        found = (
            short for short in load_nicknames().get(fold(full), ()) if self._is_not_real(short, nickname)
        )
        return next(found, full)


@cache
def list_kind(kind: str) -> tuple[str, ...]:
    """The names of a kind that are one word, in order."""
    names = {name for list in LISTS[kind] for name in word_lists.read_entries(list)}
    return tuple(sorted(name for name in names if ONE_WORD.fullmatch(name)))


@cache
def list_names(kind: str, initial: str) -> tuple[str, ...]:
    """The names of a kind that begin with a letter, of which accents do not count; where they are few, also
    those of the letters in the same group."""
    of_kind = [name for each in ((FEMALE, MALE) if kind == EITHER else (kind,)) for name in list_kind(each)]
    if kind == EITHER:
        both = {*list_kind(FEMALE)} & {*list_kind(MALE)}
        of_kind = [name for name in of_kind if name in both] or of_kind
    found = tuple(name for name in of_kind if fold(name)[:1].upper() == initial)
    group = GROUPS.get(initial, LETTERS[0])
    return found if len(found) >= FEWEST else tuple(n for n in of_kind if fold(n)[:1].upper() in group)


@cache
def load_folded(kind: str) -> frozenset[str]:
    """The folded words of the names of a kind."""
    words = (word for list in LISTS[kind] for name in word_lists.read_entries(list) for word in name.split())
    return frozenset(fold(word) for word in words if len(word) > 2)


@cache
def load_names() -> frozenset[str]:
    """The folded first names."""
    return load_folded(FEMALE) | load_folded(MALE)


@cache
def load_words() -> frozenset[str]:
    """The folded words that Spanish writes in small letters more often than with a capital, and those that
    say what an institution or a street is."""
    rows = (entry.split("|") for entry in word_lists.read_entries("es_words"))
    small = {fold(word) for word, _, _, capitals in rows if int(capitals) <= 0}
    listed = word_lists.load_lowercase("es_hospital_words", "es_street_words")
    return frozenset(small | {fold(word) for word in listed})


def is_word(name: str) -> bool:
    """
    >>> [is_word(name) for name in ("luz", "liceo", "huenchullan")]
    [True, True, False]
    """
    return name in load_words()


@cache
def load_nicknames() -> Mapping[str, tuple[str, ...]]:
    """The nicknames of each folded first name."""
    found: dict[str, list[str]] = defaultdict(list)
    for full, short in word_lists.load_pairs("es_nicknames"):
        found[fold(full)].append(short)
    return {full: tuple(shorts) for full, shorts in found.items()}


@cache
def load_full_names() -> Mapping[str, tuple[str, ...]]:
    """The folded first names that each folded nickname may mean."""
    found: dict[str, list[str]] = defaultdict(list)
    for full, short in word_lists.load_pairs("es_nicknames"):
        found[fold(short)].append(fold(full))
    return {short: tuple(fulls) for short, fulls in found.items()}
