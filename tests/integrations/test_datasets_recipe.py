"""The recipe of docs/pipelines.md for datasets."""

import pytest
from page_examples import read_examples


@pytest.mark.filterwarnings("ignore")
def test_the_recipe_for_datasets_runs(capsys, tmp_path, monkeypatch):
    pytest.importorskip("datasets")
    module, recipe = (
        next(code for code in read_examples("pipelines.md") if name in code)
        for name in ("# find_phi.py", "import datasets")
    )
    (tmp_path / "find_phi.py").write_text(module)
    monkeypatch.syspath_prepend(str(tmp_path))
    exec(recipe, {})
    assert "[['DOCTOR', 'DATE'], []]" in capsys.readouterr().out
