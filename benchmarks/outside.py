"""Two outside taggers for ``benchmarks/systems.py``, trained on the same notes: spaCy's named-entity
recogniser, and sklearn-crfsuite with the features of its tutorial."""

from __future__ import annotations

import argparse
import pickle
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from crfdeid.feature_extraction import part_of_speech
from crfdeid.feature_extraction.part_of_speech import PartsOfSpeech
from crfdeid.text import bio, tokenizer
from crfdeid.text.document import Document, Span, Token
from crfdeid.text.tokenized import TokenizedDocument

Tag = Callable[[Sequence[Document]], Iterator[Document]]
SEED = 1


def train_spacy(documents: Sequence[Document], folder: Path, args: argparse.Namespace) -> Tag:
    """Train a blank English pipeline with an ``ner``, in batches that grow from 4 to 16 notes."""
    import spacy
    from spacy.training import Example
    from spacy.util import compounding, fix_random_seed, minibatch

    fix_random_seed(SEED)
    pipeline = spacy.blank("en")
    recogniser = pipeline.add_pipe("ner")
    examples = []
    for document in documents:
        gold = pipeline.make_doc(document.text)
        found = (gold.char_span(s.start, s.end, s.type, alignment_mode="expand") for s in document.spans)
        gold.ents = spacy.util.filter_spans([span for span in found if span is not None])
        for span in gold.ents:
            recogniser.add_label(span.label_)
        examples.append(Example(pipeline.make_doc(document.text), gold))
    optimizer = pipeline.initialize(lambda: examples)
    order = random.Random(SEED)
    for _ in range(args.epochs):
        order.shuffle(examples)
        for batch in minibatch(examples, compounding(4.0, 16.0, 1.01)):
            pipeline.update(batch, sgd=optimizer, drop=0.2)
    pipeline.to_disk(folder)

    def tag(notes: Sequence[Document]) -> Iterator[Document]:
        for note, found in zip(notes, pipeline.pipe(note.text for note in notes)):
            yield note.with_spans(Span(e.start_char, e.end_char, e.label_) for e in found.ents)

    return tag


def train_sklearn_crfsuite(documents: Sequence[Document], folder: Path, args: argparse.Namespace) -> Tag:
    """Train the tutorial's CRF: sentences, c1 = c2 = 0.1, all possible transitions."""
    from sklearn_crfsuite import CRF

    crf = CRF(
        algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=args.iterations, all_possible_transitions=True
    )
    tags = PartsOfSpeech(part_of_speech.load_tagger("gruut"))
    features, labels = [], []
    for document in documents:
        tokenized, sequences = tokenize_note(document)
        names = bio.encode(tokenized.tokens, document.spans)
        tags_of_words = tags(tokenized)
        for part in sequences:
            features.append(build_features(tokenized.tokens, tags_of_words, part))
            labels.append(names[part.start : part.stop])
    crf.fit(features, labels)
    folder.mkdir()
    (folder / "model.pickle").write_bytes(pickle.dumps(crf))  # only its size is measured; it is never read

    def tag(notes: Sequence[Document]) -> Iterator[Document]:
        for note in notes:
            tokenized, sequences = tokenize_note(note)
            tags_of_words = tags(tokenized)
            names = [bio.OUTSIDE] * len(tokenized.tokens)
            for part in sequences:
                names[part.start : part.stop] = crf.predict_single(
                    build_features(tokenized.tokens, tags_of_words, part)
                )
            yield note.with_spans(bio.decode(tokenized.tokens, names))

    return tag


def tokenize_note(document: Document) -> tuple[TokenizedDocument, list[range]]:
    tokens = tokenizer.fine(document.text)
    return TokenizedDocument(document.text, tokens), tokenizer.split_sequences(
        document.text, tokens, "sentence"
    )


def build_features(
    tokens: Sequence[Token], tags: Sequence[str | None], part: range
) -> list[dict[str, str | bool | float]]:
    """Return the tutorial's features: lower case, two endings, capitals, digits and part of speech of the
    word; the same without endings and digits of its neighbours."""
    rows = []
    for index in part:
        word, tag = tokens[index].text, tags[index] or ""
        row: dict[str, str | bool | float] = {
            "bias": 1.0, "lower": word.lower(), "end3": word[-3:], "end2": word[-2:],
            "upper": word.isupper(), "title": word.istitle(), "digit": word.isdigit(),
            "tag": tag, "tag2": tag[:2],
        }  # fmt: skip
        for offset, edge in ((-1, "first"), (1, "last")):
            if index + offset not in part:
                row[edge] = True
                continue
            other, tag = tokens[index + offset].text, tags[index + offset] or ""
            row |= {
                f"{offset}:lower": other.lower(), f"{offset}:title": other.istitle(),
                f"{offset}:upper": other.isupper(), f"{offset}:tag": tag, f"{offset}:tag2": tag[:2],
            }  # fmt: skip
        rows.append(row)
    return rows
