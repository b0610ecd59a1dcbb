"""The recipes of docs/scale.md for Dask and Ray."""

import json

import pandas as pd
import pytest
from page_examples import read_examples

BLOCKS = read_examples("scale.md")
RECIPES = {
    name: code for name in ("# phi.py", "import dask", "import ray") for code in BLOCKS if name in code
}
NOTES = pd.DataFrame({"id": ["1", "2"], "note": ["Seen by Dr. Ruiz on 3/4/2061.", "No fever."]})
SPANS = [
    [{"start": 12, "end": 16, "type": "DOCTOR"}, {"start": 20, "end": 28, "type": "DATE"}],
    [],
]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with the module of the recipes and with notes."""
    (tmp_path / "phi.py").write_text(RECIPES["# phi.py"])
    NOTES.to_parquet(tmp_path / "notes.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.slow
def test_the_function_of_the_recipes_finds_spans_in_a_batch():
    names: dict = {}
    exec(RECIPES["# phi.py"], names)
    found = names["find_spans"](NOTES)
    assert found.to_dict("list") == {"id": ["1", "2"], "spans": SPANS}


@pytest.mark.filterwarnings("ignore")
def test_the_recipe_for_dask_runs(place):
    pytest.importorskip("dask.dataframe")
    exec(RECIPES["import dask"], {})
    assert [json.loads(line)["spans"] for line in (place / "spans.jsonl").read_text().splitlines()] == SPANS


@pytest.mark.filterwarnings("ignore")
def test_the_recipe_for_ray_runs(place):
    pytest.importorskip("ray")
    exec(RECIPES["import ray"], {})
    rows = [
        json.loads(line) for file in (place / "spans").iterdir() for line in file.read_text().splitlines()
    ]
    assert [row["spans"] for row in sorted(rows, key=lambda row: row["id"])] == SPANS
