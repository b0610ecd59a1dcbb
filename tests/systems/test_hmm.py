"""The bigram models by hand, Viterbi against all paths, and the system through the command line."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfdeid import corpora
from crfdeid.config import Config
from crfdeid.errors import ModelError
from crfdeid.systems import model, model_folder
from crfdeid.systems.works import hmm, hmm_counts
from crfdeid.systems.works.hmm import Bigrams
from crfdeid.systems.works.hmm_counts import END, FEATURES, Region
from crfdeid.tag import __main__ as tag
from crfdeid.text.document import Document, Span
from crfdeid.train import main as train_main

HMM = Config(system="hmm", sequence="line")
F = len(FEATURES)
LOWER, CAPITAL = FEATURES.index("lowerCase"), FEATURES.index("initCap")
DR, RUIZ, SAW = 2 * F + LOWER, 3 * F + CAPITAL, 4 * F + LOWER
NOTHING, DOCTOR = 0, 1


@pytest.mark.parametrize(
    "word, first, name",
    [
        ("90", False, "twoDigitNum"), ("1990", False, "fourDigitNum"),
        ("A8956-67", False, "containsDigitAndAlpha"),
        ("09-96", False, "containsDigitAndDash"), ("11/9/89", False, "containsDigitAndSlash"),
        ("23,000.00", False, "containsDigitAndComma"), ("1.00", False, "containsDigitAndPeriod"),
        ("456789", False, "otherNum"), ("BBN", True, "allCaps"), ("M.", True, "capPeriod"),
        ("The", True, "firstWord"), ("Sally", False, "initCap"), ("can", False, "lowerCase"),
        (",", False, "other"),
        ("\n", True, "other"), ("É", False, "allCaps"),
    ],
)  # fmt: skip
def test_word_features(word, first, name):
    """The examples of Bikel et al.'s table 3.1, in the table's order, and ours."""
    assert FEATURES[hmm_counts.find_feature(word, first)] == name


@given(st.text(min_size=1), st.booleans())
def test_every_word_has_a_feature(word, first):
    assert 0 <= hmm_counts.find_feature(word, first) < F


@pytest.fixture(scope="module")
def small():
    """ "dr Ruiz saw" and "dr saw Ruiz", Ruiz a DOCTOR; 5 words with the two reserved ones."""
    sequences = [
        [Region([DR], NOTHING), Region([RUIZ], DOCTOR), Region([SAW], NOTHING)],
        [Region([DR, SAW], NOTHING), Region([RUIZ], DOCTOR)],
    ]
    return Bigrams(hmm_counts.count_regions(sequences, 2), 2, 5)


def test_turns_by_hand(small):
    """Pr(DOCTOR | nothing, dr): once of 1 after "dr", 2 of 3 after nothing, 2 of 7 in all."""
    floor = 1 / 3
    of_all = 7 / (7 + 3) * 2 / 7 + 3 / 10 * floor
    # After nothing: 3 turns to 2 classes; it backs the level above, which counted 1; and so on.
    weight_all = (1 - 3 / 7) / (1 + 3 / 7)
    of_all = weight_all * 2 / 7 + (1 - weight_all) * floor
    weight_pair = (1 - 1 / 3) / (1 + 2 / 3)
    of_pair = weight_pair * 2 / 3 + (1 - weight_pair) * of_all
    weight = 1 / (1 + 1 / 1)
    expected = weight * 1 / 1 + (1 - weight) * of_pair
    assert math.exp(small.turns(DR // F)[NOTHING, DOCTOR]) == pytest.approx(expected)


def test_next_words_by_hand(small):
    """Pr(<saw, lower> | <dr, lower>, nothing): after "dr" come "saw" and the end, once each."""
    # Of class nothing: dr 2, saw 2, end 3: 7 symbols, 3 distinct; 3 distinct words; features: 4 lower.
    word = 7 / 10 * 2 / 7 + 3 / 10 * 1 / 5
    shape = 7 / 9 * 4 / 7 + 2 / 9 * 1 / F
    weight_class = (1 - 2 / 7) / (1 + 3 / 7)
    of_class = weight_class * 2 / 7 + (1 - weight_class) * word * shape
    weight = 1 / (1 + 2 / 2)
    expected = weight * 1 / 2 + (1 - weight) * of_class
    assert math.exp(small.after(DR, SAW)[NOTHING]) == pytest.approx(expected)


def test_first_words_by_hand(small):
    """Pr(<Ruiz, capital> | DOCTOR, nothing): always."""
    word = 4 / 6 * 2 / 4 + 2 / 6 * 1 / 5
    shape = 4 / 6 * 2 / 4 + 2 / 6 * 1 / F
    weight_class = (1 - 2 / 4) / (1 + 2 / 4)
    of_class = weight_class * 2 / 4 + (1 - weight_class) * word * shape
    # The level "after a begin" backs one that counted the same 2 words, so it weighs nothing.
    expected = 2 / 3 * 2 / 2 + 1 / 3 * of_class
    assert math.exp(small.first(RUIZ)[NOTHING, DOCTOR]) == pytest.approx(expected)


def test_probabilities_sum_to_one(small):
    """Over classes; and over all symbols, of which each word could have any feature."""
    np.testing.assert_allclose(np.exp(small.turns(DR // F)).sum(axis=1), 1)
    symbols = range(5 * F)
    np.testing.assert_allclose(sum(np.exp(small.after(DR, s)) for s in symbols), 1)
    np.testing.assert_allclose(sum(np.exp(small.first(s)) for s in symbols), 1)


@pytest.fixture(scope="module")
def tagger(notes, tmp_path_factory):
    return model.train(notes[:30], HMM, tmp_path_factory.mktemp("hmm") / "model")


def likelihood(tagger, symbols, path) -> float:
    """The logarithm of the probability of words and one path of (class, begins), term by term."""
    size = len(tagger.types)
    total = tagger.find_table(END, END).turns(0)[size, path[0][0]]
    total += tagger.find_table(END, symbols[0]).first(symbols[0])[size, path[0][0]]
    for i in range(1, len(symbols)):
        before, symbol, (was, _), (kind, begins) = symbols[i - 1], symbols[i], path[i - 1], path[i]
        if not begins:
            total += tagger.find_table(before, symbol).after(before, symbol)[kind]
            continue
        total += tagger.find_table(before, before).after(before, END)[was]
        total += tagger.find_table(before, before).turns(before // F)[was, kind]
        total += tagger.find_table(before, symbol).first(symbol)[was, kind]
    total += tagger.find_table(symbols[-1], symbols[-1]).after(symbols[-1], END)[path[-1][0]]
    return total + tagger.find_table(symbols[-1], symbols[-1]).turns(symbols[-1] // F)[path[-1][0], size]


def list_paths(tagger, length) -> list[tuple[tuple[int, bool], ...]]:
    steps = list(itertools.product(range(len(tagger.types)), (True, False)))
    return [
        path
        for path in itertools.product(steps, repeat=length)
        if path[0][1]
        and all(b[1] or a[0] == b[0] for a, b in zip(path, path[1:]))
        and not any(b == (0, True) and a[0] == 0 for a, b in zip(path, path[1:]))
    ]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(["Dr", "Ruiz", "3", "2061", "Qwx", ".", "A"]), min_size=1, max_size=4))
def test_viterbi_finds_the_best_of_all_paths(tagger, words):
    symbols = [hmm_counts.find_symbol(tagger.vocabulary, word, i == 0) for i, word in enumerate(words)]
    best = max(likelihood(tagger, symbols, path) for path in list_paths(tagger, len(words)))
    found = tuple(zip(*tagger.find_best_path(symbols)))
    assert likelihood(tagger, symbols, found) == pytest.approx(best)


def test_finds_what_it_learned_and_names_it_never_saw(tagger, notes):
    assert [tagger.tag(note).spans for note in notes[30:]] == [note.spans for note in notes[30:]]
    text = "Seen by Dr. Quexington on 3/5/2061."
    found = tagger.tag(Document("n", text))
    assert found.text_of(found.spans[0]) == "Quexington"
    assert tagger.tag(Document("empty", "")).spans == ()


def test_neighbouring_spans_stay_apart(tmp_path):
    """A class can follow itself: two surnames in a row are two spans where they were in training."""
    note = Document("1", "by Ana Bo .", (Span(3, 6, "DOCTOR"), Span(7, 9, "DOCTOR")))
    tagger = model.train([note] * 4, HMM, tmp_path / "m")
    (found,) = tagger.tag_unrepaired([Document("x", note.text)])  # repair joins the parts of a name
    assert found.spans == note.spans


def test_a_bias_finds_more(notes, tmp_path):
    found = []
    for bias in (0.0, 12.0):
        tagger = model.train(notes[:3], dataclasses.replace(HMM, recall_bias=bias), tmp_path / str(bias))
        found.append(sum(s.end - s.start for note in notes for s in tagger.tag(note).spans))
    assert found[0] < found[1]


def test_same_bytes(notes, tmp_path):
    for name in "ab":
        model.train(notes[:12], HMM, tmp_path / name)
    for file in (hmm.NAMES, hmm.COUNTS):
        assert model_folder.hash_file(tmp_path / "a" / file) == model_folder.hash_file(tmp_path / "b" / file)


@pytest.mark.parametrize(
    "file, content", [(hmm.NAMES, b'{"types": []}'), (hmm.COUNTS, b"x"), (hmm.COUNTS, b"")]
)
def test_refuses_a_damaged_model(notes, tmp_path, file, content):
    model.train(notes[:6], HMM, tmp_path / "m")
    (tmp_path / "m" / file).write_bytes(content)
    model_folder.write_manifest(tmp_path / "m")
    with pytest.raises(ModelError, match="damaged"):
        model.load(tmp_path / "m")


def test_the_command_line(notes, tmp_path, capsys):
    corpora.write(notes[:30], tmp_path / "train", "i2b2")
    corpora.write(notes[30:], tmp_path / "test", "i2b2")
    out = str(tmp_path / "model")
    train_main([str(tmp_path / "train"), "--test", str(tmp_path / "test"), "--config", "hmm", "--out", out])
    assert "Scored on" in capsys.readouterr().out
    tag.main([str(tmp_path / "test"), "--model", out, "--out", str(tmp_path / "found"), "--format", "i2b2"])
    found = {d.id: d.spans for d in corpora.read(tmp_path / "found")}
    assert found == {note.id: note.spans for note in notes[30:]}
