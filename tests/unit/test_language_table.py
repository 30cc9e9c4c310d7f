"""What the language says of itself: every row and every function, with an example that compiles."""

from __future__ import annotations

import importlib.util
import inspect
import pydoc
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor, errors
from ninetoothed.language.table import LIBDEVICE, TABLE, Primitive
from ninetoothed.language.table.kinds import KINDS, SECTIONS

ROWS = (*TABLE.values(), *LIBDEVICE.values())
each_row = pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: value for name in ntl.__all__ if inspect.isfunction(value := getattr(ntl, name))
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
def test_every_row_says_all(row: Primitive) -> None:
    assert row.op in KINDS
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
        "e to the power of ``x``; fp32 or fp64.",
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


def test_a_row_may_say_it_in_its_own_words() -> None:
    row = Primitive("f", "map", ("x",), "What it does.\n\nShapes: any.\n\nMore.")
    assert row.sections["Shapes"] == "any."
    assert row.text == "What it does.\n\nMore."


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
