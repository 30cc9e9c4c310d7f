"""Values of expressions, beside SSA values and Python objects."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeGuard

from xdsl.ir import SSAValue

from ninetoothed.frontend.frame import Frame, LocalFunction
from ninetoothed.ir import nt
from ninetoothed.language.table import Primitive
from ninetoothed.layout.meta_op import shape_text
from ninetoothed.symbolic.expr import IndexExpr, substitute

Value = Any
"""An ``SSAValue``, one of the classes below, or a plain Python object known when compiling."""


@dataclass(frozen=True)
class View:
    """A parameter, or a part of it: ``ref`` indexed by ``indices`` at its outer levels.

    ``arranged`` is the parameter's arranged value. ``batches`` as of the source of an arranged
    tensor.
    """

    name: str
    ref: SSAValue
    arranged: SSAValue
    other: Any = None
    indices: tuple[SSAValue, ...] = ()
    by_value: bool = False
    """A number, which is read-only."""
    depth: int = 0
    """The levels that are indexed: of one of shape ``()``, no index says so."""
    batches: tuple[bool, ...] = ()

    @property
    def levels(self) -> list[nt.TensorType]:
        """The levels that are not yet indexed; the last is the block."""
        assert isinstance(self.ref.type, nt.TensorType)
        return self.ref.type.levels[self.depth :]

    @property
    def is_block(self) -> bool:
        """True if only the block is left, which can be loaded and stored."""
        return len(self.levels) == 1


@dataclass(frozen=True)
class Source:
    """``p.source``: a parameter's tensor before it was arranged, with coordinates of its own.

    Of a kernel for a batch of calls, it is the tensor of the program's call: without its first
    dims, those of the ``batches`` that have it.
    """

    name: str
    ref: SSAValue
    op: nt.SourceOp
    batches: tuple[bool, ...] = ()

    @property
    def strides(self) -> tuple[IndexExpr, ...]:
        """Its strides."""
        return self.op.strides.data[sum(self.batches) :]

    @property
    def sizes(self) -> tuple[IndexExpr, ...]:
        """Its sizes; of a jagged dim, the length of the program's own sequence."""
        own = self.op.own
        values: dict[str, IndexExpr | int] = {} if own is None else {own[0]: own[1]}
        sizes = self.op.sizes[sum(self.batches) :]
        return tuple(substitute(size, values) for size in sizes)


@dataclass(frozen=True)
class Method:
    """A method such as ``x.offsets``: ``run`` takes the arguments by parameter."""

    name: str
    parameters: tuple[str, ...]
    run: Callable[[Any, dict[str, Value]], Value]


@dataclass(frozen=True)
class Level:
    """``p.dtype`` that is a level: it has a shape and a dtype, and is no value."""

    type: nt.TensorType


class ElementType(str):
    """The name of an element type, as ``x.dtype`` gives it: compared as a type, by any spelling."""

    __slots__ = ()


@dataclass(frozen=True)
class PointerDtype:
    """``p.dtype`` of a pointer: its ``element_ty`` is ``pointee``."""

    pointee: str


@dataclass(frozen=True)
class Size:
    """An integer expression over sizes and block sizes."""

    expr: IndexExpr


@dataclass(frozen=True)
class BoundMethod:
    """A method such as ``x.sum``: a function of the language with its first argument."""

    name: str
    function: Primitive | types.FunctionType
    receiver: Value


@dataclass(frozen=True, eq=False)
class Variable:
    """An argument that is a plain variable, of a call that is a statement: a parameter may name it.

    ``node`` mentions the variable ``name`` of the frame ``owner``.
    """

    name: str
    node: ast.Name
    owner: Frame
    value: Value


def unnamed(value: Value) -> Value:
    """``value``; of a :class:`Variable`, what it holds."""
    return value.value if isinstance(value, Variable) else value


@dataclass(frozen=True, eq=False)
class Object:
    """An object of a user's class from outside the application: its attributes are constants."""

    value: Any


def is_ssa(value: Value) -> TypeGuard[SSAValue]:
    """True if ``value`` is computed by an op: a scalar or a block."""
    return isinstance(value, SSAValue)


def is_sequence(value: Value) -> TypeGuard[tuple[Value, ...] | list[Value]]:
    """True for a tuple or a list of values."""
    return isinstance(value, tuple | list)


def describe(value: Value) -> str:
    """Describe ``value`` in an error message."""
    if isinstance(value, View | Source):
        return f"the tensor {value.name}"
    if isinstance(value, Method | BoundMethod):
        return f"the method {value.name}"
    if is_ssa(value) and nt.is_pointer(value.type):
        shape = nt.shape_of(value.type)
        pointee = nt.dtype_of(nt.pointee_of(value.type))
        return (
            f"a block of shape {shape_text(shape)} of pointers to {pointee}"
            if shape
            else f"a pointer to {pointee}"
        )
    if is_ssa(value):
        shape = nt.shape_of(value.type)
        dtype = nt.dtype_of(value.type)
        return (
            f"a block of shape {shape_text(shape)} of {dtype}" if shape else f"a scalar of {dtype}"
        )
    if isinstance(value, Size):
        return f"the size {value.expr}"
    if isinstance(value, PointerDtype):
        return f"the type of a pointer to {value.pointee}"
    if isinstance(value, Level):
        return f"a level of shape {shape_text(value.type.sizes)}"
    if isinstance(value, Primitive):
        return f"the function ntl.{value.name}"
    if is_sequence(value):
        return f"a {'tuple' if isinstance(value, tuple) else 'list'} of {len(value)}"
    if isinstance(value, types.ModuleType):
        return f"the module {value.__name__}"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, types.FunctionType | types.BuiltinFunctionType):
        return f"the function {value.__name__}"
    if isinstance(value, LocalFunction):
        return f"the function {value.source.node.name}"
    if isinstance(value, types.MethodType):
        return f"the method {value.__name__}"
    if isinstance(value, Object):
        return f"an object of class {type(value.value).__name__}"
    return repr(value)
