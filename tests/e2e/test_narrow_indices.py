"""Kernels of tensors that 32 bits do not reach: what they compute in 32 bits nevertheless."""

from __future__ import annotations

import pytest
import torch

import ninetoothed
from examples import conv2d, matmul, max_pool2d, rotary_embedding, softmax
from ninetoothed import Tensor
from ninetoothed.interpreters import interpret
from tests.e2e.test_alignment_facts import check_hints
from tests.support.everywhere import lowered

CONV = conv2d.make_kernel((2, 2), (3, 3), (2, 2))
POOL = max_pool2d.make_kernel((3, 3), (2, 2), (1, 1), False)


@pytest.mark.parametrize(
    ("kernel", "shapes"),
    [
        (matmul.matmul_kernel, [(33, 70), (70, 47), (33, 47)]),
        (softmax.softmax_kernel, [(5, 100), (5, 100)]),
        (
            rotary_embedding.rotary_embedding_kernel,
            [(2, 3, 2, 32), (3, 16), (3, 16), (2, 3, 2, 32)],
        ),
        (CONV, [(2, 3, 9, 9), (4, 3, 3, 3), (2, 4, 3, 3)]),
        (POOL, [(2, 3, 9, 8), (2, 3, 5, 4)]),
    ],
    ids=["matmul", "softmax", "rotary", "conv2d", "max_pool2d"],
)
def test_the_same_in_both_widths(kernel: ninetoothed.Kernel, shapes: list[tuple[int, ...]]) -> None:
    results: list[torch.Tensor] = []
    for bits in (32, 64):
        torch.manual_seed(0)
        values = [torch.randn(shape, dtype=torch.float16) for shape in shapes]
        values[-1].fill_(float("nan"))
        with pytest.MonkeyPatch.context() as patch:
            check_hints(patch)
            interpret(*lowered(kernel, values, index_bits=bits))
        results.append(values[-1])
    assert torch.equal(*results)
    assert not results[0].isnan().any()


def rows_and_columns(input, output):
    return input.tile((16, 64)), output.tile((16, 64))


def flipped(input, output):
    return input[::-1].tile((16, 64)), output.tile((16, 64))


def behind_a_pad(input, output):
    return tuple(t.flatten().pad(((16, 0),)).tile((64,)) for t in (input, output))


def copy(input, output):
    output = input


@pytest.mark.gpu
@pytest.mark.parametrize("arrangement", [rows_and_columns, flipped, behind_a_pad])
@pytest.mark.parametrize("backend", ["ttir", "triton-python"])
@pytest.mark.parametrize("columns", [1000, 1024])
def test_rows_far_apart(arrangement: object, backend: str, columns: int) -> None:
    """Three rows 2^31 elements apart, of a tensor that is mostly a gap."""
    base = torch.zeros((2 << 31) + (1 << 21), dtype=torch.int8, device="cuda")
    far = torch.as_strided(base, (3, columns), (1 << 31, 1))
    far[:] = torch.randint(-99, 99, far.shape, dtype=torch.int8, device="cuda")
    output = torch.zeros_like(far, memory_format=torch.contiguous_format)
    kernel = ninetoothed.make(arrangement, copy, (Tensor(2), Tensor(2)), backend=backend)
    kernel(far, output)
    assert torch.equal(output, far.flip(0) if arrangement is flipped else far)
    # The other way, the gap stays empty: what is counted in bytes takes eight times as much memory.
    kernel(output, far)
    assert torch.equal(far, output.flip(0) if arrangement is flipped else output)
    far.zero_()
    assert not base.view(torch.int64).any()
