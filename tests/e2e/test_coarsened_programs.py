"""Programs that do the work of several: what they give is what each gives by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor, block_size
from ninetoothed.artifacts.configuration import Config
from ninetoothed.compiler.defaults import assumed_signature, pick
from ninetoothed.errors import CompilerError
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.passes import find_pass
from ninetoothed.testing import check_kernel
from ninetoothed.verification.translation import validate
from tests.support.remarks import remarks_of

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

PASS = "nt-coarsen-programs"
CHOICE = "coarsened_programs"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
EVERY = {None, 2, 4, 8, 16, 32}


def factors(ran: list[Config]) -> set[int | None]:
    return {dict(config.choices).get(CHOICE) for config in ran}


def made(
    arrangement: Callable[..., Any], application: Callable[..., None], *tensors: Tensor
) -> Kernel:
    return ninetoothed.make(arrangement, application, tensors, num_warps=4)


def rows(x: Any, *others: Any) -> tuple[Any, ...]:
    """A program a row; what has one dim is the same for all."""
    found = x.tile((1, -1))
    found.dtype = found.dtype.squeeze(0)
    programs = found.shape

    def arranged(one: Any) -> Any:
        if one.ndim == 2:
            one = one.tile((1, -1))
            one.dtype = one.dtype.squeeze(0)
            return one
        return one.tile((-1,)).unsqueeze(0).expand((programs[0], -1))

    return found, *map(arranged, others)


def scaled(x: Any, weight: Any, y: Any) -> None:
    """Reductions, scans, and what no program has by itself."""
    mean = ntl.sum(x) / 7.0
    y = ntl.cumsum((x - mean) * weight, axis=0) + ntl.max(x)


# Numbers of rows around what one program takes, and that none divides.
@pytest.mark.parametrize("count", [0, 1, 2, 7, 8, 9, 31, 32, 33, 61])
@pytest.mark.parametrize("width", [1, 33, 64])
def test_rows(device: str, count: int, width: int) -> None:
    kernel = made(rows, scaled, Tensor(2), Tensor(1), Tensor(2))
    x, weight = torch.randn(count, width, device=device), torch.randn(width, device=device)
    y = torch.full_like(x, float("nan"))
    y_wanted = ((x - x.sum(1, keepdim=True) / 7) * weight).cumsum(1)
    if count:
        y_wanted = y_wanted + x.amax(1, keepdim=True)
    ran = check_kernel(kernel, (x, weight, y), {"y": y_wanted}, levels=LEVELS[device], atol=1e-4)
    assert factors(ran) == EVERY


def heads(x: Any, weight: Any, y: Any) -> tuple[Any, ...]:
    """A program a position and head; of the weights, one row a position."""

    def one(tensor: Any) -> Any:
        found = tensor.tile((1, 1, -1)).squeeze(2)
        found.dtype = found.dtype.squeeze(0).squeeze(0)
        return found

    first = one(x)
    weights = weight.tile((1, -1))
    weights.dtype = weights.dtype.squeeze(0)
    return first, weights.expand((-1, first.shape[1])), one(y)


def product(x: Any, weight: Any, y: Any) -> None:
    y = x * weight


@pytest.mark.parametrize("count", [1, 3, 8, 33])
def test_heads(device: str, count: int) -> None:
    """The innermost dim of the grid is the one that gets lanes; weights are read once."""
    kernel = made(heads, product, Tensor(3), Tensor(2), Tensor(3))
    x, weight = torch.randn(5, count, 24, device=device), torch.randn(5, 24, device=device)
    y = torch.empty_like(x)
    ran = check_kernel(kernel, (x, weight, y), {"y": x * weight[:, None]}, levels=LEVELS[device])
    assert factors(ran) == EVERY


BLOCK = block_size(lower_bound=32, upper_bound=64)


def tiles_of_rows(x: Any, y: Any) -> tuple[Any, ...]:
    found = x.tile((1, BLOCK)).tile((1, -1)).squeeze(1)
    found.dtype = found.dtype.squeeze(0)
    found.dtype.dtype = found.dtype.dtype.squeeze(0)
    return found, y


def largest_place(x: Any, y: Any) -> None:
    """A loop that carries numbers, and a branch that is the same in all programs."""
    largest, place = float("-inf"), 0
    for i in range(x.shape[0]):
        found = ntl.max(x[i])
        place = ntl.where(found > largest, i * x[i].shape[0] + ntl.argmax(x[i], axis=0), place)
        largest = ntl.maximum(largest, found)
        if i > 2:
            largest = largest + 0.0
    y = place


@pytest.mark.parametrize("count", [1, 9, 40])
def test_loops(device: str, count: int) -> None:
    kernel = made(tiles_of_rows, largest_place, Tensor(2), Tensor(1, dtype=ninetoothed.int32))
    x = torch.randn(count, 200, device=device)
    y = torch.zeros(count, dtype=torch.int32, device=device)
    ran = check_kernel(kernel, (x, y), {"y": x.argmax(1).int()}, levels=LEVELS[device])
    assert factors(ran) == EVERY


def test_the_programs_are_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Translation validation knows of no other programs than those that the pass declares."""
    kernel = made(rows, scaled, Tensor(2), Tensor(1), Tensor(2))
    signature = assumed_signature(kernel.definition, {}, {})
    signature, config = pick(kernel.definition, kernel.composed(signature), signature, {})
    config = config.choosing(CHOICE, 8)
    assert validate(kernel.definition, signature, config).cases > 0
    monkeypatch.setattr(find_pass(PASS), "merged_programs", lambda *_: None)
    with pytest.raises(CompilerError, match="nt-coarsen-programs changes which elements"):
        validate(kernel.definition, signature, config)


def choosing(x: Any, y: Any) -> None:
    if ntl.sum(x) > 0.0:
        y = x
    if ntl.sum(x) <= 0.0:
        y = -x


def by_turns(x: Any, y: Any) -> None:
    found, i = x, 0
    while i < 3:
        found = x * found
        i += 1
    y = found


def gathered(x: Any, y: Any) -> None:
    y = x[x.shape[0] - 1 - ntl.arange(0, x.shape[0])]


def as_often(x: Any, y: Any) -> None:
    found = x
    for _ in range(ntl.cast(ntl.max(x), ntl.int32)):
        found = found * 0.5
    y = found


@pytest.mark.parametrize(
    ("application", "reason"),
    [
        (choosing, "the branch depends on data"),
        (as_often, "how often the loop iterates depends on data"),
        (by_turns, "what a `while` carries depends on data"),
        (gathered, "nt.address takes the tile of one program"),
    ],
)
def test_what_is_kept_apart(device: str, application: Callable[..., None], reason: str) -> None:
    kernel = made(rows, application, Tensor(2), Tensor(2))
    x = torch.rand(9, 33, device=device) * 4
    y = torch.empty_like(x)
    wanted = {
        choosing: x,
        as_often: x * 0.5 ** x.amax(1, keepdim=True).int(),
        by_turns: x**4,
        gathered: x.flip(1),
    }[application]
    ran = check_kernel(kernel, (x, y), {"y": wanted}, levels=LEVELS[device])
    assert factors(ran) == {None}
    assert remarks_of(kernel, PASS, x, y) == [f"missed: programs kept apart: {reason}"]


def test_rows_that_are_long(device: str) -> None:
    """Programs with enough to do stay as they are."""
    kernel = made(rows, product, Tensor(2), Tensor(1), Tensor(2))
    x, weight = torch.randn(3, 5000, device=device), torch.randn(5000, device=device)
    y = torch.empty_like(x)
    ran = check_kernel(kernel, (x, weight, y), {"y": x * weight}, levels=LEVELS[device])
    assert factors(ran) == {None}
    assert remarks_of(kernel, PASS, x, weight, y) == []
