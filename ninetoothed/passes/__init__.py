"""The passes, one a file, in the order of ``pipeline``.

The folder is the registry: a pass named ``nt-lower-accesses`` is the class ``LowerAccessesPass`` of
the file ``lower_accesses.py``. Modules are imported when a pass is asked for.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from pathlib import Path

from xdsl.passes import ModulePass

_NO_PASSES = ("__init__", "pipeline")
# The few of xDSL's passes that the pipeline and `nt-opt` use, of which one is mended.
_XDSL = {
    "canonicalize": ("ninetoothed.ir.canonicalize", "CanonicalizePass"),
    "cse": ("xdsl.transforms.common_subexpression_elimination", "CommonSubexpressionElimination"),
    "dce": ("xdsl.transforms.dead_code_elimination", "DeadCodeElimination"),
}


def pass_names() -> list[str]:
    """The names of all passes, sorted."""
    return sorted([*_ours(), *_XDSL])


@functools.cache
def _ours() -> tuple[str, ...]:
    """The names of our own passes, found once."""
    stems = (path.stem for path in Path(__file__).parent.glob("*.py"))
    return tuple("nt-" + stem.replace("_", "-") for stem in stems if stem not in _NO_PASSES)


def find_pass(name: str) -> type[ModulePass]:
    """The class of a pass.

    Raises:
        KeyError: there is no such pass.
    """
    if name in _XDSL:
        module, attribute = _XDSL[name]
    elif name in pass_names():
        stem = name.removeprefix("nt-").replace("-", "_")
        module = f"ninetoothed.passes.{stem}"
        attribute = "".join(word.capitalize() for word in stem.split("_")) + "Pass"
    else:
        raise KeyError(name)
    found: type[ModulePass] = getattr(importlib.import_module(module), attribute)
    return found


def available_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Factories of the passes by name, as xDSL's tools take them."""

    def factory(name: str) -> Callable[[], type[ModulePass]]:
        return lambda: find_pass(name)

    return {name: factory(name) for name in pass_names()}
