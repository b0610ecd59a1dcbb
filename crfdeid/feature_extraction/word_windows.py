"""Several values at once: the parts of a word, and the words that stand near it.

These are the features of the Stanford tagger that have no one value a token (Tafvizi 2011,
section 2.2).
"""

from __future__ import annotations

from collections.abc import Callable

from crfdeid.feature_extraction.token import Value
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import is_line_end

LONGEST = 20  # characters of a word whose parts are told: they grow with its square
MARK = "_"  # stands for the edge of the word
NEAR = 4  # tokens


def ngrams(text: str) -> Value:
    """All stretches of the lowercased word, with a mark at its beginning and its end.

    >>> ngrams("He")
    ('_h', '_he', '_he_', 'h', 'he', 'he_', 'e', 'e_')
    """
    marked = f"{MARK}{text[:LONGEST].lower()}{MARK if len(text) <= LONGEST else ''}"
    ends = range(1, len(marked) + 1)
    parts = (marked[start:end] for start in range(len(marked)) for end in ends[start:])
    return tuple(dict.fromkeys(part for part in parts if part != MARK))


def words_left(document: TokenizedDocument) -> list[Value]:
    """The distinct words among the four tokens to the left, line ends not counted."""
    return _near(document, -NEAR, 0)


def words_right(document: TokenizedDocument) -> list[Value]:
    """The distinct words among the four tokens to the right, line ends not counted.

    >>> from crfdeid.text.tokenizer import fine
    >>> words_right(TokenizedDocument("Dr. Ana\\nRuiz", fine("Dr. Ana\\nRuiz")))
    [('.', 'Ana', 'Ruiz'), ('Ana', 'Ruiz'), ('Ruiz',), None, None]
    """
    return _near(document, 1, NEAR + 1)


def _near(document: TokenizedDocument, first: int, last: int) -> list[Value]:
    values: list[Value] = [None] * len(document.tokens)
    words = [index for index, token in enumerate(document.tokens) if not is_line_end(token)]
    texts = [document.tokens[index].text for index in words]
    for place, index in enumerate(words):
        seen = texts[max(0, place + first) : max(0, place + last)]
        values[index] = tuple(dict.fromkeys(seen)) or None
    return values


LEXICAL: dict[str, Callable[[str], Value]] = {"ngrams": ngrams}
CONTEXTUAL: dict[str, Callable[[TokenizedDocument], list[Value]]] = {
    "words_left": words_left,
    "words_right": words_right,
}
