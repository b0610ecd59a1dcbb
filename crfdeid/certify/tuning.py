"""Notes that tuned a model or a threshold: a sample must not have them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from crfdeid import corpora
from crfdeid.certify.sampling import hash_id, hash_text
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.files import read_text
from crfdeid.text.document import Document

LIST = "tuned_notes"  # the key of the hashes, in what certify choose writes


def hash_notes(documents: Iterable[Document]) -> list[str]:
    """The hashes of ids and texts, sorted."""
    return sorted({hash for note in documents for hash in (hash_id(note.id), hash_text(note.text))})


def read_tuning_list(path: Path) -> set[str]:
    """Read the hashes that ``certify choose`` has written, or hash the notes of a corpus."""
    if path.suffix == ".json" and path.is_file():
        try:
            found = json.loads(read_text(path))
        except ValueError:
            raise FormatError(f"{path}: malformed JSON") from None
        if isinstance(found, dict) and isinstance(found.get(LIST), list):
            return set(map(str, found[LIST]))
    return set(hash_notes(corpora.read(path)))


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
