"""A review study with three simulated readers, and its tables.

    python benchmarks/review_study.py [--notes 20] [--seed 5] [--out FOLDER]

The notes are synthetic. The readers miss as those of Douglass 2005 did (section 4.1, tables A.1-A.3: 63-94%
found; dates and text in capitals are missed most; more is missed towards the end; the fastest readers miss
most; few false alarms, most of them measurements taken for dates). An adjudicator sees what any of them or
the English model marked, and decides by the gold: "the adjudicated union of the algorithm and three
independent human experts" (table 4.1). Her tables cannot show what all of them missed; here the gold shows
it, and it is printed. The model was trained on synthetic notes of the same grammar, so its row is too good.
With --out, the notes and the store are kept, and `crfdeid review` opens them.
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
from crfdeid.review.study import marks
from crfdeid.review.study.study import Study, open_study
from crfdeid.review.web import serve
from crfdeid.review.web.serve import application
from crfdeid.review.web.sessions import Address, Sessions
from crfdeid.text.document import Document, Span, keep_leftmost

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


def rate_difficulty(document: Document, span: Span, when: float) -> float:
    """How easily a span is missed, relative to others; ``when`` runs from 0 to 1 through the session."""
    covered = document.text_of(span)
    hard = (1.8 if span.type == "DATE" else 1.0) * (1.6 if covered.isupper() else 1.0)
    return hard * (1 + 0.5 * when)


def pair_with_time(documents: list[Document]) -> Iterator[tuple[Document, float]]:
    for index, document in enumerate(documents):
        yield document, index / max(1, len(documents) - 1)


def find_scale(documents: list[Document], found: float) -> float:
    """The factor on all difficulties with which the expected share found is ``found``, by bisection."""
    hard = [
        rate_difficulty(note, span, when) for note, when in pair_with_time(documents) for span in note.spans
    ]
    low, high = 0.0, 10.0
    for _ in range(50):
        middle = (low + high) / 2
        missed = sum(min(0.97, middle * one) for one in hard) / len(hard)
        low, high = (middle, high) if missed < 1 - found else (low, middle)
    return low


def simulate_reader(documents: list[Document], reader: Simulated, seed: int) -> Iterator[Document]:
    """The documents with the marks of a simulated reader."""
    chance = random.Random(f"{seed} {reader.name}")
    times_as_hard = find_scale(documents, reader.found)
    for document, when in pair_with_time(documents):
        missing = [
            min(0.97, times_as_hard * rate_difficulty(document, span, when)) for span in document.spans
        ]
        pairs = zip(document.spans, missing, strict=True)
        seen = [span for span, likely in pairs if chance.random() >= likely]
        marks = [mark_span(document, span, chance) for span in seen]
        yield document.with_spans(
            keep_leftmost(sorted([*marks, *find_false_alarms(document, reader, chance)]), lambda span: span)
        )


def mark_span(document: Document, span: Span, chance: random.Random) -> Span:
    """The span as the reader marks it: in one of twelve spans with several words, only one word, as after a
    single click."""
    inside = [w for w in marks.find_words(document.text_of(span)) if w != (0, span.end - span.start)]
    if len(inside) > 1 and chance.random() < 1 / 12:
        start, end = chance.choice(inside)
        return replace(span, start=span.start + start, end=span.start + end)
    return span


def find_false_alarms(document: Document, reader: Simulated, chance: random.Random) -> Iterator[Span]:
    for match in MEASUREMENT.finditer(document.text):
        found = Span(*match.span(), "DATE")
        if not any(found.overlaps(span) for span in document.spans) and chance.random() < reader.alarms:
            yield found


class Desk:
    """A person who reviews, over the HTTP contract (docs/review_api.md)."""

    def __init__(self, port: int, key: str, name: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.headers = {"Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/json"}
        self.headers["Connection"] = "close"  # the server closes idle connections
        self.request("GET", f"/?key={key}")
        self.send("/api/login", {"name": name})

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def request(self, method: str, path: str, body: Table | None = None) -> bytes:
        self.connection.request(method, path, json.dumps(body) if body else None, self.headers)
        response = self.connection.getresponse()
        content = response.read()
        if response.status >= 400:
            raise RuntimeError(f"{method} {path}: {response.status} {json.loads(content)['fault']}")
        if cookie := response.getheader("Set-Cookie"):
            self.headers["Cookie"] = cookie.split(";")[0]
        return content

    def send(self, path: str, body: Table) -> Table:
        return json.loads(self.request("POST", path, body))

    def ask(self, path: str) -> Table:
        return json.loads(self.request("GET", path))


@contextmanager
def serve_study(study: Study) -> Iterator[Callable[[str], Desk]]:
    """Serve the study on a free port of this machine; yield a function from a person's name to a desk."""
    with serve.bind_socket("127.0.0.1", 0) as listening:
        port, sessions = listening.getsockname()[1], Sessions(study.store)
        app = application(study, sessions, Address(("127.0.0.1",), port))
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, lifespan="off"))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        with ExitStack() as desks:
            desks.callback(thread.join)
            desks.callback(setattr, server, "should_exit", True)
            yield lambda name: desks.enter_context(Desk(port, sessions.create_key(owner=True), name))


def create_study(
    folder: Path, count: int = 20, seed: int = 5, model: str | None = "english"
) -> list[Document]:
    """Create a study in ``folder`` with three readers who have finished and the adjudicator eve; return the
    gold."""
    gold = list(synthetic.generate(count, seed))
    corpora.write([document.with_spans(()) for document in gold], folder / "notes", "i2b2")
    arguments = [str(folder / "notes"), "--store", str(folder / "study.db"), "--no-server"]
    arguments += ["--adjudicator", "eve", *(["--model", model] if model else [])]
    for reader in READERS:
        corpora.write(simulate_reader(gold, reader, seed), folder / "marks" / reader.name, "i2b2")
        arguments += ["--marks", f"{reader.name}={folder / 'marks' / reader.name}"]
    review.main(arguments)
    return gold


def report_time(desk: Desk, pace: float) -> None:
    """Report a reader's time as the page does."""
    for note in desk.ask("/api/notes")["notes"]:
        left = note["words"] / pace * 60
        while left > 0:
            desk.send(f"/api/notes/{note['number']}/time", {"seconds": min(left, 60.0)})
            left -= 60.0


def adjudicate(desk: Desk, gold: list[Document], left: int = 0) -> int:
    """Decide every item by the gold, in all notes except the last ``left``; return the number of gold spans
    in no item."""
    known, unseen = {document.id: document for document in gold}, 0
    table = desk.ask("/api/consensus")
    for note in [one for one in table["notes"][: len(gold) - left] if one["stage"] != "done"]:
        path = f"/api/consensus/{note['number']}"
        state = desk.send(f"{path}/open", {"readers": None, "systems": table["systems"]})
        items, spans = state["items"], known[note["id"]].spans
        unseen += sum(not any(is_overlapping(span, item) for item in items) for span in spans)
        for action in list_decisions(items, spans):
            state = desk.send(f"{path}/actions", {"version": state["version"]} | action)
    return unseen


def is_overlapping(span: Span, item: Table) -> bool:
    return span.start < item["end"] and item["start"] < span.end


def list_decisions(items: list[Table], gold: tuple[Span, ...]) -> Iterator[Table]:
    used: set[Span] = set()
    for item in items:
        here = [span for span in gold if is_overlapping(span, item) and span not in used]
        used.update(here)
        spans = [{"start": span.start, "end": span.end, "type": span.type} for span in here]
        yield {"kind": "decide", "item": item["key"], "spans": spans}
    yield {"kind": "done"}


def render_tables(found: Table, unseen: int, total: int) -> Iterator[str]:
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
        yield f"| {size} | {format_values(values, 3)} | {format_values(published, 2)} | {ppv:.3f} |"
    yield f"\nMarked by nobody, and so not in the consensus: {unseen} of {total} spans."


def format_values(values: Iterable[float], digits: int) -> str:
    return " | ".join(f"{value:.{digits}f}" for value in values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--notes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--left", type=int, default=0, help="notes whose consensus stays open (default: 0)")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = args.out or Path(name)
        gold = create_study(folder, args.notes, args.seed)
        study = open_study(folder / "study.db")
        with serve_study(study) as desk:
            for reader in READERS:
                report_time(desk(reader.name), reader.pace)
            eve = desk("eve")
            unseen = adjudicate(eve, gold, args.left)
            total = sum(len(document.spans) for document in gold[: args.notes - args.left])
            print("\n".join(render_tables(eve.ask("/api/measures"), unseen, total)))
        study.store.close()


if __name__ == "__main__":
    main()
