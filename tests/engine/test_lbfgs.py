"""The optimiser: CRFsuite's losses for all of its settings, and minima that are known."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from small_notes import SMALL, note

pytest.importorskip("numba")

from crfdeid.engine.training.lbfgs import Settings, _Memory, minimise
from crfdeid.engine.training.train import NAMES, can_train
from crfdeid.engine.training.vectors import Vectors
from crfdeid.systems import model

# Settings, and the number of iterations. Losses of long trainings differ in their last digits.
STOPS = [
    ({"c1": 0.0, "num_memories": 1}, 41),
    ({"num_memories": 1, "max_iterations": 40}, 40),
    ({"c1": 0.0, "num_memories": 3}, 39),
    ({"period": 2, "delta": 0.01}, 19),
    ({"c1": 0.0, "period": 1, "delta": 0.1}, 10),
    ({"period": 0, "delta": 9.0, "max_iterations": 20}, 20),  # the loss is not looked at
    ({"epsilon": 0.1}, 15),
    ({"c1": 0.0, "epsilon": 0.05}, 9),
    ({"max_linesearch": 1}, 16),
    ({"c1": 0.0, "max_linesearch": 1}, 0),
    ({"c1": 0.0, "max_linesearch": 2}, 32),
    ({"max_iterations": 1}, 1),
    ({"c1": 0.0, "c2": 100.0}, 9),
    ({"c1": 2.0, "c2": 0.0, "max_iterations": 50}, 50),
]


@pytest.mark.parametrize(("changes", "number"), STOPS, ids=str)
def test_training_stops_where_crfsuite_does(tmp_path, changes, number):
    chosen = dataclasses.replace(SMALL, crf={"c1": 0.1, "c2": 0.01} | changes)
    losses: dict[str, list[tuple[int, float]]] = {"fast": [], "crfsuite": []}
    for engine, heard in losses.items():
        documents = [note(place) for place in range(5)]
        model.train(documents, chosen, tmp_path / engine, lambda *own, heard=heard: heard.append(own), engine)
    assert [place for place, _ in losses["fast"]] == [place for place, _ in losses["crfsuite"]]
    assert len(losses["fast"]) == number
    assert np.allclose(*([loss for _, loss in own] for own in losses.values()), rtol=2e-5)


def test_settings_are_crfsuites_unless_others_are_said():
    assert Settings() == Settings(
        c1=0.0, max_iterations=2147483647, num_memories=6, epsilon=1e-5, period=10, delta=1e-5,
        max_linesearch=20,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("algorithm", "settings", "wanted"),
    [
        ("lbfgs", {}, True),
        ("lbfgs", dict.fromkeys(NAMES, 1), True),
        ("lbfgs", {"c1": 1, "gamma": 1}, False),
        ("ap", {}, False),
        ("l2sgd", {"c2": 1}, False),
    ],
)
def test_this_engine_has_lbfgs_with_its_settings(algorithm, settings, wanted):
    assert can_train(algorithm, settings) is wanted


def find_minimum(evaluate, size, threads=1, roots=None, start=None, **settings):
    """The minimum, and the number, loss and weights of each iteration."""
    heard = []
    x = np.zeros(size) if start is None else np.array(start, float)
    with ThreadPoolExecutor(threads) as pool:
        vectors = Vectors(np.ones(size) if roots is None else roots, pool, threads)
        keep = lambda number, loss, x: heard.append((number, loss, x.copy()))  # noqa: E731
        return minimise(evaluate, x, Settings(**settings), keep, vectors), heard


CENTRE, STEEPNESS = np.array([3.0, -0.5, 2.0, 0.2]), np.array([1.0, 4.0, 0.5, 2.0])


def bowl(x):
    return float((STEEPNESS * (x - CENTRE) ** 2).sum() / 2), STEEPNESS * (x - CENTRE)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("start", [None, [9.0, 9.0, -9.0, 0.0]])
def test_the_minimum_of_a_bowl_is_its_centre(threads, start):
    found, heard = find_minimum(bowl, 4, threads, start=start)
    assert np.allclose(found, CENTRE, atol=1e-4)
    assert [number for number, _, _ in heard] == list(range(1, len(heard) + 1)) and len(heard) < 20
    for _, loss, x in heard:
        assert loss == pytest.approx(bowl(x)[0])


@pytest.mark.parametrize("threads", [1, 3])
def test_with_c1_each_weight_is_as_much_nearer_to_zero(threads):
    """The minimum of s/2 (x - c)² + c1 r |x| is c less c1 r / s towards 0, and 0 where that is beyond."""
    roots = np.array([1.0, 1.0, 1.0, 2.0])
    found, heard = find_minimum(bowl, 4, threads, roots, c1=0.5)
    assert np.allclose(found, [2.5, -0.375, 1.0, 0.0], atol=1e-4) and found[3] == 0.0
    assert heard[-1][1] == pytest.approx(bowl(found)[0] + 0.5 * (np.abs(found) * roots).sum())


def test_the_loss_at_the_start_has_the_weights_too():
    """With nearly c1 alone, a step towards zero is a gain; without the weights it would seem to be none."""
    flat = lambda x: (5e-4 * float(x @ x), 1e-3 * x)  # noqa: E731
    found, heard = find_minimum(flat, 2, start=[3.0, -2.0], c1=0.5)
    assert heard[0][1] < 2.5 and np.abs(found).max() < 1e-4


def test_from_the_minimum_there_is_no_iteration():
    assert find_minimum(bowl, 4, start=CENTRE)[1] == []
    assert find_minimum(bowl, 4, start=CENTRE + 1e-7)[1] == []
    assert find_minimum(bowl, 4, start=CENTRE, epsilon=0.0)[1] == []
    assert find_minimum(bowl, 4, c1=50.0)[1] == []  # zero is the minimum


def test_the_first_step_has_the_length_1():
    """Unless it does not lead downhill enough."""
    _, heard = find_minimum(bowl, 4, max_iterations=1)
    assert np.linalg.norm(heard[0][2]) == pytest.approx(1)
    assert len(heard) == 1
    flat = lambda x: tuple(0.01 * part for part in bowl(x))  # noqa: E731
    _, heard = find_minimum(flat, 4, max_iterations=1)
    assert np.linalg.norm(heard[0][2]) == pytest.approx(1)
    _, heard = find_minimum(bowl, 4, max_iterations=1, c1=0.1)
    assert np.linalg.norm(heard[0][2]) == pytest.approx(1)


def test_a_loss_that_only_rises_gives_the_start_back():
    found, heard = find_minimum(lambda x: (float(np.abs(x).sum()), -np.ones(2)), 2, start=[1.0, 2.0])
    assert found.tolist() == [1.0, 2.0] and heard == []
    tried = []

    def rise(x):
        tried.append(x.copy())
        return float(np.abs(x).sum()), -np.ones(2)

    find_minimum(rise, 2, start=[1.0, 2.0], c1=0.1, max_linesearch=4)
    steps = [np.linalg.norm(x - tried[0]) for x in tried[1:]]
    assert steps == pytest.approx([1, 1 / 2, 1 / 4, 1 / 8])


@pytest.mark.parametrize(("gain", "trials"), [(0.00011, 1), (0.00009, 2), (-0.00009, 2)])
def test_with_c1_a_step_must_gain_a_part_of_what_the_slope_promises(gain, trials):
    """The slope at 0 is -1.5, and -1 with c1: a step of 1 must gain 0.0001 at least."""
    tried = []

    def curve(x):
        tried.append(float(x[0]))
        return {0.0: 0.0, 1.0: -0.5 - gain}.get(tried[-1], -2.0), np.array([-1.5])

    find_minimum(curve, 1, c1=0.5, max_iterations=1)
    assert tried == [0.0, 1.0, 0.5][: 1 + trials]


@pytest.mark.parametrize("start", [0.0, 3.0])
def test_a_step_without_a_change_of_the_gradient_is_not_remembered(start):
    """The curve is a line to 4, and then a parabola with its bottom at 5."""

    def curve(x):
        return (-float(x[0]), -np.ones(1)) if x[0] < 4 else (float((x[0] - 5) ** 2 / 2) - 4.5, x - 5)

    found, heard = find_minimum(curve, 1, c1=0.1, start=[start])
    assert found == pytest.approx([4.9]) and heard[0][2] == pytest.approx([start + 1])


@pytest.mark.parametrize(
    ("start", "epsilon", "stops"),
    [
        (0.0, 0.5, True),  # at 0 the slope is -0.5, and weights smaller than 1 count as 1
        (0.0, 0.49, False),
        (0.25, 0.25, True),
        (-1.5, 4 / 3, True),  # the slope is -2, and the weights are 1.5
        (-1.5, 1.3, False),
    ],
)
def test_a_slope_is_small_if_it_is_at_most_epsilon_times_the_weights(start, epsilon, stops):
    line = lambda x: (float((x - 0.5) @ (x - 0.5) / 2) + 1.0, x - 0.5)  # noqa: E731
    assert (find_minimum(line, 1, start=[start], epsilon=epsilon)[1] == []) is stops


@pytest.mark.parametrize(("delta", "iterations"), [(1.0, 2), (1.001, 1)])
def test_training_goes_on_where_the_loss_improves_by_delta(delta, iterations):
    """The first step is from 0 to 1, where the loss is 1 instead of 2."""
    curve = lambda x: (float(2 - 1.5 * x[0] + 0.5 * x[0] ** 2), x - 1.5)  # noqa: E731
    _, heard = find_minimum(curve, 1, period=1, delta=delta, max_iterations=2)
    assert [loss for _, loss, _ in heard][:1] == [1.0] and len(heard) == iterations


def test_with_c1_a_step_is_accepted_that_changes_the_loss_by_less_than_its_last_digit():
    """Of 1e16 the last digit is a 2; the step and its gain are about 1."""
    found, heard = find_minimum(lambda x: (1e16, x - 3.0), 1, c1=0.5, max_iterations=1)
    assert len(heard) == 1 and found.tolist() == [1.0]


def test_down_an_even_slope_all_steps_have_the_length_1():
    """With c1 a step is accepted although the gradient did not change."""
    down = lambda x: (float(9 - x[0] - 2 * x[1]), np.array([-1.0, -2.0]))  # noqa: E731
    _, heard = find_minimum(down, 2, c1=0.5, max_iterations=3)
    assert [number for number, _, _ in heard] == [1, 2, 3]
    for number, _, x in heard:
        assert x == pytest.approx(number * np.array([0.5, 1.5]) / np.sqrt(2.5))


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ((0.5, 0.0), True),
        ((0.0, 0.0), False),
        ((0.0, 1.0), False),
        ((-1.0, 0.0), False),
        ((1e-200, 0.0), False),
    ],
)
def test_a_step_is_kept_if_the_gradient_grows_along_it(change, kept):
    """The step is to the right. After one that is not kept the next has the length 1, as the first."""
    memory = _Memory(6, Vectors(np.ones(2), None, 1))
    memory.add(np.array([3.0, 1.0]), np.array([1.0, 1.0]), np.array(change), np.zeros(2))
    slope = np.array([-3.0, 4.0])
    direction, step = memory.downhill(np.ones(2), slope, 0.0)
    assert len(memory.pairs) == kept
    if kept:  # the slope changes by 1/2 in a step of 2, so that it is 0 after a step of 12
        assert direction.tolist() == [12.0, -16.0] and step == 1.0
    else:
        assert direction.tolist() == [3.0, -4.0] and step == pytest.approx(1 / 5)


def test_after_a_step_that_is_not_kept_the_earlier_ones_count():
    memory = _Memory(6, Vectors(np.ones(2), None, 1))
    memory.add(np.array([2.0, 0.0]), np.zeros(2), np.array([0.5, 0.0]), np.zeros(2))
    before = memory.downhill(np.ones(2), np.array([-3.0, 4.0]), 0.0)[0].tolist()
    memory.add(np.array([0.0, 2.0]), np.zeros(2), np.zeros(2), np.zeros(2))
    assert memory.downhill(np.ones(2), np.array([-3.0, 4.0]), 0.0)[0].tolist() == before


def test_training_ends_where_the_loss_is_zero():
    half = lambda x: (float((x - 1) @ (x - 1) / 2), x - 1)  # noqa: E731
    found, heard = find_minimum(half, 1, period=1)
    assert found.tolist() == [1.0] and [loss for _, loss, _ in heard] == [0.0]
