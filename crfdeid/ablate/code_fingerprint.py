"""The checksums of the code that a training runs: when the code changes, a finished run is trained again.

The search starts at ``crfdeid.systems.model`` and at the run's system. It follows every import, also inside
functions, and every string that is the name of a module, such as
``"crfdeid.systems.crf"``. A module counts together with the packages around it. Two
modules name more than a run uses: the face ``crfdeid`` names every room and is not followed; the registry
names every system, and its strings are not followed. A system that can be made of other systems counts all
of them.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import accumulate
from pathlib import Path

from crfdeid import resources
from crfdeid.systems import registry

ROOT = "crfdeid.systems.model"
FACE = "crfdeid"
REGISTRY = "crfdeid.systems.registry"


@cache
def hash_modules(system: str) -> Mapping[str, str]:
    """Return the SHA-256 of each module that a training of ``system`` may run, by module name."""
    chosen = {"crf"} if system == "crf" else {*registry.SYSTEMS, system}
    own = [registry.find_entry(name).module for name in sorted(chosen)]
    found: dict[str, str] = {}
    waiting = [ROOT, *own]
    while waiting:
        path = find_source(name := waiting.pop())
        if path and name not in found:
            code = path.read_bytes()
            found[name] = hashlib.sha256(code).hexdigest()
            waiting += [] if name == FACE else find_names(code, strings=name != REGISTRY)
            waiting += list_packages(name)
    return dict(sorted(found.items()))


def find_source(name: str) -> Path | None:
    """Return the file of a module of this package, or ``None`` if the name is not a module's."""
    path = resources.PACKAGE.parent.joinpath(*name.split("."))
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def find_names(code: bytes, strings: bool = True) -> Iterator[str]:
    """Yield the names in a module's code that may be modules of this package.

    >>> list(find_names(b"import os\\nfrom crfdeid import cli\\nload('crfdeid.text.bio')"))
    ['crfdeid', 'crfdeid.cli', 'crfdeid.text.bio']
    """
    for node in ast.walk(ast.parse(code)):
        found: list[object] = []
        if isinstance(node, ast.ImportFrom):
            found = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.Constant) and strings:
            found = [node.value]
        yield from (name for name in found if isinstance(name, str) and is_ours(name))


def list_packages(name: str) -> list[str]:
    """
    >>> list_packages("crfdeid.text.bio")
    ['crfdeid', 'crfdeid.text']
    """
    return list(accumulate(name.split(".")[:-1], "{}.{}".format))


def is_ours(name: str) -> bool:
    return name == FACE or name.startswith(f"{FACE}.")
