"""train --dry-run: what two corpora have, what is odd, and how long a training takes; nothing is written."""

import shutil

import pytest

from crfdeid import corpora
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError, DocumentError, SchemeError
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.systems import dry_run
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import read_scheme
from crfdeid.train import main

SMALL = 'features = ["lexical"]\n[crf]\nmax_iterations = 5\n'
CANARY = "Zyzzyvacanary"


def note(id, text, *spans, patient="7"):
    return Document(id, text, tuple(Span(*span) for span in spans), patient)


def odd(train, test=(), names=("i2b2-2014",)):
    return list(dry_run.list_oddities(train, test, read_scheme(*names), Pipeline()))


GOOD = note("110-01", "Seen by Ruiz.\n" * 5, *((14 * n + 8, 14 * n + 12, "DOCTOR") for n in range(5)))
OTHER = note("220-01", "Dr. Haddad.\n", (4, 10, "DOCTOR"), patient="220")


@pytest.mark.parametrize(
    "train, test, wanted",
    [
        ([GOOD], [OTHER], []),
        ([GOOD, GOOD], [], ["train: notes with the id of another note: 1",
                            "train: notes with the text of another note: 1"]),
        ([GOOD], [note("9", "\n \n")], ["test: empty notes: 1", "test: notes without a span: 1",
                                        "both: notes of test with a patient id of train: 1 (patients: 1)"]),
        ([GOOD], [note("9", "No name.", patient=None)],
         ["test: notes without a span: 1", "test: notes without a patient, each counted as another's: 1"]),
        ([GOOD, note("9", "Ruizo a", (0, 4, "DOCTOR"), (5, 7, "DOCTOR"))], [],
         ["train: spans that begin or end inside a token and count as widened to it: 2",
          "train: spans that begin or end with white space: 1"]),
        ([GOOD, note("9", "Boston Hospital", (0, 15, "HOSPITAL"), (0, 6, "CITY"))], [],
         ["train: spans that overlap a longer one: 1", "train: spans of HOSPITAL, too few to learn from: 1",
          "train: spans of CITY, too few to learn from: 1"]),
        ([GOOD.with_spans([*GOOD.spans, GOOD.spans[0], GOOD.spans[0]])], [],
         ["train: spans that occur twice in one place, and count once: 2"]),
        ([GOOD], [note("110-01", "Seen  by Ruiz. " * 5, patient="3")],
         ["test: notes without a span: 1", "both: notes of test with the id of a note of train: 1",
          "both: notes of test with the text of a note of train: 1"]),
        ([GOOD], [note("9", "67", (0, 2, "AGE"), patient="3")],
         ["test: spans of AGE, of which train has none: 1"]),
    ],
)  # fmt: skip
def test_tells_what_is_odd(train, test, wanted):
    assert odd(train, test) == wanted


def test_counts_types_that_the_scheme_does_not_have_without_their_names():
    (line,) = odd([GOOD, note("9", "a b", (0, 1, CANARY), (2, 3, CANARY))])
    assert line.startswith("train: spans of types that scheme i2b2-2014 does not have") and CANARY not in line
    assert line.endswith(": 2 (types: 1)")


def test_counts_both_corpora():
    rows = [line.split() for line in dry_run.describe_corpora([GOOD], [OTHER], read_scheme())]
    assert rows == [
        ["train", "test"], ["notes", "1", "1"], ["patients", "1", "1"], ["words", "15", "2"],
        ["spans", "5", "1"], ["DOCTOR", "5", "1"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    "words, times, total, wanted",
    [
        ([10, 20], [1.0, 2.0], 100, 10),
        ([10, 20], [3, 4], 30, 5),
        ([20], [2.0], 40, 4),
        ([10, 20], [2, 1], 40, 2),
    ],
)
def test_the_time_is_on_the_line_through_the_samples(words, times, total, wanted):
    assert dry_run.extrapolate(words, times, total) == pytest.approx(wanted)


@pytest.mark.parametrize("rate, notes", [(0.01, (80, 160)), (0.05, (40, 80)), (1, (20, 40))])
def test_samples_grow_until_a_training_takes_long(monkeypatch, rate, notes):
    """Of 400 notes that take ``rate`` seconds each: the faster the system, the larger the samples."""
    documents = [note(f"{n}-01", GOOD.text, (8, 12, "DOCTOR"), patient=str(n)) for n in range(400)]
    monkeypatch.setattr(dry_run, "time_training", lambda sample, *settings: rate * len(sample))
    found = dry_run.estimate_training(documents, Config(features=("lexical",)), "fast")
    assert found.notes == notes and found.seconds == pytest.approx(400 * rate)


@pytest.fixture
def corpus(notes, tmp_path):
    for name, part in (("train", notes[:30]), ("test", notes[30:])):
        corpora.write(part, tmp_path / name, "i2b2")
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    return tmp_path


def arguments(folder, *more):
    return [str(folder / "train"), "--test", str(folder / "test"), "--config", str(folder / "small.toml"),
            "--dry-run", *more]  # fmt: skip


def test_reads_both_and_estimates_and_writes_nothing(corpus, capsys):
    before = sorted(path for path in corpus.rglob("*"))
    main(arguments(corpus, "--out", str(corpus / "model")))
    said = capsys.readouterr().out
    assert ["notes", "30", "10"] in [line.split() for line in said.splitlines()]
    assert "small.toml: about " in said and "(20 and 30 notes took " in said
    assert sorted(corpus.rglob("*")) == before


@pytest.mark.parametrize("how", ["refuse", "auto", "map"])
def test_types_of_its_own(corpus, capsys, how):
    text = f"Seen by {CANARY} .\n"
    documents = [note(f"9-{n}", text * 2, (8, 21, "CLINICIAN"), patient=str(n)) for n in range(4)]
    shutil.rmtree(corpus / "train")
    corpora.write(documents, corpus / "train", "i2b2")
    more = {"refuse": [], "auto": ["--scheme", "auto"], "map": ["--types", "phi"]}[how]
    if how == "auto":
        main(arguments(corpus, *more))
    else:
        with pytest.raises(SchemeError, match=r"9-0: the type at 8-21"):
            main(arguments(corpus, *more))
    said = capsys.readouterr().out
    assert CANARY not in said and ("CLINICIAN" in said) == (how == "auto")
    assert ("count as missed in a test: 4 (types: 1)" in said) == (how != "auto")
    assert not list(corpus.glob("*.scheme.toml"))


def test_what_training_refuses_is_refused(corpus):
    shutil.rmtree(corpus / "train")
    corpora.write([note("1", "No span here.\n")], corpus / "train", "i2b2")
    with pytest.raises(DocumentError, match="no span in the training documents"):
        main(arguments(corpus))
    with pytest.raises(ConfigurationError, match="--out FOLDER"):
        main([str(corpus / "train")])
