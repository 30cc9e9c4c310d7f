"""Matrix multiplication with a scaled matrix added: the blocks of examples/matmul.py.

                       mat2   [ b0 ]
                              [ b1 ]
mat1  [ a0 a1 ]      output   [ beta * c + alpha * (a0·b0 + a1·b1) ]
input [ c … ]                 c: the block of the input at the place of the output's
"""

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples import matmul as mm
from examples.checks import check_floats
from ninetoothed import Tensor


def arrangement(input, mat1, mat2, beta, alpha, output):
    mat1_arranged, mat2_arranged, output_arranged = mm.arrangement(mat1, mat2, output)
    input_arranged = input.tile((mm.BLOCK_SIZE_M, mm.BLOCK_SIZE_N))

    return input_arranged, mat1_arranged, mat2_arranged, beta, alpha, output_arranged


def application(input, mat1, mat2, beta, alpha, output):
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)

    for k in range(mat1.shape[0]):
        accumulator += ntl.dot(mat1[k], mat2[k])

    accumulator *= alpha

    # Where beta is 0, what the input holds does not matter, be it NaN.
    if beta != 0:
        accumulator += beta * ntl.cast(input, ntl.float32)

    output = accumulator


addmm_kernel = ninetoothed.make(
    arrangement,
    application,
    (Tensor(2), Tensor(2), Tensor(2), Tensor(0), Tensor(0), Tensor(2)),
    kernel_name="addmm_kernel",
)


def addmm(
    input: torch.Tensor,
    mat1: torch.Tensor,
    mat2: torch.Tensor,
    beta: float = 1,
    alpha: float = 1,
) -> torch.Tensor:
    """``beta * input + alpha * (mat1 @ mat2)`` of two matrices, (m, k) and (k, n).

    ``input`` broadcasts to (m, n): a matrix, or a vector (n,) that is added to each row.
    All have one element type. Where ``beta`` is 0, it does not matter what ``input`` holds.
    """
    check_floats(one_dtype=True, input=input, mat1=mat1, mat2=mat2)
    sizes = mm.sizes_of(mat1, mat2)
    output = mat1.new_empty(*sizes)
    if input.shape != sizes:
        input = input.expand(sizes)
    addmm_kernel(input, mat1, mat2, float(beta), float(alpha), output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    run(
        addmm,
        torch.addmm,
        lambda draw, m, n, k: (draw(n), draw(m, k), draw(k, n)),
        small=(512, 640, 384),
        large=(4096, 4096, 4096),
    )
