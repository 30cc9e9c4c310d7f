"""Products of matrices of fewer bits: fp8, int8, and a weight of four."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from benchmarks.operation import DECODE, Operation, Work, by_hand, bytes_of
from benchmarks.operations.products import SIZES, UNITS
from examples import fp8_matmul, int8_matmul, w4a16_matmul
from examples.runner import Draw

# torch takes matrices of one byte an element where n and k are multiples of 16.
NARROW_SIZES = {**SIZES, "ragged": (4099, 4112, 2064)}


def _narrow_work(
    unit: str, output: torch.dtype, input: torch.Tensor, other: torch.Tensor, *scales: torch.Tensor
) -> Work:
    elements = input.shape[0] * other.shape[1]
    return Work(
        bytes_of(input, other, *scales) + elements * output.itemsize,
        2 * elements * input.shape[1],
        unit,
    )


def _fp8_inputs(draw: Draw, m: int, n: int, k: int) -> tuple[torch.Tensor, ...]:
    # Each column of the second in one piece: torch takes no other.
    matrices = (draw(m, k, dtype=torch.float8_e4m3fn), draw(n, k, dtype=torch.float8_e4m3fn).T)
    # torch takes no strided scales: what `abs` returns lies together.
    scales = (draw(size, dtype=torch.float32).abs() for size in (m, n))
    return (*matrices, *scales)


def _tensorwise_inputs(draw: Draw, m: int, n: int, k: int) -> tuple[torch.Tensor, ...]:
    matrices = _fp8_inputs(draw, m, n, k)[:2]
    return (*matrices, *(draw(dtype=torch.float32).abs() for _ in matrices))


def _scaled_product(
    input: torch.Tensor,
    other: torch.Tensor,
    input_scale: torch.Tensor,
    other_scale: torch.Tensor,
) -> torch.Tensor:
    return (input @ other) * input_scale[..., None] * other_scale


def _scaled_mm(
    input: torch.Tensor,
    other: torch.Tensor,
    input_scale: torch.Tensor,
    other_scale: torch.Tensor,
) -> torch.Tensor:
    if input_scale.ndim == 1:
        input_scale, other_scale = input_scale[:, None], other_scale[None, :]
    # Triton leaves sums to the tensor cores, too.
    return torch._scaled_mm(  # pyright: ignore[reportPrivateUsage]
        input,
        other,
        scale_a=input_scale,
        scale_b=other_scale,
        out_dtype=torch.bfloat16,
        use_fast_accum=True,
    )


def _int8_inputs(draw: Draw, m: int, n: int, k: int) -> tuple[torch.Tensor, ...]:
    # Each column of the second in one piece, as tensor cores want it.
    drawn = (draw(m, k, dtype=torch.int8), draw(n, k, dtype=torch.int8))
    input, other = (matrix.random_(-128, 128, generator=draw.generator) for matrix in drawn)
    return input, other.T


def _exact_product(input: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    return input.double() @ other.double()


def _int_mm(input: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    return torch._int_mm(input, other)  # pyright: ignore[reportPrivateUsage]


def _w4a16_inputs(draw: Draw, m: int, n: int, k: int) -> tuple[torch.Tensor, ...]:
    weight = draw.integers(256, n, k // 2, dtype=torch.uint8)
    # The weight is about as large as a normally distributed one.
    scale = draw(k // w4a16_matmul.GROUP_SIZE, n).abs() / 8
    return draw(m, k), weight, scale


def _dequantized_linear(
    input: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor
) -> torch.Tensor:
    return F.linear(input, w4a16_matmul.dequantize(weight, scale))


def _w4a16_work(input: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> Work:
    elements = input.shape[0] * weight.shape[0]
    return Work(
        bytes_of(input, weight, scale) + elements * input.element_size(),
        2 * elements * input.shape[1],
        UNITS[input.dtype],
    )


OPERATIONS = (
    # The element type of the case is that of no input: they are fp8, the output is bf16.
    Operation(
        name="fp8_matmul",
        sizes=NARROW_SIZES,
        inputs=_fp8_inputs,
        reference=_scaled_product,
        work=lambda *inputs: _narrow_work("fp8", torch.bfloat16, *inputs),
        ours=fp8_matmul.fp8_matmul,
        triton=by_hand("fp8_matmul"),
        torch=_scaled_mm,
        dtypes=("bf16",),
        is_autotuned=True,
    ),
    Operation(
        name="fp8_matmul_tensorwise",
        sizes=NARROW_SIZES,
        inputs=_tensorwise_inputs,
        reference=_scaled_product,
        work=lambda *inputs: _narrow_work("fp8", torch.bfloat16, *inputs),
        ours=fp8_matmul.fp8_matmul,
        triton=by_hand("fp8_matmul"),
        torch=_scaled_mm,
        dtypes=("bf16",),
    ),
    # The element type of the case is that of no tensor: inputs are int8, the output is int32.
    Operation(
        name="int8_matmul",
        sizes=NARROW_SIZES,
        inputs=_int8_inputs,
        reference=_exact_product,
        work=lambda *inputs: _narrow_work("int8", torch.int32, *inputs),
        ours=int8_matmul.int8_matmul,
        triton=by_hand("int8_matmul"),
        torch=_int_mm,
        is_autotuned=True,
        dtypes=("fp16",),
    ),
    # Beside matmul's of the same sizes. torch dequantizes the weight first: its own kernel for four
    # bits takes a packing of its own.
    Operation(
        name="w4a16_matmul",
        sizes={
            "small": (16, 512, 512),
            "medium": (512, 4096, 4096),
            "large": (2048, 8192, 8192),
            "ragged": (77, 4099, 2176),
            **DECODE,
        },
        inputs=_w4a16_inputs,
        reference=_dequantized_linear,
        work=_w4a16_work,
        ours=w4a16_matmul.w4a16_matmul,
        triton=by_hand("w4a16_matmul"),
        torch=_dequantized_linear,
        layouts=("contiguous",),
        is_autotuned=True,
    ),
)
