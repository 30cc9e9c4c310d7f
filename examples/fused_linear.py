"""A linear layer, its activation and a residual in one kernel: the blocks of examples/matmul.py.

The layer's weight is (n, k), as torch has it: permuted, it is the second matrix of a product. What
follows the product is computed of each block before it is stored, the epilogue.

bias            [ b … ]     a part of BLOCK_SIZE_N a program
                weightᵀ     [ w0 ]
                            [ w1 ]
input [ x0 x1 ] output      [ r + silu(x0·w0 + x1·w1 + b) ]
residual        [ r … ]     the block at the place of the output's
"""

import torch
import torch.nn.functional as F

import ninetoothed
import ninetoothed.language as ntl
from examples import matmul as mm
from examples.checks import check_floats
from ninetoothed import Tensor


def arrangement(input, weight, bias, residual, output):
    input_arranged, weight_arranged, output_arranged = mm.arrangement(
        input, weight.permute((1, 0)), output
    )

    # A row: it broadcasts to the output's block.
    bias_arranged = bias[None, :].tile((1, mm.BLOCK_SIZE_N))
    bias_arranged = bias_arranged.expand((output_arranged.shape[0], -1))

    residual_arranged = residual.tile((mm.BLOCK_SIZE_M, mm.BLOCK_SIZE_N))

    return input_arranged, weight_arranged, bias_arranged, residual_arranged, output_arranged


def application(input, weight, bias, residual, output):
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)

    for k in range(input.shape[0]):
        accumulator += ntl.dot(input[k], weight[k])

    accumulator += bias
    output = residual + accumulator * ntl.sigmoid(accumulator)


fused_linear_kernel = ninetoothed.make(
    arrangement,
    application,
    (Tensor(2), Tensor(2), Tensor(1), Tensor(2), Tensor(2)),
    kernel_name="fused_linear_kernel",
)


def fused_linear(
    input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, residual: torch.Tensor
) -> torch.Tensor:
    """``residual + silu(linear(input, weight, bias))``.

    Of matrices (m, k) and (n, k), a vector (n,) and a matrix (m, n), all of one element type.
    """
    check_floats(one_dtype=True, input=input, weight=weight, bias=bias, residual=residual)
    sizes = mm.sizes_of(input, weight.mT)
    if bias.shape != sizes[1:] or residual.shape != sizes:
        raise ValueError(
            f"the shapes of bias and residual, {tuple(bias.shape)} and {tuple(residual.shape)}, "
            f"must be {sizes[1:]} and {sizes}"
        )
    output = input.new_empty(sizes)
    fused_linear_kernel(input, weight, bias, residual, output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    run(
        fused_linear,
        lambda input, weight, bias, residual: residual + F.silu(F.linear(input, weight, bias)),
        lambda draw, m, n, k: (draw(m, k), draw(n, k), draw(n), draw(m, n)),
        small=(512, 640, 384),
        large=(4096, 4096, 4096),
    )
