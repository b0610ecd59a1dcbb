"""Find, replace and check protected health information (PHI) in clinical notes.

>>> import crfdeid
>>> tagger = crfdeid.load()
>>> note = tagger.tag(crfdeid.Document("1", "Seen by Dr. Ruiz on 3/4/2061."))
>>> [(note.text[span.start : span.end], span.type) for span in note.spans]
[('Ruiz', 'DOCTOR'), ('3/4/2061', 'DATE')]

Each name is imported when it is first used (PEP 562), so that a command starts quickly.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

    from crfdeid.config import Config
    from crfdeid.corpora import read, write
    from crfdeid.errors import (
        ConfigurationError,
        CrfdeidError,
        DocumentError,
        FormatError,
        ModelError,
        SchemeError,
        TemplateError,
    )
    from crfdeid.evaluate.scores import score
    from crfdeid.policy import Policy, read_policy
    from crfdeid.redact.redactor import Redactor
    from crfdeid.systems.model import load, train
    from crfdeid.text.document import Document, Span, Token
    from crfdeid.text.scheme import Scheme

__version__ = "0.2.0"

__all__ = [
    "Config",
    "ConfigurationError",
    "CrfdeidError",
    "Document",
    "DocumentError",
    "FormatError",
    "ModelError",
    "Policy",
    "Redactor",
    "Scheme",
    "SchemeError",
    "Span",
    "TemplateError",
    "Token",
    "load",
    "read",
    "read_policy",
    "score",
    "train",
    "write",
]

_HOMES = {
    "crfdeid.config": ("Config",),
    "crfdeid.corpora": ("read", "write"),
    "crfdeid.errors": tuple(name for name in __all__ if name.endswith("Error")),
    "crfdeid.evaluate.scores": ("score",),
    "crfdeid.policy": ("Policy", "read_policy"),
    "crfdeid.redact.redactor": ("Redactor",),
    "crfdeid.systems.model": ("load", "train"),
    "crfdeid.text.document": ("Document", "Span", "Token"),
    "crfdeid.text.scheme": ("Scheme",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


class _VerbFinder:
    """Finds ``crfdeid.stats`` for ``python -m crfdeid.stats``: the verbs whose modules lie deeper
    (:data:`crfdeid.cli.VERBS`). Python asks it for names that no file has."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> "ModuleSpec | None":
        face, _, verb = name.removesuffix(".__main__").rpartition(".")
        if face != __name__:
            return None
        from importlib.util import find_spec, spec_from_file_location

        from crfdeid.cli.verbs import VERBS

        modules = {known: each.module for verbs in VERBS.values() for known, each in verbs.items()}
        found = find_spec(modules[verb]) if verb in modules and modules[verb] != name else None
        return spec_from_file_location(name, found.origin) if found and found.origin else None


sys.meta_path.append(_VerbFinder)

if sys.argv[:1] == ["-m"]:  # python -m crfdeid.tag, whose module is not loaded yet
    from crfdeid import errors

    errors.handle_interrupts()


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'crfdeid' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
