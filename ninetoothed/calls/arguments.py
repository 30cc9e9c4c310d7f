"""Binding of a call: arguments checked, assigned to parameters, and summed up in a signature."""

from __future__ import annotations

import enum
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ninetoothed import dtype as dtypes
from ninetoothed.artifacts.interface import Bounds, Interface, Parameter
from ninetoothed.artifacts.signature import ParamSignature, Signature
from ninetoothed.calls.aliasing import aliased
from ninetoothed.calls.overlaps import overlaps_itself
from ninetoothed.calls.relations import contiguous_from, equal_pairs
from ninetoothed.calls.sequences import Jagged, elements_of, is_nested, taken_apart
from ninetoothed.calls.storage import check_memory
from ninetoothed.errors import (
    ArgumentError,
    BoundsWarning,
    DeviceError,
    DtypeWarning,
    counted,
    did_you_mean,
    shown,
    warn,
)

NARROW = (1 << 31) - (1 << 20)
"""Sizes, strides and offsets below this are computed in 32 bits, with room for a block beyond the
end.
"""

_PLAIN = (bool, int, float)

# By torch's element types, of which there are few. (What torch.compile traces must not have been
# wrapped by functools.cache: it warns of it.)
_element_types: dict[Any, str | None] = {}


class Place(NamedTuple):
    """A device: torch's name for its kind, and its number among those, 0 for a CPU."""

    kind: str
    number: int

    def __str__(self) -> str:
        return self.kind if self.kind == "cpu" else f"{self.kind}:{self.number}"


class Arguments(NamedTuple):
    """Bound arguments: ``values`` in launch order, tensors and numbers.

    ``place``: the tensors' device; a CPU where all are on the meta device. ``may_warn`` is false
    where none requires gradients, and none that shares memory is written.
    """

    values: tuple[Any, ...]
    signature: Signature
    place: Place
    may_warn: bool = True


def bind(interface: Interface, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Arguments:
    """Bind and check a call.

    Raises:
        ArgumentError: arguments that are missing, too many, or do not fit.
        DeviceError: tensors on different devices.
    """
    parameters = interface.parameters
    given, rest = _positional(interface, args, kwargs)
    values: list[Any] = []
    params: list[ParamSignature] = []
    for parameter, value in zip(parameters, given, strict=True):
        if parameter.kind == "tensor":
            value = _tensor(parameter, value)
            values.append(value)
            params.append(_tensor_signature(parameter, value))
        elif type(value) in _PLAIN:
            values.append(value)
            params.append(_number_signature(parameter, value, None, given))
        else:
            own = dtypes.own_type(member_value(value))
            number = _number(parameter, value)
            values.append(number)
            params.append(_number_signature(parameter, number, own, given))
    _check_same(interface, given, values)
    sizes = _sizes(interface, values)
    constants = constant_values(interface, rest, sizes)
    padded_sizes: tuple[tuple[str, int], ...] = ()
    if interface.dynamic:
        padded_sizes = _padded_sizes(interface, {**sizes, **dict(constants)})
    if interface.empties:
        for position in _empty(interface, values, dict(constants)):
            params[position] = replace(params[position], empty=True)
    for place in interface.flattened:
        dim = contiguous_from(values[place].shape, values[place].stride())
        params[place] = replace(params[place], contiguous=dim)
    signature = Signature(
        aliased(params, values),
        constants,
        padded_sizes,
        _index_bits(values),
        equal=equal_pairs(interface, values),
    )
    return Arguments(tuple(values), signature, _place(interface, values))


def _check_same(interface: Interface, given: Sequence[Any], values: Sequence[Any]) -> None:
    """Check that one tensor, arranged in several ways, is given once or the same each time.

    ``values`` are the arguments ``given`` as they are launched: of a tensor of no dims that lies in
    memory for one parameter and is a number for another, two.

    Raises:
        ArgumentError: it is not.
    """
    for first, later in interface.repeats:
        if given[first] is not given[later] and not _same(values[first], values[later]):
            one, two = interface.parameters[first], interface.parameters[later]
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
    interface: Interface, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The parameters' values in order, and the other keywords."""
    names = interface.names
    call = f"{interface.name}({', '.join(names)})"
    takes = f"{call} takes {counted(len(names), 'argument')}"
    count = len(args) + sum(name in names for name in kwargs)
    if len(args) > len(names):
        keywords = interface.keywords
        hint = f"; give {', '.join(keywords)} by keyword" if keywords else "; leave the others out"
        raise ArgumentError(f"{takes}, but {count} were given{hint}")
    given = names
    if interface.repeats and len(args) == len(interface.firsts):
        # Of a tensor that was arranged in several ways, the first parameter takes the argument.
        given = [names[position] for position in interface.firsts]
    found = dict(zip(given, args, strict=False))
    rest: dict[str, Any] = {}
    for name, value in kwargs.items():
        if name not in names:
            rest[name] = value
        elif name in found:
            raise ArgumentError(f"{call} is given {name} twice, by position and by keyword")
        else:
            found[name] = value
    for parameter in interface.parameters:
        if parameter.kind == "constexpr" and parameter.value is not None:
            found.setdefault(parameter.name, parameter.value)
    for first, later in interface.repeats:
        if names[first] in found:
            found.setdefault(names[later], found[names[first]])
    missing = [name for name in names if name not in found]
    if missing:
        _check_keywords(interface, rest, is_call=True)
        raise ArgumentError(
            f"{takes}, but {count} {'was' if count == 1 else 'were'} given; "
            f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
        )
    return [found[name] for name in names], rest


def constant_values(
    interface: Interface, given: Mapping[str, Any], sizes: Mapping[str, int] | None = None
) -> tuple[tuple[str, int], ...]:
    """The values of constexpr symbols and constexpr sizes, by name.

    Raises:
        ArgumentError: one is missing, unknown, or no integer.
    """
    if given:
        _check_keywords(interface, given, is_call=sizes is not None)
    found: list[tuple[str, int]] = []
    for name, keyword, bounds in interface.constexprs:
        if keyword not in given:
            raise ArgumentError(
                f"{interface.name} needs a value for {keyword}; give it by keyword, as in "
                f"{keyword}=64"
            )
        found.append((name, constant_value(keyword, given[keyword], bounds)))
    for name in interface.constexpr_sizes:
        if sizes is not None:
            found.append((name, sizes[name]))
    return tuple(found)


def _check_keywords(interface: Interface, given: Iterable[str], *, is_call: bool) -> None:
    """Check that keywords which are no parameters name symbols; a call gives none that the compiler
    chooses.

    Raises:
        ArgumentError: one does not.
    """
    for name in given:
        if name in interface.meta:
            if is_call:
                raise ArgumentError(
                    f"{name} is chosen by the compiler; leave it out, or declare "
                    f"Symbol({name!r}, constexpr=True) to give it"
                )
        elif name not in interface.keywords:
            raise ArgumentError(
                f"{interface.name} has no argument {name}; {_instead(interface, name)}"
            )


def _instead(interface: Interface, name: str) -> str:
    keywords = interface.keywords
    return did_you_mean(name, [*interface.names, *keywords]) or (
        f"it takes {', '.join(keywords)} by keyword" if keywords else "it takes no other keywords"
    )


def constant_value(name: str, value: Any, bounds: Bounds) -> int:
    """The value of a symbol, an integer: bounds that it exceeds are widened to it.

    Raises:
        ArgumentError: it is no integer.

    Warns:
        BoundsWarning: it is outside a bound that the user gave.
    """
    value = _integer(name, value)
    if any(
        over and given for over, given in zip(bounds.exceeded(value), bounds.given, strict=True)
    ):
        text = (
            f"{name}={value} is outside its bounds, {_ends(bounds)}, so that the kernel is "
            f"compiled for wider ones; {_other_bounds(name)}"
        )
        warn(BoundsWarning(text, about=name))
    return value


def value_within(name: str, value: Any, bounds: Bounds) -> int:
    """The value of a symbol or a size whose bounds no call widens.

    Raises:
        ArgumentError: it is no integer within the bounds.
    """
    value = _integer(name, value)
    if any(bounds.exceeded(value)):
        raise ArgumentError(
            f"{name}={value} is outside its bounds, {_ends(bounds)}; {_other_bounds(name)}"
        )
    return value


def _integer(name: str, value: Any) -> int:
    value = dtypes.number(value)
    if type(value) is not int:
        raise ArgumentError(f"{name} must be an integer, not {_shown(value)}")
    if value.bit_length() > 63:
        raise ArgumentError(f"{name} does not fit 64 bits; give a smaller number")
    return value


def _ends(bounds: Bounds) -> str:
    return f"{bounds.lower} to {bounds.upper}"


def _other_bounds(name: str) -> str:
    return f"give Symbol({name!r}) others with lower_bound and upper_bound"


def element_type(value: Any, parameter: Parameter, default: str) -> str:
    """The element type that ``value`` names, else the declared one, else ``default``.

    Raises:
        ArgumentError: it names none.
    """
    if value is None:
        return parameter.dtype or default
    found = dtypes.lookup(value)
    if found is None:
        raise ArgumentError(f"{value!r} is no element type; write for example fp16 or fp32")
    if parameter.kind == "tensor":
        _warn_of_type(parameter, found)
    return found


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "data_ptr") and hasattr(value, "stride") and hasattr(value, "dtype")


def _tensor(parameter: Parameter, value: Any) -> Any:
    """The argument for a parameter, checked; a jagged one as a :class:`Jagged`.

    Raises:
        ArgumentError: it does not fit.
    """
    name, ndim = parameter.name, parameter.ndim
    if not _is_tensor(value):
        text = f"{name} must be a torch tensor of {counted(ndim, 'dim')}, not {_shown(value)}"
        if ndim == 0 and isinstance(dtypes.number(value), bool | int | float):
            text += (
                f"; it is arranged, so that it lies in memory: pass torch.tensor({value}), on the "
                f"device of the others, or leave {name} as it is in the arrangement"
            )
        raise ArgumentError(text)
    if parameter.jagged_dim is not None and not isinstance(value, Jagged):
        value = taken_apart(name, ndim, parameter.jagged_dim, value)
    elif is_nested(value):
        raise ArgumentError(
            f"{name} is a nested tensor, and a dense one of {counted(ndim, 'dim')} is declared; "
            f"declare Tensor({value.dim()}, jagged_dim=1), or pass torch.nested.to_padded_tensor("
            f"{name}, 0.0)"
        )
    elif not isinstance(value, Jagged) and value.is_neg():
        raise ArgumentError(
            f"{name} is a view of numbers that torch negates when it reads them, as "
            f"z.conj().imag is; pass {name}.resolve_neg()"
        )
    _check_tensor(parameter, value)
    return value


def _element_type(dtype: Any) -> str | None:
    if dtype not in _element_types:
        _element_types[dtype] = dtypes.lookup(dtype)
    return _element_types[dtype]


def _check_tensor(parameter: Parameter, value: Any) -> None:
    ndim = parameter.ndim
    if value.dim() != ndim:
        raise ArgumentError(
            f"{parameter.name} must have {counted(ndim, 'dim')}, but its shape is "
            f"{tuple(value.shape)}"
        )
    dtype = _element_type(value.dtype)
    if dtype is None:
        raise ArgumentError(
            f"{parameter.name} has elements of {value.dtype}, which no kernel can hold; convert "
            "it, for example with .to(torch.float32)"
        )


def _warn_of_type(parameter: Parameter, dtype: str) -> None:
    """Warn of a tensor whose element type is not the declared one: it is taken nevertheless."""
    declared = parameter.dtype
    if declared is not None and dtype != declared:
        text = (
            f"{parameter.name} must have elements of {declared}, as declared, not {dtype}, which "
            f"are taken; convert it with .to(torch.{dtypes.DTYPES[declared].torch}), or leave the "
            "declaration out"
        )
        warn(DtypeWarning(text))


def _located(parameter: Parameter, value: Any) -> tuple[tuple[int, ...], int]:
    """A tensor's strides and its pointer.

    Raises:
        ArgumentError: it has none, or its memory was resized.
    """
    try:
        strides, pointer = value.stride(), value.data_ptr()
        if pointer or value.numel() == 0 or value.device.type == "meta":
            check_memory(parameter.name, elements_of(value))
            return strides, pointer
    except RuntimeError:
        if str(value.layout) != "torch.strided":
            raise ArgumentError(
                f"{parameter.name} has no strided memory (its layout is {value.layout}); convert "
                "it, for example with .to_dense()"
            ) from None
    raise ArgumentError(
        f"{parameter.name} has no memory of its own: its memory was freed, or it stands for other "
        "tensors, as a DTensor, a FakeTensor and all inside of torch.func.vmap do; pass a plain one"
    )


def _tensor_signature(parameter: Parameter, value: Any) -> ParamSignature:
    shape, (strides, pointer) = tuple(value.shape), _located(parameter, value)
    dtype = _element_type(value.dtype)
    assert dtype is not None
    if parameter.dtype not in (None, dtype):
        _warn_of_type(parameter, dtype)
    jagged_dim = parameter.jagged_dim
    # A jagged tensor's sequences are disjoint.
    elements = elements_of(value)
    repeated = overlaps_itself(elements.shape, elements.stride())
    return ParamSignature(
        parameter.name,
        "tensor",
        dtype,
        len(shape),
        # A dim of one element has any stride; 1 lets it share the kernel of contiguous tensors.
        tuple([stride == 1 for stride in strides]),
        # The longest sequence bounds no loads, so its divisibility gains nothing.
        tuple([size % 16 == 0 and dim != jagged_dim for dim, size in enumerate(shape)]),
        tuple([stride % 16 == 0 for stride in strides]),
        pointer % 16 == 0,
        None,
        None if jagged_dim is None else value.offsets_dtype,
        repeated,
    )


def member_value(value: Any) -> Any:
    """Value of an enum member, by which the application knows it; else ``value``."""
    return value.value if isinstance(value, enum.Enum) else value


def _number(parameter: Parameter, value: Any) -> bool | int | float:
    value = dtypes.number(member_value(value))
    if _is_tensor(value) and value.dim() == 0:
        if value.device.type == "meta":
            raise ArgumentError(
                f"{parameter.name} is on the meta device, where no tensor has a value; pass a "
                "number, or arrange it"
            )
        value = value.item()
    # Numbers of other classes may be spelled otherwise.
    for plain in _PLAIN:
        if isinstance(value, plain):
            return plain(value)
    raise ArgumentError(
        f"{parameter.name} must be a number, or a tensor of no dims, not {_shown(value)}"
    )


def _shown(value: Any) -> str:
    if _is_tensor(value):
        return f"a tensor of shape {tuple(value.shape)}"
    if value is None or isinstance(value, bool | int | float | str):
        return shown(value)
    return f"a {type(value).__module__}.{type(value).__qualname__}".replace(" builtins.", " ")


def _number_signature(
    parameter: Parameter, value: bool | int | float, own: str | None, given: Sequence[Any]
) -> ParamSignature:
    """``own``: the element type of a tensor of no dims that was given, else None. ``given`` are the
    arguments of the call.
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
    baked = value if parameter.kind == "constexpr" else None
    return ParamSignature(parameter.name, parameter.kind, dtype, value=baked)


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
    return any(_is_tensor(one) and _element_type(one.dtype) == "fp64" for one in given)


def _is_narrow(value: bool | int | float) -> bool:
    """True for a float within the range of fp32, and for an integer that fp32 has."""
    if isinstance(value, float):
        return dtypes.literal(value) == "fp32"
    return abs(value) <= 1 << 24


def number_class(parameter: Parameter, value: Any) -> Hashable:
    """Part of a plain number that a launch depends on beside its tensors' element types: its own,
    or all where it is baked in.

    Raises:
        ArgumentError: no element type holds it.
        TypeError: it is no plain number.
    """
    if type(value) not in _PLAIN:
        raise TypeError("no plain number")
    if parameter.kind == "scalar" and parameter.dtype is None:
        return dtypes.literal(value)
    dtype = _number_type(parameter, value)
    # Zeros of either sign are equal, and are not the same.
    return dtype if parameter.kind == "scalar" else (dtype, repr(value))


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


def _sizes(interface: Interface, values: Sequence[Any]) -> dict[str, int]:
    """Values of the size symbols that block sizes and constants depend on."""
    return {name: int(values[place].shape[dim]) for name, place, dim in interface.sizes}


def _empty(
    interface: Interface, values: Sequence[Any], constants: Mapping[str, int]
) -> Iterator[int]:
    """Positions of the parameters of which no element exists."""
    for one, is_empty in zip(interface.empties, interface.emptinesses, strict=True):
        sizes = {name: int(values[place].shape[dim]) for name, place, dim in one.sizes}
        if is_empty({**constants, **sizes}):
            yield one.position


def _padded_sizes(interface: Interface, values: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Padded block sizes.

    Raises:
        ArgumentError: one divides by zero.
    """
    try:
        return interface.padded_sizes(values)
    except ZeroDivisionError:
        texts = ", ".join(text for text, _ in interface.dynamic)
        raise ArgumentError(
            f"a block size is divided by zero with the values of this call: {texts}; give others"
        ) from None


def _index_bits(values: Sequence[Any]) -> int:
    for value in values:
        if not _is_tensor(value):
            continue
        elements = elements_of(value)
        shape, strides = elements.shape, elements.stride()
        reach = farthest = 0
        for size, stride in zip(shape, strides, strict=True):
            reach += abs(stride) * max(size - 1, 0)
            # A stride is an argument also where it is never stepped, as in a batch of one.
            farthest = max(farthest, abs(stride))
        if max(reach, farthest, value.numel()) >= NARROW:
            return 64
    return 32


def _place(interface: Interface, values: Sequence[Any]) -> Place:
    first: tuple[str, Any] | None = None
    for parameter, value in zip(interface.parameters, values, strict=True):
        if parameter.kind != "tensor":
            continue
        device = value.device
        if first is not None and device == first[1]:
            continue
        if device.type == "meta":
            continue
        if first is None:
            first = (parameter.name, device)
        else:
            raise DeviceError(
                f"{first[0]} is on {first[1]}, but {parameter.name} is on {device}; move all "
                f"tensors to one device, with {parameter.name}.to({str(first[1])!r})"
            )
    return Place("cpu", 0) if first is None else place_of(first[1])


def place_of(device: Any) -> Place:
    """The place of a torch device."""
    return Place(device.type, device.index or 0)
