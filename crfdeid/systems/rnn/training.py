"""Training a recurrent network: stochastic gradient descent, one sequence a step, on the negative
log-likelihood of its labels (Shweta et al. 2016, section 5.2), until neither F1 nor the loss of the
development documents gets better for some epochs.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from crfdeid.errors import ConfigurationError
from crfdeid.evaluate.scores import Counts
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.systems.rnn import embeddings, vocabulary
from crfdeid.systems.rnn.network import NETWORKS, Network, batches, descended
from crfdeid.systems.rnn.vocabulary import Words
from crfdeid.text import bio
from crfdeid.text.document import Document

Labelled = list[tuple[list[str], list[str]]]  # words and labels of sequences
Pairs = list[tuple[Tensor, Tensor]]  # word numbers [time, 1] and labels' numbers [time]
Score = tuple[float, float]  # F1 of spans, and the loss, negative, which tells more while F1 stands

UNSEEN = -100  # a label of development documents that the others have not


@dataclass(frozen=True)
class Trained:
    network: Network
    words: Words
    labels: list[str]


@contextmanager
def threads(count: int) -> Iterator[None]:
    """torch with so many threads inside, and with what it had afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """torch's random numbers from that seed on inside, and where they were afterwards."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


def labelled(pipeline: Pipeline, documents: Sequence[Document]) -> Labelled:
    """Raises :class:`DocumentError` where spans overlap and the experiment refuses that."""
    found: Labelled = []
    for document in map(pipeline.without_overlaps, documents):
        page, sequences = pipeline.page(document)
        labels = bio.encode(page.tokens, document.spans)
        for part in sequences:
            inside = slice(part.start, part.stop)
            found.append(([token.text for token in page.tokens[inside]], labels[inside]))
    return found


def parted(documents: Sequence[Document], share: float, seed: int) -> tuple[list[Document], list[Document]]:
    """Documents to fit and for development, each patient's in one of them. Where the second would
    have no patient, or leave the first none, it is empty."""
    patients = sorted({document.patient or document.id for document in documents})
    random.Random(seed).shuffle(patients)
    held = set(patients[: round(share * len(patients))])
    parts: tuple[list[Document], list[Document]] = [], []
    for document in documents:
        parts[(document.patient or document.id) in held].append(document)
    return parts if any(document.spans for document in parts[0]) else (list(documents), [])


def train(
    pipeline: Pipeline,
    documents: Sequence[Document],
    options: Any,
    on_iteration: Callable[[int, float], None],
) -> Trained:
    """``options`` are those of :mod:`crfdeid.systems.rnn.rnn`. ``on_iteration`` hears each epoch's number
    and mean loss of a word."""
    with threads(options.threads), seeded(options.seed):
        fit, held = (
            labelled(pipeline, part) for part in parted(documents, options.development, options.seed)
        )
        words = vocabulary.learned([row for row, _ in fit], options.least, options.unknown)
        labels = sorted({label for _, row in fit for label in row})
        network = built(options, [words.row(row) for row, _ in fit], len(words), len(labels))
        descend(network, pairs(fit, words, labels), development(held, words, labels), options, on_iteration)
    return Trained(network, words, labels)


def built(options: Any, rows: Sequence[list[int]], size: int, labels: int) -> Network:
    vectors = embeddings.learned(
        options.embedding, rows, size, options.size, options.embedding_epochs, options.seed
    )
    network = NETWORKS[options.network](vectors, labels, options.window, options.hidden, options.layers)
    network.spread(options.spread)
    network.dropped = options.dropout
    return network


def pairs(found: Labelled, words: Words, labels: Sequence[str]) -> Pairs:
    number = {label: n for n, label in enumerate(labels)}
    return [
        (torch.tensor(words.row(row))[:, None], torch.tensor([number[label] for label in own]))
        for row, own in found
    ]


def descend(
    network: Network,
    examples: Pairs,
    score: Callable[[Network], Score] | None,
    options: Any,
    on_iteration: Callable[[int, float], None],
) -> None:
    """Leaves the weights of the epoch with the best score, or of the last where there is none. Stops
    when F1 and loss have both been better: F1 alone stands still for epochs while dates are all that
    is found, and names come later."""
    size = sum(len(own) for _, own in examples)
    best, kept, tops, worse = (-1.0, 0.0), None, (-1.0, -math.inf), 0
    for epoch in range(1, options.epochs + 1):
        network.train()
        losses = [step(network, *examples[n], options.rate) for n in torch.randperm(len(examples)).tolist()]
        network.eval()
        if not math.isfinite(sum(losses)):
            where = f"options.rate = {options.rate}"
            raise ConfigurationError(f"{where}: too high: the loss of epoch {epoch} is no number")
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


def step(network: Network, words: Tensor, labels: Tensor, rate: float) -> float:
    """One step down on one sequence; its loss before."""
    loss = nn.functional.cross_entropy(network(words)[:, 0], labels, reduction="sum")
    loss.backward()
    descended(network.parameters(), rate)
    return loss.item()


def development(held: Labelled, words: Words, labels: Sequence[str]) -> Callable[[Network], Score] | None:
    """A network's score on the held-out sequences; ``None`` where they have no span. A label that
    is of these sequences alone counts as missed."""
    rows = [words.row(row) for row, _ in held]
    number = {label: n for n, label in enumerate(labels)}
    wanted = [torch.tensor([number.get(label, UNSEEN) for label in own]) for _, own in held]
    gold = {(n, *span) for n, (_, own) in enumerate(held) for span in spans(own)}

    def score(network: Network) -> Score:
        found: set[tuple] = set()
        loss = 0.0
        with torch.inference_mode():
            for indices, batch in batches(rows):
                for n, own in zip(indices, network(batch).unbind(1)):
                    own = own[: len(rows[n])]
                    loss += nn.functional.cross_entropy(
                        own, wanted[n], ignore_index=UNSEEN, reduction="sum"
                    ).item()
                    found |= {(n, *span) for span in spans([labels[y] for y in own.argmax(1).tolist()])}
        right = len(gold & found)
        return Counts(right, len(found) - right, len(gold) - right).f1, -loss

    return score if gold else None


def spans(labels: Sequence[str]) -> list[tuple[int, int, str]]:
    """First and last index, and type.

    >>> spans(["O", "B-DATE", "I-DATE"])
    [(1, 2, 'DATE')]
    """
    return [(first, last, labels[first][2:]) for first, last in bio.find_labelled_runs(labels)]
