"""Reading and writing documents in any format.

    for document in corpora.read("notes/"): ...
    corpora.write(documents, "corpus.jsonl", "jsonl")

Each module of this package is one format: ``parse(file, where)`` gives the documents
of one open file, ``pieces(documents)`` the text of one. This module finds the files,
checks what holds for every corpus, and puts outputs in place whole.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from crfdeid.corpora import brat, hardened, places, table
from crfdeid.corpora.formats import BY_SUFFIX, FORMATS, Format, detect, named
from crfdeid.document import Document
from crfdeid.faults import ConfigurationFault, DocumentFault, FormatFault
from crfdeid.files import decoded, whole

__all__ = [
    "BY_SUFFIX", "FORMATS", "detect", "formatted", "named", "parse", "read", "streamed", "write", "write_each",
]  # fmt: skip


def read(
    path: Path | str, format: str | None = None, encoding: str = "utf-8", **options: Any
) -> Iterator[Document]:
    """The documents of a file, or of a folder's files in the order of their names.
    Without ``format`` it is detected. ``options`` are those of the format's ``parse``.

    Raises :class:`FormatFault` at a file that does not hold what its format wants, two
    documents of one id, and a corpus without documents.
    """
    path = Path(path)
    try:
        path.stat()
    except (OSError, ValueError) as error:
        raise FormatFault(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    name = format or detect(path)
    chosen = named(name, "read")
    refuse_options(options, chosen.read_options, name)
    return checked(chain(paths(path, chosen), chosen, encoding, options), path)


def parse(data: bytes, format: str, encoding: str = "utf-8", **options: Any) -> Iterator[Document]:
    """The documents of one file's bytes, read elsewhere; faults call them standard input."""
    chosen, where = named(format, "read"), "standard input"
    if chosen.parse is None:
        raise ConfigurationFault(f"{format}: cannot be read from {where}")
    refuse_options(options, chosen.read_options, format)
    file = io.StringIO(decoded(data, where, encoding), newline="")
    return checked(chosen.parse(file, where, **options), Path(where))


def streamed(documents: Iterable[Document], format: str, **options: Any) -> Iterator[str]:
    """The text of one file with all documents; refuses formats that need a folder."""
    chosen = named(format, "written")
    if chosen.pieces is None or (chosen.folder and format not in ("text", "inline")):
        raise ConfigurationFault(f"{format}: cannot be written to standard output")
    refuse_options(options, chosen.write_options, format)
    return chosen.pieces(documents, **options)


def chain(files: list[Path], format: Format, encoding: str, options: dict[str, Any]) -> Iterator[Document]:
    """The documents of all files, one file open at a time."""
    for path in files:
        try:
            yield from read_file(path, format, encoding, options)
        except DocumentFault as fault:
            raise DocumentFault(f"{path}: {fault}") from None


def read_file(path: Path, format: Format, encoding: str, options: dict[str, Any]) -> Iterator[Document]:
    if format.name == "brat":
        yield brat.read(path, encoding)
    elif format.name == "parquet":
        yield from table.read_parquet(path, **options)
    else:
        encoding = hardened.declared_encoding(path, encoding) if format.suffix == ".xml" else encoding
        with places.opened(path, encoding) as file:
            yield from format.parse(file, str(path), **options)


def paths(path: Path, format: Format) -> list[Path]:
    """The files of a corpus; of brat, each text, whether or not it has annotations."""
    if not path.is_dir():
        return [path]
    if format.name != "brat":
        return places.listed(path, format.suffixes)
    texts = places.listed(path, (brat.TEXT_SUFFIX,))
    for file in places.listed(path, (brat.SUFFIX,)):
        if not file.with_suffix(brat.TEXT_SUFFIX).exists():
            raise FormatFault(f"{file}: no {file.stem}.txt beside it")
    return texts


def checked(documents: Iterable[Document], path: Path) -> Iterator[Document]:
    seen: set[str] = set()
    for document in documents:
        if document.id in seen:
            raise FormatFault(f"{path}: two documents have the id {document.id}")
        seen.add(document.id)
        yield document
    if not seen:
        raise FormatFault(f"{path}: no documents")


def write(
    documents: Iterable[Document], path: Path | str, format: str, overwrite: bool = False, **options: Any
) -> None:
    """Write a corpus: to a folder in the formats that hold one document a file (i2b2,
    brat, text, inline), else to one file. ``options`` are those of ``pieces``.

    Raises :class:`FormatFault` where the output exists, unless ``overwrite``, and where
    a document cannot be written in the format; then nothing is written.
    """
    chosen, path = named(format, "written"), Path(path)
    if chosen.folder:
        return write_each(documents, path, format, overwrite, **options)
    refuse_options(options, chosen.write_options, format)
    try:
        if format == "parquet":
            places.refuse_existing(path, overwrite)
            return table.write_parquet(documents, path)
        places.write_file(chosen.pieces(documents, **options), path, overwrite)
    except OSError as error:
        raise FormatFault(f"{path}: cannot be written: {error.strerror or error}") from None


def write_each(
    documents: Iterable[Document], folder: Path | str, format: str, overwrite: bool = False, **options: Any
) -> None:
    """Write each document to a file of its own, named by its id; ``csv`` is then the
    table of its spans. Raises as :func:`write` does, and at ids that cannot be names."""
    chosen, folder = each(format), Path(folder)
    refuse_options(options, chosen.write_options, format)
    try:
        with places.staged(folder, overwrite) as staging:
            for document in documents:
                path = staging / (places.stem(document.id) + chosen.suffix)
                if path.exists():
                    raise FormatFault(f"{folder}: two documents would be {path.name}")
                write_one(document, path, chosen, options)
    except OSError as error:
        raise FormatFault(f"{folder}: cannot be written: {error.strerror or error}") from None


def write_one(document: Document, path: Path, format: Format, options: dict[str, Any]) -> None:
    if format.name == "parquet":
        return table.write_parquet([document], path)
    if format.name == "brat":
        with whole(path.with_name(places.stem(document.id) + brat.TEXT_SUFFIX)) as file:
            file.write(document.text)
    with whole(path) as file:
        file.writelines(format.pieces([document], **options))


def formatted(document: Document, format: str, colour: bool = False, header: bool = True) -> str:
    """One document as text to be shown: what :func:`write_each` would put in its file,
    of brat the annotations alone. It ends with a line end. Only inline has ``colour``,
    only csv a ``header``; the other formats ignore them."""
    chosen = each(format)
    if chosen.pieces is None:
        raise ConfigurationFault(f"{format}: cannot be shown, only written to a file")
    options = {"colour": colour, "header": header}
    known = {name: value for name, value in options.items() if name in chosen.write_options}
    text = "".join(chosen.pieces([document], **known))
    return text if not text or text.endswith("\n") else text + "\n"


def each(format: str) -> Format:
    """The format for one document: a table of notes would have one row, so its spans."""
    return named("spans" if format == "csv" else format, "written")


def refuse_options(options: dict[str, Any], known: tuple[str, ...], format: str) -> None:
    for name in options:
        if name not in known:
            raise ConfigurationFault(f"{format} has no option {name}")
