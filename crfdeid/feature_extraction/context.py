"""Observations of a token's place in its document: line, heading, neighbours, repeats, cues.

Each contextual observation gives one value per token of the whole document. It is computed
once, when a template first asks for it.

Cues are words that announce a part of an address, or end one. A table of words
(:mod:`crfdeid.text.gazetteer`) with the column ``cue`` gives the kind of each cue, such as ``street`` for
``avda``. ``cue_before_TABLE`` and ``cue_after_TABLE`` are the kind of the nearest cue on that side in the
line, and how many tokens away it is; ``cues_TABLE`` has the kinds of the last three cues, where cues of one
kind in a row count once. A number is a cue by its length: a postal code has five digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

import regex

from crfdeid.errors import TemplateError
from crfdeid.feature_extraction.token import YES, Value, short_shape
from crfdeid.lexicon.letters import remember_words
from crfdeid.lexicon.names import OBSERVED_TITLES
from crfdeid.text.gazetteer import Gazetteer, WordTable
from crfdeid.text.tokenized import TokenizedDocument, find_chunks
from crfdeid.text.tokenizer import is_line_end

HEADING_WORDS = 6  # a longer run of words before a colon is not a heading
RARE = 0.05  # of a document's words, at most, have capitals where it is written without capitals
OUTER_MARKS = regex.compile(r"^\W+|\W+$")
ADDRESSES = {
    "email": regex.compile(r"[\w.+-]+@[\w-]+\.\w"),
    "url": regex.compile(r"(?i)https?:/|www\.|\w\.(com|org|net|edu|gov)\b"),
    "ip": regex.compile(r"(?<![\d.])\d{1,3}(\.\d{1,3}){3}(?![\d.])"),
}
NUMBER = regex.compile(r"\d+")
LETTERS = regex.compile(r"[^\W\d]+")

NAME = regex.compile(r"(cue_before|cue_after|cues)_(\w+)")
COLUMN, WORDS_COLUMN = "cue", "role"
FAR = 8  # tokens; more are not distinguished
LAST = 3  # cues that ``cues`` has
NO_CUE = "-"
NUMBERS = ("number", "digits", "code")  # up to three digits; another number of digits; five

Kinds = Mapping[str, str]


def line_position(document: TokenizedDocument) -> list[Value]:
    """The number of tokens before this one in its line, up to 5."""
    return [str(min(i, 5)) for line in document.lines for i in range(len(line))]


def line_left(document: TokenizedDocument) -> list[Value]:
    """The number of tokens after this one in its line, up to 5."""
    return [str(min(i, 5)) for line in document.lines for i in reversed(range(len(line)))]


def line_case(document: TokenizedDocument) -> list[Value]:
    """``lower`` in a line without capitals, ``upper`` in one of several words without small letters."""
    values: list[Value] = []
    for line in document.lines:
        words = [document.tokens[i].text for i in line if document.tokens[i].text.isalpha()]
        letters = "".join(words)
        case = "lower" if letters.islower() else "upper" if len(words) > 1 and letters.isupper() else None
        values += [case] * len(line)
    return values


def document_case(document: TokenizedDocument) -> list[Value]:
    """``lower`` in a document that is written without capitals, ``upper`` in one without small letters: at
    most one word in twenty has any.

    >>> from crfdeid.text.tokenizer import fine
    >>> document_case(TokenizedDocument("SEEN BY DR. RUIZ", fine("SEEN BY DR. RUIZ")))[0]
    'upper'
    """
    words = [token.text for token in document.tokens if token.text.isalpha()]
    capital = sum(any(c.isupper() or c.istitle() for c in word) for word in words)
    small = sum(any(c.islower() or (c.istitle() and not c.isupper()) for c in word) for word in words)
    value: Value = None
    if capital or small:
        rare = len(words) * RARE
        value = "lower" if capital <= rare else "upper" if small <= rare else None
    return [value] * len(document.tokens)


def page_position(document: TokenizedDocument) -> list[Value]:
    """``top0`` to ``top3`` on the first four lines, ``bottom3`` to ``bottom0`` on the last four."""
    values: list[Value] = []
    count = len(document.lines)
    for number, line in enumerate(document.lines):
        left = count - 1 - number
        near = f"top{number}" if number < 4 else f"bottom{left}" if left < 4 else None
        values += [near] * len(line)
    return values


def read_heading(document: TokenizedDocument, line: range) -> str:
    """Return the words before a colon that begin the line, or an empty string."""
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
    """The section heading above the token: the last words that began a line before a colon."""
    values: list[Value] = []
    current: Value = None
    for line in document.lines:
        current = read_heading(document, line) or current
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
    return _carry_words(document, lambda line: line)


def word_after(document: TokenizedDocument) -> list[Value]:
    """The nearest word to the right in the line, past punctuation and digits."""
    return _carry_words(document, lambda line: reversed(line))


def _carry_words(document: TokenizedDocument, order: Callable[[range], Iterator[int] | range]) -> list[Value]:
    """Give each token the latest word before it in the ``order`` of its line."""
    values: list[Value] = [None] * len(document.tokens)
    for line in document.lines:
        last: Value = None
        for index in order(line):
            values[index] = last
            if document.lowered[index].isalpha():
                last = document.lowered[index]
    return values


def chunk(document: TokenizedDocument) -> list[Value]:
    """The :func:`chunk_shape` of the text between white space, where that is several tokens.

    >>> from crfdeid.text.tokenizer import fine
    >>> chunk(TokenizedDocument("(3/04/2067)", fine("(3/04/2067)")))[1]
    '0/00/0000'
    """
    values: list[Value] = [None] * len(document.tokens)
    for part in find_chunks(document):
        if len(part) > 1 and not is_line_end(document.tokens[part[0]]):
            values[part.start : part.stop] = [chunk_shape(document.text_of(part))] * len(part)
    return values


@remember_words(100_000)
def chunk_shape(text: str) -> str:
    """The short shape, without outer marks and up to 16 characters; of digits it keeps up to 5.

    >>> chunk_shape("PEND01/26/2098,")
    'A00/00/0000'
    """
    digits = NUMBER.sub(lambda match: "0" * min(len(match[0]), 5), OUTER_MARKS.sub("", text))
    return LETTERS.sub(lambda match: short_shape(match[0]), digits)[:16]


def written_as(document: TokenizedDocument) -> list[Value]:
    """``email``, ``url`` or ``ip`` where the text between white space is such an address."""
    values: list[Value] = [None] * len(document.tokens)
    for part in find_chunks(document):
        if len(part) > 2:
            text = document.text_of(part)
            values[part.start : part.stop] = [address_kind(text)] * len(part)
    return values


@remember_words(100_000)
def address_kind(text: str) -> Value:
    """The kind of address that the text holds, or ``None``.

    >>> address_kind("(ruiz_7@mail.example.org)."), address_kind("10.1.0.25,"), address_kind("5.5")
    ('email', 'ip', None)
    """
    if "." not in text and ":/" not in text:  # an address has one of these
        return None
    return next((kind for kind, pattern in ADDRESSES.items() if pattern.search(text)), None)


def titled(document: TokenizedDocument) -> list[Value]:
    """``1`` where the same word follows a title somewhere in the document: a name that is
    introduced once is also a name without its title."""
    names = {
        document.lowered[name]
        for index, text in enumerate(document.lowered)
        if text in OBSERVED_TITLES and (name := find_name_after(document, index)) is not None
    }
    return [
        YES if lower in names and token.text[0].isupper() else None
        for lower, token in zip(document.lowered, document.tokens)
    ]


def find_name_after(document: TokenizedDocument, index: int) -> int | None:
    """Return the index of the capitalised word of three letters or more after the title at ``index``."""
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
    "document_case": document_case,
    "page_position": page_position,
    "heading": heading,
    "field": field,
    "word_before": word_before,
    "word_after": word_after,
    "chunk": chunk,
    "written_as": written_as,
    "titled": titled,
}


class WordKinds(dict[str, str]):
    """Kinds of cues where numbers are no cues."""


def is_cue(name: str) -> bool:
    """Whether an observation is one of cues."""
    return NAME.fullmatch(name) is not None


def find_table(name: str) -> str:
    """Return the table of an observation.

    >>> find_table("cue_before_es_address")
    'es_address'
    """
    return NAME.fullmatch(name)[2]


def find_kinds(name: str, gazetteers: Mapping[str, Gazetteer]) -> Kinds:
    """Return the kind of each cue. Raises :class:`TemplateError` where the table has none."""
    table = gazetteers.get(find_table(name))
    columns = table.columns if isinstance(table, WordTable) else {}
    if WORDS_COLUMN in columns:
        return WordKinds(columns[WORDS_COLUMN])
    if COLUMN not in columns:
        raise TemplateError(f"{name}: {find_table(name)} is not a table of words with the column {COLUMN}")
    return columns[COLUMN]


def find_kind(kinds: Kinds, lowered: str) -> str:
    """Return the kind of a lowered text, empty where it is not a cue.

    >>> [find_kind({"avda": "street"}, text) for text in ("avda", "28041", "14", "de")]
    ['street', 'code', 'number', '']
    """
    if lowered.isascii() and lowered.isdigit() and not isinstance(kinds, WordKinds):
        return NUMBERS[0] if len(lowered) <= 3 else NUMBERS[2] if len(lowered) == 5 else NUMBERS[1]
    return kinds.get(lowered, "")


def cue_before(kinds: Kinds, document: TokenizedDocument) -> list[Value]:
    """The nearest cue to the left in the line, and how far it is, up to 8.

    >>> from crfdeid.text.tokenizer import fine
    >>> cue_before({"avda": "street"}, TokenizedDocument("Avda. Denia", fine("Avda. Denia")))
    ['-', 'street.1', 'street.2']
    """
    return _carry_cues(kinds, document, lambda line: line)


def cue_after(kinds: Kinds, document: TokenizedDocument) -> list[Value]:
    """The nearest cue to the right in the line, and how far it is, up to 8."""
    return _carry_cues(kinds, document, lambda line: reversed(line))


def _carry_cues(
    kinds: Kinds, document: TokenizedDocument, order: Callable[[range], Iterable[int]]
) -> list[Value]:
    values: list[Value] = [NO_CUE] * len(document.tokens)
    for line in document.lines:
        kind, place = "", 0
        for index in order(line):
            if kind:
                values[index] = f"{kind}.{min(abs(index - place), FAR)}"
            if own := find_kind(kinds, document.lowered[index]):
                kind, place = own, index
    return values


def cues(kinds: Kinds, document: TokenizedDocument) -> list[Value]:
    """The kinds of the last cues before the token in its line, the last one last; of several of one kind in
    a row only one."""
    values: list[Value] = []
    for line in document.lines:
        last: tuple[str, ...] = ()
        for index in line:
            values.append(".".join(last) or NO_CUE)
            own = find_kind(kinds, document.lowered[index])
            if own and last[-1:] != (own,):
                last = (*last, own)[-LAST:]
    return values


OBSERVATIONS: dict[str, Callable[[Kinds, TokenizedDocument], list[Value]]] = {
    observe.__name__: observe for observe in (cue_before, cue_after, cues)
}


def observe_cues(
    names: Iterable[str], gazetteers: Mapping[str, Gazetteer]
) -> dict[str, Callable[[TokenizedDocument], list[Value]]]:
    """Return the observations among ``names`` that are of cues. Raises what :func:`find_kinds` raises."""
    return {
        name: partial(OBSERVATIONS[match[1]], find_kinds(name, gazetteers))
        for name in names
        if (match := NAME.fullmatch(name))
    }
