"""Say how much PHI a release still holds: evidence for an expert, from a sample that people read.

crfdeid certify plan --aim 0.01 --expected 0.003          how many notes to read
    crfdeid certify draw clean/ --store study.json --out reading/     a sample for the readers
    crfdeid certify choose gold/ --aim 0.01 --out choice.json         a threshold for tag and redact
    crfdeid certify state study.json clean/ --reader ann=ann/ --reader bob=bob/ --out statement.html

docs/assurance.md describes what is promised and what is not.
"""

from __future__ import annotations

import argparse

from crfdeid import cli
from crfdeid.certify import choose, draw, plan, rehearse, state

VERBS = {
    "plan": (plan, "how many notes to read, and how long it takes"),
    "draw": (draw, "draw notes for people to read, with planted leaks"),
    "rehearse": (rehearse, "play a reader of invented notes, who finds a share of the leaks"),
    "state": (state, "state from their marks what the release still holds"),
    "choose": (choose, "choose the least cautious threshold whose misses are bounded"),
}


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="crfdeid certify", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, (module, help) in VERBS.items():
        verb = verbs.add_parser(name, help=help, description=(module.__doc__ or "").partition("\n")[0])
        module.add_options(verb)
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    VERBS[args.verb][0].run(args)


if __name__ == "__main__":
    cli.run(main)
