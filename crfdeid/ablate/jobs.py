"""The trainings of a plan: corpora, settings, and the fingerprint that says whether one is done.

The fingerprint has the checksums of the code that a training runs: when the code changes, a finished run is
trained again. The search starts at ``crfdeid.systems.model`` and at the run's system. It follows every
import, also inside functions, and every string that is the name of a module, such as
``"crfdeid.systems.crf"``. A module counts together with the packages around it. Two modules name more than a
run uses: the face ``crfdeid`` names every room and is not followed; the registry names every system, and its
strings are not followed. A system that can be made of other systems counts all of them.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

from crfdeid import __version__, files
from crfdeid.ablate.plan import Plan, folds_title
from crfdeid.ablate.run import Run
from crfdeid.config import Config
from crfdeid.corpora import folds
from crfdeid.corpora.folds import Part
from crfdeid.errors import ConfigurationError, CrfdeidError, SchemeError, did_you_mean
from crfdeid.feature_extraction import link_bigrams, templates
from crfdeid.systems import extras, registry
from crfdeid.systems.model_folder import MANIFEST, find_list, hash_file
from crfdeid.text import bio, gazetteer, scheme
from crfdeid.text.document import drop_doubled
from crfdeid.text.scheme import read_scheme

ROOT = "crfdeid.systems.model"
FACE = "crfdeid"
REGISTRY = "crfdeid.systems.registry"

RESULT = "run.json"
MODEL = "model"


@dataclass(frozen=True)
class Job:
    """One training. ``templates`` maps a group to the text of its template file where the run changes it;
    ``folder`` is the folder of the result. ``trained`` is the folder of another job whose model serves, where
    the two differ only in how they tag."""

    title: str
    folder: Path
    config: Config
    templates: Mapping[str, str] = field(repr=False)
    train: Part = field(repr=False)
    test: Part = field(repr=False)
    trained: Path | None = None

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of everything that the result depends on."""
        return hash_table(self._parts | {"test": self.test.fingerprint})

    @cached_property
    def model_fingerprint(self) -> str:
        """SHA-256 of everything that the model depends on, beside the settings of tagging. Raises
        :class:`ConfigurationError` where a file of the run is missing."""
        try:
            parts = self._parts
        except CrfdeidError as error:
            raise ConfigurationError(f"run {self.title}: {error}") from None
        decoding = registry.find_system(self.config.system).decoding
        settings = {key: value for key, value in parts["settings"].items() if key not in decoding}
        return hash_table(parts | {"settings": settings})

    @cached_property
    def _parts(self) -> dict[str, Any]:
        return {
            "version": __version__,
            "code": dict(hash_modules(self.config.system)),
            "settings": self.config.to_table(),
            "files": hash_files(self.config),
            "rewritten": dict(self.templates),
            "train": self.train.fingerprint,
        }

    @property
    def has_model(self) -> bool:
        """Whether the folder has the model of this job."""
        return self.is_done() and (self.folder / MODEL / MANIFEST).is_file()

    def is_done(self) -> bool:
        """Whether the folder holds the result of exactly this job."""
        try:
            table = json.loads((self.folder / RESULT).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return isinstance(table, dict) and table.get("fingerprint") == self.fingerprint


def share_trainings(left: Sequence[Job], every: Sequence[Job]) -> list[list[Job]]:
    """Return the jobs ``left`` in two lists: those that train, and those that use the model of a job of
    ``every`` that is done, or that trains first."""
    owners = {job.model_fingerprint: job for job in reversed(every) if job not in left and job.has_model}
    first, later = [], []
    for job in left:
        if (owner := owners.setdefault(job.model_fingerprint, job)) is job:
            first.append(job)
        else:
            later.append(replace(job, trained=owner.folder))
    return [first, later]


def hash_table(table: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()


def hash_files(config: Config) -> dict[str, str]:
    """Return the SHA-256 of the scheme, the templates and the gazetteers that the templates name. A system
    other than the CRF may read more, so all files that ship count."""
    paths = [templates.find_group(group) for group in config.features]
    found = [template for path in paths for template in templates.read_templates(path)]
    names = [n for n in templates.list_gazetteers(found) if not n.startswith(gazetteer.TRAINING)]
    names += [name for source in config.training_gazetteers for name in source.split("+")[1:]]
    lists = [find_list(name, config) for name in names]
    paths += [*lists, *(path.with_name(path.stem + ".exclude.txt") for path in lists)]
    paths.append(files.find_file("configs/schemes", config.scheme, ".toml"))
    paths += [scheme.find_map(config.types)] if config.types else []
    if config.system != "crf":
        for folder, pattern in (("gazetteers", "*.txt"), ("features", "*.template"), ("configs", "*.toml")):
            paths += files.find_folder(folder).glob(pattern)
    hashes = {path.name: hash_version(path) for path in sorted(set(paths)) if path.is_file()}
    return hashes | {str(path): hash_file(path) for path in list_sources(config)}


def hash_version(path: Path) -> str:
    """Return the SHA-256 of a file. One that did not change since another job is not read again."""
    status = path.stat()
    return _hash_once(path, status.st_size, status.st_mtime_ns)


@cache
def _hash_once(path: Path, size: int, changed: int) -> str:
    return hash_file(path)


def list_sources(config: Config) -> list[Path]:
    """Return the files of the user that a network learns its word vectors from."""
    named = [Path(path) for key in ("vectors", "text") if (path := config.options.get(key))]
    return [file for path in named for file in (path, *sorted(path.rglob("*"))) if file.is_file()]


@dataclass(frozen=True)
class Row:
    """One row of the table: a run and its trainings, in cross-validation one for each fold."""

    title: str
    run: Run
    jobs: tuple[Job, ...]
    cross_validated: bool = False


def build_rows(plan: Plan, corpora: Mapping[str, Part], out: Path) -> list[Row]:
    """Return the rows in the order of the table. A run is scored on its test corpus where there is one, and
    in cross-validation of its training corpus where the plan wants that. A run on a sample that is not
    smaller than its corpus is left out. Raises :class:`ConfigurationError` where a corpus is missing."""
    rows: list[Row] = []
    for run in plan.runs:
        check_programs(run)
        train = folds.join_parts([find_corpus(name, run, corpora) for name in run.train])
        train = map_part(train, run)
        check_overlaps(train, run)
        if run.documents >= len(train.documents):
            continue
        if run.documents:
            seed = plan.sample_seed if run.seed is None else run.seed
            train = folds.draw_patients(train, run.documents, seed)
        test = corpora.get(run.test) if plan.fold_count else find_corpus(run.test, run, corpora)
        if test:
            test = map_part(test, run)
            rows.append(Row(run.name, run, (build_job(run, run.name, out / run.folder, train, test),)))
        if plan.fold_count:
            title = folds_title(run.name, plan.fold_count)
            seed = plan.fold_seed if run.seed is None else run.seed
            parts = folds.make_folds(train, plan.fold_count, seed)
            rows.append(
                Row(title, run, tuple(build_fold_jobs(run, parts, out / f"{run.folder}-folds")), True)
            )
    return rows


def map_part(part: Part, run: Run) -> Part:
    """Return the documents with the run's types. Raises :class:`SchemeError` before any training on a type
    that has none, or that the run's scheme does not have."""
    try:
        documents = tuple(run.config.map_types(part.documents))
        read_scheme(run.config.scheme).check(documents)
    except SchemeError as error:
        raise SchemeError(f"run {run.name}: {error}") from None
    return Part(part.name, documents) if run.config.types else part


def check_overlaps(part: Part, run: Run) -> None:
    """Raise :class:`DocumentError` before any training where the run would refuse spans that overlap."""
    if run.config.overlaps == "refuse" and registry.find_system(run.config.system).is_trained:
        for document in part.documents:
            bio.refuse_overlaps(document.with_spans(drop_doubled(document.spans)))


def check_programs(run: Run) -> None:
    """Raise :class:`ConfigurationError` before any training where a run needs the link grammar parser, or
    packages of its system, and they are not installed."""
    try:
        extras.check_installed(run.config)
    except ConfigurationError as error:
        raise ConfigurationError(f"run {run.name}: {error}") from None
    if extras.has_links(run.config):
        link_bigrams.read_version()


def find_corpus(name: str, run: Run, corpora: Mapping[str, Part]) -> Part:
    if name in corpora:
        return corpora[name]
    how = "TEST" if name == "test" else f"--corpus {name}=PATH"
    raise ConfigurationError(f"run {run.name}: wants the corpus {name}: {how}{did_you_mean(name, corpora)}")


def build_fold_jobs(run: Run, parts: list[tuple[Part, Part]], folder: Path) -> Iterator[Job]:
    for number, (train, test) in enumerate(parts, 1):
        yield build_job(run, f"{run.name}, fold {number}", folder / str(number), train, test)


def build_job(run: Run, title: str, folder: Path, train: Part, test: Part) -> Job:
    return Job(title, folder, run.config, run.templates, train, test)


@cache
def hash_modules(system: str) -> Mapping[str, str]:
    """Return the SHA-256 of each module that a training of ``system`` may run, by module name."""
    chosen = {"crf"} if system == "crf" else {*registry.SYSTEMS, system}
    own = [registry.find_module(name) for name in sorted(chosen)]
    found: dict[str, str] = {}
    waiting = [ROOT, *own]
    while waiting:
        path = find_source(name := waiting.pop())
        if path and name not in found:
            code = path.read_bytes()
            found[name] = hashlib.sha256(code).hexdigest()
            waiting += [] if name == FACE else find_names(code, strings=name != REGISTRY)
            waiting += list_packages(name)
    return dict(sorted(found.items()))


def find_source(name: str) -> Path | None:
    """Return the file of a module of this package, or ``None`` if the name is not a module's."""
    path = files.PACKAGE.parent.joinpath(*name.split("."))
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in candidates if file.is_file()), None)


@cache
def find_names(code: bytes, strings: bool = True) -> tuple[str, ...]:
    """Return the names in a module's code that may be modules of this package.

    >>> find_names(b"import os\\nfrom crfdeid import cli\\nload('crfdeid.text.bio')")
    ('crfdeid', 'crfdeid.cli', 'crfdeid.text.bio')
    """
    names: list[object] = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom):
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.Constant) and strings:
            names.append(node.value)
    return tuple(name for name in names if isinstance(name, str) and is_ours(name))


def list_packages(name: str) -> list[str]:
    """
    >>> list_packages("crfdeid.text.bio")
    ['crfdeid', 'crfdeid.text']
    """
    return list(accumulate(name.split(".")[:-1], "{}.{}".format))


def is_ours(name: str) -> bool:
    return name == FACE or name.startswith(f"{FACE}.")
