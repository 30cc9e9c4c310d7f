"""Split reductions: several programs do the iterations of one, and the last combines what they found.

Where there are few programs, each with a long loop, as for the norm of a few long rows or a product
of few rows (split K), most of a device has nothing to do. If all that iterations leave behind is
sums and extremes, ``parts`` programs can take a share of them each. They write what they found to
scratch memory; the last one to arrive, as a counter tells, combines that from the first part to the
last, whoever it is, and does what follows the loop. So results are the same in every run, and those
of one program but for the order of sums. How many programs that pays for is for the clock to say,
and so it is a choice of the tuner's (see ``compiler.optimizations``).

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
  nt.barrier
  %13 = arith.constant 1 : i32
  %14 = arith.constant 3 : i32
  %15 = nt.scratch "arrivals" 1 zeroed : !tt.ptr<i32>
  %16 = nt.addptr %15, %program : !tt.ptr<i32>, i32
  %17 = nt.atomic "add" %16, %13 "acq_rel" "gpu" : !tt.ptr<i32>, i32
  %last = nt.elementwise "eq"(%17, %14) : (i32, i32) -> i1
  scf.if %last {
    %18 = arith.constant 0 : i32
    %19 = arith.constant 1 : i32
    %20 = arith.constant 4 : i32
    %21 = nt.elementwise "mul"(%program, %20) : (i32, i32) -> i32
    %total_1 = scf.for %22 = %18 to %20 step %19 iter_args(%total_2 = %zero) -> (f32) : i32 {
      %23 = nt.elementwise "add"(%21, %22) : (i32, i32) -> i32
      %24 = nt.scratch "partials0" 1 : !tt.ptr<f32>
      %25 = nt.cast %23 : i32 -> i64
      %26 = nt.addptr %24, %25 : !tt.ptr<f32>, i64
      %27 = nt.pointer_load %26 cache ".cg" : !tt.ptr<f32> -> f32
      %28 = nt.elementwise "add"(%total_2, %27) : (f32, f32) -> f32
      scf.yield %28 : f32
    } {tt.loop_unroll_factor = 4 : i32, tt.num_stages = 1 : i32}
    nt.store %total_1, %b[] : f32, !nt.tensor<[] x f32>[]
  } else {
  }
  nt.return
}
```
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i1, i32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ninetoothed.artifacts.configuration import SPLIT
from ninetoothed.artifacts.occupancy import Architecture, Footprint, Legality
from ninetoothed.ir import nt
from ninetoothed.ir.effects import acts
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.rewriting import Inserter, replace, set_type
from ninetoothed.ir.tt.memory import CachePolicy
from ninetoothed.layout.access import Access
from ninetoothed.passes.analysis.accumulators import (
    IDEMPOTENT,
    accumulated,
    identity,
    rounds,
)
from ninetoothed.passes.analysis.float_facts import filled_constant
from ninetoothed.passes.analysis.loop_nests import Loop
from ninetoothed.passes.analysis.pass_refusal import Refusal
from ninetoothed.passes.analysis.scalars import known_scalar
from ninetoothed.passes.lowering import masks
from ninetoothed.passes.lowering.branches import insert_branch, moved
from ninetoothed.passes.lowering.types import numbers
from ninetoothed.passes.option_values import require_among
from ninetoothed.symbolic.expr import IndexExpr, binary, const, sym, symbol_names
from ninetoothed.symbolic.normal_form import normalize

_PARTS = (2, 4, 8, 16, 32, 64)
_MOST_UNROLLED, _MOST_LANES = 8, 1 << 13
"""Parts that are read at once, and their lanes: small ones would wait for memory one by one."""
_UNROLLED, _STAGES = "tt.loop_unroll_factor", "tt.num_stages"
_POSSIBLE = f"iterations kept together: {SPLIT} is 1, and may be more where programs are few"
_I64 = IntegerType(64)


@dataclass(frozen=True)
class _Reduction:
    """A loop whose iterations can be split: ``functions`` combine what it carries."""

    loop: scf.ForOp
    functions: tuple[str, ...]
    first: IndexExpr
    end: IndexExpr
    step: int

    @property
    def type(self) -> IntegerType:
        """The type of its indices."""
        return cast("IntegerType", self.loop.lb.type)

    @property
    def count(self) -> IndexExpr:
        """The number of its iterations; of an empty loop it may be below 0."""
        return normalize(binary("ceildiv", self.end - self.first, self.step))


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
    kernel: nt.KernelOp, remarks: nt.RemarkEmitter, chosen: Collection[str] = ()
) -> _Reduction | None:
    """The loop of an application that can be split; None where there is none, or ``remarks`` are
    told why it cannot. ``chosen``: symbols that will be numbers.
    """
    ops = list(kernel.apply.block.ops)
    loops = [op for op in ops if isinstance(op, Loop)]
    if not loops:
        return None
    try:
        loop, *others = loops
        if not isinstance(loop, scf.ForOp) or not loop.results:
            return None
        if others:
            raise Refusal(others[0], "it is not the only loop")
        _check_grid(kernel)
        _check_effects(ops, loop)
        functions = tuple(_functions(loop, chosen))
        ends = [known_scalar(value) for value in (loop.lb, loop.ub, loop.step)]
        match ends:
            case [IndexExpr() as first, IndexExpr() as end, IndexExpr(value=int(step))] if step > 0:
                return _Reduction(loop, functions, first, end, step)
            case _:
                raise Refusal(loop, "how often the loop iterates is not known at the launch")
    except Refusal as refusal:
        remarks.missed(refusal.op, f"iterations kept together: {refusal.reason}")
        return None


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
        if not op.regions and acts(op):
            raise Refusal(op, f"{op.name} would be done by each part")
    for op in (inner for one in ops[place + 1 :] for inner in one.walk()):
        if not op.regions and not isinstance(op, nt.StoreOp | nt.BarrierOp) and acts(op):
            raise Refusal(op, f"{op.name} is done behind the loop")


def _functions(loop: scf.ForOp, chosen: Collection[str]) -> Iterator[str]:
    """The functions that combine what a loop carries.

    Raises:
        Refusal: something is not combined, or not in scratch memory.
    """
    for place, value in enumerate(loop.results):
        scalar = nt.scalar_of(value.type)
        function = accumulated(loop, place)
        if function is None:
            raise Refusal(loop, "what it carries is more than a sum or an extreme")
        if function not in IDEMPOTENT and rounds(scalar):
            raise Refusal(loop, f"sums of {nt.dtype_of(scalar)} would be rounded otherwise")
        for size in nt.shape_of(value.type):
            if not set(chosen).issuperset(symbol_names(size)):
                raise Refusal(loop, f"only a call knows the size {size} of what it carries")
            if size.value == 0:
                raise Refusal(loop, "it carries no lanes")
        yield function


@dataclass(frozen=True)
class SplitReductionsPass(KernelPass):
    """Split reductions over programs, the last of which combines the parts."""

    name: ClassVar[str] = "nt-split-reductions"

    parts: int = 1
    """Programs that share the iterations of one; 1: each does its own."""

    def __post_init__(self) -> None:
        require_among(self.name, "parts", self.parts, (1, *_PARTS))

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
            _Splitting(kernel, found, self.parts).run()


class _Splitting:
    """The splitting of one kernel."""

    def __init__(self, kernel: nt.KernelOp, reduction: _Reduction, parts: int) -> None:
        self.kernel = kernel
        self.reduction = reduction
        self.loop = reduction.loop
        self.parts = parts

    def run(self) -> None:
        """Split it."""
        self._widen_grid()
        number, program, part = self._numbers()
        inits = list(self.loop.iter_args)
        self._share(part)
        end = self.kernel.apply.block.last_op
        assert end is not None
        ops = list(self.kernel.apply.block.ops)
        # What is combined takes the place of what the loop gives.
        uses = [list(result.uses) for result in self.loop.results]
        rest = moved(ops[ops.index(self.loop) + 1 : -1])
        here = Inserter.before(end)
        here.origin = self.loop
        for place, result in enumerate(self.loop.results):
            pointers = self._pointers(here, place, number)
            here.insert(nt.PointerStoreOp(result, pointers))
        last = self._arrive(here, program)
        combined = self._combine(rest, program, inits)
        for value, result, places in zip(combined, self.loop.results, uses, strict=True):
            value.name_hint = result.name_hint
            for use in places:
                use.operation.operands[use.index] = value
        insert_branch(end, last, rest, Block())

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
        loop, reduction = self.loop, self.reduction
        type = reduction.type
        here = Inserter.before(loop)
        share = nt.ExprAttr(normalize(binary("ceildiv", reduction.count, self.parts)))
        size = here.add(nt.SizeOp(share, type))
        index = here.add(nt.CastOp(part, type))
        size.name_hint = "share"
        first = here.add(nt.ElementwiseOp("mul", [index, size], type))
        end = here.add(nt.ElementwiseOp("add", [first, size], type))
        first, end = (self._at_iteration(here, iteration) for iteration in (first, end))
        # So what is known of the loop's indices is known of a part's.
        loop.operands[0] = here.add(nt.ElementwiseOp("maximum", [first, loop.lb], type))
        loop.operands[1] = here.add(nt.ElementwiseOp("minimum", [end, loop.ub], type))
        begin = len(loop.operands) - len(loop.iter_args)
        for place, (function, init) in enumerate(
            zip(reduction.functions, loop.iter_args, strict=True)
        ):
            # A zero may be added, and an extreme be taken of what the loop began with, more than once.
            if function not in IDEMPOTENT and filled_constant(init) != 0:
                scalar = nt.scalar_of(init.type)
                value = here.add(nt.constant(identity("sum", scalar)))
                if isinstance(init.type, nt.TensorType):
                    value = here.add(nt.FullOp(value, init.type))
                loop.operands[begin + place] = value

    def _at_iteration(self, here: Inserter, iteration: SSAValue) -> SSAValue:
        """The index with which an iteration begins; behind the last one, that of the next, or any
        that is behind it.
        """
        reduction, type = self.reduction, self.reduction.type
        if reduction.first.value == 0 and reduction.step == 1:
            return iteration
        count = here.add(nt.SizeOp(nt.ExprAttr(reduction.count), type))
        found = here.add(nt.ElementwiseOp("minimum", [iteration, count], type))
        if reduction.step != 1:
            found = here.add(nt.ElementwiseOp("mul", [found, self.loop.step], type))
        if reduction.first.value != 0:
            found = here.add(nt.ElementwiseOp("add", [self.loop.lb, found], type))
        return found

    def _pointers(self, here: Inserter, place: int, number: SSAValue) -> SSAValue:
        """The pointers to what the part with a number has found of what is carried at ``place``."""
        type = self.loop.results[place].type
        shape = numbers(type)
        lanes = math.prod(shape)
        memory = here.add(nt.ScratchOp(f"partials{place}", lanes, nt.scalar_of(type)))
        start = here.add(nt.CastOp(number, _I64))
        if lanes > 1:
            count = here.add(nt.constant(nt.number(lanes, _I64)))
            start = here.add(nt.ElementwiseOp("mul", [start, count], _I64))
        pointer = here.add(nt.AddPtrOp(memory, start))
        if not shape:
            return pointer
        pointers = here.add(nt.FullOp(pointer, nt.with_scalar(type, pointer.type)))
        return here.add(nt.AddPtrOp(pointers, _offsets(here, shape)))

    def _arrive(self, here: Inserter, program: SSAValue) -> SSAValue:
        """Count the parts that have written what they found; true in the last one."""
        # All threads have written it before one of them says so.
        here.insert(nt.BarrierOp())
        one, most = (here.add(nt.constant(nt.number(value, i32))) for value in (1, self.parts - 1))
        counter = here.add(nt.AddPtrOp(here.add(nt.ScratchOp("arrivals", 1, i32, True)), program))
        before = here.add(nt.AtomicOp("add", counter, one))
        last = here.add(nt.ElementwiseOp("eq", [before, most], i1))
        last.name_hint = "last"
        return last

    def _combine(
        self, block: Block, program: SSAValue, inits: Sequence[SSAValue]
    ) -> list[SSAValue]:
        """Combine ``inits`` and what the parts found, one after the other, at the start of a
        block.
        """
        here = Inserter(InsertPoint.at_start(block), self.loop)
        zero, one, parts = (
            here.add(nt.constant(nt.number(value, i32))) for value in (0, 1, self.parts)
        )
        base = here.add(nt.ElementwiseOp("mul", [program, parts], i32))
        body = Block(arg_types=[i32, *(value.type for value in inits)])
        loop = scf.ForOp(zero, parts, one, inits, Region(body))
        lanes = sum(math.prod(numbers(value.type)) for value in inits)
        at_once = min(self.parts, _MOST_UNROLLED, _MOST_LANES // lanes)
        if at_once > 1:
            loop.attributes[_UNROLLED] = IntegerAttr(at_once, i32)
        # No asynchronous copies: what was written just now is read behind the counter, in order.
        loop.attributes[_STAGES] = IntegerAttr(1, i32)
        here.insert(loop)
        inside = Inserter(InsertPoint.at_end(body), self.loop)
        index, *carried = body.args
        number = inside.add(nt.ElementwiseOp("add", [base, index], i32))
        found: list[SSAValue] = []
        for place, (function, value) in enumerate(
            zip(self.reduction.functions, carried, strict=True)
        ):
            value.name_hint = self.loop.results[place].name_hint
            pointers = self._pointers(inside, place, number)
            # Other multiprocessors have written it: past the cache that each has.
            part = inside.add(nt.PointerLoadOp(pointers, policy=CachePolicy(".cg")))
            found.append(inside.add(nt.ElementwiseOp(function, [value, part], value.type)))
        inside.insert(scf.YieldOp(*found))
        return list(loop.results)


def _offsets(here: Inserter, shape: Sequence[int]) -> SSAValue:
    """The numbers of a block's lanes, row-major."""
    sizes = tuple(map(const, shape))
    found: SSAValue | None = None
    for dim, size in enumerate(shape):
        row = nt.block_type((size,), i32)
        index = here.add(nt.ArangeOp(nt.ExprAttr(const(0)), row))
        if (stride := math.prod(shape[dim + 1 :])) != 1:
            strides = here.add(nt.FullOp(here.add(nt.constant(nt.number(stride, i32))), row))
            index = here.add(nt.ElementwiseOp("mul", [index, strides], row))
        index = masks.along(here, index, dim, sizes)
        if found is not None:
            index = here.add(nt.ElementwiseOp("add", [found, index], index.type))
        found = index
    assert found is not None
    return found
