"""Trainings: what is trained on what, with the fingerprint that tells whether it is done."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from crfdeid import __version__, resources
from crfdeid.ablate import code_fingerprint, feature_groups
from crfdeid.ablate.plan import Plan, folds_title
from crfdeid.ablate.run import Run
from crfdeid.config import Config
from crfdeid.corpora import folds
from crfdeid.corpora.folds import Part
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.feature_extraction import link_parser, templates
from crfdeid.systems.model_folder import sha256
from crfdeid.text import gazetteer

RESULT = "run.json"


@dataclass(frozen=True)
class Job:
    """``templates`` are those groups' template files, by name, that the run rewrites;
    ``folder`` is where the result goes."""

    title: str
    folder: Path
    settings: Config
    templates: Mapping[str, str] = field(repr=False)
    train: Part = field(repr=False)
    test: Part = field(repr=False)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of all that the result depends on."""
        made_of = {
            "version": __version__,
            "code": dict(code_fingerprint.hash_modules(self.settings.system)),
            "settings": self.settings.table(),
            "files": hash_files(self.settings),
            "rewritten": dict(self.templates),
            "train": self.train.fingerprint,
            "test": self.test.fingerprint,
        }
        return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()

    def is_done(self) -> bool:
        """Whether the folder holds the result of just this job."""
        try:
            table = json.loads((self.folder / RESULT).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return isinstance(table, dict) and table.get("fingerprint") == self.fingerprint


def hash_files(settings: Config) -> dict[str, str]:
    """The checksums of scheme, templates, and the lists that they name; of all that
    ships for a system other than the CRF, which may read more."""
    paths = [templates.find(group) for group in settings.features]
    found = [template for path in paths for template in templates.read(path)]
    names = [n for n in templates.gazetteers_named(found) if not n.startswith(gazetteer.TRAINING)]
    lists = [gazetteer.find(name) for name in names]
    paths += [*lists, *(path.with_name(path.stem + ".exclude.txt") for path in lists)]
    paths.append(resources.find_file("configs/schemes", settings.scheme, ".toml"))
    if settings.system != "crf":
        for folder, pattern in (("gazetteers", "*.txt"), ("features", "*.template"), ("configs", "*.toml")):
            paths += resources.find_folder(folder).glob(pattern)
    return {path.name: sha256(path) for path in sorted(set(paths)) if path.is_file()}


@dataclass(frozen=True)
class Row:
    """One row of the table to be: a run and its trainings, several in cross-validation."""

    title: str
    run: Run
    jobs: tuple[Job, ...]
    folded: bool = False


def build_rows(plan: Plan, corpora: Mapping[str, Part], out: Path) -> list[Row]:
    """The rows in the table's order: each run on its test corpus, where there is one, and in
    cross-validation of its training corpus, where the plan wants that. A run on as many documents
    as its corpus has, or more, is left out. Raises :class:`ConfigurationError` on a corpus that
    is wanted and not given."""
    found: list[Row] = []
    for run in plan.runs:
        check_programs(run)
        train = folds.join_parts([find_corpus(name, run, corpora) for name in run.train])
        if run.documents >= len(train.documents):
            continue
        if run.documents:
            train = folds.draw_sample(train, run.documents, plan.sample_seed)
        test = corpora.get(run.test) if plan.folds else find_corpus(run.test, run, corpora)
        if test:
            found.append(Row(run.name, run, (build_job(run, run.name, out / run.folder, train, test),)))
        if plan.folds:
            title = folds_title(run.name, plan.folds)
            parts = folds.make_folds(train, plan.folds, plan.folds_seed)
            found.append(
                Row(title, run, tuple(build_fold_jobs(run, parts, out / f"{run.folder}-folds")), True)
            )
    return found


def check_programs(run: Run) -> None:
    """Raise :class:`ConfigurationError` now, and not when hours are gone, where a run needs the
    link grammar parser and there is none."""
    if any(name.startswith("links_") for name in feature_groups.list_observations(run.settings.features)):
        link_parser.version()


def find_corpus(name: str, run: Run, corpora: Mapping[str, Part]) -> Part:
    if name in corpora:
        return corpora[name]
    how = "TEST" if name == "test" else f"--corpus {name}=PATH"
    raise ConfigurationError(f"run {run.name}: wants the corpus {name}: {how}{did_you_mean(name, corpora)}")


def build_fold_jobs(run: Run, parts: list[tuple[Part, Part]], folder: Path) -> Iterator[Job]:
    for number, (train, test) in enumerate(parts, 1):
        yield build_job(run, f"{run.name}, fold {number}", folder / str(number), train, test)


def build_job(run: Run, title: str, folder: Path, train: Part, test: Part) -> Job:
    return Job(title, folder, run.settings, run.templates, train, test)
