"""All systems, and two outside taggers, trained and scored on the same synthetic notes.

    python benchmarks/systems.py --out runs/systems [--documents 120] [--test 100] [--iterations 50]
                                 [--seeds 1 2 3] [--only svm hmm ...]

The systems are the rows of ``configs/systems.toml``, the single feature sets of the Mega-deidentifier, the
members of the Multi-deidentifier, spaCy and sklearn-crfsuite. Trains on the synthetic training part, scores
on the test part, which has other genres, names and frames, and prints a table: strict, relaxed and token
scores, words that are PHI or not (the papers' measure), processor seconds of the training, tagged tokens
per processor second (the machine may have other work), megabytes. Then it prints the papers' comparisons,
with a paired bootstrap, and recall by threshold for the systems that have one. With several seeds, each
system is trained on the notes of each, and its scores are of all runs; the bootstrap draws the patients of
the test notes, each with all its runs. Seconds and megabytes are means, recall by threshold is the first
seed's. Finished systems in OUT are not trained again.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from paired import format_difference
from systems_measure import OUTSIDE, Result, measure_tagger, read_or_measure

from crfdeid import cli
from crfdeid.ablate import plan
from crfdeid.config import Config
from crfdeid.evaluate import published_tables
from crfdeid.evaluate.matching import CRITERIA, Criterion
from crfdeid.evaluate.published_tables import align_columns
from crfdeid.evaluate.scores import Scores, score
from crfdeid.synthetic import generate
from crfdeid.systems import model
from crfdeid.text import scheme
from crfdeid.text.document import Document
from crfdeid.text.tokenizer import fine

SEED = 1  # of the test notes, and of the training notes where no other is named
REQUIRED = {"elman": "torch", "jordan": "torch", "spacy": "spacy", "sklearn-crfsuite": "sklearn_crfsuite"}
SHOWN = {criterion: Criterion(criterion) for criterion in CRITERIA} | {"PHI": Criterion("token", binary=True)}
SETS = ("stanford", "mist", "illinois", "mimic")  # Stat-Deid's features are the row svm
# Results of the papers, as pairs of rows: the second is better.
CLAIMS = {
    "Sibanda & Uzuner 2006, tables 2 and 4": [("heuristic", "svm"), ("hmm", "svm"), ("hmm", "heuristic")],
    "Sibanda & Uzuner 2006, tables 3 and 5": [("snow", "svm")],
    "Tafvizi 2011, section 6.1.1": [(f"mega: {name}", "mega") for name in SETS] + [("svm", "mega")],
    "Tafvizi 2011, table B.8": [("mega", "multi")],
    "Tafvizi 2011, chapter 1": [
        (f"multi: {name}", "multi") for name in ("stat_deid", "stanford", "mist", "illinois", "mimic")
    ],
    "Tafvizi 2011, section 7.2.3": [("crf", "two_stage")],
    "Shweta et al. 2016, table 5": [("crf", "elman"), ("crf", "jordan"), ("elman", "jordan")],
}
TABLES = {
    "sibanda-uzuner-2006-table-2": ("SVM PHI", "IFinder PHI", "H+D PHI"),
    "sibanda-uzuner-2006-table-3": ("SVM PHI", "SNoW PHI"),
}


def build_configs(args: argparse.Namespace) -> dict[str, Config]:
    """Return the rows of ``configs/systems.toml`` and Mega's single sets, with the iterations and folds of
    the options, also in the members of a stack."""
    rows = {run.name: run.config for run in plan.read_plan("systems").runs}
    rows |= {f"mega: {name}": replace(rows["mega"], features=(name,)) for name in SETS}
    return {name: shorten_training(settings, args) for name, settings in rows.items()}


def shorten_training(settings: Config, args: argparse.Namespace) -> Config:
    table = settings.to_table()
    for part in (table, *table["options"].get("bases", {}).values()):
        if part.get("crf"):
            part["crf"] = part["crf"] | {"max_iterations": args.iterations}
        if "folds" in part.get("options", {}):
            part["options"] = part["options"] | {"folds": args.folds}
    return replace(settings, crf=table["crf"], options=table["options"])


def format_table(results: Mapping[str, Result], scores: Mapping[str, Scores], tokens: int) -> Iterator[str]:
    """Yield a row per system, and a row with only scores for each member of a stack."""
    yield ""
    rows = [["system", *(f"{t} {part}" for t in SHOWN for part in "PRF"), "train s", "tokens/s", "MB"]]
    for name, of in scores.items():
        counts = [of.micro(track) for track in SHOWN.values()]
        cells = [f"{value:.3f}" for c in counts for value in (c.precision, c.recall, c.f1)]
        cost = ["", "", ""]
        if result := results.get(name):
            cost = [f"{result.train:.0f}", f"{tokens / result.tag:,.0f}", f"{result.megabytes:.1f}"]
        rows.append([name, *cells, *cost])
    yield from align_columns(rows)


def compare_pairs(scores: Mapping[str, Scores]) -> Iterator[str]:
    for source, pairs in CLAIMS.items():
        for one, other in pairs:
            if one in scores and other in scores:
                yield f"\n{source}: {one} -> {other}"
                yield f"  strict     {format_difference(scores[one], scores[other], SHOWN['strict'])}"
                yield f"  PHI or not {format_difference(scores[one], scores[other], SHOWN['PHI'])}"


def format_curves(results: Mapping[str, Result]) -> Iterator[str]:
    for name, result in results.items():
        if result.curve:
            area = result.curve[0][-1]
            cells = (f"{bias:+g}: {r:.3f} at {p:.3f}" for bias, r, p, *_ in result.curve)
            yield f"\n{name}, token recall at precision by recall_bias, area under ROC {area:.4f}"
            yield f"  {'   '.join(cells)}"


def format_papers() -> Iterator[str]:
    for name, chosen in TABLES.items():
        paper = published_tables.read_table(name)
        yield f"\n{paper.paper}, {paper.table}; {paper.corpus}; {paper.criterion}"
        for row in chosen:
            cells = (f"{column} {paper.value(row, column):.3f}" for column in paper.columns)
            yield f"{row:<14}{'   '.join(cells)}"


def choose_systems(all_names: Iterable[str], only: Sequence[str]) -> list[str]:
    """Return the installed systems; with ``only``, those of them that it names."""
    installed = [name for name in all_names if name not in REQUIRED or find_spec(REQUIRED[name])]
    return [name for name in installed if not only or name in only]


def join_runs(runs: Sequence[Result]) -> Result:
    """Return one result of the runs of a system with several seeds; its documents follow one another."""
    count = len(runs)
    found = {name: repeat_notes([run.found[name] for run in runs]) for name in runs[0].found}
    train, tag, megabytes = (sum(column) / count for column in zip(*(run[:3] for run in runs)))
    return Result(train, tag, megabytes, runs[0].curve, found)


def repeat_notes(runs: Sequence[Sequence[Document]]) -> list[Document]:
    """Return the notes of all runs, whose ids get the number of the run; patients stay."""
    return [
        replace(document, id=f"{document.id}.{number}", patient=document.patient or document.id)
        for number, run in enumerate(runs)
        for document in run
    ]


def score_results(results: Mapping[str, Result], test: Sequence[Document]) -> dict[str, Scores]:
    found: dict[str, Scores] = {}
    for name, result in results.items():
        for member, documents in result.found.items():
            found[f"{name}: {member}" if member else name] = score(test, documents, scheme.read_scheme())
    return found


def build_parser(rows: Iterable[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder for the results")
    parser.add_argument("--documents", type=int, default=120, help="to train on (default: 120)")
    parser.add_argument("--test", type=int, default=100, help="to score on (default: 100)")
    parser.add_argument("--iterations", type=int, default=50, help="of each CRF (default: 50)")
    parser.add_argument("--folds", type=int, default=2, help="of two_stage and multi (default: 2)")
    parser.add_argument("--epochs", type=int, default=8, help="of spaCy (default: 8)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[SEED], help="of the notes to train on")
    parser.add_argument("--only", nargs="+", default=(), choices=list(rows))
    return parser


def measure_system(
    name: str, settings: Config | None, test: Sequence[Document], args: argparse.Namespace, seed: int
) -> Result:
    """Train and score a system on the notes of a seed."""
    sizes = (args.documents, args.test, args.iterations, args.folds, args.epochs, seed)
    path = args.out / f"{re.sub('[^a-z_]+', '-', name.lower())}-{'-'.join(map(str, sizes))}.json"

    def measure() -> Result:
        train = list(generate(args.documents, seed, "train"))
        make = partial(model.train, train, settings) if settings else None
        return measure_tagger(make, name, train, test, args)

    return read_or_measure(path, test, measure)


def main(arguments: list[str] | None = None) -> None:
    rows = [run.name for run in plan.read_plan("systems").runs] + [f"mega: {name}" for name in SETS]
    args = build_parser([*rows, *OUTSIDE]).parse_args(arguments)
    settings = build_configs(args)
    test = list(generate(args.test, SEED, "test"))
    wanted = cli.show_progress(choose_systems([*settings, *OUTSIDE], args.only), "systems")
    results = {
        name: join_runs([measure_system(name, settings.get(name), test, args, seed) for seed in args.seeds])
        for name in wanted
    }
    scores = score_results(results, repeat_notes([test] * len(args.seeds)))
    tokens = sum(len(fine(document.text)) for document in test)
    print(
        f"Trained on {args.documents} synthetic notes of the seeds {' '.join(map(str, args.seeds))}, "
        f"scored on {len(test)} of other genres, names and frames"
    )
    for lines in (
        format_table(results, scores, tokens),
        compare_pairs(scores),
        format_curves(results),
        format_papers(),
    ):
        print("\n".join(lines))


if __name__ == "__main__":
    cli.run(main)
