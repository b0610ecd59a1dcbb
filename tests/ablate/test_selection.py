"""Feature selection inside folds: rankings, what each fold keeps, and the curve."""

import json
from pathlib import Path

import pytest
from experiments import SMALL, exit_status, run_ablation, write_config

from crfdeid.ablate import one_training, plan, runner, selection
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError
from crfdeid.feature_extraction import templates
from crfdeid.text.document import Document, Span

FOLDS = "[cross_validation]\nfolds = 2\n"
SELECTION = '[selection]\nby = ["gain", "l1", "backward"]\ntemplates = [2, 9, 9999]\n'


@pytest.fixture(scope="module")
def group(tmp_path_factory):
    """Three templates: one that decides, one that is noise, and one that never has a value."""
    path = tmp_path_factory.mktemp("groups") / "three.template"
    path.write_text("suffix1[0]\nall_digits[0]\nlower[0]|lower[400]\n")
    return str(path)


@pytest.mark.parametrize("method", selection.RANKINGS)
def test_a_template_that_decides_comes_first(group, method):
    """The numbers are dates; the last letters of the words say nothing."""
    words = ["ab", "12", "cb", "9", "bd", "31", "ae", "4", "dd", "18"] * 6
    text = " ".join(words)
    spans, at = [], 0
    for word in words:
        if word.isdigit():
            spans.append(Span(at, at + len(word), "DATE"))
        at += len(word) + 1
    ranked = selection.rank_templates(method, Config(features=(group,)), [Document("1", text, tuple(spans))])
    assert ranked[0] == "all_digits[0]"
    assert sorted(ranked) == ["all_digits[0]", "lower[0]|lower[400]", "suffix1[0]"]


def test_keeps_the_templates_of_each_group_and_no_empty_group(group):
    config = Config(features=("lexical", group, "orthographic"))
    lexical = "lower[0]"
    features, texts = selection.keep_templates(config, {"lower[0]|lower[400]", lexical})
    assert features == ("lexical", group) and texts[group] == "lower[0]|lower[400]\n"
    config = Config(features=features)
    assert set(selection.list_templates(config, texts)) == {lexical, "lower[0]|lower[400]"}
    assert len(selection.list_templates(config, {})) == len(
        {*templates.read_group("lexical"), *templates.read_group(group)}
    )


@pytest.fixture(scope="module")
def selected(corpus, tmp_path_factory):
    """A finished selection; the trainings are in this process, which is quicker."""
    folder = tmp_path_factory.mktemp("selected")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "run_jobs", train_here)
        run_ablation(write_config(folder, SMALL + FOLDS + SELECTION), corpus, folder / "out", test=False)
    return folder / "out"


def train_here(left, out, at_once, on_iteration):
    for job in left:
        one_training.train_job(job, job.folder, lambda number: None)


@pytest.mark.slow
def test_each_method_has_a_row_for_each_size(selected):
    rows = json.loads((selected / "selection.json").read_text())
    assert set(rows) == {
        "base, 2 folds", "base, gain: 2 templates", "base, gain: 9 templates", "base, l1: 2 templates",
        "base, l1: 9 templates", "base, backward: 2 groups", "base, backward: 1 groups",
    }  # fmt: skip
    for title, row in rows.items():
        sizes = [len(fold) for fold in row["folds"]]
        assert len(sizes) == 2 and row["templates"] == sum(sizes) / 2
        if title.endswith("templates"):
            assert set(sizes) == {int(title.split()[-2])}
    names = ("2 folds", "backward: 2 groups", "backward: 1 groups")
    for whole, two, one in zip(*(rows[f"base, {name}"]["folds"] for name in names)):
        assert set(one) < set(two) < set(whole)
    table = json.loads((selected / "table.json").read_text())["rows"]
    assert {row["run"]: row["figures"]["strict F1"] for row in table}.items() >= {
        title: row["strict F1"] for title, row in rows.items()
    }.items()


@pytest.mark.slow
def test_the_curves_are_drawn(selected):
    for method in ("gain", "l1", "backward"):
        picture = (selected / f"selection-{method}.svg").read_text()
        assert "strict F1" in picture and "<polyline" in picture
    page = (selected / "selection.html").read_text()
    assert page.count("<polyline") == 3 and "base, gain: 9 templates" in page


@pytest.mark.slow
def test_a_fold_is_not_looked_at_when_its_features_are_chosen(selected):
    """What backward selection trains and scores on has no document of the fold's test part."""
    for number in ("1", "2"):
        run = selected / "base-gain-2-templates-folds" / number / "run.json"
        test = json.loads(run.read_text())["test"]
        searches = sorted((selected / "base-backward-search" / number).glob("*/run.json"))
        assert len(searches) == 3 + 2
        for path in searches:
            parts = json.loads(path.read_text())
            assert parts["train"]["documents"] + parts["test"]["documents"] + test["documents"] == 24
            ids = {json.loads(line)["id"] for line in (path.parent / "spans.jsonl").read_text().splitlines()}
            held = (selected / "base-folds" / number / "spans.jsonl").read_text().splitlines()
            assert not ids & {json.loads(line)["id"] for line in held}


@pytest.mark.slow
def test_finished_searches_are_not_run_again(selected, corpus, monkeypatch):
    left = []
    monkeypatch.setattr(runner, "run_jobs", lambda jobs, *_: left.extend(jobs))
    config = Path(selected).parent / "mine.toml"
    run_ablation(config, corpus, selected, test=False)
    assert left == []


@pytest.mark.parametrize(
    "text, message",
    [
        (SELECTION, "wanted [cross_validation] too"),
        (FOLDS + '[selection]\nby = ["gian"]\ntemplates = [2]\n', "no method 'gian'; did you mean gain?"),
        (FOLDS + '[selection]\nby = ["gain"]\n', "templates: wanted with gain and l1"),
        (FOLDS + '[selection]\nby = ["backward"]\ntemplates = [2]\n', "and only with them"),
        (FOLDS + '[selection]\nby = ["gain"]\ntemplates = [0]\n', "wanted numbers of templates"),
        (FOLDS + "[selection]\ntemplates = [3]\n", "by = []: wanted a list of gain, l1, backward"),
        (FOLDS + '[selection]\nby = ["l1"]\nsize = 3\n', "no setting size"),
    ],
)
def test_refuses_other_settings(tmp_path, text, message):
    with pytest.raises(ConfigurationError) as error:
        plan.read_plan(write_config(tmp_path, SMALL + text))
    assert message in str(error.value)


def test_a_system_without_templates_is_refused(tmp_path, corpus, capsys):
    text = 'system = "hmm"\n' + FOLDS + '[selection]\nby = ["backward"]\n'
    assert exit_status([write_config(tmp_path, text), corpus / "train", "--out", tmp_path / "out"]) == 2
    assert "the system hmm has no feature templates" in capsys.readouterr().err
