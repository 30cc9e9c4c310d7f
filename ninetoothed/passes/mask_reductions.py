"""Lanes outside the guard take the identity where lanes are combined, unless the user chose
``other``.

A reduction, a scan and a sort along a dim, and a dot along K, must not see what an access did not
read. Where the operand is a load that has no ``other``, its unspecified lanes are free, and the
identity becomes its ``other``. Else the guard of the operand is computed beside it (elementwise:
the conjunction; ``where``: of the chosen side; a reduction: whether some lane was real; a loop
carries its guards), and the operand is selected by it. A combination that knows no identity is told
which lanes are real, and so are a histogram and an assertion. A mask of pointers is false where it
is outside its own guard: what it would say there is not known.

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
  %2 = nt.reduce "max" %1 axis 0 : !nt.tensor<[64] x f32> -> f32
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
  %2 = nt.reduce "max" %1 axis 0 : !nt.tensor<[64] x f32> -> f32
  %3 = nt.full %2 : f32 -> !nt.tensor<[64] x f32>
  nt.store %3, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.finish
}
```
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnrealizedConversionCastOp, i1
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ninetoothed.errors import CompilerError
from ninetoothed.ir import nt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.loops import WhileOp
from ninetoothed.ir.rewriting import Inserter, replace
from ninetoothed.passes.analysis.turns import Read, check_turns
from ninetoothed.passes.lowering.identities import combined_operands, fill, select
from ninetoothed.passes.lowering.lanes import both, first, some, spread

_MOVES = (
    nt.CastOp,
    nt.HintOp,
    nt.BitcastOp,
    nt.BroadcastOp,
    nt.ExpandDimsOp,
    nt.TransOp,
    nt.FlipOp,
    nt.ReshapeOp,
    nt.SplitOp,
    nt.JoinOp,
    nt.GatherOp,
    UnrealizedConversionCastOp,
)
_Loop = scf.ForOp | scf.WhileOp
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


def _position(value: SSAValue) -> int:
    """Which of the results of its op the value is."""
    return cast("OpResult", value).index


def _initial(loop: _Loop) -> Sequence[SSAValue]:
    """What the carried values are before the loop."""
    return loop.iter_args if isinstance(loop, scf.ForOp) else loop.arguments


def _carried_by(value: SSAValue) -> tuple[_Loop | None, int]:
    """The loop that carries ``value``, and its position among what the loop carries."""
    if isinstance(value, BlockArgument):
        loop, position = value.block.parent_op(), value.index
        if isinstance(loop, scf.ForOp):
            position -= 1
    else:
        loop = value.owner
        position = _position(value) if isinstance(loop, _Loop) else 0
    if not isinstance(loop, _Loop) or position < 0:
        return None, 0
    if isinstance(loop, scf.WhileOp):
        before = loop.before_region.block
        assert isinstance(before.last_op, scf.ConditionOp)
        handed = [*before.last_op.args]
        # A loop that is about to carry more has its blocks' arguments first.
        if handed != [*before.args][: len(handed)]:
            raise fail(loop, "scf.while hands on other values than it carries", CompilerError)
    return loop, position


def _inside(loop: _Loop, position: int) -> list[BlockArgument]:
    """What the carried value at ``position`` is in the loop's regions."""
    shift = 1 if isinstance(loop, scf.ForOp) else 0
    return [region.block.args[position + shift] for region in loop.regions]


def _loop_of(block: Block) -> _Loop:
    loop = block.parent_op()
    assert isinstance(loop, _Loop)
    return loop


def _carrying(old: _Loop, starts: Sequence[SSAValue]) -> _Loop:
    """The loop, carrying more values: its regions, which have arguments for them, move there."""
    initial = [*_initial(old), *starts]
    regions = [old.detach_region(region) for region in list(old.regions)]
    if isinstance(old, scf.ForOp):
        new = scf.ForOp(old.lb, old.ub, old.step, initial, *regions)
    else:
        before = regions[0].block
        assert before.last_op is not None
        before.last_op.operands = [*before.last_op.operands, *before.args[len(old.arguments) :]]
        one, two = regions
        new = WhileOp(initial, [value.type for value in initial], one, two)
    new.attributes.update(old.attributes)
    return new


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
        # Their operands, which are masked on the way: what is masked is real no more than before.
        self.operands = {
            op: op.value
            for op in kernel.apply.walk()
            if isinstance(op, nt.SortOp | nt.ScanOp | nt.ReduceOp)
        }
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
            if (isinstance(value.owner, nt.ShareRead) and self._guarded(value.owner))
            or (isinstance(value.owner, _MASKED) and _leaves_lanes(value.owner))
            or (isinstance(value.owner, nt.Combination) and value.owner.leaves(value))
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
        loop, position = _carried_by(value)
        if loop is not None:
            ends = [terminator.arguments[position] for terminator in _yielded(loop)]
            return [_initial(loop)[position], *ends]
        if isinstance(owner, nt.MapOp | nt.InlineAsmOp):
            return list(owner.arguments)
        if isinstance(owner, _MOVES):
            return list(owner.operands)
        if isinstance(owner, nt.AddressOp):
            return list(owner.coordinates)
        if isinstance(owner, nt.SortOp | nt.ScanOp | nt.ReduceOp):
            return [self._current(self.operands[owner])]
        if isinstance(owner, nt.Combination):
            return list(owner.values) if value in owner.combined else []
        if isinstance(owner, _MASKED) and _leaves_lanes(owner) and owner.mask is not None:
            return [owner.mask]
        if isinstance(owner, scf.IfOp):
            position = _position(value)
            return [terminator.arguments[position] for terminator in _yielded(owner)]
        return []

    def _guarded(self, op: nt.ShareRead) -> bool:
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
        # The guard, too, may be a result of what was replaced since.
        return self._current(self.memo[self._current(value)])

    def of(self, values: Iterable[SSAValue]) -> list[SSAValue]:
        """The guards of several values: to build one may replace what gives another."""
        return [self._current(guard) for guard in [self.bits(value) for value in values]]

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
            loop, position = _carried_by(value)
            if loop is not None:
                # A loop may be replaced on the way, its blocks stay.
                positions.setdefault(loop.regions[0].block, {})[position] = None
        for block in sorted(positions, key=_depth):
            loop = _loop_of(block)
            needed = [at for at in positions[block] if _inside(loop, at)[0] not in self.memo]
            if needed:
                self._carry(block, needed)

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
        if isinstance(owner, nt.ShareRead):
            return _behind(value).add(nt.GuardOp(owner.ref, list(owner.indices)))
        if isinstance(owner, nt.MapOp):
            return self._mapped(owner)
        if isinstance(owner, nt.InlineAsmOp):
            return self._all(_behind(value), owner.arguments)
        if isinstance(owner, _MOVES):
            return self._moved(owner, _position(value))
        if isinstance(owner, nt.SortOp):
            return first(_behind(value), self.bits(self.operands[owner]), owner.dim)
        if isinstance(owner, nt.ScanOp):
            return self.bits(self.operands[owner])
        if isinstance(owner, nt.ReduceOp):
            return some(_behind(value), self.bits(self.operands[owner]), owner.dim)
        if isinstance(owner, nt.Combination):
            return self._combined(self.lift(owner))
        if isinstance(owner, nt.AddressOp):
            return self._all(_behind(value), owner.coordinates)
        if isinstance(owner, _MASKED) and owner.mask is not None:
            return self.known(owner.mask, _behind(value))
        assert isinstance(owner, scf.IfOp)
        return self._chosen(owner, _position(value))

    def known(self, mask: SSAValue, inserter: Inserter) -> SSAValue:
        """``mask`` where it is inside its guard, else false."""
        if not self.unreal(mask):
            return mask
        bits = self.bits(mask)
        return inserter.add(nt.MapOp("and", [self._current(mask), bits], bits.type))

    def _mapped(self, op: nt.MapOp) -> SSAValue:
        inserter = _behind(op.result)
        if op.function.data == "where":
            type = nt.with_scalar(op.result.type, i1)
            condition, left, right = (self.bits(argument) for argument in op.arguments)
            chosen = nt.MapOp("where", [op.arguments[0], left, right], type)
            inserter.insert(chosen)
            return _behind(chosen.result).add(nt.MapOp("and", [condition, chosen.result], type))
        return self._all(inserter, op.arguments)

    def _all(self, inserter: Inserter, values: Sequence[SSAValue]) -> SSAValue:
        """The conjunction of the guards of ``values``."""
        partial = [value for value in values if self.unreal(value)]
        guards = list(dict.fromkeys(self.bits(value) for value in partial))
        result, *others = [guard for guard in guards if not spread(guard, guards)]
        for guard in others:
            result = both(inserter, result, guard)
            inserter = _behind(result)
        return result

    def _moved(self, op: Operation, position: int) -> SSAValue:
        """The operands' guards, moved as the lanes are."""
        if isinstance(op, nt.CastOp | nt.BitcastOp | nt.HintOp):
            return self.bits(op.value)
        values, indices = list(op.operands), None
        if isinstance(op, nt.GatherOp):
            indices = values.pop()
        operands = [self.bits(value) for value in values] + ([] if indices is None else [indices])
        types = [nt.with_scalar(result.type, i1) for result in op.results]
        moved = op.create(operands=operands, properties=dict(op.properties), result_types=types)
        _behind(op.results[position]).insert(moved)
        self.memo.update(zip(op.results, moved.results, strict=True))
        guard = moved.results[position]
        if indices is None or not self.unreal(indices):
            return guard
        return _behind(guard).add(nt.MapOp("and", [guard, self.bits(indices)], guard.type))

    def _carry(self, block: Block, positions: list[int]) -> None:
        """Let the loop of ``block`` carry the guards of the values at ``positions``."""
        check_turns(self.kernel, _loop_of(block), self._read_by_turns(block, positions))
        starts = self.of(_initial(_loop_of(block))[position] for position in positions)
        for region in _loop_of(block).regions:
            for start in starts:
                region.block.insert_arg(start.type, len(region.block.args))
        count = len(_initial(_loop_of(block)))
        for added, position in enumerate(positions):
            for value, guard in zip(
                _inside(_loop_of(block), position),
                _inside(_loop_of(block), count + added),
                strict=True,
            ):
                self.memo[value] = guard
        (terminator,) = _yielded(_loop_of(block))
        ends = self.of(terminator.arguments[position] for position in positions)
        terminator.operands = [*terminator.operands, *ends]
        old = _loop_of(block)
        self._swap(old, _carrying(old, starts), positions)

    def _read_by_turns(
        self, block: Block, positions: list[int]
    ) -> list[tuple[Read, frozenset[int]]]:
        """What the turns of a loop read without ``other`` for what is carried at ``positions``, each
        with the dims of which one lane is enough, since they are reduced.
        """
        loop = _loop_of(block)
        none: frozenset[int] = frozenset()
        pending = [
            (end.arguments[position], none) for end in _yielded(loop) for position in positions
        ]
        seen = {*pending, *((value, none) for at in positions for value in _inside(loop, at))}
        found: dict[tuple[Read, frozenset[int]], None] = {}
        while pending:
            value, reduced = pending.pop()
            owner = value.owner
            if isinstance(owner, Read) and self.unreal(value) and loop.is_ancestor(owner):
                found[owner, reduced] = None
            if isinstance(owner, nt.ReduceOp | nt.ReduceByOp):
                reduced = frozenset((owner.dim,))
            elif not isinstance(owner, nt.MapOp | nt.CastOp):
                # The dims may be others behind it.
                reduced = none
            origins = [(origin, reduced) for origin in self._origins(value)]
            pending += [origin for origin in origins if origin not in seen]
            seen.update(origins)
        return list(found)

    def lift(self, op: nt.Combination) -> nt.Combination:
        """Let only real lanes take part; the op in its place, whose last result is the guard of the
        others.
        """
        guards = self.of([value for value in op.values if self.unreal(value)])
        found = self._current(op.results[0]).owner
        if found is not op:
            # The guards of what a loop carries may have needed it.
            assert isinstance(found, nt.Combination)
            return found
        inserter, real = Inserter.before(op), op.real
        for guard in guards:
            real = both(inserter, real, guard)
        assert real is not None
        positions = [0] if op.real is None else []
        new = op.masked(real)
        self._swap(op, new, positions)
        for result in new.combined:
            self.memo[result] = self._combined(new)
        return new

    def _combined(self, op: nt.Combination) -> SSAValue:
        """The guard of what was lifted: a scan's lanes are those of its operands."""
        return op.real if isinstance(op, nt.ScanByOp) and op.real is not None else op.results[-1]

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


def _leave_out(guards: _Guards, op: nt.HistogramOp | nt.AssertOp) -> None:
    """Let a histogram count, and an assertion be about, real lanes only."""
    needed = guards.of([value for value in op.operands if guards.unreal(value)])
    inserter, mask = Inserter.before(op), op.mask
    for guard in needed:
        mask = both(inserter, mask, guard)
    if needed and mask is not None:
        replace(op, inserter.insert(op.masked(mask)).results)


def _mask(kernel: nt.KernelOp) -> None:
    guards = _Guards(kernel)
    for op in list(kernel.apply.walk()):
        if isinstance(op, nt.Combination) and op.parent is not None:
            if any(guards.unreal(value) for value in op.values):
                guards.lift(op)
            continue
        if isinstance(op, nt.HistogramOp | nt.AssertOp):
            _leave_out(guards, op)
            continue
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
