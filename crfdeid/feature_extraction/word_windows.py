"""The base form of a word, the parts of a word, and the words near it.

The parts and the near words are several values at once: features of the Stanford tagger that have not
one value per token (Tafvizi 2011, section 2.2). Base forms come from the wheel simplemma (MIT; its own
lists, offline).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from crfdeid.errors import ConfigurationError, show_install
from crfdeid.feature_extraction.token import Value
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import is_line_end

LONGEST = 20  # characters of a word that make parts: the number of parts grows with the square
MARK = "_"  # at the edges of the word
NEAR = 4  # tokens


@cache
def load_lemmatizer() -> Callable[..., str]:
    """Load simplemma. Raises :class:`ConfigurationError` where the wheel is not installed."""
    try:
        from simplemma import lemmatize
    except ImportError:
        raise ConfigurationError(
            f"the observation lemma needs the wheel simplemma: {show_install('works')}"
        ) from None
    return lemmatize


def lemma(text: str) -> Value:
    """The base form in lower case; a word that the lists do not know is its own base form.

    >>> lemma("Patients"), lemma("was"), lemma("Ruiz")
    ('patient', 'be', 'ruiz')
    """
    return load_lemmatizer()(text.lower(), lang="en").lower()


def ngrams(text: str) -> Value:
    """All substrings of the lowercased word, with a mark at its beginning and its end.

    >>> ngrams("He")
    ('_h', '_he', '_he_', 'h', 'he', 'he_', 'e', 'e_')
    """
    marked = f"{MARK}{text[:LONGEST].lower()}{MARK if len(text) <= LONGEST else ''}"
    ends = range(1, len(marked) + 1)
    parts = (marked[start:end] for start in range(len(marked)) for end in ends[start:])
    return tuple(dict.fromkeys(part for part in parts if part != MARK))


def words_left(document: TokenizedDocument) -> list[Value]:
    """The distinct words among the four tokens to the left; line ends do not count."""
    return _collect_near(document, -NEAR, 0)


def words_right(document: TokenizedDocument) -> list[Value]:
    """The distinct words among the four tokens to the right; line ends do not count.

    >>> from crfdeid.text.tokenizer import fine
    >>> words_right(TokenizedDocument("Dr. Ana\\nRuiz", fine("Dr. Ana\\nRuiz")))
    [('.', 'Ana', 'Ruiz'), ('Ana', 'Ruiz'), ('Ruiz',), None, None]
    """
    return _collect_near(document, 1, NEAR + 1)


def _collect_near(document: TokenizedDocument, first: int, last: int) -> list[Value]:
    values: list[Value] = [None] * len(document.tokens)
    words = [index for index, token in enumerate(document.tokens) if not is_line_end(token)]
    texts = [document.tokens[index].text for index in words]
    for place, index in enumerate(words):
        near = texts[max(0, place + first) : max(0, place + last)]
        values[index] = tuple(dict.fromkeys(near)) or None
    return values


LEXICAL: dict[str, Callable[[str], Value]] = {"ngrams": ngrams, "lemma": lemma}
CONTEXTUAL: dict[str, Callable[[TokenizedDocument], list[Value]]] = {
    "words_left": words_left,
    "words_right": words_right,
}
