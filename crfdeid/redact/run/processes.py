"""Redact the notes of patients in several processes.

                          ┌─▶ tag in batches ─▶ redact ─┐
read ─▶ group by patient ─┼─▶ tag in batches ─▶ redact ─┼─▶ journal ─▶ write
                          └─▶ tag in batches ─▶ redact ─┘

A surrogate is a keyed choice, so a process needs nothing of other patients to make it. What a map holds of a
patient goes to the process with the notes, and comes back with what became of them. A tagger that starts
threads cannot be forked: then the processes only tag.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple, Protocol

from crfdeid.errors import CrfdeidError
from crfdeid.redact.redactor import identify_patient
from crfdeid.redact.run.release import RedactSteps, SourcedRedaction
from crfdeid.redact.run.tagging import (
    PatientNotes,
)
from crfdeid.redact.surrogates.patient_facts import PatientHistory
from crfdeid.systems import parallel

CHUNK = 100_000  # characters of notes that go to a process at once


class CountedStage(Protocol):
    """Counts what it does, for the report."""

    def take_counts(self) -> Any:
        """Return the counts, and begin again with 0."""

    def add_counts(self, counts: Any) -> None: ...


class NotesWithHistory(NamedTuple):
    """The notes of a patient with what the map holds of the patient."""

    todo: PatientNotes
    history: PatientHistory | None


@dataclass
class ChunkResult:
    """The redacted notes of some patients, and their entries for the map. The patient after them
    has an ``error``, and the patients after that one are not redacted."""

    patients: list[tuple[list[SourcedRedaction], PatientHistory | None]] = field(default_factory=list)
    error: CrfdeidError | None = None
    counts: Sequence[Any] = ()


class SharedSteps:
    """Does the steps of patients in ``jobs`` forked processes, of which this one is one. It redacts the first
    notes: a few are not worth another process, and what it has read and compiled for them, a forked process
    has too. The results come in order, with the bytes of one process, and so do entries of a map. ``counted``
    holds what counts in the steps, and ``prepare`` loads what many notes need before processes are forked:
    otherwise each of them would load it."""

    def __init__(
        self, steps: RedactSteps, counted: Sequence[CountedStage], jobs: int, prepare: Callable[[], None]
    ) -> None:
        self.steps, self.counted, self.jobs, self.prepare = steps, counted, jobs, prepare

    def redact_each(
        self, todo: Iterator[PatientNotes]
    ) -> Iterator[tuple[PatientNotes, list[SourcedRedaction]]]:
        """Yield the notes of each patient, and what became of them."""
        rest = chunk_todo(todo)
        first, second = next(rest, []), next(rest, None)
        if second is not None:
            self.prepare()
        yield from self.steps.redact_each(iter(first))
        if second is None:
            return
        global _shared
        _shared = self
        sent = map(self._add_histories, chain([second], rest))
        with (
            parallel.start_forks(self.jobs - 1) as pool,
            closing(parallel.share_work(pool, self.jobs, _redact_far, self.redact_chunk, sent)) as done,
        ):
            for chunk, made in done:
                yield from self._keep(chunk, made)

    def _add_histories(self, chunk: Iterable[PatientNotes]) -> list[NotesWithHistory]:
        histories = self.steps.redactor.histories or {}
        return [NotesWithHistory(todo, histories.get(identify_patient(todo.group[0]))) for todo in chunk]

    def redact_chunk(self, chunk: Sequence[NotesWithHistory]) -> ChunkResult:
        """Redact the notes of some patients. The map does not change."""
        redactor, made, histories = copy(self.steps.redactor), ChunkResult(), iter(chunk)
        has_map, redactor.save_history = redactor.histories is not None, None
        steps = replace(self.steps, redactor=redactor)
        try:
            for todo in steps.read_ahead(iter([sent.todo for sent in chunk])):
                id, history = identify_patient(todo.group[0]), next(histories).history
                redactor.histories = ({} if history is None else {id: history}) if has_map else None
                outcomes = steps.redact_patient(todo)
                made.patients.append((outcomes, redactor.open_history(id) if has_map else None))
        except CrfdeidError as error:
            made.error = error
        return made

    def _keep(
        self, chunk: Sequence[NotesWithHistory], made: ChunkResult
    ) -> Iterator[tuple[PatientNotes, list[SourcedRedaction]]]:
        """Yield what became of the notes of each patient, after the map has it."""
        for each, counts in zip(self.counted, made.counts):
            each.add_counts(counts)
        for (todo, _), (outcomes, history) in zip(chunk, made.patients):
            if history is not None:
                self._keep_history(identify_patient(todo.group[0]), history)
            yield todo, outcomes
        if made.error:
            raise made.error

    def _keep_history(self, id: str, history: PatientHistory) -> None:
        redactor = self.steps.redactor
        assert redactor.histories is not None
        assert redactor.save_history is not None
        redactor.histories[id] = history
        redactor.save_history(id, history)


_shared: SharedSteps  # of a forked process


def _redact_far(chunk: Sequence[NotesWithHistory]) -> ChunkResult:
    """Redact in a forked process, which counts from 0."""
    for each in _shared.counted:
        each.take_counts()
    made = _shared.redact_chunk(chunk)
    return replace(made, counts=[each.take_counts() for each in _shared.counted])


def chunk_todo(todo: Iterable[PatientNotes]) -> Iterator[list[PatientNotes]]:
    """Yield the notes of consecutive patients, :data:`CHUNK` characters or a little more."""
    chunk: list[PatientNotes] = []
    held = 0
    for each in todo:
        chunk.append(each)
        held += sum(len(note.text) for note in each.group)
        if held >= CHUNK:
            yield chunk
            chunk, held = [], 0
    if chunk:
        yield chunk
