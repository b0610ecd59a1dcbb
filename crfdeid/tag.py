"""Find the PHI in notes.

    python -m crfdeid.tag note.txt                              print the note's spans
    python -m crfdeid.tag notes/ --out tagged/ --format i2b2    write one file per note
    python -m crfdeid.tag notes.csv --out spans.csv             write one file, a row for each span
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
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from crfdeid import __version__, cli, corpora, policy
from crfdeid.corpora.output import choose_output
from crfdeid.corpora.parts import parse_part
from crfdeid.corpora.tagged_by import TaggedBy, write_record
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.files import decode_text
from crfdeid.systems import model, model_folder, parallel, term_lists, tuned_notes, union
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.threshold import parse_threshold
from crfdeid.systems.tuned_notes import SeenNotes
from crfdeid.text.document import Document

BY_SUFFIX = {".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet"}  # of a file that --out names
FORMATS = ("brat", "i2b2", "jsonl", "csv", "table", "parquet", "inline")


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m crfdeid.tag", description=__doc__.split("\n")[0])
    parser.add_argument("notes", help="a note, a folder of notes, a corpus, or - for standard input")
    parser.add_argument(
        "--out", type=Path, help="a folder, or a file such as spans.csv or tagged.jsonl (default: print them)"
    )
    parser.add_argument("--format", choices=FORMATS, help="of the output (default: csv; of a folder: i2b2)")
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
    parser.add_argument("--overwrite", action="store_true", help="write into a folder that holds files")
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
    cli.add_reading_options(parser)
    cli.add_recursive_option(parser)
    cli.add_skip_option(parser)
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    chosen = policy.read_policy(args.policy) if args.policy else None
    output = choose_output(args.out, args.format, "i2b2", BY_SUFFIX) if args.out else None
    terms = term_lists.read_terms(args, chosen)
    tagger = model.load(args.model, args.engine)
    seen = SeenNotes(read_training_hashes(args.model))
    documents = tag_documents(tagger, seen.count_each(read_notes(args)), args)
    if chosen:
        chosen.check_scheme(tagger.scheme)
        documents = map(chosen.select_phi, documents)
    if terms:
        terms.check_scheme(tagger.scheme)
        documents = map(terms.apply, documents)
    documents, known_lines = mark_known_patients(documents, args)
    if output:
        shown = cli.show_progress(documents, "tag")
        output.write(shown, args.overwrite)
        if not output.is_file:
            write_record(output.path, describe_tagging(args, seen))
        print(output, file=sys.stderr)
    else:
        print_documents(documents, args.format or "csv")
    cli.print_warnings((*terms.lines(), *known_lines(), *seen.lines()))
    cli.report_bad_rows(args)


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
    format = find_source(args)
    if args.patients is None and corpora.find_format(format, "read").read_messages is None:
        return documents, tuple
    from crfdeid.redact import known_patients

    known = known_patients.read_patients(args, format)
    return map(known.mark, documents), known.lines


def find_source(args: argparse.Namespace) -> str:
    """Return the format of the notes."""
    return args.source or (
        "text" if args.notes == "-" else corpora.detect_format(Path(args.notes), cli.is_recursive(args))
    )


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
        return parallel.tag_in_processes(tagger, args.model, args.engine, documents, args.jobs, threshold)
    return tagger.tag_all(documents, args.probabilities, threshold)


def print_documents(documents: Iterable[Document], format: str) -> None:
    """Print one document after the other; as CSV, the spans of all documents as one table."""
    colour = sys.stdout.isatty()
    if format == "csv":
        sys.stdout.writelines(corpora.render_corpus(documents, "csv"))
        return
    for document in documents:
        sys.stdout.write(corpora.show_document(document, format, colour))


def read_notes(args: argparse.Namespace) -> Iterator[Document]:
    """Read the notes of the path, or of a part of it, or one note from standard input."""
    part = parse_part(args.part) if args.part else None
    if args.notes != "-":
        cli.report_left_out(args.notes, args.source, args)
        notes = cli.read_documents(args.notes, args.source, args)
        return part.select(notes) if part else notes
    if part:
        raise ConfigurationError("--part: standard input is read as one note; wanted a file or folder")
    text = decode_text(sys.stdin.buffer.read(), "standard input", args.encoding)
    if args.source not in (None, "text"):
        raise FormatError("standard input is read as one plain note; --from is for files")
    return iter([Document("-", text)])


if __name__ == "__main__":
    cli.run(main)
