"""Tagging: the array engine beside python-crfsuite, from a file on disk to spans on disk, in one run.

    python benchmarks/engine.py [--data FILE] [--repeat 5] [--slow 60] [--jobs 2] [--only WAY ...]

The shipped model tags the MTSamples reports (a JSONL file) and writes a table of spans. Every way
runs in a separate process, so that the peak memory is its own:

    dictionaries   python-crfsuite as its tutorial uses it: the shipped templates' features as a
                   dictionary for each token, nothing cached
    sklearn        sklearn-crfsuite with the same dictionaries
    tutorial       python-crfsuite with the tutorial's own few features, a model trained here
    spacy          spaCy's named-entity recogniser (a blank pipeline, trained here on a few notes),
                   where it is installed; it is not a CRF and computes something else
    lists          python-crfsuite with feature strings cached by text (--engine crfsuite)
    numpy          the engine without compiled loops, cold and warm
    compiled       the shipped model with compiled loops, cold: no text is known at first; warm: all are known
    crf            the CRF of the shipped model by itself, without the trees that judge its spans
    unrepaired     the same without the repair of spans
    threshold, probabilities   the same with --threshold 0.1, with --probabilities
    rules, english+rules       the rules; the union of the shipped model and the rules
    redact         the command redact, from the file to the released notes

Time is processor time: the median of the runs, with the minimum and the maximum. The ways that are
not the engine tag only the first --slow reports. Then the script prints how many labels differ from
python-crfsuite's, by how much marginals differ, how long ``tag note.txt`` takes from its start to its end,
how fast two processes are (elapsed time, and in the same rounds two processes that only count), the share of
each stage, and the floor: the least time that the rows of a token need (:mod:`engine_floor`). With --only
these ways run, and then only the start.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import find_spec
from io import StringIO
from itertools import islice
from pathlib import Path

import numpy as np
import pycrfsuite
from beside import count_beside
from engine_floor import find_floor

from crfdeid import cli, corpora, synthetic
from crfdeid.engine import crfsuite_file
from crfdeid.engine.arrays.batch import decode_spans
from crfdeid.engine.decoding import chain, decoder
from crfdeid.engine.decoding.decoder import Decoder
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.redact.__main__ import main as redact_main
from crfdeid.systems import crf, model
from crfdeid.systems.tagger import BATCH, Tagger
from crfdeid.text import bio
from crfdeid.text.document import Document

DATA = Path("../shared/data/mtsamples/mtsamples.jsonl")
OTHERS = ("dictionaries", "sklearn", "tutorial", "lists", "spacy")  # tag only --slow reports
SYSTEMS = ("rules", "english+rules")  # that model.load finds by name
DONE = ("unrepaired", "threshold", "probabilities", *SYSTEMS, "redact")  # what people run with the engine
WAYS = (*(way for way in OTHERS if way != "spacy" or find_spec("spacy")), "numpy", "compiled", "crf", *DONE)
NOTE = Path(__file__).parents[1] / "docs" / "note.txt"
COMPARED = 300  # reports whose labels are compared
Tag = Callable[[Iterable[Document]], Iterable[Document]]
COPIES = 5, 20  # of the reports, for several processes: about 4.6 and 18.6 million tokens


def feature_dictionaries(pipeline: Pipeline, document: Document) -> list[list[dict[str, str]]]:
    """Each sequence's tokens as dictionaries of the shipped templates' features."""
    page, sequences = pipeline.tokenize_document(document)
    extractor = pipeline.extractor
    found = []
    for sequence in sequences:
        rows = []
        for index in sequence:
            row = {"bias": "1"}
            for offset, names in extractor.by_offset.items():
                if index + offset in sequence:
                    text = page.tokens[index + offset].text
                    row |= {f"{name}[{offset}]": extractor.lexical[name](text) for name in names}
            rows.append({key: value for key, value in row.items() if value is not None})
        for row, features in zip(rows, extractor.features(page, sequence)):
            row |= {f: "1" for f in features if f.partition("=")[0] not in row}
        found.append(rows)
    return found


def tutorial_features(words: list[str]) -> list[list[str]]:
    """The features of python-crfsuite's own tutorial, without parts of speech."""

    def of(word: str, head: str) -> list[str]:
        return [
            f"{head}word.lower={word.lower()}",
            f"{head}word.istitle={word.istitle()}",
            f"{head}word.isupper={word.isupper()}",
        ]

    rows = []
    for i, word in enumerate(words):
        row = ["bias", *of(word, ""), f"word[-3:]={word[-3:]}", f"word[-2:]={word[-2:]}"]
        row.append(f"word.isdigit={word.isdigit()}")
        row += of(words[i - 1], "-1:") if i else ["BOS"]
        row += of(words[i + 1], "+1:") if i + 1 < len(words) else ["EOS"]
        rows.append(row)
    return rows


def tutorial_tagger(pipeline: Pipeline, path: Path) -> pycrfsuite.Tagger:
    trainer = pycrfsuite.Trainer(verbose=False, params={"max_iterations": 30, "c1": 1.0})
    for document in synthetic.generate(40, 1):
        tokens = pipeline.tokenize(document.text)
        trainer.append(tutorial_features([t.text for t in tokens]), bio.encode(tokens, document.spans))
    trainer.train(str(path))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return tagger


def by_crfsuite(name: str, tagger: crf.CrfTagger, folder: Path) -> Callable[[Document], Document]:
    """One of python-crfsuite's ways as a function."""
    line = tagger.pipeline
    if name == "sklearn":
        import sklearn_crfsuite

        path = folder / crf.CRFSUITE
        path.write_bytes(crfsuite_file.read_bytes(crf.find_weights(tagger.folder)))
        known = sklearn_crfsuite.CRF(model_filename=str(path))
        return lambda document: document.with_spans(
            bio.decode(
                line.tokenize(document.text),
                [y for labels in known.predict(feature_dictionaries(line, document)) for y in labels],
            )
        )
    if name == "tutorial":
        other, data = tutorial_tagger(line, folder / "tutorial.crfsuite"), b""
    else:
        data = crfsuite_file.read_bytes(crf.find_weights(tagger.folder))
        other = pycrfsuite.Tagger()
        other.open_inmemory(data)

    def tag(document: Document, data: bytes = data) -> Document:  # CRFsuite does not copy its file
        tokens = line.tokenize(document.text)
        if name == "tutorial":
            labels = other.tag(tutorial_features([token.text for token in tokens]))
        elif name == "dictionaries":
            labels = [y for rows in feature_dictionaries(line, document) for y in other.tag(rows)]
        else:
            page, sequences = line.tokenize_document(document)
            labels = [y for s in sequences for y in other.tag(line.extractor.features(page, s))]
        return document.with_spans(bio.decode(tokens, labels))

    return tag


def by_spacy(folder: Path) -> Tag:
    import outside

    notes = list(synthetic.generate(40, 1))
    tag = outside.train_spacy(notes, folder / "spacy", argparse.Namespace(epochs=2))
    return lambda documents: tag(list(documents))


def run_way(name: str, data: Path, out: Path, slow: int) -> dict:
    """Run one way once; its seconds, tokens and peak memory. Python looks for garbage as rarely as in the
    command, in all ways."""
    cli.collect_rarely()
    tagger = model.load(name if name in SYSTEMS else None)
    if name == "crf":  # without the trees that judge its spans
        tagger = crf.CrfTagger(tagger.model)
    first = slow if name in OTHERS else None
    if name == "redact":
        seconds = {"cold": time_redact(data, out)}
    elif name in DONE:
        seconds = time_done(name, tagger, data, out)
    elif name == "spacy":
        seconds = {"cold": time_run(by_spacy(out.parent), data, out, first)}
    elif name in OTHERS:
        tag = by_crfsuite(name, tagger, out.parent)
        seconds = {"cold": time_run(lambda documents: map(tag, documents), data, out, first)}
    else:
        decoder.WORTH_COMPILED = sys.maxsize if name == "numpy" else 0
        # Compiled code is read from disk once; after that no text is known.
        list(tagger.tag_all([Document("warm", "Dr. Ruiz, 3/4/2061. " * (BATCH // 20 + 1))]))
        cli.keep_loaded()
        tagger.decoder.forget()
        seconds = {state: time_run(tagger.tag_all, data, out, first) for state in ("cold", "warm")}
    documents = islice(corpora.read(data), first)
    tokens = sum(len(tagger.pipeline.tokenize(document.text)) for document in documents)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "tokens": tokens, "peak": peak}


def time_done(name: str, tagger: Tagger, data: Path, out: Path) -> dict[str, float]:
    """Seconds of one of :data:`DONE`, at the first time and when all texts are known."""
    ways: dict[str, Tag] = {
        "unrepaired": tagger.tag_unrepaired,
        "threshold": lambda documents: tagger.tag_all(documents, threshold=0.1),
        "probabilities": lambda documents: tagger.tag_all(documents, probabilities=True),
    }
    tag = ways.get(name, tagger.tag_all)
    tagger.compile()
    list(tag([Document("warm", "Dr. Ruiz, 3/4/2061. ")]))  # reads compiled code from disk
    cli.keep_loaded()
    return {state: time_run(tag, data, out, None) for state in ("cold", "warm")}


def time_redact(data: Path, out: Path) -> float:
    """Seconds of the command, without its start."""
    began = time.process_time()
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        redact_main([str(data), "--out", str(out.with_suffix(".jsonl")), "--seed", "1", "--overwrite"])
    return time.process_time() - began


def time_run(tag: Tag, data: Path, out: Path, first: int | None) -> float:
    """Seconds from the file to the written spans."""
    began = time.process_time()
    corpora.write(tag(islice(corpora.read(data), first)), out, "csv", overwrite=True)
    return time.process_time() - began


def run_process(arguments: list[str]) -> dict:
    """Run this file in a separate process and return its answer."""
    done = subprocess.run([sys.executable, __file__, *arguments], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def compare_labels(documents: list[Document]) -> None:
    """Compare the engine's labels and marginals with python-crfsuite's."""
    tagger = model.load()
    tagger.compile()
    data = crfsuite_file.read_bytes(crf.find_weights(tagger.folder))  # CRFsuite does not copy it
    reference = pycrfsuite.Tagger()
    reference.open_inmemory(data)
    names = crfsuite_file.parse(data).labels
    tokens = different = 0
    apart = 0.0
    for number, document in enumerate(documents):
        batch = tagger.decoder.batch([document])
        path = tagger.decoder.path(batch)
        features = tagger.pipeline.extractor.features(batch.tokenized(0), range(len(batch)))
        wanted = reference.tag(features) if len(batch) else []
        tokens += len(batch)
        different += sum(names[y] != label for y, label in zip(path.tolist(), wanted))
        if number < 5 and len(batch):
            found = chain.run_chain(tagger.decoder.emissions(batch), tagger.weights.transitions).marginals()
            given = [[reference.marginal(label, t) for label in names] for t in range(0, len(batch), 7)]
            apart = max(apart, float(np.abs(found[::7] - given).max()))
    print(f"labels: {different} of {tokens:,} tokens differ; marginals differ by at most {apart:.0e}")


def print_stages(documents: list[Document]) -> None:
    """Print the share of each stage with compiled loops, warm."""
    tagger = model.load()
    tagger.compile()
    list(tagger.tag_all(documents))
    decoder: Decoder = tagger.decoder
    times = dict.fromkeys(("tokenize", "observe", "rows and Viterbi", "spans"), 0.0)

    def timed(name: str, call: Callable):
        began = time.process_time()
        answer = call()
        times[name] += time.process_time() - began
        return answer

    for some in (documents[i : i + 20] for i in range(0, len(documents), 20)):
        batch = timed("tokenize", lambda some=some: decoder.batch(some))
        seen = timed("observe", lambda b=batch: decoder.observe(b))
        path = timed("rows and Viterbi", lambda b=batch, o=seen: decoder.scorer.find_paths(b, o))
        timed("spans", lambda b=batch, p=path: decode_spans(b, decoder.labels, p))
    total = sum(times.values())
    batches = [decoder.batch(documents[i : i + 20]) for i in range(0, len(documents), 20)]
    additions, reads = find_floor(decoder, batches)
    share = (additions + reads) * sum(map(len, batches)) / total
    print(
        f"floor: {additions * 1e9:.0f} ns a token for additions in the nearest cache, "
        f"{reads * 1e9:.0f} ns for reads in a row: {share:.0%} of the time"
    )
    print("stages: " + ", ".join(f"{name} {seconds / total:.0%}" for name, seconds in times.items()))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--slow", type=int, default=60, help="reports for the ways that are not the engine")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", choices=WAYS, nargs="+", help="only these ways, and the start")
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    if args.way:
        print(json.dumps(run_way(args.way, args.data, args.out, args.slow)))
        return
    with tempfile.TemporaryDirectory() as folder:
        speeds = measure_ways(args, Path(folder))
        print_start(args.repeat)
        if args.only:
            return
        print_ratios(speeds)
        compare_processes(args, Path(folder))
    documents = list(corpora.read(args.data))[:COMPARED]
    compare_labels([*documents, *synthetic.generate(60, 7, part="test")])
    print_stages(documents)


def measure_ways(args: argparse.Namespace, folder: Path) -> dict[str, float]:
    """Tokens per second of each way, cold and warm; prints one line for each."""
    answers: dict[str, list[dict]] = {name: [] for name in args.only or WAYS}
    for _ in range(args.repeat):
        for name in answers:
            common = ["--data", str(args.data), "--slow", str(args.slow), "--way", name]
            answers[name].append(run_process([*common, "--out", str(folder / f"{name}.csv")]))
    speeds = {}
    for name, found in answers.items():
        for state in found[0]["seconds"]:
            rates = sorted(a["tokens"] / a["seconds"][state] for a in found)
            speeds[f"{name} {state}"] = statistics.median(rates)
            peak = max(a["peak"] for a in found)
            print(
                f"{name:12} {state:4} {statistics.median(rates):10,.0f} tokens/s "
                f"({rates[0]:,.0f} to {rates[-1]:,.0f}), peak {peak:,.0f} MB"
            )
    return speeds


def print_start(repeat: int) -> None:
    """Print how long the command takes for one short note. The first run, which does not count, compiles the
    Python files that are not yet compiled."""
    seconds = []
    for _ in range(repeat + 1):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "crfdeid.tag", NOTE], stdout=subprocess.DEVNULL, check=True)
        seconds.append(time.perf_counter() - began)
    kept = sorted(seconds[1:])
    print(f"tag note.txt: {statistics.median(kept):.2f} s ({kept[0]:.2f} to {kept[-1]:.2f})")


def print_ratios(speeds: dict[str, float]) -> None:
    others = [name for name in WAYS if name in OTHERS]
    for state in ("cold", "warm"):
        fast = speeds[f"compiled {state}"]
        ratios = ", ".join(f"{fast / speeds[f'{name} cold']:.1f} times {name}" for name in others)
        print(f"compiled, {state}: {ratios}")


def compare_processes(args: argparse.Namespace, folder: Path) -> None:
    """Compare the elapsed time of the command in one process and in several, over a few and over many
    copies of the reports: the difference does not include the start, which is in one process."""
    documents = list(corpora.read(args.data))
    seconds: dict[tuple[int, int], list[float]] = {}
    given: list[float] = []
    for copies in COPIES:
        big = folder / f"{copies}.jsonl"
        notes = (Document(f"{n}-{d.id}", d.text) for n in range(copies) for d in documents)
        corpora.write(notes, big, "jsonl")
        for jobs in (1, args.jobs) * args.repeat:
            if jobs == 1:
                given.append(args.jobs * count_beside(1) / count_beside(args.jobs))
            began = time.perf_counter()
            command = [sys.executable, "-m", "crfdeid.tag", str(big), "--jobs", str(jobs)]
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
            seconds.setdefault((copies, jobs), []).append(time.perf_counter() - began)
    few, many = COPIES
    one, more = (statistics.median(seconds[many, jobs]) for jobs in (1, args.jobs))
    started = [t - statistics.median(seconds[few, jobs]) for t, jobs in ((one, 1), (more, args.jobs))]
    print(
        f"{args.jobs} processes: {one / more:.2f} times one ({one:.1f} s and {more:.1f} s, with the start), "
        f"{started[0] / started[1]:.2f} times without the start; processes that only count "
        f"{statistics.median(given):.2f} times ({min(given):.2f} to {max(given):.2f})"
    )


if __name__ == "__main__":
    main()
