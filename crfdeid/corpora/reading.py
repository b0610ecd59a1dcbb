"""Read documents in any format, and detect which format it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from crfdeid.corpora import i2b2_2006, storage
from crfdeid.corpora.registry import READERS, find_format
from crfdeid.errors import DocumentError, FormatError
from crfdeid.text.document import Document

BY_SUFFIX = {
    ".jsonl": "jsonl", ".json": "labelstudio", ".csv": "table", ".parquet": "parquet",
    ".conll": "conll", ".bio": "conll", ".ann": "brat", ".txt": "text",
}  # fmt: skip


def read(
    path: Path | str, format: str | None = None, encoding: str = "utf-8", **columns: str
) -> Iterator[Document]:
    """Yield the documents of a file, or of all files of a folder in the order of their names.

    ``columns`` (``id_column``, ``text_column``, ``patient_column``) are for tables of notes. Raises
    :class:`FormatError` for a file that cannot be read, for an identifier that occurs twice and
    if there are no documents.
    """
    path = Path(path)
    name = find_format(format or detect_format(path), "read").name
    storage.refuse_missing(path)
    seen: set[str] = set()
    for file in list_files(path, name):
        for document in _name_file(READERS[name](file, encoding, **columns), file):
            if document.id in seen:
                raise FormatError(f"{file}: document {document.id} occurs twice")
            seen.add(document.id)
            yield document
    if not seen:
        raise FormatError(f"{path}: no documents")


def _name_file(documents: Iterator[Document], file: Path) -> Iterator[Document]:
    """Yield the documents; the error of a span that does not fit its document gets the file's name."""
    try:
        yield from documents
    except DocumentError as error:
        raise FormatError(f"{file}: {error}") from None


def list_files(path: Path, format: str) -> list[Path]:
    """Return the file itself, or the files of a folder that hold documents in this format.

    Raises :class:`FormatError` where a second file of a document (brat's .ann) has no first.
    """
    if not path.is_dir():
        return [path]
    found = find_format(format, "read")
    files = storage.list_folder(path, found.suffixes)
    if not found.companion:
        return files
    first = [file for file in files if file.suffix == found.suffixes[0]]
    if orphans := {file.with_suffix(found.suffixes[0]) for file in files} - set(first):
        raise FormatError(f"{min(orphans)}: no such file, but its {found.companion} is there")
    return first


def detect_format(path: Path) -> str:
    """Return the name of the format of a file or folder, by suffixes and, for XML, by its elements."""
    storage.refuse_missing(path)
    if path.is_dir():
        return _detect_folder(path)
    suffix = path.suffix.lower()
    if suffix == ".xml":
        return "i2b2-2006" if i2b2_2006.is_inline_xml(path) else "i2b2"
    if suffix == ".txt" and path.with_suffix(".ann").exists():
        return "brat"
    return BY_SUFFIX.get(suffix, "text")


def _detect_folder(path: Path) -> str:
    formats = {detect_format(file) for file in storage.list_folder(path) if file.suffix}
    if "brat" in formats:
        formats -= {"text"}
    if len(formats) > 1:
        found = " and ".join(sorted(formats))
        raise FormatError(f"{path}: holds {found} files; --from names the format to read")
    if not formats:
        raise FormatError(f"{path}: no documents")
    return formats.pop()
