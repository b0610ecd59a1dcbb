"""Redact a stream of notes patient by patient, write them one by one, and keep a journal.

    read ─▶ group by patient ─▶ find spans ─▶ redact ─▶ journal ─▶ write

Memory holds the notes of one patient (:func:`patients.group_by_patient` says when not), and a batch of the
next ones (:class:`tagging.AheadTagger`). The journal is the report of a run, with the offsets of survivors.
"""

from __future__ import annotations

import csv
import json
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from crfdeid import files
from crfdeid.corpora import storage
from crfdeid.errors import ConfigurationError, CrfdeidError, show_id
from crfdeid.redact.actions import name_type
from crfdeid.redact.leftover.suspicious import PROBABILITIES, SURVIVOR, estimate_probability
from crfdeid.redact.redactor import Redaction, Redactor
from crfdeid.redact.report.release_inputs import PLACE_COLUMNS, name_survivors
from crfdeid.redact.report.safe_harbor import Report
from crfdeid.redact.run.destination import Destination
from crfdeid.redact.run.new_ids import IdReplacer
from crfdeid.redact.run.tagging import (
    Group,
    PatientNotes,
    ReadAhead,
    TagGroup,
    name_source,
)
from crfdeid.redact.surrogates import surrogate_map
from crfdeid.redact.surrogates.surrogate_map import MapError, SurrogateMap
from crfdeid.text.document import Document

if TYPE_CHECKING:
    from crfdeid.redact.leftover.known_patients import KnownPatients


def find_missing(
    groups: Iterable[Group],
    redactor: Redactor,
    destination: Destination,
    report: Report,
    ids: IdReplacer | None = None,
) -> Iterator[PatientNotes]:
    """Yield the groups of notes that are not yet written, or not in the map."""
    for group in groups:
        renamed = {note.id: ids.rename(note) if ids else note for note in group}
        missing = {id for id, note in renamed.items() if not destination.has(note.id)}
        report.written_before += len(group) - len(missing)
        lacks_entry = len(missing) < len(group) and not redactor.has_entry(group[0])
        if missing or lacks_entry:
            yield PatientNotes(group, renamed, missing, lacks_entry)


class SourcedRedaction(NamedTuple):
    """The result for a note. ``source`` says where its spans come from (:func:`name_source`)."""

    redaction: Redaction
    source: str


AddRedaction = Callable[[Redaction, str, str], None]  # with the id of the note in the output, and its source
RedactEach = Callable[
    [Iterator[PatientNotes]], Iterator[tuple[PatientNotes, list[SourcedRedaction]]]
]  # of all notes of a patient


def redact_groups(
    groups: Iterable[Group],
    redact_each: RedactEach,
    redactor: Redactor,
    destination: Destination,
    report: Report,
    ids: IdReplacer | None = None,
    add: AddRedaction | None = None,
) -> Iterator[Document]:
    """Yield the redacted notes that the destination does not have yet, and ``add`` them to a journal, or else
    to the report."""
    shows_ids, add = destination.shows_ids and not (ids and ids.kind), add or report.add
    for todo, outcomes in redact_each(find_missing(groups, redactor, destination, report, ids)):
        for note, (redaction, source) in zip(todo.group, outcomes):
            if note.id in todo.missing:
                id, patient = todo.renamed[note.id].id, todo.renamed[note.id].patient
                redaction = replace(redaction, id_has_phi=redaction.id_has_phi and shows_ids)
                add(redaction, id, source)
                destination.keep_replacements(id, redaction.replacements)
                yield replace(redaction.document, id=id, patient=patient)


def refuse_other_output(
    group: Group,
    redactor: Redactor,
    destination: Destination,
    renamed: dict[str, Document],
    missing: set[str],
) -> None:
    """Raise :class:`MapError` if notes of a patient were written that this redactor would not write. The
    map does not have the patient, and then it cannot be completed."""
    for note, redaction in zip(group, redactor.copy_without_map().redact(group)):
        new = replace(redaction.document, id=renamed[note.id].id, patient=renamed[note.id].patient)
        if note.id not in missing and not destination.holds(new):
            raise MapError(
                f"{destination.path}: {show_id(new.id)} was written, but its patient is not in the map, and "
                "the same notes give other surrogates now; --overwrite begins again"
            )


class InternalError(CrfdeidError):
    """An error of this program, without its message, which could contain text of a note."""


@contextmanager
def hide_note_text(id: str) -> Iterator[None]:
    """Turn any unexpected error into one line that names the note and the line of code."""
    try:
        yield
    except CrfdeidError:
        raise
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} in {Path(frame.filename).name}, line {frame.lineno}"
        raise InternalError(
            f"{show_id(id)}: not redacted, nor the patient's other notes: {where}; please report it"
        ) from None


@contextmanager
def use_map(redactor: Redactor, path: Path, key: bytes) -> Iterator[None]:
    """Redact with the map in ``path``, which is created if it is missing. A patient is in the map before
    the redactor returns its notes. Raises :class:`ConfigurationError` if the map has other rules, and
    :class:`MapError` if another run uses or changed the file, which then stays as it is."""
    if not path.exists() and not path.is_symlink():
        surrogate_map.write_map(SurrogateMap(redactor.secret, redactor.rules), path, key)
    with surrogate_map.open_map(path, key) as opened:
        rules = opened.map.rules
        if rules != redactor.rules:
            begun = f"--shift-years {rules.years} --season-weeks {rules.weeks} --zip {rules.zip}"
            begun += f" --check-digits {rules.check_digits}"
            begun += " --same-doctor-across-patients" if rules.same_doctors else ""
            begun += f" --language {rules.language}" if rules.language != redactor.rules.language else ""
            raise ConfigurationError(f"{path}: this map was begun with {begun}")
        redactor.secret, redactor.histories = opened.map.secret, opened.map.patients
        redactor.save_history = opened.append
        yield


@dataclass(frozen=True)
class RedactSteps:
    """The steps for the notes of a patient: ``tag_group`` finds their spans, and they are redacted.
    ``read_ahead`` may tag the next patients too, so that batches are full. ``known`` is what a table says of
    the patients."""

    tag_group: TagGroup
    redactor: Redactor
    destination: Destination
    read_ahead: ReadAhead = iter
    known: KnownPatients | None = None

    def redact_each(
        self, todo: Iterator[PatientNotes]
    ) -> Iterator[tuple[PatientNotes, list[SourcedRedaction]]]:
        """Yield the notes of each patient, and what became of them."""
        for each in self.read_ahead(todo):
            yield each, self.redact_patient(each)

    def redact_patient(self, todo: PatientNotes) -> list[SourcedRedaction]:
        with hide_note_text(todo.group[0].id):
            tagged = self.tag_group(todo.group)
            if todo.lacks_entry:
                refuse_other_output(tagged, self.redactor, self.destination, todo.renamed, todo.missing)
            redactions = self.redactor.redact(tagged)
            if self.known:
                redactions = [self._add_doubtful(self.known, redaction) for redaction in redactions]
            return [
                SourcedRedaction(redaction, name_source(note, found))
                for note, found, redaction in zip(todo.group, tagged, redactions)
            ]

    @staticmethod
    def _add_doubtful(known: KnownPatients, redaction: Redaction) -> Redaction:
        found = known.list_doubtful(redaction.document)
        return replace(redaction, suspicions=tuple(sorted((*redaction.suspicions, *found))))


@dataclass
class Journal:
    """The report of a run, and a table of the survivors' offsets, which is written as the notes come."""

    report: Report
    write_rows: Callable[[Iterable[Sequence[object]]], object]

    @classmethod
    @contextmanager
    def open(
        cls, report: Report, path: Path, page: Path | None = None, overwrite: bool = False
    ) -> Iterator[Journal]:
        """Open a journal. At the end of the run its report is in ``path``, and the page to sign in ``page``.
        The offsets of survivors show where real names may be, so only the owner can read their file and the
        page. Raises :class:`FormatError` if one of the files exists."""
        survivors = name_survivors(path)
        for each in (path, survivors, page):
            if each is not None:
                storage.refuse_existing(each, overwrite)
        with files.open_whole(survivors, private=True) as table:
            writer = csv.writer(table, lineterminator="\n")
            writer.writerow(PLACE_COLUMNS)
            yield cls(report, writer.writerows)
            with files.open_whole(path) as file:
                file.write(json.dumps(report.table(), indent=2) + "\n")
        if page is not None:
            from crfdeid.redact.report.release_page import write_page

            write_page(path, page)

    def add(self, redaction: Redaction, id: str, source: str) -> None:
        """Count a redaction of the note ``id``, and write where something may be left."""
        self.report.add(redaction, id, source)
        rows = [
            (id, span.start, span.end, name_type(span.type), SURVIVOR, PROBABILITIES[SURVIVOR])
            for span in redaction.survivors
        ]
        others = [
            (id, *place[:2], "", place.kind, f"{estimate_probability(redaction.document, place):.2f}")
            for place in redaction.suspicions
        ]
        self.write_rows([*rows, *others])
