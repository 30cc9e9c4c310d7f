"""Layer norm of rows, forward and backward: programs and rows as in ``rms_norm.py``.

Forward, a program holds one row, and the weight and the bias, which are expanded to as many rows:

input    [ row 0 ]      weight  [ w ]      bias  [ b ]      output  [ row 0 ]     one program a row
         [ row 1 ]              [ w ]            [ b ]              [ row 1 ]

Backward, a program walks over several rows and holds each in turn. It writes their gradients, and
two rows of sums: what its rows say of the gradients of the weight and of the bias.

input    [ row 0 ] ┐ program 0      weight_partial, bias_partial  [ row 0 + row 1 ]
         [ row 1 ] ┘                                              [ row 2 + row 3 ]
         [ row 2 ] ┐ program 1
         [ row 3 ] ┘                gradient and input_gradient like input

torch adds up these few rows: one reading of the inputs, the same gradients each time.
"""

import torch
from torch.autograd.function import once_differentiable

import ninetoothed
import ninetoothed.language as ntl
from examples.checks import check_floats, needs_gradients
from examples.rms_norm import check_vector, empty_partial, rows_of_programs
from ninetoothed import Tensor


def arrangement(input, weight, bias, eps, output):
    weights = weight.unsqueeze(0).expand((input.shape[0], -1))
    biases = bias.unsqueeze(0).expand((input.shape[0], -1))
    return (
        input.tile((1, -1)),
        weights.tile((1, -1)),
        biases.tile((1, -1)),
        eps,
        output.tile((1, -1)),
    )


def mean(row):
    return ntl.sum(row, axis=1, keep_dims=True) / row.shape[1]


def standardized(input, eps):
    """The row with mean 0 and variance 1, and one over its standard deviation."""
    x = ntl.cast(input, ntl.float32)
    centred = x - mean(x)
    scale = ntl.rsqrt(mean(centred * centred) + eps)
    return centred * scale, scale


def application(input, weight, bias, eps, output):
    x, _ = standardized(input, eps)
    output = x * weight + bias


layer_norm_kernel = ninetoothed.make(
    arrangement,
    application,
    (Tensor(2), Tensor(1), Tensor(1), Tensor(0), Tensor(2)),
    kernel_name="layer_norm_kernel",
)


def backward_arrangement(
    gradient, input, weight, eps, input_gradient, weight_partial, bias_partial
):
    programs = weight_partial.shape[0]
    rows = (input.shape[0] + programs - 1) // programs
    weights = weight.unsqueeze(0).expand((programs, -1))
    return (
        rows_of_programs(gradient, rows),
        rows_of_programs(input, rows),
        weights.tile((1, -1)),
        eps,
        rows_of_programs(input_gradient, rows),
        weight_partial.tile((1, -1)),
        bias_partial.tile((1, -1)),
    )


def backward_application(
    gradient, input, weight, eps, input_gradient, weight_partial, bias_partial
):
    weight_total = ntl.zeros(weight_partial.shape, dtype=ntl.float32)
    bias_total = ntl.zeros(bias_partial.shape, dtype=ntl.float32)

    for i in range(input.shape[0]):
        x, scale = standardized(input[i], eps)
        weighted = ntl.cast(gradient[i], ntl.float32) * weight
        input_gradient[i] = (weighted - x * mean(weighted * x) - mean(weighted)) * scale
        # The last program may have fewer rows.
        exists = input[i].offsets(0) < input.source.shape[0]
        weight_total += ntl.where(exists, gradient[i] * x, 0.0)
        bias_total += ntl.where(exists, gradient[i], 0.0)

    weight_partial = weight_total
    bias_partial = bias_total


layer_norm_backward_kernel = ninetoothed.make(
    backward_arrangement,
    backward_application,
    (Tensor(2), Tensor(2), Tensor(1), Tensor(0), Tensor(2), Tensor(2), Tensor(2)),
    kernel_name="layer_norm_backward_kernel",
)


def forward(input, weight, bias, eps):
    output = torch.empty_like(input)
    layer_norm_kernel(input, weight, bias, eps, output)
    return output


class LayerNorm(torch.autograd.Function):
    """The kernels, as torch differentiates them."""

    @staticmethod
    def forward(ctx, input, weight, bias, eps):
        ctx.save_for_backward(input, weight)
        ctx.eps, ctx.bias_dtype = eps, bias.dtype
        return forward(input, weight, bias, eps)

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):
        input, weight = ctx.saved_tensors
        input_gradient = torch.empty_like(input)
        weight_partial, bias_partial = empty_partial(input), empty_partial(input)
        if weight_partial.shape[0]:
            layer_norm_backward_kernel(
                gradient, input, weight, ctx.eps, input_gradient, weight_partial, bias_partial
            )
        weight_gradient = weight_partial.sum(0).to(weight.dtype)
        bias_gradient = bias_partial.sum(0).to(ctx.bias_dtype)
        return input_gradient, weight_gradient, bias_gradient, None


def layer_norm(
    input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5
) -> torch.Tensor:
    """``(input - mean) / sqrt(variance + eps) * weight + bias`` of each row; differentiable.

    ``input`` is (rows, columns), ``weight`` and ``bias`` are (columns,); computed in fp32.
    """
    check_floats(differentiable=True, input=input, weight=weight, bias=bias)
    check_vector("weight", weight, input)
    check_vector("bias", bias, input)
    if not needs_gradients(input, weight, bias):
        return forward(input, weight, bias, eps)
    return LayerNorm.apply(input, weight, bias, eps)


if __name__ == "__main__":
    from examples.runner import gradients, run

    def reference(input, weight, bias):
        return torch.nn.functional.layer_norm(input, weight.shape, weight, bias)

    sizes = {"small": (777, 781), "large": (16384, 8192)}
    run(
        layer_norm,
        reference,
        lambda draw, rows, columns: (draw(rows, columns), draw(columns), draw(columns)),
        **sizes,
    )
    run(
        gradients(layer_norm),
        gradients(reference),
        lambda draw, rows, columns: (
            draw(rows, columns),
            draw(rows, columns),
            draw(columns),
            draw(columns),
        ),
        **sizes,
    )
