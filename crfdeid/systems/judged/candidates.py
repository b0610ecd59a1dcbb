"""The spans that a document could have: those that a member finds possible, those of its expressions, and the
other places of the same texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from crfdeid.feature_extraction.structure import line_label
from crfdeid.feature_extraction.token import Value
from crfdeid.text.document import Document, Span, Token
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import is_line_end

SURE = 0.6  # the mean probability of a span whose text is looked for elsewhere
SHORTEST = 4  # characters of such a text

Key = tuple[int, int, str]  # first token, last token, type
Expressions = Mapping[str, tuple[Callable[[TokenizedDocument], list[Value]], str]]


class Note:
    """A document's tokens, and where each word occurs."""

    def __init__(self, document: Document, tokens: Sequence[Token]) -> None:
        self.document = document
        self.page = TokenizedDocument(document.text, tokens)
        self.tokens, self.lowered = tokens, self.page.lowered

    @cached_property
    def line_lengths(self) -> list[int]:
        """The number of tokens in the line of each token."""
        return [len(line) for line in self.page.lines for _ in line]

    def read(self, first: int, last: int) -> str:
        """The lowered texts of some tokens, with spaces."""
        return " ".join(self.lowered[first : last + 1])

    @cached_property
    def labels(self) -> list[str]:
        """The label of the line at each token, empty where there is none."""
        return [str(value or "") for value in line_label(self.page)]

    def read_word(self, index: int) -> str:
        """The lowered text of a token; a line end outside the document."""
        return self.lowered[index] if 0 <= index < len(self.lowered) else "\n"

    def find_text(self, first: int, last: int) -> list[int]:
        """The first tokens of all places where the words of these tokens occur."""
        words, size, found = self.lowered[first : last + 1], last + 1 - first, []
        place, times = -1, self.counts[words[0]]
        for _ in range(times):
            place = self.lowered.index(words[0], place + 1)
            if self.lowered[place : place + size] == words:
                found.append(place)
        return found

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each lowered text occurs."""
        return Counter(self.lowered)

    def find_keys(self, spans: Iterable[Span]) -> list[tuple[Key, float]]:
        """The spans that begin and end with tokens, without line ends at their ends, and their
        probabilities."""
        starts, ends = self._edges
        found: list[tuple[Key, float]] = []
        for span in spans:
            first, last = starts.get(span.start, -1), ends.get(span.end, -1)
            if first < 0 or last < 0:
                continue
            while first < last and is_line_end(self.tokens[first]):
                first += 1
            while first < last and is_line_end(self.tokens[last]):
                last -= 1
            if not is_line_end(self.tokens[first]):
                found.append(((first, last, span.type), span.probability or 0.0))
        return found

    @cached_property
    def _edges(self) -> tuple[dict[int, int], dict[int, int]]:
        starts = {token.start: index for index, token in enumerate(self.tokens)}
        return starts, {token.end: index for index, token in enumerate(self.tokens)}


class Candidates:
    """The possible spans of a note: ``probabilities[key]`` has each member's; ``kinds[key]`` is the kind of
    the expression that it is."""

    def __init__(self, note: Note, members: Sequence[Sequence[Span]], expressions: Expressions) -> None:
        self.note = note
        self.probabilities: dict[Key, list[float]] = {}
        for number, spans in enumerate(members):
            for key, probability in note.find_keys(spans):
                self.probabilities.setdefault(key, [0.0] * len(members))[number] += probability
        self.kinds = {key: kind for key, kind in find_expressions(note, expressions)}
        self.repeats = set(self._find_repeats())
        for key in [*self.kinds, *self.repeats]:
            self.probabilities.setdefault(key, [0.0] * len(members))

    def _find_repeats(self) -> Iterable[Key]:
        """Yield the other places of the texts of sure spans."""
        for (first, last, type), own in list(self.probabilities.items()):
            text = self.note.read(first, last)
            if sum(own) >= SURE * len(own) and len(text) >= SHORTEST and text[0].isalpha():
                for place in self.note.find_text(first, last):
                    key = place, place + last - first, type
                    if key not in self.probabilities:
                        yield key


def find_expressions(note: Note, expressions: Expressions) -> Iterable[tuple[Key, str]]:
    """Yield each expression that an observation marks (``B`` and ``I`` before its kind), and its kind."""
    for observe, type in expressions.values():
        values = observe(note.page)
        marked = [(place, value) for place, value in enumerate(values) if value]
        for first, value in marked:
            if isinstance(value, str) and value[0] == "B":
                last = first
                while last + 1 < len(values) and values[last + 1] == f"I{value[1:]}":
                    last += 1
                yield (first, last, type), value[1:]
