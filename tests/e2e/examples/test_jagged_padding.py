"""Padding and unpadding of jagged tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
import torch

from examples import jagged_padding
from examples.runner import Draw
from ninetoothed.errors import ArgumentError
from tests.support import offline
from tests.support.examples import Place, load, places
from tests.support.targets import FEW_TARGETS

DTYPES = (torch.float16, torch.bfloat16, torch.float32)
# The sequences' lengths, and the features of a position.
SIZES = (((0, 1, 7, 33), 40), ((5,), 1), ((0, 0), 3), ((16, 16), 64))
LARGE = (((2048, 1, 0, 1025, 977), 1031),)


def jagged(draw: Draw, lengths: Sequence[int], features: int) -> torch.Tensor:
    offsets = torch.tensor([0, *lengths], device=draw.device).cumsum(0)
    return torch.nested.nested_tensor_from_jagged(draw(sum(lengths), features), offsets)


def padded(input: torch.Tensor, length: int, value: float) -> torch.Tensor:
    """What torch makes of the sequences, one by one."""
    rows = [
        torch.nn.functional.pad(row, (0, 0, 0, length - row.shape[0]), value=value)
        for row in input.unbind()
    ]
    return torch.stack(rows)


@places
@pytest.mark.parametrize(
    ("dtype", "strided"), [*((dtype, False) for dtype in DTYPES), (torch.float16, True)]
)
def test_pad_and_unpad(
    place: Place, dtype: torch.dtype, strided: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the length of the longest sequence, and to greater ones."""
    module = load("jagged_padding", place, monkeypatch)
    draw = Draw(place.device, dtype, strided)
    for lengths, features in SIZES + LARGE if place.is_gpu else SIZES:
        input = jagged(draw, lengths, features)
        for length in (max(lengths), max(lengths) + 50):
            output = module.pad(input, length)
            assert torch.equal(output, padded(input, length, 0.0))
            back = module.unpad(draw_around(draw, output, input), input)
            assert torch.equal(back.values(), input.values())
            assert torch.equal(back.offsets(), input.offsets())


def draw_around(draw: Draw, output: torch.Tensor, input: torch.Tensor) -> torch.Tensor:
    """``output`` with other numbers behind the sequences, which must be left out."""
    result = draw(*output.shape)
    for row, sequence in zip(result, input.unbind(), strict=True):
        row[: sequence.shape[0]] = sequence
    return result


@places
@pytest.mark.parametrize("value", [-1.5, -math.inf, math.nan])
def test_the_value_behind_the_sequences(
    place: Place, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    pad = load("jagged_padding", place, monkeypatch).pad
    input = jagged(Draw(place.device, torch.float32), (0, 1, 7, 33), 20)
    torch.testing.assert_close(
        pad(input, 40, value), padded(input, 40, value), rtol=0, atol=0, equal_nan=True
    )


@places
def test_without_sequences(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    module = load("jagged_padding", place, monkeypatch)
    input = jagged(Draw(place.device, torch.float32), (), 20)
    output = module.pad(input, 4)
    assert output.shape == (0, 4, 20)
    assert module.unpad(output, input).values().shape == (0, 20)


@places
def test_unpad_of_a_transposed_tensor_like_sequences_with_gaps(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpad = load("jagged_padding", place, monkeypatch).unpad
    dense = Draw(place.device, torch.float32)(6, 20, 3).permute(2, 1, 0)
    gaps = torch.nested.narrow(
        torch.zeros_like(dense, memory_format=torch.contiguous_format),
        1,
        torch.zeros(3, dtype=torch.int64, device=place.device),
        torch.tensor([4, 0, 20], device=place.device),
        layout=torch.jagged,
    )
    result = unpad(dense, gaps)
    for row, sequence, length in zip(dense, result.unbind(), (4, 0, 20), strict=True):
        assert torch.equal(sequence, row[:length])


@places
def test_a_length_that_is_too_small(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    module = load("jagged_padding", place, monkeypatch)
    draw = Draw(place.device, torch.float32)
    input = jagged(draw, (3, 7), 20)
    with pytest.raises(ValueError, match="a sequence of 7 does not fit into a length of 6"):
        module.pad(input, 6)
    with pytest.raises(ArgumentError, match=r"slicing of input .* they are \(7, 6\)"):
        module.unpad(draw(2, 6, 20), input)


@pytest.mark.parametrize("target", FEW_TARGETS)
def test_compiles(target: str) -> None:
    draw = Draw("cpu", torch.float16)
    sequences, dense = jagged(draw, (5, 7), 64), draw(2, 16, 64)
    offline.check(jagged_padding.pad_kernel(0.0), (sequences, dense), target)
    offline.check(jagged_padding.unpad_kernel, (dense, sequences), target)
