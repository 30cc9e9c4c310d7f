"""Dots, reductions, scans and histograms."""

from __future__ import annotations

from xdsl.dialects.builtin import AnyFloat, BFloat16Type, Float32Type, IntegerType
from xdsl.ir import Attribute

from ninetoothed.backend.triton.expression import Expr, dtype_text, unsigned
from ninetoothed.backend.triton.spelling.operands import SPELLINGS, Operands, call_of, scalar_of
from ninetoothed.ir import tt


@SPELLINGS.register(tt.DotOp)
def _dot(operands: Operands, op: tt.DotOp) -> Expr:
    scalar, inputs = scalar_of(op), tt.scalar_of(op.a.type)
    texts = [operands.whole(value).text for value in (op.a, op.b)]
    if operands.expr(op.c).literal != 0:
        texts.append(operands.whole(op.c).text)
    if isinstance(inputs, Float32Type):
        texts.append(f'input_precision="{op.precision}"')
    imprecise, depth = op.maxNumImpreciseAcc.value.data, tt.shape_of(op.a.type)[-1]
    # Triton takes no number above K, but has one by default.
    if isinstance(inputs, AnyFloat) and inputs.bitwidth == 8 and imprecise <= depth:
        texts.append(f"max_num_imprecise_acc={imprecise}")
    if not isinstance(scalar, Float32Type):
        texts.append(f"out_dtype={dtype_text(scalar)}")
    return call_of(op, "tl.dot", *texts)


@SPELLINGS.register(tt.DotScaledOp)
def _dot_scaled(operands: Operands, op: tt.DotScaledOp) -> Expr:
    texts: list[str] = []
    for side in op.sides:
        value = operands.whole(side.value)
        texts += [
            (unsigned(value) if side.format == "e2m1" else value).text,
            "None" if side.scale is None else unsigned(operands.whole(side.scale)).text,
            f'"{side.format}"',
        ]
    if operands.expr(op.c).literal != 0:
        texts.append(f"acc={operands.whole(op.c).text}")
    flags = {"lhs_k_pack": op.lhs_k_pack, "rhs_k_pack": op.rhs_k_pack}
    texts.extend(f"{name}=False" for name, flag in flags.items() if not flag)
    if op.fastMath:
        texts.append("fast_math=True")
    return call_of(op, "tl.dot_scaled", *texts)


_REDUCTIONS = {
    "arith.addf": "tl.sum",
    "arith.addi": "tl.sum",
    "arith.maxnumf": "tl.max",
    "arith.maxsi": "tl.max",
    "arith.minnumf": "tl.min",
    "arith.minsi": "tl.min",
    "arith.xori": "tl.xor_sum",
}
_SCANS = {
    "arith.addf": "tl.cumsum",
    "arith.addi": "tl.cumsum",
    "arith.mulf": "tl.cumprod",
    "arith.muli": "tl.cumprod",
}


@SPELLINGS.register(tt.ReduceOp, tt.ScanOp)
def _reduce(operands: Operands, op: tt.ReduceOp | tt.ScanOp) -> Expr:
    texts = [operands.whole(source).text for source in op.srcs]
    values = texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
    axis = op.axis.value.data
    reverse = ["reverse=True"] if isinstance(op, tt.ScanOp) and op.reverse else []
    if (function := _common_combination(op)) is not None:
        return call_of(op, function, values, f"axis={axis}", *reverse)
    function = "tl.reduce" if isinstance(op, tt.ReduceOp) else "tl.associative_scan"
    return call_of(op, function, values, axis, operands.combine(op), *reverse)


def _common_combination(op: tt.ReduceOp | tt.ScanOp) -> str | None:
    """The function of Triton that combines as ``op`` does, in the same element type."""
    block = op.combine.block
    first, last = block.first_op, block.last_op
    if len(op.srcs) != 1 or first is None or last is None or first.next_op is not last:
        return None
    if set(first.operands) != set(block.args) or list(last.operands) != list(first.results):
        return None
    found = (_REDUCTIONS if isinstance(op, tt.ReduceOp) else _SCANS).get(first.name)
    keeps = found is not None and _keeps_type(found, tt.scalar_of(op.srcs[0].type))
    return found if keeps else None


def _keeps_type(function: str, scalar: Attribute) -> bool:
    """True if Triton 3.6 and 3.9 combine in ``scalar``."""
    if function == "tl.xor_sum":
        return True
    if isinstance(scalar, IntegerType):
        return scalar.bitwidth >= 32
    if function == "tl.sum":
        return True
    if function in ("tl.cumsum", "tl.cumprod"):
        return not isinstance(scalar, BFloat16Type)
    return isinstance(scalar, AnyFloat) and scalar.bitwidth >= 32


@SPELLINGS.register(tt.HistogramOp)
def _histogram(operands: Operands, op: tt.HistogramOp) -> Expr:
    (bins,) = tt.shape_of(op.result.type)
    masked = [] if op.mask is None else [f"mask={operands.whole(op.mask).text}"]
    return call_of(op, "tl.histogram", operands.whole(op.src).text, bins, *masked)
