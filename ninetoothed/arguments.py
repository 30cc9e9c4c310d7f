"""A call's arguments: bound to the kernel's parameters, checked, and summed up in a signature."""

from __future__ import annotations

import enum
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ninetoothed import dtype as dtypes
from ninetoothed.artifact import ParamSignature, Signature
from ninetoothed.errors import ArgumentError, DeviceError, counted, did_you_mean
from ninetoothed.frontend.definition import Definition, Parameter
from ninetoothed.ir.index_expr import SymbolInfo, evaluate, symbol_names
from ninetoothed.jagged import Jagged, is_nested, taken_apart
from ninetoothed.language import rules
from ninetoothed.overlaps import sharing

# Sizes and offsets below this are computed in 32 bits, with room for a block beyond the end.
_NARROW = (1 << 31) - (1 << 20)


@dataclass(frozen=True)
class Arguments:
    """``values`` in launch order: tensors, and numbers for parameters of no dims."""

    values: tuple[Any, ...]
    signature: Signature
    device: str


def bind(definition: Definition, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Arguments:
    """Bind and check a call.

    Raises:
        ArgumentError: arguments that are missing, too many, or do not fit.
        DeviceError: tensors on different devices.
    """
    parameters = definition.parameters
    given, rest = _positional(definition, args, kwargs)
    values: list[Any] = []
    params: list[ParamSignature] = []
    for parameter, value in zip(parameters, given, strict=True):
        if parameter.kind == "tensor":
            value = _tensor(parameter, value)
            values.append(value)
            try:
                params.append(_tensor_signature(parameter, value))
            except RuntimeError:
                raise ArgumentError(
                    f"{parameter.name} has no strided memory (its layout is {value.layout}); "
                    "convert it, for "
                    "example with .to_dense()"
                ) from None
        else:
            number = _number(parameter, value)
            values.append(number)
            params.append(_number_signature(parameter, number))
    _check_same(definition, values)
    sizes = _sizes(definition, values)
    constants = constant_values(definition, rest, sizes)
    extents = tuple(
        (str(size), 1 << max(evaluate(size, {**sizes, **dict(constants)}) - 1, 0).bit_length())
        for size in definition.dynamic
    )
    signature = Signature(sharing(params, values), constants, extents, _index_bits(values))
    return Arguments(tuple(values), signature, _device(definition, values))


def _check_same(definition: Definition, values: Sequence[Any]) -> None:
    """That one tensor, arranged in several ways, is given once or the same each time.

    Raises:
        ArgumentError: it is not.
    """
    for first, later in definition.repeats:
        if values[first] is not values[later] and not _same(values[first], values[later]):
            one, two = definition.parameters[first], definition.parameters[later]
            raise ArgumentError(
                f"{one.name} and {two.name} are one tensor, arranged in two ways, but are given "
                "different ones; pass it once, or the same one twice"
            )


def _same(one: Any, two: Any) -> bool:
    if not (_is_tensor(one) and _is_tensor(two)):
        return type(one) is type(two) and one == two
    places = [(t.data_ptr(), t.shape, t.stride(), t.dtype) for t in (one, two)]
    return places[0] == places[1]


def _positional(
    definition: Definition, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The parameters' values in order, and the other keywords."""
    names = [parameter.name for parameter in definition.parameters]
    shown = f"{definition.name}({', '.join(names)})"
    takes = f"{shown} takes {counted(len(names), 'argument')}"
    if len(args) > len(names):
        keywords = list(definition.keywords.values())
        hint = f"; give {', '.join(keywords)} by keyword" if keywords else "; leave the others out"
        raise ArgumentError(f"{takes}, but {len(args)} were given{hint}")
    given = names
    if definition.repeats and len(args) == len(definition.firsts):
        # Of a tensor that was arranged in several ways, the first parameter.
        given = [names[position] for position in definition.firsts.values()]
    found = dict(zip(given, args, strict=False))
    rest: dict[str, Any] = {}
    for name, value in kwargs.items():
        if name not in names:
            rest[name] = value
        elif name in found:
            raise ArgumentError(f"{shown} is given {name} twice, by position and by keyword")
        else:
            found[name] = value
    for parameter in definition.parameters:
        if parameter.kind == "constexpr" and parameter.source.value is not None:
            found.setdefault(parameter.name, parameter.source.value)
    for first, later in definition.repeats:
        if names[first] in found:
            found.setdefault(names[later], found[names[first]])
    missing = [name for name in names if name not in found]
    if missing:
        raise ArgumentError(
            f"{takes}, but {len(found)} {'was' if len(found) == 1 else 'were'} given; "
            f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
        )
    return [found[name] for name in names], rest


def constant_values(
    definition: Definition, given: Mapping[str, Any], sizes: Mapping[str, int] | None = None
) -> tuple[tuple[str, int], ...]:
    """The values of constexpr symbols and constexpr sizes, by name.

    Raises:
        ArgumentError: one is missing, unknown, or no integer within its bounds.
    """
    for name in given:
        if name in definition.meta:
            if sizes is not None:
                raise ArgumentError(
                    f"{name} is chosen by the compiler; leave it out, or declare "
                    f"Symbol({name!r}, constexpr=True) to give it"
                )
        elif name not in definition.keywords.values():
            raise ArgumentError(
                f"{definition.name} has no argument {name}; {_instead(definition, name)}"
            )
    found: list[tuple[str, int]] = []
    for name, info in definition.constexprs.items():
        keyword = definition.keywords[name]
        if keyword not in given:
            raise ArgumentError(
                f"{definition.name} needs a value for {keyword}; give it by keyword, as in "
                f"{keyword}=64"
            )
        found.append((name, constant_value(keyword, given[keyword], info)))
    for name in definition.constexpr_sizes:
        if sizes is not None:
            found.append((name, sizes[name]))
    return tuple(found)


def _instead(definition: Definition, name: str) -> str:
    keywords = list(definition.keywords.values())
    known = [*(parameter.name for parameter in definition.parameters), *keywords]
    return did_you_mean(name, known) or (
        f"it takes {', '.join(keywords)} by keyword" if keywords else "it takes no other keywords"
    )


def constant_value(name: str, value: Any, info: SymbolInfo) -> int:
    """The value of a symbol, checked.

    Raises:
        ArgumentError: it is no integer within the symbol's bounds.
    """
    if type(value) is not int:
        raise ArgumentError(f"{name} must be an integer, not {_shown(value)}")
    lower, upper = info.lower, info.upper
    if (lower is not None and value < lower) or (upper is not None and value > upper):
        raise ArgumentError(
            f"{name}={value} is outside its bounds, {lower} to {upper}; give Symbol({name!r}) "
            "others with "
            "lower_bound and upper_bound"
        )
    return value


def element_type(value: Any, parameter: Parameter, default: str) -> str:
    """The element type that ``value`` names, else the declared one, else ``default``.

    Raises:
        ArgumentError: it names none.
    """
    if value is None:
        return parameter.source.dtype or default
    found = dtypes.lookup(value)
    if found is None:
        raise ArgumentError(f"{value!r} is no element type; write for example fp16 or fp32")
    return found


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "data_ptr") and hasattr(value, "stride") and hasattr(value, "dtype")


def _tensor(parameter: Parameter, value: Any) -> Any:
    """The argument for a parameter; of a jagged one, taken apart.

    Raises:
        ArgumentError: it does not fit.
    """
    name, ndim = parameter.name, len(parameter.source.shape)
    if not _is_tensor(value):
        raise ArgumentError(
            f"{name} must be a torch tensor of {counted(ndim, 'dim')}, not {_shown(value)}"
        )
    if parameter.jagged is not None and not isinstance(value, Jagged):
        value = taken_apart(name, ndim, parameter.jagged.dim, value)
    elif is_nested(value):
        raise ArgumentError(
            f"{name} is a nested tensor, and a dense one of {counted(ndim, 'dim')} is declared; "
            f"declare Tensor({value.dim()}, jagged_dim=1), or pass torch.nested.to_padded_tensor("
            f"{name}, 0.0)"
        )
    _check_tensor(parameter, value)
    return value


def _check_tensor(parameter: Parameter, value: Any) -> None:
    ndim = len(parameter.source.shape)
    if value.dim() != ndim:
        raise ArgumentError(
            f"{parameter.name} must have {counted(ndim, 'dim')}, but its shape is "
            f"{tuple(value.shape)}"
        )
    dtype = dtypes.lookup(value.dtype)
    if dtype is None:
        raise ArgumentError(
            f"{parameter.name} has elements of {value.dtype}, which no kernel can hold; convert "
            "it, for "
            "example with .to(torch.float32)"
        )
    declared = parameter.source.dtype
    if declared is not None and dtype != declared:
        raise ArgumentError(
            f"{parameter.name} must have elements of {declared}, as declared, not {dtype}; "
            "convert it with "
            f".to(torch.{dtypes.DTYPES[declared].torch})"
        )


def _tensor_signature(parameter: Parameter, value: Any) -> ParamSignature:
    shape, strides = tuple(value.shape), value.stride()
    dtype = dtypes.lookup(value.dtype)
    assert dtype is not None
    jagged = parameter.jagged
    return ParamSignature(
        parameter.name,
        "tensor",
        dtype,
        len(shape),
        # A dim of one element has any stride; 1 lets it share the kernel of contiguous tensors.
        tuple(stride == 1 for stride in strides),
        # The longest sequence bounds no loads, so nothing is gained where it is a multiple.
        tuple(
            size % 16 == 0 and (jagged is None or dim != jagged.dim)
            for dim, size in enumerate(shape)
        ),
        tuple(stride % 16 == 0 for stride in strides),
        value.data_ptr() % 16 == 0,
        offsets=None if jagged is None else value.offsets_dtype,
        # A jagged tensor's sequences follow one another, whatever the stride of the batch.
        repeated=any(
            stride == 0 and size > 1 and (dim > 0 or jagged is None)
            for dim, (stride, size) in enumerate(zip(strides, shape, strict=True))
        ),
    )


def member_value(value: Any) -> Any:
    """The value of an enumeration's member, by which the application knows it; else ``value``."""
    return value.value if isinstance(value, enum.Enum) else value


def _number(parameter: Parameter, value: Any) -> bool | int | float:
    value = member_value(value)
    if _is_tensor(value) and value.dim() == 0:
        value = value.item()
    if not isinstance(value, bool | int | float):
        raise ArgumentError(
            f"{parameter.name} must be a number, or a tensor of no dims, not {_shown(value)}"
        )
    return value


def _shown(value: Any) -> str:
    if _is_tensor(value):
        return f"a tensor of shape {tuple(value.shape)}"
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    return f"a {type(value).__module__}.{type(value).__qualname__}".replace(" builtins.", " ")


def _number_signature(parameter: Parameter, value: bool | int | float) -> ParamSignature:
    dtype = parameter.source.dtype or _literal(parameter, value)
    if not _holds(dtype, value):
        raise ArgumentError(
            f"{parameter.name} is declared {dtype}, which does not hold {value!r}; convert it, "
            "or declare "
            "another dtype"
        )
    baked = value if parameter.kind == "constexpr" else None
    return ParamSignature(parameter.name, parameter.kind, dtype, value=baked)


def number_class(parameter: Parameter, value: Any) -> Hashable:
    """What a launch depends on of a plain number: its element type; if it is baked in, all of it.

    Raises:
        ArgumentError: the declared element type does not hold it.
        TypeError: it is no plain number.
    """
    if type(value) not in (bool, int, float):
        raise TypeError("no plain number")
    signature = _number_signature(parameter, value)
    # Zeros of either sign are equal, and are not the same.
    return signature.dtype if parameter.kind == "scalar" else (signature.dtype, repr(value))


def _literal(parameter: Parameter, value: bool | int | float) -> str:
    try:
        return rules.literal(value)
    except TypeError as error:
        raise ArgumentError(f"{parameter.name}: {error}; pass a smaller number") from None


def _holds(dtype: str, value: bool | int | float) -> bool:
    """Whether a number has a value in ``dtype``; floats are rounded to it."""
    row = dtypes.DTYPES[dtype]
    if row.kind == "float":
        return True
    if isinstance(value, float):
        return False
    lowest = -(1 << (row.bits - 1)) if row.kind == "int" else 0
    return lowest <= value < lowest + (1 << row.bits)


def _sizes(definition: Definition, values: Sequence[Any]) -> dict[str, int]:
    """The values of the size symbols that block sizes and constants depend on."""
    wanted = {name for size in definition.dynamic for name in symbol_names(size)}
    wanted.update(definition.constexpr_sizes)
    found: dict[str, int] = {}
    if not wanted:
        return found
    for parameter, value in zip(definition.parameters, values, strict=True):
        for dim, size in enumerate(parameter.source.shape):
            if size.op == "sym" and size.args[0] in wanted:
                found.setdefault(size.args[0], int(value.shape[dim]))
    return found


def _index_bits(values: Sequence[Any]) -> int:
    for value in values:
        if not _is_tensor(value):
            continue
        shape, strides = value.shape, value.stride()
        if isinstance(value, Jagged):
            shape, strides = value.elements.shape, value.elements.stride()
        reach = sum(
            abs(stride) * max(size - 1, 0) for size, stride in zip(shape, strides, strict=True)
        )
        if reach >= _NARROW or value.numel() >= _NARROW:
            return 64
    return 32


def _device(definition: Definition, values: Sequence[Any]) -> str:
    first: tuple[str, str] | None = None
    for parameter, value in zip(definition.parameters, values, strict=True):
        if not _is_tensor(value):
            continue
        device = str(value.device)
        if device == "meta":
            continue
        if first is None:
            first = (parameter.name, device)
        elif device != first[1]:
            raise DeviceError(
                f"{first[0]} is on {first[1]}, but {parameter.name} is on {device}; move all "
                "tensors to one "
                f"device, with {parameter.name}.to({first[1]!r})"
            )
    return "cpu" if first is None else first[1]
