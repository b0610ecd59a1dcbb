"""The notes as readers get them: markers in place of what was masked, and planted leaks.

A planted leak is a span of the release whose surrogate is shown as if it had been missed. In a release with
markers it is an invented value of the same type. Nothing tells it from a real leak.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from crfdeid import synthetic
from crfdeid.policy import DATES, KEEP, Policy
from crfdeid.text.document import Document, Span, merge_overlapping

INVENTED_NOTES = 60  # whose values are planted in a release with markers


@dataclass(frozen=True)
class Plant:
    """A planted leak: the note, the number of its masked span, and an invented value, or None where the
    surrogate of the release is shown. ``hard`` is one that a system misses, or that is an ordinary word or in
    small letters."""

    id: str
    span: int
    value: str | None = field(default=None, repr=False)
    hard: bool = False


@dataclass(frozen=True)
class ReadingCopy:
    """A note for readers. ``masks`` are its markers and ``plants`` the planted leaks, by the offsets of this
    copy; ``hard`` says which of them are hard. ``kept`` are texts that the release lets stay, which readers
    see. ``document`` has no spans."""

    document: Document
    masks: tuple[Span, ...]
    plants: tuple[Span, ...]
    hard: tuple[bool, ...] = ()
    kept: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Allowed:
    """PHI that a release keeps: ``types``, and what the ``policy`` keeps in the text. Only where it is
    ``shown`` do readers see it; in stores of earlier versions it is masked for them."""

    types: tuple[str, ...] = ()
    policy: Policy | None = None
    shown: bool = False

    def keeps(self, document: Document, span: Span) -> bool:
        """Whether the release lets a span stay. Years that shift with the dates are not kept."""
        if span.type in self.types:
            return True
        if self.policy is None or span.type not in self.policy.by_type:
            return False
        is_shifted = span.type in DATES and self.policy.shifts(span.type)
        return not is_shifted and self.policy.choose_action(document, span) == KEEP

    def list_kept(self, document: Document) -> frozenset[int]:
        """The numbers of the masked spans that stay."""
        masked = enumerate(list_masked(document))
        return frozenset(number for number, span in masked if self.keeps(document, span))


NOTHING = Allowed()


def list_masked(document: Document) -> list[Span]:
    """Return the masked spans of a note of the release; those that overlap are one."""
    return list(merge_overlapping(document.spans))


def is_marker(text: str, type: str) -> bool:
    """Whether the text of a masked span is a marker or a blank, which tells no value.

    >>> is_marker("[**DOCTOR**]", "DOCTOR"), is_marker("____", "DATE"), is_marker("Ruiz", "DOCTOR")
    (True, True, False)
    """
    return type.lower() in text.lower() or not any(character.isalnum() for character in text)


def draw_plants(
    documents: Sequence[Document],
    number: int,
    seed: int,
    allowed: Allowed = NOTHING,
    hard: Mapping[str, frozenset[int]] | None = None,
) -> list[Plant]:
    """Draw masked spans to show, none that is allowed to stay: half of them, where there are enough, from
    ``hard`` (numbers of spans by note). A note has at most one as long as other notes have such spans."""
    rng = Random(f"{seed} plants")
    pool = collect_values(seed) if any(has_markers(document) for document in documents) else {}
    order = list(documents)
    rng.shuffle(order)
    spans = {document.id: list_plantable(document, pool, allowed) for document in order}
    hard = hard or {}
    difficult = {id: [n for n in numbers if n in hard.get(id, ())] for id, numbers in spans.items()}
    plants = draw_spans(order, difficult, number // 2, pool, rng, hard)
    for plant in plants:
        spans[plant.id].remove(plant.span)
    used = {plant.id for plant in plants}
    waiting = [document for document in order if document.id not in used]
    again = [document for document in order if document.id in used]
    return [*plants, *draw_spans([*waiting, *again], spans, number - len(plants), pool, rng, hard)]


def draw_spans(
    order: Sequence[Document],
    spans: Mapping[str, list[int]],
    number: int,
    pool: Mapping[str, Sequence[str]],
    rng: Random,
    hard: Mapping[str, frozenset[int]],
) -> list[Plant]:
    """Draw up to ``number`` of the spans, one of each note in turn."""
    waiting = [(document, list(spans[document.id])) for document in order]
    plants: list[Plant] = []
    while len(plants) < number and (waiting := [pair for pair in waiting if pair[1]]):
        for document, left in waiting[: number - len(plants)]:
            plant = make_plant(document, left.pop(rng.randrange(len(left))), pool, rng)
            plants.append(replace(plant, hard=plant.span in hard.get(document.id, ())))
    return plants


def has_markers(document: Document) -> bool:
    return any(is_marker(document.text_of(span), span.type) for span in document.spans)


def list_plantable(document: Document, pool: Mapping[str, Sequence[str]], allowed: Allowed) -> list[int]:
    """Return the numbers of the masked spans that can be shown: with a surrogate, or a type with values."""
    return [
        number
        for number, span in enumerate(list_masked(document))
        if not allowed.keeps(document, span)
        and (span.type in pool or not is_marker(document.text_of(span), span.type))
    ]


def make_plant(document: Document, number: int, pool: Mapping[str, Sequence[str]], rng: Random) -> Plant:
    span = list_masked(document)[number]
    if is_marker(document.text_of(span), span.type):
        return Plant(document.id, number, rng.choice(pool[span.type]))
    return Plant(document.id, number)


def collect_values(seed: int) -> dict[str, list[str]]:
    """Return values by type from invented notes."""
    values: dict[str, set[str]] = {}
    for document in synthetic.generate(INVENTED_NOTES, seed % 2**31):
        for span in document.spans:
            values.setdefault(span.type, set()).add(" ".join(document.text_of(span).split()))
    return {type: sorted(found) for type, found in values.items()}


def make_reading_copy(document: Document, plants: Sequence[Plant], allowed: Allowed = NOTHING) -> ReadingCopy:
    """Return a note of the release as readers get it."""
    planted = {plant.span: plant for plant in plants if plant.id == document.id}
    kept = allowed.list_kept(document) if allowed.shown else frozenset()
    pieces: list[str] = []
    found: tuple[list[Span], list[Span], list[Span]] = ([], [], [])  # masks, plants, kept
    end = length = 0
    for number, span in enumerate(list_masked(document)):
        is_kept = number in kept
        shown = document.text_of(span) if is_kept else show_span(document, span, planted.get(number))
        pieces += [document.text[end : span.start], shown]
        start = length + span.start - end
        length, end = start + len(shown), span.end
        found[2 if is_kept else number in planted].append(Span(start, length, span.type))
    text = "".join([*pieces, document.text[end:]])
    difficult = tuple(planted[number].hard for number in sorted(planted))
    copy = Document(document.id, text, (), document.patient)
    return ReadingCopy(copy, tuple(found[0]), tuple(found[1]), difficult, tuple(found[2]))


def show_span(document: Document, span: Span, plant: Plant | None) -> str:
    """Return what readers see of a masked span: its marker, or its value if it is a plant."""
    if plant is None:
        return f"[{re.sub(r'[^A-Za-z0-9_-]', '', span.type) or 'PHI'}]"
    return document.text_of(span) if plant.value is None else plant.value
