"""Binding of a call: arguments checked, assigned to parameters, and summed up in a signature."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ninetoothed import dtype as dtypes
from ninetoothed.artifacts.interface import Bounds, Interface, Parameter
from ninetoothed.artifacts.signature import NARROW, ParamSignature, Signature, divisor_of
from ninetoothed.calls.aliasing import aliased
from ninetoothed.calls.numbers import (
    PLAIN,
    element_type_of,
    is_tensor_like,
    member_value,
    number_signature,
    number_value,
    shown_value,
)
from ninetoothed.calls.overlaps import expanded_dims, overlaps_itself
from ninetoothed.calls.places import Place, place_of
from ninetoothed.calls.positions import CallOrder, Order
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
    warn,
)


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
    given, rest = positional(interface, args, kwargs)
    values: list[Any] = []
    params: list[ParamSignature] = []
    for parameter, value in zip(parameters, given, strict=True):
        if parameter.kind == "tensor":
            value = checked_tensor(parameter, value)
            values.append(value)
            params.append(_tensor_signature(parameter, value))
        elif type(value) in PLAIN:
            values.append(value)
            params.append(number_signature(parameter, value, None, given))
        else:
            own = dtypes.own_type(member_value(value))
            number = number_value(parameter, value)
            values.append(number)
            params.append(number_signature(parameter, number, own, given))
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
        index_bits(values),
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
            raise ArgumentError(different(interface, first, later))


def different(interface: Interface, first: int, later: int) -> str:
    """Message on two parameters that are one tensor and are given different ones."""
    one, two = interface.parameters[first], interface.parameters[later]
    return (
        f"{one.name} and {two.name} are one tensor, arranged in two ways, but are given different "
        "ones; pass it once, or the same one twice"
    )


def _same(one: Any, two: Any) -> bool:
    if not (is_tensor_like(one) and is_tensor_like(two)):
        return type(one) is type(two) and one == two
    places = [(t.data_ptr(), t.shape, t.stride(), t.dtype) for t in (one, two)]
    return places[0] == places[1]


def positional(
    interface: Interface, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The parameters' values in order, and the other keywords.

    Raises:
        ArgumentError: there are too many, one is missing, or given twice.
    """
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


def checked_order(
    ordered: CallOrder, interface: Interface, count: int, keywords: tuple[str, ...]
) -> Order:
    """The order of the arguments of calls with ``count`` of them, and these keywords.

    Raises:
        ArgumentError: the kernel takes another number of arguments, or other keywords.
    """
    try:
        order = ordered.order(count, keywords)
    except (KeyError, ValueError):
        positional(interface, [None] * count, dict.fromkeys(keywords))
        raise
    others = [name for name, _ in order.others]
    if {*others} != {*interface.keywords}:
        constant_values(interface, dict.fromkeys(others, 1), {})
    return order


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
        raise ArgumentError(outside_bounds(name, value, bounds))
    return value


def outside_bounds(name: str, value: object, bounds: Bounds) -> str:
    """The message that a value is outside the bounds of a symbol, which no call widens."""
    return f"{name}={value} is outside its bounds, {_ends(bounds)}; {_other_bounds(name)}"


def _integer(name: str, value: Any) -> int:
    value = dtypes.number(value)
    if type(value) is not int:
        raise ArgumentError(f"{name} must be an integer, not {shown_value(value)}")
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


def checked_tensor(parameter: Parameter, value: Any) -> Any:
    """The argument for a parameter, checked; a jagged one as a :class:`Jagged`.

    Raises:
        ArgumentError: it does not fit.
    """
    name, ndim = parameter.name, parameter.ndim
    if not is_tensor_like(value):
        text = f"{name} must be a torch tensor of {counted(ndim, 'dim')}, not {shown_value(value)}"
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
    check_tensor(parameter, value)
    return value


def check_tensor(parameter: Parameter, value: Any) -> None:
    """Check a tensor's number of dims and its element type.

    Raises:
        ArgumentError: they do not fit.
    """
    ndim = parameter.ndim
    if value.dim() != ndim:
        raise ArgumentError(
            f"{parameter.name} must have {counted(ndim, 'dim')}, but its shape is "
            f"{tuple(value.shape)}"
        )
    dtype = element_type_of(value.dtype)
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
    dtype = element_type_of(value.dtype)
    assert dtype is not None
    if parameter.dtype not in (None, dtype):
        _warn_of_type(parameter, dtype)
    jagged_dim = parameter.jagged_dim
    # A jagged tensor's sequences are disjoint.
    elements = elements_of(value)
    repeated = overlaps_itself(elements.shape, elements.stride())
    is_expanded = repeated and jagged_dim is None
    bytes = elements.element_size()
    return ParamSignature(
        parameter.name,
        "tensor",
        dtype,
        len(shape),
        # A dim of one element has any stride; 1 lets it share the kernel of contiguous tensors.
        tuple([stride == 1 for stride in strides]),
        tuple(
            [
                _size_divisor(size, stride, dim == jagged_dim, bytes)
                for dim, (size, stride) in enumerate(zip(shape, strides, strict=True))
            ]
        ),
        tuple([divisor_of(stride, bytes) for stride in strides]),
        pointer % 16 == 0,
        None,
        None if jagged_dim is None else value.offsets_dtype,
        repeated,
        expanded=expanded_dims(shape, strides) if is_expanded else (),
    )


def _size_divisor(size: int, stride: int, is_jagged: bool, bytes: int) -> int:
    """The divisor that is told of a size, as far as loads gain by it."""
    if is_jagged:
        # The longest sequence bounds none.
        return 1
    # Lanes that are moved at once mostly lie along the dim of stride 1.
    return divisor_of(size, bytes if stride == 1 else 1)


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


TOO_WIDE = "its offsets do not fit 32 bits, which the integers of a single call may have"
"""Why a call for a whole batch is none: applications see how wide integers are."""


def index_bits(values: Sequence[Any]) -> int:
    """How wide the integers of a call with these arguments are."""
    for value in values:
        if not is_tensor_like(value):
            continue
        elements = elements_of(value)
        shape, strides = elements.shape, elements.stride()
        reach = farthest = 0
        for size, stride in zip(shape, strides, strict=True):
            reach += abs(stride) * max(size - 1, 0)
            # They are arguments also where no element is: a stride that is never stepped, as in a
            # batch of one, and the sizes beside one that is 0.
            farthest = max(farthest, abs(stride), size)
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
