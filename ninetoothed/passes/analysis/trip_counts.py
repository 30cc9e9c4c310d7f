"""Trip counts: how the iterations of a kernel's programs change from program to program.

This is no proof of anything but a reason to start some programs before others: counts below 0 are
taken as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, SSAValue

from ninetoothed.ir import nt
from ninetoothed.passes.analysis.scalars import known_scalar
from ninetoothed.passes.analysis.value_numbering import ValueNumbering
from ninetoothed.symbolic.expr import IndexExpr, const, substitute, sym, symbol_names
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import always_nonnegative, normalize
from ninetoothed.symbolic.polynomials import polynomial_of

Trend = Literal["constant", "rises", "falls", "unknown"]
_OPPOSITE: dict[Trend, Trend] = {
    **{"constant": "constant", "unknown": "unknown"},
    **{"rises": "falls", "falls": "rises"},
}
_ALIKE = ("minimum", "maximum")


def longest_last(kernel: nt.KernelOp) -> scf.ForOp | None:
    """A loop that iterates more often the larger an outermost index of the program is, where none
    does the opposite; None: there is no such.
    """
    trends = _Trends(kernel)
    found: scf.ForOp | None = None
    for loops in _innermost(kernel.apply.block):
        for name in trends.names:
            trend = trends.of_loops(loops, name)
            if trend == "falls":
                return None
            if trend == "rises":
                found = loops[0]
    return found


def _innermost(block: Block) -> Iterator[list[scf.ForOp]]:
    """The loops without loops inside, those of one block together."""
    found: list[scf.ForOp] = []
    for op in block.ops:
        inner = [one for region in op.regions for one in region.blocks]
        nested = [loops for one in inner for loops in _innermost(one)]
        yield from nested
        if isinstance(op, scf.ForOp) and not nested:
            found.append(op)
    if found:
        yield found


class _Trends:
    """Trends of scalars in the outermost indices of programs."""

    def __init__(self, kernel: nt.KernelOp) -> None:
        self._numbers = ValueNumbering()
        accesses = [nt.access_of(one, kernel.assumptions) for one in kernel.arranged.values]
        self._accesses = [access for _, access in accesses]
        self.names = max((access.names[0] for access in self._accesses), key=len, default=())
        # Lengths of sequences are those of some outermost indices.
        self._own: dict[str, frozenset[str]] = {}
        for source, access in accesses:
            if source.jagged is not None:
                indices = frozenset(symbol_names(nt.batch_index(access.data)))
                self._own[source.jagged.data.length] = indices
        self._known: dict[tuple[SSAValue, str], Trend] = {}
        self._ranges = {**kernel.assumptions, **dict.fromkeys(self.names, Range.of(0))}

    def of_loops(self, loops: list[scf.ForOp], name: str) -> Trend:
        """The trend of the iterations of loops one after another, all of one step."""
        steps = {known_scalar(loop.step) for loop in loops}
        if len(steps) > 1 or not all(step is not None and (step.value or 0) > 0 for step in steps):
            return "unknown"
        # Where one ends, the next may begin: that cancels out.
        total: IndexExpr = const(0)
        for loop in loops:
            total = total + self._numbers.expression(loop.ub) - self._numbers.expression(loop.lb)
        return self._of_expr(normalize(total), name)

    def _of_expr(self, expr: IndexExpr, name: str) -> Trend:
        """The trend of an expression over sizes and symbols of values."""
        found: Trend = "constant"
        for atoms, factor in polynomial_of(expr).items():
            varying = [one for one in atoms if self._of_atom(one, name) != "constant"]
            if not varying:
                continue
            if len(atoms) > 1:
                return "unknown"
            found = _sum(found, _scaled(self._of_atom(varying[0], name), factor))
        return found

    def _of_atom(self, atom: IndexExpr, name: str) -> Trend:
        if atom.op != "sym":
            used = symbol_names(atom)
            return (
                "constant"
                if all(self._of_atom(sym(one), name) == "constant" for one in used)
                else "unknown"
            )
        symbol: str = atom.args[0]
        value = self._numbers.value_of(symbol)
        if value is not None:
            return self.of(value, name)
        return "unknown" if name in self._own.get(symbol, ()) else "constant"

    def of(self, value: SSAValue, name: str) -> Trend:
        """The trend of a scalar integer in the outermost index of this name."""
        key = (value, name)
        if key not in self._known:
            self._known[key] = self._of(value, name)
        return self._known[key]

    def _of(self, value: SSAValue, name: str) -> Trend:
        owner = value.owner
        known = known_scalar(value)
        if known is not None:
            return self._of_expr(known, name)
        match owner:
            case nt.ProgramNumberOp():
                return "rises"
            case nt.ProgramCountOp():
                return "constant"
            case nt.CastOp():
                return self.of(owner.value, name)
            case nt.OffsetsOp() if not owner.dims and not owner.indices:
                return self._of_offset(owner, name)
            case nt.ElementwiseOp():
                return self._of_elementwise(owner, name)
            case _:
                return "unknown"

    def _of_offset(self, op: nt.OffsetsOp, name: str) -> Trend:
        if op.source_dim is None or not isinstance(op.ref, BlockArgument):
            return "unknown"
        access = self._accesses[op.ref.index]
        first = dict.fromkeys(access.names[-1], 0) if len(access.names) > 1 else {}
        index = substitute(access.data.indices[op.source_dim], first)
        if name not in symbol_names(index):
            return "constant"
        rise = normalize(substitute(index, {name: sym(name) + 1}) - index)
        if always_nonnegative(rise, self._ranges):
            return "rises"
        return "falls" if always_nonnegative(-rise, self._ranges) else "unknown"

    def _of_elementwise(self, op: nt.ElementwiseOp, name: str) -> Trend:
        trends: list[Trend] = [self.of(argument, name) for argument in op.arguments]
        if all(trend == "constant" for trend in trends):
            return "constant"
        function = op.function.data
        if function == "add" or function in _ALIKE:
            return _sum(trends[0], trends[1])
        if function == "sub":
            return _sum(trends[0], _scaled(trends[1], -1))
        if function in ("mul", "floordiv") and trends[1] == "constant":
            factor = known_scalar(op.arguments[1])
            if factor is not None and factor.value:
                return _scaled(trends[0], factor.value)
            if factor is not None and always_nonnegative(factor, self._ranges):
                return trends[0]
        return "unknown"


def _sum(one: Trend, two: Trend) -> Trend:
    if one == "constant" or one == two:
        return two
    return one if two == "constant" else "unknown"


def _scaled(trend: Trend, factor: int) -> Trend:
    return trend if factor > 0 else _OPPOSITE[trend]
