"""Curves as SVG: precision by recall, recall by false alarms, with named points on them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from crfdeid.pages.pictures import (
    BOTTOM,
    TOP,
    WIDTH,
    Axis,
    Point,
    draw_text,
    frame,
    measure_text,
    show_number,
)

LEFT, RIGHT = 62, 16  # space beside a curve, in pixels
SIDE = WIDTH - LEFT - RIGHT
HEIGHT = 0.75 * SIDE
MOST = 400  # points of a curve that are drawn
Box = tuple[float, float, float, float]


def draw_curve(
    title: str,
    desc: str,
    axes: tuple[Axis, Axis],
    points: Sequence[Point],
    marked: Mapping[str, Point],
    own: str = "",
) -> str:
    """Draw a curve of ``points``, with a dot and its name at the ``marked`` ones; that called ``own`` is
    larger."""
    spots = {name: place_point(axes, point) for name, point in marked.items()}
    dots = (draw_dot(x, y, name == own) for name, (x, y) in spots.items())
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in trace_line(axes, points))
    edges = f'x="{LEFT}" y="{TOP}" width="{SIDE}" height="{HEIGHT}" viewBox="{LEFT} {TOP} {SIDE} {HEIGHT}"'
    curve = f'<svg {edges}><polyline class="line" points="{line}"/></svg>'
    names = "".join(draw_names(spots, own))
    drawn = f'<g class="s0">{curve}{names}{"".join(dots)}</g>'
    return frame(title, desc, TOP + HEIGHT + BOTTOM, [*draw_grid(axes), drawn])


def draw_dot(x: float, y: float, is_own: bool) -> str:
    kind, radius = ("own", 6) if is_own else ("dot", 4)
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>'


def trace_line(axes: tuple[Axis, Axis], points: Sequence[Point]) -> list[Point]:
    """Place at most about :data:`MOST` points: those within the axes, and their neighbours."""
    lows = axes[0].low, axes[1].low
    inside = [point[0] >= lows[0] and point[1] >= lows[1] for point in points]
    near = [p for n, p in enumerate(points) if any(inside[max(0, n - 1) : n + 2])]
    step = max(1, -(-len(near) // MOST))
    kept = near[::step] + (near[-1:] if (len(near) - 1) % step else [])
    return [place_point(axes, point) for point in kept]


def place_point(axes: tuple[Axis, Axis], point: Point) -> Point:
    return LEFT + SIDE * axes[0].place(point[0]), TOP + HEIGHT * (1 - axes[1].place(point[1]))


def draw_grid(axes: tuple[Axis, Axis]) -> Iterator[str]:
    """Yield grid lines with their values, and the names of both axes."""
    for value in axes[0].ticks():
        x = LEFT + SIDE * axes[0].place(value)
        yield f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{TOP + HEIGHT}"/>'
        shown = show_number(value)
        middle = min(x, WIDTH - 2 - measure_text(shown) / 2)
        yield draw_text(middle, TOP + HEIGHT + 15, shown, "quiet", "middle")
    for value in axes[1].ticks():
        y = TOP + HEIGHT * (1 - axes[1].place(value))
        yield f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + SIDE}" y2="{y:.1f}"/>'
        yield draw_text(LEFT - 6, y + 4, show_number(value), "quiet", "end")
    yield draw_text(LEFT + SIDE / 2, TOP + HEIGHT + 34, axes[0].label, "", "middle")
    yield (
        f'<text transform="translate(12 {TOP + HEIGHT / 2:.1f}) rotate(-90)" text-anchor="middle">'
        f"{escape(axes[1].label)}</text>"
    )


def draw_names(spots: Mapping[str, Point], own: str) -> Iterator[str]:
    """Yield a name beside each dot, where it touches no other name and no dot; a thin line leads to a far
    one."""
    taken = [(x - 7, y - 7, x + 7, y + 7) for x, y in spots.values()]
    for name, (x, y) in sorted(spots.items(), key=lambda spot: spot[0] != own):
        for box in list_places(x, y, (1.2 if name == own else 1.05) * measure_text(name)):
            if is_inside(box) and not any(overlap(box, other) for other in taken):
                break
        else:
            continue  # the table beside the picture has it
        taken.append(box)
        end = min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3])
        if math.dist((x, y), end) > 14:
            yield f'<line class="leader" x1="{x:.1f}" y1="{y:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"/>'
        yield draw_text(
            (box[0] + box[2]) / 2, box[3] - 3, name, "name halo" if name == own else "halo", "middle"
        )


def list_places(x: float, y: float, width: float) -> Iterator[Box]:
    """Yield boxes for a text around a point, the nearest first."""
    for distance in range(8, 200, 12):
        for turn in (0.5, 0.0, 0.25, 0.75, 0.375, 0.125, 0.625, 0.875):
            dx, dy = math.cos(2 * math.pi * turn), math.sin(2 * math.pi * turn)
            middle_x, middle_y = x + dx * (distance + width / 2), y + dy * (distance + 6)
            yield middle_x - width / 2, middle_y - 7, middle_x + width / 2, middle_y + 7


def is_inside(box: Box) -> bool:
    return box[0] >= LEFT and box[1] >= TOP and box[2] <= LEFT + SIDE and box[3] <= TOP + HEIGHT


def overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
