"""Results of operators: tensors that an operator allocates, and its kernel writes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import torch

from ninetoothed.artifacts.interface import Parameter
from ninetoothed.dtype import DTYPES
from ninetoothed.errors import ArgumentError, counted, did_you_mean, shown


class Result(NamedTuple):
    """Result of an operator: the parameter of the kernel of the same name.

    ``like`` is the position of the input on whose device it is, and whose element type it has,
    unless ``dtype`` is declared; its shape it has, too, where no ``shape`` returns one, given the
    inputs that ``takes`` names with their positions.
    """

    name: str
    like: int
    dtype: torch.dtype | None = None
    shape: Callable[..., Any] | None = None
    takes: tuple[tuple[str, int], ...] = ()

    def allocate(self, inputs: Sequence[Any], is_whole: bool) -> torch.Tensor:
        """Allocate it; where the kernel does not write the whole of it, of zeros.

        Raises:
            ArgumentError: its function returns no shape.
        """
        like = inputs[self.like]
        if self.shape is None:
            if is_whole:
                return torch.empty_like(like, dtype=self.dtype)
            return torch.zeros_like(like, dtype=self.dtype)
        found: Any = self.shape(**{name: inputs[place] for name, place in self.takes})
        shape, dtype = found, self.dtype
        if isinstance(found, tuple) and found and isinstance(found[-1], torch.dtype):
            shape, dtype = cast("tuple[Any, torch.dtype]", (found[0], found[-1]))
        if not _is_shape(shape):
            raise ArgumentError(
                f"outputs: the function of {self.name} must return a shape, or a shape and an "
                f"element type of torch, not {shown(cast('object', found))}"
            )
        if is_whole:
            return like.new_empty(shape, dtype=dtype)
        return like.new_zeros(shape, dtype=dtype)


def _is_shape(value: Any) -> bool:
    if not isinstance(value, tuple | list):
        return False
    sizes = cast("Sequence[Any]", value)
    return all(isinstance(one, int | torch.SymInt) and not isinstance(one, bool) for one in sizes)


def results(
    name: str, outputs: Mapping[str, Any], tensors: Mapping[str, Parameter], inputs: Sequence[str]
) -> tuple[Result, ...]:
    """The results of the operator ``name`` with these ``inputs``; ``outputs``: of each, the input
    that it is like, or a function that returns its shape; ``tensors``: the kernel's.

    Raises:
        ArgumentError: they fit neither the kernel nor the inputs.
    """
    known = [one for one in inputs if one in tensors]
    if not known:
        raise ArgumentError(
            f"{name} takes no tensors besides its outputs, and by these torch finds where to run; "
            "leave outputs out, and pass tensors to write into"
        )
    return tuple(
        _result(name, tensors[one], rule, tensors, inputs, known) for one, rule in outputs.items()
    )


def _result(
    name: str,
    parameter: Parameter,
    rule: object,
    tensors: Mapping[str, Parameter],
    inputs: Sequence[str],
    known: Sequence[str],
) -> Result:
    declared = parameter.dtype
    dtype = None if declared is None else getattr(torch, DTYPES[declared].torch)
    if callable(rule):
        takes = _takes(parameter.name, rule, name, inputs)
        return Result(parameter.name, inputs.index(known[0]), dtype, rule, takes)
    if not isinstance(rule, str):
        raise ArgumentError(
            f"outputs: {parameter.name} must be like an input, as in "
            f"outputs={{{parameter.name!r}: {known[0]!r}}}, or be given a function that returns "
            f"its shape, not {shown(rule)}"
        )
    if rule not in known:
        near = did_you_mean(rule, known) or f"its inputs are {', '.join(known)}"
        raise ArgumentError(
            f"outputs: {parameter.name} is to be like {rule}, which is no input of {name} that is "
            f"a tensor; {near}"
        )
    if tensors[rule].ndim != parameter.ndim:
        raise ArgumentError(
            f"outputs: {parameter.name} has {counted(parameter.ndim, 'dim')}, and {rule}, which it "
            f"is to be like, has {tensors[rule].ndim}; give a function that returns its shape"
        )
    return Result(parameter.name, inputs.index(rule), dtype)


def _takes(
    output: str, function: Callable[..., Any], name: str, inputs: Sequence[str]
) -> tuple[tuple[str, int], ...]:
    try:
        wanted = [*inspect.signature(function).parameters]
    except (TypeError, ValueError):
        raise ArgumentError(
            f"outputs: {shown(function)} does not tell its parameters; write a Python function"
        ) from None
    for one in wanted:
        if one not in inputs:
            raise ArgumentError(
                f"outputs: the function of {output} takes {one}, which is no input of {name}; its "
                f"inputs are {', '.join(inputs)}"
            )
    return tuple((one, inputs.index(one)) for one in wanted)
