"""The folder that a trained model of any system is::

    manifest.json     format, version, and the SHA-256 of every other file
    settings.json     the experiment
    scheme.toml  features/*.template  gazetteers/*.txt
    ...               the system's own files, such as model.crfsuite

so nothing that a model needs can change under it, and a damaged one is refused.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from crfdeid import __version__, resources
from crfdeid.config import Config
from crfdeid.errors import ModelError
from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction.pipeline import Pipeline, needs_pos
from crfdeid.feature_extraction.templates import Template
from crfdeid.systems import registry
from crfdeid.text import gazetteer
from crfdeid.text.document import Document

FORMAT = 1


def lay_out(folder: Path, documents: Sequence[Document], settings: Config) -> Pipeline:
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
        source = gazetteer.find_gazetteer(name, [folder / "gazetteers"])
        for path in (source, source.with_name(source.stem + ".exclude.txt")):
            if path.is_file() and path.parent != folder / "gazetteers":
                shutil.copyfile(path, folder / "gazetteers" / path.name)
    shutil.copyfile(resources.find_file("configs/schemes", settings.scheme, ".toml"), folder / "scheme.toml")
    table = settings.table() | {"features": names}
    (folder / "settings.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    return Pipeline(settings, groups, lists(folder))


def write_training_gazetteer(documents: Iterable[Document], type: str, folder: Path) -> None:
    """The list ``training_TYPE`` of the texts of these documents' spans of one type."""
    entries = {
        " ".join(document.text_of(span).split())
        for document in documents
        for span in document.spans
        if span.type == type
    }
    head = f"# title: {type} spans of the training documents\n# source: the training documents\n"
    name = gazetteer.TRAINING + type.lower().replace("-", "_")
    text = head + "".join(f"{entry}\n" for entry in sorted(entries) if not entry.startswith("#"))
    (folder / f"{name}.txt").write_text(text, encoding="utf-8")


def named(name: str) -> Path:
    """The folder of that path, or where there is none, of the model of that name that ships."""
    beside = resources.find_folder("models") / name
    return beside if not Path(name).is_dir() and beside.is_dir() else Path(name)


def opened(folder: Path) -> Pipeline:
    """The line of a model's own files, once they are found to be those of its manifest."""
    check(folder)
    table = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    settings = registry.build_config(table, str(folder / "settings.json"))
    groups = [t for name in settings.features for t in templates.read(folder / "features" / name)]
    return Pipeline(settings, groups, lists(folder))


def lists(folder: Path) -> dict[str, gazetteer.Gazetteer]:
    """The model's gazetteers by name."""
    paths = sorted((folder / "gazetteers").glob("*.txt"))
    return {
        path.stem: gazetteer.read_gazetteer(path) for path in paths if not path.name.endswith(".exclude.txt")
    }


def check(folder: Path) -> None:
    """Compare the folder with its manifest."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        format, files = manifest["format"], dict(manifest["files"])
    except OSError:
        raise ModelError(f"{folder}: no model here (no readable manifest.json)") from None
    except (ValueError, KeyError, TypeError):
        raise ModelError(f"{folder}/manifest.json: damaged") from None
    if format != FORMAT:
        raise ModelError(f"{folder}: model format {format}; this version reads format {FORMAT}")
    for name, checksum in files.items():
        path = folder / name
        if not path.is_file():
            raise ModelError(f"{path}: missing from the model")
        if sha256(path) != checksum:
            raise ModelError(f"{path}: damaged: its checksum is not the manifest's")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_manifest(folder: Path) -> None:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    manifest = {
        "format": FORMAT,
        "crfdeid": __version__,
        "files": {path.relative_to(folder).as_posix(): sha256(path) for path in files},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
