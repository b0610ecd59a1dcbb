"""Whether a word is PHI elsewhere, and of which type: what the second CRF is told of a word's other
occurrences in the document and in the patient's other notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from crfdeid.feature_extraction.token import Value
from crfdeid.text.document import Token

Types = dict[str, Counter[str]]  # how often a lowered word is of each type; the type "" is no PHI


def key(token: Token) -> str:
    """The word that is looked for elsewhere; empty for marks and single characters, which are
    everywhere.

    >>> key(Token("Ruiz", 0)), key(Token("7", 0)), key(Token("--", 0))
    ('ruiz', '', '')
    """
    return token.text.lower() if len(token.text) > 1 and token.text.isalnum() else ""


def counted(tokens: Sequence[Token], labels: Sequence[str]) -> Types:
    found: Types = {}
    for token, label in zip(tokens, labels):
        if word := key(token):
            found.setdefault(word, Counter())[label[2:]] += 1
    return found


def elsewhere(
    tokens: Sequence[Token], labels: Sequence[str], types: Types
) -> tuple[list[Value], list[Value]]:
    """Share and majority at the document's other tokens of the same word."""
    known: dict[tuple[str, str], tuple[Value, Value]] = {}
    rows = []
    for token, label in zip(tokens, labels):
        word = key(token)
        if (word, label[2:]) not in known:
            known[word, label[2:]] = said(types[word] - Counter([label[2:]])) if word else (None, None)
        rows.append(known[word, label[2:]])
    return [share for share, _ in rows], [majority for _, majority in rows]


def said(counts: Counter[str]) -> tuple[Value, Value]:
    """How much of these occurrences is PHI, and the type that most of that have (the first by name
    on a tie); nothing where there are none.

    >>> said(Counter({"DOCTOR": 2, "": 1})), said(Counter({"": 3})), said(Counter())
    (('most', 'DOCTOR'), ('none', None), (None, None))
    """
    total = sum(counts.values())
    types = {type: count for type, count in counts.items() if type and count}
    phi = sum(types.values())
    if not phi:
        return ("none" if total else None), None
    share = "all" if phi == total else "most" if 2 * phi >= total else "some"
    return share, min(types, key=lambda type: (-types[type], type))
