"""Explaining systems that are not one sum of weights: two stages, and a hidden Markov model."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_notes import SMALL

from crfdeid import cli, corpora
from crfdeid.config import Config
from crfdeid.explain import __main__ as explain
from crfdeid.explain import attribution, model_weights
from crfdeid.explain.without_weights import HmmSequence, HmmTrace
from crfdeid.systems import model
from crfdeid.systems.works.hmm_counts import END, FEATURES
from crfdeid.text import bio
from crfdeid.text.document import Document, Token

TWICE = dataclasses.replace(
    SMALL, system="two_stage", options={"folds": 2}, crf=SMALL.crf | {"max_iterations": 15}
)
WORDS = ["Dr", "Ruiz", "3", "2061", "Qwx", "."]


@pytest.fixture(scope="module")
def twice(notes, tmp_path_factory):
    return model.train(notes[:24], TWICE, tmp_path_factory.mktemp("two") / "model")


@pytest.fixture(scope="module")
def hmm(notes, tmp_path_factory):
    config = Config(system="hmm", sequence="line", recall_bias=1.5)
    return model.train(notes[:24], config, tmp_path_factory.mktemp("hmm") / "model")


def run_explain(tagger, capsys, *arguments) -> str:
    explain.main([str(tagger.folder), *map(str, arguments)])
    return capsys.readouterr().out


def test_two_stages_say_which_stage_said_what(twice, notes, tmp_path, capsys):
    (tmp_path / "note.txt").write_text(notes[0].text, encoding="utf-8")
    listed = run_explain(twice, capsys, "--note", tmp_path / "note.txt").splitlines()
    assert listed[0].split() == ["token", "at", "label", "probability", "first", "text"]
    assert listed[5].split()[::2] == ["4", "B-DOCTOR", "B-DOCTOR"] and listed[5].split()[5] == "Ruiz"
    page = tmp_path / "why.html"
    said = run_explain(twice, capsys, "--note", tmp_path / "note.txt", "--at", 12, "--html", page)
    assert said.startswith("token 4, 12-16, Ruiz: B-DOCTOR\nfirst: B-DOCTOR\n")
    assert "\ndecisions " in said and "first[0]" in said
    assert "first: B-DOCTOR" in page.read_text(encoding="utf-8")


def test_the_second_stage_sees_the_patient_s_other_notes_as_in_tagging(twice, notes):
    """The scores are those that the second CRF tags with, for a note alone and beside another note."""
    weights = model_weights.load(twice.folder)
    own, other = (dataclasses.replace(n, patient="7") for n in notes[24:26])
    for group in ([own], [other, own]):
        trace = attribution.trace_document(weights, own, group)
        columns = twice.ask_first(group)[-1:]
        batch = twice.second.batch([own], columns)
        scores = twice.second.decoder.emissions(batch)
        found = np.concatenate([sequence.emissions for sequence in trace.sequences])
        assert found == pytest.approx(scores[:, : found.shape[1]], abs=1e-9)
    assert columns[0]["patient_share"] != twice.ask_first([own])[0]["patient_share"]


def list_labellings(hmm, length):
    """Every labelling of that many words as (class, begins)."""
    steps = list(itertools.product(range(len(hmm.types)), (True, False)))
    for path in itertools.product(steps, repeat=length):
        pairs = list(zip(path, path[1:]))
        if path[0][1] and all(
            b[1] != (a[0] == 0) if a[0] == b[0] == 0 else b[1] or a[0] == b[0] for a, b in pairs
        ):
            yield path


def score_labelling(hmm, symbols, path) -> float:
    """The logarithm of the probability of the words and this labelling, with the bias, term by term."""
    size, word = len(hmm.types), len(FEATURES)
    total = hmm.find_table(END, END).turns(0)[size, path[0][0]]
    total += hmm.find_table(END, symbols[0]).first(symbols[0])[size, path[0][0]]
    for i in range(1, len(symbols)):
        before, here, was, (kind, begins) = symbols[i - 1], symbols[i], path[i - 1][0], path[i]
        if begins:
            total += hmm.find_table(before, before).after(before, END)[was]
            total += hmm.find_table(before, before).turns(before // word)[was, kind]
            total += hmm.find_table(before, here).first(here)[was, kind]
        else:
            total += hmm.find_table(before, here).after(before, here)[kind]
    last, end = path[-1][0], hmm.find_table(symbols[-1], symbols[-1])
    total += end.after(symbols[-1], END)[last] + end.turns(symbols[-1] // word)[last, size]
    return total - hmm.config.recall_bias * sum(kind == 0 for kind, _ in path)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
def test_probabilities_and_scores_are_those_of_all_labellings(hmm, words):
    sequence = HmmSequence(hmm, [Token(word, 9 * n) for n, word in enumerate(words)])
    scored = [
        (path, score_labelling(hmm, sequence.symbols, path)) for path in list_labellings(hmm, len(words))
    ]
    best, whole = max(s for _, s in scored), np.logaddexp.reduce([s for _, s in scored])
    for at in range(len(words)):
        labels = sequence.explain(at)
        assert labels[0].behind == 0 and labels[0].name == sequence.labels[at]
        assert math.fsum(label.probability for label in labels) == pytest.approx(1)
        for label in labels:
            own = [s for path, s in scored if sequence.name(*path[at]) == label.name]
            assert label.behind == pytest.approx(best - max(own), abs=1e-9)
            assert label.probability == pytest.approx(math.exp(np.logaddexp.reduce(own) - whole), abs=1e-9)
            parts = label.transition + label.emission + label.elsewhere
            winner = labels[0].transition + labels[0].emission
            assert winner - parts == pytest.approx(label.behind, abs=1e-9)


def test_a_hidden_markov_model_is_explained_as_it_tags(hmm, notes, tmp_path, capsys):
    corpora.write(notes[24:26], tmp_path / "c.jsonl", "jsonl")
    given = ("--note", tmp_path / "c.jsonl", "--document", notes[24].id)
    trace = HmmTrace(hmm, notes[24])
    labels = [label for sequence in trace.sequences for label in sequence.labels]
    numbers = [number for part in trace.ranges for number in part]
    tokens = [trace.tokens[number] for number in numbers]
    (tagged,) = hmm.tag_unrepaired([notes[24]])
    assert labels == bio.encode(tokens, tagged.spans)
    listed = run_explain(hmm, capsys, *given).splitlines()
    assert [row.split()[2] for row in listed[1:]] == labels
    said = run_explain(hmm, capsys, *given, "--token", 4, "--runners", 1)
    assert "a word that is known, written as initCap" in said
    assert said.splitlines()[3].split() == [
        "label", "probability", "from", "transition", "emission", "elsewhere", "behind",
    ]  # fmt: skip
    assert said.splitlines()[4].split()[0] == "B-DOCTOR" and "\nO " in said


@pytest.mark.parametrize(
    "options, message",
    [
        ([], "a model of the system hmm is explained by a note; wanted --note, without --label and --html"),
        (["--note", "NOTE", "--label", "B-AGE"], "wanted --note, without"),
        (["--note", "NOTE", "--token", "99"], "no token 99"),
    ],
)
def test_what_a_hidden_markov_model_cannot_show_is_refused_in_one_line(
    hmm, tmp_path, capsys, options, message
):
    (tmp_path / "note.txt").write_text("Seen by Ruiz", encoding="utf-8")
    given = [str(hmm.folder), *(o.replace("NOTE", str(tmp_path / "note.txt")) for o in options)]
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: explain.main(given))
    said = capsys.readouterr()
    assert stopped.value.code == 2 and message in said.err and said.err.count("\n") == 1 and not said.out


def test_an_empty_note_has_no_tokens_to_explain(hmm, twice):
    assert HmmTrace(hmm, Document("n", "")).list_tokens() == ["token  at  label  probability  text"]
    empty = attribution.trace_document(model_weights.load(twice.folder), Document("n", ""))
    assert list(empty.label_tokens()) == []
