"""Recurrent networks of Elman's and of Jordan's type (Shweta et al. 2016).

    words.txt               the words that it knows (crfdeid.systems.works.rnn_vocabulary)
    labels.txt              one per line
    network.safetensors     the weights (crfdeid.systems.works.rnn_network)

Needs torch and safetensors, and gensim to learn ``cbow`` vectors: the extra ``rnn``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from crfdeid.config import Config
from crfdeid.files import open_whole
from crfdeid.systems import registry
from crfdeid.systems.registry import OF_TOKENS, System, Training, read_options
from crfdeid.systems.tagger import ModelFolder, Tagger
from crfdeid.systems.works import rnn_vocabulary
from crfdeid.systems.works.rnn_options import Options, check_extra
from crfdeid.text import bio
from crfdeid.text.document import Document, trim_spans

if TYPE_CHECKING:
    from crfdeid.systems.works.rnn_network import Labeller

NETWORK, LABELS = "network.safetensors", "labels.txt"


def train(training: Training) -> None:
    """Train a network. ``on_iteration`` receives each epoch's number and mean loss of a word."""
    model = training.model
    options = read_options(Options, model.config)
    check_installed(model.config)
    from crfdeid.systems.works.rnn_network import write_network
    from crfdeid.systems.works.rnn_training import train as train_network

    trained = train_network(model.pipeline, training.documents, options, training.on_iteration)
    trained.words.write(model.path)
    with open_whole(model.path / LABELS) as file:
        file.writelines(f"{label}\n" for label in trained.labels)
    write_network(trained.network, model.path / NETWORK)


class RnnTagger(Tagger):
    """A loaded network. A word gets the label of the highest probability; ``recall_bias`` lowers that of
    the label O (in logarithms)."""

    scores_tokens = True
    operating_setting = "recall_bias"

    def __init__(self, model: ModelFolder) -> None:
        super().__init__(model)
        options = read_options(Options, model.config)
        check_extra(options, training=False)
        self.words = rnn_vocabulary.read_words(model.path, options.unknown)
        self.labels = rnn_vocabulary.read_lines(model.path / LABELS, "label")
        self.labeller = _load_labeller(model, options, len(self.words), self.labels)

    def _tag_all(self, documents: Iterable[Document], probabilities: bool) -> Iterator[Document]:
        return map(self._tag_one, documents)

    def _tag_one(self, document: Document) -> Document:
        tokenized, sequences = self.pipeline.tokenize_document(document)
        tokens = tokenized.tokens
        rows = [self.words.number_words(token.text for token in tokens[s.start : s.stop]) for s in sequences]
        labels = [bio.OUTSIDE] * len(tokens)
        for part, path in zip(sequences, self.labeller.find_labels(rows)):
            labels[part.start : part.stop] = [self.labels[y] for y in path]
        return document.with_spans(trim_spans(document.text, bio.decode(tokens, labels)))

    def score_tokens(self, document: Document) -> np.ndarray:
        tokenized, sequences = self.pipeline.tokenize_document(document)
        scores = np.zeros((len(tokenized.tokens), len(self.labels)))
        texts = [token.text for token in tokenized.tokens]
        rows = [self.words.number_words(texts[s.start : s.stop]) for s in sequences]
        for part, found in zip(sequences, self.labeller.find_scores(rows)):
            scores[part.start : part.stop] = found
        return scores

    def score_hidden(self, document: Document, part: range, number: int) -> np.ndarray:
        """As :meth:`Tagger.score_hidden`: a hidden word is what is before and after a sequence."""
        tokenized, sequences = self.pipeline.tokenize_document(document)
        own = next(sequence for sequence in sequences if number in sequence)
        words = self.words.number_words(token.text for token in tokenized.tokens[own.start : own.stop])
        places = [at - own.start for at in part]
        rows = [words, *([*words[:at], rnn_vocabulary.PADDING, *words[at + 1 :]] for at in places)]
        return np.stack([scores[number - own.start] for scores in self.labeller.find_scores(rows)])


def _load_labeller(model: ModelFolder, options: Options, words: int, labels: Sequence[str]) -> Labeller:
    from crfdeid.systems.works.rnn_network import Labeller, read_network

    sizes = options.window, options.hidden, options.layers
    network = read_network(model.path / NETWORK, options.network, words, len(labels), sizes)
    bias = [-model.config.recall_bias if label == bio.OUTSIDE else 0.0 for label in labels]
    return Labeller(network, bias, options.threads)


def check_installed(settings: Config) -> None:
    """Raise :class:`ConfigurationError` where a package is missing that training needs."""
    check_extra(read_options(Options, settings), training=True)


SYSTEM = System(
    Options,
    train,
    RnnTagger,
    check_installed=check_installed,
    needs_features=False,
    extra="rnn",
    settings=("recall_bias",),
    decoding=OF_TOKENS,
    explained_by=registry.NETWORK,
)
