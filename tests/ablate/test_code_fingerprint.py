"""The fingerprint of a run sees the files and the code that a training uses."""

import os
import shutil
import subprocess
import sys

import pytest

from crfdeid import files
from crfdeid.ablate import jobs
from crfdeid.config import Config


def test_the_fingerprint_is_of_the_lists_and_of_all_that_ships_where_a_system_may_read_it():
    named = jobs.hash_files(Config(("lexical", "dictionary")))
    assert {"lexical.template", "dictionary.template", "countries.txt", "i2b2-2014.toml"} <= set(named)
    assert "us_cities.exclude.txt" in named and "surnames.txt" not in named
    assert {"surnames.txt", "english.toml"} <= set(jobs.hash_files(Config(("lexical",), system="svm")))


def test_the_fingerprint_is_of_the_vectors_and_the_text_of_a_network(tmp_path):
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "1.txt").write_text("The pump.\n", encoding="utf-8")
    (tmp_path / "glove.txt").write_text("the 1\n", encoding="utf-8")
    options = {"vectors": str(tmp_path / "glove.txt"), "text": str(tmp_path / "text")}
    before = jobs.hash_files(Config(system="rnn", options=options))
    assert {options["vectors"], str(tmp_path / "text" / "1.txt")} <= set(before)
    (tmp_path / "glove.txt").write_text("the 2\n", encoding="utf-8")
    assert jobs.hash_files(Config(system="rnn", options=options)) != before


@pytest.mark.slow
def test_the_fingerprint_is_of_the_code_that_trains():
    own, other = (set(jobs.hash_modules(system)) for system in ("crf", "svm"))
    assert {
        "crfdeid.engine.training.train",
        "crfdeid.feature_extraction.token",
        "crfdeid.feature_extraction.rule_matches",
        "crfdeid.feature_extraction.part_of_speech",
    } <= own
    assert (
        not {
            "crfdeid.systems.works.svm",
            "crfdeid.evaluate.scores",
            "crfdeid.evaluate.__main__",
            "crfdeid.review",
        }
        & own
    )
    assert own | {"crfdeid.systems.works.svm", "crfdeid.systems.works.linear"} <= other


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


@pytest.mark.slow
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
    paths = [str(files.PACKAGE.parent), *sys.path]
    run = subprocess.run(
        command_line, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    )
    assert run.returncode == 0, run.stderr
    assert set(run.stdout.split()) - set(jobs.hash_modules(system)) == set()


def test_the_code_of_a_package_around_a_module_counts_too():
    assert "crfdeid.engine.training" in jobs.hash_modules("crf")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "differs"),
    [
        ("feature_extraction/token.py", True),
        ("systems/__init__.py", True),
        ("evaluate/scores.py", False),
        ("redact/redactor.py", False),
    ],
)
def test_a_line_of_code_makes_a_finished_run_out_of_date(tmp_path, monkeypatch, changed, differs):
    before = jobs.hash_modules("crf")
    shutil.copytree(files.PACKAGE, tmp_path / "crfdeid", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "crfdeid" / changed).open("a") as file:
        file.write("# another line\n")
    monkeypatch.setattr(files, "PACKAGE", tmp_path / "crfdeid")
    assert (jobs.hash_modules.__wrapped__("crf") != before) == differs
