"""Mark, compare, adjudicate and check PHI in a browser.

    crfdeid review notes/ --store study.db                     a page on this machine
    crfdeid review notes/ --store study.db --model english --premark
    crfdeid review notes/ --store study.db --reader ann --adjudicator eve --password ann

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
from crfdeid.errors import ConfigurationError, show_id, show_install
from crfdeid.network import ALL_INTERFACES, find_names, make_certificate
from crfdeid.systems import model
from crfdeid.systems.threshold import parse_threshold
from crfdeid.text import scheme

if TYPE_CHECKING:
    from crfdeid.review.study.study import Study
    from crfdeid.review.web.serve import ServerOptions
    from crfdeid.review.web.sessions import ProxyIdentity


REQUIRED_PACKAGES = ("fastapi", "uvicorn", "argon2")


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid review", description=__doc__.split("\n")[0])
    add_study_options(parser)
    add_people_options(parser.add_argument_group("people and systems"))
    add_server_options(parser.add_argument_group("server"))
    return parser


def add_study_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("notes", type=Path, help="a folder of notes or a corpus, in any format")
    add("--store", type=Path, required=True, help="the study's file; created where there is none")
    add("--from", dest="source", metavar="FORMAT", help="format of the notes (default: detected)")
    cli.add_reading_options(parser)
    cli.add_recursive_option(parser)
    add("--patient-from", metavar="REGEX", help="in a new study, the patient is what this pattern finds in a "
        "note's id (its first group, if it has one)")  # fmt: skip
    add("--scheme", default=scheme.DEFAULT, help="label scheme of a new study (default: i2b2-2014)")
    add("--sets", type=int, default=1, help="number of sets in a new study (default: 1)")
    add("--title", help="title of a new study (default: the store's name)")
    add("--out", type=Path, help="folder for exports (default: beside the store)")


def add_people_options(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--reader", action="append", default=[], metavar="NAME", help="add a reader")
    add("--adjudicator", action="append", default=[], metavar="NAME", help="add an adjudicator")
    add("--password", action="append", default=[], metavar="NAME", help="ask for NAME's password")
    add("--model", metavar="FOLDER", help="tag all notes with a model, or with the shipped one, 'english'")
    cli.add_threshold_option(group)
    add("--premark", action="store_true", help="show readers the spans of --model or --system")
    add("--system", metavar="NAME=CORPUS", help="import the spans of another system")
    add("--marks", action="append", default=[], metavar="NAME=CORPUS", help="import a reader's marks")
    add("--consensus", type=Path, metavar="CORPUS", help="import a finished consensus")


def add_server_options(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--host", default="127.0.0.1", help="an address that others can reach needs TLS and passwords")
    add("--network", action="store_true", help="let other desks open the page: make a certificate beside "
        "the store, print the address and the fingerprint; each reader needs --password")  # fmt: skip
    add("--port", type=int, default=0, help="(default: a free port, the same at each start)")
    add("--name", action="append", default=[], help="host name in browsers' addresses, if it is not --host")
    add("--certificate", type=Path, help="TLS certificate (PEM)")
    add("--private-key", type=Path, help="the certificate's key (PEM)")
    add("--public", metavar="URL", help="the address in browsers, with a reverse proxy in front")
    add("--trust-header", metavar="NAME", help="a reverse proxy logs readers in, and names them here")
    add("--trusted-proxy", action="append", default=[], metavar="ADDRESS",
        help="whose header is trusted (default: 127.0.0.1)")  # fmt: skip
    add("--no-browser", action="store_true", help="print the address, and open no browser")
    add("--no-server", action="store_true", help="create or change the study, and do not serve it")


def read_server_options(args: argparse.Namespace) -> ServerOptions:
    from crfdeid.review.web.serve import ServerOptions

    names = tuple(args.name)
    if args.network:
        return read_network_options(args, names or find_names())
    identity = read_identity(args)
    return ServerOptions(
        args.host, args.port, names, args.certificate, args.private_key,
        not (args.no_browser or identity), args.public, identity,
    )  # fmt: skip


def read_identity(args: argparse.Namespace) -> ProxyIdentity | None:
    from crfdeid.review.web.sessions import ProxyIdentity

    if args.trusted_proxy and not args.trust_header:
        raise ConfigurationError("--trusted-proxy: wanted --trust-header, which it is for")
    proxies = frozenset(args.trusted_proxy or ["127.0.0.1"])
    return ProxyIdentity(args.trust_header, proxies) if args.trust_header else None


def read_network_options(args: argparse.Namespace, names: tuple[str, ...]) -> ServerOptions:
    """Make the certificate for the names, print its fingerprint, and return the options of a server for other
    machines."""
    from crfdeid.review.web.serve import ServerOptions

    if args.certificate or args.private_key:
        raise ConfigurationError("--network makes a certificate; wanted no --certificate or --private-key")
    args.host = ALL_INTERFACES[0]
    files = [args.store.with_name(f"{args.store.name}.{part}.pem") for part in ("certificate", "key")]
    fingerprint = make_certificate(files[0], files[1], names)
    print("At other desks the browser warns that it does not know this certificate. Its SHA-256 is")
    print(f"{fingerprint}\nCompare it there (click the warning, then the certificate), and only then go on.")
    return ServerOptions(args.host, args.port, names, files[0], files[1], open_browser=False)


def parse_pair(text: str) -> tuple[str, Path]:
    """
    >>> parse_pair("ann=marks/ann")
    ('ann', PosixPath('marks/ann'))
    """
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise ConfigurationError(f"{text}: wanted NAME=CORPUS")
    return name, Path(path)


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    if missing := [name for name in REQUIRED_PACKAGES if find_spec(name) is None]:
        raise ConfigurationError(f"{', '.join(missing)} not installed: {show_install('review')}")
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
    from crfdeid.review.study import study
    from crfdeid.review.study.source import Source

    if args.sets < 1:
        raise ConfigurationError(f"--sets {args.sets}: wanted 1 or more")
    if args.premark and not (args.model or args.system):
        raise ConfigurationError("--premark: wanted --model or --system, whose spans are shown to readers")
    if args.threshold and not args.model:
        raise ConfigurationError("--threshold: wanted --model, which it is for")
    path = args.notes.absolute()
    if not study.has_study(args.store):
        columns = [("delimiter", args.delimiter)] if args.delimiter != "," else []
        columns += [(n, v) for n in ("id_column", "text_column", "patient_column") if (v := getattr(args, n))]
        format = args.source or corpora.detect_format(path, args.recursive)
        source = Source(path, format, args.encoding, tuple(columns), args.recursive)
        cli.report_left_out(path, cli.build_reading(args, source.format))
        scheme_name = scheme.read_scheme(args.scheme).name
        study.create_study(
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
