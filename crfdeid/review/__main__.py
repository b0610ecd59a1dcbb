"""Mark, compare, adjudicate and check PHI in a browser.

    python -m crfdeid.review notes/ --store study.db                     a page on this machine
    python -m crfdeid.review notes/ --store study.db --model english --premark
    python -m crfdeid.review notes/ --store study.db --reader ann --adjudicator eve --password ann

The first start reads all notes; afterwards the store knows them. The store holds offsets and no note
text; a note that changes on disk is refused by name.
"""

from __future__ import annotations

import argparse
import sys
from getpass import getpass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from crfdeid import cli, corpora
from crfdeid.errors import ConfigurationError
from crfdeid.systems import model
from crfdeid.text import scheme

if TYPE_CHECKING:
    from crfdeid.review.study.study import Study

NEEDED = ("fastapi", "uvicorn", "argon2")


def parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(prog="python -m crfdeid.review", description=__doc__.split("\n")[0])
    parse.add_argument("notes", type=Path, help="a folder of notes or a corpus, in any format")
    parse.add_argument("--store", type=Path, required=True, help="the study's file; made where there is none")
    parse.add_argument("--from", dest="source", metavar="FORMAT", help="of the notes (default: detected)")
    cli.add_reading_options(parse)
    parse.add_argument("--scheme", default=scheme.DEFAULT, help="of a new study (default: i2b2-2014)")
    parse.add_argument(
        "--sets", type=int, default=1, help="into how many sets a new study is cut (default: 1)"
    )
    parse.add_argument("--title", help="of a new study (default: the store's name)")
    parse.add_argument("--out", type=Path, help="folder for exports (default: beside the store)")
    add_people(parse)
    add_serving(parse)
    return parse


def add_people(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reader", action="append", default=[], metavar="NAME", help="add a reader")
    parser.add_argument("--adjudicator", action="append", default=[], metavar="NAME", help="add one")
    parser.add_argument(
        "--password", action="append", default=[], metavar="NAME", help="ask for NAME's password"
    )
    parser.add_argument(
        "--model", metavar="FOLDER", help="tag all notes with a model, or with 'english', which ships"
    )
    parser.add_argument("--premark", action="store_true", help="show readers what --model or --system found")
    parser.add_argument("--system", metavar="NAME=CORPUS", help="take in what another system found")
    parser.add_argument(
        "--marks", action="append", default=[], metavar="NAME=CORPUS", help="a reader's marks"
    )
    parser.add_argument("--consensus", type=Path, metavar="CORPUS", help="a consensus made elsewhere")


def add_serving(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="any but this machine wants TLS and passwords")
    parser.add_argument("--port", type=int, default=0, help="(default: one that is free)")
    parser.add_argument("--name", action="append", default=[], help="by which browsers reach --host")
    parser.add_argument("--certificate", type=Path, help="TLS certificate (PEM)")
    parser.add_argument("--private-key", type=Path, help="its key (PEM)")
    parser.add_argument("--no-browser", action="store_true", help="print the address, open nothing")
    parser.add_argument("--no-server", action="store_true", help="make or change the study, serve nothing")


def main(arguments: list[str] | None = None) -> None:
    given = parser().parse_args(arguments)
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise ConfigurationError(f"{', '.join(missing)} not installed: pip install 'crfdeid[review]'")
    from crfdeid.review.web import serve

    serve.check(given)
    room = opened(given)
    try:
        take_in(room, given)
        tell(room)
        if not given.no_server:
            serve.serve(room, given)
    finally:
        room.store.close()


def opened(args: argparse.Namespace) -> Study:
    """The study in the store, made of the notes where there is none yet."""
    from crfdeid.review.study import create, study
    from crfdeid.review.study.source import Source

    if args.sets < 1:
        raise ConfigurationError(f"--sets {args.sets}: wanted 1 or more")
    if args.premark and not (args.model or args.system):
        raise ConfigurationError("--premark: wanted --model or --system, whose findings readers are shown")
    path = args.notes.absolute()
    if not made(args.store):
        format = args.source or corpora.detect(path)
        columns = [(n, v) for n in ("id_column", "text_column", "patient_column") if (v := getattr(args, n))]
        source = Source(path, format, args.encoding, tuple(columns))
        shown = lambda files: cli.progress(files, "read", len(files))  # noqa: E731
        create.make(args.store, source, scheme.read(args.scheme).name, args.title, args.sets, shown)
    return study.enter(args.store, args.out, path, serving_elsewhere(args))


def made(store: Path) -> bool:
    """Whether there is a study: an empty store is one whose making was interrupted."""
    return store.exists() and store.stat().st_size > 0


def serving_elsewhere(args: argparse.Namespace) -> bool:
    from crfdeid.review.web.sessions import is_loopback

    return not is_loopback(args.host)


def take_in(study: Study, args: argparse.Namespace) -> None:
    """Readers, passwords, and what others found."""
    from crfdeid.review.study import accounts, system_spans

    for role, names in (("reader", args.reader), ("adjudicator", args.adjudicator)):
        for name in names:
            accounts.add(study.store, name, role)
    for name in args.password:
        accounts.set_password(study.store, name, asked(name))
    if args.model:
        add_model(study, args)
    if args.system:
        name, path = named(args.system)
        system_spans.add(study, name, system_spans.matched(study, corpora.read(path)), args.premark)
    for pair in args.marks:
        name, path = named(pair)
        system_spans.add_reader(study, name, system_spans.matched(study, corpora.read(path)))
    if args.consensus:
        system_spans.add_consensus(study, system_spans.matched(study, corpora.read(args.consensus)))


def add_model(study: Study, args: argparse.Namespace) -> None:
    """Tag all notes, unless this very model has done so before."""
    from crfdeid.review.study import system_spans

    tagger = model.load(args.model)
    name = system_spans.name_of(tagger)
    if name not in study.systems():
        found = system_spans.tagged(study, tagger, lambda notes: cli.progress(notes, "tag", len(notes)))
        system_spans.add(study, name, found)
    if args.premark:
        study.store.set("premarks", name)


def named(pair: str) -> tuple[str, Path]:
    """
    >>> named("ann=marks/ann")
    ('ann', PosixPath('marks/ann'))
    """
    name, equals, path = pair.partition("=")
    if not (name and equals and path):
        raise ConfigurationError(f"{pair}: wanted NAME=CORPUS")
    return name, Path(path)


def asked(name: str) -> str:
    """A password from the terminal, or a line of what is piped in; never from the command line, where others
    could read it."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass(f"Password for {name}: ")
    if getpass("Once more: ") != password:
        raise ConfigurationError("the two passwords differ; nothing was changed")
    return password


def tell(study: Study) -> None:
    sets = f"{len(study.sets)} set{'s' * (len(study.sets) != 1)}"
    print(f"{len(study.notes)} notes in {sets}; the store is {study.store.path}")
    for number, why in sorted(study.notes.refused.items()):
        print(f"refused: note {study.notes.note(number).id} is {why} on disk", file=sys.stderr)
    if study.notes.unknown:
        print(f"{study.notes.unknown} files are not in the study; a new store takes them in", file=sys.stderr)


if __name__ == "__main__":
    cli.run(main)
