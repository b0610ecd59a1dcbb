"""The options by which commands read documents, and the reading by them."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from crfdeid import corpora
from crfdeid.cli.exits import print_warnings
from crfdeid.corpora import left_out, omop, storage, table
from crfdeid.corpora.bad_rows import BadRows
from crfdeid.errors import ConfigurationError
from crfdeid.text.document import Document
from crfdeid.text.type_map import read_map

SKIPPING = ("table", "parquet", "jsonl")  # formats with rows that can be left out
SKIPPED = 3  # exit status of a run that left out rows


def natural_number(text: str) -> int:
    """Read an option's value that is a whole number, 0 or more (an ``argparse`` type)."""
    if (number := int(text)) < 0:
        raise ValueError
    return number


def delimiter(text: str) -> str:
    """Read an option's value that is one character, or "tab" (an ``argparse`` type)."""
    text = {"tab": "\t", "\\t": "\t"}.get(text, text)
    if len(text) != 1 or text in '"\n\r':
        raise ValueError
    return text


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for reading documents: encoding, and the columns of a table."""
    parser.add_argument("--encoding", default="utf-8", help="of the documents (default: utf-8)")
    parser.add_argument(
        "--delimiter",
        type=delimiter,
        default=",",
        metavar="CHARACTER",
        help="between the cells of CSV files; tab is one (default: a comma)",
    )
    parser.add_argument("--id-column", help="of a table of notes (default: id)")
    parser.add_argument("--text-column", help="of a table of notes (default: text)")
    parser.add_argument("--patient-column", help="of a table of notes (default: patient, if there is one)")


def add_input_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a verb that reads many notes: those for reading them, folders, and bad rows."""
    add_reading_options(parser)
    add_recursive_option(parser)
    add_skip_option(parser)


def add_skip_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that :func:`find_bad_rows` reads."""
    parser.add_argument(
        "--skip-bad",
        type=lambda path: BadRows(Path(path)),
        metavar="FILE",
        help="leave out rows that cannot be read or whose id occurs twice, write their numbers and the "
        "reasons to FILE, and end with status 3 (default: the first one is an error)",
    )


def add_recursive_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that :func:`read_documents` and :func:`report_left_out` read."""
    parser.add_argument(
        "--recursive",
        action="store_true",
        help="read the folders in a folder too; their names and full stops begin the ids",
    )


def add_types_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that :func:`map_types` reads."""
    parser.add_argument(
        "--types",
        metavar="MAP",
        help="give the spans other types: 2006, 2014 (from meddocan), categories, hipaa, phi, or a TOML file",
    )


def add_threshold_option(
    parser: argparse.ArgumentParser | argparse._ArgumentGroup, default: str = "the most probable labels"
) -> None:
    """Add the option that :func:`crfdeid.systems.threshold.parse_threshold` reads; ``default`` is for the
    help."""
    parser.add_argument(
        "--threshold",
        action="append",
        metavar="T",
        help="tag where PHI is at least that probable: a number, TYPE=NUMBER, or a file .toml or .json; "
        f"can be given several times (default: {default})",
    )


def is_recursive(args: argparse.Namespace) -> bool:
    """Whether folders in a folder are read."""
    return getattr(args, "recursive", False)


def find_bad_rows(args: argparse.Namespace) -> BadRows | None:
    """Return what collects the rows to leave out; None if a bad row is an error."""
    return getattr(args, "skip_bad", None)


def read_documents(
    path: Path | str,
    format: str | None,
    args: argparse.Namespace,
    keep: Callable[[dict[Any, Any]], None] | None = None,
) -> Iterator[Document]:
    """Read documents with the options of :func:`add_reading_options`; only tables have columns, and a CSV
    table gives each row to ``keep`` before its document."""
    names = ("id_column", "text_column", "patient_column")
    columns: dict[str, Any] = {name: value for name in names if (value := getattr(args, name))}
    format = format or corpora.detect_format(Path(path), is_recursive(args))
    if columns and format == omop.FORMAT.name:
        raise ConfigurationError(f"{format}: its columns have names; --from table reads it as any table")
    if not corpora.find_format(format, "read").has_columns:
        columns = {}
    if format == table.FORMAT.name:
        columns["delimiter"] = args.delimiter
    if keep:
        columns["keep"] = keep
    if getattr(args, "with_fields", False):
        columns["fields"] = True
    if bad := find_bad_rows(args):
        if format not in SKIPPING:
            raise ConfigurationError(f"--skip-bad: {format} has no rows; it is for {', '.join(SKIPPING)}")
        storage.refuse_existing(bad.path, args.overwrite)
        columns["bad"] = bad
    return corpora.read(path, format, args.encoding, is_recursive(args), **columns)


def report_left_out(path: Path | str, format: str | None, args: argparse.Namespace) -> Counter[str]:
    """Print on standard error what is not read of a file or folder; return the counts by reason."""
    path, recursive = Path(path), is_recursive(args)
    format = format or corpora.detect_format(path, recursive)
    encoding = None if getattr(args, "with_fields", False) or path.is_fifo() else args.encoding
    found = left_out.count_left_out(path, format, recursive, encoding)
    print_warnings(filter(None, [left_out.describe_left_out(path, found)]))
    return found


def report_bad_rows(args: argparse.Namespace) -> None:
    """Write the rows that were left out, and end with status 3 if there are any."""
    if bad := find_bad_rows(args):
        bad.write()
        if bad.found:
            print(bad, file=sys.stderr)
            sys.exit(SKIPPED)


def map_types(documents: Iterable[Document], args: argparse.Namespace) -> Iterator[Document]:
    """Yield the documents with the types that the command line wants."""
    return read_map(args.types).apply_all(documents) if args.types else iter(documents)
