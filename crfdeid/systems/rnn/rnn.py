"""Recurrent networks of Elman's and of Jordan's type (Shweta et al. 2016).

    words.txt               the words known (crfdeid.systems.rnn.vocabulary)
    labels.txt              one a line
    network.safetensors     the weights (crfdeid.systems.rnn.network)

Needs torch and safetensors, and gensim to learn ``cbow`` vectors: the extra ``rnn``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from crfdeid.errors import ConfigurationError, FormatError, ModelError, did_you_mean
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.files import open_whole, read_text
from crfdeid.systems import registry
from crfdeid.systems.rnn import vocabulary
from crfdeid.text import bio, scheme
from crfdeid.text.document import Document
from crfdeid.text.spans import trim_spans

NETWORK, LABELS = "network.safetensors", "labels.txt"
NETWORKS = ("elman", "jordan")
DIMENSIONS = {"random": 100, "rnnlm": 80, "cbow": 300}  # their table 4
CHOICES = {"network": NETWORKS, "embedding": tuple(DIMENSIONS), "unknown": vocabulary.UNKNOWN_WORDS}
LEAST = {
    "window": 1, "dimensions": 0, "embedding_epochs": 1, "hidden": 1, "layers": 1, "epochs": 1,
    "patience": 1, "least": 1, "seed": 0, "threads": 1,
}  # fmt: skip
EXTRA = "the system rnn needs {}: pip install crfdeid[rnn]"


@dataclass(frozen=True)
class Options:
    """Those of Shweta et al.'s table 3 for Elman's network, where it has them. ``window`` counts all
    words of the window; ``dimensions = 0`` are the paper's for the ``embedding``; ``spread`` is the
    range of the weights at first; ``development`` the share of the patients whose documents say
    when to stop, which is after ``patience`` epochs in which neither their F1 nor their loss was better
    than before; ``least`` is how often a word must occur to be known."""

    network: str = "elman"
    window: int = 11
    hidden: int = 100
    layers: int = 1
    rate: float = 0.01
    dropout: float = 0.5
    epochs: int = 25
    patience: int = 5
    development: float = 0.1
    embedding: str = "cbow"
    dimensions: int = 0
    embedding_epochs: int = 10
    spread: float = 1.0
    least: int = 2
    unknown: str = "forms"
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if (value := getattr(self, name)) not in allowed:
                wanted = ", ".join(allowed)
                raise ValueError(
                    f"{name} = {value!r}: wanted one of {wanted}{did_you_mean(str(value), allowed)}"
                )
        for name, least in LEAST.items():
            if type(value := getattr(self, name)) is not int or value < least:
                raise ValueError(f"{name} = {value!r}: wanted a whole number, {least} or more")
        for name in ("rate", "spread"):
            if not (value := getattr(self, name)) > 0:
                raise ValueError(f"{name} = {value!r}: wanted a number above 0")
        for name in ("dropout", "development"):
            if not 0 <= (value := getattr(self, name)) < 1:
                raise ValueError(f"{name} = {value!r}: wanted a number from 0 to below 1")
        if self.window % 2 == 0:
            raise ValueError(
                f"window = {self.window}: wanted an odd number, for a word and as many each side"
            )

    @property
    def size(self) -> int:
        """The dimensions of a word's vector."""
        return self.dimensions or DIMENSIONS[self.embedding]


def check(options: Options, training: bool) -> None:
    """Raise :class:`ConfigurationError` where the extra is not installed."""
    wanted = ["torch", "safetensors", *(["gensim"] if training and options.embedding == "cbow" else [])]
    if missing := [name for name in wanted if find_spec(name) is None]:
        raise ConfigurationError(EXTRA.format(", ".join(missing)))


def train(
    pipeline: Pipeline,
    documents: Sequence[Document],
    folder: Path,
    on_iteration: Callable[[int, float], None],
) -> None:
    """``on_iteration`` hears each epoch's number and mean loss of a word."""
    options = registry.options(pipeline.config.system, pipeline.config.options)
    check(options, training=True)
    from crfdeid.systems.rnn import tagging
    from crfdeid.systems.rnn import training as rnn_training

    made = rnn_training.train(pipeline, documents, options, on_iteration)
    made.words.write(folder)
    with open_whole(folder / LABELS) as file:
        file.writelines(f"{label}\n" for label in made.labels)
    tagging.write(made.network, folder / NETWORK)


class Tagger:
    """A loaded network. A word takes the label of the highest probability, which is lowered by the
    experiment's ``recall_bias`` (in logarithms) for the label O."""

    def __init__(self, folder: Path, pipeline: Pipeline) -> None:
        options = registry.options(pipeline.config.system, pipeline.config.options)
        check(options, training=False)
        from crfdeid.systems.rnn import tagging

        self.folder, self.pipeline = folder, pipeline
        self.scheme = scheme.read_scheme(folder / "scheme.toml")
        self.words = vocabulary.read(folder, options.unknown)
        self.labels = labels(folder / LABELS)
        network = tagging.read(folder / NETWORK, options, len(self.words), len(self.labels))
        bias = [-pipeline.config.recall_bias if label == bio.OUTSIDE else 0.0 for label in self.labels]
        self.labeller = tagging.Labeller(network, bias, options.threads)

    def tag(self, document: Document) -> Document:
        """The document with the spans found, in place of any it had."""
        page, sequences = self.pipeline.page(document)
        rows = [self.words.row(token.text for token in page.tokens[s.start : s.stop]) for s in sequences]
        found = [bio.OUTSIDE] * len(page.tokens)
        for part, path in zip(sequences, self.labeller.best(rows)):
            found[part.start : part.stop] = [self.labels[y] for y in path]
        return document.with_spans(trim_spans(document.text, bio.decode(page.tokens, found)))


def labels(path: Path) -> list[str]:
    try:
        lines = read_text(path).split("\n")
    except FormatError:
        raise ModelError(f"{path}: no list of labels") from None
    if lines.pop() or not all(lines):
        raise ModelError(f"{path}: damaged: wanted one label a line")
    return lines


def load(folder: Path, pipeline: Pipeline) -> Tagger:
    return Tagger(folder, pipeline)
