"""FHIR extensions that hold something that does not go out are taken out whole, with their commas.

An extension without its value, or with an address that was made up, says nothing and is not valid. A
``modifierExtension`` stays with a masked value: who reads the element must know that something modifies it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from crfdeid.corpora import fhir_elements as rules
from crfdeid.corpora.json_text import Leaf, Path
from crfdeid.corpora.messages import Edit

PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],]|[^\s{}\[\],:"]+')
KEY = "extension"


class Member(NamedTuple):
    """A key with its value, or an item, of an object or array; ``start`` is the start of the key."""

    key: str | int
    start: int
    end: int


def list_removals(source: str, leaves: Iterable[Leaf]) -> list[Edit]:
    """Return the edits that take such extensions out of a resource, and what is empty without them."""
    gone = {path for leaf in leaves if (path := find_extension(leaf.path)) and does_not_go_out(leaf)}
    if not gone:
        return []
    members: dict[Path, list[Member]] = {}
    pieces = PIECE.finditer(source.removeprefix("\ufeff").rjust(len(source)))
    scan(next(pieces), pieces, (), members)
    nulls = spread(gone, members)
    return [
        edit
        for path, own in members.items()
        if not any(path[:length] in gone | nulls for length in range(1, len(path) + 1))
        for edit in remove(path, own, gone, nulls)
    ]


def find_extension(path: Path) -> Path | None:
    """Return the path of the outermost extension around a leaf.

    >>> find_extension(("name", 0, "extension", 2, "extension", 0, "url"))
    ('name', 0, 'extension', 2)
    """
    if KEY not in path or "modifierExtension" in path:
        return None
    end = path.index(KEY) + 2
    return path[:end] if end < len(path) else None


def does_not_go_out(leaf: Leaf) -> bool:
    """Whether a leaf is masked, or is an address that is none of a standard."""
    action = rules.choose_action(leaf)
    return action == rules.MASK or (action == rules.URL and leaf.names[-1] == "url")


def scan(
    piece: re.Match[str], pieces: Iterator[re.Match[str]], path: Path, members: dict[Path, list[Member]]
) -> int:
    """Collect the members of the value that begins with ``piece``. Return its end."""
    if piece[0] not in ("{", "["):
        return piece.end()
    own, is_object = members.setdefault(path, []), piece[0] == "{"
    for found in pieces:
        if found[0] in ("}", "]"):
            return found.end()
        if found[0] != ",":
            key = json.loads(found[0]) if is_object else len(own)
            first = next(pieces) if is_object else found
            own.append(Member(key, found.start(), scan(first, pieces, (*path, key), members)))
    return piece.end()  # not reached in JSON


def spread(gone: set[Path], members: dict[Path, list[Member]]) -> set[Path]:
    """Add to ``gone`` what has nothing left. Return the items that become null, since the place of an item
    counts."""
    nulls: set[Path] = set()
    for path in sorted(members, key=len, reverse=True):
        if path and members[path] and all((*path, member.key) in gone for member in members[path]):
            (nulls if isinstance(path[-1], int) else gone).add(path)
    return nulls


def remove(path: Path, own: list[Member], gone: set[Path], nulls: set[Path]) -> Iterator[Edit]:
    """Yield the edits of the members of one object or array: up to the next member where one stays behind it,
    and otherwise from the end of the member before."""
    stay = [number for number, member in enumerate(own) if (*path, member.key) not in gone]
    for number, member in enumerate(own):
        if (*path, member.key) in nulls:
            yield Edit(member.start, member.end, "null")
        elif (*path, member.key) in gone:
            is_last = number > stay[-1]
            yield Edit(
                own[number - 1].end if is_last else member.start,
                member.end if is_last else own[number + 1].start,
                "",
            )
