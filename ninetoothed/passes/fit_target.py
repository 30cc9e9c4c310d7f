"""Legalize element types and dots for the target.

Element types that the target has not are an error at the user's line. Dots get the precision and
the accumulation that are the target's default; where K is smaller than its matrix units take at
least, lanes of zeros are put between the lanes of both operands, which adds nothing. Without a
target, for the CPU, all stays as it is.

Why here: sizes are those of the device since ``nt-pad-blocks``, whose stage ``padded`` it requires
and leaves; the ops are still the user's.

Before:

```mlir
// nt-opt -p 'nt-fit-target{target="sm_90"}'
nt.kernel @k arrange {
  nt.arranged
} apply {
  %0 = arith.constant 0.0 : f32
  %1 = nt.full %0 : f32 -> !nt.tensor<[16, 16] x f32>
  %2 = nt.dot %1, %1, %1
      : !nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 16] x f32> -> !nt.tensor<[16, 16] x f32>
  nt.return
}
```

After:

```mlir
nt.kernel @k arrange {
  nt.arranged
} apply {
  %0 = arith.constant 0.0 : f32
  %1 = nt.full %0 : f32 -> !nt.tensor<[16, 16] x f32>
  %2 = nt.dot %1, %1, %1 "tf32" imprecise 0 : i32
      : !nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 16] x f32> -> !nt.tensor<[16, 16] x f32>
  nt.return
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from ninetoothed.artifacts.capabilities import capabilities
from ninetoothed.artifacts.target import Target
from ninetoothed.dtype import DTYPES
from ninetoothed.errors import ArgumentError, CompilerError, TypeMismatchError
from ninetoothed.ir import nt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.rewriting import Inserter, op_pattern, rewrite_once
from ninetoothed.passes.lowering.identities import select
from ninetoothed.passes.lowering.masks import below
from ninetoothed.symbolic.expr import const


def _dtypes(op: Operation) -> Iterator[str]:
    for value in (*op.operands, *op.results):
        type: Attribute = value.type
        if nt.is_pointer(type):
            type = nt.pointee_of(type)
        try:
            yield nt.dtype_of(type)
        except KeyError:
            raise fail(op, f"{op.name}: {type} is no type of the language", CompilerError) from None


@dataclass(frozen=True)
class _Pattern(RewritePattern):
    target: Target


class CheckTypes(_Pattern):
    """Refuse element types that the target has not."""

    @op_pattern
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        known = capabilities(self.target).eight_bit_floats
        for dtype in _dtypes(op):
            row = DTYPES[dtype]
            if row.kind == "float" and row.bits == 8 and dtype not in known:
                raise fail(
                    op,
                    f"{self.target} has no {dtype}; use {' or '.join(known)}, "
                    "or a target that has it",
                    TypeMismatchError,
                )


class ChooseDotPrecision(_Pattern):
    """Choose the precision of a dot, and how it accumulates."""

    @op_pattern
    def match_and_rewrite(self, op: nt.DotOp, rewriter: PatternRewriter) -> None:
        dtype, device = nt.dtype_of(op.a.type), capabilities(self.target)
        known = device.dot_precisions
        if dtype != "fp32":
            op.precision = StringAttr(device.other_precision)
        elif op.precision is None:
            op.precision = StringAttr(known[0])
        elif op.precision.data not in known:
            raise fail(
                op,
                f"ntl.dot: {self.target} forms no products of fp32 in {op.precision.data!r}; "
                f"input_precision can be {', '.join(map(repr, known[:-1]))} or {known[-1]!r}",
                ArgumentError,
            )
        depth = _depth(op)
        eight = DTYPES[dtype].bits == 8 and DTYPES[dtype].kind == "float"
        if op.imprecise is None:
            op.imprecise = IntegerAttr(device.imprecise_sums if eight else 0, i32)
        elif eight and op.imprecise.value.data > depth:
            raise fail(
                op,
                f"ntl.dot: max_num_imprecise_acc is {op.imprecise.value.data}, and {depth} products "
                "are summed; give no more",
                ArgumentError,
            )


class DeepenDot(_Pattern):
    """Pad K of a dot with zeros to the least that matrix units take."""

    @op_pattern
    def match_and_rewrite(self, op: nt.DotOp, rewriter: PatternRewriter) -> None:
        least = capabilities(self.target).dot_depths[nt.dtype_of(op.a.type)]
        factor = least // max(_depth(op), 1)
        if factor > 1:
            inserter, rank = Inserter.before(op), len(nt.shape_of(op.a.type))
            op.operands[0] = _spread(inserter, op.a, rank - 1, factor)
            op.operands[1] = _spread(inserter, op.b, rank - 2, factor)


def _depth(op: nt.DotOp) -> int:
    """The size of K."""
    depth = nt.shape_of(op.a.type)[-1].value
    assert depth is not None
    return depth


def _spread(inserter: Inserter, value: SSAValue, dim: int, factor: int) -> SSAValue:
    """Interleave a dim: ``factor - 1`` lanes of zeros behind each lane."""
    sizes = list(nt.shape_of(value.type))
    wide = (*sizes[: dim + 1], const(factor), *sizes[dim + 1 :])
    value = inserter.add(nt.BroadcastOp(inserter.add(nt.ExpandDimsOp(value, dim + 1)), wide))
    value = select(inserter, below(inserter, wide, dim + 1, const(1)), value, 0)
    size = sizes[dim].value
    assert size is not None
    sizes[dim] = const(size * factor)
    return inserter.add(nt.ReshapeOp(value, sizes))


@dataclass(frozen=True)
class FitTargetPass(KernelPass):
    """Legalize element types and dots for the target."""

    name: ClassVar[str] = "nt-fit-target"

    target: str = ""
    """As in ``Target.parse``; of the CPU, nothing."""

    def apply_to(self, kernel: nt.KernelOp) -> None:
        if not self.target:
            return
        target = Target.parse(self.target)
        patterns = [CheckTypes(target), ChooseDotPrecision(target), DeepenDot(target)]
        rewrite_once(kernel.apply, patterns)
