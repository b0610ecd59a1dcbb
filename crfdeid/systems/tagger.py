"""The one face of every loaded model: :class:`Tagger`, and the union of what several of them find."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate, chain, groupby, tee
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from crfdeid.config import Config
from crfdeid.errors import ConfigurationError, ModelError
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.templates import Columns
from crfdeid.lexicon import ENGLISH
from crfdeid.lexicon.letters import forget_words
from crfdeid.systems.threshold import AnyThreshold, Threshold, make_threshold
from crfdeid.text import bio
from crfdeid.text.document import Document, Span, subtract, trim_range
from crfdeid.text.scheme import Scheme
from crfdeid.text.tokenizer import tag_folded

if TYPE_CHECKING:
    from crfdeid.rules.tagger import RuleSet

BATCH = 120_000  # characters of documents that are tagged at once: with half as many, a tenth more time


@dataclass(frozen=True)
class ModelFolder:
    """A model's folder and what was read of it: settings, label scheme, and the pipeline of its own
    templates and gazetteers. ``fingerprint`` is the SHA-256 of its manifest, which a new training changes;
    it is empty while the model is built. ``learned`` are the settings that its files were written with, where
    ``config`` has another bias (:mod:`crfdeid.systems.bias`)."""

    path: Path
    config: Config
    pipeline: Pipeline
    scheme: Scheme
    fingerprint: str = ""
    learned: Config | None = None


class Tagger(ABC):
    """A loaded model of any system. Its capabilities are class attributes; a subclass defines
    :meth:`_tag_all`.

    ``has_probabilities``: :meth:`tag` and :meth:`tag_all` can give each span its probability.
    ``has_threshold``: they can tag by a threshold (:mod:`crfdeid.systems.threshold`).
    ``scores_tokens``: :meth:`score_tokens` works, and ``labels`` names its columns.
    ``operating_setting``: what moves the line between PHI and the rest, ``recall_bias`` or ``threshold``,
    where :meth:`find_margins` works.
    ``careful_threshold``: the threshold of a release, where a missed name harms more than a hidden word.
    ``is_fork_safe``: a forked process can use the tagger (it starts no threads).
    ``rules``: the rules that find the spans, where the system has rules.
    ``bases``: the systems that a stack of systems asks, by name.
    ``parts``: the taggers inside a tagger of several.
    ``language``: the language of its notes.
    ``finish``: what is done last with each folded document: the lists of a site, where the model has some.

    ``name`` is its folder's name, ``fingerprint`` belongs to its files and lists (:class:`ModelFolder`).
    """

    has_probabilities: ClassVar[bool] = False
    has_threshold: bool = False
    scores_tokens: ClassVar[bool] = False
    operating_setting: str = ""
    careful_threshold: float = 0.1
    is_fork_safe: bool = False
    labels: Sequence[str] = ()
    rules: RuleSet | None = None
    bases: Mapping[str, Tagger] = {}
    parts: Sequence[Tagger] = ()
    language: str = ENGLISH
    finish: Callable[[Document], Document] | None = None

    def __init__(self, model: ModelFolder) -> None:
        self.model = model
        self.folder, self.config = model.path, model.config
        self.pipeline, self.scheme = model.pipeline, model.scheme
        self.name, self.fingerprint = model.path.name, model.fingerprint
        self.language = model.config.language

    def tag(
        self, document: Document, probabilities: bool = False, threshold: AnyThreshold | None = None
    ) -> Document:
        """Return the document with the spans found in place of those it had, as :meth:`tag_all` does."""
        return next(self.tag_all([document], probabilities, threshold))

    def tag_all(
        self,
        documents: Iterable[Document],
        probabilities: bool = False,
        threshold: AnyThreshold | None = None,
    ) -> Iterator[Document]:
        """Yield the documents in order, with the spans found. A system that tags several documents at once
        reads some ahead; consecutive notes of one patient are seen together where the system can use
        that. The system sees folded texts (:mod:`crfdeid.text.tokenizer`), and the spans are repaired
        (:mod:`crfdeid.repair`). With a ``threshold``, a number for all types or a table of types, a
        token is tagged where PHI is at least that probable (:mod:`crfdeid.systems.threshold`). Raises
        :class:`ConfigurationError` on ``probabilities`` or ``threshold`` where the system has none."""
        return tag_folded(
            lambda folded: self.repair_all(self._decide(folded, probabilities, threshold)), documents
        )

    def tag_unrepaired(
        self,
        documents: Iterable[Document],
        probabilities: bool = False,
        threshold: AnyThreshold | None = None,
    ) -> Iterator[Document]:
        """As :meth:`tag_all`, without the repair: what the model itself decides, for a stack of systems."""
        return tag_folded(lambda folded: self._decide(folded, probabilities, threshold), documents)

    def _decide(
        self, documents: Iterable[Document], probabilities: bool, threshold: AnyThreshold | None
    ) -> Iterator[Document]:
        """Yield folded documents with the spans of the model."""
        self.check_probabilities(probabilities)
        if threshold is None:
            return self._tag_all(documents, probabilities)
        return self._tag_by_threshold(documents, self.check_threshold(threshold), probabilities)

    def check_probabilities(self, wanted: bool) -> None:
        """Raise :class:`ConfigurationError` where probabilities are wanted and the system has none."""
        if wanted and not self.has_probabilities:
            raise ConfigurationError(f"the system {self.config.system} gives no probabilities")

    def check_threshold(self, threshold: AnyThreshold) -> Threshold:
        """Return the threshold. Raises :class:`ConfigurationError` where the system cannot use one, or the
        scheme does not have its types."""
        chosen = make_threshold(threshold)
        if not self.has_threshold:
            raise ConfigurationError(
                f"threshold: the system {self.config.system} gives no probabilities of tokens; "
                "crf and two_stage do"
            )
        chosen.check_scheme(self.scheme)
        return chosen

    def repair_all(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents with repaired spans, where configuration, language and scheme have repair,
        and with those of the lists of a site."""
        repaired = iter(documents)
        if self.config.repair:
            from crfdeid.repair import find_forms, repair_batch

            if forms := find_forms(self.scheme.name, self.language):
                batches = batch_documents(documents)
                repaired = chain.from_iterable(repair_batch(some, forms) for some in batches)
        return map(self.finish, repaired) if self.finish else repaired

    def tag_patient(self, documents: Sequence[Document]) -> list[Document]:
        """Return the notes of one patient, in order, with the spans found."""
        return list(self.tag_all(documents))

    def score_tokens(self, document: Document) -> np.ndarray:
        """Return the scores [tokens, labels] of the document's tokens. Raises :class:`ConfigurationError`
        where the system does not score each token by itself."""
        raise ConfigurationError(f"the system {self.config.system} does not score tokens by themselves")

    def score_hidden(self, document: Document, part: range, number: int) -> np.ndarray:
        """Return the scores [1 + tokens of the part, labels] of one token of a folded document: as it is, and
        with each token of ``part`` hidden, which is in the same sequence. Raises :class:`ConfigurationError`
        where the system is not a network."""
        raise ConfigurationError(f"the system {self.config.system} does not score tokens without others")

    def find_margins(self, document: Document) -> np.ndarray:
        """Return how far PHI scores above O at each token of a folded document: its best type; with a
        threshold, the logarithm of P(PHI) / P(O). Raises :class:`ConfigurationError` where the system does
        not score tokens, and :class:`ModelError` where its only labels are PHI."""
        scores = self.score_tokens(document)
        if bio.OUTSIDE not in self.labels:
            raise ModelError(f"{self.folder}: trained only on tokens of PHI: it has no threshold")
        outside = list(self.labels).index(bio.OUTSIDE)
        margins: np.ndarray = np.delete(scores, outside, axis=1).max(axis=1) - scores[:, outside]
        return margins

    def compile(self) -> None:  # noqa: B027 (most systems have nothing to prepare)
        """Prepare for many documents."""

    def forget(self) -> None:
        """Forget the words of the notes that were tagged, so that neither the time of the next notes nor the
        memory shows them (docs/sharing.md). The next notes are tagged as by a fresh tagger."""
        forget_words()
        self.forget_texts()

    def forget_texts(self) -> None:
        """Empty what this tagger itself remembers of texts."""
        for part in self.parts:
            part.forget_texts()

    @abstractmethod
    def _tag_all(self, documents: Iterable[Document], probabilities: bool) -> Iterator[Document]:
        """Yield the documents with the spans found; ``probabilities`` only where the system has them."""

    def _tag_by_threshold(
        self, documents: Iterable[Document], threshold: Threshold, probabilities: bool
    ) -> Iterator[Document]:
        """As :meth:`_tag_all` with a threshold; for systems that can use one."""
        raise NotImplementedError


def batch_documents(documents: Iterable[Document], characters: int = BATCH) -> Iterator[list[Document]]:
    """Yield the documents in order, as lists of ``characters`` characters or a little more."""
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


def read_ahead(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield the documents, made batch by batch: a stage that makes some at once is quicker than stages that
    take turns at each document, because the processor keeps what a stage needs."""
    return chain.from_iterable(batch_documents(documents))


def batch_with_columns(
    documents: Sequence[Document], extra_columns: Sequence[Columns]
) -> Iterator[tuple[list[Document], Sequence[Columns]]]:
    """Yield the batches of :func:`batch_documents`, each with the extra columns of its documents."""
    start = 0
    for some in batch_documents(documents):
        yield some, extra_columns[start : start + len(some)]
        start += len(some)


def group_by_patient(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Yield the consecutive documents of each patient; a document without patient makes its own group.

    >>> notes = [Document(str(n), "", patient=p) for n, p in enumerate(["a", "a", "b", None, None])]
    >>> [[note.id for note in group] for group in group_by_patient(notes)]
    [['0', '1'], ['2'], ['3'], ['4']]
    """
    for _, group in groupby(documents, lambda document: document.owner):
        yield list(group)


def chunk_documents(documents: Iterable[Document], size: int) -> Iterator[list[Document]]:
    """Yield consecutive documents as lists of ``size`` characters or a little more. Consecutive notes of
    one patient are in one list, because some systems look at them together.

    >>> [len(chunk) for chunk in chunk_documents([Document(str(n), "text") for n in range(5)], 8)]
    [2, 2, 1]
    >>> notes = [Document(str(n), "text", patient="1") for n in range(5)]
    >>> [len(chunk) for chunk in chunk_documents(notes, 8)]
    [5]
    """
    chunk: list[Document] = []
    held = 0
    for notes in group_by_patient(documents):
        chunk += notes
        held += sum(len(document.text) for document in notes)
        if held >= size:
            yield chunk
            chunk, held = [], 0
    if chunk:
        yield chunk


JOIN = "+"  # between the names


class Union(Tagger):
    """Keeps the spans of the first tagger, and adds the parts of the others' spans that no span covers
    yet. A threshold is for the taggers that can use one; the others add what they find without it. Folder,
    configuration, pipeline and scheme come from the first. Raises :class:`ConfigurationError` where
    another tagger has another scheme. With probabilities, the spans of taggers that give none have none."""

    def __init__(self, taggers: Sequence[Tagger]) -> None:
        first, *others = taggers
        super().__init__(first.model)
        self.parts = taggers
        self.name = JOIN.join(tagger.name for tagger in taggers)
        self.fingerprint = sha256("".join(tagger.fingerprint for tagger in taggers).encode()).hexdigest()
        self.has_threshold = any(tagger.has_threshold for tagger in taggers)
        self.careful_threshold = min(tagger.careful_threshold for tagger in taggers)
        self.is_fork_safe = all(tagger.is_fork_safe for tagger in taggers)
        for other in others:
            if other.scheme.name != self.scheme.name:
                wanted = f"wanted {self.scheme.name}, as {first.folder} has"
                raise ConfigurationError(f"{other.folder}: scheme {other.scheme.name}; {wanted}")

    def compile(self) -> None:
        for tagger in self.parts:
            tagger.compile()

    def check_probabilities(self, wanted: bool) -> None:
        if wanted and not any(tagger.has_probabilities for tagger in self.parts):
            raise ConfigurationError(f"none of {self.name} gives probabilities")

    def _tag_all(self, documents: Iterable[Document], probabilities: bool) -> Iterator[Document]:
        return self._unite(documents, None, probabilities)

    def _tag_by_threshold(
        self, documents: Iterable[Document], threshold: Threshold, probabilities: bool
    ) -> Iterator[Document]:
        return self._unite(documents, threshold, probabilities)

    def _unite(
        self, documents: Iterable[Document], threshold: Threshold | None, probabilities: bool
    ) -> Iterator[Document]:
        """Yield the documents with the spans of all taggers; those that can use the threshold use it."""
        copies = tee(documents, len(self.parts))
        found = (
            tagger.tag_unrepaired(
                copy,
                probabilities and tagger.has_probabilities,
                threshold if tagger.has_threshold else None,
            )
            for tagger, copy in zip(self.parts, copies)
        )
        for answers in zip(*found, strict=True):
            yield answers[0].with_spans(unite_spans(answers[0].text, [answer.spans for answer in answers]))


def unite_spans(text: str, found: Iterable[Iterable[Span]]) -> list[Span]:
    """Return all spans of the first list and, of each next list, the parts that no span before covers, if
    they have a letter or a digit.

    >>> text = "Seen by Ana Ruiz, 61"
    >>> spans = unite_spans(text, [[Span(12, 16, "DOCTOR")], [Span(8, 20, "PATIENT")]])
    >>> [text[span.start : span.end] for span in spans]
    ['Ana', 'Ruiz', '61']
    """
    kept: list[Span] = []
    for spans in found:
        before = sorted(kept)
        starts, ends = [span.start for span in before], [*accumulate((span.end for span in before), max)]
        for span in spans:
            near = before[bisect_right(ends, span.start) : bisect_left(starts, span.end)]
            kept += _find_uncovered(text, span, [other for other in near if other.overlaps(span)])
    return sorted(kept)


def _find_uncovered(text: str, span: Span, taken: Sequence[Span]) -> Iterator[Span]:
    """Yield the span; where ``taken`` overlap it, the rest of it without the punctuation at its ends."""
    if not taken:
        yield span
        return
    for start, end in subtract(span, taken):
        if inner := trim_range(text, start, end, lambda character: not character.isalnum()):
            yield Span(*inner, span.type)
