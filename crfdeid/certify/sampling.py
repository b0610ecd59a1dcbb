"""The sampling frame of a release, and the random sample that is drawn from it.

Each note has the same chance to be drawn. Notes are in the order of their strata; inside a stratum patients
are in random order, and a patient's notes are together in random order. The sample takes notes at equal steps
from a random start, so each stratum has its share and a patient's notes are spread. Exact binomial bounds
stay valid: a spread sample varies less than a binomial one (Hoeffding 1956, Ann. Math. Stat. 27:713).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from crfdeid.corpora.storage import open_text
from crfdeid.errors import ConfigurationError, show_id
from crfdeid.text.document import Document

EVERYTHING = "all notes"  # the stratum where there are no columns


@dataclass(frozen=True)
class Unit:
    """One note of the frame."""

    id: str
    patient: str
    stratum: str


def name_patient(document: Document) -> str:
    """Return a name for the cluster of a note: its patient, or the note where it has none."""
    return f"patient {document.patient}" if document.patient is not None else f"note {document.id}"


def build_frame(documents: Iterable[Document], strata: Mapping[str, str] | None = None) -> list[Unit]:
    """Return the notes of a release with their strata. Raises :class:`ConfigurationError` for a note that the
    table of strata does not have."""
    units = []
    for number, document in enumerate(documents, 1):
        stratum = EVERYTHING if strata is None else strata.get(document.id)
        if stratum is None:
            shown = show_id(document.id, f"number {number}")
            raise ConfigurationError(f"--strata: no row for note {shown}; wanted one for each note")
        units.append(Unit(document.id, name_patient(document), stratum))
    return units


def read_strata(path: Path, columns: Sequence[str], id_column: str = "id") -> dict[str, str]:
    """Read the stratum of each note from the columns of a CSV table: their values, joined by `` · ``."""
    with open_text(path, "utf-8") as file:
        rows = csv.DictReader(file)
        for name in (id_column, *columns):
            if name not in (rows.fieldnames or ()):
                raise ConfigurationError(
                    f"{path}: no column {name}; wanted {id_column}, {', '.join(columns)}"
                )
        return {row[id_column]: " · ".join(row[name] or "none" for name in columns) for row in rows}


def draw_sample(frame: Sequence[Unit], number: int, seed: int) -> list[Unit]:
    """Return ``number`` notes in random order. The same frame, in any order, and seed give the same notes."""
    if number > len(frame):
        raise ConfigurationError(f"{number} notes of a release of {len(frame)}; wanted at most all of them")
    rng = Random(f"{seed} sample")
    ordered = order_frame(frame, rng)
    step, start = len(ordered) / number, rng.random()
    drawn = [ordered[int((start + index) * step)] for index in range(number)]
    rng.shuffle(drawn)
    return drawn


def order_frame(frame: Sequence[Unit], rng: Random) -> list[Unit]:
    """Return the frame by stratum; patients inside it, and notes inside these, in random order."""
    units = sorted(frame, key=lambda unit: unit.id)
    rng.shuffle(units)
    patients = sorted({unit.patient for unit in units})
    rng.shuffle(patients)
    place = {patient: number for number, patient in enumerate(patients)}
    return sorted(units, key=lambda unit: (unit.stratum, place[unit.patient]))
