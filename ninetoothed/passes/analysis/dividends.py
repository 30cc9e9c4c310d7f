"""Dividends: divisions that Triton may take for floor division where they are not.

``arith.divsi`` and ``arith.remsi`` round to zero. Where the dividend's lanes are consecutive, Triton
takes them for floor division and its modulo without asking for the sign.
"""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue

from ninetoothed.ir import nt, tt
from ninetoothed.passes.analysis.index_values import IndexValues
from ninetoothed.passes.analysis.lane_moves import Spread

_READS = nt.LoadOp | nt.PointerLoadOp


class Dividends:
    """The divisions of an application in stage ``scheduled`` whose result Triton may mistake."""

    def __init__(self, values: IndexValues) -> None:
        self._values = values
        self._nonnegative: dict[SSAValue, bool] = {}

    def is_mistaken(self, op: nt.ElementwiseOp) -> bool:
        """True if ``op`` divides a block of signed integers that may be negative, whose lanes Triton
        may know as consecutive from a number on that has a divisor in common with the other operand.
        """
        if op.function.data not in ("floordiv", "mod") or not nt.shape_of(op.result.type):
            return False
        if not _is_signed(op.result):
            return False
        dividend, divisor = op.arguments
        number = self._number(divisor)
        return (
            (number is None or number % 2 == 0)
            and not self.is_nonnegative(dividend)
            and self._may_be_consecutive(dividend)
        )

    def is_nonnegative(self, value: SSAValue) -> bool:
        """True if an integer, or each lane of a block, is proved to be at least 0."""
        if value not in self._nonnegative:
            self._nonnegative[value] = self._values.is_nonnegative(value) or self._by_op(value)
        return self._nonnegative[value]

    def _by_op(self, value: SSAValue) -> bool:
        match value.owner:
            case nt.ElementwiseOp() as op:
                return self._of_function(op)
            case nt.CastOp() as op:
                return _keeps_sign(op) and (
                    not _is_signed(op.value) or self.is_nonnegative(op.value)
                )
            case nt.HintOp() as op:
                return self.is_nonnegative(op.value)
            case op if isinstance(op, Spread):
                return self.is_nonnegative(op.value)
            case _:
                return False

    def _of_function(self, op: nt.ElementwiseOp) -> bool:
        operands = list(op.arguments)
        match op.function.data:
            case "floordiv" | "minimum" | "or":
                return all(map(self.is_nonnegative, operands))
            case "maximum" | "and":
                return any(map(self.is_nonnegative, operands))
            case "mod" | "shr":
                return self.is_nonnegative(operands[0])
            case "where":
                return all(map(self.is_nonnegative, operands[1:]))
            case _:
                return False

    def _number(self, value: SSAValue) -> int | None:
        """The number that each lane is; None: it is not known."""
        found = self._values.exact(value)
        return None if found is None else found.value

    def _may_be_consecutive(self, value: SSAValue) -> bool:
        """True if Triton may know lanes of ``value`` as consecutive: it is computed from a range, an
        index or a value with a hint, and not by a read or a quotient of them.
        """
        found, visited = [value], set[SSAValue]()
        while found:
            one = found.pop()
            op = one.owner
            if one in visited or not nt.shape_of(one.type):
                continue
            visited.add(one)
            if isinstance(op, Block) or op.regions:
                # A loop may carry them.
                return True
            if isinstance(op, nt.ArangeOp | nt.OffsetsOp | nt.HintOp):
                return True
            if not isinstance(op, _READS) and not self._is_quotient(op):
                found.extend(op.operands)
        return False

    def _is_quotient(self, op: Operation) -> bool:
        """True if ``op`` divides, and not by 1."""
        if not isinstance(op, nt.ElementwiseOp) or op.function.data != "floordiv":
            return False
        return self._number(op.arguments[1]) != 1


def _is_signed(value: SSAValue) -> bool:
    """True if the lanes are integers with a sign; False for bits."""
    return nt.dtype_of(value.type).startswith("i") and nt.dtype_of(value.type) != "i1"


def _keeps_sign(op: nt.CastOp) -> bool:
    """True if each integer that is not negative is cast to itself."""
    before, after = (tt.integer_bits(nt.scalar_of(value.type)) for value in (op.value, op.result))
    return before > 0 and (before < after or (before == after and _is_signed(op.value)))
