"""Pictures of a kernel: which programs see which elements of its tensors, and what it takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, cast

from ninetoothed.artifacts.interface import Bounds, Interface, Parameter
from ninetoothed.calls.arguments import constant_value, constant_values, positional
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import ArgumentError, ArrangementError, counted, did_you_mean, shown
from ninetoothed.frontend.arrangement import check_constants
from ninetoothed.layout.chain import Chain
from ninetoothed.layout.evaluate import Binding, substituted
from ninetoothed.layout.jagged_dims import refuse_jagged
from ninetoothed.layout.programs_of_elements import program_count
from ninetoothed.pictures.scene import Arranged, Scene, programs_scene
from ninetoothed.symbol import Symbol

_ANY = Bounds(None, None)
"""What the compiler chooses is between bounds; what is drawn need not be."""


def kernel_scene(definition: Definition, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Scene:
    """The tensors of a kernel side by side, their elements by program (see ``Kernel.svg``).

    Raises:
        ArgumentError: shapes or block sizes that are missing, too many, or do not fit.
        ArrangementError: a tensor is jagged, or the arrangement is impossible with these sizes.
    """
    return programs_scene(definition.name, *arranged_tensors(definition, args, kwargs))


def arranged_tensors(
    definition: Definition, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[list[Arranged], int]:
    """The tensors of a kernel, arranged with the sizes of a call, and the number of programs.

    Raises:
        ArgumentError, ArrangementError: as :func:`kernel_scene`.
    """
    binding = _binding(definition, args, kwargs)
    tensors: dict[str, list[tuple[str, Chain]]] = {}
    chains: list[Chain] = []
    for one in definition.parameters:
        chain = substituted(Chain(one.source, one.ops, one.levels), binding)
        chains.append(chain)
        if one.kind == "tensor":
            tensors.setdefault(one.origin, []).append((one.name, chain))
    found: list[Arranged] = []
    for pairs in tensors.values():
        names, own = zip(*pairs, strict=True)
        found.append(Arranged(", ".join(names), own[0].source, own))
    return found, program_count(chains)


def _binding(definition: Definition, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Binding:
    """The values of all symbols.

    Raises:
        ArgumentError, ArrangementError: as :func:`kernel_scene`.
    """
    interface = definition.interface
    _check_keywords(interface, kwargs)
    missing = [name for name in interface.meta if name not in kwargs]
    if missing:
        raise ArgumentError(
            f"svg: {', '.join(missing)} {'has' if len(missing) == 1 else 'have'} no value, by "
            f"which {interface.name} is drawn; give "
            f"{'it' if len(missing) == 1 else 'them'} by keyword, as in "
            f"{', '.join(f'{name}=2' for name in missing)}"
        )
    # Numbers that programs are given are not drawn.
    numbers = [one.name for one in interface.parameters[len(args) :] if one.kind != "tensor"]
    others = {name: value for name, value in kwargs.items() if name not in interface.meta}
    given, rest = positional(interface, args, {**dict.fromkeys(numbers), **others})
    constants = dict(constant_values(interface, rest))
    check_constants(definition, constants)
    for name in interface.meta:
        constants[name] = constant_value(name, kwargs[name], _ANY)
    binding = Binding()
    for parameter, value in zip(definition.parameters, given, strict=True):
        if parameter.kind == "tensor":
            refuse_jagged(parameter.source)
            shape = {"shape": _shape(parameter.name, len(parameter.source.shape), value)}
            binding = binding.tensor(parameter.source, shape)
    for name, value in constants.items():
        binding = binding.symbol(Symbol(name), value)
    values: dict[str, int] = {}
    for name, expr in binding.values.items():
        if expr.value is None:
            raise ArgumentError(f"svg: {name} is given {expr}, which is no number; give one")
        values[name] = expr.value
    _check_decisions(definition, values)
    return binding


def _check_keywords(interface: Interface, given: Iterable[str]) -> None:
    """Check that keywords are those of parameters and symbols.

    Raises:
        ArgumentError: one is not.
    """
    known = [*interface.names, *interface.keywords, *interface.meta]
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known) or f"it takes {', '.join(known)}"
            raise ArgumentError(f"svg: {interface.name} has no argument {name}; {hint}")


def _shape(name: str, ndim: int, value: Any) -> tuple[object, ...]:
    """The shape that is given for a parameter, or that of a tensor.

    Raises:
        ArgumentError: it is none, or of another number of dims.
    """
    found: object = getattr(value, "shape", value)
    if not isinstance(found, tuple | list):
        raise ArgumentError(
            f"svg: {name} is given {shown(value)}; give its shape, as in "
            f"{name}={tuple(range(4, 4 + ndim))}, or a tensor"
        )
    return tuple(cast("Sequence[object]", found))


def _check_decisions(definition: Definition, values: Mapping[str, int]) -> None:
    """Check that the arrangement is the one for these sizes.

    Raises:
        ArrangementError: it decided a condition otherwise.
    """
    for decision in definition.size_decisions:
        if not decision.holds(values):
            raise ArrangementError(
                f"the arrangement took {decision.condition} to be {decision.answer} by the bounds "
                "of its symbols, which does not hold for these sizes; give others",
                decision.loc,
            )


def kernel_html(interface: Interface) -> str:
    """HTML of what a kernel takes: a line for it, and one for each parameter and symbol."""
    items = "".join(f"<li>{item}</li>" for item in _items(interface))
    call = escape(f"{interface.name}({', '.join(interface.names)})")
    return f"<div>kernel <code>{call}</code><ul>{items}</ul></div>"


def _items(interface: Interface) -> Iterator[str]:
    for one in interface.parameters:
        yield f"<code>{escape(one.name)}</code>: {_kind(one)}"
    for name in interface.keywords:
        yield f"<code>{escape(name)}</code>: an integer, by keyword"
    for name in interface.meta:
        yield f"<code>{escape(name)}</code>: chosen by the compiler"


def _kind(parameter: Parameter) -> str:
    words = {"tensor": "a tensor", "scalar": "a number", "constexpr": "a constant"}
    kind = words[parameter.kind]
    if parameter.kind == "tensor":
        kind = f"{kind} of {counted(parameter.ndim, 'dim')}"
    if parameter.jagged_dim is not None:
        kind = f"{kind}, jagged along dim {parameter.jagged_dim}"
    return kind if parameter.dtype is None else f"{kind}, {parameter.dtype}"
