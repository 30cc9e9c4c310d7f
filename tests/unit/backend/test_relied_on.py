"""What a device function keeps of what passes relied on: symbols and padded sizes."""

from __future__ import annotations

import pytest

from ninetoothed.backend.device_function import declarations, device_function, padded_sizes
from ninetoothed.errors import CompilerError
from ninetoothed.ir.parsing import parse_module
from ninetoothed.symbolic.expr import sym

FUNCTION = "tt.func @k() attributes {{{}}} {{\n  tt.return\n}}\n"


def test_nothing_is_nothing() -> None:
    function = device_function(parse_module(FUNCTION.format("nt.checks = []"), "k.mlir"))
    assert (declarations(function), padded_sizes(function)) == ((), {})


def test_what_is_kept() -> None:
    text = "nt.symbols = [#nt.symbol<n size 0 to 64 div 16>], nt.padded_sizes = [#nt.exprs[n, 64]]"
    function = device_function(parse_module(FUNCTION.format(text), "k.mlir"))
    (decl,) = declarations(function)
    assert (decl.name, decl.upper, decl.divisor) == ("n", 64, 16)
    assert padded_sizes(function) == {sym("n"): 64}


@pytest.mark.parametrize("row", ["#nt.exprs[n]", "#nt.exprs[n, n]", "64"])
def test_padded_sizes_are_pairs(row: str) -> None:
    module = parse_module(FUNCTION.format(f"nt.padded_sizes = [{row}]"), "k.mlir")
    with pytest.raises(CompilerError) as caught:
        padded_sizes(device_function(module))
    assert caught.value.message == "a padded size of tt.func @k is no pair [size, number]"
