"""Training further from the weights of a model: the loss against a plain implementation, and what stays."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("numba")

from crfdeid.engine import crfsuite_file
from crfdeid.engine.crfsuite_file import STATE, TRANSITION, Weights, make_records
from crfdeid.engine.training.bundles import Bundles
from crfdeid.engine.training.numbering import AttributeNames
from crfdeid.engine.training.prior import Prior, train_further
from crfdeid.engine.training.training_set import TrainingSet

LABELS = ["O", "B-AGE", "I-AGE"]
GOLD = [0, 1, 2, 0, 0, 1, 0, 1]
WORDS = [0, 1, 2, 0, 3, 1, 3, 2]
BOUNDS = [0, 4, 5, 8]
NAMES = [f"word={name}" for name in ("the", "nine", "ten", "day")]


def make_set(labels=LABELS):
    bundles = Bundles(len(GOLD), 0.0)
    bundles.add(np.array(WORDS, np.int32))
    names = AttributeNames()
    names.add("word", [["the", "nine", "ten", "day"]], np.arange(4, dtype=np.int32)[:, None])
    gold = np.array([labels.index(LABELS[label]) for label in GOLD], np.int32)
    owners = np.zeros(len(BOUNDS) - 1, np.int64)
    return TrainingSet(list(labels), names, gold, np.array(BOUNDS), *bundles.columns(), owners)


def make_old(states, transitions, labels=LABELS):
    """Weights of an earlier model: by (attribute, label) and by (label, label)."""
    attributes = sorted({name for name, _ in states})
    table = np.zeros((len(labels), len(labels)))
    for (before, after), weight in transitions.items():
        table[labels.index(before), labels.index(after)] = weight
    rows = [(attributes.index(a), labels.index(b), w) for (a, b), w in states.items()]
    source, target, weight = map(np.array, zip(*rows)) if rows else ([], [], [])
    source, target = np.asarray(source, np.int64), np.asarray(target, np.int64)
    row, column = np.nonzero(table)
    records = [make_records(STATE, source, target, np.asarray(weight, float)),
               make_records(TRANSITION, row, column, table[row, column])]  # fmt: skip
    return Weights(list(labels), attributes, np.concatenate(records), table)


def list_weights(model):
    found = {}
    for kind, source, target, weight in model.records.tolist():
        names = (model.attributes, model.labels)[kind]
        found[kind, names[source], model.labels[target]] = weight
    return found


def compute_loss(model, old, c2):
    """The loss as it is written down: every labelling is scored."""
    new, before = list_weights(model), list_weights(old)
    held = sum((new.get(key, 0.0) - before.get(key, 0.0)) ** 2 for key in {*new, *before})
    total = c2 * held
    for first, last in itertools.pairwise(BOUNDS):
        words, size = [NAMES[word] for word in WORDS[first:last]], last - first

        def score(path, words=words):
            states = sum(new.get((STATE, word, label), 0.0) for word, label in zip(words, path))
            return states + sum(new.get((TRANSITION, *pair), 0.0) for pair in itertools.pairwise(path))

        every = [score(path) for path in itertools.product(LABELS, repeat=size)]
        total += np.logaddexp.reduce(every) - score([LABELS[label] for label in GOLD[first:last]])
    return total


WEIGHT = st.floats(-2, 2).filter(bool)
STATES = st.dictionaries(st.tuples(st.sampled_from([*NAMES, "word=far"]), st.sampled_from(LABELS)), WEIGHT)
TRANSITIONS = st.dictionaries(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), WEIGHT)


@given(STATES, TRANSITIONS, st.sampled_from([0.05, 0.5, 3.0]))
@settings(max_examples=25, deadline=None)
def test_the_losses_are_those_of_a_plain_implementation(states, transitions, c2):
    old, heard = make_old(states, transitions), []
    exact = Prior(c2, iterations=3, delta=0.0)
    found = train_further(make_set(), old, exact, lambda number, loss: heard.append(loss))
    if heard:
        assert compute_loss(found, old, c2) == pytest.approx(heard[-1], abs=1e-8)
    assert compute_loss(found, old, c2) <= compute_loss(old, old, c2) + 1e-9


@given(STATES, TRANSITIONS)
@settings(max_examples=10, deadline=None)
def test_no_weight_moves_where_the_loss_is_flat(states, transitions):
    """At the end, a step of any weight in either direction raises the loss."""
    old = make_old(states, transitions)
    found = train_further(make_set(), old, Prior(0.5, iterations=200, delta=0.0))
    best, rows = compute_loss(found, old, 0.5), found.records
    for number in range(len(rows)):
        for step in (-0.05, 0.05):
            moved = rows.copy()
            moved["weight"][number] += step
            assert (
                compute_loss(Weights(found.labels, found.attributes, moved, found.transitions), old, 0.5)
                > best
            )


def test_a_strong_prior_keeps_the_old_weights_and_what_the_notes_lack_stays():
    old = make_old({("word=nine", "B-AGE"): 1.5, ("word=far", "O"): 0.7, ("word=nine", "O"): -0.4},
                   {("O", "O"): 0.3})  # fmt: skip
    found = train_further(make_set(), old, Prior(1e6))
    before, after = list_weights(old), list_weights(found)
    assert all(after[key] == pytest.approx(weight, abs=1e-4) for key, weight in before.items())
    weak = list_weights(train_further(make_set(), old, Prior(0.01)))
    assert weak[STATE, "word=far", "O"] == 0.7
    assert weak[STATE, "word=nine", "B-AGE"] > 1.5 and weak[STATE, "word=nine", "O"] < -0.4


def test_new_labels_come_after_the_old_ones_and_the_file_can_be_read(tmp_path):
    old = make_old({("word=the", "O"): 1.0}, {}, ["O", "B-DATE"])
    found = train_further(make_set(), old, Prior(0.1))
    assert found.labels == ["O", "B-DATE", "B-AGE", "I-AGE"]
    crfsuite_file.write(tmp_path / "m", found.labels, found.attributes, found.records)
    again = crfsuite_file.read(tmp_path / "m")
    assert (again.labels, list_weights(again)) == (found.labels, list_weights(found))
    assert (again.transitions == found.transitions).all()


def test_a_feature_that_the_model_does_not_have_must_occur_often_enough():
    old = make_old({("word=day", "B-AGE"): 0.5}, {})
    found = {
        key for key in list_weights(train_further(make_set(), old, Prior(0.1, least=2))) if key[0] == STATE
    }
    assert found == {(STATE, "word=the", "O"), (STATE, "word=nine", "B-AGE"), (STATE, "word=day", "O"),
                     (STATE, "word=day", "B-AGE")}  # fmt: skip


def test_one_thread_and_two_give_the_same(tmp_path):
    old = make_old({("word=nine", "B-AGE"): 1.5}, {("O", "O"): 0.3})
    one, two = (list_weights(train_further(make_set(), old, Prior(0.1), threads=n)) for n in (1, 2))
    assert one.keys() == two.keys() and all(one[key] == pytest.approx(two[key], abs=1e-9) for key in one)
