"""The folder of a trained model of any system::

    manifest.json     format, version, the SHA-256 of every other file, and how the model was made
    settings.json     the configuration
    known_words.txt   of a model for sharing (:func:`find_known_words`)
    tuned_notes.json.gz  hashes of the training notes (:mod:`crfdeid.systems.model`)
    site_terms.txt    the lists of a site (:mod:`crfdeid.adapt.lists`)
    scheme.toml  features/*.template  gazetteers/*.txt (of shipped models the tables of words are *.txt.gz)
    ...               the system's own files, such as model.crfsuite; shipped models have it compressed

A model has a copy of everything it needs, so a change of the shipped files does not change it; a damaged
model is refused.

The known words are those whose pieces (prefixes, suffixes) a model for sharing observes, in training and in
tagging. A piece that several patients have shows no word. But one patient can have a name a hundred times,
and then the weights of its pieces together tell the name: an attacker who tried 162,253 names took a
planted one for the likeliest. So a model for sharing observes only the pieces of words that at least k
patients have, without long numbers.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from crfdeid import __version__, files
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError, ModelError, did_you_mean
from crfdeid.feature_extraction import templates, word_clusters
from crfdeid.feature_extraction.long_numbers import has_long_number
from crfdeid.feature_extraction.pipeline import Pipeline, check_pos
from crfdeid.feature_extraction.templates import Template
from crfdeid.files import read_text
from crfdeid.systems import registry
from crfdeid.systems.tagger import ModelFolder
from crfdeid.text import gazetteer, scheme
from crfdeid.text.document import Document
from crfdeid.text.gazetteer import Gazetteer

FORMAT = 1
MANIFEST = "manifest.json"
TRAINING = "training"  # the manifest's key of how the model was made (crfdeid.systems.training_record)
SCORES = "scores.json"
ADDED = (SCORES, "CARD.md")  # after the manifest is written; no tagger reads them
SETTING = re.compile(r"[\w.+/-]{,80}", re.ASCII)  # what an error may show of a model's settings and names

KNOWN_WORDS = "known_words.txt"  # in a model's folder


def create_folder(path: Path, documents: Sequence[Document], config: Config) -> ModelFolder:
    """Copy the files that the model needs into a new folder, and build the pipeline of those copies."""
    features, gazetteers = path / "features", path / "gazetteers"
    features.mkdir(parents=True)
    gazetteers.mkdir()
    groups: list[Template] = []
    names = []
    for group in config.features:
        source = templates.find_group(group)
        names.append(source.name)
        shutil.copyfile(source, features / source.name)
        groups += templates.read_templates(source)
    check_pos(config.pos, groups)
    for list_source in config.training_gazetteers:
        write_training_gazetteer(documents, list_source, gazetteers, config.min_patients)
    tables = [Path(table).stem for table in config.tables]  # a system's own observations can need them
    names_of_lists = [*templates.list_gazetteers(groups), *tables]
    if word_clusters.LIST in names_of_lists:
        copy_clusters(config, gazetteers)
    copy_gazetteers(names_of_lists, config, gazetteers)
    shutil.copyfile(files.find_file("configs/schemes", config.scheme, ".toml"), path / "scheme.toml")
    if config.types:
        shutil.copyfile(scheme.find_map(config.types), path / "types.toml")
    table = config.to_table() | {"features": names, "types": ""}  # its scheme is that of its spans
    (path / "settings.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    pipeline = build_pipeline(config, groups, read_gazetteers(path))
    if config.min_patients > 1:  # with 1 the list would have every word
        words = find_known_words(pipeline, documents, config.min_patients)
        write_words(path, words)
        pipeline = restrict_pipeline(pipeline, path)
    return ModelFolder(path, config, pipeline, scheme.read_scheme(path / "scheme.toml"))


def build_pipeline(
    config: Config, groups: Sequence[Template], gazetteers: Mapping[str, Gazetteer]
) -> Pipeline:
    """Build the pipeline that a configuration describes."""
    return Pipeline(
        groups,
        gazetteers,
        tokenizer=config.tokenizer,
        sequence=config.sequence,
        overlaps=config.overlaps,
        pos=config.pos,
        span_mark=config.span_mark,
    )


def find_list(name: str, config: Config) -> Path:
    """Return the file of a gazetteer: one of the configuration's tables, its list of word clusters, or a
    shipped list."""
    own = {Path(table).stem: table for table in config.tables} | {word_clusters.LIST: config.clusters}
    return gazetteer.find_gazetteer(own.get(name, name))


def copy_clusters(config: Config, folder: Path) -> None:
    """Copy the configuration's list of word clusters. Raises :class:`FormatError` where it is another kind
    of list."""
    source = find_list(word_clusters.LIST, config)
    word_clusters.check_list(source)
    shutil.copyfile(source, folder / f"{word_clusters.LIST}.txt")


def copy_gazetteers(names: Iterable[str], config: Config, folder: Path) -> None:
    """Copy into ``folder`` the gazetteers, and the entries excluded from them, that it does not have."""
    for name in names:
        if not (folder / f"{name}.txt").is_file():
            source = find_list(name, config)
            for path in (source, source.with_name(source.stem + ".exclude.txt")):
                if path.is_file():
                    shutil.copyfile(path, folder / path.name)


def write_training_gazetteer(
    documents: Iterable[Document], source: str, folder: Path, least: int = 0
) -> None:
    """Write the gazetteer ``training_TYPE``: the texts of the documents' spans of one type. With ``least``
    above 0 these are the texts that at least as many patients have, without long numbers. A ``source``
    such as ``CITY+us_cities`` adds the words of shipped lists."""
    type, *lists = source.split("+")
    entries = find_span_texts(documents, type, least)
    public = {
        word for name in lists for word in gazetteer.read_gazetteer(gazetteer.find_gazetteer(name)).words
    }
    sources = "; ".join(["the training documents", *(f"the words of {name}" for name in lists)])
    head = f"# title: {type} spans of the training documents\n# source: {sources}\n"
    name = gazetteer.TRAINING + type.lower().replace("-", "_")
    lines = (f"{entry}\n" for entry in sorted(entries | public) if not entry.startswith("#"))
    (folder / f"{name}.txt").write_text(head + "".join(lines), encoding="utf-8")


def find_span_texts(documents: Iterable[Document], type: str, least: int) -> set[str]:
    """Return the texts of the spans of one type; with ``least`` above 0 those of as many patients, without
    long numbers."""
    owners: dict[str, set[tuple[bool, str]]] = {}
    for document in documents:
        for span in document.spans:
            if span.type == type:
                owners.setdefault(" ".join(document.text_of(span).split()), set()).add(document.owner)
    return {
        entry
        for entry, own in owners.items()
        if not least or (len(own) >= least and not has_long_number(entry))
    }


def find_folder(name: str) -> Path:
    """Return the folder of that path; where there is none, the folder of the shipped model of that name."""
    shipped = files.find_folder("models") / name
    return shipped if not Path(name).is_dir() and shipped.is_dir() else Path(name)


def is_encoder(path: Path) -> bool:
    """Whether the folder holds a model of Hugging Face's format, and none of ours."""
    return (path / "config.json").is_file() and not (path / MANIFEST).exists()


def read_folder(path: Path) -> ModelFolder:
    """Check a model's files against its manifest, and read them. Raises :class:`ModelError` where the
    folder is incomplete, damaged, or of a newer format."""
    check_files(path)
    config = read_settings(path)
    groups = [t for name in config.features for t in templates.read_templates(path / "features" / name)]
    pipeline = build_pipeline(config, groups, read_gazetteers(path))
    if (path / KNOWN_WORDS).is_file():
        pipeline = restrict_pipeline(pipeline, path)
    fingerprint = hash_manifest(path / MANIFEST)
    return ModelFolder(path, config, pipeline, scheme.read_scheme(path / "scheme.toml"), fingerprint)


def read_settings(path: Path) -> Config:
    """Read the model's configuration. Raises :class:`ModelError`, which shows only what looks like one."""
    file = path / "settings.json"
    table = read_table(file)
    own_scheme = {"scheme": str(path / "scheme.toml")}  # the file that trained it may be gone
    try:
        config = registry.build_config(table | own_scheme, str(file))
    except ConfigurationError as error:
        if all(map(SETTING.fullmatch, list_strings(table))):
            raise
        raise ModelError(f"{file}: holds what is not a setting") from error
    if not {f"features/{name}" for name in config.features} <= set(list_files(path)):
        raise ModelError(f"{file}: names a feature group that the model does not have")
    return replace(config, scheme=table.get("scheme", Config.scheme))


def read_table(path: Path) -> dict[str, Any]:
    """Read a JSON object of the model. Raises :class:`ModelError` where the file is something else."""
    files.refuse_named_pipe(path)
    try:
        table = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        table = None
    if not isinstance(table, dict):
        raise ModelError(f"{path}: damaged: not a table of JSON")
    return table


def list_strings(value: Any) -> Iterator[str]:
    """Yield the strings in a value of JSON, keys of objects among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        items = value if isinstance(value, list) else chain.from_iterable(value.items())
        for item in items:
            yield from list_strings(item)


def read_gazetteers(path: Path) -> dict[str, Gazetteer]:
    """Read the model's gazetteers, by name."""
    files = [file for file in list_gazetteer_files(path) if not file.name.endswith(".exclude.txt")]
    return {gazetteer.name_list(file): gazetteer.read_list(file) for file in files}


def list_gazetteer_files(path: Path) -> list[Path]:
    """Return the files of the model's lists, sorted."""
    folder = path / "gazetteers"
    return sorted([*folder.glob("*.txt"), *folder.glob(f"*.txt{gazetteer.COMPRESSED}")])


def compress_tables(path: Path) -> None:
    """Compress the model's tables of words, which are its largest lists."""
    for file in (path / "gazetteers").glob("*.txt"):
        with file.open(encoding="utf-8") as lines:
            is_table = bool(gazetteer.find_columns(lines))
        if is_table:
            compressed = gzip.compress(file.read_bytes(), mtime=0)
            file.with_name(file.name + gazetteer.COMPRESSED).write_bytes(compressed)
            file.unlink()


def check_files(folder: Path) -> None:
    """Compare the folder with its manifest, which lists every other file of it. Raises :class:`ModelError`
    at a difference, and where a path leaves the folder."""
    files = read_manifest(folder)
    for number, (name, checksum) in enumerate(files.items(), 1):
        path = folder / name
        shown = path if SETTING.fullmatch(name) else f"{folder}/{MANIFEST}: file {number}"
        if not is_inside(path, folder):
            raise ModelError(f"{folder}/{MANIFEST}: file {number} is outside the folder of the model")
        if not os.path.isfile(path):  # Path's own fails at a name that is too long
            raise ModelError(f"{shown}: missing from the model")
        if hash_file(path) != checksum:
            raise ModelError(f"{shown}: damaged: its checksum is not the manifest's")
    if unlisted := sum(name not in files for name in list_files(folder) if name not in ADDED):
        raise ModelError(f"{folder}: {unlisted} files that {MANIFEST} does not list")


def read_manifest(folder: Path) -> dict[str, str]:
    """Read the checksums of a model's files by name."""
    if not (folder / MANIFEST).is_file():
        shipped = [path.name for path in files.find_folder("models").glob("*")]
        near = "" if folder.exists() else did_you_mean(str(folder), shipped)
        raise ModelError(f"{folder}: no model here (no readable {MANIFEST}){near}")
    manifest = read_table(folder / MANIFEST)
    format, checksums = manifest.get("format"), manifest.get("files")
    if not (isinstance(format, int) and isinstance(checksums, dict)):
        raise ModelError(f"{folder}/{MANIFEST}: damaged")
    if format != FORMAT:
        raise ModelError(f"{folder}: model format {format}; this version reads format {FORMAT}")
    return {name: str(checksum) for name, checksum in checksums.items()}


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path, its links followed, is below the folder."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):  # a name too long, a NUL in it, links in a circle
        return False


def list_files(folder: Path) -> list[str]:
    """The names of all files in the folder and below it except the manifest, sorted."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())
    return sorted(name for name in names if name != MANIFEST)


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits. Raises :class:`FormatError` at a named pipe."""
    files.refuse_named_pipe(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hash_manifest(path: Path) -> str:
    """Return the SHA-256 of a manifest without the record of its training: the same files have the same."""
    manifest = json.loads(path.read_text(encoding="utf-8"))
    if manifest.pop(TRAINING, None) is None:
        return hash_file(path)
    return hashlib.sha256(render_manifest(manifest).encode()).hexdigest()


def render_manifest(manifest: Mapping[str, object]) -> str:
    return json.dumps(manifest, indent=1) + "\n"


def write_manifest(folder: Path) -> None:
    """Write ``manifest.json`` over all other files that are in the folder."""
    manifest = {
        "format": FORMAT,
        "crfdeid": __version__,
        "files": {name: hash_file(folder / name) for name in list_files(folder)},
    }
    (folder / MANIFEST).write_text(render_manifest(manifest), encoding="utf-8")


def find_known_words(pipeline: Pipeline, documents: Iterable[Document], least: int) -> set[str]:
    """Return the tokens, in lower case, that at least ``least`` patients have."""
    owners: dict[str, set[tuple[bool, str]]] = {}
    for document in documents:
        for word in {token.text.lower() for token in pipeline.tokenize(document.text)}:
            owners.setdefault(word, set()).add(document.owner)
    return {word for word, own in owners.items() if len(own) >= least and not has_long_number(word)}


def write_words(folder: Path, words: Iterable[str]) -> None:
    """Write the words into a model's folder, one a line."""
    lines = sorted(word for word in words if word.split() == [word])
    (folder / KNOWN_WORDS).write_text("".join(f"{word}\n" for word in lines), encoding="utf-8")


def restrict_pipeline(pipeline: Pipeline, folder: Path) -> Pipeline:
    """Return the pipeline as the words of a model's folder restrict it."""
    return pipeline.with_known_words(frozenset(read_text(folder / KNOWN_WORDS).split("\n")))
