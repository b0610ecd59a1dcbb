"""A small network beside the CRF of a judged model."""

import dataclasses

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_notes import SMALL, note

from crfdeid.adapt import ways
from crfdeid.engine.decoding import decoder
from crfdeid.engine.decoding.chain import Candidates
from crfdeid.errors import ConfigurationError, ModelError
from crfdeid.explain.__main__ import main as explain
from crfdeid.share import attack
from crfdeid.systems import model
from crfdeid.systems.crf import CrfTagger
from crfdeid.systems.judged import network, network_training
from crfdeid.systems.judged.judged import JudgedTagger
from crfdeid.systems.judged.network import Network
from crfdeid.systems.judged.network_training import NOBODY, TrainingTokens
from crfdeid.text.document import Document

OPTIONS = {
    "inside": ["short_shape"],
    "trees": 20,
    "rows": 2,
    "least_owners": 2,
    "network": ["lower", "short_shape", "sentence_begin"],
    "network_width": 16,
    "network_rounds": 500,
}
WITH_NETWORK = dataclasses.replace(
    SMALL, system="judged", repair=False, options=OPTIONS, crf=SMALL.crf | {"max_iterations": 5}
)
WIDTH, LABELS, ROWS = 4, 5, 6
SMALL_STEP = 1e-5
EVERY = np.arange(4)
SMALLER = {"STEP": 40, "DROPPED_VALUES": 0.0, "DROPPED_NUMBERS": 0.0, "HIDDEN_WORDS": 0.0}


@pytest.fixture(scope="module")
def tagger(notes, tmp_path_factory):
    return model.train(notes[:24], WITH_NETWORK, tmp_path_factory.mktemp("network") / "m")


def draw_tokens(random, documents=4, longest=30):
    sizes = random.integers(0, 3, sum(lengths := random.integers(1, longest, documents)))
    starts = np.append(0, np.cumsum(sizes))
    rows = random.integers(0, ROWS, starts[-1])
    labels, words = random.integers(0, LABELS, len(sizes)), random.integers(0, 9, len(sizes))
    copies = np.zeros(documents, int)
    bounds = np.append(0, np.cumsum(lengths))
    return TrainingTokens(rows, starts, labels, words, bounds, copies, np.arange(ROWS) < ROWS // 2)


def draw(random):
    """A network whose numbers are as precise as a check by differences needs."""
    found = network_training.draw_network(ROWS, WIDTH, LABELS, random)
    return Network(*(array.astype(np.float64) + 0.01 * random.normal(size=array.shape) for array in found))


def test_hidden_words_leave_what_tells_no_word(monkeypatch):
    random = np.random.default_rng(1)
    tokens, net = draw_tokens(random), draw(random)
    stream = np.arange(tokens.bounds[-1])
    monkeypatch.setattr(network_training, "DROPPED_VALUES", 0.0)
    for share, wanted in ((1.0, ~tokens.tells_word[tokens.rows]), (0.0, np.ones(len(tokens.rows), bool))):
        monkeypatch.setattr(network_training, "HIDDEN_WORDS", share)
        assert (network_training.build_design(net, tokens, stream, random).data == wanted).all()


@pytest.mark.parametrize(
    ("name", "tells"),
    [
        ("lower", True),
        ("suffix3", True),
        ("table_en_words_cluster6", True),
        ("table_es_words_cluster", True),
        ("table_en_words_frequency", False),
        ("in_surnames", False),
        ("short_shape", False),
    ],
)
def test_which_observations_tell_a_word(name, tells):
    assert bool(network_training.TELLS_WORD.match(name)) is tells


@pytest.mark.slow
def test_it_learns_the_notes_and_its_candidates_are_judged(tagger, notes):
    bare = [document.with_spans(()) for document in notes[24:34]]
    assert [d.spans for d in tagger.tag_all(bare)] == [d.spans for d in notes[24:34]]
    batch = tagger.batch(bare)
    shares = tagger.view.network.read(tagger, batch)
    later = np.delete(shares, batch.bounds[:-1], axis=0)  # at the first no span goes on
    assert np.allclose(later.sum(axis=1), 1, atol=1e-5)
    found = network.find_spans(shares, 0.3)
    gold = {(s.start, s.end) for s in notes[24].spans}
    places = set(zip(batch.starts[found.first].tolist(), batch.ends[found.last].tolist()))
    assert gold <= places
    described, rows = tagger.view.describe(tagger, batch)
    assert rows.shape == (len(described.first), len(tagger.view.list_names()))


@pytest.mark.slow
def test_a_note_has_the_same_bits_in_any_batch(tagger, notes):
    documents = [document.with_spans(()) for document in notes[24:34]]
    together = tagger.view.network.read(tagger, tagger.batch(documents))
    apart = [tagger.view.network.read(tagger, tagger.batch([document])) for document in documents]
    assert (together == np.concatenate(apart)).all()
    rows = [tagger.view.describe(tagger, tagger.batch(some))[1] for some in (documents, *zip(documents))]
    assert len(rows[0]) and np.allclose(rows[0], np.concatenate(rows[1:]), atol=1e-6)


def test_compiled_loops_give_the_same_bits():
    compiled_math = pytest.importorskip("crfdeid.engine.compiled_math", exc_type=ImportError)
    random = np.random.default_rng(1)
    found = Network(*(array.astype(np.float32) for array in draw(random)))
    sums = random.normal(size=(300, WIDTH)).astype(np.float32)
    words, bounds = random.integers(0, 50, 300), np.array([0, 1, 1, 40, 300])
    plain = network.apply_network(found, sums, words, bounds)
    assert (network.apply_network(found, sums, words, bounds, compiled=True) == plain).all()
    numbers = random.integers(-1, ROWS, (5, len(sums))).astype(np.int32)
    total = np.zeros_like(sums)
    for own in numbers:
        total[own >= 0] += found.rows[own[own >= 0]]
    wanted = sums + total
    compiled_math.add_rows(sums, found.rows, numbers)
    assert (sums == wanted).all()
    moved = []
    for compiled in (False, True):
        adam, own = network_training.Adam(found, 9, compiled), Network(*(array.copy() for array in found))
        for _ in range(3):
            adam.move(own, Network(*(np.sin(array + 1) for array in own)))
        moved.append(np.concatenate([array.ravel() for array in own]))
    assert (moved[0] == moved[1]).all() and (moved[0] != np.concatenate([a.ravel() for a in found])).any()


def test_compiled_loops_are_worth_it_after_less_text_than_for_a_crf(tagger, notes, monkeypatch):
    monkeypatch.setattr(decoder, "WORTH_COMPILED", 2 * len(notes[24].text))
    for kind, is_worth in ((JudgedTagger, True), (CrfTagger, False)):
        calls = []
        loaded = kind(tagger.model)
        monkeypatch.setattr(loaded, "compile", lambda calls=calls: calls.append(1))
        loaded.batch([notes[24]])
        assert bool(calls) == is_worth


def test_a_network_reads_a_table_that_no_template_names(notes, tmp_path):
    table = "# title: codes\n# columns: code\n"
    (tmp_path / "codes.txt").write_text(table + "seen|ab\npain|cb\nfever|ad\n")
    options = OPTIONS | {"network": ["table_codes_code_1", "table_codes_code_2"], "network_rounds": 2}
    settings = dataclasses.replace(WITH_NETWORK, options=options, tables=(str(tmp_path / "codes.txt"),))
    model.train(notes[:24], settings, tmp_path / "m")
    (tmp_path / "codes.txt").unlink()
    loaded = model.load(tmp_path / "m")
    assert loaded.view.network.values.numbers.numbers == {
        "table_codes_code_1": {"a": 0, "c": 1},
        "table_codes_code_2": {"b": 0, "d": 1},
    }
    shares = loaded.view.network.read(loaded, loaded.batch([Document("x", "pain Pain fever zz yy")]))
    assert len({row.tobytes() for row in shares}) > 2


def test_forgotten_texts_are_read_again(tagger, notes):
    documents = [document.with_spans(()) for document in notes[24:28]]
    before = tagger.view.network.read(tagger, tagger.batch(documents))
    tagger.forget_texts()
    assert tagger.view.network.vocabulary is None
    after = tagger.view.network.read(tagger, tagger.batch(documents[::-1]))
    assert (np.sort(before, axis=None) == np.sort(after, axis=None)).all()


@pytest.mark.parametrize("texts", [[""], ["", "Seen by Dr. Tanaka", ""], []])
def test_empty_documents(tagger, texts):
    documents = [Document(str(number), text) for number, text in enumerate(texts)]
    assert [len(found.spans) for found in tagger.tag_all(documents)] == [int(bool(text)) for text in texts]


def test_the_columns_of_a_span_end_with_its_document():
    shares = np.array([[0, 1, 0], [0, 0.5, 0.5], [0, 1, 0], [0.5, 0, 0.5]], np.float32)
    found = Candidates(np.array([0, 2, 3]), np.array([1, 2, 3]), np.zeros(3, int), np.zeros(3))
    both = np.zeros((3, 2))
    rows = network.describe_network(shares, found, both, np.array([0, 2, 4]))
    columns = dict(zip(network.NAMES, rows.T.tolist()))
    assert columns["type before"] == [0, 0, 1] and columns["type goes on"] == [0, 0.5, 0]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_gradient_is_the_slope_of_the_loss(seed):
    random = np.random.default_rng(seed)
    tokens, found = draw_tokens(random), draw(random)
    found.rows[-1] = 0
    with pytest.MonkeyPatch.context() as patch:
        for name, value in SMALLER.items():
            patch.setattr(network_training, name, value)
        step = network_training.make_step(tokens, network_training.draw_steps(tokens, EVERY, random)[0])
        loss, gradient = network_training.compute_gradient(found, tokens, step, random)
        for array, slope in zip(found, gradient):
            place = tuple(random.integers(0, size - (array is found.rows)) for size in array.shape)
            before, after = (
                change_loss(found, tokens, step, array, place, by) for by in (-SMALL_STEP, SMALL_STEP)
            )
            assume(
                after - loss == pytest.approx(loss - before, rel=1e-2, abs=1e-10)
            )  # no bend of a unit there
            assert slope[place] == pytest.approx((after - before) / (2 * SMALL_STEP), rel=7e-3, abs=1e-6)


def change_loss(found, tokens, step, array, place, by):
    array[place] += by
    loss, _ = network_training.compute_gradient(found, tokens, step, np.random.default_rng(0))
    array[place] -= by
    return loss


def test_training_sees_what_tagging_sees():
    """The loss of a step without drops is that of the probabilities which a batch gets."""
    random = np.random.default_rng(3)
    tokens, found = draw_tokens(random, documents=3, longest=5), draw(random)
    found.rows[-1] = 0
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (SMALLER | {"STEP": 200, "SMOOTHED": 0.0}).items():
            patch.setattr(network_training, name, value)
        (documents,) = network_training.draw_steps(tokens, np.arange(3), random)
        step = network_training.make_step(tokens, documents)
        loss, _ = network_training.compute_gradient(found, tokens, step, random)
    sums = np.zeros((len(tokens.labels), WIDTH), np.float32)
    for token in range(len(sums)):
        sums[token] = found.rows[tokens.rows[tokens.starts[token] : tokens.starts[token + 1]]].sum(axis=0)
    single = Network(*(array.astype(np.float32) for array in found))
    shares = network.apply_network(single, sums, tokens.words, tokens.bounds)
    own = shares[np.arange(len(sums)), tokens.labels]
    assert loss == pytest.approx(-np.log(own).mean(), rel=1e-4)


def test_a_round_has_each_token_once_and_notes_apart():
    random = np.random.default_rng(0)
    tokens = draw_tokens(random, documents=40, longest=60)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(network_training, "STEP", 100)
        plan = network_training.draw_steps(tokens, np.arange(40), random)
    steps = [network_training.make_step(tokens, documents) for documents in plan]
    stream = np.concatenate([step.stream for step in steps])
    assert len(steps) > 5
    assert sorted(stream[stream != NOBODY].tolist()) == list(range(len(tokens.labels)))
    begins = stream[1:][(stream[:-1] == NOBODY) & (stream[1:] != NOBODY)]
    assert sorted(begins.tolist()) == tokens.bounds[:-1].tolist()


@pytest.mark.parametrize(
    "copies, rounds",
    [
        (0, [{0, 1, 2, 3, 4, 5}] * 3),
        (1, [{0, 1, 4}, {0, 2, 4, 5}, {0, 3, 4}]),
        (2, [{0, 1, 2, 4, 5}, {0, 3, 4}, {0, 1, 2, 4, 5}]),
        (9, [{0, 1, 2, 3, 4, 5}] * 3),
    ],
)
def test_a_round_has_some_copies_of_each_document(copies, rounds):
    random = np.random.default_rng(0)
    tokens = draw_tokens(random, documents=6)._replace(copies=np.array([0, 1, 2, 3, 0, 2]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(network_training, "STEP", 10**6)
        steps = [*network_training.plan_steps(tokens, 3, copies, random)]
    assert [set(documents.tolist()) for documents in steps] == rounds


def test_only_the_first_copies_give_values_their_rows(tagger, notes):
    words = {"ward-1": "Zubrin", "ward-1.1": "Okwuosa", "ward-1.2": "Featherstone"}
    documents = [
        dataclasses.replace(each, id=name, text=f"{word} " * 9, spans=(), patient=f"{number}")
        for number, each in enumerate(notes[:3])
        for name, word in words.items()
    ]
    options = dataclasses.replace(tagger.options, copies=1)
    _, values = network_training.read_tokens(tagger, documents, options, ["AGE"])
    assert values["lower"] == ["okwuosa", "zubrin"]
    kept = network_training.keep_first_copies(documents, 1)
    assert {document.id for document in kept} == {"ward-1", "ward-1.1"}


def test_what_a_token_sees_of_its_note():
    own = np.array([[1.0], [2.0], [4.0], [8.0]], np.float32)
    groups = network.group_tokens(np.array([5, 3, 5, 5]), np.array([0, 3, 4]))
    mean = 7 / 3
    assert network.look_around(own, groups) == pytest.approx(
        np.array([[4, mean], [0, mean], [1, mean], [0, 8]])
    )


def test_a_network_that_saw_no_notes_is_read(tmp_path):
    found = network_training.draw_network(ROWS, WIDTH, LABELS, np.random.default_rng(0))
    network.write_network(tmp_path, found, {"lower": [*range(ROWS)]})
    with np.load(tmp_path / network.ARRAYS) as arrays:
        earlier = {name: array for name, array in arrays.items() if not name.startswith("note")}
    np.savez(tmp_path / network.ARRAYS, **earlier)
    read, _ = network.read_network(tmp_path)
    assert not read.note.any() and read.note.shape == (2, WIDTH, WIDTH)


@pytest.mark.parametrize(
    "shares, expected",
    [
        # outside, A first, A later, B first, B later
        ([[0.1, 0.9, 0, 0, 0], [1, 0, 0, 0, 0]], {(0, 0, 0): 0.9}),
        ([[0, 0.8, 0, 0.2, 0], [0.5, 0, 0.5, 0, 0]], {(0, 0, 0): 0.4, (0, 1, 0): 0.4, (0, 0, 1): 0.2}),
        ([[1, 0, 0, 0, 0], [0, 0, 1, 0, 0]], {}),  # nothing goes on without a beginning
        ([[0, 0, 0, 0, 1], [0, 0, 0, 1, 0]], {(1, 1, 1): 1}),  # the last token
    ],
)
def test_possible_spans_of_probabilities(shares, expected):
    found = network.find_spans(np.array(shares, np.float32), 0.05)
    keys = zip(found.first.tolist(), found.last.tolist(), found.types.tolist())
    assert dict(zip(keys, found.probabilities)) == pytest.approx(expected)


def test_candidates_of_both_are_joined():
    own = Candidates(np.array([0, 2]), np.array([1, 2]), np.array([0, 1]), np.array([0.4, 0.6]))
    found = Candidates(np.array([2, 5]), np.array([2, 6]), np.array([1, 0]), np.array([0.8, 0.2]))
    joined, both = network.join_candidates(own, found)
    assert joined.first.tolist() == [0, 2, 5] and joined.probabilities == pytest.approx([0.2, 0.7, 0.1])
    assert both.tolist() == [[0.4, 0], [0.6, 0.8], [0, 0.2]]
    nothing = own.select(np.zeros(0, np.int64))
    joined, both = network.join_candidates(nothing, nothing)
    assert not len(joined.first) and both.shape == (0, 2)
    assert network.describe_network(np.zeros((3, 5), np.float32), joined, both, np.array([0, 3])).shape == (
        0,
        len(network.NAMES),
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", [network.ARRAYS, network.VALUES])
@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"{}")])
def test_a_damaged_file_is_one_line(tagger, tmp_path, name, damage):
    read, values = network.read_network(tagger.folder)
    network.write_network(tmp_path, read, values)
    again, same = network.read_network(tmp_path)
    assert same == values and np.allclose(again.rows, read.rows, atol=np.abs(read.rows).max() / 100)
    damage(tmp_path / name)
    with pytest.raises(ModelError, match="not a network of a judged model"):
        network.read_network(tmp_path)


@pytest.mark.parametrize(
    "option, said",
    [
        ({"network_width": 0}, "network_width = 0"),
        ({"copies": -1}, "copies = -1: wanted a whole number, 0"),
        ({"network_least": 1.0}, "network_least = 1.0"),
    ],
)
def test_wrong_options_are_refused(notes, tmp_path, option, said):
    wrong = dataclasses.replace(WITH_NETWORK, options=OPTIONS | option)
    with pytest.raises(ConfigurationError, match=said):
        model.train(notes[:8], wrong, tmp_path / "m")


@pytest.mark.slow
def test_the_attack_reads_the_words_of_the_network(tagger):
    words = {value for value in tagger.view.network.values.numbers.numbers["lower"] if len(value) > 3}
    assert words and words <= attack.read_model(tagger)
    for word in words:
        assert sum(word in note(number).text.lower() for number in range(24)) >= OPTIONS["least_owners"]


@pytest.mark.slow
def test_a_model_with_a_network_is_adapted(tagger, notes):
    further = ways.train_weights(tagger, notes[24:30], 1.0)
    assert further.view.network is not tagger.view.network
    judged = ways.judge_candidates(further, notes[24:30])
    again = ways.add_trees(further, judged, 2)
    assert again.tag(Document("x", notes[31].text)).spans


@pytest.mark.slow
def test_explain_shows_both_members(tagger, tmp_path, capsys):
    (tmp_path / "note.txt").write_text(note(30).text)
    explain([str(tagger.folder), "--note", str(tmp_path / "note.txt")])
    table = capsys.readouterr().out.split("The possible spans as the trees judge them:\n")[1]
    header, *rows = [line.split() for line in table.splitlines()]
    assert header == ["offsets", "type", "span", "judged", "CRF", "network", "text"]
    assert ["DOCTOR", "yes", "Tanaka"] in [row[1:3] + row[6:] for row in rows]
