"""A name in every place of a broken run: standard error, logs, temporary and cache folders do not have it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

from campaign.area import Area
from campaign.readers import FORMATS, mutate
from crfdeid import corpora
from crfdeid.text.document import Document, Span

CANARY = "Zanzibarova"
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
)  # fmt: skip
MODELS = ("rules", "english", "nothing")
READABLE = sorted(set(FORMATS) - {"hl7", "fhir", "cda"})


def run(draw: Random, place: Path) -> str:
    format = draw.choice(READABLE)
    name = FORMATS[format][0]
    at = TEXT.index(CANARY)
    ids = (f"Mrs. {CANARY}", CANARY, "n1")
    span = Span(at, at + len(CANARY), draw.choice(("PATIENT", CANARY)))
    note = Document(draw.choice(ids), TEXT, (span,), CANARY)
    written = place / "written"
    corpora.write_each([note], written, format)
    (path,) = (path for path in written.iterdir() if path.suffix == Path(name).suffix)
    if draw.random() < 0.8:
        path.write_bytes(mutate(draw, path.read_bytes()))
    folders = {each: str(place / each) for each in ("TMPDIR", "HOME", "XDG_CACHE_HOME")}
    for folder in folders.values():
        Path(folder).mkdir()
    values = {"notes": "notes" + path.suffix, "format": format, "model": draw.choice(MODELS)}
    path.rename(place / values["notes"])
    if format == "brat":
        next(written.glob("*.txt")).rename(place / "notes.txt")
    verb = draw.choice(VERBS)
    command = [sys.executable, "-m", "crfdeid", *(part.format(**values) for part in verb)]
    environment = {**os.environ, **folders}
    found = subprocess.run(command, cwd=place, env=environment, capture_output=True, timeout=200)
    said = found.stderr.decode("utf-8", "replace")
    assert CANARY.casefold() not in said.casefold(), f"{verb[0]}: the name is on standard error: {said[:200]}"
    is_finding = verb[0] == "check" and found.returncode == 1  # what it looks for
    is_handled = "Traceback" not in said and (is_finding or found.returncode != 1)
    assert is_handled, f"{verb[0]} of {format}: {said[:300]}"
    kept = [each for folder in folders.values() for each in Path(folder).rglob("*") if each.is_file()]
    leaking = [each for each in kept if CANARY.encode() in each.read_bytes()]
    assert not leaking, f"{verb[0]}: a file kept the name"
    assert not list(place.glob("core*")), f"{verb[0]}: a core file"
    return f"status {found.returncode}"


AREA = Area("canary", 2, run)
