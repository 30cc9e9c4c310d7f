"""Dropout of a tensor of any shape: each program takes one block of the last dim, as in ``silu``.

input    [ 1 2 3 4 | 5  6  7 8 | 9 9 ]      blocks of BLOCK_SIZE elements
output   [ 2 0 0 8 | 10 0 14 0 | 0 18 ]     one program a block; here p is a half

An element is dropped or kept by ``rand(seed, offset)``; the offset is its place in the output,
which is contiguous. So a seed drops the same elements however the input lies in memory, and
whatever the block size is.
"""

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples import silu
from examples.checks import check_floats
from ninetoothed import Tensor


def arrangement(input, p, seed, output):
    input_arranged, output_arranged = silu.arrangement(input, output)
    return input_arranged, p, seed, output_arranged


def application(input, p, seed, output):
    kept = ntl.rand(seed, output.offsets()) >= p
    output = ntl.where(kept, ntl.cast(input, ntl.float32) * (1 / (1 - p)), 0.0)


@ninetoothed.factory
def kernel_of_rank(ndim):
    return ninetoothed.make(
        arrangement,
        application,
        (Tensor(ndim), Tensor(0), Tensor(0, dtype=ninetoothed.int64), Tensor(ndim)),
        kernel_name="dropout_kernel",
    )


dropout_kernel = kernel_of_rank(1)


def dropout(input: torch.Tensor, p: float, seed: int) -> torch.Tensor:
    """Each element with probability ``p`` 0, else divided by ``1 - p``; of any shape.

    What is dropped depends on ``seed``, an integer, and on the shape alone.
    """
    check_floats(input=input)
    if not 0 <= p <= 1:
        raise ValueError(f"p is a probability, from 0 to 1, not {p}")
    output = input.new_empty(input.shape)
    input, flat = silu.flattened(input, output)
    kernel_of_rank(flat.ndim)(input, float(p), seed, flat)
    return output


if __name__ == "__main__":
    from examples.runner import run

    def reference(input, p, seed):
        """The kept elements, scaled; the kernel itself, given ones, shows which are kept."""
        kept = dropout(torch.ones(input.shape, device=input.device), p, seed) != 0
        return input * kept / (1 - p)

    run(
        dropout,
        reference,
        lambda draw, *shape: (draw(*shape), 0.25, 7),
        small=(4, 123, 781),
        large=(16, 2048, 4096),
    )
