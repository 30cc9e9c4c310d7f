"""Products of matrices: one, with a matrix added, batches, groups, fp8 and int8."""

from __future__ import annotations

import torch

from benchmarks.operation import Operation, Work, by_hand, bytes_of
from benchmarks.sequences import sequences
from examples import addmm, bmm, fp8_matmul, grouped_matmul, int8_matmul, matmul
from examples.runner import Draw

UNITS = {torch.float16: "fp16", torch.bfloat16: "bf16", torch.float32: "fp32"}

SIZES = {
    "small": (512, 512, 512),
    "medium": (2048, 2048, 2048),
    "large": (8192, 8192, 8192),
    "ragged": (4093, 4099, 2053),
}
# torch takes matrices of one byte an element where n and k are multiples of 16.
NARROW_SIZES = {**SIZES, "ragged": (4099, 4112, 2064)}


def _work(input: torch.Tensor, other: torch.Tensor, *added: torch.Tensor) -> Work:
    elements = input.numel() // input.shape[-1] * other.shape[-1]
    return Work(
        bytes_of(input, other, *added) + elements * input.element_size(),
        2 * elements * input.shape[-1],
        UNITS[input.dtype],
    )


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


def _scaled_product(
    input: torch.Tensor,
    other: torch.Tensor,
    input_scale: torch.Tensor,
    other_scale: torch.Tensor,
) -> torch.Tensor:
    return (input @ other) * input_scale[:, None] * other_scale


def _scaled_mm(
    input: torch.Tensor,
    other: torch.Tensor,
    input_scale: torch.Tensor,
    other_scale: torch.Tensor,
) -> torch.Tensor:
    # Triton leaves sums to the tensor cores, too.
    return torch._scaled_mm(  # pyright: ignore[reportPrivateUsage]
        input,
        other,
        scale_a=input_scale[:, None],
        scale_b=other_scale[None, :],
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


def _grouped_inputs(
    draw: Draw, groups: int, longest: int, n: int, k: int
) -> tuple[torch.Tensor, ...]:
    return sequences(draw, groups, longest, k), draw(groups, k, n)


def _product_of_each_group(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    products = [rows @ matrix for rows, matrix in zip(input.unbind(), weight, strict=True)]
    return torch.nested.nested_tensor_from_jagged(torch.cat(products), input.offsets())


def _grouped_mm(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    # torch has one kernel for all groups in bf16 only.
    if input.dtype != torch.bfloat16:
        return _product_of_each_group(input, weight)
    ends = input.offsets()[1:].to(torch.int32)
    rows = torch._grouped_mm(  # pyright: ignore[reportPrivateUsage]
        input.values(), weight, offs=ends
    )
    return torch.nested.nested_tensor_from_jagged(rows, input.offsets())


OPERATIONS = (
    Operation(
        name="matmul",
        sizes=SIZES,
        inputs=lambda draw, m, n, k: (draw(m, k), draw(k, n)),
        reference=torch.mm,
        work=_work,
        ours=matmul.matmul,
        triton=by_hand("matmul"),
        torch=torch.mm,
    ),
    Operation(
        name="addmm",
        sizes=SIZES,
        inputs=lambda draw, m, n, k: (draw(n), draw(m, k), draw(k, n)),
        reference=torch.addmm,
        work=lambda input, mat1, mat2: _work(mat1, mat2, input),
        ours=addmm.addmm,
        triton=by_hand("addmm"),
        torch=torch.addmm,
    ),
    Operation(
        name="bmm",
        sizes={
            "small": (32, 128, 128, 128),
            "medium": (32, 512, 512, 512),
            "large": (64, 2048, 2048, 1024),
            "ragged": (37, 509, 521, 251),
        },
        inputs=lambda draw, b, m, n, k: (draw(b, m, k), draw(b, k, n)),
        reference=torch.bmm,
        work=_work,
        ours=bmm.bmm,
        triton=by_hand("bmm"),
        torch=torch.bmm,
    ),
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
        dtypes=("fp16",),
    ),
    # Jagged tensors lie together. torch takes rows whose bytes are a multiple of 16.
    Operation(
        name="grouped_matmul",
        sizes={
            "small": (8, 128, 512, 512),
            "medium": (16, 1024, 2048, 2048),
            "large": (64, 2048, 4096, 2048),
            "ragged": (13, 1021, 1032, 1048),
        },
        inputs=_grouped_inputs,
        reference=_product_of_each_group,
        work=lambda input, weight: _work(input.values(), weight),
        ours=grouped_matmul.grouped_matmul,
        triton=by_hand("grouped_matmul"),
        torch=_grouped_mm,
        layouts=("contiguous",),
    ),
)
