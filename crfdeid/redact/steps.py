"""What is done with the notes of a patient: their spans are found, and they are redacted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from crfdeid.redact.known_patients import KnownPatients
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.release import (
    Destination,
    Group,
    Outcome,
    Todo,
    hide_note_text,
    name_source,
    refuse_other_output,
)
from crfdeid.text.document import Document

TagGroup = Callable[[Group], list[Document]]
ReadAhead = Callable[[Iterator[Todo]], Iterator[Todo]]


@dataclass(frozen=True)
class Steps:
    """``tag_group`` gives the notes of a patient their spans, and ``read_ahead`` lets it look at the notes
    that it is asked for later. ``known`` is what a table says of the patients."""

    tag_group: TagGroup
    redactor: Redactor
    destination: Destination
    read_ahead: ReadAhead = iter
    known: KnownPatients = field(default_factory=KnownPatients)

    def redact_each(self, todo: Iterator[Todo]) -> Iterator[tuple[Todo, list[Outcome]]]:
        """Yield the notes of each patient, and what became of them."""
        for each in self.read_ahead(todo):
            yield each, self.redact_patient(each)

    def redact_patient(self, todo: Todo) -> list[Outcome]:
        with hide_note_text(todo.group[0].id):
            tagged = self.tag_group(todo.group)
            if todo.lacks_entry:
                refuse_other_output(tagged, self.redactor, self.destination, todo.renamed, todo.missing)
            redactions = self.redactor.redact(tagged)
            return [
                Outcome(self.known.list_doubtful(redaction), name_source(note, found))
                for note, found, redaction in zip(todo.group, tagged, redactions)
            ]
