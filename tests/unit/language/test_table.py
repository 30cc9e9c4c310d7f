"""Documentation of every row and every function, with an example that compiles."""

from __future__ import annotations

import importlib.util
import inspect
import pydoc
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor, errors
from ninetoothed.language import rules
from ninetoothed.language.table import LIBDEVICE, PUBLIC, TABLE, Primitive
from ninetoothed.language.table.elementwise import ELEMENTWISE
from ninetoothed.language.table.kinds import SECTIONS
from tests.rows import running
from tests.rows.case import Array, Case, Values
from tests.support.targets import FEW_TARGETS

ROWS = (*TABLE.values(), *LIBDEVICE.values())
each_row = pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(ntl, name) for name, row in PUBLIC.items() if row.op == "inline"
}


def example_of(function: Callable[..., Any]) -> str:
    """The example in a docstring."""
    found = re.search(r"^Example: ``(.*)``$", inspect.getdoc(function) or "", re.M)
    assert found is not None, f"{function.__name__} shows no example"
    return found[1]


EXAMPLES = {
    # Assembly is for GPUs.
    **{
        row.name: row.sections["Example"]
        for row in TABLE.values()
        if row.op != "inline_asm" and (row.public or row.operator)
    },
    **{name: example_of(function) for name, function in FUNCTIONS.items()},
}


@each_row
def test_every_row_is_documented(row: Primitive) -> None:
    assert {*SECTIONS} - {*row.sections} <= {"Raises"}
    for text in row.sections.get("Raises", "").splitlines():
        name, _, reason = text.partition(": ")
        assert issubclass(getattr(errors, name), errors.NineToothedError)
        assert reason.endswith(".")
    assert row.text.rstrip().endswith((".", ":"))


@each_row
def test_every_row_has_a_signature(row: Primitive) -> None:
    names = [parameter.partition("=")[0].lstrip("*") for parameter in row.parameters]
    assert [name for name in inspect.signature(row).parameters if name != ""] == [
        name for name in names if name
    ]


def test_help() -> None:
    text = pydoc.plain(pydoc.render_doc(ntl.exp))
    assert "exp = <ntl.exp(x)>" in text
    assert (ntl.exp.__doc__ or "").splitlines() == [
        "ntl.exp(x)",
        "",
        "Natural exponential, e to the power of ``x``; fp32 or fp64.",
        "",
        "Shapes:",
        "    Blocks are broadcast to one shape, which the result has; scalars fit any.",
        "",
        "Element types:",
        "    fp32 and fp64 only, as in Triton.",
        "",
        "Raises:",
        "    TypeMismatchError: the element types do not fit.",
        "    ShapeError: the blocks do not broadcast.",
        "",
        "Example:",
        "    ntl.exp(x)",
    ]


def test_a_row_is_shown_as_it_is_called() -> None:
    assert repr(ntl.load).startswith("<ntl.load(pointer, mask=None, other=None")
    assert repr(TABLE["add"]) == "<x + y>"


def test_a_rows_own_sections_win() -> None:
    row = Primitive("f", ELEMENTWISE, ("x",), "Description.\n\nShapes: any.\n\nMore.")
    assert row.sections["Shapes"] == "any."
    assert row.text == "Description.\n\nMore."


def test_functions_are_the_rows_bodies() -> None:
    assert inspect.isfunction(ntl.cdiv)
    assert ntl.cdiv(33, 16) == 3
    assert repr(PUBLIC["cdiv"]) == "<ntl.cdiv(x, div)>"
    assert PUBLIC["cdiv"].body is ntl.cdiv
    assert {*FUNCTIONS} <= {*dir(ntl)}


def softplus(x: Any) -> Any:
    return ntl.where(x > 20, x, ntl.log(1 + ntl.exp(x)))


def application_of_softplus(x: Any, result: Any) -> None:
    result = ntl.softplus(x)  # pyright: ignore[reportUnusedVariable]


def _softplus(x: Array) -> Array:
    return np.logaddexp(0, x)


def _at_least_one(x: Array) -> Array:
    return 1 + np.abs(x)


def as_they_are(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tensors


SOFTPLUS = Primitive(
    "softplus",
    ELEMENTWISE,
    ("x",),
    "``log(1 + exp(x))``, without overflow; fp32 or fp64.",
    rules.math_function,
    body=softplus,
)
CASE = Case(
    "softplus",
    application_of_softplus,
    _softplus,
    (Values(low=-10, high=40, special=False),),
    ("fp32",),
    # The sum, which is at least 1, is rounded.
    magnitude=_at_least_one,
)


@pytest.fixture
def with_softplus(monkeypatch: pytest.MonkeyPatch) -> None:
    for table in (TABLE, PUBLIC):
        monkeypatch.setitem(table, SOFTPLUS.name, SOFTPLUS)


@pytest.mark.usefixtures("with_softplus")
def test_a_composition_is_one_row() -> None:
    """One row of the language and one of tests/rows: both interpreters and both backends have it,
    and it is documented.
    """
    (lowered, *_) = running.run_on_cpu(CASE, "fp32")
    ttir, python = (artifact.text for artifact in lowered.artifacts(FEW_TARGETS[0]))
    assert "math.exp" in ttir
    assert "tl.exp(" in python
    assert (ntl.softplus.__doc__ or "").splitlines()[0] == "ntl.softplus(x)"
    assert SOFTPLUS.sections["Element types"] == TABLE["exp"].sections["Element types"]


@pytest.mark.usefixtures("with_softplus")
def test_a_composition_takes_the_types_of_its_row() -> None:
    kernel = ninetoothed.make(as_they_are, application_of_softplus, (Tensor(0), Tensor(0)))
    with pytest.raises(errors.TypeMismatchError, match=r"^ntl\.softplus of "):
        kernel(3, 1)


APPLICATION = """
import ninetoothed.language as ntl


def application(x, y, z, i, j, u, a, b, n, floats, numbers, out):
    p = floats.source.data_ptr() + i
    q = numbers.source.data_ptr() + i
    out = x
    {examples}
"""


def arrangement(*tensors: Tensor) -> tuple[Tensor, ...]:
    shapes = {0: (), 1: (16,), 2: (32, 32)}
    arranged = [t.tile(shapes[t.ndim]) if t.ndim else t for t in tensors]
    return tuple(t.squeeze(1) if t.ndim == 2 else t for t in arranged)


def test_examples(tmp_path: Path) -> None:
    """An error names the line, which is one example's."""
    path = tmp_path / "example.py"
    lines = [text if text.startswith("for ") else f"_ = {text}" for text in EXAMPLES.values()]
    examples = "\n    ".join(lines)
    path.write_text(APPLICATION.format(examples=examples), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("example", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    floats = [torch.rand(16) + 1 for _ in range(3)]
    integers = [torch.arange(16, dtype=torch.int32) for _ in range(2)]
    unsigned = torch.arange(16, dtype=torch.int32).to(torch.uint32)
    matrices = [torch.rand(32, 32).half() for _ in range(2)]
    written = [torch.zeros(16), torch.zeros(16, dtype=torch.int32), torch.zeros(16)]
    values = (*floats, *integers, unsigned, *matrices, 3, *written)
    tensors = tuple(Tensor(getattr(value, "ndim", 0)) for value in values)
    ninetoothed.make(arrangement, module.application, tensors)(*values)


def test_a_star_import_has_compositions_and_hides_no_builtin() -> None:
    names: dict[str, object] = {}
    exec("from ninetoothed.language import *", names)
    assert names["sigmoid"] is ntl.sigmoid
    assert names["float16"] == "fp16"
    assert not {"sum", "max", "min", "abs", "range"} & names.keys()
