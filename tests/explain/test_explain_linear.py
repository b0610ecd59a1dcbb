"""Explaining linear classifiers (svm, mega, snow) and the one that ends a stack: sums, labels, forms."""

import dataclasses

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crfdeid.config import Config
from crfdeid.explain import __main__ as explain
from crfdeid.explain import attribution, model_weights
from crfdeid.systems import model
from crfdeid.text.document import Document

PIECES = ["Seen by", " Dr. ", "Ruiz", " on ", "3/4/2061", "\n", "67", " year", "<b>&", "."]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
LEXICAL = Config(features=("lexical", "orthographic"), sequence="line")
BASES = {"svm": {"system": "svm", "features": ["lexical"]}, "hmm": {"system": "hmm"}}
SYSTEMS = {
    "svm": dataclasses.replace(LEXICAL, system="svm", recall_bias=0.25),
    "snow": dataclasses.replace(LEXICAL, system="snow"),
    "multi": Config(system="multi", sequence="line", options={"bases": BASES, "folds": 2}),
}


@pytest.fixture(scope="module", params=SYSTEMS)
def tagger(request, notes, tmp_path_factory):
    return model.train(notes[:20], SYSTEMS[request.param], tmp_path_factory.mktemp(request.param) / "model")


@pytest.fixture(scope="module")
def weights(tagger):
    return model_weights.load(tagger.folder)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS)
def test_contributions_sum_to_the_scores_that_the_model_tags_with(tagger, weights, text):
    document = Document("n", text)
    scores = tagger.score_tokens(document)
    trace = attribution.trace_document(weights, document)
    for number, _, label, lead in trace.label_tokens():
        explanation = trace.explain(number)
        order = [weights.labels.index(candidate.label) for candidate in explanation.candidates]
        wanted = pytest.approx(scores[number][order], abs=1e-6)
        assert [candidate.emission for candidate in explanation.candidates] == wanted
        for summed in (explanation.by_group(), explanation.by_template(), explanation.by_feature()):
            assert sum((row for _, row in summed), np.zeros(len(order))) == wanted
        best, second, *_ = np.sort(scores[number])[::-1]
        assert label == explanation.label == list(tagger.labels)[int(scores[number].argmax())]
        assert lead == pytest.approx(best - second, abs=1e-6)
        behind = [candidate.behind for candidate in explanation.candidates]
        assert behind == pytest.approx(best - scores[number][order], abs=1e-6)
        assert {(c.probability, c.into, c.onward) for c in explanation.candidates} <= {
            (None, move, back) for move in (None, 0.0) for back in (None, 0.0)
        }


def test_the_command_shows_weights_and_a_token_without_transitions(tagger, notes, tmp_path, capsys):
    (tmp_path / "note.txt").write_text(notes[0].text, encoding="utf-8")
    explain.main([str(tagger.folder), "--top", "3"])
    listed = capsys.readouterr().out
    assert "0 transitions" in listed and "likely" not in listed and "  for" in listed
    arguments = [str(tagger.folder), "--note", str(tmp_path / "note.txt")]
    explain.main(arguments)
    below = ["by_hmm", "by_svm"] if tagger.config.system == "multi" else []
    assert capsys.readouterr().out.split("\n")[0].split() == ["token", "at", "label", "lead", *below, "text"]
    explain.main([*arguments, "--at", "12", "--html", str(tmp_path / "why.html")])
    said = capsys.readouterr().out
    assert said.startswith("token 4, 12-16, Ruiz: ") and "probability" not in said
    assert ("decisions" in said) == (tagger.config.system == "multi")
    page = (tmp_path / "why.html").read_text(encoding="utf-8")
    assert ", lead " in page and "transitions</" not in page


def test_a_stack_says_which_system_it_followed(notes, tmp_path):
    tagger = model.train(notes[:20], SYSTEMS["multi"], tmp_path / "model")
    trace = attribution.trace_document(model_weights.load(tagger.folder), notes[30])
    explanation = trace.explain(4)
    templates = {name for name, _ in explanation.by_template()}
    assert {"by_svm[0]", "by_hmm[0]", "by_hmm[0]|by_svm[0]", "votes[0]"} <= templates
    assert {group for group, _ in explanation.by_group()} == {"decisions", "bias"}
    assert explanation.label.endswith("DOCTOR")
