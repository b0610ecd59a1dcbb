"""Typography without meaning, folded: a text as a plain typewriter writes it, with the way back.

Two texts that differ only in their line ends, dashes, quotes or spaces fold to the same text. Systems see
the folded text in training and in tagging; spans are of the original text everywhere else.

| written | folded |
|---|---|
| CRLF, lone CR, vertical tab, form feed, next line, line and paragraph separator | line feed |
| hyphens, dashes, the minus sign | ``-`` |
| single quotes, prime, acute accent; double quotes, double prime | ``'``; ``"`` |
| no-break, thin, ideographic and other spaces | a blank |
| full-width ASCII, fraction slash | ASCII |
| Latin ligatures | their letters |
| soft hyphen, zero-width characters, marks of direction, byte order mark | nothing |
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from crfdeid.text.document import Document, Span, Token

LINE_ENDS = "\r\v\f"  # of ASCII; LF is what they become
SAME_LENGTH = {
    "\n": LINE_ENDS + "\x85\u2028\u2029",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63",
    "'": "\u2018\u2019\u201a\u201b\u2032\u00b4",
    '"': "\u201c\u201d\u201e\u201f\u2033",
    " ": "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
    "/": "\u2044\u2215",
}
LIGATURES = {
    "\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st",
    "\ufb06": "st",
}  # fmt: skip
INVISIBLE = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
FULL_WIDTH = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
PLAIN = FULL_WIDTH | {sign: plain for plain, signs in SAME_LENGTH.items() for sign in signs}
OTHER_LENGTH = re.compile(rf"[\r{INVISIBLE}{''.join(LIGATURES)}](?<!\r(?!\n))")  # \r only of \r\n
FOLDED = re.compile(f"[{''.join(PLAIN)}{INVISIBLE}{''.join(LIGATURES)}]")


@dataclass(frozen=True)
class Folding:
    """The folded ``text`` and the way back: from ``starts[i]`` of it, until the next start, an offset plus
    ``shifts[i]`` is the offset in the ``original`` text."""

    original: str
    text: str
    starts: Sequence[int]
    shifts: Sequence[int]

    def find_origin(self, index: int) -> int:
        """Return the original offset of the folded character at ``index``."""
        return index + self.shifts[bisect_right(self.starts, index) - 1]

    def unfold(self, span: Span) -> Span:
        """Return a span of the folded text as one of the original text."""
        if self.text is self.original:
            return span
        start, end = self.find_origin(span.start), self.find_origin(span.end - 1) + 1
        return replace(span, start=start, end=end)

    def unfold_token(self, token: Token) -> Token:
        """Return a token of the folded text as it is in the original text."""
        start, end = self.find_origin(token.start), self.find_origin(token.end - 1) + 1
        return Token(self.original[start:end], start)

    def unfold_document(self, found: Document) -> Document:
        """Return a document of the folded text and its spans as one of the original text."""
        if found.text is self.original:
            return found
        return replace(found, text=self.original, spans=tuple(map(self.unfold, found.spans)))

    def fold(self, span: Span) -> Span | None:
        """Return a span of the original text as one of the folded text; ``None`` where nothing is left."""
        places = range(len(self.text))
        start, end = (bisect_left(places, edge, key=self.find_origin) for edge in (span.start, span.end))
        return replace(span, start=start, end=end) if start < end else None

    def fold_document(self, document: Document) -> Document:
        """Return a document of the original text and its spans as one of the folded text."""
        if document.text is self.text:
            return document
        spans = (self.fold(span) for span in document.spans)
        return replace(document, text=self.text, spans=tuple(span for span in spans if span))


def is_folded(text: str) -> bool:
    """Whether the text has nothing to fold. This is fast for ASCII."""
    if text.isascii():
        return not any(sign in text for sign in LINE_ENDS)
    return FOLDED.search(text) is None


def fold_text(text: str) -> Folding:
    r"""Fold a text.

    >>> fold_text("54\u2013year\u2013old\r\nMr. O\u2019Neil").text
    "54-year-old\nMr. O'Neil"
    """
    starts, shifts = [0], [0]
    if is_folded(text):
        return Folding(text, text, starts, shifts)
    pieces: list[str] = []
    at = length = 0
    for match in OTHER_LENGTH.finditer(text):
        letters = LIGATURES.get(match[0], "")
        pieces += (text[at : match.start()], letters)
        length += match.start() - at
        for number in range(1, len(letters)):
            starts.append(length + number)
            shifts.append(match.start() - length - number)
        length, at = length + len(letters), match.end()
        starts.append(length)
        shifts.append(at - length)
    return Folding(text, replace_signs("".join([*pieces, text[at:]])), starts, shifts)


def replace_signs(text: str) -> str:
    """Replace the characters of :data:`PLAIN`."""
    for sign in set(FOLDED.findall(text)):  # a text has few of them; str.translate takes ten times as long
        text = text.replace(sign, PLAIN[sign])
    return text


def fold_document(document: Document) -> Document:
    """Return the document with its text folded and its spans at the same characters."""
    return fold_text(document.text).fold_document(document)


def tag_folded(
    tag: Callable[[Iterable[Document]], Iterable[Document]], documents: Iterable[Document]
) -> Iterator[Document]:
    r"""Let ``tag`` find spans in the folded documents, and yield the documents as they were with those
    spans. ``tag`` gives one document for each, in order; it can read some ahead.

    >>> tag = lambda documents: (d.with_spans([Span(0, len(d.text), "DATE")]) for d in documents)
    >>> found = tag_folded(tag, [Document("n", "\ufeff3\u20134"), Document("n", "3-4")])
    >>> [(span.start, span.end) for note in found for span in note.spans]
    [(1, 4), (0, 3)]
    """
    waiting: deque[Folding] = deque()
    found = tag(_fold_each(documents, waiting))
    return (waiting.popleft().unfold_document(document) for document in found)


def _fold_each(documents: Iterable[Document], waiting: deque[Folding]) -> Iterator[Document]:
    """Yield the documents folded; ``waiting`` gets the foldings."""
    for document in documents:
        folding = fold_text(document.text)
        waiting.append(folding)
        yield folding.fold_document(document)
