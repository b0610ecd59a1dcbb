"""Compare several readers and systems: where they agree, and how much.

Douglass 2005, section 2.3.1 and figure 2-4: an item is white where all voters agree, grey where a majority
does, pink where fewer do; the majority's choice is suggested.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from crfdeid.evaluate.scores import Counts
from crfdeid.review.study import marks
from crfdeid.text import bio, tokenizer
from crfdeid.text.document import Span, group_overlapping

Votes = Mapping[str, Sequence[Span]]


@dataclass(frozen=True)
class Item:
    """A run of overlapping marks. ``votes`` holds the marks of every voter here. ``agreement`` is "all" where
    all voters have the same marks, "majority" where more than half have, else "fewer". ``suggestion`` is the
    most frequent choice; ``preset`` says whether more than half of the voters marked anything."""

    start: int
    end: int
    votes: dict[str, tuple[Span, ...]]
    agreement: str
    suggestion: tuple[Span, ...]
    preset: bool

    @property
    def key(self) -> str:
        return f"{self.start}-{self.end}"


def trim_punctuation(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans without punctuation at their ends, which does not count as disagreement. A span of only
    punctuation stays."""
    edges = ((marks.trim(text, s.start, s.end) or (s.start, s.end), s.type) for s in spans)
    return [Span(start, end, type) for (start, end), type in edges]


def build_items(votes: Votes) -> list[Item]:
    """The items that an adjudicator decides, in reading order.

    >>> ann, bob, eve = [Span(0, 4, "DATE")], [Span(0, 4, "DATE")], [Span(0, 8, "DATE"), Span(9, 12, "AGE")]
    >>> [(i.key, i.agreement, i.preset) for i in build_items({"ann": ann, "bob": bob, "eve": eve})]
    [('0-8', 'majority', True), ('9-12', 'fewer', False)]
    """
    ordered = sorted((span, name) for name, spans in votes.items() for span in spans)
    return [build_item(group, votes) for group in group_overlapping(ordered, lambda vote: vote[0])]


def build_item(group: Sequence[tuple[Span, str]], votes: Votes) -> Item:
    """The item of a run of overlapping marks, each with its voter's name."""
    choices: dict[str, list[Span]] = {name: [] for name in votes}
    for span, name in group:
        choices[name].append(span)
    by_voter = {name: tuple(spans) for name, spans in choices.items()}
    counts = Counter(spans for spans in by_voter.values() if spans)
    suggestion, times = min(
        counts.items(), key=lambda choice: (-choice[1], -count_characters(choice[0]), choice[0])
    )
    start, end = group[0][0].start, max(span.end for span, _ in group)
    agreement = classify_agreement(times, len(votes))
    return Item(start, end, by_voter, agreement, suggestion, preset=2 * counts.total() > len(votes))


def count_characters(spans: Iterable[Span]) -> int:
    return sum(span.end - span.start for span in spans)


def classify_agreement(times: int, voters: int) -> str:
    """
    >>> [classify_agreement(times, 3) for times in (3, 2, 1)], classify_agreement(1, 2)
    (['all', 'majority', 'fewer'], 'fewer')
    """
    return "all" if times == voters else "majority" if 2 * times > voters else "fewer"


def pair_names(names: Iterable[str]) -> list[tuple[str, str]]:
    return list(combinations(sorted(names), 2))


def count_equal_spans(first: Sequence[Span], second: Sequence[Span]) -> Counts:
    """Count the spans that are equal in start, end and type. Their F1 is the same whichever side is the gold
    (Hripcsak & Rothschild 2005, J Am Med Inform Assoc 12:296)."""
    ours, theirs = set(first), set(second)
    both = len(ours & theirs)
    return Counts(both, len(theirs) - both, len(ours) - both)


def label_tokens(text: str, votes: Votes) -> dict[str, list[str]]:
    """By voter, the type of each token of the text, or O outside the spans; without line ends."""
    tokens = [token for token in tokenizer.fine(text) if not tokenizer.is_line_end(token)]
    return {
        name: [label[2:] or bio.OUTSIDE for label in bio.encode(tokens, sorted(spans))]
        for name, spans in votes.items()
    }


def compute_kappa(table: Counter[tuple[str, str]]) -> float | None:
    """Cohen's kappa of a table of pairs of labels; None where the table is empty or chance agreement is 1
    (Cohen 1960, Educ Psychol Meas 20:37).

    >>> round(compute_kappa(Counter({("O", "O"): 20, ("A", "A"): 15, ("A", "O"): 5, ("O", "A"): 10})), 2)
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
