"""Matrix multiplication of int8, summed in int32: the blocks of examples/matmul.py.

                      other      [ b0 ]     int8
                                 [ b1 ]
input  [ a0 a1 ]      output     [ a0·b0 + a1·b1 ]     int32: every sum is exact
       int8
"""

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples import matmul as mm
from ninetoothed import Tensor


def application(input, other, output):
    accumulator = ntl.zeros(output.shape, dtype=ntl.int32)

    for k in range(input.shape[0]):
        accumulator += ntl.dot(input[k], other[k])

    output = accumulator


int8_matmul_kernel = ninetoothed.make(
    mm.arrangement,
    application,
    (Tensor(2, dtype="i8"), Tensor(2, dtype="i8"), Tensor(2, dtype="i32")),
    kernel_name="int8_matmul_kernel",
)


def int8_matmul(input: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """``input @ other`` in int32 of two matrices of int8, (m, k) and (k, n)."""
    output = input.new_empty(mm.sizes_of(input, other), dtype=torch.int32)
    int8_matmul_kernel(input, other, output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    def inputs(draw, m, n, k):
        def matrix(*shape):
            return draw.integers(128, *shape, low=-128, dtype=torch.int8)

        # Each column in one piece, as tensor cores like it best.
        return matrix(m, k), matrix(n, k).T

    run(
        int8_matmul,
        lambda input, other: input.double() @ other.double(),
        inputs,
        small=(512, 640, 384),
        large=(4096, 4096, 4096),
    )
