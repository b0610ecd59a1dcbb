"""Train, save, load and apply a CRF.

A model is a folder::

    manifest.json     format, version, and the SHA-256 of every other file
    settings.json     the experiment
    model.crfsuite    CRFsuite's own file
    scheme.toml  features/*.template  gazetteers/*.txt

so nothing that a model needs can change under it, and a damaged one is refused.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pycrfsuite

from crfdeid import __version__, bio, experiment, gazetteer, scheme, shipped, templates
from crfdeid.document import Document, Span
from crfdeid.engine import weights
from crfdeid.engine.confidence import Confidence
from crfdeid.engine.decoder import Decoder
from crfdeid.experiment import Experiment
from crfdeid.faults import DocumentFault, ModelFault
from crfdeid.line import Line, needs_pos
from crfdeid.page import Page
from crfdeid.sentences import trim
from crfdeid.templates import Template

FORMAT = 1
CRFSUITE = "model.crfsuite"
DEFAULT = "english"


class Model:
    """A loaded model; ``tag`` is all that a tagger needs. ``engine`` is ``fast``, or ``crfsuite``
    for the reference, which gives the same labels."""

    def __init__(self, folder: Path, settings: Experiment, line: Line, engine: str = "fast") -> None:
        self.folder, self.experiment, self.line = folder, settings, line
        self.scheme = scheme.read(folder / "scheme.toml")
        found = weights.read(folder / CRFSUITE)
        self.decoder = Decoder(found, line.extractor)
        self.confidence = Confidence(found)
        self.crfsuite = pycrfsuite.Tagger() if engine == "crfsuite" else None
        if self.crfsuite:
            self.crfsuite.open(str(folder / CRFSUITE))

    def tag(self, document: Document, probabilities: bool = False) -> Document:
        """The document with the spans found, in place of any it had; each with its
        probability, if asked for (which takes several times as long)."""
        spans: list[Span] = []
        page, sequences = self.line.page(document)
        for sequence in sequences:
            labels = self.labels(page, sequence)
            found = bio.decode(page.tokens[sequence.start : sequence.stop], labels)
            if found and probabilities:
                found = self.confidence.given(found, self.decoder.emissions(page, sequence), labels)
            spans += found
        return document.with_spans(without_blanks(document.text, spans))

    def labels(self, page: Page, sequence: range) -> list[str]:
        """The BIO label of each token of a sequence."""
        if self.crfsuite:
            return self.crfsuite.tag(self.line.extractor.features(page, sequence))
        return self.decoder.labels(page, sequence)


def without_blanks(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans without white space at their ends (a line end can be labelled too)."""
    for span in spans:
        if edges := trim(text, span.start, span.end):
            yield replace(span, start=edges[0], end=edges[1])


def load(folder: Path | str | None = None, engine: str = "fast") -> Model:
    """The model in ``folder``, or the shipped one. Raises :class:`ModelFault` where it is
    incomplete, damaged, or of a newer format."""
    folder = shipped.folder("models") / DEFAULT if folder is None else Path(folder)
    check(folder)
    table = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    settings = experiment.build(table, str(folder / "settings.json"))
    groups = [t for name in settings.features for t in templates.read(folder / "features" / name)]
    lists = {path.stem: gazetteer.read(path) for path in list_files(folder / "gazetteers")}
    return Model(folder, settings, Line(settings, groups, lists), engine)


def list_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.txt") if not path.name.endswith(".exclude.txt"))


def check(folder: Path) -> None:
    """Compare the folder with its manifest."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        format, files = manifest["format"], dict(manifest["files"])
    except OSError:
        raise ModelFault(f"{folder}: no model here (no readable manifest.json)") from None
    except (ValueError, KeyError, TypeError):
        raise ModelFault(f"{folder}/manifest.json: damaged") from None
    if format != FORMAT:
        raise ModelFault(f"{folder}: model format {format}; this version reads format {FORMAT}")
    for name, checksum in files.items():
        path = folder / name
        if not path.is_file():
            raise ModelFault(f"{path}: missing from the model")
        if sha256(path) != checksum:
            raise ModelFault(f"{path}: damaged: its checksum is not the manifest's")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def train(
    documents: Sequence[Document],
    settings: Experiment,
    folder: Path | str,
    on_iteration: Callable[[int, float], None] = lambda number, loss: None,
    engine: str = "fast",
    overwrite: bool = False,
) -> Model:
    """Train on ``documents`` and leave a model in ``folder``, whole or not at all.

    ``on_iteration`` hears the number and the loss of each iteration. Raises
    :class:`DocumentFault` where there is nothing to learn from, or where spans overlap and
    the experiment refuses that; :class:`SchemeFault` on a type the scheme lacks.
    """
    folder = Path(folder)
    if folder.exists() and any(folder.iterdir()) and not overwrite:
        raise ModelFault(f"{folder}: exists and is not empty; --overwrite replaces it")
    scheme.read(settings.scheme).check(documents)
    if not any(document.spans for document in documents):
        raise DocumentFault("no span in the training documents: nothing to learn from")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as name:
        building = Path(name) / "model"
        line = lay_out(building, documents, settings)
        fit(line, documents, building / CRFSUITE, on_iteration, engine)
        write_manifest(building)
        if folder.exists():
            shutil.rmtree(folder)
        building.rename(folder)
    return load(folder)


def lay_out(folder: Path, documents: Sequence[Document], settings: Experiment) -> Line:
    """Copy what the model needs into ``folder``, and build the line from those copies."""
    (folder / "features").mkdir(parents=True)
    (folder / "gazetteers").mkdir()
    groups: list[Template] = []
    names = []
    for group in settings.features:
        source = templates.find(group)
        names.append(source.name)
        shutil.copyfile(source, folder / "features" / source.name)
        groups += templates.read(source)
    needs_pos(settings, groups)
    for type in settings.training_gazetteers:
        write_training_gazetteer(documents, type, folder / "gazetteers")
    for name in templates.gazetteers_named(groups):
        source = gazetteer.find(name, [folder / "gazetteers"])
        for path in (source, source.with_name(source.stem + ".exclude.txt")):
            if path.is_file() and path.parent != folder / "gazetteers":
                shutil.copyfile(path, folder / "gazetteers" / path.name)
    shutil.copyfile(shipped.find("configs/schemes", settings.scheme, ".toml"), folder / "scheme.toml")
    table = settings.table() | {"features": names}
    (folder / "settings.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    lists = {path.stem: gazetteer.read(path) for path in list_files(folder / "gazetteers")}
    return Line(settings, groups, lists)


def write_training_gazetteer(documents: Iterable[Document], type: str, folder: Path) -> None:
    """The list ``training_TYPE`` of the texts of these documents' spans of one type."""
    entries = {
        " ".join(document.covered(span).split())
        for document in documents
        for span in document.spans
        if span.type == type
    }
    head = f"# title: {type} spans of the training documents\n# source: the training documents\n"
    name = gazetteer.TRAINING + type.lower().replace("-", "_")
    text = head + "".join(f"{entry}\n" for entry in sorted(entries) if not entry.startswith("#"))
    (folder / f"{name}.txt").write_text(text, encoding="utf-8")


class _Trainer(pycrfsuite.Trainer):
    """Tells ``hear`` of each iteration what CRFsuite would print."""

    def hear_with(self, hear: Callable[[int, float], None]) -> None:
        self.hear, self.number = hear, 0

    def message(self, message: str) -> None:
        if match := re.match(r"\*{5} (?:Iteration|Epoch) #(\d+)", message):
            self.number = int(match[1])
        elif match := re.match(r"Loss: (\S+)", message):
            self.hear(self.number, float(match[1]))


def fit(
    line: Line,
    documents: Sequence[Document],
    path: Path,
    on_iteration: Callable[[int, float], None],
    engine: str = "fast",
) -> None:
    """Train on ``documents`` and leave CRFsuite's model file at ``path``."""
    settings = line.experiment
    if engine == "fast" and fast_engine(settings):
        from crfdeid.engine import problem, train

        train.train(problem.build(line, documents), settings.crf, path, on_iteration)
    else:
        fit_crfsuite(line, documents, path, on_iteration)
    if settings.recall_bias:
        weights.add(path, "bias", bio.OUTSIDE, -settings.recall_bias)


def fast_engine(settings: Experiment) -> bool:
    """Whether the fast engine can train this: numba is installed and knows the settings."""
    if find_spec("numba") is None:
        return False
    from crfdeid.engine import train

    return train.can_train(settings.algorithm, settings.crf)


def fit_crfsuite(
    line: Line, documents: Sequence[Document], path: Path, on_iteration: Callable[[int, float], None]
) -> None:
    """python-crfsuite, the reference."""
    trainer = _Trainer(algorithm=line.experiment.algorithm)
    trainer.hear_with(on_iteration)
    trainer.set_params(line.experiment.crf)
    for features, labels in line.examples(documents):
        trainer.append(features, labels)
    trainer.train(str(path))


def write_manifest(folder: Path) -> None:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    manifest = {
        "format": FORMAT,
        "crfdeid": __version__,
        "files": {path.relative_to(folder).as_posix(): sha256(path) for path in files},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
