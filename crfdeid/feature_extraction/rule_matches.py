"""The matches of each rule as yes/no observations ``rule_NAME``: ``1`` on every token of the rule's
spans. Each rule runs by itself: no other rule overrules it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from weakref import WeakKeyDictionary

from crfdeid.feature_extraction.token import YES, Value
from crfdeid.lexicon import ordinary
from crfdeid.rules import RULES
from crfdeid.rules.note import Edges, IndexedNote
from crfdeid.rules.rule import Rule
from crfdeid.text.tokenized import TokenizedDocument

_notes: WeakKeyDictionary[TokenizedDocument, IndexedNote] = WeakKeyDictionary()


def index_note(document: TokenizedDocument) -> IndexedNote:
    """Return the document as rules see it, made once for all rules."""
    note = _notes.get(document)
    if note is None:
        note = _notes[document] = IndexedNote(document.text)
    return note


def observe_rule(rule: Rule) -> Callable[[TokenizedDocument], list[Value]]:
    """Make an observation of the rule."""
    return lambda document: mark_tokens(document, rule.find(index_note(document), ordinary.load_shipped()))


def mark_tokens(document: TokenizedDocument, ranges: Iterable[Edges]) -> list[Value]:
    """Put ``"1"`` on every token that shares a character with one of the ranges."""
    values: list[Value] = [None] * len(document.tokens)
    ends = [token.end for token in document.tokens]
    for start, stop in ranges:
        index = bisect_left(ends, start + 1)
        while index < len(ends) and document.tokens[index].start < stop:
            values[index] = YES
            index += 1
    return values


CONTEXTUAL: dict[str, Callable[[TokenizedDocument], list[Value]]] = {
    f"rule_{name}": observe_rule(rule) for name, rule in RULES.items()
}
