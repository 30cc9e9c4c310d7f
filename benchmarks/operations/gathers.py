"""Rows brought from one place to another: embeddings and jagged tensors."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch.nested._internal.nested_tensor import nested_from_padded

from benchmarks.operation import Operation, Work, by_hand, bytes_of
from benchmarks.sequences import sequences
from examples import embedding, jagged_padding
from examples.runner import Draw

EMBEDDING_SIZES = {
    "small": (1024, 32000, 1024),
    "medium": (8192, 32000, 4096),
    "large": (65536, 128256, 4096),
    "ragged": (8191, 50257, 769),
}
"""Tokens, words and the numbers of each."""
JAGGED_SIZES = {
    "small": (8, 128, 256),
    "medium": (64, 512, 1024),
    "large": (256, 2048, 512),
    "ragged": (37, 509, 769),
}
"""Sequences, the length they are padded to, and the numbers of a position."""


def _embedding_inputs(draw: Draw, tokens: int, words: int, dim: int) -> tuple[torch.Tensor, ...]:
    return draw.integers(words, tokens), draw(words, dim)


def _embedding_work(index: torch.Tensor, weight: torch.Tensor) -> Work:
    # A row is read once, however often it is written.
    rows = index.unique().numel() + index.numel()
    return Work(bytes_of(index) + rows * bytes_of(weight[0]))


def _pad_inputs(draw: Draw, batch: int, length: int, dim: int) -> tuple[torch.Tensor, int]:
    return sequences(draw, batch, length, dim), length


def _to_padded_tensor(input: torch.Tensor, length: int) -> torch.Tensor:
    size = (input.shape[0], length, input.shape[2])
    return torch.nested.to_padded_tensor(input, 0.0, size)


def _pad_work(input: torch.Tensor, length: int) -> Work:
    values, offsets = input.values(), input.offsets()
    padded = (offsets.numel() - 1) * length * bytes_of(values[0])
    return Work(bytes_of(values, offsets) + padded)


def _unpad_inputs(
    draw: Draw, batch: int, length: int, dim: int
) -> tuple[torch.Tensor, torch.Tensor]:
    return draw(batch, length, dim), sequences(draw, batch, length, dim)


def _nested_from_padded(input: torch.Tensor, jagged_like: torch.Tensor) -> torch.Tensor:
    # Without the number of rows, torch waits for it.
    rows = jagged_like.values().shape[0]
    return nested_from_padded(input, jagged_like.offsets(), sum_S=rows)


def _unpad_work(input: torch.Tensor, jagged_like: torch.Tensor) -> Work:
    # Of both the input and the output, as many rows as the sequences have.
    return Work(2 * bytes_of(jagged_like.values()) + bytes_of(jagged_like.offsets()))


OPERATIONS = (
    Operation(
        name="embedding",
        sizes=EMBEDDING_SIZES,
        inputs=_embedding_inputs,
        reference=F.embedding,
        work=_embedding_work,
        ours=embedding.embedding,
        triton=by_hand("embedding"),
        torch=F.embedding,
    ),
    Operation(
        name="embedding_backward",
        sizes=EMBEDDING_SIZES,
        inputs=lambda draw, tokens, words, dim: (
            draw(tokens, dim),
            *_embedding_inputs(draw, tokens, words, dim),
        ),
        reference=F.embedding,
        # The weight is not read, but its gradient, which is as large, is written.
        work=lambda *inputs: Work(bytes_of(*inputs)),
        ours=embedding.embedding,
        triton=by_hand("embedding"),
        torch=F.embedding,
        is_gradient=True,
    ),
    Operation(
        name="jagged_pad",
        sizes=JAGGED_SIZES,
        inputs=_pad_inputs,
        reference=_to_padded_tensor,
        work=_pad_work,
        ours=jagged_padding.pad,
        triton=by_hand("jagged_padding", "pad"),
        torch=_to_padded_tensor,
        layouts=("contiguous",),
    ),
    Operation(
        name="jagged_unpad",
        sizes=JAGGED_SIZES,
        inputs=_unpad_inputs,
        reference=_nested_from_padded,
        work=_unpad_work,
        ours=jagged_padding.unpad,
        triton=by_hand("jagged_padding", "unpad"),
        torch=_nested_from_padded,
        layouts=("contiguous",),
    ),
)
