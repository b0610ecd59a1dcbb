"""How a run reads its documents: what the options of reading say, as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crfdeid.corpora import documents, omop, registry, storage, table
from crfdeid.corpora.bad_rows import BadRows
from crfdeid.errors import ConfigurationError
from crfdeid.text.document import Document

SKIPPING = ("table", "parquet", "jsonl")  # formats with rows that can be left out


@dataclass(frozen=True)
class Reading:
    """Without ``format`` each path is read in the format that it has. Only tables have columns and a
    ``delimiter``. ``bad`` collects the rows that cannot be read, whose table may ``overwrite`` another;
    without it the first one is an error. ``with_fields`` also gives the fields of messages as documents."""

    format: str | None = None
    encoding: str = "utf-8"
    recursive: bool = False
    delimiter: str = ","
    id_column: str | None = None
    text_column: str | None = None
    patient_column: str | None = None
    with_fields: bool = False
    bad: BadRows | None = field(default=None, repr=False, compare=False)
    overwrite: bool = field(default=False, repr=False, compare=False)

    def find_format(self, path: Path | str) -> str:
        """Return the format of a file or folder."""
        return self.format or registry.detect_format(Path(path), self.recursive)

    @property
    def columns(self) -> dict[str, Any]:
        """The columns that have another name than the usual one."""
        names = ("id_column", "text_column", "patient_column")
        return {name: value for name in names if (value := getattr(self, name))}

    def read(
        self, path: Path | str, keep: Callable[[dict[Any, Any]], None] | None = None
    ) -> Iterator[Document]:
        """Read the documents of a file or folder. A CSV table gives each row to ``keep`` before its
        document."""
        format, columns = self.find_format(path), self.columns
        if columns and format == omop.FORMAT.name:
            raise ConfigurationError(f"{format}: its columns have names; --from table reads it as any table")
        if not registry.find_format(format, "read").has_columns:
            columns = {}
        if format == table.FORMAT.name:
            columns["delimiter"] = self.delimiter
        if keep:
            columns["keep"] = keep
        if self.with_fields:
            columns["fields"] = True
        if self.bad:
            columns["bad"] = self._find_bad_rows(self.bad, format)
        return registry.read(path, format, self.encoding, self.recursive, **columns)

    def _find_bad_rows(self, bad: BadRows, format: str) -> BadRows:
        if format not in SKIPPING:
            raise ConfigurationError(f"--skip-bad: {format} has no rows; it is for {', '.join(SKIPPING)}")
        storage.refuse_existing(bad.path, self.overwrite)
        return bad

    def count_left_out(self, path: Path | str) -> Counter[str]:
        """Count by reason what is not read of a file or folder (:mod:`crfdeid.corpora.left_out`)."""
        path, format = Path(path), self.find_format(path)
        has_parts = format == documents.FORMAT.name or registry.find_format(format, "read").read_messages
        if not (path.is_dir() or has_parts):
            return Counter()
        from crfdeid.corpora import left_out

        encoding = None if self.with_fields or path.is_fifo() else self.encoding
        return left_out.count_left_out(path, format, self.recursive, encoding)
