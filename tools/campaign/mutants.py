"""Seeded small changes (mutants) of the code of an area: do the tests of the area see them?

    python -m campaign.mutants rules surrogates --seed 1 --count 30

Each change is one of :mod:`campaign.changes`, drawn from all of the area, in a copy of the package in a
temporary folder. The area's doctests and tests run once without a change, which notes the functions that each
calls (:mod:`campaign.calls`). For a change, the tests that call the changed function run until one fails, and
then those that call its module: first its doctests, then the quickest, a minute of tests at most. For a
constant all tests of the area may follow. A change inside a function is made in a process that has collected
the tests (:mod:`campaign.in_place`), any other in a new one. What only slow tests, kills of processes, a
browser or the tests of another area see counts as survived.
Status 1: a change passed all tests and is not in ``equal_mutants.txt``, which lists those that change nothing
for a user.
"""

from __future__ import annotations

import argparse
import ast
import json
import multiprocessing
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, chain
from pathlib import Path
from random import Random

import hypothesis
import numba
import pandas
import pycrfsuite
import pytest
import regex

from campaign.calls import Calls, Chosen
from campaign.changes import Change, list_changes
from campaign.in_place import InPlace, Task, clear_copy, differs_inside, find_function, list_left
from crfdeid import files

LOADED = (hypothesis, numba, pandas, pycrfsuite, regex)  # before the tests, which run in forks
LONGEST = 60  # seconds of tests for a change, at most
SLOW = ("kills", "killed_runs", "linear_work", "browser")  # tests that do not run
LISTED = Path(__file__).with_name("equal_mutants.txt")
SURROGATES = (  # of the tests of redact, those of surrogates that take little time
    "kept_surrogates what_a_surrogate_is surrogate_edges surrogates surrogate_dates odd_dates repeats "
    "string_search search_clues redactor same_doctors policies_in_redact restore redact_attacks shifts "
    "redact_runs map_entries"
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
    "corpora": Area("corpora", ("tests/corpora", "tests/synthetic/test_reidentify.py")),
    "scoring": Area("evaluate", ("tests/evaluate", "tests/synthetic/test_reidentify.py")),
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
    """The modules of an area that are changed: no command lines, and no compiled loops, whose cache does not
    see a change of what they call."""
    return [
        path.relative_to(root)
        for path in sorted((root / "crfdeid" / area.code).rglob("*.py"))
        if area.without not in path.parts
        and path.name != "__main__.py"
        and "@njit" not in path.read_text("utf-8")
    ]


def draw_mutants(root: Path, area: Area, seed: int, count: int, module: str) -> list[Mutant]:
    """Draw ``count`` of the changes of the area's modules whose path has ``module``, each once."""
    found = []
    for path in list_modules(root, area):
        if module not in str(path):
            continue
        tree = ast.parse((root / path).read_text("utf-8"))
        found += [Mutant(path, number, change) for number, change in enumerate(list_changes(tree))]
    return Random(f"{seed} {area.code}").sample(found, min(count, len(found)))


def copy_project(root: Path, copy: Path) -> None:
    """Copy the code with its compiled loops, and the tests; link the rest, and the data beside it."""
    if (root.parent / "shared").exists() and not (copy.parent / "shared").exists():
        (copy.parent / "shared").symlink_to((root.parent / "shared").resolve())
    copy.mkdir()
    for entry in root.iterdir():
        if entry.name in ("crfdeid", "tests"):
            shutil.copytree(entry, copy / entry.name)
        elif not entry.name.startswith("."):
            (copy / entry.name).symlink_to(entry)


def run_tests(copy: Path, tests: list[str], seconds: float, plugin: object) -> str:
    """Run tests until one fails. Return its name, "time" if they take too long, "" if all pass."""
    clear_copy(copy)
    output = copy.parent / "output"
    child = multiprocessing.get_context("fork").Process(target=run_inside, args=(copy, tests, output, plugin))
    child.start()
    child.join(seconds)
    if child.is_alive():
        os.killpg(child.pid or 0, signal.SIGKILL)
        child.join()
        return "time"
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", output.read_text("utf-8", "replace"), re.MULTILINE)
    passed = child.exitcode in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    return "" if passed else failed[1] if failed else "error"


def run_inside(copy: Path, tests: list[str], output: Path, plugin: object) -> None:
    """Run pytest in this process, which has the packages that take long to load and none of the project."""
    os.setsid()
    os.chdir(copy)
    with output.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    for name in [name for name in sys.modules if name.partition(".")[0] in ("crfdeid", "campaign")]:
        del sys.modules[name]
    sys.path[:0] = [str(copy), str(copy / "tests")]
    os.environ |= {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    sys.dont_write_bytecode = True
    loaded = [
        "-p",
        "no:cacheprovider",
        f"--basetemp={copy.parent / 'tests'}",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
    ]
    sys.exit(pytest.main(["-q", "-x", "--tb=no", *loaded, *tests], [plugin]))


@dataclass(frozen=True)
class Test:
    name: str
    seconds: float  # with its calls noted, which takes longer
    calls: frozenset[str]  # functions, as "module: place"

    @property
    def file(self) -> str:
        return self.name.partition("::")[0]


def list_paths(area: Area) -> list[str]:
    """The tests of an area, as pytest takes them."""
    slow = [f"--ignore-glob=*test_*{name}.py" for name in SLOW]
    return [*slow, *area.tests, f"crfdeid/{area.code}"]


def measure_tests(copy: Path, area: Area) -> tuple[list[Test], set[str]]:
    """Run the tests of an area once, without a change. Return them, and the functions that run at import."""
    report = copy.parent / "calls.json"
    if failed := run_tests(copy, list_paths(area), 1800, Calls(copy, report)):
        raise SystemExit(f"{area.code}: the tests fail without a change: {failed}")
    if left := list_left(copy):
        raise SystemExit(f"{area.code}: the tests leave files where they run: {', '.join(left)}")
    found = json.loads(report.read_text("utf-8"))
    tests = found["tests"].items()
    return [Test(name, seconds, frozenset(calls)) for name, (seconds, calls) in tests], set(found["imported"])


def choose_tests(tests: list[Test], mutant: Mutant, root: Path) -> list[Test]:
    """Return the tests that can see a change, the likely and quick ones first: those that call the function,
    then those that call the module or one that imports it, because another test may have called the function
    before and its result is kept (``functools.cache``). Where no test calls it (a constant, or what runs at
    import), the other tests follow: what a module builds may work without it."""
    module, place = str(mutant.path), f"{mutant.path}: {mutant.change.place}"
    users = {module, *list_users(root, mutant.path)}
    near = {test.name for test in tests if any(call.partition(":")[0] in users for call in test.calls)}
    is_called = any(place in test.calls for test in tests)
    chosen = [test for test in tests if test.name in near or not is_called]
    chosen.sort(
        key=lambda test: (
            place not in test.calls, test.name not in near, test.file != module, test.seconds,
        )
    )  # fmt: skip
    ends = accumulate(test.seconds for test in chosen)
    return [test for test, end in zip(chosen, ends) if end < LONGEST]


def list_users(root: Path, module: Path) -> list[str]:
    """The modules that import a module."""
    package, name = ".".join(module.parent.parts), module.stem
    imported = re.compile(rf"from {package} import [^\n]*\b{name}\b|{package}\.{name}\b")
    paths = (root / "crfdeid").rglob("*.py")
    return [str(path.relative_to(root)) for path in paths if imported.search(path.read_text("utf-8"))]


def change_code(whole: Path, mutant: Mutant) -> tuple[str, str]:
    """Return the changed code of the module, and the function whose code alone differs, "" if more does."""
    tree = ast.parse((whole / mutant.path).read_text("utf-8"))
    before = find_function(ast.parse(ast.unparse(tree)), mutant.change.place)
    list_changes(tree)[mutant.number].apply()
    code = ast.unparse(ast.fix_missing_locations(tree))
    after = find_function(ast.parse(code), mutant.change.place)
    is_inside = before and after and differs_inside(before[1], after[1])
    return code, after[0] if after and is_inside else ""


def make_task(whole: Path, tests: list[Test], imported: set[str], mutant: Mutant) -> Task:
    code, place = change_code(whole, mutant)
    if f"{mutant.path}: {place}" in imported:
        place = ""  # what it gave to the modules is of the time before
    chosen = choose_tests(tests, mutant, whole)
    seconds = 20 + 4 * sum(test.seconds for test in chosen)
    return Task(mutant.path, place, code, [test.name for test in chosen], seconds)


def try_in_place(copy: Path, area: Area, tasks: list[Task]) -> Iterator[str]:
    """Try changes of functions, all in one process that has collected the tests of the area."""
    answers, told = multiprocessing.get_context("fork").Pipe(duplex=False)
    output = copy.parent / "output"
    plugin = InPlace(copy, tasks, told)
    child = multiprocessing.get_context("fork").Process(
        target=run_inside, args=(copy, list_paths(area), output, plugin)
    )
    child.start()
    told.close()
    for _ in tasks:
        yield answers.recv()
    child.join()


def try_anew(copy: Path, task: Task) -> str:
    """Change a module of the copy, run the tests in a process that loads it anew, and change it back."""
    original = (copy / task.path).read_bytes()
    (copy / task.path).write_text(task.code, "utf-8")
    files = list(dict.fromkeys(test.partition("::")[0] for test in task.tests))
    failed = run_tests(copy, files, task.seconds + 40, Chosen(task.tests))
    (copy / task.path).write_bytes(original)
    return failed


def read_equal() -> dict[str, str]:
    """The mutants that change nothing, each with the reason."""
    lines = LISTED.read_text("utf-8").splitlines()
    found = (line.rpartition(" # ") for line in lines if not line.startswith("#"))
    return {mutant: reason for mutant, _, reason in found}


def run_area(name: str, whole: Path, seed: int, count: int, module: str) -> Counter[str]:
    """Try mutants of an area of the ``whole`` project, and print each."""
    area, equal, tally = AREAS[name], read_equal(), Counter[str]()
    copy = whole.with_name("changed")
    shutil.rmtree(copy, ignore_errors=True)
    copy_project(whole, copy)
    tests, imported = measure_tests(copy, area)
    print(f"{name}: {len(tests)} tests take {sum(test.seconds for test in tests):.0f} s", flush=True)
    in_place: list[tuple[Mutant, Task]] = []
    anew: list[tuple[Mutant, Task]] = []
    for mutant in draw_mutants(whole, area, seed, count, module):
        if str(mutant) in equal:
            tally["equal"] += 1
            continue
        task = make_task(whole, tests, imported, mutant)
        (in_place if task.place else anew).append((mutant, task))
    control = Task(
        Path("crfdeid/tag/run.py"),
        "",
        (copy / "crfdeid/tag/run.py").read_text(),
        [t.name for t in tests],
        1800,
    )
    answers = try_in_place(copy, area, [control, *(task for _, task in in_place)])
    if failed := next(answers):
        raise SystemExit(f"{name}: a test fails without a change when it runs again: {failed}")
    answers = chain(answers, (try_anew(copy, task) for _, task in anew))
    for mutant, _ in in_place + anew:
        began, killer = time.monotonic(), next(answers)
        outcome = "killed" if killer else "survived"
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
    parser.add_argument(
        "--module", default="", help="only in modules whose path has this: evaluate/report.py"
    )
    args = parser.parse_args()
    names = list(AREAS) if "all" in args.areas else args.areas
    with tempfile.TemporaryDirectory(prefix="mutants.") as place:
        whole = Path(place).resolve() / "whole"  # of now: the work goes on beside
        copy_project(files.PACKAGE.parent, whole)
        found = {name: run_area(name, whole, args.seed, args.count, args.module) for name in names}
    print_table(found)
    return int(any(tally["survived"] for tally in found.values()))


if __name__ == "__main__":
    sys.exit(main())
