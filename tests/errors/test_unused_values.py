"""Statements without effect: dropped, with a warning at their place."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor, UnusedValueWarning
from ninetoothed.kernel.kernel import Kernel

DROPPED = "this statement does nothing, for its value is unused; assign it, or leave it out"


def arrangement(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((16,)) for tensor in tensors)


def made(application: Callable[..., None]) -> tuple[Kernel, list[str]]:
    """The kernel, and the warnings of making it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)))
    assert {one.category for one in caught} <= {UnusedValueWarning}
    assert {one.filename for one in caught} <= {__file__}
    return kernel, [str(one.message) for one in caught]


def scaled(x, output):
    output = x * 2


def arithmetic(x, output):
    output = x * 2
    output + 1


def a_comparison(x, output):
    output = x * 2
    x + 1 == output


def a_name(x, output):
    x
    output = x * 2


def a_function(x, output):
    ntl.debug_barrier
    output = x * 2


def a_conversion(x, output):
    x.to(ntl.float16)
    output = x * 2


def a_block(x, output):
    ntl.zeros((3, 5), ntl.float32)
    output = x * 2


def of_the_language(x, output):
    ntl.softmax(x)
    output = x * 2


def sizes_that_no_call_has(x, output):
    x + ntl.zeros((x.source.shape[0],), ntl.float32)
    output = x * 2


@pytest.mark.parametrize(
    ("application", "line", "columns"),
    [
        (arithmetic, 2, "output + 1"),
        (a_comparison, 2, "x + 1 == output"),
        (a_name, 1, "x"),
        (a_function, 1, "ntl.debug_barrier"),
        (a_conversion, 1, "x.to(ntl.float16)"),
        (a_block, 1, "ntl.zeros((3, 5), ntl.float32)"),
        (of_the_language, 1, "ntl.softmax(x)"),
        (
            sizes_that_no_call_has,
            1,
            "x + ntl.zeros((x.source.shape[0],), ntl.float32)",
        ),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_it_is_dropped(application: Callable[..., None], line: int, columns: str) -> None:
    kernel, texts = made(application)
    place = application.__code__.co_firstlineno + line
    name = application.__name__
    assert texts == [
        f'{DROPPED}\n  File "{__file__}", line {place}, column 5, in {name}\n'
        f"    {columns}\n    {'^' * len(columns)}"
    ]
    x, output = torch.randn(50), torch.empty(50)
    kernel(x, output)
    assert torch.equal(output, x * 2)


def test_nothing_of_it_is_left() -> None:
    wanted = made(scaled)[0].ir("arranged").replace("scaled", "NAME")
    for application in (arithmetic, a_conversion, a_block, sizes_that_no_call_has):
        text = made(application)[0].ir("arranged")
        assert text.replace(application.__name__, "NAME") == wanted


def test_a_comparison_in_the_place_of_an_assignment() -> None:
    def application(x, output):
        output = x
        output == x + 1

    (text,) = made(application)[1]
    assert text.startswith(
        "this statement does nothing, for its value is unused; write `output = x + 1` to store, "
        "or leave it out\n"
    )


def test_once_though_the_loop_around_is_built_again() -> None:
    """A loop's body is built until its types are found, an unrolled one for each iteration."""

    def application(x, output):
        total = 0
        for _ in range(x.source.shape[0]):
            x + 1
            total += ntl.sum(x)
        step = 4
        while step > 0:
            total += ntl.sum(ntl.zeros((step,), ntl.float32))
            ntl.zeros((step,), ntl.float32)
            step //= 2
        output = x * 2 + total * 0

    texts = made(application)[1]
    assert [text.splitlines()[2].strip() for text in texts] == [
        "x + 1",
        "ntl.zeros((step,), ntl.float32)",
    ]


def test_once_though_its_function_is_called_twice() -> None:
    def twice(value):
        value == 3
        value = value * 2

    def application(x, output):
        half = x / 2
        twice(half)
        for _ in range(x.shape[0] // 16):
            twice(half)
        output = half

    (text,) = made(application)[1]
    assert [line.strip() for line in text.splitlines()[2:]] == ["value == 3", "^^^^^^^^^^"]


def test_what_has_an_effect_is_silent() -> None:
    def application(x, output):
        """A docstring."""
        ...
        output = x * 2
        ntl.debug_barrier()
        print("once")
        ntl.atomic_add(output.source.data_ptr(), 0.0)

    assert made(application)[1] == []
