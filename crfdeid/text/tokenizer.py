"""Named tokenizers, and how tokens are split into the CRF's sequences.

Every token is a slice of the text. A line end is a token by itself, because line ends say much in a
clinical note; :func:`split_sequences` drops it where lines are the sequences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import regex

from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.text.document import Token

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
    from crfdeid.text.sentences import split_sentences

    index = 0
    for _, end in split_sentences(text):
        first = index
        while index < len(tokens) and tokens[index].start < end:
            index += 1
        if index > first:
            yield range(first, index)
