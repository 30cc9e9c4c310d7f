"""Results of modules at ``tt``: by our interpreter, and of their Triton-Python source by Triton's;
and that Triton compiles it.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView
from typing import Any

import numpy as np
import pytest
import torch
from xdsl.dialects.builtin import f16, f32, i1, i8, i32
from xdsl.ir import Attribute

from ninetoothed.backend.triton.expression import literal
from ninetoothed.backend.triton.triton_python import emit_triton_python
from ninetoothed.interpreters import interpret
from ninetoothed.runtime.toolchain.triton import compat
from tests.support.interpreted import Case, run
from tests.support.tt_modules import KERNELS, elementwise, parse
from tests.unit.backend.test_ttir import compile_for

T = "tensor<64x{}>"
Reference = Callable[[Any, Any], Any]
Row = tuple[str, str, str, Reference]


def unsigned(x: Any) -> Any:
    """The same bits, unsigned."""
    return x.view(f"uint{8 * x.dtype.itemsize}")


def signed(x: Any) -> Any:
    """The same bits, signed."""
    return x.view(f"int{8 * x.dtype.itemsize}")


def truncated(x: Any, y: Any) -> Any:
    """Division towards zero."""
    quotient = np.abs(x.astype("int64")) // np.abs(y.astype("int64"))
    return (np.sign(x) * np.sign(y) * quotient).astype(x.dtype)


def high(x: Any, y: Any) -> Any:
    """The upper half of the product of unsigned integers."""
    width = 8 * x.dtype.itemsize
    product = unsigned(x).astype(object) * unsigned(y).astype(object)
    return signed((product >> width).astype(unsigned(x).dtype))


def over(name: str, reference: Reference, *dtypes: str) -> list[Row]:
    """A row per element type, for an op of two operands."""
    body = f"%y = {name} %x0, %x1 : {T}"
    return [(body.format(dtype), dtype, dtype, reference) for dtype in dtypes]


def compared(name: str, predicate: str, dtype: str, reference: Reference) -> Row:
    """A comparison, its bit widened."""
    body = (
        f"%b = {name} {predicate}, %x0, %x1 : tensor<64x{dtype}>\n"
        '%y = "arith.extui"(%b) : (tensor<64xi1>) -> tensor<64xi32>'
    )
    return body, dtype, "i32", lambda x, y: reference(x, y).astype("int32")


def converted(name: str, source: str, target: str, reference: Callable[[Any], Any]) -> Row:
    """A conversion of the first operand."""
    body = f'%y = "{name}"(%x0) : (tensor<64x{source}>) -> tensor<64x{target}>'
    return body, source, target, lambda x, y: reference(x)


def function(name: str, reference: Callable[[Any], Any], dtype: str = "f32") -> Row:
    """A function of the first operand, made positive."""
    body = f"%p = math.absf %x0 : tensor<64x{dtype}>\n%y = math.{name} %p : tensor<64x{dtype}>"
    return body, dtype, dtype, lambda x, y: reference(np.abs(x)).astype(x.dtype)


def each(references: dict[str, Reference]) -> ItemsView[str, Reference]:
    """The items, their functions typed."""
    return references.items()


def erf(x: Any) -> Any:
    """The error function."""
    return torch.erf(torch.from_numpy(x)).numpy()


INTEGERS = ("i8", "i32", "i64")
FLOATS = ("f16", "f32", "f64")
NAN = np.isnan
CASES: list[Row] = [
    *over("arith.addi", np.add, *INTEGERS),
    *over("arith.subi", np.subtract, *INTEGERS),
    *over("arith.muli", np.multiply, *INTEGERS),
    *over("arith.divsi", truncated, "i32", "i64"),
    *over("arith.remsi", lambda x, y: x - y * truncated(x, y), "i32", "i64"),
    *over("arith.divui", lambda x, y: signed(unsigned(x) // unsigned(y)), *INTEGERS),
    *over("arith.remui", lambda x, y: signed(unsigned(x) % unsigned(y)), *INTEGERS),
    *over("arith.floordivsi", lambda x, y: x // y, "i32", "i64"),
    *over("arith.ceildivsi", lambda x, y: -(-x // y), "i32", "i64"),
    *over("arith.andi", np.bitwise_and, *INTEGERS),
    *over("arith.ori", np.bitwise_or, *INTEGERS),
    *over("arith.xori", np.bitwise_xor, *INTEGERS),
    *over("tt.mulhiui", high, "i32", "i64"),
    *over("arith.minsi", np.minimum, *INTEGERS),
    *over("arith.maxsi", np.maximum, *INTEGERS),
    *over("arith.minui", lambda x, y: signed(np.minimum(unsigned(x), unsigned(y))), *INTEGERS),
    *over("arith.maxui", lambda x, y: signed(np.maximum(unsigned(x), unsigned(y))), *INTEGERS),
    *(
        (
            f"%c = arith.constant dense<3> : tensor<64xi32>\n%y = {op} %x0, %c : tensor<64xi32>",
            "i32",
            "i32",
            reference,
        )
        for op, reference in each(
            {
                "arith.shli": lambda x, y: x << 3,
                "arith.shrsi": lambda x, y: x >> 3,
                "arith.shrui": lambda x, y: signed(unsigned(x) >> np.uint32(3)),
                "arith.divui": lambda x, y: signed(unsigned(x) // np.uint32(3)),
                "arith.maxsi": lambda x, y: np.maximum(x, 3),
                "arith.maxui": lambda x, y: signed(np.maximum(unsigned(x), np.uint32(3))),
            }
        )
    ),
    *over("arith.addf", np.add, *FLOATS),
    *over("arith.subf", np.subtract, *FLOATS),
    *over("arith.mulf", np.multiply, *FLOATS),
    *over("arith.divf", np.divide, *FLOATS),
    *over("arith.maxnumf", np.fmax, *FLOATS),
    *over("arith.minnumf", np.fmin, *FLOATS),
    *over("arith.maximumf", np.maximum, *FLOATS),
    *over("arith.minimumf", np.minimum, *FLOATS),
    *(
        compared("arith.cmpi", predicate, "i32", reference)
        for predicate, reference in each(
            {
                "eq": np.equal,
                "ne": np.not_equal,
                "slt": np.less,
                "sge": np.greater_equal,
                "ult": lambda x, y: unsigned(x) < unsigned(y),
                "ule": lambda x, y: unsigned(x) <= unsigned(y),
                "ugt": lambda x, y: unsigned(x) > unsigned(y),
                "uge": lambda x, y: unsigned(x) >= unsigned(y),
            }
        )
    ),
    *(
        compared("arith.cmpf", predicate, "f32", reference)
        for predicate, reference in each(
            {
                "oeq": np.equal,
                "olt": np.less,
                "oge": np.greater_equal,
                "une": np.not_equal,
                "one": lambda x, y: (x < y) | (x > y),
                "ueq": lambda x, y: ~((x < y) | (x > y)),
                "ord": lambda x, y: ~(NAN(x) | NAN(y)),
                "uno": lambda x, y: NAN(x) | NAN(y),
                "ult": lambda x, y: ~(x >= y),
                "ule": lambda x, y: ~(x > y),
                "ugt": lambda x, y: ~(x <= y),
                "uge": lambda x, y: ~(x < y),
            }
        )
    ),
    converted("arith.extf", "f16", "f32", lambda x: x.astype("float32")),
    converted("arith.truncf", "f32", "f16", lambda x: x.astype("float16")),
    converted("arith.sitofp", "i32", "f32", lambda x: x.astype("float32")),
    converted("arith.uitofp", "i32", "f64", lambda x: unsigned(x).astype("float64")),
    converted("arith.fptosi", "f16", "i32", lambda x: np.nan_to_num(x).astype("int32")),
    converted("arith.extsi", "i8", "i32", lambda x: x.astype("int32")),
    converted("arith.extui", "i8", "i32", lambda x: unsigned(x).astype("int32")),
    converted("arith.trunci", "i32", "i8", lambda x: x.astype("int8")),
    converted("arith.bitcast", "f32", "i32", lambda x: x.view("int32")),
    function("exp", np.exp),
    function("exp", lambda x: np.exp(x.astype("float32")), "f16"),
    function("exp2", np.exp2),
    function("log", np.log),
    function("log2", np.log2),
    function("sqrt", np.sqrt),
    function("rsqrt", lambda x: 1 / np.sqrt(x)),
    function("sin", np.sin),
    function("cos", np.cos),
    function("erf", erf),
    function("floor", np.floor),
    function("ceil", np.ceil),
    (
        "%c = arith.constant dense<63> : tensor<64xi32>\n"
        "%i = arith.andi %x1, %c : tensor<64xi32>\n"
        "%y = tt.gather %x0[%i] 0 : i32 : tensor<64xi32>[tensor<64xi32>] -> tensor<64xi32>",
        "i32",
        "i32",
        lambda x, y: x[y & 63],
    ),
    (
        '%s = "tt.reduce"(%x0) <{axis = 0 : i32}> ({\n'
        "^bb0(%a: i8, %b: i8):\n"
        "  %c = arith.xori %a, %b : i8\n"
        "  tt.reduce.return %c : i8\n"
        "}) : (tensor<64xi8>) -> i8\n"
        "%y = tt.splat %s : i8 -> tensor<64xi8>",
        "i8",
        "i8",
        lambda x, y: np.full_like(x, np.bitwise_xor.reduce(x)),
    ),
    (f"%y = arith.negf %x0 : {T.format('f32')}", "f32", "f32", lambda x, y: -x),
    (f"%y = math.absi %x0 : {T.format('i32')}", "i32", "i32", lambda x, y: np.abs(x)),
    (
        "%b = arith.cmpi slt, %x0, %x1 : tensor<64xi32>\n"
        '%y = "arith.sitofp"(%b) : (tensor<64xi1>) -> tensor<64xf32>',
        "i32",
        "f32",
        lambda x, y: -(x < y).astype("float32"),
    ),
    (
        '%b = "arith.trunci"(%x0) : (tensor<64xi32>) -> tensor<64xi1>\n'
        "%t = arith.constant dense<true> : tensor<64xi1>\n"
        "%n = arith.xori %b, %t : tensor<64xi1>\n"
        "%one = arith.constant dense<1> : tensor<64xi32>\n"
        "%two = arith.constant dense<2> : tensor<64xi32>\n"
        "%y = arith.select %n, %one, %two : tensor<64xi1>, tensor<64xi32>",
        "i32",
        "i32",
        lambda x, y: np.where(x & 1 == 0, 1, 2).astype("int32"),
    ),
    (
        "%c = arith.constant dense<-0.0> : tensor<64xf32>\n"
        "%d = arith.mulf %x0, %c : tensor<64xf32>\n"
        "%y = arith.divf %x1, %d : tensor<64xf32>",
        "f32",
        "f32",
        lambda x, y: y / (x * np.float32(-0.0)),
    ),
]


def inputs(dtype: str) -> list[Any]:
    """Two operands, with what is special about ``dtype`` in them."""
    generator = np.random.default_rng(7)
    kind = {"i": "int", "f": "float"}[dtype[0]] + dtype[1:]
    if dtype[0] == "i":
        top = 2 ** (int(dtype[1:]) - 1)
        x = generator.integers(-min(top, 10**6), min(top, 10**6), 64).astype(kind)
        y = generator.integers(-9, 9, 64).astype(kind)
        y[y == 0] = -7
        x[:3], y[:3] = (-6, 6, 0), (3, -3, 5)
        return [x, y]
    x, y = (generator.uniform(-4, 4, 64).astype(kind) for _ in range(2))
    x[:4], y[:4] = (np.nan, 1, np.nan, 2), (1, np.nan, np.nan, 2)
    return [x, y]


def arguments_of(row: Row) -> list[torch.Tensor]:
    """The operands of a case, and room for its result."""
    _, dtype, out, _ = row
    kind = {"i": "int", "f": "float"}[out[0]] + out[1:]
    return [
        *(torch.from_numpy(x) for x in inputs(dtype)),
        torch.empty(64, dtype=getattr(torch, kind)),
    ]


@pytest.fixture(scope="module")
def outputs() -> list[Any]:
    """The result of each case."""
    pytest.importorskip("triton")
    cases = [
        Case(emit_triton_python(elementwise(*row[:3])), "f", arguments_of(row)) for row in CASES
    ]
    results = run(cases)
    return [result[-1].numpy() for result in results]


# Triton 3.6 compiles all of this, but its interpreter is not up to some: with NumPy 2.4 a loop
# over a loaded number fails in `int()`, and of a number and a NaN it takes the NaN, as no device
# does.
OLD_INTERPRETER = compat.available() and compat.version().startswith("3.6.")


each_case = pytest.mark.parametrize(
    "index", range(len(CASES)), ids=lambda i: f"{i}-{CASES[i][0][:40]}"
)


@each_case
def test_triton_interprets(index: int, outputs: list[Any]) -> None:
    body = CASES[index][0]
    if OLD_INTERPRETER and ("maxnumf" in body or "minnumf" in body):
        pytest.skip("the interpreter of Triton 3.6 takes the NaN")
    compare(CASES[index], outputs[index])


@each_case
def test_we_interpret(index: int) -> None:
    arguments = arguments_of(CASES[index])
    interpret(elementwise(*CASES[index][:3]), arguments)
    compare(CASES[index], arguments[-1].numpy())


def compare(row: Row, found: Any) -> None:
    """Compare the result of a case with its reference."""
    body, dtype, out, reference = row
    with np.errstate(all="ignore"):
        expected = reference(*inputs(dtype))
    if out[0] == "f":
        np.testing.assert_allclose(found, expected, rtol=2e-3 if out == "f16" else 1e-5)
        return
    if dtype[0] == "f" and "bitcast" not in body and "cmpf" not in body:
        # What an integer makes of a NaN is up to the hardware.
        keep = ~np.isnan(inputs(dtype)[0])
        found, expected = found[keep], expected[keep]
    assert (found == expected).all()


def test_triton_types_every_op() -> None:
    """All at once, since each compilation costs a tenth of a second."""
    triton = pytest.importorskip("triton")
    assert triton is not None
    for body, dtype, out, _ in CASES:
        compile_for("sm_90", elementwise(body, dtype, out), "triton-python")


@pytest.mark.skipif(OLD_INTERPRETER, reason="the interpreter of Triton 3.6 fails in int()")
def test_kernels() -> None:
    pytest.importorskip("triton")
    generator = torch.Generator().manual_seed(3)
    a, b = (torch.randn(shape, generator=generator).half() for shape in ((64, 40), (40, 96)))
    x = torch.randn(5, 50, generator=generator)
    numbers = torch.randint(-99, 99, (64,), generator=generator, dtype=torch.int32)
    sources = {name: emit_triton_python(parse(text)) for name, text in KERNELS.items()}
    calls: list[Case] = [
        Case(sources["matmul"], "matmul", [a, b, torch.empty(64, 96), 96, 40], 6),
        Case(sources["softmax"], "softmax", [x, torch.empty(5, 50), 50, 0.5], 5),
        *(
            Case(sources["branches"], "branches", [numbers, torch.zeros_like(numbers), count])
            for count in (0, 2, 5)
        ),
    ]
    results = run(calls)
    torch.testing.assert_close(results[0][2], a.float() @ b.float(), rtol=1e-3, atol=1e-3)
    torch.testing.assert_close(results[1][1], torch.softmax(x * 0.5, 1))
    for count, result in zip((0, 2, 5), results[2:], strict=True):
        large, small = numbers, torch.ones_like(numbers)
        for _ in range(count):
            large, small = small, large + small
        # The combination gives x ^ y, twice that less once.
        bits = torch.tensor(np.bitwise_xor.reduce(large.numpy()))
        expected = bits.expand(64) if count > 2 else large - small
        assert torch.equal(result[1], expected.to(torch.int32))


@pytest.mark.parametrize(
    ("body", "dtype", "line"),
    [
        # A number takes the type of what it meets, where something does.
        (
            "%c = arith.constant dense<0.1> : tensor<64xf32>\n"
            "%y = arith.mulf %x0, %c : tensor<64xf32>",
            "f32",
            "x0 * 0.1)",
        ),
        (
            "%c = arith.constant dense<2.5> : tensor<64xf16>\n"
            "%y = arith.maxnumf %x0, %c : tensor<64xf16>",
            "f16",
            "tl.maximum(x0, tl.full((), 2.5, tl.float16))",
        ),
        (
            "%c = arith.constant dense<2> : tensor<64xi64>\n"
            "%d = arith.constant dense<3> : tensor<64xi64>\n"
            "%y = arith.addi %c, %d : tensor<64xi64>",
            "i64",
            "tl.full((), 2, tl.int64) + 3",
        ),
        ("%y = arith.maxnumf %x0, %x1 : tensor<64xbf16>", "bf16", ".to(tl.bfloat16)"),
        ("%y = arith.divf %x0, %x1 : tensor<64xbf16>", "bf16", "(x0 / x1).to(tl.bfloat16)"),
        (
            "%m = arith.muli %x0, %x1 : tensor<64xi32>\n"
            "%s = arith.subi %x0, %m : tensor<64xi32>\n"
            "%y = arith.subi %x1, %s : tensor<64xi32>",
            "i32",
            "x1 - (x0 - x0 * x1)",
        ),
    ],
)
def test_spellings(body: str, dtype: str, line: str) -> None:
    module = elementwise(body, dtype)
    assert line in emit_triton_python(module)
    compile_for("sm_90", module, "triton-python")


@pytest.mark.parametrize(
    ("value", "scalar", "text"),
    [
        (float("inf"), f32, 'float("inf")'),
        (float("-inf"), f16, 'float("-inf")'),
        (float("nan"), f32, 'float("nan")'),
        (0.10000000149011612, f32, "0.1"),
        (0.0999755859375, f16, "0.0999755859375"),
        (-2.0, f32, "-2.0"),
        (-0.0, f32, "tl.full((), -2147483648, tl.int32).to(tl.float32, bitcast=True)"),
        (2**31, i32, "-2147483648"),
        (255, i8, "-1"),
        (-1, i1, "True"),
    ],
)
def test_literals(value: float, scalar: Attribute, text: str) -> None:
    assert literal(value, scalar).text == text
