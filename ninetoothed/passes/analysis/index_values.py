"""Index values: what integers of an application are, as expressions over sizes and lanes.

The value of a block is that of one lane. Sums and products of machine integers are those of
integers where the result fits; whatever else is computed from one asks that it fits.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from ninetoothed.artifacts.signature import narrower_than
from ninetoothed.ir import nt
from ninetoothed.passes.analysis.lane_moves import Spread
from ninetoothed.passes.analysis.scalars import constant_value
from ninetoothed.symbolic.expr import (
    IndexExpr,
    binary,
    const,
    maximum,
    minimum,
    substitute,
    sym,
    symbol_names,
)
from ninetoothed.symbolic.extremes import largest, smallest
from ninetoothed.symbolic.intervals import Range, bounds
from ninetoothed.symbolic.normal_form import normalize

_RING = ("add", "sub", "mul")


class IndexValues:
    """Index values of a kernel in stage ``scheduled``, and the ranges of what they depend on.

    ``index_bits``: what holds every size. ``of_host``: extremes are by sizes that the host knows
    when it launches the kernel; else also by those that a program reads, as a sequence's length.
    ``variables``: ranges of program indices, lanes and induction variables, by name; which dim of
    the grid a program index is of (``programs``), and what an induction variable stands for
    (``inductions``). ``sizes``: the ranges of the call's sizes.
    """

    def __init__(self, kernel: nt.KernelOp, index_bits: int, of_host: bool) -> None:
        self._kernel = kernel
        self._known: dict[SSAValue, IndexExpr | None] = {}
        self._lanes: set[str] = set()
        # Variables that stand for an integer of so many bits.
        self._widths: dict[str, int] = {}
        self.variables: dict[str, Range] = {}
        self.programs: dict[str, int] = {}
        self.inductions: dict[str, BlockArgument] = {}
        self.sizes = dict(kernel.assumptions)
        for size, padded in kernel.padding.items():
            if size.op == "sym":
                self.sizes[size.args[0]] = Range.of(0, padded)
        most = narrower_than(index_bits)
        self._held = {name: self._narrower(name, most) for name in self.sizes}
        self._given = _given(kernel) if of_host else frozenset(self.sizes)

    def _narrower(self, name: str, most: int) -> Range:
        """The range of a size, or of a stride, which may be negative: integers of ``index_bits``
        hold it.
        """
        found = self.sizes[name]
        lower = const(-most) if found.lower is None else found.lower
        return Range(lower, const(most) if found.upper is None else found.upper)

    def largest(self, expr: IndexExpr) -> IndexExpr | None:
        """The largest value of ``expr``, by sizes alone; None: it is not known."""
        return self._by_sizes(largest(expr, self.variables, self.sizes))

    def smallest(self, expr: IndexExpr) -> IndexExpr | None:
        """The smallest value, as :meth:`largest`."""
        return self._by_sizes(smallest(expr, self.variables, self.sizes))

    def largest_of_lanes(self, expr: IndexExpr) -> IndexExpr | None:
        """No lane's value of ``expr`` is above it, in a program and an iteration; None: it is not
        known.
        """
        lanes = {name: self.variables[name] for name in self._lanes}
        return largest(expr, lanes, self.sizes)

    def _by_sizes(self, expr: IndexExpr | None) -> IndexExpr | None:
        is_given = expr is not None and self._given.issuperset(symbol_names(expr))
        return expr if is_given else None

    def varies(self, expr: IndexExpr) -> bool:
        """True if ``expr`` depends on the program, the lane or the iteration."""
        return any(name in self.variables for name in symbol_names(expr))

    def variable(self, range: Range) -> IndexExpr:
        """A new variable."""
        name = f"i{len(self.variables)}"
        while name in self.sizes:
            name = f"{name}_"
        self.variables[name] = range
        return sym(name)

    def of(self, value: SSAValue) -> IndexExpr | None:
        """The value, but for what does not fit its type; None if nothing is known of it."""
        if value not in self._known:
            self._known[value] = None
            if _bits(value.type) is not None:
                found = self._computed(value)
                self._known[value] = None if found is None else normalize(found)
        return self._known[value]

    def exact(self, value: SSAValue) -> IndexExpr | None:
        """The value, if its type holds it for all sizes."""
        found = self.of(value)
        return found if found is not None and self.fits(found, value.type) else None

    def range_of(self, value: SSAValue) -> Range:
        """The range of an integer, or of a block's lanes."""
        found = self.exact(value)
        if found is None:
            return Range()
        return Range(self.smallest(found), self.largest(found))

    def is_nonnegative(self, value: SSAValue) -> bool:
        """True if an integer, or each lane of a block, is proved to be at least 0."""
        found = self.exact(value)
        return found is not None and self.never_negative(found)

    def fits(self, expr: IndexExpr, type: Attribute) -> bool:
        """True if a type's integers hold all values of ``expr``."""
        return self.is_above_least(expr, type) and self._is_below_most(expr, type)

    def is_above_least(self, expr: IndexExpr, type: Attribute) -> bool:
        """True if no value of ``expr`` is below a type's integers: then an integer that is computed
        as ``expr`` is not above it.
        """
        bits = _bits(type)
        if bits is None or self._is_of_width(expr, bits):
            return bits is not None
        low = self.smallest(expr)
        least = None if low is None else bounds(low, self._held)[0]
        return least is not None and least >= -1 << (bits - 1)

    def _is_below_most(self, expr: IndexExpr, type: Attribute) -> bool:
        """True if no value of ``expr`` is above a type's integers: then an integer that is computed
        as ``expr`` is not below it.
        """
        bits = _bits(type)
        if bits is None or self._is_of_width(expr, bits):
            return bits is not None
        high = self.largest(expr)
        most = None if high is None else bounds(high, self._held)[1]
        return most is not None and most < 1 << (bits - 1)

    def _is_of_width(self, expr: IndexExpr, bits: int) -> bool:
        """True if ``expr`` stands for an integer of at most so many bits."""
        width = self._widths.get(expr.args[0]) if expr.op == "sym" else None
        return width is not None and width <= bits

    def never_negative(self, expr: IndexExpr) -> bool:
        """True if no value of ``expr`` is below 0."""
        low = self.smallest(expr)
        least = None if low is None else bounds(low, self._held)[0]
        return least is not None and least >= 0

    def access(self, op: Operation, attribute: nt.AccessAttr) -> dict[str, IndexExpr]:
        """Values of an access's index variables at ``op``, which reads or writes the tile."""
        names, levels = attribute.names, attribute.data.levels
        rows = zip(names[0], levels[0], strict=True)
        values = {
            name: self._program_index(dim, name, size) for dim, (name, size) in enumerate(rows)
        }
        if len(levels) > 1:
            rows = zip(names[-1], levels[-1], strict=True)
            values.update((name, self._lane(size)) for name, size in rows)
        indices: tuple[SSAValue, ...] = tuple(op.indices) if isinstance(op, nt.TileOp) else ()
        local = [name for row in names[1:-1] for name in row]
        for name, index in zip(local, indices, strict=True):
            found = self.exact(index)
            values[name] = self.variable(Range()) if found is None else found
        return values

    def _program_index(self, dim: int, name: str, size: IndexExpr) -> IndexExpr:
        if size.value == 1:
            return const(0)
        named = f"{name} of {size}"
        self.programs[named] = dim
        self.variables.setdefault(named, Range(const(0), size - 1))
        return sym(named)

    def _lane(self, size: IndexExpr) -> IndexExpr:
        if size.value == 1:
            return const(0)
        return self._in_lanes(Range(const(0), size - 1))

    def _in_lanes(self, range: Range) -> IndexExpr:
        """A new variable that may be another number in each lane."""
        found = self.variable(range)
        self._lanes.add(found.args[0])
        return found

    def _moved(self, expr: IndexExpr | None) -> IndexExpr | None:
        """The same values at other lanes."""
        if expr is None:
            return None
        moved = [name for name in symbol_names(expr) if name in self._lanes]
        return substitute(expr, {name: self._in_lanes(self.variables[name]) for name in moved})

    def _computed(self, value: SSAValue) -> IndexExpr | None:
        owner = value.owner
        if isinstance(value, BlockArgument):
            return self._induction(value)
        number = constant_value(value)
        if number is not None:
            return const(number) if isinstance(number, int) else None
        match owner:
            case nt.SizeOp():
                return owner.expr.data
            case nt.ArangeOp():
                return owner.start.data + self._lane(nt.shape_of(value.type)[0])
            case nt.OffsetsOp():
                return self._offsets(owner)
            case nt.CastOp() | nt.HintOp():
                return self.exact(owner.value)
            case nt.ElementwiseOp():
                return self._elementwise(owner)
            case _ if isinstance(owner, Spread):
                return self._moved(self.of(owner.value))
            case _:
                return None

    def _offsets(self, op: nt.OffsetsOp) -> IndexExpr | None:
        if op.source_dim is None or not isinstance(op.ref, BlockArgument):
            return None
        value = self._kernel.arranged.values[op.ref.index]
        _, attribute = nt.access_of(value, self._kernel.assumptions)
        values = self.access(op, attribute)
        if len(attribute.data.levels) > 1:
            for dim, name in enumerate(attribute.names[-1]):
                if dim not in op.dims:
                    values[name] = const(0)
        return substitute(attribute.data.indices[op.source_dim], values)

    def _elementwise(self, op: nt.ElementwiseOp) -> IndexExpr | None:
        name = op.function.data
        if len(op.arguments) != 2:
            return None
        if name in _RING:
            left, right = map(self.of, op.arguments)
            return None if left is None or right is None else binary(name, left, right)
        if name not in ("minimum", "maximum", "floordiv"):
            return None
        left, right = map(self.exact, op.arguments)
        if name != "floordiv" and (left is None) != (right is None):
            return self._at_known(op, left if right is None else right)
        if left is None or right is None:
            return None
        if name == "floordiv":
            # A negative quotient is rounded towards 0, not down.
            is_floor = self.never_negative(left) and right.value is not None and right.value > 0
            return left // right if is_floor else None
        return (minimum if name == "minimum" else maximum)(left, right)

    def _at_known(self, op: nt.ElementwiseOp, known: IndexExpr | None) -> IndexExpr | None:
        """A minimum or maximum of something unknown and ``known``."""
        if known is None:
            return None
        is_least = op.function.data == "minimum"
        bound = self.largest(known) if is_least else self.smallest(known)
        range = Range(None, bound) if is_least else Range(bound)
        return None if bound is None else self._typed(self._in_lanes(range), op.result)

    def _typed(self, variable: IndexExpr, value: SSAValue) -> IndexExpr:
        """A variable that stands for ``value``, an integer that its type holds."""
        bits = _bits(value.type)
        if bits is not None:
            self._widths[variable.args[0]] = bits
        return variable

    def _induction(self, value: BlockArgument) -> IndexExpr | None:
        loop = value.block.parent_op()
        if not isinstance(loop, scf.ForOp) or value is not loop.body.block.args[0]:
            return None
        step = constant_value(loop.step)
        first, end = self.of(loop.lb), self.of(loop.ub)
        if not isinstance(step, int) or step < 1:
            return None
        if first is not None and not self._is_below_most(first, loop.lb.type):
            first = None
        if end is not None and not self.is_above_least(end, loop.ub.type):
            end = None
        low = None if first is None else self.smallest(first)
        high = None if end is None else self.largest(end)
        last = None if high is None else high - 1
        are_ends = (first, end) == (low, high) and first == self.exact(loop.lb)
        if last is not None and low is not None and are_ends:
            last = low + (last - low) // step * step
        found = self.variable(Range(low, last))
        self.inductions[found.args[0]] = value
        return self._typed(found, value)


def _given(kernel: nt.KernelOp) -> frozenset[str]:
    """The sizes that the host knows when it launches the kernel."""
    exprs = (size for source in kernel.sources for size in source.decl.sizes)
    return frozenset(symbol_names(*(size for size in exprs if size.op == "sym")))


def _bits(type: Attribute) -> int | None:
    """The width of signed integers, or of blocks of them; None: the type has no such."""
    scalar = nt.scalar_of(type)
    if not isinstance(scalar, IntegerType):
        return None
    integer = cast("IntegerType", scalar)
    bits = integer.width.data
    return None if bits == 1 or integer.signedness.data is Signedness.UNSIGNED else bits
