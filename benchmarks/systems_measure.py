"""Train and time one system of ``benchmarks/systems.py``, and keep its spans in a file."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import outside

from crfdeid import files
from crfdeid.explain import thresholds
from crfdeid.systems.tagger import Tagger
from crfdeid.text.document import Document, Span

OUTSIDE = {"spacy": outside.train_spacy, "sklearn-crfsuite": outside.train_sklearn_crfsuite}

Found = dict[str, list[Document]]


class Result(NamedTuple):
    """``train`` and ``tag`` are processor seconds, ``megabytes`` the size of the model's folder; ``found``
    maps "" to the documents of the system, and a member's name to the documents of that member."""

    train: float
    tag: float
    megabytes: float
    curve: list[list[float]]
    found: Found


def measure_tagger(
    make: Callable[[Path], Tagger] | None, name: str, train: Sequence[Document],
    test: Sequence[Document], args: argparse.Namespace,
) -> Result:  # fmt: skip
    """Train and time a system. ``make`` trains it in a folder; without it, ``name`` is an outside tagger."""
    bare = [document.with_spans(()) for document in test]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "model"
        began = time.process_time()
        tagger = make(folder) if make else None
        tag = OUTSIDE[name](train, folder, args) if tagger is None else None
        trained = time.process_time()
        found = {"": list(tagger.tag_all(bare) if tagger else tag(bare))}
        tagged = time.process_time()
        for base, member in (tagger.bases if tagger else {}).items():
            found[base] = list(member.tag_all(bare))
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        curved = tagger is not None and tagger.scores_tokens
        curve = compute_points(thresholds.measure_margins(tagger, test)) if curved else []
    return Result(trained - began, tagged - trained, size / 1e6, curve, found)


def compute_points(margins: thresholds.Margins) -> list[list[float]]:
    return [[*margins.at(bias), margins.area] for bias in thresholds.BIASES]


def read_or_measure(path: Path, test: Sequence[Document], make: Callable[[], Result]) -> Result:
    """Read the result from the file, or measure it and write the file."""
    if not path.is_file():
        table = make()._asdict()
        for name, documents in table["found"].items():
            table["found"][name] = {d.id: [(s.start, s.end, s.type) for s in d.spans] for d in documents}
        with files.open_whole(path) as file:
            json.dump(table, file)
    table = json.loads(files.read_text(path))
    for name, spans in table["found"].items():
        table["found"][name] = [d.with_spans(Span(*span) for span in spans[d.id]) for d in test]
    return Result(**table)
