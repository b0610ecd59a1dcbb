"""i2b2 2014 standoff XML: one document in each file, ``<TEXT>`` and ``<TAGS>``.

Offsets are code points of TEXT after XML has normalised line ends. There is one reader,
:func:`read_xml_document`, which keeps the tags as the file has them: scores need them so, and
:func:`read_sides` makes spans of them. LOCATION's type OTHER is read as LOCATION-OTHER. The patient of a
file NNN-NN.xml is NNN.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

from crfdeid.corpora import safe_xml
from crfdeid.corpora.format import Format
from crfdeid.errors import FormatError, SchemeError
from crfdeid.text import scheme
from crfdeid.text.document import Document, Span

SUFFIX = ".xml"
ELEMENTS = ("PHI", "NAME", "PROFESSION", "LOCATION", "AGE", "DATE", "CONTACT", "ID", "OTHER")


class XmlTag(NamedTuple):
    """A tag as the file has it: element and TYPE in their case. It may be empty (start = end)."""

    element: str
    type: str
    start: int
    end: int


@dataclass(frozen=True)
class XmlDocument:
    """One file. ``tags`` are in the order of the file, None where it has no TAGS element."""

    path: Path
    text: str = field(repr=False)
    tags: tuple[XmlTag, ...] | None


def read_xml_document(path: Path, encoding: str = "utf-8") -> XmlDocument:
    """Read one file. Raises :class:`FormatError` where it has no TEXT or two, or where a tag has no TYPE, has
    an offset that is not a whole number, or leaves the text."""
    root = safe_xml.read_xml(path, encoding)
    try:
        element, block = safe_xml.find_only(root, "TEXT"), safe_xml.find_only(root, "TAGS")
    except ValueError as error:
        raise FormatError(f"{path}: {error}") from None
    if element is None:
        raise FormatError(f"{path}: no TEXT element; wanted i2b2 2014 XML")
    if outside := sum(child.tag in ELEMENTS for child in root):
        raise FormatError(f"{path}: {outside} tags outside of TAGS, where no reader looks for them")
    text = "".join(element.itertext())
    return XmlDocument(path, text, None if block is None else tuple(_read_tags(block, path, len(text))))


def _read_tags(block: Iterable[Element], path: Path, length: int) -> Iterator[XmlTag]:
    for number, child in enumerate(block, 1):
        if child.tag not in ELEMENTS:
            continue
        where = f"{path}: tag {number}: {child.tag}"
        try:
            attributes = child.attrib
            tag = XmlTag(child.tag, attributes["TYPE"], int(attributes["start"]), int(attributes["end"]))
        except KeyError as error:
            raise FormatError(f"{where} has no {error.args[0]}") from None
        except ValueError:
            raise FormatError(f"{where}: its start and end must be whole numbers") from None
        if not 0 <= tag.start <= tag.end <= length:
            raise FormatError(f"{where} at {tag.start}-{tag.end} leaves the text of {length} characters")
        yield tag


def read(path: Path, encoding: str = "utf-8") -> Iterator[Document]:
    """Yield the one document of the file; its identifier is the file's stem."""
    found = read_xml_document(path, encoding)
    spans = tuple(_build_span(tag, path) for tag in found.tags or ())
    numbered = re.fullmatch(r"(\d+)-\d+", path.stem)
    yield Document(path.stem, found.text, spans, numbered[1] if numbered else None)


def _build_span(tag: XmlTag, path: Path) -> Span:
    element, type, start, end = tag
    if not type:
        raise FormatError(f"{path}: {element} at {start}-{end} has an empty TYPE")
    return Span(start, end, "LOCATION-OTHER" if (element, type) == ("LOCATION", "OTHER") else type)


def render_document(document: Document) -> dict[str, str]:
    """Return the text of the document's file."""
    text = document.text
    body = safe_xml.escape_content(text, document.id)
    # CDATA cannot hold its own end, nor a carriage return (a parser would normalise it).
    body = body if "]]>" in text or "\r" in text else f"<![CDATA[{text}]]>"
    tags = "".join(_render_tag(document, number, span) for number, span in enumerate(document.spans))
    return {SUFFIX: f"{safe_xml.HEAD}<deIdi2b2>\n<TEXT>{body}</TEXT>\n<TAGS>\n{tags}</TAGS>\n</deIdi2b2>\n"}


def _render_tag(document: Document, number: int, span: Span) -> str:
    text = safe_xml.quote_attribute(document.text_of(span), document.id)
    type = safe_xml.quote_attribute(span.type, document.id)
    comment = "" if span.probability is None else f"probability {span.probability:.4f}"
    return (
        f'<{find_element(span.type)} id="P{number}" start="{span.start}" end="{span.end}" '
        f'text={text} TYPE={type} comment="{comment}" />\n'
    )


def find_element(type: str) -> str:
    """Return the element of a type: its category in the scheme that has it, else PHI."""
    for name in ("i2b2-2014", "meddocan", "i2b2-categories"):
        with suppress(SchemeError):
            return scheme.read_scheme(name).category(type)
    return "PHI"


FORMAT = Format("i2b2", (SUFFIX,), read=read, render_document=render_document)
