"""Programs that store nothing do nothing: what is stored is the same, and nothing else is read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.grouped_matmul import grouped_matmul_kernel
from ninetoothed import Symbol, Tensor
from ninetoothed.compiler.defaults import assumed_signature, pick
from ninetoothed.interpreters import interpret
from ninetoothed.interpreters.trace import Trace
from ninetoothed.testing import check_kernel
from ninetoothed.verification.translation import validate
from tests.support.everywhere import everywhere, lowered

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

ROWS = Symbol("ROWS", meta=True, lower_bound=16, upper_bound=32)
LENGTHS = (0, 1, 40, 16, 0, 33)


def sequences(lengths: Sequence[int], *rest: int) -> torch.Tensor:
    offsets = torch.tensor([0, *lengths]).cumsum(0)
    values = torch.randn((sum(lengths), *rest))
    return torch.nested.nested_tensor_from_jagged(values, offsets, max_seqlen=max(lengths))


def empty_like(tensor: torch.Tensor) -> torch.Tensor:
    values = torch.full_like(tensor.values(), math.nan)
    return torch.nested.nested_tensor_from_jagged(
        values, tensor.offsets(), max_seqlen=tensor._get_max_seqlen()
    )


def sums_of_columns(weight: Any, x: Any, out: Any) -> tuple[Any, Any, Any]:
    """A column of weights, one at a time, and a block of positions of a sequence."""
    x, out = x.tile((1, ROWS)), out.tile((1, ROWS))
    weight = weight.tile((1, -1)).expand((-1, x.shape[1]))
    x.dtype, out.dtype = x.dtype.squeeze(0), out.dtype.squeeze(0)
    weight.dtype = weight.dtype.squeeze(0).tile((1,))
    weight.dtype.dtype = weight.dtype.dtype.squeeze(0)
    return weight, x, out


def scaled(weight: Any, x: Any, out: Any) -> None:
    total = ntl.zeros(x.shape, dtype=ntl.float32)
    for k in range(weight.shape[0]):
        total += weight[k] * x
    out = total


TENSORS = (Tensor(2), Tensor(2, jagged_dim=1), Tensor(2, jagged_dim=1))


@pytest.mark.parametrize("lengths", [LENGTHS, (5,), (0, 3)])
@pytest.mark.parametrize("count", [0, 1, 5])
def test_loops(device: str, lengths: Sequence[int], count: int) -> None:
    weight, x = torch.randn(len(lengths), count), sequences(lengths)

    def check(weight: Any, x: Any, out: Any) -> None:
        pairs = zip(weight.sum(1), x.unbind(), strict=True)
        wanted = torch.cat([total * rows for total, rows in pairs])
        torch.testing.assert_close(out.values(), wanted, rtol=1e-4, atol=1e-4)

    if count:
        everywhere(device, sums_of_columns, scaled, (weight, x, empty_like(x)), check, TENSORS)


def reads(kernel: ninetoothed.Kernel, parameter: str, *values: Any) -> int:
    """Lanes of a parameter that are read, in programs as they are compiled."""
    trace = Trace()
    module, arguments = lowered(kernel, values)
    interpret(module, arguments, {}, trace)
    keys = [key for key in trace.keys if key[:2] == (parameter, "read")]
    return sum(trace.rows(key).shape[1] for key in keys)


def test_a_loop_of_an_empty_program_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    x = sequences(LENGTHS)
    values = (torch.randn(len(LENGTHS), 5), x, empty_like(x))
    kernel = ninetoothed.make(sums_of_columns, scaled, TENSORS)
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", "skipped_programs")
    every = reads(kernel, "weight", *values)
    monkeypatch.delenv("NINETOOTHED_DISABLE_OPTIMIZATIONS")
    some = reads(kernel, "weight", *values)
    rows = next(rows for rows in (16, 32) if every == len(LENGTHS) * -(-40 // rows) * 5)
    assert some == sum(-(-length // rows) for length in LENGTHS) * 5


def with_an_assertion(weight: Any, x: Any, out: Any) -> None:
    ntl.device_assert(weight.shape[0] > 0)
    out = x * 2


def test_an_assertion_is_seen_by_every_program() -> None:
    text = ninetoothed.make(sums_of_columns, with_an_assertion, TENSORS).ir("scheduled")
    assert "nt.assert" in text
    assert "nt.holds" not in text


def few_and_many(x: Any, few: Any) -> tuple[Any, Any]:
    return x.tile((16,)), few.tile((1,))


def sums(x: Any, few: Any) -> None:
    few = ntl.sum(x)


@pytest.mark.filterwarnings("ignore::ninetoothed.errors.AgreementWarning")
def test_programs_without_an_element(device: str) -> None:
    """Three elements are stored, though there are more programs."""
    x = torch.arange(500.0, device=device)
    kernel = ninetoothed.make(few_and_many, sums, (Tensor(1), Tensor(1)))
    wanted = [x[start : start + 16].sum() for start in (0, 16, 32)]
    few = torch.empty(3, device=device)
    levels = ("nt", "tt") if device == "cpu" else "nt"
    check_kernel(kernel, (x, few), torch.stack(wanted), levels=levels)


def test_no_pass_changes_what_is_stored() -> None:
    for kernel in (ninetoothed.make(sums_of_columns, scaled, TENSORS), grouped_matmul_kernel):
        signature = assumed_signature(kernel.definition, {}, {})
        signature, config = pick(kernel.definition, kernel.composed(signature), signature, {})
        report = validate(kernel.definition, signature, config)
        assert report.evaluated["nt-skip-programs"] > 0
