"""PhysioNet's nursing notes (Neamatullah et al. 2008, the corpus of Douglass 2005): records in one file, and
their PHI in lists beside it.

``id.text`` has ``START_OF_RECORD=PATIENT||||NOTE||||``, the lines of the note, and ``||||END_OF_RECORD``. A
line of ``id-phi.phrase`` is patient, note, start, end, type and phrase. Where that file is missing,
``id.phi`` or ``id.deid`` is read: ``Patient 1 Note 1`` and lines of start, start and end, without types
(``PHI``). Offsets count from the first line of the note. Types stay as they are: the type map ``2014`` has
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from crfdeid.corpora.format import Format
from crfdeid.errors import FormatError, show_id
from crfdeid.files import read_text
from crfdeid.text.document import Document, Span

HEAD, END = "START_OF_RECORD=", "||||END_OF_RECORD"
SUFFIX = ".text"
RECORD = re.compile(
    r"START_OF_RECORD=(?P<patient>[^|\n]*)\|\|\|\|(?P<note>[^|\n]*)\|\|\|\|[ \t\r]*\n"
    r"(?P<text>.*?)\r?\n?\|\|\|\|END_OF_RECORD[ \t\r]*(?:\n|$)",
    re.DOTALL,
)
NEXT = re.compile(r"\S")
PHRASE = re.compile(r"(\S+) (\S+) (\d+) (\d+) (\S+) (.*)")
PLACE = re.compile(r"[Pp]atient (\S+)\s+[Nn]ote (\S+)")
RANGE = re.compile(r"(\d+)\s+\d+\s+(\d+)")
Lists = dict[str, list[Span]]  # the spans by the id of their note


def is_records(path: Path) -> bool:
    """Whether a file begins with a record."""
    try:
        with path.open("rb") as file:
            return file.read(len(HEAD) + 9).lstrip(b"\xef\xbb\xbf \r\n").startswith(HEAD.encode())
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from None


def read(path: Path, encoding: str = "utf-8") -> Iterator[Document]:
    """Yield the note of each record, with its spans. Raises :class:`FormatError` where a file has another
    form, or a list names a note that is not there or a phrase that the note does not have."""
    spans, listed = read_lists(path, encoding)
    for document in read_records(path, encoding):
        found = spans.pop(document.id, [])
        if any(span.end > len(document.text) for span in found):
            raise FormatError(f"{listed}: {show_id(document.id)}: a span ends after the note")
        yield document.with_spans(sorted(set(found)))
    if spans:
        raise FormatError(f"{listed}: {len(spans)} notes that {path.name} does not have")


def read_records(path: Path, encoding: str) -> Iterator[Document]:
    """Yield the note of each record, without spans."""
    text, place = read_text(path, encoding), 0
    while begin := NEXT.search(text, place):
        place = begin.start()
        if not (match := RECORD.match(text, place)):
            line = text.count("\n", 0, place) + 1
            raise FormatError(f"{path}: line {line}: wanted a record, {HEAD}PATIENT||||NOTE|||| to {END}")
        patient, note, place = match["patient"].strip(), match["note"].strip(), match.end()
        yield Document(name_note(patient, note), match["text"], patient=patient if note else None)


def name_note(patient: str, note: str) -> str:
    return f"{patient}-{note}" if note else patient


def read_lists(path: Path, encoding: str) -> tuple[Lists, str]:
    """Read the spans that are beside the notes, and return the name of their file; none without a file."""
    phrases = path.with_name(f"{path.stem}-phi.phrase")
    if phrases.is_file():
        texts = {document.id: document.text for document in read_records(path, encoding)}
        return read_phrases(phrases, encoding, texts), phrases.name
    for beside in (path.with_suffix(".phi"), path.with_suffix(".deid")):
        if beside.is_file():
            return read_ranges(beside, encoding), beside.name
    return {}, ""


def read_phrases(path: Path, encoding: str, texts: dict[str, str]) -> Lists:
    """Read a list of phrases with their types, and compare them with the notes."""
    spans: Lists = {}
    for number, line in enumerate(read_text(path, encoding).splitlines(), 1):
        if not line.strip():
            continue
        if not (match := PHRASE.fullmatch(line)) or int(match[3]) >= int(match[4]):
            raise FormatError(f"{path}: line {number}: wanted patient, note, start, end, type and phrase")
        id, span = name_note(match[1], match[2]), Span(int(match[3]), int(match[4]), match[5])
        if texts.get(id, "")[span.start : span.end].split() != match[6].split():
            raise FormatError(f"{path}: line {number}: the note does not have this phrase at these offsets")
        spans.setdefault(id, []).append(span)
    return spans


def read_ranges(path: Path, encoding: str) -> Lists:
    """Read a list of offsets without types."""
    spans: Lists = {}
    found: list[Span] | None = None
    for number, line in enumerate(read_text(path, encoding).splitlines(), 1):
        if match := PLACE.fullmatch(line.strip()):
            found = spans.setdefault(name_note(match[1], match[2]), [])
        elif (match := RANGE.fullmatch(line.strip())) and found is not None and int(match[1]) < int(match[2]):
            found.append(Span(int(match[1]), int(match[2]), "PHI"))
        elif line.strip():
            raise FormatError(f"{path}: line {number}: wanted Patient and Note, or start, start and end")
    return spans


def render_corpus(documents: Iterable[Document]) -> Iterator[str]:
    """Yield the records; spans are lost. Raises :class:`FormatError` where a text or an id would not come
    back."""
    for number, document in enumerate(documents, 1):
        patient, note = document.id, ""
        if document.patient and document.id.startswith(f"{document.patient}-"):
            patient, note = document.patient, document.id[len(document.patient) + 1 :]
        if END in document.text or "|" in document.id or "\n" in document.id:
            shown = show_id(document.id, f"document {number}")
            raise FormatError(f"{shown}: the id has a bar, or the text the end of a record")
        yield f"{HEAD}{patient}||||{note}||||\n{document.text}\n{END}\n"


FORMAT = Format("physionet", (SUFFIX,), read=read, render_corpus=render_corpus, has_spans=False)
