"""What all commands share: the table of verbs, options for reading, progress, one line for an error."""

from __future__ import annotations

import argparse
import gc
import io
import os
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from crfdeid import corpora
from crfdeid.corpora import left_out, omop, storage, table
from crfdeid.corpora.bad_rows import BadRows
from crfdeid.errors import ConfigurationError, CrfdeidError
from crfdeid.text.document import Document
from crfdeid.text.type_map import read_map

Item = TypeVar("Item")
SKIPPING = ("table", "parquet", "jsonl")  # formats with rows that can be left out
SKIPPED = 3  # exit status of a run that left out rows
NEW_OBJECTS = 200_000  # after which garbage is looked for: after 700, a tenth of a run went into it
EPOCH = "SOURCE_DATE_EPOCH"  # seconds since 1970, by which the same run gives the same bytes on another day


class Verb(NamedTuple):
    """A command: the module whose ``main`` runs it (imported only then), and one line of help."""

    module: str
    help: str


VERBS = {
    "find PHI": {
        "tag": Verb("crfdeid.tag", "find PHI in notes with a model or with rules"),
        "spark": Verb("crfdeid.spark.__main__", "find or redact the PHI of many notes with Spark"),
        "rules": Verb("crfdeid.explain.rules", "show which rule found which span"),
        "explain": Verb("crfdeid.explain.__main__", "show why a token got its label"),
    },
    "release notes": {
        "redact": Verb("crfdeid.redact.__main__", "replace PHI by surrogates or by markers"),
        "release": Verb("crfdeid.redact.release_page", "write the page of a release that people sign"),
        "check": Verb("crfdeid.check.__main__", "find what looks like PHI in a repository or a patch"),
        "restore": Verb("crfdeid.redact.restore", "undo a release with its map"),
        "review": Verb("crfdeid.review.__main__", "mark, compare and check notes in a browser"),
        "certify": Verb("crfdeid.certify.__main__", "say how much PHI a release still holds, from a sample"),
    },
    "serve programs": {
        "serve": Verb("crfdeid.serve.__main__", "tag, redact and restore over HTTP"),
    },
    "train and measure": {
        "train": Verb("crfdeid.train", "train a model on annotated notes"),
        "share": Verb("crfdeid.share.__main__", "train a model that can be shared, and attack it"),
        "evaluate": Verb(
            "crfdeid.evaluate.__main__", "compare found spans with gold spans: the official scores"
        ),
        "ablate": Verb("crfdeid.ablate.__main__", "train and compare many configurations"),
        "thresholds": Verb("crfdeid.explain.thresholds", "show recall and precision of a model by threshold"),
        "stats": Verb("crfdeid.evaluate.corpus_statistics", "count what an annotated corpus has"),
        "clusters": Verb("crfdeid.clusters", "learn clusters of words from text without spans"),
        "importance": Verb("crfdeid.explain.importance", "rank feature templates by information gain"),
    },
    "make corpora": {
        "convert": Verb("crfdeid.convert", "convert a corpus from one format to another"),
        "synthetic": Verb("crfdeid.synthetic.__main__", "write invented notes with gold spans"),
        "reidentify": Verb("crfdeid.synthetic.reidentify.__main__", "replace placeholders by invented names"),
    },
}


def run(main: Callable[[list[str] | None], None]) -> None:
    """Call ``main`` and end with an exit status: 2 for an error in the input or of the system, such as a full
    disk, 1 for an error of the program, 130 for Ctrl-C, 0 when the reader of a pipe has closed it. SIGTERM (a
    batch system sends it) also removes half-written files."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # also where the locale is C
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


def collect_rarely() -> None:
    """Let Python look for garbage rarely: a model is many objects, and a run makes few circles of them."""
    gc.set_threshold(NEW_OBJECTS)


def keep_loaded() -> None:
    """Let Python look for no garbage among what is loaded so far. Later calls change nothing: what other
    runs of this process have left is among it then."""
    if not gc.get_freeze_count():
        gc.freeze()


def discard_output() -> None:
    """Let standard output lead nowhere: what it could not take would fail once more at the end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def locate_error(error: Exception) -> str:
    """Return the class of an unforeseen error and the lines of code that led to it, without its message."""
    frames = traceback.extract_tb(error.__traceback__)[:-6:-1]
    places = ", ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
    return f"{type(error).__name__} at {places}"


def report_error(message: str) -> int:
    """Print one line on standard error. Return the exit status."""
    print("crfdeid: " + " ".join(message.splitlines()), file=sys.stderr)
    return 2


def print_warnings(lines: Iterable[str]) -> None:
    """Print each line on standard error."""
    sys.stderr.writelines(f"{line}\n" for line in lines)


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


def is_recursive(args: argparse.Namespace) -> bool:
    """Whether folders in a folder are read."""
    return getattr(args, "recursive", False)


def report_left_out(path: Path | str, format: str | None, args: argparse.Namespace) -> Counter[str]:
    """Print on standard error what is not read of a file or folder; return the counts by reason."""
    path, recursive = Path(path), is_recursive(args)
    format = format or corpora.detect_format(path, recursive)
    encoding = None if getattr(args, "with_fields", False) or path.is_fifo() else args.encoding
    found = left_out.count_left_out(path, format, recursive, encoding)
    print_warnings(filter(None, [left_out.describe_left_out(path, found)]))
    return found


def find_bad_rows(args: argparse.Namespace) -> BadRows | None:
    """Return what collects the rows to leave out; None if a bad row is an error."""
    return getattr(args, "skip_bad", None)


def report_bad_rows(args: argparse.Namespace) -> None:
    """Write the rows that were left out, and end with status 3 if there are any."""
    if bad := find_bad_rows(args):
        bad.write()
        if bad.found:
            print(bad, file=sys.stderr)
            sys.exit(SKIPPED)


def find_date() -> str:
    """The day of the run, in UTC. Raises :class:`ConfigurationError` if the environment names no day."""
    given = os.environ.get(EPOCH)
    if given is None:
        return datetime.now(UTC).date().isoformat()
    try:
        return datetime.fromtimestamp(int(given), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise ConfigurationError(f"{EPOCH}: wanted seconds since 1970, a whole number") from None


def add_types_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that :func:`map_types` reads."""
    parser.add_argument(
        "--types",
        metavar="MAP",
        help="give the spans other types: 2006, 2014 (from meddocan), categories, hipaa, phi, or a TOML file",
    )


def map_types(documents: Iterable[Document], args: argparse.Namespace) -> Iterator[Document]:
    """Yield the documents with the types that the command line wants."""
    return read_map(args.types).apply_all(documents) if args.types else iter(documents)


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
