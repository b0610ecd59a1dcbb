"""The formats by name: read and write documents in any of them, and detect which one a file has. An output
appears whole or not at all. A new format is a module with a ``FORMAT``, and a line here; other packages add
theirs by an entry point (:mod:`crfdeid.plugins`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from crfdeid import plugins
from crfdeid.corpora import (
    brat,
    cda,
    conll,
    doccano,
    documents,
    fhir,
    hl7,
    i2b2_2006,
    i2b2_2014,
    inline,
    jsonl,
    labelstudio,
    note_nlp,
    omop,
    parquet,
    physionet,
    span_table,
    storage,
    table,
    text,
)
from crfdeid.corpora.format import Format
from crfdeid.corpora.staging import stage_folder
from crfdeid.errors import ConfigurationError, DocumentError, FormatError, did_you_mean, show_id
from crfdeid.files import clear_leftovers, hold_output, open_whole
from crfdeid.text.document import Document

FORMATS: dict[str, Format] = {
    module.FORMAT.name: module.FORMAT
    for module in (
        i2b2_2014, i2b2_2006, brat, conll, jsonl, labelstudio, doccano, text, documents, table, parquet,
        omop, hl7, fhir, cda, physionet, inline, note_nlp, span_table,
    )
}  # fmt: skip
OLD_NAMES = {"csv": span_table.FORMAT.name}  # "table" has the same suffix
READERS = {name: format.read for name, format in FORMATS.items() if format.read is not None}


def find_format(name: str | Format, ability: Literal["read", "write"]) -> Format:
    """Return the format of this name, or the format itself. Raises :class:`ConfigurationError` where no
    format of the name can do it; every one of ours can write."""
    if isinstance(name, Format):
        return name
    name = OLD_NAMES.get(name, name)
    if name in (READERS if ability == "read" else FORMATS):
        return FORMATS[name]
    if name in plugins.find_plugins(plugins.FORMATS):
        found = plugins.load_plugin(plugins.FORMATS, name, Format)
        if found.read is not None if ability == "read" else found.can_write:
            return found
    known = [key for key, found in list_formats().items() if found.read is not None or ability == "write"]
    raise ConfigurationError(
        f"{name}: no format to {ability}{did_you_mean(name, known)}; there are {', '.join(known)}"
    )


def list_formats() -> dict[str, Format]:
    """Return all formats by name, ours and then those of other packages."""
    others = plugins.load_plugins(plugins.FORMATS, Format)
    return FORMATS | {name: found for name, found in others.items() if name not in FORMATS}


BY_SUFFIX = {
    ".jsonl": "jsonl", ".json": "labelstudio", ".csv": "table", ".parquet": "parquet",
    ".conll": "conll", ".bio": "conll", ".ann": "brat", ".txt": "text",
    ".docx": "documents", ".pdf": "documents",
    ".hl7": "hl7", ".ndjson": "fhir",
}  # fmt: skip


def read(
    path: Path | str,
    format: str | None = None,
    encoding: str = "utf-8",
    recursive: bool = False,
    **columns: Any,
) -> Iterator[Document]:
    """Yield the documents of a file, or of all files of a folder in the order of their names.

    With ``recursive`` those of the folders in it too: the names of the folders, each with a full stop, begin
    their ids.
    ``columns`` (``id_column``, ``text_column``, ``patient_column``) are what the readers of tables take.
    Raises :class:`FormatError` for a file that cannot be read, for a pipe that was read before, for an
    identifier that occurs twice and if there are no documents.
    """
    path = Path(path)
    chosen = find_format(format or detect_format(path, recursive), "read")
    storage.refuse_missing(path)
    storage.refuse_second_reading(path)
    seen: set[str] = set()
    for file in list_files(path, chosen, recursive):
        found = _name_file(chosen.read_file(file, encoding, **columns), file)
        for number, document in enumerate(name_folders(found, file, path), 1):
            if document.id in seen:
                shown = show_id(document.id, f"number {number}")
                again = "" if shown == f"number {number}" else f", again as number {number}"
                raise FormatError(f"{file}: document {shown} occurs twice{again}")
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


def name_folders(documents: Iterator[Document], file: Path, path: Path) -> Iterator[Document]:
    """Yield the documents; the folders between ``path`` and the file begin their ids."""
    folders = file.parent.relative_to(path).parts if path.is_dir() else ()
    for document in documents:
        yield replace(document, id=".".join((*folders, document.id))) if folders else document


def list_files(path: Path, format: str | Format, recursive: bool = False) -> list[Path]:
    """Return the file itself, or the files of a folder that hold documents in this format.

    Raises :class:`FormatError` where a second file of a document (brat's .ann) has no first, and where
    a file beside plain texts has no suffix that any format has: it may be a note.
    """
    if not path.is_dir():
        return [path]
    found = find_format(format, "read")
    if not found.has_spans:
        _refuse_unknown(path, found, recursive)
    files = storage.list_folder(path, found.suffixes, recursive)
    if not found.companion:
        return files
    first = [file for file in files if file.suffix == found.suffixes[0]]
    if orphans := {file.with_suffix(found.suffixes[0]) for file in files} - set(first):
        raise FormatError(f"{min(orphans)}: no such file, but its {found.companion} is there")
    return first


def _refuse_unknown(folder: Path, texts: Format, recursive: bool) -> None:
    """Raise :class:`FormatError` where a file has a suffix that no format has."""
    known = {suffix for found in [texts, *list_formats().values()] for suffix in found.suffixes}
    files = storage.list_folder(folder, recursive=recursive)
    if unknown := [number for number, file in enumerate(files, 1) if file.suffix.lower() not in known]:
        which = f"{len(unknown)} of {len(files)} files (number {unknown[0]} by name)"
        wanted = f"{', '.join(filter(None, texts.suffixes))} or none"
        raise FormatError(f"{folder}: {which} with a suffix that no format has; wanted {wanted}")


UNREAD = {
    ".doc": "an old Word document", ".odt": "a text document of an office program",
    ".rtf": "a rich text document",
}  # fmt: skip


def refuse_unread(path: Path) -> None:
    """Raise :class:`FormatError` for a file whose suffix shows that it is not plain text."""
    if kind := UNREAD.get(path.suffix.lower()):
        raise FormatError(f"{path}: {kind}, which is not read; wanted .docx, .pdf or .txt")


def detect_format(path: Path, recursive: bool = False) -> str:
    """Return the name of the format of a file or folder, by suffixes and, for XML, by its elements."""
    storage.refuse_missing(path)
    if path.is_dir():
        return _detect_folder(path, recursive)
    refuse_unread(path)
    suffix = path.suffix.lower()
    if suffix == ".json" and fhir.is_resource(path):
        return fhir.FORMAT.name
    if suffix == ".csv" and omop.is_note_table(path):
        return omop.FORMAT.name
    if suffix == ".xml" and cda.is_document(path):
        return cda.FORMAT.name
    if suffix == ".xml":
        return "i2b2-2006" if i2b2_2006.is_inline_xml(path) else "i2b2"
    if suffix == physionet.SUFFIX and physionet.is_records(path):
        return physionet.FORMAT.name
    if suffix == ".txt" and path.with_suffix(".ann").exists():
        return "brat"
    return BY_SUFFIX.get(suffix) or (find_added_format(suffix) if suffix else None) or "text"


def find_added_format(suffix: str) -> str | None:
    """Return the name of a format of another package whose files have this suffix, which none of ours has."""
    if any(suffix in found.suffixes for found in FORMATS.values()):
        return None
    others = plugins.load_plugins(plugins.FORMATS, Format)
    return next((name for name, found in others.items() if suffix in found.suffixes), None)


def _detect_folder(path: Path, recursive: bool) -> str:
    files = storage.list_folder(path, recursive=recursive)
    formats = {detect_format(file) for file in files if file.suffix}
    if formats & {"brat", "documents"}:  # both have plain texts too
        formats -= {"text"}
    if len(formats) > 1:
        found = " and ".join(sorted(formats))
        raise FormatError(f"{path}: holds {found} files; --from names the format to read")
    if not formats:
        raise FormatError(f"{path}: no documents")
    return formats.pop()


def write(
    documents: Iterable[Document], path: Path | str, format: str | Format, overwrite: bool = False
) -> None:
    """Write all documents: to a folder of files, or to one file, as the format requires.

    Raises :class:`FormatError` where the path exists, unless ``overwrite``, and where another run writes
    it. No file is left half-written.
    """
    path = Path(path)
    found = find_format(format, "write").find_variant(path.suffix.lower())
    if found.render_document is not None:
        write_each(documents, path, format, overwrite)
        return
    with _name_path(path), hold_output(path):
        if found.save_corpus is not None:
            storage.refuse_existing(path, overwrite)
            clear_leftovers(path)
            found.save_corpus(documents, path)
        elif found.render_corpus is not None:
            storage.write_file(found.render_corpus(documents), path, overwrite)


def write_each(
    documents: Iterable[Document], folder: Path | str, format: str | Format, overwrite: bool = False
) -> None:
    """Write each document to its own file in ``folder``, named by its identifier.

    The files move there after the last is written: if one fails, the folder has none of them.
    """
    folder = Path(folder)
    found = find_format(format, "write")
    written: set[str] = set()
    with _name_path(folder), stage_folder(folder, overwrite) as staging:
        for document in documents:
            name = storage.file_stem(document.id)
            if name.lower() in written:  # many file systems do not tell capitals apart
                raise FormatError(f"{folder}: two documents want one name: {show_id(name)}")
            written.add(name.lower())
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


def render_corpus(documents: Iterable[Document], format: str | Format) -> Iterator[str]:
    """Return pieces of the text of one file with all documents. Raises :class:`ConfigurationError` where
    the format is a folder or binary."""
    found = find_format(format, "write")
    if found.render_corpus is None:
        raise ConfigurationError(f"{found.name}: cannot be written to standard output; name a file or folder")
    return found.render_corpus(documents)


def show_document(document: Document, format: str, colour: bool = False) -> str:
    """Return one document as text for standard output."""
    found = find_format(format, "write")
    if found.show_document is not None:
        return found.show_document(document, colour)
    if found.save_corpus is not None:
        raise ConfigurationError(f"{format}: can only be written to a file")
    return "".join(found.render_files(document).values())
