"""A document as its tokens see it: lines, headings, neighbours, repeats.

These are the contextual observations: each gives one value per token of the whole
document, and is computed once, when a template first asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache

import regex

from crfdeid.feature_extraction.token import YES, Value, short_shape
from crfdeid.text.document import Token
from crfdeid.text.tokenizer import is_line_end

TITLES = frozenset(["mr", "mrs", "ms", "miss", "dr", "doctor", "drs", "sr", "sra", "prof"])
HEADING_WORDS = 6
OUTER = regex.compile(r"^\W+|\W+$")
ADDRESSES = {
    "email": regex.compile(r"[\w.+-]+@[\w-]+\.\w"),
    "url": regex.compile(r"(?i)https?:/|www\.|\w\.(com|org|net|edu|gov)\b"),
    "ip": regex.compile(r"(?<![\d.])\d{1,3}(\.\d{1,3}){3}(?![\d.])"),
}
NUMBER = regex.compile(r"\d+")
WORD = regex.compile(r"[^\W\d]+")


class TokenizedDocument:
    """``tokens`` are those of the whole ``text``, line ends included."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.lowered = [token.text.lower() for token in tokens]
        self.lines = list(lines(tokens))

    def text_of(self, part: range) -> str:
        """The text from the first token of ``part`` to its last."""
        return self.text[self.tokens[part[0]].start : self.tokens[part[-1]].end]

    @cached_property
    def words(self) -> list[tuple[str, range]]:
        """The written words and their index ranges, told by :func:`words`."""
        return [(self.text_of(part), part) for part in words(self)]


def lines(tokens: Sequence[Token]) -> Iterator[range]:
    """Index ranges of the lines, each with its line end."""
    start = 0
    for index, token in enumerate(tokens):
        if is_line_end(token):
            yield range(start, index + 1)
            start = index + 1
    if start < len(tokens):
        yield range(start, len(tokens))


def line_position(document: TokenizedDocument) -> list[Value]:
    """How many tokens stand before this one in its line, up to 5."""
    return [str(min(i, 5)) for line in document.lines for i in range(len(line))]


def line_left(document: TokenizedDocument) -> list[Value]:
    """How many tokens follow in the line, up to 5."""
    return [str(min(i, 5)) for line in document.lines for i in reversed(range(len(line)))]


def line_case(document: TokenizedDocument) -> list[Value]:
    """Whether the line is written without capitals or without small letters."""
    values: list[Value] = []
    for line in document.lines:
        words = [document.tokens[i].text for i in line if document.tokens[i].text.isalpha()]
        joined = "".join(words)
        case = "lower" if joined.islower() else "upper" if len(words) > 1 and joined.isupper() else None
        values += [case] * len(line)
    return values


def page_position(document: TokenizedDocument) -> list[Value]:
    """Lines from the top, or from the bottom, of the document; nothing in between."""
    values: list[Value] = []
    count = len(document.lines)
    for number, line in enumerate(document.lines):
        left = count - 1 - number
        near = f"top{number}" if number < 4 else f"bottom{left}" if left < 4 else None
        values += [near] * len(line)
    return values


def leading_words(document: TokenizedDocument, line: range) -> str:
    """The words before a colon that begin a line, or nothing."""
    words: list[str] = []
    for index in line:
        text = document.lowered[index]
        if text == ":":
            return " ".join(words)
        if len(words) == HEADING_WORDS or is_line_end(document.tokens[index]):
            break
        if text.isalpha():
            words.append(text)
    return ""


def heading(document: TokenizedDocument) -> list[Value]:
    """The section heading the token stands under: the last words that began a line
    and were followed by a colon."""
    values: list[Value] = []
    current: Value = None
    for line in document.lines:
        current = leading_words(document, line) or current
        values += [current] * len(line)
    return values


def field(document: TokenizedDocument) -> list[Value]:
    """The word before the nearest colon on the left, in the same line.

    >>> from crfdeid.text.tokenizer import fine
    >>> field(TokenizedDocument("Name: Ruiz  MRN: 12", fine("Name: Ruiz  MRN: 12")))
    [None, None, 'name', 'name', 'name', 'mrn']
    """
    values: list[Value] = []
    for line in document.lines:
        current: Value = None
        for index in line:
            values.append(current)
            if (
                document.lowered[index] == ":"
                and index > line.start
                and document.lowered[index - 1].isalpha()
            ):
                current = document.lowered[index - 1]
    return values


def word_before(document: TokenizedDocument) -> list[Value]:
    """The nearest word to the left in the line, past punctuation and digits."""
    return nearest(document, lambda line: line)


def word_after(document: TokenizedDocument) -> list[Value]:
    """The nearest word to the right in the line, past punctuation and digits."""
    return nearest(document, lambda line: reversed(line))


def nearest(document: TokenizedDocument, order: Callable[[range], Iterator[int] | range]) -> list[Value]:
    values: list[Value] = [None] * len(document.tokens)
    for line in document.lines:
        last: Value = None
        for index in order(line):
            values[index] = last
            if document.lowered[index].isalpha():
                last = document.lowered[index]
    return values


def chunks(document: TokenizedDocument) -> Iterator[range]:
    """Index ranges of tokens with no white space between them."""
    start = 0
    for index in range(1, len(document.tokens) + 1):
        if index == len(document.tokens) or document.tokens[index - 1].end != document.tokens[index].start:
            yield range(start, index)
            start = index


def words(document: TokenizedDocument) -> Iterator[range]:
    """Index ranges of the written words: what stands between white space, without the marks
    around it; each of those is a word by itself, and so is a line end.

    >>> from crfdeid.text.tokenizer import fine
    >>> TokenizedDocument("(555-0142),", fine("(555-0142),")).words
    [('(', range(0, 1)), ('555-0142', range(1, 4)), (')', range(4, 5)), (',', range(5, 6))]
    """
    for part in chunks(document):
        start = part.start
        for index in part:
            if is_line_end(document.tokens[index]):
                yield from _core(document, range(start, index))
                yield range(index, index + 1)
                start = index + 1
        yield from _core(document, range(start, part.stop))


def _core(document: TokenizedDocument, part: range) -> Iterator[range]:
    told = [i for i in part if any(c.isalnum() for c in document.tokens[i].text)]
    core = range(told[0], told[-1] + 1) if told else range(part.stop, part.stop)
    yield from (range(i, i + 1) for i in range(part.start, core.start))
    if core:
        yield core
    yield from (range(i, i + 1) for i in range(core.stop, part.stop))


def chunk(document: TokenizedDocument) -> list[Value]:
    """The short shape of all that stands between white space, with digits counted up to
    4; only where it is more than one token. Outer punctuation is not told.

    >>> from crfdeid.text.tokenizer import fine
    >>> chunk(TokenizedDocument("(3/04/2067)", fine("(3/04/2067)")))[1]
    '0/00/0000'
    """
    values: list[Value] = [None] * len(document.tokens)
    for part in chunks(document):
        if len(part) > 1 and not is_line_end(document.tokens[part[0]]):
            text = document.text_of(part)
            told = chunk_shape(text)
            values[part.start : part.stop] = [told] * len(part)
    return values


@lru_cache(100_000)
def chunk_shape(text: str) -> str:
    """
    >>> chunk_shape("PEND01/26/2098,")
    'A00/00/0000'
    """
    digits = NUMBER.sub(lambda match: "0" * min(len(match[0]), 5), OUTER.sub("", text))
    return WORD.sub(lambda match: short_shape(match[0]), digits)[:16]


def written_as(document: TokenizedDocument) -> list[Value]:
    """Whether all that stands between white space is an e-mail address, a URL, or an IP address."""
    values: list[Value] = [None] * len(document.tokens)
    for part in chunks(document):
        if len(part) > 2:
            text = document.text_of(part)
            values[part.start : part.stop] = [address_kind(text)] * len(part)
    return values


@lru_cache(100_000)
def address_kind(text: str) -> Value:
    """
    >>> address_kind("(ruiz_7@mail.example.org)."), address_kind("10.1.0.25,"), address_kind("5.5")
    ('email', 'ip', None)
    """
    return next((kind for kind, pattern in ADDRESSES.items() if pattern.search(text)), None)


def titled(document: TokenizedDocument) -> list[Value]:
    """Whether the same word stands after a title somewhere in the document: a name
    that is introduced once is a name again without its title."""
    names = {
        document.lowered[name]
        for index, text in enumerate(document.lowered)
        if text in TITLES and (name := after_title(document, index)) is not None
    }
    return [
        YES if lower in names and token.text[0].isupper() else None
        for lower, token in zip(document.lowered, document.tokens)
    ]


def after_title(document: TokenizedDocument, index: int) -> int | None:
    """The index of the capitalised word of three letters or more after a title."""
    following = (
        index + 2 if index + 1 < len(document.tokens) and document.lowered[index + 1] == "." else index + 1
    )
    if following >= len(document.tokens):
        return None
    text = document.tokens[following].text
    return following if text.isalpha() and text[0].isupper() and len(text) > 2 else None


CONTEXTUAL: dict[str, Callable[[TokenizedDocument], list[Value]]] = {
    "line_position": line_position,
    "line_left": line_left,
    "line_case": line_case,
    "page_position": page_position,
    "heading": heading,
    "field": field,
    "word_before": word_before,
    "word_after": word_after,
    "chunk": chunk,
    "written_as": written_as,
    "titled": titled,
}
