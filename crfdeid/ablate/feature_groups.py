"""Feature groups of a run: which, with what window, and without which observations.

The range ``[-2..2]`` in a template file stands for the window, He et al.'s two tokens to either
side. A run's ``window = N`` writes every ``name[-2..2]`` of its groups as ``name[-N..N]``; other
ranges, single offsets and joined templates stay as they are, for they are the group's own.
``without_templates`` leaves out templates, named as their features are (``lower[-1]|lower[0]``), or
all that an observation occurs in (``lower``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from crfdeid.config import Config
from crfdeid.errors import ConfigurationError, CrfdeidError, TemplateError, did_you_mean
from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction.templates import Extractor, Template
from crfdeid.files import read_text
from crfdeid.systems.model_folder import needs_pos
from crfdeid.text import gazetteer

WINDOW = "[-2..2]"


def change_groups(
    features: Sequence[str], without: Sequence[str], added: Sequence[str], where: str
) -> tuple[str, ...]:
    """The groups less those of ``without`` and with ``added`` after them. A change that would
    change nothing is refused.

    >>> change_groups(["lexical", "form"], ["form"], ["names"], "a run")
    ('lexical', 'names')
    """
    for group in without:
        if group not in features:
            raise ConfigurationError(
                f"{where}: without {group}: no run has it{did_you_mean(group, features)}"
            )
    for group in added:
        if group in features:
            raise ConfigurationError(f"{where}: with {group}: the base has it already")
    return (*(group for group in features if group not in without), *added)


def read_windows(features: Sequence[str], wanted: Any, where: str) -> dict[str, int]:
    """The window of each group that changes: all that have one, or those that are named."""
    if wanted is None:
        return {}
    with prefix_errors(where):
        able = [group for group in features if WINDOW in read_group(group)]
    found = wanted if isinstance(wanted, dict) else dict.fromkeys(able, wanted)
    for group, size in found.items():
        if type(size) is not int or size < 0:
            raise ConfigurationError(f"{where}: window = {size!r}: wanted a number of tokens")
        if group not in able:
            raise ConfigurationError(
                f"{where}: window.{group}: no such group with {WINDOW}{did_you_mean(group, able)}"
            )
    if not found:
        raise ConfigurationError(f"{where}: window: no group of the run has {WINDOW}")
    return dict(found)


def read_group(group: str) -> str:
    return read_text(templates.find(group))


def set_window(text: str, size: int) -> str:
    """
    >>> set_window("lower[-2..2] shape[-1..1]", 3), set_window("lower[-2..2]", 0)
    ('lower[-3..3] shape[-1..1]', 'lower[0]')
    """
    return text.replace(WINDOW, f"[-{size}..{size}]" if size else "[0]")


def list_observations(features: Sequence[str]) -> set[str]:
    """The observations that the groups name."""
    files = (templates.read(templates.find(group)) for group in features)
    return {name for file in files for template in file for name, _ in template}


def drop_templates(found: Iterable[Template], names: Collection[str]) -> list[Template]:
    """The templates but those that ``names`` leave out.

    >>> drop_templates([(("lower", 0),), (("lower", 1),), (("pos", 0), ("lower", 0))], {"pos", "lower[1]"})
    [(('lower', 0),)]
    """
    return [template for template in found if not template_names(template) & set(names)]


def template_names(template: Template) -> set[str]:
    """The names by which a template can be left out."""
    return {templates.title(template), *(name for name, _ in template)}


def rewrite_groups(
    features: Sequence[str], window: Mapping[str, int], without: Sequence[str], where: str
) -> dict[str, str]:
    """The template files that differ from the groups' own, by group; empty where nothing of a
    group is left. Raises :class:`ConfigurationError` on a template that no group has."""
    with prefix_errors(where):
        files = {group: templates.read(templates.find(group)) for group in features}
    known = {title for file in files.values() for template in file for title in template_names(template)}
    for name in without:
        if name not in known:
            raise ConfigurationError(
                f"{where}: without_templates {name}: no group has it{did_you_mean(name, known)}"
            )
    found = {group: set_window(read_group(group), size) for group, size in window.items()}
    for group in features if without else ():
        file = [t for part in split_words(found.get(group, read_group(group))) for t in templates.parse(part)]
        if len(kept := drop_templates(file, without)) < len(file):
            found[group] = "".join(f"{templates.title(template)}\n" for template in kept)
    return found


def split_words(text: str) -> Iterator[str]:
    """The words of a template file that are no comments."""
    for line in text.splitlines():
        yield from line.partition("#")[0].split()


def check_groups(settings: Config, where: str) -> None:
    """Raise :class:`ConfigurationError` or :class:`TemplateError` where a group, an observation
    or a list does not exist, without reading the lists."""
    with prefix_errors(where):
        found = [t for group in settings.features for t in templates.read(templates.find(group))]
        names = templates.gazetteers_named(found)
        for name in names:
            if not name.startswith(gazetteer.TRAINING):
                gazetteer.find(name)
        empty = {name: gazetteer.made(name, []) for name in names}
        needs_pos(settings, found)
        pos = list if settings.pos else None
        Extractor(found, templates.lexical(empty), templates.contextual(empty, pos))


@contextmanager
def prefix_errors(where: str) -> Iterator[None]:
    """Faults from inside say where."""
    try:
        yield
    except TemplateError as fault:
        raise TemplateError(f"{where}: {fault}") from None
    except CrfdeidError as fault:
        raise ConfigurationError(f"{where}: {fault}") from None
