"""What the XML formats share: hardened parsing, and what XML cannot hold."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from crfdeid.document import Document
from crfdeid.faults import FormatFault
from crfdeid.files import read_text

ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def parsed(path: Path, encoding: str) -> Element:
    """The root element. Entities, and so entity bombs, are refused."""
    text = read_text(path, encoding)
    try:
        return fromstring(text.removeprefix("\ufeff"))
    except DefusedXmlException:
        raise FormatFault(f"{path}: declares entities, which are refused") from None
    except ParseError as error:
        line, column = error.position
        raise FormatFault(f"{path}, line {line}, column {column + 1}: malformed XML") from None


def check_characters(document: Document) -> None:
    """Raise :class:`FormatFault` at the first character that XML 1.0 cannot hold."""
    if match := ILLEGAL.search(document.text):
        raise FormatFault(
            f"{document.id}: character U+{ord(match[0]):04X} at offset {match.start()} cannot be in XML; "
            "use brat or jsonl"
        )
