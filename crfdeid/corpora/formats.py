"""Which formats there are, and how to tell them apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from crfdeid.corpora import (
    brat,
    conll,
    doccano,
    i2b2_2006,
    i2b2_2014,
    inline,
    jsonl,
    labelstudio,
    table,
    text,
)
from crfdeid.document import Document
from crfdeid.faults import ConfigurationFault, FormatFault, near

COLUMN_OPTIONS = ("id_column", "text_column", "patient_column", "chunk_size")


@dataclass(frozen=True)
class Format:
    """``parse`` gives the documents of an open file, ``pieces`` the text of one; either
    is missing where the format is only written or only holds bytes. ``folder``: a
    corpus is a folder with a file per document."""

    name: str
    suffix: str
    parse: Callable[..., Iterator[Document]] | None
    pieces: Callable[..., Iterator[str]] | None
    folder: bool = False
    others: tuple[str, ...] = ()
    read_options: tuple[str, ...] = ()
    write_options: tuple[str, ...] = ()

    @property
    def suffixes(self) -> tuple[str, ...]:
        return (self.suffix, *self.others)


JSON = (".json", ".jsonl", ".ndjson")
FORMATS = {
    format.name: format
    for format in (
        Format("i2b2", ".xml", i2b2_2014.parse, i2b2_2014.pieces, folder=True, write_options=("scheme",)),
        Format("i2b2-2006", ".xml", i2b2_2006.parse, i2b2_2006.pieces),
        Format("brat", brat.SUFFIX, None, brat.pieces, folder=True),
        Format("conll", ".conll", conll.parse, conll.pieces, others=(".bio",), write_options=("tokenize",)),
        Format("jsonl", ".jsonl", jsonl.parse, jsonl.pieces, others=JSON),
        Format("labelstudio", ".json", jsonl.parse, labelstudio.pieces, others=JSON),
        Format("doccano", ".jsonl", jsonl.parse, doccano.pieces, others=JSON),
        Format("text", ".txt", text.parse, text.pieces, folder=True),
        Format("csv", ".csv", table.parse, table.pieces, read_options=COLUMN_OPTIONS),
        Format("parquet", ".parquet", None, None, read_options=COLUMN_OPTIONS),
        Format("spans", ".csv", None, table.span_pieces, write_options=("header",)),
        Format("inline", ".txt", None, inline.pieces, folder=True, write_options=("colour", "scheme")),
    )
}
READ = tuple(name for name, format in FORMATS.items() if format.parse or name in ("brat", "parquet"))
BY_SUFFIX = {
    suffix: name
    for name in ("jsonl", "conll", "csv", "parquet", "text", "brat")
    for suffix in FORMATS[name].suffixes
}


def named(name: str, use: str = "written") -> Format:
    """The format of that name. Raises :class:`ConfigurationFault` where there is none,
    or none that can be ``"read"``."""
    if name not in FORMATS:
        raise ConfigurationFault(f"{name}: no such format{near(name, FORMATS)}")
    if use == "read" and name not in READ:
        raise ConfigurationFault(f"{name}: can only be written; formats to read: {', '.join(READ)}")
    return FORMATS[name]


def detect(path: Path) -> str:
    """The name of the format of a file or folder, by suffixes, and of XML by its
    elements. Raises :class:`FormatFault` where it cannot be told."""
    if path.is_dir():
        return detect_folder(path)
    suffix = path.suffix.lower()
    if suffix == ".xml":
        return detect_xml(path)
    if suffix in BY_SUFFIX:
        return BY_SUFFIX[suffix]
    raise FormatFault(f"{path}: its name does not tell its format; --from names it: {', '.join(READ)}")


def detect_folder(folder: Path) -> str:
    """Annotations make texts brat; otherwise all documents have one suffix."""
    from crfdeid.corpora.places import listed

    found = listed(folder, (".xml", *BY_SUFFIX))
    suffixes = {path.suffix.lower() for path in found}
    if brat.SUFFIX in suffixes:
        suffixes.discard(brat.TEXT_SUFFIX)
    names = {detect(path) for path in found if path.suffix.lower() in suffixes}
    if len(names) == 1:
        return names.pop()
    if not names:
        raise FormatFault(f"{folder}: no documents; --from names the format: {', '.join(READ)}")
    raise FormatFault(f"{folder}: holds {' and '.join(sorted(names))}; --from names the one to read")


def detect_xml(path: Path) -> str:
    """The 2006 format has records; all else is read as the 2014 format."""
    try:
        with open(path, "rb") as file:
            start = file.read(10_000)
    except OSError as error:
        raise FormatFault(f"{path}: {error.strerror or error}") from None
    before_text = start.replace(b"\0", b"").partition(b"<TEXT")[0]
    return "i2b2-2006" if re.search(rb"<(RECORD|DOCUMENT)\b", before_text) else "i2b2"
