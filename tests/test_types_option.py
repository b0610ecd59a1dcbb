"""The option --types and the setting types: reading, training, tagging, scoring, rules, experiments."""

import dataclasses
import json

import pytest
from small_notes import SMALL

from crfdeid import config, convert, corpora
from crfdeid.ablate import jobs, plan
from crfdeid.corpora.folds import Part
from crfdeid.errors import ConfigurationError, SchemeError
from crfdeid.evaluate import __main__ as evaluate
from crfdeid.systems import model, registry
from crfdeid.tag import __main__ as tag
from crfdeid.text.document import Document, Span
from crfdeid.train import main as train

TEXT = "Dr. Ruiz, pager 617-555-0142, aged 67, of Boston, a baker"
NOTE = Document(
    "100-01",
    TEXT,
    (
        Span(4, 8, "DOCTOR"),
        Span(16, 28, "PHONE"),
        Span(35, 37, "AGE"),
        Span(42, 48, "CITY"),
        Span(52, 57, "PROFESSION"),
    ),
)
OF_2006 = ["DOCTOR", "PHONE", "LOCATION"]


@pytest.fixture
def corpus(tmp_path):
    corpora.write([NOTE], tmp_path / "gold.jsonl", "jsonl")
    return tmp_path / "gold.jsonl"


def list_types(path):
    return [span.type for document in corpora.read(path) for span in document.spans]


@pytest.mark.parametrize("format", ["jsonl", "i2b2-2006", "brat"])
def test_convert_gives_other_types(corpus, tmp_path, format):
    out = tmp_path / ("out" if format == "brat" else "out" + corpora.FORMATS[format].suffixes[0])
    convert.main([str(corpus), str(out), "--to", format, "--types", "2006", "--scheme", "i2b2-2006"])
    assert list_types(out) == OF_2006


def test_convert_refuses_what_has_no_type(tmp_path):
    corpora.write([Document("100-01", TEXT, (Span(0, 3, "TITLE"),))], tmp_path / "gold.jsonl", "jsonl")
    with pytest.raises(SchemeError, match="100-01: the type at 0-3 has none in scheme phi"):
        convert.main(
            [str(tmp_path / "gold.jsonl"), str(tmp_path / "out.jsonl"), "--to", "jsonl", "--types", "phi"]
        )
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(("types", "wanted"), [("2006", 3), ("categories", 5), ("hipaa", 3), ("phi", 5)])
def test_evaluate_gives_both_sides_other_types(corpus, tmp_path, types, wanted):
    """A system in other types of the same kind is right: gold CITY, system ZIP."""
    found = [dataclasses.replace(s, type="ZIP") if s.type == "CITY" else s for s in NOTE.spans]
    corpora.write([NOTE.with_spans(found)], tmp_path / "system", "i2b2")
    out = tmp_path / "scores.json"
    arguments = [
        str(corpus),
        str(tmp_path / "system"),
        "--types",
        types,
        "--resamples",
        "0",
        "--json",
        str(out),
    ]
    evaluate.main(arguments)
    rows = json.loads(out.read_text())
    text = json.dumps(rows)
    scheme = {"2006": "i2b2-2006", "categories": "i2b2-categories"}.get(types, types)
    assert rows["recipe"]["scheme"] == scheme and rows["recipe"]["gold"] == wanted, text[:300]


def test_evaluate_takes_a_map_or_a_scheme(corpus):
    with pytest.raises(ConfigurationError, match="--types and --scheme: wanted one of them"):
        evaluate.main([str(corpus), str(corpus), "--types", "2006", "--scheme", "meddocan"])


def test_a_model_learns_the_types_that_train_wants(notes, tmp_path, capsys):
    corpora.write(notes[:20], tmp_path / "train.jsonl", "jsonl")
    (tmp_path / "mine.toml").write_text('features = ["lexical"]\n[crf]\nmax_iterations = 5\n')
    arguments = [str(tmp_path / "train.jsonl"), "--test", str(tmp_path / "train.jsonl")]
    arguments += ["--config", str(tmp_path / "mine.toml"), "--out", str(tmp_path / "model"), "--types", "phi"]
    train(arguments)
    tagger = model.load(tmp_path / "model")
    assert tagger.scheme.name == "phi"
    assert {span.type for span in tagger.tag(notes[0]).spans} == {"PHI"}
    assert "PHI" in capsys.readouterr().out
    assert (tmp_path / "model" / "types.toml").is_file()
    train([*arguments, "--resume"])  # the same types again


def test_tag_gives_the_spans_other_types(tmp_path, capsys):
    (tmp_path / "note.txt").write_text(TEXT)
    tag.main([str(tmp_path / "note.txt"), "--model", "rules", "--types", "2006", "--format", "jsonl"])
    found = json.loads(capsys.readouterr().out)
    assert {span["type"] for span in found["spans"]} <= {"DOCTOR", "PHONE", "LOCATION", "AGE"}


@pytest.mark.parametrize("system", ["rules", "heuristic"])
@pytest.mark.parametrize("scheme", ["i2b2-2006", "phi", "i2b2-categories"])
def test_rules_give_the_types_of_the_scheme(tmp_path, system, scheme):
    """They could not be scored on a corpus of 2006."""
    settings = config.Config(system=system, scheme=scheme)
    registry.check(settings)
    tagger = model.train([NOTE.with_spans(())], settings, tmp_path / "m")
    spans = tagger.tag(NOTE.with_spans(())).spans
    tagger.scheme.check([NOTE.with_spans(spans)])
    assert (4, 8) in {(span.start, span.end) for span in spans}
    assert [d.spans for d in tagger.tag_patient([NOTE])] == [spans]


def test_rules_refuse_a_scheme_without_their_types_before_training():
    with pytest.raises(
        ConfigurationError, match="scheme meddocan: the rules find types of i2b2-2014, and no"
    ):
        registry.check(config.Config(system="rules", scheme="meddocan"))


def test_an_experiment_maps_training_and_test(notes, tmp_path):
    """Trained on one corpus and tested on another (Tafvizi 2011, table A.11), both in the types of 2006."""
    (tmp_path / "mine.toml").write_text('base = "wi_deid"\ntypes = "2006"\n')
    planned = plan.read_plan(tmp_path / "mine.toml")
    old = Document("1", "Dr. Roe", (Span(4, 7, "DOCTOR"),))
    (row,) = jobs.build_rows(planned, {"train": Part("a", (old,)), "test": Part("b", (NOTE,))}, tmp_path)
    (job,) = row.jobs
    assert row.run.config.scheme == "i2b2-2006"
    assert [s.type for s in job.test.documents[0].spans] == OF_2006
    assert job.fingerprint


@pytest.mark.parametrize("side", ["train", "test"])
def test_an_experiment_refuses_types_before_training(tmp_path, side):
    (tmp_path / "mine.toml").write_text('base = "wi_deid"\n')
    good, bad = Part("a", (NOTE,)), Part("b", (Document("200-01", TEXT, (Span(0, 3, "ID"),)),))
    parts = {"train": good, "test": good} | {side: bad}
    with pytest.raises(SchemeError, match="200-01: the type at 0-3 is not a type of scheme i2b2-2014"):
        jobs.build_rows(plan.read_plan(tmp_path / "mine.toml"), parts, tmp_path)


def test_types_of_a_configuration_set_its_scheme(tmp_path):
    assert dataclasses.replace(SMALL, types="categories").scheme == "i2b2-categories"
    with pytest.raises(ConfigurationError, match="2007: no such file.*did you mean 2006"):
        dataclasses.replace(SMALL, types="2007")
