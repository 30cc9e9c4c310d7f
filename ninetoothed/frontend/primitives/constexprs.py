"""Compile-time arguments: axes, flags, numbers, strings, element types and shapes."""

from __future__ import annotations

from collections.abc import Iterable

from ninetoothed import dtype as dtypes
from ninetoothed.errors import ArgumentError, ShapeError, TypeMismatchError, any_of
from ninetoothed.frontend import operators
from ninetoothed.frontend.values import Value, describe, is_sequence
from ninetoothed.symbolic.expr import IndexExpr, as_expr


def axis_of(axis: Value, rank: int, name: str, what: str = "axis") -> int:
    """An axis, normalized to count from 0; ``what`` is the parameter's name.

    Raises:
        TypeMismatchError: it is not known when compiling.
        ShapeError: there is no such axis.
    """
    if type(axis) is not int:
        raise TypeMismatchError(
            f"ntl.{name}: {what} must be an integer that is known when compiling, not "
            f"{describe(axis)}"
        )
    if not -rank <= axis < rank:
        raise ShapeError(
            f"ntl.{name}: {what} {axis} is out of range; give one from {-rank} to {rank - 1}"
        )
    return axis % rank


def flag_of(value: Value, name: str, parameter: str) -> bool:
    """A flag.

    Raises:
        TypeMismatchError: it is not known when compiling.
    """
    if not isinstance(value, bool):
        raise TypeMismatchError(
            f"ntl.{name}: {parameter} must be True or False, known when compiling, not "
            f"{describe(value)}"
        )
    return value


def number_of(value: Value, name: str, parameter: str) -> int:
    """A positive integer.

    Raises:
        TypeMismatchError: it is none that is known when compiling.
        ArgumentError: it is below 1.
    """
    if type(value) is not int:
        raise TypeMismatchError(
            f"ntl.{name}: {parameter} must be integers that are known when compiling, not "
            f"{describe(value)}"
        )
    if value < 1:
        raise ArgumentError(f"ntl.{name}: {parameter} must be 1 or more, not {value}")
    return value


def text_of(value: Value, name: str, parameter: str) -> str:
    """A string.

    Raises:
        TypeMismatchError: it is none that is known when compiling.
    """
    if not isinstance(value, str):
        raise TypeMismatchError(
            f"ntl.{name}: {parameter} must be a string that is known when compiling, not "
            f"{describe(value)}"
        )
    return value


def one_of(words: Iterable[str]) -> str:
    """Quoted alternatives, for an error."""
    return any_of([repr(word) for word in words])


def dtype_of(value: Value, name: str) -> str:
    """An element type.

    Raises:
        TypeMismatchError: it is none.
    """
    dtype = dtypes.lookup(value)
    if dtype is None:
        raise TypeMismatchError(
            f"ntl.{name}: {describe(value)} is no element type; write for example ntl.float32"
        )
    return dtype


def shape_of(value: Value, name: str) -> tuple[IndexExpr, ...]:
    """A shape, given as one size or several.

    Raises:
        ShapeError: a size is not known when compiling, or below 1.
    """
    items = value if is_sequence(value) else (value,)
    sizes = [operators.as_size(item) for item in items]
    if any(size is not None and size.value is not None and size.value < 1 for size in sizes):
        shown = ", ".join(map(describe, items)) + ("," if len(items) == 1 else "")
        raise ShapeError(f"ntl.{name}: the sizes of a block are 1 or more, not ({shown})")
    if any(size is None for size in sizes):
        raise ShapeError(
            f"ntl.{name}: a shape holds sizes that are known when compiling, as in (64,) and "
            f"x.shape; not ({', '.join(map(describe, items))})"
        )
    return tuple(as_expr(size) for size in sizes if size is not None)
