"""Writes random applications: expressions and statements whose value every stage must keep.

What is written is well defined: no lane that is stored depends on a lane that was not read, and no
float is combined in an order that could be seen. :class:`Expr` keeps account of that.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from hypothesis import strategies as st

from ninetoothed.dtype import DTYPES
from ninetoothed.language import rules
from ninetoothed.language.rules import Operand

Dims = tuple[str, ...]
NAMES = {"i1": "int1", "i32": "int32", "fp16": "float16", "fp32": "float32"}
_MANTISSA = {"fp16": 11, "fp32": 24, "i32": 31, "i1": 1}
_LARGEST = {"fp16": 6e4, "fp32": 1e30, "i32": 2.0**31, "i1": 1.0}
_LANES = 256


@dataclass(frozen=True)
class Expr:
    """An expression's text, and what is known of its value.

    ``dims`` names the block's dims, ``"1"`` where they are of size 1; they broadcast to the
    output's. ``bound`` is of the magnitude, None: unknown. ``places``: the values are multiples of
    ``2**-places``, None: unknown. ``real``: every lane that an output stores was read.
    """

    text: str
    dtype: str
    dims: Dims = ()
    bound: float | None = None
    places: int | None = None
    real: bool = True

    @property
    def floating(self) -> bool:
        """Whether it is a float."""
        return self.dtype.startswith("fp")

    def settled(self) -> Expr:
        """The expression with what cannot be kept forgotten: overflow, and rounding."""
        bound, places = self.bound, self.places
        if bound is not None and bound > _LARGEST[self.dtype]:
            bound = None
        if bound is None or places is None or bound * 2.0**places >= 2 ** _MANTISSA[self.dtype]:
            places = None
        return replace(self, bound=bound, places=places)


@dataclass
class Argument:
    """A tensor for the call: its buffer is larger than it, so that a stray write is seen."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    layout: str
    seed: int

    def buffer(self) -> torch.Tensor:
        """A fresh buffer."""
        generator = torch.Generator().manual_seed(self.seed)
        shape = [size + 2 if self.layout == "window" else size for size in self.shape]
        if self.layout == "reversed":
            shape.reverse()
        numbers = torch.randint(-32, 33, shape, generator=generator)
        if self.dtype == "i1":
            return numbers > 0
        if self.dtype == "i32":
            return (numbers // 4).to(torch.int32)
        return (numbers / 8).to(getattr(torch, DTYPES[self.dtype].torch))

    def view(self, buffer: torch.Tensor) -> torch.Tensor:
        """The tensor in its buffer."""
        if self.layout == "window":
            return buffer[tuple(slice(1, 1 + size) for size in self.shape)]
        return (
            buffer.permute(*reversed(range(buffer.dim()))) if self.layout == "reversed" else buffer
        )


@dataclass
class Program:
    """A file that defines ``arrangement``, ``application`` and ``TENSORS``; and one call.

    ``keywords`` are constexpr symbols, ``choices`` the values of meta symbols, in the kernel's
    order. ``exact``: the results are equal to the last bit. ``body`` are the application's lines.
    """

    source: str
    body: tuple[str, ...]
    arguments: list[Argument | int | float]
    names: list[str]
    keywords: dict[str, int]
    choices: list[int]
    exact: bool


@dataclass
class Writer:
    """Writes one file."""

    draw: st.DrawFn
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    header: list[str] = field(default_factory=list[str])
    arrange: list[str] = field(default_factory=list[str])
    tensors: list[str] = field(default_factory=list[str])
    arguments: list[Argument | int | float] = field(default_factory=list[Any])
    names: list[str] = field(default_factory=list[str])
    lines: list[str] = field(default_factory=list[str])
    leaves: list[Expr] = field(default_factory=list[Expr])
    keywords: dict[str, int] = field(default_factory=dict[str, int])
    choices: list[int] = field(default_factory=list[int])
    outputs: list[tuple[str, Dims]] = field(default_factory=list[tuple[str, Dims]])
    block: str = ""
    """The text of the shape of a full block."""
    dims: Dims = ()
    """The dims of a full block."""
    sparse: bool = False
    """Whether a reduction may find no lane that was read."""
    exact: bool = True
    indent: int = 1
    locals: int = 0

    # Choices.

    def pick(self, *options: Any) -> Any:
        """One of the options."""
        return self.draw(st.sampled_from(options))

    def chance(self, percent: int) -> bool:
        """True in about so many cases of a hundred."""
        return self.draw(st.integers(0, 99)) < percent

    # Arrangements.

    def size(self, name: str, high: int = 9, low: int = 1) -> int:
        """A size of a tensor."""
        return self.sizes.setdefault(name, self.draw(st.integers(low, high)))

    def tile(self, name: str) -> str:
        """A block size: a number, a constexpr symbol, or one that the compiler chooses."""
        kind = self.pick("number", "constexpr", "meta", "block_size")
        if kind == "number":
            self.header.append(f"{name} = {self.pick(1, 2, 3, 4, 5, 6, 7, 8)}")
        elif kind == "constexpr":
            self.header.append(f'{name} = Symbol("{name}", constexpr=True)')
            self.keywords[name] = self.pick(1, 2, 3, 4, 5, 7, 8)
        else:
            options = "lower_bound=1, upper_bound=16"
            text = f"block_size({options})"
            if kind == "meta":
                text = f'Symbol("{name}", meta=True, {options})'
            self.header.append(f"{name} = {text}")
            self.choices.append(self.pick(1, 2, 4, 8))
        return name

    def tensor(
        self, name: str, shape: Sequence[int], dtype: str, arranged: str, other: bool = True
    ) -> bool:
        """A parameter of the kernel, arranged by ``arranged`` over its name.

        Returns whether it has an ``other``.
        """
        value = self.pick(None, None, 0, 1) if other else None
        text = "" if value is None else f", other={value}"
        self.tensors.append(f'Tensor({len(shape)}, dtype="{dtype}"{text})')
        layout = self.pick("plain", "window", "reversed")
        self.arguments.append(
            Argument(name, tuple(shape), dtype, layout, self.draw(st.integers(0, 99)))
        )
        self.names.append(name)
        lines = arranged.format(name).split("; ")
        lines[0] = f"{name} = {lines[0]}"
        self.arrange += lines
        return value is not None

    def read(self, text: str, dtype: str, dims: Dims, real: bool = True) -> Expr:
        """A leaf of the expressions: an input, of three bits behind the point or of integers."""
        floating = dtype.startswith("fp")
        bound = 1.0 if dtype == "i1" else 4.0 if floating else 8.0
        leaf = Expr(text, dtype, dims, bound, 3 if floating else 0, real)
        self.leaves.append(leaf)
        return leaf

    def dtype(self) -> str:
        """An input's element type."""
        return self.pick("i32", "fp32", "fp32", "fp16", "i1")

    def scalar(self, name: str) -> None:
        """A number among the parameters."""
        integer = self.chance(50)
        self.tensors.append(f'Tensor(0, dtype="{"i32" if integer else "fp32"}")')
        self.names.append(name)
        self.arguments.append(self.pick(-2, 0, 1, 3) if integer else self.pick(-1.5, 0.25, 2.0))
        dtype = "i32" if integer else "fp32"
        self.leaves.append(Expr(name, dtype, (), 4.0, 3 if dtype == "fp32" else 0))

    # Expressions.

    def expression(self, depth: int = 3) -> Expr:
        """Any expression."""
        if depth == 0 or self.chance(15):
            # What is new is used more often, so that little is dead.
            return self.draw(st.sampled_from(self.leaves[-2:] if self.chance(40) else self.leaves))
        kind = self.pick(
            "arith",
            "arith",
            "arith",
            "where",
            "compare",
            "reduce",
            "unary",
            "cast",
            "extremum",
            "literal",
        )
        found: Expr = getattr(self, f"_{kind}")(depth - 1)
        return found.settled()

    def number(self, depth: int) -> Expr:
        """An expression that is no bit."""
        found = self.expression(depth)
        return self.cast(found, "i32") if found.dtype == "i1" else found

    def bit(self, depth: int) -> Expr:
        """A condition."""
        found = self.expression(depth)
        return (
            found
            if found.dtype == "i1"
            else replace(found, text=f"({found.text} > 0)", dtype="i1", bound=1, places=0)
        )

    def cast(self, value: Expr, dtype: str) -> Expr:
        """``value`` converted; a float that may be large does not become an integer."""
        if value.dtype == dtype:
            return value
        assert not (dtype == "i32" and value.floating and value.bound is None)
        text = f"ntl.cast({value.text}, ntl.{NAMES[dtype]})"
        if self.chance(30) and not value.text.startswith("ntl."):
            text = f"{value.text}.to(ntl.{NAMES[dtype]})"
        places = 0 if dtype == "i32" else value.places
        return replace(value, text=text, dtype=dtype, places=places).settled()

    def _join(
        self, text: str, dtype: str, *parts: Expr, bound: float | None, places: int | None
    ) -> Expr:
        dims: list[str] = []
        for position in range(max(len(part.dims) for part in parts)):
            found = {p.dims[-1 - position] for p in parts if position < len(p.dims)} - {"1"}
            assert len(found) < 2
            dims.insert(0, found.pop() if found else "1")
        return Expr(text, dtype, tuple(dims), bound, places, all(part.real for part in parts))

    def _arith(self, depth: int) -> Expr:
        left, right = self.number(depth), self.number(depth)
        op = self.pick("+", "-", "*")
        dtype = rules.arithmetic(Operand(left.dtype), Operand(right.dtype))[0]
        bound: float | None = None
        if left.bound is not None and right.bound is not None:
            bound = left.bound * right.bound if op == "*" else left.bound + right.bound
        places: int | None = None
        if left.places is not None and right.places is not None:
            places = left.places + right.places if op == "*" else max(left.places, right.places)
        if dtype == "fp16" and (left.dtype == "i32" or right.dtype == "i32") and bound is None:
            # An integer of unknown size may overflow.
            places = None
        return self._join(
            f"({left.text} {op} {right.text})", dtype, left, right, bound=bound, places=places
        )

    def _literal(self, depth: int) -> Expr:
        value = self.number(depth)
        if not value.floating and self.chance(50):
            op, constant = self.pick(
                ("//", 3),
                ("%", 4),
                ("//", -2),
                ("%", 5),
                ("&", 6),
                ("|", 1),
                ("^", 3),
                (">>", 1),
                ("<<", 2),
            )
            bound = None if value.bound is None else value.bound * 4 + 8
            return replace(value, text=f"({value.text} {op} {constant})", bound=bound, places=0)
        if value.floating and self.chance(30):
            dtype = rules.true_division(Operand(value.dtype), Operand("fp32", scalar=True))[0]
            bound = None if value.bound is None else value.bound
            return replace(
                value, text=f"({value.text} / 3.0)", dtype=dtype, bound=bound, places=None
            )
        op, constant = self.pick(("+", 2), ("*", 3), ("-", 1), ("*", 0.5), ("+", 0.25))
        left = self.chance(30)
        text = f"({constant} {op} {value.text})" if left else f"({value.text} {op} {constant})"
        dtype = rules.arithmetic(
            Operand(value.dtype), Operand(rules.literal(constant), scalar=True)
        )[0]
        bound = None if value.bound is None else value.bound * 3 + 2
        places = None if value.places is None else value.places + 2
        return replace(value, text=text, dtype=dtype, bound=bound, places=places)

    def _where(self, depth: int) -> Expr:
        condition, left, right = self.bit(depth), self.number(depth), self.number(depth)
        dtype = rules.arithmetic(Operand(left.dtype), Operand(right.dtype))[0]
        text = f"ntl.where({condition.text}, {left.text}, {right.text})"
        return self._either(text, dtype, left, right, condition)

    def _either(self, text: str, dtype: str, left: Expr, right: Expr, *others: Expr) -> Expr:
        bound = None if left.bound is None or right.bound is None else max(left.bound, right.bound)
        places = (
            None if left.places is None or right.places is None else max(left.places, right.places)
        )
        return self._join(text, dtype, left, right, *others, bound=bound, places=places)

    def _extremum(self, depth: int) -> Expr:
        left, right = self.number(depth), self.number(depth)
        dtype = rules.arithmetic(Operand(left.dtype), Operand(right.dtype))[0]
        name = self.pick("maximum", "minimum")
        return self._either(f"ntl.{name}({left.text}, {right.text})", dtype, left, right)

    def _compare(self, depth: int) -> Expr:
        left = self.number(depth)
        op = self.pick("<", "<=", ">", ">=", "==", "!=")
        if self.chance(50):
            return replace(
                left,
                text=f"({left.text} {op} {self.pick(0, 1, -2, 0.5)})",
                dtype="i1",
                bound=1,
                places=0,
            )
        right = self.number(depth)
        joined = self._join(
            f"({left.text} {op} {right.text})", "i1", left, right, bound=1, places=0
        )
        if self.chance(30):
            other = self.bit(depth)
            text = f"({joined.text} {self.pick('&', '|', '^')} {other.text})"
            return self._join(text, "i1", joined, other, bound=1, places=0)
        return joined

    def _unary(self, depth: int) -> Expr:
        value = self.number(depth)
        options = ["-({})", "ntl.abs({})"]
        if len(value.dims) == 2:
            options.append("ntl.trans(-ntl.trans({}))")
        if not value.floating:
            options.append("(~{})")
        bound = None if value.bound is None else value.bound + 1
        return replace(value, text=self.pick(*options).format(value.text), bound=bound)

    def _cast(self, depth: int) -> Expr:
        value = self.number(depth)
        if value.floating and value.bound is None:
            return self.cast(value, self.pick("fp16", "fp32"))
        return self.cast(value, self.pick("fp16", "fp32", "i32"))

    def _reduce(self, depth: int) -> Expr:
        value = self.expression(depth)
        if not value.dims:
            return value
        name = self.pick("sum", "max", "min")
        if name == "sum" and value.dtype == "fp16":
            value = self.cast(value, "fp32")
        bound = None if value.bound is None else value.bound * (_LANES if name == "sum" else 1)
        summed = replace(value, bound=bound).settled()
        if value.floating and (summed.places if name == "sum" else summed.bound) is None:
            # Another order might give other bits.
            return value
        rule = rules.summation if name == "sum" else rules.extremum
        dtype = rule(Operand(value.dtype))[1]
        if self.sparse and name != "sum":
            bound = None
        return self.along(value, name, dtype, bound)

    def along(self, value: Expr, name: str, dtype: str, bound: float | None) -> Expr:
        """``value`` reduced along an axis or all."""
        rank = len(value.dims)
        axis = self.pick(None, *range(-rank, rank))
        if axis is None:
            text = f"ntl.{name}({value.text})"
            return Expr(text, dtype, (), bound, value.places, True)
        position = axis % rank
        kept = (*value.dims[:position], "1", *value.dims[position + 1 :])
        if rank == 1:
            kept = ()
        text = f"ntl.{name}({value.text}, axis={axis})"
        if rank == 2:
            text = self.pick(
                f"ntl.{name}({value.text}, axis={axis}, keep_dims=True)",
                f"{text}[{':, None' if position else 'None, :'}]",
                f"ntl.expand_dims({text}, {position})",
            )
        return Expr(text, dtype, kept, bound, value.places, True)

    # Statements.

    def line(self, text: str) -> None:
        """A line of the application."""
        self.lines.append("    " * self.indent + text)

    @contextmanager
    def inside(self, head: str) -> Generator[None]:
        """A block of statements; its variables are gone behind it."""
        self.line(head)
        known = list(self.leaves)
        self.indent += 1
        yield
        self.indent -= 1
        self.leaves = known

    def local(self) -> str:
        """A fresh variable."""
        self.locals += 1
        return f"t{self.locals}"

    def full(self, dtype: str, depth: int = 2) -> Expr:
        """An expression of the full block's shape and a type."""
        value = self.expression(depth)
        if dtype == "i32" and value.floating and value.bound is None:
            value = self.bit(0)
        value = self.cast(value, dtype)
        return replace(value, text=f"ntl.broadcast_to({value.text}, {self.block})", dims=self.dims)

    def statement(self, depth: int) -> None:
        """Any statement."""
        kind = self.pick("assign", "assign", "if", "loop") if depth else "assign"
        if kind == "assign":
            value = self.expression()
            name = self.local()
            self.line(f"{name} = {value.text}")
            self.leaves.append(replace(value, text=name))
            return
        name, dtype = self.local(), self.pick("i32", "fp32", "fp16")
        if kind == "if":
            scalars = [leaf for leaf in self.leaves if not leaf.dims and leaf.text.isidentifier()]
            if not scalars:
                return
            test = self.pick(*scalars).text
            reals: list[bool] = []
            for head in (f"if {test} > 0:", "else:"):
                with self.inside(head):
                    if self.chance(30):
                        self.statement(depth - 1)
                    value = self.full(dtype)
                    reals.append(value.real)
                    self.line(f"{name} = {value.text}")
            self.leaves.append(Expr(name, dtype, self.dims, real=all(reals)))
            return
        first = self.full(dtype)
        self.line(f"{name} = {first.text}")
        carried = Expr(name, dtype, self.dims, real=False)
        index = f"i{self.locals}"
        integers = [
            leaf.text for leaf in self.leaves if leaf.dtype == "i32" and leaf.text in ("s0", "s1")
        ]
        head = self.pick("3", "1, 4", "0, 5, 2", *integers)
        with self.inside(f"for {index} in range({head}):"):
            # What is carried may be partly real only if all that is put into it is.
            pure = all(leaf.real for leaf in self.leaves)
            self.leaves += [replace(carried, real=pure), Expr(index, "i32", (), 8.0, 0)]
            if self.chance(40):
                self.statement(depth - 1)
            self.line(f"{name} = {self.full(dtype).text}")
        self.leaves.append(replace(carried, real=pure))

    def store(self, name: str, dims: Dims, target: str | None = None) -> None:
        """An output of any fitting type."""
        for _ in range(4):
            value = self.expression()
            aligned = zip(reversed(value.dims), reversed(dims), strict=False)
            if (
                value.real
                and len(value.dims) <= len(dims)
                and all(one in ("1", two) for one, two in aligned)
            ):
                break
        else:
            value = Expr(str(self.pick(0, 1, -3)), "i32")
        if value.floating and self.chance(8):
            self.exact = False
            value = replace(self.cast(value, "fp32"), bound=None)
            value = replace(
                value, text=f"ntl.{self.pick('exp', 'sin', 'erf')}({value.text} * 0.125)"
            )
        options = {"i1": ("i1", "i32"), "i32": ("i32", "fp32")}.get(value.dtype, ("fp32", "fp16"))
        self.output_dtype = self.pick(*options)
        self.line(f"{target or name} = {value.text}")

    output_dtype: str = ""

    def program(self) -> Program:
        """The finished file."""
        parameters = ", ".join(self.names)
        source = "\n".join(
            [
                "import ninetoothed",
                "import ninetoothed.language as ntl",
                "from ninetoothed import Symbol, Tensor, block_size",
                "",
                *self.header,
                "",
                f"TENSORS = ({', '.join(self.tensors)},)",
                "",
                f"def arrangement({parameters}):",
                *(f"    {line}" for line in self.arrange),
                f"    return {parameters},",
                "",
                f"def application({parameters}):",
                *self.lines,
                "",
            ]
        )
        body = tuple(line[4:] for line in self.lines)
        return Program(
            source,
            body,
            self.arguments,
            self.names,
            self.keywords,
            self.choices,
            self.exact,
        )
