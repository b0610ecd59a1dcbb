"""Adapt a model to the notes of a site, from a few corrected ones, and say what it gains.

crfdeid adapt --suggest 20 --unlabelled notes/ --out to_correct/     which notes to correct
crfdeid adapt --notes corrected/ --out models/site
crfdeid adapt --notes corrected/ --lists lists/ --out models/site --page gained.html
crfdeid adapt --notes corrected/ --unlabelled notes/ --out models/site     also learns headers that repeat
crfdeid adapt --unlabelled notes/ --out models/site
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from crfdeid import cli
from crfdeid.adapt import choose, folder, lists, ways
from crfdeid.adapt.choose import FOLDS, Choice
from crfdeid.adapt.suggest import DOUBT, suggest
from crfdeid.corpora.output import choose_output
from crfdeid.errors import ConfigurationError
from crfdeid.files import hold_output, open_whole
from crfdeid.systems import model, training_record
from crfdeid.systems.crf import CrfTagger
from crfdeid.systems.repeated_lines import LEAST, learn_lines
from crfdeid.systems.term_lists import Terms
from crfdeid.text.document import Document
from crfdeid.text.tokenizer import fold_document

SUGGESTED = ".suggested.csv"  # after the name of the output


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid adapt", description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("--notes", nargs="+", type=Path, default=[], metavar="PATH", help="corrected notes, in any format")
    add("--lists", type=Path, metavar="FOLDER", help="lists of the site: doctor.txt, numbers.txt …")
    add("--model", default=model.DEFAULT, help="the model to adapt: a folder, or a shipped one")
    add("--out", type=Path, required=True, help="folder for the adapted model, or for the suggested notes")
    add("--page", type=Path, metavar="FILE", help="write a page of every error; it holds note text")
    add_unlabelled_options(parser)
    add("--overwrite", action="store_true", help="replace what is in --out")
    cli.add_types_option(parser)
    cli.add_reading_options(parser)
    return parser


def add_unlabelled_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--suggest",
        type=cli.natural_number,
        metavar="N",
        help="write N notes of --unlabelled to correct, as the model tags them: half of them by doubt, half "
        "at random",
    )
    add(
        "--unlabelled",
        nargs="+",
        type=Path,
        default=[],
        metavar="PATH",
        help="notes that nobody has corrected: to choose from, or whose lines repeat",
    )
    add(
        "--k",
        type=cli.natural_number,
        default=LEAST,
        metavar="K",
        help=f"a line of --unlabelled is learned from at least K patients (default: {LEAST})",
    )
    add(
        "--one-note-per-patient",
        action="store_true",
        help="with --unlabelled: every note without a patient is of another patient",
    )
    add("--seed", type=int, default=0, help="of the random half (default: 0)")
    add("--format", help="of the suggested notes (default: i2b2)")


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    if args.suggest is not None:
        write_suggested(args)
        return
    folder.refuse_full(args.out, args.overwrite)
    command = training_record.find_command("adapt", sys.argv[1:] if arguments is None else arguments)
    if args.notes:
        adapt_model(args, command)
    elif args.unlabelled:
        adapt_lines(args, command)
    else:
        raise ConfigurationError("wanted --notes CORRECTED, --unlabelled NOTES, or both")
    print(f"\nThe model is in {args.out}, its card in {training_record.CARD}")


def adapt_model(args: argparse.Namespace, command: Sequence[str]) -> None:
    """Adapt the model to corrected notes; with ``--unlabelled``, also learn the lines that repeat there."""
    before = ways.check_model(model.load(args.model))
    notes = name_patients(list(cli.map_types(read_notes(args.notes, args), args)), args)
    before.scheme.check(notes)
    unlabelled = name_patients(read_notes(args.unlabelled, args), args)
    if unlabelled:
        model.check_patients([*unlabelled, *notes], args.k)
    entries = lists.read_lists(args.lists, before.scheme) if args.lists else []
    with hold_output(args.out):
        began = time.perf_counter()
        choice = adapt(before, notes, lists.build_terms(entries) if entries else None)
        if unlabelled:
            choice = add_lines(choice, unlabelled, args.k)
        seconds = time.perf_counter() - began
        terms = lists.render_terms(entries) if entries else ""
        folder.write_model(choice, folder.Source(before, command, seconds, terms), args.out)
    if args.page:
        folder.write_page(choice, args.page)
    print_gain(choice, args.model, seconds)


def read_notes(paths: Sequence[Path], args: argparse.Namespace) -> list[Document]:
    return [note for path in paths for note in cli.read_documents(path, None, args)]


def name_patients(notes: Sequence[Document], args: argparse.Namespace) -> list[Document]:
    """Return the notes, where ``--one-note-per-patient`` says so each with a patient."""
    if args.one_note_per_patient:
        return [replace(note, patient=note.owner[1]) for note in notes]
    return list(notes)


def adapt_lines(args: argparse.Namespace, command: Sequence[str]) -> None:
    """Let the model read the notes, and add the lines that repeat in them."""
    if args.lists or args.page:
        raise ConfigurationError("--unlabelled: wanted --notes CORRECTED with --lists or --page")
    before = ways.check_model(model.load(args.model))
    notes = name_patients(read_notes(args.unlabelled, args), args)
    model.check_patients(notes, args.k)
    before.compile()
    with hold_output(args.out):
        began = time.perf_counter()
        bare = [note.with_spans(()) for note in notes]
        found = list(tqdm(before.tag_all(bare), "read", len(bare), disable=None, leave=False))
        lines = learn_lines(found, args.k)
        seconds = time.perf_counter() - began
        folder.write_lines(lines, bare, args.k, folder.Source(before, command, seconds), args.out)
    changed = sum(lines.apply(note) != note for note in map(fold_document, found))
    patients = len({note.patient for note in notes})
    size = f"{len(notes)} notes of {patients} patients"
    print(f"Lines that repeat: {len(lines.marks)}, each of {args.k} or more patients, in {size}")
    print(f"They change {changed} of these notes. Nobody corrected one, so the gain is not measured")


def write_suggested(args: argparse.Namespace) -> None:
    """Write the notes to correct, and beside them a table of why each was drawn."""
    if not args.unlabelled or args.notes or args.lists or args.page:
        raise ConfigurationError("--suggest: wanted --unlabelled NOTES, and no --notes, --lists or --page")
    output = choose_output(args.out, args.format, "i2b2")
    tagger = ways.check_model(model.load(args.model))
    rows = suggest(tagger, read_notes(args.unlabelled, args), args.suggest, args.seed)
    output.write([row.note for row in rows], args.overwrite)
    with open_whole(args.out.with_name(args.out.name + SUGGESTED)) as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("id", "why", "doubt"))
        table.writerows((row.note.id, row.why, f"{row.doubt:.2f}") for row in rows)
    doubtful = sum(row.why == DOUBT for row in rows)
    print(f"{len(rows)} notes to correct: {len(rows) - doubtful} at random, {doubtful} by doubt; {output}")


def adapt(before: CrfTagger, notes: Sequence[Document], terms: Terms | None) -> Choice:
    """Adapt with a progress bar."""
    before.compile()
    trained = FOLDS * len({way.c2 for way in ways.list_ways(before)}) + 1
    with tqdm(desc="adapt", total=trained, disable=None, leave=False) as bar:
        return choose.adapt(before, notes, lambda: bar.update() and None, terms)


def add_lines(choice: Choice, notes: Sequence[Document], least: int) -> Choice:
    """Add the lines that repeat with a progress bar."""
    with tqdm(desc="read", total=choose.count_reads(choice, notes), disable=None, leave=False) as bar:
        return choose.add_lines(choice, notes, least, lambda: bar.update() and None)


def print_gain(choice: Choice, name: str, seconds: float) -> None:
    """Print the size of the notes, the time, and the figures of each way."""
    patients = len({note.owner for note in choice.gold})
    spans = sum(len(note.spans) for note in choice.gold)
    notes = f"{len(choice.gold)} notes of {patients} patients with {spans} spans"
    print(f"Adapted {name} to {notes} in {seconds:.0f} s: {choice.way.name}\n")
    print("\n".join(folder.format_table(choice)))
    if choice.lines:
        print(f"\n{folder.format_lines(choice.lines)}")
    cli.print_warnings(folder.list_warnings(choice))


if __name__ == "__main__":
    cli.run(main)
