"""Damaged and hostile model folders: refused in one line, or the spans fit; no process dies."""

from __future__ import annotations

import multiprocessing
import shutil
from functools import cache
from pathlib import Path
from random import Random

from small_notes import SMALL, note

from campaign.area import LONGEST, Area
from campaign.inputs import check_spans
from crfdeid.errors import CrfdeidError
from crfdeid.systems import model, model_folder

fork = multiprocessing.get_context("fork")
NOTES = [note(number) for number in range(30)]


@cache
def train(place: Path) -> Path:
    model.train(NOTES, SMALL, place / "small", engine="crfsuite")
    return place / "small"


def run(draw: Random, place: Path) -> str:
    folder = shutil.copytree(train(place.parent), place / "model")
    path = folder / draw.choice(["manifest.json", "model.crfsuite", *model_folder.list_files(folder)])
    data = bytearray(path.read_bytes() or b"x")
    for _ in range(draw.choice((1, 1, 4, 40))):
        data[draw.randrange(len(data))] = draw.randrange(256)
    if draw.random() < 0.1:
        data = data[: draw.randrange(len(data))]
    changed = bytes(data) != path.read_bytes()
    path.write_bytes(data)
    signed = path.name != "manifest.json" and draw.random() < 0.8
    if signed:
        (folder / "manifest.json").unlink()
        model_folder.write_manifest(folder)
    engine = draw.choice(("numpy", "compiled", "crfsuite"))
    receiver, sender = fork.Pipe(duplex=False)
    child = fork.Process(target=tag, args=(folder, engine, sender))
    child.start()
    sender.close()
    outcome = receiver.recv() if receiver.poll(LONGEST - 20) else ""
    child.join()
    assert child.exitcode == 0, f"{path.name}, {engine}: the process ended with {child.exitcode}"
    assert outcome.startswith(("refused", "tagged")), outcome
    is_free = signed or not changed or path.name == "manifest.json"
    assert is_free or outcome == "refused", f"{path.name}: no checksum was compared"
    return f"{outcome}, signed" if signed else outcome


def tag(folder: Path, engine: str, sender: object) -> None:
    try:
        outcome = load_and_tag(folder, engine)
    except Exception as error:
        outcome = f"{type(error).__name__}: {ascii(error)[:200]}"
    sender.send(outcome)  # type: ignore[attr-defined]


def load_and_tag(folder: Path, engine: str) -> str:
    try:
        tagger = model.load(folder, "crfsuite" if engine == "crfsuite" else "fast")
    except CrfdeidError as error:
        assert "\n" not in str(error) and str(error).isprintable(), "an error that a terminal cannot show"
        return "refused"
    if engine == "compiled":
        tagger.compile()
    for document in tagger.tag_all(NOTES[:3], engine != "crfsuite"):
        check_spans(document.text, document.spans)
    return "tagged"


AREA = Area("models", 2, run)
