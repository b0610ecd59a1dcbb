"""Train and compare the runs of a configuration.

    crfdeid ablate configs/window.toml corpus/train corpus/test --out runs/window
    crfdeid ablate settings corpus/train --out runs/settings        only cross-validation
    crfdeid ablate he_table3 Set1 Set2 --test corpus/test --out runs/he_table3

You can stop it at any time: finished runs stay in the folder and are not trained again. docs/experiments.md
shows one table from start to end.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from tqdm import tqdm

from crfdeid import cli
from crfdeid.ablate import (
    jobs,
    plan,
    plot,
    published_comparison,
    results,
    runner,
    selection_rows,
    table,
)
from crfdeid.ablate.jobs import Job
from crfdeid.ablate.plan import Plan
from crfdeid.ablate.results import Figures, Result
from crfdeid.ablate.run import TEST, TRAIN
from crfdeid.corpora.folds import Part, join_parts
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.evaluate import type_table
from crfdeid.files import hold_output, open_whole
from crfdeid.systems import extras, model, registry
from crfdeid.text.document import describe_doubled

PLOT = "plot"  # the extra of :mod:`crfdeid.ablate.plot`


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid ablate", description=__doc__.split("\n")[0])
    parser.add_argument("config", help="a configuration with runs: a file, or the name of a shipped one")
    add_corpus_options(parser)
    parser.add_argument("--out", type=Path, required=True, help="folder for the runs and the table")
    parser.add_argument(
        "--jobs", type=cli.natural_number, default=min(2, os.cpu_count() or 1), help="runs at a time"
    )
    parser.add_argument(
        "--published",
        action="append",
        default=[],
        metavar="TABLE",
        help="of the papers' tables that the configuration names, print this one beside ours (default: all)",
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="change the base of all runs"
    )
    cli.add_overlaps_option(parser)
    cli.add_extras_option(parser)
    parser.add_argument("--again", action="store_true", help="train finished runs again")
    parser.add_argument(
        "--resamples",
        type=cli.natural_number,
        default=10_000,
        help="for intervals and p; 0: none (default: 10000)",
    )
    cli.add_reading_options(parser)
    return parser


def add_corpus_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "train",
        nargs="+",
        type=Path,
        help="training corpora, in any format; without --test and --no-test, the second of two is the test "
        "corpus",
    )
    test = parser.add_mutually_exclusive_group()
    test.add_argument("--test", type=Path, help="test corpus; cross-validation does not need it")
    test.add_argument("--no-test", action="store_true", help="train on all, for cross-validation only")
    parser.add_argument(
        "--corpus", action="append", default=[], metavar="NAME=PATH", help="another corpus that runs name"
    )


def main(arguments: list[str] | None = None) -> None:
    args = split_test(build_parser().parse_args(arguments))
    changes = [*args.set, *cli.list_changes(args)]
    planned = plan.read_plan(args.config, partial(registry.apply_changes, changes=changes))
    planned = published_comparison.choose_published(planned, args.published)
    published_comparison.check_published(planned)
    if args.extras:
        print(",".join(extras.list_missing([PLOT, *extras.list_extras(run.config for run in planned.runs)])))
        return
    corpora = read_corpora(args, planned)
    if TEST in corpora:
        seen = model.count_seen(corpora[TRAIN].documents, corpora[TEST].documents)
        cli.print_warnings(seen.lines())
    with hold_output(args.out):
        print(run_plan(planned, corpora, args))


def split_test(args: argparse.Namespace) -> argparse.Namespace:
    """Return the arguments with the test corpus in ``test``: it may be the second of two corpora."""
    if args.test or args.no_test or len(args.train) == 1:
        return args
    if len(args.train) > 2:
        raise ConfigurationError(f"{len(args.train)} corpora: wanted --test FOLDER or --no-test with them")
    return argparse.Namespace(**vars(args) | {"train": args.train[:1], "test": args.train[1]})


def run_plan(planned: Plan, corpora: dict[str, Part], args: argparse.Namespace) -> str:
    """Train what is missing, score all rows, write the tables, and return the one to print."""
    rows = jobs.build_rows(planned, corpora, args.out)
    parse_links(planned, corpora)
    train = partial(train_jobs, out=args.out, at_once=max(1, args.jobs), again=args.again)
    rows += selection_rows.build_rows(planned, corpora, args.out, train)
    train([job for row in rows for job in row.jobs])
    progress = cli.show_progress(rows, "score", len(rows))
    finished = [results.read_result(row, args.resamples, planned.seed) for row in progress]
    selection_rows.write_selection(finished, planned, args.out)
    return write_tables(planned, finished, corpora, args.out)


def read_corpora(args: argparse.Namespace, planned: Plan) -> dict[str, Part]:
    """Read the corpora of the command line, by name. Raises :class:`ConfigurationError` on a name that is
    taken, or that no run uses."""
    paths = {TRAIN: args.train} | ({TEST: [args.test]} if args.test else {})
    for other in args.corpus:
        name, _, path = other.partition("=")
        if not path or name in paths:
            raise ConfigurationError(f"--corpus {other}: wanted NAME=PATH, with a new name")
        paths[name] = [Path(path)]
    if unused := sorted(set(paths) - planned.corpora - {TRAIN, TEST}):
        raise ConfigurationError(
            f"--corpus {unused[0]}: no run names it{did_you_mean(unused[0], planned.corpora)}"
        )
    return {name: join_parts([read_part(path, args) for path in some]) for name, some in paths.items()}


def read_part(path: Path, args: argparse.Namespace) -> Part:
    """Read one corpus. Say how many of its spans are doubled."""
    documents = tuple(cli.read_documents(path, None, args))
    cli.print_warnings(f"{path}: {line}" for line in describe_doubled(documents))
    return Part(str(path), documents)


def parse_links(planned: Plan, corpora: dict[str, Part]) -> None:
    """Parse the sentences of the corpora before the runs that need them, which would do so one by one."""
    documents = [document for part in corpora.values() for document in part.documents]
    sentences = extras.list_sentences(documents, [run.config for run in planned.runs])
    cli.show_counts(extras.parse_sentences(sentences), "parse", len(sentences))


def train_jobs(wanted: Sequence[Job], out: Path, at_once: int, again: bool) -> None:
    """Train the jobs that are not done (with ``again``, all of them), and show the progress."""
    left = [job for job in wanted if again or not job.is_done()]
    iterations: dict[str, int] = {}
    with tqdm(
        desc="runs", total=len(wanted), initial=len(wanted) - len(left), disable=None, leave=False
    ) as bar:

        def on_iteration(job: Job, iteration: int | None) -> None:
            if iteration is None:
                iterations.pop(job.title, None)
                bar.update()
            else:
                iterations[job.title] = iteration
            bar.set_postfix_str(", ".join(f"{title}: {number}" for title, number in iterations.items()))

        for some in jobs.share_trainings(left, wanted):
            runner.run_jobs(some, out, at_once, on_iteration)


def write_tables(planned: Plan, finished: list[Result], corpora: dict[str, Part], out: Path) -> str:
    """Write the table in every form, and return it as text."""
    figures = results.build_figures(finished)
    caption = table.write_caption(planned, finished, corpora)
    text = table.format_table(caption, finished, figures, planned.z_tests)
    text = "\n\n".join([text, *compare_with_papers(planned, finished, corpora)])
    with open_whole(out / "table.txt") as file:
        file.write(text + "\n")
    types = results.build_type_tables(finished)
    for name, rows in (
        ("table.csv", table.build_csv_rows(figures)),
        ("types.csv", type_table.build_csv_rows(types)),
    ):
        with open_whole(out / name) as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
    with open_whole(out / "table.json") as file:
        json.dump(table.build_json(caption, finished, figures), file, indent=1)
        file.write("\n")
    paper = table.build_paper_table(finished, figures)
    note = type_table.write_note(types, paper.signature)
    for name, rendered in (
        ("table.tex", paper.render_latex()),
        ("table.md", paper.render_markdown()),
        ("types.tex", type_table.render_latex(types, note)),
        ("types.md", type_table.render_markdown(types, note)),
    ):
        with open_whole(out / name) as file:
            file.write(rendered)
    with open_whole(out / "table.html") as file:
        file.write(table.render_page(planned, finished, figures, corpora, caption))
    draw_plot(finished, figures, out, caption)
    return text


def compare_with_papers(planned: Plan, finished: list[Result], corpora: dict[str, Part]) -> list[str]:
    """Return the papers' tables with our figures beside them; where a row is missing, a line that says so."""
    rows = {result.title: result for result in finished}
    texts = []
    for name, titles in planned.published.items():
        if missing := [title for title in titles if title not in rows]:
            texts.append(f"{name}: not shown, for there is no row {missing[0]} (is TEST given?)")
        else:
            chosen = [rename_run(rows[title], label) for title, label in titles.items()] or finished
            used = dict.fromkeys(name for row in chosen for name in row.corpora)
            about = [", ".join(row.title for row in chosen)]
            about += [f"{corpus}: {table.describe_part(corpora[corpus])}" for corpus in used]
            texts.append(published_comparison.format_comparison(name, chosen, "; ".join(about)))
    return texts


def rename_run(result: Result, name: str) -> Result:
    """Return the result of a run with a paper's name for it, if there is one."""
    run = replace(result.row.run, name=name or result.row.run.name)
    return replace(result, row=replace(result.row, run=run))


def draw_plot(finished: list[Result], figures: Figures, out: Path, caption: list[str]) -> None:
    """Draw the plot; without matplotlib, print one line that says so."""
    try:
        plot.write_plot(finished, figures, out, "\n".join(caption[:3]))
    except plot.PlotError as error:
        cli.report_error(str(error))


if __name__ == "__main__":
    for number in (signal.SIGTERM, signal.SIGHUP):  # as Ctrl-C: children end, and no half result is left
        signal.signal(number, signal.default_int_handler)
    cli.run(main)
