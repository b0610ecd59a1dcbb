"""Files of office programs: a note in each Word (.docx), PDF or plain text file, without spans. It writes
plain text, because a Word or PDF file has places that no redaction of its text reaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from crfdeid.corpora import docx_text, pdf_text, text
from crfdeid.corpora.format import Format
from crfdeid.text.document import Document

READERS = {".docx": docx_text, ".pdf": pdf_text}


def read(path: Path, encoding: str = "utf-8") -> Iterator[Document]:
    """Yield the one document of the file; its identifier is the file's stem. ``encoding`` is of texts."""
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        yield from text.read(path, encoding)
    else:
        yield Document(path.stem, reader.read_text(path))


def count_unread(path: Path) -> Counter[str]:
    """Count what the file holds that is not read, such as pictures."""
    reader = READERS.get(path.suffix.lower())
    return reader.count_unread(path) if reader else Counter()


FORMAT = Format(
    "documents",
    (".txt", ".text", "", *READERS),
    read=read,
    render_document=text.render_document,
    has_spans=False,
)
