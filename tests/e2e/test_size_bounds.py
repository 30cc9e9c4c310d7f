"""Bounds of sizes (``shape_options``) are for tuning: masks hold for sizes outside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed
from ninetoothed import Tensor
from tests.support.everywhere import everywhere

UP_TO_8 = {"upper_bound": 8}
FROM_4 = {"lower_bound": 4}


def copied(x: Any, output: Any) -> None:
    output = x  # pyright: ignore[reportUnusedVariable]


@pytest.mark.parametrize("options", [UP_TO_8, FROM_4, {**UP_TO_8, "lower_bound": 8}])
@pytest.mark.parametrize("size", [1, 3, 8, 9, 20])
@pytest.mark.parametrize(
    "tiled", [lambda x: x.tile((8,)), lambda x: x.tile((4,)), lambda x: x.tile((x.shape[0],))]
)
def test_masks_do_not_rely_on_bounds(
    device: str, options: Any, size: int, tiled: Callable[[Any], Any]
) -> None:
    def arrangement(x: Any, output: Any) -> Any:
        return tiled(x), tiled(output)

    whole = torch.full((size + 40,), -1.0)

    def check(x: torch.Tensor, output: torch.Tensor) -> None:
        assert torch.equal(output.cpu(), x.cpu())

    tensors = [Tensor(1, shape_options=options, other=0), Tensor(1, shape_options=options)]
    values = torch.arange(1.0, size + 1), whole[:size]
    everywhere(device, arrangement, copied, values, check, tensors)
    kernel = ninetoothed.make(arrangement, copied, tuple(tensors))
    around = whole.clone().to(device)
    kernel(values[0].to(device), around[:size])
    assert around[size:].eq(-1).all()
