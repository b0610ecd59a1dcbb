"""The checksums of the code that a training runs, so that a finished run is not taken for one of
other code.

Modules are found by their imports, those inside functions among them, and by names that a text
gives, such as ``"crfdeid.feature_extraction.rule_matches"``. Of the systems the run's own counts; one
that may be made of others counts them all.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from crfdeid import resources
from crfdeid.systems import registry

ROOT = "crfdeid.systems.model"
CHOICE = "crfdeid.systems.registry"  # names every system, of which a run wants one


@cache
def checksums(system: str) -> Mapping[str, str]:
    """The SHA-256 of each module that a training of ``system`` may run, by its name."""
    own = [registry.SYSTEMS["crf"]] if system == "crf" else list(registry.SYSTEMS.values())
    found: dict[str, str] = {}
    waiting = [ROOT, *own]
    while waiting:
        path = source(name := waiting.pop())
        if path and name not in found:
            data = path.read_bytes()
            found[name] = hashlib.sha256(data).hexdigest()
            waiting += named(data, texts=name != CHOICE)
    return dict(sorted(found.items()))


def source(module: str) -> Path | None:
    """The file of a module of this package; ``None`` for what is none, such as a function's name."""
    path = resources.PACKAGE.parent.joinpath(*module.split("."))
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def named(code: bytes, texts: bool = True) -> Iterator[str]:
    """What a module's code names that may be a module of this package.

    >>> list(named(b"import os\\nfrom crfdeid import cli\\nload('crfdeid.text.bio')"))
    ['crfdeid', 'crfdeid.cli', 'crfdeid.text.bio']
    """
    for node in ast.walk(ast.parse(code)):
        found: list[object] = []
        if isinstance(node, ast.ImportFrom):
            found = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.Constant) and texts:
            found = [node.value]
        yield from (name for name in found if isinstance(name, str) and ours(name))


def ours(name: str) -> bool:
    return name == "crfdeid" or name.startswith("crfdeid.")
