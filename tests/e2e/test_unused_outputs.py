"""Warnings of applications that store nothing, and of names that look like an output's."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor, UnusedValueWarning

Application = Callable[..., Any]


def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, ...]:
    return x.tile((16,)), output.tile((16,))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path))


def warned(application: Application, **options: Any) -> list[str]:
    """The texts of the warnings of one kernel."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)), **options)
    assert all(one.category is UnusedValueWarning for one in found)
    return [str(one.message) for one in found]


def other_case(x, output):
    Output = x + 1


def another_letter(x, output):
    oufput = x + 1


def a_letter_less(x, output):
    y = x
    outpt = y
    output = y + 1


def a_letter_more(x, output):
    first, outputs = x, x + 1


def annotated(x, output):
    Output: Any = x


def near_the_input(x, output):
    X = x
    output = x


MISSPELT: list[tuple[Application, str, str]] = [
    (other_case, "Output", "output"),
    (another_letter, "oufput", "output"),
    (a_letter_less, "outpt", "output"),
    (a_letter_more, "outputs", "output"),
    (annotated, "Output", "output"),
    (near_the_input, "X", "x"),
]


@pytest.mark.parametrize(("application", "name", "meant"), MISSPELT)
def test_names_near_an_output(application: Application, name: str, meant: str) -> None:
    (text,) = warned(application)
    message, place, line, caret = text.split("\n")
    assert message == f"{name} is assigned and never read; did you mean the parameter {meant}?"
    assert f'"{__file__}", line ' in place
    assert place.endswith(f", in {application.__name__}")
    start = caret.index("^")
    assert line[start : start + caret.count("^")] == name


def read_later(x, output):
    output1 = x + 1
    output = output1


def read_by_a_function(x, output):
    outputs = x + 1

    def more():
        return outputs

    output = more()


def of_a_loop(x, output):
    total = x
    for outpu in range(3):  # noqa: B007
        total += x
    output = total


def of_one_letter(x, output):
    y = x
    output = x


def further_away(x, output):
    result = x
    output = x


@pytest.mark.parametrize(
    "application", [read_later, read_by_a_function, of_a_loop, of_one_letter, further_away]
)
def test_other_names(application: Application) -> None:
    assert warned(application) == []


def nothing(x, output):
    pass


def only_local(x, output):
    result = x + 1


def store_elsewhere(x, target):
    target = target + x
    return target


def in_a_function_that_returns(x, output):
    store_elsewhere(x, x)


NEVER = False


def in_a_branch_that_is_never_taken(x, output):
    if NEVER:
        output = x


@pytest.mark.parametrize(
    "application",
    [nothing, only_local, in_a_function_that_returns, in_a_branch_that_is_never_taken],
)
def test_nothing_is_stored(application: Application) -> None:
    (text,) = warned(application)
    name = application.__name__
    message, place, line, _ = text.split("\n")
    assert message == (
        f"{name} stores nothing, so that its kernel has no effect; assign to a parameter, as in "
        "`output = …`"
    )
    assert place == (
        f'  File "{__file__}", line {application.__code__.co_firstlineno}, column 1, in {name}'
    )
    assert line == f"    def {name}(x, output):"


def atomically(x, output):
    ntl.atomic_add(output.source.data_ptr() + output.offsets(0), x)


def by_a_pointer(x, output):
    ntl.store(output.source.data_ptr() + output.offsets(0), x)


def printing(x, output):
    ntl.device_print("x", x)


def printing_sizes(x, output):
    ntl.static_print(x.shape[0])


def asserting(x, output):
    assert ntl.sum(x) > 0


def asserting_what_is_known(x, output):
    assert x.dtype != ntl.float64


def for_another_type(x, output):
    if x.dtype == ntl.float16:
        output = x


def write(x, target):
    target = x


def by_a_function_for_another_type(x, output):
    if x.dtype == ntl.float16:
        write(x, output)


def by_a_function(x, output):
    write(x, output)


def an_element(x, output):
    output.source[0] = ntl.sum(x)


@pytest.mark.parametrize(
    "application",
    [
        *(atomically, by_a_pointer, printing, printing_sizes, asserting, asserting_what_is_known),
        *(for_another_type, by_a_function_for_another_type, by_a_function, an_element),
    ],
)
def test_effects(application: Application, capsys: pytest.CaptureFixture[str]) -> None:
    assert [text for text in warned(application, strict=False) if "stores" in text] == []


@pytest.mark.parametrize("application", [other_case, nothing])
def test_a_kernel_from_the_cache_warns_again(application: Application) -> None:
    assert warned(application) == warned(application) != []
