"""The common parts of ``two_stage`` and ``multi``, systems that see the spans of other systems.

The findings of the first systems are extra columns of a document, so the system that comes after is
trained and applied like any other. In training these findings are out of fold: they come from a model
that saw neither the document nor another note of the same patient.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from crfdeid.corpora.folds import Part, make_folds
from crfdeid.errors import Stopped
from crfdeid.systems.tagger import Tagger, group_by_patient
from crfdeid.text.document import Document

TOGETHER = 200_000  # characters of documents that are held at once

Train = Callable[[Sequence[Document], Path], Tagger]


def cross_fit(
    documents: Sequence[Document], number: int, seed: int, folder: Path, train: Train
) -> list[Document]:
    """Tag each of the ``number`` folds with a model of the other folds, and return the documents in order.
    The models are trained in a folder below ``folder`` and removed. Raises what
    :func:`crfdeid.corpora.folds.make_folds` raises."""
    found: dict[str, Document] = {}
    parts = make_folds(Part("training documents", tuple(documents)), number, seed)
    with tempfile.TemporaryDirectory(prefix="folds.", dir=folder) as name:
        for fold, (rest, held_out) in enumerate(parts):
            tagger = train(rest.documents, Path(name) / str(fold))
            bare = [document.with_spans(()) for document in held_out.documents]
            found |= {document.id: document for document in tagger.tag_unrepaired(bare)}
    return [found[document.id] for document in documents]


@contextmanager
def all_or_nothing() -> Iterator[None]:
    """Let Ctrl-C in one of several trainings stop all of them: one part is not a model."""
    try:
        yield
    except Stopped:
        raise KeyboardInterrupt from None


def batch_patients(documents: Iterable[Document], characters: int = TOGETHER) -> Iterator[list[Document]]:
    """Yield the documents in order, as lists of ``characters`` characters or a little more that never
    part consecutive notes of one patient."""
    waiting: list[Document] = []
    size = 0
    for group in group_by_patient(documents):
        if waiting and size >= characters:
            yield waiting
            waiting, size = [], 0
        waiting += group
        size += sum(len(document.text) for document in group)
    if waiting:
        yield waiting
