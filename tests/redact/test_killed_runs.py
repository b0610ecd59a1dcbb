"""Runs with a map that are killed: what is in the output is in the map, and a resumed run completes both."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from marked_notes import KEY, SECRET, marked, run, status

from crfdeid import corpora, files, synthetic
from crfdeid.redact import restore
from crfdeid.redact.surrogates import surrogate_map
from crfdeid.redact.surrogates.surrogate_map import SurrogateMap
from crfdeid.text.document import Document

pytestmark = pytest.mark.slow

NAMES = ["Robert Smith", "Ana Ruiz", "Chidi Okafor", "Mary Young", "Olena Zanzibarova", "Piotr Quetzal"]
PATIENTS = 12
MODULE = ("-m", "crfdeid.redact")


def write_notes(path: Path) -> list[Document]:
    """Write 60 small notes of 12 patients."""
    notes = []
    for number in range(60):
        patient = number % PATIENTS
        first, last = NAMES[patient % len(NAMES)].split()
        text = (
            f"<DATE {number % 12 + 1}/{number % 27 + 1}/2067> <PATIENT {first} {last}>, MRN <MEDICALRECORD "
            f"{4471902 + patient}>, Dr. <DOCTOR {NAMES[number % 5]}>. {last.upper()} lives in <CITY Lynn>."
        )
        notes.append(marked(text, f"n{number:02}", f"p{patient}"))
    notes.sort(key=lambda note: str(note.patient))
    corpora.write(notes, path, "jsonl")
    return notes


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    """The arguments of a run with a map; its output is ``clean``."""
    write_notes(tmp_path / "n.jsonl")
    key, map = tmp_path / "mapkey", tmp_path / "map"
    key.write_bytes(KEY)
    key.chmod(0o600)
    surrogate_map.write_map(SurrogateMap(SECRET), map, KEY)
    return [
        *(str(tmp_path / "n.jsonl"), "--out", str(tmp_path / "clean"), "--format", "brat"),
        *("--spans", "gold", "--map", str(map), "--map-key", str(key)),
    ]


def read_output(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*")}


def find_patients_without_entry(folder: Path) -> set[str]:
    """The patients of notes in the output whose texts are not in the map."""
    held = surrogate_map.read_map(folder / "map", KEY).patients
    written = {path.stem for path in (folder / "clean").glob("*.txt")}
    notes = [note for note in corpora.read(folder / "n.jsonl") if note.id in written]
    missing = set()
    for note in notes:
        history = held.get(f"patient {note.patient}")
        if history is None or any(
            note.text_of(span) not in history.pairs.get(span.type, {}) for span in note.spans
        ):
            missing.add(str(note.patient))
    return missing


def find_notes_without_undo(folder: Path) -> set[str]:
    """The notes in the output whose real text the map does not give back."""
    restorer = restore.ReleaseRestorer(surrogate_map.read_map(folder / "map", KEY))
    real = {note.id: note.text for note in corpora.read(folder / "n.jsonl")}
    written = sorted(path.stem for path in (folder / "clean").glob("*.txt"))  # the last file of a note
    notes = [Document(id, files.read_text(folder / "clean" / f"{id}.txt")) for id in written]
    return {note.id for note in notes if restorer.restore(note).text != real[note.id]}


PROCESSES = """
from crfdeid import cli
from crfdeid.redact.__main__ import main
from crfdeid.redact.run import processes
processes.CHUNK = 3000
cli.run(main)
"""  # as python -m crfdeid.redact, with chunks so small that every process has work


def kill_when_written(
    arguments: list[str], folder: Path, count: int, delay: float, program: tuple[str, ...] = MODULE
) -> int:
    """Start a run, kill it ``delay`` seconds after ``count`` notes are in the folder; return its status."""
    running = subprocess.Popen(
        [sys.executable, *program, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 30
    while running.poll() is None and time.monotonic() < until and len(list(folder.glob("*.txt"))) < count:
        time.sleep(0.002)
    time.sleep(delay)
    os.kill(running.pid, signal.SIGKILL) if running.poll() is None else None
    return running.wait()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_a_killed_run_has_written_is_in_the_map_and_resuming_completes_both(tmp_path, arguments, seed):
    shutil.copy(tmp_path / "map", tmp_path / "fresh")
    run(*arguments)
    whole, held = read_output(tmp_path / "clean"), surrogate_map.read_map(tmp_path / "map", KEY)
    shutil.rmtree(tmp_path / "clean")
    shutil.copy(tmp_path / "fresh", tmp_path / "map")
    rng, killed = random.Random(seed), 0
    for count in sorted(rng.sample(range(1, 50), 3)):
        ended = kill_when_written([*arguments, "--resume"], tmp_path / "clean", count, rng.random() / 100)
        killed += ended == -signal.SIGKILL
        assert find_patients_without_entry(tmp_path) == set() == find_notes_without_undo(tmp_path)
        assert read_output(tmp_path / "clean").items() <= whole.items()
    assert killed
    run(*arguments, "--resume")
    assert read_output(tmp_path / "clean") == whole
    assert surrogate_map.read_map(tmp_path / "map", KEY) == held
    assert find_notes_without_undo(tmp_path) == set()
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("ids", [(), ("--new-ids", "keyed"), ("--new-ids", "random")])
def test_killed_runs_of_several_processes_are_completed(tmp_path, arguments, ids):
    """The notes are tagged in two processes, and the run is killed at random moments."""
    corpora.write(synthetic.generate(16, seed=3), tmp_path / "n.jsonl", "jsonl", overwrite=True)
    options = ["--model", "rules", "--spans", "tag", *ids]
    arguments = [*arguments[:5], *arguments[7:], *options]
    shutil.copy(tmp_path / "map", tmp_path / "fresh")
    run(*arguments)
    whole, held = read_output(tmp_path / "clean"), surrogate_map.read_map(tmp_path / "map", KEY)
    shutil.rmtree(tmp_path / "clean")
    shutil.copy(tmp_path / "fresh", tmp_path / "map")
    rng, killed, jobs = random.Random(str(ids)), 0, [*arguments, "--jobs", "2", "--resume"]
    for count in sorted(rng.sample(range(1, 14), 2)):
        ended = kill_when_written(jobs, tmp_path / "clean", count, rng.random() / 20, ("-c", PROCESSES))
        killed += ended == -signal.SIGKILL
        if not ids:
            assert find_notes_without_undo(tmp_path) == set()
        if "random" not in ids:
            assert read_output(tmp_path / "clean").items() <= whole.items()
    assert killed
    run(*arguments, "--resume")
    found = surrogate_map.read_map(tmp_path / "map", KEY)
    if "random" in ids:  # other ids: the same texts
        assert sorted(read_output(tmp_path / "clean").values()) == sorted(whole.values())
        assert found.patients.keys() == held.patients.keys()
    else:
        assert read_output(tmp_path / "clean") == whole and found == held


def test_a_run_clears_what_killed_runs_left_and_nothing_else(tmp_path, arguments):
    left = [tmp_path / f".{name}.ab12cd_9.partial" for name in ("clean", "clean.unfinished", "map", "r")]
    other = [
        tmp_path / name for name in (".clean.settings", ".clean.ab12cd_9x.partial", ".notes.ab12cd_9.partial")
    ]
    left[0].mkdir()
    (left[0] / "n01.txt").write_text("half")
    for path in [*left[1:], *other]:
        path.write_text("half")
    with files.open_whole(tmp_path / "map") as running:
        run(*arguments, "--report", str(tmp_path / "r"))
        running.write("of a running program")
        hidden = {path for path in tmp_path.iterdir() if path.name.startswith(".")}
        assert len(hidden) == len(other) + 1 and hidden > set(other) and not hidden & set(left)


@pytest.mark.parametrize("kind", ["keyed", "random"])
def test_what_a_run_left_that_was_killed_while_it_hid_the_order_goes(tmp_path, arguments, kind):
    """At its end a run with new ids writes all files of its folder anew; what is of somebody else stays."""
    run(*arguments, "--new-ids", kind)
    whole = read_output(tmp_path / "clean")
    for name in (sorted(whole)[0], sorted(whole)[-1]):
        (tmp_path / "clean" / f".{name}.ab12cd_9.partial").write_text("half")
    (tmp_path / "clean" / ".mine").write_text("mine")
    run(*arguments, "--new-ids", kind, "--resume")
    assert read_output(tmp_path / "clean") == {**whole, ".mine": b"mine"}


def test_a_map_without_the_patients_of_the_output_is_completed_or_refused(tmp_path, arguments, capsys):
    """A killed run of an earlier version left such a map."""
    run(*arguments)
    whole, held = read_output(tmp_path / "clean"), surrogate_map.read_map(tmp_path / "map", KEY)
    (tmp_path / "clean" / "n03.txt").unlink()
    surrogate_map.write_map(SurrogateMap(SECRET), tmp_path / "map", KEY)
    run(*arguments, "--resume")
    assert read_output(tmp_path / "clean") == whole
    assert surrogate_map.read_map(tmp_path / "map", KEY) == held
    surrogate_map.write_map(SurrogateMap(b"another secret, not the one"), tmp_path / "map", KEY)
    for _ in range(2):
        assert status(*arguments, "--resume") == 2
        said = capsys.readouterr().err
        assert "not in the map" in said and said.count("\n") == 1
        (tmp_path / "clean" / "n00.txt").unlink(missing_ok=True)  # the second time half a note is there
    assert not surrogate_map.read_map(tmp_path / "map", KEY).patients
