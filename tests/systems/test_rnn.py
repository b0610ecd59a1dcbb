"""The recurrences by hand and by numpy, words and vectors, and the system through the command line."""

import dataclasses
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from crfdeid import config as experiment  # noqa: E402
from crfdeid import corpora  # noqa: E402
from crfdeid.ablate import one_training, plan  # noqa: E402
from crfdeid.config import Config  # noqa: E402
from crfdeid.errors import ConfigurationError, CrfdeidError, ModelError  # noqa: E402
from crfdeid.evaluate import __main__ as evaluate  # noqa: E402
from crfdeid.evaluate import published_tables, scores  # noqa: E402
from crfdeid.explain import __main__ as explain  # noqa: E402
from crfdeid.systems import model, model_folder, registry  # noqa: E402
from crfdeid.systems.works import rnn, rnn_embeddings, rnn_vocabulary  # noqa: E402
from crfdeid.systems.works import rnn_network as rnn_network  # noqa: E402
from crfdeid.systems.works import rnn_options as rnn_options  # noqa: E402
from crfdeid.systems.works import rnn_training as rnn_training  # noqa: E402
from crfdeid.systems.works.rnn_network import Elman, Jordan  # noqa: E402
from crfdeid.systems.works.rnn_options import DIMENSIONS, Options  # noqa: E402
from crfdeid.tag import __main__ as tag  # noqa: E402
from crfdeid.text.document import Document, Span  # noqa: E402
from crfdeid.train import main as train_main  # noqa: E402

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import rnn as benchmark  # noqa: E402

TINY = {
    "embedding": "random", "dimensions": 12, "hidden": 16, "window": 5, "epochs": 12, "rate": 0.1,
    "dropout": 0.1, "spread": 0.3, "least": 3,
}  # fmt: skip
KINDS = ("elman", "jordan")


def tiny(**changes) -> Config:
    return Config(system="rnn", sequence="line", options=TINY | changes)


def filled(kind, vectors, labels, window=1, hidden=1, layers=1, **weights):
    """A network with these weights: one value for W, U, V or b of every layer, or a list."""
    made = kind(torch.tensor(vectors), labels, window, hidden, layers)
    for name, value in weights.items():
        own = getattr(made, name)
        for one in own if isinstance(own, torch.nn.ParameterList) else [own]:
            one.data = torch.tensor(value).reshape(one.shape)
    return made.eval()


def test_elman_by_hand():
    """h(1) = f(0) = 1/2, h(2) = f(-1 + 2/2) = 1/2; P = g(ln 9 / 2, 0) = 3/4, 1/4."""
    made = filled(Elman, [[0.0], [-1.0]], 2, W=[1.0], U=[2.0], b=[0.0], V=[math.log(9), 0.0])
    found = torch.softmax(made(torch.tensor([[0], [1]])), 2)[:, 0]
    np.testing.assert_allclose(found.detach(), [[0.75, 0.25]] * 2, rtol=1e-6)


def test_jordan_by_hand():
    """The same, for P(y(1)) = 3/4, 1/4 makes h(2) = f(-3 + 4 * 3/4) = 1/2."""
    made = filled(Jordan, [[0.0], [-3.0]], 2, W=[1.0], U=[4.0, 0.0], b=[0.0], V=[math.log(9), 0.0])
    found = torch.softmax(made(torch.tensor([[0], [1]])), 2)[:, 0]
    np.testing.assert_allclose(found.detach(), [[0.75, 0.25]] * 2, rtol=1e-6)


def random_network(kind, layers, seed, labels=4, words=9):
    with rnn_training.use_seed(seed):
        made = kind(rnn_embeddings.draw_vectors(words, 3), labels, 3, 5, layers)
        made.draw_weights(1.0)
        for b in (*made.b, made.c):
            torch.nn.init.uniform_(b)
    return made.eval()


def f(x):
    return 1 / (1 + np.exp(-x))


def g(z):
    return np.exp(z) / np.exp(z).sum()


def by_equations(made, words):
    """Posteriors [time, labels] by equations 2 to 9, a word at a time."""
    E, V, c = (w.detach().numpy().astype(float) for w in (made.E, made.V, made.c))
    layers = [[w.detach().numpy().astype(float) for w in layer] for layer in zip(made.W, made.U, made.b)]
    m, found = made.window // 2, []
    padded = [0] * m + words + [0] * m
    h, P = [np.zeros(5)] * len(layers), np.zeros(len(c))
    for t in range(len(words)):
        below = np.concatenate([E[w] for w in padded[t : t + made.window]])  # C(t), equation 2
        for number, (W, U, b) in enumerate(layers):
            back = h[number] if isinstance(made, Elman) else P
            below = f(W @ below + U @ back + b)  # equations 4, 5, 9
            h[number] = below
        P = g(V @ below + c)  # equation 7
        found.append(P)
    return np.array(found)


@pytest.mark.parametrize("kind", [Elman, Jordan])
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_the_equations(kind, layers):
    made, words = random_network(kind, layers, seed=layers), [3, 8, 2, 0, 5]
    found = torch.softmax(made(torch.tensor(words)[:, None]), 2)[:, 0]
    np.testing.assert_allclose(found.detach(), by_equations(made, words), rtol=1e-4)


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from([Elman, Jordan]),
    st.lists(st.lists(st.integers(1, 8), min_size=1, max_size=7), min_size=1, max_size=6),
)
def test_side_by_side_is_as_alone(kind, rows):
    """The labels of a batch, from rows worked out before, are those of each sequence by itself."""
    made = random_network(kind, 2, seed=4)
    labeller = rnn_network.Labeller(made, [0.0] * 4, 1)
    alone = [by_equations(made, row).argmax(1).tolist() for row in rows]
    assert labeller.find_labels(rows) == alone
    labeller.rows = None  # as of many words
    assert labeller.find_labels(rows) == alone


def test_each_sequence_has_its_words_once():
    rows = [[1] * size for size in (3, 1, 7, 2, 2)]
    batches = list(rnn_network.make_batches(rows, 4))
    assert sorted(index for indices, _ in batches for index in indices) == list(range(5))
    assert all(words.shape[1] == 1 or words.numel() <= 4 for _, words in batches)
    assert list(rnn_network.make_batches([])) == []


@pytest.mark.parametrize("kind", [Elman, Jordan])
def test_a_step_goes_down_and_rarely_used_weights_stay(kind):
    made = random_network(kind, 1, seed=3).train()
    words, labels = torch.tensor([[1], [2]]), torch.tensor([0, 3])
    before, untouched = rnn_training.take_step(made, words, labels, 0.1), made.E[7].clone()
    assert rnn_training.take_step(made, words, labels, 0.1) < before
    assert torch.equal(made.E[7], untouched)


def test_gradients_are_those_of_differences():
    """A step of one changes a weight by its derivative: the loss's, of a weight a bit to each side."""
    words, labels = torch.tensor([[1], [2], [4]]), torch.tensor([0, 3, 1])
    for kind in (Elman, Jordan):
        made = random_network(kind, 1, seed=5).double()

        def loss(change, made=made):
            made.U[0].data[0, 1] += change
            value = torch.nn.functional.cross_entropy(made(words)[:, 0], labels, reduction="sum").item()
            made.U[0].data[0, 1] -= change
            return value

        slope = (loss(1e-5) - loss(-1e-5)) / 2e-5
        before = made.U[0].data[0, 1].item()
        rnn_training.take_step(made, words, labels, 1.0)
        assert before - made.U[0].data[0, 1].item() == pytest.approx(slope, rel=1e-4)


PAIRS = [([1, 2, 4], [0, 3, 1]), ([5], [2]), ([6, 7], [0, 0]), ([3, 8, 2, 1], [1, 1, 3, 0])]


def make_examples():
    return [(torch.tensor(words)[:, None], torch.tensor(labels)) for words, labels in PAIRS]


@pytest.mark.parametrize("kind", [Elman, Jordan])
def test_a_step_on_a_batch_adds_the_gradients_of_its_sequences(kind):
    """Padding has no loss, and changes no sequence beside it."""
    together, alone = (random_network(kind, 2, seed=7).double() for _ in range(2))
    ((words, labels),) = rnn_training.draw_batches(make_examples(), 4)
    loss = rnn_training.take_step(together, words, labels, 0.1)
    losses = []
    for words, labels in make_examples():
        own = torch.nn.functional.cross_entropy(alone(words)[:, 0], labels, reduction="sum")
        own.backward()
        losses.append(own.item())
    rnn_network.descend_gradients(alone.parameters(), 0.1)
    assert loss == pytest.approx(sum(losses))
    for one, other in zip(together.parameters(), alone.parameters()):
        np.testing.assert_allclose(one.detach(), other.detach(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("size, counts", [(1, [1] * 4), (2, [2, 2]), (3, [1, 3]), (9, [4])])
def test_batches_have_each_sequence_once(size, counts):
    with rnn_training.use_seed(3):
        batches = list(rnn_training.draw_batches(make_examples(), size))
    assert sorted(words.shape[1] for words, _ in batches) == counts
    found = []
    for words, labels in batches:
        for own, wanted in zip(words.T, labels.reshape(len(words), -1).T):
            kept = wanted != rnn_training.UNSEEN
            assert not own[~kept].any()  # PADDING
            found.append((own[kept].tolist(), wanted[kept].tolist()))
    assert sorted(found) == sorted(PAIRS)


def test_dropout_is_of_training_alone():
    for kind in (Elman, Jordan):
        made, words = random_network(kind, 2, seed=6), torch.tensor([[1], [2], [3]])
        made.dropped = 0.5
        assert torch.equal(made(words), made(words))
        made.train()
        with rnn_training.use_seed(1):
            assert not torch.equal(made(words), made(words))


def test_dropout_keeps_the_sum():
    made = random_network(Elman, 1, seed=6).train()
    made.dropped = 0.25
    with rnn_training.use_seed(1):
        found = made.drop(torch.ones(40_000))
    assert set(found.unique().tolist()) == {0.0, torch.tensor(1.0).div(0.75).item()}
    assert found.mean().item() == pytest.approx(1.0, abs=0.02)


def test_rare_words_are_unknown_ones_and_are_learned():
    words = rnn_vocabulary.learn_words([["Dr", "Ruiz", "\n"], ["Dr", "Haddad", "\r\n"]], 2, "forms")
    assert words.known == ("Dr",)
    assert words.find_number("Ruiz") == words.find_number("Xylander") != words.find_number("saw")
    assert words.find_number("\n") == words.find_number("\r\n") == rnn_vocabulary.LINE_END
    one = rnn_vocabulary.WordNumbers(("Dr",), "one")
    assert {one.find_number(w) for w in ("Ruiz", "saw", "1990")} == {rnn_vocabulary.UNKNOWN}


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1), unique=True)
)
def test_words_survive_their_file(tmp_path_factory, known):
    folder = tmp_path_factory.mktemp("words")
    words = rnn_vocabulary.WordNumbers(tuple(known))
    words.write(folder)
    assert rnn_vocabulary.read_words(folder, "forms") == words
    assert all(rnn_vocabulary.RESERVED <= words.find_number(word) < len(words) for word in known)


ROWS = [[20, 21, 22, 23], [20, 24, 22, 25, 2], [26, 21, 22], [20, 21]] * 6


@pytest.mark.parametrize("kind", DIMENSIONS)
def test_vectors_are_the_same_for_a_seed(kind):
    if kind == "cbow":
        pytest.importorskip("gensim")
    found = []
    for seed in (1, 1, 2):
        with rnn_training.use_seed(seed):
            found.append(rnn_embeddings.learn_vectors(kind, ROWS, 30, 8, 2, seed))
    assert found[0].shape == (30, 8) and found[0].isfinite().all()
    assert torch.equal(found[0], found[1]) and not torch.equal(found[0], found[2])


def test_words_of_like_neighbours_get_like_vectors():
    """21 and 22 stand between the same words, 23 elsewhere."""
    rows = [[20, 21, 24], [20, 22, 24], [25, 23, 26], [26, 25, 23]] * 40
    with rnn_training.use_seed(0):
        vectors = rnn_embeddings.learn_rnnlm(rows, 30, 10, 30)
    like, unlike = (torch.cosine_similarity(vectors[21], vectors[n], 0) for n in (22, 23))
    assert like > unlike


def write_vectors(folder, words, size=3):
    lines = (f"{word} {' '.join(str(n + 0.5) for _ in range(size))}\n" for n, word in enumerate(words))
    (folder / "glove.txt").write_text("".join(lines), encoding="utf-8")
    return str(folder / "glove.txt")


def line_pipeline(tmp_path):
    return model_folder.create_folder(tmp_path / "pipeline", [], tiny()).pipeline


def test_words_have_the_vectors_of_the_file(tmp_path):
    path = write_vectors(tmp_path, ["the", "Ruiz", "saw", "dr", "gtt"])
    options = Options(embedding="file", vectors=path, words=2, least=2)
    rows = [["Dr", "saw", "Xi"], ["Dr", "saw", "Haddad"]]
    words, vectors = rnn_embeddings.find_vectors(rows, line_pipeline(tmp_path), options)
    assert words.known == ("Dr", "Ruiz", "dr", "saw", "the")  # the first two, and those of the notes
    row = {word: vectors[number].tolist() for word, number in words.numbers.items()}
    assert row == {"dr": [3.5] * 3, "the": [0.5] * 3, "Ruiz": [1.5] * 3, "saw": [2.5] * 3, "Dr": [3.5] * 3}
    assert vectors[rnn_vocabulary.UNKNOWN].abs().max() <= rnn_embeddings.RANGE  # drawn


@pytest.mark.parametrize("kind", ["rnnlm", "cbow"])
def test_a_text_without_spans_teaches_more_words(tmp_path, kind):
    if kind == "cbow":
        pytest.importorskip("gensim")
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "1.txt").write_text("The pump saw\nThe valve saw\n" * 5, encoding="utf-8")
    learn = Options(embedding=kind, text=str(tmp_path / "text"), dimensions=6, words=2, embedding_epochs=1)
    found = []
    for options in (learn, dataclasses.replace(learn, text="")):
        with rnn_training.use_seed(1):
            found.append(rnn_embeddings.find_vectors([["saw", "saw"]], line_pipeline(tmp_path), options))
        shutil.rmtree(tmp_path / "pipeline")
    (more, vectors), (words, _) = found
    assert words.known == ("saw",) and more.known == ("The", "saw")  # the two most frequent, one is known
    assert vectors.shape == (len(more), 6)


def test_a_model_with_vectors_of_a_file_does_not_need_it_again(notes, tmp_path):
    path = write_vectors(tmp_path, ["Quexington", "seen", "by"], size=7)
    trained = model.train(
        notes[:4], tiny(embedding="file", vectors=path, dimensions=0, epochs=1), tmp_path / "m"
    )
    os.remove(path)
    loaded = model.load(tmp_path / "m")
    assert "Quexington" in loaded.words.known and loaded.labeller.network.E.shape[1] == 7
    assert [loaded.tag(note).spans for note in notes] == [trained.tag(note).spans for note in notes]


@pytest.mark.parametrize("options", [{"embedding": "file", "vectors": "none.vec", "dimensions": 0},
                                     {"embedding": "rnnlm", "text": "none"}])  # fmt: skip
def test_a_missing_source_of_vectors_is_named(notes, tmp_path, options):
    with pytest.raises(CrfdeidError, match=r"none"):
        model.train(notes[:4], tiny(**options), tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_a_minibatch_learns_too(notes, tmp_path):
    tagger = model.train(notes[:30], tiny(batch=4), tmp_path / "m")
    assert [tagger.tag(note).spans for note in notes[30:]] == [note.spans for note in notes[30:]]


def test_the_device_is_a_gpu_where_torch_sees_one(monkeypatch):
    with pytest.raises(ConfigurationError, match="options.device = 'gpu9': torch has no such device"):
        rnn_training.choose_device("gpu9")
    assert rnn_training.choose_device("cpu").type == "cpu"
    asked = []
    monkeypatch.setattr(torch, "empty", lambda *_, device: asked.append(device) or torch.ones(1))
    for sees in (True, False):
        monkeypatch.setattr(torch.cuda, "is_available", lambda sees=sees: sees)
        rnn_training.choose_device("auto")
    assert asked == ["cuda", "cpu"]


@pytest.mark.parametrize("share, held", [(0.1, 4), (0.0, 0), (0.01, 0)])
def test_development_documents_are_other_patients(notes, share, held):
    fit, other = rnn_training.split_by_patient(notes, share, seed=1)
    assert len(other) == held and len(fit) == 40 - held
    assert not {d.patient for d in fit} & {d.patient for d in other}


def test_all_are_fitted_where_development_would_take_every_span():
    documents = [Document("1", "a b", (Span(0, 1, "AGE"),)), Document("2", "c d")]
    for seed in range(4):
        fit, held = rnn_training.split_by_patient(documents, 0.5, seed)
        assert any(document.spans for document in fit) and len(fit) + len(held) == 2


@pytest.fixture(scope="module", params=KINDS)
def tagger(request, notes, tmp_path_factory):
    return model.train(notes[:30], tiny(network=request.param), tmp_path_factory.mktemp("rnn") / "model")


def test_finds_what_it_learned_and_names_it_never_saw(tagger, notes):
    assert [tagger.tag(note).spans for note in notes[30:]] == [note.spans for note in notes[30:]]
    text = "Seen by Dr. Quexington on 3/5/2061.\n"
    found = tagger.tag(Document("n", text))
    assert found.text_of(found.spans[0]) == "Quexington"
    assert tagger.tag(Document("empty", "")).spans == ()


def test_stops_when_it_gets_no_better(notes, tmp_path):
    heard = []
    settings = tiny(epochs=40, patience=1)
    model.train(notes, settings, tmp_path / "m", lambda number, loss: heard.append((number, loss)))
    assert [number for number, _ in heard] == list(range(1, len(heard) + 1))
    assert len(heard) < 40 and heard[-1][1] < heard[0][1]


@pytest.mark.parametrize(
    "scores, best",
    [
        ([(0, -2), (0, -1), (0, -1), (0, -3)], 1),  # of equal F1 the least loss; then two that are no better
        ([(0.5, -2), (0.4, -1), (0.3, -0.9), (0.6, -3)], 3),  # goes on while the loss falls
        ([(0.5, -1), (0.6, -2), (0.55, -3), (0.7, -4)], 3),  # and while F1 rises
        ([(0.5, -1), (0.4, -2), (0.5, -1)], 0),
    ],
)
def test_keeps_the_best_epoch(scores, best):
    """The weights left are those that the score was best with; patience is 2."""
    made, seen = random_network(Elman, 1, seed=1), []

    def score(network):
        seen.append(network.V.detach().clone())
        return [*scores, (1, 0)][len(seen) - 1]

    options = Options(epochs=len(scores), patience=2)
    examples = [(torch.tensor([[1], [2]]), torch.tensor([0, 1]))]
    rnn_training.descend(made, examples, score, options, lambda *_: None)
    assert len(seen) == len(scores)
    assert torch.equal(made.V, seen[best]) and not torch.equal(seen[0], seen[1])
    options = Options(epochs=len(scores) + 1, patience=2)
    seen.clear()
    rnn_training.descend(made, examples, score, options, lambda *_: None)
    stops = scores[-1][0] <= max(s[0] for s in scores[:-1])
    assert len(seen) == len(scores) + (not stops)


def test_a_bias_finds_more(notes, tmp_path):
    found = []
    for bias in (0.0, 4.0):
        settings = dataclasses.replace(tiny(epochs=2), recall_bias=bias)
        tagger = model.train(notes[:12], settings, tmp_path / str(bias))
        found.append(sum(s.end - s.start for note in notes for s in tagger.tag(note).spans))
    assert found[0] < found[1]


def test_same_bytes_and_the_random_numbers_of_others_go_on(notes, tmp_path):
    before, threads = torch.random.get_rng_state(), torch.get_num_threads()
    for name in "abc":
        model.train(notes[:12], tiny(epochs=2, seed=int(name == "c")), tmp_path / name)
    sums = [model_folder.hash_file(tmp_path / name / rnn.NETWORK) for name in "abc"]
    assert sums[0] == sums[1] != sums[2]
    assert torch.equal(torch.random.get_rng_state(), before) and torch.get_num_threads() == threads


@pytest.mark.parametrize(
    "table, message",
    [
        ({"network": "elmann"}, "did you mean elman"), ({"window": 4}, "odd"), ({"window": 0}, "1 or more"),
        ({"hidden": 0.5}, "whole number"), ({"dropout": 1.0}, "below 1"), ({"rate": 0}, "above 0"),
        ({"embedding": "glove"}, "cbow"), ({"embedding": "file"}, "vectors: wanted the path"),
        ({"vectors": "v.vec"}, "and none without"), ({"batch": 0}, "1 or more"),
        ({"embedding": "file", "vectors": "v", "dimensions": 9}, "has its own"),
        ({"embedding": "random", "text": "t"}, "learns nothing"), ({"unknown": "none"}, "forms"),
        ({"seed": True}, "whole number"),
        ({"windows": 5}, "did you mean window"),
    ],
)  # fmt: skip
def test_refuses_options(table, message):
    with pytest.raises(ConfigurationError, match=message):
        registry.check(Config(system="rnn", options=table))


def test_a_loss_that_is_no_number_is_told(notes, tmp_path):
    with pytest.raises(ConfigurationError, match=r"options.rate = 1e\+38: too high"):
        model.train(notes[:6], tiny(rate=1e38, spread=1e30), tmp_path / "m")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("missing", ["torch", "safetensors", "gensim"])
def test_names_the_extra(notes, tmp_path, monkeypatch, missing):
    monkeypatch.setattr(rnn_options, "find_spec", lambda name: None if name == missing else object())
    with pytest.raises(ConfigurationError, match=rf"needs {missing}: .* -m pip install 'crfdeid\[rnn\]'"):
        model.train(notes[:6], tiny(embedding="cbow"), tmp_path / "m")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    "file, content",
    [(rnn.NETWORK, b"x"), (rnn.NETWORK, b""), (rnn_vocabulary.WORDS, b"Dr\n"), (rnn_vocabulary.WORDS, b"Dr"),
     (rnn.LABELS, b"O\n\n"), (rnn.LABELS, b"\xff\n"), (rnn.LABELS, b"O\n")],
)  # fmt: skip
def test_refuses_a_damaged_model(tagger, tmp_path, file, content):
    for path in tagger.folder.iterdir():
        target = tmp_path / "m" / path.name
        target.parent.mkdir(exist_ok=True)
        if path.is_file():
            target.write_bytes(path.read_bytes())
    (tmp_path / "m" / file).write_bytes(content)
    model_folder.write_manifest(tmp_path / "m")
    with pytest.raises(ModelError, match="damaged|no list"):
        model.load(tmp_path / "m")


def test_the_shipped_configurations_are_the_papers():
    for name, window, hidden in (("rnn_elman", 11, 100), ("rnn_jordan", 9, 150)):
        options = Options(**experiment.read(name).options)
        assert (options.window, options.hidden, options.rate, options.dropout) == (window, hidden, 0.01, 0.5)
        assert (options.epochs, options.size, options.development) == (25, 300, 0.1)
    runs = plan.read_plan("shweta_table5").runs
    assert [run.name for run in runs] == ["CRF", "Elman", "Jordan"]
    assert [run.config.system for run in runs] == ["crf", "rnn", "rnn"]


def test_the_doubt_about_table_5():
    """What precision and recall of the categories make of table 2's test documents."""
    sizes, table = (
        published_tables.read_table("shweta-2016-table-2"),
        published_tables.read_table("shweta-2016-table-5"),
    )
    gold = {category: sizes.value(category, "test") for category in sizes.rows}
    made = []
    for name in ("CRF", "Elman", "Jordan"):
        right = {c: n * table.value(c, f"{name} R") for c, n in gold.items()}
        system = sum(n / table.value(c, f"{name} P") for c, n in right.items())
        recall, precision = sum(right.values()) / sum(gold.values()), sum(right.values()) / system
        made.append((scores.harmonic_mean(precision, recall), recall))
        assert recall - table.value("all", f"{name} R") > 0.02
    for figures, told in zip(zip(*made), ("F1 of {}, {} and {}", "recall of {}, {} and {}")):
        assert told.format(*(f"{100 * value:.2f}" for value in figures)) in table.doubts["all"]


def test_the_command_line(notes, tmp_path, capsys):
    corpora.write(notes[:30], tmp_path / "train", "i2b2")
    corpora.write(notes[30:], tmp_path / "test", "i2b2")
    config, out = tmp_path / "tiny.toml", str(tmp_path / "model")
    table = "\n".join(f"{key} = {value!r}" for key, value in TINY.items())
    config.write_text(f'system = "rnn"\nsequence = "line"\n[options]\n{table}\n', encoding="utf-8")
    given = [str(tmp_path / "train"), "--test", str(tmp_path / "test"), "--config", str(config), "--out", out]
    train_main(given)
    assert "Scored on" in capsys.readouterr().out
    found = ["--model", out, "--out", str(tmp_path / "found"), "--format", "i2b2"]
    tag.main([str(tmp_path / "test"), *found])
    assert {d.id: d.spans for d in corpora.read(tmp_path / "found")} == {n.id: n.spans for n in notes[30:]}
    evaluate.main([str(tmp_path / "test"), str(tmp_path / "found"), "--resamples", "0"])
    assert "1.0000" in capsys.readouterr().out


def test_in_a_process_of_its_own_the_same_bytes(notes, tmp_path):
    """Whatever order Python's sets have; cbow's vectors too. Under -W error, and nothing else is said."""
    pytest.importorskip("gensim")
    corpora.write(notes[:8], tmp_path / "train", "i2b2")
    options = {"embedding": "cbow", "dimensions": 6, "hidden": 4, "window": 3, "epochs": 1}
    settings = Config(system="rnn", sequence="line", options=options)
    here = model.train(list(corpora.read(tmp_path / "train")), settings, tmp_path / "here").folder
    table = "\n".join(f"{key} = {value!r}" for key, value in options.items())
    config = tmp_path / "tiny.toml"
    config.write_text(f'system = "rnn"\nsequence = "line"\n[options]\n{table}\n', encoding="utf-8")
    verb = [sys.executable, "-W", "error", "-m", "crfdeid.train", str(tmp_path / "train")]
    done = subprocess.run(
        [*verb, "--config", str(config), "--out", str(tmp_path / "there")],
        env=os.environ | {"PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and done.stderr == ""
    for name in (rnn.NETWORK, rnn_vocabulary.WORDS, rnn.LABELS, "settings.json"):
        assert model_folder.hash_file(here / name) == model_folder.hash_file(tmp_path / "there" / name)


def test_what_it_cannot_do_is_refused(tagger, notes, tmp_path):
    """Going on from a model, another engine, weights of features: each with what it is about."""
    settings, folder = tagger.config, tagger.folder
    before = model_folder.hash_file(folder / rnn.NETWORK)
    with pytest.raises(ConfigurationError, match="--resume: the system rnn cannot continue"):
        model.train(notes[:6], settings, folder, resume=True)
    with pytest.raises(ConfigurationError, match="engine crfsuite: the system rnn has no other engine"):
        model.train(notes[:6], settings, tmp_path / "m", engine="crfsuite")
    with pytest.raises(ConfigurationError, match="a model of the system rnn is explained by a note"):
        explain.main([str(folder)])
    assert model_folder.hash_file(folder / rnn.NETWORK) == before and not (tmp_path / "m").exists()


def test_the_network_of_another_model_is_refused(tagger, small_model, tmp_path):
    """Settings of one system over the files of another, sealed as if they belonged together."""
    folder = tmp_path / "m"
    shutil.copytree(small_model.folder, folder)
    shutil.copyfile(tagger.folder / "settings.json", folder / "settings.json")
    (folder / "manifest.json").unlink()
    model_folder.write_manifest(folder)
    with pytest.raises(ModelError, match="no list of words"):
        model.load(folder)


def test_stopped_leaves_nothing(notes, tmp_path):
    def stop(number, loss):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.train(notes[:6], tiny(), tmp_path / "m", stop)
    assert list(tmp_path.iterdir()) == []


CANARY = "Zyzzyvacanary"


@pytest.mark.parametrize("how", ["rate", "words", "labels", "network"])
def test_no_word_of_a_note_is_told(tmp_path, how):
    text = f"Seen by {CANARY} .\n"
    document = Document("n1", text * 2, (Span(8, 8 + len(CANARY), "DOCTOR"),))
    folder, settings = tmp_path / "m", tiny(least=1, epochs=1)
    if how == "rate":
        settings = tiny(least=1, rate=1e38, spread=1e30)
    with pytest.raises(CrfdeidError) as told:
        model.train([document], settings, folder)
        assert CANARY in (folder / rnn_vocabulary.WORDS).read_text()
        file = {"words": rnn_vocabulary.WORDS, "labels": rnn.LABELS, "network": rnn.NETWORK}[how]
        (folder / file).write_bytes((folder / file).read_bytes()[:-1])
        model_folder.write_manifest(folder)
        model.load(folder)
    assert CANARY not in str(told.value)
    assert not folder.exists() or told.type is ModelError


def test_no_pickle_in_a_model(tagger):
    """safetensors: a length, a table in JSON that names the weights, and numbers to the end."""
    data = (tagger.folder / rnn.NETWORK).read_bytes()
    size = int.from_bytes(data[:8], "little")
    weights = json.loads(data[8 : 8 + size])
    assert {"E", "V", "c", "W.0", "U.0", "b.0"} == set(weights)
    assert max(w["data_offsets"][1] for w in weights.values()) == len(data) - 8 - size


def test_the_benchmark(tmp_path, monkeypatch, capsys):
    """All its runs, in this process and with small networks, and the papers' tables beside ours."""

    small = {"hidden": 4, "dimensions": 8, "embedding_epochs": 1}

    def smaller(settings, epochs, batch):
        if settings.system == "crf":
            return dataclasses.replace(settings, features=("lexical",), crf={"max_iterations": 5})
        return dataclasses.replace(settings, options=settings.options | small | {"epochs": epochs})

    def run(left, out, at_once, hear):
        for job in left:
            one_training.train_job(job, job.folder, lambda number: None)

    monkeypatch.setattr(benchmark, "set_steps", smaller)
    monkeypatch.setattr(benchmark, "runner", SimpleNamespace(run_jobs=run))
    sizes = {"documents": 1, "test": 1, "seeds": 2, "epochs": 1, "resamples": 20}
    given = [f"--{name}={number}" for name, number in sizes.items()]
    benchmark.main(["--out", str(tmp_path), "--wider", *given])
    said = capsys.readouterr().out
    for told in ("93.84", "CRF P", "Random Number", "Elman -> Jordan: recall", "Jordan, strict recall:"):
        assert told in said
    assert len(list(tmp_path.iterdir())) == 3 + 1 + 2 + 2 + 2


def test_the_cost_of_steps(monkeypatch, capsys):
    monkeypatch.setattr(benchmark, "BATCHES", (1, 4))
    benchmark.main(["--steps", "--documents", "1", "--epochs", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" in a step")[0] for line in lines] == [
        "elman, 1", "elman, 4", "jordan, 1", "jordan, 4"
    ]  # fmt: skip
    with pytest.raises(ConfigurationError, match="--out FOLDER"):
        benchmark.main([])


def test_hiding_a_word_shows_what_the_label_depends_on(tagger, notes, tmp_path, capsys):
    """The scores with nothing hidden are those that it tags with; "Dr." is what makes a name."""
    from crfdeid.explain import __main__ as explain

    note = Document("n", notes[30].text.replace("\n", " "))
    scores = tagger.score_hidden(note, range(0, 6), 4)
    assert scores.shape == (7, len(tagger.labels))
    np.testing.assert_allclose(scores[0], tagger.score_tokens(note)[4], atol=1e-5)
    (tmp_path / "note.txt").write_text(note.text, encoding="utf-8")
    explain.main([str(tagger.folder), "--note", str(tmp_path / "note.txt"), "--at", "12", "--top", "3"])
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith(": B-DOCTOR") and said[2].split() == ["label", "probability"]
    hidden = [line.split() for line in said if line.split()[:1] == ["hidden"] or line[:1].isdigit()]
    assert hidden[0][:3] == ["hidden", "probability", "change"] and len(hidden) == 4
    before, after, change = float(said[3].split()[1]), float(hidden[1][1]), float(hidden[1][2])
    assert after - before == pytest.approx(change, abs=2e-4)
    explain.main([str(tagger.folder), "--note", str(tmp_path / "note.txt")])
    assert capsys.readouterr().out.splitlines()[5].split()[2] == "B-DOCTOR"
