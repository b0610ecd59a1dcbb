"""The CRF: a system that is trained by the fast engine or by CRFsuite, and leaves CRFsuite's
own file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import pycrfsuite

from crfdeid import bio, scheme
from crfdeid.document import Document, Span
from crfdeid.engine import weights
from crfdeid.engine.confidence import Confidence
from crfdeid.engine.decoder import Decoder
from crfdeid.experiment import Experiment
from crfdeid.line import Line
from crfdeid.page import Page
from crfdeid.sentences import trim

CRFSUITE = "model.crfsuite"


class Model:
    """A loaded model; ``tag`` is all that a tagger needs. ``engine`` is ``fast``, or ``crfsuite``
    for the reference, which gives the same labels."""

    def __init__(self, folder: Path, line: Line, engine: str = "fast") -> None:
        self.folder, self.line = folder, line
        self.scheme = scheme.read(folder / "scheme.toml")
        found = weights.read(folder / CRFSUITE)
        self.decoder = Decoder(found, line.extractor)
        self.confidence = Confidence(found)
        self.crfsuite = pycrfsuite.Tagger() if engine == "crfsuite" else None
        if self.crfsuite:
            self.crfsuite.open(str(folder / CRFSUITE))

    def tag(self, document: Document, probabilities: bool = False) -> Document:
        """The document with the spans found, in place of any it had; each with its
        probability, if asked for (which takes several times as long)."""
        spans: list[Span] = []
        page, sequences = self.line.page(document)
        for sequence in sequences:
            labels = self.labels(page, sequence)
            found = bio.decode(page.tokens[sequence.start : sequence.stop], labels)
            if found and probabilities:
                found = self.confidence.given(found, self.decoder.emissions(page, sequence), labels)
            spans += found
        return document.with_spans(without_blanks(document.text, spans))

    def labels(self, page: Page, sequence: range) -> list[str]:
        """The BIO label of each token of a sequence."""
        if self.crfsuite:
            return self.crfsuite.tag(self.line.extractor.features(page, sequence))
        return self.decoder.labels(page, sequence)


def without_blanks(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans without white space at their ends (a line end can be labelled too)."""
    for span in spans:
        if edges := trim(text, span.start, span.end):
            yield replace(span, start=edges[0], end=edges[1])


@dataclass(frozen=True)
class Options:
    """The CRF has none: its settings are CRFsuite's, in the table [crf]."""


def load(folder: Path, line: Line, engine: str = "fast") -> Model:
    """The CRF of a model's folder."""
    return Model(folder, line, engine)


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
    line: Line,
    documents: Sequence[Document],
    folder: Path,
    on_iteration: Callable[[int, float], None],
    engine: str = "fast",
) -> None:
    """Train on ``documents`` and leave CRFsuite's model file in ``folder``."""
    settings, path = line.experiment, folder / CRFSUITE
    if engine == "fast" and fast_engine(settings):
        from crfdeid.engine import problem
        from crfdeid.engine import train as training

        training.train(problem.build(line, documents), settings.crf, path, on_iteration)
    else:
        fit_crfsuite(line, documents, path, on_iteration)
    if settings.recall_bias:
        weights.add(path, "bias", bio.OUTSIDE, -settings.recall_bias)


def fast_engine(settings: Experiment) -> bool:
    """Whether the fast engine can train this: numba is installed and knows the settings."""
    if find_spec("numba") is None:
        return False
    from crfdeid.engine import train as training

    return training.can_train(settings.algorithm, settings.crf)


def fit_crfsuite(
    line: Line, documents: Sequence[Document], path: Path, on_iteration: Callable[[int, float], None]
) -> None:
    """python-crfsuite, the reference."""
    trainer = _Trainer(algorithm=line.experiment.algorithm)
    trainer.hear_with(on_iteration)
    trainer.set_params(line.experiment.crf)
    for features, labels in line.examples(documents):
        trainer.append(features, labels)
    trainer.train(str(path))
