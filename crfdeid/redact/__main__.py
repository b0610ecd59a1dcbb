"""Replace the PHI of notes: by surrogates, by markers of its type, or by blanks.

    crfdeid redact notes/ --out clean/                         tag and replace
    crfdeid redact corpus/xml --out clean/ --format brat       replace the spans of the corpus
    crfdeid redact notes/ --out clean/ --threshold 0.01        find more, with more false alarms
    crfdeid redact notes.csv --out clean.csv --key-file key    the same result on every machine
    crfdeid redact notes/ --out clean/ --map map --map-key key           later notes get the same surrogates
    cat notes.jsonl | crfdeid redact - --from jsonl --out -    a stream of notes
    crfdeid redact --sql URL --query "SELECT ..." --out clean.jsonl    the rows of a database

docs/redaction.md describes what is promised and what is not.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from crfdeid import cli
from crfdeid.redact.actions import MARKER
from crfdeid.redact.redactor import STYLES
from crfdeid.redact.run import tagging
from crfdeid.redact.run.new_ids import KINDS
from crfdeid.redact.run.patients import URL_VARIABLE
from crfdeid.redact.run.plan import BEST, FOLDER, STREAM, RedactPlan, list_folders
from crfdeid.redact.run.run import RedactRun, open_destination
from crfdeid.redact.surrogates import surrogate_map
from crfdeid.redact.surrogates.identifiers import CHECK_POLICIES
from crfdeid.redact.surrogates.patient import Rules
from crfdeid.systems import model


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid redact", description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("notes", type=Path, nargs="?", help="a note, a folder of notes, a corpus in any format, or - for "
        "standard input, of which --from names the format (default: one plain note)")  # fmt: skip
    add("--out", type=Path, required=True, help="a folder, a file such as clean.jsonl, or - for standard "
        "output")  # fmt: skip
    add("--sql", metavar="URL", help="read the notes from a database, by its address for SQLAlchemy; env: "
        f"read it from the variable {URL_VARIABLE}, which other users of the machine cannot see")  # fmt: skip
    add("--query", help="of --sql: its rows are the notes, in columns that --id-column, --text-column and "
        "--patient-column name")  # fmt: skip
    add("--format", help="output format (default: the format of the notes)")
    add("--from", dest="source", metavar="FORMAT", help="input format (default: detected)")
    add("--style", choices=STYLES, default="surrogate")
    add("--marker", default=MARKER, help="the marker of a type (default: %(default)s), or shweta")
    add("--spans", choices=tagging.SPANS, default="auto", help="auto: the notes' own spans and the model's; "
        "gold: only the notes' own; tag: only the model's")  # fmt: skip
    add("--model", help=f"default: {model.RELEASE}, what either finds, or the model of --language")
    cli.add_threshold_option(parser, "the model's careful one, 0.08 for english, 0.1 for a CRF; "
        f"{BEST}: as tag")  # fmt: skip
    cli.add_policy_option(parser, "what becomes of each type", "surrogates")
    cli.add_term_options(parser)
    add("--patients", type=Path, metavar="FILE", help="a CSV table of what is known of patients "
        "(names, birth date, numbers, kin): all of it is found in their notes")  # fmt: skip
    add_secret_options(parser)
    add_surrogate_options(parser)
    add_output_options(parser)
    cli.add_input_options(parser)
    add("--patient-from", metavar="REGEX", help="the patient is what this pattern finds in a "
        "note's id (its first group, if it has one); folder: each folder in NOTES is a patient")  # fmt: skip
    return parser


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of what is written: ids, columns, spans, the report, and what is there already."""
    add = parser.add_argument
    add("--new-ids", nargs="?", const="random", choices=KINDS, help="replace the ids of notes and "
        "patients, and write the notes in the order of the new ones; keyed: codes that the key makes, "
        "which the Safe Harbor does not allow (default: random)")  # fmt: skip
    add("--keep-ids", action="store_true", help="of a table: do not replace the cells of the id and the "
        "patient by codes; for ids that identify no person")  # fmt: skip
    add_column_options(parser)
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


def add_column_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the other columns of a table."""
    for name, what in (
        ("date", "its dates move by the same days as the patient's notes"),
        ("drop", "it is left out of the output"),
        ("copy", "it is copied unchanged, PHI included"),
    ):
        parser.add_argument(f"--{name}-column", action="append", default=[], metavar="NAME",
            help=f"of a table: {what}; can be given several times")  # fmt: skip


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
    add("--check-digits", choices=CHECK_POLICIES, default=defaults.check_digits,
        help="same: a surrogate passes the checks that the real one passes; never: none")  # fmt: skip
    add("--shift-years", type=int, default=defaults.years,
        help="dates shift by at most this many years (default: %(default)s)")  # fmt: skip
    add("--season-weeks", type=int, default=defaults.weeks,
        help="and by at most this many weeks more (default: %(default)s)")  # fmt: skip
    add("--language", metavar="NAME", help="of the notes and their surrogates (default: the model's)")
    add("--same-doctor-across-patients", action="store_true", help="a doctor has one surrogate in the notes "
        "of all patients")  # fmt: skip
    add("--import-shifts", type=Path, metavar="FILE", help="a CSV table of patient and days, whole weeks, by "
        "which the patient's dates move; for other patients they are drawn")  # fmt: skip
    add("--export-shifts", type=Path, metavar="FILE", help="write such a table for all patients, so that "
        "other data move alike; protect it: it undoes the shifts")  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    plan = RedactPlan.of(build_parser().parse_args(arguments))
    cli.collect_rarely()
    destination = open_destination(plan)
    run = RedactRun.of(plan, destination, report_left_out(plan))
    cli.keep_loaded()
    with run.open() as redacted:
        run.write(cli.show_progress(redacted, "redact"))
    print(*run.lines(), sep="\n", file=sys.stderr if plan.out == STREAM else sys.stdout)
    cli.report_bad_rows(plan.reading.bad)


def report_left_out(plan: RedactPlan) -> Counter[str] | None:
    """Print what is not read of the notes, folder by folder; return the counts by reason, None of rows of a
    query."""
    if plan.notes is None:
        return None
    folders = list_folders(plan.notes) if plan.patient_from == FOLDER else [plan.notes]
    return sum((cli.report_left_out(folder, plan.reading) for folder in folders), Counter())


if __name__ == "__main__":
    cli.run(main)
