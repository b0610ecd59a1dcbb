"""How fast the service is beside the same tagger in the program, and whether it lasts.

    python benchmarks/serve.py [--notes 640] [--data FILE] [--clients 8] [--seconds 120]

The first part tags notes in the program, and in batches of 32 over HTTP with one worker, in turns; it prints
the CPU time of both (of the server: all its processes) and the ratio of throughputs. The second part lets
``clients`` threads send batches of 1 to 8 notes to /tag, /redact and /restore, and counts answers by status.
The notes are synthetic, of another seed than those that warm the workers, or those of --data.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from crfdeid import cli, corpora, synthetic
from crfdeid.systems import model
from crfdeid.text.document import Document

BATCH, TURNS = 32, 3


class Client:
    """One connection to the service."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        self.connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        reply = self.connection.getresponse()
        return reply.status, json.loads(reply.read())


@contextmanager
def start_server(name: str, *options: str) -> Iterator[tuple[int, int]]:
    """Give the process id and the port of a server, which ends with the block."""
    command = [sys.executable, "-m", "crfdeid.serve", "--port", "0", "--model", name, *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline().split()[2].rstrip(";").rsplit(":", 1)[1])
        try:
            yield process.pid, port
        finally:
            process.terminate()


def measure_cpu(pid: int) -> float:
    """The CPU seconds of a process, of its living children, and of those that they have waited for."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    fields = [Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split() for each in (pid, *children)]
    return sum(sum(map(int, field[11:15])) for field in fields) / os.sysconf("SC_CLK_TCK")


def measure_throughput(notes: Sequence[Document], name: str) -> None:
    """Print the CPU time in the program and over HTTP, with the ratio, by the medians of some turns."""
    tagger = model.load(name)
    tagger.compile()
    list(tagger.tag_all(notes))  # its caches are warm, as those of a program that runs
    batches = [notes[at : at + BATCH] for at in range(0, len(notes), BATCH)]
    inside, over = [], []
    with start_server(name) as (pid, port):
        client = Client(port)
        for _ in range(TURNS):
            before = time.process_time()
            found = [note.spans for note in tagger.tag_all(notes)]
            inside.append(time.process_time() - before)
            before = measure_cpu(pid)
            said = [note for batch in batches for note in ask(client, batch)]
            over.append(measure_cpu(pid) - before)
            assert [len(note["spans"]) for note in said] == list(map(len, found))
    size = sum(len(note.text) for note in notes)
    a, b = median(inside), median(over)
    print(f"{name}: {len(notes)} notes, {size:,} characters; CPU {a:.1f} s inside, {b:.1f} s over HTTP")
    print(f"throughput over HTTP in batches of {BATCH}: {a / b:.0%} of that inside; each turn: "
          + ", ".join(f"{x / y:.0%}" for x, y in zip(inside, over)))  # fmt: skip


def ask(client: Client, batch: Sequence[Document]) -> list[Any]:
    status, reply = client.post("/tag", {"notes": [{"id": note.id, "text": note.text} for note in batch]})
    assert status == 200
    return list(reply["notes"])


def send_until(port: int, notes: Sequence[Document], end: float, seed: int, counts: Counter[str]) -> None:
    """Send requests, and count the answers by address and status."""
    random, client = Random(seed), Client(port)
    while time.monotonic() < end:
        some = [{"text": note.text} for note in random.sample(notes, random.randint(1, 8))]
        if random.random() < 0.5:
            status, _ = client.post("/tag", {"notes": some})
            counts[f"/tag {status}"] += 1
            continue
        status, reply = client.post("/redact", {"notes": some})
        counts[f"/redact {status}"] += 1
        status, restored = client.post("/restore", {"notes": reply["notes"], "map": reply["map"]})
        right = [note["text"] for note in restored["notes"]] == [note["text"] for note in some]
        counts[f"/restore {status} {'right' if right else 'WRONG'}"] += 1


def measure_endurance(notes: Sequence[Document], name: str, clients: int, seconds: float) -> None:
    """Print the answers to many clients, and the server's memory before and after."""
    counts: Counter[str] = Counter()
    with start_server(name) as (pid, port):
        before, end = read_memory(pid), time.monotonic() + seconds
        threads = [threading.Thread(target=send_until, args=(port, notes, end, number, counts))
                   for number in range(clients)]  # fmt: skip
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(
            f"{clients} clients, {seconds:.0f} s: "
            + ", ".join(f"{k}: {n}" for k, n in sorted(counts.items()))
        )
        print(f"memory of the server and its worker: {before} MB before, {read_memory(pid)} MB after")


def read_memory(pid: int) -> int:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    pages = [int(Path(f"/proc/{each}/statm").read_text().split()[1]) for each in (pid, *children)]
    return sum(pages) * resource.getpagesize() // 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--notes", type=int, default=640)
    parser.add_argument("--data", type=Path, help="notes to send (default: synthetic ones)")
    parser.add_argument("--model", default=model.CAREFUL)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=120.0)
    args = parser.parse_args()
    read = corpora.read(args.data) if args.data else synthetic.generate(args.notes, 7)
    notes = [Document(str(number), note.text) for number, note in enumerate(read, 1)][: args.notes]
    if len(notes) < 8:
        raise SystemExit("wanted 8 notes or more")
    measure_throughput(notes, args.model)
    measure_endurance(notes, args.model, args.clients, args.seconds)


if __name__ == "__main__":
    cli.run(lambda _: main())
