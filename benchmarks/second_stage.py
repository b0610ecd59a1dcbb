"""The gain of a second stage over the default model, on synthetic notes and on real report text.

    python benchmarks/second_stage.py --out runs/second [--documents 250] [--folds 3]

Trains the configurations ``english`` and ``two_stage`` on synthetic notes, unless they are in OUT, and scores
both on 100 notes of the test part and on the development set (``benchmarks/devset.py``), with 95% intervals
of the differences by a paired bootstrap over patients or notes. The second stage also finds more because it
sees the spans of the first, which has a bias for recall. So both are shown with several further biases:
compare them where their precision is equal.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import devset
import devset_measure as measure
import numpy as np
from paired import compute_changes, format_difference

from crfdeid import cli, config
from crfdeid.evaluate.matching import CRITERIA, Criterion
from crfdeid.evaluate.scores import score
from crfdeid.synthetic import generate
from crfdeid.systems import crf, model, model_folder
from crfdeid.systems.tagger import Tagger
from crfdeid.text import bio, scheme
from crfdeid.text.document import Document

SYSTEMS = ("english", "two_stage")
SEED = 1
MORE = (-1.0, -0.5, 0.0, 0.5, 1.0)  # added to the recall bias


def train_system(name: str, documents: Sequence[Document], args: argparse.Namespace) -> Tagger:
    folder = args.out / f"{name}-{args.documents}-{args.iterations}-{args.folds}"
    if folder.is_dir():
        return model.load(folder)
    settings = config.read(name)
    settings = replace(settings, crf=settings.crf | {"max_iterations": args.iterations})
    if name == "two_stage":
        settings = replace(settings, options={"folds": args.folds})
    began, worked = time.perf_counter(), time.process_time()
    tagger = model.train(documents, settings, folder)
    seconds, work = time.perf_counter() - began, time.process_time() - worked
    print(f"{name}: trained in {seconds:.0f} s ({work:.0f} s of CPU)", flush=True)
    return tagger


def tag_documents(tagger: Tagger, gold: Sequence[Document]) -> list[Document]:
    return list(tagger.tag_all([document.with_spans(()) for document in gold]))


def copy_with_bias(tagger: Tagger, more: float, place: Path) -> Tagger:
    """Copy the model, and subtract ``more`` from the last stage's score of O."""
    folder = place / "model"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(tagger.folder, folder)
    crf.add_to_labels(folder / crf.CRFSUITE, {bio.OUTSIDE: -more})
    (folder / "manifest.json").unlink()
    model_folder.write_manifest(folder)
    return model.load(folder)


def count_covered(gold: Sequence[Document], system: Sequence[Document]) -> np.ndarray:
    """Return an array [document, 3]: gold spans that are covered completely, 0, and the others."""
    rows = []
    for right, found in zip(gold, system):
        mask = measure.build_mask(found)
        caught = sum(measure.is_covered(right.text, span, mask) for span in right.spans)
        rows.append((caught, 0, len(right.spans) - caught))
    return np.array(rows)


def compare_on_synthetic(taggers: Sequence[Tagger]) -> Iterator[str]:
    gold = list(generate(100, SEED, "test"))
    one, other = (score(gold, tag_documents(tagger, gold), scheme.read_scheme()) for tagger in taggers)
    yield f"\n{len(gold)} synthetic notes of other genres, names and frames"
    for criterion in CRITERIA:
        yield f"{criterion:<9}{format_difference(one, other, Criterion(criterion))}"
    for tagger, scores in zip(SYSTEMS, (one, other)):
        counts = scores.micro(Criterion("strict"), "NAME")
        yield f"NAME, {tagger}: strict P {counts.precision:.4f} R {counts.recall:.4f} F1 {counts.f1:.4f}"


def compare_on_reports(taggers: Sequence[Tagger]) -> Iterator[str]:
    gold, asked = devset.build_notes(), devset.build_queries()
    found = [tag_documents(tagger, gold) for tagger in taggers]
    answers = [tag_documents(tagger, asked) for tagger in taggers]
    yield f"\n{len(gold)} notes of real report text, {len(asked)} queries (benchmarks/devset.py)"
    for title, right, both in (("notes", gold, found), ("queries", asked, answers)):
        one, other = (count_covered(right, system) for system in both)
        changes = compute_changes(one, other, [document.id for document in right])
        precision = " -> ".join(f"{measure.compute_precision(right, system):.4f}" for system in both)
        yield f"{title:<9}PHI wholly covered {changes['recall']}; token precision {precision}"
    by_type = [measure.count_covered(gold, system) for system in found]
    for type, (_, count) in by_type[0].items():
        caught = [counts[type][0] for counts in by_type]
        if caught[0] != caught[1]:
            yield f"  {type:<15}{caught[0]:5} -> {caught[1]} of {count}"


def compare_at_biases(taggers: Sequence[Tagger]) -> Iterator[str]:
    gold = devset.build_notes()
    yield "\nnotes: PHI wholly covered at token precision, with more taken off the last stage's score of O"
    with tempfile.TemporaryDirectory() as place:
        for name, tagger in zip(SYSTEMS, taggers):
            cells = []
            for more in MORE:
                found = tag_documents(copy_with_bias(tagger, more, Path(place)), gold)
                caught = count_covered(gold, found).sum(axis=0)
                share = caught[0] / (caught[0] + caught[2])
                cells.append(f"{more:+.1f}: {share:.4f} at {measure.compute_precision(gold, found):.4f}")
            yield f"{name:<11}{'   '.join(cells)}"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder for the models")
    parser.add_argument("--documents", type=int, default=250, help="to train on (default: 250)")
    parser.add_argument("--iterations", type=int, default=100, help="of each CRF (default: 100)")
    parser.add_argument("--folds", type=int, default=3, help="(default: 3)")
    args = parser.parse_args(arguments)
    documents = list(generate(args.documents, SEED, "train"))
    taggers = [train_system(name, documents, args) for name in SYSTEMS]
    for part in (compare_on_synthetic, compare_on_reports, compare_at_biases):
        for line in part(taggers):
            print(line, flush=True)


if __name__ == "__main__":
    cli.run(main)
