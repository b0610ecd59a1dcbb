"""Replacing PHI: a document to a redacted document, offsets exact.

    spans ─▶ united, repeats added ─▶ proposals, one for each stretch ─▶ applied

A proposal says what would stand in the text, so that people can look at it and change it first.
Text outside the proposals is never touched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.redact.markers import MARKER, blank, checked, marked
from crfdeid.redact.overlaps import share_a_word, united
from crfdeid.redact.replacements import Redaction, Replacement, applied
from crfdeid.redact.surrogates import kinds, patient_facts
from crfdeid.redact.surrogates.dates import shift
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.patient import PatientSurrogates, Rules
from crfdeid.redact.surrogates.search import missed_mentions, search_strings
from crfdeid.redact.surrogates.search.finder import Finder
from crfdeid.redact.surrogates.surrogate_map import PatientHistory
from crfdeid.text.document import Document, Span

STYLES = ("surrogate", "type", "blank")
UNREAD = "not read as {kind}"
UNKNOWN = "no known type"
OLD = "tells an age over 89"
MIXED = "overlapping spans of different types"


class Redactor:
    """Redacts notes with one secret. ``apart`` looks at each note by itself: the result
    does not depend on which other notes are there. Raises :class:`ConfigurationError` on a
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
            raise ConfigurationError(
                f"{style}: no style{did_you_mean(style, STYLES)}; there are {', '.join(STYLES)}"
            )
        self.secret, self.style, self.rules, self.apart = secret, style, rules or Rules(), apart
        self.marker = checked(marker)
        self.past: dict[str, PatientHistory] | None = None  # by patient, where a map is kept

    def recipe(self, *further: object) -> str:
        """A hash of all that the result follows from, which tells nothing of it without the secret."""
        what = (self.style, self.marker, self.rules, self.apart, *further)
        return KeyedChoices(self.secret, "recipe").digest(*what).hex()

    def redacted(self, documents: Sequence[Document]) -> list[Redaction]:
        """The notes of one patient, redacted alike."""
        if self.apart:
            return [self._redaction(note, *self._together([note])) for note in documents]
        who, finder = self._together(documents)
        return [self._redaction(note, who, finder) for note in documents]

    def proposals(self, document: Document, beside: Iterable[Document] = ()) -> list[Replacement]:
        """What would stand in a note, ``beside`` being the patient's other notes."""
        who, finder = self._together([document, *beside])
        return self._proposals(document, *united(document.spans), who, finder)

    def _together(self, documents: Sequence[Document]) -> tuple[PatientSurrogates, Finder]:
        """The surrogates of the patient whose notes these are, and what finds their strings again."""
        told, id = patient_facts.of(documents, whole=not self.apart), identity(documents[0])
        past = self.past.setdefault(id, PatientHistory()) if self.past is not None else PatientHistory()
        past.orders = dict(told.orders + Counter(past.orders))
        past.join(told)
        who = PatientSurrogates(self.secret, id, told, self.rules, past.names, past.given)
        past.names = who.names.given
        return who, search_strings.finder(told.strings)

    def _redaction(self, document: Document, who: PatientSurrogates, finder: Finder) -> Redaction:
        spans, mixed = united(document.spans)
        proposals = self._proposals(document, spans, mixed, who, finder)
        changed = applied(document, proposals)
        if self.past is not None:
            remember(self.past[identity(document)], document, proposals)
        named = any(missed_mentions.tells(name, finder) for name in (document.id, document.patient or ""))
        return Redaction(changed, tuple(proposals), len(mixed), tuple(survivors(changed, finder)), named)

    def _proposals(
        self, document: Document, spans: list[Span], mixed: set[Span], who: PatientSurrogates, finder: Finder
    ) -> list[Replacement]:
        again = set(missed_mentions.missed(document, finder, spans))
        whole = document.with_spans([*spans, *again])
        day = who.anchor(whole)
        proposals = []
        for span in whole.spans:
            made = replace(self._proposal(whole, span, who, day), repeat=span in again)
            doubtful = span in mixed and self.style == "surrogate"
            proposals.append(self._unmixed(made, document) if doubtful else made)
        return proposals

    def _unmixed(self, made: Replacement, document: Document) -> Replacement:
        """What stands for spans of different types that overlap: nothing of it may be left."""
        if not share_a_word(document.text[made.start : made.end], made.replacement):
            return made
        marker = marked(made.type, self.marker)
        return replace(made, replacement=marker, treatment="marker", resolved=False, why=MIXED)

    def _proposal(
        self, document: Document, span: Span, who: PatientSurrogates, day: date | None
    ) -> Replacement:
        text, kind = document.text_of(span), kinds.of(span.type)
        place = (span.start, span.end, span.type)
        if self.style == "blank":
            return Replacement(*place, blank(text), "blank")
        if self.style == "type":
            return Replacement(*place, marked(span.type, self.marker), "marker")
        if kind == kinds.UNKNOWN:
            return Replacement(*place, marked(span.type, self.marker), "marker", False, UNKNOWN)
        if kind == kinds.DATE and shift.tells_age(text, day, who.known.month_first):
            return Replacement(*place, marked(span.type, self.marker), "marker", False, OLD)
        made = who.surrogate(document, span, day)
        if made is None:
            return Replacement(
                *place, marked(span.type, self.marker), "marker", False, UNREAD.format(kind=kind)
            )
        return Replacement(*place, made, treatment(text, made, kind, self.rules))


def remember(past: PatientHistory, document: Document, proposals: Iterable[Replacement]) -> None:
    for proposal in proposals:
        pairs = past.pairs.setdefault(proposal.type, {})
        pairs[document.text[proposal.start : proposal.end]] = proposal.replacement


def survivors(document: Document, finder: Finder) -> Iterator[Span]:
    """Where a redacted document still holds a string of its patient: anywhere outside the
    replacements, and names inside them too."""
    inside = missed_mentions.covered(document.text, document.spans)
    for sight in missed_mentions.seen(document.text, finder):
        span = sight.span
        if kinds.of(span.type) == kinds.NAME or not any(inside[span.start : span.end]):
            yield span


def treatment(text: str, made: str, kind: str, rules: Rules) -> str:
    if made == text:
        return "kept"
    if kind == kinds.AGE or (kind == kinds.ZIP and rules.zip == "three"):
        return "generalised"
    return "shifted" if kind == kinds.DATE else "surrogate"


def identity(document: Document) -> str:
    """Whom a note is about: its patient, or nobody but itself."""
    return f"patient {document.patient}" if document.patient is not None else f"document {document.id}"
