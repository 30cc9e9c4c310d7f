"""The plots of a report; the same results give the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from benchmarks.operation import OURS, SIZES
from benchmarks.results import Results, geometric_mean
from benchmarks.tables import PLOT_TITLES, floor_share, mean_speed, operations, providers

# Of Okabe and Ito: told apart by people who are blind to some colours, too.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v")
_WIDTH = 9.0
_DPI = 150
_SETTINGS: Any = {"svg.hashsalt": "ninetoothed", "font.size": 9}
_TICKS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 0.7, 1, 1.4, 2, 4, 8, 16)


def _times(value: float, _: int) -> str:
    return f"{value:g}×"


def _percent(value: float, _: int) -> str:
    return f"{100 * value:.0f} %"


def _axes(rows: int, inches: float, title: str, names: list[str]) -> tuple[Figure, Any]:
    """A figure with a row for each name, the first on top."""
    figure = Figure(figsize=(_WIDTH, 1.2 + rows * inches), layout="constrained")
    axes: Any = figure.add_subplot()
    axes.set_title(title)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis="x", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


def speed(results: Results) -> Figure:
    """For each operation, bars of the mean speed of ours relative to each provider."""
    names = operations(results)
    others = [name for name in providers(results.cases) if name != OURS]
    with matplotlib.rc_context(_SETTINGS):
        figure, axes = _axes(
            len(names), 0.08 + 0.11 * max(len(others), 1), PLOT_TITLES["speed"], names
        )
        height = 0.8 / max(len(others), 1)
        for position, other in enumerate(others):
            offset = (position - (len(others) - 1) / 2) * height
            means = [
                mean_speed([case for case in results.cases if case.operation == name], other)[0]
                for name in names
            ]
            bars = [(row + offset, mean - 1) for row, mean in enumerate(means) if mean is not None]
            axes.barh(
                [row for row, _ in bars],
                [width for _, width in bars],
                height,
                # From 1 on, so that bars to the right are gains.
                left=1,
                color=_COLORS[position % len(_COLORS)],
                label=other,
            )
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(FuncFormatter(_times))
        axes.xaxis.set_major_locator(FixedLocator(_TICKS))
        axes.xaxis.set_minor_locator(NullLocator())
        low, high = axes.get_xlim()
        axes.set_xlim(min(low, 0.65), max(high, 1.5))
        axes.axvline(1, color="#444444", linewidth=1)
        axes.set_xlabel("geometric mean of their GPU time over ours; to the right, ours is faster")
        if others:
            axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return figure


def floor(results: Results) -> Figure:
    """For each operation and size, the share of our time that no kernel can save."""
    names = operations(results)
    sizes = [size for size in SIZES if any(case.size == size for case in results.cases)]
    with matplotlib.rc_context(_SETTINGS):
        figure, axes = _axes(len(names), 0.24, PLOT_TITLES["floor"], names)
        for position, size in enumerate(sizes):
            points: list[tuple[float, int]] = []
            for row, name in enumerate(names):
                shares = [
                    share
                    for case in results.cases
                    if (case.operation, case.size) == (name, size)
                    and (share := floor_share(case)) is not None
                ]
                mean = geometric_mean(shares)
                if mean is not None:
                    points.append((mean, row))
            axes.scatter(
                [mean for mean, _ in points],
                [row for _, row in points],
                s=26,
                marker=_MARKERS[position % len(_MARKERS)],
                color=_COLORS[position % len(_COLORS)],
                label=size,
                zorder=2,
            )
        axes.axvline(1, color="#444444", linewidth=1)
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter(FuncFormatter(_percent))
        axes.set_xlabel("least time at the measured peaks over our GPU time")
        if sizes:
            axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write ``path.png`` and ``path.svg``, without dates and versions."""
    with matplotlib.rc_context(_SETTINGS):
        figure.savefig(f"{path}.png", dpi=_DPI, metadata={"Software": None})
        metadata = {"Date": None, "Creator": None}
        figure.savefig(f"{path}.svg", metadata=metadata)
