"""Matrix multiplication of fp8 with a scale a row and a column: the blocks of examples/matmul.py.

                              other_scale  [ t … ]        a part of BLOCK_SIZE_N a program
                              other        [ b0 ]         fp8
                                           [ b1 ]
input_scale  input            output
[ s ]        [ a0 a1 ]                     [ (a0·b0 + a1·b1) * s * t ]     bfloat16
[ … ]        fp8
a part of BLOCK_SIZE_M a program

Tensor cores of some GPUs keep fewer digits of a sum of fp8 than float32 has. Here they form the
whole sum, which is the accumulator of each product. The fewer max_num_imprecise_acc of ntl.dot lets
them sum, the more digits are kept, and the longer it takes.
"""

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples import matmul as mm
from examples.checks import check_floats
from ninetoothed import Tensor


def arrangement(input, other, input_scale, other_scale, output):
    input_arranged, other_arranged, output_arranged = mm.arrangement(input, other, output)

    # A column and a row: they broadcast to the output's block.
    input_scale_arranged = input_scale[:, None].tile((mm.BLOCK_SIZE_M, 1))
    input_scale_arranged = input_scale_arranged.expand((-1, output_arranged.shape[1]))

    other_scale_arranged = other_scale[None, :].tile((1, mm.BLOCK_SIZE_N))
    other_scale_arranged = other_scale_arranged.expand((output_arranged.shape[0], -1))

    return (
        input_arranged,
        other_arranged,
        input_scale_arranged,
        other_scale_arranged,
        output_arranged,
    )


def application(input, other, input_scale, other_scale, output):
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)

    for k in range(input.shape[0]):
        # `accumulator +=` would add each block's product in float32, outside of the tensor cores.
        accumulator = ntl.dot(input[k], other[k], accumulator)

    output = accumulator * input_scale * other_scale


fp8_matmul_kernel = ninetoothed.make(
    arrangement,
    application,
    (Tensor(2), Tensor(2), Tensor(1), Tensor(1), Tensor(2)),
    kernel_name="fp8_matmul_kernel",
)


def fp8_matmul(
    input: torch.Tensor,
    other: torch.Tensor,
    input_scale: torch.Tensor,
    other_scale: torch.Tensor,
) -> torch.Tensor:
    """``(input @ other) * input_scale[:, None] * other_scale`` in bfloat16.

    Of two matrices of ``torch.float8_e4m3fn``, (m, k) and (k, n), and scales in float32, one a row
    of the first, (m,), and one a column of the second, (n,); or each one for the whole matrix, ().
    """
    check_floats(input=input, other=other, input_scale=input_scale, other_scale=other_scale)
    sizes = mm.sizes_of(input, other)
    # One for all is repeated by a stride of 0.
    if input_scale.ndim == 0:
        input_scale = input_scale.expand(sizes[0])
    if other_scale.ndim == 0:
        other_scale = other_scale.expand(sizes[1])
    if (*input_scale.shape, *other_scale.shape) != sizes or input_scale.ndim != 1:
        raise ValueError(
            f"the scales' shapes, {tuple(input_scale.shape)} and {tuple(other_scale.shape)}, "
            f"must be {sizes[:1]} and {sizes[1:]}, or () and ()"
        )
    output = input.new_empty(sizes, dtype=torch.bfloat16)
    fp8_matmul_kernel(input, other, input_scale, other_scale, output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    def inputs(draw, m, n, k):
        # Each column in one piece, as tensor cores want it.
        return (
            draw(m, k, dtype=torch.float8_e4m3fn),
            draw(n, k, dtype=torch.float8_e4m3fn).T,
            draw(m, dtype=torch.float32),
            draw(n, dtype=torch.float32),
        )

    run(
        fp8_matmul,
        lambda input, other, input_scale, other_scale: (
            (input @ other) * input_scale[:, None] * other_scale
        ),
        inputs,
        small=(512, 640, 384),
        large=(4096, 4096, 4096),
    )
