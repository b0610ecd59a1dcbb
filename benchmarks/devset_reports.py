"""The MTSamples reports made into gold: their line breaks restored, placeholders found, what
survives of dates, ages and places labelled; reports with anything unsettled left out. What is
found, and what is unsettled, says the convention ``mtsamples`` of :mod:`crfdeid.synthetic.reidentify`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from crfdeid.synthetic.reidentify import convention, source_text
from crfdeid.synthetic.reidentify.convention import Place
from crfdeid.synthetic.reidentify.convention import restore_from_commas as restored
from crfdeid.text.document import Document

__all__ = ["DATA", "found", "restored", "settled", "unsettled"]
DATA = Path("../shared/data/mtsamples/mtsamples.jsonl")
SHORTEST = 500  # characters of a report


def found(text: str) -> list[Place]:
    """The PHI of a restored report."""
    return convention.find_places(text, convention.read_convention("mtsamples"))


def unsettled(text: str, places: Sequence[Place]) -> re.Match[str] | None:
    """The first thing outside ``places`` that may be PHI and may not."""
    return next(convention.find_unsettled(text, places, convention.read_convention("mtsamples")), None)


def settled(path: Path = DATA) -> Iterator[tuple[str, str, tuple[Place, ...]]]:
    """Id, restored text and PHI of each report of which every word is settled, in an order
    that is fixed and has nothing to do with what they are about."""
    mtsamples = convention.read_convention("mtsamples")
    with path.open(encoding="utf-8") as lines:
        reports = sorted(map(json.loads, lines), key=lambda report: sha256(report["id"].encode()).digest())
    for report in reports:
        source = source_text.read_source(Document(report["id"], report["text"]), mtsamples)
        if source and len(source.text) >= SHORTEST:
            yield source.id, source.text, source.places
