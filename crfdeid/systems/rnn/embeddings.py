"""Vectors of words, learned from the training text without its spans (Shweta et al. 2016, section
4.1, who had news text for this).

    random    uniform in [-0.25, 0.25]
    cbow      word2vec's continuous bag of words (Mikolov et al. 2013), by gensim
    rnnlm     the input weights of a recurrent language model (Mikolov et al. 2010)
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from crfdeid.systems.rnn.network import batches, descended, elman
from crfdeid.systems.rnn.vocabulary import PADDING

RANGE = 0.25
WINDOW, NEGATIVE = 5, 5  # word2vec's own settings
BATCH_CELLS, RATE = 256, 0.1  # of the language model; the rate is its authors' first one

Rows = Sequence[Sequence[int]]  # sequences of word numbers


def random(size: int, dimensions: int) -> Tensor:
    return torch.empty(size, dimensions).uniform_(-RANGE, RANGE)


def cbow(rows: Rows, size: int, dimensions: int, epochs: int, seed: int) -> Tensor:
    """One worker, for with more the order of the words is another every time."""
    from gensim.models import Word2Vec

    made = Word2Vec(
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
    vectors = random(size, dimensions)
    for word, index in made.wv.key_to_index.items():
        vectors[int(word)] = torch.from_numpy(made.wv.vectors[index].copy())
    return vectors


def rnnlm(rows: Rows, size: int, dimensions: int, epochs: int) -> Tensor:
    """s(t) = f(U w(t) + W s(t-1)), y(t) = g(V s(t)); as many hidden units as dimensions, so that
    the columns of U are the words' vectors."""
    U, V = random(size, dimensions).requires_grad_(), random(size, dimensions).requires_grad_()
    W = random(dimensions, dimensions).requires_grad_()
    parts = [words for _, words in batches([row for row in rows if len(row) > 1], BATCH_CELLS)]
    for _ in range(epochs):
        for index in torch.randperm(len(parts)).tolist():
            words = parts[index]
            states = elman(nn.functional.embedding(words[:-1], U), W)
            loss = nn.functional.cross_entropy(
                (states @ V.T).flatten(0, 1), words[1:].flatten(), ignore_index=PADDING, reduction="sum"
            )
            (loss / words.shape[1]).backward()
            descended((U, V, W), RATE)
    return U.detach()


def learned(kind: str, rows: Rows, size: int, dimensions: int, epochs: int, seed: int) -> Tensor:
    """Vectors [size, dimensions] of that kind."""
    if kind == "cbow":
        return cbow(rows, size, dimensions, epochs, seed)
    return rnnlm(rows, size, dimensions, epochs) if kind == "rnnlm" else random(size, dimensions)
