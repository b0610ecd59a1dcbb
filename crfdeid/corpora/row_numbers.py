"""The number of each note in its file, for tables that are joined with the input."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sized

from crfdeid.text.document import Document


class RowNumbers:
    """Remembers the numbers of notes between reading and writing. Notes may be left out on the way, but keep
    their order.

    >>> numbers = RowNumbers()
    >>> notes = list(numbers.count_each([Document(id, "") for id in "abc"]))
    >>> numbers.find(notes[0]), numbers.find(notes[2])
    (1, 3)
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[str, int]] = deque()

    def count_each(self, documents: Iterable[Document], left_out: Sized = ()) -> Iterator[Document]:
        """Yield the notes of a file; ``left_out`` has the rows before that are not read, and grows."""
        before = len(left_out)
        for number, document in enumerate(documents, 1):
            self._waiting.append((document.id, number + len(left_out) - before))
            yield document

    def find(self, document: Document) -> int:
        """Return the number of the note, and forget all notes before it."""
        while True:
            id, row = self._waiting.popleft()
            if id == document.id:
                return row
