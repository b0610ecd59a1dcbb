"""Adapt a model to the notes of a site, from a few corrected ones, and say what it gains.

python -m crfdeid.adapt --notes corrected/ --out models/site
python -m crfdeid.adapt --notes corrected/ --model spanish --out models/site --page gained.html
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from crfdeid import cli
from crfdeid.adapt import choose, folder, ways
from crfdeid.adapt.choose import FOLDS, Choice
from crfdeid.files import hold_output
from crfdeid.systems import model, training_record
from crfdeid.systems.crf import CrfTagger
from crfdeid.text.document import Document


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m crfdeid.adapt", description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("--notes", nargs="+", type=Path, required=True, metavar="PATH", help="corrected notes, in any format")
    add("--model", default=model.DEFAULT, help="the model to adapt: a folder, or a shipped one")
    add("--out", type=Path, required=True, help="folder for the adapted model")
    add(
        "--page",
        type=Path,
        metavar="FILE",
        help="write a page of every error; it holds note text",
    )
    add("--overwrite", action="store_true", help="replace the model in --out")
    cli.add_types_option(parser)
    cli.add_reading_options(parser)
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    folder.refuse_full(args.out, args.overwrite)
    before = ways.check_model(model.load(args.model))
    notes = [
        note for path in args.notes for note in cli.map_types(cli.read_documents(path, None, args), args)
    ]
    before.scheme.check(notes)
    command = training_record.find_command("adapt", sys.argv[1:] if arguments is None else arguments)
    with hold_output(args.out):
        began = time.perf_counter()
        choice = adapt(before, notes)
        seconds = time.perf_counter() - began
        folder.write_model(choice, folder.Source(before, command, seconds), args.out)
    if args.page:
        folder.write_page(choice, args.page)
    print_gain(choice, args.model, seconds)
    print(f"\nThe model is in {args.out}, its card in {training_record.CARD}")


def adapt(before: CrfTagger, notes: Sequence[Document]) -> Choice:
    """Adapt with a progress bar."""
    before.compile()
    trained = FOLDS * len({way.c2 for way in ways.list_ways(before)}) + 1
    with tqdm(desc="adapt", total=trained, disable=None, leave=False) as bar:
        return choose.adapt(before, notes, lambda: bar.update() and None)


def print_gain(choice: Choice, name: str, seconds: float) -> None:
    """Print the size of the notes, the time, and the figures of each way."""
    patients = len({note.owner for note in choice.gold})
    spans = sum(len(note.spans) for note in choice.gold)
    notes = f"{len(choice.gold)} notes of {patients} patients with {spans} spans"
    print(f"Adapted {name} to {notes} in {seconds:.0f} s: {choice.way.name}\n")
    print("\n".join(folder.format_table(choice)))


if __name__ == "__main__":
    cli.run(main)
