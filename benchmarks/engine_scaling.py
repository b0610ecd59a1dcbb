"""How the engine's cost grows with the size of the corpus and the number of labels; its memory does not.

    python benchmarks/engine_scaling.py [--data FILE] [--largest 1e7] [--plot docs]

Corpora of each size repeat the MTSamples reports, tagged with the shipped model; models with each number
of labels have random weights over the shipped model's attributes. In the stream of --largest tokens, one
token in ten is new; its peak memory is that of the process. For comparison, the script prints the least
time that the bytes and additions of a token could take on this machine.
"""

from __future__ import annotations

import argparse
import itertools
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np

from crfdeid import corpora
from crfdeid.engine import crfsuite_file
from crfdeid.engine.decoding import numba_kernels
from crfdeid.engine.decoding.decoder import Decoder
from crfdeid.pages.curves import draw_curve
from crfdeid.pages.pictures import Axis, render_file
from crfdeid.systems import crf, model
from crfdeid.text.document import Document

DATA = Path("../shared/data/mtsamples/mtsamples.jsonl")
LABELS = (2, 5, 10, 20, 50, 100, 200)


def take_tokens(documents: list[Document], tagger: crf.CrfTagger, tokens: int) -> Iterator[Document]:
    left = tokens
    for document in itertools.cycle(documents):
        left -= len(tagger.pipeline.tokenize(document.text))
        yield document
        if left <= 0:
            return


def time_tagging(tagger: crf.CrfTagger, documents: Iterator[Document] | list[Document]) -> float:
    """The processor time to tag the documents."""
    ready = list(documents)
    began = time.process_time()
    for _ in tagger.tag_all(ready):
        pass
    return time.process_time() - began


def time_sizes(documents: list[Document], largest: float) -> dict[int, float]:
    """Seconds to tag with a loaded model, cold, by the number of tokens."""
    found = {}
    for power in range(3, int(np.log10(largest)) + 1):
        tagger = model.load()
        found[10**power] = time_tagging(tagger, take_tokens(documents, tagger, 10**power))
        rate = 10**power / found[10**power]
        print(f"{10**power:>10,} tokens: {found[10**power]:8.3f} s, {rate:9,.0f} tokens/s")
    return found


def time_label_counts(documents: list[Document], folder: Path) -> dict[int, float]:
    """Nanoseconds per token by the number of labels: random weights, three labels for each attribute."""
    tagger = model.load()
    attributes = tagger.weights.attributes
    drawn = np.random.default_rng(1)
    found = {}
    for size in LABELS:
        pairs = np.unique(drawn.integers(0, [len(attributes), size], (3 * len(attributes), 2)), axis=0)
        jumps = np.unique(drawn.integers(0, size, (4 * size, 2)), axis=0)
        rows = [
            crfsuite_file.make_records(kind, *part.T, drawn.normal(size=len(part)))
            for kind, part in ((crfsuite_file.STATE, pairs), (crfsuite_file.TRANSITION, jumps))
        ]
        names = (["O"] + [f"{'BI'[n % 2]}-T{n // 2}" for n in range(size)])[:size]
        crfsuite_file.write(folder / "m", names, attributes, np.concatenate(rows))
        tagger.decoder = Decoder(crfsuite_file.read(folder / "m"), tagger.pipeline, numba_kernels)
        tokens = sum(len(tagger.pipeline.tokenize(d.text)) for d in documents)
        time_labelling(tagger.decoder, documents)
        found[size] = time_labelling(tagger.decoder, documents) / tokens * 1e9
        print(f"{size:>4} labels: {found[size]:7,.0f} ns per token, all texts known")
    return found


def time_labelling(decoder: Decoder, documents: list[Document]) -> float:
    """The processor time from texts to labels. (Random weights find PHI everywhere; to make spans would
    hide the rest.)"""
    began = time.process_time()
    for first in range(0, len(documents), 20):
        decoder.path(decoder.batch(documents[first : first + 20]))
    return time.process_time() - began


def make_stream(tokens: int) -> Iterator[Document]:
    """Notes of a thousand tokens, of which every tenth is new."""
    drawn = Random(1)
    common = ["the", "patient", "was", "seen", "by", "Dr", ".", "Ruiz", "on", "3", "/", "4", "/", "2061", ","]
    for number in range(tokens // 1000):
        words = [drawn.choice(common) for _ in range(1000)]
        for place in range(0, 1000, 10):
            words[place] = "".join(drawn.choices("abcdefghijklmnopqrstuvwxyz", k=9))
        yield Document(str(number), " ".join(words))


def print_limits(tagger: crf.CrfTagger) -> None:
    """Print the least time that the bytes and additions of a token could take on this core."""
    labels, offsets = len(tagger.weights.labels), len(tagger.decoder.offsets)
    hits = 20  # template rows for each token, with about two labels each
    bytes_of = 8 * (offsets * labels + 3 * labels) + 12 * len(tagger.decoder.names) + 32 * hits
    additions = offsets * labels + 3 * labels + 2 * hits
    block = np.ones(1 << 25)
    into = np.ones_like(block)  # written before: the system allocates a page when it is first written
    began = time.perf_counter()
    np.copyto(into, block)
    copied = 2 * block.nbytes / (time.perf_counter() - began)
    small, kept = np.ones(2048), np.ones(2048)
    began = time.perf_counter()
    for _ in range(20_000):
        np.add(small, kept, out=kept)
    added = 20_000 * 2048 / (time.perf_counter() - began)
    print(
        f"limits: {bytes_of:,} bytes and {additions:,} additions a token; at {copied / 1e9:.1f} GB/s and "
        f"{added / 1e9:.1f} billion additions a second, {1e9 * bytes_of / copied:,.0f} and "
        f"{1e9 * additions / added:,.0f} ns"
    )


def plot(sizes: dict[int, float], labels: dict[int, float], folder: Path) -> None:
    """Draw both curves into files of the folder."""
    shortest, longest = min(sizes.values()), max(sizes.values())
    size = draw_curve(
        "Time by size of the corpus",
        "Seconds of processor time to tag a corpus, by its tokens, when the program has just started.",
        (
            Axis("tokens in the corpus", min(sizes), max(sizes), is_log=True),
            Axis("seconds of processor time", shortest / 2, longest * 2, is_log=True),
        ),
        list(sizes.items()),
        {f"{seconds:.2g} s": (tokens, seconds) for tokens, seconds in sizes.items()},
    )
    label = draw_curve(
        "Time for each token by number of labels",
        "Nanoseconds of processor time for each token, by the labels of the model, when all words are known.",
        (
            Axis("labels of the model", 0, max(labels)),
            Axis("nanoseconds for each token", 0, max(labels.values()) * 1.1),
        ),
        list(labels.items()),
        {f"{number}: {each:,.0f}": (number, each) for number, each in labels.items()},
    )
    for name, picture in (("size", size), ("labels", label)):
        (folder / f"engine-{name}.svg").write_text(render_file(picture), encoding="utf-8")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--largest", type=float, default=1e7)
    parser.add_argument("--plot", type=Path, metavar="FOLDER", help="draw both curves into files there")
    args = parser.parse_args(arguments)
    documents = list(corpora.read(args.data))
    tagger = model.load()
    began, tokens = time.process_time(), int(args.largest)
    for _ in tagger.tag_all(make_stream(tokens)):
        pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"stream of {tokens:,} tokens, a tenth new: {tokens / (time.process_time() - began):,.0f} tokens/s "
        f"(making them included), peak {peak:,.0f} MB"
    )
    print_limits(tagger)
    sizes = time_sizes(documents, args.largest)
    with tempfile.TemporaryDirectory() as name:
        labels = time_label_counts(documents[:200], Path(name))
    if args.plot:
        plot(sizes, labels, args.plot)


if __name__ == "__main__":
    main()
