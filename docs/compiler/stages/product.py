"""The product of two matrices that the pages of stages show."""

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor, block_size, float16

BLOCK_SIZE_M, BLOCK_SIZE_N = block_size(), block_size()
BLOCK_SIZE_K = 48  # Not a power of two, so that there is something to pad.


def arrangement(lhs, rhs, output):
    output = output.tile((BLOCK_SIZE_M, BLOCK_SIZE_N))

    lhs = lhs.tile((BLOCK_SIZE_M, BLOCK_SIZE_K)).tile((1, -1)).expand((-1, output.shape[1]))
    lhs.dtype = lhs.dtype.squeeze(0)

    rhs = rhs.tile((BLOCK_SIZE_K, BLOCK_SIZE_N)).tile((-1, 1)).expand((output.shape[0], -1))
    rhs.dtype = rhs.dtype.squeeze(1)

    return lhs, rhs, output


def application(lhs, rhs, output):
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
    for k in range(lhs.shape[0]):
        accumulator += ntl.dot(lhs[k], rhs[k])
    output = accumulator


# Zeros beyond the ends: with them, no check of the sizes that are summed over is needed.
lhs, rhs = (Tensor(2, dtype=float16, other=0) for _ in range(2))
product = ninetoothed.make(
    arrangement, application, (lhs, rhs, Tensor(2, dtype=float16)), kernel_name="product"
)
