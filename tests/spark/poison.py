"""A tagger that some notes break, in the processes of a test and in the workers of Spark."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache

from crfdeid.spark import worker
from crfdeid.systems import model
from crfdeid.systems.tagger import Tagger
from crfdeid.text.document import Document

RAISES, KILLS = "Kowalczyk raises", "Kowalczyk kills"


class Poisoned(Tagger):
    """The rules, which an error or a dead process replaces where a note asks for it."""

    is_fork_safe = True

    def __init__(self, rules: Tagger) -> None:
        super().__init__(replace(rules.model))
        self.inner = rules

    def _tag_all(self, documents: Iterable[Document], probabilities: bool) -> Iterator[Document]:
        for document in documents:
            if KILLS in document.text:
                os._exit(9)
            if RAISES in document.text:
                raise LookupError(document.text)
            yield self.inner.tag(document)


@cache
def load_poisoned(name: str) -> Tagger:
    return Poisoned(model.load("rules"))


def tag_rows(work: worker.Work, batches: Iterator) -> Iterator:
    """As the worker's function; Spark uses the process again, so the tagger is taken out at the end."""
    load, worker.load_model = worker.load_model, load_poisoned
    try:
        yield from worker.tag_rows(work, batches)
    finally:
        worker.load_model = load
