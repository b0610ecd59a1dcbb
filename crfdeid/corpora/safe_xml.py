"""Read and write XML of any origin: entities are refused, and no character is lost."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import TextIO
from xml.etree.ElementTree import Element, ParseError, TreeBuilder
from xml.parsers.expat import ErrorString

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from crfdeid.corpora.storage import open_text
from crfdeid.errors import FormatError, show_id

# XML 1.0, production 2: the characters that no XML file can hold, escaped or not.
ILLEGAL = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
DECLARATION = re.compile(rb"""^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)["']""")
DEEPEST = 200  # elements in elements; documents have a dozen or two
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def read_xml(path: Path, encoding: str) -> Element:
    """Return the root element of a file. Raises what :func:`parse_xml` raises."""
    with open_text(path, find_encoding(path, encoding)) as file:
        return parse_xml(file, str(path))


def parse_xml(file: TextIO, where: str) -> Element:
    """Return the root element. Raises :class:`FormatError`, with the line, where the file is
    not well formed or declares an entity."""
    parser = DefusedXMLParser(target=BoundedBuilder())
    try:
        parser.feed(file.read().removeprefix("\ufeff"))
        root: Element = parser.close()
    except ParseError as error:
        line, column = error.position
        reason = ErrorString(error.code)  # the error itself names an undefined entity
        raise FormatError(f"{where}, line {line}, column {column + 1}: malformed XML: {reason}") from None
    except DefusedXmlException:
        line = parser.parser.CurrentLineNumber
        raise FormatError(f"{where}, line {line}: declares entities, which are refused") from None
    except TooDeep:
        line = parser.parser.CurrentLineNumber
        raise FormatError(f"{where}, line {line}: more than {DEEPEST} elements in each other") from None
    return root


class TooDeep(Exception):
    """Elements are nested so deep that functions that go into them would fail."""


class BoundedBuilder(TreeBuilder):
    """Builds a tree that is at most :data:`DEEPEST` deep."""

    depth = 0

    def start(self, tag: str, attributes: dict[str, str]) -> Element:
        self.depth += 1
        if self.depth > DEEPEST:
            raise TooDeep
        return super().start(tag, attributes)

    def end(self, tag: str) -> Element:
        self.depth -= 1
        return super().end(tag)


def find_only(element: Element, name: str) -> Element | None:
    """Return the child of that name, None if there is none. Raises :class:`ValueError` at a second one: its
    text would be lost."""
    found = element.findall(name)
    if len(found) > 1:
        raise ValueError(f"{len(found)} {name} elements; wanted one")
    return found[0] if found else None


def find_encoding(path: Path, encoding: str) -> str:
    """Return the encoding that the file declares or that its first bytes show, unless the user named
    another one than UTF-8."""
    if encoding != "utf-8" or not path.is_file():  # a pipe can be read only once
        return encoding
    try:
        with open(path, "rb") as file:
            start = file.read(200)
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from None
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    declaration = DECLARATION.match(start.removeprefix(codecs.BOM_UTF8))
    return _check_declared(declaration[1].decode("ascii"), path) if declaration else encoding


def _check_declared(name: str, path: Path) -> str:
    """Return the encoding's usual name. Raises :class:`FormatError`, which does not quote it."""
    try:
        "".encode(name)  # not every codec is of texts
        return codecs.lookup(name).name
    except (LookupError, UnicodeError):
        raise FormatError(f"{path}: declares an encoding that does not exist; --encoding names one") from None


def escape_content(text: str, id: str) -> str:
    """Return ``text`` as the content of an element. A carriage return is escaped, since a parser
    would read it as a line feed.

    >>> escape_content("a < b\\r", "n1")
    'a &lt; b&#13;'
    """
    from xml.sax.saxutils import escape  # which imports what reads from the network

    refuse_illegal(text, id)
    return escape(text, {"\r": "&#13;"})


def quote_attribute(value: str, id: str) -> str:
    """Return ``value`` as a quoted attribute value."""
    from xml.sax.saxutils import quoteattr

    refuse_illegal(value, id)
    return quoteattr(value, {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;"})


def refuse_illegal(text: str, id: str) -> None:
    """Raise :class:`FormatError` at the first character that XML cannot hold."""
    if found := ILLEGAL.search(text):
        raise FormatError(
            f"{show_id(id)}: character U+{ord(found[0]):04X} at offset {found.start()} cannot be in XML; "
            "use brat or jsonl"
        )
