"""Replace the PHI of notes: by surrogates, by markers of its type, or by blanks.

    python -m crfdeid.redact notes/ --out clean/                         tag and replace
    python -m crfdeid.redact corpus/xml --out clean/ --format brat       spans found before
    python -m crfdeid.redact notes.csv --out clean.csv --key-file key    the same on every machine
    python -m crfdeid.redact notes/ --out clean/ --map map --map-key key later notes stay alike

docs/redaction.md says what is promised and what is not.
"""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path

from crfdeid import cli, corpora
from crfdeid.errors import ConfigurationError
from crfdeid.redact import redactor as redaction
from crfdeid.redact import stream
from crfdeid.redact.markers import MARKER
from crfdeid.redact.output import Destination, Journal
from crfdeid.redact.redactor import STYLES, Redactor
from crfdeid.redact.stream import SPANS
from crfdeid.redact.surrogates import keyed_choice, surrogate_map
from crfdeid.redact.surrogates.dates import shift
from crfdeid.redact.surrogates.patient import Rules
from crfdeid.systems import model


def parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(prog="python -m crfdeid.redact", description=__doc__.split("\n")[0])
    parse.add_argument("notes", type=Path, help="a note, a folder of notes, or a corpus in any format")
    parse.add_argument("--out", type=Path, required=True, help="a folder, or a file such as clean.jsonl")
    parse.add_argument("--format", help="what to write (default: that of the notes)")
    parse.add_argument("--from", dest="source", metavar="FORMAT", help="of the notes (default: detected)")
    parse.add_argument("--style", choices=STYLES, default="surrogate")
    parse.add_argument("--marker", default=MARKER, help="of a type (default: %(default)s), or shweta")
    parse.add_argument("--spans", choices=SPANS, default="auto", help="auto: the notes' own, and where one "
                       "has none, the model's; gold: the notes' own; tag: the model's")  # fmt: skip
    parse.add_argument("--model", default=model.CAREFUL, help="default: %(default)s, what either finds")
    parse.add_argument("--key-file", type=Path, help="the secret that surrogates follow from")
    parse.add_argument("--map", type=Path, help="an encrypted file of what was given, made if missing")
    parse.add_argument(
        "--map-key", type=Path, help=f"its key (default: the environment's {surrogate_map.ENVIRONMENT})"
    )
    parse.add_argument("--seed", type=int, help="for experiments alone: everybody can undo it")
    parse.add_argument("--by", choices=("patient", "note"), help="what is seen together (default: "
                       "patient; with --key-file note, which no division of the notes changes)")  # fmt: skip
    parse.add_argument(
        "--zip", choices=("surrogate", "three"), default="surrogate", help="three: the Safe Harbor's"
    )
    parse.add_argument("--shift-years", type=int, default=shift.YEARS, help="at most (default: %(default)s)")
    parse.add_argument(
        "--season-weeks", type=int, default=shift.WEEKS, help="that seasons may drift (default: 2)"
    )
    parse.add_argument("--new-ids", action="store_true", help="replace the names of notes and patients too")
    parse.add_argument(
        "--no-spans", action="store_true", help="write the notes without the surrogates' spans"
    )
    parse.add_argument(
        "--report", type=Path, help="the counts as JSON; offsets of survivors in FILE.survivors.csv"
    )
    parse.add_argument(
        "--resume", action="store_true", help="leave notes that were written before as they are"
    )
    parse.add_argument("--overwrite", action="store_true", help="replace what is there")
    cli.add_reading_options(parse)
    return parse


def main(arguments: list[str] | None = None) -> None:
    given = parser().parse_args(arguments)
    source = given.source or corpora.detect_format(given.notes)
    if given.out.resolve() == given.notes.resolve():
        raise ConfigurationError(f"{given.out}: the notes themselves; --out names another place")
    where = Destination(given.out, given.format or source, given.resume, given.overwrite)
    rules = chosen_rules(given)
    with ExitStack() as open_files:
        redactor = made(given, rules)
        if given.map:
            open_files.enter_context(
                stream.kept(redactor, given.map, surrogate_map.passphrase(given.map_key))
            )
        replaces = given.overwrite or given.resume
        journal = open_files.enter_context(Journal.opened(given.report, redactor.apart, replaces))
        groups = stream.groups(lambda: cli.documents(given.notes, source, given), redactor.apart)
        find = stream.finder(given.spans, given.model)
        changed = stream.released(groups, find, redactor, where, journal, given.new_ids)
        recipe = redactor.recipe(where.format, given.new_ids, given.no_spans, given.spans)
        where.write(cli.progress(changed, "redact"), not given.no_spans, recipe)
    print("\n".join(journal.report.lines()))
    if not given.new_ids:
        print("ids of notes and patients are as they were; --new-ids replaces them")


def chosen_rules(args: argparse.Namespace) -> Rules:
    if not 1 <= args.shift_years <= 500 or not 0 <= args.season_weeks <= 26:
        raise ConfigurationError("--shift-years is from 1 to 500, --season-weeks from 0 to 26")
    return Rules(args.shift_years, args.season_weeks, args.zip)


def made(args: argparse.Namespace, rules: Rules) -> Redactor:
    """The redactor, with the secret that was asked for, or a fresh one that is forgotten at the end."""
    chosen = [name for name in ("key_file", "map", "seed") if getattr(args, name) is not None]
    if len(chosen) > 1:
        raise ConfigurationError("--key-file, --map and --seed: choose one")
    if args.map_key and not args.map:
        raise ConfigurationError("--map-key is the key of a map, and --map names none")
    if args.resume and not chosen:
        raise ConfigurationError(
            "--resume needs --key-file or --map: without them the first part's key is gone"
        )
    apart = args.by == "note" or (args.by is None and args.key_file is not None)
    if apart and args.map:
        raise ConfigurationError("--map keeps what a patient's notes say together: it needs --by patient")
    secret = keyed_choice.read(args.key_file) if args.key_file else keyed_choice.fresh()
    secret = keyed_choice.seeded(args.seed) if args.seed is not None else secret
    return redaction.Redactor(secret, args.style, args.marker, rules, apart)


if __name__ == "__main__":
    cli.run(main)
