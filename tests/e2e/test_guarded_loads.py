"""Loads that take the guards of the stores behind them: what is stored is the same, and lanes that
are not stored are not read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor
from ninetoothed.compiler.defaults import assumed_signature, pick
from ninetoothed.interpreters import interpret
from ninetoothed.interpreters.trace import Trace
from ninetoothed.verification.translation import validate
from tests.support.everywhere import everywhere, lowered

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

ROWS = Symbol("ROWS", meta=True, lower_bound=2, upper_bound=4)
COLUMNS = Symbol("COLUMNS", meta=True, lower_bound=16, upper_bound=64)
LENGTHS = (0, 1, 7, 4, 0, 9)


def dense_and_sequences(
    lengths: Sequence[int], features: int, rows: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows that are NaN behind the sequences' ends, and empty sequences of these lengths."""
    dense = torch.randn(len(lengths), rows, features)
    for place, length in enumerate(lengths):
        dense[place, length:] = math.nan
    offsets = torch.tensor([0, *lengths]).cumsum(0)
    values = torch.full((sum(lengths), features), -1.0)
    longest = max(lengths)
    return dense, torch.nested.nested_tensor_from_jagged(values, offsets, max_seqlen=longest)


def blocks(tensor: Any) -> Any:
    arranged = tensor.tile((1, ROWS, COLUMNS))
    arranged.dtype = arranged.dtype.squeeze(0)
    return arranged


def cut(dense: Any, sequences: Any) -> tuple[Any, Any]:
    return blocks(dense[:, : sequences.shape[1]]), blocks(sequences)


def squares(dense: Any, sequences: Any) -> None:
    sequences = dense * dense


def expected(dense: torch.Tensor, lengths: Sequence[int]) -> torch.Tensor:
    return torch.cat([dense[place, :length] for place, length in enumerate(lengths)]) ** 2


TENSORS = (Tensor(3), Tensor(3, jagged_dim=1))


@pytest.mark.parametrize("lengths", [LENGTHS, (5,), (3, 0)])
@pytest.mark.parametrize("features", [1, 21, 32])
def test_padding_is_dropped(device: str, lengths: Sequence[int], features: int) -> None:
    dense, sequences = dense_and_sequences(lengths, features, rows=11)

    def check(dense: Any, sequences: Any) -> None:
        torch.testing.assert_close(sequences.values(), expected(dense, lengths))

    everywhere(device, cut, squares, (dense, sequences), check, tensors=TENSORS)


def reads(kernel: ninetoothed.Kernel, *values: Any) -> int:
    """Lanes that are read, in programs as they are compiled."""
    trace = Trace()
    module, arguments = lowered(kernel, values)
    interpret(module, arguments, {}, trace)
    return sum(trace.rows(key).shape[1] for key in trace.keys if key[1] == "read" and key[2])


def test_padding_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    values = dense_and_sequences(LENGTHS, 21, rows=11)
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", "all")
    # As many rows as the longest sequence has, of each.
    assert reads(ninetoothed.make(cut, squares, TENSORS), *values) == 6 * 9 * 21
    monkeypatch.delenv("NINETOOTHED_DISABLE_OPTIMIZATIONS")
    assert reads(ninetoothed.make(cut, squares, TENSORS), *values) == sum(LENGTHS) * 21


def test_what_is_reduced_too_is_read_as_before(device: str) -> None:
    """A column's sum is over all rows, those behind the end of the sequence included."""
    dense, sequences = dense_and_sequences(LENGTHS, 21, rows=9)
    dense = dense.nan_to_num(2.0)

    def application(dense: Any, sequences: Any) -> None:
        sequences = dense - ntl.sum(dense, axis=0)[None, :]

    def arrangement(dense: Any, sequences: Any) -> tuple[Any, Any]:
        dense, sequences = (one.tile((1, 16, COLUMNS)) for one in (dense, sequences))
        dense.dtype, sequences.dtype = dense.dtype.squeeze(0), sequences.dtype.squeeze(0)
        return dense, sequences

    def check(dense: Any, sequences: Any) -> None:
        wanted = [
            dense[place, :length] - dense[place].sum(0) for place, length in enumerate(LENGTHS)
        ]
        torch.testing.assert_close(sequences.values(), torch.cat(wanted), rtol=1e-4, atol=1e-4)

    everywhere(device, arrangement, application, (dense, sequences), check, tensors=TENSORS)


def tiles(*tensors: Any) -> tuple[Any, ...]:
    return tuple(tensor.tile((COLUMNS,)) for tensor in tensors)


def added(x: Any, y: Any, z: Any) -> None:
    z = x + y


@pytest.mark.parametrize("size", [0, 1, 63, 64, 1000, 1001])
def test_the_shortest_tensor_decides(device: str, size: int) -> None:
    x, y, z = torch.randn(size), torch.randn(size), torch.empty(size)

    def check(x: Any, y: Any, z: Any) -> None:
        torch.testing.assert_close(z, x + y)

    everywhere(device, tiles, added, (x, y, z), check)


@pytest.mark.parametrize("size", [1, 1001])
def test_in_place(device: str, size: int) -> None:
    kernel = ninetoothed.make(tiles, added, tuple(Tensor(1) for _ in range(3)))
    x, y = torch.randn(size, device=device), torch.randn(size, device=device)
    wanted = x + y
    kernel(x, y, x)
    torch.testing.assert_close(x, wanted)


def where_and_filled(x: Any, y: Any, z: Any) -> None:
    """Lanes of x that do not exist are 3 where they are stored, also as a condition."""
    z = ntl.where(x > 0, y, x)


def test_lanes_with_a_value_keep_it(device: str) -> None:
    x, y, z = torch.randn(70), torch.randn(100), torch.empty(100)

    def arrangement(x: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
        return x.pad(((0, z.shape[0] - x.shape[0]),)).tile((COLUMNS,)), *tiles(y, z)

    def check(x: Any, y: Any, z: Any) -> None:
        filled = torch.cat([x, torch.full((30,), 3.0, device=x.device)])
        torch.testing.assert_close(z, torch.where(filled > 0, y, filled))

    tensors = (Tensor(1, other=3.0), Tensor(1), Tensor(1))
    everywhere(device, arrangement, where_and_filled, (x, y, z), check, tensors=tensors)


def test_one_block_is_multiplied_and_added(device: str) -> None:
    """All rows of a block that is multiplied reach each row of the product."""
    lengths = (16, 1, 7, 4, 0, 9)
    dense, sequences = dense_and_sequences(lengths, 16, rows=16)
    weight = torch.randn(6, 16, 16)

    def arrangement(*tensors: Any) -> tuple[Any, ...]:
        arranged = [tensor.tile((1, 16, 16)) for tensor in tensors]
        for tensor in arranged:
            tensor.dtype = tensor.dtype.squeeze(0)
        return tuple(arranged)

    def application(x: Any, weight: Any, y: Any) -> None:
        y = ntl.dot(x, weight, weight, input_precision="ieee")

    def check(x: Any, weight: Any, y: Any) -> None:
        wanted = torch.cat([(x @ weight + weight)[at, :end] for at, end in enumerate(lengths)])
        torch.testing.assert_close(y.values(), wanted, rtol=1e-4, atol=1e-4)

    values = (dense.nan_to_num(2.0), weight, sequences)
    tensors = (Tensor(3, other=0), Tensor(3, other=0), Tensor(3, jagged_dim=1))
    everywhere(device, arrangement, application, values, check, tensors=tensors)


@pytest.mark.parametrize("which", [0, 1])
def test_sequences_of_another_program(device: str, which: int) -> None:
    """A program reads one sequence and writes another, which have one tensor of offsets."""
    _, sequences = dense_and_sequences(LENGTHS, 21, rows=9)
    x = torch.nested.nested_tensor_from_jagged(
        torch.randn_like(sequences.values()), sequences.offsets(), max_seqlen=max(LENGTHS)
    )

    def arrangement(*tensors: Any) -> tuple[Any, ...]:
        return tuple(
            blocks(tensor[::-1] if at == which else tensor) for at, tensor in enumerate(tensors)
        )

    def application(x: Any, y: Any) -> None:
        y = x * 2

    def check(x: Any, y: Any) -> None:
        for read, written in zip(reversed(x.unbind()), y.unbind(), strict=True):
            common = min(len(read), len(written))
            torch.testing.assert_close(written[:common], read[:common] * 2)
            torch.testing.assert_close(
                written[common:], torch.full_like(written[common:], 6.0), rtol=0, atol=0
            )

    tensors = (Tensor(3, jagged_dim=1, other=3.0), Tensor(3, jagged_dim=1))
    everywhere(device, arrangement, application, (x, sequences), check, tensors=tensors)


def test_no_pass_changes_what_is_stored() -> None:
    kernel = ninetoothed.make(cut, squares, TENSORS)
    signature = assumed_signature(kernel.definition, {}, {})
    signature, config = pick(kernel.definition, kernel.composed(signature), signature, {})
    report = validate(kernel.definition, signature, config)
    assert report.evaluated["nt-guard-loads"] > 0
