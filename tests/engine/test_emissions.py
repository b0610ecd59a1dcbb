"""The scores of a token are the sums of the weights of its features, whatever templates they come from."""

import dataclasses

import numpy as np
import pytest
from small_notes import SMALL, note

pytest.importorskip("numba")

from crfdeid.engine.crfsuite_file import STATE, Weights, make_records
from crfdeid.engine.decoding import numba_kernels, tables
from crfdeid.engine.decoding.decoder import Decoder
from crfdeid.feature_extraction.templates import parse_templates
from crfdeid.systems.model_folder import build_pipeline
from crfdeid.text.document import Document

LABELS = ["O", "B-A", "I-A"]
OF_TEXT = "lower[-2..2] shape[0] prefix3[-1..1] ngrams[0]"
OF_CONTEXT = "word_before[0] word_after[1] line_position[-1..0] line_label[-1..1] words_left[-1..0]"
JOINED = (
    "lower[0]|shape[1] lower[-1]|word_before[0]|shape[0] line_position[0]|shape[0] line_position[1]|shape[1]"
)
OF_ONE_TEXT = "lower[0]|shape[0] lower[-1]|shape[-1] lower[1]|prefix3[1] lower[-1]|prefix3[-1]"
NOTES = [
    note(1),
    Document("e", ""),
    note(2),
    Document("b", "a|b |a| Dr.\n|\n\nName: Ana Ruiz Ana Ana\na b c"),
]


@pytest.mark.parametrize("kernels", [tables, numba_kernels])
@pytest.mark.parametrize("sequence", ["document", "line"])
@pytest.mark.parametrize("kept", [1, 2, 5])
@pytest.mark.parametrize(
    "templates",
    [OF_TEXT, OF_CONTEXT, JOINED, OF_ONE_TEXT, " ".join([OF_TEXT, OF_CONTEXT, JOINED, OF_ONE_TEXT])],
    ids=["text", "context", "joined", "one", "all"],
)
def test_scores_are_sums_of_the_weights_of_features(kernels, sequence, kept, templates):
    """Of the features one in ``kept`` has weights, for one to three labels. Notes come in two batches."""
    groups = [template for part in templates.split() for template in parse_templates(part)]
    pipeline = build_pipeline(dataclasses.replace(SMALL, sequence=sequence), groups, {})
    examples = list(pipeline.make_examples(NOTES))
    every = sorted({feature for features, _ in examples for own in features for feature in own})
    rng = np.random.default_rng(kept)
    chosen = ["bias", *rng.permutation([f for f in every if f != "bias"])[::kept].tolist()]
    rows = rng.normal(size=(len(chosen), len(LABELS))) * (rng.random((len(chosen), len(LABELS))) < 0.6)
    records = make_records(STATE, *map(np.ravel, np.indices(rows.shape)), rows.ravel())
    decoder = Decoder(Weights(LABELS, chosen, records, np.zeros((3, 3))), pipeline, kernels)
    row_of, found = dict(zip(chosen, rows)), []
    for some in (NOTES[:2], NOTES[2:]):
        batch = decoder.batch(some)
        inside = np.concatenate([np.arange(a, b) for a, b in zip(batch.first, batch.stop)])
        found += list(decoder.emissions(batch)[inside])
    wanted = [
        sum((row_of[feature] for feature in own if feature in row_of), np.zeros(3))
        for features, _ in examples
        for own in features
    ]
    assert np.allclose(found, wanted)
