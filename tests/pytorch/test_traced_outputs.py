"""Kernels that allocate their outputs, under torch's compiler: whole graphs, of any size."""

# pyright: reportUnusedVariable=false, reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch._dynamo.testing
from torch._subclasses.fake_tensor import FakeTensorMode

import examples.add
import examples.matmul
import examples.softmax
import ninetoothed
from ninetoothed import Symbol, Tensor
from ninetoothed.errors import ArgumentError

BLOCK = Symbol("BLOCK", constexpr=True)

add = ninetoothed.make(
    examples.add.arrangement,
    examples.add.application,
    (Tensor(1), Tensor(1), Tensor(1)),
    outputs=("output",),
)
matmul = ninetoothed.make(
    examples.matmul.arrangement,
    examples.matmul.application,
    (Tensor(2), Tensor(2), Tensor(2)),
    outputs=("output",),
)
softmax = ninetoothed.make(
    examples.softmax.arrangement,
    examples.softmax.application,
    (Tensor(2), Tensor(2)),
    outputs={"output": "input"},
)


def scaled_arrangement(x: Any, factor: Any, y: Any, z: Any) -> Any:
    return x.tile((BLOCK,)), factor, y.tile((BLOCK,)), z.tile((BLOCK,))


def scaled(x: Any, factor: Any, y: Any, z: Any) -> Any:
    y = x * factor
    z = x + factor


scale = ninetoothed.make(
    scaled_arrangement,
    scaled,
    (Tensor(1), Tensor(0), Tensor(1), Tensor(1)),
    outputs={"z": lambda x, BLOCK: ((x.shape[0] + 0 * BLOCK,), torch.float64), "y": None},
)


def doubled(x: Any, y: Any) -> Any:
    y = x * 2


def both(x: Any, y: Any, z: Any) -> Any:
    y = x + 1
    z = y * 2


rows = ninetoothed.make(
    lambda x, y, z: (x.tile((1, -1)), y.tile((1, -1)), z.tile((1, -1))),
    both,
    (Tensor(2), Tensor(2), Tensor(2)),
    outputs={"z": None, "y": lambda x: x.shape},
)
flat = ninetoothed.make(
    lambda x, y: (x.tile((32,)), y.tile((32,))),
    doubled,
    (Tensor(1), Tensor(1)),
    outputs={"y": lambda x: 3},
)


def program(lhs: torch.Tensor, rhs: torch.Tensor) -> torch.Tensor:
    return softmax(matmul(lhs, other=rhs) * 2) + 1


def graphs(function: Callable[..., Any], *args: Any) -> list[torch.fx.GraphModule]:
    """The graphs that torch's compiler makes of a function, without its copies of mutations."""
    found = torch._dynamo.testing.EagerAndRecordGraphs()
    torch.compile(function, fullgraph=True, backend=found)(*args)
    return found.graphs


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_whole_graph(device: str, backend: str) -> None:
    lhs, rhs = torch.randn(33, 20, device=device), torch.randn(20, 17, device=device)
    compiled = torch.compile(program, fullgraph=True, backend=backend)
    torch.testing.assert_close(compiled(lhs, rhs), program(lhs, rhs))


def test_any_size(device: str) -> None:
    counted = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(program, fullgraph=True, backend=counted, dynamic=True)
    for m, k, n in ((33, 20, 17), (50, 7, 19), (9, 31, 64)):
        lhs, rhs = torch.randn(m, k, device=device), torch.randn(k, n, device=device)
        torch.testing.assert_close(compiled(lhs, rhs), program(lhs, rhs))
    assert counted.frame_count == 1


def test_sizes_that_calls_check(device: str) -> None:
    counted = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(lambda x: rows(x), fullgraph=True, backend=counted, dynamic=True)
    for shape in ((4, 5), (7, 19)):
        x = torch.randn(shape, device=device)
        z, y = compiled(x)
        assert torch.equal(y, x + 1)
        assert torch.equal(z, y * 2)
    assert counted.frame_count == 1


def test_allocation_is_in_the_graph() -> None:
    (graph,) = graphs(lambda x: add(x, x), torch.ones(5))
    assert "new_empty" in str(graph.code)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("factor", [2, 2.5, torch.tensor(3.0)], ids=["int", "float", "tensor"])
def test_functions_numbers_and_symbols(device: str, factor: Any, dynamic: bool) -> None:
    def function(x: torch.Tensor, factor: Any, block: int) -> tuple[torch.Tensor, ...]:
        z, y = scale(x, factor, BLOCK=block)
        return y, z

    compiled = torch.compile(function, fullgraph=True, backend="aot_eager", dynamic=dynamic)
    x = torch.arange(100.0, device=device)
    for block in (32, 64):
        y, z = compiled(x, factor, block)
        assert torch.equal(y, x * factor)
        assert torch.equal(z, (x + factor).double())


def test_out(device: str) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        output = torch.empty_like(x)
        return add(x, x, out=output) + output

    x = torch.arange(100.0, device=device)
    compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(x), x * 4)


def test_fake_tensors() -> None:
    with FakeTensorMode():
        found = matmul(torch.empty(5, 3), torch.empty(3, 7))
    assert found.shape == (5, 7)


@pytest.mark.parametrize("strict", [False, True])
def test_export(strict: bool) -> None:
    class Module(torch.nn.Module):
        def forward(self, lhs: torch.Tensor, rhs: torch.Tensor) -> torch.Tensor:
            return program(lhs, rhs)

    size = torch.export.Dim("size", min=2, max=100)
    exported = torch.export.export(
        Module(),
        (torch.ones(5, 3), torch.ones(3, 7)),
        dynamic_shapes=({0: size}, None),
        strict=strict,
    )
    lhs, rhs = torch.randn(9, 3), torch.randn(3, 7)
    torch.testing.assert_close(exported.module()(lhs, rhs), program(lhs, rhs))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: add(x), "application(lhs, rhs) takes 2 arguments, but 1 was given"),
        (lambda x: add(x, x, x), "leave it out, or pass out=output"),
        (lambda x: add(x, 3), "rhs must be a tensor"),
        (lambda x: add(x, x.half()), "nothing tells the element type of output"),
        (lambda x: add(x, x, out=(x,)), "out must be the tensor output itself, not a tuple of 1"),
        (lambda x: flat(x), "must return its shape, a tuple of 1 size, or (shape, dtype), not 3"),
    ],
)
def test_wrong_calls(call: Callable[[torch.Tensor], Any], message: str) -> None:
    x = torch.ones(4)
    with pytest.raises(Exception) as raised:  # noqa: PT011 - torch's compiler has its own
        torch.compile(call, fullgraph=True, backend="eager")(x)
    # The lines that follow have the text of this test.
    assert message in str(raised.value).partition("from user code")[0]
    torch._dynamo.reset()
    with pytest.raises(ArgumentError) as raised:
        torch.compile(call, backend="eager")(x)
    assert message in str(raised.value)
