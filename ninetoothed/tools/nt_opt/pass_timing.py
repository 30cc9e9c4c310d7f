"""Times of a run, as a tree with totals."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

_RULE = f"===-{'-' * 73}-==="
_TITLE = "... Execution time report ..."


@dataclass
class _Node:
    """A part of the run: its seconds, those of its own parts among them."""

    seconds: float = 0.0
    parts: dict[str, _Node] = field(default_factory=dict[str, "_Node"])


class Timer:
    """Clock of a run, from its making on."""

    def __init__(self) -> None:
        self._begun = time.perf_counter()
        self._root = _Node()
        self._open = [self._root]

    @contextmanager
    def region(self, *path: str) -> Generator[None]:
        """Times what is inside, as a part of the region around; of several of one name, the sum.
        ``path``: the names of the part and of those around it, outermost first.
        """
        depth = len(self._open)
        for name in path:
            self._open.append(self._open[-1].parts.setdefault(name, _Node()))
        begun = time.perf_counter()
        try:
            yield
        finally:
            seconds = time.perf_counter() - begun
            for node in self._open[depth:]:
                node.seconds += seconds
            del self._open[depth:]

    def report(self) -> str:
        """The tree, in the form of MLIR's ``--mlir-timing``; what is in no part is ``Rest``."""
        total = time.perf_counter() - self._begun
        known = sum(part.seconds for part in self._root.parts.values())
        lines = [_RULE, f"{_TITLE:^79}".rstrip(), _RULE]
        lines += [f"  Total Execution Time: {total:.4f} seconds", ""]
        lines.append("  ----Wall Time----  ----Name----")
        rows = [*_rows(self._root, 0), (0, "Rest", total - known), (0, "Total", total)]
        for depth, name, seconds in rows:
            share = 100 * seconds / total if total else 0.0
            lines.append(f"  {seconds:8.4f} ({share:5.1f}%)  {'  ' * depth}{name}")
        return "\n".join(lines) + "\n"


def _rows(node: _Node, depth: int) -> list[tuple[int, str, float]]:
    found: list[tuple[int, str, float]] = []
    for name, part in node.parts.items():
        found.append((depth, name, part.seconds))
        found += _rows(part, depth + 1)
    return found
