"""Laying the system's documents beside the gold ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crfdeid.errors import CrfdeidError, did_you_mean
from crfdeid.text.document import Document


class PairError(CrfdeidError):
    """Two corpora that cannot be compared."""


def pair_documents(
    gold: Iterable[Document], system: Iterable[Document], missing: str = "error"
) -> list[tuple[Document, Document]]:
    """Gold and system documents of the same id, in gold's order.

    Raises :class:`PairError` for an id that one side has twice, a system document that
    gold lacks, a gold document that the system lacks (unless ``missing`` is
    ``"ignore"``), texts that differ, and corpora without a common document.
    """
    right, found = index_by_id(gold, "gold"), index_by_id(system, "system")
    check_ids(list(right), list(found), missing)
    pairs = [(document, found[id]) for id, document in right.items() if id in found]
    for ours, theirs in pairs:
        check_texts(ours, theirs)
    return pairs


def index_by_id(documents: Iterable[Document], side: str) -> dict[str, Document]:
    table: dict[str, Document] = {}
    for document in documents:
        if document.id in table:
            raise PairError(f"{document.id}: two {side} documents have this id; ids must differ")
        table[document.id] = document
    return table


def check_ids(gold: Sequence[str], system: Sequence[str], missing: str) -> None:
    known, given = set(gold), set(system)
    if not known & given:
        raise PairError(f"no common documents: {len(gold)} in gold, {len(system)} in system, no id in both")
    if unknown := [id for id in system if id not in known]:
        raise PairError(f"{describe_ids(unknown)} in system but not in gold{did_you_mean(unknown[0], gold)}")
    if (absent := [id for id in gold if id not in given]) and missing != "ignore":
        raise PairError(
            f"{describe_ids(absent)} in gold but not in system, which would hide their PHI "
            "(--missing-documents ignore leaves them out, as i2b2's script does)"
        )


def describe_ids(ids: Sequence[str]) -> str:
    """
    >>> describe_ids(["a", "b", "c", "d"])
    'documents a, b, c and 1 more are'
    """
    rest = f" and {len(ids) - 3} more" if len(ids) > 3 else ""
    return f"document{'s' * (len(ids) > 1)} {', '.join(ids[:3])}{rest} {'is' if len(ids) == 1 else 'are'}"


def check_texts(gold: Document, system: Document) -> None:
    if gold.text == system.text:
        return
    pairs = enumerate(zip(gold.text, system.text))
    shorter = min(len(gold.text), len(system.text))
    offset = next((number for number, (a, b) in pairs if a != b), shorter)
    raise PairError(
        f"{gold.id}: gold and system texts differ at offset {offset} "
        f"(lengths {len(gold.text)} and {len(system.text)}); spans of one do not fit the other"
    )
