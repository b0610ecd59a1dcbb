"""What went wrong, sorted as He et al. (2015, tables 6 to 8) sort it, at the strict level.

A span that the other side has exactly, type and both ends, is right. Any other span is
laid beside the span of the other side that it overlaps, of its own type if there is one,
else the one with the longest stretch in common:

- type: the same ends, another type; extent: the same type, other ends (short lies inside
  the gold span, long around it, "short and long" neither);
- type and extent: both wrong (He et al. do not name it; it is kept apart here);
- missing: a gold span that no system span touches; spurious: the reverse.

A mistake holds offsets and no text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from crfdeid.evaluate.scores import ratio
from crfdeid.text.document import Document, Span

Pairs = Sequence[tuple[Document, Document]]

KINDS = ("type", "extent", "type and extent", "missing", "spurious")
EXTENTS = ("short", "long", "short and long")
AROUND = 80  # characters on each side in which the words of a context are looked for


@dataclass(frozen=True)
class ErrorRecord:
    """``gold`` is None where spurious, ``system`` where missing. ``extent`` is empty where
    the ends agree or one side is None."""

    document: str
    kind: str
    extent: str
    gold: Span | None
    system: Span | None

    @property
    def type(self) -> str:
        """The gold type; of a spurious span, the system's."""
        return (self.gold or self.system or Span(0, 0, "")).type


def find_errors(pairs: Iterable[tuple[Document, Document]]) -> list[ErrorRecord]:
    """The mistakes of gold and system documents of the same text, in reading order."""
    return [
        mistake
        for gold, system in pairs
        for mistake in sorted(compare_spans(gold, system), key=find_first_offset)
    ]


def find_first_offset(mistake: ErrorRecord) -> int:
    return min(span.start for span in (mistake.gold, mistake.system) if span)


def compare_spans(gold: Document, system: Document) -> Iterator[ErrorRecord]:
    """Each wrong gold span gives one mistake, and so does each wrong system span that is
    not yet in one."""
    right, found = set(gold.spans), set(system.spans)
    beside: set[Span] = set()
    for span in sorted(right - found):
        partner = find_closest(span, found)
        if partner:
            beside.add(partner)
        yield build_record(gold.id, span, partner)
    for span in sorted(found - right - beside):
        yield build_record(gold.id, find_closest(span, right), span)


def find_closest(span: Span, others: Iterable[Span]) -> Span | None:
    overlapping = [other for other in others if span.overlaps(other)]
    return max(overlapping, key=lambda other: rank_closeness(span, other), default=None)


def rank_closeness(span: Span, other: Span) -> tuple[bool, bool, int, int]:
    """What to lay beside what: same ends, then same type, then the most in common."""
    same_ends = (span.start, span.end) == (other.start, other.end)
    common = min(span.end, other.end) - max(span.start, other.start)
    return same_ends, span.type == other.type, common, -other.start


def build_record(document: str, gold: Span | None, system: Span | None) -> ErrorRecord:
    if gold is None or system is None:
        return ErrorRecord(document, "spurious" if gold is None else "missing", "", gold, system)
    extent = find_extent(gold, system)
    kind = "type" if not extent else "extent" if gold.type == system.type else "type and extent"
    return ErrorRecord(document, kind, extent, gold, system)


def find_extent(gold: Span, system: Span) -> str:
    """
    >>> find_extent(Span(5, 9, "DATE"), Span(5, 7, "DATE"))
    'short'
    """
    if (gold.start, gold.end) == (system.start, system.end):
        return ""
    if gold.start <= system.start and system.end <= gold.end:
        return "short"
    return "long" if system.start <= gold.start and gold.end <= system.end else "short and long"


def count_kinds(mistakes: Iterable[ErrorRecord]) -> dict[str, int]:
    """He et al., table 6."""
    counts = Counter(mistake.kind for mistake in mistakes)
    return {kind: counts[kind] for kind in KINDS}


def count_extents(mistakes: Iterable[ErrorRecord]) -> dict[str, dict[str, int]]:
    """Extent errors per gold type, He et al., table 8."""
    rows: dict[str, Counter] = {}
    for mistake in mistakes:
        if mistake.extent:
            rows.setdefault(mistake.type, Counter())[mistake.extent] += 1
    return {type: {extent: rows[type][extent] for extent in EXTENTS} for type in sorted(rows)}


def count_confusions(
    pairs: Iterable[tuple[Document, Document]], mistakes: Iterable[ErrorRecord], order: Sequence[str] = ()
) -> dict[str, dict[str, int]]:
    """Gold type → system type → count, with the column "missing" and the row "spurious"
    (He et al., table 7). The diagonal holds right spans and extent errors. Types come in
    ``order``, then by name."""
    cells: Counter = Counter()
    for gold, system in pairs:
        cells.update((span.type, span.type) for span in set(gold.spans) & set(system.spans))
    for mistake in mistakes:
        row = mistake.gold.type if mistake.gold else "spurious"
        cells[row, mistake.system.type if mistake.system else "missing"] += 1
    present = {name for cell in cells for name in cell} - {"missing", "spurious"}
    types = [type for type in order if type in present] + sorted(present - set(order))
    columns = [*types, "missing"]
    return {row: {column: cells[row, column] for column in columns} for row in [*types, "spurious"]}


def count_missed_contexts(
    pairs: Iterable[tuple[Document, Document]], mistakes: Iterable[ErrorRecord], top: int = 20
) -> list[tuple[str, str, int]]:
    """Type, words around and count of the most frequent surroundings of missing spans."""
    documents = {gold.id: gold for gold, _ in pairs}
    counts = Counter(
        (mistake.type, describe_context(documents[mistake.document], mistake.gold))
        for mistake in mistakes
        if mistake.kind == "missing" and mistake.gold
    )
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(type, words, count) for (type, words), count in ranked[:top]]


def describe_context(document: Document, span: Span, words: int = 2) -> str:
    """The words around a span in lower case, digits as 0, other gold spans as their type:
    so that no PHI is shown and what is alike counts as alike.

    >>> note = Document("n", "Seen by Dr. Roe on 3/14 at 9", (Span(12, 15, "DOCTOR"), Span(19, 23, "DATE")))
    >>> describe_context(note, note.spans[0])
    'by dr. _ on DATE'
    """
    before = mask_context(document, max(0, span.start - AROUND), span.start).split()
    after = mask_context(document, span.end, span.end + AROUND).split()
    return " ".join([*before[-words:], "_", *after[:words]])


def mask_context(document: Document, start: int, end: int) -> str:
    pieces, at = [], start
    for span in document.spans:
        if span.start < end and at < span.end:
            pieces += [normalize_words(document.text[at : max(at, span.start)]), f" {span.type} "]
            at = span.end
    return "".join([*pieces, normalize_words(document.text[at:end])])


def normalize_words(text: str) -> str:
    return re.sub(r"\d", "0", text.lower())


COLUMNS = (
    "document", "kind", "extent",
    "gold_type", "gold_start", "gold_end", "system_type", "system_start", "system_end",
)  # fmt: skip


def build_rows(mistakes: Sequence[ErrorRecord]) -> list[dict[str, str | int | None]]:
    """One row a mistake, for a table: offsets and types, no text."""
    return [
        {
            "document": mistake.document,
            "kind": mistake.kind,
            "extent": mistake.extent,
            **{
                f"{side}_{name}": getattr(span, name, None)
                for side, span in (("gold", mistake.gold), ("system", mistake.system))
                for name in ("type", "start", "end")
            },
        }
        for mistake in mistakes
    ]


def format_kinds(mistakes: Sequence[ErrorRecord]) -> str:
    counts = count_kinds(mistakes)
    lines = [f"{'error':<17}{'number':>7}{'share':>9}"]
    for kind, count in counts.items():
        lines.append(f"{kind:<17}{count:7}{ratio(count, len(mistakes)):9.2%}")
    return "\n".join(lines)


def format_extents(mistakes: Sequence[ErrorRecord]) -> str:
    counts = count_extents(mistakes)
    lines = [f"{'extent errors':<17}" + "".join(f"{extent:>16}" for extent in EXTENTS)]
    for type, row in counts.items():
        lines.append(f"{type:<17}" + "".join(f"{row[extent]:16}" for extent in EXTENTS))
    return "\n".join(lines)


def format_confusions(pairs: Pairs, mistakes: Sequence[ErrorRecord], order: Sequence[str]) -> str:
    """Gold types in rows; columns are named by number, to fit a terminal."""
    table = count_confusions(pairs, mistakes, order)
    columns = [type for type in next(iter(table.values()), {}) if any(row[type] for row in table.values())]
    numbers = {type: str(number) for number, type in enumerate(columns, 1)} | {"missing": "missing"}
    width = max((len(str(count)) for row in table.values() for count in row.values()), default=1) + 2
    head = "".join(f"{numbers[name]:>{find_width(name, width)}}" for name in columns)
    lines = [f"{'gold, down':<20}{head}"]
    for row, counts in table.items():
        if any(counts.values()):
            name = f"{numbers.get(row, ''):>2} {row[:32]}"
            lines.append(f"{name:<20}" + format_cells(counts, columns, width))
    return "\n".join(lines)


def find_width(name: str, width: int) -> int:
    return 9 if name == "missing" else max(4, width)


def format_cells(counts: dict[str, int], columns: Iterable[str], width: int) -> str:
    return "".join(f"{counts[name] or '.':>{find_width(name, width)}}" for name in columns)


def format_contexts(pairs: Pairs, mistakes: Sequence[ErrorRecord], top: int = 20) -> str:
    found = count_missed_contexts(pairs, mistakes, top)
    lines = ["most frequent contexts of missing spans"]
    return "\n".join(lines + [f"{count:5}  {type:<16} {words}" for type, words, count in found])


def format_errors(pairs: Pairs, mistakes: Sequence[ErrorRecord], order: Sequence[str] = ()) -> str:
    """Kinds, confusion, extents and contexts; only the first where nothing is wrong."""
    parts = [format_kinds(mistakes)]
    if mistakes:
        parts += [
            format_confusions(pairs, mistakes, order),
            format_extents(mistakes),
            format_contexts(pairs, mistakes),
        ]
    return "\n\n".join(parts)
