"""Find the spans of notes ahead of their redaction: in batches, or in several processes.

read ─▶ group by patient ─┬─▶ tag in batches or processes ─┐
                          └────────────────────────────────┴─▶ redact ─▶ write
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from itertools import islice, tee

from crfdeid.redact.release import Group, Todo, unite_notes
from crfdeid.systems import model, parallel
from crfdeid.systems.tagger import BATCH, Tagger
from crfdeid.systems.threshold import Threshold
from crfdeid.text.document import Document


class AheadTagger:
    """Gives notes the spans that :func:`release.build_tagger` gives them, in ``jobs`` processes. A batch ends
    with a patient. :meth:`read_ahead` looks at the notes that :meth:`tag_group` is asked for later, in the
    same order."""

    def __init__(
        self, spans: str, folder: str | None, tagger: Tagger, threshold: Threshold | None, jobs: int
    ) -> None:
        self.spans, self.folder, self.threshold, self.jobs = spans, folder, threshold, jobs
        self.tagger = tagger
        self.tagged: Generator[Document, None, None] = self._tag_each(())

    def read_ahead(self, todo: Iterator[Todo]) -> Iterator[Todo]:
        """Yield the same, whose notes are tagged from when the first is wanted."""
        now, ahead = tee(todo)
        self.tagged = self._tag_each(note for each in ahead for note in list_apart(each.group))
        try:
            yield from now
        finally:
            self.tagged.close()  # ends the processes

    def tag_group(self, group: Group) -> list[Document]:
        found = [
            note.with_spans(tagged.spans) for note, tagged in zip(group, islice(self.tagged, len(group)))
        ]
        return found if self.spans == "tag" else list(map(unite_notes, group, found))

    def _tag_each(self, notes: Iterable[Document]) -> Generator[Document, None, None]:
        if self.jobs > 1:
            yield from parallel.tag_in_processes(
                self.tagger, self.folder, model.FAST, notes, self.jobs, self.threshold
            )
            return
        for batch in parallel.chunk_documents(notes, BATCH):
            yield from self.tagger.tag_all(batch, threshold=self.threshold)


def list_apart(group: Group) -> list[Document]:
    """The notes without spans. A note that is redacted by itself has no patient here: otherwise the tagger
    would see it beside the patient's other notes."""
    if len(group) == 1:
        return [replace(group[0], spans=(), patient=None)]
    return [note.with_spans(()) for note in group]
