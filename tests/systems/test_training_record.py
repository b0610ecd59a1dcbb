"""The manifest says how a model was made, and the card says what is known of it."""

import json

import pytest

from crfdeid import corpora
from crfdeid.config import Config
from crfdeid.systems import model, model_folder, training_record
from crfdeid.text.document import Document, Span, fingerprint_documents
from crfdeid.train import main as train

QUICK = ["--set", 'features=["lexical"]', "--set", "crf.max_iterations=5", "--set", "recall_bias=0.0"]
SECRET = "Zanzibarova"


def note(number, patient=None):
    text = f"Seen by Dr. {SECRET} on 3/{number + 1}/2061."
    spans = (Span(12, 23, "DOCTOR"), Span(27, len(text) - 1, "DATE"))
    return Document(f"n{number}", text, spans, patient)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    corpora.write([note(n, f"p{n // 2}") for n in range(8)], folder / "train.jsonl", "jsonl")
    corpora.write([note(n, f"p{n}") for n in range(8, 12)], folder / "test.jsonl", "jsonl")
    return folder


@pytest.fixture(scope="module")
def trained(corpus, tmp_path_factory):
    out = tmp_path_factory.mktemp("models") / "mine"
    paths = [str(corpus / "train.jsonl"), "--test", str(corpus / "test.jsonl")]
    train([*paths, "--out", str(out), *QUICK])
    return out


def read_manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


def test_the_manifest_says_how_the_model_was_made(trained, corpus):
    record = read_manifest(trained)["training"]
    assert record["command"].startswith(f"python -m crfdeid.train {corpus / 'train.jsonl'} --test ")
    assert "'features=[\"lexical\"]'" in record["command"]
    assert {"python", "numpy", "python-crfsuite"} <= set(record["libraries"])
    assert record["date"][:2] == "20" and record["seconds"] >= 0
    documents = list(corpora.read(corpus / "train.jsonl"))
    assert record["corpora"]["train"] == {
        "notes": 8, "patients": 4, "spans": 16, "types": {"DATE": 8, "DOCTOR": 8},
        "fingerprint": fingerprint_documents(documents),
    }  # fmt: skip
    assert record["corpora"]["test"]["notes"] == 4 and training_record.read_record(trained) == record
    assert SECRET not in (trained / "manifest.json").read_text()


def test_the_model_loads_and_keeps_its_fingerprint(trained, tmp_path):
    fingerprint = model.load(trained).fingerprint
    manifest = read_manifest(trained)
    manifest.pop("training")
    path = tmp_path / "manifest.json"
    path.write_text(model_folder.render_manifest(manifest))
    assert fingerprint == model_folder.hash_file(path) == model_folder.hash_manifest(path)
    assert training_record.read_record(tmp_path) is None
    path.write_text('{"training": 3}')
    assert training_record.read_record(tmp_path) is None
    path.write_text("[")
    assert training_record.read_record(tmp_path) is None


def test_the_card_has_data_scores_with_intervals_and_limits(trained):
    card = (trained / "CARD.md").read_text()
    for head in ("# Model card", "## Data", "## Scores", "## Limits"):
        assert f"{head}\n" in card
    assert "- train: 8 notes of 4 patients, 16 spans; fingerprint `" in card
    assert "| DOCTOR | 8 | 4 |" in card and "    python -m crfdeid.train " in card
    scores = json.loads((trained / "scores.json").read_text())["scores"]
    strict = next(row for row in scores if row["row"] == "DOCTOR" and row["criterion"] == "strict")
    line = next(line for line in card.split("## Scores")[1].splitlines() if line.startswith("| DOCTOR |"))
    assert f"| {strict['micro']['recall']:.3f} (" in line and " to " in line
    assert "resamples:1000" in card and "documents without a leak" in card
    limits = card.split("## Limits")[1]
    assert "keep it as safe as the notes" in limits
    assert "Never seen in training, so not found: PATIENT," in limits
    assert "Fewer than 30 spans in the test, so little is known: DATE, DOCTOR." in limits
    assert SECRET not in card


def test_a_card_without_a_test_and_the_record_of_a_continued_model(corpus, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    command = [str(corpus / "train.jsonl"), "--out", str(tmp_path / "m"), *QUICK]
    train(command)
    first = training_record.read_record(tmp_path / "m")
    assert first["date"] == "2001-09-09" and list(first["corpora"]) == ["train"]
    assert "was not scored" in (tmp_path / "m" / "CARD.md").read_text()
    train([*command, "--resume"])
    assert training_record.read_record(tmp_path / "m")["continues"] == first


def test_a_model_for_sharing_keeps_command_and_fingerprints_to_itself(corpus, tmp_path):
    train([str(corpus / "train.jsonl"), "--out", str(tmp_path / "m"), *QUICK, "--k", "2"])
    record = training_record.read_record(tmp_path / "m")
    assert "command" not in record and "fingerprint" not in record["corpora"]["train"]
    card = (tmp_path / "m" / "CARD.md").read_text()
    assert "fingerprint" not in card and str(corpus) not in card
    assert "only features of the notes of at least 2 patients" in card


def test_the_record_changes_no_file_of_the_model(trained):
    settings = Config(features=("lexical",), crf={"max_iterations": 5})
    record = training_record.describe_training({"train": [note(0)]}, settings, ["x y"], "2061-01-01", 1.26)
    assert record["command"] == "'x y'" and record["seconds"] == 1.3
    files = read_manifest(trained)["files"]
    assert "CARD.md" not in files and "scores.json" not in files
    assert all(model_folder.hash_file(trained / name) == sum for name, sum in files.items())
