"""RuleSet and heuristic+dictionary as systems: trained, loaded, with options, and told apart."""

import csv
import dataclasses
import importlib.util
import io
import subprocess
import sys
from pathlib import Path

import pytest

from crfdeid import config
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError, ModelError
from crfdeid.explain import rules as which
from crfdeid.lexicon import ordinary
from crfdeid.rules import RULES
from crfdeid.rules.tagger import load_shipped
from crfdeid.systems import model, registry, rule_based
from crfdeid.text.document import Document, Span


def found(tagger, text: str) -> list[str]:
    document = Document("1", text)
    return [document.text_of(span) for span in tagger.tag(document).spans]


def found_by_rules(tagger, text: str) -> list[str]:
    """The texts that the rules find; repair would add a name that a title announces."""
    (document,) = tagger.tag_unrepaired([Document("1", text)])
    return [document.text_of(span) for span in document.spans]


def test_a_model_of_rules_holds_its_lists_and_tags_as_the_rules_do(notes, tmp_path):
    tagger = model.train(notes[:2], Config(system="rules"), tmp_path / "rules")
    assert (tmp_path / "rules" / "gazetteers" / "surnames.exclude.txt").is_file()
    assert [tagger.tag(note).spans for note in notes] == [load_shipped().tag(note).spans for note in notes]
    assert [span for span, _ in tagger.rules.explain(notes[3])] == list(tagger.tag(notes[3]).spans)
    (tmp_path / "rules" / "gazetteers" / "surnames.txt").write_text("Ruiz\n")
    with pytest.raises(ModelError, match="surnames.txt: damaged"):
        model.load(tmp_path / "rules")


def test_options_leave_rules_out_and_refuse_unknown_ones(notes, tmp_path):
    settings = Config(system="rules", options={"without": ["date_mdy", "date_dmy"]})
    tagger = model.train(notes[:2], settings, tmp_path / "rules")
    assert found(tagger, "Dr. Ruiz on 3/14/2061") == ["Ruiz"]
    with pytest.raises(ConfigurationError, match="date_mdyy: no such rule; did you mean date_mdy"):
        registry.check(Config(system="rules", options={"without": ["date_mdyy"]}))


def test_the_rules_of_some_works_are_a_system(notes, tmp_path):
    """The MIMIC de-identifier of Tafvizi 2011, section 2.5, is the fifth member of her Multi-deidentifier."""
    settings = Config(system="rules", options={"works": ["Tafvizi 2011"]})
    tagger = model.train(notes[:2], settings, tmp_path / "rules")
    assert found_by_rules(tagger, "3/14/2061, summer 2061, roe@host.org") == ["3/14/2061"]
    with pytest.raises(ConfigurationError, match="works: Tafvizi 2012: no rule is from it"):
        registry.check(Config(system="rules", options={"works": ["Tafvizi 2012"]}))


@pytest.mark.slow
def test_the_command_line_says_which_rule_found_a_span(notes, tmp_path, capsys):
    for number, text in (("1", "Mr. Zacharias Quimbly was seen."), ("2", "Quimbly is well.")):
        (tmp_path / f"{number}.txt").write_text(text)
    which.main([str(tmp_path / "1.txt")])
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(r["start"], r["end"], r["type"], r["rule"], r["text"]) for r in rows] == [
        ("4", "21", "PATIENT", "patient_title", "Zacharias Quimbly")
    ]
    assert rows[0]["source"].startswith("Douglass 2005")
    trained = model.train(notes[:2], Config(system="heuristic"), tmp_path / "m")
    which.main(["--model", str(trained.folder)])
    listed = [row["rule"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))]
    assert set(listed) == set(rule_based.HEURISTIC)
    command = [sys.executable, "-m", "crfdeid.rules", str(tmp_path / "2.txt"), "--model", str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 2 and "no model here" in run.stderr and "Quimbly" not in run.stderr


def test_the_command_line_finds_what_tagging_finds(notes, small_model, tmp_path, capsys):
    """Also a name that only another note of the patient tells of."""
    pair = [
        Document("1", "Mr. Zacharias Quimbly was seen.", patient="p"),
        Document("2", "Quimbly is well.", patient="p"),
    ]
    rows = [row[:5] for row in which.span_rows(load_shipped(), pair)]
    assert rows[1] == ("2", 0, 7, "PATIENT", "repeated_name")
    with pytest.raises(ConfigurationError, match="of the system crf, which has no rules"):
        which.main(["--model", str(small_model.folder)])


@pytest.mark.slow
def test_heuristic_takes_no_common_word_for_a_name(notes, tmp_path):
    tagger = model.train(notes[:2], Config(system="heuristic"), tmp_path / "heuristic")
    text = "Mr. Young and Mr. Ramirez, his wife Latoya, and Willaim live in Zimmstraboro."
    assert found(load_shipped(), text) == ["Young", "Ramirez", "Latoya", "Willaim", "Zimmstraboro"]
    assert found_by_rules(tagger, text) == ["Ramirez", "Latoya", "Willaim", "Zimmstraboro"]
    assert found(rule_based.make_heuristic(), text) == found_by_rules(tagger, text)


def test_heuristic_is_a_part_of_the_rules():
    assert set(rule_based.HEURISTIC) < set(RULES)
    assert all(not RULES[name].source.startswith("ours") for name in rule_based.HEURISTIC)


def test_two_trainings_leave_the_same_bytes(notes, tmp_path):
    for name in "ab":
        model.train(notes[:2], Config(system="rules"), tmp_path / name)
    one, other = ((tmp_path / name / "manifest.json").read_bytes() for name in "ab")
    assert one == other


def test_options_are_plain_settings():
    assert dataclasses.asdict(rule_based.Options()) == {"without": (), "works": ()}
    assert config.build({"system": "rules", "options": {"without": ["email"]}}, "x").system == "rules"


@pytest.fixture(scope="module")
def benchmark():
    folder = Path(__file__).parents[2] / "benchmarks"
    sys.path.append(str(folder))
    spec = importlib.util.spec_from_file_location("benchmark_of_rules", folder / "rules.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_benchmark_tells_names_apart_by_the_lists(benchmark):
    names = (Span(0, 7, "DOCTOR"), Span(12, 17, "DOCTOR"), Span(22, 28, "DOCTOR"))
    gold = Document("1", "Ramirez saw Brown and Quevix.", names)
    system = gold.with_spans([Span(0, 7, "CITY"), Span(22, 28, "DOCTOR")])
    found = benchmark.count_by_kind([gold], [system], ordinary.load_shipped())
    assert found == {"clear": (1, 1), "ambiguous": (0, 1), "unlisted": (1, 1)}


def test_the_benchmark_gives_patients_their_notes_together(benchmark, notes):
    twice = [notes[0], notes[1], dataclasses.replace(notes[0], id="again")]
    groups = [[note.id for note in group] for group in benchmark.group_by_patient(twice)]
    assert groups == [[notes[0].id, "again"], [notes[1].id]]


def test_the_benchmark_says_which_rule_found_what(benchmark, notes):
    lines = benchmark.format_rule_counts(notes[:5]).splitlines()
    assert "doctor_title                 5   1.000" in lines and lines[-1].startswith("never: email")
