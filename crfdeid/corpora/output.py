"""Write documents in any format, as a whole or not at all.

Where an output goes follows one rule for all verbs: a name with the suffix of a format is a file that holds
all documents, and a name without one is a folder with a file for each document. Beside the files of a
tagged folder is a small hidden file that says what tagged it (:class:`TaggedBy`), so that a score of them
can say whether the model had seen them. It has the name of the model and counts, and no text.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from crfdeid.corpora import storage
from crfdeid.corpora.format import Format
from crfdeid.corpora.registry import BY_SUFFIX, FORMATS, find_added_format, find_format
from crfdeid.errors import ConfigurationError, FormatError, show_id
from crfdeid.files import (
    clear_leftovers,
    hold_output,
    hold_signals,
    make_folder_beside,
    open_whole,
    read_text,
)
from crfdeid.text.document import Document


class Output(NamedTuple):
    """A file or a folder to write, and the name of its format."""

    path: Path
    format: str
    is_file: bool

    def write(
        self, documents: Iterable[Document], overwrite: bool = False, format: Format | None = None
    ) -> None:
        """Write the documents, with another ``format`` than the registered one of that name. Raises
        :class:`FormatError` where the path exists, unless ``overwrite``."""
        (write if self.is_file else write_each)(documents, self.path, format or self.format, overwrite)

    def __str__(self) -> str:
        return f"wrote the {'file' if self.is_file else 'folder'} {self.path}"


def choose_output(
    path: Path, format: str | None, default: str, by_suffix: Mapping[str, str] = BY_SUFFIX
) -> Output:
    """Return what to write. Without ``format`` it is what ``by_suffix`` has for the suffix of a file, and
    ``default`` for a folder. Raises :class:`ConfigurationError` where a format does not write such a file.

    >>> choose_output(Path("x.jsonl"), None, "i2b2"), choose_output(Path("x"), None, "i2b2").is_file
    (Output(path=PosixPath('x.jsonl'), format='jsonl', is_file=True), False)
    """
    suffix = path.suffix.lower()
    if path.is_dir() or not is_suffix_of_format(suffix):
        name = find_format(format or default, "write").name
        is_other = path.exists() and not path.is_dir()  # such as /dev/stdout
        return Output(path, name, is_other and find_format(name, "write").render_document is None)
    name = format or by_suffix.get(suffix) or find_added_format(suffix) or default
    found = find_format(name, "write")
    if found.render_document is not None:
        raise ConfigurationError(
            f"{path}: {name} writes a file for each note, into a folder; wanted a name without a suffix"
        )
    if suffix not in found.file_suffixes:
        raise ConfigurationError(f"{path}: {name} does not write {suffix}; wanted {found.suffixes[0]}")
    return Output(path, found.name, True)


def is_suffix_of_format(suffix: str) -> bool:
    """Whether a format writes files of this suffix, ours or one of another package."""
    ours = any(suffix in found.suffixes for found in FORMATS.values())
    return bool(suffix) and (ours or find_added_format(suffix) is not None)


def hash_documents(documents: Iterable[Document]) -> str:
    """The SHA-256 of ids, patients, texts and spans, in any order of the documents: which release this is."""
    digest = hashlib.sha256()
    for document in sorted(documents, key=lambda document: document.id):
        spans = [(span.start, span.end, span.type) for span in document.spans]
        digest.update(json.dumps([document.id, document.patient, document.text, spans]).encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class TaggedBy:
    """The model, its version, and how many of the ``total`` notes it had ``seen`` when it was trained."""

    model: str
    version: str
    seen: int
    total: int

    def describe(self) -> str:
        """Warn that a score flatters the model, or return nothing.

        >>> TaggedBy("english", "0.1.0", 0, 9).describe()
        ''
        >>> TaggedBy("english", "0.1.0", 3, 9).describe()
        'warning: 3 of these 9 notes trained or tuned the model english; a score of them flatters it'
        """
        if not self.seen:
            return ""
        return (
            f"warning: {self.seen} of these {self.total} notes trained or tuned the model {self.model}; "
            "a score of them flatters it"
        )


def write_record(folder: Path, record: TaggedBy) -> None:
    """Write what tagged the notes of the folder."""
    with open_whole(folder / storage.TAGGED_BY) as file:
        file.write(json.dumps(asdict(record)) + "\n")


def read_record(path: Path) -> TaggedBy | None:
    """Read what tagged the notes of the folder; ``None`` without a record. Raises :class:`FormatError`."""
    file = path / storage.TAGGED_BY
    if not file.is_file():
        return None
    try:
        found = TaggedBy(**json.loads(read_text(file)))
    except (ValueError, TypeError):
        raise FormatError(f"{file}: not what tag writes; remove it if you do not need it") from None
    return found


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
    with _name_path(folder), storage.stage_folder(folder, overwrite) as staging:
        for document in documents:
            name = storage.file_stem(document.id)
            if name.lower() in written:  # many file systems do not tell capitals apart
                raise FormatError(f"{folder}: two documents want one name: {show_id(name)}")
            written.add(name.lower())
            _save_document(document, found, staging)


def write_in_turn(documents: Iterable[Document], folder: Path, format: str | Format) -> None:
    """Write each document as :func:`write_each` does, and move its files into the folder, which exists,
    before the next document is asked for. Of several files, the one with the last suffix comes last."""
    found = find_format(format, "write")
    with _name_path(folder):
        storage.finish_moving(folder)
        clear_leftovers(folder)
    with make_folder_beside(folder) as staging:
        for document in documents:
            with _name_path(folder):
                paths = _save_document(document, found, staging)
                with hold_signals():
                    for path in sorted(paths):
                        os.replace(path, folder / path.name)


def _save_document(document: Document, format: Format, folder: Path) -> list[Path]:
    """Write the files of a document into a folder that no one else sees yet. Return their paths."""
    name = storage.file_stem(document.id)
    if format.save_corpus is not None:
        path = folder / f"{name}{format.suffixes[0]}"
        format.save_corpus([document], path)
        return [path]
    rendered = {folder / f"{name}{suffix}": text for suffix, text in format.render_files(document).items()}
    for path, text in rendered.items():
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    return [*rendered]


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
