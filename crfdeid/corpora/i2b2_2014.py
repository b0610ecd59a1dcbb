"""i2b2 2014 standoff XML: one document a file, ``<TEXT>`` and ``<TAGS>``.

Offsets are code points into TEXT after XML's line-end normalisation. LOCATION's type OTHER
reads as LOCATION-OTHER. The patient is NNN of a file NNN-NN.xml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from crfdeid.corpora import safe_xml
from crfdeid.errors import DocumentError, FormatError, SchemeError
from crfdeid.text import scheme
from crfdeid.text.document import Document, Span

SUFFIX = ".xml"
SUFFIXES = (SUFFIX,)
NUMBER = re.compile(r"\d{1,12}", re.ASCII)
ELEMENTS = ("PHI", "NAME", "PROFESSION", "LOCATION", "AGE", "DATE", "CONTACT", "ID", "OTHER")


def read(path: Path, encoding: str = "utf-8") -> Iterator[Document]:
    root = safe_xml.read(path, encoding)
    text, tags = root.find("TEXT"), root.find("TAGS")
    if text is None:
        raise FormatError(f"{path}: no TEXT element; wanted i2b2 2014 XML")
    found = [_span(tag, path) for tag in (tags if tags is not None else []) if tag.tag in ELEMENTS]
    numbered = re.fullmatch(r"(\d+)-\d+", path.stem)
    try:
        yield Document(path.stem, "".join(text.itertext()), tuple(found), numbered[1] if numbered else None)
    except DocumentError as fault:
        raise FormatError(f"{path}: {fault}") from None


def _span(tag: Element, path: Path) -> Span:
    start, end, type = (tag.get(name, "") for name in ("start", "end", "TYPE"))
    if not (type and NUMBER.fullmatch(start) and NUMBER.fullmatch(end)):
        raise FormatError(f"{path}: a {tag.tag} tag without whole numbers start and end, and TYPE")
    return Span(int(start), int(end), "LOCATION-OTHER" if (tag.tag, type) == ("LOCATION", "OTHER") else type)


def files(document: Document) -> dict[str, str]:
    text = document.text
    body = safe_xml.content(text, document.id)
    # CDATA cannot hold its own end, nor a carriage return (it would be normalised).
    body = body if "]]>" in text or "\r" in text else f"<![CDATA[{text}]]>"
    tags = "".join(_tag(document, number, span) for number, span in enumerate(document.spans))
    return {SUFFIX: f"{safe_xml.HEAD}<deIdi2b2>\n<TEXT>{body}</TEXT>\n<TAGS>\n{tags}</TAGS>\n</deIdi2b2>\n"}


def _tag(document: Document, number: int, span: Span) -> str:
    covered = safe_xml.attribute(document.text_of(span), document.id)
    type = safe_xml.attribute(span.type, document.id)
    comment = "" if span.probability is None else f"probability {span.probability:.4f}"
    return (
        f'<{element(span.type)} id="P{number}" start="{span.start}" end="{span.end}" '
        f'text={covered} TYPE={type} comment="{comment}" />\n'
    )


def element(type: str) -> str:
    """The element of a type: its category in the scheme that has it, else PHI."""
    for name in ("i2b2-2014", "meddocan"):
        try:
            return scheme.read(name).category(type)
        except SchemeError:
            continue
    return "PHI"
