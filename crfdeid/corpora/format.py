"""The record of a format: a name, suffixes, and functions that read and write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from crfdeid.text.document import Document

if TYPE_CHECKING:
    from crfdeid.corpora.messages import ReadMessages


@dataclass(frozen=True)
class Format:
    """A way to keep documents in files. A function that a format does not have is None.

    The format reads files with these ``suffixes``; the first is also for a corpus in one file.
    ``read(path, encoding)`` yields the documents of one file; with ``has_columns`` it also takes
    ``id_column``, ``text_column`` and ``patient_column``. Each format has one of three writers:
    ``render_document(document)`` gives the text of each of a document's files by its suffix,
    ``render_corpus(documents)`` yields pieces of the text of one file, and
    ``save_corpus(documents, path)`` writes one binary file. ``show_document(document, colour)`` is
    what a terminal shows, where that is not the document's file. ``companion`` is the suffix of a
    second file, which no document has without the first. ``has_spans`` is false where a format
    loses the spans. Where ``read_messages(path, encoding)`` is there, documents are texts inside messages,
    into which redacted texts can be written back (:mod:`crfdeid.corpora.messages`).
    ``variants`` write the same into files of other suffixes.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[..., Iterator[Document]] | None = None
    render_document: Callable[[Document], dict[str, str]] | None = None
    render_corpus: Callable[[Iterable[Document]], Iterator[str]] | None = None
    save_corpus: Callable[[Iterable[Document], Path], None] | None = None
    show_document: Callable[[Document, bool], str] | None = None
    companion: str = ""
    has_columns: bool = False
    has_spans: bool = True
    read_messages: ReadMessages | None = None
    variants: tuple[Format, ...] = ()

    def find_variant(self, suffix: str) -> Format:
        """Return what writes files of this suffix: the format, if no variant does."""
        return next((found for found in self.variants if suffix in found.suffixes), self)

    @property
    def can_write(self) -> bool:
        """Whether it has one of the three writers."""
        return any((self.render_document, self.render_corpus, self.save_corpus))

    @property
    def file_suffixes(self) -> tuple[str, ...]:
        """The suffixes of files with a whole corpus."""
        return self.suffixes + tuple(suffix for found in self.variants for suffix in found.suffixes)

    @property
    def is_text_stream(self) -> bool:
        """Whether a corpus can come through a pipe: it is one file, and text."""
        return self.save_corpus is None and not self.companion

    @property
    def written_suffixes(self) -> tuple[str, ...]:
        """The suffixes of the files that hold one document."""
        if self.render_document is None:
            return self.suffixes[:1]
        return tuple(self.render_document(Document("n", "")))

    def render_files(self, document: Document) -> dict[str, str]:
        """The text of each file of one document by its suffix; none for a binary format."""
        if self.render_document is not None:
            return self.render_document(document)
        if self.render_corpus is not None:
            return {self.suffixes[0]: "".join(self.render_corpus([document]))}
        return {}
