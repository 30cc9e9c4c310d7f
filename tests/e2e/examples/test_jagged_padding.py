"""Padding and unpadding of jagged tensors."""

from __future__ import annotations

import math

import pytest
import torch

from examples import jagged_padding
from examples.runner import Draw
from ninetoothed.errors import ArgumentError
from tests.support.examples import Load, Place, kinds

# The sequences' lengths, and the features of a position.
SIZES = (((0, 1, 7, 33), 40), ((5,), 1), ((0, 0), 3), ((16, 16), 64))
LARGE = (((2048, 1, 0, 1025, 977), 1031),)


def padded(input: torch.Tensor, length: int, value: float) -> torch.Tensor:
    """Torch's result of the sequences, one by one."""
    rows = [
        torch.nn.functional.pad(row, (0, 0, 0, length - row.shape[0]), value=value)
        for row in input.unbind()
    ]
    return torch.stack(rows)


@kinds
def test_pad_and_unpad(place: Place, load: Load, draw: Draw) -> None:
    """To the length of the longest sequence, and to greater ones."""
    module = load("jagged_padding")
    for lengths, features in SIZES + LARGE if place.is_gpu else SIZES:
        input = draw.jagged(lengths, features)
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


def test_the_value_behind_the_sequences(load: Load, draw: Draw) -> None:
    pad = load("jagged_padding").pad
    input = draw.jagged((0, 1, 7, 33), 20)
    for value in (-1.5, -math.inf, math.nan):
        torch.testing.assert_close(
            pad(input, 40, value), padded(input, 40, value), rtol=0, atol=0, equal_nan=True
        )


def test_the_longest_length_is_carried_on() -> None:
    """So that no call waits for a GPU to look it up."""
    input = Draw("cpu", torch.float32).jagged((3, 7), 20)
    output = jagged_padding.unpad(jagged_padding.pad(input, 9), input)
    assert output._maybe_max_seqlen == input._maybe_max_seqlen == 7


def test_dense_tensors_are_refused() -> None:
    dense = torch.zeros(2, 3, 4)
    with pytest.raises(ValueError, match=r"input must be a torch\.nested tensor"):
        jagged_padding.pad(dense, 5)
    with pytest.raises(ValueError, match=r"jagged_like must be a torch\.nested tensor"):
        jagged_padding.unpad(dense, dense)


def test_without_sequences(load: Load, draw: Draw) -> None:
    module = load("jagged_padding")
    input = draw.jagged((), 20)
    output = module.pad(input, 4)
    assert output.shape == (0, 4, 20)
    assert module.unpad(output, input).values().shape == (0, 20)


def test_unpad_of_a_transposed_tensor_like_sequences_with_gaps(
    place: Place, load: Load, draw: Draw
) -> None:
    unpad = load("jagged_padding").unpad
    dense = draw(6, 20, 3).permute(2, 1, 0)
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


def test_a_length_that_is_too_small(load: Load, draw: Draw) -> None:
    module = load("jagged_padding")
    input = draw.jagged((3, 7), 20)
    with pytest.raises(ValueError, match="a sequence of 7 does not fit into a length of 6"):
        module.pad(input, 6)
    with pytest.raises(ArgumentError, match=r"slicing of input .* they are \(7, 6\)"):
        module.unpad(draw(2, 6, 20), input)
