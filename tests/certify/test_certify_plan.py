"""Sample sizes, and ``certify plan`` through the command line."""

import math

import pytest
from scipy import stats

from crfdeid.certify.__main__ import main
from crfdeid.certify.bounds import assume_effect, bound_share_above
from crfdeid.certify.sample_size import Aim, estimate_instances, find_size, find_size_for, make_plan
from crfdeid.errors import ConfigurationError


@pytest.mark.parametrize(
    ("aim", "allowed", "size"),
    [(0.01, 0, 299), (0.05, 0, 59), (0.05, 1, 93), (0.05, 2, 124), (0.10, 3, 76), (0.01, 1, 473)],
)
def test_sizes_are_those_of_the_table_of_tolerance_limits(aim, allowed, size):
    """Wilks 1941: 59, 93, 124 at 95/95; 299, 473 at 95/99."""
    assert find_size_for(allowed, aim, 0.95) == size


@pytest.mark.parametrize(("aim", "expected"), [(0.01, 0.003), (0.02, 0.005), (0.05, 0.02), (0.01, 0)])
def test_a_plan_has_the_power_and_no_smaller_allowance_has(aim, expected):
    size, allowed = find_size(aim, expected, 0.95, 0.8)
    assert bound_share_above(allowed, size) <= aim < bound_share_above(allowed, size - 1)
    assert stats.binom.cdf(allowed, size, expected) >= 0.8
    for fewer in range(allowed):
        assert stats.binom.cdf(fewer, find_size_for(fewer, aim, 0.95), expected) < 0.8


def test_a_plan_counts_design_effect_and_spans():
    plan, clustered = make_plan(Aim(effect=2)), make_plan(Aim(effect=9))
    assert plan.spans == clustered.spans == find_size(0.01, 0.003, 0.95, 0.8)[0]
    assert (plan.effect, clustered.effect) == (assume_effect(plan.allowed), 9)
    assert plan.notes == math.ceil(plan.spans * plan.effect / 12)
    assert clustered.notes == -(-plan.spans * 9 // 12)


def test_readers_who_miss_leaks_need_more_notes():
    assert make_plan(Aim(), corrected=True).notes > make_plan(Aim()).notes


def test_an_aim_below_the_expected_share_has_no_plan():
    assert make_plan(Aim(aim=0.01, expected=0.02)) is None


def test_the_verb_prints_the_plan_and_its_neighbours(capsys):
    main(["plan", "--aim", "0.01", "--expected", "0.003", "--spans", "12", "--effect", "9"])
    said = capsys.readouterr().out
    assert "Aim: at most 1.00% of the PHI spans are missed, at 95% confidence" in said
    size, _ = find_size(0.01, 0.003, 0.95, 0.8)
    assert f"read {-(-size * 9 // 12)} notes ({size:,} effective spans at design effect 9," in said
    assert "0.50%" in said and "3.00%" in said


@pytest.mark.parametrize(
    ("option", "message"),
    [("--aim=2", "aim: 2; wanted a share"), ("--effect=0.5", "design effect of 1 or more")],
)
def test_a_wrong_aim_is_refused_in_one_line(option, message, end, capsys):
    assert end(main, "plan", option) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1


def test_no_plants_means_no_correction(capsys):
    main(["plan", "--plants", "0"])
    assert "no plants" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("margin", "share", "instances"), [(0.03, 0.5, 1068), (0.05, 0.5, 385), (0.03, 0.9, 385)]
)
def test_the_instances_of_a_test_corpus_are_those_of_equation_3_1(margin, share, instances):
    """Douglass 2005, section 3.1: with a margin of 0.03 "at least 1068 instances of PHI"."""
    assert estimate_instances(margin, share) == instances


def test_the_plan_says_the_instances(capsys):
    main(["plan", "--margin", "0.03"])
    assert "within 0.03: at least 1,068 instances of PHI" in capsys.readouterr().out
    with pytest.raises(ConfigurationError, match="margin = 3: wanted a number between 0 and 1"):
        main(["plan", "--margin", "3"])
