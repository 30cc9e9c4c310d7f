"""Operations on elements: sums, activations, dropout, rotations of pairs."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from benchmarks.operation import ROWS, Operation, Work, by_hand, bytes_of
from examples import add, dropout, rotary_embedding, silu, swiglu
from examples.runner import Draw

MATRICES = {
    "small": (64, 4096),
    "medium": (4096, 4096),
    "large": (8192, 8192),
    "ragged": (4099, 3571),
    "ragged_large": (8193, 8191),
}
"""Tokens and hidden numbers."""
FEED_FORWARD = {
    "small": (64, 11008),
    "medium": (2048, 11008),
    "large": (8192, 14336),
    "ragged": (4099, 5501),
    "ragged_large": (8191, 14337),
    **ROWS,
}
"""Tokens and the inner numbers of a feed-forward layer."""


def _swiglu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    return F.silu(gate) * up


def _dropout(input: torch.Tensor, p: float, seed: int) -> torch.Tensor:
    # torch's random stream is its own, whose seed is global.
    return F.dropout(input, p)


def _all_kept(input: torch.Tensor, p: float, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    return input / (1 - p), torch.tensor(True, device=input.device)


def _kept(
    result: torch.Tensor, input: torch.Tensor, p: float, seed: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """With what was dropped put back; and whether what was dropped looks random.

    Providers have other random numbers. So as many elements as ``p`` says must be kept, and as many
    pairs of neighbours as of independent ones; 6 standard deviations are never seen by chance.
    """
    kept = result != 0
    pairs = kept.flatten()[: kept.numel() // 2 * 2].view(-1, 2).all(dim=1)
    random = [
        _likely(kept, 1 - p),
        _likely(pairs, (1 - p) ** 2),
    ]
    restored = torch.where(kept, result, (input.float() / (1 - p)).to(result.dtype))
    return restored, torch.stack(random).all()


def _likely(events: torch.Tensor, probability: float) -> torch.Tensor:
    """Whether so many of independent events are seen with this probability of each."""
    count = events.numel()
    deviation = (probability * (1 - probability) * count) ** 0.5
    return (events.count_nonzero() - probability * count).abs() <= 6 * deviation


def _rotary_inputs(
    draw: Draw, batch: int, length: int, heads: int, dim: int
) -> tuple[torch.Tensor, ...]:
    half = dim // 2
    frequency = 10000.0 ** (-torch.arange(half, device=draw.device) / half)
    angle = torch.outer(torch.arange(length, device=draw.device), frequency)
    cos, sin = angle.cos().to(draw.dtype), angle.sin().to(draw.dtype)
    return draw(batch, length, heads, dim), cos, sin


def _rotary_embedding(input: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    x1, x2 = input.chunk(2, dim=-1)
    cos, sin = cos[:, None], sin[:, None]
    return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)


OPERATIONS = (
    Operation(
        name="add",
        sizes={
            "small": (2**16,),
            "medium": (2**22,),
            "large": (2**26,),
            "ragged": (2**24 + 1,),
            "ragged_large": (2**26 + 1,),
        },
        inputs=lambda draw, size: (draw(size), draw(size)),
        reference=torch.add,
        work=lambda lhs, rhs: Work(bytes_of(lhs, rhs, lhs)),
        ours=add.add,
        triton=by_hand("add"),
        torch=torch.add,
        dtypes=("fp16", "bf16", "fp32"),
    ),
    Operation(
        name="silu",
        sizes=MATRICES,
        inputs=lambda draw, *shape: (draw(*shape),),
        reference=F.silu,
        work=lambda input: Work(2 * bytes_of(input)),
        ours=silu.silu,
        triton=by_hand("silu"),
        torch=F.silu,
    ),
    Operation(
        name="swiglu",
        sizes=FEED_FORWARD,
        inputs=lambda draw, *shape: (draw(*shape), draw(*shape)),
        reference=_swiglu,
        work=lambda gate, up: Work(bytes_of(gate, up, gate)),
        ours=swiglu.swiglu,
        triton=by_hand("swiglu"),
        torch=_swiglu,
    ),
    Operation(
        name="swiglu_backward",
        sizes=FEED_FORWARD,
        inputs=lambda draw, *shape: (draw(*shape), draw(*shape), draw(*shape)),
        reference=_swiglu,
        # Reads the gradient, the gate and what it lets through, writes the gradients of both.
        work=lambda gradient, gate, up: Work(bytes_of(gradient, gate, up, gate, up)),
        ours=swiglu.swiglu,
        triton=by_hand("swiglu"),
        torch=_swiglu,
        is_gradient=True,
    ),
    Operation(
        name="dropout",
        sizes=MATRICES,
        inputs=lambda draw, *shape: (draw(*shape), 0.25, 7),
        reference=_all_kept,
        work=lambda input, p, seed: Work(2 * bytes_of(input)),
        ours=dropout.dropout,
        triton=by_hand("dropout"),
        torch=_dropout,
        compared=_kept,
    ),
    Operation(
        name="rotary_embedding",
        sizes={
            "small": (1, 128, 32, 128),
            "medium": (4, 2048, 32, 128),
            "large": (8, 4096, 32, 128),
            "ragged": (3, 1021, 17, 90),
        },
        inputs=_rotary_inputs,
        reference=_rotary_embedding,
        work=lambda input, cos, sin: Work(bytes_of(input, cos, sin, input)),
        ours=rotary_embedding.rotary_embedding,
        triton=by_hand("rotary_embedding"),
        torch=_rotary_embedding,
    ),
)
