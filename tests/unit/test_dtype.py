"""The table of element types agrees with torch and with Triton, and every spelling is found."""

from __future__ import annotations

import pytest

from ninetoothed import dtype
from ninetoothed.dtype import DTYPES, DType, lookup, number, own_type

ROWS = list(DTYPES.values())
each_row = pytest.mark.parametrize("row", ROWS, ids=list(DTYPES))


@each_row
def test_every_spelling_is_found(row: DType) -> None:
    assert {lookup(row.name), lookup(row.torch), lookup(row.triton)} == {row.name}


@each_row
def test_row_agrees_with_torch(row: DType) -> None:
    torch = pytest.importorskip("torch")
    element = getattr(torch, row.torch)
    assert lookup(element) == row.name
    assert element.is_floating_point == (row.kind == "float")
    assert element.itemsize == max(row.bits, 8) // 8


@each_row
def test_row_agrees_with_triton(row: DType) -> None:
    language = pytest.importorskip("triton.language")
    element = getattr(language, row.triton)
    assert lookup(element) == row.name
    assert element.primitive_bitwidth == row.bits


@each_row
def test_ir_type_names_kind_and_width(row: DType) -> None:
    prefix = {"bool": "i", "int": "i", "uint": "ui", "float": "f", "bfloat": "bf"}
    kind = "bfloat" if row.name == "bf16" else row.kind
    assert row.ir.startswith(f"{prefix[kind]}{row.bits}")


def test_public_names_are_rows() -> None:
    names = {name: value for name, value in vars(dtype).items() if isinstance(value, str)}
    public = {value for name, value in names.items() if not name.startswith("_")}
    assert public == set(DTYPES)


@pytest.mark.parametrize("value", ["f16", "float", "", None, 16, str, complex, object()])
def test_what_is_no_element_type(value: object) -> None:
    assert lookup(value) is None


@pytest.mark.parametrize("python", [bool, int, float])
def test_python_types_are_read_as_torch_reads_them(python: type) -> None:
    torch = pytest.importorskip("torch")
    assert lookup(python) == lookup(torch.empty(1, dtype=python).dtype)


def test_numbers_of_numpy_and_torch() -> None:
    numpy, torch = pytest.importorskip("numpy"), pytest.importorskip("torch")
    given = [
        numpy.float32(0.5),
        numpy.int64(3),
        numpy.bool_(True),
        torch.tensor(2, dtype=torch.int8),
    ]
    numbers = [number(value) for value in given]
    assert [(type(value), value) for value in numbers] == [
        (float, 0.5),
        (int, 3),
        (bool, True),
        (int, 2),
    ]
    assert [own_type(value) for value in given] == [None, None, None, "i8"]


def test_what_is_no_number_stays() -> None:
    torch = pytest.importorskip("torch")
    for value in (torch.ones(1), torch.ones((), dtype=torch.complex64), "2", None):
        assert number(value) is value
