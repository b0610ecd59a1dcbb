"""Score a system's documents against gold ones.

    crfdeid evaluate gold/ system/
    crfdeid evaluate gold/ system/ --json scores.json --html errors.html
    crfdeid evaluate gold/ system/ --against other/      is the difference real?
    crfdeid evaluate gold/ system/ --against other/ --latex table.tex

Either side may be in any format. docs/scoring.md explains each number.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from crfdeid import cli
from crfdeid.corpora.output import read_record
from crfdeid.corpora.token_marks import read_token_marks
from crfdeid.errors import ConfigurationError
from crfdeid.evaluate import error_analysis, error_page, paper_counts, report, type_table
from crfdeid.evaluate.evaluation import (
    Comparison,
    Evaluation,
    EvaluationOptions,
    compare,
    evaluate,
    read_sides,
)
from crfdeid.evaluate.published_tables import PublishedTable, list_tables, read_table
from crfdeid.files import open_whole
from crfdeid.text import scheme
from crfdeid.text.document import Document


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid evaluate", description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("gold", type=Path, help="a file or folder with the right spans")
    add("system", type=Path, help="the same documents with the spans that the system found")
    add("--against", type=Path, metavar="OTHER", help="a second system, to compare with")
    add("--rules", choices=("i2b2", "meddocan"), default="i2b2", help="official scores to use")
    add("--scheme", help="label scheme (default: the rules' own)")
    cli.add_types_option(parser)
    add("--hipaa", choices=("script", "list"), default="script", help="list includes IDNUM")
    add("--missing-documents", choices=("error", "ignore"), default="error", help="only in gold")
    add("--unknown-types", choices=("error", "count"), default="error", help="types not in the scheme")
    add("--format", "--from", help="of all sides (default: detected)")
    add("--encoding", default="utf-8", help="of all sides (default: utf-8)")
    add("--by", choices=("document", "patient"),
        help="the unit that is resampled (default: patient where ids or files name them)")  # fmt: skip
    add("--resamples", type=cli.natural_number, default=10_000, help="0: no intervals (default: 10000)")
    add("--seed", type=int, default=0, help="of the resamples (default: 0)")
    add("--tokens", type=Path, metavar="FILE", help="also score only the tokens of this table")
    add("--published", metavar="TABLE",
        help="print a paper's counts of instances beside ours, such as "
        "douglass-2005-table-5-4")  # fmt: skip
    add("--json", type=Path, metavar="FILE", help="write every figure")
    add("--csv", type=Path, metavar="FILE", help="write one row for each error, without text")
    add("--html", type=Path, metavar="FILE", help="write a page to read; it holds note text")
    add(
        "--latex",
        type=Path,
        metavar="FILE",
        help="write the tables for a paper, one of them by type (booktabs)",
    )
    add("--markdown", type=Path, metavar="FILE", help="write the same tables in Markdown")
    add("--types-csv", type=Path, metavar="FILE", help="write strict P, R and F1 by type, with intervals")
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    published = find_published(args.published) if args.published else None
    options = build_options(args)
    paths = [path for path in (args.gold, args.system, args.against) if path]
    gold, *systems = read_sides(paths, options, args.format, args.encoding)
    options = replace(options, unit=args.by or choose_unit(side.document for side in gold))
    evaluation, *others = [evaluate(gold, system, options) for system in systems]
    names = name_systems(paths[1:])
    texts = [report.format_report(evaluation)]
    if args.tokens:
        texts.append(format_subset_scores(evaluation, args))
    if published:
        texts.append(format_published(published, evaluation, args.gold.name))
    figures = report.build_json(evaluation) if args.json else {}
    comparisons = [compare(evaluation, other) for other in others]
    compared = [report.format_comparison(each, evaluation.signature, options, names) for each in comparisons]
    for comparison in comparisons:
        figures["systems"] = names
        figures["comparison"] = report.build_comparison_json(comparison, evaluation.signature, options)
    cli.print_warnings(warn_of_seen_notes(paths[1:]))
    write_tables(args, dict(zip(names, [evaluation, *others])), comparisons)
    shown = [report.format_summary(other) for other in others]
    write_files(args, evaluation, figures)  # a reader may close the pipe early
    if args.html:
        corpus = args.gold.name
        error_page.write_page([evaluation, *others], args.html, names, [*shown, *compared], corpus)
    print("\n\n".join([*texts, *compared]))


def find_published(name: str) -> PublishedTable:
    """Read a paper's table. Raises :class:`ConfigurationError` where it has no counts of instances."""
    table = read_table(name)
    if not paper_counts.is_table_of_instances(table):
        known = [n for n in list_tables() if paper_counts.is_table_of_instances(read_table(n))]
        raise ConfigurationError(f"--published {name}: no counts of instances; wanted {' or '.join(known)}")
    return table


def format_published(table: PublishedTable, evaluation: Evaluation, name: str) -> str:
    """Format a paper's counts of instances with ours beside them."""
    corpus = f"{name} ({len(evaluation.pairs)} notes)"
    return paper_counts.format_instances(table, evaluation.pairs, evaluation.options.scheme, corpus)


def name_systems(paths: Sequence[Path]) -> list[str]:
    """Return what the systems are called: the models that tagged the folders where their names are known, or
    the names of the paths; whole paths where these would be the same."""
    records = [read_record(path) for path in paths]
    names = [Path(record.model).name if record else path.stem for record, path in zip(records, paths)]
    return names if len(set(names)) == len(names) else [str(path) for path in paths]


def write_tables(
    args: argparse.Namespace, systems: Mapping[str, Evaluation], comparisons: Sequence[Comparison]
) -> None:
    """Write the tables for a paper in the forms that were asked for."""
    if not (args.latex or args.markdown or args.types_csv):
        return
    table = type_table.build_table(list(systems), list(systems.values()), comparisons)
    first, *others = systems
    types = type_table.build_type_tables(systems, dict.fromkeys(others, systems[first]))
    note = type_table.write_note(types, table.signature)
    for path, text in (
        (args.latex, table.render_latex() + "\n" + type_table.render_latex(types, note)),
        (args.markdown, table.render_markdown() + "\n" + type_table.render_markdown(types, note)),
    ):
        if path:
            with open_whole(path) as file:
                file.write(text)
    if args.types_csv:
        with open_whole(args.types_csv) as file:
            csv.writer(file, lineterminator="\n").writerows(type_table.build_csv_rows(types))


def warn_of_seen_notes(systems: Iterable[Path]) -> Iterator[str]:
    """Warn of folders that a model tagged which had seen their notes."""
    for path in systems:
        record = read_record(path)
        if record and (line := record.describe()):
            yield f"{path}: {line}"


def build_options(args: argparse.Namespace) -> EvaluationOptions:
    types = scheme.read_map(args.types) if args.types else None
    if types and args.scheme:
        raise ConfigurationError("--types and --scheme: wanted one of them; a map names its scheme")
    name = args.scheme or {"i2b2": "i2b2-2014", "meddocan": "meddocan"}[args.rules]
    return EvaluationOptions(
        scheme=types.scheme if types else scheme.read_scheme(name),
        types=types,
        rules=args.rules,
        hipaa=args.hipaa,
        missing_documents=args.missing_documents,
        unknown_types=args.unknown_types,
        resamples=args.resamples,
        seed=args.seed,
    )


def choose_unit(documents: Iterable[Document]) -> str:
    """Return ``patient`` where documents name one, for a patient's notes are alike."""
    return "patient" if any(document.patient for document in documents) else "document"


def format_subset_scores(evaluation: Evaluation, args: argparse.Namespace) -> str:
    """Score only the tokens of a table that ``reidentify`` wrote."""
    gold, system = zip(*evaluation.pairs)
    return paper_counts.format_table(gold, system, read_token_marks(args.tokens), args.resamples)


def write_files(args: argparse.Namespace, evaluation: Evaluation, figures: dict[str, Any]) -> None:
    """Write the JSON and the table of errors that were asked for."""
    if args.json:
        with open_whole(args.json) as file:
            json.dump(figures, file, indent=1, ensure_ascii=False)
            file.write("\n")
    if args.csv:
        import pandas  # its import takes half a second

        rows = error_analysis.build_rows(evaluation.errors)
        frame = pandas.DataFrame(rows, columns=error_analysis.COLUMNS, dtype=object)
        with open_whole(args.csv) as file:
            frame.to_csv(file, index=False, lineterminator="\n")


if __name__ == "__main__":
    cli.run(main)
