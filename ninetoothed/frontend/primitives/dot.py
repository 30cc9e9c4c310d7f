"""Matrix multiplication: dot and dot_scaled, batched too."""

from __future__ import annotations

from typing import Any

from xdsl.ir import SSAValue

from ninetoothed.errors import ArgumentError, ShapeError, TypeMismatchError
from ninetoothed.frontend import operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.primitives.casts import bitcast
from ninetoothed.frontend.primitives.constexprs import dtype_of, flag_of, one_of
from ninetoothed.frontend.primitives.handlers import HANDLERS, Bound
from ninetoothed.frontend.values import Value, describe
from ninetoothed.ir import nt
from ninetoothed.ir.dot_shapes import GROUP, ScaledSide, scaled_sides
from ninetoothed.ir.nt.dot import ELEMENTS
from ninetoothed.language import rules
from ninetoothed.language.table import Primitive
from ninetoothed.layout.meta_op import shape_text
from ninetoothed.symbolic.expr import IndexExpr
from ninetoothed.symbolic.normal_form import normalize

Shape = tuple[IndexExpr, ...]


@HANDLERS.register("dot")
def _dot(ctx: Context, row: Primitive, bound: Bound) -> Value:
    left = ctx.scalar(bound["input"], "the first matrix")
    right = ctx.scalar(bound["other"], "the second matrix")
    left, right, shape = _matched(ctx, row, left, right)
    precision, imprecise = _precision(bound), _imprecise(bound)
    out = None if bound["out_dtype"] is None else dtype_of(bound["out_dtype"], row.name)
    types = nt.dtype_of(left.type), nt.dtype_of(right.type)
    acc = ctx.read(bound["acc"])
    known = acc is None or isinstance(acc, bool | int | float)
    try:
        given = None if known else nt.dtype_of(ctx.scalar(acc, "acc").type)
        result = rules.dot_type(*types, given, out)
    except TypeError as error:
        raise TypeMismatchError(f"ntl.dot: {error}") from None
    acc = ctx.constant(acc or 0, result) if known else ctx.scalar(acc, "acc")
    return ctx.add(
        nt.DotOp(left, right, operators.broadcast_to(ctx, acc, shape), precision, imprecise)
    )


def _matched(
    ctx: Context, row: Primitive, left: SSAValue, right: SSAValue
) -> tuple[SSAValue, SSAValue, Shape]:
    """The operands of a dot and its result's shape; sizes that are not known to fit become a check
    of the call.
    """
    one, two = nt.shape_of(left.type), nt.shape_of(right.type)
    _check_ranks(row, one, two)
    for position, other in ((-1, -2), *([(0, 0)] if len(one) == 3 else [])):
        if _differ(one[position], two[other]):
            raise ShapeError(
                f"ntl.{row.name}: {shape_text(one)} and {shape_text(two)} do not multiply: "
                f"{one[position]} is not {two[other]}; transpose one with ntl.trans, or arrange it "
                "so that they agree"
            )
    right = operators.broadcast_to(ctx, right, (*one[:-2], one[-1], two[-1]))
    return left, right, (*one[:-1], two[-1])


def _check_ranks(row: Primitive, one: Shape, two: Shape) -> None:
    if len(one) != len(two) or len(one) not in (2, 3):
        raise ShapeError(
            f"ntl.{row.name} multiplies two blocks of two dims, or of three where the first counts "
            f"matrices, not {shape_text(one)} and {shape_text(two)}; insert dims, as in x[:, None]"
        )


def _differ(one: IndexExpr, two: IndexExpr) -> bool:
    return one != two and one.value is not None and two.value is not None


def _precision(bound: Bound) -> str | None:
    found, allowed = bound["input_precision"], bound["allow_tf32"]
    if allowed is not None:
        if found is not None:
            raise ArgumentError(
                "ntl.dot: input_precision and allow_tf32 mean the same; give one of them"
            )
        return "tf32" if flag_of(allowed, "dot", "allow_tf32") else "ieee"
    if found is None:
        return None
    name = found.lower() if isinstance(found, str) else found
    if name not in rules.PRECISIONS:
        raise ArgumentError(
            f"ntl.dot: input_precision is {one_of(rules.PRECISIONS)}, not {describe(found)}"
        )
    return name


def _imprecise(bound: Bound) -> int | None:
    found = bound["max_num_imprecise_acc"]
    if found is None or (type(found) is int and found >= 0):
        return found
    raise ArgumentError(
        "ntl.dot: max_num_imprecise_acc is how many products may be summed imprecisely, an integer "
        f"that is known when compiling, not {describe(found)}"
    )


@HANDLERS.register("dot_scaled")
def _dot_scaled(ctx: Context, row: Primitive, bound: Bound) -> Value:
    formats = (_format(bound, "lhs"), _format(bound, "rhs"))
    if set(formats) == {"bf16", "fp16"}:
        raise ArgumentError(
            "ntl.dot_scaled multiplies no 'bf16' with 'fp16'; convert one with .to(dtype)"
        )
    packed = (_k_packed(bound, "lhs", formats[0]), _k_packed(bound, "rhs", formats[1]))
    if dtype_of(bound["out_dtype"], row.name) != "fp32":
        raise TypeMismatchError(
            "ntl.dot_scaled gives fp32; leave out_dtype out, and convert with .to(dtype)"
        )
    values = (_elements(ctx, bound, "lhs", formats[0]), _elements(ctx, bound, "rhs", formats[1]))
    one, two = (nt.shape_of(value.type) for value in values)
    _check_ranks(row, one, two)
    left, right = scaled_sides(len(one), values, (None, None), formats, packed)
    values, shape = _scaled_values(ctx, row, left, right)
    left, right = scaled_sides(len(one), values, (None, None), formats, packed)
    scales = (_scale(ctx, bound, "lhs", left), _scale(ctx, bound, "rhs", right))
    acc = ctx.constant(0, "fp32") if bound["acc"] is None else ctx.scalar(bound["acc"], "acc")
    if nt.dtype_of(acc.type) != "fp32":
        raise TypeMismatchError(
            f"ntl.dot_scaled: the accumulator is fp32, not {nt.dtype_of(acc.type)}; convert it "
            "with .to(ntl.float32)"
        )
    acc = operators.broadcast_to(ctx, acc, shape)
    fast = flag_of(bound["fast_math"], row.name, "fast_math")
    return ctx.add(nt.DotScaledOp(values, acc, scales, formats, packed, fast))


def _format(bound: Bound, side: str) -> str:
    found = bound[f"{side}_format"]
    if found not in ELEMENTS:
        raise ArgumentError(
            f"ntl.dot_scaled: {side}_format is {one_of(ELEMENTS)}, not {describe(found)}"
        )
    return found


def _k_packed(bound: Bound, side: str, format: str) -> bool:
    packed = flag_of(bound[f"{side}_k_pack"], "dot_scaled", f"{side}_k_pack")
    if not packed and format != "e2m1":
        raise ArgumentError(
            f"ntl.dot_scaled: {side}_k_pack=False is for 'e2m1', which lies two a byte, not for "
            f"{format!r}; leave it out"
        )
    return packed


def _elements(ctx: Context, bound: Bound, side: str, format: str) -> SSAValue:
    """An operand in the element type of its format."""
    value = ctx.scalar(bound[side], side)
    dtype, wanted = nt.dtype_of(value.type), ELEMENTS[format]
    if dtype == wanted:
        return value
    raw = "u16" if wanted in ("bf16", "fp16") else "u8"
    if dtype != raw:
        either = wanted if wanted == raw else f"{wanted} or {raw}"
        raise TypeMismatchError(
            f"ntl.dot_scaled: {format!r} lies in {either}, not in {dtype}; pass such a tensor, or "
            "take its bits with .to(dtype, bitcast=True)"
        )
    return bitcast(ctx, value, wanted)


def _scaled_values(
    ctx: Context, row: Primitive, left: ScaledSide, right: ScaledSide
) -> tuple[tuple[SSAValue, SSAValue], Shape]:
    """The operands of a scaled dot, and its result's shape."""
    one, two = (nt.shape_of(side.value.type) for side in (left, right))
    rows, columns = left.elements(one), right.elements(two)
    depth = rows[-1]
    if _differ(normalize(depth), normalize(columns[-2])):
        raise ShapeError(
            f"ntl.{row.name}: elements of {shape_text(rows)} and {shape_text(columns)} do not "
            f"multiply: {depth} is not {columns[-2]}; arrange them so that they agree"
        )
    if depth.value is not None and depth.value % GROUP:
        raise ShapeError(
            f"ntl.{row.name} sums along {depth} elements, which is no multiple of {GROUP}; choose "
            "a block size that is one"
        )
    wanted = depth if right.packed != right.k else depth // 2
    shape = (*one[:-2], normalize(wanted), two[-1])
    value = operators.broadcast_to(ctx, right.value, shape)
    result = (*rows[:-1], right.elements(shape)[-1])
    return (left.value, value), tuple(normalize(size) for size in result)


def _scale(ctx: Context, bound: Bound, side: str, operand: ScaledSide) -> SSAValue | None:
    """The scales of an operand, one for 32 elements along K."""
    found: Any = ctx.read(bound[f"{side}_scale"])
    if found is None:
        return None
    scale = ctx.scalar(found, f"{side}_scale")
    dtype, shape = nt.dtype_of(scale.type), nt.shape_of(scale.type)
    if dtype != "u8":
        raise TypeMismatchError(
            f"ntl.dot_scaled: {side}_scale holds exponents of two in u8, not {dtype}; pass a "
            "tensor of torch.uint8"
        )
    elements = operand.elements(nt.shape_of(operand.value.type))
    expected = tuple(normalize(size) for size in operand.scales(elements))
    if len(shape) != len(expected) or any(map(_differ, shape, expected)):
        raise ShapeError(
            f"ntl.dot_scaled: {side}_scale must have the shape {shape_text(expected)}, one scale "
            f"for {GROUP} elements along K, not {shape_text(shape)}"
        )
    return operators.broadcast_to(ctx, scale, expected)
