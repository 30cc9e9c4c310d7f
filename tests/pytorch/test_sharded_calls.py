"""Kernels on DTensors: on each rank of a mesh of processes, the results are those of whole tensors.

Functions that take a mesh run on its ranks.
"""

# pyright: reportUnusedVariable=false, reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportPrivateUsage=false, reportUnknownMemberType=false

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.exc import Unsupported
from torch.autograd.function import once_differentiable
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard

import examples.attention
import examples.embedding
import examples.matmul
import examples.rms_norm
import examples.silu
import examples.softmax
import examples.swiglu
import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor
from ninetoothed.errors import GradientWarning
from tests.support.mesh_ranks import MESHES, MeshRanks, close, collectives, placed

WHOLE = Replicate()
LINES = [shape for shape in MESHES if len(shape) == 1]
each_line = pytest.mark.parametrize("shape", LINES, ids=[f"{shape[0]} ranks" for shape in LINES])

matmul_kernel = examples.matmul.matmul_kernel
matmul = ninetoothed.make(
    examples.matmul.arrangement,
    examples.matmul.application,
    (Tensor(2), Tensor(2), Tensor(2)),
    outputs=("output",),
)
softmax_kernel = examples.softmax.softmax_kernel
softmax = ninetoothed.make(
    examples.softmax.arrangement,
    examples.softmax.application,
    (Tensor(2), Tensor(2)),
    outputs={"output": "input"},
)
rms_norm = ninetoothed.make(
    examples.rms_norm.arrangement,
    examples.rms_norm.application,
    (Tensor(2), Tensor(1), Tensor(0), Tensor(2)),
    outputs={"output": "input"},
)
swiglu = ninetoothed.make(
    examples.silu.arrangement,
    examples.swiglu.application,
    tuple(Tensor(2) for _ in range(3)),
    outputs=("output",),
)
attention = ninetoothed.make(
    examples.attention.arrangement,
    examples.attention.application,
    tuple(
        getattr(examples.attention, name)
        for name in ("query", "key", "value", "is_causal", "scale", "output", "logsumexp")
    ),
    outputs={
        "output": lambda query, value: (*query.shape[:-1], value.shape[-1]),
        "logsumexp": lambda query: query.shape[:-1],
    },
)

BLOCK = Symbol("BLOCK", constexpr=True)
is_scaled = Tensor(0, constexpr=True)


def scale_arrangement(x: Any, factor: Any, is_scaled: Any, y: Any) -> Any:
    return x.tile((BLOCK,)), factor, is_scaled, y.tile((BLOCK,))


def scale_application(x: Any, factor: Any, is_scaled: Any, y: Any) -> None:
    y = x * factor if is_scaled else x + factor


scale = ninetoothed.make(
    scale_arrangement,
    scale_application,
    (Tensor(1), Tensor(0), is_scaled, Tensor(1)),
    outputs=("y",),
)
named_scale = ninetoothed.operator("sharded::scale", scale)


def rows_arrangement(x: Any, is_shifted: Any, y: Any) -> Any:
    return x.tile((1, -1)), is_shifted, y.tile((1, -1))


def rows_application(x: Any, is_shifted: Any, y: Any) -> None:
    y = x - ntl.max(x) if is_shifted else x * 2


rows = ninetoothed.make(
    rows_arrangement,
    rows_application,
    (Tensor(2), Tensor(0, constexpr=True), Tensor(2)),
    outputs={"y": "x"},
)
named_rows = ninetoothed.operator("sharded::rows", rows)
named_matmul = ninetoothed.operator("sharded::untrained_matmul", matmul)


def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(*inputs)


@once_differentiable
def matmul_backward(ctx: Any, gradient: Any) -> Any:
    input, other = ctx.saved_tensors
    return named_matmul(gradient, other.T), named_matmul(input.T, gradient)


trained_matmul = ninetoothed.operator(
    "sharded::matmul", matmul, backward=matmul_backward, setup_context=setup_context
)


# What allocates its outputs.


def products(mesh: DeviceMesh, m: int, k: int, n: int) -> None:
    lhs, rhs = torch.randn(m, k), torch.randn(k, n)
    for function in (matmul, torch.ops.sharded.matmul):
        for rows, columns in itertools.product((WHOLE, Shard(0), Shard(1), Partial()), repeat=2):
            close(function(placed(mesh, lhs, rows), placed(mesh, rhs, columns)), lhs @ rhs)


@each_line
@pytest.mark.parametrize(
    "sizes", [(8, 12, 4), (7, 10, 5), (9, 5, 7), (5, 1, 9), (0, 3, 2), (4, 0, 3)], ids=str
)
def test_products(ranks: MeshRanks, shape: tuple[int, ...], sizes: tuple[int, ...]) -> None:
    ranks(shape, products, *sizes)


def without_gradients(mesh: DeviceMesh) -> None:
    # A kernel warns once.
    kernel = ninetoothed.make(
        examples.softmax.arrangement,
        examples.softmax.application,
        (Tensor(2), Tensor(2)),
        outputs={"output": "input"},
    )
    x = placed(mesh, torch.randn(6, 4), Shard(0)).requires_grad_()
    with pytest.warns(GradientWarning):
        assert not kernel(x).requires_grad


def test_calls_without_gradients(ranks: MeshRanks) -> None:
    ranks((2,), without_gradients)


def columns_then_rows(mesh: DeviceMesh) -> None:
    x, up, down = torch.randn(6, 10), torch.randn(10, 13), torch.randn(13, 7)
    tensors = (placed(mesh, x, WHOLE), placed(mesh, up, Shard(1)), placed(mesh, down, Shard(0)))
    hidden, found = collectives(lambda: matmul(*tensors[:2]))
    assert hidden.placements == (Shard(1),)
    assert not found
    result, found = collectives(lambda: matmul(hidden, tensors[2]))
    assert result.placements == (Partial(),)
    assert not found
    result, found = collectives(lambda: result.redistribute(placements=[WHOLE]))
    assert found == {"all_reduce": 1}
    close(result, x @ up @ down)


@each_line
def test_columns_then_rows(ranks: MeshRanks, shape: tuple[int, ...]) -> None:
    ranks(shape, columns_then_rows)


def rows_of_norms(mesh: DeviceMesh) -> None:
    x, weight = torch.randn(9, 33), torch.randn(33)
    expected = torch.nn.functional.rms_norm(x, (33,), weight, 1e-6)
    for placement in (WHOLE, Shard(0), Shard(1)):
        found = rms_norm(placed(mesh, x, placement), placed(mesh, weight, WHOLE), 1e-6)
        assert found.placements[0] != Shard(1)
        close(found, expected)
        close(softmax(placed(mesh, x, placement)), x.softmax(1))
    rows, found = collectives(
        lambda: rms_norm(placed(mesh, x, Shard(0)), placed(mesh, weight, WHOLE), 1e-6)
    )
    assert rows.placements == (Shard(0),)


@each_line
def test_norms(ranks: MeshRanks, shape: tuple[int, ...]) -> None:
    ranks(shape, rows_of_norms)


def heads(mesh: DeviceMesh) -> None:
    query, key, value = (
        torch.randn(7, 5, 3, 9, 16),
        torch.randn(7, 5, 11, 16),
        torch.randn(7, 5, 11, 8),
    )
    # The second dim is that of heads, the first one of the batch.
    for dim, is_causal in itertools.product((0, 1), (False, True)):
        output, logsumexp = attention(
            *(placed(mesh, one, Shard(dim)) for one in (query, key, value)), is_causal, 0.25
        )
        assert output.placements == logsumexp.placements == (Shard(dim),)
        whole = attention(query, key, value, is_causal, 0.25)
        close(output, whole[0])
        close(logsumexp, whole[1])
    # Positions of queries are counted from the first one.
    output, _ = attention(
        placed(mesh, query, Shard(3)),
        *(placed(mesh, one, WHOLE) for one in (key, value)),
        True,
        0.25,
    )
    assert output.placements != (Shard(3),)
    close(output, attention(query, key, value, True, 0.25)[0])


@each_line
def test_attention(ranks: MeshRanks, shape: tuple[int, ...]) -> None:
    ranks(shape, heads)


def feed_forward(mesh: DeviceMesh) -> None:
    x, gate, up, down = (torch.randn(*sizes) for sizes in ((6, 10), (10, 21), (10, 21), (21, 10)))
    rows = placed(mesh, down, Shard(0))
    split = placed(mesh, x, WHOLE), *(placed(mesh, one, Shard(1)) for one in (gate, up))

    def block() -> DTensor:
        hidden = swiglu(matmul(split[0], split[1]), matmul(split[0], split[2]))
        assert hidden.placements == (Shard(1),)
        product = matmul(hidden, rows)
        return product.redistribute(placements=[WHOLE])

    expected = (torch.nn.functional.silu(x @ gate) * (x @ up)) @ down
    result, found = collectives(block)
    assert found == {"all_reduce": 1}
    close(result, expected)


@each_line
def test_swiglu(ranks: MeshRanks, shape: tuple[int, ...]) -> None:
    ranks(shape, feed_forward)


def sums_by_atomics(mesh: DeviceMesh) -> None:
    rows = 11
    kernel = ninetoothed.make(
        examples.embedding.arrangement,
        examples.embedding.backward_application,
        (Tensor(1, dtype=ninetoothed.int64), Tensor(2, dtype=ninetoothed.float32), Tensor(2)),
        outputs={"weight_gradient": lambda gradient: (rows, gradient.shape[1])},
    )
    index, gradient = torch.randint(rows, (13,)), torch.randn(13, 6)
    expected = torch.zeros(rows, 6).index_add(0, index, gradient)
    found = kernel(placed(mesh, index, Shard(0)), placed(mesh, gradient, Shard(0)))
    assert found.placements == (Partial(),)
    close(found, expected)
    table = placed(mesh, torch.ones(rows, 6), Partial())
    kernel(placed(mesh, index, Shard(0)), placed(mesh, gradient, Shard(0)), out=table)
    close(table, expected + 1)


@each_line
def test_sums_by_atomics(ranks: MeshRanks, shape: tuple[int, ...]) -> None:
    ranks(shape, sums_by_atomics)


def two_dims(mesh: DeviceMesh) -> None:
    lhs, rhs = torch.randn(7, 10), torch.randn(10, 5)
    choices = (WHOLE, Shard(0), Shard(1))
    for rows, columns in itertools.product(itertools.product(choices, repeat=2), repeat=2):
        close(matmul(placed(mesh, lhs, *rows), placed(mesh, rhs, *columns)), lhs @ rhs)
    legal = {
        ((Shard(0), WHOLE), (WHOLE, Shard(1))): (Shard(0), Shard(1)),
        ((Shard(0), Shard(1)), (WHOLE, Shard(0))): (Shard(0), Partial()),
        ((Shard(0), Shard(0)), (WHOLE, WHOLE)): (Shard(0), Shard(0)),
        ((Shard(1), Shard(1)), (Shard(0), Shard(0))): (Partial(), Partial()),
    }
    for (rows, columns), expected in legal.items():
        tensors = placed(mesh, lhs, *rows), placed(mesh, rhs, *columns)
        result, found = collectives(lambda tensors=tensors: matmul(*tensors))
        assert result.placements == expected
        assert not found
    # Functions tell these shapes.
    query, key = torch.randn(3, 5, 1, 9, 16), torch.randn(3, 5, 9, 16)
    tensors = [placed(mesh, one, Shard(0), Shard(1)) for one in (query, key, key)]
    output, _ = attention(*tensors, True, 0.25)
    assert output.placements == (Shard(0), Shard(1))
    close(output, attention(query, key, key, True, 0.25)[0])


def test_mesh_of_two_dims(ranks: MeshRanks) -> None:
    ranks((2, 2), two_dims)


def numbers(mesh: DeviceMesh) -> None:
    x = torch.arange(11.0)
    split = placed(mesh, x, Shard(0))
    # The second time, all are known.
    calls = [*itertools.product((2, 2.5, True), (True, False), (4, 64))] * 2
    for factor, flag, block in calls:
        found = scale(split, factor, flag, BLOCK=block)
        assert found.placements == (Shard(0),)
        close(found, x * factor if flag else x + factor)
        found = torch.ops.sharded.scale(split, factor, flag, block)
        close(found, x * factor if flag else x + factor)
    close(scale(split, torch.tensor(3.0), True, BLOCK=16), x * 3)


def test_numbers_and_symbols(ranks: MeshRanks) -> None:
    ranks((2,), numbers)


def numbers_that_decide(mesh: DeviceMesh) -> None:
    x = torch.randn(4, 9)
    columns = placed(mesh, x, Shard(1))
    for kernel in (named_rows, rows) * 2:
        doubled = kernel(columns, False)
        assert doubled.placements == (Shard(1),)
        close(doubled, x * 2)
        shifted = kernel(columns, True)
        assert shifted.placements != (Shard(1),)
        close(shifted, x - x.amax(1, keepdim=True))


def test_numbers_that_decide_the_rules(ranks: MeshRanks) -> None:
    ranks((2,), numbers_that_decide)


def told_shapes(mesh: DeviceMesh) -> None:
    def made(outputs: Any) -> Any:
        return ninetoothed.make(
            examples.matmul.arrangement,
            examples.matmul.application,
            (Tensor(2), Tensor(2), Tensor(2)),
            outputs=outputs,
        )

    square = torch.randn(12, 12)
    rows, columns = placed(mesh, square, Shard(0)), placed(mesh, square, Shard(1))
    whole = placed(mesh, square, WHOLE)
    # What is like a tensor that is not split cannot be.
    like_input = made({"output": "input"})
    assert like_input(rows, whole).placements == (Shard(0),)
    assert like_input(whole, columns).placements != (Shard(1),)
    close(like_input(whole, columns), square @ square)
    # What always has one size cannot be, either.
    constant = made({"output": lambda input: (12, 12)})
    found = constant(rows, whole)
    assert found.placements == (WHOLE,)
    close(found, square @ square)
    told = made({"output": lambda input, other: (input.shape[0], other.shape[1])})
    assert told(rows, whole).placements == (Shard(0),)
    assert told(whole, columns).placements == (Shard(1),)


def test_shapes_that_are_told(ranks: MeshRanks) -> None:
    ranks((3,), told_shapes)


# What writes into tensors.


def written(mesh: DeviceMesh) -> None:
    lhs, rhs = torch.randn(7, 10), torch.randn(10, 5)
    empty = torch.full((7, 5), torch.nan)
    cases: list[tuple[Any, Any, Any]] = [
        (Shard(0), WHOLE, Shard(0)),
        (WHOLE, Shard(1), Shard(1)),
        (WHOLE, WHOLE, WHOLE),
    ]
    for rows, columns, result in cases:
        output = placed(mesh, empty, result)
        version = output._version
        matmul_kernel(placed(mesh, lhs, rows), placed(mesh, rhs, columns), output)
        assert output._version > version
        close(output, lhs @ rhs)
    inputs = placed(mesh, lhs, Shard(1)), placed(mesh, rhs, Shard(0))
    output = placed(mesh, torch.zeros(7, 5), Partial())
    assert matmul(*inputs, out=output) is output
    close(output, lhs @ rhs)
    # One tensor for two arguments.
    tensor = placed(mesh, lhs, Shard(0))
    softmax_kernel(tensor, tensor)
    close(tensor, lhs.softmax(1))
    # A kernel warns once.
    kernel = ninetoothed.make(
        examples.softmax.arrangement, examples.softmax.application, (Tensor(2), Tensor(2))
    )
    with pytest.warns(GradientWarning):
        kernel(tensor.clone().requires_grad_(), tensor)


@each_line
def test_written(ranks: MeshRanks, shape: tuple[int, ...]) -> None:
    ranks(shape, written)


def written_on_two_dims(mesh: DeviceMesh) -> None:
    lhs, rhs = torch.randn(7, 10), torch.randn(10, 5)
    output = placed(mesh, torch.zeros(7, 5), Shard(0), Shard(1))
    matmul_kernel(placed(mesh, lhs, Shard(0), WHOLE), placed(mesh, rhs, WHOLE, Shard(1)), output)
    close(output, lhs @ rhs)


def test_written_on_a_mesh_of_two_dims(ranks: MeshRanks) -> None:
    ranks((2, 2), written_on_two_dims)


# Gradients, and torch's compiler.


def training(mesh: DeviceMesh) -> None:
    tensors = torch.randn(6, 10), torch.randn(10, 13), torch.randn(13, 7)
    placements = WHOLE, Shard(1), Shard(0)

    def loss(product: Any, x: Any, up: Any, down: Any) -> Any:
        return product(torch.relu(product(x, up)), down).square().sum()

    plain = [one.clone().requires_grad_() for one in tensors]
    expected = loss(torch.matmul, *plain)
    expected.backward()
    for compiled in (loss, torch.compile(loss, fullgraph=True, backend="aot_eager")):
        split = [
            placed(mesh, one, placement).requires_grad_()
            for one, placement in zip(tensors, placements, strict=True)
        ]
        found = compiled(trained_matmul, *split)
        close(found, expected.detach())
        found.backward()
        for one, other, placement in zip(split, plain, placements, strict=True):
            assert isinstance(one.grad, DTensor)
            assert other.grad is not None
            close(one.grad, other.grad)
            if isinstance(placement, Shard):
                assert one.grad.placements == (placement,)


def test_gradients(ranks: MeshRanks) -> None:
    ranks((2,), training)


def batches(mesh: DeviceMesh) -> None:
    x, y = torch.randn(2, 6, 10), torch.randn(10, 7)
    calls = torch.func.vmap(named_matmul, in_dims=(0, None))
    with pytest.warns(ninetoothed.VmapWarning, match="DTensors are distributed call by call"):
        found = calls(placed(mesh, x, Shard(1)), placed(mesh, y, WHOLE))
    close(found, x @ y)


def test_batches_of_calls(ranks: MeshRanks) -> None:
    ranks((2,), batches)


def compiled_calls(mesh: DeviceMesh) -> None:
    torch._dynamo.reset()
    graphs: list[str] = []

    def recorded(graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Any:
        graphs.append(graph.code)
        return graph

    backend = aot_autograd(fw_compiler=recorded)
    x, up, down = torch.randn(6, 10), torch.randn(10, 13), torch.randn(13, 7)
    tensors = (placed(mesh, x, WHOLE), placed(mesh, up, Shard(1)), placed(mesh, down, Shard(0)))
    for function in (matmul, named_matmul):
        graphs.clear()

        def block(x: Any, up: Any, down: Any, function: Any = function) -> Any:
            product = function(function(x, up), down)
            return product.redistribute(placements=[WHOLE])

        close(torch.compile(block, fullgraph=True, backend=backend)(*tensors), x @ up @ down)
        (code,) = graphs
        assert code.count("_c10d_functional.all_reduce") == 1
        assert "all_gather" not in code
        counted = torch.compile(block, fullgraph=True, backend="aot_eager", dynamic=True)
        for rows in (6, 5, 9):
            other = torch.randn(rows, 10)
            close(counted(placed(mesh, other, WHOLE), *tensors[1:]), other @ up @ down)
    causal = torch.compile(attention, fullgraph=True, backend="aot_eager")
    query, key = torch.randn(2, 4, 1, 9, 16), torch.randn(2, 4, 9, 16)
    split = [placed(mesh, one, Shard(1)) for one in (query, key, key)]
    close(causal(*split, True, 0.25)[0], attention(query, key, key, True, 0.25)[0])


def test_compiled(ranks: MeshRanks) -> None:
    ranks((2,), compiled_calls)


def compiled_with_inductor(mesh: DeviceMesh) -> None:
    torch._dynamo.reset()
    x, up = torch.randn(6, 10), torch.randn(10, 13)
    compiled = torch.compile(lambda x, up: matmul(x, up) + 1, fullgraph=True)
    close(compiled(placed(mesh, x, WHOLE), placed(mesh, up, Shard(1))), x @ up + 1)


def test_inductor(ranks: MeshRanks) -> None:
    ranks((2,), compiled_with_inductor)


def compiled_that_write(mesh: DeviceMesh) -> None:
    torch._dynamo.reset()
    x, up = torch.randn(6, 10), torch.randn(10, 13)
    tensors = placed(mesh, x, WHOLE), placed(mesh, up, Shard(1))
    output = placed(mesh, torch.zeros(6, 13), Shard(1))

    def block(x: Any, up: Any, output: Any) -> Any:
        matmul_kernel(x, up, output)
        return output + 1

    close(torch.compile(block, backend="aot_eager")(*tensors, output), x @ up + 1)
    torch._dynamo.reset()
    with pytest.raises(Unsupported, match="kernels that write into DTensors are not traced"):
        torch.compile(block, fullgraph=True, backend="aot_eager")(*tensors, output)


def test_compiled_that_write(ranks: MeshRanks) -> None:
    ranks((2,), compiled_that_write)


LATE = """
import sys

import torch

import ninetoothed
from ninetoothed import Tensor, block_size

SIZE = block_size()
tensors = (Tensor(1), Tensor(1))


def arrangement(x, y):
    return x.tile((SIZE,)), y.tile((SIZE,))


def application(x, y):
    y = x + 1


kernel = ninetoothed.make(arrangement, application, tensors, outputs=("y",))
named = ninetoothed.operator("late::increment", kernel)
x = torch.arange(5.0)
assert torch.equal(kernel(x), x + 1)
assert torch.equal(named(x), x + 1)
assert "torch.distributed.tensor" not in sys.modules

import torch.distributed
from torch.distributed.tensor import DeviceMesh, Shard, distribute_tensor

torch.distributed.init_process_group("gloo", init_method=sys.argv[1], rank=0, world_size=1)
split = distribute_tensor(x, DeviceMesh("cpu", [0]), [Shard(0)])
for function in (named, kernel):
    found = function(split)
    assert found.placements == (Shard(0),)
    assert torch.equal(found.full_tensor(), x + 1)
torch.distributed.destroy_process_group()
"""


def test_plain_calls_load_nothing_of_dtensor(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(LATE)
    store = f"file://{tmp_path / 'store'}"
    subprocess.run([sys.executable, "late.py", store], cwd=tmp_path, check=True)
