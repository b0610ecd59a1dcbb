"""JSON Lines: ``{"id", "text", "spans": [{"start", "end", "type"}], "patient"}``, a document a line.

Spans may carry ``probability``. Lines in doccano's form (``label`` or ``labels``) are read too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import NoneType
from typing import Any

from crfdeid.corpora.storage import opened
from crfdeid.errors import DocumentError, FormatError
from crfdeid.text.document import Document, Span

SUFFIXES = (".jsonl",)


def read(path: Path, encoding: str = "utf-8") -> Iterator[Document]:
    with opened(path, encoding) as file:
        for number, line in enumerate(file, 1):
            where = f"{path}, line {number}"
            if line.strip("\ufeff \t\r\n"):
                yield build(loaded(line.removeprefix("\ufeff"), where), where, number)


def loaded(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # ValueError also for a number of thousands of digits
        raise FormatError(f"{where}: malformed JSON") from None


def build(table: Any, where: str, number: int) -> Document:
    """The document of one object; ``number`` is its identifier where it has none."""
    if not isinstance(table, dict) or not isinstance(table.get("text"), str):
        raise FormatError(f"{where}: no text; wanted an object with id, text and spans")
    if not isinstance(table.get("id", number), str | int):
        raise FormatError(f"{where}: its id is neither a text nor a whole number")
    try:
        spans = tuple(span(item) for item in table.get("spans", table.get("label", table.get("labels", []))))
    except (KeyError, TypeError, ValueError, IndexError):
        raise FormatError(f"{where}: malformed spans; wanted start, end and type of each") from None
    patient = table.get("patient")
    try:
        return Document(
            str(table.get("id", number)), table["text"], spans, None if patient is None else str(patient)
        )
    except DocumentError as fault:
        raise FormatError(f"{where}: {fault}") from None


def span(item: Any) -> Span:
    """A span of an object, or of doccano's ``[start, end, type]``."""
    if isinstance(item, dict):
        start, end, type, probability = item["start"], item["end"], item["type"], item.get("probability")
    else:
        (start, end, type), probability = item, None
    if [found.__class__ for found in (start, end, type)] != [int, int, str]:  # True is no offset
        raise TypeError
    if not isinstance(probability, NoneType | float | int):
        raise TypeError
    return Span(start, end, type, probability)


def render(documents: Iterable[Document]) -> Iterator[str]:
    for document in documents:
        yield json.dumps(as_table(document), ensure_ascii=False) + "\n"


def as_table(document: Document) -> dict[str, Any]:
    table: dict[str, Any] = {"id": document.id, "text": document.text}
    if document.patient is not None:
        table["patient"] = document.patient
    return table | {"spans": [as_item(span) for span in document.spans]}


def as_item(span: Span) -> dict[str, Any]:
    item: dict[str, Any] = {"start": span.start, "end": span.end, "type": span.type}
    return item if span.probability is None else item | {"probability": round(span.probability, 6)}
