"""Spark beside ``tag`` on the same cores and notes: throughput, cold costs, and what ``kill -9`` costs.

    python benchmarks/spark.py [--data FILE] [--notes 16000] [--repeat 3] [--kill 1200]

The MTSamples reports (a JSONL file), repeated to --notes, become Parquet files. A Spark session in local mode
and ``tag`` tag them in turns, ``tag`` with a process for each core (``--jobs``). Processor time is that
of all processes of a way: the driver, the JVM and the Python workers. A session is warm after its first job:
the workers have the model, and know the words. So ``tag`` is warm too: it has tagged the notes once. Then two
jobs are interrupted: one loses a Python worker, the other the driver with its JVM, and is run again with
--resume. Needs the extra ``spark`` and Java 17.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

from crfdeid import corpora
from crfdeid.systems import model, parallel
from crfdeid.text.document import Document

DATA = Path("../shared/data/mtsamples/mtsamples.jsonl")
TICKS = os.sysconf("SC_CLK_TCK")
CORES = len(os.sched_getaffinity(0))
FILES = 4 * CORES


class Cost(NamedTuple):
    """Seconds: elapsed; of the processors, in Python processes and in the JVM."""

    elapsed: float
    python: float
    jvm: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--notes", type=int, default=16000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--kill", type=int, default=1200, help="notes of the interrupted jobs; 0: none")
    args = parser.parse_args()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    notes = [
        Document(f"{number}", note.text)
        for number, note in enumerate(islice(cycle(corpora.read(args.data)), args.notes))
    ]
    with tempfile.TemporaryDirectory() as place:
        write_notes(notes, Path(place) / "notes")
        compare_speed(notes, Path(place), args.repeat)
        if args.kill:
            fewer = notes[: args.kill]
            write_notes(fewer, Path(place) / "fewer")
            measure_kills(Path(place), len(fewer))


def write_notes(notes: list[Document], folder: Path) -> None:
    """Write the notes as Parquet, in files that Spark can divide among cores."""
    import pyarrow.parquet

    folder.mkdir()
    for start in range(FILES):
        some = notes[start::FILES]
        table = pyarrow.table({"id": [note.id for note in some], "note": [note.text for note in some]})
        pyarrow.parquet.write_table(table, folder / f"{start}.parquet")


def compare_speed(notes: list[Document], place: Path, repeat: int) -> None:
    """Print the costs of both ways, in turns, and whether they find the same spans."""
    from crfdeid import spark
    from crfdeid.spark.__main__ import open_session

    started = measure(lambda: open_session(f"local[{CORES},4]"))
    session = open_session(None)
    frame = session.read.parquet(str(place / "notes"))

    def run_spark() -> None:
        spark.tag(frame).select("id", "spans", "error").write.mode("overwrite").parquet(str(place / "out"))

    tagger = model.load()
    loaded = measure(lambda: list(tagger.tag_all(notes)))  # in one process: those of --jobs are copies of it
    first = measure(run_spark)
    warm_tag, warm_spark = [], []
    for _ in range(repeat):
        warm_tag.append(measure(lambda: run_tag(tagger, notes)))
        warm_spark.append(measure(run_spark))
    rows = session.read.parquet(str(place / "out")).collect()
    found = {row.id: [(s.start, s.end, s.type) for s in row.spans or ()] for row in rows}
    wanted = {n.id: [(s.start, s.end, s.type) for s in n.spans] for n in tagger.tag_all(notes)}
    session.stop()
    print(f"{len(notes)} notes, {sum(len(n.text) for n in notes):,} characters, {CORES} cores; seconds")
    show("session starts", [started], len(notes))
    show("tag, first time", [loaded], len(notes))
    show("Spark, first job", [first], len(notes))
    show("tag, warm", warm_tag, len(notes))
    show("Spark, warm", warm_spark, len(notes))
    pairs = list(zip(warm_tag, warm_spark))
    print(f"throughput of Spark / tag: {summarize([a.elapsed / b.elapsed for a, b in pairs])}")
    print(f"by processor time of Python: {summarize([a.python / b.python for a, b in pairs])}")
    print(f"the same with the JVM: {summarize([a.python / (b.python + b.jvm) for a, b in pairs])}")
    print(
        f"same spans: {found == wanted}; rows {len(rows)}, ids {len(found)}, "
        f"errors {dict(Counter(row.error for row in rows if row.error))}"
    )


def run_tag(tagger: Any, notes: list[Document]) -> None:
    """As ``tag --jobs`` with all cores."""
    for _ in parallel.tag_in_processes(tagger, None, "fast", notes, CORES):
        pass


def measure(run: Callable[[], object]) -> Cost:
    """Run, and return what it cost in this process and all its children."""
    before, start = read_processors(os.getpid()), time.monotonic()
    run()
    after = read_processors(os.getpid())
    return Cost(time.monotonic() - start, after[0] - before[0], after[1] - before[1])


def read_processors(root: int) -> tuple[float, float]:
    """Return the seconds that the processes below ``root`` have used: Python's and the JVM's."""
    python = jvm = 0.0
    for pid in list_family(root):
        try:
            name, fields = Path(f"/proc/{pid}/stat").read_text().split("(", 1)[1].rsplit(")", 1)
        except OSError:  # it has just ended; its parent has its time
            continue
        seconds = sum(map(int, fields.split()[11:15])) / TICKS
        if name == "java":  # its own time; children that have ended are Python's daemon at most
            jvm += seconds
        else:
            python += seconds
    return python, jvm


def list_family(root: int) -> list[int]:
    """Return ``root`` and all processes below it."""
    parents = dict(list_parents())
    family = [root]
    for pid in family:
        family += [child for child, parent in parents.items() if parent == pid]
    return family


def list_parents() -> Iterator[tuple[int, int]]:
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            yield int(path.parent.name), int(path.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue


def show(title: str, costs: list[Cost], notes: int) -> None:
    elapsed, python, jvm = (statistics.median(column) for column in zip(*costs))
    print(
        f"{title:18} elapsed {elapsed:7.1f}  Python {python:7.1f}  JVM {jvm:6.1f}  "
        f"notes per second of Python {notes / max(python, 0.01):8.0f}"
    )


def summarize(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f}, {len(values)} runs)"


def measure_kills(place: Path, notes: int) -> None:
    """Interrupt two jobs of the command line, and count the rows."""
    job = start_job(place, "worker")
    killed = kill_one_worker(job)
    print(f"a worker killed ({killed}): exit status {job.wait()}; {count_rows(place / 'worker', notes)}")
    job = start_job(place, "driver")
    while not list((place / "driver").glob("part-*")) and job.poll() is None:
        time.sleep(0.05)
    for pid in reversed(list_family(job.pid)):
        os.kill(pid, signal.SIGKILL)
    job.wait()
    print(f"the driver killed: {count_rows(place / 'driver', notes)}")
    status = start_job(place, "driver", "--resume").wait()
    print(f"and resumed: exit status {status}; {count_rows(place / 'driver', notes)}")


def start_job(place: Path, out: str, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "crfdeid.spark", str(place / "fewer"), str(place / out)]
    command += ["--partitions", str(CORES * 4), "--master", f"local[{CORES},4]", *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def kill_one_worker(job: subprocess.Popen[bytes]) -> bool:
    """Kill a Python worker that is at work. Return whether there was one before the job ended."""
    while job.poll() is None:
        for pid in list_family(job.pid):
            try:
                line = Path(f"/proc/{pid}/cmdline").read_bytes()
                used = sum(map(int, Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))
            except OSError:
                continue
            is_daemon = any(parent == pid for _, parent in list_parents())
            if b"pyspark.daemon" in line and not is_daemon and used > 2 * TICKS:  # has loaded the model
                os.kill(pid, signal.SIGKILL)
                return True
        time.sleep(0.05)
    return False


def count_rows(out: Path, notes: int) -> str:
    import pyarrow.parquet

    files = sorted(out.glob("part-*.parquet"))
    ids = [id for file in files for id in pyarrow.parquet.read_table(file, columns=["id"])["id"].to_pylist()]
    return (
        f"{len(ids)} rows of {notes} notes, {len(ids) - len(set(ids))} twice, {notes - len(set(ids))} missing"
    )


if __name__ == "__main__":
    main()
