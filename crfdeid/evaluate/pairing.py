"""Pair the system's documents with the gold ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from crfdeid.errors import CrfdeidError, did_you_mean, looks_like_id, show_id
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
