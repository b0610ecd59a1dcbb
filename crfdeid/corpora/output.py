"""Where an output goes, by one rule for all verbs: a name with the suffix of a format is a file that holds
all documents, and a name without one is a folder with a file for each document."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from crfdeid.corpora.format import Format
from crfdeid.corpora.registry import BY_SUFFIX, FORMATS, find_added_format, find_format, write, write_each
from crfdeid.errors import ConfigurationError
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
