"""Products of matrices: interpreted at `nt` and at `tt`, compiled for targets that need not be
there, and on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.runtime.toolchain.triton import compat
from tests.support import offline
from tests.support.everywhere import everywhere
from tests.support.targets import TARGETS

DTYPES: dict[str, torch.dtype] = {
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
    "fp32": torch.float32,
    "fp64": torch.float64,
    "i8": torch.int8,
    "fp8e4nv": torch.float8_e4m3fn,
    "fp8e5": torch.float8_e5m2,
}
RESULTS = {"i8": torch.int32, "fp64": torch.float64}

Arrangement = Callable[..., tuple[Tensor, ...]]


def whole(*tensors: Tensor) -> tuple[Tensor, ...]:
    """One program sees all."""
    return tuple(tensor.tile((-1,) * tensor.ndim) for tensor in tensors)


def sized(*values: torch.Tensor) -> Arrangement:
    """The same, of sizes that are known when compiling."""

    def arrangement(*tensors: Tensor) -> tuple[Tensor, ...]:
        pairs = zip(tensors, values, strict=True)
        return tuple(tensor.tile(tuple(value.shape)) for tensor, value in pairs)

    return arrangement


def blocks(m: int, n: int, k: int) -> Arrangement:
    """Blocks of ``m`` by ``k`` and ``k`` by ``n``; a program sums along K."""

    def arrangement(a: Tensor, b: Tensor, c: Tensor) -> tuple[Tensor, ...]:
        result = c.tile((m, n))
        left = a.tile((m, k)).tile((1, -1)).expand((-1, result.shape[1]))
        left.dtype = left.dtype.squeeze(0)
        right = b.tile((k, n)).tile((-1, 1)).expand((result.shape[0], -1))
        right.dtype = right.dtype.squeeze(1)
        return left, right, result

    return arrangement


def draw(shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """Small whole numbers: sums of their products are exact in every type."""
    return torch.randint(-3, 4, tuple(shape)).to(dtype)


def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.matmul(a.cpu().to(torch.float64), b.cpu().to(torch.float64))


def equal(found: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(found.cpu().to(torch.float64), expected, rtol=0, atol=0)


def tensors(*ranks: int) -> tuple[Tensor, ...]:
    return tuple(Tensor(rank) for rank in ranks)


def dot(a, b, c):
    c = ntl.dot(a, b)


def dot_acc(a, b, d, c):
    c = ntl.dot(a, b, d)


def dot_half(a, b, c):
    c = ntl.dot(a, b, out_dtype=ntl.float16)


def dot_precisely(a, b, c):
    c = (
        ntl.dot(a, b, input_precision="ieee")
        + ntl.dot(a, b, input_precision="tf32x3")
        + ntl.dot(a, b, allow_tf32=False)
    )


def matmul(a, b, c):
    acc = ntl.zeros(c.shape, dtype=ntl.float32)
    for k in range(a.shape[0]):
        acc = ntl.dot(a[k], b[k], acc)
    c = acc


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "dtype" in metafunc.fixturenames:
        metafunc.parametrize("dtype", list(DTYPES))
    if "target" in metafunc.fixturenames:
        metafunc.parametrize("target", ["sm_80", *TARGETS])


SIZES = ((32, 16, 32), (17, 5, 19), (1, 1, 1), (3, 33, 8))


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_matrices(dtype: str, device: str, size: tuple[int, int, int]) -> None:
    m, n, k = size
    a, b = draw((m, k), DTYPES[dtype]), draw((k, n), DTYPES[dtype])
    c = torch.zeros((m, n), dtype=RESULTS.get(dtype, torch.float32))
    expected = product(a, b)
    check: Callable[..., None] = lambda a, b, c: equal(c, expected)  # noqa: E731
    everywhere(device, whole, dot, (a, b, c), check)


@pytest.mark.parametrize("size", [(2, 16, 16, 32), (3, 5, 6, 7)], ids=str)
def test_batches(dtype: str, device: str, size: tuple[int, int, int, int]) -> None:
    batch, m, n, k = size
    a, b = draw((batch, m, k), DTYPES[dtype]), draw((batch, k, n), DTYPES[dtype])
    c = torch.zeros((batch, m, n), dtype=RESULTS.get(dtype, torch.float32))
    expected = product(a, b)
    check: Callable[..., None] = lambda a, b, c: equal(c, expected)  # noqa: E731
    everywhere(device, whole, dot, (a, b, c), check)


@pytest.mark.parametrize("size", [(50, 40, 781), (16, 16, 5), (33, 20, 64)], ids=str)
@pytest.mark.parametrize("block", [(16, 16, 32), (12, 20, 24)], ids=str)
def test_sums_along_ragged_blocks(
    device: str, size: tuple[int, int, int], block: tuple[int, int, int]
) -> None:
    m, n, k = size
    a, b, c = draw((m, k), torch.float16), draw((k, n), torch.float16), torch.zeros(m, n)
    expected = product(a, b)
    check: Callable[..., None] = lambda a, b, c: equal(c, expected)  # noqa: E731
    everywhere(device, blocks(*block), matmul, (a, b, c), check)


def test_an_accumulator(dtype: str, device: str) -> None:
    a, b = draw((16, 32), DTYPES[dtype]), draw((32, 16), DTYPES[dtype])
    c = torch.zeros((16, 16), dtype=RESULTS.get(dtype, torch.float32))
    d = draw((16, 16), c.dtype)
    expected = product(a, b) + d.to(torch.float64)
    check: Callable[..., None] = lambda a, b, d, c: equal(c, expected)  # noqa: E731
    everywhere(device, whole, dot_acc, (a, b, d, c), check)


@pytest.mark.parametrize("dtypes", [("fp16", "fp16"), ("fp8e5", "fp8e5"), ("fp8e4nv", "fp8e5")])
def test_a_half_accumulator(device: str, dtypes: tuple[str, str]) -> None:
    a, b = draw((16, 32), DTYPES[dtypes[0]]), draw((32, 16), DTYPES[dtypes[1]])
    c = torch.zeros((16, 16), dtype=torch.float16)
    d = draw((16, 16), torch.float16)
    expected = product(a, b)
    check: Callable[..., None] = lambda a, b, c: equal(c, expected)  # noqa: E731
    everywhere(device, whole, dot_half, (a, b, c), check)
    total = expected + d.to(torch.float64)
    check_sum: Callable[..., None] = lambda a, b, d, c: equal(c, total)  # noqa: E731
    everywhere(device, whole, dot_acc, (a, b, d, c), check_sum)


def test_precisions(device: str) -> None:
    a, b, c = torch.randn(16, 32), torch.randn(32, 16), torch.zeros(16, 16)
    expected = 3 * product(a, b)

    def check(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
        torch.testing.assert_close(c.cpu().double(), expected, rtol=1e-5, atol=1e-4)

    everywhere(device, whole, dot_precisely, (a, b, c), check)


@pytest.mark.parametrize("shape", [(16, 16, 32), (4, 8, 2), (1, 1, 1)], ids=str)
def test_targets(dtype: str, target: str, shape: tuple[int, int, int]) -> None:
    if target == "sm_80" and dtype == "fp8e4nv":
        pytest.skip("the target has no such type; tests/errors says so")
    m, n, k = shape
    a, b = torch.zeros((m, k), dtype=DTYPES[dtype]), torch.zeros((k, n), dtype=DTYPES[dtype])
    c = torch.zeros((m, n), dtype=RESULTS.get(dtype, torch.float32))

    def arrangement(a: Tensor, b: Tensor, c: Tensor) -> tuple[Tensor, ...]:
        return a.tile((m, k)), b.tile((k, n)), c.tile((m, n))

    kernel = ninetoothed.make(arrangement, dot, tensors(2, 2, 2))
    offline.check(kernel, (a, b, c), target)


# Scaled products.

FORMATS: dict[str, Any] = {
    "e2m1": torch.uint8,
    "e4m3": torch.float8_e4m3fn,
    "e5m2": torch.float8_e5m2,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
}
FOURS = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6], dtype=torch.float64)


def fours(packed: torch.Tensor, dim: int) -> torch.Tensor:
    """The floats of four bits in bytes, the lower half first."""
    packed = packed.cpu().to(torch.int64)
    halves = torch.stack([packed % 16, packed // 16], dim + 1).flatten(dim, dim + 1)
    return FOURS[halves % 8] * torch.where(halves >= 8, -1.0, 1.0)


def operand(format: str, shape: tuple[int, ...], packed: int) -> torch.Tensor:
    """Random elements of a format, two a byte along ``packed``."""
    if format != "e2m1":
        return draw(shape, FORMATS[format])
    sizes = [size // 2 if dim == packed else size for dim, size in enumerate(shape)]
    return torch.randint(0, 256, sizes, dtype=torch.uint8)


def values(data: torch.Tensor, format: str, packed: int) -> torch.Tensor:
    return fours(data, packed) if format == "e2m1" else data.cpu().to(torch.float64)


def scaled(elements: torch.Tensor, scales: torch.Tensor | None) -> torch.Tensor:
    """Elements with K last, a scale for 32 of them."""
    if scales is None:
        return elements
    factors = torch.exp2(scales.to(torch.float64) - 127)
    factors = torch.where(scales == 255, torch.nan, factors)
    return elements * factors.repeat_interleave(32, -1)


def dot_scaled(format: str, other: str) -> Callable[..., None]:
    def application(a, b, s, t, c):
        c = ntl.dot_scaled(a, s, format, b, t, other)

    return application


def dot_scaled_once(format: str, other: str) -> Callable[..., None]:
    def application(a, b, s, c):
        c = ntl.dot_scaled(a, s, format, b, None, other)

    return application


def dot_scaled_added(a, b, s, t, d, c):
    c = ntl.dot_scaled(a, s, "e4m3", b, t, "e5m2", acc=d, fast_math=False)


def dot_scaled_rows(a, b, s, t, c):
    c = ntl.dot_scaled(a, s, "e2m1", b, t, "e2m1", lhs_k_pack=False, rhs_k_pack=False)


def scales(*shape: int) -> torch.Tensor:
    return torch.randint(120, 134, shape, dtype=torch.uint8)


@pytest.mark.parametrize("other", FORMATS)
@pytest.mark.parametrize("format", FORMATS)
def test_scaled_products(format: str, other: str, device: str) -> None:
    if {format, other} == {"bf16", "fp16"}:
        pytest.skip("Triton has no such product; tests/errors says so")
    m, n, k = 32, 32, 64
    a, b = operand(format, (m, k), 1), operand(other, (k, n), 0)
    s, t, c = scales(m, k // 32), scales(n, k // 32), torch.zeros(m, n)
    left = scaled(values(a, format, 1), s)
    right = scaled(values(b, other, 0).T, t).T
    expected, magnitude = left @ right, left.abs() @ right.abs()

    def check(a: Any, b: Any, s: Any, t: Any, c: torch.Tensor) -> None:
        # Each of 64 sums rounds once.
        assert ((c.cpu().double() - expected).abs() <= 64 * 2**-24 * magnitude).all()

    application = dot_scaled(format, other)
    arguments = (a, b, s, t, c)
    everywhere(device, sized(*arguments), application, arguments, check)


@pytest.mark.parametrize("size", [(5, 7, 96), (3, 1, 32), (17, 20, 160)], ids=str)
def test_scaled_products_of_padded_blocks(size: tuple[int, int, int], device: str) -> None:
    m, n, k = size
    a, b = operand("e2m1", (m, k), 1), operand("e4m3", (k, n), 0)
    s, c = scales(m, k // 32), torch.zeros(m, n)
    expected = scaled(fours(a, 1), s) @ b.double()

    def check(a: Any, b: Any, s: Any, c: torch.Tensor) -> None:
        torch.testing.assert_close(c.cpu().double(), expected, rtol=1e-5, atol=1e-4)

    application = dot_scaled_once("e2m1", "e4m3")
    arguments = (a, b, s, c)
    everywhere(device, sized(*arguments), application, arguments, check)


def test_a_scaled_accumulator(device: str) -> None:
    a, b = operand("e4m3", (16, 64), 1), operand("e5m2", (64, 16), 0)
    s, t, d, c = scales(16, 2), scales(16, 2), draw((16, 16), torch.float32), torch.zeros(16, 16)
    s[3, 1] = 255
    expected = scaled(a.double(), s) @ scaled(b.double().T, t).T + d

    def check(a: Any, b: Any, s: Any, t: Any, d: Any, c: torch.Tensor) -> None:
        torch.testing.assert_close(c.cpu().double(), expected, rtol=1e-5, atol=1e-4, equal_nan=True)

    arguments = (a, b, s, t, d, c)
    everywhere(device, sized(*arguments), dot_scaled_added, arguments, check)


def test_elements_packed_along_rows() -> None:
    m, n, k = 32, 16, 64
    a, b = operand("e2m1", (m, k), 0), operand("e2m1", (k, n), 1)
    s, t, c = scales(m, k // 32), scales(n, k // 32), torch.zeros(m, n)
    expected = scaled(fours(a, 0), s) @ scaled(fours(b, 1).T, t).T

    def check(a: Any, b: Any, s: Any, t: Any, c: torch.Tensor) -> None:
        torch.testing.assert_close(c.cpu().double(), expected, rtol=1e-5, atol=1e-4)

    arguments = (a, b, s, t, c)
    everywhere("cpu", sized(*arguments), dot_scaled_rows, arguments, check)


@pytest.mark.parametrize("formats", [("e2m1", "e4m3"), ("e5m2", "bf16"), ("fp16", "e2m1")])
def test_targets_of_scaled_products(target: str, formats: tuple[str, str]) -> None:
    if target == "sm_80" and "e4m3" in formats:
        pytest.skip("the target has no such type")
    if target == "sm_80" and "e2m1" in formats and not compat.version().startswith("3.6."):
        pytest.skip("Triton converts such numbers by instructions of sm_89")
    format, other = formats
    a, b = operand(format, (32, 64), 1), operand(other, (64, 32), 0)
    arguments = (a, b, scales(32, 2), scales(32, 2), torch.zeros(32, 32))
    application, ranks = dot_scaled(format, other), tensors(2, 2, 2, 2, 2)
    kernel = ninetoothed.make(sized(*arguments), application, ranks)
    offline.check(kernel, arguments, target)
