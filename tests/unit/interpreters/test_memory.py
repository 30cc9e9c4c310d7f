"""Memory of so many elements that torch divides its work between threads: other tests have one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from ninetoothed.interpreters.element_types import ELEMENTS
from ninetoothed.interpreters.memory import Memory

_LANES = 1 << 18
_I64 = ELEMENTS["i64"]


@pytest.fixture(autouse=True)
def _threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("elements", [1, 7, _LANES // 2])
def test_the_last_write_to_an_element_wins(elements: int) -> None:
    data, lanes = torch.zeros(elements, dtype=torch.int64), torch.arange(_LANES)
    Memory("x", data).scatter(_I64, lanes % elements, lanes, mask=None)
    last = lanes[-elements:]
    assert torch.equal(data[last % elements], last)
    Memory("x", data).scatter(_I64, lanes % elements, -lanes, lanes % 3 != 0)
    for element in {0, elements // 2, elements - 1}:
        expected = max(lane for lane in range(element, _LANES, elements) if lane % 3)
        assert data[element] == -expected


def test_updates_are_in_the_order_of_the_lanes() -> None:
    def updated(before: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        return 2 * before - value

    half, lanes = _LANES // 2, torch.arange(_LANES)
    data = torch.ones(half, dtype=torch.int64)
    found = Memory("x", data).update(_I64, [_LANES], lanes % half, [lanes], None, updated)
    once = 2 - lanes[:half]
    assert torch.equal(found, torch.cat([torch.ones_like(once), once]))
    assert torch.equal(data, 2 * once - lanes[half:])


def test_masked_lanes_read_the_fill() -> None:
    data, lanes = torch.arange(_LANES), torch.arange(2 * _LANES)
    found = Memory("x", data).gather(_I64, lanes, None, lanes < _LANES, torch.tensor(-1))
    assert torch.equal(found, torch.where(lanes < _LANES, lanes, -1))


@pytest.mark.parametrize("part", [slice(None), slice(2, None)])
def test_masked_lanes_read_anywhere(part: slice) -> None:
    """Behind the end, in front of the first element, and of what is a part of more."""
    data = torch.arange(8)[part]
    memory = Memory("x", data)
    lanes = torch.arange(-3, 12).reshape(1, -1)
    mask = (lanes >= 0) & (lanes < len(data))
    expected = torch.where(mask, lanes + data[0], -1)
    found = memory.gather(_I64, lanes.clone(), None, mask, torch.tensor(-1), is_element=True)
    assert torch.equal(found, expected)
    assert torch.equal(memory.gather(_I64, lanes, None, mask, torch.tensor(-1)), expected)
    nothing = Memory("y", torch.arange(0))
    found = nothing.gather(_I64, lanes, None, mask & False, torch.tensor(-1), is_element=True)
    assert torch.equal(found, torch.full_like(lanes, -1))
