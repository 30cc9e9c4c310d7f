"""The benchmark of masks that a kernel writes itself: its kernels are right, and one needs none."""

from __future__ import annotations

import functools
from typing import Any, cast

import pytest

from benchmarks import own_masks
from benchmarks.own_masks import SIZES, VARIANTS, calls


def test_smoke(capsys: pytest.CaptureFixture[str]) -> None:
    assert own_masks.main(["--smoke"]) == 0
    lines = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines()]
    names = [[cell.strip() for cell in line] for line in lines]
    assert names[0][1:3] == [*VARIANTS]
    assert [line[0] for line in names[2:]] == [*SIZES]
    assert [line[2] for line in names[2:]] == ["called", "called", ""]


@pytest.mark.parametrize(("keys", "folded"), [(512, True), (67, False)])
def test_the_mask_is_proved_where_blocks_divide(keys: int, folded: bool) -> None:
    call = cast("functools.partial[Any]", calls((1, keys, 64), "cpu")["masked"])
    kernel: Any = call.func
    found = str(kernel.remarks(*call.args))
    assert ("comparison folded: it is true in all lanes" in found) is folded
