"""Relations between a call's sizes and strides, as values and as Python source for many calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ninetoothed.artifacts.interface import Interface


def equal_pairs(interface: Interface, values: Sequence[Any]) -> tuple[tuple[str, str], ...]:
    """The pairs of sizes that are equal (``Signature.equal``), of each fact all or none."""
    return tuple(
        (one, two)
        for fact in interface.equals
        if all(
            values[place].shape[dim] == values[other].shape[other_dim]
            for (_, place, dim), (_, other, other_dim) in fact
        )
        for (one, _, _), (two, _, _) in fact
    )


def equal_source(interface: Interface) -> list[str]:
    """An expression a fact that is true where it holds; ``s0_1`` is the size of parameter 0, dim
    1.
    """
    return [
        " and ".join(
            f"s{place}_{dim} == s{other}_{other_dim}"
            for (_, place, dim), (_, other, other_dim) in fact
        )
        for fact in interface.equals
    ]


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
