"""Reading and writing documents, offset-exact, in every format.

A format is a module with ``SUFFIXES`` and ``read(path, encoding, ...)``. It writes either one
document a file, ``files(document) -> {suffix: text}``, or all in one file, ``render(documents)``
(pieces of text) or ``save(documents, path)`` (binary).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from crfdeid.corpora import (
    brat,
    conll,
    doccano,
    i2b2_2006,
    i2b2_2014,
    inline,
    jsonl,
    labelstudio,
    parquet,
    span_table,
    storage,
    table,
    text,
)
from crfdeid.errors import ConfigurationError, DocumentError, FormatError, did_you_mean
from crfdeid.files import whole
from crfdeid.text.document import Document

FORMATS: dict[str, ModuleType] = {
    "i2b2": i2b2_2014,
    "i2b2-2006": i2b2_2006,
    "brat": brat,
    "conll": conll,
    "jsonl": jsonl,
    "labelstudio": labelstudio,
    "doccano": doccano,
    "text": text,
    "table": table,
    "parquet": parquet,
    "inline": inline,
    "csv": span_table,
}


def module(name: str, ability: str) -> ModuleType:
    """The module of a format that can ``read`` or ``write``."""
    able = {key: found for key, found in FORMATS.items() if ability == "write" or hasattr(found, "read")}
    if name not in able:
        known = ", ".join(able)
        raise ConfigurationError(
            f"{name}: no format to {ability}{did_you_mean(name, able)}; there are {known}"
        )
    return able[name]


def read(
    path: Path | str, format: str | None = None, encoding: str = "utf-8", **options: Any
) -> Iterator[Document]:
    """The documents of a file, or of all files of a folder in the order of their names.

    Raises :class:`FormatError` for what cannot be read, for an identifier that occurs twice and
    where there is no document at all.
    """
    path = Path(path)
    found = module(format or detect(path), "read")
    storage.refuse_missing(path)
    seen: set[str] = set()
    for file in files_in(path, found.SUFFIXES):
        for document in _located(found.read(file, encoding, **options), file):
            if document.id in seen:
                raise FormatError(f"{file}: document {document.id} occurs twice")
            seen.add(document.id)
            yield document
    if not seen:
        raise FormatError(f"{path}: no documents")


def _located(documents: Iterator[Document], file: Path) -> Iterator[Document]:
    """The documents; what does not fit one of them is told with its file."""
    try:
        yield from documents
    except DocumentError as fault:
        raise FormatError(f"{file}: {fault}") from None


def files_in(path: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """The file itself, or the folder's files of these suffixes; of two that make one document
    (brat's) the first suffix counts, but it must be there."""
    if not path.is_dir():
        return [path]
    found = storage.listed(path, suffixes)
    if suffixes != brat.SUFFIXES:
        return found
    texts = [file for file in found if file.suffix == ".txt"]
    if alone := {file.with_suffix(".txt") for file in found} - set(texts):
        raise FormatError(f"{min(alone)}: no such file; its .ann is there")
    return texts


def detect(path: Path) -> str:
    """The format of a file or folder, by suffixes and, for XML, by its elements."""
    storage.refuse_missing(path)
    if path.is_dir():
        return _detect_folder(path)
    suffix = path.suffix.lower()
    if suffix == ".xml":
        return "i2b2-2006" if i2b2_2006.is_one(path) else "i2b2"
    by_suffix = {
        ".jsonl": "jsonl", ".json": "labelstudio", ".csv": "table", ".parquet": "parquet",
        ".conll": "conll", ".bio": "conll", ".ann": "brat", ".txt": "text",
    }  # fmt: skip
    if suffix == ".txt" and path.with_suffix(".ann").exists():
        return "brat"
    return by_suffix.get(suffix, "text")


def _detect_folder(path: Path) -> str:
    formats = {detect(file) for file in storage.listed(path) if file.suffix}
    if "brat" in formats:
        formats -= {"text"}
    if len(formats) > 1:
        raise FormatError(f"{path}: holds {' and '.join(sorted(formats))} files; --from says which to read")
    if not formats:
        raise FormatError(f"{path}: no documents")
    return formats.pop()


def write(documents: Iterable[Document], path: Path | str, format: str, overwrite: bool = False) -> None:
    """Write all documents: to a folder of files, or to one file, as the format has it. What is
    there already is refused unless ``overwrite``; no file is ever left half-written."""
    path = Path(path)
    found = module(format, "write")
    if hasattr(found, "files"):
        write_each(documents, path, format, overwrite)
        return
    with _writing(path):
        if hasattr(found, "save"):
            storage.refuse_existing(path, overwrite)
            found.save(documents, path)
        else:
            storage.write_file(found.render(documents), path, overwrite)


def write_each(
    documents: Iterable[Document], folder: Path | str, format: str, overwrite: bool = False
) -> None:
    """Write each document to its own file in ``folder``, named by its identifier. The files move
    there when the last is written, so that none is left where one fails."""
    folder = Path(folder)
    found = module(format, "write")
    written: set[str] = set()
    with _writing(folder), storage.staged(folder, overwrite) as staging:
        for document in documents:
            name = storage.stem(document.id)
            if name in written:
                raise FormatError(f"{folder}/{name}: two documents want this name")
            written.add(name)
            if hasattr(found, "save"):
                found.save([document], staging / f"{name}{found.SUFFIXES[0]}")
                continue
            for suffix, content in _files(found, document).items():
                with whole(staging / f"{name}{suffix}") as file:
                    file.write(content)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FormatError(f"{path}: cannot be written: {error.strerror or error}") from None


def _files(found: ModuleType, document: Document) -> dict[str, str]:
    if hasattr(found, "files"):
        return found.files(document)
    return {found.SUFFIXES[0]: "".join(found.render([document]))}


def formatted(document: Document, format: str, colour: bool = False) -> str:
    """One document as text for standard output."""
    if format == "inline":
        return inline.marked(document, colour)
    if format == "brat":
        return brat.files(document)[".ann"]
    found = module(format, "write")
    if hasattr(found, "save"):
        raise ConfigurationError(f"{format}: can be written to a file alone")
    return "".join(_files(found, document).values())
