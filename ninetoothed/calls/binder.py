"""Fast binding of calls of a known class: a key and a lookup, whatever their shapes.

A call's *class* determines its checks and its signature: of each tensor the type, element type,
device and number of dims, which strides are 1 or 0, what divides sizes and strides, and whether its
offsets fit 32 bits; which sizes are equal, and which strides their products; and the alias sets.
``arguments.bind`` binds the first call of a class; for the others, a function generated for the
kernel reads each tensor once.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from ninetoothed.artifacts.interface import Interface, Parameter
from ninetoothed.artifacts.signature import NARROW, Signature, divisor_of
from ninetoothed.calls import tensor_guards
from ninetoothed.calls.aliasing import alias_sets
from ninetoothed.calls.arguments import Arguments, bind
from ninetoothed.calls.generated import defined
from ninetoothed.calls.numbers import number_class
from ninetoothed.calls.overlaps import expanded_dims, overlaps_itself
from ninetoothed.calls.places import Place
from ninetoothed.calls.positions import CallOrder
from ninetoothed.calls.relations import contiguous_source, equal_source
from ninetoothed.dtype import own_type

OfNumber = Callable[[Parameter, Any], Hashable]
Classify = Callable[[Sequence[Any], Mapping[str, Any]], tuple[tuple[Any, ...], Hashable]]

_MOST = 4096
"""Classes that are kept of one kernel: constants that never come back must not fill the memory."""


class CallClass(NamedTuple):
    """What calls of a class have in common; the fields are those of ``Arguments``."""

    signature: Signature
    place: Place
    may_warn: bool


class Binder:
    """Callable that binds and checks the calls of one kernel, as ``arguments.bind`` does.

    ``finish`` is applied to their signatures; ``collecting`` takes the warnings; ``of_number`` is
    given a parameter and a number, and returns what these signatures depend on. Several threads may
    use it at once.
    """

    def __init__(
        self,
        interface: Interface,
        finish: Callable[[Signature], Signature],
        collecting: Callable[[], AbstractContextManager[object]] = nullcontext,
        of_number: OfNumber = number_class,
    ) -> None:
        self._interface = interface
        self._of_number = of_number
        self._collecting = collecting
        self._finish = finish
        self._known: dict[Hashable, CallClass] = {}
        self._signatures: dict[Signature, Signature] = {}
        # Many a kernel is called once: the function is generated at the second call.
        self._classify: Classify = self._unclassified

    def __call__(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> Arguments:
        """Bind a call.

        Raises:
            ArgumentError: arguments that are missing, too many, or do not fit.
            DeviceError: tensors on different devices.
        """
        values, known, key = self.known(args, keywords)
        return self.bind(args, keywords, key) if known is None else Arguments(values, *known)

    def known(
        self, args: Sequence[Any], keywords: Mapping[str, Any]
    ) -> tuple[tuple[Any, ...], CallClass | None, Hashable]:
        """Bind a call of a class that was bound before: its arguments' values in launch order, and
        its class. The class is None for another, or a wrong one, and for tensors that handle
        operators themselves. Last, what :meth:`bind` is to be given then.
        """
        try:
            values, key = self._classify(args, keywords)
            return values, self._known.get(key), key
        except Exception:
            # Arguments that are unusual or wrong take the full way, which reports them.
            return (), None, None

    def bind(self, args: Sequence[Any], keywords: Mapping[str, Any], key: Hashable) -> Arguments:
        """Bind a call in full, and remember its class, unless its key is None.

        Raises:
            ArgumentError, DeviceError: as for a call of the binder.
        """
        with self._collecting():
            arguments = bind(self._interface, args, keywords)
        signature = self._finish(arguments.signature)
        # The one object of its value: that of a family is found by identity.
        signature = self._signatures.setdefault(signature, signature)
        given = (*args, *keywords.values())
        may_warn = any(getattr(one, "requires_grad", False) for one in given) or any(
            param.alias_set for param in signature.params
        )
        # A tensor may hold another number at the next call.
        if key is not None and not any(map(own_type, keywords.values())):
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[key] = CallClass(signature, arguments.place, may_warn)
        return Arguments(arguments.values, signature, arguments.place, may_warn)

    def _unclassified(
        self, args: Sequence[Any], keywords: Mapping[str, Any]
    ) -> tuple[tuple[Any, ...], None]:
        self._classify = self._first_classified
        return (), None

    def _first_classified(
        self, args: Sequence[Any], keywords: Mapping[str, Any]
    ) -> tuple[tuple[Any, ...], Hashable]:
        self._classify = _classify(self._interface, self._of_number)
        return self._classify(args, keywords)


class Traits:
    """What the sizes and strides of a kernel's tensors leave open of a class, as a number.

    ``recent``: torch's guard for the latest call's, their number, the tensors' item sizes, and the
    divisors that are told of their sizes and strides, by the last four bits of these.
    """

    def __init__(self, tensors: int) -> None:
        self._known: dict[Hashable, tuple[Any, ...]] = {}
        self._numbers: dict[Hashable, int] = {}
        self._count = itertools.count()
        self.recent: list[tuple[Any, ...]] = [(tensor_guards.never, *[None] * (2 * tensors + 1))]

    def __call__(self, *tensors: Any) -> tuple[Any, ...]:
        """Those of these tensors, which are the latest now.

        Raises:
            TypeError: only ``arguments.bind`` takes them.
        """
        plain = tensor_guards.plain_types()
        if any(type(tensor) not in plain or tensor.is_neg() for tensor in tensors):
            raise TypeError("no plain tensors")
        traits = tuple((one.dtype, one.device, one.requires_grad) for one in tensors)
        # Guards tell more: which tensors are one, and Parameters.
        places = {id(tensor): place for place, tensor in enumerate(tensors)}
        key = (traits, *((places[id(one)], one.__class__) for one in tensors))
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _MOST:
                self._known.clear()
            guard = tensor_guards.guard(tensors, of_any_size=True)
            number = self._numbers.setdefault(traits, next(self._count))
            sizes = [one.itemsize for one in tensors]
            found = self._known[key] = (guard, number, *sizes, *map(_divisors, sizes))
        self.recent[0] = found
        return found


@functools.cache
def _divisors(bytes: int) -> tuple[int, ...]:
    """What :func:`divisor_of` says of numbers, by their last four bits."""
    return tuple(divisor_of(bits, bytes) for bits in range(16))


def _never(args: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[tuple[Any, ...], None]:
    return (), None


def _classify(interface: Interface, of_number: OfNumber) -> Classify:
    """Generate a function that maps a call to its parameters' values and its class's key; the key
    is None for calls that only ``arguments.bind`` takes. It raises for many a wrong call.
    """
    parameters = interface.parameters
    tensors = [place for place, one in enumerate(parameters) if one.kind == "tensor"]
    numbers = [place for place, one in enumerate(parameters) if one.kind != "tensor"]
    if not tensors or any(one.jagged_dim is not None for one in parameters):
        return _never
    names = ", ".join(f"a{place}" for place in range(len(parameters)))
    lines = [
        "given = None",
        f"if keywords or len(values) != {len(parameters)}:",
        "    values, given = ordered(values, keywords)",
        f"{names}, = values",
    ]
    # Parameters of one argument have one tensor, or need a closer look.
    lines += _unless(f"a{first} is a{later}" for first, later in interface.repeats)
    given = ", ".join(f"a{place}" for place in tensors)
    read = [f"{name}{place}" for name in "wd" for place in tensors]
    found = ", ".join(["alike", "traits", *read])
    key = ["traits"]
    for place in tensors:
        lines += _read(place, parameters[place].ndim)
        key += _class(place, parameters[place].ndim)
    # Behind what raises for tensors without sizes or strides, where a guard ends the process.
    lines += [
        f"{found} = recent[0]",
        f"if not alike({given}):",
        f"    {found} = traits_of({given})",
    ]
    # Tensors without elements and those on the meta device have no address.
    lines += _unless(f"p{place} and n{place}" for place in tensors)
    wide = " or ".join(
        " or ".join(
            [
                f"r{place} > {NARROW} or n{place} >= {NARROW}",
                *(f"t{place}_{dim} >= {NARROW}" for dim in range(parameters[place].ndim)),
            ]
        )
        for place in tensors
    )
    key += [
        *_constants(interface),
        wide,
        "given",
        *(f"class{place}(a{place})" for place in numbers),
        *_empties(interface),
        *equal_source(interface),
        *(contiguous_source(place, parameters[place].ndim) for place in interface.flattened),
    ]
    lines += [f"e{place} = p{place} + r{place} * w{place}" for place in tensors]
    spans = "".join(f"(p{place}, e{place}), " for place in tensors)
    # Faster than to sort a few.
    pairs = itertools.combinations(tensors, 2)
    apart = [f"(e{one} <= p{two} or e{two} <= p{one})" for one, two in pairs]
    lines += [
        f"aliased = None if {' and '.join(['True', *apart])} else alias_sets(({spans}))",
        f"return tuple(values), (aliased, {', '.join(key)})",
    ]
    known: dict[str, Any] = {
        f"class{place}": functools.partial(of_number, parameters[place]) for place in numbers
    }
    known |= {f"empty{index}": one for index, one in enumerate(interface.emptinesses)}
    traits = Traits(len(tensors))
    known |= {
        "ordered": CallOrder(interface),
        "recent": traits.recent,
        "traits_of": traits,
        "padded_sizes": interface.padded_sizes,
        "alias_sets": alias_sets,
        "overlaps_itself": overlaps_itself,
        "expanded_dims": expanded_dims,
    }
    body = "".join(f"    {line}\n" for line in lines)
    (classify,) = defined(("classify",), f"def classify(values, keywords):\n{body}", known)
    return classify


def _unless(conditions: Iterable[str]) -> list[str]:
    """Lines that leave a call to ``arguments.bind`` unless all conditions hold."""
    found = [f"({condition})" for condition in conditions]
    return [f"if not ({' and '.join(found)}):", "    return values, None"] if found else []


def _read(place: int, ndim: int) -> list[str]:
    """Lines that read a tensor: pointer ``p``, sizes ``s``, strides ``t``, the number of elements
    ``n``, and from the first to the last ``r``; of the dims from each one on, ``r`` less 1.
    """
    sizes, strides = ([f"{name}{place}_{dim}" for dim in range(ndim)] for name in "st")
    reaches = [
        f"r{place}_{dim} = {_reach(place, dim + 1, ndim)} + {strides[dim]} * ({sizes[dim]} - 1)"
        for dim in reversed(range(ndim))
    ]
    return [
        f"p{place} = a{place}.data_ptr()",
        f"[{', '.join(sizes)}] = a{place}.shape",
        f"[{', '.join(strides)}] = a{place}.stride()",
        f"n{place} = {' * '.join(['1', *sizes])}",
        *reaches,
        f"r{place} = 1 + {_reach(place, 0, ndim)}",
    ]


def _reach(place: int, dim: int, ndim: int) -> str:
    """What the dims of a tensor from ``dim`` on span, less 1."""
    return f"r{place}_{dim}" if dim < ndim else "0"


def _class(place: int, ndim: int) -> list[str]:
    """Key entries that determine a tensor's part of the signature."""
    dims = [(f"s{place}_{dim}", f"t{place}_{dim}") for dim in range(ndim)]
    # Row-major tensors are told at once (see overlaps_itself).
    unusual = " or ".join(
        f"{stride} <= {_reach(place, dim + 1, ndim)} and {size} > 1"
        for dim, (size, stride) in enumerate(dims)
    )
    layout = f"(a{place}.shape, a{place}.stride())"
    repeated = f"({unusual}) and overlaps_itself{layout} and (True, *expanded_dims{layout})"
    return [
        f"p{place} & 15 == 0, {repeated if dims else 'False'}",
        *(
            f"{stride} == 1, d{place}[{size} & 15], d{place}[{stride} & 15]"
            for size, stride in dims
        ),
    ]


def _empties(interface: Interface) -> list[str]:
    """Key entries that say of which parameters no element exists."""
    key: list[str] = []
    for index, one in enumerate(interface.empties):
        sizes = {name: f"s{place}_{dim}" for name, place, dim in one.sizes}
        # Tensors without elements come not so far, and other keywords are in the key.
        if not sizes or one.needs_zero:
            continue
        named = ", ".join(f"{name!r}: {size}" for name, size in sizes.items())
        key += [*sizes.values()] if interface.constexprs else [f"empty{index}({{{named}}})"]
    return key


def _constants(interface: Interface) -> list[str]:
    """Key entries that determine constants and block sizes, beside other keywords."""
    sizes = {name: f"s{place}_{dim}" for name, place, dim in interface.sizes}
    if interface.constexprs:
        return [*sizes.values()]
    constants = [sizes[name] for name in interface.constexpr_sizes]
    if interface.dynamic:
        named = ", ".join(f"{name!r}: {size}" for name, size in sizes.items())
        constants.append(f"padded_sizes({{{named}}})")
    return constants
