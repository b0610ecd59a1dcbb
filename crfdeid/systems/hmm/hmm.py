"""A hidden Markov model like IdentiFinder's (Bikel, Schwartz & Weischedel 1999; Sibanda & Uzuner
2006, section 4.3): a bigram language model for each type and for what is no PHI, and the
most likely sequence of types (Viterbi).

    names.json   {"types": [...], "words": [...]}     types begin with "", which is no PHI
    counts.npz   the two tables of counts of :mod:`crfdeid.systems.hmm.bigram_model`

A bigram with a word that was not seen is asked of the second table, in which each half of the
training text was counted with the words of the other half alone known (their section 3.3.1).
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crfdeid.errors import ModelError
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.files import open_whole
from crfdeid.systems.hmm.bigram_model import Bigrams
from crfdeid.systems.hmm.counts import END, END_WORD, FEATURES, UNKNOWN, Counts, count
from crfdeid.systems.hmm.regions import RESERVED, numbered, regions, spelt, stretches, symbol
from crfdeid.text import bio, scheme
from crfdeid.text.document import Document, Token
from crfdeid.text.spans import trim_spans

NAMES, COUNTS = "names.json", "counts.npz"
TABLES = ("known", "unknown")


@dataclass(frozen=True)
class Options:
    """None: what there is to set is the experiment's (tokenizer, sequence, recall_bias)."""


class Model:
    """``types`` are the classes; the first is no PHI."""

    def __init__(self, folder: Path, pipeline: Pipeline) -> None:
        self.folder, self.pipeline = folder, pipeline
        self.scheme = scheme.read_scheme(folder / "scheme.toml")
        self.types, words, tables = read(folder)
        self.vocabulary = {word: number for number, word in enumerate(words) if number >= len(RESERVED)}
        self.models = {n: Bigrams(t, len(self.types), len(words)) for n, t in tables.items()}

    def tag(self, document: Document) -> Document:
        """The document with the spans found, in place of any it had."""
        page, sequences = self.pipeline.page(document)
        labels = [bio.OUTSIDE] * len(page.tokens)
        for part in sequences:
            labels[part.start : part.stop] = self.labels(page.tokens[part.start : part.stop])
        found = bio.decode(page.tokens, labels)
        return document.with_spans(trim_spans(document.text, found))

    def labels(self, tokens: Sequence[Token]) -> list[str]:
        """BIO labels of one sequence."""
        kinds, begins = self.best([symbol(self.vocabulary, t.text, i == 0) for i, t in enumerate(tokens)])
        return [
            f"{'B' if begin else 'I'}-{self.types[kind]}" if kind else bio.OUTSIDE
            for kind, begin in zip(kinds, begins)
        ]

    def best(self, symbols: Sequence[int]) -> tuple[list[int], list[bool]]:
        """The most likely class of each word, and whether it begins there."""
        size = len(self.types)
        bias = np.zeros(size)
        bias[0] = -self.pipeline.config.recall_bias
        score = self.model(END, symbols[0]).first(symbols[0])[size]
        score = score + self.model(END, END).turns(END_WORD)[size, :size] + bias
        origins, turned = [], []
        for before, here in zip(symbols, symbols[1:]):
            model = self.model(before, here)
            turn = self.turn(score, before)[:, :size] + model.first(here)[:size]
            turn[0, 0] = -np.inf  # what is no PHI goes on, and does not follow itself
            origin = turn.argmax(axis=0)
            begun, stayed = turn[origin, np.arange(size)], score + model.after(before, here)
            turned.append(begun > stayed)
            origins.append(np.where(turned[-1], origin, np.arange(size)))
            score = np.maximum(begun, stayed) + bias
        last = int(self.turn(score, symbols[-1])[:, size].argmax())
        return _followed(origins, turned, last)

    def turn(self, score: np.ndarray, before: int) -> np.ndarray:
        """[class before, class]: the class before ends after the word ``before``, and this one, or
        the sequence's end, comes."""
        model = self.model(before, before)
        ended = score + model.after(before, END)
        return ended[:, None] + model.turns(before // len(FEATURES))[: len(self.types)]

    def model(self, before: int, symbol: int) -> Bigrams:
        unknown = UNKNOWN in (before // len(FEATURES), symbol // len(FEATURES))
        return self.models[TABLES[unknown]]


def _followed(
    origins: Sequence[np.ndarray], turned: Sequence[np.ndarray], last: int
) -> tuple[list[int], list[bool]]:
    kinds, begins = [last], []
    for origin, begun in zip(reversed(origins), reversed(turned)):
        begins.append(bool(begun[kinds[-1]]))
        kinds.append(int(origin[kinds[-1]]))
    return kinds[::-1], [True, *reversed(begins)]


def train(
    pipeline: Pipeline,
    documents: Sequence[Document],
    folder: Path,
    on_iteration: Callable[[int, float], None],
) -> None:
    """Count: there are no iterations."""
    sequences = list(stretches(pipeline, documents))
    types = ["", *sorted({type for parts in sequences for _, type in parts} - {""})]
    words = sorted({token.text for parts in sequences for tokens, _ in parts for token in tokens})
    known = numbered(words)
    middle = len(sequences) // 2
    halves = sequences[:middle], sequences[middle:]
    apart = [
        region
        for half, other in (halves, halves[::-1])
        for region in regions(half, types, spelt(other, known))
    ]
    tables = count(regions(sequences, types, known), len(types)), count(apart, len(types))
    write(folder, types, words, tables)


def write(folder: Path, types: list[str], words: list[str], tables: Sequence[Counts]) -> None:
    with open_whole(folder / NAMES) as file:
        json.dump({"types": types, "words": words}, file, indent=0)
    arrays = {f"{n}_{k}": v for n, table in zip(TABLES, tables) for k, v in table._asdict().items()}
    with open_whole(folder / COUNTS, "wb") as file:
        np.savez_compressed(file, **arrays)


def read(folder: Path) -> tuple[list[str], list[str], dict[str, Counts]]:
    """Types, words (the reserved ones first) and the two tables. Raises :class:`ModelError` where the
    files are damaged."""
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


def load(folder: Path, pipeline: Pipeline) -> Model:
    return Model(folder, pipeline)
