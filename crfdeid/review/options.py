"""The command line of :mod:`crfdeid.review`: which options there are, and their values."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from crfdeid import cli
from crfdeid.errors import ConfigurationError
from crfdeid.network import ALL_INTERFACES, find_names, make_certificate
from crfdeid.text import scheme

if TYPE_CHECKING:
    from crfdeid.review.web.serve import ServerOptions
    from crfdeid.review.web.sessions import ProxyIdentity


def build_parser() -> argparse.ArgumentParser:
    description = "Mark, compare, adjudicate and check PHI in a browser."
    parser = argparse.ArgumentParser(prog="python -m crfdeid.review", description=description)
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
    add("--public", metavar="URL", help="the address in browsers, where a reverse proxy stands in front")
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
