"""Cost analysis of kernels, against counts by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples import matmul
from examples.add import add_kernel
from examples.attention import attention_kernel
from examples.matmul import matmul_kernel
from examples.softmax import softmax_kernel
from ninetoothed import Tensor, block_size
from ninetoothed.artifacts.occupancy import Amounts, Buffer, Dot, Footprint
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.cost import ASSUMED_ITERATIONS, span
from ninetoothed.compiler.space import space
from ninetoothed.ir import nt
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.passes.analysis.contiguity import Contiguity, contiguity
from ninetoothed.symbolic.expr import as_expr, const, evaluate, sym


def meta(*shape: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
    return torch.empty(shape, dtype=dtype, device="meta")


def counted(kernel: Kernel, values: Sequence[Any], *sizes: int) -> tuple[Footprint, Amounts]:
    """The cost function's result for a call with these block sizes."""
    arguments = bind(kernel.definition.interface, values, {})
    functions: dict[str, Callable[..., Any]] = {}
    exec(space(kernel.composed(arguments.signature), arguments.signature).cost, functions)
    amounts = functions["cost"](*arguments.values)(*sizes)
    return Footprint.of(functions["footprint"](*sizes)), Amounts(*amounts)


def moved(footprint: Footprint, amounts: Amounts) -> list[tuple[str, float]]:
    """The bytes of each stream, over all programs."""
    programs = math.prod(amounts.grid)
    return [
        (stream.kind, round(programs * iterations * lanes * stream.bytes, 3))
        for scope, (iterations, streams) in zip(footprint.scopes, amounts.scopes, strict=True)
        for stream, (lanes, _) in zip(scope.streams, streams, strict=True)
    ]


def test_each_element_of_a_sum_is_moved_once() -> None:
    tensors = [meta(1000, dtype=torch.float32) for _ in range(3)]
    footprint, amounts = counted(add_kernel, tensors, 256)
    assert amounts.grid == (4,)
    assert footprint.lanes == 256
    assert moved(footprint, amounts) == [("load", 4000), ("load", 4000), ("store", 4000)]
    (scope,) = footprint.scopes
    assert (scope.operations, scope.special, scope.exchanges) == (256, 0, 0)
    # Both operands, and the place of the result is one of theirs.
    assert scope.live == 2 * 256 * 4


def test_a_product_reads_its_operands_once_a_column_and_row_of_programs() -> None:
    m, n, k = 300, 200, 100
    footprint, amounts = counted(matmul_kernel, [meta(m, k), meta(k, n), meta(m, n)], 64, 32, 64)
    assert amounts.grid == (5, 4)
    outside, loop = footprint.scopes
    assert [iterations for iterations, _ in amounts.scopes] == [1, 4]
    assert moved(footprint, amounts) == [
        ("store", 2 * m * n),
        ("load", 2 * m * k * 4),
        ("load", 2 * k * n * 5),
    ]
    assert loop.dots == [Dot("fp16", 64, 64, 32, 1)]
    assert loop.buffers[0] == Buffer(64 * 32 * 2, False), "100 columns are not aligned"
    # Adding a product to the sum is the product's; the sum is in registers, in fp32.
    assert loop.operations == 0
    assert loop.live == 64 * 64 * 4
    assert (outside.is_loop, loop.is_loop) == (False, True)
    assert outside.operations == 64 * 64


@pytest.mark.parametrize(
    ("added", "dtype", "blocks"),
    [(False, torch.float8_e4m3fn, 1), (True, torch.float8_e4m3fn, 2), (True, torch.float16, 1)],
)
def test_sums_of_eight_bits_are_no_part_of_a_product_they_are_added_to(
    added: bool, dtype: torch.dtype, blocks: int
) -> None:
    """They are in 32 bits, outside of the matrix units: the product is a block of its own."""

    def added_to(input: Any, other: Any, output: Any) -> None:
        accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
        for k in range(input.shape[0]):
            accumulator += ntl.dot(input[k], other[k])
        output = accumulator  # pyright: ignore[reportUnusedVariable]

    def passed(input: Any, other: Any, output: Any) -> None:
        accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
        for k in range(input.shape[0]):
            accumulator = ntl.dot(input[k], other[k], accumulator)
        output = accumulator  # pyright: ignore[reportUnusedVariable]

    tensors = tuple(Tensor(2) for _ in range(3))
    kernel = ninetoothed.make(
        matmul.arrangement,  # pyright: ignore[reportUnknownArgumentType]
        added_to if added else passed,
        tensors,
    )
    n = 128
    values = [meta(n, n, dtype=dtype), meta(n, n, dtype=dtype), meta(n, n, dtype=torch.bfloat16)]
    footprint, _ = counted(kernel, values, 64, 32, 64)
    assert max(scope.live for scope in footprint.scopes) == blocks * 64 * 64 * 4
    assert footprint.scopes[1].operations == (blocks - 1) * 64 * 64


def blocks_in_rows(*tensors: Any) -> tuple[Any, ...]:
    arranged = [tensor.tile((16, 16)).tile((1, -1)) for tensor in tensors]
    for one in arranged:
        one.dtype = one.dtype.squeeze(0)
    return (*arranged[:-1], tensors[-1].tile((16, 16)))


def test_what_no_dot_reads_is_awaited() -> None:
    """But not what the next iteration uses alone."""

    def weighted(x: Any, weight: Any, factor: Any, term: Any, output: Any) -> None:
        accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
        carried = ntl.zeros(output.shape, dtype=ntl.float16)
        for k in range(x.shape[0]):
            accumulator += ntl.dot(x[k] * weight[k], x[k]) * factor[k] + carried
            carried = term[k]
        output = accumulator  # pyright: ignore[reportUnusedVariable]

    kernel = ninetoothed.make(blocks_in_rows, weighted, tuple(Tensor(2) for _ in range(5)))
    footprint, _ = counted(kernel, [*(meta(16, 128) for _ in range(4)), meta(16, 16)])
    outside, loop = footprint.scopes
    awaited = [stream.is_awaited for stream in loop.streams]
    assert awaited == [False, False, True, False], "x, weight, factor, term"
    assert [stream.is_awaited for stream in outside.streams] == [False], "a store"


@pytest.mark.parametrize(("size", "is_ahead"), [(128, True), (100, False)])
def test_operands_are_fetched_ahead_where_they_are_aligned(size: int, is_ahead: bool) -> None:
    footprint, _ = counted(matmul_kernel, [meta(size, size) for _ in range(3)], 32, 64, 128)
    loop = footprint.scopes[1]
    assert loop.buffers == [Buffer(32 * 64 * 2, is_ahead), Buffer(64 * 128 * 2, is_ahead)]


def test_a_row_is_rounded_up_and_its_true_lanes_are_moved() -> None:
    footprint, amounts = counted(softmax_kernel, [meta(7, 1000), meta(7, 1000)])
    assert amounts.grid == (7, 1)
    assert footprint.lanes == 1024
    assert moved(footprint, amounts) == [("load", 14000), ("store", 14000)]
    (scope,) = footprint.scopes
    # exp and a quotient; a maximum and a sum.
    assert (scope.special, scope.exchanges) == (2 * 1024, 2)


def test_loops_are_counted_for_a_program_in_the_middle() -> None:
    heads = [meta(1, 2, 1, 1024, 64), meta(1, 2, 1024, 64), meta(1, 2, 1024, 64)]
    values = [*heads, True, 0.1, meta(1, 2, 1, 1024, 64), meta(1, 2, 1, 1024, dtype=torch.float32)]
    footprint, amounts = counted(attention_kernel, values, 64, 32)
    # 16 programs a head: the one in the middle begins at position 7 * 64, whose queries see 14
    # blocks of 32 keys as a whole, and 2 in part.
    assert [iterations for iterations, _ in amounts.scopes] == [1, 14, 2]
    whole = footprint.scopes[1]
    assert whole.dots == [Dot("fp16", 64, 32, 64, 1), Dot("fp16", 64, 64, 32, 1)]
    # The weights are computed, so that they stay in registers.
    assert sorted(whole.buffers) == [Buffer(4096, True), Buffer(4096, True), Buffer(8192, False)]


def vectors(x: Tensor, y: Tensor, size: Any = block_size()) -> tuple[Tensor, Tensor]:
    return x.tile((size,)), y.tile((size,))


def test_what_only_a_run_can_tell_is_assumed() -> None:
    def application(x: Any, y: Any) -> None:
        total = ntl.sum(x)
        while total > 1.0:
            total = total / 2.0
        if total > 0.5:
            y = x  # pyright: ignore[reportUnusedVariable]

    kernel = ninetoothed.make(vectors, application, (Tensor(1), Tensor(1)))
    _, amounts = counted(kernel, [meta(64, dtype=torch.float32) for _ in range(2)], 64)
    assert [iterations for iterations, _ in amounts.scopes] == [1, ASSUMED_ITERATIONS, 0.5]


def test_the_elements_of_an_empty_tensor() -> None:
    _, amounts = counted(matmul_kernel, [meta(0, 64), meta(64, 64), meta(0, 64)], 32, 32, 32)
    assert math.prod(amounts.grid) == 0


def doubled(x: Any, y: Any) -> None:
    pointers = y.source.data_ptr() + y.offsets(0)
    ntl.store(pointers, 2 * x, mask=y.offsets(0) < y.source.shape[0])
    ntl.atomic_add(pointers, x)


def test_pointers_move_what_they_point_to() -> None:
    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((64,)), y.tile((64,))

    kernel = ninetoothed.make(arrangement, doubled, (Tensor(1), Tensor(1)))
    footprint, amounts = counted(kernel, [meta(640), meta(640)])
    assert sorted(moved(footprint, amounts)) == [("atomic", 1280), ("load", 1280), ("store", 1280)]


def near(kernel: Kernel, *values: Any) -> list[Contiguity]:
    signature = bind(kernel.definition.interface, values, {}).signature
    (op,) = kernel.composed(signature).body.ops
    assert isinstance(op, nt.KernelOp)
    return contiguity(op, signature)


def test_neighbours_lie_along_the_dim_of_stride_one() -> None:
    row_major, column_major = meta(128, 64), meta(64, 128).T
    found = near(matmul_kernel, column_major, meta(64, 96), meta(128, 96))
    assert found[0] == Contiguity(0, True)
    assert near(matmul_kernel, row_major, meta(64, 96), meta(128, 96))[0] == Contiguity(1, True)
    # A row of 99 elements puts the next one anywhere.
    assert near(matmul_kernel, meta(128, 99), meta(99, 96), meta(128, 96))[0] == Contiguity(1)
    assert near(add_kernel, meta(999), meta(999), meta(999))[0] == Contiguity(0)


def flattened() -> Kernel:
    def arrangement(x: Tensor, out: Tensor, size: Any = block_size()) -> tuple[Tensor, ...]:
        return x.flatten().tile((size,)), out.flatten().tile((size,))

    def application(x: Any, out: Any) -> None:
        out = x  # pyright: ignore[reportUnusedVariable]

    return ninetoothed.make(arrangement, application, (Tensor(3), Tensor(3)))


def test_neighbours_of_a_flattened_tensor() -> None:
    whole, part = meta(4, 8, 16), meta(4, 8, 32)[..., :16]
    assert near(flattened(), whole, whole) == [Contiguity(0, True)] * 2
    # Where rows end, the next element is anywhere.
    assert near(flattened(), part, whole) == [Contiguity(0), Contiguity(0, True)]
    # What is left over of a row is no whole vector.
    assert near(flattened(), meta(3, 5, 7), meta(3, 5, 7)) == [Contiguity(0)] * 2


@pytest.mark.parametrize(
    ("expr", "low", "high"),
    [
        (sym("i") * 8 + sym("b"), 0, 31),
        (sym("b") - sym("i"), -3, 7),
        (-sym("b"), -7, 0),
        (sym("b") * -2, -14, 0),
        ((sym("i") * 8 + sym("b")) // 4, 0, 7),
        (sym("b") % 5, 0, 4),
    ],
)
def test_spans(expr: Any, low: int, high: int) -> None:
    ranges: Mapping[str, Any] = {"i": (const(0), const(3)), "b": (const(0), const(7))}
    found = span(as_expr(expr), ranges)
    assert [evaluate(end, {}) for end in found] == [low, high]
