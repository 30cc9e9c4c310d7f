"""All configurations of a kernel must compute the same: checked where the tuner times them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from examples.runner import relative_error, tolerance_of
from ninetoothed.calls.aliasing import is_tensor
from ninetoothed.calls.sequences import Jagged
from ninetoothed.errors import ArgumentError, ConfigurationError
from ninetoothed.runtime.launch.loaded import Trial

TimeTrials = Callable[..., Any]


def agreeing(time_trials: TimeTrials) -> TimeTrials:
    """The tuner's stopwatch, which also launches each configuration and compares what it writes."""

    def timed(trials: Sequence[Trial], values: tuple[Any, ...], *options: Any) -> Any:
        _compare(trials, values)
        return time_trials(trials, values, *options)

    return timed


def _compare(trials: Sequence[Trial], values: tuple[Any, ...]) -> None:
    written = _written(trials, values)
    before = {name: tensor.clone() for name, tensor in written.items()}
    expected: dict[str, torch.Tensor] | None = None
    for trial in trials:
        try:
            trial.launch(values)
        except (ConfigurationError, ArgumentError):
            # It takes more than the device has; the tuner leaves it out, too.
            continue
        found = {name: tensor.clone() for name, tensor in written.items()}
        for name, tensor in written.items():
            tensor.copy_(before[name])
        expected = expected or found
        for name, tensor in found.items():
            error = relative_error(tensor, expected[name])
            # Both are rounded.
            assert error <= 2 * tolerance_of(tensor), f"{trial}: {name} differs by {error}"


def _written(trials: Sequence[Trial], values: tuple[Any, ...]) -> dict[str, torch.Tensor]:
    """The tensors that are written, by name."""
    names = {name for trial in trials for name in trial.writes}
    data = (value.elements if isinstance(value, Jagged) else value for value in values)
    return {
        name: value
        for name, value in zip(trials[0].params, data, strict=True)
        if name in names and is_tensor(value)
    }
