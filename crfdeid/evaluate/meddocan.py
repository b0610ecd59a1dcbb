"""MEDDOCAN's scores (IberLEF 2019, Marimon et al. 2019): entities, and spans whatever their type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from crfdeid.evaluate.pairing import pair_documents
from crfdeid.evaluate.scores import Counts
from crfdeid.text.document import Document, Span

Stretch = tuple[int, int]
TITLES = {"ner": "sub-track 1", "strict": "sub-track 2 strict", "merged": "sub-track 2 merged"}


def score(gold: Sequence[Document], system: Sequence[Document], missing: str = "error") -> dict[str, Counts]:
    """Micro counts of sub-track 1 (``ner``) and of both forms of sub-track 2 (``strict``,
    ``merged``). Types keep their case. Raises what
    :func:`crfdeid.evaluate.pairing.pair_documents` raises."""
    return score_pairs(pair_documents(gold, system, missing))


def score_pairs(pairs: Sequence[tuple[Document, Document]]) -> dict[str, Counts]:
    return {name: sum((rule(*pair) for pair in pairs), Counts()) for name, rule in RULES.items()}


def ner(gold: Document, system: Document) -> Counts:
    return counts(set(gold.spans), set(system.spans))


def strict(gold: Document, system: Document) -> Counts:
    return counts(stretches(gold.spans), stretches(system.spans))


def merged(gold: Document, system: Document) -> Counts:
    """A strict miss or false alarm inside a span that matched, merged or not, is forgiven."""
    right, found = stretches(gold.spans), stretches(system.spans)
    matched = (right & found) | (joined(right, gold.text) & joined(found, gold.text))
    return Counts(len(matched), outside(found - right, matched), outside(right - found, matched))


RULES: dict[str, Callable[[Document, Document], Counts]] = {"ner": ner, "strict": strict, "merged": merged}


def counts(gold: set, system: set) -> Counts:
    return Counts(len(gold & system), len(system - gold), len(gold - system))


def stretches(spans: Iterable[Span]) -> set[Stretch]:
    return {(span.start, span.end) for span in spans}


def joined(spans: Iterable[Stretch], text: str) -> set[Stretch]:
    """Spans with no letter or digit between them become one.

    >>> sorted(joined([(0, 3), (5, 8), (12, 15)], "Ana, Gil con Eva"))
    [(0, 8), (12, 15)]
    """
    result: list[Stretch] = []
    for start, end in sorted(spans):
        if result and not any(map(str.isalnum, text[result[-1][1] : start])):
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((start, end))
    return set(result)


def outside(spans: Iterable[Stretch], matched: Iterable[Stretch]) -> int:
    matched = list(matched)
    return sum(not any(start <= s and e <= end for start, end in matched) for s, e in spans)


def table(scores: dict[str, Counts]) -> str:
    lines = [f"{'':<20}{'gold':>7}{'system':>7}   P      R      F1"]
    for name, found in scores.items():
        sizes = f"{found.tp + found.fn:7}{found.tp + found.fp:7}"
        figures = f"{found.precision:.4f} {found.recall:.4f} {found.f1:.4f}"
        lines.append(f"{TITLES[name]:<20}{sizes}   {figures}")
    return "\n".join(lines)
