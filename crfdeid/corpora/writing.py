"""Write documents in any format; an output appears whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from crfdeid.corpora import storage
from crfdeid.corpora.registry import find_format
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.files import open_whole
from crfdeid.text.document import Document


def write(documents: Iterable[Document], path: Path | str, format: str, overwrite: bool = False) -> None:
    """Write all documents: to a folder of files, or to one file, as the format requires.

    Raises :class:`FormatError` where the path exists, unless ``overwrite``. No file is left
    half-written.
    """
    path = Path(path)
    found = find_format(format, "write")
    if found.render_document is not None:
        write_each(documents, path, format, overwrite)
        return
    with _name_path(path):
        if found.save_corpus is not None:
            storage.refuse_existing(path, overwrite)
            found.save_corpus(documents, path)
        elif found.render_corpus is not None:
            storage.write_file(found.render_corpus(documents), path, overwrite)


def write_each(
    documents: Iterable[Document], folder: Path | str, format: str, overwrite: bool = False
) -> None:
    """Write each document to its own file in ``folder``, named by its identifier.

    The files move there after the last is written: if one fails, the folder has none of them.
    """
    folder = Path(folder)
    found = find_format(format, "write")
    written: set[str] = set()
    with _name_path(folder), storage.stage_folder(folder, overwrite) as staging:
        for document in documents:
            name = storage.file_stem(document.id)
            if name in written:
                raise FormatError(f"{folder}/{name}: two documents want this name")
            written.add(name)
            if found.save_corpus is not None:
                found.save_corpus([document], staging / f"{name}{found.suffixes[0]}")
            for suffix, content in found.render_files(document).items():
                with open_whole(staging / f"{name}{suffix}") as file:
                    file.write(content)


@contextmanager
def _name_path(path: Path) -> Iterator[None]:
    """Turn an error of the operating system into a :class:`FormatError` that names the path."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FormatError(f"{path}: cannot be written: {error.strerror or error}") from None


def render_corpus(documents: Iterable[Document], format: str) -> Iterator[str]:
    """Return pieces of the text of one file with all documents. Raises :class:`ConfigurationError` where
    the format is a folder or binary."""
    found = find_format(format, "write")
    if found.render_corpus is None:
        raise ConfigurationError(f"{format}: cannot be written to standard output; name a file or folder")
    return found.render_corpus(documents)


def show_document(document: Document, format: str, colour: bool = False) -> str:
    """Return one document as text for standard output."""
    found = find_format(format, "write")
    if found.show_document is not None:
        return found.show_document(document, colour)
    if found.save_corpus is not None:
        raise ConfigurationError(f"{format}: can only be written to a file")
    return "".join(found.render_files(document).values())
