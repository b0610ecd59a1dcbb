"""What make runs, with programs in the environment that only write down how they are called."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROGRAM = '#!/bin/sh\necho "$(basename $0) $*" >> {log}\ncase "$*" in *--extras) echo "{missing}";; esac\n'


@pytest.fixture
def run_make(tmp_path):
    if not shutil.which("make"):
        pytest.skip("make is not installed")

    def run(*arguments, missing=""):
        log, bin = tmp_path / "log", tmp_path / "venv" / "bin"
        bin.mkdir(parents=True, exist_ok=True)
        log.write_text("")
        for name in ("python", "pip"):
            (bin / name).write_text(PROGRAM.format(log=log, missing=missing))
            (bin / name).chmod(0o755)
        (tmp_path / "venv" / ".runs").touch()
        clean = {name: value for name, value in os.environ.items() if name not in ("CORPUS", "MAKEFLAGS")}
        wanted = ["make", f"VENV={tmp_path / 'venv'}", *arguments]
        subprocess.run(wanted, cwd=ROOT, check=True, capture_output=True, env=clean)
        return [" ".join(line.split()) for line in log.read_text().splitlines()]

    return run


TRAIN = "python -m crfdeid.train Set1 Set2 --test T --config wi_deid"
COMPARE = "python -m crfdeid.ablate he_table3 Set1 Set2 --test T --out runs/he_table3"
DATA = ("CORPUS=Set1 Set2", "TEST=T")
PIP = "pip install --disable-pip-version-check crfdeid[works]"


def test_train_installs_what_the_configuration_needs(run_make):
    wanted = ["train", *DATA, "CONFIG=wi_deid", "MODEL=m"]
    asks, *rest, trains = run_make(*wanted, missing="works")
    assert asks == f"{TRAIN} --extras" and rest == [PIP]
    assert trains == f"{TRAIN} --out m --overwrite"
    assert len(run_make(*wanted)) == 2  # nothing is missing: pip is not called, and needs no network


def test_a_dry_run_and_an_experiment_install_too(run_make):
    assert run_make("dry-run", *DATA, "CONFIG=wi_deid", missing="works") == [
        f"{TRAIN} --extras", PIP, f"{TRAIN} --dry-run"
    ]  # fmt: skip
    asks, installs, compares = run_make("ablate", *DATA, "EXPERIMENT=he_table3", missing="works")
    assert (asks, installs, compares) == (f"{COMPARE} --extras", PIP, COMPARE)


def test_options_reach_the_commands(run_make):
    more = "--overlaps longest"
    assert run_make("dry-run", *DATA, "CONFIG=wi_deid", f"OPTIONS={more}")[-1] == f"{TRAIN} {more} --dry-run"
    assert run_make("ablate", *DATA, "EXPERIMENT=he_table3", f"OPTIONS={more}")[-1] == f"{COMPARE} {more}"
