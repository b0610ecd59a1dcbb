"""Large inputs: time and memory grow with the size, and nothing more."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

from campaign.area import Area
from campaign.wild_text import list_notes

# The greater size is LARGE times the smaller one; CAMPAIGN_LARGE=1 takes the sizes of docs/reliability.md.
LARGE = 4
UNITS = 40 if os.environ.get("CAMPAIGN_LARGE") else 1
CODE = (
    "import resource, sys; from crfdeid import {module}; {module}.main(sys.argv[1:]); "
    "u = resource.getrusage(resource.RUSAGE_SELF); "
    "print(u.ru_utime + u.ru_stime, u.ru_maxrss, file=sys.stderr)"
)


def write_line(path: Path, size: int) -> None:
    """One line of ``size`` quarters of a megabyte."""
    words = " ".join(note.text.replace("\n", " ") for note in list_notes())
    path.write_text((words * (size * 250_000 // len(words) + 1))[: size * 250_000], "utf-8")


def write_note(path: Path, size: int) -> None:
    """One note of ``size`` half megabytes."""
    text = "\n".join(note.text for note in list_notes())
    path.write_text(text * (size * 500_000 // len(text) + 1), "utf-8")


def write_empty_notes(path: Path, size: int) -> None:
    """``size`` times 6,000 empty notes."""
    path.write_text("".join(f'{{"id": "{n}", "text": ""}}\n' for n in range(6000 * size)))


def write_files(path: Path, size: int) -> None:
    """``size`` times 600 files."""
    path.mkdir()
    for number in range(600 * size):
        (path / f"{number}.txt").write_text("Mr. Ruiz came on 3/4/2061.\n")


CASES: dict[str, tuple[Callable[[Path, int], None], str]] = {
    "a line": (write_line, "line.txt"), "a note": (write_note, "note.txt"),
    "empty notes": (write_empty_notes, "empty.jsonl"), "files": (write_files, "files"),
}  # fmt: skip
VERBS = {
    "tag": ("tag", ("--model", "english+rules", "--out", "out.jsonl")),
    "convert": ("convert", ("out.jsonl", "--to", "jsonl")),
}


def run(draw: Random, place: Path) -> str:
    name, verb = draw.choice(sorted(CASES)), draw.choice(sorted(VERBS))
    figures = []
    for size in (UNITS, LARGE * UNITS):
        folder = place / str(size)
        folder.mkdir()
        write, file = CASES[name]
        write(folder / file, size)
        figures.append(measure(verb, file, folder))
    (seconds, memory), (more_seconds, more_memory) = figures
    # what a run costs before the first note is in both, so that a ratio above the sizes' is a real growth
    assert more_seconds <= 1.6 * LARGE * seconds, f"{verb} {name}: {seconds:.1f} s and {more_seconds:.1f} s"
    assert more_memory <= 1.6 * LARGE * memory, f"{verb} {name}: {memory:.0f} and {more_memory:.0f} MB"
    return f"{verb} {name} ({more_seconds:.0f} s, {more_memory:.0f} MB)"


def measure(verb: str, file: str, folder: Path) -> tuple[float, float]:
    """Processor seconds and megabytes of one run."""
    module, options = VERBS[verb]
    command = [sys.executable, "-c", CODE.format(module=module), file, *options]
    found = subprocess.run(command, cwd=folder, capture_output=True, check=True)
    seconds, kilobytes = found.stderr.split()[-2:]
    return float(seconds), int(kilobytes) / 1024


AREA = Area("large", 1, run)
