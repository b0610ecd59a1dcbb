"""How a model was made: the key ``training`` of its manifest, and its model card.

The record has the command, the corpora with their fingerprints, versions of libraries, time and date, so
that the same model can be made again. It holds no text of a note. That of a model for sharing
(``min_patients``) has neither command nor fingerprints, for these say something of the training notes.
"""

from __future__ import annotations

import json
import os
import platform
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

from crfdeid import __version__
from crfdeid.config import Config
from crfdeid.evaluate import type_table
from crfdeid.evaluate.corpus_statistics import CorpusStatistics, measure_corpus
from crfdeid.evaluate.evaluation import Evaluation
from crfdeid.evaluate.report import describe_resampling
from crfdeid.files import open_whole
from crfdeid.systems.model_folder import MANIFEST, TRAINING, render_manifest
from crfdeid.text.document import Document, fingerprint_documents
from crfdeid.text.scheme import Scheme

CARD = "CARD.md"
LIBRARIES = ("numpy", "scipy", "scikit-learn", "python-crfsuite", "numba", "nltk", "torch", "transformers")
FEW = 30  # gold spans, below which an interval says little
LIMITS = (
    "A model finds what resembles its training notes. The figures hold for notes like those of the test; "
    "other hospitals, kinds of notes, languages and ways of writing need a test of their own.",
    "No figure is the safety of a release: a missed name harms a person. `python -m crfdeid.certify` bounds "
    "what a release still holds.",
)
PRIVATE = "The model holds words of its training notes: keep it as safe as the notes."
SHARED = "The model has only features of the notes of at least {} patients (docs/sharing.md)."


def list_libraries() -> dict[str, str]:
    """Return the versions of Python and of the installed libraries that train."""
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


def describe_training(
    corpora: Mapping[str, Sequence[Document]],
    settings: Config,
    command: Sequence[str],
    date: str,
    seconds: float,
    earlier: object = None,
    sources: Mapping[str, Sequence[Document]] | None = None,
) -> dict[str, Any]:
    """Return the record of a training on ``corpora["train"]``, which is joined from ``sources`` by name;
    ``earlier`` is the record of the model that it continued."""
    private = not settings.min_patients
    measured = {name: measure_corpus(documents) for name, documents in corpora.items() if documents}
    record: dict[str, Any] = {"date": date, "seconds": round(seconds, 1), "libraries": list_libraries()}
    if private:
        record["command"] = shlex.join(command)
    record["corpora"] = {name: summarize_corpus(found, private) for name, found in measured.items()}
    if private and sources and len(sources) > 1:
        record["sources"] = {
            name: {"notes": len(documents), "fingerprint": fingerprint_documents(documents)}
            for name, documents in sources.items()
        }
    return record | ({"continues": earlier} if earlier else {})


def summarize_corpus(found: CorpusStatistics, private: bool) -> dict[str, Any]:
    table: dict[str, Any] = {"notes": found.notes, "patients": found.patients, "spans": found.spans}
    table["types"] = {name: each.spans for name, each in sorted(found.types.items())}
    return table | ({"fingerprint": found.fingerprint} if private else {})


def add_record(folder: Path, record: Mapping[str, Any]) -> None:
    """Write the record into the manifest; the model's fingerprint stays what it was."""
    path = folder / MANIFEST
    manifest = json.loads(path.read_text(encoding="utf-8")) | {TRAINING: dict(record)}
    with open_whole(path) as file:
        file.write(render_manifest(manifest))


def read_record(folder: Path) -> dict[str, Any] | None:
    """Return the record of a model, ``None`` where it has none."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    found = manifest.get(TRAINING) if isinstance(manifest, dict) else None
    return found if isinstance(found, dict) else None


def write_card(
    folder: Path,
    settings: Config,
    scheme: Scheme,
    record: Mapping[str, Any],
    scored: Evaluation | None,
    sections: Sequence[str] = (),
) -> None:
    """Write the model card into the model's folder; ``sections`` are further ones, after the data."""
    parts = [*describe_model(settings, record), *describe_data(record), *sections, *describe_scores(scored)]
    parts += describe_limits(settings, scheme, record, scored)
    with open_whole(folder / CARD) as file:
        file.write("\n\n".join(parts) + "\n")


def describe_model(settings: Config, record: Mapping[str, Any]) -> Iterator[str]:
    yield "# Model card"
    scheme = Path(settings.scheme).name
    what = f"A model that finds PHI in notes: system `{settings.system}`, types of `{scheme}`"
    yield f"{what}, made by crfdeid {__version__} on {record['date']} in {record['seconds']:,.0f} s."
    if settings.features:
        yield f"Features: {', '.join(f'`{Path(name).stem}`' for name in settings.features)}."
    if "command" in record:
        yield "`settings.json` has all settings, `manifest.json` the checksums of the files. Made by:"
        yield f"    {record['command']}"
    libraries = ", ".join(f"{name} {version}" for name, version in record["libraries"].items())
    yield f"With {libraries}."


def describe_data(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the sizes of the corpora, and a table of their spans by type."""
    yield "## Data"
    lines = [f"- {name}: {describe_sizes(corpus)}" for name, corpus in record["corpora"].items()]
    for name, source in record.get("sources", {}).items():
        lines.append(f"- of train, {name}: {source['notes']:,} notes; fingerprint `{source['fingerprint']}`")
    yield "\n".join(lines)
    names = list(record["corpora"])
    types = sorted({type for corpus in record["corpora"].values() for type in corpus["types"]})
    lines = [f"| type | {' | '.join(names)} |", f"|---|{'---:|' * len(names)}"]
    for type in types:
        cells = (f"{record['corpora'][name]['types'].get(type, 0):,}" for name in names)
        lines.append(f"| {type} | {' | '.join(cells)} |")
    yield "\n".join(lines)


def describe_sizes(corpus: Mapping[str, Any]) -> str:
    sizes = f"{corpus['notes']:,} notes of {corpus['patients']:,} patients, {corpus['spans']:,} spans"
    return sizes + (f"; fingerprint `{corpus['fingerprint']}`" if "fingerprint" in corpus else "")


def describe_scores(scored: Evaluation | None) -> Iterator[str]:
    """Yield strict P, R and F1 by type with intervals and their signature, and how many spans are whole."""
    yield "## Scores"
    if scored is None:
        yield "The model was not scored: no test corpus was given."
        return
    covered = scored.leakage.figures()
    yield "Strict: type and both ends are right; in brackets the 95% interval."
    method = describe_resampling(scored.options, "bootstrap")
    note = scored.signature.text(criterion="strict", average="micro", **method)
    yield type_table.render_markdown(type_table.build_type_tables({"model": scored}, {}), note).rstrip()
    yield "\n".join(f"- {name}: {value:.4f}" for name, value in covered.items())


def describe_limits(
    settings: Config, scheme: Scheme, record: Mapping[str, Any], scored: Evaluation | None
) -> Iterator[str]:
    yield "## Limits"
    seen = record["corpora"].get("train", {"types": {}})["types"]
    lines = [*LIMITS, SHARED.format(settings.min_patients) if settings.min_patients else PRIVATE]
    if unseen := [type for type in scheme.types if type not in seen]:
        lines.append(f"Never seen in training, so not found: {', '.join(unseen)}.")
    tested = record["corpora"].get("test", {"types": {}})["types"]
    if scored and (few := [type for type, count in tested.items() if count < FEW]):
        lines.append(f"Fewer than {FEW} spans in the test, so little is known: {', '.join(few)}.")
    yield "\n".join(f"- {line}" for line in lines)


def find_command(verb: str, arguments: Sequence[str]) -> list[str]:
    """Return the command line that repeats a run, from the folder in which it ran."""
    return ["python", "-m", f"crfdeid.{verb}", *map(os.fspath, arguments)]
