"""A model and its decisions as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from crfdeid.evaluate.published_tables import align_columns
from crfdeid.explain.attribution import Candidate, DocumentTrace, Explanation, lead
from crfdeid.explain.model_weights import ModelWeights, Weight
from crfdeid.text.bio import OUTSIDE
from crfdeid.text.document import Token

REST, TOTAL = "all others", "emission"


def escape_controls(text: str) -> str:
    """Escape what is not printable, so that the text is one line and a terminal obeys nothing in it.

    >>> escape_controls("\\n")
    '\\\\n'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def describe_model(weights: ModelWeights, labels: Sequence[str], top: int) -> Iterator[str]:
    """The whole model, then each of ``labels`` (all labels if it is empty), as lines."""
    settings = weights.config
    yield (
        f"{weights.folder}: {len(weights.labels)} labels, {len(weights.features)} features with "
        f"{weights.weight_count} weights, {weights.transition_count} transitions"
    )
    if settings.recall_bias:
        yield f"recall bias {settings.recall_bias:g}, which the weight of bias for O has lost"
    for type, bias in settings.type_bias.items():
        yield f"type bias {bias:+g}, which the weights of bias for {type} have gained"
    yield ""
    heads = ("group", "features", "weights", "sum of |weight|")
    yield from align_columns([heads, *map(group_row, weights.by_group())])
    for label in labels or weights.labels:
        yield from ["", label]
        yield from list_weights("for", weights.strongest_features(label, top))
        yield from list_weights("against", weights.strongest_features(label, top, -1))
        if labels and weights.transition_count:
            yield from list_weights("likely transitions", weights.strongest_transitions(top, 1, label))
            yield from list_weights("unlikely transitions", weights.strongest_transitions(top, -1, label))
    if not labels and weights.transition_count:
        yield from ["", "transitions"]
        yield from list_weights("likely", weights.strongest_transitions(top))
        yield from list_weights("unlikely", weights.strongest_transitions(top, -1))


def group_row(row: tuple[str, int, int, float]) -> tuple[str, ...]:
    """One row of :meth:`ModelWeights.by_group` as text."""
    name, features, weights, size = row
    return name, str(features), str(weights), f"{size:.1f}"


def list_weights(title: str, weights: Sequence[Weight]) -> list[str]:
    """A title, and one line for each weight.

    >>> list_weights("for", [Weight("lower[0]=dr", 1.5, "lexical")])
    ['  for', '     +1.5000  lower[0]=dr   (lexical)']
    """
    lines = (
        f"    {w.value:+8.4f}  {escape_controls(w.name)}{f'   ({w.group})' if w.group else ''}"
        for w in weights
    )
    return [f"  {title}", *lines] if weights else [f"  {title}: none"]


def list_tokens(trace: DocumentTrace) -> list[str]:
    """Every token with its number, offset, label and probability (or lead), and what the systems below a
    stack say, as lines."""
    rows = [("token", "at", "label", trace.certainty, *trace.decisions, "text")]
    for number, token, label, certainty in trace.label_tokens():
        below = (labels[number] for labels in trace.decisions.values())
        text = escape_controls(token.text)
        rows.append((str(number), str(token.start), label, f"{certainty:.4f}", *below, text))
    return align_columns(rows)


def explain_token(explanation: Explanation, runners: int, top: int) -> Iterator[str]:
    """Why one token got its label, beside ``runners`` other labels, as lines."""
    chosen = choose_candidates(explanation, runners)
    yield format_title(explanation.number, explanation.token, explanation.label)
    if explanation.decisions:
        yield format_decisions(explanation)
    yield ""
    rows = (candidate_cells(explanation.candidates[n]) for n in chosen)
    yield from align_columns([candidate_heads(explanation), *rows])
    for title in ("group", "template", "feature"):
        yield ""
        yield from align_columns(list(contribution_rows(explanation, title, chosen, top)))


def format_title(number: int, token: Token, label: str) -> str:
    """
    >>> format_title(4, Token("Ruiz", 12), "B-DOCTOR")
    'token 4, 12-16, Ruiz: B-DOCTOR'
    """
    return f"token {number}, {token.start}-{token.end}, {escape_controls(token.text)}: {label}"


def format_decisions(explanation: Explanation) -> str:
    """The label that each system below a stack gives to the token."""
    return ", ".join(f"{name}: {label}" for name, label in explanation.decisions.items())


def choose_candidates(explanation: Explanation, runners: int) -> list[int]:
    """Indices of the candidates to show: the winner, the first ``runners`` others, and O."""
    labels = [candidate.label for candidate in explanation.candidates]
    chosen = list(range(min(runners + 1, len(labels))))
    outside = labels.index(OUTSIDE) if OUTSIDE in labels else 0
    return chosen if outside in chosen else [*chosen, outside]


def candidate_heads(explanation: Explanation) -> tuple[str, ...]:
    """The heads of the columns of :func:`candidate_cells`."""
    if not explanation.has_probabilities:
        return "label", TOTAL, "behind"
    before, after = explanation.before or "the start", explanation.after or "the end"
    return "label", "probability", TOTAL, f"from {before}", f"to {after}", "behind"


def candidate_cells(candidate: Candidate) -> tuple[str, ...]:
    emission, behind = f"{candidate.emission:+.4f}", f"{candidate.behind:.4f}"
    if candidate.probability is None:
        return candidate.label, emission, behind
    transitions = ("" if move is None else f"{move:+.4f}" for move in (candidate.into, candidate.onward))
    return candidate.label, f"{candidate.probability:.6f}", emission, *transitions, behind


def format_answer(explanation: Explanation) -> str:
    """Say in one sentence why the token got its label: the label and the next, the groups of features that
    speak most for the label, and the one that speaks most against it."""
    first, *others = explanation.candidates
    leads = [(escape_controls(name), lead(row)) for name, row in explanation.by_group()]
    most = [show_lead(*each) for each in leads if each[1] > 0][:2]
    least = [show_lead(*each) for each in leads if each[1] < 0][:1]
    said = f"“{escape_controls(explanation.token.text)}” is {name_candidate(first)}"
    said += f"; next is {name_candidate(others[0])}" if others else ""
    said += f"; most for it: {' and '.join(most)}" if most else ""
    return f"{said}; most against it: {least[0]}." if least else f"{said}."


def name_candidate(candidate: Candidate) -> str:
    """Name a label and its probability; O is not PHI."""
    name = "not PHI" if candidate.label == OUTSIDE else candidate.label
    return name if candidate.probability is None else f"{name} ({candidate.probability:.4f})"


def show_lead(name: str, value: float) -> str:
    return f"{name} ({value:+.1f})"


def contribution_rows(
    explanation: Explanation, part: str, chosen: list[int], top: int
) -> Iterator[tuple[str, ...]]:
    """A head, then a row for each ``part`` (group, template or feature): what it adds to the emission of
    each chosen label, and how much more to the winner than to the first runner-up. Templates and features
    after the first ``top`` are one sum, so that each column adds up."""
    yield part, *(explanation.candidates[n].label for n in chosen), "lead"
    rows = {
        "group": explanation.by_group,
        "template": explanation.by_template,
        "feature": explanation.by_feature,
    }[part]()
    for name, row in rows if part == "group" else keep_top(rows, top):
        yield escape_controls(name), *(f"{row[n]:+.4f}" for n in chosen), f"{lead(row):+.4f}"
    total = np.array([candidate.emission for candidate in explanation.candidates])
    yield TOTAL, *(f"{total[n]:+.4f}" for n in chosen), f"{lead(total):+.4f}"


def keep_top(rows: list[tuple[str, np.ndarray]], top: int) -> list[tuple[str, np.ndarray]]:
    """The first ``top`` rows, and one row that is the sum of the rest.

    >>> [(name, row.tolist()) for name, row in keep_top([("a", np.array([2])), ("b", np.array([1]))], 1)]
    [('a', [2]), ('all others (1)', [1])]
    """
    if not (rest := rows[top:]):
        return rows
    total = sum((row for _, row in rest), np.zeros_like(rest[0][1]))
    return [*rows[:top], (f"{REST} ({len(rest)})", total)]
