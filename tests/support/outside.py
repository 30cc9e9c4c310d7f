"""Packages of others, as if they were installed: with modules, a version and entry points."""

from __future__ import annotations

import contextlib
import sys
import textwrap
from collections.abc import Generator, Mapping
from pathlib import Path

import pytest

from ninetoothed.plugins import entry_points, outside_passes

PASS = """
\"\"\"Passes that count, of which each has a docstring of its own.\"\"\"

from dataclasses import dataclass

from ninetoothed.ir import nt
from ninetoothed.passes import Choice, KernelPass, Optimization, register


def legality(kernel):
    return lambda footprint, unit: (2, 4)


@register(after="nt-specialize")
@dataclass(frozen=True)
class CountPass(KernelPass):
    \"\"\"Says how many ops a kernel has.\"\"\"

    name = "nt-count"
    optimizations = (
        Choice("count_factor", name, "factor", "Counts several times.", legality),
        Optimization("counted", name, "enabled", "Counts."),
    )

    factor: int = 1
    enabled: bool = True

    def apply_to(self, kernel):
        if self.enabled:
            nt.RemarkEmitter(kernel, self.name).analysis(kernel, f"counted {self.factor} times")
"""
"""Module of a pass with a choice and an optimization."""

COUNT = {"ninetoothed.passes": {"nt-count": "counting.passes:CountPass"}}
"""Its entry point, in the package ``counting``."""


def write_package(folder: Path, name: str = "counting", passes: str = PASS) -> None:
    """Write a package with one module, ``passes``."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "__init__.py").write_text("", encoding="utf-8")
    (folder / name / "passes.py").write_text(textwrap.dedent(passes), encoding="utf-8")


def write_metadata(
    folder: Path,
    points: Mapping[str, Mapping[str, str]],
    distribution: str = "counting",
    version: str = "1.2",
) -> None:
    """Write the metadata of a distribution; ``points``: entry points by group and name."""
    metadata = folder / f"{distribution}-{version}.dist-info"
    metadata.mkdir(parents=True)
    text = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
    (metadata / "METADATA").write_text(text, encoding="utf-8")
    lines: list[str] = []
    for group, rows in points.items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in rows.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")


@contextlib.contextmanager
def own_registry(*folders: Path) -> Generator[None]:
    """Inside, no pass of others is registered, modules are found in ``folders``, too, and the
    package ``counting`` is not imported; as in another process.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in list(sys.modules):
            if name.partition(".")[0] == "counting":
                patch.delitem(sys.modules, name)
        for folder in folders:
            patch.syspath_prepend(folder)
        patch.setattr(outside_passes, "_registered", {})
        patch.setattr(outside_passes, "_from_entry_points", {})
        entry_points.entry_points.cache_clear()
        try:
            yield
        finally:
            entry_points.entry_points.cache_clear()
            for name in list(sys.modules):
                if name.partition(".")[0] == "counting":
                    del sys.modules[name]
