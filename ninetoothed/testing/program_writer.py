"""Generator of random kernels: an arrangement's lines, an application's statements, and one call.

Programs are well defined: no lane that is stored depends on a lane that is not valid, and errors
have bounds (see :mod:`ninetoothed.testing.terms`).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from hypothesis import strategies as st

from ninetoothed.dtype import DTYPES
from ninetoothed.testing.phrases import Phrases
from ninetoothed.testing.terms import FLOATS, SIGNED, UNSIGNED, Dims, Expr


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
        row = DTYPES[self.dtype]
        if row.kind == "bool":
            return numbers > 0
        if row.kind == "uint":
            numbers = numbers.abs()
        numbers = numbers / 8 if row.kind == "float" else numbers // 4
        return numbers.to(getattr(torch, row.torch))

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
    order. ``errors``: how far an output may be off, by its name. ``body`` are the application's
    lines, ``functions`` the definitions that it uses.
    """

    source: str
    body: tuple[str, ...]
    arguments: list[Argument | int | float]
    names: list[str]
    keywords: dict[str, int]
    choices: list[int]
    errors: dict[str, float]
    functions: str

    def __str__(self) -> str:
        return f"{self.source}\n{self.arguments}\n{self.keywords} {self.choices}"


@dataclass
class Writer(Phrases):
    """Writes one file."""

    sizes: dict[str, int] = field(default_factory=dict[str, int])
    header: list[str] = field(default_factory=list[str])
    arrange: list[str] = field(default_factory=list[str])
    tensors: list[str] = field(default_factory=list[str])
    arguments: list[Argument | int | float] = field(default_factory=list[Any])
    names: list[str] = field(default_factory=list[str])
    lines: list[str] = field(default_factory=list[str])
    keywords: dict[str, int] = field(default_factory=dict[str, int])
    choices: list[int] = field(default_factory=list[int])
    block: str = ""
    """The text of the shape of a full block."""
    dims: Dims = ()
    """The dims of a full block."""
    errors: dict[str, float] = field(default_factory=dict[str, float])
    indent: int = 1

    # Arrangements.

    def size(self, name: str, high: int = 9, low: int = 1) -> int:
        """A size of a tensor."""
        return self.sizes.setdefault(name, self.draw(st.integers(low, high)))

    def tile(self, name: str, deep: bool = False) -> str:
        """A block size: a number, a constexpr symbol, or one that the compiler chooses; ``deep``:
        as many elements as a dot needs on every target.
        """
        kind = self.pick("number", "constexpr", "meta", "block_size")
        sizes = (16, 20, 32) if deep else (1, 2, 3, 4, 5, 7, 8)
        if kind == "number":
            self.header.append(f"{name} = {self.pick(*sizes)}")
        elif kind == "constexpr":
            self.header.append(f'{name} = Symbol("{name}", constexpr=True)')
            self.keywords[name] = self.pick(*sizes)
        else:
            options = f"lower_bound={sizes[0]}, upper_bound={2 * sizes[-1]}"
            text = f"block_size({options})"
            if kind == "meta":
                text = f'Symbol("{name}", meta=True, {options})'
            self.header.append(f"{name} = {text}")
            self.choices.append(self.pick(*(size for size in sizes if not size & (size - 1))))
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

    def read(self, text: str, dtype: str, dims: Dims, valid: bool = True) -> Expr:
        """A leaf of the expressions: an input, of three bits behind the point or of integers."""
        floating = DTYPES[dtype].kind == "float"
        bound = 1.0 if dtype == "i1" else 4.0 if floating else 8.0
        leaf = Expr(text, dtype, dims, bound, 3 if floating else 0, valid=valid)
        self.leaves.append(leaf)
        return leaf

    def scalar(self, name: str) -> None:
        """A number among the parameters."""
        integer = self.chance(50)
        self.tensors.append(f'Tensor(0, dtype="{"i32" if integer else "fp32"}")')
        self.names.append(name)
        self.arguments.append(self.pick(-2, 0, 1, 3) if integer else self.pick(-1.5, 0.25, 2.0))
        dtype = "i32" if integer else "fp32"
        self.leaves.append(Expr(name, dtype, (), 4.0, 3 if dtype == "fp32" else 0))

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

    def full(self, value: Expr) -> Expr:
        """A value in the full block's shape."""
        return replace(value, text=f"ntl.broadcast_to({value.text}, {self.block})", dims=self.dims)

    def statement(self, depth: int) -> None:
        """Any statement."""
        kind = self.pick("assign", "assign", "if", "loop", "while") if depth else "assign"
        if kind == "assign":
            value = self.expression()
            name = self.local()
            self.line(f"{name} = {value.text}")
            self.leaves.append(replace(value, text=name))
        elif kind == "if":
            self._branch(depth)
        else:
            self._loop(depth, kind)

    def _branch(self, depth: int) -> None:
        scalars = [
            leaf
            for leaf in self.leaves
            if not leaf.dims and leaf.exact and leaf.text.isidentifier()
        ]
        if not scalars:
            return
        name, dtype = self.local(), self.dtype(*SIGNED, *UNSIGNED, *FLOATS)
        test = self.pick(*scalars).text
        values: list[Expr] = []
        for head in (f"if {test} > 0:", "else:"):
            with self.inside(head):
                if self.chance(30):
                    self.statement(depth - 1)
                value = self.expression()
                values.append(self.full(value.cast(dtype) or self.grid(value, dtype)))
                self.line(f"{name} = {values[-1].text}")
        one, two = values
        self.leaves.append(
            replace(
                one,
                text=name,
                bound=None if None in (one.bound, two.bound) else max(one.reach, two.reach),
                places=max(one.places, two.places)
                if one.places is not None and two.places is not None
                else None,
                error=max(one.error, two.error),
                valid=one.valid and two.valid,
            )
        )

    def _loop(self, depth: int, kind: str) -> None:
        """A loop that carries a block, of numbers on a coarse grid."""
        name, dtype = self.local(), self.dtype(*SIGNED, *UNSIGNED, *FLOATS)
        first = self.full(self.grid(self.expression(), dtype))
        self.line(f"{name} = {first.text}")
        # A loop-carried value is valid only if all leaves are.
        pure = all(leaf.valid for leaf in self.leaves)
        carried = replace(first, text=name, valid=pure)
        index = f"i{self.locals}"
        integers = [
            leaf.text for leaf in self.leaves if leaf.dtype == "i32" and leaf.text in ("s0", "s1")
        ]
        head = f"for {index} in range({self.pick('3', '1, 4', '0, 5, 2', *integers)}):"
        if kind == "while":
            self.line(f"{index} = 0")
            head = f"while {index} < {self.pick('2', '3', *integers)}:"
        with self.inside(head):
            self.leaves += [carried, Expr(index, "i32", (), 8.0)]
            if self.chance(40):
                self.statement(depth - 1)
            self.line(f"{name} = {self.full(self.grid(self.expression(), dtype)).text}")
            if kind == "while":
                self.line(f"{index} += 1")
        self.leaves.append(carried)

    def store(self, name: str, dims: Dims, target: str | None = None) -> Expr:
        """An output of any fitting type; what is stored."""
        for _ in range(4):
            value = self.expression()
            aligned = zip(reversed(value.dims), reversed(dims), strict=False)
            if (
                value.valid
                and len(value.dims) <= len(dims)
                and all(one in ("1", two) for one, two in aligned)
            ):
                break
        else:
            value = Expr(str(self.pick(0, 1, 3)), "i32", bound=3)
        self.output_dtype, stored = self._stored(value)
        self.line(f"{target or name} = {value.text}")
        self.errors[name] = stored.error
        return replace(stored, text=name, dims=dims)

    def _stored(self, value: Expr) -> tuple[str, Expr]:
        """An element type that can hold the value, and the value in it."""
        among = FLOATS if value.floating else (*SIGNED, *UNSIGNED, "i1", "fp32", "fp64")
        dtype = value.dtype if self.chance(50) else self.dtype(*among)
        found = value.cast(dtype)
        return (value.dtype, value) if found is None else (dtype, found)

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
                *self.functions,
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
            self.errors,
            "".join(self.functions),
        )
