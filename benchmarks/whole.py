"""The commands that a person waits for, as whole processes, beside one another in one run.

    python benchmarks/whole.py [--documents 800] [--data FILE] [--rounds 3] [--slow 100] [--only WAY ...]

``crfdeid synthetic`` writes the notes; with --data they are the first ones of that file. Each way is one
process, from its start to its end:

    numpy          python -c "import numpy": what a start is compared with
    help           crfdeid --help
    note           tag of one short note
    crfsuite       tag --engine crfsuite, of the first --slow notes: what speed is compared with
    tag, tag-2     tag into one file; the same with --jobs 2
    redact, redact-2    redact into a folder, the same with --jobs 2
    train          train on the notes, ten iterations (only where --only names it)

Shown are the medians of the rounds: seconds that pass, seconds of the processor in all processes of the
way (other work on the machine changes them less), tokens per second of both, and the memory of the largest
process. A ratio compares the processor time of two ways in the same round. Only two processes and one are
compared by the time that passes, and two processes that only count are shown beside them (:mod:`beside`). The
outputs of one process and of two are compared. ``crfdeid warm`` compiles before what the first way of a
machine would compile.
"""

from __future__ import annotations

import argparse
import compileall
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from typing import NamedTuple

from beside import count_beside

from crfdeid import corpora, synthetic
from crfdeid.text.tokenizer import fine

NOTE = Path(__file__).parents[1] / "docs" / "note.txt"
SCRIPT = [sys.executable, "-c", "from crfdeid.__main__ import run; run()"]  # as the console script does
INSTALLED = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # pip writes byte code when it installs a package
JOBS = {"tag": "tag-2", "redact": "redact-2"}
GOALS = {  # of the ratios
    "help": "at most 2", "note": "at most 5", "redact": "at least 10", "tag-2": "at least 1.85",
    "redact-2": "at least 1.85",
}  # fmt: skip
WAYS = ("numpy", "help", "note", "crfsuite", "tag", "tag-2", "redact", "redact-2", "train")
ALWAYS = WAYS[:-1]


class Run(NamedTuple):
    """Seconds that passed, seconds of the processor, and MB of memory of one process with its children."""

    passed: float
    cpu: float
    memory: float


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=int, default=800)
    parser.add_argument("--data", type=Path, help="notes, in place of generated ones")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slow", type=int, default=100, help="notes that crfsuite tags")
    parser.add_argument("--only", nargs="+", choices=WAYS, metavar="WAY", default=list(ALWAYS))
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        tokens = write_notes(Path(place), args)
        load = os.getloadavg()[0]
        print(f"{args.documents:,} notes, {tokens['all']:,} tokens; load of the machine {load:.1f}")
        runs, given = measure(list_commands(Path(place)), args.only, args.rounds)
        print_table(runs, tokens)
        print_ratios(runs, tokens, given)
        compare_outputs(Path(place), runs)


def write_notes(place: Path, args: argparse.Namespace) -> dict[str, int]:
    """Write the notes, the first of them, and those with spans; return how many tokens they have."""
    read = corpora.read(args.data) if args.data else synthetic.generate(args.documents, seed=7)
    notes = list(islice(read, args.documents))
    tokens = {"all": notes, "few": notes[: args.slow]}
    for name, some in tokens.items():
        corpora.write((note.with_spans(()) for note in some), place / f"{name}.jsonl", "jsonl")
    if any(note.spans for note in notes):
        corpora.write(notes, place / "gold.jsonl", "jsonl")
    return {name: sum(len(fine(note.text)) for note in some) for name, some in tokens.items()}


def list_commands(place: Path) -> dict[str, list[str]]:
    """The command of each way; its output is named as the way is."""
    notes, few = str(place / "all.jsonl"), str(place / "few.jsonl")
    two = ["--jobs", "2"]
    tag = [*SCRIPT, "tag", "--overwrite", "--out"]
    redact = [*SCRIPT, "redact", notes, "--seed", "1", "--out"]
    return {
        "numpy": [sys.executable, "-c", "import numpy"],
        "help": [*SCRIPT, "--help"],
        "note": [*SCRIPT, "tag", str(NOTE)],
        "crfsuite": [*tag, str(place / "few.csv"), few, "--engine", "crfsuite"],
        "tag": [*tag, str(place / "tag.csv"), notes],
        "tag-2": [*tag, str(place / "tag-2.csv"), notes, *two],
        "redact": [*redact, str(place / "redact")],
        "redact-2": [*redact, str(place / "redact-2"), *two],
        "train": [*SCRIPT, "train", str(place / "gold.jsonl"), "--out", str(place / "model"), "--overwrite",
                  "--set", "crf.max_iterations=10"],
    }  # fmt: skip


def measure(
    commands: dict[str, list[str]], only: Sequence[str], rounds: int
) -> tuple[dict[str, list[Run]], list[float]]:
    """Run each way in each round, with byte code as an installation has it, after one start that does not
    count. Return the runs, and how many times one two processes are that only count."""
    compileall.compile_dir(Path(corpora.__file__).parents[1], quiet=1)
    run_process(commands["note"])
    ways: dict[str, Callable[[], Run]] = {name: partial(run_process, commands[name]) for name in only}
    runs: dict[str, list[Run]] = {name: [] for name in ways}
    given = []
    for _ in range(rounds):
        for name, way in ways.items():
            runs[name].append(way())
        if set(only) & set(JOBS.values()):
            given.append(2 * count_beside(1) / count_beside(2))
    return runs, given


def run_process(command: list[str]) -> Run:
    """Run a command; a folder that it writes is empty before."""
    for folder in (word for word in command if Path(word).is_dir() and "redact" in Path(word).name):
        shutil.rmtree(folder)
    began = time.perf_counter()
    with subprocess.Popen(
        command, env=INSTALLED, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as running:
        assert running.stderr
        said = running.stderr.read()  # until the process ends
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise SystemExit(said.decode())
    return Run(time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def print_table(runs: dict[str, list[Run]], tokens: dict[str, int]) -> None:
    print(f"{'':10} {'seconds':>8} {'CPU s':>8} {'tokens/s':>10} {'a CPU s':>10} {'MB':>6}")
    for name, own in runs.items():
        passed, cpu, memory = (median(values) for values in zip(*own))
        count = count_tokens(name, tokens)
        speeds = f"{count / passed:10,.0f} {count / cpu:10,.0f}" if count else f"{'':10} {'':10}"
        print(f"{name:10} {passed:8.2f} {cpu:8.2f} {speeds} {memory:6,.0f}")


def count_tokens(name: str, tokens: dict[str, int]) -> int:
    """The tokens that a way goes through; 0 where it only starts."""
    return 0 if name in ("numpy", "help", "note") else tokens["few" if name == "crfsuite" else "all"]


def print_ratios(runs: dict[str, list[Run]], tokens: dict[str, int], given: Sequence[float]) -> None:
    """Print each ratio of a way to the one it is compared with, with its goal."""
    for name in ("help", "note"):
        if name in runs and "numpy" in runs:
            print_ratio(name, [a.cpu / b.cpu for a, b in zip(runs[name], runs["numpy"])], "import numpy")
    for name in ("tag", "redact"):
        if name in runs and "crfsuite" in runs:
            share = tokens["all"] / tokens["few"]
            pairs = zip(runs["crfsuite"], runs[name])
            print_ratio(name, [share * a.cpu / b.cpu for a, b in pairs], "the speed of crfsuite")
    for name, more in JOBS.items():
        if name in runs and more in runs:
            print_ratio(
                more, [a.passed / b.passed for a, b in zip(runs[name], runs[more])], f"as fast as {name}"
            )
    if given:
        print(f"two processes that only count: {show(given)} times as fast as one")


def print_ratio(name: str, values: Sequence[float], to: str) -> None:
    goal = f"; goal: {GOALS[name]}" if name in GOALS else ""
    print(f"{name}: {show(values)} times {to}{goal}")


def show(values: Sequence[float]) -> str:
    """The median of some values, with the least and the most."""
    return f"{median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def compare_outputs(place: Path, runs: dict[str, list[Run]]) -> None:
    """Say whether two processes write what one writes."""
    for name, more in JOBS.items():
        if name in runs and more in runs:
            suffix = ".csv" if name == "tag" else ""
            one, two = (read_output(place / f"{each}{suffix}") for each in (name, more))
            print(f"{more}: the outputs {'are equal' if one == two else 'DIFFER'}")


def read_output(path: Path) -> dict[str, bytes]:
    """The bytes of a file, or of the notes of a folder, by name."""
    paths = [path] if path.is_file() else sorted(path.rglob("*.txt"))
    return {each.name if path.is_dir() else "": each.read_bytes() for each in paths}


if __name__ == "__main__":
    main()
