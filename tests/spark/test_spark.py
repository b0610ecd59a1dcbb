"""Spark with a JVM, in local mode: the results of the package, whatever the partitions."""

from functools import partial
from pathlib import Path

import poison
import pytest
from page_examples import read_examples
from small_notes import note

import crfdeid
from crfdeid import spark
from crfdeid.errors import ConfigurationError, ModelError
from crfdeid.redact.surrogates import keyed_choice
from crfdeid.spark import frames, shared_model, worker

# pyspark warns of pandas 3, and leaves sockets open
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
SCHEMA = "id string, note string, patient string, ward int"
TEXTS = [
    "Dr. Anna Nowak saw Mr. Peter Okafor on 3/4/2061.",
    "Okafor, Peter \U0001f600 called Dr. Ruiz, (617) 555-0148.",
    "PETER came back to Elm Hospital.",
    "MRN 4471902, seen by Dr. Nowak",
]


def rows(count: int = 24) -> list[tuple]:
    return [(f"{n}-1", TEXTS[n % 4], f"p{n // 3}" if n % 5 else None, n) for n in range(count)]


def collect(frame) -> dict:
    found = {row["id"]: row.asDict(recursive=True) for row in frame.collect()}
    assert len(found) == len(rows())
    return found


@pytest.fixture
def frame(session):
    return session.createDataFrame(rows(), SCHEMA)


@pytest.fixture
def key(tmp_path) -> Path:
    path = tmp_path / "key"
    path.write_text("a secret that has enough bytes")
    path.chmod(0o600)
    return path


def test_spark_finds_what_the_tagger_finds_and_sql_can_cut_it_out(frame):
    tagged = spark.tag(frame.repartition(3), probabilities=True)
    tagger = crfdeid.load()
    cut = "transform(spans, s -> substring(note, s.start + 1, s.end - s.start)) texts"
    for id, row in collect(tagged.selectExpr("*", cut)).items():
        wanted = tagger.tag(crfdeid.Document(id, row["note"]), probabilities=True)
        assert row["texts"] == [wanted.text_of(span) for span in wanted.spans]
        assert [s["type"] for s in row["spans"]] == [s.type for s in wanted.spans]
        probabilities = [s.probability for s in wanted.spans]
        assert [s["probability"] for s in row["spans"]] == pytest.approx(probabilities, abs=1e-9)
        assert row["ward"] == int(id.split("-")[0]) and row["error"] is None


def test_redacted_notes_do_not_depend_on_the_partitions(frame, key):
    one = collect(spark.redact(frame.coalesce(1), patient="patient", key_file=key))
    many = collect(spark.redact(frame.orderBy("note").repartition(7), patient="patient", key_file=key))
    assert one == many
    assert set(one["0-1"]) == {"id", "patient", "note", "spans", "error"}
    redactor = crfdeid.Redactor(keyed_choice.read_key_file(key))
    own = [crfdeid.Document(id, text, patient=patient) for id, text, patient, _ in rows() if patient == "p1"]
    tagged = list(crfdeid.load("english+rules").tag_all(sorted(own, key=lambda note: note.id), threshold=0.1))
    for redaction in redactor.redact(tagged):
        assert one[redaction.document.id]["note"] == redaction.document.text


def test_a_note_that_breaks_the_tagger_is_one_row_with_one_word(session):
    bad = {3: poison.RAISES, 9: poison.KILLS, 10: None}
    texts = [(f"{n}", bad.get(n, f"seen on 3/{n + 1}/2061")) for n in range(20)]
    frame = session.createDataFrame(texts, "id string, note string").repartition(2)
    work = worker.Work(worker.Columns("note", "id"), shared_model.share_model(session, "rules"))
    found = frame.mapInArrow(partial(poison.tag_rows, work), frames.add_new(frame.schema)).collect()
    assert sorted(int(row.id) for row in found) == list(range(20))
    errors = {int(row.id): row.error for row in found if row.error}
    assert errors == {3: "LookupError", 9: "WorkerDied", 10: "NullText"}
    assert all(len(row.spans) == 1 for row in found if row.error is None)


def test_a_model_folder_goes_to_the_workers_and_a_damaged_one_does_not(session, small_model, tmp_path):
    frame = session.createDataFrame(
        [(n.id, n.text) for n in map(note, range(30, 40))], "id string, note string"
    )
    found = spark.tag(frame, model=small_model.folder, threshold=0.2).collect()
    for row in found:
        wanted = small_model.tag(crfdeid.Document(row.id, row.note), threshold=0.2).spans
        assert [(s.start, s.end, s.type) for s in row.spans] == [(s.start, s.end, s.type) for s in wanted]
    with pytest.raises(ModelError, match="no model here"):
        spark.tag(frame, model=tmp_path)


def test_the_plan_has_neither_note_text_nor_the_secret(frame, key):
    plan = spark.redact(frame, patient="patient", key_file=key)._jdf.queryExecution().toString()
    secret = keyed_choice.read_key_file(key)
    assert "Okafor" not in plan and secret.hex() not in plan and repr(secret)[2:-1] not in plan


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"text": "ward"}, "column ward: is of type int; wanted a string"),
        ({"id": "nr"}, "column nr: not in the frame of 4 columns"),
        ({"patient": "who"}, "column who: not in the frame of 4 columns"),
        ({"model": "rules", "threshold": 0.1}, "gives no probabilities of tokens"),
    ],
)
def test_a_wrong_argument_is_refused_before_anything_runs(frame, columns, message):
    with pytest.raises(ConfigurationError, match=message):
        spark.tag(frame, **columns)


def test_a_frame_that_has_spans_already_is_refused(frame):
    with pytest.raises(ConfigurationError, match="column spans: already in the frame"):
        spark.tag(frame.withColumnRenamed("ward", "spans"))


@pytest.mark.usefixtures("session")
def test_the_example_of_the_page_runs(capsys):
    example = next(code for code in read_examples("scale.md") if "SparkSession" in code)
    exec(example, {})
    assert "[DOCTOR, DATE]" in (shown := capsys.readouterr().out) and "NullText" in shown
