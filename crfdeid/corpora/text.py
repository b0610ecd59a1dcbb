"""Plain text: a file for each note, without spans."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from crfdeid.corpora.format import Format
from crfdeid.files import read_text
from crfdeid.text.document import Document


def read(path: Path, encoding: str = "utf-8") -> Iterator[Document]:
    """Yield the one document of the file; its identifier is the file's stem."""
    yield Document(path.stem, read_text(path, encoding))


def render_document(document: Document) -> dict[str, str]:
    """Return the text; spans are lost."""
    return {".txt": document.text}


FORMAT = Format("text", (".txt", ".text", ""), read=read, render_document=render_document, has_spans=False)
