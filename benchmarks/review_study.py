"""A study of the reading room with three simulated readers, and the tables that come out.

    python benchmarks/review_study.py [--notes 20] [--seed 5] [--out FOLDER]

Synthetic notes; readers who miss as those of Douglass 2005 did (section 4.1, tables A.1-A.3: 63-94% found,
dates and text in capitals missed most, more towards the end, the fastest miss most; few false alarms, most of
them measurements taken for dates). An adjudicator decides what any of them or the English model marked, by
the gold, and sees nothing else: "the adjudicated union of the algorithm and three independent human experts"
(table 4.1). What all of them missed is in no such table; here the gold knows it, and it is printed. The model
has seen synthetic notes of the same grammar, so its row flatters.
With --out, the notes and the store stay, to be opened with `python -m crfdeid.review`.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crfdeid import corpora, synthetic
from crfdeid.document import Document, Span
from crfdeid.review import __main__ as review
from crfdeid.review import adjudication, figures, readers, reading, room, words

MEASUREMENT = re.compile(r"(?<![\d/])\d{1,2}/\d{1,2}(?![\d/])")
PUBLISHED = {"1": (0.63, 0.94, 0.81), "2": (0.89, 0.98, 0.94), "3": (0.98, 0.99, 0.98)}


@dataclass(frozen=True)
class Simulated:
    """``found``: the share of PHI to find; ``pace``: words a minute."""

    name: str
    found: float
    pace: float
    alarms: float = 0.25  # the chance that a measurement is taken for a date


READERS = (Simulated("ann", 0.91, 170), Simulated("bob", 0.80, 240), Simulated("cyd", 0.68, 330))


def difficulty(document: Document, span: Span, when: float) -> float:
    """How easily a span is missed beside others; ``when`` runs from 0 to 1 through the session."""
    covered = document.covered(span)
    hard = (1.8 if span.type == "DATE" else 1.0) * (1.6 if covered.isupper() else 1.0)
    return hard * (1 + 0.5 * when)


def times(documents: list[Document]) -> Iterator[tuple[Document, float]]:
    for index, document in enumerate(documents):
        yield document, index / max(1, len(documents) - 1)


def scale(documents: list[Document], found: float) -> float:
    """What difficulties are multiplied with so that the expected share found is ``found``, by bisection."""
    hard = [difficulty(note, span, when) for note, when in times(documents) for span in note.spans]
    low, high = 0.0, 10.0
    for _ in range(50):
        middle = (low + high) / 2
        missed = sum(min(0.97, middle * one) for one in hard) / len(hard)
        low, high = (middle, high) if missed < 1 - found else (low, middle)
    return low


def read(documents: list[Document], reader: Simulated, seed: int) -> Iterator[Document]:
    """The documents with what a simulated reader marks in them."""
    chance = random.Random(f"{seed} {reader.name}")
    times_as_hard = scale(documents, reader.found)
    for document, when in times(documents):
        missing = [min(0.97, times_as_hard * difficulty(document, span, when)) for span in document.spans]
        pairs = zip(document.spans, missing, strict=True)
        seen = [span for span, likely in pairs if chance.random() >= likely]
        marks = [marked(document, span, chance) for span in seen]
        yield document.with_spans(apart([*marks, *alarms(document, reader, chance)]))


def marked(document: Document, span: Span, chance: random.Random) -> Span:
    """The span as it is marked: one in twelve of several words in part, as single clicks leave it."""
    inside = [w for w in words.words(document.covered(span)) if w != (0, span.end - span.start)]
    if len(inside) > 1 and chance.random() < 1 / 12:
        start, end = chance.choice(inside)
        return replace(span, start=span.start + start, end=span.start + end)
    return span


def alarms(document: Document, reader: Simulated, chance: random.Random) -> Iterator[Span]:
    for match in MEASUREMENT.finditer(document.text):
        found = Span(*match.span(), "DATE")
        if not any(found.overlaps(span) for span in document.spans) and chance.random() < reader.alarms:
            yield found


def apart(spans: Iterable[Span]) -> list[Span]:
    kept: list[Span] = []
    for span in sorted(spans):
        if not kept or kept[-1].end <= span.start:
            kept.append(span)
    return kept


def make(
    folder: Path, count: int = 20, seed: int = 5, model: str | None = "english"
) -> tuple[room.Room, list[Document]]:
    """A study in ``folder``: the notes, what a model finds, three readers who have finished, the adjudicator
    eve; and the gold."""
    gold = list(synthetic.generate(count, seed))
    corpora.write([document.with_spans(()) for document in gold], folder / "notes", "i2b2")
    arguments = [str(folder / "notes"), "--store", str(folder / "study.db"), "--no-server"]
    arguments += ["--adjudicator", "eve", *(["--model", model] if model else [])]
    for reader in READERS:
        corpora.write(read(gold, reader, seed), folder / "marks" / reader.name, "i2b2")
        arguments += ["--marks", f"{reader.name}={folder / 'marks' / reader.name}"]
    review.main(arguments)
    study = room.enter(folder / "study.db")
    for reader in READERS:
        spend(study, reader)
    return study, gold


def spend(study: room.Room, reader: Simulated) -> None:
    """The reader's time, reported as the page does."""
    who = readers.find(study.store, reader.name)
    for note in study.part(None):
        left = note.words / reader.pace * 60
        while left > 0:
            reading.spend(study, who, note.number, {"seconds": min(left, 60.0)})
            left -= 60.0


def adjudicate(study: room.Room, gold: list[Document], left: int = 0) -> None:
    """Decide every item by the gold, in all notes but the last ``left``."""
    eve = readers.find(study.store, "eve")
    known = {document.id: document for document in gold}
    notes = study.part(None)
    for note in notes[: len(notes) - left]:
        state = adjudication.opened(study, eve, note.number, {"systems": study.systems()})
        for action in decisions(state, known[note.id].spans):
            given = {"version": state["version"]} | action
            state = adjudication.act(study, eve, note.number, given)


def decisions(state: dict[str, Any], gold: tuple[Span, ...]) -> Iterator[dict[str, Any]]:
    used: set[Span] = set()
    for item in state["items"]:
        here = [s for s in gold if s.start < item["end"] and item["start"] < s.end and s not in used]
        used.update(here)
        spans = [{"start": span.start, "end": span.end, "type": span.type} for span in here]
        yield {"kind": "decide", "item": item["key"], "spans": spans}
    yield {"kind": "done"}


def table(found: dict[str, Any], missed: int, total: int) -> Iterator[str]:
    """The tables as Markdown."""
    yield "| reader | sensitivity | PPV | missed | spurious | words a minute |\n|---|---|---|---|---|---|"
    for one in found["voters"]:
        shares = f"{one['sensitivity']:.3f} | {one['ppv']:.3f}"
        pace = f"{one['words_per_minute']:.0f}" if one["words_per_minute"] else "–"
        yield f"| {one['name']} | {shares} | {one['fn']} | {one['fp']} | {pace} |"
    yield "\n| readers | sensitivity: min | max | mean | published: min | max | mean | PPV: mean |"
    yield "|---|---|---|---|---|---|---|---|"
    for size, published in PUBLISHED.items():
        ours = found["summary"][size]["sensitivity"]
        values = [ours["min"], ours["max"], ours["mean"]]
        ppv = found["summary"][size]["ppv"]["mean"]
        yield f"| {size} | {shown(values, 3)} | {shown(published, 2)} | {ppv:.3f} |"
    yield f"\nMarked by nobody, and so in no consensus: {missed} of {total} spans."


def shown(values: Iterable[float], digits: int) -> str:
    return " | ".join(f"{value:.{digits}f}" for value in values)


def unseen(study: room.Room, gold: list[Document]) -> int:
    """Gold spans that nobody touched."""
    known = {document.id: document for document in gold}
    left = 0
    for note in study.part(None):
        books = [study.marking.entry(room.book(one.name), note.number) for one in READERS]
        marks = [span for book in books for span in book.state.spans]
        marks += [span for name in study.systems() for span in study.found(name, note.number)]
        left += sum(not any(span.overlaps(mark) for mark in marks) for span in known[note.id].spans)
    return left


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("--notes", type=int, default=20)
    parse.add_argument("--seed", type=int, default=5)
    parse.add_argument("--left", type=int, default=0, help="notes whose consensus stays open (default: 0)")
    parse.add_argument("--out", type=Path)
    given = parse.parse_args()
    with tempfile.TemporaryDirectory() as name:
        study, gold = make(given.out or Path(name), given.notes, given.seed)
        adjudicate(study, gold, given.left)
        total = sum(len(document.spans) for document in gold)
        for line in table(figures.everything(study), unseen(study, gold), total):
            print(line)
        study.store.close()


if __name__ == "__main__":
    main()
