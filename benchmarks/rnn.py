"""Shweta et al. 2016 on synthetic notes: a CRF, an Elman and a Jordan network (their table 5), and the Elman
network with word vectors from three sources (their table 4).

    python benchmarks/rnn.py --out runs/rnn [--documents 300] [--test 150] [--epochs 25] [--seeds 1]
                             [--batch 1] [--vectors FILE] [--text TEXT] [--wider] [--tables 4 5] [--jobs 1]

Trains on the synthetic training part and scores on the test part, which has other genres, names and frames.
Prints scores, cost and 95% intervals of every run, the paper's tables with our figures beside them, and
whether two systems differ. One more CRF uses only words, as the networks do. --seeds trains the networks
also from other seeds, --batch with several sequences in a step, and --wider with wider windows. With
--vectors one more Elman network has the vectors of a file, and with --text CBOW learns from that text too.
--tables 5 leaves out the two other vectors of table 4.
Each run has its own process. Finished runs in OUT are not trained again while the code is the same.

    python benchmarks/rnn.py --steps --documents 12 --epochs 3

Prints, for several sequences in a step, the loss after each epoch and the processor time.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
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
from crfdeid.errors import ConfigurationError
from crfdeid.evaluate import evaluation, published_tables
from crfdeid.evaluate.matching import Criterion
from crfdeid.evaluate.scores import Counts
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.synthetic import generate
from crfdeid.systems import registry

SEED = 1
BATCHES = (1, 8, 16, 32)  # sequences in a step
STRICT = Criterion("strict")
CRF, ELMAN, JORDAN, WORDS = "CRF", "Elman", "Jordan", "CRF, words alone"
VECTORS = {"Random Number": "random", "RNNLM": "rnnlm", "CBOW": "cbow"}  # the rows of table 4
WIDER = {ELMAN: 23, JORDAN: 19}  # table 3's window sizes as the words of each side (section 4.2)
PAIRS = ((CRF, ELMAN), (CRF, JORDAN), (ELMAN, JORDAN), (WORDS, ELMAN), (WORDS, JORDAN))


def set_steps(settings: Config, epochs: int, batch: int = 1) -> Config:
    if settings.system != "rnn":
        return settings
    return replace(settings, options=settings.options | {"epochs": epochs, "batch": batch})


def set_options(run: Run, name: str, **options: object) -> Run:
    return replace(run, name=name, config=replace(run.config, options=run.config.options | options))


def vectors_name(kind: str) -> str:
    return ELMAN if kind == "cbow" else f"{ELMAN}, {kind}"


def seed_name(name: str, seed: int) -> str:
    return f"{name}, seed {seed}" if seed else name


def build_plan(args: argparse.Namespace) -> Plan:
    """Return the paper's three runs, the CRF with only words, and the runs that the options add."""
    shipped = plan.read_plan("shweta_table5", partial(set_steps, epochs=args.epochs, batch=args.batch))
    crf, elman, jordan = shipped.runs
    words = replace(crf, name=WORDS, config=replace(crf.config, features=("lexical",)))
    others = ("rnnlm", "random") if 4 in args.tables else ()
    more = [set_options(elman, vectors_name(kind), embedding=kind) for kind in others]
    if args.vectors:
        more.append(set_options(elman, f"{ELMAN}, vectors of a file", embedding="file", vectors=args.vectors))
    if args.text:
        more.append(set_options(elman, f"{ELMAN}, vectors of a text", text=args.text))
    for run in (elman, jordan):
        more += [set_options(run, seed_name(run.name, seed), seed=seed) for seed in range(1, args.seeds)]
        if args.wider:
            more.append(set_options(run, f"{run.name}, {WIDER[run.name]} words", window=WIDER[run.name]))
    return replace(shipped, runs=(crf, elman, jordan, words, *more))


def train_runs(args: argparse.Namespace, made: Plan, corpora: Mapping[str, Part]) -> dict[str, Result]:
    rows = jobs.build_rows(made, corpora, args.out)
    wanted = [job for row in rows for job in row.jobs]
    left = [job for job in wanted if not job.is_done()]
    with tqdm(
        desc="runs", total=len(wanted), initial=len(wanted) - len(left), disable=None, leave=False
    ) as bar:
        runner.run_jobs(left, args.out, args.jobs, partial(show_iteration, bar))
    return {row.title: results.read_result(row, args.resamples, SEED) for row in rows}


def show_iteration(bar: tqdm, job: Job, iteration: int | None) -> None:
    if iteration is None:
        bar.update()
    else:
        bar.set_postfix_str(f"{job.title}: {iteration}")


def compute_ratios(counts: Counts, head: str = "") -> dict[str, float]:
    return {f"{head}P": counts.precision, f"{head}R": counts.recall, f"{head}F1": counts.f1}


def format_table_5(found: Mapping[str, Result], corpus: str) -> str:
    """Return table 5. In a category's row any type of the category is right; in the last row the type must be
    right. The counts of the paper's table 2 fit only this reading."""
    rows: dict[str, dict[str, float]] = {}
    for name in (CRF, ELMAN, JORDAN):
        scores = found[name].evaluation.scores
        counts = {category: score_category(found[name], category) for category in scores.scheme.categories}
        for category, own in [*counts.items(), ("all", scores.micro(STRICT))]:
            if own != Counts():
                rows.setdefault(category, {}).update(compute_ratios(own, f"{name} "))
    return published_tables.format_beside(published_tables.read_table("shweta-2016-table-5"), rows, corpus)


def format_table_4(found: Mapping[str, Result], corpus: str) -> str:
    scores = {row: found[vectors_name(kind)].evaluation.scores for row, kind in VECTORS.items()}
    rows = {row: compute_ratios(own.micro(STRICT)) for row, own in scores.items()}
    return published_tables.format_beside(published_tables.read_table("shweta-2016-table-4"), rows, corpus)


def format_differences(found: Mapping[str, Result]) -> Iterator[str]:
    for one, other in PAIRS:
        tested = evaluation.compare_randomised(found[other].evaluation, found[one].evaluation, STRICT)
        changes = (
            f"{name} {d.second:.4f} -> {d.first:.4f}, {d.first - d.second:+.4f} (p = {d.p:.4f})"
            for name, d in (("recall", tested["recall"]), ("F1", tested["f1"]))
        )
        yield f"{one} -> {other}: {'; '.join(changes)}"


def format_seeds(found: Mapping[str, Result], seeds: int) -> Iterator[str]:
    """Yield strict F1 and recall of each network, seed by seed."""
    for name in (ELMAN, JORDAN):
        counts = [found[seed_name(name, seed)].evaluation.scores.micro(STRICT) for seed in range(seeds)]
        for metric in ("f1", "recall"):
            values = [getattr(c, metric) for c in counts]
            each = " ".join(f"{value:.4f}" for value in values)
            yield f"{name}, strict {metric}: {each}; mean {statistics.mean(values):.4f}"


def format_report(
    found: Mapping[str, Result], made: Plan, corpora: Mapping[str, Part], args: argparse.Namespace
) -> Iterator[str]:
    listed = list(found.values())
    yield table.format_table(
        table.write_caption(made, listed, corpora), listed, results.build_figures(listed)
    )
    corpus = "synthetic notes, {} to train and {} of other genres, names and frames to test; strict"
    if 5 in args.tables:
        yield format_table_5(found, corpus.format(args.documents, args.test))
    if 4 in args.tables:
        yield format_table_4(found, corpus.format(args.documents, args.test))
    yield "\n".join(
        ["Differences, strict, approximate randomisation of patients", *format_differences(found)]
    )
    if args.seeds > 1:
        yield "\n".join(["Seeds", *format_seeds(found, args.seeds)])


def time_steps(documents: int, epochs: int) -> Iterator[str]:
    """Yield the losses of a word and the processor time of each network, by the sequences in a step. The
    vectors are drawn: learning them does not depend on the steps."""
    from crfdeid.systems.works import rnn_embeddings, rnn_training
    from crfdeid.systems.works.rnn_network import use_threads
    from crfdeid.systems.works.rnn_options import Options

    pipeline = Pipeline(sequence="sentence")
    found = rnn_training.label_documents(pipeline, list(generate(documents, SEED, "train")))
    size = sum(len(words) for words, _ in found)
    for kind, batch in product(("elman", "jordan"), BATCHES):
        settings = registry.read_config(f"rnn_{kind}").options | {"epochs": epochs, "batch": batch}
        options = Options(**settings | {"embedding": "random", "dimensions": 300})
        with use_threads(1), rnn_training.use_seed(options.seed):
            words, vectors = rnn_embeddings.find_vectors([row for row, _ in found], pipeline, options)
            labels = sorted({label for _, row in found for label in row})
            network = rnn_training.build_network(options, vectors, len(labels))
            losses: list[str] = []
            began = time.process_time()
            pairs = rnn_training.make_pairs(found, words, labels)
            rnn_training.descend(network, pairs, None, options, partial(add_loss, losses))
        cost = 1000 * (time.process_time() - began) / size / epochs
        yield f"{kind}, {batch} in a step: loss {' '.join(losses)}; {cost:.3f} ms per token and epoch"


def add_loss(losses: list[str], epoch: int, loss: float) -> None:
    losses.append(f"{loss:.3f}")


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, help="folder for the runs")
    parser.add_argument("--steps", action="store_true", help="only the cost of steps")
    number: Callable[..., object] = partial(parser.add_argument, type=cli.natural_number)
    number("--documents", default=300, help="to train on (default: 300)")
    number("--test", default=150, help="to score on (default: 150)")
    number("--seeds", default=1, help="of each network (default: 1)")
    number("--batch", default=1, help="sequences in a step (default: 1, as in the paper)")
    parser.add_argument("--vectors", metavar="FILE", help="word vectors of word2vec, GloVe or fastText")
    parser.add_argument("--text", help="documents that CBOW learns from too, in any format")
    parser.add_argument("--wider", action="store_true", help="also windows of 23 and 19 words")
    parser.add_argument("--tables", nargs="+", type=int, choices=(4, 5), default=(4, 5), help="of the paper")
    number("--epochs", default=25, help="at most, of each network (default: 25, as in the paper)")
    number("--resamples", default=10_000, help="for intervals (default: 10000)")
    number("--jobs", default=1, help="runs at a time (default: 1)")
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    if args.steps:
        for line in time_steps(args.documents, args.epochs):
            print(line, flush=True)
        return
    if not args.out:
        raise ConfigurationError("--out FOLDER: wanted the folder of the runs, or --steps")
    sizes = {"train": args.documents, "test": args.test}
    corpora = {part: Part(part, tuple(generate(size, SEED, part))) for part, size in sizes.items()}
    made = build_plan(args)
    print("\n\n".join(format_report(train_runs(args, made, corpora), made, corpora, args)))


if __name__ == "__main__":
    cli.run(main)
