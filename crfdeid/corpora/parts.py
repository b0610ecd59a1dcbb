"""A part of the documents, for many machines or jobs that divide a corpus without speaking to one another."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from crfdeid.errors import ConfigurationError
from crfdeid.text.document import Document

PART = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


@dataclass(frozen=True)
class Part:
    """Part ``number`` of ``count``, from 1. A hash of its id decides a document's part, so that the parts are
    disjoint, are together all documents, and stay what they are when documents join."""

    number: int
    count: int

    def has(self, id: str) -> bool:
        """
        >>> [[part for part in (1, 2, 3) if Part(part, 3).has(id)] for id in ("n1", "n2", "n3", "n4")]
        [[2], [3], [3], [2]]
        """
        digest = hashlib.sha256(id.encode()).digest()
        return int.from_bytes(digest[:8]) % self.count == self.number - 1

    def select(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents of this part, in order."""
        return (document for document in documents if self.has(document.id))


def parse_part(text: str) -> Part:
    """Read ``3/16``. Raises :class:`ConfigurationError` for anything else, and for a part that is not there.

    >>> parse_part("3/16")
    Part(number=3, count=16)
    """
    match = PART.fullmatch(text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise ConfigurationError(f"--part {text}: wanted a part and their number, such as 1/16 to 16/16")
    return Part(int(match[1]), int(match[2]))
