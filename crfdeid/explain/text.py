"""A model and its decisions, told as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from crfdeid.evaluate.published_tables import aligned
from crfdeid.explain.attribution import Candidate, DocumentTrace, Explanation, lead
from crfdeid.explain.model_weights import ModelWeights, Weight
from crfdeid.text.bio import OUTSIDE

REST, TOTAL = "all others", "emission"


def shown(text: str) -> str:
    """On one line, without what a terminal would obey.

    >>> shown("\\n")
    '\\\\n'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def model(anatomy: ModelWeights, labels: Sequence[str], top: int) -> Iterator[str]:
    """The whole model, then each of ``labels`` (all, if none is given), in lines."""
    settings = anatomy.pipeline.config
    yield (
        f"{anatomy.folder}: {len(anatomy.labels)} labels, {len(anatomy.features)} features with "
        f"{anatomy.size} weights, {anatomy.moves} transitions"
    )
    if settings.recall_bias:
        yield f"recall bias {settings.recall_bias:g}, which the weight of bias for O has lost"
    yield ""
    yield from aligned([("group", "features", "weights", "sum of |weight|"), *map(group, anatomy.by_group())])
    for label in labels or anatomy.labels:
        yield from ["", label]
        yield from strongest("for", anatomy.strongest(label, top))
        yield from strongest("against", anatomy.strongest(label, top, -1))
        if labels:
            yield from strongest("likely transitions", anatomy.moved(top, 1, label))
            yield from strongest("unlikely transitions", anatomy.moved(top, -1, label))
    if not labels:
        yield from ["", "transitions"]
        yield from strongest("likely", anatomy.moved(top))
        yield from strongest("unlikely", anatomy.moved(top, -1))


def group(row: tuple[str, int, int, float]) -> tuple[str, ...]:
    name, features, weights, size = row
    return name, str(features), str(weights), f"{size:.1f}"


def strongest(title: str, weights: Sequence[Weight]) -> list[str]:
    """
    >>> strongest("for", [Weight("lower[0]=dr", 1.5, "lexical")])
    ['  for', '     +1.5000  lower[0]=dr   (lexical)']
    """
    told = (f"    {w.value:+8.4f}  {shown(w.name)}{f'   ({w.group})' if w.group else ''}" for w in weights)
    return [f"  {title}", *told] if weights else [f"  {title}: none"]


def tokens(reading: DocumentTrace) -> list[str]:
    """Every token with its label: what there is to ask about."""
    rows = [("token", "at", "label", "probability", "text")]
    for number, token, label, probability in reading.labelled():
        rows.append((str(number), str(token.start), label, f"{probability:.4f}", shown(token.text)))
    return aligned(rows)


def token(explanation: Explanation, runners: int, top: int) -> Iterator[str]:
    """Why one token got its label, beside ``runners`` other labels, in lines."""
    chosen = compared(explanation, runners)
    it = explanation.token
    yield f"token {explanation.number}, {it.start}-{it.end}, {shown(it.text)}: {explanation.label}"
    yield ""
    yield from aligned([heads(explanation), *(cells(explanation.candidates[n]) for n in chosen)])
    for title in ("group", "template", "feature"):
        yield ""
        yield from aligned(list(table(explanation, title, chosen, top)))


def compared(explanation: Explanation, runners: int) -> list[int]:
    """Places among the candidates: the winner, the first ``runners`` others, and O."""
    labels = [candidate.label for candidate in explanation.candidates]
    chosen = list(range(min(runners + 1, len(labels))))
    outside = labels.index(OUTSIDE) if OUTSIDE in labels else 0
    return chosen if outside in chosen else [*chosen, outside]


def heads(explanation: Explanation) -> tuple[str, ...]:
    before, after = explanation.before or "the start", explanation.after or "the end"
    return "label", "probability", "emission", f"from {before}", f"to {after}", "behind"


def cells(candidate: Candidate) -> tuple[str, ...]:
    moves = ("" if move is None else f"{move:+.4f}" for move in (candidate.into, candidate.onward))
    probability = f"{candidate.probability:.6f}"
    return candidate.label, probability, f"{candidate.emission:+.4f}", *moves, f"{candidate.behind:.4f}"


def table(explanation: Explanation, part: str, chosen: list[int], top: int) -> Iterator[tuple[str, ...]]:
    """What each ``part`` (group, template or feature) adds to the emission of each chosen label,
    and how much more to the winner than to the first runner-up. Templates and features past ``top``
    are summed, so that columns add up."""
    yield part, *(explanation.candidates[n].label for n in chosen), "lead"
    rows = {
        "group": explanation.by_group,
        "template": explanation.by_template,
        "feature": explanation.by_feature,
    }[part]()
    for name, row in rows if part == "group" else cut(rows, top):
        yield shown(name), *(f"{row[n]:+.4f}" for n in chosen), f"{lead(row):+.4f}"
    total = np.array([candidate.emission for candidate in explanation.candidates])
    yield TOTAL, *(f"{total[n]:+.4f}" for n in chosen), f"{lead(total):+.4f}"


def cut(rows: list[tuple[str, np.ndarray]], top: int) -> list[tuple[str, np.ndarray]]:
    """The first ``top`` rows, and the sum of what is left.

    >>> [(name, row.tolist()) for name, row in cut([("a", np.array([2])), ("b", np.array([1]))], 1)]
    [('a', [2]), ('all others (1)', [1])]
    """
    left = rows[top:]
    return [*rows[:top], *([(f"{REST} ({len(left)})", sum(row for _, row in left))] if left else [])]
