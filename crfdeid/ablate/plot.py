"""The table as a picture: F1 and recall with their intervals, and F1 by category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from crfdeid.ablate.results import Figures, Result
from crfdeid.errors import CrfdeidError, show_install
from crfdeid.files import open_whole

CURVES = {"strict F1": "o", "strict R": "s", "token R": "^"}
FORMATS = ("svg", "png")
STYLE: dict[str, Any] = {
    "svg.hashsalt": "crfdeid", "svg.fonttype": "none", "font.size": 9,
    "figure.facecolor": "#fdfcf9", "axes.facecolor": "#fdfcf9",
}  # fmt: skip
COLOURS = ("#0b5f63", "#b45309", "#535c62")  # of pages, in light


class PlotError(CrfdeidError):
    """Matplotlib is not installed."""


def write_plot(results: Sequence[Result], figures: Figures, folder: Path, caption: str) -> None:
    """Write ``plot.svg`` and ``plot.png`` to ``folder``; the same figures give the same bytes. Raises
    :class:`PlotError` without matplotlib."""
    if find_spec("matplotlib") is None:
        raise PlotError(f"no plot: matplotlib is not installed ({show_install('plot')})")
    import matplotlib
    from cycler import cycler
    from matplotlib.figure import Figure

    rows = max(len(figures), 4)
    style: Any = STYLE | {"axes.prop_cycle": cycler(color=COLOURS)}
    with matplotlib.rc_context(style):
        names = max(map(len, figures)) - 20  # the width grows with the names at the side
        figure = Figure(figsize=(11 + 0.075 * max(0, names), 1.6 + 0.36 * rows), layout="constrained")
        left, right = figure.subplots(1, 2)
        grows = any(result.row.run.documents for result in results)
        if grows:
            draw_curves(left, results, figures)
        else:
            draw_dots(left, figures)
        draw_heatmap(right, figures, labelled=grows)
        figure.suptitle(caption, fontsize=9)
        for format in FORMATS:
            with open_whole(folder / f"plot.{format}", "wb", None) as file:
                figure.savefig(file, format=format, dpi=120, metadata=build_metadata(format))


def build_metadata(format: str) -> dict[str, Any]:
    """Return metadata without the time and the version of the library."""
    return {"Date": None, "Creator": None} if format == "svg" else {"Software": None}


def draw_dots(axes: Any, figures: Figures) -> None:
    """Draw one line per row, from the top; a bar is the 95% interval."""
    for shift, (name, mark) in zip((-0.2, 0.0, 0.2), CURVES.items()):
        heights = [height + shift for height in range(len(figures))]
        values = [row[name] for row in figures.values()]
        axes.errorbar(values, heights, xerr=error_bars(figures, name), fmt=mark, label=name, markersize=4)
    axes.set_yticks(range(len(figures)), list(figures))
    axes.set_ylim(len(figures) - 0.5, -0.5)
    axes.grid(axis="x", alpha=0.4)
    axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=len(CURVES), frameon=False)


def error_bars(figures: Figures, name: str) -> list[list[float]] | None:
    """Return the distances from each value to the ends of its interval, below and above."""
    if any(f"{name} low" not in row for row in figures.values()):
        return None
    below = [max(0.0, row[name] - row[f"{name} low"]) for row in figures.values()]
    return [below, [max(0.0, row[f"{name} high"] - row[name]) for row in figures.values()]]


def draw_curves(axes: Any, results: Sequence[Result], figures: Figures) -> None:
    """Draw the figures against the number of training documents, one line per system: through the mean of
    the draws of a size, with a band from the lowest to the highest."""
    systems: dict[str, dict[int, list[str]]] = {}
    for result in sorted(results, key=training_size):
        run = result.row.run
        sizes = systems.setdefault(run.group.removesuffix(f", {run.documents} documents"), {})
        sizes.setdefault(training_size(result), []).append(result.title)
    for name, mark in CURVES.items():
        for system, sizes in systems.items():
            label = name if len(systems) == 1 else f"{system}: {name}"
            draw_curve(axes, sizes, figures, name, marker=mark, label=label)
    axes.set_xscale("log")
    axes.minorticks_off()
    ticks = sorted(set(map(training_size, results)))
    axes.set_xticks(ticks, list(map(str, ticks)))
    has_draws = any(len(titles) > 1 for sizes in systems.values() for titles in sizes.values())
    axes.set_xlabel("training documents" + ("; band: lowest to highest draw" if has_draws else ""))
    axes.grid(alpha=0.4)
    axes.legend(fontsize=8)


def draw_curve(axes: Any, sizes: dict[int, list[str]], figures: Figures, name: str, **style: str) -> None:
    """Draw a figure of one system by size; with one draw of each size, a bar is its 95% interval."""
    values = [[figures[title][name] for title in titles] for titles in sizes.values()]
    means = [sum(drawn) / len(drawn) for drawn in values]
    if all(len(drawn) == 1 for drawn in values):
        chosen = {title: figures[title] for titles in sizes.values() for title in titles}
        axes.errorbar(list(sizes), means, yerr=error_bars(chosen, name), **style)
        return
    (line,) = axes.plot(list(sizes), means, **style)
    band = list(map(min, values)), list(map(max, values))
    axes.fill_between(list(sizes), *band, alpha=0.15, color=line.get_color())


def training_size(result: Result) -> int:
    return len(result.row.jobs[0].train.documents)


def draw_heatmap(axes: Any, figures: Mapping[str, Mapping[str, float]], labelled: bool) -> None:
    """Draw strict F1 of each category, row by row, with the number in the cell; ``labelled`` writes the names
    of the rows, where the left picture has other rows."""
    names = list(dict.fromkeys(n for row in figures.values() for n in row if n.startswith("F1 ")))
    values = [[row.get(name, float("nan")) for name in names] for row in figures.values()]
    axes.imshow(values, aspect="auto", cmap="GnBu", vmin=0, vmax=1.4)
    for height, row in enumerate(values):
        for column, value in enumerate(row):
            axes.text(column, height, f"{value:.3f}", ha="center", va="center", fontsize=7)
    axes.set_xticks(range(len(names)), [n.removeprefix("F1 ") for n in names], rotation=45, ha="right")
    if labelled:
        axes.set_yticks(range(len(figures)), list(figures), fontsize=7)
    else:
        axes.set_yticks([])
    axes.set_title("strict F1", fontsize=9)
