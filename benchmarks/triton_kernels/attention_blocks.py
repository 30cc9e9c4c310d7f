"""What the kernels of attention share: their configurations and blocks of the heads' positions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import triton
import triton.language as tl

KEY = ("M", "N", "HEAD_DIM", "VALUE_DIM", "GROUP", "IS_CAUSAL")
"""The kernels are tuned anew for each value of these."""

_SHARED_BYTES = 227 << 10


def configurations(rows: Iterable[tuple[int, int, int, Sequence[int]]]) -> list[triton.Config]:
    """Of the queries and keys of a block, warps and several numbers of stages."""
    return [
        triton.Config({"BLOCK_M": m, "BLOCK_N": n}, num_warps=warps, num_stages=stages)
        for m, n, warps, several_stages in rows
        for stages in several_stages
    ]


def fitting(kept: str, fetched: str) -> Any:
    """Leaves out what is too large for the shared memory, or for the lengths.

    A program keeps blocks of ``kept`` rows of two tensors at most, and fetches blocks of
    ``fetched`` rows of two tensors stages ahead.
    """

    def prune(
        configs: list[triton.Config], arguments: Mapping[str, Any], **options: Any
    ) -> list[triton.Config]:
        given = {**arguments, **options}
        lengths = {"BLOCK_M": given["M"], "BLOCK_N": given["N"]}
        row = max(given["BLOCK_D"], given.get("BLOCK_V", 0)) * given["query"].element_size()

        def fits(config: triton.Config) -> bool:
            sizes = config.kwargs
            rows = sizes[kept] + 2 * (config.num_stages - 1) * sizes[fetched]
            return rows * row <= _SHARED_BYTES and all(
                sizes[name] <= max(triton.next_power_of_2(length), 32)
                for name, length in lengths.items()
            )

        return [config for config in configs if fits(config)] or [configs[-1]]

    return {"early_config_prune": prune}


@triton.jit
def load_rows(
    base,
    position,
    stride,
    length,
    MASKED: tl.constexpr,
    DIM: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """Rows of a head, (positions, dim); where they are not MASKED, all of them exist."""
    d = tl.arange(0, BLOCK_D)
    pointers = base + position[:, None] * stride + d[None, :]
    if MASKED and DIM < BLOCK_D:
        values = tl.load(pointers, (position < length)[:, None] & (d < DIM)[None, :], other=0.0)
    elif MASKED:
        values = tl.load(pointers, (position < length)[:, None], other=0.0)
    elif DIM < BLOCK_D:
        values = tl.load(pointers, (d < DIM)[None, :], other=0.0)
    else:
        values = tl.load(pointers)
    return values


@triton.jit
def store_rows(base, position, stride, length, value, DIM: tl.constexpr, BLOCK_D: tl.constexpr):
    """Rows of a head that exist."""
    d = tl.arange(0, BLOCK_D)
    pointers = base + position[:, None] * stride + d[None, :]
    mask = (position < length)[:, None]
    if DIM < BLOCK_D:
        mask = mask & (d < DIM)[None, :]
    tl.store(pointers, value.to(base.dtype.element_ty), mask)


@triton.jit
def key_blocks(first, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, IS_CAUSAL: tl.constexpr):
    """How many blocks of keys all queries from ``first`` on see, and how many some see."""
    whole = N // BLOCK_N
    some = tl.cdiv(N, BLOCK_N)
    if IS_CAUSAL:
        whole = tl.minimum(whole, (first + 1) // BLOCK_N)
        some = tl.minimum(some, tl.cdiv(first + BLOCK_M, BLOCK_N))
    return whole, some


@triton.jit
def seen(scores, m, n, N, IS_CAUSAL: tl.constexpr):
    """The scores of what queries see, and minus infinity."""
    visible = (n < N)[None, :]
    if IS_CAUSAL:
        visible = visible & (n[None, :] <= m[:, None])
    return tl.where(visible, scores, float("-inf"))
