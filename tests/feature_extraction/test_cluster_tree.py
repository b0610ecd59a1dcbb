"""The tree over clusters of words, and the rows of a table of words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfdeid import clusters
from crfdeid.feature_extraction.word_clusters import count_bigrams


def log_likelihood(pairs):
    def f(numbers):
        return (numbers * np.log(np.maximum(numbers, 1))).sum()

    return f(pairs) - f(pairs.sum(0)) - f(pairs.sum(1))


def join(pairs, a, b):
    joined = pairs.copy()
    joined[a] += joined[b]
    joined[:, a] += joined[:, b]
    return np.delete(np.delete(joined, b, 0), b, 1)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1000), size=st.integers(2, 8))
def test_each_union_is_the_one_that_costs_the_least(seed, size):
    union = clusters._Union(np.random.default_rng(seed).integers(0, 9, (size, size)).astype(float))
    while len(union.pairs) > 1:
        before = union.pairs.copy()
        every = [join(before, a, b) for a in range(len(before)) for b in range(a + 1, len(before))]
        a, b = union.join_best()
        assert (union.pairs == join(before, a, b)).all()
        assert log_likelihood(union.pairs) == pytest.approx(max(map(log_likelihood, every)))


def test_paths_are_the_leaves_of_one_binary_tree():
    paths = clusters.find_paths(np.random.default_rng(1).integers(0, 50, (12, 12)))
    assert len(set(paths)) == 12
    assert not any(a != b and a.startswith(b) for a in paths for b in paths)
    assert sum(2.0 ** -len(path) for path in paths) == 1  # no branch of the tree is empty


def test_words_that_are_used_alike_share_more_of_their_paths():
    draw = np.random.default_rng(3)
    classes = [("the", "a"), ("knee", "hip", "arm"), ("shows", "has"), ("pain", "edema")]
    text = " ".join(f"{' '.join(map(draw.choice, classes))}." for _ in range(300))
    bigrams = count_bigrams([text], 1, 1)
    rows = clusters.table_rows(bigrams, np.arange(len(bigrams.words)))
    path = {word: value for word, value, *_ in (row.split("|") for row in rows)}

    def common(one, other):
        return next((i for i, (a, b) in enumerate(zip(path[one], path[other])) if a != b), 9)

    assert common("knee", "hip") >= max(common("knee", "pain"), common("knee", "shows"))
    assert common("pain", "edema") >= max(common("pain", "knee"), common("pain", "the"))


def test_a_row_has_the_frequency_and_the_share_of_capitals():
    text = "Rosa rosa Rosa Rosa Rosa de de de de de de de de"
    bigrams = count_bigrams([text], 1, 1, names=True)
    rows = clusters.table_rows(bigrams, np.arange(len(bigrams.words)))
    assert [row.split("|")[2:] for row in rows] == [["0", "-3"], ["0", "1"]]
    assert [row.split("|")[0] for row in count_rows(text)] == ["de"]  # Rosa could be a name


def count_rows(text):
    bigrams = count_bigrams([text], 1, 1)
    return clusters.table_rows(bigrams, np.arange(len(bigrams.words)))
