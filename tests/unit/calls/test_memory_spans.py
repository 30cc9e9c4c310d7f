"""Memory that arguments span: its first byte and its end, and which arguments share some."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from ninetoothed.artifacts.signature import ParamSignature
from ninetoothed.calls.aliasing import alias_sets, aliased, span

BASE = torch.zeros(4, 6)


# The first element and the last one, of 4 bytes, by their places in the base.
@pytest.mark.parametrize(
    ("tensor", "first", "last"),
    [
        (BASE, 0, 23),
        (BASE[0], 0, 5),
        (BASE[0, 2:3], 2, 2),
        (BASE[0, 3], 3, 3),
        (BASE[1:3, 1:3], 7, 14),
        (BASE[::3, ::2], 0, 22),
        (BASE.t(), 0, 23),
        (BASE[2:3].expand(5, 6), 12, 17),
        (BASE.flatten().unfold(0, 3, 2), 0, 22),
    ],
)
def test_first_byte_and_end(tensor: torch.Tensor, first: int, last: int) -> None:
    start = BASE.data_ptr()
    assert span(tensor) == (start + 4 * first, start + 4 * (last + 1))


class Backwards:
    """A tensor whose second stride is negative, as other frameworks' may be."""

    shape = (2, 3)
    device = torch.device("cpu")

    def data_ptr(self) -> int:
        return 1000

    def stride(self) -> tuple[int, int]:
        return 10, -2

    def numel(self) -> int:
        return 6

    def element_size(self) -> int:
        return 8


def test_a_negative_stride_reaches_back() -> None:
    assert span(Backwards()) == (1000 - 8 * 4, 1000 + 8 * 11)


@pytest.mark.parametrize("tensor", [BASE[:0], BASE[:, :0], torch.empty(3, device="meta")])
def test_no_memory(tensor: torch.Tensor) -> None:
    assert span(tensor) is None


def test_neighbours_share_nothing_and_one_element_is_enough() -> None:
    row = BASE.flatten()
    params = [ParamSignature(name, "tensor", "fp32", 1) for name in "xyz"]

    def shared(*values: Any) -> list[str | None]:
        return [param.alias_set for param in aliased(params, values)]

    assert shared(row[:8], row[8:16], row[16:]) == [None, None, None]
    assert shared(row[8:16], row[:8], row[16:]) == [None, None, None]
    assert shared(row[:9], row[8:16], row[16:]) == [None, "x", None]
    assert shared(row[:8], row[8:17], row[16:]) == [None, None, "y"]
    assert shared(row[16:], row[:17], row[3:4]) == [None, "x", "x"]


def test_sets_grow_together() -> None:
    """The third joins the first two, which are apart."""
    assert alias_sets([(0, 4), (4, 8), (3, 5)]) == (0, 0, 0)
    assert alias_sets([(0, 4), None, (4, 8), (2, 3), (7, 9)]) == (0, 1, 2, 0, 2)
    assert alias_sets([(0, 4), (4, 8), (8, 12)]) == (0, 1, 2)
