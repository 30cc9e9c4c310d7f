"""The attributes of element types inside an application, against Triton's."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import ninetoothed.language as ntl
from ninetoothed import Tensor, make
from ninetoothed.dtype import DTYPES
from ninetoothed.frontend.dtypes import attribute
from ninetoothed.frontend.values import Method, PointerDtype
from ninetoothed.runtime.toolchain.triton import compat

MISSING = object()
# What only a type of Triton's own can be, and what is asked of types of the compiler.
THEIRS = frozenset(("is_dtype", "is_void", "is_const", "is_fp8e4b15"))


def found(dtype: str | PointerDtype, name: str) -> Any:
    """The attribute; of a method, what it returns."""
    value = attribute(dtype, name, MISSING)
    return value.run(None, {}) if isinstance(value, Method) else value


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
@pytest.mark.parametrize("dtype", DTYPES)
def test_attributes_are_tritons(dtype: str) -> None:
    core: Any = importlib.import_module("triton.language.core")
    row = DTYPES[dtype]
    theirs = core.dtype(row.name if row.kind == "float" else row.triton)
    tests = [name for name in dir(theirs) if name.startswith("is_") and name not in THEIRS]
    assert len(tests) > 20
    for name in tests:
        assert found(dtype, name) == getattr(theirs, name)(), name
    for name in ("name", "primitive_bitwidth", "itemsize", "int_bitwidth", "fp_mantissa_width"):
        assert found(dtype, name) == getattr(theirs, name, MISSING), name
    for name in ("get_int_min_value", "get_int_max_value"):
        expected = MISSING if row.kind == "float" else getattr(theirs, name)()
        assert found(dtype, name) == expected, name
    assert found(dtype, "scalar") == dtype


def test_of_a_pointer() -> None:
    pointer = PointerDtype("fp32")
    assert found(pointer, "is_ptr") is True
    assert found(pointer, "is_floating") is found(pointer, "is_fp32") is False
    assert found(pointer, "element_ty") == "fp32"
    assert found(pointer, "itemsize") is MISSING


def test_other_strings_have_none() -> None:
    assert found("abc", "name") is MISSING


def application(x: Any, output: Any) -> Any:
    ntl.static_assert(x.dtype.is_fp32() and not x.dtype.is_int())
    ntl.static_assert(x.dtype.primitive_bitwidth == 8 * ntl.float32.itemsize)  # pyright: ignore[reportAttributeAccessIssue]
    ntl.static_assert(x.source.data_ptr().dtype.is_ptr())
    output = x if x.dtype.name == "fp32" else -x  # pyright: ignore[reportUnusedVariable]


def test_they_are_known_when_compiling() -> None:
    def arrangement(*tensors: Tensor) -> tuple[Tensor, ...]:
        return tuple(tensor.tile((64,)) for tensor in tensors)

    make(arrangement, application, (Tensor(1, dtype="fp32"), Tensor(1)))
