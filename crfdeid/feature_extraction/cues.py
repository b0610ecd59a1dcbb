"""The nearest cues before and after a token: words that announce a part of an address, or end one.

A table of words (:mod:`crfdeid.text.word_table`) with the column ``cue`` gives the kind of each cue, such as
``street`` for ``avda``. ``cue_before_TABLE`` and ``cue_after_TABLE`` are the kind of the nearest cue on that
side in the line, and how many tokens away it is; ``cues_TABLE`` has the kinds of the last three cues, where
cues of one kind in a row count once. A number is a cue by its length: a postal code has five digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import regex

from crfdeid.errors import TemplateError
from crfdeid.feature_extraction.token import Value
from crfdeid.text.gazetteer import Gazetteer
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.word_table import WordTable

NAME = regex.compile(r"(cue_before|cue_after|cues)_(\w+)")
COLUMN, WORDS_COLUMN = "cue", "role"
FAR = 8  # tokens; more are not distinguished
LAST = 3  # cues that ``cues`` has
NO_CUE = "-"
NUMBERS = ("number", "digits", "code")  # up to three digits; another number of digits; five

Kinds = Mapping[str, str]


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
