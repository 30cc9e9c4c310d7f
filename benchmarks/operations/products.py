"""Products of matrices of 16 bits an element: one, batches, groups, and what is added to them."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from benchmarks.operation import (
    BATCHES,
    DECODE,
    DECODE_DOWN,
    SQUARES,
    Operation,
    Work,
    by_hand,
    bytes_of,
)
from benchmarks.sequences import sequences
from examples import addmm, bmm, fused_linear, grouped_matmul, matmul
from examples.runner import Draw

UNITS = {torch.float16: "fp16", torch.bfloat16: "bf16", torch.float32: "fp32"}

SIZES = {
    "small": (512, 512, 512),
    "medium": (2048, 2048, 2048),
    "large": (8192, 8192, 8192),
    "ragged": (4093, 4099, 2053),
}


def _work(input: torch.Tensor, other: torch.Tensor, *added: torch.Tensor) -> Work:
    elements = input.numel() // input.shape[-1] * other.shape[-1]
    return Work(
        bytes_of(input, other, *added) + elements * input.element_size(),
        2 * elements * input.shape[-1],
        UNITS[input.dtype],
    )


def _matrix(draw: Draw, rows: int, columns: int, is_transposed: bool) -> torch.Tensor:
    """One whose rows lie in one piece each, or its columns."""
    return draw(columns, rows).T if is_transposed else draw(rows, columns)


def _transposed_matmul(letters: str) -> Operation:
    """The product with BLAS's letters: t for each matrix whose columns lie in one piece."""
    first, second = (letter == "t" for letter in letters)
    return Operation(
        name=f"matmul_{letters}",
        sizes={**SIZES, "square_4096": SQUARES["square_4096"]},
        inputs=lambda draw, m, n, k: (_matrix(draw, m, k, first), _matrix(draw, k, n, second)),
        reference=torch.mm,
        work=_work,
        ours=matmul.matmul,
        triton=by_hand("matmul"),
        torch=torch.mm,
        layouts=("contiguous",),
        is_autotuned=True,
    )


def _linear_silu_residual(
    input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, residual: torch.Tensor
) -> torch.Tensor:
    return residual + F.silu(F.linear(input, weight, bias))


def _grouped_inputs(
    draw: Draw, groups: int, longest: int, n: int, k: int
) -> tuple[torch.Tensor, ...]:
    return sequences(draw, groups, longest, k), draw(groups, k, n)


def _skewed_inputs(
    draw: Draw, groups: int, longest: int, n: int, k: int
) -> tuple[torch.Tensor, ...]:
    """Few groups of many rows and many of few, as experts have tokens; the first two have one row
    and as many as there may be.
    """
    drawn = torch.rand(groups, device=draw.device, generator=draw.generator)
    lengths = (longest**drawn).long().tolist()
    return draw.jagged((1, longest, *lengths[2:]), k), draw(groups, k, n)


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
        sizes={**SIZES, **SQUARES, **DECODE, **DECODE_DOWN},
        inputs=lambda draw, m, n, k: (draw(m, k), draw(k, n)),
        reference=torch.mm,
        work=_work,
        ours=matmul.matmul,
        triton=by_hand("matmul"),
        torch=torch.mm,
        is_autotuned=True,
    ),
    *map(_transposed_matmul, ("nt", "tn", "tt")),
    Operation(
        name="addmm",
        sizes=SIZES,
        inputs=lambda draw, m, n, k: (draw(n), draw(m, k), draw(k, n)),
        reference=torch.addmm,
        work=lambda input, mat1, mat2: _work(mat1, mat2, input),
        ours=addmm.addmm,
        triton=by_hand("addmm"),
        torch=torch.addmm,
        is_autotuned=True,
    ),
    Operation(
        name="fused_linear",
        sizes={**SIZES, "square_4096": SQUARES["square_4096"], **DECODE_DOWN},
        inputs=lambda draw, m, n, k: (draw(m, k), draw(n, k), draw(n), draw(m, n)),
        reference=_linear_silu_residual,
        work=lambda input, weight, bias, residual: _work(input, weight.T, bias, residual),
        ours=fused_linear.fused_linear,
        triton=by_hand("fused_linear"),
        torch=_linear_silu_residual,
        is_autotuned=True,
    ),
    Operation(
        name="bmm",
        sizes={
            "small": (32, 128, 128, 128),
            "medium": (32, 512, 512, 512),
            "large": (64, 2048, 2048, 1024),
            "ragged": (37, 509, 521, 251),
            **BATCHES,
        },
        inputs=lambda draw, b, m, n, k: (draw(b, m, k), draw(b, k, n)),
        reference=torch.bmm,
        work=_work,
        ours=bmm.bmm,
        triton=by_hand("bmm"),
        torch=torch.bmm,
        is_autotuned=True,
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
    Operation(
        name="grouped_matmul_skewed",
        sizes={
            "small": (8, 256, 512, 512),
            "medium": (32, 2048, 2048, 2048),
            "large": (128, 8192, 4096, 2048),
            "ragged": (29, 2039, 1032, 1048),
        },
        inputs=_skewed_inputs,
        reference=_product_of_each_group,
        work=lambda input, weight: _work(input.values(), weight),
        ours=grouped_matmul.grouped_matmul,
        triton=by_hand("grouped_matmul"),
        torch=_grouped_mm,
        layouts=("contiguous",),
    ),
)
