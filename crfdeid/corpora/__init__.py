"""Reading and writing documents, offset-exact, in every format.

A format is a module with ``SUFFIXES`` and ``read(path, encoding, ...)``. It writes either one
document a file, ``files(document) -> {suffix: text}``, or all in one file, ``render(documents)``
(pieces of text) or ``save(documents, path)`` (binary).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    spans,
    table,
    text,
)
from crfdeid.document import Document
from crfdeid.faults import ConfigurationFault, FormatFault, near
from crfdeid.files import whole

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
    "csv": spans,
}


def module(name: str, ability: str) -> ModuleType:
    """The module of a format that can ``read`` or ``write``."""
    able = {key: found for key, found in FORMATS.items() if ability == "write" or hasattr(found, "read")}
    if name not in able:
        known = ", ".join(able)
        raise ConfigurationFault(f"{name}: no format to {ability}{near(name, able)}; there are {known}")
    return able[name]


def read(
    path: Path | str, format: str | None = None, encoding: str = "utf-8", **options: Any
) -> Iterator[Document]:
    """The documents of a file, or of all files of a folder in the order of their names.

    Raises :class:`FormatFault` for what cannot be read, for an identifier that occurs twice and
    where there is no document at all.
    """
    path = Path(path)
    found = module(format or detect(path), "read")
    seen: set[str] = set()
    for file in files_in(path, found.SUFFIXES):
        for document in found.read(file, encoding, **options):
            if document.id in seen:
                raise FormatFault(f"{file}: document {document.id} occurs twice")
            seen.add(document.id)
            yield document
    if not seen:
        raise FormatFault(f"{path}: no documents")


def files_in(path: Path, suffixes: tuple[str, ...]) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.iterdir() if file.suffix.lower() in suffixes and file.is_file())


def detect(path: Path) -> str:
    """The format of a file or folder, by suffixes and, for XML, by its elements."""
    if path.is_dir():
        return _detect_folder(path)
    if not path.exists():
        raise FormatFault(f"{path}: no such file or folder")
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
    files = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    formats = {detect(file) for file in files if file.suffix}
    if "brat" in formats:
        formats -= {"text"}
    if len(formats) > 1:
        raise FormatFault(f"{path}: holds {' and '.join(sorted(formats))} files; --from says which to read")
    if not formats:
        raise FormatFault(f"{path}: no documents")
    return formats.pop()


def write(documents: Iterable[Document], path: Path | str, format: str, overwrite: bool = False) -> None:
    """Write all documents: to a folder of files, or to one file, as the format has it. What is
    there already is refused unless ``overwrite``; no file is ever left half-written."""
    path = Path(path)
    found = module(format, "write")
    if hasattr(found, "files"):
        write_each(documents, path, format, overwrite)
        return
    if path.exists() and not overwrite:
        raise FormatFault(f"{path}: exists; --overwrite replaces it")
    if hasattr(found, "save"):
        found.save(documents, path)
        return
    with whole(path) as file:
        file.writelines(found.render(documents))


def write_each(
    documents: Iterable[Document], folder: Path | str, format: str, overwrite: bool = False
) -> None:
    """Write each document to its own file in ``folder``, named by its identifier."""
    folder = Path(folder)
    found = module(format, "write")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())) and not overwrite:
        raise FormatFault(f"{folder}: exists and is not empty; --overwrite writes into it")
    folder.mkdir(parents=True, exist_ok=True)
    written: set[str] = set()
    for document in documents:
        name = stem(document)
        if name in written:
            raise FormatFault(f"{folder}/{name}: two documents want this name")
        written.add(name)
        for suffix, content in _files(found, document).items():
            with whole(folder / f"{name}{suffix}") as file:
                file.write(content)


def _files(found: ModuleType, document: Document) -> dict[str, str]:
    if hasattr(found, "files"):
        return found.files(document)
    return {found.SUFFIXES[0]: "".join(found.render([document]))}


def stem(document: Document) -> str:
    """The file name for a document, refused where it would leave the folder."""
    name = document.id
    if name in ("", ".", "..") or any(character in name for character in "/\\\0"):
        raise FormatFault(f"{name!r}: a document with this identifier cannot name a file")
    return name


def formatted(document: Document, format: str, colour: bool = False) -> str:
    """One document as text for standard output."""
    if format == "inline":
        return inline.marked(document, colour)
    if format == "brat":
        return brat.files(document)[".ann"]
    return "".join(_files(module(format, "write"), document).values())
