"""Lanes outside the guard take the identity where lanes are combined, unless the user chose ``other``.

A reduction along a dim, and a dot along K, must not see what an access did not read. Where the operand is a load that
has no ``other``, its unspecified lanes are free, and the identity becomes its ``other``. Else the guard of the operand
is computed beside it (elementwise: the conjunction; ``where``: of the chosen side; a loop carries its guards), and
the operand is selected by it.

Why here: guards are facts of accesses, before lanes are padded. It requires and leaves stage ``composed``.

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %1 = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %2 = nt.reduce "max" %1 axis [0] : !nt.tensor<[64] x f32> -> f32
  %3 = nt.full %2 : f32 -> !nt.tensor<[64] x f32>
  nt.store %3, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.finish
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %1 = nt.load %a[] other 0xFF800000 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %2 = nt.reduce "max" %1 axis [0] : !nt.tensor<[64] x f32> -> f32
  %3 = nt.full %2 : f32 -> !nt.tensor<[64] x f32>
  nt.store %3, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.finish
}
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ninetoothed.ir import nt
from ninetoothed.ir.rewriting import Inserter, replace
from ninetoothed.passes.lowering.identities import combined_operands, fill, select

_MOVES = (nt.CastOp, nt.BroadcastOp, nt.ExpandDimsOp, nt.TransOp)


def _behind(value: SSAValue) -> Inserter:
    """Right behind where ``value`` is defined."""
    owner = value.owner
    if isinstance(owner, Block):
        parent = owner.parent_op()
        assert parent is not None
        return Inserter(InsertPoint.at_start(owner), parent)
    return Inserter(InsertPoint.after(owner), owner)


def _yielded(op: Operation) -> list[scf.YieldOp]:
    """The terminators of a loop's or a branch's regions."""
    found = [region.block.last_op for region in op.regions]
    return [terminator for terminator in found if isinstance(terminator, scf.YieldOp)]


class _Guards:
    """Which lanes of a value are real: asked without, and then computed with, ops beside the value."""

    def __init__(self, kernel: nt.KernelOp) -> None:
        self.kernel = kernel
        self.memo: dict[SSAValue, SSAValue] = {}
        # Asked before any load gets an identity, which makes no lane real.
        self.partial = {
            op.result
            for op in kernel.apply.walk()
            if isinstance(op, nt.LoadOp) and self._guarded(op)
        }

    def unreal(self, value: SSAValue, visiting: frozenset[SSAValue] = frozenset()) -> bool:
        """Whether some lane of ``value`` may be outside its guard."""
        if value in visiting:
            return False
        visiting |= {value}
        return value in self.partial or any(
            self.unreal(origin, visiting) for origin in self._origins(value)
        )

    def _origins(self, value: SSAValue) -> list[SSAValue]:
        """The values whose guards make that of ``value``."""
        owner = value.owner
        if isinstance(value, BlockArgument):
            loop = value.block.parent_op()
            if not isinstance(loop, scf.ForOp) or value.index == 0:
                return []
            position = value.index - 1
            return [loop.iter_args[position], *(y.arguments[position] for y in _yielded(loop))]
        if isinstance(owner, nt.MapOp):
            return list(owner.arguments)
        if isinstance(owner, _MOVES):
            return [owner.operands[0]]
        if isinstance(owner, scf.ForOp | scf.IfOp):
            position = list(owner.results).index(value)
            sides = [terminator.arguments[position] for terminator in _yielded(owner)]
            initial = [owner.iter_args[position]] if isinstance(owner, scf.ForOp) else []
            return [*initial, *sides]
        return []

    def _guarded(self, op: nt.LoadOp) -> bool:
        if op.other is not None or not isinstance(op.ref, BlockArgument):
            return False
        source, access = nt.access_of(
            self.kernel.arranged.values[op.ref.index], self.kernel.assumptions
        )
        return source.kind.data == "tensor" and bool(access.data.guards)

    def bits(self, value: SSAValue) -> SSAValue:
        """The guard of ``value`` as bits of its shape."""
        known = self.memo.get(value)
        if known is None:
            known = self._build(value) if self.unreal(value) else self._all_set(value)
            self.memo[value] = known
        return known

    def _all_set(self, value: SSAValue) -> SSAValue:
        inserter = _behind(value)
        bit = arith.ConstantOp(IntegerAttr(1, i1))
        inserter.insert(bit)
        shape = nt.shape_of(value.type)
        if not shape:
            return bit.result
        return Inserter(InsertPoint.after(bit), bit).add(
            nt.FullOp(bit, nt.block_type(shape, i1))
        )

    def _build(self, value: SSAValue) -> SSAValue:
        owner = value.owner
        if isinstance(owner, nt.LoadOp):
            return _behind(value).add(nt.GuardOp(owner.ref, list(owner.indices)))
        if isinstance(owner, nt.MapOp):
            return self._mapped(owner)
        if isinstance(owner, _MOVES):
            return self._moved(owner)
        if isinstance(owner, scf.IfOp):
            return self._chosen(owner, list(owner.results).index(value))
        loop = value.block.parent_op() if isinstance(value, BlockArgument) else owner
        assert isinstance(loop, scf.ForOp)
        position = (
            value.index - 1
            if isinstance(value, BlockArgument)
            else list(loop.results).index(value)
        )
        argument, result = self._carried(loop, position)
        return argument if isinstance(value, BlockArgument) else result

    def _mapped(self, op: nt.MapOp) -> SSAValue:
        guards = [self.bits(argument) for argument in op.arguments]
        type = nt.with_scalar(op.result.type, i1)
        inserter = _behind(op.result)
        if op.function.data == "where":
            condition, left, right = guards
            chosen = nt.MapOp("where", [op.arguments[0], left, right], type)
            inserter.insert(chosen)
            return _behind(chosen.result).add(nt.MapOp("and", [condition, chosen.result], type))
        result = guards[0]
        for guard in guards[1:]:
            result = inserter.add(nt.MapOp("and", [result, guard], type))
            inserter = _behind(result)
        return result

    def _moved(self, op: Operation) -> SSAValue:
        guard = self.bits(op.operands[0])
        if isinstance(op, nt.CastOp):
            return guard
        type = nt.with_scalar(op.results[0].type, i1)
        moved = op.create(operands=[guard], properties=dict(op.properties), result_types=[type])
        return _behind(op.results[0]).add(moved)

    def _carried(self, loop: scf.ForOp, position: int) -> tuple[SSAValue, SSAValue]:
        """One more value carried by ``loop``: the guard of the one at ``position``."""
        start = self.bits(loop.iter_args[position])
        body = loop.body.block
        argument = body.insert_arg(start.type, len(body.args))
        self.memo[body.args[position + 1]] = argument
        terminator = _yielded(loop)[0]
        terminator.operands = [*terminator.operands, self.bits(terminator.arguments[position])]
        new = scf.ForOp(
            loop.lb, loop.ub, loop.step, [*loop.iter_args, start], loop.detach_region(loop.body)
        )
        result = self._swap(loop, new)
        self.memo[new.results[position]] = result
        return argument, result

    def _chosen(self, op: scf.IfOp, position: int) -> SSAValue:
        """One more result of a branch: the guard of the one at ``position``."""
        for terminator in _yielded(op):
            guard = self.bits(terminator.arguments[position])
            terminator.operands = [*terminator.operands, guard]
        types = [value.type for value in _yielded(op)[0].arguments]
        regions = [op.detach_region(region) for region in list(op.regions)]
        return self._swap(op, scf.IfOp(op.cond, types, *regions))

    def _swap(self, old: Operation, new: Operation) -> SSAValue:
        """Put ``new``, which has one more result, in the place of ``old``; that result."""
        new.location = old.location
        Rewriter.insert_op(new, InsertPoint.before(old))
        for before, after in zip(old.results, new.results, strict=False):
            if before in self.memo:
                self.memo[after] = self.memo.pop(before)
        replace(old, new.results[: len(old.results)])
        return new.results[-1]


def _mask(kernel: nt.KernelOp) -> None:
    guards = _Guards(kernel)
    for op in list(kernel.apply.walk()):
        for index, _, identity in combined_operands(op):
            value = op.operands[index]
            if guards.unreal(value) and not fill(value, identity):
                op.operands[index] = select(Inserter.before(op), guards.bits(value), value, identity)


@dataclass(frozen=True)
class MaskReductionsPass(ModulePass):
    """Identities in unread lanes."""

    name: ClassVar[str] = "nt-mask-reductions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.body.ops:
            if isinstance(kernel, nt.KernelOp):
                _mask(kernel)
