"""A CRF that also sees what a first CRF found (the Illinois tagger: Tafvizi 2011, sections 2.4 and
7.2.3): the labels around the token; whether the same word is PHI at its other occurrences in the document
and in the patient's other notes; and its most frequent type there.

The first CRF is a model in the folder ``first``. What it found in the training documents is out of fold
(:mod:`crfdeid.systems.works.cross_fitting`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.templates import Columns, Template
from crfdeid.feature_extraction.token import Value
from crfdeid.systems import crf, model
from crfdeid.systems.registry import SECOND, System, Training, read_options
from crfdeid.systems.tagger import ModelFolder, Tagger
from crfdeid.systems.threshold import Threshold
from crfdeid.systems.works import cross_fitting
from crfdeid.text import bio
from crfdeid.text.document import Document, Token

FIRST = "first"
OBSERVATIONS = ("first", "share", "majority", "patient_share", "patient_majority")
TEMPLATES = """
    first[-2..2]  first[-1]|first[0]  first[0]|first[1]
    share[-1..1]  majority[-1..1]  first[0]|share[0]  first[0]|majority[0]  share[0]|majority[0]
    patient_share[-1..1]  patient_majority[-1..1]  first[0]|patient_share[0]
    first[0]|patient_majority[0]  share[0]|patient_majority[0]
"""

TypeCounts = dict[str, Counter[str]]  # how often a lowered word has each type; "" is not PHI


@dataclass(frozen=True)
class Options:
    """``folds`` is the number of folds of the training documents; ``seed`` draws which patients are in
    which fold."""

    folds: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.folds, int) or self.folds < 2:
            raise ValueError(f"folds = {self.folds}: wanted a whole number, 2 or more")


class TwoStageTagger(Tagger):
    """The two CRFs. ``tag`` sees one document only, ``tag_all`` the consecutive notes of a patient. A
    threshold is for the second CRF, because it learned from the most probable labels of the first."""

    has_threshold = True
    operating_setting = "threshold"

    def __init__(self, model_folder: ModelFolder) -> None:
        super().__init__(model_folder)
        self.first = model.load(self.folder / FIRST)
        self.second = crf.CrfTagger(replace(model_folder, pipeline=extend_pipeline(self.pipeline)))
        self.parts = (self.first, self.second)

    def _tag_all(self, documents: Iterable[Document], probabilities: bool) -> Iterator[Document]:
        return self._tag_in_turn(documents)

    def _tag_by_threshold(
        self, documents: Iterable[Document], threshold: Threshold, probabilities: bool
    ) -> Iterator[Document]:
        return self._tag_in_turn(documents, threshold)

    def find_margins(self, document: Document) -> np.ndarray:
        return self.second.find_margins(document, self.ask_first([document]))

    def _tag_in_turn(
        self, documents: Iterable[Document], threshold: Threshold | None = None
    ) -> Iterator[Document]:
        for some in cross_fitting.batch_patients(documents):
            yield from self.second.tag_with_columns(some, self.ask_first(some), threshold)

    def ask_first(self, documents: Sequence[Document]) -> list[Columns]:
        """Let the first CRF decide, and return the second's extra columns of each document."""
        return make_columns(self.pipeline, list(self.first.tag_unrepaired(documents)))


def train(training: Training) -> None:
    """Train the first CRF on all documents, and the second on what the models of the folds found."""
    folder, documents = training.model, training.documents
    options = read_options(Options, folder.config)
    settings = replace(folder.config, system="crf", options={})

    def train_first(some: Sequence[Document], where: Path) -> Tagger:
        return model.train(some, settings, where, training.on_iteration)

    with cross_fitting.all_or_nothing():
        found = cross_fitting.cross_fit(documents, options.folds, options.seed, folder.path, train_first)
        train_first(documents, folder.path / FIRST)
        columns = make_columns(folder.pipeline, found)
        longer = replace(folder, pipeline=extend_pipeline(folder.pipeline))
        crf.train_with_columns(replace(training, model=longer), columns)


def extend_pipeline(pipeline: Pipeline) -> Pipeline:
    """Return the pipeline of the second CRF."""
    added: list[Template] = [t for part in TEMPLATES.split() for t in templates.parse_templates(part)]
    return pipeline.with_extra_columns(added, OBSERVATIONS)


def make_columns(pipeline: Pipeline, found: Sequence[Document]) -> list[Columns]:
    """Return the second CRF's extra columns of each document. The notes of a patient can be in any places
    of ``found``."""
    groups: dict[object, list[int]] = {}
    for number, document in enumerate(found):
        groups.setdefault(document.owner, []).append(number)
    columns: list[Columns] = [{}] * len(found)
    for numbers in groups.values():
        notes = [found[number] for number in numbers]
        for number, own in zip(numbers, make_patient_columns(pipeline, notes)):
            columns[number] = own
    return columns


def make_patient_columns(pipeline: Pipeline, notes: Sequence[Document]) -> Iterator[Columns]:
    """Yield the extra columns of each note of one patient."""
    tokens = [pipeline.tokenize(note.text) for note in notes]
    labels = [bio.encode(own, note.spans) for own, note in zip(tokens, notes)]
    counts = [count_types(own, names) for own, names in zip(tokens, labels)]
    everywhere: TypeCounts = {}
    for types in counts:
        for word, own_counts in types.items():
            everywhere.setdefault(word, Counter()).update(own_counts)
    for own, names, types in zip(tokens, labels, counts):
        share, majority = summarize_document(own, names, types)
        others = {word: everywhere[word] - own_counts for word, own_counts in types.items()}
        patient_share, patient_majority = (
            [summarize_types(others[word])[part] if (word := find_key(token)) else None for token in own]
            for part in (0, 1)
        )
        yield dict(zip(OBSERVATIONS, (names, share, majority, patient_share, patient_majority)))


def find_key(token: Token) -> str:
    """Return the word that is counted: the lowered text, or nothing for marks and single characters, which
    occur everywhere.

    >>> find_key(Token("Ruiz", 0)), find_key(Token("7", 0)), find_key(Token("--", 0))
    ('ruiz', '', '')
    """
    return token.text.lower() if len(token.text) > 1 and token.text.isalnum() else ""


def count_types(tokens: Sequence[Token], labels: Sequence[str]) -> TypeCounts:
    """Count the types of each word of a document."""
    counts: TypeCounts = {}
    for token, label in zip(tokens, labels):
        if word := find_key(token):
            counts.setdefault(word, Counter())[label[2:]] += 1
    return counts


def summarize_document(
    tokens: Sequence[Token], labels: Sequence[str], types: TypeCounts
) -> tuple[list[Value], list[Value]]:
    """Return share and majority of the document's other tokens of the same word, one of each per token."""
    known: dict[tuple[str, str], tuple[Value, Value]] = {}
    rows = []
    for token, label in zip(tokens, labels):
        key = word, type = find_key(token), label[2:]
        if key not in known:
            known[key] = summarize_types(types[word] - Counter([type])) if word else (None, None)
        rows.append(known[key])
    return [share for share, _ in rows], [majority for _, majority in rows]


def summarize_types(counts: Counter[str]) -> tuple[Value, Value]:
    """Return the share of these occurrences that is PHI, in a word, and their majority: the most frequent
    type (the first by name on a tie). Both are ``None`` where there are no occurrences.

    >>> summarize_types(Counter({"DOCTOR": 2, "": 1})), summarize_types(Counter({"": 3}))
    (('most', 'DOCTOR'), ('none', None))
    >>> summarize_types(Counter())
    (None, None)
    """
    total = sum(counts.values())
    types = {type: count for type, count in counts.items() if type and count}
    phi = sum(types.values())
    if not phi:
        return ("none" if total else None), None
    share = "all" if phi == total else "most" if 2 * phi >= total else "some"
    return share, min(types, key=lambda type: (-types[type], type))


SYSTEM = System(Options, train, TwoStageTagger, settings=("recall_bias", "type_bias"), explained_by=SECOND)
