"""A CRF whose possible spans are judged once more: boosted trees see what the CRF says of each, which ones
compete with it, what the note has besides, and how training labels its words.

The trees learn from candidates of notes that the CRF had not seen: training makes folds, by groups of notes
(``group``), such as those of one writer. The model is that of the CRF, with ``trees.npz`` and two tables
beside it. The spans without overlaps are chosen whose probabilities have the largest sum, as in minimum-risk
decoding. A threshold is for the probability that the place of a chosen span holds PHI, of whatever type and
whatever edges: where the type is in doubt, the place need not be. The system ``rescored`` joins several CRFs
and reads whole texts, note by note; this one reads arrays of one CRF.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from crfdeid.corpora.folds import Part, make_folds
from crfdeid.engine import crfsuite_file
from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.types import Floats
from crfdeid.engine.decoding.chain import Candidates, choose_spans
from crfdeid.errors import ModelError
from crfdeid.feature_extraction.templates import Columns
from crfdeid.feature_extraction.token import Value
from crfdeid.systems import crf, model, registry
from crfdeid.systems.crf import CrfTagger, place_spans
from crfdeid.systems.judged import word_evidence
from crfdeid.systems.judged.rows import SpanRows, TokenValues, ValueNumbers, trim_candidates
from crfdeid.systems.judged.trees import TreeOptions, apply_trees, compute_log_odds, read_trees, write_trees
from crfdeid.systems.judged.word_evidence import WordShares, count_shares, measure_mass, read_shares
from crfdeid.systems.registry import System, Training, read_options
from crfdeid.systems.tagger import ModelFolder, batch_documents
from crfdeid.systems.threshold import Threshold, list_spans, read_limits
from crfdeid.systems.works.cross_fitting import all_or_nothing
from crfdeid.text.document import Document

TREES, VALUES, SHARES = "trees.npz", "values.json", "word_shares.json"
DOUBTFUL = 0.01  # a span that is right with less probability is not chosen; one of several types can have it


@dataclass(frozen=True)
class Options(TreeOptions):
    """``inside`` are the observations of a span's first and last token, ``beside`` those of the tokens before
    and after. With ``note_types``, the trees see how probable each type is at the tokens of the whole note
    (:class:`TokenTypes`). ``group`` is a regular expression: documents whose patients begin with the same
    match are in one fold. ``least_owners`` is the number of patients of a word whose shares are kept.
    Weights of the CRF below ``least_weight`` are left out, so that its file is smaller. The other settings
    are those of :class:`TreeOptions`."""

    inside: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    note_types: bool = False
    group: str = ""
    least_owners: int = 3
    least_weight: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.least_owners, int) or self.least_owners < 1:
            raise ValueError(f"least_owners = {self.least_owners}: wanted a whole number, 1 or more")
        if not self.least_weight >= 0:
            raise ValueError(f"least_weight = {self.least_weight}: wanted 0 or more")
        try:
            re.compile(self.group)
        except re.error:
            raise ValueError("group: not a regular expression") from None


class JudgedTagger(CrfTagger):
    """A loaded model. A threshold is for its spans; its CRF is a :class:`CrfTagger` of the same folder."""

    careful_threshold = 0.08

    def __init__(self, model_folder: ModelFolder) -> None:
        super().__init__(model_folder)
        self.options = read_options(Options, self.config)
        self.trees = read_trees(self.folder / TREES)
        self.shares = read_shares(self.folder / SHARES)
        values = ValueNumbers((), read_values(self.folder / VALUES))
        self.judge_rows = build_rows(self, self.options, values)
        self.limits = read_limits(self.config)

    def judge(self, batch: Batch) -> Candidates:
        """Return the candidates of a batch with what the trees say of them."""
        found = find_batch_candidates(self, batch, self.options.least)
        rows = self.judge_rows.describe(self, batch, found, self.shares)
        return found._replace(probabilities=apply_trees(self.trees, rows, self.compiled))

    def forget_texts(self) -> None:
        """Empty what the CRF and the trees' columns remember of texts."""
        super().forget_texts()
        self.judge_rows.forget()

    def find_margins(self, document: Document, extra_columns: Sequence[Columns] = ()) -> Floats:
        """Return the log odds of PHI at each token of the chosen spans: a threshold below it covers the
        token."""
        batch = self.batch([document])
        found = self.choose(batch)
        odds = compute_log_odds(found.probabilities)
        margins = np.full(len(batch), compute_log_odds(np.zeros(1))[0])
        tokens, owners = found.expand()
        margins[tokens] = odds[owners]
        return margins

    def choose(self, batch: Batch) -> Candidates:
        """Return the spans of a batch without overlaps that are right in all with the most probability; their
        probabilities are those that their places hold PHI."""
        judged = self.judge(batch)
        limits = np.full(len(self.judge_rows.types), DOUBTFUL)
        places = judged._replace(probabilities=measure_mass(judged, len(batch)))
        return places.select(choose_spans(judged, limits))

    def _tag_all(self, documents: Iterable[Document], probabilities: bool) -> Iterator[Document]:
        return self._tag_spans(documents, self.limits, probabilities)

    def _tag_by_threshold(
        self, documents: Iterable[Document], threshold: Threshold, probabilities: bool
    ) -> Iterator[Document]:
        return self._tag_spans(documents, self.limits.override(threshold), probabilities)

    def _tag_spans(
        self, documents: Iterable[Document], threshold: Threshold, probabilities: bool
    ) -> Iterator[Document]:
        types = self.judge_rows.types
        limits = threshold.list_limits(types)
        for some in batch_documents(documents):
            batch = self.batch(some)
            found = self.choose(batch)
            kept = found.select(np.flatnonzero(found.probabilities > limits[found.types]))
            yield from place_spans(batch, list_spans(batch, kept, types, probabilities))


def build_rows(tagger: CrfTagger, options: Options, values: ValueNumbers) -> SpanRows:
    """Make what describes the candidates of a CRF."""
    names = [*dict.fromkeys([*options.inside, *options.beside])]
    observed = TokenValues(names, tagger.pipeline, values)
    types = sorted(tagger.scheme.types)
    return SpanRows(observed, options.inside, options.beside, types, options.note_types)


def find_batch_candidates(tagger: CrfTagger, batch: Batch, least: float) -> Candidates:
    """Return the possible spans of a batch; the numbers of their types are those of the scheme, sorted."""
    marginals = tagger.span_marginals
    emissions = tagger.decoder.emissions(batch)
    found = marginals.find(emissions, batch.first, batch.stop, least, tagger.compiled)
    types = sorted(tagger.scheme.types)
    number = np.array([types.index(name) for name in marginals.pairs.names] or [0], np.int64)
    return trim_candidates(batch, found._replace(types=number[found.types]))


def train(training: Training) -> None:
    """Train the CRF on the folds and on all documents, and the trees on the candidates of the folds."""
    folder = training.model
    options = read_options(Options, folder.config)
    plain = replace(folder.config, system="crf", options={}, span_threshold={})
    documents = [folder.pipeline.resolve_overlaps(document) for document in training.documents]
    values = ValueNumbers([*options.inside, *options.beside])
    parts: list[tuple[Floats, np.ndarray]] = []
    types = sorted(folder.scheme.types)
    with all_or_nothing():
        for rest, held_out in make_group_folds(documents, options):
            with tempfile.TemporaryDirectory(prefix="folds.", dir=folder.path) as name:
                tagger = model.train(rest, plain, Path(name) / "crf", training.on_iteration)
                assert isinstance(tagger, CrfTagger)
                shares = count_document_shares(tagger, rest, options, types)
                parts += describe_all(tagger, held_out, options, values, shares)
        crf.train_with_columns(replace(training, documents=documents, model=replace(folder, config=plain)))
    if options.least_weight:
        crfsuite_file.drop_small_weights(folder.path / crf.CRFSUITE, options.least_weight)
    rows, is_right = (np.concatenate(column) for column in zip(*parts))
    sorted_values = values.sort()
    renumber_columns(rows, values, sorted_values, options)
    write_trees(folder.path / TREES, options.fit_trees(rows, is_right))
    (folder.path / VALUES).write_text(
        json.dumps(sorted_values, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8"
    )
    whole = CrfTagger(replace(folder, config=plain))
    count_document_shares(whole, documents, options, types).write(folder.path / SHARES)


def make_group_folds(
    documents: Sequence[Document], options: Options
) -> Iterator[tuple[list[Document], list[Document]]]:
    """Yield pairs of the documents to train on and those that are held out. Where there are fewer groups than
    folds, each patient is a group."""
    group = re.compile(options.group)
    patients = [match[0] if (match := group.match(d.owner[1])) else d.owner[1] for d in documents]
    if len(set(patients)) < options.folds:
        patients = [d.owner[1] for d in documents]
    names = [f"{number}" for number in range(len(documents))]  # identifiers of two corpora can be equal
    keyed = [Document(name, "", patient=patient or name) for name, patient in zip(names, patients)]
    for rest, held_out in make_folds(Part("training documents", tuple(keyed)), options.folds, options.seed):
        own = [[documents[int(each.id)] for each in part.documents] for part in (rest, held_out)]
        yield own[0], own[1]


def count_document_shares(
    tagger: CrfTagger, documents: Sequence[Document], options: Options, types: Sequence[str]
) -> WordShares:
    """Count the shares of the words of training documents."""
    least = max(options.least_owners, tagger.config.min_patients)

    def read() -> Iterator[tuple[str, list[str], list[tuple[int, int, int]]]]:
        for some in batch_documents(documents):
            batch = tagger.batch(some)
            lowered = tagger.decoder.vocabulary.lowered
            keys = list_gold_keys(batch, types)
            for number, document in enumerate(some):
                begin, end = int(batch.bounds[number]), int(batch.bounds[number + 1])
                words = [lowered[text] for text in batch.texts[begin:end].tolist()]
                yield str(document.owner), words, [(a - begin, b - begin, t) for a, b, t in keys[number]]

    return count_shares(read(), len(types), least)


def describe_all(
    tagger: CrfTagger,
    documents: Sequence[Document],
    options: Options,
    values: ValueNumbers,
    shares: WordShares,
) -> Iterator[tuple[Floats, np.ndarray]]:
    """Yield the rows of the candidates of some documents, and which of them are right."""
    described = build_rows(tagger, options, values)
    tagger.compile()
    for some in batch_documents(documents):
        batch = tagger.batch(some)
        found = find_batch_candidates(tagger, batch, options.least)
        if len(found.first):
            gold = {key for keys in list_gold_keys(batch, described.types) for key in keys}
            keys = zip(found.first.tolist(), found.last.tolist(), found.types.tolist())
            is_right = np.array([key in gold for key in keys], bool)
            yield described.describe(tagger, batch, found, shares), is_right


def list_gold_keys(batch: Batch, types: Sequence[str]) -> list[list[tuple[int, int, int]]]:
    """Return, for each document, the tokens and types of its spans that begin and end with tokens."""
    number = {type: place for place, type in enumerate(types)}
    found = []
    for owner, document in enumerate(batch.documents):
        begin, end = int(batch.bounds[owner]), int(batch.bounds[owner + 1])
        starts = {start: begin + place for place, start in enumerate(batch.starts[begin:end].tolist())}
        ends = {stop: begin + place for place, stop in enumerate(batch.ends[begin:end].tolist())}
        keys = [(starts.get(s.start, -1), ends.get(s.end, -1), number[s.type]) for s in document.spans]
        found.append([key for key in keys if key[0] >= 0 and key[1] >= 0])
    return found


def renumber_columns(
    rows: Floats, values: ValueNumbers, sorted_values: dict[str, list[Value]], options: Options
) -> None:
    """Give the values of observations in ``rows`` their places among the sorted ones."""
    names = [*options.inside, *options.inside, *options.beside, *options.beside]
    after = len(word_evidence.SHARE_NAMES) + (len(word_evidence.TYPE_NAMES) if options.note_types else 0)
    first = rows.shape[1] - after - len(names)
    for place, name in enumerate(names, first):
        new = {value: number for number, value in enumerate(sorted_values[name])}
        order = np.array([new[value] for value in values.numbers[name]] or [0], np.float32)
        known = rows[:, place] >= 0
        rows[known, place] = order[rows[known, place].astype(np.int64)]


def read_values(path: Path) -> dict[str, list[Value]]:
    """Read the values of the observations. Raises :class:`ModelError` where the file is missing or another
    one."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): [*values] for name, values in table.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        raise ModelError(f"{path}: missing, or not the values of a judged model") from None


def load_crf(model_folder: ModelFolder) -> CrfTagger:
    """Load the CRF by itself, with the labels of python-crfsuite."""
    return CrfTagger(model_folder, engine="crfsuite")


SYSTEM = System(
    Options,
    train,
    JudgedTagger,
    {"crfsuite": load_crf},
    count_rounds=lambda settings: 1 + read_options(Options, settings).folds,
    settings=("recall_bias", "type_bias", "min_patients"),
    decoding=("span_threshold", "repair"),  # its trees learn from the biased CRF
    explained_by=registry.TREES,
)
