"""The simulation of active learning: real trainings in a small study, in the room's own order."""

import sys
from pathlib import Path

import pytest

for package in ("fastapi", "uvicorn", "argon2"):
    pytest.importorskip(package, reason="pip install 'crfdeid[review]'")
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import review_learning  # noqa: E402
from review_learning import Plan, Point  # noqa: E402

SETTINGS = 'features = ["lexical"]\n[crf]\nmax_iterations = 10\n'


@pytest.mark.slow
def test_a_model_learns_from_the_notes_that_the_list_has_first(monkeypatch, tmp_path):
    (tmp_path / "small.toml").write_text(SETTINGS, encoding="utf-8")
    plan = Plan(rounds=2, step=1, pool=4, test=2, config=str(tmp_path / "small.toml"))
    asked = []
    choose = review_learning.choose_notes

    def record(study, order, count):
        numbers = choose(study, order, count)
        asked.append((order, numbers))
        return numbers

    monkeypatch.setattr(review_learning, "choose_notes", record)
    points = review_learning.simulate_order(plan, "uncertainty", 1)
    assert [point.notes for point in points] == [1, 2]
    assert all(0 < point.recall <= 1 for point in points) and points[0].words < points[1].words
    assert [order for order, _ in asked] == ["random", "uncertainty"]  # the first notes are the same for all
    assert asked[0][1] != asked[1][1]


def test_notes_until_a_recall_have_a_mean_and_a_spread():
    chance = [Point(10, 900, 0.5), Point(20, 1800, 0.7)]
    better = [Point(10, 900, 0.5), Point(20, 2100, 0.9)]
    lines = list(review_learning.render_tables({"random": [chance, chance], "density": [better, better]}))
    assert "| 20 | 0.700 ± 0.000 | 0.900 ± 0.000 |" in lines
    assert lines[-1] == "| density | 105 ± 0 | 15 ± 0 | 1500 ± 0 | 15 ± 0 | 1500 ± 0 |"
    assert review_learning.count_until(chance, 0.8, 0) is None
