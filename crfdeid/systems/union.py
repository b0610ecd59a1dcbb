"""Several taggers as one: what any of them finds counts. Recall comes first, so it costs precision.

``--model english+rules`` is the shipped CRF and the rules: they miss different things.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import tee

from crfdeid.errors import ConfigurationError
from crfdeid.systems import model
from crfdeid.text.document import Document, Span
from crfdeid.text.spans import subtract, trim_range


class Union:
    """The first tagger's spans stay as they are; of the others' spans, what is not covered yet is
    added. Folder, line and scheme are the first one's. Raises :class:`ConfigurationError` where the
    others have other types."""

    def __init__(self, taggers: Sequence[model.Tagger]) -> None:
        first, *others = taggers
        self.taggers = taggers
        self.folder, self.pipeline, self.scheme = first.folder, first.pipeline, first.scheme
        for other in others:
            if other.scheme.name != self.scheme.name:
                wanted = f"wanted {self.scheme.name}, as {first.folder} has"
                raise ConfigurationError(f"{other.folder}: scheme {other.scheme.name}; {wanted}")

    def tag(self, document: Document) -> Document:
        return next(self.tag_all([document]))

    def tag_all(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents in order, with the spans found in place of any they had."""
        copies = tee(documents, len(self.taggers))
        found = (model.tag_all(tagger, copy) for tagger, copy in zip(self.taggers, copies))
        for answers in zip(*found, strict=True):
            yield answers[0].with_spans(united(answers[0].text, [answer.spans for answer in answers]))


def united(text: str, found: Iterable[Iterable[Span]]) -> list[Span]:
    """All spans of the first list; of the next ones, what no span before covers, if it holds a letter
    or a digit.

    >>> text = "Seen by Ana Ruiz, 61"
    >>> [text[s.start : s.end] for s in united(text, [[Span(12, 16, "DOCTOR")], [Span(8, 20, "PATIENT")]])]
    ['Ana', 'Ruiz', '61']
    """
    kept: list[Span] = []
    for spans in found:
        kept += [piece for span in spans for piece in _uncovered(text, span, sorted(kept))]
    return sorted(kept)


def _uncovered(text: str, span: Span, kept: Sequence[Span]) -> Iterator[Span]:
    """The span, or where others overlap it, what is left of it without the punctuation at its ends."""
    taken = [other for other in kept if other.overlaps(span)]
    if not taken:
        yield span
        return
    for start, end in subtract(span, taken):
        if inner := trim_range(text, start, end, lambda character: not character.isalnum()):
            yield Span(*inner, span.type)
