"""Vectors around what Triton finds out about alignment by itself."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation, SSAValue

import ninetoothed
from ninetoothed import Tensor
from ninetoothed.interpreters import interpret
from ninetoothed.interpreters.machine import Machine
from ninetoothed.ir import tt
from ninetoothed.runtime.toolchain.triton import compat
from tests.property.test_alignment import broken
from tests.support import profiles
from tests.support.everywhere import everywhere, lowered
from tests.support.offline import LANGUAGES, artifacts


def shifted(x, y):
    """A flat tensor behind 16 zeros, cut off where it ends."""
    return tuple(t.flatten().pad(((16, -16),)).tile((1024,)) for t in (x, y))


def copy(x, y):
    y = x


def accesses(rows: int, columns: int) -> list[Counter[str]]:
    """The global accesses of the kernel by width, in each language."""
    # Rows are apart: dims of a contiguous tensor are one.
    values = [torch.empty(rows, columns + 16, dtype=torch.float16)[:, :columns] for _ in range(2)]
    kernel = ninetoothed.make(shifted, copy, (Tensor(2), Tensor(2)), num_warps=4)
    found: list[Counter[str]] = []
    for artifact in artifacts(kernel, values, "sm_90"):
        texts = {name: str(made) for name, made, _ in compat.stages(artifact)}
        words = re.findall(r"\b(ld|st)\.global[.\w:]*?((?:\.v\d)?)\.b(\d+)", texts["ptx"])
        found.append(Counter(f"{kind}{vector}.b{bits}" for kind, vector, bits in words))
    return found


@pytest.mark.skipif(not compat.available(), reason="needs Triton")
def test_full_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    assert accesses(64, 48) == [{"ld.v4.b32": 1, "st.v4.b32": 1}] * len(LANGUAGES)
    # Rows that start anywhere have elements one by one.
    assert accesses(64, 49) == [{"ld.b16": 8, "st.b16": 8}] * len(LANGUAGES)
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", "alignment_facts")
    assert accesses(64, 48) == [{"ld.b16": 8, "st.b16": 8}] * len(LANGUAGES)


@pytest.mark.parametrize("columns", [48, 49])
def test_elements(device: str, columns: int) -> None:
    x = torch.randn(64, columns)
    everywhere(device, shifted, copy, [x, torch.full_like(x, 7)], check)


def check(x: torch.Tensor, y: torch.Tensor) -> None:
    # What lies behind the cut has no element of the arranged tensor.
    assert torch.equal(y.flatten()[:-16], x.flatten()[:-16])
    assert y.flatten()[-16:].eq(7).all()


Steps = list[tuple[str, Any]]


@st.composite
def moves(draw: st.DrawFn) -> tuple[Steps, int, int]:
    """Steps of an arrangement of a tensor, and its rows and columns."""
    rows, columns = draw(st.sampled_from([16, 24, 32, 48])), draw(st.sampled_from([3, 16, 33, 48]))
    sizes, steps = [rows, columns], Steps()
    for kind in draw(st.lists(st.sampled_from(["pad", "pad", "flatten", "flip"]), max_size=4)):
        if kind == "pad":
            margins: list[tuple[int, int]] = []
            for dim, size in enumerate(sizes):
                least = -16 if size > 32 else -8 if size > 16 else 0
                widths = [n for n in (-16, -13, -8, 0, 1, 8, 16, 16, 32, 40) if n >= least]
                margins.append((draw(st.sampled_from(widths)), draw(st.sampled_from(widths))))
                sizes[dim] += sum(margins[-1])
            steps.append((kind, tuple(margins)))
        elif kind == "flatten":
            sizes = [math.prod(sizes)]
            steps.append((kind, None))
        else:
            steps.append((kind, draw(st.integers(0, len(sizes) - 1))))
    lanes = st.sampled_from([1, 16, 64])
    return [*steps, ("tile", tuple(draw(lanes) for _ in sizes))], rows, columns


def arranged(t: Tensor, steps: Steps) -> Tensor:
    """The tensor behind ``steps``."""
    for kind, value in steps:
        if kind == "flip":
            t = t[tuple(slice(None, None, -1 if d == value else 1) for d in range(t.ndim))]
        elif kind == "flatten":
            t = t.flatten()
        else:
            t = getattr(t, kind)(value)
    return t


def check_hints(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Let the interpreter compare the hints of each op with its result; returns what it sees."""
    plain = Machine.put
    seen = Counter[str]()

    def put(self: Machine, value: SSAValue, data: torch.Tensor, guard: Any = None) -> None:
        op = value.owner
        hints = op.attributes if isinstance(op, Operation) else {}
        dense: dict[str, Any] = {
            name[3:]: attribute
            for name, attribute in hints.items()
            if isinstance(attribute, DenseIntOrFPElementsAttr)
        }
        shape = tt.shape_of(value.type)
        for dim in range(max(1, len(shape))) if dense else ():
            numbers = {name: int(one.get_values()[dim]) for name, one in dense.items()}
            seen.update(name for name, number in numbers.items() if number > 1)
            values = data.broadcast_to(data.shape[0], *shape).reshape(-1, *(shape or (1,)))
            found = broken(numbers, values.numpy(), dim + 1)
            assert found is None, f"{found} of {op} along {dim}"
        plain(self, value, data, guard)

    monkeypatch.setattr(Machine, "put", put)
    return seen


def compared(steps: Steps, rows: int, columns: int, index_bits: int = 32) -> Counter[str]:
    """The hints of a kernel by kind, compared with the results of their ops."""

    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return arranged(x, steps), arranged(y, steps)

    # Rows are apart: dims of a contiguous tensor are one.
    x = torch.randn(rows, columns + 16)[:, :columns]
    kernel = ninetoothed.make(arrangement, copy, (Tensor(2), Tensor(2)))
    y, expected = torch.zeros_like(x), torch.zeros_like(x)
    kernel(x, expected)
    with pytest.MonkeyPatch.context() as patch:
        seen = check_hints(patch)
        interpret(*lowered(kernel, [x, y], index_bits=index_bits))
    assert torch.equal(y, expected)
    return seen


@settings(max_examples=profiles.cases(40, 1000))
@given(moves(), st.sampled_from([32, 64]))
def test_hints_of_kernels(case: tuple[Steps, int, int], index_bits: int) -> None:
    compared(*case, index_bits)


@pytest.mark.parametrize("margins", [(16, 16), (32, -16), (16, 5)], ids=str)
def test_hints_of_a_padded_vector(margins: tuple[int, int]) -> None:
    steps = [("flatten", None), ("pad", (margins,)), ("tile", (64,))]
    assert set(compared(steps, 32, 48)) == {"divisibility", "contiguity", "constancy"}
    assert set(compared(steps, 32, 33)) == set()
