"""A row for each span as CSV: ``id,start,end,type,probability,text``. It holds no notes, so it is
write-only; the format ``table`` keeps notes and their spans in one table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from crfdeid.corpora.format import Format
from crfdeid.text.document import Document

COLUMNS = ("id", "start", "end", "type", "probability", "text")


def render_corpus(documents: Iterable[Document]) -> Iterator[str]:
    """Yield the head, then the rows of each document."""
    yield ",".join(COLUMNS) + "\n"
    for document in documents:
        yield render_rows(document)


def render_rows(document: Document) -> str:
    """Return the rows of one document, without the head."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for span in document.spans:
        probability = "" if span.probability is None else f"{span.probability:.4f}"
        writer.writerow([document.id, span.start, span.end, span.type, probability, document.text_of(span)])
    return out.getvalue()


FORMAT = Format("csv", (".csv",), render_corpus=render_corpus)
