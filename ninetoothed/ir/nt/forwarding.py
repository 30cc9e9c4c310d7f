"""Reads of a program's own stores: store-to-load forwarding, and barriers.

Triton keeps no order between a write and a read of memory by different threads of a program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

from ninetoothed.ir.definitions import PureOp
from ninetoothed.ir.nt.attributes import TensorType
from ninetoothed.ir.nt.blocks import LoadOp, check_indices, check_type
from ninetoothed.ir.nt.types import loaded_type


@irdl_op_definition
class StoredOp(PureOp):
    """Forwarded store: the result of ``nt.load`` right behind ``nt.store`` of ``value`` to the same
    tile, without reading memory.

    Lanes inside the access's guard are those of ``value``, the others ``other``; without ``other``
    they are unspecified. So its guard is the access's, whatever that of ``value`` is: lanes of
    ``value`` that are not valid are stored unspecified.

    ```mlir
    %1 = nt.stored %v at %x[%k] other 0.0 : f16
        : !nt.tensor<[n] x !nt.tensor<[B] x f16>>[i32] -> !nt.tensor<[B] x f16>
    ```
    """

    name = "nt.stored"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    value = operand_def(_T)
    ref = operand_def(TensorType)
    indices = var_operand_def()
    other = opt_prop_def(FloatAttr | IntegerAttr)
    result = result_def(_T)

    assembly_format = (
        "$value `at` $ref `[` $indices `]` (`other` $other^)? attr-dict "
        "`:` type($ref) `[` type($indices) `]` `->` type($result)"
    )

    def __init__(
        self,
        value: SSAValue,
        ref: SSAValue,
        indices: Sequence[SSAValue] = (),
        other: FloatAttr | IntegerAttr | None = None,
    ) -> None:
        super().__init__(
            operands=[value, ref, list(indices)],
            properties={} if other is None else {"other": other},
            result_types=[value.type],
        )

    def verify_(self) -> None:
        check_indices(self, self.ref.type, len(self.indices))
        check_type(self, "result", self.result.type, loaded_type(self.ref.type))


TileRead = LoadOp | StoredOp
"""Ops that give the block of a tile; lanes outside its guard are ``other`` or unspecified."""


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """Barrier of the program's threads: accesses before it are done before any behind it begins.

    ```mlir
    nt.barrier
    ```
    """

    name = "nt.barrier"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "attr-dict"
