"""Count how much of what programs read in the original notes stays in their release.

    crfdeid utility original/ clean/
    crfdeid utility original/ clean/ --json utility.json --html utility.html
    crfdeid utility notes.jsonl clean.jsonl --map map --map-key key   after --new-ids
    crfdeid utility notes.csv clean.csv --by-order                  a table whose ids are codes

It counts words of medicine and their order, numbers with units, negations, intervals between dates, and ages.
No output has a word of a note. docs/utility.md explains the figures.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from crfdeid import cli
from crfdeid.corpora.output import hash_documents
from crfdeid.errors import ConfigurationError
from crfdeid.files import open_whole
from crfdeid.redact.report.kept import format_kept, render_page
from crfdeid.redact.run.patients import build_reader
from crfdeid.redact.run.plan import FOLDER, list_folders
from crfdeid.redact.utility.comparison import build_json
from crfdeid.redact.utility.matching import compare_notes, locate_originals
from crfdeid.text.document import Document

MOST = 10  # documents that are listed


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid utility", description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("original", type=Path, help="the notes before redaction: a file or folder in any format")
    add("clean", type=Path, help="the same notes after it")
    add("--json", type=Path, metavar="FILE", help="write the counts, which release --utility reads")
    add("--html", type=Path, metavar="FILE", help="write a page; it has no text of a note")
    add("--most", type=cli.natural_number, default=MOST, metavar="N", help="list the N documents that "
        "changed most (default: %(default)s)")  # fmt: skip
    add("--map", type=Path, help="the map of a release with new ids")
    add("--map-key", type=Path, metavar="FILE", help="its key (default: as for restore)")
    add("--key-file", type=Path, metavar="FILE", help="the key of a release with keyed ids")
    add(
        "--by-order",
        action="store_true",
        help="match by order, and not by id",
    )
    add("--patient-from", metavar="PATTERN", help="find the patient as redact does with this "
        "option (default: what the notes state)")  # fmt: skip
    add("--from", dest="source", metavar="FORMAT", help="of both (default: detected)")
    cli.add_reading_options(parser)
    cli.add_recursive_option(parser)
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    check_options(args)
    counts = compare(args)
    if args.json:
        with open_whole(args.json) as file:
            file.write(json.dumps(counts, indent=1) + "\n")
    if args.html:
        with open_whole(args.html) as file:
            file.write(render_page(counts))
    print(format_kept(counts))


def check_options(args: argparse.Namespace) -> None:
    """Raise :class:`ConfigurationError` for options that contradict one another."""
    if args.by_order and (args.map or args.key_file):
        raise ConfigurationError("--by-order, and --map or --key-file: choose one")
    if args.map_key and not args.map:
        raise ConfigurationError("--map-key is the key of a map, but --map is missing")


def compare(args: argparse.Namespace) -> dict[str, Any]:
    """Read both sides and count. The originals are in memory; so are the released notes where their hash is
    wanted, otherwise they are read one after the other."""
    reading = cli.build_reading(args, args.source)
    read = build_reader(args.original, reading, args.patient_from)
    folders = list_folders(args.original) if args.patient_from == FOLDER else [args.original]
    for path in (*folders, args.clean):
        cli.report_left_out(path, reading)
    originals = list(cli.show_progress(read(), "read"))
    places = None if args.by_order else locate_originals(originals, args.map, args.map_key, args.key_file)
    released: Iterable[Document] = reading.read(args.clean)
    if args.json:
        released = list(released)
    release = hash_documents(released) if args.json else None
    found = compare_notes(originals, cli.show_progress(released, "compare", len(originals)), places)
    return build_json(found, args.most, release)


if __name__ == "__main__":
    cli.run(main)
