"""What a rule is: it looks at a note and gives the half-open offsets of what it finds; nothing else
is known of it but its name, its type and the passage of the literature it is from."""

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
    """The words of a text between its white space: how the rules' own short lists are written."""
    return frozenset(text.split())


@dataclass(frozen=True)
class Rule:
    """``guess`` says that the type is but the likeliest: where another rule finds the same
    name by a clue to its type, that type holds."""

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
    """A span and the rule that found it. The span's type can differ from the rule's where the
    rule only guesses."""

    span: Span
    rule: Rule


def find_all(note: Note, lists: Lists, rules: Iterable[Rule]) -> list[Finding]:
    """All that each rule finds, overlapping as it comes."""
    return [
        Finding(Span(start, end, rule.type), rule)
        for rule in rules
        for start, end in set(rule.find(note, lists))
    ]


def rule(type: str, source: str, guess: bool = False) -> Callable[[RuleFunction], Rule]:
    """Makes a function a rule of the function's name."""
    return lambda find: Rule(find.__name__, type, source, find, guess)


def match_at_numbers(
    name: str,
    type: str,
    source: str,
    about: str,
    pattern: str,
    valid: Callable[[re.Match[str], Note], object] = lambda match, note: True,
) -> Rule:
    """A rule that matches ``pattern`` wherever digits begin. Its group ``phi``, or else the
    whole match, is what is found, if ``valid``."""
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
    """As :func:`match_at_numbers`, wherever one of the lowercased ``words`` begins."""
    compiled, triggers = re.compile(pattern, re.IGNORECASE), frozenset(words)
    group = "phi" if "phi" in compiled.groupindex else 0

    def find(note: Note, lists: Lists) -> Iterator[Edges]:
        for index in note.find_words(triggers):
            if (match := compiled.match(note.text, note.starts[index])) and valid(match, note):
                yield match.span(group)

    find.__doc__ = about
    return Rule(name, type, source, find)
