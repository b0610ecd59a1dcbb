"""i2b2 2006: all documents in one XML file, PHI marked in the text.

``<ROOT><RECORD ID="…"><TEXT>… <PHI TYPE="…">…</PHI> …</TEXT></RECORD></ROOT>``,
also with DOCUMENT in place of RECORD. PHI may stand within PHI.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO
from xml.etree.ElementTree import Element

from crfdeid.corpora import hardened
from crfdeid.corpora.inline import marked
from crfdeid.document import Document, Span
from crfdeid.faults import FormatFault

SUFFIX = ".xml"
RECORDS = ("RECORD", "DOCUMENT")


def parse(file: TextIO, where: str) -> Iterator[Document]:
    root = hardened.parse(file, where)
    for number, record in enumerate((e for e in root.iter() if e.tag in RECORDS), 1):
        id, text = record.get("ID") or record.get("id"), record.find("TEXT")
        if not id or text is None:
            raise FormatFault(f"{where}: record {number} has no {'ID' if not id else 'TEXT'}")
        spans: list[Span] = []
        yield Document(id, collect(text, 0, spans, f"{where}: record {number}"), tuple(spans))


def collect(element: Element, start: int, spans: list[Span], where: str) -> str:
    """The text within ``element``, which begins at ``start`` of the document; the spans
    of the PHI in it are added to ``spans``."""
    parts = [element.text or ""]
    end = start + len(parts[0])
    for child in element:
        within = collect(child, end, spans, where)
        if child.tag == "PHI":
            if not (type := child.get("TYPE")):
                raise FormatFault(f"{where}: PHI at offset {end} has no TYPE")
            spans.append(Span(end, end + len(within), type))
        parts += [within, child.tail or ""]
        end += len(within) + len(parts[-1])
    return "".join(parts)


def pieces(documents: Iterable[Document]) -> Iterator[str]:
    yield f"{hardened.HEAD}<ROOT>\n"
    for document in documents:
        hardened.check(document.text, document.id)
        yield f"<RECORD ID={hardened.attribute(document.id, 'document id')}>\n<TEXT>"
        yield from marked(
            document,
            begin=lambda span: f"<PHI TYPE={hardened.attribute(span.type, 'type')}>",
            end=lambda span: "</PHI>",
            content=lambda text: hardened.content(text, ""),
        )
        yield "</TEXT>\n</RECORD>\n"
    yield "</ROOT>\n"
