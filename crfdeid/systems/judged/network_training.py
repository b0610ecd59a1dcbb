"""Learns a network (:mod:`crfdeid.systems.judged.network`): the tokens of training documents as arrays, the
gradient of a step, and Adam."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from crfdeid.engine.arrays.batch import encode_labels, list_places
from crfdeid.engine.arrays.types import Ints
from crfdeid.feature_extraction.token import Value
from crfdeid.systems.crf import CrfTagger
from crfdeid.systems.judged.judged import Options
from crfdeid.systems.judged.network import (
    GAPS,
    MARGIN,
    Network,
    Singles,
    compute_shares,
    join_sides,
    look_aside,
    look_back,
)
from crfdeid.systems.judged.rows import TokenValues, ValueNumbers
from crfdeid.systems.tagger import batch_documents
from crfdeid.text import bio
from crfdeid.text.document import Document

NOBODY = -1  # an empty token
FEWEST_TOKENS = 8  # of a value that has a row
WINDOWS, WINDOW = 32, 256  # of a step, and tokens of each
DROPPED_VALUES, DROPPED_NUMBERS = 0.15, 0.25  # shares that are left out at random, so that none is relied on
ROWS_RATE, RATE = 3e-3, 2e-3  # Adam's largest steps, of the rows and of the others
RISE = 200  # steps until they are reached, or a tenth of all
MEANS, SQUARES, TINY = 0.9, 0.999, 1e-8  # Adam's constants
DECAY = 1e-3  # of the others' numbers, for a step of size 1 (Loshchilov and Hutter 2019)
LONGEST = 2.0  # length of a gradient


def learn_network(
    tagger: CrfTagger,
    documents: Sequence[Document],
    options: Options,
    on_iteration: Callable[[int, float], None],
) -> tuple[Network, dict[str, list[Value]]] | None:
    """Learn the network of some documents. Return it and the values that have rows, or None where the options
    want none. ``on_iteration`` receives as many iterations as a CRF has at most."""
    if not options.network:
        return None
    types = sorted(tagger.scheme.types)
    owners = max(options.least_owners, tagger.config.min_patients)
    tokens, values = read_tokens(tagger, documents, options.network, types, owners)
    size = sum(map(len, values.values())), options.network_width, 1 + 2 * len(types)
    iterations, done = int(tagger.config.crf.get("max_iterations", 1)), 0

    def report(share: float, loss: float) -> None:
        nonlocal done
        while done < int(share * iterations):
            done += 1
            on_iteration(done, loss)

    return fit_network(tokens, size, options.network_rounds, options.seed, report), values


@dataclass(frozen=True)
class TrainingTokens:
    """Token i has the rows ``rows[starts[i] : starts[i + 1]]`` and the label ``labels[i]``; ``bounds``
    [documents + 1] delimit the documents."""

    rows: Ints
    starts: Ints
    labels: Ints
    bounds: Ints


def list_labels(types: Sequence[str]) -> list[str]:
    """The labels in the order of a network's: outside, then the first and the later tokens of each type.

    >>> list_labels(["AGE"])
    ['O', 'B-AGE', 'I-AGE']
    """
    return [bio.OUTSIDE, *(f"{place}-{type}" for type in types for place in "BI")]


def read_tokens(
    tagger: CrfTagger, documents: Sequence[Document], names: Sequence[str], types: Sequence[str], owners: int
) -> tuple[TrainingTokens, dict[str, list[Value]]]:
    """Read the values of observations at the tokens of training documents. Return the tokens and the values
    that have rows: those of :data:`FEWEST_TOKENS` tokens and so many owners."""
    numbers = ValueNumbers(names)
    observed = TokenValues(names, tagger.pipeline, numbers)
    label_number = {label: number for number, label in enumerate(list_labels(types))}
    parts: list[Ints] = []
    labels: list[int] = []
    sizes: list[int] = []
    for some in batch_documents(documents):
        batch = tagger.batch(some)
        find, every = observed.read(tagger, batch), np.arange(len(batch))
        parts.append(np.array([find(name, every) for name in names], np.int32))
        labels += [label_number[label] for label in encode_labels(batch)]
        sizes += np.diff(batch.bounds).tolist()
    _, owner = np.unique([str(document.owner) for document in documents], return_inverse=True)
    columns = np.concatenate(parts, axis=1)
    values = number_rows(columns, np.repeat(owner.ravel(), sizes), numbers, owners)
    has_row = columns.T >= 0
    starts = np.append(0, np.cumsum(has_row.sum(axis=1)))
    tokens = TrainingTokens(columns.T[has_row], starts, np.array(labels), np.append(0, np.cumsum(sizes)))
    return tokens, values


def number_rows(columns: Ints, owner: Ints, numbers: ValueNumbers, owners: int) -> dict[str, list[Value]]:
    """Put the numbers of rows in place of those of values in ``columns`` [observations, tokens], -1 for a
    value without a row; return the values that have one, sorted."""
    in_order, people = numbers.sort(), int(owner.max(initial=0)) + 1
    kept: dict[str, list[Value]] = {}
    total = 0
    for column, (name, known) in zip(columns, numbers.numbers.items()):
        places = np.flatnonzero(column >= 0)
        found = column[places].astype(np.int64)
        tokens = np.bincount(found, minlength=len(known))
        pairs = np.unique(found * people + owner[places])
        owned = np.bincount(pairs // people, minlength=len(known))
        enough = (tokens >= FEWEST_TOKENS) & (owned >= owners)
        kept[name] = [value for value in in_order[name] if enough[known[value]]]
        row = np.full(len(known) + 1, NOBODY, np.int32)
        row[[known[value] for value in kept[name]]] = np.arange(total, total + len(kept[name]))
        column[:] = row[column]
        total += len(kept[name])
    return kept


def fit_network(
    tokens: TrainingTokens,
    size: tuple[int, int, int],
    rounds: int,
    seed: int,
    on_step: Callable[[float, float], object] = lambda share, loss: None,
) -> Network:
    """Learn a network by Adam (Kingma and Ba 2015) on windows of the training tokens. ``size`` are its rows,
    width and labels. ``on_step`` receives the share of the steps that are done, and the mean loss of the
    last."""
    from threadpoolctl import threadpool_limits  # scikit-learn, which the trees need, needs it

    random = np.random.default_rng(seed)
    network = draw_network(*size, random)
    adam = Adam(network, rounds * count_steps(tokens))
    with threadpool_limits(1):  # threads of BLAS would wait for each other beside other work
        for _ in range(rounds):
            for step in draw_steps(tokens, random):
                loss, gradient = compute_gradient(network, tokens, step, random)
                adam.move(network, gradient)
                on_step(adam.number / adam.steps, loss)
    return network


def draw_network(rows: int, width: int, labels: int, random: np.random.Generator) -> Network:
    """Return a network of small random numbers."""

    def draw(spread: float, *shape: int) -> Singles:
        return random.uniform(-spread, spread, shape).astype(np.float32)

    network = Network(
        draw(0.17, rows + 1, width),
        np.zeros(width, np.float32),
        draw((3 * width) ** -0.5, len(GAPS), 3, width, width),
        np.zeros((len(GAPS), width), np.float32),
        draw(width**-0.5, width, labels),
        np.zeros(labels, np.float32),
    )
    network.rows[-1] = 0
    return network


def count_steps(tokens: TrainingTokens) -> int:
    """The steps of a round."""
    return -(-count_windows(tokens) // WINDOWS)


def count_windows(tokens: TrainingTokens) -> int:
    """The windows of a round."""
    return max(1, -(-(len(tokens.labels) + MARGIN * (len(tokens.bounds) - 1)) // WINDOW))


def draw_steps(tokens: TrainingTokens, random: np.random.Generator) -> Iterator[Ints]:
    """Yield the tokens [windows, tokens] of each step of a round: all documents in a random order, empty
    tokens before each, cut into windows, which come in a random order."""
    order = random.permutation(len(tokens.bounds) - 1)
    sizes = np.diff(tokens.bounds)[order]
    stream = np.full(count_windows(tokens) * WINDOW, NOBODY)
    before = MARGIN * np.arange(1, len(order) + 1) + np.cumsum(sizes) - sizes
    stream[list_places(before, sizes)] = list_places(tokens.bounds[:-1][order], sizes)
    windows = random.permutation(stream.reshape(-1, WINDOW))
    for first in range(0, len(windows), WINDOWS):
        yield windows[first : first + WINDOWS]


def compute_gradient(
    network: Network, tokens: TrainingTokens, step: Ints, random: np.random.Generator
) -> tuple[float, Network]:
    """Return the mean loss of the tokens of a step, and its gradient by each number of the network."""
    design = build_design(network, tokens, step.ravel(), random)
    passed = pass_forward(network, design, step.shape, random)
    is_token = step >= 0
    labels = np.where(is_token, tokens.labels[step], 0)
    number = max(1, int(is_token.sum()))
    own = (*np.indices(step.shape), labels)
    loss = -float(np.log(np.maximum(passed.shares[own], TINY))[is_token].sum()) / number
    error = passed.shares
    error[own] -= 1
    error *= is_token[..., None].astype(np.float32) / np.float32(number)
    return loss, pass_back(network, design, passed, error)


class Passed(NamedTuple):
    """What a step computed on its way: the tokens' values [windows, tokens, width] before and after the
    convolutions, which of them were kept (0 or a little more than 1), what each convolution saw and kept, and
    the probabilities of the labels."""

    begin: Singles
    kept: Singles
    layers: list[tuple[Singles, Singles]]
    hidden: Singles
    shares: Singles


def pass_forward(
    network: Network, design: Any, shape: tuple[int, ...], random: np.random.Generator
) -> Passed:
    """Compute the probabilities of the labels of a step; some numbers are left out at random."""

    def draw_kept(shape: tuple[int, ...]) -> Singles:
        kept: Singles = (random.random(shape, np.float32) >= DROPPED_NUMBERS).astype(np.float32)
        return kept / np.float32(1 - DROPPED_NUMBERS)

    begin = np.tanh((design @ network.rows).reshape(*shape, -1) + network.first)
    kept = draw_kept(begin.shape)
    hidden = begin * kept
    layers = []
    for gap, weights, shift in zip(GAPS, network.middle, network.shift):
        seen = look_aside(hidden, gap)
        sums = seen @ join_sides(weights) + shift
        mask = draw_kept(sums.shape) * (sums > 0)
        layers.append((seen, mask))
        hidden = hidden + sums * mask
    return Passed(begin, kept, layers, hidden, compute_shares(hidden @ network.out + network.last))


def pass_back(network: Network, design: Any, passed: Passed, error: Singles) -> Network:
    """Return the gradient that belongs to the errors [windows, tokens, labels] of the labels' scores."""
    width = network.rows.shape[1]
    flat_error = error.reshape(-1, error.shape[-1])
    back: Any = error @ network.out.T  # mypy takes the products of single precision for double
    middle, shift = np.zeros_like(network.middle), np.zeros_like(network.shift)
    for place in reversed(range(len(GAPS))):
        seen, mask = passed.layers[place]
        of_sums = back * mask
        slope = seen.reshape(-1, 3 * width).T @ of_sums.reshape(-1, width)
        middle[place], shift[place] = slope.reshape(3, width, width), of_sums.sum(axis=(0, 1))
        of_seen = of_sums @ join_sides(network.middle[place]).T
        back = back + look_back(of_seen, GAPS[place])
    of_begin = (back * passed.kept * (1 - passed.begin * passed.begin)).reshape(-1, width)
    return Network(
        design.T @ of_begin,
        of_begin.sum(axis=0),
        middle,
        shift,
        passed.hidden.reshape(-1, width).T @ flat_error,
        flat_error.sum(axis=0),
    )


def build_design(network: Network, tokens: TrainingTokens, step: Ints, random: np.random.Generator) -> Any:
    """Return which rows each token adds, a sparse matrix [tokens, rows]; some are left out at random."""
    from scipy.sparse import csr_array

    sizes = np.where(step >= 0, tokens.starts[step + 1] - tokens.starts[step], 0)
    rows = tokens.rows[list_places(np.where(step >= 0, tokens.starts[step], 0), sizes)]
    kept = (random.random(len(rows)) >= DROPPED_VALUES).astype(np.float32)
    shape = len(step), len(network.rows)
    return csr_array((kept, rows, np.append(0, np.cumsum(sizes))), shape)


class Adam:
    """Moves a network against its gradient, in ``steps`` steps whose size rises, then falls to 0."""

    def __init__(self, network: Network, steps: int) -> None:
        self.number, self.steps = 0, steps
        self.means = [np.zeros_like(array) for array in network]
        self.squares = [np.zeros_like(array) for array in network]

    def move(self, network: Network, gradient: Network) -> None:
        """Take a step."""
        rise = min(1.0, (self.number + 1) / min(RISE, 0.1 * self.steps))
        size = rise * (1 - self.number / self.steps)
        self.number += 1
        length = float(np.sqrt(sum(float((array * array).sum()) for array in gradient)))
        shrink = np.float32(min(1.0, LONGEST / max(length, TINY)))
        for place, (array, slope) in enumerate(zip(network, gradient)):
            mean, square = self.means[place], self.squares[place]
            mean *= MEANS
            mean += (1 - MEANS) * shrink * slope
            square *= SQUARES
            square += (1 - SQUARES) * shrink * shrink * slope * slope
            ahead = mean / (1 - MEANS**self.number)
            ahead /= np.sqrt(square / (1 - SQUARES**self.number)) + TINY
            rate = size * (RATE if place else ROWS_RATE)
            if place:
                array *= 1 - rate * DECAY
            array -= rate * ahead
        network.rows[-1] = 0
