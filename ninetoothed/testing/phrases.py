"""Generator of random expressions of the language."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from ninetoothed import dtype as dtypes
from ninetoothed.dtype import DTYPES
from ninetoothed.language import rules
from ninetoothed.language.rules import Operand
from ninetoothed.testing.terms import (
    ALL,
    COMMON,
    FLOATS,
    LANES,
    SIGNED,
    UNSIGNED,
    Expr,
    joined_dims,
    largest,
    spelled,
)

_KINDS = (
    *("arithmetic", "arithmetic", "arithmetic", "literal", "where", "compare", "unary", "cast"),
    *("reduce", "extremum", "real", "scan", "moved", "called", "ternary"),
)
_INTEGER_LITERALS = (
    *(("//", 3), ("%", 4), ("//", -2), ("%", 5), ("&", 6), ("|", 1), ("^", 3), (">>", 1)),
    *(("<<", 2), ("+", 2), ("*", 3), ("-", 1)),
)
# Over an argument of at most 4: the largest value, and the largest derivative.
_REAL = {
    "exp": (55.0, 55.0),
    "exp2": (16.0, 12.0),
    "sin": (1.0, 1.0),
    "cos": (1.0, 1.0),
    "erf": (1.0, 1.2),
    "sigmoid": (1.0, 0.25),
}
# A GPU's functions err by a few.
_ULPS_OF_REAL = 16
_ULPS_OF_DIVISION = 4
_GRIDDED = 2.0**20


@dataclass
class Phrases:
    """Expressions over ``leaves``. ``functions`` are the definitions that they call."""

    draw: st.DrawFn
    leaves: list[Expr] = field(default_factory=list[Expr])
    functions: list[str] = field(default_factory=list[str])
    types: tuple[str, ...] = ALL
    """The element types that may occur."""
    sparse: bool = False
    """True if a reduction may find no valid lane."""
    locals: int = 0

    def pick(self, *options: Any) -> Any:
        """One of the options."""
        return self.draw(st.sampled_from(options))

    def chance(self, percent: int) -> bool:
        """True in about so many cases of a hundred."""
        return self.draw(st.integers(0, 99)) < percent

    def dtype(self, *among: str) -> str:
        """An element type, mostly a common one."""
        allowed = [one for one in among or ALL if one in self.types]
        common = [one for one in COMMON if one in allowed]
        return self.pick(*(common if common and self.chance(60) else allowed))

    def leaf(self) -> Expr:
        """A variable."""
        # What is new is used more often, so that little is dead.
        return self.pick(*(self.leaves[-2:] if self.chance(40) else self.leaves))

    def exact_leaf(self) -> Expr:
        """A variable that holds a loaded or counted value."""
        return self.pick(*(leaf for leaf in self.leaves if leaf.exact))

    def expression(self, depth: int = 3) -> Expr:
        """Any expression."""
        if depth == 0 or self.chance(15):
            return self.leaf()
        found: Expr | None = getattr(self, f"_{self.pick(*_KINDS)}")(depth - 1)
        return self.leaf() if found is None else found

    def number(self, depth: int) -> Expr:
        """An expression that is no bit."""
        found = self.expression(depth)
        return self.counted(found) if found.dtype == "i1" else found

    def counted(self, bits: Expr) -> Expr:
        """Bits as integers."""
        found = bits.cast("i32", self.chance(30))
        assert found is not None
        return found

    def exact(self, depth: int) -> Expr:
        """A number that is the same however it is computed."""
        found = self.number(depth)
        if found.exact:
            return found
        leaf = self.exact_leaf()
        return self.counted(leaf) if leaf.dtype == "i1" else leaf

    def bit(self, depth: int) -> Expr:
        """A condition."""
        found = self.expression(depth)
        if found.dtype == "i1":
            return found
        if not found.exact:
            found = self.exact(0)
        return replace(found, text=f"({found.text} > 0)", dtype="i1", bound=1, places=0)

    def grid(self, value: Expr, dtype: str) -> Expr:
        """A few small numbers of a type, from the value if it is exact: a loop-carried value."""
        if not value.exact or value.reach > _GRIDDED:
            value = self.pick(*(x for x in self.leaves if x.exact and x.reach <= _GRIDDED))
        if value.floating:
            wide = value if value.dtype == "fp64" else value.cast("fp32")
            assert wide is not None
            value = replace(wide, text=f"({wide.text} * 4)", bound=wide.reach * 4)
        whole = value.cast("i32")
        assert whole is not None
        result = replace(whole, text=f"({whole.text} & 31)", bound=31).cast(dtype)
        assert result is not None
        if not result.floating:
            return result
        return replace(result, text=f"({result.text} * 0.25)", bound=7.75, places=2)

    # Elementwise.

    def _both(self, left: Expr, right: Expr) -> tuple[str, Expr, Expr] | None:
        """Two numbers as an operator takes them."""
        dtype = rules.arithmetic(Operand(left.dtype), Operand(right.dtype))[0]
        one, two = left.cast(dtype), right.cast(dtype)
        if one is None or two is None:
            return None
        # The operator converts.
        return dtype, replace(one, text=left.text), replace(two, text=right.text)

    def _of(self, *parts: Expr) -> Expr:
        """A value of the dims of what the parts broadcast to."""
        return Expr("", "i1", joined_dims(*parts), valid=all(part.valid for part in parts))

    def _arithmetic(self, depth: int) -> Expr | None:
        both = self._both(self.number(depth), self.number(depth))
        if both is None:
            return None
        dtype, left, right = both
        op = self.pick("+", "-", "*")
        one, two = left.reach, right.reach
        bound: float | None = one * two if op == "*" else one + two
        error = left.error + right.error
        places: int | None = None
        if op == "*":
            error = left.error * two + right.error * one + left.error * right.error
        if left.places is not None and right.places is not None:
            places = left.places + right.places if op == "*" else max(left.places, right.places)
        if left.bound is None or right.bound is None or (op == "-" and left.unsigned):
            bound = bound if left.floating else None
        text = f"({left.text} {op} {right.text})"
        return self._of(left, right).made(text, dtype, bound, places, error)

    def _literal(self, depth: int) -> Expr | None:
        value = self.number(depth)
        if value.floating and self.chance(30):
            dtype = rules.true_division(Operand(value.dtype), Operand("fp32", 3.0))[0]
            return value.made(
                *(f"({value.text} / 3.0)", dtype, value.reach, None, value.error),
                ulps=_ULPS_OF_DIVISION,
            )
        if not value.floating and self.chance(50):
            return self._integer_literal(value)
        op, constant = self.pick(("+", 2), ("*", 3), ("-", 1), ("*", 0.5), ("+", 0.25))
        number = Operand(dtypes.literal(constant), constant)
        dtype = rules.arithmetic(Operand(value.dtype), number)[0]
        wide = value.cast(dtype)
        if wide is None:
            return None
        left = self.chance(30)
        text = f"({constant} {op} {value.text})" if left else f"({value.text} {op} {constant})"
        if wide.floating and not value.floating:
            # It is fp64 if any tensor is, and which ones there are is not known yet.
            text = f"ntl.cast({text}, {spelled(dtype)})"
        places = None if wide.places is None else wide.places + 2 * (constant in (0.5, 0.25))
        bound = wide.reach * 3 + 2
        if not wide.floating and (value.bound is None or (op == "-" and wide.unsigned)):
            return wide.made(text)
        return wide.made(text, None, bound, places, wide.error * 3)

    def _integer_literal(self, value: Expr) -> Expr | None:
        op, constant = self.pick(*_INTEGER_LITERALS)
        if constant < 0 and value.unsigned:
            constant = -constant
        bound = None if value.bound is None else value.bound * 4 + 8
        if op == "-" and value.unsigned:
            bound = None
        # A number yields to the block's type, which must hold it.
        return value.made(f"({value.text} {op} {constant})", None, bound)

    def _where(self, depth: int) -> Expr | None:
        condition = self.bit(depth)
        both = self._both(self.number(depth), self.number(depth))
        if both is None:
            return None
        dtype, left, right = both
        text = f"ntl.where({condition.text}, {left.text}, {right.text})"
        return self._either(text, dtype, left, right, condition)

    def _ternary(self, depth: int) -> Expr | None:
        """A value or its negative, by a scalar."""
        scalars = [leaf for leaf in self.leaves if not leaf.dims and leaf.exact]
        value = self.number(depth)
        if not scalars or value.unsigned:
            return None
        test = self.pick(*scalars).text
        text = f"({value.text} if {test} > 0 else -({value.text}))"
        return value.made(text, None, value.bound, value.places, value.error, ulps=0)

    def _extremum(self, depth: int) -> Expr | None:
        both = self._both(self.number(depth), self.number(depth))
        if both is None:
            return None
        dtype, left, right = both
        name = self.pick("ntl.maximum", "ntl.minimum", "max", "min")
        return self._either(f"{name}({left.text}, {right.text})", dtype, left, right)

    def _either(self, text: str, dtype: str, left: Expr, right: Expr, *others: Expr) -> Expr | None:
        """One of two values."""
        places: int | None = None
        if left.places is not None and right.places is not None:
            places = max(left.places, right.places)
        wrapped = not left.floating and None in (left.bound, right.bound)
        bound = None if wrapped else max(left.reach, right.reach)
        error = max(left.error, right.error)
        return self._of(left, right, *others).made(text, dtype, bound, places, error, ulps=0)

    def _compare(self, depth: int) -> Expr | None:
        left = self.exact(depth)
        op = self.pick("<", "<=", ">", ">=", "==", "!=")
        if self.chance(50):
            constant = self.pick(0, 1, 2, 0.5)
            if isinstance(constant, float) and not left.floating and left.reach > 2.0**24:
                constant = 1
            text = f"({left.text} {op} {constant})"
            return replace(left, text=text, dtype="i1", bound=1, places=0)
        both = self._both(left, self.exact(depth))
        if both is None or not (both[1].exact and both[2].exact):
            return None
        _, left, right = both
        found = replace(self._of(left, right), text=f"({left.text} {op} {right.text})", bound=1)
        if self.chance(30):
            other = self.bit(depth)
            text = f"({found.text} {self.pick('&', '|', '^', 'and', 'or')} {other.text})"
            return replace(self._of(found, other), text=text, bound=1)
        return found

    def _unary(self, depth: int) -> Expr | None:
        value = self.number(depth)
        options = ["ntl.abs({})"]
        # `-(-a // b)` is refused, for it reads as a ceiling division.
        quotient = "//" in value.text and value.text.lstrip("(").startswith("-")
        if not value.unsigned and not quotient:
            options.append("-({})")
        if not value.floating:
            options.append("(~{})")
        bound = None if value.bound is None else value.bound + (not value.floating)
        if value.unsigned:
            bound = None
        text = self.pick(*options).format(value.text)
        return value.made(text, None, bound, value.places, value.error, ulps=0)

    def _cast(self, depth: int) -> Expr | None:
        return self.number(depth).cast(self.dtype(*FLOATS, *SIGNED, *UNSIGNED), self.chance(30))

    def _real(self, depth: int) -> Expr | None:
        value = self.number(depth)
        value = value if value.dtype in ("fp32", "fp64") else value.cast("fp32")
        if value is None or value.reach > 2.0**40:
            return None
        scale = 1.0
        while value.reach * scale > 4:
            scale /= 2
        text = value.text if scale == 1 else f"{value.text} * {scale}"
        name = self.pick(*_REAL)
        bound, slope = _REAL[name]
        return value.made(
            *(f"ntl.{name}({text})", None, bound, None, value.error * scale * slope),
            ulps=_ULPS_OF_REAL,
        )

    # Across lanes.

    def _reduce(self, depth: int) -> Expr | None:
        value = self.expression(depth)
        name = self.pick("sum", "max", "min", "argmax", "argmin")
        if name.startswith("arg") and (not value.exact or self.sparse):
            name = name.removeprefix("arg")
        if not value.dims or (value.dtype == "i1" and name != "sum"):
            return None
        if name == "sum" and value.dtype in ("fp16", "bf16"):
            value = value.cast("fp32")
            assert value is not None
        if name.startswith("arg"):
            axis = self.pick(*range(len(value.dims)))
            return self.along(value, name, "i32", float(LANES), axis)
        rule = rules.summation if name == "sum" else rules.extremum
        dtype = rule(Operand(value.dtype))[1]
        bound = None if value.bound is None else value.bound * (LANES if name == "sum" else 1)
        if name == "sum" and value.floating:
            summed = value.made("", dtype, bound, value.places)
            if summed is None or not summed.exact:
                # Another order would give other bits.
                return None
        found = self.along(value, name, dtype, bound, self.pick(None, *range(len(value.dims))))
        if name == "sum" or not self.sparse:
            return found
        if not value.floating:
            return replace(found, bound=None)
        # Of no lanes the extremum is infinite.
        text = f"ntl.minimum(ntl.maximum({found.text}, -8), 8)"
        return replace(found, text=text, bound=8)

    def along(
        self, value: Expr, name: str, dtype: str, bound: float | None, axis: int | None
    ) -> Expr:
        """``value`` reduced along an axis or all."""
        rank = len(value.dims)
        if bound is not None and DTYPES[dtype].kind != "float" and bound > largest(dtype):
            bound = None
        result = replace(value, dtype=dtype, bound=bound, valid=True)
        if dtype == "i32" and value.floating:
            result = replace(result, places=0, error=0.0)
        if axis is None:
            return replace(result, text=f"ntl.{name}({value.text})", dims=())
        kept = (*value.dims[:axis], "1", *value.dims[axis + 1 :])
        if rank == 1:
            kept = ()
        shown = axis - rank if self.chance(30) else axis
        text = f"ntl.{name}({value.text}, axis={shown})"
        if rank == 2:
            text = self.pick(
                f"ntl.{name}({value.text}, axis={shown}, keep_dims=True)",
                f"{text}[{':, None' if axis else 'None, :'}]",
                f"ntl.expand_dims({text}, {axis})",
            )
        return replace(result, text=text, dims=kept)

    def _scan(self, depth: int) -> Expr | None:
        value = self.number(depth)
        if not value.dims or not value.exact:
            return None
        if value.dtype in ("fp16", "bf16"):
            value = value.cast("fp32")
            assert value is not None
        dtype = rules.summation(Operand(value.dtype))[1]
        axis = self.pick(*range(len(value.dims)))
        reverse = self.pick("", ", reverse=True")
        bound = None if value.bound is None else value.bound * LANES
        found = value.made(
            f"ntl.cumsum({value.text}, axis={axis}{reverse})", dtype, bound, value.places
        )
        return found if found is not None and found.exact else None

    def _moved(self, depth: int) -> Expr | None:
        """Lanes moved, something done to them, and moved back."""
        value = self.number(depth)
        if not value.dims or value.unsigned:
            return None
        templates = ["ntl.flip(-ntl.flip({}))", "ntl.split(ntl.join({0}, -{0}))[1]"]
        if len(value.dims) == 2:
            templates += [
                "ntl.trans(-ntl.trans({}))",
                "ntl.permute(-ntl.permute({}, (1, 0)), (1, 0))",
                "ntl.flip(-ntl.flip({}, 0), dim=0)",
            ]
        text = self.pick(*templates).format(value.text)
        return value.made(text, None, value.bound, value.places, value.error, ulps=0)

    # Functions.

    def _called(self, depth: int) -> Expr | None:
        """A function of two values, written beside the application."""
        one, two = self.exact(depth), self.expression(depth)
        outer, self.leaves = self.leaves, [replace(one, text="p"), replace(two, text="q")]
        body = self.expression(2)
        self.leaves = outer
        self.locals += 1
        name = f"f{self.locals}"
        given = self.pick(f"{one.text}, {two.text}", f"{one.text}, q={two.text}")
        lines = [f"def {name}(p, q):", f"    return {body.text}"]
        if self.chance(50):
            lines[1:] = [f"    r = {body.text}", "    return r"]
        self.functions.append("\n".join([*lines, "", ""]))
        return replace(body, text=f"{name}({given})")
