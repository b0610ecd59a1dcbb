"""brat standoff: ``note.txt`` is the text, ``note.ann`` its annotations.

``T1⇥DATE 5 9⇥text`` is a span; ``5 9;12 14`` has parts, each read as a span. Offsets
are half-open code points of the text as it lies in the file, line ends untouched.
Relations, events, attributes, notes (``R E A M N # *``) are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from crfdeid.corpora.places import opened
from crfdeid.document import Document, Span
from crfdeid.faults import FormatFault

SUFFIX = ".ann"
TEXT_SUFFIX = ".txt"
LINE = re.compile(r"T\d+\t(\S+) (\d{1,12} \d{1,12}(?:;\d{1,12} \d{1,12})*)(?:\t(.*))?", re.ASCII | re.DOTALL)
PASSED_OVER = tuple("REAMN#*")


def read(path: Path, encoding: str = "utf-8") -> Document:
    """The document of a ``.txt`` or ``.ann`` file; without annotations, one without spans."""
    with opened(path.with_suffix(TEXT_SUFFIX), encoding) as file:
        text = file.read()
    annotations = path.with_suffix(SUFFIX)
    if not annotations.exists():
        return Document(path.stem, text)
    with opened(annotations, encoding) as file:
        return Document(path.stem, text, tuple(spans(file, str(annotations), text)))


def spans(file: TextIO, where: str, text: str) -> Iterator[Span]:
    """The spans of the ``T`` lines. Raises :class:`FormatFault` at a malformed line,
    at offsets outside the text, and where the line repeats another text than its
    offsets cover, as happens when line ends were changed."""
    for number, line in enumerate(file, 1):
        line = line.rstrip("\r\n")
        if not line or line.startswith(PASSED_OVER):
            continue
        if not (match := LINE.fullmatch(line)):
            raise FormatFault(f"{where}: line {number}: not an annotation; wanted T1⇥TYPE START END⇥TEXT")
        parts = [tuple(map(int, part.split())) for part in match[2].split(";")]
        for start, end in parts:
            if not start < end <= len(text):
                raise FormatFault(
                    f"{where}: line {number}: {start}-{end} is empty or leaves the text, "
                    f"which has {len(text)} characters"
                )
        if match[3] and bare(match[3]) != bare("".join(text[start:end] for start, end in parts)):
            raise FormatFault(
                f"{where}: line {number}: its text is not what stands at {match[2]}; were line ends changed?"
            )
        yield from (Span(start, end, match[1]) for start, end in parts)


def bare(text: str) -> str:
    """``text`` without what writers of annotations change in it: white space and NUL."""
    return re.sub(r"[\s\0]+", "", text)


def pieces(documents: Iterable[Document]) -> Iterator[str]:
    """The lines of the ``.ann`` files; probabilities are notes on their spans."""
    for document in documents:
        for number, span in enumerate(document.spans, 1):
            if re.search(r"\s", span.type) or not span.type:
                raise FormatFault(f"{document.id}: type {span.type!r} cannot be written in brat")
            covered = re.sub(r"[\s\0]", " ", document.covered(span))
            yield f"T{number}\t{span.type} {span.start} {span.end}\t{covered}\n"
            if span.probability is not None:
                yield f"#{number}\tAnnotatorNotes T{number}\tprobability {span.probability:.4f}\n"
