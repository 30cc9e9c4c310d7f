"""The comparison of configurations finds one that differs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch

from ninetoothed.runtime.launch.loaded import Trial
from tests.support.configurations import agreeing


def scaled(factor: float) -> Trial:
    def launch(values: tuple[Any, ...]) -> None:
        values[1].copy_(values[0] * factor)

    return Trial(("x", "y"), ("x",), ("y",), launch)


def times(trials: Sequence[Trial], values: tuple[Any, ...]) -> list[float]:
    return [1.0] * len(trials)


def test_configurations_that_agree_leave_no_trace() -> None:
    x, y = torch.ones(4), torch.full((4,), 7.0)
    timed = agreeing(times)
    assert timed([scaled(1.0), scaled(1.0)], (x, y)) == [1.0, 1.0]
    assert y.tolist() == [7.0] * 4


def test_one_that_differs_is_found() -> None:
    timed = agreeing(times)
    with pytest.raises(AssertionError, match=r"y differs by 0\.1"):
        timed([scaled(1.0), scaled(1.1)], (torch.ones(4), torch.zeros(4)))
