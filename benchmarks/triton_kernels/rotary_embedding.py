"""Rotary position embedding: a program has heads of one position, and reads its angles once."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.tuning import tuned


@tuned(
    [
        triton.Config({"HEADS": heads}, num_warps=warps)
        for heads in (1, 2, 4, 8, 16, 32)
        for warps in (1, 2, 4, 8)
    ],
    key=["length", "heads", "half"],
)
@triton.jit
def _rotary_embedding(
    input,
    cos,
    sin,
    output,
    length,
    heads,
    half,
    input_batch,
    input_length,
    input_head,
    input_dim,
    cos_length,
    cos_dim,
    sin_length,
    sin_dim,
    HEADS: tl.constexpr,
    HALF: tl.constexpr,
):
    token = tl.program_id(0).to(tl.int64)
    batch = token // length
    position = token % length
    head = tl.program_id(1).to(tl.int64) * HEADS + tl.arange(0, HEADS)[:, None]
    lane = tl.arange(0, HALF)[None, :]
    mask = (head < heads) & (lane < half)

    c = tl.load(cos + position * cos_length + lane * cos_dim, lane < half).to(tl.float32)
    s = tl.load(sin + position * sin_length + lane * sin_dim, lane < half).to(tl.float32)
    source = input + batch * input_batch + position * input_length
    source += head * input_head + lane * input_dim
    x1 = tl.load(source, mask).to(tl.float32)
    x2 = tl.load(source + half * input_dim, mask).to(tl.float32)

    target = output + token * heads * half * 2 + head * half * 2 + lane
    tl.store(target, x1 * c - x2 * s, mask)
    tl.store(target + half, x2 * c + x1 * s, mask)


def rotary_embedding(input: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """The halves of each head, (batch, length, heads, dim), rotated by its position's angles."""
    batch, length, heads, dim = input.shape
    output = torch.empty(input.shape, dtype=input.dtype, device=input.device)
    half = dim // 2
    _rotary_embedding[lambda meta: (batch * length, triton.cdiv(heads, meta["HEADS"]))](
        input,
        cos,
        sin,
        output,
        length,
        heads,
        half,
        *input.stride(),
        *cos.stride(),
        *sin.stride(),
        HALF=triton.next_power_of_2(half),
    )
    return output
