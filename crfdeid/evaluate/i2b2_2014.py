"""The scores of i2b2 2014 track 1 under the names that the challenge's script prints.

The script counts tags as the XML has them, element and TYPE verbatim, and so this reads
the files itself. The script's spelling is kept: "HIPPA Token", and "X Binary HIPAA
Strict" for rows that are typed after all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from crfdeid.corpora import i2b2_2014, safe_xml, storage
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


def table(scores: Scores) -> dict[str, dict[str, Any]]:
    """Every row of the script's output, rounded as it prints them."""
    rows = {name: row(scores, track) for name, track in OVERALL.items()}
    for element in ELEMENTS:
        for name, track in BY_ELEMENT.items():
            rows[f"{element} {name}"] = row(scores, track, element)
    return rows


def row(scores: Scores, track: Criterion, element: str = "") -> dict[str, Any]:
    micro, macro = scores.micro(track, element), scores.macro(track, element)
    figures = {
        name: {"micro": printed(getattr(micro, name)), "macro": printed(getattr(macro, name))}
        for name in ("precision", "recall", "f1")
    }
    return {"documents": len(scores.ids), **figures}


def printed(number: float) -> float | None:
    """Four significant digits; None where the script has no number.

    >>> printed(2 / 3), printed(0.0123456), printed(float("nan"))
    (0.6667, 0.01235, None)
    """
    return None if math.isnan(number) else float(f"{number:.4}")


def read(path: Path, scheme: Scheme, encoding: str = "utf-8", fold: bool = True) -> list[ScoredDocument]:
    """The files of ``path`` with their tags verbatim. The document's spans have the
    scheme's types: in capitals where ``fold``, and LOCATION's OTHER as LOCATION-OTHER. A
    tag without a character is no span, but is scored. Raises :class:`FormatError`."""
    files = storage.listed(path, (i2b2_2014.SUFFIX,)) if path.is_dir() else [path]
    return [read_file(file, scheme, encoding, fold) for file in files]


def read_file(path: Path, scheme: Scheme, encoding: str, fold: bool) -> ScoredDocument:
    with storage.opened(path, safe_xml.declared_encoding(path, encoding)) as file:
        root = safe_xml.parse(file, str(path))
    text, block = root.find("TEXT"), root.find("TAGS")
    if text is None or block is None:
        raise FormatError(f"{path}: no {'TEXT' if text is None else 'TAGS'} element; wanted i2b2 2014 XML")
    note = "".join(text.itertext())
    tags = tuple(read_tags(path, block, len(note)))
    types = frozenset(scheme.types)
    spans = [Span(tag.start, tag.end, scheme_type(tag, types, fold)) for tag in tags if tag.start < tag.end]
    found = NUMBER.match(path.name)
    id, patient = (found[0], found[1]) if found else (path.stem, None)
    return ScoredDocument(Document(id, note, tuple(spans), patient), tags)


def read_tags(path: Path, block: Element, length: int) -> Iterator[ScoredTag]:
    for number, child in enumerate(block, 1):
        if child.tag not in i2b2_2014.ELEMENTS:
            continue
        try:
            tag = ScoredTag(
                child.tag, child.attrib["TYPE"], int(child.attrib["start"]), int(child.attrib["end"])
            )
        except KeyError as error:
            raise FormatError(f"{path}: tag {number}: {child.tag} has no {error.args[0]}") from None
        except ValueError:
            raise FormatError(f"{path}: tag {number}: start and end of {child.tag} must be numbers") from None
        if not 0 <= tag.start <= tag.end <= length:
            where = f"{path}: tag {number}: {child.tag} at {tag.start}-{tag.end}"
            raise FormatError(f"{where} leaves the text of {length} characters")
        yield tag


def scheme_type(tag: ScoredTag, types: frozenset[str], fold: bool) -> str:
    """
    >>> scheme_type(ScoredTag("LOCATION", "other", 0, 1), frozenset({"LOCATION-OTHER", "OTHER"}), True)
    'LOCATION-OTHER'
    """
    type = tag.type.upper() if fold and tag.type not in types else tag.type
    inner = f"{tag.element}-{type}"
    return inner if inner in types else type
