"""Programs in groups of rows: each computes what it did."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.matmul import matmul_kernel
from ninetoothed import Tensor
from ninetoothed.artifacts.configuration import Config
from ninetoothed.compiler.defaults import assumed_signature, pick
from ninetoothed.compiler.optimizations import CHOICES
from ninetoothed.errors import CompilerError
from ninetoothed.passes import find_pass
from ninetoothed.testing import check_kernel
from ninetoothed.verification.translation import validate
from tests.support.remarks import remarks_of

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

PASS = "nt-schedule-programs"
CHOICE = "grouped_programs"
OTHERS = ",".join(choice.name for choice in CHOICES if choice.name != CHOICE)
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
POSSIBLE = "analysis: programs kept in rows: grouped_programs is 1, and may be 8 or 16"


def outer(x: Any, y: Any, z: Any) -> tuple[Any, ...]:
    """Small blocks, so that few rows make many programs."""
    z = z.tile((4, 4))
    x = x.tile((4, 4)).tile((1, -1)).expand((-1, z.shape[1]))
    y = y.tile((4, 4)).tile((-1, 1)).expand((z.shape[0], -1))
    x.dtype, y.dtype = x.dtype.squeeze(0), y.dtype.squeeze(1)
    return x, y, z


def largest_sums(x: Any, y: Any, z: Any) -> None:
    largest = ntl.full(z.shape, float("-inf"), dtype=ntl.float32)
    for k in range(x.shape[0]):
        largest = ntl.maximum(largest, ntl.max(x[k], axis=1)[:, None] + ntl.max(y[k], axis=0))
    z = largest


def numbers(x: Any, y: Any, z: Any) -> None:
    largest_sums(x, y, z)
    z = ntl.full(z.shape, ntl.program_id(0), dtype=ntl.float32)


def made(application: Any) -> ninetoothed.Kernel:
    inputs = (Tensor(2, other=float("-inf")) for _ in range(2))
    return ninetoothed.make(outer, application, (*inputs, Tensor(2)), num_warps=4)


SUMS, NUMBERS = map(made, (largest_sums, numbers))


def groups(ran: list[Config]) -> set[int | None]:
    return {dict(config.choices).get(CHOICE) for config in ran}


@pytest.mark.parametrize("columns", [0, 1, 17])
@pytest.mark.parametrize("rows", [0, 1, 29, 32, 33, 67])
def test_rows_that_fill_groups_and_do_not(device: str, rows: int, columns: int) -> None:
    x, y = torch.randn(rows, 9, device=device), torch.randn(9, columns, device=device)
    z = torch.full((rows, columns), 7.0, device=device)
    # The largest of each block of four.
    left, right = (torch.nn.functional.pad(one, (0, 3), value=-torch.inf) for one in (x, y.T))
    left, right = (one.unflatten(1, (3, 4)).amax(2) for one in (left, right))
    expected = (left[:, None] + right[None]).amax(2)
    ran = check_kernel(SUMS, (x, y, z), {"z": expected}, levels=LEVELS[device])
    assert groups(ran) == {None, 8, 16}


def test_products(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", OTHERS)
    input, other = torch.randn(300, 40, device=device), torch.randn(40, 70, device=device)
    output = torch.empty(300, 70, device=device)
    ran = check_kernel(
        matmul_kernel,
        (input, other, output),
        {"output": input.double() @ other.double()},
        configs=6,
        levels=LEVELS[device],
        atol=2e-1 if device == "cuda" else None,
    )
    assert len(groups(ran)) > 1


@pytest.mark.parametrize("index_bits", [32, 64])
def test_no_pass_changes_what_is_touched(index_bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of tensors beyond 32 bits; validation knows no other order than the declared one."""
    signature = assumed_signature(SUMS.definition, {}, {})
    signature, config = pick(SUMS.definition, SUMS.composed(signature), signature, {})
    signature = replace(signature, index_bits=index_bits)
    config = config.choosing(CHOICE, 8)
    assert validate(SUMS.definition, signature, config).cases > 0
    monkeypatch.setattr(find_pass(PASS), "number_before", lambda *_: None)
    with pytest.raises(CompilerError, match=f"{PASS} changes which elements"):
        validate(SUMS.definition, signature, config)


def test_what_is_shared_and_whether_numbers_are_asked_for() -> None:
    values = torch.empty(33, 9), torch.empty(9, 17), torch.empty(33, 17)
    assert remarks_of(SUMS, PASS, *values) == [POSSIBLE]
    assert remarks_of(NUMBERS, PASS, *values) == []
