"""The CRF: a system that the fast engine or CRFsuite trains; its model is a file of CRFsuite's format."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pycrfsuite

from crfdeid.config import Config
from crfdeid.engine import crfsuite_file
from crfdeid.engine.arrays.batch import Batch, decode_spans
from crfdeid.engine.arrays.types import Scores
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.decoding import chain
from crfdeid.engine.decoding.decoder import AdaptiveDecoder
from crfdeid.errors import ConfigurationError, ModelError
from crfdeid.feature_extraction.long_numbers import names_long_number
from crfdeid.feature_extraction.templates import NO_COLUMNS, Columns
from crfdeid.systems.bias import list_amounts, list_changes
from crfdeid.systems.registry import WEIGHTS, System, Training, read_options
from crfdeid.systems.tagger import ModelFolder, Tagger, batch_documents, batch_with_columns
from crfdeid.systems.threshold import AnyThreshold, Masker, Threshold
from crfdeid.text import bio
from crfdeid.text.document import Document, Span, trim_spans
from crfdeid.text.tokenizer import fold_text

if TYPE_CHECKING:
    from crfdeid.engine.decoding.chain import SpanMarginals
    from crfdeid.engine.decoding.marginals import Marginals, SpanConfidence
    from crfdeid.systems.threshold import RiskDecoder

CRFSUITE = "model.crfsuite"
SMALLEST = 1e-15  # a probability whose logarithm is finite
FORBIDDEN = 1e4  # more than any scores can outweigh


class CrfTagger(AdaptiveDecoder, Tagger):
    """A loaded CRF. ``engine`` is ``fast``, or ``crfsuite`` for the reference, which gives the same
    labels. Probabilities take several times as long as spans only."""

    has_probabilities = True
    has_threshold = True
    operating_setting = "threshold"
    is_fork_safe = True

    def __init__(self, model: ModelFolder, engine: str = "fast") -> None:
        Tagger.__init__(self, model)
        path = find_weights(model.path)
        weights = crfsuite_file.read(path)
        weights = add_amounts(weights, list_changes(model)) if model.learned else weights
        if not all(map(is_label, weights.labels)):
            raise ModelError(f"{path}: contains a label that is neither O, B- nor I- with a type")
        AdaptiveDecoder.__init__(self, weights, model.pipeline)
        self.backward = self.config.span_mark == "last"
        self.risk = self._build_risk_decoder() if self.config.decode == "risk" else None
        if self.backward:
            self.has_threshold, self.operating_setting = False, ""
        self.crfsuite = pycrfsuite.Tagger() if engine == "crfsuite" else None
        if self.crfsuite:  # it reads its own tables unchecked, so that it gets a file that is made here
            own = self.weights
            self._file = crfsuite_file.render(own.labels, own.attributes, own.records)  # it does not copy it
            self.crfsuite.open_inmemory(self._file)

    def _build_risk_decoder(self) -> RiskDecoder:
        from crfdeid.systems.threshold import RiskDecoder, read_limits

        return RiskDecoder(self.span_marginals, read_limits(self.config))

    @cached_property
    def confidence(self) -> SpanConfidence:
        from crfdeid.engine.decoding.marginals import SpanConfidence

        return SpanConfidence(self.weights)

    @cached_property
    def marginals(self) -> Marginals:
        from crfdeid.engine.decoding.marginals import Marginals

        return Marginals(self.weights.transitions)

    @cached_property
    def span_marginals(self) -> SpanMarginals:
        from crfdeid.engine.decoding.chain import SpanMarginals

        return SpanMarginals(self.weights.labels, self.weights.transitions, self.backward)

    def check_threshold(self, threshold: AnyThreshold) -> Threshold:
        if self.backward:
            raise ConfigurationError("threshold: a CRF with span_mark = 'last' has only span_threshold")
        return super().check_threshold(threshold)

    def tag_with_columns(
        self,
        documents: Sequence[Document],
        extra_columns: Sequence[Columns],
        threshold: Threshold | None = None,
    ) -> Iterator[Document]:
        """As :meth:`tag_all`; ``extra_columns`` has the values of the pipeline's extra columns, one entry
        per document."""
        masker = Masker(self.weights.labels, threshold) if threshold else None
        for some, columns in batch_with_columns(documents, extra_columns):
            yield from self._tag_batch(self.batch(some, columns), masker=masker)

    def find_margins(self, document: Document, extra_columns: Sequence[Columns] = ()) -> np.ndarray:
        batch = self.batch([document], extra_columns)
        kinds = np.array([0 if label != bio.OUTSIDE else NONE for label in self.weights.labels])
        scores = self.decoder.emissions(batch)[:, : len(kinds)]
        phi, _ = self.marginals.sum_types(scores, batch.first, batch.stop, kinds)
        phi = phi.clip(SMALLEST, 1 - SMALLEST)
        margins: np.ndarray = np.log(phi / (1 - phi))
        return margins

    def find_n_best(self, document: Document, n: int) -> list[tuple[float, Document]]:
        """Return the ``n`` best labellings of the document as one sequence, with their probabilities, the
        best first. Raises :class:`ConfigurationError` where sequences are smaller than documents, or the last
        token marks a span."""
        if self.backward:
            raise ConfigurationError("n best of a document: span_mark = 'last'")
        if self.pipeline.sequence != "document":
            raise ConfigurationError(f"n best of a document: sequence = {self.pipeline.sequence!r}")
        from crfdeid.engine.decoding.chain import run_chain

        folding = fold_text(document.text)
        batch = self.batch([folding.fold_document(document)])
        emissions, transitions = self.decoder.emissions(batch), self.weights.transitions
        total = run_chain(emissions, transitions).log_total if len(batch) else 0.0
        return [
            (
                math.exp(score - total),
                folding.unfold_document(
                    self._decode(batch, np.array(path, np.int64), self.weights.labels)[0]
                ),
            )
            for score, path in chain.find_n_best(emissions, transitions, n)
        ]

    def find_candidates(self, documents: Sequence[Document], least: float) -> list[list[Span]]:
        """Return all spans that are at least so probable, of each document, with their probabilities. They
        can overlap, and can begin or end with a line end; the documents are folded."""
        from crfdeid.systems.threshold import list_spans

        batch = self.batch(documents)
        emissions = self.decoder.emissions(batch)
        found = self.span_marginals.find(emissions, batch.first, batch.stop, least, self.compiled)
        return list_spans(batch, found, self.span_marginals.pairs.names, probabilities=True)

    def _tag_all(self, documents: Iterable[Document], probabilities: bool) -> Iterator[Document]:
        for some in batch_documents(documents):
            yield from self._tag_batch(self.batch(some), probabilities)

    def _tag_batch(
        self, batch: Batch, probabilities: bool = False, masker: Masker | None = None
    ) -> list[Document]:
        if self.risk and not masker:
            found = self.risk.find_spans(batch, self.decoder.emissions(batch), probabilities, self.compiled)
            return place_spans(batch, found)
        if not self.crfsuite and not probabilities and not masker:
            return self._decode(batch, self.decoder.path(batch), self.weights.labels)
        scores, path = self.decoder.score_path(batch)
        if self.crfsuite:
            path = self._crfsuite_path(self.crfsuite, batch)
        if masker:
            sequences = batch.first, batch.stop
            kinds = masker.type_of, masker.least
            path = masker.find_path(
                batch, *self.marginals.sum_types(scores, *sequences, *kinds, self.compiled), path
            )
        labels = masker.names if masker else self.weights.labels
        return self._decode(batch, path, labels, scores if probabilities else None)

    def _tag_by_threshold(
        self, documents: Iterable[Document], threshold: Threshold, probabilities: bool
    ) -> Iterator[Document]:
        masker = Masker(self.weights.labels, threshold)
        for some in batch_documents(documents):
            yield from self._tag_batch(self.batch(some), probabilities, masker)

    def _decode(
        self, batch: Batch, path: np.ndarray, labels: Sequence[str], scores: Scores | None = None
    ) -> list[Document]:
        """The documents with the spans of a path, whose numbers are those of ``labels``; with their
        probabilities, where the batch's ``scores`` are given."""
        found = decode_spans(batch, labels, path)
        if scores is not None:
            found = self.confidence.add_probabilities(found, batch, scores[:], self.compiled)
        return place_spans(batch, found)

    def _crfsuite_path(self, crfsuite: pycrfsuite.Tagger, batch: Batch) -> np.ndarray:
        """The path as python-crfsuite finds it, from feature strings."""
        path = np.full(len(batch), NONE)
        number = {label: i for i, label in enumerate(self.weights.labels)}
        sequences = zip(batch.document[batch.first].tolist(), batch.first.tolist(), batch.stop.tolist())
        for owner, parts in groupby(sequences, key=lambda sequence: sequence[0]):
            tokenized, base = batch.tokenized(owner), int(batch.bounds[owner])
            columns = batch.extra_columns[owner] if batch.extra_columns else NO_COLUMNS
            for _, first, stop in parts:
                inside = range(first - base, stop - base)
                features = self.pipeline.extractor.features(tokenized, inside, columns)
                features = [[each for each in some if "\0" not in each] for some in features]  # C ends there
                path[first:stop] = [number[label] for label in crfsuite.tag(features)]
        return path


def is_label(text: str) -> bool:
    """Whether a text is a label: O, or B- or I- with a type.

    >>> [is_label(text) for text in ("O", "B-AGE", "I-AGE", "B-", "AGE", "", "B-AGE\\n")]
    [True, True, True, False, False, False, False]
    """
    return text == bio.OUTSIDE or (text[:2] in ("B-", "I-") and len(text) > 2 and text.isprintable())


def place_spans(batch: Batch, found: Sequence[Sequence[Span]]) -> list[Document]:
    """Return the documents of a batch with the spans found, without white space at their ends."""
    return [d.with_spans(trim_spans(d.text, spans)) for d, spans in zip(batch.documents, found)]


@dataclass(frozen=True)
class Options:
    """``foot_copies`` is the number of copies of each training note's foot with exchanged parts that the CRF
    learns from too (:mod:`crfdeid.systems.foot_copies`). CRFsuite's settings are in the table ``[crf]``."""

    foot_copies: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.foot_copies, int) or self.foot_copies < 0:
            raise ValueError(f"foot_copies = {self.foot_copies}: wanted a whole number, 0 or more")


def check(settings: Config) -> None:
    """Raise :class:`ConfigurationError` where copies would bring a patient's words into notes of others."""
    if settings.min_patients and read_options(Options, settings).foot_copies:
        raise ConfigurationError("foot_copies: not with min_patients, which counts the patients of a word")


class _Trainer(pycrfsuite.Trainer):
    """Passes each iteration, which CRFsuite would print, to ``on_iteration``."""

    on_iteration: Callable[[int, float], None]
    number = 0

    def message(self, message: str) -> None:
        if match := re.match(r"\*{5} (?:Iteration|Epoch) #(\d+)", message):
            self.number = int(match[1])
        elif match := re.match(r"Loss: (\S+)", message):
            self.on_iteration(self.number, float(match[1]))


def find_weights(folder: Path) -> Path:
    """Return CRFsuite's file in a model's folder, which can be compressed. Raises :class:`ModelError` where
    there is none."""
    for path in (folder / CRFSUITE, folder / f"{CRFSUITE}{crfsuite_file.COMPRESSED}"):
        if path.is_file():
            return path
    raise ModelError(f"{folder}: no CRF: {CRFSUITE} is missing")


def train(training: Training) -> None:
    """Train a CRF and leave CRFsuite's model file."""
    from crfdeid.systems.foot_copies import copy_feet

    resolve = training.model.pipeline.resolve_overlaps
    copies = read_options(Options, training.model.config).foot_copies
    feet = copy_feet([resolve(document) for document in training.documents], copies) if copies else []
    train_with_columns(replace(training, documents=[*training.documents, *feet]))


def train_with_columns(training: Training, extra_columns: Sequence[Columns] = ()) -> None:
    """As :func:`train`; ``extra_columns`` has the values of the pipeline's extra columns, one entry per
    document. Ctrl-C raises :class:`Stopped` where there is a model to continue from."""
    config, path = training.model.config, training.model.path / CRFSUITE
    fast = training.engine == "fast" and is_fast_trainable(config)
    if training.start and not fast:
        raise ConfigurationError("--resume: CRFsuite's own trainer cannot continue; the fast engine can")
    fit = fit_fast if fast else fit_crfsuite
    try:
        fit(training, path, extra_columns)
    finally:
        if path.is_file():
            add_unlearned(path, config, 1.0)


def add_unlearned(path: Path, config: Config, sign: float) -> None:
    """Add to the model at ``path`` the weights that are not learned: ``recall_bias`` is subtracted from
    the weight of O, ``type_bias`` is added to those of its types' labels, and transitions that
    ``constraints`` forbid lose :data:`FORBIDDEN`. ``sign`` -1 takes them off again."""
    add_to_labels(path, {label: sign * amount for label, amount in list_amounts(config).items()})
    if config.constraints == "bio":
        forbidden = bio.list_illegal_pairs(crfsuite_file.read(path).labels)
        crfsuite_file.add_to_transitions(path, forbidden, -sign * FORBIDDEN)


def add_to_labels(path: Path, amounts: Mapping[str, float]) -> None:
    """Add to the scores that the model at ``path`` gives the labels, those that it has (a model that was
    trained on nothing but PHI does not have O)."""
    weights = crfsuite_file.read(path)
    if (changed := add_amounts(weights, amounts)) is not weights:
        crfsuite_file.write(path, changed.labels, changed.attributes, changed.records)


def add_amounts(weights: crfsuite_file.Weights, amounts: Mapping[str, float]) -> crfsuite_file.Weights:
    """Return the weights with ``amounts`` added to the scores of the labels that the model has."""
    known = {label: amount for label, amount in amounts.items() if amount and label in weights.labels}
    return crfsuite_file.add_to_weights(weights, "bias", known) if known else weights


def fit_fast(training: Training, path: Path, extra_columns: Sequence[Columns]) -> None:
    """Train with the engine on arrays."""
    from crfdeid.engine.training import feature_counts, training_set
    from crfdeid.engine.training import train as engine

    model = training.model
    earlier = read_start(training.start, path, model.config) if training.start else None

    def build() -> training_set.TrainingSet:
        built = training_set.build(model.pipeline, training.documents, extra_columns)
        if not model.config.min_patients:
            return built
        patients = number_patients(training.documents)
        return feature_counts.keep_shared_attributes(built, patients, model.config.min_patients)

    engine.train(  # which drops the training set as soon as it can: no name here keeps it
        build(),
        model.config.crf,
        path,
        training.on_iteration,
        start=earlier,
    )


def number_patients(documents: Sequence[Document]) -> list[int]:
    """Return the patient of each document, by number."""
    numbers: dict[tuple[bool, str], int] = {}
    return [numbers.setdefault(document.owner, len(numbers)) for document in documents]


def read_start(start: Path, path: Path, config: Config) -> crfsuite_file.Weights:
    """Read the weights to continue from, without those that are not learned."""
    copy = path.with_name("start.crfsuite")
    copy.write_bytes(crfsuite_file.read_bytes(find_weights(start)))
    add_unlearned(copy, config, -1.0)
    earlier = crfsuite_file.read(copy)
    copy.unlink()
    return earlier


def is_fast_trainable(config: Config) -> bool:
    """Whether the fast engine can train this: numba is installed and the engine has the settings."""
    if find_spec("numba") is None:
        return False
    from crfdeid.engine.training import train as engine

    return engine.can_train(config.algorithm, config.crf)


def fit_crfsuite(training: Training, path: Path, extra_columns: Sequence[Columns] = ()) -> None:
    """Train with python-crfsuite, the reference."""
    model = training.model
    trainer = _Trainer(algorithm=model.config.algorithm)
    trainer.on_iteration = training.on_iteration
    trainer.set_params(model.config.crf)
    least = model.config.min_patients
    shared = find_shared_features(training, extra_columns, least) if least else frozenset()
    for features, labels in model.pipeline.make_examples(training.documents, extra_columns):
        if least:
            features = [[feature for feature in own if feature in shared] for own in features]
        trainer.append(features, labels)
    trainer.train(str(path))


def find_shared_features(training: Training, extra_columns: Sequence[Columns], least: int) -> Set[str]:
    """Return the features that the notes of at least ``least`` patients have, without long numbers."""
    owners: dict[str, set[int]] = {}
    pipeline, patients = training.model.pipeline, number_patients(training.documents)
    for number, document in enumerate(training.documents):
        columns = extra_columns[number : number + 1]
        for features, _ in pipeline.make_examples([document], columns):
            for feature in {feature for own in features for feature in own}:
                owners.setdefault(feature, set()).add(patients[number])
    return {f for f, own in owners.items() if len(own) >= least and not names_long_number(f)}


SYSTEM = System(
    Options,
    train,
    CrfTagger,
    {"crfsuite": partial(CrfTagger, engine="crfsuite")},
    can_resume=True,
    check=check,
    count_rounds=lambda settings: 1,
    settings=("recall_bias", "type_bias", "min_patients"),
    decoding=("recall_bias", "type_bias", "decode", "span_threshold", "repair"),
    explained_by=WEIGHTS,
)
