"""Explaining a model: the parts sum to the whole, and agree with the model and with CRFsuite."""

import os
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfdeid import cli, corpora
from crfdeid.config import Config
from crfdeid.engine import crfsuite_file
from crfdeid.errors import DocumentError, ModelError
from crfdeid.explain import __main__ as explain
from crfdeid.explain import attribution, model_weights
from crfdeid.explain import page as explanation_page
from crfdeid.explain import text as explanation_text
from crfdeid.explain.model_weights import Weight
from crfdeid.systems import model, model_folder
from crfdeid.systems.crf import CRFSUITE
from crfdeid.text.document import Document

CANARY = "Zanzibarova"
PIECES = ["Seen by", " Dr. ", "Ruiz", "Ōe", " on ", "3/4/2061", "\n", "  ", "67", "<b>&", "\x1b[3m", "=", "."]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@pytest.fixture(scope="module")
def parts(small_model):
    return model_weights.load(small_model.folder)


@pytest.fixture(scope="module")
def crfsuite(small_model):
    tagger = pycrfsuite.Tagger()
    tagger.open(str(small_model.folder / CRFSUITE))
    return tagger


@settings(deadline=None)
@given(TEXTS)
def test_contributions_sum_to_the_emissions_that_the_model_tags_with(parts, small_model, text):
    document = Document("n", text)
    emissions = small_model.decoder.emissions(small_model.decoder.batch([document]))
    trace = attribution.trace_document(parts, document)
    for number, *_ in trace.label_tokens():
        explanation = trace.explain(number)
        order = [parts.labels.index(candidate.label) for candidate in explanation.candidates]
        assert sorted(order) == list(range(len(parts.labels)))
        wanted = pytest.approx(emissions[number][order], abs=1e-9)
        assert [candidate.emission for candidate in explanation.candidates] == wanted
        for summed in (explanation.by_group(), explanation.by_template(), explanation.by_feature()):
            assert sum(row for _, row in summed) == wanted


@settings(deadline=None)
@given(TEXTS)
def test_labels_and_probabilities_are_crfsuite_s(parts, crfsuite, text):
    document = Document("n", text)
    page, sequences = parts.pipeline.tokenize_document(document)
    trace = attribution.trace_document(parts, document)
    found = list(trace.label_tokens())
    for sequence in sequences:
        labels = crfsuite.tag(parts.pipeline.extractor.features(page, sequence))
        assert [label for _, _, label, _ in found[sequence.start : sequence.stop]] == labels
        for at, number in enumerate(sequence):
            explanation = trace.explain(number)
            assert explanation.label == labels[at] and explanation.token == page.tokens[number]
            around = [None, *labels, None][at : at + 3 : 2]
            assert [explanation.before, explanation.after] == around
            for candidate in explanation.candidates:
                marginal = crfsuite.marginal(candidate.label, at)
                assert candidate.probability == pytest.approx(marginal, abs=1e-6)


@settings(deadline=None)
@given(TEXTS)
def test_behind_is_the_distance_to_the_best_labelling_with_that_label(parts, text):
    """Compared with every labelling of sequences of up to three tokens."""
    trace = attribution.trace_document(parts, Document("n", text))
    for sequence in trace.sequences:
        if len(sequence.features) > 3:
            continue
        grid = np.meshgrid(*[range(len(parts.labels))] * len(sequence.features), indexing="ij")
        ways = np.stack(grid, axis=-1).reshape(-1, len(sequence.features))
        scores = sum(sequence.emissions[t][ways[:, t]] for t in range(ways.shape[1]))
        scores = scores + sum(parts.transitions[ways[:, t], ways[:, t + 1]] for t in range(ways.shape[1] - 1))
        for at in range(ways.shape[1]):
            for candidate in trace.explain(sequence.start + at).candidates:
                best = scores[ways[:, at] == parts.labels.index(candidate.label)].max()
                assert candidate.behind == pytest.approx(scores.max() - best, abs=1e-9)


def test_lines_as_sequences(notes, tmp_path):
    """Line ends are in no sequence, and each line is explained by itself."""
    settings = Config(features=("lexical",), sequence="line", crf={"max_iterations": 20})
    trained = model.train(notes[:12], settings, tmp_path / "m", engine="crfsuite")
    trace = attribution.trace_document(model_weights.load(trained.folder), notes[20])
    ends = [number for number, token in enumerate(trace.tokens) if token.text == "\n"]
    assert len(trace.sequences) == len(ends) == 2
    with pytest.raises(DocumentError, match=f"token {ends[0]} is a line end"):
        trace.explain(ends[0])
    assert trace.explain(ends[0] - 1).after is None and trace.explain(ends[0] + 1).before is None
    begun = [token.start for _, token, label, _ in trace.label_tokens() if label[0] == "B"]
    assert begun and begun == [span.start for span in trained.tag(notes[20]).spans]


def test_groups_are_the_model_s_template_files():
    shipped = model_weights.load(model_folder.find_folder("english"))
    files = {file.removesuffix(".template") for file in shipped.config.features}
    assert {group for group, *_ in shipped.by_group()} == files | {"bias"}
    assert shipped.group("titled[0]=1") == "context" and shipped.group("bias") == "bias"
    assert sum(weights for *_, weights, _ in shipped.by_group()) == shipped.weight_count
    assert {shipped.group(feature) for feature in shipped.features} <= {g for g, *_ in shipped.by_group()}


@pytest.fixture(scope="module")
def made(small_model, tmp_path_factory):
    """Known weights: two labels, three features, three transitions."""
    folder = tmp_path_factory.mktemp("made") / "model"
    shutil.copytree(small_model.folder, folder)
    rows = [(0, 0, 1, 2.0), (0, 0, 0, -1.0), (0, 1, 1, -3.0), (0, 2, 1, 4.0)]
    rows += [(1, 0, 1, -0.5), (1, 1, 0, 0.25), (1, 0, 0, 1.0)]
    names = ["bias", "lower[-1]=dr", "shape[0]=Aaaa"]
    crfsuite_file.write(folder / CRFSUITE, ["O", "B-DOCTOR"], names, np.array(rows, crfsuite_file.RECORD))
    return model_weights.ModelWeights(replace(small_model.model, path=folder))


def test_the_strongest_weights_of_a_made_model(made):
    assert made.strongest_features("B-DOCTOR", 5) == [
        Weight("shape[0]=Aaaa", 4.0, "orthographic"),
        Weight("bias", 2.0, "bias"),
    ]
    assert made.strongest_features("B-DOCTOR", 1) == made.strongest_features("B-DOCTOR", 5)[:1]
    assert made.strongest_features("B-DOCTOR", 5, -1) == [Weight("lower[-1]=dr", -3.0, "lexical")]
    assert made.strongest_features("O", 5) == []
    groups = [("orthographic", 1, 1, 4.0), ("bias", 1, 2, 3.0), ("lexical", 1, 1, 3.0)]
    assert sorted(made.by_group()) == sorted(groups)


def test_the_strongest_transitions_of_a_made_model(made):
    assert made.strongest_transitions(5) == [Weight("O → O", 1.0), Weight("B-DOCTOR → O", 0.25)]
    assert made.strongest_transitions(5, 1, "B-DOCTOR") == [Weight("B-DOCTOR → O", 0.25)]
    assert made.strongest_transitions(5, -1) == [Weight("O → B-DOCTOR", -0.5)]


def test_a_decision_of_a_made_model(made):
    """Tokens Dr, Ruiz: emissions O (-1, -1), B-DOCTOR (2, 2 - 3 + 4); then transitions."""
    explanation = attribution.trace_document(made, Document("n", "Dr Ruiz")).explain(1)
    best, other = explanation.candidates
    assert (best.label, best.emission, best.into, best.onward) == ("B-DOCTOR", 3.0, 0.0, None)
    assert (other.label, other.emission, other.into, other.onward) == ("O", -1.0, 0.25, None)
    assert other.behind == (2 + 0 + 3) - (2 + 0.25 - 1)
    assert [(group, row.tolist()) for group, row in explanation.by_group()] == [
        ("orthographic", [4.0, 0.0]),
        ("bias", [2.0, -1.0]),
        ("lexical", [-3.0, 0.0]),
    ]
    scores = np.exp([-1 + 1 - 1, -1 - 0.5 + 3, 2 + 0.25 - 1, 2 + 0 + 3])
    assert best.probability == pytest.approx((scores[1] + scores[3]) / scores.sum())


AT = [(8, 2), (9, 2), (12, 4), (15, 4)]


@pytest.mark.parametrize("offset, number", AT)
def test_a_token_is_found_by_any_of_its_offsets(parts, notes, offset, number):
    assert attribution.trace_document(parts, notes[0]).number_at(offset) == number


@pytest.mark.parametrize("offset", [-1, 4, 7, 10**6])
def test_an_offset_without_a_token_is_an_error(parts, notes, offset):
    with pytest.raises(DocumentError, match=f"no token at offset {offset}"):
        attribution.trace_document(parts, notes[0]).number_at(offset)


def test_rows_after_the_top_are_summed():
    rows = [(str(n), np.array([n, 2 * n])) for n in (5, 3, 1)]
    name, row = explanation_text.keep_top(rows, 1)[1]
    assert (name, row.tolist()) == ("all others (2)", [4, 8])
    assert explanation_text.keep_top(rows, 3) == rows


def run_explain(small_model, capsys, *arguments):
    explain.main([str(argument) for argument in (small_model.folder, *arguments)])
    return capsys.readouterr().out


@pytest.fixture(scope="module")
def file(notes, tmp_path_factory):
    path = tmp_path_factory.mktemp("note") / "note.txt"
    path.write_text(notes[0].text, encoding="utf-8")
    return path


def test_the_command_shows_the_weights(small_model, capsys):
    output = run_explain(small_model, capsys, "--top", "3")
    assert (
        "labels," in output
        and "sum of |weight|" in output
        and "\nB-DOCTOR\n" in output
        and "likely" in output
    )
    one = run_explain(small_model, capsys, "--label", "B-DATE", "--top", "3")
    assert "\nB-DATE\n" in one and "\nB-DOCTOR\n" not in one and "unlikely" in one


def test_the_command_lists_the_tokens_and_explains_one(small_model, file, capsys):
    listed = run_explain(small_model, capsys, "--note", file)
    assert re.search(r"^4 +12 +B-DOCTOR +[01]\.\d{4} +Ruiz$", listed, re.M)
    output = run_explain(small_model, capsys, "--note", file, "--at", 13, "--top", 4)
    assert output.startswith("token 4, 12-16, Ruiz: B-DOCTOR\n") and "all others (" in output
    assert output == run_explain(small_model, capsys, "--note", file, "--token", 4, "--top", 4)
    columns = [line.split() for line in output.splitlines() if line.startswith(("emission", "B-DOCTOR"))]
    assert columns[0][2] == columns[1][1] == columns[2][1] == columns[3][1]  # label, group, template, feature
    assert "lexical" in output and "orthographic" in output and re.search(r"^O  ", output, re.M)


@pytest.mark.parametrize("runners", [1, 2, 3, 99])
def test_the_winner_is_compared_with_the_runners_up_and_o(parts, notes, runners):
    explanation = attribution.trace_document(parts, notes[0]).explain(4)
    chosen = explanation_text.choose_candidates(explanation, runners)
    first = list(range(min(runners + 1, len(parts.labels))))
    assert chosen[: len(first)] == first and len(set(chosen)) == len(chosen) <= len(first) + 1
    assert explanation.candidates[chosen[0]].label == "B-DOCTOR"
    assert "O" in [explanation.candidates[n].label for n in chosen]


def test_the_command_shows_weights_and_a_token_where_both_are_asked(small_model, file, capsys):
    both = run_explain(small_model, capsys, "--note", file, "--at", 12, "--label", "B-AGE")
    assert "sum of |weight|" in both and "\nB-AGE\n" in both and "token 4, 12-16" in both


def test_the_command_explains_a_document_of_a_corpus(small_model, notes, tmp_path, capsys):
    corpora.write(notes[:3], tmp_path / "c.jsonl", "jsonl")
    output = run_explain(
        small_model, capsys, "--note", tmp_path / "c.jsonl", "--document", notes[1].id, "--at", 12
    )
    assert output.startswith("token 4") and "B-DOCTOR" in output


def test_control_characters_of_a_note_are_escaped_on_the_terminal(small_model, tmp_path, capsys):
    (tmp_path / "n.txt").write_text("Seen \x1b[31m by Ruiz", encoding="utf-8")
    output = run_explain(small_model, capsys, "--note", tmp_path / "n.txt", "--at", 5)
    assert "\x1b" not in output and "\\x1b" in output


BAD = [
    (["--label", "B-DOCTER"], "no label B-DOCTER; did you mean B-DOCTOR?"),
    (["--at", "3"], "need --note"),
    (["--note", "NOTE", "--at", "4"], "it is white space"),
    (["--note", "NOTE", "--at", "99999"], "past the end of the text"),
    (["--note", "NOTE", "--token", "999"], "no token 999"),
    (["--note", "NOTE", "--document", "other"], "no document other"),
    (["--note", "CORPUS"], "3 documents; choose one with --document ID"),
]


@pytest.mark.parametrize("arguments, message", BAD)
def test_bad_arguments_are_refused_in_one_line(small_model, notes, tmp_path, capsys, arguments, message):
    (tmp_path / "note.txt").write_text(f"Seen by {CANARY}", encoding="utf-8")
    corpora.write([Document(d.id, CANARY) for d in notes[:3]], tmp_path / "c.jsonl", "jsonl")
    paths = {"NOTE": str(tmp_path / "note.txt"), "CORPUS": str(tmp_path / "c.jsonl")}
    given = [str(small_model.folder), *(paths.get(a, a) for a in arguments)]
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: explain.main(given))
    output = capsys.readouterr()
    assert stopped.value.code == 2 and message in output.err and output.err.count("\n") == 1
    assert CANARY not in output.err and not output.out


def test_a_model_of_another_system_is_refused(small_model, monkeypatch):
    other = SimpleNamespace(config=SimpleNamespace(system="rules"))
    monkeypatch.setattr(model_folder, "read_folder", lambda folder: other)
    with pytest.raises(
        ModelError, match="a model of the system rules; only crf, judged, svm, two_stage, multi, snow have"
    ):
        model_weights.load(small_model.folder)


class Page(HTMLParser):
    """The page's words, tags and attributes; unclosed elements are an error."""

    def __init__(self, html):
        super().__init__()
        self.words, self.tags, self.values, self.open = "", [], [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.values += attributes
        if tag not in ("meta", "!doctype"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data


def html_of(small_model, tmp_path, text, *arguments):
    (tmp_path / "n.txt").write_text(text, encoding="utf-8")
    out = tmp_path / "explanation.html"
    explain.main([str(small_model.folder), "--note", str(tmp_path / "n.txt"), "--html", str(out), *arguments])
    return out


def test_the_page_holds_the_note_as_text_and_loads_nothing(small_model, tmp_path, capsys):
    text = 'Seen by Dr. Ruiz on 3/4/2061.\n<script>alert("x")</script> <!-- model --> é\n'
    out = html_of(small_model, tmp_path, text, "--at", "12", "--at", "31")
    html = out.read_text(encoding="utf-8")
    page = Page(html)
    assert text in page.words and "script" not in page.tags and "default-src 'none'" in html
    assert not [value for name, value in page.values if name in ("src", "onclick", "onload")]
    links = [value.removeprefix("#") for name, value in page.values if name == "href"]
    assert len(links) == 2 and links == [value for name, value in page.values if name == "id"]
    assert "prefers-color-scheme: dark" in html and ("lang", "en") in page.values
    assert html.index('class="warning"') < html.index("<h1>")
    assert "Found: NAME DATE;" in page.words
    answers = re.findall(r'<h2>Token [^<]*</h2><p class="headline">([^<]*)</p>', html)
    assert len(answers) == 2 and re.match(
        r"“Ruiz” is B-DOCTOR \(0\.\d{4}\); next is [\w -]+ \(0\.\d{4}\); most for it: \w+ \(\+", answers[0]
    )
    assert page.tags.count("table") == page.tags.count("caption") and ("scope", "row") in page.values


def test_only_its_owner_may_read_the_page(small_model, tmp_path, capsys):
    assert os.stat(html_of(small_model, tmp_path, "Seen by Ruiz")).st_mode & 0o077 == 0


def test_the_page_without_a_note_shows_the_model(small_model, tmp_path, capsys):
    out = tmp_path / "m.html"
    run_explain(small_model, capsys, "--label", "B-AGE", "--html", out)
    words = Page(out.read_text(encoding="utf-8")).words
    assert "B-AGE" in words and "Feature groups" in words and "Token" not in words


@settings(deadline=None)
@given(TEXTS)
def test_every_token_of_any_note_can_be_explained(parts, text):
    """Every token, as text and in the page, with the text unharmed."""
    trace = attribution.trace_document(parts, Document("n", text))
    asked = [trace.explain(number) for number, *_ in trace.label_tokens()]
    html = explanation_page.render_page(parts, ["O"], 2, trace, asked[:2], 1)
    assert text in Page(html).words
    for one in asked:
        assert "\x1b" not in "".join(explanation_text.explain_token(one, 1, 2))


def test_as_a_command(small_model, file, capsys):
    explain.main([str(small_model.folder), "--note", str(file), "--at", "12"])
    done = capsys.readouterr()
    assert done.out.startswith("token 4") and not done.err


def test_recall_bias_is_in_the_weight_of_bias(notes, tmp_path):
    settings = Config(features=("lexical",), recall_bias=1.5, crf={"max_iterations": 5})
    plain, biased = (
        model_weights.load(model.train(notes[:6], s, tmp_path / str(s.recall_bias), engine="crfsuite").folder)
        for s in (replace(settings, recall_bias=0.0), settings)
    )
    weight = [a.feature_weights(["bias"])[0, a.label_number("O")] for a in (plain, biased)]
    assert weight[0] - weight[1] == pytest.approx(1.5)
