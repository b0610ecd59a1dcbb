"""Train a recurrent network: stochastic gradient descent, one sequence per step, on the negative
log-likelihood of its labels (Shweta et al. 2016, section 5.2), until neither the F1 nor the loss on the
development documents gets better for some epochs.
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
from crfdeid.systems.rnn import embeddings, vocabulary
from crfdeid.systems.rnn.network import NETWORKS, Network, descend_gradients, make_batches, use_threads
from crfdeid.systems.rnn.options import Options
from crfdeid.systems.rnn.vocabulary import WordNumbers
from crfdeid.text import bio
from crfdeid.text.document import Document

LabelledSequences = list[tuple[list[str], list[str]]]  # words and labels
Pairs = list[tuple[Tensor, Tensor]]  # word numbers [time, 1] and label numbers [time]
Score = tuple[float, float]  # F1 of spans, and minus the loss, which still changes while F1 does not

UNSEEN = -100  # a label that only development documents have


@dataclass(frozen=True)
class TrainedNetwork:
    """A network with its words and labels, in the order of their numbers."""

    network: Network
    words: WordNumbers
    labels: list[str]


@contextmanager
def use_seed(seed: int) -> Iterator[None]:
    """Let torch's random numbers begin at ``seed`` inside, and continue as before afterwards."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


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
        words = vocabulary.learn_words([row for row, _ in fit], options.least, options.unknown)
        labels = sorted({label for _, row in fit for label in row})
        network = build_network(options, [words.number_words(row) for row, _ in fit], len(words), len(labels))
        score = make_score(held_out, words, labels)
        descend(network, make_pairs(fit, words, labels), score, options, on_iteration)
    return TrainedNetwork(network, words, labels)


def build_network(options: Options, rows: Sequence[list[int]], size: int, labels: int) -> Network:
    """Learn the vectors of the words, and build the network with random weights."""
    vectors = embeddings.learn_vectors(
        options.embedding, rows, size, options.size, options.embedding_epochs, options.seed
    )
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
        for n in torch.randperm(len(examples)).tolist():
            words, labels = examples[n]
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


def take_step(network: Network, words: Tensor, labels: Tensor, rate: float) -> float:
    """Take a step of descent on one sequence, and return its loss before."""
    loss = nn.functional.cross_entropy(network(words)[:, 0], labels, reduction="sum")
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
                for n, own in zip(indices, network(batch).unbind(1)):
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
