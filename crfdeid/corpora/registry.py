"""The formats by name: detect which one a file has, and read documents in any of them, as the options of a
run say (:class:`Reading`); what is not read, and why, is counted: nobody takes a part of the notes for all of
them. A new format is a module with a ``FORMAT``, and a line here; other packages add
theirs by an entry point (:mod:`crfdeid.plugins`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from crfdeid import plugins
from crfdeid.corpora import storage
from crfdeid.corpora.bad_rows import BadRows
from crfdeid.corpora.format import Format
from crfdeid.errors import ConfigurationError, DocumentError, FormatError, did_you_mean, show_id
from crfdeid.files import read_text, refuse_named_pipe
from crfdeid.text.document import Document


def read_plain(path: Path, encoding: str = "utf-8") -> Iterator[Document]:
    """Yield the one document of a file of plain text; its identifier is the file's stem."""
    yield Document(path.stem, read_text(path, encoding))


MODULES = {  # of the formats, which are imported when they are needed
    "i2b2": "i2b2_2014", "i2b2-2006": "i2b2_2006", "brat": "brat", "conll": "conll", "jsonl": "jsonl",
    "labelstudio": "labelstudio", "doccano": "doccano", "text": "registry", "documents": "documents",
    "table": "table", "parquet": "parquet", "omop": "omop", "hl7": "hl7", "fhir": "fhir", "cda": "cda",
    "physionet": "physionet", "inline": "inline", "note_nlp": "note_nlp", "spans": "span_table",
}  # fmt: skip


class Formats(Mapping[str, Format]):
    """Our formats by name: a run imports those that it uses."""

    def __getitem__(self, name: str) -> Format:
        found = import_module(f"crfdeid.corpora.{MODULES[name]}").FORMAT
        assert isinstance(found, Format)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)

    def __contains__(self, name: object) -> bool:
        return name in MODULES


FORMATS = Formats()
FORMAT = Format(
    "text",
    (".txt", ".text", ""),
    read=read_plain,
    render_document=lambda document: {".txt": document.text},
    has_spans=False,
)
OLD_NAMES = {"csv": "spans"}  # "table" has the same suffix

SKIPPING = ("table", "parquet", "jsonl")  # formats with rows that can be left out

_read_pipes: set[tuple[int, int]] = set()  # device and number of each


def find_format(name: str | Format, ability: Literal["read", "write"]) -> Format:
    """Return the format of this name, or the format itself. Raises :class:`ConfigurationError` where no
    format of the name can do it; every one of ours can write."""
    if isinstance(name, Format):
        return name
    name = OLD_NAMES.get(name, name)
    if name in FORMATS and (ability == "write" or FORMATS[name].read is not None):
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
    """Return all formats by name: ours, then other packages'."""
    others = plugins.load_plugins(plugins.FORMATS, Format)
    return dict(FORMATS) | {name: found for name, found in others.items() if name not in FORMATS}


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

    With ``recursive`` also the files of the folders in it: the names of the folders, each with a full stop,
    begin their ids.
    ``columns`` (``id_column``, ``text_column``, ``patient_column``) are what the readers of tables take.
    Raises :class:`FormatError` for a file that cannot be read, for a pipe that was read before, for an
    identifier that occurs twice and if there are no documents.
    """
    path = Path(path)
    chosen = find_format(format or detect_format(path, recursive), "read")
    refuse_missing(path)
    refuse_second_reading(path)
    assert chosen.read
    seen: set[str] = set()
    for file in list_files(path, chosen, recursive):
        found = _name_file(chosen.read(file, encoding, **columns), file)
        for number, document in enumerate(name_folders(found, file, path), 1):
            if document.id in seen:
                shown = show_id(document.id, f"number {number}")
                again = "" if shown == f"number {number}" else f", again as number {number}"
                raise FormatError(f"{file}: document {shown} occurs twice{again}")
            seen.add(document.id)
            yield document
    if not seen:
        raise FormatError(f"{path}: no documents{_describe_textless(path, chosen, encoding, recursive)}")


def _describe_textless(path: Path, format: Format, encoding: str, recursive: bool) -> str:
    """Describe the messages of codes and values only, where there were no documents."""
    if not (read_messages := format.read_messages):
        return ""
    count = sum(1 for file in list_files(path, format, recursive) for _ in read_messages(file, encoding))
    wanted = "wanted a note, a narrative or another value of text"
    return f": {count} message{'s' * (count > 1)} without a text; {wanted}" if count else ""


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
    unknown = [number for number, file in enumerate(files, 1) if file.suffix.lower() not in known]
    if unknown := [number for number in unknown if not is_about_folder(files[number - 1])]:
        which = f"{len(unknown)} of {len(files)} files (number {unknown[0]} by name)"
        wanted = f"{', '.join(filter(None, texts.suffixes))} or none"
        raise FormatError(f"{folder}: {which} with a suffix that no format has; wanted {wanted}")


UNREAD = {
    ".doc": "an old Word document", ".odt": "a text document of an office program",
    ".rtf": "a rich text document",
}  # fmt: skip
SHEETS = {
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb"), "an Excel workbook"), ".xls": "an old Excel workbook",
    ".ods": "a spreadsheet of an office program",
}  # fmt: skip
ABOUT, MARKED_UP = ("readme", "license", "licence", "changelog"), (".md", ".rst")
SPOKEN = (*UNREAD, *SHEETS, ".docx", ".pdf")  # suffixes that a reason names


def refuse_unread(path: Path) -> None:
    """Raise :class:`FormatError` for a file whose suffix shows that it is not plain text."""
    if kind := UNREAD.get(path.suffix.lower()):
        raise FormatError(f"{path}: {kind}, which is not read; wanted .docx, .pdf or .txt")
    if kind := SHEETS.get(path.suffix.lower()):
        raise FormatError(f"{path}: {kind}, which is not read; save its sheet as CSV (UTF-8)")


def is_about_folder(path: Path) -> bool:
    """Whether a file is about the folder and not a note, by its name.

    >>> [is_about_folder(Path(name)) for name in ("ReadMe.md", "17.md", "README.txt")]
    [True, False, False]
    """
    return path.suffix.lower() in MARKED_UP and path.stem.lower() in ABOUT


def detect_format(path: Path, recursive: bool = False) -> str:
    """Return the name of the format of a file or folder, by suffixes and, for XML, by its elements."""
    refuse_missing(path)
    if path.is_dir():
        return _detect_folder(path, recursive)
    refuse_unread(path)
    suffix = path.suffix.lower()
    if suffix == ".txt" and path.with_suffix(".ann").exists():
        return "brat"
    by_suffix = BY_SUFFIX.get(suffix) or (find_added_format(suffix) if suffix else None) or "text"
    return (_look_inside(path, suffix) if suffix in LOOKED_INTO else None) or by_suffix


LOOKED_INTO = (".json", ".csv", ".xml", ".text")  # suffixes that several formats have


def _look_inside(path: Path, suffix: str) -> str | None:
    """Return the format that the beginning of a file shows, or None."""
    from crfdeid.corpora import cda, fhir, i2b2_2006, omop, physionet

    if suffix == ".xml":
        return "cda" if cda.is_document(path) else "i2b2-2006" if i2b2_2006.is_inline_xml(path) else "i2b2"
    formats = {".json": (fhir.is_resource, "fhir"), ".csv": (omop.is_note_table, "omop"),
               ".text": (physionet.is_records, "physionet")}  # fmt: skip
    is_of, name = formats[suffix]
    return name if is_of(path) else None


def find_added_format(suffix: str) -> str | None:
    """Return the name of a format of another package whose files have this suffix, which none of ours has."""
    if any(suffix in found.suffixes for found in FORMATS.values()):
        return None
    others = plugins.load_plugins(plugins.FORMATS, Format)
    return next((name for name, found in others.items() if suffix in found.suffixes), None)


def _detect_folder(path: Path, recursive: bool) -> str:
    files = storage.list_folder(path, recursive=recursive)
    formats = {detect_format(file) for file in files if file.suffix and not is_about_folder(file)}
    if formats & {"brat", "documents"}:  # both have plain texts too
        formats -= {"text"}
    if len(formats) > 1:
        found = " and ".join(sorted(formats))
        raise FormatError(f"{path}: holds {found} files; --from names the format to read")
    if not formats:
        raise FormatError(f"{path}: no documents")
    return formats.pop()


@dataclass(frozen=True)
class Reading:
    """Without ``format`` each path is read in the format that it has. Only tables have columns and a
    ``delimiter``. ``bad`` collects the rows that cannot be read, whose table may ``overwrite`` another;
    without it the first one is an error. ``with_fields`` also gives the fields of messages as documents."""

    format: str | None = None
    encoding: str = "utf-8"
    recursive: bool = False
    delimiter: str = ","
    id_column: str | None = None
    text_column: str | None = None
    patient_column: str | None = None
    with_fields: bool = False
    bad: BadRows | None = field(default=None, repr=False, compare=False)
    overwrite: bool = field(default=False, repr=False, compare=False)

    def find_format(self, path: Path | str) -> str:
        """Return the format of a file or folder."""
        return self.format or detect_format(Path(path), self.recursive)

    @property
    def columns(self) -> dict[str, Any]:
        """The columns that have another name than the usual one."""
        names = ("id_column", "text_column", "patient_column")
        return {name: value for name in names if (value := getattr(self, name))}

    def read(
        self, path: Path | str, keep: Callable[[list[dict[Any, Any]]], object] | None = None
    ) -> Iterator[Document]:
        """Read the documents of a file or folder. A table gives its rows to ``keep`` before their
        documents."""
        format, columns = self.find_format(path), self.columns
        if columns and format == "omop":
            raise ConfigurationError(f"{format}: its columns have names; --from table reads it as any table")
        if not find_format(format, "read").has_columns:
            columns = {}
        if format == "table":
            columns["delimiter"] = self.delimiter
        if keep:
            columns["keep"] = keep
        if self.with_fields:
            columns["fields"] = True
        if bad := self.find_bad_rows(format):
            columns["bad"] = bad
        return read(path, format, self.encoding, self.recursive, **columns)

    def find_bad_rows(self, format: str) -> BadRows | None:
        """Return what collects the bad rows, if it is wanted. Raises :class:`ConfigurationError` for a format
        without rows, and where its table exists."""
        if self.bad and format not in SKIPPING:
            raise ConfigurationError(f"--skip-bad: {format} has no rows; it is for {', '.join(SKIPPING)}")
        if self.bad:
            storage.refuse_existing(self.bad.path, self.overwrite)
        return self.bad

    def count_left_out(self, path: Path | str) -> Counter[str]:
        """Count by reason what is not read of a file or folder (:func:`count_left_out`)."""
        path, format = Path(path), self.find_format(path)
        has_parts = format == "documents" or find_format(format, "read").read_messages
        if not (path.is_dir() or has_parts):
            return Counter()
        encoding = None if self.with_fields or path.is_fifo() else self.encoding
        return count_left_out(path, format, self.recursive, encoding)


def count_left_out(
    path: Path, format: str, recursive: bool = False, encoding: str | None = None
) -> Counter[str]:
    """Count by reason what a folder has beside the files of the format, and what is inside the files of the
    format ``documents``, or with an encoding inside messages, and not read. A reason does not name a file.

    >>> count_left_out(Path("/dev/null"), "text")
    Counter()
    """
    left_out = Counter(_list_reasons(path, format, recursive) if path.is_dir() else ())
    if format == "documents":
        from crfdeid.corpora.documents import count_unread

        for file in list_files(path, format, recursive):
            left_out += count_unread(file)
    read_messages = find_format(format, "read").read_messages
    if read_messages and encoding:
        from crfdeid.corpora.messages import count_attachments

        for file in list_files(path, format, recursive):
            left_out += count_attachments(read_messages(file, encoding))
    return left_out


def _list_reasons(path: Path, format: str, recursive: bool) -> Iterator[str]:
    entered = set(storage.list_folders(path)) if recursive else {path}
    for folder in entered:
        for entry in folder.iterdir():
            if entry not in entered and (reason := _find_reason(entry, format)):
                yield reason


def _find_reason(path: Path, format: str) -> str | None:
    if path.name == storage.TAGGED_BY:
        return None
    if path.name.startswith("."):
        return "hidden"
    if path.is_dir():
        return "folders, which are not entered"
    if path.suffix.lower() in find_format(format, "read").suffixes:
        return None
    return f"{path.suffix.lower()} files" if path.suffix.lower() in SPOKEN else f"not files of {format}"


def describe_left_out(path: Path, left_out: Counter[str]) -> str:
    """Say in one line what is not read of a file or folder, or nothing."""
    listed = ", ".join(f"{count} {reason}" for reason, count in sorted(left_out.items()))
    return f"{path}: left out: {listed}" if listed else ""


def refuse_missing(path: Path) -> None:
    """Raise :class:`FormatError` where the path does not exist, may not be looked at, or is a named pipe."""
    try:
        path.stat()
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file or folder") from None
    except (OSError, ValueError) as error:  # no permission, a name too long, a NUL in it
        raise FormatError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    refuse_named_pipe(path)


def refuse_second_reading(path: Path) -> None:
    """Raise :class:`FormatError` at a pipe that this process has read before: the rest of it, or nothing,
    would be taken for the whole."""
    if path.is_fifo():
        found = path.stat()
        pipe = found.st_dev, found.st_ino
        if pipe in _read_pipes:
            raise FormatError(f"{path}: a pipe can be read only once, and is needed again; wanted a file")
        _read_pipes.add(pipe)
