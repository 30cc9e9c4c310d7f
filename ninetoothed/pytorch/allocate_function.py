"""The function that allocates the outputs of calls of a class, generated: it runs at every call.

It takes what a call gives, and reads the sizes that shapes need. torch's compiler traces it.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, NoReturn, cast

from ninetoothed import dtype as dtypes
from ninetoothed.artifacts.interface import Interface
from ninetoothed.calls.generated import defined
from ninetoothed.calls.numbers import shown_value
from ninetoothed.definition.outputs import Output, Outputs
from ninetoothed.errors import ArgumentError, counted, shown

Allocate = Callable[..., tuple[Any, ...]]
Said = tuple[tuple[Any, ...], Any]
"""A shape, and an element type of torch's."""


def allocate_function(
    interface: Interface,
    outputs: Outputs,
    types: Sequence[str | ArgumentError],
    full: Collection[str],
) -> Allocate:
    """A function of the inputs, each tensor once, and the values of keywords, which allocates.

    ``types``: the element type of each output; an error, where its function must return it.
    ``full``: the names of outputs of which every element is written, and none is read, where all
    outermost levels have one shape.
    """
    torch: Any = importlib.import_module("torch")
    hidden = {output.position for output in outputs.each}
    inputs = [place for place in interface.firsts if place not in hidden]
    named = {interface.names[place]: f"a{place}" for place in inputs}
    named |= {name: f"c{number}" for number, name in enumerate(interface.keywords)}
    known: dict[str, Any] = {
        "empty_like": torch.empty_like,
        "zeros_like": torch.zeros_like,
        "empty_like_each": _empty_like_each,
        "zeros_like_each": _zeros_like_each,
    }
    for output, dtype in zip(outputs.each, types, strict=True):
        if isinstance(dtype, str):
            dtype = getattr(torch, dtypes.DTYPES[dtype].torch)
        known[f"dtype{output.position}"] = dtype
    condition = _condition(outputs) if {*full} & {one.name for one in outputs.each} else "False"
    texts = [condition, *(size for output in outputs.each for size in output.shape or ())]
    used = {int(number) for text in texts for number in re.findall(r"\bs(\d+)\b", text)}
    sizes = [(number, *outputs.sizes[number]) for number in sorted(used)]
    maker = _maker(interface, inputs)
    lines = [
        *(f"s{size} = a{place}.shape[{dim}]" for size, place, dim in sizes if place in inputs),
        *_said_lines(outputs, named, known),
        *(f"s{size} = shape{place}[{dim}]" for size, place, dim in sizes if place in hidden),
    ]
    if condition not in ("True", "False"):
        lines.append(f"is_full = {condition}")
        condition = "is_full"
    made = [
        _made(output, interface, maker, condition if output.name in full else "False")
        for output in outputs.each
    ]
    lines.append(f"return {', '.join(made)},")
    text = "".join(f"    {line}\n" for line in lines)
    text = f"def allocate({', '.join(named.values())}):\n{text}"
    (allocate,) = defined(("allocate",), text, known)
    return allocate


def _condition(outputs: Outputs) -> str:
    """Source of the condition under which all outermost levels have one shape."""
    if outputs.conditions is None:
        return "False"
    pairs = [f"{one} == {other}" for one, other in outputs.conditions]
    return " and ".join(pairs) or "True"


def _maker(interface: Interface, inputs: Sequence[int]) -> str:
    """Source of the tensor whose device and class new ones get: a dense one, if there is one."""
    tensors = [place for place in inputs if interface.parameters[place].kind == "tensor"]
    dense = [place for place in tensors if interface.parameters[place].jagged_dim is None]
    return f"a{dense[0]}" if dense else f"a{tensors[0]}.values()"


def _made(output: Output, interface: Interface, maker: str, condition: str) -> str:
    """Source of an output: memory is left as it is where the condition says so."""
    place = output.position
    empty, zeros = f"{maker}.new_empty", f"{maker}.new_zeros"
    sizes = ", ".join(output.shape or ())
    given = f"shape{place}" if output.shape is None else f"({sizes},)" if sizes else "()"
    if output.like is not None:
        empty, zeros, shape, given = "empty_like", "zeros_like", given, f"a{output.like}"
        if output.batches:
            behind = interface.parameters[output.like].ndim - (output.ndim - output.batches)
            empty, zeros = "empty_like_each", "zeros_like_each"
            given = f"{given}, {behind}, {shape}"
    function = {"True": empty, "False": zeros}.get(condition, f"({empty} if is_full else {zeros})")
    return f"{function}({given}, dtype=dtype{place})"


def _empty_like_each(tensor: Any, behind: int, shape: Sequence[int], *, dtype: Any) -> Any:
    """An output of ``shape`` of a batch of calls, whose dims come first: each call has a part of
    the layout that ``torch.empty_like`` gives it, for what is behind so many dims of ``tensor``.
    """
    import torch

    if 0 in tensor.shape[:behind]:
        return tensor.new_empty(shape, dtype=dtype)
    # On the device meta, dims of size 1 have other strides.
    one = torch.empty_like(tensor[(0,) * behind])
    strides = list(one.stride())
    step = one.numel()
    for size in reversed(shape[: len(shape) - one.ndim]):
        strides.insert(0, step)
        step *= size
    return tensor.new_empty_strided(shape, strides, dtype=dtype)


def _zeros_like_each(tensor: Any, behind: int, shape: Sequence[int], *, dtype: Any) -> Any:
    """As :func:`_empty_like_each`, of zeros."""
    return _empty_like_each(tensor, behind, shape, dtype=dtype).zero_()


def _said_lines(outputs: Outputs, named: dict[str, str], known: dict[str, Any]) -> list[str]:
    """Lines that call the functions of outputs, which are added to ``known``."""
    lines: list[str] = []
    of_functions = [output for output in outputs.each if output.function is not None]
    groups = [of_functions] if outputs.is_shared else [[output] for output in of_functions]
    for group in groups:
        place = group[0].position
        defaults = [known[f"dtype{output.position}"] for output in group]
        known[f"function{place}"] = group[0].function
        known[f"said{place}"] = functools.partial(_said, group, defaults)
        given = ", ".join(f"{name}={named[name]}" for name in group[0].takes)
        results = ", ".join(f"(shape{one.position}, dtype{one.position})" for one in group)
        lines.append(f"{results}, = said{place}(function{place}({given}))")
    return lines


def _said(group: Sequence[Output], defaults: Sequence[Any], result: Any) -> list[Said]:
    """What a function said of outputs: of one, or of several.

    Raises:
        ArgumentError: it is something else.
    """
    results = (result,) if len(group) == 1 else result
    if not isinstance(results, tuple | list) or len(cast("Any", results)) != len(group):
        names = ", ".join([output.name for output in group])
        refuse(
            f"outputs: the function must return a tuple of {len(group)} shapes, those of {names}, "
            f"not {_shown(result)}"
        )
    found = zip(group, defaults, cast("Sequence[Any]", results), strict=True)
    return [_said_of_one(*one) for one in found]


def _said_of_one(output: Output, default: Any, result: Any) -> Said:
    """What a function said of an output: a shape, or a shape and an element type.

    Raises:
        ArgumentError: it is something else, or leaves out an element type that nothing tells.
    """
    import torch

    shape, dtype = result, default
    if isinstance(result, tuple | list) and len(cast("Any", result)) == 2:
        first, second = cast("Sequence[Any]", result)
        if isinstance(first, tuple | list):
            shape, dtype = cast("Any", first), second
    if (
        not isinstance(shape, tuple | list)
        or len(cast("Any", shape)) != output.ndim
        or not all([_is_size(size) for size in cast("Sequence[Any]", shape)])
    ):
        refuse(
            f"outputs: the function of {output.name} must return its shape, a tuple of "
            f"{counted(output.ndim, 'size')}, or (shape, dtype), not {_shown(result)}"
        )
    if isinstance(dtype, ArgumentError):
        refuse(dtype.message)
    if not isinstance(dtype, torch.dtype):
        name = dtypes.lookup(dtype)
        if name is None:
            refuse(
                f"outputs: the function of {output.name} must return an element type behind the "
                f"shape, such as torch.float32, not {_shown(dtype)}"
            )
        dtype = getattr(torch, dtypes.DTYPES[name].torch)
    return tuple(cast("Sequence[Any]", shape)), dtype


def refuse(message: str) -> NoReturn:
    """Refuse a wrong call, while torch's compiler traces it, too.

    Raises:
        ArgumentError: always.
    """
    import torch

    if torch.compiler.is_dynamo_compiling():
        from ninetoothed.pytorch import refusal

        refusal.refuse(message)
    raise ArgumentError(message)


def _is_size(value: Any) -> bool:
    import torch

    if isinstance(value, bool):
        return False
    return isinstance(value, torch.SymInt) or (isinstance(value, int) and value >= 0)


def _shown(value: Any) -> str:
    return shown(cast("object", value)) if isinstance(value, tuple | list) else shown_value(value)
