"""Which documents of gold and system belong together, and which keys match under the criteria of i2b2 2014
track 1.

Every criterion compares sets of keys per document. Strict, relaxed and token differ in
what becomes a key and in how far apart two ends may be, so one comparison serves all.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import NamedTuple

from crfdeid.errors import CrfdeidError, did_you_mean, looks_like_id, show_id
from crfdeid.text.document import Document
from crfdeid.text.scheme import Scheme

CRITERIA = ("strict", "relaxed", "token")
TOLERANCE = {"strict": 0, "relaxed": 2, "token": 0}
TOKEN = re.compile(r"[a-zA-Z0-9]+")


class ScoredTag(NamedTuple):
    """A span as it is scored. The element is i2b2's word for a category. Element and type may be
    verbatim from an XML file, in any case, and the tag may be empty, which a :class:`Span` may not."""

    element: str
    type: str
    start: int
    end: int


@dataclass(frozen=True)
class ScoredDocument:
    """A document and its tags in the order of its file."""

    document: Document
    tags: tuple[ScoredTag, ...]


class Criterion(NamedTuple):
    """One of :data:`CRITERIA` by name, on all types or on the HIPAA subset. ``binary``
    compares offsets without types."""

    name: str
    hipaa: bool = False
    binary: bool = False


ALL_CRITERIA = tuple(Criterion(*choice) for choice in product(CRITERIA, (False, True), (False, True)))


def build_scored_document(document: Document, scheme: Scheme) -> ScoredDocument:
    """Make a tag of each span. Raises :class:`SchemeError` at a type that the scheme does not have."""
    scheme.check([document])
    tags = (ScoredTag(scheme.category(span.type), span.type, span.start, span.end) for span in document.spans)
    return ScoredDocument(document, tuple(tags))


Cell = tuple[str, str]  # element and type, in capitals
KeyEnds = dict[tuple[str, str, int], list[int]]  # the ends of the keys of one element, type and start


def count_matches(
    gold: ScoredDocument, system: ScoredDocument, criterion: Criterion, hipaa: frozenset[str]
) -> dict[Cell, list[int]]:
    """Count for each cell: gold keys, system keys, gold keys with a match in system, and system
    keys with a match in gold. ``hipaa`` are the types of the subset."""
    counts: dict[Cell, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    sides = collect_keys(gold, criterion, hipaa), collect_keys(system, criterion, hipaa)
    tolerance = TOLERANCE[criterion.name]
    for side, (own, other) in enumerate((sides, sides[::-1])):
        for key, ends in own.items():
            cell = counts[key[0].upper(), key[1].upper()]
            cell[side] += len(ends)
            others = other.get(key, ())
            cell[2 + side] += sum(is_near(end, others, tolerance) for end in ends)
    return counts


def collect_keys(side: ScoredDocument, criterion: Criterion, hipaa: frozenset[str]) -> KeyEnds:
    """Collect the keys to compare. Near-duplicates of one side merge into the first of them."""
    tags: Iterable[ScoredTag] = side.tags
    if criterion.hipaa:
        tags = (tag for tag in tags if is_in_hipaa(tag, hipaa))
    if criterion.name == "token":
        tags = (piece for tag in tags for piece in split_tag(tag, side.document.text))
    else:
        tags = (tag._replace(element=tag.element.upper(), type=tag.type.upper()) for tag in tags)
    tolerance = TOLERANCE[criterion.name]
    ends: KeyEnds = defaultdict(list)
    for element, type, start, end in tags:
        known = ends["", "", start] if criterion.binary else ends[element, type, start]
        if not is_near(end, known, tolerance):
            known.append(end)
    return ends


def is_near(end: int, others: Iterable[int], tolerance: int) -> bool:
    """Whether one of the other ends is at most ``tolerance`` characters away."""
    return any(abs(end - other) <= tolerance for other in others)


def is_in_hipaa(tag: ScoredTag, types: frozenset[str]) -> bool:
    """Whether the script counts the tag in the HIPAA subset. The case of TYPE matters here, but
    every DATE and AGE counts whatever its TYPE."""
    return tag.type in types or (tag.element in types and tag.element in ("DATE", "AGE"))


def split_tag(tag: ScoredTag, text: str) -> list[ScoredTag]:
    """Split a tag into its ASCII words; a tag without any gives one empty piece at its end.

    >>> [(piece.start, piece.end) for piece in split_tag(ScoredTag("DATE", "DATE", 1, 6), "(3/14)")]
    [(1, 2), (3, 5)]
    """
    found = TOKEN.finditer(text, tag.start, tag.end)
    words = [tag._replace(start=word.start(), end=word.end()) for word in found]
    return words or [tag._replace(start=tag.end)]


class PairError(CrfdeidError):
    """Two corpora that cannot be compared."""


def pair_documents(
    gold: Iterable[Document], system: Iterable[Document], missing: str = "error"
) -> list[tuple[Document, Document]]:
    """Return the gold and the system document of each id, in gold's order.

    Raises :class:`PairError` for an id that one side has twice, a system document that is not in
    gold, a gold document that is not in system (unless ``missing`` is ``"ignore"``), texts that
    differ, and corpora without a common document.
    """
    gold_by_id, system_by_id = index_by_id(gold, "gold"), index_by_id(system, "system")
    check_ids(list(gold_by_id), list(system_by_id), missing)
    pairs = [(document, system_by_id[id]) for id, document in gold_by_id.items() if id in system_by_id]
    for gold_document, system_document in pairs:
        check_texts(gold_document, system_document)
    return pairs


def index_by_id(documents: Iterable[Document], side: str) -> dict[str, Document]:
    """Return the documents of one side by id. Raises :class:`PairError` for an id that occurs twice."""
    table: dict[str, Document] = {}
    for number, document in enumerate(documents, 1):
        if document.id in table:
            shown = show_id(document.id, f"document {number}")
            raise PairError(f"{shown}: two {side} documents have this id; ids must differ")
        table[document.id] = document
    return table


def check_ids(gold: Sequence[str], system: Sequence[str], missing: str) -> None:
    """Raise :class:`PairError` where the ids of the two sides differ more than ``missing`` allows."""
    gold_ids, system_ids = set(gold), set(system)
    if not gold_ids & system_ids:
        raise PairError(f"no common documents: {len(gold)} in gold, {len(system)} in system, no id in both")
    if unknown := {number: id for number, id in enumerate(system, 1) if id not in gold_ids}:
        meant = did_you_mean(next(iter(unknown.values())), filter(looks_like_id, gold))
        raise PairError(f"{describe_ids(unknown)} in system but not in gold{meant}")
    absent = {number: id for number, id in enumerate(gold, 1) if id not in system_ids}
    if absent and missing != "ignore":
        raise PairError(
            f"{describe_ids(absent)} in gold but not in system, which would hide their PHI "
            "(--missing-documents ignore leaves them out, as i2b2's script does)"
        )


def describe_ids(ids: Mapping[int, str]) -> str:
    """Name the first three ids, or their numbers, and count the others, with a verb.

    >>> describe_ids({1: "n1", 4: "Ruiz", 5: "n5", 6: "n6"})
    'documents n1, number 4, n5 and 1 more are'
    """
    first = [show_id(id, f"number {number}") for number, id in islice(ids.items(), 3)]
    rest = f" and {len(ids) - 3} more" if len(ids) > 3 else ""
    return f"document{'s' * (len(ids) > 1)} {', '.join(first)}{rest} {'is' if len(ids) == 1 else 'are'}"


def check_texts(gold: Document, system: Document) -> None:
    """Raise :class:`PairError` where the two texts differ."""
    if gold.text == system.text:
        return
    pairs = enumerate(zip(gold.text, system.text))
    shorter = min(len(gold.text), len(system.text))
    offset = next((number for number, (a, b) in pairs if a != b), shorter)
    raise PairError(
        f"{show_id(gold.id)}: gold and system texts differ at offset {offset} "
        f"(lengths {len(gold.text)} and {len(system.text)}); spans of one do not fit the other"
    )
