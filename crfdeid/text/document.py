"""The three types that everything else is made of: Span, Token, Document.

Offsets count code points of ``Document.text``; ends are exclusive, as in a slice.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter

from crfdeid.errors import DocumentError, show_id

FILE_NAMES = "; PYTHONUTF8=1 reads file names as UTF-8"
PLACE = attrgetter("start", "end", "type")  # in the order of spans, and quicker to compare than they are


@dataclass(frozen=True, order=True, slots=True)
class Span:
    """A stretch of PHI, ``text[start:end]``, and its type. A span holds no text, so its repr cannot leak
    any. ``probability`` is the model's, where the caller asked for it; it does not count when two spans
    are compared."""

    start: int
    end: int
    type: str
    probability: float | None = field(default=None, compare=False)

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Token:
    """The smallest slice that can have a label; ``text`` begins at ``start``."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True)
class Document:
    """One note with its PHI spans, sorted. Spans may overlap, as some formats allow;
    :func:`crfdeid.text.bio.refuse_overlaps` is for those who cannot use such spans.

    Raises :class:`DocumentError` on a span that is empty, has no type, or leaves the text, and on a lone
    surrogate in text, id, patient or type, which UTF-8 cannot encode.

    >>> note = Document("n1", "Seen by Dr. Ruiz", (Span(12, 16, "DOCTOR"),))
    >>> [note.text_of(span) for span in note.spans]
    ['Ruiz']
    """

    id: str
    text: str = field(repr=False)
    spans: tuple[Span, ...] = ()
    patient: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "spans", tuple(sorted(self.spans, key=PLACE)))
        for span in self.spans:
            if not 0 <= span.start < span.end <= len(self.text):
                raise DocumentError(
                    f"{show_id(self.id)}: a span at {span.start}-{span.end} is empty or leaves "
                    f"the text of {len(self.text)} characters"
                )
            if not span.type:
                raise DocumentError(f"{show_id(self.id)}: a span at {span.start}-{span.end} has no type")
        types = [span.type for span in self.spans]
        if not all(map(str.isascii, (self.text, self.id, self.patient or "", *types))):
            self._refuse_surrogates()

    def _refuse_surrogates(self) -> None:
        names = (("its id", self.id), ("its patient", self.patient or ""))
        types = (("the type of a span", span.type) for span in self.spans)
        for what, value in chain([("its text", self.text)], names, types):
            try:
                value.encode("utf-8")
            except UnicodeEncodeError as error:
                where = f"unpaired UTF-16 surrogate at offset {error.start} of {what}"
                hint = "" if sys.getfilesystemencoding() == "utf-8" else FILE_NAMES
                raise DocumentError(f"{show_id(self.id)}: {where}; not valid text{hint}") from None

    def text_of(self, span: Span) -> str:
        """Return the part of the text that ``span`` covers."""
        return self.text[span.start : span.end]

    @property
    def owner(self) -> tuple[bool, str]:
        """The patient, or the document itself where it has none: documents of one owner stay together."""
        return self.patient is not None, self.patient or self.id

    def with_spans(self, spans: Iterable[Span]) -> Document:
        return Document(self.id, self.text, tuple(spans), self.patient)


def fingerprint_documents(documents: Iterable[Document]) -> str:
    """Twelve hexadecimal digits of the SHA-256 of ids, texts and spans, in any order of the documents."""
    digest = hashlib.sha256()
    for document in sorted(documents, key=lambda document: document.id):
        spans = [(span.start, span.end, span.type) for span in document.spans]
        digest.update(json.dumps([document.id, document.text, spans]).encode())
    return digest.hexdigest()[:12]
