"""Simulation of an arrangement of concrete sizes: which elements every program sees.

Nothing is compiled, and no application is needed. ``debugging`` and ``visualization`` show what is
found here.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ninetoothed.definition.define import checked_tensors, run_arrangement
from ninetoothed.errors import ArgumentError, ArrangementError, caller_loc
from ninetoothed.layout.evaluate import Binding, offsets
from ninetoothed.layout.meta_op import shape_text
from ninetoothed.symbolic.expr import IndexExpr, evaluate, symbols
from ninetoothed.tensor import Tensor

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True)
class Simulation:
    """Programs of an arrangement and what they see.

    ``sources`` are the given symbolic tensors, and ``names`` what the arrangement calls them.
    ``arranged`` are the tensors that it returned, and ``targets`` what every program sees of each:
    row-major numbers of the source's elements, of shape ``(programs, *inner)``, -1 where there is
    none.
    """

    programs: int
    sources: tuple[Tensor, ...]
    names: tuple[str, ...]
    arranged: tuple[Tensor, ...]
    targets: tuple[npt.NDArray[np.int64], ...]


def simulate(
    arrangement: Callable[..., object], tensors: object, most: int | None = None
) -> Simulation:
    """Run ``arrangement`` on ``tensors`` of concrete sizes and evaluate what it returns.

    ``most`` limits the numbers that one tensor's programs see together.

    Raises:
        ArgumentError: ``tensors`` is not several objects, or holds tensors of data.
        ArrangementError: what :func:`run_arrangement` refuses; a size or a block size has no
            number; a tensor is jagged; there are too many numbers.
    """
    if isinstance(tensors, Iterable) and not isinstance(tensors, Tensor):
        tensors = tuple(cast("Iterable[object]", tensors))
        for position, tensor in enumerate(tensors):
            _check_given(f"tensors[{position}]", tensor)
    arranged = checked_tensors(run_arrangement(arrangement, tensors).tensors)
    if not arranged:
        raise ArrangementError("the arrangement returned no tensors; return those that it arranged")
    for tensor in arranged:
        _refuse_jagged(tensor)
        _check_numbers(arrangement, tensor)
        count = math.prod(size for level in level_sizes(tensor) for size in level)
        if most is not None and count > most:
            raise ArrangementError(
                f"the programs see {count} elements of {tensor.name}, and {most} can be shown; "
                "give smaller sizes"
            )
    found = [(tensor, offsets(tensor.chain, Binding())) for tensor in arranged]
    grids = [_outermost(tensor, numbers) for tensor, numbers in found if not _is_scalar(tensor)]
    programs = grids[0] if grids else 1
    targets = tuple(_seen(tensor, numbers, programs) for tensor, numbers in found)
    names = _names(arrangement, cast("tuple[object, ...]", tensors))
    sources = tuple(name[1] for name in names)
    return Simulation(programs, sources, tuple(name[0] for name in names), arranged, targets)


def level_sizes(tensor: Tensor) -> list[list[int]]:
    """The sizes of all levels of a tensor of concrete sizes; a count below zero is none."""
    return [[max(evaluate(size, {}), 0) for size in level] for level in tensor.chain.levels]


def check_concrete(tensor: Tensor) -> None:
    """Check that every size of ``tensor`` is a number.

    Raises:
        ArrangementError: one is not, or the tensor is jagged.
    """
    _refuse_jagged(tensor)
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
        _refuse_jagged(given)
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


def _refuse_jagged(tensor: Tensor) -> None:
    if tensor.chain.source.jagged_dim is not None:
        raise ArrangementError(
            f"{tensor.name} is jagged, and what a program sees of it depends on the lengths of its "
            "sequences; take one sequence, a tensor of a concrete shape",
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


def _is_scalar(tensor: Tensor) -> bool:
    """True for a number, which all programs see: a tensor of no dims, not arranged."""
    return not tensor.chain.source.shape and not tensor.chain.ops


def _outermost(tensor: Tensor, numbers: npt.NDArray[np.int64]) -> int:
    return math.prod(numbers.shape[: len(tensor.chain.levels[0])])


def _seen(tensor: Tensor, numbers: npt.NDArray[np.int64], programs: int) -> npt.NDArray[np.int64]:
    """Program p sees element p, row-major, of the outermost level; behind the last: nothing."""
    import numpy as np

    if _is_scalar(tensor):
        return np.zeros((programs,), np.int64)
    count = _outermost(tensor, numbers)
    inner = numbers.shape[len(tensor.chain.levels[0]) :]
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
