"""Wrong passes at every place of the pipeline: ``assert_preserves_meaning`` finds each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest
import torch
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.passes import ModulePass

import ninetoothed
from ninetoothed import Tensor
from ninetoothed.errors import MismatchError
from ninetoothed.ir import nt, tt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.passes.pipeline import ANNOTATED, SPECIALIZED
from ninetoothed.testing import assert_preserves_meaning


@dataclass(frozen=True)
class SwapPass(ModulePass):
    """Swap the operands of differences: another value."""

    name = "my-swap"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for one in op.walk():
            is_difference = isinstance(one, nt.ElementwiseOp) and one.function.data == "sub"
            if is_difference or isinstance(one, arith.SubfOp):
                one.operands = list(one.operands)[::-1]


@dataclass(frozen=True)
class FalseClaimPass(KernelPass):
    """Claim that every size is at least 32: nothing changes before a pass believes it."""

    name: ClassVar[str] = "my-false-claim"

    def apply_to(self, kernel: nt.KernelOp) -> None:
        kernel.symbols = ArrayAttr(
            nt.SymbolAttr(replace(decl, lower=32) if decl.kind == "size" else decl)
            for decl in kernel.declarations
        )


@dataclass(frozen=True)
class UnguardPass(KernelPass):
    """Leave out the guards of accesses: other elements."""

    name: ClassVar[str] = "my-unguard"

    def apply_to(self, kernel: nt.KernelOp) -> None:
        for op in kernel.walk():
            if isinstance(op, nt.AccessOp):
                op.access = nt.AccessAttr(replace(op.access.data, guards=()))


@dataclass(frozen=True)
class UnmaskPass(ModulePass):
    """Leave out the masks of stores: other elements, again."""

    name = "my-unmask"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for one in op.walk():
            if isinstance(one, tt.StoreOp):
                one.operands = [one.ptr, one.value]


def _arrangement(x: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, ...]:
    return tuple(t.pad(((0, 32),))[0:32].tile((32,)) for t in (x, y, z))


def _application(x: Any, y: Any, z: Any) -> None:
    z = x - y  # pyright: ignore[reportUnusedVariable]


KERNEL = ninetoothed.make(_arrangement, _application, (Tensor(1), Tensor(1), Tensor(1)))
STAGES = [stage for stage, _ in (*ANNOTATED, *SPECIALIZED)]
PASSES = [name for _, names in (*ANNOTATED, *SPECIALIZED) for name in names]
# Those of one place.
PLACES = [name for name in PASSES if PASSES.count(name) == 1]


def found(pass_: ModulePass, before: str | None = None, after: str | None = None) -> str:
    """How a mistake is reported, of a call with a border."""
    # Behind the tensor lies memory, so that a wrong address is no error of its own.
    tensors = [torch.arange(96.0)[:20], torch.full((96,), 2.0)[:20], torch.zeros(96)[:20]]
    with pytest.raises(MismatchError) as caught:
        assert_preserves_meaning(pass_, before=before, after=after, calls=[(KERNEL, tensors)])
    return caught.value.message


@pytest.mark.parametrize("place", PLACES)
def test_another_value_behind_every_pass(place: str) -> None:
    assert found(SwapPass(), after=place).startswith(
        "my-swap changes the meaning: behind it z has other elements than before"
    )


@pytest.mark.parametrize("stage", STAGES)
def test_another_value_in_front_of_every_stage(stage: str) -> None:
    assert found(SwapPass(), before=stage).startswith(
        "my-swap changes the meaning: behind it z has other elements than before"
    )


@pytest.mark.parametrize("stage", ["arranged", "composed", "specialized", "padded", "scheduled"])
def test_a_false_claim_is_found_at_the_end(stage: str) -> None:
    assert found(FalseClaimPass(), before=stage).startswith(
        "my-false-claim changes the meaning: at the pipeline's end "
    )


@pytest.mark.parametrize("stage", ["specialized", "padded", "scheduled", "addressed"])
def test_other_elements_of_accesses(stage: str) -> None:
    assert found(UnguardPass(), before=stage).startswith(
        "my-unguard changes the meaning: behind it "
    )


@pytest.mark.parametrize("place", ["nt-lower-accesses", "addressed", "nt-lower-to-tt", "tt"])
def test_other_elements_of_pointers(place: str) -> None:
    assert found(UnmaskPass(), after=place).startswith("my-unmask changes the meaning: behind it ")
