"""The sampling frame of a release, the random sample that is drawn from it, and notes that must not be in it.

Each note has the same chance to be drawn. Notes are in the order of their strata; inside a stratum patients
are in random order, and a patient's notes are together in random order. The sample takes notes at equal steps
from a random start, so each stratum has its share and a patient's notes are spread. Exact binomial bounds
stay valid: a spread sample varies less than a binomial one (Hoeffding 1956, Ann. Math. Stat. 27:713).

Notes that tuned a model or a threshold are refused.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from crfdeid import corpora
from crfdeid.corpora.storage import open_text
from crfdeid.errors import ConfigurationError, show_id
from crfdeid.systems import model_folder
from crfdeid.systems.model import hash_id, hash_notes, hash_text, read_model_hashes, read_note_hashes
from crfdeid.systems.tagger import JOIN
from crfdeid.text.document import Document

HELP = (
    "notes that trained or tuned the model or the threshold: a model's folder or name, what certify choose "
    "has written, or a corpus"
)

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


def count_patients(units: Iterable[Unit]) -> int:
    """Count the patients that notes name; a note without one is not a patient."""
    return len({unit.patient for unit in units if unit.patient.startswith("patient ")})


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


def read_tuning_list(path: Path) -> set[str]:
    """Read the hashes of a model's folder or of what ``certify choose`` has written, or hash the notes of a
    corpus. Raises :class:`ConfigurationError` where a model has no list."""
    if folders := list_model_folders(path):
        return {hash for folder in folders for hash in read_hashes(folder)}
    if path.suffix == ".json" and path.is_file() and (hashes := read_note_hashes(path)) is not None:
        return set(hashes)
    return set(hash_notes(corpora.read(path)))


def list_model_folders(path: Path) -> list[Path]:
    """Return the folders of a model, or of those that its name joins by "+", without systems that learn
    nothing; none where the path is not a model."""
    names = [str(path)] if path.exists() else str(path).split(JOIN)
    folders = map(model_folder.find_folder, names)
    return [folder for folder in folders if (folder / "manifest.json").is_file()]


def read_hashes(folder: Path) -> list[str]:
    model_folder.check_files(folder)
    hashes = read_model_hashes(folder)
    if hashes is None:
        raise ConfigurationError(
            f"{folder}: has no list of the notes that trained it (a model for sharing, or of an earlier "
            "version); wanted its training corpus"
        )
    return hashes


def refuse_tuning_notes(documents: Sequence[Document], paths: Iterable[Path]) -> int | None:
    """Return how many hashes the lists have, None without a list. Raises :class:`ConfigurationError` where a
    note of the release is in a list, by its id or its text."""
    lists = [read_tuning_list(path) for path in paths]
    if not lists:
        return None
    known = set().union(*lists)
    found = sum(hash_id(note.id) in known or hash_text(note.text) in known for note in documents)
    if found:
        raise ConfigurationError(
            f"{found} of {len(documents)} notes of the release tuned the model or the threshold; "
            "wanted a release without them"
        )
    return len(known)
