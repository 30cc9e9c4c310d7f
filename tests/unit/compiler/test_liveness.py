"""Which blocks are in registers at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples import matmul as mm
from ninetoothed import Tensor
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.cost import Scope, count

BLOCK = 64


def vectors(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((BLOCK,)) for tensor in tensors)


def meta(*shape: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
    return torch.empty(shape, dtype=dtype, device="meta")


def scopes(
    application: Callable[..., None],
    *values: torch.Tensor | float,
    arrangement: Callable[..., tuple[Tensor, ...]] = vectors,
) -> tuple[Scope, ...]:
    """The scopes of a kernel that is called with ``values``: code outside of loops is the first."""
    symbols = tuple(
        Tensor(value.dim() if isinstance(value, torch.Tensor) else 0) for value in values
    )
    kernel = ninetoothed.make(arrangement, application, symbols)
    signature = bind(kernel.definition.interface, values, {}).signature
    return count(kernel.composed(signature), signature).scopes


def live(scope: Scope) -> int:
    """Bytes that are live at once of each lane of the largest block."""
    return max(sum(lanes.bytes for lanes in blocks if lanes.sizes) for blocks in scope.live)


def sigmoid_of_sum(x: Any, y: Any, out: Any) -> None:
    total = ntl.cast(x, ntl.float32) + ntl.cast(y, ntl.float32)
    out = total * ntl.sigmoid(total)  # pyright: ignore[reportUnusedVariable]


def test_lanes_are_computed_one_after_the_other() -> None:
    """Two blocks of halves become one, and what is between is in fp32 for a few lanes only."""
    (scope,) = scopes(sigmoid_of_sum, meta(256), meta(256), meta(256))
    assert live(scope) == 2 + 2


def weighted(x: Any, out: Any) -> None:
    weights = ntl.exp(ntl.cast(x, ntl.float32))
    out = weights / ntl.sum(weights)  # pyright: ignore[reportUnusedVariable]


def test_a_reduction_needs_the_whole_block() -> None:
    (scope,) = scopes(weighted, meta(256), meta(256))
    assert live(scope) == 4


def summed_in_turn(x: Any, y: Any, z: Any, out: Any) -> None:
    total = ntl.cast(x, ntl.float32)
    total += y
    total += z
    out = total  # pyright: ignore[reportUnusedVariable]


def test_loads_are_issued_together() -> None:
    (scope,) = scopes(summed_in_turn, *(meta(256) for _ in range(4)))
    assert live(scope) == 2 + 2 + 2


def scaled_sum(x: Any, y: Any, out: Any) -> None:
    total = ntl.cast(x, ntl.float32)
    out = total * ntl.sum(total) + y  # pyright: ignore[reportUnusedVariable]


def test_a_load_stays_behind_a_reduction() -> None:
    (scope,) = scopes(scaled_sum, meta(256), meta(256), meta(256))
    assert live(scope) == 4 + 2


def product(*tensors: Tensor) -> tuple[Tensor, ...]:
    first, second, *added, scale, output = tensors
    first, second, output = mm.arrangement(first, second, output)
    blocks = [one.tile((mm.BLOCK_SIZE_M, mm.BLOCK_SIZE_N)) for one in added]
    return first, second, *blocks, scale, output


def with_residuals(a: Any, b: Any, x: Any, y: Any, scale: Any, out: Any) -> None:
    total = ntl.zeros(out.shape, dtype=ntl.float32)
    for k in range(a.shape[0]):
        total += ntl.dot(a[k], b[k])
    out = (total + x) * ntl.cast(y, ntl.float32) * scale  # pyright: ignore[reportUnusedVariable]


def test_an_epilogue_takes_nothing_of_its_loop() -> None:
    matrices = (meta(256, 256) for _ in range(4))
    around, loop = scopes(with_residuals, *matrices, 2.0, meta(256, 256), arrangement=product)
    assert (live(around), live(loop)) == (4 + 2 + 2, 4)


def added_where(a: Any, b: Any, x: Any, scale: Any, out: Any) -> None:
    total = ntl.zeros(out.shape, dtype=ntl.float32)
    for k in range(a.shape[0]):
        total += ntl.dot(a[k], b[k])
    if scale != 0:
        total += scale * ntl.cast(x, ntl.float32)
    out = total  # pyright: ignore[reportUnusedVariable]


def test_what_a_branch_changes_is_not_live_beside_it() -> None:
    matrices = (meta(256, 256) for _ in range(3))
    around, _, branch = scopes(added_where, *matrices, 2.0, meta(256, 256), arrangement=product)
    assert (live(around), live(branch)) == (4, 4 + 2)


def added_in_a_loop(x: Any, y: Any, out: Any) -> None:
    added = ntl.cast(y, ntl.float32)
    total = ntl.zeros(out.shape, dtype=ntl.float32)
    for i in range(x.shape[0]):
        total += ntl.cumsum(added) * x[i]
    out = total  # pyright: ignore[reportUnusedVariable]


def rows(x: Any, y: Any, out: Any) -> tuple[Tensor, ...]:
    x = x.tile((1, BLOCK)).tile((-1, 1)).squeeze(0)
    x.dtype = x.dtype.squeeze(1)
    x.dtype.dtype = x.dtype.dtype.squeeze(0)
    return x, y.tile((BLOCK,)), out.tile((BLOCK,))


def test_what_each_iteration_uses_is_live_in_all_of_a_loop() -> None:
    values = meta(8, 256), meta(256), meta(256)
    _, loop = scopes(added_in_a_loop, *values, arrangement=rows)
    # The sum, what is added, its running total, and a row.
    assert live(loop) == 4 + 4 + 4 + 2
