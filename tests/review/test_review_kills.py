"""Nothing that the server acknowledged is lost or doubled when it is killed while readers act."""

import sys
from pathlib import Path

import pytest

for package in ("fastapi", "uvicorn", "argon2"):
    pytest.importorskip(package, reason="pip install 'crfdeid[review]'")
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import review_kills  # noqa: E402

pytestmark = pytest.mark.slow


def test_two_kills_lose_nothing(tmp_path):
    found = review_kills.measure_kills(tmp_path, kills=2, readers=3, longest=0.2)
    assert found.acknowledged > 0
    assert (found.lost, found.doubled, found.wrong_states) == (0, 0, 0)
