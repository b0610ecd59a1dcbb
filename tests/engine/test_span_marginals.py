"""The probabilities of all spans, and the choice of spans with the least risk."""

import itertools
import sys
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfdeid.engine.decoding.chain import (
    Candidates,
    SpanMarginals,
    choose_spans,
    follow_spans,
    join_candidates,
    pair_labels,
)
from crfdeid.text import bio
from crfdeid.text.document import Token

LABEL_SETS = (["O", "B-A", "I-A", "B-B"], ["B-A", "I-A", "O"], ["I-A", "O", "I-B"], ["B-A", "I-A"])
ENGINES = [False, True]


def list_spans_of_all_labellings(emissions, transitions, labels, backward=False):
    """The probability of each span, from the score of every labelling: what the definition says. A backward
    labelling is that of the reversed tokens."""
    size = len(emissions)
    sums, total = defaultdict(float), 0.0
    tokens = [Token("x", 2 * i) for i in range(len(emissions))]
    for path in itertools.product(range(len(labels)), repeat=len(emissions)):
        score = sum(emissions[t, y] for t, y in enumerate(path)) + sum(
            transitions[a, b] for a, b in itertools.pairwise(path)
        )
        total += np.exp(score)
        for span in bio.decode(tokens, [labels[y] for y in (path[::-1] if backward else path)]):
            place = span.start // 2, (span.end - 1) // 2
            place = (size - 1 - place[1], size - 1 - place[0]) if backward else place
            sums[*place, span.type] += np.exp(score)
    return {key: value / total for key, value in sums.items()}


def find(emissions, transitions, labels, least, compiled, first=(0,), stop=None, backward=False):
    if compiled:
        pytest.importorskip("numba")
    marginals = SpanMarginals(labels, transitions, backward)
    stop = [len(emissions)] if stop is None else stop
    found = marginals.find(emissions, np.array(first), np.array(stop), least, compiled)
    rows = zip(found.first.tolist(), found.last.tolist(), found.types.tolist(), found.probabilities.tolist())
    return {(a, b, marginals.pairs.names[k]): p for a, b, k, p in rows}


@pytest.mark.parametrize("compiled", ENGINES)
@settings(max_examples=40, deadline=None)
@given(
    labels=st.sampled_from(LABEL_SETS),
    size=st.integers(1, 4),
    seed=st.integers(0, 10_000),
    least=st.sampled_from([0.01, 0.2]),
    backward=st.booleans(),
)
def test_the_probability_of_a_span_is_that_of_all_labellings_that_have_it(
    compiled, labels, size, seed, least, backward
):
    random = np.random.default_rng(seed)
    emissions = random.normal(0, 2, (size, len(labels)))
    transitions = random.normal(0, 2, (len(labels), len(labels)))
    wanted = list_spans_of_all_labellings(emissions, transitions, labels, backward)
    found = find(emissions, transitions, labels, least, compiled, backward=backward)
    assert {key for key, p in wanted.items() if p >= least + 1e-9} <= found.keys()
    assert all(p >= least and abs(p - wanted[key]) < 1e-9 for key, p in found.items())


@pytest.mark.parametrize("compiled", ENGINES)
@pytest.mark.parametrize("more", [800.0, -800.0])
def test_only_differences_of_transitions_count(compiled, more):
    """exp(800) is too large for a number, exp(-800) too small."""
    random = np.random.default_rng(8)
    emissions, transitions = random.normal(0, 2, (3, 4)), random.normal(0, 2, (4, 4))
    wanted = find(emissions, transitions, LABEL_SETS[0], 0.01, compiled)
    found = find(emissions, transitions + more, LABEL_SETS[0], 0.01, compiled)
    assert len(wanted) > 3 and found == pytest.approx(wanted)


@pytest.mark.parametrize("compiled", ENGINES)
def test_scores_that_underflow_are_computed_with_logarithms(compiled):
    labels = LABEL_SETS[0]
    emissions, transitions = np.zeros((3, 4)), np.zeros((4, 4))
    transitions[0] = transitions[:, 1:] = -2000.0
    emissions[1, 1] = 900.0
    wanted = find(emissions, transitions, labels, 0.01, False)
    assert wanted and find(emissions, transitions, labels, 0.01, compiled) == pytest.approx(wanted)


@pytest.mark.parametrize("compiled", ENGINES)
@pytest.mark.parametrize("backward", [False, True])
def test_a_span_stays_in_its_sequence(compiled, backward):
    labels = LABEL_SETS[1]
    emissions = np.tile([0.0, 5.0, -5.0], (4, 1))
    found = find(emissions, np.zeros((3, 3)), labels, 0.3, compiled, [0, 2], [2, 4], backward)
    assert {key[:2] for key in found} == {(0, 1), (2, 3)}


def test_many_spans_of_long_sequences_are_all_found():
    pytest.importorskip("numba")
    labels = LABEL_SETS[0]
    emissions = np.random.default_rng(3).normal(0, 1, (900, 4))
    found = [find(emissions, np.zeros((4, 4)), labels, 0.02, compiled) for compiled in ENGINES]
    assert len(found[0]) > 1024 and found[1] == pytest.approx(found[0])


def test_forward_labels_and_numpy_are_usual(monkeypatch):
    """Compiled loops are only used, and only loaded, where they are asked for."""
    monkeypatch.setitem(sys.modules, "crfdeid.engine.decoding.compiled_span_marginals", None)
    labels, emissions = LABEL_SETS[0], np.random.default_rng(1).normal(0, 2, (3, 4))
    marginals = SpanMarginals(labels, np.zeros((4, 4)))
    found = marginals.find(emissions, np.array([0]), np.array([3]), 0.01)
    wanted = find(emissions, np.zeros((4, 4)), labels, 0.01, False)
    assert len(wanted) > 3 and found.probabilities.tolist() == list(wanted.values())
    with pytest.raises(ImportError):
        marginals.find(emissions, np.array([0]), np.array([3]), 0.01, compiled=True)


def test_candidates_are_sorted_by_first_token_then_by_last_then_by_type():
    rows = [(1, 2, 0), (1, 1, 0), (0, 3, 1), (0, 3, 0), (1, 1, 1), (0, 1, 1)]
    parts = [Candidates(*(np.array([n]) for n in row), np.array([n / 9])) for n, row in enumerate(rows)]
    joined = join_candidates(parts)
    found = list(zip(joined.first.tolist(), joined.last.tolist(), joined.types.tolist()))
    assert found == sorted(rows)
    assert [rows[round(9 * p)] for p in joined.probabilities] == found


def test_spans_that_are_just_so_probable_are_found():
    """Two labels, each with the probability 1/2 at each token, whatever the other tokens have."""
    marginals = after = np.full((2, 2), 0.5)
    pairs = pair_labels(["O", "B-A"])
    found = follow_spans(marginals, after, np.ones((2, 2)), pairs, 0.5)
    assert found == [(0, 0, 0, 0.5), (1, 1, 0, 0.5)]
    assert follow_spans(marginals, after, np.ones((2, 2)), pairs, 0.51) == []
    assert follow_spans(marginals, np.array([[1.0, 0.0]] * 2), np.ones((2, 2)), pairs, 0.5) == found
    halves = np.full((2, 3), [0.5, 0.25, 0.25])
    never = np.array([1.0, 1.0, 0.0])  # I never follows
    found = follow_spans(halves, halves * never, np.ones((3, 3)), pair_labels(["O", "B-A", "I-A"]), 0.375)
    assert found == [(0, 0, 0, 0.5), (1, 1, 0, 0.5)]


def test_without_sequences_there_are_no_candidates():
    assert [len(column) for column in join_candidates([])] == [0, 0, 0, 0]


CHOICES = [  # first, last, type, probability of each; the limit; the places that are kept
    ([(0, 0, 0, 0.5), (1, 1, 0, 0.3)], 0.4, [0]),
    ([(0, 1, 0, 0.6), (1, 2, 0, 0.5)], 0.4, [0]),
    ([(0, 1, 0, 0.6), (1, 2, 0, 0.9), (3, 3, 1, 0.5)], 0.4, [1, 2]),
    ([(0, 0, 0, 0.5), (0, 2, 0, 0.55), (1, 2, 0, 0.5)], 0.4, [0, 2]),  # two are better than one
    ([(0, 1, 0, 0.5), (1, 2, 0, 0.5)], 0.4, [0]),  # of two that gain the same, the one that ends first
    ([(0, 0, 0, 0.4)], 0.4, []),
    ([], 0.4, []),
]


@pytest.mark.parametrize(("rows", "limit", "kept"), CHOICES)
def test_the_spans_with_the_least_risk_are_chosen(rows, limit, kept):
    columns = np.array(rows, float).reshape(-1, 4).T
    found = Candidates(*columns[:3].astype(int), columns[3])
    assert choose_spans(found, np.array([limit, limit])).tolist() == kept


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(0, 1), st.integers(1, 99)), max_size=7
    )
)
def test_no_other_choice_without_overlaps_has_less_risk(rows):
    own = [
        Candidates(*(np.array([n]) for n in (a, a + more, k)), np.array([p / 100])) for a, more, k, p in rows
    ]
    found, limits = join_candidates(own), np.array([0.3, 0.6])
    gains = found.probabilities - limits[found.types]

    def is_free(places):
        used = [t for p in places for t in range(found.first[p], found.last[p] + 1)]
        return len(used) == len(set(used))

    kept = choose_spans(found, limits).tolist()
    subsets = itertools.chain.from_iterable(
        itertools.combinations(range(len(rows)), n) for n in range(len(rows) + 1)
    )
    assert is_free(kept)
    assert gains[kept].sum() == pytest.approx(max(gains[list(s)].sum() for s in subsets if is_free(s)))
