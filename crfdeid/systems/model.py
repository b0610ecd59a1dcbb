"""Train, store and load a tagger of any system (:mod:`crfdeid.systems.registry`), with the list of the
notes that trained or tuned it: a sample that shows what it misses must not have them.

A list has SHA-256 hashes of ids and of whole texts, and no text. Nobody finds a long note by trying texts;
but who has an id, or guesses a short note, can ask whether it is in the list. So the list is as private as
the model, and a model for sharing (``min_patients``) has none.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import tempfile
import zlib
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial, reduce
from pathlib import Path

from crfdeid import files
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError, CrfdeidError, DocumentError, FormatError, ModelError, Stopped
from crfdeid.feature_extraction import templates
from crfdeid.files import read_text
from crfdeid.lexicon import english
from crfdeid.systems import model_folder, registry
from crfdeid.systems.bias import Bias
from crfdeid.systems.model_folder import hash_file
from crfdeid.systems.registry import System, Training
from crfdeid.systems.tagger import JOIN, ModelFolder, Tagger, Union
from crfdeid.text import scheme
from crfdeid.text.document import Document
from crfdeid.text.tokenizer import fold_document

DEFAULT = english.LANGUAGE.model
CAREFUL = english.LANGUAGE.careful_model  # sessions restore its false alarms
RELEASE = english.LANGUAGE.release_model
FAST = "fast"  # the engine that every system has

SITE_TERMS = "site_terms.txt"  # in the folder of a model with the lists of a site, as ``--always`` has them
SITE_LINES = "site_lines.json"  # the lines that repeat in its notes
TUNED_NOTES = "tuned_notes.json.gz"  # in a model's folder
PLAIN_TUNED_NOTES = "tuned_notes.json"  # in one of an earlier version
KEY = "tuned_notes"  # of the hashes, here and in what certify choose writes
Step = Callable[[Document], Document]
HASH_DIGITS = 16  # of a note's SHA-256 that are kept: 64 bits, so that a million notes have no two alike


def load(folder: Path | str | None = None, engine: str = FAST, bias: Bias | None = None) -> Tagger:
    """Load the model in ``folder``; by default, the one that ships. Where there is no such folder, it is the
    name of a shipped model or of a system that learns nothing, or several joined by "+"
    (:class:`crfdeid.systems.tagger.Union`). A folder can also hold an encoder of Hugging Face's format
    (:mod:`crfdeid.systems.transformer`). ``bias`` takes the place of the model's; of several models, of those
    that learn. Raises :class:`ConfigurationError` where a model cannot have it, and :class:`ModelError`
    where the model is incomplete, damaged, or of a newer format."""
    name = str(folder)
    if folder is not None and not Path(name).exists():
        if JOIN in name:
            return load_union(name.split(JOIN), engine, bias)
        if registry.is_untrained(name):
            return load_untrained(name, bias)
    path = files.find_folder("models") / DEFAULT if folder is None else model_folder.find_folder(name)
    if model_folder.is_encoder(path):
        return load_encoder(path, engine, bias)
    try:
        return load_model(model_folder.read_folder(path), engine, bias)
    except CrfdeidError:
        raise
    except Exception as error:  # checksums can match in a model that somebody made to do harm
        raise ModelError(f"{path}: cannot be read: {type(error).__name__}; damaged?") from None


def split_names(name: str | None) -> list[str]:
    """Return the names of the models that a name joins by "+"; one that is a path is one."""
    name = name or DEFAULT
    return [name] if Path(name).exists() else name.split(JOIN)


def load_model(model: ModelFolder, engine: str = FAST, bias: Bias | None = None) -> Tagger:
    """Make the tagger of a folder that was read."""
    system = registry.find_system(model.config.system)
    check_engine(system, model.config.system, engine)
    if bias:
        if engine != FAST:
            raise ConfigurationError(f"--recall-bias: the engine {engine} reads the model as it is")
        model = bias.change_folder(model)
    tagger = system.load(model) if engine == FAST else system.other_engines[engine](model)
    tagger.finish = load_site(model.path)
    return tagger


def load_site(folder: Path) -> Step | None:
    """Return what a model does last with each folded document, by the lines and lists of a site; None where
    it has none."""
    lines: Step | None = None
    if (path := folder / SITE_LINES).is_file():
        from crfdeid.systems.repeated_lines import read_lines

        lines = read_lines(path).apply
    return join_steps(lines, load_lists(folder))


def load_lists(folder: Path) -> Step | None:
    """Return the step of the lists of a site; None where a model has none."""
    if not (path := folder / SITE_TERMS).is_file():
        return None
    from crfdeid.systems.term_lists import read_terms

    return read_terms(path, None).apply


def join_steps(*steps: Step | None) -> Step | None:
    """Return one step that does all, in order; None where there is none."""
    able = [step for step in steps if step]
    return partial(apply_steps, able) if able else None


def apply_steps(steps: Sequence[Step], document: Document) -> Document:
    return reduce(lambda found, step: step(found), steps, document)


def load_union(names: Sequence[str], engine: str, bias: Bias | None = None) -> Tagger:
    """Load several models as one; ``engine`` is the engine of the first, ``bias`` is for all that learn."""
    first, *others = names
    if all(map(registry.is_untrained, names)):
        return Union([load(first, engine, bias), *map(load, others)])
    own = {name: None if registry.is_untrained(name) else bias for name in names}
    return Union([load(first, engine, own[first]), *(load(name, bias=own[name]) for name in others)])


def load_untrained(name: str, bias: Bias | None = None) -> Tagger:
    """Make the tagger of a system that learns nothing; it needs no folder. Raises
    :class:`ConfigurationError` on a bias."""
    if bias:
        raise ConfigurationError(f"--recall-bias: the system {name} learns nothing, and has none")
    system = registry.find_system(name)
    with tempfile.TemporaryDirectory() as place:
        model = model_folder.create_folder(Path(place) / name, [], Config(system=name))
        system.train(Training(model, []))
        model_folder.write_manifest(model.path)
        return system.load(replace(model, fingerprint=hash_file(model.path / "manifest.json")))


def load_encoder(folder: Path, engine: str, bias: Bias | None = None) -> Tagger:
    """Make the tagger of an encoder that has no model folder of ours. Its configuration is the file
    ``crfdeid.toml`` beside it, if there is one."""
    beside = folder / "crfdeid.toml"
    settings = registry.read_config(beside) if beside.is_file() else Config(system="transformer")
    settings = replace(settings, options={**settings.options, "encoder": str(folder)})
    with tempfile.TemporaryDirectory() as place:
        model = model_folder.create_folder(Path(place) / folder.name, [], settings)
        sums = {path.name: hash_file(path) for path in sorted(folder.iterdir()) if path.is_file()}
        (model.path / "encoder.json").write_text(json.dumps(sums), encoding="utf-8")  # for the fingerprint
        model_folder.write_manifest(model.path)
        return load_model(replace(model, fingerprint=hash_file(model.path / "manifest.json")), engine, bias)


def train(
    documents: Sequence[Document],
    settings: Config,
    folder: Path | str,
    on_iteration: Callable[[int, float], None] = lambda number, loss: None,
    engine: str = FAST,
    overwrite: bool = False,
    resume: bool = False,
) -> Tagger:
    """Train on ``documents``, folded (:mod:`crfdeid.text.tokenizer`), and leave a model in ``folder``, whole
    or not at all.

    ``on_iteration`` receives the number and the loss of each iteration. ``resume`` continues from the
    model in ``folder``. Raises :class:`ConfigurationError` on settings that the system does not have;
    :class:`DocumentError` where the documents have no span, or spans overlap and the configuration refuses
    that; :class:`SchemeError` on a type that the scheme does not have; :class:`Stopped` on Ctrl-C, where
    the system can keep what it has learned so far.
    """
    registry.check(settings)
    system, folder = registry.find_system(settings.system), Path(folder)
    if folder.exists() and any(folder.iterdir()) and not (overwrite or resume):
        raise ModelError(f"{folder}: exists and is not empty; --overwrite replaces it")
    given, documents = documents, [fold_document(document) for document in settings.map_types(documents)]
    check_documents(documents, settings)
    check_engine(system, settings.system, engine)
    if resume:
        check_resume(system, folder, settings)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with make_folder_beside(folder) as place:
        model = model_folder.create_folder(place / "model", documents, settings)
        list_notes(given, settings, model.path, folder if resume else None)
        try:
            system.train(Training(model, documents, on_iteration, engine, folder if resume else None))
        except Stopped:
            replace_folder(folder, model.path)
            raise Stopped(f"stopped; {folder} holds the model so far, --resume continues from it") from None
        replace_folder(folder, model.path)
    return load(folder)


def list_notes(documents: Sequence[Document], settings: Config, folder: Path, earlier: Path | None) -> None:
    """Write the list of the notes that trained the model, and of those that trained it before ``earlier``
    was continued. A model for sharing has none."""
    if not settings.min_patients:
        known = (earlier and read_model_hashes(earlier)) or []
        write_note_hashes(folder, [*known, *hash_notes(documents)])


@contextmanager
def make_folder_beside(folder: Path) -> Iterator[Path]:
    """Give a temporary folder beside ``folder``, which no other run writes meanwhile; those that killed runs
    have left are removed."""
    with files.hold_output(folder):
        files.clear_leftovers(folder)
        with files.make_folder_beside(folder) as built:
            yield built


def replace_folder(folder: Path, built: Path) -> None:
    """Put the finished model in place of what is in ``folder``, in one step where the system can."""
    model_folder.write_manifest(built)
    if folder.exists():
        files.exchange(folder, built)
    else:
        built.rename(folder)


def check_documents(documents: Sequence[Document], settings: Config) -> None:
    """Raise :class:`SchemeError` on a type that the scheme does not have, and :class:`DocumentError` where
    a system that learns has no span to learn from."""
    scheme.read_scheme(settings.scheme).check(documents)
    if registry.find_system(settings.system).is_trained and not any(document.spans for document in documents):
        raise DocumentError("no span in the training documents: nothing to learn from")
    if settings.min_patients:
        check_patients(documents, settings.min_patients)


def check_patients(documents: Sequence[Document], least: int) -> None:
    """Raise :class:`DocumentError` where a document has no patient, or there are fewer than ``least``."""
    if missing := sum(document.patient is None for document in documents):
        wanted = "wanted the patient of each, or --one-note-per-patient"
        raise DocumentError(f"{missing} of {len(documents)} documents have no patient to count; {wanted}")
    if (count := len({document.patient for document in documents})) < least:
        raise DocumentError(f"the documents are of {count} patients; wanted at least {least} (k)")


def check_engine(system: System, name: str, engine: str) -> None:
    """Raise :class:`ConfigurationError` where the system does not have the engine."""
    if engine != FAST and engine not in system.other_engines:
        raise ConfigurationError(f"engine {engine}: the system {name} has no other engine")


def check_resume(system: System, folder: Path, settings: Config) -> None:
    """Raise :class:`ConfigurationError` or :class:`ModelError` where training cannot continue from the
    model in ``folder``: it is damaged, or of other settings."""
    earlier = model_folder.read_folder(folder).config
    if not system.can_resume:
        raise ConfigurationError(f"--resume: the system {settings.system} cannot continue")
    if settings.system != earlier.system:
        wanted = f"--resume cannot continue from it as {settings.system}"
        raise ModelError(f"{folder}: a model of the system {earlier.system}; {wanted}")
    features = tuple(templates.find_group(name).name for name in settings.features)
    if replace(settings, features=features, crf=earlier.crf, types="") != earlier:
        raise ModelError(f"{folder}: was trained with other settings; --resume cannot continue from it")


def hash_id(id: str) -> str:
    """The SHA-256 of a note's id."""
    return hashlib.sha256(id.encode()).hexdigest()[:HASH_DIGITS]


def hash_text(text: str) -> str:
    """The first digits of the SHA-256 of a note's text without white space."""
    return hashlib.sha256("".join(text.split()).encode()).hexdigest()[:HASH_DIGITS]


def hash_notes(documents: Iterable[Document]) -> list[str]:
    """The hashes of ids and texts, sorted."""
    return sorted({hash for note in documents for hash in (hash_id(note.id), hash_text(note.text))})


@dataclass
class SeenNotes:
    """Counts the notes that pass and those whose text is in ``hashes``: a score of those flatters."""

    hashes: Container[str]
    seen: int = 0
    total: int = 0

    def count_each(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the notes and count them."""
        for document in documents:
            self.total += 1
            self.seen += hash_text(document.text) in self.hashes
            yield document

    def lines(self) -> Iterator[str]:
        """Warn if the model has seen a note."""
        if self.seen:
            yield (
                f"warning: {self.seen} of these {self.total} notes trained or tuned the model; a score of "
                "them flatters it"
            )


def count_seen(training: Iterable[Document], test: Iterable[Document]) -> SeenNotes:
    """Count the notes of ``test`` whose text, without white space, equals a training note's."""
    counted = SeenNotes(frozenset(hash_text(note.text) for note in training))
    for _ in counted.count_each(test):
        pass
    return counted


def write_note_hashes(folder: Path, hashes: Iterable[str]) -> None:
    """Write the list into a model's folder."""
    text = json.dumps({KEY: sorted(set(hashes))}, indent=0) + "\n"
    (folder / TUNED_NOTES).write_bytes(gzip.compress(text.encode(), mtime=0))
    (folder / PLAIN_TUNED_NOTES).unlink(missing_ok=True)


def read_note_hashes(path: Path) -> list[str] | None:
    """Read the hashes of a JSON file, which can be compressed; ``None`` where it has no such list. Older
    lists have whole hashes, of which the first digits are read. Raises :class:`FormatError`."""
    try:
        is_compressed = path.suffix == ".gz"
        found = json.loads(gzip.decompress(path.read_bytes()) if is_compressed else read_text(path))
    except (ValueError, EOFError, gzip.BadGzipFile, zlib.error):
        raise FormatError(f"{path}: malformed JSON") from None
    hashes = found.get(KEY) if isinstance(found, dict) else None
    return [str(hash)[:HASH_DIGITS] for hash in hashes] if isinstance(hashes, list) else None


def read_model_hashes(folder: Path) -> list[str] | None:
    """Read the list of a model's folder; ``None`` where it has none."""
    paths = folder / TUNED_NOTES, folder / PLAIN_TUNED_NOTES
    return next((read_note_hashes(path) for path in paths if path.is_file()), None)
