"""The work of a Python worker of Spark: Arrow batches of notes in, the same rows with their results out.

    rows ─▶ notes ─▶ groups ─▶ tag (and redact) ─▶ outcomes ─▶ rows with spans and error

A worker process serves many tasks. It loads a model once, because the cache belongs to this module, which is
imported; a cache in the function that Spark sends would be new in each task. No error leaves this module with
its message, which could quote a note.
"""

from __future__ import annotations

import gc
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from crfdeid import __version__
from crfdeid.errors import CrfdeidError, locate_error
from crfdeid.redact.redactor import Redactor
from crfdeid.spark.shared_model import SharedModel
from crfdeid.systems import model, parallel
from crfdeid.systems.tagger import Tagger, group_by_patient
from crfdeid.systems.threshold import Threshold
from crfdeid.text.document import Document

if TYPE_CHECKING:
    import pyarrow

NEW = SPANS, ERROR = "spans", "error"
NULL_TEXT, NULL_ID, DIED = "NullText", "NullId", "WorkerDied"
KEPT = 4  # models that a process holds

Outcome = Document | str  # a finished note, or the one word of its error
Group = Sequence[Document]


@dataclass(frozen=True)
class Columns:
    """The names of the columns that hold the notes."""

    text: str
    id: str
    patient: str | None = None

    @property
    def names(self) -> list[str]:
        return [self.id, *([self.patient] if self.patient else []), self.text]


@dataclass(frozen=True)
class Work:
    """The task of a job for its workers. With a ``redactor`` the notes are redacted, and a group fails as a
    whole."""

    columns: Columns
    shared: SharedModel
    threshold: Threshold | None = None
    probabilities: bool = False
    redactor: Redactor | None = None

    def hash_options(self) -> str:
        """Hash everything that the result depends on, except the notes."""
        models = [part.digest or part.name for part in self.shared.parts]
        options = (__version__, models, str(self.threshold), self.probabilities, self.columns.patient is None)
        if self.redactor:
            return self.redactor.hash_options(*options)
        return hashlib.sha256(repr(options).encode()).hexdigest()


def tag_rows(work: Work, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Yield the batches with the spans and the error of each row."""
    return run_task(work, batches, add_outcomes)


def redact_rows(work: Work, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Yield the batches with the redacted text, its spans, and the error of each row."""
    return run_task(work, batches, partial(replace_text, work.columns.text))


def run_task(
    work: Work,
    batches: Iterator[pyarrow.RecordBatch],
    finish: Callable[[pyarrow.RecordBatch, list[Outcome]], pyarrow.RecordBatch],
) -> Iterator[pyarrow.RecordBatch]:
    """Run one task of Spark. A task that is tried again works in child processes, because a note may have
    ended the process of the first try."""
    from pyspark import TaskContext

    context = TaskContext.get()
    is_second_try = context is not None and context.attemptNumber() > 0
    try:
        name = work.shared.locate()
        tagger = prepare_model(name)
        run = partial(run_in_child, name, tagger.is_fork_safe) if is_second_try else partial(run_here, name)
        whole = batches if work.columns.patient is None else join_patients(batches, work.columns.patient)
        for batch in whole:
            yield finish(batch, find_outcomes(batch, work, run))
    except CrfdeidError:
        raise
    except Exception as error:
        raise RuntimeError(f"{locate_error(error)} (the message is withheld: it may quote a note)") from None


Run = Callable[[Sequence[Group], Work], list[Outcome]]


@lru_cache(KEPT)
def load_model(name: str) -> Tagger:
    """Load a model, once in a process."""
    return model.load(name)


@lru_cache(KEPT)
def prepare_model(name: str) -> Tagger:
    """Load a model for many tasks, once in a process. Spark collects garbage after each task; that takes 0.1
    seconds where it looks at the objects of a model each time, so they are frozen."""
    tagger = load_model(name)
    tagger.compile()
    gc.collect()
    gc.freeze()
    return tagger


def join_patients(batches: Iterable[pyarrow.RecordBatch], column: str) -> Iterator[pyarrow.RecordBatch]:
    """Cut the rows again, so that consecutive rows of one patient are in one batch."""
    import pyarrow

    held: list[pyarrow.RecordBatch] = []
    last: object = None
    for batch in batches:
        patients = read_column(batch, column)
        cut = find_last_patient(patients)
        if held and patients and (cut or patients[0] != last):
            held, ended = [], [*held, batch.slice(0, cut)]
            yield pyarrow.concat_batches(ended)
        elif cut:
            yield batch.slice(0, cut)
        if cut < len(patients):
            held.append(batch.slice(cut))
            last = patients[-1]
    if held:
        yield pyarrow.concat_batches(held)


def find_last_patient(patients: Sequence[object]) -> int:
    """Return the row at which the rows of the last patient begin; a row without patient is complete.

    >>> find_last_patient(["a", "b", "b"]), find_last_patient(["a", None]), find_last_patient([])
    (1, 2, 0)
    """
    row = len(patients)
    while row and patients[-1] is not None and patients[row - 1] == patients[-1]:
        row -= 1
    return row


def find_outcomes(batch: pyarrow.RecordBatch, work: Work, run: Run) -> list[Outcome]:
    """Return the outcome of each row."""
    outcomes = read_rows(batch, work.columns)
    places = [number for number, note in enumerate(outcomes) if isinstance(note, Document)]
    notes = [note for note in outcomes if isinstance(note, Document)]
    groups = list(group_by_patient(notes)) if work.columns.patient else [[note] for note in notes]
    for place, outcome in zip(places, run(groups, work) if groups else (), strict=True):
        outcomes[place] = outcome
    return outcomes


def read_rows(batch: pyarrow.RecordBatch, columns: Columns) -> list[Outcome]:
    """Make a document of each row, or the word of its error."""
    ids, texts = read_column(batch, columns.id), read_column(batch, columns.text)
    patients = read_column(batch, columns.patient) if columns.patient else [None] * len(ids)
    return list(map(make_note, ids, texts, patients))


def read_column(batch: pyarrow.RecordBatch, name: str) -> list[Any]:
    """Return the values of a column; in place of a string that is not UTF-8, the error."""
    try:
        values: list[Any] = batch.column(name).to_pylist()
    except UnicodeError:
        values = [read_value(value) for value in batch.column(name)]
    return values


def read_value(value: pyarrow.Scalar) -> Any:
    try:
        return value.as_py()
    except UnicodeError as error:
        return error


def make_note(id: object, text: object, patient: object) -> Outcome:
    """Make a document, or return the word of the error that prevents it.

    >>> make_note(7, "Seen by Dr. Ruiz", None)
    Document(id='7', spans=(), patient=None)
    >>> make_note(7, None, None), make_note(None, "", None)
    ('NullText', 'NullId')
    """
    if broken := next((value for value in (id, text, patient) if isinstance(value, Exception)), None):
        return type(broken).__name__
    if id is None or text is None:
        return NULL_ID if id is None else NULL_TEXT
    try:
        return Document(str(id), str(text), patient=None if patient is None else str(patient))
    except CrfdeidError as error:
        return type(error).__name__


def run_here(name: str, groups: Sequence[Group], work: Work) -> list[Outcome]:
    """Return the outcomes of all notes of the groups, in order. Where they fail together, they are run by
    parts, down to the one that fails."""
    try:
        return finish_groups(load_model(name), groups, work)
    except Exception as error:
        return run_parts(partial(run_here, name), groups, work, type(error).__name__)


def run_in_child(name: str, is_fork_safe: bool, groups: Sequence[Group], work: Work) -> list[Outcome]:
    """As :func:`run_here`, in a child process: notes that end it have the error :data:`DIED`."""
    context = get_context("fork" if is_fork_safe else "spawn")
    try:
        with ProcessPoolExecutor(1, context, parallel.end_with_parent, (os.getpid(),)) as pool:
            return pool.submit(run_here, name, groups, work).result()
    except BrokenProcessPool:
        return run_parts(partial(run_in_child, name, is_fork_safe), groups, work, DIED)


def run_parts(run: Run, groups: Sequence[Group], work: Work, error: str) -> list[Outcome]:
    """Run the parts of what has failed with ``error``; what has no parts has this outcome."""
    parts = divide(groups, work.redactor is None)
    if not parts:
        return [error for _ in groups[0]]
    return [outcome for part in parts for outcome in run(part, work)]


def divide(groups: Sequence[Group], is_divisible: bool) -> list[Sequence[Group]]:
    """Return two halves of the groups; of one group, its notes, if it ``is_divisible``; else nothing.

    >>> divide([["a"], ["b", "c"], ["d"]], True), divide([["b", "c"]], True), divide([["b", "c"]], False)
    ([[['a']], [['b', 'c'], ['d']]], [[['b']], [['c']]], [])
    """
    if half := len(groups) // 2:
        return [groups[:half], groups[half:]]
    return [[[note]] for note in groups[0]] if is_divisible and len(groups[0]) > 1 else []


def finish_groups(tagger: Tagger, groups: Sequence[Group], work: Work) -> list[Outcome]:
    """Tag all notes at once, and redact them group by group."""
    notes = chain.from_iterable(groups)
    tagged = tagger.tag_all(notes, work.probabilities, work.threshold)
    if work.redactor is None:
        return list(tagged)
    redactions = (work.redactor.redact([next(tagged) for _ in group]) for group in groups)
    return [redaction.document for group in redactions for redaction in group]


def add_outcomes(batch: pyarrow.RecordBatch, outcomes: Sequence[Outcome]) -> pyarrow.RecordBatch:
    """Return the batch with the columns of the result."""
    import pyarrow

    field = pyarrow.struct(
        [("start", pyarrow.int32()), ("end", pyarrow.int32()), ("type", pyarrow.string()),
         ("probability", pyarrow.float64())]
    )  # fmt: skip
    spans = [list_spans(each) if isinstance(each, Document) else None for each in outcomes]
    errors = [each if isinstance(each, str) else None for each in outcomes]
    arrays = [
        *batch.columns,
        pyarrow.array(spans, pyarrow.list_(field)),
        pyarrow.array(errors, pyarrow.string()),
    ]
    return pyarrow.RecordBatch.from_arrays(arrays, [*batch.schema.names, *NEW])


def list_spans(note: Document) -> list[dict[str, object]]:
    return [
        {"start": span.start, "end": span.end, "type": span.type, "probability": span.probability}
        for span in note.spans
    ]


def replace_text(column: str, batch: pyarrow.RecordBatch, outcomes: Sequence[Outcome]) -> pyarrow.RecordBatch:
    """Return the batch with the redacted texts, null where there is an error, and the columns of the
    result."""
    import pyarrow

    texts = pyarrow.array([o.text if isinstance(o, Document) else None for o in outcomes], pyarrow.string())
    columns = [texts if name == column else batch.column(name) for name in batch.schema.names]
    return add_outcomes(pyarrow.RecordBatch.from_arrays(columns, batch.schema.names), outcomes)
