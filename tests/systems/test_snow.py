"""Winnow by hand, and the system through the command line."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from small_notes import SMALL

from crfdeid import corpora
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError
from crfdeid.systems import model, model_folder, registry
from crfdeid.systems.works import linear, snow
from crfdeid.systems.works.linear import DesignMatrix, LinearClassifier
from crfdeid.systems.works.snow import Options
from crfdeid.tag import __main__ as tag
from crfdeid.text import bio
from crfdeid.text.document import Document
from crfdeid.train import main as train_main

SNOW = Config(system="snow", features=SMALL.features)
LINK = 2.0  # 3 * threshold 4 / 6 features


def presented(weights, active, label, options=Options()):  # noqa: B008
    found = np.array(weights, float)
    features = np.array(active)
    wrong = snow.update(found, features, np.ones(len(features)), label, LINK, options)
    return found.tolist(), bool(wrong)


@pytest.mark.parametrize(
    "before, active, label, after, wrong",
    [
        # New links of 2 to the example's own target; 2 + 2 reaches 4, so nothing is promoted.
        ([[0, 0], [0, 0], [0, 0]], [0, 1], 1, [[0, 2], [0, 2], [0, 0]], False),
        # One link of 2 alone stays below 4: promoted by 1.35.
        ([[0, 0], [0, 0], [0, 0]], [2], 0, [[0, 0], [0, 0], [2.7, 0]], True),
        # Target 0 reaches 4 at an example of target 1: demoted by 0.8; its other links stay.
        ([[3, 3], [2, 3], [5, 0]], [0, 1], 1, [[2.4, 3], [1.6, 3], [5, 0]], True),
        # Both at once: target 0 wrongly active, target 1 too low.
        ([[5, 1], [0, 1], [5, 0]], [0, 1], 1, [[4, 1.35], [0, 1.35], [5, 0]], True),
        # A target without links at another's example gets none.
        ([[1, 0], [1, 0], [0, 0]], [0, 1], 0, [[1.35, 0], [1.35, 0], [0, 0]], True),
    ],
)
def test_one_update_by_hand(before, active, label, after, wrong):
    found, was_wrong = presented(before, active, label)
    np.testing.assert_allclose(found, after)
    assert was_wrong is wrong


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.5, 2.0, 9.0]), min_size=3, max_size=3), min_size=4, max_size=4),
    st.sets(st.integers(0, 3), min_size=1),
    st.integers(0, 2),
)
def test_an_update_touches_only_what_is_active_and_wrong(before, active, label):
    active = sorted(active)
    after = np.array(presented(before, active, label)[0])
    before = np.array(before)
    quiet = [row for row in range(4) if row not in active]
    assert (after[quiet] == before[quiet]).all() and (after >= 0).all()
    others = [target for target in range(3) if target != label]
    assert (after[:, others] <= before[:, others]).all()  # demoted or left
    assert (after[active, label] >= np.where(before[active, label] == 0, LINK, before[active, label])).all()


def test_two_rounds_by_hand():
    """Tokens {0, 1} of class 0 and {0, 2} of class 1; two features a token, so a link weighs 3 * 4 / 2."""
    matrix = csr_matrix(np.array([[1, 1, 0], [1, 0, 1.0]]))
    heard = []
    found = snow.fit(
        DesignMatrix(matrix, np.array([0, 1]), ["a", "b", "c"], ["O", "I-AGE"]),
        Options(rounds=2),
        lambda *told: heard.append(told),
    )
    # First token: links of 6, 12 >= 4. Second: links of 6 for class 1, class 0 has 6 >= 4: demoted.
    # Second round: class 1 has 6 at the first token and class 0 has 4.8 at the second: both demoted.
    expected = [[6 * 0.8 * 0.8, 6 * 0.8], [6, 0], [0, 6]]
    np.testing.assert_allclose(found.matrix.toarray(), expected)
    assert heard == [(1, 0.5), (2, 1.0)]


@pytest.mark.parametrize("features", [["bias", "x"], ["x", "y"]])
def test_a_bias_comes_off_every_o(features):
    """Also where the model has no weight for the feature that every token has."""
    weights = csr_matrix(np.array([[1.0, 2.0], [3.0, 4.0]]))
    before = LinearClassifier(["I-AGE", bio.OUTSIDE], features, weights)
    after = before.with_bias(1.5)
    row = after.matrix.toarray()[after.features.index("bias")]
    was = before.matrix.toarray()[0] if "bias" in features else np.zeros(2)
    np.testing.assert_allclose(row - was, [0.0, -1.5])


@pytest.fixture(scope="module")
def tagger(notes, tmp_path_factory):
    return model.train(notes[:30], SNOW, tmp_path_factory.mktemp("snow") / "model")


def test_finds_what_it_learned(tagger, notes):
    assert [tagger.tag(note).spans for note in notes[30:]] == [note.spans for note in notes[30:]]
    assert tagger.tag(Document("empty", "")).spans == ()
    assert (tagger.classifier.matrix.data > 0).all()  # Winnow's weights are positive


def test_same_bytes(notes, tmp_path):
    for name in "ab":
        model.train(notes[:12], SNOW, tmp_path / name)
    for file in (linear.NAMES, linear.WEIGHTS):
        assert model_folder.hash_file(tmp_path / "a" / file) == model_folder.hash_file(tmp_path / "b" / file)


@pytest.mark.parametrize("options", [{"promotion": 0.9}, {"demotion": 1.2}, {"rounds": 0}, {"rounds": "two"}])
def test_refused_options(options):
    with pytest.raises(ConfigurationError, match="options of the system snow"):
        registry.check(dataclasses.replace(SNOW, options=options))


def test_the_command_line(notes, tmp_path, capsys):
    corpora.write(notes[:30], tmp_path / "train", "i2b2")
    corpora.write(notes[30:], tmp_path / "test", "i2b2")
    out = str(tmp_path / "model")
    changes = ["--set", 'features=["lexical", "orthographic"]', "--set", 'pos=""']
    where = [str(tmp_path / "train"), "--test", str(tmp_path / "test")]
    train_main([*where, "--config", "snow", "--out", out, *changes])
    assert "1.0000" in capsys.readouterr().out
    tag.main([str(tmp_path / "test"), "--model", out, "--out", str(tmp_path / "found"), "--format", "i2b2"])
    found = {d.id: d.spans for d in corpora.read(tmp_path / "found")}
    assert found == {note.id: note.spans for note in notes[30:]}
