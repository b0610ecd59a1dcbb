"""The line search: minima of curves that are known, and the steps that it tries."""

import math

import pytest

from crfdeid.engine.training import lbfgs
from crfdeid.engine.training.lbfgs import (
    End,
    Interval,
    cubic_beyond,
    cubic_minimum,
    more_thuente,
    quadratic_minimum,
    secant_minimum,
    step_bounds,
    trial_step,
    update_interval,
)


def make_cubic(factor, top, bottom):
    """The point at a step of the curve with the slope factor * (step - top) * (step - bottom)."""

    def at(step):
        loss = factor * (step**3 / 3 - (top + bottom) * step**2 / 2 + top * bottom * step)
        return End(step, loss, factor * (step - top) * (step - bottom))

    return at


def make_parabola(factor, bottom):
    return lambda step: End(step, factor * (step - bottom) ** 2 - 7, 2 * factor * (step - bottom))


ENDS = [(0, 8), (8, 0), (0, 2), (2, 0), (6, 1), (1, 6), (5, 9), (9, 5), (-3, 2)]


@pytest.mark.parametrize(("one", "other"), ENDS)
@pytest.mark.parametrize(("factor", "top", "bottom"), [(1, -10, 4), (0.25, -1, 4), (-1, 9.5, 4), (-2, 40, 4)])
def test_the_minimum_of_a_cubic_is_found_from_two_points(factor, top, bottom, one, other):
    at = make_cubic(factor, top, bottom)
    assert cubic_minimum(at(one), at(other)) == pytest.approx(bottom)


@pytest.mark.parametrize(("one", "other"), ENDS)
@pytest.mark.parametrize("factor", [1, 0.01, 40])
def test_the_minimum_of_a_parabola_is_found_from_losses_or_slopes(factor, one, other):
    at = make_parabola(factor, 4)
    assert quadratic_minimum(at(one), at(other)) == pytest.approx(4)
    assert secant_minimum(at(one), at(other)) == pytest.approx(4)
    assert cubic_minimum(at(one), at(other)) == pytest.approx(4)


def test_from_two_losses_and_one_slope_or_two_slopes_other_minima_follow():
    """Of t³ - 3t between 0 and 2: the parabola is 2t² - 3t, and the slopes are -3 and 9."""
    one, other = End(0, 0, -3), End(2, 2, 9)
    assert quadratic_minimum(one, other) == 3 / 4
    assert secant_minimum(one, other) == 1 / 2
    assert cubic_minimum(one, other) == 1


@pytest.mark.parametrize(
    ("curve", "one", "other", "wanted"),
    [
        ((1, -10, 4), 0, 2, 4),  # downhill to the right, and to the left
        ((1, -10, 4), 8, 6, 4),
        ((2, -1, 9), 1, 5, 9),
        ((1, 3, 4), 1, 2, 4),  # behind the maximum too
        ((1, -10, 4), 6, 9, 60),  # the minimum is on the other side
        ((-1, 9, 4), 1, 0, -50),
        ((1, -10, 4), 2, 6, -50),  # or between: a bound by the sign of theta
        ((-1, 9, 4), 8, 6, 4),
        ((-1, 2, 1), 0, 2.5, 60),  # the minimum is between both
    ],
)
def test_the_minimum_beyond_the_second_point_or_a_bound(curve, one, other, wanted):
    at = make_cubic(*curve)
    assert cubic_beyond(at(one), at(other), -50, 60) == pytest.approx(wanted)


def test_a_cubic_without_a_minimum_gives_a_bound_by_the_sign_of_theta():
    """As CRFsuite's liblbfgs does it."""
    assert cubic_beyond(End(0, 0, -3), End(1, -1, -2), -50, 60) == 60  # theta = 3 - 5
    assert cubic_beyond(End(0, 0, -3), End(1, -2.4, -2), -50, 60) == -50  # theta = 7.2 - 5
    assert cubic_beyond(End(0, 0, -3), End(3, -5, -2), -50, 60) == -50  # theta = 5 - 5
    assert cubic_beyond(End(0, 0, -4), End(2, -3, 0), -50, 60) == -50  # theta = 4.5 - 4; it is at the end


def test_between_two_points_a_cubic_without_a_minimum_gives_the_middle():
    assert cubic_minimum(End(0, 0, -3), End(1, -1, -2)) == 0.5
    assert cubic_minimum(End(7, 0, 3), End(6, -1, 2)) == 6.5
    assert cubic_minimum(End(1, 0, -1), End(3, -2, -1)) == 2  # a line


FALLING = make_parabola(1, 4)
ABOVE, BELOW = make_cubic(1, -10, 4), make_cubic(-1, 20, 4)  # their secants from 0 and 2 end at 5 and 3.64
CASES = [
    # a greater loss: the cubic (1) where it is nearer, else the middle to the parabola (3/4)
    (End(0, 0, -3), End(2, 2, 9), False, (0.875, True)),
    (End(0, 0, -1), End(1, 1, 0.5), False, (cubic_minimum(End(0, 0, -1), End(1, 1, 0.5)), True)),
    (End(7, 0, 3), End(5, 2, -9), False, (7 - 0.875, True)),
    (End(7, 0, 1), End(6, 1, -0.5), False, (cubic_minimum(End(7, 0, 1), End(6, 1, -0.5)), True)),
    # a slope of the other sign: the secant (1/2) or the cubic, the farther from here
    (End(0, 9, -6), End(4, 1, 2), False, (3, False)),
    (End(0, 0, -3), End(2, -1, 9), False, (0.5, False)),
    (End(0, 0, -9), End(2, -1, 3), False, (cubic_minimum(End(0, 0, -9), End(2, -1, 3)), False)),
    # a smaller slope: the farther of both, but the nearer where the minimum is between
    (ABOVE(0), ABOVE(2), False, (5, True)),
    (ABOVE(0), ABOVE(2), True, (4, True)),
    (BELOW(0), BELOW(2), False, (4, True)),
    (BELOW(0), BELOW(2), True, (2 + 36 / 44 * 2, True)),
    (End(0, 0, -3), End(1, -2, -2), False, (3, True)),  # as near as the bound, where the cubic has none
    (End(0, 0, -3), End(1, -2, -2), True, (3, True)),
    (End(0, 0, -4), End(2, -3, 0), True, (2, True)),  # a slope of 0 is smaller, and has no other sign
    # a slope that is not smaller: a bound, or the cubic to the other end
    (End(0, 0, -1), End(1, -2, -1), False, (9, False)),
    (End(5, 0, 1), End(1, -9, 1), False, (-1, False)),
    (End(0, 10, -4), FALLING(2), True, (4, False)),
]


@pytest.mark.parametrize(("best", "here", "bracketed", "wanted"), CASES)
def test_the_next_step_by_the_four_cases(best, here, bracketed, wanted):
    found = trial_step(best, FALLING(7), here, bracketed, -1, 9)
    assert found == (pytest.approx(wanted[0]), wanted[1])


def test_the_bounds_of_the_next_step():
    """Four times as far beyond the last step as it is from the best, or the ends of the interval."""
    one, two = End(1, 0, -1), End(3, 0, 1)
    assert step_bounds(Interval(one, one), 2) == (1, 6)
    assert step_bounds(Interval(one, two, True), 2) == step_bounds(Interval(two, one, True), 2) == (1, 3)


def test_the_interval_keeps_the_lower_end():
    start, low, rising = FALLING(0), FALLING(2), FALLING(7)
    opened = Interval(start, start)
    assert update_interval(opened, low, 0, 10) == (Interval(low, start), 4)
    assert update_interval(opened, low, 0, 3) == (Interval(low, start), 3)  # not beyond the bounds
    assert update_interval(opened, low, 5, 10) == (Interval(low, start), 5)
    assert update_interval(opened, rising, 0, 35) == (Interval(rising, start, True), 4)  # another slope
    higher = FALLING(9)
    assert update_interval(opened, higher, 0, 45) == (Interval(start, higher, True), 4)
    assert update_interval(Interval(start, higher, True), low, 0, 9) == (Interval(low, higher, True), 4)
    flat = End(2, 0.0, 0.0)  # a slope of 0 is no other sign
    assert update_interval(opened, flat, 0, 10)[0] == Interval(flat, start, False)
    falling = End(2, FALLING(0).loss, -1.0)  # as low, and the slope has the same sign
    assert update_interval(opened, falling, 0, 10)[0] == Interval(falling, start, False)
    level = End(8, FALLING(0).loss, 1.0)  # as low as the best: it is the best
    assert update_interval(opened, level, 0, 45)[0] == Interval(level, start, True)


def test_a_step_goes_two_thirds_of_the_interval_at_most():
    best, here, other = (make_parabola(1, 9)(step) for step in (0, 1, 10))
    assert update_interval(Interval(best, other, True), here, 0, 10) == (
        Interval(here, other, True), pytest.approx(1 + 0.66 * 9),
    )  # fmt: skip
    best, here, other = (make_parabola(1, 1)(step) for step in (10, 9, 0))
    assert update_interval(Interval(best, other, True), here, 0, 10) == (
        Interval(here, other, True), pytest.approx(9 - 0.66 * 9),
    )  # fmt: skip


def test_where_the_slope_changes_its_sign_a_step_can_be_longer():
    best, here = End(0, 0, -3), End(2, -1, 9)
    assert update_interval(Interval(best, best), here, 0, 10) == (Interval(here, best, True), 0.5)


def search(curve, step, tries=20, slope=None):
    """What is found, and the steps that are tried."""
    tried = []

    def at(step):
        tried.append(step)
        return curve(step)

    loss, own = curve(0)
    return more_thuente(at, loss, own if slope is None else slope, step, tries), tried


def parabola(step):
    return (step - 3) ** 2, 2 * (step - 3)


def test_a_step_that_is_far_too_large_or_small_is_mended():
    assert search(parabola, 50) == (3, [50, 3])
    found, tried = search(parabola, 0.001)  # four times farther each time, as far as the slope is 0.9 of -6
    assert tried == pytest.approx([0.001, 0.005, 0.021, 0.085, 0.341]) and found == tried[-1]
    assert search(parabola, 0.001, tries=6) == (found, tried)
    assert search(parabola, 0.001, tries=5) == (None, tried[:4])  # liblbfgs does not look at the last


@pytest.mark.parametrize(
    ("step", "accepted"), [(0.29, False), (0.31, True), (5.69, True), (5.71, False), (5.9999, False)]
)
def test_a_step_is_accepted_where_the_slope_is_nine_tenths(step, accepted):
    assert (search(parabola, step)[1] == [step]) is accepted


@pytest.mark.parametrize(("lower", "accepted"), [(0.00011, True), (0.0001, True), (0.00009, False)])
def test_a_step_is_accepted_where_the_loss_is_low_enough(lower, accepted):
    """The slope at 0 is -1; at 1 it is 0."""
    curve = {0: (0.0, -1.0), 1: (-lower, 0.0)}
    assert (search(lambda step: curve.get(step, (-1.0, 0.0)), 1)[1] == [1]) is accepted


@pytest.mark.parametrize(
    ("slope", "accepted"), [(-0.9, True), (0.9, True), (-0.90001, False), (0.90001, False)]
)
def test_a_slope_of_exactly_nine_tenths_is_accepted(slope, accepted):
    curve = {0: (0.0, -1.0), 1: (-0.5, slope)}
    assert (search(lambda step: curve.get(step, (-1.0, 0.0)), 1)[1] == [1]) is accepted


@pytest.mark.parametrize("slope", [0.0, 0.1])
def test_uphill_there_is_no_step(slope):
    assert search(parabola, 1, slope=slope) == (None, [])


def test_what_is_not_low_enough_counts_as_higher_at_first():
    """The slope at 1 still falls, but the loss is hardly lower than at 0: the minimum is between."""
    curve = {0: (0.0, -1.0), 1: (-0.00005, -0.95)}
    _, tried = search(lambda step: curve.get(step, (-9.0, 0.0)), 1)
    assert len(tried) == 2 and 0 < tried[1] < 1
    level = curve | {1: (0.0, -0.95)}  # as high as at 0
    _, tried = search(lambda step: level.get(step, (-9.0, 0.0)), 1)
    assert len(tried) == 2 and 0 < tried[1] < 1
    enough = curve | {1: (-0.0001, 0.95)}  # just low enough: the step is that of the curve itself
    _, tried = search(lambda step: enough.get(step, (-9.0, 0.0)), 1)
    start = End(0, 0.0, -1.0)
    assert tried[1] == trial_step(start, start, End(1, -0.0001, 0.95), False, 0, 5)[0]
    lower = curve | {1: (-0.5, -0.95)}
    assert search(lambda step: lower.get(step, (-9.0, 0.0)), 1)[1][1] > 1


@pytest.mark.parametrize(("share", "tilt"), [(0.5, -1e-4), (2.0, 0.0)])
def test_after_a_high_loss_the_curve_is_tilted_until_one_is_low_enough(share, tilt):
    """A low loss is at most -0.0001 times the step. The second loss is ``share`` of that, and still falls."""
    tried = []

    def at(step):
        tried.append(step)
        return (50.0, 3.0) if len(tried) == 1 else (-1e-4 * share * step, -0.91)

    more_thuente(at, 0.0, -1.0, 1.0, 4)
    start, high = End(0, 0, -1), End(1, 50, 3)
    here = End(tried[1], -1e-4 * share * tried[1], -0.91)
    interval = Interval(start, high, True).tilted(tilt)
    assert tried[1] == update_interval(Interval(start, start), high, 0, 5)[1]
    assert tried[2] == update_interval(interval, here.tilted(tilt), 0, 1)[1]


def corner(step):
    """The slope is -1 before 1 and 5 behind it, so that no step is accepted."""
    return (-step, -1.0) if step < 1 else (5 * step - 6, 5.0)


def test_an_interval_that_narrows_too_slowly_is_halved():
    """After two steps the interval must be less than 0.66 of what it was."""
    found, tried = search(corner, 0.5, tries=9)
    assert found is None and tried[:2] == [0.5, 0.5 + 4 * 0.5]
    below = [step for step in tried if step < 1]
    assert tried[4] == pytest.approx((tried[3] + tried[1]) / 2)  # the widths were 2, 1.86 and 1.75
    assert tried[7] == pytest.approx((tried[6] + tried[4]) / 2)
    assert below == sorted(below) and [n for n, step in enumerate(tried) if step > 1] == [1, 4, 7]


@pytest.mark.parametrize(("width", "wanted"), [(65.9, 6.59), (66, 33), (67, 33.5)])
def test_an_interval_of_two_thirds_is_halved(monkeypatch, width, wanted):
    """The widths are 100, 80 and this one; each next step would be a tenth of the interval."""
    widths = iter([100, 80, width, 1])

    def narrow(*_):
        end = next(widths)
        return Interval(End(0, 0.0, -1.0), End(end, 5.0, 1.0), True), 0.1 * end

    monkeypatch.setattr(lbfgs, "update_interval", narrow)
    assert search(lambda step: (9.0, 5.0), 100, tries=5, slope=-1.0)[1] == [100, 10, 8, pytest.approx(wanted)]


@pytest.mark.parametrize(("centre", "waves"), [(6, 1), (10, 2)])
def test_waves_do_not_end_the_search(centre, waves):
    """(t - c)² + w sin 8t: between two of the steps the cubic has no minimum."""

    def curve(t):
        return (t - centre) ** 2 + waves * math.sin(8 * t), 2 * (t - centre) + 8 * waves * math.cos(8 * t)

    found, tried = search(curve, 0.5)
    assert tried[:3] == [0.5, 2.5, 0.5] and curve(found)[0] < curve(0)[0] - centre


def test_an_interval_without_a_number_inside_ends_the_search():
    found, tried = search(corner, 0.5, tries=1000)
    assert found is None and len(tried) < 150 and tried[-1] == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize("rise", [1.0, 5.0, 100.0])
def test_no_step_is_tried_twice(rise):
    """The slope changes its sign at 1; at the end no number is left between the ends of the interval."""
    found, tried = search(lambda t: (-t, -1.0) if t < 1 else (rise * (t - 1) - 1, rise), 0.5, tries=1000)
    assert found is None and len(tried) < 150 and len(set(tried)) == len(tried)


def test_a_step_has_a_size_that_numbers_have():
    assert search(lambda step: (-step, -1.0), 1e300, tries=3)[1] == [1e20, 1e20]
    assert search(lambda step: (step, 1.0) if step else (0.0, -1.0), 1e-300, tries=2)[1] == [1e-20]


def test_a_curve_less_a_line_is_lower_by_the_line():
    one, two = End(2.0, 5.0, -1.0), End(4.0, 1.0, 0.25)
    assert one.tilted(0.5) == End(2.0, 4.0, -1.5)
    assert two.tilted(-0.25) == End(4.0, 2.0, 0.5)
    assert Interval(one, two, True).tilted(0.5) == Interval(one.tilted(0.5), two.tilted(0.5), True)
    assert Interval(one, two).tilted(0.5).tilted(-0.5) == Interval(one, two)
