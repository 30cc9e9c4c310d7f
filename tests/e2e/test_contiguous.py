"""Flattened tensors, contiguous and not: dims collapse only where their strides are products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.calls.arguments import bind
from tests.support.everywhere import everywhere


def flat(x: Tensor, out: Tensor) -> tuple[Tensor, ...]:
    return x.flatten().tile((32,)), out.flatten().tile((32,))


def twice(x: Any, out: Any) -> None:
    out = x + x


LAYOUTS: dict[str, tuple[Callable[[], torch.Tensor], int | None]] = {
    "contiguous": (lambda: torch.rand(3, 5, 7), 0),
    "one element a dim": (lambda: torch.rand(3, 1, 7), 0),
    "a dim of any stride": (lambda: torch.rand(3, 2, 7)[:, ::2], None),
    "rows apart": (lambda: torch.rand(3, 5, 9)[..., :7], None),
    "from dim 1": (lambda: torch.rand(3, 6, 7)[:, 1:], 1),
    "every other batch": (lambda: torch.rand(6, 5, 8)[::2], 1),
    "expanded": (lambda: torch.rand(1, 5, 7).expand(3, 5, 7), 1),
    "expanded rows": (lambda: torch.rand(3, 1, 7).expand(3, 5, 7), None),
    "permuted": (lambda: torch.rand(3, 7, 5).transpose(1, 2), None),
    "overlapping": (lambda: torch.rand(64).as_strided((3, 5, 7), (5, 5, 1)), None),
    "misaligned": (lambda: torch.rand(3 * 5 * 7 + 1)[1:].view(3, 5, 7), 0),
    "aligned": (lambda: torch.rand(2, 16, 16), 0),
    "columns apart": (lambda: torch.rand(3, 5, 14)[..., ::2], None),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(device: str, layout: str) -> None:
    make, contiguous = LAYOUTS[layout]
    x = make()
    kernel = ninetoothed.make(flat, twice, (Tensor(3), Tensor(3)))
    signature = bind(kernel.interface, [x, torch.empty(x.shape)], {}).signature
    assert [param.contiguous for param in signature.params] == [contiguous, 0]

    def check(x: torch.Tensor, out: torch.Tensor) -> None:
        torch.testing.assert_close(out, x + x)

    everywhere(device, flat, twice, [x, torch.zeros(x.shape)], check)
    if layout not in ("expanded", "expanded rows", "overlapping"):
        # Stored to, it is no clone, which would be contiguous.
        everywhere(device, flat, twice, [torch.rand(x.shape), x], check)


def columns(x: Tensor, out: Tensor) -> tuple[Tensor, ...]:
    # Two dims are flattened that are no neighbours in memory.
    rows = x.permute((0, 2, 1)).flatten(end_dim=2)
    return rows.tile((16, 4)), out.tile((16, 4))


def test_dims_that_are_apart(device: str) -> None:
    x = torch.rand(3, 6, 5)

    def check(x: torch.Tensor, out: torch.Tensor) -> None:
        torch.testing.assert_close(out, 2 * x.permute(0, 2, 1).reshape(-1, 6))

    everywhere(device, columns, twice, [x, torch.zeros(15, 6)], check)


def places(x: Any, out: Any) -> None:
    index = x.offsets()
    out = ntl.cast(index, ntl.float32) + 0 * x


@pytest.mark.parametrize("layout", ["contiguous", "from dim 1", "columns apart"])
def test_offsets_are_those_in_memory(device: str, layout: str) -> None:
    x = LAYOUTS[layout][0]()

    def check(x: torch.Tensor, out: torch.Tensor) -> None:
        wanted = sum(
            torch.arange(size, device=x.device).view([-1] + [1] * (2 - dim)) * x.stride(dim)
            for dim, size in enumerate(x.shape)
        )
        assert torch.equal(out, torch.as_tensor(wanted).float())

    everywhere(device, flat, places, [x, torch.zeros(x.shape)], check)
