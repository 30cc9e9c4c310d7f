"""Small kernels, one feature each, with numbers: interpreted at `nt` and at `tt`, and on a GPU by
both backends.
"""

from __future__ import annotations

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor, block_size
from tests.support.everywhere import everywhere
from tests.support.idioms.idiom import nan, randn

BLOCK = Symbol("BLOCK", constexpr=True)
SCALE = 2.5


def elementwise(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(t.tile((BLOCK,)) if t.ndim else t for t in tensors)


def close(result: torch.Tensor, expected: torch.Tensor, tolerance: float = 1e-5) -> None:
    torch.testing.assert_close(
        result.double().cpu(), expected.double().cpu(), rtol=tolerance, atol=tolerance
    )


def axpy(x, y, alpha, out):
    out = alpha * x + y * SCALE


@pytest.mark.parametrize("block", [1, 32, 48])
def test_scalars_and_blocks_of_any_size(device: str, block: int) -> None:
    x, y = randn(1000), randn(1001)[1:]
    everywhere(
        device,
        elementwise,
        axpy,
        (x, y, 0.75, nan(1000)),
        lambda x, y, alpha, out: close(out, 0.75 * x + 2.5 * y),
        BLOCK=block,
    )


def clamp(x):
    return ntl.minimum(ntl.maximum(x, -1.0), 1.0)


def gelu(x, out):
    """Through helper functions, with constants of modules."""
    y = ntl.cast(x, ntl.float32)
    out = clamp(0.5 * y * (1 + ntl.erf(y / 2.0**0.5)))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_functions_are_inlined(device: str, dtype: torch.dtype) -> None:
    x = randn(777, dtype=dtype)
    expected = torch.nn.functional.gelu(x.double()).clamp(-1, 1)
    everywhere(
        device,
        elementwise,
        gelu,
        (x, nan(777, dtype=dtype)),
        lambda x, out: close(out, expected, 1e-5 if dtype is torch.float32 else 1e-2),
        BLOCK=64,
    )


def integers(x, y, quotient, remainder, mixed):
    quotient = x // y
    remainder = x % y
    mixed = ntl.where((x & 3) == 0, x << 1, -x ^ y)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.int16])
def test_integers_divide_towards_zero(device: str, dtype: torch.dtype) -> None:
    x = torch.arange(-500, 500, dtype=dtype)
    y = (torch.arange(1000) % 7 + 1).to(dtype) * torch.where(torch.arange(1000) % 2 == 0, 1, -1)
    y = y.to(dtype)
    zeros = torch.zeros(1000, dtype=dtype)

    def check(x, y, quotient, remainder, mixed):
        assert torch.equal(quotient, torch.div(x, y, rounding_mode="trunc"))
        assert torch.equal(remainder, torch.fmod(x, y))
        assert torch.equal(mixed, torch.where((x & 3) == 0, x << 1, -x ^ y))

    values = (x, y, zeros, zeros, zeros)
    everywhere(device, elementwise, integers, values, check, BLOCK=128)


def compare(x, y, less, either):
    less = x < y
    either = (x < y) | (x > 2)


def test_bits_in_memory(device: str) -> None:
    x, y = randn(300), randn(301)[1:]
    bits = torch.zeros(300, dtype=torch.bool)

    def check(x, y, less, either):
        assert torch.equal(less, x < y)
        assert torch.equal(either, (x < y) | (x > 2))

    everywhere(device, elementwise, compare, (x, y, bits, bits), check, BLOCK=64)


def select(x, mode, out):
    y = x
    if mode > 1:
        y = x * 2
        if mode > 2:
            y = y + 1
    elif mode == 1:
        y = -x
    out = y


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
def test_branches_on_scalars(device: str, mode: int) -> None:
    x = randn(100)
    expected = {0: x, 1: -x, 2: x * 2, 3: x * 2 + 1}[mode]
    everywhere(
        device,
        elementwise,
        select,
        (x, mode, nan(100)),
        lambda x, mode, out: close(out, expected),
        BLOCK=32,
    )


def rows(input, output):
    tiled = input.tile((1, BLOCK)).tile((1, -1))
    tiled.dtype = tiled.dtype.squeeze(0)
    tiled.dtype.dtype = tiled.dtype.dtype.squeeze(0)
    out = output.tile((1,)).unsqueeze(1)
    out.dtype = out.dtype.squeeze(0)
    return tiled, out


def row_sum(x, out):
    total = 0.0
    for i in range(x.shape[0]):
        total += ntl.sum(x[i])
    out = total


@pytest.mark.parametrize("block", [32, 48])
@pytest.mark.parametrize("other", [None, 0.0, 7.0])
def test_reductions_of_ragged_rows(device: str, block: int, other: float | None) -> None:
    """Lanes beyond a row do not count, unless the user gave them a value."""
    x = randn(5, 101)
    lanes = -(-101 // block) * block - 101
    expected = x.double().sum(1) + lanes * (other or 0.0)
    everywhere(
        device,
        rows,
        row_sum,
        (x, nan(5)),
        lambda x, out: close(out, expected, 1e-4),
        tensors=(Tensor(2, other=other), Tensor(1)),
        BLOCK=block,
    )


def row_max(x, out):
    best = float("-inf")
    for i in range(x.shape[0]):
        best = ntl.maximum(best, ntl.max(x[i]))
    out = best


def test_maximum_of_negative_rows(device: str) -> None:
    x = -randn(4, 70).abs() - 1
    everywhere(device, rows, row_max, (x, nan(4)), lambda x, out: close(out, x.amax(1)), BLOCK=64)


def accumulate(x, out):
    total = ntl.zeros((x.dtype.shape[0],), ntl.float32)
    for i in range(x.shape[0]):
        total += x[i]
    out = ntl.sum(total)


@pytest.mark.parametrize(("columns", "other"), [(96, None), (20, None), (80, 0)])
def test_a_carried_block_has_the_guards_of_what_it_read(
    device: str, columns: int, other: int | None
) -> None:
    """Blocks that are full, one that is not, and several whose last one reads ``other``."""
    x = randn(3, columns)
    everywhere(
        device,
        rows,
        accumulate,
        (x, nan(3)),
        lambda x, out: close(out, x.double().sum(1), 1e-4),
        tensors=(Tensor(2, other=other), Tensor(1)),
        BLOCK=32,
    )


def transposing(input, output):
    return input.tile((BLOCK, BLOCK)).permute((1, 0)), output.tile((BLOCK, BLOCK))


def transpose(x, out):
    out = x.T


def test_permuted_tiles_and_transposed_blocks(device: str) -> None:
    x = randn(50, 70)

    def check(x, out):
        assert torch.equal(out, x.T)

    everywhere(device, transposing, transpose, (x, nan(70, 50)), check, BLOCK=32)


def flattened(input, output):
    return input.flatten().tile((BLOCK,)), output.flatten().tile((BLOCK,))


def square(x, out):
    out = x * x


def test_flattened_strided_tensors(device: str) -> None:
    x = randn(6, 7, 10).permute(2, 0, 1)[1:]
    base = nan(9, 6, 14)

    def check(x, out):
        close(out, x * x)

    everywhere(device, flattened, square, (x, base[:, :, ::2]), check, BLOCK=64)


BM, BN, BK = (block_size(upper_bound=64) for _ in range(3))


def blocked(a, b, c):
    c_tiled = c.tile((BM, BN))
    a_tiled = a.tile((BM, BK)).tile((1, -1)).expand((-1, c_tiled.shape[1]))
    a_tiled.dtype = a_tiled.dtype.squeeze(0)
    b_tiled = b.tile((BK, BN)).tile((-1, 1)).expand((c_tiled.shape[0], -1))
    b_tiled.dtype = b_tiled.dtype.squeeze(1)
    return a_tiled, b_tiled, c_tiled


def fused(a, b, c):
    acc = ntl.zeros(c.shape, dtype=ntl.float32)
    for k in range(a.shape[0]):
        acc = ntl.dot(a[k], b[k], acc, input_precision="ieee")
    c = ntl.sigmoid(acc)


def test_matmul_with_an_epilogue(device: str) -> None:
    a, b = randn(100, 130), randn(130, 70)
    expected = torch.sigmoid(a.double() @ b.double())
    everywhere(
        device, blocked, fused, (a, b, nan(100, 70)), lambda a, b, c: close(c, expected, 1e-4)
    )


def fixed_blocked(a, b, c, block=48):
    c_tiled = c.tile((block, block))
    a_tiled = a.tile((block, block)).tile((1, -1)).expand((-1, c_tiled.shape[1]))
    a_tiled.dtype = a_tiled.dtype.squeeze(0)
    b_tiled = b.tile((block, block)).tile((-1, 1)).expand((c_tiled.shape[0], -1))
    b_tiled.dtype = b_tiled.dtype.squeeze(1)
    return a_tiled, b_tiled, c_tiled


def test_matmul_with_padded_blocks(device: str) -> None:
    a, b = randn(100, 130), randn(130, 70)
    expected = torch.sigmoid(a.double() @ b.double())
    everywhere(
        device, fixed_blocked, fused, (a, b, nan(100, 70)), lambda a, b, c: close(c, expected, 1e-4)
    )


def column_means(x, out):
    mean = ntl.sum(x, axis=0, keep_dims=True) / x.shape[0]
    out = x - mean


def columns(input, output):
    return input.tile((-1, BLOCK)), output.tile((-1, BLOCK))


def test_block_sizes_that_only_a_call_knows(device: str) -> None:
    x = randn(37, 50)
    everywhere(
        device,
        columns,
        column_means,
        (x, nan(37, 50)),
        lambda x, out: close(out, x - x.mean(0, keepdim=True)),
        BLOCK=16,
    )


def test_one_kernel_serves_several_types_and_shapes() -> None:
    kernel = ninetoothed.make(flattened, square, (Tensor(2), Tensor(2)))
    for dtype in (torch.float32, torch.float64, torch.int32):
        for shape in ((3, 4), (5, 1), (1, 1)):
            x = (randn(*shape) * 10).to(dtype)
            out = torch.zeros_like(x)
            kernel(x, out=out, BLOCK=8)
            assert torch.equal(out, x * x)
