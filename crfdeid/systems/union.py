"""Several taggers as one: the union of their spans. It raises recall and costs precision.

``--model english+rules`` is the shipped CRF and the rules, which miss different things.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import accumulate, tee

from crfdeid.errors import ConfigurationError
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.threshold import Threshold
from crfdeid.text.document import Document, Span, subtract, trim_range

JOIN = "+"  # between the names


class Union(Tagger):
    """Keeps the spans of the first tagger, and adds the parts of the others' spans that no span covers
    yet. A threshold is for the taggers that can use one; the others add what they find without it. Folder,
    configuration, pipeline and scheme are those of the first. Raises :class:`ConfigurationError` where
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
