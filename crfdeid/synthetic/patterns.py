"""The shapes of names, dates, numbers and places: ``patterns/*.txt``.

``@pattern KIND`` begins a kind; each line below it is a weight, a space and a pattern.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

from crfdeid.files import read_text
from crfdeid.synthetic.train_test_parts import weighted


@cache
def all_kinds() -> dict[str, tuple[tuple[float, str], ...]]:
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


def pattern(kind: str, rng: Random) -> str:
    """One pattern of the kind, by weight."""
    return weighted(rng, all_kinds()[kind])
