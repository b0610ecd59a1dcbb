"""MEDDOCAN's scores (IberLEF 2019, Marimon et al. 2019): entities, and spans without their type."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import TypeVar

from crfdeid.evaluate.pairing import pair_documents
from crfdeid.evaluate.scores import Counts
from crfdeid.text.document import Document, Span

Item = TypeVar("Item")
Range = tuple[int, int]  # start and end
TITLES = {"ner": "sub-track 1", "strict": "sub-track 2 strict", "merged": "sub-track 2 merged"}


def score_documents(
    gold: Sequence[Document], system: Sequence[Document], missing: str = "error"
) -> dict[str, Counts]:
    """Return the micro counts of sub-track 1 (``ner``) and of both forms of sub-track 2 (``strict``,
    ``merged``). Types keep their case. Raises what :func:`crfdeid.evaluate.pairing.pair_documents`
    raises."""
    return score_pairs(pair_documents(gold, system, missing))


def score_pairs(pairs: Sequence[tuple[Document, Document]]) -> dict[str, Counts]:
    """Sum the counts of all pairs (gold, system), by the name of the score."""
    return {name: sum((rule(*pair) for pair in pairs), Counts()) for name, rule in RULES.items()}


def count_entities(gold: Document, system: Document) -> Counts:
    """Count exact matches of start, end and type."""
    return count_sets(set(gold.spans), set(system.spans))


def count_strict(gold: Document, system: Document) -> Counts:
    """Count exact matches of start and end."""
    return count_sets(list_ranges(gold.spans), list_ranges(system.spans))


def count_merged(gold: Document, system: Document) -> Counts:
    """Count strict matches and those of joined spans. A strict miss or false alarm inside a span
    that matched is forgiven."""
    right, found = list_ranges(gold.spans), list_ranges(system.spans)
    joined = join_neighbours(right, gold.text) & join_neighbours(found, gold.text)
    matched = (right & found) | joined
    return Counts(len(matched), count_outside(found - right, matched), count_outside(right - found, matched))


RULES: dict[str, Callable[[Document, Document], Counts]] = {
    "ner": count_entities,
    "strict": count_strict,
    "merged": count_merged,
}


def count_sets(gold: set[Item], system: set[Item]) -> Counts:
    """Count common items, those only in system and those only in gold."""
    return Counts(len(gold & system), len(system - gold), len(gold - system))


def list_ranges(spans: Iterable[Span]) -> set[Range]:
    """Return the spans without their types."""
    return {(span.start, span.end) for span in spans}


def join_neighbours(spans: Iterable[Range], text: str) -> set[Range]:
    """Join spans with no letter or digit between them.

    >>> sorted(join_neighbours([(0, 3), (5, 8), (12, 15)], "Ana, Gil con Eva"))
    [(0, 8), (12, 15)]
    """
    result: list[Range] = []
    for start, end in sorted(spans):
        if result and not any(map(str.isalnum, text[result[-1][1] : start])):
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((start, end))
    return set(result)


def count_outside(spans: Iterable[Range], matched: Iterable[Range]) -> int:
    """Count the spans that are not inside a matched one."""
    ordered = sorted(matched)
    starts = [start for start, _ in ordered]
    ends = [0, *accumulate((end for _, end in ordered), max)]  # the last end of those that begin before
    return sum(ends[bisect_right(starts, start)] < end for start, end in spans)


def format_scores(scores: dict[str, Counts]) -> str:
    """Format the three scores, one on each line."""
    lines = [f"{'':<20}{'gold':>7}{'system':>7}   P      R      F1"]
    for name, counts in scores.items():
        sizes = f"{counts.tp + counts.fn:7}{counts.tp + counts.fp:7}"
        figures = f"{counts.precision:.4f} {counts.recall:.4f} {counts.f1:.4f}"
        lines.append(f"{TITLES[name]:<20}{sizes}   {figures}")
    return "\n".join(lines)
