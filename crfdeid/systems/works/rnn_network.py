"""The networks of Shweta et al. 2016 (section 4.3, equations 4 to 9), with the paper's letters.

    Elman    h(t) = f(W C(t) + U h(t-1) + b)          Jordan    h(t) = f(W C(t) + U P(y(t-1)) + b)
    P(y(t)) = g(V h(t) + c)                           f the sigmoid, g the softmax

C(t) is the concatenation of the vectors of the words in the window around t; before the first
word h and P are 0. With more than one hidden layer, layer l has layer l-1 in place of C, and its own
h(t-1) (Elman) or the same P (Jordan: their figure 1). Shapes: [time, sequences, ...]; the
sequences of a batch are side by side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn

from crfdeid.errors import ModelError
from crfdeid.files import open_whole
from crfdeid.systems.works.rnn_vocabulary import PADDING

CELLS = 16_384  # words of a batch with its padding, unless one sequence is longer
MOST_ROWS = 64_000_000  # numbers (256 MB) of the rows that are made once


def make_windows(words: Tensor, size: int) -> Tensor:
    """Return the word numbers of each word's window [time, sequences, size], from those of the words
    [time, sequences].

    >>> make_windows(torch.tensor([[7], [8], [9]]), 3)[:, 0].tolist()
    [[0, 7, 8], [7, 8, 9], [8, 9, 0]]
    """
    padding = words.new_full((size // 2, words.shape[1]), PADDING)
    return torch.cat([padding, words, padding]).unfold(0, size, 1)


class Network(nn.Module):
    """``E`` [words, dimensions] are the words' vectors; ``W``, ``U`` and ``b`` are lists with one entry for
    each hidden layer. ``fed`` is the size of the vector that is fed back."""

    def __init__(self, vectors: Tensor, labels: int, window: int, hidden: int, layers: int, fed: int) -> None:
        super().__init__()
        sizes = [window * vectors.shape[1], *[hidden] * (layers - 1)]
        self.window, self.dropped = window, 0.0
        self.E = nn.Parameter(vectors)
        self.W = nn.ParameterList(torch.empty(hidden, size) for size in sizes)
        self.U = nn.ParameterList(torch.empty(hidden, fed) for _ in sizes)
        self.b = nn.ParameterList(torch.zeros(hidden) for _ in sizes)
        self.V, self.c = nn.Parameter(torch.empty(labels, hidden)), nn.Parameter(torch.zeros(labels))

    def draw_weights(self, width: float) -> None:
        """Draw the weights uniformly from [-width, width] (section 5.2 has 1)."""
        for weights in (*self.W, *self.U, self.V):
            nn.init.uniform_(weights, -width, width)

    def forward(self, words: Tensor) -> Tensor:
        """Return V h(t) + c [time, sequences, labels] of word numbers [time, sequences]."""
        vectors = nn.functional.embedding(make_windows(words, self.window), self.E, sparse=True)
        return self.run_layers(self.drop(vectors.flatten(2)) @ self.W[0].T + self.b[0])

    def run_layers(self, inputs: Tensor) -> Tensor:
        """Return the same of the inputs of the first hidden layer, W C(t) + b [time, sequences, hidden]."""
        raise NotImplementedError

    def make_rows(self) -> Tensor:
        """Return what each word adds to W C(t) at each place of a window [words, window, hidden]. With these
        rows the inputs are sums, and need no multiplication."""
        parts = self.W[0].T.reshape(self.window, self.E.shape[1], -1)
        return torch.einsum("wd,pdh->wph", self.E, parts)

    def forward_by_rows(self, rows: Tensor, words: Tensor) -> Tensor:
        """As :meth:`forward`, with the rows of :meth:`make_rows`."""
        places = make_windows(words, self.window) * self.window + torch.arange(self.window)
        inputs = nn.functional.embedding_bag(places.flatten(0, 1), rows.flatten(0, 1), mode="sum")
        return self.run_layers(inputs.reshape(*words.shape, -1) + self.b[0])

    def drop(self, values: Tensor) -> Tensor:
        """Drop out values in training. torch's own dropout draws one number at a time and takes four times
        as long."""
        if not (self.training and self.dropped):
            return values
        return values * torch.rand_like(values).ge_(self.dropped).div_(1 - self.dropped)


class Elman(Network):
    """A network that feeds the hidden layers back (equations 4 and 5)."""

    def __init__(self, vectors: Tensor, labels: int, window: int, hidden: int, layers: int) -> None:
        super().__init__(vectors, labels, window, hidden, layers, fed=hidden)

    def run_layers(self, inputs: Tensor) -> Tensor:
        h = run_elman(inputs, self.U[0])
        for W, U, b in list(zip(self.W, self.U, self.b))[1:]:
            h = run_elman(self.drop(h) @ W.T + b, U)
        return self.drop(h) @ self.V.T + self.c


def run_elman(inputs: Tensor, U: Tensor) -> Tensor:
    """Return h(t) of every t. torch's own RNN has no sigmoid, and is not faster for one sequence."""
    h, found = inputs.new_zeros(inputs.shape[1], U.shape[0]), []
    for x in inputs.unbind(0):
        h = torch.sigmoid(torch.addmm(x, h, U.T))
        found.append(h)
    return torch.stack(found)


class Jordan(Network):
    """A network that feeds the labels' probabilities back (equation 9)."""

    def __init__(self, vectors: Tensor, labels: int, window: int, hidden: int, layers: int) -> None:
        super().__init__(vectors, labels, window, hidden, layers, fed=labels)

    def run_layers(self, inputs: Tensor) -> Tensor:
        P, found = inputs.new_zeros(inputs.shape[1], self.V.shape[0]), []
        U, V, deeper = self.U[0].T, self.V.T, list(zip(self.W, self.U, self.b))[1:]
        kept = self.drop(inputs.new_ones(len(self.W), *inputs.shape))  # drawn at once, which is faster
        for x, (first, *others) in zip(inputs.unbind(0), kept.transpose(0, 1).unbind(0)):
            h = torch.sigmoid(torch.addmm(x, P, U)) * first
            for mask, (W, below, b) in zip(others, deeper):
                h = torch.sigmoid(h @ W.T + P @ below.T + b) * mask
            y = torch.addmm(self.c, h, V)
            P = torch.softmax(y, 1)
            found.append(y)
        return torch.stack(found)


NETWORKS: dict[str, type[Elman] | type[Jordan]] = {"elman": Elman, "jordan": Jordan}


def make_batches(rows: Sequence[Sequence[int]], cells: int = CELLS) -> Iterator[tuple[list[int], Tensor]]:
    """Yield sequences of similar length side by side: their indices, the longest first, and their words
    [time, sequences], padded at the ends.

    >>> [(indices, words.tolist()) for indices, words in make_batches([[5], [6], [7, 8, 9]], 4)]
    [([2], [[7], [8], [9]]), ([0, 1], [[5, 6]])]
    """
    order = sorted(range(len(rows)), key=lambda index: -len(rows[index]))
    while order:
        count = max(1, cells // len(rows[order[0]]))
        chosen, order = order[:count], order[count:]
        words = [torch.tensor(rows[index]) for index in chosen]
        yield chosen, nn.utils.rnn.pad_sequence(words, padding_value=PADDING)


def descend_gradients(parameters: Iterable[Tensor], rate: float) -> None:
    """Take a step of gradient descent in place; the gradients are used up. (torch.optim takes seconds to
    import.)"""
    with torch.no_grad():
        for weights in parameters:
            weights.add_(weights.grad, alpha=-rate)
            weights.grad = None


@contextmanager
def use_threads(count: int) -> Iterator[None]:
    """Let torch use ``count`` threads inside, and as many as before afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Labeller:
    """A trained network that labels sequences together; its rows are made once where they are not too large.
    ``bias`` [labels] is added to the scores of the labels."""

    def __init__(self, network: Network, bias: Sequence[float], threads: int) -> None:
        self.network, self.bias, self.threads = network.eval(), torch.tensor(bias), threads
        size = len(network.E) * network.window * len(network.W[0])
        with torch.inference_mode(), use_threads(threads):
            self.rows = network.make_rows() if size <= MOST_ROWS else None

    def find_labels(self, sequences: Sequence[Sequence[int]]) -> list[list[int]]:
        """Return the label numbers of each sequence of word numbers."""
        found: list[list[int]] = [[]] * len(sequences)
        for indices, scores in self.score_batches(sequences):
            for index, path in zip(indices, scores.argmax(2).T.tolist()):
                found[index] = path[: len(sequences[index])]
        return found

    def find_scores(self, sequences: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """Return the scores [time, labels] of each sequence, with the bias."""
        found = [np.zeros((0, len(self.bias)))] * len(sequences)
        for indices, scores in self.score_batches(sequences):
            for place, index in enumerate(indices):
                found[index] = scores[: len(sequences[index]), place].numpy()
        return found

    def score_batches(self, sequences: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], Tensor]]:
        """Yield the numbers of some sequences and their scores [time, sequences, labels], with the bias."""
        for indices, words in make_batches(sequences):
            with torch.inference_mode(), use_threads(self.threads):
                scores = self.score(words) + self.bias
            yield indices, scores

    def score(self, words: Tensor) -> Tensor:
        """Return the scores [time, sequences, labels]."""
        if self.rows is None:
            return self.network.forward(words)
        return self.network.forward_by_rows(self.rows, words)


def write_network(network: Network, path: Path) -> None:
    """Write the weights in safetensors' format."""
    with open_whole(path, "wb") as file:
        file.write(save({name: weights.contiguous() for name, weights in network.state_dict().items()}))


def read_network(path: Path, kind: str, words: int, labels: int, sizes: tuple[int, int, int]) -> Network:
    """Read a network of ``sizes``: its window, hidden units and layers. The vectors have the dimensions of
    the file. Raises :class:`ModelError` where the file is damaged, or of a network of other sizes."""
    try:
        weights = load(path.read_bytes())
        network = NETWORKS[kind](torch.empty(words, weights["E"].shape[1]), labels, *sizes)
        network.load_state_dict(weights)
    except (OSError, SafetensorError, RuntimeError, LookupError):
        raise ModelError(f"{path}: damaged, or not a network of this model's words and settings") from None
    return network
