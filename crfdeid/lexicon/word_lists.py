"""The shipped lists as surrogates need them: names by gender and initial, towns by state and by country."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import chain

from crfdeid.lexicon.letters import fold, fold_each, remember_words
from crfdeid.text import gazetteer

FEMALE, MALE, EITHER, SURNAME = "female", "male", "either", "surname"
OR_SURNAME = " or surname"
MIN_EITHER = 30  # names of an initial; with fewer names for either gender, names of both are added
SURNAME_RATIO = 5  # a name is a surname only if 5 times more people have it as a surname
FIRST_NAME_RATIO = 20  # and a first name only if 20 times more have it as a first name
GENDER_RATIO = 10  # a name of both lists is a woman's if its share of women is 10 times its share of men
LEAST = 0.0005  # per cent of people, for a listed name that the census does not have
SCOTTISH = re.compile(r"^Mc([a-z])")
MIN_RATIO = 3  # an ending marks a first name if it is this many times as common as in surnames


def read_entries(name: str) -> list[str]:
    """Read all entries of a shipped list."""
    return gazetteer.read_entries(gazetteer.find_gazetteer(name))


@cache
def load_sorted(name: str) -> tuple[str, ...]:
    """All entries of a shipped list in alphabetical order."""
    return tuple(sorted(read_entries(name)))


@cache
def load_lowercase(*names: str) -> frozenset[str]:
    """The lowercase entries of several lists."""
    if len(names) > 1:
        return frozenset().union(*map(load_lowercase, names))
    return frozenset("\n".join(read_entries(*names)).lower().split("\n"))


@cache
def load_words(name: str) -> frozenset[str]:
    """The lowercase words of the entries of a list."""
    return frozenset(word for entry in load_lowercase(name) for word in entry.split())


@cache
def load_folded(name: str) -> frozenset[str]:
    """The folded entries of a list."""
    return frozenset(fold_each(read_entries(name)))


@cache
def load_credentials() -> frozenset[str]:
    """The lowercase titles that are written in capitals and follow a name (MD, PharmD)."""
    titles = read_entries("titles")
    return frozenset(title.lower() for title in titles if sum(map(str.isupper, title)) > 1)


def is_listed(name: str) -> bool:
    """Whether a folded name is a listed surname or first name."""
    return name in load_folded("surnames") or name in load_folded("first_names")


def is_common_name(name: str) -> bool:
    """Whether many people have this (folded) name, so that it is not a misspelling."""
    return any(name in load_folded(list) for list in ("female_names", "male_names", "common_surnames"))


@remember_words(100_000)
def classify_name(name: str) -> str:
    """Return ``female``, ``male`` or ``either`` for a (folded) first name, otherwise ``surname``. For a name
    that many people bear as a first name and many as a surname, `` or surname`` is added; its surrogates
    are such names too. The result does not depend on the position of the name, so that a word has the same
    surrogate everywhere.

    >>> classify_name("margaret"), classify_name("robert"), classify_name("smith"), classify_name("kelly")
    ('female', 'male', 'surname', 'either or surname')
    """
    female, male = name in load_folded("first_names_female"), name in load_folded("first_names_male")
    is_surname = name in load_folded("surnames")
    if not (female or male):
        return SURNAME if is_surname else classify_by_ending(name)
    gender = find_gender(name) if female and male else FEMALE if female else MALE
    if not is_surname:
        return gender
    first = max(load_shares(kind).get(name, LEAST) for kind in (FEMALE, MALE))
    last = load_shares(SURNAME).get(name, LEAST)
    if last > SURNAME_RATIO * first and name not in load_full_names():
        return SURNAME
    return gender if first > FIRST_NAME_RATIO * last else gender + OR_SURNAME


def find_gender(name: str) -> str:
    """Return the gender of nearly all people with a (folded) first name of both lists, or ``either``.

    >>> find_gender("karen"), find_gender("juan"), find_gender("kelly")
    ('female', 'male', 'either')
    """
    women, men = (load_shares(kind).get(name, LEAST) for kind in (FEMALE, MALE))
    return FEMALE if women > GENDER_RATIO * men else MALE if men > GENDER_RATIO * women else EITHER


def genders_of(kind: str) -> tuple[str, ...]:
    """The genders of a kind of first name."""
    gender = kind.removesuffix(OR_SURNAME)
    return (FEMALE, MALE) if gender == EITHER else (gender,)


@cache
def load_shares(kind: str) -> Mapping[str, float]:
    """The per cent of people (of women, of men) who have each folded name (US Census 1990)."""
    lists = {FEMALE: "first_name_shares_female", MALE: "first_name_shares_male", SURNAME: "surname_shares"}
    cells = "|".join(read_entries(lists[kind])).split("|")
    return dict(zip(fold_each(cells[::2]), map(float, cells[1::2])))


@cache
def load_pool(kind: str) -> Mapping[str, tuple[str, ...]]:
    """The names that may be surrogates, by initial: without accents and spaces."""
    if kind.endswith(OR_SURNAME):
        names = (name for gender in genders_of(kind) for name in list_names(gender))
        return group_by_initial(name for name in names if classify_name(fold(name)).endswith(OR_SURNAME))
    if kind == EITHER:
        both = group_by_initial(sorted({*list_names(FEMALE)} & {*list_names(MALE)}))
        either = group_by_initial(sorted({*list_names(FEMALE)} | {*list_names(MALE)}))
        return {i: both[i] if len(both.get(i, ())) >= MIN_EITHER else either[i] for i in either}
    return group_by_initial(list_names(kind))


@cache
def list_names(kind: str) -> tuple[str, ...]:
    """The names of women, of men, or of families, in the capitals in which they are written."""
    lists = {FEMALE: "first_names_female", MALE: "first_names_male", SURNAME: "surnames"}
    plain = (name for name in read_entries(lists[kind]) if name.isascii() and name.isalpha())
    return tuple(SCOTTISH.sub(raise_letter, name) if name[:2] == "Mc" else name for name in plain)


def raise_letter(scottish: re.Match[str]) -> str:
    return "Mc" + scottish[1].upper()


@cache
def list_pool(kind: str) -> tuple[str, ...]:
    """The names that may be surrogates, initial by initial."""
    return tuple(chain.from_iterable(load_pool(kind).values()))


@cache
def load_endings() -> Mapping[str, Mapping[str, float]]:
    """For each ending of two or three letters, its share among the names of each kind."""
    shares: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    female, male = load_folded("first_names_female"), load_folded("first_names_male")
    for kind, names in ((FEMALE, female - male), (MALE, male - female), (SURNAME, load_folded("surnames"))):
        for length in (2, 3):
            for ending, count in Counter(name[-length:] for name in names).items():
                shares[ending][kind] += count / len(names)
    return shares


def classify_by_ending(name: str) -> str:
    """Classify a (folded) name that no list has: as a surname, unless its ending is much more common in first
    names.

    >>> classify_by_ending("shanelyssa"), classify_by_ending("wrzeszczynski")
    ('female', 'surname')
    """
    shares = load_endings().get(name[-3:]) or load_endings().get(name[-2:]) or {}
    best = max((FEMALE, MALE), key=lambda kind: shares.get(kind, 0.0))
    return best if shares.get(best, 0.0) > MIN_RATIO * shares.get(SURNAME, 0.0) else SURNAME


def group_by_initial(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Group names by their first letter in capitals."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[name[0].upper()].append(name)
    return {initial: tuple(group) for initial, group in groups.items()}


@cache
def load_nicknames() -> Mapping[str, tuple[str, ...]]:
    """The nicknames, as written, of each folded first name."""
    rows = (line.split(":") for line in read_entries("nicknames"))
    return {fold(name): tuple(short.split()) for name, short in rows}


@cache
def load_full_names() -> Mapping[str, tuple[str, ...]]:
    """The folded first names, in alphabetical order, that each folded nickname may mean."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, nicknames in load_nicknames().items():
        for nickname in nicknames:
            found[fold(nickname)].append(name)
    return {nickname: tuple(sorted(names)) for nickname, names in found.items()}


@cache
def load_pairs(name: str) -> tuple[tuple[str, str], ...]:
    """The rows of a list with entries ``left|right``."""
    rows = (line.split("|") for line in read_entries(name))
    return tuple([(row[0], row[1]) for row in rows])


@cache
def group_towns(name: str) -> Mapping[str, tuple[str, ...]]:
    """The towns of each state or country, from a list with entries ``town|place``."""
    groups: dict[str, list[str]] = defaultdict(list)
    for town, place in load_pairs(name):
        groups[place].append(town)
    return {place: tuple(group) for place, group in groups.items()}


@cache
def locate_towns(name: str) -> Mapping[str, str]:
    """The first state or country of each (folded) town, from a list with entries ``town|place``."""
    found: dict[str, str] = {}
    for town, place in load_pairs(name):
        found.setdefault(fold(town), place)
    return found
