"""The orders of the lists of notes: of those to read, and of those to decide.

A model learns most from notes of which it is least sure (uncertainty sampling: Lewis & Gale 1994, SIGIR);
its doubt of a note is the expected number of wrong spans. Figures that are to hold for all notes need notes
at random instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from crfdeid.review.study.errors import InvalidValueError
from crfdeid.review.study.study import Json

Orders = Mapping[str, Callable[[Json], Any] | None]  # the key by which rows are sorted; None leaves them


def measure_doubt(row: Json) -> float:
    """The expected number of wrong pre-marks; 0 where the model gave no probabilities."""
    return row["uncertainty"] or 0.0


def measure_density(row: Json) -> float:
    return measure_doubt(row) / max(1, row["words"])


def scatter(row: Json) -> bytes:
    """A place at random, the same each time and for every reader."""
    return sha256(f"{row['number']}".encode()).digest()


SHARED: dict[str, Callable[[Json], Any] | None] = {
    "given": None,
    "long": lambda row: -row["words"],
    "short": lambda row: row["words"],
    "patient": lambda row: row["patient"] or "",
}
TO_READ: Orders = SHARED | {
    "uncertainty": lambda row: (row["done"], -measure_doubt(row)),
    "density": lambda row: (row["done"], -measure_density(row)),
    "random": scatter,
    "marks": lambda row: -row["marks"],
}
TO_DECIDE: Orders = SHARED | {
    "unsure": lambda row: -row["unsure"],
    "disagreement": lambda row: (row["stage"] == "done", -(row["differences"] or 0)),
    "left": lambda row: -row["undecided"],
}


def sort_rows(rows: list[Json], orders: Orders, order: str) -> None:
    """Sort the rows of a list; those that are equal stay as given. Raises :class:`InvalidValueError`."""
    if order not in orders:
        raise InvalidValueError(f"an order is one of {', '.join(orders)}")
    if key := orders[order]:
        rows.sort(key=key)
