"""Functions of the device libraries: the table against Triton, the interpreter against torch."""

from __future__ import annotations

import ast
import importlib.util
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import torch

import ninetoothed.language as ntl
from ninetoothed.dtype import DTYPES
from ninetoothed.errors import CompilerError
from ninetoothed.interpreters import interpret
from ninetoothed.interpreters.element_types import ELEMENTS
from ninetoothed.interpreters.libdevice import FUNCTIONS, call
from ninetoothed.language.table.libdevice import LIBDEVICE, MODES, SYMBOLS, Form
from tests.support.tt_modules import elementwise

_LEFT_OUT = {"rcp64h", "jn", "yn"}
"""Functions that torch does not have."""

Rows = dict[str, dict[tuple[str, ...], tuple[str, str]]]


def rows_of_triton(vendor: str) -> Rows:
    """The functions that Triton's own module has: by operands, symbol and result."""
    spec = importlib.util.find_spec("triton")
    if spec is None or spec.origin is None:
        pytest.skip("Triton is not installed")
    path = Path(spec.origin).parent / "language" / "extra" / vendor / "libdevice.py"
    names = {row.triton: row.name for row in DTYPES.values()} | {"fp32": "fp32", "fp64": "fp64"}

    def core_dtype(name: str) -> str:
        return names[name]

    scope = {"core": type("core", (), {"dtype": staticmethod(core_dtype)})}
    found: Rows = {}
    for function in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(function, ast.FunctionDef):
            tables = [node for node in ast.walk(function) if isinstance(node, ast.Dict)]
            for table in tables[:1]:
                found[function.name] = eval(compile(ast.Expression(table), "", "eval"), scope)
    return found


def test_the_table_is_triton_s() -> None:
    expected = rows_of_triton("cuda")
    assert set(LIBDEVICE) == set(expected) - _LEFT_OUT
    for name, row in LIBDEVICE.items():
        found = {form.operands: (form.nvidia, form.result) for form in row.forms}
        assert found == expected[name], name


def test_what_is_portable_is_what_triton_has_for_amd() -> None:
    expected = rows_of_triton("hip")
    for name, row in LIBDEVICE.items():
        if row.portable:
            assert name in expected, name
            for form in row.forms:
                # Triton's own functions of the compiler have no other meaning.
                symbol, _ = expected[name][form.operands]
                assert symbol == form.amd or symbol.startswith("__triton_hip_"), name


def test_each_has_a_function() -> None:
    unused = {"int2double_rz", "int2double_rd", "int2double_ru"}
    unused |= {f"u{name}" for name in unused}
    assert set(FUNCTIONS) - unused == set(LIBDEVICE)


def test_operands_tell_what_a_symbol_is() -> None:
    for symbol, meanings in SYMBOLS.items():
        widths = {tuple(DTYPES[dtype].bits for dtype in form.operands) for _, form in meanings}
        assert len(widths) == len(meanings), symbol


def test_help() -> None:
    text = str(ntl.libdevice.pow.__doc__)
    assert text.startswith("ntl.libdevice.pow(x, y)\n\nPower, ``x ** y``.")
    assert "fp32, i32 give fp32; fp64, i32 give fp64;" in text
    assert "tanh" in dir(ntl.libdevice)
    with pytest.raises(AttributeError):
        _ = ntl.libdevice.tanhh


def test_an_unknown_symbol() -> None:
    module = elementwise(
        '%y = tt.extern_elementwise %x0 {libname = "", libpath = "", symbol = "__nv_no", '
        "pure = true} : (tensor<64xf32>) -> tensor<64xf32>",
        "f32",
    )
    tensors = [torch.zeros(64) for _ in range(3)]
    with pytest.raises(CompilerError, match="__nv_no is no function of the device libraries"):
        interpret(module, tensors)


def form(name: str, *operands: str) -> Form:
    found = LIBDEVICE[name].form(operands)
    assert found is not None
    return found


def run(name: str, operands: tuple[str, ...], *values: Any) -> torch.Tensor:
    """The function of held values."""
    tensors = [
        torch.tensor(value, dtype=ELEMENTS[dtype].held)
        for value, dtype in zip(values, operands, strict=True)
    ]
    return call(name, form(name, *operands), *tensors)


def listed(tensor: torch.Tensor) -> list[Any]:
    return cast("list[Any]", tensor.tolist())


INF, NAN = math.inf, math.nan
X = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 3.75, 100.25, 1e-30, -7.0, INF, -INF, NAN]


def quiet(function: Callable[..., float]) -> Callable[..., float]:
    """Python's function, giving what a device does where Python raises."""

    def apply(*numbers: float) -> float:
        try:
            return function(*numbers)
        except (ValueError, OverflowError):
            return NAN

    return apply


UNARY: dict[str, Callable[[float], float]] = {
    "cbrt": lambda x: math.copysign(abs(x) ** (1 / 3), x),
    "cospi": lambda x: math.cos(math.pi * math.fmod(x, 2)),
    "exp10": lambda x: 10.0**x,
    "erfc": math.erfc,
    "lgamma": lambda x: INF if x <= 0 and x == int(x) else math.lgamma(x),
    "logb": lambda x: float(math.frexp(x)[1] - 1),
    "rcbrt": lambda x: 1 / math.copysign(abs(x) ** (1 / 3), x),
    "rint": lambda x: float(round(x)),
    "round": lambda x: math.copysign(math.floor(abs(x) + 0.5), x),
    "saturatef": lambda x: min(max(x, 0.0), 1.0),
    "sinpi": lambda x: math.sin(math.pi * math.fmod(x, 2)),
    "tgamma": math.gamma,
    "trunc": lambda x: float(math.trunc(x)),
    "normcdf": lambda x: 0.5 * math.erfc(-x / math.sqrt(2)),
}


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_number(name: str) -> None:
    finite = [x for x in X if math.isfinite(x) and x != 0]
    dtype = LIBDEVICE[name].forms[-1].result
    expected = torch.tensor([quiet(UNARY[name])(x) for x in finite], dtype=ELEMENTS[dtype].own)
    found = run(name, (dtype,), finite)
    torch.testing.assert_close(found, expected, equal_nan=True, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("tgamma", [0.0, -0.0, -1.0, 200.0, -INF, INF], [INF, -INF, NAN, INF, NAN, INF]),
        ("logb", [0.0, INF, -INF, 5e-324], [-INF, INF, INF, -1074.0]),
        ("sinpi", [1.0, 3.0, 1e17, INF, 0.5, -1.5], [0.0, 0.0, 0.0, NAN, 1.0, 1.0]),
        ("cospi", [0.5, 2.5, 1.0, -INF], [0.0, 0.0, -1.0, NAN]),
        ("rint", [0.5, 1.5, 2.5, -0.5], [0.0, 2.0, 2.0, -0.0]),
        ("round", [0.5, 1.5, 2.5, -0.49999999999999994], [1.0, 2.0, 3.0, -0.0]),
        ("rsqrt", [4.0, 0.0, -1.0], [0.5, INF, NAN]),
        ("j0", [INF, -INF, NAN, 0.0], [0.0, 0.0, NAN, 1.0]),
        ("j1", [INF, -INF], [0.0, -0.0]),
        ("y0", [INF, -INF, 0.0], [0.0, NAN, -INF]),
        ("y1", [INF, -1.0], [0.0, NAN]),
        ("cyl_bessel_i0", [INF, -INF, 0.0], [INF, INF, 1.0]),
        ("cyl_bessel_i1", [INF, -INF], [INF, -INF]),
        ("normcdf", [-INF, INF, 0.0, -7.0], [0.0, 1.0, 0.5, 1.279812543885835e-12]),
    ],
)
def test_special_values(name: str, values: list[float], expected: list[float]) -> None:
    found = run(name, ("fp64",), values)
    torch.testing.assert_close(
        found, torch.tensor(expected, dtype=torch.float64), equal_nan=True, rtol=0, atol=1e-15
    )


@pytest.mark.parametrize(
    ("name", "operands", "expected"),
    [
        ("atan2", (1.0, -2.0), math.atan2(1.0, -2.0)),
        ("copysign", (3.0, -0.0), -3.0),
        ("fdim", (3.0, 1.5), 1.5),
        ("fdim", (1.0, 1.5), 0.0),
        ("fmod", (-7.5, 2.0), -1.5),
        ("fmod", (1.0, 5e-324), 0.0),
        ("fmod", (1.0, 0.0), NAN),
        ("hypot", (3e200, 4e200), 5e200),
        ("nextafter", (1.0, 2.0), 1.0000000000000002),
        ("pow", (2.0, -3.0), 0.125),
        ("remainder", (7.5, 2.0), -0.5),
        ("remainder", (7.0, 2.0), -1.0),
        ("remainder", (1.0, 0.0), NAN),
        ("rhypot", (3.0, 4.0), 0.2),
        ("fma", (1 + 2**-52, 1 + 2**-52, -1.0), 2**-51 + 2**-104),
        ("norm3d", (2.0, 3.0, 6.0), 7.0),
        ("norm3d", (2.0, INF, NAN), INF),
        ("norm4d", (2.0, 4.0, 5.0, 6.0), 9.0),
        ("rnorm3d", (2.0, 3.0, 6.0), 1 / 7),
        ("rnorm4d", (2.0, 4.0, 5.0, 6.0), 1 / 9),
    ],
)
def test_functions_of_several_numbers(
    name: str, operands: tuple[float, ...], expected: float
) -> None:
    found = run(name, ("fp64",) * len(operands), *([value] for value in operands)).item()
    assert found == pytest.approx(expected, rel=1e-15, nan_ok=True)


def test_inverses_and_bessel_functions() -> None:
    p = torch.linspace(0.01, 0.99, 33, dtype=torch.float64)
    one = ("fp64",)
    for name, inverse in (("erf", "erfinv"), ("erfc", "erfcinv"), ("normcdf", "normcdfinv")):
        back = call(name, form(name, *one), call(inverse, form(inverse, *one), p))
        torch.testing.assert_close(back, p, rtol=1e-12, atol=1e-13)
    j0, j1, y0, y1 = (call(name, form(name, *one), p) for name in ("j0", "j1", "y0", "y1"))
    torch.testing.assert_close(j1 * y0 - j0 * y1, 2 / (torch.pi * p))
    i0 = call("cyl_bessel_i0", form("cyl_bessel_i0", *one), p)
    series = sum((p / 2) ** (2 * k) / math.factorial(k) ** 2 for k in range(12))
    torch.testing.assert_close(i0, series)
    found = call("erfcx", form("erfcx", *one), p)
    torch.testing.assert_close(found, torch.exp(p * p) * torch.erfc(p))


def words(bits: int, signed: bool) -> list[int]:
    """Integers of every size, and the ends."""
    generator = np.random.default_rng(bits)
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if signed else (0, 2**bits)
    random = [int(generator.integers(0, 2**63)) % (high - low) + low for _ in range(40)]
    return [0, 1, 2, 5, high - 1, low, low + 1, (high - 1) // 3, *random]


def held(values: list[int], bits: int) -> list[int]:
    """As a value is held: of 64 bits without a sign, the bit pattern."""
    return [value - 2**64 if bits == 64 and value >= 2**63 else value for value in values]


BITWISE: dict[str, Callable[[int, int], int]] = {
    "clz": lambda x, bits: bits - x.bit_length(),
    "popc": lambda x, bits: x.bit_count(),
    "ffs": lambda x, bits: (x & -x).bit_length(),
    "brev": lambda x, bits: int(f"{x:0{bits}b}"[::-1], 2),
}


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", BITWISE)
def test_bits(name: str, bits: int) -> None:
    values = words(bits, signed=True)
    found = listed(run(name, (f"i{bits}",), values))
    expected = [BITWISE[name](value % 2**bits, bits) for value in values]
    assert [value % 2**bits for value in found] == expected


PAIRS: dict[str, Callable[[int, int, int], int]] = {
    "mulhi": lambda x, y, bits: (x * y) >> bits,
    "hadd": lambda x, y, bits: (x + y) >> 1,
    "rhadd": lambda x, y, bits: (x + y + 1) >> 1,
}


@pytest.mark.parametrize(
    ("name", "dtype"),
    [(name, form.operands[0]) for name in PAIRS for form in LIBDEVICE[name].forms],
)
def test_pairs_of_integers(name: str, dtype: str) -> None:
    element = ELEMENTS[dtype]
    values = words(element.bits, element.kind == "int")
    pairs = [(x, y) for x in values[:16] for y in values[:16]]
    sides = [held([pair[side] for pair in pairs], element.bits) for side in (0, 1)]
    found = listed(run(name, (dtype, dtype), *sides))
    expected = [PAIRS[name](x, y, element.bits) % 2**element.bits for x, y in pairs]
    assert [value % 2**element.bits for value in found] == expected


@pytest.mark.parametrize("dtype", ["i32", "u32"])
def test_products_of_24_bits_and_differences(dtype: str) -> None:
    values = words(32, dtype == "i32")
    low = [value & 0xFFFFFF for value in values]
    if dtype == "i32":
        low = [value - (1 << 24) if value >> 23 else value for value in low]
    found = listed(run("mul24", (dtype, dtype), values, values[::-1]))
    expected = [x * y for x, y in zip(low, low[::-1], strict=True)]
    assert [value % 2**32 for value in found] == [value % 2**32 for value in expected]
    plain = words(32, signed=False)
    found = listed(run("sad", (dtype, dtype, "u32"), values, values[::-1], plain))
    expected = [abs(x - y) + z for x, y, z in zip(values, values[::-1], plain, strict=True)]
    assert [value % 2**32 for value in found] == [value % 2**32 for value in expected]


def test_bytes_and_halves() -> None:
    three = ("i32", "i32", "i32")
    found = run("byte_perm", three, [0x33221100], [0x77665544], [0x6420])
    assert found.item() == 0x66442200
    values = torch.tensor([1.5, -0.0, 1e300], dtype=torch.float64)
    high = call("double2hiint", form("double2hiint", "fp64"), values)
    low = call("double2loint", form("double2loint", "fp64"), values)
    assert torch.equal(
        call("hiloint2double", form("hiloint2double", "i32", "i32"), high, low), values
    )
    assert run("float_as_uint", ("fp32",), [-1.0]).item() == 0xBF800000 - 2**32
    assert run("uint_as_float", ("u32",), [0xBF800000]).item() == -1.0
    assert run("double_as_longlong", ("fp64",), [1.0]).item() == 0x3FF0000000000000


# Rounding: every direction against rational numbers.


def floats(dtype: str) -> list[float]:
    """Numbers of every size, among them the ends."""
    limits = torch.finfo(ELEMENTS[dtype].own)
    generator = np.random.default_rng(5)
    random = generator.uniform(-4, 4, 12) * 2.0 ** generator.integers(-30, 30, 12)
    values = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        1 / 3,
        limits.max,
        limits.min,
        limits.tiny,
        limits.tiny / 4,
        3.0,
    ]
    return listed(torch.tensor([*values, *random], dtype=ELEMENTS[dtype].own))


def adjacent(exact: Fraction, dtype: str) -> tuple[float, float]:
    """The greatest float that is no larger, and the smallest that is no smaller."""
    own = ELEMENTS[dtype].own
    try:
        near = torch.tensor(float(exact), dtype=torch.float64).to(own)
    except OverflowError:
        near = torch.tensor(INF if exact > 0 else -INF, dtype=own)
    infinity = torch.tensor(INF, dtype=own)

    def compare(value: torch.Tensor) -> int:
        number = value.item()
        if math.isinf(number):
            return 1 if number > 0 else -1
        return (Fraction(number) > exact) - (Fraction(number) < exact)

    low = high = near
    while compare(low) > 0:
        low = torch.nextafter(low, -infinity)
    while compare(torch.nextafter(low, infinity)) <= 0:
        low = torch.nextafter(low, infinity)
    while compare(high) < 0:
        high = torch.nextafter(high, infinity)
    while compare(torch.nextafter(high, -infinity)) >= 0:
        high = torch.nextafter(high, -infinity)
    return low.item(), high.item()


EXACT = ("add", "sub", "mul", "div", "rcp", "fma")


def exactly(name: str, x: Fraction, *others: Fraction) -> Fraction:
    """The exact functions."""
    match name, others:
        case "add", (y,):
            return x + y
        case "sub", (y,):
            return x - y
        case "mul", (y,):
            return x * y
        case "div", (y,):
            return x / y
        case "fma", (y, z):
            return x * y + z
        case _:
            return 1 / x


def samples(name: str, dtype: str) -> Iterator[tuple[float, ...]]:
    values = floats(dtype)
    arity = len(LIBDEVICE[f"{name}_rn"].forms[0].operands)
    for index, x in enumerate(values):
        if arity == 1:
            yield (x,)
            continue
        for y in values:
            yield (x, y) if arity == 2 else (x, y, values[(3 * index) % len(values)])


@pytest.mark.parametrize("dtype", ["fp32", "fp64"])
@pytest.mark.parametrize("name", EXACT)
def test_rounded_in_each_direction(name: str, dtype: str) -> None:
    cases: list[tuple[tuple[float, ...], Fraction]] = []
    for operands in samples(name, dtype):
        try:
            cases.append((operands, exactly(name, *map(Fraction, operands))))
        except ZeroDivisionError:
            continue
    columns = list(zip(*(operands for operands, _ in cases), strict=True))
    results = {
        mode: listed(run(f"{name}_{mode}", (dtype,) * len(columns), *columns)) for mode in MODES
    }
    largest = torch.finfo(ELEMENTS[dtype].own).max
    for place, (operands, exact) in enumerate(cases):
        low, high = adjacent(exact, dtype)
        found = {mode: results[mode][place] for mode in MODES}
        assert found["rd"] == low, operands
        assert found["ru"] == high, operands
        assert found["rz"] == (min(low, largest) if exact > 0 else max(high, -largest)), operands
        nearest = low
        if low != high:
            below, above = (abs(exact - Fraction(_bounded(x, largest))) for x in (low, high))
            nearest = low if below < above else high
            if below == above or math.isinf(low) or math.isinf(high):
                continue
        assert found["rn"] == nearest, operands


def _bounded(value: float, largest: float) -> float:
    return max(min(value, largest), -largest)


def test_roots_rounded_in_each_direction() -> None:
    values = [abs(value) for value in floats("fp64")]
    low, high = (listed(run(f"sqrt_{mode}", ("fp64",), values)) for mode in ("rd", "ru"))
    for value, below, above in zip(values, low, high, strict=True):
        assert Fraction(below) ** 2 <= Fraction(value) <= Fraction(above) ** 2
        assert above in (below, math.nextafter(below, INF))
    assert math.isnan(run("sqrt_rz", ("fp64",), [-1.0]).item())


def test_sums_that_are_zero() -> None:
    two = ("fp32", "fp32")
    signs = run("add_rd", two, [1.0, 0.0, 0.0, -0.0], [-1.0, 0.0, -0.0, -0.0])
    assert torch.signbit(signs).tolist() == [True, False, True, True]
    assert torch.signbit(run("add_ru", two, [1.0], [-1.0])).tolist() == [False]
    assert torch.signbit(run("sub_rd", two, [0.0, 0.0], [0.0, -0.0])).tolist() == [True, False]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("name", "lowest", "highest"),
    [
        ("float2int", -(2**31), 2**31 - 1),
        ("float2uint", 0, 2**32 - 1),
        ("float2ll", -(2**63), 2**63 - 1),
        ("float2ull", 0, 2**64 - 1),
        ("double2int", -(2**31), 2**31 - 1),
        ("double2uint", 0, 2**32 - 1),
        ("double2ll", -(2**63), 2**63 - 1),
        ("double2ull", 0, 2**64 - 1),
    ],
)
def test_to_integers(name: str, lowest: int, highest: int, mode: str) -> None:
    rounded = {"rn": round, "rz": math.trunc, "rd": math.floor, "ru": math.ceil}[mode]
    values = [0.0, -0.5, 0.5, 1.5, 2.5, -2.5, 3e9, -3e9, 1e19, -1e19, 2.0**63, 1e30, INF, -INF]
    dtype = "fp32" if name.startswith("float") else "fp64"
    found = listed(run(f"{name}_{mode}", (dtype,), values))
    bits = (highest - lowest).bit_length()
    for value, number in zip(values, found, strict=True):
        exact = (
            value
            if math.isinf(value)
            else rounded(torch.tensor(value, dtype=ELEMENTS[dtype].own).item())
        )
        assert number % 2**bits == int(min(max(exact, lowest), highest)) % 2**bits, value


@pytest.mark.parametrize("mode", MODES)
def test_to_narrower_floats(mode: str) -> None:
    values = [0.1, -0.1, 1e300, -1e300, 1 + 2**-30, 5e-324, INF, -INF, 1.0]
    found = listed(run(f"double2float_{mode}", ("fp64",), values))
    for value, number in zip(values, found, strict=True):
        if math.isinf(value):
            assert number == value
            continue
        _check_side(Fraction(value), number, mode)
    for name, dtype, bits, signed in (
        ("int2float", "i32", 32, True),
        ("uint2float", "u32", 32, False),
        ("ll2float", "i64", 64, True),
        ("ull2float", "u64", 64, False),
    ):
        numbers = words(bits, signed)
        found = listed(run(f"{name}_{mode}", (dtype,), held(numbers, bits)))
        for value, number in zip(numbers, found, strict=True):
            _check_side(Fraction(value), number, mode)


def _check_side(exact: Fraction, found: float, mode: str) -> None:
    low, high = adjacent(exact, "fp32")
    if mode != "rn":
        assert found == {"rd": low, "ru": high, "rz": low if exact > 0 else high}[mode], exact
    elif math.isfinite(low) and math.isfinite(high):
        assert found in (low, high)
        assert abs(exact - Fraction(found)) == min(abs(exact - Fraction(x)) for x in (low, high))
