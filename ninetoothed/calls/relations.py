"""Relations between a call's sizes and strides, as values and as Python source for many calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ninetoothed.artifacts.interface import Extent, Interface


def equal_pairs(interface: Interface, values: Sequence[Any]) -> tuple[tuple[str, str], ...]:
    """The pairs of sizes and strides that are equal (``Signature.equal``), of each fact all or
    none.
    """
    return tuple(
        (one.name, two.name)
        for fact in interface.equals
        if all(_read(one, values) == _read(two, values) for one, two in fact)
        for one, two in fact
    )


def _read(extent: Extent, values: Sequence[Any]) -> int:
    value = values[extent.position]
    return (value.stride() if extent.is_stride else value.shape)[extent.dim]


def equal_source(interface: Interface) -> list[str]:
    """An expression a fact that is true where it holds; ``s0_1`` is the size of parameter 0, dim 1,
    and ``t0_1`` its stride.
    """
    return [
        " and ".join(f"{_name(one)} == {_name(two)}" for one, two in fact)
        for fact in interface.equals
    ]


def _name(extent: Extent) -> str:
    return f"{'t' if extent.is_stride else 's'}{extent.position}_{extent.dim}"


def contiguous_from(shape: Sequence[int], strides: Sequence[int]) -> int | None:
    """The first dim from which on strides are products of sizes (``ParamSignature.contiguous``).

    Exactly: a dim of one element may have any stride, which would stand for another number.
    """
    first, step = len(shape), 1
    while first and strides[first - 1] == step:
        first -= 1
        step *= shape[first]
    return first if len(shape) - first > 1 else None


def contiguous_source(place: int, ndim: int) -> str:
    """An expression of the first such dim of a parameter; ``t0_1`` is the stride of parameter 0,
    dim 1.
    """
    text, steps = "0", ["1"]
    steps += [f"s{place}_{dim}" for dim in reversed(range(1, ndim))]
    for dim in range(ndim):
        product = " * ".join(steps[: ndim - dim])
        text = f"{text} if t{place}_{dim} == {product} else {dim + 1}"
        text = f"({text})"
    return text
