"""The time of scoring on a corpus as large as the test part of i2b2 2014.

    python benchmarks/scoring.py [--documents 514] [--spans 11462] [--resamples 10000]

Gold and system are drawn from a seed. The system finds nine spans of ten, some with another end or type, and
adds false alarms. Prints seconds, and documents per second.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable

from crfdeid.evaluate import error_page, evaluation, official, report
from crfdeid.evaluate.evaluation import Evaluation, EvaluationOptions
from crfdeid.evaluate.matching import build_scored_document
from crfdeid.text import scheme
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import Scheme

SAMPLE = "the patient was seen for pain in left knee and given 20 mg daily Smith 3/14/61 Boston"


def draw_corpus(documents: int, spans: int, labels: Scheme) -> tuple[list[Document], list[Document]]:
    rng = random.Random(2014)
    per_note = [spans // documents + (number < spans % documents) for number in range(documents)]
    gold = [
        draw_note(f"{100 + n // 3}-{n % 3 + 1:02}", count, labels, rng) for n, count in enumerate(per_note)
    ]
    return gold, [draw_system(document, labels, rng) for document in gold]


def draw_note(id: str, spans: int, labels: Scheme, rng: random.Random) -> Document:
    """Draw a note of about 800 words, like the notes of the challenge, with spans of one to three words."""
    vocabulary = SAMPLE.split()
    words = [rng.choice(vocabulary) for _ in range(max(800, 4 * spans))]
    starts, at = [], 0
    for word in words:
        starts.append(at)
        at += len(word) + 1
    chosen = []
    for first in sorted(rng.sample(range(0, len(words) - 4, 4), spans)):
        last = first + rng.randrange(3)
        chosen.append(Span(starts[first], starts[last] + len(words[last]), rng.choice(labels.types)))
    return Document(id, " ".join(words), tuple(chosen), patient=id[:3])


def draw_system(gold: Document, labels: Scheme, rng: random.Random) -> Document:
    found = []
    for span in gold.spans:
        fate = rng.random()
        if fate < 0.85:
            found.append(span)
        elif fate < 0.88:
            found.append(Span(span.start, span.end - 1, span.type))
        elif fate < 0.90:
            found.append(Span(span.start, span.end, rng.choice(labels.types)))
        elif fate < 0.93:
            found.append(Span(span.end + 1, span.end + 3, span.type))
    return gold.with_spans(span for span in found if span.start < span.end <= len(gold.text))


def print_time(title: str, work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    seconds = time.perf_counter() - began
    print(f"{title:<58}{seconds:7.2f} s")
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=int, default=514)
    parser.add_argument("--spans", type=int, default=11_462)
    parser.add_argument("--resamples", type=int, default=10_000)
    args = parser.parse_args()
    labels = scheme.read_scheme()
    gold, system = draw_corpus(args.documents, args.spans, labels)
    count = sum(len(document.spans) for document in system)
    print(f"{len(gold)} documents, {args.spans} gold and {count} system spans")
    options = EvaluationOptions(labels, resamples=args.resamples)
    found = evaluate_system(gold, system, options)
    total = print_time("every criterion of the official scorer", lambda: official.build_table(found.scores))
    print_time("characters, leaks, words", lambda: (found.leakage, found.word_scores))
    print_time(f"intervals, {args.resamples} resamples, three criteria", lambda: found.intervals)
    print_time("errors", lambda: found.errors)
    print_time("all as text and JSON", lambda: (report.format_report(found), report.build_json(found)))
    print_time("page of errors", lambda: list(error_page.render_page(found)))
    print_time("comparison with itself, randomisation", lambda: evaluation.compare(found, found))
    print(f"{len(gold) / total:.0f} documents per second on all official criteria")


def evaluate_system(gold: list[Document], system: list[Document], options: EvaluationOptions) -> Evaluation:
    first, second = ([build_scored_document(d, options.scheme) for d in side] for side in (gold, system))
    return evaluation.evaluate(first, second, options)


if __name__ == "__main__":
    main()
