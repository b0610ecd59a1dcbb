"""The inputs of the page of a release: the report, the statement of a sample, and the places where to look,
by offset and in their context where the notes are at hand."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from crfdeid import files, pages
from crfdeid.errors import FormatError, show_id
from crfdeid.redact.leftover.suspicious import SURVIVOR
from crfdeid.text.document import Document

Table = Mapping[str, Any]
PLACE_COLUMNS = ["id", "start", "end", "type", "kind", "probability"]
OLD_COLUMNS = PLACE_COLUMNS[:-1]  # of earlier versions
# The figures that the page needs, as (key, key of an inner table or empty, kind).
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
UNKNOWN = "unknown word"
SHOWN, FIRST, NOTES_OF_ONE = 400, 10, 5  # places; at least this number first, and one for each five notes
AROUND = 40  # characters on each side of a place
HEAD = ("note", "start", "end", "kind", "type", "probability")


class LeftPlace(NamedTuple):
    """A row of the table of survivors: offsets in the text of the output, and how probable it is that the
    place is PHI in a release whose tagger missed one span in ten; 0 where the table does not say."""

    id: str
    start: int
    end: int
    type: str
    kind: str
    probability: float = 0.0


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


class Study(NamedTuple):
    """The store of ``certify draw``, and the release with its notes."""

    store: Path
    release: Path
    notes: Sequence[Document]


def refuse_edited(path: Path, study: Study) -> None:
    """Raise :class:`FormatError` where a statement is not what its study gives, counted again."""
    from crfdeid.certify.state import recount

    found = load_json(path)
    compared = found.get("compared")
    named = [str(name) for name in compared] if isinstance(compared, list) else []
    counted = json.loads(recount(study.store, study.release, study.notes, named))
    if changed := sorted(key for key in counted if found.get(key) != counted[key]):
        raise FormatError(
            f"{path}: {', '.join(changed)}: not what {study.store} gives; wanted the file that "
            "certify state wrote, unchanged"
        )


def load_json(path: Path) -> Any:
    """Read JSON. ``Infinity``, which earlier versions wrote where there is no bound, is null."""
    return json.loads(files.read_text(path), parse_constant=lambda _: None)


def read_table(path: Path, fields: tuple[tuple[str, str, type], ...], wanted: str) -> Table:
    try:
        table = load_json(path)
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
        if (head := next(rows, [])) not in (PLACE_COLUMNS, OLD_COLUMNS):
            raise FormatError(f"{path}: wanted the columns {', '.join(PLACE_COLUMNS)}")
        return [read_place(row, len(head)) for row in rows]
    except (csv.Error, ValueError):
        raise FormatError(f"{path}, line {rows.line_num}: wanted the table beside a report") from None


def read_place(row: Sequence[str], size: int) -> LeftPlace:
    """Read a row of ``size`` cells. Raises :class:`ValueError` for another one."""
    if len(row) != size:
        raise ValueError
    id, start, end, type, kind, *rest = row
    return LeftPlace(id, int(start), int(end), type, kind, *map(float, rest))


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
    places: Sequence[LeftPlace],
    file: str,
    contexts: Mapping[LeftPlace, Context] | None = None,
    notes: int = 0,
) -> str:
    """Tables of places by offset, the likeliest first: twenty of a hundred notes, then others. Ids that
    may be names are left out: the line of the place in the file stands for them."""
    numbered = sorted(enumerate(places, 2), key=lambda each: rank_place(each[1]))
    size = max(FIRST, -(-notes // NOTES_OF_ONE))
    first, others = numbered[:size], numbered[size:]
    caption = f"Look here first: the {len(first):,} likeliest of {len(places):,} places; {file} has all"
    tables = render_rows(caption, first, contexts)
    if others:
        shown = others[: max(0, SHOWN - size)]
        caption = f"{len(shown):,} of {len(others):,} other places"
        table = render_rows(caption, shown, contexts)
        tables += f"<details><summary>{caption}</summary>\n{table}</details>\n"
    return tables


def rank_place(place: LeftPlace) -> tuple[float, bool, bool]:
    """A sort key: the most probable first; without probabilities survivors, and words of no list last."""
    return -place.probability, place.kind != SURVIVOR, place.kind == UNKNOWN


def render_rows(
    caption: str,
    numbered: Sequence[tuple[int, LeftPlace]],
    contexts: Mapping[LeftPlace, Context] | None,
) -> str:
    """A table of places, each with its line in the file."""
    rows = [
        (show_id(place.id, f"line {line}"), f"{place.start}", f"{place.end}", place.kind, place.type,
         f"{place.probability:.2f}" if place.probability else "")
        for line, place in numbered
    ]  # fmt: skip
    if contexts is None:
        return pages.render_table(caption, HEAD, rows)
    texts = iter([contexts[place] for _, place in numbered])
    return pages.render_table(caption, (*HEAD, "in the note"), rows, draw=lambda _: draw_context(next(texts)))


def draw_context(context: Context) -> str:
    """A cell with the context, in which the place is marked."""
    before, text, after = map(escape, context)
    return f'<td class="context">{before}<mark>{text}</mark>{after}</td>'
