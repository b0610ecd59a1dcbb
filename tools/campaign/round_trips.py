"""Wild notes from one format to another: the same notes, or one line that says what cannot be written."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

from campaign.area import Area
from campaign.wild_text import draw_document
from crfdeid import corpora
from crfdeid.errors import CrfdeidError
from crfdeid.text.document import Document

FORMATS = ("i2b2", "i2b2-2006", "brat", "conll", "jsonl", "labelstudio", "doccano", "table", "parquet")
TYPES = ("DOCTOR", "DATE", "IDNUM", "LOCATION-OTHER")
ODD = ("A B", "Ärztin", "x\ty", "x\n", "<b>", '"', "\0", "T1", "B-X", " ", "\u2028")


def draw_type(draw: Random) -> str:
    return draw.choice(ODD) if draw.random() < 0.1 else draw.choice(TYPES)


def run(draw: Random, place: Path) -> Counter[str]:
    """The same notes from each format to each other one."""
    ids = [draw.choice((f"n{n}", f"{n}-01", f"{n} é")) for n in range(draw.randrange(1, 4))]
    documents = [draw_document(draw, id, draw_type) for id in ids]
    outcome: Counter[str] = Counter()
    for first in FORMATS:
        found = pass_through(first, documents, place / first)
        for second in FORMATS:
            is_kept = found and pass_through(second, found, place / f"{first} {second}")
            outcome["equal" if is_kept else "refused"] += 1
    return outcome


def pass_through(format: str, documents: list[Document], path: Path) -> list[Document] | None:
    """What is read after it was written, which is the same; ``None`` if one line refuses it."""
    try:
        write(documents, path, format)
        found = read(path, format)
    except CrfdeidError as error:
        assert "\n" not in str(error), "an error of several lines"
        return None
    assert show(found) == show(documents), f"{format} changed a note"
    return found


def write(documents: list[Document], path: Path, format: str) -> None:
    """Each document into its own file: every format has that."""
    corpora.write_each(documents, path, format)


def read(path: Path, format: str) -> list[Document]:
    return list(corpora.read(path, format))


def show(documents: list[Document]) -> list[tuple[str, str, tuple[object, ...]]]:
    """What every format keeps, in one order."""
    return sorted((document.id, document.text, document.spans) for document in documents)


AREA = Area("round_trips", 1, run)
