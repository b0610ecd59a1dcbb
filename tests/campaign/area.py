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

LONGEST = 300  # seconds of a case; a longer one hangs


@dataclass(frozen=True)
class Area:
    """``run(draw, place)`` runs one case in an empty folder and returns its outcome in a word or two; any
    exception is a failure. ``share`` is its part of the time; an area with 0 runs only when it is named."""

    name: str
    share: float
    run: Callable[[Random, Path], str]


@dataclass
class Tally:
    """What an area has found."""

    name: str
    cases: int = 0
    seconds: float = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[int, str]] = field(default_factory=list)


class Hang(Exception):
    """A case takes longer than :data:`LONGEST`."""


def stop_case(number: int, frame: object) -> None:
    raise Hang


def run_area(area: Area, seed: int, seconds: float, place: Path) -> Tally:
    """Run cases until the time is over; at least one."""
    tally, began = Tally(area.name), time.monotonic()
    while not tally.cases or time.monotonic() - began < seconds:
        try:
            tally.outcomes[run_case(area, seed, tally.cases, place)] += 1
        except Exception as error:
            tally.failures.append((tally.cases, describe(error)))
            print(f"{area.name}: case {tally.cases}: {describe(error)}", file=sys.stderr, flush=True)
        tally.cases += 1
    tally.seconds = time.monotonic() - began
    print(f"{area.name}: {tally.cases} cases, {len(tally.failures)} failures", file=sys.stderr)
    return tally


def run_case(area: Area, seed: int, number: int, place: Path) -> str:
    """Run one case in a folder of its own."""
    folder = place / f"{area.name}-{number}"
    folder.mkdir()
    signal.signal(signal.SIGALRM, stop_case)
    signal.alarm(LONGEST)
    try:
        return area.run(Random(f"{seed} {area.name} {number}"), folder)
    finally:
        signal.alarm(0)
        remove(folder)


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
