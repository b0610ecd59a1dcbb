"""doccano's sequence labelling: a line per document, ``"label": [[start, end, type], …]``.

Some versions name the field ``labels``, or hold ``entities`` as objects with
``start_offset``, ``end_offset`` and ``label``. It has no place for patients and
probabilities.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from crfdeid.corpora.fields import identity, string, whole
from crfdeid.document import Document, Span

SUFFIX = ".jsonl"


def document_of(record: dict[str, Any], default_id: str) -> Document:
    """Raises KeyError, TypeError or ValueError where the record is not doccano's."""
    spans = [
        Span(whole(start), whole(end), string(type))
        for start, end, type in (record.get("label") or record.get("labels") or ())
    ]
    spans += [
        Span(whole(entity["start_offset"]), whole(entity["end_offset"]), string(entity["label"]))
        for entity in record.get("entities") or ()
    ]
    return Document(identity(record.get("id"), default_id), string(record["text"]), tuple(spans))


def pieces(documents: Iterable[Document]) -> Iterator[str]:
    for document in documents:
        labels = [[span.start, span.end, span.type] for span in document.spans]
        record = {"id": document.id, "text": document.text, "label": labels}
        yield json.dumps(record, ensure_ascii=False) + "\n"
