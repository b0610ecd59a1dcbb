"""The curves of a model as files: SVG, and one page with the points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from crfdeid import pages, resources
from crfdeid.files import open_whole
from crfdeid.pages.pictures import render_figures, render_file


def write_curves(
    folder: Path,
    drawn: Mapping[str, str],
    title: str,
    about: Mapping[str, str],
    facts: Mapping[str, str],
    table: Sequence[Sequence[str]],
) -> None:
    """Write the pictures ``drawn``, by the name of their files, and the page ``curves.html`` with the
    ``facts`` and the ``table`` of points."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in drawn.items():
        with open_whole(folder / f"{name}.svg") as file:
            file.write(render_file(picture))
    head, *rows = table
    parts = {
        "<!-- facts -->": pages.render_facts(facts),
        "<!-- curves -->": render_figures(list(drawn.values())),
        "<!-- points -->": pages.render_table("Points of the curves", head, rows),
    }
    body = pages.fill_file(resources.PACKAGE / "explain" / "curves.html", parts)
    with open_whole(folder / "curves.html") as file:
        file.write(pages.render_page(title, about, body))
