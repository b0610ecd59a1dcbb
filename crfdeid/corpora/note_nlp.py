"""Rows of the table NOTE_NLP of the OMOP Common Data Model 5.4: a row for each span, without its text.

``lexical_variant`` and ``snippet`` stay empty, because they would hold PHI. ``offset`` counts code points. In
``term_modifiers`` are the type, the end and the probability of the span. The concepts are 0 (none).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from crfdeid.corpora.format import Format
from crfdeid.text.document import Document, Span

NAME = "note_nlp"
COLUMNS = (
    "note_nlp_id", "note_id", "section_concept_id", "snippet", "offset", "lexical_variant",
    "note_nlp_concept_id", "note_nlp_source_concept_id", "nlp_system", "nlp_date", "nlp_datetime",
    "term_exists", "term_temporal", "term_modifiers",
)  # fmt: skip


@dataclass(frozen=True)
class NoteNlp:
    """Further cells of the rows: the name of the system, and the day as ``2061-04-02``."""

    system: str = "crfdeid"
    date: str = ""

    def build_format(self) -> Format:
        return Format(NAME, (".csv",), render_corpus=self.render)

    def render(self, documents: Iterable[Document]) -> Iterator[str]:
        """Yield the header, then the rows of each document. The spans of a title have its column in
        ``term_modifiers``."""
        yield render_row(COLUMNS)
        numbers = count(1)
        for document in documents:
            for span in document.spans:
                yield render_row(self._build_row(next(numbers), document.id, span))

    def _build_row(self, number: int, id: str, span: Span) -> list[object]:
        note, _, column = id.partition(".")
        modifiers = [f"type={span.type}", f"end={span.end}"]
        modifiers += [] if span.probability is None else [f"probability={span.probability:.4f}"]
        modifiers += [f"column={column}"] if column else []
        cells = {
            "note_nlp_id": number, "note_id": note, "offset": span.start, "note_nlp_concept_id": 0,
            "note_nlp_source_concept_id": 0, "nlp_system": self.system, "nlp_date": self.date,
            "term_modifiers": ";".join(modifiers),
        }  # fmt: skip
        return [cells.get(name, "") for name in COLUMNS]


def render_row(cells: Iterable[object]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


FORMAT = NoteNlp().build_format()
