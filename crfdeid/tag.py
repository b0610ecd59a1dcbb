"""Find the PHI in notes.

    python -m crfdeid.tag note.txt                              print the note's spans
    python -m crfdeid.tag notes/ --out tagged/ --format i2b2    write one file per note
    python -m crfdeid.tag notes.csv --out spans.csv             write one file, a row for each span
    python -m crfdeid.tag notes.csv --out spans.csv --no-text   the same without the text of the spans
    python -m crfdeid.tag notes.csv --out spans.csv --resume    go on where a stopped run of this command was
    cat note.txt | python -m crfdeid.tag - --format inline      show the PHI in the text
    python -m crfdeid.tag note.txt --policy safe_harbor         leave out what the Safe Harbor allows
    python -m crfdeid.tag notes/ --never drugs.txt              leave out the terms of a list
    python -m crfdeid.tag note.txt --threshold 0.05             find more, with more false alarms
    python -m crfdeid.tag notes.jsonl --patients table.csv      find what a table says of the patients
    python -m crfdeid.tag notes.jsonl --part 3/16               tag a sixteenth of the notes

Spans go to standard output. With --out they go to a file, if its name has a suffix, otherwise to a folder,
in one file per note that has the note's stem.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from crfdeid import __version__, cli, corpora, plugins, policy
from crfdeid.corpora import note_nlp, omop, span_table, storage
from crfdeid.corpora.format import Format
from crfdeid.corpora.output import Output, choose_output
from crfdeid.corpora.parts import parse_part
from crfdeid.corpora.registry import OLD_NAMES
from crfdeid.corpora.row_numbers import RowNumbers
from crfdeid.corpora.span_journal import NoJournal, SpanJournal
from crfdeid.corpora.tagged_by import TaggedBy, write_record
from crfdeid.errors import ConfigurationError, FormatError, show_id
from crfdeid.files import decode_text, find_date
from crfdeid.systems import model, model_folder, parallel, term_lists, tuned_notes, union
from crfdeid.systems.bias import parse_bias
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.threshold import parse_threshold
from crfdeid.systems.tuned_notes import SeenNotes
from crfdeid.text.document import Document

if TYPE_CHECKING:
    from crfdeid.redact.release import Destination

BY_SUFFIX = {".csv": "spans", ".jsonl": "jsonl", ".parquet": "parquet"}  # of a file that --out names


class OutputFormats(tuple[str, ...]):
    """The formats of ours that hold found spans, and any format of another package, by name."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in plugins.find_plugins(plugins.FORMATS)


FORMATS = OutputFormats(("brat", "i2b2", "jsonl", "spans", "table", "parquet", "inline", "note_nlp"))
TABLES = (span_table.NAME, note_nlp.NAME)  # of spans
STREAM = "-"  # standard input
FREE = ("resume", "overwrite", "jobs", "engine", "skip_bad")  # options that do not change spans


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m crfdeid.tag", description=__doc__.split("\n")[0])
    parser.add_argument(
        "notes", nargs="+", help="notes, folders of notes, corpora, or - for one note from standard input"
    )
    parser.add_argument(
        "--out", type=Path, help="a folder, or a file such as spans.csv or tagged.jsonl (default: print them)"
    )
    parser.add_argument(
        "--format",
        type=lambda name: OLD_NAMES.get(name, name),
        choices=FORMATS,
        help="of the output; spans: a table with a row for each span, as .csv, .jsonl or .parquet (default: "
        "what the file's suffix says, spans for .csv and for standard output, i2b2 for a folder)",
    )
    parser.add_argument("--no-text", action="store_true", help="leave the text out of the table of spans")
    parser.add_argument("--from", dest="source", metavar="FORMAT", help="of the notes (default: detected)")
    parser.add_argument("--model", help="a model folder (default: the shipped model)")
    shipped = ", ".join(policy.list_shipped())
    parser.add_argument(
        "--policy", metavar="NAME", help=f"what counts as PHI: {shipped} or a TOML file (default: every span)"
    )
    term_lists.add_term_options(parser)
    parser.add_argument(
        "--patients", type=Path, metavar="FILE", help="a CSV table of what is known of the notes' patients"
    )
    parser.add_argument("--probabilities", action="store_true", help="give each span its probability")
    cli.add_threshold_option(parser)
    cli.add_types_option(parser)
    parser.add_argument(
        "--recall-bias",
        action="append",
        metavar="B",
        help="in place of the model's bias for recall: a number, or TYPE=NUMBER (more finds more)",
    )
    parser.add_argument("--overwrite", action="store_true", help="write into a folder that holds files")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="keep each note when it is tagged (in the folder, or beside one file), so that the same command "
        "goes on after a stop",
    )
    parser.add_argument(
        "--engine",
        choices=("fast", "crfsuite"),
        default="fast",
        help="both give the same labels",
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="number of processes (default: 1)")
    parser.add_argument(
        "--part", metavar="K/N", help="tag part K of N of the notes, which a hash of their ids makes"
    )
    cli.add_input_options(parser)
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    cli.collect_rarely()
    chosen = policy.read_policy(args.policy) if args.policy else None
    args.format = args.format or find_table(args)
    output = choose_output(args.out, args.format, "i2b2", BY_SUFFIX) if args.out else None
    check_options(args, output)
    terms = term_lists.read_terms(args, chosen)
    tagger = model.load(args.model, args.engine, parse_bias(args.recall_bias))
    cli.keep_loaded()
    seen, rows = SeenNotes(read_training_hashes(args.model)), RowNumbers()
    resumed = open_folder(output) if args.resume and output and not output.is_file else None
    documents = select_missing(seen.count_each(read_notes(args, rows)), resumed)
    journal = open_journal(args, output, terms)
    documents = journal.tag(documents, partial(tag_documents, tagger, args=args))
    if chosen:
        chosen.check_scheme(tagger.scheme)
        documents = map(chosen.select_phi, documents)
    if terms:
        terms.check_scheme(tagger.scheme)
        documents = map(terms.apply, documents)
    documents = cli.map_types(documents, args)
    documents, known_lines = mark_known_patients(documents, args)
    table = build_span_format(args, rows)
    if output:
        rate = cli.Throughput()
        shown = rate.count_each(documents, "tag")
        if resumed:
            resumed.write(shown, options_hash=hash_options(args, terms))
        else:
            output.write(shown, args.overwrite, table if output.format == table.name else None)
            journal.remove()
        if not output.is_file:
            write_record(output.path, describe_tagging(args, seen))
        kept = f"; {journal.kept:,} of them were tagged before" * bool(journal.kept)
        cli.print_warnings((f"{output}; {rate}{kept}",))
    else:
        print_documents(documents, args.format or span_table.NAME, table)
    cli.print_warnings((*terms.lines(), *known_lines(), *seen.lines()))
    cli.report_bad_rows(args)


def find_table(args: argparse.Namespace) -> str | None:
    """Return the table of spans that belongs to rows of OMOP's NOTE, where a table of spans is written."""
    if args.out and args.out.suffix.lower() != ".csv":
        return None
    return note_nlp.NAME if {find_source(path, args) for path in args.notes} == {omop.FORMAT.name} else None


def check_options(args: argparse.Namespace, output: Output | None) -> None:
    """Raise :class:`ConfigurationError` where options contradict each other."""
    format = output.format if output else args.format or span_table.NAME
    if args.no_text and format != span_table.NAME:
        raise ConfigurationError(f"--no-text: {format} holds the notes; wanted --format {span_table.NAME}")
    if args.resume and (output is None or (not output.is_file and format == span_table.NAME)):
        raise ConfigurationError("--resume: wanted --out FILE, or a folder in a format that holds the notes")
    if STREAM in args.notes and len(args.notes) > 1:
        raise ConfigurationError("-: standard input is one note; wanted no other input beside it")


def build_span_format(args: argparse.Namespace, rows: RowNumbers) -> Format:
    """Return the format of a table of spans that says what found them."""
    if args.format == note_nlp.NAME:
        system = f"crfdeid {__version__} {args.model or model.DEFAULT}"
        return note_nlp.NoteNlp(system, find_date()).build_format()
    table = span_table.SpanTable(
        args.model or model.DEFAULT, __version__, not args.no_text, args.delimiter, rows.find
    )
    return table.build_format()


def select_missing(notes: Iterator[Document], destination: Destination | None) -> Iterator[Document]:
    """Leave out the notes that an earlier run has written."""
    return (note for note in notes if not destination.has(note.id)) if destination else notes


def open_journal(
    args: argparse.Namespace, output: Output | None, terms: term_lists.Terms
) -> SpanJournal | NoJournal:
    """Open the journal of one file that is resumed. Raises :class:`FormatError` where the file exists."""
    if not (args.resume and output and output.is_file):
        return NoJournal()
    storage.refuse_existing(output.path, args.overwrite)
    return SpanJournal(output.path, hash_options(args, terms))


def open_folder(output: Output) -> Destination:
    """Open the folder that is written note by note."""
    from crfdeid.redact.release import Destination

    return Destination(output.path, output.format, resume=True)


def hash_options(args: argparse.Namespace, terms: term_lists.Terms) -> str:
    """Return a hash of what decides the spans; a run that is resumed needs the same."""
    settings = [(key, str(value)) for key, value in sorted(vars(args).items()) if key not in FREE]
    return hashlib.sha256(repr((settings, terms.options)).encode()).hexdigest()


def read_training_hashes(name: str | None) -> set[str]:
    """Read the hashes of the notes that trained a model, or models joined by "+", where it has a list."""
    name = name or model.DEFAULT
    names = [name] if Path(name).exists() else name.split(union.JOIN)
    lists = (tuned_notes.read_model_list(model_folder.find_folder(each)) for each in names)
    return {hash for found in lists if found for hash in found}


def describe_tagging(args: argparse.Namespace, seen: SeenNotes) -> TaggedBy:
    """Return what a folder of tagged notes keeps of the run."""
    return TaggedBy(args.model or model.DEFAULT, __version__, seen.seen, seen.total)


def mark_known_patients(
    documents: Iterator[Document], args: argparse.Namespace
) -> tuple[Iterator[Document], Callable[[], Iterable[str]]]:
    """Mark what the table of the command line has, and what messages say of their patients; also return a
    function that says what it did."""
    inputs = [(Path(path), find_source(path, args)) for path in args.notes]
    if args.patients is None and not any(corpora.find_format(f, "read").read_messages for _, f in inputs):
        return documents, tuple
    from crfdeid.redact import known_patients

    known = known_patients.read_patients(args, inputs)
    return map(known.mark, documents), known.lines


def find_source(path: str, args: argparse.Namespace) -> str:
    """Return the format of the notes in a path."""
    if args.source or path == STREAM:
        return str(args.source or "text")
    return corpora.detect_format(Path(path), cli.is_recursive(args))


def tag_documents(
    tagger: Tagger, documents: Iterator[Document], args: argparse.Namespace
) -> Iterator[Document]:
    """Tag with the options of the command line."""
    if args.jobs < 1:
        raise ConfigurationError(f"--jobs {args.jobs}: wanted 1 or more")
    threshold = parse_threshold(args.threshold)
    if threshold:
        tagger.check_threshold(threshold)
    if args.jobs > 1 and not args.probabilities:
        return parallel.tag_in_processes(
            tagger, args.model, args.engine, documents, args.jobs, threshold, parse_bias(args.recall_bias)
        )
    return tagger.tag_all(documents, args.probabilities, threshold)


def print_documents(documents: Iterable[Document], format: str, table: Format) -> None:
    """Print one document after the other, or the spans of all documents as one ``table``."""
    colour = sys.stdout.isatty()
    if format in TABLES:
        sys.stdout.writelines(corpora.render_corpus(documents, table))
        return
    for document in documents:
        sys.stdout.write(corpora.show_document(document, format, colour))


def read_notes(args: argparse.Namespace, rows: RowNumbers) -> Iterator[Document]:
    """Read the notes of the paths, or of a part of them, or one note from standard input."""
    part = parse_part(args.part) if args.part else None
    if args.notes != [STREAM]:
        for path in args.notes:
            cli.report_left_out(path, args.source, args)
        notes = refuse_repeated(chain.from_iterable(read_file(path, args, rows) for path in args.notes), args)
        return part.select(notes) if part else notes
    if part:
        raise ConfigurationError("--part: standard input is read as one note; wanted a file or folder")
    text = decode_text(sys.stdin.buffer.read(), "standard input", args.encoding)
    if args.source not in (None, "text"):
        raise FormatError("standard input is read as one plain note; --from is for files")
    return rows.count_each([Document(STREAM, text)])


def read_file(path: str, args: argparse.Namespace, rows: RowNumbers) -> Iterator[Document]:
    """Read the notes of one path, and number them."""
    bad = cli.find_bad_rows(args)
    return rows.count_each(cli.read_documents(path, args.source, args), bad.found if bad else ())


def refuse_repeated(documents: Iterable[Document], args: argparse.Namespace) -> Iterator[Document]:
    """Yield the notes of several paths. Raises :class:`FormatError` where an id occurs twice."""
    if len(args.notes) == 1:
        yield from documents
        return
    seen: set[str] = set()
    for number, document in enumerate(documents, 1):
        if document.id in seen:
            shown = show_id(document.id, f"number {number}")
            raise FormatError(f"document {shown} of all inputs together: its id occurs in an earlier input")
        seen.add(document.id)
        yield document


if __name__ == "__main__":
    cli.run(main)
