"""Damaged and hostile model folders: refused in one line, or the spans fit; no process dies. The area
``models`` damages files at random, ``flips`` changes every byte of a small model in turn."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

from small_notes import SMALL, note

from campaign.area import Area, find_number
from campaign.children import try_each
from campaign.inputs import check_spans
from crfdeid.errors import CrfdeidError
from crfdeid.systems import model, model_folder

NOTES = [note(number) for number in range(30)]
MANIFEST = model_folder.MANIFEST
ENGINES = ("numpy", "compiled", "crfsuite")
DAMAGES = 50  # of a case
SECONDS = 20  # of processor that a damaged model may take
Files = dict[str, bytes]


@dataclass(frozen=True)
class Damage:
    """A file with other bytes; a ``signed`` model has a new manifest."""

    file: str
    at: int
    data: bytes = field(repr=False)
    signed: bool
    engine: str


@cache
def read_sound(place: Path) -> Files:
    """The files of a small model; it has tagged with each engine, so that children need not compile."""
    folder = place / "small"
    model.train(NOTES, SMALL, folder, engine="crfsuite")
    for engine in ENGINES:
        load_and_tag(folder, engine)
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def draw_damage(draw: Random, files: Files) -> Damage:
    """One to 40 changed bytes, and the end cut off now and then."""
    file = draw.choice([MANIFEST, "model.crfsuite", *files])
    data = bytearray(files[file] or b"x")
    at = 0
    for _ in range(draw.choice((1, 1, 4, 40))):
        at = draw.randrange(len(data))
        data[at] = draw.randrange(256)
    if draw.random() < 0.1:
        at = draw.randrange(len(data))
        data = data[:at]
    signed = file != MANIFEST and draw.random() < 0.8
    return Damage(file, at, bytes(data), signed, draw.choice(ENGINES))


def run(draw: Random, place: Path) -> Counter[str]:
    files = read_sound(place.parent)
    return try_damages((draw_damage(draw, files) for _ in range(DAMAGES)), files, place)


def run_flips(draw: Random, place: Path) -> Counter[str]:
    """The next bytes of the folder, each changed and signed for each engine, and once not signed."""
    files = read_sound(place.parent)
    places = [(file, at) for file, data in files.items() for at in range(len(data))]
    begin = find_number(place) * DAMAGES % len(places)
    damages = []
    for file, at in places[begin : begin + DAMAGES]:
        data = bytearray(files[file])
        data[at] ^= draw.randrange(1, 256)
        damages.append(Damage(file, at, bytes(data), False, "numpy"))
        if file != MANIFEST:
            damages += [Damage(file, at, bytes(data), True, engine) for engine in ENGINES]
    return try_damages(damages, files, place)


def try_damages(damages: Iterable[Damage], files: Files, place: Path) -> Counter[str]:
    """Refused, or tagged with spans that fit; an unsigned change of a file is refused."""

    def attempt(damage: Damage) -> str:
        folder = place / "model"
        write_folder(folder, files, damage)
        outcome = load_and_tag(folder, damage.engine)
        is_free = damage.signed or damage.file == MANIFEST or damage.data == files[damage.file]
        assert is_free or outcome == "refused", "no checksum was compared"
        return f"{outcome}, signed" if damage.signed else outcome

    return try_each(list(damages), attempt, lambda damage: SECONDS)


def write_folder(folder: Path, files: Files, damage: Damage) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in (files | {damage.file: damage.data}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    if damage.signed:
        (folder / MANIFEST).unlink()
        model_folder.write_manifest(folder)


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
FLIPS = Area("flips", 1, run_flips)
