"""i2b2/UTHealth 2014 track 1: one XML file per document, spans beside the text.

``<TEXT>`` holds the note, each child of ``<TAGS>`` a span: the element is the
category, ``TYPE`` the type. Offsets count code points of the text after XML's
normalisation of line ends. The challenge's script is the reference for which elements
count; ``id``, ``text`` and ``comment`` are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO
from xml.etree.ElementTree import Element

from crfdeid import scheme
from crfdeid.corpora import hardened
from crfdeid.document import Document, Span
from crfdeid.faults import FormatFault, SchemeFault
from crfdeid.scheme import Scheme

SUFFIX = ".xml"
ELEMENTS = ("PHI", "NAME", "PROFESSION", "LOCATION", "AGE", "DATE", "CONTACT", "ID", "OTHER")
PATIENT = re.compile(r"(\d+)-\d+")  # 220-03.xml is the third note of patient 220


def parse(file: TextIO, where: str) -> Iterator[Document]:
    """The file's one document; its id is the file's stem."""
    root = hardened.parse(file, where)
    text = root.find("TEXT")
    if text is None:
        raise FormatFault(f"{where}: no TEXT in {root.tag}; wanted an i2b2 2014 file")
    id = Path(where).stem
    numbered = PATIENT.fullmatch(id)
    spans = [
        span_of(element, where) for tags in root.iter("TAGS") for element in tags if element.tag in ELEMENTS
    ]
    yield Document(id, "".join(text.itertext()), tuple(spans), numbered[1] if numbered else None)


def span_of(element: Element, where: str) -> Span:
    """The span of one child of TAGS. The 2014 files write LOCATION's OTHER in two ways."""
    tag = f"{where}: {element.tag} {element.get('id', 'without id')}"
    type = element.get("TYPE")
    if not type:
        raise FormatFault(f"{tag} has no TYPE")
    if element.tag == "LOCATION" and type == "OTHER":
        type = "LOCATION-OTHER"
    return Span(number(element, "start", tag), number(element, "end", tag), type)


def number(element: Element, name: str, tag: str) -> int:
    value = element.get(name, "")
    if not re.fullmatch(r"\d{1,12}", value, re.ASCII):
        raise FormatFault(f"{tag}: its {name} is no whole number")
    return int(value)


def pieces(documents: Iterable[Document], scheme: Scheme | None = None) -> Iterator[str]:
    """One XML file per document. The text is a CDATA section, as in the challenge's
    files, unless it holds what such a section cannot."""
    for document in documents:
        text = document.text
        escaped = hardened.content(text, document.id)
        yield f"{hardened.HEAD}<deIdi2b2>\n<TEXT>"
        yield escaped if "\r" in text or "]]>" in text else f"<![CDATA[{text}]]>"
        yield "</TEXT>\n<TAGS>\n"
        yield from (f"{tag(document, span, i, scheme)}\n" for i, span in enumerate(document.spans))
        yield "</TAGS>\n</deIdi2b2>\n"


def tag(document: Document, span: Span, index: int, scheme: Scheme | None) -> str:
    text = hardened.attribute(document.covered(span), document.id)
    type = hardened.attribute(span.type, document.id)
    comment = "" if span.probability is None else f"probability {span.probability:.4f}"
    where = f'id="P{index}" start="{span.start}" end="{span.end}"'
    return f'<{category(span.type, scheme)} {where} text={text} TYPE={type} comment="{comment}" />'


def category(type: str, labels: Scheme | None) -> str:
    """The element of a type: its category, or PHI where the script knows no such element.

    >>> category("ZIP", None), category("KENNEL", None)
    ('LOCATION', 'PHI')
    """
    try:
        name = (labels or scheme.read()).category(type)
    except SchemeFault:
        return "PHI"
    return name if name in ELEMENTS else "PHI"
