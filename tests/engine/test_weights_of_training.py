"""Training from arrays written by hand: where it begins, when it stops, and the file that it writes."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

pytest.importorskip("numba")

from crfdeid.engine import crfsuite_file
from crfdeid.engine.training.bundles import Bundles
from crfdeid.engine.training.feature_counts import Pairs, count_pairs, tie_attributes
from crfdeid.engine.training.numbering import AttributeNames
from crfdeid.engine.training.objective import Corpus, Features, Objective, cut_evenly
from crfdeid.engine.training.score_layout import build_layout
from crfdeid.engine.training.train import train
from crfdeid.engine.training.training_set import TrainingSet
from crfdeid.engine.training.transition_layout import Transitions, place_labels
from crfdeid.errors import Stopped

LABELS = ["O", "B-AGE", "I-AGE"]
GOLD = [0, 1, 2, 0, 0, 1, 0, 1, 2, 0, 0, 0]
WORDS = [0, 1, 2, 0, 3, 1, 0, 2, 2, 1, 3, 0]  # 3 always comes with the attribute 4, and 4 with 3
BOUNDS = [0, 5, 6, 12]


def make_names(*names):
    found = AttributeNames()
    found.add("word", [list(names)], np.arange(len(names), dtype=np.int32)[:, None])
    return found


def make_set():
    """Twelve tokens in three sequences; each has one of four words, and the fourth word a mark too."""
    bundles = Bundles(len(GOLD), 0.0)
    words = np.array(WORDS, np.int32)
    bundles.add(words)
    bundles.add(np.where(words == 3, 4, -1).astype(np.int32))
    names = make_names("the", "nine", "ten", "day", "mark")
    owners = np.zeros(len(BOUNDS) - 1, np.int64)
    return TrainingSet(LABELS, names, np.array(GOLD), np.array(BOUNDS), *bundles.columns(), owners)


def fit(path, start=None, stop=0, **settings):
    """Train, with Ctrl-C after iteration ``stop``; return the losses."""
    heard = []

    def hear(number, loss):
        assert number == len(heard) + 1
        heard.append(loss)
        if number == stop:
            raise KeyboardInterrupt

    train(make_set(), {name.replace("feature_", "feature."): value for name, value in settings.items()}, path,
          hear, start=start)  # fmt: skip
    return heard


def list_features(path):
    """The weights of a file: of (attribute, label), and of (label, label)."""
    model = crfsuite_file.read(path)
    sources = model.attributes, model.labels
    states, transitions = {}, {}
    for kind, source, target, weight in model.records.tolist():
        (states, transitions)[kind][sources[kind][source], model.labels[target]] = weight
    return states, transitions


SEEN = {(f"word={word}", LABELS[label]) for word, label in [
    ("the", 0), ("nine", 0), ("nine", 1), ("ten", 1), ("ten", 2), ("day", 0), ("mark", 0),
]}  # fmt: skip
FOLLOW = {("O", "B-AGE"), ("B-AGE", "I-AGE"), ("I-AGE", "O"), ("O", "O")}
ATTRIBUTES = ["word=the", "word=nine", "word=ten", "word=day", "word=mark"]


def test_features_are_those_of_training(tmp_path):
    fit(tmp_path / "m")
    states, transitions = list_features(tmp_path / "m")
    assert states.keys() == SEEN and transitions.keys() == FOLLOW
    assert states["word=day", "O"] == states["word=mark", "O"] != 0  # tied


def test_all_states_or_transitions_are_features_where_they_are_wanted(tmp_path):
    fit(tmp_path / "s", feature_possible_states=True)
    states, transitions = list_features(tmp_path / "s")
    assert states.keys() == set(itertools.product(ATTRIBUTES, LABELS)) and transitions.keys() == FOLLOW
    fit(tmp_path / "t", feature_possible_transitions=True)
    states, transitions = list_features(tmp_path / "t")
    assert states.keys() == SEEN and transitions.keys() == set(itertools.product(LABELS, LABELS))


def test_training_uses_two_threads_unless_another_number_is_said(tmp_path, monkeypatch):
    """On how many they are depend the last digits of sums, so that it is the same on every machine."""
    numbers = []

    def count(threads):
        numbers.append(threads)
        return ThreadPoolExecutor(threads)

    monkeypatch.setattr("crfdeid.engine.training.train.ThreadPoolExecutor", count)
    train(make_set(), {"max_iterations": 1}, tmp_path / "two", print)
    train(make_set(), {"max_iterations": 1}, tmp_path / "three", print, threads=3)
    assert numbers == [2, 3]


def test_c2_is_1_unless_another_is_said(tmp_path):
    files = []
    for name, settings in (("none", {}), ("one", {"c2": 1.0}), ("two", {"c2": 2.0})):
        fit(tmp_path / name, **settings)
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1] != files[2]


@pytest.mark.parametrize("c1", [0.0, 0.05])
def test_ctrl_c_writes_the_weights_of_the_last_iteration(tmp_path, c1):
    wanted = fit(tmp_path / "three", c1=c1, max_iterations=3)
    with pytest.raises(Stopped):
        fit(tmp_path / "stopped", stop=3, c1=c1)
    assert len(wanted) == 3
    assert (tmp_path / "stopped").read_bytes() == (tmp_path / "three").read_bytes()


def interrupt(*arguments):
    raise KeyboardInterrupt


def test_ctrl_c_before_the_first_iteration_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(Objective, "__call__", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fit(tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_ctrl_c_before_the_first_iteration_keeps_the_weights_of_an_earlier_training(tmp_path, monkeypatch):
    fit(tmp_path / "m", max_iterations=4)
    monkeypatch.setattr(Objective, "__call__", interrupt)
    with pytest.raises(Stopped):
        fit(tmp_path / "again", start=crfsuite_file.read(tmp_path / "m"))
    assert list_features(tmp_path / "again") == list_features(tmp_path / "m")


def test_a_training_goes_on_where_an_earlier_one_ended(tmp_path):
    whole = fit(tmp_path / "whole", c2=0.01)
    fit(tmp_path / "part", c2=0.01, max_iterations=5)
    more = fit(tmp_path / "more", crfsuite_file.read(tmp_path / "part"), c2=0.01)
    assert more[0] < whole[4] < whole[0] and len(more) < len(whole)
    assert more[-1] == pytest.approx(whole[-1], rel=1e-3)


def make_features():
    """Two attributes, the first with the labels O and I-AGE, the second with B-AGE."""
    allowed = np.array([[1, 1, 0], [0, 0, 1], [1, 0, 0]], bool)
    none = np.zeros(0)
    pairs = Pairs(np.array([0, 2, 1]), np.array([0, 2, 3]), none, none, allowed, none)
    return Features(LABELS, make_names("the", "nine"), np.arange(2), np.ones(2, int), pairs)


def make_start(labels, attributes, states, transitions):
    rows = [(crfsuite_file.STATE, *row) for row in states] + [
        (crfsuite_file.TRANSITION, *row) for row in transitions
    ]
    records = np.array(rows, crfsuite_file.RECORD)
    return crfsuite_file.Weights(labels, attributes, records, np.zeros((len(labels), len(labels))))


def test_weights_of_an_earlier_training_are_matched_by_name():
    """The labels and attributes have other numbers there; what is not a feature any more is left out."""
    start = make_start(
        ["B-AGE", "X", "O", "I-AGE"],
        ["word=old", "word=nine", "word=the"],
        [(2, 2, 1.0), (2, 3, 2.0), (2, 0, 99), (1, 0, 3.0), (1, 2, 99), (1, 3, 99), (1, 1, 99), (0, 2, 99)],
        [(2, 2, 4.0), (2, 0, 5.0), (0, 3, 6.0), (3, 2, 7.0), (3, 3, 99), (1, 2, 99), (2, 1, 99), (1, 1, 99)],
    )
    features = make_features()
    assert features.match_weights(start).tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    assert len(features) == 7 and features.states == 3


def test_new_features_begin_with_zero():
    start = make_start(["O", "B-AGE"], ["word=nine"], [(0, 1, 3.0)], [(0, 1, 5.0)])
    assert make_features().match_weights(start).tolist() == [0, 0, 3.0, 0, 5.0, 0, 0]


def make_objective(pool, threads, c2):
    """The loss of the twelve tokens, its features, and the sets of each token."""
    training_set = make_set()
    sets = tie_attributes(training_set)
    pairs = count_pairs(training_set, sets, 0, False, False)
    place, width = place_labels(LABELS)
    layout = build_layout(training_set, sets, pairs, place)
    features = Features(LABELS, training_set.attributes, sets.number, sets.sizes, pairs)
    corpus = Corpus(place[training_set.gold], layout, Transitions(pairs.allowed, place, width))
    own = [{int(sets.number[word])} for word in WORDS]
    return Objective(corpus, features, c2, pool, threads), features, own


def sum_all_labellings(x, features, own):
    """Minus the log-likelihood, from the scores of all labellings of each sequence."""
    weights, ends = x * features.roots(), features.pairs.ends
    scores, transitions = np.zeros((len(GOLD), 3)), np.zeros((3, 3))
    transitions[features.pairs.allowed] = x[features.states :]
    for score, sets in zip(scores, own):
        for one in sets:
            score[features.pairs.label[ends[one] : ends[one + 1]]] += weights[ends[one] : ends[one + 1]]

    def score_of(path, tokens):
        steps = sum(transitions[pair] for pair in itertools.pairwise(path))
        return scores[tokens, path].sum() + steps

    loss = 0.0
    for a, b in itertools.pairwise(BOUNDS):
        every = [score_of(path, range(a, b)) for path in itertools.product(range(3), repeat=b - a)]
        loss += np.logaddexp.reduce(every) - score_of(GOLD[a:b], range(a, b))
    return loss


@pytest.mark.parametrize("threads", [1, 2, 3, 5])
@pytest.mark.parametrize(("often", "many"), [(1, 1), (3, 2), (32, 6)])
def test_the_loss_and_its_gradient_are_those_of_all_labellings(monkeypatch, threads, often, many):
    monkeypatch.setattr("crfdeid.engine.training.score_layout.OFTEN", often)
    monkeypatch.setattr("crfdeid.engine.training.score_layout.MANY", many)
    with ThreadPoolExecutor(threads) as pool:
        objective, features, own = make_objective(pool, threads, 0.25)
        x = np.random.default_rng(5).normal(size=len(features))
        loss, gradient = objective(x)
        assert loss == pytest.approx(sum_all_labellings(x, features, own) + 0.25 * (x * x).sum())
        again = objective(x)
        assert again[0] == loss and (again[1] == gradient).all()
    for place in range(len(x)):
        step = np.zeros(len(x))
        step[place] = 1e-5
        up, down = (sum_all_labellings(x + sign * step, features, own) for sign in (1, -1))
        assert gradient[place] == pytest.approx((up - down) / 2e-5 + 0.5 * x[place], abs=1e-6)


def test_shares_are_equal():
    assert cut_evenly(12, 4).tolist() == [0, 3, 6, 9, 12]
    assert cut_evenly(5, 1).tolist() == [0, 5]
