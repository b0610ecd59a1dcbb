"""Read and write documents, offset-exact, in every format: the face of the room.

Each format is a module with a ``FORMAT`` (:class:`Format`); :mod:`crfdeid.corpora.registry` lists them.
"""

from __future__ import annotations

from crfdeid.corpora.format import Format
from crfdeid.corpora.output import render_corpus, show_document, write, write_each
from crfdeid.corpora.registry import FORMATS, detect_format, find_format, list_files, list_formats, read

__all__ = [
    "FORMATS", "Format", "detect_format", "find_format", "list_files", "list_formats", "read",
    "render_corpus", "show_document", "write", "write_each",
]  # fmt: skip
