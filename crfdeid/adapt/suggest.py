"""Draw the notes to correct next: half of them by doubt, half at random.

The doubt of a note is the expected number of its wrong spans: of each possible span the probability that it
is not what the model decides. Notes whose first lines look alike, such as the notes of one ward, are a
group, and the groups take turns, so that each kind of head is there. The random half is an honest sample
for an estimate; the notes that are drawn by doubt are harder than the others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

from crfdeid.systems.crf import CrfTagger
from crfdeid.text.document import Document

POSSIBLE = 0.05  # the probability of a possible span
RANDOM, DOUBT = "random", "doubt"
RUNS = ((re.compile(r"\d+"), "9"), (re.compile(r"[^\W\d_]+"), "a"), (re.compile(r"\s+"), " "))


@dataclass(frozen=True)
class Suggestion:
    """A note to correct, with the spans that the model found; ``why`` is :data:`RANDOM` or :data:`DOUBT`."""

    note: Document
    why: str
    doubt: float


def suggest(tagger: CrfTagger, notes: Sequence[Document], number: int, seed: int = 0) -> list[Suggestion]:
    """Return ``number`` notes to correct, or all where there are fewer: the random ones first. Notes with the
    same words as an earlier one are left out."""
    notes = drop_copies(notes)
    order = list(range(len(notes)))
    Random(seed).shuffle(order)
    drawn = order[: number // 2]
    doubts = measure_doubts(tagger, notes)
    chosen = choose_doubtful(notes, doubts, set(drawn), number - len(drawn))
    found = list(tagger.tag_all([notes[one].with_spans(()) for one in [*drawn, *chosen]]))
    whys = [RANDOM] * len(drawn) + [DOUBT] * len(chosen)
    return [Suggestion(*row) for row in zip(found, whys, [doubts[one] for one in [*drawn, *chosen]])]


def drop_copies(notes: Iterable[Document]) -> list[Document]:
    """Return the notes without those whose words an earlier one has."""
    return list({" ".join(note.text.split()): note for note in reversed(list(notes))}.values())[::-1]


def measure_doubts(tagger: CrfTagger, notes: Sequence[Document]) -> list[float]:
    """Return the doubt of each note."""
    bare = [note.with_spans(()) for note in notes]
    tagged = tagger.tag_all(bare, probabilities=True, threshold=POSSIBLE)
    return [sum(1 - abs(2 * (span.probability or 0.0) - 1) for span in note.spans) for note in tagged]


def choose_doubtful(
    notes: Sequence[Document], doubts: Sequence[float], taken: set[int], number: int
) -> list[int]:
    """Return the numbers of the most doubtful notes that are not taken, from the heads in turn."""
    seen: Counter[str] = Counter()
    heads = [describe_head(note.text) for note in notes]
    turns = []
    for one in sorted(range(len(notes)), key=lambda one: (-doubts[one], one)):
        if one not in taken:
            turns.append((seen[heads[one]], -doubts[one], one))
            seen[heads[one]] += 1
    return [one for _, _, one in sorted(turns)[:number]]


def describe_head(text: str) -> str:
    """Return how the first line of a note is written: numbers as 9, words as a.

    >>> describe_head("MRN: 123-45  Ruiz, Ana\\nSeen today.")
    'a: 9-9 a, a'
    """
    line = text.lstrip().partition("\n")[0]
    for run, sign in RUNS:
        line = run.sub(sign, line)
    return line
