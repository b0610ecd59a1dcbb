"""Error analysis at the strict level, with the kinds of He et al. (2015, tables 6 to 8).

A span that the other side has exactly, type and both ends, is right. Any other span is compared with
a span of the other side that it overlaps: one with the same ends, else one of its type, else the
one with the most characters in common:

- type: the same ends, another type; extent: the same type, other ends (short: inside the gold
  span, long: around it, "short and long": neither);
- type and extent: both wrong (He et al. do not name it; here it is a kind of error itself);
- missing: a gold span that no system span touches; spurious: the reverse.

An error record holds offsets and no text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from crfdeid.evaluate.scores import ratio
from crfdeid.text.document import Document, Span, SpanIndex

Pair = tuple[Document, Document]  # gold and system, of the same text

KINDS = ("type", "extent", "type and extent", "missing", "spurious")
EXTENTS = ("short", "long", "short and long")
AROUND = 80  # characters on each side that are searched for the words of a context


@dataclass(frozen=True)
class ErrorRecord:
    """One error. ``gold`` is None if it is spurious, ``system`` if it is missing. ``extent`` is empty
    if the ends agree or one side is None."""

    document: str
    kind: str
    extent: str
    gold: Span | None
    system: Span | None

    @property
    def type(self) -> str:
        """The gold type, or the system's if the span is spurious."""
        return next(span.type for span in (self.gold, self.system) if span)


def find_errors(pairs: Iterable[Pair]) -> list[ErrorRecord]:
    """Find the errors in pairs of a gold and a system document of the same text, in reading order."""
    return [
        error
        for gold, system in pairs
        for error in sorted(compare_spans(gold, system), key=find_first_offset)
    ]


def find_first_offset(error: ErrorRecord) -> int:
    """Return where the error begins, in gold or in system."""
    return min(span.start for span in (error.gold, error.system) if span)


def compare_spans(gold: Document, system: Document) -> Iterator[ErrorRecord]:
    """Yield an error for each wrong gold span, and for each wrong system span that is not yet in one."""
    gold_spans, system_spans = set(gold.spans), set(system.spans)
    of_gold, of_system = SpanIndex(gold_spans), SpanIndex(system_spans)
    paired: set[Span] = set()
    for span in sorted(gold_spans - system_spans):
        partner = find_closest(span, of_system)
        if partner:
            paired.add(partner)
        yield build_record(gold.id, span, partner)
    for span in sorted(system_spans - gold_spans - paired):
        yield build_record(gold.id, find_closest(span, of_gold), span)


def find_closest(span: Span, others: SpanIndex) -> Span | None:
    """Return the span to compare with, None if no other span overlaps."""
    return max(others.find(span), key=lambda other: rank_closeness(span, other), default=None)


def rank_closeness(span: Span, other: Span) -> tuple[bool, bool, int, int, int, str]:
    """Rank a partner: the same ends first, then the same type, then the most characters in common,
    then the first start and the last end, so that the choice never depends on the order of a set."""
    same_ends = (span.start, span.end) == (other.start, other.end)
    common = min(span.end, other.end) - max(span.start, other.start)
    return same_ends, span.type == other.type, common, -other.start, other.end, other.type


def build_record(document: str, gold: Span | None, system: Span | None) -> ErrorRecord:
    """Build the record of a pair; one of the two may be None."""
    if gold is None or system is None:
        return ErrorRecord(document, "spurious" if gold is None else "missing", "", gold, system)
    extent = find_extent(gold, system)
    kind = "type" if not extent else "extent" if gold.type == system.type else "type and extent"
    return ErrorRecord(document, kind, extent, gold, system)


def find_extent(gold: Span, system: Span) -> str:
    """Compare the ends of two spans that overlap.

    >>> find_extent(Span(5, 9, "DATE"), Span(5, 7, "DATE"))
    'short'
    """
    if (gold.start, gold.end) == (system.start, system.end):
        return ""
    if gold.start <= system.start and system.end <= gold.end:
        return "short"
    return "long" if system.start <= gold.start and gold.end <= system.end else "short and long"


def count_kinds(errors: Iterable[ErrorRecord]) -> dict[str, int]:
    """Count the errors of each kind (He et al., table 6)."""
    counts = Counter(error.kind for error in errors)
    return {kind: counts[kind] for kind in KINDS}


def count_extents(errors: Iterable[ErrorRecord]) -> dict[str, dict[str, int]]:
    """Count the extent errors of each gold type (He et al., table 8)."""
    rows: dict[str, Counter[str]] = {}
    for error in errors:
        if error.extent:
            rows.setdefault(error.type, Counter())[error.extent] += 1
    return {type: {extent: rows[type][extent] for extent in EXTENTS} for type in sorted(rows)}


def count_confusions(
    pairs: Iterable[Pair], errors: Iterable[ErrorRecord], order: Sequence[str] = ()
) -> dict[str, dict[str, int]]:
    """Count gold type → system type, with the column "missing" and the row "spurious" (He et al.,
    table 7). The diagonal holds right spans and extent errors. Types are in ``order``, then by
    name."""
    cells: Counter[tuple[str, str]] = Counter()
    for gold, system in pairs:
        cells.update((span.type, span.type) for span in set(gold.spans) & set(system.spans))
    for error in errors:
        row = error.gold.type if error.gold else "spurious"
        cells[row, error.system.type if error.system else "missing"] += 1
    present = {name for cell in cells for name in cell} - {"missing", "spurious"}
    types = [type for type in order if type in present] + sorted(present - set(order))
    columns = [*types, "missing"]
    return {row: {column: cells[row, column] for column in columns} for row in [*types, "spurious"]}


def count_missed_contexts(
    pairs: Iterable[Pair], errors: Iterable[ErrorRecord], top: int = 20
) -> list[tuple[str, str, int]]:
    """Count the contexts of missing spans. Returns type, context and count of the most frequent ones."""
    notes = {gold.id: (gold.text, SpanIndex(gold.spans)) for gold, _ in pairs}
    counts = Counter(
        (error.type, describe_context(*notes[error.document], error.gold))
        for error in errors
        if error.kind == "missing" and error.gold
    )
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(type, words, count) for (type, words), count in ranked[:top]]


def describe_context(text: str, spans: SpanIndex, span: Span, words: int = 2) -> str:
    """Return the words around a span in lower case, with digits as 0 and other gold spans as their
    type, so that no PHI is shown and similar contexts count together.

    >>> spans = SpanIndex([Span(12, 15, "DOCTOR"), Span(19, 23, "DATE")])
    >>> describe_context("Seen by Dr. Roe on 3/14 at 9", spans, Span(12, 15, "DOCTOR"))
    'by dr. _ on DATE'
    """
    before = mask_context(text, spans, max(0, span.start - AROUND), span.start).split()
    after = mask_context(text, spans, span.end, span.end + AROUND).split()
    return " ".join([*before[-words:], "_", *after[:words]])


def mask_context(text: str, spans: SpanIndex, start: int, end: int) -> str:
    """Return a range of the text with each gold span as its type."""
    pieces, at = [], start
    for span in spans.find(Span(start, end, "")):
        if at < span.end:
            pieces += [normalize_words(text[at : max(at, span.start)]), f" {span.type} "]
            at = span.end
    return "".join([*pieces, normalize_words(text[at:end])])


def normalize_words(text: str) -> str:
    """Write the text in lower case and each digit as 0."""
    return re.sub(r"\d", "0", text.lower())


COLUMNS = (
    "document", "kind", "extent",
    "gold_type", "gold_start", "gold_end", "system_type", "system_start", "system_end",
)  # fmt: skip


def build_rows(errors: Sequence[ErrorRecord]) -> list[dict[str, str | int | None]]:
    """Build a table with a row for each error: offsets and types, no text."""
    return [
        {
            "document": error.document,
            "kind": error.kind,
            "extent": error.extent,
            **{
                f"{side}_{name}": getattr(span, name, None)
                for side, span in (("gold", error.gold), ("system", error.system))
                for name in ("type", "start", "end")
            },
        }
        for error in errors
    ]


def format_kinds(errors: Sequence[ErrorRecord]) -> str:
    """Format the number and share of each kind."""
    counts = count_kinds(errors)
    lines = [f"{'error':<17}{'number':>7}{'share':>9}"]
    for kind, count in counts.items():
        lines.append(f"{kind:<17}{count:7}{ratio(count, len(errors)):9.2%}")
    return "\n".join(lines)


def format_extents(errors: Sequence[ErrorRecord]) -> str:
    """Format the extent errors, a line for each gold type."""
    counts = count_extents(errors)
    lines = [f"{'extent errors':<17}" + "".join(f"{extent:>16}" for extent in EXTENTS)]
    for type, row in counts.items():
        lines.append(f"{type:<17}" + "".join(f"{row[extent]:16}" for extent in EXTENTS))
    return "\n".join(lines)


def format_confusions(pairs: Sequence[Pair], errors: Sequence[ErrorRecord], order: Sequence[str]) -> str:
    """Format the confusion matrix: gold types in rows; columns are named by number, to fit a terminal."""
    table = count_confusions(pairs, errors, order)
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
    """Return the width of a column of the confusion matrix."""
    return 9 if name == "missing" else max(4, width)


def format_cells(counts: dict[str, int], columns: Iterable[str], width: int) -> str:
    """Format one row of the confusion matrix; a point is 0."""
    return "".join(f"{counts[name] or '.':>{find_width(name, width)}}" for name in columns)


def format_contexts(pairs: Sequence[Pair], errors: Sequence[ErrorRecord], top: int = 20) -> str:
    """Format the most frequent contexts of missing spans."""
    found = count_missed_contexts(pairs, errors, top)
    lines = ["most frequent contexts of missing spans"]
    return "\n".join(lines + [f"{count:5}  {type:<16} {words}" for type, words, count in found])


def format_errors(pairs: Sequence[Pair], errors: Sequence[ErrorRecord], order: Sequence[str] = ()) -> str:
    """Format kinds, confusion, extents and contexts; only the kinds where there are no errors."""
    parts = [format_kinds(errors)]
    if errors:
        parts += [
            format_confusions(pairs, errors, order),
            format_extents(errors),
            format_contexts(pairs, errors),
        ]
    return "\n\n".join(parts)
