"""Attention in Gluon, by warps that specialise, as in FlashAttention 3 (J. Shah and others, 2024).

Two groups of four warps have 64 queries each, and one warp copies blocks of keys and values to
shared memory, through descriptors, for both. A group begins the product of the next scores, and
that of the last weights and values, computes the weights of the former while the latter runs, and
the other group's products run meanwhile.

Lengths are multiples of 128, without a mask; dims are 64 or 128, in fp16, on Hopper.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource
from triton.experimental.gluon.language.nvidia import hopper
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

mbarrier, tma = hopper.mbarrier, hopper.tma
mma, mma_wait = hopper.warpgroup_mma, hopper.warpgroup_mma_wait
# Their names in Triton 3.6, and in later ones.
barrier = getattr(gl, "thread_barrier", None) or gl.barrier
copied_out = getattr(tma, "async_store", None) or tma.async_copy_shared_to_global
copied_in = getattr(tma, "async_load", None) or tma.async_copy_global_to_shared

ROWS, KEYS, STAGES = 64, 128, 2
_LOG2_E = 1.4426950408889634


@gluon.jit
def weigh(scores, largest, total, factor):
    larger = gl.maximum(largest, gl.max(scores, 1) * factor)
    correction = gl.exp2(largest - larger)
    weights = gl.exp2(scores * factor - gl.expand_dims(larger, 1))
    return weights, larger, total * correction + gl.sum(weights, 1), correction


@gluon.jit
def consume(
    number: gl.constexpr,
    output,
    queries,
    keys,
    values,
    queries_full,
    keys_full,
    keys_free,
    values_full,
    values_free,
    row,
    count,
    factor,
    DIM: gl.constexpr,
    ROWS: gl.constexpr,
    KEYS: gl.constexpr,
    STAGES: gl.constexpr,
):
    of_scores: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], instr_shape=[16, KEYS, 16])
    of_sums: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], instr_shape=[16, DIM, 16])
    of_weights: gl.constexpr = gl.DotOperandLayout(0, of_sums, 2)
    query = queries.index(number)
    zero = gl.zeros([ROWS, KEYS], gl.float32, of_scores)
    sums = gl.zeros([ROWS, DIM], gl.float32, of_sums)
    largest = gl.full([ROWS], -3.0e38, gl.float32, gl.SliceLayout(1, of_scores))
    total = gl.zeros([ROWS], gl.float32, gl.SliceLayout(1, of_scores))

    mbarrier.wait(queries_full, 0)
    mbarrier.wait(keys_full.index(0), 0)
    scores = mma(query, keys.index(0).permute((1, 0)), zero, use_acc=False, is_async=True)
    scores = mma_wait(0, deps=(scores,))
    # All threads have waited before one of them says so.
    barrier()
    mbarrier.arrive(keys_free.index(0), count=1)
    weights, largest, total, correction = weigh(scores, largest, total, factor)
    halves = gl.convert_layout(weights.to(gl.float16), of_weights)
    mbarrier.wait(keys_full.index(1 % STAGES), (1 // STAGES) & 1, pred=count > 1)
    for i in range(1, count):
        here, before, behind = i % STAGES, (i - 1) % STAGES, (i + 1) % STAGES
        scores = mma(query, keys.index(here).permute((1, 0)), zero, use_acc=False, is_async=True)
        mbarrier.wait(values_full.index(before), ((i - 1) // STAGES) & 1)
        sums = mma(halves, values.index(before), sums, is_async=True)
        scores = mma_wait(1, deps=(scores,))
        barrier()
        mbarrier.arrive(keys_free.index(here), count=1)
        weights, largest, total, correction = weigh(scores, largest, total, factor)
        # A wait that may loop: ptxas moves that for the sums in front of the weights otherwise.
        mbarrier.wait(keys_full.index(behind), ((i + 1) // STAGES) & 1, pred=i + 1 < count)
        sums, weights = mma_wait(0, deps=(sums, weights))
        barrier()
        mbarrier.arrive(values_free.index(before), count=1)
        sums *= gl.expand_dims(gl.convert_layout(correction, gl.SliceLayout(1, of_sums)), 1)
        halves = gl.convert_layout(weights.to(gl.float16), of_weights)
    last = count - 1
    mbarrier.wait(values_full.index(last % STAGES), (last // STAGES) & 1)
    sums = mma(halves, values.index(last % STAGES), sums, is_async=True)
    sums = mma_wait(0, deps=(sums,))

    sums /= gl.expand_dims(gl.convert_layout(total, gl.SliceLayout(1, of_sums)), 1)
    query.store(sums.to(gl.float16))
    hopper.fence_async_shared()
    barrier()
    copied_out(output, [row + number * ROWS, 0], query)
    tma.store_wait(0)


@gluon.jit
def produce(
    query,
    key,
    value,
    queries,
    keys,
    values,
    queries_full,
    keys_full,
    keys_free,
    values_full,
    values_free,
    row,
    start,
    count,
    DIM: gl.constexpr,
    ROWS: gl.constexpr,
    KEYS: gl.constexpr,
    STAGES: gl.constexpr,
):
    mbarrier.expect(queries_full, 2 * ROWS * DIM * 2)
    copied_in(query, [row, 0], queries_full, queries.index(0))
    copied_in(query, [row + ROWS, 0], queries_full, queries.index(1))
    for i in range(count):
        here = i % STAGES
        phase = ((i // STAGES) & 1) ^ 1
        place = start + i * KEYS
        mbarrier.wait(keys_free.index(here), phase)
        mbarrier.expect(keys_full.index(here), KEYS * DIM * 2)
        copied_in(key, [place, 0], keys_full.index(here), keys.index(here))
        mbarrier.wait(values_free.index(here), phase)
        mbarrier.expect(values_full.index(here), KEYS * DIM * 2)
        copied_in(value, [place, 0], values_full.index(here), values.index(here))


@gluon.jit
def _attention(
    query,
    key,
    value,
    output,
    length,
    factor,
    DIM: gl.constexpr,
    ROWS: gl.constexpr,
    KEYS: gl.constexpr,
    STAGES: gl.constexpr,
):
    start = gl.program_id(1) * length
    row = start + gl.program_id(0) * 2 * ROWS
    count = length // KEYS
    queries = gl.allocate_shared_memory(gl.float16, [2, ROWS, DIM], query.layout)
    keys = gl.allocate_shared_memory(gl.float16, [STAGES, KEYS, DIM], key.layout)
    values = gl.allocate_shared_memory(gl.float16, [STAGES, KEYS, DIM], value.layout)
    one: gl.constexpr = mbarrier.MBarrierLayout()
    queries_full = gl.allocate_shared_memory(gl.int64, [1, 1], one).index(0)
    keys_full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], one)
    keys_free = gl.allocate_shared_memory(gl.int64, [STAGES, 1], one)
    values_full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], one)
    values_free = gl.allocate_shared_memory(gl.int64, [STAGES, 1], one)
    mbarrier.init(queries_full, count=1)
    for i in gl.static_range(STAGES):
        mbarrier.init(keys_full.index(i), count=1)
        mbarrier.init(values_full.index(i), count=1)
        mbarrier.init(keys_free.index(i), count=2)
        mbarrier.init(values_free.index(i), count=2)
    hopper.fence_async_shared()
    first: gl.constexpr = 0
    second: gl.constexpr = 1
    # fmt: off
    gl.warp_specialize(
        [
            (consume, (first, output, queries, keys, values, queries_full, keys_full, keys_free,
                       values_full, values_free, row, count, factor, DIM, ROWS, KEYS, STAGES)),
            (consume, (second, output, queries, keys, values, queries_full, keys_full, keys_free,
                       values_full, values_free, row, count, factor, DIM, ROWS, KEYS, STAGES)),
            (produce, (query, key, value, queries, keys, values, queries_full, keys_full, keys_free,
                       values_full, values_free, row, start, count, DIM, ROWS, KEYS, STAGES)),
        ],
        [4, 1],
        [240, 24],
    )
    # fmt: on


def _layout(rows: int, dim: int) -> Any:
    return gl.NVMMASharedLayout.get_default_for([rows, dim], gl.float16)


def _constants(dim: int) -> dict[str, int]:
    return {"DIM": dim, "ROWS": ROWS, "KEYS": KEYS, "STAGES": STAGES}


def attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """``softmax(query @ keyᵀ / sqrt(dim)) @ value`` of contiguous halves.

    All are (batch, heads, length, dim), the length a multiple of 128, the dim 64 or 128.
    """
    batch, heads, length, dim = query.shape
    output = torch.empty_like(query)

    def described(tensor: torch.Tensor, rows: int) -> Any:
        flat = tensor.view(-1, dim)
        return TensorDescriptor.from_tensor(flat, [rows, dim], _layout(rows, dim))

    _attention[(length // (2 * ROWS), batch * heads)](
        described(query, ROWS),
        described(key, KEYS),
        described(value, KEYS),
        described(output, ROWS),
        length,
        dim**-0.5 * _LOG2_E,
        **_constants(dim),
        num_warps=4,
    )
    return output


def compiled(dim: int) -> Any:
    """The kernel for a Hopper GPU, which need not be there."""

    def described(rows: int) -> str:
        return f"tensordesc<fp16[{rows}, {dim}],{_layout(rows, dim)!r}>"

    constants = _constants(dim)
    types = {"query": described(ROWS), "key": described(KEYS), "value": described(KEYS)}
    types |= {"output": described(ROWS), "length": "i32", "factor": "fp32"}
    types |= dict.fromkeys(constants, "constexpr")
    places = {(_attention.arg_names.index(name),): value for name, value in constants.items()}
    source = GluonASTSource(_attention, types, places)
    target = triton.backends.compiler.GPUTarget("cuda", 90, 32)
    return triton.compile(source, target=target, options={"num_warps": 4})
