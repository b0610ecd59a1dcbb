"""How the training documents label texts: how often a text occurs, how often as a span of each type, and
which words are beside spans. It holds texts of the training spans, as the model of a CRF does."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from crfdeid.errors import ModelError
from crfdeid.systems.rescored.candidates import Key, Note

LONGEST = 6  # tokens of a text whose occurrences are counted
Counts = dict[str, dict[str, int]]


@dataclass(frozen=True)
class TrainingTexts:
    """``types[text][type]`` counts spans, ``occurrences[text]`` all places; ``before[word][type]`` and
    ``after[word][type]`` count the spans that follow and precede a word."""

    types: Counts = field(default_factory=dict, repr=False)
    occurrences: dict[str, int] = field(default_factory=dict, repr=False)
    before: Counts = field(default_factory=dict, repr=False)
    after: Counts = field(default_factory=dict, repr=False)

    def describe(self, note: Note, key: Key) -> list[float]:
        """Return the numbers of a candidate: spans of its text with its type and with others, occurrences,
        the share of them that has the type, and the shares of its type among spans beside the same words."""
        first, last, type = key
        text = note.read(first, last)
        own = self.types.get(text, {})
        count, occurrences = own.get(type, 0), self.occurrences.get(text, 0)
        beside = (
            share_of(self.before.get(read_word(note, first - 1), {}), type),
            share_of(self.after.get(read_word(note, last + 1), {}), type),
        )
        share = count / occurrences if occurrences else -1.0
        return [count, sum(own.values()) - count, occurrences, share, *beside]

    def write(self, path: Path) -> None:
        """Write the counts as JSON."""
        path.write_text(json.dumps(vars(self), ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


NAMES = (
    "seen as the type",
    "seen as others",
    "seen at all",
    "share of the type",
    "after word",
    "before word",
)


def read_word(note: Note, index: int) -> str:
    """The lowered text of a token; a line end where there is none."""
    return note.lowered[index] if 0 <= index < len(note.lowered) else "\n"


def share_of(counts: dict[str, int], type: str) -> float:
    """The share of a type among counts, -1 where there are none."""
    return counts.get(type, 0) / sum(counts.values()) if counts else -1.0


def count_texts(pairs: Iterable[tuple[Note, list[Key]]]) -> TrainingTexts:
    """Count the texts of notes with their gold spans."""
    known = list(pairs)
    types: dict[str, Counter[str]] = defaultdict(Counter)
    before: dict[str, Counter[str]] = defaultdict(Counter)
    after: dict[str, Counter[str]] = defaultdict(Counter)
    for note, keys in known:
        for first, last, type in keys:
            types[note.read(first, last)][type] += 1
            before[read_word(note, first - 1)][type] += 1
            after[read_word(note, last + 1)][type] += 1
    occurrences = Counter(text for note, _ in known for text in list_texts(note, types))
    plain = [{word: dict(own) for word, own in counts.items()} for counts in (types, before, after)]
    return TrainingTexts(plain[0], dict(occurrences), *plain[1:])


def list_texts(note: Note, wanted: Iterable[str]) -> Iterable[str]:
    """Yield each occurrence of a wanted text of at most :data:`LONGEST` tokens."""
    texts = frozenset(wanted)
    firsts = {text.partition(" ")[0] for text in texts}
    for index, word in enumerate(note.lowered):
        if word in firsts:
            for last in range(index, min(index + LONGEST, len(note.lowered))):
                if (text := note.read(index, last)) in texts:
                    yield text


def read_texts(path: Path) -> TrainingTexts:
    """Read the counts. Raises :class:`ModelError` where the file is missing or another one."""
    try:
        return TrainingTexts(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        raise ModelError(f"{path}: missing, or not the texts of a rescored model") from None
