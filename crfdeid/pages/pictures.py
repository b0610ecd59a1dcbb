"""Pictures as SVG, in pages and as files: figures with intervals, and bars.

A picture says in words what it shows (``title``, ``desc``), needs no script, and has no meaning in colour
only: series differ by their marks, and figures are written beside them. ``picture.css`` is its style; a file
has it inside, with the colours for light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from crfdeid import files
from crfdeid.files import read_text

WIDTH = 460  # of a picture; it shrinks on narrow screens, and stays legible
TOP, BOTTOM = 32, 44  # space above and below, in pixels
SMALL, CAPITAL = 6.7, 9.0  # the width of a letter at most, on average
ROW = 17  # the height of a series in a row
STARTS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99)  # where an axis of shares may begin
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"'
Point = tuple[float, float]


class Estimate(NamedTuple):
    """A figure with its interval; ``note`` is written beside it."""

    value: float
    low: float
    high: float
    note: str = ""


@dataclass(frozen=True)
class Axis:
    """A scale from ``low`` to ``high``, linear or logarithmic."""

    label: str
    low: float = 0.0
    high: float = 1.0
    is_log: bool = False

    def place(self, value: float) -> float:
        """Where a value is: 0 at the low end, 1 at the high end. A logarithmic axis has values below its low
        end at this end.

        >>> Axis("", 1, 100, is_log=True).place(10)
        0.5
        """
        if self.is_log:
            return math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self, most: int = 6) -> list[float]:
        """Values for grid lines: powers of ten, or at most about ``most`` round steps.

        >>> Axis("", 0.8).ticks()
        [0.8, 0.85, 0.9, 0.95, 1.0]
        """
        if self.is_log:
            ends = (math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9))
            return [10.0**power for power in range(ends[0], ends[1] + 1)]
        step = find_step((self.high - self.low) / most)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(number * step, 10) for number in range(first, last + 1)]


def find_step(least: float) -> float:
    """Return the least of 1, 2, 5, 10, 20, … (and their tenths) that is not below ``least``."""
    unit = 10.0 ** math.floor(math.log10(least))
    return next(step * unit for step in (1, 2, 5, 10) if step * unit >= least - 1e-12)


def fit_shares(label: str, values: Sequence[float]) -> Axis:
    """An axis up to 1 that begins near the least of the values."""
    least = min(values, default=0.0)
    return Axis(label, max(start for start in STARTS if start <= max(least, 0.0)))


def fit_changes(label: str, values: Sequence[float]) -> Axis:
    """An axis of differences from round number to round number, with 0 on it.

    >>> axis = fit_changes("", [-0.013, 0.004])
    >>> round(axis.low, 3), round(axis.high, 3)
    (-0.015, 0.005)
    """
    low, high = min([0.0, *values]), max([0.0, *values])
    step = find_step(max(high - low, 0.001) / 6)
    return Axis(label, math.floor(low / step) * step, max(1, math.ceil(high / step)) * step)


def draw_estimates(
    title: str,
    desc: str,
    axis: Axis,
    rows: Mapping[str, Sequence[Estimate | None]],
    series: Sequence[str] = (),
) -> str:
    """Draw figures with their intervals; a row has a figure for each of the ``series``."""
    return draw_rows(title, desc, axis, rows, series, draw_estimate)


def draw_missed(found: float, most: float, aim: float) -> str:
    """Draw the share of PHI spans that a sample found missed with its upper bound, and the aim below it."""
    rows = {
        "found, and at most": [Estimate(found, found, most, f"{found:.2%} – {most:.2%}")],
        "aim": [Estimate(aim, 0.0, aim, f"at most {aim:.2%}")],
    }
    desc = "The share of PHI spans that readers found missed, with its upper bound, above the aim."
    axis = Axis("share of the PHI spans", 0, 1.1 * max(most, aim, 1e-3))
    return draw_estimates("PHI spans missed", desc, axis, rows)


def draw_bars(
    title: str,
    desc: str,
    axis: Axis,
    rows: Mapping[str, Sequence[float]],
    series: Sequence[str] = (),
) -> str:
    """Draw bars from the low end of the axis, with their values behind them."""
    values = {
        name: [Estimate(value, value, value, show_number(value)) for value in row]
        for name, row in rows.items()
    }
    return draw_rows(title, desc, axis, values, series, draw_bar)


def draw_rows(
    title: str,
    desc: str,
    axis: Axis,
    rows: Mapping[str, Sequence[Estimate | None]],
    series: Sequence[str],
    draw: Callable[[Estimate, Axis, int, Point, float], str],
) -> str:
    """Draw a row for each name, with a line for each of the series, over a scale."""
    notes = [measure_text(one.note) for row in rows.values() for one in row if one]
    left, room = 14 + max(map(measure_text, rows), default=0), 12 + max(notes, default=0)
    side, many = max(WIDTH - left - room, 120), len(series) > 1
    parts, y = list(draw_key(series, left)) if many else [], TOP + (16 if many else 0)
    top = y
    for name, row in rows.items():
        parts.append(draw_text(left - 8, y + ROW * len(row) / 2 + 4, name, "", "end"))
        for number, one in enumerate(row):
            if one:
                parts.append(draw(one, axis, number, (left, y + ROW * (number + 0.5)), side))
        y += ROW * len(row) + (5 if many else 2)
    return frame(title, desc, y + BOTTOM, [*draw_scale(axis, left, side, top, y), *parts], left + side + room)


def draw_estimate(one: Estimate, axis: Axis, number: int, at: Point, side: float) -> str:
    """Draw one figure: a line from end to end, its mark, and its note at the right."""
    left, y = at
    low, x, high = (left + side * max(0.0, axis.place(value)) for value in (one.low, one.value, one.high))
    line = f'<line class="whisker" x1="{low:.1f}" y1="{y:.1f}" x2="{high:.1f}" y2="{y:.1f}"/>'
    drawn = f'<g class="s{number}">{line}{draw_mark(number, x, y)}</g>'
    return drawn + draw_text(left + side + 10, y + 4, one.note, "quiet")


def draw_mark(number: int, x: float, y: float) -> str:
    """Draw the mark of a series: a disc, a square, a triangle."""
    if not number:
        return f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
    if number == 1:
        return f'<rect class="dot" x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"/>'
    return f'<path class="dot" d="M{x - 4.5:.1f} {y + 4:.1f}h9l-4.5 -8z"/>'


def draw_bar(one: Estimate, axis: Axis, number: int, at: Point, side: float) -> str:
    """Draw one bar, with its note behind it."""
    left, y = at
    width = side * axis.place(one.value)
    place = f'x="{left:.1f}" y="{y - ROW / 2 + 2:.1f}" width="{width:.1f}" height="{ROW - 4}"'
    block = f'<g class="s{number}"><rect class="block" {place}/></g>'
    return block + draw_text(left + width + 6, y + 4, one.note, "quiet")


def draw_scale(axis: Axis, left: float, side: float, top: float, bottom: float) -> Iterator[str]:
    """Yield the grid lines of rows, with values and the name of the axis below."""
    widest = measure_text(show_number(axis.high)) + 12
    for value in axis.ticks(int(min(6, max(1, side / widest)))):
        x = left + side * axis.place(value)
        yield f'<line class="grid" x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom:.1f}"/>'
        yield draw_text(x, bottom + 14, show_number(value), "quiet", "middle")
    yield draw_text(left + side / 2, bottom + 32, axis.label, "", "middle")


def draw_key(series: Sequence[str], left: float) -> Iterator[str]:
    """Yield the marks of the series with their names."""
    x = left
    for number, name in enumerate(series):
        yield f'<g class="s{number}">{draw_mark(number, x + 5, TOP)}</g>{draw_text(x + 15, TOP + 4, name)}'
        x += 30 + measure_text(name)


def draw_text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    kinds = f' class="{kind}"' if kind else ""
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{kinds}{place}>{escape(text)}</text>'


def measure_text(text: str) -> float:
    """The width of a text at most, in pixels."""
    return sum(CAPITAL if letter.isupper() else SMALL for letter in text)


def show_number(value: float) -> str:
    """Write a number shortly.

    >>> [show_number(n) for n in (0.25, 3.0, 12500.0, 1e6)]
    ['0.25', '3', '12,500', '1,000,000']
    """
    return f"{value:,.0f}" if value == round(value) else f"{value:g}"


def frame(title: str, desc: str, height: float, parts: Sequence[str], width: float = WIDTH) -> str:
    """Put the parts into a picture with a title, which is also its name for those who do not see it. A page
    scrolls a picture that is wider than others, and shrinks the others on a narrow screen."""
    width, height = math.ceil(max(width, 16 + 1.1 * measure_text(title))), math.ceil(height)
    kind = "picture" if width <= WIDTH + 20 else "picture large"
    return (
        f'<svg class="{kind}" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img"><title>{escape(title)}</title>'
        f"<desc>{escape(desc)}</desc>{draw_text(4, 16, title, 'name')}{''.join(parts)}</svg>\n"
    )


def render_figures(pictures: Sequence[str]) -> str:
    """Pictures in a page, in columns where there is room."""
    kinds = (' class="across"' if 'class="picture large"' in picture else "" for picture in pictures)
    figures = "".join(f"<figure{kind}>{picture}</figure>" for kind, picture in zip(kinds, pictures))
    return f'<div class="figures">{figures}</div>\n'


def render_file(picture: str) -> str:
    """A picture as a file of its own, with its style."""
    style = "".join(read_text(files.PACKAGE / "pages" / name) for name in ("colours.css", "picture.css"))
    back = f'<style>{style}</style><rect class="back" width="100%" height="100%"/>'
    head, tail = picture.replace("<svg", f"<svg {NAMESPACE}", 1).split("</desc>", 1)
    return f"{HEAD}{head}</desc>{back}{tail}"
