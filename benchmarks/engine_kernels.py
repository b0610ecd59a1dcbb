"""Numba or C: the engine's inner loops compiled by each, on the same arrays, in one run.

    python benchmarks/engine_kernels.py [--data FILE] [--documents 300] [--repeat 7]

Needs a C compiler (``cc``). Window rows and Viterbi work on MTSamples reports with the shipped
model; forward-backward on as many synthetic notes with drawn emissions. Prints nanoseconds a token
of processor time (the median, the least and the most of the repetitions), and whether both
give the same; then what numba costs at the start, with its compiled code on disk.
"""

from __future__ import annotations

import argparse
import ctypes
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np

from crfdeid import corpora
from crfdeid.engine.decoding import numba_kernels
from crfdeid.engine.decoding.decoder import Decoder
from crfdeid.engine.training import numba_kernels as training_kernels
from crfdeid.engine.training.objective import Work
from crfdeid.engine.training.transition_layout import Transitions, place_labels
from crfdeid.systems import model

HERE = Path(__file__).parent
DATA = Path("../shared/data/mtsamples/mtsamples.jsonl")
FLAGS = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]


def built(folder: Path) -> ctypes.CDLL:
    library = folder / "kernels.so"
    command = ["cc", *FLAGS, "-o", str(library), str(HERE / "engine_kernels.c"), "-lm"]
    subprocess.run(command, check=True)
    found = ctypes.CDLL(str(library))
    found.chain.restype = ctypes.c_double
    return found


def place(array: np.ndarray) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)


def whole(number: int) -> ctypes.c_int64:
    return ctypes.c_int64(number)


def timed(call: Callable[[], np.ndarray], repeat: int) -> tuple[np.ndarray, list[float]]:
    """The answer, and the seconds of each repetition, sorted."""
    answer, seconds = call(), []
    for _ in range(repeat):
        began = time.process_time()
        answer = call()
        seconds.append(time.process_time() - began)
    return answer, sorted(seconds)


def tell(name: str, tokens: int, by_numba: Callable, by_c: Callable, repeat: int) -> None:
    """Time both, each with a part of the work (making a copy of its input) in common."""
    ours, seconds = timed(by_numba, repeat)
    theirs, others = timed(by_c, repeat)
    apart = float(np.abs(ours - theirs).max(initial=0.0))
    nanoseconds = (np.array([seconds, others]) / tokens * 1e9).tolist()
    numba, c = (f"{statistics.median(n):6.1f} ns ({n[0]:.1f} to {n[-1]:.1f})" for n in nanoseconds)
    ratio = statistics.median(seconds) / statistics.median(others)
    print(f"{name:16} numba {numba}, C {c}; numba/C {ratio:.2f}; apart {apart:.0e}")


def tagging(args: argparse.Namespace, library: ctypes.CDLL) -> Decoder:
    tagger = model.load()
    decoder = Decoder(tagger.weights, tagger.pipeline, numba_kernels)
    batch = decoder.batch(list(islice(corpora.read(args.data), args.documents)))
    emissions = decoder.emissions(batch)
    texts, first, stop = batch.texts.astype(np.int32), batch.first, batch.stop
    offsets, window = decoder.offsets, decoder.window
    labels, sequences = len(decoder.labels), len(first)

    def window_numba() -> np.ndarray:
        scores = np.zeros_like(emissions)
        numba_kernels.add_window(texts, first, stop, offsets, window, scores)
        return scores

    def window_c() -> np.ndarray:
        scores = np.zeros_like(emissions)
        where = place(texts), place(first), place(stop), whole(sequences)
        rows = place(offsets), whole(len(offsets)), place(window), whole(labels), place(scores)
        library.add_window(*where, *rows)
        return scores

    transitions = np.ascontiguousarray(decoder.transitions)
    turned, lead = np.ascontiguousarray(transitions.T), np.ascontiguousarray(decoder.lead)

    def viterbi_numba() -> np.ndarray:
        path, scores = np.full(len(batch), -1), emissions.copy()
        numba_kernels.find_best_paths(scores, first, stop, transitions, lead, path)
        return path

    def viterbi_c() -> np.ndarray:
        path, scores = np.full(len(batch), -1), emissions.copy()
        where = place(scores), place(first), place(stop), whole(sequences), whole(labels)
        library.best_paths(*where, place(transitions), place(turned), place(lead), place(path))
        return path

    tell("window rows", len(batch), window_numba, window_c, args.repeat)
    tell("Viterbi", len(batch), viterbi_numba, viterbi_c, args.repeat)
    return decoder


def training(args: argparse.Namespace, library: ctypes.CDLL, decoder: Decoder) -> None:
    """Forward-backward of drawn sequences, with the shipped model's transitions."""
    drawn = np.random.default_rng(1)
    size = 400
    place_of, width = place_labels(decoder.labels)
    allowed = decoder.transitions != 0
    transitions = Transitions(allowed, place_of, width)
    factors = transitions.factors(decoder.transitions[allowed])
    laid = factors.structure
    real = transitions.every.any(axis=0).astype(float)
    scores = drawn.normal(0, 3, (args.documents, size, width))
    emissions = np.exp(scores - scores.max(axis=2, keepdims=True)) * real
    work = Work.allocate(size, real)
    excess = np.concatenate([part.ravel() for part in factors.excess])

    def by_numba() -> np.ndarray:
        found, counts = emissions.copy(), np.zeros_like(excess)
        for one in found:
            work.emissions[:] = one
            training_kernels.forward(size, factors.plain, tuple(work))
            training_kernels.backward(size, factors.plain, tuple(work), tuple(laid.view_strips(counts)))
            one[:] = work.emissions
        return found

    def by_c() -> np.ndarray:
        found, counts = emissions.copy(), np.zeros_like(excess)
        strips = whole(len(laid.starts)), place(laid.starts), place(laid.ends), place(laid.lengths)
        others = whole(len(laid.sources)), place(laid.sources), place(laid.bounds), place(laid.targets)
        numbers = whole(size), whole(width), whole(laid.hub)
        for one in found:
            work.emissions[:] = one
            own = place(work.emissions), place(work.alpha), place(work.scale), place(counts)
            library.chain(*numbers, *strips, *others, place(excess), ctypes.c_double(factors.unseen), *own)
            one[:] = work.emissions
        return found

    tell("forward-backward", args.documents * size, by_numba, by_c, args.repeat)


def start() -> None:
    """Seconds until the loops can be used, in a process of its own."""
    code = "from time import process_time as now; b = now(); import {}; print(now() - b)"
    for name in ("numpy_kernels", "numba_kernels"):
        command = [sys.executable, "-c", code.format(f"crfdeid.engine.decoding.{name}")]
        seconds = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        print(f"importing {name}: {seconds:.2f} s")


def main(arguments: list[str] | None = None) -> None:
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("--data", type=Path, default=DATA)
    parse.add_argument("--documents", type=int, default=300)
    parse.add_argument("--repeat", type=int, default=7)
    given = parse.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        library = built(Path(folder))
        training(given, library, tagging(given, library))
    start()


if __name__ == "__main__":
    main()
