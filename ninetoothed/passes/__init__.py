"""The passes, one a file, in the order of ``pipeline``; and passes of other packages.

The folder is the registry: a pass named ``nt-lower-accesses`` is the class ``LowerAccessesPass`` of
the file ``lower_accesses.py``. Modules are imported when a pass is asked for.

Another package registers a pass of its own with its place, and a kernel names it::

    from ninetoothed.passes import KernelPass, register

    @register(after="nt-specialize")
    @dataclass(frozen=True)
    class SomeWordsPass(KernelPass):
        name = "nt-some-words"
        ...

    kernel = ninetoothed.make(arrangement, application, tensors, pipeline="nt-some-words")

With an entry point in the group ``ninetoothed.passes``, ``nt-some-words = "package.module:
SomeWordsPass"``, the name is all that a program needs: the module is imported where something is
compiled.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ninetoothed.plugins import outside_passes
from ninetoothed.plugins.edited_pipeline import Pipeline

if TYPE_CHECKING:
    from xdsl.passes import ModulePass

    from ninetoothed.ir.kernel_pass import FunctionPass, JoinedLanes, KernelPass, MergedPrograms
    from ninetoothed.ir.optimization import Choice, Optimization
    from ninetoothed.passes.registration import register

_NO_PASSES = ("__init__", "option_values", "pipeline", "placement", "registration")
# The few of xDSL's passes that the pipeline and `nt-opt` use, mended.
_XDSL = {
    "canonicalize": ("ninetoothed.ir.canonicalize", "CanonicalizePass"),
    "cse": ("ninetoothed.ir.cse", "CommonSubexpressionElimination"),
    "dce": ("ninetoothed.ir.dead_code", "DeadCodeElimination"),
}
# What passes of other packages are written with, which imports xDSL.
_PUBLIC = {
    "Choice": "ninetoothed.ir.optimization",
    "FunctionPass": "ninetoothed.ir.kernel_pass",
    "JoinedLanes": "ninetoothed.ir.kernel_pass",
    "MergedPrograms": "ninetoothed.ir.kernel_pass",
    "KernelPass": "ninetoothed.ir.kernel_pass",
    "Optimization": "ninetoothed.ir.optimization",
    "register": "ninetoothed.passes.registration",
}


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def pass_names() -> list[str]:
    """The names of the compiler's passes, sorted."""
    return sorted([*_ours(), *_XDSL])


@functools.cache
def _ours() -> tuple[str, ...]:
    """The names of our own passes, found once."""
    stems = (path.stem for path in Path(__file__).parent.glob("*.py"))
    return tuple("nt-" + stem.replace("_", "-") for stem in stems if stem not in _NO_PASSES)


def find_pass(name: str) -> type[ModulePass]:
    """The class of a pass, the compiler's or of another package.

    Raises:
        KeyError: there is no such pass.
        PluginError: it is of another package, and cannot be imported.
    """
    if name in _XDSL:
        module, attribute = _XDSL[name]
    elif name in pass_names():
        stem = name.removeprefix("nt-").replace("-", "_")
        module = f"ninetoothed.passes.{stem}"
        attribute = "".join(word.capitalize() for word in stem.split("_")) + "Pass"
    else:
        outside = outside_passes.load(name)
        if outside is None:
            raise KeyError(name)
        return outside.pass_
    found: type[ModulePass] = getattr(importlib.import_module(module), attribute)
    return found


def available_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Factories of the passes by name, as xDSL's tools take them: the compiler's, and those that
    were registered.
    """

    def factory(name: str) -> Callable[[], type[ModulePass]]:
        return lambda: find_pass(name)

    return {name: factory(name) for name in [*pass_names(), *outside_passes.registered()]}


__all__ = [
    "Choice",
    "FunctionPass",
    "JoinedLanes",
    "KernelPass",
    "MergedPrograms",
    "Optimization",
    "Pipeline",
    "available_passes",
    "find_pass",
    "pass_names",
    "register",
]
