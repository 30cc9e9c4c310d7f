"""Loads in front of loops: the same results, also where a loop does not run, or writes."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor
from ninetoothed.testing import check_kernel
from tests.support.everywhere import everywhere
from tests.support.remarks import remarks_of

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

SIZE = Symbol("SIZE", meta=True, lower_bound=64, upper_bound=256)
PASS = "nt-hoist-loads"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
MOVED = "passed: load of `weight` moved in front of the loop"


def columns(x: Any) -> Any:
    """Blocks of columns, of each all rows."""
    x = x.tile((1, SIZE)).tile((-1, 1)).squeeze(0)
    x.dtype = x.dtype.squeeze(1)
    x.dtype.dtype = x.dtype.dtype.squeeze(0)
    return x


def rows(x: Any, weight: Any, y: Any) -> tuple[Any, Any, Any]:
    return columns(x), weight.tile((SIZE,)), columns(y)


def weighted(x: Any, weight: Any, y: Any) -> None:
    for row in range(x.shape[0]):
        y[row] = x[row] * weight


def scalars(x: Any) -> Any:
    """An element for each program."""
    x = x.tile((1,))
    x.dtype = x.dtype.squeeze(0)
    return x


# 1,001 and 1,008 columns: rows that start anywhere, and at multiples of 16.
@pytest.mark.parametrize(("count", "width"), [(0, 1001), (7, 1001), (7, 1008), (1, 3), (7, 0)])
def test_a_row_of_weights(device: str, count: int, width: int) -> None:
    kernel = ninetoothed.make(rows, weighted, (Tensor(2), Tensor(1), Tensor(2)), num_warps=4)
    x = torch.randn(count, width, device=device).half()
    weight, y = torch.randn(width, device=device).half(), torch.zeros_like(x)
    expected = x * weight
    check_kernel(kernel, (x, weight, y), {"y": expected}, levels=LEVELS[device])
    assert remarks_of(kernel, PASS, x, weight, y) == [MOVED]


@pytest.mark.parametrize("is_shared", [False, True])
def test_what_the_loop_writes(device: str, is_shared: bool) -> None:
    """With the first block among those that are written, each sees what the first has become."""

    def arrangement(weight: Any, y: Any) -> tuple[Any, Any]:
        return weight.tile((64,)).tile((-1,)), y.tile((64,)).tile((-1,))

    def application(weight: Any, y: Any) -> None:
        for block in range(y.shape[0]):
            y[block] = weight[0] + 1

    kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)))
    first = torch.arange(64.0, device=device)
    expected = torch.cat([first + 1, first + (2 if is_shared else 1), (first + 1)[:2] + is_shared])
    y = torch.arange(130.0, device=device)
    weight = y if is_shared else y.clone()
    check_kernel(kernel, (weight, y), {"y": expected}, levels=LEVELS[device])
    kept = "missed: load of `weight` kept in the loop: `weight` may share memory with `y`"
    assert remarks_of(kernel, PASS, weight, y) == [kept if is_shared else MOVED]


def waiting(x: Any, flag: Any, y: Any) -> None:
    """Others add to x before they raise the flag."""
    ntl.atomic_add(x.source.data_ptr() + x.offsets(0), 1.0, sem="relaxed")
    total = ntl.zeros((64,), dtype=ntl.float32)
    for _ in range(3):
        ntl.atomic_add(flag.source.data_ptr(), 1)
        total += x
    y = total


def waiting_twice(x: Any, flag: Any, y: Any) -> None:
    ntl.atomic_add(x.source.data_ptr() + x.offsets(0), 1.0, sem="relaxed")
    before = x
    ntl.atomic_add(flag.source.data_ptr(), 1)
    y = x - before


@pytest.mark.parametrize("application", [waiting, waiting_twice])
def test_what_other_programs_update(device: str, application: Any) -> None:
    """An atomic that orders memory stands between reads of what others update by atomics alone."""

    def arrangement(x: Any, flag: Any, y: Any) -> tuple[Any, Any, Any]:
        return x.tile((64,)), flag, y.tile((64,))

    kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))
    x, y = torch.zeros(64, device=device), torch.full((64,), -1.0, device=device)
    flag = torch.zeros(1, dtype=torch.int32, device=device)
    if application is waiting:
        expected = ["missed: load of `x` kept in the loop: an atomic orders memory"]
        assert remarks_of(kernel, PASS, x, flag, y) == expected
    else:
        assert kernel.ir("scheduled").count("nt.load") == 2
    kernel(x, flag, y)
    torch.testing.assert_close(y, torch.full_like(y, 3.0 if application is waiting else 0.0))


def fenced(x: Any, flag: Any, y: Any) -> None:
    """A fence has no pointer."""
    total = ntl.zeros((64,), dtype=ntl.float32)
    for count in range(3):
        ntl.inline_asm_elementwise(
            "fence.acq_rel.gpu; mov.b32 $0, $1;", "=r,r", [count], ntl.int32, False, 1
        )
        total += x
    y = total


def flagged(x: Any, flag: Any, y: Any) -> None:
    total, seen = ntl.zeros((64,), dtype=ntl.float32), 0.0
    while seen == 0.0:
        seen = ntl.load(flag.source.data_ptr(), volatile=True)
        total = x * 2
    y = total


@pytest.mark.parametrize(
    ("application", "op"), [(fenced, "nt.inline_asm"), (flagged, "nt.pointer_load")]
)
def test_what_may_wait_for_other_programs(application: Any, op: str) -> None:
    def arrangement(x: Any, flag: Any, y: Any) -> tuple[Any, Any, Any]:
        return x.tile((64,)), flag, y.tile((64,))

    kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))
    values = (torch.zeros(64), torch.ones(1), torch.zeros(64))
    kept = f"missed: load of `x` kept in the loop: by {op} a program may wait for another"
    assert remarks_of(kernel, PASS, *values) == [kept]


def test_there_is_no_first_block(device: str) -> None:
    """What would be read in front of a loop that does not run is outside of the tensor."""

    def arrangement(weight: Any, x: Any, y: Any) -> tuple[Any, Any, Any]:
        weight = weight.tile((64,), floor_mode=True).tile((-1,), floor_mode=True)
        return weight, x.tile((1,)).tile((-1,)), y.tile((64,))

    def application(weight: Any, x: Any, y: Any) -> None:
        total = y
        for _ in range(x.shape[0]):
            total += weight[0]
        y = total

    kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))
    y = torch.arange(64.0, device=device)
    for count, length in ((0, 0), (0, 3), (3, 64)):
        weight, x = torch.ones(length, device=device), torch.ones(count, device=device)
        args = (weight, x, y.clone())
        check_kernel(kernel, args, {"y": y + count}, levels=LEVELS[device])
        assert remarks_of(kernel, PASS, *args) == [MOVED]


def test_in_a_condition_of_a_loop(device: str) -> None:
    """The condition of a while loop is evaluated once more than its body."""

    def arrangement(weight: Any, y: Any) -> tuple[Any, Any]:
        return scalars(weight), scalars(y)

    def application(weight: Any, y: Any) -> None:
        found = 0
        while found * 3 < weight:
            found = found + 1
        y = found

    values = (torch.tensor([7, 0, -2, 12]), torch.zeros(4, dtype=torch.int64))
    everywhere(
        device,
        arrangement,
        application,
        values,
        lambda weight, y: torch.testing.assert_close(y.cpu(), torch.tensor([3, 0, 0, 4])),
    )
