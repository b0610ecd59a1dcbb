"""A job from Parquet to Parquet: one row a note, also after a stop, and no text in what it prints."""

import os
import subprocess
import sys
from pathlib import Path

import poison
import pytest

from crfdeid.errors import ConfigurationError, CrfdeidError, FormatError
from crfdeid.spark import plan
from crfdeid.spark.__main__ import main
from crfdeid.spark.job import Job, run_job
from crfdeid.spark.worker import Columns

# pyspark warns of pandas 3, and leaves sockets open
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
pa = pytest.importorskip("pyarrow")
import pyarrow.parquet  # noqa: E402

COLUMNS = Columns("note", "id")
PATIENTS = Columns("note", "id", "patient")
TEXTS = ["seen by Dr. Nowak on 3/4/2061", "Mr. Okafor called on 3/5/2061", "no fever"]


def write_notes(path: Path, ids, texts=None) -> str:
    texts = texts or [TEXTS[n % 3] for n in range(len(ids))]
    patients = [f"p{n // 4}" for n in range(len(ids))]
    table = pa.table({"id": pa.array(ids, pa.int64()), "note": texts, "patient": patients})
    pyarrow.parquet.write_table(table, path)
    return str(path)


def read_rows(out: Path) -> list[dict]:
    return [
        row for file in sorted(out.glob("part-*")) for row in pyarrow.parquet.read_table(file).to_pylist()
    ]


def test_a_resumed_job_does_the_notes_without_a_row(session, tmp_path):
    source, out = write_notes(tmp_path / "notes.parquet", list(range(12))), tmp_path / "out"
    work = plan.plan_tagging(session, COLUMNS, "rules")
    lines = list(run_job(session, Job(source, str(out), partitions=3), work))
    assert lines == [f"{out}: 12 notes, 12 without an error"]
    whole = sorted(read_rows(out), key=lambda row: row["id"])
    assert [row["id"] for row in whole] == list(range(12)) and set(whole[0]) == {"id", "spans", "error"}
    sorted(out.glob("part-*"))[0].unlink()
    kept = {file.name: file.stat().st_mtime_ns for file in out.glob("part-*")}
    with pytest.raises(FormatError, match="--resume continues, --overwrite replaces"):
        list(run_job(session, Job(source, str(out)), work))
    other = plan.plan_tagging(session, COLUMNS, "english")
    with pytest.raises(ConfigurationError, match="begun with another key, model or option"):
        list(run_job(session, Job(source, str(out), resume=True), other))
    list(run_job(session, Job(source, str(out), resume=True), work))
    assert sorted(read_rows(out), key=lambda row: row["id"]) == whole
    assert all((out / name).stat().st_mtime_ns == time for name, time in kept.items())


def test_a_resumed_redaction_sees_all_notes_of_a_patient(session, tmp_path):
    source, out, key = (
        write_notes(tmp_path / "notes.parquet", list(range(8))),
        tmp_path / "out",
        tmp_path / "key",
    )
    key.write_text("a secret that has enough bytes")
    key.chmod(0o600)
    work = plan.plan_redaction(session, PATIENTS, key, model="rules")
    list(run_job(session, Job(source, str(out)), work))
    whole = sorted(read_rows(out), key=lambda row: row["id"])
    assert not any(name in row["note"] for row in whole for name in ("Nowak", "Okafor"))
    table = pa.concat_tables(pyarrow.parquet.read_table(file) for file in out.glob("part-*"))
    some = table.filter([id not in (1, 6) for id in table["id"].to_pylist()])
    for file in out.glob("part-*"):
        file.unlink()
    pyarrow.parquet.write_table(some, out / "part-0.parquet")
    list(run_job(session, Job(source, str(out), resume=True), work))
    assert sorted(read_rows(out), key=lambda row: row["id"]) == whole


@pytest.mark.parametrize(
    ("ids", "message"),
    [([1, 2, 2, 1], "4 rows have 2 different ids"), ([1, None], "1 of 2 rows have no id")],
)
def test_notes_without_an_id_of_their_own_are_refused(session, tmp_path, ids, message):
    source = write_notes(tmp_path / "notes.parquet", ids)
    with pytest.raises(FormatError, match=message):
        list(
            run_job(session, Job(source, str(tmp_path / "out")), plan.plan_tagging(session, COLUMNS, "rules"))
        )


@pytest.mark.usefixtures("session")
def test_the_command_quarantines_a_note_and_prints_no_text(tmp_path):
    texts = [poison.KILLS if n == 5 else poison.RAISES if n == 7 else TEXTS[n % 3] for n in range(12)]
    source, out = write_notes(tmp_path / "notes.parquet", list(range(12)), texts), tmp_path / "out"
    code = "import poison; from crfdeid.spark import frames; frames.worker.tag_rows = poison.tag_rows; "
    code += "from crfdeid.spark.__main__ import main; main()"
    arguments = [source, str(out), "--master", "local[2,3]", "--partitions", "2", "--model", "rules"]
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, env=os.environ
    )
    assert run.stdout.splitlines() == [
        f"{out}: 12 notes, 10 without an error",
        "LookupError: 1 notes",
        "WorkerDied: 1 notes",
        f"{out}/_quarantine: the ids of the notes that ended their worker",
    ]
    assert sorted(row["id"] for row in read_rows(out)) == list(range(12))
    assert read_rows(out / "_quarantine") == [{"id": 5}]
    assert not any(name in run.stdout + run.stderr for name in ("Kowalczyk", "Nowak", "Okafor"))


def test_a_key_and_redact_belong_together():
    with pytest.raises(ConfigurationError, match="wanted both or neither"):
        main(["notes.parquet", "out", "--key-file", "key"])


@pytest.mark.usefixtures("session")
def test_notes_that_cannot_be_read_are_one_line(tmp_path):
    with pytest.raises(CrfdeidError, match="no Parquet that can be read"):
        main([str(tmp_path / "none.parquet"), str(tmp_path / "out")])
