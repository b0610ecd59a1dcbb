"""What a page of a release shows: the report, the statement of a sample, and the places where to look, by
offset and in their context where the notes are at hand."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from crfdeid import files, pages
from crfdeid.errors import FormatError, show_id
from crfdeid.text.document import Document

Table = Mapping[str, Any]
PLACE_COLUMNS = ["id", "start", "end", "type", "kind"]
# What the page needs, as (key, key of an inner table or empty, kind).
REPORT = (
    ("run", "date", str), ("run", "crfdeid", str), ("run", "secret", str), ("documents", "", int),
    ("patients", "", int), ("documents_without_patient", "", int), ("documents_unchanged", "", int),
    ("documents_by_source_of_spans", "", dict), ("survivors", "", dict), ("suspicious", "", dict),
    ("categories", "", dict), ("documents_in_which_nothing_was_found", "", list),
    ("documents_whose_id_or_patient_holds_a_found_string", "", int), ("repeats_replaced", "", int),
    ("documents_written_before_and_not_counted", "", int), ("unread_replaced_by_marker", "", int),
    ("overlapping_spans_of_different_types_united", "", int), ("looked_for_survivors_in", "", str),
    ("patients_from", "", str), ("run", "together", str), ("run", "ids", str), ("run", "spans", str),
)  # fmt: skip
STATEMENT = (
    ("notes", "", int), ("patients", "", int), ("misses", "", int), ("leaking_notes", "", int),
    ("confidence", "", float), ("is_shown", "", bool), ("draw", "release", str), ("draw", "fingerprint", str),
    ("draw", "frame", dict), ("draw", "aim", dict), ("together", "plants", int), ("together", "found", int),
    *((bound, key, float) for bound in ("notes_with_leak", "spans_missed", "misses_per_1000_notes")
      for key in ("found", "as_read")),
)  # fmt: skip
SURVIVOR, UNKNOWN = "survivor", "unknown word"
SHOWN = 400
AROUND = 40  # characters on each side of a place
HEAD = ("note", "start", "end", "kind", "type")


class LeftPlace(NamedTuple):
    """A row of the table of survivors: offsets in the text of the output."""

    id: str
    start: int
    end: int
    type: str
    kind: str


def name_survivors(report: Path) -> Path:
    """The table of survivors that belongs to a report."""
    return report.with_name(f"{report.name}.survivors.csv")


def read_report(path: Path) -> Table:
    """Read what ``redact --report`` wrote. Raises :class:`FormatError` for another file."""
    return read_table(path, REPORT, "the report that redact --report writes")


def read_statement(path: Path, report: Table) -> Table:
    """Read the statement of a sample. Raises :class:`FormatError` for another file, and for a statement of
    another release than the report: by the hash of what was written."""
    statement = read_table(path, STATEMENT, "the statement that certify state --out FILE.json writes")
    found = statement["draw"]["frame"].get("notes")
    wanted = report["documents"] + report["documents_written_before_and_not_counted"]
    if found != wanted:
        sizes = f"{found} notes, the report of {wanted}" if isinstance(found, int) else "another release"
        raise FormatError(f"{path}: is of a release of {sizes}; wanted the statement of this release")
    release = report.get("release")
    if not isinstance(release, str):
        raise FormatError(
            f"{path}: the report has no hash of its release to compare it with; wanted a report of redact "
            "that wrote notes which can be read again"
        )
    if statement["draw"]["release"] != release:
        raise FormatError(f"{path}: is of another release; wanted the statement of this one")
    return statement


def read_table(path: Path, fields: tuple[tuple[str, str, type], ...], wanted: str) -> Table:
    try:
        table = json.loads(files.read_text(path))
    except (ValueError, RecursionError):
        raise FormatError(f"{path}: no JSON; wanted {wanted}") from None
    for key, inner, kind in fields:
        value = table.get(key) if isinstance(table, dict) else None
        value = value.get(inner) if inner and isinstance(value, dict) else value
        if not isinstance(value, (int, float) if kind is float else kind):
            raise FormatError(f"{path}: no {f'{key}.{inner}'.strip('.')}; wanted {wanted}")
    return table


def read_places(path: Path) -> list[LeftPlace]:
    """Read the table of survivors. Raises :class:`FormatError` for another table."""
    rows = csv.reader(files.read_text(path).splitlines(), strict=True)
    try:
        if next(rows, []) != PLACE_COLUMNS:
            raise FormatError(f"{path}: wanted the columns {', '.join(PLACE_COLUMNS)}")
        return [LeftPlace(id, int(start), int(end), type, kind) for id, start, end, type, kind in rows]
    except (csv.Error, ValueError):
        raise FormatError(f"{path}, line {rows.line_num}: wanted the table beside a report") from None


class Context(NamedTuple):
    """The text of a place, and what is before and after it, in one line."""

    before: str
    text: str
    after: str


def find_contexts(places: Iterable[LeftPlace], notes: Iterable[Document]) -> dict[LeftPlace, Context]:
    """Return the contexts of the places in the redacted notes. Raises :class:`FormatError` where a place is
    in none of the notes, which then belong to another release."""
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
