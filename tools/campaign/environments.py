"""Other environments: the same bytes without numba, without a home, where nothing may be written, in other
locales, time zones and hash seeds, and from another folder. 27 cases are all."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

from campaign.area import Area, find_number
from campaign.wild_text import list_notes
from crfdeid import corpora

Environment = dict[str, str]
TIMED = ("manifest.json", "CARD.md")  # they have the time of the run
NO_NUMBA = "import sys; sys.modules['numba'] = None\n"


def hide_numba(place: Path) -> Environment:
    """A file that Python runs at its start takes numba away."""
    (place / "site").mkdir()
    (place / "site" / "sitecustomize.py").write_text(NO_NUMBA)
    return {"PYTHONPATH": os.pathsep.join([str(place / "site"), *sys.path])}


def lock_everything(place: Path) -> Environment:
    """No cache can be written, neither beside the code nor at home."""
    return {"HOME": "/proc/none", "XDG_CACHE_HOME": "/proc/none", "NUMBA_CACHE_DIR": "/proc/none"}


ENVIRONMENTS: dict[str, Callable[[Path], Environment]] = {
    "no numba": hide_numba,
    "no cache": lock_everything,
    "no home": lambda place: {"HOME": ""},
    "locale C": lambda place: {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "hash seed": lambda place: {"PYTHONHASHSEED": "7"},
    "time zone": lambda place: {"TZ": "Pacific/Kiritimati"},
    "no bytecode": lambda place: {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": "/proc/none"},
    "one thread": lambda place: {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    "optimized": lambda place: {"PYTHONOPTIMIZE": "1"},
}
VERBS = {
    "tag": ("tag", "notes.jsonl", "--model", "english+rules", "--out", "out.jsonl"),
    "train": ("train", "notes.jsonl", "--out", "out", "--set", "crf.max_iterations=5"),
    "redact": ("redact", "notes.jsonl", "--spans", "gold", "--key-file", "key", "--out", "out.jsonl"),
}

REFERENCE = ("--engine", "crfsuite")  # trains where there is no numba
TRIED = [(name, verb) for name in ENVIRONMENTS for verb in VERBS]


def run_verb(
    verb: str, place: Path, environment: Environment, options: tuple[str, ...] = ()
) -> dict[str, bytes]:
    """The bytes that a verb writes in the folder ``place``; those of a record of the run's time left out."""
    corpora.write(list_notes(), place / "notes.jsonl", "jsonl")
    (place / "key").write_bytes(b"campaign" * 4)
    (place / "key").chmod(0o600)
    command = [sys.executable, "-m", "crfdeid", *VERBS[verb], *options]
    here = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    found = subprocess.run(command, cwd=place, env={**os.environ, **here, **environment}, capture_output=True)
    assert found.returncode == 0, f"{verb}: {found.stderr.decode('utf-8', 'replace')[:300]}"
    paths = [path for out in place.glob("out*") for path in (out, *out.rglob("*")) if path.is_file()]
    return {path.name: path.read_bytes() for path in paths if path.name not in TIMED}


@cache
def run_usual(verb: str, place: Path, options: tuple[str, ...]) -> dict[str, bytes]:
    folder = place / f"usual-{verb}{len(options)}"
    folder.mkdir(exist_ok=True)
    return run_verb(verb, folder, {}, options)


def run(draw: Random, place: Path) -> str:
    name, verb = TRIED[find_number(place) % len(TRIED)]
    options = REFERENCE if (name, verb) == ("no numba", "train") else ()
    usual = run_usual(verb, place.parent, options)
    found = run_verb(verb, place, ENVIRONMENTS[name](place))
    different = [path for path in usual if usual[path] != found.get(path)]
    assert not different and usual.keys() == found.keys(), f"{verb}, {name}: {different[:3]} differ"
    return name


AREA = Area("environments", 1, run)
