"""Element types of arguments and declared ones: the argument's counts, with a warning."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

import ninetoothed
from ninetoothed import Symbol, Tensor
from ninetoothed.calls.arguments import bind
from ninetoothed.calls.numbers import number_class
from ninetoothed.errors import ArgumentError, DtypeWarning
from ninetoothed.kernel.kernel import Kernel


def arrangement(x: Any, scale: Any, output: Any) -> Any:
    return x.tile((16,)), scale, output.tile((16,))


def application(x: Any, scale: Any, output: Any) -> None:
    output = x * scale  # pyright: ignore[reportUnusedVariable]


def scaling(x: object = None, scale: object = None) -> Kernel:
    tensors = (Tensor(1, dtype=x), Tensor(0, dtype=scale), Tensor(1))
    return ninetoothed.make(arrangement, application, tensors)


def called(kernel: Kernel, *arguments: Any) -> tuple[torch.Tensor, list[str]]:
    """The output of a call, and its warnings."""
    output = torch.zeros(4, dtype=torch.float64)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        kernel(*arguments, output)
    assert all(issubclass(one.category, DtypeWarning) for one in found)
    assert {one.filename for one in found} <= {__file__}
    return output, [str(one.message) for one in found]


def types(kernel: Kernel, *arguments: Any) -> Sequence[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DtypeWarning)
        signature = bind(kernel.interface, (*arguments, torch.zeros(4)), {}).signature
    return [param.dtype for param in signature.params[:-1]]


def test_the_type_of_the_tensor_is_taken() -> None:
    kernel = scaling(x="fp16")
    output, said = called(kernel, torch.full((4,), 1.0 + 2**-20), 1.0)
    assert said == [
        "x must have elements of fp16, as declared, not fp32, which are taken; convert it with "
        ".to(torch.float16), or leave the declaration out"
    ]
    assert output.tolist() == [1.0 + 2**-20] * 4


def test_a_warning_is_issued_once_a_kernel() -> None:
    kernel = scaling(x="fp16")
    assert len(called(kernel, torch.ones(4), 1.0)[1]) == 1
    assert called(kernel, torch.ones(7)[:4], 1)[1] == []
    assert called(kernel, torch.ones(4).half(), 1)[1] == []
    assert len(called(kernel, torch.ones(4).int(), 1)[1]) == 1
    assert len(called(scaling(x="fp16"), torch.ones(4), 1.0)[1]) == 1


def test_another_number_is_no_other_mistake() -> None:
    kernel = scaling(scale="i32")
    # Each is another class of calls, which is bound anew.
    half, double = torch.ones(4).half(), torch.ones(4).double()
    said = [
        called(kernel, *given)[1]
        for given in ((torch.ones(4), 0.5), (half, 0.25), (double, 0.125), (half, 2**40))
    ]
    assert [len(texts) for texts in said] == [1, 0, 0, 1]
    assert "does not hold 0.5, so that it is fp64" in said[0][0]
    assert "does not hold 1099511627776, so that it is i64" in said[3][0]


@pytest.mark.parametrize(
    ("declared", "given", "dtype"),
    [("i8", 300, "i32"), ("i32", 2.5, "fp64"), ("u32", -1, "i32"), ("i1", 2, "i32")],
)
def test_a_number_that_its_declared_type_does_not_hold(
    declared: str, given: Any, dtype: str
) -> None:
    output, said = called(scaling(scale=declared), torch.ones(4), given)
    assert said == [
        f"scale is declared {declared}, which does not hold {given}, so that it is {dtype}; "
        "convert it, or declare another dtype"
    ]
    assert output.tolist() == [given] * 4


def test_a_tensor_without_a_value_is_no_number() -> None:
    with pytest.raises(ArgumentError, match="scale is on the meta device, where no tensor has"):
        called(scaling(), torch.ones(4), torch.empty((), device="meta"))


def test_a_number_that_no_type_holds() -> None:
    with pytest.raises(ArgumentError, match="does not fit 64 bits"):
        called(scaling(scale="i8"), torch.ones(4), 2**70)


@pytest.mark.parametrize("dtype", [16, "float99", Symbol("S"), torch.complex64, np.float32])
def test_what_is_no_element_type_declares_none(dtype: object) -> None:
    with pytest.warns(DtypeWarning) as found:
        x = Tensor(1, dtype=dtype)
    (text,) = (str(one.message).partition("\n")[0] for one in found)
    assert text == (
        f"{dtype!r} is no element type, so none is declared; write for example "
        "ninetoothed.float16 or torch.float16"
    )
    assert found[0].filename == __file__
    assert x.dtype is None
    with pytest.warns(DtypeWarning, match="is no element type"):
        x.tile((16,)).innermost().dtype = dtype


@pytest.mark.parametrize("python", [bool, int, float])
def test_python_types_are_read_as_torch_reads_them(python: Any) -> None:
    assert Tensor(1, dtype=python).dtype == ninetoothed.dtype.lookup(
        torch.empty(1, dtype=python).dtype
    )


# Python's numbers for a number declared fp64: fp32, where that is as good.

SINGLE, DOUBLE = torch.ones(4), torch.ones(4, dtype=torch.float64)


@pytest.mark.parametrize(
    ("x", "given", "dtype"),
    [
        (SINGLE, 1e-5, "fp32"),
        (SINGLE, float("inf"), "fp32"),
        (SINGLE, float("nan"), "fp32"),
        (SINGLE, np.float32(0.5), "fp32"),
        (SINGLE, np.float64(0.5), "fp32"),
        (SINGLE, 3, "fp32"),
        (SINGLE, True, "fp32"),
        (SINGLE, 2**24 + 1, "fp64"),
        (SINGLE, 1e39, "fp64"),
        (SINGLE, -1e300, "fp64"),
        (SINGLE, 1e-300, "fp64"),
        (SINGLE, torch.tensor(0.5, dtype=torch.float64), "fp64"),
        (SINGLE.half(), 0.5, "fp32"),
        (DOUBLE, 1e-5, "fp64"),
        (DOUBLE, 3, "fp64"),
    ],
)
def test_numbers_declared_double(x: torch.Tensor, given: Any, dtype: str) -> None:
    assert types(scaling(scale=float), x, given)[1] == dtype


def test_numbers_declared_otherwise_have_that_type() -> None:
    for declared in ("fp16", "bf16", "fp32", "i64"):
        assert types(scaling(scale=declared), SINGLE, 3)[1] == declared


def test_classes_of_numbers_declared_double() -> None:
    """Calls of one class may differ in numbers that fp32 has, and in no others."""
    kernel = scaling(scale=float)
    parameter = kernel.interface.parameters[1]
    narrow = {number_class(parameter, value) for value in (1e-5, 0.5, 3, True)}
    assert len(narrow) == 1
    assert number_class(parameter, 1e39) not in narrow
    for x, given, expected in ((SINGLE, 0.5, 0.5), (SINGLE, 1e39, 1e39), (DOUBLE, 0.1, 0.1)):
        for _ in range(3):
            output, said = called(kernel, x, given)
            assert output.tolist() == [expected] * 4
            assert said == []


# Numbers of NumPy's and tensors of no dims.


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        (np.float32(0.5), "fp32"),
        (np.float16(0.5), "fp32"),
        (np.float64(1e300), "fp64"),
        (np.int64(5), "i32"),
        (np.int64(2**40), "i64"),
        (np.uint8(5), "i32"),
        (np.bool_(True), "i1"),
        (torch.tensor(0.5), "fp32"),
        (torch.tensor(0.5, dtype=torch.float64), "fp64"),
        (torch.tensor(0.5, dtype=torch.bfloat16), "bf16"),
        (torch.tensor(0.5, dtype=torch.float8_e5m2), "fp32"),
        (torch.tensor(5), "i64"),
        (torch.tensor(5, dtype=torch.uint8), "u8"),
        (torch.tensor(True), "i1"),
    ],
)
def test_numbers(given: Any, dtype: str) -> None:
    kernel = scaling()
    for _ in range(3):
        assert types(kernel, SINGLE, given)[1] == dtype
        output, said = called(kernel, SINGLE, given)
        assert output.tolist() == [given.item()] * 4 or given.item() == 1e300
        assert said == []


def test_a_tensor_of_another_type_than_declared() -> None:
    output, said = called(scaling(scale="fp32"), DOUBLE, torch.tensor(0.1, dtype=torch.float64))
    assert said == [
        "scale is declared fp32, but a tensor of fp64 is given, whose type is taken; convert it "
        "with .to(torch.float32), or leave the declaration out"
    ]
    assert output.tolist() == [0.1] * 4


def blocks(x: Any, output: Any, SIZE: Any = Symbol("SIZE", constexpr=True)) -> Any:
    return x.tile((SIZE,)), output.tile((SIZE,))


def copied(x: Any, output: Any) -> None:
    output = x  # pyright: ignore[reportUnusedVariable]


@pytest.mark.parametrize("kind", [np.int64, np.uint8, torch.tensor])
def test_constants(kind: Any) -> None:
    kernel = ninetoothed.make(blocks, copied, (Tensor(1), Tensor(1)))
    given = kind(16)
    for _ in range(3):
        output = torch.zeros(40)
        kernel(torch.ones(40), output, SIZE=given)
        assert output.tolist() == [1] * 40
        signature = bind(kernel.interface, (output, output), {"SIZE": given}).signature
        assert signature.constants == (("SIZE", 16),)


def test_a_tensor_that_changes_is_read_at_each_call() -> None:
    kernel = ninetoothed.make(blocks, copied, (Tensor(1), Tensor(1)))
    size, x = torch.tensor(16), torch.ones(40)
    for expected in (16, 16, 32, 32):
        size.fill_(expected)
        arguments = kernel._bind(  # pyright: ignore[reportPrivateUsage]
            (x, torch.zeros(40)), {"SIZE": size}
        )
        assert arguments.signature.constants == (("SIZE", expected),)


@pytest.mark.parametrize("given", [np.float64(16.0), torch.tensor(16.0), np.bool_(True)])
def test_constants_that_are_no_integers(given: Any) -> None:
    kernel = ninetoothed.make(blocks, copied, (Tensor(1), Tensor(1)))
    with pytest.raises(ArgumentError, match="SIZE must be an integer, not"):
        kernel(torch.ones(40), torch.zeros(40), SIZE=given)
