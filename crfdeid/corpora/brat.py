"""brat standoff: ``NAME.txt`` and ``NAME.ann``. Line ends are untouched; a fragmented span is read
as its parts; relations, events, attributes and notes are skipped. A text without an .ann
has no spans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from crfdeid.corpora.format import Format
from crfdeid.errors import FormatError, show_id
from crfdeid.files import read_text
from crfdeid.text.document import Document, Span

TEXT, ANNOTATIONS = ".txt", ".ann"
BLANK = re.compile(r"[\s\0]")
SPAN = re.compile(r"T\S*\t(\S+) (\d{1,12} \d{1,12}(?:;\d{1,12} \d{1,12})*)(?:\t(.*))?", re.ASCII | re.DOTALL)
SKIPPED = tuple("REAMN#*")  # how the lines begin that hold no span


def read(path: Path, encoding: str = "utf-8") -> Iterator[Document]:
    """Yield the document of a ``.txt``, or of an ``.ann`` and the ``.txt`` beside it."""
    annotations = path.with_suffix(ANNOTATIONS)
    text = read_text(path.with_suffix(TEXT), encoding)
    spans: list[Span] = []
    if annotations.exists():
        for number, line in enumerate(read_text(annotations, encoding).split("\n"), 1):
            spans += _parse_line(line.rstrip("\r"), f"{annotations}, line {number}", text)
    yield Document(path.stem, text, tuple(spans))


def _parse_line(line: str, where: str, text: str) -> list[Span]:
    """Return the spans of one annotation: one for each fragment."""
    if not line or line.startswith(SKIPPED):
        return []
    match = SPAN.fullmatch(line)
    if not match:
        raise FormatError(f"{where}: malformed; wanted T1<tab>TYPE START END<tab>text")
    fragments = [part.split() for part in match[2].split(";")]
    spans = [Span(int(start), int(end), match[1]) for start, end in fragments]
    for span in spans:
        if not span.start < span.end <= len(text):
            raise FormatError(
                f"{where}: {span.start}-{span.end} is empty or leaves the text of {len(text)} characters"
            )
    if match[3] and _strip_blanks(match[3]) != _strip_blanks("".join(text[s.start : s.end] for s in spans)):
        raise FormatError(
            f"{where}: the annotation's text is not the note's at {match[2]}; were line ends changed?"
        )
    return spans


def _strip_blanks(text: str) -> str:
    """Remove the white space and NULs that annotations write in other ways."""
    return BLANK.sub("", text)


def render_document(document: Document) -> dict[str, str]:
    """Return the text of both files; a span's probability is a note on it."""
    return {TEXT: document.text, ANNOTATIONS: _render_annotations(document)}


def _render_annotations(document: Document) -> str:
    lines = []
    for number, span in enumerate(document.spans, 1):
        if not span.type or BLANK.search(span.type):
            raise FormatError(f"{show_id(document.id)}: the type of span {number} cannot be written in brat")
        text = BLANK.sub(" ", document.text_of(span))
        lines.append(f"T{number}\t{span.type} {span.start} {span.end}\t{text}\n")
        if span.probability is not None:
            lines.append(f"#{number}\tAnnotatorNotes T{number}\tprobability {span.probability:.4f}\n")
    return "".join(lines)


FORMAT = Format(
    "brat",
    (TEXT, ANNOTATIONS),
    read=read,
    render_document=render_document,
    show_document=lambda document, colour: _render_annotations(document),
    companion=ANNOTATIONS,
)
