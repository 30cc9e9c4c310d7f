"""Split reductions: several programs do the iterations of one, and the last combines what they found.

Where there are few programs, each with a long loop, as for the norm of a few long rows or a product
of few rows (split K), most of a device has nothing to do. If all that iterations leave behind is
sums and extremes, ``parts`` programs can take a share of them each. They write what they found to
scratch memory; the last one to arrive, as a counter tells, combines that from the first part to the
last, whoever it is, and does what follows the loop. So results are the same in every run, and those
of one program but for the order of sums. How many programs that pays for is for the clock to say,
and so it is a choice of the tuner's (see ``compiler.optimizations``).

Where one program would have much to read, as what 64 parts have found of a block, each group of parts
has such a counter: its last one combines what the group has found, writes that in place of the first
part's, and counts again, for its group. The order is as fixed as before (see ``artifacts.combining``).

Several loops are split as one, where each goes on with what the one before it carries and where that
ends, as over whole blocks of keys and then over what is left. A sum may also be relative to the largest
value so far, as in an online softmax: then each part has its own, and what it added up is scaled to the
larger one (see ``analysis.rescaled_sums``). That is how attention of few queries and many keys is split,
as in "Flash-Decoding for long-context inference" (T. Dao and others, 2023). Or all that a loop carries
is of the first largest value, as in an argmax (see ``analysis.selections``): of two parts the first one's
is kept, unless the second one's is larger.

Where data say when a loop ends, the program shares the iterations out, and not the launch.

Parts of one program lie side by side in the grid, so that they run at the same time, and what they
have written is still in the cache when it is read.

Why here: block sizes are known, and so is what loops carry, of deferred reductions blocks; and lanes
are not padded yet. Programs that are split are not coarsened. It requires stage ``specialized`` and
leaves it.

Before:

```mlir
// nt-opt -p 'nt-split-reductions{parts=4}'
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (f32) : i32 {
    %1 = nt.load %a[%i] other 0.0 : f32
        : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %2 = nt.reduce "sum" %1 axis 0 : !nt.tensor<[64] x f32> -> f32
    %3 = nt.elementwise "add"(%t, %2) : (f32, f32) -> f32
    scf.yield %3 : f32
  }
  nt.store %total, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}
```

After:

```mlir
!a = !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
!x_access = !nt.tensor<[1, 4] x !a>
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1, 4], [n ceildiv 64], [64]] -> [b0 + k1_0 * 64] if [[b0 + k1_0 * 64, n]]>
      : !nt.tensor<[n] x f32> -> !x_access
  %1 = nt.access %y <[[1, 4]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1, 4] x f32>
  nt.arranged %0, %1 : !x_access, !nt.tensor<[1, 4] x f32>
} apply {
^bb0(%a: !a, %b: !nt.tensor<[] x f32>):
  %number = nt.program_number : i32
  %2 = arith.constant 4 : i32
  %program = nt.elementwise "floordiv"(%number, %2) : (i32, i32) -> i32
  %part = nt.elementwise "mod"(%number, %2) : (i32, i32) -> i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.000000e+00 : f32
  %share = nt.size <n ceildiv 256> : i32
  %3 = nt.elementwise "mul"(%part, %share) : (i32, i32) -> i32
  %4 = nt.elementwise "add"(%3, %share) : (i32, i32) -> i32
  %5 = nt.elementwise "maximum"(%3, %c0) : (i32, i32) -> i32
  %6 = nt.elementwise "minimum"(%4, %n) : (i32, i32) -> i32
  %total = scf.for %i = %5 to %6 step %c1 iter_args(%t = %zero) -> (f32) : i32 {
    %7 = nt.load %a[%i] other 0.000000e+00 : f32 : !a[i32] -> !nt.tensor<[64] x f32>
    %8 = nt.reduce "sum" %7 axis 0 : !nt.tensor<[64] x f32> -> f32
    %9 = nt.elementwise "add"(%t, %8) : (f32, f32) -> f32
    scf.yield %9 : f32
  }
  %10 = nt.scratch "partials0" 1 : !tt.ptr<f32>
  %11 = nt.cast %number : i32 -> i64
  %12 = nt.addptr %10, %11 : !tt.ptr<f32>, i64
  nt.pointer_store %total, %12 : f32, !tt.ptr<f32>
  %13 = arith.constant 4 : i32
  nt.barrier
  %14 = arith.constant 1 : i32
  %15 = arith.constant 3 : i32
  %16 = nt.scratch "arrivals0" 1 zeroed : !tt.ptr<i32>
  %17 = nt.addptr %16, %program : !tt.ptr<i32>, i32
  %18 = nt.atomic "add" %17, %14 "acq_rel" "gpu" : !tt.ptr<i32>, i32
  %last = nt.elementwise "eq"(%18, %15) : (i32, i32) -> i1
  scf.if %last {
    %19 = nt.elementwise "mul"(%program, %13) : (i32, i32) -> i32
    %20 = arith.constant 0 : i32
    %21 = arith.constant 1 : i32
    %22 = arith.constant 4 : i32
    %total_1 = scf.for %23 = %20 to %22 step %21 iter_args(%total_2 = %zero) -> (f32) : i32 {
      %24 = nt.elementwise "add"(%19, %23) : (i32, i32) -> i32
      %25 = nt.scratch "partials0" 1 : !tt.ptr<f32>
      %26 = nt.cast %24 : i32 -> i64
      %27 = nt.addptr %25, %26 : !tt.ptr<f32>, i64
      %28 = nt.pointer_load %27 : !tt.ptr<f32> -> f32
      %29 = nt.elementwise "add"(%total_2, %28) : (f32, f32) -> f32
      scf.yield %29 : f32
    } {tt.loop_unroll_factor = 4 : i32, tt.num_stages = 1 : i32}
    nt.store %total_1, %b[] : f32, !nt.tensor<[] x f32>[]
  } else {
  }
  nt.return
}
```
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerType, i32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ninetoothed.artifacts.combining import levels
from ninetoothed.artifacts.configuration import SPLIT
from ninetoothed.artifacts.occupancy import Architecture, Footprint, Legality
from ninetoothed.ir import nt
from ninetoothed.ir.effects import acts
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.rewriting import Inserter, replace, set_type
from ninetoothed.layout.access import Access
from ninetoothed.passes.analysis.accumulators import (
    accumulated,
    identity,
    rounds,
)
from ninetoothed.passes.analysis.float_facts import filled_constant
from ninetoothed.passes.analysis.loop_nests import Loop
from ninetoothed.passes.analysis.pass_refusal import Refusal
from ninetoothed.passes.analysis.rescaled_sums import Rescaled, rescaled_sums
from ninetoothed.passes.analysis.scalars import known_scalar
from ninetoothed.passes.analysis.selections import selected
from ninetoothed.passes.lowering import masks
from ninetoothed.passes.lowering.branches import insert_branch, moved
from ninetoothed.passes.lowering.partials import Partials
from ninetoothed.passes.lowering.parts import Function
from ninetoothed.passes.lowering.shares import found_share, known_share, needed_for_end
from ninetoothed.passes.option_values import require_among, require_at_least
from ninetoothed.symbolic.expr import IndexExpr, binary, const, maximum, sym, symbol_names
from ninetoothed.symbolic.normal_form import always_nonnegative, normalize

_PARTS = (2, 4, 8, 16, 32, 64)
_POSSIBLE = f"iterations kept together: {SPLIT} is 1, and may be more where programs are few"


@dataclass(frozen=True)
class _Reduction:
    """Loops whose iterations can be split, each of which goes on where the one before ends:
    ``functions`` combine what they carry. ``end``: None where only the program knows it.
    """

    loops: tuple[scf.ForOp, ...]
    functions: tuple[Function, ...]
    first: IndexExpr
    end: IndexExpr | None
    step: int

    @property
    def loop(self) -> scf.ForOp:
        """The last one, whose results are those of all."""
        return self.loops[-1]

    @property
    def type(self) -> IntegerType:
        """The type of its indices."""
        return cast("IntegerType", self.loop.lb.type)


def legality(kernel: nt.KernelOp) -> Legality | None:
    """Legality of split reductions (see ``compiler.optimizations``): the last part must see what all
    threads of the others have written. Where it pays, sizes tell.
    """
    remarks = nt.RemarkEmitter(kernel, SplitReductionsPass.name)
    chosen = {decl.name for decl in kernel.declarations if decl.kind in ("meta", "constexpr")}
    return None if _reduction(kernel, remarks, chosen) is None else _legal


def _legal(footprint: Footprint, unit: Architecture) -> tuple[int, ...]:
    return _PARTS if unit.is_cumulative else ()


def _reduction(
    kernel: nt.KernelOp, remarks: nt.RemarkEmitter, chosen: Collection[str] | None = None
) -> _Reduction | None:
    """The loop of an application that can be split; None where there is none, or ``remarks`` are
    told why it cannot. ``chosen``: symbols that will be numbers.
    """
    ops = list(kernel.apply.block.ops)
    loops = [op for op in ops if isinstance(op, Loop)]
    if not loops or not isinstance(loops[0], scf.ForOp) or not loops[0].results:
        return None
    try:
        chain = tuple(op for op in loops if isinstance(op, scf.ForOp))
        if len(chain) < len(loops):
            raise Refusal(loops[1], "it is not the only loop")
        upper = [known_scalar(loop.ub) for loop in chain]
        ends = [end for end in upper if end is not None]
        is_known = len(ends) == len(chain)
        for before, loop in itertools.pairwise(chain):
            _check_goes_on(kernel, before, loop, is_known)
        _check_grid(kernel)
        _check_effects(ops, chain[-1])
        functions, *others = (tuple(_functions(loop, chosen)) for loop in chain)
        if any(not _alike(functions, other) for other in others):
            raise Refusal(chain[-1], "loops combine what they carry differently")
        _check_begin(chain[0], functions)
        lower, step = (known_scalar(value) for value in (chain[0].lb, chain[0].step))
        if lower is None or step is None or (step.value or 0) <= 0:
            raise Refusal(chain[0], "how often the loop iterates is not known at the launch")
        end = normalize(functools.reduce(maximum, ends)) if is_known else None
        if end is None:
            _check_shares(chain, lower, step)
        return _Reduction(chain, functions, lower, end, step.value or 0)
    except Refusal as refusal:
        remarks.missed(refusal.op, f"iterations kept together: {refusal.reason}")
        return None


def _check_goes_on(kernel: nt.KernelOp, before: scf.ForOp, loop: scf.ForOp, is_known: bool) -> None:
    """Check that a loop goes on with what the one before it carries, where that ends, and that none
    of them ends before it begins: so an index is one iteration's of all of them. Where the program
    finds the ends, the first and the last part have whatever lies beyond.

    Raises:
        Refusal: it does not.
    """
    ends = [known_scalar(value) for value in (before.ub, loop.lb, before.step, loop.step)]
    carried = [*before.results] == [*loop.iter_args]
    if not carried or any(len(list(result.uses)) != 1 for result in before.results):
        raise Refusal(loop, "it is not the only loop")
    goes_on = before.ub is loop.lb or (ends[0] is not None and ends[0] == ends[1])
    if not goes_on or ends[2:] != [const(1), const(1)]:
        raise Refusal(loop, "it does not go on where the loop before it ends")
    for one in (before, loop) if is_known else ():
        first, end = known_scalar(one.lb), known_scalar(one.ub)
        if first is None or end is None or not always_nonnegative(end - first, kernel.assumptions):
            raise Refusal(one, "it may end before it begins, and another loop goes on there")


def _check_shares(chain: Sequence[scf.ForOp], lower: IndexExpr, step: IndexExpr) -> None:
    """Check that a program can share iterations out whose end it finds.

    Raises:
        Refusal: it cannot.
    """
    # So no difference of two indices overflows.
    if step.value != 1 or (lower.value if lower.value is not None else -1) < 0:
        raise Refusal(chain[0], "how often the loop iterates is not known at the launch")
    needed = needed_for_end(chain)
    if any(op in chain or op.regions or acts(op) for op in needed):
        raise Refusal(chain[-1], "where it ends is not known in front of the first loop")


def _check_begin(loop: scf.ForOp, functions: Sequence[Function]) -> None:
    """Check that the extreme that a part begins with can be less than what it finds.

    Raises:
        Refusal: it may be infinite: of a part that finds nothing more, the difference is NaN.
    """
    for function in functions:
        if isinstance(function, Rescaled):
            number = filled_constant(loop.iter_args[function.largest])
            if number is None or not math.isfinite(number):
                raise Refusal(loop, "the extreme that sums are relative to may begin infinite")


def _alike(functions: Sequence[Function], others: Sequence[Function]) -> bool:
    """True if values are combined in the same way."""

    def shown(function: Function) -> object:
        if not isinstance(function, Rescaled):
            return function
        shaping = [(one.name, one.results[0].type, one.properties) for one in function.shaping]
        return function.largest, function.function, shaping

    return [shown(one) for one in functions] == [shown(one) for one in others]


def _check_grid(kernel: nt.KernelOp) -> None:
    """Check that the grid can have a dim more.

    Raises:
        Refusal: it cannot.
    """
    rank = len(kernel.program_shape)
    for source, value in zip(kernel.sources, kernel.arranged.values, strict=True):
        name = source.param.data
        if source.jagged is not None:
            raise Refusal(kernel, f"sequences of `{name}` differ in length")
        if source.kind.data == "tensor" and len(nt.shape_of(value.type)) != rank:
            raise Refusal(kernel, f"`{name}` has another number of outermost dims")


def _check_effects(ops: Sequence[Operation], loop: scf.ForOp) -> None:
    """Check that nothing is done that each part would do, or that others must wait for.

    Raises:
        Refusal: something is.
    """
    place = ops.index(loop)
    for op in (inner for one in ops[: place + 1] for inner in one.walk()):
        # To ask twice is no more than to ask once.
        if not op.regions and not isinstance(op, nt.AssertOp) and acts(op):
            raise Refusal(op, f"{op.name} would be done by each part")
    behind = nt.StoreOp | nt.BarrierOp | nt.AssertOp
    for op in (inner for one in ops[place + 1 :] for inner in one.walk()):
        if not op.regions and not isinstance(op, behind) and acts(op):
            raise Refusal(op, f"{op.name} is done behind the loop")


def _functions(loop: scf.ForOp, chosen: Collection[str] | None) -> Iterator[Function]:
    """The functions that combine what a loop carries.

    Raises:
        Refusal: something is not combined, or not in scratch memory.
    """
    selection = selected(loop)
    relative = {} if selection else rescaled_sums(loop, may_be_sunk=chosen is None)
    for place, value in enumerate(loop.results):
        scalar = nt.scalar_of(value.type)
        function = selection or relative.get(place) or accumulated(loop, place)
        if function is None:
            raise Refusal(loop, "what it carries is more than a sum or an extreme")
        if _adds(function) and rounds(scalar):
            raise Refusal(loop, f"sums of {nt.dtype_of(scalar)} would be rounded otherwise")
        for size in nt.shape_of(value.type):
            if not set(chosen or ()).issuperset(symbol_names(size)):
                raise Refusal(loop, f"only a call knows the size {size} of what it carries")
            if size.value == 0:
                raise Refusal(loop, "it carries no lanes")
        yield function


def _adds(function: Function) -> bool:
    """True if a value that is combined twice counts twice."""
    return isinstance(function, Rescaled) or function == "add"


@dataclass(frozen=True)
class SplitReductionsPass(KernelPass):
    """Split reductions over programs, the last of which combines the parts."""

    name: ClassVar[str] = "nt-split-reductions"

    parts: int = 1
    """Programs that share the iterations of one; 1: each does its own."""

    num_warps: int = 4
    """Warps of a program, whose registers hold what is combined."""

    def __post_init__(self) -> None:
        require_among(self.name, "parts", self.parts, (1, *_PARTS))
        require_at_least(self.name, "num_warps", self.num_warps, 1)

    def number_before(self, kernel: nt.KernelOp) -> IndexExpr | None:
        is_split = any(isinstance(op, nt.ScratchOp) for op in kernel.apply.walk())
        return sym("pid") // self.parts if is_split else None

    def apply_to(self, kernel: nt.KernelOp) -> None:
        remarks = nt.RemarkEmitter(kernel, self.name)
        if self.parts == 1 and not remarks:
            return
        found = _reduction(kernel, remarks)
        if found is not None and self.parts == 1:
            remarks.analysis(found.loop, _POSSIBLE)
        elif found is not None:
            remarks.passed(found.loop, f"iterations split over {self.parts} programs")
            _Splitting(kernel, found, self.parts, self.num_warps).run()


class _Splitting:
    """The splitting of one kernel."""

    def __init__(
        self, kernel: nt.KernelOp, reduction: _Reduction, parts: int, num_warps: int
    ) -> None:
        self.kernel = kernel
        self.reduction = reduction
        self.loop = reduction.loop
        self.parts = parts
        self.partials = Partials(tuple(self.loop.results), reduction.functions, num_warps)

    def run(self) -> None:
        """Split it."""
        self._widen_grid()
        number, program, part = self._numbers()
        first = self.reduction.loops[0]
        begin = list(first.iter_args)
        self._share(part)
        ops = list(self.kernel.apply.block.ops)
        # What is combined takes the place of what the loop gives.
        uses = [list(result.uses) for result in self.loop.results]
        rest = moved(ops[ops.index(self.loop) + 1 : -1])
        combined = self._meet(number, program, rest, begin)
        for value, result, places in zip(combined, self.loop.results, uses, strict=True):
            value.name_hint = result.name_hint
            for use in places:
                use.operation.operands[use.index] = value

    def _widen_grid(self) -> None:
        """Let the grid have a dim more, the parts, along which programs have the same tiles."""
        values = zip(self.kernel.arranged.values, self.kernel.sources, strict=True)
        accesses = [value.owner for value, source in values if source.kind.data == "tensor"]
        for access in dict.fromkeys(accesses):
            assert isinstance(access, nt.AccessOp)
            old = access.access.data
            programs, *inner = old.levels
            levels = ((*programs, const(self.parts)), *inner)
            access.access = nt.AccessAttr(Access(levels, old.indices, old.guards))
            set_type(access.result, nt.TensorType.nested(levels, nt.scalar_of(access.source.type)))

    def _numbers(self) -> tuple[SSAValue, SSAValue, SSAValue]:
        """The number of this program, that of the program it is a part of, and which part it is."""
        block = self.kernel.apply.block
        asked = [
            op
            for op in self.kernel.apply.walk()
            if isinstance(op, nt.ProgramNumberOp | nt.ProgramCountOp)
        ]
        here = Inserter(InsertPoint.at_start(block), self.loop)
        number = here.add(nt.ProgramNumberOp())
        parts = here.add(nt.constant(nt.number(self.parts, i32)))
        program = here.add(nt.ElementwiseOp("floordiv", [number, parts], i32))
        part = here.add(nt.ElementwiseOp("mod", [number, parts], i32))
        number.name_hint, program.name_hint, part.name_hint = "number", "program", "part"
        for op in asked:
            if isinstance(op, nt.ProgramNumberOp):
                replace(op, [program])
                continue
            around = Inserter.before(op)
            count = around.add(nt.ProgramCountOp())
            replace(op, [around.add(nt.ElementwiseOp("floordiv", [count, parts], i32))])
        return number, program, part

    def _share(self, part: SSAValue) -> None:
        """Let a part have its share of the iterations, and begin with nothing."""
        reduction = self.reduction
        loop, type = reduction.loops[0], reduction.type
        here = Inserter.before(loop)
        index = here.add(nt.CastOp(part, type))
        if reduction.end is None:
            first, end = found_share(here, reduction.loops, index, self.parts)
        else:
            count = normalize(binary("ceildiv", reduction.end - reduction.first, reduction.step))
            first, end = known_share(here, loop, index, self.parts, count)
        # So what is known of the loop's indices is known of a part's.
        for one in reduction.loops:
            around = Inserter.before(one)
            one.operands[0] = around.add(nt.ElementwiseOp("maximum", [first, one.lb], type))
            one.operands[1] = around.add(nt.ElementwiseOp("minimum", [end, one.ub], type))
        begin = len(loop.operands) - len(loop.iter_args)
        for place, (function, init) in enumerate(
            zip(reduction.functions, loop.iter_args, strict=True)
        ):
            # A zero may be added, and an extreme be taken of what the loop began with, more than once.
            if _adds(function) and filled_constant(init) != 0:
                value = here.add(nt.constant(identity("sum", nt.scalar_of(init.type))))
                loop.operands[begin + place] = masks.everywhere(here, value, init.type)

    def _meet(
        self, number: SSAValue, program: SSAValue, rest: Block, begin: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """Let the last part of each group combine what these have found, and the last group's do
        ``rest``; what all have found with what the loops ``begin`` with, at its start.
        """
        nothing = list(self.reduction.loops[0].iter_args)
        end = self.kernel.apply.block.last_op
        found: Sequence[SSAValue] = self.loop.results
        place, width = number, 1
        for level, count in enumerate(levels(self.parts, self.partials.lanes)):
            assert end is not None
            here = Inserter.before(end)
            here.origin = self.loop
            if level > 0:
                # All threads have read what is written over.
                here.insert(nt.BarrierOp())
            self.partials.write(here, found, place)
            stride, width = width, width * count
            is_last = width == self.parts
            size = here.add(nt.constant(nt.number(width, i32)))
            group = program
            if not is_last:
                group = here.add(nt.ElementwiseOp("floordiv", [number, size], i32))
                group.name_hint = "group"
            arrived = self.partials.arrive(here, level, group, count)
            body = rest if is_last else Block()
            insert_branch(end, arrived, body, Block())
            here = Inserter(InsertPoint.at_start(body), self.loop)
            place = here.add(nt.ElementwiseOp("mul", [group, size], i32))
            inits = begin if is_last else nothing
            found = self.partials.combine(here, place, stride, count, inits)
            end = body.last_op
        return found
