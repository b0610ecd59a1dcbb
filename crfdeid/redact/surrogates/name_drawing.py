"""Draw surrogates of names as people bear them, so that readers cannot tell them from missed names.

A name is drawn by the share of people who have it, out of the names that begin with the same letter. The
shares are those of the US Census 1990. One draw in seven is from the whole population; the others are from
the band of the real name: frequent, known, rare, only in other lists, or in no list. So a release has about
as many rare and unlisted names among its surrogates as among its real names. The band of a surrogate
therefore says a little about the real name; a surrogate that is always frequent where the missed names are
rare would say more.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from crfdeid.redact.surrogates import name_pools
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.name_pools import FEMALE, LEAST, MALE, SURNAME
from crfdeid.redact.surrogates.text_forms import fold

BANDS = (0.1, 0.01, 0.001, 0.0)  # per cent of people, at least: frequent, known, rare, not in the census
UNLISTED = len(BANDS)
FROM_BAND = 85  # of 100 draws
UNLISTED_IN_POPULATION = 10  # of 100 people have a name that the census leaves out (it covers 90%)
BAND_TRIES = 20  # draws from one band before the others are tried
UNIT = 10_000  # weights are whole numbers: a share of 0.0001 per cent is 1
ORDER = 3  # letters that decide the next one of an invented name
SHORTEST, LONGEST = 4, 10  # letters of an invented name
END = "$"

MIN_REGIONAL = 5  # names of an initial; with fewer, those of all regions are drawn from
MAX_REGIONS = 3  # a name of more regions is at home everywhere

Initial = str
Regions = frozenset[str]
ELSEWHERE: Regions = frozenset()


class Pool(NamedTuple):
    """Names with the running totals of their weights."""

    names: tuple[str, ...]
    totals: tuple[int, ...]

    def draw(self, choices: KeyedChoices, *key: object) -> str:
        """Draw a name by weight."""
        return self.names[bisect_right(self.totals, choices.draw_number(self.totals[-1], *key))]


def draw_name(name: str, kind: str, initial: Initial, choices: KeyedChoices, number: int) -> str:
    """Draw a surrogate of the folded ``name`` that begins with ``initial``. Each ``number`` gives another
    draw.

    >>> draw_name("smith", name_pools.SURNAME, "J", KeyedChoices(b"secret", "7"), 0)[0]
    'J'
    """
    key = ("name", name, number)
    band = find_band(name, kind)
    is_from_band = number < BAND_TRIES and choices.draw_number(100, "band", *key) < FROM_BAND
    if not is_from_band:
        is_unlisted = choices.draw_number(100, "listed", *key) < UNLISTED_IN_POPULATION
        band = UNLISTED if is_unlisted and number < BAND_TRIES else -1
    if band == UNLISTED:
        return invent_name(kind, initial, choices, *key)
    regions = load_regions().get(name, ELSEWHERE)
    is_regional = is_from_band and len(regions) <= MAX_REGIONS
    return find_pool(kind, band, initial, regions if is_regional else ELSEWHERE).draw(choices, *key)


def find_pool(kind: str, band: int, initial: Initial, regions: Regions = ELSEWHERE) -> Pool:
    """The names of a band with this initial, from the regions of the real name if they have enough; without
    any, those of the next band, of all bands, and at last all surnames. Band -1 is the whole population."""
    for each in (band, -1) if regions else ():
        if (pool := load_pool(kind, each, initial, regions)) and len(pool.names) >= MIN_REGIONAL:
            return pool
    for each in (band, band + 1, -1):
        if pool := load_pool(kind, each, initial):
            return pool
    surnames = load_pool(SURNAME, -1, initial)
    assert surnames is not None  # there are surnames with every letter that a surrogate begins with
    return surnames


def find_band(name: str, kind: str) -> int:
    """The number of the band of a folded name: 0 for frequent names, :data:`UNLISTED` for names in no list.

    >>> [find_band(name, name_pools.SURNAME) for name in ("smith", "ellsworth", "zanzibarova")]
    [0, 2, 4]
    """
    share = find_share(name, kind)
    return UNLISTED if share is None else band_of(share)


def band_of(share: float) -> int:
    """The band of a share of people, in per cent."""
    return next(number for number, least in enumerate(BANDS) if share >= least)


def find_share(name: str, kind: str) -> float | None:
    """The share, in per cent, of people who have the folded name; None for a name in no list."""
    shares = [table[name] for table in tables_of(kind) if name in table]
    if shares:
        return max(shares)
    is_listed = name in name_pools.load_folded("surnames") or name in name_pools.load_folded("first_names")
    return LEAST if is_listed else None


def tables_of(kind: str) -> list[Mapping[str, float]]:
    """The tables of shares in which names of a kind are found."""
    if kind == SURNAME:
        return [name_pools.load_shares(SURNAME)]
    return [name_pools.load_shares(gender) for gender in name_pools.genders_of(kind)]


class Listed(NamedTuple):
    """A listed name with its per cent of people, its band and its regions."""

    name: str
    share: float
    band: int
    regions: Regions


@cache
def list_names(kind: str, initial: Initial) -> tuple[Listed, ...]:
    """The names of a kind with this initial."""
    found = []
    for name in name_pools.load_pool(kind).get(initial, ()):
        share = find_share(fold(name), kind) or LEAST
        found.append(Listed(name, share, band_of(share), load_regions().get(fold(name), ELSEWHERE)))
    return tuple(found)


@cache
def load_pool(kind: str, band: int, initial: Initial, regions: Regions = ELSEWHERE) -> Pool | None:
    """The names of a kind in a band, or in all bands for -1; from some regions if there are any. None
    without a name."""
    weights = {
        each.name: weight
        for each in list_names(kind, initial)
        if band in (-1, each.band) and (weight := weigh_name(each, regions))
    }
    return Pool(tuple(weights), tuple(accumulate(weights.values()))) if weights else None


def weigh_name(listed: Listed, regions: Regions) -> int:
    """The weight of a name: its share of people, times the share of ``regions`` that it has in common."""
    common = len(listed.regions & regions) / len(listed.regions | regions) if regions else 1.0
    return max(1, round(listed.share * UNIT * common)) if common else 0


@cache
def load_regions() -> Mapping[str, Regions]:
    """The regions of each folded name of the regional lists."""
    found: dict[str, set[str]] = defaultdict(set)
    for entry in name_pools.read_entries("regional_names"):
        region, _, name = entry.split("|")
        found[fold(name)].add(region)
    return {name: frozenset(regions) for name, regions in found.items()}


# Names in no list


def invent_name(kind: str, initial: Initial, choices: KeyedChoices, *key: object) -> str:
    """Invent a name whose letters follow one another as in the listed names of the kind.

    >>> made = invent_name(name_pools.SURNAME, "K", KeyedChoices(b"secret", "7"), "x")
    >>> made[0], made.istitle(), fold(made) in name_pools.load_folded("surnames")
    ('K', True, False)
    """
    made = initial
    for attempt in range(BAND_TRIES):
        made = join_letters(kind, initial, choices, *key, attempt)
        if SHORTEST <= len(made) <= LONGEST and not is_known(fold(made)):
            break
    return made


def join_letters(kind: str, initial: Initial, choices: KeyedChoices, *key: object) -> str:
    """Add letters until the end of a word is drawn."""
    chain, made = load_chain(SURNAME if kind not in (FEMALE, MALE) else kind), initial.lower()
    while len(made) <= LONGEST:
        pool = next((chain[made[-n:]] for n in range(ORDER, 0, -1) if made[-n:] in chain), None)
        letter = END if pool is None else pool.draw(choices, "letter", *key, made)
        if letter == END and len(made) >= SHORTEST:
            break
        made += letter if letter != END else choices.choose("aeinr", "vowel", *key, made)
    return made.capitalize()


@cache
def load_chain(kind: str) -> Mapping[str, Pool]:
    """The letters, or the end, that follow each run of up to :data:`ORDER` letters in the names of a
    kind."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for name in sum(name_pools.load_pool(kind).values(), ()):
        word = fold(name) + END
        for at in range(1, len(word)):
            for length in range(1, min(ORDER, at) + 1):
                counts[word[at - length : at]][word[at]] += 1
    return {run: build_pool(followers.items()) for run, followers in counts.items()}


def build_pool(weighted: Iterable[tuple[str, int]]) -> Pool:
    names, weights = zip(*sorted(weighted))
    return Pool(names, tuple(accumulate(weights)))


def is_known(name: str) -> bool:
    """Whether a folded word is a listed name or a common or medical word."""
    lists = ("surnames", "first_names", "common_words", "medical_words", "eponyms")
    return any(name in name_pools.load_folded(list) for list in lists)
