"""A table with a row for each span, as CSV, JSON Lines or Parquet. It holds no notes, so it is write-only;
the formats ``table``, ``jsonl`` and ``parquet`` keep notes and their spans together.

``note`` and ``patient`` are ids, ``row`` is the number of the note in its file, from 1, offsets count code
points, ``model`` and ``version`` say what found the span.
"""

from __future__ import annotations

import csv
import io
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from crfdeid.corpora.format import Format
from crfdeid.corpora.parquet import import_pyarrow, open_writer
from crfdeid.corpora.table import CHUNK
from crfdeid.text.document import Document

COLUMNS = ("note", "row", "patient", "start", "end", "type", "probability", "model", "version", "text")
TYPES = {"row": "int64", "start": "int64", "end": "int64", "probability": "float64"}  # of Parquet; else text


@dataclass(frozen=True)
class SpanTable:
    """Further cells of the rows: ``find_row`` gives the row of a note (default: its number), and
    without ``has_text`` the text of the spans, which is PHI, is left out."""

    model: str = ""
    version: str = ""
    has_text: bool = True
    delimiter: str = ","
    find_row: Callable[[Document], int] | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return COLUMNS if self.has_text else COLUMNS[:-1]

    def build_rows(self, documents: Iterable[Document]) -> Iterator[dict[str, Any]]:
        """Yield the cells of each span by column."""
        for number, document in enumerate(documents, 1):
            row = self.find_row(document) if self.find_row else number
            for span in document.spans:
                where = (document.id, row, document.patient, span.start, span.end, span.type)
                probability = None if span.probability is None else round(span.probability, 6)
                text = document.text_of(span)
                yield dict(zip(self.columns, (*where, probability, self.model, self.version, text)))

    def render_csv(self, documents: Iterable[Document]) -> Iterator[str]:
        """Yield the head, then a line for each span."""
        out = io.StringIO()
        writer = csv.DictWriter(out, self.columns, lineterminator="\n", delimiter=self.delimiter)
        writer.writeheader()
        for cells in self.build_rows(documents):
            if cells["probability"] is not None:
                cells["probability"] = f"{cells['probability']:.4f}"
            writer.writerow(cells)
            yield out.getvalue()
            out.seek(0)
            out.truncate()
        yield out.getvalue()

    def render_lines(self, documents: Iterable[Document]) -> Iterator[str]:
        """Yield a line of JSON for each span."""
        for cells in self.build_rows(documents):
            yield json.dumps(cells, ensure_ascii=False) + "\n"

    def save_parquet(self, documents: Iterable[Document], path: Path) -> None:
        """Write a Parquet file."""
        pyarrow = import_pyarrow()
        types = [(name, getattr(pyarrow, TYPES.get(name, "string"))()) for name in self.columns]
        rows, schema = self.build_rows(documents), pyarrow.schema(types)
        with open_writer(path, schema) as writer:
            while chunk := list(islice(rows, CHUNK)):
                writer.write_table(pyarrow.Table.from_pylist(chunk, schema))

    def build_format(self) -> Format:
        """Return the format that writes such tables."""
        lines = Format(NAME, (".jsonl",), render_corpus=self.render_lines)
        parquet = Format(NAME, (".parquet",), save_corpus=self.save_parquet)
        return Format(NAME, (".csv",), render_corpus=self.render_csv, variants=(lines, parquet))


class RowNumbers:
    """Remembers the number of each note in its file between reading and writing. Notes may be left out on the
    way, but keep their order.

    >>> numbers = RowNumbers()
    >>> notes = list(numbers.count_each([Document(id, "") for id in "abc"]))
    >>> numbers.find(notes[0]), numbers.find(notes[2])
    (1, 3)
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[str, int]] = deque()

    def count_each(self, documents: Iterable[Document], left_out: Sized = ()) -> Iterator[Document]:
        """Yield the notes of a file; ``left_out`` has the rows before that are not read, and grows."""
        before = len(left_out)
        for number, document in enumerate(documents, 1):
            self._waiting.append((document.id, number + len(left_out) - before))
            yield document

    def find(self, document: Document) -> int:
        """Return the number of the note, and forget all notes before it."""
        while True:
            id, row = self._waiting.popleft()
            if id == document.id:
                return row


NAME = "spans"
FORMAT = SpanTable().build_format()
