"""doccano's JSON Lines: ``{"id", "text", "label": [[start, end, type], …]}``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from crfdeid.corpora import jsonl
from crfdeid.corpora.format import Format
from crfdeid.text.document import Document


def render_corpus(documents: Iterable[Document]) -> Iterator[str]:
    """Yield a line for each document."""
    for document in documents:
        label = [[span.start, span.end, span.type] for span in document.spans]
        item = {"id": document.id, "text": document.text, "label": label}
        if document.patient is not None:
            item["patient"] = document.patient
        yield json.dumps(item, ensure_ascii=False) + "\n"


FORMAT = Format("doccano", (".jsonl",), read=jsonl.read, render_corpus=render_corpus)
