"""The examples that multiply matrices."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
import torch
import torch.nn.functional as F

from examples import fp8_matmul, fused_linear, w4a16_matmul
from examples.runner import Draw, relative_error, tolerance_of
from tests.support import offline
from tests.support.examples import CPU, Load, Place, every_place, kinds, load

RAGGED = ((1, 1, 1), (17, 33, 67), (64, 48, 32))
LARGE = ((1025, 1031, 2053), (2048, 4096, 1024))

strided = pytest.mark.parametrize("strided", [False, True], ids=["contiguous", "strided"])


def sizes(place: Place) -> Sequence[tuple[int, int, int]]:
    """M, N and K."""
    return RAGGED + LARGE if place.is_gpu else RAGGED


def check(place: Place, result: torch.Tensor, expected: torch.Tensor) -> None:
    # On a GPU, products of fp32 are formed in tf32.
    tf32 = place.is_gpu and result.dtype is torch.float32
    assert relative_error(result, expected) <= (2e-3 if tf32 else tolerance_of(result))


def transposed(matrix: torch.Tensor) -> torch.Tensor:
    """The same numbers, each column in one piece."""
    return matrix.mT.contiguous().mT


@kinds
def test_addmm(place: Place, dtype: torch.dtype, load: Load, draw: Draw) -> None:
    addmm = load("addmm").addmm
    for m, n, k in sizes(place):
        input, mat1, mat2 = draw(m, n), draw(m, k), draw(k, n)
        result = addmm(input, mat1, mat2, beta=0.5, alpha=-2)
        expected = torch.addmm(input.double(), mat1.double(), mat2.double(), beta=0.5, alpha=-2)
        assert result.dtype is dtype
        check(place, result, expected)


def test_addmm_of_inputs_that_broadcast(place: Place, load: Load) -> None:
    addmm = load("addmm").addmm
    draw = Draw(place.device, torch.float16)
    mat1, mat2 = transposed(draw(33, 20)), transposed(draw(20, 47))
    for input in (draw(47), draw(1), draw(33, 1), draw(1, 47), draw(47, 33).T):
        expected = torch.addmm(input.double(), mat1.double(), mat2.double())
        check(place, addmm(input, mat1, mat2), expected)


def test_addmm_without_an_input(place: Place, load: Load) -> None:
    """With beta = 0, NaNs of the input do not matter; without products, it is all there is."""
    addmm = load("addmm").addmm
    draw = Draw(place.device, torch.float16)
    mat1, mat2 = draw(17, 20), draw(20, 18)
    nothing = torch.full((18,), float("nan"), dtype=torch.float16, device=place.device)
    check(place, addmm(nothing, mat1, mat2, beta=0), mat1.double() @ mat2.double())
    input = draw(18)
    check(place, addmm(input, mat1[:, :0], mat2[:0]), input.expand(17, 18))


def test_addmm_rounds_once(place: Place, load: Load) -> None:
    """A product that fp16 does not hold, scaled to a number that it does."""
    addmm = load("addmm").addmm
    ones = torch.full((16, 64), 64.0, dtype=torch.float16, device=place.device)
    result = addmm(ones[:, :16], ones, ones.T, alpha=2**-8)
    assert result.eq(64 + 64 * 64 * 64 / 2**8).all()


@kinds
def test_fused_linear(place: Place, dtype: torch.dtype, load: Load, draw: Draw) -> None:
    fused_linear = load("fused_linear").fused_linear
    for m, n, k in sizes(place):
        input, weight, bias, residual = draw(m, k), draw(n, k), draw(n), draw(m, n)
        for matrix in (weight, transposed(weight)):
            result = fused_linear(input, matrix, bias, residual)
            linear = F.linear(input.double(), matrix.double(), bias.double())
            assert result.dtype is dtype
            check(place, result, residual.double() + F.silu(linear))


def test_fused_linear_of_empty_matrices(place: Place, load: Load) -> None:
    """Without products, the bias and the residual are all there is."""
    fused_linear = load("fused_linear").fused_linear
    draw = Draw(place.device, torch.float16)
    bias, residual = draw(18), draw(17, 18)
    result = fused_linear(draw(17, 0), draw(18, 0), bias, residual)
    check(place, result, residual.double() + F.silu(bias.double()))
    assert fused_linear(draw(0, 8), draw(18, 8), bias, residual[:0]).shape == (0, 18)


@kinds
def test_bmm(place: Place, dtype: torch.dtype, load: Load, draw: Draw) -> None:
    bmm = load("bmm").bmm
    for m, n, k in sizes(place):
        input, other = draw(3, m, k), draw(3, k, n)
        result = bmm(input, other)
        assert result.dtype is dtype
        check(place, result, input.double() @ other.double())


def test_bmm_of_transposed_matrices(place: Place, load: Load) -> None:
    bmm = load("bmm").bmm
    draw = Draw(place.device, torch.float16)
    input, other = transposed(draw(2, 33, 20)), transposed(draw(2, 20, 47))
    check(place, bmm(input, other), input.double() @ other.double())


def test_bmm_of_one_matrix_for_all(place: Place, load: Load) -> None:
    bmm = load("bmm").bmm
    draw = Draw(place.device, torch.float16)
    input, other = draw(20, 33).expand(4, -1, -1), draw(4, 33, 18)
    check(place, bmm(input, other), input.double() @ other.double())


@every_place
@strided
def test_int8_matmul(place: Place, strided: bool, load: Load) -> None:
    int8_matmul = load("int8_matmul").int8_matmul
    draw = Draw(place.device, torch.float32)
    for m, n, k in sizes(place):
        input = draw.integers(128, m, k + 64 * strided, low=-128, dtype=torch.int8)[:, :k]
        other = draw.integers(128, k, n + 64 * strided, low=-128, dtype=torch.int8)[:, :n]
        for matrix in (other, transposed(other)):
            result = int8_matmul(input, matrix)
            assert result.dtype is torch.int32
            assert torch.equal(result.double(), input.double() @ matrix.double())


def test_int8_matmul_is_exact(place: Place, load: Load) -> None:
    """Sums that float32 does not hold."""
    int8_matmul = load("int8_matmul").int8_matmul
    input = torch.full((16, 1200), -127, dtype=torch.int8, device=place.device)
    input[:, -1] = 1
    assert int8_matmul(input, input.T).eq(1199 * 127 * 127 + 1).all()


@every_place
@strided
def test_fp8_matmul(place: Place, strided: bool, load: Load) -> None:
    fp8_matmul = load("fp8_matmul").fp8_matmul
    draw = Draw(place.device, torch.float8_e4m3fn, strided)
    for m, n, k in sizes(place):
        input, other = draw(m, k), draw(n, k).T
        scales = draw(m, dtype=torch.float32), draw(n, dtype=torch.float32)
        expected = input.double() @ other.double() * scales[0][:, None].double() * scales[1]
        for matrix in (other, other.contiguous()):
            result = fp8_matmul(input, matrix, *scales)
            assert result.dtype is torch.bfloat16
            check(place, result, expected)


@every_place
def test_fp8_matmul_with_a_scale_a_matrix(place: Place, load: Load) -> None:
    fp8_matmul = load("fp8_matmul").fp8_matmul
    draw = Draw(place.device, torch.float8_e4m3fn)
    scales = (draw(dtype=torch.float32), draw(dtype=torch.float32))
    for m, n, k in sizes(place):
        input, other = draw(m, k), draw(n, k).T
        expected = input.double() @ other.double() * scales[0].double() * scales[1]
        check(place, fp8_matmul(input, other, *scales), expected)
        columns = draw(n, dtype=torch.float32)
        expected = input.double() @ other.double() * scales[0].double() * columns
        check(place, fp8_matmul(input, other, scales[0], columns), expected)


w4a16_kinds = pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)


@every_place
@strided
@w4a16_kinds
def test_w4a16_matmul(place: Place, strided: bool, dtype: torch.dtype, load: Load) -> None:
    """All bytes, of rows that are few and many, with one group and several."""
    example = load("w4a16_matmul")
    draw = Draw(place.device, dtype, strided)
    large = ((1, 4096, 4096), (77, 1031, 2176)) if place.is_gpu else ()
    for m, n, k in ((1, 1, 128), (17, 33, 384), (64, 48, 256), *large):
        weight = draw.integers(256, n, k // 2 + 64 * strided, dtype=torch.uint8)[:, : k // 2]
        input, scale = draw(m, k), draw(k // 128, n)
        result = example.w4a16_matmul(input, weight, scale)
        assert result.dtype is dtype
        check(place, result, input.double() @ example.dequantize(weight, scale.double()).T)


@w4a16_kinds
def test_what_a_byte_of_a_weight_holds(dtype: torch.dtype, load: Load, place: Place) -> None:
    """Number j of a group in low bits, and number 64 + j in high ones; each from -8 to 7."""
    example = load("w4a16_matmul")
    one = torch.eye(256, dtype=dtype, device=place.device)
    scale = torch.tensor([[1.0], [2.0]], dtype=dtype, device=place.device)
    numbers = torch.arange(256, device=place.device) * 7 % 16 - 8
    low, high = numbers.view(2, 2, 64).unbind(1)
    weight = (low + 8 + (high + 8) * 16).to(torch.uint8).view(1, 128)
    expected = (numbers.view(2, 128) * scale).view(256, 1)
    assert torch.equal(example.w4a16_matmul(one, weight, scale), expected)
    assert torch.equal(example.dequantize(weight, scale), expected.T)


@w4a16_kinds
def test_quantized_weights(dtype: torch.dtype, load: Load, place: Place) -> None:
    example = load("w4a16_matmul")
    draw = Draw(place.device, dtype)
    weight = draw(33, 384)
    weight[3] = 0
    packed, scale = example.quantize(weight)
    assert packed.shape == (33, 192)
    assert packed.dtype is torch.uint8
    assert scale.shape == (3, 33)
    # Half a step, and what rounding adds.
    steps = (weight.double() - example.dequantize(packed, scale.double())).abs()
    assert (steps.view(33, 3, 128) <= 0.52 * scale.double().T[..., None]).all()
    # What was quantized is quantized to the same.
    again, _ = example.quantize(example.dequantize(packed, scale))
    assert torch.equal(again, packed)
    input = draw(5, 384)
    expected = input.double() @ example.dequantize(packed, scale.double()).T
    check(place, example.w4a16_matmul(input, packed, scale), expected)


def test_empty_w4a16_matmul(place: Place, load: Load) -> None:
    w4a16_matmul = load("w4a16_matmul").w4a16_matmul
    draw = Draw(place.device, torch.float16)
    weight = draw.integers(256, 8, 64, dtype=torch.uint8)
    assert w4a16_matmul(draw(0, 128), weight, draw(1, 8)).shape == (0, 8)
    assert w4a16_matmul(draw(3, 128), weight[:0], draw(1, 0)).shape == (3, 0)
    assert w4a16_matmul(draw(3, 0), weight[:, :0], draw(0, 8)).eq(0).all()


def test_what_w4a16_matmul_does_not_take() -> None:
    half = Draw("cpu", torch.float16)
    input, scale = half(3, 128), half(1, 8)
    weight = half.integers(256, 8, 64, dtype=torch.uint8)
    shapes = "must be (m, k), (n, k / 2) and (k / 128, n), where 128 divides k"
    head = "the shapes of input, weight and scale,"
    wrong: list[tuple[tuple[torch.Tensor, ...], str]] = [
        (
            (input.float(), weight, scale.float()),
            "input must be float16 or bfloat16, not torch.float32",
        ),
        (
            (input, weight, scale.bfloat16()),
            "input, scale must have one element type, not torch.float16, torch.bfloat16; convert "
            "them with .to(dtype)",
        ),
        (
            (input, weight.to(torch.int8), scale),
            "weight must be uint8, two numbers a byte, not torch.int8",
        ),
        ((input[0], weight, scale), "input must have 2 dims, not 1"),
        ((input, weight, scale[0]), "scale must have 2 dims, not 1"),
        ((input, weight[:, 1:], scale), f"{head} (3, 128), (8, 63) and (1, 8), {shapes}"),
        ((input, weight, scale.T), f"{head} (3, 128), (8, 64) and (8, 1), {shapes}"),
        (
            (input[:, :64], weight[:, :32], scale[:0]),
            f"{head} (3, 64), (8, 32) and (0, 8), {shapes}",
        ),
    ]
    for arguments, message in wrong:
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            w4a16_matmul.w4a16_matmul(*arguments)


@kinds
def test_grouped_matmul(place: Place, dtype: torch.dtype, load: Load, draw: Draw) -> None:
    grouped_matmul = load("grouped_matmul").grouped_matmul
    batches = [(0, 1, 64, 17), (5,), (0, 0)]
    if place.is_gpu:
        batches.append((1000, 0, 3, 2047, 512))
    for lengths in batches:
        input, weight = draw.jagged(lengths, 20), draw(len(lengths), 20, 33)
        result = grouped_matmul(input, weight)
        assert result.dtype is dtype
        assert torch.equal(result.offsets(), input.offsets())
        for rows, one, matrix in zip(result.unbind(), input.unbind(), weight, strict=True):
            check(place, rows, one.double() @ matrix.double())


def test_empty_products(place: Place, load: Load) -> None:
    draw = Draw(place.device, torch.float16)
    addmm = load("addmm").addmm
    assert addmm(draw(8), draw(0, 8), draw(8, 8)).shape == (0, 8)
    bmm = load("bmm").bmm
    assert bmm(draw(0, 8, 8), draw(0, 8, 8)).shape == (0, 8, 8)
    assert bmm(draw(2, 8, 0), draw(2, 0, 8)).eq(0).all()
    grouped_matmul = load("grouped_matmul").grouped_matmul
    assert grouped_matmul(draw.jagged((), 8), draw(0, 8, 8)).shape[0] == 0


def test_sizes_that_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = Draw("cpu", torch.float32)
    wide, scale = draw(8, 9), draw(8)
    calls = {
        "matmul": (wide, wide),
        "addmm": (scale, wide, wide),
        "fused_linear": (wide, wide.T, scale, wide),
        "bmm": (wide[None], wide[None]),
        "int8_matmul": (wide.to(torch.int8), wide.to(torch.int8)),
        "fp8_matmul": (wide, wide, scale, scale),
        "grouped_matmul": (draw.jagged((3, 4), 9), draw(2, 8, 9)),
    }
    for name, arguments in calls.items():
        function = getattr(load(name, CPU, monkeypatch), name)
        with pytest.raises(ValueError, match="must be"):
            function(*arguments)
    square = draw(8, 8)
    for scales in ((scale[:7], scale), (scale, scale[:7])):
        with pytest.raises(ValueError, match="scales"):
            load("fp8_matmul", CPU, monkeypatch).fp8_matmul(square, square, *scales)


def test_what_fused_linear_does_not_take() -> None:
    draw = Draw("cpu", torch.float32)
    square, bias = draw(8, 8), draw(8)
    for arguments in ((bias[:7], square), (bias, square[:7]), (square, square)):
        shapes = " and ".join(str(tuple(one.shape)) for one in arguments)
        message = f"the shapes of bias and residual, {shapes}, must be (8,) and (8, 8)"
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            fused_linear.fused_linear(square, square, *arguments)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_w4a16_matmul_compiles(dtype: torch.dtype) -> None:
    scale, output = (torch.empty(shape, dtype=dtype) for shape in ((4, 256), (16, 256)))
    arguments = (torch.empty(16, 512, dtype=dtype), torch.empty(256, 256, dtype=torch.uint8))
    offline.check(w4a16_matmul.w4a16_matmul_kernel, (*arguments, scale, output), "sm_90")


def test_what_lies_beyond_a_w4a16_product_is_read_as_zero() -> None:
    """Of an odd number of groups, and rows that fill no block: no number is masked once more."""
    scale, output = (torch.empty(shape, dtype=torch.float16) for shape in ((3, 200), (5, 200)))
    arguments = (torch.empty(5, 384, dtype=torch.float16), torch.empty(200, 192, dtype=torch.uint8))
    values = (*arguments, scale, output)
    ttir, _ = offline.artifacts(w4a16_matmul.w4a16_matmul_kernel, values, "sm_90")
    assert ttir.text.count('"tt.dot"') == 4
    assert "arith.select" not in ttir.text


@pytest.mark.parametrize("columns_in_one_piece", [False, True])
def test_fp8_matmul_compiles(columns_in_one_piece: bool) -> None:
    matrix = torch.empty(64, 64, dtype=torch.float8_e4m3fn)
    other = matrix.T if columns_in_one_piece else matrix
    scale, output = torch.empty(64), torch.empty(64, 64, dtype=torch.bfloat16)
    offline.check(fp8_matmul.fp8_matmul_kernel, (matrix, other, scale, scale, output), "sm_90")


def test_the_sum_of_fp8_products_is_the_tensor_cores_own() -> None:
    """No number is added outside of them."""
    matrix = torch.empty(64, 64, dtype=torch.float8_e4m3fn)
    scale, output = torch.empty(64), torch.empty(64, 64, dtype=torch.bfloat16)
    values = (matrix, matrix.T, scale, scale, output)
    ttir, _ = offline.artifacts(fp8_matmul.fp8_matmul_kernel, values, "sm_90")
    assert "tt.dot" in ttir.text
    assert "arith.addf" not in ttir.text
