"""The words whose pieces (prefixes, suffixes) a model for sharing observes, in training and in tagging.

A piece that several patients have shows no word. But one patient can have a name a hundred times, and then
the weights of its pieces together tell the name: an attacker who tried 162,253 names took a planted one for
the likeliest. So a model for sharing observes only the pieces of words that at least k patients have, without
long numbers. The file :data:`FILE` lists them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from crfdeid.feature_extraction.long_numbers import has_long_number
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.files import read_text
from crfdeid.text.document import Document

FILE = "known_words.txt"  # in a model's folder


def find_known_words(pipeline: Pipeline, documents: Iterable[Document], least: int) -> set[str]:
    """Return the tokens, in lower case, that at least ``least`` patients have."""
    owners: dict[str, set[tuple[bool, str]]] = {}
    for document in documents:
        for word in {token.text.lower() for token in pipeline.tokenize(document.text)}:
            owners.setdefault(word, set()).add(document.owner)
    return {word for word, own in owners.items() if len(own) >= least and not has_long_number(word)}


def write_words(folder: Path, words: Iterable[str]) -> None:
    """Write the words into a model's folder, one a line."""
    lines = sorted(word for word in words if word.split() == [word])
    (folder / FILE).write_text("".join(f"{word}\n" for word in lines), encoding="utf-8")


def restrict_pipeline(pipeline: Pipeline, folder: Path) -> Pipeline:
    """Return the pipeline as the words of a model's folder restrict it."""
    return pipeline.with_known_words(frozenset(read_text(folder / FILE).split("\n")))
