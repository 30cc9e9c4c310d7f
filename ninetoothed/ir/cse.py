"""xDSL's ``cse``, which hashes all attributes of each op again at every look at what it knows."""

from __future__ import annotations

from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region
from xdsl.transforms import common_subexpression_elimination as xdsl_cse


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


class _Driver(xdsl_cse.CSEDriver):
    """xDSL's, each of whose scopes is a ``_KnownOps``."""

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
