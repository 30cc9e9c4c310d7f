"""Loads behind reductions, made in front of them: results are those of the same numbers."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.layer_norm import layer_norm_kernel
from examples.rms_norm import rms_norm_kernel
from ninetoothed import Tensor
from ninetoothed.artifacts.configuration import Config
from ninetoothed.compiler.defaults import assumed_signature, pick
from ninetoothed.testing import check_kernel
from ninetoothed.verification.translation import validate
from tests.support.remarks import remarks_of

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

PASS = "nt-advance-loads"
CHOICE = "early_loads"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}


def is_varied(ran: list[Config]) -> bool:
    return {dict(config.choices).get(CHOICE) for config in ran} == {None, 1}


@pytest.mark.parametrize("columns", [1, 31, 64, 65, 1000])
@pytest.mark.parametrize("rows", [0, 1, 5])
def test_norms(device: str, rows: int, columns: int) -> None:
    input = torch.randn(rows, columns, device=device)
    weight, bias = torch.randn(columns, device=device), torch.randn(columns, device=device)
    output = torch.full_like(input, 7)
    wanted = torch.nn.functional.layer_norm(input, (columns,), weight, bias, 1e-5)
    values = (input, weight, bias, 1e-5, output)
    ran = check_kernel(
        layer_norm_kernel, values, {"output": wanted}, levels=LEVELS[device], atol=1e-4
    )
    assert is_varied(ran)
    wanted = torch.nn.functional.rms_norm(input, (columns,), weight, 1e-5)
    values = (input, weight, 1e-5, output)
    assert is_varied(
        check_kernel(rms_norm_kernel, values, {"output": wanted}, levels=LEVELS[device], atol=1e-4)
    )


def rows_of(*tensors: Any) -> tuple[Any, ...]:
    arranged = [tensor.tile((1, -1)) for tensor in tensors]
    for one in arranged:
        one.dtype = one.dtype.squeeze(0)
    return tuple(arranged)


def twice(x: Any, y: Any, z: Any) -> None:
    """What is read behind the store may be what it stores."""
    y = x / ntl.sum(x)
    z = z + ntl.max(x)


TWICE = ninetoothed.make(rows_of, twice, tuple(Tensor(2) for _ in range(3)), num_warps=4)


@pytest.mark.parametrize("shares", [False, True], ids=["apart", "shared"])
def test_what_is_stored_in_between(device: str, shares: bool) -> None:
    x = torch.rand(3, 65, device=device) + 1
    y = torch.empty_like(x)
    z = y if shares else torch.rand_like(x)
    y_wanted = x / x.sum(1, keepdim=True)
    z_wanted = (y_wanted if shares else z) + x.amax(1, keepdim=True)
    expected = {"z": z_wanted} if shares else {"y": y_wanted, "z": z_wanted}
    ran = check_kernel(TWICE, (x, y, z), expected, levels=LEVELS[device])
    assert is_varied(ran) is not shares
    told = remarks_of(TWICE, PASS, x, y, z)
    if shares:
        assert told == ["missed: load of `z` kept: `z` may share memory with `y`"]
    else:
        assert told == ["analysis: load of `z` kept: early_loads is 0, and may be 1"]


def turned(x: Any, y: Any, z: Any, w: Any) -> tuple[Any, ...]:
    """Of y, which may be x, a program reads the elements of other lanes."""
    blocks = [one.tile((32, 32)) for one in (x, y, z, w)]
    blocks[1] = blocks[1].permute((1, 0))
    blocks[1].dtype = blocks[1].dtype.permute((1, 0))
    return tuple(blocks)


def stored_before(x: Any, y: Any, z: Any, w: Any) -> None:
    x = z * 2
    total = ntl.sum(ntl.sum(z, 0), 0)
    w = y + total


def test_what_a_barrier_orders() -> None:
    """The store is in front of the reduction, and the barrier behind it."""
    kernel = ninetoothed.make(turned, stored_before, tuple(Tensor(2) for _ in range(4)))
    x, z, w = (torch.empty(32, 32) for _ in range(3))
    kept = "missed: load of `y` kept: a barrier orders it behind a store"
    assert remarks_of(kernel, PASS, x, x, z, w) == [kept]
    possible = "analysis: load of `y` kept: early_loads is 0, and may be 1"
    assert remarks_of(kernel, PASS, x, torch.empty(32, 32), z, w) == [possible]


def test_no_pass_changes_what_is_touched() -> None:
    kernel = layer_norm_kernel
    signature = assumed_signature(kernel.definition, {}, {})
    signature, config = pick(kernel.definition, kernel.composed(signature), signature, {})
    config = config.choosing(CHOICE, 1)
    assert validate(kernel.definition, signature, config).cases > 0
