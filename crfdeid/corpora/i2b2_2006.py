"""i2b2 2006 inline XML: all documents in one file, ``<PHI TYPE="…">`` around each span.

``<ROOT><RECORD ID="…"><TEXT>…</TEXT></RECORD></ROOT>``; an element may also be
named DOCUMENT instead of RECORD.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from crfdeid.corpora import safe_xml
from crfdeid.corpora.format import Format
from crfdeid.errors import FormatError, show_id
from crfdeid.text.document import Document, Span, find_overlap
from crfdeid.text.scheme import show_span

RECORDS = ("RECORD", "DOCUMENT")


def is_inline_xml(path: Path) -> bool:
    """Whether an XML file is in this format, by its first 4096 bytes."""
    try:
        with path.open("rb") as file:
            head = file.read(4096).replace(b"\0", b"").partition(b"<TEXT")[0]  # NUL: it may be UTF-16
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from None
    return any(f"<{name} ".encode() in head for name in RECORDS)


def read(path: Path, encoding: str = "utf-8") -> Iterator[Document]:
    """Yield the document of each record. Raises :class:`FormatError` where PHI is outside of a record's TEXT:
    it would be lost."""
    root = safe_xml.read_xml(path, encoding)
    inside = sum(len(root.findall(f".//{name}/TEXT/PHI")) for name in RECORDS)
    if outside := sum(1 for _ in root.iter("PHI")) - inside:
        raise FormatError(f"{path}: {outside} PHI elements in a wrong place; wanted them flat in TEXT")
    for number, record in enumerate((r for r in root.iter() if r.tag in RECORDS), 1):
        try:
            text = safe_xml.find_only(record, "TEXT")
        except ValueError as error:
            raise FormatError(f"{path}: record {number}: {error}") from None
        if text is None or "ID" not in record.attrib:
            raise FormatError(f"{path}: record {number} has no TEXT element or no ID")
        yield _build_document(record.attrib["ID"], text, f"{path}: record {number}")


def _build_document(id: str, element: Element, where: str) -> Document:
    pieces, spans = [element.text or ""], []
    length = len(pieces[0])
    for number, phi in enumerate(element, 1):
        if phi.tag != "PHI" or "TYPE" not in phi.attrib or len(phi):
            raise FormatError(f"{where}: element {number} in TEXT: wanted flat <PHI TYPE=…>")
        inside = phi.text or ""
        if inside:
            spans.append(Span(length, length + len(inside), phi.attrib["TYPE"]))
        pieces += [inside, phi.tail or ""]
        length += len(inside) + len(pieces[-1])
    return Document(id, "".join(pieces), tuple(spans))


def render_corpus(documents: Iterable[Document]) -> Iterator[str]:
    """Yield the file's text, record by record. Raises :class:`FormatError` where spans overlap."""
    yield f"{safe_xml.HEAD}<ROOT>\n"
    for document in documents:
        safe_xml.refuse_illegal(document.text, document.id)
        if pair := find_overlap(document.spans):
            a, b = pair
            raise FormatError(
                f"{show_id(document.id)}: {show_span(a)} overlaps {show_span(b)}; inline XML cannot hold both"
            )
        id = safe_xml.quote_attribute(document.id, "document id")
        yield f"<RECORD ID={id}>\n<TEXT>{_render_text(document)}</TEXT>\n</RECORD>\n"
    yield "</ROOT>\n"


def _render_text(document: Document) -> str:
    parts, end = [], 0
    for span in document.spans:
        parts.append(safe_xml.escape_content(document.text[end : span.start], document.id))
        within = safe_xml.escape_content(document.text_of(span), document.id)
        parts.append(f"<PHI TYPE={safe_xml.quote_attribute(span.type, document.id)}>{within}</PHI>")
        end = span.end
    return "".join([*parts, safe_xml.escape_content(document.text[end:], document.id)])


FORMAT = Format("i2b2-2006", (".xml",), read=read, render_corpus=render_corpus)
