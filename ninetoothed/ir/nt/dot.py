"""Matrix multiplications, also batched."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, StringAttr, i32
from xdsl.ir import Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import PureOp
from ninetoothed.ir.dot_shapes import FORMATS, ScaledSide, multiply, scaled_sides
from ninetoothed.ir.nt.attributes import TensorType, dtype_of, scalar_type
from ninetoothed.ir.nt.types import block_type, shape_of
from ninetoothed.language import rules
from ninetoothed.symbolic.expr import IndexExpr
from ninetoothed.symbolic.normal_form import normalize

ELEMENTS = {"e2m1": "u8", "e4m3": "fp8e4nv", "e5m2": "fp8e5", "bf16": "bf16", "fp16": "fp16"}
"""The element types that hold the formats of scaled operands."""


@irdl_op_definition
class DotOp(PureOp):
    """Matrix multiplication ``a @ b + acc``, also batched; lanes of ``a`` and ``b`` that are not
    valid read 0 along K.

    ``precision``: input precision for f32, an entry of ``rules.PRECISIONS``. ``imprecise``: how
    many products of eight-bit floats may be accumulated in less than 32 bits. Without them, the
    target's default.

    ```mlir
    %3 = nt.dot %0, %1, %2 "tf32"
        : !nt.tensor<[BM, BK] x f16>, !nt.tensor<[BK, BN] x f16> -> !nt.tensor<[BM, BN] x f32>
    ```
    """

    name = "nt.dot"

    _T: ClassVar = VarConstraint("_T", base(TensorType))

    a = operand_def(TensorType)
    b = operand_def(TensorType)
    acc = operand_def(_T)
    precision = opt_prop_def(StringAttr)
    imprecise = opt_prop_def(IntegerAttr)
    result = result_def(_T)

    assembly_format = (
        "$a `,` $b `,` $acc ($precision^)? (`imprecise` $imprecise^)? attr-dict "
        "`:` type($a) `,` type($b) `->` type($result)"
    )

    def __init__(
        self,
        a: SSAValue,
        b: SSAValue,
        acc: SSAValue | Operation,
        precision: str | None = None,
        imprecise: int | None = None,
    ) -> None:
        acc = SSAValue.get(acc)
        properties: dict[str, StringAttr | IntegerAttr] = {}
        if precision is not None:
            properties["precision"] = StringAttr(precision)
        if imprecise is not None:
            properties["imprecise"] = IntegerAttr(imprecise, i32)
        super().__init__(operands=[a, b, acc], properties=properties, result_types=[acc.type])

    def verify_(self) -> None:
        shape = multiply(shape_of(self.a.type), shape_of(self.b.type))
        if shape is None:
            raise VerifyException(f"nt.dot: {self.a.type} and {self.b.type} do not multiply")
        if shape_of(self.acc.type) != shape:
            raise VerifyException(f"nt.dot: the accumulator cannot be {self.acc.type}")
        if self.precision is not None and self.precision.data not in rules.PRECISIONS:
            raise VerifyException(f"nt.dot: there is no precision {self.precision.data}")
        left, right, result = (dtype_of(value.type) for value in (self.a, self.b, self.result))
        try:
            found = rules.dot_types(left, right)
        except TypeError as error:
            raise VerifyException(f"nt.dot: {error}") from None
        if result not in found:
            raise VerifyException(f"nt.dot: a product of {left} and {right} is no {result}")


@irdl_op_definition
class DotScaledOp(PureOp):
    """Microscaling matrix multiplication ``(a * a_scale) @ (b * b_scale) + acc``: a scale ``s`` of
    ``ui8`` is the factor ``2 ** (s - 127)`` of 32 elements along K; 255 is a NaN. Lanes of ``a``
    and ``b`` that are not valid read 0 along K, those of the scales 127.

    ``a_format`` and ``b_format`` are entries of ``FORMATS``; where ``a_k_pack`` is false, ``e2m1``
    is packed along M, and for ``b`` along N.

    ```mlir
    %3 = "nt.dot_scaled"(%0, %1, %2, %s)
        <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>, a_format = "e2m1", b_format = "e4m3",
          a_k_pack = true, b_k_pack = true, fast_math = false}>
        : (!nt.tensor<[64, 32] x ui8>, !nt.tensor<[64, 64] x f8E4M3FN>,
           !nt.tensor<[64, 64] x f32>, !nt.tensor<[64, 2] x ui8>) -> !nt.tensor<[64, 64] x f32>
    ```
    """

    name = "nt.dot_scaled"

    _T: ClassVar = VarConstraint("_T", base(TensorType))

    a = operand_def(TensorType)
    b = operand_def(TensorType)
    acc = operand_def(_T)
    a_scale = opt_operand_def(TensorType)
    b_scale = opt_operand_def(TensorType)
    a_format = prop_def(StringAttr)
    b_format = prop_def(StringAttr)
    a_k_pack = prop_def(BoolAttr)
    b_k_pack = prop_def(BoolAttr)
    fast_math = prop_def(BoolAttr)
    result = result_def(_T)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        values: tuple[SSAValue, SSAValue],
        acc: SSAValue,
        scales: tuple[SSAValue | None, SSAValue | None],
        formats: tuple[str, str],
        k_packed: tuple[bool, bool],
        fast_math: bool,
    ) -> None:
        super().__init__(
            operands=[*values, acc, *scales],
            properties={
                "a_format": StringAttr(formats[0]),
                "b_format": StringAttr(formats[1]),
                "a_k_pack": BoolAttr.from_bool(k_packed[0]),
                "b_k_pack": BoolAttr.from_bool(k_packed[1]),
                "fast_math": BoolAttr.from_bool(fast_math),
            },
            result_types=[acc.type],
        )

    @property
    def k_packed(self) -> tuple[bool, bool]:
        """For each operand, True if elements are packed along K."""
        return bool(self.a_k_pack), bool(self.b_k_pack)

    @property
    def formats(self) -> tuple[str, str]:
        """The operands' formats."""
        return self.a_format.data, self.b_format.data

    @property
    def sides(self) -> tuple[ScaledSide, ScaledSide]:
        """The two operands."""
        scales = (self.a_scale, self.b_scale)
        rank = len(shape_of(self.a.type))
        return scaled_sides(rank, (self.a, self.b), scales, self.formats, self.k_packed)

    @property
    def depth(self) -> IndexExpr:
        """The size of K."""
        left, _ = self.sides
        return left.elements(shape_of(self.a.type))[-1]

    def verify_(self) -> None:
        for format in self.formats:
            if format not in FORMATS:
                raise VerifyException(f"nt.dot_scaled: there is no format {format}")
        a, b = (normal(side.elements(shape_of(side.value.type))) for side in self.sides)
        if multiply(a, b) != shape_of(self.acc.type):
            raise VerifyException(
                f"nt.dot_scaled: {self.a.type} and {self.b.type} do not multiply to {self.acc.type}"
            )
        for side, elements in zip(self.sides, (a, b), strict=True):
            if dtype_of(side.value.type) != ELEMENTS[side.format]:
                raise VerifyException(
                    f"nt.dot_scaled: {side.format} lies in {ELEMENTS[side.format]}"
                )
            expected = block_type(normal(side.scales(elements)), scalar_type("u8"))
            if side.scale is not None and side.scale.type != expected:
                raise VerifyException(f"nt.dot_scaled: a scale must be {expected}")


def normal(sizes: Iterable[IndexExpr]) -> tuple[IndexExpr, ...]:
    """Sizes in normal form."""
    return tuple(normalize(size) for size in sizes)


AnyDotOp = DotOp | DotScaledOp


def has_dot(region: Region) -> bool:
    """True if an op of a region, or within one of them, is a dot."""
    return any(isinstance(op, AnyDotOp) for op in region.walk())
