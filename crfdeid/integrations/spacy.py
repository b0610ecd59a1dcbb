"""A spaCy component: ``nlp.add_pipe("crfdeid")`` (docs/pipelines.md). Needs the extra ``spacy``.

The entry point in setup.cfg names :func:`make_phi_finder`, so that spaCy finds it without an import. spaCy
3.7 cannot read annotations that are strings, so that this module has real ones.
"""

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import spacy
import srsly
from spacy.language import Language
from spacy.tokens import Doc, SpanGroup

from crfdeid.systems import model as models
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.threshold import AnyThreshold, make_threshold
from crfdeid.text.document import Document, Span

FOLDER = "model"
DEFAULTS = {
    "model": None, "threshold": None, "spans_key": "phi", "set_ents": False, "probabilities": False,
}  # fmt: skip


@Language.factory("crfdeid", default_config=DEFAULTS, assigns=["doc.spans"])
def make_phi_finder(
    nlp: Language,
    name: str,
    model: str | None,
    threshold: AnyThreshold | None,
    spans_key: str,
    set_ents: bool,
    probabilities: bool,
) -> "PhiFinder":
    """Make the component of a configuration."""
    return PhiFinder(name, model, threshold, spans_key, set_ents, probabilities)


class PhiFinder:
    """Puts the spans of PHI into ``doc.spans[spans_key]``, and with ``set_ents`` into ``doc.ents`` in place
    of the entities that they overlap. A token that a span cuts is split, so that all offsets are exact. With
    ``probabilities`` the spans' probabilities are in ``doc.spans[spans_key].attrs["scores"]``. ``model`` is
    what ``tag --model`` accepts. Raises :class:`ModelError` where there is no such model, and
    :class:`ConfigurationError` where it cannot use the threshold or has no probabilities."""

    def __init__(
        self,
        name: str = "crfdeid",
        model: str | None = None,
        threshold: AnyThreshold | None = None,
        spans_key: str = "phi",
        set_ents: bool = False,
        probabilities: bool = False,
    ) -> None:
        self.name, self.model, self.spans_key, self.set_ents = name, model, spans_key, set_ents
        self.threshold = None if threshold is None else make_threshold(threshold)
        self.probabilities = probabilities
        self.files: dict[str, bytes] = {}  # of a model folder that came with the pipeline
        self._check()

    def _check(self) -> None:
        self.tagger.check_probabilities(self.probabilities)
        if self.threshold:
            self.tagger.check_threshold(self.threshold)

    @cached_property
    def tagger(self) -> Tagger:
        """The model, which a process loads when it first needs it."""
        if not self.files:
            return models.load(self.model)
        with tempfile.TemporaryDirectory() as place:
            write_files(self.files, Path(place))
            return models.load(place)

    def __getstate__(self) -> dict[str, Any]:
        """The state for another process: the settings without the loaded model."""
        return {key: value for key, value in self.__dict__.items() if key != "tagger"}

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = 1000) -> Iterator[Doc]:
        """Yield the docs in order; ``batch_size`` of them are tagged at once."""
        for docs in spacy.util.minibatch(stream, size=batch_size):
            notes = [Document(str(number), doc.text) for number, doc in enumerate(docs)]
            tagged = self.tagger.tag_all(notes, self.probabilities, self.threshold)
            for doc, note in zip(docs, tagged, strict=True):
                yield self._set_spans(doc, note.spans)

    def _set_spans(self, doc: Doc, spans: Iterable[Span]) -> Doc:
        spans = list(spans)
        split_tokens(doc, {edge for span in spans for edge in (span.start, span.end)})
        found = [doc.char_span(span.start, span.end, label=span.type) for span in spans]
        scores = {"scores": [span.probability for span in spans]} if self.probabilities else {}
        doc.spans[self.spans_key] = SpanGroup(doc, name=self.spans_key, spans=found, attrs=scores)
        if self.set_ents:
            taken = {token.i for span in found for token in span}
            others = [entity for entity in doc.ents if taken.isdisjoint(range(entity.start, entity.end))]
            doc.ents = (*found, *others)
        return doc

    def to_bytes(self, exclude: Iterable[str] = ()) -> bytes:
        """Return the files of a model folder; a shipped model is named by the pipeline's configuration."""
        packed: bytes = srsly.msgpack_dumps(self._list_files())
        return packed

    def from_bytes(self, data: bytes, exclude: Iterable[str] = ()) -> "PhiFinder":
        self.files = srsly.msgpack_loads(data)
        self.__dict__.pop("tagger", None)
        self._check()
        return self

    def to_disk(self, path: str | Path, exclude: Iterable[str] = ()) -> None:
        """Write the files of a model folder below ``path``."""
        shutil.rmtree(Path(path) / FOLDER, ignore_errors=True)
        write_files(self._list_files(), Path(path) / FOLDER)

    def from_disk(self, path: str | Path, exclude: Iterable[str] = ()) -> "PhiFinder":
        return self.from_bytes(srsly.msgpack_dumps(read_files(Path(path) / FOLDER)))

    def _list_files(self) -> dict[str, bytes]:
        """The files of the model, if it is a folder of the user's."""
        is_folder = self.model is not None and Path(self.model).is_dir()
        return read_files(self.tagger.folder) if is_folder and not self.files else self.files


def split_tokens(doc: Doc, edges: Iterable[int]) -> None:
    """Split the tokens that have one of the offsets inside."""
    inside: dict[int, list[int]] = {}
    starts = {at: token.i for token in doc for at in range(token.idx + 1, token.idx + len(token))}
    for edge in sorted(edges):
        if edge in starts:
            inside.setdefault(starts[edge], []).append(edge)
    if not inside:
        return
    tokens = [doc[number] for number in inside]
    with doc.retokenize() as retokenizer:
        for token, cuts in zip(tokens, inside.values()):
            bounds = [0, *(cut - token.idx for cut in cuts), len(token)]
            pieces = [token.text[a:b] for a, b in zip(bounds, bounds[1:])]
            retokenizer.split(token, pieces, heads=[(token, 0)] * len(pieces))


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the files of a model, by their names in the folder; nothing where there is no folder."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def write_files(files: dict[str, bytes], folder: Path) -> None:
    """Write the files that :func:`read_files` returns. The manifest is checked when they are loaded."""
    for name, content in files.items():
        path = folder / name
        if not path.resolve().is_relative_to(folder.resolve()):
            raise ValueError("a file of the pipeline would be written outside its folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
