"""The words and long numbers of training notes by the number of patients, and those that a model shows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from crfdeid.feature_extraction.context import is_cue
from crfdeid.feature_extraction.long_numbers import WITHOUT_DIGITS
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.token import is_column
from crfdeid.files import read_text
from crfdeid.text.document import Document
from crfdeid.text.gazetteer import TRAINING, read_entries

WORD = re.compile(r"[^\W\d_]{3,}")
NUMBER = re.compile(r"\d{4,}")
PIECE = re.compile(r"(prefix|suffix)(\d)")
# The values of these are names of kinds, or forms in which no word can be read.
WITHOUT_WORDS = WITHOUT_DIGITS | {
    "letter_pattern", "line_case", "document_case", "page_position", "written_as", "pos", "chunk_tag", "mesh",
    "es_date", "es_age", "es_relative", "es_subject", "bracket_part", "bracket_left", "sentence_begin",
    "written_elsewhere", "line_numbers",
}  # fmt: skip


@dataclass(frozen=True)
class TrainingStrings:
    """How many patients have each string: ``in_spans`` are words of PHI, ``others`` words of the other text
    only, ``numbers`` have four digits or more. Words are in lower case, of three letters or more."""

    in_spans: Mapping[str, int] = field(repr=False)
    others: Mapping[str, int] = field(repr=False)
    numbers: Mapping[str, int] = field(repr=False)

    def list_kinds(self) -> dict[str, Mapping[str, int]]:
        return {"words of PHI": self.in_spans, "other words": self.others, "long numbers": self.numbers}

    def list_rare(self, least: int) -> set[str]:
        """Return the words and numbers of fewer than ``least`` patients."""
        return {text for kind in self.list_kinds().values() for text, n in kind.items() if n < least}


def count_strings(documents: Iterable[Document], pipeline: Pipeline) -> TrainingStrings:
    """Count the patients of each word and each long number of folded documents. A word is a run of letters,
    or a token of letters (McKay has the words mckay, mc and kay)."""
    owners: dict[str, set[tuple[bool, str]]] = {}
    sensitive: set[str] = set()
    for document in documents:
        tokens = " ".join(token.text for token in pipeline.tokenize(document.text))
        for text in find_strings(document.text) | find_strings(tokens):
            owners.setdefault(text, set()).add(document.owner)
        for span in document.spans:
            sensitive |= find_strings(document.text_of(span))
    counts = {text: len(own) for text, own in owners.items()}
    numbers = {text: n for text, n in counts.items() if text[0].isdigit()}
    words = {text: n for text, n in counts.items() if text not in numbers}
    return TrainingStrings(
        {text: n for text, n in words.items() if text in sensitive},
        {text: n for text, n in words.items() if text not in sensitive},
        numbers,
    )


def find_strings(text: str) -> set[str]:
    """Return the words, in lower case, and the long numbers of a text.

    >>> sorted(find_strings("Dr. Ruiz, 617-555-0199"))
    ['0199', 'ruiz']
    """
    return {word.lower() for word in WORD.findall(text)} | set(NUMBER.findall(text))


def read_strings(attributes: Iterable[str]) -> set[str]:
    """Return the words and long numbers that can be read in the attributes of a model.

    >>> sorted(read_strings(["lower[-1]|shape[0]=ruiz|Aaaa", "suffix4[0]=ndez", "suffix5[0]=lind"]))
    ['lind', 'ruiz']
    """
    found: set[str] = set()
    for attribute in attributes:
        head, _, value = attribute.partition("=")
        atoms = [atom.partition("[")[0] for atom in head.split("|")]
        values = value.split("|") if len(atoms) > 1 else [value]
        if len(values) != len(atoms):  # a value has the bar: read all of it
            found |= find_strings(value) if any(map(shows_words, atoms)) else set()
            continue
        for name, one in zip(atoms, values):
            if shows_words(name) and not is_piece(name, one):
                found |= find_strings(one.strip("_"))
    return found


def shows_words(name: str) -> bool:
    """Whether the values of an observation are words or numbers of the note.

    >>> [shows_words(name) for name in ("lower", "shape", "table_es_words_cluster", "cues_es_address")]
    [True, False, False, False]
    """
    return name not in WITHOUT_WORDS and not is_column(name) and not is_cue(name)


def is_piece(name: str, value: str) -> bool:
    """Whether the value can be a part of a longer word: a prefix or suffix of full length, and the letters
    of ``ngrams`` without the marks of both edges.

    >>> [is_piece("suffix4", "ndez"), is_piece("suffix5", "ruiz"), is_piece("ngrams", "_ruiz_")]
    [True, False, False]
    """
    if match := PIECE.fullmatch(name):
        return len(value) >= int(match[2])
    return name == "ngrams" and not (value.startswith("_") and value.endswith("_"))


def read_training_lists(folder: Path) -> set[str]:
    """Return the words and long numbers of a model's gazetteers of training spans."""
    paths = folder.glob(f"gazetteers/{TRAINING}*.txt")
    return {text for path in paths for entry in read_entries(path) for text in find_strings(entry)}


def count_readable(
    strings: TrainingStrings, readable: Collection[str], edges: Sequence[int]
) -> dict[str, list[tuple[int, int]]]:
    """Count the strings that can be read, and all strings, by kind, for each group of patients: from
    ``edges[i]`` to before ``edges[i + 1]``, and from the last edge on.

    >>> strings = TrainingStrings({"ruiz": 1, "smith": 7}, {}, {"4711": 1})
    >>> count_readable(strings, {"smith"}, [1, 5])
    {'words of PHI': [(0, 1), (1, 1)], 'other words': [(0, 0), (0, 0)], 'long numbers': [(0, 1), (0, 0)]}
    """
    bounds = list(pairwise([*edges, 10**9]))
    table = {}
    for kind, counts in strings.list_kinds().items():
        groups = [[text for text, n in counts.items() if low <= n < high] for low, high in bounds]
        table[kind] = [(sum(text in readable for text in group), len(group)) for group in groups]
    return table


def count_patients_of_attributes(
    documents: Iterable[Document],
    pipeline: Pipeline,
    attributes: Sequence[str],
) -> list[int]:
    """Count the patients whose notes have each attribute, from feature strings: a count that shares no code
    with the one in training."""
    numbers = {attribute: number for number, attribute in enumerate(attributes)}
    pairs: set[tuple[int, tuple[bool, str]]] = set()
    for document in documents:
        for features, _ in pipeline.make_examples([document]):
            seen = {numbers[f] for own in features for f in own if f in numbers}
            pairs.update((number, document.owner) for number in seen)
    counts = Counter(number for number, _ in pairs)
    return [counts[number] for number in range(len(attributes))]


def scan_files(paths: Iterable[Path], rare: Collection[str], is_excused: Callable[[str], bool]) -> int:
    """Count the ``rare`` strings that occur in text files, except those that are excused."""
    found = {text for path in paths for text in find_strings(read_text(path)) if text in rare}
    return sum(not is_excused(text) for text in found)
