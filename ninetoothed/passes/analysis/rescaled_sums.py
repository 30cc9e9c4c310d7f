"""Rescaled sums: what a loop adds up relative to the largest value so far, as an online softmax does.

The loop carries an extreme, and sums of exponentials of values less the extreme. Where an iteration
finds a larger value, it scales the sums down before it adds to them:

    larger = maximum(largest, max(x))
    sum = sum * exp(largest - larger) + f(exp(x - larger))

If ``f`` is linear, the sum of all iterations is that of two parts of them, each scaled from its own
extreme to the larger one (M. Milakov, N. Gimelshein, "Online normalizer calculation for softmax",
2018). That is found by what each op does to such values, and not by a pattern of ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from xdsl.dialects import scf
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation, SSAValue

from ninetoothed.ir import nt
from ninetoothed.passes.analysis.accumulators import accumulated
from ninetoothed.passes.analysis.float_facts import filled_constant
from ninetoothed.passes.analysis.pass_refusal import Refusal
from ninetoothed.passes.analysis.scalars import repeated

_EXTREMES = ("maximum", "maximum_nan")
_EXPONENTIALS = ("exp", "exp2")

_Role = Literal[
    "largest", "larger", "drop", "correction", "exponent", "weight", "sum", "scaled", "next"
]
_Lanes = tuple[int | None, ...]
"""Of each dim of a value, the dim of the extreme that it goes along with."""


@dataclass(frozen=True)
class Rescaled:
    """A sum that is relative to the extreme that a loop carries at place ``largest``, by
    ``function`` of the difference; ``shaping`` gives a number of each extreme to each lane of it.
    """

    largest: int
    function: str
    shaping: tuple[Operation, ...]


@dataclass(frozen=True)
class _Value:
    """What a value is to the extreme: its ``role``, and its ``lanes``; of a sum its ``place``."""

    role: _Role
    lanes: _Lanes = ()
    place: int = -1
    shaping: tuple[Operation, ...] = ()


@dataclass
class _Roles:
    """The roles of values of one loop around one extreme; others depend on nothing it carries.

    ``other`` is what an iteration finds; ``may_be_sunk``: the largest of scaled values may be taken
    before they are scaled.
    """

    roles: dict[SSAValue, _Value]
    larger: SSAValue
    other: SSAValue
    may_be_sunk: bool
    functions: set[str] = field(default_factory=set[str])
    shapings: dict[int, tuple[Operation, ...]] = field(
        default_factory=dict[int, tuple[Operation, ...]]
    )

    def visit(self, op: Operation) -> None:
        """Find the role of an op's result.

        Raises:
            Refusal: it does something else with what is carried.
        """
        if op.regions:
            if any(operand in self.roles for inner in op.walk() for operand in inner.operands):
                raise Refusal(op, f"{op.name} depends on what the loop carries")
            return
        if not any(operand in self.roles for operand in op.operands):
            return
        found = self._role(op)
        if found is None:
            raise Refusal(op, f"{op.name} makes more of what the loop carries than a sum")
        self.roles[op.results[0]] = found

    def _role(self, op: Operation) -> _Value | None:
        if op.results and op.results[0] is self.larger:
            return _Value("larger", _identity(self.larger))
        given = [self.roles.get(operand) for operand in op.operands]
        roles: list[_Role | None] = [None if one is None else one.role for one in given]
        if isinstance(op, nt.ElementwiseOp):
            return self._elementwise(op, given, roles)
        first = given[0]
        if isinstance(op, nt.ExpandDimsOp | nt.BroadcastOp | nt.FullOp):
            return _shaped(op, first)
        match op, roles:
            case nt.CastOp(), ["weight"] if _is_float(op.result):
                return first
            case nt.TransOp(), ["weight"] if first is not None:
                return _Value("weight", tuple(first.lanes[dim] for dim in op.dims))
            case nt.ReduceOp(), ["weight"] if first is not None and op.function.data == "sum":
                rest = (*first.lanes[: op.dim], *first.lanes[op.dim + 1 :])
                return _Value("weight", rest) if first.lanes[op.dim] is None else None
            case nt.DotOp(), [_, _, None | "scaled"]:
                return _product(op, given)
            case _:
                return None

    def _elementwise(
        self, op: nt.ElementwiseOp, given: list[_Value | None], roles: list[_Role | None]
    ) -> _Value | None:
        function = op.function.data
        known = [one for one in given if one is not None]
        rows = [one for one in known if one.role != "sum"]
        if not rows or any(one.lanes != rows[0].lanes for one in rows):
            return None
        first = rows[0]
        match function, roles:
            case "sub", ["largest", "larger"]:
                return replace(first, role="drop")
            case "sub", [None, "larger"] if (
                self._bounded(self.other, op.operands[0]) == first.lanes
            ):
                return _Value("exponent", first.lanes)
            case name, ["drop"] if name in _EXPONENTIALS:
                self.functions.add(name)
                return replace(first, role="correction")
            case name, ["exponent"] if name in _EXPONENTIALS:
                self.functions.add(name)
                return _Value("weight", first.lanes)
            case "mul", ["sum", "correction"] | ["correction", "sum"]:
                (by,) = (one for one in known if one.role == "correction")
                (place,) = (one.place for one in known if one.role == "sum")
                self.shapings[place] = by.shaping
                return _Value("scaled", by.lanes, place)
            case ("mul", [None, "weight"]) | ("mul" | "truediv", ["weight", None]):
                return first
            case "add" | "sub", ["weight", "weight"]:
                return first
            case "where", [None, "weight", None] if filled_constant(op.operands[2]) == 0:
                return first
            case "where", [None, None, "weight"] if filled_constant(op.operands[1]) == 0:
                return first
            case ("add", ["weight", "scaled"]) | ("add" | "sub", ["scaled", "weight"]):
                return _next(known)
            case _:
                return None

    def _bounded(self, largest: SSAValue, value: SSAValue) -> _Lanes | None:
        """The lanes of the extreme that no lane of a value is above, since the largest was taken of
        these: no weight is above 1 then, whatever other parts have found. None: it was of others.
        """
        one, two = largest.owner, value.owner
        if largest is value:
            return _identity(value)
        if isinstance(one, nt.ReduceOp):
            is_largest = one.function.data == "max" and one.value is value
            return _widened(_identity(one.result), one.dim) if is_largest else None
        if not (isinstance(one, nt.ElementwiseOp) and isinstance(two, nt.ElementwiseOp)):
            return None
        if not self.may_be_sunk or not one.function.data == two.function.data == "mul":
            return None
        is_one_scale = repeated(one.operands[1]) is repeated(two.operands[1])
        return self._bounded(one.operands[0], two.operands[0]) if is_one_scale else None


def _identity(value: SSAValue) -> _Lanes:
    return tuple(range(len(nt.shape_of(value.type))))


def _widened(lanes: _Lanes, dim: int) -> _Lanes:
    """The lanes of a value with a dim more, along which the extreme is the same."""
    return (*lanes[:dim], None, *lanes[dim:])


def _shaped(op: Operation, given: _Value | None) -> _Value | None:
    """A value with other dims; None: of a sum, or where the extreme's own are broadcast."""
    if given is None or given.role in ("sum", "scaled", "next"):
        return None
    lanes = given.lanes
    if isinstance(op, nt.ExpandDimsOp):
        lanes = _widened(lanes, op.dim)
    elif isinstance(op, nt.FullOp):
        lanes = (None,) * len(nt.shape_of(op.result.type))
    else:
        old, new = (nt.shape_of(one.type) for one in (op.operands[0], op.results[0]))
        for size, wider, lane in zip(old, new, lanes, strict=True):
            if lane is not None and size != wider:
                return None
    return _Value(given.role, lanes, given.place, (*given.shaping, op))


def _product(op: nt.DotOp, given: Sequence[_Value | None]) -> _Value | None:
    """A product of weights, which is one itself, or added to a sum; None: it sums up along a dim
    of the extreme, or is of several matrices.
    """
    left, right, acc = given
    if len(nt.shape_of(op.a.type)) != 2 or (left is None) == (right is None):
        return None
    if left is not None:
        is_weight, lanes, summed = left.role == "weight", (left.lanes[0], None), left.lanes[1]
    else:
        assert right is not None
        is_weight, lanes, summed = right.role == "weight", (None, right.lanes[1]), right.lanes[0]
    if not is_weight or summed is not None:
        return None
    if acc is None:
        return _Value("weight", lanes) if filled_constant(op.acc) == 0 else None
    return _next([acc]) if acc.lanes == lanes else None


def _next(given: Sequence[_Value]) -> _Value:
    (scaled,) = (one for one in given if one.role == "scaled")
    return _Value("next", place=scaled.place)


def _is_float(value: SSAValue) -> bool:
    return isinstance(nt.scalar_of(value.type), AnyFloat)


def rescaled_sums(loop: scf.ForOp, may_be_sunk: bool = False) -> dict[int, Rescaled | str]:
    """Of each place that a loop carries a value at, how it is combined: by the function of an extreme,
    as a sum that is rescaled where that grows, or by a function of its own, if it has nothing to do
    with these; empty where it carries no such extreme.
    ``may_be_sunk``: the module is behind ``nt-sink-scales``.

    Raises:
        Refusal: it carries one, and something else happens to what it carries.
    """
    args, end = loop.body.block.args[1:], loop.body.block.last_op
    assert isinstance(end, scf.YieldOp)
    for place, (arg, larger) in enumerate(zip(args, end.operands, strict=True)):
        op = larger.owner
        if len(list(arg.uses)) < 2 or not isinstance(op, nt.ElementwiseOp):
            continue
        others = [one for one in op.arguments if one is not arg]
        if op.function.data in _EXTREMES and len(others) == 1:
            return _around(loop, place, op, others[0], may_be_sunk)
    return {}


def _around(
    loop: scf.ForOp, place: int, extreme: nt.ElementwiseOp, other: SSAValue, may_be_sunk: bool
) -> dict[int, Rescaled | str]:
    args, end = loop.body.block.args[1:], loop.body.block.last_op
    assert end is not None
    combined: dict[int, Rescaled | str] = {place: extreme.function.data}
    roles: dict[SSAValue, _Value] = {args[place]: _Value("largest", _identity(args[place]))}
    for at, arg in enumerate(args):
        # What is combined with a weight by itself is refused below.
        if at != place and (name := accumulated(loop, at)) is not None:
            combined[at] = name
        elif at != place:
            roles[arg] = _Value("sum", place=at)
    found = _Roles(roles, extreme.result, other, may_be_sunk)
    for op in loop.body.block.ops:
        if op is not end:
            found.visit(op)
    if other in found.roles or len(found.functions) != 1:
        raise Refusal(extreme, "the extreme depends on more that the loop carries")
    (function,) = found.functions
    for at, value in enumerate(end.operands):
        if at in combined:
            continue
        if found.roles.get(value) != _Value("next", place=at):
            raise Refusal(end, "what it carries is no sum that is rescaled")
        combined[at] = Rescaled(place, function, found.shapings[at])
    return combined
