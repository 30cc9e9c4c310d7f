"""Matrix multiplication: a program a block of the output, and what other products share with it.

Where rows or columns of both matrices lie as the tensor memory accelerator wants it, blocks come
through descriptors, and as many programs as there are multiprocessors compute all blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from benchmarks.triton_kernels.tuning import tuned

_Sizes = tuple[int, int, int, int, int, int]
"""The block of the output, the part of the inner dim in bytes of a row, rows of blocks a group,
warps and stages.
"""

_SIZES: tuple[_Sizes, ...] = (
    (128, 256, 128, 8, 8, 3),
    (128, 256, 128, 8, 8, 4),
    (256, 128, 128, 8, 8, 3),
    (256, 128, 128, 8, 8, 4),
    (128, 256, 64, 8, 8, 4),
    (128, 128, 128, 8, 16, 2),
    (128, 128, 128, 8, 8, 3),
    (128, 128, 128, 8, 8, 4),
    (128, 128, 128, 8, 4, 3),
    (128, 128, 128, 8, 4, 4),
    (128, 128, 64, 8, 8, 3),
    (128, 128, 64, 8, 4, 5),
    (128, 64, 128, 8, 4, 3),
    (128, 64, 128, 8, 4, 4),
    (64, 128, 128, 8, 4, 4),
    (64, 256, 128, 8, 4, 4),
    (128, 64, 64, 8, 4, 3),
    (128, 64, 64, 8, 8, 2),
    (64, 64, 128, 8, 4, 5),
    (64, 64, 256, 8, 4, 3),
    (64, 64, 64, 8, 4, 3),
    (64, 32, 256, 8, 4, 4),
    (32, 64, 256, 8, 4, 4),
    (32, 32, 256, 8, 2, 4),
)
_DESCRIBED_SIZES: tuple[_Sizes, ...] = (
    (128, 256, 128, 8, 8, 3),
    (128, 256, 128, 16, 8, 3),
    (128, 256, 64, 8, 8, 4),
    (256, 128, 128, 8, 8, 3),
    (256, 128, 128, 16, 8, 3),
    (256, 128, 64, 8, 8, 4),
    (128, 128, 128, 8, 8, 3),
    (128, 128, 128, 8, 8, 4),
    (128, 128, 128, 8, 4, 3),
    (128, 128, 128, 8, 4, 4),
    (128, 128, 128, 8, 4, 5),
    (128, 128, 256, 8, 8, 2),
    (128, 64, 128, 8, 4, 4),
    (128, 64, 128, 8, 4, 6),
    (64, 128, 128, 8, 4, 4),
    (64, 128, 128, 8, 4, 6),
    (64, 256, 128, 8, 4, 4),
    (64, 64, 128, 8, 4, 4),
    (64, 64, 128, 8, 4, 6),
    (64, 64, 256, 8, 4, 3),
    (64, 64, 256, 8, 4, 4),
    (64, 32, 128, 8, 4, 6),
    (64, 32, 256, 8, 4, 4),
    (64, 16, 256, 8, 4, 4),
)


def _configs(sizes: Sequence[_Sizes], itemsize: int, pre_hook: Any = None) -> list[triton.Config]:
    return [
        triton.Config(
            {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": bytes // itemsize, "GROUP_M": group},
            num_warps=warps,
            num_stages=stages,
            pre_hook=pre_hook,
        )
        for m, n, bytes, group, warps, stages in sizes
    ]


def configurations(itemsize: int) -> list[triton.Config]:
    """What is tried for elements of so many bytes, of kernels that load through pointers."""
    return _configs(_SIZES, itemsize)


def _describe_blocks(arguments: dict[str, Any]) -> None:
    m, n, k = (arguments[f"BLOCK_{dim}"] for dim in "MNK")
    arguments["a"].block_shape = [k, m] if arguments["TRANSPOSED_A"] else [m, k]
    arguments["b"].block_shape = [n, k] if arguments["TRANSPOSED_B"] else [k, n]


def described_configurations(itemsize: int) -> list[triton.Config]:
    """What is tried for elements of so many bytes, of kernels that load through descriptors.

    Their parameters are ``a`` and ``b``, the descriptors, and what :func:`descriptors` returns.
    """
    return _configs(_DESCRIBED_SIZES, itemsize, _describe_blocks)


def even_k(arguments: dict[str, Any]) -> bool:
    """Whether no part of the inner dim needs a mask."""
    return arguments["K"] % arguments["BLOCK_K"] == 0


def _rows_described(matrix: torch.Tensor) -> bool:
    return (
        matrix.stride(1) == 1
        and matrix.stride(0) >= matrix.shape[1]
        and matrix.stride(0) * matrix.element_size() % 16 == 0
        and matrix.data_ptr() % 16 == 0
        and matrix.numel() > 0
    )


def descriptors(input: torch.Tensor, other: torch.Tensor) -> dict[str, Any] | None:
    """The arguments ``a``, ``b``, ``TRANSPOSED_A`` and ``TRANSPOSED_B``: descriptors of two
    matrices, each of its rows or of its columns; none where one of them lies otherwise.
    """
    arguments: dict[str, Any] = {}
    for name, matrix in (("a", input), ("b", other)):
        transposed = not _rows_described(matrix)
        if transposed and not _rows_described(matrix.T):
            return None
        rows = matrix.T if transposed else matrix
        # The size of its blocks is the configuration's.
        arguments[name] = TensorDescriptor.from_tensor(rows, [1, 16])
        arguments[f"TRANSPOSED_{name.upper()}"] = transposed
    return arguments


def multiprocessors(tensor: torch.Tensor) -> int:
    """Those of the tensor's device."""
    if not tensor.is_cuda:
        return 1
    return torch.cuda.get_device_properties(tensor.device).multi_processor_count


@triton.jit
def tile_of(program, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """The block of the output that a program computes: GROUP_M rows of blocks after another, so
    that programs of one time share what is in L2.
    """
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    group = program // (GROUP_M * tiles_n)
    height = min(tiles_m - group * GROUP_M, GROUP_M)
    within = program % (GROUP_M * tiles_n)
    return group * GROUP_M + within % height, within // height


@triton.jit
def product(
    a,
    b,
    M,
    N,
    K,
    a_stride_m,
    a_stride_k,
    b_stride_k,
    b_stride_n,
    tile_m,
    tile_n,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    EVEN_K: tl.constexpr,
    SUM: tl.constexpr = tl.float32,
):
    """One block of the product of two matrices behind pointers, summed in SUM."""
    # Beyond the end are the first rows and columns again: what comes of them is not stored.
    m = ((tile_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M).to(tl.int64)
    n = ((tile_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N).to(tl.int64)
    k = tl.arange(0, BLOCK_K)
    a_block = a + m[:, None] * a_stride_m + k.to(tl.int64)[None, :] * a_stride_k
    b_block = b + k.to(tl.int64)[:, None] * b_stride_k + n[None, :] * b_stride_n
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), SUM)
    for first in range(0, K, BLOCK_K):
        if EVEN_K:
            a_part = tl.load(a_block)
            b_part = tl.load(b_block)
        else:
            inside = k < K - first
            a_part = tl.load(a_block, inside[None, :], other=0.0)
            b_part = tl.load(b_block, inside[:, None], other=0.0)
        accumulator = tl.dot(a_part, b_part, accumulator, input_precision="ieee", out_dtype=SUM)
        a_block += BLOCK_K * a_stride_k
        b_block += BLOCK_K * b_stride_k
    return accumulator


@triton.jit
def described_product(
    a,
    b,
    K,
    tile_m,
    tile_n,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    TRANSPOSED_A: tl.constexpr,
    TRANSPOSED_B: tl.constexpr,
    SUM: tl.constexpr = tl.float32,
):
    """One block of the product of two matrices behind descriptors, summed in SUM."""
    m = tile_m * BLOCK_M
    n = tile_n * BLOCK_N
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), SUM)
    for k in range(0, K, BLOCK_K):
        a_part = a.load([k, m]).T if TRANSPOSED_A else a.load([m, k])
        b_part = b.load([n, k]).T if TRANSPOSED_B else b.load([k, n])
        accumulator = tl.dot(a_part, b_part, accumulator, input_precision="ieee", out_dtype=SUM)
    return accumulator


@triton.jit
def store(
    output, values, M, N, stride, tile_m, tile_n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    """Write one block of a matrix whose rows are ``stride`` apart."""
    m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    pointers = output + m.to(tl.int64)[:, None] * stride + n[None, :]
    tl.store(pointers, values, (m < M)[:, None] & (n < N)[None, :])


@tuned(configurations(2), key=["M", "N", "K", "a_stride_k", "b_stride_n"])
@triton.heuristics({"EVEN_K": even_k})
@triton.jit
def _matmul(
    a,
    b,
    output,
    M,
    N,
    K,
    a_stride_m,
    a_stride_k,
    b_stride_k,
    b_stride_n,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
    EVEN_K: tl.constexpr,
):
    tile_m, tile_n = tile_of(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    values = product(
        a,
        b,
        M,
        N,
        K,
        a_stride_m,
        a_stride_k,
        b_stride_k,
        b_stride_n,
        tile_m,
        tile_n,
        BLOCK_M,
        BLOCK_N,
        BLOCK_K,
        EVEN_K,
    )
    store(output, values, M, N, N, tile_m, tile_n, BLOCK_M, BLOCK_N)


# A descriptor's element type is no part of the key: the output's stands for it.
@tuned(described_configurations(2), key=["M", "N", "K", "TRANSPOSED_A", "TRANSPOSED_B"])
@triton.jit
def _described_matmul(
    a,
    b,
    output,
    M,
    N,
    K,
    TRANSPOSED_A: tl.constexpr,
    TRANSPOSED_B: tl.constexpr,
    PROGRAMS: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    tiles = tl.cdiv(M, BLOCK_M) * tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tiles, PROGRAMS, flatten=True):
        tile_m, tile_n = tile_of(tile, M, N, BLOCK_M, BLOCK_N, GROUP_M)
        values = described_product(
            a,
            b,
            K,
            tile_m,
            tile_n,
            BLOCK_M,
            BLOCK_N,
            BLOCK_K,
            TRANSPOSED_A,
            TRANSPOSED_B,
        )
        store(output, values, M, N, N, tile_m, tile_n, BLOCK_M, BLOCK_N)


def grid(arguments: dict[str, Any]) -> tuple[int]:
    """A program a block of the output."""
    rows = triton.cdiv(arguments["M"], arguments["BLOCK_M"])
    return (rows * triton.cdiv(arguments["N"], arguments["BLOCK_N"]),)


def persistent_grid(arguments: dict[str, Any]) -> tuple[int]:
    """At most PROGRAMS programs, which share the blocks of the output."""
    return (min(arguments["PROGRAMS"], *grid(arguments)),)


def matmul(input: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """``input @ other`` of two matrices, (m, k) and (k, n)."""
    m, k = input.shape
    n = other.shape[1]
    output = torch.empty((m, n), dtype=input.dtype, device=input.device)
    described = descriptors(input, other)
    if described is None:
        _matmul[grid](input, other, output, m, n, k, *input.stride(), *other.stride())
    else:
        _described_matmul[persistent_grid](
            output=output, M=m, N=n, K=k, PROGRAMS=multiprocessors(input), **described
        )
    return output
