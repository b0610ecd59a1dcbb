"""Vectors of words (Shweta et al. 2016, section 4.1, learned them from news text).

    random    uniform in [-0.25, 0.25]
    cbow      word2vec's continuous bag of words (Mikolov et al. 2013), by gensim
    rnnlm     the input weights of a recurrent language model (Mikolov et al. 2010)
    file      those of a file; a word that the file does not have gets its word in small letters, or draws

Vectors are learned from the training text without its spans, and from a text beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import torch
from torch import Tensor, nn

from crfdeid import corpora
from crfdeid.errors import CrfdeidError
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.systems.works import rnn_vocabulary
from crfdeid.systems.works.rnn_network import descend_gradients, make_batches, run_elman
from crfdeid.systems.works.rnn_options import FILE, Options
from crfdeid.systems.works.rnn_vocabulary import PADDING, WordNumbers
from crfdeid.systems.works.vector_file import read_vectors
from crfdeid.text.tokenizer import fold_document

RANGE = 0.25
WINDOW, NEGATIVE = 5, 5  # word2vec's own settings
BATCH_CELLS, RATE = 256, 0.1  # of the language model; the rate is its authors' first one
LEAST = 5  # times that a word of the text beside the notes occurs (word2vec's own setting)

Rows = Sequence[Sequence[int]]  # sequences of word numbers


def find_vectors(
    rows: Sequence[Sequence[str]], pipeline: Pipeline, options: Options
) -> tuple[WordNumbers, Tensor]:
    """Return the words that a network trained on ``rows`` of words knows, and their vectors. Raises
    :class:`FormatError` where the file of the vectors, or the text beside the notes, cannot be read."""
    words = rnn_vocabulary.learn_words(rows, options.least, options.unknown)
    if options.embedding == FILE:
        return fill_vectors(words, Path(options.vectors), options.words)
    others = read_text_beside(Path(options.text), pipeline) if options.text else []
    words = words.add_words(rnn_vocabulary.find_frequent(others, LEAST, options.words))
    numbers = [words.number_words(row) for row in chain(rows, others)]
    kind, epochs = options.embedding, options.embedding_epochs
    return words, learn_vectors(kind, numbers, len(words), options.size, epochs, options.seed)


def fill_vectors(words: WordNumbers, path: Path, most: int) -> tuple[WordNumbers, Tensor]:
    """Return the words with the first ``most`` of the file, and the vectors of all of them."""
    found = read_vectors(path, {*words.known, *(word.lower() for word in words.known)}, most)
    words = words.add_words(found)
    vectors = draw_vectors(len(words), len(next(iter(found.values()))))
    for word, number in words.numbers.items():
        if (vector := found.get(word, found.get(word.lower()))) is not None:
            vectors[number] = torch.from_numpy(vector.copy())
    return words, vectors


def read_text_beside(path: Path, pipeline: Pipeline) -> list[list[str]]:
    """Return the words of each sequence of the documents at ``path``."""
    rows = []
    try:
        for document in map(fold_document, corpora.read(path)):
            tokenized, sequences = pipeline.tokenize_document(document)
            rows += [[tokenized.tokens[n].text for n in sequence] for sequence in sequences]
    except CrfdeidError as error:
        raise type(error)(f"options.text: {error}") from None
    return rows


def draw_vectors(size: int, dimensions: int) -> Tensor:
    """Draw vectors [size, dimensions] uniformly from [-RANGE, RANGE]."""
    return torch.empty(size, dimensions).uniform_(-RANGE, RANGE)


def learn_cbow(rows: Rows, size: int, dimensions: int, epochs: int, seed: int) -> Tensor:
    """Learn word2vec's vectors with one worker: with several, the order of the words changes from run to
    run."""
    from gensim.models import Word2Vec

    word2vec = Word2Vec(
        [[str(number) for number in row] for row in rows],
        vector_size=dimensions,
        window=WINDOW,
        negative=NEGATIVE,
        epochs=epochs,
        min_count=1,
        sg=0,
        workers=1,
        seed=seed + 1,  # gensim takes 0 for none
    )
    vectors = draw_vectors(size, dimensions)
    for word, index in word2vec.wv.key_to_index.items():
        vectors[int(word)] = torch.from_numpy(word2vec.wv.vectors[index].copy())
    return vectors


def learn_rnnlm(rows: Rows, size: int, dimensions: int, epochs: int) -> Tensor:
    """Learn the language model s(t) = f(U w(t) + W s(t-1)), y(t) = g(V s(t)). It has as many hidden units as
    dimensions, so the columns of U are the words' vectors."""
    U, V = draw_vectors(size, dimensions).requires_grad_(), draw_vectors(size, dimensions).requires_grad_()
    W = draw_vectors(dimensions, dimensions).requires_grad_()
    parts = [words for _, words in make_batches([row for row in rows if len(row) > 1], BATCH_CELLS)]
    for _ in range(epochs):
        for index in torch.randperm(len(parts)).tolist():
            words = parts[index]
            states = run_elman(nn.functional.embedding(words[:-1], U), W)
            loss = nn.functional.cross_entropy(
                (states @ V.T).flatten(0, 1), words[1:].flatten(), ignore_index=PADDING, reduction="sum"
            )
            (loss / words.shape[1]).backward()
            descend_gradients((U, V, W), RATE)
    return U.detach()


def learn_vectors(kind: str, rows: Rows, size: int, dimensions: int, epochs: int, seed: int) -> Tensor:
    """Return the words' vectors [size, dimensions] of that kind."""
    if kind == "cbow":
        return learn_cbow(rows, size, dimensions, epochs, seed)
    if kind == "rnnlm":
        return learn_rnnlm(rows, size, dimensions, epochs)
    return draw_vectors(size, dimensions)
