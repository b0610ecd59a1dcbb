"""Seeded small changes (mutants) of the code of an area: do the tests of the area see them?

    python -m campaign.mutants rules surrogates --seed 1 --count 30

Each change is one of :mod:`campaign.changes`, drawn from all of the area, in a copy of the package in a
temporary folder. The area's doctests and tests run until one fails, the quickest file first.
Status 1: a change passed all tests and is not in ``equal_mutants.txt``, which lists those that change nothing
for a user.
"""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import hypothesis
import numba
import pandas
import pycrfsuite
import pytest
import regex

from campaign.changes import Change, list_changes
from crfdeid import resources

LOADED = (hypothesis, numba, pandas, pycrfsuite, regex)  # before the tests, which run in forks
SKIPPED = ("numba", "compiled", "__main__")  # loops whose cache does not see a change; command lines
LISTED = Path(__file__).with_name("equal_mutants.txt")
SURROGATES = (  # of the tests of redact, those of surrogates that take little time
    "kept_surrogates what_a_surrogate_is surrogate_edges surrogates surrogate_dates odd_dates repeats "
    "string_search redactor same_doctors policies_in_redact restore"
)


@dataclass(frozen=True)
class Area:
    """The code of an area, and the tests that must see its changes."""

    code: str
    tests: tuple[str, ...]
    without: str = "nothing"


AREAS = {
    "rules": Area("rules", ("tests/rules",)),
    "surrogates": Area(
        "redact/surrogates", tuple(f"tests/redact/test_{name}.py" for name in SURROGATES.split())
    ),
    "release": Area("redact", ("tests/redact",), without="surrogates"),
    "corpora": Area("corpora", ("tests/corpora",)),
    "scoring": Area("evaluate", ("tests/evaluate",)),
    "text": Area("text", ("tests/text",)),
    "engine": Area("engine", ("tests/engine",)),
    "review": Area("review", ("tests/review",)),
}


@dataclass(frozen=True)
class Mutant:
    path: Path  # in the package
    number: int  # of the change in the module
    change: Change

    def __str__(self) -> str:
        return f"{self.path}: {self.change}"


def list_modules(root: Path, area: Area) -> list[Path]:
    """The modules of an area that are changed."""
    paths = (path.relative_to(root) for path in sorted((root / "crfdeid" / area.code).rglob("*.py")))
    return [
        path
        for path in paths
        if not any(word in path.name for word in SKIPPED) and area.without not in path.parts
    ]


def draw_mutants(root: Path, area: Area, seed: int, count: int) -> list[Mutant]:
    """Draw ``count`` of all changes of the area's modules, each once."""
    found = []
    for path in list_modules(root, area):
        tree = ast.parse((root / path).read_text("utf-8"))
        found += [Mutant(path, number, change) for number, change in enumerate(list_changes(tree))]
    return Random(f"{seed} {area.code}").sample(found, min(count, len(found)))


def copy_project(root: Path, copy: Path) -> None:
    """Copy the code with its compiled loops, and the tests; link the rest."""
    copy.mkdir()
    for entry in root.iterdir():
        if entry.name in ("crfdeid", "tests"):
            shutil.copytree(entry, copy / entry.name)
        elif not entry.name.startswith("."):
            (copy / entry.name).symlink_to(entry)


def run_tests(copy: Path, tests: list[str], seconds: float) -> str:
    """Run tests until one fails. Return its name, "time" if they take too long, "" if all pass."""
    output = copy.parent / "output"
    child = multiprocessing.get_context("fork").Process(target=run_inside, args=(copy, tests, output))
    child.start()
    child.join(seconds)
    if child.is_alive():
        os.killpg(child.pid or 0, signal.SIGKILL)
        child.join()
        return "time"
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", output.read_text("utf-8", "replace"), re.MULTILINE)
    return "" if child.exitcode == 0 else failed[1] if failed else "error"


def run_inside(copy: Path, tests: list[str], output: Path) -> None:
    """Run pytest in this process, which has the packages that take long to load and none of the project."""
    os.setsid()
    os.chdir(copy)
    with output.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    for name in [name for name in sys.modules if name.partition(".")[0] in ("crfdeid", "campaign")]:
        del sys.modules[name]
    sys.path[:0] = [str(copy), str(copy / "tests")]
    os.environ["PYTHONPATH"] = str(copy)
    sys.dont_write_bytecode = True
    loaded = ["-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    sys.exit(pytest.main(["-q", "-x", "--tb=no", *loaded, *tests]))


def measure_tests(report: Path) -> Counter[str]:
    """Return the milliseconds of each test file, from pytest's report of a run."""
    found: Counter[str] = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        found[case.attrib["classname"].split(".test_")[-1]] += int(1000 * float(case.attrib["time"]))
    return found


def order_tests(copy: Path, area: Area, path: Path, times: Counter[str]) -> list[str]:
    """Return the module's doctests, the area's tests, the quickest first, and the area's doctests."""
    files = [file for test in area.tests for file in [copy / test, *sorted((copy / test).rglob("test_*.py"))]]
    tests = [str(file.relative_to(copy)) for file in files if file.is_file()]
    tests.sort(key=lambda test: times[Path(test).stem.removeprefix("test_")])
    return [str(path), *tests, f"crfdeid/{area.code}"]


def try_mutant(
    whole: Path, copy: Path, area: Area, mutant: Mutant, times: Counter[str], seconds: float
) -> str:
    """Change one module in a fresh copy of the package, and run the tests."""
    tree = ast.parse((whole / mutant.path).read_text("utf-8"))
    list_changes(tree)[mutant.number].apply()
    shutil.rmtree(copy / "crfdeid")
    shutil.copytree(whole / "crfdeid", copy / "crfdeid")
    (copy / mutant.path).write_text(ast.unparse(ast.fix_missing_locations(tree)), "utf-8")
    return run_tests(copy, order_tests(copy, area, mutant.path, times), seconds)


def read_equal() -> dict[str, str]:
    """The mutants that change nothing, each with the reason."""
    lines = LISTED.read_text("utf-8").splitlines()
    found = (line.rpartition(" # ") for line in lines if not line.startswith("#"))
    return {mutant: reason for mutant, _, reason in found}


def run_area(name: str, seed: int, count: int, whole: Path) -> Counter[str]:
    """Try mutants of an area of the ``whole`` project, and print each."""
    area, equal, tally = AREAS[name], read_equal(), Counter[str]()
    copy, report = whole.with_name("changed"), whole.with_name("report.xml")
    shutil.rmtree(copy, ignore_errors=True)
    copy_project(whole, copy)
    began = time.monotonic()
    if failed := run_tests(copy, [f"--junitxml={report}", *area.tests, f"crfdeid/{area.code}"], 900):
        raise SystemExit(f"{name}: the tests fail without a change: {failed}")
    most, times = 30 + 4 * (time.monotonic() - began), measure_tests(report)
    print(f"{name}: the tests take {(most - 30) / 4:.0f} s", flush=True)
    for mutant in draw_mutants(whole, area, seed, count):
        began, is_equal = time.monotonic(), str(mutant) in equal
        killer = "" if is_equal else try_mutant(whole, copy, area, mutant, times, most)
        outcome = "equal" if is_equal else "killed" if killer else "survived"
        tally[outcome] += 1
        seconds = time.monotonic() - began
        print(f"{outcome:<8} {seconds:3.0f} s line {mutant.change.line} {mutant} {killer}", flush=True)
    return tally


def print_table(found: dict[str, Counter[str]]) -> None:
    print("\narea        mutants  equal  killed  survived  killed of those that change something")
    for name, tally in found.items():
        counted = tally["killed"] + tally["survived"]
        share = f"{tally['killed'] / counted:.1%}" if counted else ""
        numbers = f"{tally.total():>7} {tally['equal']:>6} {tally['killed']:>7} {tally['survived']:>9}"
        print(f"{name:<11} {numbers}  {share}")


def main() -> int:
    about = "Do the tests see small changes of the code?"
    parser = argparse.ArgumentParser(prog="python -m campaign.mutants", description=about)
    choices = ("all", *AREAS)
    listed = ", ".join(choices)
    parser.add_argument("areas", nargs="*", default="all", choices=choices, metavar="AREA", help=listed)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30, help="changes of each area (default: %(default)s)")
    args = parser.parse_args()
    names = list(AREAS) if "all" in args.areas else args.areas
    with tempfile.TemporaryDirectory(prefix="mutants.") as place:
        whole = Path(place).resolve() / "whole"  # of now: the work goes on beside
        copy_project(resources.PACKAGE.parent, whole)
        found = {name: run_area(name, args.seed, args.count, whole) for name in names}
    print_table(found)
    return int(any(tally["survived"] for tally in found.values()))


if __name__ == "__main__":
    sys.exit(main())
