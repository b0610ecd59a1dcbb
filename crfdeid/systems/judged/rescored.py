"""Spans of several CRFs, judged once more: a boosted classifier sees what each CRF (a *member*) says of a
possible span, which spans compete with it, how often the note repeats its text, and how training labels it.

The members are models in ``members/NAME``. The classifier learns from candidates of documents that neither
the members nor the counts of texts saw. Of the candidates that are probable enough, those without overlaps
are given that exceed the threshold most in sum, as in minimum-risk decoding.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from crfdeid.config import Config, flatten_keys
from crfdeid.corpora.folds import Part, make_folds
from crfdeid.engine.arrays.types import Floats
from crfdeid.engine.decoding import chain
from crfdeid.errors import ConfigurationError, ModelError
from crfdeid.feature_extraction.templates import resolve_names
from crfdeid.systems import model
from crfdeid.systems.crf import CrfTagger
from crfdeid.systems.judged.candidates import Candidates, Expressions, Key, Note
from crfdeid.systems.judged.judged import TreeOptions, apply_trees, read_trees
from crfdeid.systems.judged.rows import compute_log_odds
from crfdeid.systems.judged.span_features import TrainingTexts, count_texts, describe_candidates, read_texts
from crfdeid.systems.judged.training import fit_options, write_trees
from crfdeid.systems.registry import CANDIDATES, System, Training, build_config, read_options
from crfdeid.systems.tagger import ModelFolder, Tagger, batch_documents
from crfdeid.systems.threshold import Threshold, read_limits
from crfdeid.systems.works.cross_fitting import all_or_nothing
from crfdeid.text.document import Document, Span

MEMBERS, TEXTS, TREES, KINDS = "members", "texts.json", "trees.npz", "kinds.json"
NAME = re.compile(r"[a-z][a-z0-9_]*")
OWN = ("system", "options", "decode", "span_threshold", "repair")  # a member has its own, not the ensemble's


@dataclass(frozen=True)
class Options(TreeOptions):
    """``members`` are CRFs by name; the settings that they do not set are the ensemble's. ``expressions`` are
    observations that mark expressions with ``B`` and ``I``, and the type of these spans. The other settings
    are those of :class:`TreeOptions`."""

    members: dict[str, dict[str, Any]] = field(default_factory=dict)
    expressions: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.members or not all(isinstance(table, dict) for table in self.members.values()):
            raise ValueError("members: wanted a table of settings or more, [options.members.NAME]")
        for name in self.members:
            if not NAME.fullmatch(name):
                raise ValueError(f"members.{name}: wanted a name of small letters, digits and _")
        super().__post_init__()


class RescoredTagger(Tagger):
    """The ensemble. A threshold is for its spans: one is given where its probability is above it."""

    has_probabilities = True
    has_threshold = True
    operating_setting = "threshold"
    is_fork_safe = True

    def __init__(self, model_folder: ModelFolder) -> None:
        super().__init__(model_folder)
        self.options = read_options(Options, self.config)
        self.members = load_members(self.folder / MEMBERS, build_members(self.config))
        self.bases, self.parts = self.members, tuple(self.members.values())
        self.texts, self.trees = read_texts(self.folder / TEXTS), read_trees(self.folder / TREES)
        self.kinds: list[str] = json.loads((self.folder / KINDS).read_text(encoding="utf-8"))
        self.expressions = find_observations(self.options)
        self.types = sorted(self.scheme.types)

    def compile(self) -> None:
        for member in self.members.values():
            member.compile()

    def judge(self, documents: Sequence[Document]) -> list[tuple[Candidates, Floats]]:
        """Return the candidates of each document, and their probabilities in the order of their keys."""
        found = self.find_candidates(documents)
        texts = [self.texts] * len(found)
        rows = describe_candidates(found, texts, self.types, self.kinds)
        judged = apply_trees(self.trees, rows)
        ends = np.cumsum([len(own.probabilities) for own in found])
        return list(zip(found, np.split(judged, ends[:-1])))

    def find_margins(self, document: Document) -> Floats:
        """Return the log odds of the span at each token, of those that a threshold of 0 gives: a higher one
        covers a token at most where its own span, or a more probable one, exceeds it."""
        ((found, judged),) = self.judge([document])
        keys, odds = list(found.probabilities), compute_log_odds(judged)
        margins = np.full(len(found.note.tokens), compute_log_odds(np.zeros(1))[0])
        for place in choose_places(keys, judged, dict.fromkeys(self.types, 0.0)):
            margins[keys[place][0] : keys[place][1] + 1] = odds[place]
        return margins

    def find_candidates(self, documents: Sequence[Document]) -> list[Candidates]:
        """Let each member say what is possible."""
        least = self.options.least
        members = list(self.members.values())
        spans = [member.find_candidates(documents, least) for member in members]
        batch = members[0].batch(documents)  # a compiled tokenizer
        notes = [Note(document, batch.tokens(number)) for number, document in enumerate(documents)]
        return [Candidates(note, own, self.expressions) for note, *own in zip(notes, *spans)]

    def _tag_all(self, documents: Iterable[Document], probabilities: bool) -> Iterator[Document]:
        return self._tag(documents, read_limits(self.config), probabilities)

    def _tag_by_threshold(
        self, documents: Iterable[Document], threshold: Threshold, probabilities: bool
    ) -> Iterator[Document]:
        return self._tag(documents, read_limits(self.config).override(threshold), probabilities)

    def _tag(
        self, documents: Iterable[Document], limits: Threshold, probabilities: bool
    ) -> Iterator[Document]:
        by_type = dict(zip(self.types, limits.list_limits(self.types).tolist()))
        for some in batch_documents(documents):
            for document, (found, judged) in zip(some, self.judge(some)):
                yield document.with_spans(choose_spans(found, judged, by_type, probabilities))


def choose_spans(
    found: Candidates, judged: Floats, limits: dict[str, float], probabilities: bool
) -> list[Span]:
    """Return the spans that are worth the risk."""
    keys, tokens = list(found.probabilities), found.note.tokens
    return [
        Span(
            tokens[keys[place][0]].start,
            tokens[keys[place][1]].end,
            keys[place][2],
            float(judged[place]) if probabilities else None,
        )
        for place in choose_places(keys, judged, limits)
    ]


def choose_places(keys: Sequence[Key], judged: Floats, limits: dict[str, float]) -> list[int]:
    """Return the places of the candidates that do not overlap and exceed their limits most in sum."""
    first, last = (np.array([key[place] for key in keys], np.int64) for place in (0, 1))
    of_key = np.array([limits[key[2]] for key in keys], np.float64)
    rows = chain.Candidates(first, last, np.arange(len(keys)), judged)
    places: list[int] = chain.choose_spans(rows, of_key).tolist()
    return places


def build_members(ensemble: Config) -> dict[str, Config]:
    """Build the configurations of the members, in the order of their names. Raises
    :class:`ConfigurationError` where one is not that of a CRF with the ensemble's tokens."""
    options = read_options(Options, ensemble)
    shared = {key: value for key, value in ensemble.to_table().items() if key not in OWN}
    members = {}
    for name in sorted(options.members):
        own = options.members[name]
        table = shared | own | {"crf": ensemble.crf | flatten_keys(own.get("crf", {}))}
        members[name] = build_config(table, f"options.members.{name}")
        if members[name].system != "crf" or members[name].tokenizer != ensemble.tokenizer:
            raise ConfigurationError(
                f"options.members.{name}: wanted a crf with the tokenizer of the ensemble"
            )
    return members


def load_members(folder: Path, members: Iterable[str]) -> dict[str, CrfTagger]:
    """Load the members' models. Raises :class:`ModelError` where one is not a CRF."""
    found: dict[str, CrfTagger] = {}
    for name in members:
        tagger = model.load(folder / name)
        if not isinstance(tagger, CrfTagger):
            raise ModelError(f"{folder / name}: wanted a crf")
        found[name] = tagger
    return found


def find_observations(options: Options) -> Expressions:
    """Return the observations of the option ``expressions`` with their types."""
    known = resolve_names(options.expressions, {}).contextual
    if missing := options.expressions.keys() - known.keys():
        raise ConfigurationError(f"options.expressions.{min(missing)}: not an observation of a place")
    return {name: (known[name], type) for name, type in options.expressions.items()}


def train(training: Training) -> None:
    """Train the members on the folds and on all documents, and the trees on the candidates of the folds."""
    folder = training.model
    options = read_options(Options, folder.config)
    check_types(options, folder)
    documents = [folder.pipeline.resolve_overlaps(document) for document in training.documents]
    with all_or_nothing():
        found, texts = list_held_out(training, documents)
        train_members(training, documents, folder.path / MEMBERS)
    kinds = sorted({kind for own in found for kind in own.kinds.values()})
    (folder.path / KINDS).write_text(json.dumps(kinds, ensure_ascii=False) + "\n", encoding="utf-8")
    rows = describe_candidates(found, texts, sorted(folder.scheme.types), kinds)
    gold = [set(list_gold(own.note)) for own in found]
    is_right = np.array([key in right for own, right in zip(found, gold) for key in own.probabilities], bool)
    write_trees(folder.path / TREES, fit_options(options, rows, is_right))
    notes = [Note(document, folder.pipeline.tokenize(document.text)) for document in documents]
    count_texts([(note, list_gold(note)) for note in notes]).write(folder.path / TEXTS)


def check_types(options: Options, folder: ModelFolder) -> None:
    """Raise :class:`ConfigurationError` where an expression is of a type that the scheme does not have."""
    for name, type in options.expressions.items():
        if type not in folder.scheme.types:
            raise ConfigurationError(f"options.expressions.{name}: no type of scheme {folder.scheme.name}")


def list_held_out(
    training: Training, documents: Sequence[Document]
) -> tuple[list[Candidates], list[TrainingTexts]]:
    """Return the candidates of each document and the counts of texts, both without the document's fold."""
    options, pipeline = read_options(Options, training.model.config), training.model.pipeline
    expressions = find_observations(options)
    found: list[Candidates] = []
    texts: list[TrainingTexts] = []
    for rest, held_out in make_folds(
        Part("training documents", tuple(documents)), options.folds, options.seed
    ):
        notes = [Note(document, pipeline.tokenize(document.text)) for document in rest.documents]
        known = count_texts([(note, list_gold(note)) for note in notes])
        with tempfile.TemporaryDirectory(prefix="folds.", dir=training.model.path) as name:
            members = train_members(training, rest.documents, Path(name))
            spans = [list_possible(member, held_out.documents, options.least) for member in members]
        for document, *own in zip(held_out.documents, *spans):
            note = Note(document, pipeline.tokenize(document.text))
            found.append(Candidates(note, own, expressions))
            texts.append(known)
    return found, texts


def train_members(training: Training, documents: Sequence[Document], folder: Path) -> list[CrfTagger]:
    """Train each member on the documents, and leave their models in the folder."""
    members = build_members(training.model.config)
    for name, settings in members.items():
        model.train(documents, settings, folder / name, training.on_iteration)
    return list(load_members(folder, members).values())


def list_possible(member: CrfTagger, documents: Sequence[Document], least: float) -> list[list[Span]]:
    """Return the possible spans of each document."""
    parts = batch_documents(documents)
    return [spans for some in parts for spans in member.find_candidates(some, least)]


def list_gold(note: Note) -> list[Key]:
    """Return the document's spans that begin and end with tokens."""
    return [key for key, _ in note.find_keys(note.document.spans)]


SYSTEM = System(Options, train, RescoredTagger, explained_by=CANDIDATES)
