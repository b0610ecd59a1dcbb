"""The CRF: a system that is trained by the fast engine or by CRFsuite, and leaves CRFsuite's
own file."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pycrfsuite

from crfdeid.config import Config
from crfdeid.engine.arrays.batch import Batch, decode_spans
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.crfsuite_file import model_file
from crfdeid.engine.decoding import viterbi
from crfdeid.engine.decoding.decoder import AdaptiveDecoder
from crfdeid.engine.decoding.forward_backward import SpanConfidence, run_chain
from crfdeid.errors import ConfigurationError, ModelError
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.text import bio, scheme
from crfdeid.text.document import Document
from crfdeid.text.spans import trim_spans

CRFSUITE = "model.crfsuite"
BATCH = 60_000  # characters of documents that are tagged at once
FORBIDDEN = 1e4  # more than any scores can outweigh


class Model(AdaptiveDecoder):
    """A loaded CRF. ``engine`` is ``fast``, or ``crfsuite`` for the reference, which gives the
    same labels."""

    def __init__(self, folder: Path, pipeline: Pipeline, engine: str = "fast") -> None:
        self.folder, self.scheme = folder, scheme.read_scheme(folder / "scheme.toml")
        if not (folder / CRFSUITE).is_file():
            raise ModelError(f"{folder}: no CRF: {CRFSUITE} is missing")
        super().__init__(model_file.read(folder / CRFSUITE), pipeline)
        self.confidence = SpanConfidence(self.weights)
        self.crfsuite = pycrfsuite.Tagger() if engine == "crfsuite" else None
        if self.crfsuite:
            self.crfsuite.open(str(folder / CRFSUITE))

    def tag(self, document: Document, probabilities: bool = False) -> Document:
        """The document with the spans found, in place of any it had; each with its
        probability, if asked for (which takes several times as long)."""
        return self._tagged([document], probabilities)[0]

    def tag_all(self, documents: Iterable[Document], probabilities: bool = False) -> Iterator[Document]:
        """As :meth:`tag`, for many documents: some are held at once."""
        for some in batches(documents, BATCH):
            yield from self._tagged(some, probabilities)

    def best(self, document: Document, n: int) -> list[tuple[float, Document]]:
        """The ``n`` best labellings of the document as one sequence, with their probabilities, the
        best first. Raises :class:`ConfigurationError` where the experiment's sequences are smaller."""
        if self.pipeline.config.sequence != "document":
            raise ConfigurationError(f"n best of a document: sequence = {self.pipeline.config.sequence!r}")
        batch = self.batch([document])
        emissions, transitions = self.decoder.emissions(batch), self.weights.transitions
        total = run_chain(emissions, transitions).log_total if len(batch) else 0.0
        return [
            (math.exp(score - total), self._given(batch, np.array(path, np.int64))[0])
            for score, path in viterbi.find_n_best(emissions, transitions, n)
        ]

    def _given(self, batch: Batch, path: np.ndarray) -> list[Document]:
        found = decode_spans(batch, self.weights.labels, path)
        return [d.with_spans(trim_spans(d.text, s)) for d, s in zip(batch.documents, found)]

    def _tagged(self, documents: Sequence[Document], probabilities: bool) -> list[Document]:
        batch = self.batch(documents)
        path = self._crfsuite_path(batch) if self.crfsuite else self.decoder.path(batch)
        found = decode_spans(batch, self.weights.labels, path)
        if probabilities:
            found = self.confidence.add_probabilities(found, batch, self.decoder.emissions(batch))
        return [d.with_spans(trim_spans(d.text, s)) for d, s in zip(documents, found)]

    def _crfsuite_path(self, batch: Batch) -> np.ndarray:
        """The path as python-crfsuite finds it, from feature strings."""
        path = np.full(len(batch), NONE)
        number = {label: i for i, label in enumerate(self.weights.labels)}
        owners = batch.document[batch.first].tolist()
        page, base, latest = None, 0, NONE
        for owner, first, stop in zip(owners, batch.first.tolist(), batch.stop.tolist()):
            if owner != latest:
                page, base, latest = batch.page(owner), int(batch.bounds[owner]), owner
            features = self.pipeline.extractor.features(page, range(first - base, stop - base))
            path[first:stop] = [number[label] for label in self.crfsuite.tag(features)]
        return path


def batches(documents: Iterable[Document], characters: int) -> Iterator[Sequence[Document]]:
    """The documents in order, as lists of so many characters or a little more."""
    waiting: list[Document] = []
    size = 0
    for document in documents:
        waiting.append(document)
        size += len(document.text)
        if size >= characters:
            yield waiting
            waiting, size = [], 0
    if waiting:
        yield waiting


@dataclass(frozen=True)
class Options:
    """The CRF has none: its settings are CRFsuite's, in the table [crf]."""


def load(folder: Path, pipeline: Pipeline, engine: str = "fast") -> Model:
    """The CRF of a model's folder."""
    return Model(folder, pipeline, engine)


class _Trainer(pycrfsuite.Trainer):
    """Tells ``hear`` of each iteration what CRFsuite would print."""

    def hear_with(self, hear: Callable[[int, float], None]) -> None:
        self.hear, self.number = hear, 0

    def message(self, message: str) -> None:
        if match := re.match(r"\*{5} (?:Iteration|Epoch) #(\d+)", message):
            self.number = int(match[1])
        elif match := re.match(r"Loss: (\S+)", message):
            self.hear(self.number, float(match[1]))


def train(
    pipeline: Pipeline,
    documents: Sequence[Document],
    folder: Path,
    on_iteration: Callable[[int, float], None],
    engine: str = "fast",
    start: Path | None = None,
) -> None:
    """Train on ``documents``, from the model in the folder ``start`` on, and leave CRFsuite's model
    file in ``folder``. Ctrl-C raises :class:`Stopped` where there is a model to go on from."""
    settings, path = pipeline.config, folder / CRFSUITE
    fast = engine == "fast" and fast_engine(settings)
    if start and not fast:
        raise ConfigurationError("--resume: CRFsuite's own trainer cannot go on; the fast engine can")
    try:
        if fast:
            fit_fast(pipeline, documents, path, on_iteration, start)
        else:
            fit_crfsuite(pipeline, documents, path, on_iteration)
    finally:
        if path.is_file():
            give(path, settings, 1.0)


def give(path: Path, settings: Config, sign: float) -> None:
    """Give the model at ``path`` what is not learned: ``recall_bias`` is taken off the weight of O, and
    what ``constraints`` forbid loses :data:`FORBIDDEN`. With ``sign`` -1 this is undone."""
    if settings.recall_bias:
        lean(path, -sign * settings.recall_bias)
    if settings.constraints == "bio":
        forbidden = bio.list_illegal_pairs(model_file.read(path).labels)
        model_file.add_to_transitions(path, forbidden, -sign * FORBIDDEN)


def lean(path: Path, amount: float) -> None:
    """Add to the score that the model at ``path`` gives O, if it has that label (it may know
    nothing but PHI)."""
    if bio.OUTSIDE in model_file.read(path).labels:
        model_file.add_to_weight(path, "bias", bio.OUTSIDE, amount)


def fit_fast(
    pipeline: Pipeline,
    documents: Sequence[Document],
    path: Path,
    on_iteration: Callable[[int, float], None],
    start: Path | None,
) -> None:
    """The engine on arrays."""
    from crfdeid.engine.training import train as training
    from crfdeid.engine.training import training_set

    earlier = None
    if start:
        copy = path.with_name("start.crfsuite")
        copy.write_bytes((start / CRFSUITE).read_bytes())
        give(copy, pipeline.config, -1.0)
        earlier = model_file.read(copy)
        copy.unlink()
    training.train(
        training_set.build(pipeline, documents), pipeline.config.crf, path, on_iteration, start=earlier
    )


def fast_engine(settings: Config) -> bool:
    """Whether the fast engine can train this: numba is installed and knows the settings."""
    if find_spec("numba") is None:
        return False
    from crfdeid.engine.training import train as training

    return training.can_train(settings.algorithm, settings.crf)


def fit_crfsuite(
    pipeline: Pipeline, documents: Sequence[Document], path: Path, on_iteration: Callable[[int, float], None]
) -> None:
    """python-crfsuite, the reference."""
    trainer = _Trainer(algorithm=pipeline.config.algorithm)
    trainer.hear_with(on_iteration)
    trainer.set_params(pipeline.config.crf)
    for features, labels in pipeline.examples(documents):
        trainer.append(features, labels)
    trainer.train(str(path))
