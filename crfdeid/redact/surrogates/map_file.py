"""A map file that a run has open: it belongs to this run and grows by an entry per patient.

An entry is on the disk before its function returns, so that a note that goes out afterwards is in the map
even if the run is killed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crfdeid import files
from crfdeid.redact.surrogates import surrogate_map
from crfdeid.redact.surrogates.patient_facts import PatientHistory
from crfdeid.redact.surrogates.sealed_entries import EntryCipher
from crfdeid.redact.surrogates.surrogate_map import MapError, SurrogateMap


class MapFile:
    """An open map. ``descriptor`` is locked; ``size`` is the end of the last entry."""

    def __init__(
        self, path: Path, descriptor: int, map: SurrogateMap, cipher: EntryCipher, entries: int, size: int
    ) -> None:
        self.path, self.map, self.entries, self.size = path, map, entries, size
        self._descriptor, self._cipher = descriptor, cipher

    def append(self, id: str, history: PatientHistory) -> None:
        """Add a patient's history and wait until it is on the disk. Raises :class:`MapError`."""
        self.refuse_changed()
        entry = self._cipher.seal(self.entries, surrogate_map.encode_history(id, history))
        try:
            write_at(self._descriptor, entry, self.size)
            os.fsync(self._descriptor)
        except OSError as error:
            raise MapError(f"{self.path}: cannot be written: {error.strerror or error}") from None
        self.entries += 1
        self.size += len(entry)

    def refuse_changed(self) -> None:
        """Raise :class:`MapError` unless the path is still this file, with what this run wrote."""
        try:
            same = os.path.samestat(os.stat(self.path), os.fstat(self._descriptor))
        except OSError:
            same = False
        if not same or os.fstat(self._descriptor).st_size != self.size:
            raise MapError(f"{self.path}: another run changed it; further surrogates would not be in it")


def write_at(descriptor: int, data: bytes, at: int) -> None:
    while data:
        count = os.pwrite(descriptor, data, at)
        data, at = data[count:], at + count


@contextmanager
def open_map(path: Path, key: bytes) -> Iterator[MapFile]:
    """Open a map for a run. A last entry that was not written to its end is removed; a map of version 1 is
    rewritten. When the run ends well, a map whose entries are mostly replaced by later ones is rewritten.
    Raises :class:`MapError` for a map that is damaged, that another run uses, or that it changed."""
    if surrogate_map.is_old(path):
        surrogate_map.write_map(surrogate_map.read_map(path, key), path, key)
    with lock_file(path) as descriptor:
        loaded = surrogate_map.load_map(path, key)
        assert loaded.cipher is not None
        if os.fstat(descriptor).st_size > loaded.end:
            os.ftruncate(descriptor, loaded.end)
            os.fsync(descriptor)
        opened = MapFile(path, descriptor, loaded.map, loaded.cipher, loaded.entries, loaded.end)
        opened.refuse_changed()
        yield opened
        opened.refuse_changed()
        if opened.entries > 2 * len(opened.map.patients) + 1:
            surrogate_map.write_map(opened.map, path, key)


@contextmanager
def lock_file(path: Path) -> Iterator[int]:
    """Open the file and lock it until the block ends. Raises :class:`MapError` if another run has it."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    except OSError as error:
        raise MapError(f"{path}: {error.strerror or error}") from None
    try:
        refuse_locked(path, descriptor)
        with files.own_lock(descriptor):
            yield descriptor
        files.unlock(descriptor)
    finally:
        os.close(descriptor)


def refuse_locked(path: Path, descriptor: int) -> None:
    try:
        if files.try_lock(descriptor):
            return
    except OSError as error:
        raise MapError(f"{path}: cannot be locked: {error.strerror or error}") from None
    raise MapError(f"{path}: another run uses this map")
