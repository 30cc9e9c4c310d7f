"""Split loops: iterations in which a comparison holds in all lanes run a copy without it.

Attention asks in each iteration which keys a query may see, by their positions, though only the last
blocks of keys have some that it may not see; and a loop over whole blocks asks which lanes lie behind
the end. Such a comparison of an index with something that no iteration changes holds from some
iteration on, or up to some. The iterations in which all hold become a loop of their own, without the
comparisons, what they select, and the guards of loads that say the same; in front and behind it are
loops with them. Results are the same bits: no iteration is moved, nor left out, since what it would
multiply by 0 may be infinite.

It is done for loops with dots that begin with a number, and have no loop inside: where a kernel's
author has split a loop already, the second one begins where the first one ends.

Why here: comparisons that are always the same are folded, and whatever is decided by loop behind it
(guards, stages, descriptors) is decided for each of the loops. It requires stage ``scheduled`` and
leaves it.

Before:

```mlir
!block = !nt.tensor<[16, 16] x f32>
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<1> arrange {
  %y = nt.source "y" "tensor" strides [16, 1] aligned false : !nt.tensor<[16, 16] x f32>
  %0 = nt.access %y <[[1], [16, 16]] -> [b0, b1]> : !nt.tensor<[16, 16] x f32> -> !nt.tensor<[1] x !block>
  nt.arranged %0 : !nt.tensor<[1] x !block>
} apply {
^bb0(%b : !block):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %count = nt.size <n ceildiv 16> : i32
  %n = nt.size <n> : i32
  %zero = arith.constant 0.0 : f32
  %start = nt.full %zero : f32 -> !block
  %ends = nt.full %n : i32 -> !nt.tensor<[16, 16] x i32>
  %lanes = nt.arange <0> : !nt.tensor<[16] x i32>
  %row = nt.expand_dims %lanes axis 0 : !nt.tensor<[16] x i32> -> !nt.tensor<[1, 16] x i32>
  %columns = nt.broadcast %row : !nt.tensor<[1, 16] x i32> -> !nt.tensor<[16, 16] x i32>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %start) -> (!block) : i32 {
    %first = nt.elementwise "mul"(%i, %c16) : (i32, i32) -> i32
    %firsts = nt.full %first : i32 -> !nt.tensor<[16, 16] x i32>
    %places = nt.elementwise "add"(%firsts, %columns)
        : (!nt.tensor<[16, 16] x i32>, !nt.tensor<[16, 16] x i32>) -> !nt.tensor<[16, 16] x i32>
    %inside = nt.elementwise "lt"(%places, %ends)
        : (!nt.tensor<[16, 16] x i32>, !nt.tensor<[16, 16] x i32>) -> !nt.tensor<[16, 16] x i1>
    %kept = nt.elementwise "where"(%inside, %acc, %start)
        : (!nt.tensor<[16, 16] x i1>, !block, !block) -> !block
    %next = nt.dot %kept, %kept, %acc : !block, !block -> !block
    scf.yield %next : !block
  }
  nt.store %sum, %b[] : !block, !block[]
  nt.return
}
```

After:

```mlir
!b = !nt.tensor<[16, 16] x f32>
!y_access = !nt.tensor<[1] x !b>
!ends = !nt.tensor<[16, 16] x i32>
!row = !nt.tensor<[1, 16] x i32>
!inside = !nt.tensor<[16, 16] x i1>
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<1> arrange {
  %y = nt.source "y" "tensor" strides [16, 1] aligned false : !b
  %0 = nt.access %y <[[1], [16, 16]] -> [b0, b1]> : !b -> !y_access
  nt.arranged %0 : !y_access
} apply {
^bb0(%b: !b):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %count = nt.size <n ceildiv 16> : i32
  %n = nt.size <n> : i32
  %zero = arith.constant 0.000000e+00 : f32
  %start = nt.full %zero : f32 -> !b
  %ends = nt.full %n : i32 -> !ends
  %lanes = nt.arange <0> : !nt.tensor<[16] x i32>
  %row = nt.expand_dims %lanes axis 0 : !nt.tensor<[16] x i32> -> !row
  %columns = nt.broadcast %row : !row -> !ends
  %1 = nt.cast %c0 : i32 -> i64
  %2 = nt.cast %count : i32 -> i64
  %3 = arith.constant 0 : i64
  %4 = arith.constant 1 : i64
  %5 = nt.size <n> : i64
  %6 = nt.elementwise "mul"(%5, %4) : (i64, i64) -> i64
  %7 = nt.elementwise "add"(%3, %6) : (i64, i64) -> i64
  %8 = arith.constant 0 : i64
  %9 = nt.elementwise "maximum"(%7, %8) : (i64, i64) -> i64
  %10 = arith.constant 16 : i64
  %11 = nt.elementwise "floordiv"(%9, %10) : (i64, i64) -> i64
  %12 = nt.elementwise "minimum"(%2, %11) : (i64, i64) -> i64
  %13 = nt.elementwise "maximum"(%12, %1) : (i64, i64) -> i64
  %14 = nt.cast %13 : i64 -> i32
  %sum = scf.for %i = %c0 to %14 step %c1 iter_args(%acc = %start) -> (!b) : i32 {
    %first = nt.elementwise "mul"(%i, %c16) : (i32, i32) -> i32
    %firsts = nt.full %first : i32 -> !ends
    %places = nt.elementwise "add"(%firsts, %columns) : (!ends, !ends) -> !ends
    %next = nt.dot %acc, %acc, %acc : !b, !b -> !b
    scf.yield %next : !b
  }
  %sum_1 = scf.for %i_1 = %14 to %count step %c1 iter_args(%acc_1 = %sum) -> (!b) : i32 {
    %first_1 = nt.elementwise "mul"(%i_1, %c16) : (i32, i32) -> i32
    %firsts_1 = nt.full %first_1 : i32 -> !ends
    %places_1 = nt.elementwise "add"(%firsts_1, %columns) : (!ends, !ends) -> !ends
    %inside = nt.elementwise "lt"(%places_1, %ends) : (!ends, !ends) -> !inside
    %kept = nt.elementwise "where"(%inside, %acc_1, %start) : (!inside, !b, !b) -> !b
    %next_1 = nt.dot %kept, %kept, %acc_1 : !b, !b -> !b
    scf.yield %next_1 : !b
  }
  nt.store %sum_1, %b[] : !b, !b[]
  nt.return
}
```
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerType, i32
from xdsl.ir import BlockArgument, Operation, SSAValue

from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.rewriting import Inserter, replace
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.float_facts import filled_constant
from ninetoothed.passes.analysis.index_values import IndexValues
from ninetoothed.passes.analysis.lane_moves import Spread
from ninetoothed.passes.analysis.loop_nests import Loop
from ninetoothed.passes.analysis.scalars import constant_value, repeated
from ninetoothed.passes.lowering.known_booleans import fold
from ninetoothed.passes.option_values import WIDTHS, require_among
from ninetoothed.symbolic.expr import IndexExpr, ir_text, product, substitute, sym, symbol_names
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import always_nonnegative, normalize
from ninetoothed.symbolic.polynomials import expression_of, polynomial_of

_I64 = IntegerType(64)
_NARROW = tuple(map(IntegerType, (8, 16, 32)))
_MOST_FACTOR = 1 << 24
"""Sums of so many times numbers of 32 bits fit 64 bits, as many as an expression has."""

_COMPARISONS = {"lt": (1, 0), "le": (1, -1), "gt": (-1, 0), "ge": (-1, -1)}
"""A comparison is true where so often the difference of its operands, and so much more, is below 0."""


class _Term(NamedTuple):
    """So many times 1, a size, or a variable, which ``scalar`` is in front of the loop."""

    atom: IndexExpr
    factor: int
    scalar: SSAValue | None


@dataclass(frozen=True)
class _Limit:
    """The first one of the iterations in which something holds in all lanes, or the first one
    behind them: ``dividend // divisor``, or 0 where that is below 0. ``terms``: the dividend's.
    """

    dividend: IndexExpr
    divisor: int
    is_first: bool
    terms: tuple[_Term, ...] = field(compare=False)

    def implies(self, other: _Limit, values: IndexValues) -> bool:
        """True if what ``other`` is of holds in all iterations within this limit."""
        if (self.divisor, self.is_first) != (other.divisor, other.is_first):
            return False
        room = other.dividend - self.dividend
        return always_nonnegative(-room if self.is_first else room, values.sizes)


class _Splitting:
    """The comparisons of a loop that have one value in all lanes of some iterations."""

    def __init__(self, kernel: nt.KernelOp, loop: scf.ForOp, values: IndexValues) -> None:
        self.loop = loop
        self._kernel = kernel
        self._values = values
        self._index = values.of(loop.body.block.args[0])
        ops = kernel.apply.block.ops
        self._programs = next((op for op in ops if isinstance(op, nt.ProgramIndexOp)), None)
        # Of scalars that the loop does not change and of which nothing else is known, the names.
        self._names: dict[SSAValue, str] = {}
        self._truths: dict[nt.ElementwiseOp, bool] = {}
        self.limits: dict[_Limit, nt.ElementwiseOp] = {}
        for op in loop.body.block.ops:
            if not isinstance(op, nt.ElementwiseOp) or op.function.data not in _COMPARISONS:
                continue
            # A scalar is compared once, and not in each lane.
            if not nt.shape_of(op.result.type):
                continue
            truth = _wanted(op.result)
            limit = self._limit(self._excess(op, truth))
            if limit is not None and self._is_within(limit):
                self._truths[op] = truth
                self.limits.setdefault(limit, op)

    def _is_within(self, limit: _Limit) -> bool:
        """True unless the loop is known to have no iteration within a limit, or none outside."""
        at = normalize(limit.dividend // limit.divisor)
        begin, end = map(self._values.of, (self.loop.lb, self.loop.ub))
        if limit.is_first:
            return end is None or not always_nonnegative(at - end, self._values.sizes)
        return begin is None or not always_nonnegative(begin - at, self._values.sizes)

    def described(self, limit: _Limit) -> str:
        """The iterations within a limit."""
        names = {name: f"g{dim}" for name, dim in self._values.programs.items()}
        scalars = {**self._values.inductions, **{name: one for one, name in self._names.items()}}
        names |= {name: value.name_hint or name for name, value in scalars.items()}
        known = {name: sym(shown) for name, shown in names.items()}
        end = substitute(limit.dividend, known) // limit.divisor
        return f"{'from' if limit.is_first else 'below'} `{ir_text(normalize(end))}`"

    @property
    def is_split(self) -> bool:
        """True if there are limits, and perhaps iterations within all of them."""
        firsts = [limit for limit in self.limits if limit.is_first]
        lasts = [limit for limit in self.limits if not limit.is_first]
        return bool(self.limits) and not any(
            first.divisor == last.divisor
            and always_nonnegative(first.dividend - last.dividend, self._values.sizes)
            for first, last in itertools.product(firsts, lasts)
        )

    def run(self) -> None:
        """Split the loop."""
        loop, here = self.loop, Inserter.before(self.loop)
        first, last = self._middle(here)
        carried = tuple(loop.iter_args)
        sections = [(loop.lb, first), (first, last), (last, loop.ub)]
        for place, (begin, end) in enumerate(sections):
            if begin is end:
                continue
            copy = loop.clone()
            copies = dict(zip(loop.walk(), copy.walk(), strict=True))
            for operand, value in enumerate((begin, end, loop.step, *carried)):
                copy.operands[operand] = value
            here.insert(copy)
            if place == 1:
                self._leave_out(copies, copy)
            carried = tuple(copy.results)
        replace(loop, carried)

    def _middle(self, here: Inserter) -> tuple[SSAValue, SSAValue]:
        """The first one of the iterations without comparisons, and the one behind the last: no
        other value than the loop's own where nothing limits them.
        """
        type = self.loop.lb.type
        begin, end = (here.add(nt.CastOp(value, _I64)) for value in (self.loop.lb, self.loop.ub))
        first, last = begin, end
        for limit in self.limits:
            value = self._iteration(here, limit)
            if limit.is_first:
                first = _joined(here, "maximum", first, value)
            else:
                last = _joined(here, "minimum", last, value)
        if first is not begin:
            first = _joined(here, "minimum", first, end)
        if last is not end:
            last = _joined(here, "maximum", last, first)
        return (
            self.loop.lb if first is begin else here.add(nt.CastOp(first, type)),
            self.loop.ub if last is end else here.add(nt.CastOp(last, type)),
        )

    def _leave_out(self, copies: dict[Operation, Operation], loop: scf.ForOp) -> None:
        """Let the copy of the loop have no comparisons, and no guards that hold where these do."""
        for op, copy in copies.items():
            if isinstance(op, nt.LoadOp) and isinstance(copy, nt.LoadOp):
                guards, kept = self._guards(op)
                if len(kept) < len(guards):
                    copy.guards = nt.GuardsAttr(kept)
        known: dict[SSAValue, bool] = {
            copies[op].results[0]: truth for op, truth in self._truths.items()
        }
        fold(loop.body.block.walk(), known)

    # What iterations know.

    def _excess(self, op: nt.ElementwiseOp, truth: bool) -> IndexExpr | None:
        """What is below 0 where a comparison has this value."""
        left, right = map(self._operand, op.arguments)
        if left is None or right is None:
            return None
        times, more = _COMPARISONS[op.function.data]
        found = times * (left - right) + more
        return found if truth else -found - 1

    def _operand(self, value: SSAValue) -> IndexExpr | None:
        """A comparison's operand, of lanes or all alike."""
        found = self._values.exact(value)
        scalar = repeated(value)
        # Sums of wider ones might not fit 64 bits.
        if found is not None or scalar.type not in _NARROW:
            return found
        if self.loop.is_ancestor(scalar.owner) and not self._is_given(scalar):
            return None
        if scalar not in self._names:
            self._names[scalar] = self._values.variable(Range()).args[0]
        return sym(self._names[scalar])

    def _is_given(self, scalar: SSAValue) -> bool:
        """True of a number that the call gives."""
        op = scalar.owner
        if not isinstance(op, nt.LoadOp) or not isinstance(op.ref, BlockArgument):
            return False
        return self._kernel.sources[op.ref.index].kind.data == "scalar"

    def _limit(self, excess: IndexExpr | None) -> _Limit | None:
        """Of the iterations in which an excess is below 0 in all lanes; None: it is not known in
        front of the loop.
        """
        most = None if excess is None else self._values.largest_of_lanes(excess)
        if most is None or self._index is None:
            return None
        terms = polynomial_of(normalize(most))
        step = terms.pop((self._index,), 0)
        rest = expression_of(terms)
        if not step:
            return None
        # Below the quotient, rounded up; or above it, rounded down.
        dividend = normalize(step - 1 - rest if step > 0 else rest - step)
        known = self._terms(dividend)
        return None if known is None else _Limit(dividend, abs(step), step < 0, known)

    def _guards(self, op: nt.LoadOp) -> tuple[tuple[Guard, ...], tuple[Guard, ...]]:
        """The guards of a load, and those of them that iterations within all limits need."""
        if not isinstance(op.ref, BlockArgument):
            return (), ()
        value = self._kernel.arranged.values[op.ref.index]
        source, attribute = nt.access_of(value, self._kernel.assumptions)
        if source.kind.data != "tensor":
            return (), ()
        guards = attribute.data.guards if op.guards is None else op.guards.data
        places = self._values.access(op, attribute)
        return guards, tuple(guard for guard in guards if not self._holds(guard, places))

    def _holds(self, guard: Guard, places: dict[str, IndexExpr]) -> bool:
        """True if a guard holds within all limits."""
        index, size = (substitute(expr, places) for expr in (guard.index, guard.size))
        limit = self._limit(index - size)
        return (
            limit is not None
            and self._values.never_negative(index)
            and any(known.implies(limit, self._values) for known in self.limits)
        )

    # Its values in front of the loop.

    def _terms(self, expr: IndexExpr) -> tuple[_Term, ...] | None:
        """A sum of sizes and scalars; None: it is no such sum, or might not fit 64 bits."""
        found: list[_Term] = []
        for monomial, factor in polynomial_of(expr).items():
            if len(monomial) > 1 or (abs(factor) > _MOST_FACTOR and monomial):
                return None
            atom = product(monomial)
            name = atom.args[0] if atom.op == "sym" else ""
            scalar = self._scalar(name)
            if scalar is None and not self._is_size(atom):
                return None
            found.append(_Term(atom, factor, scalar))
        return tuple(found)

    def _is_size(self, atom: IndexExpr) -> bool:
        """True of what sizes tell, in 32 bits."""
        known = self._values.sizes.keys() >= set(symbol_names(atom))
        return known and self._values.fits(atom, i32)

    def _scalar(self, name: str) -> SSAValue | None:
        """What a variable stands for in front of the loop; None: it is not known there."""
        for scalar, known in self._names.items():
            if known == name:
                return scalar
        dim = self._values.programs.get(name)
        if dim is not None and self._programs is not None:
            return self._programs.results[dim]
        value = self._values.inductions.get(name)
        if value is not None and value.type not in _NARROW:
            return None
        outer = None if value is None else value.block.parent_op()
        is_around = outer is not None and outer is not self.loop and outer.is_ancestor(self.loop)
        return value if is_around else None

    def _iteration(self, here: Inserter, limit: _Limit) -> SSAValue:
        """The iteration of a limit."""
        total = _number(here, 0)
        for atom, factor, scalar in limit.terms:
            value = _number(here, factor)
            if atom.value is None:
                value = _joined(here, "mul", self._value(here, atom, scalar), value)
            total = _joined(here, "add", total, value)
        # What is below 0 would be rounded up.
        total = _joined(here, "maximum", total, _number(here, 0))
        return _joined(here, "floordiv", total, _number(here, limit.divisor))

    def _value(self, here: Inserter, atom: IndexExpr, scalar: SSAValue | None) -> SSAValue:
        """A size, or what a scalar is in front of the loop."""
        if scalar is None:
            return here.add(nt.SizeOp(nt.ExprAttr(atom), _I64))
        if isinstance(scalar.owner, Operation) and self.loop.is_ancestor(scalar.owner):
            scalar = here.add(scalar.owner.clone())
        return here.add(nt.CastOp(scalar, _I64))


def _number(here: Inserter, value: int) -> SSAValue:
    return here.add(nt.constant(nt.number(value, _I64)))


def _joined(here: Inserter, function: str, *values: SSAValue) -> SSAValue:
    return here.add(nt.ElementwiseOp(function, values, _I64))


def _wanted(value: SSAValue) -> bool:
    """The value of a condition where less is left to do: a computed operand is selected, and not a
    constant.
    """
    for use in value.uses:
        op = use.operation
        if isinstance(op, Spread):
            return _wanted(op.results[0])
        if isinstance(op, nt.ElementwiseOp):
            match op.function.data:
                case "invert":
                    return not _wanted(op.result)
                case "or":
                    return False
                case "where" if use.index == 0:
                    return filled_constant(op.arguments[1]) is None
                case _:
                    pass
    return True


def _loops(kernel: nt.KernelOp) -> Iterator[scf.ForOp]:
    """The innermost loops with dots that go on by 1 from a number on."""
    for op in kernel.apply.walk():
        if not isinstance(op, scf.ForOp) or constant_value(op.step) != 1:
            continue
        begin = constant_value(op.lb)
        inner = list(op.body.block.walk())
        has_dots = any(isinstance(one, nt.AnyDotOp) for one in inner)
        has_loops = any(isinstance(one, Loop) for one in inner)
        if isinstance(begin, int) and begin >= 0 and has_dots and not has_loops:
            yield op


@dataclass(frozen=True)
class SplitLoopsPass(KernelPass):
    """Split loops where a comparison begins, or ends, to hold in all lanes."""

    name: ClassVar[str] = "nt-split-loops"

    enabled: bool = True
    """False: each iteration has all comparisons."""

    index_bits: int = 32
    """The width of address arithmetic, 32 or 64."""

    def __post_init__(self) -> None:
        require_among(self.name, "index_bits", self.index_bits, WIDTHS)

    def apply_to(self, kernel: nt.KernelOp) -> None:
        # Sums of sizes of 64 bits might not fit.
        if not self.enabled or self.index_bits > 32:
            return
        values = IndexValues(kernel, self.index_bits, of_host=False)
        remarks = nt.RemarkEmitter(kernel, self.name)
        for loop in list(_loops(kernel)):
            splitting = _Splitting(kernel, loop, values)
            if not splitting.is_split:
                continue
            for limit, op in splitting.limits.items():
                iterations = splitting.described(limit)
                remarks.passed(op, f"iterations {iterations} run a copy without the comparison")
            splitting.run()
