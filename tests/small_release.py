"""A release of short notes, and readers who mark what they find in it."""

import csv
from pathlib import Path
from random import Random

from crfdeid import corpora
from crfdeid.certify.__main__ import main
from crfdeid.text.document import Document, Span

CANARY = "Zanzibarova"
PIECES = (("Seen by Dr. ", None), ("Ruiz", "DOCTOR"), (" on ", None), ("3/4/2061", "DATE"), (".\n", None))


def make_note(number: int, leaks: int, markers: bool = False) -> Document:
    """A note with two masked spans, and ``leaks`` names that were not masked."""
    text, spans = f"Note {number}. ", []
    for piece, type in PIECES:
        shown = f"[**{type}**]" if markers and type else piece
        if type:
            spans.append(Span(len(text), len(text) + len(shown), type))
        text += shown
    text += "".join(f"Daughter {CANARY} came.\n" for _ in range(leaks))
    return Document(f"n-{number:03}", text, tuple(spans), f"p-{number // 2}")


def write_release(folder: Path, leaking: int = 2, number: int = 160, markers: bool = False) -> Path:
    notes = [make_note(each, int(each < leaking), markers) for each in range(number)]
    corpora.write(notes, folder / "clean.jsonl", "jsonl")
    with (folder / "sites.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("id", "site", "year"))
        rows.writerows(
            (note.id, "north" if number % 4 else "south", 2020) for number, note in enumerate(notes)
        )
    return folder / "clean.jsonl"


def draw(folder: Path, *options: str, release: Path | None = None) -> Path:
    store = folder / "study.json"
    wanted = ["draw", str(release or folder / "clean.jsonl"), "--store", str(store)]
    main([*wanted, "--out", str(folder / "reading.jsonl"), "--seed", "7", "--notes", "120", *options])
    return store


def read_notes(folder: Path, name: str, share: float, part: str = "reading.jsonl") -> str:
    """Mark the share of what is not masked. Return the option that gives the marks."""
    rng, marked = Random(name), []
    for note in corpora.read(folder / part):
        words = [word for word in ("Ruiz", "3/4/2061", CANARY) if word in note.text]
        spans = [Span(at := note.text.index(word), at + len(word), "DOCTOR") for word in words]
        marked.append(note.with_spans(span for span in spans if rng.random() < share))
    corpora.write(marked, folder / f"{name}.jsonl", "jsonl", overwrite=True)
    return f"--reader={name}={folder / f'{name}.jsonl'}"
