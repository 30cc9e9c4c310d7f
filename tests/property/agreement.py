"""Comparison of two runs of a random program."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from ninetoothed.testing.program_writer import Argument, Program


def agree(
    program: Program, left: Sequence[torch.Tensor], right: Sequence[torch.Tensor], what: str
) -> None:
    """Fail with the program where the buffers of two runs differ by more than both may be off."""
    arguments = [argument for argument in program.arguments if isinstance(argument, Argument)]
    for argument, one, two in zip(arguments, left, right, strict=True):
        error = program.errors.get(argument.name, 0.0)
        if not _same(one, two, 2 * error):
            raise AssertionError(
                f"{what}\n{program}\n{argument.name}, off by at most {error}:\n{one}\n{two}"
            )


def _same(left: torch.Tensor, right: torch.Tensor, room: float) -> bool:
    one, two = ((x.double() if x.is_floating_point() else x).cpu().numpy() for x in (left, right))
    if not room:
        return np.array_equal(one, two)
    return bool(np.all(np.abs(one - two) <= room))
