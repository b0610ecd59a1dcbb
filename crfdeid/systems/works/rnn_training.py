"""Train a recurrent network: stochastic gradient descent, one sequence per step, on the negative
log-likelihood of its labels (Shweta et al. 2016, section 5.2), until neither the F1 nor the loss on the
development documents gets better for some epochs. With a ``batch`` above 1 a step adds the gradients of
several sequences of similar length.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from crfdeid.errors import ConfigurationError
from crfdeid.evaluate.scores import Counts
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.systems.works import rnn_embeddings
from crfdeid.systems.works.rnn_network import NETWORKS, Network, descend_gradients, make_batches, use_threads
from crfdeid.systems.works.rnn_options import Options
from crfdeid.systems.works.rnn_vocabulary import PADDING, WordNumbers
from crfdeid.text import bio
from crfdeid.text.document import Document

LabelledSequences = list[tuple[list[str], list[str]]]  # words and labels
Pairs = list[tuple[Tensor, Tensor]]  # word numbers [time, 1] and label numbers [time]
Score = tuple[float, float]  # F1 of spans, and minus the loss, which still changes while F1 does not

UNSEEN = -100  # a label that only development documents have, and that of padding
POOL = 50  # batches of which the sequences are sorted by length
USUAL = 32  # words of a sequence; a batch of longer ones has fewer of them


@dataclass(frozen=True)
class TrainedNetwork:
    """A network with its words and labels, in the order of their numbers."""

    network: Network
    words: WordNumbers
    labels: list[str]


@contextmanager
def use_seed(seed: int) -> Iterator[None]:
    """Let torch's random numbers begin at ``seed`` inside, and continue as before afterwards."""
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        torch.manual_seed(seed)
        yield


def choose_device(name: str) -> torch.device:
    """Return torch's device; ``auto`` is a GPU where torch sees one. Raises :class:`ConfigurationError` on
    a device that torch does not have."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError, NotImplementedError):
        raise ConfigurationError(f"options.device = {name!r}: torch has no such device here") from None


def label_documents(pipeline: Pipeline, documents: Sequence[Document]) -> LabelledSequences:
    """Return the words and labels of all sequences. Raises :class:`DocumentError` where spans overlap and
    the pipeline refuses that."""
    found: LabelledSequences = []
    for document in map(pipeline.resolve_overlaps, documents):
        tokenized, sequences = pipeline.tokenize_document(document)
        labels = bio.encode(tokenized.tokens, document.spans)
        for part in sequences:
            inside = slice(part.start, part.stop)
            found.append(([token.text for token in tokenized.tokens[inside]], labels[inside]))
    return found


def split_by_patient(
    documents: Sequence[Document], share: float, seed: int
) -> tuple[list[Document], list[Document]]:
    """Split documents into those to fit and those for development, a ``share`` of the patients; each
    patient's are in one part. The second part is empty where it would have no patient, or the first no
    span."""
    patients = sorted({document.patient or document.id for document in documents})
    random.Random(seed).shuffle(patients)
    held_out = set(patients[: round(share * len(patients))])
    parts: tuple[list[Document], list[Document]] = [], []
    for document in documents:
        parts[(document.patient or document.id) in held_out].append(document)
    return parts if any(document.spans for document in parts[0]) else (list(documents), [])


def train(
    pipeline: Pipeline,
    documents: Sequence[Document],
    options: Options,
    on_iteration: Callable[[int, float], None],
) -> TrainedNetwork:
    """Learn the words, their vectors and the network. ``on_iteration`` receives each epoch's number and
    mean loss of a word."""
    with use_threads(options.threads), use_seed(options.seed):
        fit, held_out = (
            label_documents(pipeline, part)
            for part in split_by_patient(documents, options.development, options.seed)
        )
        words, vectors = rnn_embeddings.find_vectors([row for row, _ in fit], pipeline, options)
        labels = sorted({label for _, row in fit for label in row})
        network = build_network(options, vectors, len(labels)).to(choose_device(options.device))
        score = make_score(held_out, words, labels)
        descend(network, make_pairs(fit, words, labels), score, options, on_iteration)
    return TrainedNetwork(network.cpu(), words, labels)


def build_network(options: Options, vectors: Tensor, labels: int) -> Network:
    """Build the network with random weights."""
    network = NETWORKS[options.network](vectors, labels, options.window, options.hidden, options.layers)
    network.draw_weights(options.spread)
    network.dropped = options.dropout
    return network


def make_pairs(found: LabelledSequences, words: WordNumbers, labels: Sequence[str]) -> Pairs:
    """Return the numbers of words and labels of each sequence."""
    number = {label: n for n, label in enumerate(labels)}
    return [
        (torch.tensor(words.number_words(row))[:, None], torch.tensor([number[label] for label in own]))
        for row, own in found
    ]


def descend(
    network: Network,
    examples: Pairs,
    score: Callable[[Network], Score] | None,
    options: Options,
    on_iteration: Callable[[int, float], None],
) -> None:
    """Train the network, and leave it with the weights of the epoch with the best score, or of the last
    where there is no score. Stop when neither F1 nor the loss got better for ``patience`` epochs: F1 only
    would stop too early, because it does not change for epochs while the network finds dates only."""
    size = sum(len(own) for _, own in examples)
    best, kept, tops, worse = (-1.0, 0.0), None, (-1.0, -math.inf), 0
    for epoch in range(1, options.epochs + 1):
        network.train()
        losses = []
        for words, labels in draw_batches(examples, options.batch):
            losses.append(take_step(network, words, labels, options.rate))
        network.eval()
        if not math.isfinite(sum(losses)):
            where = f"options.rate = {options.rate}"
            raise ConfigurationError(f"{where}: too high: the loss of epoch {epoch} is not a number")
        on_iteration(epoch, sum(losses) / size)
        if score is None:
            continue
        reached = score(network)
        worse = 0 if reached[0] > tops[0] or reached[1] > tops[1] else worse + 1
        tops = max(tops[0], reached[0]), max(tops[1], reached[1])
        if reached > best:
            best, kept = reached, {n: w.detach().clone() for n, w in network.state_dict().items()}
        if worse >= options.patience:
            break
    if kept:
        network.load_state_dict(kept)


def draw_batches(examples: Pairs, size: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield all examples in a random order, at most ``size`` at a time: words [time, sequences] and labels,
    of the same shape where there are several sequences. These are of similar length; ``PADDING`` and
    ``UNSEEN`` fill their ends."""
    order = torch.randperm(len(examples)).tolist()
    if size == 1:
        yield from (examples[n] for n in order)
        return
    batches = list(group_by_length(order, [len(labels) for _, labels in examples], size))
    for number in torch.randperm(len(batches)).tolist():
        words, labels = zip(*(examples[n] for n in batches[number]))
        pad = nn.utils.rnn.pad_sequence
        yield pad([row[:, 0] for row in words], padding_value=PADDING), pad(labels, padding_value=UNSEEN)


def group_by_length(order: Sequence[int], lengths: Sequence[int], size: int) -> Iterator[list[int]]:
    """Yield groups of at most ``size`` sequences that are near each other in ``order`` and in length.

    >>> list(group_by_length([0, 1, 2, 3, 4], [5, 900, 6, 7, 8], 2))
    [[1], [4, 3], [2, 0]]
    """
    for start in range(0, len(order), POOL * size):
        pool = sorted(order[start : start + POOL * size], key=lambda n: -lengths[n])
        while pool:
            count = min(size, max(1, size * USUAL // max(1, lengths[pool[0]])))
            yield pool[:count]
            pool = pool[count:]


def take_step(network: Network, words: Tensor, labels: Tensor, rate: float) -> float:
    """Take a step of descent on the sequences of a batch, and return their loss before."""
    device = network.c.device
    found = network(words.to(device)).flatten(0, 1)
    wanted = labels.flatten().to(device)
    loss = nn.functional.cross_entropy(found, wanted, ignore_index=UNSEEN, reduction="sum")
    loss.backward()
    descend_gradients(network.parameters(), rate)
    return float(loss.item())


def make_score(
    held_out: LabelledSequences, words: WordNumbers, labels: Sequence[str]
) -> Callable[[Network], Score] | None:
    """Return the function that scores a network on the held-out sequences; ``None`` where they have no
    span. A label that only these sequences have counts as missed."""
    rows = [words.number_words(row) for row, _ in held_out]
    number = {label: n for n, label in enumerate(labels)}
    wanted = [torch.tensor([number.get(label, UNSEEN) for label in own]) for _, own in held_out]
    gold = {(n, *span) for n, (_, own) in enumerate(held_out) for span in find_spans(own)}

    def score(network: Network) -> Score:
        found: set[tuple[int, int, int, str]] = set()
        loss = 0.0
        with torch.inference_mode():
            for indices, batch in make_batches(rows):
                for n, own in zip(indices, network(batch.to(network.c.device)).cpu().unbind(1)):
                    own = own[: len(rows[n])]
                    loss += nn.functional.cross_entropy(
                        own, wanted[n], ignore_index=UNSEEN, reduction="sum"
                    ).item()
                    names = [labels[y] for y in own.argmax(1).tolist()]
                    found |= {(n, *span) for span in find_spans(names)}
        right = len(gold & found)
        return Counts(right, len(found) - right, len(gold) - right).f1, -loss

    return score if gold else None


def find_spans(labels: Sequence[str]) -> list[tuple[int, int, str]]:
    """Return the first index, the last index and the type of each span.

    >>> find_spans(["O", "B-DATE", "I-DATE"])
    [(1, 2, 'DATE')]
    """
    return [(first, last, labels[first][2:]) for first, last in bio.find_labelled_runs(labels)]
