"""The tables of :mod:`crfdeid.evaluate.error_analysis` as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crfdeid.evaluate.error_analysis import (
    EXTENTS,
    ErrorRecord,
    by_extent,
    by_kind,
    confusion,
    missed_contexts,
)
from crfdeid.evaluate.scores import ratio
from crfdeid.text.document import Document

Pairs = Sequence[tuple[Document, Document]]


def kinds(mistakes: Sequence[ErrorRecord]) -> str:
    counts = by_kind(mistakes)
    lines = [f"{'error':<17}{'number':>7}{'share':>9}"]
    for kind, count in counts.items():
        lines.append(f"{kind:<17}{count:7}{ratio(count, len(mistakes)):9.2%}")
    return "\n".join(lines)


def extents(mistakes: Sequence[ErrorRecord]) -> str:
    counts = by_extent(mistakes)
    lines = [f"{'extent errors':<17}" + "".join(f"{extent:>16}" for extent in EXTENTS)]
    for type, row in counts.items():
        lines.append(f"{type:<17}" + "".join(f"{row[extent]:16}" for extent in EXTENTS))
    return "\n".join(lines)


def confusions(pairs: Pairs, mistakes: Sequence[ErrorRecord], order: Sequence[str]) -> str:
    """Gold types in rows; columns are named by number, to fit a terminal."""
    table = confusion(pairs, mistakes, order)
    columns = [type for type in next(iter(table.values()), {}) if any(row[type] for row in table.values())]
    numbers = {type: str(number) for number, type in enumerate(columns, 1)} | {"missing": "missing"}
    width = max((len(str(count)) for row in table.values() for count in row.values()), default=1) + 2
    head = "".join(f"{numbers[name]:>{column(name, width)}}" for name in columns)
    lines = [f"{'gold, down':<20}{head}"]
    for row, counts in table.items():
        if any(counts.values()):
            name = f"{numbers.get(row, ''):>2} {row[:32]}"
            lines.append(f"{name:<20}" + cells(counts, columns, width))
    return "\n".join(lines)


def column(name: str, width: int) -> int:
    return 9 if name == "missing" else max(4, width)


def cells(counts: dict[str, int], columns: Iterable[str], width: int) -> str:
    return "".join(f"{counts[name] or '.':>{column(name, width)}}" for name in columns)


def contexts(pairs: Pairs, mistakes: Sequence[ErrorRecord], top: int = 20) -> str:
    found = missed_contexts(pairs, mistakes, top)
    lines = ["most frequent contexts of missing spans"]
    return "\n".join(lines + [f"{count:5}  {type:<16} {words}" for type, words, count in found])


def table(pairs: Pairs, mistakes: Sequence[ErrorRecord], order: Sequence[str] = ()) -> str:
    """Kinds, confusion, extents and contexts; only the first where nothing is wrong."""
    parts = [kinds(mistakes)]
    if mistakes:
        parts += [confusions(pairs, mistakes, order), extents(mistakes), contexts(pairs, mistakes)]
    return "\n\n".join(parts)
