"""Products of matrices."""

from __future__ import annotations

from xdsl.dialects.builtin import AnyFloat, Float32Type
from xdsl.ir import SSAValue

from ninetoothed.backend.expression import (
    POSTFIX,
    Expr,
    as_unsigned,
    dtype_text,
    exact,
    typed_unsigned,
)
from ninetoothed.backend.spelling.operands import Operands, Spelling, scalar_of
from ninetoothed.ir import tt


def _whole(operands: Operands, value: SSAValue) -> Expr:
    return exact(operands.expr(value), tt.shape_of(value.type))


def _dot(operands: Operands, op: tt.DotOp) -> Expr:
    scalar, inputs = scalar_of(op), tt.scalar_of(op.a.type)
    texts = [_whole(operands, value).text for value in (op.a, op.b)]
    if operands.expr(op.c).literal != 0:
        texts.append(_whole(operands, op.c).text)
    if isinstance(inputs, Float32Type):
        texts.append(f'input_precision="{op.precision}"')
    imprecise, depth = op.maxNumImpreciseAcc.value.data, tt.shape_of(op.a.type)[-1]
    # Triton takes no number above K, but has one by default.
    if isinstance(inputs, AnyFloat) and inputs.bitwidth == 8 and imprecise <= depth:
        texts.append(f"max_num_imprecise_acc={imprecise}")
    if not isinstance(scalar, Float32Type):
        texts.append(f"out_dtype={dtype_text(scalar)}")
    return Expr(f"tl.dot({', '.join(texts)})", POSTFIX, tt.shape_of(op.result.type), scalar)


def _dot_scaled(operands: Operands, op: tt.DotScaledOp) -> Expr:
    texts: list[str] = []
    for side in op.sides:
        value = _whole(operands, side.value)
        if side.format == "e2m1":
            value = typed_unsigned(as_unsigned(value))
        texts.append(value.text)
        if side.scale is None:
            texts.append("None")
        else:
            texts.append(typed_unsigned(as_unsigned(_whole(operands, side.scale))).text)
        texts.append(f'"{side.format}"')
    if operands.expr(op.c).literal != 0:
        texts.append(f"acc={_whole(operands, op.c).text}")
    flags = {"lhs_k_pack": op.lhs_k_pack, "rhs_k_pack": op.rhs_k_pack}
    texts.extend(f"{name}=False" for name, flag in flags.items() if not flag)
    if op.fastMath:
        texts.append("fast_math=True")
    shape = tt.shape_of(op.result.type)
    return Expr(f"tl.dot_scaled({', '.join(texts)})", POSTFIX, shape, scalar_of(op))


SPELLINGS: dict[str, Spelling] = {"tt.dot": _dot, "tt.dot_scaled": _dot_scaled}
