"""Lanes outside the guard take the identity where lanes are combined, unless the user chose
``other``.

A reduction along a dim, and a dot along K, must not see what an access did not read. Where the
operand is a load that has no ``other``, its unspecified lanes are free, and the identity becomes
its ``other``. Else the guard of the operand is computed beside it (elementwise: the conjunction;
``where``: of the chosen side; a loop carries its guards), and the operand is selected by it. A mask
of pointers is false where it is outside its own guard: what it would say there is not known.

Why here: guards are facts of accesses, before lanes are padded. It requires and leaves stage
``composed``.

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
from typing import ClassVar, cast

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ninetoothed.ir import nt
from ninetoothed.ir.rewriting import Inserter, replace
from ninetoothed.passes.lowering.identities import combined_operands, fill, select

_MOVES = (nt.CastOp, nt.BroadcastOp, nt.ExpandDimsOp, nt.TransOp, nt.FlipOp)
_MASKED = (nt.PointerLoadOp, nt.AtomicOp)


def _behind(value: SSAValue) -> Inserter:
    """Right behind where ``value`` is defined."""
    owner = value.owner
    if isinstance(owner, Block):
        parent = owner.parent_op()
        assert parent is not None
        return Inserter(InsertPoint.at_start(owner), parent)
    return Inserter(InsertPoint.after(owner), owner)


def _leaves_lanes(op: nt.PointerLoadOp | nt.AtomicOp) -> bool:
    """Whether what is read has lanes that are masked and have no value."""
    return op.mask is not None and not (isinstance(op, nt.PointerLoadOp) and op.other is not None)


def _yielded(op: Operation) -> list[scf.YieldOp]:
    """The terminators of a loop's or a branch's regions."""
    found = [region.block.last_op for region in op.regions]
    return [terminator for terminator in found if isinstance(terminator, scf.YieldOp)]


def _position(op: Operation, value: SSAValue) -> int:
    """Which of the results of ``op`` the value is."""
    return [*op.results].index(cast("OpResult", value))


def _carried_by(value: SSAValue) -> tuple[Block | None, int]:
    """The body of the loop that carries ``value``, and its position among what the loop carries."""
    if isinstance(value, BlockArgument):
        return value.block, value.index - 1
    if isinstance(value.owner, scf.ForOp):
        return value.owner.body.block, _position(value.owner, value)
    return None, 0


def _depth(block: Block) -> int:
    op = block.parent_op()
    return 0 if op is None or op.parent is None else 1 + _depth(op.parent)


class _Guards:
    """Which lanes of a value are real: asked without, and then computed with, ops beside the value."""

    def __init__(self, kernel: nt.KernelOp) -> None:
        self.kernel = kernel
        self.memo: dict[SSAValue, SSAValue] = {}
        # The results of loops and branches that were replaced by ones with more results.
        self.renamed: dict[SSAValue, SSAValue] = {}
        # Found before any load is given an identity, which makes no lane real.
        self.partial = self._partial()

    def _partial(self) -> set[SSAValue]:
        """The values some lane of which may be outside their guard; a fixpoint, since loops carry
        guards.
        """
        values: list[SSAValue] = []
        for op in self.kernel.apply.walk():
            values.extend(op.results)
            values.extend(arg for region in op.regions for arg in region.block.args)
        found: set[SSAValue] = {
            value
            for value in values
            if (isinstance(value.owner, nt.LoadOp) and self._guarded(value.owner))
            or (isinstance(value.owner, _MASKED) and _leaves_lanes(value.owner))
        }
        before = -1
        while len(found) != before:
            before = len(found)
            # In order of definition, so that one round follows a whole chain.
            for value in values:
                if any(origin in found for origin in self._origins(value)):
                    found.add(value)
        return found

    def unreal(self, value: SSAValue) -> bool:
        """Whether some lane of ``value`` may be outside its guard."""
        return value in self.partial

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
        if isinstance(owner, _MASKED) and _leaves_lanes(owner) and owner.mask is not None:
            return [owner.mask]
        if isinstance(owner, scf.ForOp | scf.IfOp):
            position = _position(owner, value)
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
        value = self._current(value)
        if value not in self.memo:
            if not self.unreal(value):
                self.memo[value] = self._all_set(value)
                return self.memo[value]
            reached = self._reached(value)
            self._carry_all(reached)
            for step in reached:
                step = self._current(step)
                if step not in self.memo:
                    self.memo[step] = self._build(step)
        return self.memo[self._current(value)]

    def _current(self, value: SSAValue) -> SSAValue:
        while value in self.renamed:
            value = self.renamed[value]
        return value

    def _reached(self, value: SSAValue) -> list[SSAValue]:
        """The values whose guards make that of ``value`` and are not computed yet, origins first."""
        order: list[SSAValue] = []
        seen = {value}
        stack = [(value, iter(self._origins(value)))]
        while stack:
            current, origins = stack[-1]
            for origin in origins:
                if origin not in seen and origin not in self.memo and self.unreal(origin):
                    seen.add(origin)
                    stack.append((origin, iter(self._origins(origin))))
                    break
            else:
                order.append(current)
                stack.pop()
        return order

    def _carry_all(self, reached: list[SSAValue]) -> None:
        """Let every loop on the way carry the guards that are needed, outer loops first.

        An inner loop's guards may need an outer one's, and find them there.
        """
        positions: dict[Block, dict[int, None]] = {}
        for value in reached:
            body, position = _carried_by(value)
            if body is not None:
                positions.setdefault(body, {})[position] = None
        for body in sorted(positions, key=_depth):
            needed = [at for at in positions[body] if body.args[at + 1] not in self.memo]
            if needed:
                self._carry(body, needed)

    def _all_set(self, value: SSAValue) -> SSAValue:
        inserter = _behind(value)
        bit = arith.ConstantOp(IntegerAttr(1, i1))
        inserter.insert(bit)
        shape = nt.shape_of(value.type)
        if not shape:
            return bit.result
        return Inserter(InsertPoint.after(bit), bit).add(nt.FullOp(bit, nt.block_type(shape, i1)))

    def _build(self, value: SSAValue) -> SSAValue:
        owner = value.owner
        if isinstance(owner, nt.LoadOp):
            return _behind(value).add(nt.GuardOp(owner.ref, list(owner.indices)))
        if isinstance(owner, nt.MapOp):
            return self._mapped(owner)
        if isinstance(owner, _MOVES):
            return self._moved(owner)
        if isinstance(owner, _MASKED) and owner.mask is not None:
            return self.known(owner.mask, _behind(value))
        assert isinstance(owner, scf.IfOp)
        return self._chosen(owner, _position(owner, value))

    def known(self, mask: SSAValue, inserter: Inserter) -> SSAValue:
        """``mask`` where it is inside its guard, else false."""
        if not self.unreal(mask):
            return mask
        bits = self.bits(mask)
        return inserter.add(nt.MapOp("and", [self._current(mask), bits], bits.type))

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

    def _carry(self, body: Block, positions: list[int]) -> None:
        """Let the loop around ``body`` carry the guards of the values at ``positions``."""

        def loop() -> scf.ForOp:
            found = body.parent_op()
            assert isinstance(found, scf.ForOp)
            return found

        starts = [self.bits(loop().iter_args[position]) for position in positions]
        for position, start in zip(positions, starts, strict=True):
            argument = body.insert_arg(start.type, len(body.args))
            self.memo[body.args[position + 1]] = argument
        (terminator,) = _yielded(loop())
        ends = [self.bits(terminator.arguments[position]) for position in positions]
        terminator.operands = [*terminator.operands, *ends]
        old = loop()
        new = scf.ForOp(
            old.lb, old.ub, old.step, [*old.iter_args, *starts], old.detach_region(old.body)
        )
        new.attributes.update(old.attributes)
        self._swap(old, new, positions)

    def _chosen(self, op: scf.IfOp, position: int) -> SSAValue:
        """One more result of a branch: the guard of the one at ``position``."""
        for terminator in _yielded(op):
            guard = self.bits(terminator.arguments[position])
            terminator.operands = [*terminator.operands, guard]
        types = [value.type for value in _yielded(op)[0].arguments]
        regions = [op.detach_region(region) for region in list(op.regions)]
        one, two = regions
        new = scf.IfOp(op.cond, types, one, two)
        self._swap(op, new, [position])
        return new.results[-1]

    def _swap(self, old: Operation, new: Operation, positions: list[int]) -> None:
        """Put ``new`` in the place of ``old``; its last results are the guards of those at
        ``positions``.
        """
        new.location = old.location
        Rewriter.insert_op(new, InsertPoint.before(old))
        for before, after in zip(old.results, new.results, strict=False):
            self.renamed[before] = after
            if before in self.memo:
                self.memo[after] = self.memo[before]
            if before in self.partial:
                self.partial.add(after)
        guards = new.results[len(old.results) :]
        for position, guard in zip(positions, guards, strict=True):
            self.memo[new.results[position]] = guard
        replace(old, new.results[: len(old.results)])


def _mask(kernel: nt.KernelOp) -> None:
    guards = _Guards(kernel)
    for op in list(kernel.apply.walk()):
        for index, _, identity in combined_operands(op):
            value = op.operands[index]
            if guards.unreal(value) and not fill(value, identity):
                bits = guards.bits(value)
                # The operand itself may be new: a loop that carries its guard was replaced.
                op.operands[index] = select(Inserter.before(op), bits, op.operands[index], identity)
        if isinstance(op, nt.PointerAccess) and op.mask is not None and guards.unreal(op.mask):
            mask = guards.known(op.mask, Inserter.before(op))
            op.operands[op.operands.index(op.mask, 1)] = mask


@dataclass(frozen=True)
class MaskReductionsPass(ModulePass):
    """Identities in unread lanes."""

    name: ClassVar[str] = "nt-mask-reductions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.body.ops:
            if isinstance(kernel, nt.KernelOp):
                _mask(kernel)
