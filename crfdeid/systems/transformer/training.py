"""Fine-tune an encoder: cross entropy of the label at each token's first subword, with AdamW and a rate that
falls to zero."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from crfdeid.errors import ConfigurationError
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.systems.registry import Training
from crfdeid.systems.transformer import encoder
from crfdeid.systems.transformer.encoder import Encoder, Options, match_subwords
from crfdeid.text import bio
from crfdeid.text.document import Document

IGNORED = -100  # the label of a subword that is not the first of a token
Window = tuple[list[int], list[int]]  # subword numbers and label numbers


def fine_tune(training: Training, options: Options) -> tuple[Any, Any]:
    """Return the network and the tokenizer. Raises :class:`ConfigurationError` where the loss is not
    a number."""
    folder = Path(options.encoder)
    subwords = encoder.load_subwords(folder)
    if not options.epochs:
        return encoder.load_network(folder), subwords
    with use_seed(options):
        types = sorted({span.type for document in training.documents for span in document.spans})
        labels = [bio.OUTSIDE, *(f"{part}-{type}" for type in types for part in "BI")]
        network = encoder.load_network(
            folder,
            num_labels=len(labels),
            id2label=dict(enumerate(labels)),
            label2id={label: number for number, label in enumerate(labels)},
            ignore_mismatched_sizes=True,
        )
        learner = Encoder(network, subwords, options)
        windows = list(label_windows(learner, training.model.pipeline, training.documents, labels))
        descend(learner, windows, training)
    return network.cpu(), subwords


@contextmanager
def use_seed(options: Options) -> Iterator[None]:
    """Let torch's random numbers begin at the seed, with its own number of threads, and then continue as
    before."""
    before = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(options.seed)
        torch.set_num_threads(options.threads or before)
        try:
            yield
        finally:
            torch.set_num_threads(before)


def label_windows(
    learner: Encoder, pipeline: Pipeline, documents: Sequence[Document], labels: Sequence[str]
) -> Iterator[Window]:
    """Yield the windows of all documents with their labels."""
    numbers = {label: number for number, label in enumerate(labels)}
    for document in map(pipeline.resolve_overlaps, documents):
        tokens = pipeline.tokenize(document.text)
        own = [numbers[label] for label in bio.encode(tokens, document.spans)]
        cut = learner.cut([document.text])
        for ids, offsets in zip(cut["input_ids"], cut["offset_mapping"]):
            places = [at for at, (start, end) in enumerate(offsets) if start < end]
            row = [IGNORED] * len(ids)
            matched = match_subwords(tokens, [offsets[at] for at in places])
            for label, subword in zip(own, matched):
                if subword >= 0 and row[places[subword]] <= 0:  # of tokens that share it, the first with PHI
                    row[places[subword]] = label
            yield ids, row


def descend(learner: Encoder, windows: Sequence[Window], training: Training) -> None:
    """Take a step for each batch of windows, in a new order in each epoch."""
    options, network = learner.options, learner.network
    optimizer = torch.optim.AdamW(network.parameters(), lr=options.rate)
    steps = options.epochs * math.ceil(len(windows) / options.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    for epoch in range(1, options.epochs + 1):
        network.train()
        losses = []
        for some in torch.randperm(len(windows)).split(options.batch):
            losses.append(take_step(learner, [windows[n] for n in some.tolist()], optimizer))
            schedule.step()
        if not math.isfinite(mean := sum(losses) / len(losses)):
            raise ConfigurationError(
                f"options.rate = {options.rate}: the loss is not a number; wanted a lower rate"
            )
        training.on_iteration(epoch, mean)


def take_step(learner: Encoder, windows: Sequence[Window], optimizer: Any) -> float:
    """Change the weights by the gradient of some windows. Return their mean loss of a token."""
    rows = {"input_ids": [ids for ids, _ in windows]}
    inputs = learner.subwords.pad(rows, return_tensors="pt").to(learner.options.device)
    width = inputs["input_ids"].shape[1]
    is_left = learner.subwords.padding_side == "left"
    labels = torch.tensor(
        [
            [IGNORED] * (width - len(row)) + row if is_left else row + [IGNORED] * (width - len(row))
            for _, row in windows
        ]
    )
    loss = learner.network(**inputs, labels=labels.to(learner.options.device)).loss
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(learner.network.parameters(), 1.0)
    optimizer.step()
    return float(loss)
