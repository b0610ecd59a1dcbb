"""The arrays of training, compared with brute force."""

import itertools
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("numba")

from crfdeid.engine import compiled_math
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.training import feature_counts, numba_kernels
from crfdeid.engine.training.bundles import Bundles
from crfdeid.engine.training.feature_counts import count_pairs
from crfdeid.engine.training.numbering import AttributeNames, number_few_keys, number_keys, transpose
from crfdeid.engine.training.objective import Work
from crfdeid.engine.training.score_layout import build_layout
from crfdeid.engine.training.training_set import TrainingSet
from crfdeid.engine.training.transition_layout import Transitions, build_structure, place_labels

LABELS = ["O", "B-DATE", "I-DATE", "B-AGE", "B-CITY", "I-CITY"]


@given(st.lists(st.integers(0, 2**62)), st.integers(0, 20))
def test_numbers_are_given_in_order(keys, most):
    wanted = list(dict.fromkeys(keys))
    found = number_keys(np.array(keys, np.int64))
    assert found[0].tolist() == wanted
    assert [wanted[number] for number in found[1]] == keys
    assert (number_few_keys(np.array(keys, np.int64), most) is None) == (len(wanted) > most)


@given(st.lists(st.lists(st.integers(0, 5), max_size=4), max_size=6))
def test_transpose_lists_the_items_of_each_value(items):
    ends = np.cumsum([0, *map(len, items)])
    values = np.array([value for item in items for value in item], np.int32)
    found_ends, found = transpose(ends, values, 6)
    for value in range(6):
        holders = [number for number, item in enumerate(items) for one in item if one == value]
        assert found[found_ends[value] : found_ends[value + 1]].tolist() == holders


@st.composite
def training_sets(draw):
    """A few columns of attributes, some of many values, some with equal values."""
    tokens = draw(st.integers(1, 60))
    columns, first = [np.zeros(tokens, np.int32)], 1  # the bias
    for size in draw(st.lists(st.sampled_from([1, 2, 5, 30]), min_size=1, max_size=6)):
        codes = draw(st.lists(st.integers(-1, size - 1), min_size=tokens, max_size=tokens))
        for _ in range(draw(st.integers(1, 2))):
            columns.append(np.array([NONE if code == NONE else first + code for code in codes], np.int32))
            first += size
    bundles = Bundles(tokens, draw(st.sampled_from([0.0, 0.2, 1.0])))
    for column in columns:
        bundles.add(column)
    attributes = AttributeNames()
    attributes.add("a", [list(map(str, range(first)))], np.arange(first, dtype=np.int32)[:, None])
    gold = np.array(draw(st.lists(st.integers(0, len(LABELS) - 1), min_size=tokens, max_size=tokens)))
    bounds = np.array(sorted({0, draw(st.integers(0, tokens)), tokens}))
    owners = np.zeros(len(bounds) - 1, np.int64)
    return columns, TrainingSet(LABELS, attributes, gold, bounds, *bundles.columns(), owners)


def attributes_of(columns, token):
    return sorted(int(column[token]) for column in columns if column[token] != NONE)


def bundled_attributes(training_set, lists, token):
    """The attributes in the bundles of a token."""
    found = [column[token] for column in training_set.columns if column[token] != NONE]
    return sorted(int(v) for b in found for v in lists.values[lists.ends[b] : lists.ends[b + 1]])


@settings(deadline=None)
@given(training_sets())
def test_bundles_hold_the_attributes_of_each_token(drawn):
    columns, training_set = drawn
    for token in range(len(training_set.gold)):
        assert bundled_attributes(training_set, training_set.bundles, token) == attributes_of(columns, token)


@settings(deadline=None)
@given(training_sets())
def test_attributes_that_always_occur_together_are_tied(drawn):
    columns, training_set = drawn
    found = feature_counts.tie_attributes(training_set)
    tokens = [attributes_of(columns, token) for token in range(len(training_set.gold))]
    where = [tuple(one in token for token in tokens) for one in range(len(training_set.attributes))]
    for one, other in itertools.combinations(range(len(where)), 2):
        assert (found.number[one] == found.number[other]) == (where[one] == where[other])
    assert found.sizes.tolist() == np.bincount(found.number, minlength=len(found.sizes)).tolist()
    for token, own in enumerate(tokens):
        assert bundled_attributes(training_set, found.bundles, token) == sorted(
            {int(found.number[one]) for one in own}
        )


@settings(deadline=None)
@given(
    training_sets(), st.sampled_from([0, 2]), st.booleans(), st.integers(0, 2**32),
    st.sampled_from([1, 4, 32]), st.sampled_from([1, 3, 6]),
)  # fmt: skip
def test_scores_are_sums_of_weights_and_expectations_are_added_back(drawn, minfreq, every, seed, often, many):
    columns, training_set = drawn
    sets = feature_counts.tie_attributes(training_set)
    found = count_pairs(training_set, sets, minfreq, every, False)
    place, width = place_labels(LABELS)
    with patch.multiple("crfdeid.engine.training.score_layout", OFTEN=often, MANY=many):
        layout = build_layout(training_set, sets, found, place)
    assert training_set.columns == []
    weights = np.random.default_rng(seed).normal(size=len(found.label))
    table = np.zeros((layout.rows, width))
    first = len(layout.set_rows.row_ends) - 1
    numba_kernels.build_rows(0, first, 0, tuple(layout.set_rows), weights, table)
    numba_kernels.build_rows(0, layout.rows - first, first, tuple(layout.bundle_rows), weights, table)
    expected, gradient, wanted_gradient = np.zeros_like(table), np.zeros_like(weights), np.zeros_like(weights)
    scores, marginals = np.full((2, len(training_set.gold), width), 7.0)
    marginals[:] = np.random.default_rng(seed).normal(size=marginals.shape)
    before = 0
    for chunk in layout.chunks:
        for s, (start, stop) in enumerate(itertools.pairwise(chunk.bounds.tolist())):
            sequence, where = (s, start, stop, tuple(chunk)), slice(before + start, before + stop)
            numba_kernels.sum_scores(*sequence, table, weights, scores[where])
            numba_kernels.scatter_marginals(*sequence, marginals[where], expected, gradient)
        before += stop
    for token, (score, marginal) in enumerate(zip(scores, marginals)):
        wanted = np.zeros(width)
        for one in {int(sets.number[a]) for a in attributes_of(columns, token)}:
            own = slice(found.ends[one], found.ends[one + 1])
            wanted[place[found.label[own]]] += weights[own]
            wanted_gradient[own] += marginal[place[found.label[own]]]
        assert np.allclose(score, wanted)
    numba_kernels.scatter_rows(first, tuple(layout.bundle_rows), expected, gradient)
    numba_kernels.scatter_rows(0, tuple(layout.set_rows), expected, gradient)
    assert np.allclose(gradient, wanted_gradient)


@settings(deadline=None)
@given(training_sets(), st.sampled_from([0, 2]), st.booleans())
def test_features_are_counted(drawn, minfreq, every):
    columns, training_set = drawn
    sets = feature_counts.tie_attributes(training_set)
    found = count_pairs(training_set, sets, minfreq, every, False)
    tokens = [attributes_of(columns, token) for token in range(len(training_set.gold))]
    for attribute in range(len(training_set.attributes)):
        labels = [int(y) for y, own in zip(training_set.gold, tokens) if attribute in own]
        counts = {y: labels.count(y) for y in range(len(LABELS)) if every or y in labels}
        own = slice(*found.ends[sets.number[attribute] :][:2])
        pairs_found = dict(zip(found.label[own].tolist(), found.count[own].tolist()))
        assert pairs_found == {y: count for y, count in counts.items() if count >= minfreq}


NUMBERS = st.floats(-8, 8) | st.sampled_from([0.0, -40.0, 300.0, -900.0])


@settings(deadline=None)
@given(data=st.data(), labels=st.sampled_from([LABELS, LABELS[:1], [f"L{n}" for n in range(40)]]))
def test_forward_backward_is_brute_force(data, labels):
    size = data.draw(st.integers(1, 5))
    place, width = place_labels(labels)
    draw = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    allowed = draw.random((len(labels), len(labels))) < data.draw(st.sampled_from([0.0, 0.2, 1.0]))
    spread = data.draw(st.sampled_from([1.0, 9.0]))
    transitions = np.where(allowed, draw.normal(0, spread, allowed.shape), 0.0)
    scores = draw.normal(0, 4, (size, len(labels)))
    scores[draw.integers(size), draw.integers(len(labels))] = data.draw(NUMBERS)
    marginals, expected, log_total = by_sums(scores, transitions)

    layout = Transitions(allowed, place, width)
    factors = layout.factors(transitions[allowed])
    work = Work.allocate(size, layout.every.any(axis=0).astype(float))
    highest = scores.max(axis=1) if abs(scores).max() > 100 else np.zeros(size)
    for row, score, top in zip(work.emissions, scores, highest):
        row[place] = score - top
        compiled_math.exponentiate(
            np.maximum(row, -700, out=row), work.real, work.rest, work.powers, work.bits
        )
    counts = np.zeros(sum(part.size for part in factors.excess))
    found = numba_kernels.forward(size, factors.plain, tuple(work))
    numba_kernels.backward(size, factors.plain, tuple(work), tuple(factors.structure.view_strips(counts)))
    assert np.isclose(found + highest.sum(), log_total, rtol=1e-12)
    assert np.allclose(work.emissions[:, place], marginals, atol=1e-12)
    assert np.allclose(layout.expected(factors, counts), expected[allowed], atol=1e-11)


def by_sums(scores, transitions):
    """Marginals, expected transitions, and the log of the summed scores, in log space."""
    forward, backward = [scores[0]], [np.zeros(len(transitions))]
    for row in scores[1:]:
        forward.append(np.logaddexp.reduce(forward[-1][:, None] + transitions, axis=0) + row)
    for row in scores[:0:-1]:
        backward.insert(0, np.logaddexp.reduce(transitions + row + backward[0], axis=1))
    total = np.logaddexp.reduce(forward[-1])
    both = [f[:, None] + transitions + s + b for f, s, b in zip(forward, scores[1:], backward[1:])]
    expected = sum((np.exp(b - total) for b in both), np.zeros_like(transitions))
    return np.exp(np.array(forward) + backward - total), expected, total


@given(st.lists(st.floats(-700, 700), min_size=8, max_size=8))
def test_exponentials_are_right_except_for_the_last_bits(values):
    row, real = np.array(values), np.array([1.0] * 7 + [0.0])
    powers = np.zeros(8)
    compiled_math.exponentiate(row, real, np.zeros(8), powers, powers.view(np.int64))
    assert np.allclose(row[:7], np.exp(values[:7]), rtol=4e-16, atol=0) and row[7] == 0.0


def test_the_highest_score_is_subtracted_where_exponentials_would_be_too_large():
    work = Work.allocate(1, np.array([1.0] * 3 + [0.0] * 5))
    row = np.array([900.0, -900.0, 899.0, 7, 7, 7, 7, 7])
    assert numba_kernels.subtract_highest(row, work.real) == 900.0
    assert row.tolist() == [0.0, -700.0, -1.0, 0, 0, 0, 0, 0]


def test_labels_have_places_by_type():
    place, width = place_labels(LABELS)
    assert place.tolist() == [0, 1, 9, 2, 3, 11] and width == 16


@pytest.mark.parametrize(("types", "block"), [(1, 8), (7, 8), (8, 16), (15, 16), (16, 24)])
def test_the_labels_of_a_kind_are_a_block_of_eight_or_a_multiple(types, block):
    """The first block begins with O, so that it has place for seven types."""
    names = [f"T{n}" for n in range(types)]
    place, width = place_labels(["O", *(f"{kind}-{name}" for kind in "BI" for name in names)])
    begins = list(range(1, types + 1))
    assert place.tolist() == [0, *begins, *(block + n for n in begins)] and width == 2 * block
    assert place_labels(["O", *(f"B-{name}" for name in names)])[1] == block


def test_transitions_are_laid_out_around_the_label_that_has_the_most():
    """Label 2 is not first in what leads to it, nor in what leads away from it."""
    allowed = np.zeros((8, 8), bool)
    allowed[[0, 1, 3, 4], 5] = True  # four lead to 5
    allowed[6, [0, 1, 3, 4]] = True  # four lead away from 6
    allowed[[0, 1, 3], 2] = allowed[2, [4, 5, 6]] = True
    allowed[7, 7] = True
    structure, at, size = build_structure(allowed)
    assert structure.hub == 2 and structure.unit.tolist() == [0, 0, 1, 0, 0, 0, 0, 0]
    assert at[2].tolist() == list(range(8)) and at[[0, 1, 3], 2].tolist() == [8, 9, 11] and at[7, 7] == 23
    assert at[0, :2].tolist() == [-1, -1]
    assert structure.sources.tolist() == [0, 1, 3, 4, 6]
    others = [structure.targets[a:b].tolist() for a, b in itertools.pairwise(structure.bounds.tolist())]
    assert others == [[5], [5], [5], [5], [0, 1, 3, 4]]
    assert size == 3 * 8 + 8 and sorted(at[allowed].tolist()) == sorted(set(at[allowed].tolist()))


def test_transitions_between_neighbours_are_strips():
    """From B to I of eight types, and from I to B of seven, which is too few."""
    labels = ["O", *(f"{part}-{n}" for part in "BI" for n in range(8))]
    place, width = place_labels(labels)
    allowed = np.zeros((width, width), bool)
    begins, inside = place[1:9], place[9:]
    allowed[begins, inside] = True
    allowed[inside[:7], begins[:7]] = True
    allowed[0, begins] = allowed[begins, 0] = True
    structure, at, size = build_structure(allowed)
    assert structure.hub == 0 and structure.lengths.tolist() == [width - 16]
    assert (structure.starts.tolist(), structure.ends.tolist()) == ([0], [16])
    assert at[begins, inside].tolist() == [3 * width + b for b in begins]
    assert structure.sources.tolist() == inside[:7].tolist() and size == 4 * width + 7


def test_each_transition_has_its_number_in_a_strip():
    """From B to I of eight types and back, from O to B and back, from I to itself, and from B-0 to I-1."""
    place, width = place_labels(["O", *(f"{part}-{n}" for part in "BI" for n in range(8))])
    allowed = np.zeros((width, width), bool)
    begins, inside = place[1:9], place[9:]
    pairs = [(begins, inside), (inside, begins), (0, begins), (begins, 0), (inside, inside), (1, 18)]
    for sources, targets in pairs:
        allowed[sources, targets] = True
    structure, at, size = build_structure(allowed)
    assert (structure.starts.tolist(), structure.ends.tolist()) == ([16, 0], [0, 16])
    assert structure.lengths.tolist() == [width - 16] * 2
    found = structure.view_strips(np.arange(size))
    assert at[0].tolist() == found.from_hub.tolist() and at[1:, 0].tolist() == found.to_hub[1:].tolist()
    assert at[inside, inside].tolist() == found.stay[inside].tolist()
    assert at[inside, begins].tolist() == found.strips[0, inside].tolist()
    assert at[begins, inside].tolist() == found.strips[1, begins].tolist()
    assert at[1, 18] == found.others.item() == size - 1
    assert (structure.sources.tolist(), structure.targets.tolist()) == ([1], [18])
    assert structure.bounds.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("least", "unseen"), [(0.0, 1.0), (2.0, 1.0), (-13.8, 1.0), (-13.9, 0.0), (-900.0, 0.0)]
)
def test_factors_are_differences_from_1_unless_one_is_below_a_millionth(least, unseen):
    """From O there are weights, to O and to B-AGE; the factors from B-AGE are 1."""
    layout = Transitions(np.array([[True, True], [False, False]]), *place_labels(["O", "B-AGE"]))
    factors = layout.factors(np.array([least, 1.0]))
    assert factors.unseen == unseen and factors.weights[:2, :2].tolist() == [[least, 1.0], [0.0, 0.0]]
    numbers = np.concatenate([part.reshape(-1) for part in factors.excess])
    at = layout.usual[1] if unseen else layout.full[1]
    found = np.where(at[:2, :2] >= 0, numbers[at[:2, :2]], 0.0) + unseen
    assert np.allclose(found, [[np.exp(least), np.e], [1.0, 1.0]], rtol=1e-9, atol=0)


def test_compiled_code_names_no_class_that_could_move():
    """numba keeps the types of arguments on disk, and cannot read them when a class among them is gone."""
    from numba import types

    work = Work.allocate(1, np.ones(8))
    work.emissions[:] = 1.0
    layout = Transitions(np.ones((1, 1), bool), *place_labels(["O"]))
    numba_kernels.forward(1, layout.factors(np.zeros(1)).plain, tuple(work))
    for loop in (
        numba_kernels.forward,
        numba_kernels.backward,
        numba_kernels.add_expectations,
        numba_kernels.build_rows,
        numba_kernels.scatter_rows,
    ):
        for signature in loop.signatures:
            inside = list(signature)
            while inside:
                one = inside.pop()
                assert not isinstance(one, types.BaseNamedTuple)
                inside += one.types if isinstance(one, types.BaseTuple) else []
