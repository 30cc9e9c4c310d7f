"""Functions of the device libraries: NVIDIA's libdevice and AMD's ocml and ockl, under the names of
``triton.language.extra.libdevice``.

They are elementwise functions whose operands are not converted: one of a row's forms must have
their element types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ninetoothed.language.table.kinds import LANES, NO_BROADCAST, NO_TYPES, Kind
from ninetoothed.language.table.primitive import Primitive

EXTERN = Kind("extern", LANES, (NO_TYPES, NO_BROADCAST))


@dataclass(frozen=True)
class Form:
    """An overload: element types, and its symbol in each library.

    ``amd`` is None where AMD's libraries have no such function; ``amd_result`` is the result type
    of that one, where it is not ``result``.
    """

    operands: tuple[str, ...]
    result: str
    nvidia: str
    amd: str | None = None
    amd_result: str | None = None

    def symbol(self, vendor: str) -> str | None:
        """The symbol in a vendor's library; None: it has no such function."""
        return {"NVIDIA": self.nvidia, "AMD": self.amd}.get(vendor)

    def native_result(self, vendor: str) -> str:
        """The result type of the function in a vendor's library."""
        return {"AMD": self.amd_result}.get(vendor) or self.result


@dataclass(frozen=True, repr=False)
class Extern(Primitive):
    # A function of the device libraries. `portable`: Triton has it by this name for AMD, too.
    __doc__ = Primitive.__dict__["__doc__"]  # pyright: ignore[reportIncompatibleMethodOverride]

    forms: tuple[Form, ...] = ()
    portable: bool = False

    def form(self, operands: Sequence[str]) -> Form | None:
        """The form of these element types."""
        for form in self.forms:
            if form.operands == tuple(operands):
                return form
        return None


def _row(name: str, doc: str, *forms: Form, portable: bool = False) -> Extern:
    parameters = ("x", "y", "z", "w")[: len(forms[0].operands)]
    types = [f"{', '.join(form.operands)} give {form.result}" for form in forms]
    text = f"{doc}\n\nElement types: {'; '.join(types)}."
    spelling = f"libdevice.{name}({', '.join(f'{{{i}}}' for i in range(len(parameters)))})"
    return Extern(
        f"libdevice.{name}",
        EXTERN,
        parameters,
        text,
        triton=spelling,
        forms=forms,
        portable=portable,
    )


def _floats(
    name: str, doc: str, arity: int = 1, amd: str | None = None, portable: bool = True
) -> Extern:
    """A function of fp32 and of fp64; ``amd`` is its name in AMD's library."""
    return _row(
        name,
        doc,
        *(
            Form(
                (dtype,) * arity,
                dtype,
                f"__nv_{name}{suffix}",
                None if amd is None else f"__ocml_{amd}_f{bits}",
            )
            for dtype, suffix, bits in (("fp32", "f", 32), ("fp64", "", 64))
        ),
        portable=portable and amd is not None,
    )


# Functions of one number that AMD's library has under the same name, and Triton for AMD, too.
_COMMON = {
    "acos": "Arc cosine.",
    "acosh": "Inverse hyperbolic cosine.",
    "asin": "Arc sine.",
    "asinh": "Inverse hyperbolic sine.",
    "atan": "Arc tangent.",
    "atanh": "Inverse hyperbolic tangent.",
    "ceil": "Ceiling: the smallest integer that is not smaller, as a float.",
    "cos": "Cosine of radians.",
    "cosh": "Hyperbolic cosine.",
    "erf": "Error function.",
    "erfc": "Complementary error function, ``1 - erf(x)``.",
    "erfcx": "Scaled complementary error function, ``exp(x * x) * erfc(x)``.",
    "erfinv": "Inverse error function.",
    "exp": "Natural exponential, e to the power of ``x``.",
    "exp2": "Base-2 exponential, 2 to the power of ``x``.",
    "expm1": "``exp(x) - 1``, precise near 0.",
    "floor": "Floor: the largest integer that is not larger, as a float.",
    "j0": "Bessel function of the first kind of order 0.",
    "j1": "Bessel function of the first kind of order 1.",
    "lgamma": "Natural logarithm of the absolute value of the gamma function.",
    "log": "Natural logarithm.",
    "log10": "Base-10 logarithm.",
    "log1p": "``log(1 + x)``, precise near 0.",
    "log2": "Base-2 logarithm.",
    "nearbyint": "Round to the nearest integer, halves to even, as a float.",
    "round": "Round to the nearest integer, halves away from 0, as a float.",
    "rsqrt": "Reciprocal square root.",
    "sin": "Sine of radians.",
    "sinh": "Hyperbolic sine.",
    "sqrt": "Square root.",
    "tan": "Tangent of radians.",
    "tanh": "Hyperbolic tangent.",
    "trunc": "Truncate toward 0 to an integer, as a float.",
    "y0": "Bessel function of the second kind of order 0.",
    "y1": "Bessel function of the second kind of order 1.",
}

# Functions that Triton has for NVIDIA only, with their names in AMD's library.
_OTHERS: dict[str, tuple[int, str, str]] = {
    "cbrt": (1, "cbrt", "Cube root."),
    "cospi": (1, "cospi", "``cos(pi * x)``."),
    "erfcinv": (1, "erfcinv", "Inverse complementary error function."),
    "exp10": (1, "exp10", "Base-10 exponential, 10 to the power of ``x``."),
    "fdim": (2, "fdim", "Positive difference: ``x - y`` where that is above 0, else 0."),
    "logb": (1, "logb", "Base-2 exponent of ``x``, as a float."),
    "norm3d": (3, "len3", "Euclidean norm, ``sqrt(x * x + y * y + z * z)``."),
    "norm4d": (4, "len4", "Euclidean norm, ``sqrt(x * x + y * y + z * z + w * w)``."),
    "normcdf": (1, "ncdf", "Cumulative distribution function of the standard normal distribution."),
    "normcdfinv": (1, "ncdfinv", "The inverse of ``normcdf``."),
    "rcbrt": (1, "rcbrt", "Reciprocal cube root."),
    "remainder": (
        2,
        "remainder",
        "IEEE remainder: ``x - n * y``, ``n`` the integer nearest to ``x / y``.",
    ),
    "rhypot": (2, "rhypot", "Reciprocal of ``hypot(x, y)``."),
    "rint": (1, "rint", "Round to the nearest integer, halves to even, as a float."),
    "rnorm3d": (3, "rlen3", "Reciprocal of ``norm3d(x, y, z)``."),
    "rnorm4d": (4, "rlen4", "Reciprocal of ``norm4d(x, y, z, w)``."),
    "sinpi": (1, "sinpi", "``sin(pi * x)``."),
    "tgamma": (1, "tgamma", "Gamma function."),
}

_FAST = {
    "fast_cosf": (1, "Cosine, fast and less precise."),
    "fast_dividef": (2, "Division, ``x / y``, fast and less precise."),
    "fast_exp10f": (1, "Base-10 exponential, fast and less precise."),
    "fast_expf": (1, "Natural exponential, fast and less precise."),
    "fast_log10f": (1, "Base-10 logarithm, fast and less precise."),
    "fast_log2f": (1, "Base-2 logarithm, fast and less precise."),
    "fast_logf": (1, "Natural logarithm, fast and less precise."),
    "fast_powf": (2, "Power, ``x ** y``, fast and less precise."),
    "fast_sinf": (1, "Sine, fast and less precise."),
    "fast_tanf": (1, "Tangent, fast and less precise."),
}
_FAST_ON_NVIDIA = {"fast_dividef": "__nv_fast_fdividef"}
_FAST_ON_AMD = {
    "fast_expf": "__triton_hip_fast_expf",
    "fast_dividef": "__triton_hip_fast_fdividef",
    "fast_cosf": "__ocml_native_cos_f32",
    "fast_exp10f": "__ocml_native_exp10_f32",
    "fast_log10f": "__ocml_native_log10_f32",
    "fast_log2f": "__ocml_native_log2_f32",
    "fast_logf": "__ocml_native_log_f32",
    "fast_sinf": "__ocml_native_sin_f32",
}

MODES: dict[str, tuple[str, str]] = {
    "rn": ("to nearest even", "rte"),
    "rz": ("toward 0", "rtz"),
    "rd": ("down", "rtn"),
    "ru": ("up", "rtp"),
}
"""Rounding modes, by the last letters of a function's name: in words, and in AMD's names."""

# Rounded functions: number of operands, NVIDIA's stem for fp32 and for fp64, AMD's, description.
_ROUNDED: dict[str, tuple[int, str, str, str | None, str]] = {
    "add": (2, "fadd", "dadd", "add", "``x + y``"),
    "sub": (2, "fsub", "dsub", "sub", "``x - y``"),
    "mul": (2, "fmul", "dmul", "mul", "``x * y``"),
    "div": (2, "fdiv", "ddiv", None, "``x / y``"),
    "fma": (3, "fmaf", "fma", "fma", "``x * y + z``"),
    "rcp": (1, "frcp", "drcp", None, "``1 / x``"),
    "sqrt": (1, "fsqrt", "dsqrt", None, "Square root"),
}


def _rounded() -> Iterator[Extern]:
    for name, (arity, single, double, amd, doc) in _ROUNDED.items():
        for mode, (words, rounding) in MODES.items():
            forms = [
                Form(
                    (dtype,) * arity,
                    dtype,
                    f"__nv_{stem}_{mode}",
                    None if amd is None else f"__ocml_{amd}_{rounding}_f{bits}",
                )
                for dtype, stem, bits in (("fp32", single, 32), ("fp64", double, 64))
            ]
            yield _row(f"{name}_{mode}", f"{doc}, rounded {words}.", *forms)
    form = Form(("fp32",), "fp32", "__nv_frsqrt_rn")
    yield _row("rsqrt_rn", "Reciprocal square root, rounded to nearest.", form)


# Conversions in every rounding: from, to, NVIDIA's words for both, AMD's suffix where it has one.
_TO_INTEGERS = (
    *(("fp32", "float", "i32", "int"), ("fp32", "float", "i32", "uint")),
    *(("fp32", "float", "i64", "ll"), ("fp32", "float", "i64", "ull")),
    *(("fp64", "double", "i32", "int"), ("fp64", "double", "i32", "uint")),
    *(("fp64", "double", "i64", "ll"), ("fp64", "double", "i64", "ull")),
)
_TO_FLOATS = (
    ("fp64", "double", "fp32", "float", "f32_f64"),
    ("i32", "int", "fp32", "float", "f32_s32"),
    ("u32", "uint", "fp32", "float", "f32_u32"),
    ("i64", "ll", "fp32", "float", "f32_s64"),
    ("u64", "ull", "fp32", "float", "f32_u64"),
    ("i64", "ll", "fp64", "double", "f64_s64"),
    ("u64", "ull", "fp64", "double", "f64_u64"),
)


def _conversions() -> Iterator[Extern]:
    for source, word, target, name in _TO_INTEGERS:
        for mode, (words, _) in MODES.items():
            form = Form((source,), target, f"__nv_{word}2{name}_{mode}")
            sign = "unsigned" if name.startswith("u") else "signed"
            doc = f"Conversion to {sign} integers of {target[1:]} bits, rounded {words}; saturates."
            yield _row(f"{word}2{name}_{mode}", doc, form)
    for source, word, target, name, suffix in _TO_FLOATS:
        for mode, (words, rounding) in MODES.items():
            # Rounding to nearest is no function of AMD's library but plain conversion.
            amd = None if mode == "rn" else f"__ocml_cvt{rounding}_{suffix}"
            form = Form((source,), target, f"__nv_{word}2{name}_{mode}", amd)
            yield _row(f"{word}2{name}_{mode}", f"Conversion to {target}, rounded {words}.", form)
    for source, word in (("i32", "int"), ("u32", "uint")):
        form = Form((source,), "fp64", f"__nv_{word}2double_rn")
        yield _row(f"{word}2double_rn", "Conversion to fp64, which is exact.", form)


def _bits() -> Iterator[Extern]:
    for name, operands, result in (
        ("int_as_float", ("i32",), "fp32"),
        ("uint_as_float", ("u32",), "fp32"),
        ("float_as_int", ("fp32",), "i32"),
        ("float_as_uint", ("fp32",), "i32"),
        ("longlong_as_double", ("i64",), "fp64"),
        ("double_as_longlong", ("fp64",), "i64"),
    ):
        yield _row(name, f"Bitcast to {result}.", Form(operands, result, f"__nv_{name}"))
    form = Form(("i32", "i32"), "fp64", "__nv_hiloint2double")
    yield _row("hiloint2double", "The fp64 of the upper bits ``x`` and the lower bits ``y``.", form)
    for name, half in (("double2hiint", "upper"), ("double2loint", "lower")):
        yield _row(name, f"The {half} 32 bits.", Form(("fp64",), "i32", f"__nv_{name}"))


def _integers() -> Iterator[Extern]:
    yield _row(
        "clz",
        "Count leading zeros.",
        Form(("i32",), "i32", "__nv_clz", "__ockl_clz_u32"),
        Form(("i64",), "i32", "__nv_clzll", "__ockl_clz_u64", "i64"),
    )
    yield _row(
        "popc",
        "Population count: the number of bits that are set.",
        Form(("i32",), "i32", "__nv_popc", "__ockl_popcount_u32"),
        Form(("i64",), "i32", "__nv_popcll", "__ockl_popcount_u64", "i64"),
    )
    yield _row(
        "ffs",
        "Find first set: the position of the lowest set bit, from 1; 0 where there is none.",
        Form(("i32",), "i32", "__nv_ffs"),
        Form(("i64",), "i32", "__nv_ffsll"),
    )
    yield _row(
        "brev",
        "Bit reversal.",
        Form(("i32",), "i32", "__nv_brev"),
        Form(("i64",), "i64", "__nv_brevll"),
    )
    yield _row(
        "byte_perm",
        "Byte permutation: four bits of ``z`` each select one of the eight bytes of ``x``, ``y``.",
        Form(("i32", "i32", "i32"), "i32", "__nv_byte_perm"),
    )
    yield _row(
        "mulhi",
        "Multiply-high: the upper half of the product.",
        Form(("i32", "i32"), "i32", "__nv_mulhi", "__ockl_mul_hi_i32"),
        Form(("u32", "u32"), "u32", "__nv_umulhi", "__ockl_mul_hi_u32"),
        Form(("i64", "i64"), "i64", "__nv_mul64hi", "__ockl_mul_hi_i64"),
        Form(("u64", "u64"), "u64", "__nv_umul64hi", "__ockl_mul_hi_u64"),
    )
    yield _row(
        "mul24",
        "The lower 32 bits of the product of the lower 24 bits.",
        Form(("i32", "i32"), "i32", "__nv_mul24", "__ockl_mul24_i32"),
        Form(("u32", "u32"), "u32", "__nv_umul24", "__ockl_mul24_u32"),
    )
    yield _row(
        "sad",
        "Sum of absolute difference: ``abs(x - y) + z``.",
        Form(("i32", "i32", "u32"), "i32", "__nv_sad"),
        Form(("u32", "u32", "u32"), "u32", "__nv_usad"),
    )
    for name, doc in (("hadd", "rounded down"), ("rhadd", "rounded up")):
        unsigned = name.replace("hadd", "").join(("__nv_u", "hadd"))
        yield _row(
            name,
            f"Average, ``(x + y) / 2``, without overflow, {doc}.",
            Form(("i32", "i32"), "i32", f"__nv_{name}"),
            Form(("u32", "u32"), "u32", unsigned),
        )
    yield _row(
        "abs",
        "Absolute value.",
        Form(("i32",), "i32", "__nv_abs", "__triton_hip_iabs"),
        Form(("i64",), "i64", "__nv_llabs", "__triton_hip_iabs"),
        Form(("fp32",), "fp32", "__nv_fabsf", "__ocml_fabs_f32"),
        Form(("fp64",), "fp64", "__nv_fabs", "__ocml_fabs_f64"),
        portable=True,
    )


def _questions() -> Iterator[Extern]:
    for name, doc in (
        ("isnan", "1 where it is NaN, else 0."),
        ("isinf", "1 where it is infinite, else 0."),
        ("signbit", "Not 0 where the sign bit is set, else 0."),
    ):
        yield _row(
            name,
            doc,
            Form(("fp32",), "i32", f"__nv_{name}f", f"__ocml_{name}_f32"),
            Form(("fp64",), "i32", f"__nv_{name}d", f"__ocml_{name}_f64"),
            portable=True,
        )
    doc = "1 where it is finite, else 0."
    form = Form(("fp32",), "i32", "__nv_finitef", "__ocml_isfinite_f32")
    yield _row("finitef", doc, form)
    form = Form(("fp64",), "i32", "__nv_isfinited", "__ocml_isfinite_f64")
    yield _row("isfinited", doc, form)
    for name, result, amd, doc in (
        ("ilogb", "i32", "__ocml_ilogb_f", "Base-2 exponent of ``x``, as an integer."),
        ("llrint", "i64", None, "Round to the nearest integer, halves to even."),
        ("llround", "i64", None, "Round to the nearest integer, halves away from 0."),
    ):
        hip = "__triton_hip_llrint" if name == "llrint" else None
        yield _row(
            name,
            doc,
            Form(("fp32",), result, f"__nv_{name}f", hip if amd is None else f"{amd}32"),
            Form(("fp64",), result, f"__nv_{name}", hip if amd is None else f"{amd}64"),
            portable=name != "llround",
        )


def _mixed() -> Iterator[Extern]:
    """Functions of several floats, or of floats and integers."""
    yield _floats(
        "atan2",
        "Arc tangent of ``x / y`` in radians, in the quadrant of the point (``y``, ``x``).",
        2,
        "atan2",
    )
    yield _floats(
        "copysign", "Copy sign: the magnitude of ``x`` with the sign of ``y``.", 2, "copysign"
    )
    yield _floats("fmod", "Remainder of ``x / y``, with the sign of ``x``.", 2, "fmod")
    yield _floats("hypot", "Hypotenuse, ``sqrt(x * x + y * y)``, without overflow.", 2, "hypot")
    yield _floats("nextafter", "Next float from ``x`` toward ``y``.", 2, "nextafter")
    yield _floats("fma", "Fused multiply-add: ``x * y + z``, rounded once.", 3, "fma")
    for order in "01":
        yield _floats(
            f"cyl_bessel_i{order}",
            f"Modified Bessel function of the first kind of order {order}.",
            amd=f"i{order}",
        )
    for name in ("ldexp", "scalbn"):
        yield _row(
            name,
            "Scale by a power of two: ``x * 2 ** y``.",
            Form(("fp32", "i32"), "fp32", f"__nv_{name}f", f"__ocml_{name}_f32"),
            Form(("fp64", "i32"), "fp64", f"__nv_{name}", f"__ocml_{name}_f64"),
            portable=name == "ldexp",
        )
    yield _row(
        "pow",
        "Power, ``x ** y``.",
        Form(("fp32", "i32"), "fp32", "__nv_powif", "__ocml_pown_f32"),
        Form(("fp64", "i32"), "fp64", "__nv_powi", "__ocml_pown_f64"),
        Form(("fp32", "fp32"), "fp32", "__nv_powf", "__ocml_pow_f32"),
        Form(("fp64", "fp64"), "fp64", "__nv_pow", "__ocml_pow_f64"),
        portable=True,
    )
    form = Form(("fp32",), "fp32", "__nv_saturatef")
    yield _row("saturatef", "Clamp ``x`` to the range from 0 to 1; NaNs give 0.", form)


def _fast() -> Iterator[Extern]:
    for name, (arity, doc) in _FAST.items():
        nvidia = _FAST_ON_NVIDIA.get(name, f"__nv_{name}")
        form = Form(("fp32",) * arity, "fp32", nvidia, _FAST_ON_AMD.get(name))
        yield _row(name, doc, form, portable=name in ("fast_expf", "fast_dividef"))


ROWS: tuple[Extern, ...] = (
    *(_floats(name, doc, amd=name) for name, doc in _COMMON.items()),
    *(_floats(name, doc, arity, amd, False) for name, (arity, amd, doc) in _OTHERS.items()),
    *_mixed(),
    *_questions(),
    *_integers(),
    *_bits(),
    *_fast(),
    *_rounded(),
    *_conversions(),
)

LIBDEVICE: dict[str, Extern] = {
    row.name.removeprefix("libdevice."): row for row in sorted(ROWS, key=lambda extern: extern.name)
}
"""The functions by their names."""


def _symbols() -> dict[str, tuple[tuple[Extern, Form], ...]]:
    found: dict[str, tuple[tuple[Extern, Form], ...]] = {}
    for row in ROWS:
        for form in row.forms:
            for symbol in (form.nvidia, form.amd):
                if symbol is not None:
                    found[symbol] = (*found.get(symbol, ()), (row, form))
    return found


SYMBOLS = _symbols()
"""The functions of each symbol; where there are several, their operands' widths differ."""
