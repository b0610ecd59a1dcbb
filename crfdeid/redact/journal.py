"""What a run leaves beside the notes: the report, the offsets of survivors, and the page to sign."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from crfdeid import files
from crfdeid.corpora import storage
from crfdeid.redact import release_page
from crfdeid.redact.markers import name_type
from crfdeid.redact.redactor import Redaction
from crfdeid.redact.release_inputs import PLACE_COLUMNS, name_survivors
from crfdeid.redact.safe_harbor import Report


@dataclass
class Journal:
    """The report of a run, and a table of the survivors' offsets, which is written as the notes come."""

    report: Report
    write_rows: Callable[[Iterable[Sequence[object]]], object]

    @classmethod
    @contextmanager
    def open(
        cls, report: Report, path: Path, page: Path | None = None, overwrite: bool = False
    ) -> Iterator[Journal]:
        """Open a journal. At the end of the run its report is in ``path``, and the page to sign in ``page``.
        The offsets of survivors show where real names may be, so only the owner can read their file and the
        page. Raises :class:`FormatError` if one of the files exists."""
        survivors = name_survivors(path)
        for each in (path, survivors, page):
            if each is not None:
                storage.refuse_existing(each, overwrite)
        with files.open_whole(survivors, private=True) as table:
            writer = csv.writer(table, lineterminator="\n")
            writer.writerow(PLACE_COLUMNS)
            yield cls(report, writer.writerows)
            with files.open_whole(path) as file:
                file.write(json.dumps(report.table(), indent=2) + "\n")
        if page is not None:
            release_page.write_page(path, page)

    def add(self, redaction: Redaction, id: str, source: str) -> None:
        """Count a redaction of the note ``id``, and write where something may be left."""
        self.report.add(redaction, id, source)
        rows = [(id, span.start, span.end, name_type(span.type), "survivor") for span in redaction.survivors]
        self.write_rows([*rows, *((id, s.start, s.end, "", s.kind) for s in redaction.suspicions)])
