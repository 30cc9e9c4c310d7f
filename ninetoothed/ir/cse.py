"""xDSL's ``cse``, which hashes all attributes of each op again at every look at what it knows, and
asks each op for its effects.
"""

from __future__ import annotations

import functools
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region
from xdsl.traits import IsTerminator, MemoryEffect, NoMemoryEffect
from xdsl.transforms import common_subexpression_elimination as xdsl_cse


@functools.cache
def _is_pure(kind: type[Operation]) -> bool:
    """True if ops of a class never have effects, whatever is in them, and end no block."""
    effects = kind.get_traits_of_type(MemoryEffect)
    return (
        bool(effects)
        and all(isinstance(one, NoMemoryEffect) for one in effects)
        and not kind.has_trait(IsTerminator)
    )


class _Info(xdsl_cse.OperationInfo):
    """An op to be compared with others. Its hash is of few things: operands tell most ops apart."""

    def __hash__(self) -> int:
        operands = self.op.operands
        return hash((self.name, operands)) if operands else super().__hash__()


class _KnownOps(xdsl_cse.KnownOps):
    """The ops that others may be replaced by.

    As xDSL's driver uses them; a scope keeps the infos of the one around it, and their hashes.
    """

    def __setitem__(self, k: Operation, v: Operation) -> None:
        self._known_ops[_Info(k)] = v

    def __contains__(self, k: Operation) -> bool:
        return _Info(k) in self._known_ops

    def get(self, k: Operation, default: Any = None) -> Any:
        return self._known_ops.get(_Info(k), default)

    def setdefault(self, op: Operation) -> Operation:
        """The op that is equal to ``op``; if there was none, ``op`` from now on."""
        return self._known_ops.setdefault(_Info(op), op)


class _Driver(xdsl_cse.CSEDriver):
    """xDSL's, each of whose scopes is a ``_KnownOps``."""

    def __init__(self) -> None:
        super().__init__(_known_ops=_KnownOps())

    def _simplify_operation(self, op: Operation) -> None:
        if op.regions or not _is_pure(type(op)):
            super()._simplify_operation(op)
        elif not any(result.first_use for result in op.results):
            self._mark_erasure(op)
        elif (existing := cast("_KnownOps", self._known_ops).setdefault(op)) is not op:
            self._replace_and_delete(op, existing)

    def _simplify_region(self, region: Region) -> None:
        if len(region.blocks) != 1:
            return
        outer = self._known_ops
        self._known_ops = _KnownOps(outer)
        self._simplify_block(region.block)
        self._known_ops = outer


class CommonSubexpressionElimination(xdsl_cse.CommonSubexpressionElimination):
    """Replace ops by equal ones in front of them."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _Driver().simplify(op)
