"""What signatures tell of the divisors of sizes and strides."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

import ninetoothed
from examples.add import add_kernel
from examples.matmul import matmul_kernel
from ninetoothed import Tensor
from ninetoothed.artifacts.signature import Signature, divisor_of
from ninetoothed.calls.described import described_call

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false


@pytest.mark.parametrize("bytes", [1, 2, 4, 8])
def test_divisors_of_numbers(bytes: int) -> None:
    lanes = 16 // bytes
    for number in range(100):
        # Divisors between are not told.
        known = math.gcd(number, 16)
        assert divisor_of(number, bytes) == (16 if known == 16 else lanes if known >= lanes else 1)


@pytest.mark.parametrize(
    ("dtype", "columns", "divisor"),
    [
        ("i8", 1000, 1),
        ("i8", 1008, 16),
        ("fp8e5", 1000, 1),
        ("i1", 1000, 1),
        ("i1", 1008, 16),
        ("fp16", 1032, 8),
        ("bf16", 1004, 1),
        ("fp32", 1000, 4),
        ("fp32", 1002, 1),
        ("i64", 1002, 2),
        ("fp64", 1001, 1),
    ],
)
def test_rows(dtype: str, columns: int, divisor: int) -> None:
    texts = [f"{name}={dtype}[24, {columns}]" for name in ("input", "other", "output")]
    signature = matmul_kernel.signature((), described_call(", ".join(texts)))
    for param in signature.params:
        # Nothing is moved at once along rows.
        assert param.size_divisors == (1, divisor)
        assert param.stride_divisors == (divisor, 1)


def test_columns() -> None:
    text = "input=fp16[1032, 24][1, 1032], other=fp16[24, 24], output=fp16[1032, 24][1, 2064]"
    input, other, output = matmul_kernel.signature((), described_call(text)).params
    assert (input.size_divisors, input.stride_divisors) == ((8, 1), (1, 8))
    assert (other.size_divisors, other.stride_divisors) == ((1, 8), (8, 1))
    assert (output.size_divisors, output.stride_divisors) == ((8, 1), (1, 16))


def test_the_longest_sequence_tells_nothing() -> None:
    def arrangement(x: Any) -> Any:
        return x.tile((1, -1))

    def application(x: Any) -> None:
        x = x + 1

    kernel = ninetoothed.make(arrangement, application, (Tensor(2, jagged_dim=1),))
    rows, offsets = torch.empty(64), torch.tensor([0, 16, 64])
    (param,) = kernel.signature((torch.nested.nested_tensor_from_jagged(rows, offsets),), {}).params
    assert param.size_divisors == (1, 1)


def test_strides_of_calls_that_differ_in_nothing_else() -> None:
    for stride, divisor in ((33, 1), (40, 8), (36, 1), (48, 16), (40, 8)):
        # One of a known class is not bound in full.
        for _ in range(3):
            given = [torch.empty(32, stride, dtype=torch.float16)[:, :32] for _ in range(3)]
            found = matmul_kernel.signature(given, {}).params
            assert [param.stride_divisors for param in found] == [(divisor, 1)] * 3


def test_calls_of_a_class() -> None:
    def signature(size: int, dtype: torch.dtype = torch.float32) -> Signature:
        return add_kernel.signature([torch.empty(size, dtype=dtype) for _ in range(3)], {})

    assert signature(4) == signature(1000) == signature(24) != signature(16) == signature(4096)
    assert signature(1002) == signature(3) != signature(4)
    assert signature(1000, torch.float16) == signature(8, torch.float16)
    assert signature(1000, torch.float16) != signature(1004, torch.float16)
