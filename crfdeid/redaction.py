"""Replacing PHI: a document to a redacted document, offsets exact.

    spans ─▶ united, repeats added ─▶ proposals, one for each stretch ─▶ applied

A proposal says what would stand in the text, so that people can look at it and change it first.
Text outside the proposals is never touched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from crfdeid.document import Document, Span
from crfdeid.faults import ConfigurationFault, DocumentFault, near
from crfdeid.surrogates import kinds, known
from crfdeid.surrogates.patient import Patient, Rules
from crfdeid.surrogates.repeats import Finder, missed
from crfdeid.surrogates.vault import Past

STYLES = ("surrogate", "type", "blank")
MARKER = "[**{type}**]"
SHWETA = "shweta"  # names the markers of Shweta et al. 2016 (section on de-identification)
GENERIC = "PHI"
BLANK = "_"
UNREAD = "not read as {kind}"
UNKNOWN = "no known type"


@dataclass(frozen=True)
class Proposal:
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
    are the places in the redacted text where a string found in the patient's notes still stands."""

    document: Document
    proposals: tuple[Proposal, ...]
    overlaps: int = 0
    survivors: tuple[Span, ...] = ()


class Redactor:
    """Redacts notes with one secret. ``apart`` looks at each note by itself: the result
    does not depend on which other notes are there. Raises :class:`ConfigurationFault` on a
    style or marker that cannot be."""

    def __init__(
        self,
        secret: bytes,
        style: str = "surrogate",
        marker: str = MARKER,
        rules: Rules | None = None,
        apart: bool = False,
    ) -> None:
        if style not in STYLES:
            raise ConfigurationFault(f"{style}: no style{near(style, STYLES)}; there are {', '.join(STYLES)}")
        self.secret, self.style, self.rules, self.apart = secret, style, rules or Rules(), apart
        self.marker = checked(marker)
        self.past: dict[str, Past] | None = None  # by patient, where a map is kept

    def redacted(self, documents: Sequence[Document]) -> list[Redaction]:
        """The notes of one patient, redacted alike."""
        if self.apart:
            return [self._redaction(note, *self._together([note])) for note in documents]
        who, finder = self._together(documents)
        return [self._redaction(note, who, finder) for note in documents]

    def proposals(self, document: Document, beside: Iterable[Document] = ()) -> list[Proposal]:
        """What would stand in a note, ``beside`` being the patient's other notes."""
        who, finder = self._together([document, *beside])
        return self._proposals(document, united(document.spans)[0], who, finder)

    def _together(self, documents: Sequence[Document]) -> tuple[Patient, Finder]:
        """The surrogates of the patient whose notes these are, and what finds their strings again."""
        told, id = known.of(documents, whole=not self.apart), identity(documents[0])
        past = self.past.setdefault(id, Past()) if self.past is not None else Past()
        past.orders = dict(told.orders + Counter(past.orders))
        past.join(told)
        who = Patient(self.secret, id, told, self.rules, past.names)
        past.names = who.names.given
        return who, Finder(told.strings)

    def _redaction(self, document: Document, who: Patient, finder: Finder) -> Redaction:
        spans, overlaps = united(document.spans)
        proposals = self._proposals(document, spans, who, finder)
        changed = applied(document, proposals)
        if self.past is not None:
            remember(self.past[identity(document)], document, proposals)
        return Redaction(changed, tuple(proposals), overlaps, tuple(survivors(changed, finder)))

    def _proposals(
        self, document: Document, spans: list[Span], who: Patient, finder: Finder
    ) -> list[Proposal]:
        repeats = set(missed(document, finder, spans))
        whole = document.with_spans([*spans, *repeats])
        day = who.anchor(whole)
        return [
            replace(self._proposal(whole, span, who, day), repeat=span in repeats) for span in whole.spans
        ]

    def _proposal(self, document: Document, span: Span, who: Patient, day: object) -> Proposal:
        text, kind = document.covered(span), kinds.of(span.type)
        place = (span.start, span.end, span.type)
        if self.style == "blank":
            return Proposal(*place, blank(text), "blank")
        if self.style == "type":
            return Proposal(*place, self.marked(span.type), "marker")
        if kind == kinds.UNKNOWN:
            return Proposal(*place, self.marked(span.type), "marker", False, UNKNOWN)
        made = who.surrogate(document, span, day)
        if made is None:
            return Proposal(*place, self.marked(span.type), "marker", False, UNREAD.format(kind=kind))
        return Proposal(*place, made, treatment(text, made, kind, self.rules))

    def marked(self, type: str) -> str:
        """The marker of a type; of one that is in no scheme, the generic one."""
        kind = kinds.of(type)
        if self.marker != SHWETA:
            return self.marker.format(type=GENERIC if kind == kinds.UNKNOWN else type)
        return shweta(type, kind)


def remember(past: Past, document: Document, proposals: Iterable[Proposal]) -> None:
    for proposal in proposals:
        pairs = past.pairs.setdefault(proposal.type, {})
        pairs[document.text[proposal.start : proposal.end]] = proposal.replacement


def survivors(document: Document, finder: Finder) -> Iterator[Span]:
    """Where a redacted document still holds a string of its patient: anywhere outside the
    replacements, and names inside them too."""
    inside = bytearray(len(document.text))
    for span in document.spans:
        inside[span.start : span.end] = b"\1" * (span.end - span.start)
    for span, string in finder.occurrences(document.text):
        if string.derived:
            continue
        if kinds.of(span.type) == kinds.NAME or not any(inside[span.start : span.end]):
            yield span


def treatment(text: str, made: str, kind: str, rules: Rules) -> str:
    if made == text:
        return "kept"
    if kind == kinds.AGE or (kind == kinds.ZIP and rules.zip == "three"):
        return "generalised"
    return "shifted" if kind == kinds.DATE else "surrogate"


def checked(marker: str) -> str:
    """Raises :class:`ConfigurationFault` where a marker cannot be made of the type alone."""
    if marker == SHWETA:
        return marker
    try:
        marker.format(type="PATIENT")
    except (KeyError, IndexError, ValueError, AttributeError):
        raise ConfigurationFault(f"--marker: wanted a text with {{type}} in it, such as {MARKER}") from None
    return marker


def shweta(type: str, kind: str) -> str:
    """
    >>> shweta("PATIENT", "name"), shweta("DATE", "date"), shweta("SSN", "identifier")
    ('XYZ_Patient', '00.00.Date', 'NUM_ID')
    """
    if kind == kinds.DATE:
        return "00.00.Date"
    if kind in (kinds.PHONE, kinds.IDENTIFIER):
        return "NUM_PHONE" if kind == kinds.PHONE else "NUM_ID"
    return f"XYZ_{(GENERIC if kind == kinds.UNKNOWN else type).title()}"


def blank(text: str) -> str:
    """As long as ``text``; line ends stay.

    >>> blank("Ana Ruiz")
    '________'
    """
    return "".join(c if c in "\r\n" else BLANK for c in text)


def identity(document: Document) -> str:
    """Whom a note is about: its patient, or nobody but itself."""
    return f"patient {document.patient}" if document.patient is not None else f"document {document.id}"


def united(spans: Iterable[Span]) -> tuple[list[Span], int]:
    """Overlapping spans as one, of the longest one's type; how many unions were of different types.

    >>> spans, mixed = united([Span(0, 9, "STREET"), Span(5, 12, "CITY"), Span(12, 14, "STATE")])
    >>> [(span.start, span.end, span.type) for span in spans], mixed
    ([(0, 12, 'STREET'), (12, 14, 'STATE')], 1)
    """
    groups: list[list[Span]] = []
    end = -1
    for span in sorted(spans):
        if span.start < end:
            groups[-1].append(span)
        else:
            groups.append([span])
        end = max(end, span.end)
    mixed = sum(len({span.type for span in group}) > 1 for group in groups)
    return [union(group) for group in groups], mixed


def union(group: list[Span]) -> Span:
    longest = max(group, key=lambda span: span.end - span.start)
    return Span(group[0].start, max(span.end for span in group), longest.type)


def applied(document: Document, proposals: Iterable[Proposal]) -> Document:
    """The document with each proposal's replacement in its place and spans over the replacements.
    Raises :class:`DocumentFault` where proposals overlap or leave the text."""
    pieces: list[str] = []
    spans: list[Span] = []
    at = length = 0
    for proposal in sorted(proposals, key=lambda p: (p.start, p.end)):
        if not at <= proposal.start < proposal.end <= len(document.text):
            raise DocumentFault(
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
