"""Shweta et al. 2016 on synthetic notes: a CRF, an Elman and a Jordan network (their table 5), and the
Elman network by how the vectors of its words were learned (table 4).

    python benchmarks/rnn.py --out runs/rnn [--documents 300] [--test 150] [--epochs 25] [--seeds 1]
                             [--wider] [--jobs 1]

Trains on the synthetic training part, scores on the test part, which has genres, names and frames of
its own. Prints every run's scores, cost and 95% intervals, the paper's tables with ours beside them,
and whether two systems differ. A CRF that sees words alone, as the networks do, stands beside the
others; --seeds trains the networks from other beginnings too, and --wider on wider windows. Each run has
a process of its own; what is finished in OUT is not trained again, as long as the code is the same.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from tqdm import tqdm

from crfdeid import cli
from crfdeid.ablate import jobs, plan, results, runner, table
from crfdeid.ablate.jobs import Job
from crfdeid.ablate.plan import Plan
from crfdeid.ablate.published_comparison import score_category
from crfdeid.ablate.results import Result
from crfdeid.ablate.run import Run
from crfdeid.config import Config
from crfdeid.corpora.folds import Part
from crfdeid.evaluate import evaluation, published_tables
from crfdeid.evaluate.matching import Criterion
from crfdeid.evaluate.scores import Counts
from crfdeid.synthetic import generate

SEED = 1
STRICT = Criterion("strict")
CRF, ELMAN, JORDAN, WORDS = "CRF", "Elman", "Jordan", "CRF, words alone"
VECTORS = {"Random Number": "random", "RNNLM": "rnnlm", "CBOW": "cbow"}  # the rows of table 4
WIDER = {ELMAN: 23, JORDAN: 19}  # table 3's window sizes as the words of each side (section 4.2)
PAIRS = ((CRF, ELMAN), (CRF, JORDAN), (ELMAN, JORDAN), (WORDS, ELMAN), (WORDS, JORDAN))


def with_epochs(settings: Config, epochs: int) -> Config:
    if settings.system != "rnn":
        return settings
    return replace(settings, options=settings.options | {"epochs": epochs})


def with_options(run: Run, name: str, **options: object) -> Run:
    return replace(run, name=name, config=replace(run.config, options=run.config.options | options))


def vectors(kind: str) -> str:
    return ELMAN if kind == "cbow" else f"{ELMAN}, {kind}"


def seeded(name: str, seed: int) -> str:
    return f"{name}, seed {seed}" if seed else name


def planned(args: argparse.Namespace) -> Plan:
    """The paper's three runs, the CRF of words alone, and what else was asked for."""
    shipped = plan.read_plan("shweta_table5", partial(with_epochs, epochs=args.epochs))
    crf, elman, jordan = shipped.runs
    words = replace(crf, name=WORDS, config=replace(crf.config, features=("lexical",)))
    more = [with_options(elman, vectors(kind), embedding=kind) for kind in ("rnnlm", "random")]
    for run in (elman, jordan):
        more += [with_options(run, seeded(run.name, seed), seed=seed) for seed in range(1, args.seeds)]
        if args.wider:
            more.append(with_options(run, f"{run.name}, {WIDER[run.name]} words", window=WIDER[run.name]))
    return replace(shipped, runs=(crf, elman, jordan, words, *more))


def trained(args: argparse.Namespace, made: Plan, corpora: Mapping[str, Part]) -> dict[str, Result]:
    rows = jobs.build_rows(made, corpora, args.out)
    wanted = [job for row in rows for job in row.jobs]
    left = [job for job in wanted if not job.is_done()]
    with tqdm(
        desc="runs", total=len(wanted), initial=len(wanted) - len(left), disable=None, leave=False
    ) as bar:
        runner.run_jobs(left, args.out, args.jobs, partial(shown, bar))
    return {row.title: results.read_result(row, args.resamples, SEED) for row in rows}


def shown(bar: tqdm, job: Job, iteration: int | None) -> None:
    if iteration is None:
        bar.update()
    else:
        bar.set_postfix_str(f"{job.title}: {iteration}")


def ratios(counts: Counts, head: str = "") -> dict[str, float]:
    return {f"{head}P": counts.precision, f"{head}R": counts.recall, f"{head}F1": counts.f1}


def table_5(found: Mapping[str, Result], corpus: str) -> str:
    """In a category's row any of its types stands for another, and in the last none does: by table 2's
    counts the paper's rows do not make up its last one, unless it was so."""
    rows: dict[str, dict[str, float]] = {}
    for name in (CRF, ELMAN, JORDAN):
        scores = found[name].evaluation.scores
        counts = {category: score_category(found[name], category) for category in scores.scheme.categories}
        for category, own in [*counts.items(), ("all", scores.micro(STRICT))]:
            if own != Counts():
                rows.setdefault(category, {}).update(ratios(own, f"{name} "))
    return published_tables.format_beside(published_tables.read_table("shweta-2016-table-5"), rows, corpus)


def table_4(found: Mapping[str, Result], corpus: str) -> str:
    scores = {row: found[vectors(kind)].evaluation.scores for row, kind in VECTORS.items()}
    rows = {row: ratios(own.micro(STRICT)) for row, own in scores.items()}
    return published_tables.format_beside(published_tables.read_table("shweta-2016-table-4"), rows, corpus)


def differences(found: Mapping[str, Result]) -> Iterator[str]:
    for one, other in PAIRS:
        tested = evaluation.compare_randomised(found[other].evaluation, found[one].evaluation, STRICT)
        told = (
            f"{name} {d.second:.4f} -> {d.first:.4f}, {d.first - d.second:+.4f} (p = {d.p:.4f})"
            for name, d in (("recall", tested["recall"]), ("F1", tested["f1"]))
        )
        yield f"{one} -> {other}: {'; '.join(told)}"


def spread(found: Mapping[str, Result], seeds: int) -> Iterator[str]:
    """Strict F1 and recall of each network, seed by seed."""
    for name in (ELMAN, JORDAN):
        counts = [found[seeded(name, seed)].evaluation.scores.micro(STRICT) for seed in range(seeds)]
        for metric in ("f1", "recall"):
            values = [getattr(c, metric) for c in counts]
            each = " ".join(f"{value:.4f}" for value in values)
            yield f"{name}, strict {metric}: {each}; mean {statistics.mean(values):.4f}"


def report(
    found: Mapping[str, Result], made: Plan, corpora: Mapping[str, Part], args: argparse.Namespace
) -> Iterator[str]:
    listed = list(found.values())
    yield table.format_table(
        table.write_caption(made, listed, corpora), listed, results.build_figures(listed)
    )
    corpus = "synthetic notes, {} to train and {} of other genres, names and frames to test; strict"
    yield table_5(found, corpus.format(args.documents, args.test))
    yield table_4(found, corpus.format(args.documents, args.test))
    yield "\n".join(["Differences, strict, approximate randomisation of patients", *differences(found)])
    if args.seeds > 1:
        yield "\n".join(["Seeds", *spread(found, args.seeds)])


def parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("--out", type=Path, required=True, help="folder for the runs")
    number: Callable[..., object] = partial(parse.add_argument, type=cli.natural_number)
    number("--documents", default=300, help="to train on (default: 300)")
    number("--test", default=150, help="to score on (default: 150)")
    number("--seeds", default=1, help="of each network (default: 1)")
    parse.add_argument("--wider", action="store_true", help="also windows of 23 and 19 words")
    number("--epochs", default=25, help="at most, of each network (default: 25, as in the paper)")
    number("--resamples", default=10_000, help="for intervals (default: 10000)")
    number("--jobs", default=1, help="runs at a time (default: 1)")
    return parse


def main(arguments: list[str] | None = None) -> None:
    given = parser().parse_args(arguments)
    sizes = {"train": given.documents, "test": given.test}
    corpora = {part: Part(part, tuple(generate(size, SEED, part))) for part, size in sizes.items()}
    made = planned(given)
    print("\n\n".join(report(trained(given, made, corpora), made, corpora, given)))


if __name__ == "__main__":
    cli.run(main)
