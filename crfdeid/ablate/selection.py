"""Rank feature templates on training documents, to keep the best (Tafvizi 2011, section 7.2.4).

    [cross_validation]
    folds = 5
    [selection]
    by = ["gain", "l1", "backward"]
    templates = [5, 10, 20, 40]

``gain`` ranks templates by their net information gain about the type
(:mod:`crfdeid.feature_extraction.information_gain`). ``l1`` fits a linear SVM with an L1 penalty and ranks
them by the sum of the absolute weights of their features, most of which are 0. Both keep the first
``templates``, in each fold by the fold's training documents only. ``backward`` leaves out one feature group
after another (:mod:`crfdeid.ablate.selection_rows`).
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crfdeid.config import Config
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.feature_extraction import information_gain, templates
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.templates import Template, format_template, template_of
from crfdeid.systems import model_folder
from crfdeid.text.document import Document
from crfdeid.text.tokenizer import fold_document

KEYS = ("by", "templates")
BACKWARD = "backward"
COST = 1.0  # C of the SVM with the L1 penalty
LEAST = 2  # times that a feature of it occurs


@dataclass(frozen=True)
class Selection:
    """``by`` are methods by name, ``templates`` the numbers of templates to keep."""

    by: tuple[str, ...]
    templates: tuple[int, ...] = ()


def read_selection(section: Mapping[str, Any], config: Config, has_folds: bool, where: str) -> Selection:
    """Read the table ``[selection]``. Raises :class:`ConfigurationError` where it has another form, or where
    there are no folds, or the base has nothing to choose from."""
    where = f"{where}: selection"
    by, sizes = section.get("by", []), section.get("templates", [])
    if not isinstance(by, list) or not by:
        raise ConfigurationError(f"{where}: by = {by!r}: wanted a list of {', '.join([*RANKINGS, BACKWARD])}")
    for name in by:
        if name not in (known := (*RANKINGS, BACKWARD)):
            raise ConfigurationError(f"{where}: by: no method {name!r}{did_you_mean(str(name), known)}")
    if not isinstance(sizes, list) or any(type(size) is not int or size < 1 for size in sizes):
        raise ConfigurationError(f"{where}: templates = {sizes!r}: wanted numbers of templates")
    if bool(sizes) != bool(set(by) & set(RANKINGS)):
        raise ConfigurationError(f"{where}: templates: wanted with gain and l1, and only with them")
    if not has_folds:
        raise ConfigurationError(f"{where}: wanted [cross_validation] too: features are chosen inside folds")
    if not config.features:
        raise ConfigurationError(f"{where}: the system {config.system} has no feature templates")
    return Selection(tuple(dict.fromkeys(by)), tuple(sorted(set(sizes))))


def rank_by_gain(pipeline: Pipeline, documents: Sequence[Document]) -> list[str]:
    """Return the templates by their net gain about the type, the greatest first."""
    observed = information_gain.observe_corpus(pipeline, documents)
    ranked = information_gain.rank_columns(observed.codes, observed.targets["type"], net=True)
    return [gain.name for gain in ranked]


def rank_by_l1(pipeline: Pipeline, documents: Sequence[Document]) -> list[str]:
    """Return the templates by the sum of their absolute weights in an SVM with an L1 penalty."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    from crfdeid.systems.works.linear import build_matrix

    design = build_matrix(pipeline, map(fold_document, documents), LEAST, boundaries=False)
    machine = LinearSVC(C=COST, penalty="l1", dual=False, fit_intercept=False, random_state=0)
    with warnings.catch_warnings():  # a fit that stops early ranks too
        warnings.simplefilter("ignore", ConvergenceWarning)
        weights = np.abs(machine.fit(design.matrix, design.labels).coef_).sum(axis=0)
    sums = dict.fromkeys(map(format_template, pipeline.extractor.templates), 0.0)
    for feature, weight in zip(design.features, weights.tolist()):
        if (name := template_of(feature)) in sums:  # bias is none
            sums[name] += weight
    return sorted(sums, key=lambda name: (-sums[name], name))


RANKINGS: dict[str, Callable[[Pipeline, Sequence[Document]], list[str]]] = {
    "gain": rank_by_gain,
    "l1": rank_by_l1,
}


def rank_templates(method: str, config: Config, documents: Sequence[Document]) -> list[str]:
    """Return the templates of a configuration by a method of :data:`RANKINGS`, the best first."""
    with tempfile.TemporaryDirectory() as folder:
        pipeline = model_folder.create_folder(Path(folder) / "model", documents, config).pipeline
        return RANKINGS[method](pipeline, documents)


def keep_templates(config: Config, kept: Collection[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the feature groups that have one of the templates ``kept``, and the new text of their files."""
    texts = {}
    for group in config.features:
        own = [format_template(template) for template in templates.read_group(group)]
        if chosen := [name for name in dict.fromkeys(own) if name in kept]:
            texts[group] = "".join(f"{name}\n" for name in chosen)
    return tuple(texts), texts


def list_templates(config: Config, texts: Mapping[str, str]) -> list[str]:
    """Return the templates of a training: those of ``texts`` where a group has one there, each once."""
    found: Iterable[Template] = (
        template
        for group in config.features
        for template in (parse_lines(texts[group]) if group in texts else templates.read_group(group))
    )
    return list(dict.fromkeys(map(format_template, found)))


def parse_lines(text: str) -> list[Template]:
    return [template for line in text.split() for template in templates.parse_templates(line)]
