"""Tagging by a threshold on the marginal probability of PHI."""

import json

import numpy as np
import pytest

from crfdeid import cli, corpora
from crfdeid.engine.decoding.chain import run_chain
from crfdeid.engine.decoding.marginals import sum_types
from crfdeid.errors import ConfigurationError
from crfdeid.redact.__main__ import main as redact_main
from crfdeid.systems import model, parallel
from crfdeid.systems.tagger import Union, unite_spans
from crfdeid.systems.threshold import Masker, Threshold, make_threshold, parse_threshold
from crfdeid.tag import __main__ as tag
from crfdeid.text.document import Document

TEXT = "Dr. Quimby on 3/44/2061, A 77 Nowak;\nMr. Haddad of 12 Smith Street - (Ruiz)"
LABELS = ["O", "B-AGE", "I-AGE", "B-DATE", "I-DATE"]


def find_probable(tagger, document, t):
    """The tokens with P(PHI) of at least t, from the chain in logarithms."""
    batch = tagger.batch([document])
    marginals = run_chain(tagger.decoder.emissions(batch), tagger.weights.transitions).marginals()
    phi = 1 - marginals[:, tagger.weights.labels.index("O")]
    return [token for token, p in zip(batch.tokens(0), phi) if p >= t]


@pytest.mark.parametrize("t", [0.5, 0.1, 0.01, 1e-3])
def test_words_are_tagged_where_phi_is_probable_and_nowhere_else(small_model, t):
    document = Document("1", TEXT)
    found = next(small_model.tag_unrepaired([document], threshold=t)).spans
    covered = {i for span in found for i in range(span.start, span.end) if TEXT[i].isalnum()}
    probable = find_probable(small_model, document, t)
    assert covered == {i for k in probable for i in range(k.start, k.end) if TEXT[i].isalnum()}
    assert all(any(map(str.isalnum, TEXT[span.start : span.end])) for span in found)


def test_a_lower_threshold_tags_more(small_model):
    found = [small_model.tag(Document("1", TEXT), threshold=t).spans for t in (1, 0.5, 0.01, 1e-5)]
    sizes = [sum(span.end - span.start for span in spans) for spans in found]
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1]


def test_sure_spans_are_those_without_a_threshold(small_model, notes):
    assert [n.spans for n in small_model.tag_all(notes[30:], threshold=0.5)] == [n.spans for n in notes[30:]]


def test_both_engines_and_both_kernels_tag_alike(small_model):
    pytest.importorskip("numba")
    document = Document("1", TEXT)
    wanted = small_model.tag(document, threshold=0.01).spans
    compiled = model.load(small_model.folder)
    compiled.compile()
    assert compiled.tag(document, threshold=0.01).spans == wanted
    assert model.load(small_model.folder, "crfsuite").tag(document, threshold=0.01).spans == wanted


def test_offsets_are_of_the_text_as_it_was(small_model):
    plain, typed = Document("1", "a\nDr. Ruiz on 3/4/2061"), Document("1", "a\r\nDr.\u00a0Ruiz on 3/4/2061")
    texts = [[d.text_of(s) for s in small_model.tag(d, threshold=0.1).spans] for d in (plain, typed)]
    assert texts[0] == texts[1] and "Ruiz" in texts[0]


def find_labels(rows, best, threshold):
    """The labels of tokens of one letter, with these marginals [tokens, labels] and best labels."""
    from crfdeid.engine.arrays.batch import Batch

    size, zeros = len(rows), np.zeros(len(rows), np.int64)
    place = np.arange(size)
    bounds = np.array([0, size])
    batch = Batch([Document("1", "a" * size)], zeros, place, place + 1, bounds, zeros, bounds[:1], bounds[1:])
    masker = Masker(LABELS, make_threshold(threshold))
    sums = sum_types(np.array(rows), masker.type_of, masker.least)
    path = masker.find_path(batch, *sums, np.array([LABELS.index(label) for label in best]))
    return [masker.names[number] for number in path]


@pytest.mark.parametrize(
    ("best", "threshold", "wanted"),
    [
        (["O", "O", "O"], 0.5, ["O", "I-DATE", "O"]),
        (["O", "O", "O"], 0.1, ["I-AGE", "I-DATE", "I-DATE"]),
        (["O", "B-DATE", "B-DATE"], 0.1, ["I-AGE", "I-DATE", "B-DATE"]),
        (["O", "B-AGE", "B-DATE"], 0.1, ["I-AGE", "I-DATE", "I-DATE"]),
        (["O", "O", "O"], {"default": 0.1, "DATE": 0.9}, ["I-AGE", "O", "O"]),
        (["O", "O", "B-DATE"], {"AGE": 0.1}, ["I-AGE", "O", "I-DATE"]),
        (["B-AGE", "O", "O"], 0.9, ["O", "O", "O"]),
    ],
)
def test_labels_follow_marginals_and_bounds_follow_the_best_path(best, threshold, wanted):
    rows = [[0.8, 0.1, 0.05, 0.05, 0.0], [0.4, 0.0, 0.0, 0.3, 0.3], [0.8, 0.05, 0.0, 0.1, 0.05]]
    assert find_labels(rows, best, threshold) == wanted


def test_in_a_union_the_rules_add_what_they_find(small_model):
    rules = model.load("rules")
    document = Document("1", "Call (617) 555-0148. " + TEXT)
    parts = [small_model.tag_unrepaired([document], threshold=0.01), rules.tag_unrepaired([document])]
    wanted = unite_spans(document.text, [next(part).spans for part in parts])
    union = Union([small_model, rules])
    assert list(next(union.tag_unrepaired([document], threshold=0.01)).spans) == wanted
    assert union.tag(document, threshold=0.01) != union.tag(document)


def test_several_processes_use_the_threshold(small_model, notes, monkeypatch):
    monkeypatch.setattr(parallel, "CHUNK", 200)
    bare = [Document(note.id, note.text + TEXT) for note in notes]
    chosen = Threshold(1e-4)
    found = parallel.tag_in_processes(small_model, small_model.folder, "fast", iter(bare), 2, chosen)
    assert list(found) == list(small_model.tag_all(bare, threshold=chosen)) != list(small_model.tag_all(bare))


def status(main, *arguments):
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: main(list(map(str, arguments))))
    return stopped.value.code


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["0"], "threshold default: wanted a number above 0 and at most 1"),
        (["1.01"], "threshold default: wanted a number above 0"),
        (["nan"], "threshold default: wanted a number above 0"),
        (["-0.1"], "threshold default: wanted a number above 0"),
        (["DATE=2"], "threshold DATE: wanted a number above 0"),
        (["0.1", "DTAE=0.2"], "threshold DTAE: no type of scheme i2b2-2014; did you mean DATE?"),
        (["low"], "--threshold low: wanted a number, TYPE=NUMBER, or a file"),
        (["gone.toml"], "gone.toml: No such file or directory"),
    ],
)
def test_what_is_not_a_threshold_is_refused_in_one_line(small_model, tmp_path, capsys, values, message):
    (tmp_path / "n.txt").write_text(TEXT)
    options = [f"--threshold={value}" for value in values]
    assert status(tag.main, tmp_path / "n.txt", "--model", small_model.folder, *options) == 2
    said = capsys.readouterr()
    assert message in said.err and said.err.count("\n") == 1 and not said.out


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.toml", "DATE = ", "not TOML"),
        ("t.json", "{", "not JSON"),
        ("t.json", "[0.1]", "wanted a table of types and numbers"),
        ("t.toml", "", "wanted a table of types and numbers"),
        ("t.toml", 'DATE = "low"', "threshold DATE: wanted a number above 0"),
        ("t.toml", "DATE = true", "threshold DATE: wanted a number above 0"),
    ],
)
def test_files_that_are_not_thresholds_are_refused(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigurationError, match=f"{name}: {message}"):
        parse_threshold([str(tmp_path / name)])


def test_a_file_and_options_give_one_table(tmp_path):
    (tmp_path / "t.toml").write_text("default = 0.1\nDATE = 0.2\n")
    (tmp_path / "t.json").write_text(json.dumps({"AGE": 1}))
    files = [str(tmp_path / "t.toml"), str(tmp_path / "t.json")]
    assert parse_threshold([*files, "DATE=0.3"]) == Threshold(0.1, {"AGE": 1, "DATE": 0.3})
    assert parse_threshold(None) is None
    with pytest.raises(ConfigurationError, match="none is given"):
        make_threshold({})


def test_systems_without_probabilities_refuse_a_threshold(tmp_path, capsys):
    (tmp_path / "n.txt").write_text(TEXT)
    assert status(tag.main, tmp_path / "n.txt", "--model", "rules", "--threshold", "0.1") == 2
    out = ["--out", tmp_path / "out", "--threshold", "0.1"]
    assert status(redact_main, tmp_path / "n.txt", *out, "--model", "rules") == 2
    assert status(redact_main, tmp_path / "n.txt", *out, "--spans", "gold") == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == lines[1] and "the system rules gives no probabilities of tokens" in lines[0]
    assert "--spans gold does not use one" in lines[2] and not (tmp_path / "out").exists()


def test_redact_replaces_what_the_threshold_finds(small_model, tmp_path, capsys):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "n.txt").write_text(TEXT)
    common = [tmp_path / "notes", "--style", "type", "--seed", "1", "--model", small_model.folder]
    for name, options in (("most", []), ("more", ["--threshold", "1e-5"])):
        report = ["--report", tmp_path / f"{name}.json"]
        redact_main([str(a) for a in (*common, "--out", tmp_path / name, *options, *report)])
    assert "the model tagged at threshold 1e-05" in capsys.readouterr().out
    texts = [next(corpora.read(tmp_path / name)).text for name in ("most", "more")]
    assert texts[1].count("[**") > texts[0].count("[**")
    assert json.loads((tmp_path / "more.json").read_text())["threshold"] == "1e-05"
    assert json.loads((tmp_path / "most.json").read_text())["threshold"] == "0.1"  # the default of redact
