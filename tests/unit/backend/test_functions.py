"""Functions, hints, prints and assertions in Triton-Python: spellings, and interpreted results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from ninetoothed.backend.triton.triton_python import emit_triton_python
from ninetoothed.errors import CompilerError
from ninetoothed.runtime.toolchain.triton import compat
from tests.support.interpreted import Case, run
from tests.support.tt_modules import elementwise

Array = np.ndarray[Any, Any]
Reference = Callable[[Array, Array], Array]
F = "tensor<64xf32>"
HINT = "dense<4> : tensor<1xi32>"
BODIES: dict[str, tuple[str, str, Reference]] = {
    "fma": (f"%y = math.fma %x0, %x1, %x1 : {F}", "tl.fma(x0, x1, x1)", lambda x, y: x * y + y),
    "fma of numbers": (
        f"%c = arith.constant dense<2.0> : {F}\n%y = math.fma %x0, %c, %x1 : {F}",
        "tl.fma(x0, 2.0, x1)",
        lambda x, y: x * 2 + y,
    ),
    "clampf": (
        f"%l = arith.constant dense<-1.0> : {F}\n"
        f"%y = tt.clampf %x0, %l, %x1 {{propagateNan = 65535 : i32}} : {F}",
        "tl.clamp(x0, -1.0, x1, propagate_nan=tl.PropagateNan.ALL)",
        lambda x, y: np.clip(x, -1, y),
    ),
    "precise_sqrt": (f"%y = tt.precise_sqrt %x1 : {F}", "tl.sqrt_rn(x1)", lambda x, y: np.sqrt(y)),
    "precise_divf": (
        f"%y = tt.precise_divf %x0, %x1 : {F}",
        "tl.div_rn(x0, x1)",
        lambda x, y: x / y,
    ),
    "num_programs": (
        f"%n = tt.get_num_programs 0 : i32\n%f = arith.sitofp %n : i32 to f32\n"
        f"%s = tt.splat %f : f32 -> {F}\n%y = arith.addf %x0, %s : {F}",
        "tl.num_programs(0)",
        lambda x, y: x + 1,
    ),
    "hints": (
        f"%s = arith.addf %x0, %x1 {{tt.divisibility = {HINT}, tt.constancy = {HINT}}} : {F}\n"
        f"%y = arith.addf %s, %x1 : {F}",
        "tl.max_constancy(tl.multiple_of(x0 + x1, [4]), [4])",
        lambda x, y: x + 2 * y,
    ),
    "assume": (
        f"%b = arith.constant true\nllvm.intr.assume %b {{op_bundle_sizes = array<i32>}} : i1\n"
        f"%y = arith.addf %x0, %x1 : {F}",
        "tl.assume(tl.full((), True, tl.int1))",
        lambda x, y: x + y,
    ),
    "assert": (
        f'%b = arith.cmpf oge, %x1, %x1 : {F}\ntt.assert %b, "it\'s \\"so\\"" : tensor<64xi1>\n'
        f"%y = arith.addf %x0, %x1 : {F}",
        "tl.device_assert(x1 >= x1, 'it\\'s \"so\"')",
        lambda x, y: x + y,
    ),
    "print": (
        f'tt.print " x: " %x0 {{hex = false, isSigned = array<i32: 0>}} : {F}\n'
        f"%y = arith.addf %x0, %x1 : {F}",
        "tl.device_print(' x: ', x0)",
        lambda x, y: x + y,
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_spelling(name: str) -> None:
    body, spelled, _ = BODIES[name]
    source = emit_triton_python(elementwise(body, "f32"))
    assert spelled in source


@pytest.fixture(scope="module")
def outputs() -> dict[str, Any]:
    """The result of each case."""
    pytest.importorskip("triton")
    cases: list[Case] = []
    for body, _, _ in BODIES.values():
        arguments = [*(torch.from_numpy(x) for x in inputs()), torch.empty(64)]
        cases.append(Case(emit_triton_python(elementwise(body, "f32")), "f", arguments))
    results = run(cases)
    return {name: result[-1].numpy() for name, result in zip(BODIES, results, strict=True)}


def inputs() -> list[Any]:
    generator = np.random.default_rng(3)
    return [
        generator.uniform(-4, 4, 64).astype("float32"),
        generator.uniform(0.5, 4, 64).astype("float32"),
    ]


@pytest.mark.parametrize("name", BODIES)
def test_meaning(name: str, outputs: dict[str, Any]) -> None:
    np.testing.assert_allclose(outputs[name], BODIES[name][2](*inputs()), rtol=1e-6, atol=1e-6)


def test_unsigned_integers_are_printed_as_such() -> None:
    body = (
        'tt.print " x: " %x0, %x1 {hex = true, isSigned = array<i32: 0, 1>} '
        ": tensor<64xi8>, tensor<64xi8>\n%y = arith.addi %x0, %x1 : tensor<64xi8>"
    )
    source = emit_triton_python(elementwise(body, "i8"))
    assert "x0.to(tl.uint8, bitcast=True), x1, hex=True)" in source


def test_unsigned_functions_of_the_libraries() -> None:
    about = 'libname = "", libpath = "", pure = true'
    body = (
        f'%y = tt.extern_elementwise %x0, %x1 {{symbol = "__nv_umulhi", {about}}} '
        ": (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>"
    )
    source = emit_triton_python(elementwise(body, "i32"))
    words = " ".join(source.split())
    operands = ("x0.to(tl.uint32, bitcast=True)", "x1.to(tl.uint32, bitcast=True)")
    assert all(operand in words for operand in operands)
    assert words.count("libdevice.mulhi(") == 1
    assert ".to(tl.int32, bitcast=True)" in words
    assert "from triton.language.extra import libdevice" in source


def test_a_symbol_of_nobody() -> None:
    body = (
        '%y = tt.extern_elementwise %x0 {symbol = "__nv_no", libname = "", libpath = "", '
        f"pure = true}} : ({F}) -> {F}"
    )
    with pytest.raises(CompilerError, match="__nv_no is no function of the device libraries"):
        emit_triton_python(elementwise(body, "f32"))


def test_assertions_of_triton_python_are_compiled(tmp_path: Path) -> None:
    if not compat.available():
        pytest.skip("Triton is not installed")
    from tests.unit.backend.test_ttir import compile_for

    body, _, _ = BODIES["assert"]
    for language in ("ttir", "triton-python"):
        compiled = compile_for("sm_90", elementwise(body, "f32"), language)
        # The device's own checks of overflow would be more.
        assert compiled["ttir"].count("tt.assert") == 1
