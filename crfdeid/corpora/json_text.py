"""The leaves of a JSON text with their places in it, and the characters of its strings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from crfdeid.errors import FormatError

SCALAR = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null')
ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.S
)
Path = tuple[str | int, ...]


class Leaf(NamedTuple):
    """A string, number, boolean or null: its place, without the key, and that of its key (the same in an
    array). ``parents`` are the objects around it, the outermost first."""

    path: Path
    value: Any
    start: int
    end: int
    key_start: int
    parents: tuple[dict[str, Any], ...]

    @property
    def names(self) -> list[str]:
        """The keys of the path, without the numbers of items."""
        return [name for name in self.path if isinstance(name, str)]

    def move(self, by: int) -> Leaf:
        """Return the leaf in a source that begins later or earlier."""
        return self._replace(start=self.start + by, end=self.end + by, key_start=self.key_start + by)

    @property
    def is_item(self) -> bool:
        """Whether it is an item of an array."""
        return isinstance(self.path[-1], int)


def parse_json(source: str, where: str) -> Any:
    """Return the value of a JSON text. Raises :class:`FormatError` for malformed JSON, for a key that occurs
    twice in an object, and for numbers that are none."""
    try:
        return json.loads(
            source.removeprefix("\ufeff"), object_pairs_hook=build_object, parse_constant=refuse_constant
        )
    except (ValueError, RecursionError):
        raise FormatError(f"{where}: malformed JSON, or a key that occurs twice in an object") from None


def build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError
    return made


def refuse_constant(name: str) -> Any:
    raise ValueError


def list_leaves(source: str, value: Any) -> Iterator[Leaf]:
    """Yield the leaves of ``value``, the value of ``source``.

    >>> text = '{"a": [1, "b"]}'
    >>> [(leaf.path, text[leaf.start : leaf.end]) for leaf in list_leaves(text, json.loads(text))]
    [(('a', 0), '1'), (('a', 1), '"b"')]
    """
    return _walk(value, SCALAR.finditer(source), (), (), None)


def _walk(
    value: Any,
    scalars: Iterator[re.Match[str]],
    path: Path,
    parents: tuple[dict[str, Any], ...],
    key_start: int | None,
) -> Iterator[Leaf]:
    if isinstance(value, dict):
        for key, item in value.items():
            start = next(scalars).start()
            yield from _walk(item, scalars, (*path, key), (*parents, value), start)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _walk(item, scalars, (*path, number), parents, None)
    else:
        found = next(scalars)
        start = found.start() if key_start is None else key_start
        yield Leaf(path, value, found.start(), found.end(), start, parents)


def decode(source: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    r"""Yield the characters of the inside of a string, each with the offset of its end.

    >>> [text for text, _ in decode(r"a\n\u00e9\ud83d\ude00", 0, 21)]
    ['a', '\n', 'é', '😀']
    """
    for found in ESCAPE.finditer(source, start, end):
        yield (json.loads(f'"{found[0]}"') if found[0][0] == "\\" else found[0]), found.end()


def encode(text: str) -> str:
    """Return a text as the inside of a string has it."""
    return json.dumps(text, ensure_ascii=False)[1:-1]
