"""The figures of a comparison as JSON, as text and as a page."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import crfdeid
from crfdeid import files, pages
from crfdeid.errors import show_id
from crfdeid.evaluate.published_tables import align_columns
from crfdeid.redact.report.kept import describe_documents, list_tables, render_kept
from crfdeid.redact.report.release_inputs import Table
from crfdeid.redact.utility.comparison import MEDICINE, NEGATED, Utility
from crfdeid.redact.utility.content import MEDICAL
from crfdeid.text.ages import GROUP

WIDTH = 10  # years of a band
PARTS = dict.fromkeys((*MEDICAL, NEGATED), MEDICINE)  # rows that count a part of another row


def build_json(found: Utility, most: int, release: str | None = None) -> dict[str, Any]:
    """Build the JSON object of the counts. ``release`` is the hash of the released notes."""
    return {
        "crfdeid": crfdeid.__version__,
        "release": release,
        "documents": {
            "compared": len(found.notes),
            "unchanged": found.unchanged,
            "only_original": found.missing,
            "only_released": found.unknown,
        },
        "read": {
            name: asdict(kept) | {"new": kept.new, "part_of": PARTS.get(name)}
            for name, kept in found.kinds.items()
        },
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


def name_band(first: int) -> str:
    """
    >>> name_band(60), name_band(90)
    ('60-69', '90+')
    """
    return f"{first}-{first + WIDTH - 1}" if f"{first}+" != GROUP else GROUP


def format_counts(counts: Table) -> str:
    """Format the counts as text."""
    tables = ("\n".join(align_columns([head, *rows])) for head, rows in list_tables(counts))
    return "\n\n".join([describe_documents(counts), *tables])


def render_page(counts: Table) -> str:
    """Render the counts as a page."""
    markup = files.PACKAGE / "redact" / "utility" / "page.html"
    body = pages.fill_file(markup, {"<!-- kept -->": render_kept(counts)})
    return pages.render_page("What a release keeps", pages.stamp(), body)
