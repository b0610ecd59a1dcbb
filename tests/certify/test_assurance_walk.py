"""The walk of docs/assurance.md from a fresh folder: each command as it is printed, and what it prints.

A new model finds and misses other spans, so figures that come from tagging are compared as figures.
"""

import re
import shlex
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from crfdeid import __main__

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "assurance.md"
FIGURE = re.compile(r"\b[0-9a-f]{12,}\b|\d[\d,.]*%?|(?<= )-(?= |$)")
REST = "…"  # more lines like the one before


def list_steps():
    """The commands of the walk in order, each with the lines that it prints."""
    walk = PAGE.read_text(encoding="utf-8").split("### A walk from plan to statement")[1].split("\n### ")[0]
    steps = []
    for block in re.findall(r"```\n(.*?)```", walk, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
    return steps


def run(command, folder):
    """Run a command of the page in this process; return what it prints."""
    program, *words = shlex.split(command)
    assert program == "crfdeid"
    with chdir(folder), redirect_stdout(StringIO()) as printed:
        __main__.main(words)
    return printed.getvalue()


def hide_figures(line):
    return " ".join(FIGURE.sub("0", line.replace("not shown", "shown")).split())


def match_lines(wanted, printed):
    """Whether the lines have the same words; rows of a table can be others up to the next empty line."""
    if not wanted:
        return not printed
    if wanted[0] == REST:
        return any(match_lines(wanted[1:], printed[at:]) for at in range(len(printed) + 1))
    return bool(printed) and wanted[0] == printed[0] and match_lines(wanted[1:], printed[1:])


@pytest.fixture(scope="module")
def walked(models_once, tmp_path_factory):
    folder = tmp_path_factory.mktemp("walk")
    return folder, [(command, wanted, run(command, folder)) for command, wanted in list_steps()]


def test_the_walk_goes_from_plan_to_statement(walked):
    verbs = [re.match(r"crfdeid (\w+(?: (?:plan|draw|rehearse|state))?)", step[0])[1] for step in walked[1]]
    assert verbs == [
        "certify plan",
        "synthetic",
        "redact",
        "certify draw",
        *["certify rehearse"] * 2,
        "certify state",
    ]
    assert (walked[0] / "statement.html").is_file() and (walked[0] / "statement.json").is_file()


def test_the_plan_is_printed_word_for_word(walked):
    _, wanted, printed = walked[1][0]
    assert wanted == printed.rstrip("\n").splitlines()


def test_every_command_prints_what_the_page_shows(walked):
    for command, wanted, printed in walked[1]:
        if not wanted:
            continue
        rows = wanted.index(REST) if REST in wanted else len(wanted)
        head = next((at for at, line in enumerate(wanted) if line.startswith("By type")), rows)
        # the rows by type that the page shows are examples: all of them are "more lines"
        shown = [*wanted[: head + 2], *wanted[rows:]] if REST in wanted else wanted
        lines = printed.rstrip("\n").splitlines()
        assert match_lines(list(map(hide_figures, shown)), list(map(hide_figures, lines))), command


def test_the_same_store_gives_the_page_s_statement_again(walked):
    folder, steps = walked
    again = run("crfdeid certify state study.json clean.jsonl", folder)
    assert again == steps[-1][2]
    assert "crfdeid certify state study.json clean.jsonl`" in PAGE.read_text(encoding="utf-8")
