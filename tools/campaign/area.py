"""What an area of the campaign is: a function that runs one seeded case, and a share of the time."""

from __future__ import annotations

import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

SILENCE = 60  # seconds between two lines of progress


@dataclass(frozen=True)
class Area:
    """``run(draw, place)`` runs one case in an empty folder and returns its outcome in a word or two, or
    counts of outcomes; any exception is a failure. The folder is named after the number of the case.
    ``share`` is its part of the time; an area with 0 runs only when it is named. A case that takes longer
    than ``longest`` seconds hangs."""

    name: str
    share: float
    run: Callable[[Random, Path], str | Counter[str]]
    longest: int = 300


@dataclass
class Tally:
    """What an area has found."""

    name: str
    cases: int = 0
    seconds: float = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[int, str]] = field(default_factory=list)


class Hang(Exception):
    """A case takes too long."""


def stop_case(number: int, frame: object) -> None:
    raise Hang


def run_area(area: Area, seed: int, seconds: float, cases: int | None, first: int, place: Path) -> Tally:
    """Run cases from ``first`` on until the time or their number is reached; at least one."""
    tally, began = Tally(area.name), time.monotonic()
    last = began
    while not tally.cases or (time.monotonic() - began < seconds and tally.cases != cases):
        number = first + tally.cases
        try:
            outcome = run_case(area, seed, number, place)
            tally.outcomes.update(outcome if isinstance(outcome, Counter) else [outcome])
        except Exception as error:
            tally.failures.append((number, describe(error)))
            print(f"{area.name}: case {number}: {describe(error)}", file=sys.stderr, flush=True)
        tally.cases += 1
        if time.monotonic() - last > SILENCE:
            last = time.monotonic()
            print(f"{area.name}: {tally.cases} cases after {last - began:.0f} s", file=sys.stderr, flush=True)
    tally.seconds = time.monotonic() - began
    print(f"{area.name}: {tally.cases} cases, {len(tally.failures)} failures", file=sys.stderr)
    return tally


def run_case(area: Area, seed: int, number: int, place: Path) -> str | Counter[str]:
    """Run one case in a folder of its own."""
    folder = place / f"{area.name}-{number}"
    folder.mkdir()
    signal.signal(signal.SIGALRM, stop_case)
    signal.alarm(area.longest)
    try:
        return area.run(Random(f"{seed} {area.name} {number}"), folder)
    finally:
        signal.alarm(0)
        remove(folder)


def find_number(place: Path) -> int:
    """Return the number of the case whose folder it is, for an area that tries a table in turn."""
    return int(place.name.rpartition("-")[2])


def remove(folder: Path) -> None:
    import shutil

    for path in [folder, *folder.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def describe(error: Exception) -> str:
    """Return an error in one line: the campaign's notes are invented, so that it may be quoted."""
    places = [f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)[-3:]]
    message = " ".join(ascii(error).split())
    return f"{message[:300]} at {', '.join(places)}"
