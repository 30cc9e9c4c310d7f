"""Dropout of a tensor of any shape: each program takes one block of the last dim, as in ``silu``.

input    [ 1 2 3 4 | 5  6  7 8 | 9 9 ]      blocks of BLOCK_SIZE elements
output   [ 2 0 0 8 | 10 0 14 0 | 0 18 ]     one program a block; here p is a half

Elements are numbered by their places in the output, which is contiguous, and four neighbours share
one call of the generator, which makes four numbers. So a seed drops the same elements however the
input lies in memory, and whatever the block size is.

rand4x(seed, [ 0 1 ])    r0 [ a e ]   r1 [ b f ]   r2 [ c g ]   r3 [ d h ]
interleaved              [ a b c d e f g h ]      the numbers of elements 0 to 7
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


def arrangement_of_odd_rows(input, p, seed, output):
    """Room for blocks that begin up to three elements before their tile."""
    room = ((0, 0),) * (output.ndim - 1) + ((0, 3),)
    return arrangement(input.pad(room), p, seed, output.pad(room))


def number_of_first(output):
    """The number of the first element of a program's tile."""
    row = 0
    for dim in ntl.static_range(output.source.ndim - 1):
        row = row * output.source.shape[dim] + output.offsets(dim)
    return row * output.source.shape[-1] + output.offsets(-1)[0]


def kept_or_zero(input, p, seed, first, block_size):
    """A block that begins with the group of four that element number ``first`` is in."""
    quads = first // 4 + ntl.arange(0, block_size // 4)
    one, two, three, four = ntl.rand4x(seed, quads)
    numbers = ntl.interleave(ntl.interleave(one, three), ntl.interleave(two, four))
    return ntl.where(
        ntl.reshape(numbers, input.shape) >= p, ntl.cast(input, ntl.float32) * (1 / (1 - p)), 0.0
    )


def application(input, p, seed, output):
    output = kept_or_zero(input, p, seed, number_of_first(output), output.shape[-1])


def application_of_odd_rows(input, p, seed, output):
    """Rows begin anywhere in a group of four, and blocks where a group does."""
    place = ()
    for dim in ntl.static_range(output.source.ndim - 1):
        place = (*place, output.offsets(dim))
    first = number_of_first(output)
    column = output.offsets(-1)[0] - first % 4 + ntl.arange(0, output.shape[-1])
    block = input.source[*place, column]
    output.source[*place, column] = kept_or_zero(block, p, seed, first, output.shape[-1])


@ninetoothed.factory
def kernel_of_rank(ndim, is_odd=False):
    return ninetoothed.make(
        arrangement_of_odd_rows if is_odd else arrangement,
        application_of_odd_rows if is_odd else application,
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
    is_odd = flat.ndim > 1 and flat.shape[-1] % 4 != 0
    kernel_of_rank(flat.ndim, is_odd)(input, float(p), seed, flat)
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
