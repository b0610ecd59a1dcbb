"""What a run of ``crfdeid tag`` does, as plain values that are checked before a model is loaded; and the
parts of a corpus, for many machines or jobs that divide it without speaking to one another."""

from __future__ import annotations

import argparse
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from crfdeid import cli, corpora
from crfdeid.corpora import note_nlp, omop, span_table
from crfdeid.corpora.output import Output, choose_output
from crfdeid.corpora.registry import Reading
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.policy import Policy, read_policy
from crfdeid.systems.bias import Bias, parse_bias
from crfdeid.systems.threshold import Threshold, parse_threshold
from crfdeid.text.document import Document
from crfdeid.text.scheme import TypeMap, read_map

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
            model=args.model,
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


def find_table(notes: Sequence[str], out: Path | None, reading: Reading) -> str | None:
    """Return the table of spans that belongs to rows of OMOP's NOTE, where a table of spans is written."""
    if out and out.suffix.lower() != ".csv":
        return None
    return note_nlp.NAME if {reading.find_format(path) for path in notes} == {omop.FORMAT.name} else None


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
