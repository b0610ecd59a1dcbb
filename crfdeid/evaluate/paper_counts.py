"""Counts of two works that no other criterion gives.

Sibanda & Uzuner 2006 (tables 9 and 13) score only some tokens: those that are ambiguous between PHI and
not, those that no list holds. :mod:`crfdeid.corpora.token_marks` reads the tokens. A token counts as tagged
if system spans cover every character of it, whatever their type: as in the paper, the question is only PHI
or not.

Douglass 2005 (tables 5.3 and 5.4) counts instances of PHI. Her rules (section 3.4) count an instance once:
it is found where a system span of any type touches it, and what the system marks around it does not count.
A system span that touches no instance is false. The repeats of a false span count each: of her 490, 148 are
repeats (section 5.2.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from crfdeid.corpora.token_marks import TokenMark
from crfdeid.errors import FormatError, did_you_mean, show_id
from crfdeid.evaluate.leakage import mask_document
from crfdeid.evaluate.matching import pair_documents
from crfdeid.evaluate.published_tables import PublishedTable, format_beside
from crfdeid.evaluate.scores import Counts
from crfdeid.evaluate.significance import Interval, bootstrap
from crfdeid.text.document import Document, Span, SpanIndex
from crfdeid.text.scheme import Scheme

KINDS = ("ambiguous", "unseen")

COLUMNS = ("TP", "FP", "FN", "R", "P")
ALL = "all"


def select_marks(marks: Iterable[TokenMark], kind: str) -> list[TokenMark]:
    """Return the marks of a kind. Raises :class:`FormatError` for an unknown kind."""
    if kind not in KINDS:
        raise FormatError(
            f"{kind}: not a kind of tokens{did_you_mean(kind, KINDS)}; wanted {' or '.join(KINDS)}"
        )
    return [mark for mark in marks if getattr(mark, kind)]


def count_tokens(
    gold: Sequence[Document], system: Sequence[Document], marks: Iterable[TokenMark]
) -> np.ndarray:
    """Count tp, fp, fn on the marked tokens: an array [document, class, 3], documents in gold's order,
    classes PHI and Non-PHI. Gold decides whether a token is PHI. Raises what
    :func:`crfdeid.evaluate.matching.pair_documents` raises, and :class:`FormatError` for a mark that
    leaves its document or whose document is not in gold."""
    pairs = pair_documents(gold, system)
    by_id = group_by_document(marks, {document.id: len(document.text) for document, _ in pairs})
    counts = np.zeros((len(pairs), 2, 3), dtype=np.int64)
    for row, (gold_document, system_document) in enumerate(pairs):
        masks = mask_document(gold_document), mask_document(system_document)
        for mark in by_id[gold_document.id]:
            is_phi, is_tagged = (bool(mask[mark.start : mark.end].all()) for mask in masks)
            if is_phi == is_tagged:
                counts[row, 0 if is_phi else 1, 0] += 1
            else:
                counts[row, 0, 2 if is_phi else 1] += 1
                counts[row, 1, 1 if is_phi else 2] += 1
    return counts


def group_by_document(marks: Iterable[TokenMark], lengths: Mapping[str, int]) -> dict[str, list[TokenMark]]:
    """Return the marks of each document; ``lengths`` has the length of each text, by id."""
    groups: dict[str, list[TokenMark]] = {id: [] for id in lengths}
    for number, mark in enumerate(marks, 1):
        where = show_id(mark.document, f"marked token {number}")
        if mark.document not in groups:
            raise FormatError(f"{where}: a marked token, but no such document in gold")
        if mark.end > lengths[mark.document]:
            raise FormatError(f"{where}: the marked token {mark.start}-{mark.end} leaves the text")
        groups[mark.document].append(mark)
    return groups


def format_table(
    gold: Sequence[Document], system: Sequence[Document], marks: Sequence[TokenMark], resamples: int = 10_000
) -> str:
    """Format P, R and F1 of PHI and Non-PHI on the tokens of each kind, with 95% intervals of the
    recall. Where no marked token is of the other class, precision means nothing and is left out."""
    lines = [f"{'kind':<12}{'class':<9}{'tokens':>7}   P      R      F1       95% interval of R"]
    for kind in KINDS:
        counts = count_tokens(gold, system, select_marks(marks, kind))
        for row, name in enumerate(("PHI", "Non-PHI")):
            total = Counts(*map(int, counts[:, row].sum(axis=0)))
            if size := total.tp + total.fn:
                is_one_sided = not counts[:, 1 - row, [0, 2]].any()
                interval = bootstrap(counts[:, row], resamples=resamples)["recall"] if resamples else None
                lines.append(_format_line(kind, name, size, total, is_one_sided, interval))
    return "\n".join(lines)


def _format_line(
    kind: str, name: str, size: int, total: Counts, is_one_sided: bool, interval: Interval | None
) -> str:
    left, right = ("-", "-") if is_one_sided else (f"{total.precision:.4f}", f"{total.f1:.4f}")
    ends = f"   {interval.low:.4f}-{interval.high:.4f}" if interval else ""
    return f"{kind:<12}{name:<9}{size:>7}   {left:<6} {total.recall:.4f} {right:<6}{ends}".rstrip()


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
