"""Pair the system's documents with the gold ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crfdeid.errors import CrfdeidError, did_you_mean
from crfdeid.text.document import Document


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
    for document in documents:
        if document.id in table:
            raise PairError(f"{document.id}: two {side} documents have this id; ids must differ")
        table[document.id] = document
    return table


def check_ids(gold: Sequence[str], system: Sequence[str], missing: str) -> None:
    """Raise :class:`PairError` where the ids of the two sides differ more than ``missing`` allows."""
    gold_ids, system_ids = set(gold), set(system)
    if not gold_ids & system_ids:
        raise PairError(f"no common documents: {len(gold)} in gold, {len(system)} in system, no id in both")
    if unknown := [id for id in system if id not in gold_ids]:
        raise PairError(f"{describe_ids(unknown)} in system but not in gold{did_you_mean(unknown[0], gold)}")
    if (absent := [id for id in gold if id not in system_ids]) and missing != "ignore":
        raise PairError(
            f"{describe_ids(absent)} in gold but not in system, which would hide their PHI "
            "(--missing-documents ignore leaves them out, as i2b2's script does)"
        )


def describe_ids(ids: Sequence[str]) -> str:
    """Name the first three ids and count the others, with a verb.

    >>> describe_ids(["a", "b", "c", "d"])
    'documents a, b, c and 1 more are'
    """
    rest = f" and {len(ids) - 3} more" if len(ids) > 3 else ""
    return f"document{'s' * (len(ids) > 1)} {', '.join(ids[:3])}{rest} {'is' if len(ids) == 1 else 'are'}"


def check_texts(gold: Document, system: Document) -> None:
    """Raise :class:`PairError` where the two texts differ."""
    if gold.text == system.text:
        return
    pairs = enumerate(zip(gold.text, system.text))
    shorter = min(len(gold.text), len(system.text))
    offset = next((number for number, (a, b) in pairs if a != b), shorter)
    raise PairError(
        f"{gold.id}: gold and system texts differ at offset {offset} "
        f"(lengths {len(gold.text)} and {len(system.text)}); spans of one do not fit the other"
    )
