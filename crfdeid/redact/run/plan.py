"""The plan of a run of ``crfdeid redact``, as plain values that are checked before notes are read."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from crfdeid import cli, corpora
from crfdeid.corpora.output import choose_output
from crfdeid.corpora.registry import Reading
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.lexicon import ENGLISH, find_language
from crfdeid.policy import GENERALIZE, KEEP, Policy, read_policy
from crfdeid.redact.surrogates.patient import Rules
from crfdeid.systems.threshold import Threshold, parse_threshold

COLUMN_OPTIONS = "--date-column, --drop-column or --copy-column"
STREAM = Path("-")  # standard input or output
FOLDER = "folder"  # of --patient-from
QUERY_FORMAT = "table"  # as which the rows of a query are read
QUERY_OUTPUT = "jsonl"  # the format that they are written in, where no other is named
BEST: Literal["best"] = "best"  # in place of a threshold: the most probable labels
NOT_OF_MESSAGES = ("new_ids", "patient_from", "resume", "with_spans", "recursive")  # options
PLAIN = (  # fields that are options as they are
    "notes", "out", "patient_from", "spans", "always", "never", "patients", "style", "marker",
    "key_file", "map", "map_key", "seed", "import_shifts", "export_shifts", "keep_ids", "report", "html",
    "resume", "overwrite", "jobs",
)  # fmt: skip
DECIDING = (  # fields that a run which is resumed needs to have again, beside the options of its redactor
    "reading", "format", "patient_from", "spans", "model", "threshold", "new_ids", "has_spans",
)  # fmt: skip


class Query(NamedTuple):
    """The notes of a database: its address for SQLAlchemy, and what is asked of it."""

    url: str
    text: str


@dataclass(frozen=True)
class ColumnOptions:
    """The columns of a table that options name: their dates move, they are dropped, or they are copied."""

    dates: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.dates or self.dropped or self.copied)


@dataclass(frozen=True)
class RedactPlan:
    """``notes`` is None where a ``query`` gives them, and :data:`STREAM` for standard input; ``out`` is
    :data:`STREAM` for standard output. ``reading`` has the format of the notes, and ``format`` is that of the
    output. ``new_ids`` is one of :data:`crfdeid.redact.run.new_ids.KINDS`, or None, which keeps them. What is
    None is off."""

    notes: Path | None
    out: Path
    reading: Reading
    format: str
    query: Query | None
    patient_from: str | None
    spans: str
    model: str
    threshold: Threshold | Literal["best"] | None
    policy: Policy | None
    always: Path | None
    never: Path | None
    patients: Path | None
    style: str
    marker: str
    rules: Rules
    language: str | None
    by_note: bool
    key_file: Path | None
    map: Path | None
    map_key: Path | None
    seed: int | None
    import_shifts: Path | None
    export_shifts: Path | None
    new_ids: str | None
    in_new_order: bool
    keep_ids: bool
    has_spans: bool
    is_spreadsheet_safe: bool
    columns: ColumnOptions
    report: Path | None
    html: Path | None
    resume: bool
    overwrite: bool
    jobs: int

    @classmethod
    def of(cls, args: argparse.Namespace) -> RedactPlan:
        """Make the plan of the command line. Raises :class:`ConfigurationError` where options contradict each
        other or say nothing."""
        check_options(args)
        reading = find_reading(args)
        source = str(reading.format)
        format = choose_format(args, QUERY_OUTPUT if args.sql else source)
        reading = cli.build_reading(args, source, with_fields=are_messages(source, format))
        if reading.with_fields:
            check_messages(args, format)
        policy = read_policy(args.policy) if args.policy else None
        has_table = is_table(source, format)
        return cls(
            reading=reading,
            format=format,
            query=Query(args.sql, args.query) if args.sql else None,
            model=args.model or choose_model(args),
            threshold=read_threshold(args),
            policy=policy,
            rules=read_rules(args),
            language=find_language(args.language).name if args.language else None,
            by_note=args.by == "note" or (args.by is None and args.key_file is not None),
            new_ids=choose_new_ids(args, has_table),
            in_new_order=args.new_ids is not None,
            has_spans=not args.no_spans and (args.with_spans or not has_table),
            is_spreadsheet_safe=args.spreadsheet_safe,
            columns=ColumnOptions(*map(tuple, (args.date_column, args.drop_column, args.copy_column))),
            **{name: getattr(args, name) for name in PLAIN},
        )

    @property
    def source(self) -> str:
        """The format of the notes."""
        return str(self.reading.format)

    @property
    def replaces_report(self) -> bool:
        """Whether earlier files beside the notes are replaced."""
        return self.overwrite or self.resume

    @property
    def secret_kind(self) -> Literal["key_file", "map", "seed"] | None:
        """The option that the secret comes from; None for a random one that is not kept."""
        if self.map or self.key_file:
            return "map" if self.map else "key_file"
        return None if self.seed is None else "seed"

    @property
    def deciding(self) -> list[tuple[str, object]]:
        """The fields that a run which is resumed needs to have again, with their names."""
        return [(name, getattr(self, name)) for name in DECIDING]


def check_options(args: argparse.Namespace) -> None:
    """Raise :class:`ConfigurationError` where options contradict each other, whatever the notes are."""
    if args.html and not args.report:
        raise ConfigurationError("--html shows what --report FILE has; --report is missing")
    if (args.notes is None) == (args.sql is None):
        raise ConfigurationError("wanted the notes, or --sql with --query")
    if (args.sql is None) != (args.query is None):
        raise ConfigurationError("--sql and --query need each other")
    if args.sql and (args.source or args.patient_from == FOLDER):
        raise ConfigurationError("--from and --patient-from folder are for files, and --sql is none")
    if args.keep_ids and args.new_ids:
        raise ConfigurationError("--keep-ids and --new-ids: choose one")
    if args.jobs < 1:
        raise ConfigurationError(f"--jobs {args.jobs}: wanted 1 or more")
    if args.out not in (STREAM, None) and args.notes and args.out.resolve() == args.notes.resolve():
        raise ConfigurationError(f"{args.out}: is the notes themselves; --out needs another path")
    check_secret(args)
    check_columns(args)


def check_columns(args: argparse.Namespace) -> None:
    """Raise :class:`ConfigurationError` where the dates of a column would move and the dates of texts would
    not."""
    if args.date_column and args.policy:
        rule = read_policy(args.policy).by_type.get("DATE")
        if rule and rule.action in (KEEP, GENERALIZE):
            what = "dates" if rule.action == KEEP else "years"
            raise ConfigurationError(
                f"--date-column: the policy keeps the {what} of the notes, which would show the shift; "
                "wanted --copy-column or --drop-column"
            )


def check_secret(args: argparse.Namespace) -> None:
    """Raise :class:`ConfigurationError` where the options of the secret do not fit one another."""
    chosen = [name for name in ("key_file", "map", "seed") if getattr(args, name) is not None]
    if len(chosen) > 1:
        raise ConfigurationError("--key-file, --map and --seed: choose one")
    if args.map_key and not args.map:
        raise ConfigurationError("--map-key is the key of a map, but --map is missing")
    if args.resume and not chosen:
        raise ConfigurationError(
            "--resume needs --key-file or --map: without them the secret of the first part is lost"
        )
    if args.resume and args.new_ids == "random" and not args.map:
        raise ConfigurationError(
            "--resume with --new-ids needs --map, which keeps the random ids, or --new-ids keyed"
        )
    if args.by == "note" and args.map:
        raise ConfigurationError("--map redacts the notes of a patient together: it needs --by patient")


def find_reading(args: argparse.Namespace) -> Reading:
    """Return how the notes are read, with their format."""
    if args.sql:
        return cli.build_reading(args, QUERY_FORMAT)
    if args.notes == STREAM:
        return cli.build_reading(args, find_stream_format(args.source))
    reading = cli.build_reading(args, args.source)
    first = args.notes
    if args.patient_from == FOLDER and not args.source:
        first = list_folders(args.notes)[0]
    return cli.build_reading(args, reading.find_format(first))


def list_folders(path: Path) -> list[Path]:
    """Return the folders in ``path`` by name. Raises :class:`FormatError` where a file is beside them, or
    where there are none."""
    if not path.is_dir():
        raise FormatError(f"{path}: not a folder; --patient-from folder wants a folder of folders")
    entries = sorted(entry for entry in path.iterdir() if not entry.name.startswith("."))
    if others := [number for number, entry in enumerate(entries, 1) if not entry.is_dir()]:
        raise FormatError(f"{path}: entry {others[0]} by name is not a folder; it would have no patient")
    if not entries:
        raise FormatError(f"{path}: no folders")
    return entries


def find_stream_format(format: str | None) -> str:
    """The format of standard input: one plain note, if no other is named. Raises :class:`ConfigurationError`
    for one that does not come through a pipe."""
    name = format or "text"
    if not corpora.find_format(name, "read").is_text_stream:
        raise ConfigurationError("standard input: --from wants a format that is a single file of text")
    return name


def choose_format(args: argparse.Namespace, source: str) -> str:
    """Return the format of the output, by default the format of the notes, ``source``. The suffix of messages
    may belong to another format too."""
    if args.out == STREAM:
        return str(args.format or source)
    found = corpora.find_format(source, "read")
    are_alike = found.read_messages and args.out.suffix.lower() in found.suffixes
    return choose_output(args.out, args.format or (source if are_alike else None), source).format


def are_messages(source: str, format: str) -> bool:
    """Whether messages are read, and written in the same format."""
    return source == format and corpora.find_format(source, "read").read_messages is not None


def is_table(source: str, format: str) -> bool:
    """Whether a table is read and a table is written."""
    return (
        corpora.find_format(source, "read").has_columns and corpora.find_format(format, "write").has_columns
    )


def check_messages(args: argparse.Namespace, format: str) -> None:
    """Raise :class:`ConfigurationError` for an option that messages do not have."""
    for name in NOT_OF_MESSAGES:
        if getattr(args, name):
            option = "--" + name.replace("_", "-")
            raise ConfigurationError(f"{option}: not for {format}, whose messages keep their form")
    if args.spans == "gold":
        raise ConfigurationError(f"--spans gold: {format} has no spans; wanted auto or tag")
    if STREAM in (args.notes, args.out):
        raise ConfigurationError(f"{format}: wanted a file or folder, not - for standard input or output")


def choose_new_ids(args: argparse.Namespace, has_table: bool) -> str | None:
    """Return the kind of new ids. From a table to a table ids become codes: with a key file or a seed they
    come from it, so that every machine makes the same."""
    if args.new_ids or args.keep_ids or not has_table:
        return str(args.new_ids) if args.new_ids else None
    return "keyed" if args.key_file or args.seed is not None else "random"


def choose_model(args: argparse.Namespace) -> str:
    """Return the model for notes in the language of the surrogates. Raises :class:`ConfigurationError` where
    there is none, and spans are to be found."""
    language = find_language(args.language or ENGLISH)
    return language.release_model if args.spans == "gold" else language.choose_model("release_model")


def read_threshold(args: argparse.Namespace) -> Threshold | Literal["best"] | None:
    """Return the threshold of the option's values; None where they are missing."""
    if args.threshold == [BEST]:
        return BEST
    chosen = parse_threshold(args.threshold) if args.threshold else None
    if chosen and args.spans == "gold":
        raise ConfigurationError("--threshold is for the model; --spans gold does not use one")
    return chosen


def read_rules(args: argparse.Namespace) -> Rules:
    """Return the options of surrogates."""
    if not 1 <= args.shift_years <= 500 or not 0 <= args.season_weeks <= 26:
        raise ConfigurationError("--shift-years is from 1 to 500, --season-weeks from 0 to 26")
    same_doctors = args.same_doctor_across_patients
    return Rules(args.shift_years, args.season_weeks, args.zip, args.check_digits, same_doctors)
