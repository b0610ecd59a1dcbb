"""Systems that look at what other systems found: ``two_stage`` and ``multi``.

What was found before is told as observations of a page, so the system that comes after is
trained and applied like any other. In training those findings are out of fold: no document is
told anything by a model that saw it, nor one that saw a note of the same patient.
"""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path

from crfdeid.corpora.folds import Part, find_owner, make_folds
from crfdeid.errors import Stopped
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.templates import Extractor, Template
from crfdeid.feature_extraction.token import Value
from crfdeid.systems import model
from crfdeid.systems.model import Tagger
from crfdeid.text.document import Document
from crfdeid.text.tokenized import TokenizedDocument

TOGETHER = 200_000  # characters of documents that are held at once

Train = Callable[[Sequence[Document], Path], Tagger]
Columns = dict[str, list[Value]]  # one value per token of a document, by the observation's name


class Told:
    """Columns by a document's text (two documents of one text are told the same)."""

    def __init__(self) -> None:
        self.columns: dict[str, Columns] = {}

    def observe(self, name: str, document: TokenizedDocument) -> list[Value]:
        return self.columns[document.text][name]


def listening(
    pipeline: Pipeline, templates: Iterable[Template], names: Iterable[str], told: Told
) -> Pipeline:
    """The line with ``templates`` on top, which may ask for what is ``told`` by these names."""
    contextual = copy.copy(pipeline.extractor.contextual)
    contextual.update({name: partial(told.observe, name) for name in names})
    longer = copy.copy(pipeline)
    longer.extractor = Extractor(
        [*pipeline.extractor.templates, *templates], pipeline.extractor.lexical, contextual
    )
    return longer


def cross_fit(
    documents: Sequence[Document], number: int, seed: int, folder: Path, train: Train
) -> list[Document]:
    """What models that did not see a document find in it: each of the ``number`` folds is tagged by a
    model of the others, which is trained in a folder below ``folder`` and removed. Raises what
    :func:`crfdeid.corpora.folds.make_folds` raises."""
    found: dict[str, Document] = {}
    parts = make_folds(Part("training documents", tuple(documents)), number, seed)
    with tempfile.TemporaryDirectory(prefix="folds.", dir=folder) as name:
        for fold, (rest, held) in enumerate(parts):
            tagger = train(rest.documents, Path(name) / str(fold))
            bare = [document.with_spans(()) for document in held.documents]
            found |= {document.id: document for document in model.tag_all(tagger, bare)}
    return [found[document.id] for document in documents]


@contextmanager
def all_or_nothing() -> Iterator[None]:
    """Ctrl-C in one of several trainings stops all: a part that could be kept is no model."""
    try:
        yield
    except Stopped:
        raise KeyboardInterrupt from None


def patients(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Documents that follow each other and are of the same patient; one without patient is alone.

    >>> notes = [Document(str(n), "", patient=p) for n, p in enumerate(["a", "a", "b", None, None])]
    >>> [[note.id for note in group] for group in patients(notes)]
    [['0', '1'], ['2'], ['3'], ['4']]
    """
    for _, group in groupby(documents, find_owner):
        yield list(group)


def together(documents: Iterable[Document], characters: int = TOGETHER) -> Iterator[list[list[Document]]]:
    """Some patients at a time, as many as there are in so many characters or a little more; two
    of them never have a note of the same text."""
    waiting: list[list[Document]] = []
    size, texts = 0, set[str]()
    for group in patients(documents):
        own = {document.text for document in group}
        if waiting and (size >= characters or texts & own):
            yield waiting
            waiting, size, texts = [], 0, set()
        waiting.append(group)
        size += sum(map(len, own))
        texts |= own
    if waiting:
        yield waiting
