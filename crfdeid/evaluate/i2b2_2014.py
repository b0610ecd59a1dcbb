"""The scores of i2b2 2014 track 1 under the names that the challenge's script prints.

The script counts tags as the XML has them, element and TYPE verbatim. Its spelling is kept:
"HIPPA Token", and "X Binary HIPAA Strict" for rows that do compare types.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

from crfdeid.corpora import i2b2_2014, storage
from crfdeid.corpora.i2b2_2014 import XmlDocument
from crfdeid.errors import FormatError
from crfdeid.evaluate.matching import Criterion, ScoredDocument, ScoredTag
from crfdeid.evaluate.scores import Scores
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import Scheme

ELEMENTS = ("NAME", "PROFESSION", "LOCATION", "AGE", "DATE", "CONTACT", "ID", "OTHER")
OVERALL = {
    "Strict": Criterion("strict"),
    "Relaxed": Criterion("relaxed"),
    "Token": Criterion("token"),
    "Binary Strict": Criterion("strict", binary=True),
    "Binary Token": Criterion("token", binary=True),
    "HIPAA Strict": Criterion("strict", hipaa=True),
    "HIPAA Relaxed": Criterion("relaxed", hipaa=True),
    "HIPPA Token": Criterion("token", hipaa=True),
    "Binary HIPAA Strict": Criterion("strict", hipaa=True, binary=True),
    "Binary HIPPA Token": Criterion("token", hipaa=True, binary=True),
}
BY_ELEMENT = {
    "Strict": Criterion("strict"),
    "Token": Criterion("token"),
    "Binary HIPAA Strict": Criterion("strict", hipaa=True),
    "HIPPA Token": Criterion("token", hipaa=True),
}
NUMBER = re.compile(r"(\d{3})-\d{2}")  # patient and note


def build_table(scores: Scores) -> dict[str, dict[str, Any]]:
    """Build every row of the script's output, rounded as the script prints it."""
    rows = {name: build_row(scores, criterion) for name, criterion in OVERALL.items()}
    for element in ELEMENTS:
        for name, criterion in BY_ELEMENT.items():
            rows[f"{element} {name}"] = build_row(scores, criterion, element)
    return rows


def build_row(scores: Scores, criterion: Criterion, element: str = "") -> dict[str, Any]:
    """Build one row, of all elements or of one."""
    micro, macro = scores.micro(criterion, element), scores.macro(criterion, element)
    figures = {
        name: {
            "micro": round_as_printed(getattr(micro, name)),
            "macro": round_as_printed(getattr(macro, name)),
        }
        for name in ("precision", "recall", "f1")
    }
    return {"documents": len(scores.ids), **figures}


def round_as_printed(number: float) -> float | None:
    """Round to four significant digits; None where the script has no number.

    >>> round_as_printed(2 / 3), round_as_printed(0.0123456), round_as_printed(float("nan"))
    (0.6667, 0.01235, None)
    """
    return None if math.isnan(number) else float(f"{number:.4}")


def read_verbatim(
    path: Path, scheme: Scheme, encoding: str = "utf-8", fold: bool = True
) -> list[ScoredDocument]:
    """Read the files of ``path`` and keep their tags as they are, which is what the script scores.

    The spans of the documents have the scheme's types: in capitals where ``fold``, and LOCATION's
    OTHER as LOCATION-OTHER. An empty tag is not a span, but it is scored. Raises
    :class:`FormatError`.
    """
    files = storage.list_folder(path, (i2b2_2014.SUFFIX,)) if path.is_dir() else [path]
    types = frozenset(scheme.types)
    return [build_verbatim(i2b2_2014.read_xml_document(file, encoding), types, fold) for file in files]


def build_verbatim(source: XmlDocument, types: frozenset[str], fold: bool) -> ScoredDocument:
    """Build the scored document of a file. Its identifier is NNN-NN at the start of the file's name,
    else the file's stem."""
    if source.tags is None:
        raise FormatError(f"{source.path}: no TAGS element; wanted i2b2 2014 XML")
    tags = tuple(ScoredTag(*tag) for tag in source.tags)
    spans = [Span(tag.start, tag.end, find_type(tag, types, fold)) for tag in tags if tag.start < tag.end]
    numbered = NUMBER.match(source.path.name)
    id, patient = (numbered[0], numbered[1]) if numbered else (source.path.stem, None)
    return ScoredDocument(Document(id, source.text, tuple(spans), patient), tags)


def find_type(tag: ScoredTag, types: frozenset[str], fold: bool) -> str:
    """Return the type of a tag among the ``types`` of a scheme, or the tag's own where none fits.

    >>> find_type(ScoredTag("LOCATION", "other", 0, 1), frozenset({"LOCATION-OTHER", "OTHER"}), True)
    'LOCATION-OTHER'
    """
    type = tag.type.upper() if fold and tag.type not in types else tag.type
    inner = f"{tag.element}-{type}"
    return inner if inner in types else type
