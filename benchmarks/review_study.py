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
import http.client
import json
import random
import re
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import uvicorn

from crfdeid import corpora, synthetic
from crfdeid.review import __main__ as review
from crfdeid.review.study import study as room
from crfdeid.review.study import word_boundaries
from crfdeid.review.web import serve
from crfdeid.review.web.app import application
from crfdeid.review.web.sessions import Address, Sessions
from crfdeid.text.document import Document, Span
from crfdeid.text.spans import keep_leftmost

MEASUREMENT = re.compile(r"(?<![\d/])\d{1,2}/\d{1,2}(?![\d/])")
Table = dict[str, Any]
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
    covered = document.text_of(span)
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
        yield document.with_spans(
            keep_leftmost(sorted([*marks, *alarms(document, reader, chance)]), lambda span: span)
        )


def marked(document: Document, span: Span, chance: random.Random) -> Span:
    """The span as it is marked: one in twelve of several words in part, as single clicks leave it."""
    inside = [w for w in word_boundaries.words(document.text_of(span)) if w != (0, span.end - span.start)]
    if len(inside) > 1 and chance.random() < 1 / 12:
        start, end = chance.choice(inside)
        return replace(span, start=span.start + start, end=span.start + end)
    return span


def alarms(document: Document, reader: Simulated, chance: random.Random) -> Iterator[Span]:
    for match in MEASUREMENT.finditer(document.text):
        found = Span(*match.span(), "DATE")
        if not any(found.overlaps(span) for span in document.spans) and chance.random() < reader.alarms:
            yield found


class Desk:
    """A person at the reading room, over its HTTP contract (docs/review_api.md)."""

    def __init__(self, port: int, key: str, name: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.headers = {"Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/json"}
        self.headers["Connection"] = "close"  # an idle one is closed by the server
        self.answer("GET", f"/?key={key}")
        self.send("/api/login", {"name": name})

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def answer(self, method: str, path: str, body: Table | None = None) -> bytes:
        self.connection.request(method, path, json.dumps(body) if body else None, self.headers)
        answer = self.connection.getresponse()
        found = answer.read()
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path}: {answer.status} {json.loads(found)['fault']}")
        if cookie := answer.getheader("Set-Cookie"):
            self.headers["Cookie"] = cookie.split(";")[0]
        return found

    def send(self, path: str, body: Table) -> Table:
        return json.loads(self.answer("POST", path, body))

    def ask(self, path: str) -> Table:
        return json.loads(self.answer("GET", path))


@contextmanager
def served(study: room.Study) -> Iterator[Callable[[str], Desk]]:
    """The study on a free port of this machine; what is called with a name gives that person a desk."""
    with serve.bind_socket("127.0.0.1", 0) as listening:
        port, sessions = listening.getsockname()[1], Sessions()
        app = application(study, sessions, Address(("127.0.0.1",), port))
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, lifespan="off"))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        with ExitStack() as desks:
            desks.callback(thread.join)
            desks.callback(setattr, server, "should_exit", True)
            yield lambda name: desks.enter_context(Desk(port, sessions.new_key(), name))


def make(folder: Path, count: int = 20, seed: int = 5, model: str | None = "english") -> list[Document]:
    """A study in ``folder`` with three readers who have finished and the adjudicator eve; the gold."""
    gold = list(synthetic.generate(count, seed))
    corpora.write([document.with_spans(()) for document in gold], folder / "notes", "i2b2")
    arguments = [str(folder / "notes"), "--store", str(folder / "study.db"), "--no-server"]
    arguments += ["--adjudicator", "eve", *(["--model", model] if model else [])]
    for reader in READERS:
        corpora.write(read(gold, reader, seed), folder / "marks" / reader.name, "i2b2")
        arguments += ["--marks", f"{reader.name}={folder / 'marks' / reader.name}"]
    review.main(arguments)
    return gold


def spend(desk: Desk, pace: float) -> None:
    """A reader's time, reported as the page does."""
    for note in desk.ask("/api/notes")["notes"]:
        left = note["words"] / pace * 60
        while left > 0:
            desk.send(f"/api/notes/{note['number']}/time", {"seconds": min(left, 60.0)})
            left -= 60.0


def adjudicate(desk: Desk, gold: list[Document], left: int = 0) -> int:
    """Decide every item by the gold, in all notes but the last ``left``; how many gold spans were in none."""
    known, unseen = {document.id: document for document in gold}, 0
    table = desk.ask("/api/consensus")
    for note in [one for one in table["notes"][: len(gold) - left] if one["stage"] != "done"]:
        path = f"/api/consensus/{note['number']}"
        state = desk.send(f"{path}/open", {"readers": None, "systems": table["systems"]})
        items, spans = state["items"], known[note["id"]].spans
        unseen += sum(not any(overlap(span, item) for item in items) for span in spans)
        for action in decisions(items, spans):
            state = desk.send(f"{path}/actions", {"version": state["version"]} | action)
    return unseen


def overlap(span: Span, item: Table) -> bool:
    return span.start < item["end"] and item["start"] < span.end


def decisions(items: list[Table], gold: tuple[Span, ...]) -> Iterator[Table]:
    used: set[Span] = set()
    for item in items:
        here = [span for span in gold if overlap(span, item) and span not in used]
        used.update(here)
        spans = [{"start": span.start, "end": span.end, "type": span.type} for span in here]
        yield {"kind": "decide", "item": item["key"], "spans": spans}
    yield {"kind": "done"}


def tables(found: Table, unseen: int, total: int) -> Iterator[str]:
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
    yield f"\nMarked by nobody, and so in no consensus: {unseen} of {total} spans."


def shown(values: Iterable[float], digits: int) -> str:
    return " | ".join(f"{value:.{digits}f}" for value in values)


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("--notes", type=int, default=20)
    parse.add_argument("--seed", type=int, default=5)
    parse.add_argument("--left", type=int, default=0, help="notes whose consensus stays open (default: 0)")
    parse.add_argument("--out", type=Path)
    given = parse.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = given.out or Path(name)
        gold = make(folder, given.notes, given.seed)
        study = room.enter(folder / "study.db")
        with served(study) as desk:
            for reader in READERS:
                spend(desk(reader.name), reader.pace)
            eve = desk("eve")
            unseen = adjudicate(eve, gold, given.left)
            total = sum(len(document.spans) for document in gold[: given.notes - given.left])
            print("\n".join(tables(eve.ask("/api/measures"), unseen, total)))
        study.store.close()


if __name__ == "__main__":
    main()
