"""Modules that cannot be emitted: the exact messages, at their places."""

from __future__ import annotations

import pytest

from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Language, Target
from ninetoothed.backend.emit import emit
from ninetoothed.errors import CompilerError
from ninetoothed.ir.parsing import parse_module
from ninetoothed.testing import nt_opt

PARAMS = 'nt.params = [#nt.param<"x" tensor [n] [1]>]'
GRID = "nt.grid = #nt.expr<n ceildiv 16>"
CHECKS = "nt.checks = []"
KINDS = "nt.param, nt.symbol, nt.reciprocal, nt.descriptor, nt.of_descriptor or nt.scratch"
POINTER = '%x: !tt.ptr<f32> {nt.param = "x"}'


def function(
    argument: str = POINTER, attributes: tuple[str, ...] = (PARAMS, GRID, CHECKS), *body: str
) -> str:
    """A module of one kernel, each op on a line of its own."""
    ops = "".join(f"  {op}\n" for op in (*body, "tt.return"))
    return f"tt.func @k({argument}) attributes {{{', '.join(attributes)}}} {{\n{ops}}}\n"


def error_of(text: str, language: Language) -> CompilerError:
    with pytest.raises(CompilerError) as caught:
        emit(parse_module(text, "k.mlir"), language, Target.parse("sm_90"), Config(()))
    return caught.value


@pytest.mark.parametrize("language", ["ttir", "triton-python"])
@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("builtin.module {\n}", "a module to emit has one tt.func, this one has 0", (1, 0)),
        (
            f"{function()}{function().replace('@k', '@l')}",
            "a module to emit has one tt.func, this one has 2",
            (4, 0),
        ),
        (function(POINTER, (PARAMS, CHECKS)), "tt.func @k has no nt.grid", (1, 0)),
        (function(POINTER, (GRID, CHECKS)), "tt.func @k has no nt.params", (1, 0)),
        (function(POINTER, (GRID, PARAMS)), "tt.func @k has no nt.checks", (1, 0)),
        (
            function("%x: !tt.ptr<f32>"),
            f"argument 0 of tt.func @k is no {KINDS}",
            (1, 0),
        ),
        (
            function('%y: i32 {nt.reciprocal = "half", nt.divisor = #nt.expr<n>}'),
            f"argument 0 of tt.func @k is no {KINDS}",
            (1, 0),
        ),
        (
            function('%y: i32 {nt.reciprocal = "shift"}'),
            "argument 0 of tt.func @k has no nt.divisor",
            (1, 0),
        ),
        (
            function('%y: i32 {nt.of_descriptor = "size"}'),
            "argument 0 of tt.func @k has no nt.number",
            (1, 0),
        ),
        (
            function('%y: !tt.ptr<f32> {nt.scratch = "partials"}'),
            "argument 0 of tt.func @k has no nt.count",
            (1, 0),
        ),
        (
            function(
                '%y: !tt.ptr<f32> {nt.scratch = "partials", nt.count = 4 : i64}, '
                '%x: !tt.ptr<f32> {nt.param = "x"}'
            ),
            "argument 1 of tt.func @k is behind nt.scratch",
            (1, 0),
        ),
        (
            function('%y: !tt.ptr<f32> {nt.param = "y"}'),
            "argument 0 of the device function is no parameter: 'y'",
            (1, 0),
        ),
        (
            function('%y: !tt.ptr<index> {nt.param = "x"}'),
            "a device function takes no argument of type !tt.ptr<index>",
            (1, 0),
        ),
        (
            function('%y: i32 {nt.symbol = "m"}'),
            "no size, stride or scalar of a call gives the symbol 'm'",
            (1, 0),
        ),
        (
            function(POINTER, (PARAMS, "nt.grid = #nt.expr<q>", CHECKS)),
            "no size, stride or scalar of a call gives the symbol 'q'",
            (1, 0),
        ),
        (
            function(
                '%x: !tt.ptr<!tt.ptr<f32>> {nt.param = "x"}',
                (PARAMS, GRID, CHECKS),
                "%q = tt.load %x : !tt.ptr<!tt.ptr<f32>>",
                "%v = tt.load %q : !tt.ptr<f32>",
            ),
            "cannot tell which parameter the pointer that tt.load gives belongs to",
            (2, 2),
        ),
    ],
)
def test_both_languages(
    text: str, message: str, place: tuple[int, int], language: Language
) -> None:
    error = error_of(text, language)
    assert error.message == message
    assert error.loc is not None
    assert (error.loc.line, error.loc.col) == place


@pytest.mark.parametrize(
    ("ops", "message", "line"),
    [
        (
            (
                "%0 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>",
                "%1 = tt.splat %x : !tt.ptr<f32> -> tensor<2x!tt.ptr<f32>>",
                "tt.store %1, %0 : tensor<2x!tt.ptr<f32>>",
            ),
            "a constant of unequal values has no spelling in Triton-Python",
            2,
        ),
        (
            (
                "%c = arith.constant 1.0 : f32",
                '%e = "tt.extern_elementwise"(%c) <{libname = "", libpath = "", '
                'symbol = "__nv_nothing", pure = true}> : (f32) -> f32',
                "tt.store %x, %e : !tt.ptr<f32>",
            ),
            "__nv_nothing is no function of the device libraries",
            3,
        ),
    ],
)
def test_triton_python(ops: tuple[str, ...], message: str, line: int) -> None:
    error = error_of(function(POINTER, (PARAMS, GRID, CHECKS), *ops), "triton-python")
    assert error.message == message
    assert error.loc is not None
    assert error.loc.line == line


def test_the_command_line_shows_the_op() -> None:
    text = function('%x: index {nt.symbol = "n"}')
    result = nt_opt(["-", "-t", "ttir", "--arch=sm_90"], text)
    assert result.code == 1
    assert result.err == (
        "nt-opt: CompilerError: a device function takes no argument of type index\n"
        '  File "stdin", line 1, column 1\n'
        f"    {text.splitlines()[0]}\n"
        "    ^\n"
    )
