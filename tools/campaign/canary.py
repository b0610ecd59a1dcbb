"""A name in every place of a broken run: standard error, logs, temporary and cache folders do not have it.
The cases go through every verb with every failure."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

from campaign.area import Area, find_number
from campaign.readers import FORMATS, mutate
from crfdeid import corpora
from crfdeid.text.document import Document, Span

CANARY = "Zanzibarova"
LONGEST = 60  # seconds after which a server, which does not end, is stopped
TEXT = f"Seen: Mrs. {CANARY} of 12 {CANARY} Street, 3/4/2061, {CANARY}@{CANARY}.org.\n"
VERBS = (
    ("tag", "{notes}", "--model", "{model}", "--from", "{format}", "--out", "out"),
    ("redact", "{notes}", "--model", "{model}", "--from", "{format}", "--out", "out"),
    ("redact", "{notes}", "--spans", "gold", "--from", "{format}", "--out", "out.jsonl", "--format", "jsonl"),
    ("convert", "{notes}", "out", "--from", "{format}", "--to", "brat"),
    ("evaluate", "{notes}", "{notes}", "--format", "{format}", "--resamples", "0", "--html", "out.html"),
    ("stats", "{notes}", "--from", "{format}"),
    ("train", "{notes}", "--from", "{format}", "--out", "out", "--set", "crf.max_iterations=2"),
    ("explain", "{notes}", "--from", "{format}"),
    ("rules", "{notes}"), ("clusters", "{notes}", "--out", "out.txt"), ("thresholds", "{notes}"),
    ("check", "{notes}"), ("reidentify", "{notes}", "--out", "out"), ("importance", "{notes}"),
    ("ablate", "{notes}", "{notes}", "--out", "out"), ("share", "{model}", "{notes}", "--out", "out"),
    ("restore", "{notes}", "--map", "{notes}", "--out", "out", "--reason", "a test"),
    ("release", "{notes}", "--out", "out.html", "--notes", "{notes}"),
    ("certify", "draw", "{notes}", "--store", "store", "--out", "out"),
    ("certify", "state", "{notes}", "{notes}", "--out", "out"),
    ("review", "{notes}", "--store", "store", "--from", "{format}", "--out", "out"),
)  # fmt: skip
# what goes wrong beside a damaged file
FAILURES = (
    "nothing",
    "damage",
    "much damage",
    "an output that is there",
    "a full disk",
    "no option",
    "a signal",
    "kill",
)
MODELS = ("rules", "english", "nothing")
READABLE = sorted(set(FORMATS) - {"hl7", "fhir", "cda"})


def run(draw: Random, place: Path) -> str:
    number = find_number(place)
    verb, failure = VERBS[number % len(VERBS)], FAILURES[number // len(VERBS) % len(FAILURES)]
    values = write_notes(draw, place, 20 if failure == "much damage" else failure != "nothing")
    command = [sys.executable, "-m", "crfdeid", *(part.format(**values) for part in verb)]
    if failure == "no option":
        command += [draw.choice(("--colour", "--from=x", "--seed=x")), CANARY.lower()]
    if failure == "an output that is there":
        for name in ("out", "out.html", "out.jsonl", "out.txt", "store"):
            (place / name).write_bytes(b"x")
    folders = {each: str(place / each) for each in ("TMPDIR", "HOME", "XDG_CACHE_HOME")}
    for folder in folders.values():
        Path(folder).mkdir()
    status, said = run_command(draw, command, place, failure, {**os.environ, **folders})
    if failure == "kill":
        status, said = run_command(draw, command, place, "", {**os.environ, **folders})
    if failure != "no option":  # what the user typed is shown
        assert CANARY.casefold() not in said.casefold(), (
            f"{verb[0]}: the name is on standard error: {said[:200]}"
        )
    is_finding = verb[0] == "check" and status == 1  # what it looks for
    is_handled = "Traceback" not in said and (is_finding or status != 1)
    assert is_handled, f"{verb[0]} of {values['format']}, {failure}: {said[-300:]}"
    kept = [each for folder in folders.values() for each in Path(folder).rglob("*") if each.is_file()]
    leaking = [each for each in kept if CANARY.encode() in each.read_bytes()]
    assert not leaking, f"{verb[0]}: a file kept the name"
    assert not list(place.glob("core*")), f"{verb[0]}: a core file"
    return f"status {status}"


def write_notes(draw: Random, place: Path, changes: int) -> dict[str, str]:
    """A note with the name in all its parts, in some format and changed; what a command needs to read it."""
    format = draw.choice(READABLE)
    at = TEXT.index(CANARY)
    span = Span(at, at + len(CANARY), draw.choice(("PATIENT", CANARY)))
    note = Document(draw.choice((f"Mrs. {CANARY}", CANARY, "n1")), TEXT, (span,), CANARY)
    written = place / "written"
    corpora.write_each([note], written, format)
    (path,) = (path for path in written.iterdir() if path.suffix == Path(FORMATS[format][0]).suffix)
    for _ in range(changes):
        path.write_bytes(mutate(draw, path.read_bytes()))
    values = {"notes": "notes" + path.suffix, "format": format, "model": draw.choice(MODELS)}
    path.rename(place / values["notes"])
    if format == "brat":
        next(written.glob("*.txt")).rename(place / "notes.txt")
    return values


def run_command(
    draw: Random, command: list[str], place: Path, failure: str, environment: dict[str, str]
) -> tuple[int, str]:
    """Run with a file-size limit, or a signal at a random moment; the status and what was said."""
    limit = draw.randrange(2000)
    bound = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))  # noqa: E731
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command, cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe,
        preexec_fn=bound if failure == "a full disk" else None,
    )  # fmt: skip
    number = {"a signal": draw.choice((signal.SIGTERM, signal.SIGINT)), "kill": signal.SIGKILL}.get(failure)
    wait = draw.uniform(0.5, 3) if number else LONGEST
    try:
        _, said = process.communicate(timeout=wait)
    except subprocess.TimeoutExpired:
        assert number or command[3] == "review", f"{command[3]} does not end"  # a server does not
        process.send_signal(number or signal.SIGTERM)
        _, said = process.communicate()
    return process.returncode, said.decode("utf-8", "replace")


AREA = Area("canary", 2, run)
