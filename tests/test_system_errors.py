"""A full disk, a file that may not be read, the locale C: one line, status 2, and nothing half-written."""

import os
import subprocess
import sys

import pytest

from crfdeid import cli, corpora
from crfdeid.text.document import Document

NOTE = "Mr. Peña was seen on 03/14/2019.\n"


@pytest.fixture
def note(tmp_path):
    path = tmp_path / "note.txt"
    path.write_text(NOTE, encoding="utf-8")
    return path


def run(*arguments, stdout=subprocess.PIPE, **more):
    environment = {**os.environ, **more}
    command = [sys.executable, "-m", "crfdeid", *map(str, arguments)]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, env=environment, timeout=300)


def test_a_full_standard_output_is_one_line(note):
    with open("/dev/full", "w") as full:
        found = run("tag", note, "--model", "rules", stdout=full)
    assert found.returncode == 2
    assert found.stderr.decode().startswith("crfdeid: No space left on device (OSError at")
    assert found.stderr.count(b"\n") == 1


def test_output_is_utf8_where_the_locale_is_c(note):
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    found = run("tag", note, "--model", "rules", "--format", "inline", **plain)
    assert found.returncode == 0 and "<PATIENT>Peña</PATIENT>" in found.stdout.decode("utf-8")


@pytest.mark.slow
def test_a_name_that_the_locale_does_not_have_is_refused_with_what_helps(tmp_path):
    (tmp_path / "Peña.txt").write_text(NOTE, "utf-8")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    found = run("tag", tmp_path, "--model", "rules", **plain)
    assert found.returncode == 2 and found.stderr.count(b"\n") == 1
    assert b"unpaired UTF-16 surrogate" in found.stderr and b"PYTHONUTF8=1" in found.stderr
    assert run("tag", tmp_path, "--model", "rules", **plain | {"PYTHONUTF8": "1"}).returncode == 0


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), PermissionError(13, "no", "Ruiz")])
def test_an_error_of_the_system_is_one_line_with_status_2(error, capfd):
    def fail(arguments):
        raise error

    with pytest.raises(SystemExit) as stopped:
        cli.run(fail)
    said = capfd.readouterr().err
    assert stopped.value.code == 2 and said.count("\n") == 1 and "Ruiz" not in said and "at test_" in said


@pytest.mark.parametrize("name", ["out.jsonl", "out", "out.csv"])
def test_what_a_killed_run_left_is_removed_by_the_next(name, tmp_path):
    left = tmp_path / f".{name}.abcdefgh.partial"
    left.write_text(NOTE)
    (tmp_path / f".other{name}.abcdefgh.partial").write_text(NOTE)
    write = corpora.write_each if name == "out" else corpora.write
    write([Document("1", NOTE)], tmp_path / name, "table" if name.endswith(".csv") else "jsonl")
    assert sorted(os.listdir(tmp_path)) == sorted([name, f".other{name}.abcdefgh.partial"])


SENDING = """
import os, signal, sys
class Finder:
    def find_spec(name, path, target=None):
        if name == "crfdeid.cli":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder)
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what runs in the background ignore it
"""


@pytest.mark.parametrize("module", ["crfdeid", "crfdeid.tag", "crfdeid.evaluate"])
def test_an_interrupt_while_modules_load_is_one_line(module, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(SENDING)
    here = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    command = [sys.executable, "-m", module, "--help"]
    found = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": here})
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "crfdeid: stopped before it began\n")


@pytest.mark.parametrize(
    ("stop", "status"), [(KeyboardInterrupt(), 130), (SystemExit(143), 143), (ValueError(), 1)]
)
def test_a_signal_in_a_compiled_loop_is_the_signal(stop, status, capsys):
    """Python makes a SystemError of an exception that comes while a compiled function is called."""

    def main(_):
        raise SystemError("a result with an exception set") from stop

    with pytest.raises(SystemExit) as ended:
        cli.run(main)
    assert ended.value.code == status
    assert ("SystemError" in capsys.readouterr().err) == (status == 1)
