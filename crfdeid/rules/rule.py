"""What a rule is: a function from a note to the half-open offsets of what it finds, with a name, a type
and the passage of the literature that it comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from crfdeid.rules.indexed_note import Edges, Note
from crfdeid.rules.lists import Lists
from crfdeid.text.document import Span

NAME_TYPES = frozenset(["PATIENT", "DOCTOR"])  # types
RuleFunction = Callable[[Note, Lists], Iterable[Edges]]


def word_set(text: str) -> frozenset[str]:
    """Split a text at white space: the rules write their own short lists so."""
    return frozenset(text.split())


@dataclass(frozen=True)
class Rule:
    """``guess``: the type is only the most likely one. Where another rule finds the same name by a clue to
    its type, the name gets that type."""

    name: str
    type: str
    source: str
    find: RuleFunction
    guess: bool = False

    @property
    def about(self) -> str:
        """The first paragraph of the rule's docstring on one line."""
        return " ".join((self.find.__doc__ or "").split("\n\n")[0].split())


class Finding(NamedTuple):
    """A span and the rule that found it. The span's type can differ from the type of a rule that
    guesses."""

    span: Span
    rule: Rule


def find_all(note: Note, lists: Lists, rules: Iterable[Rule]) -> list[Finding]:
    """Return the findings of each rule; they may overlap."""
    return [
        Finding(Span(start, end, rule.type), rule)
        for rule in rules
        for start, end in set(rule.find(note, lists))
    ]


def rule(type: str, source: str, guess: bool = False) -> Callable[[RuleFunction], Rule]:
    """Turn a function into a rule with the function's name; its docstring describes the rule."""
    return lambda find: Rule(find.__name__, type, source, find, guess)


def match_at_numbers(
    name: str,
    type: str,
    source: str,
    about: str,
    pattern: str,
    valid: Callable[[re.Match[str], Note], object] = lambda match, note: True,
) -> Rule:
    """Build a rule that matches ``pattern`` wherever digits begin. It finds the group ``phi``, or else the
    whole match, if ``valid`` accepts the match."""
    compiled = re.compile(pattern, re.IGNORECASE)
    group = "phi" if "phi" in compiled.groupindex else 0

    def find(note: Note, lists: Lists) -> Iterator[Edges]:
        for start in note.number_starts:
            if (match := compiled.match(note.text, start)) and valid(match, note):
                yield match.span(group)

    find.__doc__ = about
    return Rule(name, type, source, find)


def match_at_words(
    name: str,
    type: str,
    source: str,
    about: str,
    words: Iterable[str],
    pattern: str,
    valid: Callable[[re.Match[str], Note], object] = lambda match, note: True,
) -> Rule:
    """Build a rule as :func:`match_at_numbers` does, for places where one of the lowercased words begins."""
    compiled, triggers = re.compile(pattern, re.IGNORECASE), frozenset(words)
    group = "phi" if "phi" in compiled.groupindex else 0

    def find(note: Note, lists: Lists) -> Iterator[Edges]:
        for index in note.find_words(triggers):
            if (match := compiled.match(note.text, note.starts[index])) and valid(match, note):
                yield match.span(group)

    find.__doc__ = about
    return Rule(name, type, source, find)
