"""Atomics, and bitcasts."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import AnyFloat, IntegerAttr, IntegerType, i1, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import PureOp
from ninetoothed.ir.folding import Reshaping
from ninetoothed.ir.tt.types import PointerType, block_of, pointee_of, scalar_of, shape_of

ATOMIC_FUNCTIONS: dict[str, int] = {
    "and": 1,
    "or": 2,
    "xor": 3,
    "add": 4,
    "fadd": 5,
    "max": 6,
    "min": 7,
    "umax": 8,
    "umin": 9,
    "exch": 10,
}
"""Triton's encoding of the functions of ``tt.atomic_rmw``."""

SEMANTICS: dict[str, int] = {"relaxed": 1, "acquire": 2, "release": 3, "acq_rel": 4}
"""Triton's encoding of memory orders."""

SCOPES: dict[str, int] = {"gpu": 1, "cta": 2, "sys": 3}
"""Triton's encoding of the scopes of memory orders."""


def _name(table: dict[str, int], attribute: IntegerAttr) -> str:
    for name, number in table.items():
        if number == attribute.value.data:
            return name
    raise VerifyException(
        f"{attribute.value.data} is none of {', '.join(map(str, table.values()))}"
    )


def _order(sem: str, scope: str) -> dict[str, IntegerAttr]:
    """A memory order as properties."""
    return {
        "sem": IntegerAttr(SEMANTICS[sem], i32),
        "scope": IntegerAttr(SCOPES[scope], i32),
    }


class _Atomic(IRDLOperation):
    """Base class of atomics, with their memory order."""

    sem = prop_def(IntegerAttr)
    scope = prop_def(IntegerAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @property
    def order(self) -> tuple[str, str]:
        """Triton's words for the memory order and its scope."""
        return _name(SEMANTICS, self.sem), _name(SCOPES, self.scope)


@irdl_op_definition
class AtomicRMWOp(_Atomic):
    """Atomic read-modify-write with ``val``, where the mask is true; gives the old values.

    ```mlir
    %3 = tt.atomic_rmw 5 : i32 %0, %1, %2 1 : i32 1 : i32
        : tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
    ```
    """

    name = "tt.atomic_rmw"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    atomic_rmw_op = prop_def(IntegerAttr)
    ptr = operand_def()
    val = operand_def(_T)
    mask = operand_def()
    result = result_def(_T)

    assembly_format = (
        "$atomic_rmw_op $ptr `,` $val `,` $mask $sem $scope attr-dict "
        "`:` type($ptr) `,` type($val) `,` type($mask)"
    )

    def __init__(
        self, function: str, ptr: SSAValue, val: SSAValue, mask: SSAValue, sem: str, scope: str
    ) -> None:
        super().__init__(
            operands=[ptr, val, mask],
            properties={
                "atomic_rmw_op": IntegerAttr(ATOMIC_FUNCTIONS[function], i32),
                **_order(sem, scope),
            },
            result_types=[val.type],
        )

    @property
    def function(self) -> str:
        """Triton's word for the function."""
        return _name(ATOMIC_FUNCTIONS, self.atomic_rmw_op)

    def verify_(self) -> None:
        if self.val.type != pointee_of(self.ptr.type):
            raise VerifyException("tt.atomic_rmw: the value must be what the pointers point to")
        if self.mask.type != block_of(shape_of(self.ptr.type), i1):
            raise VerifyException("tt.atomic_rmw: one bit of mask a pointer")
        floats = isinstance(scalar_of(self.val.type), AnyFloat)
        if floats != (self.function == "fadd") and self.function != "exch":
            raise VerifyException(f"tt.atomic_rmw: {self.function} does not take {self.val.type}")
        _ = self.order


@irdl_op_definition
class AtomicCASOp(_Atomic):
    """Atomic compare-and-swap: ``val`` where the value is ``cmp``; gives the old values.

    ```mlir
    %3 = tt.atomic_cas %0, %1, %2 4 : i32 1 : i32 : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    ```
    """

    name = "tt.atomic_cas"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    ptr = operand_def()
    cmp = operand_def(_T)
    val = operand_def(_T)
    result = result_def(_T)

    assembly_format = "$ptr `,` $cmp `,` $val $sem $scope attr-dict `:` type($ptr) `,` type($val)"

    def __init__(self, ptr: SSAValue, cmp: SSAValue, val: SSAValue, sem: str, scope: str) -> None:
        super().__init__(
            operands=[ptr, cmp, val],
            properties=_order(sem, scope),
            result_types=[val.type],
        )

    def verify_(self) -> None:
        if self.val.type != pointee_of(self.ptr.type):
            raise VerifyException("tt.atomic_cas: the value must be what the pointers point to")
        _ = self.order


def _width(scalar: Attribute) -> int | None:
    """The width of a scalar type in bits, if it has one."""
    return scalar.bitwidth if isinstance(scalar, IntegerType | AnyFloat) else None


@irdl_op_definition
class BitcastOp(PureOp, Reshaping):
    """Bitcast to a scalar type of the same width; pointers stay pointers.

    ```mlir
    %1 = tt.bitcast %0 : tensor<64x!tt.ptr<f32>> -> tensor<64x!tt.ptr<i32>>
    ```
    """

    name = "tt.bitcast"

    src = operand_def()
    result = result_def()

    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue, scalar: Attribute) -> None:
        super().__init__(operands=[src], result_types=[block_of(shape_of(src.type), scalar)])

    def verify_(self) -> None:
        one, two = scalar_of(self.src.type), scalar_of(self.result.type)
        if shape_of(self.src.type) != shape_of(self.result.type):
            raise VerifyException("tt.bitcast: the shapes must be equal")
        # All pointers have one width; the pointee types are compared.
        if isinstance(one, PointerType) and isinstance(two, PointerType):
            one, two = one.pointee, two.pointee
        pointers = isinstance(one, PointerType) or isinstance(two, PointerType)
        if pointers or _width(one) is None or _width(one) != _width(two):
            raise VerifyException(f"tt.bitcast: {self.src.type} cannot become {self.result.type}")
