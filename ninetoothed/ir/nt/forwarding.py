"""What a program reads of what it has written itself: from registers, or behind a barrier.

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
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.nt.attributes import TensorType
from ninetoothed.ir.nt.blocks import LoadOp, check_indices
from ninetoothed.ir.nt.types import share_type


@irdl_op_definition
class StoredOp(IRDLOperation):
    """What ``nt.load`` would give right behind ``nt.store`` of ``value`` to the same place: no
    memory is read.

    Lanes inside the access's guard are those of ``value``, the others ``other``; without ``other``
    they are unspecified. So its guard is the access's, whatever that of ``value`` is: a lane that
    was stored without having a value is in memory, with none.

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

    traits = traits_def(Pure())

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
        if self.result.type != share_type(self.ref.type):
            raise VerifyException(
                f"nt.stored: the result must have type {share_type(self.ref.type)}, not "
                f"{self.result.type}"
            )


TileRead = LoadOp | StoredOp
"""What gives a block of a share; lanes outside the access's guard are ``other`` or unspecified."""


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """All threads of the program have read and written what stands before it; only then any of them
    reads or writes what stands behind it.

    ```mlir
    nt.barrier
    ```
    """

    name = "nt.barrier"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "attr-dict"
