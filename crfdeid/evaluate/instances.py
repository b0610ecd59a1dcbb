"""Counts of instances of PHI as in Douglass 2005, tables 5.3 and 5.4.

Her rules (section 3.4) count an instance once: it is found where a system span of any type touches it, and
what the system marks around it does not count. A system span that touches no instance is false. The repeats
of a false span count each: of her 490, 148 are repeats (section 5.2.2).
"""

from __future__ import annotations

from collections.abc import Iterable

from crfdeid.evaluate.published_tables import PublishedTable, format_beside
from crfdeid.evaluate.scores import Counts
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import Scheme
from crfdeid.text.spans import SpanIndex

COLUMNS = ("TP", "FP", "FN", "R", "P")
ALL = "all"


def measure_instances(pairs: Iterable[tuple[Document, Document]], scheme: Scheme) -> dict[str, Counts]:
    """Count the instances of each category, and of all, in pairs of a gold and a system document.

    >>> from crfdeid.text.scheme import read_scheme
    >>> gold = Document("1", "Dr. Everard van Tijlen, vent 24/06", (Span(4, 22, "DOCTOR"),))
    >>> system = gold.with_spans([Span(0, 11, "DOCTOR"), Span(12, 22, "CITY"), Span(29, 34, "DATE")])
    >>> measure_instances([(gold, system)], read_scheme())["all"]
    Counts(tp=1, fp=1, fn=0)
    """
    rows: dict[str, Counts] = {}

    def add(span: Span, counts: Counts) -> None:
        for name in (scheme.category(span.type), ALL):
            rows[name] = rows.get(name, Counts()) + counts

    for gold, system in pairs:
        in_gold, in_system = SpanIndex(gold.spans), SpanIndex(system.spans)
        for span in set(gold.spans):
            add(span, Counts(tp=1) if in_system.find(span) else Counts(fn=1))
        for span in set(system.spans):
            if not in_gold.find(span):
                add(span, Counts(fp=1))
    return rows


def is_table_of_instances(table: PublishedTable) -> bool:
    return table.columns == COLUMNS


def list_cells(rows: dict[str, Counts]) -> dict[str, dict[str, float]]:
    """Return the columns of her tables, row by row."""
    return {
        name: {"TP": row.tp, "FP": row.fp, "FN": row.fn, "R": row.recall, "P": row.precision}
        for name, row in rows.items()
    }


def format_instances(
    table: PublishedTable, pairs: Iterable[tuple[Document, Document]], scheme: Scheme, corpus: str
) -> str:
    """Format a table of instances with ours beside it."""
    return format_beside(table, list_cells(measure_instances(pairs, scheme)), corpus)
