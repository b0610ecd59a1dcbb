"""The feature groups of a run: which groups, with what window, without which templates.

The range ``[-2..2]`` in a template file is the window: two tokens on either side, as in He et al. 2015.
``window = N`` rewrites every ``name[-2..2]`` in the groups of a run as ``name[-N..N]``. Other ranges, single
offsets and joined templates belong to their group and do not change. ``without_templates`` leaves out a
template by its name (``lower[-1]|lower[0]``), or every template with an observation (``lower``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from crfdeid.config import Config
from crfdeid.errors import ConfigurationError, CrfdeidError, TemplateError, did_you_mean
from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction.pipeline import Extractor, check_pos
from crfdeid.feature_extraction.templates import Template
from crfdeid.files import read_text
from crfdeid.systems.model_folder import find_list
from crfdeid.text import gazetteer
from crfdeid.text.gazetteer import Gazetteer

WINDOW = "[-2..2]"


def change_groups(
    features: Sequence[str], without: Sequence[str], added: Sequence[str], where: str
) -> tuple[str, ...]:
    """Return the groups except those in ``without``, followed by ``added``. Raises
    :class:`ConfigurationError` on a change that changes nothing.

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


def read_windows(features: Sequence[str], window: Any, where: str) -> dict[str, int]:
    """Return the new window of each group that changes. ``window`` is a number for all groups that have a
    window, or a table of groups and numbers."""
    if window is None:
        return {}
    with prefix_errors(where):
        able = [group for group in features if WINDOW in read_group(group)]
    sizes = dict(window) if isinstance(window, dict) else dict.fromkeys(able, window)
    for group, size in sizes.items():
        if type(size) is not int or size < 0:
            raise ConfigurationError(f"{where}: window = {size!r}: wanted a number of tokens")
        if group not in able:
            raise ConfigurationError(
                f"{where}: window.{group}: no such group with {WINDOW}{did_you_mean(group, able)}"
            )
    if not sizes:
        raise ConfigurationError(f"{where}: window: no group of the run has {WINDOW}")
    return sizes


def read_group(group: str) -> str:
    """Return the text of a group's template file."""
    return read_text(templates.find_group(group))


def set_window(text: str, size: int) -> str:
    """Return the text of a template file with another window.

    >>> set_window("lower[-2..2] shape[-1..1]", 3), set_window("lower[-2..2]", 0)
    ('lower[-3..3] shape[-1..1]', 'lower[0]')
    """
    return text.replace(WINDOW, f"[-{size}..{size}]" if size else "[0]")


def drop_templates(kept: Iterable[Template], without: Collection[str]) -> list[Template]:
    """Return the templates that no name in ``without`` leaves out.

    >>> drop_templates([(("lower", 0),), (("lower", 1),), (("pos", 0), ("lower", 0))], {"pos", "lower[1]"})
    [(('lower', 0),)]
    """
    return [template for template in kept if not template_names(template) & set(without)]


def template_names(template: Template) -> set[str]:
    """The names that leave a template out: its own, and its observations'."""
    return {templates.format_template(template), *(name for name, _ in template)}


def rewrite_groups(
    features: Sequence[str], window: Mapping[str, int], without: Sequence[str], where: str
) -> dict[str, str]:
    """Return the new text of each template file that changes, by group; an empty text where no template is
    left. Raises :class:`ConfigurationError` on a name in ``without`` that no group has."""
    with prefix_errors(where):
        files = {group: templates.read_group(group) for group in features}
    known = {name for file in files.values() for template in file for name in template_names(template)}
    for name in without:
        if name not in known:
            raise ConfigurationError(
                f"{where}: without_templates {name}: no group has it{did_you_mean(name, known)}"
            )
    texts = {group: set_window(read_group(group), size) for group, size in window.items()}
    for group in features if without else ():
        words = split_words(texts.get(group, read_group(group)))
        file = [template for word in words for template in templates.parse_templates(word)]
        if len(kept := drop_templates(file, without)) < len(file):
            texts[group] = "".join(f"{templates.format_template(template)}\n" for template in kept)
    return texts


def split_words(text: str) -> Iterator[str]:
    """Yield the words of a template file, without comments."""
    for line in text.splitlines():
        yield from line.partition("#")[0].split()


def check_groups(config: Config, where: str, tables: dict[Path, Gazetteer]) -> None:
    """Raise :class:`ConfigurationError` or :class:`TemplateError` where a group, an observation or a
    gazetteer does not exist. Of the gazetteers only tables of words are read, for their columns.
    ``tables`` keeps them: each table is read once for all runs."""
    with prefix_errors(where):
        found = [t for group in config.features for t in templates.read_group(group)]
        names = templates.list_gazetteers(found)
        files = {name: find_list(name, config) for name in names if not name.startswith(gazetteer.TRAINING)}
        empty = {name: gazetteer.build_gazetteer(name, []) for name in names}
        for name in templates.list_tables(found):
            path = files[name]
            empty[name] = tables[path] = tables.get(path) or gazetteer.read_list(path)
        check_pos(config.pos, found)
        pos = list if config.pos else None
        Extractor(found, empty, pos)


@contextmanager
def prefix_errors(where: str) -> Iterator[None]:
    """Put ``where`` before the message of an error raised inside."""
    try:
        yield
    except TemplateError as error:
        raise TemplateError(f"{where}: {error}") from None
    except CrfdeidError as error:
        raise ConfigurationError(f"{where}: {error}") from None
