"""Feature groups of a run: which, with what window, and without which observations.

The range ``[-2..2]`` in a template file stands for the window, He et al.'s two tokens to either
side. A run's ``window = N`` writes every ``name[-2..2]`` of its groups as ``name[-N..N]``; other
ranges, single offsets and joined templates stay as they are, for they are the group's own.
``without_observations`` leaves out every template in which one of the observations occurs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from crfdeid import gazetteer, templates
from crfdeid.experiment import Experiment
from crfdeid.faults import ConfigurationFault, Fault, TemplateFault, near
from crfdeid.files import read_text
from crfdeid.model_folder import needs_pos
from crfdeid.templates import Extractor

WINDOW = "[-2..2]"


def changed(
    features: Sequence[str], without: Sequence[str], added: Sequence[str], where: str
) -> tuple[str, ...]:
    """The groups less those of ``without`` and with ``added`` after them. A change that would
    change nothing is refused.

    >>> changed(["lexical", "form"], ["form"], ["names"], "a run")
    ('lexical', 'names')
    """
    for group in without:
        if group not in features:
            raise ConfigurationFault(f"{where}: without {group}: no run has it{near(group, features)}")
    for group in added:
        if group in features:
            raise ConfigurationFault(f"{where}: with {group}: the base has it already")
    return (*(group for group in features if group not in without), *added)


def windows(features: Sequence[str], wanted: Any, where: str) -> dict[str, int]:
    """The window of each group that changes: all that have one, or those that are named."""
    if wanted is None:
        return {}
    with located(where):
        able = [group for group in features if WINDOW in text(group)]
    found = wanted if isinstance(wanted, dict) else dict.fromkeys(able, wanted)
    for group, size in found.items():
        if type(size) is not int or size < 0:
            raise ConfigurationFault(f"{where}: window = {size!r}: wanted a number of tokens")
        if group not in able:
            raise ConfigurationFault(
                f"{where}: window.{group}: no such group with {WINDOW}{near(group, able)}"
            )
    if not found:
        raise ConfigurationFault(f"{where}: window: no group of the run has {WINDOW}")
    return dict(found)


def text(group: str) -> str:
    return read_text(templates.find(group))


def widened(text: str, size: int) -> str:
    """
    >>> widened("lower[-2..2] shape[-1..1]", 3), widened("lower[-2..2]", 0)
    ('lower[-3..3] shape[-1..1]', 'lower[0]')
    """
    return text.replace(WINDOW, f"[-{size}..{size}]" if size else "[0]")


def observed(features: Sequence[str]) -> set[str]:
    """The observations that the groups name."""
    found = (template for group in features for template in templates.read(templates.find(group)))
    return {name for template in found for name, _ in template}


def less(text: str, names: Collection[str]) -> str:
    """A template file's text without its comments and the templates that name one of ``names``.

    >>> less("lower[0] pos[-1..1]  # why\\nlower[0]|pos[0] shape[0]", {"pos"})
    'lower[0]\\nshape[0]'
    """
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    kept = (
        [part for part in line if not names & {n for t in templates.parse(part) for n, _ in t}]
        for line in lines
    )
    return "\n".join(" ".join(line) for line in kept if line)


def rewritten(
    features: Sequence[str], window: Mapping[str, int], without: Sequence[str], where: str
) -> dict[str, str]:
    """The template files that differ from the groups' own, by group; empty where nothing of a
    group is left. Raises :class:`ConfigurationFault` on an observation that no group names."""
    if without:
        known = observed(features)
        for name in without:
            if name not in known:
                raise ConfigurationFault(
                    f"{where}: without_observations {name}: no group names it{near(name, known)}"
                )
    found = {}
    for group in features:
        with located(where):
            own = text(group)
        wide = widened(own, window[group]) if group in window else own
        kept = less(wide, set(without)) if without and observed([group]) & set(without) else wide
        if kept != own:
            found[group] = kept
    return found


def check(settings: Experiment, where: str) -> None:
    """Raise :class:`ConfigurationFault` or :class:`TemplateFault` where a group, an observation
    or a list does not exist, without reading the lists."""
    with located(where):
        found = [t for group in settings.features for t in templates.read(templates.find(group))]
        names = templates.gazetteers_named(found)
        for name in names:
            if not name.startswith(gazetteer.TRAINING):
                gazetteer.find(name)
        empty = {name: gazetteer.made(name, []) for name in names}
        needs_pos(settings, found)
        Extractor(found, templates.lexical(empty), templates.contextual(empty, list))


@contextmanager
def located(where: str) -> Iterator[None]:
    """Faults from inside say where."""
    try:
        yield
    except TemplateFault as fault:
        raise TemplateFault(f"{where}: {fault}") from None
    except Fault as fault:
        raise ConfigurationFault(f"{where}: {fault}") from None
