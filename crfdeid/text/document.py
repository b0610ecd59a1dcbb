"""The three things everything else is made of.

Offsets count code points of ``Document.text``; ends are exclusive, as in a slice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from crfdeid.errors import DocumentError


@dataclass(frozen=True, order=True, slots=True)
class Span:
    """A stretch of PHI, ``text[start:end]``, and its type. It holds no text, so
    that a repr cannot leak any. ``probability`` is the model's, where it was asked for;
    two spans that differ in it alone are equal."""

    start: int
    end: int
    type: str
    probability: float | None = field(default=None, compare=False)

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Token:
    """The smallest slice a label can be put on: ``text`` begins at ``start``."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True)
class Document:
    """One note with its PHI, sorted. Spans may overlap (some formats allow it);
    :func:`crfdeid.text.bio.encode` is where that is refused.

    Raises :class:`DocumentError` on a span that is empty or leaves the text, and
    on text with a lone surrogate, which no file could hold.

    >>> note = Document("n1", "Seen by Dr. Ruiz", (Span(12, 16, "DOCTOR"),))
    >>> [note.text_of(span) for span in note.spans]
    ['Ruiz']
    """

    id: str
    text: str = field(repr=False)
    spans: tuple[Span, ...] = ()
    patient: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "spans", tuple(sorted(self.spans)))
        for span in self.spans:
            if not 0 <= span.start < span.end <= len(self.text):
                raise DocumentError(
                    f"{self.id}: {span.type} at {span.start}-{span.end} is empty or leaves "
                    f"the text of {len(self.text)} characters"
                )
        try:
            self.text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise DocumentError(
                f"{self.id}: lone surrogate at offset {error.start}; not valid text"
            ) from None

    def text_of(self, span: Span) -> str:
        return self.text[span.start : span.end]

    def with_spans(self, spans: Iterable[Span]) -> Document:
        return replace(self, spans=tuple(spans))


def fingerprint_documents(documents: Iterable[Document]) -> str:
    """Twelve hexadecimal digits of the SHA-256 of ids, texts and spans, in any order of the documents."""
    digest = hashlib.sha256()
    for document in sorted(documents, key=lambda document: document.id):
        spans = [(span.start, span.end, span.type) for span in document.spans]
        digest.update(json.dumps([document.id, document.text, spans]).encode())
    return digest.hexdigest()[:12]
