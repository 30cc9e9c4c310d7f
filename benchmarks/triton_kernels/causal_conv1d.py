"""A filter for each channel that looks back, a bias and SiLU: a program a run of one sequence."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.max_pool2d import CONFIGS
from benchmarks.triton_kernels.tuning import tuned


@tuned(CONFIGS, key=["CHANNELS", "LENGTH", "WIDTH"])
@triton.jit
def _causal_conv1d(
    input,
    weight,
    bias,
    output,
    CHANNELS,
    LENGTH,
    stride_sequence,
    stride_channel,
    stride_position,
    WIDTH: tl.constexpr,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0)
    channel = row % CHANNELS
    position = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    begin = input + (row // CHANNELS).to(tl.int64) * stride_sequence
    begin += channel.to(tl.int64) * stride_channel
    total = tl.zeros((BLOCK,), tl.float32) + tl.load(bias + channel).to(tl.float32)
    for i in tl.static_range(WIDTH):
        place = position + (i - WIDTH + 1)
        inside = (place >= 0) & (place < LENGTH)
        values = tl.load(begin + place * stride_position, inside, other=0.0).to(tl.float32)
        total += values * tl.load(weight + channel * WIDTH + i).to(tl.float32)
    pointers = output + row.to(tl.int64) * LENGTH + position
    tl.store(pointers, total * tl.sigmoid(total), position < LENGTH)


def causal_conv1d(input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """SiLU of the causal convolution of sequences with filters (c, w), plus a bias."""
    sequences, channels, length = input.shape
    output = torch.empty(input.shape, dtype=input.dtype, device=input.device)
    _causal_conv1d[lambda meta: (sequences * channels, triton.cdiv(length, meta["BLOCK"]))](
        input,
        weight.contiguous(),
        bias.contiguous(),
        output,
        channels,
        length,
        *input.stride(),
        weight.shape[1],
    )
    return output
