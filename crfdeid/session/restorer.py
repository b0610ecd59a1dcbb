"""Bring the real texts back: in a whole answer, or in one that comes in chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from crfdeid.lexicon.letters import WORD, match_case
from crfdeid.session.forms import Writing, list_writings
from crfdeid.session.phrases import Match, Phrases
from crfdeid.text.document import Span


@dataclass(frozen=True)
class Pair:
    """A real text of a type and what was issued in its place."""

    issued: str
    real: str = field(repr=False)
    type: str


class Entry(NamedTuple):
    """A writing in which a pair may come back. A ``sure`` one is the issued text itself, another follows from
    it."""

    writing: Writing
    pair: Pair
    sure: bool


class Restorer:
    """Restores what was issued, in any case and with a possessive. A writing that follows from the issued
    texts of two pairs with different real texts is left as it is, because nobody could say which is meant."""

    def __init__(self, pairs: Iterable[Pair] = (), month_first: bool = True) -> None:
        self.phrases: Phrases[Entry] = Phrases()
        self.month_first = month_first
        for pair in pairs:
            self.add(pair)

    def add(self, pair: Pair) -> None:
        """Restore this pair too."""
        for number, writing in enumerate(list_writings(pair.issued, pair.real, pair.type, self.month_first)):
            entries = self.phrases.add(writing.issued)
            if all(entry.pair != pair for entry in entries):  # "May" is also its own abbreviation
                entries.append(Entry(writing, pair, number == 0))

    def find(self, text: str) -> Iterator[Span]:
        """Yield where the text has what would be restored, as spans of the pairs' types."""
        for match in self.phrases.find(text):
            yield Span(match.start, match.end, match.items[0].pair.type)

    def restore(self, text: str) -> str:
        """Return the text with the real texts."""
        stream = StreamRestorer(self)
        return stream.feed(text) + stream.finish()


class StreamRestorer:
    """Restores a text that comes in chunks. What :meth:`feed` returns, with what :meth:`finish` returns, is
    together what :meth:`Restorer.restore` makes of the whole."""

    def __init__(self, restorer: Restorer) -> None:
        self.restorer = restorer
        self.held, self.before = "", ""

    def feed(self, chunk: str) -> str:
        """Take the next chunk. Return what is certain by now: the end is held back only where it may still
        become something that was issued."""
        return self._restore(self.held + chunk, is_end=False)

    def finish(self) -> str:
        """Return what was held back, after the last chunk."""
        return self._restore(self.held, is_end=True)

    def _restore(self, text: str, is_end: bool) -> str:
        pieces: list[str] = []
        at = 0
        for match in self.restorer.phrases.find(text, self.before, is_end):
            pieces.append(text[at : match.start])
            at = match.start
            if not match.items:
                break
            pieces.append(read_match(text, match))
            at = match.end
        else:
            pieces.append(text[at:])
            at = len(text)
        self.held = text[at:]
        self.before = text[at - 1] if at else self.before
        return "".join(pieces)


def read_match(text: str, match: Match[Entry]) -> str:
    """The real text of a match, or the text itself where two real texts are possible."""
    seen = " ".join(text[match.start : match.end].split())
    entries = [entry for entry in match.items if entry.sure] or match.items
    exact = [entry for entry in entries if entry.writing.issued == seen] or entries
    if len({entry.writing.real.lower() for entry in exact}) > 1:
        return text[match.start : match.end]
    writing = exact[0].writing
    return adapt_case(writing, seen) if writing.has_case else writing.real


def adapt_case(writing: Writing, seen: str) -> str:
    """Write the real text with the capitals that the answer gave the issued one.

    >>> adapt_case(Writing("Ada Weber", "Ana McKay", True), "ADA WEBER")
    'ANA MCKAY'
    >>> adapt_case(Writing("Ada Weber", "Ana McKay", True), "Ada Weber")
    'Ana McKay'
    >>> adapt_case(Writing("WEBER, ADA", "RUIZ, ANA", True), "Weber, Ada")
    'Ruiz, Ana'
    """
    if writing.issued == seen:
        return writing.real
    issued, words = WORD.findall(writing.issued), WORD.findall(seen)
    if not len(issued) == len(words) == len(WORD.findall(writing.real)):
        return writing.real.upper() if seen.isupper() and not writing.issued.isupper() else writing.real
    changes = iter(list(zip(issued, words)))

    def adapt(word: str) -> str:
        before, after = next(changes)
        lowered = word.lower() if before.isupper() else word  # of WEBER as of Weber
        return word if before == after else match_case(lowered, after)

    return WORD.sub(lambda match: adapt(match[0]), writing.real)
