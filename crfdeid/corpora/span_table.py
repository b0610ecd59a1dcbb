"""One row a span as CSV: ``id,start,end,type,probability,text``. It holds no notes, so it is
write-only; notes with their spans in one table are the format ``table``."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from crfdeid.text.document import Document

SUFFIXES = (".csv",)
COLUMNS = ("id", "start", "end", "type", "probability", "text")


def render(documents: Iterable[Document]) -> Iterator[str]:
    yield ",".join(COLUMNS) + "\n"
    for document in documents:
        yield rows(document)


def rows(document: Document) -> str:
    """The rows of one document, without the head."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for span in document.spans:
        probability = "" if span.probability is None else f"{span.probability:.4f}"
        writer.writerow([document.id, span.start, span.end, span.type, probability, document.text_of(span)])
    return out.getvalue()
