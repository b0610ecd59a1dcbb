"""Training: the array engine beside python-crfsuite, to the same losses, in one run.

    python benchmarks/engine_training.py [--corpus meddocan|synthetic] [--iterations 100] [--data DIR]
                                         [--features lexical orthographic]

Trains on MEDDOCAN's training part with configs/meddocan.toml (DIR has its brat folders), or on synthetic
notes of --tokens tokens with configs/english.toml; or with other feature groups than the configuration's.
Each engine trains in a separate process, from documents to the model file. The script prints processor
and elapsed seconds, seconds per iteration, the peak memory in addition to that of the documents, by how
much losses differ, and whether the spans of held-out documents are equal.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from crfdeid import config, corpora, synthetic
from crfdeid.config import Config
from crfdeid.systems import crf, model, model_folder
from crfdeid.systems.registry import Training
from crfdeid.text.document import Document

WAYS = {"crfsuite": 0, "1 thread": 1, "2 threads": 2}


def read_documents(args: argparse.Namespace) -> tuple[list[Document], list[Document], Config]:
    """Training and held-out documents, and the configuration."""
    if args.corpus == "meddocan":
        train, test = (list(corpora.read(args.data / part / "brat")) for part in ("train", "dev"))
        return train, test, config.read("meddocan")
    notes: list[Document] = []
    size = 0.0
    for note in synthetic.generate(args.tokens // 100, 3, part="train"):
        notes.append(note)
        size += len(note.text) / 4.4  # characters per token, about
        if size > args.tokens:
            break
    return notes, list(synthetic.generate(50, 3, part="test")), config.read("english")


def run_way(threads: int, args: argparse.Namespace) -> dict:
    train, test, settings = read_documents(args)
    settings = dataclasses.replace(settings, crf=settings.crf | {"max_iterations": args.iterations})
    if args.features:
        settings = dataclasses.replace(settings, features=tuple(args.features))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    iterations: list[tuple[float, float, float]] = []

    def record(number: int, loss: float) -> None:
        iterations.append((loss, time.process_time(), time.perf_counter()))

    began = time.process_time(), time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = model_folder.create_folder(folder / "m", train, settings)
        if threads:
            from crfdeid.engine.training import train as training
            from crfdeid.engine.training import training_set

            path = folder / "m" / crf.CRFSUITE
            training.train(training_set.build(made.pipeline, train), settings.crf, path, record, threads)
        else:
            crf.fit_crfsuite(Training(made, train, record), folder / "m" / crf.CRFSUITE)
        ended = time.process_time(), time.perf_counter()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        model_folder.write_manifest(folder / "m")
        tagged = model.load(folder / "m").tag_all(test)
        spans = [[(s.start, s.end, s.type) for s in d.spans] for d in tagged]
    return {
        "cpu": ended[0] - began[0],
        "elapsed": ended[1] - began[1],
        "each": (iterations[-1][2] - iterations[0][2]) / max(len(iterations) - 1, 1),
        "each_cpu": (iterations[-1][1] - iterations[0][1]) / max(len(iterations) - 1, 1),
        "peak": peak - before,
        "losses": [loss for loss, _, _ in iterations],
        "spans": spans,
        "tokens": sum(len(made.pipeline.tokenize(document.text)) for document in train),
    }


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--corpus", choices=("meddocan", "synthetic"), default="meddocan")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument(
        "--features", nargs="+", metavar="GROUP", help="feature groups in place of the configuration's"
    )
    parser.add_argument("--tokens", type=int, default=500_000, help="of the synthetic corpus")
    parser.add_argument("--data", type=Path, default=Path("../shared/data/meddocan"))
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    if args.way:
        print(json.dumps(run_way(WAYS[args.way], args)))
        return
    found = {name: run_process(name, sys.argv[1:] if arguments is None else arguments) for name in WAYS}
    reference = found["crfsuite"]
    print(f"{args.corpus}: {reference['tokens']:,} tokens, {len(reference['losses'])} iterations")
    for name, answer in found.items():
        print(
            f"{name:10} {answer['elapsed']:7.1f} s ({answer['cpu']:.1f} s of processor time), "
            f"{answer['each']:.2f} s per iteration, {answer['peak']:,.0f} MB; "
            f"{reference['elapsed'] / answer['elapsed']:.1f} times python-crfsuite "
            f"({reference['each'] / answer['each']:.1f} per iteration), "
            f"{answer['peak'] / reference['peak']:.2f} of its memory"
        )
        apart = max(abs(a - b) / a for a, b in zip(reference["losses"], answer["losses"]))
        changed = sum(a != b for a, b in zip(reference["spans"], answer["spans"]))
        print(f"{'':10} losses differ by at most {apart:.0e} (relative); {changed} held-out documents differ")


def run_process(name: str, arguments: list[str]) -> dict:
    command = [sys.executable, __file__, *arguments, "--way", name]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
