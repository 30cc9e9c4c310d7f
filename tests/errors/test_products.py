"""Products of matrices that do not exist."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest
import torch

from ninetoothed.dtype import DTYPES
from tests.support import offline
from tests.support.messages import Case, check, each, run


@each(
    Case(
        "blocks of different ranks",
        """
        def application(x, y, output):
            output = ntl.dot(x, ntl.expand_dims(y, 0))


        matrices(application, "fp16", "fp16")
        """,
        """
        ShapeError: ntl.dot multiplies two blocks of two dims, or of three where the first counts matrices, not (16, 32) and (1, 16, 32); insert dims, as in x[:, None]
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, ntl.expand_dims(y, 0))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "scalars",
        """
        def application(x, output):
            output = ntl.dot(2.0, x)


        matrices(application, "fp16")
        """,
        """
        ShapeError: ntl.dot multiplies two blocks of two dims, or of three where the first counts matrices, not () and (16, 32); insert dims, as in x[:, None]
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(2.0, x)
                     ^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "unequal inner sizes",
        """
        def application(x, y, output):
            output = ntl.dot(x, y)


        matrices(application, "fp16", "fp16")
        """,
        """
        ShapeError: ntl.dot: (16, 32) and (16, 32) do not multiply: 32 is not 16; transpose one with ntl.trans, or arrange it so that they agree
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, y)
                     ^^^^^^^^^^^^^
        """,
    ),
    Case(
        "unequal batches",
        """
        def application(x, output):
            a = ntl.broadcast_to(x[None, :, :], (2, 16, 32))
            b = ntl.broadcast_to(ntl.trans(x)[None, :, :], (3, 32, 16))
            output = ntl.sum(ntl.dot(a, b), 0)


        matrices(application, "fp16")
        """,
        """
        ShapeError: ntl.dot: (2, 16, 32) and (3, 32, 16) do not multiply: 2 is not 3; transpose one with ntl.trans, or arrange it so that they agree
          File "kernel.py", line 4, column 22, in application
            output = ntl.sum(ntl.dot(a, b), 0)
                             ^^^^^^^^^^^^^
        """,
    ),
    Case(
        "types that differ",
        """
        def application(x, y, output):
            output = ntl.dot(x, ntl.trans(y))


        matrices(application, "fp16", "bf16")
        """,
        """
        TypeMismatchError: ntl.dot: it takes two blocks of one element type, not fp16 and bf16; convert one with .to(dtype)
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, ntl.trans(y))
                     ^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an eight-bit float with another",
        """
        def application(x, y, output):
            output = ntl.dot(x, ntl.trans(y))


        matrices(application, "fp8e5", "fp16")
        """,
        """
        TypeMismatchError: ntl.dot: it takes two blocks of one element type, not fp8e5 and fp16; convert one with .to(dtype)
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, ntl.trans(y))
                     ^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "unsigned bytes",
        """
        def application(x, y, output):
            output = ntl.dot(x, ntl.trans(y))


        matrices(application, "u8", "u8")
        """,
        """
        TypeMismatchError: ntl.dot: matrices of u8 cannot be multiplied; use floats or i8
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, ntl.trans(y))
                     ^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an unknown precision",
        """
        def application(x, output):
            output = ntl.dot(x, ntl.trans(x), input_precision="fp19")


        matrices(application)
        """,
        """
        ArgumentError: ntl.dot: input_precision is 'tf32', 'tf32x3', 'ieee', 'bf16x3' or 'bf16x6', not 'fp19'
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, ntl.trans(x), input_precision="fp19")
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "two precisions",
        """
        def application(x, output):
            output = ntl.dot(x, ntl.trans(x), input_precision="ieee", allow_tf32=True)


        matrices(application)
        """,
        """
        ArgumentError: ntl.dot: input_precision and allow_tf32 say the same; give one of them
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, ntl.trans(x), input_precision="ieee", allow_tf32=True)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a precision known at run time only",
        """
        def application(x, output):
            output = ntl.dot(x, ntl.trans(x), allow_tf32=ntl.sum(x) > 0)


        matrices(application)
        """,
        """
        TypeMismatchError: ntl.dot: allow_tf32 must be True or False, known when compiling, not a scalar of i1
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, ntl.trans(x), allow_tf32=ntl.sum(x) > 0)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a negative count",
        """
        def application(x, output):
            output = ntl.dot(x, ntl.trans(x), max_num_imprecise_acc=-1)


        matrices(application, "fp8e5")
        """,
        """
        ArgumentError: ntl.dot: max_num_imprecise_acc is how many products may be summed imprecisely, an integer that is known when compiling, not -1
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, ntl.trans(x), max_num_imprecise_acc=-1)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a result of bf16",
        """
        def application(x, output):
            output = ntl.dot(x, ntl.trans(x), out_dtype=ntl.bfloat16)


        matrices(application, "bf16")
        """,
        """
        TypeMismatchError: ntl.dot: a product is no bf16; leave out_dtype out, and write .to(ntl.bfloat16)
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, ntl.trans(x), out_dtype=ntl.bfloat16)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a result of fp64",
        """
        def application(x, output):
            output = ntl.dot(x, ntl.trans(x), out_dtype=ntl.float64)


        matrices(application, "fp16")
        """,
        """
        TypeMismatchError: ntl.dot: a product of fp16 and fp16 is fp32 or fp16, not fp64
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, ntl.trans(x), out_dtype=ntl.float64)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an accumulator of another shape",
        """
        def application(x, output):
            output = ntl.dot(x, ntl.trans(x), ntl.zeros((8, 16), dtype=ntl.float32))


        matrices(application, "fp16")
        """,
        """
        ShapeError: a block of shape (8, 16) cannot become (16, 16): 8 is not 16, and only dims of size 1 are repeated
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, ntl.trans(x), ntl.zeros((8, 16), dtype=ntl.float32))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an accumulator of another type",
        """
        def application(x, output):
            output = ntl.dot(x, ntl.trans(x), ntl.zeros((16, 16), dtype=ntl.float16))


        matrices(application, "bf16")
        """,
        """
        TypeMismatchError: ntl.dot: the accumulator of a product of bf16 and bf16 is fp32, not fp16; convert it with .to(dtype)
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, ntl.trans(x), ntl.zeros((16, 16), dtype=ntl.float16))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an accumulator and another result",
        """
        def application(x, output):
            acc = ntl.zeros((16, 16), dtype=ntl.float16)
            output = ntl.dot(x, ntl.trans(x), acc, out_dtype=ntl.float32)


        matrices(application, "fp16")
        """,
        """
        TypeMismatchError: ntl.dot: the accumulator is fp16, and out_dtype says fp32; make them equal
          File "kernel.py", line 3, column 14, in application
            output = ntl.dot(x, ntl.trans(x), acc, out_dtype=ntl.float32)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "the operator",
        """
        def application(x, output):
            output = x @ ntl.trans(x)


        matrices(application, "fp16")
        """,
        """
        UnsupportedSyntaxError: the operator @ is not part of the language; write ntl.dot(a, b)
          File "kernel.py", line 2, column 14, in application
            output = x @ ntl.trans(x)
                     ^^^^^^^^^^^^^^^^
        """,
    ),
)
def test_products(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


@each(
    Case(
        "an unknown format",
        """
        def application(x, output):
            output = ntl.dot_scaled(x, None, "e3m2", ntl.trans(x), None, "e2m1")


        matrices(application, "u8")
        """,
        """
        ArgumentError: ntl.dot_scaled: lhs_format is 'e2m1', 'e4m3', 'e5m2', 'bf16' or 'fp16', not 'e3m2'
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot_scaled(x, None, "e3m2", ntl.trans(x), None, "e2m1")
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "formats of 16 bits that differ",
        """
        def application(x, y, output):
            output = ntl.dot_scaled(x, None, "fp16", ntl.trans(y), None, "bf16")


        matrices(application, "fp16", "bf16")
        """,
        """
        ArgumentError: ntl.dot_scaled multiplies no 'bf16' with 'fp16'; convert one with .to(dtype)
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot_scaled(x, None, "fp16", ntl.trans(y), None, "bf16")
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a type that is not the format's",
        """
        def application(x, output):
            output = ntl.dot_scaled(x, None, "e4m3", ntl.trans(x), None, "fp16")


        matrices(application, "fp16")
        """,
        """
        TypeMismatchError: ntl.dot_scaled: 'e4m3' lies in fp8e4nv or u8, not in fp16; pass such a tensor, or take its bits with .to(dtype, bitcast=True)
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot_scaled(x, None, "e4m3", ntl.trans(x), None, "fp16")
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "rows of a format that is not packed",
        """
        def application(x, output):
            output = ntl.dot_scaled(x, None, "fp16", ntl.trans(x), None, "fp16", lhs_k_pack=False)


        matrices(application, "fp16")
        """,
        """
        ArgumentError: ntl.dot_scaled: lhs_k_pack=False is for 'e2m1', which lies two a byte, not for 'fp16'; leave it out
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot_scaled(x, None, "fp16", ntl.trans(x), None, "fp16", lhs_k_pack=False)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a result that is not fp32",
        """
        def application(x, output):
            output = ntl.dot_scaled(x, None, "fp16", ntl.trans(x), None, "fp16", out_dtype=ntl.float16)


        matrices(application, "fp16")
        """,
        """
        TypeMismatchError: ntl.dot_scaled gives fp32; leave out_dtype out, and convert with .to(dtype)
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot_scaled(x, None, "fp16", ntl.trans(x), None, "fp16", out_dtype=ntl.float16)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "elements that do not multiply",
        """
        def application(x, y, output):
            output = ntl.dot_scaled(x, None, "e2m1", ntl.trans(y), None, "fp16")


        matrices(application, "u8", "fp16")
        """,
        """
        ShapeError: ntl.dot_scaled: elements of (16, 64) and (32, 16) do not multiply: 64 is not 32; arrange them so that they agree
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot_scaled(x, None, "e2m1", ntl.trans(y), None, "fp16")
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a depth that scales do not cover",
        """
        def application(x, output):
            output = ntl.dot_scaled(ntl.trans(x), None, "fp16", x, None, "fp16")


        matrices(application, "fp16")
        """,
        """
        ShapeError: ntl.dot_scaled sums along 16 elements, which is no multiple of 32; choose a block size that is one
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot_scaled(ntl.trans(x), None, "fp16", x, None, "fp16")
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "scales of another type",
        """
        def application(x, s, output):
            output = ntl.dot_scaled(x, ntl.sum(s, 1, keep_dims=True), "fp16", ntl.trans(x), None, "fp16")


        matrices(application, "fp16", "fp32")
        """,
        """
        TypeMismatchError: ntl.dot_scaled: lhs_scale holds exponents of two in u8, not fp32; pass a tensor of torch.uint8
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot_scaled(x, ntl.sum(s, 1, keep_dims=True), "fp16", ntl.trans(x), None, "fp16")
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "scales of another shape",
        """
        def application(x, s, output):
            output = ntl.dot_scaled(x, s, "fp16", ntl.trans(x), None, "fp16")


        matrices(application, "fp16", "u8")
        """,
        """
        ShapeError: ntl.dot_scaled: lhs_scale must have the shape (16, 1), one scale for 32 elements along K, not (16, 32)
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot_scaled(x, s, "fp16", ntl.trans(x), None, "fp16")
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a scaled accumulator of another type",
        """
        def application(x, output):
            acc = ntl.zeros((16, 16), dtype=ntl.float16)
            output = ntl.dot_scaled(x, None, "fp16", ntl.trans(x), None, "fp16", acc)


        matrices(application, "fp16")
        """,
        """
        TypeMismatchError: ntl.dot_scaled: the accumulator is fp32, not fp16; convert it with .to(ntl.float32)
          File "kernel.py", line 3, column 14, in application
            output = ntl.dot_scaled(x, None, "fp16", ntl.trans(x), None, "fp16", acc)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
)
def test_scaled_products(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


TARGETS = (
    (
        "sm_80",
        Case(
            "a type that the target has not",
            """
            def application(x, output):
                output = x.to(ntl.float32) + 1


            compiled(matrices(application, "fp8e4nv"))
            """,
            """
            TypeMismatchError: sm_80 has no fp8e4nv; use fp8e5, or a target that has it
              File "kernel.py", line 2, column 14
                output = x.to(ntl.float32) + 1
                         ^
            """,
        ),
    ),
    (
        "sm_90",
        Case(
            "a type of AMD's",
            """
            def application(x, output):
                y = x * 2
                output = y.to(ntl.float8e4b8).to(ntl.float32)


            compiled(matrices(application, "fp32"))
            """,
            """
            TypeMismatchError: sm_90 has no fp8e4b8; use fp8e4nv or fp8e5, or a target that has it
              File "kernel.py", line 3, column 14
                output = y.to(ntl.float8e4b8).to(ntl.float32)
                         ^
            """,
        ),
    ),
    (
        "gfx90a",
        Case(
            "a precision that the target has not",
            """
            def application(x, output):
                output = ntl.sum(ntl.dot(x, ntl.trans(x), input_precision="tf32"))


            compiled(matrices(application, "fp32"))
            """,
            """
            ArgumentError: ntl.dot: gfx90a forms no products of fp32 in 'tf32'; input_precision can be 'ieee', 'bf16x3' or 'bf16x6'
              File "kernel.py", line 2, column 22
                output = ntl.sum(ntl.dot(x, ntl.trans(x), input_precision="tf32"))
                                 ^
            """,
        ),
    ),
    (
        "sm_90",
        Case(
            "more imprecise products than there are",
            """
            def application(x, output):
                output = ntl.sum(ntl.dot(x, ntl.trans(x), max_num_imprecise_acc=64))


            compiled(matrices(application, "fp8e5"))
            """,
            """
            ArgumentError: ntl.dot: max_num_imprecise_acc is 64, and 32 products are summed; give no more
              File "kernel.py", line 2, column 22
                output = ntl.sum(ntl.dot(x, ntl.trans(x), max_num_imprecise_acc=64))
                                 ^
            """,
        ),
    ),
)


@pytest.mark.parametrize(("target", "case"), TARGETS, ids=[case.name for _, case in TARGETS])
def test_targets(target: str, case: Case, tmp_path: Path) -> None:
    """What only a target decides; on the CPU these run."""

    def compiled(kernel: Any) -> None:
        dtype = getattr(torch, DTYPES[kernel.definition.parameters[0].source.dtype].torch)
        values = (torch.zeros((16, 32), dtype=dtype), torch.zeros(16, 32))
        kernel(*values)
        for _ in offline.artifacts(kernel, values, target):
            pass

    error = run(case.source, tmp_path, compiled=compiled)
    found = f"{type(error).__name__}: {error}".replace(f"{tmp_path}/", "")
    assert found == textwrap.dedent(case.message).strip("\n"), found
