"""Reference semantics: an application's body, run by Python on whole tensors.

:class:`Lanes` gives Python's operators the language's meaning with torch; the element types follow
the language's rules, nothing else is shared with the compiler.
"""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from ninetoothed import dtype as dtypes
from ninetoothed.dtype import DTYPES
from ninetoothed.language import rules
from ninetoothed.language.rules import Operand
from ninetoothed.testing.program_writer import Program
from ninetoothed.testing.terms import ALL


def _torch(dtype: str) -> torch.dtype:
    return getattr(torch, DTYPES[dtype].torch)


def _computed(value: torch.Tensor | float, dtype: str) -> torch.Tensor:
    """``value`` of ``dtype`` as torch computes with it: its CPU has little arithmetic of unsigned
    32 bits, whose results are the low bits of those of 64.
    """
    values = torch.as_tensor(value, dtype=_torch(dtype))
    return values.to(torch.int64) if dtype == "u32" else values


Rule = Callable[..., tuple[str, str]]
Function = Callable[..., torch.Tensor]


class Lanes:
    """A block."""

    def __init__(self, values: torch.Tensor, dtype: str) -> None:
        assert values.dtype == _torch(dtype)
        self.values = values
        self.dtype = dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes."""
        return tuple(self.values.shape)

    def to(self, dtype: object) -> Lanes:
        """The values converted."""
        name = dtypes.lookup(dtype)
        assert name is not None
        return Lanes(self.values.to(_torch(name)), name)

    def map(self, function: Function) -> Lanes:
        """``function`` of the values."""
        values = function(_computed(self.values, self.dtype))
        return Lanes(values.to(_torch(self.dtype)), self.dtype)

    def __bool__(self) -> bool:
        return bool(self.values)

    def __index__(self) -> int:
        return int(self.values)

    def __getitem__(self, index: Any) -> Lanes:
        return Lanes(self.values[index], self.dtype)

    def __neg__(self) -> Lanes:
        return self.map(torch.neg)

    def __invert__(self) -> Lanes:
        return self.map(torch.bitwise_not)


def _operand(value: Lanes | float) -> Operand:
    if isinstance(value, Lanes):
        return Operand(value.dtype)
    return Operand(dtypes.literal(value), value)


def _apply(rule: Rule, function: Function, *operands: Any) -> Lanes:
    dtype, result = rule(*map(_operand, operands))
    parts = [
        _computed(value.values if isinstance(value, Lanes) else value, dtype) for value in operands
    ]
    return Lanes(function(*parts).to(_torch(result)), result)


def _quotient(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.div(x, y, rounding_mode="trunc")


_OPERATORS: dict[str, tuple[Rule, Function]] = {
    "add": (rules.arithmetic, torch.add),
    "sub": (rules.arithmetic, torch.sub),
    "mul": (rules.arithmetic, torch.mul),
    "truediv": (rules.true_division, torch.div),
    "floordiv": (rules.integer_division, _quotient),
    "mod": (rules.modulo, torch.fmod),
    "and": (rules.bitwise, torch.bitwise_and),
    "or": (rules.bitwise, torch.bitwise_or),
    "xor": (rules.bitwise, torch.bitwise_xor),
    "lshift": (rules.bitwise, torch.bitwise_left_shift),
    "rshift": (rules.bitwise, torch.bitwise_right_shift),
    "lt": (rules.comparison, torch.lt),
    "le": (rules.comparison, torch.le),
    "gt": (rules.comparison, torch.gt),
    "ge": (rules.comparison, torch.ge),
    "eq": (rules.comparison, torch.eq),
    "ne": (rules.comparison, torch.ne),
}


def _install(name: str, rule: Rule, function: Function) -> None:
    def forward(self: Lanes, other: Any) -> Lanes:
        return _apply(rule, function, self, other)

    def reflected(self: Lanes, other: Any) -> Lanes:
        return _apply(rule, function, other, self)

    setattr(Lanes, f"__{name}__", forward)
    setattr(Lanes, f"__r{name}__", reflected)


for _name, _row in _OPERATORS.items():
    _install(_name, *_row)


def _reduction(rule: Rule, function: Function) -> Callable[..., Lanes]:
    def reduce(block: Lanes, axis: int | None = None, keep_dims: bool = False) -> Lanes:
        dtype, result = rule(Operand(block.dtype))
        dims = tuple(range(len(block.shape))) if axis is None else (axis,)
        values = function(_computed(block.values, dtype), dim=dims, keepdim=keep_dims)
        return Lanes(values.to(_torch(result)), result)

    return reduce


def _where(condition: Lanes, left: Any, right: Any) -> Lanes:
    dtype, _ = rules.arithmetic(_operand(left), _operand(right))

    def values(value: Any) -> torch.Tensor:
        given = value.values if isinstance(value, Lanes) else torch.tensor(value)
        return given.to(_torch(dtype))

    return Lanes(torch.where(condition.values, values(left), values(right)), dtype)


def _map(rule: Rule, function: Function) -> Callable[..., Lanes]:
    def apply(*operands: Any) -> Lanes:
        return _apply(rule, function, *operands)

    return apply


def _lanes(x: Any) -> Lanes:
    """A block, of a number too."""
    if isinstance(x, Lanes):
        return x
    dtype = dtypes.literal(x)
    return Lanes(torch.tensor(x, dtype=_torch(dtype)), dtype)


def _cast(x: Any, dtype: object) -> Lanes:
    return _lanes(x).to(dtype)


def _trans(x: Lanes) -> Lanes:
    return Lanes(x.values.transpose(-1, -2), x.dtype)


def _expand_dims(x: Lanes, axis: int) -> Lanes:
    return Lanes(x.values.unsqueeze(axis), x.dtype)


def _broadcast_to(x: Any, shape: Sequence[int]) -> Lanes:
    return Lanes(_lanes(x).values.broadcast_to(tuple(shape)), _lanes(x).dtype)


def _flip(x: Lanes, dim: int = -1) -> Lanes:
    return x.map(functools.partial(torch.flip, dims=(dim,)))


def _permute(x: Lanes, dims: Sequence[int]) -> Lanes:
    return Lanes(x.values.permute(*dims), x.dtype)


def _join(a: Lanes, b: Lanes) -> Lanes:
    values: Any = torch.stack(torch.broadcast_tensors(a.values, b.values), -1)  # pyright: ignore
    return Lanes(values, a.dtype)


def _split(x: Lanes) -> tuple[Lanes, Lanes]:
    left, right = x.values.unbind(-1)
    return Lanes(left, x.dtype), Lanes(right, x.dtype)


def _cumsum(x: Lanes, axis: int, reverse: bool = False) -> Lanes:
    dtype, result = rules.summation(Operand(x.dtype))
    values = _computed(x.values, dtype)
    values = values.flip(axis).cumsum(axis).flip(axis) if reverse else values.cumsum(axis)
    return Lanes(values.to(_torch(result)), result)


def _index_of(function: Callable[..., torch.Tensor]) -> Callable[..., Lanes]:
    def index(block: Lanes, axis: int, keep_dims: bool = False) -> Lanes:
        # Of equal ones the first, which torch does not promise.
        values = _computed(block.values, block.dtype)
        best = function(values, dim=axis, keepdim=True)
        found = (
            (values == best).int().cummax(axis).values.logical_not().sum(axis, keepdim=keep_dims)
        )
        return Lanes(found.to(torch.int32), "i32")

    return index


_LANGUAGE = types.SimpleNamespace(
    **{DTYPES[name].triton: DTYPES[name].triton for name in ALL},
    cast=_cast,
    where=_where,
    maximum=_map(rules.arithmetic, torch.fmax),
    minimum=_map(rules.arithmetic, torch.fmin),
    abs=_map(rules.arithmetic, torch.abs),
    exp=_map(rules.math_function, torch.exp),
    exp2=_map(rules.math_function, torch.exp2),
    sin=_map(rules.math_function, torch.sin),
    cos=_map(rules.math_function, torch.cos),
    erf=_map(rules.math_function, torch.erf),
    sigmoid=_map(rules.math_function, torch.sigmoid),
    sum=_reduction(rules.summation, torch.sum),
    max=_reduction(rules.extremum, torch.amax),
    min=_reduction(rules.extremum, torch.amin),
    argmax=_index_of(torch.amax),
    argmin=_index_of(torch.amin),
    cumsum=_cumsum,
    trans=_trans,
    permute=_permute,
    flip=_flip,
    join=_join,
    split=_split,
    expand_dims=_expand_dims,
    broadcast_to=_broadcast_to,
)


def _range(*bounds: Any) -> Iterator[Lanes]:
    for index in range(*map(int, map(_index, bounds))):
        yield Lanes(torch.tensor(index, dtype=torch.int32), "i32")


def _index(value: Any) -> int:
    return value.__index__()


class _Names(dict[str, Any]):
    """The body's variables; what is assigned to an output is stored."""

    def __setitem__(self, name: str, value: Any) -> None:
        old = self.get(name)
        if name.startswith("y") and isinstance(old, Lanes):
            given = value.values if isinstance(value, Lanes) else torch.tensor(value)
            old.values.copy_(given.to(old.values.dtype).broadcast_to(old.values.shape))
            return
        super().__setitem__(name, _lanes(value) if isinstance(value, int) else value)


class _Bitwise(ast.NodeTransformer):
    """``and`` and ``or`` as ``&`` and ``|``, which they are of blocks, and which Python can ask
    objects for.
    """

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        operator = ast.BitAnd() if isinstance(node.op, ast.And) else ast.BitOr()
        return functools.reduce(lambda left, right: ast.BinOp(left, operator, right), node.values)


def _of_blocks(source: str) -> types.CodeType:
    tree = _Bitwise().visit(ast.parse(source))
    return compile(ast.fix_missing_locations(tree), "<reference>", "exec")


def run(program: Program, values: Sequence[Any]) -> None:
    """Run a program's body on its parameters' ``values``, in place."""
    variables = _Names()
    for name, value in zip(program.names, values, strict=True):
        tensor = value
        if not isinstance(value, torch.Tensor):
            tensor = torch.tensor(
                value, dtype=torch.int32 if isinstance(value, int) else torch.float32
            )
        dtype = dtypes.lookup(tensor.dtype)
        assert dtype is not None
        dict.__setitem__(variables, name, Lanes(tensor, dtype))
    scope: dict[str, Any] = {
        "ntl": _LANGUAGE,
        "range": _range,
        "max": _LANGUAGE.maximum,
        "min": _LANGUAGE.minimum,
    }
    exec(_of_blocks(program.functions), scope)
    exec(_of_blocks("\n".join(program.body)), scope, variables)
