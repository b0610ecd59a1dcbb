"""brat standoff: ``NAME.txt`` and ``NAME.ann``. Line ends are untouched; a fragmented span reads
as its parts; relations, events, attributes and notes are passed over. A text without an .ann
has no spans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from crfdeid.document import Document, Span
from crfdeid.faults import DocumentFault, FormatFault
from crfdeid.files import read_text

SUFFIXES = (".txt",)
BLANK = re.compile(r"\s")
SPAN = re.compile(r"T\S*\t(\S+) (\d+ \d+(?:;\d+ \d+)*)(?:\t.*)?")


def read(path: Path, encoding: str = "utf-8") -> Iterator[Document]:
    beside = path.with_suffix(".ann")
    text = read_text(path.with_suffix(".txt"), encoding)
    spans: list[Span] = []
    if beside.exists():
        for number, line in enumerate(read_text(beside, encoding).split("\n"), 1):
            spans += _spans(line.rstrip("\r"), f"{beside}, line {number}")
    try:
        yield Document(path.stem, text, tuple(spans))
    except DocumentFault as fault:
        raise FormatFault(f"{beside}: {fault}") from None


def _spans(line: str, where: str) -> list[Span]:
    if not line.startswith("T"):
        return []
    match = SPAN.fullmatch(line)
    if not match:
        raise FormatFault(f"{where}: malformed; wanted T1<tab>TYPE START END<tab>text")
    parts = (part.split() for part in match[2].split(";"))
    return [Span(int(start), int(end), match[1]) for start, end in parts]


def files(document: Document) -> dict[str, str]:
    lines = (
        f"T{number}\t{span.type} {span.start} {span.end}\t{BLANK.sub(' ', document.covered(span))}\n"
        for number, span in enumerate(document.spans, 1)
    )
    return {".txt": document.text, ".ann": "".join(lines)}
