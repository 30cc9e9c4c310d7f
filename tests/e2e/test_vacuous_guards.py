"""Calls in which all guards hold run a kernel without them, with the same results."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor, block_size
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import lower
from ninetoothed.compiler.full_function import is_full
from ninetoothed.kernel.kernel import Kernel
from tests.support.everywhere import everywhere

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false


def pieces(x: Any, y: Any) -> tuple[Any, Any]:
    return x.tile((64,)), y.tile((64,))


def doubled(x: Any, y: Any) -> None:
    y = x * 2


def rows(x: Any, y: Any) -> tuple[Any, Any]:
    """Blocks of whole rows, whose sizes only a call knows."""
    return tuple(one.tile((2, -1)) for one in (x, y))


def shares(x: Any, y: Any) -> None:
    total = ntl.sum(x, axis=1, keep_dims=True)
    y = x / total * x.source.shape[1]


def columns(x: Any, y: Any) -> tuple[Any, Any]:
    """Of each row, its blocks of 32 columns, and one number."""
    x = x.tile((1, 32)).tile((1, -1)).squeeze(1)
    x.dtype = x.dtype.squeeze(0)
    x.dtype.dtype = x.dtype.dtype.squeeze(0)
    return x, y


def masked_total(x: Any, y: Any) -> None:
    """A sum whose application masks the columns that do not exist."""
    found = ntl.zeros((32,), dtype=ntl.float32)
    for block in range(x.shape[0]):
        inside = x[block].offsets(1) < x.source.shape[1]
        found += ntl.where(inside, x[block], 0)
    y = ntl.sum(found, axis=0)


def causal_total(x: Any, y: Any) -> None:
    """A sum of the columns up to the row's number."""
    found = ntl.zeros((32,), dtype=ntl.float32)
    for block in range(x.shape[0]):
        columns = x[block].offsets(1)
        inside = (columns < x.source.shape[1]) & (columns <= x[block].offsets(0))
        found += ntl.where(inside, x[block], 0)
    y = ntl.sum(found, axis=0)


def squares(x: Any, y: Any) -> tuple[Any, Any]:
    return x.tile((16,)), y.tile((16, 16))


def fewer_than(x: Any, y: Any) -> None:
    """Of each two numbers, each at most 40, whether they are less than 16 - j apart."""
    capped = ntl.minimum(x, 40)
    apart = capped[:, None] - capped[None, :] + ntl.arange(0, 16)[None, :]
    y = ntl.where(apart < 16, 1, 0)


def test_numbers_that_differ_by_lane(device: str) -> None:
    """What is unknown of a block may be another number in each lane."""

    def check(x: torch.Tensor, y: torch.Tensor) -> None:
        capped = x.clamp(max=40)
        apart = capped[:, None] - capped[None, :] + torch.arange(16, device=x.device)
        assert torch.equal(y, (apart < 16).int())

    values = (torch.arange(16, dtype=torch.int32) * 5 - 20, torch.zeros(16, 16, dtype=torch.int32))
    everywhere(device, squares, fewer_than, values, check)


def quotients(x: Any, y: Any) -> None:
    y = ntl.where((ntl.arange(0, 64) - 64) // 64 < 0, 1, 0)


def test_quotients_of_negative_numbers(device: str) -> None:
    """They are rounded to zero."""

    def check(x: torch.Tensor, y: torch.Tensor) -> None:
        expected = (torch.arange(64, device=y.device) == 0).int()
        assert torch.equal(y, expected.repeat(2))

    values = (torch.zeros(128), torch.zeros(128, dtype=torch.int32))
    everywhere(device, pieces, quotients, values, check)


@pytest.mark.parametrize("size", [1, 63, 64, 65, 128, 192, 0])
def test_vectors(device: str, size: int) -> None:
    def check(x: torch.Tensor, y: torch.Tensor) -> None:
        torch.testing.assert_close(y, 2 * x)

    values = (torch.randn(size), torch.zeros(size))
    everywhere(device, pieces, doubled, values, check)


@pytest.mark.parametrize("shape", [(4, 16), (3, 16), (4, 15), (2, 1), (6, 64)])
def test_whole_rows(device: str, shape: tuple[int, int]) -> None:
    def check(x: torch.Tensor, y: torch.Tensor) -> None:
        torch.testing.assert_close(y, x / x.sum(1, keepdim=True) * shape[1])

    values = (torch.rand(shape) + 1, torch.zeros(shape))
    everywhere(device, rows, shares, values, check)


@pytest.mark.parametrize("application", [masked_total, causal_total])
@pytest.mark.parametrize("shape", [(3, 32), (2, 96), (3, 31), (1, 1), (2, 97), (3, 0)])
def test_masks_of_the_application(device: str, application: Any, shape: tuple[int, int]) -> None:
    def check(x: torch.Tensor, y: torch.Tensor) -> None:
        torch.testing.assert_close(y, (x.tril() if application is causal_total else x).sum(1))

    values = (torch.randn(shape), torch.zeros(shape[0]))
    everywhere(device, columns, application, values, check, (Tensor(2, other=0), Tensor(1)))


def texts(kernel: Kernel, *values: torch.Tensor) -> tuple[bool, str, str]:
    """The host's answer for a call, and both of its kernels."""
    bound = bind(kernel.definition.interface, values, {})
    config = kernel.configs[0]
    module = kernel.composed(bound.signature, config)
    general = lower(module, bound.signature, config)
    full = lower(module, bound.signature, config, full=True)
    return is_full(general, bound.values), str(general), str(full)


def test_there_are_no_masks() -> None:
    kernel = ninetoothed.make(columns, masked_total, (Tensor(2), Tensor(1)))
    answer, general, full = texts(kernel, torch.ones(3, 96), torch.ones(3))
    assert answer
    assert "arith.cmpi slt" in general
    assert "arith.cmpi" not in full
    assert "tt.select" not in full
    assert not texts(kernel, torch.ones(3, 112), torch.ones(3))[0]


def test_causal_masks_stay() -> None:
    kernel = ninetoothed.make(columns, causal_total, (Tensor(2), Tensor(1)))
    answer, general, full = texts(kernel, torch.ones(3, 96), torch.ones(3))
    assert answer
    assert "arith.cmpi slt" in general
    assert "arith.cmpi slt" not in full
    assert "arith.cmpi sle" in full


def test_a_size_that_is_its_block_is_a_number() -> None:
    kernel = ninetoothed.make(rows, shares, (Tensor(2), Tensor(2)))
    answer, general, full = texts(kernel, torch.ones(4, 64), torch.ones(4, 64))
    assert answer
    assert "%x_size_1" in general or "x_size" in general
    assert "arith.sitofp" in general
    assert 'nt.symbol = "x_size_1"' not in full
    # Two of three rows: the last program has one.
    assert not texts(kernel, torch.ones(3, 64), torch.ones(3, 64))[0]


def test_sizes_that_are_no_multiples_have_one_kernel() -> None:
    kernel = ninetoothed.make(pieces, doubled, (Tensor(1), Tensor(1)))
    _, general, full = texts(kernel, torch.ones(65), torch.ones(65))
    assert general == full
    assert "nt.vacuous" not in general


def test_the_optimization_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = ninetoothed.make(pieces, doubled, (Tensor(1), Tensor(1)))
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", "vacuous_guards")
    answer, general, full = texts(kernel, torch.ones(64), torch.ones(64))
    assert not answer
    assert general == full


@pytest.mark.gpu
@pytest.mark.parametrize("backend", ["ttir", "triton-python"])
def test_shapes_one_after_another(backend: str) -> None:
    """One kernel's calls of many shapes, each of them twice."""
    size = block_size(lower_bound=64, upper_bound=128)

    def arrangement(x: Any, y: Any) -> tuple[Any, Any]:
        return x.tile((size,)), y.tile((size,))

    kernel = ninetoothed.make(arrangement, doubled, (Tensor(1), Tensor(1)), backend=backend)
    for length in [128, 129, 1024, 1000, 64, 16, 4096] * 2:
        x = torch.randn(length + 64, device="cuda")
        y = torch.zeros_like(x)
        kernel(x[:length], y[:length])
        torch.testing.assert_close(y[:length], 2 * x[:length])
        assert not y[length:].any()


@pytest.mark.gpu
def test_a_shape_is_first_seen_inside_a_graph() -> None:
    kernel = ninetoothed.make(pieces, doubled, (Tensor(1), Tensor(1)))
    short = torch.randn(96, device="cuda")
    kernel(short, torch.zeros_like(short))
    x = torch.randn(128, device="cuda")
    y = torch.zeros_like(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel(x, y)
    graph.replay()
    torch.testing.assert_close(y, 2 * x)
    kernel(x, y)
    torch.testing.assert_close(y, 2 * x)
