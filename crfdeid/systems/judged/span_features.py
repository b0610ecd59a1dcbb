"""What the trees of a rescored model see of each candidate: the members' probabilities, the candidates that
compete with it, the same text elsewhere in the note, its place, and how training labels the text.

:class:`TrainingTexts` counts how often a text occurs, how often as a span of each type, and which words
begin, end, fill and surround the spans of a type. It holds words of the training documents, as a CRF does.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np

from crfdeid.engine.arrays.types import Floats
from crfdeid.errors import ModelError
from crfdeid.systems.judged.candidates import Candidates, Key, Note
from crfdeid.systems.judged.rows import GAP, compute_log_odds, describe_rivals

LONGEST = 6  # tokens of a text whose occurrences are counted
WORDS = ("word before", "word after", "first word", "last word")
CLUES = (*WORDS, "two words before", "label of the line")
SELDOM = 0.05  # the share of a word that was never seen, which counts as one more occurrence
NEW = 0.3  # that of all words inside a candidate, where none was seen
NAMES = (
    "seen as the type",
    "seen as others",
    "seen at all",
    "share of the type",
    *(f"type by {clue}" for clue in CLUES),
    *(f"type of all by {word}" for word in WORDS),
    "least share inside",
    "mean share inside",
    "share inside of word before",
    "share inside of word after",
    "word before ends",
    "word after begins",
    "first word begins",
    "last word ends",
)
Counts = dict[str, dict[str, int]]

POSSIBLE = 0.3  # that of a span whose text is compared with others
OF_TEXT = (
    "same type elsewhere",
    "all of the type",
    "other type elsewhere",
    "times in note",
    "share of times",
)
OF_PLACE = (
    "tokens",
    "line length",
    "place in note",
    "capital",
    "digit",
    "mark at end",
    "after stop",
    "before stop",
)
MARKS = frozenset(".,;)")


@dataclass(frozen=True)
class TrainingTexts:
    """``types[text][type]`` counts spans, ``occurrences[text]`` all places of such texts, ``words[word]`` all
    words, ``clues[name][clue][type]`` the spans with a clue (:data:`CLUES`), and ``inside[word][type]`` the
    words of spans."""

    types: Counts = field(default_factory=dict, repr=False)
    occurrences: dict[str, int] = field(default_factory=dict, repr=False)
    words: dict[str, int] = field(default_factory=dict, repr=False)
    clues: dict[str, Counts] = field(default_factory=dict, repr=False)
    inside: Counts = field(default_factory=dict, repr=False)

    def describe(self, note: Note, key: Key) -> list[float]:
        """Return the columns :data:`NAMES` of a candidate. A share is -1 where nothing was counted."""
        text, type = note.read(key[0], key[1]), key[2]
        own = self.types.get(text, {})
        count, occurrences = own.get(type, 0), self.occurrences.get(text, 0)
        found = list_clues(note, key)
        counts = [self.clues[name].get(clue, {}) for name, clue in zip(CLUES, found)]
        return [
            count,
            sum(own.values()) - count,
            occurrences,
            divide(count, occurrences),
            *(divide(by_type.get(type, 0), sum(by_type.values())) for by_type in counts),
            *(
                divide(by_type.get(type, 0), self.words.get(w, 0))
                for w, by_type in zip(found[: len(WORDS)], counts)
            ),
            *self.describe_inside(note, key),
            *self.describe_ends(*found[: len(WORDS)]),
        ]

    def describe_inside(self, note: Note, key: Key) -> list[float]:
        """Return how often the words in and beside a candidate are in spans of its type: the least and the
        mean of those in it that begin with a letter or a digit, the word before, the word after."""
        first, last, type = key
        own = [self.share(word, type) for word in note.lowered[first : last + 1] if word[0].isalnum()]
        known = [value if value >= 0 else NEW for value in own] or [NEW]
        beside = (note.read_word(first - 1), note.read_word(last + 1))
        return [min(known), sum(known) / len(known), *(self.share(word, type) for word in beside)]

    def share(self, word: str, type: str) -> float:
        """Return the share of a word's occurrences that are in spans of the type, -1 for an unknown word."""
        return self._divide(self.inside.get(word, {}).get(type, 0), word)

    def describe_ends(self, before: str, after: str, first: str, last: str) -> list[float]:
        """Return how often the word before ends spans, the word after begins them, the first one begins them
        and the last one ends them; of any type."""
        begins, ends = self.clues["first word"], self.clues["last word"]
        pairs = ((ends, before), (begins, after), (begins, first), (ends, last))
        return [self._divide(sum(counts.get(word, {}).values()), word) for counts, word in pairs]

    def _divide(self, part: int, word: str) -> float:
        """Return the part of a word's occurrences."""
        count = self.words.get(word, 0)
        return (part + SELDOM) / (count + 1) if count else -1.0

    def write(self, path: Path) -> None:
        """Write the counts as JSON."""
        path.write_text(json.dumps(vars(self), ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


def divide(part: int, whole: int) -> float:
    return part / whole if whole else -1.0


def list_clues(note: Note, key: Key) -> list[str]:
    """Return the clues of a span, in the order of :data:`CLUES`."""
    first, last, _ = key
    before = note.read_word(first - 1)
    return [
        before,
        note.read_word(last + 1),
        note.lowered[first],
        note.lowered[last],
        f"{note.read_word(first - 2)} {before}",
        note.labels[first],
    ]


def count_texts(pairs: Iterable[tuple[Note, list[Key]]]) -> TrainingTexts:
    """Count the texts of notes with their gold spans."""
    known = list(pairs)
    types: dict[str, Counter[str]] = defaultdict(Counter)
    inside: dict[str, Counter[str]] = defaultdict(Counter)
    clues: dict[str, dict[str, Counter[str]]] = {name: defaultdict(Counter) for name in CLUES}
    for note, keys in known:
        for key in keys:
            types[note.read(key[0], key[1])][key[2]] += 1
            for word in note.lowered[key[0] : key[1] + 1]:
                inside[word][key[2]] += 1
            for name, clue in zip(CLUES, list_clues(note, key)):
                clues[name][clue][key[2]] += 1
    occurrences = Counter(text for note, _ in known for text in list_texts(note, types))
    words = Counter(word for note, _ in known for word in note.lowered)
    return TrainingTexts(
        copy_counts(types),
        dict(occurrences),
        dict(words),
        {name: copy_counts(own) for name, own in clues.items()},
        copy_counts(inside),
    )


def copy_counts(counts: dict[str, Counter[str]]) -> Counts:
    return {word: dict(own) for word, own in counts.items()}


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
        table = json.loads(path.read_text(encoding="utf-8"))
        return TrainingTexts(**{each.name: table[each.name] for each in fields(TrainingTexts)})
    except (OSError, ValueError, TypeError, KeyError):
        raise ModelError(f"{path}: missing, or not the texts of a rescored model") from None


def describe_candidates(
    found: Sequence[Candidates], texts: Sequence[TrainingTexts], types: Sequence[str], kinds: Sequence[str]
) -> Floats:
    """Return the rows [candidates, columns] of all candidates of some notes; ``texts`` are those that each
    note is compared with."""
    members = [own for candidates in found for own in candidates.probabilities.values()]
    if not members:
        return np.zeros((0, 0))
    probabilities = np.clip(np.array(members, np.float64), 0.0, 1.0)
    mean = probabilities.mean(axis=1)
    number = {type: place for place, type in enumerate(types)}
    kind = {name: place for place, name in enumerate(kinds)}
    rows: list[list[float]] = []
    spans: list[tuple[int, int, int]] = []
    base = 0
    for candidates, known in zip(found, texts):
        note = candidates.note
        for key in candidates.probabilities:
            of_key = [number.get(key[2], -1), kind.get(candidates.kinds.get(key, ""), -1)]
            rows.append([*of_key, *describe_place(note, key), *known.describe(note, key)])
            spans.append((base + key[0], base + key[1], number.get(key[2], -1)))
        base += len(note.tokens) + GAP
    first, last, type_number = np.array(spans, np.int64).T
    of_texts = describe_repeats(found, mean)
    rivals = describe_rivals(first, last, type_number, mean)
    odds = compute_log_odds(np.column_stack([mean, probabilities]))
    return np.column_stack([odds, np.array(rows, np.float64), of_texts, rivals])


def describe_place(note: Note, key: Key) -> list[float]:
    """Return the columns :data:`OF_PLACE` of a candidate."""
    first, last, _ = key
    begin, lowered = note.tokens[first].text[0], note.lowered
    return [
        last + 1 - first,
        note.line_lengths[first],
        first / len(lowered),
        begin.isupper(),
        begin.isdigit(),
        lowered[last][-1] in MARKS,
        first > 0 and lowered[first - 1] == ".",
        last + 1 < len(lowered) and lowered[last + 1] == ".",
    ]


def describe_repeats(found: Sequence[Candidates], mean: Floats) -> Floats:
    """Return the columns :data:`OF_TEXT`: the same text elsewhere in the note."""
    rows: list[list[float]] = []
    values = iter(mean.tolist())
    for candidates in found:
        own = [(key, next(values)) for key in candidates.probabilities]
        groups: dict[str, list[tuple[Key, float]]] = {}
        texts = [candidates.note.read(key[0], key[1]) for key, _ in own]
        for text, pair in zip(texts, own):
            if pair[1] > POSSIBLE:
                groups.setdefault(text, []).append(pair)
        times: dict[str, int] = {}
        for text, (key, _) in zip(texts, own):
            if text not in times:
                is_word = text[0].isalpha()
                times[text] = len(candidates.note.find_text(key[0], key[1])) if is_word else 0
            rows.append(compare_repeats(key, groups.get(text, []), times[text]))
    return np.array(rows, np.float64)


def compare_repeats(key: Key, group: Sequence[tuple[Key, float]], times: int) -> list[float]:
    """Return the columns :data:`OF_TEXT` of one candidate; ``group`` are the possible spans with its text."""
    others = [(other[2], value) for other, value in group if other[0] != key[0]]
    same = [value for type, value in others if type == key[2]]
    different = [value for type, value in others if type != key[2]]
    share = sum(same) / (times - 1) if times > 1 else -1.0
    return [max(same, default=-1.0), sum(same), max(different, default=-1.0), times, share]
