"""One evaluation: read gold and system, pair them, and measure everything once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

import crfdeid
from crfdeid import corpora
from crfdeid.errors import SchemeError
from crfdeid.evaluate import official
from crfdeid.evaluate.error_analysis import ErrorRecord, find_errors
from crfdeid.evaluate.leakage import Leakage, measure_leakage
from crfdeid.evaluate.matching import (
    CRITERIA,
    Criterion,
    PairError,
    ScoredDocument,
    build_scored_document,
    pair_documents,
)
from crfdeid.evaluate.scores import Scores, list_rows, score_pairs
from crfdeid.evaluate.significance import (
    Difference,
    Interval,
    ZTest,
    adjust_holm,
    bootstrap,
    bootstrap_change,
    find_shown_difference,
    randomisation_test,
    randomisation_tests,
    z_test,
)
from crfdeid.evaluate.word_scores import WordScores, measure_words
from crfdeid.text.document import Document, fingerprint_documents
from crfdeid.text.scheme import Scheme, TypeMap, read_scheme

ALL = "all"  # the row of all spans


@dataclass(frozen=True)
class EvaluationOptions:
    """How to compare. ``rules``: ``i2b2`` or ``meddocan``; ``hipaa``: ``script`` or ``list``;
    ``missing_documents``: ``error`` or ``ignore``; ``unknown_types``: ``error`` or ``count``;
    ``unit``, which is resampled: ``document`` or ``patient``. ``types`` gives the spans of all sides other
    types, the types of ``scheme``."""

    scheme: Scheme
    rules: str = "i2b2"
    hipaa: str = "script"
    missing_documents: str = "error"
    unknown_types: str = "error"
    unit: str = "document"
    resamples: int = 10_000
    seed: int = 0
    types: TypeMap | None = None


@dataclass(frozen=True)
class Signature:
    """The conditions of a figure; without them a number cannot be compared with another.

    ``corpus`` is a fingerprint of the gold documents: ids, texts and spans, in any order. ``gold``
    and ``system`` count spans, identical ones once; ``missing`` counts gold documents left out.
    """

    scheme: str
    hipaa: str
    corpus: str
    documents: int
    gold: int
    system: int
    missing: int = 0
    version: str = crfdeid.__version__

    def text(self, **details: object) -> str:
        """The signature in sacreBLEU's form, with the details of one figure first.

        >>> Signature("i2b2-2014", "script", "0f3a", 2, 9, 8).text(criterion="strict")  # doctest: +ELLIPSIS
        'criterion:strict|scheme:i2b2-2014|...|version:...'
        """
        return "|".join(f"{name}:{value}" for name, value in (details | asdict(self)).items())


@dataclass(frozen=True)
class Evaluation:
    """Gold and system documents, paired, and what can be measured on them. ``left_out`` counts gold
    documents that the system does not have."""

    options: EvaluationOptions
    scored_pairs: list[tuple[ScoredDocument, ScoredDocument]]
    left_out: int

    @cached_property
    def pairs(self) -> list[tuple[Document, Document]]:
        return [(gold.document, system.document) for gold, system in self.scored_pairs]

    @cached_property
    def scores(self) -> Scores:
        return score_pairs(self.scored_pairs, self.options.scheme, self.options.hipaa)

    @cached_property
    def leakage(self) -> Leakage:
        return measure_leakage(self.pairs)

    @cached_property
    def word_scores(self) -> WordScores:
        return measure_words(self.pairs, self.options.scheme)

    @cached_property
    def errors(self) -> list[ErrorRecord]:
        return find_errors(self.pairs)

    @cached_property
    def signature(self) -> Signature:
        options = self.options
        gold, system = (sum(len(set(pair[side].spans)) for pair in self.pairs) for side in (0, 1))
        corpus = fingerprint_documents(gold for gold, _ in self.pairs)
        size = len(self.pairs)
        return Signature(options.scheme.name, options.hipaa, corpus, size, gold, system, self.left_out)

    @cached_property
    def groups(self) -> tuple[str, ...] | None:
        """The patient of each document where patients are resampled, else None."""
        return self.scores.patients if self.options.unit == "patient" else None

    @property
    def units(self) -> int:
        """The number of documents, or of patients, that are resampled."""
        return len(set(self.groups)) if self.groups else len(self.pairs)

    @cached_property
    def intervals(self) -> dict[str, dict[str, Interval]]:
        """95% intervals of the micro metrics, by criterion and for characters; empty without
        resamples."""
        if not (resamples := self.options.resamples):
            return {}
        counts = {name: self.scores.count_by_document(Criterion(name)) for name in CRITERIA}
        counts["characters"] = self.leakage.count_characters()
        return {
            name: bootstrap(table, self.groups, resamples, seed=self.options.seed)
            for name, table in counts.items()
        }


def evaluate(
    gold: Sequence[ScoredDocument], system: Sequence[ScoredDocument], options: EvaluationOptions
) -> Evaluation:
    """Pair the documents and check their types. Raises what
    :func:`crfdeid.evaluate.matching.pair_documents` raises, and :class:`SchemeError`."""
    gold_documents, system_documents = ([side.document for side in sides] for sides in (gold, system))
    pairs = pair_documents(gold_documents, system_documents, options.missing_documents)
    documents = [*gold_documents, *system_documents]
    if options.unknown_types == "count":
        options = replace(options, scheme=widen_scheme(options.scheme, documents))
    check_types(options.scheme, documents)
    gold_by_id, system_by_id = ({side.document.id: side for side in sides} for sides in (gold, system))
    scored = [(gold_by_id[document.id], system_by_id[document.id]) for document, _ in pairs]
    return Evaluation(options, scored, len(gold) - len(pairs))


def check_types(scheme: Scheme, documents: Sequence[Document]) -> None:
    """Raise :class:`SchemeError` at a type that the scheme lacks, with the options that help."""
    try:
        scheme.check(documents)
    except SchemeError as error:
        help = "--scheme FILE names another scheme, such as MODEL/scheme.toml; --unknown-types count"
        raise SchemeError(f"{error}; {help} scores such types as wrong") from None


def read_sides(
    paths: Sequence[Path], options: EvaluationOptions, format: str | None = None, encoding: str = "utf-8"
) -> list[list[ScoredDocument]]:
    """Read the documents of each path. Where all are i2b2 XML, their tags are scored as the files
    have them, as the script does; else the documents' spans are, so that formats compare."""
    formats = [format or corpora.detect_format(path) for path in paths]
    verbatim = set(formats) == {"i2b2"} and not options.types
    sides = []
    for path, name in zip(paths, formats):
        if name == "i2b2":
            scheme = read_scheme() if options.types else options.scheme
            side = official.read_verbatim(path, scheme, encoding, fold=options.rules == "i2b2")
        else:
            side = [ScoredDocument(document, ()) for document in corpora.read(path, name, encoding)]
        sides.append(side if verbatim else score_spans(side, options))
    return sides


def score_spans(side: Sequence[ScoredDocument], options: EvaluationOptions) -> list[ScoredDocument]:
    """Build the tags of each document again, from its spans."""
    documents = [scored.document for scored in side]
    if options.types:
        documents = list(options.types.apply_all(documents))
    scheme = options.scheme
    if options.unknown_types == "count":
        scheme = widen_scheme(scheme, documents)
    check_types(scheme, documents)
    return [build_scored_document(document, scheme) for document in documents]


def widen_scheme(scheme: Scheme, documents: Sequence[Document]) -> Scheme:
    """Return the scheme with a category UNKNOWN for the types that it does not have."""
    types = {span.type for document in documents for span in document.spans} - set(scheme.types)
    if not types:
        return scheme
    return replace(scheme, categories=scheme.categories | {"UNKNOWN": tuple(sorted(types))})


@dataclass(frozen=True)
class Comparison:
    """Two systems on the same gold documents. ``randomised[criterion][metric]``; ``z[kind]`` is the
    F of each system on a kind of word, and the z-test of the two; ``rows[row]`` is the strict F1 of a row
    of the scores, and its p after Holm's correction over the rows of its family. ``units`` are the documents
    or patients that are resampled; ``shown`` is the difference of strict F1 that they show four times in
    five."""

    randomised: dict[str, dict[str, Difference]]
    z: dict[str, tuple[float, float, ZTest]]
    rows: dict[str, tuple[Difference, float]]
    units: int = 0
    shown: float = 0.0


def compare(first: Evaluation, second: Evaluation) -> Comparison:
    """Test the differences of two systems. Raises :class:`PairError` where the two were not scored
    on the same documents."""
    if first.scores.ids != second.scores.ids:
        raise PairError("the two systems were not scored on the same documents")
    return Comparison(
        {name: compare_randomised(first, second, Criterion(name)) for name in CRITERIA},
        compare_words(first, second),
        compare_rows(first, second),
        first.units,
        find_shown_strict_difference(first, second),
    )


def find_shown_strict_difference(first: Evaluation, second: Evaluation) -> float:
    """Return the difference of strict F1 that these documents show; 0 without resamples."""
    if not (resamples := first.options.resamples):
        return 0.0
    one, two = (side.scores.count_by_document(Criterion("strict")) for side in (first, second))
    return find_shown_difference(one, two, first.groups, resamples, first.options.seed)


def compare_randomised(
    first: Evaluation, second: Evaluation, criterion: Criterion, element: str = "", type: str = ""
) -> dict[str, Difference]:
    """Test precision, recall and F1 by approximate randomisation: of all, of one element, or of one type."""
    one, two = (side.scores.count_by_document(criterion, element, type) for side in (first, second))
    return randomisation_test(one, two, first.groups, first.options.resamples or 1, first.options.seed)


def bootstrap_changes(first: Evaluation, second: Evaluation, criterion: Criterion) -> dict[str, Interval]:
    """95% intervals of the differences of precision, recall and F1, over the same documents or patients."""
    one, two = (side.scores.count_by_document(criterion) for side in (first, second))
    return bootstrap_change(one, two, first.groups, first.options.resamples, seed=first.options.seed)


def compare_rows(first: Evaluation, second: Evaluation) -> dict[str, tuple[Difference, float]]:
    """Test strict F1 of PHI or not, of the HIPAA subset, and of each category and type that a side has;
    with Holm's correction within each family: the categories, the types, and the two unions."""
    tested = {title: test for title, test in compare_strict_rows(first, second).items() if title != ALL}
    families: dict[str, list[str]] = {}
    for row in list_strict_rows([first, second]):
        if row.title in tested:
            families.setdefault(row.family, []).append(row.title)
    adjusted = {
        title: p
        for titles in families.values()
        for title, p in zip(titles, adjust_holm([tested[title].p for title in titles]))
    }
    return {title: (test, adjusted[title]) for title, test in tested.items()}


def compare_strict_rows(first: Evaluation, second: Evaluation) -> dict[str, Difference]:
    """Test strict F1 of each row of :func:`list_strict_rows`."""
    rows, options = list_strict_rows([first, second]), first.options
    one, two = (count_rows(side, rows) for side in (first, second))
    tests = randomisation_tests(one, two, first.groups, options.resamples or 1, options.seed)
    return {row.title: test["f1"] for row, test in zip(rows, tests)}


@dataclass(frozen=True)
class ScoredRow:
    """The spans that a row of a table by type counts: spans of any type by their place only, or of one
    category or type."""

    title: str
    criterion: Criterion
    element: str = ""
    type: str = ""

    @property
    def family(self) -> str:
        """The rows that Holm's method corrects together: rows of one family ask the same question of other
        spans."""
        return "types" if self.type else "categories" if self.element else "unions"


def list_strict_rows(sides: Sequence[Evaluation]) -> list[ScoredRow]:
    """Return the rows of a table by type: all, PHI or not, the HIPAA subset, and each category and type that
    a side has."""
    listed = dict.fromkeys(row for side in sides for row in list_rows(side.scores, types=True))
    found = [ScoredRow(ALL, Criterion("strict")), ScoredRow("PHI or not", Criterion("strict", binary=True))]
    for title, hipaa, element, type in sorted(listed, key=order_rows(sides[0].scores.scheme)):
        if hipaa or element:
            found.append(ScoredRow(title.strip(), Criterion("strict", hipaa), element, type))
    return found


def count_rows(side: Evaluation, rows: Sequence[ScoredRow]) -> np.ndarray:
    """Return an array [document, row, 3] of tp, fp, fn."""
    counted = [side.scores.count_by_document(row.criterion, row.element, row.type) for row in rows]
    return np.stack(counted, axis=1)


def order_rows(scheme: Scheme) -> Callable[[tuple[str, bool, str, str]], tuple[int, int]]:
    """Return the key that sorts rows of the scores as the scheme has its categories and types; what it does
    not have comes last."""
    categories, types = (
        {name: n for n, name in enumerate(names, 1)} for names in (scheme.categories, scheme.types)
    )
    last = len(types) + 1
    return lambda row: (
        categories.get(row[2], last) if row[2] else 0,
        types.get(row[3], last) if row[3] else 0,
    )


def compare_words(first: Evaluation, second: Evaluation) -> dict[str, tuple[float, float, ZTest]]:
    """Test F of each kind of word by z; the sample size is the number of gold words of the kind."""
    first_counts, second_counts = first.word_scores.counts(), second.word_scores.counts()
    results = {}
    for kind in first.word_scores.kinds:
        if kind in first_counts and kind in second_counts:
            one, two = first_counts[kind], second_counts[kind]
            z = z_test(one.f1, one.tp + one.fn, two.f1, two.tp + two.fn)
            results[kind] = (one.f1, two.f1, z)
    return results
