"""The command line that all verbs share: how a command runs and ends (signals, exit statuses, one line for an
error, rare garbage collection), what it shows while it works, and the options by which it reads documents.

:mod:`crfdeid.cli.verbs` lists the verbs.
"""

from __future__ import annotations

import argparse
import gc
import io
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from crfdeid import files
from crfdeid.cli.verbs import VERBS, Verb
from crfdeid.corpora.bad_rows import BadRows
from crfdeid.corpora.registry import Reading, describe_left_out
from crfdeid.errors import CrfdeidError, locate_error
from crfdeid.text.document import Document

__all__ = ["VERBS", "Verb"]

NEW_OBJECTS = 200_000  # after which garbage is looked for: after 700, a tenth of a run went into it
SKIPPED = 3  # exit status of a run that left out rows
Item = TypeVar("Item")


def run(main: Callable[[list[str] | None], None]) -> None:
    """Call ``main`` and end with an exit status: 2 for an error in the input or of the system, such as a full
    disk, 1 for an error of the program, 130 for Ctrl-C, 0 when the reader of a pipe has closed it. SIGTERM (a
    batch system sends it) also removes half-written files."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # also where the locale is C
    if sys.stderr.isatty() and announce_compiling not in files.COMPILING:
        files.COMPILING.append(announce_compiling)
    try:
        call_main(main)
        sys.stdout.flush()  # a full disk shows here, and not after the exit status
    except CrfdeidError as error:
        sys.exit(report_error(str(error)))
    except KeyboardInterrupt as stopped:
        report_error(str(stopped) or "stopped; nothing half-written was left")
        sys.exit(130)
    except BrokenPipeError:
        discard_output()
    except OSError as error:  # a full disk, a file that may not be read
        discard_output()
        sys.exit(report_error(f"{error.strerror or 'refused by the system'} ({locate_error(error)})"))
    except Exception as error:
        report_error(
            f"{locate_error(error)}; please report it (its message is withheld: it may quote a note)"
        )
        sys.exit(1)


def call_main(main: Callable[[list[str] | None], None]) -> None:
    """Call ``main``. Python makes a SystemError of a signal that comes while a compiled loop is called: the
    signal counts."""
    try:
        main(None)
    except SystemError as error:
        if isinstance(error.__cause__, (KeyboardInterrupt, SystemExit)):
            raise error.__cause__ from None
        raise


def discard_output() -> None:
    """Let standard output lead nowhere: what it could not take would fail once more at the end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def report_error(message: str) -> int:
    """Print one line on standard error. Return the exit status."""
    print("crfdeid: " + " ".join(message.splitlines()), file=sys.stderr)
    return 2


def print_warnings(lines: Iterable[str]) -> None:
    """Print each line on standard error."""
    sys.stderr.writelines(f"{line}\n" for line in lines)


def announce_compiling() -> None:
    """Say why the first run takes long."""
    print_warnings(("compiling once, for about half a minute; crfdeid warm does it beforehand",))


def collect_rarely() -> None:
    """Let Python look for garbage rarely: a model is many objects, and a run makes few circles of them."""
    gc.set_threshold(NEW_OBJECTS)


def keep_loaded() -> None:
    """Let Python look for no garbage among what is loaded so far. Later calls change nothing: what other
    runs of this process have left is among it then."""
    if not gc.get_freeze_count():
        gc.freeze()


def show_progress(items: Iterable[Item], title: str, total: int | None = None) -> Iterable[Item]:
    """Pass the items on. Show a bar on a terminal, and nothing when standard error is piped."""
    if not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    return tqdm(items, desc=title, total=total, leave=False)


def show_counts(counts: Iterable[int], title: str, total: int) -> None:
    """Work through an iterable that yields how many items each step has done, with a bar on a terminal."""
    from tqdm import tqdm

    with tqdm(desc=title, total=total, disable=None, leave=False) as bar:
        for count in counts:
            bar.update(count)


class Throughput:
    """Counts notes and words that pass, for a bar on a terminal and a line at the end."""

    def __init__(self) -> None:
        self.notes = self.words = 0
        self.began = time.perf_counter()

    def count_each(self, documents: Iterable[Document], title: str) -> Iterator[Document]:
        """Yield the documents. The bar has what passes in a second."""
        counted = map(self._count, documents)
        return self._show_bar(counted, title) if sys.stderr.isatty() else counted

    def _count(self, document: Document) -> Document:
        self.notes += 1
        self.words += len(document.text.split())
        return document

    def _show_bar(self, counted: Iterable[Document], title: str) -> Iterator[Document]:
        from tqdm import tqdm

        with tqdm(desc=title, leave=False, unit=" notes") as bar:
            for document in counted:
                bar.set_postfix_str(f"{self.words / self.seconds:,.0f} words/s", refresh=False)
                bar.update()
                yield document

    @property
    def seconds(self) -> float:
        return max(time.perf_counter() - self.began, 1e-6)

    def __str__(self) -> str:
        notes, words = self.notes / self.seconds, self.words / self.seconds
        shown = f"{self.notes:,} notes in {self.seconds:,.1f} s"
        return f"{shown}: {notes:,.0f} notes and {words:,.0f} words a second"


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


def add_overlaps_option(parser: argparse.ArgumentParser) -> None:
    """Add the option of a training that :func:`list_changes` reads."""
    parser.add_argument(
        "--overlaps",
        choices=("refuse", "longest"),
        help="of training spans: longest drops the shorter of two (default: the configuration's, refuse)",
    )


def list_changes(args: argparse.Namespace) -> list[str]:
    """Return the changes of a configuration, as ``--set`` has them, that options of their own make."""
    return [f'overlaps="{args.overlaps}"'] if args.overlaps else []


def add_extras_option(parser: argparse.ArgumentParser) -> None:
    """Add the option of a training that only asks what it needs."""
    parser.add_argument(
        "--extras",
        action="store_true",
        help="print which of crfdeid's extras are missing, as pip takes them; read nothing",
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
    shipped = ", ".join(files.list_names("configs/policies", ".toml"))
    help = f"{meaning}: {shipped} or a TOML file (default: {default})"
    parser.add_argument("--policy", metavar="NAME", help=help)


def add_term_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the lists of :mod:`crfdeid.systems.term_lists`."""
    add = parser.add_argument
    add("--always", type=Path, metavar="FILE", help="terms that are always PHI: in each line a type and a "
        "term, or a /regular expression/")  # fmt: skip
    add("--never", type=Path, metavar="FILE", help="terms that are never PHI, one in each line")
