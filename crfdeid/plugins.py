"""Additions of other packages, each by an entry point: formats, systems, verbs and languages
(docs/extending.md).

An entry point is one line in the ``pyproject.toml`` or ``setup.cfg`` of the other package. It is read only
where a name is none of ours, or where all names are listed: to look for them costs a start 20 ms.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeVar

from crfdeid.errors import ConfigurationError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

FORMATS, SYSTEMS, VERBS = "crfdeid.formats", "crfdeid.systems", "crfdeid.verbs"
LANGUAGES = "crfdeid.languages"

T = TypeVar("T")


@cache
def find_plugins(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name, in the order of names; none of them is imported."""
    from importlib.metadata import entry_points

    return {point.name: point for point in sorted(entry_points(group=group), key=lambda point: point.name)}


def load_plugin(group: str, name: str, kind: type[T]) -> T:
    """Import what the entry point of this name refers to. Raises :class:`ConfigurationError` where it cannot
    be imported or is not of the kind; ``KeyError`` where there is none."""
    point = find_plugins(group)[name]
    package = point.dist.name if point.dist else "another package"
    try:
        found = point.load()
    except Exception as error:
        raise ConfigurationError(
            f"{name}: {package} cannot be imported as it says ({point.value}): {type(error).__name__}"
        ) from None
    if not isinstance(found, kind):
        wanted = f"wanted a {kind.__module__}.{kind.__qualname__}"
        raise ConfigurationError(
            f"{name}: {package} gives a {type(found).__name__} ({point.value}); {wanted}"
        )
    return found


def load_plugins(group: str, kind: type[T]) -> dict[str, T]:
    """Import everything of a group, by name."""
    return {name: load_plugin(group, name, kind) for name in find_plugins(group)}
