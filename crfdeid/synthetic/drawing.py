"""Drawing from lists and patterns, within the train or the test part.

A name, place or frame always belongs to the same part, by a hash of its text, so that a score on the
test part does not measure memory. A pattern (``patterns/*.txt``) is a shape of names, dates, numbers or
places: ``@pattern KIND`` begins a kind; each line below it is a weight, a space and a pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from random import Random
from typing import TypeVar
from zlib import crc32

from crfdeid import files
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.files import read_text
from crfdeid.text.gazetteer import read_entries

PARTS = ("train", "test", "all")
TEST_SHARE = 5  # one in five is in the test part
Item = TypeVar("Item")


def check_part(part: str) -> None:
    """Raise :class:`ConfigurationError` if there is no such part."""
    if part not in PARTS:
        raise ConfigurationError(
            f"{part}: no such part{did_you_mean(part, PARTS)}; wanted train, test or all"
        )


def is_in_part(text: str, part: str) -> bool:
    """Whether ``text`` can occur in ``part``. Case does not matter.

    >>> [sum(is_in_part(f"name {n}", part) for n in range(100)) for part in PARTS]
    [82, 18, 100]
    """
    return part == "all" or (crc32(text.lower().encode()) % TEST_SHARE == 0) == (part == "test")


def draw(part: str, make: Callable[[], str]) -> str:
    """Call ``make`` until its text is in ``part``. Raises :class:`ConfigurationError` after 200 calls."""
    for _ in range(200):
        if is_in_part(text := make(), part):
            return text
    raise ConfigurationError(f"part {part}: none of 200 drawn texts belongs to it")


@cache
def read_list(name: str, part: str = "all") -> tuple[str, ...]:
    """Read the entries of a list that belong to ``part``: of ``lists/NAME.txt``, else of a shipped
    gazetteer; none if there is no such file."""
    own = Path(__file__).parent / "lists" / f"{name}.txt"
    path = own if own.is_file() else files.find_folder("gazetteers") / f"{name}.txt"
    return tuple(entry for entry in read_entries(path) if is_in_part(entry, part)) if path.is_file() else ()


def choose_weighted(rng: Random, choices: Iterable[tuple[float, Item]]) -> Item:
    """Choose an item from pairs ``(weight, item)``."""
    weights, items = zip(*choices)
    return rng.choices(items, weights)[0]


@cache
def read_patterns() -> dict[str, tuple[tuple[float, str], ...]]:
    """Read the weights and patterns of each kind."""
    found: dict[str, list[tuple[float, str]]] = {}
    for path in sorted((Path(__file__).parent / "patterns").glob("*.txt")):
        kind = ""
        for line in read_text(path).splitlines():
            if line.startswith("@pattern "):
                kind = line.split()[1]
            elif line and not line.startswith("# "):
                weight, _, pattern = line.partition(" ")
                found.setdefault(kind, []).append((float(weight), pattern))
    return {kind: tuple(rows) for kind, rows in found.items()}


def choose_pattern(kind: str, rng: Random) -> str:
    """Choose a pattern of the kind by weight."""
    return choose_weighted(rng, read_patterns()[kind])
