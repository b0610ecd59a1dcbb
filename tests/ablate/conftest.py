"""A small corpus in two parts and a finished experiment."""

import pytest
from experiments import SMALL, run_ablation, write_config

from crfdeid import corpora


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
