"""A note in each file, without spans: files of office programs, Word (.docx) and PDF, among plain texts. It
writes plain text, because a Word or PDF file has places that no redaction of its text reaches.

Of a Word file everything is read that people wrote, also where a printed page does not show it: the body
with its tables and text boxes, headers, footers, footnotes, endnotes, comments, form fields, the words of
charts and diagrams, and descriptions of pictures. A paragraph with tracked changes is read as it is, and in
a second line as it was. Pictures and embedded files are not read (:func:`count_in_docx`); properties of the
file and names of commenters are not part of the text. Needs python-docx.

Of a PDF file its pages, comments and form fields are read. A page that shows something and has no text, as
a scan, is an error: an empty note would look like one without PHI. Pictures beside text are not read
(:func:`count_in_pdf`). Needs pypdf; ``pip install crfdeid[documents]`` installs both.
"""

from __future__ import annotations

import logging
import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from crfdeid.corpora.format import Format
from crfdeid.errors import FormatError, show_install
from crfdeid.files import read_text
from crfdeid.text.document import Document

SECTIONS = ("header", "main", "footer", "footnotes", "endnotes", "comments", "chart", "diagramData")
PART = re.compile(rf"\.({'|'.join(SECTIONS)})\+xml$")  # of a content type
TEXTS = frozenset({"t", "delText", "instrText", "delInstrText", "v"})
BREAKS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "sym": " "}
ADDED, REMOVED = frozenset({"ins", "moveTo"}), frozenset({"del", "moveFrom"})  # by tracked changes
IMPORTED = frozenset({"altChunk", "subDoc"})  # the text of another file, which Word shows in its place
SHOWN = {"docPr": ("title", "descr"), "textpath": ("string",), "shape": ("alt",)}  # attributes with words
UNREAD = {"media": "pictures", "embeddings": "embedded files"}  # folders in a Word file

PAINTS = re.compile(rb"(?<![A-Za-z/])(Do|f\*?|F|B\*?|b\*?|S|s|sh|EI)(?![A-Za-z*])")  # operators that draw
UNREADABLE = 0.1  # share of characters that are none, where a font does not say which letters it shows


def read_docx(path: Path) -> str:
    """Return the text of all parts. Raises :class:`FormatError` where the file cannot be read, or where it
    imports another file."""
    docx = import_docx()
    try:
        parts = list(docx.Document(str(path)).part.package.iter_parts())
        roots = [docx.oxml.parser.parse_xml(part.blob) for part in sorted_parts(parts)]
    except Exception:  # zipfile, lxml and python-docx have many
        raise FormatError(
            f"{path}: not a Word file that can be read; it is damaged, or has a password"
        ) from None
    if any(_name(element) in IMPORTED for root in roots for element in root.iter()):
        raise FormatError(
            f"{path}: shows another file inside; wanted one file (open it in Word, and save it)"
        )
    return "\n".join(filter(None, (_render(root, [], frozenset()).strip("\n") for root in roots))) + "\n"


def import_docx() -> Any:
    """Return the module. Raises :class:`FormatError` if it is not installed."""
    try:
        import docx
        import docx.oxml.parser
    except ImportError:
        raise FormatError(f"Word files need python-docx: {show_install('documents')}") from None
    return docx


def sorted_parts(parts: Collection[Any]) -> list[Any]:
    """Return the parts with text: headers first, then the body, then what belongs below."""
    kinds = {part: match[1] for part in parts if (match := PART.search(part.content_type))}
    return sorted(kinds, key=lambda part: (SECTIONS.index(kinds[part]), len(part.partname), part.partname))


def count_in_docx(path: Path) -> Counter[str]:
    """Count what the file holds that is not read; nothing for a file that cannot be read."""
    try:
        with zipfile.ZipFile(path) as file:
            folders = [Path(name).parent.name for name in file.namelist()]
    except (OSError, zipfile.BadZipFile):
        return Counter()
    return Counter(f"{UNREAD[folder]} in Word files" for folder in folders if folder in UNREAD)


def _render(element: Any, boxes: list[Any], skipped: Collection[str]) -> str:
    """Return the text below an element. Text boxes go to ``boxes``: they are read after their paragraph."""
    name = _name(element)
    if name in skipped or (name.endswith("Pr") and name not in SHOWN):  # formatting has no text
        return ""
    if name in TEXTS:
        return element.text or ""
    if name == "txbxContent":
        boxes.append(element)
        return ""
    if name == "p":
        return _render_paragraph(element)
    if name == "AlternateContent":  # the same twice, for new and for old programs
        written = [child for child in element if any(_name(each) in TEXTS for each in child.iter())]
        return "".join(_render(child, boxes, skipped) for child in written[:1])
    return BREAKS.get(name, "") + _close(name, "".join(_render_inside(element, boxes, skipped)))


def _render_inside(element: Any, boxes: list[Any], skipped: Collection[str]) -> Iterator[str]:
    """Yield the words in attributes, then the texts of the children."""
    for attribute in SHOWN.get(_name(element), ()):
        if words := element.get(attribute):
            yield f" {words} "
    for child in element:
        yield _render(child, boxes, skipped)


def _render_paragraph(paragraph: Any) -> str:
    """Return a paragraph as it is now and, where changes were tracked, as it was; then its text boxes."""
    boxes: list[Any] = []
    now, before = ("".join(_render_inside(paragraph, boxes, skipped)) for skipped in (REMOVED, ADDED))
    lines = [now, before] if before.strip() and before != now else [now]
    inner = ("".join(_render_inside(box, [], frozenset())).rstrip("\n") for box in dict.fromkeys(boxes))
    return "".join(f"{line}\n" for line in (*lines, *inner))


def _close(name: str, text: str) -> str:
    """Return the text of an element with what follows it: the cells of a row are one line, with tabs."""
    if name == "tc":
        return text.removesuffix("\n") + "\t"
    return text.removesuffix("\t") + "\n" if name == "tr" else text


def _name(element: Any) -> str:
    """The name of an element without its namespace; "" for comments and processing instructions."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def read_pdf(path: Path) -> str:
    """Return the text of all pages, then of comments and form fields. Raises :class:`FormatError`."""
    reader = open_pdf(path)
    try:
        pages = [page.extract_text() for page in reader.pages]
        blank = [n for n, page in enumerate(reader.pages, 1) if not pages[n - 1].strip() and _is_drawn(page)]
        more = list(_read_comments(reader)) + list(_read_fields(reader))
    except Exception:  # pypdf raises many, and their messages can quote the file
        raise FormatError(f"{path}: not a PDF file that can be read; it is damaged") from None
    if blank:
        raise FormatError(
            f"{path}, page {blank[0]}: no text, as a scan has none; wanted one with recognized text (OCR)"
        )
    text = "\n".join([*pages, *more]) + "\n"
    if _share_unreadable(text) > UNREADABLE:
        raise FormatError(
            f"{path}: its fonts do not say which letters they show; wanted text, such as by OCR"
        )
    return text


def open_pdf(path: Path) -> Any:
    """Open a file. Raises :class:`FormatError` where it cannot be read, or pypdf is not installed."""
    try:
        import pypdf
    except ImportError:
        raise FormatError(f"PDF files need pypdf: {show_install('documents')}") from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # its warnings can quote the file
    try:
        reader = pypdf.PdfReader(path)
        locked = reader.is_encrypted and not reader.decrypt("")
    except Exception:
        raise FormatError(f"{path}: not a PDF file that can be read") from None
    if locked:
        raise FormatError(f"{path}: has a password; wanted a file without one")
    return reader


def count_in_pdf(path: Path) -> Counter[str]:
    """Count what the file holds that is not read; nothing for a file that cannot be read."""
    try:
        reader = open_pdf(path)
        pictures = sum(len(_find_pictures(page)) for page in reader.pages)
        attached = len(reader.attachments)
    except Exception:  # reading the file raises the error that the user sees
        return Counter()
    return +Counter({"pictures in PDF files": pictures, "files attached to PDF files": attached})


def _find_pictures(page: Any) -> list[str]:
    objects = page.get("/Resources", {}).get("/XObject", {})
    return [name for name, item in objects.items() if item.get_object().get("/Subtype") == "/Image"]


def _is_drawn(page: Any) -> bool:
    """Whether the page shows something."""
    contents = page.get_contents()
    return contents is not None and PAINTS.search(contents.get_data()) is not None


def _read_comments(reader: Any) -> Iterator[str]:
    for page in reader.pages:
        for item in page.get("/Annots") or ():
            if words := item.get_object().get("/Contents"):
                yield str(words)


def _read_fields(reader: Any) -> Iterator[str]:
    for name, field in (reader.get_fields() or {}).items():
        if (value := field.get("/V")) is not None:
            yield f"{name}: {value}"


def _share_unreadable(text: str) -> float:
    """The share of characters that are controls, private, not assigned, or the sign for none."""
    letters = [c for c in text if not c.isspace()]
    bad = sum(c == "\ufffd" or unicodedata.category(c) in ("Cc", "Co", "Cn") for c in letters)
    return bad / max(1, len(letters))


def render_text(document: Document) -> dict[str, str]:
    """Return the text; spans are lost."""
    return {".txt": document.text}


READERS = {".docx": read_docx, ".pdf": read_pdf}
COUNTERS = {".docx": count_in_docx, ".pdf": count_in_pdf}


def read(path: Path, encoding: str = "utf-8") -> Iterator[Document]:
    """Yield the one document of the file; its identifier is the file's stem. ``encoding`` is of texts."""
    reader = READERS.get(path.suffix.lower())
    yield Document(path.stem, reader(path) if reader else read_text(path, encoding))


def count_unread(path: Path) -> Counter[str]:
    """Count what the file holds that is not read, such as pictures."""
    count = COUNTERS.get(path.suffix.lower())
    return count(path) if count else Counter()


FORMAT = Format(
    "documents",
    (".txt", ".text", "", *READERS),
    read=read,
    render_document=render_text,
    has_spans=False,
)
