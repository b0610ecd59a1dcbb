"""A run of ``crfdeid tag``: read ─▶ tag ─▶ the stages of its plan ─▶ write. The plan is of plain values, and
is checked before a model is loaded. A run can take a part of the notes, for many machines or jobs that divide
a corpus without speaking to one another."""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from crfdeid import __version__, cli, corpora
from crfdeid.corpora import note_nlp, span_table
from crfdeid.corpora.format import Format
from crfdeid.corpora.output import Output, choose_output
from crfdeid.corpora.registry import Reading
from crfdeid.corpora.span_table import RowNumbers, SpanTable
from crfdeid.errors import ConfigurationError, FormatError, show_id
from crfdeid.files import decode_text, find_date
from crfdeid.lexicon import NoteLanguage, find_language
from crfdeid.policy import Policy, read_policy
from crfdeid.systems import model, model_folder
from crfdeid.systems.bias import Bias, parse_bias
from crfdeid.systems.model import SeenNotes, read_model_hashes
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.threshold import Threshold, parse_threshold
from crfdeid.text.document import Document
from crfdeid.text.scheme import Scheme, TypeMap, read_map

if TYPE_CHECKING:
    from crfdeid.corpora.span_journal import SpanJournal
    from crfdeid.redact.run.destination import Destination

STREAM = "-"  # standard input
BY_SUFFIX = {".csv": "spans", ".jsonl": "jsonl", ".parquet": "parquet"}  # of a file that --out names
DECIDING = (  # fields that a run which is resumed needs to have again
    "notes", "reading", "output", "format", "has_text", "model", "bias", "threshold", "probabilities",
    "policy", "always", "never", "types", "patients", "part",
)  # fmt: skip

PART = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


@dataclass(frozen=True)
class TagPlan:
    """``notes`` are paths, or only :data:`STREAM`. ``format`` is that of the ``output``, or without one of
    what is printed. ``model`` None is the shipped one. What is None is off."""

    notes: tuple[str, ...]
    reading: Reading
    output: Output | None
    format: str
    has_text: bool
    model: str | None
    engine: str
    bias: Bias | None
    threshold: Threshold | None
    probabilities: bool
    policy: Policy | None
    always: Path | None
    never: Path | None
    types: TypeMap | None
    patients: Path | None
    part: Part | None
    jobs: int
    overwrite: bool
    resume: bool

    @classmethod
    def of(cls, args: argparse.Namespace) -> TagPlan:
        """Make the plan of the command line. Raises :class:`ConfigurationError` where options contradict each
        other or say nothing."""
        from_stream = STREAM in args.notes
        reading = cli.build_reading(args, (args.source or "text") if from_stream else args.source)
        policy = read_policy(args.policy) if args.policy else None
        format = args.format or find_table(args.notes, args.out, reading)
        output = choose_output(args.out, format, "i2b2", BY_SUFFIX) if args.out else None
        plan = cls(
            notes=tuple(args.notes),
            reading=reading,
            output=output,
            format=output.format if output else format or span_table.NAME,
            has_text=not args.no_text,
            model=choose_model(args),
            engine=args.engine,
            bias=parse_bias(args.recall_bias) if args.recall_bias else None,
            threshold=parse_threshold(args.threshold) if args.threshold else None,
            probabilities=args.probabilities,
            policy=policy,
            always=args.always,
            never=args.never,
            types=read_map(args.types) if args.types else None,
            patients=args.patients,
            part=parse_part(args.part) if args.part else None,
            jobs=args.jobs,
            overwrite=args.overwrite,
            resume=args.resume,
        )
        plan.check()
        return plan

    def check(self) -> None:
        """Raise :class:`ConfigurationError` or :class:`FormatError` where options contradict each other."""
        if not self.has_text and self.format != span_table.NAME:
            wanted = f"wanted --format {span_table.NAME}"
            raise ConfigurationError(f"--no-text: {self.format} holds the notes; {wanted}")
        if self.resume and not (self.keeps_journal or self.keeps_folder):
            raise ConfigurationError(
                "--resume: wanted --out FILE, or a folder in a format that holds the notes"
            )
        if self.jobs < 1:
            raise ConfigurationError(f"--jobs {self.jobs}: wanted 1 or more")
        if self.is_stream:
            self._check_stream()

    def _check_stream(self) -> None:
        if len(self.notes) > 1:
            raise ConfigurationError("-: standard input is one note; wanted no other input beside it")
        if self.part:
            raise ConfigurationError("--part: standard input is read as one note; wanted a file or folder")
        if self.reading.format != "text":
            raise FormatError("standard input is read as one plain note; --from is for files")

    @property
    def is_stream(self) -> bool:
        return STREAM in self.notes

    @property
    def keeps_journal(self) -> bool:
        """Whether a journal beside one file keeps each note that is tagged."""
        return self.resume and self.output is not None and self.output.is_file

    @property
    def keeps_folder(self) -> bool:
        """Whether a folder keeps each note that is tagged, which a table of spans does not."""
        is_folder = self.output is not None and not self.output.is_file
        return self.resume and is_folder and self.format != span_table.NAME

    def hash_deciding(self, *further: object) -> str:
        """Hash what decides the spans, and ``further``; a run that is resumed needs the same."""
        settings = [(name, getattr(self, name)) for name in DECIDING]
        return hashlib.sha256(repr((settings, further)).encode()).hexdigest()

    def list_inputs(self) -> list[tuple[Path, str]]:
        """Return the paths of the notes with their formats."""
        return [(Path(path), self.reading.find_format(path)) for path in self.notes]

    @property
    def knows_patients(self) -> bool:
        """Whether a table, or the messages themselves, say what is known of the patients."""
        formats = (corpora.find_format(format, "read") for _, format in self.list_inputs())
        return self.patients is not None or any(format.read_messages for format in formats)


def choose_model(args: argparse.Namespace) -> str | None:
    """Return the name of the model. Raises :class:`ConfigurationError` where two options name one."""
    if args.language and args.model:
        raise ConfigurationError("--language chooses the model, and so does --model: choose one")
    return find_language(args.language).choose_model() if args.language else args.model


def find_table(notes: Sequence[str], out: Path | None, reading: Reading) -> str | None:
    """Return the table of spans that belongs to rows of OMOP's NOTE, where a table of spans is written."""
    if out and out.suffix.lower() != ".csv":
        return None
    return note_nlp.NAME if {reading.find_format(path) for path in notes} == {"omop"} else None


@dataclass(frozen=True)
class Part:
    """Part ``number`` of ``count``, from 1. A hash of its id decides a document's part, so that the parts are
    disjoint, are together all documents, and stay what they are when documents join."""

    number: int
    count: int

    def has(self, id: str) -> bool:
        """
        >>> [[part for part in (1, 2, 3) if Part(part, 3).has(id)] for id in ("n1", "n2", "n3", "n4")]
        [[2], [3], [3], [2]]
        """
        digest = hashlib.sha256(id.encode()).digest()
        return int.from_bytes(digest[:8]) % self.count == self.number - 1

    def select(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents of this part, in order."""
        return (document for document in documents if self.has(document.id))


def parse_part(text: str) -> Part:
    """Read ``3/16``. Raises :class:`ConfigurationError` for anything else, and for a part that is not there.

    >>> parse_part("3/16")
    Part(number=3, count=16)
    """
    match = PART.fullmatch(text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise ConfigurationError(f"--part {text}: wanted a part and their number, such as 1/16 to 16/16")
    return Part(int(match[1]), int(match[2]))


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
