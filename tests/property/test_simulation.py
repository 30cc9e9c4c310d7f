"""A copying kernel, run on the CPU, against what ``simulate_arrangement`` says that it sees."""

from __future__ import annotations

from typing import Any

import torch
from hypothesis import given, settings

import ninetoothed
from ninetoothed import Tensor
from ninetoothed.debugging import simulate_arrangement
from ninetoothed.testing.random_arrangements import Case, arrange, arrangements
from tests.support.profiles import cases as count


def copy(x: Any, out: Any) -> None:
    """Every program writes what it sees to its own row."""
    out = x  # pyright: ignore[reportUnusedVariable]


@given(arrangements())
@settings(max_examples=count(200, 2_000))
def test_copying_kernel_sees_the_targets(case: Case) -> None:
    def arranged(t: Tensor) -> Tensor:
        return arrange(case, t, lambda value: value)

    (source,), (target,) = simulate_arrangement(arranged, (Tensor(shape=case.shape),))
    assert source.shape == case.shape
    programs, *inner = target.shape
    model = case.model.offsets.reshape(target.shape)
    assert target.tolist() == model.tolist()
    if not programs or not all(inner):
        return

    def arrangement(t: Tensor, out: Tensor) -> Any:
        t = arranged(t)
        # Levels between are the block's, too: one load sees all of them.
        below = t.dtype
        if isinstance(below, Tensor):
            t.dtype = below.ravel()
        t = t.flatten() if t.ndim else t.unsqueeze(0)
        if not inner:
            return t, out
        out = out.tile((1, *inner)).flatten()
        rows = out.dtype
        assert isinstance(rows, Tensor)
        out.dtype = rows.squeeze(0)
        return t, out

    tensors = (Tensor(shape=case.shape, other=-1), Tensor(1 + len(inner)))
    seen = torch.full((programs, *inner), -2)
    ninetoothed.make(arrangement, copy, tensors)(source, seen)
    assert torch.equal(seen, target)
