"""What would stand in a note in place of its PHI, and putting it there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from crfdeid.errors import DocumentError
from crfdeid.text.document import Document, Span


@dataclass(frozen=True)
class Replacement:
    """What would stand for ``text[start:end]``. ``treatment`` is ``surrogate``, ``shifted``,
    ``generalised``, ``kept``, ``marker`` or ``blank``. Where a surrogate was wanted and none could be
    made, ``resolved`` is false, ``why`` says it, and ``replacement`` is the type's marker.
    ``repeat``: no span was there; the text was found elsewhere."""

    start: int
    end: int
    type: str
    replacement: str = field(repr=False)
    treatment: str = "surrogate"
    resolved: bool = True
    why: str | None = None
    repeat: bool = False


@dataclass(frozen=True)
class Redaction:
    """``overlaps`` counts the stretches where spans of different types were united. ``survivors``
    are the places in the redacted text where a string found in the patient's notes still stands;
    ``named``, whether the note's own name or that of its patient holds one."""

    document: Document
    proposals: tuple[Replacement, ...]
    overlaps: int = 0
    survivors: tuple[Span, ...] = ()
    named: bool = False


def applied(document: Document, proposals: Iterable[Replacement]) -> Document:
    """The document with each proposal's replacement in its place and spans over the replacements.
    Raises :class:`DocumentError` where proposals overlap or leave the text."""
    pieces: list[str] = []
    spans: list[Span] = []
    at = length = 0
    for proposal in sorted(proposals, key=lambda p: (p.start, p.end)):
        if not at <= proposal.start < proposal.end <= len(document.text):
            raise DocumentError(
                f"{document.id}: {proposal.type} at {proposal.start}-{proposal.end} overlaps another "
                "proposal or leaves the text"
            )
        pieces += [document.text[at : proposal.start], proposal.replacement]
        start = length + proposal.start - at
        length = start + len(proposal.replacement)
        if proposal.replacement:
            spans.append(Span(start, length, proposal.type))
        at = proposal.end
    return replace(document, text="".join([*pieces, document.text[at:]]), spans=tuple(spans))
