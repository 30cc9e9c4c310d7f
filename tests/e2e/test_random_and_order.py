"""Random streams, lanes in reverse, and loops that count down or are unrolled."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor
from ninetoothed.runtime.toolchain.triton import compat
from tests.support import offline
from tests.support.everywhere import everywhere
from tests.support.interpreted import Case, run
from tests.support.philox import normal, philox, stream, uniform

BLOCK = Symbol("BLOCK", constexpr=True)


def elementwise(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(t.tile((BLOCK,)) if t.ndim else t for t in tensors)


def rows(*tensors: Tensor) -> tuple[Tensor, ...]:
    """A row a program, as a level of blocks."""
    arranged: list[Tensor] = []
    for tensor in tensors:
        tiled = tensor.tile((1, BLOCK)).tile((1, -1)).squeeze(1)
        tiled.dtype = tiled.dtype.squeeze(0)
        tiled.dtype.dtype = tiled.dtype.dtype.squeeze(0)
        arranged.append(tiled)
    return tuple(arranged)


def blank(count: int, *shape: int, dtype: torch.dtype = torch.float32) -> list[torch.Tensor]:
    return [torch.zeros(shape, dtype=dtype) for _ in range(count)]


def words(values: np.ndarray[Any, Any]) -> torch.Tensor:
    """Unsigned integers as torch's signed ones of the same bits."""
    return torch.from_numpy(values.view(f"int{8 * values.dtype.itemsize}"))


SEEDS = (0, 42, -1, 2**31 + 7, 2**40 + 5, -(2**63))
OFFSETS = {
    torch.int32: (0, 5, -3, 2**31 - 100),
    torch.int64: (0, 2**31 - 50, 2**32 - 10, -(2**40)),
}


def offsets_of(dtype: torch.dtype) -> torch.Tensor:
    return torch.cat([torch.arange(start, start + 64).to(dtype) for start in OFFSETS[dtype]])


def bits(seed, offsets, a, b, c, d, first):
    a, b, c, d = ntl.randint4x(seed, offsets)
    first = ntl.randint(seed, offsets, 7)


@pytest.mark.parametrize("dtype", OFFSETS, ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_bits_are_those_of_philox(device: str, seed: int, dtype: torch.dtype) -> None:
    offsets = offsets_of(dtype)
    expected = [words(row) for row in stream(seed, offsets.numpy())]

    def check(seed, offsets, a, b, c, d, first):
        for found, row in zip((a, b, c, d), expected, strict=True):
            assert torch.equal(found.cpu().view(torch.int32), row)
        fewer = words(stream(seed, offsets.cpu().numpy(), 7)[0])
        assert torch.equal(first.cpu().view(torch.int32), fewer)

    outputs = blank(5, len(offsets), dtype=torch.uint32)
    everywhere(device, elementwise, bits, (seed, offsets, *outputs), check, BLOCK=48)


def wide_bits(offsets, a, b, c, d):
    a, b, c, d = ntl.philox(123456789123, offsets, offsets + 1, offsets * 0, offsets * 3)


def test_counters_of_64_bits(device: str) -> None:
    offsets = offsets_of(torch.int64)
    counters = [offsets, offsets + 1, offsets * 0, offsets * 3]
    expected = philox(123456789123, [c.numpy().view(np.uint64) for c in counters])

    def check(offsets, *found):
        for one, row in zip(found, expected, strict=True):
            assert torch.equal(one.cpu().view(torch.int64), words(row))

    everywhere(
        device,
        elementwise,
        wide_bits,
        (offsets, *blank(4, len(offsets), dtype=torch.uint64)),
        check,
        BLOCK=64,
    )


def floats(seed, offsets, a, b, c, d, first):
    a, b, c, d = ntl.rand4x(seed, offsets)
    first = ntl.rand(seed, offsets)


def test_uniform_numbers(device: str) -> None:
    offsets = offsets_of(torch.int32)
    expected = [torch.from_numpy(uniform(row)) for row in stream(42, offsets.numpy())]

    def check(seed, offsets, a, b, c, d, first):
        for found, row in zip((a, b, c, d), expected, strict=True):
            assert torch.equal(found.cpu(), row)
        assert torch.equal(first, a)
        assert (a >= 0).all()
        assert (a < 1).all()

    everywhere(device, elementwise, floats, (42, offsets, *blank(5, len(offsets))), check, BLOCK=64)


def normals(seed, offsets, a, b, c, d, first):
    a, b, c, d = ntl.randn4x(seed, offsets)
    first = ntl.randn(seed, offsets)


def test_normal_numbers(device: str) -> None:
    offsets = offsets_of(torch.int64)
    u1, u2, u3, u4 = (uniform(row) for row in stream(7, offsets.numpy()))
    expected = [*normal(u1, u2), *normal(u3, u4)]

    def check(seed, offsets, a, b, c, d, first):
        for found, row in zip((a, b, c, d), expected, strict=True):
            # Triton's sines and cosines on a GPU are fast ones.
            torch.testing.assert_close(found.cpu(), torch.from_numpy(row), rtol=1e-4, atol=1e-4)
        assert torch.equal(first, a)

    everywhere(device, elementwise, normals, (7, offsets, *blank(5, len(offsets))), check, BLOCK=64)


TRITON = """
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, bits, normal, seed: tl.constexpr, n_rounds: tl.constexpr):
    lanes = tl.arange(0, 256)
    offsets = tl.load(x + lanes)
    tl.store(out + lanes, tl.rand(seed, offsets, n_rounds))
    tl.store(bits + lanes, tl.randint(seed, offsets, n_rounds).to(tl.int32, bitcast=True))
    tl.store(normal + lanes, tl.randn(seed, offsets, n_rounds))
"""


def kernel(x, out, bits, normal, seed, n_rounds):
    out = ntl.rand(seed, x, n_rounds)
    bits = ntl.randint(seed, x, n_rounds).to(ntl.int32)
    normal = ntl.randn(seed, x, n_rounds)


def scalars_last(*tensors: Tensor) -> tuple[Tensor, ...]:
    return *(tensor.tile((BLOCK,)) for tensor in tensors[:4]), *tensors[4:]


def like_triton(device: str, dtype: torch.dtype, seed: int, found: list[torch.Tensor]) -> None:
    """The three outputs of Triton's kernel are ours: the bits exactly, so the uniform numbers."""
    offsets = offsets_of(dtype)
    outputs = [*blank(1, 256), *blank(1, 256, dtype=torch.int32), *blank(1, 256)]
    tensors = (
        *(Tensor(1) for _ in range(4)),
        Tensor(0, constexpr=True),
        Tensor(0, constexpr=True),
    )

    def check(*ours):
        for one, triton in zip(ours[1:3], found[:2], strict=True):
            assert torch.equal(one.cpu(), triton.cpu())
        torch.testing.assert_close(ours[3].cpu(), found[2].cpu(), rtol=1e-4, atol=1e-4)

    everywhere(
        device, scalars_last, kernel, (offsets, *outputs, seed, 6), check, tensors=tensors, BLOCK=32
    )


def triton_arguments(dtype: torch.dtype, seed: int, device: str) -> list[Any]:
    outputs = [*blank(1, 256), *blank(1, 256, dtype=torch.int32), *blank(1, 256)]
    return [*(x.to(device) for x in (offsets_of(dtype), *outputs)), seed, 6]


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
def test_numbers_are_those_of_triton() -> None:
    pairs = [(dtype, seed) for dtype in OFFSETS for seed in (42, 2**40 + 5)]
    cases = [Case(TRITON, "kernel", triton_arguments(*pair, "cpu")) for pair in pairs]
    for pair, arguments in zip(pairs, run(cases), strict=True):
        like_triton("cpu", *pair, arguments[1:4])


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", OFFSETS, ids=str)
def test_numbers_are_those_of_triton_on_a_gpu(dtype: torch.dtype, tmp_path: Path) -> None:
    path = tmp_path / "with_triton.py"
    path.write_text(TRITON, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("with_triton", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    arguments = triton_arguments(dtype, 2**40 + 5, "cuda")
    module.kernel[(1,)](*arguments)
    like_triton("cuda", dtype, 2**40 + 5, arguments[1:4])


def types(offsets: Tensor(1, dtype="i64").tile((64,)), out: Tensor(1, dtype="fp32").tile((64,))):
    ntl.static_assert(ntl.randint(1, offsets).dtype == ntl.uint32)
    ntl.static_assert(ntl.randint(1, ntl.cast(offsets, ntl.int8)).dtype == ntl.uint32)
    ntl.static_assert(ntl.philox(1, offsets, 0 * offsets, offsets, offsets)[0].dtype == ntl.uint64)
    ntl.static_assert(ntl.rand(1, offsets).dtype == ntl.float32)
    ntl.static_assert(ntl.randn(1, offsets).dtype == ntl.float32)
    ntl.static_assert(ntl.umulhi(offsets, 3).dtype == ntl.int64)
    ntl.static_assert(ntl.uint_to_uniform_float(offsets).dtype == ntl.float32)
    ntl.static_assert(ntl.rand(2**40, 3).shape == ())
    out = ntl.rand(2**63, offsets)


def test_types_are_those_that_triton_infers() -> None:
    ninetoothed.jit(types)(torch.zeros(64, dtype=torch.int64), torch.zeros(64))


def high(x, y, signed, unsigned, wide):
    signed = ntl.umulhi(x, y)
    unsigned = ntl.umulhi(x.to(ntl.uint32), y.to(ntl.uint32))
    wide = ntl.umulhi(x.to(ntl.int64) * 0x123456789, y.to(ntl.int64) * -0x987654321)


def test_upper_halves_of_products(device: str) -> None:
    generator = torch.Generator().manual_seed(0)
    x, y = (
        torch.randint(-(2**31), 2**31, (100,), generator=generator, dtype=torch.int32)
        for _ in range(2)
    )

    def upper(left: int, right: int, width: int) -> int:
        mask = (1 << width) - 1
        return ((left & mask) * (right & mask)) >> width

    narrow = torch.tensor([upper(a, b, 32) for a, b in zip(x.tolist(), y.tolist(), strict=True)])
    wide = [
        upper(a * 0x123456789, b * -0x987654321, 64)
        for a, b in zip(x.tolist(), y.tolist(), strict=True)
    ]

    def check(x, y, signed, unsigned, found):
        assert torch.equal(signed.cpu(), narrow.to(torch.int32))
        assert torch.equal(unsigned.cpu().view(torch.int32), narrow.to(torch.int32))
        assert [value & (2**64 - 1) for value in found.tolist()] == wide

    outputs = [*blank(1, 100, dtype=torch.int32), *blank(1, 100, dtype=torch.uint32)]
    everywhere(
        device,
        elementwise,
        high,
        (x, y, *outputs, *blank(1, 100, dtype=torch.int64)),
        check,
        BLOCK=32,
    )


def turned(x, last, first):
    last = ntl.flip(x)
    first = ntl.flip(x, 0)


def tiled(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((4, BLOCK)) for tensor in tensors)


FLIPPED = (
    *(torch.float32, torch.float16, torch.bfloat16, torch.float64),
    *(torch.int8, torch.int32, torch.int64, torch.bool),
)


@pytest.mark.parametrize("block", [1, 16, 12])
@pytest.mark.parametrize("dtype", FLIPPED, ids=str)
def test_lanes_in_reverse(device: str, dtype: torch.dtype, block: int) -> None:
    x = (torch.arange(8 * 48).reshape(8, 48) % 101).to(dtype)
    blocks = x.reshape(2, 4, -1, block)

    def check(x, last, first):
        assert torch.equal(last.cpu(), blocks.flip(3).reshape(8, 48))
        assert torch.equal(first.cpu(), blocks.flip(1).reshape(8, 48))

    everywhere(device, tiled, turned, (x, *blank(2, 8, 48, dtype=dtype)), check, BLOCK=block)


def whole(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((1, -1)).squeeze(1) for tensor in tensors)


def mirrored(x, out):
    out = ntl.flip(x, -1) + x


def test_lanes_of_a_size_that_only_a_call_knows(device: str) -> None:
    x = torch.randn(3, 37, generator=torch.Generator().manual_seed(0))

    def check(x, out):
        assert torch.equal(out, x.flip(1) + x)

    everywhere(device, whole, mirrored, (x, *blank(1, 3, 37)), check)


def flipped_sums(x, total, largest):
    total = ntl.sum(ntl.flip(x) * 2)
    largest = ntl.max(ntl.flip(ntl.flip(x)))


def reduced(x: Tensor, *outputs: Tensor) -> tuple[Tensor, ...]:
    return x.tile((BLOCK,)), *(output.tile((1,)) for output in outputs)


@pytest.mark.parametrize("block", [32, 24])
def test_guards_turn_with_their_lanes(device: str, block: int) -> None:
    """Masked lanes do not count, wherever they were moved."""
    x = -torch.rand(77, generator=torch.Generator().manual_seed(0)) - 1
    parts = x.split(block)
    sums, largest = (
        torch.stack([function(part) for part in parts])
        for function in (lambda part: 2 * part.sum(), torch.max)
    )

    def check(x, total, found):
        torch.testing.assert_close(total.cpu(), sums)
        assert torch.equal(found.cpu(), largest)

    everywhere(device, reduced, flipped_sums, (x, *blank(2, len(parts))), check, BLOCK=block)


def odd_bits(x, all_, some):
    all_ = ntl.xor_sum(x)
    some = ntl.xor_sum(x, 0, keep_dims=True)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32, torch.int64], ids=str)
def test_bits_of_an_odd_number_of_lanes(device: str, dtype: torch.dtype) -> None:
    x = (torch.arange(77) * 37).to(dtype)
    expected = torch.zeros(4, dtype=dtype)
    for index, part in enumerate(x.split(24)):
        for value in part:
            expected[index] ^= value

    def check(x, *found):
        for one in found:
            assert torch.equal(one.cpu(), expected)

    everywhere(device, reduced, odd_bits, (x, *blank(2, 4, dtype=dtype)), check, BLOCK=24)


def backwards(x, out):
    """Sums from behind: each block holds the sum of those after it, too."""
    total = ntl.zeros((x.dtype.shape[0],), ntl.float32)
    for i in range(x.shape[0] - 1, -1, -1):
        total += x[i]
        out[i] = total


@pytest.mark.parametrize("block", [16, 12])
def test_a_loop_that_counts_down(device: str, block: int) -> None:
    x = torch.randn(3, 50, generator=torch.Generator().manual_seed(0))
    padded = torch.nn.functional.pad(x, (0, -50 % block)).reshape(3, -1, block)
    expected = padded.flip(1).cumsum(1).flip(1).reshape(3, -1)[:, :50]

    def check(x, out):
        torch.testing.assert_close(out.cpu(), expected)

    everywhere(device, rows, backwards, (x, *blank(1, 3, 50)), check, BLOCK=block)


def steps(x, bound, out):
    code = 0
    for i in range(7, -4, -3):
        code = code * 10 + i
    for i in range(bound, 0, -2):
        code = code * 10 + i
    for i in range(bound, bound + 1, -1):
        code = code * 10 + i
    for i in ntl.range(0, bound, 2, num_stages=1, flatten=False):
        code = code * 10 + i
    for i in ntl.static_range(4, 0, -2):
        for j in ntl.static_range(i):
            code = code * 10 + j
    out = x * 0 + code


def test_steps_of_either_sign(device: str) -> None:
    code = 0
    bounds = (range(7, -4, -3), range(5, 0, -2), range(0, 5, 2), (0, 1, 2, 3), (0, 1))
    for bound in bounds:
        for i in bound:
            code = code * 10 + i
    code = (code + 2**31) % 2**32 - 2**31

    def check(x, bound, out):
        assert out.tolist() == [code] * 8

    everywhere(
        device,
        elementwise,
        steps,
        (torch.zeros(8, dtype=torch.int32), 5, *blank(1, 8, dtype=torch.int32)),
        check,
        BLOCK=8,
    )


def symbolic(x, out):
    total = 0
    for i in range(20, 0, -x.shape[0]):
        total += i
    for i in range(0, 20, x.shape[0]):
        total += i
    out = x * 0 + total


def test_a_step_of_a_block_size(device: str) -> None:
    def check(x, out):
        assert out.tolist() == [sum(range(20, 0, -8)) + sum(range(0, 20, 8))] * 8

    everywhere(
        device,
        elementwise,
        symbolic,
        (torch.zeros(8, dtype=torch.int32), *blank(1, 8, dtype=torch.int32)),
        check,
        BLOCK=8,
    )


def helper(n):
    for i in ntl.static_range(n):
        if i * i > 10:
            return i
    return -1


def leaves(x, out):
    out = x * 0 + helper(9) * 10 + helper(2)


def test_an_unrolled_loop_may_return() -> None:
    kernel = ninetoothed.make(elementwise, leaves, (Tensor(1), Tensor(1)))
    out = torch.zeros(4)
    kernel(torch.zeros(4), out, BLOCK=4)
    assert out.tolist() == [39.0] * 4


COMPILED: dict[str, tuple[Callable[..., object], tuple[str, ...], dict[str, int]]] = {
    "turned": (turned, ("fp16", "fp16", "fp16"), {"BLOCK": 24}),
    "bits": (bits, ("i64", "i64", *(["u32"] * 5)), {"BLOCK": 64}),
    "normals": (normals, ("i32", "i32", *(["fp32"] * 5)), {"BLOCK": 64}),
    "wide_bits": (wide_bits, ("i64", *(["u64"] * 4)), {"BLOCK": 64}),
    "odd_bits": (odd_bits, ("i8", "i8", "i8"), {"BLOCK": 24}),
}
ARRANGED = {"turned": (tiled, 2), "odd_bits": (reduced, 1)}
SCALARS = {"bits": 1, "normals": 1}


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
@pytest.mark.parametrize("target", ["sm_80", "sm_90", "gfx942"])
@pytest.mark.parametrize("language", ["ttir", "triton-python"])
@pytest.mark.parametrize("name", COMPILED)
def test_compiles_offline(name: str, language: str, target: str) -> None:
    application, dtypes, constexprs = COMPILED[name]
    arrangement, ndim = ARRANGED.get(name, (elementwise, 1))
    scalars = SCALARS.get(name, 0)
    tensors = [Tensor(0 if place < scalars else ndim) for place in range(len(dtypes))]
    kernel = ninetoothed.make(arrangement, application, tuple(tensors))
    names = [parameter.name for parameter in kernel.definition.parameters]
    offline.compiled(kernel, target, language, dict(zip(names, dtypes, strict=True)), constexprs)
