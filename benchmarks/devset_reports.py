"""Gold spans for the MTSamples reports.

Line breaks are restored; placeholders and the remaining dates, ages and places become spans; a report with a
doubtful place is left out. The convention ``mtsamples`` of :mod:`crfdeid.synthetic.reidentify` decides what
is PHI and what is doubtful.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from crfdeid.synthetic.reidentify import convention
from crfdeid.synthetic.reidentify.convention import Place
from crfdeid.synthetic.reidentify.convention import restore_from_commas as restore_lines
from crfdeid.text.document import Document

__all__ = ["DATA", "find_phi", "find_unsettled", "read_settled", "restore_lines"]
DATA = Path("../shared/data/mtsamples/mtsamples.jsonl")
SHORTEST = 500  # characters of a report


def find_phi(text: str) -> list[Place]:
    """Return the PHI in a report with restored lines."""
    return convention.find_places(text, convention.read_convention("mtsamples"))


def find_unsettled(text: str, places: Sequence[Place]) -> re.Match[str] | None:
    """Return the first doubtful text outside ``places``, or ``None``."""
    return next(convention.find_unsettled(text, places, convention.read_convention("mtsamples")), None)


def read_settled(path: Path = DATA) -> Iterator[tuple[str, str, tuple[Place, ...]]]:
    """Yield id, restored text and PHI of each report without a doubtful place, in a fixed order that does not
    depend on the content."""
    mtsamples = convention.read_convention("mtsamples")
    with path.open(encoding="utf-8") as lines:
        reports = sorted(map(json.loads, lines), key=lambda report: sha256(report["id"].encode()).digest())
    for report in reports:
        source = convention.read_source(Document(report["id"], report["text"]), mtsamples)
        if source and len(source.text) >= SHORTEST:
            yield source.id, source.text, source.places
