"""The plots of a report, as SVG: a row for each operation, marks along an axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

# Of Okabe and Ito: told apart by people who are blind to some colours, too.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
_LABELS, _RIGHT, _WIDTH = 190, 20, 900
_TOP, _ROW, _BOTTOM = 60, 18, 70
_RADIUS = 3.5


@dataclass(frozen=True)
class Panel:
    """One of the plots side by side: ``values[label][row]``, on an axis from ``ticks[0]`` on.

    ``scale`` places a value, linearly.
    """

    title: str
    values: Mapping[str, Sequence[float | None]]
    ticks: Sequence[tuple[float, str]]
    scale: Callable[[float], float] = float


def svg(title: str, axis: str, rows: Sequence[str], panels: Sequence[Panel]) -> str:
    """The plot: the rows from above, a colour for each label of the panels."""
    height = _TOP + _ROW * len(rows) + _BOTTOM
    labels = list(dict.fromkeys(label for panel in panels for label in panel.values))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
        _text(_WIDTH / 2, 20, title, "middle", ' font-size="14"'),
    ]
    lines += [_text(_LABELS - 8, _y(row) + 4, name, "end") for row, name in enumerate(rows)]
    width = (_WIDTH - _LABELS - _RIGHT * len(panels)) / len(panels)
    for place, panel in enumerate(panels):
        left = _LABELS + place * (width + _RIGHT)
        lines += _panel(panel, labels, left, width, len(rows))
        lines.append(_text(left + width / 2, _y(len(rows)) + 26, axis, "middle"))
    step = (_WIDTH - _LABELS) / max(len(labels), 1)
    for place, label in enumerate(labels):
        x, y = _LABELS + step * place, height - 14
        lines += [_mark(x, y, COLORS[place % len(COLORS)]), _text(x + 8, y + 4, label)]
    return "\n".join([*lines, "</svg>", ""])


def powers_of_two(values: Sequence[float]) -> list[tuple[float, str]]:
    """Ticks of a logarithmic axis that all values lie between; 1 is one of them."""
    low = math.floor(min([*map(math.log2, values), -1]))
    high = math.ceil(max([*map(math.log2, values), 1]))
    return [(2.0**power, f"{2.0**power:g}×") for power in range(low, high + 1)]


def _panel(panel: Panel, labels: Sequence[str], left: float, width: float, rows: int) -> list[str]:
    low, high = panel.scale(panel.ticks[0][0]), panel.scale(panel.ticks[-1][0])

    def x(value: float) -> float:
        return left + width * (panel.scale(value) - low) / (high - low)

    bottom = _y(rows) - _ROW / 2
    lines = [_text(left + width / 2, _TOP - 18, panel.title, "middle")]
    lines += [_line(left, _y(row), left + width, _y(row), "#eee") for row in range(rows)]
    for value, text in panel.ticks:
        color = "#444" if value == 1 else "#ddd"
        lines.append(_line(x(value), _TOP - 10, x(value), bottom, color))
        lines.append(_text(x(value), bottom + 14, text, "middle"))
    for label, values in panel.values.items():
        place = labels.index(label)
        # Marks of others at the same value stay visible.
        shift = 2.5 * (place - (len(labels) - 1) / 2)
        lines += [
            _mark(x(value), _y(row) + shift, COLORS[place % len(COLORS)])
            for row, value in enumerate(values)
            if value is not None
        ]
    return lines


def _y(row: int) -> float:
    return _TOP + _ROW * row


def _text(x: float, y: float, text: str, anchor: str = "start", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, color: str) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{color}"/>'


def _mark(x: float, y: float, color: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS}" fill="{color}" fill-opacity="0.85"/>'
