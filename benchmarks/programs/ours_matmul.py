"""Matrix multiplication."""

import functools

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor, block_size


def arrangement(input, other, output, block_m, block_n, block_k):
    output_arranged = output.tile((block_m, block_n))

    input_arranged = input.tile((block_m, block_k)).tile((1, -1))
    input_arranged = input_arranged.expand((-1, output_arranged.shape[1]))
    input_arranged.dtype = input_arranged.dtype.squeeze(0)

    other_arranged = other.tile((block_k, block_n)).tile((-1, 1))
    other_arranged = other_arranged.expand((output_arranged.shape[0], -1))
    other_arranged.dtype = other_arranged.dtype.squeeze(1)

    return input_arranged, other_arranged, output_arranged


def application(input, other, output):
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)

    for k in range(input.shape[0]):
        accumulator += ntl.dot(input[k], other[k])

    output = accumulator


def _make(block_m, block_n, block_k, **options):
    arranged = functools.partial(arrangement, block_m=block_m, block_n=block_n, block_k=block_k)
    tensors = (Tensor(2), Tensor(2), Tensor(2))
    return ninetoothed.make(arranged, application, tensors, kernel_name="matmul", **options)


def fixed():
    """The kernel ``output = input @ other`` with one choice of blocks."""
    return _make(128, 128, 64, num_warps=8, num_stages=3)


def tuned():
    """The same kernel, whose blocks the compiler chooses."""
    return _make(block_size(), block_size(), block_size())
