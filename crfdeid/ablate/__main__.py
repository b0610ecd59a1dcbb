"""Train and compare the runs of a configuration.

    python -m crfdeid.ablate configs/window.toml corpus/train corpus/test --out runs/window
    python -m crfdeid.ablate settings corpus/train --out runs/settings        cross-validation alone

Stop it at any time: what is finished stays in the folder and is not trained again. docs/experiments.md
shows one table from start to end.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import signal
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tqdm import tqdm

from crfdeid import cli
from crfdeid.ablate import jobs, plan, plot, published_comparison, results, runner, table
from crfdeid.ablate.jobs import Job
from crfdeid.ablate.plan import Plan
from crfdeid.ablate.results import Figures, Result
from crfdeid.ablate.run import TEST, TRAIN
from crfdeid.corpora.folds import Part
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.files import open_whole
from crfdeid.systems import registry


def build_parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(prog="python -m crfdeid.ablate", description=__doc__.split("\n")[0])
    parse.add_argument("config", help="a configuration of runs: a file, or the name of a shipped one")
    parse.add_argument("train", type=Path, help="training corpus, in any format")
    parse.add_argument("test", type=Path, nargs="?", help="test corpus; cross-validation needs none")
    parse.add_argument(
        "--corpus", action="append", default=[], metavar="NAME=PATH", help="another that runs name"
    )
    parse.add_argument("--out", type=Path, required=True, help="folder for the runs and the table")
    parse.add_argument(
        "--jobs", type=cli.natural_number, default=min(2, os.cpu_count() or 1), help="runs at a time"
    )
    parse.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="change the base of all runs"
    )
    parse.add_argument("--again", action="store_true", help="train also what is done")
    parse.add_argument(
        "--resamples", type=cli.natural_number, default=10_000, help="0: no intervals (default: 10000)"
    )
    cli.add_reading_options(parse)
    return parse


def main(arguments: list[str] | None = None) -> None:
    given = build_parser().parse_args(arguments)
    planned = plan.read_plan(given.config, partial(registry.apply_changes, changes=given.set))
    published_comparison.check_published(planned)
    corpora = read_corpora(given, planned)
    rows = jobs.build_rows(planned, corpora, given.out)
    wanted = [job for row in rows for job in row.jobs]
    train_jobs(
        wanted, [job for job in wanted if given.again or not job.is_done()], given.out, max(1, given.jobs)
    )
    shown = cli.progress(rows, "score", len(rows))
    found = [results.read_result(row, given.resamples, planned.seed) for row in shown]
    print(write_tables(planned, found, corpora, given.out))


def read_corpora(args: argparse.Namespace, planned: Plan) -> dict[str, Part]:
    """The corpora by name, those that a run wants."""
    paths = {TRAIN: args.train} | ({TEST: args.test} if args.test else {})
    for other in args.corpus:
        name, _, path = other.partition("=")
        if not path or name in paths:
            raise ConfigurationError(f"--corpus {other}: wanted NAME=PATH, with a name of its own")
        paths[name] = Path(path)
    if unused := sorted(set(paths) - planned.corpora - {TRAIN, TEST}):
        raise ConfigurationError(
            f"--corpus {unused[0]}: no run names it{did_you_mean(unused[0], planned.corpora)}"
        )
    return {name: Part(str(path), tuple(cli.documents(path, None, args))) for name, path in paths.items()}


def train_jobs(wanted: Sequence[Job], left: Sequence[Job], out: Path, at_once: int) -> None:
    """Run the jobs that are left of those wanted, and show how far they are."""
    going: dict[str, int] = {}
    with tqdm(
        desc="runs", total=len(wanted), initial=len(wanted) - len(left), disable=None, leave=False
    ) as bar:

        def hear(job: Job, iteration: int | None) -> None:
            if iteration is None:
                going.pop(job.title, None)
                bar.update()
            else:
                going[job.title] = iteration
            bar.set_postfix_str(", ".join(f"{title}: {number}" for title, number in going.items()))

        runner.run_jobs(left, out, at_once, hear)


def write_tables(planned: Plan, found: list[Result], corpora: dict[str, Part], out: Path) -> str:
    """Write the table in every form; returns it as text."""
    figures = results.build_figures(found)
    caption = table.write_caption(planned, found, corpora)
    text = table.format_table(caption, found, figures, planned.z_tests)
    text = "\n\n".join([text, *compare_with_papers(planned, found, corpora)])
    with open_whole(out / "table.txt") as file:
        file.write(text + "\n")
    with open_whole(out / "table.csv") as file:
        csv.writer(file, lineterminator="\n").writerows(table.build_csv_rows(figures))
    with open_whole(out / "table.json") as file:
        json.dump(table.build_json(caption, found, figures), file, indent=1)
        file.write("\n")
    draw_plot(found, figures, out, caption)
    return text


def compare_with_papers(planned: Plan, found: list[Result], corpora: dict[str, Part]) -> list[str]:
    """The papers' tables beside ours; a table that wants a row which this run has not is named."""
    rows = {result.title: result for result in found}
    texts = []
    for name, titles in planned.published.items():
        if missing := [title for title in titles if title not in rows]:
            texts.append(f"{name}: not shown, for there is no row {missing[0]} (is TEST given?)")
        else:
            chosen = [rows[title] for title in titles] or found
            used = dict.fromkeys(name for row in chosen for name in row.corpora)
            told = [", ".join(row.title for row in chosen)]
            told += [f"{corpus}: {table.describe_part(corpora[corpus])}" for corpus in used]
            texts.append(published_comparison.format_comparison(name, chosen, "; ".join(told)))
    return texts


def draw_plot(found: list[Result], figures: Figures, out: Path, caption: list[str]) -> None:
    try:
        plot.write_plot(found, figures, out, "\n".join(caption[:3]))
    except plot.PlotError as fault:
        cli.complain(str(fault))


if __name__ == "__main__":
    for ending in (signal.SIGTERM, signal.SIGHUP):  # as Ctrl-C: children are ended, nothing half is left
        signal.signal(ending, signal.default_int_handler)
    cli.run(main)
