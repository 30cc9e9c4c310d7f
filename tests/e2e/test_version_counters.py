"""Autograd notices what a kernel writes, and does not mind what it reads."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor, block_size
from ninetoothed.errors import ArgumentError, AssertionFailedError
from ninetoothed.kernel.kernel import Kernel

BLOCK = 64


def blocks(*tensors):
    return tuple(tensor.tile((BLOCK,)) for tensor in tensors)


def doubled(x, output):
    output = x * 2


def both(x, one, other):
    one = x + 1
    other = x + 2


def in_place(x):
    x = x * 2


def made(application, count):
    return ninetoothed.make(blocks, application, tuple(Tensor(1) for _ in range(count)))


double = made(doubled, 2)


def versions(*tensors: torch.Tensor) -> list[int]:
    return [tensor._version for tensor in tensors]


def raised(kernel: Kernel, *tensors: torch.Tensor) -> list[bool]:
    """Of which tensors a call raises the version counter; no counter is lowered."""
    before = versions(*tensors)
    kernel(*tensors)
    pairs = list(zip(versions(*tensors), before, strict=True))
    assert all(new >= old for new, old in pairs)
    return [new > old for new, old in pairs]


def test_backward_of_an_overwritten_tensor(device):
    weight = torch.ones(100, device=device, requires_grad=True)
    saved = torch.randn(100, device=device)
    product = (weight * saved).sum()
    # The first call is compiled, the second one kept, and the third a repeated one.
    for _ in range(3):
        double(torch.ones(100, device=device), saved)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


def test_backward_of_a_tensor_that_is_read(device):
    weight = torch.ones(100, device=device, requires_grad=True)
    saved = torch.randn(100, device=device)
    product = (weight * saved).sum()
    for _ in range(4):
        before = saved._version
        double(saved, torch.empty(100, device=device))
        assert saved._version == before
    product.backward()
    assert weight.grad is not None


def test_each_written_tensor(device):
    kernel = made(both, 3)
    x, one, other = torch.zeros(3, 100, device=device).unbind()
    x, one, other = x.clone(), one.clone(), other.clone()
    for _ in range(4):
        assert raised(kernel, x, one, other) == [False, True, True]


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint16, torch.bfloat16, torch.float64])
def test_element_types(device, dtype):
    def application(x, output):
        output = x

    kernel = made(application, 2)
    x = torch.zeros(100, dtype=dtype, device=device)
    output = torch.ones_like(x)
    for _ in range(4):
        assert raised(kernel, x, output) == [False, True]


def test_in_place_and_given_twice(device):
    scale = made(in_place, 1)
    x = torch.ones(100, device=device)
    for _ in range(4):
        assert raised(scale, x) == [True]
    for _ in range(4):
        assert raised(double, x, x) == [True, True]


def test_views_share_a_counter(device):
    base = torch.zeros(200, device=device)
    view, rest = base[50:150], base[:50]
    for _ in range(4):
        before = base._version
        double(torch.ones(100, device=device), view)
        assert view._version == base._version == rest._version > before
        assert view.detach()._version == base._version


def test_a_tensor_of_no_dims(device):
    def arrangement(x, output):
        return x.tile((BLOCK,)), output.tile(())

    def application(x, output):
        ntl.atomic_add(output.data_ptr(), ntl.sum(x))

    kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(0)))
    x, output = torch.ones(100, device=device), torch.zeros((), device=device)
    for _ in range(4):
        assert raised(kernel, x, output) == [False, True]


def test_inference_tensors(device):
    with torch.inference_mode():
        output = torch.zeros(100, device=device)
    for _ in range(4):
        double(torch.ones(100, device=device), output)
    assert output.is_inference()
    assert output.sum() == 200


def test_inside_inference_mode(device):
    output = torch.zeros(100, device=device)
    with torch.inference_mode():
        for _ in range(4):
            before = output._version
            double(torch.ones(100, device=device), output)
            assert output._version > before


def test_without_programs(device):
    x, output = torch.zeros(2, 0, device=device)
    double(x, output)
    assert versions(x, output) == [0, 0]


def test_a_refused_call(device):
    output = torch.zeros(200, device=device)
    with pytest.raises(ArgumentError):
        double(torch.zeros(100, device=device), output)
    assert output._version == 0


def test_nested_tensors(device):
    def arrangement(x, output):
        return tuple(one.tile((1, BLOCK)).tile((1, -1)) for one in (x, output))

    def application(x, output):
        for i in range(x.shape[1]):
            output[0, i] = x[0, i] * 2

    tensors = tuple(Tensor(2, jagged_dim=1) for _ in range(2))
    kernel = ninetoothed.make(arrangement, application, tensors)
    x = torch.nested.as_nested_tensor(
        [torch.ones(3), torch.ones(70)], layout=torch.jagged, device=device
    )
    output = torch.zeros_like(x)
    for _ in range(2):
        before = versions(x, output, x.values(), output.values())
        kernel(x, output)
        after = versions(x, output, x.values(), output.values())
        assert after[0::2] == before[0::2]
        assert after[1] > before[1]
        assert after[3] > before[3]
    assert output.values().sum() == 146


def test_a_kernel_specialized_on_block_sizes(device):
    block = block_size()

    def arrangement(x, output):
        return x.tile((block,)), output.tile((block,))

    def application(x, output):
        total = x
        for _ in ntl.static_range(x.shape[0] // x.shape[0]):
            total = total + x
        output = total

    kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)))
    x, output = torch.ones(100, device=device), torch.zeros(100, device=device)
    for _ in range(4):
        assert raised(kernel, x, output) == [False, True]


def test_a_program_that_fails():
    def application(x, output):
        output = x
        ntl.device_assert(x < 0, "x must be negative")

    kernel = made(application, 2)
    output = torch.zeros(100)
    with pytest.raises(AssertionFailedError):
        kernel(torch.ones(100), output)
    assert output._version > 0


def test_threads(device):
    outputs = [torch.zeros(100, device=device) for _ in range(4)]
    x = torch.ones(100, device=device)
    double(x, torch.empty_like(x))

    def calls(output: torch.Tensor) -> Callable[[], None]:
        def run() -> None:
            for _ in range(20):
                double(x, output)

        return run

    threads = [threading.Thread(target=calls(output)) for output in outputs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert x._version == 0
    assert all(output._version >= 20 for output in outputs)


def test_a_function_of_autograd(device):
    """What the docs show: the kernels of both directions inside of a Function."""

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            output = torch.empty_like(x)
            double(x, output)
            return output

        @staticmethod
        def backward(ctx, gradient):
            found = torch.empty_like(gradient)
            double(gradient, found)
            return found

    x = torch.randn(100, device=device, requires_grad=True)
    Double.apply(x).sum().backward()
    assert torch.equal(x.grad, torch.full_like(x, 2))


@pytest.mark.gpu
def test_a_captured_graph():
    x, output = torch.ones(100, device="cuda"), torch.zeros(100, device="cuda")
    double(x, output)
    graph = torch.cuda.CUDAGraph()
    before = versions(x, output)
    with torch.cuda.graph(graph):
        double(x, output)
    after = versions(x, output)
    assert after[0] == before[0]
    assert after[1] > before[1]
    output.zero_()
    graph.replay()
    torch.cuda.synchronize()
    assert output.sum() == 200
