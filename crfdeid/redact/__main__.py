"""Replace the PHI of notes: by surrogates, by markers of its type, or by blanks.

    python -m crfdeid.redact notes/ --out clean/                         tag and replace
    python -m crfdeid.redact corpus/xml --out clean/ --format brat       replace the spans of the corpus
    python -m crfdeid.redact notes/ --out clean/ --threshold 0.01        find more, with more false alarms
    python -m crfdeid.redact notes.csv --out clean.csv --key-file key    the same result on every machine
    python -m crfdeid.redact notes/ --out clean/ --map map --map-key key later notes get the same surrogates
    cat notes.jsonl | python -m crfdeid.redact - --from jsonl --out -    a stream of notes
    python -m crfdeid.redact --sql URL --query "SELECT ..." --out clean.jsonl    the rows of a database

docs/redaction.md describes what is promised and what is not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from crfdeid import cli, corpora, policy
from crfdeid.corpora.output import choose_output, hash_documents
from crfdeid.errors import ConfigurationError, CrfdeidError
from crfdeid.files import hold_output
from crfdeid.redact import (
    known_patients,
    message_output,
    new_ids,
    patients,
    processes,
    release,
    shifts,
    sql_source,
    streams,
    table_output,
)
from crfdeid.redact.formulas import quote_formulas
from crfdeid.redact.journal import Journal
from crfdeid.redact.markers import MARKER
from crfdeid.redact.redactor import STYLES, Redactor
from crfdeid.redact.run_settings import IDS, describe_run
from crfdeid.redact.safe_harbor import Report
from crfdeid.redact.steps import ReadAhead, Steps, TagGroup
from crfdeid.redact.surrogates import keyed_choice, surrogate_map
from crfdeid.redact.surrogates.check_digits import POLICIES
from crfdeid.redact.surrogates.patient import Rules
from crfdeid.systems import model, parallel, term_lists
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.threshold import Threshold
from crfdeid.text.document import Document

KeepRow = Callable[[dict[Any, Any]], None]
ReadNotes = Callable[[], Iterator[Document]]
GroupNotes = Callable[[ReadNotes, bool], Iterator[list[Document]]]


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m crfdeid.redact", description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("notes", type=Path, nargs="?", help="a note, a folder of notes, a corpus in any format, or - for "
        "standard input, of which --from names the format (default: one plain note)")  # fmt: skip
    add("--out", type=Path, required=True, help="a folder, a file such as clean.jsonl, or - for standard "
        "output")  # fmt: skip
    sql_source.add_sql_options(parser)
    add("--format", help="output format (default: the format of the notes)")
    add("--from", dest="source", metavar="FORMAT", help="input format (default: detected)")
    add("--style", choices=STYLES, default="surrogate")
    add("--marker", default=MARKER, help="the marker of a type (default: %(default)s), or shweta")
    add("--spans", choices=release.SPANS, default="auto", help="auto: the notes' own spans and the model's; "
        "gold: only the notes' own; tag: only the model's")  # fmt: skip
    add("--model", default=model.CAREFUL, help="default: %(default)s, what either system finds")
    cli.add_threshold_option(parser, f"{release.CAREFUL}, where the model has probabilities; {release.BEST}: "
        "the most probable labels")  # fmt: skip
    add("--policy", metavar="NAME", help="what becomes of each type: "
        f"{', '.join(policy.list_shipped())} or a TOML file (default: surrogates)")  # fmt: skip
    term_lists.add_term_options(parser)
    known_patients.add_patients_option(parser)
    add_secret_options(parser)
    add_surrogate_options(parser)
    add("--new-ids", nargs="?", const="random", choices=new_ids.KINDS, help="replace the ids of notes and "
        "patients, and write the notes in the order of the new ones; keyed: codes that the key makes, "
        "which the Safe Harbor does not allow (default: random)")  # fmt: skip
    add("--keep-ids", action="store_true", help="of a table: do not replace the cells of the id and the "
        "patient by codes; for ids that are nobody's")  # fmt: skip
    spans = parser.add_mutually_exclusive_group().add_argument
    spans("--no-spans", action="store_true", help="write the notes without the surrogates' spans (the "
          "default of a table)")  # fmt: skip
    spans("--with-spans", action="store_true", help="write a table with the surrogates' spans, which show "
          "what was found, and so what was missed")  # fmt: skip
    add("--spreadsheet-safe", action="store_true", help="begin cells with ' that a spreadsheet would take "
        "for a formula")  # fmt: skip
    add("--report", type=Path, help="the counts as JSON; offsets of survivors in FILE.survivors.csv")
    add("--html", type=Path, metavar="FILE", help="the report as a page to sign; needs --report")
    add("--resume", action="store_true", help="keep the notes that an earlier run has written")
    add("--overwrite", action="store_true", help="replace existing files")
    add("--jobs", type=int, default=1, metavar="N", help="number of processes (default: 1)")
    cli.add_input_options(parser)
    patients.add_patient_option(parser)
    return parser


def add_secret_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that decide which notes get the same surrogates."""
    add = parser.add_argument
    variable = surrogate_map.KEY_VARIABLE
    add("--key-file", type=Path, help="the secret that decides the surrogates")
    add("--map", type=Path, help="an encrypted file of all surrogates, created if missing")
    add("--map-key", type=Path, help=f"the key of the map (default: the environment variable {variable})")
    add("--seed", type=int, help="only for experiments: anyone can undo the result")
    add("--by", choices=("patient", "note"), help="which notes are redacted together (default: patient; "
        "with --key-file note, because then any division of the notes gives the same result)")  # fmt: skip


def add_surrogate_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of :class:`Rules`."""
    add, defaults = parser.add_argument, Rules()
    add("--zip", choices=("surrogate", "three"), default=defaults.zip,
        help="three: the three digits that the Safe Harbor allows")  # fmt: skip
    add("--check-digits", choices=POLICIES, default=defaults.check_digits,
        help="same: a surrogate passes the checks that the real one passes; never: none")  # fmt: skip
    add("--shift-years", type=int, default=defaults.years,
        help="dates shift by at most this many years (default: %(default)s)")  # fmt: skip
    add("--season-weeks", type=int, default=defaults.weeks,
        help="and by at most this many weeks more (default: %(default)s)")  # fmt: skip
    add("--same-doctor-across-patients", action="store_true", help="a doctor has one surrogate in the notes "
        "of all patients")  # fmt: skip
    add("--import-shifts", type=Path, metavar="FILE", help="a CSV table of patient and days, whole weeks, by "
        "which the patient's dates move; for other patients they are drawn")  # fmt: skip
    add("--export-shifts", type=Path, metavar="FILE", help="write such a table for all patients, so that "
        "other data move alike; protect it: it undoes the shifts")  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    cli.collect_rarely()
    if args.html and not args.report:
        raise ConfigurationError("--html shows what --report FILE has; --report is missing")
    source, group = choose_source(args)
    destination = open_destination(args, source)
    message_output.settle_options(args, source, destination.format)
    table_output.settle_options(args, source, destination.format)
    left_out = patients.report_left_out(source, args)
    redactor = build_redactor(args, read_rules(args))
    destination, table = keep_form(destination, args, source, redactor)
    chosen = redactor.actions.policy
    terms = term_lists.read_terms(args, chosen)
    known = known_patients.read_patients(args, [(args.notes or streams.STREAM, source)])
    tagger, threshold = choose_tagger(args, chosen)
    cli.keep_loaded()
    report = Report(
        redactor.by_note,
        describe_run(args, redactor, destination.format),
        patients.describe_source(source, args),
        policy=chosen,
        terms=terms,
        threshold=str(threshold) if threshold else None,
        known_patients=known,
        taken_out=table.masked,
        left_out=left_out,
    )
    with ExitStack() as stack:
        if args.out != streams.STREAM:
            stack.enter_context(hold_output(args.out))
        release.clear_leftovers(args.out, args.map, args.report, args.html, args.export_shifts)
        if args.map:
            stack.enter_context(release.use_map(redactor, args.map, surrogate_map.read_key(args.map_key)))
        replaces_report = args.overwrite or args.resume
        journal = stack.enter_context(Journal.open(report, args.report, args.html, replaces_report))
        read = build_reader(args, source, table.keep)
        add_shift = stack.enter_context(shifts.open_export(args.export_shifts, replaces_report))
        grouped = group(read, redactor.by_note)
        grouped = release.drop_spans(grouped) if args.spans == "tag" and not args.with_fields else grouped
        groups = shifts.export_each(grouped, redactor.find_shift, add_shift)
        ids = new_ids.IdReplacer(args.new_ids, redactor, table.originals)
        redact_each = choose_steps(args, redactor, destination, tagger, threshold, terms, known)
        redacted = release.redact_groups(groups, redact_each, redactor, destination, journal, ids)
        tagging = (args.spans,) if threshold is None else (args.spans, str(threshold))
        options = redactor.hash_options(
            *terms.options, *known.options, destination.format, args.new_ids, args.no_spans, *tagging
        )
        shown = cli.show_progress(redacted, "redact")
        shown = map(quote_formulas, shown) if args.spreadsheet_safe and not table.is_kept else shown
        destination.write(shown, not args.no_spans, options, by_id=args.in_new_order)
        report.release = hash_output(args) if args.report else None
    shown_on = sys.stderr if args.out == streams.STREAM else sys.stdout
    of_ids = message_output.IDS if args.with_fields else IDS[args.new_ids]
    print(*report.lines(), of_ids, *table.lines(), destination, sep="\n", file=shown_on)
    cli.report_bad_rows(args)


def hash_output(args: argparse.Namespace) -> str | None:
    """Return the hash of the notes as ``certify`` reads them; None where it cannot."""
    columns = {name: getattr(args, name) for name in ("id_column", "text_column", "patient_column")}
    given = {name: value for name, value in columns.items() if value}
    if args.out == streams.STREAM:
        return None
    try:
        return hash_documents(corpora.read(args.out, **given))
    except (CrfdeidError, TypeError):  # messages, or a table without a column of texts
        return None


def choose_source(args: argparse.Namespace) -> tuple[str, GroupNotes]:
    """Return the format of the notes, and the function that groups them by patient."""
    sql_source.check_options(args)
    if args.sql:
        return sql_source.FORMAT, partial(streams.group_stream, where=str(sql_source.WHERE))
    if args.notes == streams.STREAM:
        return streams.find_input_format(args.source), streams.group_stream
    return patients.detect_format(args.notes, args), patients.group_by_patient


def build_reader(args: argparse.Namespace, format: str, keep: KeepRow | None) -> ReadNotes:
    """Return the function that reads the notes; it gives ``keep`` the rows of a CSV table."""
    if args.sql:
        return patients.find_patients(sql_source.build_reader(args), args)
    path = streams.INPUT if args.notes == streams.STREAM else args.notes
    return patients.build_reader(path, format, args, keep)


def open_destination(args: argparse.Namespace, source: str) -> release.Destination:
    """Open what the notes are written to. ``source`` is their format."""
    if args.out == streams.STREAM:
        return streams.StandardOutput(args.out, args.format or source, args.resume, args.overwrite)
    if args.notes is not None and args.out.resolve() == args.notes.resolve():
        raise ConfigurationError(f"{args.out}: is the notes themselves; --out needs another path")
    output = choose_output(args.out, args.format or message_output.find_format(args.out, source), source)
    return release.Destination(args.out, output.format, args.resume, args.overwrite)


def keep_form(
    destination: release.Destination, args: argparse.Namespace, source: str, redactor: Redactor
) -> tuple[release.Destination, table_output.WholeTable | table_output.NoTable | message_output.MessageTable]:
    """Return a destination that keeps the messages or the columns of the notes, if they have any, and what it
    knows of them. A map may still change the redactor's secret."""
    if args.with_fields:
        return message_output.keep_messages(destination, args, lambda: redactor.secret)
    return table_output.keep_columns(destination, args, source)


def choose_tagger(
    args: argparse.Namespace, chosen: policy.Policy | None
) -> tuple[Tagger | None, Threshold | None]:
    """Return the tagger and its threshold."""
    if args.jobs < 1:
        raise ConfigurationError(f"--jobs {args.jobs}: wanted 1 or more")
    return release.load_tagger(args.spans, args.model, chosen, args.threshold)


def choose_steps(
    args: argparse.Namespace,
    redactor: Redactor,
    destination: release.Destination,
    tagger: Tagger | None,
    threshold: Threshold | None,
    terms: term_lists.Terms,
    known: known_patients.KnownPatients,
) -> release.RedactEach:
    """Return the function that redacts the notes of patients, with the lists ``terms`` and ``known``. A
    stream that one process redacts waits for no batch: a patient's notes are out when the next patient's
    come."""
    is_shared = args.jobs > 1 and parallel.can_fork(tagger)
    tag_group: TagGroup
    read_ahead: ReadAhead
    if tagger is None or (args.jobs == 1 and args.notes == streams.STREAM):
        tag_group, read_ahead = release.build_tagger(args.spans, tagger, threshold), iter
    else:
        jobs = 1 if is_shared else args.jobs
        ahead = processes.AheadTagger(args.spans, args.model, tagger, threshold, jobs)
        tag_group, read_ahead = ahead.tag_group, ahead.read_ahead
    tag_group = known.wrap(terms.wrap(tag_group))
    tag_group = message_output.protect_fields(tag_group) if args.with_fields else tag_group
    steps = Steps(tag_group, redactor, destination, read_ahead, known)
    if not is_shared:
        return steps.redact_each
    prepare = tagger.compile if tagger else lambda: None
    return processes.SharedSteps(steps, (terms, known), args.jobs, prepare).redact_each


def read_rules(args: argparse.Namespace) -> Rules:
    if not 1 <= args.shift_years <= 500 or not 0 <= args.season_weeks <= 26:
        raise ConfigurationError("--shift-years is from 1 to 500, --season-weeks from 0 to 26")
    same_doctors = args.same_doctor_across_patients
    return Rules(args.shift_years, args.season_weeks, args.zip, args.check_digits, same_doctors)


def build_redactor(args: argparse.Namespace, rules: Rules) -> Redactor:
    """Build the redactor with the requested secret. The default is a random secret that is never saved."""
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
    by_note = args.by == "note" or (args.by is None and args.key_file is not None)
    if by_note and args.map:
        raise ConfigurationError("--map redacts the notes of a patient together: it needs --by patient")
    secret = keyed_choice.read_key_file(args.key_file) if args.key_file else keyed_choice.make_secret()
    secret = keyed_choice.derive_secret(args.seed) if args.seed is not None else secret
    rules_of_types = policy.read_policy(args.policy) if args.policy else None
    moved = shifts.read_shifts(args.import_shifts) if args.import_shifts else None
    return Redactor(secret, args.style, args.marker, rules, by_note, rules_of_types, moved)


if __name__ == "__main__":
    cli.run(main)
