"""What the parameters of a backward kernel are, which their names say.

Of a kernel that computes z from x, ``z_gradient`` is the gradient of the result, which is given,
``x_gradient`` that of the input, which the backward kernel writes, and what has the name of a
parameter or a symbol is its value in the call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ninetoothed.artifacts.interface import Interface, Parameter
from ninetoothed.errors import ArgumentError, counted, did_you_mean

_SUFFIX = "_gradient"


class Roles(NamedTuple):
    """Names of a backward kernel's arguments.

    ``given`` and ``computed``: the gradients of results and of inputs, each with the name of what
    it is the gradient of. ``tensors`` and ``numbers``: values of the call.
    """

    given: Mapping[str, str]
    computed: Mapping[str, str]
    tensors: tuple[str, ...]
    numbers: tuple[str, ...]

    @property
    def shapes(self) -> tuple[str, ...]:
        """Names of the inputs of which only the shape is needed, to allocate gradients."""
        return tuple(one for one in self.computed.values() if one not in self.tensors)


def roles_of(name: str, forward: Interface, outputs: Sequence[str], backward: Interface) -> Roles:
    """The roles of the arguments of ``backward``, for the operator ``name`` of the kernel
    ``forward`` with these outputs.

    Raises:
        ArgumentError: a name says nothing, or what it says does not fit.
    """
    known = _arguments(forward)
    given: dict[str, str] = {}
    computed: dict[str, str] = {}
    values: list[str] = []
    for one, parameter in _arguments(backward).items():
        owner = one.removesuffix(_SUFFIX) if one.endswith(_SUFFIX) else ""
        if one in known and owner in known:
            raise ArgumentError(
                f"{name}: {one} may be the parameter of {forward.name}, or the gradient of "
                f"{owner}; rename that parameter"
            )
        if one in known:
            values.append(one)
            _check_like(name, one, parameter, one, known[one])
        elif owner in known:
            (given if owner in outputs else computed)[one] = owner
            _check_gradient(name, one, parameter, owner, known[owner])
        else:
            raise ArgumentError(_unknown(name, one, backward.name, known, outputs))
    _check_found(name, backward.name, given, outputs, "takes", "the gradient of a result")
    inputs = [one for one in known if one not in outputs and _is_tensor(known[one])]
    _check_found(name, backward.name, computed, inputs, "writes", "the gradient of an input")
    tensors = tuple(one for one in values if _is_tensor(known[one]))
    return Roles(given, computed, tensors, tuple(one for one in values if one not in tensors))


def missing_gradient(name: str, owner: str) -> ArgumentError:
    """The error where an input requires a gradient that the backward kernel does not write."""
    return ArgumentError(
        f"{name}: {owner} requires a gradient, and the backward kernel writes none of it; give "
        f"that a parameter {owner}{_SUFFIX}, which it writes, or pass {owner}.detach()"
    )


def _arguments(interface: Interface) -> dict[str, Parameter | None]:
    """The arguments of calls, by name; of a symbol, None."""
    return {one.name: one for one in interface.arguments} | dict.fromkeys(interface.keywords)


def _is_tensor(argument: Parameter | None) -> bool:
    return argument is not None and argument.kind == "tensor"


def _kind(argument: Parameter | None) -> str:
    if argument is None or argument.kind != "tensor":
        return "a number"
    return f"a tensor of {counted(argument.ndim, 'dim')}"


def _check_gradient(
    name: str, gradient: str, parameter: Parameter | None, owner: str, argument: Parameter | None
) -> None:
    """Check that an argument has a gradient, and that a parameter can be it.

    Raises:
        ArgumentError: it is not so.
    """
    if not _is_tensor(argument):
        raise ArgumentError(
            f"{name}: {gradient} is the gradient of {owner} by its name, and {owner} is a number, "
            f"which has none; leave {gradient} out, or rename it"
        )
    _check_like(name, gradient, parameter, owner, argument)


def _check_like(
    name: str, one: str, parameter: Parameter | None, owner: str, argument: Parameter | None
) -> None:
    """Check that a parameter of the backward kernel is of the kind of an argument.

    Raises:
        ArgumentError: it is not.
    """
    found, needed = _kind(parameter), _kind(argument)
    if found != needed:
        what = f"{one} is" if one == owner else f"{one} is the gradient of {owner}, and must be"
        raise ArgumentError(
            f"{name}: {what} {needed}, but {found} in the backward kernel; declare it there as "
            f"{owner} is declared"
        )


def _check_found(
    name: str, kernel: str, found: object, owners: Sequence[str], does: str, what: str
) -> None:
    """Check that a backward kernel has gradients.

    Raises:
        ArgumentError: it has none.
    """
    if not found:
        raise ArgumentError(
            f"{name}: {kernel} {does} no parameter that is {what} by its name; name it "
            f"{_listed(_gradients(owners), 'or')}"
        )


def _unknown(
    name: str,
    one: str,
    kernel: str,
    known: Mapping[str, Parameter | None],
    outputs: Sequence[str],
) -> str:
    """Message on a name that says nothing."""
    inputs = [other for other in known if other not in outputs and _is_tensor(known[other])]
    given, computed = _gradients(outputs), _gradients(inputs)
    near = did_you_mean(one, [*known, *given, *computed]) or "name it as what it is:"
    return (
        f"{name}: {kernel} takes {one}, and nothing has that name; {near} "
        f"{_listed([*known])} are values of the call, {_listed(given)} "
        f"{_are(given)} given, and {_listed(computed)} {_are(computed)} written"
    )


def _gradients(names: Iterable[str]) -> list[str]:
    return [f"{one}{_SUFFIX}" for one in names]


def _listed(names: Sequence[str], word: str = "and") -> str:
    return f" {word} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"
