"""Each command of docs/works.md runs as it is printed, on 12 notes, and prints the table of its paper."""

import re
import runpy
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from small_notes import SMALL, note

from crfdeid import __main__, corpora
from crfdeid.ablate.plan import read_plan
from crfdeid.evaluate import published_tables
from crfdeid.systems import model

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "works.md").read_text(encoding="utf-8")
NUMBER = 12
# Fewer iterations, resamples and folds: what a command prints stays the same.
QUICK_ABLATE = ["--set", "crf.max_iterations=2", "--resamples", "0", "--jobs", "1"]
QUICK = {
    "benchmarks/rnn.py": ["--documents", "12", "--test", "6", "--epochs", "1", "--resamples", "10"],
    "benchmarks/sibanda.py": ["--kinds=ambiguous", "--documents", "12", "--folds", "2", "--iterations", "2"],
    "benchmarks/review_study.py": ["--notes", "12"],
}
NOT_RUN = {"crfdeid review": "serves until it is stopped; tests/review and docs/review.md run it"}
NETWORKS = {"shweta_table4", "shweta_table5", "benchmarks/rnn.py"}
PHYSIONET = "START_OF_RECORD=1||||1||||\nDr. Ruiz on 3/4.\n||||END_OF_RECORD\n"


def list_commands():
    """Return the commands of the page, each once: what is written as code and begins as a command."""
    spans = re.findall(r"`([^`]+)`", PAGE.split("\n## Run on ")[0])
    commands = [s for s in spans if re.match(r"A \w|crfdeid |python ", s) and "CONFIG" not in s]
    return list(dict.fromkeys(commands))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The corpora and the model that the commands name."""
    folder = tmp_path_factory.mktemp("works")
    notes = [note(number) for number in range(2 * NUMBER)]
    for name, some in (("TRAIN", notes[:NUMBER]), ("TEST", notes[NUMBER:])):
        corpora.write(some, folder / name, "i2b2")
    for name in ("CORPUS", "TEXTS", "NOTES", "PATH", "GOLD", "SYSTEM"):  # reidentify writes into corpora/
        shutil.copytree(folder / "TRAIN", folder / name)
    model.train(notes[:NUMBER], SMALL, folder / "MODEL")
    (folder / "id.text").write_text(PHYSIONET)
    return folder


def read_words(command):
    """Return the verb or script, and its arguments, with ``A`` written out."""
    words = shlex.split(command)
    if words[0] == "A":
        return "ablate", [words[1], "TRAIN", "TEST", "--out", f"runs/{words[1]}", *words[2:], *QUICK_ABLATE]
    if words[0] == "crfdeid":
        return words[1], words[2:] + (QUICK_ABLATE if words[1] == "ablate" else [])
    return words[1], words[2:] + QUICK[words[1]]


def has_shape(table, text):
    """Whether a text has the table: its title, each row and each column, beside ours."""
    paper = published_tables.read_table(table)
    block = text.split(f"{paper.title} ({paper.paper}, {paper.table})")[1].split("\npaper: ")[1]
    heads = [line for line in block.splitlines() if line.startswith("  ")]
    columns = " ".join(heads)
    return (
        "\nours: " in block
        and all(re.search(rf"^{re.escape(row)}  ", block, re.MULTILINE) for row in paper.rows)
        and all(column in columns for column in paper.columns)
    )


@pytest.mark.parametrize("command", NOT_RUN)
def test_a_command_that_is_not_run_is_on_the_page(command):
    assert command in list_commands()


@pytest.mark.slow
@pytest.mark.parametrize("command", [each for each in list_commands() if each not in NOT_RUN])
def test_a_command_of_the_page_runs_on_twelve_notes(command, folder, in_process, monkeypatch, capsys):
    pytest.importorskip("gruut_lang_en", reason="pip install 'crfdeid[works]'")
    name, words = read_words(command)
    if NETWORKS & {name, *words[:1]}:
        pytest.importorskip("torch", reason="pip install 'crfdeid[rnn]'")
    if words[:1] and words[0].startswith("tafvizi_") and not shutil.which("link-parser"):
        pytest.skip("needs the program link-parser")
    monkeypatch.chdir(folder)
    if name == "evaluate" and "tagged/" in words and not Path("tagged").exists():  # as novels/
        __main__.main(shlex.split(next(c for c in list_commands() if c.endswith("--out tagged/")))[1:])
        capsys.readouterr()
    if "novels/" in words:  # two commands, which can run in two processes
        shutil.rmtree("novels", ignore_errors=True)
        if name == "evaluate":
            shutil.copytree("SYSTEM", "novels")
    if name.endswith(".py"):
        monkeypatch.setattr(sys, "argv", [name, *words])
        monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
        runpy.run_path(str(ROOT / name), run_name="__main__")
    else:
        __main__.main([name, *words])
    said = capsys.readouterr().out
    assert (said.strip() or name == "tag") and "not shown" not in said
    tables = re.findall(r"--published (\S+)", command)
    if name == "ablate":
        planned = read_plan(words[0])
        tables = tables or list(planned.published)
        assert all(re.search(rf"^{re.escape(run.name)}", said, re.MULTILINE) for run in planned.runs)
    assert [table for table in tables if not has_shape(table, said)] == []
