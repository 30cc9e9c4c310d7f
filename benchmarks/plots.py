"""The plots of a report; the same results give the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from benchmarks.operation import OURS, SIZES
from benchmarks.results import Results, geometric_mean
from benchmarks.tables import (
    KINDS,
    PLOT_TITLES,
    floor_share,
    mean_speed,
    of_kind,
    operations,
    providers,
)

# Of Okabe and Ito: told apart by people who are blind to some colours, too.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_WIDTH = 9.0
_DPI = 150
_SETTINGS: Any = {"svg.hashsalt": "ninetoothed", "font.size": 9}
_TICKS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16)


def _times(value: float, _: int) -> str:
    return f"{value:g}×"


def _percent(value: float, _: int) -> str:
    return f"{100 * value:.0f} %"


def _figure(title: str, names: list[str], panels: Sequence[str]) -> tuple[Figure, list[Any]]:
    """A figure with a row for each name, the first on top, in each of its panels."""
    figure = Figure(figsize=(_WIDTH, 1.4 + 0.26 * len(names)), layout="constrained")
    figure.suptitle(title)
    found: Any = figure.subplots(1, len(panels), sharey=True, squeeze=False)
    for axes, panel in zip(found[0], panels, strict=True):
        axes.set_title(panel, fontsize="medium")
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.grid(color="#dddddd", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.axvline(1, color="#444444", linewidth=1)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    return figure, list(found[0])


def _points(
    axes: Any, position: int, labels: Sequence[str], values: Sequence[float | None]
) -> None:
    """The marks of one of the ``labels``, in each row that has a value."""
    # Marks of others at the same value stay visible.
    shift = 0.15 * (position - (len(labels) - 1) / 2)
    marks = [(value, row + shift) for row, value in enumerate(values) if value is not None]
    axes.scatter(
        [value for value, _ in marks],
        [row for _, row in marks],
        s=24,
        marker=_MARKERS[position % len(_MARKERS)],
        color=_COLORS[position % len(_COLORS)],
        label=labels[position],
        zorder=2,
    )


def _legend(figure: Figure, axes: Any) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if labels:
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)


def speed(results: Results) -> Figure:
    """For each operation, the mean speed of ours relative to each provider."""
    names = operations(results)
    others = [name for name in providers(results.cases) if name != OURS]
    with matplotlib.rc_context(_SETTINGS):
        panels = [f"cases of {kind}" for kind in KINDS]
        figure, found = _figure(PLOT_TITLES["speed"], names, panels)
        for axes, kind in zip(found, KINDS, strict=True):
            cases = of_kind(results.cases, kind)
            for position, other in enumerate(others):
                own = ([case for case in cases if case.operation == name] for name in names)
                _points(axes, position, others, [mean_speed(several, other)[0] for several in own])
            axes.set_xscale("log", base=2)
            axes.xaxis.set_major_formatter(FuncFormatter(_times))
            axes.xaxis.set_major_locator(FixedLocator(_TICKS))
            axes.xaxis.set_minor_locator(NullLocator())
            axes.set_xlabel("their GPU time over ours, geometric mean")
            low, high = axes.get_xlim()
            axes.set_xlim(min(low, 0.65), max(high, 1.5))
        _legend(figure, found[0])
    return figure


def floor(results: Results) -> Figure:
    """For each operation and size, the share of our time that no kernel can save."""
    names = operations(results)
    cases = of_kind(results.cases, KINDS[0])
    sizes = [size for size in SIZES if any(case.size == size for case in cases)]
    with matplotlib.rc_context(_SETTINGS):
        figure, (axes,) = _figure(PLOT_TITLES["floor"], names, [f"cases of {KINDS[0]}"])
        for position, size in enumerate(sizes):
            means: list[float | None] = []
            for name in names:
                own = [case for case in cases if (case.operation, case.size) == (name, size)]
                shares = [share for case in own if (share := floor_share(case)) is not None]
                means.append(geometric_mean(shares))
            _points(axes, position, sizes, means)
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter(FuncFormatter(_percent))
        axes.set_xlabel("least time at the measured peaks over our GPU time")
        _legend(figure, axes)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write ``path.png`` and ``path.svg``, without dates and versions."""
    with matplotlib.rc_context(_SETTINGS):
        figure.savefig(f"{path}.png", dpi=_DPI, metadata={"Software": None})
        metadata = {"Date": None, "Creator": None}
        figure.savefig(f"{path}.svg", metadata=metadata)
