"""A model on the driver and on the workers: the same one, or an error.

The workers have the shipped models and the systems that learn nothing; they are named. A model folder goes to
them as an archive. The manifest of a model has the checksum of each of its files: a worker compares it with
the driver's, and the files with it, so no worker tags with another model.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from crfdeid.errors import ModelError
from crfdeid.systems import model_folder, registry
from crfdeid.systems.tagger import JOIN

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Part:
    """One model of a union. ``name`` is what the driver knows it by, and a worker too, if no
    ``archive`` of that name was sent; ``digest`` is the manifest's SHA-256, if it has one."""

    name: str
    digest: str | None = None
    archive: str | None = None

    def locate(self) -> str:
        """Return what :func:`crfdeid.systems.model.load` knows the model by, in this process. Raises
        :class:`ModelError` where it is not the driver's model."""
        if self.archive:
            from pyspark import SparkFiles

            name = SparkFiles.get(self.archive)
        else:
            name = self.name
        if self.digest and hash_manifest(model_folder.find_folder(name)) != self.digest:
            raise ModelError(f"{name}: not the model of the driver; wanted the same version on each worker")
        return name


@dataclass(frozen=True)
class SharedModel:
    """A model or a union of models, for the driver and all workers."""

    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        """The name by which the driver knows the model."""
        return JOIN.join(part.name for part in self.parts)

    def locate(self) -> str:
        """Return the name or folder of the model in this process, as :meth:`Part.locate` does."""
        return JOIN.join(part.locate() for part in self.parts)


def share_model(session: SparkSession, name: str | Path) -> SharedModel:
    """Send the folders of the model ``name`` to the workers of the session. Raises :class:`ModelError` where
    there is no such model."""
    parts = [str(name)] if Path(name).exists() else str(name).split(JOIN)
    return SharedModel(tuple(share_part(session, part) for part in parts))


def share_part(session: SparkSession, name: str) -> Part:
    """Send a folder, or name a model that the workers have."""
    if not Path(name).exists() and registry.is_untrained(name):
        return Part(name)
    folder = model_folder.find_folder(name)
    digest = hash_manifest(folder)
    if not Path(name).is_dir():
        return Part(name, digest)
    archive = f"crfdeid-{digest[:16]}"
    session.sparkContext.addArchive(f"{pack_folder(folder, archive)}#{archive}")
    return Part(name, digest, archive)


@cache
def pack_folder(folder: Path, name: str) -> str:
    """Pack a folder into an archive that is there until this process ends, because executors that start
    later fetch it too. Return its path."""
    place = tempfile.mkdtemp(prefix="crfdeid-models-")
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return shutil.make_archive(str(Path(place) / name), "zip", folder)


def hash_manifest(folder: Path) -> str:
    """Return the SHA-256 of a model's manifest. Raises :class:`ModelError` where there is none."""
    if not (folder / MANIFEST).is_file():
        raise ModelError(f"{folder}: no model here (no readable {MANIFEST})")
    return model_folder.hash_file(folder / MANIFEST)
