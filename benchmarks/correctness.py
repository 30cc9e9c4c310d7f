"""Whether a provider computes an operation: its results against the reference in float64.

A provider is called until its results lie where results of it have lain before, mostly twice. In
between, their memory is filled with NaN, or with the largest integer, and given back: torch's
allocator hands it out again, so that an element that is not written shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from benchmarks.operation import Call, Operation
from examples.runner import relative_error, results, tolerance_of

_TRIES = 4


class WrongResultError(Exception):
    """A provider's results are not those of the reference."""


def checked(call: Call, inputs: Sequence[Any], expected: Any, operation: Operation) -> float:
    """The largest relative error of what ``call`` computes from poisoned memory.

    Raises:
        WrongResultError: a result differs by more than rounding explains.
    """
    poisoned: set[int] = set()
    value = call()
    for _ in range(_TRIES):
        poison(value, inputs)
        poisoned |= _places(value, inputs)
        # Not before the next call: its results are to get this memory.
        del value
        value = call()
        if _places(value, inputs) <= poisoned:
            break
    if operation.compared is not None:
        value = operation.compared(value, *inputs)
    return compare(value, expected, operation.tolerance)


def poison(value: Any, inputs: Sequence[Any]) -> None:
    """Fills the memory of the results ``value`` that no input shares."""
    places = _places(value, inputs)
    for result in results(value):
        if _storage(result) not in places:
            continue
        elements = _elements(result)
        whole = torch.empty(0, dtype=elements.dtype, device=elements.device)
        # The whole allocation: the elements of a view lie apart in it.
        whole.set_(elements.untyped_storage())  # pyright: ignore[reportArgumentType]
        _fill(whole)


def _fill(tensor: torch.Tensor) -> None:
    dtype = tensor.dtype
    if dtype.is_floating_point and dtype.itemsize > 1:
        tensor.fill_(torch.nan)
    elif dtype.is_floating_point or dtype is torch.bool:
        # Not every small element type can be filled; all bits set are a NaN of those with 8 bits.
        tensor.view(torch.uint8).fill_(0xFF if dtype.is_floating_point else 1)
    else:
        tensor.fill_(torch.iinfo(dtype).max)


def compare(value: Any, expected: Any, tolerance: float) -> float:
    """The largest relative error of the results ``value``.

    Raises:
        WrongResultError: a result differs by more than rounding explains, times ``tolerance``.
    """
    found, wanted = results(value), results(expected)
    if len(found) != len(wanted):
        raise WrongResultError(f"{len(found)} results, not {len(wanted)}")
    errors: list[float] = []
    for position, (result, one) in enumerate(zip(found, wanted, strict=True)):
        name = f"result {position}" if len(found) > 1 else "the result"
        try:
            error = relative_error(*_comparable(result, one))
        except ValueError as mismatch:
            raise WrongResultError(f"{name}: {mismatch}") from mismatch
        allowed = tolerance * tolerance_of(result)
        # Written so that NaN is wrong.
        if not error <= allowed:
            raise WrongResultError(
                f"{name} differs from torch in float64: error {error:.1e}, at most {allowed:.1e}"
            )
        errors.append(error)
    return max(errors, default=0.0)


def _comparable(result: torch.Tensor, expected: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Both as plain tensors; sequences of different lengths one after the other."""
    if result.is_nested != expected.is_nested:
        kinds = {True: "a nested tensor", False: "no nested tensor"}
        raise ValueError(f"it is {kinds[result.is_nested]}")
    if not result.is_nested:
        return result, expected
    if not torch.equal(_offsets(result), _offsets(expected)):
        raise ValueError("its sequences have other lengths")
    return result.values(), expected.values()


def _offsets(tensor: Any) -> torch.Tensor:
    """Where the sequences of a jagged tensor begin and end."""
    offsets: torch.Tensor = tensor.offsets()
    return offsets.cpu()


def _elements(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.values() if tensor.is_nested else tensor


def _places(value: Any, inputs: Sequence[Any]) -> set[int]:
    """Where the results ``value`` lie that share no memory with an input."""
    kept = {_storage(tensor) for tensor in inputs if isinstance(tensor, torch.Tensor)}
    return {_storage(result) for result in results(value)} - kept


def _storage(tensor: torch.Tensor) -> int:
    return _elements(tensor).untyped_storage().data_ptr()
