"""Matrix multiplication by a weight of four bits a number, packed as in examples/w4a16_matmul.py.

The output is computed transposed: the weight, dequantized in registers, is the first operand. Where
rows are few, several programs share a block of the output: each sums a part of the groups and adds
it atomically.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.tuning import tuned

_FEW_ROWS = tuple(
    (16, n, split, warps, stages)
    for n, warps in ((32, 4), (64, 4), (128, 4), (128, 8))
    for split in (1, 2, 4)
    for stages in (4, 6)
)
_MANY_ROWS = (
    (32, 64, 1, 4, 4),
    (32, 128, 2, 4, 4),
    (64, 64, 1, 4, 4),
    (64, 64, 2, 4, 4),
    (64, 128, 1, 8, 4),
    (64, 128, 2, 8, 4),
    (128, 128, 1, 8, 3),
    (128, 128, 1, 8, 4),
    (128, 64, 1, 4, 4),
)


def _prune(
    configs: list[triton.Config], arguments: dict[str, Any], **_: Any
) -> list[triton.Config]:
    """Those with blocks of no more rows than the input has, rounded up."""
    rows = max(16, triton.next_power_of_2(arguments["M"]))
    return [one for one in configs if one.kwargs["BLOCK_M"] <= rows]


def _zero(arguments: dict[str, Any]) -> None:
    """What sums are added to."""
    arguments["output"].zero_()


@triton.jit
def _dequantized(bits, dtype: tl.constexpr):
    # Four bits at the end of 1024, or of 128 in bfloat16, count ones.
    if dtype == tl.float16:
        return (bits | 0x6400).to(tl.float16, bitcast=True) - 1032
    else:
        return (bits | 0x4300).to(tl.bfloat16, bitcast=True) - 136


@tuned(
    [
        triton.Config(
            {"BLOCK_M": m, "BLOCK_N": n, "SPLIT_K": split},
            num_warps=warps,
            num_stages=stages,
            pre_hook=_zero if split > 1 else None,
        )
        for m, n, split, warps, stages in (*_FEW_ROWS, *_MANY_ROWS)
    ],
    key=["M", "N", "K", "a_stride_k"],
    prune_configs_by={"early_config_prune": _prune},
)
@triton.jit
def _w4a16_matmul(
    a,
    b,
    scale,
    output,
    M,
    N,
    K,
    a_stride_m,
    a_stride_k,
    b_stride_n,
    b_stride_k,
    scale_stride_k,
    scale_stride_n,
    GROUP: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    SPLIT_K: tl.constexpr,
):
    HALF: tl.constexpr = GROUP // 2
    tiles_m = tl.cdiv(M, BLOCK_M)
    tile_m = tl.program_id(0) % tiles_m
    tile_n = tl.program_id(0) // tiles_m
    m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    # Beyond the end are the first rows and columns again: what comes of them is not stored.
    row, column = (m % M).to(tl.int64), (n % N).to(tl.int64)
    k = tl.arange(0, HALF)
    a_block = a + k[:, None] * a_stride_k + row[None, :] * a_stride_m
    b_block = b + column[:, None] * b_stride_n + k[None, :] * b_stride_k
    scales = scale + column * scale_stride_n

    groups = K // GROUP
    first = tl.program_id(1) * groups // SPLIT_K
    end = (tl.program_id(1) + 1) * groups // SPLIT_K
    accumulator = tl.zeros((BLOCK_N, BLOCK_M), tl.float32)
    for group in range(first, end):
        bits = tl.load(b_block + group * HALF * b_stride_k).to(tl.int16)
        a_part = a_block + group * GROUP * a_stride_k
        low, high = tl.load(a_part), tl.load(a_part + HALF * a_stride_k)
        values = tl.dot(_dequantized(bits & 0xF, low.dtype), low)
        values = tl.dot(_dequantized(bits >> 4, high.dtype), high, values)
        accumulator += values * tl.load(scales + group * scale_stride_k)[:, None]

    pointers = output + m.to(tl.int64)[None, :] * N + n[:, None]
    inside = (m < M)[None, :] & (n < N)[:, None]
    if SPLIT_K == 1:
        tl.store(pointers, accumulator, inside)
    else:
        tl.atomic_add(pointers, accumulator.to(output.dtype.element_ty), inside, sem="relaxed")


def _grid(arguments: dict[str, Any]) -> tuple[int, int]:
    tiles_m = triton.cdiv(arguments["M"], arguments["BLOCK_M"])
    return (
        tiles_m * triton.cdiv(arguments["N"], arguments["BLOCK_N"]),
        arguments["SPLIT_K"],
    )


def w4a16_matmul(input: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """``input @ dequantize(weight, scale).T`` of examples/w4a16_matmul.py."""
    m, k = input.shape
    n = weight.shape[0]
    output = torch.empty((m, n), dtype=input.dtype, device=input.device)
    _w4a16_matmul[_grid](
        input,
        weight,
        scale,
        output,
        m,
        n,
        k,
        *input.stride(),
        *weight.stride(),
        *scale.stride(),
        GROUP=k // scale.shape[0],
    )
    return output
