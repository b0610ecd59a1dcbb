"""Scores under the names that the scripts of two challenges print.

The script of i2b2 2014 track 1 counts tags as the XML has them, element and TYPE verbatim. Its spelling is
kept: "HIPPA Token", and "X Binary HIPAA Strict" for rows that do compare types. MEDDOCAN (IberLEF 2019,
Marimon et al. 2019) scores entities, and spans without their type.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar

from crfdeid.corpora import i2b2_2014, storage
from crfdeid.corpora.i2b2_2014 import XmlDocument
from crfdeid.errors import FormatError
from crfdeid.evaluate.matching import Criterion, ScoredDocument, ScoredTag, pair_documents
from crfdeid.evaluate.scores import Counts, Scores
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

Item = TypeVar("Item")
Range = tuple[int, int]  # start and end
TITLES = {"ner": "sub-track 1", "strict": "sub-track 2 strict", "merged": "sub-track 2 merged"}


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


def score_documents(
    gold: Sequence[Document], system: Sequence[Document], missing: str = "error"
) -> dict[str, Counts]:
    """Return the micro counts of sub-track 1 (``ner``) and of both forms of sub-track 2 (``strict``,
    ``merged``). Types keep their case. Raises what :func:`crfdeid.evaluate.matching.pair_documents`
    raises."""
    return score_pairs(pair_documents(gold, system, missing))


def score_pairs(pairs: Sequence[tuple[Document, Document]]) -> dict[str, Counts]:
    """Sum the counts of all pairs (gold, system), by the name of the score."""
    return {name: sum((rule(*pair) for pair in pairs), Counts()) for name, rule in RULES.items()}


def count_entities(gold: Document, system: Document) -> Counts:
    """Count exact matches of start, end and type."""
    return count_sets(set(gold.spans), set(system.spans))


def count_strict(gold: Document, system: Document) -> Counts:
    """Count exact matches of start and end."""
    return count_sets(list_ranges(gold.spans), list_ranges(system.spans))


def count_merged(gold: Document, system: Document) -> Counts:
    """Count strict matches and matches of joined spans. A strict miss or false alarm inside a span
    that matched is forgiven."""
    right, found = list_ranges(gold.spans), list_ranges(system.spans)
    joined = join_neighbours(right, gold.text) & join_neighbours(found, gold.text)
    matched = (right & found) | joined
    return Counts(len(matched), count_outside(found - right, matched), count_outside(right - found, matched))


RULES: dict[str, Callable[[Document, Document], Counts]] = {
    "ner": count_entities,
    "strict": count_strict,
    "merged": count_merged,
}


def count_sets(gold: set[Item], system: set[Item]) -> Counts:
    """Count common items, those only in system and those only in gold."""
    return Counts(len(gold & system), len(system - gold), len(gold - system))


def list_ranges(spans: Iterable[Span]) -> set[Range]:
    """Return the spans without their types."""
    return {(span.start, span.end) for span in spans}


def join_neighbours(spans: Iterable[Range], text: str) -> set[Range]:
    """Join spans with no letter or digit between them.

    >>> sorted(join_neighbours([(0, 3), (5, 8), (12, 15)], "Ana, Gil con Eva"))
    [(0, 8), (12, 15)]
    """
    result: list[Range] = []
    for start, end in sorted(spans):
        if result and not any(map(str.isalnum, text[result[-1][1] : start])):
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((start, end))
    return set(result)


def count_outside(spans: Iterable[Range], matched: Iterable[Range]) -> int:
    """Count the spans that are not inside a matched one."""
    ordered = sorted(matched)
    starts = [start for start, _ in ordered]
    ends = [0, *accumulate((end for _, end in ordered), max)]  # the last end of those that begin before
    return sum(ends[bisect_right(starts, start)] < end for start, end in spans)


def format_scores(scores: dict[str, Counts]) -> str:
    """Format the three scores, one on each line."""
    lines = [f"{'':<20}{'gold':>7}{'system':>7}   P      R      F1"]
    for name, counts in scores.items():
        sizes = f"{counts.tp + counts.fn:7}{counts.tp + counts.fp:7}"
        figures = f"{counts.precision:.4f} {counts.recall:.4f} {counts.f1:.4f}"
        lines.append(f"{TITLES[name]:<20}{sizes}   {figures}")
    return "\n".join(lines)
