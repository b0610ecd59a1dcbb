"""Several readers and systems side by side: where they agree, and how much.

Douglass 2005, section 2.3.1 and figure 2-4: a selection is white where all agree, grey where a majority
does, pink where fewer do; what the majority chose is suggested.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from crfdeid.evaluate.scores import Counts
from crfdeid.review.study import word_boundaries
from crfdeid.text import bio, tokenizer
from crfdeid.text.document import Span
from crfdeid.text.spans import group_overlapping

Votes = Mapping[str, Sequence[Span]]
CLASSES = ("all", "majority", "fewer")


@dataclass(frozen=True)
class Item:
    """A stretch of overlapping marks. ``votes`` has every voter, with what they marked here.
    ``agreement``: all voters have the same marks, more than half have, or fewer. ``suggestion`` is
    what most chose, ``preset`` whether more than half marked anything."""

    start: int
    end: int
    votes: dict[str, tuple[Span, ...]]
    agreement: str
    suggestion: tuple[Span, ...]
    preset: bool

    @property
    def key(self) -> str:
        return f"{self.start}-{self.end}"


def trimmed(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans without outer punctuation, which is no disagreement; one of punctuation alone stays."""
    edges = ((word_boundaries.trimmed(text, s.start, s.end) or (s.start, s.end), s.type) for s in spans)
    return [Span(start, end, type) for (start, end), type in edges]


def items(votes: Votes) -> list[Item]:
    """What there is to decide, in reading order.

    >>> ann, bob, eve = [Span(0, 4, "DATE")], [Span(0, 4, "DATE")], [Span(0, 8, "DATE"), Span(9, 12, "AGE")]
    >>> [(i.key, i.agreement, i.preset) for i in items({"ann": ann, "bob": bob, "eve": eve})]
    [('0-8', 'majority', True), ('9-12', 'fewer', False)]
    """
    return [item(start, end, found, votes) for start, end, found in stretches(votes)]


def stretches(votes: Votes) -> list[tuple[int, int, dict[str, list[Span]]]]:
    """Start, end and marks by voter of each run of overlapping marks."""
    runs = []
    ordered = sorted((span, name) for name, spans in votes.items() for span in spans)
    for group in group_overlapping(ordered, lambda vote: vote[0]):
        found: dict[str, list[Span]] = {}
        for span, name in group:
            found.setdefault(name, []).append(span)
        runs.append((group[0][0].start, max(span.end for span, _ in group), found))
    return runs


def item(start: int, end: int, found: Mapping[str, Sequence[Span]], votes: Votes) -> Item:
    chosen = {name: tuple(found.get(name, ())) for name in votes}
    choices = Counter(spans for spans in chosen.values() if spans)
    suggestion, times = min(choices.items(), key=lambda choice: (-choice[1], -covered(choice[0]), choice[0]))
    return Item(start, end, chosen, level(times, len(votes)), suggestion, 2 * len(found) > len(votes))


def covered(spans: Iterable[Span]) -> int:
    return sum(span.end - span.start for span in spans)


def level(times: int, voters: int) -> str:
    """
    >>> [level(times, 3) for times in (3, 2, 1)], level(1, 2)
    (['all', 'majority', 'fewer'], 'fewer')
    """
    return "all" if times == voters else "majority" if 2 * times > voters else "fewer"


def pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    return list(combinations(sorted(names), 2))


def f1(first: Sequence[Span], second: Sequence[Span]) -> Counts:
    """Counts of spans equal in ends and type; their F1 is the same whichever side is called right
    (Hripcsak & Rothschild 2005, J Am Med Inform Assoc 12:296)."""
    ours, theirs = set(first), set(second)
    both = len(ours & theirs)
    return Counts(both, len(theirs) - both, len(ours) - both)


def labels(text: str, votes: Votes) -> dict[str, list[str]]:
    """By voter, the type of each token of the text, line ends left out; O outside."""
    tokens = [token for token in tokenizer.fine(text) if not tokenizer.is_line_end(token)]
    return {
        name: [label[2:] or bio.OUTSIDE for label in bio.encode(tokens, sorted(spans))]
        for name, spans in votes.items()
    }


def kappa(table: Counter[tuple[str, str]]) -> float | None:
    """Cohen's kappa of a table of pairs of labels; None where chance alone agrees fully or there are none
    (Cohen 1960, Educ Psychol Meas 20:37).

    >>> round(kappa(Counter({("O", "O"): 20, ("A", "A"): 15, ("A", "O"): 5, ("O", "A"): 10})), 2)
    0.4
    """
    total = sum(table.values())
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    for (ours, theirs), count in table.items():
        first[ours] += count
        second[theirs] += count
    chance = sum(first[label] * second[label] for label in first)
    if total * total == chance:
        return None
    same = sum(count for (ours, theirs), count in table.items() if ours == theirs)
    return (same * total - chance) / (total * total - chance)
