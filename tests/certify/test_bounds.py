"""Bounds against scipy and the tables of their papers."""

import numpy as np
import pytest
import scipy

from crfdeid.certify import bounds
from crfdeid.certify.bounds import Clusters


def make_clusters(misses, spans):
    return Clusters(np.array(misses, float), np.array(spans, float))


@pytest.mark.parametrize(("count", "size"), [(0, 100), (1, 20), (7, 50), (50, 50), (3, 299)])
def test_clopper_pearson_is_that_of_scipy(count, size):
    for confidence in (0.9, 0.95, 0.975):
        exact = scipy.stats.binomtest(count, size, alternative="less").proportion_ci(confidence, "exact")
        assert bounds.bound_share_above(count, size, confidence) == pytest.approx(exact.high)
        exact = scipy.stats.binomtest(count, size, alternative="greater").proportion_ci(confidence, "exact")
        assert bounds.bound_share_below(count, size, confidence) == pytest.approx(exact.low)


def test_clopper_pearson_is_the_root_of_the_binomial():
    bound = bounds.bound_share_above(4, 200)
    assert scipy.stats.binom.cdf(4, 200, bound) == pytest.approx(0.05)


@pytest.mark.parametrize(("count", "bound"), [(0, 2.996), (1, 4.744), (2, 6.296), (5, 10.513), (10, 16.962)])
def test_garwood_is_that_of_the_table(count, bound):
    """Garwood 1936, as in Ulm 1990, Am. J. Epidemiol. 131:373: one-sided .95."""
    assert bounds.bound_mean_above(count, 1) == pytest.approx(bound, abs=6e-4)


def test_independent_spans_have_a_design_effect_near_1():
    rng = np.random.default_rng(1)
    spans = rng.poisson(12, 20_000) + 1
    assert bounds.measure_design_effect(Clusters(rng.binomial(spans, 0.02), spans)) == pytest.approx(
        1, abs=0.05
    )


def test_spans_that_are_missed_together_have_the_design_effect_of_their_number():
    """Kish 1965: 1 + (m − 1) ρ, with ρ = 1."""
    found = make_clusters([10] * 10 + [0] * 990, [10] * 1000)
    assert bounds.measure_design_effect(found) == pytest.approx(10, rel=0.002)


def test_the_design_effect_is_that_of_a_table():
    """p = 3/30; Σ(m − pn)² = 1.9² + 1.1² + 0.1² + 0.7² = 5.32; times 4/3; divided by 30 · 0.09."""
    found = make_clusters([3, 0, 0, 0], [11, 11, 1, 7])
    assert bounds.measure_design_effect(found) == pytest.approx(5.32 * 4 / 3 / 2.7)


@pytest.mark.parametrize("misses", [[0] * 200, [1] * 5 + [0] * 195, [9] * 20 + [0] * 180])
def test_korn_graubard_is_never_below_clopper_pearson(misses):
    found = make_clusters(misses, [12] * 200)
    assert bounds.bound_clustered_share(found) >= bounds.bound_share_above(sum(misses), 2400)


def test_korn_graubard_without_clusters_is_clopper_pearson():
    found = make_clusters([1] * 50 + [0] * 1950, [1] * 2000)
    assert bounds.bound_clustered_share(found) == pytest.approx(bounds.bound_share_above(50, 2000), rel=0.02)


def test_korn_graubard_is_clopper_pearson_at_the_effective_size():
    found = make_clusters(list(range(20)) + [0] * 80, [20] * 100)
    share, residuals = 190 / 2000, np.array([*range(20), *[0] * 80]) - 1.9
    effect = 100 / 99 * (residuals**2).sum() / (2000 * share * (1 - share))
    freedom = (residuals**2).sum() ** 2 / (residuals**4).sum()
    size = 2000 / effect * (scipy.stats.t.ppf(0.95, 1999) / scipy.stats.t.ppf(0.95, freedom)) ** 2
    wanted = scipy.stats.beta.ppf(0.95, share * size + 1, size - share * size)
    assert bounds.bound_clustered_share(found) == pytest.approx(wanted)


def test_without_misses_the_design_effect_is_assumed():
    found = make_clusters([0] * 300, [10] * 300)
    bound = bounds.bound_clustered_share(found, assumed=3)
    assert bound == pytest.approx(bounds.bound_share_above(0, 1000))


@pytest.mark.parametrize("each", [1, 3])
def test_where_patients_have_few_spans_no_larger_design_effect_is_assumed(each):
    found = make_clusters([0] * 300, [each] * 300)
    assert bounds.bound_clustered_share(found) == pytest.approx(bounds.bound_share_above(0, 300))


def test_each_further_cluster_with_a_miss_raises_the_bound():
    found = [make_clusters([1] * leaking + [0] * (200 - leaking), [12] * 200) for leaking in range(60)]
    for bound in (
        bounds.bound_clustered_share,
        lambda each: bounds.bound_clustered_mean(each.misses, np.ones(200)),
    ):
        values = list(map(bound, found))
        assert values == sorted(values)


@pytest.mark.parametrize(("effect", "rate"), [(1, 0.01), (3, 0.01), (9, 0.01), (9, 0.005), (9, 0.003)])
def test_the_clustered_bounds_hold_on_clustered_misses(effect, rate):
    rng = np.random.default_rng(effect)
    spans = 1 + rng.negative_binomial(1.5, 1.5 / 12.5, 20_000)
    inside = (effect - 1) / ((spans**2).sum() / spans.sum() - 1)
    each = rng.beta(rate * (1 / inside - 1), (1 - rate) * (1 / inside - 1), 20_000) if inside else rate
    misses = rng.binomial(spans, each)
    share, mean, held = misses.sum() / spans.sum(), misses.mean(), np.zeros(2)
    for _ in range(300):
        drawn = rng.integers(0, 20_000, 200)
        found = Clusters(misses[drawn], spans[drawn])
        held += [bounds.bound_clustered_share(found) >= share,
                 bounds.bound_clustered_mean(misses[drawn], np.ones(200)) >= mean]  # fmt: skip
    assert (held / 300).min() >= 0.95 - 1.96 * 0.0126


def test_the_bound_corrected_for_readers_holds():
    """Readers find 80% of the leaks; 60 plants."""
    rng, held, share = np.random.default_rng(5), 0, 0.01
    for _ in range(500):
        found = rng.binomial(rng.binomial(3000, share), 0.8)
        confidence = bounds.split_error(0.95, 2)
        sensitivity = bounds.bound_share_below(rng.binomial(60, 0.8), 60, confidence)
        bound = bounds.bound_share_above(found, 3000, confidence)
        held += bounds.correct_for_readers(bound, sensitivity) >= share
    assert held / 500 >= 0.95


def test_holm_is_that_of_the_paper():
    """Step-down: p(i) · (n − i + 1), never below the one before."""
    assert bounds.adjust_holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert bounds.adjust_holm([0.5, 0.9]) == [1.0, 1.0]
    assert bounds.adjust_holm([]) == []


@pytest.mark.parametrize(("count", "size"), [(0, 299), (3, 773), (12.5, 900.2)])
def test_the_p_value_agrees_with_the_bound(count, size):
    bound = bounds.bound_share_above(count, size)
    assert bounds.find_p_value(count, size, bound) == pytest.approx(0.05)


def test_the_p_value_is_that_of_the_binomial():
    assert bounds.find_p_value(3, 700, 0.01) == pytest.approx(
        scipy.stats.binomtest(3, 700, 0.01, "less").pvalue
    )


def test_a_sequence_ends_at_the_first_bound_above_the_aim():
    assert bounds.pass_in_sequence([0.02, 0.001], 0.01) == 0
    assert bounds.pass_in_sequence([0.001, 0.002], 0.01) == 2
