"""What a rule is, and how rules find the entries of lists and runs of words in a note."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from crfdeid.lexicon.ordinary import Entries, Lists
from crfdeid.rules.note import Edges, Note
from crfdeid.rules.words import ALL, Beside
from crfdeid.text.document import Span

PLACE_GAP = re.compile(
    r"[ \t]{1,2}|[-'.&/]|\.? ?[-'&]? ?|\. {1,2}"
)  # between the words of one name of a place
NAME_GAP = re.compile(r" {1,2}|[-']|\. ?")  # between the words of one person's name


def find_entries(note: Note, entries: Entries) -> Iterator[tuple[int, int]]:
    """Yield the index ranges of whole entries, the longest at each place."""
    for first in note.vocabulary.intersection(entries.first_words):
        yield from measure_entries(note, entries, first, note.indices[first])


def measure_entry(note: Note, entries: Entries, index: int) -> int:
    """Return how many words the longest entry that begins at ``index`` has; 0 if there is none."""
    return next((stop - index for _, stop in measure_entries(note, entries, note.lowered[index], [index])), 0)


def measure_entries(
    note: Note, entries: Entries, first: str, places: Iterable[int]
) -> Iterator[tuple[int, int]]:
    """Yield the index range of the longest entry at each of the ``places`` of the word ``first``, if any."""
    least, longer, lowered = int(first in entries.single), entries.longer.get(first), note.lowered
    for index in places:
        length = least
        if longer and index + 1 < len(lowered) and lowered[index + 1] in longer:
            phrases = longer[lowered[index + 1]]
            length = next((len(phrase) for phrase in phrases if has_phrase(note, index, phrase)), least)
        if length:
            yield index, index + length


def has_phrase(note: Note, index: int, phrase: tuple[str, ...]) -> bool:
    """Whether the words of ``phrase`` begin at ``index``, with only a :data:`PLACE_GAP` between them."""
    size = len(phrase)
    if tuple(note.lowered[index : index + size]) != phrase:
        return False
    return all(PLACE_GAP.fullmatch(note.gap(i)) for i in range(index + 1, index + size))


def find_capitalised_entries(note: Note, entries: Entries) -> Iterator[tuple[int, int]]:
    """Yield the index ranges of whole entries in which all words of four letters or more, and the first, are
    capitalised."""
    for first in note.capitalised_words & entries.first_words:
        for index, stop in measure_entries(note, entries, first, note.find_capitalised_places(first)):
            if all(note.is_capitalised(i) or len(note.word(i)) < 4 for i in range(index + 1, stop)):
                yield index, stop


def find_run_end(
    note: Note, first: int, accept: Callable[[int], bool], most: int, gap: re.Pattern[str] = NAME_GAP
) -> int:
    """Return the end of the run of words from ``first`` that ``accept`` takes; ``first`` if it takes none.
    The run has at most ``most`` words, with a ``gap`` between each two."""
    index = first
    while index < len(note) and index - first < most and accept(index):
        index += 1
        if index < len(note) and not is_joined(note, index, gap):
            break
    return index


def is_joined(note: Note, index: int, gap: re.Pattern[str] = NAME_GAP) -> bool:
    """Whether word ``index`` continues a name that the word before it is part of. A full stop joins two
    words only after an initial or a short form such as St."""
    between = note.gap(index)
    if not gap.fullmatch(between):
        return False
    return not between.startswith(".") or len(note.word(index - 1)) <= 2


NAME_TYPES = frozenset(["PATIENT", "DOCTOR"])  # types
RuleFunction = Callable[[Note, Lists], Iterable[Edges]]


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
    beside: Beside = ALL,
) -> Rule:
    """Build a rule that matches ``pattern`` wherever digits begin. It finds the group ``phi``, or else the
    whole match, if ``valid`` accepts the match. ``beside`` holds for each number that the pattern matches:
    the others need no match."""
    compiled = re.compile(pattern, re.IGNORECASE)
    group = "phi" if "phi" in compiled.groupindex else 0

    def find(note: Note, lists: Lists) -> Iterator[Edges]:
        for start in note.find_numbers(beside):
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
