"""Rows that begin at multiples of 16 bytes, and not of 16 elements, are moved 16 bytes at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
import torch

from examples import matmul, softmax
from ninetoothed.errors import ArgumentError
from ninetoothed.interpreters import interpret
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.toolchain.triton import compat
from ninetoothed.testing import check_kernel
from tests.support.everywhere import lowered
from tests.support.offline import artifacts, offered

LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
CONFIGS = {"cpu": 2, "cuda": 12}
# Element types, and how many are 16 bytes.
DTYPES = [(torch.float16, 8), (torch.bfloat16, 8), (torch.float32, 4), (torch.float64, 2)]


def widths(kernel: Kernel, values: Sequence[Any]) -> list[Counter[str]]:
    """How the kernel accesses global memory, in each language."""
    found: list[Counter[str]] = []
    for artifact in artifacts(kernel, values, "sm_90"):
        text = next(str(made) for name, made, _ in compat.stages(artifact) if name == "ptx")
        accesses = r"\b(ld|st)\.global[.\w:]*?((?:\.v\d)?)\.b(\d+)|(cp\.async)\.c\w\.shared"
        words = re.findall(accesses, text)
        found.append(Counter("".join(parts) for parts in words))
    return found


@pytest.mark.skipif(not compat.available(), reason="needs Triton")
def test_rows() -> None:
    def of(columns: int) -> list[Counter[str]]:
        return widths(softmax.softmax_kernel, [torch.empty(64, columns) for _ in range(2)])

    for found in of(1000):
        assert set(found) == {"ld.v432", "st.v432"}
    # Four bytes each.
    for found in of(1001):
        assert set(found) == {"ld32", "st32"}


@pytest.mark.skipif(not compat.available(), reason="needs Triton")
def test_products() -> None:
    def of(n: int, k: int) -> list[Counter[str]]:
        sizes = (64, k), (k, n), (64, n)
        values = [torch.empty(size, dtype=torch.float16) for size in sizes]
        return widths(matmul.matmul_kernel, values)

    assert of(1048, 1032) == of(1056, 1040)
    for found in of(1048, 1032):
        assert "cp.async" in found
        assert not any(name.endswith("16") for name in found)
    for found in of(1044, 1036):
        assert "cp.async" not in found


def test_operands_are_not_copied() -> None:
    """They would be to rows that begin at multiples of 16 bytes."""

    def choices(n: int, k: int) -> set[str]:
        sizes = (600, k), (k, n), (600, n)
        values = [torch.empty(size, dtype=torch.float16) for size in sizes]
        return offered(matmul.matmul_kernel, values)

    assert "packed_operands" in choices(1044, 1036)
    assert "packed_operands" not in choices(1048, 1032)
    assert "descriptors" in choices(1048, 1032)


def test_what_is_interpreted_is_of_its_class() -> None:
    module, arguments = lowered(softmax.softmax_kernel, [torch.randn(3, 1000) for _ in range(2)])
    interpret(module, arguments)
    assert torch.allclose(arguments[1], arguments[0].softmax(-1))
    message = "input_size_1 is 1001, and the module is for multiples of 4"
    with pytest.raises(ArgumentError, match=message):
        interpret(module, [torch.randn(3, 1001) for _ in range(2)])


@pytest.mark.parametrize(("dtype", "lanes"), DTYPES, ids=str)
@pytest.mark.parametrize("times", [1, 3, 25])
def test_results_of_rows(device: str, dtype: torch.dtype, lanes: int, times: int) -> None:
    x = torch.randn(37, lanes * times, device=device, dtype=dtype)
    output = torch.empty_like(x)
    ran = check_kernel(
        softmax.softmax_kernel,
        (x, output),
        {"output": x.double().softmax(-1)},
        levels=LEVELS[device],
        configs=CONFIGS[device],
    )
    assert ran


@pytest.mark.parametrize(("dtype", "lanes"), DTYPES[:3], ids=str)
@pytest.mark.parametrize("times", [1, 3])
def test_results_of_products(device: str, dtype: torch.dtype, lanes: int, times: int) -> None:
    """Also of blocks of the matrices, whose rows begin where 16 bytes do."""
    whole = torch.randn(3 * 37, 3 * lanes * times, device=device, dtype=dtype)
    input = whole[37:74, lanes * times : 2 * lanes * times]
    other = torch.randn(5 * lanes, lanes * times, device=device, dtype=dtype).T
    output = torch.empty(37, 5 * lanes, device=device, dtype=dtype)
    check_kernel(
        matmul.matmul_kernel,
        (input, other, output),
        {"output": input.double() @ other.double()},
        levels=LEVELS[device],
        configs=CONFIGS[device],
        rtol=2e-3 if dtype == torch.float32 else None,
        atol=2e-2,
    )
