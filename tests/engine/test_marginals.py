"""Fast marginals against forward-backward with logarithms, which the other tests compare with CRFsuite."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.crfsuite_file.model_file import Weights
from crfdeid.engine.decoding.forward_backward import SpanConfidence, run_chain
from crfdeid.engine.decoding.marginals import Marginals
from crfdeid.text.document import Span

FORBIDDEN = -1e4


def make_chain(seed, labels, sizes, spread, forbidden=0.0):
    """Random emissions of several sequences with a token between them, and transitions."""
    rng = np.random.default_rng(seed)
    transitions = rng.normal(0, spread / 4, (labels, labels))
    transitions[rng.random((labels, labels)) < forbidden] += FORBIDDEN
    np.fill_diagonal(transitions, 0.0)
    stop = np.cumsum([size + 1 for size in sizes]) - 1
    first = stop - np.array(sizes)
    return rng.normal(0, spread, (int(stop[-1]) + 1, labels)), transitions, first, stop


@pytest.mark.parametrize("compiled", [False, True])
@given(
    seed=st.integers(0, 10**6),
    labels=st.integers(2, 12),
    sizes=st.lists(st.integers(1, 20), min_size=1, max_size=4),
    spread=st.sampled_from([0.1, 3.0, 40.0]),
    forbidden=st.sampled_from([0.0, 0.3]),
)
def test_marginals_are_those_of_the_chain_in_logarithms(compiled, seed, labels, sizes, spread, forbidden):
    if compiled:
        pytest.importorskip("numba")
    emissions, transitions, first, stop = make_chain(seed, labels, sizes, spread, forbidden)
    before = emissions.copy()
    found = Marginals(transitions).compute(emissions, first, stop, compiled)
    assert (emissions == before).all()
    for a, b in zip(first, stop):
        assert np.allclose(found[a:b], run_chain(emissions[a:b], transitions).marginals(), atol=1e-10)
        assert not found[b].any()


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
    plain, compiled = (confidence.add_probabilities([spans], batch, emissions, way) for way in (False, True))
    assert [span.type for span in compiled[0]] == [span.type for span in spans]
    apart = [one.probability - other.probability for one, other in zip(plain[0], compiled[0])]
    assert np.allclose(apart, 0.0, atol=1e-10)


@pytest.mark.parametrize("compiled", [False, True])
def test_labels_that_underflow_are_computed_with_logarithms(compiled):
    """The best labels of two neighbours cannot follow one another, and all others are e^2000 less likely."""
    if compiled:
        pytest.importorskip("numba")
    emissions = np.array([[0.0, -2000.0], [-2000.0, 0.0], [0.0, -1.0]])
    transitions = np.array([[0.0, -9000.0], [-9000.0, 0.0]])
    found = Marginals(transitions).compute(emissions, np.array([0]), np.array([3]), compiled)
    assert np.allclose(found, run_chain(emissions, transitions).marginals(), atol=1e-12)
    assert np.allclose(found.sum(axis=1), 1.0)
