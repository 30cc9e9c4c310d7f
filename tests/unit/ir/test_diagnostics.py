"""Ends of regions: in every stage each has its terminator, and what has not is marked there."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region

import ninetoothed
from examples import attention, cumsum, softmax
from ninetoothed.compiler.compile import build, lower
from ninetoothed.compiler.defaults import assumed_signature, pick
from ninetoothed.errors import InvalidIRError
from ninetoothed.ir.diagnostics import invalid
from ninetoothed.ir.parsing import parse_module

KERNELS = {
    "softmax": softmax.softmax_kernel,
    "attention": attention.attention_kernel,
    "cumsum": cumsum.cumsum_kernel,
}
VALUES = {"attention_kernel": {"is_causal": True}}
NAMES = {
    "scf.for": ("the body",),
    "scf.if": ("the then arm", "the else arm"),
    "nt.kernel": ("the arrangement", "the application"),
    "tt.func": ("the body",),
    "tt.reduce": ("the region",),
    "tt.scan": ("the region",),
}


def _stages(kernel: ninetoothed.Kernel) -> list[tuple[str, ModuleOp]]:
    """The module behind each pass."""
    found: list[tuple[str, ModuleOp]] = []
    definition = kernel.definition
    signature = assumed_signature(definition, {}, VALUES.get(definition.name, {}))

    def observe(name: str, module: ModuleOp) -> None:
        found.append((name, module.clone()))

    composed = build(definition, signature, [observe])
    _, config = pick(definition, composed, signature, {})
    lower(composed, signature, config, [observe])
    return found


def _regions(module: ModuleOp) -> list[Region]:
    """The regions of all ops below a module, in order."""
    return [
        region for op in module.walk() if op is not module for region in op.regions if region.blocks
    ]


def _last(region: Region) -> Operation | None:
    return region.block.last_op


@pytest.mark.parametrize("name", KERNELS)
def test_terminators_left_out_in_every_stage(name: str) -> None:
    for stage, module in _stages(KERNELS[name]):
        assert invalid(module) is None
        for index in range(len(_regions(module))):
            copy = module.clone()
            region = _regions(copy)[index]
            end, parent = _last(region), region.parent
            assert end is not None
            assert parent is not None
            end.detach()
            end.erase()
            last = _last(region)
            what = NAMES[parent.name][parent.regions.index(region)]
            expected = (
                (parent, f"{parent.name}: {what} is empty, and must end in {end.name}")
                if last is None
                else (last, f"{parent.name}: {what} must end in {end.name}, not in {last.name}")
            )
            assert invalid(copy) == expected, stage


_FUNC = "tt.func @f(%c: i1, %v: tensor<4xf32>) {{\n  {}\n  tt.return\n}}"
_REDUCE = (
    '%r = "tt.reduce"(%v) <{{axis = {axis} : i32}}> ({{\n  ^bb0(%a: f32, %b: f32):\n'
    "    {end}\n  }}) : (tensor<4xf32>) -> {result}"
)


def _reduce(axis: int = 0, end: str = "tt.reduce.return %a : f32", result: str = "f32") -> str:
    return _FUNC.format(_REDUCE.format(axis=axis, end=end, result=result))


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (
            "nt.kernel @k arrange {\n  nt.arranged\n} apply {\n  %0 = arith.constant 1 : i32\n}",
            "nt.kernel: the application must end in nt.return, not in arith.constant",
            4,
        ),
        (
            "nt.kernel @k arrange {\n  nt.return\n} apply {\n  nt.return\n}",
            "nt.kernel: the arrangement must end in nt.arranged, not in nt.return",
            2,
        ),
        (
            "nt.kernel @k arrange {\n  nt.arranged\n} apply {\n  tt.return\n}",
            "nt.kernel: the application must end in nt.return, not in tt.return",
            4,
        ),
        (
            "nt.kernel @k arrange {\n  nt.arranged\n} apply {\n^bb0:\n}",
            "nt.kernel: the application is empty, and must end in nt.return",
            1,
        ),
        ("tt.func @f() {\n}", "tt.func: the body is empty, and must end in tt.return", 1),
        (
            "tt.func @f() {\n  %0 = arith.constant 1 : i32\n}",
            "tt.func: the body must end in tt.return, not in arith.constant",
            2,
        ),
        (
            "tt.func @f() {\n  nt.return\n}",
            "tt.func: the body must end in tt.return, not in nt.return",
            2,
        ),
        ("tt.func @f() {\n  tt.return\n^b:\n  tt.return\n}", "tt.func has one block, not 2", 1),
        (
            '"tt.func"() <{sym_name = "f", function_type = () -> (i32), sym_visibility = "a"}> '
            "({\n  tt.return\n}) : () -> ()",
            "tt.func: a kernel has no results",
            1,
        ),
        (
            "tt.func @f() {\n  tt.func @g() {\n    tt.return\n  }\n  tt.return\n}",
            "tt.func may not stand in tt.func; it stands in the module alone",
            2,
        ),
        (
            "nt.kernel @k arrange {\n  nt.arranged\n} apply {\n  tt.func @g() {\n    tt.return\n"
            "  }\n  nt.return\n}",
            "tt.func may not stand in nt.kernel; it stands in the module alone",
            4,
        ),
        (
            "builtin.module {\n  tt.return\n}",
            "tt.return ends a region, and may not stand in builtin.module",
            2,
        ),
        (
            _reduce(end="%s = arith.addf %a, %b : f32"),
            "tt.reduce: the region must end in tt.reduce.return, not in arith.addf",
            4,
        ),
        (
            _reduce(end="tt.scan.return %a : f32"),
            "tt.reduce: the region must end in tt.reduce.return, not in tt.scan.return",
            4,
        ),
        (
            _reduce(end="tt.reduce.return %a, %b : f32, f32"),
            "tt.reduce: the region must give one scalar of each operand",
            2,
        ),
        (_reduce(axis=1), "tt.reduce: the operands have no axis 1", 2),
        (
            _reduce(result="tensor<4xf32>"),
            "tt.reduce: the results must have the types f32",
            2,
        ),
        (
            _FUNC.format(
                "scf.while () : () -> () {\n    scf.condition(%c)\n  } do {\n"
                "    scf.condition(%c)\n  }"
            ),
            "scf.while: the body must end in scf.yield, not in scf.condition",
            5,
        ),
        (
            _FUNC.format(
                "scf.while () : () -> () {\n    scf.condition(%c) %c : i1\n  } do {\n"
                "    scf.yield\n  }"
            ),
            "scf.while: the condition passes on 1 values, which are not of the number and the "
            "types of the 0 arguments of the body and of the 0 results",
            3,
        ),
        (
            _FUNC.format(
                "scf.while () : () -> () {\n    scf.condition(%c)\n  } do {\n"
                "    scf.yield %c : i1\n  }"
            ),
            "scf.while: the body yields 1 values, which are not of the number and the types of "
            "the 0 arguments of the condition",
            5,
        ),
    ],
)
def test_messages(text: str, message: str, line: int) -> None:
    with pytest.raises(InvalidIRError) as caught:
        parse_module(text, "wrong.mlir")
    assert caught.value.message == message
    assert caught.value.loc is not None
    assert caught.value.loc.line == line
