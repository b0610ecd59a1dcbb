"""JSON Lines: ``{"id", "text", "spans": [{"start", "end", "type"}], "patient"}``, a document on each line.

Spans may carry ``probability``. Lines in doccano's form (``label`` or ``labels``) are read too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from crfdeid.corpora.bad_rows import BadRows, RowReader
from crfdeid.corpora.format import Format
from crfdeid.corpora.storage import open_text
from crfdeid.errors import DocumentError, FormatError
from crfdeid.text.document import Document, Span


def read(path: Path, encoding: str = "utf-8", bad: BadRows | None = None) -> Iterator[Document]:
    """Yield a document for each line that is not blank; ``bad`` gets a bad line."""
    reader = RowReader(path, bad)
    with open_text(path, encoding) as file:
        for number, line in enumerate(file, 1):
            if line.strip("\ufeff \t\r\n"):
                build = partial(_build_line, line.removeprefix("\ufeff"), f"{path}, line {number}", number)
                yield from reader.build(number, "", build)


def _build_line(line: str, where: str, number: int) -> Document:
    return build_document(parse_json(line, where), where, number)


def parse_json(text: str, where: str) -> Any:
    """Return the value of ``text``. Raises :class:`FormatError` where it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # ValueError also for a number of thousands of digits
        raise FormatError(f"{where}: malformed JSON") from None


def build_document(item: Any, where: str, number: int) -> Document:
    """Build the document of one JSON object; ``number`` is its identifier if it has none."""
    if not isinstance(item, dict) or not isinstance(item.get("text"), str):
        raise FormatError(f"{where}: no text; wanted an object with id, text and spans")
    if not isinstance(item.get("id", number), str | int):
        raise FormatError(f"{where}: its id is neither a text nor a whole number")
    listed: Any = item.get("spans", item.get("label", item.get("labels", [])))
    try:
        spans = tuple(build_span(span) for span in listed)
    except (KeyError, TypeError, ValueError, IndexError):
        raise FormatError(f"{where}: malformed spans; wanted start, end and type of each") from None
    patient = item.get("patient")
    try:
        return Document(
            str(item.get("id", number)), item["text"], spans, None if patient is None else str(patient)
        )
    except DocumentError as error:
        raise FormatError(f"{where}: {error}") from None


def build_span(item: Any) -> Span:
    """Build a span of a JSON object, or of doccano's ``[start, end, type]``."""
    if isinstance(item, dict):
        start, end, type, probability = item["start"], item["end"], item["type"], item.get("probability")
    else:
        (start, end, type), probability = item, None
    if [value.__class__ for value in (start, end, type)] != [int, int, str]:  # True is not an offset
        raise TypeError
    if probability is not None and not (probability.__class__ in (int, float) and 0 <= probability <= 1):
        raise ValueError  # NaN is not between 0 and 1
    return Span(start, end, type, probability)


def render_corpus(documents: Iterable[Document]) -> Iterator[str]:
    """Yield a line for each document."""
    for document in documents:
        yield json.dumps(build_item(document), ensure_ascii=False) + "\n"


def build_item(document: Document) -> dict[str, Any]:
    """Build the JSON object of a document."""
    item: dict[str, Any] = {"id": document.id, "text": document.text}
    if document.patient is not None:
        item["patient"] = document.patient
    return item | {"spans": [build_span_item(span) for span in document.spans]}


def build_span_item(span: Span) -> dict[str, Any]:
    """Build the JSON object of a span, its probability to six decimals."""
    item: dict[str, Any] = {"start": span.start, "end": span.end, "type": span.type}
    return item if span.probability is None else item | {"probability": round(span.probability, 6)}


FORMAT = Format("jsonl", (".jsonl",), read=read, render_corpus=render_corpus)
