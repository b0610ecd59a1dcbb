"""A run of ``crfdeid tag``: read ─▶ tag ─▶ the stages of its plan ─▶ write."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from crfdeid import __version__
from crfdeid.corpora import note_nlp
from crfdeid.corpora.format import Format
from crfdeid.corpora.output import Output
from crfdeid.corpora.span_table import RowNumbers, SpanTable
from crfdeid.errors import FormatError, show_id
from crfdeid.files import decode_text, find_date
from crfdeid.systems import model, model_folder
from crfdeid.systems.model import NoteLanguage, SeenNotes, read_model_hashes
from crfdeid.systems.tagger import Tagger
from crfdeid.tag.plan import STREAM, TagPlan
from crfdeid.text.document import Document
from crfdeid.text.scheme import Scheme

if TYPE_CHECKING:
    from crfdeid.corpora.span_journal import SpanJournal
    from crfdeid.redact.run.destination import Destination


@dataclass(frozen=True)
class Stage:
    """A step after tagging. ``options`` are what a run that is resumed needs to have again beside those of
    the plan, ``lines`` says at the end what the step did, and ``check`` raises an error where a scheme lacks
    a type that it needs."""

    apply: Callable[[Iterable[Document]], Iterator[Document]]
    lines: Callable[[], Iterable[str]] = tuple
    check: Callable[[Scheme], None] = lambda scheme: None
    options: tuple[str, ...] = ()


def list_stages(plan: TagPlan) -> list[Stage]:
    """Return the stages of the plan, in their order: a stage that is off is absent."""
    stages = []
    if plan.policy:
        stages.append(Stage(partial(map, plan.policy.select_phi), check=plan.policy.check_scheme))
    if plan.always or plan.never:
        from crfdeid.systems.term_lists import read_terms

        terms = read_terms(plan.always, plan.never, plan.policy)
        stages.append(Stage(partial(map, terms.apply), terms.lines, terms.check_scheme, terms.options))
    if plan.types:
        stages.append(Stage(plan.types.apply_all))
    if plan.knows_patients:
        from crfdeid.redact.leftover import known_patients

        known = known_patients.read_patients(plan.patients, plan.list_inputs(), plan.reading)
        stages.append(Stage(partial(map, known.mark), known.lines, options=known.options))
    return stages


@dataclass
class TagRun:
    """The loaded ``tagger`` of a plan with its stages, and what the run counts. A run that is resumed has a
    ``journal``, or a ``folder`` of notes that are kept."""

    plan: TagPlan
    tagger: Tagger
    stages: list[Stage]
    seen: SeenNotes
    language: NoteLanguage
    journal: SpanJournal | None = None
    folder: Destination | None = None
    rows: RowNumbers = field(default_factory=RowNumbers)

    @classmethod
    def of(cls, plan: TagPlan) -> TagRun:
        """Load what the plan needs. Raises :class:`ConfigurationError` where the model cannot do it, and
        :class:`FormatError` where the output exists."""
        stages = list_stages(plan)
        tagger = model.load(plan.model, plan.engine, plan.bias)
        for stage in stages:
            stage.check(tagger.scheme)
        if plan.threshold:
            tagger.check_threshold(plan.threshold)
        seen = SeenNotes(read_training_hashes(plan.model))
        language = NoteLanguage(tagger.language, tagger.scheme.name)
        run = cls(
            plan, tagger, stages, seen, language, folder=open_folder(plan) if plan.keeps_folder else None
        )
        run.journal = open_journal(plan, run.hash) if plan.keeps_journal else None
        return run

    @property
    def hash(self) -> str:
        """A hash of what decides the spans."""
        return self.plan.hash_deciding(*(stage.options for stage in self.stages))

    def tag(self) -> Iterator[Document]:
        """Yield the notes of the plan with their spans."""
        notes = self.language.count_each(self.seen.count_each(read_notes(self.plan, self.rows)))
        if self.folder:
            notes = (note for note in notes if self.folder and not self.folder.has(note.id))
        documents = self.journal.tag(notes, self._find_spans) if self.journal else self._find_spans(notes)
        for stage in self.stages:
            documents = stage.apply(documents)
        return documents

    def _find_spans(self, notes: Iterator[Document]) -> Iterator[Document]:
        plan = self.plan
        if plan.jobs == 1 or plan.probabilities:
            return self.tagger.tag_all(notes, plan.probabilities, plan.threshold)
        from crfdeid.systems.parallel import tag_in_processes

        options = plan.jobs, plan.threshold, plan.bias
        return tag_in_processes(self.tagger, plan.model, plan.engine, notes, *options)

    def write(self, documents: Iterable[Document], output: Output) -> None:
        """Write the documents, and beside a folder what tagged it."""
        if self.folder:
            self.folder.write(documents, options_hash=self.hash)
        else:
            table = self.build_span_format()
            output.write(documents, self.plan.overwrite, table if output.format == table.name else None)
        if self.journal:
            self.journal.remove()
        if not output.is_file:
            from crfdeid.corpora.output import TaggedBy, write_record

            name = self.plan.model or model.DEFAULT
            write_record(output.path, TaggedBy(name, __version__, self.seen.seen, self.seen.total))

    def build_span_format(self) -> Format:
        """Return the format of a table of spans that says what found them."""
        name = self.plan.model or model.DEFAULT
        if self.plan.format == note_nlp.NAME:
            return note_nlp.NoteNlp(f"crfdeid {__version__} {name}", find_date()).build_format()
        delimiter, has_text = self.plan.reading.delimiter, self.plan.has_text
        return SpanTable(name, __version__, has_text, delimiter, self.rows.find).build_format()

    def describe_kept(self) -> str:
        """Say how many notes an earlier run has tagged, if it has any."""
        kept = self.journal.kept if self.journal else 0
        return f"; {kept:,} of them were tagged before" * bool(kept)

    def lines(self) -> Iterator[str]:
        """Say what the stages did, and warn of notes that the model has seen or that are in another
        language."""
        for stage in self.stages:
            yield from stage.lines()
        yield from self.seen.lines()
        yield from self.language.lines()


def read_training_hashes(name: str | None) -> set[str]:
    """Read the hashes of the notes that trained a model, or models joined by "+", where it has a list."""
    folders = map(model_folder.find_folder, model.split_names(name))
    return {hash for folder in folders for hash in read_model_hashes(folder) or ()}


def open_journal(plan: TagPlan, hash: str) -> SpanJournal:
    """Open the journal of one file that is resumed, of options with this ``hash``. Raises
    :class:`FormatError` where the file exists."""
    assert plan.output
    from crfdeid.corpora import span_journal, storage

    storage.refuse_existing(plan.output.path, plan.overwrite)
    return span_journal.SpanJournal(plan.output.path, hash)


def open_folder(plan: TagPlan) -> Destination:
    """Open the folder that is resumed."""
    assert plan.output
    from crfdeid.redact.run.destination import Destination

    return Destination(plan.output.path, plan.output.format, resume=True)


def read_notes(plan: TagPlan, rows: RowNumbers) -> Iterator[Document]:
    """Read the notes of the paths, or of a part of them, or one note from standard input; number them."""
    reading = plan.reading
    if plan.is_stream:
        text = decode_text(sys.stdin.buffer.read(), "standard input", reading.encoding)
        return rows.count_each([Document(STREAM, text)])
    left_out = reading.bad.found if reading.bad else ()
    each = (rows.count_each(reading.read(path), left_out) for path in plan.notes)
    notes = chain.from_iterable(each) if len(plan.notes) == 1 else refuse_repeated(chain.from_iterable(each))
    return plan.part.select(notes) if plan.part else notes


def refuse_repeated(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield the notes of several paths. Raises :class:`FormatError` where an id occurs twice."""
    seen: set[str] = set()
    for number, document in enumerate(documents, 1):
        if document.id in seen:
            shown = show_id(document.id, f"number {number}")
            raise FormatError(f"document {shown} of all inputs together: its id occurs in an earlier input")
        seen.add(document.id)
        yield document
