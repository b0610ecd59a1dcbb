"""Train, save and load a tagger of any system (:mod:`crfdeid.systems.registry`)."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

from crfdeid import resources
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError, DocumentError, ModelError, Stopped
from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.systems import model_folder, registry
from crfdeid.text import scheme
from crfdeid.text.document import Document
from crfdeid.text.scheme import Scheme

DEFAULT = "english"
CAREFUL = "english+rules"  # what either finds: for notes that leave the house
JOIN = "+"


class Tagger(Protocol):
    """What every system gives: ``tag`` answers with the spans found in place of any that the
    document had."""

    folder: Path
    pipeline: Pipeline
    scheme: Scheme

    def tag(self, document: Document) -> Document: ...


def load(folder: Path | str | None = None, engine: str = "fast") -> Tagger:
    """The model in ``folder``, or the shipped one; where there is no such folder, a shipped model or a
    system that learns nothing by its name, or several joined by "+" (:mod:`crfdeid.systems.union`). Raises
    :class:`ModelError` where it is incomplete, damaged, or of a newer format."""
    name = str(folder)
    if folder is not None and not Path(name).exists():
        if JOIN in name:
            from crfdeid.systems.union import Union

            first, *others = name.split(JOIN)
            return Union([load(first, engine), *map(load, others)])
        if name in registry.UNTRAINED:
            return untrained(name)
    place = resources.find_folder("models") / DEFAULT if folder is None else model_folder.named(name)
    line = model_folder.opened(place)
    system = line.config.system
    return registry.module(system).load(place, line, **with_engine(system, engine))


def untrained(name: str) -> Tagger:
    """A system that learns nothing, without a folder of its own."""
    settings = Config(system=name)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / name
        line = model_folder.lay_out(folder, [], settings)
        registry.module(name).train(line, [], folder, lambda number, loss: None)
        return registry.module(name).load(folder, line)


def tag_all(tagger: Tagger, documents: Iterable[Document]) -> Iterator[Document]:
    """The documents with the spans found, in order; some are read ahead where the system tags
    several at once, and notes of one patient that follow each other are seen together where
    it can use that."""
    if many := getattr(tagger, "tag_all", None):
        return many(documents)
    if together := getattr(tagger, "tag_patient", None):
        patients = groupby(documents, key=lambda document: document.patient or document.id)
        return (found for _, notes in patients for found in together(list(notes)))
    return map(tagger.tag, documents)


def train(
    documents: Sequence[Document],
    settings: Config,
    folder: Path | str,
    on_iteration: Callable[[int, float], None] = lambda number, loss: None,
    engine: str = "fast",
    overwrite: bool = False,
    resume: bool = False,
) -> Tagger:
    """Train on ``documents`` and leave a model in ``folder``, whole or not at all.

    ``on_iteration`` receives the number and the loss of each iteration. ``resume`` continues from the
    model in ``folder``. Raises :class:`ConfigurationError` on settings that the system does not have;
    :class:`DocumentError` where the documents have no span, or spans overlap and the configuration refuses
    that; :class:`SchemeError` on a type that the scheme does not have; :class:`Stopped` on Ctrl-C, where
    the system can keep what it has learned so far.
    """
    registry.check(settings)
    folder = Path(folder)
    if folder.exists() and any(folder.iterdir()) and not (overwrite or resume):
        raise ModelError(f"{folder}: exists and is not empty; --overwrite replaces it")
    scheme.read_scheme(settings.scheme).check(documents)
    if settings.system not in registry.UNTRAINED and not any(document.spans for document in documents):
        raise DocumentError("no span in the training documents: nothing to learn from")
    how = with_engine(settings.system, engine) | (started(folder, settings) if resume else {})
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as name:
        building = Path(name) / "model"
        line = model_folder.lay_out(building, documents, settings)
        try:
            registry.module(settings.system).train(line, documents, building, on_iteration, **how)
        except Stopped:
            put(building, folder)
            raise Stopped(f"stopped; {folder} holds the model so far, --resume goes on from it") from None
        put(building, folder)
    return load(folder)


def put(building: Path, folder: Path) -> None:
    """The finished model in place of what is there."""
    model_folder.write_manifest(building)
    if folder.exists():
        shutil.rmtree(folder)
    building.rename(folder)


def started(folder: Path, settings: Config) -> dict[str, Any]:
    """The argument that names the model to go on from, once it is found whole and of these settings."""
    earlier = model_folder.opened(folder).config
    if settings.system != "crf":
        raise ConfigurationError(f"--resume: the system {settings.system} cannot go on")
    if settings.system != earlier.system:
        wanted = f"--resume cannot go on from it as {settings.system}"
        raise ModelError(f"{folder}: a model of the system {earlier.system}; {wanted}")
    features = tuple(templates.find(name).name for name in settings.features)
    if replace(settings, features=features, crf=earlier.crf) != earlier:
        raise ModelError(f"{folder}: was trained with other settings; --resume cannot go on from it")
    return {"start": folder}


def with_engine(system: str, engine: str) -> dict[str, Any]:
    """The argument that names an engine other than the default, which the CRF alone has."""
    if engine == "fast":
        return {}
    if system != "crf":
        raise ConfigurationError(f"engine {engine}: the system {system} has no other engine")
    return {"engine": engine}
