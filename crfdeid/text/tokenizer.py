"""How systems read a text: folded, then split into tokens, and these into the CRF's sequences, which are
documents, lines or sentences.

Folded is a text as a plain typewriter writes it, with the way back: all line ends are a line feed, all
dashes, quotes and spaces the ones of ASCII, ligatures their letters, and nothing is invisible. Systems see
the folded text in training and in tagging; spans are of the original text everywhere else.

Every token is a slice of the text. A line end is a token by itself, because line ends say much in a
clinical note; :func:`split_sequences` drops it where lines are the sequences.

For sentences, lines that were wrapped at a fixed width are joined first: splitters that work line by line
fall from 98 to 77 F1 on such notes. Then each block of lines is split by rules that know the abbreviations
of notes, or by nltk's Punkt.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any  # nltk has no types

import regex

from crfdeid.errors import ConfigurationError, did_you_mean, show_nltk_download
from crfdeid.text.document import Document, Span, Token, trim_range

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
        return not ("\r" in text or "\v" in text or "\f" in text)  # LINE_ENDS, without a loop
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


LINE_END = r"\r\n|[\n-\r\x85\u2028\u2029]"

# After a mark, only one more: otherwise each mark of a long run would look through the rest of it.
MARKS_BEFORE_SMALL = r"(?:(?:\p{Lu}|(?<!\p{M}))\p{M}+|\p{M})"

FINE = regex.compile(
    rf"""
      {LINE_END}
    | \p{{Lu}}?(?:\p{{Ll}}\p{{M}}*)+                 # 1  Mary, and both halves of JaffreyMarital
    | {MARKS_BEFORE_SMALL}(?:\p{{Ll}}\p{{M}}*)+
    | (?:\p{{Lu}}\p{{M}}*)+(?!\p{{Ll}})               # 2  MARY, and AL in ALMarital
    | (?:[\p{{Lo}}\p{{Lm}}\p{{Lt}}]\p{{M}}*)+         # 3  letters that have no case
    | \d+                                             # 4  3041023 in 3041023MARY
    | ([-=*_~\#])\1+                                  # 5  rules drawn with one character
    | \S                                              # 6  any other mark by itself
    """,
    regex.VERBOSE,
)

COARSE = regex.compile(rf"{LINE_END}|[^\s\w]|(?:\w|(?<=\w)[^\s\w]+(?=\w))+")

# He et al. 2015, table 1, in its order. A token is cut once, by the first rule whose cut is inside
# it; a rule without a cut keeps the token whole.
TABLE_1 = [
    regex.compile(pattern)
    for pattern in (
        r"(?P<cut>)\d{2}/\d{2}/\d{4}",  # PEND01/26/2098
        r"\d{2}-year-old",  # 45-year-old
        r"[A-Za-z]+(?P<cut>)\d/\d{2}",  # CABG6/95
        r"[a-z](?P<cut>)\d{5}",  # x76221
        r"[A-Z](?P<cut>)\d-\d{4}",  # X1-1335
        r"(?P<cut>)\d{3}[\-,]\d{3}[\-,]\d{4}",  # 47798497-045-1949
        r"[A-Z](?P<cut>)[A-Z][a-z][a-z]+",  # ALMarital
        r"\d(?P<cut>)[A-Za-z][A-Za-z]+",  # 34712RadiologyExam
        r"[a-z][a-z]+(?P<cut>)[A-Z]",  # JaffreyMarital
    )
]
CUT_OFF = regex.compile(r"[“”,:;#*\-=/<>\[\]{}]|[^“”,:;#*\-=/<>\[\]{}]+")

LINE = regex.compile(r"[^\n\r]*(?:\r\n|\n|\r)?")
LIST_MARK = regex.compile(r"\s*(?:[-*•#]|\(?\d{1,2}[.)]|[A-Za-z][.)])\s")
HEADING = regex.compile(r"\s*[A-Z][\w /&()-]{0,40}:")
NEAR = 12  # a wrapped line ends at most this many characters before its block's width
NARROWEST = 40  # characters; lines of a narrower block were not wrapped

# After these a full stop does not end a sentence, nor after a single capital or a list's number.
ABBREVIATIONS = (
    "Dr|Drs|Mr|Mrs|Ms|St|Prof|Rev|Jr|Sr|vs|No|no|approx|dept|Dept|Inc|Co|Ave|Blvd|Rd|Mt|Ft|Gen|Col|Lt|Sgt|"
    r"i.e|e.g|et\ al|q.d|b.i.d|t.i.d|q.i.d|p.o|p.r.n|a.m|p.m|h.s|c.c|s.c|i.v|M.D|Ph.D|R.N|D.O"
)
END = regex.compile(
    rf"""(?<!\b(?:{ABBREVIATIONS}))     # Dr. Ruiz is one sentence
         (?<!(?:^|[\s(])\p{{Lu}})       # and so is John Q. Smith
         (?<!^\s*\d{{1,2}})             # a list's number
         [.?!][")\]]*                   # the end, with closing quotes and brackets
         (?=\s+["(\[]*[\p{{Lu}}\d\[])   # before a possible beginning
    """,
    regex.VERBOSE,
)


def fine(text: str) -> list[Token]:
    """Split at every change of character class.

    >>> [t.text for t in fine("3041023MARY Since6/03/04 O'Neil 54yo")]
    ['3041023', 'MARY', 'Since', '6', '/', '03', '/', '04', 'O', "'", 'Neil', '54', 'yo']
    """
    return [Token(match[0], match.start()) for match in FINE.finditer(text)]


def wi_deid(text: str) -> list[Token]:
    """Tokenize as He et al. 2015, section 2.1: words and outer punctuation, then table 1, then the
    punctuation that is always cut off. (Their first step was OpenNLP.)

    >>> [t.text for t in wi_deid("PEND01/26/2098 (ALMarital)")]
    ['PEND', '01', '/', '26', '/', '2098', '(', 'AL', 'Marital', ')']
    """
    return [
        Token(piece[0], start + piece.start())
        for match in COARSE.finditer(text)
        for start, part in cut_by_table_1(match[0], match.start())
        for piece in CUT_OFF.finditer(part)
    ]


def wi_deid_official(text: str) -> list[Token]:
    """Tokenize as :func:`wi_deid` without table 1: He et al.'s official run (2015, section 3.3).

    >>> [t.text for t in wi_deid_official("PEND01/26/2098 (ALMarital)")]
    ['PEND01', '/', '26', '/', '2098', '(', 'ALMarital', ')']
    """
    return [
        Token(piece[0], match.start() + piece.start())
        for match in COARSE.finditer(text)
        for piece in CUT_OFF.finditer(match[0])
    ]


def coarse(text: str) -> list[Token]:
    """Split into words with the marks inside them, and each outer mark: He et al.'s tokens before their
    preprocessing (2015, table 5).

    >>> [t.text for t in coarse("PEND01/26/2098 (x)")]
    ['PEND01/26/2098', '(', 'x', ')']
    """
    return [Token(match[0], match.start()) for match in COARSE.finditer(text)]


def cut_by_table_1(word: str, start: int) -> Iterator[tuple[int, str]]:
    """Yield the one or two parts of a word after He et al.'s table 1, with their offsets.

    >>> list(cut_by_table_1("34712RadiologyExam", 0)), list(cut_by_table_1("45-year-old", 9))
    ([(0, '34712'), (5, 'RadiologyExam')], [(9, '45-year-old')])
    """
    for rule in TABLE_1:
        match = rule.search(word)
        if match is None:
            continue
        if "cut" not in rule.groupindex:
            break
        if (cut := match.start("cut")) > 0:
            yield start, word[:cut]
            yield start + cut, word[cut:]
            return
    yield start, word


TOKENIZERS: dict[str, Callable[[str], list[Token]]] = {
    tokenize.__name__: tokenize for tokenize in (fine, wi_deid, wi_deid_official, coarse)
}
SEQUENCES = ("document", "line", "sentence")


def find_tokenizer(name: str) -> Callable[[str], list[Token]]:
    """Return the tokenizer of that name. Raises :class:`ConfigurationError` if there is none."""
    if name not in TOKENIZERS:
        raise ConfigurationError(f"{name}: no such tokenizer{did_you_mean(name, TOKENIZERS)}")
    return TOKENIZERS[name]


def is_line_end(token: Token) -> bool:
    return token.text.isspace()


def split_sequences(text: str, tokens: list[Token], unit: str) -> list[range]:
    """Return what the CRF labels at once, as ranges of token indices. ``unit`` is ``document`` (with line
    ends as tokens), ``line`` (without them), or ``sentence`` (a line end inside it stays a token).

    >>> text = "DOB 3/4\\nDr. Ruiz"
    >>> split_sequences(text, fine(text), "line")
    [range(0, 4), range(5, 8)]
    """
    if unit == "document":
        return [range(len(tokens))] if tokens else []
    if unit == "line":
        ends = [i for i, token in enumerate(tokens) if is_line_end(token)]
        return [range(a, b) for a, b in zip([0, *(i + 1 for i in ends)], [*ends, len(tokens)]) if a < b]
    if unit == "sentence":
        return list(_split_at_sentences(text, tokens))
    raise ConfigurationError(f"{unit}: no such sequence unit{did_you_mean(unit, SEQUENCES)}")


def _split_at_sentences(text: str, tokens: list[Token]) -> Iterator[range]:

    index = 0
    for _, end in split_sentences(text):
        first = index
        while index < len(tokens) and tokens[index].start < end:
            index += 1
        if index > first:
            yield range(first, index)


def split_sentences(text: str, splitter: str = "rules") -> list[tuple[int, int]]:
    """Return the ranges of the sentences in order; together they hold everything except white space.
    ``splitter`` is ``rules``, or ``punkt`` if its data is installed.

    >>> text = "Seen by Dr. Ruiz on\\n3/4/61. Pain 5.5/10. \\nPLAN: rest."
    >>> [text[a:b] for a, b in split_sentences(text)]
    ['Seen by Dr. Ruiz on', '3/4/61.', 'Pain 5.5/10.', 'PLAN: rest.']
    """
    ends = {"rules": find_rule_ends, "punkt": find_punkt_ends}
    if splitter not in ends:
        raise ConfigurationError(f"{splitter}: no such sentence splitter{did_you_mean(splitter, ends)}")
    found = []
    for start, stop in split_blocks(text):
        edges = [start, *(start + end for end in ends[splitter](text[start:stop])), stop]
        found += [trimmed for a, b in zip(edges, edges[1:]) if (trimmed := trim_range(text, a, b))]
    return found


def split_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the runs of lines that were one paragraph before it was wrapped at a fixed width."""
    lines = [match.span() for match in LINE.finditer(text)]
    widths = measure_widths([text[start:end].rstrip() for start, end in lines])
    index = 0
    while index < len(lines):
        last, width = index, widths[index]
        if width:  # not a blank line; the last line is always blank, so another one follows
            while is_continued(text, lines[last], lines[last + 1], width):
                last += 1
            yield lines[index][0], lines[last][1]
        index = last + 1


def measure_widths(contents: list[str]) -> list[int]:
    """Return for each line the length of the longest one from it to the next blank line."""
    lengths = map(len, reversed(contents))
    return list(accumulate(lengths, lambda width, length: max(width, length) if length else 0))[::-1]


def is_continued(text: str, line: tuple[int, int], after: tuple[int, int], width: int) -> bool:
    """Whether the line was wrapped because the first word of the next line had no room."""
    if width < NARROWEST:
        return False
    here, there = text[slice(*line)].rstrip(), text[slice(*after)]
    if not there.strip() or LIST_MARK.match(there) or HEADING.match(there):
        return False
    return len(here) >= width - NEAR and len(here) + 1 + len(there.split()[0]) > width - 2


def find_rule_ends(block: str) -> Iterator[int]:
    return (match.end() for match in END.finditer(block))


def find_punkt_ends(block: str) -> Iterator[int]:
    return (end for _, end in load_punkt().span_tokenize(block))


def load_punkt() -> Any:
    """Load nltk's Punkt for English from installed data; nothing is downloaded."""
    from nltk.tokenize import PunktTokenizer

    try:
        return PunktTokenizer("english")
    except LookupError:
        wanted = show_nltk_download("punkt_tab")
        raise ConfigurationError(
            f"splitter punkt: nltk's data punkt_tab is not installed: {wanted}; rules needs none"
        ) from None
