"""All systems, and two outside references, trained and scored on the same synthetic notes.

    python benchmarks/systems.py --out runs/systems [--documents 300] [--test 150] [--iterations 60]
                                 [--epochs 8] [--only svm hmm ...]

Trains on the synthetic training part, scores on the test part, which has genres, names and frames of
its own, and prints a table: strict, relaxed and token scores, processor seconds of the training,
tokens tagged a processor second (the machine may have other work), megabytes. Then points
of recall against precision for the systems with a threshold, what the second stage adds to the
CRF's recall, and the papers' comparisons. What is finished in OUT is not trained again.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import outside

from crfdeid import bio, command, experiment, files, model, published, scheme, significance, systems
from crfdeid.document import Document, Span
from crfdeid.exposure import grouped
from crfdeid.matching import CRITERIA, Track
from crfdeid.scores import Scores, score
from crfdeid.synthetic import generate
from crfdeid.systems.linear import Tagger
from crfdeid.text_table import aligned
from crfdeid.tokenizer import fine

SEED = 1
PLAIN, TWICE = "crf", "two_stage"
CONFIGS = {
    "rules": "", "heuristic": "", "svm": "svm", "mega": "mega", "snow": "snow", "hmm": "hmm",
    PLAIN: "english", TWICE: "two_stage", "multi": "multi",
}  # fmt: skip
OUTSIDE = {"spacy": outside.spacy, "sklearn-crfsuite": outside.sklearn_crfsuite}
BIASES = (-1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 2.0, 4.0)  # what is taken off the score of O
TOKEN = Track("token", False)
PUBLISHED = {
    "sibanda-uzuner-2006-table-2": ("SVM PHI", "IFinder PHI", "H+D PHI"),
    "sibanda-uzuner-2006-table-3": ("SVM PHI", "SNoW PHI"),
}

Tag = Callable[[Sequence[Document]], Iterable[Document]]


class Result(NamedTuple):
    """``train`` and ``tag`` are processor seconds, ``megabytes`` those of the model's folder."""

    train: float
    tag: float
    megabytes: float
    documents: list[Document]
    curve: list[list[float]]


def settings(name: str, given: argparse.Namespace) -> experiment.Experiment:
    """The configuration with as many iterations as were asked for, also in the stack's bases."""
    if not CONFIGS[name]:
        return experiment.Experiment(system=name)
    found = experiment.read(CONFIGS[name])
    found = replace(found, crf=found.crf | {"max_iterations": given.iterations})
    if name == TWICE:
        return replace(found, options=found.options | {"folds": given.folds})
    if name != "multi":
        return found
    bases = {
        base: table | ({"crf": table["crf"] | {"max_iterations": given.iterations}} if "crf" in table else {})
        for base, table in found.options["bases"].items()
    }
    return replace(found, options=found.options | {"bases": bases, "folds": given.folds})


def ours(name: str, train: Sequence[Document], given: argparse.Namespace, folder: Path):
    tagger = model.train(train, settings(name, given), folder)
    return partial(model.tag_all, tagger), tagger


def measured(
    name: str, train: Sequence[Document], test: Sequence[Document], given: argparse.Namespace
) -> Result:
    bare = [document.with_spans(()) for document in test]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "model"
        began = time.process_time()
        if name in OUTSIDE:
            tag, tagger = OUTSIDE[name](train, folder, given), None
        else:
            tag, tagger = ours(name, train, given, folder)
        trained = time.process_time()
        found = list(tag(bare))
        tagged = time.process_time()
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        points = curve(tagger, test) if isinstance(tagger, Tagger) else []
    return Result(trained - began, tagged - trained, size / 1e6, found, points)


def curve(tagger: Tagger, test: Sequence[Document]) -> list[list[float]]:
    """For each bias, token recall and precision of PHI or not."""
    outside = tagger.labels.index(bio.OUTSIDE)
    margins, gold = [], []
    for document in test:
        scores = tagger.scores(document)
        rest = np.delete(scores, outside, axis=1)
        margins.append(rest.max(axis=1) - scores[:, outside])
        labels = bio.encode(tagger.line.tokenize(document.text), document.spans)
        gold.append([label != bio.OUTSIDE for label in labels])
    margin, phi = np.concatenate(margins), np.concatenate(gold)
    rows = []
    for bias in BIASES:
        found = margin + bias > 0
        right = float((found & phi).sum())
        rows.append([bias, right / phi.sum(), right / max(found.sum(), 1)])
    return rows


def kept(path: Path, test: Sequence[Document], make: Callable[[], Result]) -> Result:
    """The result that is in the file, or one that is made now and put there."""
    if not path.is_file():
        result = make()
        spans = {d.id: [(s.start, s.end, s.type) for s in d.spans] for d in result.documents}
        table = result._asdict() | {"documents": spans}
        with files.whole(path) as file:
            json.dump(table, file)
    table = json.loads(files.read_text(path))
    found = [d.with_spans(Span(*span) for span in table["documents"][d.id]) for d in test]
    return Result(**table | {"documents": found})


def table(results: Mapping[str, Result], scores: Mapping[str, Scores], tokens: int) -> Iterator[str]:
    rows = [["system", *(f"{c} {part}" for c in CRITERIA for part in "PRF"), "train s", "tokens/s", "MB"]]
    for name, result in results.items():
        counts = [scores[name].micro(Track(criterion, False)) for criterion in CRITERIA]
        figures = [f"{value:.3f}" for c in counts for value in (c.precision, c.recall, c.f1)]
        speed = f"{tokens / result.tag:,.0f}"
        rows.append([name, *figures, f"{result.train:.0f}", speed, f"{result.megabytes:.1f}"])
    yield from aligned(rows)


def difference(first: Scores, second: Scores, criterion: str, resamples: int = 10_000) -> str:
    """How much higher the second one's recall is, with a 95% interval over resampled patients."""
    one, other = (grouped(s.documents(Track(criterion, False)), s.patients) for s in (first, second))
    changes = np.concatenate(
        [
            significance.metrics(weights @ other)[:, 1] - significance.metrics(weights @ one)[:, 1]
            for weights in significance.draws(len(one), resamples, SEED)
        ]
    )
    low, high = np.quantile(changes, (0.025, 0.975))
    told = significance.randomisation(one, other, seed=SEED)
    recall, f1 = told["recall"], told["f1"]
    return (
        f"{criterion}: recall {recall.first:.4f} -> {recall.second:.4f}, {recall.second - recall.first:+.4f} "
        f"(95% interval {low:+.4f} to {high:+.4f}, p = {recall.p:.3f}); "
        f"F1 {f1.first:.4f} -> {f1.second:.4f} (p = {f1.p:.3f})"
    )


def papers() -> Iterator[str]:
    for name, chosen in PUBLISHED.items():
        paper = published.read(name)
        yield f"\n{paper.paper}, {paper.table}; {paper.corpus}; {paper.criterion}"
        for row in chosen:
            cells = (f"{column} {paper.value(row, column):.3f}" for column in paper.columns)
            yield f"{row:<14}{'   '.join(cells)}"


def names(only: Sequence[str]) -> list[str]:
    """The systems that are installed here, or those that were asked for."""
    there = [name for name, config in CONFIGS.items() if config or name in systems.SYSTEMS]
    there += [name for name in OUTSIDE if find_spec(name.replace("-", "_"))]
    return [name for name in there if not only or name in only]


def main(arguments: list[str] | None = None) -> None:
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("--out", type=Path, required=True, help="folder for the results")
    parse.add_argument("--documents", type=int, default=300, help="to train on (default: 300)")
    parse.add_argument("--test", type=int, default=150, help="to score on (default: 150)")
    parse.add_argument("--iterations", type=int, default=60, help="of each CRF (default: 60)")
    parse.add_argument("--folds", type=int, default=3, help="of two_stage and multi (default: 3)")
    parse.add_argument("--epochs", type=int, default=8, help="of spaCy (default: 8)")
    parse.add_argument("--only", nargs="+", default=(), choices=[*CONFIGS, *OUTSIDE])
    given = parse.parse_args(arguments)
    train = list(generate(given.documents, SEED, "train"))
    test = list(generate(given.test, SEED, "test"))
    results, scores = {}, {}
    for name in command.progress(names(given.only), "systems"):
        recipe = f"{name}-{given.documents}-{given.test}-{given.iterations}-{given.folds}-{given.epochs}.json"
        results[name] = kept(given.out / recipe, test, lambda name=name: measured(name, train, test, given))
        scores[name] = score(test, results[name].documents, scheme.read())
    print(
        f"Trained on {len(train)} synthetic notes, scored on {len(test)} of other genres, names and frames\n"
    )
    print("\n".join(table(results, scores, sum(len(fine(document.text)) for document in test))))
    for name, result in results.items():
        points = "   ".join(f"{bias:+.2f}: {r:.3f} at {p:.3f}" for bias, r, p in result.curve)
        print(
            f"\n{name}, token recall at precision of PHI or not, by threshold: {points}" if points else "",
            end="",
        )
    if PLAIN in results and TWICE in results:
        print("\n\nWhat the second stage adds to the CRF")
        print("\n".join(difference(scores[PLAIN], scores[TWICE], criterion) for criterion in CRITERIA))
    print("\n".join(papers()))


if __name__ == "__main__":
    command.run(main)
