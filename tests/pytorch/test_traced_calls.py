"""Calls that torch traces: each is a call of an operator, whatever the arguments."""

# pyright: reportUnusedVariable=false, reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownLambdaType=false
# pyright: reportFunctionMemberAccess=false, reportPrivateUsage=false, reportArgumentType=false
# pyright: reportCallIssue=false, reportAttributeAccessIssue=false
# Kernels are written in the language, whose parameters have no types; so is torch's graph.

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch._dynamo.testing
from torch._subclasses.fake_tensor import FakeTensorMode

import ninetoothed
import ninetoothed.language as ntl
from examples.add import add, add_kernel
from examples.jagged_padding import pad_kernel
from ninetoothed import Symbol, Tensor
from ninetoothed.errors import ArgumentError, GradientWarning
from tests.support.imports import ROOT

BACKENDS = ("eager", "aot_eager", "inductor")

BLOCK = Symbol("BLOCK", constexpr=True)


def in_blocks(x, y):
    return x.tile((BLOCK,)), y.tile((BLOCK,))


def doubled(x, y):
    y = x * 2


double = ninetoothed.make(in_blocks, doubled, (Tensor(1), Tensor(1)))


def scaled_arrangement(x, factor, y):
    return x.tile((64,)), factor, y.tile((64,))


def scaled(x, factor, y):
    y = x * factor


scale = ninetoothed.make(scaled_arrangement, scaled, (Tensor(1), Tensor(0), Tensor(1)))


def summed_arrangement(x, y):
    tiled = y.tile((4,))
    return x.tile((-1,)).expand((tiled.shape[0],)), tiled


def summed(x, y):
    y = y + ntl.sum(x)


add_sum = ninetoothed.make(summed_arrangement, summed, (Tensor(1), Tensor(1)))
"""Each program reads all of x and writes a part of y: they must not share memory."""


def twice_arrangement(x, y):
    return x.tile((64,)), x.tile((64,)), y.tile((64,))


def twice(first, second, y):
    y = first + second


add_twice = ninetoothed.make(twice_arrangement, twice, (Tensor(1), Tensor(1)))


def graph(function: Callable[..., Any], *args: Any, dynamic: bool = False) -> torch.fx.Graph:
    """The graph that torch's compiler makes of a function, whole."""
    graphs: list[torch.fx.Graph] = []

    def backend(module: torch.fx.GraphModule, _: list[torch.Tensor]) -> Callable[..., Any]:
        graphs.append(module.graph)
        return module.forward

    torch.compile(function, fullgraph=True, backend=backend, dynamic=dynamic)(*args)
    (found,) = graphs
    return found


def call_of(function: Callable[..., Any], *args: Any) -> torch.fx.Node:
    """The call of an operator of ours in a function's graph."""
    (found,) = (
        node
        for node in graph(function, *args).nodes
        if node.op == "call_function" and str(node.target).startswith("ninetoothed.")
    )
    return found


def test_operator_of_a_call() -> None:
    call = call_of(add, torch.ones(5), torch.ones(5))
    assert re.fullmatch(r"ninetoothed\.add_kernel_[0-9a-f]{16}\.rrw", str(call.target))
    schema = str(call.target._schema).split("(", 1)[1]
    assert schema == "Tensor lhs, Tensor rhs, Tensor(output!) output) -> ()"


def test_operator_has_the_same_name_in_another_process() -> None:
    program = (
        "import torch\n"
        "from tests.pytorch.test_traced_calls import add, call_of\n"
        "print(call_of(add, torch.ones(5), torch.ones(5)).target)\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    call = call_of(add, torch.ones(5), torch.ones(5))
    assert found.stdout.strip() == str(call.target)


@pytest.mark.parametrize(
    ("factor", "letters"),
    [(2, "riw"), (2.5, "rfw"), (True, "rbw"), (torch.tensor(3.0), "rrw")],
    ids=["int", "float", "bool", "tensor"],
)
def test_numbers(device: str, factor: Any, letters: str) -> None:
    def function(x: torch.Tensor, factor: Any) -> torch.Tensor:
        y = torch.empty_like(x)
        scale(x, factor, y=y)
        return y

    x = torch.arange(100.0, device=device)
    assert torch.equal(torch.compile(function, fullgraph=True)(x, factor), x * factor)
    assert str(call_of(function, x, factor).target).endswith(f".{letters}")


def test_number_that_is_a_size() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        scale(x, x.shape[0], y)
        return y

    counted = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(function, fullgraph=True, backend=counted, dynamic=True)
    for size in (5, 7, 9):
        assert torch.equal(compiled(torch.ones(size)), torch.full((size,), float(size)))
    assert counted.frame_count == 1


@pytest.mark.parametrize("dynamic", [False, True])
def test_symbols_by_keyword(device: str, dynamic: bool) -> None:
    def function(x: torch.Tensor, block: int) -> torch.Tensor:
        y = torch.empty_like(x)
        double(x, BLOCK=block, y=y)
        return y

    compiled = torch.compile(function, fullgraph=True, dynamic=dynamic)
    x = torch.arange(100.0, device=device)
    for block in (32, 64):
        assert torch.equal(compiled(x, block), x * 2)


def test_tensor_arranged_twice(device: str) -> None:
    def once(x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        add_twice(x, y)
        return y

    def each_time(x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        add_twice(x, x, y)
        return y

    x = torch.arange(100.0, device=device)
    for function in (once, each_time):
        assert torch.equal(torch.compile(function, fullgraph=True)(x), x * 2)


@pytest.mark.parametrize("backend", BACKENDS)
def test_copies_that_only_the_caller_needs(device: str, backend: str) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        y = x.clone()
        add_sum(x, y)
        return y

    x = torch.arange(16.0, device=device)
    assert torch.equal(torch.compile(function, fullgraph=True, backend=backend)(x), function(x))


def test_operator_copies_what_a_pass_made_share_memory(device: str) -> None:
    def function(x: torch.Tensor) -> None:
        add_sum(x, x.clone())

    x = torch.arange(16.0, device=device)
    operator = call_of(function, x).target
    expected = x + x.sum()
    # As a pass would call it that takes the copy for needless.
    operator(x, x)
    assert torch.equal(x, expected)


def test_operator_takes_one_tensor_where_the_caller_gave_one(device: str) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        double(x, x, BLOCK=64)
        return x

    x = torch.arange(100.0, device=device)
    assert str(call_of(function, x).target).endswith(".wwi_0_0_2")
    assert torch.equal(torch.compile(function, fullgraph=True)(x), (x + 1) * 2)


def test_operator_refuses_to_write_one_memory_twice() -> None:
    def both(x, y):
        x = x + 1
        y = y + 1

    kernel = ninetoothed.make(in_blocks, both, (Tensor(1), Tensor(1)))
    operator = call_of(lambda x, y: kernel(x, y, BLOCK=64), torch.ones(4), torch.ones(4)).target
    x = torch.ones(4)
    with pytest.raises(ArgumentError) as raised:
        operator(x, x, 64)
    assert raised.value.message == (
        "x and y are written, and share memory, which no graph of torch can say; give each memory "
        "of its own, or pass one tensor for both"
    )


def test_fake_tensors() -> None:
    with FakeTensorMode():
        result = add(torch.empty(5), torch.empty(5))
    assert result.shape == (5,)


@pytest.mark.parametrize("strict", [False, True])
def test_export(strict: bool) -> None:
    class Module(torch.nn.Module):
        def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return add(x, y) * 2

    size = torch.export.Dim("size", min=2, max=100)
    exported = torch.export.export(
        Module(),
        (torch.ones(5), torch.ones(5)),
        dynamic_shapes=({0: size}, {0: size}),
        strict=strict,
    )
    assert torch.equal(exported.module()(torch.ones(7), torch.ones(7)), torch.full((7,), 4.0))


def test_opcheck(device: str) -> None:
    x, y = torch.randn(2, 50, device=device).unbind()
    operator = call_of(add, x, y).target
    torch.library.opcheck(operator, (x, y, torch.empty_like(x)))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            (torch.ones(4), torch.ones(4)),
            "add_kernel(lhs, rhs, output) takes 3 arguments, but 2 were given; output is missing",
        ),
        (
            (torch.ones(4), torch.ones(4), "x"),
            "one of lhs, rhs, output is neither a tensor nor a number",
        ),
        (
            (torch.ones(4), torch.ones(4), torch.ones(4, 1)),
            "output must have 1 dim, but its shape is (4, 1)",
        ),
    ],
)
def test_wrong_calls_in_a_whole_graph(given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(RuntimeError) as raised:
        torch.compile(lambda: add_kernel(*given), fullgraph=True, backend="eager")()
    assert message in str(raised.value)


def test_wrong_call_outside_of_graphs_has_its_own_error() -> None:
    def function(x: torch.Tensor) -> None:
        add_kernel(x, x)

    with pytest.raises(ArgumentError, match="output is missing"):
        torch.compile(function, backend="eager")(torch.ones(4))


def test_different_tensors_for_one(device: str) -> None:
    def function(x: torch.Tensor, other: torch.Tensor, y: torch.Tensor) -> None:
        add_twice(x, other, y)

    x = torch.ones(4, device=device)
    message = "first and second are one tensor, arranged in two ways, but are given different ones"
    with pytest.raises(RuntimeError, match=message):
        torch.compile(function, fullgraph=True, backend="eager")(x, x.clone(), x.clone())


def test_gradients_that_are_lost() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        kernel(x, y, BLOCK=64)
        return y

    kernel = ninetoothed.make(in_blocks, doubled, (Tensor(1), Tensor(1)))
    x = torch.ones(4, requires_grad=True)
    with pytest.warns(GradientWarning, match="x requires gradients"):
        torch.compile(function, fullgraph=True, backend="aot_eager")(x)


def test_factory_under_the_compiler() -> None:
    made: list[int] = []

    @ninetoothed.factory
    def kernel_of(size: int) -> ninetoothed.Kernel:
        made.append(size)
        return ninetoothed.make(
            lambda x, y: (x.tile((size,)), y.tile((size,))), doubled, (Tensor(1), Tensor(1))
        )

    def function(x: torch.Tensor, size: int) -> torch.Tensor:
        y = torch.empty_like(x)
        kernel_of(size)(x, y)
        return y

    x = torch.arange(100.0)
    for dynamic in (False, True):
        torch._dynamo.reset()
        compiled = torch.compile(function, fullgraph=True, backend="aot_eager", dynamic=dynamic)
        for size in (32, 64):
            assert torch.equal(compiled(x, size), x * 2)
    assert made == [32, 64]
    assert kernel_of(32) is kernel_of(32)


def test_jagged_tensors_without_their_longest_length(device: str) -> None:
    def function(values: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        jagged = torch.nested.nested_tensor_from_jagged(values, offsets)
        output = values.new_empty(2, 4, 3)
        pad_kernel(0.0)(jagged, output)
        return output

    values = torch.randn(5, 3, device=device)
    offsets = torch.tensor([0, 2, 5], device=device)
    compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(values, offsets), function(values, offsets))
