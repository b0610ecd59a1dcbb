"""Learns a network (:mod:`crfdeid.systems.judged.network`): the tokens of training documents as arrays, the
gradient of a step, and Adam."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crfdeid.engine.arrays.batch import encode_labels, list_places
from crfdeid.engine.arrays.types import Ints
from crfdeid.feature_extraction.token import Value
from crfdeid.systems.crf import CrfTagger
from crfdeid.systems.judged.judged import Options
from crfdeid.systems.judged.network import (
    GAPS,
    MARGIN,
    NOTE_SEEN,
    Network,
    NoteGroups,
    Singles,
    compute_shares,
    group_tokens,
    join_parts,
    look_around,
    look_aside,
    look_back,
    look_from_note,
)
from crfdeid.systems.judged.rows import TokenValues, ValueNumbers
from crfdeid.systems.tagger import batch_documents
from crfdeid.text import bio
from crfdeid.text.document import Document

NOBODY = -1  # an empty token
FEWEST_TOKENS = 8  # of a value that has a row
STEP = 2048  # tokens
DROPPED_VALUES, DROPPED_NUMBERS = 0.15, 0.25  # shares that are left out at random, so that none is relied on
HIDDEN_WORDS = 0.2  # share of tokens whose word is hidden, so that what is around them is learned
TELLS_WORD = re.compile(r"lower$|prefix|suffix|.*_cluster")  # observations that tell a token's word
SMOOTHED = 0.03  # share of the truth that all labels share (Szegedy et al. 2016, section 7)
ROWS_RATE, RATE = 3e-3, 2e-3  # Adam's largest steps, of the rows and of the others
RISE = 200  # steps until they are reached, or a tenth of all
MEANS, SQUARES, TINY = 0.9, 0.999, 1e-8  # Adam's constants
DECAY = 1e-3  # of the others' numbers, for a step of size 1 (Loshchilov and Hutter 2019)
LONGEST = 2.0  # length of a gradient
COPY = re.compile(r"\.(\d+)$")  # the end of a copy's id, as `synthetic --fills` writes it


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
    tagger.compile()
    tokens, values = read_tokens(tagger, documents, options, types)
    size = sum(map(len, values.values())), options.network_width, 1 + 2 * len(types)
    iterations, done = int(tagger.config.crf.get("max_iterations", 1)), 0

    def report(share: float, loss: float) -> None:
        nonlocal done
        while done < int(share * iterations):
            done += 1
            on_iteration(done, loss)

    plan = partial(plan_steps, tokens, options.network_rounds, options.copies)
    return fit_network(tokens, size, plan, options.seed, report, tagger.compiled), values


class TrainingTokens(NamedTuple):
    """Token i has the rows ``rows[starts[i] : starts[i + 1]]`` and the label ``labels[i]``; ``words`` are
    equal where the lowered texts of a document are; ``bounds`` [documents + 1] delimit the documents, and
    ``copies`` [documents] are their numbers by :func:`number_copy`. The rows that tell a token's word are
    where ``tells_word`` [rows] is True."""

    rows: Ints
    starts: Ints
    labels: Ints
    words: Ints
    bounds: Ints
    copies: Ints
    tells_word: npt.NDArray[np.bool_]


class Step(NamedTuple):
    """``stream`` are the tokens of some documents, empty ones before each document and at the end; ``places``
    where the others are, and ``groups`` which of those belong together."""

    stream: Ints
    places: Ints
    groups: NoteGroups


def list_labels(types: Sequence[str]) -> list[str]:
    """The labels in the order of a network's: outside, then the first and the later tokens of each type.

    >>> list_labels(["AGE"])
    ['O', 'B-AGE', 'I-AGE']
    """
    return [bio.OUTSIDE, *(f"{place}-{type}" for type in types for place in "BI")]


def number_copy(document: Document) -> int:
    """Return the number at the end of the id of a copy, 0 for a document that is none.

    >>> [number_copy(Document(name, "")) for name in ("ward_leeds-01", "ward_leeds-01.2")]
    [0, 2]
    """
    found = COPY.search(document.id)
    return int(found[1]) if found else 0


def keep_first_copies(documents: Sequence[Document], most: int) -> list[Document]:
    """Return the documents without the copies after the first ``most``; 0 keeps all."""
    return [document for document in documents if not most or number_copy(document) <= most]


def read_tokens(
    tagger: CrfTagger, documents: Sequence[Document], options: Options, types: Sequence[str]
) -> tuple[TrainingTokens, dict[str, list[Value]]]:
    """Read the values of observations at the tokens of training documents. Return the tokens and the values
    that have rows: among the first copies, those of :data:`FEWEST_TOKENS` tokens and ``least_owners``."""
    numbers = ValueNumbers(options.network)
    observed = TokenValues(options.network, tagger.pipeline, numbers)
    label_number = {label: number for number, label in enumerate(list_labels(types))}
    parts: list[Ints] = []
    labels: list[int] = []
    words: list[Ints] = []
    sizes: list[int] = []
    for some in batch_documents(documents):
        batch = tagger.batch(some)
        find, every = observed.read(tagger, batch), np.arange(len(batch))
        parts.append(np.array([find(name, every) for name in options.network], np.int32))
        words.append(tagger.decoder.vocabulary.lower.rows[batch.texts])
        labels += [label_number[label] for label in encode_labels(batch)]
        sizes += np.diff(batch.bounds).tolist()
    _, owner = np.unique([str(document.owner) for document in documents], return_inverse=True)
    copies = np.array([number_copy(document) for document in documents], np.int64)
    owner = np.where(copies <= (options.copies or copies), owner.ravel(), NOBODY)
    columns = np.concatenate(parts, axis=1)
    owners = max(options.least_owners, tagger.config.min_patients)
    values = number_rows(columns, np.repeat(owner, sizes), numbers, owners)
    has_row = columns.T >= 0
    starts = np.append(0, np.cumsum(has_row.sum(axis=1)))
    bounds = np.append(0, np.cumsum(sizes))
    rows, lowered = columns.T[has_row], np.concatenate(words)
    tells = [bool(TELLS_WORD.match(name)) for name, own in values.items() for _ in own]
    tells_word = np.array(tells, bool)
    return TrainingTokens(rows, starts, np.array(labels), lowered, bounds, copies, tells_word), values


def number_rows(columns: Ints, owner: Ints, numbers: ValueNumbers, owners: int) -> dict[str, list[Value]]:
    """Put the numbers of rows in place of those of values in ``columns`` [observations, tokens], -1 for a
    value without a row; return the values that have one, sorted. Tokens without an ``owner``, -1, do not
    count."""
    in_order, people = numbers.sort(), int(owner.max(initial=0)) + 1
    kept: dict[str, list[Value]] = {}
    total = 0
    for column, (name, known) in zip(columns, numbers.numbers.items()):
        places = np.flatnonzero((column >= 0) & (owner >= 0))
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
    plan: Callable[[np.random.Generator], Iterable[Ints]],
    seed: int,
    on_step: Callable[[float, float], object] = lambda share, loss: None,
    compiled: bool = False,
) -> Network:
    """Learn a network by Adam (Kingma and Ba 2015), some training documents a step. ``size`` are its rows,
    width and labels; ``plan`` draws the documents of each step. ``on_step`` receives the share of the steps
    that are done, and the mean loss of the last. Compiled loops give the same bits."""
    from threadpoolctl import threadpool_limits  # scikit-learn, which the trees need, needs it

    random = np.random.default_rng(seed)
    network = draw_network(*size, random)
    steps = [*plan(random)]
    adam = Adam(network, len(steps), compiled)
    with threadpool_limits(1):  # threads of BLAS would wait for each other beside other work
        for documents in steps:
            loss, gradient = compute_gradient(network, tokens, make_step(tokens, documents), random)
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
        draw((2 * width) ** -0.5, 2, width, width),
        np.zeros(width, np.float32),
        draw(width**-0.5, width, labels),
        np.zeros(labels, np.float32),
    )
    network.rows[-1] = 0
    return network


def plan_steps(
    tokens: TrainingTokens, rounds: int, copies: int, random: np.random.Generator
) -> Iterator[Ints]:
    """Yield the documents of the steps of some rounds. A round has so many copies of each document, the next
    ones in the next round; 0 stands for all."""
    most = copies or max(1, int(tokens.copies.max(initial=0)))
    turn = (tokens.copies - 1) // most  # -1 for a document that is no copy: it is in each round
    for number in range(rounds):
        now = number % (int(turn.max(initial=0)) + 1)
        yield from draw_steps(tokens, np.flatnonzero((turn < 0) | (turn == now)), random)


def draw_steps(tokens: TrainingTokens, documents: Ints, random: np.random.Generator) -> list[Ints]:
    """Return the documents of each step of a round, in a random order: about :data:`STEP` tokens."""
    order = random.permutation(documents)
    step = np.cumsum(np.diff(tokens.bounds)[order]) // STEP
    return np.split(order, np.flatnonzero(np.diff(step)) + 1)


def make_step(tokens: TrainingTokens, documents: Ints) -> Step:
    """Lay the tokens of some documents out, one document behind the other."""
    sizes = np.diff(tokens.bounds)[documents]
    bounds = np.append(0, np.cumsum(sizes))
    stream = np.full(bounds[-1] + MARGIN * (len(documents) + 1), NOBODY)
    places = list_places(bounds[:-1] + MARGIN * np.arange(1, len(bounds)), sizes)
    stream[places] = list_places(tokens.bounds[:-1][documents], sizes)
    return Step(stream, places, group_tokens(tokens.words[stream[places]], bounds))


def compute_gradient(
    network: Network, tokens: TrainingTokens, step: Step, random: np.random.Generator
) -> tuple[float, Network]:
    """Return the mean loss of the tokens of a step, and its gradient by each number of the network."""
    design = build_design(network, tokens, step.stream, random)
    passed = pass_forward(network, design, step, random)
    number, labels = max(1, len(step.places)), len(network.last)
    shares = passed.shares[step.places]
    wanted = np.full_like(shares, SMOOTHED / labels)
    wanted[np.arange(len(shares)), tokens.labels[step.stream[step.places]]] += np.float32(1 - SMOOTHED)
    loss = -float((wanted * np.log(np.maximum(shares, TINY))).sum()) / number
    error = np.zeros_like(passed.shares)
    error[step.places] = (shares - wanted) / np.float32(number)
    return loss, pass_back(network, design, step, passed, error)


class Passed(NamedTuple):
    """What a step computed on its way: the tokens' values [tokens, width] before and after the convolutions,
    which of them were kept (0 or a little more than 1), what each convolution saw and kept, the same of the
    notes, and the probabilities of the labels."""

    begin: Singles
    kept: Singles
    layers: list[tuple[Singles, Singles]]
    note: tuple[Singles, Singles]
    hidden: Singles
    shares: Singles


def pass_forward(network: Network, design: Any, step: Step, random: np.random.Generator) -> Passed:
    """Compute the probabilities of the labels of a step; some numbers are left out at random."""

    def draw_kept(shape: tuple[int, ...]) -> Singles:
        kept: Singles = (random.random(shape, np.float32) >= DROPPED_NUMBERS).astype(np.float32)
        return kept / np.float32(1 - DROPPED_NUMBERS)

    def say(seen: Singles, weights: Singles, shift: Singles) -> tuple[Singles, Singles]:
        sums = seen @ join_parts(weights) + shift
        mask = draw_kept(sums.shape) * (sums > 0)
        return sums * mask, mask

    begin = np.tanh(design @ network.rows + network.first)
    kept = draw_kept(begin.shape)
    hidden = begin * kept
    layers = []
    for layer, (gap, weights, shift) in enumerate(zip(GAPS, network.middle, network.shift)):
        if layer == NOTE_SEEN:
            around = look_around(hidden[step.places], step.groups)
            said, mask = say(around, network.note, network.note_shift)
            hidden[step.places] += said
            note = around, mask
        seen = look_aside(hidden, gap)
        said, mask = say(seen, weights, shift)
        layers.append((seen, mask))
        hidden = hidden + said
    return Passed(begin, kept, layers, note, hidden, compute_shares(hidden @ network.out + network.last))


def pass_back(network: Network, design: Any, step: Step, passed: Passed, error: Singles) -> Network:
    """Return the gradient that belongs to the errors [tokens, labels] of the labels' scores."""
    back: Any = error @ network.out.T  # mypy takes the products of single precision for double
    middle, shift = np.zeros_like(network.middle), np.zeros_like(network.shift)
    for layer in reversed(range(len(GAPS))):
        seen, mask = passed.layers[layer]
        of_sums = back * mask
        middle[layer], shift[layer] = (seen.T @ of_sums).reshape(middle[layer].shape), of_sums.sum(axis=0)
        back = back + look_back(of_sums @ join_parts(network.middle[layer]).T, GAPS[layer])
        if layer == NOTE_SEEN:
            seen, mask = passed.note
            of_note = back[step.places] * mask
            back[step.places] += look_from_note(of_note @ join_parts(network.note).T, step.groups)
            note, note_shift = (seen.T @ of_note).reshape(network.note.shape), of_note.sum(axis=0)
    of_begin = back * passed.kept * (1 - passed.begin * passed.begin)
    return Network(
        design.T @ of_begin,
        of_begin.sum(axis=0),
        middle,
        shift,
        note,
        note_shift,
        passed.hidden.T @ error,
        error.sum(axis=0),
    )


def build_design(network: Network, tokens: TrainingTokens, stream: Ints, random: np.random.Generator) -> Any:
    """Return which rows each token adds, a sparse matrix [tokens, rows]; some are left out at random, and
    some tokens' words are hidden."""
    from scipy.sparse import csr_array

    sizes = np.where(stream >= 0, tokens.starts[stream + 1] - tokens.starts[stream], 0)
    rows = tokens.rows[list_places(np.where(stream >= 0, tokens.starts[stream], 0), sizes)]
    hidden = np.repeat(random.random(len(stream)) < HIDDEN_WORDS, sizes) & tokens.tells_word[rows]
    kept = ((random.random(len(rows)) >= DROPPED_VALUES) & ~hidden).astype(np.float32)
    shape = len(stream), len(network.rows)
    return csr_array((kept, rows, np.append(0, np.cumsum(sizes))), shape)


class Adam:
    """Moves a network against its gradient, in ``steps`` steps whose size rises, then falls to 0. Compiled
    loops give the same bits."""

    def __init__(self, network: Network, steps: int, compiled: bool = False) -> None:
        self.number, self.steps = 0, steps
        self.means = [np.zeros_like(array) for array in network]
        self.squares = [np.zeros_like(array) for array in network]
        self.move_numbers: Callable[..., None] = move_numbers
        if compiled:
            from crfdeid.engine import compiled_math

            self.move_numbers = compiled_math.move_numbers

    def move(self, network: Network, gradient: Network) -> None:
        """Take a step; ``gradient`` changes."""
        rise = min(1.0, (self.number + 1) / min(RISE, 0.1 * self.steps))
        size = rise * (1 - self.number / self.steps)
        self.number += 1
        length = float(np.sqrt(sum(float((array * array).sum()) for array in gradient)))
        shrink = min(1.0, LONGEST / max(length, TINY))
        for place, (array, slope) in enumerate(zip(network, gradient)):
            rate = size * (RATE if place else ROWS_RATE)
            kept = 1 - rate * DECAY if place else 1.0
            spread, step = (1 - SQUARES**self.number) ** 0.5, rate / (1 - MEANS**self.number)
            numbers = np.array([shrink, 1 - MEANS, 1 - SQUARES, spread, TINY, kept, step], np.float32)
            flat = [each.reshape(-1) for each in (array, slope, self.means[place], self.squares[place])]
            self.move_numbers(*flat, numbers)
        network.rows[-1] = 0


def move_numbers(array: Singles, slope: Singles, mean: Singles, square: Singles, numbers: Singles) -> None:
    """Move the numbers of ``array`` [numbers] against ``slope``, which changes, with the means of the slopes
    and of their squares (Kingma and Ba 2015, algorithm 1). ``numbers`` are those of :meth:`Adam.move`."""
    shrink, own, own_square, spread, tiny, kept, step = numbers
    slope *= shrink
    mean += own * (slope - mean)
    slope *= slope
    square += own_square * (slope - square)
    ahead = np.sqrt(square, out=slope)
    ahead /= spread
    ahead += tiny
    np.divide(mean, ahead, out=ahead)
    ahead *= step
    array *= kept
    array -= ahead
