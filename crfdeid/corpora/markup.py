"""The texts and attributes of XML with their places, so that a change leaves everything else as it is.

A scan by regular expressions is exact here, because a parser (:mod:`crfdeid.corpora.safe_xml`) has found the
XML well formed and without a document type.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from crfdeid.corpora import messages
from crfdeid.corpora.messages import GLUE, Character

PIECE = re.compile(
    r"(?P<comment><!--.*?-->)|<!\[CDATA\[(?P<cdata>.*?)\]\]>|(?P<instruction><\?.*?\?>)"
    r"|<(?P<close>/?)(?P<name>[^\s/>!?]+)(?P<attributes>(?:[^>\"']|\"[^\"]*\"|'[^']*')*)>|(?P<text>[^<]+)",
    re.DOTALL,
)
# a name without a value is matched too, so that a long one is not tried from each of its letters
ATTRIBUTE = re.compile(r"([^\s=/\"'<>]++)(?:\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)'))?")
REFERENCE = re.compile(r"&(?:#[0-9]+|#x[0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);|\r\n|.", re.DOTALL)
NAMED = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z][A-Za-z0-9]*;")
STYLES = re.compile(
    r"style|border|width|height|(cell)?(padding|spacing)|v?align|scope|xmlns(:\w+)?", re.ASCII
)
STYLE = re.compile(r"[\w\s.:;,%#()/-]{0,200}", re.ASCII)
NAMES = re.compile(
    r"class|styleCode|(col|row)[sS]pan|span|listType|(xml:)?lang|ID|IDREF|referencedObject|frame|rules|href"
)
ONE_NAME = re.compile(r"#?[\w.-]{0,60}", re.ASCII)
INLINE = re.compile(r"a|abbr|b|big|code|content|em|font|i|q|s|small|span|strong|sub|sup|tt|u", re.IGNORECASE)
ILLEGAL = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Attribute(NamedTuple):
    """The value of an attribute, ``source[start:end]`` without its quotes."""

    name: str
    start: int
    end: int


class Piece(NamedTuple):
    """A piece of XML: ``kind`` is open, close, empty, text, cdata, comment or instruction. ``start`` and
    ``end`` are those of the text of a CDATA section. ``name`` has no prefix."""

    kind: str
    start: int
    end: int
    name: str = ""
    attributes: Sequence[Attribute] = ()


def scan(source: str, start: int = 0) -> Iterator[Piece]:
    """Yield the pieces of well-formed XML.

    >>> [(piece.kind, piece.name) for piece in scan('<a b="c">d<e/></a>')]
    [('open', 'a'), ('text', ''), ('empty', 'e'), ('close', 'a')]
    """
    for found in PIECE.finditer(source, start):
        if found["name"]:
            name = found["name"].rpartition(":")[2]
            kind = "close" if found["close"] else "empty" if found["attributes"].endswith("/") else "open"
            yield Piece(kind, found.start(), found.end(), name, list_attributes(found))
        else:
            kind = next(
                kind for kind in ("comment", "cdata", "instruction", "text") if found[kind] is not None
            )
            yield Piece(kind, *found.span(kind))


def list_attributes(tag: re.Match[str]) -> list[Attribute]:
    found = ATTRIBUTE.finditer(tag.string, *tag.span("attributes"))
    quoted = (each for each in found if each.lastindex != 1)
    return [Attribute(each[1], *each.span(2 if each[2] is not None else 3)) for each in quoted]


def decode_text(source: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    """Yield the characters of a text of XML, each with the offset of its end; a line end is one.

    >>> [text for text, _ in decode_text("a &amp; &#233;", 0, 14)]
    ['a', ' ', '&', ' ', 'é']
    """
    for found in REFERENCE.finditer(source, start, end):
        text = "\n" if found[0] in ("\r\n", "\r") else found[0]
        yield (html.unescape(text) if text[0] == "&" else text), found.end()


def decode_cdata(source: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    for found in REFERENCE.finditer(source, start, end):
        if found[0][0] == "&":
            yield from ((source[at], at + 1) for at in range(*found.span()))
        else:
            yield ("\n" if found[0] in ("\r\n", "\r") else found[0]), found.end()


def encode_text(text: str) -> str:
    """Return a text as XML has it. What XML cannot hold becomes U+FFFD."""
    return escape(text, {"\r": "&#13;"})


def encode_attribute(text: str) -> str:
    """Return a text as the value of an attribute has it, in quotes of either kind."""
    quotes = {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;", '"': "&quot;", "'": "&#39;"}
    return escape(text, quotes)


def escape(text: str, entities: dict[str, str]) -> str:
    from xml.sax import saxutils  # which imports what reads from the network

    return saxutils.escape(ILLEGAL.sub("\ufffd", text), entities)


def list_texts(pieces: Iterable[Piece]) -> Iterator[tuple[Piece, bool]]:
    """Yield the texts, each with whether a line ends before it: between two elements that are not inline."""
    ends_line = False
    for piece in pieces:
        if piece.kind in ("text", "cdata"):
            yield piece, ends_line
            ends_line = False
        elif piece.name and not INLINE.fullmatch(piece.name):
            ends_line = True


def list_characters(
    source: str, pieces: Iterable[Piece], characters: Sequence[Character] = ()
) -> list[Character]:
    """Return the characters of the texts of pieces, each text a node. ``characters`` are those of ``source``
    where it is a string inside another source."""
    joined: list[Character] = []
    for node, (piece, ends_line) in enumerate(list_texts(pieces)):
        decode = decode_cdata if piece.kind == "cdata" else decode_text
        found = messages.list_characters(source, piece.start, piece.end, node, decode)
        if characters:
            found = (
                Character(c.text, characters[c.start].start, characters[c.end - 1].end, node) for c in found
            )
        joined += [GLUE] if joined and ends_line else []
        joined += found
    return joined


def replace_entities(text: str) -> str:
    """Return a text in which the named entities of HTML, which XML does not have, are their characters."""
    return NAMED.sub(lambda found: html.unescape(found[0]), text)


def list_masked(source: str, pieces: Iterable[Piece]) -> Iterator[Attribute]:
    """Yield the places of comments, instructions and values of attributes that do not go out."""
    for piece in pieces:
        if piece.kind in ("comment", "instruction"):
            yield Attribute("", piece.start, piece.end)
        for each in piece.attributes:
            if each.start < each.end and not is_kept(each.name, source[each.start : each.end]):
                yield each


def list_kept(source: str, pieces: Iterable[Piece]) -> Iterator[Attribute]:
    """Yield the places of the values of attributes that go out."""
    attributes = (each for piece in pieces for each in piece.attributes if each.start < each.end)
    return (each for each in attributes if is_kept(each.name, source[each.start : each.end]))


def is_kept(name: str, value: str) -> bool:
    """Whether an attribute of a narrative goes out: one of its looks, a name of one word, a local link.

    >>> is_kept("class", "table"), is_kept("title", "x"), is_kept("href", "https://a.b")
    (True, False, False)
    """
    if NAMES.fullmatch(name):
        return ONE_NAME.fullmatch(value) is not None
    return STYLES.fullmatch(name) is not None and STYLE.fullmatch(value) is not None
