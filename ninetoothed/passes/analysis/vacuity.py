"""Vacuous guards: those that hold in every program, lane and iteration of a call.

A guard ``index < size`` is evaluated at its index's extremes. Where these are sizes, the host can
tell for each call: an *excess* is an expression over the call's sizes, and all guards that it is of
hold where it is at most 0. A guard whose index is not monotone, or that can never hold, has none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from xdsl.ir import BlockArgument, Operation

from ninetoothed.ir import nt
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.index_values import IndexValues
from ninetoothed.symbolic.divisibility import known_divisor
from ninetoothed.symbolic.expr import IndexExpr, const, replace_all, substitute
from ninetoothed.symbolic.extremes import remainder, without_rounding
from ninetoothed.symbolic.intervals import bounds
from ninetoothed.symbolic.normal_form import always_nonnegative, normalize
from ninetoothed.symbolic.polynomials import polynomial_of

Excesses = tuple[IndexExpr, ...]
"""What must be at most 0, for each size of a call; of none, it always is."""

GuardedOp = nt.LoadOp | nt.StoredOp | nt.StoreOp | nt.GuardOp | nt.AddressOp

_COMPARISONS = {
    # function: the side of the index, what is added to the size, the truth
    "lt": ((0, 0, True), (1, 1, False)),
    "le": ((0, 1, True), (1, 0, False)),
    "ge": ((0, 0, False), (1, 1, True)),
    "gt": ((0, 1, False), (1, 0, True)),
}


@dataclass(frozen=True)
class Truth:
    """The value of a comparison in all lanes, where no excess is above 0."""

    value: bool
    excesses: Excesses = ()


class Vacuity:
    """The vacuous guards of a kernel in stage ``scheduled``.

    ``index_bits``: the width of its address arithmetic.
    """

    def __init__(self, kernel: nt.KernelOp, index_bits: int) -> None:
        self._kernel = kernel
        self._values = IndexValues(kernel, index_bits, of_host=True)
        self._indivisible = frozenset(decl.name for decl in kernel.declarations if decl.indivisible)
        self._decided: dict[IndexExpr, bool | None] = {}

    @cached_property
    def guards(self) -> dict[nt.AccessOp, dict[Guard, Excesses]]:
        """The guards that are vacuous in all uses of their access, if no excess is above 0."""
        uses: dict[nt.AccessOp, list[Operation]] = {}
        for op in self._kernel.apply.walk():
            if isinstance(op, GuardedOp) and isinstance(op.ref, BlockArgument):
                access = self._kernel.arranged.values[op.ref.index].owner
                if isinstance(access, nt.AccessOp) and access.access.data.guards:
                    uses.setdefault(access, []).append(op)
        found: dict[nt.AccessOp, dict[Guard, Excesses]] = {}
        for access, ops in uses.items():
            places = [self._values.access(op, access.access) for op in ops]
            for guard in access.access.data.guards:
                excesses = self._of_guard(guard, places)
                if excesses is not None:
                    found.setdefault(access, {})[guard] = excesses
        return found

    @cached_property
    def comparisons(self) -> dict[nt.ElementwiseOp, Truth]:
        """The comparisons of an index with a size that have one value in all lanes."""
        ops = (op for op in self._kernel.apply.walk() if isinstance(op, nt.ElementwiseOp))
        found = ((op, self._of_comparison(op)) for op in ops if op.function.data in _COMPARISONS)
        return {op: truth for op, truth in found if truth is not None}

    @property
    def excesses(self) -> Excesses:
        """All excesses, each once."""
        rows = [one for guards in self.guards.values() for one in guards.values()]
        rows += [truth.excesses for truth in self.comparisons.values()]
        return tuple(dict.fromkeys(excess for row in rows for excess in row))

    @cached_property
    def constants(self) -> dict[str, int]:
        """The sizes that are numbers where no excess is above 0."""
        return dict(filter(None, map(self._filled, self.excesses)))

    def _of_guard(self, guard: Guard, places: Iterable[dict[str, IndexExpr]]) -> Excesses | None:
        found: list[IndexExpr] = []
        for values in places:
            index, size = (substitute(expr, values) for expr in (guard.index, guard.size))
            if self._values.varies(size):
                return None
            high, low = self._values.largest(index), self._values.smallest(index)
            if high is None or low is None or self._values.largest(size) is None:
                return None
            found += [high + 1 - size, -low]
        return self._excesses(found)

    def _excesses(self, found: Iterable[IndexExpr]) -> Excesses | None:
        """Those that a call may have; None if one is above 0 in each."""
        kept: dict[IndexExpr, None] = {}
        for expr in map(self._plain, map(normalize, found)):
            if expr not in self._decided:
                self._decided[expr] = self._decide(expr)
            holds = self._decided[expr]
            if holds is False:
                return None
            if holds is None:
                kept[remainder(expr)] = None
        return tuple(kept)

    def _plain(self, excess: IndexExpr) -> IndexExpr:
        """An excess that is no smaller, without the minimum of a size and something else, which
        loops are bounded by.
        """
        atoms = (atom for monomial in polynomial_of(excess) for atom in monomial)
        found = next((atom for atom in atoms if atom.op == "min"), None)
        if found is not None:
            for operand in found.args:
                plain = normalize(replace_all(excess, {found: operand}))
                # It is larger where the minimum is not subtracted.
                if always_nonnegative(plain - excess, self._values.sizes) and self._may_hold(plain):
                    return plain
        return excess

    def _decide(self, expr: IndexExpr) -> bool | None:
        """True if ``expr`` is never above 0, False if it always is; None: the sizes tell."""
        low, high = bounds(expr, self._values.sizes)
        if high is not None and high <= 0:
            return True
        if low is not None and low > 0:
            return False
        if always_nonnegative(-expr, self._values.sizes):
            return True
        # A size that is no multiple of its block's leaves the last one partly empty.
        atoms = (atom for monomial in polynomial_of(expr) for atom in monomial)
        if any(map(self._is_partial, atoms)):
            return False
        filled = self._filled(expr)
        is_partial = filled and filled[0] in self._indivisible and filled[1] % 16 == 0
        return False if is_partial else None

    def _filled(self, excess: IndexExpr) -> tuple[str, int] | None:
        """The size that fills its padded block where ``excess`` is not above 0, and the block's."""
        for size, padded in self._kernel.padding.items():
            if size.op == "sym" and normalize(excess - padded + size).value == 0:
                return size.args[0], padded
        return None

    def _is_partial(self, blocks: IndexExpr) -> bool:
        """True if the last of so many blocks cannot be full."""
        if blocks.op != "ceildiv" or blocks.args[0].op != "sym":
            return False
        size, block = blocks.args
        return size.args[0] in self._indivisible and known_divisor(block, {}) % 16 == 0

    def _of_comparison(self, op: nt.ElementwiseOp) -> Truth | None:
        for side, more, truth in _COMPARISONS[op.function.data]:
            index = self._values.of(op.arguments[side])
            size = self._values.exact(op.arguments[1 - side])
            if index is None or size is None or not self._values.varies(index):
                continue
            if self._values.varies(size):
                continue
            type = op.arguments[side].type
            low, high = self._values.smallest(index), self._values.largest(index)
            never = [] if low is None else [size + more - low]
            if never and self._values.fits(index, type) and self._excesses(never) == ():
                return Truth(not truth)
            if high is None or not self._values.is_above_least(index, type):
                continue
            excess = self._plain(normalize(high + 1 - more - size))
            found = self._excesses([excess])
            if found is not None and (not found or self._may_hold(excess)):
                return Truth(truth, found)
        return None

    def _may_hold(self, excess: IndexExpr) -> bool:
        """True if it is at most 0 in calls whose sizes are multiples of their blocks: then to ask
        for it leaves no kernel without its other gains.
        """
        exact = without_rounding(excess)
        if exact is None:
            return False
        padded = {size.args[0]: n for size, n in self._kernel.padding.items() if size.op == "sym"}
        exact = normalize(substitute(exact, padded))
        return always_nonnegative(const(0) - exact, self._values.sizes)
