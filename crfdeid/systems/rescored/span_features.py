"""What the trees see of each candidate: the members' probabilities, the candidates that compete with it, the
same text elsewhere in the note, how training labels the text, and its place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.systems.rescored.candidates import Candidates, Key, Note
from crfdeid.systems.rescored.training_texts import TrainingTexts
from crfdeid.systems.rescored.trees import compute_log_odds

NEAR = 40  # tokens: a sure span of the same type within them counts
LIKELY = 0.5  # the probability of a sure span
POSSIBLE = 0.3  # that of a span whose text is compared with others
GAP = 10_000  # tokens between two notes, so that their spans are not near
RIVALS = (
    "best rival",
    "all rivals",
    "rival of the type",
    "rival of the range",
    "longer rival",
    "shorter rival",
)
OF_TEXT = (
    "same type elsewhere",
    "all of the type",
    "other type elsewhere",
    "times in note",
    "share of times",
)
OF_PLACE = (
    "tokens",
    "line length",
    "place in note",
    "capital",
    "digit",
    "mark at end",
    "after stop",
    "before stop",
)
MARKS = frozenset(".,;)")


def describe_candidates(
    found: Sequence[Candidates], texts: Sequence[TrainingTexts], types: Sequence[str], kinds: Sequence[str]
) -> Floats:
    """Return the rows [candidates, columns] of all candidates of some notes; ``texts`` are those that each
    note is compared with."""
    members = [own for candidates in found for own in candidates.probabilities.values()]
    if not members:
        return np.zeros((0, 0))
    probabilities = np.clip(np.array(members, np.float64), 0.0, 1.0)
    mean = probabilities.mean(axis=1)
    number = {type: place for place, type in enumerate(types)}
    kind = {name: place for place, name in enumerate(kinds)}
    rows: list[list[float]] = []
    spans: list[tuple[int, int, int]] = []
    base = 0
    for candidates, known in zip(found, texts):
        note = candidates.note
        for key in candidates.probabilities:
            of_key = [number.get(key[2], -1), kind.get(candidates.kinds.get(key, ""), -1)]
            rows.append([*of_key, *describe_place(note, key), *known.describe(note, key)])
            spans.append((base + key[0], base + key[1], number.get(key[2], -1)))
        base += len(note.tokens) + GAP
    first, last, type_number = np.array(spans, np.int64).T
    of_texts = describe_repeats(found, mean)
    rivals = describe_rivals(first, last, type_number, mean)
    odds = compute_log_odds(np.column_stack([mean, probabilities]))
    return np.column_stack([odds, np.array(rows, np.float64), of_texts, rivals])


def describe_place(note: Note, key: Key) -> list[float]:
    """Return the columns :data:`OF_PLACE` of a candidate."""
    first, last, _ = key
    begin, lowered = note.tokens[first].text[0], note.lowered
    return [
        last + 1 - first,
        note.line_lengths[first],
        first / len(lowered),
        begin.isupper(),
        begin.isdigit(),
        lowered[last][-1] in MARKS,
        first > 0 and lowered[first - 1] == ".",
        last + 1 < len(lowered) and lowered[last + 1] == ".",
    ]


def describe_repeats(found: Sequence[Candidates], mean: Floats) -> Floats:
    """Return the columns :data:`OF_TEXT`: the same text elsewhere in the note."""
    rows: list[list[float]] = []
    values = iter(mean.tolist())
    for candidates in found:
        own = [(key, next(values)) for key in candidates.probabilities]
        groups: dict[str, list[tuple[Key, float]]] = {}
        texts = [candidates.note.read(key[0], key[1]) for key, _ in own]
        for text, pair in zip(texts, own):
            if pair[1] > POSSIBLE:
                groups.setdefault(text, []).append(pair)
        times: dict[str, int] = {}
        for text, (key, _) in zip(texts, own):
            if text not in times:
                is_word = text[0].isalpha()
                times[text] = len(candidates.note.find_text(key[0], key[1])) if is_word else 0
            rows.append(compare_repeats(key, groups.get(text, []), times[text]))
    return np.array(rows, np.float64)


def compare_repeats(key: Key, group: Sequence[tuple[Key, float]], times: int) -> list[float]:
    """Return the columns :data:`OF_TEXT` of one candidate; ``group`` are the possible spans with its text."""
    others = [(other[2], value) for other, value in group if other[0] != key[0]]
    same = [value for type, value in others if type == key[2]]
    different = [value for type, value in others if type != key[2]]
    share = sum(same) / (times - 1) if times > 1 else -1.0
    return [max(same, default=-1.0), sum(same), max(different, default=-1.0), times, share]


def describe_rivals(first: Ints, last: Ints, type: Ints, mean: Floats) -> Floats:
    """Return the columns :data:`RIVALS` and the number of sure spans of the type near each candidate."""
    one, other = pair_near(first, last)
    value = mean[other]
    overlap = (first[other] <= last[one]) & (last[other] >= first[one])
    same_range = (first[other] == first[one]) & (last[other] == last[one])
    masks = [
        overlap,
        overlap & (type[other] == type[one]),
        overlap & same_range,
        overlap & (first[other] <= first[one]) & (last[other] >= last[one]),
        overlap & (first[other] >= first[one]) & (last[other] <= last[one]),
    ]
    best = [find_largest(one, np.where(mask, value, 0.0), len(first)) for mask in masks]
    total = np.bincount(one, np.where(overlap, value, 0.0), len(first))
    sure = ~overlap & (type[other] == type[one]) & (value > LIKELY)
    return np.column_stack([best[0], total, *best[1:], np.bincount(one, sure, len(first))])


def find_largest(groups: Ints, values: Floats, number: int) -> Floats:
    """The largest value of each group, 0 for a group without values; ``groups`` are sorted."""
    found = np.zeros(number)
    np.maximum.at(found, groups, values)
    return found


def pair_near(first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """Return all pairs of different candidates that overlap or are at most :data:`NEAR` tokens apart, as two
    arrays of their numbers; the first is sorted."""
    order = np.argsort(first, kind="stable")
    starts = first[order]
    reach = int((last - first).max()) + NEAR
    low = np.searchsorted(starts, first - reach)
    high = np.searchsorted(starts, last + NEAR, side="right")
    sizes = high - low
    one = np.repeat(np.arange(len(first)), sizes)
    places = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(low, sizes)
    other = order[places]
    keep = (one != other) & (last[other] >= first[one] - NEAR)
    return one[keep], other[keep]
