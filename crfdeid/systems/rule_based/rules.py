"""Rules and lists (Douglass 2005, chapter 5; Tafvizi 2011, section 2.5): nothing is learned, so
"training" copies the lists into the model's folder, where they can be changed before it is
sealed and cannot change afterwards. See docs/rules.md.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from crfdeid.errors import did_you_mean
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.rules import RULES, lists
from crfdeid.rules.lists import Lists
from crfdeid.rules.tagger import Rules
from crfdeid.text import gazetteer, scheme
from crfdeid.text.document import Document


@dataclass(frozen=True)
class Options:
    """``without`` names rules that are left out (``repeated_name`` and ``repeated_place`` are those
    of what was found before)."""

    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.without:
            if name not in RULES:
                raise ValueError(f"without: {name}: no such rule{did_you_mean(name, RULES)}")


class Tagger(Rules):
    """The rules of a model's folder, with its own lists."""

    def __init__(self, folder: Path, pipeline: Pipeline, found: Lists, names: Sequence[str]) -> None:
        super().__init__(found, names)
        self.folder, self.pipeline = folder, pipeline
        self.scheme = scheme.read_scheme(folder / "scheme.toml")


def train(
    pipeline: Pipeline,
    documents: Sequence[Document],
    folder: Path,
    on_iteration: Callable[[int, float], None],
) -> None:
    """Copy the lists that the model has not yet into its ``gazetteers``."""
    own = folder / "gazetteers"
    own.mkdir(exist_ok=True)
    for name in lists.NAMES:
        source = gazetteer.find_gazetteer(name, [own])
        for path in (source, source.with_name(source.stem + ".exclude.txt")):
            if path.is_file() and path.parent != own:
                shutil.copyfile(path, own / path.name)


def load(folder: Path, pipeline: Pipeline) -> Tagger:
    """The rules with the lists of ``folder``."""
    return Tagger(folder, pipeline, of_folder(folder, pipeline), kept(RULES, pipeline))


def kept(names: Iterable[str], pipeline: Pipeline) -> list[str]:
    """The rules of ``names`` that the experiment does not leave out."""
    without = pipeline.config.options.get("without", ())
    return [name for name in names if name not in without]


def of_folder(folder: Path, pipeline: Pipeline) -> Lists:
    """The model's lists, as its line has read them or else from the folder."""
    own = folder / "gazetteers"
    found = {
        n: pipeline.gazetteers.get(n) or gazetteer.read_gazetteer(gazetteer.find_gazetteer(n, [own]))
        for n in lists.NAMES
    }
    return Lists(found)
