"""The compile half of a back end: what its targets can do, and text for them.

A back end has two modules in the package that it ``emits`` with, ours ``ninetoothed/backend/NAME``:
``targets`` (:class:`~ninetoothed.artifacts.capabilities.Targets`), which imports no IR, and
``emitter`` (:class:`Emitter`). The run half is a
:class:`~ninetoothed.runtime.toolchain.Toolchain`. No other module knows a vendor.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

from ninetoothed.artifacts.target import BackEnd, Language

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


class Emitter(Protocol):
    """The module ``emitter`` of a back end."""

    def emit_text(self, module: ModuleOp, language: Language) -> str:
        """The text of a module of the stage ``tt``.

        Raises:
            CompilerError: the module is not of that stage, or an op has no spelling.
        """
        ...


def emitter(back_end: BackEnd) -> Emitter:
    """The emitter of a back end."""
    return cast("Emitter", importlib.import_module(f"{back_end.emits}.emitter"))
