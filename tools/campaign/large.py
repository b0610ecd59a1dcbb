"""Large inputs: time and memory grow with the size, and nothing more."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

from campaign.area import Area, find_number
from campaign.wild_text import list_notes
from crfdeid import corpora
from crfdeid.text.document import Document, Span

LARGE = 4  # the greater of two sizes by the smaller one
PART = 1 if os.environ.get("CAMPAIGN_LARGE") else 40  # of the sizes of docs/reliability.md
CODE = (
    "import resource, sys; from crfdeid.{module} import main; main(sys.argv[1:]); "
    "u = resource.getrusage(resource.RUSAGE_SELF); "
    "print(u.ru_utime + u.ru_stime, u.ru_maxrss, file=sys.stderr)"
)


def write_line(path: Path, size: int) -> None:
    """One line of ``size`` characters."""
    path.write_text(repeat(" ".join(note.text.replace("\n", " ") for note in list_notes()), size), "utf-8")


def write_note(path: Path, size: int) -> None:
    """One note of ``size`` characters."""
    path.write_text(repeat("\n".join(note.text for note in list_notes()), size), "utf-8")


def repeat(text: str, size: int) -> str:
    return (text * (size // len(text) + 1))[:size]


def write_empty_notes(path: Path, size: int) -> None:
    path.write_text("".join(f'{{"id": "{n}", "text": ""}}\n' for n in range(size)))


def write_files(path: Path, size: int) -> None:
    path.mkdir()
    for number in range(size):
        (path / f"{number}.txt").write_text("Mr. Ruiz came on 3/4/2061.\n")


SENTENCE = "Mr. Ruiz of Ames, IA came on 3/4/2061. "
PLACES = ((4, 8, "PATIENT"), (12, 16, "CITY"), (18, 20, "STATE"), (29, 37, "DATE"))


def write_spans(path: Path, size: int) -> None:
    """One note of ``size`` spans, and beside it the same one where every span is a character shorter and has
    a probability."""
    begins = range(0, size // len(PLACES) * len(SENTENCE), len(SENTENCE))
    spans = [Span(at + start, at + end, type) for at in begins for start, end, type in PLACES]
    gold = Document("1", SENTENCE * len(begins), tuple(spans))
    system = gold.with_spans(replace(span, end=span.end - 1, probability=0.5) for span in spans)
    corpora.write([gold], path, "jsonl")
    corpora.write([system], path.with_name("system.jsonl"), "jsonl")


CASES: dict[str, tuple[Callable[[Path, int], None], str, int]] = {
    "a line": (write_line, "line.txt", 40_000_000), "a note": (write_note, "note.txt", 200_000_000),
    "a note to redact": (write_note, "note.txt", 80_000_000),
    "empty notes": (write_empty_notes, "empty.jsonl", 1_000_000), "files": (write_files, "files", 100_000),
    "spans": (write_spans, "spans.jsonl", 200_000),
}  # fmt: skip
VERBS = {
    "tag": ("tag", ("--model", "english+rules", "--out", "out.jsonl")),
    "convert": ("convert", ("out.jsonl", "--to", "jsonl")),
    "inline": ("convert", ("inline", "--to", "inline")),
    "evaluate": ("evaluate.__main__", ("system.jsonl", "--html", "page.html")),
    "redact": ("redact.__main__", ("--spans", "gold", "--out", "out.jsonl")),
    "redact in part": (
        "redact.__main__",
        ("--spans", "gold", "--policy", "limited_data_set", "--out", "part.jsonl"),
    ),
    "redact tagged": ("redact.__main__", ("--out", "redacted")),
}
TRIED = [
    *((name, verb) for name in ("a line", "a note", "empty notes", "files") for verb in ("tag", "convert")),
    *(("spans", verb) for verb in ("inline", "evaluate", "redact")),
    ("a note to redact", "redact tagged"),
    ("spans", "redact in part"),
]


def run(draw: Random, place: Path) -> str:
    name, verb = TRIED[find_number(place) % len(TRIED)]
    write, file, largest = CASES[name]
    figures = []
    for size in (largest // PART // LARGE, largest // PART):
        folder = place / str(size)
        folder.mkdir()
        write(folder / file, size)
        figures.append(measure(verb, file, folder))
    (seconds, memory), (more_seconds, more_memory) = figures
    # what a run costs before the first note is in both, so that a ratio above the sizes' is a real growth
    assert more_seconds <= 1.6 * LARGE * seconds, f"{verb} {name}: {seconds:.1f} s and {more_seconds:.1f} s"
    assert more_memory <= 1.6 * LARGE * memory, f"{verb} {name}: {memory:.0f} and {more_memory:.0f} MB"
    return f"{verb} {name} ({seconds:.0f} and {more_seconds:.0f} s, {memory:.0f} and {more_memory:.0f} MB)"


def measure(verb: str, file: str, folder: Path) -> tuple[float, float]:
    """Processor seconds and megabytes of one run."""
    module, options = VERBS[verb]
    command = [sys.executable, "-c", CODE.format(module=module), file, *options]
    found = subprocess.run(command, cwd=folder, capture_output=True, check=True)
    seconds, kilobytes = found.stderr.split()[-2:]
    return float(seconds), int(kilobytes) / 1024


AREA = Area("large", 1, run, longest=7200)
