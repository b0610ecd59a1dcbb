"""What a command shows while it works: a bar on a terminal, and how much passes in a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from crfdeid.text.document import Document

Item = TypeVar("Item")


def show_progress(items: Iterable[Item], title: str, total: int | None = None) -> Iterable[Item]:
    """Pass the items on. Show a bar on a terminal, and nothing when standard error is piped."""
    if not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    return tqdm(items, desc=title, total=total, leave=False)


def show_counts(counts: Iterable[int], title: str, total: int) -> None:
    """Work through an iterable that yields how many items each step has done, with a bar on a terminal."""
    from tqdm import tqdm

    with tqdm(desc=title, total=total, disable=None, leave=False) as bar:
        for count in counts:
            bar.update(count)


class Throughput:
    """Counts notes and words that pass, for a bar on a terminal and a line at the end."""

    def __init__(self) -> None:
        self.notes = self.words = 0
        self.began = time.perf_counter()

    def count_each(self, documents: Iterable[Document], title: str) -> Iterator[Document]:
        """Yield the documents. The bar has what passes in a second."""
        counted = map(self._count, documents)
        return self._show_bar(counted, title) if sys.stderr.isatty() else counted

    def _count(self, document: Document) -> Document:
        self.notes += 1
        self.words += len(document.text.split())
        return document

    def _show_bar(self, counted: Iterable[Document], title: str) -> Iterator[Document]:
        from tqdm import tqdm

        with tqdm(desc=title, leave=False, unit=" notes") as bar:
            for document in counted:
                bar.set_postfix_str(f"{self.words / self.seconds:,.0f} words/s", refresh=False)
                bar.update()
                yield document

    @property
    def seconds(self) -> float:
        return max(time.perf_counter() - self.began, 1e-6)

    def __str__(self) -> str:
        notes, words = self.notes / self.seconds, self.words / self.seconds
        shown = f"{self.notes:,} notes in {self.seconds:,.1f} s"
        return f"{shown}: {notes:,.0f} notes and {words:,.0f} words a second"
