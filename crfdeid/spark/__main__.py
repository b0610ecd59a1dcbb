"""Find or redact the PHI of many notes with Spark: Parquet in, Parquet out, one row a note.

    crfdeid spark notes.parquet out/                       find PHI on all cores of this machine
    crfdeid spark notes.parquet out/ --resume              after a stop: the notes without a row
    crfdeid spark notes.parquet clean/ --redact --key-file key --patient patient
    spark-submit --master yarn .../crfdeid/spark/__main__.py hdfs:///notes hdfs:///out

docs/scale.md describes the output and what a cluster needs.
"""

from __future__ import annotations

import argparse
import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Literal

from crfdeid import cli
from crfdeid.errors import ConfigurationError, show_install

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from crfdeid.spark.worker import Work
    from crfdeid.systems.threshold import AnyThreshold

LOCAL = "local[*,4]"  # all cores; a task is tried four times
BEST: Final = "best"


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid spark", description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("notes", help="Parquet: a file or a folder, on any file system of Spark")
    add("out", help="a folder for the rows")
    add("--text", default="note", metavar="COLUMN", help="of the notes (default: note)")
    add("--id", default="id", metavar="COLUMN", help="of the notes; no two are the same (default: id)")
    add("--patient", metavar="COLUMN", help="notes of a patient are tagged and redacted together")
    add("--model", help="as tag --model (default: the shipped model; with --redact: with the rules)")
    cli.add_threshold_option(parser)
    add("--probabilities", action="store_true", help="give each span its probability")
    add("--redact", action="store_true", help="write the redacted texts; needs --key-file")
    add("--key-file", help="the secret that decides the surrogates")
    add("--policy", metavar="NAME", help="what becomes of each type, as redact --policy")
    add("--style", default="surrogate", help="surrogate, type or blank (default: %(default)s)")
    add("--partitions", type=cli.natural_number, default=0, metavar="N", help="divide the notes into N tasks "
        "first (default: as Spark reads the files)")  # fmt: skip
    add("--resume", action="store_true", help="keep the rows that an earlier run has written")
    add("--overwrite", action="store_true", help="remove what is in the folder")
    add("--master", help=f"where to run (default: what spark-submit says, else {LOCAL})")
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    if args.redact != bool(args.key_file):
        raise ConfigurationError("--redact and --key-file: wanted both or neither")
    if not find_spec("pyspark"):
        raise ConfigurationError(f"spark needs pyspark and Java 17: {show_install('spark')}")
    from crfdeid.spark.job import Job, run_job

    job = Job(args.notes, args.out, args.resume, args.overwrite, args.partitions)
    session = open_session(args.master)
    for line in run_job(session, job, plan_work(session, args)):
        print(line)


def plan_work(session: SparkSession, args: argparse.Namespace) -> Work:
    """Plan the work of the command line."""
    from crfdeid.spark import plan
    from crfdeid.spark.worker import Columns
    from crfdeid.systems.threshold import parse_threshold

    columns = Columns(args.text, args.id, args.patient)
    threshold = parse_threshold([value for value in args.threshold or () if value != BEST])
    if not args.redact:
        return plan.plan_tagging(session, columns, args.model, threshold, args.probabilities)
    chosen: AnyThreshold | Literal["best"] | None = BEST if args.threshold == [BEST] else threshold
    return plan.plan_redaction(session, columns, args.key_file, args.policy, args.style, args.model, chosen)


def open_session(master: str | None) -> SparkSession:
    """Open the session of spark-submit, or a local one. Rows that Spark moves are encrypted on the disk,
    unless its settings say otherwise."""
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    conf = SparkConf().setIfMissing("spark.master", LOCAL).setIfMissing("spark.app.name", "crfdeid")
    conf.setIfMissing("spark.io.encryption.enabled", "true")
    if master:
        conf.setMaster(master)
    if conf.get("spark.master", "").startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # not the first python3 of the path
    session = SparkSession.builder.config(conf=conf).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


if __name__ == "__main__":
    cli.run(main)
