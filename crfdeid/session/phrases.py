"""Find phrases in a text that comes in pieces.

The phrases are in a tree of their characters, so that a phrase that began in one piece goes on in the next,
and the end of a text is held back only as long as it may still become a phrase. The longest phrase at the
first place is found. Capitals, kinds of apostrophes and dashes make no difference, and a blank of a phrase is
any white space, such as the line end of a wrapped line. A phrase that begins or ends with a letter or a digit
is found only where no other letter or digit touches it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

Item = TypeVar("Item")
SPACE = " "
MOST_SPACES = 40  # characters of white space that a blank of a phrase may be: what is held back stays short
ALIKE = {"’": "'", "‘": "'", "`": "'", "‐": "-", "‑": "-", "–": "-", "−": "-"}


@dataclass(slots=True)
class Node(Generic[Item]):
    """A place in the tree. ``items`` are those of the phrase that ends here; None if no phrase does."""

    next: dict[str, Node[Item]] = field(default_factory=dict)
    items: list[Item] | None = None


class Match(NamedTuple, Generic[Item]):
    start: int
    end: int
    items: list[Item]


class Phrases(Generic[Item]):
    """A set of phrases, each with items."""

    def __init__(self) -> None:
        self.root: Node[Item] = Node()

    def add(self, phrase: str) -> list[Item]:
        """Add a phrase, which has a character that is not white space. Return the list of its items."""
        node = self.root
        for character in fold_text(" ".join(phrase.split())):
            node = node.next.setdefault(character, Node())
        if node.items is None:
            node.items = []
        return node.items

    def find(self, text: str, before: str = "", is_end: bool = True) -> Iterator[Match[Item]]:
        """Yield the matches in order. ``before`` is the character before the text. Unless the text
        ``is_end``, a match without items may come last: from there on it may still become a phrase."""
        folded, at = fold_text(text), 0
        while at < len(text):
            if folded[at] in self.root.next and not (
                folded[at].isalnum() and is_wordlike(text, at - 1, before)
            ):
                found = self._match(folded, at, is_end)
                if found is not None:
                    yield found
                    at = found.end
                    continue
            at += 1

    def _match(self, folded: str, start: int, is_end: bool) -> Match[Item] | None:
        """The longest phrase at ``start``; a match without items, to the end of the text, if more text is
        needed to know it."""
        node, at, best = self.root, start, None
        while at < len(folded):
            character = folded[at]
            at = skip_spaces(folded, at) if character == SPACE else at + 1
            if character not in node.next:
                return best
            node = node.next[character]
            if node.items is None:
                continue
            if not (character.isalnum() and is_wordlike(folded, at, "")):
                best = Match(start, at, node.items)
        is_open = node.next or (node.items is not None and folded[at - 1].isalnum())
        return Match(start, at, []) if is_open and at == len(folded) and not is_end else best


def fold_text(text: str) -> str:
    """The text without capitals and kinds of marks; it keeps its length.

    >>> fold_text("O’NEIL\\n\\u00a0JR.")
    "o'neil  jr."
    """
    return text.translate({ord(character): fold_character(character) for character in set(text)})


def fold_character(character: str) -> str:
    if character.isspace():
        return SPACE
    low = ALIKE.get(character, character.lower())
    return low if len(low) == 1 else character


def skip_spaces(folded: str, start: int) -> int:
    """The offset after a run of white space."""
    end = start
    while end < len(folded) and folded[end] == SPACE and end - start < MOST_SPACES:
        end += 1
    return end


def is_wordlike(text: str, at: int, before: str) -> bool:
    """Whether the character at an offset, or ``before`` where it is -1, is a letter or a digit."""
    character = before if at < 0 else text[at : at + 1]
    return character.isalnum()
