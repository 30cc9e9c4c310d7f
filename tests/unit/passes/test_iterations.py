"""Checks of loop-carried accumulators: the columns for which every iteration reads all that the
others read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.compiler.compile import build
from ninetoothed.compiler.defaults import assumed_signature, plain_values
from ninetoothed.definition.define import define, run_arrangement
from ninetoothed.errors import ShapeError
from ninetoothed.ir import nt
from ninetoothed.symbolic.expr import evaluate

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

COLUMNS = (7, 8, 14, 15, 16, 17, 24)


def below(tensor: Any, *dims: int) -> Any:
    tensor.dtype = tensor.dtype.squeeze(dims)
    return tensor


def blocks(x: Tensor, out: Tensor) -> tuple[Tensor, ...]:
    """Four rows, and eight columns at a time."""
    return below(x.tile((4, 8)).tile((1, -1)), 0).squeeze(1), out.tile((1,))


def shifted(x: Tensor, out: Tensor) -> tuple[Tensor, ...]:
    """The first block begins one column before the tensor."""
    return blocks(x.pad(((0, 0), (1, 0))), out)


def lengthened(x: Tensor, out: Tensor) -> tuple[Tensor, ...]:
    """The last block lies behind the tensor."""
    return blocks(x.pad(((0, 0), (0, 8))), out)


def preceded(x: Tensor, out: Tensor) -> tuple[Tensor, ...]:
    """The first block lies before the tensor."""
    return blocks(x.pad(((0, 0), (8, 0))), out)


def one_column(x: Any, out: Tensor) -> tuple[Tensor, ...]:
    """Two columns at a time, of which the application sees one after the other."""
    x = below(x.tile((4, 1)).tile((1, 2)), 0)
    x.dtype.dtype = x.dtype.dtype.squeeze(1)
    return x[0], out.tile((1,))


def accumulated(x: Any, out: Any) -> None:
    total = ntl.zeros((4, 8), ntl.float32)
    for k in range(x.shape[0]):
        total += x[k]
    out = ntl.sum(total)


def backwards(x: Any, out: Any) -> None:
    total = ntl.zeros((4, 8), ntl.float32)
    for k in range(x.shape[0]):
        total += x[x.shape[0] - 1 - k]
    out = ntl.sum(total)


def from_the_end(x: Any, out: Any) -> None:
    total = ntl.zeros((4, 8), ntl.float32)
    for k in range(x.shape[0] - 1, -1, -1):
        total += x[k]
    out = ntl.sum(total)


def first_block(x: Any, out: Any) -> None:
    total = ntl.zeros((4, 8), ntl.float32)
    for _ in range(3):
        total += x[0]
    out = ntl.sum(total)


def sums_of_rows(x: Any, out: Any) -> None:
    total = ntl.zeros((4,), ntl.float32)
    for k in range(x.shape[0]):
        total += ntl.sum(x[k], 1)
    out = ntl.sum(total)


def sums_of_columns(x: Any, out: Any) -> None:
    total = ntl.zeros((8,), ntl.float32)
    for k in range(x.shape[0]):
        total += ntl.sum(x[k], 0)
    out = ntl.sum(total)


def turned_sums_of_columns(x: Any, out: Any) -> None:
    total = ntl.zeros((8,), ntl.float32)
    for k in range(x.shape[0]):
        total += ntl.sum(ntl.trans(x[k]), 1)
    out = ntl.sum(total)


def columns(x: Any, out: Any) -> None:
    total = ntl.zeros((4,), ntl.float32)
    for k in range(2):
        total += x[k]
    out = ntl.sum(total)


Case = tuple[Callable[..., Any], Callable[..., Any], set[int]]
WHOLE = {8, 16, 24}
# Several blocks, all of them full, or a single one.
FULL = WHOLE | {7}
CASES: list[Case] = [
    (accumulated, blocks, FULL),
    (backwards, blocks, FULL),
    (from_the_end, blocks, FULL),
    (accumulated, shifted, {7}),
    (backwards, shifted, {7}),
    (accumulated, lengthened, set()),
    (accumulated, preceded, set()),
    (first_block, blocks, {*COLUMNS}),
    # A sum of some lanes is no less than one of all; of none, it has no value.
    (sums_of_rows, blocks, {*COLUMNS}),
    (sums_of_rows, shifted, {*COLUMNS}),
    (sums_of_rows, lengthened, set()),
    (sums_of_rows, preceded, set()),
    (sums_of_columns, blocks, FULL),
    (turned_sums_of_columns, blocks, FULL),
    (columns, one_column, {8, 14, 16, 24}),
]


def found(
    application: Callable[..., Any], arrangement: Callable[..., Any], tensors: tuple[Tensor, ...]
) -> list[nt.Check]:
    """The checks of what loops accumulate."""
    arranged = run_arrangement(arrangement, tensors).tensors
    definition = define(None, arranged, application)
    module = build(definition, assumed_signature(definition, {}, plain_values(definition)))
    (kernel,) = module.body.ops
    assert isinstance(kernel, nt.KernelOp)
    return [check.data for check in kernel.checks if "accumulated" in check.data.message]


@pytest.mark.parametrize(
    ("application", "arrangement", "expected"),
    CASES,
    ids=[f"{application.__name__}-{arrangement.__name__}" for application, arrangement, _ in CASES],
)
def test_columns_that_are_read_by_all_iterations(
    application: Callable[..., Any], arrangement: Callable[..., Any], expected: set[int]
) -> None:
    checks = found(application, arrangement, (Tensor(2), Tensor(1)))

    def served(count: int) -> bool:
        sizes = {"x_size_0": 4, "x_size_1": count}
        return all(
            evaluate(left, sizes) == evaluate(right, sizes)
            for check in checks
            for left, right in zip(check.left, check.right, strict=True)
        )

    assert {count for count in COLUMNS if served(count)} == expected


def vectors(x: Tensor, out: Tensor) -> tuple[Tensor, ...]:
    return x.tile((8,)), out.tile((1,))


def one_mask(x: Any, out: Any) -> None:
    pointer = x.source.data_ptr() + x.offsets()
    chosen = ntl.load(pointer) > 0
    total = ntl.zeros((8,), ntl.float32)
    for k in range(4):
        total += ntl.load(pointer + k, chosen)
    out = ntl.sum(total)


def mask_that_is_read_anew(x: Any, out: Any) -> None:
    pointer = x.source.data_ptr() + x.offsets()
    total = ntl.zeros((8,), ntl.float32)
    for k in range(4):
        chosen = ntl.load(pointer) > 0
        total += ntl.load(pointer + k, chosen)
        ntl.store(pointer, total)
    out = ntl.sum(total)


def test_masks_of_each_iteration() -> None:
    tensors = (Tensor(1), Tensor(1))
    assert not found(one_mask, vectors, tensors)
    with pytest.raises(ShapeError, match="under a mask is accumulated over a loop"):
        found(mask_that_is_read_anew, vectors, tensors)


def sequences(x: Any, out: Tensor) -> tuple[Tensor, ...]:
    """Eight elements at a time of one sequence."""
    x = below(x.tile((1, 8, 4)).tile((1, -1, 1)), 0, 2)
    x.dtype.dtype = x.dtype.dtype.squeeze(0)
    return x, below(out.tile((1, 4)).unsqueeze(1), 0)


def sums_of_blocks(x: Any, out: Any) -> None:
    total = ntl.zeros((4,), ntl.float32)
    for k in range(x.shape[0]):
        total += ntl.sum(x[k], 0)
    out = total - ntl.max(total)


def test_each_block_of_a_sequence_has_an_element() -> None:
    assert not found(sums_of_blocks, sequences, (Tensor(3, jagged_dim=1), Tensor(2)))
