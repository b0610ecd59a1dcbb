"""What each rule finds, as yes/no observations ``rule_NAME`` for templates: "1" on every token
that lies in a span of the rule, by itself and with no other rule to overrule it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from weakref import WeakKeyDictionary

from crfdeid.feature_extraction.token import YES, Value
from crfdeid.rules import RULES, lists
from crfdeid.rules.indexed_note import Edges, Note
from crfdeid.rules.rule import Rule
from crfdeid.text.tokenized import TokenizedDocument

_notes: WeakKeyDictionary[TokenizedDocument, Note] = WeakKeyDictionary()


def read(document: TokenizedDocument) -> Note:
    """The page as rules see it, made once for all of them."""
    note = _notes.get(document)
    if note is None:
        note = _notes[document] = Note(document.text)
    return note


def observed(rule: Rule) -> Callable[[TokenizedDocument], list[Value]]:
    """The rule as an observation."""
    return lambda page: marked(page, rule.find(read(page), lists.load_shipped()))


def marked(document: TokenizedDocument, found: Iterable[Edges]) -> list[Value]:
    """``"1"`` on every token that shares a character with a found stretch."""
    values: list[Value] = [None] * len(document.tokens)
    ends = [token.end for token in document.tokens]
    for start, stop in found:
        index = bisect_left(ends, start + 1)
        while index < len(ends) and document.tokens[index].start < stop:
            values[index] = YES
            index += 1
    return values


CONTEXTUAL: dict[str, Callable[[TokenizedDocument], list[Value]]] = {
    f"rule_{name}": observed(rule) for name, rule in RULES.items()
}
