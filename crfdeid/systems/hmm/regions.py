"""Documents as the HMM counts them: each sequence cut into stretches of one class, words as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.systems.hmm.counts import FEATURES, UNKNOWN, Region, feature
from crfdeid.text import bio
from crfdeid.text.document import Document, Token

RESERVED = ["+end+", "+unknown+"]  # words 0 and 1; a note's own words of that spelling have other numbers

Named = list[tuple[list[Token], str]]  # stretches of a sequence, each with its type


def symbol(vocabulary: dict[str, int], word: str, first: bool) -> int:
    return vocabulary.get(word, UNKNOWN) * len(FEATURES) + feature(word, first)


def stretches(pipeline: Pipeline, documents: Iterable[Document]) -> Iterator[Named]:
    """Each sequence as tokens of one span, and tokens between spans."""
    for document in map(pipeline.without_overlaps, documents):
        page, sequences = pipeline.page(document)
        labels = bio.encode(page.tokens, document.spans)
        for part in sequences:
            found: Named = []
            for index in part:
                label = labels[index]
                if label[0] == "B" or not found or found[-1][1] != label[2:]:
                    found.append(([], label[2:]))
                found[-1][0].append(page.tokens[index])
            yield found


def numbered(words: Iterable[str]) -> dict[str, int]:
    return {word: number for number, word in enumerate(words, len(RESERVED))}


def spelt(sequences: Sequence[Named], known: dict[str, int]) -> dict[str, int]:
    """The numbers of the words that these sequences have."""
    return {token.text: known[token.text] for parts in sequences for tokens, _ in parts for token in tokens}


def regions(
    sequences: Iterable[Named], types: Sequence[str], vocabulary: dict[str, int]
) -> Iterator[list[Region]]:
    kinds = {type: number for number, type in enumerate(types)}
    for parts in sequences:
        start = parts[0][0][0]
        yield [
            Region([symbol(vocabulary, token.text, token is start) for token in tokens], kinds[type])
            for tokens, type in parts
        ]
