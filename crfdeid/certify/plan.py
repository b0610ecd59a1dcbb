"""``certify plan``: how many notes to read, how long it takes, and what neighbouring aims cost."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import fields, replace

from crfdeid.certify.sample_size import SECONDS, Aim, ReadingPlan, estimate_instances, find_hours, make_plan

NEIGHBOURS = (0.5, 0.75, 1, 1.5, 2, 3)  # times the aim
HELP = {
    "aim": "the largest share of the PHI spans that may be missed",
    "confidence": "of the statement",
    "expected": "the share that is missed, as you expect",
    "power": "the probability that the sample shows the aim, if the expected share is right",
    "spans": "PHI spans in a note, on average",
    "effect": "the design effect: how much the misses of a patient's notes cluster",
    "plants": "planted leaks, which show how many leaks the readers find",
    "sensitivity": "the share of the plants that the readers find, as you expect",
    "looks": "how often the statement may be made: 1, or 2 (after half of the sample, and after all)",
}


def add_aim_options(parser: argparse.ArgumentParser) -> None:
    for field in fields(Aim):
        parser.add_argument(f"--{field.name}", type=type(field.default), default=field.default,
                            help=f"{HELP[field.name]} (default: %(default)s)")  # fmt: skip


def add_options(parser: argparse.ArgumentParser) -> None:
    add_aim_options(parser)
    parser.add_argument("--seconds", type=float, default=SECONDS,
                        help="to read a note (default: %(default)g, Dorr et al. 2006)")  # fmt: skip
    parser.add_argument("--readers", type=int, default=2, help="who read each note (default: %(default)s)")
    parser.add_argument("--margin", type=float,
                        help="also say how many instances of PHI a test corpus needs to measure a share "
                        "within this margin, such as 0.03 (Douglass 2005, equation 3.1)")  # fmt: skip


def read_aim(args: argparse.Namespace) -> Aim:
    return Aim(**{field.name: getattr(args, field.name) for field in fields(Aim)})


def run(args: argparse.Namespace) -> None:
    print("\n".join(describe_plan(read_aim(args), args.seconds, args.readers)))
    if args.margin is not None:
        number = estimate_instances(args.margin, confidence=args.confidence)
        print(f"\nTo measure a share within {args.margin:g}: at least {number:,} instances of PHI.")


def describe_plan(aim: Aim, seconds: float, readers: int) -> Iterator[str]:
    """Yield the plan and the table of its neighbours, line by line."""
    yield (
        f"Aim: at most {aim.aim:.2%} of the PHI spans are missed, at {aim.confidence:.0%} confidence; "
        f"expected: {aim.expected:.2%}; power {aim.power:.0%}."
    )
    yield (
        f"A note has {aim.spans:g} PHI spans; design effect {aim.effect:g}; {aim.looks} look"
        f"{'s' * (aim.looks > 1)}."
    )
    yield from describe_need(make_plan(aim), "If the readers find every leak", seconds, readers)
    if not aim.plants:
        yield "There are no plants: nothing shows how many leaks the readers find."
    corrected = f"If they find {aim.sensitivity:.0%} of {aim.plants} plants"
    yield from describe_need(make_plan(aim, corrected=True), corrected, seconds, readers)
    yield ""
    yield f"{'aim':>7}{'as read':>24}{'corrected for readers':>26}"
    for factor in NEIGHBOURS:
        other = replace(aim, aim=min(aim.aim * factor, 0.99))
        cells = (show_cell(make_plan(other, corrected), seconds, readers) for corrected in (False, True))
        yield f"{other.aim:>7.2%}" + "{:>24}{:>26}".format(*cells)


def describe_need(plan: ReadingPlan | None, where: str, seconds: float, readers: int) -> Iterator[str]:
    if plan is None:
        yield f"{where}: no sample shows this aim; the expected share is too near to it, or above it."
        return
    hours = find_hours(plan.notes, seconds, readers)
    yield (
        f"{where}: read {plan.notes:,} notes ({plan.spans:,} effective spans at design effect "
        f"{plan.effect:.3g}, at most {plan.allowed} missed), {hours:,.1f} hours for {readers} "
        f"reader{'s' * (readers != 1)} at {seconds:g} s a note."
    )


def show_cell(plan: ReadingPlan | None, seconds: float, readers: int) -> str:
    if plan is None:
        return "not possible"
    return f"{plan.notes:,} notes {find_hours(plan.notes, seconds, readers):>8,.1f} h"
