"""Install a package outside the tree as pip leaves it, and run commands that see it."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

EACH = """
import json, sys
from crfdeid.__main__ import main
for words in json.loads(sys.argv[1]):
    main(words)
    print(end="\\f", flush=True)
"""


def install(folder: Path, module: str, source: str, project: str, head: str = "") -> Path:
    """Write a module and the entry points that ``project`` names, a ``pyproject.toml``; without the table
    ``[project]``, the name is that of the module."""
    found = tomllib.loads(project)["project"]
    (folder / f"{module}.py").write_text(head + source, encoding="utf-8")
    info = folder / f"{module}-0.1.dist-info"
    info.mkdir()
    name, version = found.get("name", module.replace("_", "-")), found.get("version", "0.1")
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    groups = found["entry-points"].items()
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in points.items()) for group, points in groups]
    (info / "entry_points.txt").write_text("\n".join(lines))
    return folder


def run(site: Path, *command: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python with the installed package on its path."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, cwd=folder, env=environment, check=False
    )


def run_each(site: Path, *commands: list[str], folder: Path) -> list[str]:
    """Run commands of crfdeid one after another in one process; return what each prints."""
    done = run(site, "-c", EACH, json.dumps(commands), folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\f")[: len(commands)]
