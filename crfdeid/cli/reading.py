"""The options by which commands read documents, and the reading by them."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from crfdeid import resources
from crfdeid.corpora.bad_rows import BadRows
from crfdeid.corpora.reading import Reading
from crfdeid.text.document import Document

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
    """Add the option that makes the table of bad rows."""
    parser.add_argument(
        "--skip-bad",
        type=lambda path: BadRows(Path(path)),
        metavar="FILE",
        help="leave out rows that cannot be read or whose id occurs twice, write their numbers and the "
        "reasons to FILE, and end with status 3 (default: the first one is an error)",
    )


def add_recursive_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that says whether folders in a folder are read."""
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


def build_reading(args: argparse.Namespace, format: str | None = None, with_fields: bool = False) -> Reading:
    """Return what the options of :func:`add_reading_options`, and of the others where the verb has them, say
    of documents in this format."""
    return Reading(
        format,
        args.encoding,
        getattr(args, "recursive", False),
        args.delimiter,
        args.id_column,
        args.text_column,
        args.patient_column,
        with_fields,
        bad=getattr(args, "skip_bad", None),
        overwrite=getattr(args, "overwrite", False),
    )


def read_documents(path: Path | str, format: str | None, args: argparse.Namespace) -> Iterator[Document]:
    """Read documents with the options of :func:`add_reading_options`; only tables have columns."""
    return build_reading(args, format).read(path)


def report_left_out(path: Path | str, reading: Reading) -> Counter[str]:
    """Print on standard error what is not read of a file or folder; return the counts by reason."""
    if found := reading.count_left_out(path):
        from crfdeid.corpora.left_out import describe_left_out

        print(describe_left_out(Path(path), found), file=sys.stderr)
    return found


def report_bad_rows(bad: BadRows | None) -> None:
    """Write the rows that were left out, and end with status 3 if there are any."""
    if bad:
        bad.write()
        if bad.found:
            print(bad, file=sys.stderr)
            sys.exit(SKIPPED)


def map_types(documents: Iterable[Document], args: argparse.Namespace) -> Iterator[Document]:
    """Yield the documents with the types that the command line wants."""
    if not args.types:
        return iter(documents)
    from crfdeid.text.scheme import read_map

    return read_map(args.types).apply_all(documents)


def add_policy_option(parser: argparse.ArgumentParser, meaning: str, default: str) -> None:
    """Add the option of a policy; ``meaning`` and ``default`` are for the help."""
    shipped = ", ".join(resources.list_names("configs/policies", ".toml"))
    help = f"{meaning}: {shipped} or a TOML file (default: {default})"
    parser.add_argument("--policy", metavar="NAME", help=help)


def add_term_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the lists of :mod:`crfdeid.systems.term_lists`."""
    add = parser.add_argument
    add("--always", type=Path, metavar="FILE", help="terms that are always PHI: in each line a type and a "
        "term, or a /regular expression/")  # fmt: skip
    add("--never", type=Path, metavar="FILE", help="terms that are never PHI, one in each line")
