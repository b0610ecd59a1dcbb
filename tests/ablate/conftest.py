"""A small corpus in two parts, a finished experiment, and training without new processes."""

import pytest
from experiments import SMALL, run_ablation, write_config

from crfdeid import corpora
from crfdeid.ablate import runner


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
    config = write_config(folder, text)
    run_ablation(config, corpus, folder / "out")
    return folder


@pytest.fixture
def in_process(monkeypatch):
    """Train in this process: a new process takes a second to start."""

    class Pipe:
        def send(self, message):
            assert message == runner.DONE or isinstance(message, int), message

    def run(jobs, folder, at_once, on_iteration):
        for number, job in enumerate(jobs):
            runner.run_job(job, folder / f".{number}", Pipe())

    monkeypatch.setattr(runner, "run_jobs", run)
