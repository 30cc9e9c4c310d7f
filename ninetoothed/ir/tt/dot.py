"""Matrix multiplications, also batched."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, TensorType, i32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import PureOp
from ninetoothed.ir.dot_shapes import FORMATS, ScaledSide, multiply, scaled_sides
from ninetoothed.ir.tt.types import shape_of
from ninetoothed.language.rules import PRECISIONS


@irdl_op_definition
class DotOp(PureOp):
    """Matrix multiplication ``a @ b + c``, batched with three dims. ``inputPrecision`` is an index
    into ``PRECISIONS``, ``maxNumImpreciseAcc`` is how many products of eight-bit floats are
    accumulated in less than 32 bits.

    ```mlir
    %3 = tt.dot %0, %1, %2 0 : i32 0 : i32 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    ```
    """

    name = "tt.dot"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    a = operand_def(TensorType)
    b = operand_def(TensorType)
    c = operand_def(_T)
    inputPrecision = prop_def(IntegerAttr)
    maxNumImpreciseAcc = prop_def(IntegerAttr)
    result = result_def(_T)

    assembly_format = (
        "$a `,` $b `,` $c $inputPrecision $maxNumImpreciseAcc attr-dict "
        "`:` type($a) `*` type($b) `->` type($result)"
    )

    def __init__(
        self, a: SSAValue, b: SSAValue, c: SSAValue, precision: str, imprecise: int = 0
    ) -> None:
        super().__init__(
            operands=[a, b, c],
            properties={
                "inputPrecision": IntegerAttr(PRECISIONS.index(precision), i32),
                "maxNumImpreciseAcc": IntegerAttr(imprecise, i32),
            },
            result_types=[c.type],
        )

    @property
    def precision(self) -> str:
        """The input precision for f32."""
        return PRECISIONS[self.inputPrecision.value.data]

    def verify_(self) -> None:
        number = self.inputPrecision.value.data
        if not 0 <= number < len(PRECISIONS):
            raise VerifyException(f"tt.dot: there is no precision {number}")
        a, b, c = shape_of(self.a.type), shape_of(self.b.type), shape_of(self.c.type)
        if multiply(a, b) != c:
            raise VerifyException(f"tt.dot: shapes {a}, {b} and {c} do not multiply")


@irdl_op_definition
class DotScaledOp(PureOp):
    """Microscaling matrix multiplication ``(a * a_scale) @ (b * b_scale) + c``: a scale is the
    exponent of a power of two for 32 elements along K. ``a_elem_type`` and ``b_elem_type`` are
    entries of ``FORMATS``; where ``lhs_k_pack`` is false, ``e2m1`` is packed along M, and for the
    right one along N.

    ```mlir
    %3 = "tt.dot_scaled"(%0, %1, %2, %s)
        <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>, a_elem_type = 4 : i32,
          b_elem_type = 0 : i32, fastMath = false, lhs_k_pack = true, rhs_k_pack = true}>
        : (tensor<64x32xi8>, tensor<64x64xf8E4M3FN>, tensor<64x64xf32>, tensor<64x2xi8>)
        -> tensor<64x64xf32>
    ```
    """

    name = "tt.dot_scaled"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    a = operand_def(TensorType)
    b = operand_def(TensorType)
    c = operand_def(_T)
    a_scale = opt_operand_def(TensorType)
    b_scale = opt_operand_def(TensorType)
    a_elem_type = prop_def(IntegerAttr)
    b_elem_type = prop_def(IntegerAttr)
    fastMath = prop_def(BoolAttr)
    lhs_k_pack = prop_def(BoolAttr)
    rhs_k_pack = prop_def(BoolAttr)
    result = result_def(_T)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        values: tuple[SSAValue, SSAValue],
        c: SSAValue,
        scales: tuple[SSAValue | None, SSAValue | None],
        formats: tuple[str, str],
        k_packed: tuple[bool, bool],
        fast_math: bool,
    ) -> None:
        super().__init__(
            operands=[*values, c, *scales],
            properties={
                "a_elem_type": IntegerAttr(FORMATS[formats[0]], i32),
                "b_elem_type": IntegerAttr(FORMATS[formats[1]], i32),
                "fastMath": BoolAttr.from_bool(fast_math),
                "lhs_k_pack": BoolAttr.from_bool(k_packed[0]),
                "rhs_k_pack": BoolAttr.from_bool(k_packed[1]),
            },
            result_types=[c.type],
        )

    @property
    def sides(self) -> tuple[ScaledSide, ScaledSide]:
        """The two operands."""
        names = {number: name for name, number in FORMATS.items()}
        return scaled_sides(
            len(shape_of(self.a.type)),
            (self.a, self.b),
            (self.a_scale, self.b_scale),
            (names[self.a_elem_type.value.data], names[self.b_elem_type.value.data]),
            (bool(self.lhs_k_pack), bool(self.rhs_k_pack)),
        )

    @property
    def depth(self) -> int:
        """The size of K."""
        left, _ = self.sides
        return left.elements(shape_of(self.a.type))[-1]

    def verify_(self) -> None:
        for type in (self.a_elem_type.value.data, self.b_elem_type.value.data):
            if type not in FORMATS.values():
                raise VerifyException(f"tt.dot_scaled: there is no format {type}")
        a, b = (side.elements(shape_of(side.value.type)) for side in self.sides)
        c = shape_of(self.c.type)
        if multiply(a, b) != c:
            raise VerifyException(
                f"tt.dot_scaled: elements of shapes {a}, {b} and {c} do not multiply"
            )
        for side, elements in zip(self.sides, (a, b), strict=True):
            expected = side.scales(elements)
            if side.scale is not None and shape_of(side.scale.type) != expected:
                raise VerifyException(f"tt.dot_scaled: a scale must have the shape {expected}")
