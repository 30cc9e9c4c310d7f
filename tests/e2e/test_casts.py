"""Conversions between all element types: interpreted at `nt` and at `tt`, and on a GPU, against
rational arithmetic.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.dtype import DTYPES
from tests.support import exact
from tests.support.everywhere import everywhere

COUNT = 512
FLOATS = tuple(exact.FLOATS)
WIDE = tuple(name for name, row in DTYPES.items() if row.kind != "float" or row.bits > 8)
INTEGERS = tuple(name for name, row in DTYPES.items() if row.kind in ("int", "uint"))
FNUZ = ("fp8e4b8", "fp8e5b16")


def blocks(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((COUNT,)) for tensor in tensors)


def to_wide(x, i1, i8, i16, i32, i64, u8, u16, u32, u64, fp16, bf16, fp32, fp64):
    i1 = x
    i8 = x
    i16 = x
    i32 = x
    i64 = x
    u8 = ntl.cast(x, ntl.uint8)
    u16 = x.to(ntl.uint16)
    u32 = x.to("u32")
    u64 = x.to(torch.uint64)
    fp16 = x
    bf16 = x
    fp32 = x
    fp64 = x


def to_floats(x, fp16, bf16, fp32, fp64, fp8e4nv, fp8e5):
    fp16 = x
    bf16 = x
    fp32 = x
    fp64 = x
    fp8e4nv = x
    fp8e5 = x


def to_fnuz(x, fp8e4b8, fp8e5b16):
    fp8e4b8 = x
    fp8e5b16 = x


def from_eight(x, fp16, bf16, fp32, fp64):
    fp16 = x
    bf16 = x
    fp32 = x
    fp64 = x


def truncated(x, fp16, bf16, fp8e5):
    fp16 = x.to(ntl.float16, fp_downcast_rounding="rtz")
    bf16 = x.to(ntl.bfloat16, "rtz")
    fp8e5 = ntl.cast(x, ntl.float8e5, fp_downcast_rounding="rtz")


def truncated_half(x, fp8e5):
    fp8e5 = x.to(ntl.float8e5, fp_downcast_rounding="rtz")


def floats(dtype: str) -> list[float]:
    """Numbers of a type: the extremes, floats adjacent to halfway points of narrower types,
    random ones of all sizes.
    """
    own = exact.FLOATS[dtype]
    draw = random.Random(dtype)
    found: list[float] = [0.0, -0.0, math.nan, own.largest, -own.largest]
    if own.infinite or dtype == "fp8e5":
        found += [math.inf, -math.inf]
    for other in exact.FLOATS.values():
        tiny = 2.0 ** (other.least - other.digits + 1)
        found += [other.largest, tiny, tiny / 2, 2.0**other.least, other.largest * (1 + 2**-9)]
        half = 2.0**-other.digits
        for count in (1, 2, 3, -1):
            found += [1 + half * count, 1 + half * count + 2.0**-40, 1 + half * count - 2.0**-40]
            found += [1 + half * count + 2.0**-22, 1 + half * count - 2.0**-22]
    for row in DTYPES.values():
        if row.kind in ("int", "uint"):
            found += [2.0**row.bits, 2.0 ** (row.bits - 1) - 0.5, -(2.0 ** (row.bits - 1)) - 0.5]
    while len(found) < COUNT:
        found.append(draw.uniform(-2, 2) * 2.0 ** draw.randint(-30, 40))
    return [exact.rounded(value, dtype) for value in found[:COUNT]]


def integers(dtype: str) -> list[int]:
    """Numbers of a type: the extremes, halfway points of bf16 and fp32, random ones."""
    row = DTYPES[dtype]
    draw = random.Random(dtype)
    low = -(1 << (row.bits - 1)) if row.kind == "int" else 0
    high = low + (1 << row.bits) - 1
    found = [low, high, 0, 1, -1, high - 1, low + 1, 127, 128, 255, 256]
    for shift, step in itertools.product((24, 25, 40, 53, 60), range(4)):
        for digits in (8, 11, 24, 53):
            half = 1 << max(shift - digits, 0)
            found += [(1 << shift) + half * step + bit for bit in (-1, 0, 1)]
    while len(found) < COUNT:
        found.append(draw.randint(low, high) >> draw.randrange(row.bits))
    return [exact.wrapped(value, dtype) for value in found[:COUNT]]


def numbers(dtype: str) -> list[Any]:
    kind = DTYPES[dtype].kind
    if kind == "bool":
        return [index % 2 for index in range(COUNT)]
    return floats(dtype) if kind == "float" else integers(dtype)


def torch_type(dtype: str) -> torch.dtype:
    found: torch.dtype = getattr(torch, DTYPES[dtype].torch)
    return found


def tensor(values: list[Any], dtype: str) -> torch.Tensor:
    """The values, which are numbers of the type, as they are."""
    row = DTYPES[dtype]
    if row.kind == "float":
        return torch.tensor(values, dtype=torch.float64).to(torch_type(dtype))
    if row.kind == "bool":
        return torch.tensor(values, dtype=torch.bool)
    signed = [exact.wrapped(value, f"i{row.bits}") for value in values]
    return torch.tensor(signed, dtype=torch_type(f"i{row.bits}")).view(torch_type(dtype))


def listed(found: torch.Tensor, dtype: str) -> list[Any]:
    """The numbers of a tensor."""
    row = DTYPES[dtype]
    if row.kind == "uint":
        found = found.cpu().view(torch_type(f"i{row.bits}"))
        return [exact.wrapped(value, dtype) for value in found.tolist()]
    return found.cpu().to(torch.float64 if row.kind == "float" else found.dtype).tolist()


def same(one: Any, two: Any) -> bool:
    if isinstance(one, float) and math.isnan(one):
        return math.isnan(two)
    return one == two and math.copysign(1, one) == math.copysign(1, two)


Convert = Callable[[Any, str, str], Any]


def check(
    device: str,
    application: Callable[..., Any],
    source: str,
    targets: Sequence[str],
    convert: Convert = exact.converted,
) -> None:
    values = listed(tensor(numbers(source), source), source)

    def compare(x: torch.Tensor, *outputs: torch.Tensor) -> None:
        for target, output in zip(targets, outputs, strict=True):
            for value, found in zip(values, listed(output, target), strict=True):
                expected = convert(value, source, target)
                if expected is not None:
                    assert same(found, expected), (source, target, value, found, expected)

    outputs = [torch.zeros(COUNT, dtype=torch_type(target)) for target in targets]
    everywhere(device, blocks, application, [tensor(numbers(source), source), *outputs], compare)


def test_casts(source: str, device: str) -> None:
    if device != "cpu" and source in FNUZ:
        pytest.skip("NVIDIA's devices have no such type")
    if DTYPES[source].bits == 8 and DTYPES[source].kind == "float":
        check(device, from_eight, source, ("fp16", "bf16", "fp32", "fp64"))
    else:
        check(device, to_wide, source, WIDE)
    if DTYPES[source].kind == "float":
        check(device, to_floats, source, FLOATS[:6])
        if device == "cpu":
            check(device, to_fnuz, source, FNUZ)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "source" in metafunc.fixturenames:
        metafunc.parametrize("source", list(DTYPES))


def test_towards_zero(device: str) -> None:
    def convert(value: float, source: str, target: str) -> float:
        return exact.rounded(value, target, towards_zero=True)

    check(device, truncated, "fp32", ("fp16", "bf16", "fp8e5"), convert)
    check(device, truncated_half, "fp16", ("fp8e5",), convert)
    check(device, truncated_half, "bf16", ("fp8e5",), convert)


def numbered(x, total, output):
    output = ntl.where(x > 3, x + 7, 2**31 + 5)
    total = ntl.min(x, keep_dims=True) + ntl.cast(-1, ntl.uint32)


def test_numbers_of_unsigned_types(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are in the IR, which is verified behind every pass."""
    monkeypatch.setenv("NINETOOTHED_VERIFY_IR", "1")
    x = torch.arange(1, 6, dtype=torch.int32).view(torch.uint32)
    total, output = torch.zeros(1, dtype=torch.uint32), torch.zeros(5, dtype=torch.uint32)

    def arrangement(x: Tensor, total: Tensor, output: Tensor) -> tuple[Tensor, ...]:
        return x.tile((5,)), total.tile((1,)), output.tile((5,))

    def check(x: torch.Tensor, total: torch.Tensor, output: torch.Tensor) -> None:
        assert listed(total, "u32") == [0]
        assert listed(output, "u32") == [2**31 + 5] * 3 + [11, 12]

    everywhere(device, arrangement, numbered, (x, total, output), check)


def bits(x, wide, signed, back):
    wide = x.to(ntl.uint16, bitcast=True)
    signed = ntl.cast(x, "i16", bitcast=True)
    back = ntl.cast(wide, x.dtype, bitcast=True)


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
def test_bits(dtype: str, device: str) -> None:
    x = tensor(floats(dtype), dtype)
    pattern = x.view(torch.int16)
    outputs = [torch.zeros(COUNT, dtype=torch_type(name)) for name in ("u16", "i16", dtype)]

    def check(x: torch.Tensor, *found: torch.Tensor) -> None:
        for output in found:
            assert output.cpu().view(torch.int16).equal(pattern)

    everywhere(device, blocks, bits, [x, *outputs], check)


def shifted(x, y, both, left, right):
    both = x >> y
    left = x >> 1
    right = -200 >> (x & 3)


def test_the_sign_that_moves_in(device: str) -> None:
    """The left operand's sign matters, though the result has none."""
    x = torch.tensor([-8, 8, -1, 2**31 - 1, -(2**31)], dtype=torch.int32)
    y = torch.tensor([1, 2, 31, 4, 5], dtype=torch.uint32)
    outputs = [
        torch.zeros(5, dtype=torch.uint32),
        *(torch.zeros(5, dtype=torch.int32) for _ in range(2)),
    ]
    values, counts = x.tolist(), y.to(torch.int64).tolist()

    def arrangement(*tensors: Tensor) -> tuple[Tensor, ...]:
        return tuple(tensor.tile((8,)) for tensor in tensors)

    def check(*found: torch.Tensor) -> None:
        both = [(value >> count) % 2**32 for value, count in zip(values, counts, strict=True)]
        assert listed(found[2], "u32") == both
        assert found[3].tolist() == [value >> 1 for value in values]
        assert found[4].tolist() == [-200 >> (value & 3) for value in values]

    everywhere(device, arrangement, shifted, [x, y, *outputs], check)


def eight(x, y, total, product, quotient, negative, less, least, chosen):
    total = x + y
    product = x * y
    quotient = (x / y).to(x.dtype)
    negative = -x
    less = x < y
    least = ntl.minimum(x, y)
    chosen = ntl.where(x == y, x, 1.5)


@pytest.mark.parametrize("dtype", ["fp8e4nv", "fp8e5"])
def test_arithmetic_of_eight_bits(dtype: str, device: str) -> None:
    """Rounded once, from fp32."""
    draw = random.Random(dtype)
    x, y = (
        tensor([draw.choice([-1, 1]) * draw.uniform(0.1, 8) for _ in range(COUNT)], dtype)
        for _ in range(2)
    )
    y[::7] = x[::7]
    one, two = x.to(torch.float32), y.to(torch.float32)
    own = torch_type(dtype)
    expected = [
        *((one + two).to(own), (one * two).to(own), (one / two).to(own), (-one).to(own)),
        *(one < two, torch.minimum(one, two).to(own), torch.where(one == two, one, 1.5).to(own)),
    ]

    def check(x: torch.Tensor, y: torch.Tensor, *found: torch.Tensor) -> None:
        for output, wanted in zip(found, expected, strict=True):
            assert output.cpu().to(torch.float32).equal(wanted.to(torch.float32))

    outputs = [torch.zeros_like(wanted) for wanted in expected]
    everywhere(device, blocks, eight, [x, y, *outputs], check)


def small(x, scaled, smallest, largest, selected):
    scaled = x * 1e-8
    smallest = x + 1e-40
    largest = ntl.minimum(x, 3.3e38)
    selected = ntl.where(x > 2, x, -0.1234567)


def test_numbers_of_bf16(device: str) -> None:
    """Triton itself knows six places of them behind the point."""
    x = torch.arange(COUNT).to(torch.bfloat16)
    one = x.to(torch.float32)
    expected = [
        (one * torch.tensor(1e-8, dtype=torch.bfloat16).float()).bfloat16(),
        (one + 1e-40).bfloat16(),
        one.bfloat16(),
        torch.where(one > 2, one, -0.1234567).bfloat16(),
    ]

    def check(x: torch.Tensor, *found: torch.Tensor) -> None:
        for output, wanted in zip(found, expected, strict=True):
            assert output.cpu().equal(wanted)

    outputs = [torch.zeros_like(x) for _ in expected]
    everywhere(device, blocks, small, [x, *outputs], check)


@pytest.mark.parametrize("other", [torch.int8, torch.int32, torch.int64, torch.bool])
def test_half_floats_beside_integer_blocks(other: torch.dtype, device: str) -> None:
    """bf16 is computed in fp32, fp16 in fp16; beside a number both stay as they are."""

    def application(x, y, i, wide, narrow):
        ntl.static_assert((x + i).dtype == "float32" and (i * x).dtype == "float32")
        ntl.static_assert((x + 1).dtype == "bfloat16" and (True * x).dtype == "bfloat16")
        ntl.static_assert((y + i).dtype == "float16" and (y + 1).dtype == "float16")
        wide = x + i
        narrow = y + i

    def arrangement(*tensors: Tensor) -> tuple[Tensor, ...]:
        return tuple(tensor.tile((16,)) for tensor in tensors)

    def right(*values: torch.Tensor) -> None:
        *_, wide, narrow = values
        assert wide.tolist() == [257.0] * 16
        assert narrow.tolist() == [2048.0] * 16

    values = [
        *(torch.full((16,), 256.0, dtype=torch.bfloat16), torch.full((16,), 2048.0).half()),
        *(torch.ones(16, dtype=other), torch.zeros(16), torch.zeros(16)),
    ]
    tensors = [Tensor(1, dtype=str(value.dtype).partition(".")[2]) for value in values]
    everywhere(device, arrangement, application, values, right, tensors)
