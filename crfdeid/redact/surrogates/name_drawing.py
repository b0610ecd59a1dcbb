"""Draw surrogates of names as people bear them, so that readers cannot tell them from missed names.

A name is drawn by the share of people who have it, out of the names that begin with the same letter. The
shares come from the US Census 1990. One draw in seven is from the whole population; the others are from
the band of the real name: frequent, known, rare, only in other lists, or in no list. So a release has about
as many rare and unlisted names among its surrogates as among its real names. The band of a surrogate
therefore says a little about the real name; a surrogate that is always frequent where the missed names are
rare would say more.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate, compress
from string import ascii_lowercase
from typing import NamedTuple

import numpy as np

from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import fold, fold_each
from crfdeid.lexicon.word_lists import FEMALE, LEAST, MALE, SURNAME
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices

BANDS = (0.1, 0.01, 0.001, 0.0)  # per cent of people, at least: frequent, known, rare, not in the census
UNLISTED = len(BANDS)
FROM_BAND = 85  # of 100 draws
UNLISTED_IN_POPULATION = 10  # of 100 people have a name that the census leaves out (it covers 90%)
BAND_TRIES = 20  # draws from one band before the others are tried
UNIT = 10_000  # weights are whole numbers: a share of 0.0001 per cent is 1
ORDER = 3  # letters that decide the next one of an invented name
SHORTEST, LONGEST = 4, 10  # letters of an invented name
END = "$"
LETTERS = END + ascii_lowercase

MIN_REGIONAL = 5  # names of an initial; with fewer, the names of all regions are drawn from
MAX_REGIONS = 3  # a name of more regions is at home everywhere

Initial = str
Regions = int  # a bit for each region
ELSEWHERE: Regions = 0


class Pool(NamedTuple):
    """Names with the running totals of their weights."""

    names: Sequence[str]
    totals: Sequence[int]

    def draw(self, choices: KeyedChoices, *key: object) -> str:
        """Draw a name by weight."""
        return self.names[bisect_right(self.totals, choices.draw_number(self.totals[-1], *key))]


def draw_name(name: str, kind: str, initial: Initial, choices: KeyedChoices, number: int) -> str:
    """Draw a surrogate of the folded ``name`` that begins with ``initial``. Each ``number`` gives another
    draw.

    >>> draw_name("smith", word_lists.SURNAME, "J", KeyedChoices(b"secret", "7"), 0)[0]
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
    regions = find_regions(name)
    is_regional = is_from_band and regions.bit_count() <= MAX_REGIONS
    return find_pool(kind, band, initial, regions if is_regional else ELSEWHERE).draw(choices, *key)


def find_pool(kind: str, band: int, initial: Initial, regions: Regions = ELSEWHERE) -> Pool:
    """The names of a band with this initial, from the regions of the real name if they have enough; without
    any, those of the next band, or of all bands. Band -1 is the whole population."""
    for each in (band, -1) if regions else ():
        if (pool := load_pool(kind, each, initial, regions)) and len(pool.names) >= MIN_REGIONAL:
            return pool
    # There are names of every kind with every letter that a surrogate begins with.
    return next(pool for each in (band, band + 1, -1) if (pool := load_pool(kind, each, initial)))


def find_band(name: str, kind: str) -> int:
    """The number of the band of a folded name: 0 for frequent names, :data:`UNLISTED` for names in no list.

    >>> [find_band(name, word_lists.SURNAME) for name in ("smith", "ellsworth", "zanzibarova")]
    [0, 2, 4]
    """
    share = find_share(name, kind)
    return UNLISTED if share is None else band_of(share)


def band_of(share: float) -> int:
    """The band of a share of people, in per cent."""
    return len(BANDS) - bisect_right(BANDS[::-1], share)


def find_share(name: str, kind: str) -> float | None:
    """The share, in per cent, of people who have the folded name; None for a name in no list."""
    share = load_shares(kind).get(name)
    if share is not None:
        return share
    return LEAST if word_lists.is_listed(name) else None


@cache
def load_shares(kind: str) -> Mapping[str, float]:
    """The share of people who have each folded name of a kind: the largest if several genders have it."""
    if kind == SURNAME:
        return word_lists.load_shares(SURNAME)
    first, *others = (word_lists.load_shares(gender) for gender in word_lists.genders_of(kind))
    for other in others:
        first = {**first, **{name: max(share, first.get(name, share)) for name, share in other.items()}}
    return first


class Listed(NamedTuple):
    """Listed names, and for each its per cent of people, its band and its regions."""

    names: np.ndarray
    shares: np.ndarray
    bands: np.ndarray
    regions: np.ndarray


@cache
def list_names(kind: str, initial: Initial) -> Listed:
    """The names of a kind with this initial."""
    names = list(dict.fromkeys(word_lists.load_pool(kind).get(initial, ())))
    folded_names, found = fold_each(names), load_shares(kind)
    shares = np.array([found.get(folded) or LEAST for folded in folded_names])
    bands = len(BANDS) - np.searchsorted(BANDS[::-1], shares, side="right")
    regions = read_regions()[1]
    homes = np.array([regions.get(folded, ELSEWHERE) for folded in folded_names], int)
    return Listed(np.array(names, object), shares, bands, homes)


@cache
def load_pool(kind: str, band: int, initial: Initial, regions: Regions = ELSEWHERE) -> Pool | None:
    """The names of a kind in a band, or in all bands for -1; from some regions if there are any. None
    without a name. The weight of a name is its share of people, times the share of ``regions`` that it has
    in common."""
    listed = list_names(kind, initial)
    is_in = (listed.bands == band) | (band == -1)
    if regions:
        is_in &= (listed.regions & regions) != 0
    chosen = np.flatnonzero(is_in)
    common = measure_common(listed.regions[chosen], regions) if regions else 1.0
    weights = np.maximum(1, np.rint(listed.shares[chosen] * UNIT * common)).astype(np.int64)
    return Pool(listed.names[chosen].tolist(), np.cumsum(weights).tolist()) if len(chosen) else None


def measure_common(others: np.ndarray, regions: Regions) -> np.ndarray:
    """The share of ``regions`` that each of the ``others`` has in common.

    >>> measure_common(np.array([0b011, 0b110]), 0b001).tolist()
    [0.5, 0.0]
    """
    both = {other: ((other & regions).bit_count(), other | regions) for other in {*others.tolist()}}
    return np.array([both[other][0] / both[other][1].bit_count() for other in others.tolist()])


@cache
def read_regions() -> tuple[Mapping[str, Regions], Mapping[str, Regions]]:
    """The bit of each region by its name, and the regions of each folded name of the regional lists."""
    cells = "|".join(word_lists.read_entries("regional_names")).split("|")
    regions, names = cells[::3], cells[2::3]
    bits = {region: 1 << number for number, region in enumerate(dict.fromkeys(regions))}
    found: dict[str, Regions] = {}
    for region, name in zip(regions, fold_each(names)):
        found[name] = found.get(name, ELSEWHERE) | bits[region]
    return bits, found


def find_regions(name: str) -> Regions:
    """The regions of a folded name, :data:`ELSEWHERE` for a name of no regional list."""
    return read_regions()[1].get(name, ELSEWHERE)


# Names in no list


def invent_name(kind: str, initial: Initial, choices: KeyedChoices, *key: object) -> str:
    """Invent a name whose letters follow one another as in the listed names of the kind.

    >>> made = invent_name(word_lists.SURNAME, "K", KeyedChoices(b"secret", "7"), "x")
    >>> made[0], made.istitle(), fold(made) in word_lists.load_folded("surnames")
    ('K', True, False)
    """
    made = initial
    for attempt in range(BAND_TRIES):
        made = join_letters(kind, initial, choices, *key, attempt)
        if SHORTEST <= len(made) <= LONGEST and not is_known(fold(made)):
            break
    return made


def join_letters(kind: str, initial: Initial, choices: KeyedChoices, *key: object) -> str:
    """Add letters until the end of a word is drawn. The first ones are those that names begin with."""
    kind, made = SURNAME if kind not in (FEMALE, MALE) else kind, initial.lower()
    while len(made) <= LONGEST:
        pool = find_followers(kind, (END + made)[-ORDER:])
        letter = END if pool is None else pool.draw(choices, "letter", *key, made)
        if letter == END and len(made) >= SHORTEST:
            break
        made += letter if letter != END else choices.choose("aeinr", "vowel", *key, made)
    return made.capitalize()


@cache
def find_followers(kind: str, run: str) -> Pool | None:
    """The letters, or the end, that follow a run of up to :data:`ORDER` letters in the names of a kind; if
    none do, those that follow its last letters. A run may begin with the end of the name before."""
    for start in range(len(run)):
        counts = count_followers(kind)[len(run) - start - 1][encode_letters(run[start:])].tolist()
        if any(counts):
            return Pool(list(compress(LETTERS, counts)), list(accumulate(filter(None, counts))))
    return None


@cache
def count_followers(kind: str) -> tuple[np.ndarray, ...]:
    """How often each letter, or the end, follows each run of letters in the names of a kind: for each length
    of a run an array [runs, letters]. The number of a run has its letters as digits. Runs with the end of
    a name before them are the beginnings of names."""
    joined = END.join(["", *fold_each(word_lists.list_pool(kind)), ""])
    numbers = np.zeros(128, np.int64)
    numbers[list(LETTERS.encode())] = range(len(LETTERS))
    letters = numbers[np.frombuffer(joined.encode(), np.uint8)]
    counts, runs = [], np.zeros(len(letters), np.int64)
    for length in range(1, ORDER + 1):
        runs = runs[:-1] * len(LETTERS) + letters[length - 1 : -1]
        pairs = runs * len(LETTERS) + letters[length:]
        table = np.bincount(pairs, minlength=len(LETTERS) ** (length + 1)).astype(np.int32)
        counts.append(table.reshape(len(LETTERS) ** length, len(LETTERS)))
    return tuple(counts)


def encode_letters(run: str) -> int:
    """The number of a run of letters, which has them as its digits.

    >>> encode_letters("b"), encode_letters("ba")
    (2, 55)
    """
    number = 0
    for letter in run:
        number = number * len(LETTERS) + LETTERS.index(letter)
    return number


def is_known(name: str) -> bool:
    """Whether a folded word is a listed name or a common or medical word."""
    lists = ("surnames", "first_names", "common_words", "medical_words", "eponyms")
    return any(name in word_lists.load_folded(list) for list in lists)
