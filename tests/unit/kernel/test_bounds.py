"""Calls with values of constexpr symbols outside their bounds: compiled and proved anew, or refused
where the arrangement relied on the bounds.
"""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable, Generator
from typing import Any

import pytest
import torch

import ninetoothed
from ninetoothed import Symbol, Tensor
from ninetoothed.calls.arguments import bind
from ninetoothed.errors import (
    ArgumentError,
    ArrangementError,
    BoundsWarning,
    NineToothedWarning,
    RaceError,
    RaceWarning,
)
from ninetoothed.ir.nt import kernel_of
from ninetoothed.kernel.kernel import Kernel


def copied(x: Any, output: Any) -> None:
    output = x  # pyright: ignore[reportUnusedVariable]


def made(arrangement: Callable[..., object], **options: Any) -> Kernel:
    return ninetoothed.make(arrangement, copied, (Tensor(1, other=0), Tensor(1)), **options)


def padded(x: Any, output: Any, P: Any = Symbol("P", constexpr=True)) -> Any:
    return x.pad(((P, P),)).tile((16,)), output.tile((16,))


def blocks(
    x: Any, output: Any, SIZE: Any = Symbol("SIZE", constexpr=True, lower_bound=1, upper_bound=64)
) -> Any:
    return x.tile((SIZE,)), output.tile((SIZE,))


@contextlib.contextmanager
def unwarned() -> Generator[None]:
    """Without the warnings of a block of code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NineToothedWarning)
        yield


def declared(kernel: Kernel, name: str, value: int) -> tuple[int | None, int | None]:
    """The bounds of a symbol in the module of calls with this value."""
    x = torch.ones(40)
    with unwarned():
        signature = bind(kernel.interface, (x, x), {name: value}).signature
    (found,) = (
        decl for decl in kernel_of(kernel.composed(signature)).declarations if decl.name == name
    )
    return found.lower, found.upper


def test_the_range_is_widened_to_the_value() -> None:
    kernel = made(padded)
    assert declared(kernel, "P", 4) == (1, 2**20)
    assert declared(kernel, "P", 0) == (0, 2**20)
    assert declared(kernel, "P", -3) == (-3, 2**20)
    assert declared(kernel, "P", 2**21) == (1, 2**21)


@pytest.mark.parametrize("padding", [0, 3, -2, 2**20 + 1])
def test_default_bounds_are_widened_silently(padding: int) -> None:
    x = torch.arange(40.0)
    output = torch.full((40 + 2 * padding,), -1.0)
    made(padded)(x, output, P=padding)
    expected = torch.nn.functional.pad(x, (padding, padding))
    assert torch.equal(output, expected)


def test_bounds_that_the_user_gave_are_widened_with_a_warning() -> None:
    kernel = made(blocks)
    x, output = torch.arange(300.0), torch.zeros(300)
    with pytest.warns(BoundsWarning) as found:
        kernel(x, output, SIZE=128)
    assert [str(one.message) for one in found] == [
        "SIZE=128 is outside its bounds, 1 to 64, so that the kernel is compiled for wider ones; "
        "give Symbol('SIZE') others with lower_bound and upper_bound"
    ]
    assert found[0].filename == __file__
    assert torch.equal(output, x)
    # Once a kernel.
    kernel(x, output, SIZE=128)
    kernel(x, torch.zeros(300), SIZE=64)
    kernel.report(values={"SIZE": 256})
    kernel.source(values={"SIZE": 256})
    kernel.ir(values={"SIZE": 256})


@pytest.mark.parametrize(
    ("options", "warned"),
    [
        ({}, ()),
        ({"lower_bound": 1}, (0,)),
        ({"upper_bound": 64}, (128,)),
        ({"lower_bound": 2, "upper_bound": 64}, (0, 1, 128)),
    ],
)
def test_each_bound_is_the_users_or_the_default(
    options: dict[str, Any], warned: tuple[int, ...]
) -> None:
    symbol = Symbol("Q", constexpr=True, **options)

    def arrangement(x: Any, output: Any) -> Any:
        return x.pad(((symbol, 0),)).tile((16,)), output.tile((16,))

    for value in (0, 1, 16, 128):
        kernel = made(arrangement)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            kernel(torch.ones(20), torch.zeros(20 + value), Q=value)
        assert bool(found) == (value in warned)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "a tile of size 0; sizes are at least 1"),
        (-1, "a tile of size -1; sizes are at least 1"),
    ],
)
def test_what_an_operation_requires_stays_an_error(value: int, text: str) -> None:
    kernel = made(blocks)
    for _ in range(2):
        with pytest.raises(ArrangementError, match=text) as found, unwarned():
            kernel(torch.ones(4), torch.ones(4), SIZE=value)
        assert found.value.loc is not None
        assert found.value.loc.function == "blocks"


def test_strides_and_divisors_stay_at_least_1() -> None:
    def strided(x: Any, output: Any, S: Any = Symbol("S", constexpr=True)) -> Any:
        return x.tile((16,), strides=(S,)), output.tile((16,), strides=(S,))

    def divided(x: Any, output: Any, S: Any = Symbol("S", constexpr=True)) -> Any:
        return x.tile((64 // S,)), output.tile((64 // S,))

    def shared(x: Any, output: Any, S: Any = Symbol("S", constexpr=True)) -> Any:
        return x.tile((x.shape[0] // S,)), output.tile((x.shape[0] // S,))

    x = torch.ones(40)
    for arrangement, error, text in (
        (strided, ArgumentError, "needs 1 <= S"),
        (divided, ArrangementError, "64 // S is divided by 0 with S=0; a divisor must be at least"),
        (shared, ArgumentError, "a block size is divided by zero with the values of this call"),
    ):
        with pytest.raises(error, match=text), unwarned():
            made(arrangement)(x, x.clone(), S=0)
    with pytest.raises(ArrangementError, match="64 // S is divided by -2 with S=-2"):
        made(divided)(x, x.clone(), S=-2)


# What the arrangement decided by the bounds.


def padded_if(x: Any, output: Any, P: Any = Symbol("P", constexpr=True)) -> Any:
    if P > 0:
        x = x.pad(((P, 0),))
    return x.tile((16,)), output.tile((16,))


def test_a_condition_that_the_value_contradicts() -> None:
    kernel = made(padded_if)
    kernel(torch.ones(20), torch.zeros(24), P=4)
    kernel(torch.ones(20), torch.zeros(20 + 2**21), P=2**21)
    for _ in range(2):
        with pytest.raises(ArrangementError, match="took P > 0 to be True by the bounds") as found:
            kernel(torch.ones(20), torch.zeros(20), P=0)
        assert found.value.loc is not None
        assert found.value.loc.function == "padded_if"
    # Nobody else's arrangement asked.
    made(padded)(torch.ones(20), torch.zeros(20), P=0)


def test_conditions_that_still_hold() -> None:
    def arrangement(x: Any, output: Any, P: Any = Symbol("P", constexpr=True)) -> Any:
        assert P * 2 >= P - 1
        assert P != -1
        assert min(P, 2 * P + 1) is P
        return x.pad(((P, 0),)).tile((16,)), output.tile((16,))

    kernel = made(arrangement)
    kernel(torch.ones(20), torch.zeros(20), P=0)
    with pytest.raises(ArrangementError, match="took P != -1 to be True"):
        kernel(torch.ones(20), torch.zeros(19), P=-1)


def test_conditions_on_several_symbols() -> None:
    """What no value decides is refused."""
    free = Symbol("F", constexpr=True, lower_bound=2048)

    def arrangement(x: Any, output: Any, P: Any = Symbol("P", constexpr=True)) -> Any:
        assert P + free > 2048
        return x.pad(((P, 0),)).tile((16,)), output.tile((16,))

    kernel = made(arrangement)
    kernel(torch.ones(20), torch.zeros(20 + 2**21), P=2**21)
    with pytest.raises(ArrangementError, match="took P \\+ F > 2048 to be True"):
        kernel(torch.ones(20), torch.zeros(20), P=0)


def test_decisions_before_the_arrangement() -> None:
    symbol = Symbol("EARLY", constexpr=True)
    size = max(symbol, 1)

    def arrangement(x: Any, output: Any) -> Any:
        return x.tile((size,)), output.tile((size,))

    kernel = made(arrangement)
    with pytest.raises(ArrangementError, match="took EARLY < 1 to be False"):
        kernel(torch.ones(20), torch.zeros(20), EARLY=0)


def test_steps_of_slices() -> None:
    def arrangement(x: Any, output: Any, STEP: Any = Symbol("STEP", constexpr=True)) -> Any:
        return x[::STEP].tile((16,)), output.tile((16,))

    kernel = made(arrangement)
    x = torch.arange(40.0)
    kernel(x, output := torch.zeros(20), STEP=2)
    assert torch.equal(output, x[::2])
    for step in (0, -1):
        with pytest.raises(ArrangementError, match="took 0 < STEP to be True"):
            kernel(x, torch.zeros(40), STEP=step)


def test_decisions_are_part_of_the_definition() -> None:
    """Kernels that are arranged alike, one by a decision, are told apart in the cache."""

    def plain(x: Any, output: Any, P: Any = Symbol("P", constexpr=True)) -> Any:
        return x.pad(((P, 0),)).tile((16,)), output.tile((16,))

    one, two = made(plain).definition, made(padded_if).definition
    assert len(two.decisions) == 1
    assert not one.decisions
    assert one.encoded() != two.encoded()


# Proofs are made anew.


def apart(x: Any, output: Any, S: Any = Symbol("S", constexpr=True, lower_bound=16)) -> Any:
    return x.tile((16,), strides=(S,)), output.tile((16,), strides=(S,))


def test_races_under_a_widened_range() -> None:
    x = torch.ones(40)
    kernel = made(apart)
    kernel(x, x.clone(), S=16)
    with pytest.warns() as found:
        kernel(x, x.clone(), S=8)
    assert {one.category for one in found} == {BoundsWarning, RaceWarning}
    # Once a kernel.
    kernel(x, x.clone(), S=8)
    strict = made(apart, strict=True)
    strict(x, x.clone(), S=16)
    with pytest.raises(RaceError), pytest.warns(BoundsWarning):
        strict(x, x.clone(), S=8)


def test_races_are_told_in_each_process() -> None:
    """A later process finds all in the cache, and says the same."""
    x = torch.ones(40)
    for _ in range(2):
        kernel = made(apart)
        signature = functools.partial(bind, kernel.interface, (x, x.clone()))
        with pytest.warns(BoundsWarning):
            widened = signature({"S": 8}).signature
        assert kernel.interface.widened(widened.constants)
        assert not kernel.interface.widened(signature({"S": 16}).signature.constants)
        with pytest.warns(RaceWarning):
            kernel._compilation.signature_info(widened)  # pyright: ignore[reportPrivateUsage]


def test_reports_of_values_outside_the_bounds() -> None:
    kernel = made(apart)
    answers = {row.question: row.answer for row in kernel.report(values={"S": 16}).verdicts}
    assert answers["races"] == "proved"
    with pytest.warns(BoundsWarning):
        report = kernel.report(values={"S": 8})
    answers = {row.question: row.answer for row in report.verdicts}
    assert answers["races"] == "disproved"
