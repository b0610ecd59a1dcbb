"""Fast marginals against forward-backward with logarithms, which the other tests compare with CRFsuite."""

import itertools
import sys
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.crfsuite_file import Weights
from crfdeid.engine.decoding.chain import run_chain
from crfdeid.engine.decoding.marginals import Marginals, SpanConfidence, opening_scores, sum_types
from crfdeid.text.bio import find_labelled_runs
from crfdeid.text.document import Span

FORBIDDEN = -1e4


def pad_last(array, width, value):
    return np.pad(array, ((0, 0), (0, width - array.shape[1])), constant_values=value)


def make_chain(seed, labels, sizes, spread, forbidden=0.0, unseen=0.0):
    """Random emissions of several sequences with a token between them, and transitions: as many as ``unseen``
    have no weight."""
    rng = np.random.default_rng(seed)
    transitions = rng.normal(0, spread / 4, (labels, labels))
    transitions[rng.random((labels, labels)) < unseen] = 0.0
    transitions[rng.random((labels, labels)) < forbidden] += FORBIDDEN
    np.fill_diagonal(transitions, 0.0)
    stop = np.cumsum([size + 1 for size in sizes]) - 1
    first = stop - np.array(sizes)
    return rng.normal(0, spread, (int(stop[-1]) + 1, labels)), transitions, first, stop


def compute_marginals(emissions, transitions, first, stop, compiled):
    """The marginals [tokens, labels]: each label has a type by itself, all others have none."""
    labels, found = len(transitions), Marginals(transitions)
    scores = pad_last(emissions, len(found.links.base), -np.inf) if compiled else emissions
    before = scores.copy()
    columns = []
    for label in range(labels):
        type_of = np.where(np.arange(labels) == label, 0, NONE)
        columns.append(found.sum_types(scores, first, stop, type_of, compiled=compiled)[0])
    assert (scores == before).all()
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("compiled", [False, True])
@given(
    seed=st.integers(0, 10**6),
    labels=st.integers(2, 12),
    sizes=st.lists(st.integers(1, 20), min_size=1, max_size=4),
    spread=st.sampled_from([0.1, 3.0, 40.0]),
    unseen=st.sampled_from([0.0, 0.7]),
    forbidden=st.sampled_from([0.0, 0.3]),
)
def test_marginals_are_those_of_the_chain_in_logarithms(
    compiled, seed, labels, sizes, spread, unseen, forbidden
):
    if compiled:
        pytest.importorskip("numba")
    emissions, transitions, first, stop = make_chain(seed, labels, sizes, spread, forbidden, unseen)
    found = compute_marginals(emissions, transitions, first, stop, compiled)
    for a, b in zip(first, stop):
        assert np.allclose(found[a:b], run_chain(emissions[a:b], transitions).marginals(), atol=1e-10)
        assert not found[b].any()


@pytest.mark.parametrize("compiled", [False, True])
@given(seed=st.integers(0, 10**6), labels=st.integers(1, 200), least=st.sampled_from([0.0, 0.3, 0.9]))
def test_the_most_probable_type_is_known_where_phi_is_probable(compiled, seed, labels, least):
    if compiled:
        pytest.importorskip("numba")
    emissions, transitions, first, stop = make_chain(seed, labels, [3, 1], 3.0, 0.1, 0.7)
    type_of = np.random.default_rng(seed).integers(NONE, max(labels // 2, 1), labels)
    chosen = Marginals(transitions)
    scores = pad_last(emissions, len(chosen.links.base), -np.inf) if compiled else emissions
    phi, likely = chosen.sum_types(scores, first, stop, type_of, least, compiled)
    for a, b in zip(first, stop):
        marginals = run_chain(emissions[a:b], transitions).marginals()
        sums = np.stack([marginals[:, type_of == n].sum(axis=1) for n in range(max(type_of.max() + 1, 1))], 1)
        assert np.allclose(phi[a:b], sums.sum(axis=1), atol=1e-10)
        assert (likely[a:b] == np.where(phi[a:b] >= least, sums.argmax(axis=1), NONE)).all()


@given(
    seed=st.integers(0, 10**6),
    sizes=st.lists(st.integers(1, 14), min_size=1, max_size=4),
    part=st.integers(1, 8),
    spread=st.sampled_from([0.1, 3.0, 400.0]),
)
def test_marginals_of_long_sequences_do_not_depend_on_their_parts(seed, sizes, part, spread):
    """A part's forward scores are computed twice. With a large spread all labels underflow. The last bits
    may differ: what the compiler makes of a loop depends on what calls it, and on which loops were kept. With
    a large spread a probability below 1e-100 can underflow to 0 in one way to part and not in the other."""
    pytest.importorskip("numba")
    emissions, transitions, first, stop = make_chain(seed, 5, sizes, spread, forbidden=0.1)
    type_of = np.array([NONE, 0, 0, 1, 1])
    found = Marginals(transitions)
    scores = pad_last(emissions, len(found.links.base), -np.inf)
    phi, likely = found.sum_types(scores, first, stop, type_of, 0.3, compiled=True)
    with mock.patch("crfdeid.engine.decoding.marginals.PART", part):
        again, too = found.sum_types(scores, first, stop, type_of, 0.3, compiled=True)
    assert np.allclose(again, phi, rtol=1e-12, atol=1e-100) and np.array_equal(too, likely)


@given(
    seed=st.integers(0, 10**6),
    types=st.integers(1, 5),
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=3),
    spread=st.sampled_from([0.1, 3.0, 40.0]),
    left_out=st.sampled_from(["", "B-1", "I-1"]),
)
def test_probabilities_of_spans_are_those_of_the_chain_in_logarithms(seed, types, sizes, spread, left_out):
    pytest.importorskip("numba")
    labels = ["O", *(f"{part}-{n}" for n in range(types) for part in "BI" if f"{part}-{n}" != left_out)]
    emissions, transitions, first, stop = make_chain(seed, len(labels), sizes, spread)
    confidence = SpanConfidence(Weights(labels, [], np.zeros(0), transitions))
    rng = np.random.default_rng(seed)
    starts = np.arange(len(emissions))
    bounds = np.array([0, len(emissions)])
    batch = Batch([None], starts, starts, starts + 1, bounds, starts, first, stop)
    spans = []
    for a, b in zip(first.tolist(), stop.tolist()):
        begin = int(rng.integers(a, b))
        spans.append(Span(begin, int(rng.integers(begin + 1, b + 1)), str(rng.integers(types))))
    wide = pad_last(emissions, len(confidence.links.base), -np.inf)
    plain = confidence.add_probabilities([spans], batch, emissions)
    compiled = confidence.add_probabilities([spans], batch, wide, compiled=True)
    assert [span.type for span in compiled[0]] == [span.type for span in spans]
    apart = [one.probability - other.probability for one, other in zip(plain[0], compiled[0])]
    assert np.allclose(apart, 0.0, atol=1e-10)


def test_only_compiled_probabilities_need_compiled_loops(monkeypatch):
    monkeypatch.setitem(sys.modules, "crfdeid.engine.decoding.compiled_marginals", None)
    confidence = SpanConfidence(Weights(["O", "B-A"], [], np.zeros(0), np.zeros((2, 2))))
    one = np.zeros(1, np.int64)
    batch = Batch([None], one, one, one + 1, np.array([0, 1]), one, one, one + 1)
    arguments = [[Span(0, 1, "A")]], batch, np.log([[1.0, 3.0]])
    assert confidence.add_probabilities(*arguments)[0][0].probability == pytest.approx(0.75)
    with pytest.raises(ImportError):
        confidence.add_probabilities(*arguments, compiled=True)
    monkeypatch.setattr("crfdeid.engine.decoding.marginals.sum_part", None)
    chain = np.zeros((1, 2)), one, one + 1, np.array([NONE, 0])
    phi, likely = Marginals(np.zeros((2, 2))).sum_types(*chain)
    assert phi.tolist() == [0.5] and likely.tolist() == [0]  # without a least probability, always a type


def test_logarithms_are_only_for_what_underflows(monkeypatch):
    """With compiled loops, which are faster."""
    pytest.importorskip("numba")
    confidence = SpanConfidence(Weights(["O", "B-A"], [], np.zeros(0), np.zeros((2, 2))))
    monkeypatch.setattr(confidence, "_compute", lambda *arguments: 0.5)
    one = np.zeros(1, np.int64)
    batch = Batch([None], one, one, one + 1, np.array([0, 1]), one, one, one + 1)
    wide = pad_last(np.log([[1.0, 3.0]]), 8, -np.inf)
    for compiled, wanted in ((False, 0.5), (True, 0.75)):
        found = confidence.add_probabilities([[Span(0, 1, "A")]], batch, wide, compiled)
        assert found[0][0].probability == pytest.approx(wanted)
    for rounded, wanted in ((-1e-17, 0.0), (1 + 1e-15, 1.0)):
        monkeypatch.setattr(confidence, "_compute", lambda *arguments, p=rounded: p)
        assert confidence.add_probabilities([[Span(0, 1, "A")]], batch, wide)[0][0].probability == wanted


@pytest.mark.parametrize("compiled", [False, True])
def test_each_note_has_its_own_spans(compiled):
    """Three notes of three tokens, each two sequences; tokens begin anew in each note."""
    if compiled:
        pytest.importorskip("numba")
    emissions, transitions, first, stop = make_chain(2, 3, [2, 1, 1, 2, 2, 1], 1.0)
    keep = np.delete(np.arange(len(emissions)), stop)
    emissions, stop = emissions[keep], np.array([2, 3, 4, 6, 8, 9])
    first = np.append(0, stop[:-1])
    confidence = SpanConfidence(Weights(["O", "B-A", "I-A"], [], np.zeros(0), transitions))
    starts, none = np.tile([0, 2, 4], 3), np.zeros(9, np.int64)
    batch = Batch([None] * 3, none, starts, starts + 1, np.array([0, 3, 6, 9]), none, first, stop)
    spans = [[Span(0, 3, "A"), Span(4, 5, "A")], [], [Span(2, 3, "A"), Span(4, 5, "A")]]
    scores = pad_last(emissions, 8, -np.inf) if compiled else emissions
    found = confidence.add_probabilities(spans, batch, scores, compiled)
    opening = opening_scores(["O", "B-A", "I-A"], "A")
    wanted = [
        [run_chain(emissions[a:b], transitions).span_probability(x, y, opening, 2) for a, b, x, y in own]
        for own in ([(0, 2, 0, 1), (2, 3, 0, 0)], [], [(6, 8, 1, 1), (8, 9, 0, 0)])
    ]
    assert [[span.probability for span in own] for own in found] == [pytest.approx(own) for own in wanted]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("more", [800.0, -800.0])
def test_only_differences_of_scores_count(compiled, more):
    """exp(800) is too large for a number, exp(-800) too small."""
    if compiled:
        pytest.importorskip("numba")
    emissions, transitions, first, stop = make_chain(1, 5, [4, 2], 2.0)
    wanted = compute_marginals(emissions, transitions, first, stop, compiled)
    assert np.allclose(compute_marginals(emissions, transitions + more, first, stop, compiled), wanted)
    assert np.allclose(compute_marginals(emissions + more, transitions, first, stop, compiled), wanted)


def test_a_type_is_likely_from_the_least_probability_on():
    marginals, type_of = np.array([[0.5, 0.25, 0.25], [0.75, 0.0, 0.25]]), np.array([NONE, 0, 1])
    assert sum_types(marginals, type_of, 0.5)[1].tolist() == [0, NONE]
    assert sum_types(marginals, type_of, 0.25)[1].tolist() == [0, 1]


@pytest.mark.parametrize("labels", [["I-A", "O", "B-A"], ["B-A", "I-A", "O"], ["O", "I-A"], ["I-A", "B-A"]])
def test_probabilities_of_spans_do_not_depend_on_the_order_of_labels(labels):
    pytest.importorskip("numba")
    emissions, transitions, first, stop = make_chain(5, len(labels), [4], 1.0)
    confidence = SpanConfidence(Weights(labels, [], np.zeros(0), transitions))
    starts = np.arange(len(emissions))
    batch = Batch([None], starts, starts, starts + 1, np.array([0, len(emissions)]), starts, first, stop)
    every = list(itertools.product(range(len(labels)), repeat=4))
    scores = np.array([
        sum(emissions[t, y] for t, y in enumerate(ys)) + sum(transitions[pair] for pair in zip(ys, ys[1:]))
        for ys in every
    ])  # fmt: skip
    shares = np.exp(scores - np.logaddexp.reduce(scores))
    for a, b in itertools.combinations(range(5), 2):
        has_it = [(a, b - 1) in find_labelled_runs([labels[y] for y in ys]) for ys in every]
        wide = pad_last(emissions, len(confidence.links.base), -np.inf)
        for found in (
            confidence.add_probabilities([[Span(a, b, "A")]], batch, emissions),
            confidence.add_probabilities([[Span(a, b, "A")]], batch, wide, compiled=True),
        ):
            assert found[0][0].probability == pytest.approx(shares[has_it].sum())


@pytest.mark.parametrize("compiled", [False, True])
def test_labels_that_underflow_are_computed_with_logarithms(compiled):
    """The best labels of two neighbours cannot follow one another, and all others are e^2000 less likely."""
    if compiled:
        pytest.importorskip("numba")
    emissions = np.array([[0.0, -2000.0], [-2000.0, 0.0], [0.0, -1.0]])
    transitions = np.array([[0.0, -9000.0], [-9000.0, 0.0]])
    found = compute_marginals(emissions, transitions, np.array([0]), np.array([3]), compiled)
    assert np.allclose(found, run_chain(emissions, transitions).marginals(), atol=1e-12)
    assert np.allclose(found.sum(axis=1), 1.0)
