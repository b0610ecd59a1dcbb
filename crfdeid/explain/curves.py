"""Curves of recall: against false alarms (ROC) and against precision, as SVG and as one HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import numpy as np

from crfdeid import pages, resources
from crfdeid.files import open_whole

SIDE, EDGE = 360, 48  # of the square of a curve, and of the space for its axes, in pixels
MOST = 400  # points that are drawn
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
Point = tuple[float, float]
Points = Sequence[Point]
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def draw_curve(
    title: str, axes: tuple[str, str], points: Points, marked: Mapping[str, tuple[float, float]]
) -> str:
    """Draw a curve of ``points`` (x, y between 0 and 1), with a dot and a name at the ``marked`` ones."""
    size = SIDE + 2 * EDGE
    path = " ".join(f"{place_x(x):.1f},{place_y(y):.1f}" for x, y in thin_points(points))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" width="{size}" height="{size}" '
        f'role="img" aria-label="{escape(title)}" font-family="sans-serif" font-size="12">',
        f'<text x="{size / 2}" y="20" text-anchor="middle" font-size="14">{escape(title)}</text>',
        *(line for tick in TICKS for line in draw_tick(tick)),
        f'<text x="{size / 2}" y="{size - 10}" text-anchor="middle">{escape(axes[0])}</text>',
        f'<text transform="translate(14 {size / 2}) rotate(-90)" text-anchor="middle">',
        f"{escape(axes[1])}</text>",
        f'<polyline fill="none" stroke="#1f5fa8" stroke-width="2" points="{path}"/>',
        *(draw_mark(name, *point) for name, point in marked.items()),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def place_x(x: float) -> float:
    return EDGE + SIDE * x


def place_y(y: float) -> float:
    return EDGE + SIDE * (1 - y)


def draw_tick(value: float) -> list[str]:
    """Draw a grid line of each axis, with its number."""
    x, y = place_x(value), place_y(value)
    grid = 'stroke="#cccccc" stroke-width="1"'
    return [
        f'<line x1="{x:.1f}" y1="{EDGE}" x2="{x:.1f}" y2="{EDGE + SIDE}" {grid}/>',
        f'<line x1="{EDGE}" y1="{y:.1f}" x2="{EDGE + SIDE}" y2="{y:.1f}" {grid}/>',
        f'<text x="{x:.1f}" y="{EDGE + SIDE + 16}" text-anchor="middle">{value:g}</text>',
        f'<text x="{EDGE - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>',
    ]


def draw_mark(name: str, x: float, y: float) -> str:
    """Draw a dot with its name at the side where there is room."""
    side, step = ("end", -8) if x > 0.5 else ("start", 8)
    return (
        f'<circle cx="{place_x(x):.1f}" cy="{place_y(y):.1f}" r="4" fill="#b3341f"/>'
        f'<text x="{place_x(x) + step:.1f}" y="{place_y(y) + 16:.1f}" text-anchor="{side}">'
        f"{escape(name)}</text>"
    )


def thin_points(points: Points) -> Points:
    """Return at most :data:`MOST` points with the first and the last."""
    if len(points) <= MOST:
        return points
    return [points[n] for n in np.linspace(0, len(points) - 1, MOST).round().astype(int).tolist()]


def write_curves(
    folder: Path,
    drawn: Mapping[str, str],
    title: str,
    facts: Mapping[str, str],
    table: Sequence[Sequence[str]],
) -> None:
    """Write the curves ``drawn``, by the name of their files, and the page ``curves.html`` with the ``facts``
    and the ``table`` of points."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in drawn.items():
        with open_whole(folder / f"{name}.svg") as file:
            file.write(HEAD + picture)
    head, *rows = table
    parts = {
        "<!-- title -->": escape(title),
        "<!-- facts -->": pages.render_facts(facts),
        "<!-- curves -->": "".join(f"<figure>{picture}</figure>" for picture in drawn.values()),
        "<!-- points -->": pages.render_table("Points of the curves", head, rows),
    }
    with open_whole(folder / "curves.html") as file:
        file.write(pages.fill_page(resources.PACKAGE / "explain" / "curves.html", parts))
