"""Jobs in their own processes: failures, signals, and what stays in the folder."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from elsewhere import hold_elsewhere
from experiments import SMALL, build_result, exit_status, run_ablation, write_config

from crfdeid import corpora
from crfdeid.ablate import one_training, plan, runner
from crfdeid.errors import FormatError

pytestmark = pytest.mark.slow


def test_a_run_that_fails_leaves_the_finished_ones(corpus, tmp_path, capsys):
    text = SMALL + '[[run]]\nname = "gone"\nmin_patients = 999\n'
    arguments = [write_config(tmp_path, text), corpus / "train", corpus / "test", "--out", tmp_path / "out"]
    assert exit_status([*arguments, "--jobs", 1]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("crfdeid: run gone: ") and printed.count("\n") == 1
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["base"]


def test_a_list_that_is_not_there_is_refused_before_any_training(corpus, tmp_path, capsys):
    text = SMALL + '[[run]]\nname = "gone"\ntraining_gazetteers = ["DOCTOR+no_such_list"]\n'
    arguments = [write_config(tmp_path, text), corpus / "train", corpus / "test", "--out", tmp_path / "out"]
    assert exit_status([*arguments, "--jobs", 1]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("crfdeid: run gone: no_such_list: ") and printed.count("\n") == 1
    assert not list(tmp_path.glob("out/*"))


def test_types_that_a_run_does_not_have_are_refused_before_any_training(corpus, tmp_path, capsys):
    text = SMALL + '[[run]]\nname = "gone"\nscheme = "meddocan"\n'
    arguments = [write_config(tmp_path, text), corpus / "train", corpus / "test", "--out", tmp_path / "out"]
    assert exit_status([*arguments, "--jobs", 1]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("crfdeid: run gone: ") and printed.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_the_end_of_a_child_is_reported(corpus, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(runner, "run_job", end_process)
    text = write_config(tmp_path, SMALL)
    assert exit_status([text, corpus / "train", corpus / "test", "--out", tmp_path / "out"]) == 2
    assert "run base: its process ended with status 7" in capsys.readouterr().err
    assert list((tmp_path / "out").iterdir()) == []


def end_process(job, building, pipe):
    sys.exit(7)


def test_an_error_inside_a_run_gives_its_type_and_place_but_no_text(notes, tmp_path, monkeypatch):
    def fails(*_):
        raise ValueError("Zanzibarova")

    monkeypatch.setattr("crfdeid.ablate.one_training.train_job", fails)
    messages = []
    pipe = SimpleNamespace(send=messages.append)
    runner.run_job(build_result("base", notes, tmp_path).row.jobs[0], tmp_path / "building", pipe)
    assert len(messages) == 1 and messages[0].startswith("ValueError in test_runner.py, line ")


def test_one_runner_works_in_a_folder_and_removes_what_a_killed_one_left(tmp_path):
    out = tmp_path / "out"
    (out / ".building.dead" / "0" / "model").mkdir(parents=True)
    with hold_elsewhere(out), pytest.raises(FormatError, match="another run writes it"):
        runner.run_jobs([], out, 1, print)
    assert (out / ".building.dead").exists()
    runner.run_jobs([], out, 1, print)
    assert list(out.iterdir()) == [] and list(tmp_path.iterdir()) == [out]


def accept_interrupts():
    """A shell that starts the tests in the background makes all its children ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize(("ending", "left"), [(signal.SIGKILL, 1), (signal.SIGINT, 0)])
def test_what_stops_a_run_ends_its_children_too(corpus, tmp_path, ending, left):
    out = tmp_path / "out"
    config = write_config(tmp_path, SMALL.replace("= 8", "= 100000") + "epsilon = 0.0\ndelta = 0.0\n")
    command_line = [sys.executable, "-m", "crfdeid.ablate", config, corpus / "train", corpus / "test"]
    options = {"stderr": subprocess.PIPE, "preexec_fn": accept_interrupts}
    with subprocess.Popen([*command_line, "--out", out], **options) as process:
        wait_until(
            lambda: list(out.glob(".building.*/*/model/..*")) or list(out.glob(".building.*/*/.model.*"))
        )
        child = int(list_children(process.pid)[0])
        process.send_signal(ending)
        assert process.wait(20) == (130 if ending == signal.SIGINT else -ending)
        wait_until(lambda: not os.path.exists(f"/proc/{child}"))
    assert len(list(out.glob(".building.*"))) == left and not (out / "base").exists()
    runner.run_jobs([], out, 1, print)
    assert list(out.iterdir()) == []


def list_children(parent):
    """The processes that it started and that train, not those that count semaphores."""
    found = subprocess.run(["pgrep", "-P", str(parent), "-f", "spawn_main"], capture_output=True, text=True)
    return found.stdout.split()


def wait_until(done, seconds=20):
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end
        time.sleep(0.05)


FAINT = 'features = ["lexical"]\n[crf]\nc2 = 2.0\nmax_iterations = 3\n'


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_waits_until_a_process_has_begun_which_is_then_ended(monkeypatch, tmp_path, number):
    """Otherwise the process would read a part of its job, and show a traceback."""
    told = []
    process = SimpleNamespace(terminate=lambda: told.append("end"), join=lambda: told.append("wait"))

    def start_job(job, building):
        signal.raise_signal(number)
        told.append("begun")
        return "pipe", runner.Running(job, process)

    monkeypatch.setattr(runner, "start_job", start_job)
    usual = signal.signal(number, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            runner.run_jobs(["job", "another"], tmp_path / "out", 2, lambda job, iteration: None)
    finally:
        signal.signal(number, usual)
    assert told == ["begun", "end", "wait"]


def test_runs_that_differ_in_how_they_tag_train_once(in_process, corpus, tmp_path, monkeypatch):
    """Their spans are those of a training of their own."""
    changes = {
        "more": "recall_bias = 1.5",
        "doctors": "type_bias = { DOCTOR = 0.7 }",
        "wide": "crf.c2 = 3.0\nrecall_bias = 1.5",
        "no repair": "repair = false",
    }
    runs = "".join(f'[[run]]\nname = "{name}"\n{change}\n' for name, change in changes.items())
    trained = []
    train = one_training.model.train

    def record(documents, config, folder, *rest):
        trained.append(folder.parent.name)
        return train(documents, config, folder, *rest)

    monkeypatch.setattr(one_training.model, "train", record)
    out = tmp_path / "out"
    run_ablation(write_config(tmp_path, FAINT + runs), corpus, out)
    assert len(trained) == 2
    models = [path.parent.name for path in sorted(out.glob("*/model"))]
    assert models == ["base", "wide"]
    assert json.loads((out / "more" / "run.json").read_text())["model"] == "base"
    spans = {path.parent.name: path.read_text() for path in out.glob("*/spans.jsonl")}
    assert len(set(spans.values())) > 2
    planned = plan.read_plan(tmp_path / "mine.toml")
    documents = list(corpora.read(corpus / "train"))
    for run in planned.runs:
        tagger = train(documents, run.config, tmp_path / "own" / run.folder)
        one_training.write_spans(tagger.tag_all(corpora.read(corpus / "test")), tmp_path / "own.jsonl")
        assert (tmp_path / "own.jsonl").read_text() == spans[run.folder], run.name


def test_a_model_that_was_deleted_is_trained_again(in_process, corpus, tmp_path):
    config = write_config(tmp_path, SMALL)
    out = tmp_path / "out"
    run_ablation(config, corpus, out)
    shutil.rmtree(out / "base" / "model")
    more = SMALL + '[[run]]\nname = "more"\nrecall_bias = 1.5\n'
    run_ablation(write_config(tmp_path, more), corpus, out)
    assert (out / "more" / "model").is_dir() and not (out / "base" / "model").exists()
    cost = [json.loads((out / name / "run.json").read_text())["cost"] for name in ("base", "more")]
    assert cost[0]["train_cpu_seconds"] != cost[1]["train_cpu_seconds"]


def test_a_run_with_the_model_of_another_costs_its_training(in_process, corpus, tmp_path):
    out = tmp_path / "out"
    run_ablation(write_config(tmp_path, SMALL + '[[run]]\nname = "more"\nrecall_bias = 1.5\n'), corpus, out)
    base, more = (json.loads((out / name / "run.json").read_text())["cost"] for name in ("base", "more"))
    for name in ("train_seconds", "train_cpu_seconds", "model_bytes", "tokens"):
        assert base[name] == more[name] > 0
