"""Recall and precision by threshold: by hand, by each system, and through the command line."""

import dataclasses
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_notes import SMALL

from crfdeid import corpora
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError, DocumentError
from crfdeid.explain import thresholds
from crfdeid.explain import thresholds as curves
from crfdeid.explain.thresholds import Margins
from crfdeid.systems import model
from crfdeid.systems.bias import Bias

SVM = Config(system="svm", features=SMALL.features, options={"cost": 0.001})


def test_points_by_hand():
    """Four tokens of PHI at margins 2, 1, -1, -3 and two others at 0.5, -2."""
    found = Margins(np.array([2, 1, -1, -3, 0.5, -2]), np.array([1, 1, 1, 1, 0, 0], bool))
    assert found.at(0) == (0, 0.5, 2 / 3, 0.5)
    assert found.at(1.5) == (1.5, 0.75, 0.75, 0.5)
    assert found.at(5) == (5, 1.0, 4 / 6, 1.0)
    assert found.at(-5) == (-5, 0.0, 0.0, 0.0)
    assert found.area == 5 / 8  # pairs in the right order, of 8


@given(st.lists(st.tuples(st.floats(-9, 9), st.booleans()), min_size=2), st.floats(-9, 9), st.floats(0, 9))
def test_a_higher_bias_never_finds_less(pairs, bias, more):
    margin, phi = np.array([m for m, _ in pairs]), np.array([p for _, p in pairs])
    if 0 < phi.sum() < len(phi):
        less, found = Margins(margin, phi).at(bias), Margins(margin, phi).at(bias + more)
        assert less.recall <= found.recall and less.alarms <= found.alarms


def test_the_bias_is_the_setting(notes, tmp_path):
    """A point is what a model with that recall_bias tags before repair, and says the same of every model."""
    plain = model.train(notes[:5], SVM, tmp_path / "plain")
    biased = model.train(notes[:5], dataclasses.replace(SVM, recall_bias=0.7), tmp_path / "biased")
    one, other = (curves.measure_margins(tagger, notes[20:]) for tagger in (plain, biased))
    np.testing.assert_allclose(one.margin, other.margin, atol=1e-5)
    found = [len(tagger.pipeline.tokenize(d.text_of(s))) for tagger in (plain, biased)
             for d in tagger.tag_unrepaired(notes[20:]) for s in d.spans]  # fmt: skip
    tagged = sum(int((m.margin + bias > 0).sum()) for m, bias in ((one, 0.0), (one, 0.7)))
    assert sum(found) == tagged and one.at(0.0).recall < one.at(0.7).recall


def count_tagged(tagger, documents, **options):
    """Return the tokens that the tagger tags before repair, without line ends."""
    tagged = tagger.tag_unrepaired([document.with_spans(()) for document in documents], **options)
    return sum(int(thresholds.find_phi(tagger, document)[1].sum()) for document in tagged)


def test_a_hidden_markov_model_is_tagged_at_each_bias(notes, tmp_path):
    tagger = model.train(notes[:6], Config(system="hmm"), tmp_path / "m")
    found = thresholds.measure_margins(tagger, notes[20:30])
    assert found.measured and len(set(found.margin.tolist())) > 2
    for bias in (-2.0, 0.0, 3.0):
        biased = model.load(tmp_path / "m", bias=Bias(bias))
        assert int(found.measured[bias].sum()) == count_tagged(biased, notes[20:30])
        assert not (found.margin >= -bias)[~found.measured[bias]].any()


@pytest.mark.slow
def test_models_joined_use_what_their_parts_can(faint, notes, tmp_path):
    """With a CRF its threshold; with a hidden Markov model only, its bias; the rules add what they find."""
    model.train(notes[:6], Config(system="hmm"), tmp_path / "hmm")
    for name, setting in (
        (f"{faint / 'crf'}+rules", "threshold"),
        (f"{tmp_path / 'hmm'}+rules", "recall_bias"),
    ):
        tagger = model.load(name)
        found = thresholds.measure_margins(tagger, notes[20:24])
        assert thresholds.find_setting(tagger) == setting
        for value in (0.9, 0.1) if setting == "threshold" else (0.0, 2.0):
            threshold = value if setting == "threshold" else None
            biased = tagger if threshold else model.load(name, bias=Bias(value))
            bias = thresholds.threshold_to_bias(value) if threshold else value
            assert int(found.measured[bias].sum()) == count_tagged(biased, notes[20:24], threshold=threshold)


def test_a_network_has_thresholds(notes, tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    options = {"epochs": 1, "hidden": 8, "dimensions": 8, "embedding": "random"}
    tagger = model.train(notes[:4], Config(system="rnn", options=options, recall_bias=0.3), tmp_path / "m")
    found = thresholds.measure_margins(tagger, notes[20:24])
    for bias in (0.0, 0.3, 1.5, 4.0):
        biased = model.load(tmp_path / "m", bias=Bias(bias))
        assert int((found.margin + bias > 0).sum()) == count_tagged(biased, notes[20:24])


def test_a_recall_that_no_value_reaches_is_refused():
    margins = Margins(np.array([1.0, thresholds.NEVER, 0.0]), np.array([1, 1, 0], bool))
    assert margins.choose(0.5, "recall_bias") == pytest.approx(-1.0, abs=0.0011)
    with pytest.raises(ConfigurationError, match="no value finds so much; the most is 0.5000"):
        margins.choose(0.9, "recall_bias")


def test_a_stack_has_thresholds(notes, tmp_path):
    bases = {"a": {"system": "hmm"}, "b": {"system": "svm", "features": list(SMALL.features)}}
    stack = Config(system="multi", options={"folds": 2, "bases": bases})
    found = curves.measure_margins(model.train(notes[:20], stack, tmp_path / "m"), notes[20:])
    assert found.at(0).recall == 1.0 and found.area == 1.0


def test_refused(notes, tmp_path):
    with pytest.raises(ConfigurationError, match="the system rules does not score tokens"):
        curves.measure_margins(model.load("rules"), notes)
    tagger = model.train(notes[:5], SVM, tmp_path / "m")
    for documents in ([], [notes[0].with_spans(())]):
        with pytest.raises(DocumentError, match="there is no curve"):
            curves.measure_margins(tagger, documents)


@pytest.mark.slow
def test_the_command_line(notes, tmp_path, end, capsys):
    corpora.write(notes[20:], tmp_path / "test", "i2b2")
    model.train(notes[:5], SVM, tmp_path / "m")
    thresholds.main([str(tmp_path / "test"), "--model", str(tmp_path / "m"), "--bias", "0.5", "-1"])
    lines = capsys.readouterr().out.splitlines()
    assert "the model's recall_bias is 0" in lines[1] and lines[3].split()[1:3] == ["recall", "precision"]
    assert [line.split()[0] for line in lines[4:7]] == ["-1", "0", "0.5"] and "ROC" in lines[-1]
    assert end(thresholds.main, tmp_path / "test", "--model", "rules") == 2
    assert "the system rules does not score tokens" in capsys.readouterr().err


@pytest.fixture(scope="module")
def faint(notes, tmp_path_factory):
    """A CRF that learned little, and a stack of two."""
    folder = tmp_path_factory.mktemp("faint")
    few = dataclasses.replace(SMALL, features=("lexical",), crf={"c2": 1.0, "max_iterations": 8})
    model.train(notes[:3], few, folder / "crf")
    model.train(notes[:6], dataclasses.replace(few, system="two_stage", options={"folds": 2}), folder / "two")
    return folder


@pytest.mark.parametrize("name", ["crf", "two"])
@pytest.mark.parametrize("threshold", [0.5, 0.05, 0.001])
def test_a_threshold_of_a_crf_is_that_of_tagging(faint, notes, name, threshold):
    tagger = model.load(faint / name)
    margins = thresholds.measure_margins(tagger, notes[20:23])
    found = int((margins.margin >= -thresholds.threshold_to_bias(threshold)).sum())
    tagged = 0
    for note in notes[20:23]:
        (document,) = tagger.tag_unrepaired([note.with_spans(())], threshold=threshold)
        phi = np.zeros(len(note.text), bool)
        for span in document.spans:
            phi[span.start : span.end] = True
        tokens = tagger.pipeline.tokenize(note.text)
        tagged += sum(phi[token.start] for token in tokens if token.text.isalnum())
    marks = sum(not t.text.isalnum() for note in notes[20:23] for t in tagger.pipeline.tokenize(note.text))
    assert tagged <= found <= tagged + marks  # a threshold alone does not tag punctuation


@given(
    pairs=st.lists(st.tuples(st.floats(-30, 30), st.booleans()), min_size=2),
    wanted=st.floats(0.01, 1),
    setting=st.sampled_from(["threshold", "recall_bias"]),
)
def test_the_chosen_value_has_the_wanted_recall(pairs, wanted, setting):
    margin, phi = np.array([m for m, _ in pairs]), np.array([p for _, p in pairs])
    if 0 < phi.sum() < len(phi):
        margins = Margins(margin, phi)
        value = margins.choose(wanted, setting)
        assert thresholds.measure_point(margins, setting, value).recall >= wanted - 1e-9


def test_curves_are_written(faint, notes, tmp_path, capsys):
    corpora.write(notes[20:], tmp_path / "test", "i2b2")
    arguments = [str(tmp_path / "test"), "--model", str(faint / "crf"), "--recall", "0.95", "--out"]
    thresholds.main([*arguments, str(tmp_path / "curves")])
    printed = capsys.readouterr().out
    assert "recall 0.95: threshold 0." in printed and "tag --threshold 0." in printed
    page = (tmp_path / "curves" / "curves.html").read_text()
    assert page.count("<figure") == 3 and "(ROC), area" in page and "Okafor" not in page
    assert "as tagged" in printed and "as tagged" in page
    for name in ("roc", "precision_recall"):
        picture = ElementTree.fromstring((tmp_path / "curves" / f"{name}.svg").read_text())
        assert picture.tag.endswith("svg")
        line = picture.find(".//{http://www.w3.org/2000/svg}polyline")
        assert line is not None and len(line.attrib["points"].split()) > 3
    assert "mean probability" in (tmp_path / "curves" / "calibration.svg").read_text()


@pytest.mark.parametrize(
    ("more", "message"),
    [(["--recall", "1.5"], "wanted a share"), (["--at", "2"], "wanted a threshold above 0")],
)
def test_values_that_cannot_be_are_refused(faint, tmp_path, more, message):
    with pytest.raises(ConfigurationError, match=message):
        thresholds.main([str(tmp_path), "--model", str(faint / "crf"), *more])
