"""Every idiom of arranging tensors, with numbers: interpreted at `nt` and at `tt`, on a GPU by both
backends, and compiled offline.
"""

from __future__ import annotations

import pytest
import torch

from tests.support.everywhere import everywhere
from tests.support.idioms import IDIOMS, Idiom

devices = pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
each_idiom = pytest.mark.parametrize("idiom", IDIOMS, ids=str)


def close(result: torch.Tensor, expected: torch.Tensor, tolerance: float) -> None:
    torch.testing.assert_close(
        result.cpu().double(), expected.double(), rtol=tolerance, atol=tolerance
    )


@devices
@each_idiom
def test_numbers(device: str, idiom: Idiom) -> None:
    for arguments in idiom.arguments():
        expected = idiom.reference(*arguments)
        if isinstance(expected, torch.Tensor):
            expected = (expected,)

        def check(*values: torch.Tensor, expected=expected) -> None:
            for position, result in zip(idiom.outputs, expected, strict=True):
                close(values[position], result, idiom.tolerance)

        everywhere(
            device,
            idiom.arrangement,
            idiom.application,
            idiom.tensors,
            arguments,
            check,
            **idiom.keywords,
        )
