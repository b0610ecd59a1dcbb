"""A hidden Markov model like IdentiFinder's (Bikel, Schwartz & Weischedel 1999; Sibanda & Uzuner
2006, section 4.3): a bigram language model for each type and for text that is not PHI, and the
most likely sequence of types (Viterbi).

    names.json   {"types": [...], "words": [...]}     the first type is "", for text that is not PHI
    counts.npz   the two tables of counts of :class:`Bigrams`

The probability of a bigram with an unknown word is that of the second table. For that table, each half
of the training text was counted with only the words of the other half known (their section 3.3.1).

The language models write a text class by class (Bikel, Schwartz & Weischedel 1999, sections 3.2 and 3.3):
the class, given the class before and its last word; its first word; each next word, given the one before; a
mark that ends the class. A word has one of 14 features (:mod:`crfdeid.systems.works.hmm_counts`). Each
probability is mixed with those of shorter contexts:

    Pr(NC | NC-1, w-1)     -> Pr(NC | NC-1)         -> Pr(NC)       -> 1 / classes
    Pr(<w,f> | NC, NC-1)   -> Pr(<w,f> | begin, NC) -> Pr(<w,f> | NC) -> Pr(w | NC) Pr(f | NC)
    Pr(<w,f> | <w,f>-1, NC)                         -> Pr(<w,f> | NC) -> Pr(w | NC) Pr(f | NC)

and the last two with 1 / words and 1 / features.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from crfdeid.errors import ModelError
from crfdeid.files import open_whole
from crfdeid.systems.registry import OF_TOKENS, WORDS, System, Training
from crfdeid.systems.tagger import ModelFolder, Tagger
from crfdeid.systems.works.hmm_counts import (
    END,
    END_WORD,
    FEATURES,
    RESERVED,
    UNKNOWN,
    Counts,
    count_regions,
    find_symbol,
    make_regions,
    number_words,
    select_words,
    split_by_type,
)
from crfdeid.text import bio
from crfdeid.text.document import Document, Token, trim_spans

NAMES, COUNTS = "names.json", "counts.npz"
TABLES = ("known", "unknown")

REMEMBERED = 20_000  # pairs of words, and words, whose probabilities are cached

Level = tuple[np.ndarray, np.ndarray, np.ndarray]  # counts: of the outcome, of all, of distinct ones


@dataclass(frozen=True)
class Options:
    """There are no options; ``tokenizer``, ``sequence`` and ``recall_bias`` of the configuration apply."""


class HmmTagger(Tagger):
    """A loaded HMM. ``types`` are its classes; the first is text that is not PHI."""

    def __init__(self, model: ModelFolder) -> None:
        super().__init__(model)
        self.types, words, tables = read_counts(model.path)
        self.vocabulary = {word: number for number, word in enumerate(words) if number >= len(RESERVED)}
        self.tables = {name: Bigrams(t, len(self.types), len(words)) for name, t in tables.items()}

    def _tag_all(self, documents: Iterable[Document], probabilities: bool) -> Iterator[Document]:
        return map(self._tag_one, documents)

    def _tag_one(self, document: Document) -> Document:
        tokenized, sequences = self.pipeline.tokenize_document(document)
        labels = [bio.OUTSIDE] * len(tokenized.tokens)
        for part in sequences:
            labels[part.start : part.stop] = self.label_tokens(tokenized.tokens[part.start : part.stop])
        found = bio.decode(tokenized.tokens, labels)
        return document.with_spans(trim_spans(document.text, found))

    def label_tokens(self, tokens: Sequence[Token]) -> list[str]:
        """Return the BIO labels of one sequence."""
        symbols = [find_symbol(self.vocabulary, t.text, i == 0) for i, t in enumerate(tokens)]
        kinds, begins = self.find_best_path(symbols)
        return [
            f"{'B' if begin else 'I'}-{self.types[kind]}" if kind else bio.OUTSIDE
            for kind, begin in zip(kinds, begins)
        ]

    def find_best_path(self, symbols: Sequence[int]) -> tuple[list[int], list[bool]]:
        """Return the most likely class of each word, and whether a region begins there."""
        classes, bias = np.arange(len(self.types)), self.bias
        turn, first = self.score_start(symbols[0])
        score = turn + first + bias
        origins, turned = [], []
        for before, here in zip(symbols, symbols[1:]):
            turn, first, after = self.score_step(before, here)
            began = score[:, None] + turn + first
            origin = began.argmax(axis=0)
            begun, stayed = began[origin, classes], score + after
            turned.append(begun > stayed)
            origins.append(np.where(turned[-1], origin, classes))
            score = np.maximum(begun, stayed) + bias
        last = int((score + self.score_end(symbols[-1])).argmax())
        return _follow_back(origins, turned, last)

    @property
    def bias(self) -> np.ndarray:
        """The addition to the score of each class at each word [class]."""
        bias = np.zeros(len(self.types))
        bias[0] = -self.config.recall_bias
        return bias

    def score_start(self, symbol: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the scores [class] of the class that a sequence begins with, and of its first word."""
        size = len(self.types)
        turns = self.find_table(END, END).turns(END_WORD)[size, :size]
        return turns, self.find_table(END, symbol).first(symbol)[size]

    def score_step(self, before: int, here: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the scores from one word to the next: that the class before ends and another begins
        [class before, class]; of its first word [class before, class]; of the word where the class goes on
        [class]."""
        size, table = len(self.types), self.find_table(before, here)
        turns = self.score_turns(before)[:, :size]
        turns[0, 0] = -np.inf  # text that is not PHI is one region, and does not follow itself
        return turns, table.first(here)[:size], table.after(before, here)

    def score_end(self, symbol: int) -> np.ndarray:
        """Return the score [class] that the sequence ends after this word."""
        return self.score_turns(symbol)[:, len(self.types)]

    def score_turns(self, before: int) -> np.ndarray:
        """Return the scores [class before, class] that the class before ends after the word ``before`` and
        the class, or the end of the sequence, follows."""
        table = self.find_table(before, before)
        ended: np.ndarray = table.after(before, END)[:, None]
        turns: np.ndarray = ended + table.turns(before // len(FEATURES))[: len(self.types)]
        return turns

    def find_table(self, before: int, symbol: int) -> Bigrams:
        """Return the table for this pair of symbols: known words, or an unknown one."""
        unknown = UNKNOWN in (before // len(FEATURES), symbol // len(FEATURES))
        return self.tables[TABLES[unknown]]


def _follow_back(
    origins: Sequence[np.ndarray], turned: Sequence[np.ndarray], last: int
) -> tuple[list[int], list[bool]]:
    kinds, begins = [last], []
    for origin, begun in zip(reversed(origins), reversed(turned)):
        begins.append(bool(begun[kinds[-1]]))
        kinds.append(int(origin[kinds[-1]]))
    return kinds[::-1], [True, *reversed(begins)]


def train(training: Training) -> None:
    """Count; there are no iterations."""
    model = training.model
    sequences = list(split_by_type(model.pipeline, training.documents))
    types = ["", *sorted({type for parts in sequences for _, type in parts} - {""})]
    words = sorted({token.text for parts in sequences for tokens, _ in parts for token in tokens})
    vocabulary = number_words(words)
    middle = len(sequences) // 2
    halves = sequences[:middle], sequences[middle:]
    known = count_regions(make_regions(sequences, types, vocabulary), len(types))
    unknown = count_regions(
        (
            region
            for half, other in (halves, halves[::-1])
            for region in make_regions(half, types, select_words(other, vocabulary))
        ),
        len(types),
    )
    write_counts(model.path, types, words, (known, unknown))


def write_counts(folder: Path, types: list[str], words: list[str], tables: Sequence[Counts]) -> None:
    """Write the two files into ``folder``."""
    with open_whole(folder / NAMES) as file:
        json.dump({"types": types, "words": words}, file, indent=0)
    arrays = {f"{n}_{k}": v for n, table in zip(TABLES, tables) for k, v in table._asdict().items()}
    with open_whole(folder / COUNTS, "wb") as file:
        np.savez_compressed(file, **arrays)


def read_counts(folder: Path) -> tuple[list[str], list[str], dict[str, Counts]]:
    """Read the types, the words (the reserved ones first) and the two tables. Raises :class:`ModelError`
    where the files are damaged."""
    try:
        names = json.loads((folder / NAMES).read_text(encoding="utf-8"))
        types, words = list(names["types"]), [*RESERVED, *names["words"]]
        with np.load(folder / COUNTS, allow_pickle=False) as arrays:
            tables = {n: Counts(*(arrays[f"{n}_{k}"] for k in Counts._fields)) for n in TABLES}
        if any(table.shape[1:] != (4,) for counts in tables.values() for table in counts):
            raise ValueError("not rows of four")
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        raise ModelError(f"{folder}: no counts here, or damaged ones ({NAMES}, {COUNTS})") from None
    return types, words, tables


def smooth(levels: Sequence[Level], floor: np.ndarray | float) -> np.ndarray:
    """Mix the estimates of all levels, from the longest context to the shortest, and ``floor``. The weight
    of a level is (1 - c_before / c) / (1 + distinct / c), where c is the count of its context and c_before
    that of the level before it.

    >>> count, all, distinct = np.array(2), np.array(4), np.array(2)
    >>> round(float(smooth([(count, all, distinct)], 0.1)), 4)    # 2/3 * 2/4 + 1/3 * 0.1
    0.3667
    """
    found = np.asarray(floor, float)
    for number in reversed(range(len(levels))):
        counted, total, distinct = levels[number]
        before = levels[number - 1][1] if number else 0
        some = np.maximum(total, 1)
        weight = np.where(total > 0, (1 - before / some) / (1 + distinct / some), 0.0)
        found = weight * counted / some + (1 - weight) * found
    return found


class Bigrams:
    """The logarithms of the probabilities of one table of counts. Rows are the classes before (the last is
    the start of a sequence), columns the classes (in :meth:`turns` the last is its end)."""

    def __init__(self, counts: Counts, classes: int, words: int) -> None:
        self.classes, self.words = classes, words
        self._turns, self._firsts = _group_rows(counts.turns, 1), _group_rows(counts.firsts, 2)
        self._nexts: dict[int, dict[int, dict[int, int]]] = {}
        self._count_turns(counts.turns)
        self._count_firsts(counts.firsts)
        self._count_words(counts)
        for kind, before, symbol, number in counts.nexts.tolist():
            self._nexts.setdefault(before, {}).setdefault(symbol, {})[kind] = number
        self.turns, self.first = cache(self._turn), lru_cache(REMEMBERED)(self._first)
        self.after, self.context = lru_cache(REMEMBERED)(self._after), cache(self._context)

    def _count_turns(self, turns: np.ndarray) -> None:
        size = self.classes + 1
        pairs = np.zeros((size, size))
        np.add.at(pairs, (turns[:, 0], turns[:, 2]), turns[:, 3])
        self.turn_levels = [_make_level(pairs, 1), _make_level(pairs.sum(axis=0), 0)]

    def _count_firsts(self, firsts: np.ndarray) -> None:
        shape = self.classes + 1, self.classes
        totals, distinct = np.zeros(shape), np.zeros(shape)
        np.add.at(totals, (firsts[:, 0], firsts[:, 1]), firsts[:, 3])
        np.add.at(distinct, (firsts[:, 0], firsts[:, 1]), 1)
        self.first_totals = totals, distinct
        begun = _count_distinct(firsts[:, [1, 2]], self.classes)
        self.begin_totals = totals.sum(axis=0), begun

    def _count_words(self, counts: Counts) -> None:
        """Count each class's symbols, words and features at all places."""
        seen = np.concatenate([counts.firsts[:, [1, 2, 3]], counts.nexts[:, [0, 2, 3]]])
        kinds, symbols, numbers = seen.T
        size = len(FEATURES)
        self.total = np.bincount(kinds, numbers, self.classes)
        self.distinct = _count_distinct(seen[:, :2], self.classes)
        words = np.column_stack([kinds, symbols // size])
        self.distinct_words = _count_distinct(words, self.classes)
        self.features = np.zeros((size, self.classes))
        np.add.at(self.features, (symbols % size, kinds), numbers)
        self._symbols: dict[int, dict[int, int]] = {}
        self._words: dict[int, dict[int, int]] = {}
        for kind, symbol, number in seen.tolist():
            for table, item in ((self._symbols, symbol), (self._words, symbol // size)):
                row = table.setdefault(item, {})
                row[kind] = row.get(kind, 0) + number

    def _row(self, known: dict[int, int] | None) -> np.ndarray:
        row = np.zeros(self.classes)
        for kind, number in (known or {}).items():
            row[kind] = number
        return row

    def class_level(self, symbol: int) -> tuple[Level, np.ndarray]:
        """Return the level Pr(<w,f> | NC), and the mixture of the levels below it."""
        word, shape = divmod(symbol, len(FEATURES))
        words = self._row(self._words.get(word)), self.total, self.distinct_words
        features = self.features[shape], self.total, (self.features > 0).sum(axis=0)
        floor = smooth([words], 1 / self.words) * smooth([features], 1 / len(FEATURES))
        return (self._row(self._symbols.get(symbol)), self.total, self.distinct), floor

    def _turn(self, word: int) -> np.ndarray:
        """Return [class before, class]: the class follows the word."""
        counted = np.zeros((self.classes + 1, self.classes + 1))
        for before, _, kind, number in self._turns.get(word, ()):
            counted[before, kind] = number
        levels = [_make_level(counted, 1), *self.turn_levels]
        return _log(smooth(levels, 1 / (self.classes + 1)))

    def _first(self, symbol: int) -> np.ndarray:
        """Return [class before, class] of the first word of a class."""
        counted = np.zeros((self.classes + 1, self.classes))
        for before, kind, _, number in self._firsts.get(symbol, ()):
            counted[before, kind] = number
        own, floor = self.class_level(symbol)
        begin = counted.sum(axis=0), *self.begin_totals
        return _log(smooth([(counted, *self.first_totals), begin, own], floor))

    def _after(self, before: int, symbol: int) -> np.ndarray:
        """Return [class] of the next word in a class, or of its end."""
        own, floor = self.class_level(symbol)
        counted = self._row(self._nexts.get(before, {}).get(symbol))
        return _log(smooth([(counted, *self.context(before)), own], floor))

    def _context(self, before: int) -> tuple[np.ndarray, np.ndarray]:
        """Return [class] the counts of all words after this one, and of the distinct ones."""
        total, distinct = np.zeros(self.classes), np.zeros(self.classes)
        for kinds in self._nexts.get(before, {}).values():
            for kind, number in kinds.items():
                total[kind] += number
                distinct[kind] += 1
        return total, distinct


def _make_level(counted: np.ndarray, axis: int) -> Level:
    return counted, counted.sum(axis=axis, keepdims=True), (counted > 0).sum(axis=axis, keepdims=True)


def _log(values: np.ndarray) -> np.ndarray:
    logarithms: np.ndarray = np.log(values)
    return logarithms


def _count_distinct(pairs: np.ndarray, classes: int) -> np.ndarray:
    """Count the distinct second values of each class, the first value."""
    return np.bincount(np.unique(pairs, axis=0)[:, 0], minlength=classes)


def _group_rows(table: np.ndarray, column: int) -> dict[int, list[list[int]]]:
    found: dict[int, list[list[int]]] = {}
    for row in table.tolist():
        found.setdefault(row[column], []).append(row)
    return found


SYSTEM = System(
    Options,
    train,
    HmmTagger,
    needs_features=False,
    settings=("recall_bias",),
    decoding=OF_TOKENS,
    explained_by=WORDS,
)
