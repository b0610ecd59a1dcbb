"""Find the PHI in notes.

    crfdeid tag note.txt                              print the note's spans
    crfdeid tag notes/ --out tagged/ --format i2b2    write one file per note
    crfdeid tag notes.csv --out spans.csv             write one file, a row for each span
    crfdeid tag notes.csv --out spans.csv --no-text   the same without the text of the spans
    crfdeid tag notes.csv --out spans.csv --resume    go on where a stopped run of this command was
    cat note.txt | crfdeid tag - --format inline      show the PHI in the text
    crfdeid tag note.txt --policy safe_harbor         leave out what the Safe Harbor allows
    crfdeid tag notes/ --never drugs.txt              leave out the terms of a list
    crfdeid tag note.txt --threshold 0.05             find more, with more false alarms
    crfdeid tag notes.jsonl --patients table.csv      find what a table says of the patients
    crfdeid tag notes.jsonl --part 3/16               tag a sixteenth of the notes

Spans go to standard output. With --out they go to a file, if its name has a suffix, otherwise to a folder,
in one file per note that has the note's stem.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from crfdeid import cli, corpora, plugins
from crfdeid.corpora import note_nlp, span_table
from crfdeid.corpora.format import Format
from crfdeid.corpora.registry import OLD_NAMES
from crfdeid.tag.run import TagPlan, TagRun
from crfdeid.text.document import Document


class OutputFormats(tuple[str, ...]):
    """The formats of ours that hold found spans, and any format of another package, by name."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in plugins.find_plugins(plugins.FORMATS)


FORMATS = OutputFormats(("brat", "i2b2", "jsonl", "spans", "table", "parquet", "inline", "note_nlp"))
TABLES = (span_table.NAME, note_nlp.NAME)  # of spans


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid tag", description=__doc__.split("\n")[0])
    parser.add_argument(
        "notes", nargs="+", help="notes, folders of notes, corpora, or - for one note from standard input"
    )
    add_output_options(parser)
    parser.add_argument("--from", dest="source", metavar="FORMAT", help="of the notes (default: detected)")
    parser.add_argument("--model", help="a model folder (default: the shipped model)")
    parser.add_argument("--language", metavar="NAME", help="of the notes, in place of a model")
    cli.add_policy_option(parser, "what counts as PHI", "every span")
    cli.add_term_options(parser)
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
    add_run_options(parser)
    cli.add_input_options(parser)
    return parser


def add_output_options(parser: argparse.ArgumentParser) -> None:
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


def add_run_options(parser: argparse.ArgumentParser) -> None:
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
        "--part", metavar="K/N", help="tag only share K of N; a hash of a note's id decides its share"
    )


def main(arguments: list[str] | None = None) -> None:
    plan = TagPlan.of(build_parser().parse_args(arguments))
    cli.collect_rarely()
    run = TagRun.of(plan)
    cli.keep_loaded()
    for path in () if plan.is_stream else plan.notes:
        cli.report_left_out(path, plan.reading)
    if plan.output:
        rate = cli.Throughput()
        run.write(rate.count_each(run.tag(), "tag"), plan.output)
        cli.print_warnings((f"{plan.output}; {rate}{run.describe_kept()}",))
    else:
        print_documents(run.tag(), plan.format, run.build_span_format())
    cli.print_warnings(run.lines())
    cli.report_bad_rows(plan.reading.bad)


def print_documents(documents: Iterable[Document], format: str, table: Format) -> None:
    """Print one document after the other, or the spans of all documents as one ``table``."""
    colour = sys.stdout.isatty()
    if format in TABLES:
        assert table.render_corpus
        sys.stdout.writelines(table.render_corpus(documents))
        return
    for document in documents:
        sys.stdout.write(corpora.show_document(document, format, colour))


if __name__ == "__main__":
    cli.run(main)
