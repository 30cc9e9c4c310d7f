"""Simulation of an arrangement of concrete sizes: which elements every program sees.

Nothing is compiled, and no application is needed. ``debugging`` and ``visualization`` show what is
found here.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from ninetoothed.definition.define import checked_tensors, run_arrangement
from ninetoothed.errors import ArgumentError, ArrangementError, caller_loc
from ninetoothed.layout.chain import Chain
from ninetoothed.layout.evaluate import Binding, offsets
from ninetoothed.layout.jagged_dims import refuse_jagged
from ninetoothed.layout.meta_op import shape_text
from ninetoothed.layout.programs_of_elements import is_scalar, program_count
from ninetoothed.symbolic.expr import IndexExpr, symbols
from ninetoothed.tensor import Tensor

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True)
class Simulation:
    """Programs of an arrangement and what they see.

    ``sources`` are the given symbolic tensors, and ``names`` what the arrangement calls them.
    ``arranged`` are the tensors that it returned.
    """

    programs: int
    sources: tuple[Tensor, ...]
    names: tuple[str, ...]
    arranged: tuple[Tensor, ...]

    @cached_property
    def targets(self) -> tuple[npt.NDArray[np.int64], ...]:
        """What every program sees of each arranged tensor: row-major numbers of the source's
        elements, of shape ``(programs, *inner)``, -1 where there is none.

        Raises:
            ArrangementError: there are too many.
        """
        return tuple(_seen(tensor.chain, self.programs) for tensor in self.arranged)


def simulate(arrangement: Callable[..., object], tensors: object) -> Simulation:
    """Run ``arrangement`` on ``tensors`` of concrete sizes.

    Raises:
        ArgumentError: ``tensors`` is not several objects, or holds tensors of data.
        ArrangementError: what :func:`run_arrangement` refuses; a size or a block size has no
            number; or a tensor is jagged.
    """
    if isinstance(tensors, Iterable) and not isinstance(tensors, Tensor):
        tensors = tuple(cast("Iterable[object]", tensors))
        for position, tensor in enumerate(tensors):
            _check_given(f"tensors[{position}]", tensor)
    arranged = checked_tensors(run_arrangement(arrangement, tensors).tensors)
    if not arranged:
        raise ArrangementError("the arrangement returned no tensors; return those that it arranged")
    for tensor in arranged:
        refuse_jagged(tensor.chain.source)
        _check_numbers(arrangement, tensor)
    programs = program_count(tensor.chain for tensor in arranged)
    names = _names(arrangement, cast("tuple[object, ...]", tensors))
    sources = tuple(name[1] for name in names)
    return Simulation(programs, sources, tuple(name[0] for name in names), arranged)


def check_concrete(tensor: Tensor) -> None:
    """Check that every size of ``tensor`` is a number.

    Raises:
        ArrangementError: one is not, or the tensor is jagged.
    """
    refuse_jagged(tensor.chain.source)
    _check_sizes(tensor.name, tensor)
    left = list(symbols(*tensor.chain.expressions))
    if left:
        raise ArrangementError(
            f"{_described(left[0])} of {tensor.name} has no number; write one in its place, as in "
            "t.tile((2,)), or give it one, as in t.subs({BLOCK_SIZE: 2})",
            caller_loc(),
        )


def _check_given(what: str, given: object) -> None:
    """Check one of the objects that the arrangement takes."""
    if isinstance(given, Tensor):
        refuse_jagged(given.chain.source)
        _check_sizes(what, given)
    elif hasattr(given, "data_ptr") or hasattr(given, "__array_interface__"):
        shape = shape_text(tuple(cast("Any", given).shape))
        raise ArgumentError(
            f"{what} holds data, and an arrangement is of symbolic tensors; write "
            f"Tensor(shape={shape})"
        )


def _check_sizes(what: str, tensor: Tensor) -> None:
    source = tensor.chain.source
    if any(size.symbols for size in source.shape):
        raise ArrangementError(
            f"{what} has the shape {shape_text(source.shape)}, and its elements cannot be numbered "
            f"without sizes; give it numbers, as in "
            f"Tensor(shape={shape_text(tuple(range(4, 4 + len(source.shape))))})",
            caller_loc(),
        )


def _check_numbers(arrangement: Callable[..., object], tensor: Tensor) -> None:
    """Check that an arranged tensor has numbers only.

    Raises:
        ArrangementError: a symbol is left; the message says where its number can be given.
    """
    left = list(symbols(*tensor.chain.expressions))
    if not left:
        return
    name = getattr(arrangement, "__name__", "arrangement")
    for parameter in inspect.signature(arrangement).parameters.values():
        default = parameter.default
        expr = getattr(default, "expr", None)
        if isinstance(expr, IndexExpr) and not set(left).isdisjoint(expr.symbols):
            remedy = f"give the arrangement one: functools.partial({name}, {parameter.name}=2)"
            break
    else:
        remedy = "write one in its place, as in t.tile((2,))"
    raise ArrangementError(
        f"{_described(left[0])} has no number, so what a program sees is not known; {remedy}"
    )


def _described(symbol: IndexExpr) -> str:
    name, info = symbol.args
    return "a block_size()" if info is not None and info.anonymous else f"the symbol {name}"


def _seen(chain: Chain, programs: int) -> npt.NDArray[np.int64]:
    """Program p sees element p, row-major, of the outermost level; behind the last: nothing."""
    import numpy as np

    if is_scalar(chain):
        return np.zeros((programs,), np.int64)
    numbers = offsets(chain, Binding())
    outermost = len(chain.levels[0])
    count, inner = math.prod(numbers.shape[:outermost]), numbers.shape[outermost:]
    found = np.full((programs, *inner), -1, np.int64)
    shared = min(count, programs)
    found[:shared] = numbers.reshape((count, *inner))[:shared]
    return found


def _names(
    arrangement: Callable[..., object], tensors: tuple[object, ...]
) -> list[tuple[str, Tensor]]:
    """The symbolic tensors with the names of the arrangement's parameters; those of ``*tensors``
    keep their own.
    """
    signature = inspect.signature(arrangement)
    bound = signature.bind(*tensors).arguments
    names: list[str | None] = []
    for name, value in bound.items():
        several = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
        names += [None] * len(value) if several else [name]
    return [
        (tensor.name if name is None else name, tensor)
        for name, tensor in zip(names, tensors, strict=True)
        if isinstance(tensor, Tensor)
    ]
