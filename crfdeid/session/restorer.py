"""Bring the real texts back: in a whole answer, or in one that comes in chunks.

Issued texts are found as phrases in a tree of their characters, so that a phrase that began in one chunk
goes on in the next, and the end of a text is held back only as long as it may still become a phrase. The
longest phrase at the first place is found. Capitals, kinds of apostrophes and dashes make no difference, and
a blank of a phrase is any white space, such as the line end of a wrapped line. A phrase that begins or ends
with a letter or a digit is found only where no other letter or digit touches it.

Nothing is restored in the target of a link or in an attribute of HTML: an answer is written by a model that
may have read a prompt of somebody else, and what shows the answer would send the real text to the target.
"""

from __future__ import annotations

import re
from collections import OrderedDict, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from crfdeid.lexicon.letters import WORD, match_case
from crfdeid.session.writings import Writing, list_writings
from crfdeid.text.document import Span

Item = TypeVar("Item")
SPACE = " "
MOST_SPACES = 40  # characters of white space that a blank of a phrase may be: what is held back stays short
MARK = re.compile(r"<[A-Za-z/!]|\s+|[>\"'=<]|[^<>\"'=\s]+")
SCHEME = re.compile(  # what begins an address, also in entities and with the strokes of Windows
    r"\]\(|[/\\]{2}|\b(?:https?|ftp|wss?|file|data|mailto|javascript|tel|sms):|\bwww\.|&(?:#|sol|bsol|colon)",
    re.IGNORECASE,
)
ALIKE = {"’": "'", "‘": "'", "`": "'", "‐": "-", "‑": "-", "–": "-", "−": "-"}


@dataclass(frozen=True)
class Pair:
    """A real text of a type and what was issued in its place."""

    issued: str
    real: str = field(repr=False)
    type: str


class PairWriting(NamedTuple):
    """A writing in which a pair may come back. A ``sure`` one is the issued text itself, another follows from
    it."""

    writing: Writing
    pair: Pair
    sure: bool


class Restorer:
    """Restores what was issued, in any case and with a possessive. A writing that follows from the issued
    texts of two pairs with different real texts is left as it is, because nobody could say which is meant."""

    def __init__(self, pairs: Iterable[Pair] = (), month_first: bool = True) -> None:
        self.phrases: Phrases[PairWriting] = Phrases()
        self.month_first = month_first
        self.targets: set[str] = set()  # of links, up to the end of what was issued there
        for pair in pairs:
            self.add(pair)

    def add(self, pair: Pair) -> None:
        """Restore this pair too."""
        for number, writing in enumerate(list_writings(pair.issued, pair.real, pair.type, self.month_first)):
            entries = self.phrases.add(writing.issued)
            if all(entry.pair != pair for entry in entries):  # "May" is also its own abbreviation
                entries.append(PairWriting(writing, pair, number == 0))

    def allow_targets(self, text: str) -> None:
        """Restore again the links of a text that was redacted: they are the user's."""
        links, at = Links(), 0
        for match in self.phrases.find(text):
            links.feed(text[at : match.start])
            at = match.end
            seen = text[match.start : at]
            if links.target is not None:
                self.targets.add(links.target + seen)
            links.feed(seen)

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
        self.restorer, self.links = restorer, Links()
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
            pieces.append(self._pass_on(text[at : match.start]))
            at = match.start
            if not match.items:
                break
            is_link = self._is_foreign_link(text[match.start : match.end])
            seen = self._pass_on(text[match.start : match.end])
            pieces.append(seen if is_link else read_match(text, match))
            at = match.end
        else:
            pieces.append(self._pass_on(text[at:]))
            at = len(text)
        self.held = text[at:]
        self.before = text[at - 1] if at else self.before
        return "".join(pieces)

    def _pass_on(self, text: str) -> str:
        """Return a text of the answer that the state of links has seen."""
        self.links.feed(text)
        return text

    def _is_foreign_link(self, seen: str) -> bool:
        """Whether what was issued is in the target of a link that no redacted text had."""
        target = self.links.target
        return target is not None and target + seen not in self.restorer.targets


class AnswerQueue(Generic[Item]):
    """The chunks of a stream that has one answer or several. The last chunk of each answer waits for the end
    of its text, a chunk for the chunks before it of its answers, and one without an answer, such as the
    usage, for all before it.

    >>> queue = AnswerQueue()
    >>> [queue.add(chunk, answers) for chunk, answers in [("a", {0}), ("b", {1}), ("c", {0}), ("d", set())]]
    [[], [], ['a'], []]
    >>> list(queue.finish())
    [('b', {1}), ('c', {0}), ('d', set())]
    """

    def __init__(self) -> None:
        self.waiting: OrderedDict[int, tuple[Item, Collection[int]]] = OrderedDict()
        self.answers: defaultdict[int, deque[int]] = defaultdict(deque)  # the chunks of each that wait
        self.count = 0

    def add(self, chunk: Item, answers: Collection[int]) -> list[Item]:
        """Take the next chunk, with the numbers of its answers. Return the chunks that can go out now."""
        self.waiting[self.count] = chunk, answers
        for answer in answers:
            self.answers[answer].append(self.count)
        self.count += 1
        ready = self._take_followed(answers)
        while self.waiting and not next(iter(self.waiting.values()))[1]:
            number, (chunk, _) = self.waiting.popitem(last=False)
            ready[number] = chunk
        return [ready[number] for number in sorted(ready)]

    def _take_followed(self, answers: Collection[int]) -> dict[int, Item]:
        """Take the chunks out that are the first of all their answers and not the last of any."""
        ready: dict[int, Item] = {}
        todo = list(answers)
        while todo:
            number = self.answers[todo.pop()][0]
            chunk, own = self.waiting[number]
            queues = [self.answers[answer] for answer in own]
            if all(len(queue) > 1 and queue[0] == number for queue in queues):
                for queue in queues:
                    queue.popleft()
                todo.extend(own)
                ready[number] = chunk
                del self.waiting[number]
        return ready

    def finish(self) -> Iterator[tuple[Item, set[int]]]:
        """Yield the chunks that wait, after the last, each with the answers that end in it."""
        for number, (chunk, answers) in self.waiting.items():
            yield chunk, {answer for answer in answers if self.answers[answer][-1] == number}


class Links:
    """Follows a text and knows whether its end is in the target of a link or in an attribute of HTML.

    >>> links = Links()
    >>> for text in ("see ", "https://a.example/?q=", " or <b>", '<img alt="', '">'):
    ...     links.feed(text)
    ...     print(repr(links.target))
    None
    'https://a.example/?q='
    None
    ''
    None
    """

    def __init__(self) -> None:
        self.word = self.outer = self.quote = self.held = ""  # the word so far, and the one before a tag
        self.in_tag = self.has_value = False

    @property
    def target(self) -> str | None:
        """The text before the end, from where its target or attribute begins; None where it is in neither."""
        is_value = bool(self.quote) or (self.in_tag and self.has_value)
        is_link = SCHEME.search(self.word) or (self.in_tag and SCHEME.search(self.outer))
        return self.outer + self.word if is_value or is_link else None

    def feed(self, text: str) -> None:
        """Go on to the end of a text."""
        text = self.held + text
        self.held = "<" if text.endswith("<") else ""  # the next character says whether a tag begins
        for mark in MARK.findall(text.removesuffix(self.held) if self.held else text):
            self._step(mark)

    def _step(self, mark: str) -> None:
        if self.quote:
            self._step_in_quotes(mark)
        elif self.in_tag and mark == ">":
            self.word = self.outer if SCHEME.search(self.outer) else ""
            self.in_tag, self.has_value, self.outer = False, False, ""
        elif self.in_tag and self.has_value and not self.word and mark in ("'", '"'):
            self.quote = mark
        elif self.in_tag and mark == "=" and not self.has_value:
            self.has_value, self.word = True, ""
        elif mark.isspace():
            self.has_value = self.has_value and not self.word
            self.word = ""
        else:
            self._step_in_word(mark)

    def _step_in_quotes(self, mark: str) -> None:
        if mark == self.quote:
            self.quote, self.has_value, self.word = "", False, ""
        else:
            self.word += mark

    def _step_in_word(self, mark: str) -> None:
        if len(mark) == 2 and mark[0] == "<" and not self.in_tag:
            self.outer, self.word, self.in_tag = self.word, "", True
        self.word += mark


def read_match(text: str, match: Match[PairWriting]) -> str:
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


@dataclass(slots=True)
class Node(Generic[Item]):
    """A place in the tree. ``items`` belong to the phrase that ends here; None if no phrase does."""

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
