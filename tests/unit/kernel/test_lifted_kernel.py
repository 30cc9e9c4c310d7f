"""Kernels for a batch of calls: their arrangements, their proofs, and what they compile to."""

# pyright: reportUnusedVariable=false, reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# Kernels are written in the language, whose parameters have no types.

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.add import add_kernel
from examples.matmul import matmul_kernel
from examples.softmax import softmax_kernel
from ninetoothed import Symbol, Tensor, block_size
from ninetoothed.errors import RaceError
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.kernel.lifted_kernel import LiftedKernel
from ninetoothed.runtime.toolchain.triton import compat
from ninetoothed.symbolic.expr import sym
from ninetoothed.symbolic.normal_form import normalize
from ninetoothed.testing import check_kernel
from tests.support import offline
from tests.support.targets import FEW_TARGETS

BLOCK_SIZE = block_size()


def in_blocks(x, y):
    return x.tile((BLOCK_SIZE,)), y.tile((BLOCK_SIZE,))


def asking(x, y):
    place = x.offsets(0)
    y = x + ntl.load(x.data_ptr() + x.offsets(), mask=place < x.source.shape[0]) * ntl.program_id(0)


ASKING = ninetoothed.make(in_blocks, asking, (Tensor(1), Tensor(1)))


def lifted(kernel: Kernel, *levels: Sequence[str]) -> Kernel:
    """The kernel of nested batches, the innermost first."""
    for batched in levels:
        kernel = LiftedKernel.of(kernel, batched)
    return kernel


def test_arrangements() -> None:
    batch = lifted(matmul_kernel, ("input", "output"))
    assert batch.__name__ == "matmul_kernel_vmap"
    levels = [one.levels for one in batch.definition.parameters]
    for one, single in zip(levels, matmul_kernel.definition.parameters, strict=True):
        assert normalize(one[0][0]) == sym("input_size_0")
        assert [len(row) for row in one] == [3, *map(len, single.levels[1:])]
    sources = [one.source for one in batch.definition.parameters]
    assert [len(one.shape) for one in sources] == [3, 2, 3]
    assert [one.batches for one in sources] == [(True,), (False,), (True,)]
    nested = lifted(matmul_kernel, ("input", "output"), ("other", "output"))
    sources = [one.source for one in nested.definition.parameters]
    assert [one.batches for one in sources] == [(False, True), (True, False), (True, True)]


def test_names_of_the_size() -> None:
    """A symbol of the user's has the name that the size would have."""

    def arrangement(x, y):
        return x.tile((Symbol("x_size_1", constexpr=True),)), y.tile((1,))

    def total(x, y):
        y = ntl.sum(x)

    kernel = ninetoothed.make(arrangement, total, (Tensor(1, name="x"), Tensor(1)))
    batch = lifted(kernel, ("x", "y"))
    assert batch.interface.keywords == ("x_size_1",)
    x, y = torch.arange(12.0).view(2, 6), torch.empty(2, 3)
    batch(x, y, x_size_1=2)
    assert torch.equal(y, x.view(2, 3, 2).sum(2))


def test_races_are_errors() -> None:
    def arrangement(x, y):
        blocks = x.tile((4,))
        return blocks, y.tile((-1,)).expand(blocks.shape)

    def total(x, y):
        y = ntl.sum(x)

    with pytest.warns(ninetoothed.RaceWarning):
        kernel = ninetoothed.make(arrangement, total, (Tensor(1), Tensor(1)))
    with pytest.raises(RaceError, match="two programs write one element of y"):
        lifted(kernel, ("x", "y"))
    tensors = (Tensor(1), Tensor(1, allow_races=True))
    kernel = ninetoothed.make(arrangement, total, tensors)
    assert lifted(kernel, ("x", "y")).__name__ == "total_vmap"


def test_what_is_proved_anew() -> None:
    lines = str(lifted(softmax_kernel, ("input", "output")).report()).splitlines()
    asked = ("in bounds", "coverage", "races", "defined")
    proved = [line for line in lines if line.strip().startswith(asked)]
    assert [line.split()[0] for line in proved] == ["in", "in", *asked[1:]]
    assert all(" proved " in line for line in proved)


def test_every_configuration() -> None:
    x, y = torch.randn(2, 3, 40), torch.randn(3, 40)
    expected = x + y
    add = lifted(add_kernel, ("lhs", "rhs", "output"), ("lhs", "output"))
    check_kernel(add, (x, y, torch.empty(2, 3, 40)), expected, levels=("nt", "tt"))
    nested = lifted(ASKING, ("x", "y"), ("x", "y"))

    def reference(x: torch.Tensor, y: torch.Tensor) -> None:
        for one, other in zip(x.flatten(0, 1), y.flatten(0, 1), strict=True):
            ASKING(one, other)

    # Numbers of programs differ from one choice of block sizes to the next.
    check_kernel(nested, (x, torch.empty_like(x)), reference, configs=1, levels="tt")


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
@pytest.mark.parametrize("language", offline.LANGUAGES)
@pytest.mark.parametrize("target", FEW_TARGETS)
@pytest.mark.parametrize("kernel", [matmul_kernel, ASKING], ids=lambda one: one.__name__)
def test_compiles(kernel: Kernel, target: str, language: str) -> None:
    names = kernel.interface.names
    nested = lifted(kernel, (names[0], names[-1]), names)
    offline.compiled(nested, target, language, dict.fromkeys(names, "fp16"))
