"""``assert_preserves_meaning``: what it compares, what it names, and what it refuses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
import torch
from xdsl.dialects.builtin import StringAttr

import ninetoothed
from examples import add
from ninetoothed import Tensor
from ninetoothed.errors import ArgumentError, MismatchError, PluginError
from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.passes.hoist_loads import HoistLoadsPass
from ninetoothed.passes.lower_accesses import LowerAccessesPass
from ninetoothed.testing import assert_preserves_meaning


@dataclass(frozen=True)
class SwapPass(KernelPass):
    """Swap the operands of an operation: right for a sum, wrong for a difference."""

    name: ClassVar[str] = "my-swap"
    operation: str = "sub"

    def apply_to(self, kernel: nt.KernelOp) -> None:
        for op in kernel.walk():
            if isinstance(op, nt.ElementwiseOp) and op.function.data == self.operation:
                op.operands = list(op.operands)[::-1]


@dataclass(frozen=True)
class NothingPass(KernelPass):
    """Change nothing."""

    name: ClassVar[str] = "my-nothing"

    def apply_to(self, kernel: nt.KernelOp) -> None:
        pass


@dataclass(frozen=True)
class UnknownFunctionPass(KernelPass):
    """Name functions that there are not: what it leaves is not valid."""

    name: ClassVar[str] = "my-unknown-function"

    def apply_to(self, kernel: nt.KernelOp) -> None:
        for op in kernel.walk():
            if isinstance(op, nt.ElementwiseOp):
                op.properties["function"] = StringAttr("nonsense")


def _ints() -> list[torch.Tensor]:
    return [torch.arange(16.0), torch.full((16,), 2.0), torch.zeros(16)]


def _subtract(x: Any, y: Any, z: Any) -> None:
    z = x - y  # pyright: ignore[reportUnusedVariable]


def _arrangement(
    x: Tensor, y: Tensor, z: Tensor, BLOCK: ninetoothed.Symbol = ninetoothed.block_size()
) -> tuple[Tensor, ...]:
    return x.tile((BLOCK,)), y.tile((BLOCK,)), z.tile((BLOCK,))


def test_a_right_pass_over_random_programs() -> None:
    swap = SwapPass("add")
    changed = assert_preserves_meaning(swap, after="nt-specialize", count=12)
    assert 0 < changed < 12


@pytest.mark.parametrize("place", ["arranged", "composed", "nt-specialize"])
def test_a_wrong_pass_is_named_with_the_program_and_its_diff(place: str) -> None:
    with pytest.raises(MismatchError) as caught:
        assert_preserves_meaning(SwapPass, after=place)
    text = str(caught.value)
    assert re.match(
        r"my-swap changes the meaning: behind it y\d has other elements than before", text
    )
    assert "def application(" in text
    (removed,) = re.findall(r'^-.*nt.elementwise "sub"\((%\w+), (%\w+)\)', text, re.M)
    (added,) = re.findall(r'^\+.*nt.elementwise "sub"\((%\w+), (%\w+)\)', text, re.M)
    assert removed == added[::-1]


def test_passes_of_the_pipeline_run_at_their_own_place_with_its_options() -> None:
    assert assert_preserves_meaning(LowerAccessesPass, count=4) == 4
    assert assert_preserves_meaning(HoistLoadsPass, count=30)


def test_kernels() -> None:
    calls = [(add.add_kernel, _ints())]
    assert assert_preserves_meaning(SwapPass("add"), before="padded", calls=calls) == 1
    kernel = ninetoothed.make(_arrangement, _subtract, (Tensor(1), Tensor(1), Tensor(1)))
    arguments = _ints()
    with pytest.raises(MismatchError, match=r"(?s)^my-swap changes .*\nkernel '_subtract' with"):
        assert_preserves_meaning(SwapPass, after="composed", calls=[(kernel, arguments)])
    assert arguments[2].eq(0).all()


MODULE = """
nt.kernel @k symbols [] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[4] x f32>
  %0 = nt.access %x <[[1], [4]] -> [b0]> : !nt.tensor<[4] x f32> -> !nt.tensor<[1] x !nt.tensor<[4] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[4] x f32>
  %1 = nt.access %y <[[1], [4]] -> [b0]> : !nt.tensor<[4] x f32> -> !nt.tensor<[1] x !nt.tensor<[4] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[4] x f32>>, !nt.tensor<[1] x !nt.tensor<[4] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4] x f32>, %b : !nt.tensor<[4] x f32>):
  %v = nt.load %a[] : !nt.tensor<[4] x f32>[] -> !nt.tensor<[4] x f32>
  %w = nt.load %b[] : !nt.tensor<[4] x f32>[] -> !nt.tensor<[4] x f32>
  %d = nt.elementwise "sub"(%v, %w) : (!nt.tensor<[4] x f32>, !nt.tensor<[4] x f32>) -> !nt.tensor<[4] x f32>
  nt.store %d, %b[] : !nt.tensor<[4] x f32>, !nt.tensor<[4] x f32>[]
  nt.return
}
"""  # noqa: E501


def test_text() -> None:
    call = (MODULE, [torch.ones(4), torch.arange(4.0)])
    with pytest.raises(MismatchError, match=r"^my-swap changes the meaning: behind it argument 1"):
        assert_preserves_meaning(SwapPass, calls=[call])


_BROKEN = (
    r"(?s)^pass my-unknown-function \(tests\.unit\.testing\.test_preserved_meaning\."
    r"UnknownFunctionPass\): after my-unknown-function the IR is not valid: .*; it changed\n"
    r"--- before my-unknown-function\n"
)


def test_a_module_that_is_not_valid() -> None:
    with pytest.raises(PluginError, match=_BROKEN):
        assert_preserves_meaning(UnknownFunctionPass, after="nt-specialize")


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        (
            {"after": "nt-specialize", "count": 3},
            "my-nothing changed none of 3 kernels, so nothing was compared; give calls of kernels "
            "that it changes, other options, or another place",
        ),
        ({}, "my-nothing has no place in the pipeline; give one, as after='nt-specialize'"),
        ({"after": "a", "before": "b"}, "give before or after, not both"),
        (
            {"after": "nt-specialise"},
            "there is no pass or stage 'nt-specialise' in the pipeline; "
            "did you mean nt-specialize?",
        ),
        (
            {"before": "cse"},
            "cse runs in the stages addressed and tt; name another pass, or a stage",
        ),
        (
            {"before": "tt", "families": ["rings"]},
            "there is no family 'rings' of programs; families are vectors, matrices, rows, whole, "
            "flat, windows, products, columns",
        ),
    ],
)
def test_refusals(keywords: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        assert_preserves_meaning(NothingPass, **keywords)  # pyright: ignore[reportArgumentType]
    assert caught.value.message == message
