"""A hidden Markov model like IdentiFinder's (Bikel, Schwartz & Weischedel 1999; Sibanda & Uzuner
2006, section 4.3): a bigram language model for each type and for text that is not PHI, and the
most likely sequence of types (Viterbi).

    names.json   {"types": [...], "words": [...]}     the first type is "", for text that is not PHI
    counts.npz   the two tables of counts of :mod:`crfdeid.systems.hmm.bigram_model`

The probability of a bigram with an unknown word is that of the second table. For that table, each half
of the training text was counted with only the words of the other half known (their section 3.3.1).
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crfdeid.errors import ModelError
from crfdeid.files import open_whole
from crfdeid.systems.hmm.bigram_model import Bigrams
from crfdeid.systems.hmm.counts import (
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
from crfdeid.systems.registry import System, Training
from crfdeid.systems.tagger import ModelFolder, Tagger
from crfdeid.text import bio
from crfdeid.text.document import Document, Token
from crfdeid.text.spans import trim_spans

NAMES, COUNTS = "names.json", "counts.npz"
TABLES = ("known", "unknown")


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
        """What is added to the score of each class at each word [class]."""
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


SYSTEM = System(Options, train, HmmTagger)
