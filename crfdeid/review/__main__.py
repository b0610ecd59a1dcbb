"""Mark, compare, adjudicate and check PHI in a browser.

    python -m crfdeid.review notes/ --store study.db                     a page on this machine
    python -m crfdeid.review notes/ --store study.db --model english --premark
    python -m crfdeid.review notes/ --store study.db --reader ann --adjudicator eve --password ann

The first start reads all notes; later starts open the store, which remembers them. The store holds offsets
and no note text. A note that changes on disk is refused by name.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from getpass import getpass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from crfdeid import cli, corpora
from crfdeid.errors import ConfigurationError, show_id
from crfdeid.review.options import build_parser, parse_pair, read_server_options
from crfdeid.systems import model
from crfdeid.systems.threshold import parse_threshold
from crfdeid.text import scheme

if TYPE_CHECKING:
    from crfdeid.review.study.study import Study

REQUIRED_PACKAGES = ("fastapi", "uvicorn", "argon2")


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    if missing := [name for name in REQUIRED_PACKAGES if find_spec(name) is None]:
        raise ConfigurationError(f"{', '.join(missing)} not installed: pip install 'crfdeid[review]'")
    from crfdeid.review.web import serve

    options = read_server_options(args)
    serve.check_options(options)
    study = open_study(args)
    try:
        add_people(study, args)
        add_spans(study, args)
        print_summary(study)
        if not args.no_server:
            serve.serve(study, options)
    finally:
        study.store.close()


def open_study(args: argparse.Namespace) -> Study:
    """Open the study in the store; create it first where there is none."""
    from crfdeid.network import is_loopback
    from crfdeid.review.study import create, study
    from crfdeid.review.study.source import Source

    if args.sets < 1:
        raise ConfigurationError(f"--sets {args.sets}: wanted 1 or more")
    if args.premark and not (args.model or args.system):
        raise ConfigurationError("--premark: wanted --model or --system, whose spans are shown to readers")
    if args.threshold and not args.model:
        raise ConfigurationError("--threshold: wanted --model, which it is for")
    path = args.notes.absolute()
    if not create.has_study(args.store):
        columns = [("delimiter", args.delimiter)] if args.delimiter != "," else []
        columns += [(n, v) for n in ("id_column", "text_column", "patient_column") if (v := getattr(args, n))]
        format = args.source or corpora.detect_format(path, args.recursive)
        source = Source(path, format, args.encoding, tuple(columns), args.recursive)
        cli.report_left_out(path, cli.build_reading(args, source.format))
        scheme_name = scheme.read_scheme(args.scheme).name
        create.create_study(
            args.store, source, scheme_name, args.title, args.sets, show_reading, args.patient_from
        )
    requires_login = bool(args.trust_header) or not is_loopback(args.host)
    return study.open_study(args.store, args.out, path, requires_login)


def show_reading(files: list[Path]) -> Iterable[Path]:
    return cli.show_progress(files, "read", len(files))


def add_people(study: Study, args: argparse.Namespace) -> None:
    from crfdeid.review.study import accounts

    for role, names in (("reader", args.reader), ("adjudicator", args.adjudicator)):
        for name in names:
            accounts.add_reader(study.store, name, role)
    for name in args.password:
        accounts.set_password(study.store, name, ask_password(name))


def ask_password(name: str) -> str:
    """Ask for a password on the terminal, or read a line of piped input. The command line would show it to
    other users of this machine."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass(f"Password for {name}: ")
    if getpass("Repeat the password: ") != password:
        raise ConfigurationError("the two passwords differ; nothing was changed")
    return password


def add_spans(study: Study, args: argparse.Namespace) -> None:
    """Tag the notes with a model, and import the spans of other systems, readers and adjudicators."""
    from crfdeid.review.study import system_spans

    if args.model:
        tagger = model.load(args.model)
        system_spans.add_model(
            study,
            tagger,
            args.premark,
            lambda notes: cli.show_progress(notes, "tag", len(notes)),
            parse_threshold(args.threshold),
        )
    if args.system:
        name, path = parse_pair(args.system)
        system_spans.add_system(
            study, name, system_spans.match_documents(study, corpora.read(path)), args.premark
        )
    for pair in args.marks:
        name, path = parse_pair(pair)
        system_spans.import_marks(study, name, system_spans.match_documents(study, corpora.read(path)))
    if args.consensus:
        system_spans.import_consensus(
            study, system_spans.match_documents(study, corpora.read(args.consensus))
        )


def print_summary(study: Study) -> None:
    sets = f"{len(study.sets)} set{'s' * (len(study.sets) != 1)}"
    print(f"{len(study.notes)} notes in {sets}; the store is {study.store.path}")
    for number, why in sorted(study.notes.refused.items()):
        shown = show_id(study.notes.find_note(number).id, str(number))
        print(f"refused: note {shown} is {why} on disk", file=sys.stderr)
    if study.notes.unknown_files:
        print(
            f"{study.notes.unknown_files} files are not in the study; only a new store would include them",
            file=sys.stderr,
        )


if __name__ == "__main__":
    cli.run(main)
