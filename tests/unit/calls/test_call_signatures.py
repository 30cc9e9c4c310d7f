"""What a call's signature has of its arguments, at the edges of each property."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from ninetoothed import Tensor
from ninetoothed.artifacts.signature import Signature
from ninetoothed.calls.arguments import (
    bind,
    index_bits,
)
from ninetoothed.calls.sequences import Jagged, Offsets
from ninetoothed.definition.define import define


def application(x: Any, n: Any) -> None:
    x = n  # pyright: ignore[reportUnusedVariable]


def signature(x: torch.Tensor, n: float = 1, dtype: str | None = None) -> Signature:
    declared = Tensor(x.dim())
    number = Tensor(0) if dtype is None else Tensor(0, dtype=dtype)
    arranged = [declared.tile((8,) * x.dim()), number]
    return bind(define("k", arranged, application).interface, (x, n), {}).signature


@pytest.mark.parametrize(("dtype", "least"), [("i8", -128), ("u8", 0), ("i32", -(2**31))])
def test_the_least_number_of_a_type(dtype: str, least: int) -> None:
    assert signature(torch.zeros(4), least, dtype).params[1].dtype == dtype


@pytest.mark.parametrize(
    ("shape", "strides", "bits"),
    [
        # The last element is what counts,
        ((3,), (2**30,), 64),
        ((2,), (2**30,), 32),
        ((2, 2), (2**30, 2**30), 64),
        # a stride that is never stepped is an argument,
        ((1,), (2**31,), 64),
        # and so is the size of what lies on one place.
        ((2**31,), (0,), 64),
    ],
)
def test_index_bits(shape: tuple[int, ...], strides: tuple[int, ...], bits: int) -> None:
    x = torch.empty_strided(shape, strides, device="meta")
    assert signature(x).index_bits == bits


@pytest.mark.parametrize(("count", "bits"), [(2, 32), (3, 64)])
def test_index_bits_of_sequences(count: int, bits: int) -> None:
    """What counts is where the last of all elements lies, not the longest sequence."""
    elements = torch.empty_strided((count,), (2**30,), device="meta")
    jagged = Jagged(elements, Offsets(torch.arange(count + 1)), 1, 1)
    assert index_bits([jagged]) == bits


def test_a_dim_of_one_element_repeats_nothing() -> None:
    memory = torch.zeros(4)
    assert not signature(memory.as_strided((1, 4), (0, 1))).params[0].repeated
    assert signature(memory.as_strided((2, 4), (0, 1))).params[0].repeated


@pytest.mark.parametrize(
    ("shape", "strides", "dims"),
    [
        ((2, 4), (0, 1), (0,)),
        ((2, 4), (0, 0), (0, 1)),
        ((2, 4), (4, 1), ()),
        # A dim of one element has any stride, and other overlaps are none of a whole dim.
        ((1, 4), (0, 1), ()),
        ((2, 1), (0, 0), (0,)),
        ((2, 3), (1, 1), ()),
    ],
)
def test_dims_of_one_place_in_memory(
    shape: tuple[int, ...], strides: tuple[int, ...], dims: tuple[int, ...]
) -> None:
    x = torch.zeros(8).as_strided(shape, strides)
    assert signature(x).params[0].expanded == dims
