"""How many notes must be read to show an aim: exact by Clopper–Pearson, with power."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from statistics import NormalDist

from crfdeid.certify.bounds import (
    assume_effect,
    bound_share_above,
    bound_share_below,
    split_error,
)
from crfdeid.errors import ConfigurationError

SECONDS = 87.0  # to read a note: Dorr et al. 2006, Methods of Information in Medicine 45:246
LARGEST = 10_000_000  # spans; a plan that needs more is not a plan
FEWEST_NOTES = 100  # of a sample


@dataclass(frozen=True)
class Aim:
    """The aim of a sample. ``aim`` and ``expected`` are shares of the PHI spans that are missed;
    ``spans`` is the mean number in a note, ``effect`` the design effect; ``plants`` is the number of planted
    leaks and ``sensitivity`` the share of them that readers are expected to find."""

    aim: float = 0.01
    confidence: float = 0.95
    expected: float = 0.003
    power: float = 0.8
    spans: float = 12.0
    effect: float = 3.0
    plants: int = 60
    sensitivity: float = 0.95
    looks: int = 1

    def __post_init__(self) -> None:
        shares = ("aim", "confidence", "power", "sensitivity")
        for name in shares:
            if not 0 < getattr(self, name) < 1 + (name == "sensitivity") * 1e-9:
                raise ConfigurationError(f"{name}: {getattr(self, name):g}; wanted a share between 0 and 1")
        if not 0 <= self.expected < 1:
            raise ConfigurationError(f"expected: {self.expected:g}; wanted a share of 0 or more, below 1")
        if self.spans <= 0 or self.effect < 1:
            raise ConfigurationError("wanted more than 0 spans a note, and a design effect of 1 or more")
        if self.looks not in (1, 2) or self.plants < 0:
            raise ConfigurationError("wanted 1 or 2 looks, and 0 or more plants")


@dataclass(frozen=True)
class ReadingPlan:
    """``spans`` are effective spans; the aim is shown where at most ``allowed`` of them are missed.
    ``effect`` is the design effect of the bound: at least what is assumed with so few misses."""

    spans: int
    allowed: int
    effect: float
    notes: int


def find_size(aim: float, expected: float, confidence: float, power: float) -> tuple[int, int] | None:
    """Return the smallest sample, and the misses allowed in it, whose upper Clopper–Pearson bound is at most
    ``aim`` with probability ``power`` where the true share is ``expected``. None if there is none.

    >>> find_size(0.01, 0, 0.95, 0.8)  # 1 − 0.05 ** (1 / 299) is the first below 0.01
    (299, 0)
    """
    if expected >= aim:
        return None
    from scipy.stats import binom

    allowed = 0
    while (size := find_size_for(allowed, aim, confidence)) <= LARGEST:
        if binom.cdf(allowed, size, expected) >= power:
            return size, allowed
        allowed += 1 if allowed < 200 else allowed // 50
    return None


def find_size_for(allowed: int, aim: float, confidence: float) -> int:
    """Return the smallest sample in which ``allowed`` misses show at most ``aim``."""
    low, high = allowed + 1, max(2 * allowed + 2, ceil(1 / aim))
    while bound_share_above(allowed, high, confidence) > aim:
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        if bound_share_above(allowed, middle, confidence) <= aim:
            high = middle
        else:
            low = middle + 1
    return low


def take_as_read(aim: Aim) -> tuple[float, float, float]:
    """Return aim, confidence and expected share where each leak is found, at one look of those planned."""
    return aim.aim, split_error(aim.confidence, aim.looks), aim.expected


def adjust_for_readers(aim: Aim) -> tuple[float, float, float]:
    """Return aim, confidence and expected share of what the readers find: half of the error goes to the lower
    bound of their sensitivity on the hard plants, which are half of them."""
    confidence = split_error(aim.confidence, 2 * aim.looks)
    hard = aim.plants - aim.plants // 2
    found = int(hard * aim.sensitivity)  # rounded down, to be careful
    return (
        aim.aim * bound_share_below(found, hard, confidence),
        confidence,
        aim.expected * aim.sensitivity,
    )


def make_plan(aim: Aim, corrected: bool = False) -> ReadingPlan | None:
    """Return the plan for an aim: as read, or ``corrected`` for readers who miss some leaks. None if no
    sample can show it, because as much is expected to be missed."""
    limit, confidence, expected = adjust_for_readers(aim) if corrected else take_as_read(aim)
    if limit <= 0 or (found := find_size(limit, expected, confidence, aim.power)) is None:
        return None
    spans, allowed = found
    effect = max(aim.effect, assume_effect(allowed))
    return ReadingPlan(spans, allowed, effect, max(FEWEST_NOTES, ceil(spans * effect / aim.spans)))


def find_hours(notes: int, seconds: float = SECONDS, readers: int = 1) -> float:
    return notes * seconds * readers / 3600


def estimate_instances(margin: float, share: float = 0.5, confidence: float = 0.95) -> int:
    """Return how many instances of PHI a test corpus needs to estimate a share within ``margin`` (Douglass
    2005, equation 3.1: the normal approximation, and no design effect; a share of 0.5 needs most). Raises
    :class:`ConfigurationError` on numbers that are not between 0 and 1.

    >>> estimate_instances(0.03)  # section 3.1: "at least 1068 instances"
    1068
    """
    for name, value in (("margin", margin), ("share", share), ("confidence", confidence)):
        if not 0 < value < 1:
            raise ConfigurationError(f"{name} = {value:g}: wanted a number between 0 and 1")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    return ceil(share * (1 - share) * (z / margin) ** 2)
