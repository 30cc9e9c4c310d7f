"""Compilation targets, and the back ends that serve them."""

from __future__ import annotations

import functools
import importlib
import threading
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

from ninetoothed.errors import DeviceError, PluginError, did_you_mean, shown

Language: TypeAlias = str
"""The language of an artifact's text: one of a back end's (see :func:`languages`)."""


@dataclass(frozen=True)
class BackEnd:
    """Back end: the package ``emits`` has modules ``targets`` and ``emitter``, which declare its
    targets' capabilities and emit (``backend.protocol``); the module ``runs`` has ``TOOLCHAIN``,
    which compiles and loads (``runtime.toolchain``). Ours are ``ninetoothed.backend.NAME`` and
    ``ninetoothed.runtime.toolchain.NAME``.

    ``targets``: the values of ``Target.backend`` that it serves. ``languages``: what it emits, the
    default first. ``device``: torch's name for the devices. Of each of ``targets``, ``stages`` are
    its compiler's stages that have a text, in order (see ``runtime.toolchain.inspection``), and
    ``archs`` the architecture that is taken for these where none is named. ``origin``: of one
    of another package, its distribution, version and source, which :func:`find_others` fills in.
    """

    name: str
    targets: tuple[str, ...]
    languages: tuple[Language, ...]
    device: str
    stages: tuple[tuple[str, ...], ...] = ()
    archs: tuple[str, ...] = ()
    emits: str = ""
    runs: str = ""
    origin: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "emits", self.emits or f"ninetoothed.backend.{self.name}")
        object.__setattr__(self, "runs", self.runs or f"ninetoothed.runtime.toolchain.{self.name}")


DEFAULT_TARGET = "sm_90"
"""The target of a compilation that names none."""

_EXAMPLES = "write for example 'sm_90' or 'gfx942'"


BACK_ENDS = [
    BackEnd(
        "triton",
        ("cuda", "hip"),
        ("ttir", "triton-python"),
        device="cuda",
        stages=(("ttir", "ttgir", "llir", "ptx", "sass"), ("ttir", "ttgir", "llir", "amdgcn")),
        archs=(DEFAULT_TARGET, "gfx942"),
    ),
]
"""All back ends: ours, each two folders and a line here; and those that :func:`find_others` found.
"""


def languages(named: str | None = None) -> tuple[Language, ...]:
    """The languages of all back ends; of those of other packages, too, where ``named`` is none."""
    found = [language for row in BACK_ENDS for language in row.languages]
    if named is not None and named not in found:
        find_others()
        found = [language for row in BACK_ENDS for language in row.languages]
    return tuple(found)


_lock = threading.RLock()


def find_others() -> None:
    """Look for the back ends of other packages, once a process: entry points in the group
    ``ninetoothed.backends``, each with a :class:`BackEnd`. It is done where a name is none of ours.

    Raises:
        PluginError: one cannot be imported, or has a name of another.
    """
    with _lock:
        _find_others()


@functools.cache
def _find_others() -> None:
    from ninetoothed.plugins.entry_points import BACK_ENDS as GROUP
    from ninetoothed.plugins.entry_points import entry_point, entry_points
    from ninetoothed.plugins.origins import source_digest

    found: list[BackEnd] = []
    for name in entry_points(GROUP):
        point = entry_point(GROUP, name)
        assert point is not None
        new: object = point.load()
        if not isinstance(new, BackEnd):
            raise PluginError(f"{name!r} in {GROUP} is {point}, which is no BackEnd: {shown(new)}")
        for row in (*BACK_ENDS, *found):
            for one in (new.name, *new.targets, *new.languages):
                if one in (row.name, *row.targets, *row.languages):
                    raise PluginError(
                        f"{name!r} in {GROUP} is {point}, which has the name {one!r} of back end "
                        f"{row.name}; give it another"
                    )
        halves = (source_digest(new.emits), source_digest(new.runs))
        origin = f"{point.distribution} {point.version} {halves[0]} {halves[1]}"
        found.append(replace(new, origin=origin))
    # All of them or none, so that who asks again is told the same.
    BACK_ENDS.extend(found)


@dataclass(frozen=True, order=True)
class Target:
    """Compilation target: ``backend`` is a kind of devices, as ``"cuda"``, and ``arch`` one of its
    architectures, as ``"sm_90"``.
    """

    backend: str
    arch: str
    warp_size: int

    @property
    def back_end(self) -> BackEnd:
        """The back end that serves it.

        Raises:
            DeviceError: there is none; the package that has it is not installed here.
        """
        found = next((row for row in BACK_ENDS if self.backend in row.targets), None)
        if found is None:
            find_others()
            found = next((row for row in BACK_ENDS if self.backend in row.targets), None)
        if found is None:
            raise DeviceError(
                f"no back end has targets of kind {self.backend!r}, as {self} is one; install the "
                "package that has it"
            )
        return found

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages of its compiler that have a text, in order."""
        row = self.back_end
        return dict(zip(row.targets, row.stages, strict=False)).get(self.backend, ())

    @staticmethod
    def parse(text: str) -> Target:
        """The target of a name, as ``"sm_90"`` or ``"gfx942"``.

        Raises:
            DeviceError: the text names no target.
        """
        if not isinstance(cast("object", text), str):
            raise DeviceError(f"unknown target {shown(text)}; {_EXAMPLES}")
        found = _parsed(text)
        if found is None:
            find_others()
            found = _parsed(text)
        if found is None:
            names = [name for row in BACK_ENDS for name in _targets(row).names()]
            raise DeviceError(
                f"unknown target {shown(text)}; {did_you_mean(text, names) or _EXAMPLES}"
            )
        return found

    def __str__(self) -> str:
        return self.arch


def _targets(row: BackEnd) -> Any:
    """The module ``targets`` of a back end (see ``artifacts.capabilities.Targets``)."""
    return importlib.import_module(f"{row.emits}.targets")


def _parsed(text: str) -> Target | None:
    found = (_targets(row).parse(text) for row in BACK_ENDS)
    return next((target for target in found if target is not None), None)
