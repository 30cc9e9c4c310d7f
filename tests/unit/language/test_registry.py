"""Tables of handlers: one style, and the error of a missing handler."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch
from xdsl.dialects import scf
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr
from xdsl.ir import Operation
from xdsl.traits import IsTerminator

from ninetoothed.errors import CompilerError
from ninetoothed.frontend.primitives import HANDLERS as PRIMITIVES
from ninetoothed.interpreters import run
from ninetoothed.interpreters.elementwise import ARITHMETIC
from ninetoothed.interpreters.machine import HANDLERS
from ninetoothed.ir import nt, tt
from ninetoothed.ir.diagnostics import handler_of
from ninetoothed.language.registry import Registry
from ninetoothed.language.table import TABLE
from ninetoothed.passes import lower_to_tt
from ninetoothed.passes.lowering.elementwise import ELEMENTWISE_LOWERINGS
from ninetoothed.passes.lowering.function import LOWERINGS


def nothing() -> None:
    """A handler."""


def test_a_handler_is_found_by_each_of_its_keys() -> None:
    table: Registry[type[Operation], Callable[[], None]] = Registry("the test")
    assert table.register(nt.LoadOp, tt.LoadOp)(nothing) is nothing
    assert table[nt.LoadOp] is table[tt.LoadOp] is table.get(nt.LoadOp) is nothing
    assert nt.LoadOp in table
    assert nt.StoreOp not in table
    assert table.get(nt.StoreOp) is None
    assert [*table] == [nt.LoadOp, tt.LoadOp]


def test_handlers_may_be_given_as_a_mapping() -> None:
    table = Registry("the test", {"exp": torch.exp})
    table.register("log")(torch.log)
    assert [*table] == ["exp", "log"]
    assert len(table) == 2


@pytest.mark.parametrize(
    ("key", "name"), [(nt.StoreOp, "nt.store"), (ast.With, "With"), ("softplus", "softplus")]
)
def test_a_missing_handler_names_key_and_table(key: object, name: str) -> None:
    table: Registry[object, Callable[[], None]] = Registry("the test")
    with pytest.raises(CompilerError, match=f"^{name} has no handler in the test$"):
        table[key]


def test_a_second_handler_is_an_error() -> None:
    table: Registry[type[Operation], Callable[[], None]] = Registry("the test")
    table.register(nt.StoreOp)(nothing)
    with pytest.raises(CompilerError, match=r"^nt\.store has two handlers in the test$"):
        table.register(nt.LoadOp, nt.StoreOp)(nothing)


@pytest.mark.parametrize(
    ("table", "name"), [(HANDLERS, "the interpreter"), (LOWERINGS, "the lowering to Triton")]
)
def test_a_missing_handler_of_an_op_has_its_place(
    table: Registry[type[Operation], Callable[..., None]], name: str
) -> None:
    op = scf.ReduceOp([], [])
    op.location = FileLineColLoc(StringAttr("kernel.py"), IntAttr(3), IntAttr(5))
    with pytest.raises(CompilerError) as caught:
        handler_of(table, op)
    assert caught.value.message == f"scf.reduce has no handler in {name}"
    assert caught.value.loc is not None
    assert (caught.value.loc.file, caught.value.loc.line, caught.value.loc.col) == (
        "kernel.py",
        3,
        4,
    )


@pytest.mark.parametrize(
    ("table", "name"),
    [
        (ELEMENTWISE_LOWERINGS, "the lowering of elementwise rows"),
        (ARITHMETIC, "the interpreter's arithmetic"),
        (PRIMITIVES, "the frontend"),
    ],
)
def test_a_missing_handler_of_a_row(table: Registry[str, Callable[..., object]], name: str) -> None:
    with pytest.raises(CompilerError, match=f"^{re.escape(f'softplus has no handler in {name}')}$"):
        table["softplus"]


def test_every_row_has_a_handler_in_the_frontend() -> None:
    assert {row.op for row in TABLE.values()} <= {*PRIMITIVES}


@pytest.mark.parametrize("groups", [run.GROUPS, lower_to_tt.GROUPS])
def test_every_module_of_a_table_fills_it(groups: tuple[ModuleType, ...]) -> None:
    filling = {table[op].__module__ for table in (HANDLERS, LOWERINGS) for op in table}
    assert {module.__name__ for module in groups} <= filling


def test_every_op_of_an_application_is_interpreted() -> None:
    frame = {nt.KernelOp, nt.SourceOp, nt.AccessOp, tt.FuncOp, *nt.META_OPERATIONS.values()}
    ops = {*nt.NT.operations, *tt.TT.operations} - frame
    terminators = {op for op in ops if op.has_trait(IsTerminator)}
    assert ops - terminators <= {*HANDLERS}


def test_dialects_hold_every_op_that_their_folders_define() -> None:
    for dialect, package in ((nt.NT, nt), (tt.TT, tt)):
        classes = [
            node
            for path in Path(*package.__path__).glob("*.py")
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.ClassDef)
            and "irdl_op_definition" in map(ast.unparse, node.decorator_list)
        ]
        ours = {op for op in (*dialect.operations, *tt.BLOCK_ARITH.operations)}
        defined = {op.__name__ for op in ours if op.__module__.startswith(f"{package.__name__}.")}
        assert {node.name for node in classes} == defined
