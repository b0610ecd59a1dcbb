"""kill -9, SIGTERM and SIGINT at random moments, and files that may not grow: the next run of the same
command writes the bytes of an undisturbed one, and a reader never gets a part of an output."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from campaign.area import Area
from campaign.wild_text import list_notes
from crfdeid import corpora
from crfdeid.redact.surrogates import surrogate_map

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
KEY = b"campaign" * 4
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
# a random nonce, and what has the time of the run
TABLES = ("table.txt", "table.csv", "table.json", "table.html")  # of ablate
VARYING = ("map", "manifest.json", "CARD.md", "run.json", *TABLES)
PLAN = 'features = ["lexical"]\n[crf]\nmax_iterations = 8\n[[run]]\nname = "narrow"\nwindow = 0\n'
REVIEW = "review"  # a server, which benchmarks/review_kills.py kills while readers act
QUICK = ("--set", 'features=["lexical"]', "--set", "crf.max_iterations=8")


@dataclass(frozen=True)
class Verb:
    """A command in a folder with ``notes.jsonl``; ``again`` is added to the run after a kill. Of one that
    writes ``in_parts``, a killed run leaves the finished ones."""

    arguments: tuple[str, ...]
    again: tuple[str, ...] = ()
    in_parts: bool = False


VERBS = {
    "tag into a folder": Verb(("tag", "notes.jsonl", "--model", "rules", "--out", "out", "--format", "brat")),
    "tag into a file": Verb(("tag", "notes.jsonl", "--model", "rules", "--out", "out.jsonl")),
    "tag and resume": Verb(
        ("tag", "notes.jsonl", "--model", "rules", "--out", "out", "--format", "brat", "--resume"),
        in_parts=True,
    ),
    "convert": Verb(("convert", "notes.jsonl", "out", "--to", "i2b2", "--overwrite")),
    "convert into a file": Verb(("convert", "notes.jsonl", "out.csv", "--to", "table", "--overwrite")),
    "train": Verb(("train", "notes.jsonl", "--out", "out", "--overwrite", *QUICK)),
    "synthetic": Verb(("synthetic", "--documents", "60", "--seed", "5", "--out", "out", "--overwrite")),
    "redact": Verb(
        ("redact", "notes.jsonl", "--spans", "gold", "--key-file", "key", "--out", "out", "--format", "brat"),
        ("--resume",), in_parts=True,
    ),
    "redact with a map": Verb(
        ("redact", "notes.jsonl", "--spans", "gold", "--map", "map", "--map-key", "mapkey", "--out", "out",
         "--format", "brat"), ("--resume",), in_parts=True,
    ),
    "ablate": Verb(
        ("ablate", "plan.toml", "notes.jsonl", "notes.jsonl", "--resamples", "0", "--out", "out"),
        in_parts=True,
    ),
    "reidentify": Verb(("reidentify", "notes.jsonl", "--seed", "4", "--out", "out", "--overwrite")),
}  # fmt: skip


def write_inputs(place: Path) -> None:
    place.mkdir(exist_ok=True)
    corpora.write(list_notes(), place / "notes.jsonl", "jsonl")
    (place / "plan.toml").write_text(PLAN)
    for name in ("key", "mapkey"):
        (place / name).write_bytes(KEY)
        (place / name).chmod(0o600)
    surrogate_map.write_map(surrogate_map.SurrogateMap(KEY), place / "map", KEY)


def start(verb: Verb, place: Path, again: bool = False, limit: int | None = None) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "crfdeid", *verb.arguments, *(verb.again if again else ())]
    bound: Callable[[], None] | None = None
    if limit is not None:
        bound = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))  # noqa: E731
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=place, stdout=pipe, stderr=pipe, preexec_fn=bound)


def finish(process: subprocess.Popen[bytes]) -> str:
    _, said = process.communicate()
    return said.decode("utf-8", "replace")


@cache
def run_undisturbed(name: str, place: Path) -> tuple[dict[str, bytes], float]:
    """The bytes that the command writes, and its time."""
    folder = place / f"undisturbed {name}"
    write_inputs(folder)
    began = time.monotonic()
    process = start(VERBS[name], folder)
    said = finish(process)
    assert process.returncode == 0, f"{name}: {said}"
    return read_output(folder), time.monotonic() - began


def read_output(place: Path) -> dict[str, bytes]:
    """All files except those of which each run writes other bytes."""
    paths = [path for path in place.rglob("*") if path.is_file() and path.name not in VARYING]
    found = {path.relative_to(place): path.read_bytes() for path in paths}
    return {str(path): data for path, data in found.items() if not is_unfinished(path)}


def is_unfinished(path: Path) -> bool:
    """Whether a file is hidden, or marks a folder that is not finished."""
    return any(part.startswith(".") for part in path.parts) or path.suffix == ".unfinished"


def shows_traceback(said: str) -> bool:
    """Whether a traceback was printed. The one that Python prints where Ctrl-C comes while it loads modules
    does not count: :func:`crfdeid.cli.run`, which catches all others, has not begun then."""
    return "Traceback" in said and not said.rstrip().endswith("KeyboardInterrupt")


def run(draw: Random, place: Path) -> str:
    name = draw.choice(sorted([*VERBS, REVIEW]))
    if name == REVIEW:
        return kill_review(draw, place)
    expected, seconds = run_undisturbed(name, place.parent)
    write_inputs(place)
    full = draw.random() < 0.2
    process = start(VERBS[name], place, limit=draw.randrange(200_000) if full else None)
    number = draw.choice(SIGNALS)
    if not full:
        time.sleep(draw.uniform(0.2, 1.1) * seconds)
        os.kill(process.pid, number)
    said = finish(process)
    if full:
        assert process.returncode in (0, 2), f"{name}, a full disk: {process.returncode}: {said}"
    assert not shows_traceback(said), f"{name}: a traceback"
    check_no_mix(place, expected, name)
    check_next_run(place, expected, name)
    return "disk full" if full else signal.Signals(number).name


def check_next_run(place: Path, expected: dict[str, bytes], name: str) -> None:
    """The same command writes the bytes of an undisturbed run now, and leaves nothing else."""
    again = start(VERBS[name], place, again=True)
    said = finish(again)
    if (again.returncode == 2 and "exists" in said) or "holds files" in said:  # it had finished
        pass
    else:
        assert again.returncode == 0, f"{name}, the run after it: {again.returncode}: {said}"
    found = read_output(place)
    different = sorted({path for path, _ in found.items() ^ expected.items()})
    assert not different, f"{name}: {different[:3]} have other bytes"
    left = [path.name for path in place.rglob("*") if path.name.endswith((".partial", ".moving", ".lock"))]
    assert not left, f"{name}: {left[:3]} stayed"


def check_no_mix(place: Path, expected: dict[str, bytes], name: str) -> None:
    """Each file under its final name is whole, and an output that is not written note by note has all its
    files; of two outputs the second may not be there."""
    found = {path: data for path, data in read_output(place).items() if path.startswith("out")}
    whole = {path: data for path, data in expected.items() if path.startswith("out")}
    for path, data in found.items():
        assert data == whole.get(path), f"{name}: {path} is half-written"
    if not VERBS[name].in_parts:
        begun = {Path(path).parts[0] for path in found}
        wanted = {path for path in whole if Path(path).parts[0] in begun}
        assert found.keys() == wanted, f"{name}: {len(found)} of {len(wanted)} files"


def kill_review(draw: Random, place: Path) -> str:
    """Nothing that the server of readers acknowledged is lost or doubled."""
    sys.path.append(str(BENCHMARKS))
    from review_kills import measure_kills

    found = measure_kills(place, kills=1, readers=3, longest=draw.uniform(0.05, 0.5))
    assert (found.lost, found.doubled, found.wrong_states) == (0, 0, 0), f"review: {found}"
    return "review, SIGKILL"


AREA = Area("kills", 3, run)
