"""Experiments as configuration: plans, folds, the runner, tables, plots and the verb."""

import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid import cli, corpora, resources
from crfdeid.ablate import __main__ as ablate
from crfdeid.ablate import code_fingerprint, jobs, plan, plot, published_comparison, results, runner, search
from crfdeid.ablate.run import Run
from crfdeid.ablate.training import Cost
from crfdeid.config import Config
from crfdeid.corpora import folds
from crfdeid.corpora.folds import Part
from crfdeid.errors import ConfigurationError, TemplateError
from crfdeid.evaluate import evaluation, published_tables, scores
from crfdeid.evaluate.matching import build_scored_document
from crfdeid.evaluate.scores import Counts
from crfdeid.feature_extraction import templates
from crfdeid.text import scheme
from crfdeid.text.document import Document, Span

CONFIGS = sorted(resources.find_folder("configs").glob("*.toml"))
BASE = 'features = ["lexical", "orthographic", "form"]\n'
SMALL = BASE + "[crf]\nc1 = 0.1\nmax_iterations = 8\n"


def written(folder, text, name="mine.toml"):
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_configuration_is_a_plan_whose_groups_exist(path):
    assert plan.read_plan(path).runs


def test_runs_change_the_base(tmp_path):
    path = written(
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
        (BASE + 'published = "he-2015-tabel-3"', "did you mean he-2015-table-3"),
        (BASE + '[published]\nhe-2015-table-3 = ["bose"]', "no row bose; did you mean base?"),
        (BASE + "published = 3", "published: wanted a name, names, or"),
        (BASE + '[published]\nhe-2015-table-3 = "base"', "published: wanted a name, names, or"),
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
def test_what_is_refused(tmp_path, text, message):
    with pytest.raises(ConfigurationError, match=message):
        plan.read_plan(written(tmp_path, text))


def test_every_group_that_ships_is_used_by_a_configuration():
    used = {group for path in CONFIGS for run in plan.read_plan(path).runs for group in run.config.features}
    assert {path.stem for path in resources.find_folder("features").glob("*.template")} - used == set()


@pytest.mark.parametrize("group", ["shweta", "sibanda"])  # chunk_tag and mesh ask for it too
def test_parts_of_speech_without_a_source_are_refused(tmp_path, group):
    text = RUN + f'features = ["{group}"]\n'
    with pytest.raises((ConfigurationError, TemplateError), match="run a: .*setting pos names no source"):
        plan.read_plan(written(tmp_path, text))
    own = written(tmp_path, "chunk_tag[0]", "own.template")
    with pytest.raises(TemplateError, match="run a: chunk_tag: needs a part of speech"):
        plan.read_plan(written(tmp_path, RUN + f'features = ["{own}"]'))


def test_an_unknown_observation_is_refused_before_anything_is_trained(tmp_path):
    own = written(tmp_path, "lowr[0]", "own.template")
    with pytest.raises(TemplateError, match="run a: lowr: no such observation; did you mean lower?"):
        plan.read_plan(written(tmp_path, RUN + f'with = ["{own}"]'))


def test_the_near_configuration_is_suggested():
    with pytest.raises(ConfigurationError, match="did you mean window"):
        plan.read_plan("windw")


def test_a_search_is_of_all_combinations_or_of_random_ones(tmp_path):
    text = BASE + '[grid]\ncrf.c1 = [0.1, 1.0]\nsequence = ["line", "sentence"]\n'
    found = plan.read_plan(written(tmp_path, text)).runs[1:]
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
    drawn = search.draw_runs(table, "")
    assert drawn == search.draw_runs(table, "") != search.draw_runs(table | {"seed": 4}, "")
    assert len({run["name"] for run in drawn}) == 5
    assert all(0.01 <= run["crf"]["c1"] <= 10 and run["window"] in (0, 1) for run in drawn)


def test_a_window_rewrites_the_ranges_of_all_groups_or_of_one(tmp_path):
    text = BASE + '[[run]]\nname = "all"\nwindow = 1\n[[run]]\nname = "one"\nwindow.lexical = 0\n'
    planned = plan.read_plan(written(tmp_path, text))
    part = Part("x", (Document("n", "text"),))
    every, one = (
        row.jobs[0].templates for row in jobs.build_rows(planned, {"train": part, "test": part}, tmp_path)[1:]
    )
    assert set(every) == {"lexical", "orthographic", "form"} and set(one) == {"lexical"}
    assert "lower[0]" in one["lexical"].split() and "[-2..2]" not in every["form"]
    assert "suffix2[-1..1]" in every["form"]
    own = written(tmp_path, one["lexical"], "own.template")
    assert {offset for ((_, offset),) in templates.read(own)} == {0}


def test_templates_are_left_out_and_an_empty_group_with_them(tmp_path):
    text = 'features = ["lexical", "layout", "pos"]\npos = "gruut"\n'
    text += '[[run]]\nname = "a"\nwithout_templates = ["pos", "lower", "short_shape"]\nwindow.lexical = 1\n'
    run = plan.read_plan(written(tmp_path, text)).runs[1]
    assert run.config.features == ("lexical", "layout")
    assert run.templates["lexical"].split() == [
        f"{n}[{o}]" for n in ("prefix4", "suffix4") for o in (-1, 0, 1)
    ]
    kept = [template for part in run.templates["layout"].split() for template in templates.parse(part)]
    assert kept == [t for t in templates.read(templates.find("layout")) if "short_shape" not in str(t)]


def test_a_run_of_a_grid_that_is_the_base_is_left_out(tmp_path):
    text = BASE + "[crf]\nc1 = 0.1\n[grid]\ncrf.c1 = [0.1, 1.0]\n"
    assert [run.name for run in plan.read_plan(written(tmp_path, text)).runs] == ["base", "c1=1.0"]


documents = st.lists(st.sampled_from(["p1", "p2", "p3", "p4", None]), min_size=8, max_size=30).map(
    lambda patients: tuple(Document(f"n{i}", "text", (), patient) for i, patient in enumerate(patients))
)


@given(documents, st.integers(2, 4), st.integers(0, 5))
def test_folds_part_the_corpus_and_no_patient(documents, number, seed):
    part = Part("x", documents)
    if len({folds.find_owner(document) for document in documents}) < number:
        with pytest.raises(ConfigurationError, match="folds of"):
            folds.make_folds(part, number, seed)
        return
    pairs = folds.make_folds(part, number, seed)
    tested = [document for _, test in pairs for document in test.documents]
    assert sorted(d.id for d in tested) == sorted(d.id for d in documents)
    for train, test in pairs:
        assert test.documents and len(train.documents) + len(test.documents) == len(documents)
        assert not {folds.find_owner(d) for d in train.documents} & {
            folds.find_owner(d) for d in test.documents
        }
    assert pairs == folds.make_folds(part, number, seed)


def test_folds_are_of_like_size_and_differ_by_seed():
    part = Part("x", tuple(Document(f"n{i}", "text", (), f"p{i % 20}") for i in range(100)))
    found = [folds.make_folds(part, 5, seed) for seed in (1, 2)]
    assert [len(test.documents) for _, test in found[0]] == [20] * 5
    assert found[0] != found[1]


@given(st.integers(1, 20), st.integers(1, 20), st.integers(0, 3))
def test_samples_grow(one, two, seed):
    part = Part("x", tuple(Document(f"n{i}", "text") for i in range(20)))
    small, large = (set(folds.draw_sample(part, n, seed).documents) for n in sorted((one, two)))
    assert small <= large and len(large) == max(one, two)


def test_folds_want_one_document_of_each_name():
    part = Part("x", (Document("a", "text"), Document("a", "other"), Document("b", "text")))
    with pytest.raises(ConfigurationError, match="x: document a occurs twice"):
        folds.make_folds(part, 2, 0)


@pytest.fixture(scope="module")
def corpus(notes, tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    corpora.write(notes[:24], folder / "train", "i2b2")
    corpora.write(notes[24:], folder / "test", "i2b2")
    return folder


@pytest.fixture(scope="module")
def finished(corpus, tmp_path_factory):
    """A folder with a base, a run without a group, and a small window."""
    folder = tmp_path_factory.mktemp("finished")
    text = 'z_tests = true\npublished = ["he-2015-table-3", "tafvizi-2011-table-a-1"]\n' + SMALL
    text += '[[run]]\nname = "no form"\nwithout = ["form"]\n[[run]]\nname = "narrow"\nwindow = 0\n'
    config = written(folder, text)
    ablated(config, corpus, folder / "out")
    return folder


@pytest.fixture
def in_process(monkeypatch):
    """Train here and not in a process of its own, which takes a second to start."""

    class Pipe:
        def send(self, told):
            assert told == runner.DONE or isinstance(told, int), told

    def run(jobs, folder, at_once, hear):
        for number, job in enumerate(jobs):
            runner.run_job(job, folder / f".{number}", Pipe())

    monkeypatch.setattr(runner, "run_jobs", run)


def ablated(config, corpus, out, *more, test=True):
    sides = [corpus / "train", *([corpus / "test"] if test else [])]
    ablate.main([str(a) for a in (config, *sides, "--out", out, "--resamples", "200", "--jobs", "2", *more)])


def test_the_table_is_written_in_every_form(finished):
    out = finished / "out"
    assert sorted(path.name for path in out.iterdir()) == [
        "base", "narrow", "no-form", "plot.png", "plot.svg", "table.csv", "table.json", "table.txt"
    ]  # fmt: skip
    text = (out / "table.txt").read_text()
    assert "24 documents of 24 patients, 72 spans" in text and "version:" in text and "|system:" not in text
    assert "intervals and p are of 16 patients, which is too few to trust them" in text
    assert "i2b2 strict" in text and "0.8852" in text and "Non-PHI" in text
    head, *rows = (out / "table.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in rows] == ["base", "no form", "narrow"]
    table = json.loads((out / "table.json").read_text())
    assert set(table["rows"][2]["templates"]) == {"lexical", "orthographic", "form"}
    figures = table["rows"][1]["figures"]
    assert set(head.split(",")) == {"run", *figures}
    assert figures["strict F1 low"] <= figures["strict F1"] <= figures["strict F1 high"]
    assert 0 < figures["strict F1 p"] <= 1 and "strict F1 p" not in table["rows"][0]["figures"]
    assert figures["train seconds"] > 0 and figures["model MB"] > 0 and figures["tokens/s"] > 0


def test_a_run_keeps_its_model_with_the_templates_as_they_were_rewritten(finished):
    model = finished / "out" / "narrow" / "model"
    assert "[-2..2]" not in (model / "features" / "lexical.template").read_text()
    table = json.loads((finished / "out" / "narrow" / "run.json").read_text())
    assert table["settings"]["features"] == ["lexical", "orthographic", "form"]
    assert (finished / "out" / "narrow" / "spans.jsonl").read_text().count("\n") == 16


def test_the_figures_are_those_of_the_spans_that_were_kept(finished, corpus):
    gold = list(corpora.read(corpus / "test"))
    lines = (finished / "out" / "no-form" / "spans.jsonl").read_text().splitlines()
    spans = {row["id"]: [Span(*span) for span in row["spans"]] for row in map(json.loads, lines)}
    system = [document.with_spans(spans[document.id]) for document in gold]
    counts = scores.score(gold, system, scheme.read_scheme()).micro(results.STRICT)
    row = json.loads((finished / "out" / "table.json").read_text())["rows"][1]["figures"]
    assert (row["strict P"], row["strict R"], row["strict F1"]) == (
        counts.precision,
        counts.recall,
        counts.f1,
    )


def test_what_is_done_is_not_trained_again_and_what_changed_is(in_process, finished, corpus, monkeypatch):
    trained = []
    run = runner.run_jobs

    def recorded(jobs, *rest):
        trained.extend(job.title for job in jobs)
        run(jobs, *rest)

    monkeypatch.setattr(runner, "run_jobs", recorded)
    out = finished / "out"
    before = (out / "table.txt").read_bytes(), (out / "plot.svg").read_bytes()
    ablated(finished / "mine.toml", corpus, out)
    assert trained == [] and before == ((out / "table.txt").read_bytes(), (out / "plot.svg").read_bytes())
    text = (finished / "mine.toml").read_text().replace("window = 0", "window = 1")
    ablated(written(finished, text, "changed.toml"), corpus, out)
    assert trained == ["narrow"]
    trained.clear()
    ablated(finished / "changed.toml", corpus, out, "--again")
    assert trained == ["base", "no form", "narrow"]


def test_the_fingerprint_is_of_the_lists_and_of_all_that_ships_where_a_system_may_read_it():
    named = jobs.hash_files(Config(("lexical", "dictionary")))
    assert {"lexical.template", "dictionary.template", "countries.txt", "i2b2-2014.toml"} <= set(named)
    assert "us_cities.exclude.txt" in named and "surnames.txt" not in named
    assert {"surnames.txt", "english.toml"} <= set(jobs.hash_files(Config(("lexical",), system="svm")))


def test_the_fingerprint_is_of_the_code_that_trains():
    own, other = (set(code_fingerprint.hash_modules(system)) for system in ("crf", "svm"))
    assert {
        "crfdeid.engine.training.train",
        "crfdeid.feature_extraction.token",
        "crfdeid.feature_extraction.rule_matches",
        "crfdeid.feature_extraction.part_of_speech",
    } <= own
    assert (
        not {
            "crfdeid.systems.linear.svm",
            "crfdeid.evaluate.scores",
            "crfdeid.evaluate.__main__",
            "crfdeid.review",
        }
        & own
    )
    assert own | {"crfdeid.systems.linear.svm", "crfdeid.systems.linear.classifier"} <= other


TRAINING = """
import sys
from pathlib import Path
from crfdeid.config import Config
from crfdeid.systems import model
from small_notes import note

system, features, options, folder = sys.argv[1], tuple(sys.argv[2].split()), eval(sys.argv[3]), sys.argv[4]
pos = "gruut" if "pos" in features else ""
config = Config(features, system=system, pos=pos, options=options)
model.train([note(n) for n in range(12)], config, Path(folder) / "model").tag(note(20))
print(*(name for name in sys.modules if name.split(".")[0] == "crfdeid"))
"""


@pytest.mark.parametrize(
    ("system", "features", "options"),
    [
        ("crf", "lexical dictionary names context layout pos mist mimic", {}),
        ("svm", "lexical", {}),
        ("two_stage", "lexical", {"folds": 2}),
        ("hmm", "", {}),
        ("heuristic", "", {}),
    ],
)
def test_every_module_that_a_training_imports_is_in_the_fingerprint(system, features, options, tmp_path):
    command_line = [sys.executable, "-c", TRAINING, system, features, repr(options), tmp_path]
    paths = [str(resources.PACKAGE.parent), *sys.path]
    run = subprocess.run(
        command_line, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    )
    assert run.returncode == 0, run.stderr
    assert set(run.stdout.split()) - set(code_fingerprint.hash_modules(system)) == set()


def test_the_code_of_a_package_around_a_module_counts_too():
    assert "crfdeid.engine.training" in code_fingerprint.hash_modules("crf")


@pytest.mark.parametrize(
    ("changed", "differs"),
    [
        ("feature_extraction/token.py", True),
        ("systems/__init__.py", True),
        ("evaluate/scores.py", False),
        ("redact/redactor.py", False),
    ],
)
def test_a_line_of_code_makes_a_finished_run_another(tmp_path, monkeypatch, changed, differs):
    before = code_fingerprint.hash_modules("crf")
    shutil.copytree(resources.PACKAGE, tmp_path / "crfdeid", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "crfdeid" / changed).open("a") as file:
        file.write("# another line\n")
    monkeypatch.setattr(resources, "PACKAGE", tmp_path / "crfdeid")
    assert (code_fingerprint.hash_modules.__wrapped__("crf") != before) == differs


def status(arguments):
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: ablate.main([str(argument) for argument in arguments]))
    return stopped.value.code


def test_a_run_that_fails_leaves_the_finished_ones(corpus, tmp_path, capsys):
    text = SMALL + '[[run]]\nname = "gone"\nscheme = "meddocan"\n'
    arguments = [written(tmp_path, text), corpus / "train", corpus / "test", "--out", tmp_path / "out"]
    assert status([*arguments, "--jobs", 1]) == 2
    said = capsys.readouterr().err
    assert said.startswith("crfdeid: run gone: ") and said.count("\n") == 1
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["base"]


def test_a_child_that_dies_is_told(corpus, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(runner, "run_job", dies)
    text = written(tmp_path, SMALL)
    assert status([text, corpus / "train", corpus / "test", "--out", tmp_path / "out"]) == 2
    assert "run base: its process ended with status 7" in capsys.readouterr().err
    assert list((tmp_path / "out").iterdir()) == []


def dies(job, building, pipe):
    sys.exit(7)


def test_an_error_inside_a_run_tells_its_kind_and_place_but_no_text(notes, tmp_path, monkeypatch):
    def fails(*_):
        raise ValueError("Zanzibarova")

    monkeypatch.setattr("crfdeid.ablate.training.train_job", fails)
    told = []
    pipe = SimpleNamespace(send=told.append)
    runner.run_job(result("base", notes, tmp_path).row.jobs[0], tmp_path / "building", pipe)
    assert len(told) == 1 and told[0].startswith("ValueError in test_ablate.py, line ")


def test_one_runner_works_in_a_folder_and_nothing_of_a_killed_one_stays(tmp_path):
    (tmp_path / ".building.dead" / "0" / "model").mkdir(parents=True)
    with runner.lock_folder(tmp_path):
        assert not (tmp_path / ".building.dead").exists()
        with pytest.raises(runner.RunError, match="another ablation is running in this folder"):
            runner.run_jobs([], tmp_path, 1, print)
    assert list(tmp_path.iterdir()) == []
    runner.run_jobs([], tmp_path, 1, print)


@pytest.mark.parametrize(("ending", "left"), [(signal.SIGKILL, 1), (signal.SIGINT, 0)])
def test_what_stops_a_run_ends_its_children_too(corpus, tmp_path, ending, left):
    out = tmp_path / "out"
    config = written(tmp_path, SMALL.replace("= 8", "= 100000") + "epsilon = 0.0\ndelta = 0.0\n")
    command_line = [sys.executable, "-m", "crfdeid.ablate", config, corpus / "train", corpus / "test"]
    with subprocess.Popen([*command_line, "--out", out], stderr=subprocess.PIPE) as process:
        until(lambda: list(out.glob(".building.*/*/model/..*")) or list(out.glob(".building.*/*/.model.*")))
        child = int(children(process.pid)[0])
        process.send_signal(ending)
        assert process.wait(20) == (130 if ending == signal.SIGINT else -ending)
        until(lambda: not os.path.exists(f"/proc/{child}"))
    assert len(list(out.glob(".building.*"))) == left and not (out / "base").exists()
    runner.run_jobs([], out, 1, print)
    assert list(out.iterdir()) == []


def children(parent):
    """The processes that it started and that train, not those that count semaphores."""
    found = subprocess.run(["pgrep", "-P", str(parent), "-f", "spawn_main"], capture_output=True, text=True)
    return found.stdout.split()


def until(done, seconds=20):
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_cross_validation_pools_the_folds_beside_the_split(in_process, corpus, tmp_path, capsys):
    text = 'published = { tafvizi-2011-table-b-7 = ["base, 2 folds", "base"] }\n' + SMALL
    config = written(tmp_path, text + "[cross_validation]\nfolds = 2\nseed = 3\n")
    ablated(config, corpus, tmp_path / "out")
    rows = json.loads((tmp_path / "out" / "table.json").read_text())["rows"]
    assert [row["run"] for row in rows] == ["base", "base, 2 folds"]
    folded = rows[1]
    assert folded["recipe"]["documents"] == 24 and len(folded["trainings"]) == 2
    assert "strict F1 sd" in folded["figures"] and "strict F1 sd" not in rows[0]["figures"]
    said = capsys.readouterr().out
    assert "mean (SD) of folds" in said and "10-fold F1" in said
    ablated(config, corpus, tmp_path / "alone", test=False)
    alone = json.loads((tmp_path / "alone" / "table.json").read_text())["rows"]
    assert alone[0]["figures"]["strict F1"] == folded["figures"]["strict F1"]
    assert "not shown, for there is no row base" in capsys.readouterr().out


def test_a_papers_table_of_two_rows_wants_two(corpus, tmp_path, capsys):
    config = written(tmp_path, 'published = "tafvizi-2011-table-b-7"\n' + SMALL)
    assert status([config, corpus / "train", corpus / "test", "--out", tmp_path / "out"]) == 2
    assert "compares two rows; there is 1" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_learning_curve_grows_and_leaves_out_what_the_corpus_has_not(in_process, corpus, tmp_path, capsys):
    config = written(tmp_path, SMALL + "[learning_curve]\ndocuments = [6, 12, 500]\n")
    ablated(config, corpus, tmp_path / "out")
    rows = json.loads((tmp_path / "out" / "table.json").read_text())["rows"]
    assert [row["trainings"][0]["train"]["documents"] for row in rows] == [24, 6, 12]
    assert "left out, for the corpus has no more documents: base, 500 documents" in capsys.readouterr().out


def test_runs_name_other_corpora(in_process, corpus, tmp_path, capsys):
    text = 'published = { tafvizi-2011-table-a-13 = ["there"] }\n' + SMALL
    text += '[[run]]\nname = "both"\ntrain = ["train", "other"]\n'
    text += '[[run]]\nname = "there"\ntrain = "other"\ntest = "other"\n'
    config = written(tmp_path, text)
    arguments = [config, corpus / "train", corpus / "test", "--out", tmp_path / "out"]
    assert status(arguments) == 2
    assert "run both: wants the corpus other: --corpus other=PATH" in capsys.readouterr().err
    assert status([*arguments, "--corpus", "othr=x"]) == 2
    assert "--corpus othr: no run names it; did you mean other?" in capsys.readouterr().err
    ablated(config, corpus, tmp_path / "out", "--corpus", f"other={corpus / 'test'}")
    rows = {row["run"]: row for row in json.loads((tmp_path / "out" / "table.json").read_text())["rows"]}
    assert rows["both"]["trainings"][0]["train"]["documents"] == 40
    said = capsys.readouterr().out
    assert "no fair test, for some of its documents were trained on: both, there" in said
    ours = next(line for line in said.splitlines() if line.startswith("ours:"))
    assert "there; other:" in ours and "train:" not in ours


def test_a_plot_has_room_for_long_names(notes, tmp_path):
    """Matplotlib warns where there is none, and warnings are errors here."""
    found = {title: result(title, notes, tmp_path) for title in ("base", "c1=0.1 " * 12)}
    plot.write_plot(
        list(found.values()), {t: results.compute_scores(r) for t, r in found.items()}, tmp_path, "caption"
    )
    assert (tmp_path / "plot.png").stat().st_size > 1000 and (tmp_path / "plot.svg").exists()


def test_without_matplotlib_there_is_a_line_and_no_plot(in_process, corpus, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("crfdeid.ablate.plot.find_spec", lambda name: None)
    ablated(written(tmp_path, SMALL), corpus, tmp_path / "out")
    said = capsys.readouterr()
    assert "crfdeid[plot]" in said.err and said.err.count("\n") == 1 and "strict F1" in said.out
    assert not list((tmp_path / "out").glob("plot.*"))


def test_a_missing_program_is_told_before_anything_is_trained(corpus, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    text = written(tmp_path, 'features = ["stat_deid"]\npos = "gruut"\n[crf]\nc1 = 0.1\n')
    assert status([text, corpus / "train", corpus / "test", "--out", tmp_path / "out"]) == 2
    assert "link-parser" in capsys.readouterr().err and not (tmp_path / "out").exists()


PAPERS = ("he-2015-", "tafvizi-2011-table-a-", "tafvizi-2011-table-b-")


@pytest.mark.parametrize("name", [name for name in published_tables.list_tables() if name.startswith(PAPERS)])
def test_each_table_of_he_and_tafvizi_finds_our_figures(name, notes, tmp_path):
    table = published_tables.read_table(name)
    found = published_comparison.choose_view(table)(
        [result("official", notes, tmp_path), result("WI-deId", notes, tmp_path)]
    )
    cells = {(row, column) for row in found for column in found[row]}
    if "gain" in table.columns:  # its rows are categories that these notes have not
        assert found["NAME"] == {"gain": 0}
    else:
        assert cells & {(row, column) for row in table.rows for column in table.columns}


def result(title, notes, folder):
    """A row that missed the first document and cut the date of the second short."""
    part = Part("notes", tuple(notes))
    job = jobs.Job(title, folder, Config(("lexical",)), {}, part, part)
    row = jobs.Row(title, Run(title, job.config), (job,))
    doctor, date, age = notes[1].spans
    short = notes[1].with_spans([doctor, dataclasses.replace(date, end=date.end - 1), age])
    sides = (
        [build_scored_document(d, scheme.read_scheme()) for d in side]
        for side in (notes, [notes[0].with_spans([]), short, *notes[2:]])
    )
    found = evaluation.evaluate(*sides, evaluation.EvaluationOptions(scheme.read_scheme(), resamples=0))
    return results.Result(row, found, (Cost(1, 1, 1, 1, 1),))


def test_figures_of_a_papers_table_are_right(notes, tmp_path):
    found = [result("base", notes, tmp_path)]
    types = published_comparison.view_types(found)
    sizes = {"train": 40, "gold": 40, "system": 39, "right": 39}
    assert types["DOCTOR"] == sizes | {"P": 1.0, "R": 39 / 40, "F1": pytest.approx(78 / 79)}
    assert types["NAME"] == types["DOCTOR"]
    assert published_comparison.view_error_kinds(found)["missing"] == {"count": 3, "share": 0.75}
    assert published_comparison.view_margins(found)["AGE"]["missing share"] == 1 / 40
    assert list(published_comparison.view_margins(found)) == ["DOCTOR", "AGE", "DATE", "all"]
    assert published_comparison.view_margins(found)["all"] == {"missing": 3, "spurious": 0}
    assert published_comparison.view_margins(found)["DATE"]["gold"] == 39  # the extent error is left out
    assert published_comparison.view_extents(found)["short"] == {"DATE": 1, "all": 1}


def test_a_category_takes_one_of_its_types_for_another(notes, tmp_path):
    found = result("base", notes, tmp_path)
    gold = Document("n", "Roe", (Span(0, 3, "DOCTOR"),))
    sides = (
        [build_scored_document(d, scheme.read_scheme())]
        for d in (gold, gold.with_spans([Span(0, 3, "PATIENT")]))
    )
    evaluated = evaluation.evaluate(*sides, evaluation.EvaluationOptions(scheme.read_scheme(), resamples=0))
    other = dataclasses.replace(found, evaluation=evaluated)
    assert published_comparison.score_category(other, "NAME") == Counts(1, 0, 0)
    assert published_comparison.view_types([other])["DOCTOR"]["right"] == 0


def test_ablate_runs_from_the_command_line(corpus, tmp_path):
    config = written(tmp_path, SMALL)
    command_line = [sys.executable, "-m", "crfdeid.ablate", config, corpus / "train", corpus / "test"]
    run = subprocess.run([*command_line, "--out", tmp_path / "out", "--resamples", "0"], capture_output=True)
    assert run.returncode == 0 and run.stderr == b"" and b"strict F1" in run.stdout
