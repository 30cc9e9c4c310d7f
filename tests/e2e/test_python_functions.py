"""Python's own functions and operators: of blocks, and of numbers that are known when compiling."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import floor
from typing import Any

import pytest
import torch

import ninetoothed.language as ntl
from ninetoothed import Tensor, block_size
from tests.support.everywhere import everywhere
from tests.support.idioms.idiom import integers, randn

ROOT = 2.0
LANES = 16


def vectors(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((LANES,)) for tensor in tensors)


def chosen(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Blocks of a size that the compiler chooses."""
    size = block_size(lower_bound=16, upper_bound=64)
    return tuple(tensor.tile((size,)) for tensor in tensors)


def check(
    device: str,
    application: Callable[..., None],
    reference: Callable[..., torch.Tensor],
    *inputs: torch.Tensor,
    arrangement: Callable[..., object] = vectors,
) -> None:
    wanted = reference(*inputs)

    def right(*values: torch.Tensor) -> None:
        torch.testing.assert_close(values[-1].cpu(), wanted)

    everywhere(device, arrangement, application, [*inputs, torch.zeros_like(wanted)], right)


# max and min.


def largest(x, y, output):
    output = max(x, y, 0.5)


def clamped(x, output):
    output = min(max(x, -1), 1)


def of_a_tuple(x, y, output):
    output = min((x, y, max(-0.5, -1)))


def of_scalars(x, output):
    output = x * max(ntl.program_id(0), 2)


def of_sizes(x, output):
    output = x * min(x.source.shape[0], 2 * x.shape[0], 1000)


EXTREMA: dict[str, tuple[Any, Any, int]] = {
    "largest": (largest, lambda x, y: torch.maximum(x, y).clamp(min=0.5), 2),
    "clamped": (clamped, lambda x: x.clamp(-1, 1), 1),
    "of a tuple": (of_a_tuple, lambda x, y: torch.minimum(x, y).clamp(max=-0.5), 2),
    "of scalars": (
        of_scalars,
        lambda x: x * (torch.arange(x.shape[0]) // LANES).clamp(min=2),
        1,
    ),
    "of sizes": (of_sizes, lambda x: x * min(x.shape[0], 2 * LANES), 1),
}


@pytest.mark.parametrize("size", [5, 77])
@pytest.mark.parametrize("name", EXTREMA)
def test_max_and_min(name: str, size: int, device: str) -> None:
    application, reference, count = EXTREMA[name]
    check(device, application, reference, *(randn(size + one)[:size] for one in range(count)))


def test_a_block_keeps_its_type_beside_numbers(device: str) -> None:
    check(device, clamped, lambda x: x.clamp(-1, 1), randn(20, dtype=torch.float16))
    check(device, clamped, lambda x: x.clamp(-1, 1), integers(-5, 5, 20, dtype=torch.int32))


def test_max_of_integers_is_no_float(device: str) -> None:
    x, y = (integers(0, 2**62, size)[:20] for size in (20, 21))
    check(device, larger, torch.maximum, x, y)


def larger(x, y, output):
    output = max(x, y)


def test_max_and_min_as_sizes(device: str) -> None:
    """Of the sizes of blocks they are sizes."""

    def application(x, output):
        rows = ntl.zeros((max(x.shape[0] // 32, 2), min(x.shape[0], 16)), ntl.float32) + 1
        output = x + ntl.sum(rows) / rows.shape[0]

    check(device, application, lambda x: x + 16, randn(50), arrangement=chosen)


# and, or, not.


def between(x, y, output):
    output = ntl.where(x > -0.5 and x < 0.5 and y > 0, x, 0.0)


def either(x, y, output):
    output = ntl.where(x > 1 or y > 1 or x < -1, x, y)


def neither(x, y, output):
    output = ntl.where(not (x > 0 or y > 0), x, 1.0)


def in_some_programs(x, y, output):
    output = ntl.where(ntl.program_id(0) > 0 and x > y, x, y)


def or_all_of_it(x, y, output):
    output = ntl.where(x > y or ntl.program_id(0) > 0, x, y)


def known(x, y, output):
    output = ntl.where(x > 0 and LANES == 16, x, 0.0) + ntl.where(False or y > 0, y, 0.0)
    output += ntl.where(LANES > 16 and y[0, 1] > 0, 1.0, 0.0)


def _behind_the_first(x: torch.Tensor) -> torch.Tensor:
    return torch.arange(x.shape[0]) >= LANES


CONDITIONS: dict[str, tuple[Any, Any]] = {
    "between": (
        between,
        lambda x, y: torch.where((x > -0.5) & (x < 0.5) & (y > 0), x, 0.0),
    ),
    "either": (either, lambda x, y: torch.where((x > 1) | (y > 1) | (x < -1), x, y)),
    "neither": (neither, lambda x, y: torch.where(~((x > 0) | (y > 0)), x, 1.0)),
    "in some programs": (
        in_some_programs,
        lambda x, y: torch.where(_behind_the_first(x) & (x > y), x, y),
    ),
    "or all of it": (
        or_all_of_it,
        lambda x, y: torch.where((x > y) | _behind_the_first(x), x, y),
    ),
    "known": (known, lambda x, y: x.clamp(min=0) + y.clamp(min=0)),
}


@pytest.mark.parametrize("size", [5, 77])
@pytest.mark.parametrize("name", CONDITIONS)
def test_conditions_of_lanes(name: str, size: int, device: str) -> None:
    application, reference = CONDITIONS[name]
    check(device, application, reference, randn(size), randn(size + 1)[:size])


def test_tensors_of_bits(device: str) -> None:
    def application(x, y, output):
        output = (x and not y) or (y and not x)

    bits = integers(0, 2, 2, 40) > 0
    check(device, application, torch.logical_xor, *bits)


# Functions of math, shifts and powers.


def folded(x, output):
    output = (
        x * math.sqrt(ROOT) + math.log2(x.shape[0]) + math.pow(2, 3) + floor(2.7) + math.ceil(0.1)
    )
    output += math.exp(0.5) if math.isinf(math.inf) else math.log(ROOT)


def _folded(x: torch.Tensor) -> torch.Tensor:
    return x * math.sqrt(ROOT) + math.log2(LANES) + 8.0 + 2 + 1 + math.exp(0.5)


def test_functions_of_math(device: str) -> None:
    check(device, folded, _folded, randn(50))


def test_functions_of_math_of_chosen_sizes(device: str) -> None:
    """The application is specialized on them."""

    def application(x, output):
        lanes = ntl.zeros((2,) * int(math.log2(x.shape[0])), ntl.float32) + 1
        output = x + ntl.sum(ntl.reshape(lanes, (math.prod(x.shape),))) / x.shape[0]

    check(device, application, lambda x: x + 1, randn(50), arrangement=chosen)


def test_shifts_and_powers_of_sizes(device: str) -> None:
    def application(x, output):
        n = x.shape[0]
        halves = ntl.reshape(x, (n >> 1, 2))
        ones = ntl.zeros((1 << 2, n << 1), ntl.float32) + 1
        is_power = n & (n - 1) == 0 and (n | n) ^ n == 0
        flipped = ntl.reshape(ntl.flip(halves, 1), (n,))
        output = flipped + ntl.sum(ones) / n**2 * n + 2 ** (n // n) if is_power else x

    def reference(x: torch.Tensor) -> torch.Tensor:
        return x.reshape(-1, 2).flip(1).reshape(-1) + 8 + 2

    for arrangement in (vectors, chosen):
        check(device, application, reference, randn(64), arrangement=arrangement)
