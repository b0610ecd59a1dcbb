"""Vectors of words, learned from the training text without its spans (Shweta et al. 2016, section
4.1, learned them from news text).

    random    uniform in [-0.25, 0.25]
    cbow      word2vec's continuous bag of words (Mikolov et al. 2013), by gensim
    rnnlm     the input weights of a recurrent language model (Mikolov et al. 2010)
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from crfdeid.systems.rnn.network import descend_gradients, make_batches, run_elman
from crfdeid.systems.rnn.vocabulary import PADDING

RANGE = 0.25
WINDOW, NEGATIVE = 5, 5  # word2vec's own settings
BATCH_CELLS, RATE = 256, 0.1  # of the language model; the rate is its authors' first one

Rows = Sequence[Sequence[int]]  # sequences of word numbers


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
