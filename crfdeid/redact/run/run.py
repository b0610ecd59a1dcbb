"""A run of ``crfdeid redact``: what its plan needs is opened, and the notes go through.

read ─▶ group by patient ─▶ tag ─▶ stages of the plan ─▶ redact ─▶ journal ─▶ write
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from crfdeid import __version__, corpora
from crfdeid.corpora.table import KeepRows
from crfdeid.errors import ConfigurationError, CrfdeidError
from crfdeid.files import find_date, hold_output
from crfdeid.lexicon import ENGLISH, NoteLanguage
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.report.safe_harbor import IDS, IDS_OF_MESSAGES, SECRETS, Report, ReportedStage
from crfdeid.redact.run import destination, patients, processes, release, tagging
from crfdeid.redact.run.destination import (
    Destination,
    Stamps,
    StandardOutput,
    count_unchanged,
    quote_formulas,
    stamp_files,
)
from crfdeid.redact.run.plan import COLUMN_OPTIONS, STREAM, RedactPlan, is_table
from crfdeid.redact.run.release import RedactEach, RedactSteps
from crfdeid.redact.run.tagging import Group, ReadAhead, TagGroup
from crfdeid.redact.surrogates import keyed_choice
from crfdeid.systems import model, model_folder, parallel
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.threshold import Threshold
from crfdeid.text.document import Document

if TYPE_CHECKING:
    from crfdeid.redact.leftover.known_patients import KnownPatients
    from crfdeid.redact.run.new_ids import IdReplacer
    from crfdeid.redact.run.table_output import UnwrittenColumns
    from crfdeid.systems.term_lists import Terms

ReadNotes = Callable[[], Iterator[Document]]
TABLES = ("table", "parquet")  # formats whose readers give their rows
SPAN_SOURCES = {
    "auto": "the notes' own and the model's",
    "gold": "only the notes' own",
    "tag": "only the model's",
}


@dataclass
class RedactRun:
    """The loaded parts of a plan. ``stages`` are the steps between tagging and redacting: a step that is off
    is absent. One of them is what is ``known`` of the patients. ``earlier`` are the files that the output
    folder already has, and ``unwritten`` the columns of a table that the output does not have."""

    plan: RedactPlan
    redactor: Redactor
    destination: Destination
    stages: list[ReportedStage]
    known: KnownPatients | None
    tagger: Tagger | None
    threshold: Threshold | None
    report: Report
    language: NoteLanguage | None
    earlier: Stamps
    unwritten: UnwrittenColumns | None = None

    @classmethod
    def of(cls, plan: RedactPlan, destination: Destination, left_out: Mapping[str, int] | None) -> RedactRun:
        """Load what the plan needs; ``left_out`` counts what of the input is not read. Raises
        :class:`ConfigurationError` where the model cannot do it."""
        redactor = build_redactor(plan)
        destination = choose_output_form(destination, plan, redactor)
        terms, known = read_terms(plan), read_patients(plan)
        stages: list[ReportedStage] = [stage for stage in (terms, known) if stage]
        tagger, threshold = tagging.load_tagger(plan.spans, plan.model, plan.policy, plan.threshold)
        redactor.write_in(plan.language or (tagger.language if tagger else ENGLISH))
        report = Report(
            redactor.by_note,
            describe_run(plan, redactor) if plan.report else {},
            patients.describe_source(plan.reading, plan.patient_from, bool(plan.query)),
            policy=plan.policy,
            threshold=str(threshold) if threshold else None,
            stages=stages,
            taken_out=destination.taken_out,
            left_in_values=destination.survivors,
            left_out=left_out,
        )
        language = NoteLanguage(tagger.language, tagger.scheme.name) if tagger else None
        earlier = stamp_files(plan.out) if plan.overwrite else {}
        unwritten = note_columns(plan, destination)
        return cls(
            plan,
            redactor,
            destination,
            stages,
            known,
            tagger,
            threshold,
            report,
            language,
            earlier,
            unwritten,
        )

    @contextmanager
    def open(self) -> Iterator[Iterator[Document]]:
        """Hold the outputs, and give the redacted notes. At the end what is beside the notes is written."""
        plan, redactor = self.plan, self.redactor
        with ExitStack() as stack:
            if plan.out != STREAM:
                stack.enter_context(hold_output(plan.out))
            destination.clear_leftovers(
                plan.out, plan.map, plan.html, plan.export_shifts, *self._list_report()
            )
            if plan.map:
                from crfdeid.redact.surrogates.surrogate_map import read_key

                stack.enter_context(release.use_map(redactor, plan.map, read_key(plan.map_key)))
            add = self._open_journal(stack)
            groups = self._export_shifts(self._group(), stack)
            steps, ids = self._choose_steps(), self._build_ids()
            yield release.redact_groups(groups, steps, redactor, self.destination, self.report, ids, add)
            self.report.release = hash_output(plan) if plan.report else None

    def write(self, redacted: Iterable[Document]) -> None:
        """Write the notes to the destination."""
        plan, redactor = self.plan, self.redactor
        redacted = self.language.count_each(redacted) if self.language else redacted
        if plan.is_spreadsheet_safe and not self.destination.quotes_cells:
            redacted = map(quote_formulas, redacted)
        options = redactor.hash_options(*(stage.options for stage in self.stages), *plan.deciding)
        self.destination.write(redacted, plan.has_spans, options, by_id=plan.in_new_order)

    def lines(self) -> Iterator[str]:
        """Say what was redacted, and where it is."""
        yield from self.report.lines()
        yield IDS_OF_MESSAGES if self.plan.reading.with_fields else IDS[self.plan.new_ids]
        yield from self.destination.lines()
        yield from self.unwritten.lines() if self.unwritten else ()
        yield from self.language.lines() if self.language else ()
        yield str(self.destination)
        if left := count_unchanged(self.plan.out, self.earlier):
            yield f"files of an earlier run that are still in {self.plan.out}: {left:,}"

    def _list_report(self) -> list[Path]:
        """The files of the report, if it is wanted."""
        if self.plan.report is None:
            return []
        from crfdeid.redact.report.release_inputs import name_survivors

        return [self.plan.report, name_survivors(self.plan.report)]

    def _open_journal(self, stack: ExitStack) -> release.AddRedaction | None:
        """Open the report, and what belongs to it, if it is wanted."""
        plan = self.plan
        if plan.report is None:
            return None
        journal = release.Journal.open(self.report, plan.report, plan.html, plan.replaces_report)
        return stack.enter_context(journal).add

    def _group(self) -> Iterator[Group]:
        """Yield the notes of one patient after the other."""
        plan, by_note = self.plan, self.redactor.by_note
        read = build_reader(plan, self.destination.keep or (self.unwritten.keep if self.unwritten else None))
        if plan.query or plan.notes == STREAM:
            grouped: Iterator[Group] = patients.group_stream(
                read, by_note, "--sql" if plan.query else "standard input"
            )
        else:
            grouped = patients.group_by_patient(read, by_note)
        return (
            tagging.drop_spans(grouped) if plan.spans == "tag" and not plan.reading.with_fields else grouped
        )

    def _export_shifts(self, groups: Iterator[Group], stack: ExitStack) -> Iterator[Group]:
        """Yield the groups, and write the shift of each patient if that is wanted."""
        plan = self.plan
        if plan.export_shifts is None:
            return groups
        from crfdeid.redact.run import shifts

        add = stack.enter_context(shifts.open_export(plan.export_shifts, plan.replaces_report))
        return shifts.export_each(groups, self.redactor.find_shift, add)

    def _build_ids(self) -> IdReplacer | None:
        """Build what replaces ids, if they are replaced or the destination needs the real ones."""
        originals = self.destination.originals
        if self.plan.new_ids is None and originals is None:
            return None
        from crfdeid.redact.run.new_ids import IdReplacer

        return IdReplacer(self.plan.new_ids, self.redactor, originals)

    def _choose_steps(self) -> RedactEach:
        """Return the function that redacts the notes of patients. A stream that one process redacts waits for
        no batch: a patient's notes are out when the next patient's come."""
        jobs, tagger = self.plan.jobs, self.tagger
        is_shared = jobs > 1 and parallel.can_fork(tagger)
        tag_group, read_ahead = self._choose_tagger(1 if is_shared else jobs)
        if self.plan.reading.with_fields:
            from crfdeid.redact.run.message_output import judge_terms

            tag_group = judge_terms(tag_group)
        for stage in self.stages:
            tag_group = stage.wrap(tag_group)
        if self.plan.reading.with_fields:
            from crfdeid.redact.run.message_output import protect_fields

            tag_group = protect_fields(tag_group)
        steps = RedactSteps(tag_group, self.redactor, self.destination, read_ahead, self.known)
        if not is_shared:
            return steps.redact_each
        prepare = tagger.compile if tagger else lambda: None
        return processes.SharedSteps(steps, self.stages, jobs, prepare).redact_each

    def _choose_tagger(self, jobs: int) -> tuple[TagGroup, ReadAhead]:
        """Return the function that tags a patient's notes in ``jobs`` processes, and what it reads ahead."""
        plan, tagger, threshold = self.plan, self.tagger, self.threshold
        if tagger is None or (plan.jobs == 1 and plan.notes == STREAM):
            return tagging.build_tagger(plan.spans, tagger, threshold), iter
        ahead = tagging.AheadTagger(plan.spans, plan.model, tagger, threshold, jobs)
        return ahead.tag_group, ahead.read_ahead


def read_terms(plan: RedactPlan) -> Terms | None:
    """Read the lists of terms, if the plan has any."""
    if not (plan.always or plan.never):
        return None
    from crfdeid.systems.term_lists import read_terms

    return read_terms(plan.always, plan.never, plan.policy)


def read_patients(plan: RedactPlan) -> KnownPatients | None:
    """Read what a table or messages say of the patients, if the plan has either."""
    if not (plan.patients or corpora.find_format(plan.source, "read").read_messages):
        return None
    from crfdeid.redact.leftover.known_patients import read_patients

    return read_patients(plan.patients, [(plan.notes or STREAM, plan.source)], plan.reading)


def build_redactor(plan: RedactPlan) -> Redactor:
    """Build the redactor with the requested secret. The default is a random secret that is never saved."""
    secret = keyed_choice.read_key_file(plan.key_file) if plan.key_file else keyed_choice.make_secret()
    secret = keyed_choice.derive_secret(plan.seed) if plan.seed is not None else secret
    moved = None
    if plan.import_shifts:
        from crfdeid.redact.run.shifts import read_shifts

        moved = read_shifts(plan.import_shifts)
    return Redactor(secret, plan.style, plan.marker, plan.rules, plan.by_note, plan.policy, moved)


def open_destination(plan: RedactPlan) -> Destination:
    """Open what the notes are written to."""
    if plan.out == STREAM:
        return StandardOutput(plan.out, plan.format, plan.resume, plan.overwrite)
    return Destination(plan.out, plan.format, plan.resume, plan.overwrite)


def choose_output_form(destination: Destination, plan: RedactPlan, redactor: Redactor) -> Destination:
    """Return a destination that keeps the messages or the columns of the notes, if they have any. A map may
    still change the redactor's secret."""
    if plan.reading.with_fields:
        from crfdeid.redact.run.message_output import keep_messages

        return keep_messages(destination, plan, lambda: redactor.secret)
    kept: Destination | None = None
    if is_table(plan.source, plan.format):
        from crfdeid.redact.run.table_output import keep_columns

        kept = keep_columns(destination, plan, redactor.find_days)
    if plan.columns and not kept:
        wanted = "only where a table or a query becomes one table (.csv, .parquet)"
        raise ConfigurationError(f"{COLUMN_OPTIONS}: {wanted}")
    return kept or destination


def note_columns(plan: RedactPlan, destination: Destination) -> UnwrittenColumns | None:
    """Return what notes the columns of a table that the output leaves out, if it is not a table too."""
    if destination.originals is not None or plan.source not in TABLES:
        return None
    from crfdeid.redact.run.table_output import UnwrittenColumns

    return UnwrittenColumns(plan.reading)


def build_reader(plan: RedactPlan, keep: KeepRows | None) -> ReadNotes:
    """Return the function that reads the notes; it gives ``keep`` the rows of a table."""
    if plan.query:
        rows = patients.build_query_reader(plan.query, plan.reading, keep)
        return patients.find_patients(rows, plan.patient_from)
    path = patients.INPUT if plan.notes is None or plan.notes == STREAM else plan.notes
    return patients.build_reader(path, plan.reading, plan.patient_from, keep)


def hash_output(plan: RedactPlan) -> str | None:
    """Return the hash of the notes as ``certify`` reads them; None where it cannot."""
    if plan.out == STREAM:
        return None
    from crfdeid.corpora.output import hash_documents

    try:
        return hash_documents(corpora.read(plan.out, **plan.reading.columns))
    except (CrfdeidError, TypeError):  # messages, or a table without a column of texts
        return None


def describe_run(plan: RedactPlan, redactor: Redactor) -> dict[str, object]:
    """Describe the options of a run."""
    rules = redactor.rules
    shift = f"whole weeks, at most {rules.years} years and {rules.weeks} weeks"
    return {
        "crfdeid": __version__,
        "date": find_date(),
        "spans": SPAN_SOURCES[plan.spans],
        "model": None if plan.spans == "gold" else describe_model(plan.model),
        "style": plan.style,
        "together": "each note alone" if redactor.by_note else "all notes of a patient",
        "secret": SECRETS[plan.secret_kind],
        "ids": IDS[plan.new_ids],
        "dates_shift_by": shift + "; some patients' days come from a table" * bool(redactor.shifts),
        "zip": rules.zip,
        "check_digits": rules.check_digits,
        "same_doctor_across_patients": rules.same_doctors,
        **({} if rules.language == ENGLISH else {"language": rules.language}),
        "format": plan.format,
        "spans_beside_the_notes": plan.has_spans,
    }


def describe_model(name: str) -> str:
    """The names of the models, each with the beginning of its manifest's SHA-256."""
    return " + ".join(map(describe_part, model.split_names(name)))


def describe_part(name: str) -> str:
    manifest = model_folder.find_folder(name) / "manifest.json"
    shown = Path(name).name
    return f"{shown} ({model_folder.hash_manifest(manifest)[:12]})" if manifest.is_file() else shown
