"""JSON Lines, one document a line, and the exports of Label Studio and doccano.

Ours is ``{"id", "text", "spans": [{"start", "end", "type", "probability"?}], "patient"?}``.
Which of the three a record is shows in its keys, so all are read alike, as lines or
as one JSON array.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from crfdeid.corpora import doccano, labelstudio
from crfdeid.corpora.fields import identity, string, whole
from crfdeid.document import Document, Span
from crfdeid.faults import FormatFault

SUFFIX = ".jsonl"


def parse(file: TextIO, where: str) -> Iterator[Document]:
    """The documents; one without an id has the number of its record."""
    for number, (at, record) in enumerate(records(file, where), 1):
        if not isinstance(record, dict):
            raise FormatFault(f"{at}: not an object; wanted one per document")
        try:
            yield document_of(record, f"{Path(where).stem}-{number}")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            found = f"no {error}" if isinstance(error, KeyError) else "a value of another kind than wanted"
            raise FormatFault(f"{at}: {found}; wanted id, text and spans") from None


def records(file: TextIO, where: str) -> Iterator[tuple[str, Any]]:
    """Each record and where it stands: a file that begins with ``[`` is one array."""
    for number, line in enumerate(file, 1):
        line = line.removeprefix("\ufeff") if number == 1 else line
        if not line.strip():
            continue
        if number == 1 and line.lstrip().startswith("["):
            array = loads(line + file.read(), where, 1)
            yield from ((f"{where}: record {index}", record) for index, record in enumerate(array, 1))
            return
        yield f"{where}: line {number}", loads(line, where, number)


def loads(text: str, where: str, line: int) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        at = line + error.lineno - 1
        raise FormatFault(f"{where}: line {at}, column {error.colno}: not JSON: {error.msg}") from None
    except (RecursionError, ValueError):
        raise FormatFault(f"{where}: line {line}: not JSON: nested too deeply, or a number too long") from None


def document_of(record: dict[str, Any], default_id: str) -> Document:
    """Raises KeyError, TypeError, ValueError or AttributeError where the record does
    not hold what its kind wants."""
    if "data" in record:
        return labelstudio.document_of(record, default_id)
    if "spans" not in record and record.keys() & {"label", "labels", "entities"}:
        return doccano.document_of(record, default_id)
    spans, patient = spans_of(record.get("spans") or []), record.get("patient")
    id = identity(record.get("id"), default_id)
    return Document(id, string(record["text"]), spans, None if patient is None else identity(patient))


def spans_of(table: list[dict[str, Any]]) -> tuple[Span, ...]:
    return tuple(
        Span(whole(row["start"]), whole(row["end"]), string(row["type"]), probability(row)) for row in table
    )


def probability(row: dict[str, Any]) -> float | None:
    value = row.get("probability")
    return None if value is None else float(value)


def record_of(document: Document) -> dict[str, Any]:
    patient = {} if document.patient is None else {"patient": document.patient}
    return {"id": document.id, **patient, "text": document.text, "spans": rows(document)}


def rows(document: Document) -> list[dict[str, Any]]:
    return [
        {"start": span.start, "end": span.end, "type": span.type}
        | ({} if span.probability is None else {"probability": round(span.probability, 4)})
        for span in document.spans
    ]


def pieces(documents: Iterable[Document]) -> Iterator[str]:
    for document in documents:
        yield json.dumps(record_of(document), ensure_ascii=False) + "\n"
