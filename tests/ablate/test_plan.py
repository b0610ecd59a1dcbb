"""Configurations with runs: what they mean, and what is refused."""

import pytest
from experiments import BASE, write_config
from shipped_plans import CONFIGS, read_shipped

from crfdeid import files
from crfdeid.ablate import jobs, plan
from crfdeid.corpora.folds import Part
from crfdeid.errors import ConfigurationError, TemplateError
from crfdeid.feature_extraction import templates
from crfdeid.text import gazetteer
from crfdeid.text.document import Document


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFIGS)
def test_every_configuration_is_a_plan_whose_groups_exist(name):
    assert read_shipped(name).runs


def test_a_table_of_words_is_read_once_for_all_runs(tmp_path, monkeypatch):
    (tmp_path / "mine.txt").write_text("# columns: kind\nana|name\n")
    own = write_config(tmp_path, "table_mine_kind[0]", "own.template")
    read, found = gazetteer.read_list, []
    monkeypatch.setattr(gazetteer, "read_list", lambda path: found.append(path) or read(path))
    base = f'features = ["lexical", "{own}"]\ntables = ["{tmp_path / "mine.txt"}"]\n'
    runs = plan.read_plan(write_config(tmp_path, base + '[[run]]\nname = "b"\nwindow = 1\n')).runs
    assert len(runs) == 2 and found == [tmp_path / "mine.txt"]


def test_seeds_repeat_what_is_drawn(tmp_path):
    svm = '[[run]]\nname = "svm"\nsystem = "svm"\n'
    path = write_config(tmp_path, "seeds = [3, 5]\n" + BASE + svm)
    base, first, second = plan.read_plan(path).runs
    assert (base.name, base.seed, base.config.options) == ("base", None, {})
    assert (first.name, first.seed, first.group, first.config.options) == ("svm", 3, "svm", {"seed": 3})
    assert (second.name, second.group, second.config.options) == ("svm, seed 5", "svm", {"seed": 5})
    folded = write_config(tmp_path, "seeds = [3, 5]\n" + BASE + "[cross_validation]\nfolds = 2\n")
    assert [run.seed for run in plan.read_plan(folded).runs] == [3, 5]
    curve = write_config(tmp_path, "seeds = [3, 5]\n" + BASE + "[learning_curve]\ndocuments = [4]\n")
    names = [run.name for run in plan.read_plan(curve).runs]
    assert names == ["base", "base, 4 documents", "base, 4 documents, seed 5"]


def test_runs_change_the_base(tmp_path):
    path = write_config(
        tmp_path,
        'base = "english"\nname = "all"\n'
        '[[run]]\nname = "no names"\nwithout = ["names", "dictionary"]\ncrf.c1 = 0.5\n'
        '[[run]]\nname = "pos"\nwith = ["pos"]\npos = "gruut"\n'
        '[[run]]\nname = "online"\nalgorithm = "l2sgd"\ncrf.c2 = 0.1\n'
        '[[run]]\nname = "other"\nbase = "wi_deid"\nsequence = "line"\n',
    )
    base, names, pos, online, other = plan.read_plan(path).runs
    assert (base.name, names.name) == ("all", "no names")
    gone = set(base.config.features) - set(names.config.features)
    assert gone == {"names", "dictionary"}
    assert names.config.crf == base.config.crf | {"c1": 0.5}
    assert pos.config.features == (*base.config.features, "pos")
    assert online.config.crf == {"c2": 0.1}
    assert (other.config.tokenizer, other.config.sequence) == ("wi_deid", "line")


RUN = BASE + '[[run]]\nname = "a"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BASE + "runs = 1", "no setting runs; did you mean run?"),
        (RUN + 'witout = ["form"]', "run a: no setting witout; did you mean without?"),
        (RUN + 'without = ["from"]', "run a: without from: no run has it; did you mean form?"),
        (RUN + 'without = "form"', "without = 'form': wanted a list"),
        (RUN + 'without_templates = ["lowr"]', "no group has it; did you mean lower?"),
        (RUN + 'with = ["contxt"]', "run a: contxt: no such file.*did you mean context?"),
        (RUN + 'with = ["form"]', "with form: the base has it already"),
        (RUN + 'with = ["pos"]', "run a: the templates use pos"),
        (RUN + "crf.c3 = 1", "run a: crf.c3: no setting of lbfgs"),
        (RUN + 'crf = "c1"', "run a: crf = 'c1': wanted a table"),
        (RUN + "window = -1", "window = -1: wanted a number of tokens"),
        (RUN + "window.layout = 1", r"window.layout: no such group with \[-2..2\]"),
        (RUN + 'features = ["layout"]\nwindow = 1', r"no group of the run has \[-2..2\]"),
        (RUN + '[[run]]\nname = "A"', "runs 'a' and 'A' have one name"),
        (RUN + '[[run]]\nname = "base"', "runs 'base' and 'base' have one name"),
        (RUN + '[[run]]\nname = "a folds"', "runs 'a' and 'a folds' have one name"),
        (BASE + '[[run]]\nname = "?"', "wanted a name with letters or digits"),
        (BASE + "[[run]]\nwindow = 1", "run 1 has no name"),
        (BASE + "[run]\nname = 1", r"wanted \[\[run\]\]"),
        (BASE + "seed = 1.5", "seed = 1.5: wanted int"),
        (BASE + "seeds = [1]", "seeds = .1.: wanted two or more different whole numbers"),
        (BASE + "seeds = [1, 1]", "wanted two or more different whole numbers"),
        (BASE + "seeds = [1, 2]", "seeds: nothing in the runs is drawn; wanted a system with a seed"),
        (BASE + 'published = "he-2015-tabel-3"', "did you mean he-2015-table-3"),
        (BASE + '[published]\nhe-2015-table-3 = ["bose"]', "no row bose; did you mean base?"),
        (BASE + "published = 3", "published: wanted a name, names, or"),
        (BASE + '[published]\nhe-2015-table-3 = "base"', "published.he-2015-table-3: wanted a list of rows"),
        (BASE + "[cross_validation]\nfold = 3", "cross_validation: no setting fold; did you mean folds?"),
        (BASE + "[cross_validation]\nfolds = 1", "folds = 1: wanted 2 or more"),
        (BASE + "[learning_curve]\ndocuments = 10", "wanted numbers of documents"),
        (BASE + "[learning_curve]\ndocuments = [1]\n[cross_validation]\nfolds = 2", "wanted one of them"),
        (BASE + "[grid]\ncrf.c1 = 0.1", "grid: crf.c1 = 0.1: wanted a list"),
        (BASE + "[grid]\ncrf.c4 = [0.1]", "run c4=0.1: crf.c4: no setting"),
        (BASE + "[random]\ncrf.c1 = [0.1]", "random: wanted number = 1 or more"),
        (BASE + "[random]\nnumber = 3\ncrf.c1 = [0.1]", "there are only 1 different runs"),
        (BASE + "[random]\nnumber = 1\ncrf.c1 = {low = 0, high = 1, log = true}", "low > 0 where log"),
        (BASE + "[random]\nnumber = 1\ncrf.c1 = {low = 0, hihg = 1}", "did you mean high?"),
        (BASE + "x =", "mine.toml"),
    ],
)
def test_a_wrong_configuration_is_refused_with_its_place(tmp_path, text, message):
    with pytest.raises(ConfigurationError, match=message):
        plan.read_plan(write_config(tmp_path, text))


@pytest.mark.slow
def test_every_group_that_ships_is_used_by_a_configuration():
    used = {group for name in CONFIGS for run in read_shipped(name).runs for group in run.config.features}
    assert {path.stem for path in files.find_folder("features").glob("*.template")} - used == set()


@pytest.mark.parametrize("group", ["shweta", "sibanda"])  # chunk_tag and mesh ask for it too
def test_parts_of_speech_without_a_source_are_refused(tmp_path, group):
    text = RUN + f'features = ["{group}"]\n'
    with pytest.raises((ConfigurationError, TemplateError), match="run a: .*setting pos names no source"):
        plan.read_plan(write_config(tmp_path, text))
    own = write_config(tmp_path, "chunk_tag[0]", "own.template")
    with pytest.raises(TemplateError, match="run a: chunk_tag: needs a part of speech"):
        plan.read_plan(write_config(tmp_path, RUN + f'features = ["{own}"]'))


def test_an_unknown_observation_is_refused_before_any_training(tmp_path):
    own = write_config(tmp_path, "lowr[0]", "own.template")
    with pytest.raises(TemplateError, match="run a: lowr: no such observation; did you mean lower?"):
        plan.read_plan(write_config(tmp_path, RUN + f'with = ["{own}"]'))


def test_the_nearest_configuration_is_suggested():
    with pytest.raises(ConfigurationError, match="did you mean window"):
        plan.read_plan("windw")


def test_a_search_is_of_all_combinations_or_of_random_ones(tmp_path):
    text = BASE + '[grid]\ncrf.c1 = [0.1, 1.0]\nsequence = ["line", "sentence"]\n'
    found = plan.read_plan(write_config(tmp_path, text)).runs[1:]
    assert [run.name for run in found] == [
        "c1=0.1 sequence=line", "c1=0.1 sequence=sentence", "c1=1.0 sequence=line", "c1=1.0 sequence=sentence"
    ]  # fmt: skip
    assert found[3].config.crf["c1"] == 1.0 and found[3].config.sequence == "sentence"
    table = {
        "number": 5,
        "seed": 3,
        "crf": {"c1": {"low": 0.01, "high": 10.0, "log": True}},
        "window": [0, 1],
    }
    drawn = plan.draw_runs(table, "")
    assert drawn == plan.draw_runs(table, "") != plan.draw_runs(table | {"seed": 4}, "")
    assert len({run["name"] for run in drawn}) == 5
    assert all(0.01 <= run["crf"]["c1"] <= 10 and run["window"] in (0, 1) for run in drawn)


def test_a_window_rewrites_the_ranges_of_all_groups_or_of_one(tmp_path):
    text = BASE + '[[run]]\nname = "all"\nwindow = 1\n[[run]]\nname = "one"\nwindow.lexical = 0\n'
    planned = plan.read_plan(write_config(tmp_path, text))
    part = Part("x", (Document("n", "text"),))
    every, one = (
        row.jobs[0].templates for row in jobs.build_rows(planned, {"train": part, "test": part}, tmp_path)[1:]
    )
    assert set(every) == {"lexical", "orthographic", "form"} and set(one) == {"lexical"}
    assert "lower[0]" in one["lexical"].split() and "[-2..2]" not in every["form"]
    assert "suffix2[-1..1]" in every["form"]
    own = write_config(tmp_path, one["lexical"], "own.template")
    assert {offset for ((_, offset),) in templates.read_templates(own)} == {0}


def test_templates_are_left_out_and_an_empty_group_with_them(tmp_path):
    text = 'features = ["lexical", "layout", "pos"]\npos = "gruut"\n'
    text += '[[run]]\nname = "a"\nwithout_templates = ["pos", "lower", "short_shape"]\nwindow.lexical = 1\n'
    run = plan.read_plan(write_config(tmp_path, text)).runs[1]
    assert run.config.features == ("lexical", "layout")
    assert run.templates["lexical"].split() == [
        f"{n}[{o}]" for n in ("prefix4", "suffix4") for o in (-1, 0, 1)
    ]
    kept = [
        template for part in run.templates["layout"].split() for template in templates.parse_templates(part)
    ]
    left_out = ("short_shape", "'lower'")
    assert kept == [t for t in templates.read_group("layout") if not any(n in str(t) for n in left_out)]


def test_a_run_of_a_grid_that_is_the_base_is_left_out(tmp_path):
    text = BASE + "[crf]\nc1 = 0.1\n[grid]\ncrf.c1 = [0.1, 1.0]\n"
    assert [run.name for run in plan.read_plan(write_config(tmp_path, text)).runs] == ["base", "c1=1.0"]


def test_a_papers_table_may_name_the_rows_itself(tmp_path):
    """Sibanda & Uzuner's "SVM" is another run in table 3 than in table 2."""
    table = '[published]\nsibanda-uzuner-2006-table-3 = { SVM = "base" }\nhe-2015-table-3 = ["base"]\n'
    planned = plan.read_plan(write_config(tmp_path, BASE + table))
    assert planned.published == {
        "sibanda-uzuner-2006-table-3": {"base": "SVM"},
        "he-2015-table-3": {"base": ""},
    }
