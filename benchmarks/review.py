"""Time to open a review study of 10,000 notes, from a click to the disk, and with eight readers at once.

    python benchmarks/review.py [--notes 10000] [--format text] [--seconds 20]

Every figure is the wall time of one run on this machine; the study is synthetic, in a temporary folder.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.client import HTTPConnection
from pathlib import Path

import uvicorn
from starlette.testclient import TestClient

from crfdeid import corpora, synthetic
from crfdeid.network import build_config
from crfdeid.review.measures import figures
from crfdeid.review.operations import listing, surrogate_review
from crfdeid.review.study import accounts, system_spans
from crfdeid.review.study.consensus import BOOK
from crfdeid.review.study.source import Source
from crfdeid.review.study.study import Study, create_study, open_study
from crfdeid.review.web import serve
from crfdeid.review.web.sessions import Address, LoginSession, Sessions
from crfdeid.text.document import Document, Span

ADDRESS = Address(("127.0.0.1",), 8000)
ORIGIN = "http://127.0.0.1:8000"
HEADERS = {"Origin": ORIGIN, "Content-Type": "application/json"}
MEGABYTE = 1_000_000
OPEN_STUDY = """
import sys, time
began = time.perf_counter()
from pathlib import Path
from crfdeid.review.study.study import open_study
opened = open_study(Path(sys.argv[1]))
print(len(opened.notes), time.perf_counter() - began)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--format", default="text", choices=("text", "i2b2", "jsonl", "brat"))
    parser.add_argument("--seconds", type=float, default=20, help="of eight readers at once")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        measure_folder(Path(name), args.notes, args.format, args.seconds)


def measure_folder(folder: Path, count: int, format: str, seconds: float) -> None:
    path = folder / ("notes.jsonl" if format == "jsonl" else "notes")
    corpora.write(generate_notes(count), path, format)
    source = Source(path, format)
    print_times(
        "make the study (once)",
        measure_time(lambda: create_study(folder / "s.db", source, "i2b2-2014", None, 4)),
    )
    opened = open_study(folder / "s.db")
    gc.freeze()  # as the server does
    accounts.add_reader(opened.store, "ann", "reader")
    found = {note.number: [Span(0, 3, "DATE", 0.5 + note.number % 50 / 100)] for note in opened.notes.all}
    system_spans.add_system(opened, "model", found, premarks=True)
    print_times(
        "open it, with a reader and premarks",
        measure_time(lambda: open_study(folder / "s.db").store.close()),
    )
    command = [sys.executable, "-c", OPEN_STUDY, str(folder / "s.db")]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    print_times("open it in a new process, with imports", float(output.split()[1]))
    measure_replies(opened)
    measure_readers(opened, seconds)
    measure_agreement(opened)
    measure_decided(opened)
    opened.store.close()


def generate_notes(count: int) -> list[Document]:
    """Synthetic notes; copies of 50 notes under other names, and one note of 1 MB."""
    notes = [d.with_spans(()) for d in synthetic.generate(50, 1, "all", ())]
    texts = [notes[n % len(notes)].text for n in range(count - 1)]
    texts.append((" ".join(d.text for d in notes) * 40)[:MEGABYTE])
    return [Document(f"{n // 10:05}-{n % 10}", text, (), f"{n // 10:05}") for n, text in enumerate(texts)]


def measure_replies(opened: Study) -> None:
    """Time the server's replies, without a network."""
    sessions = Sessions(opened.store)
    client = TestClient(serve.application(opened, sessions, ADDRESS), base_url=ORIGIN, follow_redirects=False)
    client.get("/", params={"key": sessions.create_key(owner=True)})
    client.post("/api/login", content='{"name": "ann"}', headers=HEADERS)
    large = len(opened.notes)
    get = lambda path: lambda: client.get(path).raise_for_status()  # noqa: E731
    print_times("list all notes by uncertainty", measure_time(get("/api/notes?order=uncertainty")))
    search = json.dumps({"text": "hospital"})
    for what in ("search all notes, the first time (builds the index)", "search all notes again"):
        print_times(what, measure_time(lambda: client.post("/api/search", content=search, headers=HEADERS)))
    print_times("open a note", measure_time(get("/api/notes/7")))
    print_times("open the note of 1 MB", measure_time(get(f"/api/notes/{large}")))
    for number in (7, large):
        spent = [measure_time(partial(add_mark, client, number, version)) for version in range(100)]
        title = f"note {number}: an action on disk, median of 100, and slowest"
        print_times(title, statistics.median(spent), max(spent))
    version = 100
    body = json.dumps({"version": version, "mark": 1, "apply": True})
    print_times(
        "mark all repeats",
        measure_time(lambda: client.post(f"/api/notes/{large}/repeats", content=body, headers=HEADERS)),
    )


def measure_readers(opened: Study, seconds: float) -> None:
    """Eight readers who mark in notes of their own, through a real server on a free port: actions a second,
    the time of an action, and how many of those that the server acknowledged are not in the store."""
    names = [f"reader {n}" for n in range(8)]
    for name in names:
        accounts.add_reader(opened.store, name, "reader")
    with serve.bind_socket("127.0.0.1", 0) as listening:
        port, sessions = listening.getsockname()[1], Sessions(opened.store)
        config = build_config(serve.application(opened, sessions, Address(("127.0.0.1",), port)), None, None)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        tokens = [sessions.begin(LoginSession(name)) for name in names]
        with ThreadPoolExecutor(len(names)) as desks:
            began = time.perf_counter()
            jobs = [
                desks.submit(mark_notes, port, token, seconds, range(1 + n, len(opened.notes), len(names)))
                for n, token in enumerate(tokens)
            ]
            spent = sorted(second for job in jobs for second in job.result())
            whole = time.perf_counter() - began
        server.should_exit = True
        thread.join(10)
    sql = "SELECT count(*) FROM actions WHERE book LIKE 'reader:reader %'"
    ((kept,),) = opened.store.fetch_all(sql)
    lost = len(spent) - kept
    print(f"eight readers: {len(spent) / whole:,.0f} actions a second, {lost} of {len(spent)} lost")
    print_times("  an action: median, 99 of 100", spent[len(spent) // 2], spent[len(spent) * 99 // 100])


def mark_notes(port: int, token: str, seconds: float, numbers: Sequence[int]) -> list[float]:
    """Mark one note after the other for ``seconds``; return the time of each acknowledged action."""
    spent = []
    origin = f"http://127.0.0.1:{port}"
    headers = {"Origin": origin, "Content-Type": "application/json", "Cookie": f"crfdeid-{port}={token}"}
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    until = time.monotonic() + seconds
    for number in numbers:
        if time.monotonic() > until:
            break
        for version in range(10):
            action = {"version": version, "kind": "add", "start": 2 * version, "end": 2 * version + 1}
            body = json.dumps(action | {"type": "DATE"})
            began = time.perf_counter()
            connection.request("POST", f"/api/notes/{number}/actions", body, headers)
            reply = connection.getresponse()
            reply.read()
            if reply.status != 200:
                raise SystemExit(f"note {number}: status {reply.status}")
            spent.append(time.perf_counter() - began)
    connection.close()
    return spent


def measure_decided(opened: Study) -> None:
    """The measures and the surrogates of 1,000 notes, the first time and after one change."""
    gold = synthetic.generate(50, 1, "all", ())
    spans = [note.spans for note in gold]
    chosen = [note.number for note in opened.notes.all[:1000]]
    system_spans.import_consensus(opened, {number: spans[(number - 1) % len(spans)] for number in chosen})
    lists: dict[str, Callable[[], object]] = {
        "measures": lambda: figures.compute_figures(opened),
        "surrogates": lambda: surrogate_review.list_notes(opened, None),
    }
    for name, work in lists.items():
        print_times(f"{name} of 1,000 decided notes, the first time", measure_time(work))
        change_consensus(opened, chosen[0])
        print_times(f"{name} again, after one change", measure_time(work))


def change_consensus(opened: Study, number: int) -> None:
    """Reopen a note's consensus, and decide it again."""
    for kind in ("reopen", "done"):
        version = opened.consensus_log.read_entry(BOOK, number).version
        opened.consensus_log.append(BOOK, number, version, "eve", {"kind": kind})


def measure_agreement(opened: Study) -> None:
    """The list of the notes to decide, which two readers have finished."""
    for name, start in (("bob", 0), ("cyd", 5)):
        found = {note.number: [Span(start, start + 3, "DATE")] for note in opened.notes.all}
        system_spans.import_marks(opened, name, found)
    for what in ("list the notes to decide by disagreement, the first time", "the same again"):
        work = lambda: listing.list_notes_to_decide(opened, None, "disagreement")  # noqa: E731
        print_times(what, measure_time(work))


def add_mark(client: TestClient, number: int, version: int) -> None:
    """Mark the next four characters of a note."""
    action = {"version": version, "kind": "add", "start": 5 * version, "end": 5 * version + 4, "type": "DATE"}
    client.post(
        f"/api/notes/{number}/actions", content=json.dumps(action), headers=HEADERS
    ).raise_for_status()


def measure_time(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def print_times(what: str, *seconds: float) -> None:
    print(f"{what:<60} {'  '.join(f'{s:8.3f} s' for s in seconds)}", flush=True)


if __name__ == "__main__":
    main()
