"""A CRF that also sees what a first CRF found (the Illinois tagger: Tafvizi 2011, sections 2.4 and
7.2.3): the labels around the token, and whether the same word is PHI elsewhere in the document
or in the patient's other notes, and of which type mostly.

The first CRF is a model in the folder ``first``. What it found in the training documents is
out of fold: found by models of the other folds, and not by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from crfdeid.corpora.folds import find_owner
from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.templates import Template
from crfdeid.systems import crf, model, registry
from crfdeid.systems.stacking import cross_fitting
from crfdeid.systems.stacking.cross_fitting import Columns, Told
from crfdeid.systems.stacking.label_consistency import Types, counted, elsewhere, key, said
from crfdeid.text import bio, scheme
from crfdeid.text.document import Document

FIRST = "first"
OBSERVATIONS = ("first", "share", "majority", "patient_share", "patient_majority")
TEMPLATES = """
    first[-2..2]  first[-1]|first[0]  first[0]|first[1]
    share[-1..1]  majority[-1..1]  first[0]|share[0]  first[0]|majority[0]  share[0]|majority[0]
    patient_share[-1..1]  patient_majority[-1..1]  first[0]|patient_share[0]
    first[0]|patient_majority[0]  share[0]|patient_majority[0]
"""


@dataclass(frozen=True)
class Options:
    """``folds`` of the training documents, cut by patients drawn from ``seed``."""

    folds: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.folds, int) or self.folds < 2:
            raise ValueError(f"folds = {self.folds}: wanted a whole number, 2 or more")


class Model:
    """``tag`` knows one document alone; ``tag_all`` also the notes of the same patient that
    follow each other."""

    def __init__(self, folder: Path, pipeline: Pipeline) -> None:
        self.folder, self.pipeline = folder, pipeline
        self.scheme = scheme.read_scheme(folder / "scheme.toml")
        self.first = model.load(folder / FIRST)
        self.told = Told()
        self.second = crf.Model(folder, longer(pipeline, self.told))

    def tag(self, document: Document) -> Document:
        return next(self.tag_all([document]))

    def tag_all(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents with the spans found, in order; some are held at once."""
        for groups in cross_fitting.together(documents):
            some = [document for group in groups for document in group]
            self.told.columns = columns(self.pipeline, list(model.tag_all(self.first, some)))
            yield from self.second.tag_all(some)


def train(
    pipeline: Pipeline,
    documents: Sequence[Document],
    folder: Path,
    on_iteration: Callable[[int, float], None],
) -> None:
    """Train the first CRF on all documents, and the second on what those of the folds found."""
    options = registry.options(pipeline.config.system, pipeline.config.options)
    settings = replace(pipeline.config, system="crf", options={})

    def first(some: Sequence[Document], where: Path) -> model.Tagger:
        return model.train(some, settings, where, on_iteration)

    told = Told()
    with cross_fitting.all_or_nothing():
        found = cross_fitting.cross_fit(documents, options.folds, options.seed, folder, first)
        first(documents, folder / FIRST)
        told.columns = columns(pipeline, found)
        crf.train(longer(pipeline, told), documents, folder, on_iteration)


def load(folder: Path, pipeline: Pipeline) -> Model:
    return Model(folder, pipeline)


def longer(pipeline: Pipeline, told: Told) -> Pipeline:
    """The second CRF's line."""
    wanted: list[Template] = [t for part in TEMPLATES.split() for t in templates.parse(part)]
    return cross_fitting.listening(pipeline, wanted, OBSERVATIONS, told)


def columns(pipeline: Pipeline, found: Sequence[Document]) -> dict[str, Columns]:
    """What the second CRF is told of each document, by its text. A patient's notes may lie anywhere
    among those ``found``."""
    owned: dict[object, list[Document]] = {}
    for document in found:
        owned.setdefault(find_owner(document), []).append(document)
    return {text: said for notes in owned.values() for text, said in of_patient(pipeline, notes)}


def of_patient(pipeline: Pipeline, notes: Sequence[Document]) -> Iterator[tuple[str, Columns]]:
    tokens = [pipeline.tokenize(note.text) for note in notes]
    labels = [bio.encode(t, note.spans) for t, note in zip(tokens, notes)]
    own = [counted(t, names) for t, names in zip(tokens, labels)]
    everywhere: Types = {}
    for types in own:
        for word, counts in types.items():
            everywhere.setdefault(word, Counter()).update(counts)
    for note, t, names, types in zip(notes, tokens, labels, own):
        share, majority = elsewhere(t, names, types)
        others = {word: everywhere[word] - counts for word, counts in types.items()}
        patient_share, patient_majority = (
            [said(others[word])[part] if (word := key(token)) else None for token in t] for part in (0, 1)
        )
        yield note.text, dict(zip(OBSERVATIONS, (names, share, majority, patient_share, patient_majority)))
