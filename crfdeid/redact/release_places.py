"""The places of a release where to look: by offset, and in their context where the notes are at hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from crfdeid import pages
from crfdeid.errors import FormatError, show_id
from crfdeid.redact.release_inputs import LeftPlace
from crfdeid.text.document import Document

SURVIVOR, UNKNOWN = "survivor", "unknown word"
SHOWN = 400
AROUND = 40  # characters on each side of a place
HEAD = ("note", "start", "end", "kind", "type")


class Context(NamedTuple):
    """The text of a place, and what is before and after it, in one line."""

    before: str
    text: str
    after: str


def find_contexts(places: Iterable[LeftPlace], notes: Iterable[Document]) -> dict[LeftPlace, Context]:
    """Return the contexts of the places in the redacted notes. Raises :class:`FormatError` where a place is
    in none of the notes, which are then those of another release."""
    wanted: dict[str, list[LeftPlace]] = {}
    for place in places:
        wanted.setdefault(place.id, []).append(place)
    found = {
        place: cut_context(note.text, place.start, place.end)
        for note in notes
        for place in wanted.pop(note.id, [])
        if place.end <= len(note.text)
    }
    missing = len(set(places) - found.keys())
    if missing:
        raise FormatError(f"{missing:,} places are not in the notes; wanted the notes that this run wrote")
    return found


def cut_context(text: str, start: int, end: int) -> Context:
    """Cut a place and what is around it.

    >>> cut_context("Seen by\\nDr. Ruiz today", 12, 16)
    Context(before='Seen by Dr. ', text='Ruiz', after=' today')
    """
    parts = text[max(0, start - AROUND) : start], text[start:end], text[end : end + AROUND]
    return Context(*(" ".join(part.splitlines()) if part.strip() else part for part in parts))


def render_places(
    places: Sequence[LeftPlace], file: str, contexts: Mapping[LeftPlace, Context] | None = None
) -> str:
    """A table of places by offset, survivors first, without unknown words. Ids that may be names are left
    out: the line of the place in the file stands for them."""
    numbered = [(line, place) for line, place in enumerate(places, 2) if place.kind != UNKNOWN]
    numbered.sort(key=lambda each: each[1].kind != SURVIVOR)
    shown = numbered[:SHOWN]
    rows = [
        (show_id(place.id, f"line {line}"), f"{place.start}", f"{place.end}", place.kind, place.type)
        for line, place in shown
    ]
    caption = f"{len(rows):,} of {len(places):,} places, without unknown words; {file} has all"
    if contexts is None:
        return pages.render_table(caption, HEAD, rows)
    texts = iter([contexts[place] for _, place in shown])
    return pages.render_table(caption, (*HEAD, "in the note"), rows, draw=lambda _: draw_context(next(texts)))


def draw_context(context: Context) -> str:
    """A cell with the context, in which the place is marked."""
    before, text, after = map(escape, context)
    return f'<td class="context">{before}<mark>{text}</mark>{after}</td>'
