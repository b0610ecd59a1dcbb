"""Numba or C: the engine's inner loops compiled by each, on the same arrays, in one run.

    python benchmarks/engine_kernels.py [--data FILE] [--documents 300] [--repeat 7]

Needs a C compiler (``cc``). Window rows and Viterbi run on MTSamples reports with the shipped
model, forward-backward on the same number of sequences with random emissions. The script prints the
processor time per token in nanoseconds (median, minimum and maximum of the repetitions) and by how much
the results differ; then the time to load the loops, with numba's compiled code on disk.
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
from numba import njit

from crfdeid import corpora
from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.decoding import numba_kernels
from crfdeid.engine.decoding.chain import label_leads
from crfdeid.engine.decoding.compiled_patterns import BLOCK
from crfdeid.engine.decoding.compiled_rows import GROUP, add_listed, list_window
from crfdeid.engine.decoding.decoder import Decoder
from crfdeid.engine.decoding.packed_tables import ZEROS
from crfdeid.engine.training import numba_kernels as training_kernels
from crfdeid.engine.training.objective import Work
from crfdeid.engine.training.transition_layout import Transitions, place_labels
from crfdeid.systems import model

HERE = Path(__file__).parent
DATA = Path("../shared/data/mtsamples/mtsamples.jsonl")
FLAGS = ["-O3", "-march=native", "-ffast-math", "-fPIC"]


def build_library(folder: Path) -> ctypes.CDLL:
    """Compile, then link without the flags: with fast math, older compilers link code that rounds tiny
    numbers to 0 in all of the process."""
    library, code = folder / "kernels.so", folder / "kernels.o"
    subprocess.run(["cc", *FLAGS, "-c", "-o", str(code), str(HERE / "engine_kernels.c")], check=True)
    subprocess.run(["cc", "-shared", "-o", str(library), str(code), "-lm"], check=True)
    found = ctypes.CDLL(str(library))
    found.chain.restype = ctypes.c_double
    return found


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)


def int64(number: int) -> ctypes.c_int64:
    return ctypes.c_int64(number)


def time_runs(call: Callable[[], np.ndarray], repeat: int) -> tuple[np.ndarray, list[float]]:
    """The result, and the sorted seconds of all repetitions."""
    answer, seconds = call(), []
    for _ in range(repeat):
        began = time.process_time()
        answer = call()
        seconds.append(time.process_time() - began)
    return answer, sorted(seconds)


def print_comparison(name: str, tokens: int, by_numba: Callable, by_c: Callable, repeat: int) -> None:
    """Time both and print a line. Both times include a copy of the input."""
    ours, seconds = time_runs(by_numba, repeat)
    theirs, others = time_runs(by_c, repeat)
    apart = float(np.abs(ours - theirs).max(initial=0.0))
    nanoseconds = (np.array([seconds, others]) / tokens * 1e9).tolist()
    numba, c = (f"{statistics.median(n):6.1f} ns ({n[0]:.1f} to {n[-1]:.1f})" for n in nanoseconds)
    ratio = statistics.median(seconds) / statistics.median(others)
    print(f"{name:16} numba {numba}, C {c}; numba/C {ratio:.2f}; results differ by {apart:.0e}")


def add_windows(decoder: Decoder, batch: Batch) -> np.ndarray:
    """The sums [tokens, width] of the bias and the window rows of all tokens, as the engine adds them."""
    scores = np.empty((len(batch), decoder.scorer.width))
    rows = decoder.scorer.rows
    where = batch.texts, batch.sequence, decoder.offsets
    fill_windows(*where, rows.table, rows.window, rows.lines, scores)
    return scores


@njit(nogil=True, cache=True)
def fill_windows(texts, sequence, offsets, table, window, lines, scores):
    counts, single_counts = np.zeros(BLOCK, np.int64), np.zeros(BLOCK, np.int64)
    whole = np.empty((BLOCK, 1 + len(offsets) + GROUP), np.int32)
    singles = np.empty((BLOCK, 0), np.int32)
    for begin in range(0, len(texts), BLOCK):
        end = min(begin + BLOCK, len(texts))
        list_window(begin, end, texts, sequence, offsets, window, counts, whole)
        for i in range(end - begin):
            whole[i, counts[i] : counts[i] + GROUP] = ZEROS
        for t in range(begin, end):
            add_listed(
                t - begin, end - begin - 1, counts, whole, single_counts, singles, table, lines, scores[t]
            )


def compare_tagging(args: argparse.Namespace, library: ctypes.CDLL) -> Decoder:
    tagger = model.load()
    decoder = Decoder(tagger.weights, tagger.pipeline, numba_kernels)
    batch = decoder.batch(list(islice(corpora.read(args.data), args.documents)))
    emissions = decoder.emissions(batch)
    texts, first, stop = batch.texts.astype(np.int32), batch.first, batch.stop
    offsets, scorer = decoder.offsets, decoder.scorer
    window = scorer.window
    labels, sequences = len(decoder.labels), len(first)
    narrow = np.ascontiguousarray(window[:, :, :labels])

    def window_numba() -> np.ndarray:
        return add_windows(decoder, batch)[:, :labels] - decoder.bias

    def window_c() -> np.ndarray:
        scores = np.zeros_like(emissions)
        where = pointer(texts), pointer(first), pointer(stop), int64(sequences)
        rows = pointer(offsets), int64(len(offsets)), pointer(narrow), int64(labels), pointer(scores)
        library.add_window(*where, *rows)
        return scores

    transitions = np.ascontiguousarray(decoder.transitions)
    turned, lead = np.ascontiguousarray(transitions.T), label_leads(transitions)

    def viterbi_numba() -> np.ndarray:
        return scorer.find_best_paths(batch, emissions)

    def viterbi_c() -> np.ndarray:
        path, scores = np.full(len(batch), -1), emissions.copy()
        where = pointer(scores), pointer(first), pointer(stop), int64(sequences), int64(labels)
        library.best_paths(*where, pointer(transitions), pointer(turned), pointer(lead), pointer(path))
        return path

    print_comparison("window rows", len(batch), window_numba, window_c, args.repeat)
    print_comparison("Viterbi", len(batch), viterbi_numba, viterbi_c, args.repeat)
    return decoder


def compare_training(args: argparse.Namespace, library: ctypes.CDLL, decoder: Decoder) -> None:
    """Compare forward-backward on random sequences, with the shipped model's transitions."""
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
        strips = int64(len(laid.starts)), pointer(laid.starts), pointer(laid.ends), pointer(laid.lengths)
        others = int64(len(laid.sources)), pointer(laid.sources), pointer(laid.bounds), pointer(laid.targets)
        numbers = int64(size), int64(width), int64(laid.hub)
        for one in found:
            work.emissions[:] = one
            own = pointer(work.emissions), pointer(work.alpha), pointer(work.scale), pointer(counts)
            library.chain(*numbers, *strips, *others, pointer(excess), ctypes.c_double(factors.unseen), *own)
            one[:] = work.emissions
        return found

    print_comparison("forward-backward", args.documents * size, by_numba, by_c, args.repeat)


def print_start() -> None:
    """Print the seconds that it takes to import each set of loops, in a separate process."""
    code = "from time import process_time as now; b = now(); import {}; print(now() - b)"
    for name in ("tables", "numba_kernels"):
        command = [sys.executable, "-c", code.format(f"crfdeid.engine.decoding.{name}")]
        seconds = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        print(f"importing {name}: {seconds:.2f} s")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--documents", type=int, default=300)
    parser.add_argument("--repeat", type=int, default=7)
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        library = build_library(Path(folder))
        compare_training(args, library, compare_tagging(args, library))
    print_start()


if __name__ == "__main__":
    main()
