"""A transformer that labels tokens: an encoder of Hugging Face's format from a local folder.

    encoder/            config.json, model.safetensors, tokenizer.json, ...

A token has the probabilities of its first subword. Tokens that share a subword are one piece of a span. Needs
torch and transformers: the extra ``transformer``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from crfdeid.engine.arrays.batch import Batch, Reader, decode_spans
from crfdeid.engine.arrays.vocabulary import NONE, TokenVocabulary
from crfdeid.engine.decoding.marginals import sum_types
from crfdeid.errors import ConfigurationError
from crfdeid.systems.registry import NETWORK, OF_TOKENS, System, Training, read_options
from crfdeid.systems.tagger import ModelFolder, Tagger, batch_documents
from crfdeid.systems.threshold import Masker, Threshold
from crfdeid.systems.transformer import encoder
from crfdeid.systems.transformer.encoder import Options, check_extra, map_labels
from crfdeid.text import bio
from crfdeid.text.document import Document, Span, trim_spans

ENCODER = "encoder"
TINY = 1e-12  # the probability of what the encoder excludes


def train(training: Training) -> None:
    """Learn the labels of the documents, or with ``epochs`` 0 copy the encoder. ``on_iteration`` receives
    each epoch's number and mean loss of a token."""
    options = read_options(Options, training.model.config)
    check_extra()
    if not options.encoder:
        raise ConfigurationError(
            "options.encoder is not set; wanted the folder of a token-classification model"
        )
    from crfdeid.systems.transformer.training import fine_tune

    network, subwords = fine_tune(training, options)
    network.save_pretrained(training.model.path / ENCODER, safe_serialization=True)
    subwords.save_pretrained(training.model.path / ENCODER)


class TransformerTagger(Tagger):
    """A loaded encoder. ``recall_bias`` is subtracted from the logarithm of P(O). The probability of a span
    is that of its labels, where each token is labelled by itself."""

    has_probabilities = True
    has_threshold = True
    scores_tokens = True
    operating_setting = "recall_bias"

    def __init__(self, model: ModelFolder) -> None:
        super().__init__(model)
        options = read_options(Options, model.config)
        check_extra()
        own = model.path / ENCODER
        folder = own if own.is_dir() else Path(options.encoder)
        network = encoder.load_network(folder)
        self.encoder = encoder.Encoder(network, encoder.load_subwords(folder), options)
        is_ours = own.is_dir() and options.epochs > 0
        mapped = map_labels(self.encoder.names, {} if is_ours else options.labels, self.scheme.types)
        types = sorted({label[2:] for label in mapped if label != bio.OUTSIDE})
        self.labels = [bio.OUTSIDE, *(f"{part}-{type}" for type in types for part in "BI")]
        self.columns = np.array([self.labels.index(label) for label in mapped])
        self.reader = Reader(self.pipeline, TokenVocabulary({}, lambda name, value: NONE))

    def score_tokens(self, document: Document) -> np.ndarray:
        """Return the logarithms of the probabilities [tokens, labels]."""
        found: np.ndarray = np.log(self._find_marginals(self._read([document]))[0] + TINY)
        return found

    def score_hidden(self, document: Document, part: range, number: int) -> np.ndarray:
        """As :meth:`Tagger.score_hidden`: the subwords of a hidden token are the encoder's mask."""
        tokens = self.pipeline.tokenize_document(document)[0].tokens
        places = [(tokens[at].start, tokens[at].end) for at in part]
        place = tokens[number].start, tokens[number].end
        rows = self.encoder.find_hidden(document.text, place, places)
        marginals = np.zeros((1 + len(part), len(self.labels)))
        np.add.at(marginals.T, self.columns, rows.T)
        marginals[:, 0] *= np.exp(-self.config.recall_bias)
        found: np.ndarray = np.log(marginals / marginals.sum(axis=1, keepdims=True) + TINY)
        return found

    def _read(self, documents: Sequence[Document]) -> Batch:
        if len(self.reader.vocabulary) > 100_000:
            self.reader = Reader(self.pipeline, TokenVocabulary({}, lambda name, value: NONE))
        return self.reader.batch(documents)

    def _tag_all(self, documents: Iterable[Document], probabilities: bool) -> Iterator[Document]:
        for some in batch_documents(documents):
            batch = self._read(some)
            marginals, subwords = self._find_marginals(batch)
            path = self._find_best(batch, marginals, subwords)
            yield from self._decode(batch, path, self.labels, marginals if probabilities else None)

    def _tag_by_threshold(
        self, documents: Iterable[Document], threshold: Threshold, probabilities: bool
    ) -> Iterator[Document]:
        masker = Masker(self.labels, threshold)
        for some in batch_documents(documents):
            batch = self._read(some)
            marginals, subwords = self._find_marginals(batch)
            phi, likely = sum_types(marginals, masker.type_of, masker.least)
            path = masker.find_path(batch, phi, likely, self._find_best(batch, marginals, subwords))
            yield from self._decode(batch, path, masker.names, marginals if probabilities else None)

    def _find_marginals(self, batch: Batch) -> tuple[np.ndarray, np.ndarray]:
        """The probabilities [tokens, labels], and the number of each token's first subword in its text, -1
        where it has none [tokens]."""
        marginals = np.zeros((len(batch), len(self.labels)))
        marginals[:, 0] = 1.0
        subwords = np.full(len(batch), NONE)
        texts = [document.text for document in batch.documents]
        for number, rows in enumerate(self.encoder.find_probabilities(texts)):
            offsets = sorted(rows)
            base = int(batch.bounds[number])
            for at, subword in enumerate(encoder.match_subwords(batch.tokens(number), offsets), base):
                if subword != NONE:
                    subwords[at] = subword
                    marginals[at] = np.bincount(
                        self.columns, rows[offsets[subword]], minlength=len(self.labels)
                    )
        marginals[:, 0] *= np.exp(-self.config.recall_bias)
        marginals /= marginals.sum(axis=1, keepdims=True)
        return marginals, subwords

    def _find_best(self, batch: Batch, marginals: np.ndarray, subwords: np.ndarray) -> np.ndarray:
        """The most probable label of each token, -1 outside the sequences. A token that shares a subword with
        the one before goes on with its span."""
        best = marginals.argmax(axis=1)
        shared = np.append(False, (subwords[1:] == subwords[:-1]) & (subwords[1:] != NONE))
        shared[batch.bounds[:-1][batch.bounds[:-1] < len(batch)]] = False
        begins = np.array([label[0] == "B" for label in self.labels])
        best[shared & begins[best]] += 1
        inside = np.zeros(len(batch), bool)
        for first, stop in zip(batch.first.tolist(), batch.stop.tolist()):
            inside[first:stop] = True
        found: np.ndarray = np.where(inside, best, NONE)
        return found

    def _decode(
        self, batch: Batch, path: np.ndarray, names: Sequence[str], marginals: np.ndarray | None
    ) -> list[Document]:
        """The documents with the spans of a path, whose numbers are those of ``names``."""
        found = decode_spans(batch, names, path)
        if marginals is not None:
            found = [
                [self._add_probability(span, number, batch, marginals) for span in spans]
                for number, spans in enumerate(found)
            ]
        return [d.with_spans(trim_spans(d.text, spans)) for d, spans in zip(batch.documents, found)]

    def _add_probability(self, span: Span, number: int, batch: Batch, marginals: np.ndarray) -> Span:
        """P(the first token opens a span of the type, the others go on, and the next one does not)."""
        begin, end = batch.bounds[number], batch.bounds[number + 1]
        first = int(begin + np.searchsorted(batch.starts[begin:end], span.start))
        last = int(begin + np.searchsorted(batch.ends[begin:end], span.end))
        opening = self.labels.index(f"B-{span.type}")
        inside = opening + 1
        before = marginals[first - 1, opening : inside + 1].sum() if first > begin else 0.0
        probability = marginals[first, opening] + marginals[first, inside] * (1 - before)
        probability *= marginals[first + 1 : last + 1, inside].prod()
        if last + 1 < end:
            probability *= 1 - marginals[last + 1, inside]
        return replace(span, probability=float(np.clip(probability, 0.0, 1.0)))


SYSTEM = System(
    Options,
    train,
    TransformerTagger,
    check_installed=lambda settings: check_extra(),
    needs_features=False,
    extra="transformer",
    settings=("recall_bias",),
    decoding=OF_TOKENS,
    explained_by=NETWORK,
)
