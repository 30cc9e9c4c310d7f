"""``while`` loops of whose variables a number is needed when compiling."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor, block_size
from tests.support.everywhere import everywhere
from tests.support.idioms.idiom import integers, randn

BLOCK = 16


def fixed(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((BLOCK,)) for tensor in tensors)


def check(
    device: str,
    application: Callable[..., None],
    reference: Callable[[torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    arrangement: Callable[..., object] = fixed,
    **constexprs: int,
) -> None:
    wanted = reference(x)

    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        torch.testing.assert_close(output.cpu(), wanted)

    values = [x, torch.zeros_like(wanted)]
    everywhere(device, arrangement, application, values, right, **constexprs)


def _sums(x: torch.Tensor, lanes: int = BLOCK) -> torch.Tensor:
    """The sum of each block, in all of its lanes."""
    return x.reshape(-1, lanes).sum(1).repeat_interleave(lanes)


def butterflies(x, output):
    """Each step adds lanes that lie ``step`` apart."""
    y = x
    step = BLOCK // 2
    while step > 0:
        pairs = ntl.reshape(y, (BLOCK // (2 * step), 2, step))
        y = ntl.reshape(pairs + ntl.flip(pairs, 1), (BLOCK,))
        step //= 2
    output = y


def test_a_step_that_is_halved(device: str) -> None:
    check(device, butterflies, _sums, integers(0, 99, 64).to(torch.float32))


def of_any_size(x, output):
    y = x
    step = x.shape[0] >> 1
    while step:
        pairs = ntl.reshape(y, (x.shape[0] // (2 * step), 2, step))
        y = ntl.reshape(pairs + ntl.flip(pairs, 1), x.shape)
        step >>= 1
    output = y


def test_a_size_that_the_caller_gives(device: str) -> None:
    size = Symbol("SIZE", constexpr=True)
    x = integers(0, 99, 64).to(torch.float32)
    for lanes in (4, 32):
        check(
            device,
            of_any_size,
            lambda x, lanes=lanes: _sums(x, lanes),
            x,
            lambda *tensors: tuple(tensor.tile((size,)) for tensor in tensors),
            SIZE=lanes,
        )


def test_a_size_that_the_compiler_chooses(device: str) -> None:
    size = block_size(lower_bound=16, upper_bound=64)

    def application(x, output):
        largest = ntl.max(x)
        y = x
        step = x.shape[0] // 2
        while step > 0:
            pairs = ntl.reshape(y, (x.shape[0] // (2 * step), 2, step))
            y = ntl.reshape(ntl.maximum(pairs, ntl.flip(pairs, 1)), x.shape)
            step //= 2
        output = y - largest + 1

    check(
        device,
        application,
        torch.ones_like,
        randn(64),
        lambda *tensors: tuple(tensor.tile((size,)) for tensor in tensors),
    )


def sorting_network(x, output):
    """Batcher's bitonic sort: a loop in a loop, both with shapes by their variables."""
    y = x
    k = 2
    while k <= BLOCK:
        j = k // 2
        while j > 0:
            lane = ntl.arange(0, BLOCK)
            pairs = ntl.reshape(y, (BLOCK // (2 * j), 2, j))
            other = ntl.reshape(ntl.flip(pairs, 1), (BLOCK,))
            upward = (lane & k) == 0
            first = (lane & j) == 0
            y = ntl.where(upward == first, min(y, other), max(y, other))
            j //= 2
        k *= 2
    output = y


def test_a_loop_in_a_loop(device: str) -> None:
    def reference(x: torch.Tensor) -> torch.Tensor:
        return x.reshape(-1, BLOCK).sort(1).values.reshape(-1)

    check(device, sorting_network, reference, randn(64))


def levels(n):
    """A function whose loop ends with a number."""
    count = 0
    while n > 1:
        n //= 2
        count += 1
    return count


def behind_the_loop(x, output):
    cube = ntl.reshape(x, (2,) * levels(BLOCK))
    for axis in ntl.static_range(levels(BLOCK)):
        cube = ntl.flip(cube, axis)
    output = ntl.reshape(cube, (BLOCK,))


def test_a_number_behind_the_loop(device: str) -> None:
    check(device, behind_the_loop, lambda x: x.reshape(-1, BLOCK).flip(1).reshape(-1), randn(64))


FACTORS = (2.0, 3.0, 5.0)


def by_index(x, output):
    y = x
    i = 0
    while i < len(FACTORS):
        low, high = (0.0, 1.0) if i == 1 else (1.0, 2.0)
        y = y * FACTORS[i] + high - low
        i += 1
    output = y + i


def test_indices_of_tuples_and_kinds_of_values(device: str) -> None:
    def reference(x: torch.Tensor) -> torch.Tensor:
        return ((x * 2 + 1) * 3 + 1) * 5 + 1 + 3

    check(device, by_index, reference, randn(50))


def by_a_shape(x, output):
    y = x
    shape = (BLOCK, 1)
    while shape[0] > 1:
        shape = (shape[0] // 2, shape[1] * 2)
        y = ntl.reshape(ntl.flip(ntl.reshape(y, shape), 1), (BLOCK,))
    output = y


def test_variables_that_are_tuples_of_numbers(device: str) -> None:
    def reference(x: torch.Tensor) -> torch.Tensor:
        for lanes in (2, 4, 8, 16):
            x = x.reshape(-1, lanes).flip(1).reshape(-1)
        return x

    check(device, by_a_shape, reference, randn(64))


def three_and_count(output):
    """A number that is known, with an effect."""
    ntl.atomic_add(output.source.data_ptr(), 1.0)
    return 3


def test_conditions_with_an_effect(device: str) -> None:
    def application(x, output):
        i = 0
        factor = 1.0
        while i < three_and_count(output):
            factor *= FACTORS[i]
            i += 1
        x *= factor

    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        torch.testing.assert_close(x.cpu(), randn(BLOCK) * 30)
        assert output.tolist() == [4.0]

    def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((BLOCK,)), output.tile((1,))

    everywhere(device, arrangement, application, [randn(BLOCK), torch.zeros(1)], right)


@pytest.mark.parametrize("needs", ["nothing", "a shape"])
def test_only_what_is_needed_is_unrolled(needs: str) -> None:
    def nothing(x, output):
        y = x
        step = 8
        while step > 0:
            y = y + step
            step //= 2
        output = y

    def a_shape(x, output):
        y = x
        step = 8
        while step > 0:
            y = y + ntl.sum(ntl.zeros((step,), ntl.float32) + 1)
            step //= 2
        output = y

    application = nothing if needs == "nothing" else a_shape
    kernel = ninetoothed.make(fixed, application, (Tensor(1), Tensor(1)))
    assert ("while" in kernel.source()) == (needs == "nothing")
    x, output = randn(50), torch.zeros(50)
    kernel(x, output)
    torch.testing.assert_close(output, x + 15)


def test_a_loop_that_prints_prints_once_an_iteration(capsys: pytest.CaptureFixture[str]) -> None:
    def application(x, output):
        y = x
        i = 0
        while i < 2:
            ntl.static_print("iteration", i)
            y = y * FACTORS[i]
            i += 1
        output = y

    ninetoothed.make(fixed, application, (Tensor(1), Tensor(1)), backend="interpret")
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["iteration 0", "iteration 1"]
