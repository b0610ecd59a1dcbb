"""Recall and precision by threshold: by hand, by each system, and through the command line."""

import dataclasses
import subprocess
import sys

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


def test_a_stack_has_thresholds(notes, tmp_path):
    bases = {"a": {"system": "hmm"}, "b": {"system": "svm", "features": list(SMALL.features)}}
    stack = Config(system="multi", options={"folds": 2, "bases": bases})
    found = curves.measure_margins(model.train(notes[:20], stack, tmp_path / "m"), notes[20:])
    assert found.at(0).recall == 1.0 and found.area == 1.0


def test_refused(notes, tmp_path, small_model):
    with pytest.raises(ConfigurationError, match="the system crf does not score tokens independently"):
        curves.measure_margins(small_model, notes)
    tagger = model.train(notes[:5], SVM, tmp_path / "m")
    for documents in ([], [notes[0].with_spans(())]):
        with pytest.raises(DocumentError, match="there is no curve"):
            curves.measure_margins(tagger, documents)


def test_the_command_line(notes, tmp_path, capsys):
    corpora.write(notes[20:], tmp_path / "test", "i2b2")
    model.train(notes[:5], SVM, tmp_path / "m")
    thresholds.main([str(tmp_path / "test"), "--model", str(tmp_path / "m"), "--bias", "0.5", "-1"])
    lines = capsys.readouterr().out.splitlines()
    assert "the model's recall_bias is 0" in lines[0] and lines[2].split()[1:3] == ["recall", "precision"]
    assert [line.split()[0] for line in lines[3:6]] == ["-1", "0", "0.5"] and "ROC" in lines[-1]
    command = [sys.executable, "-m", "crfdeid.thresholds", str(tmp_path / "test"), "--model", "rules"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 2 and "the system rules does not score tokens independently" in run.stderr
