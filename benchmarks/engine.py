"""The array engine beside python-crfsuite, in one run: the same losses, the same labels, the time.

    python benchmarks/engine.py [--documents 150] [--iterations 40] [--data DIR]

Prints seconds, tokens a second and the ratio, and whether losses and spans are equal. DIR holds
MEDDOCAN's brat folders. Training with the array engine includes making its arrays; its compiled
loops are warmed up before.
"""

from __future__ import annotations

import argparse
import dataclasses
import resource
import tempfile
import time
from pathlib import Path

from crfdeid import corpora, experiment, model
from crfdeid.document import Document

ENGINES = ("fast", "crfsuite")


def trained(
    documents: list[Document], iterations: int, folder: Path, engine: str
) -> tuple[float, list[float]]:
    """Seconds and losses of one training."""
    settings = experiment.read("meddocan")
    settings = dataclasses.replace(settings, crf=settings.crf | {"max_iterations": iterations})
    losses: list[float] = []
    began = time.perf_counter()
    model.train(documents, settings, folder, lambda _, loss: losses.append(loss), engine, overwrite=True)
    return time.perf_counter() - began, losses


def tagged(documents: list[Document], folder: Path, engine: str) -> tuple[float, list]:
    """The least seconds of three rounds, and the spans."""
    tagger, times = model.load(folder, engine), []
    for _ in range(3):
        began = time.perf_counter()
        spans = [tagger.tag(document).spans for document in documents]
        times.append(time.perf_counter() - began)
    return min(times), spans


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("--documents", type=int, default=150)
    parse.add_argument("--iterations", type=int, default=40)
    parse.add_argument("--data", type=Path, default=Path("../shared/data/meddocan"))
    given = parse.parse_args()
    train = list(corpora.read(given.data / "train" / "brat"))[: given.documents]
    test = list(corpora.read(given.data / "dev" / "brat"))[:100]
    tokenize = model.load().line.tokenize
    tokens = sum(len(tokenize(document.text)) for document in test)
    with tempfile.TemporaryDirectory() as name:
        trained(train[:3], 2, Path(name) / "warm", "fast")
        runs = {engine: trained(train, given.iterations, Path(name) / engine, engine) for engine in ENGINES}
        tags = {engine: tagged(test, Path(name) / "crfsuite", engine) for engine in ENGINES}
    for engine in ENGINES:
        seconds = tags[engine][0]
        print(f"{engine:9} train {runs[engine][0]:7.1f} s   tag {tokens / seconds:9,.0f} tokens/s")
    faster = {name: part["crfsuite"][0] / part["fast"][0] for name, part in (("train", runs), ("tag", tags))}
    print(f"ratio     train {faster['train']:7.1f}     tag {faster['tag']:9.1f}")
    pairs = zip(*(losses for _, losses in runs.values()))
    print(f"losses equal to CRFsuite's printed digits: {all(abs(a - b) < 1e-5 for a, b in pairs)}")
    print(f"spans equal: {tags['fast'][1] == tags['crfsuite'][1]}")
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()
