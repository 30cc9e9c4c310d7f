"""Expanded and squeezed dims of size 0: nothing is read there, nothing written, and the programs of
other tensors run.
"""

from __future__ import annotations

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor, block_size
from ninetoothed.errors import ArgumentError
from tests.support import offline
from tests.support.everywhere import everywhere
from tests.support.targets import TARGETS


def broadcast(x, y, B=block_size(upper_bound=64)):
    return x.expand((y.shape[0], -1)).tile((1, B)), y.tile((1, B))


def without_first(x, y, B=block_size(upper_bound=64)):
    return x.squeeze(0).tile((B,)), y.tile((B,))


def add(x, y):
    y += x


@pytest.mark.parametrize("count", [0, 1])
def test_an_expanded_dim(device: str, count: int) -> None:
    x, y = torch.full((count, 70), 2.0), torch.ones(3, 70)

    def check(x, y):
        assert torch.equal(y.cpu(), torch.full((3, 70), 3.0 if count else 1.5))

    everywhere(device, broadcast, add, (x, y), check, (Tensor(2, other=0.5), Tensor(2)))


def test_an_expanded_dim_that_no_call_fills(device: str) -> None:
    """Its size is 0 for every dilation: kernels for size 1 have no call."""

    def arrangement(x, y, D=Symbol("D", constexpr=True)):
        windows = x.tile((2,), dilation=(D,), floor_mode=True)
        return windows.expand((3,)), y.tile((2,))

    def check(x, y):
        assert torch.equal(y.cpu(), torch.full((6,), 1.5))

    tensors = (Tensor(shape=(1,), other=0.5), Tensor(1))
    everywhere(device, arrangement, add, (torch.ones(1), torch.ones(6)), check, tensors, D=1)


@pytest.mark.parametrize("count", [0, 1])
def test_a_squeezed_dim(device: str, count: int) -> None:
    x, y = torch.full((count, 70), 2.0), torch.ones(70)

    def check(x, y):
        assert torch.equal(y.cpu(), torch.full((70,), 3.0 if count else 1.5))

    everywhere(device, without_first, add, (x, y), check, (Tensor(2, other=0.5), Tensor(1)))


@pytest.mark.parametrize("count", [0, 1])
def test_what_is_written_there_is_dropped(device: str, count: int) -> None:
    def arrangement(x, y, z, B=block_size(upper_bound=64)):
        return x.squeeze(0).tile((B,)), y.tile((B,)), z.tile((B,))

    def application(x, y, z):
        x = y
        z = x + 1

    x, y, z = torch.zeros(count, 70), torch.arange(70.0), torch.zeros(70)

    def check(x, y, z):
        assert torch.equal(x.cpu(), torch.arange(70.0).expand(count, 70))
        # Of what does not exist, `other` is read also behind the store.
        assert torch.equal(z.cpu(), torch.arange(70.0) + 1 if count else torch.full((70,), 6.0))

    everywhere(
        device,
        arrangement,
        application,
        (x, y, z),
        check,
        (Tensor(2, other=5), Tensor(1), Tensor(1)),
    )


@pytest.mark.parametrize("shape", [(0, 4, 6), (1, 4, 6), (0, 4, 0), (0, 0, 6), (1, 0, 6)])
def test_reductions_leave_out_what_is_not_there(device: str, shape: tuple[int, ...]) -> None:
    def arrangement(x, total, largest):
        x = x.tile((-1, 4, 6)).squeeze((1, 2))
        x.dtype = x.dtype.squeeze(0).flatten()
        return x.expand((total.shape[0],)), total.tile((1,)), largest.tile((1,))

    def application(x, total, largest):
        total = ntl.sum(x)
        largest = ntl.max(x)

    x = torch.full(shape, 2.0)
    there = x.numel() > 0

    def check(x, total, largest):
        assert total.tolist() == [48.0 if there else 0.0] * 3
        assert largest.tolist() == [2.0 if there else float("-inf")] * 3

    everywhere(device, arrangement, application, (x, torch.zeros(3), torch.zeros(3)), check)


@pytest.mark.parametrize("size", [0, 3, 5])
def test_windows_of_which_none_fits(device: str, size: int) -> None:
    def arrangement(x, y):
        return x.tile((5,), strides=(1,)).expand((y.shape[0],)), y.tile((1,))

    def application(x, y):
        y = ntl.sum(x)

    def check(x, y):
        assert y.tolist() == [10.0 if size == 5 else 0.0] * 3

    everywhere(device, arrangement, application, (torch.full((size,), 2.0), torch.ones(3)), check)


@pytest.mark.parametrize("count", [0, 1])
def test_loops_over_what_is_not_there(device: str, count: int) -> None:
    def arrangement(x, y, B=block_size(upper_bound=64)):
        x = x.tile((1, 16)).tile((1, -1)).squeeze(1).expand((y.shape[0],))
        x.dtype = x.dtype.squeeze(0)
        x.dtype.dtype = x.dtype.dtype.squeeze(0)
        return x, y.tile((1,))

    def application(x, y):
        total = ntl.zeros((16,), dtype=ntl.float32)
        for k in range(x.shape[0]):
            total += x[k]
        y = ntl.sum(total)

    def check(x, y):
        assert y.tolist() == [96.0 if count else 0.0] * 3

    x, y = torch.full((count, 48), 2.0), torch.ones(3)
    everywhere(device, arrangement, application, (x, y), check, (Tensor(2, other=0), Tensor(1)))


@pytest.mark.parametrize("size", [0, 9])
def test_a_block_that_the_caller_chooses(device: str, size: int) -> None:
    def arrangement(x, y, block=Symbol("block", constexpr=True)):
        return x.tile((block,)).squeeze(0), y.tile((1,)).squeeze(0)

    def application(x, y):
        y = ntl.sum(x)

    def check(x, y):
        assert y.tolist() == [2.0 * size]

    x, y = torch.full((size,), 2.0), torch.ones(1)
    everywhere(device, arrangement, application, (x, y), check, block=16)


@pytest.mark.parametrize("sizes", [(1, 0), (0, 1), (0, 0)])
def test_one_of_several_dims(device: str, sizes: tuple[int, int]) -> None:
    def arrangement(x, y, B=block_size(upper_bound=64)):
        return x.squeeze((0, 2)).tile((B,)), y.tile((B,))

    x, y = torch.ones(sizes[0], 20, sizes[1]), torch.ones(20)

    def check(x, y):
        assert y.tolist() == [1.0] * 20

    everywhere(device, arrangement, add, (x, y), check, (Tensor(3, other=0), Tensor(1)))


def test_calls_of_either_class(device: str) -> None:
    """Calls in turn: a repeated one is launched as the first one was."""
    kernel = ninetoothed.make(broadcast, add, (Tensor(2, other=0.5), Tensor(2)))
    y = torch.zeros(3, 40, device=device)
    total = 0.0
    for count in (1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0):
        kernel(torch.full((count, 40), 2.0, device=device), y)
        total += 2.0 if count else 0.5
        assert torch.equal(y.cpu(), torch.full((3, 40), total))
    with pytest.raises(ArgumentError, match=r"the size x_size_0 to be at most 1: it is \(2,\)"):
        kernel(torch.ones(2, 40, device=device), y)


def test_size_one_shares_a_kernel_with_no_class_of_its_own() -> None:
    kernel = ninetoothed.make(without_first, add, (Tensor(2), Tensor(1)))
    one, none = torch.ones(1, 16), torch.ones(0, 16)
    y = torch.ones(16)
    signature = kernel._bind((one, y), {}).signature
    assert not any(param.empty for param in signature.params)
    found = kernel._bind((none, y), {}).signature
    assert [param.empty for param in found.params] == [True, False]


@pytest.mark.parametrize("target", TARGETS)
def test_compiles_for_size_0(target: str) -> None:
    kernel = ninetoothed.make(broadcast, add, (Tensor(2, other=0.5), Tensor(2)))
    offline.check(kernel, (torch.ones(0, 70), torch.ones(3, 70)), target)
