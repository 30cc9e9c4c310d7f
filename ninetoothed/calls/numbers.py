"""Numbers among a call's arguments, and the element types that they get."""

from __future__ import annotations

import enum
from collections.abc import Container, Hashable, Sequence
from dataclasses import replace
from typing import Any

from ninetoothed import dtype as dtypes
from ninetoothed.artifacts.interface import Parameter
from ninetoothed.artifacts.signature import ParamSignature, Signature, is_moderate
from ninetoothed.errors import ArgumentError, DtypeWarning, shown, warn

PLAIN = (bool, int, float)

# By torch's element types, of which there are few. (What torch.compile traces must not have been
# wrapped by functools.cache: it warns of it.)
_element_types: dict[Any, str | None] = {}


def is_tensor_like(value: Any) -> bool:
    """True for a torch tensor, a jagged one, and what has the part of their interface."""
    return hasattr(value, "data_ptr") and hasattr(value, "stride") and hasattr(value, "dtype")


def element_type_of(dtype: Any) -> str | None:
    """The element type that a torch dtype is, or None."""
    if dtype not in _element_types:
        _element_types[dtype] = dtypes.lookup(dtype)
    return _element_types[dtype]


def member_value(value: Any) -> Any:
    """Value of an enum member, by which the application knows it; else ``value``."""
    return value.value if isinstance(value, enum.Enum) else value


def number_value(parameter: Parameter, value: Any) -> bool | int | float:
    """The number that an argument is.

    Raises:
        ArgumentError: it is none.
    """
    value = dtypes.number(member_value(value))
    if is_tensor_like(value) and value.dim() == 0:
        if value.device.type == "meta":
            raise ArgumentError(
                f"{parameter.name} is on the meta device, where no tensor has a value; pass a "
                "number, or arrange it"
            )
        value = value.item()
    # Numbers of other classes may be spelled otherwise.
    for plain in PLAIN:
        if isinstance(value, plain):
            return plain(value)
    raise ArgumentError(
        f"{parameter.name} must be a number, or a tensor of no dims, not {shown_value(value)}"
    )


def shown_value(value: Any) -> str:
    """Text of an argument for a message."""
    if is_tensor_like(value):
        return f"a tensor of shape {tuple(value.shape)}"
    if value is None or isinstance(value, bool | int | float | str):
        return shown(value)
    return f"a {type(value).__module__}.{type(value).__qualname__}".replace(" builtins.", " ")


def number_signature(
    parameter: Parameter, value: bool | int | float, own: str | None, given: Sequence[Any]
) -> ParamSignature:
    """The signature of a number. ``own``: the element type of a tensor of no dims that was given,
    else None. ``given`` are the arguments of the call.
    """
    declared = parameter.dtype
    dtype = own or _number_type(parameter, value, given)
    if declared is not None and own not in (None, declared):
        text = (
            f"{parameter.name} is declared {declared}, but a tensor of {own} is given, whose type "
            f"is taken; convert it with .to(torch.{dtypes.DTYPES[declared].torch}), or leave the "
            "declaration out"
        )
        warn(DtypeWarning(text))
    elif declared is not None and own is None and not _holds(declared, value):
        text = (
            f"{parameter.name} is declared {declared}, which does not hold {value!r}, so that it "
            f"is {dtype}; convert it, or declare another dtype"
        )
        # Another number would be the same mistake.
        warn(DtypeWarning(text, about=f"{parameter.name}: {declared}, {dtype}"))
    if parameter.kind == "constexpr":
        return ParamSignature(parameter.name, parameter.kind, dtype, value=value)
    return ParamSignature(
        parameter.name, parameter.kind, dtype, moderate=_is_moderate_float(dtype, value)
    )


def _number_type(parameter: Parameter, value: bool | int | float, given: Sequence[Any] = ()) -> str:
    """Element type of a Python number: the declared one where it holds the number.

    A float that is declared fp64, or not at all, is fp32 where that is as good, unless an argument
    of the call has elements of fp64: blocks of fp32 would be computed with in fp64, which is slow,
    and beside those of fp64 it must not be rounded.

    Raises:
        ArgumentError: no element type holds it.
    """
    declared = parameter.dtype
    if declared is None or not _holds(declared, value):
        dtype = _literal(parameter, value)
        return "fp64" if dtype == "fp32" and _has_doubles(given) else dtype
    if declared != "fp64" or parameter.kind != "scalar" or not _is_narrow(value):
        return declared
    return "fp64" if _has_doubles(given) else "fp32"


def _has_doubles(given: Sequence[Any]) -> bool:
    return any(is_tensor_like(one) and element_type_of(one.dtype) == "fp64" for one in given)


def _is_narrow(value: bool | int | float) -> bool:
    """True for a float within the range of fp32, and for an integer that fp32 has."""
    if isinstance(value, float):
        return dtypes.literal(value) == "fp32"
    return abs(value) <= 1 << 24


def type_class(parameter: Parameter, value: Any) -> Hashable:
    """Part of a plain number that most launches depend on beside their tensors' element types: its
    own, or all where it is baked in.

    Raises:
        ArgumentError: no element type holds it.
        TypeError: it is no plain number.
    """
    if type(value) not in PLAIN:
        raise TypeError("no plain number")
    if parameter.kind == "scalar" and parameter.dtype is None:
        return dtypes.literal(value)
    dtype = _number_type(parameter, value)
    # Zeros of either sign are equal, and are not the same.
    return dtype if parameter.kind == "scalar" else (dtype, repr(value))


def number_class(parameter: Parameter, value: Any) -> Hashable:
    """As :func:`type_class`, and whether a float is moderate: of kernels that may gain by that.

    Raises:
        ArgumentError, TypeError: as there.
    """
    found = type_class(parameter, value)
    return (found, _is_moderate_float(found, value)) if isinstance(found, str) else found


def _is_moderate_float(dtype: str, value: bool | int | float) -> bool:
    """True for a number that may be a scale, of a floating-point type."""
    return dtype.startswith("fp") and is_moderate(value)


def without_moderate(signature: Signature, scales: Container[str]) -> Signature:
    """The signature without what is moderate but is none of the ``scales``."""
    if not any(param.moderate and param.name not in scales for param in signature.params):
        return signature
    params = tuple(
        replace(param, moderate=param.moderate and param.name in scales)
        for param in signature.params
    )
    return replace(signature, params=params)


def _literal(parameter: Parameter, value: bool | int | float) -> str:
    try:
        return dtypes.literal(value)
    except TypeError as error:
        raise ArgumentError(f"{parameter.name}: {error}; pass a smaller number") from None


def _holds(dtype: str, value: bool | int | float) -> bool:
    """True if ``dtype`` represents a number; floats are rounded to it."""
    row = dtypes.DTYPES[dtype]
    if row.kind == "float":
        return True
    if isinstance(value, float):
        return False
    lowest = -(1 << (row.bits - 1)) if row.kind == "int" else 0
    return lowest <= value < lowest + (1 << row.bits)
