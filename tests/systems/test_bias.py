"""Another bias for a model that was trained: the same as to train it with that bias."""

import dataclasses
import json

import numpy as np
import pytest
from small_notes import SMALL

from crfdeid import corpora
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError
from crfdeid.systems import model
from crfdeid.systems.bias import Bias, parse_bias
from crfdeid.tag import __main__ as tag
from crfdeid.text.document import Document

FAINT = Document("1", "seen by Quimby on 3/9; Okafor 41 year old, no 120/80")
BIASED = dataclasses.replace(SMALL, recall_bias=3.0, type_bias={"AGE": 1.0})


@pytest.fixture(scope="module")
def pair(notes, tmp_path_factory):
    """A model without bias, and one of the same notes that was trained with one."""
    folder = tmp_path_factory.mktemp("biases")
    for name, settings in (("plain", SMALL), ("biased", BIASED)):
        model.train(notes[:12], settings, folder / name)
    return folder


@pytest.mark.parametrize(
    ("start", "bias", "same_as"),
    [
        ("plain", Bias(3.0, {"AGE": 1.0}), "biased"),
        ("biased", Bias(0.0, {"AGE": 0.0}), "plain"),
        ("biased", Bias(3.0), "biased"),
    ],
)
def test_a_bias_is_that_of_training(pair, notes, start, bias, same_as):
    found, wanted = model.load(pair / start, bias=bias), model.load(pair / same_as)
    for document in (FAINT, *notes[30:]):
        spans, others = (t.tag(document, probabilities=True).spans for t in (found, wanted))
        assert spans == others
        np.testing.assert_allclose([s.probability for s in spans], [s.probability for s in others], atol=1e-9)


def test_more_bias_finds_more(pair):
    counts = [len(model.load(pair / "plain", bias=Bias(b)).tag(FAINT).spans) for b in (-30.0, 0.0, 30.0)]
    assert counts[0] == 0 and counts[0] < counts[2] and counts == sorted(counts)
    types = {
        span.type for span in model.load(pair / "plain", bias=Bias(None, {"AGE": 40.0})).tag(FAINT).spans
    }
    assert types == {"AGE"}


@pytest.mark.parametrize("system", ["svm", "snow", "hmm", "two_stage"])
def test_every_system_that_has_a_bias_takes_another(notes, tmp_path, system):
    features = () if system == "hmm" else SMALL.features
    crf = {"max_iterations": 5} if system == "two_stage" else {}
    model.train(notes[:8], Config(system=system, features=features, crf=crf), tmp_path / "m")
    taggers = (model.load(tmp_path / "m", bias=Bias(amount)) for amount in (-1e4, 1e4))
    none, some = (next(tagger.tag_unrepaired([notes[20]])).spans for tagger in taggers)
    assert some and not none


def test_a_union_gives_the_bias_to_those_that_learn(pair):
    name = f"{pair / 'plain'}+rules"
    assert model.load(name, bias=Bias(-1e4)).tag(FAINT).spans == model.load("rules").tag(FAINT).spans


@pytest.mark.parametrize(
    ("name", "engine", "bias", "message"),
    [
        ("rules", "fast", Bias(1.0), "the system rules learns nothing"),
        ("rules+heuristic", "fast", Bias(1.0), "the system rules learns nothing"),
        ("plain", "crfsuite", Bias(1.0), "the engine crfsuite reads the model as it is"),
        (
            "plain",
            "fast",
            Bias(None, {"AEG": 1.0}),
            "type_bias.AEG: no type of scheme i2b2-2014; did you mean AGE",
        ),
    ],
)
def test_a_bias_that_cannot_be_is_refused(pair, name, engine, bias, message):
    folder = pair / name if name == "plain" else name
    with pytest.raises(ConfigurationError, match=message):
        model.load(folder, engine, bias)


@pytest.mark.parametrize("values", [["high"], ["AGE="], ["nan"], ["AGE=inf"]])
def test_what_is_not_a_number_is_refused(values):
    with pytest.raises(ConfigurationError, match="wanted a number or TYPE=NUMBER"):
        parse_bias(values)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_command_line(pair, notes, tmp_path, jobs):
    corpora.write([FAINT, *notes[30:]], tmp_path / "notes.jsonl", "jsonl")
    arguments = [str(tmp_path / "notes.jsonl"), "--model", str(pair / "plain"), "--jobs", jobs]
    out = tmp_path / "found.jsonl"
    tag.main([*arguments, "--recall-bias", "3", "--recall-bias", "AGE=1", "--out", str(out)])
    (first, *_) = map(json.loads, out.read_text().splitlines())
    wanted = model.load(pair / "biased").tag(FAINT).spans
    assert [(s["start"], s["end"], s["type"]) for s in first["spans"]] == [
        (s.start, s.end, s.type) for s in wanted
    ]
