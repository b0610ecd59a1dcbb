"""A text whose PHI was taken out, or is marked, with its places.

A *place* is a position of PHI: a placeholder, real PHI that is still in the text, or a gold span.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from crfdeid.errors import DocumentError, show_id
from crfdeid.synthetic.reidentify.convention import (
    LINE_BREAKS,
    Convention,
    Place,
    find_places,
    find_unsettled,
)
from crfdeid.text.document import Document
from crfdeid.text.scheme import show_span
from crfdeid.text.spans import find_overlap

DOUBT_CHOICES = ("leave", "cut", "keep")


@dataclass(frozen=True)
class SourceText:
    """A text and its places, which are in order and do not overlap."""

    id: str
    text: str = field(repr=False)
    places: tuple[Place, ...] = ()
    patient: str | None = None

    def texts_between(self) -> Iterator[str]:
        """Yield the text before, between and after the places."""
        at = 0
        for place in self.places:
            yield self.text[at : place.start]
            at = place.end
        yield self.text[at:]


def read_source(document: Document, convention: Convention | None, doubt: str = "leave") -> SourceText | None:
    """Find the places of a document by ``convention``, or by its own spans without a convention.

    Text that may be PHI, but that no rule of the convention settles, is treated by ``doubt``: ``leave``
    the document out (None), ``cut`` the lines with such text, or ``keep`` it. Raises
    :class:`DocumentError` for overlapping spans, and for a document that has spans as well as a
    convention.
    """
    if convention is None:
        return SourceText(document.id, document.text, list_gold_places(document), document.patient)
    if document.spans:
        wanted = "a convention is for texts without spans; drop --convention"
        raise DocumentError(f"{show_id(document.id)}: has spans, but {wanted}")
    if document.id in convention.set_aside and doubt != "keep":
        return None
    text = LINE_BREAKS[convention.line_breaks](document.text)
    if doubt == "cut":
        text = drop_unsettled_lines(text, convention)
    places = find_places(text, convention)
    if doubt == "leave" and next(find_unsettled(text, places, convention), None):
        return None
    return SourceText(document.id, text, tuple(places), document.patient)


def list_gold_places(document: Document) -> tuple[Place, ...]:
    """Return the document's spans as places to be replaced. Raises :class:`DocumentError` if two overlap."""
    if both := find_overlap(document.spans):
        first, second = map(show_span, both)
        raise DocumentError(f"{show_id(document.id)}: {first} overlaps {second}; a place has one type")
    return tuple(Place(span.start, span.end, span.type, True) for span in document.spans)


def drop_unsettled_lines(text: str, convention: Convention) -> str:
    """Drop the lines that hold anything unsettled."""
    while doubts := list(find_unsettled(text, find_places(text, convention), convention)):
        starts = [0, *(match.end() for match in re.finditer("\n", text)), len(text)]
        text = "".join(
            text[a:b] for a, b in pairwise(starts) if not any(m.start() < b and a < m.end() for m in doubts)
        )
    return text


def read_sources(
    documents: Iterable[Document], convention: Convention | None, doubt: str = "leave"
) -> list[SourceText]:
    """Read the documents that can be settled and are not blank."""
    sources = (read_source(document, convention, doubt) for document in documents)
    return [source for source in sources if source and source.text.strip()]
