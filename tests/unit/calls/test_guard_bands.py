"""Guard bands find each write outside of tensors, and change nothing that a call sees."""

from __future__ import annotations

import pytest
import torch

from ninetoothed.calls.guard_bands import banded, stray_write


def test_copies_are_like_the_tensors() -> None:
    base = torch.arange(24, dtype=torch.float16)
    x, y = base.view(4, 6)[1:, ::2], base[5:]
    one, other, number = banded([x, y, 3])
    assert number == 3
    for copy, tensor in ((one, x), (other, y)):
        assert torch.equal(copy, tensor)
        assert copy.stride() == tensor.stride()
        assert copy.data_ptr() % 16 == tensor.data_ptr() % 16
    assert one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()
    assert other.data_ptr() - one.data_ptr() == y.data_ptr() - x.data_ptr()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_bands_are_nan(dtype: torch.dtype) -> None:
    (copy,) = banded([torch.zeros(3, dtype=dtype)])
    around = copy.new_empty(0).set_(copy.untyped_storage(), 0, (4096 // dtype.itemsize + 3,))
    assert around[:-3].isnan().all()


def test_writes_to_elements_are_no_stray_ones() -> None:
    x, y = torch.zeros(4, 6)[:, 1::2], torch.zeros(0)
    copies = banded([x, y])
    copies[0].fill_(7)
    assert stray_write([x, y], copies) is None


@pytest.mark.parametrize(
    ("element", "text"),
    [
        (-2, "8 bytes in front of its memory"),
        (-1024, "4096 bytes in front of its memory"),
        (24, "0 bytes behind its memory"),
        (1047, "4092 bytes behind its memory"),
        (2, "byte 8 of its memory, where it has no element"),
    ],
)
def test_stray_writes_are_found(element: int, text: str) -> None:
    base = torch.zeros(24)
    values = [torch.zeros(3), base[1::6], base[3::6]]
    copies = banded(values)
    around = torch.empty(0, dtype=torch.uint8).set_(copies[1].untyped_storage())
    around[4096 + 4 * element] = 1
    found = stray_write(values, copies)
    assert found is not None
    assert (found.place, str(found)) == (1, text)
