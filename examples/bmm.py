"""A batch of matrix multiplications: each program computes one block of one output.

A matrix of the batch is as in examples/matmul.py. Blocks have one more dim, of size 1, in front;
it is squeezed away below, so that the same application computes them.

input   (b, m, k)   blocks of 1 × BLOCK_SIZE_M × BLOCK_SIZE_K, a row of them a program
other   (b, k, n)   blocks of 1 × BLOCK_SIZE_K × BLOCK_SIZE_N, a column of them a program
output  (b, m, n)   blocks of 1 × BLOCK_SIZE_M × BLOCK_SIZE_N
"""

import torch

import ninetoothed
from examples import matmul as mm
from examples.checks import check_floats
from ninetoothed import Tensor


def arrangement(input, other, output):
    output_arranged = output.tile((1, mm.BLOCK_SIZE_M, mm.BLOCK_SIZE_N))
    output_arranged.dtype = output_arranged.dtype.squeeze(0)

    input_arranged = input.tile((1, mm.BLOCK_SIZE_M, mm.BLOCK_SIZE_K))
    input_arranged = input_arranged.tile((1, 1, -1))
    input_arranged = input_arranged.expand((-1, -1, output_arranged.shape[2]))
    input_arranged.dtype = input_arranged.dtype.squeeze((0, 1))
    input_arranged.dtype.dtype = input_arranged.dtype.dtype.squeeze(0)

    other_arranged = other.tile((1, mm.BLOCK_SIZE_K, mm.BLOCK_SIZE_N))
    other_arranged = other_arranged.tile((1, -1, 1))
    other_arranged = other_arranged.expand((-1, output_arranged.shape[1], -1))
    other_arranged.dtype = other_arranged.dtype.squeeze((0, 2))
    other_arranged.dtype.dtype = other_arranged.dtype.dtype.squeeze(0)

    return input_arranged, other_arranged, output_arranged


bmm_kernel = ninetoothed.make(
    arrangement, mm.application, (Tensor(3), Tensor(3), Tensor(3)), kernel_name="bmm_kernel"
)


def bmm(input: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """``input @ other`` of two batches of matrices, (b, m, k) and (b, k, n)."""
    check_floats(one_dtype=True, input=input, other=other)
    rows, columns = input.shape, other.shape
    if len(rows) != 3 or len(columns) != 3 or rows[::2] != columns[:2]:
        raise ValueError(
            f"the shapes of the batches, {tuple(rows)} and {tuple(columns)}, "
            "must be (b, m, k) and (b, k, n)"
        )
    output = input.new_empty(*rows[:2], columns[2])
    bmm_kernel(input, other, output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    run(
        bmm,
        torch.bmm,
        lambda draw, b, m, n, k: (draw(b, m, k), draw(b, k, n)),
        small=(4, 256, 320, 192),
        large=(16, 2048, 2048, 2048),
    )
