"""Result types of reductions and scans over every element type, against Triton's own."""

from __future__ import annotations

from typing import Any

import pytest

# The handlers of statements register themselves.
import ninetoothed.frontend.statements  # noqa: F401  # pyright: ignore[reportUnusedImport]
from ninetoothed.definition.source import function_source
from ninetoothed.dtype import DTYPES
from ninetoothed.frontend.frame import Frame
from tests.unit.language.test_promotion import EIGHTS, Frontend, old

triton = pytest.importorskip("triton")
tl = triton.language
pytestmark = pytest.mark.skipif(old(), reason="Triton 3.9 is followed")


@triton.jit
def kernel(
    x,  # pyright: ignore[reportUnknownParameterType, reportMissingParameterType]
    function: tl.constexpr,
    expected: tl.constexpr,
):
    """Triton's operands if the types are equal."""
    y = function(tl.load(x + tl.arange(0, 16)), 0)
    tl.static_assert(y.dtype == expected)


FUNCTIONS = (
    *("sum", "max", "min", "argmax", "argmin", "xor_sum", "reduce_or"),
    *("cumsum", "cumprod", "sort"),
)


def accepts(dtype: str, name: str, expected: str) -> bool:
    """True if Triton's function gives ``expected``."""
    compiler: Any = triton.compiler.compiler
    target = triton.backends.compiler.GPUTarget("cuda", 90, 32)
    backend = compiler.make_backend(target)
    options = backend.parse_options({"enable_fp_fusion": True})
    constants = {(1,): getattr(tl, name), (2,): getattr(tl, DTYPES[expected].triton)}
    signature = {"x": f"*{dtype}", "function": "constexpr", "expected": "constexpr"}
    source = compiler.ASTSource(fn=kernel, signature=signature, constexprs=constants)
    ir = triton._C.libtriton.ir
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    functions = backend.get_codegen_implementation(options)
    try:
        source.make_ir(target, options, functions, backend.get_module_map(), context)
    except triton.CompilationError:
        return False
    return True


def application() -> None:
    """The callers of the functions."""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results(name: str) -> None:
    frontend = Frontend()
    frontend.ctx.frames.append(Frame(function_source(application, "an application"), {}))
    for dtype in DTYPES:
        # Triton leaves it to later stages to refuse these.
        if dtype in EIGHTS:
            continue
        mine = frontend.function(name, frontend.value(dtype, "block"), 0)
        assert accepts(dtype, name, mine or dtype) == (mine is not None), (dtype, mine)
