"""A job that reads notes as Parquet and writes a row for each, and that can be stopped and resumed.

    OUT/part-*.parquet    rows: id, patient, spans, error, and the text where it is redacted
    OUT/_crfdeid          the hash of the options; a run with other options is refused
    OUT/_quarantine/      Parquet: the ids of the notes that ended their worker (they have a row in OUT too)

Spark moves the file of a task to OUT when the task ends (version 2 of Hadoop's committer), under a name that
a second try of the task has too. So after ``kill -9`` of the driver, OUT has whole files of whole tasks, and
a resumed job does the notes whose ids are not there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.spark import frames
from crfdeid.spark.worker import DIED, ERROR, Columns, Work

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

MARK, QUARANTINE, OWNER = "_crfdeid", "_quarantine", "_crfdeid_owner"
COMMITTER = "mapreduce.fileoutputcommitter.algorithm.version"


@dataclass(frozen=True)
class Job:
    """Where the notes come from and go to. ``partitions`` 0 leaves them as Spark reads them."""

    source: str
    out: str
    resume: bool = False
    overwrite: bool = False
    partitions: int = 0


def run_job(session: SparkSession, job: Job, work: Work) -> Iterator[str]:
    """Write the rows that are missing. Yield lines that say what was done, without an id. Raises
    :class:`FormatError` for notes that cannot be read, have no id or one id twice, and for an output that
    exists; :class:`ConfigurationError` for columns that are missing, and where other options began the
    output."""
    notes = read_notes(session, job.source, work)
    begin_output(session, job, work.hash_options())
    written = session.read.schema(name_result(notes, work)).parquet(job.out)
    missing = select_missing(notes, written, work.columns) if job.resume else notes
    spread = missing.repartition(job.partitions, work.columns.id) if job.partitions else missing
    result = frames.apply_work(spread, work).select(*written.columns)
    if job.resume and work.columns.patient:
        result = result.join(written, work.columns.id, "left_anti")
    result.write.mode("append").option(COMMITTER, "2").parquet(job.out)
    yield from report_rows(session.read.schema(written.schema).parquet(job.out), job, work.columns)


def name_result(notes: DataFrame, work: Work) -> StructType:
    """Return the schema of the rows that are written: redacted text, but no other text."""
    kept = notes if work.redactor else notes.drop(work.columns.text)
    return frames.add_new(kept.schema)


def select_missing(notes: DataFrame, written: DataFrame, columns: Columns) -> DataFrame:
    """Return the notes that have no row yet. If they have patients, return all notes of those patients,
    because a note's result depends on the patient's other notes."""
    missing = notes.join(written, columns.id, "left_anti")
    if columns.patient is None:
        return missing
    owner = frames.find_owner(columns)
    owners = missing.select(owner.alias(OWNER)).distinct()
    return notes.withColumn(OWNER, owner).join(owners, OWNER, "left_semi").drop(OWNER)


def report_rows(written: DataFrame, job: Job, columns: Columns) -> Iterator[str]:
    """Write the list of quarantined ids, and say how many rows there are, and how many with which error."""
    from pyspark.sql.functions import col

    died = written.where(col(ERROR) == DIED).select(columns.id)
    died.coalesce(1).write.mode("overwrite").parquet(f"{job.out}/{QUARANTINE}")
    counts = {row[0]: row[1] for row in written.groupBy(ERROR).count().collect()}
    yield f"{job.out}: {sum(counts.values())} notes, {counts.get(None, 0)} without an error"
    yield from (f"{error}: {count} notes" for error, count in sorted(counts.items(), key=str) if error)
    if DIED in counts:
        yield f"{job.out}/{QUARANTINE}: the ids of the notes that ended their worker"


def begin_output(session: SparkSession, job: Job, options: str) -> None:
    """Make the folder, and leave the hash of the options in it. Raises :class:`FormatError` where it holds
    files and is neither resumed nor replaced; :class:`ConfigurationError` where other options began it."""
    jvm: Any = session.sparkContext._jvm
    folder = jvm.org.apache.hadoop.fs.Path(job.out)
    system = folder.getFileSystem(session.sparkContext._jsc.hadoopConfiguration())
    mark = jvm.org.apache.hadoop.fs.Path(folder, MARK)
    if system.exists(folder) and len(system.listStatus(folder)):
        if job.overwrite:
            system.delete(folder, True)
        elif not job.resume:
            raise FormatError(f"{job.out}: holds files; --resume continues, --overwrite replaces them")
        elif not system.exists(mark):
            raise FormatError(f"{job.out}: holds files of another program; --resume wants its own")
        elif jvm.org.apache.commons.io.IOUtils.toString(system.open(mark), "UTF-8") != options:
            raise ConfigurationError(
                f"{job.out}: begun with another key, model or option; --resume needs the same"
            )
    if not system.exists(mark):
        stream = system.create(mark)
        stream.write(bytearray(options.encode()))
        stream.close()


def read_notes(session: SparkSession, source: str, work: Work) -> DataFrame:
    """Read the columns of the notes. Each must have an id, and no two the same."""
    from pyspark.errors import AnalysisException
    from pyspark.sql.functions import col, count, countDistinct, lit

    try:
        notes = session.read.parquet(source)
    except AnalysisException:
        raise FormatError(f"{source}: no Parquet that can be read") from None
    frames.check_columns(notes, work.columns)
    id = col(work.columns.id)
    (found,) = notes.agg(count(lit(1)), count(id), countDistinct(id)).collect()
    rows, named, distinct = found
    if named < rows:
        raise FormatError(f"{source}: {rows - named} of {rows} rows have no id; wanted one for each")
    if distinct < rows:
        raise FormatError(f"{source}: {rows} rows have {distinct} different ids; wanted one for each")
    return notes.select(*work.columns.names)
