"""A document as its tokens see it: its lines, and the chunks and words between white space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from crfdeid.text.document import Token
from crfdeid.text.tokenizer import is_line_end


class TokenizedDocument:
    """``tokens`` are those of the whole ``text``, line ends included; ``lowered`` are their texts in
    lower case, ``lines`` the index ranges of the lines."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.lowered = [token.text.lower() for token in tokens]
        self.lines = list(find_lines(tokens))

    def text_of(self, part: range) -> str:
        """The text from the first token of ``part`` to its last."""
        return self.text[self.tokens[part[0]].start : self.tokens[part[-1]].end]

    @cached_property
    def words(self) -> list[tuple[str, range]]:
        """The written words, as :func:`find_words` finds them, with their index ranges."""
        return [(self.text_of(part), part) for part in find_words(self)]


def find_lines(tokens: Sequence[Token]) -> Iterator[range]:
    """Yield the index ranges of the lines, each with its line end."""
    start = 0
    for index, token in enumerate(tokens):
        if is_line_end(token):
            yield range(start, index + 1)
            start = index + 1
    if start < len(tokens):
        yield range(start, len(tokens))


def find_chunks(document: TokenizedDocument) -> Iterator[range]:
    """Yield the index ranges of tokens with no white space between them."""
    start = 0
    for index in range(1, len(document.tokens) + 1):
        if index == len(document.tokens) or document.tokens[index - 1].end != document.tokens[index].start:
            yield range(start, index)
            start = index


def find_words(document: TokenizedDocument) -> Iterator[range]:
    """Yield the index ranges of the written words: each chunk without the marks around it. Each of
    those marks is a word by itself, and so is a line end.

    >>> from crfdeid.text.tokenizer import fine
    >>> TokenizedDocument("(555-0142),", fine("(555-0142),")).words
    [('(', range(0, 1)), ('555-0142', range(1, 4)), (')', range(4, 5)), (',', range(5, 6))]
    """
    for part in find_chunks(document):
        start = part.start
        for index in part:
            if is_line_end(document.tokens[index]):
                yield from _split_outer_marks(document, range(start, index))
                yield range(index, index + 1)
                start = index + 1
        yield from _split_outer_marks(document, range(start, part.stop))


def _split_outer_marks(document: TokenizedDocument, part: range) -> Iterator[range]:
    readable = [i for i in part if any(c.isalnum() for c in document.tokens[i].text)]
    core = range(readable[0], readable[-1] + 1) if readable else range(part.stop, part.stop)
    yield from (range(i, i + 1) for i in range(part.start, core.start))
    if core:
        yield core
    yield from (range(i, i + 1) for i in range(core.stop, part.stop))
