"""The examples against torch in float64: ragged, strided, transposed and empty; on the CPU and on a
GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest
import torch

import ninetoothed
from examples import add, matmul, softmax
from ninetoothed import Tensor

RAGGED = (1, 17, 1023, 4097)
GPU_BACKENDS = ("ttir", "triton-python")


def relative_error(result: torch.Tensor, expected: torch.Tensor) -> float:
    """‖result − expected‖ / ‖expected‖ in float64; NaN where any element is."""
    difference = (result.double() - expected.double()).norm()
    return float(difference / expected.double().norm().clamp_min(1e-30))


def kernels(
    device: str, example: ModuleType, tensors: tuple[Tensor, ...]
) -> list[ninetoothed.Kernel]:
    """The example's kernel for every backend of ``device``."""
    backends = GPU_BACKENDS if device == "cuda" else ("interpret",)
    return [
        ninetoothed.make(example.arrangement, example.application, tensors, backend=backend)
        for backend in backends
    ]


def poisoned(like: torch.Tensor) -> torch.Tensor:
    """Of the shape, strides and device of ``like``, full of NaN."""
    return torch.empty_like(like).fill_(float("nan"))


@pytest.mark.parametrize("size", RAGGED)
def test_add_of_ragged_sizes(device: str, size: int) -> None:
    lhs = torch.randn(size, dtype=torch.float16, device=device)
    rhs = torch.randn(size, dtype=torch.float16, device=device)
    for kernel in kernels(device, add, (Tensor(1), Tensor(1), Tensor(1))):
        output = poisoned(lhs)
        kernel(lhs, rhs, output)
        assert torch.equal(output, lhs + rhs)


def test_add_of_strided_tensors(device: str) -> None:
    lhs = torch.randn(3000, device=device)[::3]
    rhs = torch.randn(1000, 2, device=device)[:, 1]
    base = torch.full((4000,), float("nan"), device=device)
    for kernel in kernels(device, add, (Tensor(1), Tensor(1), Tensor(1))):
        output = base[::4]
        kernel(lhs, rhs, output)
        assert torch.equal(output, lhs + rhs)
        assert base[1::4].isnan().all()


@pytest.mark.parametrize(
    ("m", "n", "k"), [(1, 1, 1), (17, 33, 1), (1023, 17, 65), (129, 1023, 4097), (64, 64, 0)]
)
def test_matmul_of_ragged_sizes(device: str, m: int, n: int, k: int) -> None:
    lhs = torch.randn(m, k, dtype=torch.float16, device=device)
    rhs = torch.randn(k, n, dtype=torch.float16, device=device)
    for kernel in kernels(device, matmul, (Tensor(2), Tensor(2), Tensor(2))):
        output = torch.full((m, n), float("nan"), dtype=torch.float32, device=device)
        kernel(lhs, rhs, output)
        assert relative_error(output, lhs.double() @ rhs.double()) < 1e-5


def test_matmul_of_transposed_tensors(device: str) -> None:
    lhs = torch.randn(65, 130, dtype=torch.float16, device=device).T
    rhs = torch.randn(200, 65, dtype=torch.float16, device=device).T
    for kernel in kernels(device, matmul, (Tensor(2), Tensor(2), Tensor(2))):
        output = torch.full((200, 130), float("nan"), device=device).T
        kernel(lhs, rhs, output)
        assert relative_error(output, lhs.double() @ rhs.double()) < 1e-5


@pytest.mark.parametrize("shape", [(5, 781), (1, 1), (3, 1024), (17, 1025)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_softmax_of_any_row(device: str, shape: tuple[int, int], dtype: torch.dtype) -> None:
    input = torch.randn(shape, device=device).to(dtype)
    for kernel in kernels(device, softmax, (Tensor(2), Tensor(2))):
        output = poisoned(input)
        kernel(input, output)
        tolerance = 1e-6 if dtype is torch.float32 else 1e-3
        assert relative_error(output, torch.softmax(input.double(), dim=1)) < tolerance


def test_softmax_of_a_transposed_matrix(device: str) -> None:
    input = torch.randn(781, 6, device=device).T
    for kernel in kernels(device, softmax, (Tensor(2), Tensor(2))):
        output = poisoned(input)
        kernel(input, output)
        assert relative_error(output, torch.softmax(input.double(), dim=1)) < 1e-6


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (add.add, [(0,), (0,)]),
        (matmul.matmul, [(0, 8), (8, 8)]),
        (matmul.matmul, [(8, 8), (8, 0)]),
        (softmax.softmax, [(0, 781)]),
        (softmax.softmax, [(4, 0)]),
    ],
)
def test_empty_tensors(
    device: str, function: Callable[..., torch.Tensor], shapes: list[tuple[int, ...]]
) -> None:
    tensors = [torch.randn(shape, device=device) for shape in shapes]
    result = function(*tensors)
    assert result.numel() == 0


def test_output_may_be_an_input(device: str) -> None:
    values = torch.randn(5000, device=device)
    expected = values + values
    add.add_kernel(values, values, values)
    assert torch.equal(values, expected)


@pytest.mark.gpu
@pytest.mark.parametrize("backend", GPU_BACKENDS)
def test_large_add(backend: str) -> None:
    kernel = ninetoothed.make(
        add.arrangement, add.application, (Tensor(1), Tensor(1), Tensor(1)), backend=backend
    )
    lhs = torch.randn(2**27, dtype=torch.float16, device="cuda")
    rhs = torch.randn(2**27, dtype=torch.float16, device="cuda")
    output = poisoned(lhs)
    kernel(lhs, rhs, output)
    assert torch.equal(output, lhs + rhs)


@pytest.mark.gpu
@pytest.mark.parametrize("backend", GPU_BACKENDS)
def test_large_matmul(backend: str) -> None:
    kernel = ninetoothed.make(
        matmul.arrangement, matmul.application, (Tensor(2), Tensor(2), Tensor(2)), backend=backend
    )
    lhs = torch.randn(4096, 4096, dtype=torch.float16, device="cuda")
    rhs = torch.randn(4096, 4096, dtype=torch.float16, device="cuda")
    output = poisoned(lhs)
    kernel(lhs, rhs, output)
    assert relative_error(output, lhs.double() @ rhs.double()) < 1e-3


@pytest.mark.gpu
def test_offsets_beyond_32_bits() -> None:
    """Two elements 2^31 apart, of a tensor that is mostly a gap."""
    base = torch.zeros(2**31 + 2**21, dtype=torch.int8, device="cuda")
    far = torch.as_strided(base, (2, 1000), (2**31, 1))
    far[1] = 3
    output = torch.zeros(2, 1000, dtype=torch.int8, device="cuda")
    kernel = ninetoothed.make(_copy_arrangement, _copy, (Tensor(2), Tensor(2)))
    kernel(far, output)
    assert torch.equal(output, far)
    assert output[1].eq(3).all()


def _copy_arrangement(input: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
    return input.tile((1, 64)), output.tile((1, 64))


def _copy(input, output):
    output = input
