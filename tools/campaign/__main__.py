"""Run the campaign and print one table.

    python -m campaign --seconds 600 --seed 1
    python -m campaign --areas readers kills          only these areas
    python -m campaign --areas inputs --cases 500     a million texts, however long they take
    python -m campaign --areas readers --case 17      only this case again, with its traceback

Status 1: something failed. A case depends on seed, area and number, not on the time that was given.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from pathlib import Path

from campaign import (
    canary,
    disks,
    environments,
    expressions,
    inputs,
    kills,
    large,
    models,
    readers,
    round_trips,
)
from campaign.area import Area, Tally, run_area, run_case

AREAS: dict[str, Area] = {
    area.name: area
    for area in (
        inputs.AREA, expressions.AREA, readers.AREA, round_trips.AREA, models.AREA, models.FLIPS, kills.AREA,
        disks.AREA, canary.AREA, large.AREA, environments.AREA,
    )
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m campaign", description=__doc__.split("\n")[0])
    parser.add_argument(
        "--seconds", type=float, help="for all areas (default: 600, or no bound with --cases)"
    )
    parser.add_argument("--cases", type=int, help="stop each area after this number of cases")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--seed", type=int, default=1)
    usual = [name for name, area in AREAS.items() if area.share]
    listed = ", ".join(AREAS)
    parser.add_argument("--areas", nargs="+", choices=AREAS, default=usual, metavar="AREA", help=listed)
    parser.add_argument("--case", type=int, help="run only this case of the areas")
    args = parser.parse_args()
    chosen = [AREAS[name] for name in args.areas]
    with tempfile.TemporaryDirectory(prefix="campaign.") as place:
        if args.case is not None:
            for area in chosen:
                print(area.name, args.case, run_case(area, args.seed, args.case, Path(place)))
            return 0
        seconds = args.seconds or (math.inf if args.cases else 600)
        total = sum(area.share or 1 for area in chosen)
        found = [
            run_area(
                area, args.seed, seconds * (area.share or 1) / total, args.cases, args.first, Path(place)
            )
            for area in chosen
        ]
    print_table(found)
    return int(any(tally.failures for tally in found))


def print_table(found: list[Tally]) -> None:
    print(f"\n{'area':<13} {'cases':>7} {'seconds':>8} {'failures':>9}  outcomes")
    for tally in found:
        outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in tally.outcomes.most_common())
        print(f"{tally.name:<13} {tally.cases:>7} {tally.seconds:>8.0f} {len(tally.failures):>9}  {outcomes}")
    for tally in found:
        for number, what in tally.failures[:20]:
            print(f"{tally.name}: case {number}: {what}")


if __name__ == "__main__":
    sys.exit(main())
