"""The systems by name: what ``system = "..."`` in a configuration can be, and the checks of a configuration
that depend on its system.

The module of a system makes its record, a :class:`System`, and imports torch, which takes
seconds, only where it uses it. It is imported when its system is first asked for. Other packages add a
record by an entry point (:mod:`crfdeid.plugins`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast

from crfdeid import config, files, plugins
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.systems.tagger import ModelFolder, Tagger
from crfdeid.text.document import Document
from crfdeid.text.scheme import read_scheme

O = TypeVar("O")  # noqa: E741
LINE_SEARCHES = ("MoreThuente", "Backtracking", "StrongBacktracking")  # of CRFsuite's lbfgs
LARGEST = 2**31 - 1  # of CRFsuite's whole numbers
CRF_BOUNDS = {("lbfgs", "period"): (0, LARGEST), ("pa", "type"): (0, 2)}  # whole numbers that may be 0


@dataclass(frozen=True)
class Training:
    """The material that a system learns from. ``model`` is the folder where it leaves its own files;
    ``on_iteration`` receives the number and the loss of each iteration; ``start`` is the folder of a model
    to continue from."""

    model: ModelFolder
    documents: Sequence[Document]
    on_iteration: Callable[[int, float], None] = lambda number, loss: None
    engine: str = "fast"
    start: Path | None = None


WEIGHTS, TREES, SECOND, LINEAR = "weights", "weights and trees", "weights of the second", "linear weights"
CANDIDATES, WORDS, NETWORK = "candidates", "words", "network"
OF_TOKENS = ("recall_bias", "repair")  # what systems without probabilities read only when they tag


@dataclass(frozen=True)
class System:
    """One way to find PHI. ``options`` is a frozen dataclass of its own settings, the configuration's table
    ``[options]``; ``train`` leaves its files in the model's folder; ``load`` makes a tagger of them, and so
    do ``other_engines``, by name. ``check`` raises :class:`ConfigurationError` on settings that only this
    system refuses; ``check_installed`` where a package is missing that training needs, which ``extra`` (one
    of this package's) installs. ``count_rounds`` says how often training goes through ``max_iterations``, 0
    where it does not say.

    A system that is not trained can be used by its name. ``settings`` are the settings that it reads and not
    every system does: ``type_bias``, ``recall_bias``, ``min_patients`` (it keeps words of fewer patients
    nowhere). ``decoding`` are the settings that it reads only when it tags, so that models that differ in
    nothing else share one training (stacks read them in training too). ``explained_by`` is what explains its
    labels (:mod:`crfdeid.explain`): one of the constants above, or nothing."""

    options: type[Any]
    train: Callable[[Training], None]
    load: Callable[[ModelFolder], Tagger]
    other_engines: Mapping[str, Callable[[ModelFolder], Tagger]] = field(default_factory=dict)
    can_resume: bool = False
    check: Callable[[Config], None] = lambda settings: None
    check_installed: Callable[[Config], None] = lambda settings: None
    count_rounds: Callable[[Config], int] = lambda settings: 0
    needs_features: bool = True
    is_trained: bool = True
    extra: str = ""
    settings: tuple[str, ...] = ()
    decoding: tuple[str, ...] = ()
    explained_by: str = ""


SYSTEMS = {  # each as an entry point names it
    "crf": "crfdeid.systems.crf:SYSTEM",
    "judged": "crfdeid.systems.judged.training:SYSTEM",
    "svm": "crfdeid.systems.works.svm:SYSTEM",
    "two_stage": "crfdeid.systems.works.two_stage:SYSTEM",
    "multi": "crfdeid.systems.works.multi:SYSTEM",
    "rescored": "crfdeid.systems.judged.rescored:SYSTEM",
    "hmm": "crfdeid.systems.works.hmm:SYSTEM",
    "snow": "crfdeid.systems.works.snow:SYSTEM",
    "rules": "crfdeid.systems.rule_based:RULES_SYSTEM",
    "sure_rules": "crfdeid.systems.rule_based:SURE_RULES_SYSTEM",
    "heuristic": "crfdeid.systems.rule_based:HEURISTIC_SYSTEM",
    "rnn": "crfdeid.systems.works.rnn:SYSTEM",
    "transformer": "crfdeid.systems.transformer.transformer:SYSTEM",
}


def find_system(name: str) -> System:
    """Import a system, ours or of another package. Raises :class:`ConfigurationError` where there is none of
    that name."""
    if name in SYSTEMS:
        module, _, record = SYSTEMS[name].partition(":")
        found: System = getattr(import_module(module), record)
        return found
    others = plugins.find_plugins(plugins.SYSTEMS)
    if name not in others:
        raise ConfigurationError(
            f"system = {name!r}: no such system{did_you_mean(name, [*SYSTEMS, *others])}"
        )
    return plugins.load_plugin(plugins.SYSTEMS, name, System)


def find_module(name: str) -> str:
    """Return the name of the module that makes a system's record, ours or of another package."""
    others = {} if name in SYSTEMS else plugins.find_plugins(plugins.SYSTEMS)
    return (SYSTEMS[name] if name in SYSTEMS else others[name].value).partition(":")[0]


def list_readers(setting: str) -> list[str]:
    """Return the names of our systems that read a setting."""
    return [name for name in SYSTEMS if setting in find_system(name).settings]


def is_untrained(name: str) -> bool:
    """Whether this is the name of a system that learns nothing. Other packages are asked last, because to
    look for them takes 20 ms; none of them has the name of a shipped model."""
    if (files.find_folder("models") / name).is_dir():
        return False
    known = name in SYSTEMS or name in plugins.find_plugins(plugins.SYSTEMS)
    return known and not find_system(name).is_trained


def read_options(kind: type[O], settings: Config) -> O:
    """Make a system's ``Options`` of the configuration's table. Raises :class:`ConfigurationError` on an
    unknown option or a value that the system refuses."""
    known = [f.name for f in fields(cast(Any, kind))]
    for key in settings.options:
        if key not in known:
            near = did_you_mean(key, known)
            raise ConfigurationError(f"options.{key}: no option of the system {settings.system}{near}")
    table = {key: tuple(v) if isinstance(v, list) else v for key, v in settings.options.items()}
    try:
        return kind(**table)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"options of the system {settings.system}: {error}") from None


def check(settings: Config) -> None:
    """Raise :class:`ConfigurationError` where the system does not exist or cannot use these settings."""
    check_crf(settings.algorithm, settings.crf)
    system = find_system(settings.system)
    read_options(system.options, settings)
    system.check(settings)
    if not settings.features and system.needs_features:
        raise ConfigurationError("features is not set")
    if settings.decode == "risk" or settings.span_mark == "last" or settings.span_threshold:
        from crfdeid.systems.threshold import check_decode

        check_decode(settings)
    if settings.type_bias:
        check_type_bias(settings)
    if settings.min_patients:
        check_min_patients(settings)


def check_min_patients(settings: Config) -> None:
    """Raise :class:`ConfigurationError` where ``min_patients`` is negative, or the system would keep words
    of fewer patients."""
    if settings.min_patients < 0:
        raise ConfigurationError(f"min_patients = {settings.min_patients}: wanted 0 or more")
    if "min_patients" not in find_system(settings.system).settings:
        able = ", ".join(list_readers("min_patients"))
        raise ConfigurationError(
            f"min_patients: the system {settings.system} does not have it; wanted {able}"
        )


def check_type_bias(settings: Config) -> None:
    """Raise :class:`ConfigurationError` where the system does not read ``type_bias``, or where it names a
    type that neither the scheme nor the default one has (a configuration may change only the scheme)."""
    if "type_bias" not in find_system(settings.system).settings:
        raise ConfigurationError(f"type_bias: the system {settings.system} does not have this setting")
    types = {*read_scheme(settings.scheme).types, *read_scheme().types}
    for type in settings.type_bias:
        if type not in types:
            wanted = f"no type of scheme {settings.scheme}{did_you_mean(type, sorted(types))}"
            raise ConfigurationError(f"type_bias.{type}: {wanted}")


def check_crf(algorithm: str, settings: dict[str, Any]) -> None:
    """Raise :class:`ConfigurationError` on a setting that CRFsuite's algorithm does not have, or on a value
    that it cannot train with (some end its process)."""
    import pycrfsuite

    usual = pycrfsuite.Trainer(algorithm=algorithm, verbose=False).get_params()
    for name, value in settings.items():
        if name not in usual:
            raise ConfigurationError(f"crf.{name}: no setting of {algorithm}{did_you_mean(name, usual)}")
        bounds = CRF_BOUNDS.get((algorithm, name), (1, LARGEST))
        if wanted := find_crf_mistake(value, usual[name], bounds):
            raise ConfigurationError(f"crf.{name} = {value!r}: wanted {wanted}")


def find_crf_mistake(value: object, usual: object, bounds: tuple[int, int]) -> str:
    """The wanted values in place of the value of a setting of CRFsuite, whose default is ``usual``; empty
    where nothing is wrong. ``bounds`` are for whole numbers.

    >>> find_crf_mistake(-0.5, 1.0, (1, 9)), find_crf_mistake(0, 6, (1, 9)), find_crf_mistake(2, 1.0, (1, 9))
    ('a number of 0 or more', 'a whole number from 1 to 9', '')
    """
    if isinstance(usual, bool):
        return "" if value in (False, True) else "true or false"
    if isinstance(usual, str):
        return "" if value in LINE_SEARCHES else f"one of {', '.join(LINE_SEARCHES)}"
    if isinstance(usual, int):
        least, most = bounds
        is_good = type(value) is int and least <= value <= most
        return "" if is_good else f"a whole number from {least} to {most}"
    is_good = type(value) in (int, float) and 0 <= cast(float, value) < math.inf
    return "" if is_good else "a number of 0 or more"


def build_config(table: dict[str, Any], where: str) -> Config:
    """As :func:`crfdeid.config.build`, and check the system's settings too."""
    return _checked(config.build(table, where), where)


def read_config(name: str | Path = config.DEFAULT, **changes: Any) -> Config:
    """As :func:`crfdeid.config.read`, and check the system's settings too."""
    return _checked(config.read(name, **changes), str(config.find(name)))


def apply_changes(settings: Config, changes: Iterable[str]) -> Config:
    """As :func:`crfdeid.config.apply_changes`, and check the system's settings too."""
    return _checked(config.apply_changes(settings, changes), "--set")


def _checked(settings: Config, where: str) -> Config:
    try:
        check(settings)
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {error}") from None
    return settings
