"""Notes that tuned a model or a threshold: a sample must not have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from crfdeid import corpora
from crfdeid.errors import ConfigurationError
from crfdeid.systems import model_folder
from crfdeid.systems.tuned_notes import hash_id, hash_notes, hash_text, read_list, read_model_list
from crfdeid.systems.union import JOIN
from crfdeid.text.document import Document

HELP = (
    "notes that trained or tuned the model or the threshold: a model's folder or name, what certify choose "
    "has written, or a corpus"
)


def read_tuning_list(path: Path) -> set[str]:
    """Read the hashes of a model's folder or of what ``certify choose`` has written, or hash the notes of a
    corpus. Raises :class:`ConfigurationError` where a model has no list."""
    if folders := list_model_folders(path):
        return {hash for folder in folders for hash in read_hashes(folder)}
    if path.suffix == ".json" and path.is_file() and (hashes := read_list(path)) is not None:
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
    hashes = read_model_list(folder)
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
