"""Rows of products of matrices."""

from __future__ import annotations

from ninetoothed.language.table.primitive import Primitive

ROWS = (
    Primitive(
        "dot",
        "dot",
        ("input", "other", "acc=None", "input_precision=None"),
        "The product of two matrices, ``acc + input @ other``: (M, K) and (K, N) give (M, N).\n\n"
        "fp16, bf16 and fp32 accumulate in fp32, fp64 in fp64, i8 in i32. ``input_precision`` says "
        "how products of fp32 are formed: 'tf32' (default), 'tf32x3' or 'ieee'.",
        triton="tl.dot({0}, {1}, acc={2}, input_precision={precision})",
    ),
)
