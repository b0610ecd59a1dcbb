"""doccano's JSON Lines: ``{"id", "text", "label": [[start, end, type], …]}``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from crfdeid.corpora.jsonl import read
from crfdeid.text.document import Document

__all__ = ["SUFFIXES", "read", "render"]
SUFFIXES = (".jsonl",)


def render(documents: Iterable[Document]) -> Iterator[str]:
    for document in documents:
        label = [[span.start, span.end, span.type] for span in document.spans]
        table = {"id": document.id, "text": document.text, "label": label}
        if document.patient is not None:
            table["patient"] = document.patient
        yield json.dumps(table, ensure_ascii=False) + "\n"
