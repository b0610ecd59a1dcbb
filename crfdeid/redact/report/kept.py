"""How much medicine a release keeps: the figures that ``crfdeid utility --json`` writes, as text and in
pages.

None of the figures has a word of a note: they are counts, shares, and ids that cannot be names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from crfdeid import files, pages
from crfdeid.errors import FormatError
from crfdeid.evaluate.published_tables import align_columns
from crfdeid.redact.report.release_inputs import Table, read_table

Row = tuple[str, ...]
FIELDS = (
    ("release", "", str), ("documents", "compared", int), ("documents", "unchanged", int),
    ("documents", "only_original", int), ("documents", "only_released", int), ("read", "", dict),
    ("dates", "before", int), ("dates", "kept", int), ("intervals", "in_a_note", dict),
    ("intervals", "in_two_notes_of_a_patient", dict), ("ages", "", dict), ("changed", "", list),
)  # fmt: skip
WANTED = "the counts that utility --json writes"
KEPT = "what programs read", "before", "after", "kept", "share", "in order", "new"
DATES = "dates and intervals", "before", "kept", "share"
AGES = "ages", "before", "same band", "share", "same age"
CHANGED = "documents that changed most", "before", "lost", "share kept", "new"


def read_kept(path: Path, report: Table) -> Table:
    """Read the counts of a release. Raises :class:`FormatError` for another file, and for the counts of
    another release than the report, by the hash of what was written."""
    kept = read_table(path, FIELDS, WANTED)
    try:
        render_kept(kept)
    except (LookupError, TypeError, ValueError, AttributeError):
        raise FormatError(f"{path}: counts are missing or not numbers; wanted {WANTED}") from None
    if kept["release"] != report.get("release"):
        raise FormatError(f"{path}: is of another release; wanted the counts of this one")
    return kept


def format_kept(kept: Table) -> str:
    """Format the counts as text."""
    tables = ("\n".join(align_columns([head, *rows])) for head, rows in list_tables(kept))
    return "\n\n".join([describe_documents(kept), *tables])


def render_page(kept: Table) -> str:
    """Render the counts as a page."""
    markup = files.PACKAGE / "redact" / "report" / "kept_page.html"
    body = pages.fill_file(markup, {"<!-- kept -->": render_kept(kept)})
    return pages.render_page("What a release keeps", pages.stamp(), body)


def render_kept(kept: Table) -> str:
    """Render the counts as tables of a page."""
    tables = (
        pages.render_table(name.capitalize(), ("", *head), [(first.strip(), *row) for first, *row in rows])
        for (name, *head), rows in list_tables(kept)
    )
    return pages.render_list([describe_documents(kept)]) + "".join(tables)


def describe_documents(kept: Table) -> str:
    """Say which documents were compared."""
    counts = kept["documents"]
    compared = counts["compared"]
    parts = [f"{compared:,} document{'s' * (compared != 1)} compared, {counts['unchanged']:,} unchanged"]
    for key, side in (("only_original", "original notes"), ("only_released", "release")):
        parts += [f"{counts[key]:,} only in the {side}"] if counts[key] else []
    return ", ".join(parts)


def list_tables(kept: Table) -> list[tuple[Row, Sequence[Row]]]:
    """Return the head and the rows of each table that has rows."""
    tables: list[tuple[Row, Sequence[Row]]] = [
        (KEPT, [list_kinds(name, row) for name, row in kept["read"].items()]),
        (DATES, list(list_dates(kept))),
        (AGES, [list_ages(name, row) for name, row in kept["ages"].items()]),
        (CHANGED, [list_changed(row) for row in kept["changed"]]),
    ]
    return [(head, rows) for head, rows in tables if rows]


def list_kinds(name: str, row: Table) -> Row:
    """Return the row of a kind of what programs read; one that is a part of another row is indented."""
    before, after, kept, in_order, new = (row[key] for key in ("before", "after", "kept", "in_order", "new"))
    shares = show_share(kept, before), show_share(in_order, before)
    return "  " * bool(row.get("part_of")) + name, *show_counts(before, after, kept), *shares, f"{new:,}"


def list_dates(kept: Table) -> Iterator[Row]:
    """Yield rows of the dates, and of pairs of dates that are as far apart as before."""
    dates = kept["dates"]
    yield list_share("dates with day, month and year", dates["before"], dates["kept"])
    for title, pairs in kept["intervals"].items():
        for unit in ("days", "years"):
            name = f"pairs {title.replace('_', ' ')}, as many {unit} apart"
            yield list_share(name, pairs[unit], pairs[f"same_{unit}"])


def list_share(name: str, before: int, kept: int) -> Row:
    return name, *show_counts(before, kept), show_share(kept, before)


def list_ages(name: str, row: Table) -> Row:
    """Return the row of a band of ages."""
    return *list_share(name, row["before"], row["same_band"]), f"{row['same_age']:,}"


def list_changed(row: Table) -> Row:
    """Return the row of a document."""
    before, lost, new = row["before"], row["lost"], row["new"]
    return str(row["document"]), *show_counts(before, lost), show_share(before - lost, before), f"{new:,}"


def show_counts(*counts: int) -> Row:
    return tuple(f"{count:,}" for count in counts)


def show_share(part: int, whole: int) -> str:
    """Show a share, rounded down, so that only all is 100%.

    >>> show_share(9999, 10000), show_share(3, 3), show_share(0, 0)
    ('99.9%', '100.0%', '-')
    """
    return f"{1000 * part // whole / 10:.1f}%" if whole else "-"
