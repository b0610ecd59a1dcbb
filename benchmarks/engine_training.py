"""Training: the array engine beside python-crfsuite, to the same losses, in one run.

    python benchmarks/engine_training.py [--corpus meddocan|synthetic] [--iterations 100] [--data DIR]
                                         [--features lexical orthographic]

MEDDOCAN's training part with configs/meddocan.toml (DIR holds its brat folders), or synthetic notes
of --tokens tokens with configs/english.toml; or with other feature groups than the configuration's:
those of a token's text alone are where most is gained. Each engine trains in a process of its own, from
documents to model file. Prints processor and elapsed seconds, seconds an iteration, peak memory
over what the documents take, how far losses are apart, and whether held-out spans are equal.
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
from crfdeid.text.document import Document

WAYS = {"crfsuite": 0, "1 thread": 1, "2 threads": 2}


def documents(args: argparse.Namespace) -> tuple[list[Document], list[Document], Config]:
    """Training and held-out documents, and the experiment."""
    if args.corpus == "meddocan":
        train, test = (list(corpora.read(args.data / part / "brat")) for part in ("train", "dev"))
        return train, test, config.read("meddocan")
    notes: list[Document] = []
    size = 0
    for note in synthetic.generate(args.tokens // 100, 3, part="train"):
        notes.append(note)
        size += len(note.text) / 4.4  # characters a token, about
        if size > args.tokens:
            break
    return notes, list(synthetic.generate(50, 3, part="test")), config.read("english")


def way(threads: int, args: argparse.Namespace) -> dict:
    train, test, settings = documents(args)
    settings = dataclasses.replace(settings, crf=settings.crf | {"max_iterations": args.iterations})
    if args.features:
        settings = dataclasses.replace(settings, features=tuple(args.features))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    heard: list[tuple[float, float, float]] = []

    def hear(number: int, loss: float) -> None:
        heard.append((loss, time.process_time(), time.perf_counter()))

    began = time.process_time(), time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        line = model_folder.lay_out(folder / "m", train, settings)
        if threads:
            from crfdeid.engine.training import train as training
            from crfdeid.engine.training import training_set

            path = folder / "m" / crf.CRFSUITE
            training.train(training_set.build(line, train), settings.crf, path, hear, threads)
        else:
            crf.fit_crfsuite(line, train, folder / "m" / crf.CRFSUITE, hear)
        ended = time.process_time(), time.perf_counter()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        model_folder.write_manifest(folder / "m")
        tagged = model.tag_all(model.load(folder / "m"), test)
        spans = [[(s.start, s.end, s.type) for s in d.spans] for d in tagged]
    return {
        "cpu": ended[0] - began[0],
        "elapsed": ended[1] - began[1],
        "each": (heard[-1][2] - heard[0][2]) / max(len(heard) - 1, 1),
        "each_cpu": (heard[-1][1] - heard[0][1]) / max(len(heard) - 1, 1),
        "peak": peak - before,
        "losses": [loss for loss, _, _ in heard],
        "spans": spans,
        "tokens": sum(len(line.tokenize(document.text)) for document in train),
    }


def main(arguments: list[str] | None = None) -> None:
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("--corpus", choices=("meddocan", "synthetic"), default="meddocan")
    parse.add_argument("--iterations", type=int, default=100)
    parse.add_argument("--features", nargs="+", metavar="GROUP", help="instead of the configuration's")
    parse.add_argument("--tokens", type=int, default=500_000, help="of the synthetic corpus")
    parse.add_argument("--data", type=Path, default=Path("../shared/data/meddocan"))
    parse.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    given = parse.parse_args(arguments)
    if given.way:
        print(json.dumps(way(WAYS[given.way], given)))
        return
    found = {name: alone(name, sys.argv[1:] if arguments is None else arguments) for name in WAYS}
    reference = found["crfsuite"]
    print(f"{given.corpus}: {reference['tokens']:,} tokens, {len(reference['losses'])} iterations")
    for name, answer in found.items():
        print(
            f"{name:10} {answer['elapsed']:7.1f} s ({answer['cpu']:.1f} s of processor time), "
            f"{answer['each']:.2f} s an iteration, {answer['peak']:,.0f} MB; "
            f"{reference['elapsed'] / answer['elapsed']:.1f} times python-crfsuite "
            f"({reference['each'] / answer['each']:.1f} an iteration), "
            f"{answer['peak'] / reference['peak']:.2f} of its memory"
        )
        apart = max(abs(a - b) / a for a, b in zip(reference["losses"], answer["losses"]))
        changed = sum(a != b for a, b in zip(reference["spans"], answer["spans"]))
        print(f"{'':10} losses at most {apart:.0e} apart (relative); {changed} held-out documents differ")


def alone(name: str, arguments: list[str]) -> dict:
    command = [sys.executable, __file__, *arguments, "--way", name]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
