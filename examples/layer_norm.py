"""Layer norm of rows, forward and backward: programs and rows as in ``rms_norm.py``.

Forward, a program holds one row, and the weight and the bias, which are expanded to as many rows:

input    [ row 0 ]      weight  [ w ]      bias  [ b ]      output  [ row 0 ]     one program a row
         [ row 1 ]              [ w ]            [ b ]              [ row 1 ]

Where gradients are expected, it keeps two numbers of its row: the mean, and one over the standard
deviation.

Backward, a program walks over several rows and holds each in turn. It writes their gradients, and
two rows of sums: what its rows say of the gradients of the weight and of the bias.

input    [ row 0 ] ┐ program 0      weight_partial, bias_partial  [ row 0 + row 1 ]
         [ row 1 ] ┘                                              [ row 2 + row 3 ]
         [ row 2 ] ┐ program 1
         [ row 3 ] ┘                gradient, input_gradient like input; center, scale

A second kernel adds up these few rows: one reading of the inputs, the same gradients each time.
"""

import torch
from torch.autograd.function import once_differentiable

import ninetoothed
import ninetoothed.language as ntl
from examples.checks import check_floats, needs_gradients
from examples.rms_norm import (
    check_vector,
    empty_numbers,
    empty_partial,
    rows_of_programs,
    sums,
)
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


def moments(x, eps):
    """The mean of a row, and one over its standard deviation."""
    center = mean(x)
    return center, ntl.rsqrt(mean((x - center) * (x - center)) + eps)


def application(input, weight, bias, eps, output):
    x = ntl.cast(input, ntl.float32)
    center, scale = moments(x, eps)
    output = (x - center) * scale * weight + bias


layer_norm_kernel = ninetoothed.make(
    arrangement,
    application,
    (Tensor(2), Tensor(1), Tensor(1), Tensor(0), Tensor(2)),
    kernel_name="layer_norm_kernel",
)


def training_arrangement(input, weight, bias, eps, output, center, scale):
    arranged = arrangement(input, weight, bias, eps, output)
    return *arranged, center.tile((1, 1)), scale.tile((1, 1))


def training_application(input, weight, bias, eps, output, center, scale):
    x = ntl.cast(input, ntl.float32)
    row_center, row_scale = moments(x, eps)
    output = (x - row_center) * row_scale * weight + bias
    center = row_center
    scale = row_scale


layer_norm_training_kernel = ninetoothed.make(
    training_arrangement,
    training_application,
    (Tensor(2), Tensor(1), Tensor(1), Tensor(0), Tensor(2), Tensor(2), Tensor(2)),
    kernel_name="layer_norm_training_kernel",
)


def backward_arrangement(
    gradient, input, weight, center, scale, input_gradient, weight_partial, bias_partial
):
    programs = weight_partial.shape[0]
    rows = (input.shape[0] + programs - 1) // programs
    weights = weight.unsqueeze(0).expand((programs, -1))
    return (
        rows_of_programs(gradient, rows),
        rows_of_programs(input, rows),
        weights.tile((1, -1)),
        rows_of_programs(center, rows, 1),
        rows_of_programs(scale, rows, 1),
        rows_of_programs(input_gradient, rows),
        weight_partial.tile((1, -1)),
        bias_partial.tile((1, -1)),
    )


def backward_application(
    gradient, input, weight, center, scale, input_gradient, weight_partial, bias_partial
):
    weight_total = ntl.zeros(weight_partial.shape, dtype=ntl.float32)
    bias_total = ntl.zeros(bias_partial.shape, dtype=ntl.float32)

    for i in range(input.shape[0]):
        x = (ntl.cast(input[i], ntl.float32) - center[i]) * scale[i]
        weighted = ntl.cast(gradient[i], ntl.float32) * weight
        input_gradient[i] = (weighted - x * mean(weighted * x) - mean(weighted)) * scale[i]
        weight_total += gradient[i] * x
        bias_total += gradient[i]

    weight_partial = weight_total
    bias_partial = bias_total


layer_norm_backward_kernel = ninetoothed.make(
    backward_arrangement,
    backward_application,
    (
        *(Tensor(2, other=0), Tensor(2, other=0), Tensor(1, other=0)),
        *(Tensor(2, other=0), Tensor(2, other=0)),
        *(Tensor(2), Tensor(2), Tensor(2)),
    ),
    kernel_name="layer_norm_backward_kernel",
)


class LayerNorm(torch.autograd.Function):
    """The kernels, as torch differentiates them."""

    @staticmethod
    def forward(ctx, input, weight, bias, eps):
        output, center, scale = torch.empty_like(input), empty_numbers(input), empty_numbers(input)
        layer_norm_training_kernel(input, weight, bias, eps, output, center, scale)
        ctx.save_for_backward(input, weight, center, scale)
        ctx.bias_dtype = bias.dtype
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):
        input, weight, center, scale = ctx.saved_tensors
        input_gradient, partial = torch.empty_like(input), empty_partial(input, 2)
        if partial.shape[1]:
            layer_norm_backward_kernel(
                gradient, input, weight, center, scale, input_gradient, *partial
            )
        dtype = torch.promote_types(weight.dtype, ctx.bias_dtype)
        of_weight, of_bias = sums(partial, dtype)
        return input_gradient, of_weight.to(weight.dtype), of_bias.to(ctx.bias_dtype), None


def layer_norm(
    input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5
) -> torch.Tensor:
    """``(input - mean) / sqrt(variance + eps) * weight + bias`` of each row; differentiable.

    ``input`` is (rows, columns), ``weight`` and ``bias`` are (columns,); computed in fp32.
    """
    check_floats(differentiable=True, input=input, weight=weight, bias=bias)
    check_vector("weight", weight, input)
    check_vector("bias", bias, input)
    if needs_gradients(input, weight, bias):
        return LayerNorm.apply(input, weight, bias, eps)
    output = torch.empty_like(input)
    layer_norm_kernel(input, weight, bias, eps, output)
    return output


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
