"""An invented release in the layout of i2b2 2014: three folders of XML files, with what is odd in such files.

TEXT is CDATA that begins with blank lines. Some files have CRLF line ends or a byte order mark; some tags are
doubled or overlap; between the files are hidden ones, as macOS leaves them in an archive.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import quoteattr

from crfdeid import synthetic
from crfdeid.corpora.i2b2_2014 import find_element
from crfdeid.text.document import Document, Span

FOLDERS = {
    "training-PHI-Gold-Set1": "train",
    "training-PHI-Gold-Set2": "train",
    "testing-PHI-Gold-fixed": "test",
}
BLANK = "\n\n\n"
HEAD = '<?xml version="1.0" encoding="UTF-8" ?>\n<deIdi2b2>\n<TEXT><![CDATA['
TAIL = "]]></TEXT>\n<TAGS>\n{}</TAGS>\n</deIdi2b2>\n"
APPLE = b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        \xff\xfe"


def write_release(folder: Path, sizes: Iterable[int] = (8, 6, 6)) -> dict[str, list[Document]]:
    """Write the three folders; return their notes, with the tags as they are in the files."""
    release, patient = {}, 220
    for seed, ((name, part), size) in enumerate(zip(FOLDERS.items(), sizes)):
        made = synthetic.generate(size, seed, part)
        notes = [number_note(note, patient + n // 2, n) for n, note in enumerate(made)]
        patient += size
        notes[0] = notes[0].with_spans([*notes[0].spans, notes[0].spans[0]])
        notes[1] = notes[1].with_spans([*notes[1].spans, widen(notes[1].spans[0])])
        write_folder(notes, folder / name)
        release[name] = notes
    return release


def number_note(note: Document, patient: int, number: int) -> Document:
    """Return the note as the one of a patient, behind blank lines."""
    spans = [replace(s, start=s.start + len(BLANK), end=s.end + len(BLANK)) for s in note.spans]
    return Document(f"{patient}-{number % 2 + 1:02}", BLANK + note.text, tuple(spans), str(patient))


def widen(span: Span) -> Span:
    """A tag of another type that begins with the blank line above the span's note, and so overlaps it."""
    return Span(span.start - 1, span.end, "ORGANIZATION")


def write_folder(notes: Iterable[Document], folder: Path) -> None:
    folder.mkdir()
    (folder / ".DS_Store").write_bytes(APPLE)
    for number, note in enumerate(notes):
        text = HEAD + note.text + TAIL.format("".join(map(render_tag, range(99), [note] * 99, note.spans)))
        lines = text.replace("\n", "\r\n") if number % 3 == 1 else text
        data = ("\ufeff" + lines if number % 4 == 2 else lines).encode()
        (folder / f"{note.id}.xml").write_bytes(data)
        (folder / f"._{note.id}.xml").write_bytes(APPLE)


def render_tag(number: int, note: Document, span: Span) -> str:
    element, type = find_element(span.type), span.type.removeprefix("LOCATION-")
    text = quoteattr(note.text_of(span))
    place = f'start="{span.start}" end="{span.end}" text={text} TYPE="{type}" comment=""'
    return f'<{element} id="P{number}" {place} />\n'
