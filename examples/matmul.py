"""Matrix multiplication: each program computes one block of the output.

                      other      [ b0 ]     a column of blocks of BLOCK_SIZE_K × BLOCK_SIZE_N
                                 [ b1 ]
input  [ a0 a1 ]      output     [ a0·b0 + a1·b1 ]
       a row of blocks of BLOCK_SIZE_M × BLOCK_SIZE_K
"""

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.checks import check_floats
from ninetoothed import Tensor, block_size

BLOCK_SIZE_M = block_size()
BLOCK_SIZE_N = block_size()
BLOCK_SIZE_K = block_size()


def arrangement(input, other, output):
    output_arranged = output.tile((BLOCK_SIZE_M, BLOCK_SIZE_N))

    input_arranged = input.tile((BLOCK_SIZE_M, BLOCK_SIZE_K))
    input_arranged = input_arranged.tile((1, -1))
    input_arranged = input_arranged.expand((-1, output_arranged.shape[1]))
    input_arranged.dtype = input_arranged.dtype.squeeze(0)

    other_arranged = other.tile((BLOCK_SIZE_K, BLOCK_SIZE_N))
    other_arranged = other_arranged.tile((-1, 1))
    other_arranged = other_arranged.expand((output_arranged.shape[0], -1))
    other_arranged.dtype = other_arranged.dtype.squeeze(1)

    return input_arranged, other_arranged, output_arranged


def application(input, other, output):
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)

    for k in range(input.shape[0]):
        accumulator += ntl.dot(input[k], other[k])

    output = accumulator


matmul_kernel = ninetoothed.make(
    arrangement, application, (Tensor(2), Tensor(2), Tensor(2)), kernel_name="matmul_kernel"
)


def sizes_of(input: torch.Tensor, other: torch.Tensor) -> tuple[int, int]:
    """The sizes of ``input @ other``; a ValueError where it is not defined for two matrices."""
    rows, columns = input.shape, other.shape
    if len(rows) != 2 or len(columns) != 2 or rows[1] != columns[0]:
        raise ValueError(
            f"the matrices' shapes, {tuple(rows)} and {tuple(columns)}, must be (m, k) and (k, n)"
        )
    return rows[0], columns[1]


def matmul(input: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """``input @ other`` of two matrices, (m, k) and (k, n), of one element type."""
    check_floats(one_dtype=True, input=input, other=other)
    output = input.new_empty(*sizes_of(input, other))
    matmul_kernel(input, other, output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    run(
        matmul,
        torch.matmul,
        lambda draw, m, n, k: (draw(m, k), draw(k, n)),
        small=(512, 640, 384),
        large=(4096, 4096, 4096),
    )
