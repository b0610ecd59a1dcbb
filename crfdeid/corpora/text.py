"""Plain text: a file is a note. Spans are not written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from crfdeid.document import Document

SUFFIX = ".txt"


def parse(file: TextIO, where: str) -> Iterator[Document]:
    yield Document(Path(where).stem, file.read())


def pieces(documents: Iterable[Document]) -> Iterator[str]:
    return (document.text for document in documents)
