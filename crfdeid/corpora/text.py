"""Plain text: a note a file, without spans."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from crfdeid.files import read_text
from crfdeid.text.document import Document

SUFFIXES = (".txt", ".text", "")


def read(path: Path, encoding: str = "utf-8") -> Iterator[Document]:
    yield Document(path.stem, read_text(path, encoding))


def files(document: Document) -> dict[str, str]:
    return {".txt": document.text}
