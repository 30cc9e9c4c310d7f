"""The process that interprets Triton-Python: numbers have their types, and no call hangs."""

from __future__ import annotations

import pytest
import torch

from tests.support.interpreted import Case, InterpreterError, Process, kept, run

pytest.importorskip("triton")

HEAD = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
ENDLESS = HEAD + "def f(x):\n    while tl.load(x) == 0:\n        pass\n"
SQUARE = HEAD + "def f(x, y):\n    tl.store(x, y * y)\n"


def test_an_endless_kernel_ends() -> None:
    process = Process(seconds=1)
    with pytest.raises(InterpreterError, match="too long"):
        process.call(Case(ENDLESS, "f", [torch.zeros(1)]))
    assert process.has_ended


def test_calls_follow_a_failure() -> None:
    out = torch.zeros(1, dtype=torch.int64)
    with pytest.raises(InterpreterError, match="nothing"):
        run([Case(HEAD + "def f(x):\n    nothing\n", "f", [out])])
    [[found, _]] = run([Case(SQUARE, "f", [out, 3])])
    assert found.item() == 9


@pytest.mark.parametrize(
    ("type", "dtype", "number", "expected"),
    [
        ("i64", torch.int64, 2**20, 2**40),
        ("i8", torch.int64, 15, -31),
        ("u8", torch.int64, -1, 1),
        ("fp64", torch.float64, 0.1, 0.1 * 0.1),
    ],
)
def test_numbers_have_their_types(
    type: str, dtype: torch.dtype, number: float, expected: float
) -> None:
    out = torch.zeros(1, dtype=dtype)
    [[found, _]] = run([Case(SQUARE, "f", [out, number], types=("*i64", type))])
    assert found.item() == expected


def test_views_share_their_memory() -> None:
    around = torch.zeros(4, dtype=torch.int64)
    [found] = kept(Case(SQUARE, "f", [around[2:], 3], kept=[around]))
    assert found.tolist() == [0, 0, 9, 0]
