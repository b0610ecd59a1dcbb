"""brat standoff: ``NAME.txt`` and ``NAME.ann``. Line ends are untouched; a fragmented span reads
as its parts; relations, events, attributes and notes are passed over. A text without an .ann
has no spans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from crfdeid.errors import FormatError
from crfdeid.files import read_text
from crfdeid.text.document import Document, Span

SUFFIXES = (".txt", ".ann")
BLANK = re.compile(r"[\s\0]")
SPAN = re.compile(r"T\S*\t(\S+) (\d{1,12} \d{1,12}(?:;\d{1,12} \d{1,12})*)(?:\t(.*))?", re.ASCII | re.DOTALL)
PASSED_OVER = tuple("REAMN#*")


def read(path: Path, encoding: str = "utf-8") -> Iterator[Document]:
    """The document of a ``.txt``, or of an ``.ann`` whose text nobody has named."""
    beside = path.with_suffix(".ann")
    text = read_text(path.with_suffix(".txt"), encoding)
    spans: list[Span] = []
    if beside.exists():
        for number, line in enumerate(read_text(beside, encoding).split("\n"), 1):
            spans += _spans(line.rstrip("\r"), f"{beside}, line {number}", text)
    yield Document(path.stem, text, tuple(spans))


def _spans(line: str, where: str, text: str) -> list[Span]:
    if not line or line.startswith(PASSED_OVER):
        return []
    match = SPAN.fullmatch(line)
    if not match:
        raise FormatError(f"{where}: malformed; wanted T1<tab>TYPE START END<tab>text")
    spans = [Span(*map(int, part.split()), type=match[1]) for part in match[2].split(";")]
    for span in spans:
        if not span.start < span.end <= len(text):
            raise FormatError(
                f"{where}: {span.start}-{span.end} is empty or leaves the text of {len(text)} characters"
            )
    if match[3] and _bare(match[3]) != _bare("".join(text[span.start : span.end] for span in spans)):
        raise FormatError(f"{where}: its text is not what stands at {match[2]}; were line ends changed?")
    return spans


def _bare(text: str) -> str:
    """``text`` without the white space and NULs that annotations write in other ways."""
    return BLANK.sub("", text)


def files(document: Document) -> dict[str, str]:
    """Both files; probabilities are notes on their spans."""
    lines = []
    for number, span in enumerate(document.spans, 1):
        if not span.type or BLANK.search(span.type):
            raise FormatError(f"{document.id}: type {span.type!r} cannot be written in brat")
        covered = BLANK.sub(" ", document.text_of(span))
        lines.append(f"T{number}\t{span.type} {span.start} {span.end}\t{covered}\n")
        if span.probability is not None:
            lines.append(f"#{number}\tAnnotatorNotes T{number}\tprobability {span.probability:.4f}\n")
    return {".txt": document.text, ".ann": "".join(lines)}
