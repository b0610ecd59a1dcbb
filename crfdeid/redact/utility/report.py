"""The figures of a comparison as text, as JSON and as a page. None of them has a word of a note: only counts,
shares, and ids that cannot be names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import crfdeid
from crfdeid import pages, resources
from crfdeid.errors import show_id
from crfdeid.evaluate.published_tables import align_columns
from crfdeid.redact.utility.comparison import NEGATED, Utility
from crfdeid.redact.utility.medicine import MEDICAL
from crfdeid.text.ages import GROUP

Row = tuple[str, ...]
WIDTH = 10  # years of a band
INSIDE = frozenset([*MEDICAL, NEGATED])  # rows that another row counts, too
KEPT = "what programs read", "before", "after", "kept", "share", "in order", "new"
DATES = "dates and intervals", "before", "kept", "share"
AGES = "ages", "before", "same band", "share", "same age"
CHANGED = "documents that changed most", "before", "lost", "share kept", "new"


def show_share(part: int, whole: int) -> str:
    """Show a share, rounded down, so that only all is 100%.

    >>> show_share(9999, 10000), show_share(3, 3), show_share(0, 0)
    ('99.9%', '100.0%', '-')
    """
    return f"{1000 * part // whole / 10:.1f}%" if whole else "-"


def list_kept(found: Utility) -> list[Row]:
    """Return a row for each kind of what programs read."""
    return [
        (
            "  " * (name in INSIDE) + name, f"{each.before:,}", f"{each.after:,}", f"{each.kept:,}",
            show_share(each.kept, each.before), show_share(each.in_order, each.before), f"{each.new:,}",
        )
        for name, each in found.kinds.items()
    ]  # fmt: skip


def list_dates(found: Utility) -> list[Row]:
    """Return rows of the dates, and of pairs of dates that are as far apart as before."""
    counts = [("dates with day, month and year", found.dates, found.found_dates)]
    for title, pairs in (("in a note", found.within), ("in two notes of a patient", found.between)):
        counts += [
            (f"pairs {title}, as many days apart", pairs.days, pairs.same_days),
            (f"pairs {title}, as many years apart", pairs.years, pairs.same_years),
        ]
    return [(name, f"{n:,}", f"{kept:,}", show_share(kept, n)) for name, n, kept in counts]


def list_ages(found: Utility) -> list[Row]:
    """Return a row for each band of ages."""
    return [
        (
            name_band(first), f"{band.before:,}", f"{band.same_band:,}",
            show_share(band.same_band, band.before), f"{band.same_age:,}",
        )
        for first, band in sorted(found.bands.items())
    ]  # fmt: skip


def name_band(first: int) -> str:
    """
    >>> name_band(60), name_band(90)
    ('60-69', '90+')
    """
    return f"{first}-{first + WIDTH - 1}" if f"{first}+" != GROUP else GROUP


def list_changed(found: Utility, most: int) -> list[Row]:
    """Return a row for each of the documents that changed most."""
    return [
        (
            show_id(note.id, f"number {note.number}"), f"{note.before:,}", f"{note.lost:,}",
            show_share(note.before - note.lost, note.before), f"{note.new:,}",
        )
        for note in found.list_changed(most)
    ]  # fmt: skip


def describe_documents(found: Utility) -> str:
    """Say which documents were compared."""
    compared = len(found.notes)
    parts = [f"{compared:,} document{'s' * (compared != 1)} compared, {found.unchanged:,} unchanged"]
    for count, side in ((found.missing, "original notes"), (found.unknown, "release")):
        parts += [f"{count:,} only in the {side}"] if count else []
    return ", ".join(parts)


def list_tables(found: Utility, most: int) -> list[tuple[Row, Sequence[Row]]]:
    """Return the head and the rows of each table that has rows."""
    tables: list[tuple[Row, Sequence[Row]]] = [
        (KEPT, list_kept(found)),
        (DATES, list_dates(found)),
        (AGES, list_ages(found)),
        (CHANGED, list_changed(found, most)),
    ]
    return [(head, rows) for head, rows in tables if rows]


def format_utility(found: Utility, most: int) -> str:
    """Format the tables as text."""
    tables = ("\n".join(align_columns([head, *rows])) for head, rows in list_tables(found, most))
    return "\n\n".join([describe_documents(found), *tables])


def render_page(found: Utility, most: int) -> str:
    """Render the tables as a page."""
    tables = (
        pages.render_table(
            head[0].capitalize(), ("", *head[1:]), [(row[0].strip(), *row[1:]) for row in rows]
        )
        for head, rows in list_tables(found, most)
    )
    parts = {
        "<!-- documents -->": pages.render_list([describe_documents(found)]),
        "<!-- tables -->": "".join(tables),
    }
    body = pages.fill_file(resources.PACKAGE / "redact" / "utility" / "page.html", parts)
    return pages.render_page("What a release keeps", pages.stamp(documents=f"{len(found.notes):,}"), body)


def build_json(found: Utility, most: int) -> dict[str, Any]:
    """Build the JSON object of the counts."""
    return {
        "crfdeid": crfdeid.__version__,
        "documents": {
            "compared": len(found.notes),
            "unchanged": found.unchanged,
            "only_original": found.missing,
            "only_released": found.unknown,
        },
        "read": {name: asdict(kept) | {"new": kept.new} for name, kept in found.kinds.items()},
        "dates": {"before": found.dates, "kept": found.found_dates},
        "intervals": {
            "in_a_note": asdict(found.within),
            "in_two_notes_of_a_patient": asdict(found.between),
        },
        "ages": {name_band(first): asdict(band) for first, band in sorted(found.bands.items())},
        "changed": [
            {"document": show_id(note.id, f"number {note.number}")}
            | {name: getattr(note, name) for name in ("before", "lost", "new")}
            for note in found.list_changed(most)
        ],
    }
