"""How long the reading room takes to open a study of 10,000 notes, and from a click to the disk.

    python benchmarks/review.py [--notes 10000] [--format text]

Every figure is wall time of one run on this machine; the study is synthetic and made in a temporary folder.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from starlette.testclient import TestClient

from crfdeid import corpora, synthetic
from crfdeid.review.study import accounts, create, study, system_spans
from crfdeid.review.study.source import Source
from crfdeid.review.study.study import Study
from crfdeid.review.web import app
from crfdeid.review.web.sessions import Address, Sessions
from crfdeid.text.document import Document, Span

ADDRESS = Address(("127.0.0.1",), 8000)
ORIGIN = "http://127.0.0.1:8000"
HEADERS = {"Origin": ORIGIN, "Content-Type": "application/json"}
MEGABYTE = 1_000_000
OPEN = """
import sys, time
began = time.perf_counter()
from pathlib import Path
from crfdeid.review.study.study import enter
opened = enter(Path(sys.argv[1]))
print(len(opened.notes), time.perf_counter() - began)
"""


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("--notes", type=int, default=10_000)
    parse.add_argument("--format", default="text", choices=("text", "i2b2", "jsonl", "brat"))
    given = parse.parse_args()
    with tempfile.TemporaryDirectory() as name:
        measure(Path(name), given.notes, given.format)


def measure(folder: Path, count: int, format: str) -> None:
    path = folder / ("notes.jsonl" if format == "jsonl" else "notes")
    corpora.write(many(count), path, format)
    source = Source(path, format)
    tell(
        "make the study (once)",
        timed(lambda: create.create_study(folder / "s.db", source, "i2b2-2014", None, 4)),
    )
    opened = study.enter(folder / "s.db")
    accounts.add(opened.store, "ann", "reader")
    found = {note.number: [Span(0, 3, "DATE", 0.5 + note.number % 50 / 100)] for note in opened.notes.all}
    system_spans.add(opened, "model", found, premarks=True)
    tell("open it, with a reader and premarks", timed(lambda: study.enter(folder / "s.db").store.close()))
    command = [sys.executable, "-c", OPEN, str(folder / "s.db")]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    tell("open it in a new process, with imports", float(told.split()[1]))
    answer(opened)
    opened.store.close()


def many(count: int) -> list[Document]:
    """Synthetic notes; copies under other names where many are wanted, and one of 1 MB."""
    made = [d.with_spans(()) for d in synthetic.generate(50, 1, "all", ())]
    texts = [made[n % len(made)].text for n in range(count - 1)]
    texts.append((" ".join(d.text for d in made) * 40)[:MEGABYTE])
    return [Document(f"{n // 10:05}-{n % 10}", text, (), f"{n // 10:05}") for n, text in enumerate(texts)]


def answer(opened: Study) -> None:
    """Time the server's answers, without a network between."""
    sessions = Sessions()
    client = TestClient(app.application(opened, sessions, ADDRESS), base_url=ORIGIN, follow_redirects=False)
    client.get("/", params={"key": sessions.new_key()})
    client.post("/api/login", content='{"name": "ann"}', headers=HEADERS)
    large = len(opened.notes)
    get = lambda path: lambda: client.get(path).raise_for_status()  # noqa: E731
    tell("list all notes by uncertainty", timed(get("/api/notes?order=uncertainty")))
    tell("open a note", timed(get("/api/notes/7")))
    tell("open the note of 1 MB", timed(get(f"/api/notes/{large}")))
    for number in (7, large):
        spent = [timed(partial(act, client, number, version)) for version in range(100)]
        told = f"note {number}: an action on disk, median of 100, and slowest"
        tell(told, statistics.median(spent), max(spent))
    version = 100
    body = json.dumps({"version": version, "mark": 1, "apply": True})
    tell(
        "mark all repeats",
        timed(lambda: client.post(f"/api/notes/{large}/repeats", content=body, headers=HEADERS)),
    )


def act(client: TestClient, number: int, version: int) -> None:
    """Mark the next four characters."""
    action = {"version": version, "kind": "add", "start": 5 * version, "end": 5 * version + 4, "type": "DATE"}
    client.post(
        f"/api/notes/{number}/actions", content=json.dumps(action), headers=HEADERS
    ).raise_for_status()


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def tell(what: str, *seconds: float) -> None:
    print(f"{what:<60} {'  '.join(f'{s:8.3f} s' for s in seconds)}", flush=True)


if __name__ == "__main__":
    main()
