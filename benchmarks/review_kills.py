"""Kill the review server while readers act, start it again, and compare its log with what it acknowledged.

    python benchmarks/review_kills.py [--kills 20] [--readers 8]

The server is the real command, killed as by `kill -9` at moments by chance. Each reader acts in other notes;
after a kill the reader looks which version the note has, as the page does, and goes on. At the end each
acknowledged action has to be in the log once, no other one may be there except those that were on disk before
the server could answer, and each stored state has to be what the log folds to.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from http.client import HTTPConnection, HTTPException
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from crfdeid import corpora, synthetic
from crfdeid.network import bind_socket
from crfdeid.review.__main__ import main as review
from crfdeid.review.study import accounts
from crfdeid.review.study.source import Source
from crfdeid.review.study.study import Study, create_study, name_book, open_study
from crfdeid.review.web.sessions import LoginSession, Sessions

LONGEST_START = 60.0  # seconds
SHORTEST_NOTE = 30  # characters
KINDS = ("add", "add", "undo", "redo")  # what a reader does, again and again
Place = tuple[str, int, int]  # book, note, version


class Result(NamedTuple):
    """``unanswered`` actions were on disk before the server was killed and could not answer any more."""

    acknowledged: int
    unanswered: int
    lost: int
    doubled: int
    wrong_states: int


class Server:
    """The server in its own process. It keeps its port after a restart."""

    def __init__(self, folder: Path) -> None:
        with bind_socket("127.0.0.1", 0) as free:
            self.port = free.getsockname()[1]
        self.arguments = [str(folder / "notes"), "--store", str(folder / "study.db"), "--no-browser"]
        self.context = multiprocessing.get_context("forkserver")  # so that a start does not import all again
        self.context.set_forkserver_preload(["crfdeid.review.__main__", "crfdeid.review.web.serve"])

    def start(self) -> None:
        arguments = [*self.arguments, "--port", str(self.port)]
        self.process = self.context.Process(target=serve, args=(arguments,), daemon=True)
        self.process.start()

    def kill(self) -> None:
        self.process.kill()
        self.process.join()


def serve(arguments: list[str]) -> None:
    with redirect_stdout(StringIO()):
        review(arguments)


class Desk:
    """A reader who acts until ``stopped``, whatever happens to the server."""

    def __init__(self, port: int, token: str, name: str, notes: list[int], stopped: threading.Event) -> None:
        self.port, self.name, self.notes, self.stopped = port, name, notes, stopped
        self.headers = {"Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/json"}
        self.headers["Cookie"] = f"crfdeid-{port}={token}"
        self.acknowledged: dict[Place, str] = {}
        self.unanswered: dict[Place, str] = {}

    def work(self) -> None:
        turn = 0
        while not self.stopped.is_set():
            self.act(self.notes[turn % len(self.notes)], turn // len(self.notes))
            turn += 1

    def act(self, number: int, version: int) -> None:
        """One action at a version of the note, again until it is on disk."""
        kind = KINDS[version % len(KINDS)]
        action: dict[str, Any] = {"version": version, "kind": kind}
        if kind == "add":
            start = 2 * version % SHORTEST_NOTE
            action |= {"start": start, "end": start + 1, "type": "DATE"}
        place = (name_book(self.name), number, version + 1)
        while True:
            try:
                self.request("POST", f"/api/notes/{number}/actions", action)
                self.acknowledged[place] = kind
                return
            except (OSError, HTTPException):
                if self.find_version(number) > version:
                    self.unanswered[place] = kind
                    return

    def find_version(self, number: int) -> int:
        """The note's version on disk, as soon as a server answers."""
        until = time.monotonic() + LONGEST_START
        while True:
            try:
                return int(self.request("GET", f"/api/notes/{number}")["version"])
            except (OSError, HTTPException):
                if time.monotonic() > until:
                    raise
                time.sleep(0.02)

    def request(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, json.dumps(body) if body else None, self.headers)
            reply = connection.getresponse()
            content = reply.read()
        finally:
            connection.close()
        if reply.status != 200:
            raise SystemExit(f"{method} {path}: status {reply.status}")
        return dict(json.loads(content))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--readers", type=int, default=8)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = measure_kills(Path(name), args.kills, args.readers)
    print(f"{args.kills} kills: " + ", ".join(f"{value} {name}" for name, value in found._asdict().items()))


def measure_kills(folder: Path, kills: int, readers: int, longest: float = 1.5) -> Result:
    """Kill the server ``kills`` times, each time after at most ``longest`` seconds of work."""
    server, stopped = Server(folder), threading.Event()
    desks = list(make_desks(folder, readers, server.port, stopped))
    chance = random.Random(1)
    with ThreadPoolExecutor(len(desks)) as pool:
        jobs = [pool.submit(desk.work) for desk in desks]
        for _ in range(kills):
            server.start()
            desks[0].find_version(desks[0].notes[0])
            time.sleep(chance.uniform(0.0, longest))
            server.kill()
        server.start()
        stopped.set()
        for job in jobs:
            job.result()
        server.kill()
    study = open_study(folder / "study.db")
    try:
        return compare_log(study, desks)
    finally:
        study.store.close()


def make_desks(folder: Path, readers: int, port: int, stopped: threading.Event) -> Iterator[Desk]:
    """A study with three notes for each reader, and the readers with their sessions."""
    notes = [note.with_spans(()) for note in synthetic.generate(3 * readers, 1)]
    corpora.write(notes, folder / "notes", "i2b2")
    create_study(folder / "study.db", Source(folder / "notes", "i2b2"), "i2b2-2014", None, 1)
    study = open_study(folder / "study.db")
    sessions = Sessions(study.store)
    for index in range(readers):
        name = f"reader {index}"
        accounts.add_reader(study.store, name, "reader")
        own = [1 + 3 * index + place for place in range(3)]
        yield Desk(port, sessions.begin(LoginSession(name)), name, own, stopped)
    study.store.close()


def compare_log(study: Study, desks: list[Desk]) -> Result:
    """Compare the log with what the server answered to the desks."""
    sql = "SELECT book, note, version, json_extract(action, '$.kind') FROM actions"
    log: dict[Place, str] = {
        (book, note, version): kind for book, note, version, kind in study.store.fetch_all(sql)
    }
    acknowledged = {place: kind for desk in desks for place, kind in desk.acknowledged.items()}
    unanswered = {place: kind for desk in desks for place, kind in desk.unanswered.items()}
    lost = sum(log.get(place) != kind for place, kind in (acknowledged | unanswered).items())
    doubled = len(log.keys() - acknowledged.keys() - unanswered.keys())
    wrong = sum(not is_folded(study, book, note) for book, note in {place[:2] for place in log})
    return Result(len(acknowledged), len(unanswered), lost, doubled, wrong)


def is_folded(study: Study, book: str, note: int) -> bool:
    """Whether the stored state is what the log gives."""
    return study.marks_log.read_entry(book, note).state == study.marks_log.replay(book, note).present


if __name__ == "__main__":
    main()
