"""Feature groups of a run: which, and with what window.

The range ``[-2..2]`` in a template file stands for the window, He et al.'s two tokens to either
side. A run's ``window = N`` writes every ``name[-2..2]`` of its groups as ``name[-N..N]``; other
ranges, single offsets and joined templates stay as they are, for they are the group's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    for key, wanted in (("without", without), ("with", added)):
        if not isinstance(wanted, list) or not all(isinstance(group, str) for group in wanted):
            raise ConfigurationFault(f"{where}: {key} = {wanted!r}: wanted a list of feature groups")
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


def texts(features: Sequence[str], window: Mapping[str, int]) -> dict[str, str]:
    """The template file of each group as the run reads it."""
    return {g: widened(text(g), window[g]) if g in window else text(g) for g in features}


def check(settings: Experiment, where: str) -> None:
    """Raise :class:`ConfigurationFault` or :class:`TemplateFault` where a group, an observation
    or a list does not exist, without reading the lists."""
    try:
        found = [t for group in settings.features for t in templates.read(templates.find(group))]
        names = templates.gazetteers_named(found)
        for name in names:
            if not name.startswith(gazetteer.TRAINING):
                gazetteer.find(name)
        empty = {name: gazetteer.made(name, []) for name in names}
        needs_pos(settings, found)
        Extractor(found, templates.lexical(empty), templates.contextual(empty, list))
    except (ConfigurationFault, TemplateFault) as fault:
        raise type(fault)(f"{where}: {fault}") from None
    except Fault as fault:
        raise ConfigurationFault(f"{where}: {fault}") from None
