"""The shipped lists as surrogates need them: by gender and initial, by state, by country."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache

from crfdeid.redact.surrogates.letter_case import folded
from crfdeid.text import gazetteer

FEMALE, MALE, EITHER, SURNAME = "female", "male", "either", "surname"
FEW = 30
MUCH = 3


@cache
def listed(name: str) -> tuple[str, ...]:
    """The entries of a shipped list, excluded ones among them."""
    return tuple(gazetteer.lines(gazetteer.find(name)))


@cache
def entries(name: str) -> tuple[str, ...]:
    """A shipped list without what stands in its list of exclusions."""
    found, path = gazetteer.lines(gazetteer.find(name)), gazetteer.find(name)
    beside = path.with_name(f"{name}.exclude.txt")
    never = frozenset(gazetteer.lines(beside)) if beside.is_file() else frozenset()
    return tuple(entry for entry in found if entry not in never)


@cache
def words(*names: str) -> frozenset[str]:
    """The lowercased entries of several lists."""
    return frozenset(entry.lower() for name in names for entry in gazetteer.lines(gazetteer.find(name)))


@cache
def tokens(name: str) -> frozenset[str]:
    """The lowercased words of the entries of a list."""
    return frozenset(word for entry in words(name) for word in entry.split())


@cache
def folds(name: str) -> frozenset[str]:
    return frozenset(folded(entry) for entry in listed(name))


@cache
def credentials() -> frozenset[str]:
    """The lowercased titles that are written in capitals (MD, PharmD): they stand behind a name."""
    titles = gazetteer.lines(gazetteer.find("titles"))
    return frozenset(title.lower() for title in titles if sum(map(str.isupper, title)) > 1)


def common(name: str) -> bool:
    """Whether many bear this (folded) name: it is no misspelling then."""
    return any(name in folds(kind) for kind in ("female_names", "male_names", "common_surnames"))


@cache
def kind(name: str) -> str:
    """Of a folded name: ``female``, ``male`` or ``either`` for a first name, else ``surname``.
    It says nothing of the place in which the name stands, so that a part of a name has one
    surrogate wherever it stands.

    >>> kind("margaret"), kind("robert"), kind("smith"), kind("pat")
    ('female', 'male', 'surname', 'either')
    """
    female, male = name in folds("first_names_female"), name in folds("first_names_male")
    firsts = name in folds("female_names") or name in folds("male_names")
    if not (female or male) and name not in folds("surnames"):
        return guessed(name)
    if not (female or male) or (name in folds("surnames") and not firsts and name not in nicknames()):
        return SURNAME
    return EITHER if female and male else FEMALE if female else MALE


@cache
def pool(kind: str) -> Mapping[str, tuple[str, ...]]:
    """Plain names by their initial, for surrogates: no accents, spaces or single letters, no
    words of a note."""
    named = {FEMALE: "first_names_female", MALE: "first_names_male", SURNAME: "surnames"}
    if kind == EITHER:
        both = set(sum(pool(FEMALE).values(), ())) & set(sum(pool(MALE).values(), ()))
        return by_initial(sorted(both))
    never = words("eponyms", "medical_words", "dates", "titles", "surnames.exclude", "first_names.exclude")
    names = (name for name in entries(named[kind]) if name.isascii() and name.isalpha() and len(name) > 2)
    return by_initial(name for name in names if name.lower() not in never)


def drawn_from(kind: str, initial: str) -> tuple[str, ...]:
    """The names of a kind and an initial. Few are for either gender; those who bear such a name
    have one of either."""
    names = pool(kind).get(initial, ())
    if kind == EITHER and len(names) < FEW:
        names = pool(FEMALE).get(initial, ()) + pool(MALE).get(initial, ())
    return names or pool(SURNAME)[initial]


@cache
def endings() -> Mapping[str, Mapping[str, float]]:
    """For each ending of two and three letters, its share in the names of each kind."""
    shares: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    female, male = folds("first_names_female"), folds("first_names_male")
    for kind, names in ((FEMALE, female - male), (MALE, male - female), (SURNAME, folds("surnames"))):
        for name in names:
            for length in (2, 3):
                shares[name[-length:]][kind] += 1 / len(names)
    return shares


def guessed(name: str) -> str:
    """The kind of a (folded) name in no list, by its ending: a surname unless that is much commoner in
    first names. It depends on the name alone, as :func:`kind` does.

    >>> guessed("shanelyssa"), guessed("wrzeszczynski")
    ('female', 'surname')
    """
    shares = endings().get(name[-3:]) or endings().get(name[-2:]) or {}
    best = max((FEMALE, MALE), key=lambda kind: shares.get(kind, 0.0))
    return best if shares.get(best, 0.0) > MUCH * shares.get(SURNAME, 0.0) else SURNAME


def by_initial(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[name[0].upper()].append(name)
    return {initial: tuple(group) for initial, group in groups.items()}


@cache
def shortened() -> Mapping[str, tuple[str, ...]]:
    """Folded first names and what they are shortened to, as written."""
    rows = (line.split(":") for line in listed("nicknames"))
    return {folded(name): tuple(short.split()) for name, short in rows}


@cache
def nicknames() -> Mapping[str, tuple[str, ...]]:
    """Folded nicknames and the folded first names they may stand for, in order."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, shorts in shortened().items():
        for short in shorts:
            found[folded(short)].append(name)
    return {short: tuple(sorted(names)) for short, names in found.items()}


@cache
def pairs(name: str) -> tuple[tuple[str, str], ...]:
    """The rows of a list of ``left|right``."""
    return tuple(tuple(line.split("|")[:2]) for line in listed(name))  # type: ignore[misc]


@cache
def grouped(name: str) -> Mapping[str, tuple[str, ...]]:
    """The left sides of such a list by their right side."""
    groups: dict[str, list[str]] = defaultdict(list)
    for left, right in pairs(name):
        groups[right].append(left)
    return {right: tuple(group) for right, group in groups.items()}


@cache
def first_right(name: str) -> Mapping[str, str]:
    """The first right side of each (folded) left side."""
    found: dict[str, str] = {}
    for left, right in pairs(name):
        found.setdefault(folded(left), right)
    return found
