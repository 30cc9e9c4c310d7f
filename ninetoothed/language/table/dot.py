"""Rows of matrix multiplication."""

from __future__ import annotations

from ninetoothed.language.table.kinds import ARGUMENTS, SHAPES, TYPES, Kind
from ninetoothed.language.table.primitive import Primitive

DOT = Kind(
    "dot",
    "(M, K) and (K, N) give (M, N); (B, M, K) and (B, K, N) give (B, M, N).",
    (
        f"{TYPES}the element types cannot be multiplied.",
        f"{SHAPES}the inner sizes differ, or a block is no matrix.",
        f"{ARGUMENTS}there is no such ``input_precision``.",
    ),
    "Floats of one type, any two floats of eight bits, or i8.",
    "ntl.{name}(a, b)",
)
DOT_SCALED = Kind(
    "dot_scaled",
    "Elements of (M, K) and (K, N), scales of (M, K // 32) and (N, K // 32) give (M, N); a "
    "first dim counts matrices.",
    (
        f"{TYPES}the element types are not those of the formats.",
        f"{SHAPES}the sizes differ, or K is no multiple of 32.",
        f"{ARGUMENTS}there is no such format.",
    ),
    "Those of the formats.",
    'ntl.{name}(a, None, "fp16", b, None, "fp16")',
)

ROWS = (
    Primitive(
        "dot",
        DOT,
        (
            *("input", "other", "acc=None", "input_precision=None", "allow_tf32=None"),
            *("max_num_imprecise_acc=None", "out_dtype=None"),
        ),
        "Matrix multiplication, batched too: ``acc + input @ other``.\n\n"
        "fp16 and floats of eight bits give fp32, or fp16 with ``out_dtype=ntl.float16`` or such "
        "an ``acc``; bf16 and fp32 give fp32, fp64 gives fp64, i8 gives i32.\n\n"
        "``input_precision`` is how fp32 is multiplied: 'tf32' (where the target has it, the "
        "default), 'tf32x3', 'bf16x3', 'bf16x6' or 'ieee'; ``allow_tf32`` chooses between the "
        "first and the last. On the CPU the precision is always full.\n\n"
        "``max_num_imprecise_acc``: how many products of floats of eight bits may be summed in "
        "less than 32 bits, as matrix units of some targets do; by default any number, and those "
        "in ``acc`` too. So of these floats ``ntl.dot(a, b, acc)`` is fast, and the sum of "
        "``acc + ntl.dot(a, b)`` is in 32 bits, outside of the matrix units. Of all others both "
        "are one.",
        triton="tl.dot({0}, {1}, acc={2}, input_precision={precision})",
    ),
    Primitive(
        "dot_scaled",
        DOT_SCALED,
        (
            *("lhs", "lhs_scale", "lhs_format", "rhs", "rhs_scale", "rhs_format", "acc=None"),
            *("fast_math=False", "lhs_k_pack=True", "rhs_k_pack=True", "out_dtype='fp32'"),
        ),
        "Matrix multiplication in microscaling formats, ``acc + lhs @ rhs``, in fp32.\n\n"
        "The formats are 'e2m1' (two a byte of u8, the lower first), 'e4m3', 'e5m2', 'bf16' and "
        "'fp16', in their own types or as the bits of u8 and u16. A scale ``s`` of u8 is the "
        "factor ``2 ** (s - 127)`` of 32 elements along K, 255 is NaN; None is the factor 1. "
        "``lhs_k_pack=False``: two of 'e2m1' lie along M, for ``rhs`` along N.",
        triton="tl.dot_scaled({0}, {1}, {2}, {3}, {4}, {5}, acc={6})",
    ),
)
