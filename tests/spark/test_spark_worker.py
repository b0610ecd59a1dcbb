"""What a Spark worker does with Arrow batches, without Spark."""

import gc

import poison
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.errors import ConfigurationError, ModelError
from crfdeid.redact.redactor import Redactor
from crfdeid.spark import plan, worker
from crfdeid.spark.shared_model import Part, SharedModel
from crfdeid.systems import model
from crfdeid.text.document import Document

pa = pytest.importorskip("pyarrow")

RULES = SharedModel((Part("rules"),))
COLUMNS = worker.Columns("note", "id", "patient")
WORK = worker.Work(COLUMNS, RULES)


def batch_of(*rows: tuple) -> pa.RecordBatch:
    names = ("id", "note", "patient")
    return pa.RecordBatch.from_pylist([dict(zip(names, row)) for row in rows])


def group(*texts: str) -> list[Document]:
    return [Document(str(number), text, patient="p") for number, text in enumerate(texts)]


@pytest.fixture
def poisoned(monkeypatch):
    monkeypatch.setattr(worker, "load_model", poison.load_poisoned)


@pytest.mark.slow
def test_a_row_gets_its_spans_and_a_null_or_broken_one_a_word():
    pytest.importorskip("pyspark")
    rows = batch_of((1, "seen on 3/4/2061", "a"), (2, None, "a"), (None, "", "b"), (4, "", None))
    broken = rows.set_column(1, "note", pa.array([b"on 3/4/2061", None, b"", b"\xff"]).view(pa.string()))
    (found,) = worker.tag_rows(WORK, iter([broken]))
    assert found["error"].to_pylist() == [None, "NullText", "NullId", "UnicodeDecodeError"]
    span = {"start": 3, "end": 11, "type": "DATE", "probability": None}
    assert found["spans"].to_pylist() == [[span], None, None, None]


@given(st.lists(st.sampled_from(["a", "b", None]), max_size=12), st.lists(st.integers(1, 4), min_size=12))
def test_batches_are_cut_between_patients(patients, sizes):
    rows, at, batches = batch_of(*((n, "", p) for n, p in enumerate(patients))), 0, []
    for size in sizes:
        if at < rows.num_rows:
            batches.append(rows.slice(at, size))
            at += size
    joined = list(worker.join_patients(batches, "patient"))
    assert [n for each in joined for n in each["id"].to_pylist()] == list(range(len(patients)))
    for before, after in zip(joined, joined[1:]):
        last, first = before["patient"][-1].as_py(), after["patient"][0].as_py()
        assert last is None or last != first


@pytest.mark.usefixtures("poisoned")
def test_a_note_that_raises_costs_only_itself():
    groups = [[note] for note in group("on 3/4/2061", poison.RAISES, "on 3/4/2062", poison.RAISES)]
    outcomes = worker.run_here("rules", groups, WORK)
    assert [o if isinstance(o, str) else len(o.spans) for o in outcomes] == [1, "LookupError"] * 2


@pytest.mark.usefixtures("poisoned")
def test_a_note_that_ends_its_process_costs_only_itself():
    texts = ("on 3/4/2061", poison.RAISES, poison.KILLS, "on 3/4/2062", "", "")
    outcomes = worker.run_in_child("rules", True, [[note] for note in group(*texts)], WORK)
    shown = [o if isinstance(o, str) else len(o.spans) for o in outcomes]
    assert shown == [1, "LookupError", "WorkerDied", 1, 0, 0]


@pytest.mark.usefixtures("poisoned")
def test_a_patient_of_whom_one_note_fails_is_not_redacted_but_tagged():
    groups = [group("on 3/4/2061", poison.RAISES), group("on 3/4/2062")]
    redacting = worker.Work(COLUMNS, RULES, redactor=Redactor(b"a secret that has enough bytes"))
    assert [isinstance(o, str) for o in worker.run_here("rules", groups, redacting)] == [True, True, False]
    assert [isinstance(o, str) for o in worker.run_here("rules", groups, WORK)] == [False, True, False]


def test_an_error_outside_the_notes_has_no_message(monkeypatch):
    pytest.importorskip("pyspark")

    def fail(batch, outcomes):
        raise ValueError("Kowalczyk")

    with pytest.raises(RuntimeError, match="ValueError at test_spark_worker.py") as error:
        list(worker.run_task(WORK, iter([batch_of((1, "Kowalczyk", "a"))]), fail))
    assert "Kowalczyk" not in str(error.value) and error.value.__suppress_context__


def test_the_model_is_loaded_once_in_a_process(monkeypatch):
    worker.load_model.cache_clear()
    loaded = []
    monkeypatch.setattr(model, "load", lambda name: loaded.append(name) or "tagger")
    assert [worker.load_model("rules"), worker.load_model("rules")] == ["tagger"] * 2
    worker.load_model.cache_clear()
    assert loaded == ["rules"]


def test_the_objects_of_a_model_are_frozen_once_because_spark_collects_garbage_after_each_task(monkeypatch):
    pytest.importorskip("pyspark")
    worker.prepare_model.cache_clear()
    freeze, calls = gc.freeze, []
    monkeypatch.setattr(gc, "freeze", lambda: calls.append(freeze()))
    for _ in range(2):
        list(worker.tag_rows(WORK, iter([batch_of((1, "seen on 3/4/2061", "a"))])))
    frozen = gc.get_freeze_count()
    gc.unfreeze()
    assert len(calls) == 1 and frozen > 0


def test_a_worker_with_another_model_refuses_to_tag():
    with pytest.raises(ModelError, match="not the model of the driver"):
        Part("english", "0" * 64).locate()


@pytest.mark.parametrize("wanted", [{"threshold": 0.1}, {"threshold": None, "probabilities": True}])
def test_what_the_model_cannot_do_is_refused_on_the_driver(wanted):
    with pytest.raises(ConfigurationError, match="probabilities"):
        plan.check_threshold(RULES, **wanted)
