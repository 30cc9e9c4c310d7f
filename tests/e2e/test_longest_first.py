"""Programs of which the last iterate most start in reverse order: each computes what it did."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.attention import attention_kernel
from ninetoothed import Symbol, Tensor
from ninetoothed.compiler.defaults import assumed_signature, pick
from ninetoothed.errors import CompilerError
from ninetoothed.interpreters import interpret
from ninetoothed.passes import find_pass
from ninetoothed.verification.translation import validate
from tests.support.everywhere import everywhere, lowered

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

SIZE = Symbol("SIZE", meta=True, lower_bound=16, upper_bound=32)


def arrangement(x: Any, y: Any, numbers: Any, noise: Any) -> tuple[Any, ...]:
    """All blocks of a row, and one of them a program."""
    blocks = [one.tile((1, SIZE)) for one in (y, numbers, noise)]
    x = x.tile((1, SIZE)).tile((1, -1)).expand((-1, blocks[0].shape[1]))
    x.dtype = x.dtype.squeeze(0)
    x.dtype.dtype = x.dtype.dtype.squeeze(0)
    for block in blocks:
        block.dtype = block.dtype.squeeze(0)
    return x, *blocks


def sums_and_numbers(x: Any, y: Any, numbers: Any, noise: Any) -> None:
    total = ntl.zeros(y.shape, dtype=ntl.float32)
    for i in range(y.offsets(1)[0] // y.shape[0] + 1):
        total += x[i]
    y = total
    numbers = ntl.full(numbers.shape, ntl.program_id(0), dtype=ntl.int32)
    noise = total


def sums_up_to_here(x: Any, y: Any, numbers: Any, noise: Any) -> None:
    sums_and_numbers(x, y, numbers, noise)
    noise = ntl.rand(7, ntl.program_id(0) * noise.shape[0] + ntl.arange(0, noise.shape[0]))


@pytest.mark.parametrize("columns", [1, 33, 64, 200])
@pytest.mark.parametrize("rows", [0, 1, 3])
def test_numbers_of_programs_stay(
    device: str, rows: int, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = (
        torch.randn(rows, columns),
        torch.empty(rows, columns),
        torch.empty(rows, columns, dtype=torch.int32),
        torch.empty(rows, columns),
    )
    found: list[list[torch.Tensor]] = []

    def check(*values: torch.Tensor) -> None:
        x, y, numbers, noise = (value.cpu() for value in values)
        if rows:
            block = int((numbers[0] == 0).sum()) if columns > 32 else 32
            padded = torch.nn.functional.pad(x, (0, -columns % block))
            sums = padded.reshape(rows, -1, block).cumsum(1).reshape(rows, -1)[:, :columns]
            torch.testing.assert_close(y, sums, rtol=1e-4, atol=1e-4)
            first = numbers[:, ::block].reshape(-1)
            assert first.tolist() == list(range(len(first)))
        found.append([numbers, noise])

    # The random numbers depend on the block size.
    monkeypatch.setenv("NINETOOTHED_TUNE", "off")
    for without in ("", "longest_first"):
        monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", without)
        everywhere(device, arrangement, sums_up_to_here, values, check)
    half = len(found) // 2
    for one, two in zip(found[:half], found[half:], strict=True):
        assert all(map(torch.equal, one, two))


@pytest.mark.parametrize("index_bits", [32, 64])
def test_numbers_and_indices_are_of_one_program(index_bits: int) -> None:
    """Of tensors beyond 32 bits, indices are computed apart from the number."""
    kernel = ninetoothed.make(arrangement, sums_up_to_here, tuple(Tensor(2) for _ in range(4)))
    x, numbers = torch.randn(3, 200), torch.empty(3, 200, dtype=torch.int32)
    values = (x, torch.empty_like(x), numbers, torch.empty_like(x))
    module, arguments = lowered(kernel, values, index_bits=index_bits)
    assert "tt.get_program_id" in str(module)
    interpret(module, arguments)
    block = int((numbers[0] == 0).sum())
    assert block > 0
    first = numbers[:, ::block].reshape(-1)
    assert first.tolist() == list(range(len(first)))


def test_they_start_with_the_last() -> None:
    kernel = ninetoothed.make(arrangement, sums_up_to_here, tuple(Tensor(2) for _ in range(4)))
    assert "nt.program_id last <" in kernel.ir("scheduled")


def test_no_pass_changes_what_is_touched() -> None:
    kernel = attention_kernel
    signature = assumed_signature(kernel.definition, {}, {"is_causal": True})
    signature, config = pick(kernel.definition, kernel.composed(signature), signature, {})
    assert "program_id last" in kernel.ir("scheduled", values={"is_causal": True})
    assert validate(kernel.definition, signature, config).cases > 0


def test_the_order_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Translation validation knows of no other order than the one that the pass declares. (Random
    numbers would take it four times as long.)
    """
    kernel = ninetoothed.make(arrangement, sums_and_numbers, tuple(Tensor(2) for _ in range(4)))
    signature = assumed_signature(kernel.definition, {}, {})
    signature, config = pick(kernel.definition, kernel.composed(signature), signature, {})
    assert validate(kernel.definition, signature, config).cases > 0
    assert validate(kernel.definition, replace(signature, index_bits=64), config).cases > 0
    schedule = find_pass("nt-schedule-programs")
    monkeypatch.setattr(schedule, "number_before", lambda *_: None)
    with pytest.raises(CompilerError, match="nt-schedule-programs changes which elements"):
        validate(kernel.definition, signature, config)
