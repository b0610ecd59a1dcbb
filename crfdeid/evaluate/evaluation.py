"""One evaluation: gold and system read, paired and measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

import crfdeid
from crfdeid import corpora
from crfdeid.errors import FormatError
from crfdeid.evaluate import error_analysis, i2b2_2014, leakage, significance, word_scores
from crfdeid.evaluate.matching import CRITERIA, Criterion, ScoredDocument, build_scored_document
from crfdeid.evaluate.pairing import PairError, pair_documents
from crfdeid.evaluate.scores import Scores, score_pairs
from crfdeid.evaluate.significance import Difference, ZTest, randomisation_test, z_test
from crfdeid.text.document import Document, fingerprint_documents
from crfdeid.text.scheme import Scheme


@dataclass(frozen=True)
class EvaluationOptions:
    """How to compare. ``rules``: ``i2b2`` or ``meddocan``; ``hipaa``: ``script`` or
    ``list``; ``missing``: ``error`` or ``ignore``; ``unknown`` types: ``error`` or
    ``count``; ``by``: what is resampled, ``document`` or ``patient``."""

    scheme: Scheme
    rules: str = "i2b2"
    hipaa: str = "script"
    missing: str = "error"
    unknown: str = "error"
    by: str = "document"
    resamples: int = 10_000
    seed: int = 0


@dataclass(frozen=True)
class Signature:
    """``corpus`` is a fingerprint of the gold documents: ids, texts and spans, in any
    order. ``gold`` and ``system`` count spans, identical ones once."""

    scheme: str
    hipaa: str
    corpus: str
    documents: int
    gold: int
    system: int
    missing: int = 0
    version: str = crfdeid.__version__

    def text(self, **more: object) -> str:
        """As sacreBLEU prints it: what is particular to the figure first.

        >>> Signature("i2b2-2014", "script", "0f3a", 2, 9, 8).text(criterion="strict")  # doctest: +ELLIPSIS
        'criterion:strict|scheme:i2b2-2014|...|version:...'
        """
        return "|".join(f"{name}:{value}" for name, value in (more | asdict(self)).items())


def build_signature(
    pairs: Sequence[tuple[Document, Document]], scheme: str, hipaa: str, missing: int = 0
) -> Signature:
    gold, system = (sum(len(set(pair[side].spans)) for pair in pairs) for side in (0, 1))
    corpus = fingerprint_documents(gold for gold, _ in pairs)
    return Signature(scheme, hipaa, corpus, len(pairs), gold, system, missing)


@dataclass(frozen=True)
class Evaluation:
    choices: EvaluationOptions
    tags: list[tuple[ScoredDocument, ScoredDocument]]
    absent: int

    @cached_property
    def pairs(self) -> list[tuple[Document, Document]]:
        return [(gold.document, system.document) for gold, system in self.tags]

    @cached_property
    def scores(self) -> Scores:
        return score_pairs(self.tags, self.choices.scheme, self.choices.hipaa)

    @cached_property
    def exposure(self) -> leakage.Leakage:
        return leakage.measure_leakage(self.pairs)

    @cached_property
    def words(self) -> word_scores.WordScores:
        return word_scores.measure_words(self.pairs, self.choices.scheme)

    @cached_property
    def mistakes(self) -> list[error_analysis.ErrorRecord]:
        return error_analysis.find_errors(self.pairs)

    @cached_property
    def recipe(self) -> Signature:
        return build_signature(self.pairs, self.choices.scheme.name, self.choices.hipaa, self.absent)

    @cached_property
    def groups(self) -> tuple[str, ...] | None:
        return self.scores.patients if self.choices.by == "patient" else None

    @cached_property
    def intervals(self) -> dict[str, dict[str, significance.Interval]]:
        """95% intervals of the micro metrics, by criterion and for characters; none
        without resamples."""
        if not (count := self.choices.resamples):
            return {}
        tables = {criterion: self.scores.documents(Criterion(criterion)) for criterion in CRITERIA}
        tables["characters"] = self.exposure.characters()
        return {
            criterion: significance.bootstrap(table, self.groups, count, seed=self.choices.seed)
            for criterion, table in tables.items()
        }


def evaluate(
    gold: Sequence[ScoredDocument], system: Sequence[ScoredDocument], choices: EvaluationOptions
) -> Evaluation:
    """Raises what :func:`crfdeid.evaluate.pairing.pair_documents` raises, and :class:`SchemeError`."""
    right, found = ([side.document for side in sides] for sides in (gold, system))
    pairs = pair_documents(right, found, choices.missing)
    if choices.unknown == "count":
        choices = replace(choices, scheme=widen_scheme(choices.scheme, [*right, *found]))
    choices.scheme.check([*right, *found])
    ours, theirs = ({side.document.id: side for side in sides} for sides in (gold, system))
    tags = [(ours[document.id], theirs[document.id]) for document, _ in pairs]
    return Evaluation(choices, tags, len(gold) - len(pairs))


def read_sides(
    paths: Sequence[Path], choices: EvaluationOptions, format: str | None = None, encoding: str = "utf-8"
) -> list[list[ScoredDocument]]:
    """Each path's documents. Where all are i2b2 XML, tags are verbatim, as the script wants
    them; else they are made of the documents' spans, so that formats compare."""
    for path in paths:
        if not path.exists():
            raise FormatError(f"{path}: no such file or folder")
    formats = [format or corpora.detect_format(path) for path in paths]
    verbatim = set(formats) == {"i2b2"}
    sides = []
    for path, name in zip(paths, formats):
        if name == "i2b2":
            side = i2b2_2014.read_verbatim(path, choices.scheme, encoding, fold=choices.rules == "i2b2")
        else:
            side = [ScoredDocument(document, ()) for document in corpora.read(path, name, encoding)]
        sides.append(side if verbatim else rebuild_tags(side, choices))
    return sides


def rebuild_tags(side: Sequence[ScoredDocument], choices: EvaluationOptions) -> list[ScoredDocument]:
    documents = [tagged.document for tagged in side]
    scheme = widen_scheme(choices.scheme, documents) if choices.unknown == "count" else choices.scheme
    return [build_scored_document(document, scheme) for document in documents]


def widen_scheme(scheme: Scheme, documents: Sequence[Document]) -> Scheme:
    """The scheme with a category UNKNOWN for the types that it lacks."""
    types = {span.type for document in documents for span in document.spans} - set(scheme.types)
    if not types:
        return scheme
    return replace(scheme, categories=scheme.categories | {"UNKNOWN": tuple(sorted(types))})


@dataclass(frozen=True)
class Comparison:
    """``randomised[criterion][metric]``; ``z[kind]`` is the F of each system, and their z."""

    randomised: dict[str, dict[str, Difference]]
    z: dict[str, tuple[float, float, ZTest]]


def compare(first: Evaluation, second: Evaluation) -> Comparison:
    """Raises :class:`PairError` where the two were not scored on the same documents."""
    if first.scores.ids != second.scores.ids:
        raise PairError("the two systems were not scored on the same documents")
    return Comparison(
        {criterion: compare_randomised(first, second, Criterion(criterion)) for criterion in CRITERIA},
        compare_words(first, second),
    )


def compare_randomised(first: Evaluation, second: Evaluation, track: Criterion) -> dict[str, Difference]:
    tables = first.scores.documents(track), second.scores.documents(track)
    return randomisation_test(*tables, first.groups, first.choices.resamples or 1, first.choices.seed)


def compare_words(first: Evaluation, second: Evaluation) -> dict[str, tuple[float, float, ZTest]]:
    """Per kind of word; the sample size is the number of gold words of the kind."""
    ours, theirs = first.words.counts(), second.words.counts()
    results = {}
    for kind in ours.keys() & theirs.keys():
        one, two = ours[kind], theirs[kind]
        z = z_test(one.f1, one.tp + one.fn, two.f1, two.tp + two.fn)
        results[kind] = (one.f1, two.f1, z)
    return {kind: results[kind] for kind in first.words.kinds if kind in results}
