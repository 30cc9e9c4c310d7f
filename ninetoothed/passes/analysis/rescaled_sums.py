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

from dataclasses import dataclass, field
from typing import Literal

from xdsl.dialects import scf
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation, SSAValue

from ninetoothed.ir import nt
from ninetoothed.passes.analysis.float_facts import filled_constant
from ninetoothed.passes.analysis.pass_refusal import Refusal

_EXTREMES = ("maximum", "maximum_nan")
_EXPONENTIALS = ("exp", "exp2")
_SHAPING = (nt.ExpandDimsOp, nt.BroadcastOp, nt.FullOp)

_Role = Literal[
    "largest", "larger", "drop", "correction", "exponent", "weight", "sum", "scaled", "next"
]


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
    """What a value is to the extreme: its ``role``; of a sum its ``place``."""

    role: _Role
    place: int = -1
    shaping: tuple[Operation, ...] = ()


@dataclass
class _Roles:
    """The roles of values of one loop around one extreme; others depend on nothing it carries."""

    roles: dict[SSAValue, _Value]
    larger: SSAValue
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
            return _Value("larger")
        given = [self.roles.get(operand) for operand in op.operands]
        if isinstance(op, _SHAPING):
            (one,) = given
            if one is None or one.role in ("sum", "scaled", "next"):
                return None
            return _Value(one.role, one.place, (*one.shaping, op))
        roles: list[_Role | None] = [None if one is None else one.role for one in given]
        match op, roles:
            case nt.ElementwiseOp(), _:
                return self._elementwise(op, op.function.data, given, roles)
            case nt.CastOp(), ["weight"]:
                return _Value("weight") if _is_float(op.result) else None
            case nt.TransOp(), ["weight"]:
                return _Value("weight")
            case nt.ReduceOp(), ["weight"]:
                return _Value("weight") if op.function.data == "sum" else None
            case nt.DotOp(), ["weight", None, None] | [None, "weight", None]:
                return _Value("weight") if filled_constant(op.acc) == 0 else None
            case nt.DotOp(), ["weight", None, "scaled"] | [None, "weight", "scaled"]:
                return _Value("next", _place(given))
            case _:
                return None

    def _elementwise(
        self, op: Operation, function: str, given: list[_Value | None], roles: list[_Role | None]
    ) -> _Value | None:
        match function, roles:
            case "sub", ["largest", "larger"]:
                return _Value("drop", shaping=_shaping(given))
            case "sub", [None, "larger"]:
                return _Value("exponent")
            case name, ["drop"] if name in _EXPONENTIALS:
                self.functions.add(name)
                return _Value("correction", shaping=_shaping(given))
            case name, ["exponent"] if name in _EXPONENTIALS:
                self.functions.add(name)
                return _Value("weight")
            case "mul", ["sum", "correction"] | ["correction", "sum"]:
                (by,) = (one for one in given if one is not None and one.role == "correction")
                self.shapings[_place(given)] = by.shaping
                return _Value("scaled", _place(given))
            case "mul", ["weight", None] | [None, "weight"]:
                return _Value("weight")
            case "truediv", ["weight", None]:
                return _Value("weight")
            case "add" | "sub", ["weight", "weight"]:
                return _Value("weight")
            case "where", [None, "weight", None] if filled_constant(op.operands[2]) == 0:
                return _Value("weight")
            case "where", [None, None, "weight"] if filled_constant(op.operands[1]) == 0:
                return _Value("weight")
            case "add", ["scaled", "weight"] | ["weight", "scaled"]:
                return _Value("next", _place(given))
            case "sub", ["scaled", "weight"]:
                return _Value("next", _place(given))
            case _:
                return None


def _place(given: list[_Value | None]) -> int:
    return next(one.place for one in given if one is not None and one.place >= 0)


def _shaping(given: list[_Value | None]) -> tuple[Operation, ...]:
    (first, *_) = given
    return () if first is None else first.shaping


def _is_float(value: SSAValue) -> bool:
    return isinstance(nt.scalar_of(value.type), AnyFloat)


def rescaled_sums(loop: scf.ForOp) -> dict[int, Rescaled | str]:
    """Of each place that a loop carries a value at, how it is combined: by the function of an extreme,
    or as a sum that is rescaled where that grows; empty where it carries no such extreme.

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
            return _around(loop, place, op, others[0])
    return {}


def _around(
    loop: scf.ForOp, place: int, extreme: nt.ElementwiseOp, other: SSAValue
) -> dict[int, Rescaled | str]:
    args, end = loop.body.block.args[1:], loop.body.block.last_op
    assert end is not None
    roles: dict[SSAValue, _Value] = {arg: _Value("sum", at) for at, arg in enumerate(args)}
    roles[args[place]] = _Value("largest")
    found = _Roles(roles, extreme.result)
    for op in loop.body.block.ops:
        if op is not end:
            found.visit(op)
    if other in found.roles or len(found.functions) != 1:
        raise Refusal(extreme, "the extreme depends on more that the loop carries")
    (function,) = found.functions
    combined: dict[int, Rescaled | str] = {place: extreme.function.data}
    for at, value in enumerate(end.operands):
        if at == place:
            continue
        if found.roles.get(value) != _Value("next", at):
            raise Refusal(end, "what it carries is no sum that is rescaled")
        combined[at] = Rescaled(place, function, found.shapings[at])
    return combined
