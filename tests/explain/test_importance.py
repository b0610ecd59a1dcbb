"""Information gain: by hand, against scikit-learn, and through the command line."""

import csv
import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from crfdeid import cli, corpora
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError
from crfdeid.explain import importance
from crfdeid.explain.model_weights import map_groups
from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction.information_gain import (
    TARGETS,
    entropy,
    information_gain,
    join_codes,
    join_groups,
    observe_corpus,
    rank_columns,
)
from crfdeid.systems import model_folder
from crfdeid.text import bio
from crfdeid.text.document import Document, Span
from crfdeid.text.tokenizer import is_line_end

CANARY = "Zanzibarova"
LEXICAL = Config(features=("lexical", "orthographic", "context"))

# The value of a feature at each token, the target, and the gain in bits by hand.
BY_HAND = [
    ([0, 0, 1, 1], [0, 0, 1, 1], 1.0),  # says everything
    ([0, 1, 0, 1], [0, 0, 1, 1], 0.0),  # says nothing
    ([0, 0, 0, 0], [0, 0, 1, 1], 0.0),  # one value
    ([0, 0, 1, 1], [0, 0, 0, 0], 0.0),  # nothing to gain
    ([0, 0, 1, 1], [0, 0, 1, 0], 0.8112781244591328 - 0.5),  # H(1/4) less half a bit
    ([0, 1, 2, 3], [0, 1, 2, 3], 2.0),
    # Quinlan 1986, section 4: outlook (sunny, overcast, rain) about playing, 0.246 bits
    ([0, 0, 1, 2, 2, 2, 1, 0, 0, 2, 0, 1, 1, 2], [0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0], 0.2467),
]
CODES = st.integers(1, 40).flatmap(
    lambda size: st.tuples(*[st.lists(st.integers(0, 4), min_size=size, max_size=size)] * 2)
)


@pytest.mark.parametrize("x, y, bits", BY_HAND)
def test_gain_by_hand(x, y, bits):
    assert information_gain(np.array(x), np.array(y)) == pytest.approx(bits, abs=5e-5)


@given(CODES)
def test_gain_is_scikit_learn_s_mutual_information(codes):
    x, y = map(np.array, codes)
    assert information_gain(x, y) == pytest.approx(mutual_info_score(x, y) / math.log(2), abs=1e-9)
    assert 0 <= information_gain(x, y) <= entropy(y) + 1e-12
    assert information_gain(join_codes(x, y), y) == pytest.approx(entropy(y), abs=1e-9)


@given(CODES)
def test_joint_is_a_code_for_each_pair(codes):
    x, y = map(np.array, codes)
    found = join_codes(x, y).tolist()
    assert len(set(zip(found, *codes))) == len(set(found)) == len(set(zip(*codes)))


@pytest.fixture(scope="module")
def measured(notes, tmp_path_factory):
    folder = tmp_path_factory.mktemp("line") / "model"
    pipeline = model_folder.create_folder(folder, notes[:6], LEXICAL).pipeline
    return pipeline, observe_corpus(pipeline, notes[:6])


def test_codes_are_the_values_of_the_templates(measured, notes):
    """Against the extractor's own strings, a template at a time."""
    pipeline, observed = measured
    values, gold = [], []
    for document in notes[:6]:
        page, (sequence,) = pipeline.tokenize_document(document)
        labels = bio.encode(page.tokens, document.spans)
        for number, features in zip(sequence, pipeline.extractor.features(page, sequence)):
            if not is_line_end(page.tokens[number]):
                values.append(dict(feature.split("=", 1) for feature in features if "=" in feature))
                gold.append(labels[number][2:])
    assert observed.targets["phi"].tolist() == [int(type != "") for type in gold]
    types = observed.targets["type"].tolist()
    assert len(set(zip(types, gold))) == len(set(types)) == len(set(gold)) == 4
    for template, codes in observed.codes.items():
        pairs = {(code, row.get(template)) for code, row in zip(codes.tolist(), values)}
        assert len(pairs) == len({code for code, _ in pairs}) == len({value for _, value in pairs})
        assert (0, None) in pairs or all(code for code, _ in pairs)


def test_several_features_of_a_template_are_one_value(measured, monkeypatch, notes):
    pipeline, _ = measured
    several = lambda page, sequence: [["bias", *["lower[0]=a", "lower[0]=b"][: n % 3]] for n in sequence]  # noqa: E731
    monkeypatch.setattr(pipeline.extractor, "features", several)
    codes = observe_corpus(pipeline, notes[:1]).codes["lower[0]"].tolist()
    assert codes[:3] == codes[3:6] and codes[0] == 0 and len(set(codes)) == 3


def test_the_word_before_a_doctor_has_the_greatest_gain():
    """In notes whose one type follows "Dr", the word before says everything, and the shape nothing."""
    rows = [("Dr Ruiz Saw", 3), ("Dr Okaf Saw", 3), ("Dr Nowa Saw", 3)]
    documents = [Document(str(n), t, (Span(at, at + 4, "DOCTOR"),)) for n, (t, at) in enumerate(rows)]
    observed, groups = importance.observe_configuration(documents, "english")
    found = {gain.name: gain for gain in rank_columns(observed.codes, observed.targets["phi"])}
    assert found["lower[-1]"].gain == pytest.approx(entropy(observed.targets["phi"]))
    assert found["begins_capital[0]"].gain == 0
    assert groups["begins_capital[0]"] == "orthographic"


def test_ranks(measured):
    _, observed = measured
    for target in TARGETS:
        gains = rank_columns(observed.codes, observed.targets[target])
        assert [g.gain for g in gains] == sorted((g.gain for g in gains), reverse=True)
        nets = rank_columns(observed.codes, observed.targets[target], net=True)
        assert [g.net for g in nets] == sorted((g.net for g in nets), reverse=True)
        assert rank_columns(observed.codes, observed.targets[target], seed=0) == gains
    assert [g.chance for g in gains] != [
        g.chance for g in rank_columns(observed.codes, observed.targets["type"], 1)
    ]


def test_the_gain_of_a_group_is_at_least_that_of_each_template(measured):
    _, observed = measured
    groups = map_groups(map(templates.find_group, LEXICAL.features))
    y = observed.targets["phi"]
    for group, column in join_groups(observed.codes, groups).items():
        own = [information_gain(c, y) for name, c in observed.codes.items() if groups[name] == group]
        assert information_gain(column, y) >= max(own) - 1e-12


@pytest.fixture(scope="module")
def corpus(notes, tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    corpora.write(notes[:6], folder / "notes", "i2b2")
    return folder / "notes"


def test_the_command_ranks_and_writes(corpus, tmp_path, capsys):
    table, sheet = tmp_path / "gain.csv", tmp_path / "gain.json"
    importance.main([str(corpus), "--top", "5", "--csv", str(table), "--json", str(sheet)])
    output = capsys.readouterr().out
    assert "about PHI or not" in output and f"{corpus} (6 documents; english)" in output
    assert "Sibanda & Uzuner 2006" in output and "rank among " in output
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    written = json.loads(sheet.read_text(encoding="utf-8"))
    assert [float(row["gain"]) for row in rows] == [row["gain"] for row in written["gains"]]
    parts = {(about, of) for about in TARGETS for of in ("group", "template")}
    assert {(row["about"], row["of"]) for row in rows} == parts
    best = next(row for row in rows if row["about"] == "phi" and row["of"] == "template")
    assert best["rank"] == "1" and f"\n{best['name']}  " in output
    assert "6 documents" in written["corpus"] and written["tokens"] > 100
    assert 0 < written["entropy"]["phi"] < 1
    assert not any(name in output + table.read_text() for name in ("Ruiz", "ruiz", "Smith"))


def test_the_command_about_the_type_by_net_gain(corpus, capsys):
    importance.main([str(corpus), "--about", "type", "--by", "net", "--top", "1000"])
    lines = capsys.readouterr().out.split("\n\n")[2].splitlines()
    nets = [float(line.split()[-1]) for line in lines[1:]]
    assert len(nets) > 200 and nets == sorted(nets, reverse=True)


@pytest.mark.parametrize(
    "spans, arguments, message",
    [
        ((), [], "no span in the documents: wanted documents with PHI spans"),
        ((Span(0, 4, "NOBODY"),), [], "the type at 0-4 is not a type"),
        ((Span(0, 4, "DOCTOR"),), ["--config", "englsh"], "did you mean english?"),
    ],
)
def test_bad_input_is_refused_in_one_line(tmp_path, capsys, spans, arguments, message):
    corpora.write([Document("1", CANARY, spans)], tmp_path / "c.jsonl", "jsonl")
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: importance.main([str(tmp_path / "c.jsonl"), *arguments]))
    output = capsys.readouterr().err
    assert stopped.value.code == 2 and message in output and output.count("\n") == 1 and CANARY not in output


def test_a_system_without_templates_is_refused(monkeypatch, notes):
    rules = SimpleNamespace(features=(), system="rules")
    monkeypatch.setattr(importance.registry, "read_config", lambda name: rules)
    with pytest.raises(ConfigurationError, match="the system rules has no feature templates"):
        importance.observe_configuration(notes[:2], "rules")


@pytest.mark.slow
def test_as_a_command(corpus, capsys):
    importance.main([str(corpus), "--top", "3"])
    done = capsys.readouterr()
    assert done.out.startswith("Information gain about PHI") and not done.err
