"""Every op's docstring shows the op, in syntax that parses and prints as it stands."""

from __future__ import annotations

import re
import textwrap

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.parser import Parser

import ninetoothed.ir.nt
from ninetoothed.compiler.compile import context
from ninetoothed.ir.nt import NT
from ninetoothed.ir.tt import BLOCK_ARITH, TT

_FENCE = re.compile(r"```mlir\n(.*?)```", re.DOTALL)
_CONVERSIONS = {"extsi", "extui", "trunci", "sitofp", "uitofp", "fptosi", "fptoui"}
OURS: list[type[Operation]] = [
    *NT.operations,
    *TT.operations,
    *(op for op in BLOCK_ARITH.operations if op.__module__.startswith("ninetoothed.")),
]
DOCUMENTED = [op for op in OURS if op.name.removeprefix("arith.") not in _CONVERSIONS]


def example(documented: object) -> str:
    """The one fenced example of a docstring."""
    (found,) = _FENCE.findall(documented.__doc__ or "")
    return textwrap.dedent(found)


@pytest.mark.parametrize("op", DOCUMENTED, ids=lambda op: op.name)
def test_example_parses_and_prints(op: type[Operation]) -> None:
    text = example(op)
    # Operands that the example does not define stay open; printing gives them numbers.
    parsed = Parser(context(), text).parse_op()
    assert isinstance(parsed, op)
    names = re.compile(r"%\w+ ?(?=:)|%\w+")
    shown = re.sub(r"\s+", " ", names.sub("%", text)).strip()
    printed = re.sub(r"\s+", " ", names.sub("%", str(parsed))).strip()
    assert printed == shown.replace("0.0 :", "0.000000e+00 :").replace("%x :", "%x:")


def test_the_dialects_example_is_a_kernel() -> None:
    module = Parser(context(), example(ninetoothed.ir.nt)).parse_module()
    assert isinstance(module, ModuleOp)
    module.verify()
